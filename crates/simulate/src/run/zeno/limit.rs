//! Coming to rest where events accumulate: values at the limit, and whether the model has a mode to rest in.
//!
//! States that the events make jump go on to their limits as they went from event to event; a limit that is small
//! compared with the way there, as the speed of a bouncing ball has, is zero. With these left limits the instant is
//! passed once more. The model rests if the guards that fired then are where they are for good: on a side by their value
//! or at zero identically. A ball that begins to fall through the ground does not rest. In the time that is left to the
//! limit, everything else moves as it does in the mode of rest. Where the events do not say where a state leads, one that the last
//! of them turned round has come to zero.

use std::rc::Rc;

use modeshift_dae::{Derivative, RelationId};
use modeshift_mode_changes::Sign;

use crate::run::instant::event_iteration::{Fired, Outcome};
use crate::run::instant::{instant, signs_near_zero};
use crate::run::memory::Memory;
use crate::run::modes::VisitedModes;
use crate::run::phase::schedule::due_samples;
use crate::run::prepare::Prepared;
use crate::run::values::{Occasion, Side};
use crate::run::zeno::detection::{Limit, PassedEvent};

/// A limit that is smaller than this share of the way there is zero: the extrapolation from a few events
/// is not more exact.
const SMALL: f64 = 1e-3;

/// The left side of the limit and what comes of the instant there, if the model rests; otherwise samplings that are due stay
/// so. `left` is the event at which there are too many of them, which was found a little late where it is noise that they end in;
/// the limit is not before what was told already, nor after the end of the run.
pub(crate) fn rest<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    limit: &Limit<'a>,
    (left, fired): (&Side<'a>, &Fired),
    (told, latest): (f64, f64),
) -> Option<(Side<'a>, Outcome<'a>)> {
    let next = prepared.next_time(told, &left.discrete, &memory.samplings);
    let time = limit.time.min(next).min(latest).max(told);
    let mut found = None;
    for guess in [Guess::Extrapolated, Guess::Turned] {
        found = found.or_else(|| {
            let at_rest = with_jumping_states_at_limit(visited, limit, left, guess)?;
            rest_at(prepared, visited, memory, (left, &at_rest), (fired, time))
        });
    }
    found
}

/// The same with these left limits.
fn rest_at<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    (left, at_rest): (&Side<'a>, &Side<'a>),
    (fired, time): (&Fired, f64),
) -> Option<(Side<'a>, Outcome<'a>)> {
    let mut samplings = memory.samplings.clone();
    let fired = Fired { samples: due_samples(&mut samplings, time), ..fired.clone() };
    let outcome = instant(prepared, visited, memory, at_rest, &fired, Occasion::default()).ok()?;
    if fired.is_doubtful {
        locate(prepared, memory, (at_rest, &outcome.right), &fired.atoms);
    }
    if !rests(prepared, visited, memory, &outcome.right, &fired.atoms) {
        return None;
    }
    let right = moved(visited, &outcome.right, time)?;
    let left = with_values_of(visited, left, &right)?;
    memory.samplings = samplings;
    Some((left, Outcome { right, ..outcome }))
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
    visited: &VisitedModes<'a>,
    limit: &Limit<'a>,
    left: &Side<'a>,
    guess: Guess,
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

/// A side a little later in the same mode, by one step of Heun's method.
fn moved<'a>(visited: &mut VisitedModes<'a>, side: &Side<'a>, time: f64) -> Option<Side<'a>> {
    visited.surround(side);
    let surroundings = visited.surroundings.borrow();
    side.mode.choose_states(&mut visited.programs, side.time, &side.jet, &surroundings).ok()?;
    let mut program = side.mode.program.borrow_mut();
    let mut states = Vec::new();
    program.states_of(&side.jet, &mut states);
    let (mut slope, mut slope_ahead) = (vec![0.0; states.len()], vec![0.0; states.len()]);
    let step = time - side.time;
    program.begin_path();
    program.derivative(side.time, &states, &surroundings, &mut slope).ok()?;
    let ahead: Vec<f64> = states.iter().zip(&slope).map(|(state, slope)| state + step * slope).collect();
    program.derivative(time, &ahead, &surroundings, &mut slope_ahead).ok()?;
    let slopes = slope.iter().zip(&slope_ahead).map(|(before, after)| 0.5 * (before + after));
    let moved: Vec<f64> = states.iter().zip(slopes).map(|(state, slope)| state + step * slope).collect();
    let mut later = Side { time, ..side.clone() };
    program.evaluate(time, &moved, &surroundings, &mut later.jet).ok()?;
    drop(program);
    Some(later)
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
    fn noise_of_the_last_speeds_does_not_spoil_the_limit() {
        let speed = |impact: i32| 0.3 - 4.0 * 0.8f64.powi(impact) + if impact > 50 { 1e-7 } else { 0.0 };
        let values: Vec<f64> = (44..53).rev().map(speed).collect();
        assert!((value_at_limit(&values) - 0.3).abs() < 1e-10, "{}", value_at_limit(&values));
    }
}
