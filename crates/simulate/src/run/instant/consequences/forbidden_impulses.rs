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

/// A Boolean with a memory that may hold a state, as a friction does.
struct Holder {
    /// Its number among the pairs.
    pair: usize,
    /// Relations by which it may be let go.
    ways: Vec<RelationId>,
    /// The one that is tried.
    tried: usize,
    is_let_go: bool,
}

/// What comes of letting some holders go.
enum LetGo<'a> {
    /// The states have the values of the `reinit`, and nothing comes back.
    Moves(Box<Restarted<'a>>),
    /// They have, but something changes at once.
    ComesBack(Back),
    /// Something else holds them.
    IsHeld,
    /// No other mode follows.
    Nothing,
}

/// What changes at once where some holders are let go: relations that impulses strike, and pairs by their numbers.
struct Back {
    struck: Vec<RelationId>,
    pairs: Vec<usize>,
}

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
                let let_go = self.let_go(step, settled, accepted);
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

    /// The right side where what holds a state leaves its `reinit` no way, as frictions that hold a body to the ground: they would take any
    /// impulse, so they are let go, by relations after which they stay so.
    ///
    /// They are let go one after the other, each by any of its relations, until the state can move; how it moves then tells by which
    /// relations they stay let go; and those hold again without which it moves as well. So about as many modes are tried as there are
    /// relations, not as there are combinations of them.
    fn let_go(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        accepted: &Candidate<'a>,
    ) -> Option<Restarted<'a>> {
        let part = &self.prepared.discrete;
        let is_reset = |island: usize| settled.resets.iter().any(|it| part.islands.has_variable(island, it.variable));
        let may_hold =
            |atom: RelationId| part.atoms[atom].moment == Moment::Now && is_reset(part.islands.of_atom(atom));
        let holder = |(pair, atoms): (usize, &Vec<RelationId>)| Holder {
            pair,
            ways: atoms.iter().copied().filter(|&atom| may_hold(atom)).collect(),
            tried: 0,
            is_let_go: false,
        };
        let mut holders: Vec<Holder> = part.pair_atoms.iter().enumerate().map(holder).collect();
        for holder in &mut holders {
            holder.ways.retain(|&way| self.leads_elsewhere(step, settled, accepted, way));
        }
        holders.retain(|it| !it.ways.is_empty());
        self.let_go_until_free(step, settled, accepted, &mut holders);
        let mut found = self.let_go_as_it_moves(step, settled, accepted, &mut holders)?;
        let mut let_go = holders.iter().filter(|it| it.is_let_go).count();
        for at in (0..holders.len()).rev().filter(|&at| holders[at].is_let_go).collect::<Vec<usize>>() {
            if let_go < 2 {
                break;
            }
            holders[at].is_let_go = false;
            match self.let_go_by(step, settled, accepted, &holders) {
                LetGo::Moves(fewer) => (found, let_go) = (fewer, let_go - 1),
                _ => holders[at].is_let_go = true,
            }
        }
        Some(*found)
    }

    /// Whether another mode follows where a relation is turned.
    fn leads_elsewhere(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        accepted: &Candidate<'a>,
        atom: RelationId,
    ) -> bool {
        let turned = self.with_flipped(settled, &[(atom, (Term::Weight(0), 0.0))]);
        let turned = self.settle(step, turned, &accepted.restarted.side);
        turned.is_ok_and(|it| it.mode != settled.mode && it.excluded.is_none())
    }

    /// Lets holders go, one after the other, until nothing holds the states of the `reinit` any more.
    fn let_go_until_free(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        accepted: &Candidate<'a>,
        holders: &mut [Holder],
    ) {
        for at in 0..holders.len() {
            holders[at].is_let_go = true;
            for way in 0..holders[at].ways.len() {
                holders[at].tried = way;
                match self.let_go_by(step, settled, accepted, holders) {
                    LetGo::Moves(_) | LetGo::ComesBack(_) => return,
                    LetGo::IsHeld => break,
                    LetGo::Nothing => {}
                }
                holders[at].is_let_go = way + 1 < holders[at].ways.len();
            }
        }
    }

    /// Lets holders go by those of their relations after which they stay let go, where nothing else holds the states of the `reinit`.
    fn let_go_as_it_moves(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        accepted: &Candidate<'a>,
        holders: &mut [Holder],
    ) -> Option<Box<Restarted<'a>>> {
        let first: Vec<usize> = holders.iter().map(|it| it.tried).collect();
        let rounds: usize = holders.iter().map(|it| it.ways.len() + 1).sum();
        for _ in 0..=rounds {
            let back = match self.let_go_by(step, settled, accepted, holders) {
                LetGo::Moves(found) => return Some(found),
                LetGo::ComesBack(back) => back,
                LetGo::IsHeld | LetGo::Nothing => return None,
            };
            let mut is_other = false;
            for (holder, first) in holders.iter_mut().zip(&first) {
                let struck = holder.ways.iter().position(|it| back.struck.contains(it));
                if struck.is_none() && !back.pairs.contains(&holder.pair) {
                    continue;
                }
                let next = (holder.tried + 1) % holder.ways.len();
                match (struck, holder.is_let_go) {
                    (_, false) => (holder.is_let_go, holder.tried) = (true, struck.unwrap_or(holder.tried)),
                    // All its relations lead back: it need not be let go.
                    _ if next == *first => (holder.is_let_go, holder.tried) = (false, next),
                    _ => holder.tried = next,
                }
                is_other = true;
            }
            if !is_other {
                return None;
            }
        }
        None
    }

    /// What comes of it where some are let go.
    fn let_go_by(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        accepted: &Candidate<'a>,
        holders: &[Holder],
    ) -> LetGo<'a> {
        let turned = holders.iter().filter(|it| it.is_let_go).map(|it| (it.ways[it.tried], (Term::Weight(0), 0.0)));
        let turned: Vec<Violation> = turned.collect();
        let Ok(again) = self.settle(step, self.with_flipped(settled, &turned), &accepted.restarted.side) else {
            return LetGo::Nothing;
        };
        if again.mode == settled.mode || again.excluded.is_some() {
            return LetGo::Nothing;
        }
        let Ok(Candidate { restarted: released, .. }) = self.candidate(step, &again) else { return LetGo::Nothing };
        let again = Settled { entered: Vec::new(), ..again };
        let from_there = MicroStep { left: &released.side, ..*step };
        let mode = released.side.mode.clone();
        let Ok(mut restarted) = self.reset_in(&from_there, &again, &settled.laws, &mode, &settled.resets) else {
            return LetGo::IsHeld;
        };
        let struck: Vec<RelationId> = self.struck(step, &again, &mut restarted).into_iter().map(|it| it.0).collect();
        if !struck.is_empty() {
            return LetGo::ComesBack(Back { struck, pairs: Vec::new() });
        }
        let truths = self.next_proposal(step.left, &restarted.side, &StairEdges::default(), true);
        let Some(later) = self.with_memory_as_become(step, &again, &restarted.side.clone(), truths) else {
            return LetGo::Nothing;
        };
        let is_kept =
            |id: &VariableId| later.discrete[*id] == again.discrete[*id] || self.prepared.is_memory_of_machine(*id);
        let pairs = self.prepared.discrete.pairs.iter().enumerate();
        let pairs: Vec<usize> = pairs.filter(|(_, pair)| !pair.iter().all(is_kept)).map(|(at, _)| at).collect();
        if pairs.is_empty() { LetGo::Moves(Box::new(restarted)) } else { LetGo::ComesBack(Back { struck, pairs }) }
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
