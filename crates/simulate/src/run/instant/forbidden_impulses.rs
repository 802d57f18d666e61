//! Impulses that relations forbid.
//!
//! A friction that sticks while its force is at most 1 N cannot pass on an impulse, whatever makes it: a stop that throws a body
//! back, a `reinit`, a clutch that is found to close at the very start. A mode of such an instant has no duration, so that values and
//! derivatives say nothing about it; but relations whose quantities are impulsive in it say what they say in any other.

use modeshift_dae::RelationId;
use modeshift_mode_changes::Term;

use crate::run::instant::Instant;
use crate::run::instant::candidate::{Candidate, Objection, no_reset};
use crate::run::instant::discrete_fixpoint::{MicroStep, Reset, Settled};
use crate::run::instant::event_iteration::NoOutcome;
use crate::run::instant::judgement::Violation;
use crate::run::instant::restart::Restarted;
use crate::run::prepare::relations::Moment;
use crate::run::sliding::entry::NoSliding;

/// An impulse that is not so many times as large as the one without any `reinit` comes from the drift of constraints.
const ABOVE_DRIFT: f64 = 1e3;

impl<'a> Instant<'_, 'a> {
    /// Atoms whose truths the impulses of a right side contradict.
    pub fn struck(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        restarted: &mut Restarted<'a>,
    ) -> Vec<Violation> {
        if restarted.weights.is_empty() {
            return Vec::new();
        }
        let part = &self.prepared.discrete;
        let is_read = |atom: RelationId| {
            let mut weights = restarted.weights.iter();
            weights.any(|(id, _)| part.reads[atom].contains(id))
        };
        let concerned = part.atoms.ids().filter(|&atom| {
            part.atoms[atom].moment == Moment::Now
                && part.decides(atom)
                && step.concerns(self.prepared, atom)
                && is_read(atom)
        });
        let concerned: Vec<RelationId> = concerned.collect();
        let known = self.prepared.known(step.left, &settled.discrete, step.occasion, step.sampled);
        let mut struck = Vec::new();
        for atom in concerned {
            let it = &part.atoms[atom];
            let series = self.memory.series(self.prepared, atom);
            let impulse = series.and_then(|series| restarted.impulse_of(&series, &known));
            let side = it.side(settled.discrete[it.variable] != 0.0);
            struck.extend(
                impulse
                    .filter(|(_, weight)| (*weight > 0.0) != (side > 0.0))
                    .map(|(order, weight)| (atom, (Term::Weight(order), weight))),
            );
        }
        struck
    }

    /// What `reinit` makes of the right side that a micro-step came to, in the mode in which no relation forbids the impulses that
    /// it makes.
    pub fn reset_as_allowed(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        accepted: &Candidate<'a>,
    ) -> Result<Restarted<'a>, NoOutcome> {
        let mut restarted = self.reset(step, settled, accepted)?;
        let mut struck = self.struck(step, settled, &mut restarted);
        if struck.is_empty() || self.is_drift(step, settled, &restarted, &struck) {
            return Ok(restarted);
        }
        let mut turned: Vec<Violation> = Vec::new();
        let mut tried = Vec::new();
        while let Some(&(atom, term)) = struck.first() {
            tried.push((restarted.side.mode.values.clone(), Objection::Atom(atom, term)));
            if turned.iter().any(|it| it.0 == atom) {
                return Err(NoOutcome::NoMode(tried, NoSliding::NoSurface));
            }
            turned.extend(struck);
            let again = self.settle(step, self.with_flipped(settled, &turned), &accepted.restarted.side)?;
            // What holds no longer is let go before, so that there are left limits of all that the `reinit` reaches.
            let released = match self.candidate(step, &again) {
                Ok(candidate) => candidate.restarted,
                Err(objection) => {
                    tried.push((again.mode.clone(), objection));
                    return Err(NoOutcome::NoMode(tried, NoSliding::NoSurface));
                }
            };
            let again = Settled { entered: Vec::new(), ..again };
            let from_there = MicroStep { left: &released.side, ..*step };
            let mode = released.side.mode.clone();
            let there = self.reset_in(&from_there, &again, &settled.laws, &mode, &settled.resets);
            restarted = there.map_err(|reason| no_reset(settled, reason))?;
            restarted.weights.extend(released.weights);
            struck = self.struck(step, &again, &mut restarted);
        }
        Ok(restarted)
    }

    /// Whether impulses are there with each state as it was, too.
    fn is_drift(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        restarted: &Restarted<'a>,
        struck: &[Violation],
    ) -> bool {
        let left = |it: &Reset| Reset { value: step.left.value(it.variable, 0), ..*it };
        let resets: Vec<Reset> = settled.resets.iter().map(left).collect();
        let mode = restarted.side.mode.clone();
        let Ok(mut without) = self.reset_in(step, settled, &settled.laws, &mode, &resets) else { return false };
        let known = self.prepared.known(step.left, &settled.discrete, step.occasion, step.sampled);
        struck.iter().all(|&(atom, (_, weight))| {
            let series = self.memory.series(self.prepared, atom);
            let drift = series.and_then(|series| without.impulse_of(&series, &known));
            drift.is_some_and(|(_, drift)| weight.abs() <= ABOVE_DRIFT * drift.abs())
        })
    }
}
