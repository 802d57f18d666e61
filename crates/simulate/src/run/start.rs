//! The beginning of a run: start values, the mode they are in, and the first side.

use std::collections::BTreeMap;
use std::sync::Arc;

use modeshift_dae::{Derivative, Id, IndexVec, Mode, ModeVariableId, MultimodeDae, Variability, VariableId};
use modeshift_diagnostics::{Diagnostic, Diagnostics};
use modeshift_modes::Limit;
use modeshift_numerics::{Input, NativeFunctions, Parameters};
use modeshift_structure::initialization::{
    InitialChoice, Initialization, initialization, initialization_of_first_states, initialization_within_budget,
};

use crate::initialization::{
    InitialProblem, InitialState, StartMode, StartSettings, explain_failure, explain_solution,
};
use crate::run::failure::NoBeginning;
use crate::run::first_mode::LeftLimits;
use crate::run::instant::entry::LastValues;
use crate::run::instant::event_iteration::Outcome;
use crate::run::memory::{Memory, TimeScale};
use crate::run::modes::{NoMode, VisitedModes};
use crate::run::prepare::native_calls::missing_functions;
use crate::run::prepare::{Constants, Prepared};
use crate::run::values::{Occasion, Side};
use crate::run::{Machinery, RunModel, RunSettings};

/// States that differ by more than this share of their size, left and right of the start, jump: as conditions of a start that
/// disagree.
const JUMP: f64 = 1e-7;

/// What is delayed is begun again so often with the start that follows from it: a bound on work, far above the number of delays in
/// a row that lead from one to the next.
pub(super) const MOST_BEGINNINGS: usize = 50;

/// A model made ready, and the values that its runs begin with.
pub(super) struct Start {
    pub prepared: Prepared,
    pub settings: RunSettings,
    found: Found,
}

/// What initialization found.
enum Found {
    /// Start values and their mode.
    State(InitialState),
    /// No mode that agrees with the start values: these, and what there is to say if the first instant does not find one either.
    LeftLimits(LeftLimits, Vec<Diagnostic>),
}

/// Where a run begins.
pub(super) struct Beginning<'a> {
    pub side: Side<'a>,
    /// The side before and the instant that led here, where states jumped in it.
    pub jump: Option<(Side<'a>, Outcome<'a>)>,
    /// Whether the side is a start as it stands, whatever comes right after it.
    pub stands: bool,
}

impl Start {
    /// Finds the start of a model; says why there is none.
    pub fn find(model: &RunModel<'_>, settings: &RunSettings, diagnostics: &mut Diagnostics) -> Option<Self> {
        if !settings.check(diagnostics) {
            return None;
        }
        let missing = missing_functions(&model.dae.model, model.natives);
        if !missing.is_empty() {
            missing.into_iter().for_each(|problem| diagnostics.push(problem));
            return None;
        }
        let (found, constants) = initial_state(model, settings, diagnostics)?;
        match Start::made((model.dae, model.natives), constants, settings, found) {
            Ok(start) => Some(start),
            Err(problems) => {
                problems.into_iter().for_each(|problem| diagnostics.push(problem));
                None
            }
        }
    }

    /// The same from a problem of which it is known that no mode agrees with its start values; nothing where these are no left limits.
    fn before(problem: &InitialProblem<'_>, settings: &RunSettings) -> Option<Self> {
        let mut unsaid = Diagnostics::new();
        let limits = LeftLimits::of(problem).filter(|_| settings.check(&mut unsaid))?;
        let overrides = BTreeMap::new();
        let model = &problem.start.system.dae.model;
        let mut parameters = Parameters::evaluate(model, problem.natives, &overrides, &mut unsaid).ok()?;
        let (values, constants) = constants(problem.dae, &mut parameters);
        let constants = Constants { parameters: Arc::new(values), ..constants };
        let found = Found::LeftLimits(limits, Vec::new());
        Start::made((problem.dae, problem.natives), constants, settings, found).ok()
    }

