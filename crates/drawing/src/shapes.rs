//! What pictures are made of: lines, filled shapes, text, in pixels from the upper left corner.

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// Closer to the white of the background: 0 the colour itself, 1 white.
    pub fn faded(self, towards_white: f64) -> Colour {
        let fade = |part: u8| part + ((255 - part) as f64 * towards_white).round() as u8;
        Colour(fade(self.0), fade(self.1), fade(self.2))
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// In pixels.
    pub width: f64,
    /// Lengths of dash and gap, between them a comma; a full line where empty.
    pub dash: &'static str,
}

/// Which end of a text is at its position.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// The left one.
    Start,
    /// The middle.
    Middle,
    /// The right one.
    End,
}

/// A text.
#[derive(Clone, Debug)]
pub struct Text {
    /// Where its anchor is, on the line that letters stand on.
    pub at: (f64, f64),
    /// What it says.
    pub text: String,
    /// The height of its font.
    pub size: u32,
    /// Which end is at its position.
    pub anchor: Anchor,
    /// Its colour.
    pub colour: Colour,
    /// Whether in bold letters.
    pub bold: bool,
}

/// A part of a picture.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A line through points.
    Polyline(Vec<(f64, f64)>, Stroke),
    /// Lines that are not connected.
    Segments(Vec<[(f64, f64); 2]>, Stroke),
    /// A filled area with these corners.
    Polygon(Vec<(f64, f64)>, Colour),
    /// A filled area: left, top, width, height.
    Rectangle([f64; 4], Colour),
    /// A text.
    Text(Text),
}

/// A picture.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// In pixels.
    pub width: f64,
    /// In pixels.
    pub height: f64,
    /// From back to front.
    pub shapes: Vec<Shape>,
}

impl Drawing {
    /// Adds a straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        self.shapes.push(Shape::Polyline(vec![from, to], stroke));
    }

    /// Adds a text.
    pub fn text(&mut self, at: (f64, f64), text: impl Into<String>, size: u32, anchor: Anchor, colour: Colour) {
        self.shapes.push(Shape::Text(Text { at, text: text.into(), size, anchor, colour, bold: false }));
    }
}
