//! The solution of an affine system, exact to rounding: the method of matrix exponentials.
//!
//! | file | purpose |
//! |---|---|
//! | [`field`] | an affine system with sources as one larger linear system |
//! | [`series`] | its solution over a short time, as a power series |
//! | [`exponentials`] | and over longer ones, by exponentials of doubled times |
//! | [`arc`] | the same with guards, from one event to the next |
//! | [`first_zero`] | the first zero of a polynomial |
//! | [`trust`] | how long rounding stays small |
//!
//! What an affine system is driven by (constants, and powers, exponentials and sinusoids of time) solves linear differential
//! equations itself. With these as further components, `z' = M z`, and the solution is `exp(M h) z` for any `h`. Over a time
//! in which `M` changes little, `‖M‖ h ≤ 1`, that is a power series of some twenty terms at most, which serves for all values inside
//! the step as well. Longer times are a short one and doublings of a unit of time, `exp(2 M h) = exp(M h)^2`, made when they are
//! first needed and kept for the mode.
//!
//! There is no error to control, but there are guards to be watched, by values at the ends of steps and inside. So steps are such
//! that what happens in them is seen in a few values: as long as `‖M‖ h ≤ 1`, or longer where a cubic curve through their
//! ends tells the slopes in the middle, as it does when all that is fast has died away.
//!
//! Large systems have no such exponentials, which are full matrices; their steps stay short.
//!
//! Rounding: an exponential of `2^k` units has lost `k` bits of what is slow (the square of `1 - 1e-9` knows less of the rate than
//! that does), as the matrix itself has whose entries are rounded; [`trust`] tells when that matters.

mod arc;
mod exponentials;
mod field;
mod first_zero;
mod series;
mod trust;

use std::cell::RefCell;
use std::sync::Arc;

use super::methods::{Advance, NoStep, Start, shortest_step};
use super::sizes::{Sizes, Weights};
pub(crate) use arc::{Arc as WatchedArc, Reached};
pub use exponentials::Exponentials;
pub(super) use field::balanced_norm;
pub use field::{Field, FieldBuilder, Wave};
use series::Series;

/// An affine system in its surroundings.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The system.
    pub field: Arc<Field>,
    /// The values of its inputs.
    pub inputs: Vec<f64>,
}

impl Flow {
    /// The states after some time, which may be many times that in which the fastest changes; nothing where there are too many of them for
    /// exponentials.
    pub(crate) fn after(
        &self,
        time: f64,
        states: &[f64],
        length: f64,
        exponentials: &RefCell<Option<Exponentials>>,
    ) -> Option<Vec<f64>> {
        let field = &self.field;
        if !field.has_exponentials() {
            return None;
        }
        let mut components = vec![0.0; field.size()];
        components[..states.len()].copy_from_slice(states);
        field.set_sources(time, &self.inputs, &mut components);
        let mut series = Series::default();
        series.begin(&components, field.short_time());
        look(field, exponentials, &mut series, length, [&mut components, &mut vec![0.0; field.size()]]);
        components.truncate(states.len());
        Some(components)
    }
}

/// The components some time after the beginning of a series, into the first place; the second one is work space.
fn look(
    field: &Arc<Field>,
    exponentials: &RefCell<Option<Exponentials>>,
    series: &mut Series,
    length: f64,
    [inside, spare]: [&mut [f64]; 2],
) {
    if length <= field.short_time() {
        series.reach(field, length);
        series.value(length, inside);
        return;
    }
    let mut known = exponentials.borrow_mut();
    let known = match &mut *known {
        Some(known) if known.are_of(field) => known,
        other => other.insert(Exponentials::of(field)),
    };
    let (units, rest) = known.units(length);
    series.reach(field, rest);
    series.value(rest, inside);
    known.apply(units, inside, spare);
}

/// In the middle of a step that a cubic curve describes, slopes are wrong by at most this share of the largest: steps
/// along an oscillation are then about a radian long.
const SHOWN: f64 = 2e-3;
/// Slopes of less than this many roundings of what they are sums of are none.
const ROUNDINGS: f64 = 64.0;
/// Order, as it is reported.
const ORDER: usize = 20;

/// The exact solution at work.
pub(super) struct Exact<'problem> {
    flow: Flow,
    exponentials: &'problem RefCell<Option<Exponentials>>,
    weights: Weights,
    /// The beginning of the last step, and the series there.
    from: f64,
    series: Series,
    /// The end of the last step, and all components there.
    time: f64,
    end: Vec<f64>,
    /// The length of the next step, unless something is due before.
    next: f64,
    /// Work space: components inside the step.
    inside: Vec<f64>,
    spare: Vec<f64>,
}

