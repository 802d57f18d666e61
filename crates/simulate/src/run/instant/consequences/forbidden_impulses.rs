//! Impulses that relations forbid.
//!
//! A friction that sticks while its force is at most 1 N cannot pass on an impulse, whatever makes it: a stop that throws a body
//! back, a `reinit`, a clutch that is found to close at the very start. A mode of such an instant has no duration, so that values and
//! derivatives say nothing about it; but relations whose quantities are impulsive in it say what they say in any other.
//!
//! The same for a state that is entered in an instant, as the sticking of a friction whose sliding has been turned around by a clutch:
//! where its own impulse has it left at once, it never held, and is passed through with the left limits as they were.

use modeshift_dae::{IndexVec, Mode, RelationId, VariableId};
use modeshift_mode_changes::Term;

use crate::run::instant::Instant;
use crate::run::instant::candidate::{Candidate, Objection, no_reset};
use crate::run::instant::discrete_fixpoint::{MicroStep, Reset, Settled};
use crate::run::instant::event_iteration::NoOutcome;
use crate::run::instant::judgement::Violation;
use crate::run::instant::next_mode::Selected;
use crate::run::instant::restart::{NoRestart, Restarted};
use crate::run::instant::stair_edges::StairEdges;
use crate::run::prepare::relations::Moment;
use crate::run::sliding::entry::NoSliding;
use crate::run::values::Side;

/// An impulse that is not so many times as large as the one without any `reinit` comes from the drift of constraints.
const ABOVE_DRIFT: f64 = 1e3;

