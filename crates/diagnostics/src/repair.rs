//! Edits that repair a model: places and what is to stand there.

use crate::Span;

/// A piece of text to be replaced. An empty span inserts, an empty text removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// What stands there then.
    pub text: String,
}

/// Edits of one file that belong together, with what they do in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// ``replace `vlave` by `valve` ``
    pub title: String,
    /// What to replace; no two overlap.
    pub edits: Vec<Edit>,
}

impl Repair {
    /// Replaces one piece of text.
    pub fn replace(span: Span, text: impl Into<String>, title: impl Into<String>) -> Repair {
        Repair { title: title.into(), edits: vec![Edit { span, text: text.into() }] }
    }

    /// Inserts in front of a byte of the file of `span`.
    pub fn insert(span: Span, at: u32, text: impl Into<String>, title: impl Into<String>) -> Repair {
        Repair::replace(Span { start: at, end: at, ..span }, text, title)
    }

    /// One more edit.
    pub fn and(mut self, span: Span, text: impl Into<String>) -> Repair {
        self.edits.push(Edit { span, text: text.into() });
        self
    }

    /// The text with all edits made; `None` where they overlap or do not fit the text.
    pub fn applied(&self, text: &str) -> Option<String> {
        let mut edits: Vec<&Edit> = self.edits.iter().collect();
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let (mut result, mut done) = (String::with_capacity(text.len()), 0);
        for Edit { span, text: new } in edits {
            let (start, end) = (span.start as usize, span.end as usize);
            result.push_str(text.get(done..start).filter(|_| start <= end)?);
            text.get(start..end)?;
            result.push_str(new);
            done = end;
        }
        result.push_str(text.get(done..)?);
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceMap;

    #[test]
    fn edits_are_made_in_the_order_of_their_places() {
        let file = SourceMap::default().add("M.mo", "a b c");
        let span = |start, end| Span::new(file, start, end);
        let repair = Repair::replace(span(4, 5), "z", "").and(span(0, 1), "").and(span(3, 3), "!");
        assert_eq!(repair.applied("a b c").as_deref(), Some(" b! z"));
    }

    #[test]
    fn edits_that_do_not_fit_are_not_made() {
        let file = SourceMap::default().add("M.mo", "ä");
        let span = |start, end| Span::new(file, start, end);
        assert_eq!(Repair::replace(span(0, 1), "", "").applied("ä"), None);
        assert_eq!(Repair::replace(span(0, 2), "", "").and(span(1, 2), "").applied("abc"), None);
        assert_eq!(Repair::replace(span(5, 9), "", "").applied("abc"), None);
    }
}
