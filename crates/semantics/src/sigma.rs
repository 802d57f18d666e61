//! The latent equations of a mode: the Σ-method on its difference-algebraic equations (RR8933, line 15 of Algorithm 5).
//!
//! Shifting is to differences what differentiating is to derivatives, so offsets are those of Pryce: `c(e)` is how
//! often an equation is shifted, `d(x)` the shift of the leading variable.

use std::collections::{BTreeMap, VecDeque};

use crate::domain::{Body, Shifted, Unknown};
use crate::system::DifferenceSystem;

/// The smallest offsets of a mode; equations that are differentiated in a combination are shifted as often as that at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offsets {
    /// How often each equation is shifted.
    pub equations: BTreeMap<Body, u32>,
    /// The shift of each leading variable.
    pub variables: BTreeMap<Unknown, u32>,
}

impl Offsets {
    /// The offsets of a mode; nothing where it is structurally singular: its structural index is infinite.
    pub fn of(system: &DifferenceSystem, mode: usize) -> Option<Offsets> {
        Signature::new(system, mode).offsets()
    }

    /// Equations with their latent ones, and variables with their derivatives: what a consistent start solves, and for
    /// what (Execution Scheme 3). The difference are the degrees of freedom.
    pub fn start_size(&self) -> (u32, u32) {
        let size = |offsets: &mut dyn Iterator<Item = &u32>| offsets.map(|offset| offset + 1).sum();
        (size(&mut self.equations.values()), size(&mut self.variables.values()))
    }

    /// Hidden constraints: shifts of equations below their offsets.
    pub fn hidden(&self) -> impl Iterator<Item = Shifted<Body>> + '_ {
        self.equations.iter().flat_map(|(&of, &offset)| (0..offset).map(move |shift| Shifted { of, shift }))
    }

    /// The greatest of them.
    pub fn greatest(&self) -> u32 {
        let all = self.equations.values().chain(self.variables.values());
        all.copied().max().unwrap_or(0)
    }
}

/// The matrix `σ` of a mode: in row and column the highest shift of a variable in an equation.
struct Signature {
    bodies: Vec<Body>,
    unknowns: Vec<Unknown>,
    rows: Vec<Vec<(usize, i64)>>,
    /// How often each equation is shifted at least.
    least: Vec<i64>,
}

impl Signature {
    fn new(system: &DifferenceSystem, mode: usize) -> Self {
        let bodies: Vec<Body> = system.equations_in(mode).collect();
        let mut unknowns: Vec<Unknown> =
            bodies.iter().flat_map(|&body| &system.bodies[body].incidence).map(|entry| entry.unknown).collect();
        unknowns.extend(&system.unmentioned);
        unknowns.sort_unstable();
        unknowns.dedup();
        let row = |&body: &Body| {
            let place = |unknown| unknowns.binary_search(&unknown).expect("a variable of the mode");
            let entries = system.bodies[body].incidence.iter();
            entries.map(|entry| (place(entry.unknown), i64::from(entry.highest))).collect()
        };
        let rows = bodies.iter().map(row).collect();
        let mut least = vec![0; bodies.len()];
        for (body, order) in system.differentiated_in(mode) {
            let place = bodies.iter().position(|it| *it == body).expect("an equation of the mode");
            least[place] = i64::from(order).max(least[place]);
        }
        Signature { bodies, unknowns, rows, least }
    }

    fn offsets(&self) -> Option<Offsets> {
        let column_of = self.heaviest_matching()?;
        let (mut c, mut d) = (self.least.clone(), vec![0_i64; self.unknowns.len()]);
        loop {
            for (row, entries) in self.rows.iter().enumerate() {
                entries.iter().for_each(|&(column, sigma)| d[column] = d[column].max(sigma + c[row]));
            }
            let raised: Vec<i64> =
                (0..c.len()).map(|row| d[column_of[row]] - self.sigma(row, column_of[row])).collect();
            if raised == c {
                break;
            }
            c = raised;
        }
        let number = |value: i64| u32::try_from(value).expect("offsets are not negative");
        Some(Offsets {
            equations: self.bodies.iter().copied().zip(c.into_iter().map(number)).collect(),
            variables: self.unknowns.iter().copied().zip(d.into_iter().map(number)).collect(),
        })
    }

    fn sigma(&self, row: usize, column: usize) -> i64 {
        let entry = self.rows[row].iter().find(|entry| entry.0 == column);
        entry.expect("a matched entry").1
    }

    /// The partner of each row in a perfect matching of greatest weight: rows come in one by one, each along an
    /// alternating path that gains most. Such paths have no gaining cycles, so as many rounds as rows find them.
    fn heaviest_matching(&self) -> Option<Vec<usize>> {
        if self.rows.len() != self.unknowns.len() {
            return None;
        }
        let mut row_of: Vec<Option<usize>> = vec![None; self.unknowns.len()];
        let mut column_of: Vec<Option<usize>> = vec![None; self.rows.len()];
        for row in 0..self.rows.len() {
            let (gain, came_from) = self.best_paths(row, &row_of, &column_of);
            let ends = (0..row_of.len()).filter(|&column| row_of[column].is_none() && gain[column].is_some());
            let mut column = ends.max_by_key(|&column| gain[column])?;
            loop {
                let by = came_from[column];
                row_of[column] = Some(by);
                match column_of[by].replace(column) {
                    Some(before) => column = before,
                    None => break,
                }
            }
        }
        column_of.into_iter().collect()
    }

    /// By column, the greatest gain of an alternating path from a row that has no partner, and the last row on it.
    fn best_paths(
        &self,
        start: usize,
        row_of: &[Option<usize>],
        column_of: &[Option<usize>],
    ) -> (Vec<Option<i64>>, Vec<usize>) {
        let mut gain: Vec<Option<i64>> = vec![None; row_of.len()];
        let mut came_from = vec![start; row_of.len()];
        // Rows that are reached with a greater gain than before: first in, first out, as Bellman and Ford have it.
        let mut pending = VecDeque::from([start]);
        let mut is_pending = vec![false; self.rows.len()];
        while let Some(row) = pending.pop_front() {
            is_pending[row] = false;
            let partner = column_of[row];
            let before = partner.map_or(0, |column| gain[column].expect("it was reached") - self.sigma(row, column));
            for &(column, sigma) in self.rows[row].iter().filter(|entry| partner != Some(entry.0)) {
                if gain[column].is_some_and(|known| before + sigma <= known) {
                    continue;
                }
                (gain[column], came_from[column]) = (Some(before + sigma), row);
                if let Some(next) = row_of[column].filter(|&next| !std::mem::replace(&mut is_pending[next], true)) {
                    pending.push_back(next);
                }
            }
        }
        (gain, came_from)
    }
}
