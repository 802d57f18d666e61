//! Circuits of a linear space: its vectors of minimal support, as far as their support can be met in one mode.
//!
//! A row of a reduced echelon form is a circuit. Every other circuit lacks a member of it, so the rest is found in the
//! subspaces where one coordinate vanishes. Before that, coordinates that exclude each other (`u` and `i` of one diode
//! are never imposed together) are told apart: one of the two vanishes. A space that falls into independent parts is
//! searched part by part, so what costs is not the number of modes but how much hangs together.

use std::collections::BTreeMap;

use super::elimination::{Entry, Sparse};

/// More circuits than this of one component are not listed.
pub(super) const MOST_CIRCUITS: usize = 64;
/// More subspaces than this are not looked at.
const MOST_SUBSPACES: usize = 6_000;
/// Spaces of more dimensions or coordinates than this are not looked at.
const MOST_DIMENSIONS: usize = 48;
const MOST_COORDINATES: usize = 400;

/// A vector of minimal support, by ascending coordinate.
pub(super) type Circuit = Sparse;

/// The circuits of the space that `basis` spans; `None` where they are too many.
pub(super) fn circuits(basis: &[Sparse], exclude: &dyn Fn(u32, u32) -> bool) -> Option<Vec<Circuit>> {
    let mut coordinates: Vec<u32> = basis.iter().flatten().map(|&(at, _)| at).collect();
    coordinates.sort_unstable();
    coordinates.dedup();
    if basis.len() > MOST_DIMENSIONS || coordinates.len() > MOST_COORDINATES {
        return None;
    }
    let zero = Entry::new(0.0);
    let dense = |row: &Sparse| {
        let mut values = vec![zero; coordinates.len()];
        for &(at, value) in row {
            if let Ok(place) = coordinates.binary_search(&at) {
                values[place] = Entry::new(value);
            }
        }
        values
    };
    let excludes = |i: usize, j: usize| exclude(coordinates[i], coordinates[j]);
    let conflicts: Vec<Vec<usize>> = (0..coordinates.len())
        .map(|i| (0..coordinates.len()).filter(|&j| i != j && excludes(i, j)).collect())
        .collect();
    let mut search = Search { conflicts, found: BTreeMap::new(), subspaces: 0 };
    search.explore(basis.iter().map(dense).collect())?;
    let circuit = |(support, values): (Vec<usize>, Vec<f64>)| {
        support.into_iter().zip(values).map(|(place, value)| (coordinates[place], value)).collect()
    };
    Some(search.found.into_iter().map(circuit).collect())
}

type Matrix = Vec<Vec<Entry>>;

struct Search {
    /// By coordinate: those that exclude it.
    conflicts: Vec<Vec<usize>>,
    found: BTreeMap<Vec<usize>, Vec<f64>>,
    subspaces: usize,
}

impl Search {
    fn explore(&mut self, rows: Matrix) -> Option<()> {
        let mut pending = vec![rows];
        while let Some(rows) = pending.pop() {
            for part in parts(reduced(rows)) {
                self.subspaces += 1;
                if self.subspaces > MOST_SUBSPACES {
                    return None;
                }
                self.explore_part(part, &mut pending)?;
            }
        }
        Some(())
    }

    /// Looks at a space that does not fall apart.
    fn explore_part(&mut self, part: Matrix, pending: &mut Vec<Matrix>) -> Option<()> {
        let support = support(&part);
        let conflict = |&&at: &&usize| self.conflicts[at].iter().any(|other| support.binary_search(other).is_ok());
        if let Some(&one) = support.iter().find(conflict) {
            if part.len() > 1 {
                // Either `one` vanishes, or all that exclude it do.
                pending.push(without(&part, one));
                let excluded: Vec<usize> =
                    self.conflicts[one].iter().copied().filter(|at| support.binary_search(at).is_ok()).collect();
                pending.push(excluded.into_iter().fold(part, |part, at| without(&part, at)));
            }
            return Some(());
        }
        let circuit: Vec<(usize, f64)> = entries(&part[0]).collect();
        let members: Vec<usize> = circuit.iter().map(|&(at, _)| at).collect();
        self.found.insert(members.clone(), circuit.into_iter().map(|(_, value)| value).collect());
        if self.found.len() > MOST_CIRCUITS {
            return None;
        }
        if part.len() > 1 {
            pending.extend(members.into_iter().map(|at| without(&part, at)));
        }
        Some(())
    }
}

fn entries(row: &[Entry]) -> impl Iterator<Item = (usize, f64)> {
    row.iter().enumerate().filter(|(_, entry)| !entry.is_zero()).map(|(at, entry)| (at, entry.value))
}

