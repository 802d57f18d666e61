//! The run that answers an environment: a mode, evaluated where the environment is, and the instants that it asks for.

use std::rc::Rc;

use modeshift_dae::{Derivative, Id as _, Variability, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};

use super::super::instant::event_iteration::{Fired, Outcome};
use super::super::instant::instant;
use super::super::linearize::no_tangents;
use super::super::modes::VisitedMode;
use super::super::output::{impulses, shown_values};
use super::super::phase::integrate_until::{Expected, NoPhase, PhaseSettings};
use super::super::phase::schedule::due_samples;
use super::super::phase::zero_crossings::{Guard, Values};
use super::super::prepare::Prepared;
use super::super::values::{Occasion, Side};
use super::super::{Machinery, RunSettings, Stuck, failure};
use super::{ExchangeEvent, ExchangePoint, alone, refusals};
use crate::program::{TangentPoint, Tangents};

/// Instants of one event: a guard that an instant leaves on its wrong side is passed at once. More are a circle.
const MOST_INSTANTS: usize = 100;
/// A guard that is not clearly on its side is shifted by this share of its noise: where it has crossed by that, it is still at zero.
const SHIFT: f64 = 0.5;
/// One that is on its wrong side although nothing changes is shifted by so many times what it is there.
const BEYOND: f64 = 2.0;

/// A run at a place.
pub(super) struct Served<'m, 'a> {
    pub machinery: &'m mut Machinery<'a>,
    pub settings: PhaseSettings,
    /// The states of the environment, in all modes.
    pub states: Vec<Derivative<VariableId>>,
    /// What the environment says they are.
    pub given: Vec<f64>,
    pub present: Side<'a>,
    /// When the last event was.
    pub began: f64,
    expected: Expected,
    /// Guards that inputs move although nothing else does.
    moved: Vec<Guard>,
    /// By guard that is watched.
    pub shifts: Vec<f64>,
    /// By indicator: the sign that it is told with. What crosses has its sign on both sides of the event, for those who do not look
    /// again after it.
    pub signs: Vec<f64>,
    places: Places,
    tangents: Option<KnownTangents<'a>>,
}

/// Where the states of the environment are in the present mode.
#[derive(Default)]
struct Places {
    /// By state of the mode: its number for the environment.
    own: Vec<usize>,
    /// By state of the environment: its place in the jet.
    values: Vec<usize>,
    /// And that of its derivative.
    slopes: Vec<usize>,
}

/// The derivatives of a mode for some states of its own.
struct KnownTangents<'a> {
    mode: Rc<VisitedMode<'a>>,
    states: Vec<Derivative<VariableId>>,
    inputs: Vec<VariableId>,
    tangents: Tangents,
}

/// How many indicators a model has: one of each relation, of both edges of each stair, and one of what only some modes watch.
pub(super) fn indicator_count(prepared: &Prepared) -> usize {
    prepared.discrete.atoms.len() + 2 * prepared.discrete.stairs.len() + 1
}

/// The number of the indicator of a guard.
fn indicator(prepared: &Prepared, guard: Guard) -> usize {
    let atoms = prepared.discrete.atoms.len();
    match guard {
        Guard::Atom(atom) => atom.index(),
        Guard::Edge(stair, is_upper) => atoms + 2 * stair + usize::from(is_upper),
        Guard::Ray(_) | Guard::Share(..) => indicator_count(prepared) - 1,
    }
}

/// A number that others can look for roots of; nothing where there is none: a guard on what does not exist in the present mode, which
/// no event comes from.
fn finite(value: f64) -> Option<f64> {
    (!value.is_nan()).then(|| value.clamp(f64::MIN, f64::MAX))
}

