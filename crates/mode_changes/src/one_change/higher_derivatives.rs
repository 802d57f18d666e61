//! Derivatives beyond the leading ones: the levels below zero.
//!
//! At level `-k` the unknown of variable `j` is its derivative `d + k`, and equation `i` contributes `f^(c + k) = 0`: the
//! system Jacobian again. The series of a guard needs a few of them, of the variables it reads and of what those depend
//! on: an entry with slack `s` passes the need on to level `-(k - s)`, so in a long model it stays near.

use std::collections::BTreeSet;

use modeshift_dae::Derivative;
use modeshift_numerics::residual_newton::{self, Failure, Linearization, Wanted};
use modeshift_structure::one_mode::{Block, Column, ModeStructure};

use super::restart::BlockSystem;
use crate::one_mode::{Jet, Residuals, linearity};

impl Jet {
    /// Extends a consistent jet: some variables by `count` derivatives beyond the leading ones, and others as far as
    /// that takes.
    pub fn extend_towards(
        &mut self,
        wanted: &[Column],
        count: u32,
        structure: &ModeStructure,
        equations: &dyn Residuals,
    ) -> Result<(), Failure> {
        for (beyond, blocks) in (1..).zip(needed_blocks(structure, wanted, count)) {
            for block in blocks {
                extend_block(structure, equations, self, &structure.blocks()[block], beyond)?;
            }
        }
        Ok(())
    }
}

/// By number of derivatives beyond the leading ones, from 1: the blocks to solve.
fn needed_blocks(structure: &ModeStructure, wanted: &[Column], count: u32) -> Vec<BTreeSet<usize>> {
    let mut needed: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count as usize];
    let block_of = |column: Column| structure.block_of(structure.matched_row(column));
    if let Some(highest) = needed.last_mut() {
        highest.extend(wanted.iter().map(|&column| block_of(column)));
    }
    for level in (0..needed.len()).rev() {
        let mut pending: Vec<usize> = needed[level].iter().copied().collect();
        while let Some(block) = pending.pop() {
            if level > 0 {
                needed[level - 1].insert(block);
            }
            for &row in &structure.blocks()[block].rows {
                for &entry in structure.incidence(row) {
                    let slack = structure.slack(row, entry) as usize;
                    let read = block_of(entry.column);
                    if slack <= level && needed[level - slack].insert(read) && slack == 0 {
                        pending.push(read);
                    }
                }
            }
        }
    }
    needed
}

fn extend_block(
    structure: &ModeStructure,
    equations: &dyn Residuals,
    jet: &mut Jet,
    block: &Block,
    beyond: u32,
) -> Result<(), Failure> {
    let order = |column: Column| structure.variable_offset(column) + beyond;
    let unknowns: Vec<Derivative<Column>> =
        block.columns.iter().map(|&column| Derivative::new(column, order(column))).collect();
    if unknowns.iter().all(|unknown| jet.knows(unknown.of, unknown.order)) {
        return Ok(());
    }
    let linearity = linearity(equations, block);
    let solution = residual_newton::solve_block(vec![0.0; unknowns.len()], linearity, |values, wanted| {
        jet.set_all(&unknowns, values);
        constraints(structure, equations, beyond, block, jet, wanted)
    });
    match solution {
        Ok(values) => {
            jet.set_all(&unknowns, &values);
            Ok(())
        }
        Err(failure) => {
            jet.set_all(&unknowns, &vec![f64::NAN; unknowns.len()]);
            Err(failure)
        }
    }
}

/// The differentiated equations of a block, linearized at a jet.
fn constraints(
    structure: &ModeStructure,
    equations: &dyn Residuals,
    beyond: u32,
    block: &Block,
    jet: &Jet,
    wanted: Wanted,
) -> Linearization {
    let mut system = BlockSystem::new(block);
    for (at, &row) in block.rows.iter().enumerate() {
        let order = structure.equation_offset(row) + beyond;
        system.constraint(structure, equations, at, row, order, jet, wanted);
    }
    system.linearization
}
