//! Bipartite graphs of equations and variables: matching, Dulmage–Mendelsohn, blocks (RR8933 §3.1).
//!
//! Plain algorithms on small graphs, written for this crate alone: what `structure` says is to be checked by something
//! that is not `structure`.

/// Rows with the columns in which they have entries.
#[derive(Clone, Debug, Default)]
pub struct Bipartite {
    /// By row.
    pub rows: Vec<Vec<usize>>,
    /// How many columns there are.
    pub columns: usize,
}

/// Partners of rows and columns.
#[derive(Clone, Debug)]
pub struct Matching {
    /// By row.
    pub column_of: Vec<Option<usize>>,
    /// By column.
    pub row_of: Vec<Option<usize>>,
}

/// The rows of the three parts of Dulmage and Mendelsohn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// More equations than variables.
    pub over: Vec<usize>,
    /// As many.
    pub square: Vec<usize>,
    /// Fewer.
    pub under: Vec<usize>,
}

impl Matching {
    fn new(graph: &Bipartite) -> Self {
        Matching { column_of: vec![None; graph.rows.len()], row_of: vec![None; graph.columns] }
    }

    /// Finds a partner for a row, if need be with new partners for others; whether there is one.
    fn augment(&mut self, graph: &Bipartite, row: usize) -> bool {
        let mut came_from: Vec<Option<usize>> = vec![None; graph.columns];
        let mut pending = vec![row];
        while let Some(at) = pending.pop() {
            for &column in &graph.rows[at] {
                if came_from[column].is_some() {
                    continue;
                }
                came_from[column] = Some(at);
                match self.row_of[column] {
                    Some(next) => pending.push(next),
                    None => {
                        self.flip(&came_from, column);
                        return true;
                    }
                }
            }
        }
        false
    }

    fn flip(&mut self, came_from: &[Option<usize>], mut column: usize) {
        while let Some(row) = came_from[column] {
            self.row_of[column] = Some(row);
            match self.column_of[row].replace(column) {
                Some(before) => column = before,
                None => return,
            }
        }
    }
}

impl Bipartite {
    /// The rows, in their order, that can all be matched together with those before them: a largest such set.
    pub fn matched(&self) -> Matching {
        let mut matching = Matching::new(self);
        for row in 0..self.rows.len() {
            matching.augment(self, row);
        }
        matching
    }

    /// The same set of rows, where as many as can be have partners among some columns.
    pub fn matched_first_with(&self, is_preferred: impl Fn(usize) -> bool) -> Matching {
        let among = |row: &Vec<usize>| row.iter().copied().filter(|&column| is_preferred(column)).collect();
        let preferred = Bipartite { rows: self.rows.iter().map(among).collect(), columns: self.columns };
        let mut matching = preferred.matched();
        for row in 0..self.rows.len() {
            if matching.column_of[row].is_none() {
                matching.augment(self, row);
            }
        }
        matching
    }

    /// Columns that alternating paths reach from some columns without a partner, these included.
    pub fn reached_columns(&self, matching: &Matching, is_start: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut reached: Vec<bool> = (0..self.columns).map(is_start).collect();
        loop {
            let before = reached.clone();
            for (row, columns) in self.rows.iter().enumerate() {
                if columns.iter().any(|&column| reached[column]) {
                    matching.column_of[row].into_iter().for_each(|column| reached[column] = true);
                }
            }
            if reached == before {
                return reached;
            }
        }
    }

    /// The rows that give values to some columns, ascending; nothing where one of the columns is left open.
    pub fn rows_that_determine(&self, mut columns: Vec<usize>) -> Option<Vec<usize>> {
        let matching = self.matched();
        let open = self.reached_columns(&matching, |column| matching.row_of[column].is_none());
        let mut rows = std::collections::BTreeSet::new();
        while let Some(column) = columns.pop() {
            let row = matching.row_of[column].filter(|_| !open[column])?;
            if rows.insert(row) {
                columns.extend(&self.rows[row]);
            }
        }
        Some(rows.into_iter().collect())
    }

    /// Whether all of these rows can be matched at once.
    pub fn is_independent(&self, rows: &[usize]) -> bool {
        let mut matching = Matching::new(self);
        rows.iter().all(|&row| matching.augment(self, row))
    }

