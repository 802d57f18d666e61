//! The multimode DAE: guarded variables, guarded equations, mode variables and an invariant (E22 §4.1).
//!
//! It comes in two states of the same data. A [`FlatModel`] is scalar and has no instances, arrays or connections
//! left; its guards and conditions are arbitrary Boolean expressions. A [`MultimodeDae`] is a flat model in which
//! every condition that decides which equations or variables exist, or which incidences an equation has, is a
//! formula over mode variables.

use std::sync::Arc;

use modeshift_diagnostics::Span;

use crate::{
    Discrete, EnumerationId, EquationId, ExpressionId, Expressions, ExternalObject, Function, FunctionId, IndexVec,
    Machine, ModeVariableId, ScenarioId, VariableId,
};

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Type {
    Real,
    Integer,
    Boolean,
    String,
    Enumeration(EnumerationId),
}

/// The largest Integer: values are kept as doubles, which are exact up to 53 bits. A larger one is refused, never rounded: the next
/// number, 2^53, may already be rounded from its neighbour.
pub const LARGEST_INTEGER: f64 = 9_007_199_254_740_991.0;

/// How a variable may change. `Discrete` are those that change at events only: Integer, Boolean, enumeration and
/// String variables, and Reals that a `when` assigns or that are declared `discrete`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Variability {
    Constant,
    Parameter,
    Discrete,
    Continuous,
}

/// How much the modeler wants a variable as a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[allow(missing_docs)]
pub enum StateSelect {
    Never,
    Avoid,
    #[default]
    Default,
    Prefer,
    Always,
}

/// A scalar variable, parameter or constant.
#[derive(Clone, Debug)]
pub struct Variable {
    /// `element[2].v`
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// How it may change.
    pub variability: Variability,
    /// Whether it comes from outside: a top-level `input`. Not an unknown.
    pub input: bool,
    /// Whether an `input` of a component, which is for what is around the component to give a value. An unknown.
    pub component_input: bool,
    /// Whether a top-level `output`.
    pub output: bool,
    /// Whether declared in a `protected` section.
    pub protected: bool,
    /// Whether its value was needed to build the flat model, so that it can no longer be changed.
    pub evaluated: bool,
    /// The modes in which it exists.
    pub guard: ExpressionId,
    /// The value of a parameter or constant. (The binding of a variable is an equation.)
    pub binding: Option<ExpressionId>,
    /// `start`
    pub start: Option<ExpressionId>,
    /// Where `start` was written, for diagnostics of initialization.
    pub start_span: Span,
    /// `fixed`, where given: `false` for a parameter makes it an unknown of initialization.
    pub fixed: Option<bool>,
    /// `nominal`
    pub nominal: Option<ExpressionId>,
    /// `min`
    pub min: Option<ExpressionId>,
    /// `max`
    pub max: Option<ExpressionId>,
    /// `unit`
    pub unit: Option<Arc<str>>,
    /// The unit in which it is shown, where another is declared.
    pub display_unit: Option<Arc<str>>,
    /// The description string.
    pub description: Option<Arc<str>>,
    /// `stateSelect`
    pub state_select: StateSelect,
    /// Its declaration.
    pub span: Span,
}

impl Variable {
    /// A variable of which nothing else was said.
    pub fn new(name: impl Into<Arc<str>>, ty: Type, variability: Variability, guard: ExpressionId) -> Self {
        Variable {
            name: name.into(),
            ty,
            variability,
            input: false,
            component_input: false,
            output: false,
            protected: false,
            evaluated: false,
            guard,
            binding: None,
            start: None,
            start_span: Span::default(),
            fixed: None,
            nominal: None,
            min: None,
            max: None,
            unit: None,
            display_unit: None,
            description: None,
            state_select: StateSelect::default(),
            span: Span::default(),
        }
    }

    /// Whether it is to be solved for: neither given from outside nor a parameter or constant.
    pub fn is_unknown(&self) -> bool {
        self.variability >= Variability::Discrete && !self.input
    }

    /// Whether it is an unknown that changes at events only.
    pub fn is_discrete_unknown(&self) -> bool {
        self.is_unknown() && !self.is_continuous_unknown()
    }

    /// Whether it is an unknown of the continuous-time system: the variables of structural analysis.
    pub fn is_continuous_unknown(&self) -> bool {
        self.variability == Variability::Continuous && self.ty == Type::Real && !self.input
    }
}

