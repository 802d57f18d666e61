//! Events that follow each other ever faster, or without end at the same time.
//!
//! Impacts of a bouncing ball accumulate at a time that three of them predict (Zeno); a relay that acts against its own
//! condition chatters. Neither can be waited out: the run goes on from the limit where the model rests there (`limit`),
//! and otherwise stops and says which guard it was.
//!
//! What accumulates are events with the same guards, so two balls may bounce at once. The first impacts are known best,
//! the last ones are nearest to the limit; in between, errors of the integration add up. So there is a prediction after
//! every impact, from the mean ratio of the intervals so far, and the one counts that agreed best with the one before.
//!
//! Events are waited for as long as they can be told apart: up to where what is left of the time is rounding of the time,
//! or what happens between them is noise. How long the run is to last has no part in it. A guard that a clause has thrown back
//! and that comes again without leaving its noise is such an end too, however few events there were: a ball that keeps a
//! thousandth of its speed is on the ground after two impacts. But two intervals, of which the second happens to be shorter,
//! foretell nothing, as of a body that is lifted and pressed in turn: what is noise rests where it is, then, and no time is passed over.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use modeshift_dae::RelationId;

use crate::run::instant::event_iteration::Fired;
use crate::run::values::Side;

/// So many events in a row, in no time at all, are chattering; a cascade through some hundred elements is none.
const MOST_EVENTS: usize = 1000;
/// So many doubtful events in a row are chattering too; a few may be doubtful by chance.
const MOST_DOUBTS: usize = 5;
/// Times nearer than this, relative to the time, are no longer resolved: events are located to a few roundings, and the ratio
/// of intervals is known to a hundredth only while they are some hundred times longer.
const RESOLUTION: f64 = 4096.0 * f64::EPSILON;
/// Intervals that are shorter than this, relative to the time, are too short to begin an integration in: its first step is down
/// to a hundred-millionth of them where errors are to be small, and that must be more than rounding.
const LAST_INTERVAL: f64 = 4e8 * f64::EPSILON;

/// So many ratios of intervals that are the same make a limit certain: that takes six events.
const SAME_RATIOS: usize = 4;
/// Two are enough where the intervals have shrunk to this part: what comes by chance is not so fast.
const SHRUNK: f64 = 1e-4;
/// An event that ends in noise is one of a sequence if it comes within so many of its last intervals: noise makes them longer, by about as
/// much as they are.
const INTERVALS_OF_NOISE: f64 = 4.0;
/// Ratios that differ by less are the same; intervals are as exact as event times, whose errors the tolerance bounds.
const SAME_RATIO: f64 = 0.01;
/// Ratios above this are no sign of a limit: it would be a thousand intervals away.
const LARGEST_RATIO: f64 = 0.999;
/// So many events are remembered with their values, older ones less and less densely: three of one mode are needed, of
/// several things that bounce at once.
const REMEMBERED: usize = 24;

/// What is going on.
pub(crate) enum Accumulation<'a> {
    /// Events come to a limit.
    Limit(Limit<'a>),
    /// Events repeat at the same time.
    Chattering,
}

/// Where events lead to.
pub(crate) struct Limit<'a> {
    /// When.
    pub time: f64,
    /// Whether many intervals say so. Otherwise it may be chance, and where the model does not rest there it goes on.
    pub is_certain: bool,
    /// Whether what happens between the events is noise by now, so that the model may rest before the limit as well.
    pub is_unresolved: bool,
    /// The last events, as far as they are remembered.
    pub events: Vec<Rc<PassedEvent<'a>>>,
}

/// An event that changed something.
pub(crate) struct PassedEvent<'a> {
    atoms: Vec<RelationId>,
    /// Whether what crossed was thrown back: it is on the same side as before.
    is_thrown_back: bool,
    pub left: Side<'a>,
    pub right: Side<'a>,
}

/// The last events of a run.
pub(crate) struct RecentEvents<'a> {
    times: VecDeque<f64>,
    /// Doubtful events in a row.
    doubts: usize,
    /// Events that changed something, by the atoms that fired.
    sequences: BTreeMap<Vec<RelationId>, Sequence>,
    /// The last of them.
    passed: VecDeque<Rc<PassedEvent<'a>>>,
    /// Some that were among them.
    forgotten: Vec<Rc<PassedEvent<'a>>>,
}

