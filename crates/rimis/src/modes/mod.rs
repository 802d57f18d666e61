//! Modes of the target: conditions on them, and the equations that find them.
//!
//! | file | purpose |
//! |---|---|
//! | `conditions` | from formulas to sets of modes, and from sets to the shortest expressions |
//! | `commands` | discrete variables, and which of them are known at once |
//! | `guards` | guards that rounding does not decide |
//! | `mode_equations` | how the target finds its mode |

mod commands;
mod conditions;
mod guards;
mod mode_equations;

pub(crate) use conditions::{Builder, Conditions, by_decisions};
pub(crate) use guards::WrittenImpulse;
pub(crate) use mode_equations::{
    Declared, ModeBooleans, RobustModes, declare_modes, named_formulas, plain_mode_equations,
};
