//! What a phase writes into the histories of delayed expressions: polynomials through values of its steps, as exact as the
//! integration is.

use crate::integrate::Integrator;
use crate::run::Machinery;
use crate::run::delays::calls::Delay;
use crate::run::modes::ModeOde;
use crate::run::phase::integrate_until::{NoPhase, Phase, PhaseSettings};
use crate::run::phase::polynomials::{PLACES, POINTS, Polynomial};

/// Polynomials are as exact as this share of what the integration is allowed.
const SHARE: f64 = 0.1;
/// Errors up to so many tolerances are no curvature where half a step has more than a quarter of them: it is where what is read was
/// put together.
const PUT_TOGETHER: f64 = 10.0;
/// Differences of values that cancel are known to a few roundings of the largest of all.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// A step is halved so often at most: what is then not smooth yet is a jump that no event tells.
const MOST_HALVINGS: u32 = 12;

impl<'a> Phase<'a> {
    /// Remembers a part of a step; whether a piece of some history began in it.
    pub(super) fn remember(
        &mut self,
        machinery: &mut Machinery<'a>,
        settings: &PhaseSettings,
        integrator: &mut Integrator<'_, ModeOde<'a>>,
        (from, to): (f64, f64),
    ) -> Result<bool, NoPhase> {
        let prepared = machinery.prepared;
        let delays = &prepared.delays.all;
        let mut has_begun = false;
        let mut pending = if delays.is_empty() || to <= from { Vec::new() } else { vec![(from, to, 0, f64::INFINITY)] };
        while let Some((from, to, halvings, error_before)) = pending.pop() {
            let mut values = vec![[f64::NAN; POINTS]; delays.len()];
            for (number, place) in PLACES.into_iter().enumerate() {
                let time = if place < 1.0 { from + 0.5 * (to - from) * (place + 1.0) } else { to };
                self.move_to(machinery, integrator, time)?;
                let buffers = &mut machinery.memory.buffers.delayed;
                let now = prepared.delays.values(prepared, buffers, &self.present);
                values.iter_mut().zip(now).for_each(|(values, &now)| values[number] = now);
            }
            let middle = from + 0.5 * (to - from);
            if halvings < MOST_HALVINGS && from < middle && middle < to {
                self.move_to(machinery, integrator, middle)?;
                let buffers = &mut machinery.memory.buffers.delayed;
                let now = prepared.delays.values(prepared, buffers, &self.present);
                let rounding = ROUNDING * self.present.jet.iter().fold(0.0, |largest: f64, it| largest.max(it.abs()));
                let error = |((delay, values), &now): ((&Delay, &[f64; POINTS]), &f64)| {
                    let off = (Polynomial::through(values, true).derivative(0.0, 0) - now).abs();
                    let size = delay.history.size().max(now.abs());
                    if off > rounding { off / (settings.tolerance * size) } else { 0.0 }
                };
                let error = delays.iter().zip(&values).zip(now).map(error).fold(0.0, f64::max);
                let is_put_together = error < PUT_TOGETHER && error > 0.25 * error_before;
                if error > SHARE && !is_put_together {
                    pending.extend([(middle, to, halvings + 1, error), (from, middle, halvings + 1, error)]);
                    continue;
                }
            }
            for (delay, values) in delays.iter().zip(&values) {
                has_begun |= delay.history.append((from, to), values, prepared.noise.relative);
            }
        }
        for delay in delays {
            let past = prepared.affine(delay.past, &self.present.discrete, &self.present.discrete);
            if let Some(past) = past.filter(|past| past.slope > 0.0) {
                delay.history.forget_before(past.at(from));
            }
        }
        Ok(has_begun)
    }
}
