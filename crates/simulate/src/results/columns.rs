//! Which values a row of the result has, in which order.
//!
//! Variables come in the order of their declaration, a Boolean that is a mode variable at its place among them; mode
//! variables that are relations have no declaration and come last. Parameters and constants do not change during a
//! run and are kept apart, and so is what machines remember for themselves.

use std::sync::Arc;

use modeshift_dae::{
    ExpressionId, Expressions, Id as _, ModeVariableId, MultimodeDae, Node, Type, Variability, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How the values of a column change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Between events too.
    Continuous,
    /// At events only.
    Discrete,
    /// A mode variable, 0 or 1.
    Mode,
}

/// What a column shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnSource {
    /// A variable of the model that is no mode variable; Booleans are 0 or 1, enumerations count from 1.
    Variable(VariableId),
    /// A mode variable.
    Mode(ModeVariableId),
}

/// One column.
#[derive(Clone, Debug)]
pub struct Column {
    /// `element[2].v`, or the text of a relation.
    pub name: Arc<str>,
    /// How it changes.
    pub kind: ColumnKind,
    /// Where its values come from.
    pub source: ColumnSource,
    /// The unit, where declared.
    pub unit: Option<Arc<str>>,
    /// The unit in which it is shown, where another is declared.
    pub display_unit: Option<Arc<str>>,
    /// The description, where declared.
    pub description: Option<Arc<str>>,
    /// Whether it is a state in some mode or an output of the model: what one wants to see first.
    pub prominent: bool,
}

/// What keeps its value during a run: a parameter or constant.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Its name.
    pub name: Arc<str>,
    /// Its value.
    pub value: f64,
    /// The unit, where declared.
    pub unit: Option<Arc<str>>,
    /// The description, where declared.
    pub description: Option<Arc<str>>,
}

/// All columns of a result except time.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The class that is run.
    pub model: Arc<str>,
    /// The columns in order.
    pub columns: Vec<Column>,
    /// The names of all mode variables, by their ids: what the valuations of events are about.
    pub mode_variables: Vec<Arc<str>>,
    /// Parameters and constants with known values.
    pub constants: Vec<Constant>,
    /// Where discrete columns exist, by column; nothing for those that always do. Of continuous ones the mode says it.
    pub existence: Vec<Option<Existence>>,
}

/// The modes in which a discrete variable exists.
#[derive(Clone, Debug)]
pub enum Existence {
    /// A mode variable is true.
    Mode(ModeVariableId),
    /// A Boolean that is no mode variable is true.
    Variable(VariableId),
    /// Not this.
    Not(Box<Existence>),
    /// All of these.
    All(Vec<Existence>),
    /// One of these.
    Some(Vec<Existence>),
}

impl Existence {
    /// Whether it is so, with the truths of mode variables and the values of others.
    pub fn holds(&self, mode: &dyn Fn(ModeVariableId) -> bool, value: &dyn Fn(VariableId) -> f64) -> bool {
        match self {
            Existence::Mode(id) => mode(*id),
            Existence::Variable(id) => value(*id) != 0.0,
            Existence::Not(inner) => !inner.holds(mode, value),
            Existence::All(parts) => parts.iter().all(|part| part.holds(mode, value)),
            Existence::Some(parts) => parts.iter().any(|part| part.holds(mode, value)),
        }
    }

    /// A guard; nothing where it always holds, or is no formula of Booleans.
    fn of(
        expressions: &Expressions,
        declared: &FxHashMap<VariableId, ModeVariableId>,
        guard: ExpressionId,
    ) -> Option<Self> {
        let of = |part| Existence::of(expressions, declared, part);
        Some(match expressions.node(guard) {
            Node::Boolean(false) => Existence::Some(Vec::new()),
            Node::Mode(id) => Existence::Mode(id),
            Node::Variable(id, 0) => declared.get(&id).map_or(Existence::Variable(id), |&mode| Existence::Mode(mode)),
            Node::Not(a) => Existence::Not(Box::new(of(a)?)),
            Node::And(a, b) => Existence::All([a, b].into_iter().filter_map(of).collect()),
            Node::Or(a, b) => Existence::Some(vec![of(a)?, of(b)?]),
            _ => return None,
        })
    }
}

