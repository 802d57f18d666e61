//! The changes between some modes as a matrix: a row per mode before, a column per mode after, colours and letters by what the change does.

use std::fmt::{self, Write as _};

use modeshift_drawing::svg::escaped;
use modeshift_drawing::{fixed_width, shortened};

use super::graph::label;
use super::report::{ChangesReport, ModeGraph};
use crate::picture::{COLOURS, FONT_SIZE, OTHER_COLOUR, Size, open_svg};

const LINE: f64 = 18.0;
const MARGIN: f64 = 24.0;
const CELL: f64 = 30.0;
/// Longer texts are cut.
const LONGEST: usize = 120;

/// The picture as SVG.
pub(super) fn to_svg(report: &ChangesReport, graph: &ModeGraph, caption: &[String]) -> String {
    let mut svg = String::new();
    write(&mut svg, report, graph, caption).expect("writing to a string does not fail");
    svg
}

fn colour(kind: usize) -> &'static str {
    COLOURS.get(kind).copied().unwrap_or(OTHER_COLOUR)
}

fn write(svg: &mut String, report: &ChangesReport, graph: &ModeGraph, caption: &[String]) -> fmt::Result {
    let count = graph.modes.len();
    let names: Vec<String> = graph.modes.iter().map(|mode| shortened(mode, LONGEST)).collect();
    let kinds: Vec<usize> = {
        let mut kinds: Vec<usize> = graph.arrows.iter().map(|arrow| arrow.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    };
    let legend: Vec<String> = kinds.iter().map(|&kind| shortened(&label(&report.changes[kind]), LONGEST)).collect();
    let widest = |texts: &[String]| texts.iter().map(|text| fixed_width(text, FONT_SIZE)).fold(0.0, f64::max);
    let left = MARGIN + widest(&names) + 44.0;
    let top = MARGIN + FONT_SIZE + 6.0 + caption.len() as f64 * LINE + 40.0;
    let side = count as f64 * CELL;
    let below = top + side + 28.0;
    let width = (left + side).max(MARGIN + 34.0 + widest(&legend)).max(MARGIN + widest(caption)) + MARGIN;
    let height = below + (legend.len() + 1) as f64 * LINE + MARGIN;
    open_svg(svg, &report.model, Size { width, height })?;
    text(svg, (MARGIN, MARGIN + FONT_SIZE), r##"font-size="16" font-weight="bold" fill="#1c2026""##, &report.model)?;
    for (at, line) in caption.iter().enumerate() {
        text(svg, (MARGIN, MARGIN + FONT_SIZE + (at + 1) as f64 * LINE), r##"fill="#5a6270""##, line)?;
    }
    text(svg, (left, top - 22.0), r##"font-size="11" fill="#6b7280""##, "to")?;
    text(svg, (MARGIN, top - 22.0), r##"font-size="11" fill="#6b7280""##, "from")?;
    let dark = r##"fill="#1c2026""##;
    for (at, name) in names.iter().enumerate() {
        let y = top + (at as f64 + 0.5) * CELL + 4.0;
        text(svg, (MARGIN, y), dark, name)?;
        text(svg, (left - 10.0, y), &format!(r#"text-anchor="end" {dark}"#), &(at + 1).to_string())?;
        let x = left + (at as f64 + 0.5) * CELL;
        text(svg, (x, top - 6.0), &format!(r#"text-anchor="middle" {dark}"#), &(at + 1).to_string())?;
    }
    for from in 0..count {
        for to in 0..count {
            let fill = if from == to { "#e8eaee" } else { "#fbfbfd" };
            cell(svg, (left + to as f64 * CELL, top + from as f64 * CELL), fill, "")?;
        }
    }
    for arrow in &graph.arrows {
        let (x, y) = (left + arrow.to as f64 * CELL, top + arrow.from as f64 * CELL);
        let change = format!("{} → {}: {}", arrow.from + 1, arrow.to + 1, label(&report.changes[arrow.kind]));
        let kind = kinds.partition_point(|&kind| kind < arrow.kind);
        cell(svg, (x, y), colour(kind), &change)?;
        let look = r##"text-anchor="middle" font-size="11" fill="#ffffff""##;
        text(svg, (x + CELL / 2.0, y + CELL / 2.0 + 4.0), look, &letters(kind))?;
    }
    for (at, line) in legend.iter().enumerate() {
        let y = below + at as f64 * LINE;
        writeln!(
            svg,
            r#"<rect x="{MARGIN}" y="{:.1}" width="22" height="14" rx="3" fill="{}"/>"#,
            y - 11.0,
            colour(at)
        )?;
        let look = r##"text-anchor="middle" font-size="11" fill="#ffffff""##;
        text(svg, (MARGIN + 11.0, y), look, &letters(at))?;
        text(svg, (MARGIN + 30.0, y), dark, line)?;
    }
    let y = below + legend.len() as f64 * LINE;
    text(svg, (MARGIN, y), r##"fill="#5a6270""##, "empty: continuous")?;
    writeln!(svg, "</svg>")
}

/// `a` to `z`, then `aa` and so on.
fn letters(number: usize) -> String {
    let letter = |number: usize| char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => letter(number).to_string(),
        more => format!("{}{}", letter(more - 1), letter(number)),
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), look: &str, words: &str) -> fmt::Result {
    writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" {look}>{}</text>"#, escaped(words))
}

fn cell(svg: &mut String, (x, y): (f64, f64), fill: &str, title: &str) -> fmt::Result {
    writeln!(
        svg,
        r##"<rect x="{x:.1}" y="{y:.1}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="#c5cad3"><title>{}</title></rect>"##,
        escaped(title)
    )
}
