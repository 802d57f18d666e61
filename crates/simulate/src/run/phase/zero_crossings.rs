//! Watching atoms and stairs between events: which of them a step has carried across, and when.
//!
//! Each atom has a side of zero to be on. One that is clearly on it is *armed*: if the end of a step is on the other
//! side, it has crossed. One that begins at zero (because it has just fired) is armed as soon as it is clearly on its
//! side, which may happen and end within one step. One that vanishes identically, like the current of a blocking diode,
//! never leaves the noise around zero and is not watched. A step in which an atom seems to touch zero and come back is
//! looked into.
//!
//! ```text
//!   value       peak
//!     │        ╭──╮            armed: from here on a sign change is an event
//!     │      ╭─╯  ╰─╮
//!     │─ ─ ─╱─ ─ ─ ─ ╲─ ─ ─ ─  floor: noise that errors of states make
//!     │····╱··········╲······  rounding of what the value is the difference of
//!   0 ┼───╱────────────╲─────► time
//!     │  ╱              ╲
//! ```
//!
//! What was never above the noise that errors of states make (`noise_floor`), and is not clearly below zero at the end of
//! the step either, as a flow that has died away, has not crossed.
//!
//! What crosses within the same few roundings of time crosses together.

use modeshift_dae::{IndexVec, VariableId};

use crate::run::instant::event_iteration::Fired;
use crate::run::phase::noise_floor::GuardNoise;
use crate::run::phase::root_finding::crossing;
use crate::run::prepare::discrete_part::DiscretePart;

/// Halvings of the first step after an event in search of a point where an atom is on its side: a step of the longest length
/// is then down to a millionth of a millionth of itself, and nothing is on its side for less.
const MOST_HALVINGS: i32 = 40;
/// Crossings nearer than this, relative to time and step, are one event: a root is located to a few roundings, and
/// interpolation inside the step adds some more.
const TOGETHER: f64 = 64.0 * f64::EPSILON;

/// Smaller values are zero, whatever they are made of: a few roundings of what has the nominal size 1.
pub(crate) const FLOOR: f64 = 1e-15;

/// A function that must not become negative: an atom on its side, or a stair within an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Guard {
    /// The atom of this number.
    Atom(usize),
    /// The lower (`false`) or upper edge of the stair of this number.
    Edge(usize, bool),
}

/// What is watched during a stay in a mode.
pub(crate) struct Watch {
    /// Ascending.
    guards: Vec<Guard>,
    /// By guard: how atoms are oriented.
    sides: Vec<f64>,
    /// By guard: the edge that the argument of a stair must not pass.
    edges: Vec<f64>,
    is_armed: Vec<bool>,
    /// By guard: the largest value so far.
    peaks: Vec<f64>,
    /// By guard: the noise that errors of states make, as far as it was asked for.
    floors: Vec<f64>,
    /// Values at the end of the last step, and at the end of the one before.
    last: Vec<f64>,
    earlier: Vec<f64>,
    last_times: (f64, f64),
    /// The largest sides of each guard so far.
    scales: Vec<f64>,
    noise: f64,
    atom_count: usize,
}

/// Values of guards at one time: what must not be negative, with the size of what it is the difference of.
type Values = Vec<(f64, f64)>;

