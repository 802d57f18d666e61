//! What pictures are made of: lines, filled shapes, text, in pixels from the upper left corner.

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

/// Colours of curves: those of Okabe and Ito, told apart by colour-blind eyes too, without the yellow that is
/// illegible on white.
pub(super) const CURVES: [Colour; 7] = [
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(0, 158, 115),
    Colour(204, 121, 167),
    Colour(230, 159, 0),
    Colour(86, 180, 233),
    Colour(60, 60, 60),
];

/// Colours of modes: muted ones of Tol, so that no mode looks like a curve.
pub(super) const MODES: [Colour; 5] =
    [Colour(68, 170, 153), Colour(136, 140, 190), Colour(221, 204, 119), Colour(204, 102, 119), Colour(136, 204, 238)];

pub(super) const INK: Colour = Colour(38, 38, 38);
pub(super) const FADED: Colour = Colour(110, 110, 110);
pub(super) const EVENT: Colour = Colour(178, 178, 178);
pub(super) const GRID: Colour = Colour(232, 232, 232);
pub(super) const EMPTY: Colour = Colour(244, 244, 244);

impl Colour {
    /// Closer to the white of the background: 0 the colour itself, 1 white.
    pub(super) fn faded(self, towards_white: f64) -> Colour {
        let fade = |part: u8| part + ((255 - part) as f64 * towards_white).round() as u8;
        Colour(fade(self.0), fade(self.1), fade(self.2))
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) colour: Colour,
    pub(super) width: f64,
    /// Lengths of dash and gap; a full line where empty.
    pub(super) dash: &'static str,
}

/// Which end of a text is at its position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) at: (f64, f64),
    pub(super) text: String,
    pub(super) size: u32,
    pub(super) anchor: Anchor,
    pub(super) colour: Colour,
    pub(super) bold: bool,
}

/// A part of a picture.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Polyline(Vec<(f64, f64)>, Stroke),
    /// Lines that are not connected.
    Segments(Vec<[(f64, f64); 2]>, Stroke),
    Polygon(Vec<(f64, f64)>, Colour),
    /// Left, top, width, height.
    Rectangle([f64; 4], Colour),
    Text(Text),
}

/// A picture.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) shapes: Vec<Shape>,
}

impl Drawing {
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        self.shapes.push(Shape::Polyline(vec![from, to], stroke));
    }

    pub(super) fn text(&mut self, at: (f64, f64), text: impl Into<String>, size: u32, anchor: Anchor, colour: Colour) {
        self.shapes.push(Shape::Text(Text { at, text: text.into(), size, anchor, colour, bold: false }));
    }
}

/// About how wide a text is: digits and most letters are a little narrower than two thirds of their size.
pub(super) fn text_width(text: &str, size: u32) -> f64 {
    let width = |character: char| match character {
        'i' | 'j' | 'l' | '.' | ',' | '\'' | '(' | ')' | '[' | ']' | ' ' | 't' | 'f' | 'r' => 0.38,
        'm' | 'w' | 'M' | 'W' | '=' | '<' | '>' | '+' | '-' => 0.86,
        _ => 0.63,
    };
    text.chars().map(width).sum::<f64>() * f64::from(size)
}

/// A text that is at most so wide, with its middle left out where it is too long: both ends of names matter.
pub(super) fn fitted(text: &str, size: u32, width: f64) -> String {
    let characters: Vec<char> = text.chars().collect();
    let with_gap = |kept: usize| -> String {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        let tail = &characters[characters.len() - tail..];
        characters[..head].iter().copied().chain(['…']).chain(tail.iter().copied()).collect()
    };
    if text_width(text, size) <= width {
        return text.to_string();
    }
    let fits = |kept: &usize| text_width(&with_gap(*kept), size) <= width;
    with_gap((1..characters.len()).rev().find(fits).unwrap_or(1))
}
