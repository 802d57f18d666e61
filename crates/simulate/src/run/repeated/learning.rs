//! Recipes from events that were searched.

use std::rc::Rc;

use modeshift_dae::{Derivative, IndexVec, Mode, RelationId, Type, VariableId};

use super::arcs::{ModeArc, follow_time};
use super::recipes::{Affine, Recipe, Refused, Stage, Standing};
use super::replay::{COME_TO, micro_step, settle, standing};
use super::trace::{Attempt, Judged, Reached, Reason, Trace};
use super::{KnownMode, MOST_KINDS, Repeated, Work};
use crate::run::Machinery;
use crate::run::instant::Instant;
use crate::run::instant::candidate::{Objection, Refusal};
use crate::run::instant::discrete_fixpoint::MicroStep;
use crate::run::instant::event_iteration::{Fired, Outcome};
use crate::run::instant::judgement::Violation;
use crate::run::instant::restart::NoRestart;
use crate::run::modes::NoMode;
use crate::run::output::Output;
use crate::run::values::{Occasion, Side, copy_values as copy};

/// Values of states are the same up to so many roundings.
const SAME: f64 = 64.0 * f64::EPSILON;
/// States are moved by this share of their sizes to see what depends on them; the functions are affine, so any share will do.
const MOVED: f64 = 1.0 / 64.0;
/// A function is affine if it is that to this share where all states are moved at once.
const AFFINE: f64 = 1e-6;
/// Whether time matters is seen after this share of the last phase, in which nothing else happens as a rule.
const LATER: f64 = 1e-3;
/// Events of more micro-steps are not remembered.
const MOST_STAGES: usize = 4;
/// Functions of more states are not looked into: each state costs a restart.
const MOST_STATES: usize = 24;

impl<'a> Repeated<'a> {
    /// Whether it is worth while to see how an event is searched; then the search leaves a trace.
    pub fn wants_trace(
        &mut self,
        machinery: &mut Machinery<'a>,
        left: &Side<'a>,
        fired: &Fired,
        occasion: Occasion,
    ) -> bool {
        let is_plain = fired.stairs.is_empty() && fired.inputs.is_empty() && fired.released.is_empty();
        if !self.is_possible || !is_plain || occasion != Occasion::default() || left.sliding.is_some() {
            return false;
        }
        let Some(&number) = self.by_mode.get(&Rc::as_ptr(&left.mode)) else { return false };
        let Repeated { kinds, modes, work, of_time, .. } = self;
        let KnownMode { arc, unlearned, .. } = &mut modes[number];
        if arc.is_none() {
            return false;
        }
        let Work { kind, proposal, by_time, .. } = work;
        let prepared = machinery.prepared;
        copy(&left.discrete, proposal);
        for &atom in &fired.atoms {
            let variable = prepared.discrete.atoms[atom].variable;
            proposal[variable] = 1.0 - proposal[variable];
        }
        follow_time(prepared, of_time.as_deref(), left, proposal, by_time);
        kinds.describe((&left.discrete, proposal), fired, kind);
        let place = unlearned.iter().position(|it| *it.0 == **kind).unwrap_or(unlearned.len());
        if place >= MOST_KINDS {
            return false;
        }
        if place == unlearned.len() {
            unlearned.push((kind.clone().into(), 0));
        }
        let count = &mut unlearned[place].1;
        *count += 1;
        // What is searched again and again although it was learned, or cannot be, is looked at less and less often.
        let is_wanted = *count > 1 && count.is_power_of_two();
        machinery.memory.trace = is_wanted.then(Trace::default);
        is_wanted
    }

    /// Learns from an event that was searched, if it is one that can be repeated.
    pub fn learn(
        &mut self,
        machinery: &mut Machinery<'a>,
        left: &Side<'a>,
        fired: &Fired,
        outcome: &Outcome<'a>,
        output: &Output<'_>,
    ) {
        let Some(trace) = machinery.memory.trace.take() else { return };
        let Some(recipe) = self.recipe(machinery, (left, fired, outcome), &trace, output) else { return };
        let Some(&number) = self.by_mode.get(&Rc::as_ptr(&left.mode)) else { return };
        self.relations += recipe.stages.iter().map(|stage| 1 + stage.before.len()).sum::<usize>();
        let recipes = &mut self.modes[number].recipes;
        match recipes.iter().position(|it| it.kind == recipe.kind && it.is_new() == recipe.is_new()) {
            Some(known) => recipes[known] = recipe,
            None if recipes.len() < MOST_KINDS => recipes.push(recipe),
            None => {}
        }
    }

