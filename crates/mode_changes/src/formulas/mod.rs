//! Mode changes as formulas: restart values in closed form, impulse orders of nonlinear expressions.
//!
//! | file | purpose |
//! |---|---|
//! | [`closed_form`] | restart values by elimination (E22 (41)–(42)) |
//! | [`signed`] | sums and products with signs pulled out, as one would write them |
//! | [`order_calculus`] | the calculus of impulse orders (E22 §9.2) |
//! | [`nonlinear_orders`] | orders behind nonlinear functions |

pub(crate) mod closed_form;
pub(crate) mod nonlinear_orders;
pub(crate) mod order_calculus;
pub(crate) mod signed;
