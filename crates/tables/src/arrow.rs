//! Arrow files: the schema, one record batch for each piece of rows, and a footer that says where they are.
//!
//! Written after the description of the format (Columnar Format, `Message.fbs`, `Schema.fbs`, `File.fbs`).

use std::io::{self, Write};

use crate::flatbuffers::{Builder, Field, Place};
use crate::parquet::bits;
use crate::{Cells, Column, Counted, Kind};

const MAGIC: &[u8] = b"ARROW1";
/// `MetadataVersion.V5`
const VERSION: Field = Field::Short(4);
/// `MessageHeader`
const SCHEMA: u8 = 1;
const RECORD_BATCH: u8 = 3;
/// What every message begins with.
const CONTINUATION: u32 = u32::MAX;

/// Where record batches are.
pub(crate) struct Blocks {
    blocks: Vec<Vec<u8>>,
}

pub(crate) fn begin<W: Write>(columns: &[Column], out: &mut Counted<W>) -> io::Result<Blocks> {
    out.write_all(MAGIC)?;
    out.write_all(&[0; 2])?;
    let mut builder = Builder::default();
    let schema = schema(&mut builder, columns);
    message(builder, SCHEMA, schema, &[], out)?;
    Ok(Blocks { blocks: Vec::new() })
}

/// Writes a message with its body; how long its metadata is.
fn message<W: Write>(
    mut builder: Builder,
    kind: u8,
    header: Place,
    body: &[u8],
    out: &mut Counted<W>,
) -> io::Result<u32> {
    let length = Field::Long(body.len() as i64);
    let root = builder.table(&[Some(VERSION), Some(Field::Byte(kind)), Some(Field::To(header)), Some(length)]);
    let mut metadata = builder.finish(root);
    metadata.resize(metadata.len().next_multiple_of(8), 0);
    out.write_all(&CONTINUATION.to_le_bytes())?;
    out.write_all(&(metadata.len() as u32).to_le_bytes())?;
    out.write_all(&metadata)?;
    out.write_all(body)?;
    Ok(metadata.len() as u32 + 8)
}

fn schema(builder: &mut Builder, columns: &[Column]) -> Place {
    let fields: Vec<Place> = columns.iter().map(|column| field(builder, column)).collect();
    let fields = builder.references(&fields);
    builder.table(&[Some(Field::Short(0)), Some(Field::To(fields))])
}

fn field(builder: &mut Builder, column: &Column) -> Place {
    let units: Option<Place> = column.unit.as_ref().map(|unit| {
        let (key, value) = (builder.text("unit"), builder.text(unit));
        let pair = builder.table(&[Some(Field::To(key)), Some(Field::To(value))]);
        builder.references(&[pair])
    });
    let children = builder.references(&[]);
    // `Type`: Int, FloatingPoint of double precision, Utf8, Bool.
    let (kind, parts) = match column.kind {
        Kind::Integer => (2, vec![Some(Field::Int(64)), Some(Field::Byte(1))]),
        Kind::Number => (3, vec![Some(Field::Short(2))]),
        Kind::Text => (5, Vec::new()),
        Kind::Truth => (6, Vec::new()),
    };
    let ty = builder.table(&parts);
    let name = builder.text(&column.name);
    builder.table(&[
        Some(Field::To(name)),
        Some(Field::Byte(1)),
        Some(Field::Byte(kind)),
        Some(Field::To(ty)),
        None,
        Some(Field::To(children)),
        units.map(Field::To),
    ])
}

/// A body on its way, with the places of its parts.
#[derive(Default)]
struct Body {
    bytes: Vec<u8>,
    parts: Vec<Vec<u8>>,
}

impl Body {
    fn part(&mut self, bytes: &[u8]) {
        self.parts.push(longs(&[self.bytes.len() as i64, bytes.len() as i64]));
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }
}

fn longs(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

impl Blocks {
    pub(crate) fn rows<W: Write>(&mut self, cells: &[Cells], count: usize, out: &mut Counted<W>) -> io::Result<()> {
        let (mut body, mut nodes) = (Body::default(), Vec::new());
        for cells in cells {
            let presence = cells.presence();
            let absent = presence.iter().filter(|it| !**it).count();
            nodes.push(longs(&[count as i64, absent as i64]));
            body.part(&if absent == 0 { Vec::new() } else { bits(presence.into_iter()) });
            push_values(&mut body, cells)?;
        }
        let mut builder = Builder::default();
        let (parts, nodes) = (builder.structures(&body.parts), builder.structures(&nodes));
        let length = Field::Long(count as i64);
        let batch = builder.table(&[Some(length), Some(Field::To(nodes)), Some(Field::To(parts))]);
        let offset = out.written;
        let metadata = message(builder, RECORD_BATCH, batch, &body.bytes, out)?;
        self.blocks.push(longs(&[offset as i64, i64::from(metadata), body.bytes.len() as i64]));
        Ok(())
    }

    pub(crate) fn finish<W: Write>(&self, columns: &[Column], out: &mut Counted<W>) -> io::Result<()> {
        out.write_all(&CONTINUATION.to_le_bytes())?;
        out.write_all(&[0; 4])?;
        let mut builder = Builder::default();
        let (blocks, none) = (builder.structures(&self.blocks), builder.structures(&[]));
        let schema = schema(&mut builder, columns);
        let fields = [Some(VERSION), Some(Field::To(schema)), Some(Field::To(none)), Some(Field::To(blocks))];
        let root = builder.table(&fields);
        let footer = builder.finish(root);
        out.write_all(&footer)?;
        out.write_all(&(footer.len() as u32).to_le_bytes())?;
        out.write_all(MAGIC)
    }
}

fn push_values(body: &mut Body, cells: &Cells) -> io::Result<()> {
    match cells {
        Cells::Numbers(cells) => {
            body.part(&cells.iter().flat_map(|it| it.unwrap_or(0.0).to_le_bytes()).collect::<Vec<u8>>());
        }
        Cells::Integers(cells) => body.part(&longs(&cells.iter().map(|it| it.unwrap_or(0)).collect::<Vec<i64>>())),
        Cells::Truths(cells) => body.part(&bits(cells.iter().map(|it| it.unwrap_or(false)))),
        Cells::Texts(cells) => {
            let (mut ends, mut text) = (vec![0u8; 4], Vec::new());
            for cell in cells {
                text.extend_from_slice(cell.as_deref().unwrap_or_default().as_bytes());
                let end = i32::try_from(text.len()).map_err(io::Error::other)?;
                ends.extend(end.to_le_bytes());
            }
            body.part(&ends);
            body.part(&text);
        }
    }
    Ok(())
}
