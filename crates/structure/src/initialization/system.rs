//! The initialization system of a multimode DAE, as an algebraic system over modes and scenarios.
//!
//! Its equations are those of the model with all their derivatives `f^(k)`, `k <= c`: below `c` they are the
//! consistency equations, at `c` the leading system. Its unknowns are the `x^(l)`, `l <= d`: below `d` the states, at
//! `d` the leading derivatives; and the parameters that the start has to find. To these come the conditions of the user:
//! initial equations and fixed start values. Differentiated equations are written out, so that only what truly occurs
//! in them counts, and every derivative is a variable of its own.
//!
//! E22 §7.1: F_(C) and u_(C), with the leading system, since initial equations may mention its variables; §7.2: I^ι,
//! J^ι and E^ι.

use std::sync::Arc;

use modeshift_dae::{
    Builtin, Derivative, Derivatives, Equation, EquationId, EquationKind, ExpressionId, ExpressionText, FlatModel, Id,
    IndexVec, InitialEquation, MultimodeDae, Node, Rewritten, ScenarioId, Type, Variability, Variable, VariableId,
};
use modeshift_diagnostics::Span;
use modeshift_modes::{Invariant, ModeSet, ModeSpace};
use rustc_hash::{FxHashMap, FxHashSet};

use super::carry::Carried;
use super::parameters::{UnknownParameter, unknown_parameters};
use super::prolongation::{Mention, prolong};
use super::scenarios::InitialModes;
use crate::Analysis;
use crate::incidence::dual_representation::{Incidence, Occurrence, Vertex};
use crate::incidence::formulas::Formulas;
use crate::incidence::occurrences;
use crate::matching::offsets::Thermometer;

/// Where an equation of initialization comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An equation of the model, differentiated.
    Model(Derivative<EquationId>),
    /// The binding of a parameter that depends on one with `fixed = false`.
    Binding(VariableId),
    /// An initial equation, by its number.
    Equation(u32),
    /// A fixed start value.
    Start(VariableId),
}

impl Origin {
    /// Whether the user stated it for the start only.
    pub fn is_condition(self) -> bool {
        matches!(self, Origin::Equation(_) | Origin::Start(_))
    }
}

/// An equation of the model that cannot be differentiated as often as initialization needs.
#[derive(Clone, Debug)]
pub struct NotDifferentiated {
    /// The equation of initialization; it has no expression.
    pub equation: EquationId,
    /// Why.
    pub reason: String,
}

/// The initialization system.
#[derive(Debug)]
pub struct System {
    /// The model with the equations of initialization instead of its own, and with derivatives as variables behind
    /// those of the model. Parameters with `fixed = false` are variables here.
    pub dae: MultimodeDae,
    /// Where each equation comes from.
    pub origins: IndexVec<EquationId, Origin>,
    /// Left side minus right side of each equation.
    pub residuals: IndexVec<EquationId, ExpressionId>,
    /// What each variable stands for: itself, or a derivative of a variable of the model.
    pub quantities: IndexVec<VariableId, Derivative<VariableId>>,
    /// The modes in which each variable is a state, or a parameter that has to be found.
    pub states: IndexVec<VariableId, ModeSet>,
    /// Initial equations about discrete variables, by their numbers, with the modes and scenarios in which they are to
    /// hold: they are no part of the system.
    pub discrete_conditions: Vec<(u32, ModeSet)>,
    /// Equations without a derivative.
    pub not_differentiated: Vec<NotDifferentiated>,
    /// Which variable occurs in which equation.
    pub incidence: Incidence,
    derivatives: FxHashMap<Derivative<VariableId>, VariableId>,
}

impl System {
    /// The variable that stands for a derivative; nothing if no equation of initialization needs it.
    pub fn variable(&self, quantity: Derivative<VariableId>) -> Option<VariableId> {
        if quantity.order == 0 { Some(quantity.of) } else { self.derivatives.get(&quantity).copied() }
    }

    /// Where a condition or equation was written.
    pub fn span(&self, equation: EquationId) -> Span {
        self.dae.model.equations[equation].span
    }
}

/// The system with what the matching starts from.
pub(crate) struct Built {
    pub(crate) system: System,
    pub(crate) carried: Carried,
    /// Of each equation of the model the number of its first equation of initialization; the derivatives follow.
    pub(crate) first: IndexVec<EquationId, EquationId>,
}

