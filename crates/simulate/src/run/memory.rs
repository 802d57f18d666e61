//! What a run remembers from one instant to the next, beside the values themselves and the modes that it visited.

use std::collections::BTreeSet;
use std::sync::Arc;

use modeshift_dae::{Derivative, ExpressionId, IndexVec, Mode, RelationId, VariableId};
use modeshift_diagnostics::Span;
use modeshift_mode_changes::{DifferenceTape, Noise};
use modeshift_numerics::Input;
use rustc_hash::FxHashMap;

use crate::integrate::Sizes;
use crate::run::exact_modes::ExactModes;
use crate::run::phase::integrate_until::TYPICAL;
use crate::run::phase::noise_floor::SlightEvents;
use crate::run::phase::time_events::Sampling;
use crate::run::phase::zero_crossings::{Crossing, Guard, TOGETHER, faded};
use crate::run::prepare::Prepared;
use crate::run::prepare::discrete_part::DiscretePart;
use crate::run::prepare::discrete_tapes::{Buffers, Formulas};
use crate::run::prepare::relations::Moment;
use crate::run::repeated::trace::Trace;
use crate::run::running_sizes::{Carried, ROUNDING, with_running_sizes};
use crate::run::values::{Occasion, Side, input_between};

/// Stairs may contain stairs: so many deep they are looked at.
const STAIRS_OF_STAIRS: usize = 2;

/// How exactly the instant of an event is known, in short times.
const EVENT_TIME_ERROR: f64 = 1e-10;

/// The most of a short time that rounding of a guard may make of the time of an event: what touches zero without a slope to speak of tells
/// nothing about its time.
const MOST_BLURRED: f64 = 1e-5;
/// Less than this of a short time is what any relation has of it.
const LEAST_BLURRED: f64 = 1e-11;

/// A value at an event is known to a few times what the resolution of time leaves of it.
const RESIDUES: f64 = 4.0;
/// What is left of a size, relative to it, where an atom has come to rest at zero: some roundings.
const REST: f64 = 64.0 * f64::EPSILON;

/// What a run remembers.
pub(crate) struct Memory {
    pub buffers: TapeBuffers,
    /// What counts as noise, in what does as a rule: another level where no mode is accepted.
    pub noise_level: f64,
    /// Whether slopes count that may be rounding of what they are made of: where no mode is accepted otherwise.
    pub trusts_slopes: bool,
    /// Whether machines may enter states that they leave at once for where they came from.
    pub passes_through: bool,
    /// Whether derivatives decide about all that is as small as rounding.
    pub is_by_derivatives: bool,
    /// What is a short time.
    pub time_scale: TimeScale,
    /// Which modes were solved exactly.
    pub exact_modes: ExactModes,
    /// The sizes of states.
    pub sizes: StateSizes,
    /// How large the sides of each atom were of late.
    pub scales: IndexVec<RelationId, f64>,
    /// How large the sides of any atom have been.
    pub most: f64,
    /// How large they ever were: errors of states are kept so small that no variable is wrong by more than its tolerance of that.
    pub largest: IndexVec<RelationId, f64>,
    /// Atoms that are at zero because it was located where they are. In the next phase, only what errors of states make of
    /// them from there on counts.
    pub located: Vec<RelationId>,
    /// What the resolution of time left of each atom at the last crossing: less is no value.
    pub residues: IndexVec<RelationId, f64>,
    /// How long the last phase was, and what times could be told apart at its end.
    duration: f64,
    resolution: f64,
    /// What rounding of what crossed leaves of the time of the last event; nothing where states are not as exact as rounding.
    time_error: Option<f64>,
    /// When `sample` is due next.
    pub samplings: Vec<Sampling>,
    /// Atoms whose last events changed nothing but laws that agree there.
    pub slight: SlightEvents,
    /// Variables of which it was said that their impulses have no weight.
    pub undefined: BTreeSet<VariableId>,
    /// Surfaces of which it was said that the run slides along them.
    pub slid: BTreeSet<RelationId>,
    /// Guards whose crossings were taken for noise by a guess, with the times, to be told.
    pub unresolved: Vec<(Guard, f64)>,
    /// Atoms of which it was said that the tolerance does not resolve them.
    pub told_unresolved: BTreeSet<RelationId>,
    /// Assertions of which it was said that they are violated: the places where they stand.
    pub warned: BTreeSet<Span>,
    /// Whether it was said that a mode leaves variables undetermined.
    pub told_of_undetermined: bool,
    /// Variables of which it was said that nothing says where they begin.
    pub begun_at_zero: BTreeSet<VariableId>,
    /// Clusters of atoms that were searched for other modes.
    pub compared: BTreeSet<Vec<RelationId>>,
    /// What the search tries at the present instant, where somebody wants to know.
    pub trace: Option<Trace>,
    series: IndexVec<RelationId, Option<Arc<DifferenceTape>>>,
    /// By stair.
    stair_series: Vec<Option<Arc<DifferenceTape>>>,
}

