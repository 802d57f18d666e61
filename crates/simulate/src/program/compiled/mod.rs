//! Plans compiled: chains of assignments and iterations over one memory.
//!
//! | file | purpose |
//! |---|---|
//! | `schedule` | what is computed when: stages of assignments and iterations |
//! | `kernel` | a chain of assignments as a tape over the memory |
//! | `iteration` | what an iteration evaluates, shared by all modes that have it |
//! | `solve` | an iteration at work |
//! | `prediction` | good guesses for iterations |
//! | `gradients` | the exact sparse Jacobian of the derivatives of states |
//! | `assembly` | stages as steps: chains in pieces, and those that a mode changes |
//! | `code` | all steps together |

pub(crate) mod assembly;
pub(crate) mod code;
pub(crate) mod gradients;
pub(crate) mod iteration;
pub(crate) mod kernel;
pub(crate) mod prediction;
pub(crate) mod schedule;
pub(crate) mod solve;
