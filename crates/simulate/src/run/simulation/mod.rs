//! The run as an object that others drive: stepped to a time or to the next event, paused, resumed, with inputs that are set
//! and values that are read in between.
//!
//! A run is a deep nest of loops over borrowed data (an event inside a phase inside a mode), so it lives in a thread of its
//! own and waits there while nobody steps it; this object is the other end of two channels. That is all there is to it: the
//! loops are those of [`run`](super::run()), and a step that leads over a pause is made as if there were none, so results do
//! not depend on pauses.
//!
//! | file | purpose |
//! |---|---|
//! | [`inputs`] | values of inputs, and those that a run begins with |
//! | [`snapshot`] | where a run is, to come back to it |

pub(crate) mod inputs;
pub(crate) mod snapshot;

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use modeshift_dae::{Mode, VariableId};
use modeshift_diagnostics::{Diagnostic, Diagnostics};
use rustc_hash::FxHashMap;

use crate::results::{EventRecord, Observer};
use crate::run::linearize::{Linearization, Linearize, linearized_here};
use crate::run::output::Output;
use crate::run::start::Start;
use crate::run::values::Side;
use crate::run::{Conductor, Goal, Machinery, Next, RunEnd, RunModel, RunSettings, RunSummary, conduct};
use inputs::{InputError, inputs_of, is_value, unknown};
use snapshot::{NotThisRun, Origin, Snapshot, Told};

/// Stack for a run: what the main thread of a process usually has.
pub(super) const STACK: usize = 8 << 20;

/// A run that others drive.
///
/// It owns all that it needs, so it can be stored and sent to other threads. Inputs are constant between steps; setting one
/// to another value is an event at the present time, which the next step begins with. A run that failed or ended keeps its
/// last values.
///
/// ```
/// # use std::collections::BTreeMap;
/// # use modeshift_diagnostics::Diagnostics;
/// # use modeshift_numerics::NativeFunctions;
/// # use modeshift_simulate::run::{RunEnd, RunModel, RunSettings, Simulation, Stepped};
/// # use modeshift_structure::{Options, Regularized, regularize};
/// let text = "model Tank
///   input Real inflow(start = 1);
///   Real level(start = 0, fixed = true);
///   Boolean full(start = false, fixed = true);
/// equation
///   full = level > 1;
///   der(level) = if full then 0 else inflow;
/// end Tank;";
/// # let dae = modeshift_testkit::multimode_dae(text, &modeshift_testkit::NO_OVERRIDES).expect("a model");
/// # let Regularized { dae, analysis, .. } = regularize(dae, &Options::default(), &|_| None).expect("no limit");
/// let (natives, overrides) = (NativeFunctions::new(), BTreeMap::new());
/// let model = RunModel { dae: &dae, analysis: &analysis, natives: &natives, overrides: &overrides };
/// let settings = RunSettings { stop: 10.0, ..RunSettings::of(&dae.model.experiment) };
/// let mut simulation = Simulation::new(&model, &settings, &mut Diagnostics::new()).expect("a start");
///
/// assert_eq!(simulation.step_until(0.5), Ok(Stepped::Paused));
/// assert!((simulation.value("level").expect("a variable") - 0.5).abs() < 1e-6);
/// simulation.set_input("inflow", 0.25).expect("an input");
///
/// // The tank is full at 0.5 + 0.5/0.25.
/// assert_eq!(simulation.step_to_event(10.0), Ok(Stepped::Event));
/// assert!((simulation.event().expect("an input that changed").time - 0.5).abs() < 1e-12);
/// assert_eq!(simulation.step_to_event(10.0), Ok(Stepped::Event));
/// assert!((simulation.time() - 2.5).abs() < 1e-6);
/// assert_eq!((simulation.left_value("full"), simulation.value("full")), (Some(0.0), Some(1.0)));
/// assert_eq!(simulation.step_until(20.0), Ok(Stepped::Ended(RunEnd::Stop)));
/// assert_eq!(simulation.time(), 10.0);
/// ```
pub struct Simulation {
    start: Arc<Start>,
    inputs: Vec<Input>,
    columns: FxHashMap<Arc<str>, usize>,
    present: Present,
    event: Option<EventRecord>,
    summary: Option<RunSummary>,
    diagnostics: Diagnostics,
    thread: Option<Thread>,
    /// What the run was told so far.
    told: Snapshot,
    /// Whose snapshots are its own, once that was asked.
    origin: OnceLock<Origin>,
    /// The answer to the last question for a linear system.
    found: Option<Result<Linearization, Diagnostics>>,
    /// Whether an event at the present time is still to be told as one: it was passed for somebody who looked.
    owes_event: bool,
}

