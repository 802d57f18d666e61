//! One event of a run: from which mode to which, why, what jumped and what was impulsive; and the log of all, as JSON.
//!
//! The log has one event per line. Modes are written in full, except in models with more than a few hundred mode
//! variables, where those that change say more.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use modeshift_dae::{Id, Mode, ModeVariableId};
use serde_json::{Map, Value, json};

use super::columns::Columns;
use super::observer::{Observer, Progress};
use super::stored::{Storage, Stored};

/// With more mode variables than this, only those that change are written.
const MOST_MODE_VARIABLES: usize = 256;

/// A variable whose left and right limits differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    /// Its name.
    pub variable: Arc<str>,
    /// The left limit; [`super::ABSENT`] where it did not exist before.
    pub left: f64,
    /// The right limit; [`super::ABSENT`] where it does not exist any more.
    pub right: f64,
}

/// A variable that is impulsive at the event, with its weight of one order.
#[derive(Clone, Debug, PartialEq)]
pub struct Impulse {
    /// Its name.
    pub variable: Arc<str>,
    /// The order, a decimal or rational number: 1 for a Dirac impulse, 2 for its derivative, and so on.
    pub order: String,
    /// The weight that belongs to this order: for order 1, the area of the impulse. Not a number where none is defined.
    pub weight: f64,
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRecord {
    /// When.
    pub time: f64,
    /// The mode before.
    pub from: Mode,
    /// The mode after. May equal `from` where only a `when` fired.
    pub to: Mode,
    /// The conditions that changed, in the words of the model: `time >= t1`, `not x > 0`.
    pub cause: Vec<String>,
    /// The modes passed through at this instant, as predicates; empty for a change in one step.
    pub cascade: Vec<String>,
    /// The conditions that the run slides along from now on, in the words of the model; empty in a mode of the model.
    pub sliding: Vec<String>,
    /// The variables that jumped, in declaration order.
    pub jumps: Vec<Jump>,
    /// The variables that are impulsive, in declaration order.
    pub impulses: Vec<Impulse>,
    /// The variables that the mode after leaves undetermined, until the next event at least.
    pub undetermined: Vec<Arc<str>>,
}

impl EventRecord {
    /// The mode variables that change.
    pub fn changed(&self) -> impl Iterator<Item = ModeVariableId> + '_ {
        self.from.differing(&self.to)
    }
}

/// An event as JSON, given the names of the mode variables and the time until which what its mode leaves open stays so.
pub fn event_to_json(event: &EventRecord, mode_variables: &[Arc<str>], until: f64) -> Value {
    let shown: Vec<ModeVariableId> = match mode_variables.len() {
        ..=MOST_MODE_VARIABLES => (0..mode_variables.len()).map(ModeVariableId::from_index).collect(),
        _ => event.changed().collect(),
    };
    let mode = |mode: &Mode| -> Map<String, Value> {
        shown.iter().map(|&id| (mode_variables[id.index()].to_string(), mode[id].into())).collect()
    };
    // JSON has no NaN: what does not exist is null.
    let jumps = event.jumps.iter().map(|it| json!({"variable": *it.variable, "left": it.left, "right": it.right}));
    let impulses =
        event.impulses.iter().map(|it| json!({"variable": *it.variable, "order": it.order, "weight": it.weight}));
    let mut written = json!({
        "time": event.time,
        "from": mode(&event.from),
        "to": mode(&event.to),
        "cause": event.cause,
        "cascade": event.cascade,
        "jumps": jumps.collect::<Vec<_>>(),
        "impulses": impulses.collect::<Vec<_>>(),
    });
    if !event.sliding.is_empty() {
        written["sliding"] = event.sliding.clone().into();
    }
    if !event.undetermined.is_empty() {
        let list = event.undetermined.iter().map(|name| json!({"variable": **name, "until": until}));
        written["undetermined"] = list.collect();
    }
    written
}

/// The event log as a JSON file on its way.
pub struct EventFile<'a> {
    stored: Stored<'a>,
    mode_variables: Vec<Arc<str>>,
    count: usize,
    /// An event after which something is undetermined: it is written when it is known until when.
    open: Option<EventRecord>,
    /// The time of the last row.
    time: f64,
}

/// What ends the log, overwritten by the next event.
const TAIL: &[u8] = b"\n]\n";

impl<'a> EventFile<'a> {
    /// Writes to an empty storage.
    pub fn new(storage: Box<dyn Storage + 'a>) -> Self {
        EventFile { stored: Stored::new(storage), mode_variables: Vec::new(), count: 0, open: None, time: f64::NAN }
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(open) = self.open.take() {
            self.write(&open);
        }
        self.stored.write(TAIL, &[]);
        self.stored.outcome()
    }
}

impl EventFile<'_> {
    fn write(&mut self, event: &EventRecord) {
        let text = event_to_json(event, &self.mode_variables, self.time).to_string();
        let separator: &[u8] = if self.count == 0 { b"\n" } else { b",\n" };
        self.count += 1;
        self.stored.pending().extend_from_slice(separator);
        self.stored.pending().extend_from_slice(text.as_bytes());
        if self.stored.is_due() {
            self.stored.write(TAIL, &[]);
        }
    }
}

impl Observer for EventFile<'_> {
    fn columns(&mut self, columns: &Columns) {
        self.mode_variables.clone_from(&columns.mode_variables);
        self.stored.pending().push(b'[');
        self.stored.write(TAIL, &[]);
    }

    fn row(&mut self, time: f64, _: &[f64]) {
        self.time = time;
    }

    fn event(&mut self, event: &EventRecord) {
        self.time = event.time;
        if let Some(open) = self.open.take() {
            self.write(&open);
        }
        match event.undetermined.is_empty() {
            true => self.write(event),
            false => self.open = Some(event.clone()),
        }
    }

    fn progress(&mut self, _: Progress<'_>) -> ControlFlow<()> {
        if self.stored.has_failed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
