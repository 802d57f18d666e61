//! The run of a multimode model: consistent start values, integration in a mode, events, the next mode, its restart,
//! until the stop time.
//!
//! ```text
//!            ┌────────────────────────── a pause, inputs as before ─────────────┐
//!            ▼                                                                  │
//!  start ─► instant ─► phase ─► rows ─┬─ event ─► instant ─┬─ same ─► phase ────┤
//!  (init)   (initial)                 │                    │                    │
//!                                     │                    ├─ other mode, restart ─► a new phase
//!                                     │                    └─ too many ─► zeno: limit ─► a new phase, or the end
//!                                     ├─ pause, other inputs ─► instant ─► a new phase
//!                                     └─ stop ─► instant (terminal) ─► end
//! ```
//!
//! | file | purpose |
//! |---|---|
//! | `settings` | what is to be run and how, and what came of it |
//! | `prepare` | the model made ready: relations, event functions, the discrete part compiled; never changes |
//! | `start` | the first side |
//! | `first_mode` | its mode, where no mode agrees with the start values literally |
//! | `values` | one-sided limits: all values on one side of an instant |
//! | `modes`, `mode_cache` | modes visited so far |
//! | `exact_modes` | which modes are affine, and are solved exactly |
//! | `pinned_modes` | what makes singular modes run whose states are determined |
//! | `running_sizes` | how large the terms are that a guard near zero is made of |
//! | `delays` | the past of what is delayed |
//! | `memory` | what else is remembered from instant to instant |
//! | `phase` | integration in one mode up to the next event, which is located to rounding |
//! | `instant` | what happens at an event, micro-step by micro-step |
//! | `sliding` | modes along surfaces that both sides of a guard point at |
//! | `linearize` | a mode as a linear system near a point of a run |
//! | `periodic` | the periodic steady state |
//! | `sensitivities` | how end values and times of events change with parameters, through events |
//! | `repeated` | events that happened before, passed without a search |
//! | `zeno` | events that follow each other ever faster, and where they end |
//! | `events` | how events are passed and told |
//! | `output` | what observers are told |
//! | `simulation` | the run as an object that others drive, its inputs, and where it is to come back to |
//! | `exchange` | the run as an object that others integrate |
//! | `failure` | why a run stopped, in the words of the model |
//!
//! E22 §2 and §8–9. A run visits few modes, so here and only here modes are looked at one by one.

mod delays;
mod events;
mod exact_modes;
mod exchange;
mod failure;
mod first_mode;
mod instant;
mod linearize;
mod memory;
mod mode_cache;
mod modes;
mod output;
mod periodic;
mod phase;
mod pinned_modes;
mod prepare;
mod repeated;
mod running_sizes;
mod sensitivities;
mod settings;
mod simulation;
mod sliding;
mod start;
mod values;
mod zeno;

use modeshift_dae::{Derivative, Mode, VariableId};
use modeshift_diagnostics::Diagnostics;

use crate::initialization::{InitialProblem, InitialState};
use crate::results::{CostPart, Observer};
use events::Passed;
use instant::event_iteration::{Fired, Outcome};
use memory::Memory;
use modes::VisitedModes;
use output::Output;
use phase::integrate_until::{NoPhase, Phase, PhaseSettings, Reached};
use prepare::Prepared;
use prepare::discrete_part::Requirement;
pub(crate) use prepare::native_calls::missing_functions;
use repeated::Repeated;
use start::Start;
pub(crate) use start::{state_after_failed_search, state_after_first_instant};
use values::{Occasion, Side};
use zeno::detection::RecentEvents;

pub use exchange::{Exchange, ExchangeEvent, ExchangePoint, ExchangeShape, ExchangeState, SavedExchange};
pub use linearize::{Linearization, Linearize, linearize};
pub use periodic::{NoPeriod, PeriodicState, run_periodic};
pub use sensitivities::{SensitiveEvent, SensitiveValue, Sensitivities, sensitivities};
pub use settings::{RunEnd, RunModel, RunSettings, RunSummary};
pub use simulation::inputs::{InputError, begin_inputs, named_inputs};
pub use simulation::snapshot::{NotThisRun, Snapshot};
pub use simulation::{Present, Simulation, StepError, Stepped};

/// Runs a model to its stop time. What goes wrong is explained in `diagnostics`; the observer has seen all that was found
/// until then. Nothing is returned where there is no start.
pub fn run(
    model: &RunModel<'_>,
    settings: &RunSettings,
    observer: &mut dyn Observer,
    diagnostics: &mut Diagnostics,
) -> Option<RunSummary> {
    let start = Start::find(model, settings, diagnostics)?;
    conduct(&start, &mut ToTheEnd, observer, diagnostics)
}

