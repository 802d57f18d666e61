//! Balances of Dirac weights: what an equation says where it is impulsive.
//!
//! With `S[l]` the jump of the `l`-th derivative for `l >= 0` and `S[-r - 1]` the weight of `δ^(r)`, the coefficient of
//! `δ^(p)` in `f = 0` is the sum over partials `a = ∂f/∂x^(k)` and `r >= p` of
//! `(-1)^(r-p) binom(r, p) a^(r-p) S[k - 1 - r]`. What comes from higher levels is known: the *carries*.

use modeshift_dae::IndexVec;
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use crate::one_mode::{Jet, Partial, Residuals, binomial};

/// A balance of weights: `carry + Σ coefficient * jump = 0`.
pub(crate) struct Balance {
    /// What is known from higher levels and earlier blocks.
    pub carry: f64,
    /// Coefficients of the unknown jumps.
    pub terms: Vec<(Column, f64)>,
}

/// What is known when balances are put together.
pub(crate) struct Carries<'a> {
    pub structure: &'a ModeStructure,
    pub equations: &'a dyn Residuals,
    /// Left limits, for coefficients.
    pub left: &'a Jet,
    /// `S` by level, from the highest down; nothing for variables that the change does not reach.
    pub jumps: &'a IndexVec<Column, Vec<f64>>,
    /// The highest level.
    pub highest: i64,
}

impl Carries<'_> {
    /// The balance of `δ^(delta)` in an equation at a level, for these unknown columns, which ascend.
    pub(crate) fn balance(&self, level: i64, row: Row, delta: u32, unknowns: &[Column]) -> Balance {
        let beyond = (self.highest - level) as u32;
        let mut balance = Balance { carry: 0.0, terms: Vec::new() };
        for Partial { column, order, derivatives } in self.equations.partials(row, self.left, beyond) {
            let offset = i64::from(self.structure.variable_offset(column));
            for r in delta..=delta + beyond {
                let level_of_jump = offset - (i64::from(order) - 1 - i64::from(r));
                if level_of_jump > self.highest {
                    break;
                }
                let coefficient = leibniz(r, delta) * derivatives[(r - delta) as usize];
                if level_of_jump == level && unknowns.binary_search(&column).is_ok() {
                    balance.terms.push((column, coefficient));
                } else {
                    let jump = self.jumps[column].get((self.highest - level_of_jump) as usize).copied().unwrap_or(0.0);
                    balance.carry += if jump == 0.0 { 0.0 } else { coefficient * jump };
                }
            }
        }
        balance
    }
}

/// `a δ^(r)` contains `(-1)^(r-p) binom(r, p) a^(r-p) δ^(p)`.
fn leibniz(r: u32, p: u32) -> f64 {
    let sign = if (r - p).is_multiple_of(2) { 1.0 } else { -1.0 };
    sign * binomial(r, p)
}
