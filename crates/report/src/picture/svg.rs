//! A drawing as SVG: cards with lines of text, arrows between them, colours by guard with a legend.
//!
//! Text is set in a fixed-width font, so that sizes are known without looking at a font, and the same drawing is
//! the same bytes everywhere.

use std::fmt::{self, Write as _};

use modeshift_drawing::fixed_width;
use modeshift_drawing::svg::{Tenths, escaped};

use super::layout::{Edge, Graph, Layout, Point, Route, Size, lay_out};

/// How a line of text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// What matters.
    Strong,
    /// Ordinary.
    Plain,
    /// Small and grey.
    Quiet,
    /// In the colour of the guard.
    Guard,
    /// In a colour of its own.
    Coloured(&'static str),
}

/// A line of text on a card.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it says.
    pub text: String,
    /// How it looks.
    pub emphasis: Emphasis,
}

/// A vertex.
#[derive(Clone, Debug)]
pub struct Card {
    /// From top to bottom.
    pub lines: Vec<Line>,
    /// Where it exists; decides the colour.
    pub guard: String,
    /// Whether to frame it twice: a system of several equations.
    pub framed: bool,
}

/// An arrow.
#[derive(Clone, Debug)]
pub struct Link {
    /// The card at its start.
    pub from: usize,
    /// The card at its point.
    pub to: usize,
    /// Where it exists; decides the colour.
    pub guard: String,
    /// Whether its guard is to be written at it.
    pub labelled: bool,
    /// A colour of its own, which needs no line in the legend.
    pub colour: Option<&'static str>,
}

/// What is to be drawn.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// The headline.
    pub title: String,
    /// Lines below the headline.
    pub caption: Vec<String>,
    /// The vertices.
    pub cards: Vec<Card>,
    /// The arrows.
    pub links: Vec<Link>,
}

/// Of what is not a headline or small print.
pub(crate) const FONT_SIZE: f64 = 13.0;
const LINE_HEIGHT: f64 = 18.0;
const PADDING: f64 = 10.0;
const MARGIN: f64 = 24.0;
const ARROW_LENGTH: f64 = 8.0;
/// Longer labels are cut; the whole text is in the tooltip.
const LONGEST_LABEL: usize = 44;
/// What would be wider than this is drawn without labels of arrows, whose colours and tooltips say the guards, and in narrower rows.
const WIDEST: f64 = 3000.0;
/// How wide rows of cards may be, one after the other.
const WIDEST_ROWS: [f64; 3] = [1800.0, 1400.0, 1000.0];
/// Distinguishable on white, the first ten also for most colour-blind people. Guards beyond them have [`OTHER_COLOUR`].
pub(crate) const COLOURS: [&str; 20] = [
    "#0b61a4", "#c44e00", "#2a7d3f", "#a6266e", "#6a4fb3", "#8a6d00", "#00798c", "#b3261e", "#5b6b1f", "#7a4b2b",
    "#4f93ce", "#e8924f", "#6fb781", "#d46aa3", "#9d86dd", "#c0a23a", "#45b3c2", "#e0736c", "#98a85a", "#b08363",
];
/// The colour of guards that are not in the legend.
pub(crate) const OTHER_COLOUR: &str = "#9aa1ac";
/// The colour of what always exists.
const ALWAYS_COLOUR: &str = "#3d4450";

/// Lays out and writes.
pub fn draw(drawing: &Drawing) -> String {
    let colours = Colours::of(drawing);
    let mut graph = graph(drawing);
    let room = WIDEST - legend_width(&colours.legend()) - 3.0 * MARGIN;
    let mut layout = lay_out(&graph, WIDEST_ROWS[0]);
    if layout.size.width > room {
        graph.edges.iter_mut().for_each(|edge| edge.label = None);
        for row in WIDEST_ROWS {
            layout = lay_out(&graph, row);
            if layout.size.width <= room {
                break;
            }
        }
    }
    let mut svg = String::new();
    write_svg(&mut svg, drawing, &colours, &layout).expect("writing to a string does not fail");
    svg
}

fn graph(drawing: &Drawing) -> Graph {
    let label = |link: &Link| link.labelled.then(|| text_size(&shortened(&link.guard), FONT_SIZE - 2.0));
    let edge = |link: &Link| Edge { from: link.from, to: link.to, label: label(link) };
    Graph { sizes: drawing.cards.iter().map(card_size).collect(), edges: drawing.links.iter().map(edge).collect() }
}

fn text_size(text: &str, font_size: f64) -> Size {
    Size { width: fixed_width(text, font_size) + 8.0, height: font_size + 5.0 }
}

fn card_size(card: &Card) -> Size {
    let widths = card.lines.iter().map(|line| fixed_width(&shortened(&line.text), FONT_SIZE));
    let frame = if card.framed { 8.0 } else { 0.0 };
    Size {
        width: widths.fold(0.0, f64::max) + 2.0 * PADDING + frame,
        height: card.lines.len() as f64 * LINE_HEIGHT + PADDING + frame,
    }
}

