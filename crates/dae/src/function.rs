//! Functions that stay calls: what a call of one carries out at run time.
//!
//! Most functions are gone from a flat model: their results are written out where they are called. One whose loops,
//! branches or subscripts are decided only at run time stays a [`Function`], and a call of it is a node
//! ([`Node::Function`](crate::Node::Function)) whose arguments are all scalars of the inputs, in order. Its
//! [`Implementation`] is one of
//!
//! - a [`Body`]: statements over *slots*, one for each scalar of the inputs, outputs and local variables. Sizes of arrays
//!   are known, because a function is kept once for each shape of its arguments. Expressions are in an arena of the
//!   body's own, in which `Variable(VariableId(k), 0)` is slot `k`; an element whose subscript is computed is a call
//!   of [`ELEMENT`];
//! - the derivative of another function along its inputs (forward mode), where no `derivative` annotation names one;
//! - something outside Modelica, by name. What it works on, where that is not numbers, is an [`ExternalObject`].
//!
//! `numerics` makes programs of bodies and runs them; nothing here computes.

use std::sync::Arc;

use modeshift_diagnostics::Span;

use crate::{ExpressionId, Expressions, FunctionId};

/// In the arena of a body: `ELEMENT(rank, sizes…, subscripts…, items…)`, an item of an array in row-major order.
/// Subscripts count from 1; one that is out of its size stops the function.
pub const ELEMENT: FunctionId = FunctionId(u32::MAX);

/// A function that is called but not inlined.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its full name.
    pub name: Arc<str>,
    /// Names of its inputs.
    pub inputs: Vec<Arc<str>>,
    /// Names of its outputs.
    pub outputs: Vec<Arc<str>>,
    /// How many scalars a call passes.
    pub arguments: u32,
    /// How many scalars a call returns.
    pub results: u32,
    /// How often it may be differentiated: `u32::MAX` unless an annotation says less.
    pub differentiable: u32,
    /// The function that is its derivative, with the arguments that are not differentiated, by their positions.
    pub derivative: Option<(FunctionId, Vec<u32>)>,
    /// What a call carries out.
    pub implementation: Implementation,
    /// Where it was declared.
    pub span: Span,
}

/// What a call carries out.
#[derive(Clone, Debug, Default)]
pub enum Implementation {
    /// Nothing that is known here; why, where there is more to say than that.
    #[default]
    Unknown,
    /// A body that cannot be run: what stands in the way, and where.
    Refused(Arc<str>, Span),
    /// Statements.
    Body(Arc<Body>),
    /// The derivative of a function along its inputs: its arguments, then the derivatives of those that are differentiated.
    Derivative(FunctionId),
    /// A function of another language, by its name there.
    External(Arc<str>),
}

/// The statements of a function over numbered slots.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its own arena.
    pub expressions: Expressions,
    /// How many slots there are; the first ones are the inputs.
    pub slots: u32,
    /// How many of them are inputs.
    pub inputs: u32,
    /// The slots of the outputs, scalar by scalar.
    pub outputs: Vec<u32>,
    /// What is done, in order.
    pub statements: Vec<Statement>,
}

/// One statement of a body.
#[derive(Clone, Debug)]
pub enum Statement {
    /// All slots at once: the values are those before.
    Assign(Vec<(u32, ExpressionId)>),
    /// One of these slots, which are an array in row-major order.
    Store {
        /// All that could be meant.
        slots: Vec<u32>,
        /// The sizes of the array.
        sizes: Vec<u32>,
        /// Which one, from 1.
        subscripts: Vec<ExpressionId>,
        /// What it becomes.
        value: ExpressionId,
    },
    /// `if … then … else …`
    If(ExpressionId, Vec<Statement>, Vec<Statement>),
    /// `while … loop …`
    While(ExpressionId, Vec<Statement>),
    /// `for slot in from:step:to loop …`
    For {
        /// The iterator.
        slot: u32,
        /// Where it begins, by how much it grows, where it ends.
        range: [ExpressionId; 3],
        /// What is done each time.
        body: Vec<Statement>,
    },
    /// Leaves the innermost loop.
    Break,
    /// Leaves the function.
    Return,
    /// What must hold, and what to say where it does not.
    Assert(ExpressionId, Arc<str>),
}

/// What an external function works on, made before a run.
#[derive(Clone, Debug)]
pub struct ExternalObject {
    /// The external function that makes it.
    pub constructor: Arc<str>,
    /// What that is given.
    pub arguments: Vec<ObjectArgument>,
    /// The component that it is.
    pub name: Arc<str>,
    /// Where it was declared.
    pub span: Span,
}

/// An argument of a constructor, known at translation.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectArgument {
    /// Numbers, Booleans (1 and 0) or ordinals of enumerations, with their sizes.
    Numbers(Vec<usize>, Vec<f64>),
    /// Text.
    Text(Arc<str>),
}
