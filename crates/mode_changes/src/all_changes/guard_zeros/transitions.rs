//! Constraints of an entered state that hold because the condition of the transition has just become true.
//!
//! An ideal diode opens by `transition(closed, open, closed.i < 0)`, so `closed.i = 0` at that instant; with the connections of
//! both states that says `open.i = 0`, and nothing jumps. What is known at the left limit of such a change:
//!
//! - the zero of the condition, where it is one inequality;
//! - the equations of the state that is left, and its connections;
//! - those of the entered state that give its variables their left limits: constraints, as far as they are not erased.
//!
//! A constraint that is erased and a combination of these ([`super::span`]) is satisfied all the same, and those that it is made of
//! agree with the past: they make nothing jump either.

use modeshift_dae::{
    Equation, EquationId, EquationKind, ExpressionId, Expressions, Machine, ModeVariableId, MultimodeDae, Node,
    RelationOperator, Transition, VariableId, assume_modes,
};
use modeshift_modes::ModeSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::span::Span;
use super::{LeftLimits, change, users};
use crate::all_changes::space::{Moment, PairSpace};

/// Equations with the pairs in which a transition makes them true.
pub(super) fn transition_zeros(dae: &MultimodeDae, left: LeftLimits) -> Vec<(EquationId, ModeSet)> {
    let erased = erased(left);
    if erased.is_empty() || dae.model.machines.is_empty() {
        return Vec::new();
    }
    let mut search = Search {
        dae,
        left,
        erased,
        mode_of: mode_variables(dae),
        users: state_users(dae),
        expressions: dae.model.expressions.clone(),
        found: Vec::new(),
    };
    for machine in &dae.model.machines {
        for transition in &machine.transitions {
            search.transition(machine, transition);
        }
    }
    search.found
}

/// Where constraints themselves are erased, not their derivatives only.
fn erased(left: LeftLimits) -> FxHashMap<EquationId, ModeSet> {
    let mut erased: FxHashMap<EquationId, ModeSet> = FxHashMap::default();
    for constraint in left.erased.iter().filter(|constraint| constraint.order == 0) {
        let known = erased.entry(constraint.of).or_insert(ModeSet::EMPTY);
        *known = left.pairs.space.or(*known, constraint.pairs);
    }
    erased
}

fn mode_variables(dae: &MultimodeDae) -> FxHashMap<VariableId, ModeVariableId> {
    dae.mode_variables.iter_enumerated().filter_map(|(mode, it)| Some((it.variable?, mode))).collect()
}

/// Continuous equations that contain a variable of a state.
fn state_users(dae: &MultimodeDae) -> FxHashMap<VariableId, Vec<EquationId>> {
    let states = dae.model.machines.iter().flat_map(|machine| &machine.states);
    let of_states: FxHashSet<VariableId> = states.flat_map(|state| state.variables.iter().copied()).collect();
    let sides = |equation: &Equation| {
        let both = (equation.kind == EquationKind::Continuous).then_some([equation.left, equation.right]);
        both.into_iter().flatten()
    };
    users(dae, sides, |node| match node {
        Node::Variable(variable, _) => Some(variable).filter(|it| of_states.contains(it)),
        _ => None,
    })
}

struct Search<'a> {
    dae: &'a MultimodeDae,
    left: LeftLimits<'a>,
    erased: FxHashMap<EquationId, ModeSet>,
    mode_of: FxHashMap<VariableId, ModeVariableId>,
    users: FxHashMap<VariableId, Vec<EquationId>>,
    expressions: Expressions,
    found: Vec<(EquationId, ModeSet)>,
}

