//! Matching: which equation determines which variable, how often both are differentiated, and what is too many or too
//! few, in all modes at once.
//!
//! | file | purpose |
//! |---|---|
//! | `hungarian` | [`match_equations`]: matching and offsets in one pass |
//! | `pairing` | what is matched so far, under offsets that hold so far |
//! | `first_matches` | forced matches before any search |
//! | `sweep` | the order in which a search works off what it has reached |
//! | `offsets` | [`Offsets`]: mode-dependent numbers as thermometers |
//! | `dulmage_mendelsohn` | [`Parts`]: what is over- and underdetermined |
//! | `singular_cases` | [`SingularCase`]: singular modes, told apart by what is too many or too few in them |
//! | `unsolvable` | the smallest part that shows why a mode is singular |
//!
//! E22 §4.2 and §4.3.
//!
//! # In place of CoSTreD
//!
//! E22 §5 states the primal problem as weighted constraints over one Boolean per edge, cuts it along a tree
//! decomposition, and sends Boolean functions up and down that tree: forward reduction, then back-selection. What its
//! separators bound, that a diagram speaks of few elements at a time, is reached here without a tree:
//!
//! | CoSTreD | here |
//! |---|---|
//! | Booleans for edges, beside those for modes | none: an edge has a set of modes, so diagrams are over modes only |
//! | tree decomposition | the order of work, from one end of the model to the other (`locality`) |
//! | forward reduction: what a subtree leaves possible | forced matches (`first_matches`): what has one partner left has no choice |
//! | back-selection: one solution out of all maximal ones | alternating paths along tight edges, swept along the order (`sweep`) |
//! | maximal weight, then the dual problem by fixpoint | both at once: offsets rise where no path is left (`hungarian`) |

pub(crate) mod dulmage_mendelsohn;
pub(crate) mod first_matches;
pub(crate) mod hungarian;
pub(crate) mod offsets;
pub(crate) mod pairing;
mod singular_cases;
pub(crate) mod sweep;
mod unsolvable;

pub use dulmage_mendelsohn::{Parts, dulmage_mendelsohn};
pub use hungarian::{Matching, match_equations};
pub use offsets::{Offsets, Thermometer};
pub use singular_cases::{SingularCase, paired_cases};
pub use unsolvable::Unsolvable;