    /// The same from a problem with the start values that were found for it.
    pub(super) fn at(problem: &InitialProblem<'_>, settings: &RunSettings, mut state: InitialState) -> Option<Self> {
        let (mut unsaid, overrides) = (Diagnostics::new(), BTreeMap::new());
        let model = &problem.start.system.dae.model;
        let mut parameters = Parameters::evaluate(model, problem.natives, &overrides, &mut unsaid).ok()?;
        let (mut values, constants) = constants(problem.dae, &mut parameters);
        problem.forget_assignments(&mut state);
        complete_parameters(problem.dae, &state, &mut values);
        let constants = Constants { parameters: Arc::new(values), ..constants };
        Start::made((problem.dae, problem.natives), constants, settings, Found::State(state)).ok()
    }

    fn made(
        (dae, natives): (&MultimodeDae, &NativeFunctions),
        constants: Constants,
        settings: &RunSettings,
        found: Found,
    ) -> Result<Self, Vec<Diagnostic>> {
        let how = (settings.noise(), settings.search);
        let prepared =
            Prepared::new(dae.clone(), natives.clone(), constants, how, (settings.start, settings.inputs_move))?;
        Ok(Start { prepared, settings: settings.clone(), found })
    }

    /// The left side of the first instant.
    pub fn beginning<'a>(&'a self, machinery: &mut Machinery<'a>) -> Result<Beginning<'a>, NoBeginning> {
        let driven = self.time_of_sources();
        machinery.memory.time_scale = driven.unwrap_or_default();
        self.begin_delays(machinery);
        let mut beginning = self.begun(machinery)?;
        for _ in 0..MOST_BEGINNINGS {
            let Machinery { prepared, memory, .. } = machinery;
            if prepared.delays.begin_as(prepared, &mut memory.buffers.delayed, &beginning.side) {
                break;
            }
            beginning = self.begun(machinery)?;
        }
        if let Some(own) = time_of_states(&beginning.side) {
            machinery.memory.time_scale = driven.map_or(own, |driven| driven.or_shorter(own));
        }
        Ok(beginning)
    }

    fn begun<'a>(&'a self, machinery: &mut Machinery<'a>) -> Result<Beginning<'a>, NoBeginning> {
        match &self.found {
            Found::State(state) => self.begun_at(machinery, state),
            Found::LeftLimits(limits, refusal) => self.begun_before(machinery, limits, refusal),
        }
    }

    /// What is delayed has always been what it is at the start values.
    fn begin_delays(&self, machinery: &mut Machinery<'_>) {
        let Start { prepared, settings, found } = self;
        let start = |id: VariableId| prepared.constants.starts.get(id.index()).copied().flatten();
        let truth = |mode: ModeVariableId| match found {
            Found::State(state) => state.mode.value(mode),
            Found::LeftLimits(limits, _) => limits.truth(mode),
        };
        let value = |id: VariableId, order: u32| match found {
            Found::State(state) => state.value(id, order),
            Found::LeftLimits(limits, _) => limits.value(id).filter(|_| order == 0),
        };
        prepared.delays.begin(&mut machinery.memory.buffers.delayed, settings.start, |input| match input {
            Input::Time => settings.start,
            Input::Variable(id, order) | Input::LeftVariable(id, order) => {
                prepared.parameter(id).or(value(id, order)).or(start(id)).unwrap_or(0.0)
            }
            Input::Mode(mode) | Input::LeftMode(mode) => f64::from(u8::from(truth(mode))),
            Input::Run(_) => 0.0,
            Input::Homotopy => 1.0,
        });
    }

    /// In what time the first thing happens that time alone makes: something is due, or a function of time bends.
    fn time_of_sources(&self) -> Option<TimeScale> {
        let Start { prepared, settings: RunSettings { start, .. }, .. } = self;
        let discrete = nothing_discrete(prepared);
        let due = prepared.next_time(*start, &discrete, &prepared.schedule.samplings);
        TimeScale::of_change(prepared.time_functions.resolved_until(&discrete, *start, 1.0, due) - start)
    }

