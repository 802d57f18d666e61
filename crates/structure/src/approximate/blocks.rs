//! Blocks of the united system, and the modes in which each has no solution.
//!
//! In a mode, what does not exist takes no part, and a variable counts where its leading derivative occurs. A block
//! of one equation is solved where its variable does; one of several where an assignment exists (MOE15 §4, step 3). The
//! assignments of all modes are found at once, as sets of modes, where MOE15 tries mode after mode.

use modeshift_dae::{EquationId, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet};

use super::united::{RowKind, United, UnitedEntry};
use crate::{Analysis, Incidence, Occurrence, Vertex, dulmage_mendelsohn, match_equations};

/// What is solved together.
#[derive(Clone, Debug)]
pub struct UnitedBlock {
    /// Its rows, ascending.
    pub rows: Vec<u32>,
    /// The columns it is solved for, ascending.
    pub columns: Vec<u32>,
    /// The modes in which it cannot be solved.
    pub fails: ModeSet,
    /// Of each row, the modes in which it is one of those that are too many for what is left of the columns.
    pub too_many: Vec<ModeSet>,
    /// The modes in which its rows are too few for its columns.
    pub too_few: ModeSet,
}

impl UnitedBlock {
    /// The rows that are to blame: those that are too many in some mode, else all.
    pub fn failing_rows(&self) -> Vec<u32> {
        let too_many = self.rows.iter().zip(&self.too_many).filter(|(_, modes)| !modes.is_empty());
        let rows: Vec<u32> = too_many.map(|(&row, _)| row).collect();
        if rows.is_empty() { self.rows.clone() } else { rows }
    }
}

/// The united system under offsets: what leads is what is solved for.
pub(crate) struct Tight<'a> {
    pub(crate) united: &'a United,
    pub(crate) rows: &'a [u32],
    pub(crate) columns: &'a [u32],
}

impl Tight<'_> {
    /// Whether a row reads the leading derivative of a column, as if all modes were one.
    pub(crate) fn is_tight(&self, row: u32, entry: &UnitedEntry) -> bool {
        self.united.rows[row as usize].kind == RowKind::Dummy
            || self.columns[entry.column as usize] == self.rows[row as usize] + entry.highest()
    }

    /// The modes in which a row contains the leading derivative of a column.
    pub(crate) fn modes(&self, row: u32, entry: &UnitedEntry) -> ModeSet {
        let leading = self.columns[entry.column as usize].checked_sub(self.rows[row as usize]);
        leading.map_or(ModeSet::EMPTY, |order| entry.modes_of(order))
    }

    /// A block with the modes in which its rows are too many, which is where it fails, or too few.
    pub(crate) fn block(&self, analysis: &Analysis, rows: Vec<u32>, columns: Vec<u32>) -> Result<UnitedBlock, Limit> {
        let (too_many, too_few) = match self.is_the_same_in_all_modes(&rows, &columns) {
            true => (vec![ModeSet::EMPTY; rows.len()], ModeSet::EMPTY),
            false => self.unassigned(analysis, &rows, &columns)?,
        };
        let fails = analysis.space.union(too_many.iter().copied());
        Ok(UnitedBlock { rows, columns, fails, too_many, too_few })
    }

    fn is_the_same_in_all_modes(&self, rows: &[u32], columns: &[u32]) -> bool {
        let is_inside = |entry: &&UnitedEntry| columns.binary_search(&entry.column).is_ok();
        rows.iter().all(|&row| {
            let it = &self.united.rows[row as usize];
            it.kind != RowKind::Dummy
                && it.entries.iter().filter(is_inside).all(|entry| {
                    !self.is_tight(row, entry)
                        || self.modes(row, entry) == it.modes
                            && self.united.column_modes[entry.column as usize] == it.modes
                })
        })
    }

    /// Of each row the modes in which it is too many, and those in which rows are too few; dummies are in no mode.
    fn unassigned(&self, analysis: &Analysis, rows: &[u32], columns: &[u32]) -> Result<(Vec<ModeSet>, ModeSet), Limit> {
        let nameless = |guard: ModeSet| Vertex { name: "".into(), guard };
        let equations: IndexVec<EquationId, Vertex> = rows
            .iter()
            .map(|&row| match &self.united.rows[row as usize] {
                row if row.kind == RowKind::Dummy => nameless(ModeSet::EMPTY),
                row => nameless(row.modes),
            })
            .collect();
        let variables: IndexVec<VariableId, Vertex> =
            columns.iter().map(|&column| nameless(self.united.column_modes[column as usize])).collect();
        let mut occurrences = Vec::new();
        for (at, &row) in rows.iter().enumerate() {
            for entry in &self.united.rows[row as usize].entries {
                let Ok(column) = columns.binary_search(&entry.column) else { continue };
                let (equation, variable) = (EquationId(at as u32), VariableId(column as u32));
                let modes = self.modes(row, entry);
                occurrences.push(Occurrence { equation, variable, order: 0, modes });
            }
        }
        let incidence = Incidence::new(&analysis.space, equations, variables, occurrences);
        let order: Vec<EquationId> = incidence.equations().ids().collect();
        let (matching, _) = match_equations(&analysis.space, &incidence, &order)?;
        let parts = dulmage_mendelsohn(&analysis.space, &incidence, &matching, &order)?;
        let too_few = analysis.space.union(matching.unmatched_variables.iter().copied());
        Ok((parts.overdetermined_equations.iter().copied().collect(), too_few))
    }
}
