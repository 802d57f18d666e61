//! State machines as data: states that exist by turns, transitions between them, and what entering one means (MOE15 §1).
//!
//! Which state is active is said by ordinary Booleans with ordinary definitions, and what belongs to a state is guarded by
//! its Boolean; analyses need no more. A machine is kept beside them for two reasons: results speak of its states by
//! name, and a run has to know how a state *begins*. When a state is entered, the left limits of its variables are those
//! it had when it was last active, or `start` values; they are no equations, so that constraints with the rest of the
//! model decide by the ordinary restart what jumps and what is impulsive.

use std::sync::Arc;

use modeshift_diagnostics::Span;

use crate::{ExpressionId, VariableId};

/// States of which exactly one is active, or none while the state around them is not.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The component whose equations draw it; nothing for the model itself.
    pub name: Arc<str>,
    /// The machine and the state that it is inside of.
    pub parent: Option<(usize, usize)>,
    /// Its states.
    pub states: Vec<MachineState>,
    /// The state that it begins with.
    pub initial: usize,
    /// Its transitions, by state and priority.
    pub transitions: Vec<Transition>,
    /// Booleans that remember what the machine did, which nobody declared.
    pub memories: Vec<VariableId>,
    /// Where the initial state is declared.
    pub span: Span,
}

/// A state of a machine.
#[derive(Clone, Debug)]
pub struct MachineState {
    /// The component.
    pub name: Arc<str>,
    /// The Boolean that says whether it is active.
    pub active: VariableId,
    /// Whether it is entered in a micro-step, from another state or from itself.
    pub enters: ExpressionId,
    /// Whether its variables then begin anew, with `start`.
    pub restarts: ExpressionId,
    /// The unknowns that exist while it is active, without those of states inside it.
    pub variables: Vec<VariableId>,
    /// The time since it was entered, where the model asks for it.
    pub timer: Option<VariableId>,
    /// Its declaration.
    pub span: Span,
}

/// A transition between two states of a machine, by their numbers.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The state it leaves.
    pub from: usize,
    /// The state it enters, which may be the same.
    pub to: usize,
    /// Its condition as it is written.
    pub condition: ExpressionId,
    /// Whether the condition is asked at the instant itself, or at its left limit.
    pub immediate: bool,
    /// Whether the entered state begins anew.
    pub reset: bool,
    /// Whether it waits for the machines inside the state it leaves.
    pub synchronize: bool,
    /// Of several that could fire, the one with the smallest number does.
    pub priority: i64,
    /// Where it is written.
    pub span: Span,
}

impl Machine {
    /// Whether no transition leaves a state.
    pub fn is_final(&self, state: usize) -> bool {
        self.transitions.iter().all(|transition| transition.from != state)
    }

    /// Whether one change may lead from a state to another one while the state around the machine stays: by a transition, or
    /// because that one is left and entered again at once.
    pub fn may_lead(&self, from: usize, to: usize, machines: &[Machine]) -> bool {
        let begins = to == self.initial && self.parent.is_some_and(|parent| may_be_reset_in_place(machines, parent));
        begins || self.transitions.iter().any(|transition| (transition.from, transition.to) == (from, to))
    }

    /// Whether a machine inside a state may begin in this state when that one is entered.
    pub fn may_begin_with(&self, state: usize, machines: &[Machine]) -> bool {
        state == self.initial || self.parent.is_some_and(|parent| may_go_on(machines, parent))
    }

    /// The name of a state within its machine: without the part that all its states have in common with the machine.
    pub fn short_name(&self, state: usize) -> &str {
        let name = &self.states[state].name;
        match self.name.is_empty() {
            true => name,
            false => name.strip_prefix(&*self.name).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name),
        }
    }
}

/// Whether a state may begin anew although it was active.
fn may_be_reset_in_place(machines: &[Machine], (machine, state): (usize, usize)) -> bool {
    let machine = &machines[machine];
    let is_to_itself = |it: &Transition| it.from == state && it.to == state && it.reset;
    let around = machine.parent.filter(|_| state == machine.initial);
    machine.transitions.iter().any(is_to_itself) || around.is_some_and(|it| may_be_reset_in_place(machines, it))
}

/// Whether a state may be entered without reset, or one around it.
fn may_go_on(machines: &[Machine], (machine, state): (usize, usize)) -> bool {
    let machine = &machines[machine];
    machine.transitions.iter().any(|it| it.to == state && !it.reset)
        || machine.parent.is_some_and(|parent| may_go_on(machines, parent))
}
