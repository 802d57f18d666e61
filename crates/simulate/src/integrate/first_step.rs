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

/// A first step for a method that begins with this order, at most `longest`. A start at which everything rests allows
/// the longest step.
pub(super) fn first_step<System: Ode>(
    evaluations: &Evaluations<System>,
    weights: &Weights,
    time: f64,
    (state, derivative): (&[f64], &[f64]),
    order: i32,
    longest: f64,
) -> f64 {
    let (size, slope) = (weights.norm(state, state), weights.norm(derivative, state));
    // A time that is not infinite has an end.
    let longest = if longest.is_finite() { longest } else { 1.0 };
    let shortest = shortest_step(time);
    let says_nothing = size < LEAST_SIZE || slope < LEAST_SLOPE;
    let mut trial = if says_nothing { 1e-6 * longest } else { 0.01 * size / slope };
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
    let second = if steepest <= 1e-15 {
        (trial * 1e-3).max(1e-6 * longest)
    } else {
        (0.01 / steepest).powf(1.0 / f64::from(order + 1))
    };
    if second.is_finite() { second.min(100.0 * trial).max(shortest).min(longest) } else { trial }
}
