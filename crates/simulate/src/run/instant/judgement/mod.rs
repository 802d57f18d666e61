//! Whether a candidate may be the right side of a micro-step: its relations have the truths that it assumes.
//!
//! Only relations that the change reaches judge it: those that fired or were changed, and those that read what the restart
//! touched. Others stay as they are, and armed, however near to zero they happen to be.
//!
//! A Boolean with a memory, `on = if pre(on) then i >= 0 else u > 0`, has two relations, of which one decides to leave a state and
//! the other to leave the next one: they are one *pair*. When `on` changes, what judges the new state is the relation
//! that counts from then on. So the candidate must also stand if the Boolean's own left limit is what it has become. The
//! relation that counted before may turn back at once, as the threshold of a hysteresis does: it is forgotten.
//!
//! | file | purpose |
//! |---|---|
//! | [`shortly_after`] | relations whose values are noise, by where the mode leads them |

pub(crate) mod shortly_after;

use std::borrow::Cow;
use std::cell::OnceCell;

use modeshift_dae::{IndexVec, RelationId, VariableId};
use modeshift_mode_changes::{Noise, Sign, Term};

use crate::run::instant::Instant;
use crate::run::instant::candidate::Candidate;
use crate::run::instant::derived_guards::DerivedGuards;
use crate::run::instant::discrete_fixpoint::{MicroStep, Settled};
use crate::run::instant::event_iteration::NoOutcome;
use crate::run::instant::restart::{Restarted, jet_of};
use crate::run::prepare::discrete_part::DiscretePart;
use crate::run::prepare::relations::Moment;
use crate::run::running_sizes::ROUNDING;
use crate::run::values::Side;

/// An atom that has another truth than was assumed, and the term that says so.
pub(crate) type Violation = (RelationId, (Term, f64));

