//! Guards whose relations are crossed by a jump.
//!
//! `p = h >= 1` says that `h` is 1 where it becomes true, if `h` comes there continuously. Where another guard changes in the same
//! instant and lets `h` jump, `p` changes because of that, and nothing is said of `h` before. A guard of a left limit, `pre(h) >=
//! 1`, may change so an instant later: in the mode behind a change in which `h` has jumped.

use std::collections::BTreeSet;

use modeshift_dae::{ModeVariableId, Node};

use crate::change::boundary::Sides;
use crate::change::polynomial::{Polynomial, follows};
use crate::change::{Change, shifted_in};
use crate::domain::{Guard, Shifted, Unknown};
use crate::graph::Graph;

/// Where more guards than this change together, others than one of them are taken to change without an equality: each of
/// them asks the same of those that are left, and all orders of four guards are 24 changes.
const MOST_TOGETHER: usize = 4;

/// Changes from more modes than this are not looked at: what they may have moved counts as moved.
const MOST_MODES: usize = 64;

/// So many changes back it is asked what has jumped. The first change of an instant has a smooth past, and of the others each
/// may rely on what guards say at those before: two of them are looked at, and no cascade is known in which a third one matters.
pub(super) const MOST_BACK: u32 = 2;

impl Graph {
    /// Whether what a relation of a guard reads may jump over its boundary, because of what else changes. A guard that is given
    /// its left limit because it waits for itself has a variable that stands for something else in each of its modes: there
    /// the states are looked at that this is computed from.
    pub(super) fn may_be_crossed(&self, change: &Change, guard: Guard, sides: Sides, back: u32) -> bool {
        let (read, now) = (self.system.unknowns_in(sides, 0), self.read_now(sides));
        let is_delayed = self.is_delayed(change, &self.system.guards[guard]);
        let (read, now) = match is_delayed && now.len() == read.len() {
            true => (self.states_behind(change, sides), self.states_behind(change, sides)),
            false => (read, now),
        };
        let of_the_past = is_delayed || now.len() < read.len();
        !now.is_empty() && self.jumps_with_others(change, guard, &now, back)
            || of_the_past && back > 0 && self.has_just_jumped(change, sides, &read, back - 1)
    }

    /// The states that what is in a relation is computed from in the mode before.
    fn states_behind(&self, change: &Change, sides: Sides) -> BTreeSet<Unknown> {
        let is_state = |unknown: &Unknown| change.start.known.contains(&Shifted::new(*unknown, 0));
        let equations = self.system.equations_in(change.before).filter_map(|body| self.system.bodies[body].sides);
        let equations: Vec<BTreeSet<Unknown>> =
            equations.map(|sides| self.system.unknowns_in(sides, u32::MAX)).collect();
        let mut reached = self.system.unknowns_in(sides, 0);
        let mut pending: Vec<Unknown> = reached.iter().copied().filter(|it| !is_state(it)).collect();
        while let Some(unknown) = pending.pop() {
            for other in equations.iter().filter(|it| it.contains(&unknown)).flatten() {
                if reached.insert(*other) && !is_state(other) {
                    pending.push(*other);
                }
            }
        }
        reached.into_iter().filter(is_state).collect()
    }

    /// The unknowns in a relation that are no left limits there.
    fn read_now(&self, sides: Sides) -> BTreeSet<Unknown> {
        let mut found = BTreeSet::new();
        for side in sides {
            self.system.expressions.for_each(side, |_, node| {
                found.extend(node.derivative().and_then(|it| self.system.unknown_of.get(&it.of)));
                !matches!(node, Node::Pre(_))
            });
        }
        found
    }

    /// Whether some variables may jump because guards change, all that do but for one.
    fn jumps_with_others(&self, change: &Change, guard: Guard, read: &BTreeSet<Unknown>, back: u32) -> bool {
        let mut mode = self.system.modes[change.after].clone();
        let id = ModeVariableId(guard.0);
        mode.set(id, self.system.modes[change.before].get(id));
        if mode == self.system.modes[change.before] {
            return false;
        }
        let others = self.system.modes.iter().position(|it| *it == mode);
        let jumps = others.and_then(|others| self.moved(change.before, others, back));
        match jumps {
            Some(jumps) => !jumps.is_disjoint(read),
            // The others do not change without this guard, or fail: what they erase may make its variables jump.
            None => self.other_erased(change, guard, read),
        }
    }

    /// Whether a change erases an equation with some variables that does not follow from the boundary of a guard.
    fn other_erased(&self, change: &Change, guard: Guard, read: &BTreeSet<Unknown>) -> bool {
        let own = self.satisfied_where(change, &|it| it == guard);
        let erased = change.instants.iter().flat_map(|trace| shifted_in(&trace.steps));
        let mut others = erased.filter(|it| it.shift == 0 && !own.contains(it));
        others.any(|it| self.system.bodies[it.of].incidence.iter().any(|entry| read.contains(&entry.unknown)))
    }

    /// Whether what a relation reads may have jumped over its boundary in the change that led to the mode before.
    fn has_just_jumped(&self, change: &Change, sides: Sides, read: &BTreeSet<Unknown>, back: u32) -> bool {
        if self.starts.len() > MOST_MODES {
            return true;
        }
        let mut earlier = self.starts.keys().filter(|&&mode| mode != change.before);
        earlier.any(|&mode| !self.keeps_its_side((mode, change.before), sides, read, back))
    }

    /// Whether a change moves nothing that a relation reads, or moves it to the boundary: what holds in the mode before it for
    /// what is not moved and the equations of the mode after it say so.
    fn keeps_its_side(
        &self,
        (before, after): (usize, usize),
        sides: Sides,
        read: &BTreeSet<Unknown>,
        back: u32,
    ) -> bool {
        let Some(moved) = self.moved(before, after, back) else { return false };
        if moved.is_disjoint(read) {
            return true;
        }
        let sides_in = |mode| self.system.equations_in(mode).filter_map(|body| self.system.bodies[body].sides);
        let is_kept = |it: &Sides| {
            let all = self.system.unknowns_in(*it, u32::MAX);
            all == self.system.unknowns_in(*it, 0) && all.is_disjoint(&moved)
        };
        let known = sides_in(before).filter(is_kept).chain(sides_in(after));
        let known: Vec<Polynomial> = known.filter_map(|sides| self.system.difference(sides)).collect();
        self.system.difference(sides).is_some_and(|difference| follows(&difference, &known))
    }

    /// The variables that do not keep their values in a change, with what guards say of its past; nothing where it does not
    /// end. Where no past has the change, it moves nothing.
    fn moved(&self, before: usize, after: usize, back: u32) -> Option<BTreeSet<Unknown>> {
        let mut change = self.causal_change(before, after)?;
        if self.changed_guards(&change).count() < MOST_TOGETHER {
            change.satisfied = self.satisfied_behind(&change, back);
        }
        if !change.satisfied.is_empty() && self.course(&change).is_none() {
            return Some(BTreeSet::new());
        }
        let effects = self.effects(&change)?;
        let infinite = effects.impulsive.into_keys().chain(effects.unclear.into_keys());
        Some(infinite.chain(effects.jumps).collect())
    }
}
