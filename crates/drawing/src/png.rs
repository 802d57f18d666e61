//! Pictures as PNG: shapes are filled and stroked with smooth edges by `tiny-skia`, letters are outlines of DejaVu Sans,
//! which comes (packed) with the program, so that a picture is the same on every machine.

use miniz_oxide::inflate::decompress_to_vec_zlib;
use tiny_skia::{
    Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke as Pen, StrokeDash, Transform,
};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::png_file;
use crate::shapes::{Anchor, Colour, Drawing, Shape, Stroke, Text};

/// Pixels of the file per pixel of the drawing.
const RESOLUTION: f32 = 2.0;

/// DejaVu Sans, as `build.rs` packed it.
const REGULAR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/regular.zlib"));
const BOLD: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bold.zlib"));

/// The bytes of the file; an error where the picture is too large to be drawn.
pub fn to_png(drawing: &Drawing) -> Result<Vec<u8>, String> {
    let pixels = |length: f64| (length * f64::from(RESOLUTION)).ceil() as u32;
    let (width, height) = (pixels(drawing.width), pixels(drawing.height));
    let (regular, bold) = (unpacked(REGULAR), unpacked(BOLD));
    let mut canvas = Canvas {
        pixmap: Pixmap::new(width, height).ok_or(format!("no picture has {width} times {height} pixels"))?,
        regular: face(&regular),
        bold: face(&bold),
    };
    canvas.pixmap.fill(Color::WHITE);
    drawing.shapes.iter().for_each(|shape| canvas.draw(shape));
    Ok(png_file::encode(width, height, canvas.pixmap.data()))
}

fn unpacked(font: &[u8]) -> Vec<u8> {
    decompress_to_vec_zlib(font).expect("the font that comes with the program is whole")
}

fn face(font: &[u8]) -> Face<'_> {
    Face::parse(font, 0).expect("the font that comes with the program is a font")
}

/// Pixels, and fonts to write with.
struct Canvas<'f> {
    pixmap: Pixmap,
    regular: Face<'f>,
    bold: Face<'f>,
}

impl Canvas<'_> {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Polyline(points, stroke) => self.stroke(points, stroke),
            Shape::Segments(segments, stroke) => segments.iter().for_each(|segment| self.stroke(segment, stroke)),
            Shape::Polygon(points, fill) => self.fill(lines(points, true), *fill),
            Shape::Rectangle([x, y, width, height], fill) => {
                let rectangle = Rect::from_xywh(*x as f32, *y as f32, *width as f32, *height as f32);
                self.fill(rectangle.map(PathBuilder::from_rect), *fill);
            }
            Shape::Text(text) => self.write(text),
        }
    }

    /// Fills a path; nothing where there is none, as of a single point.
    fn fill(&mut self, path: Option<Path>, fill: Colour) {
        if let Some(path) = path {
            self.pixmap.fill_path(&path, &paint(fill), FillRule::Winding, scale(), None);
        }
    }

    fn stroke(&mut self, points: &[(f64, f64)], stroke: &Stroke) {
        let dash = stroke.dash.split(',').map_while(|length| length.parse().ok()).collect();
        let pen = Pen {
            width: stroke.width as f32,
            line_join: LineJoin::Round,
            dash: StrokeDash::new(dash, 0.0),
            ..Pen::default()
        };
        if let Some(path) = lines(points, false) {
            self.pixmap.stroke_path(&path, &paint(stroke.colour), &pen, scale(), None);
        }
    }

    fn write(&mut self, text: &Text) {
        let face = if text.bold { &self.bold } else { &self.regular };
        let size = text.size as f32 / f32::from(face.units_per_em());
        let glyphs: Vec<(GlyphId, f32)> = text.text.chars().map(|character| glyph(face, character)).collect();
        let width = size * glyphs.iter().map(|(_, advance)| advance).sum::<f32>();
        let shift = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5 * width,
            Anchor::End => width,
        };
        let (x, y) = (text.at.0 as f32 - shift, text.at.1 as f32);
        let mut outline = Outline { path: PathBuilder::new(), x, y, size };
        for (glyph, advance) in glyphs {
            face.outline_glyph(glyph, &mut outline);
            outline.x += size * advance;
        }
        self.fill(outline.path.finish(), text.colour);
    }
}

/// A character's glyph, and how far it leads; the font's sign for missing ones where it has none.
fn glyph(face: &Face, character: char) -> (GlyphId, f32) {
    let glyph = face.glyph_index(character).unwrap_or(GlyphId(0));
    (glyph, f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)))
}

fn scale() -> Transform {
    Transform::from_scale(RESOLUTION, RESOLUTION)
}

fn paint(Colour(red, green, blue): Colour) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, 255);
    paint
}

/// Straight lines through points; none where there are too few.
fn lines(points: &[(f64, f64)], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (at, &(x, y)) in points.iter().enumerate() {
        match at {
            0 => path.move_to(x as f32, y as f32),
            _ => path.line_to(x as f32, y as f32),
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

/// Outlines of glyphs, put at a place in the picture, where down is positive.
struct Outline {
    path: PathBuilder,
    x: f32,
    y: f32,
    /// Pixels per unit of the font.
    size: f32,
}

impl Outline {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.size * x, self.y - self.size * y)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
