//! Guards of what a mode leaves free: conditions on undetermined quantities, and what follows from them for determined ones.
//!
//! In a singular mode, conditions `s + S y >= 0` contain free quantities `y`, of which none has a value. The mode may stay as
//! long as *some* `y` satisfies them all, which by Farkas is so if `uᵀs >= 0` for all extreme rays `u` of the cone
//! `u >= 0`, `Sᵀu = 0`; each `uᵀs` is determined. Of a bridge whose four diodes all block, the rays say that the voltage of the
//! source is below that of the filter, in both directions; of a body on feet, that the resultant is inside its base. A
//! condition that no ray contains never objects: a diode beside a closed switch.
//!
//! Rays come by the method of Chernikova, one column of `S` after the other: positive and negative combinations are joined
//! so that the column vanishes, and those of minimal support are kept.

use std::collections::BTreeSet;

use super::guard_series::{GuardSeries, Sign};
use crate::one_change::Noise;

/// Conditions with their weights, all positive: a combination without free quantities.
pub type Ray = Vec<(usize, f64)>;

/// Shares of free quantities below this, relative to the largest, are none.
const ZERO: f64 = 1e-9;

/// More rays of one component than this are not looked for: what was met in circuits is nine.
pub const MOST_RAYS: usize = 4096;

/// The extreme rays of `u >= 0`, `Sᵀu = 0`, where `rows` are those of `S`; nothing where they are more than can be handled.
pub fn extreme_rays(rows: &[Vec<f64>]) -> Option<Vec<Ray>> {
    let mut rays = Vec::new();
    for component in components(rows) {
        rays.extend(rays_of(rows, &component)?);
    }
    rays.sort_by(|a, b| a.iter().map(|it| it.0).cmp(b.iter().map(|it| it.0)));
    Some(rays)
}

/// Conditions that share a free quantity, directly or through others.
fn components(rows: &[Vec<f64>]) -> Vec<Vec<usize>> {
    let mut found: Vec<(BTreeSet<usize>, Vec<usize>)> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let mut columns: BTreeSet<usize> = (0..row.len()).filter(|&k| row[k] != 0.0).collect();
        let mut members = vec![number];
        let (joined, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|it| !it.0.is_disjoint(&columns));
        found = others;
        for (more_columns, more_members) in joined {
            columns.extend(more_columns);
            members.extend(more_members);
        }
        members.sort_unstable();
        found.push((columns, members));
    }
    found.into_iter().map(|(_, members)| members).collect()
}

/// A combination of conditions on its way: what it is made of, and the free quantities that are left in it.
#[derive(Clone)]
struct Combination {
    support: BTreeSet<usize>,
    weights: Vec<f64>,
    rest: Vec<f64>,
}

fn rays_of(rows: &[Vec<f64>], members: &[usize]) -> Option<Vec<Ray>> {
    let columns = rows.first().map_or(0, Vec::len);
    let unit = |(at, &member): (usize, &usize)| {
        let size = rows[member].iter().fold(0.0, |size: f64, value| size.max(value.abs())).max(f64::MIN_POSITIVE);
        let mut weights = vec![0.0; members.len()];
        weights[at] = 1.0 / size;
        let rest = rows[member].iter().map(|value| value / size).collect();
        Combination { support: BTreeSet::from([at]), weights, rest }
    };
    let mut rays: Vec<Combination> = members.iter().enumerate().map(unit).collect();
    for column in 0..columns {
        let (zero, others): (Vec<_>, Vec<_>) = rays.into_iter().partition(|it| it.rest[column].abs() <= ZERO);
        let (positive, negative): (Vec<_>, Vec<_>) = others.into_iter().partition(|it| it.rest[column] > 0.0);
        let mut next = zero;
        let mut joined: Vec<Combination> = Vec::new();
        for a in &positive {
            for b in &negative {
                joined.push(joined_at(a, b, column));
                if next.len() + joined.len() > MOST_RAYS * 16 {
                    return None;
                }
            }
        }
        joined.sort_by_key(|it| it.support.len());
        for it in joined {
            if !next.iter().any(|known| known.support.is_subset(&it.support)) {
                next.push(it);
            }
        }
        if next.len() > MOST_RAYS {
            return None;
        }
        rays = next;
    }
    let ray = |it: Combination| it.support.iter().map(|&at| (members[at], it.weights[at])).collect();
    Some(rays.into_iter().map(ray).collect())
}