/// Who drives a run.
trait Conductor {
    /// Up to where the run goes.
    fn goal(&self) -> Goal;
    /// The run is there: all that computes, and all values.
    fn inspect<'a>(&mut self, _machinery: &mut Machinery<'a>, _side: &Side<'a>) {}
    /// The run is there, with these states in this mode.
    fn look(&mut self, _states: &[PresentState], _mode: &Mode) {}
    /// Whether every instant is to be told.
    fn wants_instants(&self) -> bool {
        false
    }
    /// The run has passed an instant.
    fn passed(&mut self, _: &Memory, _left: &Side<'_>, _: (&Fired, Occasion), _: &Outcome<'_>) {}
    /// The run begins with an event: states jumped in the instant that led to its start.
    fn begun_with(&mut self, _left: &Side<'_>, _outcome: &Outcome<'_>) {}
    /// The run has passed a limit of events that accumulate.
    fn accumulated(&mut self, _time: f64) {}
    /// Whether what is told begins here, with a row.
    fn begins_result(&self) -> bool {
        false
    }
    /// Whether the record of the last event is looked at in pauses.
    fn looks_at_events(&self) -> bool {
        false
    }
    /// The run is there: how to go on.
    fn pause(&mut self, output: &Output<'_>, diagnostics: &mut Diagnostics) -> Next;
    /// The run has ended.
    fn end(&mut self, _output: &Output<'_>) {}
}

/// A state where a run pauses.
struct PresentState {
    state: Derivative<VariableId>,
    value: f64,
    /// How large it was of late.
    size: f64,
}

/// Where to pause.
#[derive(Clone, Copy)]
struct Goal {
    /// At this time.
    until: f64,
    /// Or at the first event that can be seen.
    at_events: bool,
}

/// How to go on after a pause.
enum Next {
    /// With these inputs changed.
    Go(Vec<(VariableId, f64)>),
    /// From these states, in the order in which they were looked at.
    Move(Vec<f64>),
    /// Not at all: this is the last instant.
    Finish,
    /// Not at all, and nobody looks any more.
    Abandon,
}

/// Nobody pauses.
struct ToTheEnd;

impl Conductor for ToTheEnd {
    fn goal(&self) -> Goal {
        Goal { until: f64::INFINITY, at_events: false }
    }

    fn pause(&mut self, _: &Output<'_>, _: &mut Diagnostics) -> Next {
        Next::Go(Vec::new())
    }
}

/// Who looks at the first instant alone, and at the assertions after it.
struct OfTheFirstInstant {
    settings: PhaseSettings,
    said: Diagnostics,
}

impl Conductor for OfTheFirstInstant {
    fn goal(&self) -> Goal {
        Goal { until: self.settings.start, at_events: false }
    }

    fn inspect<'a>(&mut self, machinery: &mut Machinery<'a>, side: &Side<'a>) {
        let phase = Phase::new(machinery, &self.settings, side.clone());
        let occasion = Occasion { initial: true, terminal: false };
        if let Err(reason) = phase.check_assertions(machinery, occasion) {
            failure::explain_stuck(machinery, &Stuck { reason, side: phase.present }, &mut self.said);
        }
    }

    fn pause(&mut self, _: &Output<'_>, _: &mut Diagnostics) -> Next {
        Next::Abandon
    }
}

/// What is said where a run does not get through its first instant, from start values that were found.
pub(crate) fn failure_of_first_instant(
    problem: &InitialProblem<'_>,
    settings: &RunSettings,
    state: &InitialState,
) -> Diagnostics {
    let mut said = Diagnostics::new();
    if let Some(start) = Start::at(problem, settings, state.clone()) {
        let RunSettings { start: from, stop, tolerance, method, .. } = *settings;
        let settings = PhaseSettings { start: from, stop, tolerance, method };
        let mut conductor = OfTheFirstInstant { settings, said: Diagnostics::new() };
        conduct(&start, &mut conductor, &mut (), &mut said);
        said.extend(conductor.said);
    }
    said
}

/// From a start to the end.
fn conduct(
    start: &Start,
    conductor: &mut dyn Conductor,
    observer: &mut dyn Observer,
    diagnostics: &mut Diagnostics,
) -> Option<RunSummary> {
    let Start { prepared, settings, .. } = start;
    let RunSettings { start: from, stop, interval, tolerance, method, .. } = *settings;
    let machinery = Machinery { prepared, visited: VisitedModes::new(prepared), memory: Memory::new(prepared) };
    let mut run = Run {
        machinery,
        settings: PhaseSettings { start: from, stop, tolerance, method },
        recent: RecentEvents::new(),
        repeated: Repeated::new(prepared, method),
        output: Output::new(observer, &prepared.columns, from, interval),
        conductor,
        diagnostics,
        seen_events: 0,
        may_jump_at_start: settings.impulsive_start,
        start_stands: false,
        at_stop: &settings.at_stop,
    };
    let beginning = match start.beginning(&mut run.machinery) {
        Ok(beginning) => beginning,
        Err(reason) => {
            failure::explain_no_mode(&run.machinery, &reason, from, run.diagnostics);
            return None;
        }
    };
    let wants_costs = run.output.wants_costs();
    run.machinery.visited.meter.turn(wants_costs);
    run.output.begin();
    let (end, time) = run.go(beginning);
    let Run { output, conductor, machinery, repeated, .. } = run;
    conductor.end(&output);
    let (modes, sliding) = (output.mode_count(), output.sliding_count());
    let (exactly, exact_modes, not_affine) = machinery.memory.exact_modes.summary(&prepared.dae, method);
    Some(RunSummary {
        end,
        time,
        events: output.events,
        rows: output.rows,
        modes,
        sliding,
        exactly,
        exact_modes,
        repeated: repeated.passed,
        not_affine,
    })
}

/// What computes: the model made ready, the modes visited so far, and what is remembered.
struct Machinery<'a> {
    prepared: &'a Prepared,
    visited: VisitedModes<'a>,
    memory: Memory,
}