/// Builds the system of a model whose long modes have been analyzed, in which these discrete Reals are unknowns too; their start values
/// are conditions behind all others.
pub(crate) fn build(dae: &MultimodeDae, analysis: &Analysis, initial: &InitialModes, sought: &[VariableId]) -> Built {
    let InitialModes { space, invariant, .. } = initial;
    let mut carried = Carried::new(analysis, space, invariant);
    let states = carried.variable_offsets.clone();
    let conditions = Conditions::of(dae, initial);
    let mentions = conditions.mentions(dae);
    if !mentions.is_empty() {
        prolong(space, &analysis.incidence, &mut carried, &mentions);
    }
    let mut builder = Builder::new(dae, space, &carried);
    let first = builder.model_equations(dae, analysis);
    builder.parameters(unknown_parameters(dae, space, &conditions.expressions(dae)));
    builder.sought(sought);
    builder.conditions(dae, &conditions);
    sought.iter().for_each(|&variable| builder.start_value(dae, variable, ModeSet::ALL));
    builder.declare_derivatives();
    let system = builder.finish(dae, invariant, &states, conditions.discrete);
    Built { system, carried, first }
}

/// The user's conditions with the modes and scenarios in which they are to hold.
struct Conditions {
    equations: Vec<(u32, ModeSet)>,
    starts: Vec<(VariableId, ModeSet)>,
    discrete: Vec<(u32, ModeSet)>,
}

impl Conditions {
    fn of(dae: &MultimodeDae, initial: &InitialModes) -> Conditions {
        let InitialModes { space, invariant, scenarios } = initial;
        let mut formulas = Formulas::projected(space, &dae.model.expressions, invariant);
        let in_scenario: FxHashMap<ScenarioId, ModeSet> =
            scenarios.iter().filter_map(|scenario| Some((scenario.id?, scenario.modes))).collect();
        let possible = space.union(scenarios.iter().map(|scenario| scenario.modes));
        let (mut equations, mut discrete) = (Vec::new(), Vec::new());
        for (number, condition) in dae.model.initial_equations.iter().enumerate() {
            let number = number as u32;
            let guard = formulas.modes(condition.guard).unwrap_or(ModeSet::ALL);
            let scenario = match condition.scenario {
                Some(scenario) => in_scenario.get(&scenario).copied().unwrap_or(ModeSet::EMPTY),
                None => possible,
            };
            let kind = if is_discrete(dae, number) { &mut discrete } else { &mut equations };
            kind.push((number, space.and(guard, scenario)));
        }
        let fixed = dae.model.variables.iter_enumerated().filter(|(_, variable)| is_fixed_start(variable));
        let starts = fixed.map(|(id, variable)| {
            let exists = formulas.modes(variable.guard).unwrap_or(ModeSet::ALL);
            (id, space.and(exists, possible))
        });
        Conditions { starts: starts.collect(), equations, discrete }
    }

    /// What the conditions say, with the modes in which they are to hold.
    fn expressions(&self, dae: &MultimodeDae) -> Vec<(ExpressionId, ModeSet)> {
        let equations = self.equations.iter().chain(&self.discrete).flat_map(|&(number, modes)| {
            let InitialEquation { left, right, .. } = dae.model.initial_equations[number as usize];
            [(left, modes), (right, modes)]
        });
        let start = |&(variable, modes): &(VariableId, ModeSet)| Some((dae.model.variables[variable].start?, modes));
        equations.chain(self.starts.iter().filter_map(start)).collect()
    }

    /// The derivatives that initial equations mention, those about discrete variables too.
    fn mentions(&self, dae: &MultimodeDae) -> Vec<Mention> {
        let mut mentions = Vec::new();
        let mut seen = FxHashSet::default();
        for &(number, modes) in self.equations.iter().chain(&self.discrete) {
            let InitialEquation { left, right, .. } = dae.model.initial_equations[number as usize];
            seen.clear();
            for side in [left, right] {
                dae.model.expressions.for_each(side, |id, node| {
                    if let Node::Variable(variable, order @ 1..) = node
                        && dae.model.variables[variable].is_continuous_unknown()
                    {
                        mentions.push(Mention { variable, order, modes });
                    }
                    seen.insert(id)
                });
            }
        }
        mentions
    }
}

fn is_fixed_start(variable: &Variable) -> bool {
    variable.fixed == Some(true) && variable.is_continuous_unknown()
}

fn is_delay(node: Node) -> bool {
    matches!(node, Node::Call(Builtin::Delay | Builtin::DelayMax, _))
}

/// Whether an initial equation gives a discrete variable its value.
fn is_discrete(dae: &MultimodeDae, number: u32) -> bool {
    dae.discrete.initial.get(number as usize).is_some_and(Option::is_some)
}

