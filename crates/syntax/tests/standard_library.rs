//! Every Modelica file found along `MODELICAPATH` parses without a word and prints back byte for byte.
//! Skipped with a message where the variable is not set.

use std::path::{Path, PathBuf};
use std::time::Instant;

use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_syntax::parse;

#[test]
fn the_standard_library_parses_and_prints_back() {
    let files = library_files();
    if files.is_empty() {
        eprintln!("skipped: set MODELICAPATH to a directory with Modelica libraries");
        return;
    }
    let started = Instant::now();
    let mut bytes = 0;
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        bytes += text.len();
        check_file(file, &text);
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{} files, {:.1} MB, {seconds:.2} s", files.len(), bytes as f64 / 1e6);
}

fn check_file(file: &Path, text: &str) {
    let mut sources = SourceMap::default();
    let id = sources.add(file.display().to_string(), text);
    let mut diagnostics = Diagnostics::new();
    let parsed = parse(id, text, &mut diagnostics);
    let messages: Vec<_> = diagnostics.iter().map(|diagnostic| format!("{diagnostic:?}")).collect();
    assert!(messages.is_empty(), "{}: {}", file.display(), messages.join("\n"));
    assert!(parsed.to_source() == text, "{} does not print back", file.display());
    assert!(!parsed.definition().classes.is_empty(), "{} declares nothing", file.display());
}

fn library_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    if let Some(path) = std::env::var_os("MODELICAPATH") {
        for directory in std::env::split_paths(&path) {
            collect(&directory, &mut files);
        }
    }
    files.sort();
    files
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "mo") {
            files.push(path);
        }
    }
}
