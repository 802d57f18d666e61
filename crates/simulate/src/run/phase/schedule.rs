//! The schedule of a run: events whose times are known in advance.
//!
//! The truth of a relation between fixed functions of time, such as `time >= t1`, changes once, at a time that is known from
//! the beginning. A model may have many of them, and every event asks all of them, so asking is one comparison
//! ([`Timetable`]). Where discrete values enter, as in `time >= pre(next)`, and for steps of `floor(time)`, the time is
//! computed anew after every event.

use modeshift_dae::{Builtin, ExpressionId, ExpressionText, IndexVec, MultimodeDae, Node, RelationId, VariableId};
use modeshift_diagnostics::Diagnostic;
use rustc_hash::FxHashSet;

use crate::run::phase::time_events::{Affine, Part, Sampling, TimeFormula, affine, meeting};
use crate::run::phase::zero_crossings::Guard;
use crate::run::prepare::discrete_part::DiscretePart;
use crate::run::prepare::event_functions::Rounding;
use crate::run::prepare::relations::{Atom, Moment};
use crate::run::prepare::{Constants, Prepared};

/// Rounding errors of values that are affine in time, relative to their terms: a product, a sum and the division that gives
/// a meeting make a few.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The first time that is told from another one.
pub(in crate::run) fn soonest_after(now: f64) -> f64 {
    now + ROUNDING * now.abs() + f64::MIN_POSITIVE
}

/// All events of a model whose times are known in advance.
pub(crate) struct Schedule {
    /// By atom: its sides as functions of time, where nothing but parameters enters.
    fixed_sides: IndexVec<RelationId, Option<[Affine; 2]>>,
    /// By atom: those of others, made ready where that can be done.
    sides: IndexVec<RelationId, Option<[TimeFormula; 2]>>,
    /// By stair: its argument.
    arguments: Vec<Option<TimeFormula>>,
    timetable: Timetable,
    /// The calls of `sample`, waiting for their first instants.
    pub samplings: Vec<Sampling>,
}

impl Schedule {
    /// Reads a model; says which samplings have no times.
    pub fn new(
        dae: &MultimodeDae,
        discrete: &DiscretePart,
        constants: &Constants,
        from: f64,
    ) -> Result<Self, Vec<Diagnostic>> {
        let value = |id: VariableId| constants.parameter(id).filter(|value| value.is_finite());
        let side = |expression: ExpressionId| affine(&dae.model.expressions, expression, &|id, _| value(id));
        let fixed_sides = discrete.atoms.iter().map(|atom| match (atom.moment, atom.watched) {
            (Moment::Time, [left, right]) => Some([side(left)?, side(right)?]),
            _ => None,
        });
        let fixed_sides: IndexVec<RelationId, Option<[Affine; 2]>> = fixed_sides.collect();
        let timetable = Timetable::new(&discrete.atoms, &fixed_sides);
        let part = |id: VariableId| match constants.parameter(id) {
            Some(number) if number.is_finite() => Part::Number(number),
            None if !dae.model.variables[id].is_continuous_unknown() => Part::Decided,
            _ => Part::Neither,
        };
        let formula = |expression: ExpressionId| TimeFormula::new(&dae.model.expressions, expression, &part);
        let sides = discrete.atoms.iter_enumerated().map(|(id, atom)| match (atom.moment, atom.sides) {
            (Moment::Time, [left, right]) if fixed_sides[id].is_none() => Some([formula(left)?, formula(right)?]),
            _ => None,
        });
        let sides = sides.collect();
        let arguments = discrete.stairs.iter().map(|stair| formula(stair.argument)).collect();
        let constant = |expression| side(expression).filter(|it| it.slope == 0.0);
        let mut samplings = Vec::new();
        for call in discrete.samples(&dae.model) {
            let Node::Call(Builtin::Sample, arguments) = dae.model.expressions.node(call) else { continue };
            let list = dae.model.expressions.argument_list(arguments);
            match (constant(list[0]), constant(list[1])) {
                (Some(start), Some(interval)) if interval.constant > 0.0 && start.constant.is_finite() => {
                    samplings.push(Sampling::new(call, start.constant, interval.constant, from));
                }
                _ => return Err(vec![no_instants(dae, call)]),
            }
        }
        Ok(Schedule { fixed_sides, sides, arguments, timetable, samplings })
    }
}

