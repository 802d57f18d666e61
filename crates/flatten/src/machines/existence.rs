//! Conditions that read variables of states: while a transition may fire, the state that it leaves is active, and those around it
//! are. What belongs to another state does not exist then, unless the condition itself asks for that state first.

use std::collections::BTreeSet;

use modeshift_dae::{ExpressionId, Machine, Node, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Span};

use super::StateNumber;
use crate::flattener::Flattener;

/// What is known of states at a place of a condition.
#[derive(Clone, Default)]
struct Known {
    active: BTreeSet<StateNumber>,
    inactive: BTreeSet<StateNumber>,
}

impl Flattener<'_> {
    /// Says where conditions read what does not exist.
    pub(super) fn check_existence(&mut self, at: usize, machine: &Machine) {
        for transition in &machine.transitions {
            let mut known = Known::default();
            self.assume_active((at, transition.from), &mut known);
            let is_missing = |node| matches!(node, Node::Variable(it, _) if self.missing_state(it, &known).is_some());
            if !self.model.expressions.contains(transition.condition, is_missing) {
                continue; // the usual case, in which nothing has to be followed
            }
            let mut missing = BTreeSet::new();
            self.missing_in(transition.condition, &known, &mut missing);
            for (variable, state) in missing {
                let excluded = known.active.iter().any(|it| it.0 == state.0);
                self.report_missing(
                    variable,
                    (state, excluded),
                    &machine.states[transition.from].name,
                    transition.span,
                );
            }
        }
    }

    /// `excluded`: the state cannot be active at the same time.
    fn report_missing(&mut self, variable: VariableId, (state, excluded): (StateNumber, bool), from: &str, span: Span) {
        let other = self.instances.instance_name(self.machines.drawn[state.0].states[state.1].instance);
        let declared = &self.model.variables[variable];
        let message = format!("`{}` is used where it does not exist", declared.name);
        let problem = Diagnostic::error(Code::E0602, message)
            .label(span, format!("asked while `{from}` is active"))
            .label(declared.span, format!("declared only when `activeState({other})`"));
        let help = match excluded {
            true => format!("ask for what exists in `{from}`"),
            false => format!("ask for what exists in `{from}`, or put `activeState({other}) and` before it"),
        };
        self.report(problem.help(help).into());
    }

    /// The variables of an expression that belong to states of which nothing says that they are active.
    fn missing_in(&self, id: ExpressionId, known: &Known, missing: &mut BTreeSet<(VariableId, StateNumber)>) {
        match self.model.expressions.node(id) {
            Node::Variable(variable, _) => missing.extend(self.missing_state(variable, known).map(|it| (variable, it))),
            Node::And(a, b) => {
                self.missing_in(a, known, missing);
                self.missing_in(b, &self.with(a, true, known), missing);
            }
            Node::Or(a, b) => {
                self.missing_in(a, known, missing);
                self.missing_in(b, &self.with(a, false, known), missing);
            }
            Node::If(condition, a, b) => {
                self.missing_in(condition, known, missing);
                self.missing_in(a, &self.with(condition, true, known), missing);
                self.missing_in(b, &self.with(condition, false, known), missing);
            }
            _ => {
                self.model.expressions.children(id).for_each(|part| self.missing_in(part, known, missing));
            }
        }
    }

    /// A state that a variable belongs to and that may not be active.
    fn missing_state(&self, variable: VariableId, known: &Known) -> Option<StateNumber> {
        let mut pending = vec![self.model.variables[variable].guard];
        while let Some(guard) = pending.pop() {
            match self.model.expressions.node(guard) {
                Node::And(a, b) => pending.extend([a, b]),
                Node::Variable(active, 0) => {
                    let state = self.machines.of_variable.get(&active);
                    if let Some(&state) = state.filter(|state| !known.active.contains(state)) {
                        return Some(state);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// What is known where a condition has a truth, beside what was known.
    fn with(&self, condition: ExpressionId, truth: bool, known: &Known) -> Known {
        let mut known = known.clone();
        self.assume(condition, truth, &mut known);
        known
    }

    fn assume(&self, condition: ExpressionId, truth: bool, known: &mut Known) {
        match (self.model.expressions.node(condition), truth) {
            (Node::Not(inner), _) => self.assume(inner, !truth, known),
            (Node::And(a, b), true) | (Node::Or(a, b), false) => {
                self.assume(a, truth, known);
                self.assume(b, truth, known);
            }
            (Node::Variable(active, 0), _) => match self.machines.of_variable.get(&active) {
                Some(&state) if truth => self.assume_active(state, known),
                Some(&state) => self.assume_inactive(state, known),
                None => {}
            },
            _ => {}
        }
    }

    /// With a state those around it are active.
    fn assume_active(&self, state: StateNumber, known: &mut Known) {
        let mut at = Some(state);
        while let Some(state) = at {
            known.active.insert(state);
            at = self.machines.drawn[state.0].parent;
        }
    }

    /// If all states of an active machine but one are not active, that one is.
    fn assume_inactive(&self, state: StateNumber, known: &mut Known) {
        known.inactive.insert(state);
        let drawn = &self.machines.drawn[state.0];
        let states = (0..drawn.states.len()).map(|number| (state.0, number));
        let left: Vec<StateNumber> = states.filter(|state| !known.inactive.contains(state)).collect();
        if let ([only], true) = (&left[..], drawn.parent.is_none_or(|parent| known.active.contains(&parent))) {
            self.assume_active(*only, known);
        }
    }
}