impl<'m, 'a> Served<'m, 'a> {
    /// Begins where a run has passed its first instant.
    pub fn begin(
        machinery: &'m mut Machinery<'a>,
        settings: &RunSettings,
        states: &[Derivative<VariableId>],
        side: &Side<'a>,
    ) -> Result<(Self, ExchangeEvent), Diagnostics> {
        let RunSettings { start, tolerance, method, .. } = *settings;
        // The environment ends where it likes.
        let settings = PhaseSettings { start, stop: f64::INFINITY, tolerance, method };
        let expected = Expected::watching(machinery, &settings, side, &[]);
        let indicators = indicator_count(machinery.prepared);
        let mut served = Served {
            machinery,
            settings,
            states: states.to_vec(),
            given: vec![f64::NAN; states.len()],
            present: side.clone(),
            began: side.time,
            expected,
            moved: Vec::new(),
            shifts: Vec::new(),
            signs: vec![1.0; indicators],
            places: Places::default(),
            tangents: None,
        };
        served.moved = served.moved_by_inputs();
        served.arm()?;
        let event = served.told(false, Vec::new(), false);
        Ok((served, event))
    }

    /// Goes to a time, with these states and inputs.
    pub fn at(
        &mut self,
        time: f64,
        states: &[f64],
        inputs: &[(VariableId, f64)],
    ) -> Result<ExchangePoint, Diagnostics> {
        let before: Vec<(VariableId, f64)> = inputs.iter().map(|&(id, _)| (id, self.present.discrete[id])).collect();
        inputs.iter().for_each(|&(id, value)| self.present.discrete[id] = value);
        let Machinery { visited, .. } = &self.machinery;
        visited.surround(&self.present);
        let own: Vec<f64> = self.places.own.iter().map(|&at| states[at]).collect();
        let mut jet = self.present.jet.clone();
        let evaluated =
            self.present.mode.program.borrow_mut().evaluate(time, &own, &visited.surroundings.borrow(), &mut jet);
        if let Err(block) = evaluated {
            before.into_iter().for_each(|(id, value)| self.present.discrete[id] = value);
            return Err(self.stuck(NoPhase::Block(block)));
        }
        (self.present.time, self.present.jet) = (time, jet);
        self.given.copy_from_slice(states);
        Ok(self.point())
    }

    fn point(&mut self) -> ExchangePoint {
        let derivatives = self.places.slopes.iter().map(|&at| self.present.jet[at]).collect();
        ExchangePoint { derivatives, indicators: self.indicators() }
    }

    /// What guards are where it is.
    fn guard_values(&mut self) -> Values {
        let Machinery { prepared, memory, .. } = &mut *self.machinery;
        let watched = memory.buffers.watched_in_all(prepared, &self.present);
        let mut values = self.expected.watch.values(&watched);
        self.expected.watch.measure(prepared, &self.present, &mut values);
        values
    }

    fn indicators(&mut self) -> Vec<f64> {
        let values = self.guard_values();
        let prepared = self.machinery.prepared;
        // What is not watched in this mode is far from everything.
        let mut indicators = vec![1.0; indicator_count(prepared)];
        let last = indicators.len() - 1;
        indicators[last] = f64::INFINITY;
        for ((guard, (value, _)), shift) in self.expected.watch.guards().zip(values).zip(&self.shifts) {
            let Some(shifted) = finite(self.never_zero(guard, value + shift)) else { continue };
            let place = &mut indicators[indicator(prepared, guard)];
            *place = if matches!(guard, Guard::Ray(_) | Guard::Share(..)) { place.min(shifted) } else { shifted };
        }
        if indicators[last] == f64::INFINITY {
            indicators[last] = 1.0;
        }
        indicators.iter_mut().zip(&self.signs).for_each(|(indicator, sign)| *indicator *= sign);
        indicators
    }

    /// An indicator that is not zero: where a guard is, it has crossed if its relation has another truth there.
    fn never_zero(&self, guard: Guard, value: f64) -> f64 {
        if value != 0.0 {
            return value;
        }
        let is_open = match guard {
            Guard::Atom(id) => {
                let atom = &self.machinery.prepared.discrete.atoms[id];
                (self.present.discrete[atom.variable] != 0.0) != atom.holds_at_zero()
            }
            _ => false,
        };
        if is_open { -f64::MIN_POSITIVE } else { f64::MIN_POSITIVE }
    }

    /// All values where it is, by their columns.
    pub fn values(&self) -> Vec<f64> {
        shown_values(&self.machinery.prepared.columns, &self.present)
    }

