//! Matchings of a plain bipartite graph, rows with columns, that grow row by row along alternating paths.
//!
//! ```text
//!   row a ─── column 1          a ─── 1      row b finds column 1 taken by a, and for a column 2:
//!         ╲                       ╲          the path b ─ 1 ═ a ─ 2 is turned to b ═ 1 ─ a ═ 2
//!   row b ─── 1                   2
//! ```
//!
//! A row that no path leads from to a free column depends structurally on those that are matched. Which rows are
//! matched in the end depends on their order alone, not on the paths. For all modes at once: `matching`.

use modeshift_dae::{Id, IndexVec};
use rustc_hash::FxHashSet;

/// A matching of rows with columns.
#[derive(Clone, Debug)]
pub struct BipartiteMatching<R, C> {
    column_of: IndexVec<R, Option<C>>,
    row_of: IndexVec<C, Option<R>>,
    /// Of the last search that came to a column: its number, and the row it came from.
    came_from: IndexVec<C, (u32, Option<R>)>,
    searches: u32,
}

impl<R: Id, C: Id> BipartiteMatching<R, C> {
    /// Nothing is matched.
    pub fn new(rows: usize, columns: usize) -> Self {
        BipartiteMatching {
            column_of: (0..rows).map(|_| None).collect(),
            row_of: (0..columns).map(|_| None).collect(),
            came_from: (0..columns).map(|_| (0, None)).collect(),
            searches: 0,
        }
    }

    /// Another row, not matched.
    pub fn push_row(&mut self) -> R {
        self.column_of.push(None)
    }

    /// The column of a row.
    pub fn column_of(&self, row: R) -> Option<C> {
        self.column_of[row]
    }

    /// The row of a column.
    pub fn row_of(&self, column: C) -> Option<R> {
        self.row_of[column]
    }

    /// All rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = R> + use<R, C> {
        self.column_of.ids()
    }

    /// All columns.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = C> + use<R, C> {
        self.row_of.ids()
    }

    /// Matches two that are free.
    pub fn pair(&mut self, row: R, column: C) {
        self.column_of[row] = Some(column);
        self.row_of[column] = Some(row);
    }

    /// Sets a column free, and the row that had it, which is returned.
    pub fn release(&mut self, column: C) -> Option<R> {
        let row = self.row_of[column].take()?;
        self.column_of[row] = None;
        Some(row)
    }

    /// Matches a free row along a shortest path over the columns that each row has; false if there is none.
    pub fn match_row<I: IntoIterator<Item = C>>(&mut self, row: R, columns: impl Fn(R) -> I) -> bool {
        self.search(row, columns).is_ok()
    }

    /// Matches these rows in this order, those that are matched apart. What a search in vain came to leads to no free column later
    /// either, and is not searched again.
    pub fn match_rows<I: IntoIterator<Item = C>>(
        &mut self,
        rows: impl IntoIterator<Item = R>,
        columns: impl Fn(R) -> I,
    ) {
        let mut is_dead: IndexVec<C, bool> = self.row_of.iter().map(|_| false).collect();
        for row in rows {
            if self.column_of[row].is_none() {
                let in_vain = self.search(row, |row| columns(row).into_iter().filter(|&column| !is_dead[column]));
                let came_to = in_vain.err().into_iter().flatten();
                came_to.filter_map(|row| self.column_of[row]).for_each(|column| is_dead[column] = true);
            }
        }
    }

    /// Matches a free row along a shortest path; otherwise the rows that the search came to.
    fn search<I: IntoIterator<Item = C>>(&mut self, row: R, columns: impl Fn(R) -> I) -> Result<(), Vec<R>> {
        self.searches += 1;
        let (mut came_to, mut next) = (vec![row], 0);
        while let Some(&row) = came_to.get(next) {
            next += 1;
            for column in columns(row) {
                if self.reach(column, row) {
                    match self.row_of[column] {
                        Some(owner) => came_to.push(owner),
                        None => {
                            self.turn(column);
                            return Ok(());
                        }
                    }
                }
            }
        }
        Err(came_to)
    }

    /// Notes that the search comes to a column; false if it was there already.
    fn reach(&mut self, column: C, from: R) -> bool {
        let known = &mut self.came_from[column];
        let is_new = known.0 != self.searches;
        if is_new {
            *known = (self.searches, Some(from));
        }
        is_new
    }

    /// Turns the path that led to a free column.
    fn turn(&mut self, end: C) {
        let mut next = Some(end);
        while let Some(column) = next {
            let row = self.came_from[column].1.expect("a path leads back to its row");
            self.row_of[column] = Some(row);
            next = self.column_of[row].replace(column);
        }
    }
}

