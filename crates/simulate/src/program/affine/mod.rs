//! Modes that are affine: `x' = A x + B u + f(t)`.
//!
//! The states are `x`, `u` is what changes at events only, and `f` is a sum of products of powers, exponentials and sinusoids of
//! time. `A` and the coefficients of `f` are numbers while the mode lasts. Such a mode need not be integrated step by step: the
//! matrix exponential of a larger linear system, whose further components are `u` and the functions in `f`, is its solution
//! (`integrate::exact`).
//!
//! | file | purpose |
//! |---|---|
//! | `time_terms` | sums of products of powers, exponentials and sinusoids of time |
//! | `forms` | what is affine in states, unknowns and inputs, with time terms |
//! | `reading` | expressions as forms |
//! | `system` | the compiled mode as an affine system |
//!
//! It is read off the equations, as they are solved in the compiled mode, from the states on: each quantity is a form, or the
//! equation is named that makes it none. Blocks of equations are solved as forms too. What stands still between events (discrete
//! variables, left limits) enters linearly where it can, so that other values of it need no other matrices; where it is a factor,
//! a divisor or a condition, its value is, and the system is one for that value.

mod forms;
mod reading;
mod system;
mod time_terms;

pub(crate) use reading::Reader;
pub(crate) use system::{AffineMode, AffineRow, Builder, NotAffine, Part};