fn support(rows: &Matrix) -> Vec<usize> {
    let mut support: Vec<usize> = rows.iter().flat_map(|row| entries(row).map(|(at, _)| at)).collect();
    support.sort_unstable();
    support.dedup();
    support
}

/// The subspace in which a coordinate vanishes.
fn without(rows: &Matrix, coordinate: usize) -> Matrix {
    let mut rows = rows.clone();
    let rated = (0..rows.len()).filter(|&row| !rows[row][coordinate].is_zero());
    let Some(pivot) = rated.max_by(|&a, &b| weight(&rows[a], coordinate).total_cmp(&weight(&rows[b], coordinate)))
    else {
        return rows;
    };
    let pivot = rows.swap_remove(pivot);
    rows.iter_mut().for_each(|row| eliminate(row, &pivot, coordinate));
    rows
}

/// How large an entry is beside the others of its row.
fn weight(row: &[Entry], at: usize) -> f64 {
    row[at].value.abs() / row.iter().map(|entry| entry.value.abs()).fold(f64::MIN_POSITIVE, f64::max)
}

fn eliminate(row: &mut [Entry], pivot: &[Entry], coordinate: usize) {
    if row[coordinate].is_zero() {
        row[coordinate] = Entry::new(0.0);
        return;
    }
    let factor = row[coordinate].value / pivot[coordinate].value;
    for (entry, other) in row.iter_mut().zip(pivot) {
        let sum = entry.minus(factor, *other);
        *entry = if sum.is_zero() { Entry::new(0.0) } else { sum };
    }
    row[coordinate] = Entry::new(0.0);
}

/// The reduced echelon form.
fn reduced(mut rows: Matrix) -> Matrix {
    let mut done = 0;
    for column in 0..rows.first().map_or(0, Vec::len) {
        let candidates = (done..rows.len()).filter(|&row| !rows[row][column].is_zero());
        let best = candidates.max_by(|&a, &b| weight(&rows[a], column).total_cmp(&weight(&rows[b], column)));
        let Some(best) = best else { continue };
        rows.swap(done, best);
        let inverse = 1.0 / rows[done][column].value;
        rows[done].iter_mut().for_each(|entry| *entry = entry.times(inverse));
        let pivot = rows[done].clone();
        for (at, row) in rows.iter_mut().enumerate() {
            if at != done {
                eliminate(row, &pivot, column);
            }
        }
        done += 1;
    }
    rows.truncate(done);
    rows
}

/// The rows of a reduced echelon form by what hangs together.
fn parts(rows: Matrix) -> Vec<Matrix> {
    let mut parts: Vec<(Vec<usize>, Matrix)> = Vec::new();
    for row in rows {
        let mut support: Vec<usize> = entries(&row).map(|(at, _)| at).collect();
        let mut members = vec![row];
        let touches = |other: &Vec<usize>, support: &[usize]| other.iter().any(|at| support.contains(at));
        let mut at = 0;
        while at < parts.len() {
            if touches(&parts[at].0, &support) {
                let (other, rows) = parts.remove(at);
                support.extend(other);
                members.splice(0..0, rows);
                at = 0;
            } else {
                at += 1;
            }
        }
        parts.push((support, members));
    }
    parts.into_iter().map(|(_, rows)| rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supports(basis: &[Sparse], exclude: &dyn Fn(u32, u32) -> bool) -> Vec<Vec<u32>> {
        let found = circuits(basis, exclude).expect("few circuits");
        found.into_iter().map(|circuit| circuit.into_iter().map(|(at, _)| at).collect()).collect()
    }

    #[test]
    fn two_loops_with_a_common_edge_are_three_circuits() {
        let basis: Vec<Sparse> = vec![vec![(0, 1.0), (1, 1.0), (2, 1.0)], vec![(2, -1.0), (3, 1.0), (4, 1.0)]];
        assert_eq!(supports(&basis, &|_, _| false), [vec![0, 1, 2], vec![0, 1, 3, 4], vec![2, 3, 4]]);
    }

    #[test]
    fn what_excludes_each_other_is_in_no_circuit_together() {
        let basis: Vec<Sparse> = vec![vec![(0, 1.0), (1, 1.0), (2, 1.0)], vec![(2, -1.0), (3, 1.0), (4, 1.0)]];
        let exclude = |a: u32, b: u32| (a.min(b), a.max(b)) == (2, 3);
        assert_eq!(supports(&basis, &exclude), [vec![0, 1, 2], vec![0, 1, 3, 4]]);
    }

    #[test]
    fn a_resistive_port_has_no_circuit() {
        // u = R i for each of many ports: `u` and `i` of one port are never both imposed.
        let basis: Vec<Sparse> = (0..30).map(|port| vec![(2 * port, 1.0), (2 * port + 1, -5.0)]).collect();
        assert!(supports(&basis, &|a, b| a / 2 == b / 2).is_empty());
    }
}
