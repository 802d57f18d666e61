//! Blocks of one mode: strongly connected components of the dependencies among its equations, those needed first.

use modeshift_dae::Id;

use super::offsets::Matched;
use super::signature::{Column, Row, Signature};
use crate::graph::strongly_connected_components;

/// A set of equations that is solved at once, for as many variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its equations, in order.
    pub rows: Vec<Row>,
    /// Its variables, in order.
    pub columns: Vec<Column>,
}

/// The blocks of a mode, each after those it depends on.
pub fn blocks(signature: &Signature, matched: &Matched) -> Vec<Block> {
    let mut row_of = vec![Row(0); signature.variable_count()];
    for (row, &column) in matched.variable_of.iter().enumerate() {
        row_of[column as usize] = Row(row as u32);
    }
    let needed = |row: Row, at: usize| {
        let &(column, order) = signature.entries(row.0).get(at)?;
        let is_tight = matched.d[column as usize] == matched.c[row.index()] + order;
        Some(is_tight.then(|| row_of[column as usize]))
    };
    blocks_of(signature.equation_count(), needed, |row| Column(matched.variable_of[row.index()]))
}

/// The blocks of rows that wait for the rows `needed` of each, by position; `column` is what a row is solved for.
pub(super) fn blocks_of(
    size: usize,
    needed: impl Fn(Row, usize) -> Option<Option<Row>>,
    column: impl Fn(Row) -> Column,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    strongly_connected_components(size, (0..size).map(Row::from_index), needed, |rows| {
        rows.sort_unstable();
        let mut columns: Vec<Column> = rows.iter().map(|&row| column(row)).collect();
        columns.sort_unstable();
        blocks.push(Block { rows: rows.to_vec(), columns });
    });
    blocks
}
