//! Micro-steps as the language goes through them: what has happened holds until all that follows from it has happened.
//!
//! The search for the next mode decides within one micro-step where relations at zero go. That is right for relations that decide about the
//! flow alone; but a `when` counts edges, and an edge is relative to the micro-step before. So an instant in which clauses fire is first gone
//! through event by event:
//!
//! ```text
//!   what fired ──► discrete part, `when`, `reinit` ──► `pre` is copied ──► anything else? ── yes: once more
//!                     ▲                                                        │ no
//!                     └── relations that turn ◄── where relations at zero go ◄─┘
//! ```
//!
//! A relation that has crossed holds the truth that it has crossed to, a relation that a `reinit` moves has that of its new value, and only
//! where no clause fires any more the flow of the mode is asked for its direction. A relation that turns then is an edge of its own, and
//! a mode that a `reinit` leaves in the micro-step in which it is entered needs no flow that agrees with it.
//!
//! That decides an instant where relations are on what goes on through changes of the mode. Where modes jump or
//! leave anything undetermined, where relations are on what follows from the mode (ideal diodes, friction, contacts), where a relation
//! comes to rest at zero or meets a threshold that moves there, and where all comes back (chattering), the search decides.

use modeshift_dae::{EquationId, IndexVec, RelationId, VariableId, WhenActionKind};
use modeshift_mode_changes::Sign;

use crate::run::instant::Instant;
use crate::run::instant::candidate::Candidate;
use crate::run::instant::discrete_fixpoint::{MicroStep, Settled};
use crate::run::instant::event_iteration::{Fired, Outcome};
use crate::run::instant::restart::Restarted;
use crate::run::prepare::Prepared;
use crate::run::prepare::relations::Moment;
use crate::run::running_sizes::ROUNDED;
use crate::run::values::{Occasion, Side};

/// So many micro-steps, and so often relations turn by the flow; more is a circle as a rule, which the search tells.
const MOST_MICRO_STEPS: usize = 256;
const MOST_TURNS: usize = 16;

/// An instant that is gone through.
struct Course<'a> {
    outcome: Outcome<'a>,
    /// Truths with which the next micro-step begins.
    truths: IndexVec<VariableId, f64>,
    /// Whether a `reinit` has just acted: what follows from the states is not known yet.
    is_reset: bool,
    unmet: Vec<EquationId>,
    /// How often relations have turned by the flow.
    turns: usize,
    /// Relations whose direction has to be asked.
    concerned: Vec<RelationId>,
    /// Whether any `reinit` acted.
    has_resets: bool,
    /// Whether anything was counted or carried on after the first micro-step: the search, which asks the flow at once, may not see it.
    is_decisive: bool,
}

impl<'a> Course<'a> {
    /// Notes what a micro-step does.
    fn note(&mut self, before: &Side<'a>, settled: &Settled, number: usize) {
        self.outcome.whens.extend(&settled.whens);
        self.outcome.warnings.extend(&settled.warnings);
        self.outcome.firings.extend((!settled.whens.is_empty()).then(|| settled.whens.clone()));
        if settled.mode != before.mode.values && number > 0 {
            self.outcome.cascade.push(before.mode.values.clone());
        }
    }

    /// Goes on from a right side.
    fn take(&mut self, restarted: Restarted<'a>) {
        self.unmet = restarted.unmet;
        self.outcome.right = restarted.side;
    }
}

/// What an instant came to.
pub(super) struct Arrived<'a> {
    pub outcome: Outcome<'a>,
    /// Otherwise the search, where it finds anything, finds the same.
    pub is_decisive: bool,
}

/// How a micro-step ended.
enum Ended {
    /// Something happened.
    Goes,
    /// Nothing happens any more.
    Rests,
}

