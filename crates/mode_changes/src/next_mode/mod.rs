//! The mode after a change: the one whose guards, right after the change, say so themselves.
//!
//! | file | purpose |
//! |---|---|
//! | [`search`] | candidate modes of a cluster, tried in turn |
//! | [`guard_series`] | on which side of zero a guard is right after a change |
//! | [`derived_guards`] | what follows from guards of quantities that a mode leaves free |
//! | [`complementarity`] | a cluster of a model as a linear complementarity problem |
//! | [`step_complementarity`] | the problem itself: one implicit step of a regular mode |
//! | [`lemke`] | Lemke's method |

mod complementarity;
mod derived_guards;
mod guard_series;
mod lemke;
mod search;
mod step_complementarity;

pub use complementarity::{Element, ReferenceMode};
pub use derived_guards::{Ray, extreme_rays};
pub use guard_series::{GuardSeries, Sign, Term, guard_weights};
#[cfg(test)]
pub(crate) use lemke::lemke;
#[cfg(test)]
pub(crate) use search::Objection;
pub use search::{Accepted, Cluster, Complementarity, MOST_TRIED, NextMode, StateCondition, States, Strategy};
#[cfg(test)]
pub(crate) use step_complementarity::{ElementPair, StepResponse};