fn shortened(text: &str) -> String {
    modeshift_drawing::shortened(text, LONGEST_LABEL)
}

/// The guards in order of first appearance, each with a colour.
struct Colours<'a> {
    guards: Vec<&'a str>,
}

impl<'a> Colours<'a> {
    fn of(drawing: &'a Drawing) -> Self {
        let cards = drawing.cards.iter().map(|card| card.guard.as_str());
        let links = drawing.links.iter().filter(|link| link.colour.is_none()).map(|link| link.guard.as_str());
        let mut guards = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for guard in cards.chain(links) {
            if guard != "true" && seen.insert(guard) {
                guards.push(guard);
            }
        }
        Colours { guards }
    }

    fn colour(&self, guard: &str) -> &'static str {
        let position = self.guards.iter().position(|known| *known == guard);
        position.map_or(ALWAYS_COLOUR, |position| COLOURS.get(position).copied().unwrap_or(OTHER_COLOUR))
    }

    fn of_link(&self, link: &Link) -> &'static str {
        link.colour.unwrap_or_else(|| self.colour(&link.guard))
    }

    /// Colour and text of each line of the legend.
    fn legend(&self) -> Vec<(&'static str, String)> {
        let mut lines: Vec<(&'static str, String)> = Vec::new();
        if !self.guards.is_empty() {
            lines.push((ALWAYS_COLOUR, "in all modes".to_string()));
        }
        let shown = self.guards.iter().take(COLOURS.len());
        lines.extend(shown.map(|guard| (self.colour(guard), shortened(guard))));
        if self.guards.len() > COLOURS.len() {
            lines.push((OTHER_COLOUR, format!("{} more guards", self.guards.len() - COLOURS.len())));
        }
        lines
    }
}

/// Opens a picture of this size on white, in the font of all of them.
pub(crate) fn open_svg(svg: &mut String, title: &str, Size { width, height }: Size) -> fmt::Result {
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" font-family="'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="{FONT_SIZE}">"#,
        w = width.ceil(),
        h = height.ceil()
    )?;
    writeln!(svg, "<title>{}</title>", escaped(title))?;
    writeln!(svg, r##"<rect width="100%" height="100%" fill="#ffffff"/>"##)
}

