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
//! | what is new, erased, missing, impulsive, in all changes of a model at once | [`all_changes`](fn@all_changes), in words [`change_reports`] |
//! | right limits and weights of one change | [`restart()`], from a [`Past`]; higher derivatives [`extend_towards`] |
//! | the same as formulas | [`closed_forms`] |
//! | what a `when` does in an instant | [`TransientStructure`], with the laws of [`WhenLaws`] |
//! | impulse orders | [`Potentials`], in all changes [`PairPotentials`] |
//! | which mode comes next | [`next_mode`](fn@next_mode), by the [`GuardSeries`] of candidate modes |
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

pub use all_changes::{
    AllChanges, Conflict, InPairs, Moment, OrderBound, PairPotentials, PairSpace, all_changes, transient_modes,
};
pub use formulas::{ClosedForm, closed_forms};
pub use next_mode::{
    Accepted, Cluster, Complementarity, Element, GuardSeries, NextMode, ReferenceMode, Sign, StateCondition, States,
    Strategy, Term, accepted_modes, next_mode,
};
pub use one_change::{
    Defect, FormUsers, Noise, Note, Past, Potentials, Restart, TransientStructure, Unknown, WhenLaws, extend_towards,
    restart,
};
pub use one_mode::{DifferenceTape, EquationTapes, Jet, ModeEquations, Residuals};
pub use report::{ArrayReport, ChangeReport, LevelReport, Verdict, change_reports};

#[cfg(test)]
#[path = "../tests/suite.rs"]
mod suite;
