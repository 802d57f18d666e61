//! Pictures as PNG, drawn by the rasteriser of a plotting library: the only file that knows it.

use kuva::PngBackend;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};

use super::shapes::{Anchor, Colour, Drawing, Shape, Stroke};

/// Pixels of the file per pixel of the drawing.
const RESOLUTION: f32 = 2.0;

/// The bytes of the file.
pub(super) fn to_png(drawing: &Drawing) -> Result<Vec<u8>, String> {
    let mut scene = Scene::new(drawing.width, drawing.height);
    for shape in &drawing.shapes {
        match shape {
            Shape::Segments(segments, stroke) => segments.iter().for_each(|line| scene.add(polyline(line, stroke))),
            shape => scene.add(primitive(shape)),
        }
    }
    PngBackend::new().with_scale(RESOLUTION).render_scene(&scene)
}

fn primitive(shape: &Shape) -> Primitive {
    match shape {
        Shape::Polyline(points, stroke) => polyline(points, stroke),
        Shape::Segments(..) => unreachable!("segments are several lines"),
        Shape::Polygon(points, fill) => Primitive::Path(Box::new(PathData {
            d: outline(points),
            fill: Some(colour(*fill)),
            stroke: Color::None,
            stroke_width: 0.0,
            opacity: None,
            stroke_dasharray: None,
        })),
        &Shape::Rectangle([x, y, width, height], fill) => {
            let (stroke, stroke_width, opacity) = (None, None, None);
            Primitive::Rect { x, y, width, height, fill: colour(fill), stroke, stroke_width, opacity }
        }
        Shape::Text(text) => Primitive::Text {
            x: text.at.0,
            y: text.at.1,
            content: text.text.replace('$', "\\$"), // the library would read formulas
            size: text.size,
            anchor: match text.anchor {
                Anchor::Start => TextAnchor::Start,
                Anchor::Middle => TextAnchor::Middle,
                Anchor::End => TextAnchor::End,
            },
            rotate: None,
            bold: text.bold,
            color: Some(colour(text.colour)),
        },
    }
}

fn polyline(points: &[(f64, f64)], stroke: &Stroke) -> Primitive {
    Primitive::PolyLine {
        points: points.to_vec(),
        stroke: colour(stroke.colour),
        stroke_width: stroke.width,
        stroke_dasharray: (!stroke.dash.is_empty()).then(|| stroke.dash.to_string()),
    }
}

fn outline(points: &[(f64, f64)]) -> String {
    let places: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    format!("M {} Z", places.join(" L "))
}

fn colour(Colour(red, green, blue): Colour) -> Color {
    Color::Rgb(red, green, blue)
}
