//! Whether a guard depends on itself: what its definition reads at the instant is followed through equations that give one
//! variable by others in all modes, until a state, a left limit or the guard itself is reached.
//!
//! Runs decide a guard together with what hangs on it wherever that cannot be excluded at a glance (`implicit` of a mode variable);
//! people are told where it is so.

use modeshift_dae::{EquationKind, ExpressionId, Id, ModeVariableId, MultimodeDae, Node, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of variables in all modes alike.
pub(super) struct Dependences<'a> {
    dae: &'a MultimodeDae,
    /// The expression that gives a variable in all modes.
    given: FxHashMap<VariableId, ExpressionId>,
    /// Variables that are differentiated in all modes.
    states: FxHashSet<VariableId>,
}

impl<'a> Dependences<'a> {
    pub(super) fn new(dae: &'a MultimodeDae) -> Self {
        let expressions = &dae.model.expressions;
        let (mut given, mut states) = (FxHashMap::default(), FxHashSet::default());
        let mut several: FxHashSet<VariableId> = FxHashSet::default();
        for equation in dae.model.equations.iter().filter(|equation| equation.kind == EquationKind::Continuous) {
            let is_in_all_modes = expressions.literal_boolean(equation.guard) == Some(true);
            for (side, other) in [(equation.left, equation.right), (equation.right, equation.left)] {
                match expressions.node(side) {
                    Node::Variable(variable, 0) if is_in_all_modes => {
                        let earlier = given.insert(variable, other);
                        several.extend(earlier.map(|_| variable));
                    }
                    Node::Variable(variable, _) if is_in_all_modes => {
                        states.insert(variable);
                    }
                    Node::Arithmetic(..) if is_in_all_modes => expressions.for_each(side, |_, node| {
                        if let Node::Variable(variable, 1..) = node {
                            states.insert(variable);
                        }
                        !matches!(node, Node::If(..) | Node::Pre(_))
                    }),
                    _ => {}
                }
            }
        }
        given.retain(|variable, _| !several.contains(variable));
        Dependences { dae, given, states }
    }

    /// Whether the guard may depend on itself at an instant.
    pub(super) fn is_circular(&self, mode: ModeVariableId) -> bool {
        let MultimodeDae { model, mode_variables, .. } = self.dae;
        let Some(definition) = mode_variables[mode].definition else { return false };
        let mut seen = vec![false; model.expressions.len()];
        let mut pending = vec![definition];
        while let Some(root) = pending.pop() {
            let mut is_open = false;
            model.expressions.for_each(root, |id, node| {
                if std::mem::replace(&mut seen[id.index()], true) {
                    return false;
                }
                match node {
                    Node::Mode(other) if other == mode => is_open = true,
                    Node::Mode(other) => pending.extend(mode_variables[other].definition),
                    Node::Variable(variable, order) if model.variables[variable].is_unknown() => {
                        match (order, self.given.get(&variable)) {
                            (0, _) if self.states.contains(&variable) => {}
                            (0, Some(&value)) => pending.push(value),
                            _ => is_open = true,
                        }
                    }
                    _ => {}
                }
                !matches!(node, Node::Pre(_))
            });
            if is_open {
                return true;
            }
        }
        false
    }
}
