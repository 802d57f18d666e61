//! One run after the other, with a model that is loaded once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, SourceMap, did_you_mean};
use modeshift_driver::Question;
use modeshift_driver::loaded::{Loaded, Refusal, load};
use modeshift_driver::simulate::RunEnd;
use modeshift_driver::simulate::results::{ABSENT, Columns, EventRecord, Observer, Progress};

use crate::plan::Plan;
use crate::record::{Happening, Record, Signals};
use crate::tables::Layout;

/// Makes runs of a plan.
pub struct Worker<'p> {
    plan: &'p Plan,
    loaded: Loaded,
    layout: Layout,
}

impl<'p> Worker<'p> {
    /// Loads the model. Refused too is a plan that names variables or parameters that the model does not have, or that varies what the
    /// question sets. What the question sets is so whatever the plan says of it.
    pub fn new(plan: &'p Plan, question: &Question) -> Result<Self, Refusal> {
        plan.check_fixed(&question.overrides).map_err(|reason| refused(format!("the plan: {reason}")))?;
        let mut question = question.clone();
        let is_set = |name: &str, set: &[(String, String)]| set.iter().any(|(other, _)| other == name);
        let own = plan.fixed.iter().filter(|(name, _)| !is_set(name, &question.overrides)).cloned();
        question.overrides = own.chain(question.overrides.iter().cloned()).collect();
        let loaded = load(&question)?;
        let known = loaded.parameters();
        if plan.varied.iter().any(|varied| known.iter().all(|it| it.name != varied.name)) {
            // Arrays and texts are among those that can be set and are not listed.
            loaded.with(&plan.parameters(0))?;
        }
        let layout = Layout::of(plan, &loaded).map_err(|name| {
            let names: Vec<String> = loaded.variables().into_iter().map(|it| it.name).collect();
            let other = did_you_mean(&name, names.iter().map(String::as_str));
            let other = other.map(|text| format!("; {text}")).unwrap_or_default();
            refused(format!("the plan: the model has no variable `{name}`{other}"))
        })?;
        Ok(Worker { plan, loaded, layout })
    }

    /// Which values records have.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Makes a run; one that was cancelled leaves nothing.
    pub fn run(&self, run: usize, is_cancelled: &AtomicBool) -> Option<Record> {
        let mut keeper = Keeper::new(self, is_cancelled);
        let mut record = Record { run: run as u64, time: f64::NAN, ..Record::default() };
        let nothing = || vec![ABSENT; self.layout.ends.len()];
        let variant = match self.loaded.with(&self.plan.parameters(run)) {
            Ok(variant) => variant,
            Err(refusal) => {
                (record.status, record.diagnosis) = ("refused".to_string(), refusal.text().trim_end().to_string());
                record.ends = nothing();
                return Some(record);
            }
        };
        let ran = variant.run(&self.plan.options(), &mut keeper);
        if is_cancelled.load(Ordering::Relaxed) {
            return None;
        }
        let said = variant.loaded().text(&ran.diagnostics).trim_end().to_string();
        let Some(simulated) = &ran.result else {
            (record.status, record.diagnosis, record.ends) = ("refused".to_string(), said, nothing());
            return Some(record);
        };
        record.time = simulated.summary.time;
        record.event_count = simulated.tally.events() as u64;
        (record.status, record.diagnosis) = match &simulated.summary.end {
            // Warnings.
            RunEnd::Stop => ("stop".to_string(), said),
            RunEnd::Terminated(message) => ("terminated".to_string(), both(message, &said)),
            RunEnd::Failed => ("failed".to_string(), said),
            RunEnd::Interrupted => {
                let seconds = self.plan.time_limit.unwrap_or_default();
                ("interrupted".to_string(), both(&format!("the time limit of {seconds} s was reached"), &said))
            }
        };
        let values = keeper.ends.places.iter().map(|&place| place.map_or(ABSENT, |at| keeper.last[at]));
        record.ends = values.collect();
        (record.events, record.signals) = (keeper.events, keeper.rows);
        Some(record)
    }
}

/// What there is to say first, then the rest.
fn both(first: &str, rest: &str) -> String {
    [first, rest].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A plan that does not fit what it is asked of.
fn refused(message: String) -> Refusal {
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(Diagnostic::error(Code::E0007, message));
    Refusal { diagnostics, sources: SourceMap::default() }
}

/// The columns of a layout among those of a run, which may be others where its structure is another.
#[derive(Default)]
struct Places {
    places: Vec<Option<usize>>,
}

impl Places {
    fn of(names: &[String], columns: &Columns) -> Self {
        Places { places: names.iter().map(|name| columns.position(name)).collect() }
    }
}

/// Keeps of a run what its record needs.
struct Keeper<'a> {
    layout: &'a Layout,
    with_events: bool,
    deadline: Option<Instant>,
    is_cancelled: &'a AtomicBool,
    ends: Places,
    signals: Places,
    mode_variables: Vec<std::sync::Arc<str>>,
    last: Vec<f64>,
    events: Vec<Happening>,
    rows: Signals,
}

impl<'a> Keeper<'a> {
    fn new(worker: &'a Worker<'_>, is_cancelled: &'a AtomicBool) -> Self {
        let limit = worker.plan.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Keeper {
            layout: &worker.layout,
            with_events: worker.plan.events,
            // A limit beyond all clocks is none.
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
            is_cancelled,
            ends: Places::default(),
            signals: Places::default(),
            mode_variables: Vec::new(),
            last: Vec::new(),
            events: Vec::new(),
            rows: Signals::default(),
        }
    }
}

impl Observer for Keeper<'_> {
    fn columns(&mut self, columns: &Columns) {
        self.ends = Places::of(&self.layout.end_names(), columns);
        self.signals = Places::of(&self.layout.signal_names(), columns);
        self.mode_variables.clone_from(&columns.mode_variables);
        self.last = vec![ABSENT; columns.len()];
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        self.last.copy_from_slice(values);
        if !self.signals.places.is_empty() {
            self.rows.times.push(time);
            self.rows.values.extend(self.signals.places.iter().map(|&place| place.map_or(ABSENT, |at| values[at])));
        }
    }

    fn event(&mut self, event: &EventRecord) {
        if !self.with_events {
            return;
        }
        let changed = event.changed().map(|id| format!("{}={}", self.mode_variables[id.0 as usize], event.to[id]));
        let impulses = event.impulses.iter().map(|it| format!("{} {} {:?}", it.variable, it.order, it.weight));
        self.events.push(Happening {
            time: event.time,
            cause: event.cause.join(" and "),
            to: changed.collect::<Vec<_>>().join(", "),
            impulses: impulses.collect::<Vec<_>>().join("; "),
        });
    }

    fn progress(&mut self, _: Progress<'_>) -> ControlFlow<()> {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() > deadline);
        if is_late || self.is_cancelled.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
