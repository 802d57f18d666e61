//! What initialization, restarts and simulation share: evaluation of expressions on a register tape, exact
//! derivatives and Taylor series, dense and sparse LU, damped Newton.
//!
//! Everything here works on numbers. Names, modes and places in the source come in only where a failure is
//! explained.

mod assembler;
mod block;
mod compile;
mod dense_lu;
mod evaluator;
mod explain;
mod jacobian;
mod levenberg;
mod linear;
mod machine_code;
mod native;
mod newton;
mod parameters;
mod singular;
mod sparse;
mod sparse_lu;
mod tape;
mod taylor;

pub use block::Block;
pub use compile::{Compiler, NotNumeric};
pub use dense_lu::DenseLu;
pub use evaluator::Evaluator;
pub use explain::NotFinite;
pub use jacobian::Differentiated;
pub use linear::{FactorFailure, LinearSolver, Lu, Singular};
pub use machine_code::MachineCode;
pub use native::{NativeFunction, NativeFunctions};
pub use newton::{
    Attempt, Converged, Iterate, NewtonFailure, NewtonFailureReason, NewtonSettings, NonlinearSystem, solve_newton,
};
pub use parameters::Parameters;
pub use sparse::Pattern;
pub use sparse_lu::SparseLu;
pub use tape::{Input, Tape, Workspace};
pub use taylor::{TaylorWorkspace, derivative_series};
