//! State selection by dummy derivatives (MOE15 §2.4 and §5.4): which variables are states in every mode, and which in some.
//!
//! Stage by stage, from the highest derivatives down: the rows that were differentiated at least k times constrain
//! derivatives one order below those of the stage before. What they are solved for are dummy derivatives, all else
//! are states; what one would rather not have as a state is solved for first. Constraints that hang together are
//! looked at in all modes that tell them apart, as long as these are few.
//!
//! S. E. Mattsson, G. Söderlind, *Index reduction in differential-algebraic equations using dummy derivatives*, 1993.

use std::cmp::Reverse;

use modeshift_dae::{Derivative, Id, MultimodeDae, StateSelect, UnionFind, VariableId};
use modeshift_modes::ModeSet;

use crate::Analysis;
use crate::approximate::{RowKind, United, UnitedEntry};
use crate::graph::bipartite::BipartiteMatching;

/// Constraints with more different modes than this are not looked at: the paper's loops have two to four.
const MOST_MODES: usize = 256;

/// A variable or derivative that is a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedState {
    /// Which.
    pub state: Derivative<VariableId>,
    /// The modes in which it is a state.
    pub modes: ModeSet,
    /// Whether these are all modes in which it exists.
    pub is_always: bool,
}

/// The states; nothing where some constraints have too many modes.
pub(super) fn selected(
    dae: &MultimodeDae,
    analysis: &Analysis,
    united: &United,
    c: &[u32],
    d: &[u32],
) -> Option<Vec<SelectedState>> {
    let selection = Selection { dae, analysis, united, c, d };
    let mut found: Vec<(Derivative<VariableId>, ModeSet)> = Vec::new();
    for part in selection.parts() {
        for piece in selection.pieces(&part)? {
            found.extend(selection.states_in(&part, piece).into_iter().map(|state| (state, piece)));
        }
    }
    found.sort_unstable_by_key(|it| it.0);
    let states = found.chunk_by(|one, other| one.0 == other.0).map(|chunk| {
        let (state, _) = chunk[0];
        let exists = analysis.incidence.variables()[state.of].guard;
        let modes = analysis.space.and(analysis.space.union(chunk.iter().map(|it| it.1)), exists);
        SelectedState { state, modes, is_always: modes == exists }
    });
    Some(states.filter(|state| !state.modes.is_empty()).collect())
}

/// Rows and columns whose constraints hang together.
struct Part {
    rows: Vec<u32>,
    columns: Vec<u32>,
}

struct Selection<'a> {
    dae: &'a MultimodeDae,
    analysis: &'a Analysis,
    united: &'a United,
    c: &'a [u32],
    d: &'a [u32],
}

