//! `compare`: two results.

use std::path::Path;

use modeshift_diagnostics::ExitStatus as Status;
use modeshift_driver::compare::{CompareOptions, ResultTable, compare as compared};
use modeshift_driver::report::json::pretty;
use modeshift_driver::simulate::variable_names;

use crate::arguments::{Compare, DataFormat};
use crate::commands::UsageError;
use crate::files::{read_bytes, reason, refuse_overwriting, say, write_bytes, write_result};

/// Whether the second result is like the first, in words; and a picture of what differs, where that is wanted.
pub fn compare(arguments: &Compare) -> Result<Status, UsageError> {
    let Compare { reference, other, plot, output, .. } = arguments;
    for written in [plot, output].into_iter().flatten() {
        refuse_overwriting(written, [reference.as_path(), other.as_path()].into_iter()).map_err(UsageError)?;
    }
    if arguments.slack.is_some_and(|slack| !(slack >= 0.0 && slack.is_finite())) {
        return Err(UsageError("--slack: expected a time that is not negative".to_string()));
    }
    let is_png = match plot.as_ref().and_then(|path| path.extension()).map(|it| it.to_ascii_lowercase()) {
        Some(extension) if extension == "png" => true,
        Some(extension) if extension == "svg" => false,
        _ if plot.is_some() => return Err(UsageError("--plot: pictures are written as .svg or .png".to_string())),
        _ => false,
    };
    let (first, second) = (read(reference)?, read(other)?);
    let options = CompareOptions {
        relative: arguments.rel.clone(),
        absolute: arguments.abs.clone(),
        slack: arguments.slack,
        wanted: arguments.vars.as_deref().map(variable_names).unwrap_or_default(),
    };
    let found = compared(&first, &second, &options).map_err(UsageError)?;
    let text = match arguments.format {
        DataFormat::Text => found.report.text(),
        DataFormat::Json => pretty(&found.report.json()),
    };
    write_result(output.as_deref(), &text).map_err(UsageError)?;
    if let Some(path) = plot {
        match found.picture() {
            Some(picture) => {
                let bytes = if is_png { picture.to_png() } else { Ok(picture.to_svg().into_bytes()) };
                let bytes = bytes.map_err(|error| UsageError(format!("cannot draw `{}`: {error}", path.display())))?;
                let cannot = |error| UsageError(format!("cannot write `{}`: {}", path.display(), reason(&error)));
                write_bytes(path, &bytes).map_err(cannot)?;
            }
            None => say("note: nothing differs, so nothing is drawn\n"),
        }
    }
    Ok(if found.report.ok { Status::Good } else { Status::ModelWrong })
}

fn read(path: &Path) -> Result<ResultTable, UsageError> {
    let name = path.display().to_string();
    let bytes = read_bytes(path).map_err(|error| UsageError(format!("cannot read `{name}`: {}", reason(&error))))?;
    ResultTable::read(&name, &bytes).map_err(|error| UsageError(format!("cannot read `{name}`: {error}")))
}