fn no_instants(dae: &MultimodeDae, call: ExpressionId) -> Diagnostic {
    let text = ExpressionText { model: &dae.model, modes: Some(&dae.mode_variables), expression: call };
    Diagnostic::error("E0814", format!("`{text}` needs a start and a positive interval known in advance"))
}

/// The samplings that are due, which then wait for their next instants.
pub(crate) fn due_samples(samplings: &mut [Sampling], now: f64) -> Vec<ExpressionId> {
    let mut due = Vec::new();
    are_due(samplings, now, &mut due);
    pass_samples(samplings, now);
    due
}

/// Adds the samplings that are due.
pub(crate) fn are_due(samplings: &[Sampling], now: f64, due: &mut Vec<ExpressionId>) {
    let latest = now + ROUNDING * now.abs();
    due.extend(samplings.iter().filter(|sampling| sampling.time() <= latest).map(|sampling| sampling.call));
}

/// Samplings that were due wait for their next instants.
pub(crate) fn pass_samples(samplings: &mut [Sampling], now: f64) {
    let latest = now + ROUNDING * now.abs();
    for sampling in samplings {
        while sampling.time() <= latest {
            sampling.next += 1.0;
        }
    }
}

impl Prepared {
    /// An expression of time and discrete values as an affine function of time; left limits are those of `left`.
    pub fn affine(
        &self,
        expression: ExpressionId,
        left: &IndexVec<VariableId, f64>,
        discrete: &IndexVec<VariableId, f64>,
    ) -> Option<Affine> {
        let value = |id: VariableId, is_left: bool| {
            let declared = &self.dae.model.variables[id];
            let values = if is_left { left } else { discrete };
            let known = self.parameter(id).or((!declared.is_continuous_unknown()).then(|| values[id]));
            known.filter(|value| value.is_finite())
        };
        affine(&self.dae.model.expressions, expression, &value)
    }

    /// Both sides of an atom as functions of time, where they are affine in it.
    fn sides_in_time(
        &self,
        atom: RelationId,
        left: &IndexVec<VariableId, f64>,
        discrete: &IndexVec<VariableId, f64>,
    ) -> Option<[Affine; 2]> {
        let Schedule { fixed_sides, sides, .. } = &self.schedule;
        let value = |id: VariableId, is_left: bool| if is_left { left[id] } else { discrete[id] };
        match (fixed_sides[atom], &sides[atom]) {
            (Some(fixed), _) => Some(fixed),
            (None, Some([one, other])) => Some([one.at(value)?, other.at(value)?]),
            (None, None) => {
                let [one, other] = self.discrete.atoms[atom].sides;
                Some([self.affine(one, left, discrete)?, self.affine(other, left, discrete)?])
            }
        }
    }

    /// The argument of a stair as a function of time, where it is affine in it.
    fn argument_in_time(
        &self,
        stair: usize,
        left: &IndexVec<VariableId, f64>,
        discrete: &IndexVec<VariableId, f64>,
    ) -> Option<Affine> {
        match &self.schedule.arguments[stair] {
            Some(formula) => formula.at(|id, is_left| if is_left { left[id] } else { discrete[id] }),
            None => self.affine(self.discrete.stairs[stair].argument, left, discrete),
        }
    }

