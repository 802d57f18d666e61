//! Every Modelica file found along `MODELICAPATH` parses without a word and prints back byte for byte.
//! Skipped with a message where the variable is not set.

use crate::common;
use std::path::{Path, PathBuf};
use std::time::Instant;

use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_syntax::tree::Node;
use modeshift_syntax::{parse, parse_expression};

#[test]
fn the_standard_library_parses_and_prints_back() {
    let started = Instant::now();
    let mut bytes = 0;
    for_each_library_file(|file, text| {
        bytes += text.len();
        check_file(file, text);
    });
    println!("{:.1} MB in {:.2} s", bytes as f64 / 1e6, started.elapsed().as_secs_f64());
}

#[test]
fn the_expressions_of_the_standard_library_survive_printing() {
    let mut count = 0;
    for_each_library_file(|file, text| {
        let id = SourceMap::default().add("library.mo", text);
        let parsed = parse(id, text, &mut Diagnostics::new());
        for_each_expression(parsed.tree().root(), &mut |source| {
            count += 1;
            check_printing(file, source);
        });
    });
    println!("{count} expressions");
}

/// An expression, printed and read again, groups as before; the parentheses of `grouped` come from the tests.
fn check_printing(file: &Path, source: &str) {
    let id = SourceMap::default().add("expression", source);
    let mut diagnostics = Diagnostics::new();
    let expression = parse_expression(id, source, &mut diagnostics);
    let again = parse_expression(id, &expression.to_string(), &mut diagnostics);
    assert!(diagnostics.is_empty(), "{}: {source} printed as {expression}", file.display());
    assert_eq!(common::grouped(&expression), common::grouped(&again), "{}: {source}", file.display());
}

/// The outermost expressions below a node.
fn for_each_expression(node: Node, visit: &mut impl FnMut(&str)) {
    for inner in node.nodes() {
        if inner.kind().is_expression() { visit(&inner.text()) } else { for_each_expression(inner, visit) }
    }
}

fn for_each_library_file(mut visit: impl FnMut(&Path, &str)) {
    let files = library_files();
    if files.is_empty() {
        eprintln!("skipped: set MODELICAPATH to a directory with Modelica libraries");
    }
    for file in files {
        let text = std::fs::read_to_string(&file).expect("library files are UTF-8");
        visit(&file, &text);
    }
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
