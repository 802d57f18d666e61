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
//! | [`implicit_step`] | how values grow as an implicit step shrinks |

pub(crate) mod balance;
pub(crate) mod difference_array;
pub(crate) mod form_users;
pub(crate) mod growing_matching;
pub(crate) mod higher_derivatives;
pub(crate) mod implicit_step;
pub(crate) mod impulse_order;
pub(crate) mod impulse_products;
pub(crate) mod laurent;
pub(crate) mod laws;
pub(crate) mod left_limits;
pub mod levels;
pub(crate) mod new_forms;
pub(crate) mod restart;
pub(crate) mod transient;
