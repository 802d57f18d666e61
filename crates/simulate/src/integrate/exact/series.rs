//! The solution of a linear system over a short time, as a power series.

use super::field::Field;

/// So many terms are more than enough where the norm of the matrix, times the time, is 1; units that could not be balanced take more.
const MOST_TERMS: usize = 60;

/// The terms of the series at one point: of all components, in units of a time.
#[derive(Default)]
pub(super) struct Series {
    unit: f64,
    size: usize,
    /// Term by term, at the unit of time.
    terms: Vec<f64>,
    /// The largest term of each component so far, at the reach.
    largest: Vec<f64>,
    /// Up to which share of the unit the terms suffice.
    reach: f64,
}

impl Series {
    /// Begins at a point.
    pub fn begin(&mut self, components: &[f64], unit: f64) {
        (self.unit, self.size, self.reach) = (unit, components.len(), 0.0);
        self.terms.clear();
        self.terms.extend_from_slice(components);
    }

    pub fn begin_values(&self) -> &[f64] {
        &self.terms[..self.size]
    }

    /// Makes as many terms as it takes for a time up to this one.
    pub fn reach(&mut self, field: &Field, time: f64) {
        let share = time / self.unit;
        if share <= self.reach || time == 0.0 {
            return;
        }
        self.reach = share;
        self.largest.clear();
        self.largest.resize(self.size, 0.0);
        let (mut power, mut small) = (1.0, 0);
        for number in 0..MOST_TERMS {
            if self.terms.len() == number * self.size {
                self.terms.resize((number + 1) * self.size, 0.0);
                let (before, next) = self.terms.split_at_mut(number * self.size);
                field.multiply(self.unit / number as f64, &before[(number - 1) * self.size..], next);
            }
            let terms = &self.terms[number * self.size..(number + 1) * self.size];
            let mut is_small = true;
            for (largest, term) in self.largest.iter_mut().zip(terms) {
                let term = power * term.abs();
                *largest = largest.max(term);
                is_small &= term <= 0.125 * f64::EPSILON * *largest;
            }
            // Terms of every second number may vanish, as those of a cosine do.
            small = if is_small { small + 1 } else { 0 };
            if small == 2 && number > 1 {
                return;
            }
            power *= share;
        }
    }

    /// How many terms there are.
    pub fn term_count(&self) -> usize {
        self.terms.len() / self.size
    }

    /// A combination of components up to a time within reach, times a factor: the polynomial in shares of that time.
    pub fn along(&self, row: &[(u32, f64)], factor: f64, time: f64, polynomial: &mut Vec<f64>) {
        let (share, mut power) = (time / self.unit, factor);
        polynomial.clear();
        for terms in self.terms.chunks_exact(self.size) {
            polynomial.push(power * row.iter().map(|&(column, value)| value * terms[column as usize]).sum::<f64>());
            power *= share;
        }
    }

    /// The components after a time within reach.
    pub fn value(&self, time: f64, components: &mut [f64]) {
        self.change(time, components);
        components.iter_mut().zip(self.begin_values()).for_each(|(place, begin)| *place += begin);
    }

    /// What they change by until then.
    pub fn change(&self, time: f64, components: &mut [f64]) {
        let share = time / self.unit;
        components.fill(0.0);
        for terms in self.terms.chunks_exact(self.size).skip(1).rev() {
            components.iter_mut().zip(terms).for_each(|(place, term)| *place = (*place + term) * share);
        }
    }
}
