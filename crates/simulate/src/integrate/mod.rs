//! Integration of ordinary differential equations between events.
//!
//! A mode of a run is a system `x' = f(t, x)` of fixed dimension ([`Ode`]). A [`Problem`] holds it together with the
//! [`Settings`]; [`Problem::start`] begins an integration at a point, as often as the mode is entered, and the
//! [`Integrator`] advances it step by step, never beyond the time it is told, with values inside the last step.
//!
//! | file | purpose |
//! |---|---|
//! | `problem` | a system with its settings, in levels of tolerance |
//! | `integrator` | an integration from one point on |
//! | `methods` | what all methods have in common, and polynomials through last values |
//! | `backward` | backward differentiation of orders 1 to 5: the first choice |
//! | `runge_kutta` | what Runge–Kutta methods share: lengths, errors, values inside steps |
//! | `esdirk`, `explicit` | the implicit method of order 4, and the explicit one of order 5 |
//! | `exact` | affine systems, solved exactly |
//! | `brief` | which of them is chosen for integrations that are over soon |
//! | `tableau` | the coefficients of both |
//! | `newton_matrix` | the matrix of Newton's iteration, handed on between integrations |
//! | `evaluations` | evaluations of systems: counted, checked, failures kept |
//! | `first_step` | the length of the first step |
//! | `sizes` | what errors are measured against, states that grow ahead of a wave included |
//! | `amplification` | how much larger than in the states errors are where they show |
//! | `failure` | what can go wrong |
//!
//! A run spends most of its time in steps and begins anew at every event. So all methods work in place, and hand on what
//! can be used again: the Jacobian over many steps, the factors of Newton's matrix over steps of the same length, its
//! order of elimination over all integrations of a problem.
//!
//! Common to all: the sparsity that is known is handed over instead of probed for; an evaluation that fails makes the step
//! smaller; times of events are hit exactly; the errors of a whole run, not of one step, and of all variables, not of
//! states alone, are meant to stay within the tolerance (`step_tolerance`, `amplification`); values inside a step are as
//! good as those at its ends (`esdirk`).

mod amplification;
mod backward;
mod brief;
mod esdirk;
mod evaluations;
mod exact;
mod explicit;
mod failure;
mod first_step;
mod integrator;
mod methods;
mod newton_matrix;
mod problem;
mod runge_kutta;
mod sizes;
mod tableau;

use modeshift_numerics::Pattern;

pub use exact::{Exponentials, Field, FieldBuilder, Flow, Wave};
pub(crate) use exact::{Reached, WatchedArc};
pub use failure::{EvaluationFailed, FailureReason, IntegrationFailure};
pub use integrator::{Integrator, Statistics, Step};
pub(crate) use methods::{MOST_TIMES, lagrange};
pub(crate) use problem::LARGEST_AMPLIFICATION;
pub use problem::{Handed, Problem};
pub use sizes::{Precursor, Sizes};

/// A system `x' = f(t, x)`.
pub trait Ode {
    /// The number of states.
    fn size(&self) -> usize;

