//! The results of a run, handed to the page while it goes on: what a run that is ended has found is there.

use std::io::{self, Seek, SeekFrom, Write};
use std::ops::ControlFlow;

use modeshift_driver::clock::Instant;
use modeshift_driver::simulate::Outputs;
use modeshift_driver::simulate::results::{Columns, CsvFile, EventFile, EventRecord, Observer, Progress};

use crate::host::{TIME_LIMIT, write_result};

/// The results by the numbers that the page knows.
const ROWS: u32 = 0;
const EVENTS: u32 = 1;

/// A file that the page has.
#[derive(Clone, Copy, Debug)]
struct Handed {
    result: u32,
    position: u64,
    length: u64,
}

impl Write for Handed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_result(self.result, self.position, bytes);
        self.position += bytes.len() as u64;
        self.length = self.length.max(self.position);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Handed {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let from = |base: u64, by: i64| base.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput);
        self.position = match to {
            SeekFrom::Start(position) => position,
            SeekFrom::End(by) => from(self.length, by)?,
            SeekFrom::Current(by) => from(self.position, by)?,
        };
        Ok(self.position)
    }
}

/// Where the rows and events of a run go.
pub struct Results {
    rows: CsvFile<'static>,
    events: EventFile<'static>,
    start: Instant,
    is_late: bool,
}

impl Results {
    /// Of a run that begins.
    pub fn new() -> Self {
        let handed = |result| Box::new(Handed { result, position: 0, length: 0 });
        let (rows, events) = (CsvFile::new(handed(ROWS)), EventFile::new(handed(EVENTS)));
        Results { rows, events, start: Instant::now(), is_late: false }
    }

    /// Hands over what is left; whether the run was ended because it took too long.
    pub fn finish(self) -> bool {
        // The page takes everything.
        let _ = (self.rows.finish(), self.events.finish());
        self.is_late
    }
}

impl Outputs for Results {
    fn open(&mut self, _model: &str, _span: (f64, f64)) -> Result<(), String> {
        Ok(())
    }
}

impl Observer for Results {
    fn columns(&mut self, columns: &Columns) {
        self.rows.columns(columns);
        self.events.columns(columns);
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        self.rows.row(time, values);
        self.events.row(time, values);
    }

    fn event(&mut self, event: &EventRecord) {
        self.rows.event(event);
        self.events.event(event);
    }

    fn progress(&mut self, progress: Progress<'_>) -> ControlFlow<()> {
        self.is_late |= self.start.elapsed() >= TIME_LIMIT;
        if self.is_late || self.rows.progress(progress).is_break() || self.events.progress(progress).is_break() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
