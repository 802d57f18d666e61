//! Random multimode models with scenarios: each mode and scenario is also set up by itself, from the equations as they
//! are in that mode, and decomposed by plain Dulmage–Mendelsohn.

use crate::common;
use crate::common::single_mode;
use std::collections::{BTreeMap, BTreeSet};

use common::{Random, System, Table};
use modeshift_dae::{
    Discrete, Equation, EquationKind, ExpressionId, FlatModel, Id, InitialEquation, Invariant, InvariantOrigin,
    ModeVariable, ModeVariableId, MultimodeDae, Node, Scenario, ScenarioId, Type, Variability, Variable, VariableId,
    assume_modes, differentiate_times,
};
use modeshift_diagnostics::{Diagnostics, Span};
use modeshift_modes::ModeSet;
use modeshift_structure::initialization::{InitialChoice, Initialization, Origin, initialization};
use modeshift_structure::one_mode::Signature;
use modeshift_structure::{Options, analyze};
use single_mode::{Parts, Structure};

/// A random model: equations, guards and modes of a random system, with initial conditions.
struct Model {
    dae: MultimodeDae,
    system: System,
    conditions: Vec<Condition>,
    scenarios: Vec<Table>,
}

struct Condition {
    modes: Table,
    scenario: Option<ScenarioId>,
    residual: ExpressionId,
}

/// A formula that holds in exactly these modes.
fn formula(model: &mut FlatModel, mode_variables: u32, table: Table) -> ExpressionId {
    let mut any = model.expressions.boolean(false);
    for mode in (0..1u32 << mode_variables).filter(|&mode| table.contains(mode)) {
        let mut all = model.expressions.boolean(true);
        for variable in 0..mode_variables {
            let literal = model.expressions.mode(ModeVariableId(variable));
            let literal = if mode >> variable & 1 == 1 { literal } else { model.expressions.not(literal) };
            all = model.expressions.and(all, literal);
        }
        any = model.expressions.or(any, all);
    }
    any
}

impl Model {
    fn random(random: &mut Random) -> Model {
        let system = System::random(random);
        let count = system.mode_variables;
        let mut model = FlatModel::new("random");
        for (number, &guard) in system.variables.iter().enumerate() {
            let guard = formula(&mut model, count, guard);
            let start = random.chance(40).then(|| model.expressions.integer(number as i64));
            let fixed = (random.chance(30)).then_some(true);
            model.variables.push(variable(number, guard, start, fixed));
        }
        for number in system.variables.len()..system.variables.len() + random.below(3) {
            let everywhere = model.expressions.boolean(true);
            let unknown = variable(number, everywhere, None, Some(false));
            model.variables.push(Variable { variability: Variability::Parameter, ..unknown });
        }
        for (number, &guard) in system.equations.iter().enumerate() {
            let left = residual(&mut model, random, &system, number as u32);
            let guard = formula(&mut model, count, guard);
            let right = model.expressions.integer(0);
            let (name, kind) = (format!("e{number}").into(), EquationKind::Continuous);
            model.equations.push(Equation { name, kind, guard, left, right, span: Span::default() });
        }
        for &table in &system.invariants {
            let condition = formula(&mut model, count, table);
            let guard = model.expressions.boolean(true);
            let origin = InvariantOrigin::Declared;
            model.invariants.push(Invariant { condition, origin, guard, span: Span::default() });
        }
        let scenarios = random_scenarios(&mut model, random, &system);
        let conditions = random_conditions(&mut model, random, &system, scenarios.len());
        let mode = |number: u32| ModeVariable {
            name: format!("b{number}").into(),
            variable: None,
            definition: None,
            implicit: false,
            initial: None,
            span: Span::default(),
        };
        let dae = MultimodeDae {
            model,
            mode_variables: (0..count).map(mode).collect(),
            named_formulas: Vec::new(),
            discrete: Discrete::default(),
        };
        Model { dae, system, conditions, scenarios }
    }
}

fn variable(number: usize, guard: ExpressionId, start: Option<ExpressionId>, fixed: Option<bool>) -> Variable {
    let name = format!("x{number}");
    Variable { start, fixed, ..Variable::new(name, Type::Real, Variability::Continuous, guard) }
}

/// A sum of derivatives, some squared, each in its modes.
fn residual(model: &mut FlatModel, random: &mut Random, system: &System, equation: u32) -> ExpressionId {
    let zero = model.expressions.integer(0);
    let mut sum = zero;
    let occurrences = system.occurrences.iter().filter(|occurrence| occurrence.0 == equation);
    for &(_, variable, order, modes) in occurrences {
        let mut term = model.expressions.variable(VariableId(variable), order);
        if random.chance(40) {
            term = model.expressions.product(term, term);
        }
        let condition = formula(model, system.mode_variables, modes);
        let term = model.expressions.if_then_else(condition, term, zero);
        sum = model.expressions.sum(sum, term);
    }
    sum
}

