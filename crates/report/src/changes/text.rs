//! The report of `changes` as text, in the words of E22: erased equations, impulse orders `[[f]] = 1`, left and right
//! limits.

use std::fmt::Write as _;

use modeshift_drawing::shortened;

use super::report::{ChangesReport, ChangesSummary, ItemInChanges};
use crate::analyze::{mode_count_text, section};

/// Longer lines are cut in a summary.
const LONGEST_LINE: usize = 160;

/// The whole report.
pub(super) fn changes_to_text(report: &ChangesReport) -> String {
    let mut text = headline(report);
    for change in &report.changes {
        let _ = writeln!(text);
        if !change.states.is_empty() {
            let _ = writeln!(text, "{}", change.states.join(", "));
        }
        text.push_str(&change.text);
    }
    if let Some(summary) = &report.summary {
        write_summary(&mut text, summary);
    }
    text
}

fn headline(report: &ChangesReport) -> String {
    let restriction = |word: &str, mode: &Option<String>| match mode {
        Some(mode) => format!(" {word} {mode}"),
        None => String::new(),
    };
    let restriction = restriction("from", &report.from) + &restriction("to", &report.to);
    let modes = mode_count_text(&report.mode_count);
    let kinds = match (&report.summary, report.changes.len()) {
        (Some(_), _) => "more kinds of mode changes than are listed".to_string(),
        (None, 0) => "no mode change does anything".to_string(),
        (None, 1) => format!("1 kind of mode changes, {}", verdict(report)),
        (None, count) => format!("{count} kinds of mode changes, {}", verdict(report)),
    };
    format!("{}{restriction}: {modes}, {kinds}\n", report.model)
}

fn verdict(report: &ChangesReport) -> String {
    let bad = report.changes.iter().filter(|change| !change.is_determined()).count();
    match (bad, report.changes.len()) {
        (0, 1) => "determined".to_string(),
        (0, _) => "all determined".to_string(),
        (bad, all) if bad == all => "none determined".to_string(),
        (bad, _) => format!("{bad} of them not determined"),
    }
}

fn write_summary(text: &mut String, summary: &ChangesSummary) {
    let counts = [
        format!("{} constraints are erased in some change", summary.erased_count),
        format!("{} left limits are not determined in some change", summary.undetermined_count),
        format!("{} variables are impulsive in some change", summary.impulsive_count),
        format!("{} variables jump in some change", summary.discontinuous_count),
    ];
    section(text, "size", counts);
    section(text, "erased", items(&summary.erased, summary.erased_count));
    section(text, "not determined", items(&summary.undetermined, summary.undetermined_count));
    section(text, "orders: above 0 impulsive, 0 jump, below 0 continuous", order_lines(summary));
    let rules = [
        format!(
            "what reaches {} variables may come from far away: their orders are said by rules with >=",
            summary.ruled_count
        ),
        "the orders of a change are the least numbers that satisfy all rules; what no rule reaches is untouched"
            .to_string(),
    ];
    section(text, "rules", rules.into_iter().filter(|_| summary.ruled_count > 0));
    let hint = "--format json lists everything; --from and --to list some changes or one";
    section(text, "this is a summary", [hint.to_string()]);
}

/// Orders and rules in the order of the variables.
fn order_lines(summary: &ChangesSummary) -> Vec<String> {
    let line = |relation: String, when: &str| {
        let when = if when == "true" { String::new() } else { format!("  when {when}") };
        shortened(&format!("{relation}{when}"), LONGEST_LINE)
    };
    let orders = summary.orders.iter();
    let orders = orders.map(|it| (it.position, line(format!("[[{}]] = {}", it.variable, it.order), &it.when)));
    let rules = summary.order_rules.iter();
    let rules = rules.map(|it| (it.position, line(format!("{} >= {}", it.of, it.at_least), &it.when)));
    let mut lines: Vec<(usize, String)> = orders.chain(rules).collect();
    lines.sort_by_key(|(position, _)| *position);
    lines.into_iter().map(|(_, line)| line).collect()
}

fn items(items: &[ItemInChanges], count: usize) -> Vec<String> {
    let line = |item: &ItemInChanges| shortened(&format!("{}  when {}", item.name, item.when), LONGEST_LINE);
    let mut lines: Vec<String> = items.iter().map(line).collect();
    if count > items.len() {
        lines.push(format!("… and {} more", count - items.len()));
    }
    lines
}
