//! The report as text: iteration by iteration, then what is differentiated in all modes beside the exact offsets.

use super::{DifferentiatedReport, ExactReport, IterationReport, LoopReport, PantelidesReport, SingularLoopReport};
use crate::analyze::section;
use crate::wording::counted;

/// At most so many lines of a sort.
const MOST_LINES: usize = 100;
/// Of an iteration without end, so many are shown.
const ITERATIONS_SHOWN: usize = 4;

/// The whole report.
pub(super) fn to_text(report: &PantelidesReport) -> String {
    let at = report.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
    let iterations = counted(report.iterations.len(), "iteration");
    let verdict = match report.verdict {
        "regular" => format!("ends after {iterations}, regular in every mode"),
        "inconsistent" => "does not begin".to_string(),
        _ => format!("is stopped after {iterations}"),
    };
    let mut text = format!("{}{at}: multi-mode Pantelides {verdict}\n", report.model);
    section(&mut text, "why", report.reason.iter().chain(&report.note).cloned());
    section(&mut text, "exact analysis", report.exact_singular.iter().map(|when| format!("singular when {when}")));
    section(&mut text, "works on", size_lines(report));
    for iteration in report.iterations.iter().take(ITERATIONS_SHOWN) {
        section(&mut text, &format!("iteration {}", iteration.number), iteration_lines(iteration));
    }
    let more = report.iterations.len().saturating_sub(ITERATIONS_SHOWN);
    section(&mut text, "and so on", (more > 0).then(|| format!("{more} more iterations; --format json lists them")));
    let title = "differentiated in all modes, beside the exact offsets";
    section(&mut text, title, shown(report.differentiated.iter().flat_map(differentiated_lines)));
    section(&mut text, "loops at the end", shown(report.loops.iter().map(loop_line)));
    section(&mut text, "states at the end", shown(state_lines(report)));
    text
}

/// The first lines, and how many more there are.
fn shown(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    let more = lines.len().saturating_sub(MOST_LINES);
    if more > 0 {
        lines.truncate(MOST_LINES);
        lines.push(format!("… and {more} more"));
    }
    lines
}

fn size_lines(report: &PantelidesReport) -> Vec<String> {
    let (equations, variables) =
        (counted(report.equation_count, "equation"), counted(report.variable_count, "variable"));
    let dummies = counted(report.dummies, "dummy equation");
    let mut lines = vec![
        format!("{equations} and {dummies} for {variables}"),
        format!("{} known beforehand, {} by another name", report.known.len(), report.alias_count),
    ];
    let connections: Vec<&str> = report.connections.iter().take(MOST_LINES).map(String::as_str).collect();
    lines.push(match connections.is_empty() {
        true => "no equation depends on the mode".to_string(),
        false => format!("depend on the mode: {}", connections.join(", ")),
    });
    lines
}

fn iteration_lines(iteration: &IterationReport) -> Vec<String> {
    let times = |times: u32| match times {
        1 => "once".to_string(),
        2 => "twice".to_string(),
        times => format!("{times} times"),
    };
    let rows = iteration.differentiated.iter().map(|it| format!("{} {}", it.equation, times(it.times)));
    let rows = shown(rows);
    let mut lines = match rows.is_empty() {
        true => vec!["differentiated: nothing".to_string()],
        false => vec![format!("differentiated: {}", rows.join(", "))],
    };
    lines.push(counted(iteration.loops, "loop"));
    lines.extend(shown(iteration.singular.iter().flat_map(singular_lines)));
    if iteration.singular.is_empty() {
        lines.push("no connection is too many in any mode".to_string());
    }
    lines
}

fn singular_lines(singular: &SingularLoopReport) -> Vec<String> {
    let what = if singular.is_single { "outside all loops" } else { "loop" };
    let (equations, unknowns) = (singular.equations.join(" "), singular.unknowns.join(" "));
    let mut lines = vec![format!("{what}: {equations} -> {unknowns}: singular when {}", singular.when)];
    if !singular.differentiated.is_empty() {
        let new = match singular.introduced.is_empty() {
            true => String::new(),
            false => format!(", by {} as new variables", singular.introduced.join(", ")),
        };
        lines.push(format!("  to be differentiated: {}{new}", singular.differentiated.join(", ")));
    }
    lines
}

fn differentiated_lines(row: &DifferentiatedReport) -> Vec<String> {
    let mut lines = vec![format!("{}  {}", row.equation, row.times)];
    lines.extend(row.exact.iter().map(exact_line));
    lines
}

fn exact_line(exact: &ExactReport) -> String {
    let cases: Vec<String> = match exact.offsets.as_slice() {
        [one] if one.when == "true" => vec![one.value.to_string()],
        cases => cases.iter().map(|case| format!("{} when {}", case.value, case.when)).collect(),
    };
    let less = exact.spared.as_ref().map(|when| match when.as_str() {
        "true" => "; less often in every mode".to_string(),
        when => format!("; less often when {when}"),
    });
    format!("  exact {}: {}{}", exact.equation, cases.join(", "), less.unwrap_or_default())
}

fn loop_line(it: &LoopReport) -> String {
    format!("{} -> {}", it.equations.join(" "), it.unknowns.join(" "))
}

fn state_lines(report: &PantelidesReport) -> impl Iterator<Item = String> {
    let missing = report.states.is_none() && report.verdict == "regular";
    let missing = missing.then(|| "not told: the constraints have too many modes".to_string());
    let state = |state: &super::StateReport| match state.is_always {
        true => format!("{}  always", state.name),
        false => format!("{}  when {}", state.name, state.when),
    };
    missing.into_iter().chain(report.states.iter().flatten().map(state))
}
