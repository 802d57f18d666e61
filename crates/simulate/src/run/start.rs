//! The beginning of a run: start values, the mode they are in, and the engine that goes on from there.

use std::sync::Arc;

use modeshift_dae::{Builtin, ExpressionId, Id, IndexVec, MultimodeDae, Node, Variability, VariableId};
use modeshift_diagnostics::{Diagnostic, Diagnostics};
use modeshift_mode_changes::{Noise, Sign};
use modeshift_numerics::Parameters;
use modeshift_structure::Options;
use modeshift_structure::initialization::{InitialChoice, initialization};

use super::{RunModel, RunSettings, RunSummary};
use crate::initialization::{InitialProblem, InitialState, StartSettings, explain_failure, explain_solution};
use crate::results::Columns;
use crate::run::engine::{Constants, Engine};
use crate::run::failure;
use crate::run::instant::event_iteration::Fired;
use crate::run::modes::Modes;
use crate::run::phase::time_events::Sampling;
use crate::run::prepare::relations::Moment;
use crate::run::prepare::system::System;
use crate::run::values::{Phase, Side};

/// Where a run begins.
pub(super) struct Beginning<'a> {
    pub side: Side<'a>,
    /// Atoms that are at zero and go to the other side than the start values say.
    pub fired: Fired,
}

/// Noise relative to values, as a share of the tolerance, and its bounds.
const NOISE_SHARE: f64 = 1e-3;
const LEAST_NOISE: f64 = 1e-10;

/// Finds the start of a model and hands over to `go_on`.
pub(super) fn with_start(
    model: &RunModel<'_>,
    settings: &RunSettings,
    diagnostics: &mut Diagnostics,
    go_on: impl for<'a> FnOnce(Engine<'a>, Beginning<'a>, Columns, &mut Diagnostics) -> RunSummary,
) -> Option<RunSummary> {
    if !check_settings(settings, diagnostics) {
        return None;
    }
    let (state, mut parameters) = initial_state(model, settings, diagnostics)?;
    complete_parameters(model.dae, &state, &mut parameters.values);
    let mut dae = model.dae.clone();
    let parameters_known = parameters.values.clone();
    let parameter = |id: VariableId| parameters_known.get(id.index()).copied().flatten();
    let system = match System::new(&mut dae, model.natives, &parameter) {
        Ok(system) => system,
        Err(problems) => {
            problems.into_iter().for_each(|problem| diagnostics.push(problem));
            return None;
        }
    };
    let columns = Columns::of(model.dae, parameter);
    let shared = Arc::new(parameters.values);
    let nominal = parameters.nominal;
    let modes = Modes::new(&dae, model.natives, shared.clone(), |id| nominal.get(id.index()).copied());
    let noise = noise(settings);
    let constants =
        Constants { parameters: shared, starts: parameters.starts, nominal: nominal.clone(), search: settings.search };
    let mut engine = Engine::new(&dae, model.natives, system, modes, constants, noise);
    if !engine.add_samplings(settings.start, diagnostics) {
        return None;
    }
    match engine.beginning(&state, settings.start) {
        Ok(beginning) => Some(go_on(engine, beginning, columns, diagnostics)),
        Err(reason) => {
            failure::explain_no_mode(&engine, &reason, settings.start, diagnostics);
            None
        }
    }
}

fn check_settings(settings: &RunSettings, diagnostics: &mut Diagnostics) -> bool {
    let RunSettings { start, stop, interval, tolerance, .. } = *settings;
    let problem = if !(start.is_finite() && stop.is_finite() && stop >= start) {
        format!("the run cannot go from time {start} to {stop}")
    } else if !(interval > 0.0 || stop == start) {
        format!("the interval {interval} between rows is not positive")
    } else if !(tolerance > 0.0 && tolerance < 1.0) {
        format!("the tolerance {tolerance} is not between 0 and 1")
    } else {
        return true;
    };
    diagnostics.push(Diagnostic::error("E0810", problem));
    false
}

fn noise(settings: &RunSettings) -> Noise {
    let relative = (NOISE_SHARE * settings.tolerance).max(LEAST_NOISE);
    let time_scale = 1e-2 * (settings.stop - settings.start).abs().max(f64::MIN_POSITIVE);
    Noise { relative, time_scale, event_time_error: 1e-10 * time_scale, floor: 1e-12 }
}