    fn recipe(
        &mut self,
        machinery: &mut Machinery<'a>,
        (left, fired, outcome): (&Side<'a>, &Fired, &Outcome<'a>),
        trace: &Trace,
        output: &Output<'_>,
    ) -> Option<Recipe<'a>> {
        let prepared = machinery.prepared;
        let part = &prepared.discrete;
        let right = &outcome.right;
        let [steps @ .., rest] = trace.micro_steps.as_slice() else { return None };
        let [Attempt { result: Judged::Accepted { is_new: false, is_plain: true }, .. }] = rest.as_slice() else {
            return None;
        };
        if !(1..=MOST_STAGES).contains(&steps.len()) || trace.reached.len() != trace.micro_steps.len() {
            return None;
        }
        let changes = trace.reached.windows(2).filter(|it| it[0].mode != it[1].mode).count();
        let is_plain = outcome.cascade.len() == changes
            && (steps.len() == 1 || outcome.whens.is_empty())
            && outcome.impulses.is_empty()
            && outcome.begun_at_zero.is_empty()
            && outcome.warnings.is_empty()
            && outcome.terminated.is_none()
            && outcome.ambiguities.is_empty()
            && right.sliding.is_none()
            && right.mode.pins.is_none()
            && !trace.is_intricate;
        if !is_plain {
            return None;
        }
        let sides = self.sides(machinery, (left, right), &trace.reached[..steps.len() - 1])?;
        let mut seen: IndexVec<RelationId, f64> = part.atoms.iter().map(|_| 0.0).collect();
        let (nothing, mut stages) = (Fired::default(), Vec::new());
        for (number, attempts) in steps.iter().enumerate() {
            let fired = if number == 0 { fired } else { &nothing };
            let mut stage = self.stage(machinery, (&sides[number], &sides[number + 1], fired), attempts, &mut seen)?;
            stage.whens = if number == 0 { outcome.whens.clone() } else { Vec::new() };
            stages.push(stage);
        }
        let mut truths_after = Vec::new();
        self.kinds.pack(&right.discrete, &mut truths_after);
        let atoms: Vec<RelationId> = fired.atoms.iter().copied().filter(|&atom| part.decides(atom)).collect();
        let is_told_by_stairs =
            outcome.changed_atoms.is_empty() && outcome.samples.is_empty() && outcome.inputs.is_empty();
        Some(Recipe {
            kind: self.work.kind.clone().into(),
            deciding: Fired { atoms, ..Fired::default() },
            stages,
            truths_after: truths_after.into(),
            record: output.record_of(prepared, left, outcome),
            tells_stairs: is_told_by_stairs,
            seen,
            decided: Vec::new(),
            is_decided: false,
        })
    }

    /// The sides of an event from the left to the right one, by way of what micro-steps reached in between. Modes in between are made
    /// ready to tell slopes.
    fn sides(
        &mut self,
        machinery: &mut Machinery<'a>,
        (left, right): (&Side<'a>, &Side<'a>),
        between: &[Reached],
    ) -> Option<Vec<Side<'a>>> {
        let mut sides = vec![left.clone()];
        for Reached { mode, jet, discrete } in between {
            let mode = machinery.visited.get(mode, None, &|_| f64::NAN).ok()?;
            if mode.pins.is_some() || jet.len() != mode.quantities.len() {
                return None;
            }
            let (jet, discrete) = (jet.clone(), discrete.clone());
            let side = Side { mode: mode.clone(), jet, discrete, sliding: None, ..left.clone() };
            let number = self.mode(&mode);
            if self.modes[number].slopes().is_none() {
                machinery.visited.surround(&side);
                self.modes[number].passage = Some(ModeArc::new(machinery, &mode, &side, true)?);
            }
            sides.push(side);
        }
        machinery.visited.surround(right);
        sides.push(right.clone());
        Some(sides)
    }

    /// A micro-step from one side to another.
    fn stage(
        &mut self,
        machinery: &mut Machinery<'a>,
        (left, right, fired): (&Side<'a>, &Side<'a>, &Fired),
        attempts: &[Attempt],
        seen: &mut IndexVec<RelationId, f64>,
    ) -> Option<Stage<'a>> {
        let prepared = machinery.prepared;
        let part = &prepared.discrete;
        if attempts.iter().any(|it| it.result == Judged::Otherwise) {
            return None;
        }
        let mut accepted = attempts.iter().filter_map(|it| match it.result {
            Judged::Accepted { is_new, is_plain } => Some((&it.discrete, is_new, is_plain)),
            _ => None,
        });
        let (Some((discrete, is_new, true)), None) = (accepted.next(), accepted.next()) else { return None };
        let next = self.mode(&right.mode);
        let number = self.mode(&left.mode);
        let (carried, lost) = continued(machinery, left, right)?;
        let before = self.standings(machinery, number, (left, left), seen)?;
        let after = self.standings(machinery, next, (left, right), seen)?;
        let refused = self.refused(machinery, number, (left, right, fired), attempts)?;
        let arc = self.modes[number].slopes()?;
        let fixed = if refused.is_empty() { Vec::new() } else { fixed(machinery, arc, left, right)? };
        let truths = |values: &IndexVec<VariableId, f64>| -> Vec<(VariableId, f64)> {
            part.atoms.iter().map(|atom| (atom.variable, values[atom.variable])).collect()
        };
        Some(Stage {
            mode: right.mode.clone(),
            accepted: truths(discrete),
            corrected: truths(&right.discrete),
            before,
            after,
            refused,
            is_new,
            carried,
            lost,
            fixed,
            whens: Vec::new(),
        })
    }

    /// How all relations stand between two sides, the second of which is in the mode of this number.
    fn standings(
        &mut self,
        machinery: &mut Machinery<'a>,
        number: usize,
        (left, right): (&Side<'a>, &Side<'a>),
        seen: &mut IndexVec<RelationId, f64>,
    ) -> Option<Vec<Standing>> {
        let prepared = machinery.prepared;
        let values = &mut self.work.values;
        machinery.memory.buffers.atom_values_into(prepared, (left, right), &[], values);
        let mut arc = self.modes[number].slopes();
        let is_begun = arc.as_mut().is_some_and(|arc| arc.begin(right));
        let mut standings = Vec::with_capacity(values.len());
        for (atom, &value) in values.iter_enumerated() {
            seen[atom] = seen[atom].max(if value.1.is_finite() { value.1 } else { 0.0 });
            let slope = || arc.as_mut().filter(|_| is_begun)?.slope(atom);
            standings.push(standing(prepared, &machinery.memory, atom, value, slope)?);
        }
        Some(standings)
    }

    /// Truths that were refused, with what speaks against them as functions of the states.
    fn refused(
        &mut self,
        machinery: &mut Machinery<'a>,
        number: usize,
        (left, right, fired): (&Side<'a>, &Side<'a>, &Fired),
        attempts: &[Attempt],
    ) -> Option<Vec<Refused>> {
        let mut all = Vec::new();
        for attempt in attempts {
            let Judged::Refused(reasons) = &attempt.result else { continue };
            let arc = self.modes[number].slopes()?;
            if arc.has_waves {
                return None;
            }
            let part = &machinery.prepared.discrete;
            let mut discrete = left.discrete.clone();
            let truths: Vec<(VariableId, f64)> =
                part.atoms.iter().map(|atom| (atom.variable, attempt.discrete[atom.variable])).collect();
            truths.iter().for_each(|&(id, truth)| discrete[id] = truth);
            let step = micro_step(left, Some(fired));
            let decided = settle(machinery.prepared, &mut machinery.memory.buffers, &step, None, &mut discrete, left)?;
            let mode: Mode = part.modes(decided).collect();
            let values = functions(machinery, (left, fired), attempt, reasons)?;
            all.push(Refused { truths, mode, values });
        }
        machinery.visited.surround(right);
        Some(all)
    }
}

