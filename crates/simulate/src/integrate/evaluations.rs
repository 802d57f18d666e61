//! Evaluations of an [`Ode`] by methods that know no failures: counted, checked, and what went wrong is kept.
//!
//! The system is behind a `RefCell`, since methods evaluate through shared references. States that are not numbers, or so
//! large that their squares would overflow, are not passed on.

use std::cell::{Cell, RefCell, RefMut};

use modeshift_numerics::Pattern;

use super::{EvaluationFailed, Ode};

/// States larger than this are out of bounds.
const LARGEST: f64 = 1e150;

/// A system, and what became of its evaluations.
pub(super) struct Evaluations<System> {
    system: RefCell<System>,
    pub size: usize,
    /// The entries of the last Jacobian, row by row.
    entries: RefCell<Vec<f64>>,
    failure: RefCell<Option<EvaluationFailed>>,
    derivative_count: Cell<usize>,
    jacobian_count: Cell<usize>,
}

impl<System: Ode> Evaluations<System> {
    pub(super) fn new(system: System) -> Self {
        let size = system.size();
        let entry_count = system.jacobian_pattern().map_or(size * size, Pattern::entry_count);
        Evaluations {
            system: RefCell::new(system),
            size,
            entries: RefCell::new(vec![0.0; entry_count]),
            failure: RefCell::new(None),
            derivative_count: Cell::new(0),
            jacobian_count: Cell::new(0),
        }
    }

    pub(super) fn system(&self) -> RefMut<'_, System> {
        self.system.borrow_mut()
    }

    /// The last failure since this was asked before.
    pub(super) fn take_failure(&self) -> Option<EvaluationFailed> {
        self.failure.take()
    }

    /// How often `f` and its Jacobian were evaluated so far.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.derivative_count.get(), self.jacobian_count.get())
    }

    /// Evaluates `f`; false, and nothing to go on with, where it has no value.
    pub(super) fn derivative(&self, time: f64, state: &[f64], derivative: &mut [f64]) -> bool {
        in_bounds(state) && {
            self.derivative_count.set(self.derivative_count.get() + 1);
            let result = self.system.borrow_mut().derivative(time, state, derivative);
            self.note(result.and_then(|()| finite(time, derivative)))
        }
    }

    /// Evaluates the Jacobian and looks at its entries, in the order of its pattern, or row by row where it has none;
    /// nothing where it has no value.
    pub(super) fn with_jacobian<R>(
        &self,
        time: f64,
        state: &[f64],
        look: impl FnOnce(Option<&Pattern>, &[f64]) -> R,
    ) -> Option<R> {
        let mut entries = self.entries.borrow_mut();
        let mut system = self.system.borrow_mut();
        system.jacobian(time, state, &mut entries).ok()?;
        entries.iter().all(|entry| entry.is_finite()).then(|| look(system.jacobian_pattern(), &entries))
    }

    /// Evaluates the Jacobian for a Newton iteration. Where it has no value it counts as zero: the iteration may still
    /// converge, and where it does, the step is as good as with any Jacobian.
    pub(super) fn newton_jacobian(&self, time: f64, state: &[f64], look: impl FnOnce(&[f64])) {
        let mut entries = self.entries.borrow_mut();
        self.jacobian_count.set(self.jacobian_count.get() + 1);
        let result = self.system.borrow_mut().jacobian(time, state, &mut entries);
        if !self.note(result.and_then(|()| finite(time, &entries))) {
            entries.fill(0.0);
        }
        look(&entries);
    }

    /// Keeps the failure, if it is one.
    fn note(&self, result: Result<(), EvaluationFailed>) -> bool {
        result.map_err(|failed| self.failure.replace(Some(failed))).is_ok()
    }
}

/// Whether a state can be computed with.
pub(super) fn in_bounds(state: &[f64]) -> bool {
    all(state, |value| value.abs() <= LARGEST)
}

fn finite(time: f64, values: &[f64]) -> Result<(), EvaluationFailed> {
    match all(values, f64::is_finite) {
        true => Ok(()),
        false => Err(EvaluationFailed::new(format!("not a finite number at time {time}"))),
    }
}

/// Whether something holds of all numbers, several of which are looked at side by side: it nearly always does.
fn all(values: &[f64], holds: impl Fn(f64) -> bool) -> bool {
    values.iter().fold(true, |all, &value| all & holds(value))
}
