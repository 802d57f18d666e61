//! Functions at run time: bodies of the flat model as programs, run as they are and with derivatives.
//!
//! A body is compiled once into a straight list of operations with jumps, over registers of which the first are the slots
//! of the body. Its derivative along its arguments is a program too, made when it is first asked for (forward mode), and so is the derivative
//! of that. So a tape that calls a function has exact Jacobians, and `der(f(x))` in index reduction is a function like
//! any other. Programs are interpreted until it pays to make machine code of them, which computes the same, bit for bit.
//!
//! ```text
//! Body ──program──→ Program ──→ outputs
//!                      └─along─→ Program ──→ outputs and their derivatives
//!                                   └─along─→ …
//! ```
//!
//! A function that cannot go on (an `assert` that fails, a subscript out of bounds, a loop without end) has results that
//! are not numbers; [`Routines::fault`] then says why. So the solver that asked may try other values, and whoever stops
//! the run can name the reason.
//!
//! | file | purpose |
//! |---|---|
//! | `program` | bodies as lists of operations |
//! | `tangents` | programs differentiated |
//! | `tower` | a body and its derivatives, each compiled when that pays |
//! | `run` | the interpreter |
//! | `products` | derivatives of functions that are not written in Modelica |
//! | `routines` | [`Routines`]: all functions of a model that can be run |

mod products;
mod program;
mod routines;
mod run;
mod tangents;
mod tower;

pub(crate) use program::{Call, Counter, Element, Operation, Program, Register, Registers};
pub(crate) use routines::Routines;
pub(crate) use run::Allowance;
