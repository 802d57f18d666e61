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
//! What comes to rest at zero, as a limiter at its limit, crosses nothing, but `min(x, 1) >= 1` is true from there on. So a
//! relation that has another truth at zero ends its side where it is zero, exactly.
//!
//! What crosses within the same few roundings of time crosses together.
//!
//! Steps are as long as the states allow, which know nothing of guards: an angle grows steadily while its sine comes and
//! goes. So guards have a *pace* of their own. They are looked at inside steps as often as it takes for the parabola
//! through the last three values to foretell the next one, to a part of its distance from zero or of its change: on such a
//! stretch a guard is clear of zero, or rises or falls all the way, or is what the parabola shows it to be.

use modeshift_dae::{Id, IndexVec, RelationId, VariableId};

use crate::integrate::lagrange;
use crate::run::instant::derived_guards::DerivedGuards;
use crate::run::instant::event_iteration::Fired;
use crate::run::phase::noise_floor::{GuardNoise, TOLERANCES};
use crate::run::phase::root_finding::crossing;
use crate::run::prepare::Prepared;
use crate::run::prepare::discrete_part::DiscretePart;
use crate::run::running_sizes::with_running_sizes;
use crate::run::values::Side;

/// Halvings of the first step after an event in search of a point where an atom is on its side: a step of the longest length
/// is then down to a millionth of a millionth of itself, and nothing is on its side for less.
const MOST_HALVINGS: i32 = 40;
/// Crossings nearer than this, relative to time and step, are one event: a root is located to a few roundings, and
/// interpolation inside the step adds some more.
pub(crate) const TOGETHER: f64 = 64.0 * f64::EPSILON;

/// The same of crossings that others locate: usual integrators stop at a hundred roundings of time and step.
const LOCATED_BY_OTHERS: f64 = 256.0 * f64::EPSILON;

/// A value that differs by less than this share of its distance from zero, or of its change, from what the values before
/// foretell: what a guard does between two looks is a small part of what is foretold beyond them.
const FORETOLD: f64 = 0.5;
/// Stretches between looks grow by this: the values before foretell little of much longer ones.
const MOST_GROWTH: f64 = 2.0;
/// The same in steps that are exact inside.
const EXACT_GROWTH: f64 = 8.0;
/// The first look in such a step is after this share of a short time: it tells the slopes of guards.
const FIRST_SHARE: f64 = 1e-3;
/// And after this share of the phase before: what bounces comes back sooner every time.
const FIRST_SHARE_OF_LAST: f64 = 1e-2;
/// Slopes at the ends of a stretch are differences over this share of it.
const SLOPE_SHARE: f64 = 1e-4;
/// And end to be halved at this share of a step: what is shorter is a jump, which nothing foretells.
const SHORTEST_STRETCH: f64 = 1e-6;

/// What is left of the size of a guard after a typical step: a transient that has died away is no measure of what comes later.
const FADING: f64 = 0.7;

/// What is left of the size of a guard after a time of so many typical steps.
pub(crate) fn faded(length: f64) -> f64 {
    FADING.powf(length)
}

/// Smaller values, relative to nominal values, are zero whatever they are made of: a few roundings.
pub(crate) const FLOOR: f64 = 1e-15;

/// A function that must not become negative: an atom on its side, or a stair within an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Guard {
    /// An atom.
    Atom(RelationId),
    /// The lower (`false`) or upper edge of the stair of this number.
    Edge(usize, bool),
    /// The combination of this number: of atoms on what the mode leaves free, which are not watched themselves.
    Ray(usize),
    /// The share of the surface of this number in a sliding mode, which must not become 0 (`false`) or 1.
    Share(usize, bool),
}

/// Atoms with weights, whose sum must not become negative.
type Combination = Vec<(RelationId, f64)>;

/// All that is watched during a phase.
pub(crate) struct Watch {
    /// By their guards, ascending.
    watched: Vec<Watched>,
    /// The sizes of the sides of the values measured last, which are larger by then where they are made of more.
    own_sizes: Vec<f64>,
    /// The times of the last values, and of the two before them, the earliest first.
    times: [f64; 3],
    /// The longest stretch that guards are looked at the ends of only; not a number before the first look.
    pace: f64,
    /// Whether values inside steps are exact, and steps long: parabolas through them tell less.
    is_exact: bool,
    /// Where the present step began, if it is such a one.
    step_begin: f64,
    noise: f64,
    atom_count: usize,
    rays: Vec<Combination>,
    /// How many surfaces a sliding mode has.
    share_count: usize,
    /// When the run ends: nothing is seen beyond.
    end: f64,
}

