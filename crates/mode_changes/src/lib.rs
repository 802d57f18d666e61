//! What happens at an instant of change: which states jump and to where, what is impulsive, which mode comes next.
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
//! The structure of the new mode ([`ModeStructure`]) is all that a restart needs: its matching and blocks, run a few
//! more times with other right-hand sides, give right limits and Dirac weights (E22 §8–9, for any index). A model's
//! equations come in as [`Residuals`]: [`ModeEquations`] of a model, or a [`linear::LinearSystem`].

mod affine;
mod all_changes;
mod balance;
mod cascade;
mod change_kinds;
mod changed_forms;
mod closed_form;
mod cluster_pairs;
pub mod dense;
mod difference_array;
mod difference_tape;
mod equation_tapes;
mod example;
mod extend;
mod growing_matching;
mod guard_sign;
mod guard_zero;
mod guarded_matching;
mod implicit_step;
mod impulse_order;
mod impulse_products;
mod jet;
mod known_factors;
mod laurent;
mod left;
mod lemke;
pub mod levels;
pub mod linear;
mod memory;
mod mode_change;
mod mode_equations;
mod mode_structure;
mod mode_values;
mod newton;
mod next_mode;
mod nonlinear_orders;
mod order_calculus;
mod order_rules;
mod pair_forms;
mod pair_memory;
mod pair_orders;
mod pair_products;
mod pair_space;
mod pair_spread;
mod pair_transients;
mod report;
mod restart;
mod signed;
mod step_complementarity;
mod transient;
mod when_firings;
mod when_laws;

pub use affine::Affine;
pub use all_changes::{AllChanges, all_changes, all_changes_within};
pub use cascade::Cascades;
pub use change_kinds::ChangeKind;
pub use changed_forms::FormUsers;
pub use closed_form::{ClosedForm, closed_form_name, closed_forms};
pub use cluster_pairs::{COMPLEMENTARITY_STEPS, Element, ReferenceMode, cluster_complementarity};
pub use difference_array::{ArrayRestart, DifferenceArray};
pub use difference_tape::{DifferenceAt, DifferenceTape};
pub use equation_tapes::EquationTapes;
pub use example::ChangeExample;
pub use extend::{extend, extend_towards};
pub use guard_sign::{GuardSeries, Sign, Term};
pub use guard_zero::{GuardZero, guard_zeros};
pub use implicit_step::{growth_orders, implicit_step};
pub use impulse_order::{Defect, Potentials};
pub use impulse_products::{UndefinedProduct, undefined_products};
pub use jet::{Jet, Partial, Residuals};
pub use known_factors::KnownFactors;
pub use laurent::{LaurentRestart, laurent_restart};
pub use left::Past;
pub use lemke::{ComplementarySolution, lemke};
pub use memory::{BirthBlock, Constraint, Derivative, Memory, PastStructure, Source};
pub use mode_change::has_new_form;
pub use mode_equations::{EquationsAt, ModeEquations};
pub use mode_structure::{Block, Column, Incidence, ModeStructure, Row, SigmaSolution};
pub use mode_values::ModeValues;
pub use newton::Failure;
pub use next_mode::{
    Accepted, Cluster, Complementarity, Mode, NextMode, Objection, StateCondition, Strategy, Unusable, accepted_modes,
    next_mode,
};
pub use order_calculus::{Order, expression_order, solved_order};
pub use order_rules::{OrderBound, OrderRule};
pub use pair_forms::{FormCondition, Forms, forms, new_equations};
pub use pair_memory::{InPairs, PairMemory, pair_memory};
pub use pair_orders::{PairPotentials, pair_potentials};
pub use pair_products::{PairProduct, pair_products};
pub use pair_space::{Moment, PairSpace};
pub use pair_spread::{Causes, Extent};
pub use pair_transients::{Conflict, PairTransients};
pub use report::{ArrayReport, ChangeReport, LevelReport, Verdict, change_reports, change_reports_within};
pub use restart::{Noise, Note, Restart, restart};
pub use step_complementarity::{ElementPair, step_complementarity};
pub use transient::{Laws, TransientLevel, TransientRestart, TransientRow, TransientStructure, transient_restart};
pub use when_firings::{Firing, FiringLaw, transient_modes};
pub use when_laws::WhenLaws;
