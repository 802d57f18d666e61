//! The explicit method of Tsitouras: every slope follows from those before it.

use super::Ode;
use super::evaluations::Evaluations;
use super::runge_kutta::{Allowed, Attempt, Stages};
use super::tableau::{TSITOURAS, Tableau};

/// Nothing is to be remembered.
pub(super) struct Explicit;

impl Stages<7> for Explicit {
    const TABLEAU: &'static Tableau<7> = &TSITOURAS;

    fn find<System: Ode>(&mut self, evaluations: &Evaluations<System>, attempt: Attempt<'_>, _: &Allowed) -> bool {
        (1..7).all(|stage| {
            attempt.step.lead(&TSITOURAS.a[stage][..stage], attempt.state);
            let time = attempt.time(TSITOURAS.c[stage]);
            evaluations.derivative(time, attempt.state, attempt.step.slope_mut(stage))
        })
    }
}
