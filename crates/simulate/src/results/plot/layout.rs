//! The picture from top to bottom: title, panels of curves, strip of modes, time axis, notes.

use super::curves::{PanelPlace, draw_panel, header_height};
use super::palette::{EVENT, FADED, INK};
use super::panels::{Panel, panels};
use super::recorder::{ImpulseMark, Recorded};
use super::strip::Strip;
use super::ticks::{Ticks, short};
use modeshift_drawing::{Anchor, Drawing, Shape, Stroke, Text, text_width};

const WIDTH: f64 = 960.0;
const RIGHT_MARGIN: f64 = 24.0;
const TITLE_HEIGHT: f64 = 30.0;
const GAP: f64 = 14.0;
pub(super) const SMALL: u32 = 11;

/// More events at different places than this would hide the curves as lines: short marks have to do.
const MOST_EVENT_LINES: usize = 120;

/// What is drawn.
pub(super) struct Content<'a> {
    pub(super) model: &'a str,
    pub(super) curves: Vec<&'a Recorded>,
    /// The mode variables that are shown.
    pub(super) modes: Vec<&'a Recorded>,
    /// How many there are.
    pub(super) mode_count: usize,
    pub(super) events: &'a [f64],
    pub(super) impulses: &'a [ImpulseMark],
    pub(super) span: (f64, f64),
}

/// Where times are, from left to right.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    span: (f64, f64),
    pub(super) ticks: Ticks,
    events: Vec<f64>, // places, different ones only
}

impl Frame {
    fn new(content: &Content<'_>, left: f64) -> Frame {
        let (start, stop) = content.span;
        let span = if stop > start { (start, stop) } else { (start - 0.5, start + 0.5) };
        let (right, ticks) = (WIDTH - RIGHT_MARGIN, Ticks::of(span, 10));
        let mut frame = Frame { left, right, span, ticks, events: Vec::new() };
        let mut places: Vec<f64> = content.events.iter().map(|&time| frame.x(time).round()).collect();
        places.dedup();
        frame.events = places;
        frame
    }

    /// The place of a time.
    pub(super) fn x(&self, time: f64) -> f64 {
        self.left + (time - self.span.0) / (self.span.1 - self.span.0) * (self.right - self.left)
    }

    /// How many pixels wide.
    pub(super) fn pixels(&self) -> usize {
        (self.right - self.left) as usize
    }

    /// Whether events can be drawn as lines from top to bottom.
    pub(super) fn has_few_events(&self) -> bool {
        self.events.len() <= MOST_EVENT_LINES
    }

    /// The events from top to bottom: lines, or short marks at both ends where there are too many.
    pub(super) fn draw_events(&self, drawing: &mut Drawing, top: f64, bottom: f64) {
        let stroke = Stroke { colour: EVENT, width: 0.9, dash: "3,3" };
        let line = |from: f64, to: f64| self.events.iter().map(move |&x| [(x, from), (x, to)]);
        if self.has_few_events() {
            drawing.shapes.push(Shape::Segments(line(top, bottom).collect(), stroke));
        } else {
            let marks = line(top, top + 4.0).chain(line(bottom - 4.0, bottom));
            drawing.shapes.push(Shape::Segments(marks.collect(), Stroke { dash: "", ..stroke }));
        }
    }
}

