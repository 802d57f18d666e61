//! Sets of modes and mode-dependent values: the only crate that knows a decision diagram.
//!
//! A mode is a valuation of Boolean *mode variables*. A model with 200,000 of them has more modes than can be listed, so
//! everything computes with sets: "the modes in which this equation is active", "the modes in which that offset is 1".
//!
//! | type | meaning |
//! |---|---|
//! | [`ModeSpace`] | all modes; makes sets and computes with them; knows the order of the diagrams |
//! | [`ModeSet`] | a set of modes: a handle that is copied like a number; equal handles are equal sets |
//! | [`ModeVariable`] | a mode variable, numbered in order of declaration |
//! | [`ModeMap`] | a value that depends on the mode, as disjoint cases |
//! | [`Invariant`] | the modes that are possible, as independent components; projection and exact count |
//! | [`FormulaPrinter`] | a set as the shortest Modelica formula, given the invariant |
//! | [`Natural`] | an exact number of modes |
//! | [`Deviations`] | how few variables have to deviate from usual values to get into a set |
//! | [`Limit`] | why a computation was stopped |
//!
//! | file | purpose |
//! |---|---|
//! | [`clock`] | the clock, and that of a host where there is none |
//! | `space` | the space of all modes, which makes sets and computes with them |
//! | `set` | the handles: mode variables and sets of modes |
//! | `kernel` | the decision diagrams: reduced, ordered, with complement edges, every node unique |
//! | `operations` | Boolean operations on diagrams |
//! | `import` | sets carried over to another space, or to other variables |
//! | `limit` | limits on nodes and time |
//! | `map` | values that depend on the mode |
//! | `invariant` | which modes are possible at all |
//! | `count` | how many modes a set has |
//! | `natural` | numbers as large as counting modes needs them |
//! | `deviations` | large sets in few words: smallest deviations from usual values |
//! | `example` | one short partial valuation out of a set |
//! | `formula` | a set as the shortest Modelica formula |
//!
//! # Rules
//!
//! - A handle belongs to the space that made it, and lives until a [`ModeSpace::collect`] that does not list it.
//!   Nothing else frees or moves sets; stages that make much call `collect` when they end.
//! - When a node limit or deadline is exceeded, every operation returns [`ModeSet::EMPTY`] at once. Call
//!   [`ModeSpace::check`] before trusting a result, and in every loop that does not end on empty sets.
//! - Project guards onto the [`Invariant`] when they enter the analysis, then forget it until printing.
//! - Diagrams stay small if variables that occur together are near each other in the order
//!   ([`ModeSpace::with_order`]), and unions of many sets are made by [`ModeSpace::union`], not one after the other.
//!
//! # Example
//!
//! The water tank of E22: never full and empty at once.
//!
//! ```
//! use modeshift_modes::{FormulaPrinter, Invariant, ModeMap, ModeSpace, ModeVariable};
//!
//! let space = ModeSpace::new(3);
//! let [bh, bl, g] = [0, 1, 2].map(|number| space.literal(ModeVariable(number)));
//! let invariant = Invariant::new(&space, &[!space.and(bh, bl)]);
//! assert_eq!(invariant.mode_count(&space).to_string(), "6");
//!
//! // Guards are projected once, then computed with as if every mode were possible.
//! let active = invariant.project(&space, space.or(space.and(bl, !bh), space.and(g, !bh)));
//! assert!(!space.intersects(active, invariant.project(&space, bh)));
//! let offset = ModeMap::from_cases(&space, [(active, 1), (!active, 0)]);
//! assert_eq!(offset.value_in(&space, |variable| variable == ModeVariable(2)), Some(&1));
//! space.check().expect("no limit was set");
//!
//! let names = ["bh", "bl", "g"].map(String::from);
//! let printer = FormulaPrinter::new(&space, &invariant, &names);
//! assert_eq!(printer.print(active).text, "not bh and g or bl");
//! assert_eq!(printer.print(space.and(bl, !bh)).text, "bl");
//! assert_eq!(printer.print(space.or(bh, bl)).text, "bh or bl");
//! ```

pub mod clock;
mod count;
mod deviations;
mod example;
mod formula;
mod import;
mod invariant;
mod kernel;
mod limit;
mod map;
mod natural;
mod operations;
mod set;
mod space;

pub use deviations::Deviations;
pub use formula::{Formula, FormulaBuilder, FormulaPrinter};
pub use invariant::Invariant;
pub use limit::{Limit, LimitKind, TimeLimit};
pub use map::ModeMap;
pub use natural::Natural;
pub use operations::use_stack;
pub use set::{ModeSet, ModeVariable};
pub use space::ModeSpace;
