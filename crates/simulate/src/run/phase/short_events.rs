//! Events shorter than a step: where a guard that bends may cross zero between two values that show nothing of it.
//!
//! A step is as long as the states allow, and a state that moves steadily passes over `abs(x - 0.5) < 1e-3` in one of them. So
//! a step is accepted of a guard that bends (`guard_functions`) when it is clear of zero on it, or rises or falls all the way
//! with its end on its side; otherwise it is halved, from the left, until the first part is found in which it crosses, or may.
//! At the end of that part all guards are looked at, and what follows is what always follows a look (`zero_crossings`).
//!
//! 1. *At a glance*: bounds from values and slopes of the quantities at both ends of the step. A cubic curve stays within its
//!    control points; what they span is widened by as much on both sides, since a quantity is no cubic curve, and what has no
//!    slope spans its two values. Most steps end here, and most of them within bounds that were clear steps ago.
//! 2. *By polynomials* over the step (`polynomials`): of states those that the method of integration itself gives, of what
//!    the states determine those through a few evaluations. Bounds by intervals, and by value, slope and curvature of the middle
//!    of a part, which converge with the third power of its length.
//!
//! Work is bounded: after [`MOST_BOUNDS`] in one step what is left of it is looked at in [`SAMPLES`] places of the step, and parts
//! shorter than [`SHORTEST`] of it are not halved. What the noise of a guard hides is no event. In a sliding mode, where several
//! fields share a step, guards that bend are left to their pace.

use modeshift_dae::{Derivative, VariableId};

use crate::run::phase::guard_functions::{Course, GuardFunction, GuardFunctions};
use crate::run::phase::intervals::{Interval, Stretch};
use crate::run::phase::polynomials::{POINTS, Polynomial};
use crate::run::phase::zero_crossings::{Aim, Watch};
use crate::run::values::Side;

/// The most bounds of guards in one step: about ten events of a millionth of its length.
pub(crate) const MOST_BOUNDS: usize = 1000;
/// Then the step is looked at in so many places.
pub(crate) const SAMPLES: f64 = 64.0;
/// Parts of a step, which is 2 long, that are not halved: what is shorter is hardly resolved in time.
pub(crate) const SHORTEST: f64 = 1e-12;

/// What control points span is widened by so many times its width on both sides: a quantity is no cubic curve.
const NEAR: f64 = 1.0;
/// And by so many times that, so that the next steps are within, if guards are clear there too.
const FAR: f64 = 4.0;
/// If not, the next steps are looked at alone.
const STEPS_NEAR: usize = 8;

/// Where quantities of guards are found in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The state of this number.
    State(usize),
    /// The variable or derivative at this place of the jet.
    Jet(usize),
    /// The mode does not have it.
    Nowhere,
}

/// What is seen of the quantities of guards in a step.
#[derive(Default)]
pub(crate) struct View {
    /// By quantity; empty where there are none.
    pub places: Vec<Place>,
    /// By quantity: the places of its value and of its slope in the jet, where the mode has them.
    in_jet: Vec<[Option<usize>; 2]>,
    /// Values and slopes at both ends of a step, and the time of its end.
    ends: [Vec<[f64; 2]>; 2],
    end: f64,
    /// Where quantities may be, and when, so that all guards are clear; empty where that is not known.
    cleared: Vec<Interval>,
    cleared_time: Interval,
    /// So many steps are too near to an event to look further.
    is_near: usize,
    polynomials: Vec<Polynomial>,
    /// The bounds that may still be asked for in this step.
    bounds_left: usize,
    ranges: Workspace<Interval>,
    stretches: Workspace<Stretch>,
}

/// Bounds of quantities, and of the steps of a function.
#[derive(Default)]
struct Workspace<B> {
    quantities: Vec<B>,
    steps: Vec<B>,
}

impl View {
    /// Where quantities are, on a side and among its states.
    pub fn find(&mut self, functions: &GuardFunctions, side: &Side<'_>) {
        *self = View { end: f64::NAN, ..View::default() };
        let quantities = &functions.quantities;
        if quantities.is_empty() {
            return;
        }
        let in_jet = |of: VariableId, order: u32| side.mode.quantities.index(of, order).map(|it| it.index());
        let both = |it: &Derivative<VariableId>| [in_jet(it.of, it.order), in_jet(it.of, it.order + 1)];
        self.in_jet = quantities.iter().map(both).collect();
        self.places = self.in_jet.iter().map(|it| it[0].map_or(Place::Nowhere, Place::Jet)).collect();
        for (number, state) in side.mode.program.borrow().state_quantities().enumerate() {
            if let Some(quantity) = quantities.iter().position(|&it| it == state) {
                self.places[quantity] = Place::State(number);
            }
        }
    }

