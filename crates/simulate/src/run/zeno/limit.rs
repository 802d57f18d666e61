//! Coming to rest where events accumulate: values at the limit, and whether the model has a mode to rest in.
//!
//! States that the events make jump go on to their limits as they went from event to event; a limit that is small
//! compared with the way there, as the speed of a bouncing ball has, is zero. With these left limits the instant is
//! passed once more. The model rests if the guards that fired then are where they are for good: on a side by their value
//! or at zero identically. A ball that begins to fall through the ground does not rest. In the time that is left to the
//! limit, everything else moves as it does in the mode of rest, and nothing happens (`remaining_time`): nothing is passed over in which
//! anything else does more than a short step follows. Where the events do not say where a state leads, one that the last
//! of them turned round has come to zero. No guess makes a state jump by much more than one more event would.

use std::rc::Rc;

use modeshift_dae::{Derivative, RelationId};
use modeshift_mode_changes::Sign;

use crate::run::Machinery;
use crate::run::instant::event_iteration::{Fired, Outcome};
use crate::run::instant::{instant, signs_near_zero};
use crate::run::memory::Memory;
use crate::run::modes::VisitedModes;
use crate::run::phase::schedule::due_samples;
use crate::run::prepare::Prepared;
use crate::run::values::{Occasion, Side};
use crate::run::zeno::detection::{Limit, PassedEvent};
use crate::run::zeno::remaining_time::after_remaining_time;

/// A limit that is smaller than this share of the way there is zero: the extrapolation from a few events
/// is not more exact.
const SMALL: f64 = 1e-3;

/// What comes of a limit.
pub(crate) enum AtLimit<'a> {
    /// The model rests: its left side, and what comes of the instant there.
    Rest(Box<(Side<'a>, Outcome<'a>)>),
    /// It will, but until then there is more time than may be passed over.
    Later,
    /// It has no mode to rest in.
    NoRest,
}

/// What comes of a limit; unless the model rests there, samplings that are due stay so. `left` is the event at which there are too many
/// of them, which was found a little late where it is noise that they end in; the limit is not before what was told already. Where the
/// time until then may not be passed over, because more happens in it or the run ends, what is noise rests at once.
pub(crate) fn at_limit<'a>(
    machinery: &mut Machinery<'a>,
    limit: &Limit<'a>,
    (left, fired): (&Side<'a>, &Fired),
    (told, latest): (f64, f64),
    tolerance: f64,
) -> AtLimit<'a> {
    let next = machinery.prepared.next_time(told, &left.discrete, &machinery.memory.samplings);
    let time = limit.time.max(told);
    let earlier = limit.is_unresolved.then_some(left.time.max(told).min(next));
    let can_be_there = time <= next.min(latest);
    let Machinery { prepared, visited, memory } = machinery;
    // What one more event would do bounds what rest may do.
    let located = memory.locations();
    let event = instant(prepared, visited, memory, left, fired, Occasion::default()).ok().map(|it| it.right);
    memory.restore_locations(located);
    let mut found = AtLimit::NoRest;
    for guess in [Guess::Extrapolated, Guess::Turned] {
        let Some(at_rest) = with_jumping_states_at_limit(machinery, limit, (left, event.as_ref()), guess, tolerance)
        else {
            continue;
        };
        for time in can_be_there.then_some(time).into_iter().chain(earlier) {
            match rest_at(machinery, (left, &at_rest), fired, time) {
                AtLimit::NoRest => {}
                AtLimit::Later => found = AtLimit::Later,
                rest @ AtLimit::Rest(_) => return rest,
            }
        }
        if !can_be_there && earlier.is_none() && would_rest(machinery, (left, &at_rest), fired) {
            found = AtLimit::Later;
        }
    }
    found
}

/// The same with these left limits, at a time.
fn rest_at<'a>(
    machinery: &mut Machinery<'a>,
    (left, at_rest): (&Side<'a>, &Side<'a>),
    fired: &Fired,
    time: f64,
) -> AtLimit<'a> {
    let memory = &mut machinery.memory;
    let mut samplings = memory.samplings.clone();
    let fired = Fired { samples: due_samples(&mut samplings, time), ..fired.clone() };
    let located = memory.locations();
    let mut found = rest_of(machinery, (left, at_rest), &fired, time);
    let memory = &mut machinery.memory;
    if matches!(found, AtLimit::NoRest) && fired.is_doubtful {
        // What was found late is at zero as exactly as it is noise: no constraint that has it there makes anything else jump.
        memory.restore_locations(located.clone());
        let values = memory.buffers.atom_values(machinery.prepared, (at_rest, at_rest), Occasion::default(), &[]);
        fired.atoms.iter().for_each(|&atom| memory.locate(atom, values[atom].0));
        found = rest_of(machinery, (left, at_rest), &fired, time);
    }
    let memory = &mut machinery.memory;
    match found {
        AtLimit::Rest(_) => memory.samplings = samplings,
        AtLimit::Later | AtLimit::NoRest => memory.restore_locations(located),
    }
    found
}

