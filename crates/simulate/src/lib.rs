//! From analyzed models to numbers.
//!
//! [`initialization`] finds consistent start values and the initial mode; [`integrate`] advances a mode between events;
//! [`results`] is what a run produces.

pub mod initialization;
pub mod integrate;
pub mod results;