fn random_table(random: &mut Random, mode_variables: u32) -> Table {
    match random.below(3) {
        0 => Table::ALL,
        _ => (0..1u32 << mode_variables)
            .fold(Table(0), |table, mode| Table(table.0 | u32::from(random.chance(60)) << mode)),
    }
}

fn random_scenarios(model: &mut FlatModel, random: &mut Random, system: &System) -> Vec<Table> {
    let tables: Vec<Table> = (0..random.below(3)).map(|_| random_table(random, system.mode_variables)).collect();
    for (number, &table) in tables.iter().enumerate() {
        let when = formula(model, system.mode_variables, table);
        model.scenarios.push(Scenario { name: format!("s{number}").into(), when, span: Span::default() });
    }
    tables
}

/// Initial equations between derivatives, only where their variables exist, and parameters that have to be found.
fn random_conditions(model: &mut FlatModel, random: &mut Random, system: &System, scenarios: usize) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for _ in 0..random.below(5) {
        let mut modes = random_table(random, system.mode_variables);
        let mut left = model.expressions.integer(0);
        for _ in 0..1 + random.below(2) {
            let variable = random.below(system.variables.len());
            modes = Table(modes.0 & system.variables[variable].0);
            let order = if random.chance(60) { 0 } else { random.below(4) as u32 };
            let term = model.expressions.variable(VariableId(variable as u32), order);
            left = model.expressions.sum(left, term);
        }
        for parameter in system.variables.len()..model.variables.len() {
            if random.chance(30) {
                let term = model.expressions.variable(VariableId(parameter as u32), 0);
                left = model.expressions.sum(left, term);
            }
        }
        let scenario = (scenarios > 0 && random.chance(60)).then(|| ScenarioId(random.below(scenarios) as u32));
        let guard = formula(model, system.mode_variables, modes);
        let right = model.expressions.integer(1);
        model.initial_equations.push(InitialEquation { left, right, guard, scenario, span: Span::default() });
        conditions.push(Condition { modes, scenario, residual: left });
    }
    conditions
}

/// Equations by name, variables as (number, order).
type Row = (String, BTreeSet<(u32, u32)>);
/// Equations and unknowns of one mode.
type Rows = (Vec<Row>, Vec<(u32, u32)>);

impl Model {
    /// The derivatives that occur in an expression in one mode.
    fn occurring(&self, model: &mut FlatModel, expression: ExpressionId, mode: u32) -> BTreeSet<(u32, u32)> {
        let there = assume_modes(&mut model.expressions, expression, |variable| Some(mode >> variable.0 & 1 == 1));
        let mut found = BTreeSet::new();
        model.expressions.for_each(there, |_, node| {
            if let Node::Variable(variable, order) = node {
                found.insert((variable.0, order));
            }
            true
        });
        found
    }

    /// Whether any condition, in whatever modes, mentions a parameter.
    fn is_mentioned(&self, parameter: u32) -> bool {
        let mut found = false;
        for condition in &self.conditions {
            self.dae.model.expressions.for_each(condition.residual, |_, node| {
                found |= node == Node::Variable(VariableId(parameter), 0);
                true
            });
        }
        found
    }

