//! The graph of the constructive semantics as a picture: contexts as cards, runs as arrows in the colours of RR8933 Fig. 3.
//! A run that comes back to its context is a line on the card. Arrows have little room: they tell runs apart by number,
//! guards and what gives way, and the caption has all steps.

use super::report::{RunReport, SemanticsReport};
use super::text::left_out;
use crate::picture::{Card, Drawing, Emphasis, Line, Link, draw};

/// More runs than this make no picture that anyone can read.
const MOST_ARROWS: usize = 60;

/// Blue for what is continuous, black for resets, red for impulses; grey for what fails.
pub(super) fn colour(class: &str) -> &'static str {
    match class {
        "continuous" => "#0b61a4",
        "impulsive" => "#b3261e",
        "failed" => "#8a8f98",
        _ => "#1c2026",
    }
}

/// `2: g; FS(e3)`: what tells a run from others.
fn label(run: &RunReport) -> String {
    let gives_way = run.steps.iter().filter(|step| matches!(step.kind, "shift" | "erase"));
    let parts: Vec<&str> = std::iter::once(run.when.as_str()).chain(gives_way.map(|step| &*step.text)).collect();
    let fails = if run.ends.1.is_none() { "; fail" } else { "" };
    format!("{}: {}{fails}", run.number, parts.join("; "))
}

/// The picture as SVG.
pub(super) fn semantics_to_svg(report: &SemanticsReport) -> String {
    let mut caption = vec!["blue: continuous, black: resets, red: impulsive, grey: failed".to_string()];
    if report.runs.len() > MOST_ARROWS {
        let count = report.runs.len();
        caption.push(format!("the first {MOST_ARROWS} of {count} runs; --format json lists them all"));
    }
    caption.extend(left_out(report));
    let runs = || report.runs.iter().take(MOST_ARROWS);
    caption.extend(runs().map(|run| format!("{}: {}", run.number, run.sequence)));
    let card = |(number, context): (usize, &super::ContextReport)| {
        let mut lines = vec![
            Line { text: context.name.clone(), emphasis: Emphasis::Strong },
            Line { text: context.status.clone(), emphasis: Emphasis::Quiet },
        ];
        let own = runs().filter(|run| run.ends == (number, Some(number)));
        lines.extend(own.map(|run| Line { text: label(run), emphasis: Emphasis::Coloured(colour(run.class)) }));
        let failing = runs().filter(|run| run.ends == (number, None));
        lines.extend(failing.map(|run| Line { text: label(run), emphasis: Emphasis::Coloured(colour(run.class)) }));
        Card { lines, guard: "true".to_string(), framed: false }
    };
    let link = |run: &RunReport| {
        let (from, to) = (run.ends.0, run.ends.1.filter(|to| *to != run.ends.0)?);
        Some(Link { from, to, guard: label(run), labelled: true, colour: Some(colour(run.class)) })
    };
    draw(&Drawing {
        title: report.model.clone(),
        caption,
        cards: report.contexts.iter().enumerate().map(card).collect(),
        links: runs().filter_map(link).collect(),
    })
}
