//! Impulse orders at compile time: how far a change in some equations reaches, and how strongly.
//!
//! The order of a quantity at a mode change is 1 for a Dirac impulse, 2 for its derivative, 0 for a jump, -1 for a
//! kink and so on; differentiation adds one (E22, Definition 5, continued below zero). The rules of E22 §9.2 alone do
//! not determine orders, because known terms balance each other; with all known terms of an equation merged into one
//! *defect*, they do, and the solution is a shortest path: a defect in the `k`-th derivative of equation `i` enters
//! with potential `c[i] - k` and loses the slack `d - c - σ` of every entry it passes on its way from matched variable
//! to the equations that contain it. The order of variable `j` is the potential that arrives, less `d[j]`.
//!
//! Exact where the system Jacobian is regular and no terms cancel by accident; else too high, never too low.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use modeshift_dae::IndexVec;
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

/// An equation that the past need not satisfy, and the first of its derivatives that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The equation.
    pub row: Row,
    /// The first derivative of the residual that need not vanish at left limits.
    pub first: u32,
}

/// What arrives where.
#[derive(Clone, Debug)]
pub struct Potentials {
    arrived: IndexVec<Row, Option<i64>>,
}

impl Potentials {
    /// Spreads defects over the dependencies of a mode (Dijkstra; every potential is settled once).
    pub fn spread(structure: &ModeStructure, defects: impl IntoIterator<Item = Defect>) -> Self {
        Self::spread_within(structure, defects, |_| true)
    }

    /// Spreads defects over some equations of a mode only.
    pub fn spread_within(
        structure: &ModeStructure,
        defects: impl IntoIterator<Item = Defect>,
        within: impl Fn(Row) -> bool,
    ) -> Self {
        let mut arrived: IndexVec<Row, Option<i64>> = structure.rows().map(|_| None).collect();
        let mut waiting = BinaryHeap::new();
        for Defect { row, first } in defects {
            let potential = i64::from(structure.equation_offset(row)) - i64::from(first);
            waiting.push((potential, Reverse(row)));
        }
        while let Some((potential, Reverse(row))) = waiting.pop() {
            if arrived[row].is_some() {
                continue;
            }
            arrived[row] = Some(potential);
            let column = structure.matched_column(row);
            for &(reader, order) in structure.occurrences(column) {
                if arrived[reader].is_none() && within(reader) {
                    let slack = i64::from(structure.variable_offset(column))
                        - i64::from(structure.equation_offset(reader))
                        - i64::from(order);
                    waiting.push((potential - slack, Reverse(reader)));
                }
            }
        }
        Potentials { arrived }
    }

    /// The level from which on a variable is touched: 1 and above are jumps of states and impulses. `None` where
    /// nothing arrives.
    pub fn of(&self, structure: &ModeStructure, column: Column) -> Option<i64> {
        self.arrived[structure.matched_row(column)]
    }

    /// Whether anything arrives at an equation.
    pub fn reaches(&self, row: Row) -> bool {
        self.arrived[row].is_some()
    }

    /// The impulse order of a variable; `None` if it is untouched, with all its derivatives.
    pub fn order(&self, structure: &ModeStructure, column: Column) -> Option<i64> {
        Some(self.of(structure, column)? - i64::from(structure.variable_offset(column)))
    }
}
