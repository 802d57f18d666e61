//! The multimode DAE: guarded variables, guarded equations, expressions; pure data that prints.
//!
//! This crate knows nothing of syntax: `flatten` builds its types, everything behind reads them.

mod build;
mod differentiate;
mod display;
mod expression;
mod ids;
mod model;
mod partial_evaluation;
mod print;
mod value;

pub use differentiate::{
    Derivatives, NotDifferentiable, NotDifferentiableReason, differentiate, differentiate_times, partial_derivative,
};
pub use expression::{
    Arguments, ArithmeticOperator, Builtin, Children, ExpressionId, Expressions, Node, Number, RelationOperator,
};
pub use ids::{EnumerationId, EquationId, FunctionId, Id, IndexVec, ModeVariableId, StringId, VariableId};
pub use model::{
    Assertion, Enumeration, Equation, EquationKind, Experiment, FlatModel, Function, InitialEquation, Invariant,
    InvariantOrigin, ModeVariable, MultimodeDae, NamedFormula, Scenario, StateSelect, Type, Variability, Variable,
    WhenAction, WhenActionKind, WhenBranch, WhenClause,
};
pub use partial_evaluation::{PartialEvaluation, assume_modes};
pub use print::{DaeText, ExpressionText};
