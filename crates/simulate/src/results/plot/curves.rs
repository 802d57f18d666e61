//! One panel: names of the curves, grid, events, curves broken where they do not exist or jump, impulses as arrows.

use super::layout::{Frame, SMALL};
use super::palette::{CURVES, FADED, GRID, INK};
use super::panels::Panel;
use super::recorder::{ImpulseMark, Recorded};
use super::series::Point;
use super::ticks::{Ticks, short};
use modeshift_drawing::{Anchor, Colour, Drawing, Shape, Stroke, fitted, text_width};

/// The line with names over a panel, and what a name takes beside its text.
const LEGEND_HEIGHT: f64 = 18.0;
const SWATCH: f64 = 18.0;
const LONGEST_NAME: f64 = 280.0;

/// Jumps of less than this many pixels are drawn as if there were none.
const LEAST_JUMP: f64 = 0.75;

/// So many impulses are drawn in one panel, the largest ones.
const MOST_ARROWS: usize = 60;

const SHORTEST_ARROW: f64 = 20.0;

/// Arrows of other events nearer than this make a crowd: then arrows are small and have no labels.
const CROWDED: f64 = 12.0;

/// Where a panel is, and its axes.
pub(super) struct PanelPlace<'a> {
    pub(super) frame: &'a Frame,
    pub(super) range: (f64, f64),
    pub(super) ticks: Ticks,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl PanelPlace<'_> {
    fn y(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        self.bottom - (value - low) / (high - low) * (self.bottom - self.top)
    }

    fn place(&self, &(time, value): &Point) -> (f64, f64) {
        (self.frame.x(time), self.y(value))
    }
}

fn colour_of(number: usize) -> Colour {
    CURVES[number % CURVES.len()]
}

/// Beyond the number of colours, curves are dashed.
fn dash_of(number: usize) -> &'static str {
    ["", "7,3", "2,2"][(number / CURVES.len()).min(2)]
}

/// A name of the line over a panel: number of the curve, text, where it starts, in which line.
struct Entry {
    number: usize,
    text: String,
    left: f64,
    line: usize,
}

fn legend(panel: &Panel<'_>, frame: &Frame) -> Vec<Entry> {
    let (mut left, mut line) = (frame.left, 0);
    let mut entries = Vec::new();
    for &(number, curve) in &panel.curves {
        let text = fitted(&curve.column.name, 12, LONGEST_NAME);
        let width = SWATCH + 6.0 + text_width(&text, 12) + 16.0;
        if left + width > frame.right - 90.0 && left > frame.left {
            (left, line) = (frame.left, line + 1);
        }
        entries.push(Entry { number, text, left, line });
        left += width;
    }
    entries
}

/// The height of the names over a panel.
pub(super) fn header_height(panel: &Panel<'_>, frame: &Frame) -> f64 {
    let lines = legend(panel, frame).last().map_or(0, |entry| entry.line + 1);
    lines as f64 * LEGEND_HEIGHT + 4.0
}

/// Draws a panel.
pub(super) fn draw_panel(drawing: &mut Drawing, panel: &Panel<'_>, place: &PanelPlace<'_>, impulses: &[ImpulseMark]) {
    draw_header(drawing, panel, place);
    draw_grid(drawing, place);
    place.frame.draw_events(drawing, place.top, place.bottom);
    // What is drawn first is wider, so that it shows under a curve with the same values.
    for (at, &(number, curve)) in panel.curves.iter().enumerate() {
        let above = (panel.curves.len() - 1 - at).min(2);
        let stroke = Stroke { colour: colour_of(number), width: 1.7 + 0.9 * above as f64, dash: dash_of(number) };
        draw_curve(drawing, curve, stroke, place);
    }
    draw_impulses(drawing, panel, place, impulses);
    let axis = Stroke { colour: FADED, width: 1.0, dash: "" };
    let (left, right) = (place.frame.left, place.frame.right);
    drawing.shapes.push(Shape::Polyline(vec![(left, place.top), (left, place.bottom), (right, place.bottom)], axis));
}

