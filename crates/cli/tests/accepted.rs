//! The rest of the gate, so that `cargo test --workspace` is all of it: formatting, lints, documentation.
//!
//! Tests start in the order of their names; this file has one that lets the longest of all start first.
//!
//! Cargo lets go of its build directory before it runs tests, so the cargo runs in here can use the same one.

use std::path::{Path, PathBuf};
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
    cargo(&["doc", "--workspace", "--no-deps", "--quiet"], "-D warnings");
    match is_linted_when_compiled() {
        true => cargo(&["check", "--workspace", "--benches", "--quiet"], ""),
        false => cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], ""),
    }
}

/// Whether the compiler that made these tests is the one that lints, as `.ci/run` wants it, and warnings stop it: then only
/// what `cargo test` does not compile is left to look at.
fn is_linted_when_compiled() -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    variable("RUSTC_WORKSPACE_WRAPPER").ends_with("clippy-driver") && variable("CLIPPY_ARGS").contains("warnings")
}

/// The largest number of files that a folder of sources may have: more need rooms.
const MOST_FILES: usize = 15;

/// All files with Rust sources below a directory, by folder.
fn source_folders(directory: &Path, folders: &mut Vec<Vec<PathBuf>>) {
    let entries = std::fs::read_dir(directory).expect("a directory of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    folders.push(paths.iter().filter(|path| path.extension().is_some_and(|it| it == "rs")).cloned().collect());
    for path in paths.iter().filter(|path| path.is_dir()) {
        source_folders(path, folders);
    }
}

/// The folders of sources of all crates.
fn all_source_folders() -> Vec<Vec<PathBuf>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(crates).expect("the crates") {
        let sources = entry.expect("a readable entry").path().join("src");
        source_folders(&sources, &mut folders);
    }
    folders
}

#[test]
fn every_folder_has_a_floor_plan_of_at_most_fifteen_files() {
    for folder in all_source_folders() {
        let name = folder.first().and_then(|file| file.parent());
        assert!(folder.len() <= MOST_FILES, "{name:?} has {} files: give them rooms", folder.len());
    }
}

#[test]
fn every_module_is_named_in_the_table_of_its_parent() {
    let mut missing = Vec::new();
    for file in all_source_folders().into_iter().flatten() {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let modules: Vec<&str> = text.lines().filter_map(declared_module).collect();
        let table: String = text.lines().filter(|line| line.starts_with("//!")).collect();
        let named = |module: &&str| !["`", "/`", ".rs`", "()`"].iter().any(|end| names(&table, module, end));
        let unnamed = modules.iter().filter(|module| modules.len() > 1 && named(module));
        missing.extend(unnamed.map(|module| format!("{}: `{module}`", file.display())));
    }
    assert!(missing.is_empty(), "not named in the table of their parent:\n{}", missing.join("\n"));
}

/// The module that a line declares in a file of its own; tests that live inside a crate have their own table.
fn declared_module(line: &str) -> Option<&str> {
    let (before, name) = line.strip_suffix(';')?.split_once("mod ")?;
    ((before.is_empty() || before.starts_with("pub")) && name != "suite").then_some(name)
}

/// Whether a table has the module between backquotes, alone or as the start or end of a path.
fn names(table: &str, module: &str, end: &str) -> bool {
    ["`", "::", "/", "@"].iter().any(|start| table.contains(&format!("{start}{module}{end}")))
}

#[test]
fn every_path_in_the_architecture_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let paths = page.split('`').skip(1).step_by(2).filter(|text| text.contains("/src/") || text.contains("/tests/"));
    let missing: Vec<&str> = paths.filter(|path| !root.join("crates").join(path).exists()).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names what does not exist: {missing:?}");
}
