//! The abstract syntax of Modelica 3.6, with the two extensions of Modeshift: declarations inside `if`
//! (variable dimension, E22 §3) and `invariant` equations.
//!
//! Plain owned data, lowered from the lossless tree; later stages read this and never the tree. Every node that
//! a diagnostic may want to point at carries its span. Annotations keep their place but only as modifications.

use std::sync::Arc;

use modeshift_diagnostics::Span;

/// An identifier with its place. Quoted identifiers keep their quotes: `'a b'` and `a` never clash.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ident {
    /// The text.
    pub name: Arc<str>,
    /// Where it stands.
    pub span: Span,
}

/// A dotted class name: `Modelica.Math.sin`, `.A.B` with a leading dot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// Whether it starts with a dot, that is, at the top level.
    pub global: bool,
    /// At least one.
    pub parts: Vec<Ident>,
    /// The whole.
    pub span: Span,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub struct StoredDefinition {
    /// `within;` is `Some(None)`, `within A.B;` is `Some(Some(A.B))`.
    pub within: Option<Option<Path>>,
    /// The top-level classes, shared: instantiation hands them around.
    pub classes: Vec<Arc<Class>>,
}

/// What kind of class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassKind {
    /// `class`
    Class,
    /// `model`
    Model,
    /// `block`
    Block,
    /// `record`
    Record,
    /// `operator record`
    OperatorRecord,
    /// `connector`
    Connector,
    /// `expandable connector`
    ExpandableConnector,
    /// `type`
    Type,
    /// `package`
    Package,
    /// `function`, also `pure function` and `impure function`
    Function,
    /// `operator function`
    OperatorFunction,
    /// `operator`
    Operator,
}

/// A class definition.
#[derive(Clone, Debug)]
pub struct Class {
    /// `model`, `connector`, …
    pub kind: ClassKind,
    /// The name; of `class extends` too.
    pub name: Ident,
    /// `encapsulated`
    pub encapsulated: bool,
    /// `partial`
    pub partial: bool,
    /// `impure function`
    pub impure: bool,
    /// What it is made of.
    pub body: ClassBody,
    /// The description string.
    pub description: Option<String>,
    /// The class annotation, `annotation(experiment(StopTime = 2))`; of a short class, its own.
    pub annotation: Option<Modification>,
    /// From the first prefix to the final `;` or `end Name`.
    pub span: Span,
}

/// The forms of a class definition.
#[derive(Clone, Debug)]
pub enum ClassBody {
    /// `… end Name`
    Long(Composition),
    /// `class extends Name (…) … end Name`
    Extends(Option<Modification>, Composition),
    /// `= input Real[3](unit = "m")`
    Short {
        /// `input`, `output`, `flow`, … in front of the base.
        prefix: TypePrefix,
        /// The base class.
        base: Path,
        /// Array dimensions.
        dimensions: Vec<Subscript>,
        /// Modifiers.
        modification: Option<Modification>,
    },
    /// `= enumeration(a "first", b)`; `None` for `enumeration(:)`.
    Enumeration(Option<Vec<EnumerationLiteral>>),
    /// `= der(f, x, y)`
    PartialDerivative {
        /// The function.
        function: Path,
        /// By which inputs.
        by: Vec<Ident>,
    },
}

/// One literal of an enumeration.
#[derive(Clone, Debug)]
pub struct EnumerationLiteral {
    /// Its name.
    pub name: Ident,
    /// Its description.
    pub description: Option<String>,
}

/// The inside of a long class. Elements, equations and algorithms are each in source order.
#[derive(Clone, Debug, Default)]
pub struct Composition {
    /// Declarations, nested classes, `extends` and `import`.
    pub elements: Vec<Element>,
    /// All `equation` and `initial equation` sections, in order.
    pub equations: Vec<EquationSection>,
    /// All `algorithm` and `initial algorithm` sections, in order.
    pub algorithms: Vec<AlgorithmSection>,
    /// `external "C" y = f(x)`
    pub external: Option<External>,
}

