//! What can go wrong between two events, in numbers; the run puts names to them.

use std::any::Any;
use std::fmt;

/// `f` or its Jacobian has no value at a point.
pub struct EvaluationFailed {
    /// Why, in words.
    pub message: String,
    /// What whoever evaluates wants to find again in the report, such as the failure of a block's Newton iteration.
    pub details: Option<Box<dyn Any + Send>>,
}

impl EvaluationFailed {
    /// With a reason only.
    pub fn new(message: impl Into<String>) -> Self {
        EvaluationFailed { message: message.into(), details: None }
    }

    /// With a reason and details.
    pub fn with_details(message: impl Into<String>, details: impl Any + Send) -> Self {
        EvaluationFailed { message: message.into(), details: Some(Box::new(details)) }
    }
}

impl fmt::Debug for EvaluationFailed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "EvaluationFailed({:?})", self.message)
    }
}

/// Why an integration cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureReason {
    /// `f` has no value where the integration begins.
    NoDerivative,
    /// Even the shortest steps fail: `f` has no value, the Newton iteration does not converge or the error is too large.
    StepTooShort,
    /// More steps than the settings allow.
    TooManySteps,
    /// The states are no longer numbers that can be computed with.
    NotFinite,
}

/// An integration that cannot go on, at the last point that was reached.
#[derive(Debug)]
pub struct IntegrationFailure {
    /// Why.
    pub reason: FailureReason,
    /// The time reached.
    pub time: f64,
    /// The states there.
    pub state: Vec<f64>,
    /// The length of the step that was tried last.
    pub step: f64,
    /// The last evaluation that failed since that point, if any.
    pub evaluation: Option<EvaluationFailed>,
}

impl fmt::Display for IntegrationFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            FailureReason::NoDerivative => write!(formatter, "no derivatives at time {}", self.time)?,
            FailureReason::StepTooShort => {
                write!(formatter, "no step succeeds at time {}, not even of length {:.1e}", self.time, self.step)?
            }
            FailureReason::TooManySteps => write!(formatter, "too many steps, stopped at time {}", self.time)?,
            FailureReason::NotFinite => write!(formatter, "the states grow beyond all bounds at time {}", self.time)?,
        }
        match &self.evaluation {
            Some(failed) => write!(formatter, ": {}", failed.message),
            None => Ok(()),
        }
    }
}

impl std::error::Error for IntegrationFailure {}