/// A guard and what was seen of it.
struct Watched {
    guard: Guard,
    /// How it is oriented.
    side: f64,
    /// The edge that the argument of a stair must not pass.
    edge: f64,
    /// Whether zero is on the other side.
    is_open: bool,
    is_armed: bool,
    /// The first value, and the largest so far.
    first: f64,
    peak: f64,
    /// The noise that errors of states make, as far as it was asked for.
    floor: f64,
    /// How far it was on the wrong side when the mode was found to take it back: only what is further there has crossed.
    depth: f64,
    /// The last three values, the earliest first.
    last: [f64; 3],
    /// The last one that was not on the wrong side, with its time.
    good: (f64, f64),
    /// The size of its sides of late.
    scale: f64,
    /// The largest size of its sides ever.
    own: f64,
    /// Smaller values are zero.
    least: f64,
}

/// What a guard must not do: `side*(function - edge)` must not become negative by more than noise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    pub side: f64,
    pub edge: f64,
    /// Whether it was more than noise before.
    pub is_armed: bool,
    /// Smaller values are zero whatever the guard is made of.
    pub least: f64,
    /// Smaller values are noise, by the size of its sides of late.
    pub noise: f64,
    /// The noise of what it is made of, relative to its size.
    pub relative: f64,
}

/// Values of guards at one time: what must not be negative, with the size of what it is the difference of.
pub(crate) type Values = Vec<(f64, f64)>;

impl Watched {
    fn new(guard: Guard, side: f64, edge: f64, scale: f64, least: f64) -> Self {
        let (first, last) = (f64::NAN, [f64::NAN; 3]);
        Watched {
            guard,
            side,
            edge,
            is_open: false,
            is_armed: false,
            first,
            peak: 0.0,
            floor: 0.0,
            depth: 0.0,
            last,
            good: (f64::NAN, f64::NAN),
            scale,
            own: 0.0,
            least,
        }
    }
}

impl Watch {
    /// All atoms and stairs but those whose times are known (`is_scheduled`), and in place of atoms on what is free what
    /// follows from them.
    pub fn new(
        discrete_part: &DiscretePart,
        discrete: &IndexVec<VariableId, f64>,
        scales: &IndexVec<RelationId, f64>,
        floor: impl Fn(RelationId) -> f64,
        noise: f64,
        guards: &DerivedGuards,
        is_scheduled: impl Fn(Guard) -> bool,
    ) -> Self {
        let atom_count = discrete_part.atoms.len();
        let mut watched = Vec::with_capacity(atom_count);
        for (id, atom) in discrete_part.atoms.iter_enumerated() {
            let truth = discrete[atom.variable] != 0.0;
            let (guard, side) = (Guard::Atom(id), atom.side(truth));
            if !is_scheduled(guard) && !guards.is_undetermined(id) {
                let is_open = truth != atom.holds_at_zero();
                watched.push(Watched { is_open, ..Watched::new(guard, side, 0.0, scales[id], floor(id)) });
            }
        }
        for (number, stair) in discrete_part.stairs.iter().enumerate() {
            let (low, high) = stair.rounding.edges(discrete[stair.variable]);
            if !is_scheduled(Guard::Edge(number, false)) {
                watched.push(Watched::new(Guard::Edge(number, false), 1.0, low, 1.0, FLOOR));
                watched.push(Watched::new(Guard::Edge(number, true), -1.0, high, 1.0, FLOOR));
            }
        }
        let weighted = |&(number, weight): &(usize, f64)| {
            let condition = &guards.conditions[number];
            (condition.atom, weight * condition.side)
        };
        let rays: Vec<Combination> = guards.rays.iter().map(|ray| ray.iter().map(weighted).collect()).collect();
        for (number, ray) in rays.iter().enumerate() {
            let scale = ray.iter().map(|&(atom, weight)| weight.abs() * scales[atom]).sum();
            let least = ray.iter().map(|&(atom, weight)| weight.abs() * floor(atom)).sum();
            watched.push(Watched::new(Guard::Ray(number), 1.0, 0.0, scale, least));
        }
        Watch {
            watched,
            own_sizes: Vec::new(),
            times: [f64::NAN; 3],
            pace: f64::NAN,
            is_exact: false,
            step_begin: f64::NAN,
            noise,
            atom_count,
            share_count: 0,
            rays,
            end: f64::INFINITY,
        }
    }

    /// The run ends at this time. What comes to zero within the same few roundings of it is at zero there.
    pub fn end_at(&mut self, end: f64) {
        self.end = end;
    }

