//! A Python with rumoca 0.10.2: the one that `MODESHIFT_RUMOCA` names, or one with the wheel from PyPI, installed into the
//! directory for temporary files of tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The Python of an environment in which rumoca is installed.
pub fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    PYTHON.get_or_init(install).as_deref()
}

fn install() -> Option<PathBuf> {
    if let Some(python) = std::env::var_os("MODESHIFT_RUMOCA") {
        return Some(PathBuf::from(python));
    }
    let environment = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rumoca");
    let python = environment.join("bin/python");
    let has_rumoca = |python: &Path| succeeds(Command::new(python).args(["-c", "import rumoca"]));
    if has_rumoca(&python) {
        return Some(python);
    }
    let made = succeeds(Command::new("python3").args(["-m", "venv"]).arg(&environment))
        && succeeds(Command::new(&python).args(["-m", "pip", "install", "--quiet", "rumoca==0.10.2"]));
    (made && has_rumoca(&python)).then_some(python)
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}