/// Values of parameters, start values and nominal values, by variable.
struct Given {
    values: Vec<Option<f64>>,
    starts: Vec<Option<f64>>,
    nominal: Vec<f64>,
}

fn initial_state(
    model: &RunModel<'_>,
    settings: &RunSettings,
    diagnostics: &mut Diagnostics,
) -> Option<(InitialState, Given)> {
    let RunModel { dae, analysis, natives, overrides } = *model;
    let choice = InitialChoice { scenario: settings.scenario, ..InitialChoice::default() };
    let start = match initialization(dae, analysis, &choice, &Options::default(), diagnostics) {
        Ok(start) => start,
        Err(limit) => {
            diagnostics.push(Diagnostic::error("E0710", format!("the start could not be analyzed: {limit:?}")));
            return None;
        }
    };
    let mut parameters = Parameters::evaluate(&start.system.dae.model, natives, overrides, diagnostics).ok()?;
    let start_settings = StartSettings { time: settings.start, ..StartSettings::default() };
    let problem = InitialProblem::new(dae, &start, natives, &mut parameters, start_settings);
    let given = given(dae, &mut parameters);
    let Some(scenario) = start.scenarios.first() else {
        diagnostics.push(Diagnostic::error("E0711", "the model has no initial scenario of this number"));
        return None;
    };
    match problem.find_start(scenario) {
        Ok(state) => {
            explain_solution(&problem, &state, diagnostics);
            Some((state, given))
        }
        Err(failure) => {
            explain_failure(&problem, &failure, diagnostics);
            None
        }
    }
}

fn given(dae: &MultimodeDae, parameters: &mut Parameters<'_>) -> Given {
    let mut given = Given { values: Vec::new(), starts: Vec::new(), nominal: Vec::new() };
    for (id, variable) in dae.model.variables.iter_enumerated() {
        let is_parameter = variable.variability <= Variability::Parameter;
        given.values.push(if is_parameter { parameters.of(id) } else { None });
        given.starts.push(variable.start.and_then(|start| parameters.value(start)));
        let nominal = variable.nominal.and_then(|nominal| parameters.value(nominal)).map_or(1.0, f64::abs);
        given.nominal.push(if nominal > 0.0 && nominal.is_finite() { nominal } else { 1.0 });
    }
    given
}

/// Parameters that initialization has solved for.
fn complete_parameters(dae: &MultimodeDae, state: &InitialState, values: &mut [Option<f64>]) {
    for (id, variable) in dae.model.variables.iter_enumerated() {
        if variable.variability <= Variability::Parameter && values[id.index()].is_none() {
            values[id.index()] = state.value(id, 0);
        }
    }
}

impl<'a> Engine<'a> {
    /// Looks up the instants of all calls of `sample`.
    fn add_samplings(&mut self, from: f64, diagnostics: &mut Diagnostics) -> bool {
        let no_values: IndexVec<VariableId, f64> = self.dae.model.variables.iter().map(|_| f64::NAN).collect();
        for call in self.system.samples(&self.dae.model) {
            let Node::Call(Builtin::Sample, arguments) = self.dae.model.expressions.node(call) else { continue };
            let list: Vec<ExpressionId> = self.dae.model.expressions.argument_list(arguments).to_vec();
            let constant = |expression| self.affine(expression, &no_values).filter(|it| it.slope == 0.0);
            match (constant(list[0]), constant(list[1])) {
                (Some(start), Some(interval)) if interval.constant > 0.0 && start.constant.is_finite() => {
                    self.samplings.push(Sampling::new(call, start.constant, interval.constant, from));
                }
                _ => {
                    let message =
                        format!("`{}` needs a start and a positive interval known in advance", self.text(call));
                    diagnostics.push(Diagnostic::error("E0814", message));
                    return false;
                }
            }
        }
        true
    }

