//! From arguments to an exit status: asks the driver, prints its answer.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use modeshift_diagnostics::render_all;
use modeshift_driver::{Answer, Source};

use crate::arguments::{Arguments, Command, Common};
use crate::files::{read_source, say, write_result};

/// Exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// All well.
    Good = 0,
    /// The model is wrong or cannot be run.
    ModelWrong = 1,
    /// Wrong usage, or a file that cannot be read or written.
    Usage = 2,
}

/// What could not be done, in one line for the user.
struct UsageError(String);

/// Does what was asked for.
pub fn run(arguments: Arguments) -> Status {
    let result = match arguments.command {
        Command::Parse { files, common } => parse(&files, &common),
        Command::Flatten { .. } => not_built("flatten"),
        Command::Check { .. } => not_built("check"),
        Command::Analyze { .. } => not_built("analyze"),
        Command::Init { .. } => not_built("init"),
        Command::Changes { .. } => not_built("changes"),
        Command::Simulate { .. } => not_built("simulate"),
        Command::Rimis { .. } => not_built("rimis"),
        Command::Semantics { .. } => not_built("semantics"),
    };
    result.unwrap_or_else(|UsageError(message)| {
        say(&format!("error: {message}\n"));
        Status::Usage
    })
}

fn not_built(command: &str) -> Result<Status, UsageError> {
    Err(UsageError(format!("`modeshift {command}` is not built yet")))
}

fn parse(files: &[PathBuf], common: &Common) -> Result<Status, UsageError> {
    let mut sources: Vec<Source> = Vec::new();
    let mut status = Status::Good;
    for file in files {
        match read_source(file) {
            Ok(source) => sources.push(source),
            Err(message) => {
                say(&format!("error: {message}\n"));
                status = Status::Usage;
            }
        }
    }
    if sources.is_empty() {
        return Ok(status);
    }
    let answer = modeshift_driver::parse(sources);
    let printed = print(&answer, common, |count| match count {
        1 => "no syntax errors\n".to_string(),
        count => format!("no syntax errors in {count} files\n"),
    })?;
    Ok(status.max(printed))
}

/// Prints diagnostics, timings, and, where nothing is wrong, the result.
fn print<T>(answer: &Answer<T>, common: &Common, text: impl FnOnce(&T) -> String) -> Result<Status, UsageError> {
    say(&render_all(&answer.diagnostics, &answer.sources, on_terminal()));
    if common.timings {
        say(&answer.timings.to_string());
    }
    match &answer.result {
        Some(result) if !answer.diagnostics.has_errors() => {
            write(common.output.as_deref(), &text(result))?;
            Ok(Status::Good)
        }
        _ => Ok(Status::ModelWrong),
    }
}

fn write(output: Option<&Path>, text: &str) -> Result<(), UsageError> {
    write_result(output, text).map_err(UsageError)
}

/// Whether standard error shows colours.
fn on_terminal() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
