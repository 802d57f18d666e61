//! The periodic steady state of a model that is driven with a period: start values from which a period leads back to them.
//!
//! | file | purpose |
//! |---|---|
//! | [`shooting`] | the iteration on the states at the beginning of a period |
//! | [`eigenvalues`] | the Floquet multipliers |
//!
//! A period of a run is a map of the states, events and all, and the steady state is its fixed point: `P(x) = x`. The map is computed
//! by running; its derivatives by runs from states that differ a little (they contain what events do to differences of solutions), and
//! then from iteration to iteration by what each period shows (Broyden). A model that is driven with a period is the same in the
//! next one, so all of that is one run, in which the states are moved where a period begins. The last period is the result.
//!
//! The eigenvalues of the derivative of the map are the Floquet multipliers: what is left of a disturbance after a period.

mod eigenvalues;
mod shooting;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};

use crate::results::{Columns, EventCost, EventRecord, Observer, Progress};
use crate::run::start::Start;
use crate::run::{RunModel, RunSettings, RunSummary, conduct};
pub use shooting::NoPeriod;
use shooting::Shooting;

/// A periodic solution.
#[derive(Clone, Debug, PartialEq)]
pub struct PeriodicState {
    /// The period.
    pub period: f64,
    /// When the period begins that is the result.
    pub from: f64,
    /// The states there, right after the events of that instant: `x`, `der(x)`.
    pub states: Vec<(String, f64)>,
    /// The Floquet multipliers, as real and imaginary parts, the largest first.
    pub multipliers: Vec<(f64, f64)>,
    /// How many periods were simulated, the result included.
    pub periods: usize,
    /// How far a period leads from the start values, as a share of the sizes of the states.
    pub residual: f64,
}

/// Finds the periodic solution of a model that is driven with a period, and runs one period of it, which is all that the observer sees.
/// Nothing where there is no start, or no periodic solution was found: `diagnostics` say why.
pub fn run_periodic(
    model: &RunModel<'_>,
    settings: &RunSettings,
    period: f64,
    observer: &mut dyn Observer,
    diagnostics: &mut Diagnostics,
) -> Option<(RunSummary, PeriodicState)> {
    if !(period > 0.0 && period.is_finite()) {
        diagnostics.push(Diagnostic::error(Code::E0810, format!("the period {period} is not a positive time")));
        return None;
    }
    let stop = settings.start + period * (shooting::MOST_PERIODS + 2) as f64;
    let settings = RunSettings { stop, interval: settings.interval.min(period), ..settings.clone() };
    let start = Start::find(model, &settings, diagnostics)?;
    let is_open = Rc::new(Cell::new(false));
    let mut shooting = Shooting::new(&start.prepared.dae.model, (settings.start, period), is_open.clone());
    let mut gate = Gate { observer, is_open, rows: 0, events: 0 };
    let summary = conduct(&start, &mut shooting, &mut gate, diagnostics)?;
    let (rows, events) = (gate.rows, gate.events);
    match shooting.finish() {
        Ok(state) => Some((RunSummary { rows, events, ..summary }, state)),
        // A run that failed has said why.
        Err(_) if diagnostics.has_errors() => None,
        Err(reason) => {
            diagnostics.push(reason.diagnostic(period));
            None
        }
    }
}

/// Lets an observer see the last period only.
struct Gate<'o> {
    observer: &'o mut dyn Observer,
    is_open: Rc<Cell<bool>>,
    rows: usize,
    events: usize,
}

impl Observer for Gate<'_> {
    fn columns(&mut self, columns: &Columns) {
        self.observer.columns(columns);
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        if self.is_open.get() {
            self.rows += 1;
            self.observer.row(time, values);
        }
    }

    fn event(&mut self, event: &EventRecord) {
        if self.is_open.get() {
            self.events += 1;
            self.observer.event(event);
        }
    }

    fn wants_costs(&self) -> bool {
        self.observer.wants_costs()
    }

    fn cost(&mut self, cost: &EventCost) {
        self.observer.cost(cost);
    }

    fn progress(&mut self, progress: Progress<'_>) -> ControlFlow<()> {
        self.observer.progress(progress)
    }
}
