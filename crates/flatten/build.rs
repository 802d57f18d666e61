//! Packs the elements of the library `Modeshift`: a fifth of their text is left in the program.

use std::path::PathBuf;

/// Of 0 to 10: packed once, read often.
const LEVEL: u8 = 9;

/// The packages inside, in the order of their documentation.
const PACKAGES: [&str; 5] = ["Electrical", "Rotational", "Translational", "Fluid", "Examples"];

fn main() {
    // As it is now: a build directory may have come from elsewhere, with this program in it.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).expect("cargo says where the crate is");
    println!("cargo::rerun-if-changed=build.rs");
    let (mut all, mut table) = (String::new(), String::new());
    for name in PACKAGES {
        let file = here.join("../../library/Modeshift").join(name).with_extension("mo");
        println!("cargo::rerun-if-changed={}", file.display());
        let text = std::fs::read_to_string(&file).expect("a file of the repository");
        table += &format!("({name:?}, {}, {}),\n", all.len(), all.len() + text.len());
        all += &text;
    }
    let directory = std::env::var_os("OUT_DIR").map(PathBuf::from).expect("cargo says where results go");
    let write = |name: &str, bytes: &[u8]| std::fs::write(directory.join(name), bytes).expect("a place for results");
    write("modeshift.zlib", &miniz_oxide::deflate::compress_to_vec_zlib(all.as_bytes(), LEVEL));
    write("modeshift.rs", format!("[\n{table}]").as_bytes());
}