    /// Watches shares of surfaces too.
    pub fn watch_shares(&mut self, count: usize) {
        for number in 0..count {
            self.watched.push(Watched::new(Guard::Share(number, false), 1.0, 0.0, 1.0, FLOOR));
            self.watched.push(Watched::new(Guard::Share(number, true), -1.0, 1.0, 1.0, FLOOR));
        }
        self.share_count = count;
    }

    /// The values of guards from those of the watched expressions, which in a sliding mode are those of all its fields, then
    /// the shares: a guard must not become negative on any side of a surface.
    pub fn values(&self, expressions: &[f64]) -> Values {
        let (fields, shares) = expressions.split_at(expressions.len() - self.share_count);
        let mut fields = fields.chunks_exact((fields.len() / (self.share_count + 1)).max(1));
        let mut values = self.values_in(fields.next().unwrap_or(&[]), shares);
        for other in fields {
            for (value, other) in values.iter_mut().zip(self.values_in(other, shares)) {
                *value = if other.0 < value.0 { other } else { *value };
            }
        }
        values
    }

    fn values_in(&self, expressions: &[f64], shares: &[f64]) -> Values {
        let values = self.watched.iter().map(|it| match it.guard {
            Guard::Share(number, _) => (it.side * (shares[number] - it.edge), 1.0),
            Guard::Atom(atom) => {
                let (a, b) = (expressions[2 * atom.index()], expressions[2 * atom.index() + 1]);
                (it.side * (a - b), a.abs() + b.abs())
            }
            Guard::Edge(stair, _) => {
                let argument = expressions[2 * self.atom_count + stair];
                (it.side * (argument - it.edge), argument.abs())
            }
            Guard::Ray(number) => {
                let terms = self.rays[number].iter().map(|&(atom, weight)| {
                    let (a, b) = (expressions[2 * atom.index()], expressions[2 * atom.index() + 1]);
                    (weight * (a - b), weight.abs() * (a.abs() + b.abs()))
                });
                terms.fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1))
            }
        });
        values.collect()
    }

    /// Measures what is near zero by all that it is made of.
    pub fn measure(&mut self, prepared: &Prepared, side: &Side<'_>, values: &mut Values) {
        self.own_sizes.clear();
        self.own_sizes.extend(values.iter().map(|it| it.1));
        let atoms = self.watched.iter().zip(values).filter_map(|(it, value)| match it.guard {
            Guard::Atom(atom) => Some((atom, value)),
            _ => None,
        });
        with_running_sizes(prepared, side, atoms);
    }

    /// Whether a value is more than rounding of what it is the difference of.
    fn is_value(&self, index: usize, value: f64) -> bool {
        let it = &self.watched[index];
        value.abs() > (self.noise * it.scale).max(it.least)
    }

    /// Whether a guard that crosses was within noise all the time; one that was clearly on the wrong side from the beginning, as
    /// a relation with a counter that has just gone on, was not.
    fn is_doubtful(&self, index: usize) -> bool {
        let it = &self.watched[index];
        !(self.is_value(index, it.peak) || it.first < 0.0 && self.is_value(index, it.first))
    }

    /// What is watched, in the order of its values.
    pub fn guards(&self) -> impl Iterator<Item = Guard> + '_ {
        self.watched.iter().map(|it| it.guard)
    }

    /// The crossing of some guards that others have located, at a time with these values: what their resolution of time leaves of
    /// each guard follows from how it has moved since the last look.
    pub fn crossing_at(&self, time: f64, values: Values, guards: Vec<Guard>) -> Crossing {
        let width = time - self.times[2];
        let window = LOCATED_BY_OTHERS * (time.abs() + width);
        let residues = self.watched.iter().enumerate().filter_map(|(index, it)| {
            let Guard::Atom(atom) = it.guard else { return None };
            let value = values[index].0;
            let change = window * ((value - it.last[2]) / width).abs();
            let unresolved = if change.is_finite() { change } else { 0.0 };
            let is_at_zero = value.abs() <= unresolved || !self.is_value(index, value);
            let is_located = guards.contains(&it.guard) && is_at_zero;
            Some(Residue { atom, is_located, size: if is_located { unresolved.max(value.abs()) } else { unresolved } })
        });
        let residues = residues.collect();
        Crossing { time, values, guards, residues, is_doubtful: false }
    }

    /// What a guard must not do; nothing where it is not watched.
    pub fn aim(&self, guard: Guard) -> Option<Aim> {
        let index = self.watched.binary_search_by_key(&guard, |it| it.guard).ok()?;
        let Watched { side, edge, is_armed, floor, scale, least, .. } = self.watched[index];
        let least = least.max(floor);
        Some(Aim { side, edge, is_armed, least, noise: (self.noise * scale).max(least), relative: self.noise })
    }

    /// Whether a value is above all noise.
    fn is_clear(&self, index: usize, value: f64) -> bool {
        self.is_value(index, value) && value.abs() > self.watched[index].floor
    }

    /// Whether a guard that is not armed is on the wrong side, by more than noise and by more than it was when it was to come back.
    fn is_below(&self, index: usize, value: f64) -> bool {
        let value = value + self.watched[index].depth;
        value < 0.0 && self.is_clear(index, value)
    }

    /// Guards that have crossed, and that the mode takes back to their sides from where they are.
    pub fn expect_back(&mut self, crossed: &[Guard]) {
        for it in self.watched.iter_mut().filter(|it| crossed.binary_search(&it.guard).is_ok()) {
            it.depth = (-it.last[2]).max(0.0);
        }
    }

    fn learn(&mut self, time: f64, values: &[(f64, f64)]) {
        for (index, &(value, size)) in values.iter().enumerate() {
            let it = &mut self.watched[index];
            if size.is_finite() {
                it.scale = it.scale.max(size);
                it.own = it.own.max(self.own_sizes.get(index).copied().unwrap_or(size));
            }
            it.peak = it.peak.max(value);
            it.first = if it.first.is_nan() { value } else { it.first };
            it.last = [it.last[1], it.last[2], value];
            it.good = if value >= 0.0 { (time, value) } else { it.good };
            if value > 0.0 && self.is_clear(index, value) {
                self.watched[index].is_armed = true;
            }
        }
        self.own_sizes.clear();
        self.times = [self.times[1], self.times[2], time];
    }

    /// The time of the last values.
    pub fn seen_until(&self) -> f64 {
        self.times[2]
    }

    /// A step of this length, in typical ones, leads on. A guard that came to rest at zero is known no better than it was then.
    pub fn fade(&mut self, length: f64) {
        let share = faded(length);
        for index in 0..self.watched.len() {
            let [_, before, now] = self.watched[index].last;
            if before != now || self.is_clear(index, now) {
                self.watched[index].scale *= share;
            }
        }
    }

    /// Tells how large atoms were of late, and at most.
    pub fn hand_on(&self, scales: &mut IndexVec<RelationId, f64>, largest: &mut IndexVec<RelationId, f64>) {
        for it in &self.watched {
            if let Guard::Atom(atom) = it.guard {
                (scales[atom], largest[atom]) = (it.scale, largest[atom].max(it.own));
            }
        }
    }

    /// Begins a phase, with the values of the watched expressions.
    pub fn begin(&mut self, time: f64, watched: &[f64]) {
        self.learn(time, &self.values(watched));
    }

    /// The first look is not further ahead than this.
    pub fn begin_slowly(&mut self, pace: f64) {
        self.pace = if self.pace.is_nan() { pace } else { self.pace };
    }

    /// The same in steps that are exact inside, of a solution that changes little in this time: there is no noise between values, so the
    /// values before foretell more.
    pub fn begin_exactly(&mut self, step_begin: f64, short: f64, last_phase: f64) {
        self.step_begin = step_begin;
        let first = FIRST_SHARE * short;
        self.begin_slowly(if last_phase > 0.0 { first.min(FIRST_SHARE_OF_LAST * last_phase) } else { first });
        self.is_exact = true;
    }

    /// Until when guards need not be looked at in a step that leads from one time to another. The first step is looked at in
    /// two halves: there are no values before it that would tell whether a guard comes back within it.
    pub fn next_look(&self, from: f64, to: f64) -> f64 {
        if self.watched.is_empty() {
            return to;
        }
        let stretch = if self.times[1].is_nan() { self.pace.min(0.5 * (to - from)) } else { self.pace };
        let until = from + stretch;
        // A look that leaves as good as nothing of the step is no use.
        if until > from && until + SHORTEST_STRETCH * (to - from) < to { until } else { to }
    }

    /// Whether guards do between the last look and one with these values what the values before foretell. Otherwise the look
    /// was too far ahead; the next ones are not.
    pub fn is_foretold(&mut self, (from, until): (f64, f64), step: f64, values: &Values) -> bool {
        if self.watched.is_empty() {
            return true;
        }
        let factors = lagrange(&self.times, until);
        let is_foretold = |(index, it): (usize, &Watched)| {
            let (value, last) = (values[index].0, it.last[2]);
            let foretold: f64 = it.last.iter().zip(factors).map(|(value, factor)| factor * value).sum();
            let allowed = FORETOLD * value.abs().min(last.abs()).max((value - last).abs());
            // A guard that was to cross and has not may have turned back on the way, as `abs(x) < 0.1` where `x` passes.
            let has_turned_back = value > 0.0 && last > 0.0 && foretold < 0.0;
            let is_otherwise = has_turned_back || (foretold - value).abs() > allowed;
            // What is not a number foretells nothing, and noise need not be foretold.
            !(is_otherwise && (self.is_clear(index, value) || self.is_clear(index, last)))
        };
        let stretch = until - from;
        if stretch <= SHORTEST_STRETCH * step || self.watched.iter().enumerate().all(is_foretold) {
            let pace = if self.is_exact { EXACT_GROWTH } else { MOST_GROWTH } * stretch;
            self.pace = if self.pace.is_nan() { pace } else { self.pace.max(pace) };
            return true;
        }
        self.pace = 0.5 * stretch;
        false
    }

    /// Goes on with what was seen of guards before an event that changed nothing continuous: of those that did not fire
    /// and are on the same side as before. Begin first.
    pub fn remember(&mut self, before: &Watch, fired: &[Guard]) {
        self.pace = before.pace;
        let [_, earlier, last] = before.times;
        let goes_on = last < self.times[2];
        self.times = if goes_on { [earlier, last, self.times[2]] } else { self.times };
        for it in &mut self.watched {
            let Ok(known) = before.watched.binary_search_by_key(&it.guard, |known| known.guard) else { continue };
            let known = &before.watched[known];
            let is_same = it.side == known.side && it.edge == known.edge;
            if is_same && fired.binary_search(&it.guard).is_err() {
                it.is_armed |= known.is_armed;
                it.peak = it.peak.max(known.peak);
                (it.floor, it.depth) = (known.floor, known.depth);
                it.last = if goes_on { [known.last[1], known.last[2], it.last[2]] } else { it.last };
            }
        }
    }

    /// The first crossing in a step that ended with these values, with all that cross then; nothing if none did. `evaluate`
    /// gives the watched expressions inside the step.
    pub fn step<Failure>(
        &mut self,
        (from, to): (f64, f64),
        values: &Values,
        mut evaluate: impl FnMut(f64) -> Result<Vec<f64>, Failure>,
    ) -> Result<Option<Crossing>, Failure> {
        let mut at = |time: f64| Ok(self.values(&evaluate(time)?));
        let mut first: Option<Crossing> = None;
        let mut suspects: Vec<usize> = (0..self.watched.len()).filter(|&it| self.may_cross(it, to, values)).collect();
        suspects.sort_by(|&a, &b| values[a].0.total_cmp(&values[b].0));
        // The values right before the first crossing: what is on its side there and not at the crossing crosses with it, and of ten
        // thousand that do, one is searched for.
        let mut before: Option<Values> = None;
        let count = suspects.len();
        for (number, index) in suspects.into_iter().enumerate() {
            let is_together = |(first, before): (&Crossing, &Values)| {
                first.values[index].0 < 0.0 && before[index].0 >= 0.0 && self.watched[index].is_armed
            };
            if first.as_ref().zip(before.as_ref()).is_some_and(is_together) {
                continue;
            }
            let end =
                first.as_ref().map_or((to, values[index].0), |crossing| (crossing.time, crossing.values[index].0));
            let depth = if self.watched[index].is_armed { 0.0 } else { self.watched[index].depth };
            let rests = self.rests(index, end.1);
            let judged = |value: f64| if rests && value == 0.0 { -self.watched[index].peak } else { value + depth };
            let mut below = |time: f64| Ok(judged(at(time)?[index].0));
            let Some(bracket) = self.bracket(index, from, (end.0, judged(end.1)), &mut below)? else { continue };
            let (begin, end) = bracket;
            let (time, _) = crossing(below, begin, end)?;
            first = Some(Crossing {
                time,
                values: at(time)?,
                guards: vec![self.watched[index].guard],
                residues: Vec::new(),
                is_doubtful: self.is_doubtful(index),
            });
            if number + 1 < count {
                before = Some(at((time - TOGETHER * (time.abs() + (to - from))).max(from))?);
            }
        }
        let arriving = || self.arriving((from, to), values);
        if let Some(mut found) = first.or_else(arriving) {
            found.guards.extend(self.together(&found, (from, to), values));
            found.guards.sort_unstable();
            found.guards.dedup();
            found.residues = self.residues(&found, (from, to), values);
            return Ok(Some(found));
        }
        self.learn(to, values);
        Ok(None)
    }

    /// What is at zero at the end of the run but for the rounding of its time, where a step has led to it, and has another truth there.
    fn arriving(&self, (from, to): (f64, f64), values: &Values) -> Option<Crossing> {
        if to < self.end {
            return None;
        }
        let window = TOGETHER * (to.abs() + (to - from));
        let arrives = |&index: &usize| {
            let (it, value) = (&self.watched[index], values[index].0);
            it.is_open
                && it.is_armed
                && value >= 0.0
                && value < it.last[2]
                && value * (to - from) <= (it.last[2] - value) * window
        };
        let arriving: Vec<usize> = (0..self.watched.len()).filter(arrives).collect();
        let first = *arriving.first()?;
        let guards = arriving.iter().map(|&index| self.watched[index].guard).collect();
        let is_doubtful = self.is_doubtful(first);
        Some(Crossing { time: to, values: values.clone(), guards, residues: Vec::new(), is_doubtful })
    }

    /// What leaves its side between a time and the next one, with these values at both: a crossing at the first of the two, beyond which
    /// the mode has no values.
    pub fn last_before(&self, time: f64, here: Values, beyond: &Values) -> Option<Crossing> {
        let crosses = |index: &usize| self.watched[*index].is_armed && here[*index].0 >= 0.0 && beyond[*index].0 < 0.0;
        let crossing: Vec<usize> = (0..self.watched.len()).filter(crosses).collect();
        let first = *crossing.first()?;
        let residue = |(index, it): (usize, &Watched)| {
            let Guard::Atom(atom) = it.guard else { return None };
            let change = (here[index].0 - beyond[index].0).abs();
            let size = if change.is_finite() { change } else { 0.0 };
            Some(Residue { atom, size, is_located: crossing.contains(&index) })
        };
        Some(Crossing {
            time,
            guards: crossing.iter().map(|&index| self.watched[index].guard).collect(),
            residues: self.watched.iter().enumerate().filter_map(residue).collect(),
            is_doubtful: self.is_doubtful(first),
            values: here,
        })
    }

    /// Learns how large the noise of some guard that crossed is; whether it stayed within, before and at the end of the
    /// step, where guards have these values. Then it is not watched until it leaves its noise.
    pub fn is_noise(&mut self, guard: Guard, noise: &GuardNoise, values: &Values) -> bool {
        let Some(index) = self.watched.iter().position(|it| it.guard == guard) else { return false };
        let end = values[index].0;
        let it = &mut self.watched[index];
        it.floor = it.floor.max(noise.of(guard, it.own));
        it.is_armed &= it.peak > it.floor;
        !self.watched[index].is_armed && (end >= 0.0 || !self.is_clear(index, end))
    }

    /// Whether it is a guess that a guard is noise.
    pub fn is_guess(&self, guard: Guard, noise: &GuardNoise) -> bool {
        self.watched.iter().any(|it| it.guard == guard && noise.is_guess(guard, it.own))
    }

    /// Atoms that are on the wrong side at a look that found no crossing, by more than any variable may be wrong by and by more than
    /// rounding: what was taken for noise there contradicts the mode. `largest` is what they ever were.
    pub fn contradicting(
        &self,
        values: &Values,
        tolerance: f64,
        largest: &IndexVec<RelationId, f64>,
    ) -> impl Iterator<Item = Guard> {
        self.watched.iter().zip(values).filter_map(move |(it, &(value, size))| {
            let Guard::Atom(atom) = it.guard else { return None };
            let most = TOLERANCES * tolerance * largest[atom].max(it.own);
            (value < 0.0 && -value > most && -value > self.noise * size).then_some(it.guard)
        })
    }

    /// Whether an atom is on the wrong side at the end of a step, or may have been within it.
    fn may_cross(&self, index: usize, to: f64, values: &[(f64, f64)]) -> bool {
        let (value, size) = values[index];
        if value < 0.0 {
            // What was nothing so far is measured by what it is made of by now.
            let is_rounding = value.abs() <= self.noise * size;
            return self.watched[index].is_armed || !is_rounding && self.is_below(index, value);
        }
        self.rests(index, value) || self.watched[index].is_armed && self.seems_to_touch(index, to, value)
    }

    /// Whether a guard that was on its side has come to rest at zero, where its relation has another truth.
    fn rests(&self, index: usize, value: f64) -> bool {
        let it = &self.watched[index];
        value == 0.0 && it.is_open && it.is_armed && it.last[2] > 0.0
    }

    /// Whether the parabola through the last three values comes near zero within the step.
    fn seems_to_touch(&self, index: usize, to: f64, value: f64) -> bool {
        if self.is_exact {
            return self.bends_enough(index, to, value);
        }
        let lowest = self.vertex(index, (to, value));
        lowest.is_some_and(|(time, lowest)| time < to && lowest < 0.5 * self.watched[index].last[2].min(value))
    }

    /// Whether the last values bend so much that a guard may have touched zero between the last one and one after it, wherever the
    /// parabola through them is lowest: between two values a width apart it is lower than both by less than its curvature times the
    /// square of the width.
    fn bends_enough(&self, index: usize, to: f64, value: f64) -> bool {
        let width = to - self.times[2];
        let bend = self.curvature(index, (to, value)).abs() * width * width;
        // What is watched since an event within the step has shown nothing yet; in the first stretch of a phase, which is short, nothing has.
        if bend.is_nan() { !self.times[1].is_nan() } else { self.watched[index].last[2].min(value) < bend }
    }

    /// The curvature, halved, of the parabola through the last two values and one after them.
    fn curvature(&self, index: usize, (to, value): (f64, f64)) -> f64 {
        let [_, t0, t1] = self.times;
        let [_, f0, f1] = self.watched[index].last;
        ((value - f1) / (to - t1) - (f1 - f0) / (t1 - t0)) / (to - t0)
    }

    /// Where the parabola through the last two values and one after them is lowest, if that is after them.
    fn vertex(&self, index: usize, (to, value): (f64, f64)) -> Option<(f64, f64)> {
        let [_, t0, t1] = self.times;
        let [_, f0, f1] = self.watched[index].last;
        let (slope01, slope12) = ((f1 - f0) / (t1 - t0), (value - f1) / (to - t1));
        let curvature = (slope12 - slope01) / (to - t0);
        let slope = slope01 + curvature * (t1 - t0);
        let is_after = curvature > 0.0 && slope < 0.0;
        is_after.then(|| (t1 - 0.5 * slope / curvature, f1 - 0.25 * slope * slope / curvature))
    }

    /// A bracket of a crossing of a guard, whose values `at` gives, before `end`: from a point on the right side to one on the wrong side.
    #[allow(clippy::type_complexity)] // both ends, each as time and value
    fn bracket<Failure>(
        &self,
        index: usize,
        from: f64,
        end: (f64, f64),
        at: &mut impl FnMut(f64) -> Result<f64, Failure>,
    ) -> Result<Option<((f64, f64), (f64, f64))>, Failure> {
        let begin = self.watched[index].last[2];
        if end.1 < 0.0 && begin > 0.0 && self.watched[index].is_armed {
            return Ok(Some(((from, begin), end)));
        }
        if end.1 >= 0.0 {
            return self.dip(index, from, end, at);
        }
        // What has crossed within noise since an earlier look has crossed then.
        let good = self.watched[index].good;
        if self.is_exact && good.0 >= self.step_begin {
            return Ok(Some((good, end)));
        }
        let mut width = end.0 - from;
        let mut wrong = end;
        for _ in 0..MOST_HALVINGS {
            width *= 0.5;
            let time = from + width;
            if time <= from || time >= wrong.0 {
                break;
            }
            let value = at(time)?;
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
        at: &mut impl FnMut(f64) -> Result<f64, Failure>,
    ) -> Result<Option<((f64, f64), (f64, f64))>, Failure> {
        // What is armed may be below zero by noise.
        let begin = (from, self.watched[index].last[2].max(0.0));
        if self.is_exact {
            let distance = SLOPE_SHARE * (end.0 - from);
            let (after, before) = (at(from + distance)?, at(end.0 - distance)?);
            let comes_back = after < begin.1 && before < end.1;
            return if comes_back { self.lowest(index, begin, end, at) } else { Ok(None) };
        }
        let Some((time, _)) = self.vertex(index, end).filter(|vertex| vertex.0 < end.0) else { return Ok(None) };
        let value = at(time)?;
        if value < 0.0 && self.is_clear(index, value) {
            return Ok(Some((begin, (time, value))));
        }
        if value > 0.5 * begin.1.min(end.1) {
            return Ok(None);
        }
        self.lowest(index, begin, end, at)
    }

    /// Looks for a point on the wrong side between two on the right side by golden sections.
    #[allow(clippy::type_complexity)] // both ends, each as time and value
    fn lowest<Failure>(
        &self,
        index: usize,
        begin: (f64, f64),
        end: (f64, f64),
        at: &mut impl FnMut(f64) -> Result<f64, Failure>,
    ) -> Result<Option<((f64, f64), (f64, f64))>, Failure> {
        const GOLDEN: f64 = 0.381_966_011_250_105_1;
        let (mut low, mut high) = (begin.0, end.0);
        for _ in 0..MOST_HALVINGS {
            let (a, b) = (low + GOLDEN * (high - low), high - GOLDEN * (high - low));
            let (value_a, value_b) = (at(a)?, at(b)?);
            for (time, value) in [(a, value_a), (b, value_b)] {
                if value < 0.0 && self.is_clear(index, value) {
                    return Ok(Some((begin, (time, value))));
                }
            }
            if high - low <= 1e-6 * (end.0 - begin.0) {
                break;
            }
            if value_a < value_b { high = b } else { low = a }
        }
        Ok(None)
    }

    /// How exactly the time of a crossing is known, where rounding of what atoms are made of is so large: in a current that is a difference
    /// of voltages over a tiny resistance, zero is as wide as their rounding makes it.
    pub fn time_error(&self, crossing: &Crossing, rounding: impl Fn(RelationId) -> f64) -> f64 {
        let error = |&guard: &Guard| {
            let Guard::Atom(atom) = guard else { return 0.0 };
            let Ok(index) = self.watched.binary_search_by_key(&guard, |it| it.guard) else { return 0.0 };
            let (time, value) = (crossing.time, crossing.values[index].0);
            let looks = self.times.iter().zip(self.watched[index].last);
            let slopes = looks.map(|(look, seen)| ((value - seen) / (time - look)).abs()).filter(|it| it.is_finite());
            let rounding = rounding(atom);
            if rounding > 0.0 { rounding / slopes.fold(0.0, f64::max) } else { 0.0 }
        };
        crossing.guards.iter().map(error).fold(0.0, f64::max)
    }

    /// What the resolution of time leaves of each atom at a crossing. Those that crossed are at zero there, unless they jump.
    fn residues(&self, found: &Crossing, (from, to): (f64, f64), end: &[(f64, f64)]) -> Vec<Residue> {
        let window = TOGETHER * (found.time.abs() + (to - from));
        let of_atoms = self.watched.iter().enumerate().filter_map(|(index, it)| {
            let Guard::Atom(atom) = it.guard else { return None };
            let value = found.values[index].0;
            let change = window * ((end[index].0 - value) / (to - found.time)).abs();
            let unresolved = if change.is_finite() { change } else { 0.0 };
            let is_at_zero = value.abs() <= unresolved || !self.is_value(index, value);
            // What was never clearly on its side is on the other by chance.
            let has_crossed = !found.is_doubtful && found.guards.binary_search(&it.guard).is_ok();
            let is_located = has_crossed && is_at_zero;
            Some(Residue { atom, is_located, size: if is_located { unresolved.max(value.abs()) } else { unresolved } })
        });
        of_atoms.collect()
    }

    /// All guards that have crossed by the time of the first crossing, within rounding.
    fn together(&self, found: &Crossing, (from, to): (f64, f64), end: &[(f64, f64)]) -> Vec<Guard> {
        let window = TOGETHER * (found.time.abs() + (to - from));
        let crossing = (0..self.watched.len()).filter(|&index| {
            let value = found.values[index].0;
            if value < 0.0 {
                return self.watched[index].is_armed || self.is_below(index, value);
            }
            if self.rests(index, value) {
                return true;
            }
            let slope = (end[index].0 - value) / (to - found.time);
            self.watched[index].is_armed && end[index].0 < 0.0 && value <= -slope * window
        });
        crossing.map(|index| self.watched[index].guard).collect()
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
    /// What the resolution of time leaves of atoms.
    pub residues: Vec<Residue>,
    /// Whether the first guard was never clearly on its side before.
    is_doubtful: bool,
}

/// What the resolution of time leaves of an atom at a crossing.
pub(crate) struct Residue {
    pub atom: RelationId,
    /// Smaller values are no values.
    pub size: f64,
    /// Whether the atom is at zero there, by the location of the time.
    pub is_located: bool,
}

impl Watch {
    /// What fired at a crossing: of a combination, all that it is made of.
    pub fn fired(&self, crossing: &Crossing) -> Fired {
        let mut fired = Fired { is_doubtful: crossing.is_doubtful, ..Fired::default() };
        for guard in &crossing.guards {
            match *guard {
                Guard::Atom(atom) => fired.atoms.push(atom),
                Guard::Edge(stair, above) => fired.stairs.push((stair, above)),
                Guard::Share(number, is_turned) => fired.released.push((number, is_turned)),
                Guard::Ray(number) => fired.atoms.extend(self.rays[number].iter().map(|it| it.0)),
            }
        }
        fired.atoms.sort_unstable();
        fired.atoms.dedup();
        fired
    }
}
