//! Nonlinear systems: the equations of one block, solved by damped Newton.
//!
//! | file | purpose |
//! |---|---|
//! | `block` | [`Block`]: equations on the tape as a system for Newton |
//! | `newton` | [`solve_newton`]: damped Newton with affine invariant steps |
//! | `levenberg` | Levenberg–Marquardt: a downhill way where Newton has none |

mod block;
mod levenberg;
mod newton;

pub use block::Block;
pub use newton::{
    Attempt, Converged, Iterate, NewtonFailure, NewtonFailureReason, NewtonSettings, NonlinearSystem, solve_newton,
};
