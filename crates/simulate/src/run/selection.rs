//! Next-mode selection among the atoms that do not agree with each other.
//!
//! Where changing all violated atoms at once leads nowhere, the atoms that were violated form a cluster, which is
//! searched by least index, by proposals of complementarity and by enumeration (`mode_changes::next_mode`). Atoms that
//! turn out to be violated on the way join the cluster.

use modeshift_dae::{IndexVec, VariableId};
use modeshift_mode_changes::{
    Cluster, Mode as States, NextMode, Objection as ClusterObjection, Sign, StateCondition, Term, Unusable, next_mode,
};

use super::engine::Engine;
use super::instant::{Candidate, MicroStep, NoOutcome, Objection, Settled};

/// How often a cluster may grow.
const MOST_GROWTHS: usize = 4;

/// A cluster of atoms in a micro-step.
struct Atoms<'e, 's, 'a> {
    engine: &'e mut Engine<'a>,
    step: &'e MicroStep<'s, 'a>,
    base: &'e IndexVec<VariableId, f64>,
    atoms: &'e [usize],
    counts: Vec<u32>,
    /// Violated atoms outside.
    outside: Vec<usize>,
    /// What was tried, in modes of the model.
    objections: &'e mut Vec<(Vec<bool>, Objection)>,
    failure: Option<NoOutcome>,
}

impl<'a> Atoms<'_, '_, 'a> {
    fn tried(&mut self, states: &States) -> Result<(Settled, Candidate<'a>), Unusable> {
        let mut discrete = self.base.clone();
        for (&atom, &state) in self.atoms.iter().zip(states) {
            discrete[self.engine.system.atoms[atom].variable] = f64::from(state);
        }
        let settled = match self.engine.settle(self.step, discrete) {
            Ok(settled) => settled,
            Err(failure) => {
                self.failure = Some(failure);
                return Err(Unusable("the discrete equations do not settle".to_string()));
            }
        };
        match self.engine.candidate(self.step, &settled) {
            Ok(candidate) => Ok((settled, candidate)),
            Err(objection) => {
                self.objections.push((settled.mode.clone(), objection));
                Err(Unusable("no right limits".to_string()))
            }
        }
    }
}

impl Cluster for Atoms<'_, '_, '_> {
    fn states(&self) -> &[u32] {
        &self.counts
    }

    fn conditions(&mut self, states: &States) -> Result<Vec<StateCondition>, Unusable> {
        let (settled, mut candidate) = self.tried(states)?;
        let violated = self.engine.violated(self.step, &settled, &mut candidate);
        let mut conditions = Vec::new();
        for &(atom, sign) in &violated {
            self.objections.push((settled.mode.clone(), Objection::Atom(atom, sign)));
            match self.atoms.iter().position(|&member| member == atom) {
                None => self.outside.push(atom),
                Some(element) => {
                    let (term, value) = sign.unwrap_or((Term::Derivative(0), -1.0));
                    let sign = Sign::Decided(term, -value.abs());
                    conditions.push(StateCondition { element, sign, otherwise: 1 - states[element] });
                }
            }
        }
        if conditions.is_empty() && !violated.is_empty() {
            return Err(Unusable("an atom outside the cluster is violated".to_string()));
        }
        conditions.sort_by_key(|condition| condition.element);
        Ok(conditions)
    }

    fn signature(&mut self, _: &States) -> Vec<f64> {
        Vec::new()
    }
}

impl<'a> Engine<'a> {
    /// Searches the atoms in question for truths that agree with the right limits they lead to.
    pub fn select(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: IndexVec<VariableId, f64>,
        mut atoms: Vec<usize>,
        mut objections: Vec<(Vec<bool>, Objection)>,
    ) -> Result<(Settled, Candidate<'a>), NoOutcome> {
        let flipped = |atom: usize| {
            let variable = self.system.atoms[atom].variable;
            proposal[variable] != step.left.discrete[variable]
        };
        atoms.extend((0..self.system.atoms.len()).filter(|&atom| flipped(atom)));
        for _ in 0..MOST_GROWTHS {
            atoms.sort_unstable();
            atoms.dedup();
            let current: States =
                atoms.iter().map(|&atom| u32::from(proposal[self.system.atoms[atom].variable] != 0.0)).collect();
            let mut cluster = Atoms {
                engine: self,
                step,
                base: &proposal,
                counts: vec![2; atoms.len()],
                atoms: &atoms,
                outside: Vec::new(),
                objections: &mut objections,
                failure: None,
            };
            let found = next_mode(&mut cluster, &current);
            let (outside, failure) = (std::mem::take(&mut cluster.outside), cluster.failure.take());
            match found {
                NextMode::Accepted { mode, .. } => {
                    return cluster.tried(&mode).map_err(|_| NoOutcome::NoMode(objections));
                }
                NextMode::None(_) if !outside.is_empty() => atoms.extend(outside),
                NextMode::None(tried) => {
                    let only_failure = tried.iter().all(|(_, it)| matches!(it, ClusterObjection::Unusable(_)));
                    return Err(failure.filter(|_| only_failure).unwrap_or(NoOutcome::NoMode(objections)));
                }
            }
        }
        Err(NoOutcome::NoMode(objections))
    }
}
