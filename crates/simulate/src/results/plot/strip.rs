//! The strip of modes: one row per mode variable that changes, with a bar where it is true.

use super::layout::{Content, Frame, SMALL};
use super::palette::{EMPTY, FADED, GRID, INK, MODES};
use super::recorder::Recorded;
use modeshift_drawing::{Anchor, Drawing, Shape, Stroke, fitted, text_width};

/// So many rows are drawn.
const MOST_ROWS: usize = 120;

/// About how high all rows are together where they are many, and the highest row.
const HEIGHT: f64 = 250.0;
const HIGHEST_ROW: f64 = 18.0;

/// With more rows than this, a colour of its own for each would say nothing.
const MOST_COLOURED_ROWS: usize = 24;

const WIDEST_LABEL: f64 = 150.0;

/// The rows that are drawn, and how many are not.
pub(super) struct Strip<'a> {
    rows: Vec<&'a Recorded>,
    changing: usize,
    all: usize,
    stop: f64,
}

impl<'a> Strip<'a> {
    pub(super) fn new(content: &Content<'a>) -> Strip<'a> {
        let rows = content.modes.iter().take(MOST_ROWS).copied().collect();
        Strip { rows, changing: content.modes.len(), all: content.mode_count, stop: content.span.1 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The width of the longest name.
    pub(super) fn label_width(&self) -> f64 {
        self.labels().map(|(_, label)| text_width(&label, SMALL)).fold(0.0, f64::max)
    }

    /// What is not shown.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.changing > self.rows.len() {
            notes.push(format!(
                "the strip shows the first {} of {} mode variables that change",
                self.rows.len(),
                self.changing
            ));
        }
        match self.all - self.changing {
            0 => {}
            1 => notes.push("1 mode variable does not change and is not shown".to_string()),
            rest => notes.push(format!("{rest} mode variables do not change and are not shown")),
        }
        notes
    }

    /// The height of a row, a whole number of pixels at twice the resolution.
    fn pitch(&self) -> f64 {
        let pitch = (HEIGHT / self.rows.len().max(1) as f64).clamp(2.0, HIGHEST_ROW);
        (pitch * 2.0).floor() / 2.0
    }

    /// Names of rows, as many as can be read.
    fn labels(&self) -> impl Iterator<Item = (usize, String)> + '_ {
        let every = (13.0 / self.pitch()).ceil() as usize;
        let rows = self.rows.iter().enumerate().step_by(every.max(1));
        rows.map(|(at, row)| (at, fitted(&row.column.name, SMALL, WIDEST_LABEL)))
    }

    /// Draws all rows under `top` and returns where they end.
    pub(super) fn draw(&self, drawing: &mut Drawing, frame: &Frame, top: f64) -> f64 {
        drawing.text((frame.left, top + 8.0), "modes, a bar where true", 10, Anchor::Start, FADED);
        let (top, pitch) = (top + 14.0, self.pitch());
        let air = if pitch >= 10.0 { 4.0 } else { 0.0 };
        for (at, row) in self.rows.iter().enumerate() {
            let y = top + at as f64 * pitch + air / 2.0;
            let colour = MODES[if self.rows.len() > MOST_COLOURED_ROWS { 0 } else { at % MODES.len() }];
            for (from, to, value) in self.intervals(row, frame.pixels()) {
                let (left, right) = (frame.x(from), frame.x(to));
                let fill = if value > 0.5 { colour } else { EMPTY };
                let width = (right - left).max(if value > 0.5 { 1.0 } else { 0.0 });
                drawing.shapes.push(Shape::Rectangle([left, y, width, pitch - air], fill));
            }
        }
        let bottom = top + self.rows.len() as f64 * pitch;
        for (at, label) in self.labels() {
            let y = top + (at as f64 + 0.5) * pitch + 4.0;
            drawing.text((frame.left - 8.0, y), label, SMALL, Anchor::End, INK);
        }
        if frame.has_few_events() {
            frame.draw_events(drawing, top, bottom);
        }
        drawing.line(
            (frame.left, bottom + 2.0),
            (frame.right, bottom + 2.0),
            Stroke { colour: GRID, width: 1.0, dash: "" },
        );
        bottom
    }

    /// Pieces of time with a value of a mode variable; none where it does not exist.
    fn intervals(&self, row: &Recorded, pixels: usize) -> Vec<(f64, f64, f64)> {
        let points = row.series.points_for(pixels);
        let ends = points.iter().skip(1).map(|&(time, _)| time).chain([self.stop]);
        let pieces = points.iter().zip(ends).map(|(&(from, value), to)| (from, to, value));
        let mut intervals: Vec<(f64, f64, f64)> = Vec::new();
        for (from, to, value) in pieces.filter(|(from, to, value)| to > from && value.is_finite()) {
            match intervals.last_mut() {
                Some(last) if last.2 == value && last.1 == from => last.1 = to,
                _ => intervals.push((from, to, value)),
            }
        }
        intervals
    }
}