impl<'problem> Exact<'problem> {
    pub(super) fn new(flow: Flow, exponentials: &'problem RefCell<Option<Exponentials>>, start: Start<'_>) -> Self {
        let Start { weights, time, state, .. } = start;
        let field = &flow.field;
        let next = field.short_time();
        let mut end = vec![0.0; field.size()];
        end[..state.len()].copy_from_slice(state);
        let inside = end.clone();
        let spare = end.clone();
        let series = Series::default();
        let mut exact = Exact { flow, exponentials, weights, from: time, series, time, end, next, inside, spare };
        // Values are asked for where there is no time left for a step, too.
        exact.begin();
        exact
    }

    /// All components at the beginning of the next step.
    fn begin(&mut self) {
        self.from = self.time;
        self.flow.field.set_sources(self.time, &self.flow.inputs, &mut self.end);
        let short = self.flow.field.short_time();
        self.series.begin(&self.end, short);
    }

    /// The components after some time of the step, into `inside`.
    fn look(&mut self, length: f64) {
        let Exact { flow, exponentials, series, inside, spare, .. } = self;
        look(&flow.field, exponentials, series, length, [inside, spare]);
    }

    /// Whether the slopes in the middle of a step of this length, at whose end the components are `inside`, are those of the cubic
    /// curve through its ends.
    fn is_shown(&mut self, length: f64) -> bool {
        let field = self.flow.field.clone();
        let count = field.states();
        let end = self.inside.clone();
        let begin = self.series.begin_values().to_vec();
        self.look(0.5 * length);
        let (mut before, mut middle, mut after) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
        field.slopes(&begin, &mut before);
        field.slopes(&self.inside, &mut middle);
        field.slopes(&end, &mut after);
        let is_shown = (0..count).all(|state| {
            let (first, last) = (before[state], after[state]);
            let shown = 1.5 * (end[state] - begin[state]) / length - 0.25 * (first + last);
            let largest = first.abs().max(middle[state].abs()).max(last.abs());
            let rounding = field.largest_term(state, &begin).max(end[state].abs() / length);
            (shown - middle[state]).abs() <= (SHOWN * largest).max(ROUNDINGS * f64::EPSILON * rounding)
        });
        self.inside.copy_from_slice(&end);
        is_shown
    }
}

impl Advance for Exact<'_> {
    fn advance(&mut self, stop: f64) -> Result<(), NoStep> {
        if stop - self.time < shortest_step(self.time) {
            return Err(NoStep);
        }
        self.begin();
        let (left, short) = (stop - self.time, self.flow.field.short_time());
        let mut length = left.min(self.next);
        // What would be left is a step of its own, and no longer than this one.
        if length < left && left < 2.0 * length {
            length = 0.5 * left;
        }
        self.look(length);
        while length > short && !self.is_shown(length) {
            length = (0.5 * length).max(short);
            self.look(length);
        }
        self.next = if length > 0.5 * short && self.flow.field.has_exponentials() {
            (2.0 * length).max(short)
        } else {
            self.next.max(short)
        };
        self.time = if length == left { stop } else { self.from + length };
        self.end.copy_from_slice(&self.inside);
        Ok(())
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn state(&self) -> &[f64] {
        &self.end[..self.flow.field.states()]
    }

    fn next_step(&self) -> (f64, usize) {
        (self.next, ORDER)
    }

    fn interpolate(&mut self, time: f64, state: &mut [f64]) {
        self.look(time - self.from);
        state.copy_from_slice(&self.inside[..state.len()]);
    }

    fn tighten(&mut self, _tolerance: f64) {}

    fn sizes(&self) -> &Sizes {
        &self.weights.sizes
    }

    fn sizes_mut(&mut self) -> &mut Sizes {
        &mut self.weights.sizes
    }

    fn refusals(&self) -> (usize, usize) {
        (0, 0)
    }

    fn follow_until(&mut self, from: f64, until: f64) {
        let (count, half) = (self.flow.field.states(), 0.5 * (until - from));
        for time in [from + half, until] {
            self.look((time - self.from).max(0.0));
            self.weights.follow(half, &self.inside[..count]);
        }
    }

    fn exact_pace(&self) -> Option<f64> {
        Some(self.flow.field.short_time())
    }
}
