//! `ExternalCombiTimeTable`: columns of a table as functions of time, with the instants at which they jump or bend.
//!
//! Before `startTime` the value is zero; the table's own times count from `shiftTime` on. The instant of an event has two
//! sides: until the model has taken the next event time over (`nextTimeEvent` is still what it was), the value is that
//! to the left.

use std::sync::Arc;

use super::interpolation::{Curve, Extrapolation, Smoothness};
use super::table_1d::{columns, rate, value};
use super::{Given, Objects, single};
use crate::native::NativeFunction;

/// One curve for each of the columns that are used, and when something happens.
pub(crate) struct TimeTable {
    curves: Vec<Curve>,
    start: f64,
    shift: f64,
    extrapolation: Extrapolation,
    /// Times of the table at which there is an event.
    events: Vec<f64>,
    has_events: bool,
}

impl TimeTable {
    /// `(tableName, fileName, table, startTime, columns, smoothness, extrapolation, shiftTime, timeEvents, …)`
    pub fn new(given: &Given<'_>) -> Result<Self, String> {
        let rows = given.rows(2)?;
        let start = given.number(3)?;
        let (smoothness, extrapolation) = (Smoothness::of(given.number(5)?)?, Extrapolation::of(given.number(6)?)?);
        let shift = given.number(7).unwrap_or(start);
        let time_events = given.number(8).unwrap_or(1.0);
        let curves = columns(&rows, given.numbers(4)?, smoothness, extrapolation)?;
        let times: Vec<f64> = rows.iter().map(|row| row[0]).collect();
        let events = events(&times, smoothness, time_events == 1.0);
        Ok(TimeTable { curves, start, shift, extrapolation, events, has_events: time_events != 3.0 })
    }

    /// Value and derivatives at a time, to its left or to its right.
    fn at(&self, column: f64, time: f64, from_left: bool) -> Option<[f64; 3]> {
        let curve = self.curves.get((column as usize).checked_sub(1)?)?;
        if time < self.start || time == self.start && from_left {
            return Some([0.0; 3]);
        }
        Some(curve.at(time - self.shift, from_left))
    }

    /// The first event after a time.
    fn next_event(&self, time: f64) -> f64 {
        if !self.has_events {
            return f64::INFINITY;
        }
        if time < self.start {
            return self.start;
        }
        let (own, slack) = (time - self.shift, 1e-13 * time.abs().max(self.shift.abs()));
        let (Some(&first), Some(&last)) = (self.events.first(), self.events.last()) else { return f64::INFINITY };
        let period = last - first;
        if self.extrapolation == Extrapolation::Periodic && period > 0.0 {
            let laps = ((own - first + slack) / period).floor();
            let lapped = own - laps * period;
            let next = self.events.iter().find(|&&event| event > lapped + slack).copied().unwrap_or(first + period);
            return next + laps * period + self.shift;
        }
        let next = self.events.iter().find(|&&event| event > own + slack);
        next.map_or(f64::INFINITY, |event| event + self.shift)
    }
}

/// Times of jumps; of bends too where all are wanted; of steps always; and both ends, where extrapolation begins.
fn events(times: &[f64], smoothness: Smoothness, all: bool) -> Vec<f64> {
    let is_jump = |at: usize| at > 0 && times[at] == times[at - 1];
    let is_end = |at: usize| at == 0 || at + 1 == times.len();
    let is_event = |at: usize| match smoothness {
        Smoothness::Constant => true,
        Smoothness::Linear => all || is_jump(at) || is_end(at),
        _ => is_end(at),
    };
    let mut events: Vec<f64> = (0..times.len()).filter(|&at| is_event(at)).map(|at| times[at]).collect();
    events.dedup();
    events
}

/// `getValue(table, column, time, next, pre_next)`, its derivative, the next event, the first and the last time.
pub(super) fn native(method: &str, objects: &Arc<Objects>) -> Option<NativeFunction> {
    let values = objects.clone();
    let at = |objects: &Objects, inputs: &[f64]| {
        let &[table, column, time, next, before, ..] = inputs else { return None };
        let is_before = next == before && time >= next && next.is_finite();
        objects.time(table)?.at(column, time, is_before)
    };
    Some(match method {
        "getValue" => value(objects, at),
        "getDerValue" => rate(objects, 5, at),
        "nextTimeEvent" => single(move |inputs| Some(values.time(inputs[0])?.next_event(inputs[1]).min(f64::MAX))),
        "minimumTime" => single(move |inputs| Some(values.time(inputs[0])?.curves.first()?.first())),
        "maximumTime" => single(move |inputs| Some(values.time(inputs[0])?.curves.first()?.last())),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use modeshift_dae::ObjectArgument::{self, Numbers, Text};

    use super::*;

    fn table(extrapolation: f64) -> TimeTable {
        let number = |value: f64| Numbers(Vec::new(), vec![value]);
        let rows = vec![0.0, 0.0, 1.0, 1.0, 1.0, 4.0, 2.0, 4.0];
        let given: Vec<ObjectArgument> = vec![
            Text("NoName".into()),
            Text("NoName".into()),
            Numbers(vec![4, 2], rows),
            number(10.0),
            Numbers(vec![1], vec![2.0]),
            number(1.0),
            number(extrapolation),
            number(10.0),
            number(1.0),
        ];
        TimeTable::new(&Given(&given)).expect("a table")
    }

    #[test]
    fn a_time_table_is_zero_before_its_start_and_has_events_at_its_points() {
        let table = table(1.0);
        assert_eq!(table.at(1.0, 9.0, false), Some([0.0; 3]));
        assert_eq!(table.at(1.0, 10.5, false).map(|it| it[0]), Some(0.5));
        assert_eq!(table.at(1.0, 11.0, true).map(|it| it[0]), Some(1.0));
        assert_eq!(table.at(1.0, 11.0, false).map(|it| it[0]), Some(4.0));
        let events: Vec<f64> = [0.0, 10.0, 10.5, 11.0, 12.0].iter().map(|&time| table.next_event(time)).collect();
        assert_eq!(events, [10.0, 11.0, 11.0, 12.0, f64::INFINITY]);
    }

    #[test]
    fn a_periodic_table_goes_on_having_events() {
        let table = table(3.0);
        let events: Vec<f64> = [10.0, 11.0, 12.0, 12.5, 13.0].iter().map(|&time| table.next_event(time)).collect();
        assert_eq!(events, [11.0, 12.0, 13.0, 13.0, 14.0]);
        assert_eq!(table.at(1.0, 12.5, false).map(|it| it[0]), Some(0.5));
    }
}
