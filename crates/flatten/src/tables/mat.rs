//! Matrices in files of MATLAB: the plain list of version 4, and the elements of versions 5 to 7, of which some are compressed.

use super::Table;

/// Where the elements of a file of version 5 begin.
const HEADER: usize = 128;
/// Kinds of elements.
const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
/// No matrix has more values.
const MOST_VALUES: usize = 1 << 28;

/// The matrix of this name.
pub(super) fn matrix(bytes: &[u8], name: &str) -> Result<Table, String> {
    let mut names = Vec::new();
    if bytes.starts_with(b"MATLAB 7.3") || bytes.starts_with(b"\x89HDF") {
        return Err("files of version 7.3 are not read; save it as version 7 or 4".to_string());
    }
    let found = match bytes.starts_with(b"MATLAB") {
        true => of_elements(bytes, name, &mut names),
        false => of_list(bytes, name, &mut names),
    };
    match found {
        Some(table) => table,
        None if names.is_empty() => Err("it is no file of MATLAB, or damaged".to_string()),
        None => Err(format!("there is no such table in it; there is {}", names.join(", "))),
    }
}

/// Bytes that are read one number after the other.
#[derive(Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
    is_big: bool,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn whole(&mut self) -> Option<u32> {
        let bytes: [u8; 4] = self.take(4)?.try_into().ok()?;
        Some(if self.is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    fn numbers(&mut self, kind: Number, count: usize) -> Option<Vec<f64>> {
        let size = kind.size();
        let bytes = self.take(count.checked_mul(size)?)?;
        Some(bytes.chunks_exact(size).map(|bytes| kind.value(bytes, self.is_big)).collect())
    }
}

/// How a number is written.
#[derive(Clone, Copy)]
enum Number {
    Real(usize),
    Signed(usize),
    Unsigned(usize),
}

impl Number {
    fn size(self) -> usize {
        match self {
            Number::Real(size) | Number::Signed(size) | Number::Unsigned(size) => size,
        }
    }

    fn value(self, bytes: &[u8], is_big: bool) -> f64 {
        let ordered = |at: usize| if is_big { bytes[bytes.len() - 1 - at] } else { bytes[at] };
        let bits = (0..bytes.len()).fold(0u64, |bits, at| bits | u64::from(ordered(at)) << (8 * at));
        match self {
            Number::Real(4) => f64::from(f32::from_bits(bits as u32)),
            Number::Real(_) => f64::from_bits(bits),
            Number::Unsigned(_) => bits as f64,
            Number::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                ((bits << unused) as i64 >> unused) as f64
            }
        }
    }
}

/// Version 4: kind, rows, columns, whether imaginary, length of the name; the name; the values column by column.
fn of_list(bytes: &[u8], name: &str, names: &mut Vec<String>) -> Option<Result<Table, String>> {
    // The kind of a full matrix is at most 4052, so that only one of the two orders gives a small number.
    let is_big = *bytes.first()? == 0 && bytes.get(..4)? != [0; 4];
    let mut reader = Reader { bytes, is_big };
    while !reader.bytes.is_empty() {
        let [kind, rows, columns, imaginary, length] = [0; 5].map(|_: u32| reader.whole());
        let (kind, rows, columns) = (kind?, rows? as usize, columns? as usize);
        let (imaginary, length) = (imaginary?, length? as usize);
        let called = String::from_utf8_lossy(reader.take(length)?).trim_end_matches('\0').to_string();
        let number = match kind / 10 % 10 {
            0 => Number::Real(8),
            1 => Number::Real(4),
            2 => Number::Signed(4),
            3 => Number::Signed(2),
            4 => Number::Unsigned(2),
            5 => Number::Unsigned(1),
            _ => return None,
        };
        let count = rows.checked_mul(columns).filter(|&count| kind < 10_000 && count < MOST_VALUES)?;
        let values = reader.numbers(number, count)?;
        if imaginary != 0 {
            reader.take(count * number.size())?;
        }
        if called == name {
            return Some(match kind % 10 {
                0 => Ok(Table::of_columns(rows, columns, &values)),
                _ => Err("it is a text or a sparse matrix".to_string()),
            });
        }
        names.push(called);
    }
    None
}

/// Versions 5 to 7: elements one after the other.
fn of_elements(bytes: &[u8], name: &str, names: &mut Vec<String>) -> Option<Result<Table, String>> {
    let is_big = bytes.get(126..128)? == b"MI";
    let mut reader = Reader { bytes: bytes.get(HEADER..)?, is_big };
    while reader.bytes.len() >= 8 {
        let (kind, content) = element(&mut reader)?;
        let found = match kind {
            COMPRESSED => {
                let plain = miniz_oxide::inflate::decompress_to_vec_zlib(content).ok()?;
                let mut inside = Reader { bytes: &plain, is_big };
                let (kind, content) = element(&mut inside)?;
                if kind == MATRIX { array(Reader { bytes: content, is_big }, name, names) } else { None }
            }
            MATRIX => array(Reader { bytes: content, is_big }, name, names),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The kind and the content of the next element, which is padded to eight bytes unless it is compressed; short ones are inside their
/// own tag.
fn element<'a>(reader: &mut Reader<'a>) -> Option<(u32, &'a [u8])> {
    let tag = reader.whole()?;
    if tag >> 16 != 0 {
        let content = reader.take(4)?;
        return Some((tag & 0xFFFF, content.get(..(tag >> 16) as usize)?));
    }
    let length = reader.whole()? as usize;
    let content = reader.take(length)?;
    if tag != COMPRESSED {
        let padding = (8 - length % 8) % 8;
        reader.take(padding.min(reader.bytes.len()))?;
    }
    Some((tag, content))
}

/// An array, if it is the one of this name: flags, sizes, name, values.
fn array(mut reader: Reader<'_>, name: &str, names: &mut Vec<String>) -> Option<Result<Table, String>> {
    let is_big = reader.is_big;
    let (_, flags) = element(&mut reader)?;
    let class = Reader { bytes: flags, is_big }.whole()? & 0xFF;
    let (_, sizes) = element(&mut reader)?;
    let mut sizes = Reader { bytes: sizes, is_big };
    let sizes: Vec<usize> = std::iter::from_fn(|| sizes.whole()).map(|size| size as usize).collect();
    let (_, called) = element(&mut reader)?;
    let called = String::from_utf8_lossy(called).to_string();
    if called != name {
        names.push(called);
        return None;
    }
    let [rows, columns] = sizes[..] else { return Some(Err("it is no matrix".to_string())) };
    // Classes 6 to 15 are numbers; cells, structures, objects, texts and sparse matrices come before.
    if !(6..=15).contains(&class) {
        return Some(Err("it is not a full matrix of numbers".to_string()));
    }
    let (kind, values) = element(&mut reader)?;
    let number = match kind {
        1 => Number::Signed(1),
        2 => Number::Unsigned(1),
        3 => Number::Signed(2),
        4 => Number::Unsigned(2),
        5 => Number::Signed(4),
        6 => Number::Unsigned(4),
        7 => Number::Real(4),
        9 => Number::Real(8),
        12 => Number::Signed(8),
        13 => Number::Unsigned(8),
        _ => return None,
    };
    let count = rows.checked_mul(columns).filter(|&count| count < MOST_VALUES)?;
    let values = Reader { bytes: values, is_big }.numbers(number, count)?;
    Some(Ok(Table::of_columns(rows, columns, &values)))
}
