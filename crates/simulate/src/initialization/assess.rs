//! Numbers for the verdicts: which modes are possible at the start, which conditions that are too many contradict the
//! others, and the start values themselves.

use std::collections::BTreeMap;

use modeshift_dae::{EquationId, ExpressionId, ExpressionText, FlatModel, MultimodeDae, Node};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_modes::{ModeSet, ModeVariable};
use modeshift_numerics::{NativeFunctions, Parameters};
use modeshift_structure::Analysis;
use modeshift_structure::initialization::{Conditional, InitialCase, InitialScenario, InitialVerdict, Initialization};

use super::explain::{explain_failure, explain_solution};
use super::problem::{InitialProblem, StartSettings};
use super::search::{InitialState, NoStart};
use super::solve::{Disagreement, ModeFailure};
use crate::run::{RunModel, RunSettings, missing_functions};

/// Unknowns that may be solved for in all modes whose conditions are assessed.
const MOST_WORK: usize = 200_000;

/// Unknowns of a start beyond which its first instant is left to runs: making a model ready for one costs as much as its analysis.
const MOST_OF_FIRST_INSTANT: usize = 20_000;

/// A scenario with its cases and, where it was asked for and found, its start.
pub struct AssessedScenario {
    /// The scenario.
    pub scenario: InitialScenario,
    /// Its cases.
    pub cases: Vec<AssessedCase>,
    /// Its start.
    pub state: Option<InitialState>,
    /// Whether a start was looked for and not found.
    pub failed: bool,
    /// Whether no mode agrees with the start values as they stand, and its start is what the first instant makes of them.
    pub after_first_instant: bool,
}

/// A case with what numbers say about it.
pub struct AssessedCase {
    /// The case.
    pub case: InitialCase,
    /// Whether time and parameters allow these modes at the start.
    pub possible: bool,
    /// Conditions that are too many but agree with the others.
    pub redundant: Vec<Conditional<EquationId>>,
    /// Conditions that are too many and contradict the others.
    pub conflicting: Vec<Conditional<EquationId>>,
    /// The smallest set of equations and conditions that contradict each other, in an example mode.
    pub conflict: Vec<EquationId>,
    /// An example mode.
    pub example: Vec<(ModeVariable, bool)>,
}

impl AssessedScenario {
    fn new(scenario: &InitialScenario) -> Self {
        AssessedScenario {
            scenario: scenario.clone(),
            cases: Vec::new(),
            state: None,
            failed: false,
            after_first_instant: false,
        }
    }

    /// Underdetermined if it is so in some possible mode; overdetermined if it contradicts itself in all of them.
    pub fn verdict(&self) -> InitialVerdict {
        let mut possible = self.cases.iter().filter(|case| case.possible).peekable();
        if self.after_first_instant {
            InitialVerdict::Determined
        } else if possible.clone().any(|case| !case.case.proposal.is_empty() && case.conflicting.is_empty()) {
            InitialVerdict::Underdetermined
        } else if possible.peek().is_some() && possible.all(|case| !case.conflicting.is_empty()) {
            InitialVerdict::Overdetermined
        } else {
            InitialVerdict::Determined
        }
    }
}

impl AssessedScenario {
    /// The cases with contradictions that an input of the model selects: for these values of the inputs, there is no
    /// start. Elsewhere the start itself selects a mode without contradictions.
    pub fn refused_by_inputs(&self, dae: &MultimodeDae, start: &Initialization) -> Vec<&AssessedCase> {
        let is_input = |variable: &ModeVariable| {
            let mode = dae.mode_variables.iter().nth(variable.index());
            mode.and_then(|mode| mode.variable).is_some_and(|variable| dae.model.variables[variable].input)
        };
        let all = (0..start.space.variable_count() as u32).map(ModeVariable);
        let (inputs, others): (Vec<_>, Vec<_>) = all.partition(is_input);
        if inputs.is_empty() || self.after_first_instant {
            return Vec::new();
        }
        let possible = || self.cases.iter().filter(|case| case.possible);
        let fine = possible().filter(|case| case.conflicting.is_empty()).map(|case| case.case.modes);
        let with_start = start.space.exists(start.space.union(fine), &others);
        let refused =
            |case: &&AssessedCase| !case.conflicting.is_empty() && !start.space.implies(case.case.modes, with_start);
        possible().filter(refused).collect()
    }
}