impl<'a> Instant<'_, 'a> {
    /// An instant event by event; nothing where the search has to decide, or would come to the same.
    pub(super) fn event_by_event(&mut self, left: &Side<'a>, fired: &Fired, occasion: Occasion) -> Option<Arrived<'a>> {
        if !self.prepared.has_edges() || !is_plain(left, fired, occasion) || !self.may_count(fired) {
            return None;
        }
        let trace = self.memory.trace.take();
        let arrived = self.go_through(left, fired, occasion);
        if arrived.as_ref().is_none_or(|it| !it.is_decisive) {
            self.memory.trace = trace;
        }
        arrived
    }

    /// Whether more than one edge may come of it.
    fn may_count(&self, fired: &Fired) -> bool {
        !fired.atoms.is_empty() || self.prepared.has_resets()
    }

    fn go_through(&mut self, left: &Side<'a>, fired: &Fired, occasion: Occasion) -> Option<Arrived<'a>> {
        let mut course = Course {
            outcome: Outcome::beginning(left, fired),
            truths: self.proposal(left, fired),
            is_reset: false,
            unmet: Vec::new(),
            turns: 0,
            concerned: fired.atoms.clone(),
            has_resets: false,
            is_decisive: false,
        };
        for number in 0..MOST_MICRO_STEPS {
            let is_due = (number == 0).then_some(fired);
            if matches!(self.one_by_one(&mut course, (left, number), is_due, occasion)?, Ended::Rests) {
                return self.arrive(course, left, fired);
            }
        }
        None
    }

    /// One micro-step.
    fn one_by_one(
        &mut self,
        course: &mut Course<'a>,
        (origin, number): (&Side<'a>, usize),
        fired: Option<&Fired>,
        occasion: Occasion,
    ) -> Option<Ended> {
        let (before, unmet) = (course.outcome.right.clone(), std::mem::take(&mut course.unmet));
        let step = MicroStep {
            left: &before,
            origin,
            occasion,
            sampled: fired.map_or(&[], |it| &it.samples),
            crossed: fired.map_or(&[], |it| &it.atoms),
            released: &[],
            is_literal: false,
            all_by_series: false,
            must_restart: course.is_reset,
            unmet: &unmet,
            start: None,
            island: None,
        };
        let (settled, candidate) = self.with_values(&step, course.truths.clone())?;
        let is_moved = self.moves_stairs(origin, &candidate.restarted.side) || self.meets_threshold(&step, &candidate);
        if is_moved || !self.goes_on(&before, &settled, &candidate) {
            return None;
        }
        self.note_concerned(course, &step, &settled, &candidate);
        let has_happened = number == 0 || self.has_happened(&before, &settled);
        course.note(&before, &settled, number);
        course.is_decisive |= number > 0 && (!settled.whens.is_empty() || course.turns == 0 && has_happened);
        course.outcome.restarted |= candidate.is_new;
        course.truths.clone_from(&settled.discrete);
        course.is_reset = !settled.resets.is_empty();
        if course.is_reset {
            let restarted = self.reset_as_allowed(&step, &settled, &candidate).ok()?;
            if !restarted.weights.is_empty() || self.moves_stairs(origin, &restarted.side) {
                return None;
            }
            course.truths = self.moved_by_reset(&candidate.restarted.side, &restarted.side, &settled);
            (course.outcome.restarted, course.has_resets) = (true, true);
            course.take(restarted);
            return Some(Ended::Goes);
        }
        if has_happened {
            course.take(candidate.restarted);
            return Some(Ended::Goes);
        }
        let turned = self.turned_by_flow(course, &step, &settled, candidate)?;
        Some(if turned { Ended::Goes } else { Ended::Rests })
    }

    /// The right side that follows from some truths, and those that discrete variables move, as `x + n > 3` when `n` is counted up.
    fn with_values(
        &mut self,
        step: &MicroStep<'_, 'a>,
        mut truths: IndexVec<VariableId, f64>,
    ) -> Option<(Settled, Candidate<'a>)> {
        for _ in 0..=self.prepared.discrete.atoms.len() {
            let (settled, candidate) = self.consistent(step, truths.clone()).ok()?;
            let contradicting = self.clearly_contradicting(step, &settled, &candidate);
            if contradicting.is_empty() {
                return Some((settled, candidate));
            }
            let reads = &self.prepared.discrete.reads;
            let has_changed = |id: &VariableId| settled.discrete[*id].to_bits() != step.left.discrete[*id].to_bits();
            // What follows from states is known only now after a `reinit`.
            if !step.must_restart && !contradicting.iter().all(|&atom| reads[atom].iter().any(has_changed)) {
                return None;
            }
            for atom in contradicting {
                let truth = &mut truths[self.prepared.discrete.atoms[atom].variable];
                *truth = 1.0 - *truth;
            }
        }
        None
    }

    /// Relations that have clearly another value than is assumed.
    fn clearly_contradicting(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &Candidate<'a>,
    ) -> Vec<RelationId> {
        let sides = (step.left, &candidate.restarted.side);
        let values = self.memory.buffers.atom_values(self.prepared, sides, step.occasion, step.sampled);
        let atoms = self.prepared.discrete.atoms.iter_enumerated();
        let contradicting = atoms.filter(|&(atom, it)| {
            let is_clear = it.moment == Moment::Now && self.memory.is_clear(self.prepared, atom, values[atom]);
            is_clear && (values[atom].0 > 0.0) != (it.side(settled.discrete[it.variable] != 0.0) > 0.0)
        });
        contradicting.map(|(atom, _)| atom).collect()
    }

    /// Whether what changed in the micro-step has moved a threshold to just where the value is: no side was held there.
    fn meets_threshold(&mut self, step: &MicroStep<'_, 'a>, candidate: &Candidate<'a>) -> bool {
        if step.must_restart {
            return false;
        }
        let side = &candidate.restarted.side;
        let mut values = |sides| self.memory.buffers.atom_values(self.prepared, sides, step.occasion, step.sampled);
        let (before, after) = (values((step.left, step.left)), values((step.left, side)));
        self.prepared.discrete.atoms.iter_enumerated().any(|(atom, it)| {
            let (old, new) = (before[atom], after[atom]);
            let way = (new.0 - old.0, new.1.max(old.1));
            it.moment == Moment::Now
                && !self.memory.is_clear(self.prepared, atom, new)
                && self.memory.is_clear(self.prepared, atom, way)
        })
    }

    /// Whether a micro-step is one of these: nothing jumps but by `reinit`, nothing is undetermined, nothing stops the run.
    fn goes_on(&self, before: &Side<'a>, settled: &Settled, candidate: &Candidate<'a>) -> bool {
        let side = &candidate.restarted.side;
        let is_plain = !settled.is_transient
            && settled.excluded.is_none()
            && settled.broken.is_none()
            && settled.terminated.is_none()
            && settled.entered.is_empty();
        let is_determined = candidate.restarted.weights.is_empty()
            && candidate.restarted.begun_at_zero.is_empty()
            && side.mode.pins.is_none()
            && side.sliding.is_none();
        is_plain && is_determined && self.check_numbers(settled).is_ok() && are_states_kept(before, side)
    }

    /// Whether stairs are on other steps on a side.
    fn moves_stairs(&mut self, origin: &Side<'a>, side: &Side<'a>) -> bool {
        let mut moved = side.discrete.clone();
        self.update_stairs(origin, side, &mut moved);
        moved.iter().zip(side.discrete.iter()).any(|(moved, is)| moved.to_bits() != is.to_bits())
    }

    /// Relations that the change concerns.
    fn note_concerned(
        &self,
        course: &mut Course<'a>,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &Candidate<'a>,
    ) {
        let all = self.prepared.discrete.atoms.ids();
        let concerned = all.filter(|&atom| course.is_reset || self.judges(step, settled, candidate, atom));
        course.concerned.extend(concerned);
        course.concerned.sort_unstable();
        course.concerned.dedup();
    }

    /// Whether a micro-step is more than a copy of `pre`, and of what follows from the states.
    fn has_happened(&self, before: &Side<'a>, settled: &Settled) -> bool {
        let part = &self.prepared.discrete;
        let mut others = part.variables().filter(|id| !part.conditions.contains(&id.0));
        !settled.whens.is_empty()
            || settled.mode != before.mode.values
            || others.any(|id| before.discrete[id].to_bits() != settled.discrete[id].to_bits())
    }

    /// Truths with those of the relations that a `reinit` has moved.
    fn moved_by_reset(&mut self, before: &Side<'a>, after: &Side<'a>, settled: &Settled) -> IndexVec<VariableId, f64> {
        let mut truths = settled.discrete.clone();
        let mut values =
            |side: &Side<'a>| self.memory.buffers.atom_values(self.prepared, (side, side), Occasion::default(), &[]);
        let (before, after) = (values(before), values(after));
        for (atom, it) in self.prepared.discrete.atoms.iter_enumerated() {
            let (old, new) = (before[atom], after[atom]);
            let distance = (new.0 - old.0, new.1.max(old.1));
            if it.moment != Moment::Now || !self.memory.is_clear(self.prepared, atom, distance) {
                continue;
            }
            let is_true = match self.memory.is_clear(self.prepared, atom, new) {
                true => (new.0 > 0.0) == it.holds_above(),
                false => it.holds_at_zero(),
            };
            truths[it.variable] = f64::from(u8::from(is_true));
        }
        truths
    }

    /// Turns the relations that the flow leads to the other side, where nothing else happens any more.
    fn turned_by_flow(
        &mut self,
        course: &mut Course<'a>,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        mut candidate: Candidate<'a>,
    ) -> Option<bool> {
        if !course.outcome.restarted {
            return Some(false);
        }
        if !candidate.is_new {
            candidate = self.candidate(&MicroStep { must_restart: true, ..*step }, settled).ok()?;
        }
        let turned = self.led_to_other_side(course, step, settled, &mut candidate)?;
        course.turns += usize::from(!turned.is_empty());
        if course.turns > MOST_TURNS {
            return None;
        }
        course.take(candidate.restarted);
        for atom in &turned {
            let truth = &mut course.truths[self.prepared.discrete.atoms[*atom].variable];
            *truth = 1.0 - *truth;
        }
        Some(!turned.is_empty())
    }

    /// Of the relations that are concerned, those that the flow leads to the other side; nothing where one stays at zero and is not what is
    /// written for zero.
    fn led_to_other_side(
        &mut self,
        course: &Course<'a>,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        candidate: &mut Candidate<'a>,
    ) -> Option<Vec<RelationId>> {
        let sides = (step.left, &candidate.restarted.side);
        let values = self.memory.buffers.atom_values(self.prepared, sides, step.occasion, step.sampled);
        let mut turned = Vec::new();
        for &atom in &course.concerned {
            let it = self.prepared.discrete.atoms[atom];
            let is_clear = self.memory.is_clear(self.prepared, atom, values[atom]);
            if it.moment != Moment::Now || is_clear || values[atom].0.is_nan() {
                continue;
            }
            let truth = settled.discrete[it.variable] != 0.0;
            match self.sign(step, settled, candidate, atom, values[atom]) {
                Sign::Decided(_, value) if (value > 0.0) != (it.side(truth) > 0.0) => turned.push(atom),
                Sign::Vanishing if truth != it.holds_at_zero() => return None,
                Sign::Decided(..) | Sign::Vanishing => {}
            }
        }
        Some(turned)
    }

    /// The outcome, where it may be another one than that of the search.
    fn arrive(&mut self, course: Course<'a>, left: &Side<'a>, fired: &Fired) -> Option<Arrived<'a>> {
        let Course { mut outcome, turns, has_resets, is_decisive, truths, .. } = course;
        if outcome.whens.is_empty() || turns == 0 && !has_resets {
            return None;
        }
        outcome.right.discrete = truths;
        outcome.changed_atoms = self.changed_atoms(left, &outcome.right, &fired.atoms);
        Some(Arrived { outcome, is_decisive: has_resets || is_decisive })
    }
}

/// Whether an instant is one of relations and samples alone, in a mode that determines all.
fn is_plain(left: &Side<'_>, fired: &Fired, occasion: Occasion) -> bool {
    let is_crossing = fired.stairs.is_empty() && fired.inputs.is_empty() && fired.released.is_empty();
    is_crossing && !occasion.initial && left.sliding.is_none() && left.mode.pins.is_none()
}

/// Whether states are what they were, up to rounding.
fn are_states_kept(before: &Side<'_>, after: &Side<'_>) -> bool {
    let nothing = ROUNDED * after.largest();
    after.mode.quantities.list().iter().enumerate().all(|(place, &state)| {
        let was = before.mode.quantities.index(state.of, state.order).filter(|_| before.is_state(state));
        let Some(was) = was.filter(|_| after.is_state(state)) else { return true };
        (after.jet[place] - before.jet[was.index()]).abs() <= nothing
    })
}

impl Prepared {
    /// Whether clauses count edges, and nothing else has a memory of its own: states of machines, delays, left limits in relations.
    fn has_edges(&self) -> bool {
        let part = &self.discrete;
        !part.branches.is_empty()
            && self.dae.model.machines.is_empty()
            && self.delays.all.is_empty()
            && part.states.is_empty()
            && self.felt.left_limits.is_empty()
            && part.atoms.iter().all(|atom| atom.moment != Moment::Before)
    }

    /// Whether any clause moves a state.
    fn has_resets(&self) -> bool {
        let mut deeds = self.discrete.branches.iter().flat_map(|branch| &branch.deeds);
        deeds.any(|deed| matches!(deed.action.kind, WhenActionKind::Reinit(..)))
    }
}
