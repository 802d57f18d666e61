//! Names that differ in subscripts alone, as one name with ranges: `element[2..99].v`.

use rustc_hash::FxHashMap;

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

/// Items of a list that differ in subscripts alone, together, in the order of the first of each.
pub(crate) fn alike<'a>(items: impl IntoIterator<Item = &'a str>) -> Vec<(String, Vec<&'a str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    let mut known = FxHashMap::default();
    for item in items {
        let group = *known.entry(pattern(item)).or_insert_with_key(|pattern| {
            groups.push((pattern.clone(), Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(item);
    }
    groups
}

/// The terms of a formula with the word in front of each, neighbours that differ in subscripts alone together:
/// `g[1] and g[2] and not g[3]` has two, and so has `g[1] and not g[2]`.
pub(crate) fn terms(formula: &str) -> Vec<(String, Vec<&str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    let mut rest = formula;
    let mut joint = "";
    loop {
        let next = [" and ", " or "].into_iter().filter_map(|word| Some((rest.find(word)?, word))).min();
        let term = &rest[..next.map_or(rest.len(), |(at, _)| at)];
        let shape = pattern(term);
        match groups.last_mut() {
            Some((last, members)) if joint != " or " && last.trim_start_matches(" and ") == shape => members.push(term),
            _ => groups.push((format!("{joint}{shape}"), vec![term])),
        }
        let Some((at, word)) = next else { return groups };
        (rest, joint) = (&rest[at + word.len()..], word);
    }
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
    #[test]
    fn a_run_of_one_has_the_shape_of_a_longer_one() {
        let shape = |formula| terms(formula).into_iter().map(|(shape, _)| shape).collect::<String>();
        assert_eq!(shape("g[1] and g[2] and g[3] and not g[4]"), "g[#] and not g[#]");
        assert_eq!(shape("g[1] and not g[2]"), "g[#] and not g[#]");
        assert_eq!(shape("g[1] or g[2]"), "g[#] or g[#]");
        assert_eq!(
            alike(["m[1]", "last", "m[2]"]),
            [("m[#]".into(), vec!["m[1]", "m[2]"]), ("last".into(), vec!["last"])]
        );
    }
}
