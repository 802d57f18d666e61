//! What an event costs: where the time goes from the instant that was found to the integration that goes on.
//!
//! Only benchmarks ask. Times are in no result.

use std::time::Duration;

use modeshift_modes::clock::Instant;

/// The parts of the work at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostPart {
    /// What holds after the instant: discrete values, signs of guards, the search for the next mode.
    Selection,
    /// The structure of modes that were not visited before.
    Structure,
    /// Their programs.
    Program,
    /// Right limits.
    Restart,
    /// Rows and the record of the event.
    Output,
    /// What has to be made ready before the first step: what is watched, the integrator.
    Resumption,
}

impl CostPart {
    /// All parts, in the order in which they are listed.
    pub const ALL: [CostPart; 6] = [
        CostPart::Selection,
        CostPart::Structure,
        CostPart::Program,
        CostPart::Restart,
        CostPart::Output,
        CostPart::Resumption,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CostPart::Selection => "selection",
            CostPart::Structure => "structure",
            CostPart::Program => "program",
            CostPart::Restart => "restart",
            CostPart::Output => "output",
            CostPart::Resumption => "resumption",
        }
    }
}

/// What one event cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EventCost {
    /// When the event was, in simulated time.
    pub time: f64,
    /// How many modes were entered or tried for the first time.
    pub new_modes: usize,
    /// How many structures were made for them; the others have that of the mode before.
    pub structures: usize,
    /// How many formulas and residuals were compiled for them.
    pub formulas: usize,
    /// Whether continuous values were computed anew.
    pub restarted: bool,
    parts: [Duration; 6],
}

impl EventCost {
    /// The time that a part took.
    pub fn part(&self, part: CostPart) -> Duration {
        self.parts[part as usize]
    }

    /// The same event measured twice: of each part the shorter time.
    pub fn shorter(&self, other: &EventCost) -> EventCost {
        let parts = std::array::from_fn(|part| self.parts[part].min(other.parts[part]));
        EventCost { parts, ..*self }
    }

    /// The time from the instant that was found to the integration that goes on.
    pub fn total(&self) -> Duration {
        self.parts.iter().sum()
    }
}

/// Measures events, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostMeter {
    cost: EventCost,
    /// Nothing where nobody wants to know.
    last: Option<Instant>,
}

impl CostMeter {
    /// At the start of a run, where nobody wants to know yet.
    pub fn new() -> Self {
        CostMeter { cost: EventCost { time: f64::NAN, ..EventCost::default() }, last: None }
    }

    /// Somebody wants to know, or nobody.
    pub fn turn(&mut self, is_wanted: bool) {
        self.last = is_wanted.then(Instant::now);
    }

    /// An event was found at this simulated time.
    pub fn begin(&mut self, time: f64) {
        if self.last.is_some() {
            *self = CostMeter { cost: EventCost { time, ..EventCost::default() }, last: Some(Instant::now()) };
        }
    }

    /// What was done since the last call belongs to this part.
    pub fn done(&mut self, part: CostPart) {
        if let Some(last) = &mut self.last {
            let now = Instant::now();
            self.cost.parts[part as usize] += now - *last;
            *last = now;
        }
    }

    /// A mode was made.
    pub fn count_new_mode(&mut self) {
        self.cost.new_modes += 1;
    }

    /// A structure was made.
    pub fn count_structure(&mut self) {
        self.cost.structures += 1;
    }

    /// So many formulas and residuals were compiled for a mode.
    pub fn count_formulas(&mut self, count: usize) {
        self.cost.formulas += count;
    }

    /// Continuous values were computed anew.
    pub fn count_restart(&mut self) {
        self.cost.restarted = true;
    }

    /// The cost so far.
    pub fn cost(&self) -> &EventCost {
        &self.cost
    }
}
