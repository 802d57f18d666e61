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

use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Body, ELEMENT, ExpressionId, Expressions, ModeVariableId, Node, Statement, Type};
use modeshift_diagnostics::{Code, Span};
use modeshift_syntax::ast::{self, Expression, ExpressionKind, StatementKind};

use crate::classes::layout::Member;
use crate::classes::library::composition;
use crate::expressions::context::{Context, Purpose};
use crate::expressions::functions::{Call, is_input, is_output};
use crate::expressions::term::{RecordTerm, Term, indices};
use crate::expressions::transfer::{captured, may_lack_value, slot_of, transferred};
use crate::expressions::translate::Decision;
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;
use crate::instances::modification::Scope;

/// A body with the shapes of its outputs.
pub(crate) struct Lowered {
    pub(crate) body: Body,
    pub(crate) outputs: Vec<Term>,
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
        let mut statements = Vec::new();
        for member in call.layout.members.iter().filter(|member| member.component().is_some() && !is_input(member)) {
            self.declare(member, &mut context, &mut statements)?;
        }
        for &class in &call.layout.classes {
            let definition = self.classes.library.class(class).definition.clone();
            context.scope.class = class;
            for section in composition(&definition).map_or(&[][..], |inside| &inside.algorithms) {
                self.lower_all(&section.statements, &mut context, &mut statements)?;
            }
        }
        let names = call.layout.members.iter().filter(|member| is_output(member));
        let outputs: Vec<Term> = names.filter_map(|output| context.local(&output.name).cloned()).collect();
        self.finished(inputs, statements, outputs, call.span)
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
        scope: Scope,
        span: Span,
    ) -> Outcome<Vec<Term>> {
        let outer = self.execution.slots.replace(0);
        let lowered = self.lowered_section(statements, first, scope);
        let slots = self.execution.slots.unwrap_or(0);
        self.execution.slots = outer;
        let (statements, outputs) = lowered?;
        self.check_assigned(&statements, first, &outputs, span)?;
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

    /// Every variable that has no value before has one where it is read, and in the end.
    fn check_assigned(
        &self,
        statements: &[Statement],
        first: &[(Arc<str>, Term)],
        outputs: &[Term],
        span: Span,
    ) -> Outcome<()> {
        for ((name, before), output) in first.iter().zip(outputs) {
            let mut scalars = Vec::new();
            output.scalars(&mut scalars);
            let slots: Vec<u32> = scalars.iter().filter_map(|&(_, id)| slot_of(&self.model.expressions, id)).collect();
            if self.has_unknown(before) && may_lack_value(&self.model.expressions, statements, &slots) {
                let what =
                    format!("an algorithm that uses `{name}` before it is assigned, or does not always assign it");
                return unsupported(what, span);
            }
        }
        Ok(())
    }

    fn lowered_section(
        &mut self,
        statements: &[ast::Statement],
        first: &[(Arc<str>, Term)],
        scope: Scope,
    ) -> Outcome<(Vec<Statement>, Vec<Term>)> {
        let mut context = Context::new(scope, Purpose::Symbolic);
        let mut out = Vec::new();
        for (name, before) in first {
            let local = self.in_slots(before, &|_, _, _| false);
            if !self.has_unknown(before) {
                self.assign_slots(&local, before, Span::default(), &mut out)?;
            }
            context.locals.push((name.clone(), local));
        }
        self.lower_all(statements, &mut context, &mut out)?;
        let outputs = first.iter().filter_map(|(name, _)| context.local(name).cloned()).collect();
        Ok((out, outputs))
    }

    /// A new slot.
    fn slot_node(&mut self) -> ExpressionId {
        let slot = self.execution.slots.unwrap_or(0);
        self.execution.slots = Some(slot + 1);
        self.model.expressions.add(Node::Mode(ModeVariableId(u32::MAX - 1 - slot)))
    }

    /// Every scalar has a slot; Integers, Booleans and Strings that are literals stand for themselves.
    fn input_slots(&mut self, value: &Term) -> Term {
        self.in_slots(value, &|expressions, ty, id| {
            let is_literal = matches!(expressions.node(id), Node::Integer(_) | Node::Boolean(_) | Node::String(_));
            is_literal && ty != Type::Real
        })
    }

    fn in_slots(&mut self, value: &Term, keeps: &dyn Fn(&Expressions, Type, ExpressionId) -> bool) -> Term {
        match value {
            Term::Scalar(ty, id) => {
                let slot = self.slot_node();
                match (keeps(&self.model.expressions, *ty, *id), ty) {
                    (true, _) => Term::Scalar(*ty, *id),
                    // A String that is known only at run time: words of a message, which is all it may be used for.
                    (false, Type::String) => Term::Scalar(*ty, self.unknown_scalar()),
                    (false, _) => Term::Scalar(*ty, slot),
                }
            }
            Term::Array(array) => {
                let items = array.items.iter().map(|item| self.in_slots(item, keeps)).collect();
                Term::array(array.ty, array.dims.clone(), items)
            }
            Term::Record(record) => {
                let fields = record.fields.iter();
                let fields = fields.map(|(name, value)| (name.clone(), self.in_slots(value, keeps))).collect();
                Term::Record(Rc::new(RecordTerm { class: record.class.clone(), fields }))
            }
            Term::Tuple(terms) => Term::Tuple(terms.iter().map(|term| self.in_slots(term, keeps)).collect()),
            Term::Function(function) => {
                let named = function.named.iter();
                let named = named.map(|(name, value)| (name.clone(), self.in_slots(value, keeps))).collect();
                Term::Function(Rc::new(crate::expressions::term::FunctionTerm { class: function.class, named }))
            }
        }
    }

    /// An output or local variable, with its binding as its first value.
    fn declare(&mut self, member: &Member, context: &mut Context, out: &mut Vec<Statement>) -> Outcome<()> {
        let first = self.local_variable(member, context)?;
        let is_constant = member.prefix.variability == ast::Variability::Constant;
        if is_constant && self.is_literal(&first) {
            context.locals.push((member.name.clone(), first));
            return Ok(());
        }
        let local = self.in_slots(&first, &|_, _, _| false);
        if !self.has_unknown(&first) {
            self.assign_slots(&local, &first, member.span, out)?;
        }
        context.locals.push((member.name.clone(), local));
        Ok(())
    }

    /// `slots := value`, all at once.
    fn assign_slots(&mut self, local: &Term, value: &Term, span: Span, out: &mut Vec<Statement>) -> Outcome<()> {
        let (mut places, mut values) = (Vec::new(), Vec::new());
        local.scalars(&mut places);
        value.scalars(&mut values);
        if local.dims() != value.dims() || places.len() != values.len() {
            return wrong(Code::E0304, "sizes differ in this assignment", span);
        }
        let mut pairs = Vec::with_capacity(places.len());
        for (&(ty, place), &(_, value)) in places.iter().zip(&values) {
            match slot_of(&self.model.expressions, place) {
                Some(slot) => pairs.push((slot, value)),
                None if ty == Type::String => {}
                None => return wrong(Code::E0316, "only a variable of the function can be assigned", span),
            }
        }
        if !pairs.is_empty() {
            out.push(Statement::Assign(pairs));
        }
        Ok(())
    }

    fn lower_all(
        &mut self,
        statements: &[ast::Statement],
        context: &mut Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        statements.iter().try_for_each(|statement| self.lower(statement, context, out))
    }

    fn lower(&mut self, statement: &ast::Statement, context: &mut Context, out: &mut Vec<Statement>) -> Outcome<()> {
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
    fn lower_outputs(
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

    fn run_time_condition(&mut self, condition: &Expression, context: &mut Context) -> Outcome<ExpressionId> {
        Ok(match self.decided(condition, context)? {
            Decision::Known(value) => self.model.expressions.boolean(value),
            Decision::Open(id) => id,
        })
    }

    fn lower_if(
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

    fn lower_for(
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

    fn lower_loop(
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
    fn iterated(&mut self, index: &ast::ForIndex, context: &mut Context) -> Outcome<Vec<Term>> {
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
    fn run_time_range(
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

    fn lower_times(
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
    fn lower_call(&mut self, call: &Expression, context: &mut Context, out: &mut Vec<Statement>) -> Outcome<()> {
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
        unsupported(format!("a call of `{name}` for its effect in a function"), call.span)
    }

    /// The words of a message that are known; numbers in it are not.
    fn message_text(&self, message: ExpressionId) -> Arc<str> {
        let expressions = &self.model.expressions;
        match expressions.node(message) {
            Node::String(text) => expressions.text(text).into(),
            Node::Arithmetic(_, a, b) => format!("{}{}", self.message_text(a), self.message_text(b)).into(),
            _ => "…".into(),
        }
    }

    /// `target := value`
    fn lower_assignment(
        &mut self,
        target: &Expression,
        value: Term,
        context: &mut Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        let ExpressionKind::Reference(reference) = &target.kind else {
            return wrong(Code::E0316, "only a variable can be assigned", target.span);
        };
        let name = &reference.parts[0].name.name;
        let Some(at) = context.locals.iter().rposition(|(local, _)| local == name) else {
            return wrong(Code::E0316, format!("`{name}` is not a variable of this function"), target.span);
        };
        let is_whole = reference.parts.len() == 1 && reference.parts[0].subscripts.is_empty();
        if is_whole && context.locals[at].1.dims() != value.dims() && context.locals[at].1.dims().contains(&0) {
            // Its size was left open: the first assignment gives it.
            context.locals[at].1 = self.in_slots(&value, &|_, _, _| false);
        }
        let place = self.reference(reference, context)?;
        let mut scalars = Vec::new();
        place.scalars(&mut scalars);
        let is_computed =
            |&(ty, id): &(Type, ExpressionId)| ty != Type::String && slot_of(&self.model.expressions, id).is_none();
        match scalars.iter().any(is_computed) {
            false => self.assign_slots(&place, &value, target.span, out),
            true => self.store(&place, &value, target.span, out),
        }
    }

    /// Into elements whose subscripts are computed; all values are there before the first one changes.
    fn store(&mut self, place: &Term, value: &Term, span: Span, out: &mut Vec<Statement>) -> Outcome<()> {
        let held = self.in_slots(value, &|_, _, _| false);
        self.assign_slots(&held, value, span, out)?;
        if place.dims() != held.dims() {
            return wrong(Code::E0304, "sizes differ in this assignment", span);
        }
        let (mut places, mut values) = (Vec::new(), Vec::new());
        place.scalars(&mut places);
        held.scalars(&mut values);
        for (&(_, place), &(_, value)) in places.iter().zip(&values) {
            let Some(stored) = self.stored(place, value) else {
                return unsupported("an assignment to elements of elements that are computed", span);
            };
            out.push(stored);
        }
        Ok(())
    }

    fn stored(&self, place: ExpressionId, value: ExpressionId) -> Option<Statement> {
        let expressions = &self.model.expressions;
        if let Some(slot) = slot_of(expressions, place) {
            return Some(Statement::Assign(vec![(slot, value)]));
        }
        let Node::Function(ELEMENT, arguments) = expressions.node(place) else { return None };
        let list = expressions.argument_list(arguments);
        let whole = |id: ExpressionId| match expressions.node(id) {
            Node::Integer(value) => u32::try_from(value).ok(),
            _ => None,
        };
        let rank = whole(list[0])? as usize;
        let sizes = list[1..=rank].iter().map(|&size| whole(size)).collect::<Option<Vec<u32>>>()?;
        let subscripts = list[1 + rank..1 + 2 * rank].to_vec();
        let slots =
            list[1 + 2 * rank..].iter().map(|&item| slot_of(expressions, item)).collect::<Option<Vec<u32>>>()?;
        Some(Statement::Store { slots, sizes, subscripts, value })
    }

    /// One of the items of an array, by subscripts that are computed.
    pub(crate) fn run_time_element(
        &mut self,
        items: Vec<Term>,
        sizes: &[u32],
        subscripts: &[ExpressionId],
    ) -> Outcome<Term> {
        let Some(first) = items.first() else { return Err(Failure::Reported) };
        match first.clone() {
            Term::Scalar(ty, _) => {
                let expressions = &mut self.model.expressions;
                let mut list = vec![expressions.integer(sizes.len() as i64)];
                list.extend(sizes.iter().map(|&size| expressions.integer(i64::from(size))));
                list.extend(subscripts);
                for item in &items {
                    let Term::Scalar(_, id) = item else { return Err(Failure::Reported) };
                    list.push(*id);
                }
                Ok(Term::Scalar(ty, expressions.function(ELEMENT, &list)))
            }
            Term::Record(record) => {
                let mut fields = Vec::new();
                for (name, _) in &record.fields {
                    let of_all = items.iter().map(|item| item.field(name)).collect::<Option<Vec<Term>>>();
                    let of_all = of_all.ok_or(Failure::Reported)?;
                    fields.push((name.clone(), self.run_time_element(of_all, sizes, subscripts)?));
                }
                Ok(Term::Record(Rc::new(RecordTerm { class: record.class.clone(), fields })))
            }
            Term::Array(array) => {
                let mut parts = Vec::new();
                for at in 0..array.items.len() {
                    let of_all = items.iter().map(|item| item.items().get(at).cloned()).collect::<Option<Vec<Term>>>();
                    parts.push(self.run_time_element(of_all.ok_or(Failure::Reported)?, sizes, subscripts)?);
                }
                Ok(Term::array(array.ty, array.dims.clone(), parts))
            }
            Term::Tuple(_) | Term::Function(_) => Err(Failure::Reported),
        }
    }
}

/// In an expression a call means its first output.
fn first_output(term: Term) -> Outcome<Term> {
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

/// All items of an array along the dimensions that are computed, for each index of the others.
pub(crate) fn along_computed(dims: &[usize], is_computed: &[bool], items: &[Term]) -> (Vec<usize>, Vec<Vec<Term>>) {
    let of = |computed: bool| -> Vec<usize> {
        dims.iter().zip(is_computed).filter(|(_, it)| **it == computed).map(|(&dim, _)| dim).collect()
    };
    let (kept, computed) = (of(false), of(true));
    let mut lists = Vec::new();
    for outer in indices(&kept) {
        let list = indices(&computed).map(|inner| {
            let (mut outer, mut inner) = (outer.iter(), inner.iter());
            let at = dims.iter().zip(is_computed).fold(0, |at, (dim, &computed)| {
                let index = if computed { inner.next() } else { outer.next() };
                at * dim + index.copied().unwrap_or(0)
            });
            items[at].clone()
        });
        lists.push(list.collect());
    }
    (kept, lists)
}
