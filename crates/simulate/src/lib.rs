//! From analyzed models to numbers.
//!
//! [`initialization`] finds consistent start values and the initial mode; [`results`] is what a run produces.

pub mod initialization;
pub mod results;
