//! A continuous phase: integration with rows on the way, up to an event.
//!
//! Events that change nothing continuous (a `when` that counts, a guard that decides nothing now) do not end the phase: it
//! is resumed inside the step in which they were found, and the integration goes on with its history and step length. A
//! pause that somebody wants is no event: the step that leads over it is made as if nobody had asked, values at the pause
//! are interpolated, and the rest of the step comes after it. So results do not depend on pauses.

use std::ops::ControlFlow;
use std::rc::Rc;

use modeshift_dae::{Derivative, VariableId};

use crate::integrate::{Handed, IntegrationFailure, Integrator, Method, Problem, Settings};
use crate::program::{BlockFailure, NotBuilt, Surroundings};
use crate::results::CostPart;
use crate::run::Machinery;
use crate::run::instant::derived_guards_on;
use crate::run::instant::event_iteration::Fired;
use crate::run::memory::Memory;
use crate::run::modes::{ModeOde, VisitedMode};
use crate::run::output::Output;
use crate::run::phase::beyond_guards::Beyond;
use crate::run::phase::noise_floor::{self, GuardNoise};
use crate::run::phase::polynomials::{PLACES, POINTS};
use crate::run::phase::short_events::{Place, View};
use crate::run::phase::zero_crossings::{Crossing, Guard, Values, Watch};
use crate::run::prepare::Prepared;
use crate::run::sliding::flow::{NoFlow, NotAlike, Slide};
use crate::run::sliding::ode::SlidingOde;
use crate::run::values::{Occasion, Side};

/// Rounding of states at rest, and what that makes of others at rest.
const ROUNDS_OF_ROUNDING: usize = 2;

/// The share of an exact step that is a short time: what steps of other methods are.
pub(crate) const TYPICAL: f64 = 0.1;

/// An exact step is at most so many short times long: what is far beyond the next event need not have values.
const LONGEST: f64 = 100.0;

/// What a run asks of its phases.
#[derive(Clone, Copy)]
pub(crate) struct PhaseSettings {
    pub start: f64,
    pub stop: f64,
    pub tolerance: f64,
    pub method: Method,
}

/// Why a phase comes back.
pub(crate) enum Reached {
    /// Something fired; these guards crossed.
    Event(Fired, Vec<Guard>),
    /// The time of a pause.
    Pause,
    /// The stop time.
    Stop,
    /// Other states must be chosen, or another method.
    NewStates,
    /// An observer wants no more.
    Interruption,
}

/// Why a phase cannot go on.
pub(crate) enum NoPhase {
    Integration(Box<IntegrationFailure>),
    Block(Box<BlockFailure>),
    NotBuilt(NotBuilt),
    /// The assertion of this number is violated.
    Assertion(usize),
    /// A sliding mode has no values.
    Sliding(NoFlow),
}

/// An integration with the values of the last evaluation.
pub(crate) struct Phase<'a> {
    pub(super) mode: Rc<VisitedMode<'a>>,
    /// The values evaluated last.
    pub present: Side<'a>,
    pub(super) states: Vec<f64>,
    /// The last time at which all values were accepted.
    reached: f64,
    /// Where the phase began.
    began: f64,
    pub(super) expected: Expected,
    /// What guards that bend are made of, over the last step.
    view: View,
    /// A part of a step that a pause interrupted.
    interrupted: Option<Part>,
}

/// What a phase waits for.
pub(crate) struct Expected {
    /// When something is due; never, where nothing is.
    pub due: f64,
    /// When something is due, or the run ends.
    limit: f64,
    /// Up to when functions of time are resolved.
    resolved: f64,
    pub watch: Watch,
}

/// A part of a step, searched for events.
struct Part {
    from: f64,
    /// Where the part ends: at an event, or with the step.
    end: f64,
    found: Option<Crossing>,
    is_due: bool,
    /// Why there are no values beyond, if there are none.
    failure: Option<NoPhase>,
    /// The values that iterations begin with, as they were before the pause.
    guess: Vec<f64>,
}

impl<'a> Phase<'a> {
    /// Begins a phase at the right side of an event.
    pub fn new(machinery: &mut Machinery<'a>, settings: &PhaseSettings, side: Side<'a>) -> Self {
        machinery.visited.surround(&side);
        let expected = Expected::of(machinery, settings, &side);
        let (mode, reached) = (side.mode.clone(), side.time);
        let view = View::default();
        Phase { mode, present: side, states: Vec::new(), reached, began: reached, expected, view, interrupted: None }
    }

