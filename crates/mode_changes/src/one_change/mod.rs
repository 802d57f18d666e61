//! One mode change: right limits and Dirac weights, from left limits and the structure of the new mode (E22 §8–9).
//!
//! | file | purpose |
//! |---|---|
//! | [`new_forms`] | which equations are new, and the past in terms of the new mode |
//! | [`form_users`] | the equations that could be new, found by the mode variables they mention |
//! | [`left_limits`] | what the new mode remembers of the past, and which of its constraints are erased |
//! | [`levels`] | which equation and which unknown stand at which level |
//! | [`balance`] | what an impulsive equation says of weights |
//! | [`restart`] | right limits and weights, level by level |
//! | [`higher_derivatives`] | derivatives beyond the leading ones |
//! | [`transient`] | the instant of a `when` |
//! | [`laws`] | the restart laws of a `when`, compiled |
//! | [`impulse_order`] | how far and how strongly a defect reaches |
//! | [`impulse_products`] | products of impulses that are not defined |
//! | [`difference_array`], [`growing_matching`] | the same restart by the difference array (E22 §8.4–8.5) |
//! | [`laurent`] | the same restart by one implicit step as a series in the step |

mod balance;
mod difference_array;
mod form_users;
mod growing_matching;
mod higher_derivatives;
mod impulse_order;
mod impulse_products;
mod laurent;
mod laws;
mod left_limits;
mod levels;
mod new_forms;
mod restart;
mod transient;

pub(crate) use difference_array::DifferenceArray;
#[cfg(test)]
pub(crate) use difference_array::{Arrangement, EquationAt, Unknowns};
pub use form_users::FormUsers;
pub use impulse_order::{Defect, Potentials};
pub(crate) use impulse_products::{UndefinedProduct, undefined_products};
#[cfg(test)]
pub(crate) use laurent::{LaurentRestart, laurent_restart};
pub(crate) use laurent::{StepSystem, padded};
pub use laws::WhenLaws;
pub(crate) use left_limits::remembered::PastStructure;
#[cfg(test)]
pub(crate) use left_limits::remembered::{Memory, Source};
pub use left_limits::values::Past;
pub use levels::Unknown;
pub(crate) use levels::{Condition, condition, unknown};
#[cfg(test)]
pub(crate) use new_forms::has_new_form;
pub(crate) use new_forms::holds;
pub use restart::{Noise, Note, Restart, restart};
#[cfg(test)]
pub(crate) use transient::{Laws, TransientRestart, TransientRow, TransientStructure};
