//! Names that differ in subscripts alone, as one name with ranges: `element[2..99].v`.

/// The pieces of a text between numbers, and the numbers: those in brackets, and those behind a letter.
fn pieces(text: &str) -> (Vec<String>, Vec<u64>) {
    let (mut texts, mut numbers) = (vec![String::new()], Vec::new());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        let is_subscript = texts.last().is_some_and(|text| text.ends_with(['[', ',']));
        match rest[..digits].parse() {
            Ok(number) if is_subscript => {
                numbers.push(number);
                texts.push(String::new());
                rest = &rest[digits..];
            }
            _ => {
                texts.last_mut().expect("there is always one").push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    (texts, numbers)
}

/// A text with `#` for its subscripts.
pub(crate) fn pattern(text: &str) -> String {
    pieces(text).0.join("#")
}

/// Texts of one pattern as one, with the range of each subscript; the first of texts that differ otherwise.
pub(crate) fn ranges(texts: &[&str]) -> String {
    let (first, _) = pieces(texts[0]);
    let all: Vec<Vec<u64>> = texts.iter().map(|text| pieces(text)).filter(|it| it.0 == first).map(|it| it.1).collect();
    let mut result = String::new();
    for (at, piece) in first.iter().enumerate() {
        result.push_str(piece);
        let numbers = all.iter().filter_map(|numbers| numbers.get(at));
        if let (Some(least), Some(most)) = (numbers.clone().min(), numbers.max()) {
            result.push_str(&if least == most { least.to_string() } else { format!("{least}..{most}") });
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscripts_become_ranges() {
        assert_eq!(ranges(&["e[2].v'", "e[3].v'", "e[9].v'"]), "e[2..9].v'");
        assert_eq!(ranges(&["x[1,2]", "x[1,5]"]), "x[1,2..5]");
        assert_eq!(ranges(&["a[1]"]), "a[1]");
        assert_eq!(pattern("x1 + y[12]"), "x1 + y[#]");
    }
}
