//! What the analysis of long modes found, carried over into the space of initial modes and scenarios.

use modeshift_dae::{EquationId, IndexVec, VariableId};
use modeshift_modes::{Invariant, ModeSet, ModeSpace};
use rustc_hash::FxHashMap;

use crate::matching::offsets::Thermometer;
use crate::{Analysis, EdgeId};

/// Guards, offsets and matching of the long modes, in the initial modes.
pub(crate) struct Carried {
    pub(crate) equation_guards: IndexVec<EquationId, ModeSet>,
    pub(crate) variable_guards: IndexVec<VariableId, ModeSet>,
    pub(crate) equation_offsets: IndexVec<EquationId, Thermometer>,
    pub(crate) variable_offsets: IndexVec<VariableId, Thermometer>,
    pub(crate) matched: IndexVec<EdgeId, ModeSet>,
    /// The orders of each edge with their modes.
    pub(crate) orders: IndexVec<EdgeId, Vec<(u32, ModeSet)>>,
    /// The modes in which the model is singular, whatever its start.
    pub(crate) singular: ModeSet,
}

impl Carried {
    /// Everything that initialization needs of an analysis.
    pub(crate) fn new(analysis: &Analysis, space: &ModeSpace, invariant: &Invariant) -> Carried {
        let Analysis { incidence, matching, offsets, .. } = analysis;
        let singular = analysis.singular_modes();
        let given = incidence.mode_sets().chain(matching.edges.iter().copied()).chain(offsets.mode_sets());
        let images = Images::new(&analysis.space, space, invariant, given.chain([singular]));
        let offset = |offset: &Thermometer| offset.mapped(|set| images.of(set));
        Carried {
            equation_guards: incidence.equations().iter().map(|vertex| images.of(vertex.guard)).collect(),
            variable_guards: incidence.variables().iter().map(|vertex| images.of(vertex.guard)).collect(),
            equation_offsets: offsets.equations.iter().map(offset).collect(),
            variable_offsets: offsets.variables.iter().map(offset).collect(),
            matched: matching.edges.iter().map(|&set| images.of(set)).collect(),
            orders: incidence
                .edges()
                .map(|edge| incidence.orders(edge).iter().map(|&(order, set)| (order, images.of(set))).collect())
                .collect(),
            singular: images.of(singular),
        }
    }
}

/// Sets of one space as sets of another, projected onto its invariant.
struct Images {
    known: FxHashMap<ModeSet, ModeSet>,
    contradictory: bool,
}

impl Images {
    fn new(from: &ModeSpace, to: &ModeSpace, invariant: &Invariant, sets: impl Iterator<Item = ModeSet>) -> Images {
        let mut known: FxHashMap<ModeSet, ModeSet> = FxHashMap::default();
        let mut different = Vec::new();
        for set in sets {
            if !set.is_all() && !set.is_empty() && known.insert(set, ModeSet::EMPTY).is_none() {
                different.push(set);
            }
        }
        let imported = to.import(from, &different, |variable| variable);
        known.extend(different.into_iter().zip(invariant.project_all(to, &imported)));
        Images { known, contradictory: invariant.contradiction().is_some() }
    }

    fn of(&self, set: ModeSet) -> ModeSet {
        match self.contradictory {
            true => ModeSet::EMPTY,
            false if set.is_all() || set.is_empty() => set,
            false => self.known[&set],
        }
    }
}
