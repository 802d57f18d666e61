//! The variational equation of a mode: how states change with what is given, from one instant to the next.
//!
//! The programs here are those of the run, but what is differentiated by stays in them as a variable, with all that is computed from it.

use std::collections::BTreeMap;

use modeshift_dae::{Id as _, Mode, Type, VariableId};
use modeshift_numerics::Pattern;

use super::super::prepare::Prepared;
use super::super::values::Side;
use super::passing::{Passed, Passing};
use super::refusals::NoSensitivity;
use super::touches::{LOOKS, LOOKS_WITHOUT_STATES, Place, Touches};
use crate::integrate::{EvaluationFailed, Method, Ode, Problem, Settings};
use crate::program::{NoTangents, Program, Programs, Surroundings, TangentPoint, Tangents};

/// Errors of one integration are at most this, however large those of the run may be.
const TOLERANCE: f64 = 1e-10;

/// The states after an instant.
pub(super) struct Carried {
    time: f64,
    /// All quantities of the mode.
    jet: Vec<f64>,
    /// By direction: how the states change.
    states: Vec<Vec<f64>>,
    /// By direction: how what is given changes.
    given: Vec<Vec<f64>>,
}

impl Carried {
    pub fn new(side: &Side<'_>, states: Vec<Vec<f64>>, given: Vec<Vec<f64>>) -> Self {
        Carried { time: side.time, jet: side.jet.clone(), states, given }
    }
}

/// The modes of a run with their derivatives.
pub(super) struct Flow<'s> {
    prepared: &'s Prepared,
    programs: Programs<'s>,
    surroundings: Surroundings,
    /// What stands still between events and may change with what is differentiated by.
    pub given: Vec<VariableId>,
    modes: BTreeMap<Vec<bool>, Differentiated>,
    present: Vec<bool>,
}

/// A mode with the derivatives for its present states.
struct Differentiated {
    program: Program,
    tangents: Option<Tangents>,
}

impl<'s> Flow<'s> {
    /// `is_changed` are the parameters that have other values at neighbours.
    pub fn new(prepared: &'s Prepared, is_changed: impl Fn(VariableId) -> bool) -> Self {
        let variables = &prepared.dae.model.variables;
        let is_felt = |id: &VariableId| variables[*id].ty == Type::Real && prepared.felt.contains(*id);
        let discrete = prepared.discrete.variables().filter(is_felt);
        let given: Vec<VariableId> =
            variables.ids().filter(is_felt).filter(|&id| is_changed(id)).chain(discrete).collect();
        let programs = Programs::new(
            &prepared.dae,
            &prepared.natives,
            |id| prepared.parameter(id).filter(|_| !given.contains(&id)),
            |id| prepared.constants.nominal.get(id.index()).copied(),
        );
        let surroundings = Surroundings::new(&prepared.dae.model);
        Flow { prepared, programs, surroundings, given, modes: BTreeMap::new(), present: Vec::new() }
    }

    /// Enters the mode of a side: where its states are in a jet, and their slopes.
    pub fn enter(&mut self, side: &Side<'_>) -> Result<Vec<(usize, usize)>, NoSensitivity> {
        for id in self.prepared.discrete.variables().filter(|&id| self.prepared.felt.contains(id)) {
            self.surroundings.set_variable(id, side.discrete[id]);
        }
        for &id in &self.given {
            let value = self.prepared.parameter(id).unwrap_or(side.discrete[id]);
            self.surroundings.set_variable(id, value);
        }
        self.present = key(&side.mode.values);
        if !self.modes.contains_key(&self.present) {
            let values = side.mode.values.clone();
            let program = self.programs.program(side.mode.structure.clone(), |id| values[id]);
            let program = program.map_err(|_| NoSensitivity::NoProgram)?;
            self.modes.insert(self.present.clone(), Differentiated { program, tangents: None });
        }
        self.choose_states(side.time, &side.jet)?;
        let program = &self.modes[&self.present].program;
        Ok(program.states().iter().map(|state| (state.index(), state.derivative().index())).collect())
    }

