//! The guarded equation system as text: what was understood, to be read beside the source.

use super::{EquationReport, FlatReport, ParameterReport, VariableReport, WhenReport};
use crate::check::counted;
use crate::report::{mode_count_text, mode_variable_text, section};

/// Columns beyond this are not aligned.
const WIDEST_COLUMN: usize = 48;

/// The whole system.
pub fn flat_to_text(flat: &FlatReport) -> String {
    let equations = counted(flat.equations.len(), "equation");
    let variables = counted(flat.variables.len(), "variable");
    let modes = mode_count_text(&flat.mode_count);
    let mut text = format!("{}: {equations}, {variables}, {modes}\n", flat.model);
    section(&mut text, "mode variables", flat.mode_variables.iter().map(mode_variable_text));
    let named = flat.named_formulas.iter().map(|(name, formula)| format!("{name} = ({formula})"));
    section(&mut text, "formulas over mode variables", named);
    if flat.invariant != "true" {
        section(&mut text, "invariant", [flat.invariant.clone()]);
    }
    section(&mut text, "parameters", flat.parameters.iter().map(parameter_text));
    section(&mut text, "variables", guarded(flat.variables.iter().map(|it| (variable_text(it), it.when.as_str()))));
    section(&mut text, "equations", equation_lines(&flat.equations));
    section(&mut text, "initial equations", equation_lines(&flat.initial_equations));
    section(&mut text, "when", flat.when_clauses.iter().flat_map(when_lines));
    section(&mut text, "assertions", equation_lines(&flat.assertions));
    text
}

fn parameter_text(parameter: &ParameterReport) -> String {
    let ParameterReport { name, ty, value, .. } = parameter;
    match value {
        Some(value) => format!("{ty} {name} = {value}"),
        None => format!("{ty} {name}"),
    }
}

fn variable_text(variable: &VariableReport) -> String {
    let VariableReport { name, ty, start, fixed, input, .. } = variable;
    let input = if *input { "input " } else { "" };
    match start {
        Some(start) if *fixed => format!("{input}{ty} {name}(start = {start}, fixed = true)"),
        Some(start) => format!("{input}{ty} {name}(start = {start})"),
        None if *fixed => format!("{input}{ty} {name}(fixed = true)"),
        None => format!("{input}{ty} {name}"),
    }
}

/// Names in a column, then the equations, then their guards in a column.
fn equation_lines(equations: &[EquationReport]) -> Vec<String> {
    let width = column_width(equations.iter().filter_map(|equation| equation.name.as_deref()));
    let line = |equation: &EquationReport| match &equation.name {
        Some(name) => format!("{name:width$}  {}", equation.text),
        None => equation.text.clone(),
    };
    let lines: Vec<(String, &str)> = equations.iter().map(|it| (line(it), it.when.as_str())).collect();
    guarded(lines)
}

/// Puts `when …` behind each text that does not always hold.
fn guarded<'a>(lines: impl IntoIterator<Item = (String, &'a str)>) -> Vec<String> {
    let lines: Vec<(String, &str)> = lines.into_iter().collect();
    let width = column_width(lines.iter().filter(|(_, when)| *when != "true").map(|(text, _)| text.as_str()));
    let with_guard = |(text, when): (String, &str)| match when {
        "true" => text,
        _ => format!("{text:width$}  when {when}"),
    };
    lines.into_iter().map(with_guard).collect()
}

fn column_width<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).filter(|width| *width <= WIDEST_COLUMN).max().unwrap_or(0)
}

fn when_lines(clause: &WhenReport) -> Vec<String> {
    let mut lines = Vec::new();
    for (position, branch) in clause.branches.iter().enumerate() {
        let word = if position == 0 { "when" } else { "elsewhen" };
        lines.push(format!("{word} {} then", branch.condition));
        lines.extend(branch.actions.iter().map(|action| format!("  {action}")));
    }
    let guard = if clause.when == "true" { String::new() } else { format!("  // only {}", clause.when) };
    lines.push(format!("end when{guard}"));
    lines
}
