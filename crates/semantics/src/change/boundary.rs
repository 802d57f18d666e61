//! What guards say of the past: where one changes, the two sides of a relation in it are equal.
//!
//! `g = (s <= 0)` becomes true where `s` comes to zero. The left limits then satisfy the equations of the mode before and
//! `s = 0`, and with them perhaps an equation of the new mode, of which a run does not know it: statuses know which
//! variables have values, not which. `changes` does; orders of impulses are lower for such a past.
//!
//! An equation is said to hold only where that is proved: its difference is a sum of multiples of the guard's difference and
//! of the equations of the mode before, exactly (`polynomial`). Nothing is said where a guard may change without an equality:
//! with time alone, with discrete variables, functions that jump, or values that a `when` sets. Nor is anything said where what
//! a guard reads may jump over the boundary: because other guards change in the same instant (`crossing`).

use std::collections::BTreeSet;

use modeshift_dae::{ArithmeticOperator, Builtin, ExpressionId, ModeVariableId, Node};

use crate::change::Change;
use crate::change::crossing::MOST_BACK;
use crate::change::polynomial::{Polynomial, follows};
use crate::domain::{Body, Guard, Shifted, Unknown};
use crate::graph::Graph;
use crate::micro_step::MicroStep;
use crate::system::{DifferenceSystem, GuardPredicate};

/// More combinations of relations than this are not looked at.
const MOST_COMBINATIONS: usize = 64;

/// Functions without jumps.
const CONTINUOUS: [Builtin; 11] = {
    use Builtin::{Abs, Atan, Cos, Cosh, Exp, Max, Min, NoEvent, Sin, Sinh, Tanh};
    [Abs, Atan, Cos, Cosh, Exp, Max, Min, NoEvent, Sin, Sinh, Tanh]
};

/// Expressions as pairs of sides.
pub(super) type Sides = [ExpressionId; 2];

impl Graph {
    /// The equations among those that a change erases which hold before it, because relations of the guards that change
    /// are equalities then: for whichever of its relations a guard changes.
    pub fn satisfied_at_boundaries(&self, change: &Change) -> BTreeSet<Shifted<Body>> {
        self.satisfied_behind(change, MOST_BACK)
    }

    /// The same, where so many changes before this one are looked at.
    pub(super) fn satisfied_behind(&self, change: &Change, back: u32) -> BTreeSet<Shifted<Body>> {
        self.satisfied_where(change, &|guard| self.says_equalities(change, guard, back))
    }

    /// The same for a past in which every guard changes at an equality, whether that is known or not.
    pub fn satisfied_at_all_boundaries(&self, change: &Change) -> BTreeSet<Shifted<Body>> {
        self.satisfied_where(change, &|_| true)
    }

    /// The variables in relations of guards that change.
    pub fn read_by_changed_guards(&self, change: &Change) -> BTreeSet<Unknown> {
        let guards = self.changed_guards(change).map(|guard| &self.system.guards[guard]);
        let relations = guards.flat_map(|guard| guard.boundaries.iter().flatten());
        relations.flat_map(|&sides| self.system.unknowns_in(sides, 0)).collect()
    }

    /// What is satisfied where the guards for which the second holds change at equalities.
    pub(super) fn satisfied_where(&self, change: &Change, is_one: &dyn Fn(Guard) -> bool) -> BTreeSet<Shifted<Body>> {
        let erased: BTreeSet<Shifted<Body>> = change.erased_by_instant().into_iter().flatten().collect();
        let erased: Vec<Shifted<Body>> = erased.into_iter().filter(|it| it.shift == 0).collect();
        let combinations = if erased.is_empty() { Vec::new() } else { self.combinations(change, is_one) };
        if combinations.is_empty() {
            return BTreeSet::new();
        }
        let before = self.system.equations_in(change.before).filter_map(|body| self.system.bodies[body].sides);
        let before: Vec<Polynomial> = before.filter_map(|sides| self.system.difference(sides)).collect();
        let holds = |it: &Shifted<Body>| {
            let difference = self.system.bodies[it.of].sides.and_then(|sides| self.system.difference(sides));
            difference.is_some_and(|difference| {
                combinations.iter().all(|boundary| follows(&difference, &[&before[..], boundary].concat()))
            })
        };
        erased.into_iter().filter(holds).collect()
    }

    /// One relation of each guard that changes at an equality, in every combination; none where there is no such guard.
    fn combinations(&self, change: &Change, is_one: &dyn Fn(Guard) -> bool) -> Vec<Vec<Polynomial>> {
        let mut combinations = vec![Vec::new()];
        for guard in self.changed_guards(change).filter(|&guard| is_one(guard)) {
            let relations = self.system.guards[guard].boundaries.iter().flatten();
            let differences: Option<Vec<Polynomial>> = relations.map(|&sides| self.system.difference(sides)).collect();
            let Some(differences) = differences.filter(|it| !it.is_empty()) else { continue };
            let extended = |known: &Vec<Polynomial>| {
                let with = |it: &Polynomial| [known.as_slice(), std::slice::from_ref(it)].concat();
                differences.iter().map(with).collect::<Vec<_>>()
            };
            combinations = combinations.iter().flat_map(extended).collect();
        }
        let says_something = (1..=MOST_COMBINATIONS).contains(&combinations.len());
        combinations.retain(|it| says_something && !it.is_empty());
        combinations
    }

