//! What happens at an instant of change: which states jump and to where, what is impulsive, which mode comes next.
//!
//! | room | question |
//! |---|---|
//! | `all_changes` | what is new, erased, missing, impulsive, in all changes of a model at once |
//! | `one_change` | right limits and weights of one change, and what a `when` does in its instant |
//! | `next_mode` | which mode comes next |
//! | `formulas` | restart values and impulse orders as formulas |
//! | `report` | mode changes in words |
//! | `one_mode` | the floor of these rooms: structure and equations of one mode |
//!
//! | question | answered by |
//! |---|---|
//! | what is new, erased, missing, impulsive, in all changes of a model at once | [`AllChanges`], in words [`AllChanges::reports`] |
//! | right limits and weights of one change | [`restart()`], from a [`Past`]; higher derivatives [`Jet::extend_towards`] |
//! | the same as formulas | [`Potentials::closed_forms`] |
//! | what a `when` does in an instant | [`WhenLaws::levels`] |
//! | impulse orders | [`Potentials`], in all changes [`PairPotentials`] |
//! | which mode comes next | [`Cluster::next_mode`], by the [`Restart::guard_series`] of candidate modes |
//! | where a mode leaves quantities free: what their conditions say of others | [`extreme_rays`] |
//!
//! The structure of the new mode ([`ModeStructure`](modeshift_structure::one_mode::ModeStructure)) is all that a restart needs: its matching and blocks, run a few
//! more times with other right-hand sides, give right limits and Dirac weights (E22 §8–9, for any index). A model's
//! equations come in as [`Residuals`]: [`ModeEquations`] of a model.

mod all_changes;
mod formulas;
mod next_mode;
mod one_change;
mod one_mode;
mod report;

pub use all_changes::{AllChanges, Conflict, InPairs, Moment, OrderBound, PairPotentials, PairSpace, transient_modes};
pub use formulas::ClosedForm;
pub use next_mode::{
    Accepted, Cluster, Complementarity, Element, GuardSeries, MOST_TRIED, NextMode, Ray, ReferenceMode, Sign,
    StateCondition, States, Strategy, Term, extreme_rays, guard_weights,
};
pub use one_change::{Defect, FormUsers, Noise, Note, Past, Potentials, Restart, Unknown, WhenLaws, restart};
pub use one_mode::{DifferenceTape, EquationTapes, Jet, ModeEquations, Partial, Residuals};
pub use report::{ChangeReport, Verdict};

#[cfg(test)]
#[path = "../tests/suite.rs"]
mod suite;
