//! What the errors of states are measured against: the sizes of the solution.
//!
//! A state with a nominal value is as large as that and its value together. Any other is as large as its solution is
//! around the present time, in whatever units: as it was some steps ago, as it is, and as it will be after a step of its
//! present slope; at the beginning of a phase, as it was in the phase before. So a state that passes through zero is not asked for
//! digits of nothing, one that has died away is not measured by what it was long ago, and the last flights of a ball that
//! bounces are as exact as the first.
//!
//! How long *some steps* are is the length of the longest ones lately: the many short steps after an event are no long time.
//! A state at rest has no size of its own: what a step makes of it is the rounding of the terms that its slope is the sum
//! of, and it is as large as makes that allowed. So is one that goes to zero and makes steps ever shorter: what they see of it is
//! rounding, which does not shrink as its size does, and they would never reach the zero. And no state is known better than the
//! time is: what it changes by in the least step is allowed. One that is zero with all that is known of it has no size at all, and its error
//! says nothing; but a step in which it begins to move is short, so that what made it move, which may be a jump that no event tells, is at
//! the step's beginning ([`Weights::beginning`]). When it has begun to grow, by some power of the time, no first step could make it exact: it is as large as makes
//! its error just allowed, and its size fades to what it is. While it grows towards what its neighbours are, these have a say
//! ([`precursors`]).
//!
//! | file | purpose |
//! |---|---|
//! | [`precursors`] | states that grow towards what their neighbours are already |

pub(super) mod precursors;

use std::sync::Arc;

use super::methods::shortest_step;
pub use precursors::Precursor;

/// What is left of a size after a typical step.
const FADING: f64 = 0.7;
/// What is left of the length of a typical step after a shorter one.
const SHORTENING: f64 = 0.95;

/// A state of less than this share of what it was, in steps of less than that share of what they were, may be rounding.
const DIED_AWAY: f64 = 1e-3;
const SHORTENED: f64 = 0.05;

/// After so many steps, typical steps are what they were before, if nothing has become faster: they begin with some billionths of that,
/// and grow by a half or more.
const MANY_STEPS: u32 = 100;

/// It is looked after so many steps how much states have grown; in the beginning, when steps grow, sooner.
const GROWTH_STEPS: u32 = 64;

/// So many of the shortest steps are never too long for a state that begins to move.
const LEAST_BEGINNING: f64 = 100.0;

/// Smaller sizes have errors that numbers are too coarse for: what has died away to this is zero in any units.
pub(super) const LEAST: f64 = 1e-280;

/// Sizes of states, and the length of a typical step: what one integration hands on to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sizes {
    /// Now.
    pub now: Vec<f64>,
    /// The largest since the integration began.
    pub lately: Vec<f64>,
    /// The same a number of steps ago.
    pub earlier: Vec<f64>,
    /// States that grow towards what others are.
    pub precursors: Vec<Precursor>,
    /// What their neighbours ask of the sizes of states at least; empty where they ask nothing.
    pub least: Vec<f64>,
    /// Whether the state was ever anything but zero.
    pub has_moved: Vec<bool>,
    /// Whether its size is still the one that made its first error just allowed.
    pub is_beginning: Vec<bool>,
    /// What rounding makes of slopes, as far as that is known.
    pub slope_noise: Vec<f64>,
    /// The length of a typical step; zero where none was made.
    pub step: f64,
    /// No longer time than this is short, as far as is known before the first step; zero where nothing is known.
    pub at_most: f64,
    /// In what time the integration is known to end; zero where that is not known.
    pub ends_within: f64,
    /// In what time something was found to act, by looks at the slopes ahead of the first step; zero where nothing was.
    pub acts_within: f64,
    /// What was found to be a short time where the integration began, by these looks; zero where none was needed.
    pub short_here: f64,
    /// The longest step since the integration began.
    pub longest: f64,
    /// How many steps that was ago.
    pub steps: u32,
    /// How long a typical step was then.
    pub before: f64,
    /// What rounding made of states in steps that stayed short; zero where that was not looked at.
    pub rounding: Vec<f64>,
}

impl Sizes {
    /// Whether a state has become so small, and steps so short, that the rounding of its slope may be all that they see of it.
    pub fn has_died_away(&self, index: usize) -> bool {
        self.may_have_died_away() && self.now[index] < DIED_AWAY * self.lately[index]
    }

    /// Whether steps have become so short that a state may have.
    pub fn may_have_died_away(&self) -> bool {
        self.step < SHORTENED * self.longest
    }

    /// Whether it is time to look how much states have grown.
    pub(super) fn is_growth_due(&self) -> bool {
        self.steps.is_multiple_of(GROWTH_STEPS) || self.steps < GROWTH_STEPS && self.steps.is_power_of_two()
    }

    /// These states were found to follow others, by how much they have grown until now.
    pub(super) fn follow_others(&mut self, precursors: Vec<Precursor>) {
        self.earlier.copy_from_slice(&self.lately);
        self.precursors = precursors;
        self.least.clear();
        self.ask_neighbours();
    }

