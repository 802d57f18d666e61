//! Which states to fix where the start is underdetermined: as few as possible, and those that suggest themselves.
//!
//! Each state of the underdetermined part gets an equation that fixes it, in order of preference: variables with a
//! start value, then those that the modeler wants as states, then by declaration. These equations are matched after all
//! others. Those that find a place are the proposal: a set is found greedily, and since sets of variables that can
//! be fixed together form a matroid, there is no smaller and no preferable one.

use std::cmp::Reverse;

use modeshift_dae::{EquationId, IndexVec, StateSelect, VariableId};
use modeshift_modes::{Limit, ModeSet, ModeSpace};

use super::matching::Pairs;
use super::system::System;
use crate::incidence::dual_representation::{Incidence, Occurrence, Vertex};
use crate::{Matching, Parts};

/// The modes in which it is proposed to fix each variable.
pub(crate) fn proposal(
    space: &ModeSpace,
    system: &System,
    matching: &Matching,
    parts: &Parts,
    order: &[EquationId],
) -> Result<IndexVec<VariableId, ModeSet>, Limit> {
    let mut proposal: IndexVec<VariableId, ModeSet> = system.states.iter().map(|_| ModeSet::EMPTY).collect();
    let candidates = candidates(space, system, parts);
    if candidates.is_empty() {
        return Ok(proposal);
    }
    let subsystem = Subsystem { space, system, matching, parts, candidates: &candidates };
    let incidence = subsystem.incidence();
    let first = system.origins.len();
    let fixing = |at: usize| EquationId((first + at) as u32);
    let order: Vec<EquationId> = order.iter().copied().chain((0..candidates.len()).map(fixing)).collect();
    let mut pairs = Pairs::new(space, &incidence, &order);
    subsystem.pair_as_before(&mut pairs);
    let fixings: Vec<EquationId> = (0..candidates.len()).map(fixing).collect();
    // One level of preference after the other: within a level, what is near is matched first.
    let mut rest = &fixings[..];
    for level in candidates.chunk_by(|one, next| preference(system, one.0) == preference(system, next.0)) {
        let (now, later) = rest.split_at(level.len());
        pairs.match_equations(now, &order)?;
        rest = later;
    }
    for (&fixing, &(variable, modes)) in fixings.iter().zip(&candidates) {
        proposal[variable] = space.difference(modes, pairs.unmatched(fixing));
    }
    Ok(proposal)
}

/// Underdetermined states with their modes, the preferred ones first.
fn candidates(space: &ModeSpace, system: &System, parts: &Parts) -> Vec<(VariableId, ModeSet)> {
    let states = system.states.iter_enumerated();
    let underdetermined = states.map(|(id, &modes)| (id, space.and(modes, parts.underdetermined_variables[id])));
    let mut candidates: Vec<(VariableId, ModeSet)> = underdetermined.filter(|(_, modes)| !modes.is_empty()).collect();
    candidates.sort_by_cached_key(|&(id, _)| (preference(system, id), system.quantities[id].of));
    candidates
}

/// How much a variable suggests itself for being fixed, the least the most.
fn preference(system: &System, id: VariableId) -> (bool, Reverse<StateSelect>, u32) {
    let quantity = system.quantities[id];
    let declared = &system.dae.model.variables[quantity.of];
    let has_start = quantity.order == 0 && declared.start.is_some();
    (!has_start, Reverse(declared.state_select), quantity.order)
}

/// The underdetermined part with an equation for each candidate.
struct Subsystem<'a> {
    space: &'a ModeSpace,
    system: &'a System,
    matching: &'a Matching,
    parts: &'a Parts,
    candidates: &'a [(VariableId, ModeSet)],
}

impl Subsystem<'_> {
    fn incidence(&self) -> Incidence {
        let known = &self.system.incidence;
        let mut equations: IndexVec<EquationId, Vertex> = known
            .equations()
            .iter()
            .zip(self.parts.underdetermined_equations.iter())
            .map(|(vertex, &guard)| Vertex { name: vertex.name.clone(), guard })
            .collect();
        let variables = known
            .variables()
            .iter()
            .zip(self.parts.underdetermined_variables.iter())
            .map(|(vertex, &guard)| Vertex { name: vertex.name.clone(), guard })
            .collect();
        let mut occurrences = Vec::new();
        for edge in known.edges() {
            let (equation, variable) = (known.equation(edge), known.variable(edge));
            // What an underdetermined equation contains beyond its part is determined elsewhere.
            let modes = self.space.and(known.active(edge), self.parts.underdetermined_variables[variable]);
            if !modes.is_empty() {
                occurrences.push(Occurrence { equation, variable, order: 0, modes });
            }
        }
        for &(variable, modes) in self.candidates {
            let name = known.variables()[variable].name.clone();
            let equation = equations.push(Vertex { name, guard: modes });
            occurrences.push(Occurrence { equation, variable, order: 0, modes });
        }
        Incidence::new(self.space, equations, variables, occurrences)
    }

    fn pair_as_before(&self, pairs: &mut Pairs<'_>) {
        let known = &self.system.incidence;
        for edge in known.edges() {
            let equation = known.equation(edge);
            let modes = self.space.and(self.matching.edges[edge], self.parts.underdetermined_equations[equation]);
            if !modes.is_empty() {
                pairs.pair(equation, known.variable(edge), modes);
            }
        }
    }
}
