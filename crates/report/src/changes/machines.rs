//! Mode changes in the words of state machines: `C1 -> R1`.

use modeshift_dae::{Machine, Mode, ModeVariableId, MultimodeDae, VariableId};
use modeshift_mode_changes::{AllChanges, Moment};
use modeshift_modes::{ModeSet, ModeVariable};

/// More machines than this are not looked at one by one: their changes are summarized, and no summary names states.
const MOST_MACHINES: usize = 64;

/// More ways than this in which machines change are not listed.
const MOST_ARROWS: usize = 12;

/// A change of a machine from one state to another one, among some pairs of modes.
#[derive(Clone)]
struct Arrow {
    pairs: ModeSet,
    text: String,
}

/// What machines say about changes.
pub(super) struct MachineWords<'a> {
    pub dae: &'a MultimodeDae,
    pub changes: &'a AllChanges<'a>,
}

impl MachineWords<'_> {
    /// The states that changes pass from and to: of every machine that changes in all of them, or else of all machines together.
    pub fn states(&self, pairs: ModeSet) -> Vec<String> {
        let machines = &self.dae.model.machines;
        if machines.is_empty() || machines.len() > MOST_MACHINES {
            return Vec::new();
        }
        let space = &self.changes.pairs.space;
        let possible = space.and(pairs, self.changes.pairs.invariant.concerning(space, pairs));
        let arrows: Vec<Vec<Arrow>> = machines.iter().map(|machine| self.arrows(machine, possible)).collect();
        let always = arrows.iter().filter_map(|arrows| self.covering(possible, arrows));
        let always: Vec<String> = always.collect();
        match always.is_empty() {
            true => self.covering(possible, &arrows.concat()).into_iter().collect(),
            false => always,
        }
    }

    /// The ways in which a machine changes in some of these pairs.
    fn arrows(&self, machine: &Machine, possible: ModeSet) -> Vec<Arrow> {
        let space = &self.changes.pairs.space;
        let arrow = |(from, to): (usize, usize)| {
            let pairs = space.and(possible, self.change(machine, from, to));
            let text = || format!("{} -> {}", machine.states[from].name, machine.states[to].name);
            (!pairs.is_empty()).then(|| Arrow { pairs, text: text() })
        };
        self.pairs(machine).into_iter().filter_map(arrow).collect()
    }

    /// `a -> b or b -> c`, if one of these happens in all pairs and they are few.
    fn covering(&self, possible: ModeSet, arrows: &[Arrow]) -> Option<String> {
        if arrows.is_empty() || arrows.len() > MOST_ARROWS {
            return None;
        }
        let space = &self.changes.pairs.space;
        let rest = arrows.iter().fold(possible, |rest, arrow| space.difference(rest, arrow.pairs));
        let texts: Vec<&str> = arrows.iter().map(|arrow| &*arrow.text).collect();
        rest.is_empty().then(|| texts.join(" or "))
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
