//! Names of equations: labels with loop indices filled in, or a placeholder that is numbered later.

use std::sync::Arc;

/// `prefix#`, or `prefix#[2]` for an element of an array equation, `at` counting from 0.
pub(crate) fn unlabelled(prefix: &str, at: Option<usize>) -> Arc<str> {
    match at {
        None => format!("{prefix}#").into(),
        Some(at) => format!("{prefix}#[{}]", at + 1).into(),
    }
}

/// `prefix` and the label with iterators replaced by their values: `cpl[k].u` becomes `cpl[2].u`. The values of
/// iterators that the label does not mention, and the index in an array equation, are appended.
pub(crate) fn labelled(prefix: &str, label: &str, loops: &[(Arc<str>, String)], index: &str) -> Arc<str> {
    let mut text = String::from(prefix);
    let mut mentioned = vec![false; loops.len()];
    let mut rest = label;
    while let Some(start) = rest.find(|character: char| is_word(character)) {
        text.push_str(&rest[..start]);
        let word_and_rest = &rest[start..];
        let end = word_and_rest.find(|character: char| !is_word(character)).unwrap_or(word_and_rest.len());
        let word = &word_and_rest[..end];
        let inside_brackets = text.matches('[').count() > text.matches(']').count();
        match loops.iter().rposition(|(name, _)| &**name == word) {
            Some(at) if inside_brackets => {
                mentioned[at] = true;
                text.push_str(&loops[at].1);
            }
            _ => text.push_str(word),
        }
        rest = &word_and_rest[end..];
    }
    text.push_str(rest);
    for ((_, value), mentioned) in loops.iter().zip(mentioned) {
        if !mentioned {
            text.push_str(&format!("[{value}]"));
        }
    }
    text.push_str(index);
    text.into()
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loops(list: &[(&str, &str)]) -> Vec<(Arc<str>, String)> {
        list.iter().map(|&(name, value)| (name.into(), value.to_string())).collect()
    }

    #[test]
    fn iterators_in_brackets_are_replaced() {
        assert_eq!(&*labelled("", "cpl[k].u", &loops(&[("k", "2")]), ""), "cpl[2].u");
        assert_eq!(&*labelled("line.", "k[k]", &loops(&[("k", "2")]), ""), "line.k[2]");
    }

    #[test]
    fn iterators_that_are_not_mentioned_are_appended() {
        assert_eq!(&*labelled("", "flow", &loops(&[("i", "3"), ("j", "1")]), ""), "flow[3][1]");
        assert_eq!(&*labelled("", "flow[j]", &loops(&[("i", "3"), ("j", "1")]), "[2]"), "flow[1][3][2]");
    }
}
