//! Impulse analysis (RR8933 A.1) and the dominant terms of resets (A.2), for generic coefficients.
//!
//! Each block of a run is solved for series in ∂ (`linear`). The order of a variable is that of its series; it is
//! impulsive where that is positive, and jumps where the difference to its value before has order 0.
//!
//! The past is smooth: a change begins on a trajectory of the mode before, whose derivatives are finite and satisfy its
//! constraints, so that `x•` is `x + ∂ x'`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::change::{Change, ChangeEnd};
use crate::domain::{Body, Shifted, Unknown};
use crate::graph::{Class, Graph};
use crate::micro_step::MicroStep;
use crate::run::{Beginning, Trace};
use crate::sigma::Offsets;
use crate::values::linear::{
    Jet, Values, generic_state, left_limits, left_limits_with, on_trajectory, quotient, quotient_at,
};
use crate::values::reached::{Reached, Unclear};
use crate::values::series::{Series, SeriesKey};

/// What a mode change does to variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Variables with impulses, with their orders.
    pub impulsive: BTreeMap<Unknown, i32>,
    /// Variables whose orders are not known, and why.
    pub unclear: BTreeMap<Unknown, Unclear>,
    /// Variables that depend on something infinite in another way than linearly.
    pub nonlinear: BTreeSet<Unknown>,
    /// Variables that jump and have no impulse.
    pub jumps: BTreeSet<Unknown>,
    /// Blocks of the new mode in which a leading derivative is impulsive: the equations that say where states restart.
    pub restart: BTreeSet<Body>,
    /// The variables of these blocks.
    pub restarted: BTreeSet<Unknown>,
}

/// Values along a change.
#[derive(Clone, Debug)]
pub struct Course {
    /// Left limits: what the mode before computed.
    pub left: Jet,
    /// By instant.
    pub instants: Vec<Values>,
    /// By instant, with what is known of variables that have no series.
    pub(crate) reached: Vec<Reached>,
}

/// States that one block resets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RightLimits {
    /// The states: variables, and for what is shifted here their derivatives.
    pub states: Vec<Shifted<Unknown>>,
    /// The instant of the change, from 1.
    pub instant: usize,
    /// The equations of the block.
    pub equations: Vec<Shifted<Body>>,
}

/// An instant of a change, from 1, and the equations of a block in it.
type Place = (usize, Vec<Shifted<Body>>);

/// What a run does, whatever the past it is met with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunEffects {
    /// Variables with impulses, with the highest of their orders.
    pub impulsive: BTreeMap<Unknown, i32>,
    /// Variables whose orders are not known for some past, and why.
    pub unclear: BTreeMap<Unknown, Unclear>,
}

/// What all runs do.
#[derive(Clone, Debug)]
pub struct AllEffects {
    /// By run; nothing for runs that fail, or that no past was followed to.
    pub of_runs: Vec<Option<RunEffects>>,
    /// How many pasts were met and not followed.
    pub pasts_left_out: usize,
}

/// Pasts that are followed: as many as runs are explored. Most models have fewer than ten times as many pasts as contexts.
pub const MOST_PASTS: usize = 2_048;

fn is_impulsive(value: &Series) -> bool {
    value.order().is_some_and(|order| order > 0)
}

/// The values that a beginning knows, on a smooth trajectory.
fn beginning_values(beginning: &Beginning, jet: &Jet) -> Option<Values> {
    beginning.known.iter().map(|&variable| Some((variable, on_trajectory(jet, variable)?))).collect()
}

impl Course {
    /// The left limit of a variable.
    fn was(&self, unknown: Unknown) -> Option<Series> {
        self.left.get(&Shifted::new(unknown, 0)).map(|&value| Series::monomial(value, 0))
    }
}

impl Graph {
    /// The values of each instant of a change, as far as it gets.
    pub fn course(&self, change: &Change) -> Option<Course> {
        let old = self.offsets[change.before].as_ref()?;
        let left = left_limits_with(&self.system, old, &change.satisfied)?;
        let mut reached: Vec<Reached> = Vec::new();
        let mut at = Reached::of(beginning_values(&change.start, change.memory.as_ref().unwrap_or(&left))?);
        for (place, trace) in change.instants.iter().enumerate() {
            let after = at.after_run(&self.system, &trace.steps, place as u32)?;
            at = after.ticked();
            reached.push(after);
        }
        Some(Course { left, instants: reached.iter().map(|it| it.values.clone()).collect(), reached })
    }

