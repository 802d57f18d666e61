//! State machines at the start: the initial state is no choice.
//!
//! A machine begins in its initial state and leaves it where a transition says so at the values that this state has at the
//! start, its own initial equations included. A mode in which a machine is elsewhere does not know these values, since the
//! variables of a state that is not active do not exist; they are taken from the mode in which all machines are where they
//! begin. Of several modes that agree with their solutions, one in which fewer machines have left counts.

use std::collections::BTreeSet;

use modeshift_dae::{Id, Machine, ModeVariableId, VariableId};
use modeshift_structure::Derivative;
use rustc_hash::FxHashMap;

use super::point::{Point, StartMode};
use super::problem::InitialProblem;
use super::solve::ModeSolution;

/// What machines say about the modes of a start.
pub(super) struct MachineStarts {
    /// The mode variables of the states of each machine.
    modes: Vec<Vec<ModeVariableId>>,
    /// The values where all machines are where they begin.
    values: Option<Beginning>,
}

/// A solution in which all machines are where they begin.
struct Beginning {
    values: Vec<f64>,
    /// How many mode variables beside those of machines contradict it.
    contradictions: usize,
}

impl MachineStarts {
    pub fn of(problem: &InitialProblem<'_>) -> Self {
        let machines = &problem.dae.model.machines;
        let mut mode_of: FxHashMap<VariableId, ModeVariableId> = FxHashMap::default();
        if !machines.is_empty() {
            let modes = problem.dae.mode_variables.iter_enumerated();
            mode_of.extend(modes.filter_map(|(id, mode)| Some((mode.variable?, id))));
        }
        let modes = |machine: &Machine| {
            machine.states.iter().filter_map(|state| mode_of.get(&state.active).copied()).collect::<Vec<_>>()
        };
        MachineStarts { modes: machines.iter().map(modes).collect(), values: None }
    }

    /// The machines that are not where they begin.
    pub fn elsewhere(&self, problem: &InitialProblem<'_>, mode: &StartMode) -> BTreeSet<usize> {
        let is_elsewhere =
            |states: &[ModeVariableId]| states.iter().any(|&state| mode.value(state) != problem.mode_starts[state]);
        self.modes.iter().enumerate().filter(|(_, states)| is_elsewhere(states)).map(|(at, _)| at).collect()
    }

    /// A mode with all machines where they begin.
    pub fn begun(&self, problem: &InitialProblem<'_>, mode: &StartMode) -> StartMode {
        let mut begun = mode.clone();
        self.modes.iter().flatten().for_each(|&state| begun.0.set(state, problem.mode_starts[state]));
        begun
    }

    /// Remembers the solution of a mode in which all machines are where they begin; `there` is what the definitions make of it.
    pub fn learn(
        &mut self,
        problem: &InitialProblem<'_>,
        mode: &StartMode,
        solution: &ModeSolution,
        there: &StartMode,
    ) {
        if self.modes.is_empty() || !self.elsewhere(problem, mode).is_empty() {
            return;
        }
        let of_machines: BTreeSet<ModeVariableId> = self.modes.iter().flatten().copied().collect();
        let others = problem.dae.mode_variables.ids().filter(|id| !of_machines.contains(id));
        let contradictions = others.filter(|&id| there.value(id) != mode.value(id)).count();
        if self.values.as_ref().is_none_or(|known| contradictions < known.contradictions) {
            self.values = Some(Beginning { values: solution.point.values.clone(), contradictions });
        }
    }

    /// A point with the values that states had before their machines left them.
    pub fn with_left_states(&self, problem: &InitialProblem<'_>, mode: &StartMode, point: &Point) -> Point {
        let mut point = point.clone();
        let Some(Beginning { values, .. }) = &self.values else { return point };
        for machine in self.elsewhere(problem, mode) {
            let machine = &problem.dae.model.machines[machine];
            for &of in &machine.states[machine.initial].variables {
                let orders = (0..).map_while(|order| problem.start.system.variable(Derivative { of, order }));
                let places: Vec<usize> = orders.map(|id| id.index()).chain([of.index()]).collect();
                places.into_iter().for_each(|place| point.values[place] = values[place]);
            }
        }
        point
    }
}
