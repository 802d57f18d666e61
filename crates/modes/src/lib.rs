//! Sets of modes and mode-dependent values: the only crate that knows a decision diagram.

mod example;
mod kernel;
mod limit;
mod operations;
mod set;
mod space;

pub use limit::{Limit, LimitKind};
pub use set::{ModeSet, ModeVariable};
pub use space::ModeSpace;
