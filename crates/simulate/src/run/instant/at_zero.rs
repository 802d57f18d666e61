//! Left limits with what crossed exactly at zero.
//!
//! A crossing is located between two times that cannot be told apart, and at either of them the guard is some roundings from zero. As a rule
//! that is nothing. But a mode may have no values beyond its own guard: where two levels become equal, `sqrt(h2 - h1)` has none while
//! `h1 - h2` is 2e-16. The states are not known that well; those for which the guard is zero are as good.

use modeshift_dae::{Derivative, VariableId};

use crate::run::instant::Instant;
use crate::run::instant::discrete_fixpoint::MicroStep;
use crate::run::running_sizes::ROUNDING;
use crate::run::values::{Occasion, Side};

/// A guard that is linear is at zero after one correction, and after another one to rounding.
const MOST_CORRECTIONS: usize = 4;

impl<'a> Instant<'_, 'a> {
    /// The left side with states that differ by their rounding, so that what crossed is zero; nothing where that is so already, or
    /// would take more.
    pub fn with_crossed_at_zero(&mut self, step: &MicroStep<'_, 'a>) -> Option<Side<'a>> {
        if step.left.sliding.is_some() {
            return None;
        }
        let mut side = step.left.clone();
        let mut is_moved = false;
        for &atom in step.crossed {
            for _ in 0..MOST_CORRECTIONS {
                let value =
                    self.memory.buffers.atom_values(self.prepared, (&side, &side), Occasion::default(), &[])[atom].0;
                if value == 0.0 {
                    break;
                }
                let series = self.memory.series(self.prepared, atom)?;
                let shares = series.coefficients(|input| side.point(self.prepared, &side.discrete, input));
                let states = shares.filter(|&(it, share)| share != 0.0 && side.is_state(it));
                let change = |&(it, share): &(Derivative<VariableId>, f64)| (share * side.value(it.of, it.order)).abs();
                let (state, share) = states.max_by(|a, b| change(a).total_cmp(&change(b)))?;
                let place = side.mode.quantities.index(state.of, state.order)?.index();
                let correction = value / share;
                let is_rounding = correction.abs() <= ROUNDING * side.jet[place].abs();
                if !is_rounding {
                    return None;
                }
                side.jet[place] -= correction;
                is_moved = true;
            }
        }
        is_moved.then_some(side)
    }
}
