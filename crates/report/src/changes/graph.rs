//! The modes of a model with the changes between them as a picture; of many modes, the kinds of changes.

use super::matrix;
use super::report::{ChangesReport, KindOfChange, ModeArrow, ModeGraph};
use crate::analyze::mode_count_text;
use crate::picture::{Card, Drawing, Emphasis, Line, Link, draw};

/// The changes between more modes are a matrix.
const MOST_MODES_WITH_ARROWS: usize = 5;
/// Names in one line.
const MOST_NAMES: usize = 4;
/// Kinds of changes on cards of their own.
const MOST_CARDS: usize = 64;

/// The picture as SVG.
pub(super) fn changes_to_svg(report: &ChangesReport) -> String {
    if let Some(graph) = report.graph.as_ref().filter(|graph| graph.modes.len() > MOST_MODES_WITH_ARROWS) {
        return matrix::to_svg(report, graph, &caption(report, &report.graph));
    }
    let (cards, links) = match &report.graph {
        Some(graph) => (
            graph.modes.iter().map(|mode| mode_card(mode)).collect(),
            graph.arrows.iter().map(|arrow| link(report, arrow)).collect(),
        ),
        None => (report.changes.iter().take(MOST_CARDS).map(kind_card).collect(), Vec::new()),
    };
    draw(&Drawing { title: report.model.clone(), caption: caption(report, &report.graph), cards, links })
}

fn caption(report: &ChangesReport, graph: &Option<ModeGraph>) -> Vec<String> {
    let mut lines = vec![format!("{}, mode changes", mode_count_text(&report.mode_count))];
    for (word, mode) in [("from", &report.from), ("to", &report.to)] {
        lines.extend(mode.as_ref().map(|mode| format!("{word} {mode}")));
    }
    if let Some(summary) = &report.summary {
        lines.push("more kinds of changes than are drawn".to_string());
        lines.push(format!("{} constraints are erased in some change", summary.erased_count));
        lines.push(format!(
            "{} variables are impulsive, {} jump in some change",
            summary.impulsive_count, summary.discontinuous_count
        ));
    } else if graph.is_none() {
        lines.push("too many modes for arrows: the kinds of changes".to_string());
    }
    lines
}

fn mode_card(mode: &str) -> Card {
    let line = Line { text: mode.to_string(), emphasis: Emphasis::Strong };
    Card { lines: vec![line], guard: "true".to_string(), framed: false }
}

fn link(report: &ChangesReport, arrow: &ModeArrow) -> Link {
    Link { from: arrow.from, to: arrow.to, guard: label(&report.changes[arrow.kind]), labelled: true, colour: None }
}

fn kind_card(change: &KindOfChange) -> Card {
    let mut lines = vec![Line { text: change.when.clone(), emphasis: Emphasis::Guard }];
    let effects = effects(change);
    lines.extend(effects.into_iter().map(|text| Line { text, emphasis: Emphasis::Plain }));
    Card { lines, guard: change.when.clone(), framed: false }
}

/// What a change does, in a few words: `erases e3; [[f1]] = [[f2]] = 1; jump w1 w2`.
pub(super) fn label(change: &KindOfChange) -> String {
    effects(change).join("; ")
}

fn effects(change: &KindOfChange) -> Vec<String> {
    let mut effects = Vec::new();
    match change.verdict {
        "underdetermined" => effects.push(format!("undetermined {}", names(&change.undetermined))),
        "rejected" => effects.push("rejected".to_string()),
        _ => {}
    }
    if !change.erased.is_empty() {
        effects.push(format!("erases {}", names(&change.erased)));
    }
    effects.extend(change.impulse_orders_text.iter().cloned());
    if !change.discontinuous.is_empty() {
        effects.push(format!("jump {}", names(&change.discontinuous)));
    }
    if effects.is_empty() {
        effects.push("continuous".to_string());
    }
    effects
}

fn names(names: &[String]) -> String {
    match names.len() {
        0..=MOST_NAMES => names.join(" "),
        count => format!("{} … ({count})", names[..MOST_NAMES - 1].join(" ")),
    }
}