/// A top-level input of the model.
struct Input {
    id: VariableId,
    column: usize,
    /// The value from the next step on, where it is another.
    next: Option<f64>,
}

/// Values of a run at the present time, in the order of its columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Present {
    /// The time.
    pub time: f64,
    /// Left limits.
    pub left: Vec<f64>,
    /// Right limits; the same as the left ones where there is no event at this time.
    pub right: Vec<f64>,
    /// The mode.
    pub mode: Mode,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// The time is reached.
    Paused,
    /// An event was reached before; both its sides can be read.
    Event,
    /// The run has ended.
    Ended(RunEnd),
}

/// Why a step cannot be made; the run is where it was.
#[derive(Clone, Debug, PartialEq)]
pub enum StepError {
    /// The time lies before the present time.
    Backwards {
        /// The present time.
        from: f64,
        /// The time that was asked for.
        to: f64,
    },
    /// The time is not a number.
    NotATime,
    /// The run has ended.
    Ended,
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepError::Backwards { from, to } => write!(f, "a run does not go back from time {from} to {to}"),
            StepError::NotATime => f.write_str("the time to step to is not a number"),
            StepError::Ended => f.write_str("the run has ended"),
        }
    }
}

impl std::error::Error for StepError {}

impl Simulation {
    /// Finds the start of a model, with the values of parameters that are given, and passes the first instant. Where there
    /// is no start, `diagnostics` say why; what is said later is among the object's own.
    pub fn new(model: &RunModel<'_>, settings: &RunSettings, diagnostics: &mut Diagnostics) -> Option<Self> {
        Self::observed(model, settings, Box::new(()), diagnostics)
    }

    /// The same, with an observer that is told rows and events.
    pub fn observed(
        model: &RunModel<'_>,
        settings: &RunSettings,
        observer: Box<dyn Observer + Send>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let start = Arc::new(Start::find(model, settings, diagnostics)?);
        let columns = start.prepared.columns.columns.iter().zip(0..).map(|(column, at)| (column.name.clone(), at));
        let columns: FxHashMap<Arc<str>, usize> = columns.collect();
        let flat = &model.dae.model;
        let column = |id: VariableId| columns.get(&flat.variables[id].name).copied();
        let inputs = inputs_of(flat).filter_map(|id| Some(Input { id, column: column(id)?, next: None }));
        let mut simulation = Simulation {
            inputs: inputs.collect(),
            columns,
            present: Present::default(),
            event: None,
            summary: None,
            diagnostics: Diagnostics::new(),
            thread: Some(Thread::begin(start.clone(), observer)),
            start,
            told: Snapshot::default(),
            origin: OnceLock::new(),
            found: None,
            owes_event: false,
        };
        if simulation.wait() {
            return Some(simulation);
        }
        simulation.diagnostics.iter().for_each(|it| diagnostics.push(it.clone()));
        None
    }

    /// The present time.
    pub fn time(&self) -> f64 {
        self.present.time
    }

    /// Goes on up to a time, over events. Ends at the stop time if that comes first. A step of no length passes the
    /// present instant with the inputs that were set.
    pub fn step_until(&mut self, time: f64) -> Result<Stepped, StepError> {
        let stepped = self.step(Goal { until: time, at_events: false })?;
        self.owes_event = false;
        Ok(stepped)
    }

    /// Goes on up to the next event that changes a mode, a discrete variable or a value, or up to a time.
    pub fn step_to_event(&mut self, latest: f64) -> Result<Stepped, StepError> {
        if self.owes_event && self.summary.is_none() && latest >= self.present.time {
            self.owes_event = false;
            return Ok(Stepped::Event);
        }
        self.step(Goal { until: latest, at_events: true })
    }

    /// Whether inputs were set that the run has not seen: values other than theirs are those of before.
    pub fn has_pending_inputs(&self) -> bool {
        self.summary.is_none() && self.inputs.iter().any(|input| input.next.is_some())
    }

