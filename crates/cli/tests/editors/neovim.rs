//! A real editor, where there is one: Neovim, which speaks the protocol by itself.

use std::process::Command;

use crate::support::{root, temporary};

#[test]
fn neovim_shows_mends_renames_and_formats() {
    let is_there = Command::new("nvim").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("skipped: there is no nvim");
        return;
    }
    let file = temporary("Neovim.mo");
    std::fs::write(
        &file,
        "model M\n  Real speed(start = 1, fixed = true);\nequation\n    der(speed) = -sped;\nend M;\n",
    )
    .expect("a file");
    let script = root().join("crates/cli/tests/editors/neovim.lua");
    let output = Command::new("nvim")
        .args(["--headless", "--clean", "-u"])
        .arg(&script)
        .arg(&file)
        .env("MODESHIFT", env!("CARGO_BIN_EXE_modeshift"))
        .output()
        .expect("nvim can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("all well"), "{said}");
    let text = std::fs::read_to_string(&file).expect("what nvim wrote");
    assert_eq!(text, "model M\n  Real v(start = 1, fixed = true);\nequation\n  der(v) = -v;\nend M;\n");
}
