//! Packs the pages of the codes: a third of them is left in the program.

use std::path::PathBuf;

/// Of 0 to 10: packed once, read seldom.
const LEVEL: u8 = 9;

fn main() {
    // As it is now: a build directory may have come from elsewhere, with this program in it.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).expect("cargo says where the crate is");
    let pages = here.join("pages");
    println!("cargo::rerun-if-changed={}", pages.display());
    println!("cargo::rerun-if-changed=build.rs");
    let entries = std::fs::read_dir(&pages).expect("the pages are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let (mut all, mut table) = (String::new(), String::new());
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let text = std::fs::read_to_string(file).expect("a page is text");
        let code = file.file_stem().and_then(|name| name.to_str()).expect("a page is named by its code");
        table += &format!("({code:?}, {}, {}),\n", all.len(), all.len() + text.len());
        all += &text;
    }
    let directory = std::env::var_os("OUT_DIR").map(PathBuf::from).expect("cargo says where results go");
    let write = |name: &str, bytes: &[u8]| std::fs::write(directory.join(name), bytes).expect("a place for results");
    write("pages.zlib", &miniz_oxide::deflate::compress_to_vec_zlib(all.as_bytes(), LEVEL));
    write("pages.rs", format!("[\n{table}]").as_bytes());
}