/// The start that a run of the model takes: that of the first scenario, with states that nothing determines at their
/// `start`.
pub fn start_of_run(dae: &MultimodeDae, start: &Initialization, diagnostics: &mut Diagnostics) -> Option<InitialState> {
    let (natives, overrides) = (NativeFunctions::of(&dae.model), BTreeMap::new());
    let mut of_parameters = Diagnostics::new();
    let parameters = Parameters::evaluate(&start.system.dae.model, &natives, &overrides, &mut of_parameters);
    let mut parameters = parameters.ok()?;
    let problem = InitialProblem::new(dae, start, &natives, &mut parameters, start_settings(dae));
    let state = problem.find_start(start.scenarios.first()?).ok()?;
    explain_solution(&problem, &state, diagnostics);
    Some(state)
}

fn start_settings(dae: &MultimodeDae) -> StartSettings {
    StartSettings { time: dae.model.experiment.start.unwrap_or(0.0), ..StartSettings::default() }
}

/// Which starts to look for, beside the verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Those that nothing is missing for.
    Determined,
    /// Those that a run would find, with states that nothing determines at their `start`; where the structure alone
    /// refuses a start, none is looked for.
    AsInARun,
}

/// How a start is looked for.
#[derive(Clone, Copy)]
pub struct Looked<'a> {
    /// The structure of the model, for its first instant.
    pub analysis: &'a Analysis,
    /// Which starts.
    pub search: Search,
    /// Whether fixed start values are left limits, so that the first instant may jump.
    pub impulsive_start: bool,
}

