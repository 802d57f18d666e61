//! Parquet files: for each piece of rows one group, in it one page per column, plain; at the end the metadata.
//!
//! Written after the description of the format (`parquet.thrift`, Encodings). Every column is optional: a level of 0 or 1 per cell says
//! whether it is there, in runs of equal levels.

use std::io::{self, Write};

use crate::thrift::{Struct, varint};
use crate::{Cells, Column, Counted, Kind};

const MAGIC: &[u8] = b"PAR1";

/// `Encoding`
const PLAIN: i32 = 0;
const RLE: i32 = 3;

/// `FieldRepetitionType`
const OPTIONAL: i32 = 1;

/// `ConvertedType`
const UTF8: i32 = 0;

/// What was written so far.
pub(crate) struct Groups {
    groups: Vec<Group>,
}

struct Group {
    rows: u64,
    chunks: Vec<Chunk>,
}

/// The page of a column.
struct Chunk {
    offset: u64,
    bytes: u64,
}

pub(crate) fn begin(out: &mut dyn Write) -> io::Result<Groups> {
    out.write_all(MAGIC)?;
    Ok(Groups { groups: Vec::new() })
}

/// `Type`
fn physical(kind: Kind) -> i32 {
    match kind {
        Kind::Truth => 0,
        Kind::Integer => 2,
        Kind::Number => 5,
        Kind::Text => 6,
    }
}

impl Groups {
    pub(crate) fn rows<W: Write>(
        &mut self,
        columns: &[Column],
        cells: &[Cells],
        count: usize,
        out: &mut Counted<W>,
    ) -> io::Result<()> {
        let mut chunks = Vec::with_capacity(columns.len());
        for cells in cells {
            let offset = out.written;
            let data = page(cells)?;
            let size = size_i32(data.len())?;
            let values = Struct::default().i32(1, size_i32(count)?).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
            let header = Struct::default().i32(1, 0).i32(2, size).i32(3, size).inner(5, values).finish();
            out.write_all(&header)?;
            out.write_all(&data)?;
            chunks.push(Chunk { offset, bytes: out.written - offset });
        }
        self.groups.push(Group { rows: count as u64, chunks });
        Ok(())
    }

    pub(crate) fn finish<W: Write>(&self, columns: &[Column], out: &mut Counted<W>) -> io::Result<()> {
        let root = Struct::default().text(4, "schema").i32(5, columns.len() as i32);
        let elements = columns.iter().map(|column| {
            let element = Struct::default().i32(1, physical(column.kind)).i32(3, OPTIONAL).text(4, &column.name);
            if column.kind == Kind::Text { element.i32(6, UTF8) } else { element }
        });
        let elements: Vec<Struct> = std::iter::once(root).chain(elements).collect();
        let rows = self.groups.iter().map(|group| group.rows).sum();
        let groups = self.groups.iter().map(|group| {
            let chunks = group.chunks.iter().zip(columns).map(|(chunk, column)| {
                let metadata = Struct::default()
                    .i32(1, physical(column.kind))
                    .i32s(2, &[PLAIN, RLE])
                    .texts(3, &[&column.name])
                    .i32(4, 0)
                    .i64(5, group.rows)
                    .i64(6, chunk.bytes)
                    .i64(7, chunk.bytes)
                    .i64(9, chunk.offset);
                Struct::default().i64(2, chunk.offset).inner(3, metadata)
            });
            let bytes = group.chunks.iter().map(|chunk| chunk.bytes).sum();
            Struct::default().structs(1, chunks).i64(2, bytes).i64(3, group.rows)
        });
        let units: Vec<Struct> = columns
            .iter()
            .filter_map(|column| {
                let unit = column.unit.as_ref()?;
                Some(Struct::default().text(1, &format!("unit:{}", column.name)).text(2, unit))
            })
            .collect();
        let metadata = Struct::default().i32(1, 1).structs(2, elements.into_iter()).i64(3, rows).structs(4, groups);
        let metadata = if units.is_empty() { metadata } else { metadata.structs(5, units.into_iter()) };
        let metadata = metadata.text(6, "modeshift").finish();
        out.write_all(&metadata)?;
        out.write_all(&(metadata.len() as u32).to_le_bytes())?;
        out.write_all(MAGIC)
    }
}

fn size_i32(size: usize) -> io::Result<i32> {
    i32::try_from(size).map_err(|_| io::Error::other("a piece of the table has more than 2 GiB"))
}

/// Levels, then the cells that are there.
fn page(cells: &Cells) -> io::Result<Vec<u8>> {
    let levels = levels(&cells.presence());
    let mut page = u32::try_from(levels.len()).map_err(io::Error::other)?.to_le_bytes().to_vec();
    page.extend(levels);
    match cells {
        Cells::Numbers(cells) => page.extend(cells.iter().flatten().flat_map(|value| value.to_le_bytes())),
        Cells::Integers(cells) => page.extend(cells.iter().flatten().flat_map(|value| value.to_le_bytes())),
        Cells::Truths(cells) => page.extend(bits(cells.iter().flatten().copied())),
        Cells::Texts(cells) => {
            for text in cells.iter().flatten() {
                page.extend(u32::try_from(text.len()).map_err(io::Error::other)?.to_le_bytes());
                page.extend_from_slice(text.as_bytes());
            }
        }
    }
    Ok(page)
}

/// Runs of equal levels: twice the length, then the level.
fn levels(presence: &[bool]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for run in presence.chunk_by(|one, other| one == other) {
        varint(&mut bytes, (run.len() as u64) << 1);
        bytes.push(u8::from(run[0]));
    }
    bytes
}

/// Eight to a byte, the first lowest.
pub(crate) fn bits(values: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (at, value) in values.enumerate() {
        if at % 8 == 0 {
            bytes.push(0);
        }
        if let Some(last) = bytes.last_mut() {
            *last |= u8::from(value) << (at % 8);
        }
    }
    bytes
}
