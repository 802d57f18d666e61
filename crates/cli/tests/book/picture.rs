//! Two drawings that look the same: the same text, with coordinates within a pixel. Processors and versions of mathematical
//! functions may differ in last digits.

/// How far apart coordinates may be.
const TOLERANCE: f64 = 1.0;

/// Whether two SVG files show the same.
pub fn looks_the_same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (Pieces(one), Pieces(other));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(Piece::Text(a)), Some(Piece::Text(b))) if a == b => {}
            (Some(Piece::Number(a)), Some(Piece::Number(b))) if (a - b).abs() <= TOLERANCE => {}
            _ => return false,
        }
    }
}

enum Piece<'a> {
    Text(&'a str),
    Number(f64),
}

/// A text as numbers and what is between them.
struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let is_of_number = |character: char| character.is_ascii_digit() || character == '.' || character == '-';
        let first = self.0.chars().next()?;
        let in_number = is_of_number(first);
        let end = self.0.find(|character| is_of_number(character) != in_number).unwrap_or(self.0.len());
        let (piece, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(piece.parse().map_or(Piece::Text(piece), Piece::Number))
    }
}

#[test]
fn drawings_differ_by_words_and_by_distances_that_can_be_seen() {
    let drawing = "<path d=\"M1.50,20L-3,4\"/><text>time</text>";
    assert!(looks_the_same(drawing, &drawing.replace("1.50", "1.9")));
    assert!(!looks_the_same(drawing, &drawing.replace("1.50", "3")));
    assert!(!looks_the_same(drawing, &drawing.replace("time", "Time")));
    assert!(!looks_the_same(drawing, &drawing.replace("L-3,4", "")));
}