    /// The left side of the first instant.
    fn beginning(&mut self, state: &InitialState, time: f64) -> Result<Beginning<'a>, failure::NoBeginning> {
        let values: Vec<bool> = self.dae.mode_variables.ids().map(|id| state.mode.value(id)).collect();
        let mode = self.modes.get(&values).map_err(failure::NoBeginning::Mode)?;
        let mut discrete: IndexVec<VariableId, f64> =
            self.dae.model.variables.ids().map(|id| self.parameter(id).unwrap_or(f64::NAN)).collect();
        let ids = self.system.kept.iter().chain(self.system.defined.iter().map(|(id, _)| id));
        for &id in ids {
            let start = self.starts.get(id.index()).copied().flatten();
            discrete[id] = state.value(id, 0).or(start).unwrap_or(0.0);
        }
        for (mode, value) in self.dae.mode_variables.iter().zip(&values) {
            if let Some(id) = mode.variable {
                discrete[id] = f64::from(u8::from(*value));
            }
        }
        let jet =
            mode.quantities.list().iter().map(|&(id, order)| state.value(id, order).unwrap_or(f64::NAN)).collect();
        let mut side = Side { time, mode, jet, discrete };
        self.first_truths(&mut side);
        self.complete_start(&mut side)?;
        self.learn_conditions(&side);
        let fired = self.leaving_atoms(&side);
        Ok(Beginning { side, fired })
    }

    /// The truths of relations and steps of stairs at the start values, as they stand.
    fn first_truths(&mut self, side: &mut Side<'a>) {
        // Stairs first, since relations contain them; twice, since stairs may contain stairs.
        for _ in 0..2 {
            self.first_stairs(side);
        }
        let values = self.atom_values(side, side, Phase { initial: true, terminal: false }, &[]);
        for (atom, &(difference, _)) in self.system.atoms.iter().zip(&values) {
            side.discrete[atom.variable] = f64::from(u8::from(atom.operator.holds(difference, 0.0)));
        }
        self.learn_scales(&values);
    }

    fn first_stairs(&mut self, side: &mut Side<'a>) {
        let skipped = 2 * self.system.atoms.len();
        let model = &self.dae.model;
        let inputs = |input| crate::run::values::input_between(model, input, (side, side), Phase::default(), &[]);
        let arguments = self.system.watched.evaluate(inputs)[skipped..].to_vec();
        for (stair, argument) in self.system.stairs.iter().zip(arguments) {
            side.discrete[stair.variable] = stair.rounding.step(argument);
        }
        self.update_time(side.time, &mut side.discrete);
    }

    /// Derivatives that initialization had no need for, from the states.
    fn complete_start(&mut self, side: &mut Side<'a>) -> Result<(), failure::NoBeginning> {
        self.surround(side);
        let guess: Vec<f64> = side.jet.iter().map(|&value| if value.is_nan() { 0.0 } else { value }).collect();
        let surroundings = self.surroundings.clone();
        let surroundings = surroundings.borrow();
        let mode = side.mode.clone();
        mode.choose_states(&mut self.modes.programs, side.time, &guess, &surroundings)
            .map_err(|reason| failure::NoBeginning::Mode(crate::run::modes::NoMode::NotBuilt(reason)))?;
        let mut program = mode.program.borrow_mut();
        let mut states = Vec::new();
        program.states_of(&guess, &mut states);
        side.jet.copy_from_slice(&guess);
        program.evaluate(side.time, &states, &surroundings, &mut side.jet).map_err(failure::NoBeginning::Block)
    }

    /// Atoms at zero whose series goes to the other side than their truth says.
    fn leaving_atoms(&mut self, side: &Side<'a>) -> Fired {
        let values = self.atom_values(side, side, Phase::default(), &[]);
        let near: Vec<usize> = (0..values.len())
            .filter(|&atom| self.system.atoms[atom].moment != Moment::Time)
            .filter(|&atom| !values[atom].0.is_nan() && !self.is_clear(atom, values[atom]))
            .collect();
        let mut fired = Fired::default();
        for (atom, sign) in self.signs_near_zero(side, &near).unwrap_or_default() {
            let it = &self.system.atoms[atom];
            let wanted = it.side(side.discrete[it.variable] != 0.0);
            if let Sign::Decided(_, value) = sign
                && (value > 0.0) != (wanted > 0.0)
            {
                fired.atoms.push(atom);
            }
        }
        fired
    }
}
