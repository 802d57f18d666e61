//! Runs the program as a user does.

#![allow(dead_code)]

pub mod rumoca_python;
pub mod runs;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// What came of a run.
pub struct Outcome {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{}{}", self.stdout, self.stderr))
    }
}

/// Runs `modeshift` in the root of the workspace with this standard input.
pub fn modeshift_reading(input: &[u8], arguments: &[&str]) -> Outcome {
    let mut child = Command::new(env!("CARGO_BIN_EXE_modeshift"))
        .args(arguments)
        .current_dir(root())
        .env_remove("MODELICAPATH")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built");
    // A program that stops before it has read everything is no failure of the test.
    let _ = child.stdin.take().expect("piped").write_all(input);
    let output = child.wait_with_output().expect("the program ends");
    Outcome {
        status: output.status.code().expect("no signal"),
        stdout: String::from_utf8(output.stdout).expect("results are UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

/// Runs `modeshift` without input.
pub fn modeshift(arguments: &[&str]) -> Outcome {
    modeshift_reading(b"", arguments)
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the tests' own directory for temporary files.
pub fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}
