//! Values at translation: array sizes, conditions, ranges, and whatever parameters they are computed from.
//!
//! Computed when needed and remembered per component: the value of a parameter is its binding translated with all
//! parameters replaced by their values. Every parameter that was read is marked, because it can no longer be
//! changed in the flat model.

use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{ExpressionId, Expressions, Node, PartialEvaluation, Type, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{Expression, Variability};
use rustc_hash::FxHashMap;

use crate::expressions::context::{Context, Purpose};
use crate::expressions::term::{Term, shape_text, type_text};
use crate::failure::{Failure, Outcome, dynamic, wrong};
use crate::flattener::Flattener;
use crate::instances::modification::{Layer, Scope, Step, attribute_layers};
use crate::instances::tree::{Primitive, PrimitiveId};

/// A binding that is taken apart, by its expression, which is kept so that its address stays its own.
type BindingKey = (*const Expression, Scope, Purpose);

/// Values known at translation. The tables are memos; none of them is ever iterated.
#[derive(Default)]
pub(crate) struct Values {
    bindings: FxHashMap<BindingKey, (Rc<Expression>, Term)>,
    /// The values of parameters and constants; `None` while one is being computed.
    known: FxHashMap<PrimitiveId, Option<Term>>,
    /// The parameters that are being computed, each for the sake of the next.
    evaluating: Vec<PrimitiveId>,
    attribute_names: FxHashMap<&'static str, Arc<str>>,
}

impl Values {
    /// The shared name of an attribute.
    pub(crate) fn attribute_name(&mut self, name: &'static str) -> Arc<str> {
        self.attribute_names.entry(name).or_insert_with(|| name.into()).clone()
    }
}

impl Flattener<'_> {
    /// The value of an expression at translation.
    pub(crate) fn evaluate(&mut self, expression: &Expression, context: &mut Context) -> Outcome<Term> {
        let purpose = std::mem::replace(&mut context.purpose, Purpose::Evaluate);
        let term = self.term(expression, context);
        context.purpose = purpose;
        let term = term?;
        if self.is_literal(&term) {
            return Ok(term);
        }
        match self.with_parameter_values(&term, expression.span)? {
            term if self.is_literal(&term) => Ok(term),
            _ => dynamic("this value must be known at translation", expression.span),
        }
    }

    /// The term with parameters replaced by their values: an argument of a function may be an expression of
    /// parameters while the function needs its value.
    pub(crate) fn with_parameter_values(&mut self, term: &Term, place: Span) -> Outcome<Term> {
        term.map(|item| match *item {
            Term::Scalar(ty, id) if !self.literal_node(id) && self.depends_on_parameters_only(id) => {
                let mut values = FxHashMap::default();
                for variable in self.variables_of(id) {
                    values.insert(variable, self.value_of_variable(variable, place)?);
                }
                let mut evaluation = PartialEvaluation::new(|_| None, |variable| values.get(&variable).copied());
                Ok(Term::Scalar(ty, evaluation.of(&mut self.model.expressions, id)))
            }
            _ => Ok(item.clone()),
        })
    }

    fn variables_of(&self, id: ExpressionId) -> Vec<VariableId> {
        let mut variables = Vec::new();
        self.model.expressions.for_each(id, |_, node| {
            if let Node::Variable(variable, _) = node {
                variables.push(variable);
            }
            true
        });
        variables
    }

    /// The value of one scalar parameter.
    fn value_of_variable(&mut self, variable: VariableId, place: Span) -> Outcome<ExpressionId> {
        let after = self.instances.numbered.partition_point(|&(first, _)| first <= variable);
        let (first, id) = self.instances.numbered[after.checked_sub(1).ok_or(Failure::Reported)?];
        let value = self.value_of(id, place)?;
        match value.items().get((variable.0 - first.0) as usize) {
            Some(Term::Scalar(_, id)) => Ok(*id),
            _ => Err(Failure::Reported),
        }
    }

    /// The truth value of an expression at translation.
    pub(crate) fn evaluate_boolean(&mut self, expression: &Expression, context: &mut Context) -> Outcome<bool> {
        match self.evaluate(expression, context)? {
            Term::Scalar(Type::Boolean, id) => match self.model.expressions.literal_boolean(id) {
                Some(value) => Ok(value),
                None => dynamic("this condition must be known at translation", expression.span),
            },
            other => self.wrong_type(&other, "a condition must be Boolean", expression),
        }
    }

    /// The Integer value of an expression at translation; enumeration literals and Booleans count from 1.
    pub(crate) fn evaluate_integer(&mut self, expression: &Expression, context: &mut Context) -> Outcome<i64> {
        let term = self.evaluate(expression, context)?;
        match self.integer_value(&term) {
            Some(value) => Ok(value),
            None => self.wrong_type(&term, "an Integer is needed here", expression),
        }
    }

    /// The number that indexes.
    pub(crate) fn integer_value(&self, term: &Term) -> Option<i64> {
        integer_value(&self.model.expressions, term)
    }

    /// The number that a literal stands for.
    pub(crate) fn real_value(&self, term: &Term) -> Option<f64> {
        match term {
            Term::Scalar(Type::Real | Type::Integer, id) => self.model.expressions.literal(*id),
            _ => None,
        }
    }

    fn wrong_type<T>(&self, term: &Term, wanted: &str, expression: &Expression) -> Outcome<T> {
        wrong(Code::E0303, format!("{wanted}, but this is {}", describe(term)), expression.span)
    }

    /// Whether every scalar of a term is a literal.
    pub(crate) fn is_literal(&self, term: &Term) -> bool {
        match term {
            Term::Scalar(_, id) => is_literal_node(self.model.expressions.node(*id)),
            Term::Array(array) => array.items.iter().all(|item| self.is_literal(item)),
            Term::Record(record) => record.fields.iter().all(|(_, value)| self.is_literal(value)),
            Term::Tuple(terms) => terms.iter().all(|term| self.is_literal(term)),
            Term::Function(function) => function.named.iter().all(|(_, value)| self.is_literal(value)),
        }
    }

    /// The part that a layer's path names of a layer's value.
    pub(crate) fn layer_term(&mut self, layer: &Layer, purpose: Purpose) -> Outcome<Term> {
        let Some(expression) = layer.value().cloned() else { return Err(Failure::Reported) };
        let key = (Rc::as_ptr(&expression), layer.scope, purpose);
        let known = if layer.path.is_empty() { None } else { self.values.bindings.get(&key) };
        let term = match known {
            Some((_, term)) => term.clone(),
            None => {
                let term = match self.term(&expression, &mut Context::new(layer.scope, purpose))? {
                    Term::Tuple(outputs) => outputs.first().cloned().ok_or(Failure::Reported)?,
                    term => term,
                };
                if !layer.path.is_empty() {
                    self.values.bindings.insert(key, (expression.clone(), term.clone()));
                }
                term
            }
        };
        layer.path.iter().try_fold(term, |term, step| self.take_step(&term, step, &expression))
    }

    fn take_step(&mut self, term: &Term, step: &Step, expression: &Expression) -> Outcome<Term> {
        match step {
            Step::Index(index, dims) => {
                let own = term.dims();
                if own.is_empty() {
                    return Ok(term.clone());
                }
                if own.len() < dims.len() || own[..dims.len()] != **dims {
                    let message = format!(
                        "this modifier of an array of components has size {}, but the array has size {}",
                        shape_text(own),
                        shape_text(dims)
                    );
                    let diagnostic = Diagnostic::error(Code::E0304, message).label(expression.span, "");
                    let help = match (own, &**dims) {
                        ([own], [wanted]) if own != wanted => {
                            format!(
                                "write {wanted} values, one for each element, or `each` in front of one that is meant for all"
                            )
                        }
                        _ => "write `each` in front of a value that is meant for every element".to_string(),
                    };
                    return Err(diagnostic.help(help).into());
                }
                Ok(term.part(index))
            }
            Step::Field(name) => match term.field(name) {
                Some(value) => Ok(value),
                None => wrong(Code::E0303, format!("this value has no field `{name}`"), expression.span),
            },
        }
    }

    /// The value of a parameter or constant.
    pub(crate) fn value_of(&mut self, id: PrimitiveId, place: Span) -> Outcome<Term> {
        match self.values.known.get(&id) {
            Some(Some(value)) => return Ok(value.clone()),
            Some(None) => return Err(self.cyclic_parameters(id).into()),
            None => {}
        }
        let primitive = &self.instances[id];
        let (instance, position) = (primitive.instance, primitive.position);
        if primitive.prefix.variability > Variability::Parameter {
            let name = &self.instances.member(instance, position).name;
            return dynamic(format!("the value of `{name}` is not known at translation"), place);
        }
        self.values.known.insert(id, None);
        self.values.evaluating.push(id);
        let value = self.evaluate_primitive(id, place);
        self.values.evaluating.pop();
        match value {
            Ok(value) => {
                self.values.known.insert(id, Some(value.clone()));
                self.instances[id].evaluated = true;
                Ok(value)
            }
            Err(failure) => {
                self.values.known.remove(&id);
                Err(failure)
            }
        }
    }

    fn cyclic_parameters(&self, id: PrimitiveId) -> Diagnostic {
        let from = self.values.evaluating.iter().position(|&other| other == id).unwrap_or(0);
        let chain = self.values.evaluating[from..].iter().chain([&id]).map(|&id| &self.instances[id]);
        let chain: Vec<_> = chain.map(|it| self.instances.element_name(it.instance, it.position)).collect();
        let message = format!("the value of `{}` depends on itself", chain[0]);
        let mut diagnostic =
            Diagnostic::error(Code::E0302, message).with_note(format!("chain: {}", chain.join(" -> ")));
        for &id in &self.values.evaluating[from..] {
            let Primitive { instance, position, .. } = self.instances[id];
            diagnostic = diagnostic.label(self.instances.member(instance, position).span, "");
        }
        diagnostic
    }

    fn evaluate_primitive(&mut self, id: PrimitiveId, place: Span) -> Outcome<Term> {
        let layers = self.primitive_layers(id)?;
        if self.attribute_boolean(&layers, "fixed")? == Some(false) {
            return dynamic("this parameter is computed at initialization (`fixed = false`)", place);
        }
        let binding = self.binding_term(id, &layers, Purpose::Evaluate)?;
        let value = match binding {
            Some(value) => value,
            None => self.start_term(id, &layers, Purpose::Evaluate)?.ok_or_else(|| self.no_value(id, place))?,
        };
        if self.is_literal(&value) {
            return Ok(value);
        }
        let primitive = &self.instances[id];
        let name = self.instances.element_name(primitive.instance, primitive.position);
        dynamic(format!("the value of `{name}` is not known at translation"), place)
    }

    fn no_value(&self, id: PrimitiveId, place: Span) -> Failure {
        let Primitive { instance, position, .. } = self.instances[id];
        let name = self.instances.element_name(instance, position);
        let diagnostic =
            Diagnostic::error(Code::E0312, format!("`{name}` has no value, but it is needed at translation"))
                .label(place, "needed here")
                .label(self.instances.member(instance, position).span, "declared here")
                .help(format!("give it a value here, in a modifier, or with `--set {name}=…`"));
        Failure::Dynamic(Box::new(diagnostic))
    }

    /// The binding of a parameter, constant or variable, in its own type and size.
    pub(crate) fn binding_term(
        &mut self,
        id: PrimitiveId,
        layers: &[Layer],
        purpose: Purpose,
    ) -> Outcome<Option<Term>> {
        if let Some(overridden) = self.override_term(id, layers, purpose)? {
            return Ok(Some(overridden));
        }
        let Some(layer) = layers.iter().find(|layer| layer.value().is_some()) else { return Ok(None) };
        let term = self.layer_term(layer, purpose)?;
        let span = layer.value().map_or(layer.modifier.span, |value| value.span);
        self.check_binding_is_array(&term, layer, id, span)?;
        self.fitting(term, id, span).map(Some)
    }

    /// One value for all elements is `each`, or `fill`.
    fn check_binding_is_array(&self, term: &Term, layer: &Layer, id: PrimitiveId, span: Span) -> Outcome<()> {
        let Primitive { instance, position, .. } = self.instances[id];
        let dims = &self.instances[id].dims;
        if dims.is_empty() || !term.dims().is_empty() || layer.modifier.each {
            return Ok(());
        }
        let member = self.instances.member(instance, position);
        let message = format!("`{}` has size {}, but this is a single value", member.name, shape_text(dims));
        let sizes: Vec<String> = dims.iter().map(usize::to_string).collect();
        Err(Diagnostic::error(Code::E0304, message)
            .label(span, "")
            .label(member.span, "declared here")
            .help(format!("the same value for all elements: `fill(…, {})`", sizes.join(", ")))
            .into())
    }

    /// The `start` attribute.
    pub(crate) fn start_term(&mut self, id: PrimitiveId, layers: &[Layer], purpose: Purpose) -> Outcome<Option<Term>> {
        self.attribute_term(id, layers, "start", purpose)
    }

    /// An attribute, in the type and size of its variable.
    pub(crate) fn attribute_term(
        &mut self,
        id: PrimitiveId,
        layers: &[Layer],
        name: &'static str,
        purpose: Purpose,
    ) -> Outcome<Option<Term>> {
        let name = self.values.attribute_name(name);
        let layers = attribute_layers(layers, &name);
        let Some(layer) = layers.iter().find(|layer| layer.value().is_some()) else { return Ok(None) };
        let term = self.layer_term(layer, purpose)?;
        let span = layer.value().map_or(layer.modifier.span, |value| value.span);
        self.fitting(term, id, span).map(Some)
    }

    /// A Boolean attribute that is the same for all elements.
    pub(crate) fn attribute_boolean(&mut self, layers: &[Layer], name: &'static str) -> Outcome<Option<bool>> {
        let name = self.values.attribute_name(name);
        let layers = attribute_layers(layers, &name);
        let Some(layer) = layers.iter().find(|layer| layer.value().is_some()) else { return Ok(None) };
        let term = self.layer_term(layer, Purpose::Evaluate)?;
        Ok(match term.items().first() {
            Some(Term::Scalar(Type::Boolean, id)) => self.model.expressions.literal_boolean(*id),
            _ => None,
        })
    }

    /// A term in the type and size of a variable: Integers become Reals, a scalar fills an array.
    pub(crate) fn fitting(&mut self, term: Term, id: PrimitiveId, span: Span) -> Outcome<Term> {
        let Primitive { instance, position, ty, .. } = self.instances[id];
        let dims = self.instances[id].dims.clone();
        let term = match (term.dims().is_empty(), dims.is_empty()) {
            (true, false) => {
                let total = dims.iter().product();
                Term::array(ty, dims.to_vec(), vec![term; total])
            }
            _ => term,
        };
        if term.dims() != &*dims {
            let member = self.instances.member(instance, position);
            let message = format!(
                "`{}` has size {}, but this has size {}",
                member.name,
                shape_text(&dims),
                shape_text(term.dims())
            );
            return Err(Diagnostic::error(Code::E0304, message)
                .label(span, "")
                .label(member.span, "declared here")
                .into());
        }
        match term.scalar_type() {
            Some(own) if own == ty || (own == Type::Integer && ty == Type::Real) => term.map(|item| match item {
                Term::Scalar(_, id) => Ok(Term::Scalar(ty, *id)),
                other => Ok(other.clone()),
            }),
            _ if term.items().is_empty() => Ok(term),
            _ => {
                let member = self.instances.member(instance, position);
                let message = format!("`{}` is {}, but this is {}", member.name, type_text(ty), describe(&term));
                Err(Diagnostic::error(Code::E0303, message).label(span, "").label(member.span, "declared here").into())
            }
        }
    }

    /// A literal, evaluated; or the expression as it is.
    pub(crate) fn literal_node(&self, id: ExpressionId) -> bool {
        is_literal_node(self.model.expressions.node(id))
    }
}

