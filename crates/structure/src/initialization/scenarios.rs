//! Initial modes: in which modes a model may start, and under which scenario.
//!
//! A scenario is a mode variable of its own, and exactly one of them holds: the few that a model has do not burden the
//! diagrams, and everything that is computed for all modes comes out for all scenarios too. Without scenarios there
//! is one, for all modes that agree with the fixed start values of mode variables.
//!
//! E22 §7.2, Table 2: the invariant over modes and scenarios.

use std::sync::Arc;

use modeshift_dae::{
    Context, ExpressionId, FlatModel, Id, IndexVec, InitialEquation, ModeVariableId, MultimodeDae, Node, Scenario,
    ScenarioId, VariableId,
};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Span};
use modeshift_modes::{Invariant, ModeSet, ModeSpace, ModeVariable};
use rustc_hash::FxHashMap;

use crate::Options;
use crate::incidence::formulas::Formulas;

/// The name of the only scenario of a model that declares none.
const DEFAULT_NAME: &str = "default";

/// A set of initial conditions with the modes it is for.
#[derive(Clone, Debug)]
pub struct InitialScenario {
    /// Its name.
    pub name: Arc<str>,
    /// Its modes, in the space of modes and scenarios.
    pub modes: ModeSet,
    /// Which of the scenarios of the model it is; none for the only one of a model without scenarios.
    pub id: Option<ScenarioId>,
    /// Where it was written.
    pub span: Span,
}

/// The modes in which a model may start.
pub(crate) struct InitialModes {
    pub(crate) space: ModeSpace,
    pub(crate) invariant: Invariant,
    pub(crate) scenarios: Vec<InitialScenario>,
}

/// What of a model to initialize.
#[derive(Clone, Debug, Default)]
pub struct InitialChoice {
    /// Only modes in which these mode variables have these values.
    pub within: Vec<(ModeVariableId, bool)>,
    /// Only this scenario.
    pub scenario: Option<ScenarioId>,
}

/// The space of modes and scenarios, its diagrams ordered as `order` says, scenarios on top, limited by the options.
pub(crate) fn initial_modes(
    dae: &MultimodeDae,
    order: &[ModeVariable],
    choice: &InitialChoice,
    options: &Options,
) -> InitialModes {
    let (modes, scenarios) = (dae.mode_variables.len() as u32, dae.model.scenarios.len() as u32);
    let scenario_variables = (0..scenarios).map(|number| ModeVariable(modes + number));
    let space = ModeSpace::with_order(scenario_variables.clone().chain(order.iter().copied()).collect());
    options.limit(&space);
    space.set_task("finding the initial modes");
    let mut formulas = Formulas::new(&space, &dae.model.expressions);
    let mut conjuncts = model_invariants(dae, &space, &mut formulas);
    let assign = |(mode, value): (ModeVariableId, bool)| space.assignment(ModeVariable(mode.0), value);
    conjuncts.extend(choice.within.iter().copied().map(assign));
    conjuncts.extend(fixed_modes(dae).into_iter().map(|fixed| assign((fixed.mode, fixed.value))));
    if scenarios > 0 {
        let literals: Vec<ModeSet> = scenario_variables.map(|variable| space.literal(variable)).collect();
        conjuncts.push(exactly_one(&space, &literals));
        for (id, scenario) in dae.model.scenarios.iter_enumerated() {
            let when = formulas.modes(scenario.when).unwrap_or(ModeSet::ALL);
            conjuncts.push(space.or(!literals[id.index()], when));
        }
        conjuncts.extend(choice.scenario.map(|id| literals[id.index()]));
    }
    drop(formulas);
    let invariant = Invariant::new(&space, &conjuncts);
    let scenarios = listed_scenarios(dae, &space, &invariant, choice);
    InitialModes { space, invariant, scenarios }
}

fn model_invariants(dae: &MultimodeDae, space: &ModeSpace, formulas: &mut Formulas<'_>) -> Vec<ModeSet> {
    let mut conjuncts = Vec::new();
    for invariant in &dae.model.invariants {
        if let (Some(guard), Some(condition)) = (formulas.modes(invariant.guard), formulas.modes(invariant.condition)) {
            conjuncts.push(space.or(!guard, condition));
        }
    }
    conjuncts
}

/// The sets in which exactly one of the literals holds.
fn exactly_one(space: &ModeSpace, literals: &[ModeSet]) -> ModeSet {
    let (mut none, mut one) = (ModeSet::ALL, ModeSet::EMPTY);
    for &literal in literals.iter().rev() {
        one = space.ite(literal, none, one);
        none = space.difference(none, literal);
    }
    one
}

