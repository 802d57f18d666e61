//! Rows of one mode that can all be matched: a row that depends structurally on those before it is refused.
//!
//! So the difference array finds what is erased, and a transient mode which laws and constraints contradict each other.
//! For all modes at once: `guarded_matching`.

use modeshift_structure::{BipartiteMatching, alternating_reach};

/// A matching that grows row by row.
pub(crate) struct GrowingMatching {
    /// By row, its columns; nothing for rows that were refused.
    entries: Vec<Vec<usize>>,
    matching: BipartiteMatching<usize, usize>,
}

impl GrowingMatching {
    /// No rows yet.
    pub(crate) fn new(columns: usize) -> Self {
        GrowingMatching { entries: Vec::new(), matching: BipartiteMatching::new(0, columns) }
    }

    /// Adds a row if it can be matched together with all others.
    pub(crate) fn add(&mut self, entries: Vec<usize>) -> bool {
        let row = self.matching.push_row();
        self.entries.push(entries);
        let is_matched = self.matching.match_row(row, |row| self.entries[row].iter().copied());
        if !is_matched {
            self.entries[row].clear();
        }
        is_matched
    }

    /// The rows, by the order in which they were added, that a row which cannot be matched together with them depends on.
    pub(crate) fn depends_on(&self, entries: &[usize]) -> Vec<usize> {
        let partners = |columns: &[usize]| -> Vec<usize> {
            columns.iter().filter_map(|&column| self.matching.row_of(column)).collect()
        };
        alternating_reach(
            partners(entries),
            |row| self.entries[row].iter().copied(),
            |column| self.matching.row_of(column),
        )
        .0
    }

    /// Columns reached from unmatched ones along alternating paths.
    pub(crate) fn undetermined(&self) -> Vec<usize> {
        let mut rows_of: Vec<Vec<usize>> = self.matching.columns().map(|_| Vec::new()).collect();
        for (row, entries) in self.entries.iter().enumerate() {
            entries.iter().for_each(|&column| rows_of[column].push(row));
        }
        let free = self.matching.columns().filter(|&column| self.matching.row_of(column).is_none());
        alternating_reach(free, |column| rows_of[column].iter().copied(), |row| self.matching.column_of(row)).0
    }
}
