//! Pins of a singular mode: which equations to leave out and which unknowns to set to zero, so that the rest is regular.
//!
//! A mode `E z' = A z + f` has free directions `N = ker E ∩ ker A`, along which nothing is said, and redundancies `U` with
//! `uᵀE = 0` and `uᵀA = 0`, which say nothing. Four ideal diodes of a bridge that all block leave a potential free, and one
//! current balance follows from the others. Where both are of the same number `r`, the mode is *harmless* if it is regular
//! without them: `r` equations `D` with `U_D` invertible are left out, and `r` unknowns `P` that are never differentiated,
//! with `N_P` invertible, are pinned to zero. What is determined does not depend on the choice.
//!
//! A redundancy may differentiate equations, too: two frictions that hold one body say twice that its speed vanishes, but for the derivatives
//! of what connects them, `uᵀ(d/dt)(E z' - A z) = 0`. What is left out occurs undifferentiated.
//!
//! Most are seen by the matching, in its over- and underdetermined parts, and looked for there; a triangle of resistors
//! between blocking diodes is not: it has a perfect matching, and its numbers alone are singular.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::elimination::{self, Key, ZERO};
use super::parts::Parts;
use super::signature::{ModeSignature, Signature};

/// The coefficient of a derivative of a variable in an equation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficient {
    /// The column of the variable.
    pub column: u32,
    /// Which derivative.
    pub order: u32,
    /// Its value.
    pub value: f64,
}

/// What makes a singular mode regular.
#[derive(Clone, Debug, PartialEq)]
pub struct Pins {
    /// Equations that follow from the others, ascending.
    pub dropped: Vec<u32>,
    /// Unknowns that are set to zero, ascending.
    pub pinned: Vec<u32>,
    /// By pinned unknown: the free direction in which it alone of the pinned ones moves, and by 1.
    pub free: Vec<Vec<(u32, f64)>>,
    /// By dropped equation: the combination of equations that vanishes, in which it alone of the dropped ones occurs, and
    /// with weight 1.
    pub redundant: Vec<Vec<(u32, f64)>>,
}

/// Why a singular mode has no pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPins {
    /// It is not singular for reasons of this kind.
    Regular,
    /// More is free than redundant: equations contradict each other.
    Impossible,
    /// Less is free than redundant, or what is free drives a state.
    Wrong,
    /// All that is free occurs differentiated.
    Differentiated,
}

/// The pins of a mode, from the coefficients of its equations. `parts` are those of the matching, where it has no perfect
/// one; `is_constant` says which equations have coefficients that never change, `eligible` which unknowns may be pinned: of these
/// the largest are taken first.
pub fn pins(
    rows: &[Vec<Coefficient>],
    column_count: usize,
    parts: Option<&Parts>,
    is_constant: impl Fn(u32) -> bool,
    eligible: impl Fn(u32) -> Option<u32>,
) -> Result<Pins, NoPins> {
    if let Some(parts) = parts {
        let count = parts.overdetermined_equations.len() - parts.overdetermined_variables.len();
        let free = free_directions(rows, &parts.underdetermined_variables);
        let redundant = redundancies(rows, &parts.overdetermined_equations);
        if free.len() == count && redundant.len() == count {
            return chosen(free, redundant, eligible);
        }
    }
    let (all_rows, all_columns): (Vec<u32>, Vec<u32>) =
        ((0..rows.len() as u32).collect(), (0..column_count as u32).collect());
    let free = free_directions(rows, &all_columns);
    let redundant = redundancies(rows, &all_rows);
    match (free.len(), redundant.len()) {
        (0, 0) if parts.is_none() => Err(NoPins::Regular),
        (0, 0) => Err(NoPins::Wrong),
        (count, redundant) if count > redundant => {
            let among = parts.map_or(&all_rows, |parts| &parts.overdetermined_equations);
            let redundant = differential_redundancies(rows, among, is_constant);
            match redundant.len().cmp(&count) {
                Ordering::Less => return Err(NoPins::Impossible),
                Ordering::Greater => return Err(NoPins::Wrong),
                Ordering::Equal => {}
            }
            let (dropped, redundant) = redundant.into_iter().unzip();
            let (pinned, free) = solved_for(free, eligible).ok_or(NoPins::Differentiated)?;
            Ok(Pins { dropped, pinned, free, redundant })
        }
        (free, redundant) if free < redundant => Err(NoPins::Wrong),
        _ => chosen(free, redundant, eligible),
    }
}

