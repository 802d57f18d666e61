//! The exact solution of an affine system from one event to the next, with guards that are affine too.
//!
//! Over a short time the solution is a power series, and so is each guard: a polynomial, of which it is known where its first zero is,
//! or that it has none. What cannot be told apart so, as a guard that touches zero, ends the attempt.

use std::sync::Arc as Shared;

use super::exponentials::of_unit;
use super::field::Field;
use super::first_zero::{Course, MOST, course, course_from_zero};
use super::series::Series;

/// So many short times at most; what lasts longer is left to larger steps.
const MOST_PARTS: usize = 400;
/// Zeros that differ by more than can be told apart, but by less than so many times that, are not told apart here.
const NEARLY_TOGETHER: f64 = 1e3;

/// So many lengths of arcs without guards are remembered, each with its exponential.
const MOST_LEAPS: usize = 4;
/// An exponential is a full matrix: with more components it takes longer than a series, which is some dozen products with a few entries in
/// each row.
const LARGEST_LEAP: usize = 32;
/// Lengths are the same if they differ by so little of the time in which the system moves: what is left out is the square of it.
const SAME_LENGTH: f64 = 1.0 / (1u64 << 28) as f64;

/// How a solution comes to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reached {
    /// Nothing has crossed.
    Limit,
    /// Some guards have, at this time.
    Crossing(f64),
    /// It is not told.
    Unclear,
}

/// A solution with guards.
pub(crate) struct Arc {
    field: Shared<Field>,
    /// By guard: its coefficients, by component.
    rows: Vec<Vec<(u32, f64)>>,
    series: Series,
    inputs: Vec<f64>,
    /// Where the present part began.
    from: f64,
    components: Vec<f64>,
    inside: Vec<f64>,
    polynomial: Vec<f64>,
    /// By guard: where it crosses, in the present part.
    zeros: Vec<f64>,
    /// Guards that crossed.
    pub crossed: Vec<usize>,
    /// Arcs that were as long as the one before.
    leaps: Vec<Leap>,
    last_length: f64,
}

/// What an arc of some length does to all components.
struct Leap {
    length: f64,
    /// The exponential without the identity, row by row.
    change: Vec<f64>,
}

impl Arc {
    /// Of a field and the rows of guards.
    pub fn new(field: Shared<Field>, rows: Vec<Vec<(u32, f64)>>) -> Self {
        let size = field.size();
        let zeros = vec![f64::INFINITY; rows.len()];
        Arc {
            field,
            rows,
            series: Series::default(),
            inputs: Vec::new(),
            from: f64::NAN,
            components: vec![0.0; size],
            inside: vec![0.0; size],
            polynomial: Vec::with_capacity(MOST),
            zeros,
            crossed: Vec::new(),
            leaps: Vec::new(),
            last_length: f64::NAN,
        }
    }

    /// Begins with states and inputs at a time.
    pub fn begin(&mut self, time: f64, states: &[f64], inputs: impl Iterator<Item = f64>) {
        self.components[..states.len()].copy_from_slice(states);
        self.inputs.clear();
        self.inputs.extend(inputs);
        self.begin_part(time);
    }

    fn begin_part(&mut self, time: f64) {
        self.from = time;
        self.field.set_sources(time, &self.inputs, &mut self.components);
        self.series.begin(&self.components, self.field.short_time());
    }

    /// The slope of a guard where the solution is.
    pub fn slope(&mut self, guard: usize) -> f64 {
        self.field.multiply(1.0, &self.components, &mut self.inside);
        self.rows[guard].iter().map(|&(column, factor)| factor * self.inside[column as usize]).sum()
    }

    /// How large the terms of a guard are where the solution is.
    pub fn size(&self, guard: usize) -> f64 {
        self.rows[guard].iter().map(|&(column, factor)| (factor * self.components[column as usize]).abs()).sum()
    }

