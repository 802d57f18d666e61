//! Left limits of discrete variables at the start, as initial equations give them.
//!
//! `pre(v) = c` gives one directly. `v = c` gives one where equations tie `v` to left limits, as `v = w` and
//! `w = pre(u)` do: what is known is carried along equations between two discrete values, in both directions. A value
//! whose left limit nothing else is said about was the same before.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use modeshift_dae::{ExpressionId, InitialValue, MultimodeDae, Node, VariableId};
use modeshift_structure::initialization::Initialization;

/// A discrete variable at the start, or its left limit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DiscreteValue {
    variable: VariableId,
    is_left: bool,
}

/// Which values are equal, and which are known.
#[derive(Default)]
struct Ties {
    equal: BTreeMap<DiscreteValue, Vec<DiscreteValue>>,
    known: BTreeMap<DiscreteValue, f64>,
}

/// The left limits that initial equations give in all modes and scenarios. `constant` evaluates what depends on
/// parameters alone.
pub(super) fn left_limits(
    dae: &MultimodeDae,
    start: &Initialization,
    mut constant: impl FnMut(ExpressionId) -> Option<f64>,
) -> BTreeMap<VariableId, f64> {
    let mut ties = Ties::default();
    for &(number, _) in &start.system.discrete_conditions {
        let condition = &dae.model.initial_equations[number as usize];
        let always = dae.model.expressions.literal_boolean(condition.guard) == Some(true);
        if let Some(InitialValue { variable, is_left_limit, value }) = dae.discrete.initial[number as usize]
            && condition.scenario.is_none()
            && always
        {
            ties.add(dae, DiscreteValue { variable, is_left: is_left_limit }, value, &mut constant);
        }
    }
    if ties.known.is_empty() {
        return BTreeMap::new();
    }
    for (variable, guard, value) in dae.discrete.equations() {
        if dae.model.expressions.literal_boolean(guard) == Some(true) {
            ties.add(dae, DiscreteValue { variable, is_left: false }, value, &mut |_| None);
        }
    }
    for mode in dae.mode_variables.iter() {
        if let (Some(variable), Some(definition)) = (mode.variable, mode.definition)
            && let Some(other) = discrete_value(dae, definition)
        {
            ties.tie(DiscreteValue { variable, is_left: false }, other);
        }
    }
    ties.left_limits()
}

impl Ties {
    fn add(
        &mut self,
        dae: &MultimodeDae,
        of: DiscreteValue,
        value: ExpressionId,
        constant: &mut impl FnMut(ExpressionId) -> Option<f64>,
    ) {
        match (constant(value), discrete_value(dae, value)) {
            (Some(value), _) => self.known.extend([(of, value)]),
            (None, Some(other)) => self.tie(of, other),
            (None, None) => {}
        }
    }

    fn tie(&mut self, one: DiscreteValue, other: DiscreteValue) {
        self.equal.entry(one).or_default().push(other);
        self.equal.entry(other).or_default().push(one);
    }

    fn left_limits(mut self) -> BTreeMap<VariableId, f64> {
        let mut pending: Vec<DiscreteValue> = self.known.keys().copied().collect();
        while let Some(from) = pending.pop() {
            let value = self.known[&from];
            for &other in self.equal.get(&from).into_iter().flatten() {
                if let Entry::Vacant(place) = self.known.entry(other) {
                    place.insert(value);
                    pending.push(other);
                }
            }
        }
        // In their order the value itself comes first, and its left limit counts.
        self.known.into_iter().map(|(of, value)| (of.variable, value)).collect()
    }
}

/// `v` or `pre(v)` of a discrete variable, or of a parameter that is to be found.
fn discrete_value(dae: &MultimodeDae, expression: ExpressionId) -> Option<DiscreteValue> {
    let (inner, is_left) = match dae.model.expressions.node(expression) {
        Node::Pre(inner) => (inner, true),
        _ => (expression, false),
    };
    let variable = match dae.model.expressions.node(inner) {
        Node::Variable(variable, 0) => variable,
        Node::Mode(mode) => dae.mode_variables[mode].variable?,
        _ => return None,
    };
    let is_discrete = !dae.model.variables[variable].is_continuous_unknown();
    is_discrete.then_some(DiscreteValue { variable, is_left })
}