    /// Whether a step, at whose end is this side, can be accepted at a glance.
    pub fn is_clear_at_a_glance(
        &mut self,
        functions: &GuardFunctions,
        watch: &Watch,
        side: &Side<'_>,
        from: f64,
    ) -> bool {
        let (is_next, to) = (self.end == from, side.time);
        self.ends.swap(0, 1);
        let [before, now] = &mut self.ends;
        now.clear();
        now.extend(self.in_jet.iter().map(|it| it.map(|place| place.map_or(f64::NAN, |place| side.jet[place]))));
        self.end = to;
        if !is_next {
            self.forget();
            return false;
        }
        let Workspace { quantities, steps } = &mut self.ranges;
        let spans = before.iter().zip(now).map(|(before, now)| span(*before, *now, to - from));
        quantities.clear();
        quantities.extend(spans.map(|span| span.widened(NEAR)));
        let time = Interval::new(from, to);
        if !self.cleared.is_empty() && self.cleared_time.has(time) {
            let mut both = self.cleared.iter().zip(&*quantities);
            if both.all(|(cleared, quantity)| cleared.has(*quantity)) {
                return true;
            }
        }
        let mut is_clear = |time: Interval, quantities: &[Interval]| {
            let course = Course { side, time, quantities };
            functions.functions.iter().all(|function| {
                let mut aims = function.guards.iter().filter_map(|&guard| watch.aim(guard)).peekable();
                aims.peek().is_none()
                    || function.bounds(&course, steps).is_some_and(|range| aims.all(|aim| aim.is_clear(range)))
            })
        };
        self.cleared.clear();
        if self.is_near > 0 {
            self.is_near -= 1;
            return is_clear(time, quantities);
        }
        self.cleared.extend(quantities.iter().map(|quantity| quantity.widened(FAR)));
        self.cleared_time = time.widened(FAR);
        if is_clear(self.cleared_time, &self.cleared) {
            return true;
        }
        self.cleared.clear();
        self.is_near = STEPS_NEAR;
        is_clear(time, quantities)
    }

    /// What stands still between events has changed.
    pub fn forget(&mut self) {
        self.cleared.clear();
        self.is_near = 0;
    }

    /// Begins to look into a step, with the values of quantities at `PLACES` of it.
    ///
    /// Methods of integration give states as polynomials; where they do not, these are no more than near them.
    pub fn look_into(&mut self, values: &[[f64; POINTS]], states_are_polynomials: bool) {
        let of_place = |(values, place): (&[f64; POINTS], &Place)| {
            Polynomial::through(values, states_are_polynomials && matches!(place, Place::State(_)))
        };
        self.polynomials = values.iter().zip(&self.places).map(of_place).collect();
        self.bounds_left = MOST_BOUNDS;
    }

    /// The first time in a step, after some time of it, at which guards should be looked at; nothing where its end will do.
    pub fn next_look(
        &mut self,
        functions: &GuardFunctions,
        watch: &Watch,
        side: &Side<'_>,
        (from, to): (f64, f64),
        after: f64,
    ) -> Option<f64> {
        let half = 0.5 * (to - from);
        let begin = (after - from) / half - 1.0;
        let mut first = 1.0;
        for function in &functions.functions {
            for aim in function.guards.iter().filter_map(|&guard| watch.aim(guard)) {
                let mut search = Search { function, aim, side, from, half, view: self };
                first = search.first_look(begin, first).unwrap_or(first);
            }
        }
        let look = from + half * (first + 1.0);
        (first < 1.0 && look > after && look < to).then_some(look)
    }
}

/// What the control points of a quantity span in a step, by value and slope at its ends.
fn span([before, slope_before]: [f64; 2], [now, slope_now]: [f64; 2], length: f64) -> Interval {
    let third = length / 3.0;
    let (mut low, mut high) = (before.min(now), before.max(now));
    for control in [before + third * slope_before, now - third * slope_now] {
        // What is not a number is not smaller nor larger.
        (low, high) = (low.min(control), high.max(control));
    }
    if before.is_nan() || now.is_nan() { Interval::ALL } else { Interval { low, high } }
}

impl Aim {
    /// The guard, of bounds of its function.
    fn guard(self, function: Stretch) -> Stretch {
        let moved = function.value.plus(Interval::point(-self.edge));
        let function = Stretch { value: moved, ..function };
        if self.side < 0.0 { function.negated() } else { function }
    }

