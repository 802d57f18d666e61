//! Asks the linker for a smaller program, where it can give one.
//!
//! - Functions of equal code are kept once: lists, tables and sorts of small ids are compiled once per type and are the
//!   same instructions for most of them. The linker that Rust brings along unites them (`--icf=all`). Nothing here compares
//!   functions by their addresses.
//! - Tables for unwinding are left out: a released program aborts where it panics, so that nothing reads them, and they are
//!   a twelfth of it. (Flags of the compiler that would not write them cannot be given by profile.)
//! - Addresses that the loader moves are listed as ranges (`pack-relative-relocs`): one by one they are a twentieth of it. Loaders
//!   know such lists since version 2.36 of the C library, so that packages do without (`MODESHIFT_PORTABLE`).
//! - Symbols are left out, which `strip` of the profile does only where the package has no settings of its own.
//!
//! A build with debug information, for a profiler, keeps everything. Other linkers may not know an option, nor other loaders what
//! comes of it, so each is tried on a program of one line first.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

const NO_UNWINDING: &str = "SECTIONS { /DISCARD/ : { *(.eh_frame) *(.eh_frame_hdr) } } INSERT AFTER .text;\n";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=MODESHIFT_PORTABLE");
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|it| it == value);
    if !is("PROFILE", "release") || is("DEBUG", "true") {
        return;
    }
    let Ok(folder) = env::var("OUT_DIR") else { return };
    let script = Path::new(&folder).join("no_unwinding.ld");
    let mut wishes = vec![vec!["-Wl,--icf=all".to_string()], vec!["-Wl,--strip-all".to_string()]];
    if std::fs::write(&script, NO_UNWINDING).is_ok() {
        wishes.push(vec![format!("-Wl,{}", script.display()), "-Wl,--no-eh-frame-hdr".to_string()]);
    }
    if env::var_os("MODESHIFT_PORTABLE").is_none() && env::var("HOST").ok() == env::var("TARGET").ok() {
        wishes.push(vec!["-Wl,-z,pack-relative-relocs".to_string()]);
    }
    for wish in wishes.iter().filter(|wish| runs_with(wish, &folder)) {
        wish.iter().for_each(|option| println!("cargo::rustc-link-arg-bins={option}"));
    }
}

/// Whether a program of one line links with the options, by the compiler, linker and flags of this build, and, where it is
/// built for this machine, runs.
fn runs_with(options: &[String], folder: &str) -> bool {
    let (Ok(rustc), Ok(target)) = (env::var("RUSTC"), env::var("TARGET")) else { return false };
    let program = Path::new(folder).join("linked.rs");
    if std::fs::write(&program, "fn main() {}\n").is_err() {
        return false;
    }
    let mut command = Command::new(rustc);
    command.arg(&program).args(["--target", &target, "--out-dir", folder, "-C", "panic=abort"]);
    command.args(options.iter().map(|option| format!("-Clink-arg={option}")));
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
    let is_well = |command: &mut Command| command.status().is_ok_and(|status| status.success());
    is_well(&mut command)
        && (env::var("HOST") != Ok(target) || is_well(&mut Command::new(Path::new(folder).join("linked"))))
}
