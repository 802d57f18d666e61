//! Which guard caused how many events: what one looks at when a run takes long.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::columns::is_of_inputs;
use super::events::EventRecord;
use super::observer::Observer;

/// Counts of a run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    rows: usize,
    events: usize,
    changes: usize,
    impulsive: usize,
    causes: FxHashMap<String, usize>,
    span: Option<(f64, f64)>,
}

impl Tally {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many events there were.
    pub fn events(&self) -> usize {
        self.events
    }

    /// How many of the events changed the mode.
    pub fn mode_changes(&self) -> usize {
        self.changes
    }

    /// How many of the events had impulses.
    pub fn impulsive(&self) -> usize {
        self.impulsive
    }

    /// The times of the first and the last row.
    pub fn span(&self) -> Option<(f64, f64)> {
        self.span
    }

    /// Guards with the number of events they caused, most first.
    pub fn ranking(&self) -> Vec<(&str, usize)> {
        let told = self.causes.iter().filter(|(guard, _)| !is_of_inputs(guard));
        let mut ranking: Vec<(&str, usize)> = told.map(|(guard, &count)| (&**guard, count)).collect();
        ranking.sort_by(|(guard, count), (other, other_count)| other_count.cmp(count).then(guard.cmp(other)));
        ranking
    }

    /// The ranking as a table of at most so many lines; empty without events.
    pub fn table(&self, most: usize) -> String {
        let ranking = self.ranking();
        let Some(&(_, largest)) = ranking.first() else { return String::new() };
        let width = "events".len().max(largest.to_string().len());
        let mut table = format!("  {:>width$}  guard\n", "events");
        for (guard, count) in ranking.iter().take(most) {
            writeln!(table, "  {count:>width$}  {guard}").expect("a text can be written to");
        }
        if ranking.len() > most {
            let rest: usize = ranking[most..].iter().map(|(_, count)| count).sum();
            let others = ranking.len() - most;
            let guards = if others == 1 { "guard" } else { "guards" };
            writeln!(table, "  {rest:>width$}  {others} other {guards}").expect("a text can be written to");
        }
        table
    }
}

impl Observer for Tally {
    fn row(&mut self, time: f64, _: &[f64]) {
        self.rows += 1;
        let start = self.span.map_or(time, |(start, _)| start);
        self.span = Some((start, time));
    }

    fn event(&mut self, event: &EventRecord) {
        self.events += 1;
        self.changes += usize::from(event.from != event.to);
        self.impulsive += usize::from(!event.impulses.is_empty());
        for cause in &event.cause {
            match self.causes.get_mut(cause) {
                Some(count) => *count += 1,
                None => drop(self.causes.insert(cause.clone(), 1)),
            }
        }
    }
}
