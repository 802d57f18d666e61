//! Mode changes as formulas: restart values in closed form, impulse orders of nonlinear expressions.
//!
//! | file | purpose |
//! |---|---|
//! | [`closed_form`] | restart values by elimination (E22 (41)–(42)) |
//! | [`signed`] | sums and products with signs pulled out, as one would write them |
//! | [`order_calculus`] | the calculus of impulse orders (E22 §9.2) |
//! | [`nonlinear_orders`] | orders behind nonlinear functions |

mod closed_form;
mod nonlinear_orders;
mod order_calculus;
mod signed;

pub use closed_form::ClosedForm;
pub(crate) use nonlinear_orders::nonlinear_orders;
pub(crate) use order_calculus::Order;
#[cfg(test)]
pub(crate) use order_calculus::solved_order;