/// What an equation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EquationKind {
    /// An equation between Reals: part of the multimode DAE.
    Continuous,
    /// Defines a discrete variable that is not a mode variable, or is one but only by value; not part of structural analysis.
    Discrete,
    /// Defines a mode variable or a Boolean that was substituted; has no number.
    ModeDefinition,
}

/// A guarded equation `left = right`.
#[derive(Clone, Debug)]
pub struct Equation {
    /// `element[2].shCir`, unique.
    pub name: Arc<str>,
    /// What it is for.
    pub kind: EquationKind,
    /// The modes in which it holds.
    pub guard: ExpressionId,
    /// Left side.
    pub left: ExpressionId,
    /// Right side.
    pub right: ExpressionId,
    /// Where it was written; of a connection, the `connect`.
    pub span: Span,
}

/// An initial equation, or one of a scenario (E22 §7.2).
#[derive(Clone, Debug)]
pub struct InitialEquation {
    /// Left side.
    pub left: ExpressionId,
    /// Right side.
    pub right: ExpressionId,
    /// The modes in which it is to hold.
    pub guard: ExpressionId,
    /// The scenario it belongs to; `None` holds in all.
    pub scenario: Option<ScenarioId>,
    /// Where it was written.
    pub span: Span,
}

/// A named set of initial conditions with the initial modes it is for (E22 §7.2).
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: Arc<str>,
    /// Its initial modes.
    pub when: ExpressionId,
    /// Where it was written.
    pub span: Span,
}

/// A `when` with its `elsewhen` branches, in order: the first whose condition has just become true is active.
#[derive(Clone, Debug)]
pub struct WhenClause {
    /// The modes of an enclosing `if`.
    pub guard: ExpressionId,
    /// The branches.
    pub branches: Vec<WhenBranch>,
    /// The whole clause.
    pub span: Span,
}

/// One branch.
#[derive(Clone, Debug)]
pub struct WhenBranch {
    /// Active when any of these becomes true.
    pub conditions: Vec<ExpressionId>,
    /// What then happens, in source order.
    pub actions: Vec<WhenAction>,
    /// The condition in the source.
    pub span: Span,
}

/// What happens in a `when`.
#[derive(Clone, Debug)]
pub struct WhenAction {
    /// A condition of an `if` inside the `when`.
    pub guard: ExpressionId,
    /// What.
    pub kind: WhenActionKind,
    /// Where.
    pub span: Span,
}

/// The kinds of actions.
#[derive(Clone, Debug)]
pub enum WhenActionKind {
    /// `v = e` for a discrete variable.
    Assign(VariableId, ExpressionId),
    /// `left = right` on variables that also occur under `der`, or with anything but a variable on the left:
    /// a restart law (E22 §8.4).
    Law(ExpressionId, ExpressionId),
    /// `reinit(x, e)`
    Reinit(VariableId, ExpressionId),
    /// `assert(condition, message)`
    Assert(Assertion),
    /// `terminate(message)`
    Terminate(ExpressionId),
}

/// `assert(condition, message, level)`
#[derive(Clone, Debug)]
pub struct Assertion {
    /// What must hold.
    pub condition: ExpressionId,
    /// In which modes.
    pub guard: ExpressionId,
    /// What to say.
    pub message: ExpressionId,
    /// Whether a violation stops the run.
    pub is_error: bool,
    /// Where it was written.
    pub span: Span,
}

/// An enumeration type.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// Its full name.
    pub name: Arc<str>,
    /// Its literals; the ordinal of the first is 1.
    pub literals: Vec<Arc<str>>,
}

/// `annotation(experiment(…))`
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Experiment {
    /// `StartTime`
    pub start: Option<f64>,
    /// `StopTime`
    pub stop: Option<f64>,
    /// `Interval`
    pub interval: Option<f64>,
    /// `Tolerance`
    pub tolerance: Option<f64>,
    /// `annotation(modeshift(impulsiveStart = true))`: fixed start values are left limits.
    pub impulsive_start: bool,
}

/// A condition that every mode satisfies, or else is not a mode of this model.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The condition: of a flat model any Boolean expression, of a multimode DAE a formula over mode variables.
    pub condition: ExpressionId,
    /// Why.
    pub origin: InvariantOrigin,
    /// The modes in which it was written: `condition` is to hold where this does.
    pub guard: ExpressionId,
    /// Where.
    pub span: Span,
}

/// Where an invariant comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvariantOrigin {
    /// `invariant …`
    Declared,
    /// `assert` on a formula over mode variables, with its message.
    Assertion(ExpressionId),
    /// Relations over the same expression exclude or imply each other; values of an enumeration exclude each other.
    Relations,
    /// A Boolean that is a mode variable, and so are the relations of its definition.
    Definition,
}