/// A run under way.
struct Run<'r, 'a> {
    machinery: Machinery<'a>,
    settings: PhaseSettings,
    recent: RecentEvents<'a>,
    repeated: Repeated<'a>,
    output: Output<'r>,
    conductor: &'r mut dyn Conductor,
    diagnostics: &'r mut Diagnostics,
    /// Events that were reported before the last pause.
    seen_events: usize,
    /// Whether fixed start values are left limits.
    may_jump_at_start: bool,
    /// Whether the start stands as it is: what jumps in the first instant then comes right after it.
    start_stands: bool,
    /// Inputs that change at the stop time.
    at_stop: &'a [(VariableId, f64)],
}

/// The states of a side.
fn present_states<'a>(machinery: &Machinery<'a>, side: &Side<'a>) -> Vec<PresentState> {
    let program = side.mode.program.borrow();
    if !program.has_states() {
        return Vec::new();
    }
    let places = program.states().iter().map(|place| place.index());
    let states = program.state_quantities().zip(places);
    let present = states.map(|(state, place)| PresentState {
        state,
        value: side.jet[place],
        size: machinery.memory.sizes.size(state),
    });
    present.collect()
}

/// How a phase ended.
enum Ended<'a> {
    /// With an event, after which the run goes on from here.
    Event(Side<'a>),
    /// At the stop time, or where the conductor says so.
    Stop(Side<'a>),
    /// With the whole run, at this time.
    Run(RunEnd, f64),
}

/// A failure, with the last values that are known.
struct Stuck<'a> {
    reason: NoPhase,
    side: Side<'a>,
}

