//! How wide texts are, without looking at a font, and how to make them fit.

/// The width of a character of a fixed-width font, as a part of its size.
const CHARACTER_WIDTH: f64 = 0.602;

/// How wide a text is in a fixed-width font.
pub fn fixed_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * CHARACTER_WIDTH
}

/// A text of at most so many characters, with its end left out where it is too long.
pub fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_string();
    }
    text.chars().take(longest - 1).chain(['…']).collect()
}

/// About how wide a text is: digits and most letters are a little narrower than two thirds of their size.
pub fn text_width(text: &str, size: u32) -> f64 {
    let width = |character: char| match character {
        'i' | 'j' | 'l' | '.' | ',' | '\'' | '(' | ')' | '[' | ']' | ' ' | 't' | 'f' | 'r' => 0.38,
        'm' | 'w' | 'M' | 'W' | '=' | '<' | '>' | '+' | '-' => 0.86,
        _ => 0.63,
    };
    text.chars().map(width).sum::<f64>() * f64::from(size)
}

/// A text that is at most so wide, with its middle left out where it is too long: both ends of names matter.
pub fn fitted(text: &str, size: u32, width: f64) -> String {
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