impl Watch {
    /// All atoms and stairs but those whose times are known (`is_scheduled`).
    pub fn new(
        discrete_part: &DiscretePart,
        discrete: &IndexVec<VariableId, f64>,
        scales: &[f64],
        noise: f64,
        is_scheduled: impl Fn(Guard) -> bool,
    ) -> Self {
        let mut watch = Watch {
            guards: Vec::new(),
            sides: Vec::new(),
            edges: Vec::new(),
            is_armed: Vec::new(),
            peaks: Vec::new(),
            floors: Vec::new(),
            last: Vec::new(),
            earlier: Vec::new(),
            last_times: (f64::NAN, f64::NAN),
            scales: Vec::new(),
            noise,
            atom_count: discrete_part.atoms.len(),
        };
        for (number, atom) in discrete_part.atoms.iter().enumerate() {
            if !is_scheduled(Guard::Atom(number)) {
                watch.push(Guard::Atom(number), atom.side(discrete[atom.variable] != 0.0), 0.0, scales[number]);
            }
        }
        for (number, stair) in discrete_part.stairs.iter().enumerate() {
            let (low, high) = stair.rounding.edges(discrete[stair.variable]);
            if !is_scheduled(Guard::Edge(number, false)) {
                watch.push(Guard::Edge(number, false), 1.0, low, 1.0);
                watch.push(Guard::Edge(number, true), -1.0, high, 1.0);
            }
        }
        watch
    }

    fn push(&mut self, guard: Guard, side: f64, edge: f64, scale: f64) {
        self.guards.push(guard);
        self.sides.push(side);
        self.edges.push(edge);
        self.scales.push(scale);
        self.is_armed.push(false);
        self.peaks.push(0.0);
        self.floors.push(0.0);
        self.last.push(f64::NAN);
        self.earlier.push(f64::NAN);
    }

    /// The values of guards from those of the watched expressions.
    fn values(&self, watched: &[f64]) -> Values {
        let value = |(index, guard): (usize, &Guard)| match *guard {
            Guard::Atom(atom) => {
                let (a, b) = (watched[2 * atom], watched[2 * atom + 1]);
                (self.sides[index] * (a - b), a.abs() + b.abs())
            }
            Guard::Edge(stair, _) => {
                let argument = watched[2 * self.atom_count + stair];
                (self.sides[index] * (argument - self.edges[index]), argument.abs())
            }
        };
        self.guards.iter().enumerate().map(value).collect()
    }

    /// Whether a value is more than rounding of what it is the difference of.
    fn is_value(&self, index: usize, value: f64) -> bool {
        value.abs() > (self.noise * self.scales[index]).max(FLOOR)
    }

    /// Whether a value is above all noise.
    fn is_clear(&self, index: usize, value: f64) -> bool {
        self.is_value(index, value) && value.abs() > self.floors[index]
    }

    fn learn(&mut self, time: f64, values: &[(f64, f64)]) {
        for (index, &(value, size)) in values.iter().enumerate() {
            if size.is_finite() {
                self.scales[index] = self.scales[index].max(size);
            }
            self.peaks[index] = self.peaks[index].max(value);
            if value > 0.0 && self.is_clear(index, value) {
                self.is_armed[index] = true;
            }
            self.earlier[index] = self.last[index];
            self.last[index] = value;
        }
        self.last_times = (self.last_times.1, time);
    }

    /// Begins a stay, with the values of the watched expressions.
    pub fn begin(&mut self, time: f64, watched: &[f64]) {
        self.learn(time, &self.values(watched));
    }

    /// Goes on with what was seen of guards before an event that changed nothing continuous: of those that did not fire
    /// and are on the same side as before. Begin first.
    pub fn remember(&mut self, before: &Watch, fired: &[Guard]) {
        for (index, guard) in self.guards.iter().enumerate() {
            let Ok(known) = before.guards.binary_search(guard) else { continue };
            let is_same = self.sides[index] == before.sides[known] && self.edges[index] == before.edges[known];
            if is_same && fired.binary_search(guard).is_err() {
                self.is_armed[index] |= before.is_armed[known];
                self.peaks[index] = self.peaks[index].max(before.peaks[known]);
                self.floors[index] = before.floors[known];
            }
        }
    }

    /// Whether values at one time only are known.
    pub fn is_new(&self) -> bool {
        self.last_times.0.is_nan() && !self.guards.is_empty()
    }

