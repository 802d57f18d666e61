//! The structure of one mode: the plain Σ-method (E22 §4.2 and §4.3 before their multimode extensions, RR9322 §3).
//!
//! A run asks it for each mode that it visits, from the mode before. The analysis of all modes shares nothing with it but
//! plain graph algorithms, and the tests have an oracle of their own.
//!
//! | file | purpose |
//! |---|---|
//! | `signature` | [`Signature`]: the matrix `σ` of a mode |
//! | `reading` | [`signature_in`]: this matrix, read off the model |
//! | `alike` | [`is_alike`]: whether it is that of the mode before ([`Existence`]) |
//! | `from_all_modes` | the same matrix, and blocks ([`ModeBlock`]), read off the analysis of all modes |
//! | `assignment` | the heaviest matching, from nothing or from the mode before ([`Hints`]) |
//! | `offsets` | [`matched`]: the smallest offsets that belong to it |
//! | `parts` | [`Parts`]: over- and underdetermined parts of a singular mode |
//! | `elimination` | which combinations of equations, or of unknowns, vanish |
//! | `pins` | [`pins`]: what makes a singular mode regular, where its states are determined |
//! | `blocks` | [`blocks`]: what is solved together, in order |
//! | `mode_structure` | [`ModeStructure`]: all of these, for restarts and programs |

mod alike;
mod assignment;
mod blocks;
mod elimination;
mod from_all_modes;
mod mode_structure;
mod offsets;
mod parts;
mod pins;
mod reading;
mod signature;

pub use alike::{Existence, is_alike};
pub use assignment::Hints;
pub use blocks::{Block, blocks};
pub use from_all_modes::ModeBlock;
pub use mode_structure::{Entry, ModeStructure, SigmaSolution};
pub use offsets::{Matched, matched, matched_near};
pub use parts::Parts;
pub(crate) use parts::parts;
pub use pins::{Coefficient, NoPins, Pins, pins};
pub use reading::signature_in;
pub use signature::{Column, ModeSignature, Row, Signature};