impl<'a> Run<'_, 'a> {
    /// From the start to the end, and when that is.
    fn go(&mut self, beginning: start::Beginning<'a>) -> (RunEnd, f64) {
        let mut side = match self.begin(beginning) {
            Passed::Same(side) | Passed::Other(side) => side,
            Passed::End(end, time) => return (end, time),
        };
        loop {
            side = match self.pause(&side) {
                Ok(other) => other.unwrap_or(side),
                Err(ended) => match *ended {
                    Ended::Run(end, time) => return (end, time),
                    Ended::Event(side) | Ended::Stop(side) => return self.finish(&side),
                },
            };
            if side.time >= self.settings.stop {
                return self.finish(&side);
            }
            side = match self.repeat(side) {
                Ok(side) => side,
                Err(ended) => match *ended {
                    Ended::Run(end, time) => return (end, time),
                    Ended::Event(side) | Ended::Stop(side) => return self.finish(&side),
                },
            };
            side = match self.phase(side) {
                Ok(Ended::Event(right)) => right,
                Ok(Ended::Stop(last)) => return self.finish(&last),
                Ok(Ended::Run(end, time)) => return (end, time),
                Err(stuck) => {
                    if self.output.last_time() != Some(stuck.side.time) {
                        self.output.row(&stuck.side);
                    }
                    failure::explain_stuck(&self.machinery, &stuck, self.diagnostics);
                    return (RunEnd::Failed, stuck.side.time);
                }
            };
        }
    }

    /// The first instant; what it leads to is the first row, unless it is an event with rows of its own.
    fn begin(&mut self, beginning: start::Beginning<'a>) -> Passed<'a> {
        let start::Beginning { side: left, jump, stands } = beginning;
        self.start_stands = stands;
        if let Some((before, outcome)) = jump {
            self.output.event(self.machinery.prepared, &before, &outcome);
            self.conductor.begun_with(&before, &outcome);
        }
        let fired = Fired { samples: self.due_samples(left.time), ..Fired::default() };
        let occasion = Occasion { initial: true, terminal: false };
        if !self.begin_delays(&left, &fired, occasion) {
            self.output.row(&left);
            self.machinery.prepared.explain_no_past(self.diagnostics);
            return Passed::End(RunEnd::Failed, left.time);
        }
        let passed = self.instant(&left, &fired, occasion);
        if let Passed::Same(right) | Passed::Other(right) = &passed
            && self.output.last_time().is_none()
        {
            self.output.row(right);
            self.output.pass_points_until(left.time);
        }
        passed
    }

    /// What is delayed has always been what the first instant leads to, which is passed for that until it leads to the same;
    /// whether it does.
    fn begin_delays(&mut self, left: &Side<'a>, fired: &Fired, occasion: Occasion) -> bool {
        let Machinery { prepared, visited, memory } = &mut self.machinery;
        for _ in 0..start::MOST_BEGINNINGS {
            if prepared.delays.all.is_empty() {
                return true;
            }
            // Why there is no first instant is said when it is passed.
            let Ok(outcome) = instant::instant(prepared, visited, memory, left, fired, occasion) else { return true };
            if prepared.delays.begin_as(prepared, &mut memory.buffers.delayed, &outcome.right) {
                return true;
            }
        }
        false
    }

    /// The last instant; before it, inputs that change at the stop time.
    fn finish(&mut self, side: &Side<'a>) -> (RunEnd, f64) {
        if side.time < self.settings.stop || self.at_stop.is_empty() {
            return self.finish_here(side);
        }
        match self.given(side, self.at_stop.to_vec()) {
            Passed::Same(side) | Passed::Other(side) => self.finish_here(&side),
            Passed::End(end, time) => (end, time),
        }
    }

    fn finish_here(&mut self, side: &Side<'a>) -> (RunEnd, f64) {
        match self.instant(side, &Fired::default(), Occasion { initial: false, terminal: true }) {
            Passed::End(end, time) => (end, time),
            Passed::Same(last) | Passed::Other(last) => {
                if self.output.last_time() != Some(side.time) {
                    self.output.row(&last);
                }
                (RunEnd::Stop, side.time)
            }
        }
    }

    /// Stays in a mode until something continuous changes.
    fn phase(&mut self, side: Side<'a>) -> Result<Ended<'a>, Box<Stuck<'a>>> {
        let mut phase = Phase::new(&mut self.machinery, &self.settings, side);
        match self.go_through(&mut phase) {
            Ok(ended) => Ok(ended),
            Err(reason) => Err(Box::new(Stuck { reason, side: phase.present })),
        }
    }

    fn go_through(&mut self, phase: &mut Phase<'a>) -> Result<Ended<'a>, NoPhase> {
        self.check_assertions(phase)?;
        loop {
            let problem = phase.problem(&mut self.machinery, &self.settings)?;
            let mut integrator = phase.start(&mut self.machinery, &self.settings, &problem)?;
            self.tell_cost();
            loop {
                let until = self.conductor.goal().until;
                let Run { machinery, settings, output, diagnostics, .. } = self;
                let reached = phase.integrate_until(until, machinery, settings, &mut integrator, output);
                failure::tell_unresolved(machinery, diagnostics);
                match reached? {
                    Reached::NewStates => break,
                    Reached::Stop => return Ok(Ended::Stop(phase.present.clone())),
                    Reached::Interruption => return Ok(Ended::Run(RunEnd::Interrupted, phase.present.time)),
                    Reached::Event(fired, crossed) => {
                        let atoms = fired.atoms.clone();
                        match self.pass(&phase.present, fired) {
                            Passed::Same(right) => {
                                let comes_back = self.machinery.prepared.keeps_all(&atoms, &phase.present, &right);
                                phase.resume(&mut self.machinery, &self.settings, right, &crossed);
                                self.check_assertions(phase)?;
                                if let Some(ended) = self.pause_in(phase) {
                                    return Ok(ended);
                                }
                                // The rest of the step says that guards cross, and the mode that they come back: only
                                // new steps from here tell.
                                if comes_back {
                                    phase.expect_back(&crossed);
                                    break;
                                }
                                // What happens next may have happened before.
                                if self.may_repeat() && self.repeated.has_recipes(&phase.present.mode) {
                                    return Ok(Ended::Event(phase.present.clone()));
                                }
                            }
                            Passed::Other(right) => return Ok(Ended::Event(right)),
                            Passed::End(end, time) => return Ok(Ended::Run(end, time)),
                        }
                    }
                    Reached::Pause => {
                        if let Some(ended) = self.pause_in(phase) {
                            return Ok(ended);
                        }
                    }
                }
            }
        }
    }

    /// Stops where an assertion does not hold, or tells it where it only warns.
    fn check_assertions(&mut self, phase: &Phase<'a>) -> Result<(), NoPhase> {
        let Run { machinery, diagnostics, settings, .. } = self;
        let occasion = Occasion { initial: phase.present.time <= settings.start, terminal: false };
        for number in phase.check_assertions(machinery, occasion)? {
            let Requirement { message, span, .. } = machinery.prepared.discrete.assertions[number];
            failure::tell_warning(machinery.prepared, phase.present.time, (message, span), diagnostics);
        }
        Ok(())
    }

    /// Pauses in a phase if that is wanted; what ends the phase then, if anything does.
    fn pause_in(&mut self, phase: &Phase<'a>) -> Option<Ended<'a>> {
        match self.pause(&phase.present) {
            Ok(other) => other.map(Ended::Event),
            Err(ended) => Some(*ended),
        }
    }

    /// Whether the conductor wants to pause at the present time, at which the last event may have been.
    fn is_wanted(&self, time: f64) -> bool {
        let goal = self.conductor.goal();
        goal.until <= time || goal.at_events && self.output.events > self.seen_events
    }

    /// Pauses at an instant as often as that is wanted, and passes it again with the inputs that are given: the side from
    /// which the run goes on then, where there were any.
    fn pause(&mut self, side: &Side<'a>) -> Result<Option<Side<'a>>, Box<Ended<'a>>> {
        let mut other: Option<Side<'a>> = None;
        while self.is_wanted(side.time) {
            let present = other.as_ref().unwrap_or(side);
            // Where events accumulate the run is at their limit at once, perhaps a little beyond the goal.
            self.output.look_at(present, self.conductor.goal().until);
            self.seen_events = self.output.events;
            self.choose_first_states(present);
            self.conductor.inspect(&mut self.machinery, present);
            let states = present_states(&self.machinery, present);
            self.conductor.look(&states, &present.mode.values);
            match self.conductor.pause(&self.output, self.diagnostics) {
                Next::Go(inputs) if inputs.is_empty() => {}
                Next::Go(inputs) => match self.given(&present.clone(), inputs) {
                    Passed::Same(right) | Passed::Other(right) => other = Some(right),
                    Passed::End(end, time) => return Err(Box::new(Ended::Run(end, time))),
                },
                Next::Move(states) => match self.moved(&present.clone(), &states) {
                    Some(moved) => other = Some(moved),
                    None => return Err(Box::new(Ended::Run(RunEnd::Failed, side.time))),
                },
                Next::Finish => return Err(Box::new(Ended::Stop(present.clone()))),
                Next::Abandon => return Err(Box::new(Ended::Run(RunEnd::Interrupted, present.time))),
            }
            if self.conductor.begins_result() {
                self.output.row(other.as_ref().unwrap_or(side));
            }
        }
        Ok(other)
    }

    /// Chooses the states of a mode that begins here, as its first phase would.
    fn choose_first_states(&mut self, side: &Side<'a>) {
        if side.mode.program.borrow().has_states() {
            return;
        }
        let visited = &mut self.machinery.visited;
        visited.surround(side);
        let surroundings = visited.surroundings.clone();
        // Why there are none is said by the phase.
        let _ = side.mode.choose_states(&mut visited.programs, side.time, side.own_jet(), &surroundings.borrow());
    }

    /// A side with other states, if they have values.
    fn moved(&self, side: &Side<'a>, states: &[f64]) -> Option<Side<'a>> {
        let visited = &self.machinery.visited;
        visited.surround(side);
        let mut moved = side.clone();
        let evaluated =
            moved.mode.program.borrow_mut().evaluate(side.time, states, &visited.surroundings.borrow(), &mut moved.jet);
        evaluated.is_ok().then_some(moved)
    }

    /// Tells what the event before this phase cost; once.
    fn tell_cost(&mut self) {
        let meter = &mut self.machinery.visited.meter;
        if meter.cost().time.is_finite() {
            meter.done(CostPart::Resumption);
            self.output.cost(meter.cost());
            meter.begin(f64::NAN);
        }
    }
}
