//! A stay in a mode: integration with rows on the way, up to an event that changes something continuous.
//!
//! Events that change nothing continuous (a `when` that counts, a guard that decides nothing now) are passed inside the
//! step in which they are found: the integration goes on with its history and step length.

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::integrate::{IntegrationFailure, Integrator, Problem, Settings};
use crate::program::{BlockFailure, NotBuilt};
use crate::results::CostPart;
use crate::run::RunEnd;
use crate::run::engine::Engine;
use crate::run::events::{Events, Passed};
use crate::run::instant::event_iteration::Fired;
use crate::run::modes::{Mode, ModeOde};
use crate::run::output::Output;
use crate::run::phase::zero_crossings::{Crossing, Guard, Watch};
use crate::run::values::Side;

/// The longest step, as a share of the run: guards are looked at after every step.
const LONGEST_STEP: f64 = 0.02;
/// The same for modes without states, where nothing else limits steps.
const LONGEST_STEP_WITHOUT_STATES: f64 = 0.002;

/// How a stay ended.
pub(crate) enum Ended<'a> {
    /// With an event, after which the run goes on from here.
    Event(Side<'a>),
    /// At the stop time.
    Stop(Side<'a>),
    /// With the whole run, at this time.
    Run(RunEnd, f64),
}

/// Why a stay cannot go on.
pub(crate) enum NoStay {
    Integration(Box<IntegrationFailure>),
    Block(Box<BlockFailure>),
    NotBuilt(NotBuilt),
    /// The assertion of this number is violated.
    Assertion(usize),
}

/// What a run asks of stays.
pub(crate) struct StaySettings {
    pub stop: f64,
    pub tolerance: f64,
    pub method: crate::integrate::Method,
    /// The length of the whole run.
    pub length: f64,
}

/// A failure, with the last values that are known.
pub(crate) struct Stuck<'a> {
    pub reason: NoStay,
    pub side: Side<'a>,
}

/// An integration with the values of the last evaluation.
struct Stay<'e, 'd, 'o, 'a> {
    engine: &'e mut Engine<'a>,
    events: &'e mut Events<'d, 'a>,
    output: &'e mut Output<'o>,
    settings: &'e StaySettings,
    mode: Rc<Mode<'a>>,
    /// The values evaluated last.
    probe: Side<'a>,
    states: Vec<f64>,
}

/// What a stay waits for.
struct Expected {
    /// When something is due, or the run ends.
    limit: f64,
    /// Whether it is the end of the run.
    is_stop: bool,
    watch: Watch,
}

impl<'a> Engine<'a> {
    /// Stays in a mode until something changes.
    pub fn stay<'o>(
        &mut self,
        side: Side<'a>,
        settings: &StaySettings,
        events: &mut Events<'_, 'a>,
        output: &mut Output<'o>,
    ) -> Result<Ended<'a>, Box<Stuck<'a>>> {
        let mode = side.mode.clone();
        self.surround(&side);
        let mut stay = Stay { engine: self, events, output, settings, mode, probe: side, states: Vec::new() };
        match stay.run() {
            Ok(ended) => Ok(ended),
            Err(reason) => Err(Box::new(Stuck { reason, side: stay.probe })),
        }
    }
}

