//! From analyzed models to numbers.
//!
//! [`initialization`] finds consistent start values and the initial mode.

pub mod initialization;
