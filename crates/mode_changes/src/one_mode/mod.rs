//! One mode as a restart sees it: its equations as functions of jets. The floor of all rooms. Its structure is
//! [`modeshift_structure::one_mode`].
//!
//! | file | purpose |
//! |---|---|
//! | [`mode_values`] | a mode as the values of its mode variables |
//! | [`jet`] | values and derivatives at one instant, and what a restart asks of equations |
//! | [`mode_equations`] | the equations of a mode of a model, compiled on first use |
//! | [`equation_tapes`] | the tapes of equations, shared by all modes in which they have the same form |
//! | [`difference_tape`] | one equation or relation as a residual along jets |
//! | [`affine`] | the same, linearized at left limits |
//! | [`linear`] | equations with constant coefficients |
//! | [`newton`] | one block solved |
//! | [`known_factors`] | the factors of large linear blocks |
//! | [`dense`] | small dense linear systems |

pub(crate) mod affine;
pub mod dense;
pub(crate) mod difference_tape;
pub(crate) mod equation_tapes;
pub(crate) mod jet;
pub(crate) mod known_factors;
pub mod linear;
pub(crate) mod mode_equations;
pub(crate) mod mode_values;
pub(crate) mod newton;

#[cfg(test)]
mod tests {
    use super::difference_tape::DifferenceTape;
    use super::equation_tapes::EquationTapes;
    use super::mode_equations::ModeEquations;
    use modeshift_structure::one_mode::ModeStructure;

    #[test]
    fn modes_can_be_sent_to_another_thread_and_shared() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<ModeStructure>();
        is_shared::<ModeEquations<'_>>();
        is_shared::<EquationTapes>();
        is_shared::<DifferenceTape>();
    }
}
