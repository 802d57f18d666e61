//! One system for all modes: rows are equations or the branches of one, columns are all variables of all modes.
//!
//! Which rows and columns exist in which modes, and where a variable occurs with which derivative, is kept beside the
//! highest derivative of all: the latter is what an ordinary tool sees, the former is what it meets when it runs.

use modeshift_dae::{EquationId, Id, MultimodeDae, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};

use super::dummies::dummies;
use super::merge::{Group, groups};
use crate::Analysis;
use crate::one_mode::Signature;

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// The same in all modes in which it is there: an equation of the whole model, or of a state of a machine.
    Plain,
    /// What it contains depends on the mode: an equation with branches, a connection to states of a machine.
    Switching,
    /// Stands for the equations that variables of inactive states do not have (MOE15 §2.1); in no mode is it computed.
    Dummy,
}

/// A variable in a row, by its column.
#[derive(Clone, Debug)]
pub struct UnitedEntry {
    /// The column.
    pub column: u32,
    /// With which derivatives it occurs, ascending, each with its modes; of each mode the highest.
    pub orders: Vec<(u32, ModeSet)>,
}

impl UnitedEntry {
    /// The highest derivative, whatever the mode.
    pub fn highest(&self) -> u32 {
        self.orders.last().map_or(0, |&(order, _)| order)
    }

    /// The modes in which it occurs with this derivative as the highest.
    pub fn modes_of(&self, order: u32) -> ModeSet {
        self.orders.iter().find(|(it, _)| *it == order).map_or(ModeSet::EMPTY, |&(_, modes)| modes)
    }
}

/// An equation of the united system.
#[derive(Clone, Debug)]
pub struct Row {
    /// The equations that it is made of, of which at most one holds in each mode; of a dummy, those it was made for.
    pub equations: Vec<EquationId>,
    /// What it is.
    pub kind: RowKind,
    /// The modes in which it holds.
    pub modes: ModeSet,
    /// Its variables, by ascending columns.
    pub entries: Vec<UnitedEntry>,
}

/// One system for all modes.
#[derive(Clone, Debug)]
pub struct United {
    /// In source order, dummies last.
    pub rows: Vec<Row>,
    /// The variable of each column, in declaration order.
    pub columns: Vec<VariableId>,
    /// The modes in which each column exists.
    pub column_modes: Vec<ModeSet>,
}

impl United {
    /// Unites all modes of a model; variables that are known beforehand take no part.
    pub fn new(dae: &MultimodeDae, analysis: &Analysis, is_known: impl Fn(VariableId) -> bool) -> United {
        let incidence = &analysis.incidence;
        let there = incidence.variables().iter_enumerated().filter(|(id, it)| !it.guard.is_empty() && !is_known(*id));
        let (columns, column_modes): (Vec<VariableId>, Vec<ModeSet>) = there.map(|(id, it)| (id, it.guard)).unzip();
        let mut column_of = vec![u32::MAX; incidence.variables().len()];
        columns.iter().enumerate().for_each(|(column, id)| column_of[id.index()] = column as u32);
        let groups = groups(dae, analysis, &is_known);
        let column = |variable: VariableId| Some(column_of[variable.index()]).filter(|&it| it != u32::MAX);
        let mut rows: Vec<Row> = groups.iter().map(|group| row(analysis, group, column)).collect();
        rows.extend(dummies(dae, analysis, &groups, &rows, &column_modes));
        United { rows, columns, column_modes }
    }

    /// What an ordinary tool sees: the highest derivatives, whatever the mode.
    pub fn signature(&self) -> Signature {
        let mut signature = Signature::new(self.columns.len());
        for row in &self.rows {
            signature.push(row.entries.iter().map(|entry| (entry.column, entry.highest())));
        }
        signature
    }
}

fn row(analysis: &Analysis, group: &Group, column: impl Fn(VariableId) -> Option<u32>) -> Row {
    let (space, incidence) = (&analysis.space, &analysis.incidence);
    let mut occurrences: Vec<(u32, u32, ModeSet)> = Vec::new();
    for &equation in &group.equations {
        for edge in incidence.edges_of_equation(equation) {
            let Some(column) = column(incidence.variable(edge)) else { continue };
            occurrences.extend(incidence.orders(edge).iter().map(|&(order, modes)| (column, order, modes)));
        }
    }
    let modes = space.union(group.equations.iter().map(|&it| incidence.equations()[it].guard));
    let entries = entries_of(space, occurrences);
    let same = |entry: &UnitedEntry| matches!(entry.orders[..], [(_, there)] if there == modes);
    let is_one = group.is_local || modes.is_all() && group.equations.len() == 1;
    let is_plain = is_one && entries.iter().all(same);
    let kind = if is_plain { RowKind::Plain } else { RowKind::Switching };
    Row { equations: group.equations.clone(), kind, modes, entries }
}

/// Entries from occurrences of columns with derivatives and modes, in any order and with repetitions.
pub(crate) fn entries_of(space: &ModeSpace, mut occurrences: Vec<(u32, u32, ModeSet)>) -> Vec<UnitedEntry> {
    occurrences.sort_by_key(|&(column, order, _)| (column, std::cmp::Reverse(order)));
    let mut entries: Vec<UnitedEntry> = Vec::new();
    for chunk in occurrences.chunk_by(|one, other| one.0 == other.0) {
        let mut orders: Vec<(u32, ModeSet)> = Vec::new();
        let mut covered = ModeSet::EMPTY;
        for &(_, order, modes) in chunk {
            let modes = space.difference(modes, covered);
            covered = space.or(covered, modes);
            match orders.last_mut() {
                Some((last, known)) if *last == order => *known = space.or(*known, modes),
                _ if modes.is_empty() => {}
                _ => orders.push((order, modes)),
            }
        }
        orders.reverse();
        if !orders.is_empty() {
            entries.push(UnitedEntry { column: chunk[0].0, orders });
        }
    }
    entries
}
