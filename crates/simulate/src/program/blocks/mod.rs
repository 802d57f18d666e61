//! How each block of a mode is solved: formulas where possible, iterations on few unknowns elsewhere.
//!
//! | file | purpose |
//! |---|---|
//! | `affine` | equations that are affine in an unknown, solved for it |
//! | `leaves` | which quantities an expression contains |
//! | `tearing` | few unknowns of a block from which formulas give the others |
//! | `plan` | the assignments and iterations of a block, in order |

pub(crate) mod affine;
pub(crate) mod leaves;
pub(crate) mod plan;
pub(crate) mod tearing;
