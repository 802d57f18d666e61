//! "Did you mean": the nearest of the names that would have been right.

use modeshift_diagnostics::Diagnostic;

/// Adds the nearest candidates as help, if any is near.
pub(crate) fn with_suggestion<'a>(
    diagnostic: Diagnostic,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let limit = (name.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate, limit), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort();
    near.dedup();
    match near.as_slice() {
        [] => diagnostic,
        [(_, only)] => diagnostic.help(format!("did you mean `{only}`?")),
        [(_, first), (_, second), ..] => diagnostic.help(format!("did you mean `{first}` or `{second}`?")),
    }
}

/// Edit distance (insert, delete, replace), or `limit + 1` where it is greater; case counts as half a difference
/// by comparing without case first.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).take(64).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).take(64).collect();
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
