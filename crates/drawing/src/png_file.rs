//! The file format PNG, as far as a picture without transparency needs it: a header, rows of red, green and blue, an end.
//!
//! Every row is written as its difference to the row above (the filter "up"), which is zero for most of a picture of lines
//! and letters, and packs well. W3C, Portable Network Graphics, second edition.

use miniz_oxide::deflate::compress_to_vec_zlib;

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Eight bits a colour, red green blue, the only ways to pack and to filter there are, not interlaced.
const KIND: [u8; 5] = [8, 2, 0, 0, 0];

/// The filter of a row: differences to the row above.
const UP: u8 = 2;

/// Of 0 to 10: more takes several times as long for a hundredth of the bytes.
const LEVEL: u8 = 6;

/// The bytes of a file; pixels are rows from above, each of red, green, blue and an opacity that is left out.
pub(crate) fn encode(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    assert_eq!(pixels.len(), width as usize * height as usize * 4, "a picture has four bytes a pixel");
    let mut file = SIGNATURE.to_vec();
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &KIND].concat();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"IDAT", &compress_to_vec_zlib(&filtered(width as usize, pixels), LEVEL));
    chunk(&mut file, *b"IEND", &[]);
    file
}

/// All rows as differences to the ones above; the first to black.
fn filtered(width: usize, pixels: &[u8]) -> Vec<u8> {
    let mut above = vec![0; 3 * width];
    let mut result = Vec::with_capacity(pixels.len());
    for row in pixels.chunks_exact(4 * width) {
        result.push(UP);
        let colours = row.chunks_exact(4).flat_map(|pixel| &pixel[..3]);
        for (&colour, above) in colours.zip(&mut above) {
            result.push(colour.wrapping_sub(*above));
            *above = colour;
        }
    }
    result
}

/// Length, name, content, and a check of the latter two.
fn chunk(file: &mut Vec<u8>, name: [u8; 4], content: &[u8]) {
    file.extend((content.len() as u32).to_be_bytes());
    let begin = file.len();
    file.extend(name);
    file.extend(content);
    let check = crc32(&file[begin..]);
    file.extend(check.to_be_bytes());
}

/// The cyclic redundancy check of ISO 3309, least bit first.
fn crc32(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let table: [u32; 256] = std::array::from_fn(|byte| {
        (0..8).fold(byte as u32, |rest, _| if rest & 1 == 1 { POLYNOMIAL ^ (rest >> 1) } else { rest >> 1 })
    });
    !bytes.iter().fold(!0, |rest, &byte| table[((rest ^ u32::from(byte)) & 0xff) as usize] ^ (rest >> 8))
}
