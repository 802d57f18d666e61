//! On which side of zero a guard is right after a change.
//!
//! In a candidate mode, the guard expression has a series: weights of impulses from the highest order down, then its
//! value, its derivative, and so on. The first term that is not noise decides. If no term does, the guard vanishes
//! identically as far as can be seen, and either side is allowed.

use modeshift_dae::IndexVec;
use modeshift_structure::one_mode::{Column, Row};

use crate::one_change::{Noise, Past, Restart};
use crate::one_mode::{Jet, Residuals};

/// The series of a guard expression right after a change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuardSeries {
    /// Weights: `weights[p]` belongs to `δ^(p)`.
    pub weights: Vec<f64>,
    /// The value and its derivatives.
    pub derivatives: Vec<f64>,
    /// How large the terms are that the value is made of.
    pub size: f64,
    /// The same of the value and each of its derivatives, to first order: where they cancel, rounding of them is left.
    pub terms: Vec<f64>,
}

/// A sum of a few terms is rounded by this share of them.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A term of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// The weight of this derivative of the Dirac impulse.
    Weight(u32),
    /// The derivative of this order; 0 is the value.
    Derivative(u32),
}

/// What decides the sign of a guard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sign {
    /// The first term that is not noise, and its value, which is not zero.
    Decided(Term, f64),
    /// All terms are noise.
    Vanishing,
}

impl Sign {
    /// Whether the guard is not below zero, or may be taken so.
    pub fn allows_positive(self) -> bool {
        !matches!(self, Sign::Decided(_, value) if value < 0.0)
    }
}

impl Restart {
    /// The series of the guard written as the residual of `row`, after this restart from `past`, whose jet was extended.
    pub fn guard_series(&self, past: &Past, guard: &dyn Residuals, row: Row, highest: u32) -> GuardSeries {
        let derivatives = guard.residual(row, &self.right, highest);
        let mut size = 0.0;
        let content = |column: Column, order: u32| {
            let orders = 0..self.weights[column].len() as u32 + order;
            orders.map(|p| content(&past.jet, self, column, order, p)).collect::<Vec<f64>>()
        };
        let limits = Limits { left: &past.jet, right: &self.right };
        let weights = limits.weights(guard, row, &content, |value| size += value);
        let mut terms = vec![0.0; derivatives.len()];
        for partial in guard.partials(row, &self.right, 0) {
            for (term, k) in terms.iter_mut().zip(0..) {
                let value = (partial.derivatives[0] * self.right.get(partial.column, partial.order + k)).abs();
                *term += if value.is_finite() { value } else { 0.0 };
            }
        }
        GuardSeries { weights, derivatives, size, terms }
    }
}

/// The weights of a guard in an instant whose impulses have these weights; its derivatives do not count there.
pub fn guard_weights(
    guard: &dyn Residuals,
    row: Row,
    (left, right): (&Jet, &Jet),
    weights: &IndexVec<Column, Vec<f64>>,
) -> Vec<f64> {
    let content = |column: Column, order: u32| if order == 0 { weights[column].clone() } else { Vec::new() };
    Limits { left, right }.weights(guard, row, &content, |_| ())
}

/// Both sides of an instant.
struct Limits<'a> {
    left: &'a Jet,
    right: &'a Jet,
}

/// How large an impulse is taken to be, in units of its weight, to see where it leads a guard: far beyond what a guard that is not
/// impulsive may reach, and again as far.
const FAR: [f64; 2] = [1e20, 1e40];

