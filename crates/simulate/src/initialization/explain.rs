//! Why there is no start, and what is remarkable about one, in the words of the model.

use modeshift_dae::{
    ArithmeticOperator, Definition, Equation, EquationId, ExpressionId, ExpressionText, FlatModel, Node, Type,
    Variability, VariableId, short_text,
};
use modeshift_diagnostics::{Diagnostic, Diagnostics};
use modeshift_numerics::{NewtonFailureReason, NotFinite};
use modeshift_structure::initialization::InitialScenario;

use super::discrete_conditions::DiscreteFailure;
use super::point::StartMode;
use super::problem::InitialProblem;
use super::search::{InitialState, NoStart, Tried, TriedOutcome};
use super::solve::{BlockFailure, Disagreement, ModeFailure};

/// More modes, equations or unknowns than this are not listed.
const MOST_LISTED: usize = 8;
/// More mode variables than this are not spelled out.
const MOST_MODE_VARIABLES: usize = 12;

/// Says why no start was found: one diagnostic, with the reason of every mode that was tried.
pub fn explain_failure(problem: &InitialProblem<'_>, failure: &NoStart, diagnostics: &mut Diagnostics) {
    if let [Tried { mode, outcome: TriedOutcome::Failed(failed) }] = &failure.tried[..]
        && failure.complete
    {
        let diagnostic = mode_failure(problem, mode, failed);
        diagnostics.push(diagnostic);
        return;
    }
    let message = match failure.tried.len() {
        0 => "no mode is possible at the start".to_string(),
        1 => "the only mode that is possible at the start contradicts itself".to_string(),
        tried if failure.complete => format!("none of the {tried} modes that are possible is a consistent start"),
        tried => format!("no consistent start was found in {tried} modes"),
    };
    let mut diagnostic = in_scenario(&failure.scenario, message);
    if failure.tried.is_empty() {
        diagnostic = with_contradicted_modes(problem, diagnostic);
    }
    for tried in failure.tried.iter().take(MOST_LISTED) {
        let mode = mode_text(problem, &tried.mode);
        match &tried.outcome {
            TriedOutcome::Contradicts(variables) => {
                for &variable in variables.iter().take(MOST_LISTED) {
                    let declared = &problem.dae.mode_variables[variable];
                    let value = !tried.mode.value(variable);
                    let text = format!("`{}` would be {value} at the start values of {mode}", declared.name);
                    diagnostic = with_place(diagnostic, declared.span, text);
                }
            }
            TriedOutcome::Failed(failed) => {
                let inner = mode_failure(problem, &tried.mode, failed);
                diagnostic = diagnostic.with_note(format!("{mode}: {}", inner.message));
                for label in inner.labels.into_iter().take(2) {
                    diagnostic = with_place(diagnostic, label.span, format!("{mode}: {}", label.text));
                }
            }
        }
    }
    if failure.tried.len() > MOST_LISTED {
        diagnostic = diagnostic.with_note(format!("… and {} more modes", failure.tried.len() - MOST_LISTED));
    }
    diagnostics.push(diagnostic.help("change start values, or fix the mode with a fixed start value or a scenario"));
}

/// That no start was found; in a model with scenarios, for which of them, and where that one is stated.
fn in_scenario(scenario: &InitialScenario, message: String) -> Diagnostic {
    match scenario.id {
        None => Diagnostic::error("E0709", message),
        Some(_) => Diagnostic::error("E0709", format!("scenario `{}`: {message}", scenario.name))
            .label(scenario.span, "this scenario"),
    }
}

/// Fixed start values of mode variables that their definitions contradict, whatever the unknowns are.
fn with_contradicted_modes(problem: &InitialProblem<'_>, mut diagnostic: Diagnostic) -> Diagnostic {
    for (id, value) in problem.known_modes() {
        let mode = &problem.dae.mode_variables[id];
        if mode.initial == Some(!value) {
            let name = &mode.name;
            if let Some(variable) = mode.variable {
                let span = problem.dae.model.variables[variable].start_span;
                diagnostic = with_place(diagnostic, span, format!("`{name}` is to start {}", !value));
            }
            let text = format!("by its definition `{name}` is {value} at the start");
            diagnostic = with_place(diagnostic, mode.span, text);
        }
    }
    diagnostic
}

