//! The order of computation: as few and as long chains of assignments as possible, iterations between them.
//!
//! What does not wait for an iteration comes first; then all iterations that can be done, and so on. What the
//! derivatives of the states do not need is marked, so that an integrator does not pay for it.

use modeshift_dae::Expressions;
use rustc_hash::FxHashSet;

use crate::program::blocks::leaves::Leaves;
use crate::program::blocks::plan::{Assignment, Item, Iteration};
use crate::program::states::quantities::{Quantities, QuantityIndex};

/// A chain of assignments, then iterations that do not depend on each other.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    pub chain: Vec<Assignment>,
    /// Those of the chain that later stages, the stage's own iterations or the derivatives of states need.
    pub exports: Vec<QuantityIndex>,
    /// Iterations, and whether the derivatives of states need them.
    pub iterations: Vec<(Iteration, bool)>,
}

/// Which stage computes a quantity, and how.
#[derive(Clone, Copy)]
enum Writer {
    /// A state.
    Given,
    Chain(u32),
    Iteration(u32),
}

/// Puts items, each after those it depends on, into stages.
pub(crate) fn schedule(
    expressions: &Expressions,
    leaves: &mut Leaves,
    quantities: &Quantities,
    states: &[QuantityIndex],
    items: Vec<Item>,
) -> Vec<Stage> {
    let reads: Vec<Vec<QuantityIndex>> =
        items.iter().map(|item| reads(expressions, leaves, quantities, item)).collect();
    let mut writers = vec![Writer::Given; quantities.len()];
    let mut stage_of = Vec::with_capacity(items.len());
    for (item, reads) in items.iter().zip(&reads) {
        let stage = reads.iter().map(|&read| first_stage_after(writers[read.index()])).max().unwrap_or(0);
        stage_of.push(stage);
        match item {
            Item::Assign(assignment) => writers[assignment.target.index()] = Writer::Chain(stage),
            Item::Iterate(iteration) => {
                iteration.unknowns.iter().for_each(|unknown| writers[unknown.index()] = Writer::Iteration(stage));
            }
        }
    }
    let needed = needed(&items, &reads, states, quantities.len());
    let mut stages: Vec<Stage> = Vec::new();
    stages.resize_with(stage_of.iter().max().map_or(0, |&last| last as usize + 1), Stage::default);
    let exported = exported(&items, &reads, &stage_of, &writers, states, &needed);
    for (item, stage) in items.into_iter().zip(stage_of) {
        let stage = &mut stages[stage as usize];
        match item {
            Item::Assign(assignment) => {
                if exported[assignment.target.index()] {
                    stage.exports.push(assignment.target);
                }
                stage.chain.push(assignment);
            }
            Item::Iterate(iteration) => {
                let is_needed = iteration.unknowns.iter().any(|unknown| needed[unknown.index()]);
                stage.iterations.push((iteration, is_needed));
            }
        }
    }
    stages
}

fn first_stage_after(writer: Writer) -> u32 {
    match writer {
        Writer::Given => 0,
        Writer::Chain(stage) => stage,
        Writer::Iteration(stage) => stage + 1,
    }
}

/// The quantities of other items that an item depends on.
pub(super) fn reads(
    expressions: &Expressions,
    leaves: &mut Leaves,
    quantities: &Quantities,
    item: &Item,
) -> Vec<QuantityIndex> {
    match item {
        Item::Assign(assignment) => {
            let leaves = leaves.of(expressions, assignment.expression).iter();
            leaves.filter_map(|leaf| quantities.index(leaf.of, leaf.order)).collect()
        }
        Item::Iterate(iteration) => {
            let formulas = iteration.formulas.iter();
            let own: FxHashSet<QuantityIndex> =
                iteration.unknowns.iter().copied().chain(formulas.clone().map(|it| it.target)).collect();
            let roots = iteration.residuals.iter().copied().chain(formulas.map(|it| it.expression));
            let mut reads = Vec::new();
            for root in roots {
                let leaves = leaves.of(expressions, root).iter();
                let quantities = leaves.filter_map(|leaf| quantities.index(leaf.of, leaf.order));
                reads.extend(quantities.filter(|read| !own.contains(read)));
            }
            reads
        }
    }
}

/// What the derivatives of states depend on.
fn needed(items: &[Item], reads: &[Vec<QuantityIndex>], states: &[QuantityIndex], count: usize) -> Vec<bool> {
    let mut needed = vec![false; count];
    states.iter().for_each(|state| needed[state.derivative().index()] = true);
    for (item, reads) in items.iter().zip(reads).rev() {
        let is_needed = match item {
            Item::Assign(assignment) => needed[assignment.target.index()],
            Item::Iterate(iteration) => iteration.unknowns.iter().any(|unknown| needed[unknown.index()]),
        };
        if is_needed {
            reads.iter().for_each(|read| needed[read.index()] = true);
        }
    }
    needed
}

/// Which results of chains are needed outside their chain.
fn exported(
    items: &[Item],
    reads: &[Vec<QuantityIndex>],
    stage_of: &[u32],
    writers: &[Writer],
    states: &[QuantityIndex],
    needed: &[bool],
) -> Vec<bool> {
    let mut exported = vec![false; needed.len()];
    states.iter().for_each(|state| exported[state.derivative().index()] = true);
    for ((item, reads), &stage) in items.iter().zip(reads).zip(stage_of) {
        let (is_iteration, is_needed) = match item {
            Item::Assign(assignment) => (false, needed[assignment.target.index()]),
            Item::Iterate(iteration) => (true, iteration.unknowns.iter().any(|unknown| needed[unknown.index()])),
        };
        for read in reads.iter().filter(|_| is_needed) {
            if let Writer::Chain(written) = writers[read.index()] {
                exported[read.index()] |= is_iteration || written < stage;
            }
        }
    }
    exported
}
