//! Bodies of functions that stay calls: statements over slots (see `modeshift_dae::Body`).
//!
//! Expressions are translated like all others, only that every scalar of a local variable is a *slot*. A subscript that
//! is computed makes an [`ELEMENT`] of a read and a [`Statement::Store`] of an assignment; everything else about
//! arrays and records is written out, because the sizes are known: a body is made for the shapes of one call and for
//! the values of those arguments that are Integers, Booleans or Strings known there.
//!
//! While a body is being made, slots are nodes that no expression of the model has; `transfer` then moves what was
//! made into the arena of the body.
//!
//! An algorithm section of a model whose branches and loops are decided at run time is such a body too: a function of the
//! variables it reads.

use std::sync::Arc;

use modeshift_dae::{Body, Statement, Type};
use modeshift_diagnostics::Span;
use modeshift_syntax::ast;

use crate::classes::library::{ClassId, composition};
use crate::expressions::context::{Context, Purpose};
use crate::expressions::functions::{Call, is_input, is_output};
use crate::expressions::term::Term;
use crate::failure::{Failure, Outcome, unsupported};
use crate::flattener::Flattener;
use crate::functions::lowering::first_output;
use crate::functions::transfer::{captured, may_lack_value, slot_of, transferred};
use crate::instances::modification::Scope;

/// A body with the shapes of its outputs.
pub(crate) struct Lowered {
    pub(crate) body: Body,
    pub(crate) outputs: Vec<Term>,
}

/// The name that an expression is.
fn plain_name(expression: &ast::Expression) -> Option<&Arc<str>> {
    match &expression.kind {
        ast::ExpressionKind::Reference(reference) => match &reference.parts[..] {
            [part] if part.subscripts.is_empty() => Some(&part.name.name),
            _ => None,
        },
        _ => None,
    }
}

/// How often a variable, or a part of it, is assigned in statements, those inside others included.
fn assignments<'s>(statements: impl IntoIterator<Item = &'s ast::Statement>, name: &str) -> usize {
    use ast::StatementKind as Kind;
    let is_it = |target: &ast::Expression| match &target.kind {
        ast::ExpressionKind::Reference(reference) => &*reference.parts[0].name.name == name,
        _ => false,
    };
    let count = |statement: &ast::Statement| match &statement.kind {
        Kind::Assign(target, _) => usize::from(is_it(target)),
        Kind::MultiAssign(targets, _) => targets.iter().flatten().filter(|target| is_it(target)).count(),
        Kind::If { branches, otherwise } => {
            branches.iter().map(|(_, body)| assignments(body, name)).sum::<usize>() + assignments(otherwise, name)
        }
        Kind::For { body, .. } | Kind::While(_, body) => assignments(body, name),
        Kind::Call(_) | Kind::Break | Kind::Return => 0,
        Kind::When(_) => 2,
    };
    statements.into_iter().map(count).sum()
}

