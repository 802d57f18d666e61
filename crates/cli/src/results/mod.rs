//! Results of runs: as they are written, and compared.
//!
//! | module | purpose |
//! |---|---|
//! | `bar` | the progress of a run, on a terminal |
//! | `compare` | two results |
//! | `outputs` | the files of a run |

mod bar;
mod compare;
mod outputs;

pub use compare::compare;
pub use outputs::RunOutputs;