/// What is a short time, by the solution itself: the length of a long step of late. The short steps after an event and the
/// short phases before a limit of events are no sign that anything has become faster, so a long step is forgotten only
/// after many times its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeScale {
    short: f64,
    source: TimeSource,
}

/// What says that a time is short.
#[derive(Clone, Copy, Debug, PartialEq)]
enum TimeSource {
    Nothing,
    /// How long something takes to change, as far as slopes and sources tell before the first step: others may be faster.
    Changes,
    Steps,
}

/// A step is a short time for so many times its length.
const REMEMBERED: f64 = 100.0;
/// The share of the time in which a solution or a source changes that is short: about as long as a step.
const SHORT: f64 = 1e-2;

impl Default for TimeScale {
    /// Where nothing moves, no time is short or long.
    fn default() -> Self {
        TimeScale { short: SHORT, source: TimeSource::Nothing }
    }
}

impl TimeScale {
    /// Before the first step: by how long something takes to change.
    pub fn of_change(duration: f64) -> Option<Self> {
        (duration > 0.0 && duration.is_finite())
            .then_some(TimeScale { short: SHORT * duration, source: TimeSource::Changes })
    }

    /// The shorter one.
    pub fn or_shorter(self, other: Self) -> Self {
        TimeScale { short: self.short.min(other.short), ..self }
    }

    /// A short time.
    pub fn short(self) -> f64 {
        self.short
    }

    /// A short time where something says what that is; before anything does, none is: a guess would be one of the units.
    pub fn known_short(self) -> f64 {
        if self.is_known() { self.short } else { 0.0 }
    }

    /// Whether something says what a short time is.
    pub fn is_known(self) -> bool {
        self.source != TimeSource::Nothing
    }

    /// How long a first step may be, as far as the run knows: what steps were of late, or else at most this.
    pub fn of_first_step(self) -> (Option<f64>, Option<f64>) {
        match self.source {
            TimeSource::Nothing => (None, None),
            TimeSource::Changes => (None, Some(self.short)),
            TimeSource::Steps => (Some(self.short), None),
        }
    }

    /// Before the first step: something acts as soon as that.
    pub fn shorten(&mut self, short: f64) {
        if self.source != TimeSource::Steps && short > 0.0 && short < self.short {
            self.short = short;
        }
    }

    /// After a step of this length.
    pub fn follow(&mut self, step: f64) {
        let is_known = self.source != TimeSource::Nothing;
        let before = if is_known { self.short - step / REMEMBERED } else { 0.0 };
        *self = TimeScale { short: before.max(step), source: TimeSource::Steps };
    }
}

/// How large states are around the present time, as the integrations of the last phases have seen them.
#[derive(Default)]
pub(crate) struct StateSizes {
    /// By state: how large it was in the last phase and still is of late, and whether it was ever anything but zero.
    known: FxHashMap<Derivative<VariableId>, (f64, bool)>,
}

impl StateSizes {
    /// What an integration of some states can begin with.
    pub fn of(&self, states: impl Iterator<Item = Derivative<VariableId>>, time_scale: TimeScale) -> Sizes {
        let (now, has_moved) = states.map(|it| self.known.get(&it).copied().unwrap_or_default()).unzip();
        let (step, at_most) = time_scale.of_first_step();
        Sizes { now, has_moved, step: step.unwrap_or(0.0), at_most: at_most.unwrap_or(0.0), ..Sizes::default() }
    }