    fn ask_neighbours(&mut self) {
        if self.precursors.is_empty() {
            return;
        }
        self.least.resize(self.now.len(), 0.0);
        for precursor in &self.precursors {
            self.least[precursor.state()] = precursor.least_size(&self.now);
        }
    }

    /// Whether steps stay far shorter than they were before the integration began, so that it has to be looked whether rounding is
    /// all that they see of some state: the voltage of a capacitor of 1e-10, whose current is the difference of voltages of 1 over a
    /// small resistance.
    pub fn is_kept_short(&self) -> bool {
        self.is_rounding_due() && self.step < SHORTENED * self.before
    }

    /// Whether it is time to look what rounding makes of states: nothing says before how long steps should be, and the current of a
    /// rotor that turns with its field is rounding from the first step on.
    pub fn is_rounding_due(&self) -> bool {
        self.steps > 0 && self.steps.is_multiple_of(MANY_STEPS)
    }
}

/// The errors allowed: relative to sizes that follow the solution.
#[derive(Clone)]
pub(super) struct Weights {
    pub relative: f64,
    /// Nominal values; zero where none is declared.
    pub declared: Arc<[f64]>,
    pub sizes: Sizes,
}

impl Weights {
    /// With the sizes of a start, and what was known of them before.
    pub(super) fn new(relative: f64, declared: Arc<[f64]>, state: &[f64], known: Option<&Sizes>) -> Self {
        let mut sizes = known.cloned().unwrap_or_default();
        sizes.now.resize(state.len(), 0.0);
        sizes.has_moved.resize(state.len(), false);
        sizes.is_beginning.resize(state.len(), false);
        sizes.slope_noise.resize(state.len(), 0.0);
        sizes.lately = state.iter().map(|value| value.abs()).collect();
        sizes.earlier = sizes.lately.clone();
        (sizes.precursors, sizes.least) = (Vec::new(), Vec::new());
        sizes.longest = 0.0;
        (sizes.steps, sizes.before, sizes.rounding) = (0, sizes.step, vec![0.0; state.len()]);
        let mut weights = Weights { relative, declared, sizes };
        weights.widen(state.iter().copied());
        weights
    }

    /// Sizes are at least these.
    pub(super) fn widen(&mut self, values: impl Iterator<Item = f64>) {
        let Sizes { now, has_moved, .. } = &mut self.sizes;
        for ((now, has_moved), value) in now.iter_mut().zip(has_moved).zip(values) {
            let value = if value.is_finite() { value.abs() } else { 0.0 };
            *now = now.max(value);
            *has_moved |= *now > 0.0;
        }
    }

    /// A step of this length has led to a state.
    pub(super) fn follow(&mut self, length: f64, state: &[f64]) {
        let sizes = &mut self.sizes;
        sizes.step = (SHORTENING * sizes.step).max(length);
        sizes.longest = sizes.longest.max(length);
        sizes.steps = sizes.steps.saturating_add(1);
        // Nearly all steps are as long as the one before.
        let share = if length == sizes.step { FADING } else { FADING.powf(length / sizes.step) };
        if all(&sizes.has_moved, |it| it) && all(&sizes.is_beginning, |it| !it) {
            let sizes = sizes.now.iter_mut().zip(state);
            sizes.for_each(|(size, value)| *size = (share * *size).max(value.abs()));
        } else {
            self.follow_beginnings(share, state);
        }
        let sizes = &mut self.sizes;
        sizes.lately.iter_mut().zip(state).for_each(|(lately, value)| *lately = lately.max(value.abs()));
        sizes.ask_neighbours();
    }

    /// The same for sizes of which some are those of states that have not moved, or begin to.
    fn follow_beginnings(&mut self, share: f64, state: &[f64]) {
        let sizes = &mut self.sizes;
        for (index, value) in state.iter().enumerate() {
            let value = if value.abs() < LEAST { 0.0 } else { value.abs() };
            // Steps may be far shorter than typical ones were: a size that allows any error must not last as long as these.
            let share = if sizes.is_beginning[index] { FADING } else { share };
            let faded = share * sizes.now[index];
            let begins = !sizes.has_moved[index] && value > 0.0;
            sizes.is_beginning[index] = begins || sizes.is_beginning[index] && faded > value;
            sizes.now[index] = if sizes.has_moved[index] { faded.max(value) } else { value / self.relative };
            sizes.has_moved[index] |= begins;
        }
    }

    /// The size of a state with this value, which the next step is expected to change by so much, and the least step that changes
    /// the time by this share of it.
    fn size(&self, index: usize, value: f64, change: f64, resolution: f64) -> f64 {
        match self.declared[index] {
            declared if declared > 0.0 => declared + value.abs(),
            _ => {
                let Sizes { now, slope_noise, rounding, step, least: asked, .. } = &self.sizes;
                let noise = (step * slope_noise[index]).max(rounding[index]);
                let least = noise.max(resolution * change.abs()) / self.relative;
                let asked = asked.get(index).copied().unwrap_or(0.0);
                let size = value.abs().max(change.abs()).max(now[index]).max(least).max(asked);
                if size > 0.0 { size.max(LEAST) } else { 0.0 }
            }
        }
    }

