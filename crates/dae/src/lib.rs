//! The multimode DAE: guarded variables, guarded equations, expressions; pure data that prints.
//!
//! This crate knows nothing of syntax: `flatten` builds its types, everything behind reads them.
//!
//! | module | purpose |
//! |---|---|
//! | `derivative` | [`Derivative`]: `x''` |
//! | `discrete` | [`Discrete`]: what defines each discrete variable |
//! | `expressions` | expressions of a model in one arena |
//! | `function` | [`Function`]: what a call of a function carries out at run time |
//! | `ids` | newtype ids and vectors indexed by them |
//! | `machine` | [`Machine`]: states that exist by turns, and transitions between them |
//! | `mode` | [`Mode`]: the value of each mode variable |
//! | `model` | [`FlatModel`], [`MultimodeDae`] and what they are made of |
//! | `text` | a whole multimode DAE as text |
//! | `union_find` | [`UnionFind`]: disjoint sets of ids |

mod derivative;
mod discrete;
mod expressions;
mod function;
mod ids;
mod machine;
mod mode;
mod model;
mod text;
mod union_find;

pub use derivative::Derivative;
pub use discrete::{Definition, Discrete, DiscreteText, InitialValue};
pub use expressions::{
    Algebra, Arguments, ArithmeticOperator, Builtin, Carrier, Children, Context, DaeText, Derivatives, Descent,
    ExpressionId, ExpressionText, Expressions, Fold, Memo, Node, NotDifferentiable, NotDifferentiableReason, Number,
    Operands, Partial, PartialEvaluation, RelationOperator, Rewritten, Walk, assume_modes, differentiate,
    differentiate_times, partial_derivative, power_by_base, power_by_exponent, short_text,
};
pub use function::{Body, ELEMENT, ExternalObject, Function, Implementation, ObjectArgument, Statement};
pub use ids::{
    EnumerationId, EquationId, FunctionId, Id, IndexVec, ModeVariableId, RelationId, ScenarioId, StringId, VariableId,
};
pub use machine::{Machine, MachineState, Transition};
pub use mode::Mode;
pub use model::{
    Assertion, Enumeration, Equation, EquationKind, Experiment, FlatModel, InitialEquation, Invariant, InvariantOrigin,
    LARGEST_INTEGER, ModeVariable, MultimodeDae, NamedFormula, Scenario, StateSelect, Type, Variability, Variable,
    WhenAction, WhenActionKind, WhenBranch, WhenClause,
};
pub use union_find::UnionFind;
