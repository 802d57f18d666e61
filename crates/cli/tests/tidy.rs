//! The rest of the gate, so that `cargo test --workspace` is all of it: formatting, lints, documentation.
//!
//! Cargo lets go of its build directory before it runs tests, so the cargo runs in here can use the same one.

use std::path::Path;
use std::process::Command;

/// Runs cargo in the workspace; on failure the test shows what it said.
fn cargo(arguments: &[&str], rustdoc_flags: &str) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(workspace)
        .env("RUSTDOCFLAGS", rustdoc_flags)
        .output()
        .expect("cargo can be started");
    assert!(
        output.status.success(),
        "cargo {}\n{}{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn code_is_formatted() {
    cargo(&["fmt", "--all", "--check"], "");
}

#[test]
fn lints_and_documentation_have_no_warnings() {
    cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], "");
    cargo(&["doc", "--workspace", "--no-deps", "--quiet"], "-D warnings");
}
