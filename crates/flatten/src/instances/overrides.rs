//! Values from outside, `--set element[2].R=5`: stronger than any modifier, `final` included.

use std::sync::Arc;

use modeshift_dae::Type;
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_syntax::ast::{Expression, ExpressionKind};

use crate::classes::library::{Library, ROOT};
use crate::expressions::context::{Context, Purpose};
use crate::expressions::term::Term;
use crate::failure::{Outcome, wrong};
use crate::flattener::Flattener;
use crate::instances::modification::{Layer, Scope};
use crate::instances::tree::PrimitiveId;
use crate::suggestion::with_suggestion;

/// One value from outside.
#[derive(Clone, Debug)]
pub(crate) struct Override {
    /// `element[2].R`, without spaces.
    name: String,
    /// The last identifier, to find out quickly that it is not meant.
    last: String,
    /// The subscripts behind the last identifier, from 1.
    subscripts: Vec<usize>,
    value: Expression,
    used: bool,
}

/// Reads names and values as the user wrote them.
pub(crate) fn read(list: &[(String, String)], library: &mut Library, diagnostics: &mut Diagnostics) -> Vec<Override> {
    let mut overrides = Vec::new();
    for (name, text) in list {
        let name: String = name.chars().filter(|character| !character.is_whitespace()).collect();
        let file = library.sources_mut().add(format!("<--set {name}>"), text.clone());
        let value = modeshift_syntax::parse_expression(file, text, diagnostics);
        let (name, subscripts) = split_subscripts(&name);
        let last = name.rsplit('.').next().unwrap_or(&name).to_string();
        overrides.push(Override { name, last, subscripts, value, used: false });
    }
    overrides
}

/// `a.b[1,2]` is `a.b` and `[1, 2]`.
fn split_subscripts(name: &str) -> (String, Vec<usize>) {
    let parts = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let numbers = parts
        .and_then(|(_, inside)| inside.split(',').map(|number| number.parse().ok()).collect::<Option<Vec<usize>>>());
    match (parts, numbers) {
        (Some((name, _)), Some(numbers)) => (name.to_string(), numbers),
        _ => (name.to_string(), Vec::new()),
    }
}

impl Flattener<'_> {
    /// The value from outside of a variable, where there is one.
    pub(crate) fn override_term(
        &mut self,
        id: PrimitiveId,
        layers: &[Layer],
        purpose: Purpose,
    ) -> Outcome<Option<Term>> {
        if self.overrides.is_empty() {
            return Ok(None);
        }
        let (instance, position) = (self.instances[id].instance, self.instances[id].position);
        let name = self.instances.member(instance, position).name.clone();
        let mut matching = self.overrides.iter().enumerate().filter(|(_, known)| known.last == *name).peekable();
        if matching.peek().is_none() || self.instances[instance].is_static {
            return Ok(None);
        }
        let full = self.instances.element_name(instance, position);
        let matching: Vec<usize> = matching.filter(|(_, known)| known.name == *full).map(|(at, _)| at).collect();
        let mut term = None;
        for at in matching {
            self.overrides[at].used = true;
            let Override { value, subscripts, .. } = self.overrides[at].clone();
            let new = match self.literal_from_outside(id, &value) {
                Some(literal) => literal,
                None => {
                    let scope = Scope { instance: None, class: ROOT };
                    self.term(&value, &mut Context::new(scope, purpose))?
                }
            };
            if subscripts.is_empty() {
                term = Some(self.fitting(new, id, value.span)?);
                continue;
            }
            let layer = layers.iter().find(|layer| layer.value().is_some());
            let whole = match (term, layer) {
                (Some(term), _) => term,
                (None, Some(layer)) => {
                    let whole = self.layer_term(layer, purpose)?;
                    self.fitting(whole, id, value.span)?
                }
                (None, None) => {
                    return wrong(
                        Code::E0211,
                        format!("`{full}` has no value of which an element could be set"),
                        value.span,
                    );
                }
            };
            term = Some(self.with_element(&whole, &subscripts, new, &full, &value)?);
        }
        Ok(term)
    }

    /// The literal of the variable's own enumeration that a value is, `E.a` or `M.E.a`: a type that is declared in the model, which has
    /// variables, cannot be named from outside by the rules of the language, but whoever sets the parameter means no other.
    fn literal_from_outside(&mut self, id: PrimitiveId, value: &Expression) -> Option<Term> {
        let ty @ Type::Enumeration(of) = self.instances[id].ty else { return None };
        let ExpressionKind::Reference(reference) = &value.kind else { return None };
        let parts: Vec<&str> = reference.parts.iter().map(|part| &*part.name.name).collect();
        let (literal, path) = parts.split_last()?;
        let enumeration = &self.classes.enumerations.all[of];
        let mut own = enumeration.name.rsplit('.');
        if path.is_empty() || !path.iter().rev().all(|part| own.next() == Some(part)) {
            return None;
        }
        let ordinal = enumeration.literals.iter().position(|it| **it == **literal)?;
        Some(Term::Scalar(ty, self.model.expressions.integer(ordinal as i64 + 1)))
    }

    /// The start value from outside of a variable, where there is one: `--set x.start=2`.
    pub(crate) fn start_override(&mut self, id: PrimitiveId) -> Outcome<Option<Term>> {
        if !self.overrides.iter().any(|known| known.last == "start") {
            return Ok(None);
        }
        let (instance, position) = (self.instances[id].instance, self.instances[id].position);
        let name = format!("{}.start", self.instances.element_name(instance, position));
        let meant = |known: &Override| known.name == name && known.subscripts.is_empty();
        let Some(at) = self.overrides.iter().rposition(meant).filter(|_| !self.instances[instance].is_static) else {
            return Ok(None);
        };
        self.overrides[at].used = true;
        let value = self.overrides[at].value.clone();
        let scope = Scope { instance: None, class: ROOT };
        let term = self.term(&value, &mut Context::new(scope, Purpose::Symbolic))?;
        self.fitting(term, id, value.span).map(Some)
    }

    fn with_element(
        &mut self,
        whole: &Term,
        subscripts: &[usize],
        new: Term,
        name: &str,
        value: &Expression,
    ) -> Outcome<Term> {
        let dims = whole.dims();
        let fits =
            dims.len() == subscripts.len() && dims.iter().zip(subscripts).all(|(dim, at)| (1..=*dim).contains(at));
        if !fits {
            return wrong(Code::E0305, format!("`{name}` has no such element"), value.span);
        }
        let at = dims.iter().zip(subscripts).fold(0, |at, (dim, index)| at * dim + index - 1);
        let mut items = whole.items().to_vec();
        items[at] = new;
        Ok(Term::array(whole.scalar_type().unwrap_or(Type::Real), dims.to_vec(), items))
    }

    /// Every value from outside must have found its parameter.
    pub(crate) fn check_overrides(&mut self) {
        let unused: Vec<Override> = self.overrides.iter().filter(|known| !known.used).cloned().collect();
        for known in unused {
            let names: Vec<Arc<str>> = self.model.variables.iter().map(|variable| variable.name.clone()).collect();
            let message = match known.name.strip_suffix(".start") {
                Some(variable) => format!("there is no variable `{variable}` whose start value could be set"),
                None => format!("there is no parameter `{}` to set", known.name),
            };
            let diagnostic = Diagnostic::error(Code::E0211, message).label(known.value.span, "");
            self.say(with_suggestion(diagnostic, &known.name, names.iter().map(|name| &**name)));
        }
    }
}