/// The number that indexes: of an Integer itself, of an enumeration its ordinal, of a Boolean 1 or 2.
pub(crate) fn integer_value(expressions: &Expressions, term: &Term) -> Option<i64> {
    let Term::Scalar(ty, id) = term else { return None };
    match (ty, expressions.node(*id)) {
        (Type::Integer | Type::Enumeration(_), Node::Integer(value)) => Some(value),
        (Type::Integer, Node::Real(number)) if number.value().fract() == 0.0 => Some(number.value() as i64),
        (Type::Boolean, Node::Boolean(value)) => Some(1 + i64::from(value)),
        _ => None,
    }
}

fn is_literal_node(node: Node) -> bool {
    matches!(node, Node::Real(_) | Node::Integer(_) | Node::Boolean(_) | Node::String(_))
}

/// `Real`, `Boolean of size [3]`, `a record`
pub(crate) fn describe(term: &Term) -> String {
    let what = match term.items().first() {
        Some(Term::Record(record)) => format!("a record `{}`", record.class),
        Some(Term::Tuple(_)) => "several values".to_string(),
        Some(Term::Function(_)) => "a function".to_string(),
        _ => term.scalar_type().map_or("empty".to_string(), |ty| type_text(ty).to_string()),
    };
    if term.dims().is_empty() { what } else { format!("{what} of size {}", shape_text(term.dims())) }
}