    /// What a change does; nothing where it fails. Of the instant of a `when` that is over at once impulses are told, and which
    /// states jump: what else there is belongs to the mode that follows.
    pub fn effects(&self, change: &Change) -> Option<Effects> {
        let is_transient = change.end == ChangeEnd::Transient;
        let course = self.course(change).filter(|_| is_transient || change.end == ChangeEnd::Continuous)?;
        let mut effects = Effects::default();
        for reached in &course.reached {
            raise(&mut effects.impulsive, reached.infinite_orders());
            for (variable, unclear) in &reached.unclear {
                effects.unclear.entry(variable.of).or_insert_with(|| unclear.clone());
            }
            effects.nonlinear.extend(reached.nonlinear.iter().map(|variable| variable.of));
        }
        effects.impulsive.retain(|unknown, _| !effects.unclear.contains_key(unknown));
        if is_transient {
            let after = self.states_after(change, &course)?.into_iter();
            let jumps = after.filter(|(state, right)| differs(course.was(state.of), Some(right.clone())));
            effects.jumps = jumps.map(|(state, _)| state.of).collect();
        }
        let offsets = self.offsets[change.after].as_ref().filter(|_| !is_transient);
        let (Some(offsets), Some(last)) = (offsets, course.instants.last()) else { return Some(effects) };
        let all = Reached::in_one_count(&course.reached).values;
        let end = course.instants.len() as u32;
        let is_chance = |of: Unknown| self.comes_back_by_chance(change, &all, &course.left, Shifted::new(of, end));
        for &unknown in offsets.variables.keys().filter(|unknown| !effects.impulsive.contains_key(unknown)) {
            if differs(course.was(unknown), quotient(last, unknown, 0))
                || self.system.is_state(unknown) && is_chance(unknown)
            {
                effects.jumps.insert(unknown);
            }
        }
        self.restart_blocks(change, &course.instants, offsets, &mut effects);
        Some(effects)
    }

    /// Where states that a change resets get their right limits: the first values that stay, with the block and the
    /// instant, from 1, that give them. By block, as far as values are known. Behind the instant of a `when` that is over at
    /// once these are what the mode that follows begins with.
    pub fn right_limits(&self, change: &Change) -> Option<Vec<RightLimits>> {
        let course = self.course(change)?;
        let after = self.states_after(change, &course)?;
        let all = Reached::in_one_count(&course.reached).values;
        let last = course.instants.len() as u32;
        let mut found: BTreeMap<Place, Vec<Shifted<Unknown>>> = BTreeMap::new();
        for (state, right) in after.into_iter().filter(|(_, right)| !is_impulsive(right)) {
            let is_infinite =
                state.shift == 0 && course.reached.iter().any(|it| it.infinite_orders().contains_key(&state.of));
            let left = course.left.get(&state).map(|&value| Series::monomial(value, 0));
            let is_chance = || {
                state.shift == 0 && self.comes_back_by_chance(change, &all, &course.left, Shifted::new(state.of, last))
            };
            let is_kept = left.is_some_and(|left| !differs(Some(left), Some(right.clone()))) && !is_chance();
            // Of a derivative that was none before there is nothing to restart.
            if is_kept && !is_infinite || state.shift > 0 && !course.left.contains_key(&state) {
                continue;
            }
            let Some(place) = self.place_of_limit(change, &course, state, &right) else { continue };
            found.entry(place).or_default().push(state);
        }
        let limits = found.into_iter();
        Some(limits.map(|((instant, equations), states)| RightLimits { states, instant, equations }).collect())
    }

    /// States that a change leaves infinite: the mode that follows has no standard part then.
    pub fn stay_infinite(&self, change: &Change) -> BTreeSet<Unknown> {
        let states = self.course(change).and_then(|course| self.states_after(change, &course));
        let infinite = states.into_iter().flatten().filter(|(_, value)| is_impulsive(value));
        infinite.map(|(state, _)| state.of).collect()
    }

