//! The conditional dependency graph as a picture.

use modeshift_drawing::shortened;

use crate::picture::{Card, Drawing, Emphasis, Line, Link, draw};

use super::focus::folded;
use super::{AnalyzeReport, BlockReport, mode_count_text};

/// A picture shows at most this many blocks; nobody reads more, and the layout would take long.
pub const LARGEST_PICTURE: usize = 400;
/// Repeated elements are drawn as one from here on.
const MOST_UNFOLDED: usize = 40;
/// And at most this many arrows.
const MOST_ARROWS: usize = 4000;
/// Lines of the caption are cut at this length.
const LONGEST_CAPTION: usize = 160;
/// Lines of cards and labels of arrows are cut at this length.
const LONGEST_LINE: usize = 60;
/// Equations of one block that are listed on its card.
const EQUATIONS_ON_A_CARD: usize = 12;
/// Names in one line of a card.
const NAMES_IN_A_LINE: usize = 6;

/// The picture as SVG. Of more than [`LARGEST_PICTURE`] blocks the first are drawn, and the picture says so.
pub fn to_svg(report: &AnalyzeReport) -> String {
    if report.blocks.len() > MOST_UNFOLDED {
        let folded = folded(report);
        if folded.blocks.len() < report.blocks.len() {
            return picture(&folded, report.blocks.len());
        }
    }
    picture(report, report.blocks.len())
}

fn picture(report: &AnalyzeReport, unfolded: usize) -> String {
    let shown = &report.blocks[..report.blocks.len().min(LARGEST_PICTURE)];
    let link = |edge: &super::DependencyReport| Link {
        from: edge.from,
        to: edge.to,
        guard: shortened(&edge.when, LONGEST_LINE),
        labelled: edge.narrower,
        colour: None,
    };
    let inside = |edge: &&super::DependencyReport| edge.from < shown.len() && edge.to < shown.len();
    let drawing = Drawing {
        title: report.model.clone(),
        caption: caption(report, shown.len(), unfolded),
        cards: shown.iter().map(card).collect(),
        links: report.dependencies.iter().filter(inside).take(MOST_ARROWS).map(link).collect(),
    };
    draw(&drawing)
}

fn caption(report: &AnalyzeReport, shown: usize, unfolded: usize) -> Vec<String> {
    let modes = mode_count_text(&report.mode_count);
    let blocks = if report.block_count == 1 { "block" } else { "blocks" };
    let mut lines = vec![format!("{modes}, {}, {} {blocks}", report.verdict, report.block_count)];
    if let Some(at) = &report.at {
        lines.push(format!("at {at}"));
    } else if report.invariant != "true" {
        lines.push(format!("invariant: {}", report.invariant));
    }
    if !report.singular.is_empty() {
        lines.push(format!("singular when {}", report.singular_when));
    }
    if shown < unfolded && shown == report.blocks.len() {
        lines.push(format!("blocks of repeated elements are drawn once: {shown} cards"));
    }
    if shown < report.blocks.len() {
        lines.push(format!("only the first {shown} blocks are drawn"));
    } else if unfolded < report.block_count || report.truncated {
        lines.push(format!("only the first {unfolded} blocks are drawn"));
    }
    lines.iter().map(|line| shortened(line, LONGEST_CAPTION)).collect()
}

fn card(block: &BlockReport) -> Card {
    let mut lines = Vec::new();
    let mut add = |text: String, emphasis| lines.push(Line { text: shortened(&text, LONGEST_LINE), emphasis });
    if !block.reads.is_empty() {
        let reads: Vec<&str> = block.reads.iter().map(|read| read.name.as_str()).collect();
        add(format!("reads {}", abbreviated(&reads)), Emphasis::Quiet);
    }
    if let ([equation], [variable]) = (block.equations.as_slice(), block.writes.as_slice()) {
        add(format!("{equation} → {variable}"), Emphasis::Strong);
    } else {
        for row in block.equations.iter().zip(&block.writes).take(EQUATIONS_ON_A_CARD) {
            add(row.0.clone(), Emphasis::Strong);
        }
        if block.equations.len() > EQUATIONS_ON_A_CARD {
            add(format!("… {} equations in all", block.equations.len()), Emphasis::Plain);
        }
        let writes: Vec<&str> = block.writes.iter().map(String::as_str).collect();
        add(format!("→ {}", abbreviated(&writes)), Emphasis::Plain);
    }
    if block.when != "true" {
        add(block.when.clone(), Emphasis::Guard);
    }
    Card { lines, guard: shortened(&block.when, LONGEST_LINE), framed: block.equations.len() > 1 }
}

fn abbreviated(names: &[&str]) -> String {
    match names.len() {
        0..=NAMES_IN_A_LINE => names.join(" "),
        count => format!("{} … ({count})", names[..NAMES_IN_A_LINE - 1].join(" ")),
    }
}