/// How the variables are called that hold the next instant of a table of inputs: no class can write such a name.
pub const NEXT_OF_INPUTS: &str = "$inputs.next";

/// Whether a variable or a guard is one of a table of inputs, of which the model says nothing.
pub(crate) fn is_of_inputs(name: &str) -> bool {
    name.contains(NEXT_OF_INPUTS)
}

impl Columns {
    /// The columns of a model, with the values of its parameters and constants.
    pub fn of(dae: &MultimodeDae, value: impl Fn(VariableId) -> Option<f64>) -> Columns {
        let declared: FxHashMap<VariableId, ModeVariableId> =
            dae.mode_variables.iter_enumerated().filter_map(|(id, mode)| Some((mode.variable?, id))).collect();
        let states = differentiated(dae);
        let variables = || dae.model.variables.iter_enumerated();
        let memories: FxHashSet<VariableId> =
            dae.model.machines.iter().flat_map(|machine| machine.memories.iter().copied()).collect();
        let is_shown = |id: VariableId, name: &str| !memories.contains(&id) && !is_of_inputs(name);
        let changing =
            variables().filter(|(id, it)| it.variability >= Variability::Discrete && is_shown(*id, &it.name));
        let mut columns: Vec<Column> = changing
            .filter(|(_, variable)| variable.ty != Type::String)
            .map(|(id, _)| match declared.get(&id) {
                Some(&mode) => mode_column(dae, mode),
                None => variable_column(dae, id, states.contains(&id)),
            })
            .collect();
        let relations = dae
            .mode_variables
            .iter_enumerated()
            .filter(|(_, mode)| mode.variable.is_none() && !is_of_inputs(&mode.name));
        columns.extend(relations.map(|(id, _)| mode_column(dae, id)));
        let fixed = variables().filter(|(_, it)| it.variability < Variability::Discrete && it.ty != Type::String);
        let constants = fixed.filter_map(|(id, it)| {
            let (name, unit, description) = (it.name.clone(), it.unit.clone(), it.description.clone());
            Some(Constant { name, value: value(id)?, unit, description })
        });
        let existence = columns.iter().map(|column| {
            let variable = match column.source {
                _ if column.kind == ColumnKind::Continuous => None,
                ColumnSource::Variable(id) => Some(id),
                ColumnSource::Mode(id) => dae.mode_variables[id].variable,
            };
            Existence::of(&dae.model.expressions, &declared, dae.model.variables[variable?].guard)
        });
        Columns {
            existence: existence.collect(),
            model: dae.model.name.clone(),
            mode_variables: dae.mode_variables.iter().map(|mode| mode.name.clone()).collect(),
            constants: constants.collect(),
            columns,
        }
    }

    /// How many values a row has beside time.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether a row has no values beside time.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The position of the column of this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| &*column.name == name)
    }
}

/// The variables that occur under `der`.
fn differentiated(dae: &MultimodeDae) -> FxHashSet<VariableId> {
    let expressions = &dae.model.expressions;
    let nodes = (0..expressions.len()).map(|at| expressions.node(ExpressionId::from_index(at)));
    nodes.filter_map(|node| if let Node::Variable(of, 1..) = node { Some(of) } else { None }).collect()
}

fn variable_column(dae: &MultimodeDae, id: VariableId, state: bool) -> Column {
    let variable = &dae.model.variables[id];
    let kind = if variable.is_continuous_unknown() { ColumnKind::Continuous } else { ColumnKind::Discrete };
    Column {
        name: variable.name.clone(),
        kind,
        source: ColumnSource::Variable(id),
        unit: variable.unit.clone(),
        display_unit: variable.display_unit.clone(),
        description: variable.description.clone(),
        prominent: kind == ColumnKind::Continuous && (state || variable.output),
    }
}

fn mode_column(dae: &MultimodeDae, id: ModeVariableId) -> Column {
    let mode = &dae.mode_variables[id];
    Column {
        name: mode.name.clone(),
        kind: ColumnKind::Mode,
        source: ColumnSource::Mode(id),
        unit: None,
        display_unit: None,
        description: mode.variable.and_then(|variable| dae.model.variables[variable].description.clone()),
        prominent: false,
    }
}