    /// The states behind a change with their values; nothing where it does not end.
    fn states_after(&self, change: &Change, course: &Course) -> Option<BTreeMap<Shifted<Unknown>, Series>> {
        match change.end {
            ChangeEnd::Continuous => {
                let (offsets, last) = (self.offsets[change.after].as_ref()?, course.instants.last()?);
                let states = offsets.variables.iter().flat_map(|(&of, &offset)| (0..offset).map(move |it| (of, it)));
                let value = |(of, order)| Some((Shifted::new(of, order), quotient(last, of, order)?));
                Some(states.filter_map(value).collect())
            }
            ChangeEnd::Transient => {
                let next = course.reached.last()?.ticked().values.into_iter();
                Some(next.filter(|(variable, _)| variable.shift == 0).collect())
            }
            ChangeEnd::Failed(_) | ChangeEnd::Endless => None,
        }
    }

    /// The instant and the block in which a state first gets the value that stays: for a derivative, its difference quotient.
    fn place_of_limit(
        &self,
        change: &Change,
        course: &Course,
        state: Shifted<Unknown>,
        right: &Series,
    ) -> Option<Place> {
        let mut place = None;
        for (instant, trace) in change.instants.iter().enumerate() {
            for block in blocks_of(trace) {
                let is_of = |it: &&Shifted<Unknown>| it.of == state.of && it.shift >= state.shift;
                for variable in block.variables.iter().filter(is_of) {
                    let first = Shifted::new(variable.of, variable.shift - state.shift);
                    let value = quotient_at(&course.reached[instant].values, first, state.shift);
                    let is_limit = value.is_some() && !differs(value, Some(right.clone()));
                    place = match (is_limit, place) {
                        (true, None) => Some((instant + 1, block.equations.clone())),
                        (true, known) => known,
                        (false, _) => None,
                    };
                }
            }
        }
        place
    }

    fn restart_blocks(&self, change: &Change, instants: &[Values], offsets: &Offsets, effects: &mut Effects) {
        // Compared is with the first instant of the change: it knows the states of the mode before, and what the past
        // does not say of the states of the new mode is born there, from constraints.
        let (Some(trace), [first, ..], Some(last)) = (change.instants.last(), instants, instants.last()) else {
            return;
        };
        let leading_is_impulsive = |unknown: Unknown| match offsets.variables.get(&unknown) {
            None => false,
            Some(0) => effects.impulsive.contains_key(&unknown),
            Some(&offset) => {
                let state = |values: &Values| quotient(values, unknown, offset - 1);
                let impulse = |values: &Values| state(values).is_some_and(|it| is_impulsive(&it));
                differs(state(first), state(last)) || instants.iter().any(impulse)
            }
        };
        for block in blocks_of(trace) {
            if block.variables.iter().any(|variable| leading_is_impulsive(variable.of)) {
                effects.restart.extend(block.equations.iter().map(|equation| equation.of));
                effects.restarted.extend(block.variables.iter().map(|variable| variable.of));
            }
        }
    }

    /// By run, what it does for the pasts with which its beginning is met; nothing for runs that fail, and where blocks are
    /// singular even for generic numbers.
    ///
    /// A consistent start is met on a trajectory of its mode. What begins in the midst of a change is met by runs, each of
    /// which brings its own values: two whose last two runs are others, or that come with other orders, are two pasts. No past goes through
    /// more runs than there are beginnings, and no more than [`MOST_PASTS`] are followed: those first that come where none
    /// was before.
    pub fn run_effects(&self) -> AllEffects {
        let mut effects: Vec<Option<RunEffects>> = vec![None; self.runs.len()];
        let is_start: BTreeSet<usize> = self.starts.values().copied().collect();
        let mut met: BTreeSet<(Option<usize>, usize, Profile)> = BTreeSet::new();
        let mut visited: BTreeSet<usize> = is_start.clone();
        let mut followed = 0;
        let mut fresh: VecDeque<Past> = self.trajectories().into();
        let mut pending: VecDeque<Past> = VecDeque::new();
        while let Some(past) = fresh.pop_front().or_else(|| pending.pop_front()) {
            if followed == MOST_PASTS {
                return AllEffects { of_runs: effects, pasts_left_out: fresh.len() + pending.len() + 1 };
            }
            followed += 1;
            for number in self.runs_from(past.at) {
                let run = &self.runs[number];
                let after = past.reached.after_run(&self.system, &run.steps, past.instant);
                let (Ok(to), Some(after)) = (&run.to, after) else { continue };
                let known = effects[number].get_or_insert_default();
                raise(&mut known.impulsive, after.infinite_orders());
                for (variable, unclear) in &after.unclear {
                    known.unclear.entry(variable.of).or_insert_with(|| unclear.clone());
                }
                known.impulsive.retain(|unknown, _| !known.unclear.contains_key(unknown));
                let reached = after.ticked();
                let goes_on = !is_start.contains(to) && (past.instant as usize) < self.beginnings.len();
                if goes_on && met.insert((past.by, number, profile(&reached))) {
                    let next = Past { at: *to, by: Some(number), instant: past.instant + 1, reached };
                    if visited.insert(*to) { fresh.push_back(next) } else { pending.push_back(next) }
                }
            }
        }
        AllEffects { of_runs: effects, pasts_left_out: 0 }
    }

