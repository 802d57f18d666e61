//! What an expression was: polynomials over stretches of time, in *pieces* between jumps and bends.
//!
//! Within a piece the values are smooth as far as the integration is concerned; where a piece ends, whoever reads it later has an
//! event. Before the start the expression has been what it is at the start: that is piece 0.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use modeshift_numerics::NativeFunction;

use crate::run::phase::polynomials::{POINTS, Polynomial};

/// Times are told apart to a few roundings.
const SAME_TIME: f64 = 16.0 * f64::EPSILON;
/// Slopes that differ by less than this share of themselves are one: polynomials of short stretches know them no better.
const SAME_SLOPE: f64 = 1e-3;
/// Rounding of a slope at the end of a polynomial, in roundings of its values over the length of its stretch: the sum of what the
/// values at its points count there is about 50.
const SLOPE_ROUNDING: f64 = 100.0 * f64::EPSILON;

/// The past of one expression, which a run writes and functions read.
#[derive(Default)]
pub(crate) struct History(RwLock<Record>);

#[derive(Default)]
struct Record {
    /// One after the other, without gaps.
    stretches: VecDeque<Stretch>,
    /// When pieces begin; the first of them has this number.
    begins: VecDeque<f64>,
    first: usize,
    /// Up to when it is known, and the value there.
    until: f64,
    value: f64,
    /// The largest value so far.
    size: f64,
    /// Something happened at the end: perhaps the values bend there.
    may_bend: bool,
}

/// A polynomial over a stretch of time.
struct Stretch {
    from: f64,
    to: f64,
    piece: usize,
    polynomial: Polynomial,
}

impl Stretch {
    /// A derivative at a time, which may lie a little outside.
    fn at(&self, time: f64, order: u32) -> f64 {
        let half = 0.5 * (self.to - self.from);
        self.polynomial.derivative((time - self.from) / half - 1.0, order) / half.powi(order as i32)
    }
}

impl History {
    fn read(&self) -> RwLockReadGuard<'_, Record> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Record> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins at a time with what has always been.
    pub fn begin(&self, time: f64, value: f64) {
        let always =
            Stretch { from: time - time.abs().max(1.0), to: time, piece: 0, polynomial: Polynomial::constant(value) };
        *self.write() = Record {
            stretches: VecDeque::from([always]),
            begins: VecDeque::from([f64::NEG_INFINITY]),
            first: 0,
            until: time,
            value,
            size: value.abs(),
            may_bend: true,
        };
    }

    /// The value that is known last.
    pub fn last(&self) -> f64 {
        self.read().value
    }

    /// Something happened at the end of what is known, after which there is this value: a jump if it differs by more than
    /// `relative` of what it is.
    pub fn go_on_with(&self, time: f64, value: f64, relative: f64) {
        let mut record = self.write();
        record.wait_until(time);
        record.size = record.size.max(value.abs());
        let has_jumped = record.has_jumped_to(value, relative);
        record.value = value;
        record.may_bend = true;
        if has_jumped {
            record.begin_piece();
        }
    }

    /// Appends values at the places of a polynomial; whether a piece began with them.
    pub fn append(&self, (from, to): (f64, f64), values: &[f64; POINTS], relative: f64) -> bool {
        let mut record = self.write();
        let polynomial = match values.iter().all(|value| value.to_bits() == values[0].to_bits()) {
            true => Polynomial::constant(values[0]),
            false => Polynomial::through(values, true),
        };
        let mut stretch = Stretch { from, to, piece: 0, polynomial };
        record.size = values.iter().fold(record.size, |size, value| size.max(value.abs()));
        let is_new = std::mem::take(&mut record.may_bend)
            && (record.has_jumped_to(values[0], relative) || record.bends_into(&stretch, relative));
        if is_new {
            record.begin_piece();
        }
        stretch.piece = record.last_piece();
        (record.until, record.value) = (to, values[POINTS - 1]);
        record.stretches.push_back(stretch);
        is_new
    }

    /// How large the values were.
    pub fn size(&self) -> f64 {
        self.read().size
    }

    /// When the piece of this number ends; nothing of the last one.
    pub fn end_of(&self, piece: usize) -> Option<f64> {
        let record = self.read();
        record.begins.get((piece + 1).checked_sub(record.first)?).copied()
    }

