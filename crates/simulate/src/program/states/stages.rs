//! Pryce's stages with dummy derivatives: which equations determine which quantities once the states are chosen.
//!
//! At level `q = C, …, 0` the equations `f^(c - q)` of all rows with `c >= q` determine the derivatives `d - q` of the
//! dummy columns of that level; at level 0 all columns are. A [`Choice`] says for each column up to which level it is a
//! dummy: if it is paired with a row of offset `c`, up to level `c`. So any pairing of rows and columns with a regular
//! Jacobian is a choice, and the matching of the structure is the one to begin with. The other derivatives below the
//! leading ones are states: of each variable the first `d - depth`.
//!
//! Each level is solved block by block, and above level 0 a block may fall apart further.
//!
//! Mattsson and Söderlind, *Index reduction in differential-algebraic equations using dummy derivatives* (1993); Pryce
//! (2001).

use modeshift_dae::{Derivative, EquationId, Id};
use modeshift_structure::one_mode::{Block, Column, ModeStructure, Row};
use modeshift_structure::one_mode::{Signature, blocks, matched};

use super::quantities::{Quantities, QuantityIndex};

/// Up to which level each column is a dummy: 0 is none above the leading derivative.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Choice {
    pub depths: Vec<u32>,
}

impl Choice {
    /// The choice that the matching makes.
    pub fn structural(structure: &ModeStructure) -> Self {
        let rows = structure.columns().map(|column| structure.matched_row(column));
        Choice { depths: rows.map(|row| structure.equation_offset(row)).collect() }
    }

    pub fn depth(&self, column: Column) -> u32 {
        self.depths[column.index()]
    }

    /// The quantities that remain free, in the order of the jet.
    pub fn states(&self, structure: &ModeStructure, quantities: &Quantities) -> Vec<QuantityIndex> {
        let states = structure.columns().flat_map(|column| {
            let count = structure.variable_offset(column) - self.depth(column);
            (0..count).map(move |order| quantities.of_column(column, order))
        });
        states.collect()
    }
}

/// Whether the equations of a block leave a choice of states.
pub(crate) fn leaves_choice(structure: &ModeStructure, block: &Block) -> bool {
    let highest = block.rows.iter().map(|&row| structure.equation_offset(row)).max().unwrap_or(0);
    (1..=highest).any(|level| {
        let rows = block.rows.iter().filter(|&&row| structure.equation_offset(row) >= level).count();
        let columns = block.columns.iter().filter(|&&column| structure.variable_offset(column) >= level).count();
        rows < columns
    })
}

/// Equations that are solved together for as many quantities.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pub equations: Vec<Derivative<Row>>,
    pub unknowns: Vec<QuantityIndex>,
}

impl System {
    /// The equations of the model, differentiated.
    pub fn named_equations(&self, structure: &ModeStructure) -> Vec<Derivative<EquationId>> {
        self.equations.iter().map(|row| Derivative::new(structure.equation(row.of), row.order)).collect()
    }
}

/// All systems of a mode, each after those it depends on.
pub(crate) fn systems(structure: &ModeStructure, quantities: &Quantities, choice: &Choice) -> Vec<System> {
    let mut systems = Vec::new();
    for level in (0..=structure.highest_offset()).rev() {
        for block in structure.blocks() {
            let stage = Stage { structure, quantities, choice, level };
            stage.systems_of(block, &mut systems);
        }
    }
    systems
}

struct Stage<'a> {
    structure: &'a ModeStructure,
    quantities: &'a Quantities,
    choice: &'a Choice,
    level: u32,
}

impl Stage<'_> {
    fn systems_of(&self, block: &Block, systems: &mut Vec<System>) {
        let rows: Vec<Row> = block.rows.iter().copied().filter(|&row| self.order_of(row).is_some()).collect();
        if rows.is_empty() {
            return;
        }
        let columns = block.columns.iter().copied();
        let columns = columns.filter(|&column| self.level == 0 || self.choice.depth(column) >= self.level);
        let columns: Vec<Column> = columns.collect();
        assert_eq!(rows.len(), columns.len(), "a choice has as many dummies as equations at each level");
        if self.level == 0 || rows.len() == 1 {
            systems.push(self.system(&rows, &columns));
        } else {
            self.split(&rows, &columns, systems);
        }
    }

    /// How often a row is differentiated at this level.
    fn order_of(&self, row: Row) -> Option<u32> {
        self.structure.equation_offset(row).checked_sub(self.level)
    }

    fn system(&self, rows: &[Row], columns: &[Column]) -> System {
        let equations = rows.iter().map(|&row| Derivative::new(row, self.order_of(row).expect("a row of this level")));
        let unknowns = columns
            .iter()
            .map(|&column| self.quantities.of_column(column, self.structure.variable_offset(column) - self.level));
        System { equations: equations.collect(), unknowns: unknowns.collect() }
    }

    /// The blocks of a part of a block.
    fn split(&self, rows: &[Row], columns: &[Column], systems: &mut Vec<System>) {
        let mut signature = Signature::new(columns.len());
        for &row in rows {
            let tight = self.structure.incidence(row).iter().filter(|&&entry| self.structure.slack(row, entry) == 0);
            let positions = tight.filter_map(|entry| columns.binary_search(&entry.column).ok());
            signature.push(positions.map(|position| (position as u32, 0)));
        }
        let Ok(matched) = matched(&signature) else {
            // Only where the Jacobian is singular; solving it will tell.
            systems.push(self.system(rows, columns));
            return;
        };
        for block in blocks(&signature, &matched) {
            let rows: Vec<Row> = block.rows.iter().map(|row| rows[row.index()]).collect();
            let columns: Vec<Column> = block.columns.iter().map(|column| columns[column.index()]).collect();
            systems.push(self.system(&rows, &columns));
        }
    }
}
