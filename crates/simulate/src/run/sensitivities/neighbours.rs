//! The same model with another value of a parameter, from event to event beside a run.

use modeshift_dae::{RelationId, Type, Variability, VariableId};

use super::super::Machinery;
use super::super::instant::event_iteration::{Fired, Outcome};
use super::super::instant::instant;
use super::super::memory::Memory;
use super::super::modes::VisitedModes;
use super::super::phase::schedule::due_samples;
use super::super::prepare::Prepared;
use super::super::start::Start;
use super::super::values::{Occasion, Side};
use super::refusals::NoSensitivity;

/// Where neighbours are, in steps.
pub(super) const OFFSETS: [f64; 4] = [-2.0, -1.0, 1.0, 2.0];
/// Differences of near and of far neighbours may differ by this share: the extrapolated one is wrong by about its square.
const SMOOTH: f64 = 1e-4;
/// Changes of this share of a value for a change of the parameter by all of its own size do not count.
const SLIGHT: f64 = 1e-6;
/// Rounding in values at neighbours.
const ROUNDING: f64 = 1e-14;
/// The share of a short time over which a guard's slope is taken.
const NEAR: f64 = 1e-3;
/// Events of neighbours are at most so many short times earlier or later.
const FAR: f64 = 1.0;
/// A guard is at zero after a few secants.
const MOST_SECANTS: usize = 30;
/// Causes of one instant are one event where their times differ by less than this share of how far they move.
const TOGETHER: f64 = 1e-6;

/// A model that has almost the same values.
pub(super) struct Neighbour<'s> {
    start: &'s Start,
    machinery: Machinery<'s>,
    /// After the last instant; nothing before the first.
    side: Option<Side<'s>>,
}

/// Neighbours on both sides, in one direction.
pub(super) struct Direction<'s> {
    neighbours: Vec<Neighbour<'s>>,
    /// How far the next ones are.
    step: f64,
}

impl<'s> Direction<'s> {
    pub fn new(starts: impl Iterator<Item = &'s Start>, step: f64) -> Self {
        Direction { neighbours: starts.map(Neighbour::new).collect(), step }
    }

    /// All neighbours pass an instant that the run has passed, on whose left side quantities change like this.
    pub fn pass(
        &mut self,
        memory: &Memory,
        left: &Side<'_>,
        change: &[f64],
        what: (&Fired, Occasion, bool),
        outcome: &Outcome<'_>,
    ) -> Result<(), NoSensitivity> {
        for (neighbour, offset) in self.neighbours.iter_mut().zip(OFFSETS) {
            neighbour.pass(memory, left, (offset * self.step, change), what, outcome)?;
        }
        Ok(())
    }

    /// Whether neighbours have passed the last instant at another time.
    pub fn is_apart_from(&self, time: f64) -> bool {
        self.neighbours.iter().filter_map(|it| it.side.as_ref()).any(|side| side.time != time)
    }

    /// How far something is that follows from guards, at the farthest neighbours of a place where quantities change like this.
    pub fn reach(
        &mut self,
        place: (f64, &[f64]),
        change: &[f64],
        of: impl Fn(&[(f64, f64)]) -> f64,
    ) -> Result<f64, NoSensitivity> {
        let mut farthest = 0.0_f64;
        for (neighbour, offset) in self.neighbours.iter_mut().zip(OFFSETS) {
            farthest = farthest.max(of(&neighbour.guards_beside(place, Some((offset * self.step, change)))?));
        }
        Ok(farthest)
    }

