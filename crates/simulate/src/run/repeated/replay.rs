//! The judgements of an event that happened before, made once more, and what follows from them.

use std::rc::Rc;

use modeshift_dae::{Id, IndexVec, Mode, RelationId, VariableId};
use modeshift_diagnostics::Span;

use super::arcs::like;
use super::recipes::{Refused, Stage, Standing};
use super::{Repeated, Work};
use crate::run::Machinery;
use crate::run::instant::discrete_fixpoint::MicroStep;
use crate::run::instant::event_iteration::Fired;
use crate::run::memory::{Memory, TapeBuffers};
use crate::run::modes::{VisitedMode, VisitedModes};
use crate::run::prepare::Prepared;
use crate::run::prepare::relations::Moment;
use crate::run::values::{Occasion, Side, copy_values as copy};

/// Rounds of the discrete part and of what it reads, in all: few models need more than two.
const MOST_ROUNDS: usize = 8;
/// What was a state and is none had come to the value that it has now, up to this share of how large it was: a current that a diode ends, as
/// exactly as times are told apart. On the same converters, shares from 1e-12 to 1e-5 give the same events; below 1e-14, a third of those in
/// discontinuous conduction are searched again.
pub(super) const COME_TO: f64 = 1e-11;

/// A micro-step from a side, where nothing is intricate.
pub(super) fn micro_step<'s, 'a>(left: &'s Side<'a>, fired: Option<&'s Fired>) -> MicroStep<'s, 'a> {
    MicroStep {
        left,
        origin: left,
        occasion: Occasion::default(),
        sampled: fired.map_or(&[], |it| it.samples.as_slice()),
        crossed: fired.map_or(&[], |it| it.atoms.as_slice()),
        released: &[],
        is_literal: false,
        all_by_series: false,
        must_restart: false,
        unmet: &[],
        start: None,
        island: None,
    }
}

/// Settles the discrete part in a micro-step with the continuous values of a side, and what follows from time alone, if that is known:
/// what was decided, where it does.
pub(super) fn settle<'b, 'a>(
    prepared: &Prepared,
    buffers: &'b mut TapeBuffers,
    step: &MicroStep<'_, 'a>,
    by_time: Option<&[(VariableId, f64)]>,
    discrete: &mut IndexVec<VariableId, f64>,
    values: &Side<'a>,
) -> Option<&'b [f64]> {
    let part = &prepared.discrete;
    let (time, before) = (step.left.time, &step.left.discrete);
    let update_time = |discrete: &mut IndexVec<VariableId, f64>| match by_time {
        Some(known) => {
            known.iter().for_each(|&(id, value)| discrete[id] = value);
            false
        }
        None => prepared.update_time(time, before, discrete),
    };
    let (formulas, buffers) = match (&part.tapes.quiet, &mut buffers.quiet) {
        (Some(formulas), Some(buffers)) if step.sampled.is_empty() => (formulas, buffers),
        _ => (&part.tapes.decisions, &mut buffers.decisions),
    };
    let mut is_moved = update_time(discrete);
    for _ in 0..MOST_ROUNDS {
        let evaluated = buffers.evaluate(formulas, |input| step.input(prepared, discrete, values, input));
        let (mut has_changed, mut is_iterated) = (false, false);
        for &(id, place) in &part.defined {
            if discrete[id].to_bits() != evaluated[place].to_bits() {
                discrete[id] = evaluated[place];
                has_changed = true;
                is_iterated |= part.iterated.binary_search(&id).is_ok();
            }
        }
        is_moved = (is_moved || has_changed) && update_time(discrete);
        if !is_moved && !is_iterated {
            return Some(buffers.values());
        }
    }
    None
}

/// Evaluates a mode on a side, from its states.
fn evaluate<'a>(visited: &VisitedModes<'a>, mode: &VisitedMode<'a>, states: &[f64], side: &mut Side<'a>) -> Option<()> {
    visited.surround(side);
    let surroundings = visited.surroundings.borrow();
    mode.program.borrow_mut().evaluate(side.time, states, &surroundings, &mut side.jet).ok()
}

/// Whether what was decided is this mode.
fn is_mode(prepared: &Prepared, decided: &[f64], mode: &Mode) -> bool {
    prepared.discrete.modes(decided).eq(mode.values())
}

