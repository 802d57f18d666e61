//! Flat models as text, for tests: one line per equation, `[guard] left = right`.
#![allow(dead_code)]

use modeshift_dae::{ExpressionId, ExpressionText, FlatModel, WhenActionKind};
use modeshift_diagnostics::{Diagnostics, Severity};
use modeshift_flatten::{Library, Memory, Request, flatten};

/// Flattens the last model of a text; panics with the diagnostics where that fails.
pub fn flat(text: &str) -> FlatModel {
    flat_with(text, &[])
}

/// The same with values from outside.
pub fn flat_with(text: &str, overrides: &[(&str, &str)]) -> FlatModel {
    match try_flat(text, overrides) {
        Ok(model) => model,
        Err(messages) => panic!("does not flatten:\n{}", messages.join("\n")),
    }
}

/// The flat model, or what was said: `E0201 2:3 message`.
pub fn try_flat(text: &str, overrides: &[(&str, &str)]) -> Result<FlatModel, Vec<String>> {
    let mut library = Library::new(Memory::new(), Vec::new());
    let mut diagnostics = Diagnostics::new();
    library.add_text("test.mo", text, &mut diagnostics);
    let overrides = overrides.iter().map(|&(name, value)| (name.to_string(), value.to_string())).collect();
    let result = flatten(&mut library, &Request { model: None, overrides }, &mut diagnostics);
    match result {
        Ok(model) if !diagnostics.has_errors() => Ok(model),
        _ => Err(messages(&library, &diagnostics)),
    }
}

/// The codes of all that is said about the last model of a text, warnings too.
pub fn codes_of(text: &str) -> Vec<String> {
    let mut library = Library::new(Memory::new(), Vec::new());
    let mut diagnostics = Diagnostics::new();
    library.add_text("test.mo", text, &mut diagnostics);
    let request = Request { model: None, overrides: Vec::new() };
    let _ = flatten(&mut library, &request, &mut diagnostics);
    diagnostics.iter().map(|diagnostic| diagnostic.code.to_string()).collect()
}

/// What was said, with the lines and columns of all labels and the help.
pub fn messages(library: &Library, diagnostics: &Diagnostics) -> Vec<String> {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors
        .map(|diagnostic| {
            let places = diagnostic.labels.iter().filter_map(|label| library.sources().place(label.span));
            let places: Vec<String> = places.map(|(_, place)| place.to_string()).collect();
            let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            format!("{} {} {}{help}", diagnostic.code, places.join(" "), diagnostic.message)
        })
        .collect()
}

/// An expression as text.
pub fn text(model: &FlatModel, expression: ExpressionId) -> String {
    ExpressionText { model, modes: None, expression }.to_string()
}

/// All equations, initial equations, `when` actions, assertions and invariants, one per line.
pub fn equations(model: &FlatModel) -> Vec<String> {
    let text = |id| text(model, id);
    let guard = |id| if text(id) == "true" { String::new() } else { format!("[{}] ", text(id)) };
    let mut lines = Vec::new();
    for equation in model.equations.iter() {
        let name = if equation.name.contains('#') { String::new() } else { format!("{}: ", equation.name) };
        lines.push(format!("{name}{}{} = {}", guard(equation.guard), text(equation.left), text(equation.right)));
    }
    for equation in &model.initial_equations {
        let scenario = equation.scenario.map_or(String::new(), |at| format!(" in {}", model.scenarios[at].name));
        let line =
            format!("initial{scenario} {}{} = {}", guard(equation.guard), text(equation.left), text(equation.right));
        lines.push(line);
    }
    for clause in &model.when_clauses {
        for (at, branch) in clause.branches.iter().enumerate() {
            let conditions: Vec<String> = branch.conditions.iter().map(|&id| text(id)).collect();
            let word = if at == 0 { "when" } else { "elsewhen" };
            for action in &branch.actions {
                let what = match &action.kind {
                    WhenActionKind::Assign(variable, value) => {
                        format!("{} := {}", model.variables[*variable].name, text(*value))
                    }
                    WhenActionKind::Law(left, right) => format!("{} = {}", text(*left), text(*right)),
                    WhenActionKind::Reinit(variable, value) => {
                        format!("reinit({}, {})", model.variables[*variable].name, text(*value))
                    }
                    WhenActionKind::Assert(assertion) => format!("assert({})", text(assertion.condition)),
                    WhenActionKind::Terminate(message) => format!("terminate({})", text(*message)),
                };
                lines.push(format!(
                    "{}{word} {{{}}} {}{what}",
                    guard(clause.guard),
                    conditions.join(", "),
                    guard(action.guard)
                ));
            }
        }
    }
    for assertion in &model.assertions {
        let word = if assertion.is_error { "assert" } else { "warn" };
        lines.push(format!("{word} {}{}", guard(assertion.guard), text(assertion.condition)));
    }
    for invariant in &model.invariants {
        lines.push(format!("invariant {}{}", guard(invariant.guard), text(invariant.condition)));
    }
    lines
}

/// Names of variables, with `parameter` and type where not a continuous Real, and bindings.
pub fn variables(model: &FlatModel) -> Vec<String> {
    let one = |variable: &modeshift_dae::Variable| {
        let binding = variable.binding.map_or(String::new(), |id| format!(" = {}", text(model, id)));
        let guard = text(model, variable.guard);
        let guard = if guard == "true" { String::new() } else { format!("[{guard}] ") };
        format!("{guard}{}{binding}", variable.name)
    };
    model.variables.iter().map(one).collect()
}

/// Asserts that the last model of a text flattens to these equations, in this order.
pub fn check_equations(source: &str, expected: &str) {
    let model = flat(source);
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(equations(&model).join("\n"), expected.join("\n"));
}

/// Asserts that the last model of a text has these variables, with the bindings of parameters.
pub fn check_variables(source: &str, expected: &str) {
    let model = flat(source);
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(variables(&model).join("\n"), expected.join("\n"));
}

/// Asserts that a text is refused with these messages.
pub fn check_errors(source: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match try_flat(source, &[]) {
        Ok(model) => panic!("flattens to:\n{}", equations(&model).join("\n")),
        Err(messages) => assert_eq!(messages.join("\n"), expected.join("\n")),
    }
}