/// Whether the model has a mode to rest in with these left limits.
fn would_rest<'a>(machinery: &mut Machinery<'a>, (left, at_rest): (&Side<'a>, &Side<'a>), fired: &Fired) -> bool {
    let samplings = machinery.memory.samplings.clone();
    let located = machinery.memory.locations();
    let found = rest_at(machinery, (left, at_rest), fired, left.time);
    machinery.memory.samplings = samplings;
    machinery.memory.restore_locations(located);
    !matches!(found, AtLimit::NoRest)
}

/// What comes of the instant with these left limits, in the time that is left.
fn rest_of<'a>(
    Machinery { prepared, visited, memory }: &mut Machinery<'a>,
    (left, at_rest): (&Side<'a>, &Side<'a>),
    fired: &Fired,
    time: f64,
) -> AtLimit<'a> {
    let Ok(outcome) = instant(prepared, visited, memory, at_rest, fired, Occasion::default()) else {
        return AtLimit::NoRest;
    };
    if fired.is_doubtful {
        locate(prepared, memory, (at_rest, &outcome.right), &fired.atoms);
    }
    if !rests(prepared, visited, memory, &outcome.right, &fired.atoms) {
        return AtLimit::NoRest;
    }
    let right = after_remaining_time(prepared, visited, memory, &outcome.right, time);
    let Some((right, left)) = right.and_then(|right| with_values_of(visited, left, &right).map(|left| (right, left)))
    else {
        return AtLimit::Later;
    };
    AtLimit::Rest(Box::new((left, Outcome { right, ..outcome })))
}

/// Where states that events make jump come to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guess {
    /// Where the last events lead.
    Extrapolated,
    /// To zero, where the last event turned them round: of few events, or of some that were not among those that accumulate, no more
    /// can be said.
    Turned,
}

/// A side with the states that the last events made jump at their limits.
fn with_jumping_states_at_limit<'a>(
    Machinery { visited, memory, .. }: &Machinery<'a>,
    limit: &Limit<'a>,
    (left, event): (&Side<'a>, Option<&Side<'a>>),
    guess: Guess,
    tolerance: f64,
) -> Option<Side<'a>> {
    // What an impact does beside turning something round, as the friction of a body that is thrown back, has no part in it.
    let is_alike = |event: &&Rc<PassedEvent<'a>>| Rc::ptr_eq(&event.left.mode, &left.mode);
    let events: Vec<&Rc<PassedEvent<'a>>> = limit.events.iter().rev().take_while(is_alike).collect();
    let last = events.first()?;
    visited.surround(left);
    let mut program = left.mode.program.borrow_mut();
    let mut states = Vec::new();
    program.states_of(&left.jet, &mut states);
    for (state, Derivative { of: id, order }) in states.iter_mut().zip(program.state_quantities()) {
        if last.right.mode.quantities.index(id, order).is_none() {
            continue;
        }
        let (before, after) = (last.left.value(id, order), last.right.value(id, order));
        // A constraint that is met again after rounding moves a state by as much, which is no jump.
        if (after - before).abs() > 64.0 * f64::EPSILON * before.abs().max(after.abs()) {
            let values: Vec<f64> = events.iter().map(|event| event.left.value(id, order)).collect();
            *state = match guess {
                Guess::Extrapolated => (values.len() >= 3).then(|| value_at_limit(&values))?,
                Guess::Turned => (before * after <= 0.0).then_some(0.0)?,
            };
            let between = [last.right.value(id, order), left.value(id, order)].into_iter();
            let between = between.chain(event.map(|it| it.value(id, order)).filter(|it| it.is_finite()));
            let size = memory.sizes.size(Derivative { of: id, order }).max(before.abs()).max(after.abs());
            if !is_among(*state, between, tolerance * size) {
                return None;
            }
        }
    }
    let mut side = left.clone();
    program.evaluate(left.time, &states, &visited.surroundings.borrow(), &mut side.jet).ok()?;
    drop(program);
    Some(side)
}

