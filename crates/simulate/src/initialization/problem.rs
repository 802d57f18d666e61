//! What is given at the start: parameters, guesses and nominal values, and which mode variables are known already.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{
    Builtin, Derivative, ExpressionId, FlatModel, Id, InitialValue, Mode, ModeVariableId, MultimodeDae, Node, Type,
    Variability, VariableId, WhenActionKind,
};
use modeshift_modes::{ModeSet, ModeVariable};
use modeshift_numerics::{Compiler, NativeFunctions, Parameters, Tape};
use modeshift_structure::initialization::Initialization;

use super::left_limits::left_limits;
use super::point::{Point, StartMode};
use super::search::InitialState;
use super::solve::order::{DiscreteReads, discrete_reads};

/// How to solve.
#[derive(Clone, Debug)]
pub struct StartSettings {
    /// The time of the start.
    pub time: f64,
    /// Largest correction, relative to an unknown, that counts as none.
    pub tolerance: f64,
    /// Up to this many modes, all are tried, so that several consistent ones are noticed.
    pub most_modes: usize,
}

impl Default for StartSettings {
    fn default() -> Self {
        StartSettings { time: 0.0, tolerance: 1e-10, most_modes: 32 }
    }
}

/// The start of a model with numbers.
pub struct InitialProblem<'a> {
    /// The model.
    pub(crate) dae: &'a MultimodeDae,
    /// Its initialization system.
    pub(crate) start: &'a Initialization,
    pub(crate) natives: &'a NativeFunctions,
    pub(crate) time: f64,
    pub(crate) settings: StartSettings,
    /// Values of parameters and inputs, left limits of discrete variables, start values of everything else, by the
    /// variables of the system.
    pub(crate) guesses: Vec<f64>,
    pub(crate) nominal: Vec<f64>,
    /// The start values of mode variables, for their left limits.
    pub(crate) mode_starts: Mode,
    /// Whether some equation contains `homotopy`.
    pub(crate) has_homotopy: bool,
    /// What defines discrete variables at the start; the last one that holds counts.
    pub(crate) discrete: Vec<DiscreteDefinition>,
    /// Which equations read variables that these define.
    pub(super) discrete_reads: DiscreteReads,
}

/// An equation or an initial equation that gives a discrete variable its value.
pub(crate) struct DiscreteDefinition {
    pub(crate) variable: VariableId,
    pub(crate) value: ExpressionId,
    /// Whether it is the value before the start as well.
    pub(crate) is_left_limit: bool,
    /// The modes and scenarios in which it holds.
    pub(crate) modes: ModeSet,
}

impl<'a> InitialProblem<'a> {
    /// `parameters` are those of the model of the initialization system.
    pub fn new(
        dae: &'a MultimodeDae,
        start: &'a Initialization,
        natives: &'a NativeFunctions,
        parameters: &mut Parameters<'_>,
        settings: StartSettings,
    ) -> Self {
        let model = &start.system.dae.model;
        let mut guesses = Vec::with_capacity(model.variables.len());
        let mut nominal = Vec::with_capacity(model.variables.len());
        for (id, variable) in model.variables.iter_enumerated() {
            let known = parameters.of(id);
            let given = variable.start.or(variable.binding).and_then(|start| parameters.value(start));
            guesses.push(known.or(given).unwrap_or(0.0));
            let size = variable.nominal.and_then(|nominal| parameters.value(nominal)).map_or(0.0, f64::abs);
            nominal.push(if size.is_finite() { size } else { 0.0 });
        }
        for (variable, value) in left_limits(dae, start, |expression| parameters.value(expression)) {
            // A fixed start value is the left limit; what contradicts it is noticed at the solution.
            if model.variables[variable].fixed != Some(true) || model.variables[variable].start.is_none() {
                guesses[variable.index()] = value;
            }
        }
        let mode_starts = dae.mode_variables.iter().map(|mode| {
            let start = mode.variable.map(|variable| guesses[variable.index()] != 0.0);
            mode.initial.or(start).unwrap_or(false)
        });
        let discrete = discrete_definitions(dae, start);
        InitialProblem {
            mode_starts: mode_starts.collect(),
            has_homotopy: has_homotopy(model),
            discrete_reads: discrete_reads(start, &discrete),
            discrete,
            time: settings.time,
            dae,
            start,
            natives,
            settings,
            guesses,
            nominal,
        }
    }