/// Assesses all scenarios, looks for their starts, and says what came of that and which parameters have no value.
pub fn assess(
    dae: &MultimodeDae,
    start: &Initialization,
    looked: Looked<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<AssessedScenario> {
    let (natives, overrides) = (NativeFunctions::of(&dae.model), BTreeMap::new());
    let mut of_parameters = Diagnostics::new();
    let mut parameters = Parameters::evaluate(&start.system.dae.model, &natives, &overrides, &mut of_parameters);
    match &mut parameters {
        Err(_) => diagnostics.extend(of_parameters),
        Ok(parameters) => {
            let outside = of_parameters.iter().filter(|it| it.code == Code::W0378);
            outside.for_each(|warning| diagnostics.push(warning.clone()));
            violated_by_parameters(&start.system.dae.model, parameters, diagnostics);
        }
    }
    let missing = missing_functions(&dae.model, &natives);
    let has_all_functions = missing.is_empty();
    missing.into_iter().for_each(|problem| diagnostics.push(problem));
    let settings = start_settings(dae);
    let problem = parameters
        .ok()
        .filter(|_| has_all_functions)
        .map(|mut parameters| InitialProblem::new(dae, start, &natives, &mut parameters, settings));
    let possible = problem.as_ref().map_or(ModeSet::ALL, |problem| possible_modes(start, problem));
    let mut work = MOST_WORK;
    let assess_scenario = |scenario: &InitialScenario| {
        let mut assessed = AssessedScenario::new(scenario);
        for (modes, is_possible) in [(possible, true), (!possible, false)] {
            for case in start.cases(scenario, modes) {
                assessed.cases.push(assess_case(start, problem.as_ref(), case, is_possible, &mut work));
            }
        }
        let refused = match looked.search {
            Search::Determined => InitialVerdict::Underdetermined,
            Search::AsInARun => InitialVerdict::Overdetermined,
        };
        if let Some(problem) = &problem
            && assessed.verdict() != refused
            && !assessed.cases.is_empty()
        {
            find_start(problem, looked, &mut assessed, diagnostics);
        } else if let Some(problem) = &problem
            && looked.impulsive_start
        {
            assessed.state = state_after_first_instant(problem, looked, scenario, None);
            assessed.after_first_instant = assessed.state.is_some();
        }
        assessed
    };
    start.scenarios.iter().map(assess_scenario).collect()
}

/// Assertions that parameters alone decide, and that do not hold.
fn violated_by_parameters(model: &FlatModel, parameters: &mut Parameters<'_>, diagnostics: &mut Diagnostics) {
    for assertion in model.assertions.iter().filter(|it| it.is_error) {
        let mut is = |condition, value: f64| parameters.value(condition) == Some(value);
        if is(assertion.guard, 1.0) && is(assertion.condition, 0.0) {
            let text = match model.expressions.node(assertion.message) {
                Node::String(text) => model.expressions.text(text).to_string(),
                _ => ExpressionText { model, modes: None, expression: assertion.message }.to_string(),
            };
            let message = format!("assertion violated by the values of parameters: {text}");
            let label = ExpressionText { model, modes: None, expression: assertion.condition };
            diagnostics.push(Diagnostic::error("E0821", message).label(assertion.span, format!("`{label}` is false")));
        }
    }
}

/// The modes that agree with what is known about mode variables before anything is solved.
fn possible_modes(start: &Initialization, problem: &InitialProblem<'_>) -> ModeSet {
    let literals = problem.known_modes().into_iter().map(|(mode, value)| {
        start.invariant.project(&start.space, start.space.assignment(ModeVariable(mode.0), value))
    });
    let possible = start.space.intersection(literals.collect::<Vec<_>>());
    // Fixed start values may contradict what is known; the search for the start says so.
    if possible.is_empty() { ModeSet::ALL } else { possible }
}

fn find_start(
    problem: &InitialProblem<'_>,
    looked: Looked<'_>,
    assessed: &mut AssessedScenario,
    diagnostics: &mut Diagnostics,
) {
    match problem.find_start(&assessed.scenario) {
        Ok(state) => {
            explain_solution(problem, &state, diagnostics);
            check_first_instant(problem, looked, &state, diagnostics);
            assessed.state = Some(state);
        }
        Err(failure) => match state_after_first_instant(problem, looked, &assessed.scenario, Some(&failure)) {
            Some(state) => {
                assessed.state = Some(state);
                assessed.after_first_instant = true;
            }
            None => {
                explain_failure(problem, &failure, diagnostics);
                assessed.failed = true;
            }
        },
    }
}

/// Says where a run from these values would not get through its first instant: an assertion is false, or its events do not end.
fn check_first_instant(
    problem: &InitialProblem<'_>,
    looked: Looked<'_>,
    state: &InitialState,
    diagnostics: &mut Diagnostics,
) {
    let model = &problem.dae.model;
    let asks_anything = model.assertions.iter().any(|it| it.is_error)
        || !model.when_clauses.is_empty()
        || problem.dae.discrete.kept().next().is_some()
        || problem.discrete.iter().any(|it| has_left_limit(model, it.value))
        || problem.dae.mode_variables.iter().any(|mode| mode.definition.is_some_and(|it| has_left_limit(model, it)));
    // What inputs are is not known before a run.
    let has_inputs = model.variables.iter().any(|it| it.input);
    let own = RunSettings::of(&model.experiment);
    let settings = RunSettings { impulsive_start: looked.impulsive_start || own.impulsive_start, ..own };
    let is_as_in_a_run = problem.start.is_as_in_a_run(looked.analysis) && problem.time == settings.start;
    if !asks_anything || has_inputs || !is_as_in_a_run || problem.size() > MOST_OF_FIRST_INSTANT {
        return;
    }
    let said = crate::run::failure_of_first_instant(problem, &settings, state);
    let is_of_the_model = |it: &&Diagnostic| matches!(it.code, Code::E0821 | Code::E0825);
    // One that parameters alone violate has been said.
    let is_new = |it: &&Diagnostic| !diagnostics.iter().any(|known| known.code == it.code && known.labels == it.labels);
    let new: Vec<Diagnostic> = said.iter().filter(is_of_the_model).filter(is_new).cloned().collect();
    new.into_iter().for_each(|it| diagnostics.push(it));
}

fn has_left_limit(model: &FlatModel, expression: ExpressionId) -> bool {
    model.expressions.contains(expression, |node| matches!(node, Node::Pre(_)))
}

/// What the first instant of a run makes of the start values, with all mode variables of initialization; `failure` is what the search
/// for start values came to, where there was one.
fn state_after_first_instant(
    problem: &InitialProblem<'_>,
    looked: Looked<'_>,
    scenario: &InitialScenario,
    failure: Option<&NoStart>,
) -> Option<InitialState> {
    if scenario.id.is_some() {
        return None;
    }
    let overrides = BTreeMap::new();
    let model =
        RunModel { dae: problem.dae, analysis: looked.analysis, natives: problem.natives, overrides: &overrides };
    let own = RunSettings::of(&problem.dae.model.experiment);
    let settings = RunSettings { impulsive_start: looked.impulsive_start || own.impulsive_start, ..own };
    // A run would search in the same modes, and need not do so again.
    let is_as_in_a_run = problem.start.is_as_in_a_run(looked.analysis) && problem.time == settings.start;
    let state = match failure.filter(|_| is_as_in_a_run) {
        Some(failure) if failure.is_about_discrete_variables() => None,
        Some(_) => crate::run::state_after_failed_search(problem, &settings),
        None => crate::run::state_after_first_instant(&model, &settings),
    }?;
    let mut mode = problem.start_mode();
    for (id, value) in state.mode.0.iter() {
        mode.set(ModeVariable(id.0), value);
    }
    Some(InitialState { mode, scenario: scenario.name.to_string(), ..state })
}

fn assess_case(
    start: &Initialization,
    problem: Option<&InitialProblem<'_>>,
    case: InitialCase,
    possible: bool,
    work: &mut usize,
) -> AssessedCase {
    let example = start.example(case.modes).unwrap_or_default();
    let (mut redundant, mut conflicting) = (Vec::new(), case.too_many.clone());
    if let Some(problem) = problem.filter(|problem| !case.too_many.is_empty() && problem.size() <= *work) {
        *work -= problem.size();
        if let Some(contradicting) = contradictions(problem, &example) {
            let contradicts = |it: &Conditional<EquationId>| contradicting.contains(&it.item);
            (conflicting, redundant) = case.too_many.iter().copied().partition(contradicts);
        }
    }
    let conflict = smallest_conflict(start, &conflicting, &example);
    AssessedCase { case, possible, redundant, conflicting, conflict, example }
}

/// The conditions that contradict the others in one mode; nothing if numbers do not tell.
fn contradictions(problem: &InitialProblem<'_>, example: &[(ModeVariable, bool)]) -> Option<Vec<EquationId>> {
    match problem.solve_mode(&problem.mode_with(example)) {
        Ok(_) => Some(Vec::new()),
        Err(ModeFailure::Disagreement(list)) => {
            Some(list.into_iter().map(|Disagreement { condition, .. }| condition).collect())
        }
        Err(_) => None,
    }
}

/// Conditions whose conflicts are compared.
const MOST_COMPARED: usize = 16;

fn smallest_conflict(
    start: &Initialization,
    conflicting: &[Conditional<EquationId>],
    example: &[(ModeVariable, bool)],
) -> Vec<EquationId> {
    let values: rustc_hash::FxHashMap<ModeVariable, bool> = example.iter().copied().collect();
    let mode = |variable: ModeVariable| values.get(&variable).copied().unwrap_or(false);
    let there = conflicting.iter().filter(|it| start.space.evaluate(it.modes, mode)).take(MOST_COMPARED);
    there.map(|it| start.conflict(it.item, mode)).min_by_key(Vec::len).unwrap_or_default()
}
