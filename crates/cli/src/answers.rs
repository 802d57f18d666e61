//! From an answer of the driver to standard output, standard error and the exit status.

use std::io::IsTerminal as _;
use std::path::Path;

use modeshift_diagnostics::{ExitStatus, render_all};
use modeshift_driver::Answer;
use modeshift_driver::report::check::CheckReport;
use modeshift_driver::report::json::pretty;

use crate::arguments::{Common, Input};
use crate::commands::UsageError;
use crate::files::{refuse_overwriting, say, write_result};

/// Prints diagnostics and, where asked for, timings.
pub fn tell<T>(answer: &Answer<T>, common: &Common) {
    say(&render_all(&answer.diagnostics, &answer.sources, has_colours(std::io::stderr().is_terminal())));
    tell_timings(answer, common);
}

/// Prints timings, where asked for.
pub fn tell_timings<T>(answer: &Answer<T>, common: &Common) {
    if common.timings {
        say(&answer.timings.to_string());
    }
}

/// As bad as the worst that was said.
pub fn status_of<T>(answer: &Answer<T>) -> ExitStatus {
    let worst = answer.diagnostics.iter().map(|diagnostic| diagnostic.code.exit_status()).max();
    let without_result = if answer.result.is_none() { ExitStatus::ModelWrong } else { ExitStatus::Good };
    worst.unwrap_or(ExitStatus::Good).max(without_result)
}

/// For programs, where there is no result: what is wrong, as `check` would write it.
pub fn refusal<T>(answer: &Answer<T>, input: &Input) -> String {
    let file = input.file.display().to_string();
    let asked_for = (input.common.model.as_deref(), file.as_str());
    pretty(&CheckReport::new(None, asked_for, &answer.diagnostics, &answer.sources).json())
}

/// Writes the result of an answer where the user wants it, unless that is one of the files that were read for it.
pub fn write_answer<T>(answer: &Answer<T>, common: &Common, text: &str) -> Result<(), UsageError> {
    if let Some(output) = common.output() {
        refuse_overwriting(output, answer.sources.names().map(Path::new)).map_err(UsageError)?;
    }
    write(common, text)
}

/// Writes a result where the user wants it.
pub fn write(common: &Common, text: &str) -> Result<(), UsageError> {
    write_result(common.output(), text).map_err(UsageError)
}

/// On a terminal, headings stand out: the lines that are not indented.
pub fn on_paper(text: String, common: &Common) -> String {
    match common.output() {
        Some(_) => text,
        None => with_headings(text, |line| !line.starts_with(' ') && !line.is_empty()),
    }
}

/// What goes to standard output; on a terminal, headings stand out.
pub fn with_headings(text: String, is_heading: impl Fn(&str) -> bool) -> String {
    if !has_colours(std::io::stdout().is_terminal()) {
        return text;
    }
    let line = |line: &str| match is_heading(line) {
        true => format!("\u{1b}[1m{line}\u{1b}[0m\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Whether to use colours where there is a terminal: unless `NO_COLOR` says otherwise.
fn has_colours(terminal: bool) -> bool {
    terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
