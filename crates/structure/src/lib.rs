//! Structural analysis of all modes at once.
//!
//! | stage | makes | of |
//! |---|---|---|
//! | [`incidence`](fn@incidence) | [`Incidence`]: which variable occurs in which equation, how often differentiated, in which modes | E22 §4.1 |
//! | [`match_equations`] | [`Matching`] and [`Offsets`] | E22 §4.3 |
//! | [`dulmage_mendelsohn`] | [`Parts`]: what is over- and underdetermined | E22 §4.2 |
//! | [`cycles`] | [`Cycles`]: which equations belong to blocks of several | RR9322 §4.6 |
//! | [`dependency_graph`] | [`ConditionalDependencyGraph`] | E22 §6.1 |
//!
//! | file | purpose |
//! |---|---|
//! | `always_zero` | variables that are zero whatever the state |
//! | `analysis` | [`analyze`]: all stages in order |
//! | [`approximate`](mod@approximate) | the model as an ordinary tool sees it, as if all modes were one (E22 §2) |
//! | `incidence` | from equations to the guarded bipartite graph |
//! | [`long_range`] | models in which a verdict depends on modes far away: a sweep whose state is a matroid |
//! | `matching` | matching, offsets, over- and underdetermined parts |
//! | `graph` | cycles, blocks, the dependency graph |
//! | `locality` | what is near in the model is near in the order of work and in memory |
//! | [`one_mode`] | the structure of one mode |
//! | [`initialization`] | the same for the start of a model (E22 §7) |
//! | `numeric_singularity` | blocks that are singular although a matching exists |
//! | [`pantelides`] | multi-mode Pantelides, for comparison (MOE15 §4) |
//! | `port_spaces` | [`singularities`]: what kind of singular each mode is |
//! | `prime_field` | whether a matrix is regular, in arithmetic that does not round |
//! | `regularize` | [`regularize`]: such blocks, repaired where coefficients are constant |
//! | `summary` | structural index and degrees of freedom |
//! | `certificates` | what must be true of every result |
//!
//! # Example
//!
//! The index of a tank that is held full is 2, else 1:
//!
//! ```
//! use modeshift_structure::{Options, analyze, structural_index};
//! use modeshift_testkit::{NO_OVERRIDES, multimode_dae};
//!
//! let text = "model Tank
//!     Real x(start = 0, fixed = true), y;
//!     Boolean full = time > 1;
//!   equation
//!     der(x) = 1 - y;
//!     0 = if full then x - 1 else y;
//!   end Tank;";
//! let dae = multimode_dae(text, &NO_OVERRIDES).unwrap();
//! let analysis = analyze(&dae, &Options::default()).unwrap();
//! assert!(analysis.is_regular());
//!
//! let names = ["full".to_string()];
//! let index = structural_index(&analysis.space, &analysis.incidence, &analysis.offsets).unwrap();
//! let formulas = analysis.formulas(&names);
//! let words = index.iter().map(|case| format!("{} when {}", case.value, formulas.print(case.modes).text));
//! assert_eq!(words.collect::<Vec<_>>(), ["1 when not full", "2 when full"]);
//! ```

mod always_zero;
mod analysis;
pub mod approximate;
mod certificates;
mod graph;
mod incidence;
pub mod initialization;
mod locality;
pub mod long_range;
mod matching;
mod numeric_singularity;
pub mod one_mode;
pub mod pantelides;
mod port_spaces;
mod prime_field;
mod regularize;
mod summary;

pub use analysis::{Analysis, Options, Times, analyze};
pub use graph::{
    BipartiteMatching, Block, BlockCap, BlockId, ConditionalDependencyGraph, Cycles, Dependency, Derivative, GraphText,
    Read, alternating_reach, cycles, dependency_graph, name, strongly_connected_components,
};
pub use incidence::{EdgeId, Formulas, Incidence, MissingVariable, Occurrence, Vertex, incidence, invariant_of};
pub use matching::{
    Matching, Offsets, Parts, SingularCase, Thermometer, Unsolvable, dulmage_mendelsohn, match_equations, paired_cases,
};
pub use numeric_singularity::{Dependence, NotChecked, NumericSingularities, numeric_singularities};
pub use one_mode::ModeBlock;
pub use port_spaces::{Proof, Reason, SingularKind, Singularities, Singularity, singularities};
pub use regularize::{Combination, Regularized, Structure, regularize, regularize_or_sweep, undo};
pub use summary::{Case, DegreesOfFreedom, degrees_of_freedom, structural_index};
