//! Blocks of all modes: their equations, the replicates they write, and multiplexers that choose among these.
//!
//! | file | purpose |
//! |---|---|
//! | `replicates` | who gives the value of a variable, or of one of its derivatives, in which modes |
//! | `specialize` | an expression of the source in some modes, in terms of the target |
//! | `equations` | replicate equations: the equations of each block |
//! | `multiplexers` | multiplexing equations and differential equations |
//! | `constraints` | constraints that are not differentiated |

mod constraints;
mod equations;
mod multiplexers;
mod replicates;
mod specialize;

pub(crate) use constraints::KeptConstraints;
pub(crate) use equations::{BlockForm, block_equations, is_defined_everywhere};
pub(crate) use multiplexers::{differential_equations, multiplexing_equations};
pub(crate) use replicates::{Level, Replicates};
pub(crate) use specialize::Specialization;