    /// Whether no value is beyond the edge.
    fn is_clear(self, function: Interval) -> bool {
        if self.side < 0.0 { self.edge - function.high >= -self.least } else { function.low - self.edge >= -self.least }
    }
}

/// What a guard does on a part of a step.
enum Behaviour {
    Clear,
    Crosses,
    Unknown,
}

/// The search for the first crossing of one guard.
struct Search<'s, 'a> {
    function: &'s GuardFunction,
    aim: Aim,
    side: &'s Side<'a>,
    from: f64,
    half: f64,
    view: &'s mut View,
}

impl Search<'_, '_> {
    /// The end of the first part between two places of the step that the guard crosses in, or may; of one that is not armed,
    /// the first place before at which it is.
    fn first_look(&mut self, mut begin: f64, end: f64) -> Option<f64> {
        let mut pending = vec![end];
        let mut armed_at = None;
        while let Some(&end) = pending.last() {
            if self.view.bounds_left == 0 {
                return Some((begin + 2.0 / SAMPLES).min(end));
            }
            match self.course(begin, end) {
                Behaviour::Clear => {
                    if !self.aim.is_armed && armed_at.is_none() && self.is_above_noise(end) {
                        armed_at = Some(end);
                    }
                    begin = end;
                    pending.pop();
                }
                Behaviour::Unknown if end - begin > SHORTEST => pending.push(0.5 * (begin + end)),
                Behaviour::Crosses | Behaviour::Unknown => return Some(armed_at.unwrap_or(end)),
            }
        }
        None
    }

    fn course(&mut self, begin: f64, end: f64) -> Behaviour {
        self.view.bounds_left = self.view.bounds_left.saturating_sub(1);
        let (middle, radius) = (0.5 * (begin + end), 0.5 * (end - begin));
        let Some(whole) = self.bounds(middle, radius, 0.0) else { return Behaviour::Unknown };
        if whole.value.low >= -self.aim.least {
            return Behaviour::Clear;
        }
        let Some(point) = self.bounds(middle, 0.0, 0.0) else { return Behaviour::Unknown };
        let bounds = whole.around(point, radius);
        if bounds.value.low >= -self.aim.least {
            return Behaviour::Clear;
        }
        let noise = self.noise_around(middle, radius, whole.value.low);
        if bounds.value.low >= -noise {
            return Behaviour::Clear;
        }
        if bounds.value.high < -noise {
            return Behaviour::Crosses;
        }
        if bounds.slope.has_a_sign() {
            let last = self.bounds(end, 0.0, 0.0);
            let is_clear = last.is_some_and(|it| it.value.low >= -noise);
            return if is_clear { Behaviour::Clear } else { Behaviour::Crosses };
        }
        // Halving is no use where all that is not known is how far a polynomial is off.
        let is_told = point.value.width() < 0.5 * bounds.value.width();
        if is_told { Behaviour::Unknown } else { Behaviour::Crosses }
    }

    /// How much lower than it is noise of the quantities makes a guard at its lowest, around a place: where it turns there,
    /// next to nothing.
    fn noise_around(&mut self, middle: f64, radius: f64, lowest: f64) -> f64 {
        let noisy = self.bounds(middle, radius, self.aim.relative);
        let noise = noisy.map_or(self.aim.noise, |noisy| lowest - noisy.value.low);
        noise.max(self.aim.least).min(self.aim.noise)
    }

    fn is_above_noise(&mut self, at: f64) -> bool {
        self.bounds(at, 0.0, 0.0).is_some_and(|it| it.value.low > self.aim.noise)
    }

    /// Bounds of the guard around a place of the step, with quantities that are wrong by this share of their size.
    fn bounds(&mut self, middle: f64, radius: f64, noise: f64) -> Option<Stretch> {
        let View { polynomials, stretches: Workspace { quantities, steps }, .. } = &mut *self.view;
        quantities.resize(polynomials.len(), Stretch::constant(0.0));
        for &number in &self.function.quantities {
            let quantity = polynomials[number].within(middle, radius);
            quantities[number] = if noise > 0.0 { quantity.blurred(noise) } else { quantity };
        }
        let time = self.from + self.half * (middle + 1.0);
        let reach = self.half * radius;
        let time = Stretch { slope: Interval::point(self.half), ..Stretch::time(time - reach, time + reach) };
        let course = Course { side: self.side, time, quantities };
        self.function.bounds(&course, steps).map(|it| self.aim.guard(it))
    }
}