    /// States are as large as they are on a side.
    pub fn see(&mut self, side: &Side<'_>) {
        let program = side.mode.program.borrow();
        for (state, place) in program.state_quantities().zip(program.states()) {
            let value = side.jet[place.index()].abs();
            let (size, has_moved) = self.known.get(&state).copied().unwrap_or_default();
            self.known.insert(state, (size.max(value), has_moved || value > 0.0));
        }
    }

    /// What an integration of some states has seen.
    pub fn learn(&mut self, states: impl Iterator<Item = Derivative<VariableId>>, seen: &Sizes) {
        for (index, state) in states.enumerate().take(seen.now.len()) {
            self.known.insert(state, (seen.lately[index].min(seen.now[index]), seen.has_moved[index]));
        }
    }

    /// The size of a state; zero where nothing is known.
    pub fn size(&self, state: Derivative<VariableId>) -> f64 {
        self.known.get(&state).map_or(0.0, |&(lately, _)| lately)
    }
}

/// Discrete values where relations are as they stand: at the start, before it is asked where those at zero go.
pub(crate) struct Literal {
    pub discrete: IndexVec<VariableId, f64>,
    pub mode: Mode,
}

impl Literal {
    /// Gives conditions of `when` these values on a side.
    pub fn begin_conditions(&self, prepared: &Prepared, side: &mut Side<'_>) {
        let ids = prepared.discrete.defined.iter().map(|&(id, _)| id);
        let conditions = ids.filter(|id| prepared.discrete.conditions.contains(&id.0));
        conditions.for_each(|id| side.discrete[id] = self.discrete[id]);
    }
}

/// Buffers for the tapes of the discrete part.
pub(crate) struct TapeBuffers {
    pub decisions: Buffers,
    /// Of the formulas of quiet micro-steps.
    pub quiet: Option<Buffers>,
    assertions: Buffers,
    watched: Buffers,
    sides: Buffers,
    /// What restarts of the present instant carried from what crossed to what did not.
    pub carried: Carried,
    /// What is remembered for later.
    pub delayed: Buffers,
}

impl Memory {
    /// Nothing remembered yet.
    pub fn new(prepared: &Prepared) -> Self {
        let DiscretePart { tapes, atoms, .. } = &prepared.discrete;
        Memory {
            buffers: TapeBuffers {
                decisions: tapes.decisions.buffers(),
                quiet: tapes.quiet.as_ref().map(Formulas::buffers),
                assertions: tapes.assertions.buffers(),
                watched: tapes.watched.buffers(),
                sides: tapes.sides.buffers(),
                carried: Carried::default(),
                delayed: prepared.delays.formulas.buffers(),
            },
            noise_level: 1.0,
            trusts_slopes: false,
            passes_through: false,
            is_by_derivatives: false,
            time_scale: TimeScale::default(),
            exact_modes: ExactModes::default(),
            sizes: StateSizes::default(),
            scales: atoms.iter().map(|_| 0.0).collect(),
            most: 0.0,
            largest: atoms.iter().map(|_| 0.0).collect(),
            located: Vec::new(),
            residues: atoms.iter().map(|_| 0.0).collect(),
            duration: f64::INFINITY,
            resolution: 0.0,
            time_error: None,
            samplings: prepared.schedule.samplings.clone(),
            slight: SlightEvents::new(atoms.len()),
            undefined: BTreeSet::new(),
            slid: BTreeSet::new(),
            unresolved: Vec::new(),
            told_unresolved: BTreeSet::new(),
            warned: BTreeSet::new(),
            told_of_undetermined: false,
            begun_at_zero: BTreeSet::new(),
            compared: BTreeSet::new(),
            trace: None,
            series: atoms.iter().map(|_| None).collect(),
            stair_series: vec![None; prepared.discrete.stairs.len()],
        }
    }

    /// Knows how large everything is, and what is a short time, from another run of the same model.
    pub fn take_sizes_of(&mut self, other: &Memory) {
        self.time_scale = other.time_scale;
        self.sizes.known.clone_from(&other.sizes.known);
        self.scales.clone_from(&other.scales);
        self.most = other.most;
        self.largest.clone_from(&other.largest);
        self.located.clone_from(&other.located);
        self.residues.clone_from(&other.residues);
        (self.duration, self.resolution) = (other.duration, other.resolution);
    }

    /// Whether a value of an atom is above noise.
    pub fn is_clear(&self, prepared: &Prepared, atom: RelationId, (difference, size): (f64, f64)) -> bool {
        difference.abs() > self.clear_level(prepared, atom, size)
    }

