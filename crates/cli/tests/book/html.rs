//! The book as a site: `MODESHIFT_MDBOOK` names the mdbook that makes it, else it is that of `tools/package/book.sh` or on the path.

use std::path::PathBuf;
use std::process::Command;

use crate::support::{root, temporary};

fn mdbook() -> PathBuf {
    let of_script = root().join("target/mdbook/bin/mdbook");
    match std::env::var_os("MODESHIFT_MDBOOK") {
        Some(named) => named.into(),
        None if of_script.exists() => of_script,
        None => "mdbook".into(),
    }
}

#[test]
fn mdbook_makes_a_site_without_complaints() {
    let site = temporary("book-site");
    let run = Command::new(mdbook()).args(["build", "-d"]).arg(&site).arg(root().join("docs/book")).output();
    let Ok(output) = run else {
        assert!(std::env::var_os("MODESHIFT_MDBOOK").is_none(), "MODESHIFT_MDBOOK names nothing that runs");
        eprintln!("skipped: mdbook is not installed (tools/package/book.sh gets it)");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !said.contains("WARN") && !said.contains("ERROR"), "{said}");
    assert!(site.join("index.html").exists());
}