impl<'a> Instant<'_, 'a> {
    /// Atoms whose truths the right side contradicts, each with the term that says so. Truths that do not matter any more
    /// are corrected in the candidate.
    pub fn violated(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
    ) -> Vec<Violation> {
        if candidate.is_transient || step.is_literal || !candidate.is_new {
            let mut violated = self.moved(step, settled, candidate);
            violated.extend(self.struck(step, settled, &mut candidate.restarted));
            if !candidate.is_new && !step.is_literal {
                violated.extend(self.kept_although_crossed(step, settled));
                violated.extend(self.turned_for_nothing(step, settled));
            }
            violated.sort_by_key(|&(atom, _)| atom);
            violated.dedup_by_key(|&mut (atom, _)| atom);
            return violated;
        }
        let guards = self.derived_guards(step, settled, &candidate.restarted.side.clone());
        let mut standing = Cow::Borrowed(settled);
        if !guards.conditions.is_empty() {
            self.settle_truths(&mut standing.to_mut().discrete, &guards);
        }
        let settled = &*standing;
        let (contradicting, vanishing) = self.contradicting(step, settled, candidate, &guards);
        if guards.are_too_many {
            let all = guards.conditions.iter().map(|it| (it.atom, (Term::Derivative(0), -it.side)));
            return all.collect();
        }
        let rays = self.violated_rays(step, settled, candidate, &guards);
        self.settle_truths(&mut candidate.restarted.side.discrete, &guards);
        if !rays.is_empty() {
            // Where Booleans with a memory that have just changed are not undone by it, it leads on from there.
            let all = [&rays[..], &contradicting[..]].concat();
            let leads_on =
                self.has_changed_pairs(step, settled) && self.of_consequence(step, settled, candidate, all).is_empty();
            if leads_on {
                return Vec::new();
            }
            return self.blamed(step, settled, &rays).into_iter().chain(contradicting).collect();
        }
        if contradicting.is_empty() {
            let flipped_back = self.undone_pairs(step, settled, candidate, &[]);
            if flipped_back.is_empty() && settled.excluded.is_some() {
                return self.not_as_written(settled, &vanishing);
            }
            return flipped_back;
        }
        let is_forgotten = contradicting.iter().all(|(atom, _)| step.crossed.contains(atom))
            && self.is_forgotten(step, settled, candidate, &contradicting);
        if is_forgotten {
            self.correct(candidate, &contradicting);
            return Vec::new();
        }
        self.of_consequence(step, settled, candidate, contradicting)
    }

    /// Atoms that discrete variables have carried to the other side, as `x + n > 3` when `n` is counted up: the micro-step that
    /// assigns them sees it.
    fn moved(&mut self, step: &MicroStep<'_, 'a>, settled: &Settled, candidate: &Candidate<'a>) -> Vec<Violation> {
        let part = &self.prepared.discrete;
        let is_moved = |atom: &RelationId| is_moved(part, step, settled, *atom);
        let concerned = part.atoms.ids().filter(|&atom| step.concerns(self.prepared, atom));
        let moved: Vec<RelationId> = concerned.filter(is_moved).collect();
        if moved.is_empty() {
            return Vec::new();
        }
        let sides = (step.left, &candidate.restarted.side);
        let values = self.memory.buffers.atom_values(self.prepared, sides, step.occasion, step.sampled);
        let (mut violated, mut at_zero) = (Vec::new(), Vec::new());
        for atom in moved {
            let (it, value) = (&part.atoms[atom], values[atom]);
            let side = it.side(settled.discrete[it.variable] != 0.0);
            if !self.decides_moved(step, atom) || value.0.is_nan() {
                continue;
            }
            if !self.memory.is_clear(self.prepared, atom, value) {
                at_zero.push((atom, value));
            } else if (value.0 > 0.0) != (side > 0.0) {
                violated.push((atom, (Term::Derivative(0), value.0)));
            }
        }
        if !candidate.is_transient && !step.is_literal {
            violated.extend(self.moved_to_zero(step, settled, at_zero));
        }
        violated
    }

    /// Atoms that discrete variables have carried to zero, and that leave it to the other side than they are said to be on.
    fn moved_to_zero(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        at_zero: Vec<(RelationId, (f64, f64))>,
    ) -> Vec<Violation> {
        if at_zero.is_empty() {
            return Vec::new();
        }
        let again = MicroStep { must_restart: true, ..*step };
        let Ok(mut candidate) = self.candidate(&again, settled) else { return Vec::new() };
        let mut leaving = |&(atom, value): &(RelationId, (f64, f64))| {
            let it = self.prepared.discrete.atoms[atom];
            let side = it.side(settled.discrete[it.variable] != 0.0);
            match self.sign(step, settled, &mut candidate, atom, value) {
                Sign::Decided(term, value) if value * side < 0.0 => Some((atom, (term, value))),
                _ => None,
            }
        };
        at_zero.iter().filter_map(&mut leaving).collect()
    }

    /// Whether values decide an atom that discrete variables move: those of left limits have their truths before, and times that are
    /// known in advance are looked up.
    fn decides_moved(&self, step: &MicroStep<'_, 'a>, atom: RelationId) -> bool {
        let moment = self.prepared.discrete.atoms[atom].moment;
        moment == Moment::Now || self.prepared.is_function_of_time(atom, &step.left.discrete)
    }

    /// Whether discrete variables have moved an atom that crossed away from where it did: what it crossed is no edge of its own any
    /// more, and its value says on which side it is.
    fn is_moved_away(&mut self, step: &MicroStep<'_, 'a>, settled: &Settled, atom: RelationId) -> bool {
        if !is_moved(&self.prepared.discrete, step, settled, atom) {
            return false;
        }
        let moved = Side { discrete: settled.discrete.clone(), ..step.left.clone() };
        let sides = (step.left, &moved);
        let value = self.memory.buffers.atom_values(self.prepared, sides, step.occasion, step.sampled)[atom];
        self.memory.is_clear(self.prepared, atom, value)
    }

    /// Atoms that have not the truth that they had before, although nothing continuous has changed and their values are clearly those of
    /// before: the voltage of a thyristor that fires. (What discrete variables have moved is looked at by itself.)
    fn turned_for_nothing(&mut self, step: &MicroStep<'_, 'a>, settled: &Settled) -> Vec<Violation> {
        let part = &self.prepared.discrete;
        let has_changed = |id: &VariableId| settled.discrete[*id].to_bits() != step.left.discrete[*id].to_bits();
        let is_turned = |atom: &RelationId| {
            let it = &part.atoms[*atom];
            self.decides_moved(step, *atom)
                && settled.discrete[it.variable] != step.left.discrete[it.variable]
                && part.decides(*atom)
                && step.concerns(self.prepared, *atom)
                && !part.reads[*atom].iter().any(has_changed)
                && !step.crossed.contains(atom)
                && !step.released.contains(atom)
        };
        let turned: Vec<RelationId> = part.atoms.ids().filter(is_turned).collect();
        if turned.is_empty() {
            return Vec::new();
        }
        let sides = (step.left, step.left);
        let values = self.memory.buffers.atom_values(self.prepared, sides, step.occasion, step.sampled);
        let free = self.undetermined_on(step.left);
        let contradicts = |atom: &RelationId| {
            let (it, value) = (&part.atoms[*atom], values[*atom]);
            let side = it.side(settled.discrete[it.variable] != 0.0);
            let is_clear = self.memory.is_clear(self.prepared, *atom, value) && !free.iter().any(|it| it.0 == *atom);
            is_clear && (value.0 > 0.0) != (side > 0.0)
        };
        let contradicting = turned.into_iter().filter(contradicts);
        contradicting.map(|atom| (atom, (Term::Derivative(0), values[atom].0))).collect()
    }

    /// Judged atoms whose signs are not those of their truths, and those that vanish identically.
    pub fn contradicting(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
        guards: &DerivedGuards,
    ) -> (Vec<Violation>, Vec<RelationId>) {
        let sides = (step.left, &candidate.restarted.side);
        let values = self.memory.buffers.atom_values(self.prepared, sides, step.occasion, step.sampled);
        let (mut contradicting, mut vanishing) = (Vec::new(), Vec::new());
        for (atom, &value) in values.iter_enumerated() {
            let it = &self.prepared.discrete.atoms[atom];
            let is_carried = || {
                is_moved(&self.prepared.discrete, step, settled, atom)
                    && self.prepared.is_function_of_time(atom, &step.left.discrete)
            };
            let is_judged = (step.decides(it.moment) || is_carried())
                && step.concerns(self.prepared, atom)
                && !value.0.is_nan()
                && !guards.is_undetermined(atom);
            if !is_judged || !self.judges(step, settled, candidate, atom) {
                continue;
            }
            let truth = settled.discrete[it.variable] != 0.0;
            let Sign::Decided(term, decided) = self.sign(step, settled, candidate, atom, value) else {
                match self.prepared.discrete.decides(atom) {
                    true => vanishing.push(atom),
                    // What rests at zero is what is written for zero; an assertion that holds by more than rounding is not at zero.
                    false if truth != it.holds_at_zero() && value.0 * it.side(truth) <= ROUNDING * value.1 => {
                        self.correct(candidate, &[(atom, (Term::Derivative(0), 0.0))])
                    }
                    false => {}
                }
                continue;
            };
            if (decided > 0.0) == (it.side(truth) > 0.0) {
                continue;
            }
            let violation = (atom, (term, decided));
            match self.prepared.discrete.decides(atom) {
                true => contradicting.push(violation),
                false => self.correct(candidate, &[violation]),
            }
        }
        (contradicting, vanishing)
    }

    /// Of some atoms, those whose signs are not those of their truths, whether the change concerns them or not.
    pub fn without_their_sign(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
        atoms: &[RelationId],
    ) -> Vec<RelationId> {
        let sides = (step.left, &candidate.restarted.side);
        let values = self.memory.buffers.atom_values(self.prepared, sides, step.occasion, step.sampled);
        let has_other_sign = |&atom: &RelationId| {
            let it = &self.prepared.discrete.atoms[atom];
            let side = it.side(settled.discrete[it.variable] != 0.0);
            !values[atom].0.is_nan()
                && matches!(self.sign(step, settled, candidate, atom, values[atom]), Sign::Decided(_, value) if value * side < 0.0)
        };
        atoms.iter().copied().filter(has_other_sign).collect()
    }

    /// Atoms that have come to rest at zero in this micro-step, by a jump or where they crossed, and have not the truth that is
    /// written for zero: `u >= 1` where `u` jumps to 1.
    pub fn at_rest(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
    ) -> Vec<RelationId> {
        if step.is_literal {
            return Vec::new();
        }
        let part = &self.prepared.discrete;
        let sides = (step.left, &candidate.restarted.side);
        let after = self.memory.buffers.atom_values(self.prepared, sides, step.occasion, step.sampled);
        let is_at_zero = |&(atom, value): &(RelationId, (f64, f64))| {
            let it = &part.atoms[atom];
            step.decides(it.moment)
                && part.decides(atom)
                && (settled.discrete[it.variable] != 0.0) != it.holds_at_zero()
                && !value.0.is_nan()
                && !self.memory.is_clear(self.prepared, atom, value)
                && step.concerns(self.prepared, atom)
                && !step.released.contains(&atom)
        };
        let mut at_zero: Vec<_> =
            after.iter_enumerated().map(|(atom, &value)| (atom, value)).filter(is_at_zero).collect();
        if at_zero.is_empty() {
            return Vec::new();
        }
        let free = self.undetermined_on(&candidate.restarted.side);
        at_zero.retain(|(atom, _)| !free.iter().any(|it| it.0 == *atom));
        let mut values = |side: &Side<'a>| {
            let values = self.memory.buffers.atom_values(self.prepared, (side, side), step.occasion, step.sampled);
            at_zero.iter().map(|&(atom, _)| values[atom]).collect::<Vec<(f64, f64)>>()
        };
        // A `reinit` has moved it in the micro-step before.
        let origin = if step.all_by_series { step.origin } else { step.left };
        let before = values(origin);
        let right = &candidate.restarted.side;
        let jets = OnceCell::new();
        let mut come = Vec::new();
        for (&(atom, value), before) in at_zero.iter().zip(before) {
            let has_jumped = || !before.0.is_nan() && self.memory.is_clear(self.prepared, atom, before);
            // It would have crossed in this very instant, as at a `sample` that stops it.
            let was_passing = |instant: &mut Self| {
                if step.occasion.initial || origin.sliding.is_some() || right.sliding.is_some() {
                    return false;
                }
                let (before, after) = jets.get_or_init(|| (jet_of(origin), jet_of(right)));
                instant.known_slope((origin, before), atom).is_some()
                    && instant.known_slope((right, after), atom).is_none()
            };
            if step.crossed.contains(&atom) || has_jumped() || was_passing(self) {
                come.push((atom, value));
            }
        }
        come.into_iter()
            .filter(|&(atom, value)| self.sign(step, settled, candidate, atom, value) == Sign::Vanishing)
            .map(|(atom, _)| atom)
            .collect()
    }

    /// Whether the change concerns an atom.
    pub fn judges(
        &self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &Candidate<'a>,
        atom: RelationId,
    ) -> bool {
        let variable = self.prepared.discrete.atoms[atom].variable;
        if step.released.contains(&atom) {
            return false;
        }
        step.all_by_series
            || step.left.sliding.as_ref().is_some_and(|slide| slide.surface(atom).is_some())
            || step.crossed.contains(&atom)
            || settled.discrete[variable] != step.left.discrete[variable]
            || self.prepared.discrete.reads[atom]
                .iter()
                .any(|&read| candidate.restarted.reaches(read) || has_begun(step.left, &candidate.restarted.side, read))
            || is_moved(&self.prepared.discrete, step, settled, atom)
    }

    /// Of atoms that vanish identically, and so may have any truth, those that have not the one that is written down for
    /// zero: where an invariant excludes the mode, they are the ones that can change.
    fn not_as_written(&self, settled: &Settled, vanishing: &[RelationId]) -> Vec<Violation> {
        let truth = |atom: RelationId| settled.discrete[self.prepared.discrete.atoms[atom].variable] != 0.0;
        let others =
            vanishing.iter().filter(|&&atom| truth(atom) != self.prepared.discrete.atoms[atom].holds_at_zero());
        others
            .map(|&atom| (atom, (Term::Derivative(0), -self.prepared.discrete.atoms[atom].side(truth(atom)))))
            .collect()
    }

    /// Atoms that crossed zero, but have the truth that they had before, although their series in the mode as it was does
    /// not come back at once.
    fn kept_although_crossed(&mut self, step: &MicroStep<'_, 'a>, settled: &Settled) -> Vec<Violation> {
        let kept: Vec<RelationId> = step
            .crossed
            .iter()
            .copied()
            .filter(|&atom| {
                let it = &self.prepared.discrete.atoms[atom];
                it.moment == Moment::Now
                    && self.prepared.discrete.decides(atom)
                    && settled.discrete[it.variable] == step.left.discrete[it.variable]
            })
            .collect();
        let kept: Vec<RelationId> = kept.into_iter().filter(|&atom| !self.is_moved_away(step, settled, atom)).collect();
        if kept.is_empty() {
            return Vec::new();
        }
        let again = MicroStep { must_restart: true, ..*step };
        let mut candidate = self.candidate(&again, settled).ok();
        let free = self.undetermined_on(step.left);
        kept.into_iter()
            .filter_map(|atom| {
                let it = self.prepared.discrete.atoms[atom];
                let side = it.side(step.left.discrete[it.variable] != 0.0);
                // Of what is free a combination has crossed: the mode ends there.
                let has_sign = !free.iter().any(|it| it.0 == atom);
                let candidate = candidate.as_mut().filter(|_| has_sign);
                let sign = candidate.and_then(|candidate| self.sign_after_crossing(step, settled, candidate, atom));
                match sign {
                    Some(Sign::Decided(_, value)) if (value > 0.0) == (side > 0.0) => None,
                    Some(Sign::Decided(term, value)) => Some((atom, (term, value))),
                    _ => Some((atom, (Term::Derivative(1), -side))),
                }
            })
            .collect()
    }

    /// The sign of an atom that crossed, in the mode that it crossed in.
    fn sign_after_crossing(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
        atom: RelationId,
    ) -> Option<Sign> {
        if let Some(sign) = self.sign_shortly_after(step, candidate, atom, 0.0) {
            return Some(sign);
        }
        let series = self.memory.series(self.prepared, atom)?;
        let known = self.prepared.known(step.left, &settled.discrete, step.occasion, step.sampled);
        let noise = self.memory.noise(self.prepared, atom);
        candidate.restarted.sign_after_crossing(&series, &known, (&noise, self.memory.most))
    }

    /// The sign of an atom on the right side.
    pub fn sign(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
        atom: RelationId,
        value: (f64, f64),
    ) -> Sign {
        if let Some(sign) = self.sign_shortly_after(step, candidate, atom, value.0) {
            return sign;
        }
        let is_clear = self.memory.is_clear(self.prepared, atom, value);
        // What has crossed is at zero as exactly as its time is known, which another mode may show many times larger: the voltage of a diode
        // that blocks with a small leak.
        let is_small =
            || self.memory.located.contains(&atom) || candidate.restarted.is_suspicious(value.0, self.memory.most);
        let may_be_rounding = is_clear && is_small();
        if is_clear && !may_be_rounding && candidate.restarted.weights.is_empty() {
            return Sign::Decided(Term::Derivative(0), value.0);
        }
        let Some(series) = self.memory.series(self.prepared, atom) else { return Sign::Vanishing };
        let known = self.prepared.known(step.left, &settled.discrete, step.occasion, step.sampled);
        let noise = self.memory.noise(self.prepared, atom);
        let times = (self.memory.time_scale.known_short(), self.memory.resolution());
        let is_rounding = may_be_rounding
            && (self.memory.is_by_derivatives || candidate.restarted.is_rounding(&series, &known, value.0, times));
        if is_clear && !is_rounding && !candidate.restarted.has_impulse_in(&series) {
            return Sign::Decided(Term::Derivative(0), value.0);
        }
        let of_rounding = if is_rounding { 2.0 * value.0.abs() / noise.relative } else { 0.0 };
        // Slopes count that are more than the rounding of what they are made of.
        let slope = match self.memory.trusts_slopes {
            true => 0.0,
            false => candidate.restarted.side.slope_size(self.prepared, atom),
        };
        let of_value = if value.1.is_finite() { value.1 } else { 0.0 };
        let noise = Noise { floor: noise.floor.max(of_value).max(of_rounding), ..noise };
        let sign = candidate.restarted.sign(&series, &known, (&noise, self.memory.most), slope);
        let sign = sign.unwrap_or(Sign::Vanishing);
        if sign == Sign::Vanishing && is_clear && self.memory.is_by_derivatives {
            return Sign::Decided(Term::Derivative(0), value.0);
        }
        sign
    }

    /// Whether atoms that crossed zero and turn back decide nothing any more once `pre` values are new, as the upper
    /// threshold of a hysteresis once the lower one counts.
    fn is_forgotten(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &Candidate<'a>,
        turning: &[Violation],
    ) -> bool {
        let variable = |atom: RelationId| self.prepared.discrete.atoms[atom].variable;
        let has_changed = |&atom: &RelationId| settled.discrete[variable(atom)] != step.left.discrete[variable(atom)];
        if !step.crossed.iter().all(has_changed) || step.must_restart {
            return false;
        }
        if turning.iter().any(|&(atom, _)| self.is_moved_away(step, settled, atom)) {
            return false;
        }
        let (side, truths) = self.after_resets(step, settled, candidate, self.with_flipped(settled, turning));
        let next = step.following(&side);
        let later = self.settle_next(&next, truths, &side);
        later.is_ok_and(|later| later.mode == settled.mode && later.whens.is_empty())
    }

    /// Discrete values with the truths of some atoms turned.
    pub fn with_flipped(&self, settled: &Settled, atoms: &[Violation]) -> IndexVec<VariableId, f64> {
        let mut discrete = settled.discrete.clone();
        for &(atom, _) in atoms {
            let variable = self.prepared.discrete.atoms[atom].variable;
            discrete[variable] = 1.0 - discrete[variable];
        }
        discrete
    }

    /// Gives atoms of a candidate that do not matter the truths that they have there.
    fn correct(&self, candidate: &mut Candidate<'a>, atoms: &[Violation]) {
        for &(atom, _) in atoms {
            let variable = self.prepared.discrete.atoms[atom].variable;
            let truth = &mut candidate.restarted.side.discrete[variable];
            *truth = 1.0 - *truth;
        }
    }

    /// Of contradicting atoms, those that matter: nothing if the candidate stands with their truths turned as well.
    fn of_consequence(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
        contradicting: Vec<Violation>,
    ) -> Vec<Violation> {
        if self.prepared.discrete.pairs.is_empty() {
            return contradicting;
        }
        let undone = self.undone_pairs(step, settled, candidate, &contradicting);
        let turned = self.with_flipped(settled, &contradicting);
        let side = candidate.restarted.side.clone();
        let now = self.settle(step, turned.clone(), &side);
        let matters_now = !now.is_ok_and(|now| self.is_same_decision(&now, settled));
        let own = self.own_left(step, settled);
        let own_step = MicroStep { left: &own, start: None, ..*step };
        let (side, turned) = self.after_resets(step, settled, candidate, turned);
        let later = self.settle_next(&own_step, turned, &side);
        let stands = later.is_ok_and(|later| self.is_same_decision(&later, settled));
        if stands && (!matters_now || self.has_changed_pairs(step, settled)) {
            self.correct(candidate, &contradicting);
            return Vec::new();
        }
        if matters_now && !(undone.is_empty() && self.has_led_on(step, settled, candidate, &contradicting)) {
            let carried = self.carried_by_jumps(step, settled, candidate, &contradicting);
            if carried.len() < contradicting.len() {
                return contradicting.into_iter().filter(|it| !carried.contains(it)).collect();
            }
        }
        if undone.is_empty() {
            // What the relations say counts from the next micro-step on, and leads on from there: a cascade.
            self.correct(candidate, &contradicting);
        }
        undone
    }

    /// The right side of a micro-step with what `reinit` makes of it, and truths with those that its relations have there: the next one
    /// sees no other.
    fn after_resets(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &Candidate<'a>,
        mut truths: IndexVec<VariableId, f64>,
    ) -> (Side<'a>, IndexVec<VariableId, f64>) {
        let before = &candidate.restarted.side;
        if settled.resets.is_empty() {
            return (before.clone(), truths);
        }
        let Ok(Restarted { side, .. }) = self.reset(step, settled, candidate) else { return (before.clone(), truths) };
        let mut values =
            |side: &Side<'a>| self.memory.buffers.atom_values(self.prepared, (side, side), step.occasion, step.sampled);
        let (before, after) = (values(before), values(&side));
        for (atom, it) in self.prepared.discrete.atoms.iter_enumerated() {
            let is_moved = before[atom].0.to_bits() != after[atom].0.to_bits();
            if is_moved && it.moment == Moment::Now && self.memory.is_clear(self.prepared, atom, after[atom]) {
                truths[it.variable] = f64::from(u8::from((after[atom].0 > 0.0) == it.holds_above()));
            }
        }
        (Side { discrete: settled.discrete.clone(), ..side }, truths)
    }

    /// What a micro-step decides whose left limits are the right ones of this one: relations of left limits are what they are
    /// there, not what they were when what they speak of was last there.
    pub fn settle_next(
        &mut self,
        step: &MicroStep<'_, 'a>,
        mut truths: IndexVec<VariableId, f64>,
        side: &Side<'a>,
    ) -> Result<Settled, NoOutcome> {
        if !step.decides(Moment::Before) {
            self.take_left_limits(side, &mut truths);
        }
        self.settle(step, truths, side)
    }

    /// Whether atoms that crossed zero and turn back have done all they can: a Boolean with a memory has changed, as at a transition
    /// of a machine, and what it does next it does whatever they are. Others that turn count from then on only.
    fn has_led_on(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &Candidate<'a>,
        turning: &[Violation],
    ) -> bool {
        let others: Vec<Violation> = turning.iter().copied().filter(|(atom, _)| !step.crossed.contains(atom)).collect();
        if others.len() == turning.len() || step.must_restart || !self.has_changed_pairs(step, settled) {
            return false;
        }
        let (all_turned, others_turned) = (self.with_flipped(settled, turning), self.with_flipped(settled, &others));
        let Ok(now) = self.settle(step, others_turned.clone(), &candidate.restarted.side) else { return false };
        let (side, all_turned) = self.after_resets(step, settled, candidate, all_turned);
        let (_, others_turned) = self.after_resets(step, settled, candidate, others_turned);
        let next = step.following(&side);
        let Ok(turned) = self.settle_next(&next, all_turned, &side) else { return false };
        let Ok(kept) = self.settle_next(&next, others_turned, &side) else { return false };
        // What else they decide is right from the next micro-step on, if nothing has moved until then.
        let is_same_mode = turned.mode == kept.mode || self.moves_nothing(step, candidate);
        // Where it only comes back, both sides lead to the other.
        let comes_back = self.is_same_memory(&turned.discrete, &step.left.discrete);
        let is_same_course = turned.whens == kept.whens && self.is_same_memory(&turned.discrete, &kept.discrete);
        !comes_back && is_same_course && is_same_mode && self.is_same_decision(&now, settled)
    }

    /// Whether Booleans with a memory are the same; what machines remember beside their states follows from these.
    pub fn is_same_memory(&self, one: &IndexVec<VariableId, f64>, other: &IndexVec<VariableId, f64>) -> bool {
        let is_same = |&id: &VariableId| one[id] == other[id] || self.prepared.is_memory_of_machine(id);
        self.prepared.discrete.pairs.iter().flatten().all(is_same)
    }

    /// Whether two settled parts decide the same, whatever the truths of atoms.
    pub fn is_same_decision(&self, one: &Settled, other: &Settled) -> bool {
        let same = |&(id, _): &(VariableId, usize)| one.discrete[id].to_bits() == other.discrete[id].to_bits();
        one.mode == other.mode && one.whens == other.whens && self.prepared.discrete.defined.iter().all(same)
    }

    /// Whether a Boolean with a memory has changed.
    pub fn has_changed_pairs(&self, step: &MicroStep<'_, 'a>, settled: &Settled) -> bool {
        self.prepared.discrete.pairs.iter().flatten().any(|&id| settled.discrete[id] != step.left.discrete[id])
    }

    /// The left side, but Booleans with a memory have the left limits that they have become, and what is discrete in states that
    /// begin anew has those that it begins with.
    pub fn own_left(&self, step: &MicroStep<'_, 'a>, settled: &Settled) -> Side<'a> {
        let mut left = step.left.clone();
        for (id, value) in self.prepared.discrete_beginnings(&settled.entered) {
            left.discrete[id] = value;
        }
        for &id in self.prepared.discrete.pairs.iter().flatten() {
            left.discrete[id] = settled.discrete[id];
        }
        left
    }

    /// Atoms that changed Booleans with a memory, which would change back to what they were at once: by the relations that count from then on,
    /// with the truths of some atoms turned.
    fn undone_pairs(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &Candidate<'a>,
        turned: &[Violation],
    ) -> Vec<Violation> {
        if !self.has_changed_pairs(step, settled) {
            return Vec::new();
        }
        let own = self.own_left(step, settled);
        let own_step = MicroStep { left: &own, start: None, ..*step };
        let (side, turned) = self.after_resets(step, settled, candidate, self.with_flipped(settled, turned));
        let Ok(later) = self.settle_next(&own_step, turned, &side) else { return Vec::new() };
        let part = &self.prepared.discrete;
        let mut undone = Vec::new();
        for (number, pair) in part.pairs.iter().enumerate() {
            if pair.iter().all(|&id| settled.discrete[id] == step.left.discrete[id]) {
                continue;
            }
            // What a machine remembers beside its states follows from them.
            let judged = pair.iter().filter(|&&id| !self.prepared.is_memory_of_machine(id));
            let is_changed = judged.clone().any(|&id| settled.discrete[id] != step.left.discrete[id]);
            let is_undone = judged.clone().all(|&id| later.discrete[id] == step.left.discrete[id]);
            let is_passed = self.memory.passes_through && self.prepared.is_of_machine(pair);
            if !(is_changed && is_undone) || is_passed {
                continue;
            }
            for &atom in &part.pair_atoms[number] {
                let it = &part.atoms[atom];
                // What left limits say stands: a delayed transition fires, whatever comes of it.
                if settled.discrete[it.variable] != step.left.discrete[it.variable] && step.decides(it.moment) {
                    let side = it.side(settled.discrete[it.variable] != 0.0);
                    undone.push((atom, (Term::Derivative(0), -side)));
                }
            }
        }
        undone
    }
}

/// Whether discrete variables may have carried an atom elsewhere: those of the present that this micro-step changes, and left limits that
/// are others than before the instant. `pre(n)` moves in the micro-step after the one that changes `n`.
fn is_moved(part: &DiscretePart, step: &MicroStep<'_, '_>, settled: &Settled, atom: RelationId) -> bool {
    let differs =
        |one: &IndexVec<VariableId, f64>, id: VariableId| one[id].to_bits() != step.left.discrete[id].to_bits();
    part.reads[atom].iter().any(|&id| differs(&settled.discrete, id))
        || part.reads_left[atom].iter().any(|&id| differs(&step.origin.discrete, id))
}

/// Whether a variable exists on the right side only: no relation has ever read it, so that none has a truth to keep.
fn has_begun(left: &Side<'_>, right: &Side<'_>, variable: VariableId) -> bool {
    left.mode.structure.column(variable).is_none() && right.mode.structure.column(variable).is_some()
}