    /// All equations and unknowns of one mode and scenario, prolonged everywhere as far as anything is mentioned;
    /// nothing if the long mode is singular.
    fn rows(&self, mode: u32, scenario: Option<ScenarioId>) -> Option<Rows> {
        let mut model = self.dae.model.clone();
        let variables: Vec<u32> = (0..self.system.variables.len() as u32)
            .filter(|&it| self.system.variables[it as usize].contains(mode))
            .collect();
        let equations: Vec<u32> = (0..self.system.equations.len() as u32)
            .filter(|&it| self.system.equations[it as usize].contains(mode))
            .collect();
        let mut signature = Signature::new(variables.len());
        let column =
            |variable: u32| variables.iter().position(|&it| it == variable).expect("an active variable") as u32;
        for &equation in &equations {
            let left = model.equations[modeshift_dae::EquationId(equation)].left;
            let mut highest: BTreeMap<u32, u32> = BTreeMap::new();
            for (variable, order) in self.occurring(&mut model, left, mode) {
                let known = highest.entry(column(variable)).or_insert(0);
                *known = order.max(*known);
            }
            signature.push(highest);
        }
        let Structure::Regular(regular) = single_mode::analyze(&signature) else { return None };
        let mut leading: BTreeMap<u32, u32> = variables.iter().copied().zip(regular.d.iter().copied()).collect();
        let parameters = self.system.variables.len() as u32..self.dae.model.variables.len() as u32;
        leading.extend(parameters.clone().map(|it| (it, 0)));
        let mut rows: Vec<Row> = Vec::new();
        let mut mentioned = 0;
        for (number, condition) in self.conditions.iter().enumerate() {
            let applies = condition.scenario.is_none() || condition.scenario == scenario;
            if applies && condition.modes.contains(mode) {
                let occurring = self.occurring(&mut model, condition.residual, mode);
                let beyond = occurring.iter().map(|&(variable, order)| order.saturating_sub(leading[&variable]));
                mentioned = beyond.max().unwrap_or(0).max(mentioned);
                rows.push((format!("condition {number}"), occurring));
            }
        }
        for &variable in &variables {
            if model.variables[VariableId(variable)].fixed == Some(true) {
                rows.push((format!("start {variable}"), BTreeSet::from([(variable, 0)])));
            }
        }
        for (row, &equation) in equations.iter().enumerate() {
            let left = model.equations[modeshift_dae::EquationId(equation)].left;
            for order in 0..=regular.c[row] + mentioned {
                let derived = differentiate_times(&mut model, left, order).expect("polynomials are differentiable");
                rows.push((format!("e{equation} {order}"), self.occurring(&mut model, derived, mode)));
            }
        }
        let unknowns = variables.iter().flat_map(|&it| (0..=leading[&it] + mentioned).map(move |order| (it, order)));
        let mut unknowns: Vec<(u32, u32)> = unknowns.collect();
        // A parameter is to be found where a condition that mentions it holds, and where none does in any mode.
        let occurs = |it: u32| rows.iter().any(|(_, occurring)| occurring.contains(&(it, 0)));
        unknowns.extend(parameters.filter(|&it| occurs(it) || !self.is_mentioned(it)).map(|it| (it, 0)));
        Some((rows, unknowns))
    }
}

/// Names of what is over- and underdetermined in one mode, and how many conditions are too many and missing.
#[derive(Debug, PartialEq, Eq)]
struct Decomposition {
    overdetermined_equations: BTreeSet<String>,
    overdetermined_variables: BTreeSet<(u32, u32)>,
    underdetermined_equations: BTreeSet<String>,
    underdetermined_variables: BTreeSet<(u32, u32)>,
    too_many: usize,
    missing: usize,
}

fn plain(
    rows: &[Row],
    unknowns: &[(u32, u32)],
    known: impl Fn(&str) -> bool,
    variable_known: impl Fn((u32, u32)) -> bool,
) -> Decomposition {
    let mut signature = Signature::new(unknowns.len());
    for (_, occurring) in rows {
        let columns = occurring.iter().map(|it| unknowns.binary_search(it).expect("everything that occurs is unknown"));
        signature.push(columns.map(|column| (column as u32, 0)));
    }
    let parts = match single_mode::analyze(&signature) {
        Structure::Regular(_) => Parts::default(),
        Structure::Singular(parts) => parts,
    };
    let names =
        |list: &[u32]| list.iter().map(|&row| rows[row as usize].0.clone()).filter(|name| known(name)).collect();
    let quantities =
        |list: &[u32]| list.iter().map(|&column| unknowns[column as usize]).filter(|&it| variable_known(it)).collect();
    Decomposition {
        overdetermined_equations: names(&parts.overdetermined_equations),
        overdetermined_variables: quantities(&parts.overdetermined_variables),
        underdetermined_equations: names(&parts.underdetermined_equations),
        underdetermined_variables: quantities(&parts.underdetermined_variables),
        too_many: parts.overdetermined_equations.len() - parts.overdetermined_variables.len(),
        missing: parts.underdetermined_variables.len() - parts.underdetermined_equations.len(),
    }
}

/// The same from the analysis of all modes.
struct AllModes<'a> {
    start: &'a Initialization,
    mode_count: u32,
    mode: u32,
    scenario: Option<ScenarioId>,
}

