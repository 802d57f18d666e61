//! Limits on nodes, steps and time: how a computation that grows out of hand ends, and what it says.
//!
//! The hot operations return plain sets, not `Result`s. When a limit is exceeded the budget *trips*: from then on every
//! operation returns the empty set at once, and [`crate::ModeSpace::check`] tells which limit it was and what was being
//! computed. Stages call `check` where they would loop on, and before they hand out a result.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::clock::Instant;

/// A limit that was exceeded, and what was being computed then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Which limit.
    pub kind: LimitKind,
    /// What was being computed, for example `matching equations`; empty if no task was named.
    pub task: String,
}

/// The limits there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// More decision-diagram nodes than this would have been alive.
    Nodes(usize),
    /// Operations took more steps than this, about.
    Steps(u64),
    /// The computation took longer than this.
    Time(Duration),
    /// A diagram so deep that no stack of the needed size, in bytes, was to be had.
    Stack(usize),
}

/// How long something may take: until when, and what was allowed in all, which is what a message names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    given: Duration,
    end: Instant,
}

impl TimeLimit {
    /// This long, beginning then.
    pub fn since(start: Instant, given: Duration) -> Self {
        // What no clock can count is no limit that anybody waits for.
        let end = start.checked_add(given).unwrap_or_else(|| start + Duration::from_secs(u32::MAX.into()));
        TimeLimit { given, end }
    }

    /// This long, from now on.
    pub fn from_now(given: Duration) -> Self {
        TimeLimit::since(Instant::now(), given)
    }

    /// The limit as a kind, once it is over.
    pub fn exceeded(&self) -> Option<LimitKind> {
        (Instant::now() >= self.end).then_some(LimitKind::Time(self.given))
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            LimitKind::Nodes(nodes) => write!(formatter, "the limit of {nodes} decision-diagram nodes was reached")?,
            LimitKind::Steps(steps) => write!(formatter, "the limit of {steps} steps on sets of modes was reached")?,
            LimitKind::Time(time) => {
                write!(formatter, "the time limit of {} s was reached", time.as_secs_f64())?;
            }
            LimitKind::Stack(bytes) => write!(formatter, "a stack of {bytes} bytes could not be had")?,
        }
        if self.task.is_empty() { Ok(()) } else { write!(formatter, " while {}", self.task) }
    }
}

impl std::error::Error for Limit {}

/// Steps of an operation between two looks at the clock.
const STEPS_PER_LOOK: u32 = 4096;

/// Nodes allowed unless told otherwise: about 2 GB with their tables.
pub(crate) const DEFAULT_NODE_LIMIT: usize = 1 << 26;
/// Node numbers have 31 bits, beside the complement mark.
const MOST_NODES: usize = (1 << 31) - 1;

/// What a space may use, and whether it has used more.
#[derive(Debug)]
pub(crate) struct Budget {
    node_limit: usize,
    /// Nodes that are allowed beside these once they are released.
    held_back: usize,
    time_limit: Option<TimeLimit>,
    task: Cow<'static, str>,
    exceeded: Option<Limit>,
    steps_to_look: u32,
    /// How often so many steps were made: a measure of work that is the same on every machine.
    looks: u64,
    /// At most so many looks, and the steps that a message names.
    most_looks: Option<(u64, u64)>,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            node_limit: DEFAULT_NODE_LIMIT,
            held_back: 0,
            time_limit: None,
            task: Cow::Borrowed(""),
            exceeded: None,
            steps_to_look: STEPS_PER_LOOK,
            looks: 0,
            most_looks: None,
        }
    }
}

impl Budget {
    pub(crate) fn set_node_limit(&mut self, nodes: usize) {
        self.node_limit = nodes.min(MOST_NODES);
        self.held_back = 0;
    }

    pub(crate) fn hold_back(&mut self, nodes: usize) {
        self.held_back = nodes.min(self.node_limit);
        self.node_limit -= self.held_back;
    }

    pub(crate) fn release(&mut self) {
        self.node_limit += std::mem::take(&mut self.held_back);
    }

    pub(crate) fn set_time_limit(&mut self, limit: TimeLimit) {
        self.time_limit = Some(limit);
    }

    /// So many steps from now on, to the next look.
    pub(crate) fn set_step_limit(&mut self, steps: u64) {
        self.most_looks = Some((self.looks + steps.div_ceil(STEPS_PER_LOOK.into()), steps));
    }

    pub(crate) fn lift(&mut self) {
        let (task, looks) = (std::mem::take(&mut self.task), self.looks);
        *self = Budget { task, looks, ..Budget::default() };
    }

    /// Steps of operations so far, to the last look.
    #[inline]
    pub(crate) fn steps(&self) -> u64 {
        self.looks * u64::from(STEPS_PER_LOOK)
    }

    pub(crate) fn set_task(&mut self, task: Cow<'static, str>) {
        self.task = task;
    }

    pub(crate) fn exceeded(&self) -> Option<&Limit> {
        self.exceeded.as_ref()
    }

    pub(crate) fn trip(&mut self, kind: LimitKind) {
        if self.exceeded.is_none() {
            self.exceeded = Some(Limit { kind, task: self.task.to_string() });
        }
    }

    /// Counts one step of an operation; false once a limit is exceeded.
    #[inline]
    pub(crate) fn step(&mut self) -> bool {
        self.steps_to_look -= 1;
        self.steps_to_look > 0 || self.look()
    }

    #[cold]
    fn look(&mut self) -> bool {
        self.looks += 1;
        if let Some((looks, steps)) = self.most_looks
            && self.looks > looks
        {
            self.trip(LimitKind::Steps(steps));
        }
        self.look_at_clock()
    }

    #[cold]
    pub(crate) fn look_at_clock(&mut self) -> bool {
        self.steps_to_look = STEPS_PER_LOOK;
        if let Some(kind) = self.time_limit.as_ref().and_then(TimeLimit::exceeded) {
            self.trip(kind);
        }
        self.exceeded.is_none()
    }

    /// Whether one more node may be made beside `nodes` live ones.
    #[inline]
    pub(crate) fn allows_node(&mut self, nodes: usize) -> bool {
        if nodes < self.node_limit {
            return true;
        }
        self.trip(LimitKind::Nodes(self.node_limit));
        false
    }
}
