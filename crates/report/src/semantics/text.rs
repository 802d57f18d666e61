//! The constructive semantics as text, in the notation of RR8933 Fig. 3.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::report::{ChoiceReport, ContextReport, LeftOut, ModeDynamics, ResetReport, RunReport, SemanticsReport};
use crate::analyze::section;
use crate::changes::ImpulseOrder;

/// The whole report.
pub(super) fn semantics_to_text(report: &SemanticsReport) -> String {
    let at = report.at.as_ref().map_or(String::new(), |at| format!(" at {at}"));
    if report.is_one_run {
        let mut text = format!("{}{at}\n", report.model);
        report.runs.iter().for_each(|run| write_steps(&mut text, run));
        if let Some(choices) = &report.choices {
            write_choices(&mut text, choices, report.unexplored.unwrap_or(0));
        }
        return text;
    }
    let contexts = count(report.contexts.len(), "context");
    let mut text = format!("{}{at}: {contexts}, {}\n", report.model, runs_explored(report));
    if let Some(left_out) = left_out(report) {
        let _ = writeln!(text, "{left_out}");
    }
    if let Some(pasts) = report.pasts_left_out {
        let pasts = count(pasts, "past");
        let _ = writeln!(text, "not followed: {pasts}, for which runs may have impulses of other orders");
    }
    section(&mut text, "contexts", context_lines(&report.contexts));
    section(&mut text, "runs", report.runs.iter().flat_map(run_lines));
    section(&mut text, "guards that wait for themselves", report.delayed.iter().cloned());
    let no_guard = |clause: &String| format!("{clause}: the condition is a single instant, or one guard too many");
    let jump = |clause: &String| format!("{clause}: equations that read it hold for another value behind that instant");
    let over = |mode: &String| {
        format!(
            "{mode}: over at once, as its `when` has laws; if its condition stays true the mode goes on, and that is not followed"
        )
    };
    let open = |law: &String| {
        format!("{law}, which does not follow from states: its right limit; its value in the instant is taken")
    };
    let unseen = report.unseen.iter().map(no_guard).chain(report.sets.iter().map(jump));
    let unseen = unseen.chain(report.over_at_once.iter().map(over)).chain(report.reads_open.iter().map(open));
    section(&mut text, "not among the runs", unseen);
    section(&mut text, "modes", report.modes.iter().map(mode_line));
    for change in &report.changes {
        write_change(&mut text, change);
    }
    if let Some(more) = report.more_changes {
        let (listed, all) = (report.changes.len(), report.changes.len() + more);
        let _ = writeln!(
            text,
            "\n{listed} of {all} changes are listed: `--from` and `--to` with values of guards pick others"
        );
    }
    for cycle in &report.endless {
        let title = match report.refuses_endless {
            true => "rejected: loops for ever",
            false => {
                "loops for ever in Algorithm 5, which does not see that equations agree; `analyze` accepts the mode"
            }
        };
        section(&mut text, title, cycle.iter().cloned());
    }
    if let Some(choices) = &report.choices {
        write_choices(&mut text, choices, report.unexplored.unwrap_or(0));
    }
    text
}

/// `16 runs`, `2048 of 4096 runs`: those from contexts that nothing was explored from are counted, what else they lead to is not.
fn runs_explored(report: &SemanticsReport) -> String {
    match &report.left_out {
        Some(LeftOut { runs, .. }) => format!("{} of {} runs", report.runs.len(), report.runs.len() + runs),
        None => count(report.runs.len(), "run"),
    }
}

/// What the bound on runs leaves out, in a line.
pub(super) fn left_out(report: &SemanticsReport) -> Option<String> {
    let LeftOut { contexts, starts, runs } = report.left_out.as_ref()?;
    let (contexts, runs) = (count(*contexts, "context"), count(*runs, "run"));
    Some(format!(
        "left out: {runs} from {contexts}, {starts} of these starts of modes, and what only they lead to; failures of changes \
         from these starts are not told; `--at` with values of guards leaves fewer"
    ))
}

/// `∅_2  knows x, v; before, h <= 0 held`: what tells contexts with the same equations apart is said.
fn context_lines(all: &[ContextReport]) -> Vec<String> {
    let mut counts: BTreeMap<&[String], usize> = BTreeMap::new();
    all.iter().for_each(|it| *counts.entry(&it.context).or_default() += 1);
    let has_conditions = all.iter().any(|it| !it.held.is_empty());
    all.iter().map(|it| context_line(it, counts[&*it.context] == 1, has_conditions)).collect()
}

fn context_line(context: &ContextReport, is_alone: bool, has_conditions: bool) -> String {
    let mut line = format!("{}  knows {}", context.name, list(&context.knows));
    if is_alone {
        return line;
    }
    if has_conditions && context.held.is_empty() {
        line += "; no condition of a `when` held before";
    } else if has_conditions {
        line += &format!("; before, {} held", context.held.join(" and "));
    }
    for (equation, guards) in &context.bodies.0 {
        line += &format!("; {equation} is that of {guards}");
    }
    line
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_string() } else { names.join(", ") }
}