    /// Whether a state of which no size is known begins to move: its slope says nothing about what a short time is.
    pub(super) fn moves_from_nothing(&self, derivative: &[f64]) -> bool {
        let sizes = self.sizes.now.iter().zip(self.declared.iter());
        sizes.zip(derivative).any(|((&now, &declared), &slope)| now == 0.0 && declared == 0.0 && slope != 0.0)
    }

    /// One by the error allowed where a state has this size; nothing where it has none.
    pub(super) fn inverse(&self, size: f64) -> f64 {
        if size > 0.0 { 1.0 / (self.relative * size) } else { 0.0 }
    }

    /// The error of a step of this length in which a state of no size has begun to move, in units of the error allowed: it is wrong by as
    /// much as it moves in the step, and as large as it moves in a typical one.
    pub(super) fn beginning(&self, time: f64, length: f64) -> f64 {
        let allowed = self.relative * self.sizes.step;
        length / allowed.max(LEAST_BEGINNING * shortest_step(time))
    }

    /// The same for all states, which the next step, of this length, is expected to change by so much.
    pub(super) fn set_inverse(&self, inverse: &mut [f64], (time, step): (f64, f64), state: &[f64], change: &[f64]) {
        let resolution = (shortest_step(time) / step).min(1.0);
        if self.declared.iter().any(|&it| it > 0.0) {
            for (index, place) in inverse.iter_mut().enumerate() {
                *place = self.inverse(self.size(index, state[index], change[index], resolution));
            }
            return;
        }
        self.set_sizes(inverse, resolution, state, change);
        for place in inverse {
            *place = if *place > 0.0 { 1.0 / (self.relative * place.max(LEAST)) } else { 0.0 };
        }
    }

    /// The sizes of all states where none is declared, one reason after the other, so that states are looked at side by side. Most
    /// reasons are absent most of the time.
    fn set_sizes(&self, found: &mut [f64], resolution: f64, state: &[f64], change: &[f64]) {
        let Sizes { now, slope_noise, rounding, step, least, .. } = &self.sizes;
        for (((size, value), change), now) in found.iter_mut().zip(state).zip(change).zip(now) {
            *size = value.abs().max(change.abs()).max(*now);
        }
        // What time resolves of a change, by what a step may be wrong by, is else less than the change itself, with its rounding.
        if resolution > 0.5 * self.relative {
            let sizes = found.iter_mut().zip(change);
            sizes.for_each(|(size, change)| *size = size.max(resolution * change.abs() / self.relative));
        }
        let is_zero = |value: f64| value == 0.0;
        if !all(slope_noise, is_zero) || !all(rounding, is_zero) {
            for ((size, noise), rounding) in found.iter_mut().zip(slope_noise).zip(rounding) {
                *size = size.max((step * noise).max(*rounding) / self.relative);
            }
        }
        found.iter_mut().zip(least).for_each(|(size, asked)| *size = size.max(*asked));
    }

    /// The root mean square of a vector in units of the error allowed at `state`.
    pub(super) fn norm(&self, vector: &[f64], state: &[f64]) -> f64 {
        let squares = vector.iter().zip(state).enumerate().map(|(index, (value, &state))| {
            let share = value * self.inverse(self.size(index, state, 0.0, 0.0));
            share * share
        });
        (squares.sum::<f64>() / vector.len().max(1) as f64).sqrt()
    }
}

/// Whether something holds of all, several of which are looked at side by side.
fn all<Value: Copy>(values: &[Value], holds: impl Fn(Value) -> bool) -> bool {
    values.iter().fold(true, |all, &value| all & holds(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(state: &[f64]) -> Weights {
        Weights::new(1e-6, vec![0.0; state.len()].into(), state, None)
    }

    #[test]
    fn a_size_follows_a_solution_that_dies_away() {
        let mut weights = of(&[1e8]);
        let mut value = 1e8;
        for _ in 0..60 {
            value *= 0.5;
            weights.follow(0.1, &[value]);
        }
        assert!(weights.size(0, value, 0.0, 0.0) < 1.0, "{:?}", weights.sizes);
    }

    #[test]
    fn short_steps_after_an_event_are_no_long_time() {
        let mut weights = of(&[1.0]);
        weights.follow(0.1, &[1.0]);
        for _ in 0..20 {
            weights.follow(1e-6, &[0.0]);
        }
        assert!(weights.size(0, 0.0, 0.0, 0.0) > 0.9, "{:?}", weights.sizes);
    }

    #[test]
    fn what_is_zero_for_all_that_is_known_is_measured_by_the_rounding_of_its_slope() {
        let mut weights = of(&[0.0, 1.0]);
        weights.follow(0.5, &[0.0, 1.0]);
        assert_eq!(weights.size(0, 0.0, 0.0, 0.0), 0.0);
        weights.sizes.slope_noise[0] = 1e-15;
        assert_eq!(weights.relative * weights.size(0, 0.0, 0.0, 0.0), 0.5e-15);
    }
}