    /// From left limits: the mode that follows from them.
    fn begun_before<'a>(
        &'a self,
        machinery: &mut Machinery<'a>,
        limits: &LeftLimits,
        refusal: &[Diagnostic],
    ) -> Result<Beginning<'a>, NoBeginning> {
        let discrete = nothing_discrete(&self.prepared);
        let (before, outcome) = match limits.first(machinery, self.settings.start, discrete) {
            Ok(found) => found,
            Err(_) => return Err(NoBeginning::Instant(refusal.to_vec())),
        };
        let jumps = jumps_of_fixed(&self.prepared, &before, &outcome.right);
        if !jumps.is_empty() && !self.settings.impulsive_start {
            return Err(NoBeginning::Jump(jumps));
        }
        let mut side = outcome.right.clone();
        let Machinery { prepared, memory, .. } = machinery;
        let values = memory.buffers.atom_values(prepared, (&side, &side), Occasion::default(), &[]);
        memory.learn_scales(&values);
        machinery.memory.buffers.begin_conditions(&self.prepared, &mut side);
        let has_jumped = !jumps.is_empty() || !outcome.impulses.is_empty();
        Ok(Beginning { side, jump: has_jumped.then_some((before, outcome)), stands: false })
    }

    /// From start values that were found, with their mode.
    fn begun_at<'a>(
        &'a self,
        machinery: &mut Machinery<'a>,
        state: &InitialState,
    ) -> Result<Beginning<'a>, NoBeginning> {
        let Start { prepared, settings, .. } = self;
        let values = Mode::from_fn(prepared.dae.mode_variables.len(), |id| state.mode.value(id));
        let at_start = |input: Input| match input {
            Input::Time => settings.start,
            Input::Variable(id, order) | Input::LeftVariable(id, order) => {
                prepared.parameter(id).or(state.value(id, order)).unwrap_or(0.0)
            }
            _ => 0.0,
        };
        let mode = machinery.visited.get(&values, None, &at_start).map_err(NoBeginning::Mode)?;
        let mut discrete = nothing_discrete(prepared);
        for id in prepared.discrete.variables() {
            let start = prepared.constants.starts.get(id.index()).copied().flatten();
            discrete[id] = state.value(id, 0).or(start).unwrap_or(0.0);
        }
        for (mode, value) in prepared.dae.mode_variables.iter().zip(values.values()) {
            if let Some(id) = mode.variable {
                discrete[id] = f64::from(u8::from(value));
            }
        }
        let jet = mode.quantities.list().iter().map(|it| state.value(it.of, it.order).unwrap_or(f64::NAN)).collect();
        let last = LastValues::default();
        let mut side = Side { time: settings.start, mode, jet, discrete, sliding: None, last };
        first_truths(machinery, &mut side);
        complete_start(machinery, &mut side)?;
        machinery.memory.buffers.begin_conditions(prepared, &mut side);
        Ok(Beginning { side, jump: None, stands: state.stands })
    }
}

/// The start that the first instant of a run selects, where no mode agrees with the start values as they stand; nothing where
/// there is none, or where the search for start values decides.
pub(crate) fn state_after_first_instant(model: &RunModel<'_>, settings: &RunSettings) -> Option<InitialState> {
    let start = Start::find(model, settings, &mut Diagnostics::new())?;
    match start.found {
        Found::State(_) => None,
        Found::LeftLimits(..) => start.after_first_instant(),
    }
}

/// The same of a problem whose search for start values has failed in all modes that a run would search.
pub(crate) fn state_after_failed_search(problem: &InitialProblem<'_>, settings: &RunSettings) -> Option<InitialState> {
    Start::before(problem, settings)?.after_first_instant()
}

impl Start {
    /// What the first instant makes of left limits.
    fn after_first_instant(&self) -> Option<InitialState> {
        let start = self;
        let prepared = &start.prepared;
        let mut machinery = Machinery { prepared, visited: VisitedModes::new(prepared), memory: Memory::new(prepared) };
        let side = start.beginning(&mut machinery).ok()?.side;
        let jet = side.mode.quantities.list().iter().zip(&side.jet).map(|(&it, &value)| (it, value));
        let dae = &prepared.dae;
        let discrete = dae.discrete.definitions.iter_enumerated().filter(|(_, it)| it.is_some());
        let discrete = discrete.map(|(id, _)| (Derivative::new(id, 0), side.discrete[id]));
        let values = jet.chain(discrete).filter(|(_, value)| !value.is_nan());
        Some(InitialState {
            mode: StartMode(Mode::from_fn(dae.mode_variables.len(), |id| side.mode.values[id])),
            scenario: String::new(),
            values: values.collect(),
            fixed: Vec::new(),
            others: Vec::new(),
            complete: true,
            stands: false,
            log: Vec::new(),
        })
    }
}