    /// A step of the environment has led here.
    pub fn completed(&mut self) -> Result<bool, Diagnostics> {
        let Machinery { prepared, memory, .. } = &mut *self.machinery;
        let broken = memory.buffers.broken_assertions(prepared, &self.present, Occasion::default());
        if let Some(&number) = broken.iter().find(|&&number| prepared.discrete.assertions[number].is_error) {
            return Err(self.stuck(NoPhase::Assertion(number)));
        }
        let length = self.present.time - self.expected.watch.seen_until();
        if length > 0.0 {
            memory.time_scale.follow(length);
            memory.sizes.see(&self.present);
            let watched = memory.buffers.watched_in_all(prepared, &self.present);
            self.expected.watch.begin(self.present.time, &watched);
            self.release();
        }
        let surroundings = self.machinery.visited.surroundings.borrow();
        let is_due = self.present.time > self.expected.due;
        let mut program = self.present.mode.program.borrow_mut();
        Ok(is_due || program.needs_new_states(self.present.time, self.present.own_jet(), &surroundings))
    }

    /// Guards that are clearly on their sides are their own indicators from now on.
    fn release(&mut self) {
        let values = self.guard_values();
        for ((guard, (value, _)), shift) in self.expected.watch.guards().zip(values).zip(&mut self.shifts) {
            let is_clear = self.expected.watch.aim(guard).is_some_and(|aim| value > aim.noise);
            if is_clear && !self.moved.contains(&guard) {
                *shift = 0.0;
            }
        }
    }

    /// Passes the instant where it is.
    pub fn event(&mut self, inputs: Vec<(VariableId, f64)>) -> Result<ExchangeEvent, Diagnostics> {
        let (mut is_visible, mut areas, mut is_last) = (false, Vec::new(), false);
        let told = self.indicators();
        let mut crossed = self.crossed();
        let mut inputs = Some(inputs);
        for _ in 0..MOST_INSTANTS {
            let before = self.present.clone();
            let (outcome, seen) = self.instant(&crossed, inputs.take().unwrap_or_default())?;
            is_visible |= seen;
            if seen {
                areas = impulses(self.machinery.prepared, &outcome);
            }
            is_last |= outcome.terminated.is_some();
            self.present = outcome.right;
            self.began = self.present.time;
            if is_last {
                break;
            }
            self.arm()?;
            let left_over = self.clearly_beyond();
            // What stays on its wrong side although it has just been asked is to come back by itself.
            let is_same = left_over == crossed && before.discrete.iter().eq(self.present.discrete.iter());
            if left_over.is_empty() || is_same {
                break;
            }
            crossed = left_over;
        }
        self.signs = told.into_iter().map(f64::signum).collect();
        Ok(self.told(is_visible, areas, is_last))
    }

    /// Guards whose indicators say that they have crossed, and those that have crossed with them.
    fn crossed(&mut self) -> Vec<Guard> {
        let values = self.guard_values();
        let watch = &self.expected.watch;
        let guards = watch.guards().zip(&values).zip(&self.shifts);
        let has_crossed = |guard: Guard, value: f64, shift: f64| {
            self.never_zero(guard, value + shift) < 0.0
                || value < 0.0 && watch.aim(guard).is_some_and(|aim| aim.is_armed)
        };
        let crossed = guards.filter(|((guard, value), shift)| has_crossed(*guard, value.0, **shift));
        crossed.map(|((guard, _), _)| guard).collect()
    }

    /// Guards that are on their wrong sides by more than noise.
    fn clearly_beyond(&mut self) -> Vec<Guard> {
        let values = self.guard_values();
        let watch = &self.expected.watch;
        let is_beyond = |guard: Guard, value: f64| watch.aim(guard).is_some_and(|aim| value < -aim.noise);
        watch.guards().zip(&values).filter(|(guard, value)| is_beyond(*guard, value.0)).map(|it| it.0).collect()
    }

