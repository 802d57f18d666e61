//! Linear equations with constant coefficients, and inputs that are known functions of time.
//!
//! `Σ a x^(k) = u(t)`: what switched circuits and drives are made of, and what theory has exact answers for.

use crate::one_mode::{Jet, Partial, Residuals};
use modeshift_dae::IndexVec;
use modeshift_structure::one_mode::{Column, Row};

/// `coefficient * x^(order)`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// The variable.
    pub column: Column,
    /// Which of its derivatives.
    pub order: u32,
    /// The coefficient.
    pub coefficient: f64,
}

/// One linear equation: the sum of its terms equals its input.
#[derive(Clone, Debug, Default)]
pub struct LinearEquation {
    /// Terms, each variable and order at most once.
    pub terms: Vec<Term>,
    /// The input and its time derivatives at the instant of interest; zero where the list ends.
    pub input: Vec<f64>,
}

/// Linear equations of one mode.
#[derive(Clone, Debug, Default)]
pub struct LinearSystem {
    /// By row.
    pub equations: IndexVec<Row, LinearEquation>,
}

impl Residuals for LinearSystem {
    fn residual(&self, row: Row, jet: &Jet, highest: u32) -> Vec<f64> {
        let LinearEquation { terms, input } = &self.equations[row];
        let derivative = |k: u32| {
            let sum: f64 = terms.iter().map(|term| term.coefficient * jet.get(term.column, term.order + k)).sum();
            sum - input.get(k as usize).copied().unwrap_or(0.0)
        };
        (0..=highest).map(derivative).collect()
    }

    fn partials(&self, row: Row, _: &Jet, highest: u32) -> Vec<Partial> {
        let constant = |term: &Term| {
            let mut derivatives = vec![0.0; highest as usize + 1];
            derivatives[0] = term.coefficient;
            Partial { column: term.column, order: term.order, derivatives }
        };
        self.equations[row].terms.iter().map(constant).collect()
    }

    fn is_linear(&self, _: Row) -> bool {
        true
    }
}
