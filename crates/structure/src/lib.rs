//! Structural analysis of all modes at once.
//!
//! | stage | makes | of |
//! |---|---|---|
//! | [`incidence`] | [`Incidence`]: which variable occurs in which equation, how often differentiated, in which modes | E22 §4.1 |
//! | [`match_equations`] | [`Matching`] and [`Offsets`] | E22 §4.3 |
//! | [`dulmage_mendelsohn`] | [`Parts`]: what is over- and underdetermined | E22 §4.2 |
//! | [`cycles`] | [`Cycles`]: which equations belong to blocks of several | RR9322 §4.6 |
//! | [`dependency_graph`] | [`ConditionalDependencyGraph`] | E22 §6.1 |
//!
//! [`initialization`] does the same for the start of a model (E22 §7).
//!
//! [`analyze`] does all of it for a model, [`regularize`] also looks for blocks that are numerically singular. [`single_mode`] does the same for one mode by other means.

mod analysis;
mod bits;
mod blocks;
mod branching;
mod certificates;
mod closure;
mod cycles;
mod dependency_graph;
mod dulmage_mendelsohn;
mod first_matches;
mod formulas;
mod incidence;
pub mod initialization;
mod lists;
mod locality;
mod matching;
mod occurrences;
mod offsets;
mod one_mode;
mod optimism;
mod pairing;
mod reading;
mod regularize;
mod renumber;
mod signature;
pub mod single_mode;
mod summary;
mod sweep;
mod text;
mod unknowns;
mod unsolvable;
mod walk;

pub use analysis::{Analysis, ModeSignature, Options, Times, analyze};
pub use blocks::BlockCap;
pub use cycles::{Cycles, cycles};
pub use dependency_graph::{
    Block, BlockId, ConditionalDependencyGraph, Dependency, Derivative, Read, dependency_graph,
};
pub use dulmage_mendelsohn::{Parts, dulmage_mendelsohn};
pub use formulas::{Formulas, invariant_of};
pub use incidence::{EdgeId, Incidence, MissingVariable, Occurrence, Vertex};
pub use matching::{Matching, match_equations};
pub use occurrences::incidence;
pub use offsets::{Offsets, Thermometer};
pub use one_mode::ModeBlock;
pub use optimism::{Dependence, Optimism, optimism};
pub use regularize::{Combination, Regularized, regularize};
pub use signature::signature_in;
pub use summary::{Case, DegreesOfFreedom, degrees_of_freedom, structural_index};
pub use text::{GraphText, name};
pub use unsolvable::{SingularExample, Unsolvable};
