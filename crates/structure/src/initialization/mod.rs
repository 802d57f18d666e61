//! Consistent initialization of all modes and scenarios at once: is the start determined, and if not, by what would it be?
//!
//! | stage | makes |
//! |---|---|
//! | `scenarios` | the space of initial modes and scenarios |
//! | `parameters` | which parameters have to be found, in which modes and scenarios |
//! | `discrete_reals` | which discrete Reals conditions may determine |
//! | `carry` | what the analysis of long modes found, in that space |
//! | `prolongation` | derivatives above the leading ones that initial equations mention |
//! | `system` | [`System`]: equations with their derivatives, states, conditions, as an algebraic system |
//! | `matching` | one matching per mode and scenario, conditions in order of their importance |
//! | `proposal` | which states to fix where the start is underdetermined |
//! | `cases` | [`InitialCase`]: verdicts by disjoint cases of modes |
//! | `one_mode` | [`OneMode`]: the blocks of one mode for the numeric solver, and smallest conflicts |
//!
//! E22 §7.

mod carry;
mod cases;
mod discrete_reals;
mod matching;
mod one_mode;
mod parameters;
mod prolongation;
mod proposal;
mod scenarios;
mod system;

use modeshift_dae::{EquationId, Id, IndexVec, ModeVariableId, MultimodeDae, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_modes::{FormulaPrinter, Invariant, Limit, LimitKind, ModeSet, ModeSpace, ModeVariable};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::matching::offsets::Thermometer;
use crate::{
    Analysis, BlockCap, ConditionalDependencyGraph, Matching, Offsets, Options, Parts, cycles, dependency_graph,
    dulmage_mendelsohn,
};
use matching::Pairs;
use system::Built;

pub use cases::{Conditional, InitialCase, InitialVerdict};
pub use one_mode::{OneMode, OneModeBlock};
pub use scenarios::{InitialChoice, InitialScenario, fixed_values};
pub use system::{NotDifferentiated, Origin, System};

/// The initialization of a model in all its modes and scenarios.
#[derive(Debug)]
pub struct Initialization {
    /// It is of the modes in which these mode variables have these values.
    within: Vec<(ModeVariableId, bool)>,
    /// Whether those are the modes in which all machines begin, because the start of all modes outgrew its budget.
    is_of_first_states: bool,
    /// Modes and scenarios: the mode variables of the model, behind them one variable per scenario.
    pub space: ModeSpace,
    /// The initial modes that are possible, and in which scenario.
    pub invariant: Invariant,
    /// The scenarios.
    pub scenarios: Vec<InitialScenario>,
    /// Equations, unknowns and conditions.
    pub system: System,
    /// One matching per mode and scenario.
    pub matching: Matching,
    /// What is over- and underdetermined.
    pub parts: Parts,
    /// The modes in which fixing this variable is proposed: together they determine the start.
    pub proposal: IndexVec<VariableId, ModeSet>,
    /// The modes in which the model itself is singular: its start means nothing there.
    pub singular: ModeSet,
    /// Equations that are near each other are near here.
    order: Vec<EquationId>,
    /// How many blocks are listed.
    cap: BlockCap,
}

/// Analyzes the start of a model whose long modes have been analyzed; what is wrong with scenarios and start values
/// themselves goes to `diagnostics`.
pub fn initialization(
    dae: &MultimodeDae,
    analysis: &Analysis,
    choice: &InitialChoice,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Result<Initialization, Limit> {
    let within = [&analysis.within[..], &choice.within].concat();
    let choice = &InitialChoice { within: within.clone(), ..choice.clone() };
    let initial = scenarios::initial_modes(dae, analysis.space.order(), choice, options);
    let mut found = Diagnostics::new();
    scenarios::check_scenarios(dae, &initial, &mut found);
    initial.space.check()?;
    diagnostics.extend(found);
    let mut matched = matched_system(dae, analysis, &initial, &[])?;
    let sought = if matched.has_too_many_conditions() { discrete_reals::sought(dae) } else { Vec::new() };
    if !sought.is_empty() {
        matched = matched_system(dae, analysis, &initial, &sought)?;
        matched.let_starts_go(&sought);
    }
    let MatchedSystem { built: Built { system, carried, .. }, order, matching } = matched;
    let scenarios::InitialModes { space, invariant, scenarios } = initial;
    let parts = dulmage_mendelsohn(&space, &system.incidence, &matching, &order)?;
    let proposal = proposal::proposal(&space, &system, &matching, &parts, &order)?;
    let (singular, cap) = (carried.singular, options.cap);
    let initialization = Initialization {
        within,
        is_of_first_states: false,
        space,
        invariant,
        scenarios,
        system,
        matching,
        parts,
        proposal,
        singular,
        order,
        cap,
    };
    let mut found = Diagnostics::new();
    check_absent_variables(dae, &initialization, &mut found);
    initialization.space.check()?;
    diagnostics.extend(found);
    Ok(initialization)
}

/// A system with its matching.
struct MatchedSystem {
    built: Built,
    order: Vec<EquationId>,
    matching: Matching,
}

fn matched_system(
    dae: &MultimodeDae,
    analysis: &Analysis,
    initial: &scenarios::InitialModes,
    sought: &[VariableId],
) -> Result<MatchedSystem, Limit> {
    let space = &initial.space;
    space.set_task("setting up the initialization");
    let built = system::build(dae, analysis, initial, sought);
    space.check()?;
    let order = locality(&built, &analysis.order);
    space.set_task("matching initial conditions");
    let matching = match_conditions(space, analysis, &built, &order)?;
    Ok(MatchedSystem { built, order, matching })
}

impl MatchedSystem {
    fn has_too_many_conditions(&self) -> bool {
        let origins = self.built.system.origins.iter_enumerated();
        let mut conditions = origins.filter(|(_, origin)| origin.is_condition()).map(|(id, _)| id);
        conditions.any(|id| !self.matching.unmatched_equations[id].is_empty())
    }

    /// The start values of variables that something else determines are guesses, and not too many.
    fn let_starts_go(&mut self, sought: &[VariableId]) {
        for (id, origin) in self.built.system.origins.iter_enumerated() {
            if matches!(origin, Origin::Start(variable) if sought.contains(variable)) {
                self.matching.unmatched_equations[id] = ModeSet::EMPTY;
            }
        }
    }
}

/// Decision-diagram nodes per equation of the model beyond which a start counts as one that depends on modes far away. Local ones
/// need one to ten.
const NODES_PER_EQUATION: usize = 10;
/// So many nodes, half a second of work, are allowed in any case.
const LEAST_BUDGET: usize = 1 << 20;

/// The same, but nothing where sets of modes outgrow a budget that the options do not ask for.
pub fn initialization_within_budget(
    dae: &MultimodeDae,
    analysis: &Analysis,
    choice: &InitialChoice,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Initialization>, Limit> {
    let budget = LEAST_BUDGET.max(NODES_PER_EQUATION * dae.model.equations.len());
    if options.node_limit.is_some_and(|limit| limit <= budget) {
        return initialization(dae, analysis, choice, options, diagnostics).map(Some);
    }
    let within_budget = Options { node_limit: Some(budget), ..options.clone() };
    let mut found = Diagnostics::new();
    match initialization(dae, analysis, choice, &within_budget, &mut found) {
        Ok(start) => {
            start.space.lift_limits();
            options.limit(&start.space);
            diagnostics.extend(found);
            Ok(Some(start))
        }
        Err(Limit { kind: LimitKind::Nodes(_), .. }) => Ok(None),
        Err(limit) => Err(limit),
    }
}

/// The start where all machines are in their first states, for a model whose start in all modes outgrows its budget; nothing where
/// there are no machines.
pub fn initialization_of_first_states(
    dae: &MultimodeDae,
    analysis: &Analysis,
    choice: &InitialChoice,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Initialization>, Limit> {
    let first = first_states(dae);
    if first.is_empty() {
        return Ok(None);
    }
    let choice = InitialChoice { within: [&choice.within[..], &first].concat(), ..choice.clone() };
    let found = initialization(dae, analysis, &choice, options, diagnostics)?;
    Ok(Some(Initialization { is_of_first_states: true, ..found }))
}

/// The mode in which all machines begin.
fn first_states(dae: &MultimodeDae) -> Vec<(ModeVariableId, bool)> {
    let states = dae.model.machines.iter().flat_map(|machine| &machine.states);
    let of_machines: FxHashSet<VariableId> = states.map(|state| state.active).collect();
    let is_state = |variable: Option<VariableId>| variable.is_some_and(|it| of_machines.contains(&it));
    let modes = dae.mode_variables.iter_enumerated().filter(|(_, mode)| is_state(mode.variable));
    modes.filter_map(|(id, mode)| Some((id, mode.initial?))).collect()
}

/// The equations of initialization along the model: each condition next to the first equation with one of its variables.
fn locality(built: &Built, order: &[EquationId]) -> Vec<EquationId> {
    let system = &built.system;
    let mut place: IndexVec<EquationId, u32> = built.first.iter().map(|_| u32::MAX).collect();
    for (at, &equation) in order.iter().enumerate() {
        place[equation] = at as u32;
    }
    let mut first_place: IndexVec<VariableId, u32> = system.incidence.variables().iter().map(|_| u32::MAX).collect();
    let mut keys: Vec<(u32, EquationId)> = Vec::with_capacity(system.origins.len());
    for (id, origin) in system.origins.iter_enumerated() {
        let edges = || system.incidence.edges_of_equation(id);
        let at = match origin {
            Origin::Model(derivative) => place[derivative.of],
            _ => edges().map(|edge| first_place[system.incidence.variable(edge)]).min().unwrap_or(u32::MAX),
        };
        for edge in edges() {
            let first = &mut first_place[system.incidence.variable(edge)];
            *first = at.min(*first);
        }
        keys.push((at, id));
    }
    keys.sort_unstable();
    keys.into_iter().map(|(_, id)| id).collect()
}

/// The matching of the long modes and all their derivatives, then whatever else holds, in order.
fn match_conditions(
    space: &ModeSpace,
    analysis: &Analysis,
    built: &Built,
    order: &[EquationId],
) -> Result<Matching, Limit> {
    let Built { system, carried, first } = built;
    let mut pairs = Pairs::new(space, &system.incidence, order);
    for edge in analysis.incidence.edges().filter(|&edge| !carried.matched[edge].is_empty()) {
        let (equation, of) = (analysis.incidence.equation(edge), analysis.incidence.variable(edge));
        for &(occurring, within) in &carried.orders[edge] {
            let modes = space.and(carried.matched[edge], within);
            for differentiated in 0..=carried.equation_offsets[equation].maximum() {
                let quantity = crate::Derivative { of, order: occurring + differentiated };
                if let Some(variable) = system.variable(quantity) {
                    let number = EquationId::from_index(first[equation].index() + differentiated as usize);
                    pairs.pair(number, variable, modes);
                }
            }
        }
    }
    // Equations come before conditions, and initial equations before start values.
    let is_start = |origin: &Origin| matches!(origin, Origin::Start(_));
    let kind = |origin: &Origin| (origin.is_condition(), is_start(origin));
    let ids: Vec<EquationId> = system.origins.ids().collect();
    for equations in ids.chunk_by(|&one, &next| kind(&system.origins[one]) == kind(&system.origins[next])) {
        pairs.match_equations(equations, order)?;
    }
    Ok(pairs.matching())
}

fn nothing_differentiated(system: &System) -> Offsets {
    Offsets {
        equations: system.incidence.equations().iter().map(|_| Thermometer::default()).collect(),
        variables: system.incidence.variables().iter().map(|_| Thermometer::default()).collect(),
    }
}

/// Says where a condition is about a variable that does not exist then.
fn check_absent_variables(dae: &MultimodeDae, initialization: &Initialization, diagnostics: &mut Diagnostics) {
    let Initialization { space, system, .. } = initialization;
    let names = initialization.mode_names(dae);
    let printer = initialization.printer(&names);
    let conditions = |missing: &&crate::MissingVariable| system.origins[missing.equation].is_condition();
    for missing in system.incidence.missing_variables().iter().filter(conditions) {
        let of = system.quantities[missing.variable].of;
        let declared = &dae.model.variables[of];
        let modes = initialization.without_scenarios(dae, space.difference(missing.modes, initialization.singular));
        if modes.is_empty() {
            continue;
        }
        let message = format!("`{}` does not exist in all modes of this initial equation", declared.name);
        let when = printer.print(modes).text;
        diagnostics.push(
            Diagnostic::error(Code::E0703, message)
                .label(system.span(missing.equation), "holds at the start")
                .label(declared.span, format!("`{}` is declared here", declared.name))
                .when(when)
                .help("put the initial equation into an `if` with the modes in which the variable exists"),
        );
    }
    // States of machines begin with their start values whenever they are entered.
    let states = dae.model.machines.iter().flat_map(|machine| &machine.states);
    let begin_later: std::collections::BTreeSet<VariableId> =
        states.flat_map(|state| state.variables.iter().copied()).collect();
    for (equation, origin) in system.origins.iter_enumerated() {
        if let Origin::Start(variable) = *origin
            && !begin_later.contains(&variable)
            && system.incidence.equations()[equation].guard.is_empty()
            && initialization.scenarios.iter().any(|scenario| !scenario.modes.is_empty())
        {
            let declared = &dae.model.variables[variable];
            let message = format!("the start value of `{}` has no effect: it exists in no initial mode", declared.name);
            let mut warning = Diagnostic::warning(Code::W0704, message).label(system.span(equation), "fixed here");
            if declared.span != system.span(equation) {
                warning = warning.label(declared.span, "declared here");
            }
            diagnostics.push(warning);
        }
    }
}

impl Initialization {
    /// Whether a run would look for its start here: no mode that an analysis knows is left out, or machines begin in them.
    pub fn is_as_in_a_run(&self, analysis: &Analysis) -> bool {
        if self.is_of_first_states {
            return true;
        }
        let known: FxHashMap<ModeVariableId, bool> = analysis.within.iter().copied().collect();
        self.within.iter().all(|(mode, value)| known.get(mode) == Some(value))
    }

    /// Blocks and their dependencies: what is solved one after the other. Only who lists them needs them.
    pub fn graph(&self) -> Result<ConditionalDependencyGraph, Limit> {
        let Initialization { space, system, matching, parts, order, .. } = self;
        let cycles = cycles(space, &system.incidence, matching, parts, order)?;
        let offsets = nothing_differentiated(system);
        dependency_graph(space, &system.incidence, matching, &offsets, parts, &cycles, self.cap)
    }

    /// The names of all variables of the space, for printing.
    pub fn mode_names(&self, dae: &MultimodeDae) -> Vec<String> {
        scenarios::mode_names(dae)
    }

    /// Prints sets of modes.
    pub fn printer<'a>(&'a self, names: &'a [String]) -> FormulaPrinter<'a> {
        FormulaPrinter::new(&self.space, &self.invariant, names)
    }

    /// The modes of a set, whatever the scenario.
    pub fn without_scenarios(&self, dae: &MultimodeDae, set: ModeSet) -> ModeSet {
        match scenarios::scenario_variables(dae) {
            none if none.is_empty() => set,
            variables => self.space.exists(set, &variables),
        }
    }

    /// The modes that are possible at the start, as one set.
    pub fn possible_modes(&self) -> ModeSet {
        self.space.intersection(self.invariant.components())
    }

    /// A mode out of a set of initial modes, with every variable of the space that matters.
    pub fn example(&self, set: ModeSet) -> Option<Vec<(ModeVariable, bool)>> {
        self.space.pick(self.space.and(set, self.possible_modes()))
    }
}