/// The system on its way.
struct Builder<'a> {
    space: &'a ModeSpace,
    carried: &'a Carried,
    model: FlatModel,
    equations: IndexVec<EquationId, Equation>,
    origins: IndexVec<EquationId, Origin>,
    residuals: IndexVec<EquationId, ExpressionId>,
    guards: IndexVec<EquationId, ModeSet>,
    quantities: IndexVec<VariableId, Derivative<VariableId>>,
    derivatives: FxHashMap<Derivative<VariableId>, VariableId>,
    /// Parameters and discrete Reals that have to be found, with the modes and scenarios in which they are needed.
    unknown_parameters: Vec<(VariableId, ModeSet)>,
    not_differentiated: Vec<NotDifferentiated>,
    /// Occurrences in equations that could not be differentiated, by the orders that they would have.
    assumed: Vec<Occurrence>,
    everywhere: ExpressionId,
    /// Expressions with variables in the places of derivatives.
    replaced: Rewritten,
    past: Past,
}

/// What is delayed at the start: it has always been what it is there. So `delay(e, T)` is `e`, but its derivatives are zero, and until an
/// equation has been differentiated a parameter stands for it, behind all variables of the model.
#[derive(Default)]
struct Past {
    replaced: Rewritten,
    /// What is delayed, where delays inside it are parameters.
    arguments: Vec<ExpressionId>,
    /// The same as it is at the start.
    values: Vec<ExpressionId>,
}

impl<'a> Builder<'a> {
    fn new(dae: &MultimodeDae, space: &'a ModeSpace, carried: &'a Carried) -> Self {
        let mut model = dae.model.clone();
        let everywhere = model.expressions.boolean(true);
        let quantities = model.variables.ids().map(|of| Derivative { of, order: 0 }).collect();
        Builder {
            space,
            carried,
            equations: IndexVec::new(),
            origins: IndexVec::new(),
            residuals: IndexVec::new(),
            guards: IndexVec::new(),
            quantities,
            derivatives: FxHashMap::default(),
            unknown_parameters: Vec::new(),
            not_differentiated: Vec::new(),
            assumed: Vec::new(),
            everywhere,
            replaced: Rewritten::new(),
            past: Past::default(),
            model,
        }
    }

    fn push(&mut self, origin: Origin, name: Arc<str>, sides: [ExpressionId; 2], span: Span, modes: ModeSet) {
        let [left, right] = self.without_delays(sides).map(|side| self.without_derivatives(side));
        let kind = EquationKind::Continuous;
        self.equations.push(Equation { name, kind, guard: self.everywhere, left, right, span });
        self.residuals.push(self.model.expressions.difference(left, right));
        self.origins.push(origin);
        self.guards.push(modes);
    }

    /// The equations of the model with their derivatives; returns where those of each equation start.
    fn model_equations(&mut self, dae: &MultimodeDae, analysis: &Analysis) -> IndexVec<EquationId, EquationId> {
        let variables = self.variables_and_past();
        let mut derivatives = Derivatives::by_time(&variables, &dae.model.functions);
        let mut first = IndexVec::new();
        for (id, equation) in dae.model.equations.iter_enumerated() {
            first.push(EquationId::from_index(self.equations.len()));
            let guard = self.carried.equation_guards[id];
            if guard.is_empty() {
                continue;
            }
            let mut sides = self.without_delays([equation.left, equation.right]);
            let mut failure: Option<String> = None;
            let offset = &self.carried.equation_offsets[id];
            for order in 0..=offset.maximum() {
                if order > 0 && failure.is_none() {
                    match derived(&mut derivatives, &mut self.model, sides) {
                        Ok(derived) => sides = derived,
                        Err(reason) => failure = Some(reason),
                    }
                }
                let modes = self.space.and(guard, offset.at_least(order));
                if let Some(reason) = &failure {
                    self.assume_occurrences(analysis, id, order, modes);
                    let equation = EquationId::from_index(self.equations.len());
                    self.not_differentiated.push(NotDifferentiated { equation, reason: reason.clone() });
                    sides = [self.everywhere; 2];
                }
                let origin = Origin::Model(Derivative { of: id, order });
                self.push(origin, primed(&equation.name, order), sides, equation.span, modes);
            }
        }
        first
    }