    /// Goes on to the first crossing, or to a limit. Each guard must not become negative on its side (1 or -1, or 0 where it is not
    /// watched); values nearer to zero than its noise are zero. Times nearer than `together`, relative to time and step, are the same.
    pub fn advance(&mut self, limit: f64, sides: &[f64], noises: &[f64], together: f64) -> Reached {
        let short = self.field.short_time();
        for _ in 0..MOST_PARTS {
            let left = limit - self.from;
            let length = left.min(short);
            self.series.reach(&self.field, length);
            if self.series.term_count() > MOST {
                return Reached::Unclear;
            }
            match self.first_crossing(length, sides, noises, together) {
                Reached::Limit if length == left => {
                    self.series.value(length, &mut self.components);
                    self.from = limit;
                    return Reached::Limit;
                }
                Reached::Limit => {
                    self.series.value(length, &mut self.components);
                    self.begin_part(self.from + length);
                }
                // What is due at the same time is not told apart.
                Reached::Crossing(time) if limit - time <= NEARLY_TOGETHER * together * (time.abs() + length) => {
                    return Reached::Unclear;
                }
                Reached::Crossing(time) => {
                    self.series.value(time - self.from, &mut self.inside);
                    self.components.copy_from_slice(&self.inside);
                    self.from = time;
                    return Reached::Crossing(time);
                }
                Reached::Unclear => return Reached::Unclear,
            }
        }
        Reached::Unclear
    }

    /// Goes on to a limit where there are no guards; whether that is done. Lengths that come again and again, as between samples, are known by
    /// their exponentials.
    pub fn leap(&mut self, limit: f64) -> bool {
        let (size, length) = (self.field.size(), limit - self.from);
        if !self.rows.is_empty() || size > LARGEST_LEAP || length > self.field.short_time() {
            return false;
        }
        let same = SAME_LENGTH * self.field.short_time();
        let is_last = (length - self.last_length).abs() <= same;
        self.last_length = length;
        let known = match self.leaps.iter().position(|leap| (length - leap.length).abs() <= same) {
            Some(known) => known,
            None if is_last && self.leaps.len() < MOST_LEAPS => {
                self.leaps.push(Leap { length, change: of_unit(&self.field, length) });
                self.leaps.len() - 1
            }
            None => return false,
        };
        let Leap { length: usual, change } = &self.leaps[known];
        for (place, row) in self.inside.iter_mut().zip(change.chunks_exact(size)) {
            *place = row.iter().zip(&self.components).map(|(entry, value)| entry * value).sum();
        }
        self.components.iter_mut().zip(&self.inside).for_each(|(place, change)| *place += change);
        // Times are rounded, so that lengths are not the same to the bit.
        let rest = length - usual;
        if rest != 0.0 {
            self.field.multiply(rest, &self.components, &mut self.inside);
            self.components.iter_mut().zip(&self.inside).for_each(|(place, change)| *place += change);
        }
        self.from = limit;
        true
    }

    /// The states where the last advance ended.
    pub fn states(&self) -> &[f64] {
        &self.components[..self.field.states()]
    }

    fn first_crossing(&mut self, length: f64, sides: &[f64], noises: &[f64], together: f64) -> Reached {
        let mut first = f64::INFINITY;
        for guard in 0..self.rows.len() {
            self.zeros[guard] = f64::INFINITY;
            if sides[guard] == 0.0 {
                continue;
            }
            self.series.along(&self.rows[guard], sides[guard], length, &mut self.polynomial);
            match of_guard(&self.polynomial, noises[guard]) {
                Course::Above => {}
                Course::Near => return Reached::Unclear,
                Course::Zero(share) => {
                    self.zeros[guard] = self.from + share * length;
                    first = first.min(self.zeros[guard]);
                }
            }
        }
        if first.is_infinite() {
            return Reached::Limit;
        }
        let same = together * (first.abs() + length);
        self.crossed.clear();
        for (guard, &zero) in self.zeros.iter().enumerate() {
            if zero - first <= same {
                self.crossed.push(guard);
            } else if zero - first <= NEARLY_TOGETHER * same {
                return Reached::Unclear;
            }
        }
        Reached::Crossing(first)
    }
}