/// The places of the states after in the jets after and before, and what was a state and is none with its size; nothing where states jump
/// or the change constrains them.
#[allow(clippy::type_complexity)] // two lists of places
fn continued<'a>(
    machinery: &mut Machinery<'a>,
    left: &Side<'a>,
    right: &Side<'a>,
) -> Option<(Vec<(usize, usize)>, Vec<(usize, usize, f64)>)> {
    let prepared = machinery.prepared;
    let (before, after) = (&left.mode, &right.mode);
    if after.program.borrow().has_choice() || before.program.borrow().has_choice() {
        return None;
    }
    let states: Vec<Derivative<VariableId>> = after.program.borrow().state_quantities().collect();
    let mut carried = Vec::new();
    for state in &states {
        let to = after.quantities.index(state.of, state.order)?.index();
        let from = before.quantities.index(state.of, state.order)?.index();
        let (was, is) = (left.jet[from], right.jet[to]);
        if (was - is).abs() > SAME * was.abs() {
            return None;
        }
        carried.push((to, from));
    }
    let changed = prepared.felt_changes(&left.discrete, &right.discrete);
    let changed = prepared.forms.changed(&prepared.dae, &before.values, &after.values, &changed);
    for row in after.structure.rows() {
        let equation = after.structure.equation(row);
        let known = before.structure.row(equation).filter(|_| changed.binary_search(&equation).is_err());
        let was = known.map_or(0, |row| before.structure.equation_offset(row));
        let constrains = after.structure.equation_offset(row) > was;
        let is_state = |variable: VariableId| states.iter().any(|state| state.of == variable);
        let mut variables = after.structure.incidence(row).iter().map(|entry| after.structure.variable(entry.column));
        if constrains && variables.any(is_state) {
            return None;
        }
    }
    // What is differentiated and no state, before or after, must not jump: that would be an impulse, or has been none by chance.
    let mut others: Vec<Derivative<VariableId>> = before.program.borrow().state_quantities().collect();
    for column in after.structure.columns() {
        let (variable, offset) = (after.structure.variable(column), after.structure.variable_offset(column));
        others.extend((0..offset).map(|order| Derivative::new(variable, order)));
    }
    others.sort_unstable();
    others.dedup();
    let sizes = sizes_of_quantities(machinery, left)?;
    machinery.visited.surround(right);
    let mut lost = Vec::new();
    for state in others.into_iter().filter(|state| !states.contains(state)) {
        let Some(to) = after.quantities.index(state.of, state.order) else { continue };
        let from = before.quantities.index(state.of, state.order)?.index();
        let size = sizes[from];
        if (left.jet[from] - right.jet[to.index()]).abs() > COME_TO * size {
            return None;
        }
        lost.push((from, to.index(), size));
    }
    Some((carried, lost))
}