    /// What consistent starts begin with, on trajectories of their modes. Modes with the same states begin alike.
    fn trajectories(&self) -> Vec<Past> {
        let mut met: BTreeSet<(usize, Vec<SeriesKey>)> = BTreeSet::new();
        let mut trajectories = Vec::new();
        for (&mode, &start) in &self.starts {
            let left = self.offsets[mode].as_ref().and_then(|offsets| left_limits(&self.system, offsets));
            let Some(values) = left.and_then(|left| beginning_values(&self.beginnings[start], &left)) else { continue };
            if met.insert((start, values.values().map(Series::key).collect())) {
                trajectories.push(Past { at: start, by: None, instant: 0, reached: Reached::of(values) });
            }
        }
        // Where no mode that lasts is looked at, runs begin with states that no trajectory is known of: generic ones.
        if self.starts.is_empty() {
            let jet = self.beginnings[0].known.iter().map(|&it| (it, generic_state(&it))).collect();
            let values = beginning_values(&self.beginnings[0], &jet);
            trajectories.extend(values.map(|it| Past { at: 0, by: None, instant: 0, reached: Reached::of(it) }));
        }
        trajectories
    }
}

/// How a beginning is met: by which run, in which instant of a change, and with which values.
struct Past {
    at: usize,
    by: Option<usize>,
    instant: u32,
    reached: Reached,
}

/// Variables with their orders, as far as these are known.
type Profile = BTreeMap<Shifted<Unknown>, Option<i32>>;

fn profile(reached: &Reached) -> Profile {
    let series = reached.values.iter().map(|(&variable, value)| (variable, value.order()));
    let bounds = reached.bounds.iter().map(|(&variable, value)| (variable, value.order()));
    series.chain(bounds).collect()
}

/// The higher of two orders, variable by variable.
fn raise(orders: &mut BTreeMap<Unknown, i32>, others: BTreeMap<Unknown, i32>) {
    for (unknown, order) in others {
        let highest = orders.entry(unknown).or_insert(order);
        *highest = order.max(*highest);
    }
}

/// Whether two values differ by more than something infinitesimal, where both are known.
fn differs(one: Option<Series>, other: Option<Series>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (&one - &other).order().is_some_and(|order| order >= 0),
        _ => false,
    }
}

impl Graph {
    /// What each run is, by its colour in Fig. 3.
    pub fn classes(&self) -> Vec<Class> {
        self.classes_by(&self.run_effects().of_runs)
    }

    /// The same where it is known what runs do. What is not linear in something infinite counts as impulsive.
    pub fn classes_by(&self, effects: &[Option<RunEffects>]) -> Vec<Class> {
        let is_impulsive = |it: &RunEffects| !it.impulsive.is_empty() || !it.unclear.is_empty();
        let class = |number: usize| match &self.runs[number].to {
            Err(_) => Class::Failed,
            Ok(_) if self.is_continuous(number) => Class::Continuous,
            Ok(_) if effects[number].as_ref().is_some_and(is_impulsive) => Class::Impulsive,
            Ok(_) => Class::Discrete,
        };
        (0..self.runs.len()).map(class).collect()
    }
}

/// The blocks that a run solves.
pub(crate) fn blocks_of(trace: &Trace) -> impl Iterator<Item = &crate::EvaluateBlock> {
    trace.steps.iter().filter_map(|step| if let MicroStep::Block(block) = step { Some(block) } else { None })
}
