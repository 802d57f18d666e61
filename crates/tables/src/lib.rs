//! Tables of numbers, truths and texts, written piece by piece as CSV, Parquet and Arrow files, and read back.
//!
//! Cells may be empty. Numbers are written as they are: plain, not compressed, so that the two binary formats are a few pages each and
//! files are read at the speed of the disk.
//!
//! | file | purpose |
//! |---|---|
//! | `arrow` | Arrow files (IPC) |
//! | `csv` | CSV |
//! | `flatbuffers` | the metadata of Arrow files |
//! | `parquet` | Parquet files |
//! | `read` | results read back |
//! | `thrift` | the metadata of Parquet files |

mod arrow;
mod csv;
mod flatbuffers;
mod parquet;
mod read;
mod thrift;

use std::io::{self, Write};

pub use read::{NumberColumn, read};

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 64-bit floating point.
    Number,
    /// 64-bit integers.
    Integer,
    /// True or false.
    Truth,
    /// Text.
    Text,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What its cells are.
    pub kind: Kind,
    /// The unit, where there is one.
    pub unit: Option<String>,
}

impl Column {
    /// A column without a unit.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Column { name: name.into(), kind, unit: None }
    }
}

/// The cells of a column, in some rows.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Cells {
    Numbers(Vec<Option<f64>>),
    Integers(Vec<Option<i64>>),
    Truths(Vec<Option<bool>>),
    Texts(Vec<Option<String>>),
}

impl Cells {
    /// None yet.
    pub fn new(kind: Kind) -> Self {
        match kind {
            Kind::Number => Cells::Numbers(Vec::new()),
            Kind::Integer => Cells::Integers(Vec::new()),
            Kind::Truth => Cells::Truths(Vec::new()),
            Kind::Text => Cells::Texts(Vec::new()),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Cells::Numbers(cells) => cells.len(),
            Cells::Integers(cells) => cells.len(),
            Cells::Truths(cells) => cells.len(),
            Cells::Texts(cells) => cells.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What they are.
    pub fn kind(&self) -> Kind {
        match self {
            Cells::Numbers(_) => Kind::Number,
            Cells::Integers(_) => Kind::Integer,
            Cells::Truths(_) => Kind::Truth,
            Cells::Texts(_) => Kind::Text,
        }
    }

    /// Which of them are there.
    fn presence(&self) -> Vec<bool> {
        match self {
            Cells::Numbers(cells) => cells.iter().map(Option::is_some).collect(),
            Cells::Integers(cells) => cells.iter().map(Option::is_some).collect(),
            Cells::Truths(cells) => cells.iter().map(Option::is_some).collect(),
            Cells::Texts(cells) => cells.iter().map(Option::is_some).collect(),
        }
    }
}

/// The kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Format {
    Csv,
    Parquet,
    Arrow,
}

impl Format {
    /// The format that the ending of a file name means.
    pub fn of_extension(extension: &str) -> Option<Format> {
        match extension.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "parquet" => Some(Format::Parquet),
            "arrow" | "feather" => Some(Format::Arrow),
            _ => None,
        }
    }
}

/// A file on its way.
pub struct TableFile<W: Write> {
    columns: Vec<Column>,
    out: Counted<W>,
    writer: Writer,
}

enum Writer {
    Csv,
    Parquet(parquet::Groups),
    Arrow(arrow::Blocks),
}

impl<W: Write> TableFile<W> {
    /// Begins a file.
    pub fn new(format: Format, columns: Vec<Column>, out: W) -> io::Result<Self> {
        let mut out = Counted { out, written: 0 };
        let writer = match format {
            Format::Csv => {
                csv::begin(&columns, &mut out)?;
                Writer::Csv
            }
            Format::Parquet => Writer::Parquet(parquet::begin(&mut out)?),
            Format::Arrow => Writer::Arrow(arrow::begin(&columns, &mut out)?),
        };
        Ok(TableFile { columns, out, writer })
    }

    /// Writes some rows: one list of cells per column, all of the same length.
    pub fn rows(&mut self, cells: &[Cells]) -> io::Result<()> {
        let count = cells.first().map_or(0, Cells::len);
        assert!(cells.len() == self.columns.len(), "there is one list of cells per column");
        assert!(cells.iter().all(|it| it.len() == count), "all columns have the same number of rows");
        assert!(
            cells.iter().zip(&self.columns).all(|(it, column)| it.kind() == column.kind),
            "cells are of their column"
        );
        if count == 0 {
            return Ok(());
        }
        match &mut self.writer {
            Writer::Csv => csv::rows(cells, count, &mut self.out),
            Writer::Parquet(groups) => groups.rows(&self.columns, cells, count, &mut self.out),
            Writer::Arrow(blocks) => blocks.rows(cells, count, &mut self.out),
        }
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<W> {
        match &self.writer {
            Writer::Csv => {}
            Writer::Parquet(groups) => groups.finish(&self.columns, &mut self.out)?,
            Writer::Arrow(blocks) => blocks.finish(&self.columns, &mut self.out)?,
        }
        self.out.flush()?;
        Ok(self.out.out)
    }
}

/// Counts what is written.
struct Counted<W> {
    out: W,
    written: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
