//! The structure of one mode: what the Σ-method says of it, as plain data.
//!
//! Rows are the equations that hold in the mode, columns the variables that exist in it. `σ[i, j]` is the highest
//! derivative of variable `j` in equation `i`, `c[i]` how often equation `i` is differentiated, `d[j]` the leading
//! derivative of variable `j`; a matching of tight entries (`σ = d - c`) and the blocks that follow from it order
//! the computation. `σ̄[j]`, the highest derivative of `j` that is really written, says what a restart remembers.
//!
//! Pryce, *A simple structural analysis method for DAEs* (2001); E22 §4.3.

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};

use super::assignment::Hints;
use super::blocks::{Block, blocks_of};
use super::offsets::{Matched, matched, matched_near};
use super::parts::Parts;
use super::signature::{Column, ModeSignature, Row};

/// `σ[i, j]`: the highest derivative of a variable in an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The variable.
    pub column: Column,
    /// Its highest derivative there.
    pub order: u32,
}

/// What the Σ-method finds in one mode; the input of [`ModeStructure::new`].
#[derive(Clone, Debug)]
pub struct SigmaSolution {
    /// The equations that hold.
    pub equations: IndexVec<Row, EquationId>,
    /// The variables that exist.
    pub variables: IndexVec<Column, VariableId>,
    /// Highest derivatives, each variable at most once per equation.
    pub incidence: IndexVec<Row, Vec<Entry>>,
    /// `c`
    pub equation_offsets: IndexVec<Row, u32>,
    /// `d`
    pub variable_offsets: IndexVec<Column, u32>,
    /// A matching of tight entries that covers all rows and columns.
    pub matching: IndexVec<Row, Column>,
}

/// The structure of one structurally regular mode.
#[derive(Clone, Debug)]
pub struct ModeStructure {
    solution: SigmaSolution,
    matched_row: IndexVec<Column, Row>,
    rows_of: IndexVec<Column, Vec<(Row, u32)>>,
    written_order: IndexVec<Column, u32>,
    highest_offset: u32,
    blocks: Vec<Block>,
    block_of: IndexVec<Row, u32>,
    column_of: IndexVec<VariableId, Option<Column>>,
    row_of: IndexVec<EquationId, Option<Row>>,
}

impl ModeStructure {
    /// Completes what the Σ-method found by blocks and by the orders that are written.
    ///
    /// # Panics
    /// If `solution` is not a certificate: offsets that violate `d - c >= σ`, a matched entry that is not tight.
    pub fn new(mut solution: SigmaSolution) -> Self {
        for entries in solution.incidence.iter_mut() {
            entries.sort_unstable();
        }
        check_certificate(&solution);
        let mut matched_row: IndexVec<Column, Row> = solution.variables.ids().map(|_| Row(u32::MAX)).collect();
        for (row, &column) in solution.matching.iter_enumerated() {
            assert_eq!(matched_row[column], Row(u32::MAX), "a variable is matched twice");
            matched_row[column] = row;
        }
        let rows_of = rows_of_columns(&solution);
        let written_order =
            rows_of.iter().map(|rows| rows.iter().map(|&(_, order)| order).max().unwrap_or(0)).collect();
        let (blocks, block_of) = blocks(&solution, &matched_row);
        let highest_offset = solution.equation_offsets.iter().copied().max().unwrap_or(0);
        let column_of = inverse(&solution.variables);
        let row_of = inverse(&solution.equations);
        ModeStructure {
            solution,
            matched_row,
            rows_of,
            written_order,
            highest_offset,
            blocks,
            block_of,
            column_of,
            row_of,
        }
    }

    /// Analyzes one mode of a model; its over- and underdetermined parts if it is singular.
    pub fn of_signature(mode: &ModeSignature) -> Result<Self, Parts> {
        matched(&mode.signature).map(|matched| ModeStructure::of_matched(mode, matched))
    }

    /// The same for a mode that differs little from one that is known: what they have in common is not searched again.
    /// Offsets and blocks do not depend on the known mode.
    pub fn of_signature_near(mode: &ModeSignature, known: &ModeStructure) -> Result<Self, Parts> {
        let column_of: IndexVec<VariableId, Option<Column>> = inverse(&mode.variables.iter().copied().collect());
        let equation = |&equation: &EquationId| {
            let row = known.row(equation)?;
            let variable = known.variable(known.matched_column(row));
            let partner = column_of.get(variable).copied().flatten().map_or(u32::MAX, |column| column.0);
            Some((known.equation_offset(row), partner))
        };
        let variable = |&variable: &VariableId| known.column(variable).map(|column| known.variable_offset(column));
        let hints = Hints {
            equations: mode.equations.iter().map(equation).collect(),
            variables: mode.variables.iter().map(variable).collect(),
        };
        let matched = matched_near(&mode.signature, &hints)?;
        Ok(ModeStructure::of_matched(mode, matched))
    }

    fn of_matched(mode: &ModeSignature, matched: Matched) -> Self {
        let incidence = |row: usize| {
            let entries = mode.signature.entries(row as u32).iter();
            entries.map(|&(column, order)| Entry { column: Column(column), order }).collect()
        };
        ModeStructure::new(SigmaSolution {
            equations: mode.equations.iter().copied().collect(),
            variables: mode.variables.iter().copied().collect(),
            incidence: (0..mode.equations.len()).map(incidence).collect(),
            equation_offsets: matched.c.into_iter().collect(),
            variable_offsets: matched.d.into_iter().collect(),
            matching: matched.variable_of.into_iter().map(Column).collect(),
        })
    }

