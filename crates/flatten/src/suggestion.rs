//! "Did you mean": the nearest of the names that would have been right.

use modeshift_diagnostics::{Code, Diagnostic, Repair, Span, did_you_mean, nearest_names};

/// Names that are listed.
const MOST_LISTED: usize = 12;

/// Adds the nearest candidates as help, if any is near, and as edits where the name stands at the primary place.
pub(crate) fn with_suggestion<'a>(
    diagnostic: Diagnostic,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    if diagnostic.code == Code::E0290 {
        // What has this name is known.
        return diagnostic;
    }
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

/// Adds the parameters that a modification may set, those first that are likely to be meant: where one name begins with the other
/// (`m` for `mass`), or where one alone has no value yet. A name that begins like one parameter alone is tried as a repair.
pub(crate) fn with_parameters(mut diagnostic: Diagnostic, name: &str, parameters: &[(&str, bool)]) -> Diagnostic {
    if diagnostic.help.is_some() || parameters.is_empty() {
        return diagnostic;
    }
    let written = name.to_lowercase();
    // A letter or two of a parameter that has a value already begin many other words.
    let is_short_form = |(other, has_value): &&(&str, bool)| {
        let is_telling = !has_value || other.len() > 2;
        let other = other.to_lowercase();
        other.starts_with(&written) || is_telling && written.starts_with(&other)
    };
    let alike: Vec<&str> = parameters.iter().filter(is_short_form).map(|it| it.0).collect();
    let open: Vec<&str> = parameters.iter().filter(|it| !it.1).map(|it| it.0).collect();
    if let ([only], Some(label)) = (alike.as_slice(), diagnostic.labels.first()) {
        let place = Span { end: label.span.start + name.len() as u32, ..label.span };
        diagnostic.candidates.push(Repair::replace(place, *only, format!("replace `{name}` by `{only}`")));
    }
    match (alike.as_slice(), open.as_slice()) {
        ([only], _) => diagnostic.help(format!("did you mean `{only}`?")),
        (_, [only]) => diagnostic.help(format!("did you mean `{only}`, which has no value yet?")),
        _ => with_names(diagnostic, parameters.iter().map(|it| it.0)),
    }
}