    /// Sets truths of atoms on time and steps of stairs of time, right after an instant, for discrete values that may have
    /// changed; whether anything changed. Left limits are those of `left`: a time that moves with `pre(n)` moves in the
    /// micro-step after the one that changes `n`. Atoms that are not affine in time keep their truth.
    pub fn update_time(
        &self,
        time: f64,
        left: &IndexVec<VariableId, f64>,
        discrete: &mut IndexVec<VariableId, f64>,
    ) -> bool {
        let mut changed = false;
        let mut set = |variable: VariableId, truth: bool, discrete: &mut IndexVec<VariableId, f64>| {
            let truth = f64::from(u8::from(truth));
            changed |= discrete[variable] != truth;
            discrete[variable] = truth;
        };
        let Schedule { timetable, .. } = &self.schedule;
        for (atom, truth) in timetable.truths(&self.discrete.atoms, time) {
            set(atom.variable, truth, discrete);
        }
        for &id in &timetable.others {
            if let Some([one, other]) = self.sides_in_time(id, left, discrete) {
                let atom = &self.discrete.atoms[id];
                set(atom.variable, truth_right_after(atom, one, other, time), discrete);
            }
        }
        for (stair, it) in self.discrete.stairs.iter().enumerate() {
            if let Some(argument) = self.argument_in_time(stair, left, discrete) {
                let step = step_right_after(it.rounding, argument, time);
                changed |= discrete[it.variable] != step;
                discrete[it.variable] = step;
            }
        }
        for delay in &self.delays.all {
            let piece = self.piece_right_after(delay, time, (left, discrete), ROUNDING);
            changed |= discrete[delay.piece] != piece;
            discrete[delay.piece] = piece;
        }
        changed
    }

    /// Truths and steps that follow from time, where nothing that is decided at events enters: the variables; nothing where something
    /// does.
    pub fn of_time_alone(&self) -> Option<Vec<VariableId>> {
        let part = &self.discrete;
        let of_atoms: FxHashSet<VariableId> = part.atoms.iter().map(|atom| atom.variable).collect();
        let is_decided = |id: VariableId| part.is_defined(id) || of_atoms.contains(&id);
        let on_time = part.atoms.iter().filter(|atom| atom.moment == Moment::Time);
        let sides = on_time.clone().flat_map(|atom| atom.sides).chain(part.stairs.iter().map(|stair| stair.argument));
        let mut is_free = true;
        for side in sides {
            self.dae.model.expressions.for_each(side, |_, node| {
                is_free &= !matches!(node, Node::Variable(id, _) if is_decided(id)) && !matches!(node, Node::Mode(_));
                is_free
            });
        }
        let variables = on_time.map(|atom| atom.variable).chain(part.stairs.iter().map(|stair| stair.variable));
        is_free.then(|| variables.collect())
    }

    /// Whether the time of a crossing is known in advance.
    pub fn is_scheduled(&self, guard: Guard, discrete: &IndexVec<VariableId, f64>) -> bool {
        match guard {
            Guard::Atom(atom) => {
                let it = &self.discrete.atoms[atom];
                it.moment == Moment::Time && self.sides_in_time(atom, discrete, discrete).is_some()
            }
            Guard::Edge(stair, _) => self.argument_in_time(stair, discrete, discrete).is_some(),
            Guard::Share(..) | Guard::Ray(_) => false,
        }
    }

    /// Whether an atom is on time, but its time is not known in advance: its value decides it where discrete values move it.
    pub fn is_function_of_time(&self, atom: RelationId, left: &IndexVec<VariableId, f64>) -> bool {
        self.discrete.atoms[atom].moment == Moment::Time && self.sides_in_time(atom, left, left).is_none()
    }

    /// The next time after `now` at which something is due.
    pub fn next_time(&self, now: f64, discrete: &IndexVec<VariableId, f64>, samplings: &[Sampling]) -> f64 {
        let soonest = soonest_after(now);
        let mut next = self.schedule.timetable.next_after(soonest);
        let mut consider = |time: Option<f64>| {
            if let Some(time) = time.filter(|&time| time > soonest) {
                next = next.min(time);
            }
        };
        for &atom in &self.schedule.timetable.others {
            if let Some([left, right]) = self.sides_in_time(atom, discrete, discrete) {
                consider(meeting(left, right));
            }
        }
        for (number, stair) in self.discrete.stairs.iter().enumerate() {
            if let Some(argument) = self.argument_in_time(number, discrete, discrete) {
                let (low, high) = stair.rounding.edges(discrete[stair.variable]);
                consider(argument.time_of(if argument.slope > 0.0 { high } else { low }));
            }
        }
        for delay in &self.delays.all {
            consider(self.end_of_piece(delay, discrete));
        }
        for sampling in samplings {
            consider(Some(sampling.time()));
        }
        next
    }
}

