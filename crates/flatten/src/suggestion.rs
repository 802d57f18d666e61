//! "Did you mean": the nearest of the names that would have been right.

use modeshift_diagnostics::{Diagnostic, did_you_mean};

/// Adds the nearest candidates as help, if any is near.
pub(crate) fn with_suggestion<'a>(
    diagnostic: Diagnostic,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    match did_you_mean(name, candidates) {
        Some(suggestion) => diagnostic.help(suggestion),
        None => diagnostic,
    }
}
