//! Slots: the variables of a function that stays a call, how they are assigned, and elements whose subscripts are computed.

use std::rc::Rc;

use modeshift_dae::{ELEMENT, ExpressionId, Expressions, ModeVariableId, Node, Statement, Type};
use modeshift_diagnostics::{Code, Span};
use modeshift_syntax::ast::{self, Expression, ExpressionKind};

use crate::classes::layout::Member;
use crate::expressions::context::Context;
use crate::expressions::term::{FunctionTerm, RecordTerm, Term, indices};
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;
use crate::functions::transfer::slot_of;

impl Flattener<'_> {
    /// A new slot.
    pub(super) fn slot_node(&mut self) -> ExpressionId {
        let slot = self.execution.slots.unwrap_or(0);
        self.execution.slots = Some(slot + 1);
        self.model.expressions.add(Node::Mode(ModeVariableId(u32::MAX - 1 - slot)))
    }

    /// Every scalar has a slot; Integers, Booleans and Strings that are literals stand for themselves.
    pub(super) fn input_slots(&mut self, value: &Term) -> Term {
        self.in_slots(value, &|expressions, ty, id| {
            let is_literal = matches!(expressions.node(id), Node::Integer(_) | Node::Boolean(_) | Node::String(_));
            is_literal && ty != Type::Real
        })
    }

    pub(super) fn in_slots(&mut self, value: &Term, keeps: &dyn Fn(&Expressions, Type, ExpressionId) -> bool) -> Term {
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
                Term::Function(Rc::new(FunctionTerm { class: function.class, named }))
            }
        }
    }

    /// An output or local variable, with its binding as its first value; one that nothing assigns and whose binding is known is that value,
    /// which sizes and ranges may depend on: `Integer n = size(u, 1);`.
    pub(super) fn declare(
        &mut self,
        member: &Member,
        is_assigned: bool,
        context: &mut Context,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
        let first = self.local_variable(member, context)?;
        let is_constant = member.prefix.variability == ast::Variability::Constant || !is_assigned;
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
    pub(super) fn assign_slots(
        &mut self,
        local: &Term,
        value: &Term,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Outcome<()> {
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

    /// `target := value`
    pub(super) fn lower_assignment(
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
    pub(super) fn store(&mut self, place: &Term, value: &Term, span: Span, out: &mut Vec<Statement>) -> Outcome<()> {
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

    pub(super) fn stored(&self, place: ExpressionId, value: ExpressionId) -> Option<Statement> {
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
