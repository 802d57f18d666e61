//! From arguments to a question for the driver.

use std::path::PathBuf;
use std::time::Duration;

use modeshift_driver::{Limits, Progress, Question};

use crate::arguments::{Common, Input};
use crate::commands::UsageError;
use crate::files::{read_source, read_text_of};
use crate::watchdog;

/// Reads the file and puts the options together.
pub fn question(input: &Input) -> Result<Question, UsageError> {
    let common = &input.common;
    let progress = Progress::default();
    watch(common, &progress);
    if let Some(missing) = common.libraries.iter().find(|directory| !directory.is_dir()) {
        return Err(UsageError(format!("-L {}: there is no such directory", missing.display())));
    }
    Ok(Question {
        source: match input.stdin {
            true => read_text_of(&input.file),
            false => read_source(&input.file),
        }
        .map_err(UsageError)?,
        model: common.model.clone(),
        overrides: common.overrides.clone(),
        libraries: library_path(&common.libraries),
        limits: Limits { nodes: common.node_limit, time: common.time_limit.map(Duration::from_secs_f64) },
        progress,
        ..Question::default()
    })
}

/// The directories of `-L`, then those of `MODELICAPATH`.
pub fn library_path(given: &[PathBuf]) -> Vec<PathBuf> {
    let path = std::env::var_os("MODELICAPATH").unwrap_or_default();
    let from_path = std::env::split_paths(&path).filter(|directory| directory.is_dir()).collect::<Vec<_>>();
    given.iter().cloned().chain(from_path).collect()
}

/// Starts the clock where there is a time limit.
pub fn watch(common: &Common, progress: &Progress) {
    if let Some(seconds) = common.time_limit {
        watchdog::start(Duration::from_secs_f64(seconds), progress.clone());
    }
}