/// The step that an affine argument is on right after a time.
fn step_right_after(rounding: Rounding, argument: Affine, time: f64) -> f64 {
    let value = argument.at(time);
    let nearest = value.round();
    let size = (argument.slope * time).abs() + argument.constant.abs();
    if argument.slope == 0.0 || (value - nearest).abs() > ROUNDING * size.max(1.0) {
        return rounding.step(value);
    }
    rounding.step(nearest + 0.5 * argument.slope.signum())
}

/// The relations on time of a model.
struct Timetable {
    /// Those between fixed functions of time.
    fixed: Vec<Entry>,
    /// Those whose functions depend on discrete values.
    others: Vec<RelationId>,
}

/// A relation between fixed functions of time.
struct Entry {
    atom: RelationId,
    sides: [Affine; 2],
    /// When the sides meet; infinity where they never do.
    meeting: f64,
    /// How near to the meeting rounding decides: so far, and so far in shares of the time.
    doubt: [f64; 2],
    /// Its truth before and after the meeting.
    truths: [bool; 2],
}

impl Timetable {
    /// Lists the relations; `sides` are those that are fixed functions of time.
    pub fn new(atoms: &IndexVec<RelationId, Atom>, sides: &IndexVec<RelationId, Option<[Affine; 2]>>) -> Self {
        let on_time = || atoms.iter_enumerated().filter(|(_, atom)| atom.moment == Moment::Time);
        let fixed = on_time().filter_map(|(id, atom)| Some(Entry::new(id, atom, sides[id]?)));
        let others = on_time().map(|(id, _)| id).filter(|&id| sides[id].is_none());
        Timetable { fixed: fixed.collect(), others: others.collect() }
    }

    /// The relations between fixed functions with their truths right after a time.
    pub fn truths<'t>(
        &'t self,
        atoms: &'t IndexVec<RelationId, Atom>,
        time: f64,
    ) -> impl Iterator<Item = (&'t Atom, bool)> + 't {
        self.fixed.iter().map(move |entry| {
            let atom = &atoms[entry.atom];
            (atom, entry.truth_right_after(atom, time))
        })
    }

    /// The first meeting after a time.
    pub fn next_after(&self, time: f64) -> f64 {
        let later = self.fixed.iter().map(|entry| entry.meeting).filter(|&meeting| meeting > time);
        later.fold(f64::INFINITY, f64::min)
    }
}

impl Entry {
    fn new(atom: RelationId, relation: &Atom, sides: [Affine; 2]) -> Self {
        let [left, right] = sides;
        let slope = (left.slope - right.slope).abs();
        let rises = left.slope > right.slope;
        match meeting(left, right) {
            Some(meeting) => {
                let doubt = [left.constant.abs() + right.constant.abs(), left.slope.abs() + right.slope.abs()];
                let doubt = doubt.map(|size| 2.0 * ROUNDING * size / slope);
                let after = rises == relation.holds_above();
                Entry { atom, sides, meeting, doubt, truths: [!after, after] }
            }
            None => {
                let truth = truth_right_after(relation, left, right, 0.0);
                Entry { atom, sides, meeting: f64::INFINITY, doubt: [0.0; 2], truths: [truth; 2] }
            }
        }
    }

    fn truth_right_after(&self, atom: &Atom, time: f64) -> bool {
        let [left, right] = self.sides;
        let distance = time - self.meeting;
        if distance.abs() > self.doubt[0] + self.doubt[1] * time.abs() {
            let truth = self.truths[usize::from(distance > 0.0)];
            debug_assert_eq!(truth, truth_right_after(atom, left, right, time), "far from a meeting its side decides");
            return truth;
        }
        truth_right_after(atom, left, right, time)
    }
}

/// Whether a relation between functions of time holds right after a time.
fn truth_right_after(atom: &Atom, left: Affine, right: Affine, time: f64) -> bool {
    let difference = left.at(time) - right.at(time);
    let slope = left.slope - right.slope;
    let size = (left.slope * time).abs() + left.constant.abs() + (right.slope * time).abs() + right.constant.abs();
    if difference.abs() > ROUNDING * size {
        return (difference > 0.0) == atom.holds_above();
    }
    match slope {
        0.0 => atom.holds_at_zero(),
        _ => (slope > 0.0) == atom.holds_above(),
    }
}