    /// Passes the present instant with the inputs that were set, so that all values follow from them. A step to the next event comes
    /// to this one first, as it would without anybody looking. Nothing where no input was set.
    pub fn settle(&mut self) -> Result<Option<Stepped>, StepError> {
        if !self.has_pending_inputs() {
            return Ok(None);
        }
        let stepped = self.step(Goal { until: self.present.time, at_events: true })?;
        self.owes_event |= stepped == Stepped::Event;
        Ok(Some(stepped))
    }

    fn step(&mut self, goal: Goal) -> Result<Stepped, StepError> {
        if self.summary.is_some() {
            return Err(StepError::Ended);
        }
        if goal.until.is_nan() {
            return Err(StepError::NotATime);
        }
        if goal.until < self.present.time {
            return Err(StepError::Backwards { from: self.present.time, to: goal.until });
        }
        let numbered = self.inputs.iter_mut().zip(0..);
        let set: Vec<(u32, f64)> = numbered.filter_map(|(input, at)| Some((at, input.next.take()?))).collect();
        let inputs = set.iter().map(|&(at, value)| (self.inputs[at as usize].id, value)).collect();
        self.told.note(goal, set);
        let events = self.event.take();
        self.command(Command::Go(goal, inputs));
        let is_event = self.event.is_some();
        self.event = self.event.take().or(events);
        Ok(match &self.summary {
            Some(summary) => Stepped::Ended(summary.end.clone()),
            None if goal.at_events && is_event => Stepped::Event,
            None => Stepped::Paused,
        })
    }

    /// Ends the run at the present time, with its last instant, in which `terminal()` is true.
    pub fn terminate(&mut self) {
        if self.summary.is_none() {
            self.told.told.push(Told::Finish);
            self.command(Command::Finish);
        }
    }

    /// The mode that the run is in, as a linear system near where it is; the time that is wanted does not matter, nor do inputs that
    /// the run has not seen. Why not, where that cannot be done.
    pub fn linearized(&mut self, wanted: Linearize) -> Result<Linearization, Diagnostics> {
        if self.summary.is_some() {
            return Err(Diagnostics::new());
        }
        let thread = self.thread.as_ref().expect("a run that has not ended has a thread");
        let _ = thread.commands.send(Command::Linearize(wanted));
        self.wait();
        self.found.take().unwrap_or_else(|| Err(Diagnostics::new()))
    }

    /// Where the run is, to come back to.
    pub fn snapshot(&self) -> Snapshot {
        let pending = self.inputs.iter().zip(0..).filter_map(|(input, at)| Some((at, input.next?)));
        Snapshot { origin: self.origin(), pending: pending.collect(), owes_event: self.owes_event, ..self.told.clone() }
    }

    fn origin(&self) -> Origin {
        *self.origin.get_or_init(|| Origin::of(&self.start))
    }