    /// The integration problem for states that are well chosen now; the states are set.
    pub fn problem(
        &mut self,
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
    ) -> Result<Rc<Problem<ModeOde<'a>>>, NoPhase> {
        let visited = &mut machinery.visited;
        visited.meter.done(CostPart::Resumption);
        if let Some(slide) = self.present.sliding.clone() {
            return self.sliding_problem(machinery, settings, slide);
        }
        let surroundings = visited.surroundings.clone();
        let programs = &mut visited.programs;
        let chosen = self.mode.choose_states(programs, self.present.time, &self.present.jet, &surroundings.borrow());
        chosen.map_err(NoPhase::NotBuilt)?;
        visited.meter.done(CostPart::Program);
        let program = self.mode.program.borrow();
        program.states_of(&self.present.jet, &mut self.states);
        self.view.find(&machinery.prepared.guard_functions, &self.present);
        let mut known = self.mode.problem.borrow_mut();
        if let Some(problem) = &*known {
            drop(program);
            self.mode.solve_exactly(
                programs,
                &surroundings.borrow(),
                settings,
                (problem, self.present.time),
                &mut machinery.memory.exact_modes,
            );
            return Ok(problem.clone());
        }
        let nominal = program.state_quantities().map(|state| machinery.prepared.declared_nominal(state.of)).collect();
        drop(program);
        let ode = ModeOde::new(self.mode.program.clone(), surroundings.clone());
        let mut chosen = Settings::new(settings.tolerance, self.states.len());
        (chosen.method, chosen.nominal) = (settings.method, nominal);
        // Other states are another system.
        let handed = if self.mode.has_choice() { Handed::default() } else { self.mode.handed.clone() };
        let problem = Rc::new(Problem::sharing(ode, &chosen, handed));
        self.mode.solve_exactly(
            programs,
            &surroundings.borrow(),
            settings,
            (&problem, self.present.time),
            &mut machinery.memory.exact_modes,
        );
        *known = Some(problem.clone());
        Ok(problem)
    }

    /// The same in a sliding mode.
    fn sliding_problem(
        &mut self,
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
        Slide { system, jets, .. }: Slide<'a>,
    ) -> Result<Rc<Problem<ModeOde<'a>>>, NoPhase> {
        let programs = &mut machinery.visited.programs;
        system.choose_states(programs, self.present.time, &jets).map_err(|reason| match reason {
            NotAlike::NotBuilt(reason) => NoPhase::NotBuilt(reason),
            NotAlike::States(_) => NoPhase::Sliding(NoFlow::NotTransversal),
        })?;
        self.mode.program.borrow().states_of(&self.present.jet, &mut self.states);
        let Machinery { prepared, memory, .. } = &*machinery;
        let size = |&state: &Derivative<VariableId>| prepared.declared_nominal(state.of).max(memory.sizes.size(state));
        let nominal: Vec<f64> = system.states().iter().map(size).collect();
        let mut chosen = Settings::new(settings.tolerance, self.states.len());
        let states = system.states();
        let declared = states.iter().map(|state| machinery.prepared.declared_nominal(state.of));
        (chosen.method, chosen.nominal) = (settings.method, declared.collect());
        let ode = ModeOde::Sliding(SlidingOde::new(system, jets, nominal));
        Ok(Rc::new(Problem::new(ode, &chosen)))
    }

    /// Starts an integration of the problem at the present values.
    pub fn start<'p>(
        &self,
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
        problem: &'p Problem<ModeOde<'a>>,
    ) -> Result<Integrator<'p, ModeOde<'a>>, NoPhase> {
        let time_scale = machinery.memory.time_scale;
        let mut known = machinery.memory.sizes.of(self.mode.program.borrow().state_quantities(), time_scale);
        let Side { time, discrete, .. } = &self.present;
        let due = machinery.prepared.next_time(*time, discrete, &machinery.memory.samplings);
        known.ends_within = if due.is_finite() { due - time } else { 0.0 };
        if known.step == 0.0 && self.present.sliding.is_none() {
            known.slope_noise = noises_of_slopes(machinery.prepared, &self.present);
        }
        let (prepared, surroundings) = (machinery.prepared, &machinery.visited.surroundings);
        let noises = |time: f64, states: &[f64]| self.noises_ahead(prepared, &surroundings.borrow(), time, states);
        let integrator = problem.start_with(self.present.time, &self.states, &known, &noises);
        let mut integrator = integrator.map_err(|failure| NoPhase::Integration(Box::new(failure)))?;
        machinery.memory.time_scale.shorten(integrator.sizes().acts_within);
        self.measure_rest(machinery, settings, &mut integrator);
        Ok(integrator)
    }

    /// What rounding makes of the slopes of all states at a time ahead, with these states; nothing where they have no values, or several
    /// modes share them.
    fn noises_ahead(&self, prepared: &Prepared, surroundings: &Surroundings, time: f64, states: &[f64]) -> Vec<f64> {
        if self.present.sliding.is_some() || states.len() != self.states.len() {
            return Vec::new();
        }
        let mut ahead = Side { time, ..self.present.clone() };
        let evaluated = self.mode.program.borrow_mut().evaluate(time, states, surroundings, &mut ahead.jet);
        if evaluated.is_err() { Vec::new() } else { noises_of_slopes(prepared, &ahead) }
    }

    /// Measures states at rest, and those that die away, by what their slopes are made of.
    fn measure_rest(
        &self,
        machinery: &Machinery<'a>,
        settings: &PhaseSettings,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
    ) {
        if integrator.exact_pace().is_some() {
            return;
        }
        let step = integrator.sizes().step;
        if let Some(slide) = &self.present.sliding {
            let noises = slide.slope_noises(self.present.time, &self.states, step, settings.tolerance);
            let noises = noises.unwrap_or_else(|| vec![0.0; self.states.len()]);
            noises.into_iter().enumerate().for_each(|(index, noise)| integrator.set_slope_noise(index, noise));
            return;
        }
        if integrator.sizes().is_rounding_due() {
            // What a step makes of a state by rounding is at most what the step is long, or what the state does not forget of it.
            let times: Vec<f64> = match integrator.sizes().is_kept_short() {
                true => vec![step; self.states.len()],
                false => integrator.own_rates().into_iter().map(|rate| step.min(1.0 / rate)).collect(),
            };
            let states: Vec<Derivative<VariableId>> = self.mode.program.borrow().state_quantities().collect();
            let no_errors = vec![0.0; self.present.jet.len()];
            for ((index, state), time) in states.into_iter().enumerate().zip(times) {
                let noise = self.present.slope_noise(machinery.prepared, state, &no_errors);
                noise.into_iter().for_each(|noise| integrator.set_rounding(index, time * noise));
            }
        }
        let least = self.present.least_change(step);
        // Most steps have neither: that shows in the states alone.
        if !integrator.sizes().may_have_died_away() && self.states.iter().all(|state| state.abs() > least) {
            return;
        }
        let program = self.mode.program.borrow();
        let sizes = integrator.sizes();
        let is_at_rest = |state: Derivative<VariableId>| {
            let change = step * self.present.value(state.of, state.order + 1).abs();
            machinery.memory.sizes.size(state).max(change) <= least
        };
        let resting: Vec<(usize, Derivative<VariableId>)> = program
            .state_quantities()
            .enumerate()
            .zip(&self.states)
            .filter(|&((index, state), value)| {
                // What is at hand comes first: few states are at rest.
                value.abs() <= least && is_at_rest(state) || sizes.has_died_away(index)
            })
            .map(|(state, _)| state)
            .collect();
        if resting.is_empty() {
            return;
        }
        // Of another state a part of its error as small as the error is itself: a fast state is moved by others many times in a
        // step. But all of it where it is rounding, as the current into a capacitor that nothing drives: that is found first, and then
        // what it makes of others. What was found before does not count: by a state that drives itself it would grow without end.
        let place_of =
            |state: Derivative<VariableId>| self.mode.quantities.index(state.of, state.order).map(|it| it.index());
        let mut errors = vec![0.0; self.present.jet.len()];
        for (index, state) in program.state_quantities().enumerate() {
            let error = settings.tolerance.powi(2) * integrator.sizes().now[index];
            place_of(state).into_iter().for_each(|place| errors[place] = error);
        }
        for _ in 0..ROUNDS_OF_ROUNDING {
            let noise = |&(_, state): &(usize, Derivative<VariableId>)| {
                self.present.slope_noise(machinery.prepared, state, &errors)
            };
            let noises: Vec<Option<f64>> = resting.iter().map(noise).collect();
            for (&(index, state), noise) in resting.iter().zip(noises) {
                let Some(noise) = noise else { continue };
                integrator.set_slope_noise(index, noise);
                place_of(state).into_iter().for_each(|place| errors[place] = errors[place].max(step * noise));
            }
        }
    }

    /// Integrates until something happens, or up to a pause. Where something has no value the phase is at the last point that
    /// was reached, not at one that was tried.
    pub fn integrate_until(
        &mut self,
        pause: f64,
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        output: &mut Output<'_>,
    ) -> Result<Reached, NoPhase> {
        let result = self.integrate(pause, machinery, settings, integrator, output);
        machinery.memory.sizes.learn(self.mode.program.borrow().state_quantities(), integrator.sizes());
        let Memory { scales, largest, .. } = &mut machinery.memory;
        self.expected.watch.hand_on(scales, largest);
        if let Err(NoPhase::Integration(_) | NoPhase::Block(_)) = &result
            && self.present.time != self.reached
        {
            let _ = self.move_to(machinery, integrator, self.reached);
        }
        result
    }

    fn integrate(
        &mut self,
        pause: f64,
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        output: &mut Output<'_>,
    ) -> Result<Reached, NoPhase> {
        loop {
            let Some(part) = self.next_part(machinery, settings, integrator)? else { return Ok(Reached::Stop) };
            let (from, end) = (part.from, part.end);
            let Some(Part { found, mut is_due, failure, .. }) =
                self.rows(machinery, integrator, output, part, pause)?
            else {
                return Ok(Reached::Pause);
            };
            if self.remember(machinery, settings, integrator, (from, end))? {
                self.expected.look_again(machinery, settings, (from, &self.present));
                is_due |= end >= self.expected.limit;
            }
            self.settle_at(machinery, integrator, end)?;
            self.reached = end;
            self.check_assertions(machinery, Occasion::default())?;
            if let Some(failure) = failure {
                return Err(failure);
            }
            if output.progress(&machinery.prepared.dae, &self.present, end) == ControlFlow::Break(()) {
                return Ok(Reached::Interruption);
            }
            match found {
                Some(crossing) => {
                    machinery.memory.end_phase((self.began, end), Some(&crossing));
                    if integrator.exact_pace().is_some() {
                        let rounding = |atom| self.present.rounding_of(machinery.prepared, atom);
                        machinery.memory.blur(self.expected.watch.time_error(&crossing, rounding));
                    }
                    return Ok(Reached::Event(self.expected.watch.fired(&crossing), crossing.guards));
                }
                None if is_due && self.expected.is_stop() => return Ok(Reached::Stop),
                None if is_due => {
                    machinery.memory.end_phase((self.began, end), None);
                    if integrator.exact_pace().is_some() {
                        machinery.memory.blur(0.0);
                    }
                    return Ok(Reached::Event(Fired::default(), Vec::new()));
                }
                None if self.needs_new_states(machinery) || self.needs_other_method(integrator) => {
                    return Ok(Reached::NewStates);
                }
                None if end >= pause => return Ok(Reached::Pause),
                None => {}
            }
        }
    }

    /// Goes on after an event that changed nothing continuous.
    pub fn resume(
        &mut self,
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
        right: Side<'a>,
        crossed: &[Guard],
    ) {
        self.present.discrete = right.discrete;
        self.view.forget();
        let expected = Expected::of(machinery, settings, &self.present);
        let before = std::mem::replace(&mut self.expected, expected);
        self.expected.watch.remember(&before.watch, crossed);
    }

    /// These guards have crossed, and the mode takes them back to their sides.
    pub fn expect_back(&mut self, crossed: &[Guard]) {
        self.expected.watch.expect_back(crossed);
    }

    /// The rest of a step, or the next one, up to the first event in it; nothing at the end of the phase.
    fn next_part(
        &mut self,
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
    ) -> Result<Option<Part>, NoPhase> {
        if let Some(mut part) = self.interrupted.take() {
            std::mem::swap(&mut self.present.jet, &mut part.guess);
            return Ok(Some(part));
        }
        let (from, limit) = (self.present.time, self.expected.limit);
        if from >= limit {
            return Ok(None);
        }
        // After an event inside a step, the rest of the step comes first.
        if integrator.time() <= from {
            let limit = self.resolved(machinery, integrator, from).min(limit);
            let limit =
                machinery.prepared.remembered_until(&mut machinery.memory.buffers.delayed, &self.present).min(limit);
            let step = match integrator.step(limit) {
                Ok(step) => step,
                Err(failure) => {
                    let found = self.crossing_within_resolution(machinery, &failure);
                    let nowhere = || NoPhase::Integration(Box::new(failure));
                    let found = Some(found.ok_or_else(nowhere)?);
                    return Ok(Some(Part { from, end: from, found, is_due: false, failure: None, guess: Vec::new() }));
                }
            };
            if !self.states.is_empty() && integrator.exact_pace().is_none() {
                self.follow(machinery, step.to - step.from, step.to - step.from);
                self.measure_rest(machinery, settings, integrator);
            }
        }
        let end_of_step = integrator.time().min(limit);
        let mut known_until = end_of_step;
        let (to, failure, mut found) = loop {
            let (to, failure) = self.last_value(machinery, integrator, (from, known_until))?;
            let seen = self.expected.watch.seen_until().max(from);
            match self.crossing(machinery, settings, integrator, (seen, to)) {
                Ok(found) => break (to, failure, found),
                // Inside the step there are no values although there are at its end.
                Err(NoPhase::Block(it)) if seen < it.time && it.time < to => known_until = it.time,
                Err(other) => return Err(other),
            }
        };
        if let Some(Beyond { time, .. }) = failure.as_ref().filter(|_| found.is_none()) {
            found = self.crossing_beyond(machinery, integrator, (to, *time))?;
        }
        let end = found.as_ref().map_or(to, |crossing| crossing.time);
        if integrator.exact_pace().is_some() {
            integrator.follow_until(from, end);
            self.follow(machinery, TYPICAL * (end - from), end - from);
        }
        let failure = failure.filter(|_| found.is_none()).map(|it| it.reason);
        if let Some(failure) = failure {
            if end == from {
                return Err(failure);
            }
            return Ok(Some(Part { from, end, found, is_due: false, failure: Some(failure), guess: Vec::new() }));
        }
        Ok(Some(Part { from, end, found, is_due: end >= limit, failure: None, guess: Vec::new() }))
    }

    /// After some time of the solution, of which so much is a short time.
    fn follow(&mut self, machinery: &mut Machinery<'a>, short: f64, length: f64) {
        let time_scale = &mut machinery.memory.time_scale;
        time_scale.follow(short);
        self.expected.watch.fade(length / time_scale.short());
    }

    /// Up to when functions of time are resolved, at least for the next step. The first step of a phase is not longer than a long
    /// step of late: where everything happens to rest at its beginning, nothing else says how long it may be.
    fn resolved(&mut self, machinery: &Machinery<'a>, integrator: &Integrator<'_, ModeOde>, from: f64) -> f64 {
        let Expected { due, limit, resolved, .. } = &mut self.expected;
        // An exact step may be as long as one likes.
        let step = integrator.step_length().min(*limit - from);
        if *resolved <= from || from + step > *resolved && *resolved < *due {
            let functions = &machinery.prepared.time_functions;
            let length = if step > 0.0 { 2.0 * step } else { machinery.memory.time_scale.short() };
            *resolved = functions.resolved_until(&self.present.discrete, from, length, *due).max(from);
        }
        let short = from + machinery.memory.time_scale.short();
        let has_begun = step > 0.0 || self.states.is_empty();
        if integrator.exact_pace().is_some() {
            return resolved.min(from + LONGEST * machinery.memory.time_scale.short());
        }
        if !has_begun && short > from { resolved.min(short) } else { *resolved }
    }

    /// The first crossing in a step, at whose end all values are, that is more than noise.
    fn crossing(
        &mut self,
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        (from, to): (f64, f64),
    ) -> Result<Option<Crossing>, NoPhase> {
        if self.states.is_empty() {
            // Nothing else says how long a step may be.
            self.expected.watch.begin_slowly(machinery.memory.time_scale.short());
        } else if let Some(pace) = integrator.exact_pace() {
            let (begin, last) = (integrator.last_step().from, machinery.memory.last_duration());
            self.expected.watch.begin_exactly(begin, pace.min(to - from), last);
        }
        let mut last = from;
        let mut is_seen_through = self.is_clear_at_a_glance(machinery, from);
        let mut clear_until = if is_seen_through { to } else { from };
        while last < to {
            if clear_until <= last {
                clear_until = self.look_into(machinery, integrator, (from, to), last, &mut is_seen_through);
            }
            let mut until = self.expected.watch.next_look(last, clear_until);
            let values = loop {
                if self.present.time != until {
                    self.move_to(machinery, integrator, until)?;
                }
                let watched = machinery.memory.buffers.watched_in_all(machinery.prepared, &self.present);
                let mut values = self.expected.watch.values(&watched);
                self.expected.watch.measure(machinery.prepared, &self.present, &mut values);
                if self.expected.watch.is_foretold((last, until), to - from, &values) {
                    break values;
                }
                // Times that cannot be told apart have no look between them.
                let earlier = self.expected.watch.next_look(last, until);
                if earlier >= until {
                    break values;
                }
                until = earlier;
            };
            let found = self.crossing_within(machinery, settings, integrator, ((last, until), &values))?;
            if found.is_some() {
                return Ok(found);
            }
            self.tell_contradictions(machinery, settings, until, &values);
            last = until;
        }
        Ok(None)
    }

    /// Remembers conditions that contradict the mode at a time although no crossing was found, to be told. In a sliding mode they do.
    fn tell_contradictions(&self, machinery: &mut Machinery<'a>, settings: &PhaseSettings, time: f64, values: &Values) {
        if self.present.sliding.is_some() {
            return;
        }
        let Memory { largest, unresolved, told_unresolved, .. } = &mut machinery.memory;
        let contradicting = self.expected.watch.contradicting(values, settings.tolerance, largest);
        let is_new = |guard: &Guard| !matches!(guard, Guard::Atom(atom) if told_unresolved.contains(atom));
        unresolved.extend(contradicting.filter(is_new).map(|guard| (guard, time)));
    }

    /// Whether no guard that bends can have crossed in a step at whose end all values are.
    fn is_clear_at_a_glance(&mut self, machinery: &Machinery<'a>, from: f64) -> bool {
        let (functions, Phase { view, present, expected, .. }) = (&machinery.prepared.guard_functions, self);
        view.places.is_empty()
            || present.sliding.is_some()
            || view.is_clear_at_a_glance(functions, &expected.watch, present, from)
    }

    /// Until when guards that bend need not be looked at after some time of a step, whose polynomials are made first.
    fn look_into(
        &mut self,
        machinery: &Machinery<'a>,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        (from, to): (f64, f64),
        after: f64,
        has_polynomials: &mut bool,
    ) -> f64 {
        if !*has_polynomials {
            *has_polynomials = true;
            let values = self.quantities_within(machinery, integrator, (from, to));
            self.view.look_into(&values, integrator.exact_pace().is_none());
        }
        let (functions, Phase { view, present, expected, .. }) = (&machinery.prepared.guard_functions, self);
        view.next_look(functions, &expected.watch, present, (from, to), after).unwrap_or(to)
    }

    /// The quantities of guards that bend at points of a step; not a number where they have no values.
    fn quantities_within(
        &mut self,
        machinery: &Machinery<'a>,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        (from, to): (f64, f64),
    ) -> Vec<[f64; POINTS]> {
        let places = std::mem::take(&mut self.view.places);
        let mut values = vec![[f64::NAN; POINTS]; places.len()];
        let needs_all = places.iter().any(|place| matches!(place, Place::Jet(_)));
        let mut is_known = true;
        for (number, place) in PLACES.into_iter().enumerate() {
            let time = if place < 1.0 { from + 0.5 * (to - from) * (place + 1.0) } else { to };
            if needs_all {
                is_known = self.move_to(machinery, integrator, time).is_ok();
            } else {
                integrator.interpolate(time, &mut self.states);
            }
            for (values, place) in values.iter_mut().zip(&places) {
                values[number] = match *place {
                    Place::State(state) => self.states[state],
                    Place::Jet(place) if is_known => self.present.jet[place],
                    Place::Jet(_) | Place::Nowhere => f64::NAN,
                };
            }
        }
        self.view.places = places;
        if !is_known {
            // What failed has left no values.
            self.present.time = f64::NAN;
        }
        values
    }

    /// The same of a part of a step, at whose end guards have these values.
    fn crossing_within(
        &mut self,
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        (step, values): ((f64, f64), &Values),
    ) -> Result<Option<Crossing>, NoPhase> {
        let prepared = machinery.prepared;
        loop {
            let Phase { mode, present, states, expected, .. } = self;
            let found = expected.watch.step(step, values, |time| {
                evaluate(mode, present, states, machinery, integrator, time)?;
                Ok(machinery.memory.buffers.watched_in_all(prepared, present))
            })?;
            let Some(crossing) = found else { return Ok(None) };
            let memory = &machinery.memory;
            let slight = crossing.guards.iter().filter(|&&it| memory.slight.contains(prepared, it, &self.present));
            let slight: Vec<Guard> = slight.copied().collect();
            if slight.is_empty() {
                return Ok(Some(crossing));
            }
            self.move_to(machinery, integrator, crossing.time)?;
            let Machinery { visited, memory, .. } = machinery;
            memory.sizes.learn(self.mode.program.borrow().state_quantities(), integrator.sizes());
            let here = (&self.present, self.states.as_slice(), &memory.sizes);
            let surroundings = visited.surroundings.borrow();
            let is_stiff = integrator.is_stiff_in_steps_of(memory.time_scale.short());
            let sizes = (&memory.largest, is_stiff);
            // Exact solutions have no errors but rounding.
            let is_exact = integrator.exact_pace().is_some();
            let errors = if is_exact { noise_floor::ROUNDING } else { settings.tolerance };
            let noise = GuardNoise::at(prepared, &surroundings, &mut memory.buffers, here, sizes, errors);
            drop(surroundings);
            let watch = &mut self.expected.watch;
            let noisy: Vec<Guard> = slight.into_iter().filter(|&guard| watch.is_noise(guard, &noise, values)).collect();
            if noisy.is_empty() {
                return Ok(Some(crossing));
            }
            let unresolved = noisy.into_iter().filter(|&guard| watch.is_guess(guard, &noise));
            memory.unresolved.extend(unresolved.map(|guard| (guard, crossing.time)));
        }
    }

    /// Tells rows at the points of the interval inside a part of a step, which is given back; nothing where a pause comes
    /// first, at whose time all values then are. An event writes its own rows.
    fn rows(
        &mut self,
        machinery: &mut Machinery<'a>,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        output: &mut Output<'_>,
        part: Part,
        pause: f64,
    ) -> Result<Option<Part>, NoPhase> {
        let is_event = part.found.is_some() || part.is_due;
        loop {
            let point = output.next_point();
            let is_due = if is_event { output.next_point_before(part.end).is_some() } else { point <= part.end };
            if pause < part.end && !(is_due && point <= pause) {
                let guess = self.present.jet.clone();
                self.move_to(machinery, integrator, pause.max(part.from))?;
                self.interrupted = Some(Part { guess, ..part });
                return Ok(None);
            }
            if !is_due {
                return Ok(Some(part));
            }
            // A point just before an event that nobody saw is written just after it.
            self.move_to(machinery, integrator, point.max(part.from))?;
            self.reached = self.present.time;
            output.row(&self.present);
            output.pass_point();
        }
    }

    /// Evaluates everything at a time inside the last step.
    pub(super) fn move_to(
        &mut self,
        machinery: &Machinery<'a>,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        time: f64,
    ) -> Result<(), NoPhase> {
        evaluate(&self.mode, &mut self.present, &mut self.states, machinery, integrator, time)
    }

    /// The same at the end of a part, where all values are already unless rows or a crossing were looked for elsewhere since.
    fn settle_at(
        &mut self,
        machinery: &Machinery<'a>,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        time: f64,
    ) -> Result<(), NoPhase> {
        if self.present.time == time {
            integrator.interpolate(time, &mut self.states);
            return Ok(());
        }
        self.move_to(machinery, integrator, time)
    }

    fn needs_new_states(&self, machinery: &Machinery<'a>) -> bool {
        let surroundings = machinery.visited.surroundings.borrow();
        self.mode.program.borrow_mut().needs_new_states(self.present.time, self.present.own_jet(), &surroundings)
    }

    /// Whether an exact solution has lost too much by rounding.
    fn needs_other_method(&self, integrator: &Integrator<'_, ModeOde<'a>>) -> bool {
        integrator.exact_pace().is_some() && !self.mode.is_exact_at(self.present.time)
    }

    /// Whether all assertions hold at the present values; those that only warn and do not hold, where it was not said yet.
    pub fn check_assertions(&self, machinery: &mut Machinery<'a>, occasion: Occasion) -> Result<Vec<usize>, NoPhase> {
        let assertions = &machinery.prepared.discrete.assertions;
        if assertions.is_empty() {
            return Ok(Vec::new());
        }
        let mut broken = machinery.memory.buffers.broken_assertions(machinery.prepared, &self.present, occasion);
        if let Some(&number) = broken.iter().find(|&&number| assertions[number].is_error) {
            return Err(NoPhase::Assertion(number));
        }
        broken.retain(|&number| machinery.memory.warned.insert(assertions[number].span));
        Ok(broken)
    }
}