/// Whether of all clauses those fire that fired before, and do nothing but assign, and nothing is excluded.
fn is_plain(prepared: &Prepared, values: &[f64], whens: &[Span]) -> bool {
    let part = &prepared.discrete;
    let mut expected = whens.iter();
    let fire_as_before = part.branches.iter().filter(|branch| values[branch.fires] != 0.0).all(|branch| {
        let acts = branch.declares_transient || branch.deeds.iter().any(|deed| values[deed.guard] != 0.0);
        !acts && expected.next() == Some(&branch.span)
    });
    let is_broken = part.invariants.iter().any(|it| values[it.guard] != 0.0 && values[it.condition] == 0.0);
    fire_as_before && expected.next().is_none() && !is_broken
}

/// Discrete variables of a side that have no truths in them are as they were, to the bit.
fn is_for(stage: &Stage<'_>, left: &Side<'_>) -> bool {
    stage.fixed.iter().all(|&(id, bits)| left.discrete[id].to_bits() == bits)
}

impl<'a> Repeated<'a> {
    /// The recipe for the kind of the present event, from this number on.
    pub(super) fn find_recipe(&self, number: usize, from: usize) -> Option<usize> {
        let recipes = &self.modes[number].recipes;
        (from..recipes.len()).find(|&at| *recipes[at].kind == *self.work.kind)
    }

    /// Judges once more; the number of the mode after, where all judgements are what they were. The right side is in `work`.
    pub(super) fn replay(&mut self, machinery: &mut Machinery<'a>, number: usize, at: usize) -> Option<usize> {
        let mut here = number;
        let stages = self.modes[number].recipes[at].stages.len();
        for stage in 0..stages {
            let mode = Rc::as_ptr(&self.modes[number].recipes[at].stages[stage].mode);
            let next = *self.by_mode.get(&mode)?;
            if stage > 0 {
                self.begin_stage(here)?;
            }
            self.is_as_before(machinery, (number, at, stage), here)?;
            self.go_over(machinery, (number, at, stage))?;
            self.is_as_after(machinery, (number, at, stage), next)?;
            self.learn_decisions(machinery.prepared, (number, at, stage))?;
            here = next;
        }
        self.comes_to_rest(machinery, number, at)?;
        self.learn_decisions(machinery.prepared, (number, at, stages))?;
        self.modes[number].recipes[at].is_decided = self.may_decide_alike();
        Some(here)
    }

    /// Whether what was decided at an event of a kind is decided at every event of the kind.
    fn may_decide_alike(&self) -> bool {
        self.kinds.decide_all && self.work.by_time.is_some()
    }

    /// Keeps what was decided in a micro-step, where that is so every time.
    fn learn_decisions(&mut self, prepared: &Prepared, (number, at, stage): (usize, usize, usize)) -> Option<()> {
        let recipe = &self.modes[number].recipes[at];
        if recipe.is_decided || !self.may_decide_alike() {
            return Some(());
        }
        let right = self.work.right.as_ref()?;
        let defined = prepared.discrete.defined.iter().map(|&(id, _)| id);
        let atoms = prepared.discrete.atoms.iter().map(|atom| atom.variable);
        let decided = defined.chain(atoms).map(|id| (id, right.discrete[id])).collect();
        let recipe = &mut self.modes[number].recipes[at];
        recipe.decided.truncate(stage);
        recipe.decided.push(decided);
        Some(())
    }

    /// Goes on from where the last micro-step has led, in the mode of this number.
    fn begin_stage(&mut self, here: usize) -> Option<()> {
        let Repeated { modes, work, .. } = self;
        std::mem::swap(&mut work.middle, &mut work.right);
        modes[here].slopes()?.begin(work.middle.as_ref()?).then_some(())
    }