    /// The first crossing in a step that ended with these values of the watched expressions, with all that cross then;
    /// nothing if none did. `evaluate` gives the expressions inside the step.
    pub fn step<Failure>(
        &mut self,
        (from, to): (f64, f64),
        watched: &[f64],
        mut evaluate: impl FnMut(f64) -> Result<Vec<f64>, Failure>,
    ) -> Result<Option<Crossing>, Failure> {
        let values = self.values(watched);
        let mut at = |time: f64| Ok(self.values(&evaluate(time)?));
        let mut first: Option<Crossing> = None;
        let mut suspects: Vec<usize> = (0..self.guards.len()).filter(|&it| self.may_cross(it, to, &values)).collect();
        suspects.sort_by(|&a, &b| values[a].0.total_cmp(&values[b].0));
        for index in suspects {
            let end =
                first.as_ref().map_or((to, values[index].0), |crossing| (crossing.time, crossing.values[index].0));
            let Some(bracket) = self.bracket(index, from, end, &mut at)? else { continue };
            let (begin, end) = bracket;
            let (time, _) = crossing(|time| Ok(at(time)?[index].0), begin, end)?;
            first = Some(Crossing {
                time,
                values: at(time)?,
                guards: vec![self.guards[index]],
                is_doubtful: !self.is_value(index, self.peaks[index]),
            });
        }
        if let Some(mut found) = first {
            found.guards.extend(self.together(&found, (from, to), &values));
            found.guards.sort_unstable();
            found.guards.dedup();
            return Ok(Some(found));
        }
        self.learn(to, &values);
        Ok(None)
    }

    /// Learns how large the noise of some guard that crossed is; whether it stayed within, before and at the end of the
    /// step, where the watched expressions have these values. Then it is not watched until it leaves its noise.
    pub fn is_noise(&mut self, guard: Guard, noise: &GuardNoise, watched: &[f64]) -> bool {
        let Some(index) = self.guards.iter().position(|&it| it == guard) else { return false };
        let end = self.values(watched)[index].0;
        self.floors[index] = self.floors[index].max(noise.of(guard));
        self.is_armed[index] &= self.peaks[index] > self.floors[index];
        !self.is_armed[index] && (end >= 0.0 || !self.is_clear(index, end))
    }

    /// Whether an atom is on the wrong side at the end of a step, or may have been within it.
    fn may_cross(&self, index: usize, to: f64, values: &[(f64, f64)]) -> bool {
        let value = values[index].0;
        if value < 0.0 {
            return self.is_armed[index] || self.is_clear(index, value);
        }
        self.is_armed[index] && self.seems_to_touch(index, to, value)
    }

    /// Whether the parabola through the last three values comes near zero within the step.
    fn seems_to_touch(&self, index: usize, to: f64, value: f64) -> bool {
        let lowest = self.vertex(index, (to, value));
        lowest.is_some_and(|(time, lowest)| time < to && lowest < 0.5 * self.last[index].min(value))
    }

    /// Where the parabola through the last two values and one after them is lowest, if that is after them.
    fn vertex(&self, index: usize, (to, value): (f64, f64)) -> Option<(f64, f64)> {
        let (t0, t1) = self.last_times;
        let (f0, f1) = (self.earlier[index], self.last[index]);
        let (slope01, slope12) = ((f1 - f0) / (t1 - t0), (value - f1) / (to - t1));
        let curvature = (slope12 - slope01) / (to - t0);
        let slope = slope01 + curvature * (t1 - t0);
        let is_after = curvature > 0.0 && slope < 0.0;
        is_after.then(|| (t1 - 0.5 * slope / curvature, f1 - 0.25 * slope * slope / curvature))
    }