    /// What a value of an atom whose sides are so large must be above.
    pub fn clear_level(&self, prepared: &Prepared, atom: RelationId, size: f64) -> f64 {
        let scale = self.scales[atom].max(if size.is_finite() { size } else { 0.0 });
        (self.noise_level * prepared.noise.relative * scale).max(self.least(prepared, atom))
    }

    /// A phase ends that was followed to an event that happened before, with sides of atoms so large. An atom that rests at zero is known
    /// no better than when it came there.
    pub fn pass_repeated(&mut self, (began, ended): (f64, f64), sizes: &IndexVec<RelationId, f64>) {
        let length = ended - began;
        self.time_scale.follow(TYPICAL * length);
        let fading = faded(length / self.time_scale.short());
        for (atom, &size) in sizes.iter_enumerated() {
            if size > REST * self.scales[atom] {
                self.scales[atom] = size.max(fading * self.scales[atom]);
            }
            self.largest[atom] = self.largest[atom].max(size);
        }
        self.end_phase((began, ended), None);
    }

    /// What is tried is no plain search.
    pub fn trace_intricate(&mut self) {
        self.trace.as_mut().into_iter().for_each(|trace| trace.is_intricate = true);
    }

    /// Times that cannot be told apart at the last event.
    pub fn resolution(&self) -> f64 {
        self.resolution
    }

    /// Values of an atom that are zero whatever it is made of.
    pub fn least(&self, prepared: &Prepared, atom: RelationId) -> f64 {
        prepared.floor(atom).max(RESIDUES * self.residues[atom])
    }

    /// What counts as zero now.
    pub fn present_noise(&self, prepared: &Prepared) -> Noise {
        let time_scale = self.time_scale.short();
        let event_time_error = EVENT_TIME_ERROR * self.time_scale.known_short().min(self.duration) + self.resolution;
        // A constraint that asks of what has crossed to be zero is met as exactly as the time of the crossing is known.
        let unresolved = self.located.iter().map(|&atom| self.residues[atom]).fold(0.0, f64::max);
        let floor = prepared.noise.floor.max(RESIDUES * unresolved);
        Noise { time_scale, event_time_error, floor, ..prepared.noise }
    }

    /// What counts as zero in the series of an atom.
    pub fn noise(&self, prepared: &Prepared, atom: RelationId) -> Noise {
        let noise = self.present_noise(prepared);
        let time_scale = if self.time_scale.is_known() { noise.time_scale } else { f64::INFINITY };
        let relative = self.noise_level * noise.relative;
        let floor = noise.floor.max(self.scales[atom]).max(RESIDUES * self.residues[atom] / relative);
        Noise { relative, floor, time_scale, ..noise }
    }

    /// Remembers how large the sides of atoms are.
    pub fn learn_scales(&mut self, values: &IndexVec<RelationId, (f64, f64)>) {
        for (scale, &(_, size)) in self.scales.iter_mut().zip(values.iter()) {
            if size.is_finite() {
                *scale = scale.max(size);
            }
        }
    }

    /// A phase begins on a side. What was located is as exact as its rounding and what errors of states make of it from now on.
    pub fn renew_scales(&mut self, prepared: &Prepared, side: &Side<'_>) {
        self.buffers.carried.clear();
        for atom in std::mem::take(&mut self.located) {
            let of_states = side.size_by_states(prepared, atom, |state| self.sizes.size(state));
            // Errors of states are small enough for the guard, but their rounding is what it is.
            let rounding = ROUNDING / prepared.noise.relative * self.scales[atom].max(of_states);
            self.scales[atom] = of_states.min(self.largest[atom]).max(rounding);
        }
    }

    /// How long the last phase was; infinite where there was none.
    pub fn last_duration(&self) -> f64 {
        self.duration
    }

    /// A phase ends at a crossing, or otherwise.
    pub fn end_phase(&mut self, (began, ended): (f64, f64), crossing: Option<&Crossing>) {
        (self.duration, self.resolution, self.time_error) = (ended - began, TOGETHER * ended.abs(), None);
        self.most = self.scales.iter().copied().filter(|it| it.is_finite()).fold(self.most, f64::max);
        self.residues.iter_mut().for_each(|it| *it = 0.0);
        self.buffers.carried.clear();
        self.located.clear();
        for it in crossing.into_iter().flat_map(|crossing| &crossing.residues) {
            self.residues[it.atom] = it.size;
            self.located.extend(it.is_located.then_some(it.atom));
        }
    }

