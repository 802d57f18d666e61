//! The report as text, in the notation of the papers: `bl: x' yh z -- e2 -> yl`.

use std::fmt::Write as _;

use super::{AnalyzeReport, BlockReport, Case, ItemReport, ModeVariableReport, SingularReport};
use crate::json::ItemWhen;

/// The whole report.
pub fn to_text(report: &AnalyzeReport) -> String {
    let mut text = headline(report);
    section(&mut text, "mode variables", report.mode_variables.iter().map(mode_variable_text));
    if report.invariant != "true" {
        section(&mut text, "invariant", [report.invariant.clone()]);
    }
    section(&mut text, "transient", report.transient.iter().map(|modes| format!("when {modes}")));
    section(&mut text, "singular", report.singular.iter().flat_map(singular_lines));
    section(&mut text, "structural index", cases_lines(&report.structural_index));
    section(&mut text, "degrees of freedom", cases_lines(&report.degrees_of_freedom));
    if let Some((least, most)) = report.degrees_of_freedom_between {
        section(&mut text, "degrees of freedom", [format!("between {least} and {most}")]);
    }
    section(&mut text, "equations: how often differentiated", offset_lines(&report.equations));
    section(&mut text, "variables: order of the leading derivative", offset_lines(&report.variables));
    section(&mut text, "blocks: guard: reads -- equations -> writes", numbered(&report.blocks));
    if report.truncated {
        let _ = writeln!(text, "  … these are {} of {} blocks and more", report.blocks.len(), report.block_count);
    }
    section(&mut text, "dependencies", dependency_lines(report));
    text
}

/// `3 modes`; of a number that nobody reads, its magnitude.
pub fn mode_count_text(count: &str) -> String {
    match count.len() {
        1 if count == "1" => "1 mode".to_string(),
        0..=12 => format!("{count} modes"),
        digits => format!("about {}.{}e{} modes", &count[..1], &count[1..3], digits - 1),
    }
}

fn headline(report: &AnalyzeReport) -> String {
    let modes = mode_count_text(&report.mode_count);
    let at = report.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
    let one = report.mode_count == "1";
    let verdict = match report.singular_when.as_str() {
        "false" if one => "regular".to_string(),
        "false" => "regular in all of them".to_string(),
        "true" if one => "singular".to_string(),
        "true" => "singular in all of them".to_string(),
        formula => format!("singular when {formula}"),
    };
    format!("{}{at}: {modes}, {verdict}\n", report.model)
}

/// A title, then the lines indented; nothing where there are none.
pub fn section(text: &mut String, title: &str, lines: impl IntoIterator<Item = String>) {
    let mut lines = lines.into_iter().peekable();
    if lines.peek().is_some() {
        let _ = writeln!(text, "\n{title}");
    }
    for line in lines {
        let _ = writeln!(text, "  {line}");
    }
}

/// `bh = (sh >= 0), implicit`
pub fn mode_variable_text(variable: &ModeVariableReport) -> String {
    let name = &variable.name;
    let definition = match &variable.definition {
        Some(definition) if definition == name => name.clone(),
        Some(definition) => format!("{name} = ({definition})"),
        None => format!("{name}, given"),
    };
    if variable.implicit { format!("{definition}, implicit") } else { definition }
}

fn singular_lines(case: &SingularReport) -> Vec<String> {
    let mut lines = vec![format!("{}: when {}, for example {}", case.kind, case.when, case.example)];
    if !case.undetermined.is_empty() {
        lines.push(format!("  not determined: {}", case.undetermined.join(", ")));
    }
    for (title, part) in [("too many equations", &case.overdetermined), ("too few equations", &case.underdetermined)] {
        if !part.equations.is_empty() || !part.variables.is_empty() {
            let equations = listed(&part.equations);
            lines.push(format!("  {title}: {equations} for {}", listed(&part.variables)));
        }
    }
    lines
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

/// `2  when bh`; the value alone where it is the same in all modes.
fn cases_lines(cases: &[Case]) -> Vec<String> {
    match cases {
        [one] if one.when == "true" => vec![one.value.to_string()],
        several => several.iter().map(|case| format!("{}  when {}", case.value, case.when)).collect(),
    }
}

/// One line per item: `eh2  1 when bh, 0 when not bh`.
fn offset_lines(items: &[ItemReport]) -> Vec<String> {
    let width = items.iter().map(|item| item.name.chars().count()).max().unwrap_or(0).min(40);
    items.iter().map(|item| format!("{:width$}  {}", item.name, offsets_text(item))).collect()
}

fn offsets_text(item: &ItemReport) -> String {
    match item.offsets.as_slice() {
        [one] if one.when == "true" => one.value.to_string(),
        cases => {
            let cases: Vec<String> = cases.iter().map(|case| format!("{} when {}", case.value, case.when)).collect();
            cases.join(", ")
        }
    }
}

fn numbered(blocks: &[BlockReport]) -> impl Iterator<Item = String> {
    let width = blocks.len().saturating_sub(1).to_string().len();
    blocks.iter().map(move |block| format!("{:>width$}  {}", block.id, block_text(block)))
}

/// `guard: reads -- equations -> writes`, the guard left out where true, the reads where there are none.
pub fn block_text(block: &BlockReport) -> String {
    let guard = if block.when == "true" { String::new() } else { format!("{}: ", block.when) };
    let reads: Vec<String> = block.reads.iter().map(read_text).collect();
    let reads = if reads.is_empty() { String::new() } else { format!("{} -- ", reads.join(" ")) };
    format!("{guard}{reads}{} -> {}", block.equations.join(" "), block.writes.join(" "))
}

fn read_text(read: &ItemWhen) -> String {
    match &read.when {
        None => read.name.clone(),
        Some(when) => format!("{}[{when}]", read.name),
    }
}

fn dependency_lines(report: &AnalyzeReport) -> impl Iterator<Item = String> {
    let width = report.blocks.len().saturating_sub(1).to_string().len();
    report.dependencies.iter().map(move |edge| {
        let when = if edge.when == "true" { String::new() } else { format!("  when {}", edge.when) };
        format!("{:>width$} -> {:<width$}{when}", edge.from, edge.to).trim_end().to_string()
    })
}
