//! The structure of one mode.
//!
//! | file | purpose |
//! |---|---|
//! | [`single_mode`] | matching, offsets and blocks of a signature matrix, from nothing or from the mode before |
//! | `signature` | the signature matrix of a mode, read off the model |
//! | `from_all_modes` | [`ModeBlock`]: the blocks of a mode, read off the analysis of all modes |

mod from_all_modes;
mod signature;
pub mod single_mode;

pub use from_all_modes::ModeBlock;
pub use signature::signature_in;