impl Limits<'_> {
    /// The weights of a guard, and the size of its terms, one by one.
    ///
    /// Impulses enter a guard that is affine by its partial derivatives. In others, as `abs(f) > 1`, these say little: there it
    /// counts on which side the guard is when the impulse is as large as one likes.
    fn weights(
        &self,
        guard: &dyn Residuals,
        row: Row,
        content: &dyn Fn(Column, u32) -> Vec<f64>,
        mut size: impl FnMut(f64),
    ) -> Vec<f64> {
        let mut series = GuardSeries::default();
        let mut impulsive = Vec::new();
        for partial in guard.partials(row, self.left, 0) {
            let (column, order, coefficient) = (partial.column, partial.order, partial.derivatives[0]);
            let value = (coefficient * self.right.get(column, order)).abs();
            size(if value.is_finite() { value } else { 0.0 });
            let contents = content(column, order);
            contents.iter().zip(0..).for_each(|(&content, p)| series.add_weight(p, coefficient * content));
            impulsive.extend(contents.iter().rposition(|&it| it != 0.0).map(|p| (p, column, order, contents[p])));
        }
        let Some(highest) = impulsive.iter().map(|it| it.0).max().filter(|_| !guard.is_linear(row)) else {
            return series.weights;
        };
        impulsive.retain(|it| it.0 == highest);
        let largest = impulsive.iter().map(|it| it.3.abs()).fold(0.0, f64::max);
        let [near, far] = FAR.map(|factor| self.value_at(guard, row, &impulsive, factor / largest));
        if near * far > 0.0 {
            let mut weights = vec![0.0; highest + 1];
            weights[highest] = largest.copysign(far);
            return weights;
        }
        series.weights
    }

    /// The guard where each impulsive quantity is so many times its weight away from its right limit.
    fn value_at(&self, guard: &dyn Residuals, row: Row, impulsive: &[(usize, Column, u32, f64)], factor: f64) -> f64 {
        let mut point = self.right.clone();
        let finite = |value: f64, otherwise: f64| if value.is_finite() { value } else { otherwise };
        for partial in guard.partials(row, self.left, 0) {
            let (column, order) = (partial.column, partial.order);
            let right = finite(self.right.get(column, order), finite(self.left.get(column, order), 0.0));
            let away = impulsive.iter().find(|it| (it.1, it.2) == (column, order)).map_or(0.0, |it| it.3 * factor);
            point.set(column, order, right + away);
        }
        guard.residual(row, &point, 0)[0]
    }
}

impl GuardSeries {
    fn add_weight(&mut self, p: u32, weight: f64) {
        if weight == 0.0 || weight.is_nan() {
            return;
        }
        if self.weights.len() <= p as usize {
            self.weights.resize(p as usize + 1, 0.0);
        }
        self.weights[p as usize] += weight;
    }

    /// The first term that is not noise. Impulses have no threshold of their own: whether there is one was decided by
    /// the defects of the restart.
    pub fn sign(&self, noise: &Noise) -> Sign {
        if let Some(p) = self.weights.iter().rposition(|&weight| weight != 0.0) {
            return Sign::Decided(Term::Weight(p as u32), self.weights[p]);
        }
        let terms = self.terms.iter().copied().chain(std::iter::repeat(0.0));
        // Where no time is short, derivatives are as exact as values are, relative to their own terms.
        let share = if noise.time_scale.is_finite() { ROUNDING } else { noise.relative.max(ROUNDING) };
        let clear =
            |(&derivative, terms): (&f64, f64)| if derivative.abs() <= share * terms { 0.0 } else { derivative };
        let derivatives: Vec<f64> = self.derivatives.iter().zip(terms).map(clear).collect();
        match noise.first_significant(&derivatives, self.size.max(noise.floor)) {
            Some(order) => Sign::Decided(Term::Derivative(order as u32), self.derivatives[order]),
            None => Sign::Vanishing,
        }
    }
}

/// The coefficient of `δ^(p)` in `x^(order)`.
fn content(left: &Jet, restart: &Restart, column: Column, order: u32, p: u32) -> f64 {
    match (order).checked_sub(p + 1) {
        Some(l) if restart.is_impulsive(column, l) => restart.right.get(column, l) - left.get(column, l),
        Some(_) => 0.0,
        None => restart.weights[column].get((p - order) as usize).copied().unwrap_or(0.0),
    }
}