fn listed_scenarios(
    dae: &MultimodeDae,
    space: &ModeSpace,
    invariant: &Invariant,
    choice: &InitialChoice,
) -> Vec<InitialScenario> {
    if dae.model.scenarios.is_empty() {
        let modes = invariant.project(space, ModeSet::ALL);
        return vec![InitialScenario { name: DEFAULT_NAME.into(), modes, id: None, span: Span::default() }];
    }
    let modes = dae.mode_variables.len() as u32;
    let chosen = dae.model.scenarios.ids().filter(|&id| choice.scenario.is_none_or(|only| only == id));
    let listed = chosen.map(|id| {
        let Scenario { name, span, .. } = &dae.model.scenarios[id];
        let modes = invariant.project(space, space.literal(ModeVariable(modes + id.0)));
        InitialScenario { name: name.clone(), modes, id: Some(id), span: *span }
    });
    listed.collect()
}

/// A mode variable whose value at the start is given, and where.
pub(crate) struct FixedMode {
    pub(crate) mode: ModeVariableId,
    pub(crate) value: bool,
    pub(crate) span: Span,
}

/// Whether a continuous variable decides at the current instant, not by its left limit alone.
fn reads_present(dae: &MultimodeDae, definition: ExpressionId) -> bool {
    let mut is_read = false;
    dae.model.expressions.for_each_in_context(definition, Context::LEFT_LIMIT, |_, node, context| {
        is_read |= matches!(node, Node::Variable(variable, _)
            if !context.is(Context::LEFT_LIMIT) && dae.model.variables[variable].is_continuous_unknown());
        true
    });
    is_read
}

/// The mode variables whose values at the start are given, whatever else is.
pub fn fixed_values(dae: &MultimodeDae) -> Vec<(ModeVariableId, bool)> {
    fixed_modes(dae).into_iter().map(|fixed| (fixed.mode, fixed.value)).collect()
}

/// Mode variables with a fixed start value, or given by an initial equation that holds in all modes and scenarios. A
/// left limit gives what nothing defines; what has a definition only starts from there. So does what is defined by its own left
/// limit and by present values, as `on = if pre(on) then i >= 0 else u > 0`: its fixed start is that of `pre(on)`.
pub(crate) fn fixed_modes(dae: &MultimodeDae) -> Vec<FixedMode> {
    let expressions = &dae.model.expressions;
    let given = dae.mode_variables.iter_enumerated().filter(|&(mode, declared)| {
        let is_itself = |node: Node| match node {
            Node::Variable(variable, 0) => declared.variable == Some(variable),
            Node::Mode(other) => other == mode,
            _ => false,
        };
        let of_itself = |node: Node| matches!(node, Node::Pre(inner) if is_itself(expressions.node(inner)));
        let begins_before = |definition: ExpressionId| expressions.contains(definition, of_itself);
        !declared.definition.is_some_and(|it| begins_before(it) && reads_present(dae, it))
    });
    let declared = given.filter_map(|(mode, declared)| {
        let span = declared.variable.map_or(declared.span, |variable| dae.model.variables[variable].start_span);
        declared.initial.map(|value| FixedMode { mode, value, span })
    });
    let mut fixed: Vec<FixedMode> = declared.collect();
    if !dae.model.initial_equations.is_empty() {
        let modes = dae.mode_variables.iter_enumerated();
        let by_variable: FxHashMap<VariableId, ModeVariableId> =
            modes.filter_map(|(mode, declared)| declared.variable.map(|variable| (variable, mode))).collect();
        let everywhere = |condition: &&InitialEquation| {
            condition.scenario.is_none() && dae.model.expressions.literal_boolean(condition.guard) == Some(true)
        };
        for condition in dae.model.initial_equations.iter().filter(everywhere) {
            if let Some(Given { variable, value, is_left }) = given_boolean(&dae.model, condition.left, condition.right)
                && let Some(&mode) = by_variable.get(&variable)
                && !(is_left && dae.mode_variables[mode].definition.is_some())
            {
                fixed.push(FixedMode { mode, value, span: condition.span });
            }
        }
    }
    fixed
}

/// `b = true`, `pre(b) = false`
struct Given {
    variable: VariableId,
    value: bool,
    is_left: bool,
}

