//! Pictures as SVG text, and its primitives.

use std::fmt::Write as _;

use crate::shapes::{Anchor, Colour, Drawing, Shape, Stroke, Text};

/// Fonts in which Greek letters and raised digits look alike everywhere.
const FONTS: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

/// The whole picture.
pub fn to_svg(drawing: &Drawing) -> String {
    let (width, height) = (Tenths(drawing.width), Tenths(drawing.height));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for shape in &drawing.shapes {
        write_shape(&mut svg, shape).expect("a text can be written to");
    }
    svg.push_str("</svg>\n");
    svg
}

fn write_shape(svg: &mut String, shape: &Shape) -> std::fmt::Result {
    match shape {
        Shape::Polyline(points, stroke) => {
            svg.push_str("<path d=\"");
            write_points(svg, points)?;
            writeln!(svg, "\" fill=\"none\"{}/>", Stroked(*stroke))
        }
        Shape::Segments(segments, stroke) => {
            svg.push_str("<path d=\"");
            for segment in segments {
                write_points(svg, segment)?;
            }
            writeln!(svg, "\" fill=\"none\"{}/>", Stroked(*stroke))
        }
        Shape::Polygon(points, fill) => {
            svg.push_str("<path d=\"");
            write_points(svg, points)?;
            writeln!(svg, "z\" fill=\"{}\"/>", Hex(*fill))
        }
        Shape::Rectangle([left, top, width, height], fill) => {
            let [left, top, width, height] = [*left, *top, *width, *height].map(Tenths);
            writeln!(
                svg,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
                Hex(*fill)
            )
        }
        Shape::Text(text) => write_text(svg, text),
    }
}

/// `M` the first point, `L` the others, in tenths of a pixel.
fn write_points(svg: &mut String, points: &[(f64, f64)]) -> std::fmt::Result {
    for (at, &(x, y)) in points.iter().enumerate() {
        let command = ["M", "L", " "][at.min(2)];
        write!(svg, "{command}{} {}", Tenths(x), Tenths(y))?;
    }
    Ok(())
}

fn write_text(svg: &mut String, text: &Text) -> std::fmt::Result {
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let bold = if text.bold { " font-weight=\"bold\"" } else { "" };
    let (x, y, fill) = (Tenths(text.at.0), Tenths(text.at.1), Hex(text.colour));
    let escaped = escaped(&text.text);
    writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{fill}\"{anchor}{bold}>{escaped}</text>",
        text.size
    )
}

/// A text as SVG wants it, also inside quotes; control characters, which SVG does not know, are spaces.
pub fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            control if control.is_control() && control != '\n' => result.push(' '),
            other => result.push(other),
        }
    }
    result
}

/// A coordinate with one digit behind the point, as short as can be.
pub struct Tenths(pub f64);

impl std::fmt::Display for Tenths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        let sign = if tenths < 0 { "-" } else { "" };
        match (tenths.abs() / 10, tenths.abs() % 10) {
            (whole, 0) => write!(f, "{sign}{whole}"),
            (whole, tenth) => write!(f, "{sign}{whole}.{tenth}"),
        }
    }
}

/// A colour as SVG writes it.
pub struct Hex(pub Colour);

impl std::fmt::Display for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Colour(red, green, blue) = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

struct Stroked(Stroke);

impl std::fmt::Display for Stroked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Stroke { colour, width, dash } = self.0;
        write!(f, " stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"", Hex(colour), Tenths(width))?;
        if dash.is_empty() { Ok(()) } else { write!(f, " stroke-dasharray=\"{dash}\"") }
    }
}