/// What alternating paths from `starts` reach, on their own side and on the other: from each vertex over all edges to
/// the other side, from there back to the partner. Both ascend.
///
/// From unmatched vertices these are the parts of A. Dulmage and N. Mendelsohn: too many equations for their variables,
/// or too many variables for their equations (E22 §4.2, in one mode).
pub fn alternating_reach<I: Id, J: Id, N: IntoIterator<Item = J>>(
    starts: impl IntoIterator<Item = I>,
    neighbours: impl Fn(I) -> N,
    partner: impl Fn(J) -> Option<I>,
) -> (Vec<I>, Vec<J>) {
    let mut pending: Vec<I> = starts.into_iter().collect();
    let mut own: FxHashSet<I> = pending.iter().copied().collect();
    let mut others: FxHashSet<J> = FxHashSet::default();
    while let Some(vertex) = pending.pop() {
        for other in neighbours(vertex) {
            if others.insert(other) {
                pending.extend(partner(other).filter(|&next| own.insert(next)));
            }
        }
    }
    (sorted(own), sorted(others))
}

fn sorted<I: Id>(items: FxHashSet<I>) -> Vec<I> {
    let mut items: Vec<I> = items.into_iter().collect();
    items.sort_unstable();
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [&[u32]; 4] = [&[0, 1], &[0], &[1, 0], &[2, 3]];

    fn columns(row: u32) -> impl Iterator<Item = u32> {
        ROWS[row as usize].iter().copied()
    }

    #[test]
    fn the_row_that_depends_on_those_before_it_is_refused() {
        let mut nearest: BipartiteMatching<u32, u32> = BipartiteMatching::new(4, 4);
        let mut together = nearest.clone();
        let accepted: Vec<bool> = nearest.rows().map(|row| nearest.match_row(row, columns)).collect();
        assert_eq!(accepted, [true, true, false, true]);
        together.match_rows(0..4, columns);
        assert_eq!(accepted, together.rows().map(|row| together.column_of(row).is_some()).collect::<Vec<bool>>());
        assert_eq!((nearest.column_of(0), nearest.column_of(1)), (Some(1), Some(0)));
    }

    #[test]
    fn a_released_row_finds_another_column() {
        let mut matching: BipartiteMatching<u32, u32> = BipartiteMatching::new(4, 4);
        matching.pair(3, 2);
        assert_eq!(matching.release(2), Some(3));
        assert!(matching.match_row(3, |row| columns(row).filter(|&column| column != 2)));
        assert_eq!((matching.column_of(3), matching.row_of(2)), (Some(3), None));
    }

    #[test]
    fn parts_are_what_alternating_paths_reach() {
        let mut matching: BipartiteMatching<u32, u32> = BipartiteMatching::new(4, 4);
        for row in matching.rows() {
            matching.match_row(row, columns);
        }
        let unmatched = matching.rows().filter(|&row| matching.column_of(row).is_none());
        let (rows, found) = alternating_reach(unmatched, columns, |column| matching.row_of(column));
        assert_eq!((rows, found), (vec![0, 1, 2], vec![0, 1]));
    }
}
