//! Initial equations beside machines that speak of variables of their first states.
//!
//! A machine begins in its initial state, so what an initial equation says of a variable in there it says of the start, as if it stood in
//! the state itself. Of a state that is entered later it says nothing that could be true.

use std::collections::BTreeSet;

use modeshift_dae::{ExpressionId, Node, VariableId};

use crate::flattener::Flattener;

impl Flattener<'_> {
    /// Initial equations hold while the first states exist whose variables they contain.
    pub(super) fn guard_initial_equations(&mut self) {
        for at in 0..self.model.initial_equations.len() {
            let equation = &self.model.initial_equations[at];
            let (sides, mut guard) = ([equation.left, equation.right], equation.guard);
            let known: BTreeSet<VariableId> = self.states_in(guard).collect();
            let mut needed = BTreeSet::new();
            let mut pending: Vec<ExpressionId> = sides.to_vec();
            while let Some(id) = pending.pop() {
                if let Node::Variable(variable, _) = self.model.expressions.node(id) {
                    needed.extend(self.states_in(self.model.variables[variable].guard));
                }
                pending.extend(self.model.expressions.children(id));
            }
            for active in needed.difference(&known) {
                let start = self.model.variables[*active].start;
                let begins = |it: ExpressionId| matches!(self.model.expressions.node(it), Node::Boolean(true));
                if start.is_some_and(begins) {
                    let active = self.model.expressions.variable(*active, 0);
                    guard = self.model.expressions.and(guard, active);
                }
            }
            self.model.initial_equations[at].guard = guard;
        }
    }

    /// The states that a conjunction asks for, by their Booleans.
    fn states_in(&self, guard: ExpressionId) -> impl Iterator<Item = VariableId> + '_ {
        let mut pending = vec![guard];
        std::iter::from_fn(move || {
            while let Some(guard) = pending.pop() {
                match self.model.expressions.node(guard) {
                    Node::And(a, b) => pending.extend([a, b]),
                    Node::Variable(active, 0) if self.machines.of_variable.contains_key(&active) => {
                        return Some(active);
                    }
                    _ => {}
                }
            }
            None
        })
    }
}