fn write_svg(svg: &mut String, drawing: &Drawing, colours: &Colours<'_>, layout: &Layout) -> fmt::Result {
    let legend = colours.legend();
    let head = MARGIN + FONT_SIZE + 6.0 + drawing.caption.len() as f64 * LINE_HEIGHT + 14.0;
    let legend_width = legend_width(&legend);
    let texts = drawing.caption.iter().map(|line| text_size(line, FONT_SIZE).width);
    let text_width = texts.fold(text_size(&drawing.title, FONT_SIZE + 3.0).width, f64::max);
    let beside = layout.size.width + if legend.is_empty() { 0.0 } else { MARGIN + legend_width };
    let width = beside.max(text_width) + 2.0 * MARGIN;
    let height = head + layout.size.height.max(legend.len() as f64 * LINE_HEIGHT) + MARGIN;
    open_svg(svg, &drawing.title, Size { width, height })?;
    write_head(svg, drawing)?;
    write_legend(svg, &legend, width - MARGIN - legend_width, head)?;
    writeln!(svg, r#"<g transform="translate({MARGIN} {head})">"#)?;
    for (link, route) in drawing.links.iter().zip(&layout.routes) {
        write_link(svg, link, route, colours)?;
    }
    for (link, route) in drawing.links.iter().zip(&layout.routes) {
        if let Some(centre) = route.label {
            write_label(svg, &shortened(&link.guard), centre, colours.of_link(link))?;
        }
    }
    for (card, centre) in drawing.cards.iter().zip(&layout.vertices) {
        write_card(svg, card, *centre, colours.colour(&card.guard))?;
    }
    writeln!(svg, "</g>\n</svg>")
}

fn legend_width(legend: &[(&str, String)]) -> f64 {
    legend.iter().map(|(_, text)| text_size(text, FONT_SIZE).width + 26.0).fold(0.0, f64::max)
}

fn write_head(svg: &mut String, drawing: &Drawing) -> fmt::Result {
    let (size, title) = (FONT_SIZE + 3.0, escaped(&drawing.title));
    let mut y = MARGIN + FONT_SIZE;
    writeln!(
        svg,
        r##"<text x="{MARGIN}" y="{y}" font-size="{size}" font-weight="bold" fill="#1c2026">{title}</text>"##
    )?;
    for line in &drawing.caption {
        y += LINE_HEIGHT;
        writeln!(svg, r##"<text x="{MARGIN}" y="{y}" fill="#5a6270">{}</text>"##, escaped(line))?;
    }
    Ok(())
}

fn write_legend(svg: &mut String, legend: &[(&str, String)], x: f64, top: f64) -> fmt::Result {
    for (line, (colour, text)) in legend.iter().enumerate() {
        let y = top + line as f64 * LINE_HEIGHT;
        writeln!(
            svg,
            r##"<rect x="{x:.1}" y="{y:.1}" width="14" height="12" rx="3" fill="{colour}"/><text x="{:.1}" y="{:.1}" fill="#1c2026">{}</text>"##,
            x + 22.0,
            y + 11.0,
            escaped(text)
        )?;
    }
    Ok(())
}

fn write_link(svg: &mut String, link: &Link, route: &Route, colours: &Colours<'_>) -> fmt::Result {
    let [first, .., last] = route.points.as_slice() else { return Ok(()) };
    let colour = colours.of_link(link);
    let down = if last.y >= first.y { 1.0 } else { -1.0 };
    let neck = Point { x: last.x, y: last.y - down * ARROW_LENGTH };
    write!(
        svg,
        r#"<g><title>{}</title><path fill="none" stroke="{colour}" stroke-width="1.4" d="M{} {}"#,
        escaped(&link.guard),
        Tenths(first.x),
        Tenths(first.y)
    )?;
    let inner = &route.points[1..route.points.len() - 1];
    let mut previous = *first;
    for point in inner.iter().chain([&neck]) {
        write_curve(svg, previous, *point)?;
        previous = *point;
    }
    writeln!(
        svg,
        r#""/><path fill="{colour}" d="M{} {}l-4 {s}h8z"/></g>"#,
        Tenths(last.x),
        Tenths(last.y),
        s = -down * ARROW_LENGTH
    )
}

/// A curve that starts and ends vertically; straight where the points are above one another.
fn write_curve(svg: &mut String, from: Point, to: Point) -> fmt::Result {
    if (from.x - to.x).abs() < 0.05 {
        return write!(svg, " L{} {}", Tenths(to.x), Tenths(to.y));
    }
    let middle = Tenths((from.y + to.y) / 2.0);
    let (from_x, to_x) = (Tenths(from.x), Tenths(to.x));
    write!(svg, " C{from_x} {middle} {to_x} {middle} {to_x} {}", Tenths(to.y))
}

fn write_label(svg: &mut String, text: &str, centre: Point, colour: &str) -> fmt::Result {
    let size = text_size(text, FONT_SIZE - 2.0);
    writeln!(
        svg,
        r##"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="3" fill="#ffffff"/><text x="{:.1}" y="{:.1}" text-anchor="middle" font-size="{}" fill="{colour}">{}</text>"##,
        centre.x - size.width / 2.0,
        centre.y - size.height / 2.0,
        size.width,
        size.height,
        centre.x,
        centre.y + 4.0,
        FONT_SIZE - 2.0,
        escaped(text)
    )
}

fn write_card(svg: &mut String, card: &Card, centre: Point, colour: &str) -> fmt::Result {
    let size = card_size(card);
    let corner = Point { x: centre.x - size.width / 2.0, y: centre.y - size.height / 2.0 };
    let all: Vec<&str> = card.lines.iter().map(|line| line.text.as_str()).collect();
    writeln!(svg, "<g><title>{}</title>", escaped(&all.join("\n")))?;
    write_frame(svg, corner, size, colour, 0.0)?;
    if card.framed {
        write_frame(svg, corner, size, colour, 3.5)?;
    }
    let inset = if card.framed { 4.0 } else { 0.0 };
    for (at, line) in card.lines.iter().enumerate() {
        let y = corner.y + inset + PADDING / 2.0 + at as f64 * LINE_HEIGHT + FONT_SIZE;
        write_line(svg, line, Point { x: centre.x, y }, colour)?;
    }
    writeln!(svg, "</g>")
}

fn write_frame(svg: &mut String, corner: Point, size: Size, colour: &str, inset: f64) -> fmt::Result {
    let fill = if inset > 0.0 { "none" } else { "#fbfbfd" };
    writeln!(
        svg,
        r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="7" fill="{fill}" stroke="{colour}" stroke-width="1.4"/>"#,
        corner.x + inset,
        corner.y + inset,
        size.width - 2.0 * inset,
        size.height - 2.0 * inset
    )
}

fn write_line(svg: &mut String, line: &Line, at: Point, colour: &str) -> fmt::Result {
    let look = match line.emphasis {
        Emphasis::Strong => r##"font-weight="bold" fill="#1c2026""##.to_string(),
        Emphasis::Plain => r##"fill="#1c2026""##.to_string(),
        Emphasis::Quiet => format!(r##"font-size="{}" fill="#6b7280""##, FONT_SIZE - 2.0),
        Emphasis::Guard => format!(r#"font-size="{}" fill="{colour}""#, FONT_SIZE - 1.0),
        Emphasis::Coloured(colour) => format!(r#"font-size="{}" fill="{colour}""#, FONT_SIZE - 2.0),
    };
    let text = escaped(&shortened(&line.text));
    writeln!(svg, r#"<text x="{:.1}" y="{:.1}" text-anchor="middle" {look}>{text}</text>"#, at.x, at.y)
}
