//! Edits as a difference of two texts, in the unified format that `patch` reads.

use modeshift_diagnostics::Repair;

/// Lines around a change.
const CONTEXT: usize = 3;

/// Lines of the text before that are replaced.
struct Change {
    first: usize,
    /// One past the last.
    end: usize,
    new: Vec<String>,
}

/// The difference that edits make to a file; nothing where they do not fit.
pub fn difference(name: &str, text: &str, repair: &Repair) -> Option<String> {
    let edited = repair.applied(text)?;
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let changes = changes(text, &old, repair)?;
    let mut result = format!("--- {name}\n+++ {name}\n");
    let mut grown = 0isize;
    let mut at = 0;
    while let Some(first) = changes.get(at) {
        // Changes whose contexts meet are one hunk.
        let mut last = at;
        while changes.get(last + 1).is_some_and(|next| next.first <= changes[last].end + 2 * CONTEXT) {
            last += 1;
        }
        let from = first.first.saturating_sub(CONTEXT);
        let to = (changes[last].end + CONTEXT).min(old.len());
        let mut lines = String::new();
        let (mut line, mut new_count) = (from, 0);
        for change in &changes[at..=last] {
            for kept in &old[line..change.first] {
                push(&mut lines, ' ', kept);
            }
            new_count += change.first - line + change.new.len();
            old[change.first..change.end].iter().for_each(|removed| push(&mut lines, '-', removed));
            change.new.iter().for_each(|added| push(&mut lines, '+', added));
            line = change.end;
        }
        old[line..to].iter().for_each(|kept| push(&mut lines, ' ', kept));
        new_count += to - line;
        let new_from = from as isize + grown;
        result.push_str(&format!("@@ -{},{} +{},{new_count} @@\n{lines}", from + 1, to - from, new_from + 1));
        grown += new_count as isize - (to - from) as isize;
        at = last + 1;
    }
    (edited != text).then_some(result)
}

fn push(lines: &mut String, sign: char, line: &str) {
    lines.push(sign);
    lines.push_str(line);
    if !line.ends_with('\n') {
        lines.push_str("\n\\ No newline at end of file\n");
    }
}

/// The lines that edits touch, with what stands there then; edits of one line together.
fn changes(text: &str, old: &[&str], repair: &Repair) -> Option<Vec<Change>> {
    let starts: Vec<usize> = old.iter().scan(0, |at, line| Some(std::mem::replace(at, *at + line.len()))).collect();
    let line_of = |byte: usize| starts.partition_point(|&start| start <= byte).saturating_sub(1);
    let mut edits: Vec<_> = repair.edits.iter().collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut changes: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    for (number, edit) in edits.iter().enumerate() {
        let first = line_of(edit.span.start as usize);
        let last = line_of((edit.span.end as usize).max(edit.span.start as usize + 1) - 1).max(first);
        match changes.last_mut() {
            Some((_, end, numbers)) if first < *end => {
                *end = (*end).max(last + 1);
                numbers.push(number);
            }
            _ => changes.push((first, last + 1, vec![number])),
        }
    }
    let change = |(first, end, numbers): (usize, usize, Vec<usize>)| {
        let end = end.min(old.len());
        let (start, stop) = (*starts.get(first)?, starts.get(end).copied().unwrap_or(text.len()));
        let (mut new, mut done) = (String::new(), start);
        for number in numbers {
            let edit = edits[number];
            new.push_str(text.get(done..edit.span.start as usize)?);
            new.push_str(&edit.text);
            done = edit.span.end as usize;
        }
        new.push_str(text.get(done..stop)?);
        Some(Change { first, end, new: new.split_inclusive('\n').map(str::to_string).collect() })
    };
    changes.into_iter().map(change).collect()
}

#[cfg(test)]
mod tests {
    use modeshift_diagnostics::{SourceMap, Span};

    use super::*;

    #[test]
    fn lines_before_and_after_are_shown_with_three_around_them() {
        let text = "a\nb\nc\nd\ne\nf\ng\n";
        let file = SourceMap::default().add("M.mo", text);
        let repair = Repair::replace(Span::new(file, 8, 9), "E!", "").and(Span::new(file, 9, 9), "\nnew");
        let expected = "--- M.mo\n+++ M.mo\n@@ -2,6 +2,7 @@\n b\n c\n d\n-e\n+E!\n+new\n f\n g\n";
        assert_eq!(difference("M.mo", text, &repair).as_deref(), Some(expected));
    }

    #[test]
    fn a_line_that_is_removed_has_nothing_in_its_place() {
        let text = "a\nb";
        let file = SourceMap::default().add("M.mo", text);
        let repair = Repair::replace(Span::new(file, 0, 2), "", "");
        let expected = "--- M.mo\n+++ M.mo\n@@ -1,2 +1,1 @@\n-a\n b\n\\ No newline at end of file\n";
        assert_eq!(difference("M.mo", text, &repair).as_deref(), Some(expected));
    }
}