impl AllModes<'_> {
    fn is_in(&self, set: ModeSet) -> bool {
        self.start.space.evaluate(set, |variable| match variable.0.checked_sub(self.mode_count) {
            None => self.mode >> variable.0 & 1 == 1,
            Some(scenario) => self.scenario == Some(ScenarioId(scenario)),
        })
    }

    fn name(&self, equation: modeshift_dae::EquationId) -> String {
        match self.start.system.origins[equation] {
            Origin::Model(derivative) => format!("e{} {}", derivative.of.0, derivative.order),
            Origin::Equation(number) => format!("condition {number}"),
            Origin::Start(variable) => format!("start {}", variable.0),
            Origin::Binding(_) => unreachable!("no parameter has a value"),
        }
    }

    fn quantity(&self, variable: VariableId) -> (u32, u32) {
        let quantity = self.start.system.quantities[variable];
        (quantity.of.0, quantity.order)
    }

    fn members<I: Id, T: Ord>(&self, sets: &modeshift_dae::IndexVec<I, ModeSet>, name: impl Fn(I) -> T) -> BTreeSet<T> {
        sets.iter_enumerated().filter(|&(_, &set)| self.is_in(set)).map(|(id, _)| name(id)).collect()
    }

    fn decomposition(&self) -> Decomposition {
        let Initialization { parts, matching, proposal, .. } = self.start;
        Decomposition {
            overdetermined_equations: self.members(&parts.overdetermined_equations, |id| self.name(id)),
            overdetermined_variables: self.members(&parts.overdetermined_variables, |id| self.quantity(id)),
            underdetermined_equations: self.members(&parts.underdetermined_equations, |id| self.name(id)),
            underdetermined_variables: self.members(&parts.underdetermined_variables, |id| self.quantity(id)),
            too_many: self.members(&matching.unmatched_equations, |id| self.name(id)).len(),
            missing: self.members(proposal, |id| self.quantity(id)).len(),
        }
    }
}

/// Compares all modes and scenarios of a model; returns how many there were, and how many were not determined.
fn check_model(model: &Model) -> (usize, usize) {
    let options = Options::default();
    let analysis = analyze(&model.dae, &options).expect("no limit was set");
    let mut diagnostics = Diagnostics::new();
    let choice = InitialChoice::default();
    let start = initialization(&model.dae, &analysis, &choice, &options, &mut diagnostics).expect("no limit was set");
    let (mut compared, mut undetermined) = (0, 0);
    for mode in model.system.modes() {
        let numbers = 0..model.scenarios.len() as u32;
        let scenarios: Vec<Option<ScenarioId>> = match model.scenarios.is_empty() {
            true => vec![None],
            false => numbers
                .filter(|&it| model.scenarios[it as usize].contains(mode))
                .map(|it| Some(ScenarioId(it)))
                .collect(),
        };
        for scenario in scenarios {
            let Some((rows, unknowns)) = model.rows(mode, scenario) else { continue };
            let found = AllModes { start: &start, mode_count: model.system.mode_variables, mode, scenario };
            let guards = start.system.incidence.equations().iter().map(|vertex| vertex.guard).collect();
            let known_equations = found.members(&guards, |id: modeshift_dae::EquationId| found.name(id));
            let guards = start.system.incidence.variables().iter().map(|vertex| vertex.guard).collect();
            let known_variables = found.members(&guards, |id: VariableId| found.quantity(id));
            let expected =
                plain(&rows, &unknowns, |name| known_equations.contains(name), |it| known_variables.contains(&it));
            let decomposition = found.decomposition();
            assert_eq!(decomposition, expected, "mode {mode:b}, scenario {scenario:?}");
            check_one_mode(&found, &decomposition, &known_variables);
            compared += 1;
            undetermined += usize::from(expected.too_many + expected.missing > 0);
        }
    }
    (compared, undetermined)
}

/// The blocks of a mode determine everything that is not fixed, and nothing twice.
fn check_one_mode(found: &AllModes<'_>, decomposition: &Decomposition, known_variables: &BTreeSet<(u32, u32)>) {
    let one_mode = found.start.one_mode(|variable| match variable.0.checked_sub(found.mode_count) {
        None => found.mode >> variable.0 & 1 == 1,
        Some(scenario) => found.scenario == Some(ScenarioId(scenario)),
    });
    let solved = one_mode.blocks.iter().flat_map(|block| &block.variables);
    let mut determined: Vec<(u32, u32)> = solved.chain(&one_mode.fixed).map(|&it| found.quantity(it)).collect();
    determined.sort_unstable();
    assert_eq!(determined, known_variables.iter().copied().collect::<Vec<_>>());
    assert_eq!((one_mode.too_many.len(), one_mode.fixed.len()), (decomposition.too_many, decomposition.missing));
}

fn check_random_models(seeds: std::ops::Range<u64>) {
    let (mut compared, mut undetermined) = (0, 0);
    for seed in seeds {
        let model = Model::random(&mut Random::new(seed));
        let (modes, singular) = check_model(&model);
        (compared, undetermined) = (compared + modes, undetermined + singular);
    }
    println!("{compared} modes and scenarios compared, {undetermined} of them not determined");
    assert!(undetermined > compared / 10 && undetermined < compared, "a fair mixture");
}

#[test]
fn three_thousand_random_models_agree_with_each_mode_and_scenario_by_itself() {
    check_random_models(0..3_000);
}

#[test]
#[ignore = "a long run: cargo test --release -p modeshift-structure --test suite a_hundred_thousand -- --ignored"]
fn a_hundred_thousand_random_models_agree_with_each_mode_and_scenario_by_itself() {
    check_random_models(3_000..103_000);
}