/// One run in a line, and why it fails in another.
fn run_lines(run: &RunReport) -> Vec<String> {
    let singular = if run.is_singular { ", singular mode" } else { "" };
    let mut lines = vec![format!("{} {}{singular}: {}", run.number, run.class, run.text)];
    lines.extend(run.failure.iter().map(|failure| format!("  {failure}")));
    lines
}

/// One run, step by step.
fn write_steps(text: &mut String, run: &RunReport) {
    let _ = writeln!(text, "\nrun {}, {}, from {}", run.number, run.class, run.from);
    for step in &run.steps {
        let _ = writeln!(text, "  {:<9} {}", step.kind, step.text);
        if let Some(status) = &step.status {
            let _ = writeln!(text, "            {status}");
        }
    }
    let _ = match (&run.to, &run.failure) {
        (Some(to), _) => writeln!(text, "  {:<9} {to}", "tick"),
        (None, failure) => writeln!(text, "  {:<9} {}", "fail", failure.as_deref().unwrap_or_default()),
    };
}

fn mode_line(mode: &ModeDynamics) -> String {
    let ModeDynamics { when, kind, blocks, constraints, equations, unknowns } = mode;
    let constraints = match constraints.is_empty() {
        true => String::new(),
        false => format!(" with {}", constraints.join(", ")),
    };
    let free = i64::from(*unknowns) - i64::from(*equations);
    let degrees = if free == 1 { "1 degree".to_string() } else { format!("{free} degrees") };
    let (equations, unknowns) = (count(*equations as usize, "equation"), count(*unknowns as usize, "unknown"));
    let kind = if blocks.is_empty() { kind.to_string() } else { format!("{kind} {}", blocks.join("; ")) };
    format!("{when}: {kind}{constraints}; a start has {equations}, {unknowns}, {degrees} of freedom")
}

fn write_change(text: &mut String, change: &ResetReport) {
    let class = match change.end {
        "transient" => format!("transient, {}", change.class),
        _ => change.class.to_string(),
    };
    let numbered = change.instants.iter().zip(&change.runs);
    let mut lines: Vec<String> = numbered
        .map(|(steps, run)| match run {
            Some(run) => format!("run {run}: {steps}"),
            None => format!("by causality, guards that keep their values first: {steps}"),
        })
        .collect();
    lines.extend(change.cascade_texts.iter().map(|it| format!("then {it}")));
    if change.more_cascades {
        lines.push("… and other cascades".to_string());
    }
    lines.extend(change.failure.iter().map(|failure| format!("fails: {failure}")));
    if !change.erased.is_empty() {
        lines.push(format!("erased: {}", change.erased.join(", ")));
    }
    lines.extend(change.erased_later.iter().map(|it| format!("erased in {it}")));
    lines.extend(change.series.iter().map(|it| format!("series: {it}")));
    lines.extend(change.dominant.iter().map(|it| format!("dominant: {it}")));
    for ImpulseOrder { variable, order } in &change.impulse_orders {
        lines.push(match change.finite.contains(variable) {
            true => format!("{variable} = NaN before its restart, [{variable}] = {order}"),
            false => format!("{variable} = NaN, [{variable}] = {order}"),
        });
    }
    lines.extend(change.unclear.0.iter().map(|(name, why)| format!("{name} = NaN, [{name}] is not known: {why}")));
    lines.extend(change.infinite.iter().map(|it| {
        format!("{it} is a state of the mode that follows, and stays infinite there: no standard part, and no restart")
    }));
    lines.extend(change.restart.iter().map(|it| format!("restart: {it}")));
    lines.extend(change.formula.0.iter().map(|(name, formula)| format!("{name} = {formula}")));
    lines.extend(change.moments.0.iter().map(|(name, moments)| format!("weights of {name}: {moments}")));
    lines.extend(change.weight.0.iter().map(|(name, formula)| format!("weight of {name} = {formula}")));
    lines.extend(change.warnings.iter().map(|it| format!("by convention: {it}")));
    lines.extend(change.differs.iter().cloned());
    section(text, &format!("change from {} to {}: {class}", change.from, change.to), lines);
}

fn write_choices(text: &mut String, choices: &[ChoiceReport], unexplored: usize) {
    let mut lines = Vec::new();
    for choice in choices {
        lines.push(format!("{} with {}:", choice.from, choice.when));
        for outcome in &choice.outcomes {
            lines.push(format!("  erases {}, then {}", list(&outcome.erased), outcome.end));
        }
    }
    if choices.is_empty() {
        lines.push("every choice leads to the same".to_string());
    }
    if unexplored > 0 {
        lines.push(format!("{} with too many choices to be explored", count(unexplored, "context")));
    }
    section(text, "choices", lines);
}
