//! The abstract syntax of MEL, the small language of RR9322 §4.2.
//!
//! Differences to Modelica that matter later: names may carry subscripts where they are declared
//! (`open[i] : boolean = …` inside `foreach`), indices start anywhere, `!`, `&` and `|` are the Boolean
//! operators, and `id : boolean = <real expression>` means `>= 0`. Expressions are those of [`crate::ast`].

use crate::ast::{Expression, Reference};
use modeshift_diagnostics::Span;

/// A MEL file.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Its statements.
    pub statements: Vec<Statement>,
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: Span,
}

/// The declarable types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `real`
    Real,
    /// `boolean`
    Boolean,
    /// `integer`
    Integer,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `x[i] : real = 1.0`; for `boolean` the value is its definition, for `integer` and `real` a constant.
    Declaration {
        /// The name with its subscripts.
        name: Reference,
        /// `real`, `boolean`, `integer`.
        ty: Type,
        /// The value.
        value: Option<Expression>,
    },
    /// `rmb[i] : equation left = right`
    Equation {
        /// The label with its subscripts.
        label: Reference,
        /// Left side.
        left: Expression,
        /// Right side.
        right: Expression,
    },
    /// `flow(p) : real = p/R`: a function by its formula.
    Law {
        /// The name.
        name: crate::ast::Ident,
        /// The names of its arguments.
        parameters: Vec<crate::ast::Ident>,
        /// The type of its value.
        ty: Type,
        /// The formula.
        value: Expression,
    },
    /// `invariant e`
    Invariant(Expression),
    /// `if c then … else … end`
    If {
        /// The condition.
        condition: Expression,
        /// Statements where it holds.
        then: Vec<Statement>,
        /// Statements where it does not.
        otherwise: Vec<Statement>,
    },
    /// `foreach i in a .. b do … done`
    Foreach {
        /// The index.
        index: crate::ast::Ident,
        /// First value.
        from: Expression,
        /// Last value.
        to: Expression,
        /// The body.
        body: Vec<Statement>,
    },
    /// `scenario name when formula is equations end`: initial conditions for the modes of a formula (E22 §7.2).
    Scenario {
        /// Its name.
        name: crate::ast::Ident,
        /// Its modes; all where left out.
        when: Option<Expression>,
        /// Its equations, declarations and loops.
        body: Vec<Statement>,
    },
}
