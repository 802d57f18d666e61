//! Records as tables: one row per run, and where wanted one per event and one per row of signals.

use std::io::{self, Write};

use modeshift_driver::loaded::Loaded;
use modeshift_driver::simulate::results::{is_absent, plot::matching};
use modeshift_tables::{Cells, Column, Format, Kind, TableFile};

use crate::plan::Plan;
use crate::record::Record;

/// Which values records have: variables with their units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Of which the last values are kept.
    pub ends: Vec<(String, Option<String>)>,
    /// Of which all rows are kept.
    pub signals: Vec<(String, Option<String>)>,
}

impl Layout {
    /// What the plan wants of a model, in the order of declaration; or a name that no variable has.
    pub(crate) fn of(plan: &Plan, loaded: &Loaded) -> Result<Self, String> {
        let columns = loaded.columns();
        let chosen = |patterns: &[String]| {
            let mut places = Vec::new();
            for pattern in patterns {
                let before = places.len();
                places.extend(matching(pattern, &columns));
                if places.len() == before {
                    return Err(pattern.clone());
                }
            }
            places.sort_unstable();
            places.dedup();
            Ok(places)
        };
        let named = |places: Vec<usize>| {
            let column = |at: usize| &columns.columns[at];
            let pair = |at: usize| (column(at).name.to_string(), column(at).unit.as_ref().map(|unit| unit.to_string()));
            places.into_iter().map(pair).collect()
        };
        let usual = || (0..columns.len()).filter(|&at| columns.columns[at].prominent).collect();
        let ends = if plan.ends.is_empty() { usual() } else { chosen(&plan.ends)? };
        Ok(Layout { ends: named(ends), signals: named(chosen(&plan.signals)?) })
    }

    pub(crate) fn end_names(&self) -> Vec<String> {
        self.ends.iter().map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn signal_names(&self) -> Vec<String> {
        self.signals.iter().map(|(name, _)| name.clone()).collect()
    }
}

/// So many rows are written at once.
const PIECE: usize = 16_384;

/// Tables on their way.
pub struct Tables<'p, W: Write> {
    plan: &'p Plan,
    runs: Piecewise<W>,
    events: Option<Piecewise<W>>,
    signals: Option<Piecewise<W>>,
}