impl Search<'_> {
    fn transition(&mut self, machine: &Machine, transition: &Transition) {
        let Some(zero) = self.zero(transition.condition) else { return };
        let modes: Option<Vec<ModeVariableId>> =
            machine.states.iter().map(|state| self.mode_of.get(&state.active).copied()).collect();
        let Some(modes) = modes else { return };
        let Transition { from, to, .. } = *transition;
        let PairSpace { space, invariant, .. } = self.left.pairs;
        let pairs = invariant.project(space, change(self.left.pairs, (modes[from], true), (modes[to], true)));
        let near = self.near(machine, [from, to]);
        let is_erased =
            |equation: &EquationId| self.erased.get(equation).is_some_and(|&it| space.intersects(it, pairs));
        let wanted: Vec<EquationId> = near.iter().copied().filter(is_erased).collect();
        if wanted.is_empty() || from == to {
            return;
        }
        let before: Vec<ExpressionId> =
            near.iter().filter_map(|&equation| self.residual(equation, &modes, from)).chain([zero]).collect();
        for equation in wanted {
            self.constraint(equation, &before, &near, (&modes, to), pairs);
        }
    }

    /// Notes the pairs in which one constraint of the entered state follows from the others, for it and for them.
    fn constraint(
        &mut self,
        equation: EquationId,
        before: &[ExpressionId],
        near: &[EquationId],
        (modes, to): (&[ModeVariableId], usize),
        pairs: ModeSet,
    ) {
        let Some(residual) = self.residual(equation, modes, to) else { return };
        let mut span = Span::default();
        before.iter().for_each(|&sum| span.add(&self.expressions, sum, None));
        let mut remaining = pairs;
        for &other in near.iter().filter(|&&other| other != equation) {
            let Some(sum) = self.residual(other, modes, to) else { continue };
            let without = self.left.pairs.space.difference(remaining, self.unknown_at_left_limits(other));
            if !without.is_empty() {
                remaining = without;
                span.add(&self.expressions, sum, Some(other));
            }
        }
        if let Some(reasons) = span.reasons(&self.expressions, residual) {
            self.found.extend(reasons.into_iter().chain([equation]).map(|satisfied| (satisfied, remaining)));
        }
    }

    /// The pairs in which an equation of the mode after says nothing about left limits: it is erased, or new without
    /// being a constraint.
    fn unknown_at_left_limits(&self, equation: EquationId) -> ModeSet {
        let LeftLimits { pairs, analysis, is_new, .. } = self.left;
        let constrains = pairs.at_least(&analysis.offsets.equations[equation], 1, Moment::After);
        let erased = self.erased.get(&equation).copied().unwrap_or(ModeSet::EMPTY);
        pairs.space.or(erased, pairs.space.difference(is_new[equation], constrains))
    }

    /// The equations of some states and of their connections.
    fn near(&self, machine: &Machine, states: [usize; 2]) -> Vec<EquationId> {
        let variables = states.iter().flat_map(|&state| &machine.states[state].variables);
        let mut near: Vec<EquationId> =
            variables.filter_map(|variable| self.users.get(variable)).flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        near
    }

    /// What vanishes where a condition becomes true: the difference of the sides of an inequality.
    fn zero(&mut self, condition: ExpressionId) -> Option<ExpressionId> {
        use RelationOperator::{Greater, GreaterEqual, Less, LessEqual};
        let condition = match self.expressions.node(condition) {
            Node::Mode(mode) => self.dae.mode_variables[mode].definition?,
            _ => condition,
        };
        match self.expressions.node(condition) {
            Node::Relation(Less | LessEqual | Greater | GreaterEqual, left, right) => {
                let difference = self.expressions.difference(left, right);
                self.is_continuous(difference).then_some(difference)
            }
            _ => None,
        }
    }

    /// The residual of an equation while a state is active, where it holds in all modes with this state and nothing in it
    /// can jump but unknowns.
    fn residual(&mut self, equation: EquationId, modes: &[ModeVariableId], active: usize) -> Option<ExpressionId> {
        let sides = &self.dae.model.equations[equation];
        let mut assume = |side: ExpressionId| {
            let value = |mode| modes.iter().position(|&it| it == mode).map(|state| state == active);
            assume_modes(&mut self.expressions, side, value)
        };
        let (guard, left, right) = (assume(sides.guard), assume(sides.left), assume(sides.right));
        let holds = matches!(self.expressions.node(guard), Node::Boolean(true));
        let residual = self.expressions.difference(left, right);
        (holds && self.is_continuous(residual)).then_some(residual)
    }

    /// Whether nothing in an expression is discrete.
    fn is_continuous(&self, expression: ExpressionId) -> bool {
        let is_discrete = |node: Node| match node {
            Node::Mode(_) | Node::Pre(_) => true,
            Node::Variable(variable, _) => {
                let variable = &self.dae.model.variables[variable];
                variable.is_discrete_unknown() || variable.input
            }
            _ => false,
        };
        !self.expressions.contains(expression, is_discrete)
    }
}