    /// The piece that a time is in, its beginning included; `slack` is how exactly the time is known.
    pub fn piece_at(&self, time: f64, slack: f64) -> usize {
        let record = self.read();
        let after = record.begins.partition_point(|&begin| begin <= time + slack);
        record.first + after.saturating_sub(1)
    }

    /// When the stretch ends that holds a time, or a later one where that is sooner than in `least`.
    pub fn stretch_end(&self, time: f64, least: f64) -> Option<f64> {
        let record = self.read();
        let at = record.stretches.partition_point(|stretch| stretch.to < time + least);
        record.stretches.get(at).map(|stretch| stretch.to)
    }

    /// Forgets what was before a time, but for what leads up to it.
    pub fn forget_before(&self, time: f64) {
        let mut record = self.write();
        while record.stretches.get(1).is_some_and(|stretch| stretch.to < time) {
            record.stretches.pop_front();
        }
        let oldest = record.stretches.front().map_or(0, |stretch| stretch.piece);
        while record.first < oldest && record.begins.len() > 1 {
            record.begins.pop_front();
            record.first += 1;
        }
    }

    /// A derivative at a time of the past, by the piece of this number, or by any where it is negative; "not a number" where
    /// the time is not past.
    fn at(&self, time: f64, piece: f64, order: u32) -> f64 {
        let record = self.read();
        if time > record.until + SAME_TIME * time.abs().max(record.until.abs()) {
            return f64::NAN;
        }
        record.stretch(time, piece).map_or(f64::NAN, |stretch| stretch.at(time, order))
    }

    /// `(time, piece)` to a derivative of this order, with its own derivatives.
    pub fn reader(self: &Arc<Self>, order: u32) -> NativeFunction {
        let (values, slopes, higher, ends) = (self.clone(), self.clone(), self.clone(), self.clone());
        NativeFunction::new(move |inputs, outputs| outputs[0] = values.at(inputs[0], inputs[1], order))
            .with_partial(move |inputs, by, outputs| {
                outputs[0] = if by == 0 { slopes.at(inputs[0], inputs[1], order + 1) } else { 0.0 };
            })
            .with_partial_function(move |by| match by {
                0 => higher.reader(order + 1),
                _ => NativeFunction::new(|_, outputs| outputs.fill(0.0)),
            })
            .with_fault(move |inputs| {
                let until = ends.read().until;
                (inputs[0] > until).then(|| format!("time {} is not past at time {until}", inputs[0]))
            })
    }

    /// Its derivative by time, once: `(time, piece, rate of the time)`.
    pub fn rate(self: &Arc<Self>) -> NativeFunction {
        let (values, slopes) = (self.clone(), self.clone());
        NativeFunction::new(move |inputs, outputs| outputs[0] = values.at(inputs[0], inputs[1], 1) * inputs[2])
            .with_partial(move |inputs, by, outputs| {
                outputs[0] = match by {
                    0 => slopes.at(inputs[0], inputs[1], 2) * inputs[2],
                    2 => slopes.at(inputs[0], inputs[1], 1),
                    _ => 0.0,
                };
            })
    }

    /// And twice: `(time, piece, rate, rate of the time, rate of the rate)`.
    pub fn second_rate(self: &Arc<Self>) -> NativeFunction {
        let (values, slopes) = (self.clone(), self.clone());
        let sum = |history: &History, inputs: &[f64], more: u32| {
            let [second, first] = [2, 1].map(|order| history.at(inputs[0], inputs[1], order + more));
            second * inputs[2] * inputs[3] + first * inputs[4]
        };
        NativeFunction::new(move |inputs, outputs| outputs[0] = sum(&values, inputs, 0)).with_partial(
            move |inputs, by, outputs| {
                let at = |order: u32| slopes.at(inputs[0], inputs[1], order);
                outputs[0] = match by {
                    0 => sum(&slopes, inputs, 1),
                    2 => at(2) * inputs[3],
                    3 => at(2) * inputs[2],
                    4 => at(1),
                    _ => 0.0,
                };
            },
        )
    }
}

