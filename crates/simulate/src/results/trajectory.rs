//! All rows and events of a run in memory, for plots, tests and whoever calls this as a library.

use std::sync::Arc;

use super::columns::Columns;
use super::events::EventRecord;
use super::observer::{Observer, is_absent};

/// The whole result.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    columns: Arc<Columns>,
    times: Vec<f64>,
    values: Vec<f64>, // row after row
    events: Vec<EventRecord>,
}

impl Trajectory {
    /// Which values the rows have.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The times of the rows; the time of an event stands there twice.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The values of a row, in the order of the columns.
    pub fn row(&self, row: usize) -> &[f64] {
        let width = self.columns.len();
        &self.values[row * width..(row + 1) * width]
    }

    /// All values of a column.
    pub fn column(&self, column: usize) -> impl ExactSizeIterator<Item = f64> + '_ {
        (0..self.times.len()).map(move |row| self.row(row)[column])
    }

    /// All values of the column of this name.
    pub fn named(&self, name: &str) -> Option<Vec<f64>> {
        Some(self.column(self.columns.position(name)?).collect())
    }

    /// The value of a variable in the last row, where it exists.
    pub fn last(&self, name: &str) -> Option<f64> {
        let value = self.row(self.times.len().checked_sub(1)?)[self.columns.position(name)?];
        (!is_absent(value)).then_some(value)
    }

    /// Tells an observer all of it, as the run did.
    pub fn tell(&self, observer: &mut dyn Observer) {
        observer.columns(&self.columns);
        let mut events = self.events.iter().peekable();
        for (row, &time) in self.times.iter().enumerate() {
            // The right limit of an event is the second row at its time, or the first row of all.
            let is_second = row == 0 || self.times[row - 1] == time;
            while let Some(event) = events.next_if(|event| is_second && event.time <= time) {
                observer.event(event);
            }
            observer.row(time, self.row(row));
        }
    }

    /// The events.
    pub fn events(&self) -> &[EventRecord] {
        &self.events
    }
}

impl Observer for Trajectory {
    fn columns(&mut self, columns: &Columns) {
        *self = Trajectory { columns: Arc::new(columns.clone()), ..Trajectory::default() };
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        assert_eq!(values.len(), self.columns.len(), "a row has one value per column");
        self.times.push(time);
        self.values.extend_from_slice(values);
    }

    fn event(&mut self, event: &EventRecord) {
        self.events.push(event.clone());
    }
}