    /// Whether it is that of a mode with this signature matrix.
    pub fn is_of(&self, mode: &ModeSignature) -> bool {
        let has_entries = |row: Row| {
            let own = self.incidence(row).iter().map(|entry| (entry.column.0, entry.order));
            own.eq(mode.signature.entries(row.0).iter().copied())
        };
        self.solution.equations.iter().eq(&mode.equations)
            && self.solution.variables.iter().eq(&mode.variables)
            && self.rows().all(has_entries)
    }

    /// How many equations, and how many variables.
    pub fn size(&self) -> usize {
        self.solution.equations.len()
    }

    /// All equations of the mode.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = Row> + use<> {
        (0..self.size()).map(Row::from_index)
    }

    /// All variables of the mode.
    pub fn columns(&self) -> impl DoubleEndedIterator<Item = Column> + use<> {
        (0..self.size()).map(Column::from_index)
    }

    /// The equation of the model.
    pub fn equation(&self, row: Row) -> EquationId {
        self.solution.equations[row]
    }

    /// The variable of the model.
    pub fn variable(&self, column: Column) -> VariableId {
        self.solution.variables[column]
    }

    /// The row of an equation of the model, if it holds in this mode.
    pub fn row(&self, equation: EquationId) -> Option<Row> {
        self.row_of.get(equation).copied().flatten()
    }

    /// The column of a variable of the model, if it exists in this mode.
    pub fn column(&self, variable: VariableId) -> Option<Column> {
        self.column_of.get(variable).copied().flatten()
    }

    /// Variables of an equation with their highest derivatives, by variable.
    pub fn incidence(&self, row: Row) -> &[Entry] {
        &self.solution.incidence[row]
    }

    /// Equations that contain a variable, with its highest derivative there, by equation.
    pub fn occurrences(&self, column: Column) -> &[(Row, u32)] {
        &self.rows_of[column]
    }

    /// `c`: how often an equation is differentiated.
    pub fn equation_offset(&self, row: Row) -> u32 {
        self.solution.equation_offsets[row]
    }

    /// `d`: the order of the leading derivative of a variable.
    pub fn variable_offset(&self, column: Column) -> u32 {
        self.solution.variable_offsets[column]
    }

    /// `σ̄`: the highest derivative of a variable that is written.
    pub fn written_order(&self, column: Column) -> u32 {
        self.written_order[column]
    }

    /// `C`, the largest `c`: how many levels a restart has.
    pub fn highest_offset(&self) -> u32 {
        self.highest_offset
    }

    /// The variable that an equation is matched with.
    pub fn matched_column(&self, row: Row) -> Column {
        self.solution.matching[row]
    }

    /// The equation that a variable is matched with.
    pub fn matched_row(&self, column: Column) -> Row {
        self.matched_row[column]
    }

    /// `d - c - σ`, how far an entry is from being tight.
    pub fn slack(&self, row: Row, entry: Entry) -> u32 {
        self.variable_offset(entry.column) - self.equation_offset(row) - entry.order
    }

    /// The blocks, each after those it depends on.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The position in [`ModeStructure::blocks`] of the block that solves an equation.
    pub fn block_of(&self, row: Row) -> usize {
        self.block_of[row] as usize
    }
}

/// By item, where it stands; nothing for items that do not occur.
fn inverse<Place: Id, Item: Id>(items: &IndexVec<Place, Item>) -> IndexVec<Item, Option<Place>> {
    let length = items.iter().map(|item| item.index() + 1).max().unwrap_or(0);
    let mut places: IndexVec<Item, Option<Place>> = (0..length).map(|_| None).collect();
    for (place, &item) in items.iter_enumerated() {
        places[item] = Some(place);
    }
    places
}

fn check_certificate(solution: &SigmaSolution) {
    let SigmaSolution { equations, variables, incidence, equation_offsets, variable_offsets, matching } = solution;
    assert_eq!(equations.len(), variables.len(), "a regular mode has as many equations as variables");
    assert_eq!(matching.len(), equations.len(), "the matching covers all equations");
    for (row, entries) in incidence.iter_enumerated() {
        let offset = equation_offsets[row];
        for entry in entries {
            let feasible = variable_offsets[entry.column] >= offset + entry.order;
            assert!(feasible, "offsets violate d - c >= sigma at {row:?}, {:?}", entry.column);
        }
        let tight = entries
            .iter()
            .any(|entry| entry.column == matching[row] && variable_offsets[entry.column] == offset + entry.order);
        assert!(tight, "matched entry of {row:?} is not tight");
    }
}

fn rows_of_columns(solution: &SigmaSolution) -> IndexVec<Column, Vec<(Row, u32)>> {
    let mut rows: IndexVec<Column, Vec<(Row, u32)>> = solution.variables.iter().map(|_| Vec::new()).collect();
    for (row, entries) in solution.incidence.iter_enumerated() {
        for entry in entries {
            rows[entry.column].push((row, entry.order));
        }
    }
    rows
}

/// Blocks of the tight entries: a row needs the rows that are matched with its other tight columns.
fn blocks(solution: &SigmaSolution, matched_row: &IndexVec<Column, Row>) -> (Vec<Block>, IndexVec<Row, u32>) {
    let needed = |row: Row, at: usize| {
        let entry = solution.incidence[row].get(at)?;
        let is_tight = solution.variable_offsets[entry.column] == solution.equation_offsets[row] + entry.order;
        Some(is_tight.then(|| matched_row[entry.column]))
    };
    let blocks = blocks_of(solution.equations.len(), needed, |row| solution.matching[row]);
    let mut block_of: IndexVec<Row, u32> = solution.equations.iter().map(|_| 0).collect();
    for (at, block) in blocks.iter().enumerate() {
        block.rows.iter().for_each(|&row| block_of[row] = at as u32);
    }
    (blocks, block_of)
}