    /// Chooses states that are good at a jet, with the derivatives by them.
    fn choose_states(&mut self, time: f64, jet: &[f64]) -> Result<(), NoSensitivity> {
        let Differentiated { program, tangents } = self.modes.get_mut(&self.present).expect("a mode was entered");
        let before = program.has_states().then(|| program.states().to_vec());
        let chosen = program.choose_states(&mut self.programs, time, jet, &self.surroundings);
        chosen.map_err(|_| NoSensitivity::NoProgram)?;
        if tangents.is_none() || before.as_deref() != Some(program.states()) {
            let made = program.tangents(&mut self.programs, &self.given);
            *tangents = Some(made.map_err(NoSensitivity::NoTangents)?);
        }
        Ok(())
    }

    /// From an instant to the next one: by direction, how all quantities on its left side change at its time.
    pub fn follow(
        &mut self,
        carried: Carried,
        left: &Side<'_>,
        touches: &mut Touches<'_, '_>,
    ) -> Result<Vec<Vec<f64>>, NoSensitivity> {
        let Carried { mut time, mut jet, mut states, given } = carried;
        while time < left.time {
            let Differentiated { program, tangents } = self.modes.get_mut(&self.present).expect("a mode was entered");
            let tangents = tangents.as_ref().expect("derivatives are made with the choice of states");
            let mut values = Vec::new();
            program.states_of(&jet, &mut values);
            let count = values.len();
            let slopes: Vec<usize> = program.states().iter().map(|it| it.derivative().index()).collect();
            let mut passing = Passing::new(left.time - time);
            if count == 0 {
                let mut guess = jet.clone();
                let mut placed = |at: f64| {
                    program.evaluate(at, &[], &self.surroundings, &mut guess).map_err(|_| NoSensitivity::NoFlow)?;
                    let point = TangentPoint { time: at, jet: &guess, surroundings: &self.surroundings };
                    let changes = changes(program, tangents, point, &states, &given)?;
                    Ok(Place { time: at, jet: guess.clone(), changes })
                };
                touches.stretch((time, left.time), LOOKS_WITHOUT_STATES, &mut placed)?;
                break;
            }
            states.iter().for_each(|change| values.extend(change));
            let nominal = vec![0.0; values.len()];
            let settings = Settings::new(TOLERANCE, values.len()).with_method(Method::Bdf).with_nominal(nominal);
            let pattern = repeated(program.jacobian_pattern(), states.len() + 1);
            let system =
                Variation { program, tangents, surroundings: &self.surroundings, given: &given, jet, count, pattern };
            let problem = Problem::new(system, &settings);
            let failed = |_| NoSensitivity::NoFlow;
            let mut integrator = problem.start(time, &values, None).map_err(failed)?;
            let needs_others = loop {
                let from = integrator.time();
                integrator.step(left.time).map_err(failed)?;
                let to = integrator.time();
                let mut state = values.clone();
                let mut placed = |at: f64| {
                    integrator.interpolate(at, &mut state);
                    let mut system = problem.system();
                    let Variation { program, tangents, surroundings, given, jet, .. } = &mut *system;
                    let (own, moved) = state.split_at(count);
                    program.evaluate(at, own, surroundings, jet).map_err(|_| NoSensitivity::NoFlow)?;
                    let moved: Vec<Vec<f64>> = moved.chunks(count).map(<[f64]>::to_vec).collect();
                    let point = TangentPoint { time: at, jet, surroundings };
                    let changes = changes(program, tangents, point, &moved, given)?;
                    Ok(Place { time: at, jet: jet.clone(), changes })
                };
                touches.stretch((from, to), LOOKS, &mut placed)?;
                let unknown = |of| NoSensitivity::NoTangents(NoTangents::NotSmooth(of));
                if let Some(corners) = tangents.corners().map_err(unknown)? {
                    let passed = Passed { corners, slopes: &slopes, surroundings: &self.surroundings, given: &given };
                    passing.step(&passed, (from, to), &mut placed)?;
                }
                let mut system = problem.system();
                let Variation { program, surroundings, jet, .. } = &mut *system;
                program
                    .evaluate(integrator.time(), &integrator.state()[..count], surroundings, jet)
                    .map_err(|_| NoSensitivity::NoFlow)?;
                if integrator.time() >= left.time {
                    break false;
                }
                if program.has_choice() && program.needs_new_states(integrator.time(), jet, surroundings) {
                    break true;
                }
            };
            time = integrator.time();
            states = integrator.state()[count..].chunks(count).map(<[f64]>::to_vec).collect();
            jet = std::mem::take(&mut problem.system().jet);
            drop(integrator);
            drop(problem);
            if needs_others {
                let changes = self.changes(time, &jet, &states, &given)?;
                self.choose_states(time, &jet)?;
                let program = &self.modes[&self.present].program;
                let of_states =
                    |change: &Vec<f64>| program.states().iter().map(|state| change[state.index()]).collect();
                states = changes.iter().map(of_states).collect();
            }
        }
        self.changes(left.time, &left.jet, &states, &given)
    }

