//! The levels of a restart: which equation and which unknown stand where.
//!
//! Pryce's stages, continued below zero, are square systems with the incidence of the system Jacobian. At level
//! `q = C, …, 1` the unknown of variable `j` is the right limit of its derivative `d - q`, or, where that order is
//! negative, the weight of `δ^(q - d - 1)` in it. Equation `i` contributes its hidden constraint `f^(c - q) = 0` at
//! right limits, or, where that order is negative, the balance of `δ^(q - c - 1)` in `f = 0`. Level 0 is the ordinary
//! leading system, levels below give higher derivatives. The matching and the blocks of the mode serve all levels,
//! so a structurally regular mode has structurally regular restarts.
//!
//! ```text
//!   a clutch, shafts w1, w2 and the torque f between them:      a: w1' = f    b: w2' = -f    k: w1 = w2
//!   offsets                                                     c = 0         c = 0          c = 1
//!                                                               d(w1) = d(w2) = 1            d(f) = 0
//!
//!             derivative of the unknown            what the equations say
//!   level q   w1      w2      f                    a               b               k
//!      1      w1⁺     w2⁺     weight of δ          balance of δ    balance of δ    k  = 0 at right limits   order d - 1, c - 1
//!      0      w1'⁺    w2'⁺    f⁺                   a  = 0          b  = 0          k' = 0                   order d,     c
//!     -1      w1''⁺   w2''⁺   f'⁺                  a' = 0          b' = 0          k'' = 0                  order d + 1, c + 1
//! ```
//!
//! Weights are the *rescaled* impulsive variables of E22 §9.3, `∂^o x` for an impulse order `o`; here the level of an
//! unknown says by which power of `∂` it is rescaled, so nothing has to be rescaled once orders are known. Constraints
//! `f^(c - q)` of levels above 0 are the *latent* equations of RR8933 §3.1.

use modeshift_structure::one_mode::{Column, ModeStructure, Row};

/// What is to be found for one variable at one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The right limit of the derivative of this order.
    RightLimit(u32),
    /// The weight of this derivative of the Dirac impulse.
    Weight(u32),
}

/// What an equation says at one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The derivative of this order vanishes at right limits.
    Constraint(u32),
    /// The weights of this derivative of the Dirac impulse balance.
    Balance(u32),
}

/// The unknown of a variable at a level.
pub fn unknown(structure: &ModeStructure, level: i64, column: Column) -> Unknown {
    match i64::from(structure.variable_offset(column)) - level {
        order if order >= 0 => Unknown::RightLimit(order as u32),
        below => Unknown::Weight((-below - 1) as u32),
    }
}

/// The condition of an equation at a level.
pub fn condition(structure: &ModeStructure, level: i64, row: Row) -> Condition {
    match i64::from(structure.equation_offset(row)) - level {
        order if order >= 0 => Condition::Constraint(order as u32),
        below => Condition::Balance((-below - 1) as u32),
    }
}
