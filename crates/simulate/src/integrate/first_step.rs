//! The length of the first step, from the sizes of the states and of their first and second derivatives.
//!
//! Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, §II.4.

use super::Ode;
use super::evaluations::Evaluations;
use super::methods::shortest_step;
use super::problem::SlopeNoises;
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
/// What moves no state by more than this share of what it moves by in a short time is no error of it; and slopes of less than this share
/// of the largest one may be rounding of what makes that, with four digits for what equations amplify.
const NOTHING: f64 = 1e-12;
/// States that slopes lead so far have no values over a time that is longer by the next factor: it is half of the digits before the point
/// that numbers have.
const BEYOND: f64 = 1e75;
/// A state that is led so many times farther than it is large is not where it was, whatever else there is to its slopes.
const FAR: f64 = 10.0;
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
    slope_noises: &SlopeNoises,
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
        false if weights.sizes.short_here > 0.0 => weights.sizes.short_here,
        false => {
            let bounds = [own, known, at_most].into_iter().filter(|&bound| bound > 0.0);
            let most = bounds.fold(f64::INFINITY, f64::min);
            let mut ahead = Ahead { evaluations, slope_noises, time, state, derivative, looks: Vec::new() };
            let (short, is_seen) = ahead.short_time(&weights.sizes.slope_noise, most);
            weights.sizes.acts_within = if is_seen { short } else { 0.0 };
            weights.sizes.short_here = short;
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
    // What a state that begins without a slope will be by then says nothing of it before: it grows by some power of the time.
    let is_begun = |index: usize| state[index] != 0.0 || derivative[index] != 0.0;
    weights
        .widen(slope_ahead.iter().enumerate().map(|(index, slope)| if is_begun(index) { trial * slope } else { 0.0 }));
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

/// Looks at slopes ahead of a point.
struct Ahead<'a, System: Ode> {
    evaluations: &'a Evaluations<System>,
    slope_noises: &'a SlopeNoises<'a>,
    time: f64,
    state: &'a [f64],
    derivative: &'a [f64],
    looks: Vec<Look>,
}

/// The slopes of all states over a time, and where it ends; none where they have no values.
struct Look {
    length: f64,
    slopes: Vec<Slopes>,
    end: Vec<f64>,
    /// What rounding makes of slopes there, where that was asked for.
    noise: Vec<f64>,
}

