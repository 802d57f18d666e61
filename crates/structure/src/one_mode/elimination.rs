//! Which combinations of sparse vectors vanish: Gaussian elimination, shortest vectors first, with bounded multipliers.
//!
//! Taken one after the other along a network, vectors would be solved for what comes next, and next again: a march, in which
//! rounding doubles with every step. So the shortest vector that is left is always next, at the place that fewest others have, as in
//! sparse factorisations of regular matrices. What a vector is made of is put together only where little of it is left: along a
//! network, that is all of it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rustc_hash::FxHashMap;

/// Combinations whose entries are smaller than this, with rows and columns scaled to 1, vanish. What was met in circuits was at least
/// 1e-2 or at most 5e-16.
pub(super) const ZERO: f64 = 1e-9;
/// Where more than this share of a vector is left, it does not vanish.
const LITTLE: f64 = 1e-2;
/// What is left of a combination with large weights is known up to this share of them, three digits above rounding.
const ROUNDING: f64 = 1e-13;
/// A pivot is at least this share of the largest entry at its place, so that no multiplier is more than its inverse.
const PIVOT: f64 = 0.1;

/// A place in a vector.
pub(super) type Key = (u32, u32);

/// A basis of the combinations of vectors that vanish.
pub(super) fn vanishing_combinations(vectors: &[Vec<(Key, f64)>]) -> Vec<BTreeMap<u32, f64>> {
    let mut elimination = Elimination::of(vectors);
    let mut vanishing = Vec::new();
    while let Some(at) = elimination.shortest() {
        match elimination.vanishing(at) {
            Some(combination) => vanishing.push(combination),
            None => elimination.eliminate(at),
        }
    }
    vanishing
}

/// A vector, less multiples of pivot vectors by their numbers.
#[derive(Default)]
struct Rest {
    entries: BTreeMap<Key, f64>,
    less: Vec<(u32, f64)>,
    /// The largest entry that it began with.
    size: f64,
    is_done: bool,
}

struct Elimination {
    rests: Vec<Rest>,
    /// Vectors with an entry at a place, and perhaps some that have none any more.
    users: FxHashMap<Key, Vec<u32>>,
    /// By length; a vector is here once more for each length that it had.
    queue: BinaryHeap<Reverse<(usize, u32)>>,
    /// The vectors that were pivots, in turn.
    pivots: Vec<u32>,
}

impl Elimination {
    fn of(vectors: &[Vec<(Key, f64)>]) -> Elimination {
        let mut users: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
        let mut rests: Vec<Rest> = Vec::with_capacity(vectors.len());
        for (at, vector) in vectors.iter().enumerate() {
            let mut rest = Rest::default();
            vector.iter().for_each(|&(key, value)| *rest.entries.entry(key).or_default() += value);
            rest.entries.keys().for_each(|&key| users.entry(key).or_default().push(at as u32));
            rest.size = largest(rest.entries.values());
            rests.push(rest);
        }
        let queue = rests.iter().enumerate().map(|(at, rest)| Reverse((rest.entries.len(), at as u32))).collect();
        Elimination { rests, users, queue, pivots: Vec::new() }
    }

    /// The shortest vector that is left; it is not left any more.
    fn shortest(&mut self) -> Option<u32> {
        while let Some(Reverse((length, at))) = self.queue.pop() {
            let rest = &mut self.rests[at as usize];
            if !rest.is_done && rest.entries.len() == length {
                rest.is_done = true;
                return Some(at);
            }
        }
        None
    }

    /// The combination of which a vector is what is left, if that is nothing.
    fn vanishing(&self, at: u32) -> Option<BTreeMap<u32, f64>> {
        let rest = &self.rests[at as usize];
        let left = largest(rest.entries.values());
        if left > LITTLE * rest.size {
            return None;
        }
        let mut combination = self.combination(at);
        let weights = largest(combination.values());
        let vanishes = left <= (ZERO * rest.size).max(ROUNDING * weights);
        vanishes.then(|| {
            combination.retain(|_, weight| weight.abs() > ZERO * weights);
            combination
        })
    }

    /// What is left of a vector as a combination of vectors.
    fn combination(&self, at: u32) -> BTreeMap<u32, f64> {
        let mut combination = BTreeMap::from([(at, 1.0)]);
        let mut pending: BTreeMap<u32, f64> = BTreeMap::new();
        let less = |pending: &mut BTreeMap<u32, f64>, of: u32, weight: f64| {
            for &(number, factor) in &self.rests[of as usize].less {
                *pending.entry(number).or_default() -= weight * factor;
            }
        };
        less(&mut pending, at, 1.0);
        // A pivot vector has multiples of those before it, so that the last one has all its weight.
        while let Some((number, weight)) = pending.pop_last() {
            let of = self.pivots[number as usize];
            *combination.entry(of).or_default() += weight;
            less(&mut pending, of, weight);
        }
        combination
    }