    /// States are as exact as rounding, and the time of the last event is known no better than this.
    pub fn blur(&mut self, time_error: f64) {
        self.time_error = Some(time_error.min(MOST_BLURRED * self.time_scale.known_short()));
    }

    /// What the time of the last event is not known to, where rounding of what crossed makes that more than other times are.
    pub fn time_error(&self) -> Option<f64> {
        let usual = self.resolution.max(LEAST_BLURRED * self.time_scale.known_short());
        self.time_error.filter(|&it| it > usual)
    }

    /// What is noise is found out as if the time of the event were known a little less; what is to be given back afterwards.
    pub fn look_closer(&mut self) -> Option<f64> {
        let usual = self.resolution.max(LEAST_BLURRED * self.time_scale.known_short());
        let closer = self.time_error.map(|it| it.max(2.0 * usual));
        std::mem::replace(&mut self.time_error, closer)
    }

    /// The time of the event is known to this again.
    pub fn look_as_before(&mut self, time_error: Option<f64>) {
        self.time_error = time_error;
    }

    /// An atom is at zero where a phase ended for another reason, with this left of it.
    pub fn locate(&mut self, atom: RelationId, value: f64) {
        self.located.push(atom);
        self.residues[atom] = self.residues[atom].max(value.abs());
    }

    /// What is at zero, and what is left of it.
    pub fn locations(&self) -> (Vec<RelationId>, IndexVec<RelationId, f64>) {
        (self.located.clone(), self.residues.clone())
    }

    /// What is tried was not.
    pub fn restore_locations(&mut self, (located, residues): (Vec<RelationId>, IndexVec<RelationId, f64>)) {
        (self.located, self.residues) = (located, residues);
        self.buffers.carried.clear();
    }

    /// An atom along jets, compiled when first needed.
    pub fn series(&mut self, prepared: &Prepared, atom: RelationId) -> Option<Arc<DifferenceTape>> {
        if self.series[atom].is_none() {
            let it = &prepared.discrete.atoms[atom];
            let sides = if it.moment == Moment::Before { it.watched } else { it.sides };
            self.series[atom] = difference(prepared, sides);
        }
        self.series[atom].clone()
    }

    /// The argument of a stair less its step along jets, compiled when first needed.
    pub fn stair_series(&mut self, prepared: &Prepared, stair: usize) -> Option<Arc<DifferenceTape>> {
        if self.stair_series[stair].is_none() {
            let it = &prepared.discrete.stairs[stair];
            self.stair_series[stair] = difference(prepared, [it.argument, it.step]);
        }
        self.stair_series[stair].clone()
    }
}

/// The difference of two expressions along jets.
fn difference(prepared: &Prepared, sides: [ExpressionId; 2]) -> Option<Arc<DifferenceTape>> {
    let parameter = |input: Input| match input {
        Input::Variable(id, 0) => prepared.parameter(id),
        _ => None,
    };
    DifferenceTape::new(&prepared.dae.model, &prepared.natives, sides, &parameter).ok().map(Arc::new)
}

impl TapeBuffers {
    /// Sides of all atoms, as `(difference, size)`, between two sides of an instant.
    pub fn atom_values(
        &mut self,
        prepared: &Prepared,
        (left, right): (&Side<'_>, &Side<'_>),
        occasion: Occasion,
        sampled: &[ExpressionId],
    ) -> IndexVec<RelationId, (f64, f64)> {
        let mut values = prepared.discrete.atoms.iter().map(|_| (0.0, 0.0)).collect();
        self.write_atom_values(prepared, (left, right), occasion, sampled, &mut values);
        values
    }

    /// The same in an event that is neither the first nor the last, into values that are there.
    pub fn atom_values_into(
        &mut self,
        prepared: &Prepared,
        sides: (&Side<'_>, &Side<'_>),
        sampled: &[ExpressionId],
        values: &mut IndexVec<RelationId, (f64, f64)>,
    ) {
        self.write_atom_values(prepared, sides, Occasion::default(), sampled, values);
    }