/// The combination of two in which one more free quantity vanishes, scaled to 1.
fn joined_at(a: &Combination, b: &Combination, column: usize) -> Combination {
    let (wa, wb) = (b.rest[column].abs(), a.rest[column].abs());
    let sum = |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| wa * x + wb * y).collect() };
    let (mut weights, mut rest) = (sum(&a.weights, &b.weights), sum(&a.rest, &b.rest));
    let size = wa + wb;
    weights.iter_mut().chain(rest.iter_mut()).for_each(|value| *value /= size);
    rest[column] = 0.0;
    Combination { support: a.support.union(&b.support).copied().collect(), weights, rest }
}

impl GuardSeries {
    /// The series of a combination of guards.
    pub fn combined<'a>(parts: impl IntoIterator<Item = (f64, &'a GuardSeries)>) -> GuardSeries {
        let mut sum = GuardSeries::default();
        for (weight, part) in parts {
            let size = weight.abs();
            let lists = [
                (&mut sum.weights, &part.weights, weight),
                (&mut sum.derivatives, &part.derivatives, weight),
                (&mut sum.terms, &part.terms, size),
            ];
            for (list, own, weight) in lists {
                if list.len() < own.len() {
                    list.resize(own.len(), 0.0);
                }
                list.iter_mut().zip(own).for_each(|(sum, value)| *sum += weight * value);
            }
            sum.size += weight.abs() * part.size;
        }
        sum.forget_cancelled();
        sum
    }

    /// Weights that cancel are none.
    fn forget_cancelled(&mut self) {
        let largest = self.weights.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        for weight in &mut self.weights {
            if weight.abs() <= ZERO * largest {
                *weight = 0.0;
            }
        }
    }

    /// Whether a combination that must not be negative is: the term that says so.
    pub fn is_negative(&self, noise: &Noise) -> Option<Sign> {
        Some(self.sign(noise)).filter(|sign| !sign.allows_positive())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supports(rows: &[Vec<f64>]) -> Vec<Vec<usize>> {
        let rays = extreme_rays(rows).expect("few");
        rays.iter().map(|ray| ray.iter().map(|it| it.0).collect()).collect()
    }

    /// Every ray is positive and leaves nothing free.
    fn check(rows: &[Vec<f64>]) {
        for ray in extreme_rays(rows).expect("few") {
            assert!(ray.iter().all(|it| it.1 > 0.0));
            let mut left = vec![0.0; rows[0].len()];
            for &(at, weight) in &ray {
                left.iter_mut().zip(&rows[at]).for_each(|(sum, share)| *sum += weight * share);
            }
            assert!(left.iter().all(|sum| sum.abs() < 1e-12), "{ray:?}: {left:?}");
        }
    }

    #[test]
    fn a_floating_potential_between_four_blocking_diodes_has_four_pairs() {
        let rows = [vec![-1.0], vec![-1.0], vec![1.0], vec![2.0]];
        assert_eq!(supports(&rows), [vec![0, 2], vec![0, 3], vec![1, 2], vec![1, 3]]);
        check(&rows);
    }

    #[test]
    fn a_condition_that_can_always_be_satisfied_is_in_no_ray() {
        assert_eq!(supports(&[vec![1.0], vec![3.0]]), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn what_contains_nothing_free_is_a_ray_of_its_own() {
        assert_eq!(supports(&[vec![0.0], vec![1.0], vec![-1.0]]), [vec![0], vec![1, 2]]);
    }

    #[test]
    fn two_free_quantities_are_eliminated_one_after_the_other() {
        // A body on three feet, with two redundant forces: a ring of conditions.
        let rows = [vec![1.0, 0.0], vec![-1.0, 1.0], vec![0.0, -1.0], vec![0.0, -2.0]];
        assert_eq!(supports(&rows), [vec![0, 1, 2], vec![0, 1, 3]]);
        check(&rows);
    }

    #[test]
    fn independent_parts_do_not_multiply() {
        let mut rows = Vec::new();
        for part in 0..30 {
            for value in [1.0, -1.0] {
                let mut row = vec![0.0; 30];
                row[part] = value;
                rows.push(row);
            }
        }
        assert_eq!(supports(&rows).len(), 30);
    }
}
