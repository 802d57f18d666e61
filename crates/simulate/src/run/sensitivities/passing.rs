//! Jumps of slopes that make no event: the time of such a jump is not known to neighbours, so that its share of the derivative is not.
//!
//! Corners, where slopes are continuous, are passed without harm: the derivatives on both sides are integrated as they come. On a corner
//! that the run stays on there are none.

use modeshift_dae::EquationId;

use super::refusals::NoSensitivity;
use super::touches::{LOOKS, Place, Placed};
use crate::program::{CornerKind, Corners, Decided, Surroundings};

/// What slopes may change by at a point, as a share of how large they were.
const CONTINUOUS: f64 = 1e-7;
/// A jump of something that cannot be looked into makes steps so short that it is this share of all that happens in one.
const SUDDEN: f64 = 0.9;
/// Halvings, after which a stretch is down to rounding.
const HALVINGS: usize = 60;
/// Rounding in what decides, as a share of how large it was.
const ROUNDING: f64 = 1e-13;
/// A corner is stayed on if it takes more than this share of a phase.
const STAY: f64 = 1e-6;
/// Changes of what decides that are less than this share of their parts are none.
const SLIGHT: f64 = 1e-9;

/// What is known of a run while it passes a phase.
pub(super) struct Passing {
    last: Option<Seen>,
    /// A corner is stayed on if it takes longer.
    long: f64,
    /// Since when each of what decides has been zero.
    zero_since: Vec<Option<f64>>,
    /// How large what decides and slopes were.
    deciding: Vec<f64>,
    slopes: Vec<f64>,
}

struct Seen {
    place: Place,
    decided: Decided,
}

/// A mode as it is passed.
pub(super) struct Passed<'p> {
    pub corners: &'p Corners,
    pub slopes: &'p [usize],
    pub surroundings: &'p Surroundings,
    pub given: &'p [Vec<f64>],
}

impl Passed<'_> {
    fn see(&self, place: Place) -> Seen {
        let decided = self.corners.at(place.time, &place.jet, self.surroundings);
        Seen { place, decided }
    }

    /// Whether neighbours decide at another time.
    fn moves(&self, seen: &Seen, number: usize, size: f64) -> bool {
        let mut directions = seen.place.changes.iter().zip(self.given);
        directions.any(|(change, given)| {
            let (sum, parts) = self.corners.change(&seen.decided, number, change, given);
            !(sum.abs() <= SLIGHT * parts || sum.abs() <= SLIGHT * SLIGHT * size)
        })
    }
}

impl Passing {
    /// For a phase that takes so long.
    pub fn new(duration: f64) -> Self {
        let (zero_since, deciding, slopes) = (Vec::new(), Vec::new(), Vec::new());
        Passing { last: None, long: STAY * duration, zero_since, deciding, slopes }
    }

    /// A step of the variational equation, whose places can be had.
    pub fn step(
        &mut self,
        passed: &Passed<'_>,
        (from, to): (f64, f64),
        placed: Placed<'_>,
    ) -> Result<(), NoSensitivity> {
        if self.last.is_none() {
            self.last = Some(passed.see(placed(from)?));
            self.deciding.resize(passed.corners.kinds().len(), 0.0);
            self.zero_since.resize(passed.corners.kinds().len(), None);
            self.slopes.resize(passed.slopes.len(), 0.0);
        }
        let mut times = vec![self.last.as_ref().map_or(from, |it| it.place.time)];
        let mut slopes = vec![self.last.as_ref().map_or_else(Vec::new, |it| it.place.jet.clone())];
        for number in 1..=LOOKS {
            let time = if number == LOOKS { to } else { from + (to - from) * number as f64 / LOOKS as f64 };
            let now = passed.see(placed(time)?);
            times.push(time);
            slopes.push(now.place.jet.clone());
            self.grow(passed, &now);
            self.decisions(passed, &now, placed)?;
            self.last = Some(now);
        }
        self.sudden(passed, &times, &slopes, placed)
    }

    fn grow(&mut self, passed: &Passed<'_>, now: &Seen) {
        for (size, value) in self.deciding.iter_mut().zip(&now.decided.values) {
            *size = size.max(value.abs());
        }
        for (size, &slope) in self.slopes.iter_mut().zip(passed.slopes) {
            *size = size.max(now.place.jet[slope].abs());
        }
    }