/// `equation …` or `initial equation …`
#[derive(Clone, Debug)]
pub struct EquationSection {
    /// Whether `initial`.
    pub initial: bool,
    /// Its equations.
    pub equations: Vec<Equation>,
}

/// `algorithm …` or `initial algorithm …`
#[derive(Clone, Debug)]
pub struct AlgorithmSection {
    /// Whether `initial`.
    pub initial: bool,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// The whole section.
    pub span: Span,
}

/// `external "C" y = name(arguments) annotation(…)`
#[derive(Clone, Debug)]
pub struct External {
    /// `"C"`, `"FORTRAN 77"`, `"builtin"`; C where left out.
    pub language: Option<String>,
    /// The result and what is called, where given.
    pub call: Option<(Option<Expression>, Ident, Vec<Expression>)>,
    /// The whole clause.
    pub span: Span,
}

/// One element of a class.
#[derive(Clone, Debug)]
pub struct Element {
    /// Whether in a `protected` section.
    pub protected: bool,
    /// `redeclare` in front of it.
    pub redeclare: bool,
    /// `final`
    pub is_final: bool,
    /// `inner`
    pub inner: bool,
    /// `outer`
    pub outer: bool,
    /// `replaceable`
    pub replaceable: bool,
    /// `constrainedby T(…)`
    pub constrained_by: Option<(Path, Option<Modification>)>,
    /// What it is.
    pub kind: ElementKind,
    /// The whole element.
    pub span: Span,
}

/// The kinds of elements. `extends` is the largest by far, but most elements are components and shared.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum ElementKind {
    /// `import …`
    Import(Import),
    /// `extends Base(…)`
    Extends {
        /// The base class.
        base: Path,
        /// Modifiers.
        modification: Option<Modification>,
        /// `annotation(…)` behind it.
        annotation: Option<Modification>,
    },
    /// A nested class.
    Class(Arc<Class>),
    /// A component clause with one declared component (`Real x, y` gives two elements).
    Component(Arc<Component>),
    /// Extension: `if condition then declarations else declarations end if` among the elements.
    Conditional(ConditionalDeclarations),
}

/// `if c1 then … elseif c2 then … else … end if` around declarations.
#[derive(Clone, Debug)]
pub struct ConditionalDeclarations {
    /// Conditions with their declarations.
    pub branches: Vec<(Expression, Vec<Element>)>,
    /// Declarations of the `else` branch.
    pub otherwise: Vec<Element>,
}

/// An import clause.
#[derive(Clone, Debug)]
pub enum Import {
    /// `import A.B.C;`
    Qualified(Path),
    /// `import D = A.B.C;`
    Renamed(Ident, Path),
    /// `import A.B.{C, D};`
    List(Path, Vec<Ident>),
    /// `import A.B.*;`
    All(Path),
}

/// Variability of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Variability {
    /// `constant`
    Constant,
    /// `parameter`
    Parameter,
    /// `discrete`
    Discrete,
    /// Nothing in front: continuous for `Real`, discrete otherwise.
    #[default]
    Continuous,
}

/// Direction of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Causality {
    /// `input`
    Input,
    /// `output`
    Output,
}

/// Connector behaviour of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConnectorPrefix {
    /// `flow`
    Flow,
    /// `stream`
    Stream,
}

/// The prefixes in front of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct TypePrefix {
    /// `flow`, `stream`
    pub connector: Option<ConnectorPrefix>,
    /// `constant`, `parameter`, `discrete`
    pub variability: Variability,
    /// `input`, `output`
    pub causality: Option<Causality>,
}

/// One declared component.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its prefixes.
    pub prefix: TypePrefix,
    /// Its class.
    pub type_name: Path,
    /// Dimensions: those of the type specifier (`Real[3] x`) behind those of the name (`Real x[2]`), as the
    /// specification orders them: `Real[3] x[2]` is `[2, 3]`.
    pub dimensions: Vec<Subscript>,
    /// Its name.
    pub name: Ident,
    /// `(start = 1) = 3`; the binding is `Modification::value`.
    pub modification: Option<Modification>,
    /// `if condition` behind the declaration.
    pub condition: Option<Expression>,
    /// The description.
    pub description: Option<String>,
    /// `annotation(Evaluate = true)` of this component.
    pub annotation: Option<Modification>,
    /// The declaration of this one component.
    pub span: Span,
}