/// In what time states change by as much as they are, the mean of all for which that can be said: one that begins near zero
/// is not faster than the others for that.
fn time_of_states(side: &Side<'_>) -> Option<TimeScale> {
    let quantities = side.mode.quantities.list().iter().filter(|it| it.order > 0);
    let times = quantities.map(|it| (side.value(it.of, it.order - 1) / side.value(it.of, it.order)).abs().ln());
    let (count, sum) = times.filter(|it| it.is_finite()).fold((0, 0.0), |(count, sum), it| (count + 1, sum + it));
    (count > 0).then(|| TimeScale::of_change((sum / f64::from(count)).exp()))?
}

/// Fixed start values of states that differ between the two sides of the first instant: from where to where they jump.
pub(super) fn jumps_of_fixed(prepared: &Prepared, before: &Side<'_>, after: &Side<'_>) -> Vec<(VariableId, f64, f64)> {
    let is_fixed = |id: VariableId| prepared.dae.model.variables[id].fixed == Some(true);
    let quantities = before.mode.quantities.list().iter().filter(|it| it.order == 0 && is_fixed(it.of));
    let limits = quantities.map(|it| (it.of, before.value(it.of, 0), after.value(it.of, 0)));
    let jumps = limits.filter(|&(id, left, right)| {
        let exists = after.mode.quantities.index(id, 0).is_some();
        exists && (right - left).abs() > JUMP * left.abs().max(right.abs())
    });
    jumps.collect()
}

/// Values of parameters, and none of all else. Continuous variables that always exist are zero here: that is their value in
/// modes that leave them free.
fn nothing_discrete(prepared: &Prepared) -> IndexVec<VariableId, f64> {
    let expressions = &prepared.dae.model.expressions;
    let variables = prepared.dae.model.variables.iter_enumerated();
    let value = variables.map(|(id, variable)| {
        let always_exists = expressions.literal_boolean(variable.guard) == Some(true);
        let pinned = (variable.is_continuous_unknown() && always_exists).then_some(0.0);
        prepared.parameter(id).or(pinned).unwrap_or(f64::NAN)
    });
    value.collect()
}

/// The start values and what is known of the model's numbers.
fn initial_state(
    model: &RunModel<'_>,
    settings: &RunSettings,
    diagnostics: &mut Diagnostics,
) -> Option<(Found, Constants)> {
    let RunModel { dae, natives, overrides, .. } = *model;
    let start = match structure_of_start(model, settings, diagnostics) {
        Ok(start) => start,
        Err(limit) => {
            let message = format!("the start could not be analyzed: {limit}");
            diagnostics.push(Diagnostic::error("E0710", message).help("raise the limit, or do without it"));
            return None;
        }
    };
    let mut parameters = Parameters::evaluate(&start.system.dae.model, natives, overrides, diagnostics).ok()?;
    let start_settings = StartSettings { time: settings.start, ..StartSettings::default() };
    let problem = InitialProblem::new(dae, &start, natives, &mut parameters, start_settings);
    let (mut values, constants) = constants(dae, &mut parameters);
    let Some(scenario) = start.scenarios.first() else {
        diagnostics.push(Diagnostic::error("E0711", "the model has no initial scenario of this number"));
        return None;
    };
    match problem.find_start(scenario) {
        Ok(mut state) => {
            explain_solution(&problem, &state, diagnostics);
            problem.forget_assignments(&mut state);
            complete_parameters(dae, &state, &mut values);
            Some((Found::State(state), Constants { parameters: Arc::new(values), ..constants }))
        }
        Err(failure) => {
            let mut refusal = Diagnostics::new();
            explain_failure(&problem, &failure, &mut refusal);
            let may_follow = scenario.id.is_none() && !failure.is_about_discrete_variables();
            let Some(limits) = LeftLimits::of(&problem).filter(|_| may_follow) else {
                diagnostics.extend(refusal);
                return None;
            };
            let constants = Constants { parameters: Arc::new(values), ..constants };
            Some((Found::LeftLimits(limits, refusal.iter().cloned().collect()), constants))
        }
    }
}

