//! The equations of one mode as functions of jets: the floor of all rooms. Its structure is that of
//! [`modeshift_structure::one_mode`].
//!
//! | file | purpose |
//! |---|---|
//! | [`jet`] | values and derivatives at one instant, and what a restart asks of equations |
//! | [`mode_equations`] | the equations of a mode of a model, compiled on first use |
//! | [`equation_tapes`] | the tapes of equations, shared by all modes in which they have the same form |
//! | [`difference_tape`] | one equation or relation as a residual along jets |
//! | [`sums`] | those that need no tape: sums of unknowns with constant factors |
//! | [`affine`] | the same, linearized at left limits |

mod affine;
mod difference_tape;
mod equation_tapes;
mod jet;
mod mode_equations;
mod sums;

pub(crate) use affine::{Affine, Surroundings};
pub use difference_tape::DifferenceTape;
pub(crate) use difference_tape::unknowns_in;
pub use equation_tapes::EquationTapes;
pub use jet::{Jet, Partial, Residuals};
pub(crate) use jet::{binomial, linearity};
pub use mode_equations::ModeEquations;

#[cfg(test)]
mod tests {
    use modeshift_structure::one_mode::ModeStructure;

    use super::difference_tape::DifferenceTape;
    use super::equation_tapes::EquationTapes;
    use super::mode_equations::ModeEquations;

    #[test]
    fn modes_can_be_sent_to_another_thread_and_shared() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<ModeStructure>();
        is_shared::<ModeEquations<'_>>();
        is_shared::<EquationTapes>();
        is_shared::<DifferenceTape>();
    }
}