/// What crossed within its noise and stayed there is at zero, however clear it is what was left of it.
fn locate<'a>(
    prepared: &'a Prepared,
    memory: &mut Memory,
    (left, right): (&Side<'a>, &Side<'a>),
    atoms: &[RelationId],
) {
    let [before, after] =
        [left, right].map(|it| memory.buffers.atom_values(prepared, (it, it), Occasion::default(), &[]));
    for &atom in atoms {
        if after[atom].0.abs() <= before[atom].0.abs() && memory.is_clear(prepared, atom, after[atom]) {
            memory.locate(atom, after[atom].0);
        }
    }
}

/// Whether a value is between the least and the largest of some, or not further beyond than they are apart or than an error is large.
fn is_among(value: f64, some: impl Iterator<Item = f64>, error: f64) -> bool {
    let (least, most) =
        some.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), it| (least.min(it), most.max(it)));
    let beyond = (most - least).max(error);
    value >= least - beyond && value <= most + beyond
}

/// The mode and the discrete values of one side at the time and with the continuous values of another.
fn with_values_of<'a>(visited: &VisitedModes<'a>, side: &Side<'a>, other: &Side<'a>) -> Option<Side<'a>> {
    visited.surround(side);
    let mut program = side.mode.program.borrow_mut();
    let states: Vec<f64> = program.state_quantities().map(|it| other.value(it.of, it.order)).collect();
    let mut side = Side { time: other.time, ..side.clone() };
    program.evaluate(other.time, &states, &visited.surroundings.borrow(), &mut side.jet).ok()?;
    drop(program);
    Some(side)
}

/// Whether these atoms stay where they are right after an instant.
fn rests<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    right: &Side<'a>,
    atoms: &[RelationId],
) -> bool {
    let values = memory.buffers.atom_values(prepared, (right, right), Occasion::default(), &[]);
    let near = atoms.iter().copied().filter(|&atom| !memory.is_clear(prepared, atom, values[atom]));
    let near: Vec<RelationId> = near.collect();
    let signs = signs_near_zero(prepared, visited, memory, right, &near);
    signs.is_some_and(|signs| signs.iter().all(|&(_, sign)| sign == Sign::Vanishing))
}

/// Where three values or more, the last one first, lead to if the differences between them go on shrinking as they do. The last
/// differences are small, and what integration adds to them is not: of all successive three, those count that agree best
/// with the three before.
fn value_at_limit(values: &[f64]) -> f64 {
    let limits: Vec<f64> = values.windows(3).map(extrapolated).collect();
    let change = |at: usize| (limits[at] - limits[at + 1]).abs();
    let best = (0..limits.len() - 1).min_by(|&a, &b| change(a).total_cmp(&change(b)));
    let limit = limits[best.unwrap_or(0)];
    let way = values.iter().map(|value| (values[0] - value).abs()).fold(0.0, f64::max);
    if limit.abs() < SMALL * way { 0.0 } else { limit }
}

/// Where three values, the last one first, lead to.
fn extrapolated(values: &[f64]) -> f64 {
    let (last, difference, difference_before) = (values[0], values[0] - values[1], values[1] - values[2]);
    let ratio = difference / difference_before;
    if ratio > 0.0 && ratio < 1.0 { last + difference * ratio / (1.0 - ratio) } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_that_shrinks_ends() {
        assert_eq!(value_at_limit(&[-0.0251, -0.05, -0.1, -4.0]), 0.0);
    }

    #[test]
    fn a_speed_that_tends_to_that_of_a_table_goes_on_with_it() {
        assert_eq!(value_at_limit(&[0.75, 0.5, 0.0, -1.0]), 1.0);
    }

    #[test]
    fn a_guess_is_near_what_events_do() {
        let is_near = |guess: f64| is_among(guess, [0.02, -0.02, 0.002].into_iter(), 1e-6);
        assert!(is_near(0.0) && is_near(0.05) && !is_near(0.3) && !is_near(-0.07));
    }

    #[test]
    fn noise_of_the_last_speeds_does_not_spoil_the_limit() {
        let speed = |impact: i32| 0.3 - 4.0 * 0.8f64.powi(impact) + if impact > 50 { 1e-7 } else { 0.0 };
        let values: Vec<f64> = (44..53).rev().map(speed).collect();
        assert!((value_at_limit(&values) - 0.3).abs() < 1e-10, "{}", value_at_limit(&values));
    }
}
