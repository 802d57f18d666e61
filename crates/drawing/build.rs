//! Packs the two fonts that pictures are written with, without what lays out and hints text: outlines and widths are all that is drawn. A
//! good third of 1.4 megabytes is left in the program.

use std::path::{Path, PathBuf};

/// Of 0 to 10: packed once, read often.
const LEVEL: u8 = 9;

/// Tables of a font that say which glyph a letter is, how wide it is and what it looks like; and those without which it is none.
const NEEDED: [&[u8]; 8] = [b"OS/2", b"cmap", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let directory = std::env::var_os("OUT_DIR").map(PathBuf::from).expect("cargo says where results go");
    pack(dejavu::sans::regular(), &directory.join("regular.zlib"));
    pack(dejavu::sans::bold(), &directory.join("bold.zlib"));
}

fn pack(font: &[u8], file: &Path) {
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&with_needed_tables(font), LEVEL);
    std::fs::write(file, packed).expect("the directory of the build can be written to");
}

/// A TrueType file with the tables that are needed: a header, a directory of 16 bytes for each (name, checksum, place, length),
/// and the tables, each at a multiple of four bytes.
fn with_needed_tables(font: &[u8]) -> Vec<u8> {
    let number = |at: usize| u32::from_be_bytes(font[at..at + 4].try_into().expect("four bytes")) as usize;
    let count = usize::from(u16::from_be_bytes([font[4], font[5]]));
    let records = (0..count).map(|table| 12 + 16 * table);
    let needed: Vec<usize> = records.filter(|&at| NEEDED.contains(&&font[at..at + 4])).collect();
    assert_eq!(needed.len(), NEEDED.len(), "the font has all tables that are needed");
    let mut file = font[..4].to_vec();
    file.extend((needed.len() as u16).to_be_bytes());
    // What a search in the directory would begin with; nobody searches it.
    file.extend([0; 6]);
    let mut place = 12 + 16 * needed.len();
    for &at in &needed {
        file.extend(&font[at..at + 8]);
        file.extend((place as u32).to_be_bytes());
        file.extend(&font[at + 12..at + 16]);
        place += number(at + 12).next_multiple_of(4);
    }
    for &at in &needed {
        let (from, length) = (number(at + 8), number(at + 12));
        file.extend(&font[from..from + length]);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    file
}
