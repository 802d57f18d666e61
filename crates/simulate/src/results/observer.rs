//! Who is told what during a run, and when.

use std::fmt::Display;
use std::ops::ControlFlow;

use super::columns::Columns;
use super::cost::EventCost;
use super::events::EventRecord;

/// The value of a variable that does not exist in the current mode: a NaN that arithmetic does not produce by itself.
pub const ABSENT: f64 = f64::from_bits(0x7ff8_0000_6d73_6162);

/// Whether a value of a row is [`ABSENT`]. Any other NaN is a value that could not be computed.
pub fn is_absent(value: f64) -> bool {
    value.to_bits() == ABSENT.to_bits()
}

/// How far a run has come.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// The simulated time.
    pub time: f64,
    /// How many events there were.
    pub events: usize,
    /// The current mode in short.
    pub mode: &'a dyn Display,
}

/// Someone who is told what happens during a run.
///
/// The columns come first, once; then rows in the order of time. At an event there are exactly two rows with the same
/// time: the left limit, then the event itself, then the right limit.
pub trait Observer {
    /// Which values the rows will have.
    fn columns(&mut self, _columns: &Columns) {}

    /// The values of all columns at a time; [`ABSENT`] where a variable does not exist.
    fn row(&mut self, _time: f64, _values: &[f64]) {}

    /// An event, between its two rows.
    fn event(&mut self, _event: &EventRecord) {}

    /// Whether it is to be measured what events cost, which costs itself.
    fn wants_costs(&self) -> bool {
        false
    }

    /// What the last event cost, when integration goes on after it; only where somebody wants to know.
    fn cost(&mut self, _cost: &EventCost) {}

    /// After every step of the integrator; an observer that breaks ends the run, with what there is.
    fn progress(&mut self, _progress: Progress<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Nobody.
impl Observer for () {}

/// Several observers, told in order. Any one of them can end the run.
impl Observer for Vec<&mut dyn Observer> {
    fn columns(&mut self, columns: &Columns) {
        self.iter_mut().for_each(|observer| observer.columns(columns));
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        self.iter_mut().for_each(|observer| observer.row(time, values));
    }

    fn event(&mut self, event: &EventRecord) {
        self.iter_mut().for_each(|observer| observer.event(event));
    }

    fn wants_costs(&self) -> bool {
        self.iter().any(|observer| observer.wants_costs())
    }

    fn cost(&mut self, cost: &EventCost) {
        self.iter_mut().for_each(|observer| observer.cost(cost));
    }

    fn progress(&mut self, progress: Progress<'_>) -> ControlFlow<()> {
        self.iter_mut().try_for_each(|observer| observer.progress(progress))
    }
}
