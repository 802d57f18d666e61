//! Integrations that are over soon, one after the other: a ball that bounces.
//!
//! Backward differentiation begins at order one, in short steps, which pays where an integration goes on for long. Where the last one
//! of a small problem lasted only as long as its fastest states need to change some times, the next one is by the explicit method, whose
//! first step is as good as its last. The Jacobian there says how fast they are. An integration that turns out to be longer is gone on with
//! by backward differentiation.

use std::cell::Cell;

use modeshift_numerics::Pattern;

use super::exact::balanced_norm;
use super::{Method, Ode, Problem};

/// Of at most so many states: of more, the Jacobian costs more than steps.
const MOST_STATES: usize = 16;
/// An integration is brief that lasts at most so many times as long as its fastest states take, where explicit steps are as long as
/// their errors allow, and not so long that nothing changes: then all methods are exact.
const BRIEF: std::ops::RangeInclusive<f64> = 1e-6..=20.0;
/// So many explicit steps at most.
pub(super) const MOST_STEPS: usize = 60;

/// How a problem is integrated where that is left open.
pub(super) struct Choice {
    /// How long the last integration lasted, or lasts so far.
    lasted: Cell<f64>,
    is_explicit: Cell<bool>,
}

impl Choice {
    pub(super) fn new() -> Self {
        Choice { lasted: Cell::new(f64::INFINITY), is_explicit: Cell::new(false) }
    }

    /// The integration has lasted so long.
    pub(super) fn follow(&self, length: f64) {
        self.lasted.set(length);
    }

    /// The method of the present integration.
    pub(super) fn method(&self, wanted: Method) -> Method {
        if wanted == Method::Auto && self.is_explicit.get() { Method::Explicit } else { wanted }
    }

    /// Whether the explicit method was chosen.
    pub(super) fn is_explicit(&self) -> bool {
        self.is_explicit.get()
    }

    /// The present integration is not brief.
    pub(super) fn go_on(&self) {
        self.is_explicit.set(false);
    }
}

impl<System: Ode> Problem<System> {
    /// Chooses how an integration from a point is made, by how long the last one was.
    pub(super) fn choose(&self, time: f64, state: &[f64]) {
        let choice = &self.choice;
        let lasted = choice.lasted.replace(f64::INFINITY);
        let may_be = self.settings().method == Method::Auto && self.is_known() && !self.is_at_last_level();
        let is_brief = may_be
            && (1..=MOST_STATES).contains(&state.len())
            && lasted.is_finite()
            && self.system().flow().is_none()
            && self.speed(time, state).is_some_and(|speed| BRIEF.contains(&(speed * lasted)));
        choice.is_explicit.set(is_brief);
    }

    /// How fast its states are.
    fn speed(&self, time: f64, state: &[f64]) -> Option<f64> {
        self.evaluations().with_jacobian(time, state, |pattern, entries| {
            let rows = |pattern: &Pattern| -> Vec<Vec<(u32, f64)>> {
                let row =
                    |row| pattern.row_entries(entries, row).map(|(column, value)| (column as u32, value)).collect();
                (0..state.len()).map(row).collect()
            };
            let rows = pattern.map_or_else(|| rows(&Pattern::dense(state.len(), state.len())), rows);
            balanced_norm(&rows).0
        })
    }
}