impl Flattener<'_> {
    /// The body of a function for these arguments.
    pub(crate) fn lowered(&mut self, call: &Call, bound: &[(Arc<str>, Term)]) -> Outcome<Lowered> {
        let outer = self.execution.slots.replace(0);
        let lowered = self.lowered_inside(call, bound);
        self.execution.slots = outer;
        lowered
    }

    fn lowered_inside(&mut self, call: &Call, bound: &[(Arc<str>, Term)]) -> Outcome<Lowered> {
        let scope = Scope { instance: None, class: call.class };
        let mut context = Context { calls: 1, ..Context::new(scope, Purpose::Symbolic) };
        for (name, value) in bound {
            let local = self.input_slots(value);
            context.locals.push((name.clone(), local));
        }
        let inputs = self.execution.slots.unwrap_or(0);
        let of_class = |&class: &ClassId| (class, self.classes.library.class(class).definition.clone());
        let definitions: Vec<(ClassId, Arc<ast::Class>)> = call.layout.classes.iter().map(of_class).collect();
        let sections = definitions.iter().filter_map(|(_, definition)| composition(definition));
        let sections = sections.flat_map(|inside| &inside.algorithms);
        let all: Vec<&ast::Statement> = sections.flat_map(|section| &section.statements).collect();
        let mut statements = Vec::new();
        for member in call.layout.members.iter().filter(|member| member.component().is_some() && !is_input(member)) {
            let is_assigned = is_output(member) || assignments(all.iter().copied(), &member.name) > 0;
            self.declare(member, is_assigned, &mut context, &mut statements)?;
        }
        for (class, definition) in &definitions {
            context.scope.class = *class;
            for section in composition(definition).map_or(&[][..], |inside| &inside.algorithms) {
                for statement in &section.statements {
                    if !self.is_known_local(statement, &all, call, &mut context)? {
                        self.lower(statement, &mut context, &mut statements)?;
                    }
                }
            }
        }
        let names = call.layout.members.iter().filter(|member| is_output(member));
        let outputs: Vec<Term> = names.filter_map(|output| context.local(&output.name).cloned()).collect();
        self.finished(inputs, statements, outputs, call.span)
    }

    /// Gives a whole local variable its value where it is assigned once, always, and known then: `n := 2*div(size(x, 1), 2)`. What sizes
    /// and ranges depend on is often written so. Whether that is all that the statement does.
    fn is_known_local(
        &mut self,
        statement: &ast::Statement,
        all: &[&ast::Statement],
        call: &Call,
        context: &mut Context,
    ) -> Outcome<bool> {
        let ast::StatementKind::Assign(target, value) = &statement.kind else { return Ok(false) };
        let Some(name) = plain_name(target) else { return Ok(false) };
        let is_output = call.layout.members.iter().any(|member| is_output(member) && member.name == *name);
        let is_whole = |local: &Term| matches!(local, Term::Scalar(Type::Integer | Type::Boolean, _));
        if is_output || !context.local(name).is_some_and(is_whole) || assignments(all.iter().copied(), name) != 1 {
            return Ok(false);
        }
        let value = first_output(self.term(value, context)?)?;
        if !is_whole(&value) || !self.is_literal(&value) {
            return Ok(false);
        }
        let known = context.locals.iter_mut().rev().find(|(local, _)| local == name);
        known.into_iter().for_each(|(_, local)| *local = value.clone());
        Ok(true)
    }

    fn finished(
        &mut self,
        inputs: u32,
        statements: Vec<Statement>,
        outputs: Vec<Term>,
        span: Span,
    ) -> Outcome<Lowered> {
        let mut scalars = Vec::new();
        outputs.iter().for_each(|output| output.scalars(&mut scalars));
        let slots = scalars.iter().map(|&(_, id)| slot_of(&self.model.expressions, id));
        let Some(places) = slots.collect::<Option<Vec<u32>>>() else { return Err(Failure::Reported) };
        let slots = self.execution.slots.unwrap_or(0);
        match transferred(&self.model.expressions, &statements, &[]) {
            Some((expressions, statements)) => {
                Ok(Lowered { body: Body { expressions, slots, inputs, outputs: places, statements }, outputs })
            }
            None => unsupported("a String or a variable of the model that a function reads at run time", span),
        }
    }

    /// What the statements of an algorithm section leave of its variables, as outputs of a function: `first` are the
    /// variables with what they are before. Its arguments are read from the model.
    pub(crate) fn lowered_algorithm(
        &mut self,
        statements: &[ast::Statement],
        first: &[(Arc<str>, Term)],
        place: &Context,
        span: Span,
    ) -> Outcome<Vec<Term>> {
        let outer = self.execution.slots.replace(0);
        let lowered = self.lowered_section(statements, first, place);
        let slots = self.execution.slots.unwrap_or(0);
        self.execution.slots = outer;
        let (statements, outputs) = lowered?;
        let statements = self.with_first_values(statements, first, &outputs, span)?;
        let read = captured(&self.model.expressions, &statements);
        let offset = read.len() as u32;
        let Some((expressions, statements)) = transferred(&self.model.expressions, &statements, &read) else {
            return unsupported("an algorithm that computes with Strings at run time", span);
        };
        let mut scalars = Vec::new();
        outputs.iter().for_each(|output| output.scalars(&mut scalars));
        let places = scalars.iter().map(|&(_, id)| Some(slot_of(&self.model.expressions, id)? + offset));
        let Some(outputs_at) = places.collect::<Option<Vec<u32>>>() else { return Err(Failure::Reported) };
        let body = Body { expressions, slots: slots + offset, inputs: offset, outputs: outputs_at, statements };
        self.algorithm_call(body, &read, &outputs, span)
    }

    /// The statements behind the first values of those variables that are read before they are assigned, or not always
    /// assigned.
    fn with_first_values(
        &mut self,
        statements: Vec<Statement>,
        first: &[(Arc<str>, Term)],
        outputs: &[Term],
        span: Span,
    ) -> Outcome<Vec<Statement>> {
        let mut all = Vec::new();
        for ((name, before), output) in first.iter().zip(outputs) {
            let mut scalars = Vec::new();
            output.scalars(&mut scalars);
            let slots: Vec<u32> = scalars.iter().filter_map(|&(_, id)| slot_of(&self.model.expressions, id)).collect();
            if !may_lack_value(&self.model.expressions, &statements, &slots) {
                continue;
            }
            if self.has_unknown(before) {
                let what =
                    format!("an algorithm that uses `{name}` before it is assigned, or does not always assign it");
                return unsupported(what, span);
            }
            self.assign_slots(output, before, span, &mut all)?;
        }
        all.extend(statements);
        Ok(all)
    }

    fn lowered_section(
        &mut self,
        statements: &[ast::Statement],
        first: &[(Arc<str>, Term)],
        place: &Context,
    ) -> Outcome<(Vec<Statement>, Vec<Term>)> {
        let mut context = Context::new(place.scope, Purpose::Symbolic);
        context.assigned.clone_from(&place.assigned);
        let mut out = Vec::new();
        for (name, before) in first {
            let local = self.in_slots(before, &|_, _, _| false);
            context.locals.push((name.clone(), local));
        }
        self.lower_all(statements, &mut context, &mut out)?;
        let outputs = first.iter().filter_map(|(name, _)| context.local(name).cloned()).collect();
        Ok((out, outputs))
    }
}
