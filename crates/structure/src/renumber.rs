//! Numbers along the locality order, for the time of an analysis.
//!
//! The algorithms keep what they know of equations and variables in vectors by number. In a large model whose equations
//! were written in an order that has nothing to do with nearness, each step would then touch memory far from the last,
//! and an analysis takes four times as long though it does the same. So a large model is renumbered as soon as its order
//! is known, and the results get the model's own numbers back.

use std::sync::Arc;

use modeshift_dae::{EquationId, Id, IndexVec, MultimodeDae, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};

use crate::dependency_graph::Derivative;
use crate::incidence::Vertex;
use crate::occurrences::{Guards, Occurrences};
use crate::reading::Reading;
use crate::{Analysis, ConditionalDependencyGraph, Incidence, Matching, Offsets, Parts};

/// Smaller models fit the caches of a processor anyhow.
const LARGE: usize = 20_000;
/// How far apart neighbours in the order of work may be written, on average, in a model that is left as it is.
const NEAR: usize = 64;

/// Whether the equations are so many and written so far from their neighbours that new numbers pay.
pub(crate) fn pays(order: &[EquationId]) -> bool {
    let distance = |pair: &[EquationId]| pair[0].index().abs_diff(pair[1].index());
    order.len() >= LARGE && order.windows(2).map(distance).sum::<usize>() > NEAR * order.len()
}

/// New numbers of things, and the old ones by the new.
pub(crate) struct Permutation<I> {
    pub(crate) new: IndexVec<I, I>,
    pub(crate) old: IndexVec<I, I>,
}

impl<I: Id> Permutation<I> {
    /// The first of `preferred` gets number 0 and so on; those that are not preferred come last.
    fn new(count: usize, preferred: impl Iterator<Item = I>) -> Self {
        let mut listed = vec![false; count];
        let mut old: IndexVec<I, I> = IndexVec::new();
        for id in preferred.chain((0..count).map(I::from_index)) {
            if !std::mem::replace(&mut listed[id.index()], true) {
                old.push(id);
            }
        }
        let mut new: IndexVec<I, I> = old.ids().collect();
        for (number, &id) in old.iter_enumerated() {
            new[id] = number;
        }
        Permutation { new, old }
    }

    /// Vertices by new numbers, from guards by old ones. Nobody asks for their names.
    fn vertices(&self, guards: &IndexVec<I, ModeSet>) -> IndexVec<I, Vertex> {
        let nameless: Arc<str> = "".into();
        self.old.iter().map(|&id| Vertex { name: nameless.clone(), guard: guards[id] }).collect()
    }

    /// Items by old numbers, from items by new ones.
    fn undo<T: Clone>(&self, items: &IndexVec<I, T>) -> IndexVec<I, T> {
        self.new.iter().map(|&id| items[id].clone()).collect()
    }

    /// The same without copies.
    fn taken_back<T: Default>(&self, mut items: IndexVec<I, T>) -> IndexVec<I, T> {
        self.new.iter().map(|&id| std::mem::take(&mut items[id])).collect()
    }
}

/// New numbers for equations and variables.
pub(crate) struct Renumbering {
    equations: Permutation<EquationId>,
    variables: Permutation<VariableId>,
}

impl Renumbering {
    /// Numbers equations along an order, and variables by their first occurrence along it.
    pub(crate) fn along(dae: &MultimodeDae, reading: &Reading, order: &[EquationId]) -> Renumbering {
        let entries = order.iter().flat_map(|&equation| reading.entries(equation));
        Renumbering {
            equations: Permutation::new(dae.model.equations.len(), order.iter().copied()),
            variables: Permutation::new(dae.model.variables.len(), entries.map(|&(variable, _)| variable)),
        }
    }

    /// The incidence in new numbers.
    pub(crate) fn incidence(
        &self,
        space: &ModeSpace,
        guards: &Guards,
        occurrences: &Occurrences<'_>,
        order: &[EquationId],
    ) -> Incidence {
        let Renumbering { equations, variables } = self;
        let along = occurrences.along(order, |id| equations.new[id], |id| variables.new[id]);
        Incidence::of_grouped(
            space,
            equations.vertices(&guards.equations),
            variables.vertices(&guards.variables),
            along,
        )
    }

    /// The order of work in new numbers.
    pub(crate) fn order(&self, order: &[EquationId]) -> Vec<EquationId> {
        order.iter().map(|&equation| self.equations.new[equation]).collect()
    }

    /// The analysis in the model's own numbers.
    pub(crate) fn restored(&self, dae: &MultimodeDae, guards: &Guards, analysis: Analysis) -> Analysis {
        let Analysis { incidence, matching, offsets, parts, mut cycles, mut graph, order, .. } = analysis;
        cycles.equations = self.equations.undo(&cycles.equations);
        self.restore_graph(&mut graph);
        let (equations, variables) = guards.vertices(dae);
        Analysis {
            incidence: incidence.with_old_numbers(equations, variables, &self.equations, &self.variables),
            matching: self.restored_matching(matching),
            offsets: self.restored_offsets(offsets),
            parts: self.restored_parts(&parts),
            cycles,
            graph,
            order: order.iter().map(|&equation| self.equations.old[equation]).collect(),
            ..analysis
        }
    }

    fn restored_matching(&self, matching: Matching) -> Matching {
        Matching {
            unmatched_equations: self.equations.undo(&matching.unmatched_equations),
            unmatched_variables: self.variables.undo(&matching.unmatched_variables),
            ..matching
        }
    }

    fn restored_offsets(&self, offsets: Offsets) -> Offsets {
        Offsets {
            equations: self.equations.taken_back(offsets.equations),
            variables: self.variables.taken_back(offsets.variables),
        }
    }

    fn restored_parts(&self, parts: &Parts) -> Parts {
        Parts {
            overdetermined_equations: self.equations.undo(&parts.overdetermined_equations),
            overdetermined_variables: self.variables.undo(&parts.overdetermined_variables),
            underdetermined_equations: self.equations.undo(&parts.underdetermined_equations),
            underdetermined_variables: self.variables.undo(&parts.underdetermined_variables),
        }
    }

    fn restore_graph(&self, graph: &mut ConditionalDependencyGraph) {
        let equation = |it: &mut Derivative<EquationId>| it.of = self.equations.old[it.of];
        let variable = |it: &mut Derivative<VariableId>| it.of = self.variables.old[it.of];
        graph.rename(equation, variable, |id| self.equations.old[id]);
    }
}
