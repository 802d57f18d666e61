//! Packs the two fonts that pictures are written with: half of 1.4 megabytes of the program.

use std::path::{Path, PathBuf};

/// Of 0 to 10: packed once, read often.
const LEVEL: u8 = 9;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let directory = std::env::var_os("OUT_DIR").map(PathBuf::from).expect("cargo says where results go");
    pack(dejavu::sans::regular(), &directory.join("regular.zlib"));
    pack(dejavu::sans::bold(), &directory.join("bold.zlib"));
}

fn pack(font: &[u8], file: &Path) {
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(font, LEVEL);
    std::fs::write(file, packed).expect("the directory of the build can be written to");
}
