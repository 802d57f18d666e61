//! The run of a multimode model: consistent start values, integration in a mode, events, the next mode, its restart,
//! until the stop time.
//!
//! | file | purpose |
//! |---|---|
//! | [`prepare`] | the model made ready: relations, event functions, the discrete part compiled |
//! | [`start`] | the first side |
//! | [`values`], [`modes`], [`mode_cache`] | all values on one side of an instant; modes visited so far |
//! | [`phase`] | integration in one mode up to the next event, which is located to rounding |
//! | [`instant`] | what happens at an event, micro-step by micro-step |
//! | [`zeno`] | events that follow each other ever faster, and where they end |
//! | [`events`] | how events are passed and told |
//! | [`engine`] | what all of these work with |
//! | [`output`] | what observers are told |
//! | [`failure`] | why a run stopped, in the words of the model |
//!
//! E22 §2 and §8–9. A run visits few modes, so here and only here modes are looked at one by one.

mod engine;
mod events;
mod failure;
mod instant;
mod mode_cache;
mod modes;
mod output;
mod phase;
mod prepare;
mod start;
mod values;
mod zeno;

use std::collections::BTreeMap;

use modeshift_dae::{Experiment, MultimodeDae, ScenarioId, VariableId};
use modeshift_diagnostics::Diagnostics;
use modeshift_mode_changes::Strategy;
use modeshift_numerics::NativeFunctions;
use modeshift_structure::Analysis;

use crate::integrate::Method;
use crate::results::Observer;
use engine::Engine;
use events::{Events, Passed};
use instant::event_iteration::Fired;
use output::Output;
use phase::integrate_until::{Ended, StaySettings};
use values::Phase;
use zeno::detection::RecentEvents;

/// What is to be run.
#[derive(Clone, Copy)]
pub struct RunModel<'a> {
    /// The model.
    pub dae: &'a MultimodeDae,
    /// Its structure.
    pub analysis: &'a Analysis,
    /// Functions that are not written in Modelica.
    pub natives: &'a NativeFunctions,
    /// Values of parameters other than those in the model.
    pub overrides: &'a BTreeMap<VariableId, f64>,
}

/// How to run it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// When to start.
    pub start: f64,
    /// When to stop.
    pub stop: f64,
    /// The distance between rows of the result.
    pub interval: f64,
    /// The error allowed relative to the values, or to nominal values where those are larger.
    pub tolerance: f64,
    /// How to integrate.
    pub method: Method,
    /// The number of the initial scenario.
    pub scenario: Option<ScenarioId>,
    /// How to search for the mode that follows an event: in these ways, one after the other.
    pub search: &'static [Strategy],
}

/// Rows of a result unless something else is wanted.
const ROWS: f64 = 500.0;
/// Without an experiment annotation.
const TOLERANCE: f64 = 1e-6;

impl RunSettings {
    /// What the experiment annotation of a model says; otherwise from 0 to 1 in 500 intervals, with tolerance 1e-6.
    pub fn of(experiment: &Experiment) -> Self {
        let start = experiment.start.unwrap_or(0.0);
        let stop = experiment.stop.unwrap_or(start + 1.0);
        let interval = experiment.interval.filter(|&interval| interval > 0.0).unwrap_or((stop - start) / ROWS);
        let tolerance = experiment.tolerance.filter(|&tolerance| tolerance > 0.0).unwrap_or(TOLERANCE);
        let (method, search) = (Method::default(), &Strategy::ALL);
        RunSettings { start, stop, interval, tolerance, method, scenario: None, search }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// At the stop time.
    Stop,
    /// A `terminate` of the model, with its message.
    Terminated(String),
    /// An observer wanted no more.
    Interrupted,
    /// It could not go on; the diagnostics say why.
    Failed,
}

/// What a run did.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// How it ended.
    pub end: RunEnd,
    /// The time it came to.
    pub time: f64,
    /// Events that were reported.
    pub events: usize,
    /// Rows that were written.
    pub rows: usize,
    /// Different modes among the rows.
    pub modes: usize,
}

/// Runs a model. What goes wrong is explained in `diagnostics`; the observer has seen all that was found until then.
/// Nothing is returned where there is no start.
pub fn run(
    model: &RunModel<'_>,
    settings: &RunSettings,
    observer: &mut dyn Observer,
    diagnostics: &mut Diagnostics,
) -> Option<RunSummary> {
    start::with_start(model, settings, diagnostics, |mut engine, beginning, columns, diagnostics| {
        let mut output = Output::new(observer, columns, settings.start, settings.interval);
        let recent = RecentEvents::new(settings.stop - settings.start, settings.tolerance);
        let mut events = Events::new(diagnostics, recent);
        let (end, time) = run_from(&mut engine, beginning, settings, &mut events, &mut output);
        RunSummary { end, time, events: output.events, rows: output.rows, modes: output.mode_count() }
    })
}

/// From the start to the end, and when that is.
fn run_from<'a>(
    engine: &mut Engine<'a>,
    beginning: start::Beginning<'a>,
    settings: &RunSettings,
    events: &mut Events<'_, 'a>,
    output: &mut Output<'_>,
) -> (RunEnd, f64) {
    let mut side = match begin(engine, beginning, events, output) {
        Passed::Same(side) | Passed::Other(side) => side,
        Passed::End(end, time) => return (end, time),
    };
    let RunSettings { start, stop, tolerance, method, .. } = *settings;
    let stay = StaySettings { stop, tolerance, method, length: stop - start };
    while side.time < stop {
        side = match engine.stay(side, &stay, events, output) {
            Ok(Ended::Event(right)) => right,
            Ok(Ended::Stop(last)) => return finish(engine, &last, events, output),
            Ok(Ended::Run(end, time)) => return (end, time),
            Err(stuck) => {
                output.row(&stuck.side);
                events.explain(|diagnostics| failure::explain_stuck(engine, &stuck, diagnostics));
                return (RunEnd::Failed, stuck.side.time);
            }
        };
    }
    finish(engine, &side, events, output)
}

/// The first instant; what it leads to is the first row, unless it is an event with rows of its own.
fn begin<'a>(
    engine: &mut Engine<'a>,
    beginning: start::Beginning<'a>,
    events: &mut Events<'_, 'a>,
    output: &mut Output<'_>,
) -> Passed<'a> {
    let start::Beginning { side: left, fired } = beginning;
    let fired = Fired { samples: engine.due_samples(left.time), ..fired };
    let passed = events.instant(engine, output, &left, &fired, Phase { initial: true, terminal: false });
    if let Passed::Same(right) | Passed::Other(right) = &passed
        && output.last_time().is_none()
    {
        output.row(right);
        output.pass_points_until(left.time);
    }
    passed
}

/// The last instant.
fn finish<'a>(
    engine: &mut Engine<'a>,
    side: &values::Side<'a>,
    events: &mut Events<'_, 'a>,
    output: &mut Output<'_>,
) -> (RunEnd, f64) {
    let phase = Phase { initial: false, terminal: true };
    match events.instant(engine, output, side, &Fired::default(), phase) {
        Passed::End(end, time) => (end, time),
        Passed::Same(last) | Passed::Other(last) => {
            if output.last_time() != Some(side.time) {
                output.row(&last);
            }
            (RunEnd::Stop, side.time)
        }
    }
}