fn chosen(
    free: Vec<Vec<(u32, f64)>>,
    redundant: Vec<Vec<(u32, f64)>>,
    eligible: impl Fn(u32) -> Option<u32>,
) -> Result<Pins, NoPins> {
    let (pinned, free) = solved_for(free, eligible).ok_or(NoPins::Differentiated)?;
    let (dropped, redundant) = solved_for(redundant, |_| Some(0)).ok_or(NoPins::Wrong)?;
    Ok(Pins { dropped, pinned, free, redundant })
}

/// `N`: combinations of columns, among these, that vanish in all equations.
fn free_directions(rows: &[Vec<Coefficient>], columns: &[u32]) -> Vec<Vec<(u32, f64)>> {
    let place: FxHashMap<u32, usize> = columns.iter().enumerate().map(|(place, &column)| (column, place)).collect();
    let mut vectors: Vec<Vec<((u32, u32), f64)>> = vec![Vec::new(); columns.len()];
    for (row, coefficients) in rows.iter().enumerate() {
        for it in coefficients {
            if let Some(&place) = place.get(&it.column) {
                vectors[place].push(((row as u32, it.order), it.value));
            }
        }
    }
    named(vanishing_combinations(vectors), columns)
}

/// `U`: combinations of equations, among these, in which no unknown is left.
fn redundancies(rows: &[Vec<Coefficient>], among: &[u32]) -> Vec<Vec<(u32, f64)>> {
    let vector = |&row: &u32| rows[row as usize].iter().map(|it| ((it.column, it.order), it.value)).collect();
    named(vanishing_combinations(among.iter().map(vector).collect()), among)
}

/// Redundancies among some equations and their derivatives, each with an equation that follows from the others, and all that take part,
/// ascending by these equations.
fn differential_redundancies(
    rows: &[Vec<Coefficient>],
    among: &[u32],
    is_constant: impl Fn(u32) -> bool,
) -> Vec<(u32, Vec<(u32, f64)>)> {
    // The equations, then their derivatives.
    let count = among.len() as u32;
    let vector = |&row: &u32, more: u32| {
        let derivative = rows[row as usize].iter().map(|it| ((it.column, it.order + more), it.value));
        derivative.filter(|_| more == 0 || is_constant(row)).collect::<Vec<_>>()
    };
    let vectors = among.iter().map(|row| vector(row, 0)).chain(among.iter().map(|row| vector(row, 1)));
    let mut vectors: Vec<Vec<(Key, f64)>> = vectors.collect();
    // What has no derivative here must not count as one that vanishes.
    for (at, vector) in vectors.iter_mut().enumerate().filter(|(at, it)| *at as u32 >= count && it.is_empty()) {
        vector.push(((u32::MAX, at as u32), 1.0));
    }
    let mut found: Vec<(u32, BTreeMap<u32, f64>)> = Vec::new();
    for mut combination in vanishing_combinations(vectors) {
        for (place, other) in &found {
            let Some(&factor) = combination.get(place) else { continue };
            subtract(&mut combination, factor, other);
            combination.remove(place);
        }
        // What is left is the derivative of another one, or differentiates all that it contains.
        let size = combination.values().fold(0.0, |size: f64, value| size.max(value.abs()));
        let plain = combination.iter().filter(|&(&at, _)| at < count && !combination.contains_key(&(at + count)));
        let Some((&place, &pivot)) = plain.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()).then(b.0.cmp(a.0))) else {
            continue;
        };
        if pivot.abs() <= ZERO * size {
            continue;
        }
        combination.values_mut().for_each(|value| *value /= pivot);
        for (_, other) in &mut found {
            let Some(&factor) = other.get(&place) else { continue };
            subtract(other, factor, &combination);
            other.remove(&place);
        }
        found.push((place, combination));
    }
    let is_plain = |place: u32| !found.iter().any(|(_, it)| it.contains_key(&(place + count)));
    if !found.iter().all(|&(place, _)| is_plain(place)) {
        return Vec::new();
    }
    let named = |(place, combination): (u32, BTreeMap<u32, f64>)| {
        let mut weights: BTreeMap<u32, f64> = BTreeMap::new();
        for (at, weight) in combination {
            weights.entry(among[(at % count) as usize]).or_insert(weight);
        }
        (among[place as usize], weights.into_iter().collect())
    };
    let mut named: Vec<(u32, Vec<(u32, f64)>)> = found.into_iter().map(named).collect();
    named.sort_by_key(|it| it.0);
    named
}

