//! Steps 2 and 3: blocks of the highest derivatives, and the modes in which they have no assignment.
//!
//! The paper tries mode after mode of each loop. Here all modes of a loop are one question, and the answer is a set of modes;
//! one of them is then looked at, as the paper stops at the first that it finds.

use modeshift_modes::{Limit, ModeSet, ModeSpace};

use crate::Analysis;
use crate::approximate::blocks::Tight;
use crate::approximate::{United, UnitedBlock, UnitedEntry};
use crate::graph::strongly_connected_components;

use super::standard::Standard;

/// The blocks, each after those that it waits for.
pub(super) fn blocks(analysis: &Analysis, united: &United, standard: &Standard<'_>) -> Result<Vec<UnitedBlock>, Limit> {
    let tight = Tight { united, rows: &standard.c, columns: &standard.d };
    let needed = |row: u32, at: usize| {
        let entry: &UnitedEntry = united.rows[row as usize].entries.get(at)?;
        Some(tight.is_tight(row, entry).then(|| standard.row_of(entry.column)).flatten())
    };
    let mut components: Vec<Vec<u32>> = Vec::new();
    let count = united.rows.len();
    strongly_connected_components(count, 0..count as u32, needed, |rows| {
        rows.sort_unstable();
        components.push(rows.to_vec());
    });
    let block = |rows: Vec<u32>| {
        let mut columns: Vec<u32> = rows.iter().filter_map(|&row| standard.column_of(row)).collect();
        columns.sort_unstable();
        tight.block(analysis, rows, columns)
    };
    components.into_iter().map(block).collect()
}

/// Some modes in which a block fails and in which the same rows are too many.
pub(super) fn alike(space: &ModeSpace, block: &UnitedBlock) -> ModeSet {
    let mut modes = block.fails;
    for &too_many in &block.too_many {
        let there = space.and(modes, too_many);
        if !there.is_empty() {
            modes = there;
        }
    }
    modes
}
