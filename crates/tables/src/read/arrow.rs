//! Arrow files: the footer says which columns there are and where the record batches are.

use super::{NumberColumn, bit, f64_at, i64_at, taken, u32_at};

const CUT: &str = "it ends too early, or is no Arrow file";

/// A column: its name, its type and the width of its integers.
struct Column {
    name: String,
    kind: u8,
    width: u32,
    is_double: bool,
}

pub(super) fn read(bytes: &[u8]) -> Result<Vec<NumberColumn>, String> {
    let end = bytes.len().checked_sub(10).filter(|_| bytes.ends_with(b"ARROW1")).ok_or(CUT)?;
    let length = u32_at(bytes, end).ok_or(CUT)? as usize;
    let footer = taken(bytes, end.checked_sub(length).ok_or(CUT)?, length).ok_or(CUT)?;
    let root = Table::root(footer).ok_or(CUT)?;
    let fields = root.table(1).and_then(|schema| schema.tables(1)).ok_or(CUT)?;
    let columns = fields.iter().map(column).collect::<Option<Vec<Column>>>().ok_or(CUT)?;
    if columns.iter().any(|it| !matches!((it.kind, it.width, it.is_double), (2, 64, _) | (3, _, true) | (5 | 6, _, _)))
    {
        return Err("it has columns of other types than 64-bit numbers, truths and texts".to_string());
    }
    let mut found: Vec<NumberColumn> =
        columns.iter().map(|it| NumberColumn { name: it.name.clone(), values: Vec::new() }).collect();
    for block in root.structures(3, 24).ok_or(CUT)? {
        read_batch(bytes, block, &columns, &mut found)?;
    }
    Ok(found.into_iter().zip(columns).filter(|(_, column)| column.kind != 5).map(|it| it.0).collect())
}

fn column(field: &Table<'_>) -> Option<Column> {
    let (kind, parts) = (field.byte(2)?, field.table(3)?);
    let width = parts.int(0).unwrap_or(0);
    Some(Column { name: field.text(0)?, kind, width, is_double: parts.short(0) == Some(2) })
}

fn read_batch(bytes: &[u8], block: &[u8], columns: &[Column], found: &mut [NumberColumn]) -> Result<(), String> {
    let offset = usize::try_from(i64_at(block, 0).ok_or(CUT)?).map_err(|_| CUT)?;
    let metadata = u32_at(block, 8).ok_or(CUT)? as usize;
    let body = bytes.get(offset.checked_add(metadata).ok_or(CUT)?..).ok_or(CUT)?;
    let message = bytes.get(offset.checked_add(8).ok_or(CUT)?..).and_then(Table::root).ok_or(CUT)?;
    let batch = message.table(2).ok_or(CUT)?;
    if batch.table(3).is_some() {
        return Err("it is compressed".to_string());
    }
    let rows = usize::try_from(batch.long(0).ok_or(CUT)?).map_err(|_| CUT)?;
    let mut parts = batch.structures(2, 16).ok_or(CUT)?.into_iter();
    let mut part = || {
        let place = parts.next()?;
        taken(body, usize::try_from(i64_at(place, 0)?).ok()?, usize::try_from(i64_at(place, 8)?).ok()?)
    };
    for (column, found) in columns.iter().zip(found) {
        let (presence, data) = (part().ok_or(CUT)?, part().ok_or(CUT)?);
        if column.kind == 5 {
            part().ok_or(CUT)?;
            continue;
        }
        for row in 0..rows {
            let value = match column.kind {
                2 => i64_at(data, row.checked_mul(8).ok_or(CUT)?).map(|it| it as f64),
                3 => f64_at(data, row.checked_mul(8).ok_or(CUT)?),
                _ => bit(data, row).map(|it| f64::from(u8::from(it))),
            };
            let is_there = presence.is_empty() || bit(presence, row).ok_or(CUT)?;
            found.values.push(if is_there { value.ok_or(CUT)? } else { f64::NAN });
        }
    }
    Ok(())
}

/// A table of a FlatBuffer.
#[derive(Clone, Copy)]
struct Table<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Table<'b> {
    fn root(bytes: &'b [u8]) -> Option<Self> {
        Some(Table { bytes, at: u32_at(bytes, 0)? as usize })
    }

    /// Where the field in a slot is.
    fn slot(&self, slot: usize) -> Option<usize> {
        let to_slots = u32_at(self.bytes, self.at)? as i32;
        let slots = usize::try_from(i64::try_from(self.at).ok()? - i64::from(to_slots)).ok()?;
        let word = |at: usize| taken(self.bytes, at, 2).and_then(|it| it.try_into().ok()).map(u16::from_le_bytes);
        let place = 4 + 2 * slot;
        if place + 2 > word(slots)? as usize {
            return None;
        }
        let offset = word(slots + place)? as usize;
        (offset > 0).then_some(self.at + offset)
    }

    fn byte(&self, slot: usize) -> Option<u8> {
        self.bytes.get(self.slot(slot)?).copied()
    }

    fn short(&self, slot: usize) -> Option<i16> {
        taken(self.bytes, self.slot(slot)?, 2)?.try_into().ok().map(i16::from_le_bytes)
    }

    fn int(&self, slot: usize) -> Option<u32> {
        u32_at(self.bytes, self.slot(slot)?)
    }

    fn long(&self, slot: usize) -> Option<i64> {
        i64_at(self.bytes, self.slot(slot)?)
    }

    fn reference(&self, at: usize) -> Option<usize> {
        at.checked_add(u32_at(self.bytes, at)? as usize)
    }

    fn table(&self, slot: usize) -> Option<Table<'b>> {
        Some(Table { bytes: self.bytes, at: self.reference(self.slot(slot)?)? })
    }

    fn text(&self, slot: usize) -> Option<String> {
        let at = self.reference(self.slot(slot)?)?;
        let text = taken(self.bytes, at + 4, u32_at(self.bytes, at)? as usize)?;
        Some(String::from_utf8_lossy(text).to_string())
    }

    fn tables(&self, slot: usize) -> Option<Vec<Table<'b>>> {
        let at = self.reference(self.slot(slot)?)?;
        let count = (u32_at(self.bytes, at)? as usize).min(self.bytes.len());
        let one = |number: usize| Some(Table { bytes: self.bytes, at: self.reference(at + 4 + 4 * number)? });
        (0..count).map(one).collect()
    }

    fn structures(&self, slot: usize, size: usize) -> Option<Vec<&'b [u8]>> {
        let at = self.reference(self.slot(slot)?)?;
        let count = (u32_at(self.bytes, at)? as usize).min(self.bytes.len());
        (0..count).map(|number| taken(self.bytes, at + 4 + size * number, size)).collect()
    }
}
