//! Approximate structural analysis: the model as an ordinary tool sees it, as if all branches of its conditions were taken
//! at once, and the modes in which that cannot be solved (E22 §2.1 and §2.2, RR9459 §3.1).
//!
//! Guarded equations that exclude each other are one equation with branches; each variable occurs in it with the highest
//! derivative that any branch has. One incidence graph, one Σ-method, one matching, one list of blocks, for all modes.
//! What is solved for is then a *pivot*: in a mode in which it does not occur, the tool divides by zero.
//!
//! ```text
//! 0 = if bh then x - xmax else yh      is solved for yh        yh = -(if bh then x - xmax else 0)/(if bh then 0 else 1)
//! ```
//!
//! | file | purpose |
//! |---|---|
//! | `united` | [`United`]: one system for all modes |
//! | `merge` | which guarded equations are branches of one equation |
//! | `dummies` | equations for the variables of states that are not active (MOE15 §2.1) |
//! | `blocks` | blocks of the united system, and the modes in which each has no solution |
//! | `pivots` | an equation solved for its variable, as guarded expressions |

pub(crate) mod blocks;
mod dummies;
mod merge;
mod pivots;
pub(crate) mod united;

use modeshift_dae::MultimodeDae;
use modeshift_modes::Limit;

use crate::one_mode::{Parts, matched};
use crate::{Analysis, one_mode};

pub use blocks::UnitedBlock;
pub use pivots::{Pivot, pivots};
pub use united::{Row, RowKind, United, UnitedEntry};

/// What an ordinary tool makes of a model.
#[derive(Debug)]
pub struct Approximate {
    /// One system for all modes.
    pub united: United,
    /// How often each row is differentiated.
    pub row_offsets: Vec<u32>,
    /// The order of the leading derivative of each column.
    pub column_offsets: Vec<u32>,
    /// The column that each row is solved for.
    pub column_of: Vec<u32>,
    /// What is solved together, each block after those that it waits for.
    pub blocks: Vec<UnitedBlock>,
}

/// The approximate analysis; of a united system that is singular, its over- and underdetermined parts, by rows and columns.
pub fn approximate(dae: &MultimodeDae, analysis: &Analysis) -> Result<Result<Approximate, (United, Parts)>, Limit> {
    analysis.space.set_task("uniting all modes");
    let united = United::new(dae, analysis, |_| false);
    let signature = united.signature();
    let matched = match matched(&signature) {
        Ok(matched) => matched,
        Err(parts) => return Ok(Err((united, parts))),
    };
    let blocks = one_mode::blocks(&signature, &matched);
    let tight = blocks::Tight { united: &united, rows: &matched.c, columns: &matched.d };
    let mut blocks = blocks
        .into_iter()
        .map(|block| {
            let rows = block.rows.iter().map(|row| row.0).collect();
            let columns = block.columns.iter().map(|column| column.0).collect();
            tight.block(analysis, rows, columns)
        })
        .collect::<Result<Vec<UnitedBlock>, Limit>>()?;
    // A variable without an equation has one too many elsewhere, which is where the tool fails; unless it has not.
    let too_many = analysis.space.union(blocks.iter().map(|block| block.fails));
    for block in blocks.iter_mut().filter(|block| !block.too_few.is_empty()) {
        let only_too_few = analysis.space.difference(block.too_few, too_many);
        block.fails = analysis.space.or(block.fails, only_too_few);
    }
    analysis.space.check()?;
    let one_mode::Matched { variable_of, c, d } = matched;
    Ok(Ok(Approximate { united, row_offsets: c, column_offsets: d, column_of: variable_of, blocks }))
}