/// Adds a label, or only its text once there are many.
fn with_place(diagnostic: Diagnostic, span: modeshift_diagnostics::Span, text: String) -> Diagnostic {
    if diagnostic.labels.len() < MOST_LISTED { diagnostic.label(span, text) } else { diagnostic.with_note(text) }
}

/// Says what a user should know about a start that was found.
pub fn explain_solution(problem: &InitialProblem<'_>, state: &InitialState, diagnostics: &mut Diagnostics) {
    if !state.fixed.is_empty() {
        let variables = &problem.dae.model.variables;
        let names = state.fixed.iter().take(MOST_LISTED).map(|it| {
            let value = state.value(it.of, it.order).unwrap_or(0.0);
            format!("`{}` = {value}", problem.dae.model.name_of_variable(*it))
        });
        let mut list = names.collect::<Vec<_>>().join(", ");
        if state.fixed.len() > MOST_LISTED {
            list.push_str(&format!(" and {} more", state.fixed.len() - MOST_LISTED));
        }
        let message = format!("the start is underdetermined: {list} as `start` says");
        let mut warning = Diagnostic::warning("W0702", message);
        for it in state.fixed.iter().take(3) {
            warning = warning.label(variables[it.of].span, "not determined by any initial condition");
        }
        diagnostics.push(warning.help("set fixed = true, or add an initial equation"));
    }
    if !state.others.is_empty() {
        let others: Vec<String> = state.others.iter().take(MOST_LISTED).map(|mode| mode_text(problem, mode)).collect();
        let message = format!(
            "the start is consistent in {} modes; the values of {} are taken",
            state.others.len() + 1,
            mode_text(problem, &state.mode)
        );
        let warning =
            Diagnostic::warning("W0710", message).with_note(format!("also: {}", others.join("; "))).with_note(
                "where a guard is at zero the first instant decides, as any event does, in which mode the run goes on",
            );
        diagnostics.push(warning.help("fix the start value of a mode variable, or state a scenario"));
    }
    for entry in state.log.iter().filter(|entry| entry.solved) {
        let name = problem.name(entry.variable);
        let block = match entry.size {
            1 => format!("`{name}`"),
            size => format!("`{name}` and {} more unknowns", size - 1),
        };
        diagnostics.push(Diagnostic::note("N0711", format!("{block} found by {}", entry.attempt.text())));
    }
}

/// `g1, not g2`
fn mode_text(problem: &InitialProblem<'_>, mode: &StartMode) -> String {
    let modes = &problem.dae.mode_variables;
    if modes.is_empty() {
        return "the only mode".to_string();
    }
    let literal = |id| {
        let name = &modes[id].name;
        if mode.value(id) { name.to_string() } else { format!("not {name}") }
    };
    let mut literals: Vec<String> = modes.ids().take(MOST_MODE_VARIABLES).map(literal).collect();
    if modes.len() > MOST_MODE_VARIABLES {
        literals.push("…".to_string());
    }
    literals.join(", ")
}

fn mode_failure(problem: &InitialProblem<'_>, mode: &StartMode, failure: &ModeFailure) -> Diagnostic {
    match failure {
        ModeFailure::Block(block) => block_failure(problem, block),
        ModeFailure::NotNumeric(equation, reason) => {
            let message = format!("equation `{}` cannot be evaluated: {reason}", equation_name(problem, *equation));
            Diagnostic::error("E0712", message).label(problem.start.system.span(*equation), "needed for the start")
        }
        ModeFailure::Disagreement(disagreements) => disagreement(problem, mode, &disagreements[0]),
        ModeFailure::Discrete(failure) => discrete_failure(problem, failure),
    }
}

fn equation_name<'a>(problem: &'a InitialProblem<'_>, equation: EquationId) -> &'a str {
    &problem.model().equations[equation].name
}

