//! The length of the first step, from the sizes of the states and of their first and second derivatives.
//!
//! Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, §II.4.

use super::Ode;
use super::evaluations::Evaluations;
use super::methods::shortest_step;
use super::sizes::{Sizes, Weights};

/// States of less than this, in units of the error allowed, are zero: they say nothing about what a short time is.
const LEAST_SIZE: f64 = 1.0;
/// The trial step is at least this many times the shortest: differences over it are more than rounding.
const CLEAR: f64 = 1e3;
/// Where the states say nothing about what a short time is, it is searched for between these, upwards: from far above, what
/// is periodic looks like anything.
const TIMES: [f64; 2] = [1e-30, 1e30];
/// In steps of this, which no period is a multiple of.
const FACTOR: f64 = 61.803_398;
/// A slope has changed when it did by this share: of itself, or of what makes as much as the state is.
const CHANGED: f64 = 0.1;
/// A slope that grows from nothing by some power of the time grows at least by this in the second half of a time.
const GROWTH: f64 = 1.8;
/// What is steady over so many lengths in a row is no rounding.
const LASTING: usize = 4;
/// The share of the time up to there that is short.
const SHORT: f64 = 1e-2;

/// A first step for a method that begins with this order, at most `longest`. What the sizes of states that begin at zero are
/// is learnt on the way: not less than their slopes make of them in a short time.
pub(super) fn first_step<System: Ode>(
    evaluations: &Evaluations<System>,
    weights: &mut Weights,
    time: f64,
    (state, derivative): (&[f64], &[f64]),
    order: i32,
    longest: f64,
) -> f64 {
    let (size, slope) = (weights.norm(state, state), weights.norm(derivative, state));
    let shortest = shortest_step(time);
    let says_nothing = size < LEAST_SIZE || slope == 0.0;
    let own = if says_nothing { f64::INFINITY } else { size / slope };
    // A slope that is rounding of zero says nothing either, nor do steps of before about a state that begins to move: how soon
    // it acts on the others is not told by the slopes that these have now.
    let Sizes { step: known, at_most, ends_within, .. } = weights.sizes;
    let begins = weights.moves_from_nothing(derivative);
    let short = match known > 0.0 && !begins {
        true => known,
        false => {
            let bounds = [own, known, at_most].into_iter().filter(|&bound| bound > 0.0);
            let most = bounds.fold(f64::INFINITY, f64::min);
            let (short, is_seen) = short_time(evaluations, time, (state, derivative), &weights.sizes.slope_noise, most);
            weights.sizes.acts_within = if is_seen { short } else { 0.0 };
            short
        }
    };
    let mut trial = if says_nothing || begins { SHORT * short } else { (SHORT * own).min(short) };
    // What grows from nothing with the square of the time is exact over a share of the trial step that is the root of the
    // tolerance: that share must be more than rounding.
    trial = trial.max(CLEAR.max(10.0 / weights.relative.sqrt()) * shortest).min(longest);
    // What states would become after the end is no size of theirs.
    if ends_within > 0.0 {
        trial = trial.min(ends_within.max(CLEAR * shortest));
    }
    let mut ahead = vec![0.0; state.len()];
    let mut slope_ahead = vec![0.0; state.len()];
    for _ in 0..60 {
        for (place, (state, derivative)) in ahead.iter_mut().zip(state.iter().zip(derivative)) {
            *place = state + trial * derivative;
        }
        if evaluations.derivative(time + trial, &ahead, &mut slope_ahead) {
            break;
        }
        trial *= 0.1;
    }
    evaluations.take_failure();
    weights.sizes.step = weights.sizes.step.max(trial);
    weights.widen(derivative.iter().map(|slope| trial * slope));
    weights.widen(slope_ahead.iter().map(|slope| trial * slope));
    for (ahead, here) in slope_ahead.iter_mut().zip(derivative) {
        *ahead = (*ahead - here) / trial;
    }
    let (slope, curvature) = (weights.norm(derivative, state), weights.norm(&slope_ahead, state));
    // The error of a step of order one, and how it falls with the order where everything changes at the same rate.
    let rate = if slope > 0.0 { curvature / slope } else { 0.0 };
    let (steepness, power) = match rate > 0.0 {
        true => (curvature * rate.powi(order - 1), order + 1),
        false => (curvature, 2),
    };
    let second = match curvature * trial * trial <= f64::EPSILON {
        true => 100.0 * trial,
        false => (0.01 / steepness).powf(1.0 / f64::from(power)),
    };
    if second.is_finite() { second.min(100.0 * trial).max(shortest).min(longest) } else { trial }
}

