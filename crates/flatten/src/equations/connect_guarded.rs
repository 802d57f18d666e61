//! The equations of connection sets whose members exist in some modes only.
//!
//! A member takes part while it exists (MOE15 §2.1, without its dummy equations: what does not exist needs none). Flows of
//! members that exist add up to zero; potentials are equal to the first that exists. Where some member always exists,
//! that is one guarded equality for each of the others. Where none does, each is compared with the first of those before
//! it, and members that never exist at once, as states of one machine, are not.

use modeshift_dae::{ExpressionId, VariableId};

use super::connect::{Member, Set};
use crate::equations::guarded::{Place, Sides};
use crate::equations::names;
use crate::flattener::Flattener;

/// Members of a set that exist in the same modes.
struct Together {
    guard: ExpressionId,
    members: Vec<Member>,
}

impl Flattener<'_> {
    /// Adds the equations of one set.
    pub(super) fn add_set(&mut self, set: &Set, place: &Place) {
        let groups = self.by_guard(set, place);
        match set.is_flow {
            true => self.add_flow_sum(set, &groups, place),
            false => self.add_equalities(set, &groups, place),
        }
    }

    /// The members by their guards, those that exist wherever the place does first.
    fn by_guard(&self, set: &Set, place: &Place) -> Vec<Together> {
        let mut groups = vec![Together { guard: place.guard, members: Vec::new() }];
        for &member in &set.members {
            let guard = self.model.variables[VariableId(member / 2)].guard;
            let always = guard == place.guard || self.model.expressions.literal_boolean(guard) == Some(true);
            let guard = if always { place.guard } else { guard };
            match groups.iter_mut().find(|group| group.guard == guard) {
                Some(group) => group.members.push(member),
                None => groups.push(Together { guard, members: vec![member] }),
            }
        }
        groups.retain(|group| !group.members.is_empty());
        groups
    }

    /// Whether two guards are those of different states of one machine.
    fn are_alternatives(&self, a: ExpressionId, b: ExpressionId) -> bool {
        match (self.state_of_guard(a), self.state_of_guard(b)) {
            (Some(a), Some(b)) => a.0 == b.0 && a.1 != b.1,
            _ => false,
        }
    }

    fn add_flow_sum(&mut self, set: &Set, groups: &[Together], place: &Place) {
        let zero = self.model.expressions.integer(0);
        let mut sum: Option<ExpressionId> = None;
        let mut guard = groups[0].guard;
        for (at, group) in groups.iter().enumerate() {
            guard = if guard == place.guard { guard } else { self.model.expressions.or(guard, group.guard) };
            for &member in &group.members {
                let flow = self.model.expressions.variable(VariableId(member / 2), 0);
                let is_alone = groups.len() == 1 || at == 0 && group.guard == place.guard;
                let flow = if is_alone { flow } else { self.model.expressions.if_then_else(group.guard, flow, zero) };
                sum = Some(match (sum, member % 2 == 1) {
                    (None, false) => flow,
                    (None, true) => self.model.expressions.negate(flow),
                    (Some(sum), false) => self.model.expressions.sum(sum, flow),
                    (Some(sum), true) => self.model.expressions.difference(sum, flow),
                });
            }
        }
        let Some(left) = sum else { return };
        let guard = if guard == place.guard { guard } else { self.within(place, guard) };
        let sides = Sides { ty: modeshift_dae::Type::Real, left, right: zero };
        let place = Place { guard, ..place.clone() };
        self.push_equation(names::unlabelled(&place.prefix, None), sides, set.span, &place);
    }

    /// A guard within that of a place; states inside a state imply it.
    fn within(&mut self, place: &Place, guard: ExpressionId) -> ExpressionId {
        match self.state_of_guard(guard) {
            Some(_) => guard,
            None => self.model.expressions.and(place.guard, guard),
        }
    }

    fn add_equalities(&mut self, set: &Set, groups: &[Together], place: &Place) {
        for group in groups {
            let guard = self.within(place, group.guard);
            for &member in &group.members[1..] {
                self.add_equality_of(set, [group.members[0], member], guard, place);
            }
        }
        let has_always = groups[0].guard == place.guard;
        for later in 1..groups.len() {
            let mut open = self.within(place, groups[later].guard);
            for earlier in 0..if has_always { 1 } else { later } {
                let (one, other) = (&groups[earlier], &groups[later]);
                if self.are_alternatives(one.guard, other.guard) {
                    continue;
                }
                let pair = [one.members[0], other.members[0]];
                let both = if has_always { open } else { self.model.expressions.and(open, one.guard) };
                self.add_equality_of(set, pair, both, place);
                let not = self.model.expressions.not(one.guard);
                open = self.model.expressions.and(open, not);
            }
        }
    }

    fn add_equality_of(&mut self, set: &Set, [one, other]: [Member; 2], guard: ExpressionId, place: &Place) {
        let (first, second) = (VariableId(one / 2), VariableId(other / 2));
        if first == second {
            return;
        }
        let ty = self.model.variables[second].ty;
        let (left, right) = (self.model.expressions.variable(first, 0), self.model.expressions.variable(second, 0));
        let place = Place { guard, ..place.clone() };
        self.push_equation(names::unlabelled(&place.prefix, None), Sides { ty, left, right }, set.span, &place);
    }
}
