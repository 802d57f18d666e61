//! On which side of zero a guard is right after a change.
//!
//! In a candidate mode, the guard expression has a series: weights of impulses from the highest order down, then its
//! value, its derivative, and so on. The first term that is not noise decides. If no term does, the guard vanishes
//! identically as far as can be seen, and either side is allowed.

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
}

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
    ///
    /// Impulses enter by the partial derivatives at left limits.
    pub fn guard_series(&self, past: &Past, guard: &dyn Residuals, row: Row, highest: u32) -> GuardSeries {
        let derivatives = guard.residual(row, &self.right, highest);
        let partials = guard.partials(row, &past.jet, 0);
        let mut series = GuardSeries { weights: Vec::new(), derivatives, size: 0.0 };
        for partial in partials {
            let (column, order, coefficient) = (partial.column, partial.order, partial.derivatives[0]);
            let value = (coefficient * self.right.get(column, order)).abs();
            series.size += if value.is_finite() { value } else { 0.0 };
            for p in 0..self.weights[column].len() as u32 + order {
                let content = content(&past.jet, self, column, order, p);
                series.add_weight(p, coefficient * content);
            }
        }
        series
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
        match noise.first_significant(&self.derivatives, self.size.max(noise.floor)) {
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