    /// One instant, in which these guards have crossed; whether there is something to see.
    fn instant(
        &mut self,
        crossed: &[Guard],
        inputs: Vec<(VariableId, f64)>,
    ) -> Result<(Outcome<'a>, bool), Diagnostics> {
        let values = self.guard_values();
        let time = self.present.time;
        let Machinery { prepared, visited, memory } = &mut *self.machinery;
        let watch = &mut self.expected.watch;
        watch.hand_on(&mut memory.scales, &mut memory.largest);
        let crossing = (!crossed.is_empty()).then(|| watch.crossing_at(time, values, crossed.to_vec()));
        memory.end_phase((self.began, time), crossing.as_ref());
        let fired = crossing.as_ref().map_or_else(Fired::default, |crossing| watch.fired(crossing));
        let fired = Fired { samples: due_samples(&mut memory.samplings, time), inputs, ..fired };
        match instant(prepared, visited, memory, &self.present, &fired, Occasion::default()) {
            Ok(outcome) => {
                memory.slight.learn(prepared, &self.present, &fired, &outcome);
                let is_visible = outcome.is_visible(&prepared.discrete, &self.present);
                if outcome.right.sliding.is_some() {
                    return Err(alone(refusals::sliding(time)));
                }
                Ok((outcome, is_visible))
            }
            Err(reason) => {
                let mut said = Diagnostics::new();
                failure::explain_instant(self.machinery, &self.present, &fired, &reason, &mut said);
                Err(said)
            }
        }
    }

    /// Watches for what may happen next, and finds the states in the present mode.
    fn arm(&mut self) -> Result<(), Diagnostics> {
        let side = &self.present;
        self.machinery.visited.surround(side);
        let visited = &mut self.machinery.visited;
        let surroundings = visited.surroundings.clone();
        let chosen = side.mode.choose_states(&mut visited.programs, side.time, side.own_jet(), &surroundings.borrow());
        if let Err(reason) = chosen {
            return Err(self.stuck(NoPhase::NotBuilt(reason)));
        }
        self.places = self.places_in_mode()?;
        self.given = self.places.values.iter().map(|&at| self.present.jet[at]).collect();
        self.machinery.memory.sizes.see(&self.present);
        self.expected = Expected::watching(self.machinery, &self.settings, &self.present, &self.moved);
        let values = self.guard_values();
        let watch = &self.expected.watch;
        // What inputs are at zero of is told from both sides by rounding alone.
        let shift = |(guard, (value, _)): (Guard, (f64, f64))| match watch.aim(guard) {
            Some(aim) if value <= aim.noise || self.moved.contains(&guard) => (SHIFT * aim.noise).max(-BEYOND * value),
            _ => 0.0,
        };
        self.shifts = watch.guards().zip(values).map(shift).collect();
        Ok(())
    }

    /// Guards that read an input that changes as it likes.
    fn moved_by_inputs(&self) -> Vec<Guard> {
        let prepared = self.machinery.prepared;
        let is_signal = |id: VariableId| {
            let it = &prepared.dae.model.variables[id];
            it.input && it.variability == Variability::Continuous
        };
        let is_moved = |guard: &Guard| refusals::read_by(prepared, *guard).into_iter().any(is_signal);
        refusals::guards_of(prepared).filter(is_moved).collect()
    }

    fn places_in_mode(&self) -> Result<Places, Diagnostics> {
        let Side { mode, .. } = &self.present;
        let refused = |state| {
            let names = failure::whole_mode_text(self.machinery, &mode.values);
            alone(refusals::not_in_mode(self.machinery.prepared, state, &names))
        };
        let mut places = Places::default();
        for own in mode.program.borrow().state_quantities() {
            let at = self.states.iter().position(|&state| state == own);
            places.own.push(at.ok_or_else(|| refused(own))?);
        }
        for &state in &self.states {
            let place = |order: u32| mode.quantities.index(state.of, order).map(|place| place.index());
            let (Some(value), Some(slope)) = (place(state.order), place(state.order + 1)) else {
                return Err(refused(state));
            };
            places.values.push(value);
            places.slopes.push(slope);
        }
        Ok(places)
    }

