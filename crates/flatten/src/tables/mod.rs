//! Tables in files: what the external objects of tables are made of where they name a file.
//!
//! | file | purpose |
//! |---|---|
//! | [`text`] | matrices by name in a text (`#1`, `double tab(3, 2)`), and values that are separated (`.csv`) |
//! | [`mat`] | matrices of MATLAB files: version 4, and 5 to 7, compressed or not |
//!
//! A file is read at translation, and the matrix then stands in the model as if it had been written there.

mod mat;
mod text;

use std::path::Path;

use modeshift_dae::ObjectArgument;
use modeshift_diagnostics::{Code, Diagnostic, Span};

use crate::failure::Outcome;
use crate::flattener::Flattener;

/// A matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Table {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Table {
    fn of_columns(rows: usize, columns: usize, values: &[f64]) -> Self {
        let by_row = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Table { rows, columns, values: by_row.map(|(row, column)| values[column * rows + row]).collect() }
    }
}

/// What a `.csv` file is read by.
struct Separated<'a> {
    delimiter: &'a str,
    header_lines: usize,
}

impl Flattener<'_> {
    /// The arguments of the constructor of a table, with the matrix of its file in place of the file's name.
    pub(crate) fn with_table_of_file(&self, arguments: &mut [ObjectArgument], span: Span) -> Outcome<()> {
        let [ObjectArgument::Text(name), ObjectArgument::Text(file), _, ..] = &*arguments else { return Ok(()) };
        if !is_given(file) {
            return Ok(());
        }
        let separated = separated(arguments);
        let read = self.classes.library.resource_bytes(Path::new(&**file));
        match read.and_then(|bytes| table(file, name, &bytes, &separated)) {
            Ok(Table { rows, columns, values }) => {
                let none = || ObjectArgument::Text("NoName".into());
                arguments[2] = ObjectArgument::Numbers(vec![rows, columns], values);
                (arguments[0], arguments[1]) = (none(), none());
                Ok(())
            }
            Err(problem) => {
                let message = format!("the table `{name}` cannot be read from `{file}`: {problem}");
                Err(Diagnostic::error(Code::E0376, message).label(span, "needed here").into())
            }
        }
    }
}

fn is_given(text: &str) -> bool {
    !text.trim().is_empty() && text != "NoName"
}

/// How a constructor says that values are separated: its last arguments, a delimiter and a number of lines.
fn separated(arguments: &[ObjectArgument]) -> Separated<'_> {
    match arguments {
        [.., ObjectArgument::Text(delimiter), ObjectArgument::Numbers(_, lines)] if lines.len() == 1 => {
            Separated { delimiter, header_lines: lines[0].max(0.0) as usize }
        }
        _ => Separated { delimiter: ",", header_lines: 0 },
    }
}

/// The matrix of this name in a file.
fn table(file: &str, name: &str, bytes: &[u8], how: &Separated<'_>) -> Result<Table, String> {
    let ending = Path::new(file).extension().and_then(|it| it.to_str()).unwrap_or("").to_ascii_lowercase();
    match ending.as_str() {
        "mat" => mat::matrix(bytes, name),
        "csv" => text::separated(&as_text(bytes)?, how),
        _ => text::matrix(&as_text(bytes)?, name),
    }
}

fn as_text(bytes: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the file is no text".to_string())?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_string())
}

/// The number that a word is.
fn number(word: &str) -> Result<f64, String> {
    word.parse::<f64>().map_err(|_| format!("`{word}` is not a number"))
}
