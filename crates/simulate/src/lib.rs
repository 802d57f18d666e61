//! From analyzed models to numbers.
//!
//! [`initialization`] finds consistent start values and the initial mode; a [`program`] computes all variables of a
//! mode from its states; [`integrate`] advances a mode between events; [`results`] is what a run produces; and a
//! [`run`](mod@run) puts it all together.

pub mod initialization;
pub mod integrate;
pub mod program;
pub mod results;
pub mod run;