impl<'a> PassedEvent<'a> {
    fn new(atoms: &[RelationId], is_thrown_back: bool, left: &Side<'a>, right: &Side<'a>) -> Self {
        PassedEvent { atoms: atoms.to_vec(), is_thrown_back, left: left.clone(), right: right.clone() }
    }

    fn become_like(&mut self, atoms: &[RelationId], is_thrown_back: bool, left: &Side<'a>, right: &Side<'a>) {
        self.atoms.clear();
        self.atoms.extend_from_slice(atoms);
        self.is_thrown_back = is_thrown_back;
        self.left.become_like(left);
        self.right.become_like(right);
    }
}

impl<'a> RecentEvents<'a> {
    /// None yet.
    pub fn new() -> Self {
        RecentEvents {
            times: VecDeque::with_capacity(MOST_EVENTS + 1),
            doubts: 0,
            sequences: BTreeMap::new(),
            passed: VecDeque::new(),
            forgotten: Vec::new(),
        }
    }

    /// One more event, about to be looked at; what the last ones amount to, if they are too many. An event is doubtful if
    /// its guard stayed within noise since the last one: from there on, impacts can no longer be told apart.
    pub fn add(&mut self, time: f64, fired: &Fired) -> Option<Accumulation<'a>> {
        self.doubts = if fired.is_doubtful { self.doubts + 1 } else { 0 };
        let repeats = self.repeats(time);
        let limit = |time, is_certain, is_unresolved| {
            let same = self.passed.iter().filter(|event| event.atoms == fired.atoms);
            Accumulation::Limit(Limit { time, is_certain, is_unresolved, events: same.cloned().collect() })
        };
        // What could not rest so often in no time does not.
        if repeats {
            return Some(Accumulation::Chattering);
        }
        if let Some(best) = self.limit(time, fired) {
            return Some(limit(best.time, true, self.doubts > MOST_DOUBTS));
        }
        if self.doubts > MOST_DOUBTS {
            return Some(Accumulation::Chattering);
        }
        self.comes_again(fired).then(|| limit(time, false, true))
    }

    /// The run rests where these events have led to: they lead nowhere any more.
    pub fn has_come_to_rest(&mut self, atoms: &[RelationId]) {
        self.sequences.remove(atoms);
    }

    /// Whether one more event may be too many, without one that is doubtful.
    pub fn may_accumulate(&self, time: f64, fired: &Fired) -> bool {
        let first = self.times.front().filter(|_| self.times.len() >= MOST_EVENTS);
        let repeats = first.is_some_and(|first| time - first <= RESOLUTION * time.abs());
        repeats || self.comes_again(fired) || self.limit(time, fired).is_some()
    }

    /// An instant as the last of events that accumulate there.
    pub fn limit_at(&self, left: &Side<'a>, right: &Side<'a>, atoms: &[RelationId]) -> Limit<'a> {
        let same = self.passed.iter().filter(|event| event.atoms == atoms).cloned();
        let last = Rc::new(PassedEvent::new(atoms, false, left, right));
        Limit { time: left.time, is_certain: true, is_unresolved: true, events: same.chain([last]).collect() }
    }

    /// Whether what was thrown back comes again and was noise all the time.
    pub fn comes_again(&self, fired: &Fired) -> bool {
        let has_all = |event: &&Rc<PassedEvent<'a>>| fired.atoms.iter().all(|atom| event.atoms.contains(atom));
        let is_same = || self.passed.iter().rev().find(has_all).is_some_and(|event| event.is_thrown_back);
        fired.is_doubtful && !fired.atoms.is_empty() && is_same()
    }

    /// An event that is not one too many is passed.
    pub fn pass(&mut self, time: f64) {
        self.doubts = 0;
        self.repeats(time);
    }

    fn limit(&self, time: f64, fired: &Fired) -> Option<Prediction> {
        let sequence = self.sequences.get(&fired.atoms).filter(|it| it.is_certain)?;
        let is_short = |length: f64| length < LAST_INTERVAL * time.abs();
        let is_near = |best: &Prediction| {
            // A limit that has passed was none: intervals of a rectifier shrink while it comes to its period. Nor has one that comes long
            // after the shortest of them to do with it: a body that rested may be thrown again.
            let follows = || sequence.last_time.is_some_and(|last| is_short(time - last));
            let is_fast = sequence.interval.is_some_and(is_short) && follows();
            is_fast || is_short((best.time - time).abs())
        };
        let ends = |best: &Prediction| is_near(best) || fired.is_doubtful && sequence.goes_on_with(time, best.time);
        sequence.best.filter(ends)
    }

    /// Whether too many events came in no time, this one included.
    fn repeats(&mut self, time: f64) -> bool {
        self.times.push_back(time);
        let first = if self.times.len() > MOST_EVENTS { self.times.pop_front() } else { None };
        first.is_some_and(|first| time - first <= RESOLUTION * time.abs())
    }

    /// The event added last changed something.
    pub fn was_visible(&mut self, (left, right): (&Side<'a>, &Side<'a>), atoms: &[RelationId], is_thrown_back: bool) {
        if atoms.is_empty() {
            return;
        }
        match self.sequences.get_mut(atoms) {
            Some(sequence) => sequence.push(left.time),
            None => self.sequences.entry(atoms.to_vec()).or_default().push(left.time),
        }
        let mut event =
            self.forgotten.pop().unwrap_or_else(|| Rc::new(PassedEvent::new(atoms, is_thrown_back, left, right)));
        match Rc::get_mut(&mut event) {
            Some(event) => event.become_like(atoms, is_thrown_back, left, right),
            None => event = Rc::new(PassedEvent::new(atoms, is_thrown_back, left, right)),
        }
        self.passed.push_back(event);
        if self.passed.len() > REMEMBERED {
            self.thin_out();
        }
    }

    /// Forgets every second event of the older ones; what they were kept in is used again.
    fn thin_out(&mut self) {
        let older = 2 * REMEMBERED / 3;
        for at in (0..older / 2).rev() {
            self.forgotten.extend(self.passed.remove(2 * at + 1));
        }
    }
}