    /// The derivative of something after the last instant, around what it is at the model itself.
    pub fn difference(&self, itself: &Neighbour<'_>, of: impl Fn(&Side<'_>) -> f64) -> Result<f64, NoSensitivity> {
        let value = itself.side.as_ref().map_or(f64::NAN, &of);
        let at = |number: usize| self.neighbours[number].side.as_ref().map_or(f64::NAN, &of);
        self.extrapolated(value, [at(0), at(1), at(2), at(3)])
    }

    /// The derivative of what stands still in a mode: of a parameter, or of a discrete variable.
    pub fn given_difference(&self, itself: &Neighbour<'_>, id: VariableId) -> Result<f64, NoSensitivity> {
        match itself.prepared().parameter(id) {
            Some(value) => {
                let at = |number: usize| self.neighbours[number].prepared().parameter(id).unwrap_or(f64::NAN);
                self.extrapolated(value, [at(0), at(1), at(2), at(3)])
            }
            None => self.difference(itself, |side| side.discrete[id]),
        }
    }

    fn extrapolated(
        &self,
        value: f64,
        [farther_below, below, above, farther_above]: [f64; 4],
    ) -> Result<f64, NoSensitivity> {
        let near = (above - below) / (2.0 * self.step);
        let far = (farther_above - farther_below) / (4.0 * self.step);
        let derivative = (4.0 * near - far) / 3.0;
        let size = value.abs().max(above.abs()).max(below.abs());
        let rounding = ROUNDING * size / self.step;
        // The step is a share of the size of what is changed.
        let slight = SLIGHT * size / self.step * super::DISTANCES[0];
        let allowed = SMOOTH * derivative.abs() + slight.max(rounding);
        let is_smooth = (derivative - near).abs() <= allowed;
        // On a corner both sides have derivatives of their own.
        let side = |near: f64, far: f64| (4.0 * near - 3.0 * value - far) / (2.0 * self.step);
        let (left, right) = (-side(below, farther_below), side(above, farther_above));
        let is_one = |it: f64| (it - derivative).abs() <= 4.0 * ((derivative - near).abs() + allowed);
        if is_smooth && is_one(left) && is_one(right) && derivative.is_finite() {
            Ok(derivative)
        } else {
            Err(NoSensitivity::NotSmooth)
        }
    }
}

impl<'s> Neighbour<'s> {
    pub fn new(start: &'s Start) -> Self {
        let prepared = &start.prepared;
        let machinery = Machinery { prepared, visited: VisitedModes::new(prepared), memory: Memory::new(prepared) };
        Neighbour { start, machinery, side: None }
    }