/// A scalar model without instances, arrays or connections.
#[derive(Clone, Debug)]
pub struct FlatModel {
    /// The class that was flattened.
    pub name: Arc<str>,
    /// What its description string says.
    pub description: Option<Arc<str>>,
    /// What its `annotation(Documentation(info = …))` says.
    pub documentation: Option<Arc<str>>,
    /// All expressions below.
    pub expressions: Expressions,
    /// In declaration order.
    pub variables: IndexVec<VariableId, Variable>,
    /// In source order, the equations of components before those of the class that contains them.
    pub equations: IndexVec<EquationId, Equation>,
    /// Initial equations.
    pub initial_equations: Vec<InitialEquation>,
    /// Scenarios.
    pub scenarios: IndexVec<ScenarioId, Scenario>,
    /// `when` clauses.
    pub when_clauses: Vec<WhenClause>,
    /// `assert`s outside `when`.
    pub assertions: Vec<Assertion>,
    /// Conditions on the modes.
    pub invariants: Vec<Invariant>,
    /// Whether its language declares what named modes have in common (MEL), so that nothing else follows from their
    /// definitions: there, the expression that defines a mode is often a placeholder for what comes from outside.
    pub declares_invariants: bool,
    /// State machines, those around others first.
    pub machines: Vec<Machine>,
    /// Functions that were not inlined.
    pub functions: IndexVec<FunctionId, Function>,
    /// What external functions work on; a call names one by its number, from 1.
    pub objects: Vec<ExternalObject>,
    /// Enumerations.
    pub enumerations: IndexVec<EnumerationId, Enumeration>,
    /// How it is to be simulated.
    pub experiment: Experiment,
}

impl FlatModel {
    /// A model without anything in it.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        FlatModel {
            name: name.into(),
            description: None,
            documentation: None,
            expressions: Expressions::new(),
            variables: IndexVec::new(),
            equations: IndexVec::new(),
            initial_equations: Vec::new(),
            scenarios: IndexVec::new(),
            when_clauses: Vec::new(),
            declares_invariants: false,
            assertions: Vec::new(),
            invariants: Vec::new(),
            machines: Vec::new(),
            functions: IndexVec::new(),
            objects: Vec::new(),
            enumerations: IndexVec::new(),
            experiment: Experiment::default(),
        }
    }
}

/// A Boolean on which the structure of the model depends.
#[derive(Clone, Debug)]
pub struct ModeVariable {
    /// The name of the Boolean variable, or the text of the relation.
    pub name: Arc<str>,
    /// The Boolean variable, where it is one; `None` for a relation that is used directly.
    pub variable: Option<VariableId>,
    /// What defines it; `None` for a Boolean that is given from outside or by a `when`.
    pub definition: Option<ExpressionId>,
    /// Whether its definition depends on a continuous variable at the current instant that depends on the mode:
    /// then it is decided by next-mode selection.
    pub implicit: bool,
    /// Its value at the start where that is fixed.
    pub initial: Option<bool>,
    /// The definition, or the first use of the relation.
    pub span: Span,
}

/// A Boolean that is a formula over mode variables: substituted, but prints by its name where that is shorter.
#[derive(Clone, Debug)]
pub struct NamedFormula {
    /// The Boolean variable's name.
    pub name: Arc<str>,
    /// The variable.
    pub variable: VariableId,
    /// The formula it stands for.
    pub formula: ExpressionId,
}

/// A flat model whose guards and conditions are formulas over mode variables.
///
/// In it, every `guard` of a variable, equation, initial equation, invariant or assertion is made of `true`, `false`,
/// `not`, `and`, `or` and [`crate::Node::Mode`] alone, and so is every condition of an if-expression in a continuous
/// equation, except inside `noEvent` and where the condition itself is `noEvent`. Conditions and guards in
/// `when` clauses are arbitrary Boolean expressions: they are evaluated at events and select no equations.
#[derive(Clone, Debug)]
pub struct MultimodeDae {
    /// Variables, equations, and the rest.
    pub model: FlatModel,
    /// The mode variables, by first occurrence.
    pub mode_variables: IndexVec<ModeVariableId, ModeVariable>,
    /// Substituted Booleans.
    pub named_formulas: Vec<NamedFormula>,
    /// What defines each discrete variable.
    pub discrete: Discrete,
}
