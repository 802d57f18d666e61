//! What happens at an instant of change: which states jump and to where, what is impulsive, which mode comes next.
//!
//! | room | question |
//! |---|---|
//! | [`all_changes`](mod@all_changes) | what is new, erased, missing, impulsive, in all changes of a model at once |
//! | [`one_change`] | right limits and weights of one change, and what a `when` does in its instant |
//! | [`next_mode`](mod@next_mode) | which mode comes next |
//! | [`formulas`] | restart values and impulse orders as formulas |
//! | [`report`] | mode changes in words |
//! | [`one_mode`] | the floor of these rooms: structure and equations of one mode |
//!
//! | question | answered by |
//! |---|---|
//! | what is new, erased, missing, impulsive, in all changes of a model at once | [`all_changes`](fn@all_changes), in words [`change_reports`] |
//! | what a mode remembers of the past | [`Memory`] |
//! | right limits and weights of one change | [`restart()`], from a [`Past`]; higher derivatives [`extend`] |
//! | the same by other means | [`DifferenceArray`] (E22 §8.5), [`laurent_restart`] (one step), [`closed_forms`] (formulas) |
//! | what a `when` does in an instant | [`TransientStructure`], [`transient_restart`], laws [`WhenLaws`] |
//! | impulse orders | [`Potentials`], in all changes [`PairPotentials`] and [`OrderRule`], of nonlinear equations [`solved_order`], undefined products [`undefined_products`] |
//! | which mode comes next | [`next_mode`](fn@next_mode) by [`GuardSeries`] of candidate modes, [`lemke`](fn@lemke) |
//!
//! The structure of the new mode ([`ModeStructure`](modeshift_structure::one_mode::ModeStructure)) is all that a restart needs: its matching and blocks, run a few
//! more times with other right-hand sides, give right limits and Dirac weights (E22 §8–9, for any index). A model's
//! equations come in as [`Residuals`]: [`ModeEquations`] of a model, or a [`linear::LinearSystem`].

mod all_changes;
mod formulas;
mod next_mode;
mod one_change;
mod one_mode;
mod report;

pub use all_changes::cascades::Cascades;
pub use all_changes::example::ChangeExample;
pub use all_changes::firings::{Firing, FiringLaw, transient_modes};
pub use all_changes::forms::{FormCondition, Forms, forms, new_equations};
pub use all_changes::guard_zeros::{GuardZero, guard_zeros};
pub use all_changes::kinds::ChangeKind;
pub use all_changes::left_limits::{InPairs, PairMemory, pair_memory};
pub use all_changes::orders::{PairPotentials, pair_potentials};
pub use all_changes::products::{PairProduct, pair_products};
pub use all_changes::rules::{OrderBound, OrderRule};
pub use all_changes::space::{Moment, PairSpace};
pub use all_changes::spread::{Causes, Extent};
pub use all_changes::transients::{Conflict, PairTransients};
pub use all_changes::{AllChanges, all_changes, all_changes_within};
pub use formulas::closed_form::{ClosedForm, closed_form_name, closed_forms};
pub use formulas::order_calculus::{Order, expression_order, solved_order};
pub use next_mode::complementarity::{COMPLEMENTARITY_STEPS, Element, ReferenceMode, cluster_complementarity};
pub use next_mode::guard_series::{GuardSeries, Sign, Term};
pub use next_mode::lemke::{ComplementarySolution, lemke};
pub use next_mode::search::{
    Accepted, Cluster, Complementarity, Mode, NextMode, Objection, StateCondition, Strategy, Unusable, accepted_modes,
    next_mode,
};
pub use next_mode::step_complementarity::{ElementPair, step_complementarity};
pub use one_change::difference_array::{ArrayRestart, DifferenceArray};
pub use one_change::form_users::FormUsers;
pub use one_change::higher_derivatives::{extend, extend_towards};
pub use one_change::implicit_step::{growth_orders, implicit_step};
pub use one_change::impulse_order::{Defect, Potentials};
pub use one_change::impulse_products::{UndefinedProduct, undefined_products};
pub use one_change::laurent::{LaurentRestart, laurent_restart};
pub use one_change::laws::WhenLaws;
pub use one_change::left_limits::remembered::{BirthBlock, Constraint, Derivative, Memory, PastStructure, Source};
pub use one_change::left_limits::values::Past;
pub use one_change::levels;
pub use one_change::new_forms::has_new_form;
pub use one_change::restart::{Noise, Note, Restart, restart};
pub use one_change::transient::{
    Laws, TransientLevel, TransientRestart, TransientRow, TransientStructure, transient_restart,
};
pub use one_mode::affine::Affine;
pub use one_mode::difference_tape::{DifferenceAt, DifferenceTape};
pub use one_mode::equation_tapes::EquationTapes;
pub use one_mode::jet::{Jet, Partial, Residuals};
pub use one_mode::known_factors::KnownFactors;
pub use one_mode::mode_equations::{EquationsAt, ModeEquations};
pub use one_mode::mode_values::ModeValues;
pub use one_mode::newton::Failure;
pub use one_mode::{dense, linear};
pub use report::{ArrayReport, ChangeReport, LevelReport, Verdict, change_reports, change_reports_within};