    /// Whether a guard that changes does so where one of its relations is an equality.
    fn says_equalities(&self, change: &Change, guard: Guard, back: u32) -> bool {
        let predicate = &self.system.guards[guard];
        let is_start = |unknown: &Unknown| change.start.known.contains(&Shifted::new(*unknown, 0));
        // With others a guard of something that is no state may change because that jumps, unless it is a left limit.
        let is_of_the_past = self.changed_guards(change).count() == 1
            || predicate.reads.iter().all(is_start)
            || self.is_delayed(change, predicate);
        let Some(relations) = predicate.boundaries.as_ref().filter(|_| is_of_the_past) else { return false };
        let jumps = |&sides: &Sides| self.may_jump(change, sides) || self.may_be_crossed(change, guard, sides, back);
        !relations.iter().any(jumps)
    }

    /// Whether a guard is given its left limit in the first instant of a change.
    pub(super) fn is_delayed(&self, change: &Change, guard: &GuardPredicate) -> bool {
        let mut steps = change.instants.iter().take(1).flat_map(|trace| &trace.steps);
        steps.any(|step| match step {
            MicroStep::Guard(step) => step.is_delayed && self.system.guards[step.guard].name == guard.name,
            _ => false,
        })
    }

    /// Whether something in a relation may jump while the mode before lasts: by itself, or because a `when` sets what it is
    /// computed from.
    fn may_jump(&self, change: &Change, sides: Sides) -> bool {
        let system = &self.system;
        let mut reached = system.unknowns_in(sides, 0);
        if reached.is_empty() || !system.is_continuous(sides, 0) || !system.unseen.is_empty() {
            return true;
        }
        let before: Vec<Sides> =
            system.equations_in(change.before).filter_map(|body| system.bodies[body].sides).collect();
        let is_state = |unknown: &Unknown| change.start.known.contains(&Shifted::new(*unknown, 0));
        let mut pending: Vec<Unknown> = reached.iter().copied().filter(|it| !is_state(it)).collect();
        if !pending.is_empty() && !before.iter().all(|&equation| system.is_continuous(equation, u32::MAX)) {
            return true;
        }
        while let Some(unknown) = pending.pop() {
            for &equation in before.iter().filter(|it| system.unknowns_in(**it, u32::MAX).contains(&unknown)) {
                let values = system.unknowns_in(equation, 0);
                let all = system.unknowns_in(equation, u32::MAX);
                let new: Vec<Unknown> = all.difference(&reached).copied().collect();
                pending.extend(new.iter().filter(|it| !is_state(it) || !values.contains(it)));
                reached.extend(new);
            }
        }
        let mut laws = system.bodies.iter().filter(|body| body.clause.is_some());
        laws.any(|law| match (law.assigns, law.sides) {
            (Some(target), _) => reached.contains(&target),
            (None, Some(sides)) => !system.unknowns_in(sides, 0).is_disjoint(&reached),
            (None, None) => true,
        })
    }

    /// The guards that have another value in the mode after than in the mode before.
    pub(super) fn changed_guards(&self, change: &Change) -> impl Iterator<Item = Guard> {
        let value = |mode: usize, guard: Guard| self.system.modes[mode].get(ModeVariableId(guard.0));
        let (before, after) = (change.before, change.after);
        self.system.guards.ids().filter(move |guard| value(before, *guard) != value(after, *guard))
    }
}

impl DifferenceSystem {
    /// The unknowns in an equation of which derivatives up to some order are there.
    pub(super) fn unknowns_in(&self, sides: Sides, highest: u32) -> BTreeSet<Unknown> {
        let mut found = BTreeSet::new();
        for side in sides {
            self.expressions.for_each(side, |_, node| {
                let derivative = node.derivative().filter(|it| it.order <= highest);
                found.extend(derivative.and_then(|it| self.unknown_of.get(&it.of)));
                true
            });
        }
        found
    }

    /// Whether nothing in an equation jumps but for unknowns: no discrete variable, no pole, no function with jumps, and no
    /// derivative above some order.
    fn is_continuous(&self, sides: Sides, highest: u32) -> bool {
        let is_fixed = |id: ExpressionId| {
            let moves = |node: Node| match node {
                Node::Time => true,
                Node::Variable(variable, _) => self.unknown_of.contains_key(&variable),
                _ => false,
            };
            !self.expressions.contains(id, moves)
        };
        let jumps = |node: Node| match node {
            Node::Variable(variable, order) => order > highest || self.jumping.contains(&variable),
            Node::Arithmetic(ArithmeticOperator::Divide, _, by) => !is_fixed(by),
            Node::Arithmetic(ArithmeticOperator::Power, _, by) => {
                !self.expressions.literal(by).is_some_and(|it| it.fract() == 0.0 && it >= 0.0)
            }
            Node::Call(builtin, _) => !CONTINUOUS.contains(&builtin),
            Node::Real(_) | Node::Integer(_) | Node::Time | Node::Pre(_) | Node::Negate(_) | Node::Arithmetic(..) => {
                false
            }
            _ => true,
        };
        sides.into_iter().all(|side| !self.expressions.contains(side, jumps))
    }
}