    /// Of an equation that cannot be written out: everything that its derivative may contain.
    fn assume_occurrences(&mut self, analysis: &Analysis, equation: EquationId, order: u32, modes: ModeSet) {
        let new = EquationId::from_index(self.equations.len());
        for edge in analysis.incidence.edges_of_equation(equation) {
            let of = analysis.incidence.variable(edge);
            for &(occurring, within) in &self.carried.orders[edge] {
                let modes = self.space.and(modes, within);
                for order in occurring..=occurring + order {
                    let variable = self.variable_of(Derivative { of, order });
                    self.assumed.push(Occurrence { equation: new, variable, order: 0, modes });
                }
            }
        }
    }

    /// Parameters that have to be found become variables; those that depend on others keep their bindings as equations.
    fn parameters(&mut self, parameters: Vec<UnknownParameter>) {
        for UnknownParameter { id, binding, modes } in parameters {
            if let Some(binding) = binding {
                let Variable { name, span, .. } = self.model.variables[id].clone();
                let left = self.model.expressions.variable(id, 0);
                self.push(Origin::Binding(id), name, [left, binding], span, modes);
            }
            self.model.variables[id].variability = Variability::Continuous;
            self.unknown_parameters.push((id, modes));
        }
    }

    fn conditions(&mut self, dae: &MultimodeDae, conditions: &Conditions) {
        for &(number, modes) in &conditions.equations {
            let InitialEquation { left, right, span, .. } = dae.model.initial_equations[number as usize];
            let name = format!("{} = {}", text(dae, left), text(dae, right));
            self.push(Origin::Equation(number), name.into(), [left, right], span, modes);
        }
        for &(variable, modes) in &conditions.starts {
            self.start_value(dae, variable, modes);
        }
    }

    /// The condition that a variable has its start value.
    fn start_value(&mut self, dae: &MultimodeDae, variable: VariableId, modes: ModeSet) {
        let declared = &dae.model.variables[variable];
        let start = declared.start.unwrap_or_else(|| self.model.expressions.integer(0));
        let value = declared.start.map_or_else(|| "0".to_string(), |start| text(dae, start));
        let span = if declared.start.is_some() { declared.start_span } else { declared.span };
        let left = self.model.expressions.variable(variable, 0);
        let name = format!("{} = {value}", declared.name);
        self.push(Origin::Start(variable), name.into(), [left, start], span, modes);
    }

    /// Discrete Reals that conditions may determine become variables.
    fn sought(&mut self, variables: &[VariableId]) {
        for &id in variables {
            self.model.variables[id].variability = Variability::Continuous;
            self.unknown_parameters.push((id, ModeSet::ALL));
        }
    }

    /// The variable that stands for a derivative.
    fn variable_of(&mut self, quantity: Derivative<VariableId>) -> VariableId {
        if quantity.order == 0 {
            return quantity.of;
        }
        let quantities = &mut self.quantities;
        *self.derivatives.entry(quantity).or_insert_with(|| quantities.push(quantity))
    }

    /// The variables of the model, and parameters for what is delayed.
    fn variables_and_past(&self) -> IndexVec<VariableId, Variable> {
        let mut variables = self.model.variables.clone();
        let expressions = &self.model.expressions;
        let nodes = (0..expressions.len()).map(|index| expressions.node(ExpressionId::from_index(index)));
        for _ in nodes.filter(|node| is_delay(*node)) {
            variables.push(Variable::new("", Type::Real, Variability::Parameter, self.everywhere));
        }
        variables
    }

    /// Expressions with parameters in the places of delays.
    fn without_delays(&mut self, sides: [ExpressionId; 2]) -> [ExpressionId; 2] {
        let (declared, Past { replaced, arguments, .. }) = (self.model.variables.len(), &mut self.past);
        let sides = sides.map(|side| {
            self.model.expressions.rewrite(side, replaced, |expressions, id| match expressions.node(id) {
                Node::Call(Builtin::Delay | Builtin::DelayMax, list) => {
                    arguments.push(expressions.argument_list(list)[0]);
                    expressions.variable(VariableId::from_index(declared + arguments.len() - 1), 0)
                }
                _ => id,
            })
        });
        while let Some(&argument) = self.past.arguments.get(self.past.values.len()) {
            let value = self.without_derivatives(argument);
            self.past.values.push(value);
        }
        sides
    }

    fn without_derivatives(&mut self, expression: ExpressionId) -> ExpressionId {
        let (quantities, derivatives) = (&mut self.quantities, &mut self.derivatives);
        let (declared, past) = (self.model.variables.len(), &self.past.values);
        self.model.expressions.rewrite(expression, &mut self.replaced, |expressions, id| match expressions.node(id) {
            Node::Variable(of, 0) if of.index() >= declared => past[of.index() - declared],
            Node::Variable(of, order @ 1..) => {
                let quantity = Derivative { of, order };
                let variable = *derivatives.entry(quantity).or_insert_with(|| quantities.push(quantity));
                expressions.variable(variable, 0)
            }
            _ => id,
        })
    }

