//! `fmu`: a model as a self-contained FMU.

use std::path::{Path, PathBuf};

use modeshift_diagnostics::ExitStatus;
use modeshift_fmu::{Kind, Resource, Version, archive, identifier};

use crate::arguments::{FmiVersion, FmuKind, Input};
use crate::commands::UsageError;
use crate::files::{reason, refuse_overwriting, say, write_bytes};
use crate::questions::question;

/// Where the library of the engine is, if not beside the program.
const LIBRARY: &str = "MODESHIFT_FMI_LIBRARY";

/// Writes the FMU.
pub fn fmu(input: &Input, version: FmiVersion, kind: FmuKind) -> Result<ExitStatus, UsageError> {
    let path = library_path()?;
    let library = std::fs::read(&path)
        .map_err(|error| UsageError(format!("cannot read `{}`: {}", path.display(), reason(&error))))?;
    let kind = match kind {
        FmuKind::Cs => Kind::CoSimulation,
        FmuKind::Me => Kind::ModelExchange,
        FmuKind::Both => Kind::Both,
    };
    let (resource, loaded) = match Resource::of(&question(input)?, kind) {
        Ok(made) => made,
        Err(not_made) => {
            say(&not_made.text);
            return Ok(ExitStatus::ModelWrong);
        }
    };
    say(&loaded.text(loaded.said()));
    let version = match version {
        FmiVersion::Two => Version::Two,
        FmiVersion::Three => Version::Three,
    };
    let name = identifier(&loaded.model().name);
    let output = input.common.output().map(Path::to_path_buf).unwrap_or_else(|| PathBuf::from(format!("{name}.fmu")));
    let Some(bytes) = archive(&resource, &loaded, version, library) else {
        return Err(UsageError(format!("`{}` would have more than 4 GiB", output.display())));
    };
    let read = loaded.sources().names().map(Path::new).chain([path.as_path()]);
    refuse_overwriting(&output, read).map_err(UsageError)?;
    write_bytes(&output, &bytes)
        .map_err(|error| UsageError(format!("cannot write `{}`: {}", output.display(), reason(&error))))?;
    say(&format!("{}: written to {}\n", loaded.model().name, output.display()));
    Ok(ExitStatus::Good)
}

/// The library of the engine: the one that is named, else the one beside the program.
fn library_path() -> Result<PathBuf, UsageError> {
    if let Some(path) = std::env::var_os(LIBRARY) {
        return Ok(PathBuf::from(path));
    }
    let name = format!("{}modeshift_fmi{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let program = std::env::current_exe().unwrap_or_default();
    let directory = program.parent().unwrap_or(Path::new(""));
    let places = [directory.join(&name), directory.join("../lib").join(&name)];
    places.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        UsageError(format!(
            "the engine's library `{name}` is not beside the program; `cargo build --release --manifest-path \
             bindings/Cargo.toml -p modeshift-fmi` builds it, and {LIBRARY} says where it is"
        ))
    })
}