impl Expected {
    /// What may happen next.
    fn of<'a>(machinery: &mut Machinery<'a>, settings: &PhaseSettings, side: &Side<'a>) -> Self {
        Expected::watching(machinery, settings, side, &[])
    }

    /// The same where some guards may move although their times are known in advance as far as nobody moves them.
    pub fn watching<'a>(
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
        side: &Side<'a>,
        moved: &[Guard],
    ) -> Self {
        let Machinery { prepared, visited, memory } = machinery;
        prepared.delays.go_on(prepared, &mut memory.buffers.delayed, side);
        let guards = derived_guards_on(prepared, visited, memory, side);
        let due = prepared.next_time(side.time, &side.discrete, &memory.samplings);
        let noise = prepared.noise.relative;
        memory.renew_scales(prepared, side);
        let floor = |atom| memory.least(prepared, atom);
        let mut watch =
            Watch::new(&prepared.discrete, &side.discrete, &memory.scales, floor, noise, &guards, |guard| {
                prepared.is_scheduled(guard, &side.discrete) && !moved.contains(&guard)
                    || side.sliding.as_ref().is_some_and(|it| it.stays_at(guard))
            });
        if let Some(slide) = &side.sliding {
            watch.watch_shares(slide.shares.len());
        }
        watch.end_at(settings.stop);
        watch.begin(side.time, &memory.buffers.watched_in_all(prepared, side));
        Expected { due, limit: due.min(settings.stop), resolved: side.time, watch }
    }

    /// Something new is due after a time.
    fn look_again(&mut self, machinery: &Machinery<'_>, settings: &PhaseSettings, (from, side): (f64, &Side<'_>)) {
        let due = machinery.prepared.next_time(from, &side.discrete, &machinery.memory.samplings);
        self.due = self.due.min(due);
        self.limit = self.due.min(settings.stop);
    }

    /// Whether the run ends before anything is due.
    fn is_stop(&self) -> bool {
        self.limit < self.due
    }
}