fn draw_header(drawing: &mut Drawing, panel: &Panel<'_>, place: &PanelPlace<'_>) {
    let entries = legend(panel, place.frame);
    let lines = entries.last().map_or(0, |entry| entry.line + 1);
    for Entry { number, text, left, line } in entries {
        let y = place.top - 8.0 - (lines - 1 - line) as f64 * LEGEND_HEIGHT;
        let stroke = Stroke { colour: colour_of(number), width: 2.6, dash: dash_of(number) };
        drawing.line((left, y - 4.0), (left + SWATCH, y - 4.0), stroke);
        drawing.text((left + SWATCH + 6.0, y), text, 12, Anchor::Start, INK);
    }
    let unit = panel.unit.as_ref().map(|unit| format!("[{unit}]")).unwrap_or_default();
    let scale = [place.ticks.factor(), unit].join(" ");
    drawing.text((place.frame.right, place.top - 8.0), scale.trim(), SMALL, Anchor::End, FADED);
}

fn draw_grid(drawing: &mut Drawing, place: &PanelPlace<'_>) {
    let frame = place.frame;
    let line = Stroke { colour: GRID, width: 1.0, dash: "" };
    for &value in &place.ticks.values {
        let y = place.y(value);
        let stroke = if value == 0.0 { Stroke { colour: Colour(190, 190, 190), ..line } } else { line };
        drawing.line((frame.left, y), (frame.right, y), stroke);
        drawing.text((frame.left - 8.0, y + 4.0), place.ticks.label(value), SMALL, Anchor::End, INK);
    }
    for &time in &frame.ticks.values {
        drawing.line((frame.x(time), place.top), (frame.x(time), place.bottom), line);
    }
}

fn draw_curve(drawing: &mut Drawing, curve: &Recorded, stroke: Stroke, place: &PanelPlace<'_>) {
    let jump = Stroke { colour: stroke.colour.faded(0.45), width: 1.2, dash: "" };
    let pixels = place.frame.pixels();
    let thinned = curve.series.points().len() > 4 * pixels;
    let points = curve.series.points_for(pixels);
    for piece in points.split(|(_, value)| !value.is_finite()) {
        let is_smooth = |one: &Point, other: &Point| {
            thinned || one.0 != other.0 || (place.y(one.1) - place.y(other.1)).abs() < LEAST_JUMP
        };
        let mut end: Option<(f64, f64)> = None;
        for run in piece.chunk_by(is_smooth) {
            let places: Vec<(f64, f64)> = run.iter().map(|point| place.place(point)).collect();
            if let Some(end) = end {
                drawing.line(end, places[0], jump);
            }
            end = places.last().copied();
            match places[..] {
                [(x, y)] => drawing.shapes.push(Shape::Rectangle([x - 1.5, y - 1.5, 3.0, 3.0], stroke.colour)),
                _ => drawing.shapes.push(Shape::Polyline(places, stroke)),
            }
        }
    }
}

/// An impulse on its way into the picture.
struct Arrow<'a> {
    number: usize,
    mark: &'a ImpulseMark,
    is_crowded: bool,
}

fn draw_impulses(drawing: &mut Drawing, panel: &Panel<'_>, place: &PanelPlace<'_>, impulses: &[ImpulseMark]) {
    let number_of = |name: &str| panel.curves.iter().find(|(_, curve)| &*curve.column.name == name).map(|it| it.0);
    let arrows =
        impulses.iter().filter_map(|mark| Some(Arrow { number: number_of(&mark.variable)?, mark, is_crowded: false }));
    let mut arrows: Vec<Arrow<'_>> = arrows.filter(|arrow| arrow.mark.weight.is_finite()).collect();
    arrows.sort_by(|one, other| other.mark.weight.abs().total_cmp(&one.mark.weight.abs()));
    arrows.truncate(MOST_ARROWS);
    let Some(largest) = arrows.first().map(|arrow| arrow.mark.weight.abs()).filter(|largest| *largest > 0.0) else {
        return;
    };
    arrows.sort_by(|one, other| one.mark.time.total_cmp(&other.mark.time).then(one.number.cmp(&other.number)));
    find_crowds(&mut arrows, place.frame);
    let mut labels: Vec<[f64; 4]> = Vec::new();
    let mut beside = (f64::NEG_INFINITY, 0);
    for arrow in arrows {
        beside = if arrow.mark.time == beside.0 { (beside.0, beside.1 + 1) } else { (arrow.mark.time, 0) };
        let x = place.frame.x(arrow.mark.time) + 6.0 * f64::from(beside.1);
        draw_arrow(drawing, place, &arrow, (x, largest), &mut labels);
    }
}

