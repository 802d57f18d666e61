//! Files in an archive (ZIP), compressed where that makes them smaller.

const DEFLATED: u16 = 8;
const STORED: u16 = 0;
/// Version 2.0 of the format: directories and deflate.
const VERSION: u16 = 20;
/// The first of January 1980, the first day that the format knows: the same files make the same archive.
const DATE: u16 = 0x21;
/// How hard to compress.
const LEVEL: u8 = 6;

/// The archive of some files; nothing where one of them is larger than the format allows.
pub(crate) fn zip(files: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let offset = u32::try_from(bytes.len()).ok()?;
        let compressed = miniz_oxide::deflate::compress_to_vec(content, LEVEL);
        let (method, data) = if compressed.len() < content.len() { (DEFLATED, &compressed) } else { (STORED, content) };
        let mut entry = Vec::new();
        for word in [VERSION, 0, method, 0, DATE] {
            entry.extend(word.to_le_bytes());
        }
        for long in [crc32(content), u32::try_from(data.len()).ok()?, u32::try_from(content.len()).ok()?] {
            entry.extend(long.to_le_bytes());
        }
        entry.extend(u16::try_from(name.len()).ok()?.to_le_bytes());
        entry.extend(0_u16.to_le_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&entry);
        bytes.extend(name.as_bytes());
        bytes.extend(data);
        directory.extend(b"PK\x01\x02");
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&entry);
        directory.extend([0; 10]); // no comment, first disk, no attributes
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (offset, size) = (u32::try_from(bytes.len()).ok()?, u32::try_from(directory.len()).ok()?);
    let count = u16::try_from(files.len()).ok()?;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    [count, count].into_iter().for_each(|count| bytes.extend(count.to_le_bytes()));
    [size, offset].into_iter().for_each(|long| bytes.extend(long.to_le_bytes()));
    bytes.extend([0; 2]);
    Some(bytes)
}

/// The cyclic redundancy check of the format.
fn crc32(bytes: &[u8]) -> u32 {
    let table: [u32; 256] = std::array::from_fn(|at| {
        (0..8).fold(at as u32, |value, _| if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 })
    });
    !bytes.iter().fold(u32::MAX, |crc, byte| table[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_is_the_known_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
