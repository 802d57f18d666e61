//! Parquet files: the metadata at the end says where the pages of columns are; plain pages of flat tables are read.

use super::{NumberColumn, bit, f64_at, i64_at, taken, u32_at};

const CUT: &str = "it ends too early, or is no Parquet file";
const OTHER: &str = "it is compressed, or written in another way than plainly";
/// Structures inside structures.
const DEEPEST: usize = 16;

pub(super) fn read(bytes: &[u8]) -> Result<Vec<NumberColumn>, String> {
    let end = bytes.len().checked_sub(8).filter(|_| bytes.ends_with(b"PAR1")).ok_or(CUT)?;
    let length = u32_at(bytes, end).ok_or(CUT)? as usize;
    let footer = taken(bytes, end.checked_sub(length).ok_or(CUT)?, length).ok_or(CUT)?;
    let metadata = Reader { bytes: footer, at: 0 }.structure(0).ok_or(CUT)?;
    let schema = metadata.list(2).ok_or(CUT)?;
    let leaves = schema.get(1..).ok_or(CUT)?;
    if leaves.iter().any(|it| it.number(5).is_some_and(|children| children > 0)) {
        return Err("its columns contain columns".to_string());
    }
    let name = |leaf: &Value| leaf.text(footer, 4).unwrap_or_default();
    let mut columns: Vec<NumberColumn> =
        leaves.iter().map(|leaf| NumberColumn { name: name(leaf), values: Vec::new() }).collect();
    for group in metadata.list(4).unwrap_or_default() {
        let chunks = group.list(1).ok_or(CUT)?;
        for ((chunk, leaf), column) in chunks.iter().zip(leaves).zip(&mut columns) {
            let chunk = chunk.inner(3).ok_or(CUT)?;
            read_chunk(bytes, chunk, leaf, &mut column.values)?;
        }
    }
    // Texts are no signals.
    let is_number = |leaf: &Value| matches!(leaf.number(1), Some(0 | 1 | 2 | 4 | 5));
    Ok(columns.into_iter().zip(leaves).filter(|(_, leaf)| is_number(leaf)).map(|it| it.0).collect())
}

fn read_chunk(bytes: &[u8], chunk: &Value, leaf: &Value, values: &mut Vec<f64>) -> Result<(), String> {
    let physical = leaf.number(1).ok_or(CUT)?;
    if physical == 6 {
        return Ok(());
    }
    if chunk.number(4) != Some(0) || chunk.number(11).is_some() {
        return Err(OTHER.to_string());
    }
    let is_optional = leaf.number(3) == Some(1);
    let mut at = usize::try_from(chunk.number(9).ok_or(CUT)?).map_err(|_| CUT)?;
    let mut left = usize::try_from(chunk.number(5).ok_or(CUT)?).map_err(|_| CUT)?;
    while left > 0 {
        let mut reader = Reader { bytes, at };
        let header = reader.structure(0).ok_or(CUT)?;
        let size = usize::try_from(header.number(3).ok_or(CUT)?).map_err(|_| CUT)?;
        let page = taken(bytes, reader.at, size).ok_or(CUT)?;
        let about = header.inner(5).filter(|it| header.number(1) == Some(0) && it.number(2) == Some(0)).ok_or(OTHER)?;
        let count =
            usize::try_from(about.number(1).ok_or(CUT)?).ok().filter(|&count| count <= left && count > 0).ok_or(CUT)?;
        let (presence, begin) = match is_optional {
            true => {
                let length = u32_at(page, 0).ok_or(CUT)? as usize;
                (levels(taken(page, 4, length).ok_or(CUT)?, count).ok_or(OTHER)?, 4 + length)
            }
            false => (vec![true; count], 0),
        };
        let data = page.get(begin..).ok_or(CUT)?;
        let mut next = 0;
        for is_there in presence {
            values.push(match is_there {
                true => value(data, physical, next).ok_or(CUT)?,
                false => f64::NAN,
            });
            next += usize::from(is_there);
        }
        (at, left) = (reader.at + size, left - count);
    }
    Ok(())
}

