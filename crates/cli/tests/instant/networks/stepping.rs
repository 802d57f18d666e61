//! Networks by time-stepping: backward Euler, with a linear complementarity problem in every step.
//!
//! Nothing here knows modes or events. Every node has a tiny leak to the ground, every diode a tiny resistance, so that all
//! is regular: a network without a solution shows by currents as large as the inverse of that resistance.

use super::network::{Kind, Network};
use super::number::Number;

/// Currents beyond this are those of a short circuit through what is tiny.
const SHORT: f64 = 1e4;

/// How a network is stepped.
#[derive(Clone, Copy, Debug)]
pub struct Stepping {
    pub steps: usize,
    /// Values are kept after so many parts of the time.
    pub parts: usize,
}

/// Conductance of nodes to the ground, and resistance of diodes and switches.
const TINY: f64 = 1e-7;

/// What a network was at some times.
pub struct Values {
    /// Of inductors and capacitors: by time, then by branch.
    pub states: Vec<Vec<f64>>,
    /// Of all, likewise.
    pub voltages: Vec<Vec<f64>>,
    /// Of diodes and closed switches, likewise.
    pub currents: Vec<Vec<f64>>,
}

/// What came of stepping.
pub enum Stepped {
    Values(Values),
    /// The network has no solution: a source is shorted.
    Shorted,
    /// A step could not be solved.
    Failed,
}

type Matrix<N> = Vec<Vec<N>>;

fn zeros<N: Number>(rows: usize, columns: usize) -> Matrix<N> {
    vec![vec![N::of(0.0); columns]; rows]
}

fn product<N: Number>(matrix: &Matrix<N>, vector: &[N]) -> Vec<N> {
    let row = |row: &Vec<N>| row.iter().zip(vector).fold(N::of(0.0), |sum, (&a, &b)| sum + a * b);
    matrix.iter().map(row).collect()
}

/// Gauss elimination with pivoting: the inverse of a matrix.
fn inverse<N: Number>(mut matrix: Matrix<N>) -> Option<Matrix<N>> {
    let size = matrix.len();
    let mut result = zeros(size, size);
    (0..size).for_each(|k| result[k][k] = N::of(1.0));
    for column in 0..size {
        let entry = |row: usize| matrix[row][column].rounded().abs();
        let pivot = (column..size).max_by(|&a, &b| entry(a).total_cmp(&entry(b)))?;
        if entry(pivot) == 0.0 {
            return None;
        }
        matrix.swap(column, pivot);
        result.swap(column, pivot);
        let scale = matrix[column][column].inverse();
        matrix[column].iter_mut().chain(result[column].iter_mut()).for_each(|value| *value = *value * scale);
        for row in (0..size).filter(|&row| row != column) {
            let factor = matrix[row][column];
            if factor.rounded() != 0.0 {
                for k in 0..size {
                    matrix[row][k] = matrix[row][k] - factor * matrix[column][k];
                    result[row][k] = result[row][k] - factor * result[column][k];
                }
            }
        }
    }
    Some(result)
}

