//! The report as text: `x -- eh2 -> yh`, and below it where that fails.

use super::{ApproximateBlock, ApproximateReport, InsteadReport};
use crate::analyze::{PartReport, section};
use crate::wording::time_text;

/// At most so many blocks that do not fail are listed.
const MOST_BLOCKS: usize = 200;
/// At most so many failures.
const MOST_FAILURES: usize = 50;
/// A formula that is longer does not stand in the headline.
const LONGEST_FORMULA: usize = 200;

/// The whole report.
pub(super) fn to_text(report: &ApproximateReport) -> String {
    let mut text = headline(report);
    for (title, part) in [
        ("too many equations, as if all modes were one", &report.overdetermined),
        ("too few equations, as if all modes were one", &report.underdetermined),
    ] {
        section(&mut text, title, part.iter().map(part_line));
    }
    let width = report.blocks.len().saturating_sub(1).to_string().len();
    let blocks = report.blocks.iter().take(MOST_BLOCKS);
    let title = "blocks of an ordinary tool, in all modes: reads -- equations -> writes";
    section(&mut text, title, blocks.map(|block| format!("{:>width$}  {}", block.id, block_line(block))));
    if report.blocks.len() > MOST_BLOCKS {
        text += &format!("  … these are the first {MOST_BLOCKS} of {} blocks\n", report.blocks.len());
    }
    let failing = report.blocks.iter().filter(|block| block.fails.is_some());
    for block in failing.clone().take(MOST_FAILURES) {
        section(&mut text, &format!("block {} fails", block.id), failure_lines(block));
    }
    let more = failing.count().saturating_sub(MOST_FAILURES);
    section(&mut text, "and so on", (more > 0).then(|| format!("{more} more blocks fail; --format json lists them")));
    section(&mut text, "times", report.no_time.iter().cloned());
    text
}

fn headline(report: &ApproximateReport) -> String {
    let at = report.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
    let verdict = match report.verdict {
        "right" => "as if all modes were one, and right in every mode".to_string(),
        "singular" => "structurally singular as if all modes were one; an ordinary tool refuses the model".to_string(),
        _ => {
            let time = report.time.map(|time| format!("; a run fails at {}", time_text(time)));
            let when = match report.fails.as_str() {
                "true" => "in every mode".to_string(),
                long if long.len() > LONGEST_FORMULA => "in some modes".to_string(),
                formula => format!("when {formula}"),
            };
            format!("an ordinary tool fails {when}{}", time.unwrap_or_default())
        }
    };
    format!("{}{at}: {verdict}\n", report.model)
}

fn part_line(part: &PartReport) -> String {
    let listed = |names: &[String]| if names.is_empty() { "none".to_string() } else { names.join(", ") };
    format!("{} for {}", listed(&part.equations), listed(&part.variables))
}

/// `x -- eh2 -> yh`
pub(super) fn block_line(block: &ApproximateBlock) -> String {
    let reads = if block.reads.is_empty() { String::new() } else { format!("{} -- ", block.reads.join(" ")) };
    format!("{reads}{} -> {}", block.equations.join(" "), block.writes.join(" "))
}

/// What fails, where, when, and what is done instead.
fn failure_lines(block: &ApproximateBlock) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(block.solved.clone());
    if let (Some(pivot), None) = (&block.pivot, &block.solved) {
        lines.push(format!("{} by iteration, with the pivot {pivot}", block.writes.join(" ")));
    }
    let when = block.fails.as_deref().unwrap_or_default();
    let what = if block.pivot.is_some() { "divides by zero" } else { "has no solution" };
    let when = if when == "true" { "in every mode".to_string() } else { format!("when {when}") };
    let time = block.time.map(|time| format!(", in a run at {}", time_text(time))).unwrap_or_default();
    lines.push(format!("{what} {when}{time}"));
    lines.extend(block.instead.iter().map(instead_line));
    lines
}

/// `exact: eh2' -> x' when bh`
pub(super) fn instead_line(case: &InsteadReport) -> String {
    format!("exact when {}: {} -> {}", case.when, case.equations.join(" "), case.writes.join(" "))
}
