//! Places in a text: bytes here, lines and characters in the protocol; and how places move when the text is edited.

use serde_json::{Value, json};

/// How the client counts characters of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes of UTF-8.
    Utf8,
    /// Units of UTF-16, as the protocol has it where nothing else is agreed on.
    #[default]
    Utf16,
}

/// A text with the starts of its lines.
#[derive(Clone, Debug)]
pub struct Text {
    text: String,
    line_starts: Vec<usize>,
    encoding: Encoding,
}

/// A replacement: so many bytes from here gave way to so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The first byte.
    pub start: usize,
    /// How many bytes were there.
    pub removed: usize,
    /// How many are there now.
    pub inserted: usize,
}

impl Edit {
    /// Where a place of the text before is in the text after; what was replaced is nowhere.
    pub fn moved(self, place: usize) -> Option<usize> {
        match place {
            _ if place <= self.start => Some(place),
            _ if place >= self.start + self.removed => Some(place - self.removed + self.inserted),
            _ => None,
        }
    }
}

impl Text {
    /// A text as a whole.
    pub fn new(text: String, encoding: Encoding) -> Text {
        let line_starts = line_starts(&text);
        Text { text, line_starts, encoding }
    }

    /// How the client counts.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// How most lines end.
    pub fn line_end_of_most(&self) -> &'static str {
        let windows = self.text.matches("\r\n").count();
        if 2 * windows > self.text.matches('\n').count() { "\r\n" } else { "\n" }
    }

    /// A piece with its lines ending as those of the text do.
    pub fn as_lines_end_here(&self, piece: &str) -> String {
        piece.replace("\r\n", "\n").replace('\n', self.line_end_of_most())
    }

    /// All of it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The byte of a position; behind the end of a line it is that end, as the protocol wants it.
    pub fn offset(&self, position: &Value) -> usize {
        let number = |name: &str| position[name].as_u64().unwrap_or(0) as usize;
        let (line, character) = (number("line"), number("character"));
        let Some(&start) = self.line_starts.get(line) else { return self.text.len() };
        let rest = &self.text[start..self.line_end(line)];
        match self.encoding {
            Encoding::Utf8 => {
                start + (0..=character.min(rest.len())).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(0)
            }
            Encoding::Utf16 => {
                let mut units = 0;
                let is_behind = |character_here: char| {
                    let before = units;
                    units += character_here.len_utf16();
                    before >= character || units > character
                };
                let mut is_behind = is_behind;
                start + rest.char_indices().find(|(_, it)| is_behind(*it)).map_or(rest.len(), |(at, _)| at)
            }
        }
    }

    /// The end of a line, in front of what ends it.
    fn line_end(&self, line: usize) -> usize {
        let end = self.line_starts.get(line + 1).copied().unwrap_or(self.text.len());
        let text = &self.text[self.line_starts[line]..end];
        self.line_starts[line] + text.trim_end_matches(['\n', '\r']).len()
    }

    /// The position of a byte.
    pub fn position(&self, offset: usize) -> Value {
        let (line, character) = self.line_and_character(offset);
        json!({"line": line, "character": character})
    }

    /// The byte at which the character around a byte begins; behind the text, its end.
    pub fn boundary(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        (0..=offset).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0)
    }

    /// The line of a byte and the character in it, as the client counts.
    pub fn line_and_character(&self, offset: usize) -> (usize, usize) {
        let offset = self.boundary(offset);
        let line = self.line_of(offset);
        (line, self.length(&self.text[self.line_starts[line]..offset]))
    }

    /// The line of a byte, from 0.
    pub fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset) - 1
    }

    /// A range of bytes as the protocol has it.
    pub fn range(&self, start: usize, end: usize) -> Value {
        json!({"start": self.position(start), "end": self.position(end.max(start))})
    }

    /// How long a piece is, as the client counts.
    pub fn length(&self, piece: &str) -> usize {
        match self.encoding {
            Encoding::Utf16 if !piece.is_ascii() => piece.chars().map(char::len_utf16).sum(),
            Encoding::Utf8 | Encoding::Utf16 => piece.len(),
        }
    }

    /// Replaces a range, or everything where there is none.
    pub fn change(&mut self, range: Option<&Value>, with: &str) -> Edit {
        let (start, end) = match range {
            Some(range) => (self.offset(&range["start"]), self.offset(&range["end"])),
            None => (0, self.text.len()),
        };
        let end = end.max(start);
        self.text.replace_range(start..end, with);
        self.line_starts = line_starts(&self.text);
        Edit { start, removed: end - start, inserted: with.len() }
    }
}

/// The byte at which each line starts. A carriage return alone ends a line too.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, character: usize) -> Value {
        json!({"line": line, "character": character})
    }

    #[test]
    fn places_are_counted_as_the_client_counts() {
        let text = "a𝄞ü\r\nb";
        for (encoding, end_of_line) in [(Encoding::Utf16, 4), (Encoding::Utf8, 7)] {
            let text = Text::new(text.to_string(), encoding);
            assert_eq!(text.position(7), at(0, end_of_line));
            assert_eq!(text.offset(&at(0, end_of_line)), 7);
            assert_eq!(text.offset(&at(0, 99)), 7, "behind the end of a line is its end");
            assert_eq!(text.offset(&at(9, 0)), 10, "behind the last line is the end");
            assert_eq!(text.offset(&at(0, 2)), 1, "inside of a character is in front of it");
            assert_eq!((text.position(9), text.offset(&at(1, 0))), (at(1, 0), 9));
        }
    }

    #[test]
    fn what_is_put_in_has_the_ends_of_lines_around_it() {
        let ends = |text: &str| Text::new(text.to_string(), Encoding::Utf16).as_lines_end_here("x\r\ny\n");
        assert_eq!([ends("a\r\nb\r\n"), ends("a\nb\n"), ends("a")], ["x\r\ny\r\n", "x\ny\n", "x\ny\n"]);
    }

    #[test]
    fn a_place_moves_with_the_text_around_it() {
        let mut text = Text::new("one two three".to_string(), Encoding::Utf16);
        let edit = text.change(Some(&json!({"start": at(0, 4), "end": at(0, 7)})), "2");
        assert_eq!(text.as_str(), "one 2 three");
        assert_eq!([0, 4, 5, 7, 8].map(|place| edit.moved(place)), [Some(0), Some(4), None, Some(5), Some(6)]);
    }
}
