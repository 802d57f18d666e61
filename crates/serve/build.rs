//! Packs the page and the examples: 33 of 114 kilobytes are left of them in the program.

use std::path::PathBuf;

/// Of 0 to 10: packed once, read often.
const LEVEL: u8 = 9;

/// The models that are there without a file, the first one first.
const EXAMPLES: [&str; 10] = [
    "WaterTank.mo",
    "ClutchBasic.mo",
    "CupAndBallElastic.mo",
    "RLDC2.mo",
    "BreakingShaft.mo",
    "DiodeCapacitor.mo",
    "FaultyCoaxial.mo",
    "TransmissionTree.mo",
    "TwoEquations.mo",
    "Westinghouse.mel",
];

fn main() {
    // As it is now: a build directory may have come from elsewhere, with this program in it.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).expect("cargo says where the crate is");
    let page = here.join("src/page");
    let entries = std::fs::read_dir(&page).expect("the page is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files.extend(EXAMPLES.iter().map(|name| here.join("../../models").join(name)));
    let (mut all, mut table) = (String::new(), String::new());
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let text = std::fs::read_to_string(file).expect("a file of the repository");
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let is_example = EXAMPLES.contains(&name);
        table += &format!("({name:?}, {is_example}, {}, {}),\n", all.len(), all.len() + text.len());
        all += &text;
    }
    println!("cargo::rerun-if-changed={}", page.display());
    println!("cargo::rerun-if-changed=build.rs");
    let directory = std::env::var_os("OUT_DIR").map(PathBuf::from).expect("cargo says where results go");
    let write = |name: &str, bytes: &[u8]| std::fs::write(directory.join(name), bytes).expect("a place for results");
    write("assets.zlib", &miniz_oxide::deflate::compress_to_vec_zlib(all.as_bytes(), LEVEL));
    write("assets.rs", format!("[\n{table}]").as_bytes());
}
