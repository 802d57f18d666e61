//! Incidence: from the equations of a model to the guarded bipartite graph that everything else reads.
//!
//! | file | purpose |
//! |---|---|
//! | `dual_representation` | [`Incidence`]: modes and orders on every equation, variable and edge, in place of one graph per mode |
//! | `formulas` | [`Formulas`]: from formulas over mode variables to sets of modes |
//! | `unknowns` | which expressions are unknowns or their derivatives, as bits |
//! | `walk` | the different subexpressions of an equation that matter at the current instant |
//! | `conditional_incidence` | equations with conditions inside, reduced to what decides in which modes an unknown occurs |
//! | `reading` | what one walk over all equations finds, as lists, and the order of work |
//! | `occurrences` | [`incidence`]: the lists with their modes, as a graph |
//!
//! E22 §4.1.

pub(crate) mod conditional_incidence;
pub(crate) mod dual_representation;
pub(crate) mod formulas;
pub(crate) mod occurrences;
pub(crate) mod reading;
pub(crate) mod unknowns;
pub(crate) mod walk;

pub use dual_representation::{EdgeId, Incidence, MissingVariable, Occurrence, Vertex};
pub use formulas::{Formulas, invariant_of};
pub use occurrences::incidence;