    /// Comes back to where a run of the same model with the same parameters and settings was: from the start, as it went before. The
    /// observer is told columns and rows anew. One of another run is refused.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), NotThisRun> {
        self.origin().expect(snapshot.origin)?;
        self.reset();
        let restored = snapshot.told.iter().all(|told| self.tell_again(told)) && self.set_again(&snapshot.pending);
        if !restored {
            self.reset();
            return Err(NotThisRun::Model);
        }
        self.owes_event = snapshot.owes_event;
        Ok(())
    }

    fn tell_again(&mut self, told: &Told) -> bool {
        match told {
            Told::Finish => self.terminate(),
            Told::Go { until, at_events, inputs } => {
                let goal = Goal { until: *until, at_events: *at_events };
                if !self.set_again(inputs) || self.step(goal).is_err() {
                    return false;
                }
            }
        }
        true
    }

    fn set_again(&mut self, inputs: &[(u32, f64)]) -> bool {
        let model = &self.start.prepared.dae.model;
        inputs.iter().all(|&(at, value)| {
            let Some(input) = self.inputs.get_mut(at as usize) else { return false };
            input.next = Some(value);
            is_value(model, model.variables[input.id].ty, value)
        })
    }

    /// Goes back to the start, with inputs at their start values; the observer is told columns and rows anew.
    pub fn reset(&mut self) {
        let observer = self.thread.take().map_or_else(|| Box::new(()) as Box<dyn Observer + Send>, Thread::end);
        self.inputs.iter_mut().for_each(|input| input.next = None);
        (self.event, self.summary, self.diagnostics, self.owes_event) = (None, None, Diagnostics::new(), false);
        self.told = Snapshot::default();
        self.thread = Some(Thread::begin(self.start.clone(), observer));
        assert!(self.wait(), "a start that was found before is found again");
    }

    /// The names of the inputs that can be set.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(|input| &*self.start.prepared.columns.columns[input.column].name)
    }

    /// Sets an input from the present time on. Booleans are 0 or 1, enumerations count from 1.
    pub fn set_input(&mut self, name: &str, value: f64) -> Result<(), InputError> {
        if self.summary.is_some() {
            return Err(InputError::Ended);
        }
        let column = self.columns.get(name).copied();
        let Some(at) = self.inputs.iter().position(|input| Some(input.column) == column) else {
            return Err(unknown(name, self.inputs()));
        };
        let input = &mut self.inputs[at];
        let model = &self.start.prepared.dae.model;
        if !is_value(model, model.variables[input.id].ty, value) {
            return Err(InputError::NotAValue(value));
        }
        let is_same = self.present.right[input.column].to_bits() == value.to_bits();
        input.next = (!is_same).then_some(value);
        Ok(())
    }

    /// The value of a variable, its right limit at the present time; of an input that was set, what it was set to: all others follow
    /// with the next step, or with [`Simulation::settle`]. Nothing
    /// where there is no such variable; [`ABSENT`](crate::results::ABSENT) where it does not exist in the present mode.
    pub fn value(&self, name: &str) -> Option<f64> {
        let column = *self.columns.get(name)?;
        let set = self.inputs.iter().find(|input| input.column == column).and_then(|input| input.next);
        Some(set.unwrap_or(self.present.right[column]))
    }

    /// The left limit of a variable at the present time.
    pub fn left_value(&self, name: &str) -> Option<f64> {
        Some(self.present.left[*self.columns.get(name)?])
    }

    /// All values at the present time, in the order of [`Simulation::names`].
    pub fn present(&self) -> &Present {
        &self.present
    }

    /// The names of all variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.start.prepared.columns.columns.iter().map(|column| &*column.name)
    }

    /// The names of all mode variables, by their ids.
    pub fn mode_variables(&self) -> &[Arc<str>] {
        &self.start.prepared.columns.mode_variables
    }

    /// The last event that changed something.
    pub fn event(&self) -> Option<&EventRecord> {
        self.event.as_ref()
    }

    /// What the run did, once it has ended.
    pub fn summary(&self) -> Option<&RunSummary> {
        self.summary.as_ref()
    }

    /// What was said about the run so far.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Tells the run to go on, and waits until it pauses or ends.
    fn command(&mut self, command: Command) {
        let thread = self.thread.as_ref().expect("a run that has not ended has a thread");
        // A thread that is gone has panicked; waiting for it finds out.
        let _ = thread.commands.send(command);
        self.wait();
    }

    /// Waits for the run; false where it has no beginning.
    fn wait(&mut self) -> bool {
        let thread = self.thread.as_ref().expect("a run that has not ended has a thread");
        let Ok(Reply { present, event, diagnostics, found, end }) = thread.replies.recv() else {
            // What ended the thread goes on here.
            self.thread.take().map(Thread::end);
            unreachable!("a thread that does not answer has panicked");
        };
        diagnostics.into_iter().for_each(|it| self.diagnostics.push(it));
        (self.present, self.found) = (present, found);
        self.event = event.or(self.event.take());
        match end {
            End::NotYet => true,
            End::Ended(summary) => {
                self.summary = Some(summary);
                true
            }
            End::NoBeginning => false,
        }
    }
}

/// The run's own thread.
struct Thread {
    commands: Sender<Command>,
    replies: Receiver<Reply>,
    handle: JoinHandle<Box<dyn Observer + Send>>,
}

/// What a run is told.
enum Command {
    /// To go on, with these inputs changed.
    Go(Goal, Vec<(VariableId, f64)>),
    /// To linearize where it is, and to stay there.
    Linearize(Linearize),
    /// To end here.
    Finish,
}

