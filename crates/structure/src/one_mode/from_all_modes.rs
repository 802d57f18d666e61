//! The signature and the blocks of one mode, read off the analysis of all modes: always to be had, also where the blocks
//! of all modes are too many to be listed.
//!
//! In a mode, blocks are the components of the edges that lie on a cycle there, and the others single equations.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use modeshift_dae::{EquationId, IndexVec, ModeVariableId, VariableId};
use modeshift_modes::ModeSet;

use super::signature::{ModeSignature, Signature};
use crate::{Analysis, Derivative, EdgeId};

/// A block in one mode; all lists ascend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeBlock {
    /// The equations, differentiated.
    pub equations: Vec<Derivative<EquationId>>,
    /// The leading derivatives they are solved for.
    pub writes: Vec<Derivative<VariableId>>,
    /// The highest derivatives that are needed from outside.
    pub reads: Vec<Derivative<VariableId>>,
}

impl Analysis {
    /// The blocks in one mode, in an order in which they can be solved; nothing if the mode is singular.
    pub fn blocks_at(&self, mode: impl Fn(ModeVariableId) -> bool) -> Option<Vec<ModeBlock>> {
        let is_in = |set: ModeSet| self.space.evaluate(set, |variable| mode(ModeVariableId(variable.0)));
        let unmatched = self.matching.unmatched_equations.iter().chain(self.matching.unmatched_variables.iter());
        if unmatched.copied().any(&is_in) {
            return None;
        }
        let equations: Vec<EquationId> =
            self.incidence.equations().ids().filter(|&id| is_in(self.incidence.equations()[id].guard)).collect();
        let representative = self.representatives(&equations, &is_in);
        let mut members: BTreeMap<EquationId, Vec<EquationId>> = BTreeMap::new();
        for &equation in &equations {
            members.entry(representative[equation]).or_default().push(equation);
        }
        Some(solving_order(members.values().map(|equations| self.mode_block(equations, &is_in)).collect()))
    }

    /// The signature matrix in one mode, with the equations and variables that its rows and columns stand for.
    pub fn signature(&self, mode: impl Fn(ModeVariableId) -> bool) -> ModeSignature {
        let is_in = |set: ModeSet| self.space.evaluate(set, |variable| mode(ModeVariableId(variable.0)));
        let mut column: IndexVec<VariableId, u32> = self.incidence.variables().iter().map(|_| u32::MAX).collect();
        let mut variables = Vec::new();
        for (variable, vertex) in self.incidence.variables().iter_enumerated() {
            if is_in(vertex.guard) {
                column[variable] = variables.len() as u32;
                variables.push(variable);
            }
        }
        let mut signature = Signature::new(variables.len());
        let mut equations = Vec::new();
        for (equation, vertex) in self.incidence.equations().iter_enumerated() {
            if is_in(vertex.guard) {
                let entries = self.incidence.edges_of_equation(equation).filter_map(|edge| {
                    let order = self.incidence.orders(edge).iter().find(|&&(_, modes)| is_in(modes))?.0;
                    Some((column[self.incidence.variable(edge)], order))
                });
                signature.push(entries);
                equations.push(equation);
            }
        }
        ModeSignature { signature, equations, variables }
    }

    /// The smallest equation of the block of each equation.
    fn representatives(
        &self,
        equations: &[EquationId],
        is_in: &impl Fn(ModeSet) -> bool,
    ) -> IndexVec<EquationId, EquationId> {
        let cyclic = |edge: EdgeId| is_in(self.cycles.edges[edge]);
        let mut representative: IndexVec<EquationId, EquationId> = self.incidence.equations().ids().collect();
        let mut seen: IndexVec<EquationId, bool> = representative.iter().map(|_| false).collect();
        for &start in equations {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let mut pending = vec![start];
            while let Some(equation) = pending.pop() {
                representative[equation] = start;
                for edge in self.incidence.edges_of_equation(equation).filter(|&edge| cyclic(edge)) {
                    for &other in self.incidence.edges_of_variable(self.incidence.variable(edge)) {
                        let next = self.incidence.equation(other);
                        if !seen[next] && cyclic(other) {
                            seen[next] = true;
                            pending.push(next);
                        }
                    }
                }
            }
        }
        representative
    }

    fn mode_block(&self, equations: &[EquationId], is_in: &impl Fn(ModeSet) -> bool) -> ModeBlock {
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        let derivative = |equation: EquationId| {
            let order = self.offsets.equations[equation].value(is_in);
            Derivative { of: equation, order }
        };
        let equations: Vec<_> = equations.iter().map(|&equation| derivative(equation)).collect();
        for equation in &equations {
            for edge in self.incidence.edges_of_equation(equation.of) {
                let Some(&(order, _)) = self.incidence.orders(edge).iter().find(|(_, modes)| is_in(*modes)) else {
                    continue;
                };
                let variable = Derivative { of: self.incidence.variable(edge), order: order + equation.order };
                reads.push(variable);
                if is_in(self.matching.edges[edge]) {
                    writes.push(variable);
                }
            }
        }
        writes.sort_unstable();
        reads.sort_unstable();
        reads.dedup();
        reads.retain(|read| writes.binary_search(read).is_err());
        ModeBlock { equations, writes, reads }
    }
}

/// Sorts blocks so that each comes after those whose writes it reads, smaller equations first.
fn solving_order(blocks: Vec<ModeBlock>) -> Vec<ModeBlock> {
    let mut writer: BTreeMap<Derivative<VariableId>, usize> = BTreeMap::new();
    for (at, block) in blocks.iter().enumerate() {
        writer.extend(block.writes.iter().map(|&write| (write, at)));
    }
    let mut waits_for = vec![0; blocks.len()];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (at, block) in blocks.iter().enumerate() {
        for from in block.reads.iter().filter_map(|read| writer.get(read)) {
            readers[*from].push(at);
            waits_for[at] += 1;
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..blocks.len()).filter(|&at| waits_for[at] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(blocks.len());
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for &reader in &readers[at] {
            waits_for[reader] -= 1;
            if waits_for[reader] == 0 {
                ready.push(Reverse(reader));
            }
        }
    }
    assert_eq!(order.len(), blocks.len(), "blocks can be solved one after the other");
    let mut blocks: Vec<Option<ModeBlock>> = blocks.into_iter().map(Some).collect();
    order.into_iter().map(|at| blocks[at].take().expect("each block is listed once")).collect()
}