/// Times of events at which the same atoms fired.
#[derive(Default)]
struct Sequence {
    last_time: Option<f64>,
    /// The last interval.
    interval: Option<f64>,
    /// Intervals that shrink by the same ratio, the last one among them.
    run: Option<Run>,
    /// Where the last three events, or more, lead to.
    prediction: Option<Prediction>,
    /// The prediction that agreed best with the one before.
    best: Option<Prediction>,
    /// Whether there was a long run.
    is_certain: bool,
}

/// Intervals that shrink by the same ratio.
#[derive(Clone, Copy)]
struct Run {
    first_interval: f64,
    ratio_count: usize,
    /// Their mean.
    ratio: f64,
}

/// Where events lead to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Prediction {
    time: f64,
    /// How much it differs from the one before.
    change: f64,
}

impl Sequence {
    /// Whether an event that is not one of them yet comes about when they make one expect, before the limit or hardly after it.
    fn goes_on_with(&self, time: f64, limit: f64) -> bool {
        let is_expected = |(last, interval): (f64, f64)| {
            let late = INTERVALS_OF_NOISE * interval;
            time - last <= late && time - limit <= late
        };
        self.last_time.zip(self.interval).is_some_and(is_expected)
    }

    fn push(&mut self, time: f64) {
        let interval = self.last_time.replace(time).map(|last| time - last);
        let (before, interval) = (std::mem::replace(&mut self.interval, interval), interval);
        let (Some(before), Some(interval)) = (before, interval) else { return };
        let ratio = interval / before;
        if !(ratio > 0.0 && ratio < LARGEST_RATIO) {
            *self = Sequence { last_time: self.last_time, interval: self.interval, ..Sequence::default() };
            return;
        }
        let same = self.run.filter(|run| (ratio / run.ratio - 1.0).abs() < SAME_RATIO);
        let run = match same {
            Some(Run { first_interval, ratio_count, .. }) => {
                let ratio_count = ratio_count + 1;
                Run { first_interval, ratio_count, ratio: (interval / first_interval).powf(1.0 / ratio_count as f64) }
            }
            None => Run { first_interval: before, ratio_count: 1, ratio },
        };
        self.run = Some(run);
        let is_fast = run.ratio_count >= 2 && interval < SHRUNK * run.first_interval;
        self.is_certain |= run.ratio_count >= SAME_RATIOS || is_fast;
        let limit = time + interval * run.ratio / (1.0 - run.ratio);
        let change = self.prediction.map_or(f64::INFINITY, |last| (limit - last.time).abs());
        let prediction = Prediction { time: limit, change };
        if self.best.is_none_or(|best| change < best.change || best.time < time) {
            self.best = Some(prediction);
        }
        self.prediction = Some(prediction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_that_loses_a_tenth_of_its_speed_comes_to_rest_after_finite_time() {
        // From height 1, g = 9.81, e = 0.9: rest at sqrt(2/g) (1 + e)/(1 - e).
        let fall = (2.0_f64 / 9.81).sqrt();
        let (mut time, mut sequence) = (fall, Sequence::default());
        for impact in 1..=153 {
            sequence.push(time);
            time += 2.0 * fall * 0.9_f64.powi(impact);
        }
        let best = sequence.best.expect("intervals shrink");
        assert!((best.time - 8.578949178728887).abs() < 1e-13 && sequence.is_certain, "{best:?}");
    }

    #[test]
    fn noise_of_the_last_impacts_does_not_spoil_the_limit() {
        let mut sequence = Sequence::default();
        let (mut time, mut gap, mut noise) = (0.0, 1.0, 1e-7);
        for _ in 0..20 {
            time += gap + noise;
            gap *= 0.5;
            noise = -noise;
            sequence.push(time);
        }
        let best = sequence.best.expect("intervals shrink");
        assert!((best.time - 2.0).abs() < 1e-6, "{best:?}");
    }

    #[test]
    fn a_doubtful_event_ends_what_many_intervals_say_and_nothing_that_comes_late() {
        let doubtful = Fired { is_doubtful: true, ..Fired::default() };
        let ends = |intervals: &[f64], until_event: f64| {
            let (mut recent, mut sequence, mut time) = (RecentEvents::new(), Sequence::default(), 0.0);
            for interval in [0.0].iter().chain(intervals) {
                time += interval;
                sequence.push(time);
            }
            recent.sequences.insert(Vec::new(), sequence);
            recent.limit(time + until_event, &doubtful).is_some()
        };
        // Two intervals, of which one is shorter, say nothing: a body that is lifted in between.
        assert!(!ends(&[0.77, 0.58], 1e-4) && !ends(&[1.05, 1.0], 0.95));
        let halved = [1.0, 0.5, 0.25, 0.125, 0.0625];
        assert!(ends(&halved, 0.03) && ends(&halved, 0.07) && !ends(&halved, 1.0));
    }

    #[test]
    fn a_limit_that_has_passed_was_none() {
        let mut recent = RecentEvents::new();
        let mut sequence = Sequence::default();
        let mut time = 0.0;
        for interval in [1.0, 0.99, 0.9801, 0.9703, 0.9606, 0.951] {
            time += interval;
            sequence.push(time);
        }
        assert!(sequence.is_certain, "intervals have shrunk by the same ratio");
        let limit = sequence.best.expect("a prediction").time;
        recent.sequences.insert(Vec::new(), sequence);
        assert!(recent.limit(limit, &Fired::default()).is_some());
        assert!(recent.limit(limit + 10.0, &Fired::default()).is_none());
    }

    #[test]
    fn events_at_the_same_time_are_chattering() {
        let mut recent = RecentEvents::new();
        let found = (0..2 * MOST_EVENTS).find_map(|_| recent.add(0.5, &Fired::default()));
        assert!(matches!(found, Some(Accumulation::Chattering)));
    }

    #[test]
    fn regular_events_do_not_accumulate() {
        let mut recent = RecentEvents::new();
        assert!((0..10_000).all(|k| recent.add(f64::from(k) * 1e-4, &Fired::default()).is_none()));
        let mut sequence = Sequence::default();
        (0..100).for_each(|k| sequence.push(f64::from(k) * 1e-4));
        assert!(sequence.best.is_none());
    }
}