    /// Whether all that was judged from the left side is as it was, in the mode of the last number.
    fn is_as_before(
        &mut self,
        machinery: &mut Machinery<'a>,
        (number, at, stage): (usize, usize, usize),
        here: usize,
    ) -> Option<()> {
        let Repeated { modes, work, .. } = self;
        let Work { left, middle, proposal, by_time, fired, values, states, .. } = work;
        let left = if stage == 0 { left } else { middle }.as_ref()?;
        let Machinery { prepared, memory, .. } = machinery;
        if !is_for(&modes[number].recipes[at].stages[stage], left) {
            return None;
        }
        memory.buffers.atom_values_into(prepared, (left, left), &[], values);
        for (atom, &value) in values.iter_enumerated() {
            let arc = modes[here].slopes();
            let standing = standing(prepared, memory, atom, value, || arc?.slope(atom))?;
            let recipe = &mut modes[number].recipes[at];
            if !standing.is_as(recipe.stages[stage].before[atom.index()]) {
                return None;
            }
            let size = if value.1.is_finite() { value.1 } else { 0.0 };
            recipe.seen[atom] = if stage == 0 { size } else { recipe.seen[atom].max(size) };
        }
        if modes[number].recipes[at].stages[stage].refused.is_empty() {
            return Some(());
        }
        let is_decided = modes[number].recipes[at].is_decided && by_time.is_some();
        // The states, where the solution is.
        states.clear();
        states.extend_from_slice(modes[here].slopes()?.end_states());
        for Refused { truths, mode, values } in &modes[number].recipes[at].stages[stage].refused {
            if !values.iter().all(|value| value.is_as_before(states)) {
                return None;
            }
            if is_decided {
                continue;
            }
            copy(&left.discrete, proposal);
            truths.iter().for_each(|&(id, truth)| proposal[id] = truth);
            let step = micro_step(left, (stage == 0).then_some(&*fired));
            let decided = settle(prepared, &mut memory.buffers, &step, by_time.as_deref(), proposal, left)?;
            if !is_mode(prepared, decided, mode) {
                return None;
            }
        }
        Some(())
    }

    /// Makes the right side.
    fn go_over(&mut self, machinery: &mut Machinery<'a>, (number, at, stage): (usize, usize, usize)) -> Option<()> {
        let Repeated { kinds, modes, work, .. } = self;
        let Work { left, middle, right, states, proposal, by_time, fired, .. } = work;
        let left = if stage == 0 { left } else { middle }.as_ref()?;
        let is_first = stage == 0;
        let is_decided = modes[number].recipes[at].is_decided;
        let recipe = &modes[number].recipes[at].stages[stage];
        let Machinery { prepared, visited, memory } = machinery;
        let right = like(right, left);
        if !Rc::ptr_eq(&right.mode, &recipe.mode) {
            right.mode = recipe.mode.clone();
        }
        states.clear();
        states.extend(recipe.carried.iter().map(|&(_, place)| left.jet[place]));
        if recipe.is_new {
            right.jet.clear();
            right.jet.resize(recipe.mode.quantities.len(), 0.0);
        }
        let part = &prepared.discrete;
        if let (Some(known), true) = (by_time.as_deref(), is_decided) {
            let decided = &modes[number].recipes[at].decided[stage];
            known.iter().chain(decided).for_each(|&(id, value)| right.discrete[id] = value);
            if recipe.is_new {
                evaluate(visited, &recipe.mode, states, right)?;
            }
        } else {
            copy(&left.discrete, proposal);
            recipe.accepted.iter().for_each(|&(id, truth)| proposal[id] = truth);
            let step = micro_step(left, is_first.then_some(&*fired));
            let mut decided = settle(prepared, &mut memory.buffers, &step, by_time.as_deref(), proposal, left)?;
            for round in 0..MOST_ROUNDS {
                if !is_mode(prepared, decided, &recipe.mode.values) || !is_plain(prepared, decided, &recipe.whens) {
                    return None;
                }
                copy(proposal, &mut right.discrete);
                if recipe.is_new {
                    evaluate(visited, &recipe.mode, states, right)?;
                }
                // What is read has the values that were read.
                let is_read = |&(id, order): &(VariableId, u32)| {
                    left.value(id, order).to_bits() == right.value(id, order).to_bits()
                };
                let is_same_mode = Rc::ptr_eq(&left.mode, &right.mode);
                if !part.reads_continuous || round == 0 && is_same_mode && kinds.read.iter().all(is_read) {
                    break;
                }
                decided = settle(prepared, &mut memory.buffers, &step, by_time.as_deref(), proposal, right)?;
                if part.variables().all(|id| proposal[id].to_bits() == right.discrete[id].to_bits()) {
                    break;
                }
                if round + 1 == MOST_ROUNDS {
                    return None;
                }
            }
        }
        let is_same = |id: VariableId| left.discrete[id].to_bits() == right.discrete[id].to_bits();
        let is_new = !Rc::ptr_eq(&left.mode, &recipe.mode) || !prepared.felt.variables.iter().copied().all(is_same);
        let mut declared = part.defined.iter().filter(|it| it.0.0 < part.declared_count);
        let are_numbers = declared.all(|&(id, _)| prepared.may_be(id, right.discrete[id]));
        let has_come = |&(before, after, size): &(usize, usize, f64)| {
            (left.jet[before] - right.jet[after]).abs() <= COME_TO * size
        };
        let is_right = is_new == recipe.is_new && are_numbers && recipe.lost.iter().all(has_come);
        (is_right && right.jet.iter().all(|it| it.is_finite())).then_some(())
    }

