//! Multi-mode Pantelides (MOE15 §4): one system for all modes whose connections to states are differentiated until it is
//! regular in every mode. For comparison: what it differentiates, it differentiates in all modes.
//!
//! ```text
//!  1  the standard algorithm, as if all modes were one            `standard`
//!  2  blocks of the highest derivatives                            `loops`
//!  3  of blocks with a connection, an assignment in every mode     `loops`, as sets of modes
//!  4  all regular: the end; else of each block one singular mode
//!  5  the variables of connections that are too many there get one derivative more: so the connection will be
//!     differentiated
//!  6  the standard algorithm goes on; back to 2
//! ```
//!
//! As in the paper, what is known beforehand and what only has two names is removed first (`aliases`), connections to states
//! of a machine are one equation each, and inactive states have dummy equations (`approximate`). A connection outside all
//! loops, as (21), is a block of its own. Beyond the paper: equations with branches are treated as connections are, so
//! that models without machines can be compared; and where the iteration does not end, it is stopped ([`Outcome`]).
//!
//! | file | purpose |
//! |---|---|
//! | `aliases` | what is known and what has two names |
//! | `standard` | the algorithm of Pantelides on one system, continued where derivatives appear |
//! | `loops` | blocks, and the modes in which they are singular |
//! | `states` | which variables are states in every mode, and which in some |

mod aliases;
mod loops;
mod standard;
mod states;

use modeshift_dae::{Derivative, EquationId, MultimodeDae, VariableId};
use modeshift_modes::{Limit, ModeSet};

use crate::Analysis;
use crate::approximate::{Row, RowKind, United, UnitedBlock};
use standard::{Standard, Unsolvable};

pub use states::SelectedState;

/// After so many iterations it is stopped. The paper's examples take up to three; each iteration differentiates a connection
/// once more, and no model has an index like this.
pub const MOST_ITERATIONS: usize = 20;

/// How it ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Every block is regular in every mode.
    Regular,
    /// As if all modes were one, these rows are too many for these columns, whatever is differentiated.
    Inconsistent {
        /// The rows.
        rows: Vec<u32>,
        /// What they contain.
        columns: Vec<u32>,
    },
    /// In these modes equations are too many or too few, and no connection is among those that are too many.
    Stuck(ModeSet),
    /// Still not regular after [`MOST_ITERATIONS`], or a row was differentiated as often.
    Stopped,
}

/// A block that is singular in a mode, and what is done about it.
#[derive(Clone, Debug)]
pub struct SingularLoop {
    /// The block.
    pub block: UnitedBlock,
    /// Leading derivatives of its columns when it was looked at.
    pub unknowns: Vec<Derivative<VariableId>>,
    /// The mode in which it was found: a set of modes that are alike in this.
    pub mode: ModeSet,
    /// The connections that are too many there.
    pub differentiated: Vec<u32>,
    /// The derivatives that come into the variable association list by them.
    pub introduced: Vec<Derivative<VariableId>>,
}

/// One iteration: what the standard algorithm differentiated before it, and what is singular in it.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// Rows and how often the standard algorithm differentiated them now.
    pub differentiated: Vec<(u32, u32)>,
    /// How many blocks have several equations.
    pub loops: usize,
    /// Blocks that are singular in some mode.
    pub singular: Vec<SingularLoop>,
}

/// What multi-mode Pantelides makes of a model.
#[derive(Debug)]
pub struct MultiModePantelides {
    /// The system it works on, without what is known and what has another name.
    pub united: United,
    /// Variables that are known functions of time.
    pub known: Vec<VariableId>,
    /// Variables that another one stands for.
    pub aliases: Vec<(VariableId, VariableId)>,
    /// In order.
    pub iterations: Vec<Iteration>,
    /// How it ended.
    pub outcome: Outcome,
    /// How often each row is differentiated, in all modes alike.
    pub row_offsets: Vec<u32>,
    /// The order of the leading derivative of each column.
    pub column_offsets: Vec<u32>,
    /// The blocks at the end.
    pub blocks: Vec<UnitedBlock>,
    /// States at the end; nothing where it did not end regularly, or where there are too many modes to tell.
    pub states: Option<Vec<SelectedState>>,
}

/// Runs the algorithm.
pub fn multi_mode_pantelides(dae: &MultimodeDae, analysis: &Analysis) -> Result<MultiModePantelides, Limit> {
    analysis.space.set_task("multi-mode Pantelides");
    let reduced = aliases::reduced(dae, analysis);
    let mut run =
        Running { analysis, united: &reduced.united, standard: Standard::new(&reduced.united), iterations: Vec::new() };
    let (outcome, blocks) = run.until_regular()?;
    let Running { standard, iterations, .. } = run;
    let (row_offsets, column_offsets) = (standard.c.clone(), standard.d.clone());
    let states = match outcome {
        Outcome::Regular => states::selected(dae, analysis, &reduced.united, &row_offsets, &column_offsets),
        _ => None,
    };
    analysis.space.check()?;
    let aliases::Reduced { united, known, aliases } = reduced;
    let found = MultiModePantelides {
        united,
        known,
        aliases,
        iterations,
        outcome,
        row_offsets,
        column_offsets,
        blocks,
        states,
    };
    if cfg!(debug_assertions) {
        found.assert_certificate(analysis);
    }
    Ok(found)
}

struct Running<'a> {
    analysis: &'a Analysis,
    united: &'a United,
    standard: Standard<'a>,
    iterations: Vec<Iteration>,
}

