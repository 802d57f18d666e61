//! What initialization, restarts and simulation share: evaluation of expressions on a register tape, exact
//! derivatives and Taylor series, dense and sparse LU, damped Newton.
//!
//! Everything here works on numbers. Names, modes and places in the source come in only where a failure is
//! explained.
//!
//! | module | purpose |
//! |---|---|
//! | `tape` | expressions on a register tape: values, Jacobians, Taylor series |
//! | `machine_code` | tapes as machine code |
//! | `no_machine_code` | the same where none can be made: inside WebAssembly |
//! | `linear` | linear systems, dense and sparse |
//! | `nonlinear` | damped Newton and Levenberg–Marquardt |
//! | `parameters` | values of parameters and constants |
//! | `native` | functions that a tape calls |
//! | `functions` | functions of the model at run time: bodies as programs, their derivatives |
//! | `external` | functions of other languages that are here in Rust |

mod external;
mod functions;
mod linear;
#[cfg(not(target_family = "wasm"))]
mod machine_code;
#[cfg(target_family = "wasm")]
#[path = "no_machine_code.rs"]
mod machine_code;
mod native;
mod nonlinear;
mod parameters;
mod tape;

pub use linear::{DenseLu, FactorFailure, LinearSolver, Lu, Pattern, Singular, SparseLu, small_dense};
pub use machine_code::MachineCode;
pub use native::{NativeFunction, NativeFunctions};
pub use nonlinear::{
    Attempt, Block, Converged, Iterate, KnownFactors, NewtonFailure, NewtonFailureReason, NewtonSettings,
    NonlinearSystem, residual_newton, solve_newton,
};
pub use parameters::Parameters;
pub use tape::{
    Compiler, Differentiated, Evaluator, Input, NotFinite, NotNumeric, Tape, TaylorWorkspace, Workspace,
    derivative_series,
};
