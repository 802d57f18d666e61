//! Nonlinear systems: the equations of one block, solved by damped Newton.
//!
//! | file | purpose |
//! |---|---|
//! | `block` | [`Block`]: equations on the tape as a system for Newton |
//! | `newton` | [`solve_newton`]: damped Newton with affine invariant steps |
//! | `residual_newton` | Newton damped by residuals, for the restarts of modes |
//! | `by_blocks` | a system taken apart, where the whole cannot be iterated |
//! | `known_factors` | the factors of large linear blocks, kept |
//! | `levenberg` | Levenberg–Marquardt: a downhill way where Newton has none |

mod block;
mod by_blocks;
mod known_factors;
mod levenberg;
mod newton;
pub mod residual_newton;

pub use block::Block;
pub use known_factors::KnownFactors;
pub use newton::{
    Attempt, Converged, Iterate, NewtonFailure, NewtonFailureReason, NewtonSettings, NonlinearSystem, solve_newton,
};