/// What a guard does that begins on its side, or at zero.
fn of_guard(polynomial: &[f64], noise: f64) -> Course {
    match polynomial[0] {
        first if first.abs() <= noise => course_from_zero(polynomial, noise),
        first if first > 0.0 => course(polynomial, noise),
        _ => Course::Near,
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::FieldBuilder;
    use super::*;

    const TOGETHER: f64 = 64.0 * f64::EPSILON;

    /// `x'' = -x` from `x = 1`, with the guards `x` and `x + 1/2`.
    fn oscillation() -> Arc {
        let mut builder = FieldBuilder::new(2, 0);
        builder.state(0, 1, 1.0);
        builder.state(1, 0, -1.0);
        let mut arc = Arc::new(Shared::new(builder.build()), vec![vec![(0, 1.0)], vec![(0, 1.0), (2, 0.5)]]);
        arc.begin(0.0, &[1.0, 0.0], [].into_iter());
        arc
    }

    #[test]
    fn the_first_guard_to_cross_is_found_to_rounding() {
        let mut arc = oscillation();
        let Reached::Crossing(time) = arc.advance(10.0, &[1.0, 1.0], &[1e-12; 2], TOGETHER) else {
            panic!("it crosses")
        };
        assert!((time - std::f64::consts::FRAC_PI_2).abs() < 1e-15, "{time}");
        assert_eq!(arc.crossed, [0]);
        assert!((arc.states()[1] + 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_length_that_comes_again_leads_to_what_the_series_does() {
        let mut builder = FieldBuilder::new(2, 1);
        builder.state(0, 1, 1.0);
        builder.state(1, 0, -1.0);
        builder.input(1, 0, 0.5);
        let mut arc = Arc::new(Shared::new(builder.build()), Vec::new());
        let mut leaps = 0;
        for number in 0..40 {
            // Two lengths in turn, each twice, of times that are rounded.
            let begin = 1000.0 + 0.1 * f64::from(number);
            let limit = begin + if number / 2 % 2 == 0 { 0.1 } else { 0.3 };
            arc.begin(begin, &[1.0, -0.25], [2.0].into_iter());
            assert_eq!(arc.advance(limit, &[], &[], TOGETHER), Reached::Limit);
            let expected = arc.states().to_vec();
            arc.begin(begin, &[1.0, -0.25], [2.0].into_iter());
            if arc.leap(limit) {
                leaps += 1;
                let errors = arc.states().iter().zip(&expected).map(|(leapt, expected)| (leapt - expected).abs());
                assert!(errors.fold(0.0, f64::max) <= 4.0 * f64::EPSILON, "{:?}, not {expected:?}", arc.states());
            }
        }
        assert_eq!(leaps, 38, "all but the first of each length");
        assert_eq!(arc.leaps.len(), 2);
    }

    #[test]
    fn a_guard_that_is_not_watched_does_not_cross() {
        let mut arc = oscillation();
        let Reached::Crossing(time) = arc.advance(10.0, &[0.0, 1.0], &[1e-12; 2], TOGETHER) else {
            panic!("it crosses")
        };
        assert!((time - 2.0 * std::f64::consts::PI / 3.0).abs() < 4e-15, "{time}");
    }

    #[test]
    fn a_crossing_at_the_limit_is_not_told() {
        let mut arc = oscillation();
        let limit = std::f64::consts::FRAC_PI_2;
        assert_eq!(arc.advance(limit, &[1.0, 1.0], &[1e-12; 2], TOGETHER), Reached::Unclear);
        let mut arc = oscillation();
        assert_eq!(arc.advance(1.5, &[1.0, 1.0], &[1e-12; 2], TOGETHER), Reached::Limit);
        assert!((arc.states()[0] - 1.5f64.cos()).abs() < 1e-15);
    }
}
