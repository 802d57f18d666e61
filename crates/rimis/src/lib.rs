//! RIMIS (E22 §10, RR9459 §4): rewrites a model so that its structure no longer depends on modes.

mod check;
mod conditions;
mod document;
mod equations;
mod feasible;
mod jumps;
mod mode_equations;
mod multiplexers;
mod names;
mod obstacles;
mod print;
mod restarts;
mod signals;
mod specialize;
mod start;
mod target;
mod transform;

pub use check::mode_dependence;
pub use start::Start;
pub use transform::{Failure, Form, transform};