    /// Evaluates `f`. After a failure a smaller step is tried; the failure is kept for the report.
    fn derivative(&mut self, time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed>;

    /// Where `∂f/∂x` may have entries, always the same; `None` where it is full.
    fn jacobian_pattern(&self) -> Option<&Pattern>;

    /// Evaluates `∂f/∂x`, its entries in the order of the pattern, which is row by row.
    fn jacobian(&mut self, time: f64, state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed>;

    /// A new integration begins: what is evaluated from now on need not continue what was evaluated before.
    fn begin(&mut self) {}

    /// The largest error of a value that follows from the states and is to be as exact as they are, relative to the
    /// larger of its size and its nominal size, where the states are wrong by `error`; zero where there are none.
    fn shown_error(&mut self, time: f64, state: &[f64], error: &[f64]) -> f64 {
        let _ = (time, state, error);
        0.0
    }

    /// The system as an affine one, where it is to be solved exactly; asked when an integration begins.
    fn flow(&mut self) -> Option<Flow> {
        None
    }
}

impl<System: Ode + ?Sized> Ode for &mut System {
    fn size(&self) -> usize {
        (**self).size()
    }

    fn derivative(&mut self, time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        (**self).derivative(time, state, derivative)
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        (**self).jacobian_pattern()
    }

    fn jacobian(&mut self, time: f64, state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        (**self).jacobian(time, state, entries)
    }

    fn begin(&mut self) {
        (**self).begin();
    }

    fn shown_error(&mut self, time: f64, state: &[f64], error: &[f64]) -> f64 {
        (**self).shown_error(time, state, error)
    }

    fn flow(&mut self) -> Option<Flow> {
        (**self).flow()
    }
}

/// How to integrate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Affine systems exactly where that pays, others by backward differentiation: the first choice.
    #[default]
    Auto,
    /// Affine systems exactly, others by backward differentiation.
    Exact,
    /// Backward differentiation of orders 1 to 5, implicit.
    Bdf,
    /// A Runge–Kutta method of order 4, implicit, with one step behind it only: for many events or for oscillations
    /// that backward differentiation would damp.
    Esdirk,
    /// A Runge–Kutta method of order 5, explicit: for smooth systems that are not stiff.
    Explicit,
}

impl Method {
    /// All of them, in the order in which users are told.
    pub const ALL: [Method; 5] = [Method::Auto, Method::Bdf, Method::Esdirk, Method::Explicit, Method::Exact];
    /// Those that go by steps, for any system.
    pub const STEPWISE: [Method; 3] = [Method::Bdf, Method::Esdirk, Method::Explicit];

    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Exact => "exact",
            Method::Bdf => "bdf",
            Method::Esdirk => "esdirk",
            Method::Explicit => "explicit",
        }
    }

    /// What it is good for, in a line of help.
    pub fn purpose(self) -> &'static str {
        match self {
            Method::Auto => "The choice of the program: `exact` where that pays, else `bdf`",
            Method::Exact => "Exact solutions of affine modes, `bdf` for the others",
            Method::Bdf => "Backward differentiation, implicit",
            Method::Esdirk => "Runge–Kutta, implicit: for many events, and for oscillations that are hardly damped",
            Method::Explicit => "Runge–Kutta, explicit: for what is smooth and not stiff",
        }
    }
}

/// The tolerance of one step where errors are not amplified, so that the errors of all steps together stay within a few
/// tolerances.
///
/// Measured on closed forms: an undamped oscillation is then wrong by 3 tolerances after a period at 1e-6. The estimates of
/// the methods differ in how far they are on the safe side. Smaller tolerances need more steps, whose errors add up; their
/// number counts most where the order is low. Larger ones make the steps of a high order so long that its estimates are
/// less exact.
fn step_tolerance(method: Method, tolerance: f64) -> f64 {
    let share = match method {
        Method::Auto | Method::Exact | Method::Bdf => 0.1 * tolerance * (tolerance / 1e-6).powf(1.0 / 5.0).min(1.0),
        Method::Esdirk => 0.05 * tolerance,
        Method::Explicit => 0.4 * tolerance * (1e-9 / tolerance).powf(0.1).min(1.0),
    };
    share.max(LEAST_STEP_TOLERANCE)
}

/// Below this, rounding would be taken for errors of the method.
const LEAST_STEP_TOLERANCE: f64 = 1e-14;

/// What the user wants.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How to integrate.
    pub method: Method,
    /// The error allowed relative to a state.
    pub tolerance: f64,
    /// The size below which a state's error counts as if the state had this size; one per state. Zero where it is not known:
    /// then it is that of the solution.
    pub nominal: Vec<f64>,
    /// The longest step allowed.
    pub longest_step: f64,
    /// So many steps from one start are a failure.
    pub most_steps: usize,
}

impl Settings {
    /// Backward differentiation with this tolerance, every state of nominal size 1.
    pub fn new(tolerance: f64, size: usize) -> Self {
        Settings {
            method: Method::Bdf,
            tolerance,
            nominal: vec![1.0; size],
            longest_step: f64::INFINITY,
            most_steps: 10_000_000,
        }
    }

    /// The same with another method.
    pub fn with_method(self, method: Method) -> Self {
        Settings { method, ..self }
    }

    /// The same with these sizes of the states.
    pub fn with_nominal(self, nominal: Vec<f64>) -> Self {
        Settings { nominal, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_can_be_sent_to_other_threads() {
        fn sent<T: Send>() {}
        sent::<Problem<crate::program::ProgramOde<'static>>>();
        sent::<IntegrationFailure>();
    }
}
