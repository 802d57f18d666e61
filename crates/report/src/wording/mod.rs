//! Formulas, names and numbers as they stand in sentences.
//!
//! | module | purpose |
//! |---|---|
//! | `guards` | guards of a model as the shortest formulas, given the invariant |
//! | `names` | names of equations and variables, lists of names, counted things |
//! | `sets` | sets of modes of an analysis as formulas and examples |

mod guards;
mod names;
mod sets;

pub use guards::{Guards, Modes, invariant_text, mode_names};
pub use names::{Names, counted, listed, time_text};
pub use sets::SetTexts;