impl Running<'_> {
    /// Steps 1 to 6.
    fn until_regular(&mut self) -> Result<(Outcome, Vec<UnitedBlock>), Limit> {
        loop {
            let before = self.standard.c.clone();
            match self.standard.run() {
                Ok(()) => {}
                Err(Unsolvable::Inconsistent { rows, columns }) => {
                    return Ok((Outcome::Inconsistent { rows, columns }, Vec::new()));
                }
                Err(Unsolvable::TooOften) => return Ok((Outcome::Stopped, Vec::new())),
            }
            let rows = before.iter().zip(&self.standard.c).enumerate();
            let differentiated =
                rows.filter(|(_, (old, new))| new > old).map(|(row, (old, new))| (row as u32, new - old)).collect();
            let blocks = loops::blocks(self.analysis, self.united, &self.standard)?;
            let loops = blocks.iter().filter(|block| block.rows.len() > 1).count();
            let singular = self.singular(&blocks);
            let (is_regular, is_stuck) =
                (singular.is_empty(), singular.iter().any(|singular| singular.differentiated.is_empty()));
            self.iterations.push(Iteration { differentiated, loops, singular });
            if is_regular || is_stuck {
                let left = self.analysis.space.union(blocks.iter().flat_map(|block| [block.fails, block.too_few]));
                let outcome = if left.is_empty() { Outcome::Regular } else { Outcome::Stuck(left) };
                return Ok((outcome, blocks));
            } else if self.iterations.len() >= MOST_ITERATIONS {
                return Ok((Outcome::Stopped, blocks));
            }
            self.introduce();
        }
    }

    /// Steps 3 to 5: of each block that is singular in some mode, one such mode, and the connections that are too many there.
    fn singular(&self, blocks: &[UnitedBlock]) -> Vec<SingularLoop> {
        let space = &self.analysis.space;
        let mut found = Vec::new();
        for block in blocks.iter().filter(|block| self.has_connection(block) && !block.fails.is_empty()) {
            let mode = loops::alike(space, block);
            let there = block.rows.iter().zip(&block.too_many).filter(|(_, modes)| space.implies(mode, **modes));
            let is_connection = |row: &u32| self.united.rows[*row as usize].kind == RowKind::Switching;
            let differentiated: Vec<u32> = there.map(|(row, _)| *row).filter(is_connection).collect();
            let unknown = |&column: &u32| Derivative {
                of: self.united.columns[column as usize],
                order: self.standard.d[column as usize],
            };
            let unknowns = block.columns.iter().map(unknown).collect();
            let introduced = self.introduced_by(&differentiated);
            found.push(SingularLoop { block: block.clone(), unknowns, mode, differentiated, introduced });
        }
        found
    }

    fn has_connection(&self, block: &UnitedBlock) -> bool {
        block.rows.iter().any(|&row| self.united.rows[row as usize].kind == RowKind::Switching)
    }

    /// The derivatives that are in no list yet and that differentiating these rows would bring in.
    fn introduced_by(&self, rows: &[u32]) -> Vec<Derivative<VariableId>> {
        let mut found: Vec<Derivative<VariableId>> = Vec::new();
        for &row in rows {
            for entry in &self.united.rows[row as usize].entries {
                let order = entry.highest() + self.standard.c[row as usize] + 1;
                let derivative = Derivative { of: self.united.columns[entry.column as usize], order };
                if order > self.standard.d[entry.column as usize] && !found.contains(&derivative) {
                    found.push(derivative);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Step 5: the variables of these connections are differentiated, and so will the connections be.
    fn introduce(&mut self) {
        let Some(last) = self.iterations.last() else { return };
        for row in last.singular.iter().flat_map(|singular| singular.differentiated.iter().copied()) {
            self.standard.introduce(row);
        }
    }
}

impl MultiModePantelides {
    /// Where it ends, every mode has offsets by which it is regular, and the exact ones are the smallest of these.
    fn assert_certificate(&self, analysis: &Analysis) {
        if !matches!(self.outcome, Outcome::Regular) {
            return;
        }
        let singular = analysis.singular_modes();
        for (row, &times) in
            self.united.rows.iter().zip(&self.row_offsets).filter(|(row, _)| row.kind != RowKind::Dummy)
        {
            for &equation in &row.equations {
                let more =
                    analysis.space.difference(analysis.offsets.equations[equation].at_least(times + 1), singular);
                assert!(more.is_empty(), "exact offsets of regular modes are the smallest");
            }
        }
    }

    /// Rows that are differentiated, with how often.
    pub fn differentiated(&self) -> impl Iterator<Item = (&Row, u32)> {
        let rows = self.united.rows.iter().zip(&self.row_offsets);
        rows.filter(|(row, times)| row.kind != RowKind::Dummy && **times > 0).map(|(row, times)| (row, *times))
    }

    /// The equations of a row that the exact analysis differentiates less often, in these modes.
    pub fn spared(&self, analysis: &Analysis, row: &Row, times: u32) -> Vec<(EquationId, ModeSet)> {
        let less = row.equations.iter().map(|&equation| {
            let guard = analysis.incidence.equations()[equation].guard;
            let as_often = analysis.offsets.equations[equation].at_least(times);
            (equation, analysis.space.difference(guard, as_often))
        });
        less.filter(|(_, modes)| !modes.is_empty()).collect()
    }
}