fn value(data: &[u8], physical: i64, at: usize) -> Option<f64> {
    match physical {
        0 => bit(data, at).map(|it| f64::from(u8::from(it))),
        1 => u32_at(data, 4 * at).map(|it| f64::from(it as i32)),
        2 => i64_at(data, 8 * at).map(|it| it as f64),
        4 => u32_at(data, 4 * at).map(|it| f32::from_bits(it).into()),
        5 => f64_at(data, 8 * at),
        _ => None,
    }
}

/// Levels of 0 and 1: runs of equal ones, or packed as bits.
fn levels(bytes: &[u8], count: usize) -> Option<Vec<bool>> {
    let mut reader = Reader { bytes, at: 0 };
    let mut presence = Vec::with_capacity(count.min(1 << 20));
    while presence.len() < count {
        let head = reader.varint()?;
        let left = count - presence.len();
        if head & 1 == 0 {
            let level = *bytes.get(reader.at)? != 0;
            reader.at += 1;
            presence.resize(presence.len() + left.min(usize::try_from(head >> 1).ok().filter(|&run| run > 0)?), level);
        } else {
            let groups = usize::try_from(head >> 1).ok().filter(|&groups| groups > 0)?;
            let packed = taken(bytes, reader.at, groups)?;
            presence.extend((0..left.min(groups * 8)).map_while(|at| bit(packed, at)));
            reader.at += groups;
        }
    }
    Some(presence)
}

/// A value of Thrift's compact protocol.
enum Value {
    Number(i64),
    /// Where the text is.
    Text(usize, usize),
    List(Vec<Value>),
    Struct(Vec<(i64, Value)>),
}

impl Value {
    fn field(&self, number: i64) -> Option<&Value> {
        let Value::Struct(fields) = self else { return None };
        fields.iter().find(|it| it.0 == number).map(|it| &it.1)
    }

    fn number(&self, number: i64) -> Option<i64> {
        if let Value::Number(value) = self.field(number)? { Some(*value) } else { None }
    }

    fn text(&self, bytes: &[u8], number: i64) -> Option<String> {
        let Value::Text(from, length) = self.field(number)? else { return None };
        Some(String::from_utf8_lossy(taken(bytes, *from, *length)?).to_string())
    }

    fn list(&self, number: i64) -> Option<&[Value]> {
        if let Value::List(list) = self.field(number)? { Some(list) } else { None }
    }

    fn inner(&self, number: i64) -> Option<&Value> {
        self.field(number).filter(|it| matches!(it, Value::Struct(_)))
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn structure(&mut self, depth: usize) -> Option<Value> {
        let (mut fields, mut last) = (Vec::new(), 0);
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(Value::Struct(fields));
            }
            last = match head >> 4 {
                0 => self.integer()?,
                delta => last + i64::from(delta),
            };
            fields.push((last, self.value(head & 0xf, depth)?));
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Value> {
        match kind {
            1 | 2 => Some(Value::Number(i64::from(kind == 1))),
            3 => self.byte().map(|byte| Value::Number(byte.into())),
            4..=6 => self.integer().map(Value::Number),
            7 => {
                self.at += 8;
                Some(Value::Number(0))
            }
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                let from = self.at;
                taken(self.bytes, from, length)?;
                self.at += length;
                Some(Value::Text(from, length))
            }
            9 | 10 if depth < DEEPEST => {
                let head = self.byte()?;
                let length = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                // Each item takes a byte at least.
                let length = usize::try_from(length).ok().filter(|&length| length <= self.bytes.len())?;
                (0..length).map(|_| self.value(head & 0xf, depth + 1)).collect::<Option<_>>().map(Value::List)
            }
            12 if depth < DEEPEST => self.structure(depth + 1),
            _ => None,
        }
    }
}
