//! Restarts: jumps of states at mode changes, `reinit`s, and what else happens at events.
//!
//! | file | purpose |
//! |---|---|
//! | `feasible` | changes of modes that the definitions of the mode variables allow |
//! | `conflicts` | constraints that the states may violate at a mode change |
//! | `parts` | parts of a model between which no jump passes |
//! | `jumps` | jumps of states, as formulas of left limits |
//! | `impulsive_guards` | guards about impulses |
//! | `reinitialisations` | one `when … elsewhen` chain per state |
//! | `events` | what a `when` does beside `reinit` |

mod conflicts;
mod events;
mod feasible;
mod impulsive_guards;
mod jumps;
mod parts;
mod reinitialisations;

pub(crate) use feasible::feasible_changes;
pub(crate) use impulsive_guards::impulsive_guards;
pub(crate) use jumps::{Jumps, jumps};
pub(crate) use reinitialisations::{Reinitialisations, Restarts};
