//! Networks by time-stepping: backward Euler, with a linear complementarity problem in every step.
//!
//! Nothing here knows modes or events. Every node has a tiny leak to the ground, every diode a tiny resistance, so that all
//! is regular: a network without a solution shows by currents as large as the inverse of that resistance.

use super::network::{Kind, Network};

/// Conductance of nodes to the ground, and resistance of diodes and switches.
const TINY: f64 = 1e-7;
/// Currents beyond this are those of a short circuit through what is tiny.
const SHORT: f64 = 1e4;

/// What came of stepping.
pub enum Stepped {
    /// Values of states at some times: by time, then by branch.
    Values(Vec<Vec<f64>>),
    /// The network has no solution: a source is shorted.
    Shorted,
    /// A step could not be solved.
    Failed,
}

/// Gauss elimination with pivoting: the inverse of a matrix.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let unit = |i: usize| (0..size).map(|k| f64::from(u8::from(i == k))).collect::<Vec<f64>>();
    let mut result: Vec<Vec<f64>> = (0..size).map(unit).collect();
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[pivot][column] == 0.0 {
            return None;
        }
        matrix.swap(column, pivot);
        result.swap(column, pivot);
        let scale = 1.0 / matrix[column][column];
        matrix[column].iter_mut().chain(result[column].iter_mut()).for_each(|value| *value *= scale);
        for row in (0..size).filter(|&row| row != column) {
            let factor = matrix[row][column];
            if factor != 0.0 {
                for k in 0..size {
                    matrix[row][k] -= factor * matrix[column][k];
                    result[row][k] -= factor * result[column][k];
                }
            }
        }
    }
    Some(result)
}

/// `w = q + M z`, `w, z >= 0`, `w z = 0`, for positive definite `M`: principal pivoting by least index, on `z` solved anew
/// for every set of free components.
fn complementary(q: &[f64], matrix: &[Vec<f64>], free: &mut [bool]) -> Option<Vec<f64>> {
    let size = q.len();
    let scale = q.iter().fold(1e-12, |scale: f64, value| scale.max(value.abs()));
    for round in 0..2000 {
        let members: Vec<usize> = (0..size).filter(|&k| free[k]).collect();
        let part: Vec<Vec<f64>> = members.iter().map(|&i| members.iter().map(|&k| matrix[i][k]).collect()).collect();
        let solution = inverse(part)?;
        let mut z = vec![0.0; size];
        for (at, &i) in members.iter().enumerate() {
            z[i] = -members.iter().enumerate().map(|(k, &other)| solution[at][k] * q[other]).sum::<f64>();
        }
        let w = |i: usize| q[i] + (0..size).map(|k| matrix[i][k] * z[k]).sum::<f64>();
        let is_wrong = |&i: &usize| if free[i] { z[i] < 0.0 } else { w(i) < -1e-12 * scale };
        let wrong: Vec<usize> = (0..size).filter(is_wrong).collect();
        let Some(&least) = wrong.first() else { return Some(z) };
        // All at once as long as that may help, then one by one, which ends for positive definite matrices.
        match round < 20 {
            true => wrong.iter().for_each(|&i| free[i] = !free[i]),
            false => free[least] = !free[least],
        }
    }
    None
}

