//! The report of `init` as text.

use std::fmt::Write as _;

use super::report::{CaseReport, ConditionReport, InitReport, ScenarioReport, StartReport};
use crate::analyze::{block_text, section};
use crate::json::ItemWhen;

/// Longer lists are abbreviated.
const MOST_ITEMS: usize = 40;

/// The whole report.
pub(super) fn init_to_text(report: &InitReport) -> String {
    let at = report.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
    let mut text = String::new();
    match &report.scenarios[..] {
        [one] if !one.declared => {
            let _ = writeln!(text, "{}{at}: the start is {}", report.model, one.verdict);
        }
        several => {
            let count = several.len();
            let _ =
                writeln!(text, "{}{at}: {count} {}", report.model, if count == 1 { "scenario" } else { "scenarios" });
        }
    }
    report.scenarios.iter().for_each(|scenario| write_scenario(&mut text, scenario));
    text
}

fn write_scenario(text: &mut String, scenario: &ScenarioReport) {
    if scenario.declared {
        let _ = writeln!(text, "\nscenario {}: {}", scenario.name, scenario.verdict);
    }
    let cases = scenario.cases.iter().filter(|case| scenario.cases.len() > 1 || !is_plain(case));
    section(text, "cases", cases.flat_map(case_lines));
    if let Some(singular) = &scenario.singular {
        section(text, "left out: the model is singular", [format!("when {singular}")]);
    }
    for case in scenario.cases.iter().filter(|case| case.possible) {
        let title = match case.when.as_str() {
            "true" => "blocks: reads -- equations -> writes".to_string(),
            when => format!("blocks when {when}: reads -- equations -> writes"),
        };
        let shown = case.blocks.iter().take(MOST_ITEMS).map(block_text);
        let more = case.blocks.len().saturating_sub(MOST_ITEMS);
        section(text, &title, shown.chain((more > 0).then(|| format!("… and {more} more"))));
    }
    if let Some(start) = &scenario.start {
        section(text, &start_title(start), start_lines(start));
    }
}

fn is_plain(case: &CaseReport) -> bool {
    case.verdict == "determined" && case.when == "true"
}

fn case_lines(case: &CaseReport) -> Vec<String> {
    let impossible = if case.possible { "" } else { ", but not at this time and with these parameters" };
    let when = match case.when.as_str() {
        "true" => String::new(),
        when => format!("when {when}: "),
    };
    let mut lines = vec![format!("{when}{}{impossible}", case.verdict)];
    lines.extend(items_line("needs a value", &case.free));
    lines.extend(items_line("for example fix", &case.proposal));
    lines.extend(condition_lines("redundant", &case.redundant));
    lines.extend(condition_lines("conflicting", &case.conflicting));
    lines.extend(condition_lines("smallest conflict", &case.conflict));
    lines
}

fn items_line(title: &str, items: &[ItemWhen]) -> Option<String> {
    let word = |item: &ItemWhen| match &item.when {
        None => item.name.clone(),
        Some(when) => format!("{} (when {when})", item.name),
    };
    let mut words: Vec<String> = items.iter().take(MOST_ITEMS).map(word).collect();
    if items.len() > MOST_ITEMS {
        words.push(format!("… and {} more", items.len() - MOST_ITEMS));
    }
    (!words.is_empty()).then(|| format!("  {title}: {}", words.join(", ")))
}

fn condition_lines(title: &str, conditions: &[ConditionReport]) -> Vec<String> {
    if conditions.is_empty() {
        return Vec::new();
    }
    let line = |it: &ConditionReport| {
        let place = it.place.as_ref().map(|at| format!("  ({}:{}:{})", at.file, at.line, at.column));
        let when = it.when.as_ref().map(|when| format!("  when {when}"));
        format!("    {}{}{}", it.text, when.unwrap_or_default(), place.unwrap_or_default())
    };
    let mut lines = vec![format!("  {title}:")];
    lines.extend(conditions.iter().take(MOST_ITEMS).map(line));
    if conditions.len() > MOST_ITEMS {
        lines.push(format!("    … and {} more", conditions.len() - MOST_ITEMS));
    }
    lines
}

fn start_title(start: &StartReport) -> String {
    if start.mode.0.is_empty() {
        return "start values".to_string();
    }
    let shown = start.mode.0.iter().take(MOST_ITEMS);
    let mut literals: Vec<String> =
        shown.map(|(name, value)| if *value { name.clone() } else { format!("not {name}") }).collect();
    if start.mode.0.len() > MOST_ITEMS {
        literals.push("…".to_string());
    }
    format!("start values, in the mode {}", literals.join(", "))
}

fn start_lines(start: &StartReport) -> Vec<String> {
    let shown = start.values.0.iter().take(MOST_ITEMS);
    let mut lines: Vec<String> = shown.map(|(name, value)| format!("{name} = {value}")).collect();
    if start.values.0.len() > MOST_ITEMS {
        lines.push(format!("… and {} more", start.values.0.len() - MOST_ITEMS));
    }
    lines
}
