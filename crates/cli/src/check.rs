//! `check`: of one file or several, once or whenever they change, and with the edits that make a model right.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use modeshift_diagnostics::{Edit, ExitStatus as Status, Repair, SourceMap};
use modeshift_driver::report::check::{CheckReport, difference};
use modeshift_driver::report::json::pretty;
use modeshift_driver::{Answer, CheckOptions};
use serde_json::Value;

use crate::answers::{status_of, tell, tell_timings, write};
use crate::arguments::{Common, DataFormat, Input};
use crate::commands::UsageError;
use crate::files::{refuse_overwriting, say};
use crate::questions::question;

/// How often files are looked at.
const PATIENCE: Duration = Duration::from_millis(200);

/// What is wanted of a check.
#[derive(Clone, Copy)]
pub struct Wishes {
    /// Text or JSON.
    pub format: DataFormat,
    /// What is looked for.
    pub options: CheckOptions,
    /// Whether the edits are shown.
    pub fix: bool,
    /// Whether they are made.
    pub write: bool,
    /// Whether the text of the one file comes from standard input.
    pub stdin: bool,
}

/// Checks files one by one; as bad as the worst of them.
pub fn check_files(files: &[PathBuf], common: &Common, wishes: Wishes) -> Result<Status, UsageError> {
    let (status, text, _) = checked_files(files, common, wishes)?;
    write(common, &text)?;
    Ok(status)
}

/// Checks, and again whenever a file changes that was read.
pub fn check_whenever_changed(files: &[PathBuf], common: &Common, wishes: Wishes) -> Result<Status, UsageError> {
    if files.iter().any(|file| file == Path::new("-")) {
        return Err(UsageError("--watch: standard input does not change".to_string()));
    }
    loop {
        // A file that changes while it is checked has changed.
        let before = times(files);
        let mut more = Vec::new();
        match checked_files(files, common, wishes) {
            Ok((_, text, read)) => {
                write(common, &text)?;
                more = read;
            }
            Err(UsageError(message)) => say(&format!("error: {message}\n")),
        }
        let of_libraries = times(&more);
        while times(files) == before && times(&more) == of_libraries {
            std::thread::sleep(PATIENCE);
        }
        say("\n");
    }
}

/// When each file was last written.
fn times(files: &[PathBuf]) -> Vec<Option<SystemTime>> {
    files.iter().map(|file| std::fs::metadata(file).and_then(|it| it.modified()).ok()).collect()
}

/// The worst status, what goes to standard output, and which files were read.
fn checked_files(
    files: &[PathBuf],
    common: &Common,
    wishes: Wishes,
) -> Result<(Status, String, Vec<PathBuf>), UsageError> {
    if wishes.stdin && files.len() > 1 {
        return Err(UsageError("--stdin: standard input is the text of one file".to_string()));
    }
    let (mut status, mut text, mut values, mut read) = (Status::Good, String::new(), Vec::new(), Vec::new());
    for file in files {
        let input = Input { file: file.clone(), stdin: wishes.stdin, common: common.clone() };
        let question = question(&input)?;
        let answer = modeshift_driver::check(&question, wishes.options);
        if let Some(output) = common.output() {
            refuse_overwriting(output, answer.sources.names().map(Path::new)).map_err(UsageError)?;
        }
        read.extend(answer.sources.names().map(PathBuf::from));
        let mut own = status_of(&answer);
        match wishes.format {
            DataFormat::Text => tell(&answer, common),
            DataFormat::Json => tell_timings(&answer, common),
        }
        if let Some(report) = &answer.result {
            match wishes.format {
                DataFormat::Text => text.push_str(&report.text()),
                DataFormat::Json => values.push(report.json()),
            }
        }
        if wishes.fix {
            let (name, before) = (&question.source.name, &question.source.text);
            match all_edits(&answer, name).and_then(|repair| Some((difference(name, before, &repair)?, repair))) {
                Some((shown, repair)) => {
                    if wishes.format == DataFormat::Text {
                        text.push_str(&shown);
                    }
                    if wishes.write {
                        let after = repair.applied(before).unwrap_or_else(|| before.clone());
                        write_edited(question.source.path.as_deref(), before, &after)?;
                        say(&format!("`{name}` is written with these edits\n"));
                        own = Status::Good;
                    }
                }
                None if answer.diagnostics.has_errors() => {
                    say(&format!("note: no edit is known that makes `{name}` right\n"));
                }
                None => {}
            }
        }
        status = status.max(own);
    }
    if wishes.format == DataFormat::Json {
        text = match values.len() {
            1 => values.iter().map(pretty).collect(),
            _ => pretty(&Value::Array(values)),
        };
    }
    Ok((status, text, read))
}

/// The edits of all diagnostics together: those of errors, or where there are none those of warnings.
fn all_edits(answer: &Answer<CheckReport>, name: &str) -> Option<Repair> {
    let mut edits: Vec<Edit> = Vec::new();
    for edit in answer.diagnostics.iter().filter_map(|it| it.repair.as_ref()).flat_map(|repair| &repair.edits) {
        let overlaps = edits.iter().any(|it| it.span.start < edit.span.end && edit.span.start < it.span.end);
        if !overlaps && !edits.contains(edit) && is_of(&answer.sources, edit, name) {
            edits.push(edit.clone());
        }
    }
    (!edits.is_empty()).then(|| Repair { title: String::new(), edits })
}

fn is_of(sources: &SourceMap, edit: &Edit, name: &str) -> bool {
    sources.file(edit.span.file).is_some_and(|file| file.name() == name)
}

/// Writes a file that still is what was read, with the byte order mark that it may have.
fn write_edited(path: Option<&Path>, before: &str, after: &str) -> Result<(), UsageError> {
    let Some(path) = path else {
        return Err(UsageError("--write: standard input cannot be written to".to_string()));
    };
    let name = path.display();
    let now = std::fs::read_to_string(path).unwrap_or_default();
    let (mark, text) = match now.strip_prefix('\u{feff}') {
        Some(text) => ("\u{feff}", text),
        None => ("", now.as_str()),
    };
    if text != before {
        return Err(UsageError(format!("`{name}` was changed meanwhile: nothing is written")));
    }
    let error = |error: std::io::Error| UsageError(format!("cannot write `{name}`: {}", crate::files::reason(&error)));
    std::fs::write(path, format!("{mark}{after}")).map_err(error)
}