/// The start in all modes or, where their sets outgrow their budget, where all machines begin, from which the first instant leads on.
fn structure_of_start(
    model: &RunModel<'_>,
    settings: &RunSettings,
    diagnostics: &mut Diagnostics,
) -> Result<Initialization, Limit> {
    let RunModel { dae, analysis, .. } = *model;
    let choice = InitialChoice { scenario: settings.scenario, ..InitialChoice::default() };
    let limits = settings.limits();
    if let Some(start) = initialization_within_budget(dae, analysis, &choice, &limits, diagnostics)? {
        return Ok(start);
    }
    match initialization_of_first_states(dae, analysis, &choice, &limits, diagnostics)? {
        Some(start) => Ok(start),
        None => initialization(dae, analysis, &choice, &limits, diagnostics),
    }
}

/// Values of parameters as far as they are known, start values and nominal values.
fn constants(dae: &MultimodeDae, parameters: &mut Parameters<'_>) -> (Vec<Option<f64>>, Constants) {
    let mut values = Vec::new();
    let mut constants = Constants { parameters: Arc::default(), starts: Vec::new(), nominal: Vec::new() };
    for (id, variable) in dae.model.variables.iter_enumerated() {
        let is_parameter = variable.variability <= Variability::Parameter;
        values.push(if is_parameter { parameters.of(id) } else { None });
        constants.starts.push(variable.start.and_then(|start| parameters.value(start)));
        let nominal = variable.nominal.and_then(|nominal| parameters.value(nominal)).map_or(0.0, f64::abs);
        constants.nominal.push(if nominal.is_finite() { nominal } else { 0.0 });
    }
    (values, constants)
}

/// Parameters that initialization has solved for.
fn complete_parameters(dae: &MultimodeDae, state: &InitialState, values: &mut [Option<f64>]) {
    for (id, variable) in dae.model.variables.iter_enumerated() {
        if variable.variability <= Variability::Parameter && values[id.index()].is_none() {
            values[id.index()] = state.value(id, 0);
        }
    }
}

/// The truths of relations and steps of stairs at the start values, as they stand.
fn first_truths(machinery: &mut Machinery<'_>, side: &mut Side<'_>) {
    // Stairs first, since relations contain them; twice, since stairs may contain stairs.
    for _ in 0..2 {
        first_stairs(machinery, side);
    }
    let Machinery { prepared, memory, .. } = machinery;
    let occasion = Occasion { initial: true, terminal: false };
    let values = memory.buffers.atom_values(prepared, (side, side), occasion, &[]);
    for (atom, &(difference, _)) in prepared.discrete.atoms.iter().zip(values.iter()) {
        side.discrete[atom.variable] = f64::from(u8::from(atom.operator.holds(difference, 0.0)));
    }
    memory.learn_scales(&values);
}

fn first_stairs(machinery: &mut Machinery<'_>, side: &mut Side<'_>) {
    let prepared = machinery.prepared;
    let arguments = machinery.memory.buffers.stair_arguments(prepared, side);
    for (stair, argument) in prepared.discrete.stairs.iter().zip(arguments) {
        side.discrete[stair.variable] = stair.rounding.step(argument);
    }
    let before = side.discrete.clone();
    prepared.update_time(side.time, &before, &mut side.discrete);
}

/// Derivatives that initialization had no need for, from the states.
fn complete_start<'a>(machinery: &mut Machinery<'a>, side: &mut Side<'a>) -> Result<(), NoBeginning> {
    let visited = &mut machinery.visited;
    visited.surround(side);
    let guess: Vec<f64> = side.jet.iter().map(|&value| if value.is_nan() { 0.0 } else { value }).collect();
    let surroundings = visited.surroundings.borrow();
    side.mode
        .choose_states(&mut visited.programs, side.time, &guess, &surroundings)
        .map_err(|reason| NoBeginning::Mode(NoMode::NotBuilt(reason)))?;
    let mut program = side.mode.program.borrow_mut();
    let mut states = Vec::new();
    program.states_of(&guess, &mut states);
    side.jet.copy_from_slice(&guess);
    program.evaluate(side.time, &states, &surroundings, &mut side.jet).map_err(NoBeginning::Block)
}
