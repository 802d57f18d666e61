//! The multimode DAE: guarded variables, guarded equations, expressions; pure data that prints.
//!
//! This crate knows nothing of syntax: `flatten` builds its types, everything behind reads them.
//!
//! | module | purpose |
//! |---|---|
//! | `expressions` | expressions of a model in one arena |
//! | `ids` | newtype ids and vectors indexed by them |
//! | `model` | [`FlatModel`], [`MultimodeDae`] and what they are made of |
//! | `text` | a whole multimode DAE as text |
//! | `union_find` | [`UnionFind`]: disjoint sets of ids |

mod expressions;
mod ids;
mod model;
mod text;
mod union_find;

pub use expressions::{
    Arguments, ArithmeticOperator, Builtin, Children, DaeText, Derivatives, ExpressionId, ExpressionText, Expressions,
    Node, NotDifferentiable, NotDifferentiableReason, Number, PartialEvaluation, RelationOperator, assume_modes,
    differentiate, differentiate_times, partial_derivative,
};
pub use ids::{EnumerationId, EquationId, FunctionId, Id, IndexVec, ModeVariableId, StringId, VariableId};
pub use model::{
    Assertion, Enumeration, Equation, EquationKind, Experiment, FlatModel, Function, InitialEquation, Invariant,
    InvariantOrigin, ModeVariable, MultimodeDae, NamedFormula, Scenario, StateSelect, Type, Variability, Variable,
    WhenAction, WhenActionKind, WhenBranch, WhenClause,
};
pub use union_find::UnionFind;