/// Draws everything; what had to be left out is noted in the picture and in the notes.
pub(super) fn draw(content: &Content<'_>, notes: &mut Vec<String>) -> Drawing {
    let panels = panels(&content.curves);
    let strip = Strip::new(content);
    let height = match panels.len() {
        0 | 1 => 280.0,
        2 => 190.0,
        3 => 150.0,
        _ => 120.0,
    };
    let about = if height > 160.0 { 6 } else { 4 };
    let ranges = panels.iter().map(|panel| panel.range(content.impulses));
    let axes: Vec<((f64, f64), Ticks)> = ranges.map(|range| (range, Ticks::of(range, about))).collect();
    let labels = axes.iter().flat_map(|(_, ticks)| ticks.values.iter().map(|&value| ticks.label(value)));
    let widest = labels.map(|label| text_width(&label, SMALL)).fold(0.0, f64::max);
    let frame = Frame::new(content, widest.max(strip.label_width()).max(24.0) + 18.0);

    let mut drawing = Drawing { width: WIDTH, ..Drawing::default() };
    draw_title(&mut drawing, content, &frame);
    let mut y = TITLE_HEIGHT + draw_event_times(&mut drawing, content, &frame);
    for (panel, (range, ticks)) in panels.iter().zip(axes) {
        y += header_height(panel, &frame);
        let place = PanelPlace { frame: &frame, range, ticks, top: y, bottom: y + height };
        draw_panel(&mut drawing, panel, &place, content.impulses);
        y += height + GAP;
    }
    if !strip.is_empty() {
        y = strip.draw(&mut drawing, &frame, y) + 2.0;
    }
    y = draw_time_axis(&mut drawing, &frame, y - if strip.is_empty() { GAP } else { 0.0 });
    notes.extend(strip.notes());
    notes.extend(impulses_not_shown(content, &panels));
    let below = strip.notes().into_iter().chain(impulses_not_shown(content, &panels));
    for note in below {
        y += 15.0;
        drawing.text((frame.left, y), note, SMALL, Anchor::Start, FADED);
    }
    drawing.height = y + 12.0;
    drawing
}

fn draw_title(drawing: &mut Drawing, content: &Content<'_>, frame: &Frame) {
    let (text, colour) = (content.model.to_string(), INK);
    let title = Text { at: (frame.left, 22.0), text, size: 16, anchor: Anchor::Start, colour, bold: true };
    drawing.shapes.push(Shape::Text(title));
    let events = match content.events.len() {
        0 => "no events".to_string(),
        1 => "1 event".to_string(),
        count => format!("{count} events"),
    };
    drawing.text((frame.right, 22.0), events, SMALL, Anchor::End, FADED);
}

/// The times of events where there is room for them; how much height that takes.
fn draw_event_times(drawing: &mut Drawing, content: &Content<'_>, frame: &Frame) -> f64 {
    if frame.events.is_empty() || !frame.has_few_events() {
        return 4.0;
    }
    let mut free_from = f64::NEG_INFINITY;
    // An event right after time zero happens at the smallest positive number.
    let least = 1e-9 * (frame.span.1 - frame.span.0);
    for &time in content.events {
        let (x, label) = (frame.x(time), short(if time.abs() < least { 0.0 } else { time }));
        let half = text_width(&label, 10) / 2.0;
        if x - half >= free_from {
            drawing.text((x, TITLE_HEIGHT + 9.0), label, 10, Anchor::Middle, FADED);
            free_from = x + half + 6.0;
        }
    }
    14.0
}

/// The numbers under everything, and what they are; returns where it ends.
fn draw_time_axis(drawing: &mut Drawing, frame: &Frame, top: f64) -> f64 {
    for &value in &frame.ticks.values {
        let x = frame.x(value);
        drawing.line((x, top), (x, top + 4.0), Stroke { colour: FADED, width: 1.0, dash: "" });
        drawing.text((x, top + 17.0), frame.ticks.label(value), SMALL, Anchor::Middle, INK);
    }
    let factor = frame.ticks.factor();
    let label = if factor.is_empty() { "time [s]".to_string() } else { format!("time [{factor} s]") };
    drawing.text(((frame.left + frame.right) / 2.0, top + 34.0), label, 12, Anchor::Middle, INK);
    top + 36.0
}

/// Which variables are impulsive but not drawn.
fn impulses_not_shown(content: &Content<'_>, panels: &[Panel<'_>]) -> Option<String> {
    let shown = |name: &str| {
        let mut curves = panels.iter().flat_map(|panel| &panel.curves);
        curves.any(|(_, curve)| &*curve.column.name == name)
    };
    let mut names: Vec<&str> = content.impulses.iter().map(|it| &*it.variable).filter(|name| !shown(name)).collect();
    names.sort_unstable();
    names.dedup();
    let listed = names.iter().take(5).copied().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => None,
        1..=5 => Some(format!("impulsive, not shown: {listed}")),
        count => Some(format!("impulsive, not shown: {listed} and {} more", count - 5)),
    }
}
