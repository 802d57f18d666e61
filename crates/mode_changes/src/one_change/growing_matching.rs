//! A matching of one mode that grows row by row: a row that depends structurally on those before it is refused.
//!
//! So the difference array finds what is erased, and a transient mode which laws and constraints contradict each other.
//! For all modes at once: `guarded_matching`.

/// A matching that grows row by row.
pub(crate) struct GrowingMatching {
    rows: Vec<Vec<usize>>,
    row_of: Vec<Option<usize>>,
    column_of: Vec<usize>,
}

impl GrowingMatching {
    /// No rows yet.
    pub(crate) fn new(columns: usize) -> Self {
        GrowingMatching { rows: Vec::new(), row_of: vec![None; columns], column_of: Vec::new() }
    }

    /// Adds a row if it can be matched together with all others.
    pub(crate) fn add(&mut self, entries: Vec<usize>) -> bool {
        self.rows.push(entries);
        let root = self.rows.len() - 1;
        let mut came_from = vec![None; self.row_of.len()];
        let mut pending = vec![root];
        while let Some(row) = pending.pop() {
            for &column in &self.rows[row] {
                if came_from[column].is_some() {
                    continue;
                }
                came_from[column] = Some(row);
                match self.row_of[column] {
                    Some(owner) => pending.push(owner),
                    None => {
                        self.column_of.push(usize::MAX);
                        self.turn(column, &came_from);
                        return true;
                    }
                }
            }
        }
        self.rows.pop();
        false
    }

    fn turn(&mut self, end: usize, came_from: &[Option<usize>]) {
        let mut column = end;
        while column != usize::MAX {
            let row = came_from[column].expect("a path leads back to its root");
            self.row_of[column] = Some(row);
            column = std::mem::replace(&mut self.column_of[row], column);
        }
    }

    /// Columns reached from unmatched ones along alternating paths.
    pub(crate) fn undetermined(&self) -> Vec<usize> {
        let mut rows_of = vec![Vec::new(); self.row_of.len()];
        for (row, entries) in self.rows.iter().enumerate() {
            entries.iter().for_each(|&column| rows_of[column].push(row));
        }
        let mut free: Vec<bool> = self.row_of.iter().map(Option::is_none).collect();
        let mut pending: Vec<usize> = (0..free.len()).filter(|&column| free[column]).collect();
        while let Some(column) = pending.pop() {
            for &row in &rows_of[column] {
                let other = self.column_of[row];
                if !std::mem::replace(&mut free[other], true) {
                    pending.push(other);
                }
            }
        }
        (0..free.len()).filter(|&column| free[column]).collect()
    }
}
