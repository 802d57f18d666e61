//! Mode changes in the words of state machines: `C1 -> R1`.

use modeshift_dae::{Machine, Mode, ModeVariableId, MultimodeDae, VariableId};
use modeshift_mode_changes::{AllChanges, Moment};
use modeshift_modes::{ModeSet, ModeVariable};

/// More machines than this are not looked at one by one: their changes are summarized, and no summary names states.
const MOST_MACHINES: usize = 64;

/// What machines say about changes.
pub(super) struct MachineWords<'a> {
    pub dae: &'a MultimodeDae,
    pub changes: &'a AllChanges<'a>,
}

impl MachineWords<'_> {
    /// The states that changes pass from and to, of every machine that changes in the same way in all of them.
    pub fn states(&self, pairs: ModeSet) -> Vec<String> {
        let machines = &self.dae.model.machines;
        if machines.len() > MOST_MACHINES {
            return Vec::new();
        }
        machines.iter().filter_map(|machine| self.arrow(machine, pairs)).collect()
    }

    fn arrow(&self, machine: &Machine, pairs: ModeSet) -> Option<String> {
        let space = &self.changes.pairs.space;
        let possible = space.and(pairs, self.changes.pairs.invariant.concerning(space, pairs));
        let mut rest = possible;
        let mut found = None;
        for (from, to) in self.pairs(machine) {
            let change = self.change(machine, from, to);
            if space.and(possible, change).is_empty() {
                continue;
            }
            if found.replace((from, to)).is_some() {
                return None;
            }
            rest = space.difference(rest, change);
        }
        let (from, to) = found.filter(|_| rest.is_empty())?;
        Some(format!("{} -> {}", machine.states[from].name, machine.states[to].name))
    }

    /// A mode by the states that are active in it; nothing where the states do not say it all.
    pub fn mode(&self, mode: &Mode) -> Option<String> {
        let states = self.dae.model.machines.iter().flat_map(|machine| &machine.states);
        let known: Vec<(ModeVariableId, &str)> =
            states.filter_map(|state| Some((self.mode_variable(state.active)?, &*state.name))).collect();
        if known.is_empty() || known.len() != self.dae.mode_variables.len() {
            return None;
        }
        let active: Vec<&str> = known.iter().filter(|(id, _)| mode[*id]).map(|(_, name)| *name).collect();
        Some(active.join(", "))
    }

    fn pairs(&self, machine: &Machine) -> Vec<(usize, usize)> {
        let count = machine.states.len();
        (0..count).flat_map(|from| (0..count).map(move |to| (from, to))).filter(|(from, to)| from != to).collect()
    }

    /// The changes of a machine from one state to another.
    fn change(&self, machine: &Machine, from: usize, to: usize) -> ModeSet {
        let space = &self.changes.pairs.space;
        let literal = |state: usize, moment: Moment| match self.mode_variable(machine.states[state].active) {
            Some(mode) => space.assignment(moment.variable(ModeVariable(mode.0)), true),
            None => ModeSet::EMPTY,
        };
        space.and(literal(from, Moment::Before), literal(to, Moment::After))
    }

    fn mode_variable(&self, active: VariableId) -> Option<ModeVariableId> {
        let modes = &self.dae.mode_variables;
        modes.ids().find(|&id| modes[id].variable == Some(active))
    }
}