/// What rounding makes of the slopes of all states, as far as that can be said.
fn noises_of_slopes(prepared: &Prepared, side: &Side<'_>) -> Vec<f64> {
    let no_errors = vec![0.0; side.jet.len()];
    let program = side.mode.program.borrow();
    let noises = program.state_quantities().map(|state| side.slope_noise(prepared, state, &no_errors));
    noises.map(Option::unwrap_or_default).collect()
}

/// Evaluates everything at a time inside the last step.
fn evaluate<'a>(
    mode: &VisitedMode<'a>,
    present: &mut Side<'a>,
    states: &mut [f64],
    machinery: &Machinery<'a>,
    integrator: &mut Integrator<'_, ModeOde<'a>>,
    time: f64,
) -> Result<(), NoPhase> {
    integrator.interpolate(time, states);
    // Where there is no such point, the run is still where it was.
    if let Some(Slide { system, jets, .. }) = present.sliding.clone() {
        let (slide, jet) = system.point(time, states, jets).map_err(NoPhase::Sliding)?;
        (present.sliding, present.jet, present.time) = (Some(slide), jet, time);
        return Ok(());
    }
    let surroundings = machinery.visited.surroundings.borrow();
    let mut program = mode.program.borrow_mut();
    program.evaluate(time, states, &surroundings, &mut present.jet).map_err(NoPhase::Block)?;
    present.time = time;
    Ok(())
}