/// Subtracts a multiple of a vector; what cancels is left out.
fn subtract(from: &mut BTreeMap<u32, f64>, factor: f64, vector: &BTreeMap<u32, f64>) {
    for (&at, &value) in vector {
        let entry = from.entry(at).or_default();
        *entry -= factor * value;
        if entry.abs() <= ZERO * (factor * value).abs() {
            from.remove(&at);
        }
    }
}

fn named(combinations: Vec<BTreeMap<u32, f64>>, names: &[u32]) -> Vec<Vec<(u32, f64)>> {
    let list = |it: BTreeMap<u32, f64>| it.into_iter().map(|(at, weight)| (names[at as usize], weight)).collect();
    combinations.into_iter().map(list).collect()
}

/// So often vectors and places are scaled in turn: after that the largest entry of each is between a half and 1 as a rule.
const SCALINGS: usize = 3;

/// Scales vectors, and places of all vectors, so that the largest entry of each is about 1: farads beside volts must not
/// count for nothing. By what each vector was multiplied.
fn scale(vectors: &mut [Vec<(Key, f64)>]) -> Vec<f64> {
    let mut factors = vec![1.0; vectors.len()];
    for _ in 0..SCALINGS {
        let mut largest: FxHashMap<Key, f64> = FxHashMap::default();
        for &(key, value) in vectors.iter().flatten() {
            let place = largest.entry(key).or_default();
            *place = place.max(value.abs());
        }
        for (vector, factor) in vectors.iter_mut().zip(&mut factors) {
            for (key, value) in vector.iter_mut().filter(|it| it.1 != 0.0) {
                *value /= largest[key];
            }
            let size = vector.iter().fold(0.0, |size: f64, it| size.max(it.1.abs()));
            if size > 0.0 {
                vector.iter_mut().for_each(|it| it.1 /= size);
                *factor /= size;
            }
        }
    }
    factors
}

/// A basis of the combinations of vectors that vanish, by sparse elimination.
fn vanishing_combinations(mut vectors: Vec<Vec<(Key, f64)>>) -> Vec<BTreeMap<u32, f64>> {
    let factors = scale(&mut vectors);
    let mut vanishing = elimination::vanishing_combinations(&vectors);
    for combination in &mut vanishing {
        combination.iter_mut().for_each(|(&at, weight)| *weight *= factors[at as usize]);
    }
    vanishing
}

/// Vectors solved for as many of their places, the most eligible ones first: each then has one of these places alone, with 1.
#[allow(clippy::type_complexity)] // the places, ascending, and their vectors
fn solved_for(
    vectors: Vec<Vec<(u32, f64)>>,
    eligible: impl Fn(u32) -> Option<u32>,
) -> Option<(Vec<u32>, Vec<Vec<(u32, f64)>>)> {
    let mut vectors: Vec<BTreeMap<u32, f64>> = vectors.into_iter().map(|it| it.into_iter().collect()).collect();
    let mut places: Vec<u32> = Vec::new();
    for number in 0..vectors.len() {
        let size = vectors[number].values().fold(0.0, |size: f64, value| size.max(value.abs()));
        let solvable = vectors[number].iter().filter(|(_, pivot)| pivot.abs() > ZERO * size);
        let allowed = solvable.filter_map(|(&place, &pivot)| Some((eligible(place)?, pivot, place)));
        let (_, pivot, place) =
            allowed.max_by(|a, b| a.0.cmp(&b.0).then(a.1.abs().total_cmp(&b.1.abs())).then(b.2.cmp(&a.2)))?;
        vectors[number].values_mut().for_each(|value| *value /= pivot);
        let own = vectors[number].clone();
        for other in (0..vectors.len()).filter(|&other| other != number) {
            let Some(&factor) = vectors[other].get(&place) else { continue };
            subtract(&mut vectors[other], factor, &own);
            vectors[other].remove(&place);
        }
        places.push(place);
    }
    let mut solved: Vec<(u32, Vec<(u32, f64)>)> =
        places.into_iter().zip(vectors).map(|(place, vector)| (place, vector.into_iter().collect())).collect();
    solved.sort_by_key(|it| it.0);
    Some(solved.into_iter().unzip())
}