/// A block without a solution: its equations with their residuals, its unknowns with their last values.
fn block_failure(problem: &InitialProblem<'_>, block: &BlockFailure) -> Diagnostic {
    let name = |index: usize| equation_name(problem, block.equations[index]);
    let reason = match &block.newton.reason {
        NewtonFailureReason::ResidualNotFinite(row) => {
            let zero = division_by_zero(problem.model(), block.equations[*row], problem.time)
                .or_else(|| block.not_finite.as_ref().map(|it| not_finite_text(problem.model(), it)));
            let why = zero.map(|it| format!(": {it}")).unwrap_or_default();
            format!("`{}` has no finite value there{why}", name(*row))
        }
        NewtonFailureReason::JacobianNotFinite { row, column } => {
            let unknown = problem.name(block.variables[*column]);
            format!("the derivative of `{}` by `{unknown}` is not finite there", name(*row))
        }
        NewtonFailureReason::SingularJacobian(_) => "the equations depend on each other there".to_string(),
        NewtonFailureReason::NoProgress => "no step made it better".to_string(),
        NewtonFailureReason::TooManyIterations => "it did not converge".to_string(),
    };
    let unknowns: Vec<&str> = block.variables.iter().take(MOST_LISTED).map(|&it| problem.name(it)).collect();
    let message = format!("no start values were found for {}: {reason}", unknowns.join(", "));
    let mut diagnostic = Diagnostic::error("E0708", message);
    let model = problem.model();
    for (index, &equation) in block.equations.iter().enumerate().take(MOST_LISTED) {
        let declared = &model.equations[equation];
        let residual = block.newton.residuals.get(index).copied().unwrap_or(f64::NAN);
        diagnostic = diagnostic.label(declared.span, format!("`{}`: residual {residual:e}", declared.name));
    }
    let values = block.variables.iter().zip(&block.newton.unknowns).take(MOST_LISTED);
    let values: Vec<String> = values.map(|(&it, value)| format!("{} = {value}", problem.name(it))).collect();
    diagnostic = diagnostic.with_note(format!("where it stopped: {}", values.join(", ")));
    match &block.newton.reason {
        NewtonFailureReason::ResidualNotFinite(row) => {
            match division_by_zero(model, block.equations[*row], problem.time) {
                Some(words) if words.ends_with("at the start") => {
                    diagnostic.help("begin later (`--start`), or write the equation without a division")
                }
                Some(_) => {
                    diagnostic.help("give the parameter another value, or write the equation without a division")
                }
                None if matches!(block.not_finite, Some(NotFinite::Operation { .. })) => diagnostic
                    .help("keep these operands away from where there is no value, or write the equation another way"),
                None => diagnostic.help("give better `start` values to these variables"),
            }
        }
        _ => diagnostic.help("give better `start` values to these variables"),
    }
}

/// A division of an equation by what is 0 whatever the unknowns are, a parameter or a formula of parameters and the time, in words.
pub(crate) fn division_by_zero(model: &FlatModel, equation: EquationId, time: f64) -> Option<String> {
    let Equation { left, right, .. } = model.equations[equation];
    let mut found = None;
    for side in [left, right] {
        model.expressions.for_each(side, |id, node| {
            if let Node::Arithmetic(ArithmeticOperator::Divide, _, by) = node
                && known_value(model, by, time, DEEPEST) == Some(0.0)
            {
                let divisor = short_text(model, None, by);
                let of_time = model.expressions.contains(by, |node| node == Node::Time);
                let when = if of_time { " at the start" } else { "" };
                found.get_or_insert_with(|| {
                    format!("`{}` divides by `{divisor}`, which is 0{when}", short_text(model, None, id))
                });
            }
            found.is_none()
        });
    }
    found
}

/// Why a value is not a finite number; what divides by 0 is named.
pub(crate) fn not_finite_text(model: &FlatModel, reason: &NotFinite) -> String {
    let NotFinite::Operation { expression: Some(expression), operands } = reason else { return reason.message(model) };
    match (model.expressions.node(*expression), operands.last()) {
        (Node::Arithmetic(ArithmeticOperator::Divide, _, by), Some(&0.0)) => {
            let text = |id| short_text(model, None, id);
            format!("`{}` divides by `{}`, which is 0", text(*expression), text(by))
        }
        _ => reason.message(model),
    }
}

/// How far bindings of parameters are followed.
const DEEPEST: usize = 50;

/// The value of an expression that has no unknowns, at a time.
fn known_value(model: &FlatModel, id: ExpressionId, time: f64, depth: usize) -> Option<f64> {
    let value = |id: ExpressionId| known_value(model, id, time, depth.checked_sub(1)?);
    match model.expressions.node(id) {
        Node::Time => Some(time),
        Node::Variable(variable, 0) => {
            let variable = &model.variables[variable];
            let is_known = matches!(variable.variability, Variability::Parameter | Variability::Constant);
            value(variable.binding.filter(|_| is_known)?)
        }
        Node::Negate(of) => value(of).map(|it| -it),
        Node::Arithmetic(operator, a, b) => Some(operator.value(value(a)?, value(b)?)),
        _ => model.expressions.literal(id),
    }
}

