//! Asks the linker to keep functions of equal code once, where it can.
//!
//! Lists, tables and sorts of small ids are compiled once per type and are the same instructions for most of them: 0.75 of
//! 15.4 megabytes. The linker that Rust brings along unites them (`--icf=all`); others may not know the option, so it is
//! tried on a program of one line first. Nothing here compares functions by their addresses.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

const UNITE_EQUAL_FUNCTIONS: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") && linker_unites_equal_functions() {
        println!("cargo::rustc-link-arg-bins={UNITE_EQUAL_FUNCTIONS}");
    }
}

/// Whether a program of one line links with the option, by the compiler, linker and flags of this build.
fn linker_unites_equal_functions() -> bool {
    let (Ok(rustc), Ok(target), Ok(folder)) = (env::var("RUSTC"), env::var("TARGET"), env::var("OUT_DIR")) else {
        return false;
    };
    let program = Path::new(&folder).join("linked.rs");
    if std::fs::write(&program, "fn main() {}\n").is_err() {
        return false;
    }
    let mut command = Command::new(rustc);
    command.arg(&program).args(["--target", &target, "--out-dir", &folder]);
    command.args(["-C", &format!("link-arg={UNITE_EQUAL_FUNCTIONS}")]);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        command.args(["-C", &format!("linker={linker}")]);
    }
    command.args(
        env::var("CARGO_ENCODED_RUSTFLAGS")
            .iter()
            .flat_map(|flags| flags.split('\u{1f}'))
            .filter(|flag| !flag.is_empty()),
    );
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