    /// Whether all that was judged from the right side is as it was.
    fn is_as_after(
        &mut self,
        machinery: &mut Machinery<'a>,
        (number, at, stage): (usize, usize, usize),
        next: usize,
    ) -> Option<()> {
        let Repeated { modes, work, .. } = self;
        let Work { left, middle, right, fired, values, unclear, .. } = work;
        let left = if stage == 0 { left } else { middle }.as_ref()?;
        let right = right.as_mut()?;
        let sampled = if stage == 0 { fired.samples.as_slice() } else { &[] };
        let Machinery { prepared, memory, .. } = machinery;
        let recipe = &mut modes[number].recipes[at];
        recipe.stages[stage].corrected.iter().for_each(|&(id, truth)| right.discrete[id] = truth);
        memory.buffers.atom_values_into(prepared, (left, right), sampled, values);
        unclear.clear();
        for (atom, &value) in values.iter_enumerated() {
            recipe.seen[atom] = recipe.seen[atom].max(if value.1.is_finite() { value.1 } else { 0.0 });
            match standing(prepared, memory, atom, value, || None) {
                Some(standing) if !standing.is_as(recipe.stages[stage].after[atom.index()]) => return None,
                Some(_) => {}
                None => unclear.push((atom, value)),
            }
        }
        if unclear.is_empty() {
            return Some(());
        }
        if !modes[next].slopes()?.begin(right) {
            return None;
        }
        let is_as_before = |&(atom, value): &(RelationId, (f64, f64))| {
            let arc = modes[next].slopes();
            let now = standing(prepared, memory, atom, value, || arc?.slope(atom));
            now.is_some_and(|now| now.is_as(modes[number].recipes[at].stages[stage].after[atom.index()]))
        };
        unclear.iter().all(is_as_before).then_some(())
    }

    /// Whether nothing happens in the micro-step after: only conditions of `when` may have other values.
    fn comes_to_rest(&mut self, machinery: &mut Machinery<'a>, number: usize, at: usize) -> Option<()> {
        let Repeated { kinds, modes, work, .. } = self;
        let Work { right, proposal, by_time, .. } = work;
        let right = right.as_mut()?;
        let recipe = &modes[number].recipes[at];
        let Machinery { prepared, memory, .. } = machinery;
        let part = &prepared.discrete;
        if recipe.is_decided && by_time.is_some() {
            recipe.decided[recipe.stages.len()].iter().for_each(|&(id, value)| right.discrete[id] = value);
            return Some(());
        }
        copy(&right.discrete, proposal);
        let step = micro_step(right, None);
        let decided = settle(prepared, &mut memory.buffers, &step, by_time.as_deref(), proposal, right)?;
        let is_same = |id: VariableId| proposal[id].to_bits() == right.discrete[id].to_bits();
        let rests = is_mode(prepared, decided, &recipe.mode().values)
            && is_plain(prepared, decided, &[])
            && part.variables().filter(|id| !part.conditions.contains(&id.0)).all(is_same);
        copy(proposal, &mut right.discrete);
        (rests && kinds.are(&right.discrete, &recipe.truths_after)).then_some(())
    }
}

/// How a relation stands; nothing where a slope is needed and is not there.
pub(super) fn standing(
    prepared: &Prepared,
    memory: &Memory,
    atom: RelationId,
    value: (f64, f64),
    slope: impl FnOnce() -> Option<f64>,
) -> Option<Standing> {
    if prepared.discrete.atoms[atom].moment == Moment::Time {
        return Some(Standing::Scheduled);
    }
    let level = memory.clear_level(prepared, atom, value.1);
    Standing::of(value.0, value.0.abs() > level, slope, (level, memory.time_scale.short()))
}