/// How large quantities of a mode are, by the states that they are made of: a current that has come to zero is as large as it was.
fn sizes_of_quantities<'a>(machinery: &mut Machinery<'a>, side: &Side<'a>) -> Option<Vec<f64>> {
    machinery.visited.surround(side);
    let mut program = side.mode.program.borrow_mut();
    let surroundings = machinery.visited.surroundings.borrow();
    let (mut states, mut jet) = (Vec::new(), side.jet.clone());
    program.states_of(&side.jet, &mut states);
    let mut sizes: Vec<f64> = side.jet.iter().map(|value| value.abs()).collect();
    let quantities: Vec<Derivative<VariableId>> = program.state_quantities().collect();
    for (at, &state) in quantities.iter().enumerate() {
        let (known, was) = (machinery.memory.sizes.size(state).max(states[at].abs()), states[at]);
        // The mode is affine, so any distance will do.
        let moved = if known > 0.0 { known } else { 1.0 };
        states[at] = was + moved;
        program.evaluate(side.time, &states, &surroundings, &mut jet).ok()?;
        states[at] = was;
        let shares = jet.iter().zip(&side.jet).map(|(there, here)| (there - here).abs() * (known / moved));
        sizes.iter_mut().zip(shares).filter(|(_, share)| share.is_finite()).for_each(|(size, share)| *size += share);
    }
    Some(sizes)
}

/// Discrete values that are no truths and that restarts depend on; nothing where they change.
fn fixed(
    machinery: &Machinery<'_>,
    arc: &ModeArc,
    left: &Side<'_>,
    right: &Side<'_>,
) -> Option<Vec<(VariableId, u64)>> {
    let prepared = machinery.prepared;
    let mut fixed = Vec::new();
    for id in prepared.felt.variables.iter().copied().chain(arc.inputs()) {
        let value = left.discrete[id];
        if prepared.dae.model.variables.get(id).is_some_and(|it| it.ty == Type::Boolean) {
            continue;
        }
        if value.to_bits() != right.discrete[id].to_bits() {
            return None;
        }
        fixed.push((id, value.to_bits()));
    }
    Some(fixed)
}