/// A name of ours that no variable has.
fn own(name: &str, taken: &[&str]) -> String {
    let mut name = name.to_string();
    while taken.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

impl<'p, W: Write> Tables<'p, W> {
    /// Begins the table of runs, and those of events and signals where there is a file for them.
    pub fn new(
        plan: &'p Plan,
        layout: &Layout,
        format: Format,
        (runs, events, signals): (W, Option<W>, Option<W>),
    ) -> io::Result<Self> {
        let varied = plan.varied.iter().map(|it| it.name.as_str());
        let taken: Vec<&str> = varied.chain(layout.ends.iter().map(|it| it.0.as_str())).collect();
        let column = |name: &str, kind| Column::new(own(name, &taken), kind);
        let parameter = |at: usize| {
            let varied = &plan.varied[at];
            Column::new(&varied.name, if varied.spread.is_numeric() { Kind::Number } else { Kind::Text })
        };
        let value = |(name, unit): &(String, Option<String>)| Column {
            name: name.clone(),
            kind: Kind::Number,
            unit: unit.clone(),
        };
        let mut of_runs = vec![column("run", Kind::Integer)];
        of_runs.extend((0..plan.varied.len()).map(parameter));
        let status = [("status", Kind::Text), ("end_time", Kind::Number), ("events", Kind::Integer)];
        of_runs.extend(status.map(|(name, kind)| column(name, kind)));
        of_runs.extend(layout.ends.iter().map(value));
        of_runs.push(column("diagnosis", Kind::Text));
        let names = [("run", Kind::Integer), ("time", Kind::Number), ("cause", Kind::Text), ("to", Kind::Text)];
        let mut of_events: Vec<Column> = names.map(|(name, kind)| Column::new(name, kind)).to_vec();
        of_events.push(Column::new("impulses", Kind::Text));
        let of_signals: Vec<&str> = layout.signals.iter().map(|it| it.0.as_str()).collect();
        let mut columns = vec![Column::new(own("run", &of_signals), Kind::Integer)];
        columns.push(Column::new(own("time", &of_signals), Kind::Number));
        columns.extend(layout.signals.iter().map(value));
        Ok(Tables {
            plan,
            runs: Piecewise::new(format, of_runs, runs)?,
            events: events.map(|out| Piecewise::new(format, of_events, out)).transpose()?,
            signals: signals.map(|out| Piecewise::new(format, columns, out)).transpose()?,
        })
    }

    /// Adds a run; they come in the order of their numbers.
    pub fn add(&mut self, record: &Record) -> io::Result<()> {
        let run = Cell::Integer(record.run as i64);
        let known = |value: f64| (!is_absent(value)).then_some(value);
        let mut row = vec![run.clone()];
        let values = self.plan.values(record.run as usize);
        for (varied, value) in self.plan.varied.iter().zip(values) {
            row.push(match varied.spread.is_numeric() {
                true => Cell::Number(value.parse().ok()),
                false => Cell::Text(Some(value)),
            });
        }
        row.push(Cell::Text(Some(record.status.clone())));
        row.push(Cell::Number(Some(record.time).filter(|time| !time.is_nan())));
        row.push(Cell::Integer(record.event_count as i64));
        row.extend(record.ends.iter().map(|&value| Cell::Number(known(value))));
        row.push(Cell::Text(Some(record.diagnosis.clone()).filter(|text| !text.is_empty())));
        self.runs.row(row)?;
        if let Some(table) = &mut self.events {
            for event in &record.events {
                let texts = [&event.cause, &event.to, &event.impulses].map(|text| Cell::Text(Some(text.clone())));
                table.row([vec![run.clone(), Cell::Number(Some(event.time))], texts.to_vec()].concat())?;
            }
        }
        if let Some(table) = &mut self.signals {
            let width = record.signals.values.len() / record.signals.times.len().max(1);
            for (at, &time) in record.signals.times.iter().enumerate() {
                let values = record.signals.values[at * width..(at + 1) * width].iter();
                let mut row = vec![run.clone(), Cell::Number(Some(time))];
                row.extend(values.map(|&value| Cell::Number(known(value))));
                table.row(row)?;
            }
        }
        Ok(())
    }

    /// Ends all files.
    pub fn finish(self) -> io::Result<()> {
        self.runs.finish()?;
        self.events.map_or(Ok(()), Piecewise::finish)?;
        self.signals.map_or(Ok(()), Piecewise::finish)
    }
}

#[derive(Clone)]
enum Cell {
    Number(Option<f64>),
    Integer(i64),
    Text(Option<String>),
}

/// A table whose rows are written some at a time.
struct Piecewise<W: Write> {
    file: TableFile<W>,
    kinds: Vec<Kind>,
    cells: Vec<Cells>,
    count: usize,
}

impl<W: Write> Piecewise<W> {
    fn new(format: Format, columns: Vec<Column>, out: W) -> io::Result<Self> {
        let kinds: Vec<Kind> = columns.iter().map(|column| column.kind).collect();
        let cells = kinds.iter().map(|&kind| Cells::new(kind)).collect();
        Ok(Piecewise { file: TableFile::new(format, columns, out)?, kinds, cells, count: 0 })
    }

    fn row(&mut self, row: Vec<Cell>) -> io::Result<()> {
        assert_eq!(row.len(), self.cells.len(), "a row has one cell per column");
        for (cell, cells) in row.into_iter().zip(&mut self.cells) {
            match (cell, cells) {
                (Cell::Number(value), Cells::Numbers(cells)) => cells.push(value),
                (Cell::Integer(value), Cells::Integers(cells)) => cells.push(Some(value)),
                (Cell::Text(value), Cells::Texts(cells)) => cells.push(value),
                _ => unreachable!("cells are of the kind of their column"),
            }
        }
        self.count += 1;
        if self.count == PIECE { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        self.file.rows(&self.cells)?;
        self.cells = self.kinds.iter().map(|&kind| Cells::new(kind)).collect();
        self.count = 0;
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.write()?;
        self.file.finish().map(drop)
    }
}