fn given_boolean(model: &FlatModel, left: ExpressionId, right: ExpressionId) -> Option<Given> {
    let value = model.expressions.literal_boolean(right)?;
    let (inner, is_left) = match model.expressions.node(left) {
        Node::Pre(inner) => (inner, true),
        _ => (left, false),
    };
    match model.expressions.node(inner) {
        Node::Variable(variable, 0) => Some(Given { variable, value, is_left }),
        _ => None,
    }
}

/// Says which scenarios overlap, share a name or have no mode.
pub(crate) fn check_scenarios(dae: &MultimodeDae, initial: &InitialModes, diagnostics: &mut Diagnostics) {
    let scenarios = &dae.model.scenarios;
    check_names(scenarios, diagnostics);
    if initial.scenarios.len() > 1 {
        check_overlaps(dae, initial, diagnostics);
    }
    for scenario in initial.scenarios.iter().filter(|scenario| scenario.modes.is_empty()) {
        diagnostics.push(without_modes(dae, scenario));
    }
}

fn without_modes(dae: &MultimodeDae, scenario: &InitialScenario) -> Diagnostic {
    let message = match scenario.id {
        Some(_) => format!("there is no initial mode for scenario `{}`", scenario.name),
        None => "there is no initial mode".to_string(),
    };
    let mut diagnostic = Diagnostic::error(Code::E0705, message);
    if scenario.id.is_some() {
        diagnostic = diagnostic.label(scenario.span, "its modes are none of those that the start values allow");
    }
    for fixed in fixed_modes(dae).iter().take(4) {
        let name = &dae.mode_variables[fixed.mode].name;
        diagnostic = diagnostic.label(fixed.span, format!("`{name}` starts {}", fixed.value));
    }
    diagnostic.help("change the modes of the scenario, or a fixed start value")
}

fn check_names(scenarios: &IndexVec<ScenarioId, Scenario>, diagnostics: &mut Diagnostics) {
    let mut first: FxHashMap<&str, Span> = FxHashMap::default();
    for scenario in scenarios.iter() {
        if let Some(before) = first.insert(&scenario.name, scenario.span) {
            diagnostics.push(
                Diagnostic::error(Code::E0707, format!("two scenarios are called `{}`", scenario.name))
                    .label(scenario.span, "again here")
                    .label(before, "first here"),
            );
        }
    }
}

/// Scenarios exclude each other by definition: a mode that two of them claim has no start of its own.
fn check_overlaps(dae: &MultimodeDae, initial: &InitialModes, diagnostics: &mut Diagnostics) {
    let InitialModes { space, .. } = initial;
    let mut formulas = Formulas::new(space, &dae.model.expressions);
    let allowed = Invariant::new(space, &model_invariants(dae, space, &mut formulas));
    let names: Vec<String> = mode_names(dae);
    let printer = modeshift_modes::FormulaPrinter::new(space, &allowed, &names);
    let mut earlier: Vec<(ModeSet, &Scenario)> = Vec::new();
    let mut covered = ModeSet::EMPTY;
    for scenario in dae.model.scenarios.iter() {
        let when = formulas.modes(scenario.when).unwrap_or(ModeSet::ALL);
        if allowed.allows(space, space.and(covered, when)) {
            let overlaps = |&&(modes, _): &&(ModeSet, &Scenario)| allowed.allows(space, space.and(modes, when));
            let Some(&(modes, other)) = earlier.iter().find(overlaps) else { return }; // a limit was exceeded
            let both = printer.print(space.and(modes, when)).text;
            let message = format!("scenarios `{}` and `{}` overlap", other.name, scenario.name);
            let diagnostic = Diagnostic::error(Code::E0706, message)
                .label(scenario.span, "this one")
                .label(other.span, "and this one")
                .when(both);
            diagnostics.push(diagnostic.help("let them exclude each other, or choose one with --scenario"));
        }
        covered = space.or(covered, when);
        earlier.push((when, scenario));
    }
}

/// The names of mode variables and, behind them, of scenarios.
pub(crate) fn mode_names(dae: &MultimodeDae) -> Vec<String> {
    let modes = dae.mode_variables.ids().map(|id| dae.mode_variables[id].name.to_string());
    modes.chain(dae.model.scenarios.iter().map(|scenario| format!("scenario {}", scenario.name))).collect()
}

/// The scenario variables of a model.
pub(crate) fn scenario_variables(dae: &MultimodeDae) -> Vec<ModeVariable> {
    let modes = dae.mode_variables.len();
    (0..dae.model.scenarios.len()).map(|number| ModeVariable((modes + number) as u32)).collect()
}