/// What speaks against some truths, as functions of the states of the left side.
fn functions<'a>(
    machinery: &mut Machinery<'a>,
    (left, fired): (&Side<'a>, &Fired),
    attempt: &Attempt,
    reasons: &[(Reason, f64)],
) -> Option<Vec<Affine>> {
    if reasons.iter().all(|(reason, _)| *reason == Reason::Structure) {
        return Some(Vec::new());
    }
    let mut states = Vec::new();
    left.mode.program.borrow().states_of(&left.jet, &mut states);
    if states.len() > MOST_STATES {
        return None;
    }
    let quantities: Vec<Derivative<VariableId>> = left.mode.program.borrow().state_quantities().collect();
    let sizes: Vec<f64> = quantities
        .iter()
        .zip(&states)
        .map(|(&state, value)| machinery.memory.sizes.size(state).max(value.abs()))
        .map(|size| if size > 0.0 { MOVED * size } else { MOVED })
        .collect();
    let same = |found: &[(Reason, f64)]| {
        found.len() == reasons.len() && found.iter().zip(reasons).all(|(one, other)| one.0 == other.0)
    };
    let mut values: Vec<Affine> =
        reasons.iter().map(|&(_, then)| Affine { constant: then, by_state: vec![0.0; states.len()], then }).collect();
    for state in 0..states.len() {
        let mut moved = states.clone();
        moved[state] += sizes[state];
        let found = reasons_at(machinery, (left, fired), attempt, left.time, &moved)?;
        if !same(&found) {
            return None;
        }
        for (value, (_, there)) in values.iter_mut().zip(found) {
            let factor = (there - value.then) / (moved[state] - states[state]);
            value.by_state[state] = factor;
            value.constant -= factor * states[state];
        }
    }
    // It is affine, and does not depend on time.
    let all: Vec<f64> = states.iter().zip(&sizes).map(|(state, size)| state - 2.0 * size).collect();
    let later = left.time + LATER * machinery.memory.last_duration();
    let found = reasons_at(machinery, (left, fired), attempt, later, &all)?;
    let is_affine = |(value, (_, there)): (&Affine, &(Reason, f64))| {
        (value.at(&all) - there).abs() <= AFFINE * value.then.abs().max(there.abs())
    };
    (same(&found) && values.iter().zip(&found).all(is_affine)).then_some(values)
}

/// What speaks against some truths with other states before.
fn reasons_at<'a>(
    machinery: &mut Machinery<'a>,
    (left, fired): (&Side<'a>, &Fired),
    attempt: &Attempt,
    time: f64,
    states: &[f64],
) -> Option<Vec<(Reason, f64)>> {
    let mut moved = left.clone();
    machinery.visited.surround(left);
    {
        let surroundings = machinery.visited.surroundings.borrow();
        let mut program = moved.mode.program.borrow_mut();
        program.evaluate(time, states, &surroundings, &mut moved.jet).ok()?;
    }
    moved.time = time;
    let Machinery { prepared, visited, memory } = machinery;
    let mut instant = Instant { prepared, visited, memory };
    // Truths of relations on time are those that were tried.
    let step = micro_step(&moved, Some(fired));
    let judged = instant.judged(&step, attempt.discrete.clone());
    match judged {
        Judged::Refused(reasons) => Some(reasons),
        _ => None,
    }
}

impl<'a> Instant<'_, 'a> {
    /// How truths are judged, as the search does it.
    fn judged(&mut self, step: &MicroStep<'_, 'a>, discrete: IndexVec<VariableId, f64>) -> Judged {
        match self.consistent(step, discrete) {
            Ok((settled, mut candidate)) => {
                let violated = self.violated(step, &settled, &mut candidate);
                match violated.is_empty() {
                    true => Judged::Otherwise,
                    false => Judged::of_violations(&violated),
                }
            }
            Err(Refusal::Mode(_, objection)) => Judged::of_objection(&objection),
            Err(Refusal::Discrete(_)) => Judged::Otherwise,
        }
    }
}

impl Judged {
    /// Refused, since relations say so.
    pub fn of_violations(violated: &[Violation]) -> Self {
        Judged::Refused(violated.iter().map(|&(atom, (term, value))| (Reason::Relation(atom, term), value)).collect())
    }

    /// Refused, since there is no right side.
    pub fn of_objection(objection: &Objection) -> Self {
        match objection {
            Objection::Mode(NoMode::Singular(_)) => Judged::Refused(vec![(Reason::Structure, 1.0)]),
            Objection::Restart(NoRestart::Contradiction(it)) => {
                Judged::Refused(vec![(Reason::Equation(it.equation, it.term), it.value)])
            }
            _ => Judged::Otherwise,
        }
    }
}