    pub fn prepared(&self) -> &'s Prepared {
        self.machinery.prepared
    }

    /// When runs end.
    pub fn stop(&self) -> f64 {
        self.start.settings.stop
    }

    /// When something is due next.
    fn due(&self) -> f64 {
        let Machinery { prepared, memory, .. } = &self.machinery;
        let next = |side: &Side<'_>| prepared.next_time(side.time, &side.discrete, &memory.samplings);
        self.side.as_ref().map_or(f64::INFINITY, next)
    }

    /// Whether the instant that the run has come to is one that was known in advance.
    pub fn is_scheduled(&self, left: &Side<'_>) -> bool {
        (self.due() - left.time).abs() <= 4.0 * f64::EPSILON * left.time.abs()
    }

    /// Passes an instant that the run has passed.
    pub fn pass(
        &mut self,
        memory: &Memory,
        left: &Side<'_>,
        change: (f64, &[f64]),
        (fired, occasion, scheduled): (&Fired, Occasion, bool),
        outcome: &Outcome<'_>,
    ) -> Result<(), NoSensitivity> {
        self.machinery.memory.take_sizes_of(memory);
        let (side, samples) = if occasion.initial {
            let beginning = self.start.beginning(&mut self.machinery).map_err(|_| NoSensitivity::OtherEvents)?;
            let samples = due_samples(&mut self.machinery.memory.samplings, beginning.side.time);
            (beginning.side, samples)
        } else {
            let due = if scheduled { Some(self.due()) } else { None };
            let mut side = self.beside((left.time, &left.jet), change)?;
            if !occasion.terminal {
                self.land(&mut side, left, fired, due)?;
            }
            // The last instant comes after those that are due.
            let samplings = &mut self.machinery.memory.samplings;
            let samples = if occasion.terminal { Vec::new() } else { due_samples(samplings, side.time) };
            (side, samples)
        };
        if samples.len() != fired.samples.len() {
            return Err(NoSensitivity::OtherEvents);
        }
        let fired = Fired { samples, is_doubtful: false, ..fired.clone() };
        let Machinery { prepared, visited, memory } = &mut self.machinery;
        let passed =
            instant(prepared, visited, memory, &side, &fired, occasion).map_err(|_| NoSensitivity::OtherEvents)?;
        let is_alike = passed.right.mode.values == outcome.right.mode.values
            && passed.right.sliding.is_none()
            && passed.firings == outcome.firings
            && passed.cascade == outcome.cascade
            && is_alike(prepared, &passed.right, &outcome.right);
        if !is_alike {
            return Err(NoSensitivity::OtherEvents);
        }
        self.side = Some(passed.right);
        Ok(())
    }

    /// The side where the run is, with quantities changed by so much of a change.
    fn beside(&mut self, (time, jet): (f64, &[f64]), (by, change): (f64, &[f64])) -> Result<Side<'s>, NoSensitivity> {
        let mut side = self.side.clone().ok_or(NoSensitivity::OtherEvents)?;
        side.time = time;
        side.jet = jet.iter().zip(change).map(|(value, change)| value + by * change).collect();
        let visited = &mut self.machinery.visited;
        visited.surround(&side);
        let surroundings = visited.surroundings.clone();
        let surroundings = surroundings.borrow();
        let chosen = side.mode.choose_states(&mut visited.programs, side.time, &side.jet, &surroundings);
        chosen.map_err(|_| NoSensitivity::NoProgram)?;
        let mut program = side.mode.program.borrow_mut();
        let mut states = Vec::new();
        program.states_of(&side.jet, &mut states);
        let evaluated = program.evaluate(side.time, &states, &surroundings, &mut side.jet);
        drop(program);
        evaluated.map_err(|_| NoSensitivity::OtherEvents)?;
        Ok(side)
    }

    /// A side some time later or earlier, along the slopes of its states.
    fn moved(&self, side: &Side<'s>, by: f64) -> Result<Side<'s>, NoSensitivity> {
        let mut moved = side.clone();
        moved.time += by;
        let mut program = moved.mode.program.borrow_mut();
        let along =
            |place: &crate::program::QuantityIndex| side.jet[place.index()] + by * side.jet[place.derivative().index()];
        let states: Vec<f64> = program.states().iter().map(along).collect();
        let surroundings = self.machinery.visited.surroundings.borrow();
        let evaluated = program.evaluate(moved.time, &states, &surroundings, &mut moved.jet);
        drop(program);
        evaluated.map_err(|_| NoSensitivity::Grazing)?;
        Ok(moved)
    }

    /// Moves a side to the time at which its own event is.
    fn land(
        &mut self,
        side: &mut Side<'s>,
        left: &Side<'_>,
        fired: &Fired,
        due: Option<f64>,
    ) -> Result<(), NoSensitivity> {
        let mut times: Vec<f64> = due.into_iter().collect();
        for &atom in &fired.atoms {
            times.push(self.zero(side, &mut |neighbour, side| neighbour.atom_value(side, atom))?);
        }
        for &(stair, is_above) in &fired.stairs {
            let it = self.prepared().discrete.stairs[stair];
            let (low, high) = it.rounding.edges(side.discrete[it.variable]);
            let edge = if is_above { high } else { low };
            let value = |neighbour: &mut Self, side: &Side<'s>| {
                let Machinery { prepared, memory, .. } = &mut neighbour.machinery;
                memory.buffers.stair_arguments(prepared, side)[stair] - edge
            };
            times.push(self.zero(side, &mut { value })?);
        }
        let Some(&first) = times.first() else { return Err(NoSensitivity::OtherEvents) };
        let moved = (first - left.time).abs();
        // Over so long a time nothing is as straight as its slopes.
        if moved > FAR * self.machinery.memory.time_scale.short() {
            return Err(NoSensitivity::Grazing);
        }
        let apart = |&time: &f64| (time - first).abs() > TOGETHER * moved + 1e-13 * first.abs();
        if times.iter().any(apart) {
            return Err(NoSensitivity::MoveApart);
        }
        *side = self.moved(side, first - left.time)?;
        // What is due is due to the last bit.
        side.time = first;
        Ok(())
    }

    /// Whether the model has guards at all.
    pub fn has_guards(&self) -> bool {
        let part = &self.prepared().discrete;
        !(part.atoms.is_empty() && part.stairs.is_empty())
    }

    /// What guards are where the run is between two instants, or at a neighbour of that: each on its side, and what of it is noise.
    pub fn guards_beside(
        &mut self,
        place: (f64, &[f64]),
        change: Option<(f64, &[f64])>,
    ) -> Result<Vec<(f64, f64)>, NoSensitivity> {
        let nothing = vec![0.0; place.1.len()];
        let side = self.beside(place, change.unwrap_or((0.0, &nothing)))?;
        let Machinery { prepared, memory, .. } = &mut self.machinery;
        let part = &prepared.discrete;
        let watched = memory.buffers.watched(prepared, &side).to_vec();
        let (atoms, stairs) = watched.split_at(2 * part.atoms.len());
        let mut guards = Vec::with_capacity(part.atoms.len() + 2 * stairs.len());
        for ((id, atom), sides) in part.atoms.iter_enumerated().zip(atoms.chunks_exact(2)) {
            let oriented = atom.side(side.discrete[atom.variable] != 0.0) * (sides[0] - sides[1]);
            // What is next to nothing now may be a difference of two that are large.
            guards.push((oriented, memory.clear_level(prepared, id, sides[0].abs() + sides[1].abs())));
        }
        let noise = prepared.noise.relative;
        for (stair, &argument) in part.stairs.iter().zip(stairs) {
            let (low, high) = stair.rounding.edges(side.discrete[stair.variable]);
            guards.extend([argument - low, high - argument].map(|value| (value, noise * argument.abs())));
        }
        Ok(guards)
    }

    fn atom_value(&mut self, side: &Side<'s>, atom: RelationId) -> f64 {
        let Machinery { prepared, memory, .. } = &mut self.machinery;
        memory.buffers.atom_values(prepared, (side, side), Occasion::default(), &[])[atom].0
    }

    /// The time near a side at which a guard is zero.
    fn zero(
        &mut self,
        side: &Side<'s>,
        guard: &mut dyn FnMut(&mut Self, &Side<'s>) -> f64,
    ) -> Result<f64, NoSensitivity> {
        let short = NEAR * self.machinery.memory.time_scale.short();
        let mut value_at = |neighbour: &mut Self, by: f64| neighbour.moved(side, by).map(|it| guard(neighbour, &it));
        let (before, after) = (value_at(self, -short)?, value_at(self, short)?);
        let mut slope = (after - before) / (2.0 * short);
        let (mut at, mut value) = (0.0, value_at(self, 0.0)?);
        for _ in 0..MOST_SECANTS {
            if value == 0.0 {
                return Ok(side.time + at);
            }
            let next = at - value / slope;
            if !next.is_finite() {
                return Err(NoSensitivity::Grazing);
            }
            if (next - at).abs() <= f64::EPSILON * (side.time.abs() + short) {
                return Ok(side.time + next);
            }
            let next_value = value_at(self, next)?;
            // Rounding is no slope.
            if next_value.abs() < 0.5 * value.abs() {
                slope = (next_value - value) / (next - at);
            } else if next_value.abs() >= value.abs() {
                // What rounding leaves is not made smaller.
                let is_rounding = value.abs() <= 1e-12 * (after.abs() + before.abs());
                return if is_rounding { Ok(side.time + at) } else { Err(NoSensitivity::Grazing) };
            }
            (at, value) = (next, next_value);
        }
        Err(NoSensitivity::Grazing)
    }
}

/// Whether what does not change continuously is the same.
fn is_alike(prepared: &Prepared, one: &Side<'_>, other: &Side<'_>) -> bool {
    let steps = prepared.discrete.variables().filter(|&id| {
        let variable = &prepared.dae.model.variables[id];
        variable.ty != Type::Real && variable.variability > Variability::Parameter
    });
    steps.into_iter().all(|id| one.discrete[id] == other.discrete[id] || one.discrete[id].is_nan())
}