/// Finds out which arrows, in the order of time, are close to those of other events.
fn find_crowds(arrows: &mut [Arrow<'_>], frame: &Frame) {
    for at in 1..arrows.len() {
        let times = (arrows[at - 1].mark.time, arrows[at].mark.time);
        if times.0 == times.1 {
            arrows[at].is_crowded = arrows[at - 1].is_crowded;
        } else if frame.x(times.1) - frame.x(times.0) < CROWDED {
            arrows[at].is_crowded = true;
            let before = arrows[..at].iter_mut().rev().take_while(|arrow| arrow.mark.time == times.0);
            before.for_each(|arrow| arrow.is_crowded = true);
        }
    }
}

/// An arrow from zero, as long as its weight, up or down as its sign; its weight at its tip where there is room.
/// In a crowd it is small where its weight is.
fn draw_arrow(
    drawing: &mut Drawing,
    place: &PanelPlace<'_>,
    arrow: &Arrow<'_>,
    (x, largest): (f64, f64),
    labels: &mut Vec<[f64; 4]>,
) {
    let Arrow { number, mark, is_crowded } = arrow;
    let (colour, upwards) = (colour_of(*number), mark.weight > 0.0);
    let height = place.bottom - place.top;
    let shortest = if *is_crowded { 4.0 } else { SHORTEST_ARROW };
    let length = (height * 0.55 * mark.weight.abs() / largest).max(shortest);
    let head_length = length.min(8.0);
    let base = place.y(0.0).clamp(place.top, place.bottom);
    let limits = (place.top + 4.0, place.bottom - 4.0);
    let (tip, head) = match upwards {
        true => ((base - length).max(limits.0), head_length),
        false => ((base + length).min(limits.1), -head_length),
    };
    let base = if upwards { base.max(tip + shortest) } else { base.min(tip - shortest) };
    let half = 0.55 * head_length;
    drawing.line((x, base), (x, tip + head * 0.8), Stroke { colour, width: 2.2, dash: "" });
    drawing.shapes.push(Shape::Polygon(vec![(x, tip), (x - half, tip + head), (x + half, tip + head)], colour));
    if *is_crowded {
        return;
    }
    let label = format!("{} {}", short(mark.weight), impulse_sign(&mark.order));
    let width = text_width(&label, SMALL);
    let (left, anchor_x, anchor) = if x + 8.0 + width <= place.frame.right {
        (x + 8.0, x + 8.0, Anchor::Start)
    } else {
        (x - 8.0 - width, x - 8.0, Anchor::End)
    };
    let mut bottom = if upwards { tip + 9.0 } else { tip };
    let overlaps = |bottom: f64, labels: &[[f64; 4]]| {
        let apart = |&[a, b, c, d]: &[f64; 4]| left > c || left + width < a || bottom - 11.0 > d || bottom < b;
        !labels.iter().all(apart)
    };
    for _ in 0..3 {
        if !overlaps(bottom, labels) {
            labels.push([left, bottom - 11.0, left + width, bottom]);
            drawing.text((anchor_x, bottom), label, SMALL, anchor, colour);
            return;
        }
        bottom += if upwards { 13.0 } else { -13.0 };
    }
}

/// The Dirac impulse and its derivatives.
fn impulse_sign(order: &str) -> String {
    match order {
        "1" => "δ".to_string(),
        "2" => "δ′".to_string(),
        "3" => "δ″".to_string(),
        other => format!("of order {other}"),
    }
}
