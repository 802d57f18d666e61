//! Runs of `simulate` as tables, for comparison with each other and with other tools.

#![allow(dead_code)]

use super::{modeshift, temporary};

/// The result of a run.
pub struct Run {
    /// Names of columns without quotes: `element[1].u1` also where the model has `'element[1].u1'`.
    pub names: Vec<String>,
    /// Rows with the time first; what does not exist in a mode is not a number there.
    pub rows: Vec<Vec<f64>>,
}

impl Run {
    /// Runs a model by `simulate`.
    pub fn of(file: &str, label: &str, options: &[&str]) -> Run {
        let result = temporary(&format!("{label}.csv"));
        let result = result.to_str().expect("a path of the tests");
        let outcome = modeshift(&[&["simulate", file, "-o", result], options].concat());
        assert_eq!(outcome.status, 0, "{label}: {}", outcome.stderr);
        let text = std::fs::read_to_string(result).expect("was written");
        let mut lines = text.lines();
        let names = names(lines.next().expect("a header"));
        let number = |cell: &str| if cell.is_empty() { f64::NAN } else { cell.parse().expect("a number") };
        Run { names, rows: lines.map(|line| line.split(',').map(number).collect()).collect() }
    }

    /// The column of a variable.
    pub fn column(&self, name: &str) -> usize {
        self.names.iter().position(|it| it == name).unwrap_or_else(|| panic!("no column {name} in {:?}", self.names))
    }

    /// From the first to the last time.
    pub fn length(&self) -> f64 {
        self.rows.last().expect("a run has rows")[0] - self.rows[0][0]
    }

    /// Left and right limits at events.
    pub fn events(&self) -> Vec<(&[f64], &[f64])> {
        let pairs = self.rows.windows(2).filter(|pair| pair[0][0] == pair[1][0]);
        pairs.map(|pair| (pair[0].as_slice(), pair[1].as_slice())).collect()
    }

    /// The values at a time; at an event, the right limits; linear between rows.
    pub fn value(&self, column: usize, time: f64) -> f64 {
        let after = self.rows.partition_point(|row| row[0] <= time);
        let before = &self.rows[after.max(1) - 1];
        match self.rows.get(after) {
            Some(next) if before[0] < time => {
                before[column] + (next[column] - before[column]) * (time - before[0]) / (next[0] - before[0])
            }
            _ => before[column],
        }
    }

    /// The largest absolute value in a column.
    pub fn scale(&self, column: usize) -> f64 {
        self.rows.iter().map(|row| row[column].abs()).fold(0.0, f64::max)
    }
}

/// The names in a header; those with commas are in quotes.
fn names(header: &str) -> Vec<String> {
    let (mut names, mut is_quoted) = (vec![String::new()], false);
    for character in header.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => names.push(String::new()),
            '\'' => {}
            other => names.last_mut().expect("at least one").push(other),
        }
    }
    names
}
