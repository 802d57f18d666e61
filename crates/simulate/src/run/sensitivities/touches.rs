//! Guards that a run touches without an event: with slightly different values they cross, and other modes follow.
//!
//! Along a phase guards are looked at in every step. Where one is lowest, how far neighbours are from it is compared with how far it is
//! from zero: where they may reach zero, there is no derivative in both directions.

use super::neighbours::{Direction, Neighbour};
use super::refusals::NoSensitivity;

/// Looks in every step of the variational equation.
pub(super) const LOOKS: usize = 4;
/// And between two instants where nothing is integrated.
pub(super) const LOOKS_WITHOUT_STATES: usize = 400;
/// Neighbours reach zero if they come so many times as near: what they do is known to first order.
const REACH: f64 = 2.0;
/// A guard may be lowest between two looks where it is at most so many times as far from zero as it moves around them.
const NEAR: f64 = 2.0;
/// Whether a guard falls at the end of a stretch is seen over this share of it.
const SHARE: f64 = 1e-4;
/// Golden sections, after which a stretch is down to rounding of its length.
const SECTIONS: usize = 70;
const GOLDEN: f64 = 0.381_966_011_250_105_1;

/// What guards are at a time.
#[derive(Clone)]
pub(super) struct Look {
    pub time: f64,
    /// Each on its side: positive while nothing happens.
    pub values: Vec<f64>,
    /// What of them is noise.
    noise: Vec<f64>,
}

/// Where a run is between two instants: all quantities, and by direction how they change.
pub(super) struct Place {
    pub time: f64,
    pub jet: Vec<f64>,
    pub changes: Vec<Vec<f64>>,
}

/// Looks at guards along a phase.
pub(super) struct Touches<'t, 's> {
    pub itself: &'t mut Neighbour<'s>,
    pub directions: &'t mut [Direction<'s>],
    /// The last looks, the earlier first.
    pub seen: Vec<Look>,
}

/// Gives the place of a phase at a time in the present step.
pub(super) type Placed<'p> = &'p mut dyn FnMut(f64) -> Result<Place, NoSensitivity>;

impl Touches<'_, '_> {
    /// Looks at a stretch of time, whose places can be had.
    pub fn stretch(&mut self, (from, to): (f64, f64), looks: usize, placed: Placed<'_>) -> Result<(), NoSensitivity> {
        if !self.itself.has_guards() {
            return Ok(());
        }
        if self.seen.is_empty() {
            let first = self.look(&placed(from)?)?;
            self.seen.push(first);
        }
        for number in 1..=looks {
            let time = if number == looks { to } else { from + (to - from) * number as f64 / looks as f64 };
            let now = self.look(&placed(time)?)?;
            self.between(&now, placed)?;
            if self.seen.len() == 2 {
                self.seen.remove(0);
            }
            self.seen.push(now);
        }
        Ok(())
    }

    /// The end of a run: a guard that falls there would cross a little later or earlier.
    pub fn end(&mut self, place: &Place) -> Result<(), NoSensitivity> {
        let Some(last) = self.seen.first().cloned() else { return Ok(()) };
        let now = self.look(place)?;
        let falls = |&guard: &usize| now.values[guard] < last.values[guard] && last.values[guard] > last.noise[guard];
        for guard in (0..now.values.len()).filter(falls) {
            self.check(guard, now.values[guard], place)?;
        }
        Ok(())
    }

    fn look(&mut self, place: &Place) -> Result<Look, NoSensitivity> {
        let guards = self.itself.guards_beside((place.time, &place.jet), None)?;
        let (values, noise) = guards.into_iter().unzip();
        Ok(Look { time: place.time, values, noise })
    }

    /// Looks for guards that are lowest after the last look or at it.
    fn between(&mut self, now: &Look, placed: Placed<'_>) -> Result<(), NoSensitivity> {
        let last = self.seen.last().expect("a stretch begins with a look").clone();
        let before = (self.seen.len() == 2).then(|| self.seen[0].clone());
        for guard in 0..now.values.len() {
            let (a, b) = (last.values[guard], now.values[guard]);
            let earlier = before.as_ref().map_or(a, |look| look.values[guard]);
            let moves = (a - b).abs().max((earlier - a).abs());
            let is_clear = a.max(b).max(earlier) > now.noise[guard];
            if !(is_clear && a.min(b) <= NEAR * moves) {
                continue;
            }
            if before.is_some() && earlier >= a && b >= a {
                self.check(guard, a, &placed(last.time)?)?;
            }
            self.lowest(guard, (&last, now), placed)?;
        }
        Ok(())
    }

    /// Where a guard falls at the beginning of a stretch and rises at its end: looks at where it is lowest.
    fn lowest(&mut self, guard: usize, (a, b): (&Look, &Look), placed: Placed<'_>) -> Result<(), NoSensitivity> {
        let distance = SHARE * (b.time - a.time);
        let mut value = |it: &mut Self, time: f64| -> Result<f64, NoSensitivity> {
            let place = placed(time)?;
            Ok(it.look(&place)?.values[guard])
        };
        let (after, before) = (value(self, a.time + distance)?, value(self, b.time - distance)?);
        if !(after < a.values[guard] && before < b.values[guard]) {
            return Ok(());
        }
        let (mut low, mut high) = (a.time, b.time);
        let (mut one, mut other) = (low + GOLDEN * (high - low), high - GOLDEN * (high - low));
        let (mut of_one, mut of_other) = (value(self, one)?, value(self, other)?);
        for _ in 0..SECTIONS {
            if of_one < of_other {
                (high, other, of_other) = (other, one, of_one);
                one = low + GOLDEN * (high - low);
                of_one = value(self, one)?;
            } else {
                (low, one, of_one) = (one, other, of_other);
                other = high - GOLDEN * (high - low);
                of_other = value(self, other)?;
            }
        }
        let (time, lowest) = if of_one < of_other { (one, of_one) } else { (other, of_other) };
        // An end that is as low, but for noise, is a look of its own: at the first one of a phase a guard is at zero because the event
        // that began the phase is its own, with slightly different values too.
        if [a, b].iter().any(|end| end.values[guard] - lowest <= end.noise[guard]) {
            return Ok(());
        }
        let place = placed(time)?;
        self.check(guard, lowest, &place)
    }

    /// Refuses where neighbours of a guard with this value may be on the other side of zero.
    fn check(&mut self, guard: usize, value: f64, place: &Place) -> Result<(), NoSensitivity> {
        for (direction, change) in self.directions.iter_mut().zip(&place.changes) {
            let reach = direction.reach((place.time, &place.jet), change, |guards| (guards[guard].0 - value).abs())?;
            if reach > 0.0 && value <= REACH * reach {
                return Err(NoSensitivity::Touch(place.time));
            }
        }
        Ok(())
    }
}
