//! Results as CSV: `time` first, then the columns; empty cells where a variable does not exist.

use std::io::{self, Write as _};
use std::ops::ControlFlow;

use super::columns::Columns;
use super::observer::{Observer, Progress, is_absent};
use super::stored::{Storage, Stored};

/// A CSV file on its way.
pub struct CsvFile<'a> {
    stored: Stored<'a>,
}

impl<'a> CsvFile<'a> {
    /// Writes to an empty storage.
    pub fn new(storage: Box<dyn Storage + 'a>) -> Self {
        CsvFile { stored: Stored::new(storage) }
    }

    /// Writes what is left.
    pub fn finish(self) -> io::Result<()> {
        self.finish_or_rows().map_err(|(error, _)| error)
    }

    /// Writes what is left; where something could not be written, how many bytes of the file are whole rows.
    pub fn finish_or_rows(mut self) -> Result<(), (io::Error, u64)> {
        self.stored.write(&[], &[]);
        let whole = self.stored.length();
        self.stored.outcome().map_err(|error| (error, whole))
    }
}

impl Observer for CsvFile<'_> {
    fn columns(&mut self, columns: &Columns) {
        let line = self.stored.pending();
        line.extend_from_slice(b"time");
        for column in &columns.columns {
            line.push(b',');
            push_name(line, &column.name);
        }
        line.push(b'\n');
        self.stored.write(&[], &[]);
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        let line = self.stored.pending();
        push_number(line, time);
        for &value in values {
            line.push(b',');
            if !is_absent(value) {
                push_number(line, value);
            }
        }
        line.push(b'\n');
        if self.stored.is_due() {
            self.stored.write(&[], &[]);
        }
    }

    fn progress(&mut self, _: Progress<'_>) -> ControlFlow<()> {
        if self.stored.has_failed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A name, in quotes where it contains what CSV has a meaning for.
fn push_name(line: &mut Vec<u8>, name: &str) {
    if name.contains([',', '"', '\n', '\r']) {
        line.push(b'"');
        line.extend_from_slice(name.replace('"', "\"\"").as_bytes());
        line.push(b'"');
    } else {
        line.extend_from_slice(name.as_bytes());
    }
}

/// The shortest text that reads back as the same number; zero has no sign.
fn push_number(line: &mut Vec<u8>, value: f64) {
    let (start, value) = (line.len(), value + 0.0);
    write!(line, "{value:?}").expect("memory can be written to");
    if line[start..].ends_with(b".0") {
        line.truncate(line.len() - 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_number(value: f64, expected: &str) {
        let mut line = Vec::new();
        push_number(&mut line, value);
        assert_eq!(String::from_utf8_lossy(&line), expected);
        assert_eq!(expected.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
    }

    #[test]
    fn numbers_are_short_and_read_back_as_they_were() {
        check_number(0.0, "0");
        check_number(1.0, "1");
        check_number(0.1 + 0.2, "0.30000000000000004");
        check_number(6.02e23, "6.02e23");
        check_number(f64::MIN_POSITIVE, "2.2250738585072014e-308");
        check_number(f64::NEG_INFINITY, "-inf");
    }
}