    /// By direction: how all quantities change at a point.
    fn changes(
        &self,
        time: f64,
        jet: &[f64],
        states: &[Vec<f64>],
        given: &[Vec<f64>],
    ) -> Result<Vec<Vec<f64>>, NoSensitivity> {
        let Differentiated { program, tangents } = &self.modes[&self.present];
        let tangents = tangents.as_ref().expect("derivatives are made with the choice of states");
        changes(program, tangents, TangentPoint { time, jet, surroundings: &self.surroundings }, states, given)
    }
}

/// By direction: how all quantities of a mode change at a point.
fn changes(
    program: &Program,
    tangents: &Tangents,
    point: TangentPoint<'_>,
    states: &[Vec<f64>],
    given: &[Vec<f64>],
) -> Result<Vec<Vec<f64>>, NoSensitivity> {
    let rows = tangents.at(program.quantities(), point).map_err(NoSensitivity::NoTangents)?;
    let change = |(states, given): (&Vec<f64>, &Vec<f64>)| rows.iter().map(|row| product(row, states, given)).collect();
    Ok(states.iter().zip(given).map(change).collect())
}

fn key(mode: &Mode) -> Vec<bool> {
    mode.values().collect()
}

/// A row of derivatives by states and by what is given, times their changes.
fn product(row: &[f64], states: &[f64], given: &[f64]) -> f64 {
    row.iter().zip(states.iter().chain(given)).map(|(entry, change)| entry * change).sum()
}

/// The same pattern so many times along the diagonal.
fn repeated(pattern: &Pattern, times: usize) -> Pattern {
    let size = pattern.row_count();
    let row = |at: usize| {
        let (block, row) = (at / size, at % size);
        pattern.row(row).iter().map(move |&column| (block * size) as u32 + column).collect::<Vec<_>>()
    };
    Pattern::from_rows(times * size, (0..times * size).map(row))
}

/// The states of a mode, followed by their changes in all directions.
struct Variation<'v> {
    program: &'v mut Program,
    tangents: &'v Tangents,
    surroundings: &'v Surroundings,
    given: &'v [Vec<f64>],
    jet: Vec<f64>,
    /// How many states.
    count: usize,
    pattern: Pattern,
}

impl Ode for Variation<'_> {
    fn size(&self) -> usize {
        self.count * (1 + self.given.len())
    }

    fn derivative(&mut self, time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        let (own, changes) = state.split_at(self.count);
        self.program.evaluate(time, own, self.surroundings, &mut self.jet)?;
        let point = TangentPoint { time, jet: &self.jet, surroundings: self.surroundings };
        let no_tangents = |_| EvaluationFailed::new("the equations have no derivatives");
        let rows = self.tangents.at(self.program.quantities(), point).map_err(no_tangents)?;
        for (at, state) in self.program.states().iter().enumerate() {
            let slope = state.derivative().index();
            derivative[at] = self.jet[slope];
            for (number, (change, given)) in changes.chunks(self.count).zip(self.given).enumerate() {
                derivative[(1 + number) * self.count + at] = product(&rows[slope], change, given);
            }
        }
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }

    /// Along the diagonal: how `A` itself changes with the states leaves the steps of Newton's iteration as they are but for a
    /// second one.
    fn jacobian(&mut self, time: f64, state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        let (first, others) = entries.split_at_mut(self.program.jacobian_pattern().entry_count());
        self.program.jacobian(time, &state[..self.count], self.surroundings, first)?;
        others.chunks_mut(first.len().max(1)).for_each(|block| block.copy_from_slice(first));
        Ok(())
    }
}
