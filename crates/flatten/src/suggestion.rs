//! "Did you mean": the nearest of the names that would have been right.

use modeshift_diagnostics::{Diagnostic, Repair, Span, did_you_mean, nearest_names};

/// Names that are listed.
const MOST_LISTED: usize = 12;

/// Adds the nearest candidates as help, if any is near, and as edits where the name stands at the primary place.
pub(crate) fn with_suggestion<'a>(
    diagnostic: Diagnostic,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let Some(suggestion) = did_you_mean(name, candidates.iter().copied()) else { return diagnostic };
    let mut diagnostic = diagnostic.help(suggestion);
    if let Some(label) = diagnostic.labels.first() {
        // Of a modification, the name is the first of it.
        let place = Span { end: label.span.start + name.len() as u32, ..label.span };
        for near in nearest_names(name, candidates) {
            let repair = Repair::replace(place, near, format!("replace `{name}` by `{near}`"));
            diagnostic.candidates.push(repair);
        }
    }
    diagnostic
}

/// Adds the names that there are, where none of them is near to the one that was written.
pub(crate) fn with_names<'a>(diagnostic: Diagnostic, names: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    if diagnostic.help.is_some() || names.is_empty() {
        return diagnostic;
    }
    let listed: Vec<String> = names.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
    let more =
        if names.len() > MOST_LISTED { format!(" and {} more", names.len() - MOST_LISTED) } else { String::new() };
    diagnostic.help(format!("it has {}{more}", listed.join(", ")))
}
