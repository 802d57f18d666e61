//! A stay in a mode: integration from event to event, with rows on the way.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::engine::Engine;
use super::instant::Fired;
use super::modes::{Mode, ModeOde};
use super::output::Output;
use super::side::{Phase, Side, input_between};
use super::watch::Watch;
use crate::integrate::{IntegrationFailure, Integrator, Problem, Settings};
use crate::program::{BlockFailure, NotBuilt, StateChoice};

/// The longest step, as a share of the run: guards are looked at after every step.
const LONGEST_STEP: f64 = 0.02;
/// The same for modes without states, where nothing else limits steps.
const LONGEST_STEP_WITHOUT_STATES: f64 = 0.002;

/// How a stay ended.
pub(super) enum Ended {
    /// Something crossed, or was due at this time.
    Event(Fired),
    /// The stop time was reached.
    Stop,
    /// An observer wants no more.
    Interrupted,
}

/// Why a stay cannot go on.
pub(super) enum NoStay {
    Integration(Box<IntegrationFailure>),
    Block(Box<BlockFailure>),
    NotBuilt(NotBuilt),
    /// The assertion of this number is violated.
    Assertion(usize),
}

/// What a run asks of stays.
pub(super) struct StaySettings {
    pub stop: f64,
    pub tolerance: f64,
    pub method: crate::integrate::Method,
    /// The length of the whole run.
    pub length: f64,
}

/// A failure, with the last values that are known.
pub(super) struct Stuck<'a> {
    pub reason: NoStay,
    pub side: Side<'a>,
}

/// An integration with the values of the last evaluation.
struct Stay<'e, 'a> {
    engine: &'e mut Engine<'a>,
    mode: Rc<Mode<'a>>,
    /// The values evaluated last.
    probe: Side<'a>,
    states: Vec<f64>,
}

impl<'a> Engine<'a> {
    /// Stays in a mode until something happens. Returns the left side of that instant.
    pub fn stay(
        &mut self,
        side: Side<'a>,
        settings: &StaySettings,
        output: &mut Output<'_>,
    ) -> Result<(Side<'a>, Ended), Box<Stuck<'a>>> {
        let mode = side.mode.clone();
        self.surround(&side);
        let mut stay = Stay { engine: self, mode, probe: side, states: Vec::new() };
        match stay.run(settings, output) {
            Ok(ended) => Ok((stay.probe, ended)),
            Err(reason) => Err(Box::new(Stuck { reason, side: stay.probe })),
        }
    }
}

impl<'a> Stay<'_, 'a> {
    fn run(&mut self, settings: &StaySettings, output: &mut Output<'_>) -> Result<Ended, NoStay> {
        let due = self.engine.next_time(self.probe.time, &self.probe.discrete);
        let limit = due.min(settings.stop);
        let scheduled = |guard| self.engine.is_scheduled(guard, &self.probe.discrete);
        let noise = self.engine.noise.relative;
        let mut watch = Watch::new(&self.engine.system, &self.probe.discrete, &self.engine.scales, noise, scheduled);
        let watched = self.watched();
        watch.begin(self.probe.time, &watched);
        loop {
            let problem = self.problem(settings)?;
            let integrator = problem.start(self.probe.time, &self.states, None);
            let mut integrator = integrator.map_err(|failure| NoStay::Integration(Box::new(failure)))?;
            match self.integrate(&mut integrator, limit, &mut watch, output)? {
                Some(Ended::Event(fired)) if fired.is_empty() && due > settings.stop => return Ok(Ended::Stop),
                Some(ended) => return Ok(ended),
                None => {}
            }
        }
    }

    /// The integration problem for states that are well chosen now; the states are set.
    fn problem(&mut self, settings: &StaySettings) -> Result<Rc<Problem<ModeOde>>, NoStay> {
        let surroundings = self.engine.surroundings.clone();
        let mut program = self.mode.program.borrow_mut();
        let programs = &mut self.engine.modes.programs;
        let choice = program.choose_states(programs, self.probe.time, &self.probe.jet, &surroundings.borrow());
        let choice = choice.map_err(NoStay::NotBuilt)?;
        program.states_of(&self.probe.jet, &mut self.states);
        let mut known = self.mode.problem.borrow_mut();
        if choice == StateChoice::Changed {
            *known = None;
        }
        if let Some(problem) = &*known {
            return Ok(problem.clone());
        }
        let nominal = program.state_quantities().map(|(id, _)| self.engine.nominal[id.0 as usize]).collect();
        drop(program);
        let ode = ModeOde::new(self.mode.program.clone(), surroundings);
        let mut chosen = Settings::new(settings.tolerance, self.states.len());
        let share = if self.states.is_empty() { LONGEST_STEP_WITHOUT_STATES } else { LONGEST_STEP };
        (chosen.method, chosen.nominal) = (settings.method, nominal);
        chosen.longest_step = share * settings.length;
        let problem = Rc::new(Problem::new(ode, &chosen));
        *known = Some(problem.clone());
        Ok(problem)
    }

    /// Integrates until something happens; nothing where other states must be chosen.
    fn integrate(
        &mut self,
        integrator: &mut Integrator<'_, ModeOde>,
        limit: f64,
        watch: &mut Watch,
        output: &mut Output<'_>,
    ) -> Result<Option<Ended>, NoStay> {
        while self.probe.time < limit {
            let step = integrator.step(limit).map_err(|failure| NoStay::Integration(Box::new(failure)))?;
            self.move_to(integrator, step.to)?;
            let watched = self.watched();
            let found = watch.step((step.from, step.to), &watched, |time| {
                self.move_to(integrator, time)?;
                Ok(self.watched())
            })?;
            let end = found.as_ref().map_or(step.to, |crossing| crossing.time);
            self.rows(integrator, end, found.is_some() || end >= limit, output)?;
            self.move_to(integrator, end)?;
            self.check_assertions()?;
            if let Some(crossing) = found {
                return Ok(Some(Ended::Event(crossing.fired())));
            }
            if output.progress(self.engine.dae, &self.probe, end) == ControlFlow::Break(()) {
                return Ok(Some(Ended::Interrupted));
            }
            if end < limit && self.needs_new_states() {
                return Ok(None);
            }
        }
        Ok(Some(Ended::Event(Fired::default())))
    }

    /// Rows at the points of the interval up to `end`; an event writes its own.
    fn rows(
        &mut self,
        integrator: &mut Integrator<'_, ModeOde>,
        end: f64,
        is_event: bool,
        output: &mut Output<'_>,
    ) -> Result<(), NoStay> {
        loop {
            let point = output.next_point();
            let is_due = if is_event { output.next_point_before(end).is_some() } else { point <= end };
            if !is_due {
                return Ok(());
            }
            // A point just before an event that nobody saw is written just after it.
            self.move_to(integrator, point.max(integrator.last_step().from))?;
            output.row(&self.probe);
            output.pass_point();
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
        let (model, probe) = (&self.engine.dae.model, &self.probe);
        let inputs = |input| input_between(model, input, (probe, probe), Phase::default(), &[]);
        self.engine.system.watched.evaluate(inputs).to_vec()
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