/// A modification: `(a = 1, redeclare B c(d = 2)) = value`, and annotations.
#[derive(Clone, Debug, Default)]
pub struct Modification {
    /// The arguments in parentheses.
    pub arguments: Vec<Argument>,
    /// `= value` or `:= value`.
    pub value: Option<Expression>,
    /// The whole modification.
    pub span: Span,
}

/// One argument of a modification.
#[derive(Clone, Debug)]
pub struct Argument {
    /// `each`
    pub each: bool,
    /// `final`
    pub is_final: bool,
    /// `replaceable`
    pub replaceable: bool,
    /// What is modified and how.
    pub kind: ArgumentKind,
    /// The whole argument.
    pub span: Span,
}

/// The kinds of modification arguments.
#[derive(Clone, Debug)]
pub enum ArgumentKind {
    /// `a.b(…) = e`
    Modify {
        /// `a.b`
        name: Path,
        /// `(…) = e`; `None` in annotations such as `Dialog`.
        modification: Option<Modification>,
    },
    /// `redeclare Resistor r(R = 1)`, `redeclare model M = N`, `replaceable …`
    Redeclare(Box<Element>),
    /// `break name` (selective model extension) and `name = break`. Of `break connect(a, b)`, the path is one part
    /// with just that text.
    Break(Path),
}

/// An equation of an equation section.
#[derive(Clone, Debug)]
pub struct Equation {
    /// What it says.
    pub kind: EquationKind,
    /// The text of the comment `/* name: */` directly in front, without the colon, verbatim: `cpl[k].u`.
    pub label: Option<Ident>,
    /// The description behind it.
    pub description: Option<String>,
    /// `annotation(…)` behind it.
    pub annotation: Option<Modification>,
    /// The equation without its label.
    pub span: Span,
}

/// The kinds of equations.
#[derive(Clone, Debug)]
pub enum EquationKind {
    /// `left = right`
    Equal(Expression, Expression),
    /// `if … end if`
    If {
        /// Conditions with their equations.
        branches: Vec<(Expression, Vec<Equation>)>,
        /// Equations of the `else` branch.
        otherwise: Vec<Equation>,
    },
    /// `for i in 1:3, j in 1:2 loop … end for`
    For {
        /// The indices, outermost first.
        indices: Vec<ForIndex>,
        /// The body.
        body: Vec<Equation>,
    },
    /// `when … elsewhen … end when`, in order.
    When(Vec<(Expression, Vec<Equation>)>),
    /// `connect(a, b)`
    Connect(Expression, Expression),
    /// `assert(…)`, `terminate(…)`, `reinit(…)` and other calls that stand as an equation.
    Call(Expression),
    /// Extension: `invariant <Boolean expression>`.
    Invariant(Expression),
}

/// `i in range`; `None` where the range is to be inferred.
#[derive(Clone, Debug)]
pub struct ForIndex {
    /// The iterator.
    pub name: Ident,
    /// Its range.
    pub range: Option<Expression>,
    /// Where no range is written: the arrays that it is a subscript of, each without the subscripts of its last part,
    /// the position of the iterator among them, and how many they are.
    pub subscript_of: Vec<SubscriptUse>,
}

/// An iterator as a subscript.
#[derive(Clone, Debug)]
pub struct SubscriptUse {
    /// The array, without the subscripts of its last part.
    pub array: Reference,
    /// Which subscript the iterator is, from 0.
    pub position: usize,
    /// How many subscripts there are.
    pub count: usize,
}