    pub fn told(&self, is_visible: bool, impulses: Vec<crate::results::Impulse>, is_last: bool) -> ExchangeEvent {
        let due = self.expected.due;
        let next = due.is_finite().then_some(due);
        ExchangeEvent { states: self.given.clone(), next, is_visible, impulses, is_last }
    }

    /// How derivatives of states, and then variables, change in a direction.
    pub fn tangent(
        &mut self,
        states: &[f64],
        inputs: &[(VariableId, f64)],
        variables: &[String],
    ) -> Result<Vec<f64>, Diagnostics> {
        let refused = |reason: &str| Diagnostic::error(Code::E0845, format!("no derivatives: {reason}"));
        let model = &self.machinery.prepared.dae.model;
        let ids: Vec<VariableId> = inputs.iter().map(|it| it.0).collect();
        self.know_tangents(&ids).map_err(|reason| alone(no_tangents(model, &reason, &refused)))?;
        let known = self.tangents.as_ref().expect("they are known by now");
        let program = self.present.mode.program.borrow();
        let visited = &self.machinery.visited;
        visited.surround(&self.present);
        let surroundings = visited.surroundings.borrow();
        let point = TangentPoint { time: self.present.time, jet: &self.present.jet, surroundings: &surroundings };
        let rows = known.tangents.at(program.quantities(), point);
        let rows = rows.map_err(|reason| alone(no_tangents(model, &reason, &refused)))?;
        let seeds = self.places.own.iter().map(|&at| states[at]).chain(inputs.iter().map(|it| it.1));
        let seeds: Vec<f64> = seeds.collect();
        let in_direction = |at: usize| rows[at].iter().zip(&seeds).map(|(entry, seed)| entry * seed).sum::<f64>();
        let of_variable = |name: &String| {
            let id = model.variables.ids().find(|&id| *model.variables[id].name == **name);
            let place = id.and_then(|id| program.quantities().index(id, 0));
            let given = id.and_then(|id| inputs.iter().find(|it| it.0 == id));
            match (place, given) {
                (Some(place), _) => in_direction(place.index()),
                (None, Some((_, seed))) => *seed,
                (None, None) => f64::NAN,
            }
        };
        let slopes = self.places.slopes.iter().map(|&at| in_direction(at));
        Ok(slopes.chain(variables.iter().map(of_variable)).collect())
    }

    /// Makes the derivatives of the present mode, if they are not those that were made last.
    fn know_tangents(&mut self, inputs: &[VariableId]) -> Result<(), crate::program::NoTangents> {
        let mode = &self.present.mode;
        let program = mode.program.borrow();
        let states: Vec<Derivative<VariableId>> = program.state_quantities().collect();
        let is_known = |known: &KnownTangents<'a>| {
            Rc::ptr_eq(&known.mode, mode) && known.states == states && known.inputs == inputs
        };
        if self.tangents.as_ref().is_some_and(is_known) {
            return Ok(());
        }
        let tangents = program.tangents(&mut self.machinery.visited.programs, inputs)?;
        self.tangents = Some(KnownTangents { mode: mode.clone(), states, inputs: inputs.to_vec(), tangents });
        Ok(())
    }

    /// The last instant.
    pub fn finish(&mut self) -> Result<(), Diagnostics> {
        let Machinery { prepared, visited, memory } = &mut *self.machinery;
        let occasion = Occasion { initial: false, terminal: true };
        let fired = Fired::default();
        match instant(prepared, visited, memory, &self.present, &fired, occasion) {
            Ok(outcome) => {
                self.present = outcome.right;
                Ok(())
            }
            Err(reason) => {
                let mut said = Diagnostics::new();
                failure::explain_instant(self.machinery, &self.present, &fired, &reason, &mut said);
                Err(said)
            }
        }
    }

    /// Comes to another side, which was there before.
    pub fn take(&mut self, side: Side<'a>) -> Result<(), Diagnostics> {
        self.present = side;
        self.arm()
    }

    fn stuck(&self, reason: NoPhase) -> Diagnostics {
        let mut said = Diagnostics::new();
        let stuck = Stuck { reason, side: self.present.clone() };
        failure::explain_stuck(self.machinery, &stuck, &mut said);
        said
    }
}
