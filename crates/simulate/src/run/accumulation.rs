//! Events that follow each other ever faster, or without end at the same time.
//!
//! Impacts of a bouncing ball accumulate at a time that three of them predict (Zeno); a relay that acts against its own
//! condition chatters. Neither can be waited out: the run stops and says which guard it was.

use std::collections::VecDeque;

use modeshift_mode_changes::accumulation_time;

/// So many events in a row, in no time at all, are chattering.
const MOST_EVENTS: usize = 100;
/// So many doubtful events in a row are chattering too.
const MOST_DOUBTS: usize = 5;
/// No time at all, as a share of the run.
const NO_TIME: f64 = 1e-11;

/// So many intervals with the same ratio of their lengths, below this share of the run, lead to a limit.
const REGULAR_INTERVALS: usize = 5;
const SHORT: f64 = 1e-4;
/// Ratios that differ by less are the same.
const SAME_RATIO: f64 = 0.01;

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Accumulation {
    /// Events come to a limit at this time.
    Limit(f64),
    /// Events repeat at the same time.
    Chattering,
}

/// The last events of a run.
pub(super) struct RecentEvents {
    times: VecDeque<f64>,
    /// The last events at which something was to be seen.
    visible: VecDeque<f64>,
    no_time: f64,
    length: f64,
    /// Doubtful events in a row.
    doubts: usize,
}

impl RecentEvents {
    /// None yet, in a run of this length.
    pub fn new(length: f64) -> Self {
        RecentEvents {
            times: VecDeque::with_capacity(MOST_EVENTS + 1),
            visible: VecDeque::new(),
            no_time: NO_TIME * length,
            length,
            doubts: 0,
        }
    }

    /// One more event; what the last ones amount to, if they are too many. An event is doubtful if its guard stayed
    /// within noise since the last one: from there on, impacts can no longer be told apart.
    pub fn add(&mut self, time: f64, is_doubtful: bool) -> Option<Accumulation> {
        self.times.push_back(time);
        self.doubts = if is_doubtful { self.doubts + 1 } else { 0 };
        if is_doubtful && let Some(limit) = self.limit() {
            return Some(Accumulation::Limit(limit));
        }
        if self.doubts > MOST_DOUBTS {
            return Some(Accumulation::Chattering);
        }
        if let Some(limit) = self.geometric_limit() {
            return Some(Accumulation::Limit(limit));
        }
        if self.times.len() <= MOST_EVENTS {
            return None;
        }
        let first = self.times.pop_front()?;
        if time - first > self.no_time {
            return None;
        }
        Some(self.limit().map_or(Accumulation::Chattering, Accumulation::Limit))
    }

    /// The event added last was to be seen: it changed values.
    pub fn was_visible(&mut self, time: f64) {
        self.visible.push_back(time);
        if self.visible.len() > REGULAR_INTERVALS + 1 {
            self.visible.pop_front();
        }
    }

    /// Where intervals lead to that have become short and shrink by the same ratio again and again.
    fn geometric_limit(&self) -> Option<f64> {
        if self.visible.len() <= REGULAR_INTERVALS {
            return None;
        }
        let times: Vec<f64> = self.visible.iter().copied().collect();
        let intervals: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let ratios: Vec<f64> = intervals.windows(2).map(|pair| pair[1] / pair[0]).collect();
        let is_regular = ratios.iter().all(|ratio| *ratio < 0.999 && (ratio / ratios[0] - 1.0).abs() < SAME_RATIO);
        let is_short = intervals.last().is_some_and(|&last| last < SHORT * self.length);
        (is_regular && is_short).then(|| accumulation_time([3, 2, 1].map(|back| times[times.len() - back])))?
    }

    /// Where the last three events lead to. The event that is doubtful itself tells nothing.
    fn limit(&self) -> Option<f64> {
        let count = self.times.len().checked_sub(4)?;
        accumulation_time([0, 1, 2].map(|at| self.times[count + at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impacts_that_lose_a_tenth_of_their_speed_accumulate() {
        let mut recent = RecentEvents::new(20.0);
        let (mut time, mut gap, mut found) = (0.0, 1.0, None);
        while found.is_none() && gap > 1e-9 {
            time += gap;
            gap *= 0.9;
            found = recent.add(time, false);
            recent.was_visible(time);
        }
        let Some(Accumulation::Limit(limit)) = found else { panic!("{found:?}") };
        assert!((limit - 10.0).abs() < 1e-9, "{limit}");
    }

    #[test]
    fn events_at_the_same_time_are_chattering() {
        let mut recent = RecentEvents::new(1.0);
        let found = (0..2 * MOST_EVENTS).find_map(|_| recent.add(0.5, false));
        assert_eq!(found, Some(Accumulation::Chattering));
    }

    #[test]
    fn regular_events_do_not() {
        let mut recent = RecentEvents::new(1.0);
        assert!((0..10_000).all(|k| recent.add(f64::from(k) * 1e-4, false).is_none()));
    }
}