    /// Takes multiples of a vector from all others that are left, so that they vanish at one of its places.
    fn eliminate(&mut self, at: u32) {
        let (key, users) = self.pivot_of(at);
        let pivot = std::mem::take(&mut self.rests[at as usize].entries);
        let number = self.pivots.len() as u32;
        self.pivots.push(at);
        for user in users {
            let rest = &mut self.rests[user as usize];
            let Some(value) = rest.entries.remove(&key) else { continue };
            let factor = value / pivot[&key];
            for (&place, &value) in pivot.iter().filter(|it| *it.0 != key) {
                let entry = rest.entries.entry(place).or_insert_with(|| {
                    self.users.entry(place).or_default().push(user);
                    0.0
                });
                *entry -= factor * value;
                if entry.abs() <= f64::EPSILON * (factor * value).abs() {
                    rest.entries.remove(&place);
                }
            }
            rest.less.push((number, factor));
            self.queue.push(Reverse((rest.entries.len(), user)));
        }
    }

    /// The place at which to solve a vector, and the vectors that are left there.
    fn pivot_of(&mut self, at: u32) -> (Key, Vec<u32>) {
        let mut best: Option<(bool, usize, f64, Key)> = None;
        let keys: Vec<(Key, f64)> = self.rests[at as usize].entries.iter().map(|(&key, &value)| (key, value)).collect();
        for (key, value) in keys {
            let rests = &self.rests;
            let users = self.users.entry(key).or_default();
            users.retain(|&user| !rests[user as usize].is_done && rests[user as usize].entries.contains_key(&key));
            users.sort_unstable();
            users.dedup();
            let most = users.iter().map(|&user| rests[user as usize].entries[&key].abs()).fold(0.0, f64::max);
            let share = if most > 0.0 { value.abs() / most } else { f64::INFINITY };
            // Small shares only where there is no other, the largest of them first.
            let candidate = if share >= PIVOT { (false, users.len(), 0.0, key) } else { (true, 0, -share, key) };
            if best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
        let (.., key) = best.expect("something is left of the vector");
        (key, self.users.remove(&key).unwrap_or_default())
    }
}

fn largest<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Balances and laws of a ladder of resistors without ground: vectors are equations, places currents and potentials.
    fn floating_ladder(rungs: u32) -> Vec<Vec<(Key, f64)>> {
        let (potential, current) = (|node: u32| (node, 0), |branch: u32| (branch, 1));
        let along = (0..rungs - 1).flat_map(|k| [(2 * k, 2 * k + 2), (2 * k + 1, 2 * k + 3)]);
        let branches: Vec<(u32, u32)> = along.chain((0..rungs).map(|k| (2 * k, 2 * k + 1))).collect();
        let law = |(at, &(one, other)): (usize, &(u32, u32))| {
            vec![(current(at as u32), 1.0), (potential(one), -1.0), (potential(other), 1.0)]
        };
        let mut vectors: Vec<Vec<(Key, f64)>> = branches.iter().enumerate().map(law).collect();
        for node in 0..2 * rungs {
            let ends = branches.iter().enumerate().filter(|(_, it)| it.0 == node || it.1 == node);
            vectors.push(ends.map(|(at, it)| (current(at as u32), if it.0 == node { 1.0 } else { -1.0 })).collect());
        }
        vectors
    }

    #[test]
    fn a_floating_network_has_one_redundancy_however_long_it_is() {
        for rungs in [2, 10, 100, 2_000] {
            let vectors = floating_ladder(rungs);
            let found = vanishing_combinations(&vectors);
            assert_eq!(found.len(), 1, "{rungs} rungs");
            let weights: Vec<f64> = found[0].values().map(|weight| weight.abs()).collect();
            assert_eq!(weights.len(), 2 * rungs as usize, "all balances, and no law");
            assert!(weights.iter().all(|weight| (weight / weights[0] - 1.0).abs() < 1e-6), "they add up");
            let mut sum: BTreeMap<Key, f64> = BTreeMap::new();
            for (&at, weight) in &found[0] {
                vectors[at as usize].iter().for_each(|&(key, value)| *sum.entry(key).or_default() += weight * value);
            }
            assert!(sum.values().all(|value| value.abs() < 1e-6 * weights[0]));
        }
    }

    #[test]
    fn a_grounded_network_has_none() {
        let mut vectors = floating_ladder(500);
        // In place of one balance, its potential.
        vectors.pop();
        vectors.push(vec![((999, 0), 1.0)]);
        assert_eq!(vanishing_combinations(&vectors), Vec::new());
    }
}
