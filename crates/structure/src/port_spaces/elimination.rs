//! Sparse Gaussian elimination that remembers how it came to its rows.
//!
//! Pivots are taken where few rows have a column, so that chains and trees of local parts stay local. An entry is zero
//! where it is small compared with what it was computed from: there is no scale of the whole matrix, and units of the
//! model do not matter.

use std::collections::{BTreeMap, BTreeSet};

/// An entry this small, compared with the terms that cancelled, is zero. Entries of networks are at least 1e-2 or
/// at most 5e-16 in this measure.
const NOISE: f64 = 1e-9;
/// A pivot is at least this part of the largest entry of its row, where the column has such a row.
const LEAST_PIVOT: f64 = 1e-3;
/// More operations than this for each entry, and this many besides, are not done: the matrix fills up.
const MOST_WORK_PER_ENTRY: usize = 400;
const MOST_WORK: usize = 2_000_000;

/// A number with the size of what it was computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) value: f64,
    size: f64,
}

impl Entry {
    pub(super) fn new(value: f64) -> Entry {
        Entry { value, size: value.abs() }
    }

    pub(super) fn is_zero(self) -> bool {
        self.value.abs() <= NOISE * self.size
    }

    /// `self - factor * other`
    pub(super) fn minus(self, factor: f64, other: Entry) -> Entry {
        Entry { value: self.value - factor * other.value, size: self.size.max((factor * other.size).abs()) }
    }

    pub(super) fn times(self, factor: f64) -> Entry {
        Entry { value: self.value * factor, size: (self.size * factor).abs() }
    }
}

/// A sparse vector, by ascending column.
pub(super) type Sparse = Vec<(u32, f64)>;

/// A pivot with its row, divided by the pivot: the row has no column of an earlier pivot.
#[derive(Debug)]
struct Step {
    row: u32,
    column: u32,
    /// What the row was divided by.
    pivot: f64,
    /// Without the pivot.
    entries: Vec<(u32, Entry)>,
}