impl<'a> Instant<'_, 'a> {
    /// What a micro-step leads to, and the modes that are passed through since their own impulses have them left at once.
    pub fn select_allowed(
        &mut self,
        step: &MicroStep<'_, 'a>,
        proposal: IndexVec<VariableId, f64>,
    ) -> Result<(Selected<'a>, Vec<Mode>), NoOutcome> {
        let mut selected = self.select(step, proposal)?;
        let mut passed = Vec::new();
        let mut left = step.left.clone();
        let mut is_passed = vec![false; self.prepared.discrete.pairs.len()];
        loop {
            let from = MicroStep { left: &left, ..*step };
            let pairs = self.struck_at_entry(&from, &mut selected);
            // What has passed through one state in a micro-step stays in the next one until the micro-step is over.
            if pairs.is_empty() || pairs.iter().any(|&pair| is_passed[pair]) {
                return Ok((selected, passed));
            }
            let discrete = &selected.settled.discrete;
            let mut next = left.clone();
            for &pair in &pairs {
                is_passed[pair] = true;
                self.prepared.discrete.pairs[pair].iter().for_each(|&id| next.discrete[id] = discrete[id]);
            }
            next.last = self.prepared.last_values(&left, &next.discrete);
            let truths = selected.candidate.restarted.side.discrete.clone();
            passed.push(selected.settled.mode);
            selected = self.select(&MicroStep { left: &next, ..*step }, truths)?;
            left = next;
        }
    }

    /// Booleans with a memory, by number, that a micro-step has changed and that would change again at once, because of an impulse of what
    /// they have changed to.
    fn struck_at_entry(&mut self, step: &MicroStep<'_, 'a>, selected: &mut Selected<'a>) -> Vec<usize> {
        let Selected { settled, candidate, .. } = selected;
        if step.is_literal || candidate.restarted.weights.is_empty() || !self.has_changed_pairs(step, settled) {
            return Vec::new();
        }
        let part = &self.prepared.discrete;
        let side = candidate.restarted.side.clone();
        let truths = &side.discrete;
        let Some(later) = self.with_memory_as_become(step, settled, &side, truths.clone()) else { return Vec::new() };
        let mut struck = Vec::new();
        for (number, pair) in part.pairs.iter().enumerate() {
            let is_in = |one: &IndexVec<VariableId, f64>, other: &IndexVec<VariableId, f64>| {
                pair.iter().all(|&id| one[id] == other[id])
            };
            if is_in(&settled.discrete, &step.left.discrete) || is_in(&later.discrete, &settled.discrete) {
                continue;
            }
            let impulsive = self.impulsive(step, settled, &mut candidate.restarted, &part.pair_atoms[number]);
            let decides = |atom: RelationId| {
                let mut turned = truths.clone();
                let truth = &mut turned[part.atoms[atom].variable];
                *truth = 1.0 - *truth;
                let otherwise = self.with_memory_as_become(step, settled, &side, turned);
                otherwise.is_some_and(|it| !is_in(&it.discrete, &later.discrete))
            };
            if impulsive.into_iter().any(decides) {
                struck.push(number);
            }
        }
        struck
    }

    /// What the discrete part is with these truths once Booleans with a memory remember what they have become.
    fn with_memory_as_become(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        side: &Side<'a>,
        truths: IndexVec<VariableId, f64>,
    ) -> Option<Settled> {
        let own = self.own_left(step, settled);
        let own_step = MicroStep { left: &own, start: None, ..*step };
        self.settle_next(&own_step, truths, side).ok()
    }

    /// Whether a right side is left by the next micro-step: a Boolean with a memory changes again.
    pub fn leads_on(&mut self, step: &MicroStep<'_, 'a>, settled: &Settled, side: &Side<'a>) -> bool {
        if !self.has_changed_pairs(step, settled) {
            return false;
        }
        let later = self.with_memory_as_become(step, settled, side, side.discrete.clone());
        later.is_some_and(|later| !self.is_same_memory(&later.discrete, &settled.discrete))
    }

    /// Of some atoms, those that are impulsive on a right side.
    fn impulsive(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        restarted: &mut Restarted<'a>,
        atoms: &[RelationId],
    ) -> Vec<RelationId> {
        let known = self.prepared.known(step.left, &settled.discrete, step.occasion, step.sampled);
        let mut impulsive = Vec::new();
        for &atom in atoms.iter().filter(|&&atom| self.prepared.discrete.atoms[atom].moment == Moment::Now) {
            let series = self.memory.series(self.prepared, atom);
            if series.is_some_and(|series| restarted.impulse_of(&series, &known).is_some()) {
                impulsive.push(atom);
            }
        }
        impulsive
    }

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
        let mut restarted = match self.reset(step, settled, accepted) {
            Err(NoOutcome::NoReset(spans, reason @ NoRestart::Conflicting(_))) => {
                let let_go = self.let_go(step, settled, accepted, &mut Vec::new());
                return let_go.ok_or(NoOutcome::NoReset(spans, reason));
            }
            restarted => restarted?,
        };
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

    /// The right side where what holds a state leaves its `reinit` no way, as a friction that holds a body to the ground: it would take any
    /// impulse, so it is let go, by relations after which it stays so; some have been turned already.
    fn let_go(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        accepted: &Candidate<'a>,
        turned: &mut Vec<Violation>,
    ) -> Option<Restarted<'a>> {
        let part = &self.prepared.discrete;
        let of_resets = |atom: RelationId| {
            let island = part.islands.of_atom(atom);
            settled.resets.iter().any(|it| part.islands.has_variable(island, it.variable))
        };
        let is_held_by = |atom: &RelationId| part.atoms[*atom].moment == Moment::Now && of_resets(*atom);
        // Each holds for itself: those behind the last one that was let go.
        let first = part.pair_atoms.iter().rposition(|atoms| turned.iter().any(|it| atoms.contains(&it.0)));
        for atoms in part.pair_atoms.iter().skip(first.map_or(0, |at| at + 1)) {
            for &atom in atoms.iter().filter(|&atom| is_held_by(atom)) {
                turned.push((atom, (Term::Weight(0), 0.0)));
                let let_go = match self.let_go_by(step, settled, accepted, turned) {
                    Some(Err(_)) => self.let_go(step, settled, accepted, turned),
                    let_go => let_go.and_then(Result::ok),
                };
                if let_go.is_some() {
                    return let_go;
                }
                turned.pop();
            }
        }
        None
    }

    /// The right side with these relations turned; an error where something else holds the state, nothing where they come back.
    fn let_go_by(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        accepted: &Candidate<'a>,
        turned: &[Violation],
    ) -> Option<Result<Restarted<'a>, NoRestart>> {
        let again = self.settle(step, self.with_flipped(settled, turned), &accepted.restarted.side).ok()?;
        if again.mode == settled.mode || again.excluded.is_some() {
            return None;
        }
        let released = self.candidate(step, &again).ok()?.restarted;
        let again = Settled { entered: Vec::new(), ..again };
        let from_there = MicroStep { left: &released.side, ..*step };
        let mode = released.side.mode.clone();
        let mut restarted = match self.reset_in(&from_there, &again, &settled.laws, &mode, &settled.resets) {
            Ok(restarted) => restarted,
            Err(reason) => return Some(Err(reason)),
        };
        if !self.struck(step, &again, &mut restarted).is_empty() {
            return None;
        }
        let truths = self.next_proposal(step.left, &restarted.side, &StairEdges::default(), true);
        let later = self.with_memory_as_become(step, &again, &restarted.side.clone(), truths)?;
        self.is_same_memory(&later.discrete, &again.discrete).then_some(Ok(restarted))
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
