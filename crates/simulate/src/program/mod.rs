//! Programs of modes: from the states of a mode to all its variables, their derivatives and the derivatives of the states.
//!
//! | file | purpose |
//! |---|---|
//! | `quantities` | the jet: every variable with its derivatives up to the leading one |
//! | `surroundings` | what is constant between events |
//! | `stages`, `choice` | dummy derivatives: which quantities are states, what determines the others |
//! | `affine`, `tearing`, `plan` | formulas where possible, iterations on few unknowns elsewhere |
//! | `schedule`, `kernel`, `compiled`, `solve`, `code` | compiled: chains of assignments and iterations over one memory |
//! | `prediction` | good guesses for iterations |
//! | `gradients` | the exact sparse Jacobian of the derivatives of states |
//! | `programs`, `program`, `ode`, `outputs` | what others use |
//! | `failure` | why not, in the words of the model |
//!
//! Hidden constraints are solved at every evaluation, to rounding, so nothing drifts.

mod affine;
mod choice;
mod code;
mod compiled;
mod failure;
mod gradients;
mod kernel;
mod leaves;
mod mode_program;
mod ode;
mod outputs;
mod plan;
mod prediction;
mod programs;
mod quantities;
mod schedule;
mod solve;
mod stages;
mod surroundings;
mod tearing;

pub use failure::{BlockFailure, FailureReason, NotBuilt};
pub use mode_program::{Program, StateChoice};
pub use ode::ProgramOde;
pub use outputs::Outputs;
pub use programs::{NotAnOutput, Programs};
pub use quantities::{Quantities, QuantityIndex};
pub use surroundings::Surroundings;
