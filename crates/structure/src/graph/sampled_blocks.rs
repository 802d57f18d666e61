//! Blocks of some modes, among equations whose blocks are too many to be listed.
//!
//! A corridor with a thousand doors has a block per set of open doors. Its small blocks can be found in all modes (`small_blocks`), the large ones
//! only mode by mode. A mode drawn by lot has most combinations of near values somewhere along the model, so that few
//! modes show most of what can be seen in a block.

use std::cell::Cell;

use modeshift_dae::{Derivative, EquationId, Id, VariableId};
use modeshift_modes::{ModeSet, ModeVariable};
use rustc_hash::FxHashSet;

use super::small_blocks::MOST_EQUATIONS;
use crate::{Analysis, EdgeId};

/// Blocks that are looked for.
const MOST_BLOCKS: u64 = 64;
/// Blocks that are looked for in one mode, unless modes are quickly drawn.
const BLOCKS_OF_MODE: u64 = 16;
/// Drawing all values of a mode so often takes no time.
const FEW_VALUES: usize = 1_000;
/// Steps along decision diagrams that this may take.
const MOST_STEPS: u64 = 1_000_000;

/// A block with what it is solved for, in one mode.
pub(crate) struct SampledBlock<'a> {
    pub(crate) equations: Vec<Derivative<EquationId>>,
    pub(crate) writes: Vec<Derivative<VariableId>>,
    /// The values of the mode variables.
    pub(crate) mode: &'a [bool],
}

/// Tells some blocks of more than a few and at most `largest` equations, of those that an analysis does not list, as long as `look` wants
/// more. Equations and modes are drawn by lot.
pub(crate) fn sampled_blocks(analysis: &Analysis, largest: usize, mut look: impl FnMut(&SampledBlock<'_>) -> bool) {
    let not_listed = analysis.graph.not_listed();
    if not_listed.is_empty() {
        return;
    }
    let blocks_of_mode = if analysis.space.variable_count() <= FEW_VALUES { 1 } else { BLOCKS_OF_MODE };
    let steps = Cell::new(0);
    let mut known = FxHashSet::default();
    let mut mode = Vec::new();
    for number in 0..MOST_BLOCKS {
        if number % blocks_of_mode == 0 {
            mode = drawn_mode(analysis, number / blocks_of_mode);
        }
        let sample = Sample { analysis, mode: &mode, steps: &steps };
        let start = not_listed[(mixed(number) % not_listed.len() as u64) as usize];
        let members = sample.block_of(start, largest);
        let is_new = |members: &Members| !known.contains(&members.edges);
        if let Some(members) = members.filter(|it| it.equations.len() > MOST_EQUATIONS).filter(is_new) {
            let block = sample.block(&members);
            if block.equations.len() == block.writes.len() && !look(&block) {
                return;
            }
            known.insert(members.edges);
        }
        if steps.get() > MOST_STEPS {
            return;
        }
    }
}

/// Values of all mode variables that the invariant allows: by lot, in turns as many true ones as false ones, few, and many.
fn drawn_mode(analysis: &Analysis, number: u64) -> Vec<bool> {
    let space = &analysis.space;
    let most = match number % 4 {
        0 | 2 => 1 << 31,
        1 => 1 << 29,
        _ => 7 << 29,
    };
    let drawn = |variable: usize| mixed(number << 32 | variable as u64) >> 32 < most;
    let mut values: Vec<bool> = (0..space.variable_count()).map(drawn).collect();
    for component in analysis.invariant.components() {
        let mut at = component;
        while let Some((variable, low, high)) = space.top(at) {
            let value = &mut values[variable.index()];
            *value = !high.is_empty() && (*value || low.is_empty());
            at = if *value { high } else { low };
        }
    }
    values
}

/// The finalizer of splitmix64.
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// One mode.
struct Sample<'a> {
    analysis: &'a Analysis,
    mode: &'a [bool],
    steps: &'a Cell<u64>,
}

/// Equations and variables that edges on cycles connect; all ascending.
struct Members {
    equations: Vec<EquationId>,
    variables: Vec<VariableId>,
    /// These edges.
    edges: Vec<EdgeId>,
}

impl Sample<'_> {
    /// With the offsets of this mode.
    fn block(&self, members: &Members) -> SampledBlock<'_> {
        let Analysis { offsets, .. } = self.analysis;
        let order_of_equation = |of: EquationId| offsets.equations[of].value(|level| self.is_in(level));
        let order_of_variable = |of: VariableId| offsets.variables[of].value(|level| self.is_in(level));
        SampledBlock {
            equations: members.equations.iter().map(|&of| Derivative::new(of, order_of_equation(of))).collect(),
            writes: members.variables.iter().map(|&of| Derivative::new(of, order_of_variable(of))).collect(),
            mode: self.mode,
        }
    }

    fn is_in(&self, set: ModeSet) -> bool {
        self.analysis.space.evaluate(set, |variable: ModeVariable| {
            self.steps.set(self.steps.get() + 1);
            self.mode[variable.index()]
        })
    }

    /// All that edges on cycles connect with an equation; nothing where that is too much.
    fn block_of(&self, start: EquationId, largest: usize) -> Option<Members> {
        let Analysis { incidence, cycles, .. } = self.analysis;
        let is_on_cycle = |edge: EdgeId| self.is_in(cycles.edges[edge]);
        let mut members = Members { equations: vec![start], variables: Vec::new(), edges: Vec::new() };
        let (mut equations, mut variables) = (FxHashSet::from_iter([start]), FxHashSet::default());
        let mut at = 0;
        while let Some(&equation) = members.equations.get(at).filter(|_| members.equations.len() <= largest) {
            at += 1;
            for edge in incidence.edges_of_equation(equation).filter(|&edge| is_on_cycle(edge)) {
                members.edges.push(edge);
                let variable = incidence.variable(edge);
                if !variables.insert(variable) {
                    continue;
                }
                members.variables.push(variable);
                for &other in incidence.edges_of_variable(variable) {
                    let next = incidence.equation(other);
                    if !equations.contains(&next) && is_on_cycle(other) {
                        equations.insert(next);
                        members.equations.push(next);
                    }
                }
            }
        }
        members.equations.sort_unstable();
        members.variables.sort_unstable();
        members.edges.sort_unstable_by_key(|edge| edge.index());
        (members.equations.len() <= largest).then_some(members)
    }
}