/// How long slopes stay what they are or grow steadily and states do not leave where they are, where these themselves say
/// nothing about what a short time is; at most so long. Where that is for ever nothing says what is short: then the shortest
/// time is, and steps grow from there. And whether a change was seen.
///
/// What is not steady over lengths below may be rounding, of currents that begin at zero between voltages that do not: the
/// longest row of lengths that are counts, or the first one that lasts. More than rounding is no change.
fn short_time<System: Ode>(
    evaluations: &Evaluations<System>,
    time: f64,
    (state, derivative): (&[f64], &[f64]),
    noise: &[f64],
    most: f64,
) -> (f64, bool) {
    let size = state.len();
    let (mut ahead, mut mean) = (vec![0.0; size], vec![0.0; size]);
    let [mut middle, mut end, mut corrected] = [vec![0.0; size], vec![0.0; size], vec![0.0; size]];
    let mut lead = |length: f64, slope: &[f64], found: &mut [f64]| {
        ahead
            .iter_mut()
            .zip(state.iter().zip(slope))
            .for_each(|(place, (state, slope))| *place = state + length * slope);
        evaluations.derivative(time + length, &ahead, found)
    };
    let mut is_steady = |length: f64| {
        if !(lead(0.5 * length, derivative, &mut middle) && lead(length, derivative, &mut end)) {
            return false;
        }
        // With the mean slope, what grows from zero has its effect on the others.
        mean.iter_mut().zip(derivative.iter().zip(&end)).for_each(|(place, (begin, end))| *place = 0.5 * (begin + end));
        lead(length, &mean, &mut corrected)
            && (0..size).all(|index| {
                let slopes = Slopes {
                    begin: derivative[index],
                    middle: middle[index],
                    end: end[index],
                    corrected: corrected[index],
                    noise: noise.get(index).copied().unwrap_or(0.0),
                };
                slopes.are_steady(length, state[index].abs())
            })
    };
    let first = TIMES[0].max(CLEAR * shortest_step(time));
    let mut length = first;
    let longest = most.min(TIMES[1]);
    let (mut steady, mut is_seen) = (first, false);
    let (mut row, mut longest_row, mut changes) = (0, 0, 0);
    while FACTOR * length < longest && (changes < 2 || longest_row < LASTING) {
        length *= FACTOR;
        if is_steady(length) {
            (row, changes) = (row + 1, 0);
            if row > longest_row {
                (steady, longest_row, is_seen) = (length, row, false);
            }
        } else {
            // What is not steady once may be rounding.
            changes += 1;
            if changes >= 2 {
                (row, is_seen) = (0, true);
            }
        }
    }
    evaluations.take_failure();
    // A few lengths that are steady among others that are not are so by chance.
    if is_seen && longest_row < 2 || !is_seen && longest == TIMES[1] {
        return (first, false);
    }
    (steady, is_seen)
}

/// The slopes of a state at the beginning, in the middle and at the end of a time, with where the slope of the beginning leads; at
/// its end with where the mean slope leads; and what is rounding of them.
struct Slopes {
    begin: f64,
    middle: f64,
    end: f64,
    corrected: f64,
    noise: f64,
}

impl Slopes {
    /// Whether they stay what they are or grow steadily, and do not lead away from a state of this size.
    fn are_steady(&self, length: f64, size: f64) -> bool {
        let Slopes { begin, middle, end, corrected, noise } = *self;
        let largest = begin.abs().max(end.abs());
        if size == 0.0 && begin.abs() <= noise {
            // It grows by some power of the time, which tells no time; or another that begins to move will move it.
            let grows = middle * end >= 0.0 && end.abs() >= GROWTH * middle.abs();
            let is_moved = (corrected - end).abs() > CHANGED * end.abs() + noise;
            return end.abs() <= noise || grows && !is_moved;
        }
        let change = ((end - 2.0 * middle + begin).abs().max((corrected - end).abs()) - noise).max(0.0);
        let way = length * largest;
        let is_far = size != 0.0 && way > size;
        !is_far && change * length <= CHANGED * size.max(way)
    }
}
