//! State machines in words: their states and transitions.

use modeshift_dae::{ExpressionText, Machine, MachineState, MultimodeDae, Transition, VariableId};
use modeshift_diagnostics::SourceMap;

use super::{MachineReport, MachineStateReport, TransitionReport};
use crate::place::Place;

/// All machines of a model, those around others first.
pub(super) fn machines(dae: &MultimodeDae, sources: &SourceMap) -> Vec<MachineReport> {
    let words = Wording { dae, sources };
    dae.model.machines.iter().map(|machine| words.machine(machine)).collect()
}

struct Wording<'a> {
    dae: &'a MultimodeDae,
    sources: &'a SourceMap,
}

impl Wording<'_> {
    fn machine(&self, machine: &Machine) -> MachineReport {
        let inside = |(machine, state): (usize, usize)| self.dae.model.machines[machine].states[state].name.to_string();
        MachineReport {
            name: machine.name.to_string(),
            inside: machine.parent.map(inside),
            initial: machine.states[machine.initial].name.to_string(),
            states: machine.states.iter().map(|state| self.state(state)).collect(),
            transitions: machine.transitions.iter().map(|it| self.transition(machine, it)).collect(),
        }
    }

    fn state(&self, state: &MachineState) -> MachineStateReport {
        let name = |variable: &VariableId| self.dae.model.variables[*variable].name.to_string();
        MachineStateReport {
            name: state.name.to_string(),
            active: name(&state.active),
            variables: state.variables.iter().map(name).collect(),
            place: Place::of(state.span, self.sources),
        }
    }

    fn transition(&self, machine: &Machine, transition: &Transition) -> TransitionReport {
        let Transition { from, to, condition, immediate, reset, synchronize, priority, span } = transition;
        let modes = Some(&self.dae.mode_variables);
        TransitionReport {
            from: machine.states[*from].name.to_string(),
            to: machine.states[*to].name.to_string(),
            condition: ExpressionText { model: &self.dae.model, modes, expression: *condition }.to_string(),
            immediate: *immediate,
            reset: *reset,
            synchronize: *synchronize,
            priority: *priority,
            place: Place::of(*span, self.sources),
        }
    }
}