impl<System: Ode> Ahead<'_, System> {
    /// How long slopes stay what they are or grow steadily and states do not leave where they are, where these themselves say
    /// nothing about what a short time is; at most so long. Where that is for ever nothing says what is short: then the shortest
    /// time is, and steps grow from there. And whether a change was seen.
    ///
    /// What is not steady over lengths below may be rounding, of currents that begin at zero between voltages that do not: the
    /// longest row of lengths that are counts, or the first one that lasts. More than rounding is no change. How large rounding is,
    /// where all values are zero at the beginning, shows what slopes are when they have grown.
    fn short_time(&mut self, noise: &[f64], most: f64) -> (f64, bool) {
        let first = TIMES[0].max(CLEAR * shortest_step(self.time));
        let longest = most.min(TIMES[1]);
        let mut length = first;
        let (mut steady, mut is_seen) = (first, false);
        let (mut row, mut longest_row, mut changes) = (0, 0, 0);
        while FACTOR * length < longest && (changes < 2 || longest_row < LASTING) {
            length *= FACTOR;
            self.look(length);
            if self.is_beyond_numbers() {
                break;
            }
            if self.is_steady(self.looks.len() - 1, noise) {
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
        // What is in the rounding of a time that is known to be short need not be a time at all.
        if is_seen && longest < TIMES[1] && steady < NOTHING * longest {
            while FACTOR * length < longest {
                length *= FACTOR;
                self.look(length);
            }
            if let Some((found, is_last)) = self.row_above_nothing(noise) {
                (steady, longest_row, is_seen) = (found, LASTING, !is_last);
            }
        }
        self.evaluations.take_failure();
        // A few lengths that are steady among others that are not are so by chance.
        let is_for_ever = longest == TIMES[1] || self.is_beyond_numbers();
        if is_seen && longest_row < 2 || !is_seen && is_for_ever {
            return (first, false);
        }
        (steady, is_seen)
    }

    /// Whether the last look has no values because of the time it is over: slopes that grow by a power of the time led far before.
    fn is_beyond_numbers(&self) -> bool {
        let [.., before, last] = self.looks.as_slice() else { return false };
        let way = before.slopes.iter().fold(0.0, |way: f64, it| way.max(before.length * it.end.abs()));
        last.slopes.is_empty() && way > BEYOND
    }

    /// Looks at slopes over a time of this length.
    fn look(&mut self, length: f64) {
        let found = if self.leads_far_away(length) { None } else { self.slopes(length) };
        let (slopes, end) = found.unwrap_or_default();
        self.looks.push(Look { length, slopes, end, noise: Vec::new() });
    }

    /// Whether slopes that go on as in the last look lead a state far from what it is: that is a change, and what equations make of such
    /// states need not be found out, at the cost of iterations that do not converge there.
    fn leads_far_away(&self, length: f64) -> bool {
        let Some(last) = self.looks.iter().rev().find(|look| !look.slopes.is_empty()) else { return false };
        let longer = length / last.length;
        self.state.iter().zip(&last.slopes).any(|(state, slopes)| {
            let ahead = slopes.begin + longer * (slopes.end - slopes.begin);
            *state != 0.0 && length * ahead.abs() > FAR * state.abs()
        })
    }

    /// The slopes over a time, and where its end is.
    fn slopes(&self, length: f64) -> Option<(Vec<Slopes>, Vec<f64>)> {
        let middle = self.slopes_at(0.5 * length, &self.led(0.5 * length, self.derivative))?;
        let end = self.slopes_at(length, &self.led(length, self.derivative))?;
        // With the mean slope, what grows from zero has its effect on the others.
        let mean: Vec<f64> = self.derivative.iter().zip(&end).map(|(begin, end)| 0.5 * (begin + end)).collect();
        let corrected_end = self.led(length, &mean);
        let corrected = self.slopes_at(length, &corrected_end)?;
        let slopes = self.derivative.iter().zip(middle).zip(end.into_iter().zip(corrected));
        let slopes = slopes.map(|((&begin, middle), (end, corrected))| Slopes { begin, middle, end, corrected });
        Some((slopes.collect(), corrected_end))
    }

    /// Where some slopes lead in a time.
    fn led(&self, length: f64, slope: &[f64]) -> Vec<f64> {
        self.state.iter().zip(slope).map(|(state, slope)| state + length * slope).collect()
    }

    fn slopes_at(&self, length: f64, state: &[f64]) -> Option<Vec<f64>> {
        let mut found = vec![0.0; state.len()];
        self.evaluations.derivative(self.time + length, state, &mut found).then_some(found)
    }

    /// Whether all slopes are steady over the length of this number.
    fn is_steady(&self, number: usize, noise: &[f64]) -> bool {
        let Look { length, slopes, noise: own, .. } = &self.looks[number];
        let of = |noise: &[f64], index: usize| noise.get(index).copied().unwrap_or(0.0);
        slopes.len() == self.state.len()
            && slopes.iter().zip(self.state).enumerate().all(|(index, (slopes, state))| {
                slopes.are_steady(*length, state.abs(), of(noise, index).max(of(own, index)))
            })
    }

    /// The end of the highest row of steady lengths that lasts and beside which all that is not steady below moves nothing; and whether no
    /// change is seen after it.
    fn row_above_nothing(&mut self, noise: &[f64]) -> Option<(f64, bool)> {
        for number in 0..self.looks.len() {
            if !self.is_steady(number, noise) {
                let Look { length, end, .. } = &self.looks[number];
                self.looks[number].noise = (self.slope_noises)(self.time + length, end);
            }
        }
        let count = self.looks.len();
        let is_row = |&last: &usize| {
            let first = last + 1 - LASTING;
            (first..=last).all(|number| self.is_steady(number, &self.nothing(number, first, noise)))
                && (0..first).all(|number| self.is_steady(number, &self.nothing(number, last, noise)))
        };
        let last = (LASTING..=count).map(|end| end - 1).rev().find(is_row)?;
        Some((self.looks[last].length, last + 1 == count))
    }

    /// The slopes that over the length of one number move nothing beside what those of another one move, and are not more than noise.
    fn nothing(&self, number: usize, beside: usize, noise: &[f64]) -> Vec<f64> {
        let (look, beside) = (&self.looks[number], &self.looks[beside]);
        let fastest = look.slopes.iter().fold(0.0, |fastest: f64, it| fastest.max(it.end.abs()));
        let share = NOTHING * (beside.length / look.length).max(1.0);
        let moved = beside.slopes.iter().map(|it| share * it.end.abs());
        let moved = moved.chain(std::iter::repeat(0.0)).zip(noise.iter().copied().chain(std::iter::repeat(0.0)));
        moved.take(self.state.len()).map(|(moved, noise)| moved.max(noise).max(NOTHING * fastest)).collect()
    }
}

/// The slopes of a state at the beginning, in the middle and at the end of a time, with where the slope of the beginning leads; and
/// at its end with where the mean slope leads.
struct Slopes {
    begin: f64,
    middle: f64,
    end: f64,
    corrected: f64,
}

impl Slopes {
    /// Whether they stay what they are or grow steadily, up to noise, and do not lead away from a state of this size.
    fn are_steady(&self, length: f64, size: f64, noise: f64) -> bool {
        let Slopes { begin, middle, end, corrected } = *self;
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use modeshift_numerics::Pattern;

    use super::super::EvaluationFailed;
    use super::*;

    /// A slope that is a function of time, by itself.
    struct Driven<F>(F);

    impl<F: Fn(f64) -> f64> Ode for Driven<F> {
        fn size(&self) -> usize {
            1
        }

        fn derivative(&mut self, time: f64, _: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
            derivative[0] = (self.0)(time);
            Ok(())
        }

        fn jacobian_pattern(&self) -> Option<&Pattern> {
            None
        }

        fn jacobian(&mut self, _: f64, _: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
            entries.fill(0.0);
            Ok(())
        }
    }

    /// A short time for a state that begins at zero, where at most one second is.
    fn short_time(slope: impl Fn(f64) -> f64) -> f64 {
        let derivative = [slope(0.0)];
        let evaluations = Evaluations::new(Driven(slope));
        let slope_noises = |_: f64, _: &[f64]| Vec::new();
        let mut ahead = Ahead {
            evaluations: &evaluations,
            slope_noises: &slope_noises,
            time: 0.0,
            state: &[0.0],
            derivative: &derivative,
            looks: Vec::new(),
        };
        ahead.short_time(&[], 1.0).0
    }

    /// Rounding as that of an argument that changes in steps of 1e-19: between -1e-17 and 1e-17, as if by chance.
    fn rounding(time: f64) -> f64 {
        1e-17 * (12.9898 * (time / 1e-19).floor() + 1.0).sin()
    }

    #[test]
    fn what_is_rounding_before_slopes_have_grown_is_no_change() {
        for slow in [1.0, 1e-3] {
            let found = short_time(|time| (time / slow).sin() + rounding(time));
            assert!((1e-5 * slow..slow).contains(&found), "{slow}: {found:e}");
        }
    }

    /// A body that begins to fall at rest, and the farthest that it was looked for.
    struct Falling<'a>(&'a Cell<f64>);

    impl Ode for Falling<'_> {
        fn size(&self) -> usize {
            2
        }

        fn derivative(&mut self, _: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
            self.0.set(self.0.get().max(state[0].abs()));
            derivative.copy_from_slice(&[state[1], 1.0]);
            Ok(())
        }

        fn jacobian_pattern(&self) -> Option<&Pattern> {
            None
        }

        fn jacobian(&mut self, _: f64, _: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
            entries.copy_from_slice(&[0.0, 1.0, 0.0, 0.0]);
            Ok(())
        }
    }

    #[test]
    fn where_slopes_lead_far_away_nothing_is_evaluated() {
        let farthest = Cell::new(0.0);
        let evaluations = Evaluations::new(Falling(&farthest));
        let slope_noises = |_: f64, _: &[f64]| Vec::new();
        let (evaluations, slope_noises) = (&evaluations, &slope_noises);
        let (state, derivative) = (&[0.8, 0.0], &[0.0, 1.0]);
        let mut ahead = Ahead { evaluations, slope_noises, time: 0.0, state, derivative, looks: Vec::new() };
        let (short, is_seen) = ahead.short_time(&[], f64::INFINITY);
        assert!(is_seen && (1e-3..1.0).contains(&short), "{short:e}");
        assert!(farthest.get() < 100.0, "{:e}", farthest.get());
    }

    #[test]
    fn what_moves_a_state_is_a_change_however_short_it_is() {
        let found = short_time(|time| time.sin() + 1e3 / (1.0 + (time / 1e-14).powi(2)));
        assert!(found < 1e-13, "{found:e}");
    }
}