    /// The model of the initialization system.
    pub(crate) fn model(&self) -> &'a FlatModel {
        &self.start.system.dae.model
    }

    /// The values of expressions at a point; "not a number" for those that have none.
    pub(crate) fn evaluate(&self, expressions: &[ExpressionId], point: &Point) -> Vec<f64> {
        let mut values = vec![f64::NAN; expressions.len()];
        if let Ok(tape) = self.tape(expressions) {
            let inputs: Vec<f64> = tape.inputs().iter().map(|&input| point.input(self, input)).collect();
            tape.evaluate(&inputs, &mut tape.workspace(), &mut values);
        }
        values
    }

    pub(crate) fn tape(&self, expressions: &[ExpressionId]) -> Result<Tape, modeshift_numerics::NotNumeric> {
        Compiler::new(self.model(), self.natives).at_start().tape(expressions)
    }

    /// A mode with these values; the other variables have their start values.
    pub fn mode_with(&self, values: &[(ModeVariable, bool)]) -> StartMode {
        let mut mode = self.start_mode();
        values.iter().for_each(|&(variable, value)| mode.set(variable, value));
        mode
    }

    /// Mode variables have their start values, and there is no scenario.
    pub(crate) fn start_mode(&self) -> StartMode {
        let values = self.mode_starts.values().chain(std::iter::repeat(false));
        StartMode(values.take(self.start.space.variable_count()).collect())
    }

    /// How many unknowns the system has, in all modes together.
    pub fn size(&self) -> usize {
        self.guesses.len()
    }

    /// The mode variables whose values at the start do not depend on any unknown: they follow from time and
    /// parameters, or nothing but their start value says anything about them.
    pub fn known_modes(&self) -> Vec<(ModeVariableId, bool)> {
        let mut known = Vec::new();
        let (mut ids, mut definitions) = (Vec::new(), Vec::new());
        for (id, mode) in self.dae.mode_variables.iter_enumerated() {
            let parameter =
                mode.variable.filter(|&it| self.model().variables[it].variability <= Variability::Parameter);
            if let Some(parameter) = parameter {
                known.push((id, self.guesses[parameter.index()] != 0.0));
            } else if let Some(definition) = mode.definition.filter(|&it| is_known(self.model(), it)) {
                ids.push(id);
                definitions.push(definition);
            }
        }
        let nowhere = Point {
            values: self.guesses.clone(),
            mode: StartMode(self.mode_starts.clone()),
            own_left_limits: false,
            before: BTreeMap::new(),
        };
        let values = self.evaluate(&definitions, &nowhere);
        known.extend(ids.into_iter().zip(values).map(|(id, value)| (id, value != 0.0)));
        known.sort_unstable();
        known
    }

    /// Mode variables that nothing defines: they keep their start values.
    pub(crate) fn undefined_modes(&self) -> impl Iterator<Item = ModeVariableId> {
        let modes = self.dae.mode_variables.iter_enumerated();
        modes.filter(|(_, mode)| mode.definition.is_none()).map(|(id, _)| id)
    }

    /// The mode that the definitions give at a point; what has no definition, or has a fixed start, stays.
    pub(crate) fn mode_at(&self, point: &Point) -> StartMode {
        let defined = self.dae.mode_variables.iter_enumerated();
        let (ids, definitions): (Vec<ModeVariableId>, Vec<ExpressionId>) =
            defined.filter_map(|(id, mode)| Some((id, mode.definition?))).unzip();
        let mut mode = point.mode.clone();
        for (id, value) in ids.into_iter().zip(self.evaluate(&definitions, point)) {
            mode.0.set(id, value != 0.0);
        }
        mode
    }

    /// Gives discrete variables that a `when initial()` assigns the values that they had before: what it makes of them, which
    /// is part of a start, the first instant of a run does.
    pub(crate) fn forget_assignments(&self, state: &mut InitialState) {
        for id in self.assigned_initially() {
            state.values.insert(Derivative::new(id, 0), self.guesses[id.index()]);
        }
    }

    /// Whether a `when initial()` assigns a variable.
    pub(crate) fn is_assigned_initially(&self, variable: VariableId) -> bool {
        self.assigned_initially().any(|it| it == variable)
    }

    /// The variables that a `when initial()` assigns.
    fn assigned_initially(&self) -> impl Iterator<Item = VariableId> {
        let model = &self.dae.model;
        let is_initial = |node| matches!(node, Node::Call(Builtin::Initial, _));
        let branches = model.when_clauses.iter().flat_map(|clause| &clause.branches);
        let initial =
            branches.filter(move |it| it.conditions.iter().any(|&id| model.expressions.contains(id, is_initial)));
        initial.flat_map(|branch| &branch.actions).filter_map(|action| match action.kind {
            WhenActionKind::Assign(id, _) => Some(id),
            _ => None,
        })
    }

    /// The names of the variables of the system.
    pub(crate) fn name(&self, variable: VariableId) -> &str {
        &self.model().variables[variable].name
    }
}

