//! Of a run, some columns only: for results that would be too large with all.

use std::ops::ControlFlow;

use super::columns::Columns;
use super::cost::EventCost;
use super::events::EventRecord;
use super::observer::{Observer, Progress};
use super::plot::matching;

/// An observer that is told of some columns only; of events it is told everything.
pub struct Chosen<O> {
    observer: O,
    /// Names, in which `*` stands for any text; none for all columns.
    wanted: Vec<String>,
    places: Vec<usize>,
    row: Vec<f64>,
}

impl<O> Chosen<O> {
    /// Tells of the columns of these names, in which `*` stands for any text; without any, of all.
    pub fn new(observer: O, wanted: Vec<String>) -> Self {
        Chosen { observer, wanted, places: Vec::new(), row: Vec::new() }
    }

    /// Who is told.
    pub fn into_inner(self) -> O {
        self.observer
    }
}

impl<O: Observer> Observer for Chosen<O> {
    fn columns(&mut self, columns: &Columns) {
        if self.wanted.is_empty() {
            return self.observer.columns(columns);
        }
        self.places = self.wanted.iter().flat_map(|pattern| matching(pattern, columns)).collect();
        // In the order of declaration, whatever the order of the patterns.
        self.places.sort_unstable();
        self.places.dedup();
        let chosen = Columns {
            model: columns.model.clone(),
            columns: self.places.iter().map(|&at| columns.columns[at].clone()).collect(),
            mode_variables: columns.mode_variables.clone(),
            constants: columns.constants.clone(),
            existence: self.places.iter().map(|&at| columns.existence.get(at).cloned().flatten()).collect(),
        };
        self.observer.columns(&chosen);
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        if self.wanted.is_empty() {
            return self.observer.row(time, values);
        }
        self.row.clear();
        self.row.extend(self.places.iter().map(|&at| values[at]));
        self.observer.row(time, &self.row);
    }

    fn event(&mut self, event: &EventRecord) {
        self.observer.event(event);
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
