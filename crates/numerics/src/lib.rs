//! What initialization, restarts and simulation share: evaluation of expressions on a register tape, exact
//! derivatives and Taylor series, dense and sparse LU, damped Newton.
//!
//! Everything here works on numbers. Names, modes and places in the source come in only where a failure is
//! explained.

mod assembler;
mod compile;
mod explain;
mod jacobian;
mod native;
mod sparse;
mod tape;
mod taylor;

pub use compile::{Compiler, NotNumeric};
pub use explain::NotFinite;
pub use jacobian::Differentiated;
pub use native::{NativeFunction, NativeFunctions};
pub use sparse::Pattern;
pub use tape::{Input, Tape, Workspace};
pub use taylor::{TaylorWorkspace, derivative_series};
