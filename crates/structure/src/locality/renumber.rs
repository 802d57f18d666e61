//! Numbers along the locality order, for the time of an analysis.
//!
//! The algorithms keep what they know of equations and variables in vectors by number. In a large model whose equations
//! were written in an order that has nothing to do with nearness, each step would then touch memory far from the last,
//! and an analysis takes four times as long though it does the same. So a large model is renumbered as soon as its order
//! is known, and the results get the model's own numbers back.

use std::sync::Arc;

use modeshift_dae::{EquationId, Id, IndexVec, MultimodeDae, VariableId};
use modeshift_modes::ModeSet;

use crate::graph::dependency_graph::Derivative;
use crate::incidence::dual_representation::Vertex;
use crate::incidence::occurrences::{Guards, Occurrences, Row};
use crate::incidence::reading::Reading;
use crate::locality::bits::Bits;
use crate::locality::lists::Lists;
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
    /// These are the old numbers by the new ones, each once.
    fn of(old: IndexVec<I, I>) -> Self {
        let mut new: IndexVec<I, I> = old.ids().collect();
        for (number, &id) in old.iter_enumerated() {
            new[id] = number;
        }
        Permutation { new, old }
    }

    /// The first of `preferred` gets number 0 and so on; those that are not preferred come last.
    fn new(count: usize, preferred: &[I]) -> Self {
        let mut listed = Bits::new(count);
        preferred.iter().for_each(|id| assert!(listed.insert(id.index()), "a thing gets two numbers"));
        let others = (0..count).filter(|&id| !listed.contains(id)).map(I::from_index);
        Permutation::of(preferred.iter().copied().chain(others).collect())
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

/// New numbers, and the entries of the equations under them.
pub(crate) struct Renumbered {
    pub(crate) numbers: Renumbering,
    entries: Lists<Derivative<VariableId>>,
}

impl Renumbered {
    /// Numbers equations along an order, and variables by their first occurrence along it.
    pub(crate) fn along(dae: &MultimodeDae, reading: &Reading, order: &[EquationId]) -> Renumbered {
        let mut entries = Lists::with_capacity(order.len(), reading.entries.item_count());
        let mut met = Bits::new(dae.model.variables.len());
        let mut number = vec![VariableId(u32::MAX); dae.model.variables.len()];
        let mut variables = Vec::with_capacity(dae.model.variables.len());
        reading.entries.for_each_along(order.iter().copied(), |_, list| {
            for &Derivative { of: variable, order } in list {
                if met.insert(variable.index()) {
                    number[variable.index()] = VariableId::from_index(variables.len());
                    variables.push(variable);
                }
                entries.push_item(Derivative { of: number[variable.index()], order });
            }
            entries.end_list();
        });
        let numbers = Renumbering {
            equations: Permutation::new(dae.model.equations.len(), order),
            variables: Permutation::new(dae.model.variables.len(), &variables),
        };
        Renumbered { numbers, entries }
    }

    /// The incidence under new numbers, its edges along the order that gave them.
    pub(crate) fn incidence(
        &self,
        guards: &Guards,
        occurrences: &mut Occurrences<'_, '_>,
        order: &[EquationId],
    ) -> Incidence {
        let Renumbering { equations, variables } = &self.numbers;
        let equations = equations.vertices(&guards.equations);
        let own_guards: Vec<ModeSet> = equations.iter().map(|it| it.guard).collect();
        let row = |place: usize, _| Row {
            equation: EquationId::from_index(place),
            guard: own_guards[place],
            entries: self.entries.of(place),
        };
        occurrences.incidence_of_rows(order, (equations, variables.vertices(&guards.variables)), row)
    }
}

impl Renumbering {
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
        // Where every equation and variable is matched, nothing is unmatched and no part but the square one has members.
        let (matching, parts) = match matching.is_perfect() {
            true => (matching, parts),
            false => (self.restored_matching(matching), self.restored_parts(&parts)),
        };
        Analysis {
            incidence: incidence.with_old_numbers(equations, variables, &self.equations, &self.variables),
            matching,
            offsets: self.restored_offsets(offsets),
            parts,
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