/// `w = q + M z`, `w, z >= 0`, `w z = 0`, for positive definite `M`: principal pivoting by least index, on `z` solved anew
/// for every set of free components.
fn complementary<N: Number>(q: &[N], matrix: &Matrix<N>, free: &mut [bool]) -> Option<Vec<N>> {
    let size = q.len();
    let largest = q.iter().fold(0.0, |largest: f64, value| largest.max(value.rounded().abs()));
    for round in 0..2000 {
        let members: Vec<usize> = (0..size).filter(|&k| free[k]).collect();
        let part = members.iter().map(|&i| members.iter().map(|&k| matrix[i][k]).collect()).collect();
        let driven: Vec<N> = members.iter().map(|&i| N::of(0.0) - q[i]).collect();
        let mut z = vec![N::of(0.0); size];
        members.iter().zip(product(&inverse(part)?, &driven)).for_each(|(&i, value)| z[i] = value);
        let w: Vec<N> = q.iter().zip(product(matrix, &z)).map(|(&q, of_z)| q + of_z).collect();
        // Rounding is that of the terms of `w`, and of the largest voltage, which the network made `q` from.
        let terms = |i: usize| (0..size).map(|k| (matrix[i][k] * z[k]).rounded().abs()).sum::<f64>() + largest;
        let is_wrong = |&i: &usize| if free[i] { z[i].is_negative() } else { w[i].rounded() < -N::NOISE * terms(i) };
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

/// What a network answers in a step while the same switches are closed.
struct Answers<N> {
    closed: Vec<bool>,
    /// From what is fed into nodes and sources to potentials and currents of sources.
    solved: Matrix<N>,
    /// By diode: all of that for a current of 1 through it.
    of_diodes: Matrix<N>,
    /// Voltages against diodes, by their currents.
    between_diodes: Matrix<N>,
}

/// A network that is being stepped.
struct Steps<'a> {
    network: &'a Network,
    how: Stepping,
    sources: Vec<usize>,
    diodes: Vec<usize>,
}

impl<'a> Steps<'a> {
    fn of(network: &'a Network, how: Stepping) -> Self {
        let those = |is: fn(&Kind) -> bool| {
            let branches = network.branches.iter().enumerate();
            branches.filter(|(_, branch)| is(&branch.kind)).map(|(k, _)| k).collect::<Vec<usize>>()
        };
        let sources = those(|kind| matches!(kind, Kind::Source(..)));
        Steps { network, how, sources, diodes: those(|kind| *kind == Kind::Diode) }
    }

    fn size(&self) -> usize {
        self.network.nodes + self.sources.len()
    }

    fn length(&self) -> f64 {
        1.0 / self.how.steps as f64
    }

    fn closed(&self, time: f64) -> Vec<bool> {
        let is_closed = |kind: &Kind| matches!(*kind, Kind::Switch(at, before) if (time < at) == before);
        self.network.branches.iter().map(|branch| is_closed(&branch.kind)).collect()
    }

    /// The nodes of a branch that are not the ground, with the sign of what leaves them through it.
    fn ends(&self, k: usize) -> impl Iterator<Item = (usize, f64)> + use<> {
        let branch = self.network.branches[k];
        [(branch.from, 1.0), (branch.to, -1.0)]
            .into_iter()
            .filter_map(|(node, sign)| Some((node.checked_sub(1)?, sign)))
    }

    fn voltage<N: Number>(&self, x: &[N], k: usize) -> N {
        self.ends(k).fold(N::of(0.0), |sum, (node, sign)| sum + N::of(sign) * x[node])
    }

    fn conductance<N: Number>(&self, k: usize, is_closed: bool) -> N {
        let h = self.length();
        match self.network.branches[k].kind {
            Kind::Resistor(r) => N::of(r).inverse(),
            Kind::Inductor(l) => N::of(h) * N::of(l).inverse(),
            Kind::Capacitor(c) => N::of(c) * N::of(h).inverse(),
            Kind::Switch(..) if is_closed => N::of(TINY).inverse(),
            _ => N::of(0.0),
        }
    }

    /// Balances of currents at nodes, then voltages of sources.
    fn matrix<N: Number>(&self, closed: &[bool]) -> Matrix<N> {
        let (nodes, tiny) = (self.network.nodes, N::of(TINY));
        let mut matrix = zeros(self.size(), self.size());
        (0..nodes).for_each(|node| matrix[node][node] = tiny);
        for (k, &is_closed) in closed.iter().enumerate() {
            let g: N = self.conductance(k, is_closed);
            for (a, sign) in self.ends(k) {
                for (b, other) in self.ends(k) {
                    matrix[a][b] = matrix[a][b] + N::of(sign * other) * g;
                }
            }
        }
        for (at, &k) in self.sources.iter().enumerate() {
            for (node, sign) in self.ends(k) {
                matrix[node][nodes + at] = N::of(sign);
                matrix[nodes + at][node] = N::of(sign);
            }
            // A loop of sources is a short circuit, not a singular matrix.
            matrix[nodes + at][nodes + at] = N::of(0.0) - tiny;
        }
        matrix
    }

    fn answers<N: Number>(&self, closed: Vec<bool>) -> Option<Answers<N>> {
        let solved = inverse(self.matrix(&closed))?;
        let of_diode = |&k: &usize| {
            let mut unit = vec![N::of(0.0); self.size()];
            self.ends(k).for_each(|(node, sign)| unit[node] = N::of(-sign));
            product(&solved, &unit)
        };
        let of_diodes: Matrix<N> = self.diodes.iter().map(of_diode).collect();
        let against = |&k: &usize| {
            let own = |other: usize| if other == k { N::of(TINY) } else { N::of(0.0) };
            self.diodes
                .iter()
                .zip(&of_diodes)
                .map(|(&other, of_other)| own(other) - self.voltage(of_other, k))
                .collect()
        };
        let between_diodes = self.diodes.iter().map(against).collect();
        Some(Answers { closed, solved, of_diodes, between_diodes })
    }

    /// What is fed into nodes by inductors and capacitors, as they were, and the voltages of sources.
    fn driven<N: Number>(&self, values: &[N], time: f64) -> Vec<N> {
        let mut right = vec![N::of(0.0); self.size()];
        for (k, branch) in self.network.branches.iter().enumerate() {
            let history = match branch.kind {
                Kind::Inductor(_) => values[k],
                Kind::Capacitor(c) => N::of(-c) * N::of(self.length()).inverse() * values[k],
                _ => continue,
            };
            self.ends(k).for_each(|(node, sign)| right[node] = right[node] - N::of(sign) * history);
        }
        for (at, &k) in self.sources.iter().enumerate() {
            if let Kind::Source(amplitude, frequency) = self.network.branches[k].kind {
                right[self.network.nodes + at] = N::of(amplitude * (frequency * time).sin());
            }
        }
        right
    }

    fn states_follow<N: Number>(&self, values: &mut [N], x: &[N]) {
        for (k, branch) in self.network.branches.iter().enumerate() {
            match branch.kind {
                Kind::Inductor(_) => {
                    let gained = self.conductance::<N>(k, false) * self.voltage(x, k);
                    values[k] = values[k] + gained;
                }
                Kind::Capacitor(_) => values[k] = self.voltage(x, k),
                _ => {}
            }
        }
    }

    /// By branch; 0 of what is no ideal part.
    fn ideal_currents<N: Number>(&self, closed: &[bool], currents: &[N], x: &[N]) -> Vec<f64> {
        let is_switch = |k: usize| matches!(self.network.branches[k].kind, Kind::Switch(..));
        let of_switch = |k: usize| (self.conductance::<N>(k, closed[k]) * self.voltage(x, k)).rounded();
        let mut all: Vec<f64> = (0..closed.len()).map(|k| if is_switch(k) { of_switch(k) } else { 0.0 }).collect();
        self.diodes.iter().zip(currents).for_each(|(&k, current)| all[k] = current.rounded());
        all
    }

    fn are_of_a_short<N: Number>(&self, currents: &[N], x: &[N]) -> bool {
        let all = currents.iter().chain(&x[self.network.nodes..]);
        all.map(|current| current.rounded().abs()).fold(0.0, f64::max) * self.length() > SHORT * self.length().max(1e-3)
    }
}

/// Steps a network from 0 to 1.
pub fn stepped<N: Number>(network: &Network, how: Stepping) -> Stepped {
    let steps = Steps::of(network, how);
    let (mut values, mut free) = (vec![N::of(0.0); network.branches.len()], vec![false; steps.diodes.len()]);
    let mut found = Values { states: Vec::new(), voltages: Vec::new(), currents: Vec::new() };
    let mut answers: Option<Answers<N>> = None;
    for step in 1..=how.steps {
        let time = step as f64 * steps.length();
        let closed = steps.closed(time);
        let known = answers.take().filter(|it| it.closed == closed);
        let Some(now) = known.or_else(|| steps.answers(closed)) else { return Stepped::Failed };
        let mut x = product(&now.solved, &steps.driven(&values, time));
        let q: Vec<N> = steps.diodes.iter().map(|&k| N::of(0.0) - steps.voltage(&x, k)).collect();
        let Some(currents) = complementary(&q, &now.between_diodes, &mut free) else { return Stepped::Failed };
        for (of_diode, &current) in now.of_diodes.iter().zip(&currents) {
            x.iter_mut().zip(of_diode).for_each(|(value, &share)| *value = *value + current * share);
        }
        steps.states_follow(&mut values, &x);
        if steps.are_of_a_short(&currents, &x) {
            return Stepped::Shorted;
        }
        if step % (how.steps / how.parts) == 0 {
            found.states.push(values.iter().map(|value| value.rounded()).collect());
            found.voltages.push((0..values.len()).map(|k| steps.voltage(&x, k).rounded()).collect());
            found.currents.push(steps.ideal_currents(&now.closed, &currents, &x));
        }
        answers = Some(now);
    }
    Stepped::Values(found)
}
