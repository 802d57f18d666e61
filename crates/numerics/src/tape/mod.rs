//! The register tape: how expressions become one, and its values, derivatives and series.
//!
//! | file | purpose |
//! |---|---|
//! | `instructions` | [`Tape`]: a straight line of instructions and its evaluation |
//! | `assembler` | tapes in the making: values numbered, constants folded |
//! | `compile` | [`Compiler`]: from expressions to a tape |
//! | `evaluator` | [`Evaluator`]: interprets, and turns to machine code once that pays |
//! | `explain` | why a result is not a finite number |
//! | `jacobian` | [`Differentiated`]: exact sparse Jacobians |
//! | `rounding` | what rounding makes of results |
//! | `taylor` | Taylor series on the tape |

mod assembler;
mod compile;
mod evaluator;
mod explain;
mod instructions;
mod jacobian;
mod rounding;
mod taylor;

pub use compile::{Compiler, NotNumeric};
pub use evaluator::Evaluator;
pub use explain::NotFinite;
pub(crate) use instructions::truth;
#[cfg(not(target_family = "wasm"))]
pub(crate) use instructions::{Call, Instruction, Operation};
pub use instructions::{Input, Tape, Workspace};
pub use jacobian::Differentiated;
pub use taylor::{TaylorWorkspace, derivative_series};
