//! Statements of a function as statements over slots.
//!
//! What is known is decided here: a branch whose condition is known is the only one that stays. A loop stays a loop, unless
//! a size inside depends on its iterator; then each time is written out.

use std::sync::Arc;

use modeshift_dae::{ExpressionId, Node, Statement, Type};
use modeshift_diagnostics::Code;
use modeshift_syntax::ast::{self, Expression, ExpressionKind, StatementKind};

use crate::classes::library::composition;
use crate::expressions::context::{Context, Purpose};
use crate::expressions::functions::{Call, is_input};
use crate::expressions::term::Term;
use crate::expressions::translate::Decision;
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;
use crate::functions::transfer::slot_of;
use crate::instances::modification::Scope;

impl Flattener<'_> {
    pub(super) fn lower_all(
        &mut self,
        statements: &[ast::Statement],
        context: &mut Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        statements.iter().try_for_each(|statement| self.lower(statement, context, out))
    }

    pub(super) fn lower(
        &mut self,
        statement: &ast::Statement,
        context: &mut Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        match &statement.kind {
            StatementKind::Assign(target, value) => {
                let value = first_output(self.term(value, context)?)?;
                self.lower_assignment(target, value, context, out)
            }
            StatementKind::MultiAssign(targets, value) => {
                let outputs = match self.term(value, context)? {
                    Term::Tuple(outputs) => outputs.to_vec(),
                    single => vec![single],
                };
                self.lower_outputs(targets, outputs, context, out)
            }
            StatementKind::Call(call) => self.lower_call(call, context, out),
            StatementKind::Break => {
                out.push(Statement::Break);
                Ok(())
            }
            StatementKind::Return => {
                out.push(Statement::Return);
                Ok(())
            }
            StatementKind::If { branches, otherwise } => self.lower_if(branches, otherwise, context, out),
            StatementKind::For { indices, body } => self.lower_for(indices, body, context, out),
            StatementKind::While(condition, body) => {
                let condition = self.run_time_condition(condition, context)?;
                let mut inside = Vec::new();
                self.lower_all(body, context, &mut inside)?;
                out.push(Statement::While(condition, inside));
                Ok(())
            }
            StatementKind::When(_) => unsupported("`when` in a function", statement.span),
        }
    }

    /// `(a, b) := f(x)`: all outputs are there before the first variable changes.
    pub(super) fn lower_outputs(
        &mut self,
        targets: &[Option<Expression>],
        outputs: Vec<Term>,
        context: &mut Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        let mut held = Vec::new();
        for (target, output) in targets.iter().zip(outputs) {
            if let Some(target) = target {
                let local = self.in_slots(&output, &|_, _, _| false);
                held.push((target, local, output));
            }
        }
        let mut pairs = Vec::new();
        for (target, local, output) in &held {
            self.assign_slots(local, output, target.span, &mut pairs)?;
        }
        let pairs = pairs.into_iter().flat_map(|statement| match statement {
            Statement::Assign(list) => list,
            _ => Vec::new(),
        });
        out.push(Statement::Assign(pairs.collect()));
        held.into_iter().try_for_each(|(target, local, _)| self.lower_assignment(target, local, context, out))
    }

    pub(super) fn run_time_condition(
        &mut self,
        condition: &Expression,
        context: &mut Context,
    ) -> Outcome<ExpressionId> {
        Ok(match self.decided(condition, context)? {
            Decision::Known(value) => self.model.expressions.boolean(value),
            Decision::Open(id) => id,
        })
    }

    pub(super) fn lower_if(
        &mut self,
        branches: &[(Expression, Vec<ast::Statement>)],
        otherwise: &[ast::Statement],
        context: &mut Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        let Some(((condition, body), rest)) = branches.split_first() else {
            return self.lower_all(otherwise, context, out);
        };
        match self.decided(condition, context)? {
            Decision::Known(true) => self.lower_all(body, context, out),
            Decision::Known(false) => self.lower_if(rest, otherwise, context, out),
            Decision::Open(id) => {
                let (mut first, mut second) = (Vec::new(), Vec::new());
                self.lower_all(body, context, &mut first)?;
                self.lower_if(rest, otherwise, context, &mut second)?;
                out.push(Statement::If(id, first, second));
                Ok(())
            }
        }
    }

    pub(super) fn lower_for(
        &mut self,
        indices: &[ast::ForIndex],
        body: &[ast::Statement],
        context: &mut Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        let Some((index, rest)) = indices.split_first() else { return self.lower_all(body, context, out) };
        let depth = context.locals.len();
        let steps = out.len();
        let looped = self.lower_loop(index, rest, body, context, out);
        context.locals.truncate(depth);
        match looped {
            // A size inside may depend on the iterator: then each time is written out.
            Err(Failure::Dynamic(_)) => {
                out.truncate(steps);
                self.lower_times(index, rest, body, context, out)
            }
            other => other,
        }
    }

    pub(super) fn lower_loop(
        &mut self,
        index: &ast::ForIndex,
        rest: &[ast::ForIndex],
        body: &[ast::Statement],
        context: &mut Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        let name = index.name.name.clone();
        let mut inside = Vec::new();
        let (slot, range) = match index.range.as_ref().map(|range| &range.kind) {
            Some(ExpressionKind::Range { start, step, stop }) => {
                let (ty, range) = self.run_time_range(start, step.as_deref(), stop, context)?;
                let slot = self.slot_node();
                context.locals.push((name, Term::Scalar(ty, slot)));
                (slot, range)
            }
            _ => {
                let items = self.iterated(index, context)?;
                if items.is_empty() {
                    return Ok(());
                }
                let count = items.len() as u32;
                let slot = self.slot_node();
                let element = self.run_time_element(items, &[count], &[slot])?;
                let local = self.in_slots(&element, &|_, _, _| false);
                self.assign_slots(&local, &element, index.name.span, &mut inside)?;
                context.locals.push((name, local));
                let expressions = &mut self.model.expressions;
                let one = expressions.integer(1);
                (slot, [one, one, expressions.integer(i64::from(count))])
            }
        };
        self.lower_for(rest, body, context, &mut inside)?;
        let Some(slot) = slot_of(&self.model.expressions, slot) else { return Err(Failure::Reported) };
        out.push(Statement::For { slot, range, body: inside });
        Ok(())
    }

    /// What an iterator runs through, where that is a vector.
    pub(super) fn iterated(&mut self, index: &ast::ForIndex, context: &mut Context) -> Outcome<Vec<Term>> {
        match self.iterations(index, context) {
            Err(Failure::Dynamic(_)) => {}
            other => return other,
        }
        let Some(range) = &index.range else { return Err(Failure::Reported) };
        match self.term(range, context)? {
            Term::Array(array) if array.dims.len() == 1 => Ok(array.items.clone()),
            _ => wrong(Code::E0303, "a loop needs a vector to run through", range.span),
        }
    }

    /// `from:step:to`, each known or computed.
    pub(super) fn run_time_range(
        &mut self,
        start: &Expression,
        step: Option<&Expression>,
        stop: &Expression,
        context: &mut Context,
    ) -> Outcome<(Type, [ExpressionId; 3])> {
        let mut number = |this: &mut Self, expression: &Expression| match this.term(expression, context)? {
            Term::Scalar(ty @ (Type::Real | Type::Integer), id) => Ok((ty, id)),
            Term::Scalar(..) => crate::failure::dynamic("a range of literals", expression.span),
            _ => wrong(Code::E0303, "the bounds of a range must be numbers", expression.span),
        };
        let (first, from) = number(self, start)?;
        let (second, to) = number(self, stop)?;
        let (third, by) = match step {
            Some(step) => number(self, step)?,
            None => (Type::Integer, self.model.expressions.integer(1)),
        };
        let is_integer = [first, second, third].iter().all(|&ty| ty == Type::Integer);
        Ok((if is_integer { Type::Integer } else { Type::Real }, [from, by, to]))
    }

    pub(super) fn lower_times(
        &mut self,
        index: &ast::ForIndex,
        rest: &[ast::ForIndex],
        body: &[ast::Statement],
        context: &mut Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        if leaves_loop(body) {
            return unsupported(
                "a loop that is left by `break` and in which sizes depend on the iterator",
                index.name.span,
            );
        }
        for value in self.iterations(index, context)? {
            context.locals.push((index.name.name.clone(), value));
            let lowered = self.lower_for(rest, body, context, out);
            context.locals.pop();
            lowered?;
        }
        Ok(())
    }

    /// A call for its effect.
    pub(super) fn lower_call(
        &mut self,
        call: &Expression,
        context: &mut Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        let ExpressionKind::Call { function, arguments, named } = &call.kind else {
            return unsupported("this statement", call.span);
        };
        let name = &function.parts[function.parts.len() - 1].name.name;
        if function.parts.len() == 1 && &**name == "assert" {
            let assertion = self.assertion(arguments, named, call.span, context)?;
            let holds = self.model.expressions.literal_boolean(assertion.condition) == Some(true);
            if assertion.is_error && !holds {
                let message = self.message_text(assertion.message);
                out.push(Statement::Assert(assertion.condition, message));
            }
            return Ok(());
        }
        if &**name == "error" && arguments.len() == 1 {
            let message = self.message(&arguments[0], context)?;
            let (never, message) = (self.model.expressions.boolean(false), self.message_text(message));
            out.push(Statement::Assert(never, message));
            return Ok(());
        }
        match self.effect_call(function, arguments, named, call.span, context)? {
            Some((effect, bound)) => self.lower_effect(&effect, bound, context, out),
            None => Ok(()),
        }
    }

    /// The statements of a function without outputs, written out where it is called.
    pub(super) fn lower_effect(
        &mut self,
        effect: &Call,
        bound: Vec<(Arc<str>, Term)>,
        context: &Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        let scope = Scope { instance: None, class: effect.class };
        let mut inner = Context { locals: bound, calls: context.calls + 1, ..Context::new(scope, Purpose::Symbolic) };
        for member in effect.layout.members.iter().filter(|member| member.component().is_some() && !is_input(member)) {
            self.declare(member, true, &mut inner, out)?;
        }
        let from = out.len();
        for &class in &effect.layout.classes {
            let definition = self.classes.library.class(class).definition.clone();
            inner.scope.class = class;
            for section in composition(&definition).map_or(&[][..], |inside| &inside.algorithms) {
                self.lower_all(&section.statements, &mut inner, out)?;
            }
        }
        match returns(&out[from..]) {
            true => unsupported("`return` in a function that is called for its effect", effect.span),
            false => Ok(()),
        }
    }

    /// The words of a message that are known; numbers in it are not.
    pub(super) fn message_text(&self, message: ExpressionId) -> Arc<str> {
        let expressions = &self.model.expressions;
        match expressions.node(message) {
            Node::String(text) => expressions.text(text).into(),
            Node::Arithmetic(_, a, b) => format!("{}{}", self.message_text(a), self.message_text(b)).into(),
            _ => "…".into(),
        }
    }
}

/// Whether statements leave the function.
fn returns(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Return => true,
        Statement::If(_, then, otherwise) => returns(then) || returns(otherwise),
        Statement::While(_, body) | Statement::For { body, .. } => returns(body),
        Statement::Assign(_) | Statement::Store { .. } | Statement::Break | Statement::Assert(..) => false,
    })
}

/// In an expression a call means its first output.
pub(super) fn first_output(term: Term) -> Outcome<Term> {
    match term {
        Term::Tuple(outputs) => outputs.first().cloned().ok_or(Failure::Reported),
        other => Ok(other),
    }
}

/// Whether statements leave the loop that they stand in.
fn leaves_loop(statements: &[ast::Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Break => true,
        StatementKind::If { branches, otherwise } => {
            branches.iter().any(|(_, body)| leaves_loop(body)) || leaves_loop(otherwise)
        }
        _ => false,
    })
}
