//! How long rounding of an exact solution stays small.
//!
//! The matrix of a field is known to rounding of its largest entries, and so are all rates: after a time `t`, what is slow is wrong by a share
//! of `ε ‖M‖ t`. Other methods, whose steps become long when all that is fast has died away, lose less. But nothing is lost that is not
//! there any more: what a system forgets it need not know exactly, and where the fast part goes on, nobody's steps are longer.

use super::exponentials::of_unit;
use super::field::Field;

/// What is fast goes on where solutions still change by this share of how fast the field is.
const ALIVE: f64 = 0.1;
/// Doublings of the time until which rounding is small: more than there are numbers.
const MOST_DOUBLINGS: usize = 60;
/// Whether a matrix makes all shorter is seen after so many squarings, in whatever units: then its entries are less than `VANISHED`.
const SQUARINGS: usize = 10;
const VANISHED: f64 = f64::from_bits((1023 - 512) << 52);

impl Field {
    /// How long rounding stays below a share of the solution, whatever the solution is.
    pub fn rounds_within(&self, share: f64) -> f64 {
        share / (f64::EPSILON * self.speed())
    }

    /// How long it stays as small as it is after this time: for ever where all is forgotten until then, or the fast part goes on.
    pub fn rounds_alike_until(&self, time: f64) -> f64 {
        if self.fastest_wave() >= ALIVE * self.speed() {
            return f64::INFINITY;
        }
        if !self.has_exponentials() {
            return if self.rings() { f64::INFINITY } else { time };
        }
        let count = self.states();
        let unit = self.short_time();
        let (size, all) = (self.size(), of_unit(self, unit));
        let mut change: Vec<f64> = all.chunks_exact(size).take(count).flat_map(|row| row[..count].to_vec()).collect();
        let mut reached = unit;
        while reached < time {
            change = doubled(&change, count);
            reached *= 2.0;
        }
        for _ in 0..MOST_DOUBLINGS {
            if forgets(&change, count) {
                return f64::INFINITY;
            }
            if !self.is_alive(&change) {
                return reached.max(time);
            }
            change = doubled(&change, count);
            reached *= 2.0;
        }
        f64::INFINITY
    }

    /// Whether solutions still change as fast as the field is, after a time of which this is the exponential without the identity.
    fn is_alive(&self, change: &[f64]) -> bool {
        let (count, units) = (self.states(), self.units());
        let (mut slopes, mut values) = (0.0f64, 0.0f64);
        for row in 0..count {
            let (mut slope, mut value) = (0.0, 0.0);
            for column in 0..count {
                let at = |row: usize| change[row * count + column] + f64::from(row == column);
                let unit = units[column] / units[row];
                let terms = self.row(row).iter().filter(|it| (it.0 as usize) < count);
                slope += unit * terms.map(|&(other, factor)| factor * at(other as usize)).sum::<f64>().abs();
                value += unit * at(row).abs();
            }
            (slopes, values) = (slopes.max(slope), values.max(value));
        }
        slopes >= ALIVE * self.speed() * values
    }
}

/// `(1 + p)^2 - 1`.
fn doubled(change: &[f64], count: usize) -> Vec<f64> {
    let mut next = product(change, change, count);
    next.iter_mut().zip(change).for_each(|(place, entry)| *place += 2.0 * entry);
    next
}

fn product(one: &[f64], other: &[f64], count: usize) -> Vec<f64> {
    let mut product = vec![0.0; count * count];
    for (row, place) in one.chunks_exact(count).zip(product.chunks_exact_mut(count)) {
        for (&factor, other) in row.iter().zip(other.chunks_exact(count)).filter(|it| *it.0 != 0.0) {
            place.iter_mut().zip(other).for_each(|(place, entry)| *place += factor * entry);
        }
    }
    product
}

/// Whether the exponential of which this is the change makes all solutions shorter, by a third or more.
fn forgets(change: &[f64], count: usize) -> bool {
    let mut power = change.to_vec();
    (0..count).for_each(|at| power[at * count + at] += 1.0);
    for _ in 0..SQUARINGS {
        power = product(&power, &power, count);
    }
    power.iter().all(|entry| entry.abs() <= VANISHED)
}

#[cfg(test)]
mod tests {
    use super::super::field::{FieldBuilder, Wave};
    use super::*;

    fn two(entries: [[f64; 2]; 2]) -> Field {
        let mut builder = FieldBuilder::new(2, 0);
        for (row, entries) in entries.into_iter().enumerate() {
            entries.into_iter().enumerate().for_each(|(column, entry)| builder.state(row, column, entry));
        }
        builder.build()
    }

    #[test]
    fn what_is_slow_beside_what_is_fast_is_lost_in_time() {
        let field = two([[-1e9, 1e9], [0.0, -1e-6]]);
        let time = field.rounds_within(1e-8);
        assert!((0.01..1.0).contains(&time), "{time}");
        let until = field.rounds_alike_until(time);
        assert!((time..2.0 * time).contains(&until), "{until}");
    }

    #[test]
    fn what_is_forgotten_soon_enough_is_never_lost() {
        let damped = two([[-1e9, 1e9], [0.0, -1e3]]);
        assert_eq!(damped.rounds_alike_until(damped.rounds_within(1e-8)), f64::INFINITY);
        // In other units too.
        let ringing = two([[0.0, 1e14], [-1e2, -1e3]]);
        assert_eq!(ringing.rounds_alike_until(ringing.rounds_within(1e-8)), f64::INFINITY);
    }

    #[test]
    fn what_rings_on_is_followed_exactly_for_ever() {
        let ringing = two([[0.0, 1e12], [-1.0, 0.0]]);
        assert_eq!(ringing.rounds_alike_until(ringing.rounds_within(1e-8)), f64::INFINITY);
        let mut builder = FieldBuilder::new(1, 0);
        builder.wave(0, Wave { power: 0, rate: 0.0, frequency: 1e9 }, 1.0, 0.0);
        let driven = builder.build();
        assert_eq!(driven.rounds_alike_until(driven.rounds_within(1e-8)), f64::INFINITY);
    }
}