/// What a run answers.
struct Reply {
    present: Present,
    /// The last event, where there was one since the last answer.
    event: Option<EventRecord>,
    diagnostics: Vec<Diagnostic>,
    found: Option<Result<Linearization, Diagnostics>>,
    end: End,
}

enum End {
    NotYet,
    Ended(RunSummary),
    NoBeginning,
}

impl Thread {
    /// Begins a run, which answers when it has passed its first instant.
    fn begin(start: Arc<Start>, observer: Box<dyn Observer + Send>) -> Self {
        let ((commands, incoming), (outgoing, replies)) = (channel(), channel());
        let goal = Goal { until: start.settings.start, at_events: false };
        let remote = Remote {
            commands: incoming,
            replies: outgoing,
            goal,
            told_events: 0,
            last: None,
            wanted: None,
            found: None,
        };
        let builder = std::thread::Builder::new().name("run".to_string()).stack_size(STACK);
        let handle = builder.spawn(move || remote.conduct(&start, observer)).expect("the system has one more thread");
        Thread { commands, replies, handle }
    }

    /// Ends the thread, which waits for a command or has come to its end; gives back the observer.
    fn end(self) -> Box<dyn Observer + Send> {
        let Thread { commands, replies, handle } = self;
        drop((commands, replies));
        handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        if let Some(Thread { commands, replies, handle }) = self.thread.take() {
            drop((commands, replies));
            // A panic was told when it was waited for.
            let _ = handle.join();
        }
    }
}

/// Drives the run for the object at the other end.
struct Remote {
    commands: Receiver<Command>,
    replies: Sender<Reply>,
    goal: Goal,
    /// Events that the other end knows of.
    told_events: usize,
    /// The last values, of a run that has ended.
    last: Option<(Present, Option<EventRecord>)>,
    /// What is to be linearized here, and what came of it.
    wanted: Option<Linearize>,
    found: Option<Result<Linearization, Diagnostics>>,
}

impl Remote {
    fn conduct(mut self, start: &Start, mut observer: Box<dyn Observer + Send>) -> Box<dyn Observer + Send> {
        let mut diagnostics = Diagnostics::new();
        let summary = conduct(start, &mut self, &mut *observer, &mut diagnostics);
        let end = summary.map_or(End::NoBeginning, End::Ended);
        let (present, event) = self.last.take().unwrap_or_default();
        let diagnostics = diagnostics.iter().cloned().collect();
        // Nobody may be listening any more.
        let _ = self.replies.send(Reply { present, event, diagnostics, found: None, end });
        observer
    }

    fn present(&mut self, output: &Output<'_>) -> (Present, Option<EventRecord>) {
        let shown = output.present();
        let (left, right) = (shown.left().to_vec(), shown.right.clone());
        let event = (output.events > self.told_events).then(|| shown.event.clone()).flatten();
        self.told_events = output.events;
        (Present { time: shown.time, left, right, mode: shown.mode.clone() }, event)
    }
}

impl Conductor for Remote {
    fn goal(&self) -> Goal {
        self.goal
    }

    fn looks_at_events(&self) -> bool {
        true
    }

    fn inspect<'a>(&mut self, machinery: &mut Machinery<'a>, side: &Side<'a>) {
        self.found = self.wanted.take().map(|wanted| linearized_here(machinery, side, &wanted));
    }

    fn pause(&mut self, output: &Output<'_>, diagnostics: &mut Diagnostics) -> Next {
        let (present, event) = self.present(output);
        let time = present.time;
        let diagnostics = std::mem::take(diagnostics).iter().cloned().collect();
        let found = self.found.take();
        if self.replies.send(Reply { present, event, diagnostics, found, end: End::NotYet }).is_err() {
            return Next::Abandon;
        }
        match self.commands.recv() {
            Ok(Command::Go(goal, inputs)) => {
                self.goal = goal;
                Next::Go(inputs)
            }
            Ok(Command::Linearize(wanted)) => {
                (self.wanted, self.goal) = (Some(wanted), Goal { until: time, at_events: false });
                Next::Go(Vec::new())
            }
            Ok(Command::Finish) => Next::Finish,
            Err(_) => Next::Abandon,
        }
    }

    fn end(&mut self, output: &Output<'_>) {
        self.last = Some(self.present(output));
    }
}
