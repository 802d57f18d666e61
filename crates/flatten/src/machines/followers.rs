//! Machines that follow a signal: two states, one entered where a condition holds and the other where it does not.
//!
//! Such a machine says nothing but its condition, whatever it was before. Where two of them follow the same condition, or one
//! follows what the other one denies, their states come and go together: an H-bridge is never closed on both sides of one half.
//! That is an invariant, without which analyses would look at modes that no signal leads to.

use modeshift_dae::{ExpressionId, Invariant, InvariantOrigin, Node, RelationOperator, Type, VariableId};
use rustc_hash::FxHashMap;

use crate::flattener::Flattener;

/// Booleans that are defined by Booleans are followed so far; one that leads back to itself is told where definitions are sorted.
const MOST_DEFINITIONS: u32 = 32;

/// A machine whose state `on` is active exactly where a condition holds.
struct Follower {
    machine: usize,
    on: usize,
    condition: ExpressionId,
}

impl Flattener<'_> {
    /// Adds what machines that follow the same signals have in common.
    pub(super) fn relate_followers(&mut self, conditions: &[Vec<ExpressionId>]) {
        let followers: Vec<Follower> =
            (0..conditions.len()).filter_map(|machine| self.follower(machine, &conditions[machine])).collect();
        if followers.len() < 2 {
            return;
        }
        let definitions = self.definitions_of_booleans();
        let mut first: FxHashMap<ExpressionId, (usize, usize)> = FxHashMap::default();
        for Follower { machine, on, condition } in followers {
            let (signal, holds) = self.signal(condition, &definitions);
            let on = if holds { on } else { 1 - on };
            match first.get(&signal) {
                None => drop(first.insert(signal, (machine, on))),
                Some(&other) => self.alike(other, (machine, on)),
            }
        }
    }

    /// The condition that a machine follows, if it does. One inside a state begins where it begins, whatever its condition.
    fn follower(&mut self, machine: usize, conditions: &[ExpressionId]) -> Option<Follower> {
        let drawn = &self.machines.drawn[machine];
        let ([first, second], 2, None) = (&drawn.arrows[..], drawn.states.len(), drawn.parent) else { return None };
        let (on, is_round) = (first.to, first.from == second.to && first.to == second.from && first.from != first.to);
        if !is_round || [first, second].iter().any(|arrow| !arrow.immediate || arrow.synchronize) {
            return None;
        }
        let always_exists = |node| match node {
            Node::Variable(id, _) => {
                self.model.expressions.literal_boolean(self.model.variables[id].guard) == Some(true)
            }
            Node::Pre(_) => false,
            _ => true,
        };
        let is_open =
            |&condition: &ExpressionId| !self.model.expressions.contains(condition, |node| !always_exists(node));
        if !conditions.iter().all(is_open) {
            return None;
        }
        self.deny(conditions[0], conditions[1]).then_some(Follower { machine, on, condition: conditions[0] })
    }

    /// Whether exactly one of two conditions holds, as their form shows.
    fn deny(&mut self, a: ExpressionId, b: ExpressionId) -> bool {
        let expressions = &mut self.model.expressions;
        if expressions.not(a) == b || expressions.not(b) == a {
            return true;
        }
        match expressions.node(a) {
            Node::Relation(operator, left, right) => expressions.relation(operator.negated(), left, right) == b,
            _ => false,
        }
    }

    /// What each Boolean is equal to in all modes, where one equation says so.
    fn definitions_of_booleans(&self) -> FxHashMap<VariableId, ExpressionId> {
        let mut found: FxHashMap<VariableId, Option<ExpressionId>> = FxHashMap::default();
        for equation in self.model.equations.iter() {
            if let Node::Variable(id, 0) = self.model.expressions.node(equation.left)
                && self.model.variables[id].ty == Type::Boolean
            {
                let always = self.model.expressions.literal_boolean(equation.guard) == Some(true);
                let known = found.entry(id).or_insert_with(|| always.then_some(equation.right));
                *known = known.filter(|&it| it == equation.right && always);
            }
        }
        found.into_iter().filter_map(|(id, definition)| Some((id, definition?))).collect()
    }

    /// A condition by what it is defined by, and whether it is that or its opposite.
    fn signal(&self, condition: ExpressionId, of: &FxHashMap<VariableId, ExpressionId>) -> (ExpressionId, bool) {
        let (mut at, mut holds) = (condition, true);
        for _ in 0..MOST_DEFINITIONS {
            at = match self.model.expressions.node(at) {
                Node::Not(inner) => {
                    holds = !holds;
                    inner
                }
                Node::Variable(id, 0) if of.contains_key(&id) => of[&id],
                _ => break,
            };
        }
        (at, holds)
    }

    /// Two states are active at the same times.
    fn alike(&mut self, one: (usize, usize), other: (usize, usize)) {
        let (one, span) = (self.active(one), self.machines.drawn[other.0].span);
        let other = self.active(other);
        let expressions = &mut self.model.expressions;
        let condition = expressions.relation(RelationOperator::Equal, one, other);
        let guard = expressions.boolean(true);
        self.model.invariants.push(Invariant { condition, origin: InvariantOrigin::Declared, guard, span });
    }
}
