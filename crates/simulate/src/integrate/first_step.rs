//! The length of the first step, from the sizes of the states and of their first and second derivatives.
//!
//! Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, §II.4.

use std::sync::Arc;

use super::Ode;
use super::evaluations::Evaluations;
use super::methods::shortest_step;

/// The sizes that errors are measured against.
#[derive(Clone)]
pub(super) struct Weights {
    pub relative: f64,
    pub absolute: Arc<[f64]>,
}

impl Weights {
    /// The root mean square of a vector in units of the error allowed at `state`.
    pub(super) fn norm(&self, vector: &[f64], state: &[f64]) -> f64 {
        let squares = vector.iter().zip(state).zip(self.absolute.iter()).map(|((value, state), absolute)| {
            let share = value / (absolute + self.relative * state.abs());
            share * share
        });
        (squares.sum::<f64>() / vector.len().max(1) as f64).sqrt()
    }
}

/// States of less than this, in units of the error allowed, are zero: they say nothing about what a short time is.
const LEAST_SIZE: f64 = 1.0;
/// Derivatives of less than this are zero.
const LEAST_SLOPE: f64 = 1e-5;
/// The trial step is at least this many times the shortest: differences over it are more than rounding.
const CLEAR: f64 = 1e3;
/// Where the states say nothing about what a short time is, it is searched for between these, upwards: from far above, what
/// is periodic looks like anything.
const TIMES: [f64; 2] = [1e-30, 1e30];
/// In steps of this, which no period is a multiple of.
const FACTOR: f64 = 61.803_398;
/// A state bends when its slope does, by this share of its size.
const BENT: f64 = 0.1;
/// The share of the time up to there that is short.
const SHORT: f64 = 1e-2;

/// A first step for a method that begins with this order, at most `longest`.
pub(super) fn first_step<System: Ode>(
    evaluations: &Evaluations<System>,
    weights: &Weights,
    time: f64,
    (state, derivative): (&[f64], &[f64]),
    order: i32,
    longest: f64,
) -> f64 {
    let (size, slope) = (weights.norm(state, state), weights.norm(derivative, state));
    let shortest = shortest_step(time);
    let says_nothing = size < LEAST_SIZE || slope < LEAST_SLOPE;
    let short = || short_time(evaluations, time, (state, derivative));
    let mut trial = if says_nothing { short() } else { 0.01 * size / slope };
    trial = trial.max(CLEAR * shortest).min(longest);
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
    for (ahead, here) in slope_ahead.iter_mut().zip(derivative) {
        *ahead = (*ahead - here) / trial;
    }
    let curvature = weights.norm(&slope_ahead, state);
    let steepest = slope.max(curvature);
    let second = if steepest <= 1e-15 { trial } else { (0.01 / steepest).powf(1.0 / f64::from(order + 1)) };
    if second.is_finite() { second.min(100.0 * trial).max(shortest).min(longest) } else { trial }
}

/// A short time, where the states themselves say nothing about it: a share of how long slopes along the tangent go on as
/// straight lines. Where nothing ever bends, any time is short.
fn short_time<System: Ode>(evaluations: &Evaluations<System>, time: f64, (state, derivative): (&[f64], &[f64])) -> f64 {
    let mut ahead = vec![0.0; state.len()];
    let mut slopes = [vec![0.0; state.len()], vec![0.0; state.len()]];
    let mut is_straight = |length: f64| {
        for (share, slope) in [0.5, 1.0].into_iter().zip(&mut slopes) {
            let places = ahead.iter_mut().zip(state.iter().zip(derivative));
            places.for_each(|(place, (state, derivative))| *place = state + share * length * derivative);
            if !evaluations.derivative(time + share * length, &ahead, slope) {
                return false;
            }
        }
        let [middle, end] = &slopes;
        (0..state.len()).all(|index| {
            let (begin, middle, end) = (derivative[index], middle[index], end[index]);
            let size = state[index].abs().max(length * begin.abs().max(end.abs()));
            length * (end - 2.0 * middle + begin).abs() <= BENT * size
        })
    };
    let [least, most] = TIMES;
    let mut length = least.max(CLEAR * shortest_step(time));
    while length < most && is_straight(FACTOR * length) {
        length *= FACTOR;
    }
    evaluations.take_failure();
    match length < most {
        true => SHORT * length,
        false if time == 0.0 => SHORT,
        false => SHORT * time.abs(),
    }
}
