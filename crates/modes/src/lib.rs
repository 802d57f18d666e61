//! Sets of modes and mode-dependent values: the only crate that knows a decision diagram.

mod count;
mod example;
mod invariant;
mod kernel;
mod limit;
mod map;
mod natural;
mod operations;
mod set;
mod space;

pub use invariant::Invariant;
pub use limit::{Limit, LimitKind};
pub use map::ModeMap;
pub use natural::Natural;
pub use set::{ModeSet, ModeVariable};
pub use space::ModeSpace;