    /// Declares the variables that stand for derivatives, those that no equation contains included.
    fn declare_derivatives(&mut self) {
        for (of, offset) in self.carried.variable_offsets.iter_enumerated() {
            for order in 1..=offset.maximum() {
                self.variable_of(Derivative { of, order });
            }
        }
        for number in self.model.variables.len()..self.quantities.len() {
            let Derivative { of, order } = self.quantities[VariableId::from_index(number)];
            let declared = &self.model.variables[of];
            let derivative = Variable {
                name: primed(&declared.name, order),
                start: None,
                start_span: declared.span,
                fixed: None,
                nominal: None,
                min: None,
                max: None,
                binding: None,
                description: None,
                ..declared.clone()
            };
            self.model.variables.push(derivative);
        }
    }

    fn finish(
        mut self,
        dae: &MultimodeDae,
        invariant: &Invariant,
        states: &IndexVec<VariableId, Thermometer>,
        discrete_conditions: Vec<(u32, ModeSet)>,
    ) -> System {
        let variables = self.variable_vertices();
        let states = self.states(states);
        self.model.equations = std::mem::take(&mut self.equations);
        let vertices: IndexVec<EquationId, Vertex> = self
            .model
            .equations
            .iter()
            .zip(self.guards.iter())
            .map(|(equation, &guard)| Vertex { name: equation.name.clone(), guard })
            .collect();
        let dae = MultimodeDae {
            model: self.model,
            mode_variables: dae.mode_variables.clone(),
            named_formulas: dae.named_formulas.clone(),
            discrete: dae.discrete.clone(),
        };
        let mut occurrences = occurrences::occurrences(&dae, self.space, invariant, &self.guards);
        occurrences.append(&mut self.assumed);
        let incidence = Incidence::new(self.space, vertices, variables, occurrences);
        System {
            dae,
            origins: self.origins,
            residuals: self.residuals,
            quantities: self.quantities,
            states,
            discrete_conditions,
            not_differentiated: self.not_differentiated,
            incidence,
            derivatives: self.derivatives,
        }
    }

    /// A derivative is an unknown in the modes in which the variable is differentiated at least as often.
    fn variable_vertices(&self) -> IndexVec<VariableId, Vertex> {
        let unknown: FxHashMap<VariableId, ModeSet> = self.unknown_parameters.iter().copied().collect();
        let guard = |id: VariableId, quantity: Derivative<VariableId>| match unknown.get(&id) {
            Some(&modes) => modes,
            None => self.space.and(
                self.carried.variable_guards[quantity.of],
                self.carried.variable_offsets[quantity.of].at_least(quantity.order),
            ),
        };
        let vertices = self
            .quantities
            .iter_enumerated()
            .map(|(id, &quantity)| Vertex { name: self.model.variables[id].name.clone(), guard: guard(id, quantity) });
        vertices.collect()
    }

    fn states(&self, leading: &IndexVec<VariableId, Thermometer>) -> IndexVec<VariableId, ModeSet> {
        let below = |&Derivative { of, order }: &Derivative<VariableId>| {
            self.space.and(self.carried.variable_guards[of], leading[of].at_least(order + 1))
        };
        let mut states: IndexVec<VariableId, ModeSet> = self.quantities.iter().map(below).collect();
        for &(parameter, modes) in &self.unknown_parameters {
            states[parameter] = modes;
        }
        states
    }
}

fn derived(
    derivatives: &mut Derivatives<'_>,
    model: &mut FlatModel,
    sides: [ExpressionId; 2],
) -> Result<[ExpressionId; 2], String> {
    let [left, right] = sides.map(|side| derivatives.of(&mut model.expressions, side));
    match (left, right) {
        (Ok(left), Ok(right)) => Ok([left, right]),
        (Err(reason), _) | (_, Err(reason)) => Err(reason.message(model)),
    }
}

fn text(dae: &MultimodeDae, expression: ExpressionId) -> String {
    ExpressionText { model: &dae.model, modes: Some(&dae.mode_variables), expression }.to_string()
}

fn primed(name: &Arc<str>, order: u32) -> Arc<str> {
    match order {
        0 => name.clone(),
        _ => Derivative { of: (), order }.named(name).to_string().into(),
    }
}
