//! Functions at run time: bodies of the flat model as programs, run on numbers and on numbers with derivatives.
//!
//! A body is compiled once into a straight list of operations with jumps, over registers of which the first are the slots
//! of the body. One interpreter runs it, generic in what a number is: `f64` for values, [`Dual`](number::Dual) for values
//! with derivatives (forward mode), duals of duals where a derivative is differentiated once more. So a tape that calls
//! a function has exact Jacobians, and `der(f(x))` in index reduction is a function like any other.
//!
//! ```text
//! Body ──program──→ Program ──run::<f64>──→ outputs
//!                         └──run::<Dual<…>>──→ outputs and their derivatives
//! ```
//!
//! A function that cannot go on (an `assert` that fails, a subscript out of bounds, a loop without end) has results that
//! are not numbers; [`Routines::fault`] then says why. So the solver that asked may try other values, and whoever stops
//! the run can name the reason.
//!
//! | file | purpose |
//! |---|---|
//! | `number` | [`Number`](number::Number): values alone or with derivatives |
//! | `program` | bodies as lists of operations |
//! | `run` | the interpreter |
//! | `routines` | [`Routines`]: all functions of a model that can be run |

mod number;
mod program;
mod routines;
mod run;

pub(crate) use routines::Routines;
