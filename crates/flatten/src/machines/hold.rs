//! An `outer output` that some states of a machine write: in the others it keeps its value (Modelica 3.6, 17.3.1).
//!
//! A continuous one has the derivative 0 there, so that it continues from its left limit as any state does; a discrete one
//! is `pre` of itself. A model that says itself what the output is in such a state is taken at its word.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{Equation, EquationKind, ExpressionId, Node, VariableId, WhenActionKind};
use modeshift_syntax::ast::Causality;

use super::StateNumber;
use crate::equations::names;
use crate::flattener::Flattener;
use crate::instances::tree::{InstanceId, PrimitiveId, Slot};

impl Flattener<'_> {
    /// Adds equations for outputs in the states that do not write them.
    pub(super) fn hold_outputs(&mut self) {
        for (output, writers) in self.written_outputs() {
            let around = self.state_around(self.instances[output].instance);
            let writing = self.with_states_around(&writers, around);
            let machines: BTreeSet<usize> = writing.iter().map(|&(machine, _)| machine).collect();
            for machine in machines {
                for state in 0..self.machines.drawn[machine].states.len() {
                    if !writing.contains(&(machine, state)) {
                        self.hold_output(output, (machine, state));
                    }
                }
            }
        }
    }

    /// The variables that are an `outer output` of some state, and these states.
    fn written_outputs(&self) -> BTreeMap<PrimitiveId, BTreeSet<StateNumber>> {
        let mut written: BTreeMap<PrimitiveId, BTreeSet<StateNumber>> = BTreeMap::new();
        for instance in self.instances.all.ids() {
            let Some(state) = self.state_around(instance) else { continue };
            for (position, slot) in self.instances[instance].slots.iter().enumerate() {
                let is_output =
                    self.instances.member(instance, position as u32).prefix.causality == Some(Causality::Output);
                if let (Slot::Outer(inner, at), true) = (slot, is_output)
                    && let Some(output) = self.declared(*inner, *at)
                {
                    written.entry(output).or_default().insert(state);
                }
            }
        }
        written
    }

    /// The variable that an `inner` element is, or one further out that it stands for.
    fn declared(&self, instance: InstanceId, position: u32) -> Option<PrimitiveId> {
        match &self.instances[instance].slots[position as usize] {
            Slot::Primitive(id) => Some(*id),
            Slot::Outer(inner, at) => self.declared(*inner, *at),
            _ => None,
        }
    }

    /// Some states with those that contain them, as far as to the state in which the output itself is declared.
    fn with_states_around(
        &self,
        states: &BTreeSet<StateNumber>,
        outermost: Option<StateNumber>,
    ) -> BTreeSet<StateNumber> {
        let mut found = BTreeSet::new();
        for &state in states {
            let mut at = Some(state);
            while let Some(state) = at.filter(|&state| Some(state) != outermost) {
                found.insert(state);
                at = self.machines.drawn[state.0].parent;
            }
        }
        found
    }

    fn hold_output(&mut self, output: PrimitiveId, state: StateNumber) {
        let Some(first) = self.instances[output].first else { return };
        let count: usize = self.instances[output].dims.iter().product();
        let guard = self.active(state);
        for variable in (first.0..first.0 + count as u32).map(VariableId) {
            if !self.model.variables[variable].is_unknown() || self.is_said(variable, guard) {
                continue;
            }
            let is_continuous = self.model.variables[variable].is_continuous_unknown();
            if !is_continuous && self.is_assigned(variable) {
                continue; // it is `pre` of itself wherever no clause fires
            }
            let expressions = &mut self.model.expressions;
            let (kind, left, right) = match is_continuous {
                true => (EquationKind::Continuous, expressions.variable(variable, 1), expressions.real(0.0)),
                false => {
                    let itself = expressions.variable(variable, 0);
                    (EquationKind::Discrete, itself, expressions.pre(itself))
                }
            };
            let span = self.machines.drawn[state.0].states[state.1].span;
            let name = names::unlabelled(&self.prefix_of(state.0), None);
            self.model.equations.push(Equation { name, kind, guard, left, right, span });
        }
    }

    /// Whether a clause assigns a variable.
    fn is_assigned(&self, variable: VariableId) -> bool {
        let branches = self.model.when_clauses.iter().flat_map(|clause| &clause.branches);
        let mut actions = branches.flat_map(|branch| &branch.actions);
        actions.any(|it| matches!(it.kind, WhenActionKind::Assign(assigned, _) if assigned == variable))
    }

    /// Whether an equation for a variable holds in all modes, or in this state.
    fn is_said(&self, variable: VariableId, state: ExpressionId) -> bool {
        let expressions = &self.model.expressions;
        let concerns = |guard: ExpressionId| match expressions.node(guard) {
            Node::Boolean(holds) => holds,
            _ => expressions.contains(guard, |node| node == expressions.node(state)),
        };
        let is_side = |side: ExpressionId| matches!(expressions.node(side), Node::Variable(id, _) if id == variable);
        let said = |it: &Equation| (is_side(it.left) || is_side(it.right)) && concerns(it.guard);
        self.model.equations.iter().any(said)
    }
}
