//! Expressions: the arena, how they are built, read, evaluated in part, differentiated and printed.
//!
//! | file | purpose |
//! |---|---|
//! | `arena` | [`Expressions`], [`Node`], [`Builtin`]: equal expressions have equal ids |
//! | `build` | constructors that fold constants and drop neutral elements |
//! | `walk` | [`Walk`], [`Descent`]: each different subexpression once, and what hides what |
//! | `fold` | [`Fold`]: values from the bottom up, once for each different subexpression |
//! | `differentiate` | total derivatives by time, partial derivatives |
//! | `partial_evaluation` | what is left of an expression under assumptions about modes and values |
//! | `print` | expressions as Modelica text |
//! | `rules` | [`Algebra`]: the derivative of every built-in function, for expressions and tapes |
//! | `value` | values of operators and built-in functions at numbers |

mod arena;
mod build;
mod differentiate;
mod fold;
mod partial_evaluation;
mod print;
mod rules;
mod value;
mod walk;

pub use arena::{
    Arguments, ArithmeticOperator, Builtin, Children, ExpressionId, Expressions, Node, Number, RelationOperator,
};
pub use differentiate::{
    Derivatives, NotDifferentiable, NotDifferentiableReason, differentiate, differentiate_times, partial_derivative,
};
pub use fold::{Fold, Memo, Operands, Rewritten};
pub use partial_evaluation::{PartialEvaluation, assume_modes};
pub use print::{DaeText, ExpressionText, short_text};
pub use rules::{Algebra, Carrier, Partial, power_by_base, power_by_exponent};
pub use walk::{Context, Descent, Walk};
