//! What a user asks, and what comes back.
//!
//! | module | purpose |
//! |---|---|
//! | `opened` | texts that an editor has open, in the place of files |
//! | `valuation` | partial valuations of mode variables, as in `--at` |

pub mod opened;
pub mod valuation;

use std::path::PathBuf;
use std::time::Duration;

use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_flatten::Parsed;

use crate::timings::{Progress, Timings};
use opened::Opened;

/// The language of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Modelica 3.6 with declarations inside `if` and `invariant`.
    #[default]
    Modelica,
    /// The small language of RR9322.
    Mel,
}

/// A source text with its name as the user wrote it.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// A path, or `<stdin>`.
    pub name: String,
    /// Where it lies, so that files beside it are found; `None` for a text that is no file.
    pub path: Option<PathBuf>,
    /// The text.
    pub text: String,
    /// Its language.
    pub dialect: Dialect,
}

/// What may be used before giving up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Decision-diagram nodes alive.
    pub nodes: Option<usize>,
    /// Time of the analysis.
    pub time: Option<Duration>,
}

/// Which model is meant.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The file that was named.
    pub source: Source,
    /// The class; by default the last model of the file that is not partial.
    pub model: Option<String>,
    /// Names and values of parameters and constants to override.
    pub overrides: Vec<(String, String)>,
    /// Where packages are looked for.
    pub libraries: Vec<PathBuf>,
    /// What may be used.
    pub limits: Limits,
    /// Told which phase is running.
    pub progress: Progress,
    /// What was parsed for earlier questions; nothing where this is the only one.
    pub parsed: Option<Parsed>,
    /// Texts that stand for files.
    pub opened: Opened,
}

impl Question {
    /// A question about the last model of a text that is no file, without libraries and limits; MEL where the name ends so.
    pub fn of_text(name: &str, text: &str) -> Self {
        let dialect = if name.ends_with(".mel") { Dialect::Mel } else { Dialect::Modelica };
        let source = Source { name: name.to_string(), path: None, text: text.to_string(), dialect };
        Question { source, ..Question::default() }
    }
}

/// The result with everything there is to say about it.
#[derive(Debug)]
pub struct Answer<T> {
    /// The result, as far as there is one.
    pub result: Option<T>,
    /// All texts that were read, for showing the diagnostics.
    pub sources: SourceMap,
    /// What was said.
    pub diagnostics: Diagnostics,
    /// How long each phase took.
    pub timings: Timings,
}