impl<'a> Stay<'_, '_, '_, 'a> {
    fn run(&mut self) -> Result<Ended<'a>, NoStay> {
        self.check_assertions()?;
        let mut expected = self.expected();
        loop {
            let problem = self.problem()?;
            let integrator = problem.start(self.probe.time, &self.states, None);
            let mut integrator = integrator.map_err(|failure| NoStay::Integration(Box::new(failure)))?;
            self.tell_cost();
            if let Some(ended) = self.integrate(&mut integrator, &mut expected)? {
                return Ok(ended);
            }
        }
    }

    /// Tells what the event before this stay cost; once.
    fn tell_cost(&mut self) {
        let meter = &mut self.engine.modes.meter;
        if meter.cost().time.is_finite() {
            meter.done(CostPart::Resumption);
            self.output.cost(meter.cost());
            meter.begin(f64::NAN);
        }
    }

    /// What may happen next.
    fn expected(&mut self) -> Expected {
        let Side { time, discrete, .. } = &self.probe;
        let due = self.engine.next_time(*time, discrete);
        let scheduled = |guard| self.engine.is_scheduled(guard, discrete);
        let noise = self.engine.noise.relative;
        let mut watch = Watch::new(&self.engine.system, discrete, &self.engine.scales, noise, scheduled);
        let watched = self.watched();
        watch.begin(self.probe.time, &watched);
        Expected { limit: due.min(self.settings.stop), is_stop: due > self.settings.stop, watch }
    }

    /// The integration problem for states that are well chosen now; the states are set.
    fn problem(&mut self) -> Result<Rc<Problem<ModeOde>>, NoStay> {
        self.engine.modes.meter.done(CostPart::Resumption);
        let surroundings = self.engine.surroundings.clone();
        let programs = &mut self.engine.modes.programs;
        let chosen = self.mode.choose_states(programs, self.probe.time, &self.probe.jet, &surroundings.borrow());
        chosen.map_err(NoStay::NotBuilt)?;
        self.engine.modes.meter.done(CostPart::Program);
        let program = self.mode.program.borrow();
        program.states_of(&self.probe.jet, &mut self.states);
        let mut known = self.mode.problem.borrow_mut();
        if let Some(problem) = &*known {
            return Ok(problem.clone());
        }
        let nominal = program.state_quantities().map(|(id, _)| self.engine.nominal[id.0 as usize]).collect();
        drop(program);
        let ode = ModeOde::new(self.mode.program.clone(), surroundings);
        let mut chosen = Settings::new(self.settings.tolerance, self.states.len());
        let share = if self.states.is_empty() { LONGEST_STEP_WITHOUT_STATES } else { LONGEST_STEP };
        (chosen.method, chosen.nominal) = (self.settings.method, nominal);
        chosen.longest_step = share * self.settings.length;
        let problem = Rc::new(Problem::new(ode, &chosen));
        *known = Some(problem.clone());
        Ok(problem)
    }

    /// Integrates until something changes; nothing where other states must be chosen.
    fn integrate(
        &mut self,
        integrator: &mut Integrator<'_, ModeOde>,
        expected: &mut Expected,
    ) -> Result<Option<Ended<'a>>, NoStay> {
        while self.probe.time < expected.limit {
            let from = self.probe.time;
            // After an event inside a step, the rest of the step comes first.
            if integrator.time() <= from {
                integrator.step(expected.limit).map_err(|failure| NoStay::Integration(Box::new(failure)))?;
            }
            let to = integrator.time().min(expected.limit);
            self.move_to(integrator, to)?;
            let found = self.crossing(integrator, &mut expected.watch, (from, to))?;
            let end = found.as_ref().map_or(to, |crossing| crossing.time);
            let is_due = end >= expected.limit;
            self.rows(integrator, (from, end), found.is_some() || is_due)?;
            self.move_to(integrator, end)?;
            self.check_assertions()?;
            if self.output.progress(self.engine.dae, &self.probe, end) == ControlFlow::Break(()) {
                return Ok(Some(Ended::Run(RunEnd::Interrupted, end)));
            }
            let (fired, crossed) = match found {
                Some(crossing) => (crossing.fired(), crossing.guards),
                None if is_due && expected.is_stop => return Ok(Some(Ended::Stop(self.probe.clone()))),
                None if is_due => Default::default(),
                None if self.needs_new_states() => return Ok(None),
                None => continue,
            };
            if let Some(ended) = self.pass(fired) {
                return Ok(Some(ended));
            }
            let before = std::mem::replace(expected, self.expected());
            expected.watch.remember(&before.watch, &crossed);
        }
        Ok(Some(Ended::Stop(self.probe.clone())))
    }

    /// The first crossing in a step, at whose end all values are, that is more than noise. The first step is looked at in
    /// two halves: there are no values before it that would tell whether a guard comes back within it.
    fn crossing(
        &mut self,
        integrator: &mut Integrator<'_, ModeOde>,
        watch: &mut Watch,
        (from, to): (f64, f64),
    ) -> Result<Option<Crossing>, NoStay> {
        let middle = 0.5 * (from + to);
        if !watch.is_new() || middle <= from {
            return self.crossing_within(integrator, watch, (from, to));
        }
        self.move_to(integrator, middle)?;
        if let Some(found) = self.crossing_within(integrator, watch, (from, middle))? {
            return Ok(Some(found));
        }
        self.move_to(integrator, to)?;
        self.crossing_within(integrator, watch, (middle, to))
    }

    /// The same of a part of a step, at whose end all values are.
    fn crossing_within(
        &mut self,
        integrator: &mut Integrator<'_, ModeOde>,
        watch: &mut Watch,
        step: (f64, f64),
    ) -> Result<Option<Crossing>, NoStay> {
        let watched = self.watched();
        loop {
            let found = watch.step(step, &watched, |time| {
                self.move_to(integrator, time)?;
                Ok(self.watched())
            })?;
            let Some(crossing) = found else { return Ok(None) };
            let is_slight = |guard: &Guard| self.engine.is_slight(*guard, &self.probe);
            let slight: Vec<Guard> = crossing.guards.iter().copied().filter(is_slight).collect();
            if slight.is_empty() {
                return Ok(Some(crossing));
            }
            self.move_to(integrator, crossing.time)?;
            let noise = self.engine.guard_noise(&self.probe, &self.states, self.settings.tolerance);
            let noisy = slight.into_iter().filter(|&guard| watch.is_noise(guard, &noise, &watched)).count();
            if noisy == 0 {
                return Ok(Some(crossing));
            }
        }
    }

    /// Passes an event; nothing where the integration goes on.
    fn pass(&mut self, fired: Fired) -> Option<Ended<'a>> {
        match self.events.pass(self.engine, self.output, &self.probe, fired, self.settings.stop) {
            Passed::Same(right) => {
                self.probe.discrete = right.discrete;
                None
            }
            Passed::Other(right) => Some(Ended::Event(right)),
            Passed::End(end, time) => Some(Ended::Run(end, time)),
        }
    }

    /// Rows at the points of the interval up to `end`; an event writes its own.
    fn rows(
        &mut self,
        integrator: &mut Integrator<'_, ModeOde>,
        (from, end): (f64, f64),
        is_event: bool,
    ) -> Result<(), NoStay> {
        loop {
            let point = self.output.next_point();
            let is_due = if is_event { self.output.next_point_before(end).is_some() } else { point <= end };
            if !is_due {
                return Ok(());
            }
            // A point just before an event that nobody saw is written just after it.
            self.move_to(integrator, point.max(from))?;
            self.output.row(&self.probe);
            self.output.pass_point();
        }
    }

    /// Evaluates everything at a time inside the last step.
    fn move_to(&mut self, integrator: &mut Integrator<'_, ModeOde>, time: f64) -> Result<(), NoStay> {
        integrator.interpolate(time, &mut self.states);
        let surroundings = self.engine.surroundings.borrow();
        let mut program = self.mode.program.borrow_mut();
        program.evaluate(time, &self.states, &surroundings, &mut self.probe.jet).map_err(NoStay::Block)?;
        self.probe.time = time;
        Ok(())
    }

    /// The watched expressions at the present values.
    fn watched(&mut self) -> Vec<f64> {
        self.engine.watched(&self.probe).to_vec()
    }

    fn needs_new_states(&mut self) -> bool {
        let surroundings = self.engine.surroundings.borrow();
        self.mode.program.borrow_mut().needs_new_states(self.probe.time, &self.probe.jet, &surroundings)
    }

    fn check_assertions(&mut self) -> Result<(), NoStay> {
        if self.engine.system.assertions.is_empty() {
            return Ok(());
        }
        match self.engine.broken_assertion(&self.probe) {
            Some(number) => Err(NoStay::Assertion(number)),
            None => Ok(()),
        }
    }
}