impl ModeSignature {
    /// The mode without some equations and variables.
    pub fn without(&self, dropped: &[u32], pinned: &[u32]) -> ModeSignature {
        let (dropped, pinned): (BTreeSet<u32>, BTreeSet<u32>) =
            (dropped.iter().copied().collect(), pinned.iter().copied().collect());
        let mut column = Vec::with_capacity(self.variables.len());
        let mut variables = Vec::new();
        for (at, &variable) in self.variables.iter().enumerate() {
            column.push(variables.len() as u32);
            if !pinned.contains(&(at as u32)) {
                variables.push(variable);
            }
        }
        let mut signature = Signature::new(variables.len());
        let mut equations = Vec::new();
        for (at, &equation) in self.equations.iter().enumerate() {
            if !dropped.contains(&(at as u32)) {
                let entries = self.signature.entries(at as u32).iter().filter(|entry| !pinned.contains(&entry.0));
                signature.push(entries.map(|&(at, order)| (column[at as usize], order)));
                equations.push(equation);
            }
        }
        ModeSignature { signature, equations, variables }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(entries: &[(u32, f64)]) -> Vec<Coefficient> {
        entries.iter().map(|&(column, value)| Coefficient { column, order: 0, value }).collect()
    }

    #[test]
    fn a_floating_potential_is_pinned_and_a_balance_dropped() {
        // Resistor between nodes 0 and 1 with current 2: both balances say that the current vanishes.
        let rows = [row(&[(0, 1.0), (1, -1.0), (2, -5.0)]), row(&[(2, 1.0)]), row(&[(2, -1.0)])];
        let found = pins(&rows, 3, None, |_| true, |_| Some(0)).expect("harmless");
        assert_eq!((found.pinned.len(), found.dropped.len()), (1, 1));
        assert!(found.pinned[0] < 2 && found.dropped[0] > 0);
        assert_eq!(found.free[0], vec![(0, 1.0), (1, 1.0)]);
    }

    #[test]
    fn pins_are_chosen_among_those_allowed() {
        let rows = [row(&[(0, 1.0), (1, -1.0)]), row(&[(0, 2.0), (1, -2.0)])];
        assert_eq!(pins(&rows, 2, None, |_| true, |it| (it == 1).then_some(0)).expect("harmless").pinned, [1]);
        assert_eq!(pins(&rows, 2, None, |_| true, |_| None), Err(NoPins::Differentiated));
    }

    #[test]
    fn what_is_regular_has_none() {
        let rows = [row(&[(0, 1.0), (1, 1.0)]), row(&[(0, 1.0), (1, -1.0)])];
        assert_eq!(pins(&rows, 2, None, |_| true, |_| Some(0)), Err(NoPins::Regular));
    }

    #[test]
    fn a_variable_that_is_given_and_integrated_is_given_twice() {
        // x = a, x' = b, and y in no equation: the second follows from the first, if at all.
        let rows = [row(&[(0, 1.0)]), vec![Coefficient { column: 0, order: 1, value: 1.0 }]];
        let found = pins(&rows, 2, None, |_| true, |_| Some(0)).expect("harmless");
        assert_eq!((found.pinned, found.dropped), (vec![1], vec![1]));
        assert_eq!(pins(&rows, 2, None, |_| false, |_| Some(0)), Err(NoPins::Impossible));
    }

    #[test]
    fn speeds_that_are_held_twice_are_redundant_but_for_derivatives_of_aliases() {
        // s = a, s = b, a' = 0, b' = 0, and forces f + g = 0.
        let speed = |column: u32| vec![Coefficient { column, order: 1, value: 1.0 }];
        let alias = |column: u32| row(&[(0, 1.0), (column, -1.0)]);
        let rows = [alias(1), alias(2), speed(1), speed(2), row(&[(3, 1.0), (4, 1.0)])];
        let found = pins(&rows, 5, None, |_| true, |column| (column > 2).then_some(0)).expect("harmless");
        assert_eq!(found.dropped.len(), 1);
        assert!([2, 3].contains(&found.dropped[0]), "{found:?}");
        assert_eq!(found.redundant[0].iter().map(|it| it.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(found.free[0].iter().map(|it| it.0).collect::<Vec<_>>(), [3, 4]);
    }
}
