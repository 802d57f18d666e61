//! The graph of the constructive semantics as a picture: contexts as cards, runs as arrows in the colours of RR8933 Fig. 3.
//! A run that comes back to its context is a line on the card.

use super::report::{RunReport, SemanticsReport};
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

/// The picture as SVG.
pub(super) fn semantics_to_svg(report: &SemanticsReport) -> String {
    let mut caption = vec!["blue: continuous, black: resets, red: impulsive".to_string()];
    if report.runs.len() > MOST_ARROWS || report.truncated {
        caption.push(format!("the first {MOST_ARROWS} runs; --format json lists them all"));
    }
    let runs = || report.runs.iter().take(MOST_ARROWS);
    let card = |(number, context): (usize, &super::ContextReport)| {
        let mut lines = vec![
            Line { text: context.name.clone(), emphasis: Emphasis::Strong },
            Line { text: context.status.clone(), emphasis: Emphasis::Quiet },
        ];
        let own = runs().filter(|run| run.ends == (number, Some(number)));
        lines.extend(
            own.map(|run| Line { text: run.sequence.clone(), emphasis: Emphasis::Coloured(colour(run.class)) }),
        );
        let failing = runs().filter(|run| run.ends == (number, None));
        lines.extend(
            failing.map(|run| Line { text: run.sequence.clone(), emphasis: Emphasis::Coloured(colour(run.class)) }),
        );
        Card { lines, guard: "true".to_string(), framed: false }
    };
    let link = |run: &RunReport| {
        let (from, to) = (run.ends.0, run.ends.1.filter(|to| *to != run.ends.0)?);
        Some(Link { from, to, guard: run.sequence.clone(), labelled: true, colour: Some(colour(run.class)) })
    };
    draw(&Drawing {
        title: report.model.clone(),
        caption,
        cards: report.contexts.iter().enumerate().map(card).collect(),
        links: runs().filter_map(link).collect(),
    })
}
