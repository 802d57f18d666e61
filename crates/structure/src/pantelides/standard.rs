//! The algorithm of Pantelides on the united system (MOE15 §2.4), which can be continued.
//!
//! The association lists are numbers: row `i` has been differentiated `c[i]` times, and the highest derivative of column `j`
//! is `d[j]`. A row reads a highest derivative where `σ + c = d`. A row that finds no column along such entries, with all
//! rows that its search came to, is a smallest set with more equations than unknowns: all of them are differentiated, and
//! what is assigned stays assigned. Dummy equations relate whatever derivatives are highest, and are not
//! differentiated (MOE15 §2.3).
//!
//! C. Pantelides, *The consistent initialization of differential-algebraic systems*, 1988.

use modeshift_dae::Id;

use crate::approximate::{RowKind, United};
use crate::graph::bipartite::{BipartiteMatching, alternating_reach};

use super::MOST_ITERATIONS;

/// Why it does not end.
pub(super) enum Unsolvable {
    /// These rows are too many for what they contain, differentiated or not: (22) has no assignment.
    Inconsistent { rows: Vec<u32>, columns: Vec<u32> },
    /// A row was differentiated more often than any model needs.
    TooOften,
}

/// The state of the algorithm.
pub(super) struct Standard<'a> {
    united: &'a United,
    /// How often each row has been differentiated.
    pub(super) c: Vec<u32>,
    /// The highest derivative of each column.
    pub(super) d: Vec<u32>,
    matching: BipartiteMatching<u32, u32>,
    /// The rows of each column.
    rows_of: Vec<Vec<u32>>,
    /// Rows without a column.
    pending: Vec<u32>,
    is_consistent: bool,
}

impl<'a> Standard<'a> {
    /// Nothing is differentiated.
    pub(super) fn new(united: &'a United) -> Self {
        let (rows, columns) = (united.rows.len(), united.columns.len());
        let mut d = vec![0; columns];
        let mut rows_of = vec![Vec::new(); columns];
        for (row, it) in united.rows.iter().enumerate() {
            for entry in &it.entries {
                let highest = &mut d[entry.column as usize];
                *highest = entry.highest().max(*highest);
                rows_of[entry.column as usize].push(row as u32);
            }
        }
        Standard {
            united,
            c: vec![0; rows],
            d,
            matching: BipartiteMatching::new(rows, columns),
            rows_of,
            pending: (0..rows as u32).rev().collect(),
            is_consistent: false,
        }
    }

    /// The column that a row is assigned to.
    pub(super) fn column_of(&self, row: u32) -> Option<u32> {
        self.matching.column_of(row)
    }

    /// The row that a column is assigned to.
    pub(super) fn row_of(&self, column: u32) -> Option<u32> {
        self.matching.row_of(column)
    }

    /// The columns whose highest derivatives a row reads.
    pub(super) fn leading<'b>(&'b self, row: u32) -> impl Iterator<Item = u32> + 'b {
        leading(self.united, &self.c, &self.d, row)
    }

    /// Differentiates until every row has a column.
    pub(super) fn run(&mut self) -> Result<(), Unsolvable> {
        if !self.is_consistent {
            self.check_consistency()?;
            self.is_consistent = true;
        }
        while let Some(row) = self.pending.pop() {
            while !self.assign(row) {
                let (rows, columns) = alternating_reach([row], |row| self.leading(row), |column| self.row_of(column));
                self.differentiate(&rows, &columns)?;
            }
        }
        Ok(())
    }

    fn assign(&mut self, row: u32) -> bool {
        let Standard { united, c, d, matching, .. } = self;
        matching.match_row(row, |row| leading(united, c, d, row))
    }

    /// (22): whether there is an assignment when derivatives do not count. If not, differentiating does not help.
    fn check_consistency(&self) -> Result<(), Unsolvable> {
        let united = self.united;
        let columns = |row: u32| united.rows[row as usize].entries.iter().map(|entry| entry.column);
        let mut matching: BipartiteMatching<u32, u32> = BipartiteMatching::new(united.rows.len(), united.columns.len());
        for row in matching.rows() {
            if !matching.match_row(row, columns) {
                let (rows, columns) = alternating_reach([row], columns, |column| matching.row_of(column));
                return Err(Unsolvable::Inconsistent { rows, columns });
            }
        }
        let without = matching.columns().find(|&column| matching.row_of(column).is_none());
        match without {
            None => Ok(()),
            Some(column) => {
                let rows_of = |column: u32| self.rows_of[column.index()].iter().copied();
                let (columns, rows) = alternating_reach([column], rows_of, |row| matching.column_of(row));
                Err(Unsolvable::Inconsistent { rows, columns })
            }
        }
    }

    fn differentiate(&mut self, rows: &[u32], columns: &[u32]) -> Result<(), Unsolvable> {
        for &row in rows.iter().filter(|&&row| self.united.rows[row as usize].kind != RowKind::Dummy) {
            self.c[row as usize] += 1;
            if self.c[row as usize] > MOST_ITERATIONS as u32 {
                return Err(Unsolvable::TooOften);
            }
        }
        columns.iter().for_each(|&column| self.raise(column, self.d[column as usize] + 1));
        Ok(())
    }

    /// Lets a column have a higher derivative; rows that no longer read its highest one lose it, and look for another.
    fn raise(&mut self, column: u32, order: u32) {
        self.d[column as usize] = order;
        if let Some(row) = self.matching.row_of(column)
            && !leading(self.united, &self.c, &self.d, row).any(|it| it == column)
        {
            self.matching.release(column);
            self.pending.push(row);
        }
    }

    /// Brings the derivatives of all variables of a row into the association list (step 5 of MOE15 §4).
    pub(super) fn introduce(&mut self, row: u32) {
        let entries = &self.united.rows[row as usize].entries;
        let times = self.c[row as usize];
        for entry in entries {
            let order = entry.highest() + times + 1;
            if self.d[entry.column as usize] < order {
                self.raise(entry.column, order);
            }
        }
    }
}

/// The columns whose highest derivatives a row reads.
fn leading<'b>(united: &'b United, c: &'b [u32], d: &'b [u32], row: u32) -> impl Iterator<Item = u32> + use<'b> {
    let it = &united.rows[row as usize];
    let times = c[row as usize];
    let is_leading = move |column: u32, order: u32| it.kind == RowKind::Dummy || order + times == d[column as usize];
    it.entries
        .iter()
        .map(|entry| (entry.column, entry.highest()))
        .filter(move |&(column, order)| is_leading(column, order))
        .map(|it| it.0)
}
