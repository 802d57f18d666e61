//! Exponentials of the matrix of a field, for a unit of time and its doublings.

use std::sync::Arc;

use super::field::Field;
use super::series::Series;

/// So many doublings at most: what is longer is made of several steps.
const MOST_DOUBLINGS: usize = 40;

/// `exp(M 2^k u) - 1` for `k = 0, 1, …`, as far as they were needed.
pub struct Exponentials {
    field: Arc<Field>,
    unit: f64,
    /// Row by row.
    powers: Vec<Vec<f64>>,
}

impl Exponentials {
    pub(super) fn of(field: &Arc<Field>) -> Self {
        Exponentials { field: field.clone(), unit: field.short_time(), powers: Vec::new() }
    }

    pub(super) fn are_of(&self, field: &Arc<Field>) -> bool {
        Arc::ptr_eq(&self.field, field)
    }

    /// How many units a time has, and what is left of it.
    pub(super) fn units(&self, time: f64) -> (u64, f64) {
        let units = (time / self.unit).floor().min((1u64 << MOST_DOUBLINGS) as f64);
        (units as u64, (time - units * self.unit).max(0.0))
    }

    /// Moves components on by so many units.
    pub(super) fn apply(&mut self, units: u64, components: &mut [f64], spare: &mut [f64]) {
        for doubling in (0..MOST_DOUBLINGS).filter(|doubling| units >> doubling & 1 == 1) {
            self.make(doubling);
            let power = &self.powers[doubling];
            for (place, row) in spare.iter_mut().zip(power.chunks_exact(components.len())) {
                *place = row.iter().zip(&*components).map(|(entry, value)| entry * value).sum();
            }
            components.iter_mut().zip(&*spare).for_each(|(place, change)| *place += change);
        }
    }

    fn make(&mut self, doubling: usize) {
        let size = self.field.size();
        if self.powers.is_empty() {
            self.powers.push(of_unit(&self.field, self.unit));
        }
        while self.powers.len() <= doubling {
            let last = &self.powers[self.powers.len() - 1];
            // Without the identity, nothing of what is slow is lost by rounding beside it: (1 + p)^2 = 1 + 2 p + p^2.
            let mut next: Vec<f64> = last.iter().map(|entry| 2.0 * entry).collect();
            for (row, place) in last.chunks_exact(size).zip(next.chunks_exact_mut(size)) {
                for (&factor, other) in row.iter().zip(last.chunks_exact(size)).filter(|it| *it.0 != 0.0) {
                    place.iter_mut().zip(other).for_each(|(place, entry)| *place += factor * entry);
                }
            }
            self.powers.push(next);
        }
    }
}

/// The exponential of one unit without the identity, row by row, made column by column by its series.
pub(super) fn of_unit(field: &Field, unit: f64) -> Vec<f64> {
    let size = field.size();
    let mut power = vec![0.0; size * size];
    let (mut begin, mut column) = (vec![0.0; size], vec![0.0; size]);
    let mut series = Series::default();
    for number in 0..size {
        begin.fill(0.0);
        begin[number] = 1.0;
        series.begin(&begin, unit);
        series.reach(field, unit);
        series.change(unit, &mut column);
        column.iter().enumerate().for_each(|(row, value)| power[row * size + number] = *value);
    }
    power
}
