//! CSV: a line of names, then the rows; empty cells for what is not there.

use std::io::{self, Write};

use crate::{Cells, Column};

pub(crate) fn begin(columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
    let mut line = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        if at > 0 {
            line.push(b',');
        }
        push_text(&mut line, &column.name);
    }
    line.push(b'\n');
    out.write_all(&line)
}

pub(crate) fn rows(cells: &[Cells], count: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = Vec::new();
    for row in 0..count {
        for (at, cells) in cells.iter().enumerate() {
            if at > 0 {
                lines.push(b',');
            }
            push_cell(&mut lines, cells, row)?;
        }
        lines.push(b'\n');
    }
    out.write_all(&lines)
}

fn push_cell(line: &mut Vec<u8>, cells: &Cells, row: usize) -> io::Result<()> {
    match cells {
        Cells::Numbers(cells) => cells[row].map_or(Ok(()), |value| {
            let text = format!("{:?}", value + 0.0);
            line.extend_from_slice(text.strip_suffix(".0").unwrap_or(&text).as_bytes());
            Ok(())
        }),
        Cells::Integers(cells) => cells[row].map_or(Ok(()), |value| write!(line, "{value}")),
        Cells::Truths(cells) => cells[row].map_or(Ok(()), |value| write!(line, "{value}")),
        Cells::Texts(cells) => {
            cells[row].iter().for_each(|text| push_text(line, text));
            Ok(())
        }
    }
}

/// A text, in quotes where it contains what CSV has a meaning for.
fn push_text(line: &mut Vec<u8>, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        line.push(b'"');
        line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        line.push(b'"');
    } else {
        line.extend_from_slice(text.as_bytes());
    }
}