/// Rows in echelon form.
#[derive(Debug)]
pub(super) struct Elimination {
    steps: Vec<Step>,
    step_of: Vec<u32>,
    /// By row: which steps were subtracted from it, how often.
    history: Vec<Vec<(u32, f64)>>,
    /// Rows that vanished.
    pub(super) dependent: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl Elimination {
    /// Eliminates; nothing where that fills the matrix up.
    pub(super) fn of(rows: &[Sparse], columns: usize) -> Option<Elimination> {
        Work::new(rows, columns).eliminated()
    }

    pub(super) fn is_pivot(&self, column: u32) -> bool {
        self.step_of[column as usize] != FREE
    }

    /// The rows of a basis, by ascending column.
    pub(super) fn basis(&self) -> impl Iterator<Item = Sparse> {
        self.steps.iter().map(|step| {
            let mut row: Sparse = step.entries.iter().map(|&(column, entry)| (column, entry.value)).collect();
            row.push((step.column, 1.0));
            row.sort_unstable_by_key(|&(column, _)| column);
            row
        })
    }

    /// What is left of a row modulo the rows, and which of these must be added up to what was taken away.
    pub(super) fn reduced(&self, row: &[(u32, f64)]) -> (Sparse, Sparse) {
        let (left, taken) = self.left_and_taken(row);
        (left, self.of_rows(&taken))
    }

    /// What is left of a row modulo the rows. What was taken away may be as long as the model, where this is short.
    pub(super) fn remainder(&self, row: &[(u32, f64)]) -> Sparse {
        self.left_and_taken(row).0
    }

    /// What is left of a row, and the steps that were taken away from it.
    fn left_and_taken(&self, row: &[(u32, f64)]) -> (Sparse, Vec<(u32, f64)>) {
        let key = |column: u32| (self.step_of[column as usize], column);
        let mut left: BTreeMap<(u32, u32), Entry> =
            row.iter().map(|&(column, value)| (key(column), Entry::new(value))).collect();
        let mut taken = Vec::new();
        while let Some((&(at, column), &entry)) = left.first_key_value() {
            if at == FREE {
                break;
            }
            left.remove(&(at, column));
            if entry.is_zero() {
                continue;
            }
            taken.push((at, entry.value));
            for &(column, other) in &self.steps[at as usize].entries {
                let sum = left.entry(key(column)).or_insert(Entry { value: 0.0, size: 0.0 });
                *sum = sum.minus(entry.value, other);
            }
        }
        let left = left.into_iter().filter(|(_, entry)| !entry.is_zero());
        (left.map(|((_, column), entry)| (column, entry.value)).collect(), taken)
    }

    /// The combination of rows that vanishes because of a dependent one, whose own weight is 1.
    pub(super) fn dependency(&self, row: u32) -> Sparse {
        let mut weights = self.of_rows(&self.history[row as usize]);
        weights.iter_mut().for_each(|(_, weight)| *weight = -*weight);
        match weights.binary_search_by_key(&row, |&(at, _)| at) {
            Ok(at) => weights[at].1 += 1.0,
            Err(at) => weights.insert(at, (row, 1.0)),
        }
        weights
    }

    /// A combination of steps as one of the rows that were given.
    fn of_rows(&self, taken: &[(u32, f64)]) -> Sparse {
        let mut pending: BTreeMap<u32, Entry> = taken.iter().map(|&(at, weight)| (at, Entry::new(weight))).collect();
        let mut weights = Vec::new();
        while let Some((at, weight)) = pending.pop_last() {
            if weight.is_zero() {
                continue;
            }
            let step = &self.steps[at as usize];
            let weight = weight.times(1.0 / step.pivot);
            weights.push((step.row, weight.value));
            for &(earlier, factor) in &self.history[step.row as usize] {
                let sum = pending.entry(earlier).or_insert(Entry { value: 0.0, size: 0.0 });
                *sum = sum.minus(factor, weight);
            }
        }
        weights.sort_unstable_by_key(|&(row, _)| row);
        weights
    }

    /// Where each column occurs beside a pivot.
    pub(super) fn uses(&self) -> Vec<Vec<u32>> {
        let mut uses = vec![Vec::new(); self.step_of.len()];
        for (at, step) in self.steps.iter().enumerate() {
            step.entries.iter().for_each(|&(column, _)| uses[column as usize].push(at as u32));
        }
        uses
    }

    /// The vector on which all rows vanish, from its values at columns without a pivot.
    pub(super) fn kernel_vector(&self, uses: &[Vec<u32>], free: &[(u32, f64)]) -> Sparse {
        let mut values: BTreeMap<u32, f64> = free.iter().copied().collect();
        let mut pending: BTreeSet<u32> = BTreeSet::new();
        free.iter().for_each(|&(column, _)| pending.extend(&uses[column as usize]));
        while let Some(at) = pending.pop_last() {
            let step = &self.steps[at as usize];
            let mut sum = Entry { value: 0.0, size: 0.0 };
            for &(column, entry) in &step.entries {
                if let Some(&value) = values.get(&column) {
                    sum = sum.minus(value, entry);
                }
            }
            if !sum.is_zero() {
                values.insert(step.column, sum.value);
                pending.extend(&uses[step.column as usize]);
            }
        }
        values.into_iter().collect()
    }
}

/// An elimination under way.
struct Work {
    rows: Vec<Vec<(u32, Entry)>>,
    /// Rows that are not used up and have, or had, this column.
    rows_of: Vec<BTreeSet<u32>>,
    /// Columns by how many rows have them.
    queue: BTreeSet<(u32, u32)>,
    history: Vec<Vec<(u32, f64)>>,
    budget: usize,
}

impl Work {
    fn new(rows: &[Sparse], columns: usize) -> Work {
        let mut rows_of: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); columns];
        for (row, entries) in rows.iter().enumerate() {
            entries.iter().for_each(|&(column, _)| {
                rows_of[column as usize].insert(row as u32);
            });
        }
        let counted = rows_of.iter().enumerate().filter(|(_, rows)| !rows.is_empty());
        let queue = counted.map(|(column, rows)| (rows.len() as u32, column as u32)).collect();
        let entry = |&(column, value): &(u32, f64)| (column, Entry::new(value));
        Work {
            rows: rows.iter().map(|row| row.iter().map(entry).collect()).collect(),
            rows_of,
            queue,
            history: vec![Vec::new(); rows.len()],
            budget: MOST_WORK + MOST_WORK_PER_ENTRY * rows.iter().map(Vec::len).sum::<usize>(),
        }
    }

    fn eliminated(mut self) -> Option<Elimination> {
        let mut steps = Vec::new();
        let mut step_of = vec![FREE; self.rows_of.len()];
        let mut used = vec![false; self.rows.len()];
        while let Some((_, column)) = self.queue.pop_first() {
            let row = self.pivot_row(column);
            let step = self.take(row, column);
            used[row as usize] = true;
            step_of[column as usize] = steps.len() as u32;
            let others: Vec<u32> = std::mem::take(&mut self.rows_of[column as usize]).into_iter().collect();
            for other in others {
                self.subtract(other, &step, steps.len() as u32)?;
            }
            steps.push(step);
        }
        let dependent = (0..used.len()).filter(|&row| !used[row]).map(|row| row as u32).collect();
        Some(Elimination { steps, step_of, history: self.history, dependent })
    }

    /// The shortest row whose entry is not too small beside the others.
    fn pivot_row(&self, column: u32) -> u32 {
        let rated = self.rows_of[column as usize].iter().map(|&row| {
            let entries = &self.rows[row as usize];
            let largest = entries.iter().map(|(_, entry)| entry.value.abs()).fold(0.0, f64::max);
            let own = entries.iter().find(|(at, _)| *at == column).map_or(0.0, |(_, entry)| entry.value.abs());
            (own < LEAST_PIVOT * largest, entries.len(), row)
        });
        rated.min().expect("a column in the queue has rows").2
    }

    /// Takes a row out of the matrix, divided by its pivot.
    fn take(&mut self, row: u32, column: u32) -> Step {
        let entries = std::mem::take(&mut self.rows[row as usize]);
        let pivot = entries.iter().find(|(at, _)| *at == column).map_or(1.0, |(_, entry)| entry.value);
        let others = entries.into_iter().filter(|(at, _)| *at != column);
        let entries: Vec<(u32, Entry)> = others.map(|(at, entry)| (at, entry.times(1.0 / pivot))).collect();
        entries.iter().for_each(|&(at, _)| self.remove(row, at));
        self.rows_of[column as usize].remove(&row);
        Step { row, column, pivot, entries }
    }

    fn remove(&mut self, row: u32, column: u32) {
        let rows = &mut self.rows_of[column as usize];
        self.queue.remove(&(rows.len() as u32, column));
        rows.remove(&row);
        if !rows.is_empty() {
            self.queue.insert((rows.len() as u32, column));
        }
    }

    fn insert(&mut self, row: u32, column: u32) {
        let rows = &mut self.rows_of[column as usize];
        self.queue.remove(&(rows.len() as u32, column));
        rows.insert(row);
        self.queue.insert((rows.len() as u32, column));
    }

    /// Subtracts a step from a row so that its column vanishes there.
    fn subtract(&mut self, row: u32, step: &Step, at: u32) -> Option<()> {
        let old = std::mem::take(&mut self.rows[row as usize]);
        self.budget = self.budget.checked_sub(old.len() + step.entries.len())?;
        let mut sums: BTreeMap<u32, Entry> = old.iter().copied().collect();
        let factor = sums.remove(&step.column).map_or(0.0, |entry| entry.value);
        for &(column, entry) in &step.entries {
            let before = sums.get(&column).copied();
            let sum = before.unwrap_or(Entry { value: 0.0, size: 0.0 }).minus(factor, entry);
            match (before.is_some(), sum.is_zero()) {
                (true, true) => {
                    sums.remove(&column);
                    self.remove(row, column);
                }
                (false, true) => {}
                (known, false) => {
                    sums.insert(column, sum);
                    if !known {
                        self.insert(row, column);
                    }
                }
            }
        }
        self.history[row as usize].push((at, factor));
        self.rows[row as usize] = sums.into_iter().collect();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependent_row_is_told_with_its_combination() {
        let rows: Vec<Sparse> =
            vec![vec![(0, 1.0), (1, 2.0)], vec![(1, 1.0), (2, 1e-6)], vec![(0, 2.0), (1, 5.0), (2, 1e-6)]];
        let elimination = Elimination::of(&rows, 3).expect("a small matrix");
        let &[row] = elimination.dependent.as_slice() else { panic!("one row depends: {elimination:?}") };
        let mut sum = [0.0; 3];
        for (at, weight) in elimination.dependency(row) {
            rows[at as usize].iter().for_each(|&(column, value)| sum[column as usize] += weight * value);
        }
        assert!(sum.iter().all(|value| value.abs() < 1e-12), "{sum:?}");
    }

    #[test]
    fn a_kernel_vector_satisfies_all_rows() {
        let rows: Vec<Sparse> = vec![vec![(0, 1.0), (1, -1.0), (3, 2.0)], vec![(1, 3.0), (2, 1.0), (3, -1.0)]];
        let elimination = Elimination::of(&rows, 4).expect("a small matrix");
        let free: Vec<u32> = (0..4).filter(|&column| !elimination.is_pivot(column)).collect();
        assert_eq!(free.len(), 2);
        let uses = elimination.uses();
        for column in free {
            let vector = elimination.kernel_vector(&uses, &[(column, 1.0)]);
            for row in &rows {
                let value = |at: u32| vector.iter().find(|(column, _)| *column == at).map_or(0.0, |it| it.1);
                let sum: f64 = row.iter().map(|&(column, factor)| factor * value(column)).sum();
                assert!(sum.abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_row_of_the_span_reduces_to_nothing() {
        let rows: Vec<Sparse> = vec![vec![(0, 1.0), (1, 1.0)], vec![(1, 1.0), (2, 1.0)]];
        let elimination = Elimination::of(&rows, 3).expect("a small matrix");
        let (left, of) = elimination.reduced(&[(0, 1.0), (2, -1.0)]);
        assert!(left.is_empty());
        assert_eq!(of, [(0, 1.0), (1, -1.0)]);
    }
}
