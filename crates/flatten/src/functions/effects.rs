//! Calls of functions for their effect: functions without outputs, which check what they are given.

use modeshift_diagnostics::Span;
use modeshift_syntax::ast::{ClassKind, Expression, External, Ident, Reference, Statement, StatementKind};

use crate::classes::layout::Member;
use crate::classes::library::composition;
use crate::classes::lookup::reference_text;
use crate::expressions::context::Context;
use crate::expressions::functions::{Bound, Call, MAX_CALLS, is_input, is_output};
use crate::failure::{Outcome, unsupported};
use crate::flattener::Flattener;

impl Flattener<'_> {
    /// A call for its effect, of a function without outputs: the call with its arguments.
    pub(crate) fn effect_call(
        &mut self,
        function: &Reference,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        span: Span,
        context: &mut Context,
    ) -> Outcome<(Call, Bound)> {
        let class = self.called_class(function, context)?;
        let class = self.classes.type_info(class)?.class;
        let layout = self.classes.layout(class)?;
        let is_known = self.classes.library.class(class).definition.kind == ClassKind::Function
            && composition(&self.classes.library.class(class).definition)
                .is_some_and(|it| it.external.as_ref().is_none_or(is_unobserved))
            && !layout.members.iter().any(is_output)
            && context.calls < MAX_CALLS;
        if !is_known {
            return unsupported(format!("a call of `{}` for its effect", reference_text(function)), span);
        }
        let positional = self.terms(arguments, context)?;
        let mut by_name = Vec::with_capacity(named.len());
        for (name, value) in named {
            by_name.push((name.clone(), self.term(value, context)?));
        }
        let call = Call { class, layout: layout.clone(), positional, named: by_name, span };
        let inputs: Vec<&Member> = layout.members.iter().filter(|member| is_input(member)).collect();
        let bound = self.bind(&call, &inputs, context)?;
        Ok((call, bound))
    }

    /// Whether a call that nobody takes the results of does nothing: its function is pure and checks nothing.
    pub(crate) fn is_without_effect(&mut self, function: &Reference, context: &Context) -> Outcome<bool> {
        if matches!(function.parts.as_slice(), [first, _, ..] if &*first.name.name == "Connections") {
            return Ok(false);
        }
        let class = self.called_class(function, context)?;
        let class = self.classes.type_info(class)?.class;
        let layout = self.classes.layout(class)?;
        Ok(layout.classes.iter().all(|&class| {
            let definition = &self.classes.library.class(class).definition;
            let inside = composition(definition);
            definition.kind == ClassKind::Function
                && !definition.impure
                && inside.is_none_or(|inside| {
                    inside.external.is_none()
                        && inside.algorithms.iter().all(|section| section.statements.iter().all(is_plain_assignment))
                })
        }))
    }

    /// Carries out at translation what a function without outputs does: its assertions, where they are known.
    pub(crate) fn run_effect(&mut self, call: &Call, bound: Bound, context: &Context) -> Outcome<()> {
        let mut known = Vec::with_capacity(bound.len());
        for (name, value) in bound {
            known.push((name, self.with_parameter_values(&value, call.span)?));
        }
        self.execute_statements(call, known, context).map(|_| ())
    }
}

/// Whether what an external function does is seen by functions only that are refused where they are called: the hidden state of the
/// generator of random numbers that are not functions of their arguments.
fn is_unobserved(external: &External) -> bool {
    let name = external.call.as_ref().map(|(_, name, _)| &*name.name);
    name == Some("ModelicaRandom_setInternalState_xorshift1024star")
}

/// Whether a statement computes with predefined functions at most; what others do is not looked into.
fn is_plain_assignment(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Assign(..) => true,
        StatementKind::If { branches, otherwise } => {
            branches.iter().flat_map(|(_, body)| body).chain(otherwise).all(is_plain_assignment)
        }
        StatementKind::For { body, .. } => body.iter().all(is_plain_assignment),
        _ => false,
    }
}
