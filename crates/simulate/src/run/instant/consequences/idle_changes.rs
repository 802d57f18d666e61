//! Changes that an instant need not make.
//!
//! Equal blocks on top of each other, with one coefficient of friction: while the lowest interface slides, those above stand exactly at
//! their limits, and whether one of them is called stuck or sliding makes no difference to anything that moves. When all reach
//! their limits at once, all are proposed to leave; when a mode that is passed through lets one slide, it would go on to do so at
//! the same speed. But a state is left when its condition holds, and at the limit it does not; so what would be in another state
//! for nothing, with all its own relations at zero for ever, is tried as it was before the instant.

use modeshift_dae::RelationId;
use modeshift_mode_changes::Sign;

use crate::run::instant::Instant;
use crate::run::instant::candidate::Candidate;
use crate::run::instant::discrete_fixpoint::{MicroStep, Settled};

/// A Boolean with a memory that is not as it was before the instant, although nothing moves it.
pub(crate) struct IdleChange {
    /// Its number.
    pair: usize,
    /// Atoms that may lead back to where it was, if they are turned.
    pub ways: Vec<Vec<RelationId>>,
}

impl<'a> Instant<'_, 'a> {
    /// Booleans with a memory that have changed in the instant, although all relations that decide about them vanish on the right
    /// side or do not exist there.
    pub fn idle_changes(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
    ) -> Vec<IdleChange> {
        let part = &self.prepared.discrete;
        if candidate.is_transient || !candidate.is_new || !candidate.restarted.weights.is_empty() {
            return Vec::new();
        }
        let pairs = part.pairs.iter().enumerate();
        let changed = pairs.filter(|(_, pair)| pair.iter().any(|&id| settled.discrete[id] != step.origin.discrete[id]));
        let changed: Vec<usize> = changed.map(|(number, _)| number).collect();
        // What changes alone changes for a reason: nothing else has moved.
        if changed.len() < 2 {
            return Vec::new();
        }
        let sides = (step.left, &candidate.restarted.side);
        let values = self.memory.buffers.atom_values(self.prepared, sides, step.occasion, step.sampled);
        let mut idle = Vec::new();
        for pair in changed {
            let atoms = &part.pair_atoms[pair];
            let vanishes = |atom: &RelationId| {
                let value = values[*atom];
                value.0.is_nan() || self.sign(step, settled, candidate, *atom, value) == Sign::Vanishing
            };
            // What has no condition here, as a fuse that has blown, changed by a condition of the mode it left.
            let is_judged_here = atoms.iter().any(|atom| !values[*atom].0.is_nan());
            if !is_judged_here || !atoms.iter().all(vanishes) {
                continue;
            }
            let turned = |atom: &&RelationId| {
                let it = &part.atoms[**atom];
                settled.discrete[it.variable] != step.left.discrete[it.variable] && step.decides(it.moment)
            };
            let turned: Vec<RelationId> = atoms.iter().filter(turned).copied().collect();
            // What does not exist here has the truth of a mode that was passed through: it is as it was before the instant.
            let is_stale = |atom: &&RelationId| {
                let variable = part.atoms[**atom].variable;
                values[**atom].0.is_nan() && settled.discrete[variable] != step.origin.discrete[variable]
            };
            let stale: Vec<RelationId> = atoms.iter().filter(is_stale).copied().collect();
            let existing = atoms.iter().filter(|&&it| !values[it].0.is_nan() && step.decides(part.atoms[it].moment));
            let leaving = existing.map(|&it| [&[it], &stale[..]].concat());
            let ways = [turned].into_iter().filter(|it| !it.is_empty()).chain(leaving);
            idle.push(IdleChange { pair, ways: ways.collect() });
        }
        idle
    }

    /// Whether an idle change is undone.
    pub fn is_as_it_began(&self, step: &MicroStep<'_, 'a>, settled: &Settled, change: &IdleChange) -> bool {
        self.prepared.discrete.pairs[change.pair].iter().all(|&id| settled.discrete[id] == step.origin.discrete[id])
    }
}