    fn write_atom_values(
        &mut self,
        prepared: &Prepared,
        (left, right): (&Side<'_>, &Side<'_>),
        occasion: Occasion,
        sampled: &[ExpressionId],
        values: &mut IndexVec<RelationId, (f64, f64)>,
    ) {
        if values.is_empty() {
            return;
        }
        let evaluated = self.sides.evaluate(&prepared.discrete.tapes.sides, |input| {
            input_between(&prepared.dae.model, input, (left, right), occasion, sampled)
        });
        for (value, sides) in values.iter_mut().zip(evaluated.chunks_exact(2)) {
            *value = (sides[0] - sides[1], sides[0].abs() + sides[1].abs());
        }
        with_running_sizes(prepared, right, prepared.discrete.atoms.ids().zip(values.iter_mut()));
        self.carried.enlarge(prepared, right, prepared.discrete.atoms.ids().zip(values.iter_mut()));
    }

    /// Gives conditions of `when` the values that they have on a side, with all relations as they stand: their left limits
    /// when the first clauses fire.
    pub fn begin_conditions(&mut self, prepared: &Prepared, side: &mut Side<'_>) {
        let begun = self.literal(prepared, side);
        begun.begin_conditions(prepared, side);
    }

    /// What the start is as it stands, between the sides of its first micro-step: before `pre` passes anything on.
    pub fn literal_start<'a>(
        &mut self,
        prepared: &Prepared,
        (left, right): (&Side<'a>, &Side<'a>),
        sampled: &[ExpressionId],
    ) -> Literal {
        let mut literal = self.as_it_stands(prepared, right);
        let occasion = Occasion { initial: true, terminal: false };
        let values = self.decisions.evaluate(&prepared.discrete.tapes.decisions, |input| {
            input_between(&prepared.dae.model, input, (left, &literal), occasion, sampled)
        });
        for &(id, place) in &prepared.discrete.defined {
            literal.discrete[id] = values[place];
        }
        Literal { discrete: literal.discrete, mode: prepared.discrete.modes(values).collect() }
    }

    /// A side with all relations and steps of stairs as they stand.
    fn as_it_stands<'a>(&mut self, prepared: &Prepared, side: &Side<'a>) -> Side<'a> {
        let mut literal = side.clone();
        for _ in 0..STAIRS_OF_STAIRS {
            let arguments = self.stair_arguments(prepared, &literal);
            for (stair, argument) in prepared.discrete.stairs.iter().zip(arguments) {
                literal.discrete[stair.variable] = stair.rounding.step(argument);
            }
        }
        let values = self.atom_values(prepared, (&literal, &literal), Occasion::default(), &[]);
        for (atom, &(difference, _)) in prepared.discrete.atoms.iter().zip(values.iter()) {
            literal.discrete[atom.variable] = f64::from(u8::from(atom.operator.holds(difference, 0.0)));
        }
        literal
    }

    /// What equations define on a side, with all relations and steps of stairs as they stand.
    pub fn literal(&mut self, prepared: &Prepared, side: &Side<'_>) -> Literal {
        let occasion = Occasion::default();
        let mut literal = self.as_it_stands(prepared, side);
        prepared.silence(&mut literal.discrete);
        let mut mode = side.mode.values.clone();
        let is_condition = |id: VariableId| prepared.discrete.conditions.contains(&id.0);
        let mut found: Vec<(VariableId, f64)> = Vec::new();
        // What was before the start is what is there, and no clause fires; each round passes a value on from one `pre` to the next.
        for _ in 0..prepared.discrete.defined.len() + 2 {
            let values = self.decisions.evaluate(&prepared.discrete.tapes.decisions, |input| match input {
                Input::LeftMode(id) => f64::from(u8::from(mode[id])),
                _ => input_between(&prepared.dae.model, input, (&literal, &literal), occasion, &[]),
            });
            let before = std::mem::replace(&mut mode, prepared.discrete.modes(values).collect());
            found.clear();
            found.extend(prepared.discrete.defined.iter().map(|&(id, place)| (id, values[place])));
            let mut others = found.iter().filter(|(id, _)| !is_condition(*id));
            if before == mode && others.clone().all(|&(id, value)| literal.discrete[id].to_bits() == value.to_bits()) {
                break;
            }
            others.by_ref().for_each(|&(id, value)| literal.discrete[id] = value);
        }
        found.into_iter().for_each(|(id, value)| literal.discrete[id] = value);
        Literal { discrete: literal.discrete, mode }
    }

    /// The watched expressions at the values of a side: both sides of atoms, then arguments of stairs.
    pub fn watched(&mut self, prepared: &Prepared, side: &Side<'_>) -> &[f64] {
        self.watched.evaluate(&prepared.discrete.tapes.watched, |input| {
            input_between(&prepared.dae.model, input, (side, side), Occasion::default(), &[])
        })
    }

    /// The watched expressions at the values of a side; in a sliding mode, on all sides of its surfaces, then the shares.
    pub fn watched_in_all(&mut self, prepared: &Prepared, side: &Side<'_>) -> Vec<f64> {
        let Some(slide) = &side.sliding else { return self.watched(prepared, side).to_vec() };
        let mut watched = Vec::new();
        slide.sides(side.time).for_each(|side| watched.extend_from_slice(self.watched(prepared, &side)));
        watched.extend_from_slice(&slide.shares);
        watched
    }

    /// The arguments of stairs at the values of a side.
    pub fn stair_arguments(&mut self, prepared: &Prepared, side: &Side<'_>) -> Vec<f64> {
        self.watched(prepared, side)[2 * prepared.discrete.atoms.len()..].to_vec()
    }

    /// The assertions that do not hold; at the start also those of initial sections.
    pub fn broken_assertions(&mut self, prepared: &Prepared, side: &Side<'_>, occasion: Occasion) -> Vec<usize> {
        let values = self.assertions.evaluate(&prepared.discrete.tapes.assertions, |input| {
            input_between(&prepared.dae.model, input, (side, side), occasion, &[])
        });
        let assertions = prepared.discrete.assertions.iter().enumerate();
        let broken = assertions.filter(|(_, it)| values[it.guard] != 0.0 && values[it.condition] == 0.0);
        broken.map(|(number, _)| number).collect()
    }
}

