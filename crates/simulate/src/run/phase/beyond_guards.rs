//! Modes that have no values beyond their own guards: the root of a level in a tank is one while there is water in it.
//!
//! A step may lead beyond, or a look inside of it, or no step may succeed any more. Then the phase ends at the last time at which there are
//! values, with an event where guards cross there, and with the failure where none does.

use crate::integrate::{FailureReason, IntegrationFailure, Integrator};
use crate::run::Machinery;
use crate::run::modes::ModeOde;
use crate::run::phase::integrate_until::{NoPhase, Phase};
use crate::run::phase::zero_crossings::{Crossing, TOGETHER};
use crate::run::values::Side;

/// Where the mode has no values any more.
pub(super) struct Beyond {
    /// The first time after one at which it has.
    pub time: f64,
    pub reason: NoPhase,
}

impl<'a> Phase<'a> {
    /// Evaluates everything at the end of a step or, where there are no values, at the last time found before it at which there
    /// are, and says why not beyond.
    pub(super) fn last_value(
        &mut self,
        machinery: &Machinery<'a>,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        (from, to): (f64, f64),
    ) -> Result<(f64, Option<Beyond>), NoPhase> {
        let Err(mut failure) = self.move_to(machinery, integrator, to) else { return Ok((to, None)) };
        let (mut good, mut bad) = (from, to);
        loop {
            let middle = 0.5 * (good + bad);
            if middle <= good || middle >= bad {
                break;
            }
            match self.move_to(machinery, integrator, middle) {
                Ok(()) => good = middle,
                Err(nearer) => (bad, failure) = (middle, nearer),
            }
        }
        self.move_to(machinery, integrator, good)?;
        Ok((good, Some(Beyond { time: bad, reason: failure })))
    }

    /// Guards that cross between the last time at which the mode has values, where all values are, and the next one: the equations of a
    /// mode need not have values beyond its own guards, as `if h > 0 then sqrt(h) else 0`.
    pub(super) fn crossing_beyond(
        &mut self,
        machinery: &mut Machinery<'a>,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        (here, beyond): (f64, f64),
    ) -> Result<Option<Crossing>, NoPhase> {
        if self.present.sliding.is_some() {
            return Ok(None);
        }
        self.move_to(machinery, integrator, here)?;
        let mut states = self.states.clone();
        integrator.interpolate(beyond, &mut states);
        Ok(self.crossing_towards(machinery, beyond, &states))
    }

    /// The same where no step succeeds any more, since the mode has no values beyond: what the present slopes carry across within the
    /// resolution of time.
    pub(super) fn crossing_within_resolution(
        &mut self,
        machinery: &mut Machinery<'a>,
        failure: &IntegrationFailure,
    ) -> Option<Crossing> {
        if failure.reason != FailureReason::StepTooShort
            || failure.evaluation.is_none()
            || self.present.sliding.is_some()
        {
            return None;
        }
        let resolution = TOGETHER * self.present.time.abs();
        let program = self.mode.program.borrow();
        let ahead = program.state_quantities().zip(&self.states);
        let ahead = ahead.map(|(it, value)| value + resolution * self.present.value(it.of, it.order + 1));
        let states: Vec<f64> = ahead.collect();
        drop(program);
        self.crossing_towards(machinery, self.present.time + resolution, &states)
    }

    /// Guards that are on their sides at the present values, and not with these states at this time.
    fn crossing_towards(&self, machinery: &mut Machinery<'a>, time: f64, states: &[f64]) -> Option<Crossing> {
        let mut side = Side { time, ..self.present.clone() };
        for (state, &value) in self.mode.program.borrow().state_quantities().zip(states) {
            let place = self.mode.quantities.index(state.of, state.order);
            place.into_iter().for_each(|place| side.jet[place.index()] = value);
        }
        let buffers = &mut machinery.memory.buffers;
        let watch = &self.expected.watch;
        let values = watch.values(&buffers.watched_in_all(machinery.prepared, &self.present));
        let values_beyond = watch.values(&buffers.watched_in_all(machinery.prepared, &side));
        watch.last_before(self.present.time, values, &values_beyond)
    }
}