/// A statement of an algorithm.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// The whole statement.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `x := e`
    Assign(Expression, Expression),
    /// `(a, , b) := f(x)`
    MultiAssign(Vec<Option<Expression>>, Expression),
    /// `f(x);`
    Call(Expression),
    /// `break`
    Break,
    /// `return`
    Return,
    /// `if … end if`
    If {
        /// Conditions with their statements.
        branches: Vec<(Expression, Vec<Statement>)>,
        /// Statements of the `else` branch.
        otherwise: Vec<Statement>,
    },
    /// `for … end for`
    For {
        /// The indices, outermost first.
        indices: Vec<ForIndex>,
        /// The body.
        body: Vec<Statement>,
    },
    /// `while … end while`
    While(Expression, Vec<Statement>),
    /// `when … end when`
    When(Vec<(Expression, Vec<Statement>)>),
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// `1.5e3`
    Real(f64),
    /// `42`; an unsigned literal that does not fit is a syntax error.
    Integer(i64),
    /// `"text"` with its escapes resolved.
    String(Arc<str>),
    /// `true`, `false`
    Boolean(bool),
    /// `a.b[i].c`, `time`, `end` is [`ExpressionKind::End`].
    Reference(Reference),
    /// `f(x, y = 3)`; `der`, `pre`, `initial`, `connect`-like calls alike, by name.
    Call {
        /// What is called; subscripts occur only in erroneous input.
        function: Reference,
        /// The positional arguments.
        arguments: Vec<Expression>,
        /// The named arguments.
        named: Vec<(Ident, Expression)>,
    },
    /// `function f(x = 1)` as an argument.
    PartialApplication {
        /// The function.
        function: Path,
        /// Its bound arguments.
        named: Vec<(Ident, Expression)>,
    },
    /// `{a, b}`
    Array(Vec<Expression>),
    /// `{e for i in r}` and, with a function name, `sum(e for i in r)`.
    Comprehension {
        /// `sum`, `array`, …; `None` for braces.
        function: Option<Reference>,
        /// The element.
        body: Box<Expression>,
        /// The iterators.
        indices: Vec<ForIndex>,
    },
    /// `[a, b; c, d]`
    Matrix(Vec<Vec<Expression>>),
    /// `start:stop` and `start:step:stop`
    Range {
        /// First value.
        start: Box<Expression>,
        /// Step, where given.
        step: Option<Box<Expression>>,
        /// Last value.
        stop: Box<Expression>,
    },
    /// `(a, , b)`; a parenthesised expression is just that expression.
    Tuple(Vec<Option<Expression>>),
    /// `-x`, `not b`, …
    Unary(UnaryOperator, Box<Expression>),
    /// `a + b`, …
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `if c then a elseif d then b else e`
    If {
        /// Conditions with their values.
        branches: Vec<(Expression, Expression)>,
        /// The value otherwise.
        otherwise: Box<Expression>,
    },
    /// `end` in a subscript.
    End,
    /// A place where the parser found no expression; an error has been reported there.
    Error,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `-x`
    Minus,
    /// `+x`
    Plus,
    /// `.-x`
    ElementwiseMinus,
    /// `.+x`
    ElementwisePlus,
    /// `not b`
    Not,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    ElementwiseAdd,
    ElementwiseSubtract,
    ElementwiseMultiply,
    ElementwiseDivide,
    ElementwisePower,
    And,
    Or,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

/// A component reference `a.b[i].c`, `.A.b`.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Whether it starts with a dot.
    pub global: bool,
    /// At least one.
    pub parts: Vec<ReferencePart>,
    /// The whole.
    pub span: Span,
}

/// One part of a component reference.
#[derive(Clone, Debug)]
pub struct ReferencePart {
    /// The name.
    pub name: Ident,
    /// Its subscripts.
    pub subscripts: Vec<Subscript>,
}

/// A subscript or a dimension.
#[derive(Clone, Debug)]
pub enum Subscript {
    /// `:`
    All(Span),
    /// `3`, `i + 1`, `1:2`, `Boolean` or an enumeration (then a reference).
    Expression(Expression),
}