    /// The parts of Dulmage and Mendelsohn.
    pub fn parts(&self) -> Parts {
        let matching = self.matched();
        let over = self.reached_from_rows(&matching);
        let under = self.reached_from_columns(&matching);
        let rows = |wanted: &dyn Fn(usize) -> bool| (0..self.rows.len()).filter(|&row| wanted(row)).collect();
        Parts {
            over: rows(&|row| over[row]),
            square: rows(&|row| !over[row] && !under[row]),
            under: rows(&|row| under[row]),
        }
    }

    /// Rows that alternating paths reach from rows without a partner.
    fn reached_from_rows(&self, matching: &Matching) -> Vec<bool> {
        let mut reached: Vec<bool> = matching.column_of.iter().map(Option::is_none).collect();
        let mut pending: Vec<usize> = (0..reached.len()).filter(|&row| reached[row]).collect();
        while let Some(row) = pending.pop() {
            for next in self.rows[row].iter().filter_map(|&column| matching.row_of[column]) {
                if !std::mem::replace(&mut reached[next], true) {
                    pending.push(next);
                }
            }
        }
        reached
    }

    /// Rows that alternating paths reach from columns without a partner.
    fn reached_from_columns(&self, matching: &Matching) -> Vec<bool> {
        let open = self.reached_columns(matching, |column| matching.row_of[column].is_none());
        self.rows.iter().map(|columns| columns.iter().any(|&column| open[column])).collect()
    }

    /// The blocks of some rows that can be matched at once, each with its columns, as the strongly connected components
    /// of `z → ψ(y) → y`. Only those that can be solved now: all their columns are their own.
    pub fn ready_blocks(&self, rows: &[usize]) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut matching = Matching::new(self);
        rows.iter().for_each(|&row| assert!(matching.augment(self, row), "rows that can be matched at once"));
        let mut blocks: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        let mut is_in_block = vec![false; self.rows.len()];
        for &row in rows {
            if is_in_block[row] {
                continue;
            }
            let Some(mut block) = self.needed_rows(&matching, row) else { continue };
            block.sort_unstable();
            // A block is ready where none of its members needs less than all of it.
            let needs_all =
                |&member: &usize| self.needed_rows(&matching, member).is_some_and(|it| it.len() == block.len());
            if block.iter().all(needs_all) {
                block.iter().for_each(|&member| is_in_block[member] = true);
                let columns = block.iter().filter_map(|&row| matching.column_of[row]).collect();
                blocks.push((block, columns));
            }
        }
        blocks
    }

    /// The rows that have to be solved for a row, itself included; nothing where a column without a partner is needed.
    fn needed_rows(&self, matching: &Matching, row: usize) -> Option<Vec<usize>> {
        let mut needed = vec![row];
        let mut is_needed = vec![false; self.rows.len()];
        is_needed[row] = true;
        let mut at = 0;
        while at < needed.len() {
            for &column in &self.rows[needed[at]] {
                let owner = matching.row_of[column]?;
                if !std::mem::replace(&mut is_needed[owner], true) {
                    needed.push(owner);
                }
            }
            at += 1;
        }
        Some(needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_of_dulmage_and_mendelsohn() {
        // Two equations of one variable, one that needs a second variable, one of two more.
        let graph = Bipartite { rows: vec![vec![0], vec![0], vec![0, 1], vec![1, 2, 3]], columns: 4 };
        assert_eq!(graph.parts(), Parts { over: vec![0, 1], square: vec![2], under: vec![3] });
    }

    #[test]
    fn blocks_that_can_be_solved_now() {
        // 0 and 1 together; 2 behind them; 3 alone.
        let graph = Bipartite { rows: vec![vec![0, 1], vec![0, 1], vec![1, 2], vec![3]], columns: 4 };
        let blocks = graph.ready_blocks(&[0, 1, 2, 3]);
        assert_eq!(blocks.iter().map(|(rows, _)| rows.clone()).collect::<Vec<_>>(), [vec![0, 1], vec![3]]);
    }

    #[test]
    fn a_column_without_a_partner_blocks_its_row() {
        let graph = Bipartite { rows: vec![vec![0, 1]], columns: 2 };
        assert!(graph.ready_blocks(&[0]).is_empty());
        assert_eq!(graph.parts().under, [0]);
    }
}
