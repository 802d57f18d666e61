//! Calls of functions for their effect: functions without outputs, which check what they are given, and functions that print or write
//! files, which is left out and said.

use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{
    ClassKind, Expression, ExpressionKind, External, Ident, Reference, Statement, StatementKind,
};

use crate::classes::layout::Member;
use crate::classes::library::{ClassId, composition};
use crate::classes::lookup::reference_text;
use crate::expressions::context::{Context, Purpose};
use crate::expressions::functions::{Bound, Call, MAX_CALLS, is_input, is_output};
use crate::failure::{Outcome, unsupported};
use crate::flattener::Flattener;
use crate::instances::modification::Scope;

/// So many calls in each other are looked into.
const MOST_DEEP: usize = 8;

impl Flattener<'_> {
    /// A call for its effect, of a function without outputs: the call with its arguments; nothing where it is left out.
    pub(crate) fn effect_call(
        &mut self,
        function: &Reference,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Option<(Call, Bound)>> {
        let class = self.called_class(function, context)?;
        let class = self.classes.type_info(class)?.class;
        let layout = self.classes.layout(class)?;
        let is_known = self.classes.library.class(class).definition.kind == ClassKind::Function
            && composition(&self.classes.library.class(class).definition)
                .is_some_and(|it| it.external.as_ref().is_none_or(is_unobserved))
            && !layout.members.iter().any(is_output)
            && context.calls < MAX_CALLS;
        if !is_known && self.is_left_out(function, span, context)? {
            return Ok(None);
        }
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
        Ok(Some((call, bound)))
    }

    /// Whether a call for its effect prints or writes files: no variable of the model depends on that, so it is left out, with a warning.
    pub(crate) fn is_left_out(&mut self, function: &Reference, span: Span, context: &Context) -> Outcome<bool> {
        let class = self.called_class(function, context)?;
        let is_left_out = self.writes_outside(class, 0)?;
        if is_left_out {
            let name = reference_text(function);
            let warning = Diagnostic::warning(Code::W0218, format!("what `{name}` prints or writes is left out"));
            let warning = warning.label(span, "this call has no effect");
            self.say(
                warning.help("results are written by `-o`, and messages by `assert` with `AssertionLevel.warning`"),
            );
        }
        Ok(is_left_out)
    }

    /// Whether a function, or one that it calls for its effect, does something outside the model that no result tells of.
    fn writes_outside(&mut self, class: ClassId, depth: usize) -> Outcome<bool> {
        let class = self.classes.type_info(class)?.class;
        let layout = self.classes.layout(class)?;
        if depth == MOST_DEEP || self.classes.library.class(class).definition.kind != ClassKind::Function {
            return Ok(false);
        }
        for &class in &layout.classes {
            let definition = self.classes.library.class(class).definition.clone();
            let Some(inside) = composition(&definition) else { continue };
            if let Some(external) = &inside.external {
                return Ok(!layout.members.iter().any(is_output) && is_output_of_text(external));
            }
            let mut calls = Vec::new();
            inside.algorithms.iter().for_each(|section| called_for_effect(&section.statements, &mut calls));
            let context = Context::new(Scope { instance: None, class }, Purpose::Symbolic);
            for function in calls {
                if let Ok(called) = self.called_class(function, &context)
                    && self.writes_outside(called, depth + 1)?
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
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

/// Whether an external function prints or changes files, and does not end the run.
fn is_output_of_text(external: &External) -> bool {
    let name = external.call.as_ref().map_or("", |(_, name, _)| &*name.name);
    let is_known = ["ModelicaInternal_", "ModelicaStreams_", "ModelicaIO_"].iter().any(|it| name.starts_with(it));
    is_known && name != "ModelicaInternal_exit"
}

/// The functions that statements call for their effect.
fn called_for_effect<'a>(statements: &'a [Statement], out: &mut Vec<&'a Reference>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Call(call) => {
                if let ExpressionKind::Call { function, .. } = &call.kind {
                    out.push(function);
                }
            }
            StatementKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, body)| called_for_effect(body, out));
                called_for_effect(otherwise, out);
            }
            StatementKind::For { body, .. } | StatementKind::While(_, body) => called_for_effect(body, out),
            _ => {}
        }
    }
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