/// Steps a network from 0 to 1; states after so many parts of that.
pub fn stepped(network: &Network, steps: usize, parts: usize) -> Stepped {
    let (nodes, h) = (network.nodes, 1.0 / steps as f64);
    let branches = &network.branches;
    let sources: Vec<usize> = (0..branches.len()).filter(|&k| matches!(branches[k].kind, Kind::Source(..))).collect();
    let diodes: Vec<usize> = (0..branches.len()).filter(|&k| branches[k].kind == Kind::Diode).collect();
    let size = nodes + sources.len();
    let is_closed = |k: usize, time: f64| match branches[k].kind {
        Kind::Switch(at, before) => (time < at) == before,
        _ => false,
    };
    let conductance = |k: usize, time: f64| match branches[k].kind {
        Kind::Resistor(r) => 1.0 / r,
        Kind::Inductor(l) => h / l,
        Kind::Capacitor(c) => c / h,
        Kind::Switch(..) if is_closed(k, time) => 1.0 / TINY,
        _ => 0.0,
    };
    let mut solution: Option<(Vec<bool>, Vec<Vec<f64>>)> = None;
    let (mut values, mut free) = (vec![0.0; branches.len()], vec![false; diodes.len()]);
    let mut found = Vec::new();
    for step in 1..=steps {
        let time = step as f64 * h;
        let closed: Vec<bool> = (0..branches.len()).map(|k| is_closed(k, time)).collect();
        if solution.as_ref().is_none_or(|known| known.0 != closed) {
            let mut matrix = vec![vec![0.0; size]; size];
            (0..nodes).for_each(|node| matrix[node][node] += TINY);
            for (k, branch) in branches.iter().enumerate() {
                let g = conductance(k, time);
                for (a, sign) in [(branch.from, 1.0), (branch.to, -1.0)] {
                    for (b, other) in [(branch.from, 1.0), (branch.to, -1.0)] {
                        if a > 0 && b > 0 {
                            matrix[a - 1][b - 1] += sign * other * g;
                        }
                    }
                }
            }
            for (at, &k) in sources.iter().enumerate() {
                for (node, sign) in [(branches[k].from, 1.0), (branches[k].to, -1.0)] {
                    if node > 0 {
                        matrix[node - 1][nodes + at] += sign;
                        matrix[nodes + at][node - 1] += sign;
                    }
                }
                // A loop of sources is a short circuit, not a singular matrix.
                matrix[nodes + at][nodes + at] -= TINY;
            }
            let Some(inverted) = inverse(matrix) else { return Stepped::Failed };
            solution = Some((closed, inverted));
        }
        let Some((_, inverted)) = &solution else { return Stepped::Failed };
        let mut right = vec![0.0; size];
        for (k, branch) in branches.iter().enumerate() {
            // What flows from `from` to `to` besides the conductance.
            let history = match branch.kind {
                Kind::Inductor(_) => values[k],
                Kind::Capacitor(c) => -c / h * values[k],
                _ => 0.0,
            };
            for (node, sign) in [(branch.from, -1.0), (branch.to, 1.0)] {
                if node > 0 {
                    right[node - 1] += sign * history;
                }
            }
        }
        for (at, &k) in sources.iter().enumerate() {
            if let Kind::Source(amplitude, frequency) = branches[k].kind {
                right[nodes + at] = amplitude * (frequency * time).sin();
            }
        }
        let voltage = |x: &[f64], k: usize| {
            let at = |node: usize| if node == 0 { 0.0 } else { x[node - 1] };
            at(branches[k].from) - at(branches[k].to)
        };
        let solve = |right: &[f64]| -> Vec<f64> {
            inverted.iter().map(|row| row.iter().zip(right).map(|(a, b)| a * b).sum()).collect()
        };
        let mut x = solve(&right);
        let responses: Vec<Vec<f64>> = diodes
            .iter()
            .map(|&k| {
                let mut unit = vec![0.0; size];
                for (node, sign) in [(branches[k].from, -1.0), (branches[k].to, 1.0)] {
                    if node > 0 {
                        unit[node - 1] += sign;
                    }
                }
                solve(&unit)
            })
            .collect();
        let q: Vec<f64> = diodes.iter().map(|&k| -voltage(&x, k)).collect();
        let matrix: Vec<Vec<f64>> = diodes
            .iter()
            .enumerate()
            .map(|(i, &k)| {
                let entry =
                    |(other, response): (usize, &Vec<f64>)| -voltage(response, k) + if i == other { TINY } else { 0.0 };
                responses.iter().enumerate().map(entry).collect()
            })
            .collect();
        let Some(currents) = complementary(&q, &matrix, &mut free) else { return Stepped::Failed };
        for (response, &current) in responses.iter().zip(&currents) {
            x.iter_mut().zip(response).for_each(|(value, share)| *value += current * share);
        }
        for (k, branch) in branches.iter().enumerate() {
            match branch.kind {
                Kind::Inductor(l) => values[k] += h / l * voltage(&x, k),
                Kind::Capacitor(_) => values[k] = voltage(&x, k),
                _ => {}
            }
        }
        let of_sources = (0..sources.len()).map(|at| x[nodes + at].abs());
        if currents.iter().copied().chain(of_sources).fold(0.0, f64::max) * h.min(1.0) > SHORT * h.max(1e-3) {
            return Stepped::Shorted;
        }
        if step % (steps / parts) == 0 {
            found.push(values.clone());
        }
    }
    Stepped::Values(found)
}
