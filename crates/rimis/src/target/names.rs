//! Names that Modelica accepts, each given once.
//!
//! Names of a flat model such as `element[1].u1` are written as quoted identifiers, `'element[1].u1'`, so that the
//! original name stays readable and results can be compared by it.

use rustc_hash::FxHashSet;

const KEYWORDS: &[&str] = &[
    "algorithm",
    "and",
    "annotation",
    "block",
    "break",
    "class",
    "connect",
    "connector",
    "constant",
    "constrainedby",
    "der",
    "discrete",
    "each",
    "else",
    "elseif",
    "elsewhen",
    "encapsulated",
    "end",
    "enumeration",
    "equation",
    "expandable",
    "extends",
    "external",
    "false",
    "final",
    "flow",
    "for",
    "function",
    "if",
    "import",
    "impure",
    "in",
    "initial",
    "inner",
    "input",
    "loop",
    "model",
    "not",
    "operator",
    "or",
    "outer",
    "output",
    "package",
    "parameter",
    "partial",
    "protected",
    "public",
    "pure",
    "record",
    "redeclare",
    "replaceable",
    "return",
    "stream",
    "then",
    "time",
    "true",
    "type",
    "when",
    "while",
    "within",
];

/// The names that have been given.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: FxHashSet<String>,
}

impl Names {
    /// A legal name like `wanted`; underscores are appended until it is new.
    pub(crate) fn give(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        legal(&name)
    }
}

/// The name as an identifier, quoted where it is none.
pub(crate) fn legal(name: &str) -> String {
    if is_quoted(name) || is_identifier(name) {
        return name.to_string();
    }
    let mut quoted = String::with_capacity(name.len() + 2);
    quoted.push('\'');
    for character in name.chars() {
        if matches!(character, '\'' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('\'');
    quoted
}

/// A name as it reads in text: of a quoted identifier without its quotes.
pub(crate) fn unquoted(name: &str) -> &str {
    let inner = name.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    inner.filter(|_| is_quoted(name)).unwrap_or(name)
}

/// A name with something appended; of a quoted identifier inside its quotes.
pub(crate) fn appended(name: &str, suffix: &str) -> String {
    match name.strip_suffix('\'').filter(|_| is_quoted(name)) {
        Some(open) => format!("{open}{suffix}'"),
        None => format!("{name}{suffix}"),
    }
}

/// The last part of a class name, followed by `RIMIS`.
pub(crate) fn model_name(class: &str) -> String {
    let last = class.rsplit('.').next().unwrap_or(class);
    legal(&appended(last, "RIMIS"))
}

/// Whether the whole name is one quoted identifier.
fn is_quoted(name: &str) -> bool {
    let inner = name.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    inner.is_some_and(|inner| !inner.is_empty() && !inner.contains('\''))
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    let starts = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    let continues = characters.all(|next| next.is_ascii_alphanumeric() || next == '_');
    starts && continues && KEYWORDS.binary_search(&name).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_components_are_quoted_and_suffixes_go_inside() {
        assert_eq!(legal("element[1].u1"), "'element[1].u1'");
        assert_eq!(appended("x", "_p"), "x_p");
        assert_eq!(appended("'a b'", "_p"), "'a b_p'");
        assert_eq!(legal("der"), "'der'");
        assert_eq!(model_name("Some.Package.Tank"), "TankRIMIS");
    }

    #[test]
    fn a_name_is_given_once() {
        let mut names = Names::default();
        assert_eq!(names.give("x"), "x");
        assert_eq!(names.give("x"), "x_");
        assert_eq!(names.give("a[1]"), "'a[1]'");
    }
}
