//! Iterators whose range is not written: it follows from the arrays that they are subscripts of (Modelica 3.6, 11.2.2.1).

use modeshift_dae::Type;
use modeshift_diagnostics::{Code, Diagnostic};
use modeshift_syntax::ast::{ExpressionKind, ForIndex, Subscript, SubscriptUse};

use crate::expressions::context::{Context, Purpose};
use crate::expressions::term::{Term, type_text};
use crate::failure::{Failure, Outcome};
use crate::flattener::Flattener;
use crate::instances::modification::Scope;
use crate::instances::scopes::Found;
use crate::instances::tree::InstanceId;

impl Flattener<'_> {
    /// The values of an iterator without a range.
    pub(super) fn deduced_iterations(&mut self, index: &ForIndex, context: &mut Context) -> Outcome<Vec<Term>> {
        let mut first: Option<(Type, usize)> = None;
        for used in &index.subscript_of {
            let found = self.values_of_dimension(used, context)?;
            match first {
                None => first = Some(found),
                Some(known) if known == found => {}
                Some(known) => {
                    let message = format!(
                        "the range of `{}` is not clear: it is a subscript of {} values of {} and of {} of {}",
                        index.name.name,
                        known.1,
                        type_text(known.0),
                        found.1,
                        type_text(found.0)
                    );
                    let diagnostic = Diagnostic::error(Code::E0306, message).label(used.array.span, "");
                    let help = format!("write the range: `{} in …`", index.name.name);
                    return Err(diagnostic.label(index.name.span, "of this iterator").help(help).into());
                }
            }
        }
        let Some((ty, size)) = first else {
            let message = format!("the range of `{0}` is left open, and `{0}` is no subscript", index.name.name);
            let diagnostic = Diagnostic::error(Code::E0306, message).label(index.name.span, "");
            return Err(diagnostic.help(format!("write the range: `{} in 1:n`", index.name.name)).into());
        };
        Ok((1..=size as i64).map(|ordinal| self.ordinal_term(ty, ordinal)).collect())
    }

    /// The type and number of the values that one subscript of an array has.
    fn values_of_dimension(&mut self, used: &SubscriptUse, context: &mut Context) -> Outcome<(Type, usize)> {
        if let Some(known) = self.declared_values(used, context)? {
            return Ok(known);
        }
        let mut inner = Context { purpose: Purpose::Shape, ..context.clone() };
        let term = self.reference(&used.array, &mut inner)?;
        // Arrays of components in front of the last part add their dimensions in front.
        let at = (term.dims().len() + used.position).checked_sub(used.count);
        match at.and_then(|at| term.dims().get(at)) {
            Some(&size) => Ok((Type::Integer, size)),
            None => {
                let message = "there are more subscripts than dimensions";
                Err(Diagnostic::error(Code::E0305, message).label(used.array.span, "").into())
            }
        }
    }

    /// The values of a dimension that is declared by a type.
    fn declared_values(&mut self, used: &SubscriptUse, context: &mut Context) -> Outcome<Option<(Type, usize)>> {
        let first = &used.array.parts[0].name.name;
        if !used.array.global && context.local(first).is_some() {
            let class = context.scope.class;
            let layout = self.classes.layout(class)?;
            let Some(member) = layout.member(first) else { return Ok(None) };
            let (dimensions, class) = member.dimensions.clone();
            return self.values_of_type(&dimensions, used.position, Scope { instance: context.scope.instance, class });
        }
        let Some(Found::Component(instance, position)) = self.find_first(used.array.global, first, context.scope)?
        else {
            return Ok(None);
        };
        let selection = self.select(instance, position, &used.array.parts, context)?;
        let Some(&(instance, position)) = selection.elements.first() else { return Ok(None) };
        let (dimensions, class) = self.instances.member(instance, position).dimensions.clone();
        self.values_of_type(&dimensions, used.position, Scope { instance: Some(instance), class })
    }

    fn values_of_type(
        &mut self,
        dimensions: &[Subscript],
        position: usize,
        scope: Scope,
    ) -> Outcome<Option<(Type, usize)>> {
        let Some(Subscript::Expression(dimension)) = dimensions.get(position) else { return Ok(None) };
        let ExpressionKind::Reference(reference) = &dimension.kind else { return Ok(None) };
        self.enumeration_named(reference, scope)
    }

    /// A dimension that is declared by an enumeration or `Boolean` has their values as subscripts (10.5.1).
    pub(super) fn check_subscript_types(
        &mut self,
        instance: InstanceId,
        position: u32,
        subscripts: &[Subscript],
    ) -> Outcome<()> {
        let member = self.instances.member(instance, position);
        let span = member.span;
        let (dimensions, class) = member.dimensions.clone();
        let scope = Scope { instance: Some(instance), class };
        for (at, subscript) in subscripts.iter().enumerate() {
            let Subscript::Expression(subscript) = subscript else { continue };
            if !matches!(subscript.kind, ExpressionKind::Integer(_)) {
                continue;
            }
            match self.values_of_type(&dimensions, at, scope) {
                Ok(Some((ty, _))) => {
                    let message =
                        format!("this subscript is Integer, but the dimension is declared by {}", name_of(ty));
                    let diagnostic = Diagnostic::error(Code::E0317, message).label(subscript.span, "");
                    let help = match ty {
                        Type::Boolean => "write `false` or `true`",
                        _ => "write a literal of the enumeration",
                    };
                    return Err(diagnostic.label(span, "declared here").help(help).into());
                }
                Ok(None) => {}
                Err(failure @ Failure::Wrong(_)) => return Err(failure),
                Err(_) => {}
            }
        }
        Ok(())
    }
}

fn name_of(ty: Type) -> &'static str {
    match ty {
        Type::Boolean => "`Boolean`",
        _ => "an enumeration",
    }
}