impl Record {
    fn last_piece(&self) -> usize {
        self.first + self.begins.len().saturating_sub(1)
    }

    /// A piece begins at the end of what is known, unless one just has.
    fn begin_piece(&mut self) {
        if self.begins.back() != Some(&self.until) {
            self.begins.push_back(self.until);
        }
    }

    fn has_jumped_to(&self, value: f64, relative: f64) -> bool {
        (value - self.value).abs() > relative * self.size
    }

    /// Nothing was written up to a time, as where events accumulated: it stayed what it was.
    fn wait_until(&mut self, time: f64) {
        if time > self.until {
            let (from, piece) = (self.until, self.last_piece());
            self.stretches.push_back(Stretch { from, to: time, piece, polynomial: Polynomial::constant(self.value) });
            self.until = time;
        }
    }

    /// Whether values that go on in a stretch have another slope there, by more than the integration resolves over the stretches
    /// on both sides.
    fn bends_into(&self, next: &Stretch, relative: f64) -> bool {
        let Some(last) = self.stretches.back() else { return false };
        let (before, after) = (last.at(last.to, 1), next.at(next.from, 1));
        let (short, long) = {
            let lengths = [last, next].map(|stretch| stretch.to - stretch.from);
            (lengths[0].min(lengths[1]), lengths[0].max(lengths[1]))
        };
        let bend = (after - before).abs();
        bend > SAME_SLOPE * before.abs().max(after.abs())
            && bend * long > relative * self.size
            && bend * short > SLOPE_ROUNDING * self.size
    }

    fn stretch(&self, time: f64, piece: f64) -> Option<&Stretch> {
        let by_time = self.stretches.partition_point(|stretch| stretch.to < time);
        let last = self.stretches.len().checked_sub(1)?;
        if piece < 0.0 {
            return self.stretches.get(by_time.min(last));
        }
        let piece = piece as usize;
        let first = self.stretches.partition_point(|stretch| stretch.piece < piece).min(last);
        let end = self.stretches.partition_point(|stretch| stretch.piece <= piece);
        self.stretches.get(by_time.clamp(first, end.saturating_sub(1).max(first)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::phase::polynomials::PLACES;

    fn record(history: &History, (from, to): (f64, f64), function: impl Fn(f64) -> f64) -> bool {
        history.append((from, to), &PLACES.map(|place| function(from + 0.5 * (to - from) * (place + 1.0))), 1e-9)
    }

    #[test]
    fn a_history_is_what_was_written_and_what_always_has_been_before() {
        let history = History::default();
        history.begin(1.0, 2.0);
        assert!(record(&history, (1.0, 2.0), |time| 1.0 + time * time), "it stands still before, and moves then");
        history.go_on_with(2.0, 5.0, 1e-9);
        assert!(!record(&history, (2.0, 2.5), |time| 1.0 + time * time), "no jump and no bend");
        assert_eq!(history.at(-7.0, 0.0, 0), 2.0);
        for (time, order, value) in [(1.5, 0, 3.25), (1.5, 1, 3.0), (2.25, 0, 6.0625), (2.25, 2, 2.0)] {
            assert!((history.at(time, 1.0, order) - value).abs() < 1e-11, "{order} at {time}");
            assert!((history.at(time, -1.0, order) - value).abs() < 1e-11, "{order} at {time}, by time");
        }
        assert!(history.at(3.0, 1.0, 0).is_nan(), "not past");
    }

    #[test]
    fn a_jump_has_two_sides() {
        let history = History::default();
        history.begin(0.0, 1.0);
        assert!(!record(&history, (0.0, 1.0), |_| 1.0));
        history.go_on_with(1.0, 4.0, 1e-9);
        record(&history, (1.0, 2.0), |_| 4.0);
        assert_eq!((history.end_of(0), history.end_of(1)), (Some(1.0), None));
        assert_eq!((history.at(1.0, 0.0, 0), history.at(1.0, 1.0, 0)), (1.0, 4.0));
        assert_eq!((history.piece_at(0.99, 0.0), history.piece_at(1.0, 0.0)), (0, 1));
        history.forget_before(1.5);
        assert_eq!((history.piece_at(1.5, 0.0), history.at(1.5, 1.0, 0)), (1, 4.0));
    }
}
