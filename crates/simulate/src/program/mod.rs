//! Programs of modes: from the states of a mode to all its variables, their derivatives and the derivatives of the states.
//!
//! | file | purpose |
//! |---|---|
//! | `surroundings` | what is constant between events |
//! | `states` | which quantities are states, what determines the others |
//! | `blocks` | formulas where possible, iterations on few unknowns elsewhere |
//! | `compiled` | chains of assignments and iterations over one memory, with exact derivatives |
//! | `programs` | all programs of a model, and what they share |
//! | `mode_program` | the program of one mode |
//! | `affine` | modes that are affine in their states, as matrices |
//! | `ode` | a program as a system of differential equations |
//! | `outputs` | values that follow from those of a program |
//! | `tangents` | how quantities change with the states and with inputs |
//! | `corners` | where equations are not smooth although no event shows it |
//! | `failure` | why not, in the words of the model |
//!
//! Hidden constraints are solved at every evaluation, to rounding, so nothing drifts.

mod affine;
mod blocks;
mod compiled;
mod corners;
mod failure;
mod mode_program;
mod ode;
mod outputs;
mod programs;
mod states;
mod surroundings;
mod tangents;

pub(crate) use affine::{AffineMode, AffineRow, NotAffine};
pub(crate) use corners::{Corners, Decided, Kind as CornerKind};
pub use failure::{BlockFailure, FailureReason, NotBuilt};
pub(crate) use mode_program::Near;
pub use mode_program::{Program, StateChoice};
pub use ode::ProgramOde;
pub use outputs::Outputs;
pub use programs::{NotAnOutput, Programs};
pub use states::quantities::{Quantities, QuantityIndex};
pub use surroundings::Surroundings;
pub(crate) use tangents::{NoTangents, TangentPoint, Tangents};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_can_be_sent_to_other_threads() {
        fn sent<T: Send>() {}
        sent::<Program>();
        sent::<Programs<'static>>();
        sent::<Outputs>();
        sent::<Surroundings>();
        sent::<BlockFailure>();
        sent::<NotBuilt>();
    }
}