impl Selection<'_> {
    fn constrains(&self, row: u32) -> bool {
        self.c[row as usize] > 0 && self.united.rows[row as usize].kind != RowKind::Dummy
    }

    fn is_leading(&self, row: u32, entry: &UnitedEntry) -> bool {
        self.d[entry.column as usize] == self.c[row as usize] + entry.highest()
    }

    /// Columns with derivatives, by the constraints between them.
    fn parts(&self) -> Vec<Part> {
        let (rows, columns) = (self.united.rows.len(), self.united.columns.len());
        let mut joined: UnionFind<usize> = UnionFind::new(rows + columns);
        for row in (0..rows as u32).filter(|&row| self.constrains(row)) {
            for entry in self.united.rows[row as usize].entries.iter().filter(|entry| self.is_leading(row, entry)) {
                joined.join(row as usize, rows + entry.column as usize);
            }
        }
        let mut number = vec![usize::MAX; rows + columns];
        let mut parts: Vec<Part> = Vec::new();
        for column in (0..columns as u32).filter(|&column| self.d[column as usize] > 0) {
            let root = joined.root(rows + column as usize);
            if number[root] == usize::MAX {
                number[root] = parts.len();
                parts.push(Part { rows: Vec::new(), columns: Vec::new() });
            }
            parts[number[root]].columns.push(column);
        }
        for row in (0..rows as u32).filter(|&row| self.constrains(row)) {
            if let Some(part) = parts.get_mut(number[joined.root(row as usize)]) {
                part.rows.push(row);
            }
        }
        parts
    }

    /// Sets of modes in which the constraints of a part are the same.
    fn pieces(&self, part: &Part) -> Option<Vec<ModeSet>> {
        let mut pieces = vec![ModeSet::ALL];
        let rows = part.rows.iter().map(|&row| &self.united.rows[row as usize]);
        let of_rows = rows.flat_map(|row| {
            let entries = row.entries.iter().flat_map(|entry| entry.orders.iter().map(|&(_, modes)| modes));
            entries.chain([row.modes])
        });
        let of_columns = part.columns.iter().map(|&column| self.united.column_modes[column as usize]);
        let mut sets: Vec<ModeSet> = of_rows.chain(of_columns).filter(|set| !set.is_all()).collect();
        sets.sort_unstable();
        sets.dedup();
        for set in sets {
            self.analysis.space.refine(&mut pieces, set);
            if pieces.len() > MOST_MODES {
                return None;
            }
        }
        Some(pieces)
    }

    /// The states of a part in modes that are alike.
    fn states_in(&self, part: &Part, piece: ModeSet) -> Vec<Derivative<VariableId>> {
        let space = &self.analysis.space;
        let exists = |column: &u32| space.implies(piece, self.united.column_modes[*column as usize]);
        let mut candidates: Vec<u32> = part.columns.iter().copied().filter(exists).collect();
        let mut states = Vec::new();
        for stage in 1.. {
            candidates.retain(|&column| self.d[column as usize] >= stage);
            if candidates.is_empty() {
                return states;
            }
            let holds = |row: &u32| space.implies(piece, self.united.rows[*row as usize].modes);
            let rows: Vec<u32> =
                part.rows.iter().copied().filter(|&row| self.c[row as usize] >= stage).filter(holds).collect();
            let dummies = self.dummies(&rows, &candidates, piece, stage);
            let is_dummy = |column: &u32| dummies.contains(column);
            let own = candidates.iter().filter(|column| !is_dummy(column));
            states.extend(own.map(|&column| self.derivative(column, stage)));
            // Below a state of this stage, lower derivatives are states as well.
            for &column in candidates.iter().filter(|column| !is_dummy(column)) {
                let lower = stage + 1..=self.d[column as usize];
                states.extend(lower.map(|stage| self.derivative(column, stage)));
            }
            candidates.retain(|column| dummies.contains(column));
        }
        states
    }

    fn derivative(&self, column: u32, stage: u32) -> Derivative<VariableId> {
        Derivative { of: self.united.columns[column as usize], order: self.d[column as usize] - stage }
    }

    /// The columns that these rows are solved for, of the candidates.
    fn dummies(&self, rows: &[u32], candidates: &[u32], piece: ModeSet, stage: u32) -> Vec<u32> {
        let mut order: Vec<u32> = candidates.to_vec();
        order.sort_by_key(|&column| Reverse(self.reluctance(column, stage)));
        let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
        for (at, &row) in rows.iter().enumerate() {
            for entry in &self.united.rows[row as usize].entries {
                let leading = self.d[entry.column as usize].checked_sub(self.c[row as usize]);
                let modes = leading.map_or(ModeSet::EMPTY, |order| entry.modes_of(order));
                if self.analysis.space.implies(piece, modes)
                    && let Some(place) = order.iter().position(|&column| column == entry.column)
                {
                    rows_of[place].push(at as u32);
                }
            }
        }
        let mut matching: BipartiteMatching<u32, u32> = BipartiteMatching::new(order.len(), rows.len());
        let columns = matching.rows();
        let solved = columns.filter(|&column| matching.match_row(column, |it| rows_of[it.index()].iter().copied()));
        let mut dummies: Vec<u32> = solved.map(|column| order[column.index()]).collect();
        dummies.sort_unstable();
        dummies
    }

    /// The greater, the less one wants it as a state: derivatives rather than variables, what exists in some modes only,
    /// what the modeler does not start, what is declared last.
    fn reluctance(&self, column: u32, stage: u32) -> (bool, Reverse<StateSelect>, bool, bool, u32) {
        let id = self.united.columns[column as usize];
        let variable = &self.dae.model.variables[id];
        let is_derivative = self.d[column as usize] > stage;
        let is_partial = !self.united.column_modes[column as usize].is_all();
        (is_derivative, Reverse(variable.state_select), is_partial, variable.fixed != Some(true), id.0)
    }
}
