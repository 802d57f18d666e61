//! The difference array of a mode change (E22 §8.4–8.5): an implementation independent of the levels.
//!
//! Derivatives are expanded by explicit Euler steps, `x^(k)(t) = Σ (-1)^(k-r) binom(k, r) x(t + r δ) / δ^k`, and the
//! equations of the new mode are written at instants `t[0], t[1], …`. What the old mode sets, `x(t[k])` for `k` below
//! both the old leading order and the written order, is known. Equations are taken instant by instant; one that is
//! structurally dependent on those kept so far is *erased*. (Algorithm 2 of E22 read literally erases the whole
//! overdetermined part; on models of first order that takes `der(x) = u` with it.)
//!
//! `changes --method array` shows what it says. With numbers, by extrapolation of small steps, it is a second opinion of the
//! tests (`tests/support/array_restart.rs`).

use modeshift_dae::{Derivative, IndexVec};
use modeshift_structure::one_mode::{Column, Entry, ModeStructure, Row};

use super::growing_matching::GrowingMatching;
use super::left_limits::remembered::PastStructure;

/// An equation at an instant: the same shifted so often.
pub type EquationAt = (Row, u32);
/// A variable at an instant.
pub type VariableAt = (Column, u32);

/// The array with its verdict.
#[derive(Clone, Debug)]
pub struct DifferenceArray {
    /// Erased equations, and how often they are shifted, less those that were constraints of the old mode, by equation.
    pub erased: Vec<Derivative<Row>>,
    /// Variables that no equation determines, with the first of their instants.
    pub undetermined: Vec<VariableAt>,
}

/// Values at instants that are not set by the past.
#[derive(Clone, Debug)]
pub(crate) struct Unknowns {
    first: IndexVec<Column, u32>,
    base: IndexVec<Column, u32>,
    /// All of them.
    pub list: Vec<VariableAt>,
}

impl Unknowns {
    fn new(structure: &ModeStructure, past: &PastStructure) -> Self {
        let instants = structure.highest_offset();
        let mut unknowns = Unknowns { first: IndexVec::new(), base: IndexVec::new(), list: Vec::new() };
        for column in structure.columns() {
            let first = past.leading_order[column].min(structure.written_order(column));
            unknowns.first.push(first);
            unknowns.base.push(unknowns.list.len() as u32);
            let last = instants + structure.variable_offset(column);
            unknowns.list.extend((first..=last).map(|instant| (column, instant)));
        }
        unknowns
    }

    /// Where a value stands, unless the past sets it.
    pub(crate) fn index(&self, column: Column, instant: u32) -> Option<usize> {
        let offset = instant.checked_sub(self.first[column])?;
        Some((self.base[column] + offset) as usize)
    }
}

impl DifferenceArray {
    /// Writes the array of a change and removes its conflicts.
    pub fn new(structure: &ModeStructure, past: &PastStructure) -> Self {
        let Arrangement { unknowns, kept_and_refused: (_, refused), matching } = Arrangement::new(structure, past);
        let refused = refused.into_iter().map(Derivative::from);
        let mut erased: Vec<Derivative<Row>> = refused.filter(|&it| !past.satisfies(it)).collect();
        erased.sort_unstable();
        let undetermined = matching.undetermined().into_iter().map(|unknown| unknowns.list[unknown]).collect();
        DifferenceArray { erased, undetermined: first_of_each(undetermined) }
    }
}

/// The equations of the array: those that can hold together, and those that cannot.
pub(crate) struct Arrangement {
    /// What is sought.
    pub unknowns: Unknowns,
    /// Equations with their instants: those that are solved, and those that depend on them structurally.
    pub kept_and_refused: (Vec<EquationAt>, Vec<EquationAt>),
    matching: GrowingMatching,
}

impl Arrangement {
    /// Takes what were constraints of the old mode, then equations instant by instant, those that held before first.
    pub(crate) fn new(structure: &ModeStructure, past: &PastStructure) -> Self {
        let instants = structure.highest_offset();
        let unknowns = Unknowns::new(structure, past);
        let mut equations: Vec<EquationAt> = structure
            .rows()
            .flat_map(|row| (0..=instants + structure.equation_offset(row)).map(move |instant| (row, instant)))
            .collect();
        equations.sort_by_key(|&(row, instant)| {
            (!past.satisfies(Derivative::new(row, instant)), instant, past.is_new[row], row)
        });
        let mut matching = GrowingMatching::new(unknowns.list.len());
        let kept_and_refused = equations
            .into_iter()
            .partition(|&(row, instant)| matching.add(entries(structure, &unknowns, row, instant)));
        Arrangement { unknowns, kept_and_refused, matching }
    }
}

fn entries(structure: &ModeStructure, unknowns: &Unknowns, row: Row, instant: u32) -> Vec<usize> {
    let of_entry = |entry: &Entry| {
        let column = entry.column;
        (instant..=instant + entry.order).map(move |at| (column, at))
    };
    let all = structure.incidence(row).iter().flat_map(of_entry);
    all.filter_map(|(column, at)| unknowns.index(column, at)).collect()
}

/// The first instant of each variable.
fn first_of_each(mut list: Vec<VariableAt>) -> Vec<VariableAt> {
    list.sort_unstable();
    list.dedup_by_key(|&mut (column, _)| column);
    list
}