/// How large everything is, and what is a short time, as numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RememberedSizes(pub Vec<Vec<f64>>);

impl Memory {
    /// What is known of sizes, of these states and of all atoms.
    pub fn remembered_sizes(&self, states: &[Derivative<VariableId>]) -> RememberedSizes {
        let source = match self.time_scale.source {
            TimeSource::Nothing => 0.0,
            TimeSource::Changes => 1.0,
            TimeSource::Steps => 2.0,
        };
        let of_states = states.iter().flat_map(|state| {
            let (size, has_moved) = self.sizes.known.get(state).copied().unwrap_or_default();
            [size, f64::from(u8::from(has_moved))]
        });
        RememberedSizes(vec![
            vec![self.time_scale.short, source, self.most, self.duration, self.resolution],
            of_states.collect(),
            self.scales.iter().copied().collect(),
            self.largest.iter().copied().collect(),
            self.residues.iter().copied().collect(),
        ])
    }

    /// Whether these are numbers of such a model.
    pub fn fits(&self, states: &[Derivative<VariableId>], sizes: &RememberedSizes) -> bool {
        let atoms = self.scales.len();
        let lengths: Vec<usize> = sizes.0.iter().map(Vec::len).collect();
        lengths == [5, 2 * states.len(), atoms, atoms, atoms]
    }

    /// Knows what was known then; the numbers fit.
    pub fn take_remembered(&mut self, states: &[Derivative<VariableId>], RememberedSizes(lists): &RememberedSizes) {
        let source = match lists[0][1] {
            0.0 => TimeSource::Nothing,
            1.0 => TimeSource::Changes,
            _ => TimeSource::Steps,
        };
        self.time_scale = TimeScale { short: lists[0][0], source };
        (self.most, self.duration, self.resolution) = (lists[0][2], lists[0][3], lists[0][4]);
        for (state, known) in states.iter().zip(lists[1].chunks_exact(2)) {
            self.sizes.known.insert(*state, (known[0], known[1] != 0.0));
        }
        for (own, list) in [&mut self.scales, &mut self.largest, &mut self.residues].into_iter().zip(&lists[2..]) {
            own.iter_mut().zip(list).for_each(|(own, value)| *own = *value);
        }
        self.located.clear();
    }
}
