//! The dependency graph of an ordinary tool, as in E22 Figs. 2b and 6 and RR9459 Fig. 9: what fails stands out.

use std::fmt::Write as _;

use super::text::block_line;
use super::{ApproximateBlock, ApproximateReport, BlockOrder};
use crate::analyze::{LARGEST_PICTURE, quoted};
use crate::picture::{Card, Drawing, Emphasis, Line, Link, draw};
use crate::wording::time_text;

/// The colour of what fails.
const RED: &str = "#b3261e";
/// A picture has at most this many arrows.
const MOST_ARROWS: usize = 4000;
/// Longer lines are cut.
const LONGEST_LINE: usize = 90;

/// `digraph "Model" { … }`, one vertex per block.
pub(super) fn to_dot(report: &ApproximateReport) -> String {
    let mut dot = String::new();
    let _ = writeln!(dot, "digraph {} {{", quoted(&report.model));
    let _ = writeln!(dot, "  node [shape=box, style=rounded, fontname=\"monospace\"];");
    for block in &report.blocks {
        let frames = if block.equations.len() > 1 { ", peripheries=2" } else { "" };
        let colour = if block.fails.is_some() { format!(", color={}", quoted(RED)) } else { String::new() };
        let label = match failure(block) {
            Some(failure) => format!("{}\n{failure}", block_line(block)),
            None => block_line(block),
        };
        let _ = writeln!(dot, "  b{} [label={}{frames}{colour}];", block.id, quoted(&label));
    }
    for edge in &report.dependencies {
        let _ = writeln!(dot, "  b{} -> b{};", edge.from, edge.to);
    }
    dot.push_str("}\n");
    dot
}

/// The picture as SVG; of more blocks than a picture can show, the first, and it says so.
pub(super) fn to_svg(report: &ApproximateReport) -> String {
    let shown = &report.blocks[..report.blocks.len().min(LARGEST_PICTURE)];
    let inside = |edge: &&BlockOrder| edge.from < shown.len() && edge.to < shown.len();
    let link = |edge: &BlockOrder| Link {
        from: edge.from,
        to: edge.to,
        guard: "true".to_string(),
        labelled: false,
        colour: None,
    };
    let mut caption = vec![match report.verdict {
        "right" => "as if all modes were one: right in every mode".to_string(),
        "singular" => "as if all modes were one: structurally singular".to_string(),
        _ => cut(format!("as if all modes were one: fails when {}", report.fails)),
    }];
    caption.extend(report.time.map(|time| format!("a run fails at {}", time_text(time))));
    if shown.len() < report.blocks.len() {
        caption.push(format!("only the first {} of {} blocks are drawn", shown.len(), report.blocks.len()));
    }
    draw(&Drawing {
        title: report.model.clone(),
        caption,
        cards: shown.iter().map(card).collect(),
        links: report.dependencies.iter().filter(inside).take(MOST_ARROWS).map(link).collect(),
    })
}

/// `divides by zero when bh`
fn failure(block: &ApproximateBlock) -> Option<String> {
    let when = block.fails.as_ref()?;
    let what = if block.pivot.is_some() { "divides by zero" } else { "has no solution" };
    Some(format!("{what} when {when}"))
}

fn card(block: &ApproximateBlock) -> Card {
    let mut lines = Vec::new();
    let mut add = |text: String, emphasis| lines.push(Line { text: cut(text), emphasis });
    if !block.reads.is_empty() {
        add(format!("reads {}", block.reads.join(" ")), Emphasis::Quiet);
    }
    add(format!("{} → {}", block.equations.join(" "), block.writes.join(" ")), Emphasis::Strong);
    if let Some(failure) = failure(block) {
        add(failure, Emphasis::Coloured(RED));
    }
    if let Some(time) = block.time {
        add(format!("at {}", time_text(time)), Emphasis::Coloured(RED));
    }
    Card { lines, guard: "true".to_string(), framed: block.equations.len() > 1 }
}

fn cut(text: String) -> String {
    match text.chars().count() {
        0..=LONGEST_LINE => text,
        _ => text.chars().take(LONGEST_LINE - 1).chain(['…']).collect(),
    }
}