    /// Whether slopes are other ones at two places that are next to each other.
    fn jumps(&self, passed: &Passed<'_>, one: &[f64], other: &[f64]) -> bool {
        let mut slopes = passed.slopes.iter().zip(&self.slopes);
        slopes.any(|(&slope, &size)| (one[slope] - other[slope]).abs() > CONTINUOUS * size)
    }

    /// What decides and can be seen, since the last look.
    fn decisions(&mut self, passed: &Passed<'_>, now: &Seen, placed: Placed<'_>) -> Result<(), NoSensitivity> {
        let Some(last) = &self.last else { return Ok(()) };
        for (number, &(kind, equation)) in passed.corners.kinds().iter().enumerate() {
            let (a, b) = (last.decided.values[number], now.decided.values[number]);
            if kind != CornerKind::Zero {
                continue;
            }
            let size = self.deciding[number];
            let is_zero = |value: f64| value.abs() <= ROUNDING * size;
            if is_zero(a) && is_zero(b) && passed.moves(now, number, size) {
                let since = *self.zero_since[number].get_or_insert(last.place.time);
                if now.place.time - since > self.long {
                    return Err(NoSensitivity::OnCorner(since, equation));
                }
            } else {
                self.zero_since[number] = None;
            }
            let side = |value: f64| if value == 0.0 { 0.0 } else { value.signum() };
            if side(a) == side(b) {
                continue;
            }
            let (mut low, mut high) = (last.place.time, now.place.time);
            let mut below = last.place.jet.clone();
            for _ in 0..HALVINGS {
                let middle = low + 0.5 * (high - low);
                if !(low < middle && middle < high) {
                    break;
                }
                let seen = passed.see(placed(middle)?);
                if side(seen.decided.values[number]) == side(a) {
                    (low, below) = (middle, seen.place.jet);
                } else {
                    high = middle;
                }
            }
            // Where it is zero, all may still be as before.
            let seen = passed.see(placed((high + 8.0 * f64::EPSILON * high.abs()).min(now.place.time))?);
            let moves = passed.moves(&seen, number, size) || passed.moves(last, number, size);
            if moves && self.jumps(passed, &below, &seen.place.jet) {
                return Err(NoSensitivity::Jump(high, equation));
            }
        }
        Ok(())
    }

    /// Jumps of what cannot be looked into.
    fn sudden(
        &self,
        passed: &Passed<'_>,
        times: &[f64],
        jets: &[Vec<f64>],
        placed: Placed<'_>,
    ) -> Result<(), NoSensitivity> {
        let arguments = passed.corners.kinds().iter().enumerate().filter(|(_, it)| it.0 == CornerKind::Argument);
        let arguments: Vec<(usize, EquationId)> = arguments.map(|(number, it)| (number, it.1)).collect();
        if arguments.is_empty() {
            return Ok(());
        }
        for (&slope, &size) in passed.slopes.iter().zip(&self.slopes) {
            let moves: Vec<f64> = jets.windows(2).map(|pair| (pair[1][slope] - pair[0][slope]).abs()).collect();
            let (mut at, mut most) = (0, 0.0);
            for (number, &moved) in moves.iter().enumerate() {
                if moved > most {
                    (at, most) = (number, moved);
                }
            }
            if most <= CONTINUOUS * size || most < SUDDEN * moves.iter().sum::<f64>() {
                continue;
            }
            let (mut low, mut high) = (times[at], times[at + 1]);
            let (mut below, mut above) = (jets[at][slope], jets[at + 1][slope]);
            for _ in 0..HALVINGS {
                let middle = low + 0.5 * (high - low);
                if !(low < middle && middle < high) || (above - below).abs() < 0.5 * most {
                    break;
                }
                let value = placed(middle)?.jet[slope];
                if (value - below).abs() > (above - value).abs() {
                    (high, above) = (middle, value);
                } else {
                    (low, below) = (middle, value);
                }
            }
            if (above - below).abs() < 0.5 * most {
                continue;
            }
            let seen = passed.see(placed(high)?);
            for &(number, equation) in &arguments {
                if passed.moves(&seen, number, self.deciding[number]) {
                    return Err(NoSensitivity::Jump(high, equation));
                }
            }
        }
        Ok(())
    }
}