/// Whether an expression depends on time, parameters and top-level inputs alone.
pub(super) fn is_known(model: &FlatModel, expression: ExpressionId) -> bool {
    let mut known = true;
    model.expressions.for_each(expression, |_, node| {
        known &= match node {
            Node::Variable(variable, _) => model.variables[variable].variability <= Variability::Parameter,
            Node::Mode(_) | Node::Pre(_) | Node::Function(..) => false,
            _ => true,
        };
        known
    });
    known
}

fn has_homotopy(model: &FlatModel) -> bool {
    let nodes = (0..model.expressions.len()).map(|index| model.expressions.node(ExpressionId::from_index(index)));
    nodes.into_iter().any(|node| matches!(node, Node::Call(modeshift_dae::Builtin::Homotopy, _)))
}

/// What equations define, in all modes; initial equations for the others, and for those that an equation defines in
/// some modes only.
fn discrete_definitions(dae: &MultimodeDae, start: &Initialization) -> Vec<DiscreteDefinition> {
    let expressions = &dae.model.expressions;
    let stated = start.system.discrete_conditions.iter().filter_map(|&(number, modes)| {
        let InitialValue { variable, value, is_left_limit } = dae.discrete.initial[number as usize]?;
        let is_open = dae.discrete.value_everywhere(expressions, variable).is_none();
        is_open.then_some(DiscreteDefinition { variable, value, is_left_limit, modes })
    });
    let stated: Vec<DiscreteDefinition> = stated.collect();
    let is_stated = |variable: VariableId| stated.iter().any(|it| it.variable == variable);
    let defined = dae
        .discrete
        .equations()
        .filter(|&(variable, guard, _)| expressions.literal_boolean(guard) == Some(true) || !is_stated(variable));
    let everywhere = defined.map(|(variable, _, value)| DiscreteDefinition {
        variable,
        value,
        is_left_limit: false,
        modes: ModeSet::ALL,
    });
    let everywhere: Vec<DiscreteDefinition> = everywhere.collect();
    everywhere.into_iter().chain(stated).chain(dependent_parameters(&start.system.dae.model)).collect()
}

/// Parameters whose bindings depend on whole parameters that the start finds; those that depend on Reals are unknowns of the system.
fn dependent_parameters(model: &FlatModel) -> Vec<DiscreteDefinition> {
    let is_parameter = |id: VariableId| model.variables[id].variability == Variability::Parameter;
    let is_searched = |id: &VariableId| is_parameter(*id) && model.variables[*id].fixed == Some(false);
    let mut found: BTreeSet<VariableId> = model.variables.ids().filter(is_searched).collect();
    let mut definitions = Vec::new();
    let mut is_new = !found.is_empty();
    while is_new {
        is_new = false;
        for (id, variable) in model.variables.iter_enumerated() {
            let Some(value) = variable.binding.filter(|_| is_parameter(id) && !found.contains(&id)) else { continue };
            let is_of_found = |node| matches!(node, Node::Variable(of, 0) if found.contains(&of));
            if variable.ty != Type::String && model.expressions.contains(value, is_of_found) {
                found.insert(id);
                is_new = true;
                let modes = ModeSet::ALL;
                definitions.push(DiscreteDefinition { variable: id, value, is_left_limit: false, modes });
            }
        }
    }
    definitions
}