    /// A bracket of a crossing before `end`: from a point on the right side to one on the wrong side.
    #[allow(clippy::type_complexity)] // both ends, each as time and value
    fn bracket<Failure>(
        &self,
        index: usize,
        from: f64,
        end: (f64, f64),
        at: &mut impl FnMut(f64) -> Result<Values, Failure>,
    ) -> Result<Option<((f64, f64), (f64, f64))>, Failure> {
        let begin = self.last[index];
        if end.1 < 0.0 && begin > 0.0 && self.is_armed[index] {
            return Ok(Some(((from, begin), end)));
        }
        if end.1 >= 0.0 {
            return self.dip(index, from, end, at);
        }
        let mut width = end.0 - from;
        let mut wrong = end;
        for _ in 0..MOST_HALVINGS {
            width *= 0.5;
            let time = from + width;
            if time <= from || time >= wrong.0 {
                break;
            }
            let value = at(time)?[index].0;
            if value >= 0.0 {
                return Ok(Some(((time, value), wrong)));
            }
            if self.is_clear(index, value) {
                wrong = (time, value);
            }
        }
        // On the wrong side from the beginning.
        Ok(self.is_clear(index, wrong.1).then_some(((from, 0.0), wrong)))
    }

    /// Looks for a point on the wrong side between two on the right side: where the parabola through the last values is
    /// lowest, then, if it is low there, by golden sections of the step.
    #[allow(clippy::type_complexity)] // both ends, each as time and value
    fn dip<Failure>(
        &self,
        index: usize,
        from: f64,
        end: (f64, f64),
        at: &mut impl FnMut(f64) -> Result<Values, Failure>,
    ) -> Result<Option<((f64, f64), (f64, f64))>, Failure> {
        const GOLDEN: f64 = 0.381_966_011_250_105_1;
        let begin = (from, self.last[index]);
        let Some((time, _)) = self.vertex(index, end).filter(|vertex| vertex.0 < end.0) else { return Ok(None) };
        let value = at(time)?[index].0;
        if value < 0.0 && self.is_clear(index, value) {
            return Ok(Some((begin, (time, value))));
        }
        if value > 0.5 * begin.1.min(end.1) {
            return Ok(None);
        }
        let (mut low, mut high) = (from, end.0);
        for _ in 0..MOST_HALVINGS {
            let (a, b) = (low + GOLDEN * (high - low), high - GOLDEN * (high - low));
            let (value_a, value_b) = (at(a)?[index].0, at(b)?[index].0);
            for (time, value) in [(a, value_a), (b, value_b)] {
                if value < 0.0 && self.is_clear(index, value) {
                    return Ok(Some((begin, (time, value))));
                }
            }
            if high - low <= 1e-6 * (end.0 - from) {
                break;
            }
            if value_a < value_b { high = b } else { low = a }
        }
        Ok(None)
    }

    /// All guards that have crossed by the time of the first crossing, within rounding.
    fn together(&self, found: &Crossing, (from, to): (f64, f64), end: &[(f64, f64)]) -> Vec<Guard> {
        let window = TOGETHER * (found.time.abs() + (to - from));
        let crosses = |&index: &usize| {
            let value = found.values[index].0;
            if value < 0.0 {
                return self.is_armed[index] || self.is_clear(index, value);
            }
            let slope = (end[index].0 - value) / (to - found.time);
            self.is_armed[index] && end[index].0 < 0.0 && value <= -slope * window
        };
        (0..self.guards.len()).filter(crosses).map(|index| self.guards[index]).collect()
    }
}

/// A crossing within a step.
pub(crate) struct Crossing {
    /// When.
    pub time: f64,
    /// The values of all guards then.
    values: Values,
    /// What crossed; ascending.
    pub guards: Vec<Guard>,
    /// Whether the first guard was never clearly on its side before.
    is_doubtful: bool,
}

impl Crossing {
    /// What fired.
    pub fn fired(&self) -> Fired {
        let mut fired = Fired { is_doubtful: self.is_doubtful, ..Fired::default() };
        for guard in &self.guards {
            match *guard {
                Guard::Atom(atom) => fired.atoms.push(atom),
                Guard::Edge(stair, above) => fired.stairs.push((stair, above)),
            }
        }
        fired
    }
}
