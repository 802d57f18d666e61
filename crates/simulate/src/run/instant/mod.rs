//! An instant: from left limits and what fired to right limits.
//!
//! | file | purpose |
//! |---|---|
//! | [`event_iteration`] | micro-steps until nothing happens any more |
//! | [`discrete_fixpoint`] | definitions and `when` clauses within one micro-step |
//! | [`candidate`] | the right side that follows from a discrete part, and which relations contradict it |
//! | [`next_mode`] | the search for a mode that accepts itself |
//! | [`complementarity`] | the search among relations that exclude each other |
//! | [`restart`] | right limits in the next mode |

pub(crate) mod candidate;
pub(crate) mod complementarity;
pub(crate) mod discrete_fixpoint;
pub(crate) mod event_iteration;
pub(crate) mod next_mode;
pub(crate) mod restart;
