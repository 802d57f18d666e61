//! What the program depends on: licences that allow it, and one version of each, as `deny.toml` says.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn workspace() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The texts in a list of `deny.toml`.
fn list(key: &str) -> Vec<String> {
    let text = std::fs::read_to_string(workspace().join("deny.toml")).expect("a file of the repository");
    let (_, rest) = text.split_once(&format!("\n{key} = [")).expect("the list is there");
    let (list, _) = rest.split_once(']').expect("the list ends");
    list.split('"').skip(1).step_by(2).map(str::to_string).collect()
}

/// The packages that are compiled into something of this workspace, on this machine.
fn dependencies() -> Vec<Value> {
    let arguments = ["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", host()];
    let output =
        Command::new(env!("CARGO")).args(arguments).current_dir(workspace()).output().expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let nodes = metadata["resolve"]["nodes"].as_array().expect("a list");
    let used: std::collections::BTreeSet<&str> = nodes.iter().filter_map(|node| node["id"].as_str()).collect();
    let packages = metadata["packages"].as_array().expect("a list").iter();
    let of_others =
        packages.filter(|it| used.contains(it["id"].as_str().unwrap_or_default()) && !it["source"].is_null());
    of_others.cloned().collect()
}

fn host() -> &'static str {
    if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" }
}

/// Whether an expression of SPDX, without parentheses inside parentheses, is fulfilled by allowed licences.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let is_in = |licence: &str| allowed.iter().any(|it| it == licence.trim().trim_matches(['(', ')']));
    let one_of = |part: &str| part.replace('/', " OR ").split(" OR ").any(is_in);
    expression.split(" AND ").all(one_of)
}

#[test]
fn every_dependency_has_a_licence_that_is_allowed() {
    let allowed = list("allow");
    for package in dependencies() {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_allowed(licence, &allowed), "{} {} has {licence}", package["name"], package["version"]);
    }
    assert!(!is_allowed("MIT AND GPL-3.0", &allowed) && !is_allowed("none", &allowed));
    assert!(is_allowed("(MIT OR GPL-3.0) AND Unicode-3.0", &allowed));
}

#[test]
fn only_known_dependencies_are_there_in_two_versions() {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in dependencies() {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_string();
        versions.entry(text("name")).or_default().push(text("version"));
    }
    let twice: Vec<String> = versions.into_iter().filter(|(_, it)| it.len() > 1).map(|(name, _)| name).collect();
    assert_eq!(twice, list("skip"));
}

/// The lock files of the other workspaces know what our crates depend on: `--locked` builds of the bindings and of the page's engine
/// need it.
#[test]
fn lock_files_of_other_workspaces_are_up_to_date() {
    for lock in ["bindings/Cargo.lock", "bindings/wasm/Cargo.lock"] {
        let text = std::fs::read_to_string(workspace().join(lock)).expect("a file of the repository");
        for package in text.split("[[package]]\n").skip(1) {
            let name = package.split('"').nth(1).expect("a name");
            let Some(own) = name.strip_prefix("modeshift-") else { continue };
            let manifest = workspace().join("crates").join(own.replace('-', "_")).join("Cargo.toml");
            let Ok(manifest) = std::fs::read_to_string(manifest) else { continue };
            let known: Vec<&str> =
                package.split_once("dependencies = [").map_or("", |it| it.1).split('"').skip(1).step_by(2).collect();
            let known: Vec<&str> = known.iter().filter_map(|it| it.split(' ').next()).collect();
            let (_, wanted) = manifest.split_once("\n[dependencies]\n").unwrap_or_default();
            let wanted = wanted.lines().take_while(|line| !line.starts_with('['));
            let wanted = wanted.filter_map(|line| {
                line.split(['.', ' ', '=']).next().filter(|it| !it.is_empty() && !it.starts_with('#'))
            });
            let missing: Vec<&str> = wanted.filter(|it| !known.contains(it)).collect();
            assert!(missing.is_empty(), "{lock}: {name} depends on {missing:?} too: run cargo metadata there");
        }
    }
}

#[test]
fn cargo_deny_finds_nothing() {
    let is_there = Command::new(env!("CARGO")).args(["deny", "--version"]).output().is_ok_and(|it| it.status.success());
    if !is_there {
        eprintln!("skipped: cargo-deny is not installed");
        return;
    }
    let arguments = ["deny", "--offline", "check", "licenses", "bans", "sources"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(workspace()).output().expect("it was there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Packages with the features that they are compiled with for some crates of the workspace and their tests.
fn features(of: &[&str]) -> std::collections::BTreeSet<String> {
    let arguments = ["tree", "--offline", "--locked", "--edges", "normal,build,dev", "--prefix", "none"];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--format", "{p} {f}"])
        .args(of)
        .current_dir(workspace())
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| line.trim_end_matches(" (*)").trim_end().to_string()).collect()
}

/// Otherwise the tests of one crate compile it, and all below it, a second time.
#[test]
fn a_crate_alone_is_compiled_as_with_all_others() {
    let all = features(&["--workspace"]);
    for alone in ["modeshift-dae", "modeshift-numerics", "modeshift-simulate", "modeshift-report", "modeshift-driver"] {
        let others: Vec<String> = features(&["--package", alone]).difference(&all).cloned().collect();
        assert!(others.is_empty(), "{alone} alone has other features: {others:?}");
    }
}