/// What is said about discrete variables at the start and is not true there.
fn discrete_failure(problem: &InitialProblem<'_>, failure: &DiscreteFailure) -> Diagnostic {
    let model = problem.model();
    let text = |expression| ExpressionText { model, modes: Some(&problem.dae.mode_variables), expression };
    match *failure {
        DiscreteFailure::Condition(number, sides) => {
            let condition = &problem.dae.model.initial_equations[number];
            let about = problem.dae.discrete.initial[number].map(|it| it.variable);
            let [left, right] = sides.map(|side| about.map_or(side.to_string(), |it| value_text(problem, it, side)));
            let written = format!("{} = {}", text(condition.left), text(condition.right));
            let message = format!("`{written}` contradicts what else is said about the start: {left} = {right}");
            let diagnostic = Diagnostic::error("E0701", message).label(condition.span, "this condition");
            with_definition(problem, diagnostic, about).help("let one of them go")
        }
        DiscreteFailure::NotKept(variable, sides) => {
            let declared = &model.variables[variable];
            let [now, before] = sides.map(|side| value_text(problem, variable, side));
            let name = &declared.name;
            let message =
                format!("`{name}` = {now} at the start contradicts pre({name}) = {before}: nothing assigns it there");
            let mut diagnostic =
                Diagnostic::error("E0701", message).label(declared.span, "keeps its value at the start");
            for (number, stated) in problem.dae.discrete.initial.iter().enumerate() {
                if stated.is_some_and(|it| it.variable == variable) {
                    diagnostic = diagnostic.label(problem.dae.model.initial_equations[number].span, "given here");
                }
            }
            diagnostic.help("let one of them go, set fixed = false, or assign it in `when initial()`")
        }
        DiscreteFailure::NoValue(variable, value) => {
            let declared = &model.variables[variable];
            let message = format!("`{}` has no value at the start: it would be {value}", declared.name);
            let diagnostic = with_definition(problem, Diagnostic::error("E0712", message), Some(variable));
            diagnostic.help("look at what its equation divides by, takes roots of, or calls")
        }
    }
}

/// A value as a user of that type writes it.
fn value_text(problem: &InitialProblem<'_>, variable: VariableId, value: f64) -> String {
    match problem.model().variables[variable].ty {
        Type::Boolean => (value != 0.0).to_string(),
        _ => value.to_string(),
    }
}

/// Shows the equation that defines a discrete variable.
fn with_definition(problem: &InitialProblem<'_>, diagnostic: Diagnostic, variable: Option<VariableId>) -> Diagnostic {
    let definition = variable.and_then(|it| problem.dae.discrete.definition(it));
    match definition {
        Some(Definition::Equation { equation, .. }) => {
            diagnostic.label(problem.dae.model.equations[equation].span, "this equation of the model defines it")
        }
        _ => diagnostic,
    }
}

/// Conditions that contradict each other: all of the smallest conflict with their places.
fn disagreement(problem: &InitialProblem<'_>, mode: &StartMode, disagreement: &Disagreement) -> Diagnostic {
    let Disagreement { condition, left, right } = *disagreement;
    let system = &problem.start.system;
    let conflict = problem.start.conflict(condition, |variable| mode.is_on(variable));
    let name = equation_name(problem, condition);
    let message = format!("`{name}` contradicts the other initial conditions: {left} = {right}");
    let mut diagnostic = Diagnostic::error("E0701", message).label(system.span(condition), "this condition");
    let others = conflict.iter().filter(|&&other| other != condition);
    for &other in others.clone().filter(|&&other| system.origins[other].is_condition()).take(MOST_LISTED) {
        diagnostic = diagnostic.label(system.span(other), "and this one");
    }
    let model = problem.model();
    for &other in others.filter(|&&other| !system.origins[other].is_condition()).take(MOST_LISTED) {
        let equation = &model.equations[other];
        let text = |expression| ExpressionText { model, modes: Some(&problem.dae.mode_variables), expression };
        let note = format!("with {}: {} = {}", equation.name, text(equation.left), text(equation.right));
        diagnostic = diagnostic.with_note(note);
    }
    diagnostic.help(
        "let one of them go, make it a guess with fixed = false, or take them for left limits: `--impulsive-start`",
    )
}
