//! Results as Parquet and Arrow files: numbers with their units, truths as such, empty cells where a variable does not exist.
//!
//! Rows are written some at a time. Unlike CSV and MAT files, these are readable only when they are finished.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::ControlFlow;

use modeshift_simulate::results::{ColumnKind, Columns, Observer, Progress, is_absent};
use modeshift_tables::{Cells, Column, Format, Kind, TableFile};

/// So many rows are written at once.
const PIECE: usize = 16_384;

/// A file on its way.
pub struct TableResult<W: Write> {
    format: Format,
    booleans: BTreeSet<String>,
    out: Option<W>,
    file: Option<TableFile<W>>,
    cells: Vec<Cells>,
    kinds: Vec<Kind>,
    count: usize,
    error: Option<io::Error>,
}

impl<W: Write> TableResult<W> {
    /// Writes to something empty; `booleans` are the variables that are true or false beside mode variables.
    pub fn new(format: Format, booleans: BTreeSet<String>, out: W) -> Self {
        let (cells, kinds) = (Vec::new(), Vec::new());
        TableResult { format, booleans, out: Some(out), file: None, cells, kinds, count: 0, error: None }
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.write();
        match (self.error, self.file) {
            (Some(error), _) => Err(error),
            (None, Some(file)) => file.finish().map(drop),
            (None, None) => Ok(()),
        }
    }

    fn write(&mut self) {
        let Some(file) = &mut self.file else { return };
        if self.error.is_none() {
            self.error = file.rows(&self.cells).err();
        }
        self.cells = self.kinds.iter().map(|&kind| Cells::new(kind)).collect();
        self.count = 0;
    }
}

impl<W: Write> Observer for TableResult<W> {
    fn columns(&mut self, columns: &Columns) {
        let Some(out) = self.out.take() else { return };
        let time = Column { name: "time".to_string(), kind: Kind::Number, unit: Some("s".to_string()) };
        let others = columns.columns.iter().map(|column| {
            let is_truth = column.kind == ColumnKind::Mode || self.booleans.contains(&*column.name);
            let unit = column.unit.as_ref().map(|unit| unit.to_string());
            Column { name: column.name.to_string(), kind: if is_truth { Kind::Truth } else { Kind::Number }, unit }
        });
        let all: Vec<Column> = std::iter::once(time).chain(others).collect();
        self.kinds = all.iter().map(|column| column.kind).collect();
        self.cells = self.kinds.iter().map(|&kind| Cells::new(kind)).collect();
        match TableFile::new(self.format, all, out) {
            Ok(file) => self.file = Some(file),
            Err(error) => self.error = Some(error),
        }
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        for (&value, cells) in std::iter::once(&time).chain(values).zip(&mut self.cells) {
            let known = (!is_absent(value)).then_some(value);
            match cells {
                Cells::Truths(cells) => cells.push(known.map(|value| value == 1.0)),
                Cells::Numbers(cells) => cells.push(known),
                _ => unreachable!("results are numbers and truths"),
            }
        }
        self.count += 1;
        if self.count == PIECE {
            self.write();
        }
    }

    fn progress(&mut self, _: Progress<'_>) -> ControlFlow<()> {
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
