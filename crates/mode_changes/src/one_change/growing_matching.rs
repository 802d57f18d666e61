//! A matching of one mode that grows row by row: a row that depends structurally on those before it is refused.
//!
//! So the difference array finds what is erased, and a transient mode which laws and constraints contradict each other.
//! For all modes at once: `guarded_matching`.

use modeshift_structure::{BipartiteMatching, alternating_reach};

/// A matching that grows row by row.
pub(crate) struct GrowingMatching {
    rows: Vec<Vec<usize>>,
    matching: BipartiteMatching<usize, usize>,
}

impl GrowingMatching {
    /// No rows yet.
    pub(crate) fn new(columns: usize) -> Self {
        GrowingMatching { rows: Vec::new(), matching: BipartiteMatching::new(0, columns) }
    }

    /// Adds a row if it can be matched together with all others.
    pub(crate) fn add(&mut self, entries: Vec<usize>) -> bool {
        let row = self.rows.len();
        self.rows.push(entries);
        if self.matching.rows().len() == row {
            self.matching.push_row();
        }
        let is_matched = self.matching.match_row(row, |row| self.rows[row].iter().copied());
        if !is_matched {
            self.rows.pop(); // The next row takes its number.
        }
        is_matched
    }

    /// Columns reached from unmatched ones along alternating paths.
    pub(crate) fn undetermined(&self) -> Vec<usize> {
        let mut rows_of = vec![Vec::new(); self.matching.columns().len()];
        for (row, entries) in self.rows.iter().enumerate() {
            entries.iter().for_each(|&column| rows_of[column].push(row));
        }
        let unmatched = self.matching.columns().filter(|&column| self.matching.row_of(column).is_none());
        let neighbours = |column: usize| rows_of[column].iter().copied();
        alternating_reach(unmatched, neighbours, |row| self.matching.column_of(row)).0
    }
}
