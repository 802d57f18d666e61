//! The run of a multimode model: consistent start values, integration in a mode, events, the next mode, its restart,
//! until the stop time.
//!
//! | file | purpose |
//! |---|---|
//! | `content`, `stairs`, `definitions`, `conditions` | the model made ready: functions that jump, relations with a truth of their own |
//! | `formulas`, `system` | the discrete part, compiled: modes, discrete variables, `when` clauses, what is watched |
//! | `time_events` | events whose times are known in advance |
//! | `modes`, `side` | modes visited so far; all values on one side of an instant |
//! | `start` | the first side |
//! | `stay`, `watch`, `crossing` | integration up to the next event, which is located to rounding |
//! | `instant`, `selection`, `restarting` | what happens at an event, micro-step by micro-step |
//! | `accumulation` | events that follow each other ever faster |
//! | `engine` | what all of these work with |
//! | `output` | what observers are told |
//! | `failure` | why a run stopped, in the words of the model |
//!
//! E22 §2 and §8–9. A run visits few modes, so here and only here modes are looked at one by one.

mod accumulation;
mod conditions;
mod content;
mod crossing;
mod definitions;
mod engine;
mod failure;
mod formulas;
mod instant;
mod modes;
mod output;
mod restarting;
mod selection;
mod side;
mod stairs;
mod start;
mod stay;
mod system;
mod time_events;
mod watch;

use std::collections::BTreeMap;

use modeshift_dae::{Experiment, MultimodeDae, VariableId};
use modeshift_diagnostics::Diagnostics;
use modeshift_numerics::NativeFunctions;
use modeshift_structure::Analysis;

use crate::integrate::Method;
use crate::results::Observer;
use accumulation::RecentEvents;
use engine::Engine;
use instant::Fired;
use output::Output;
use side::Phase;
use stay::{Ended, StaySettings};

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
    pub scenario: Option<u32>,
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
        RunSettings { start, stop, interval, tolerance, method: Method::default(), scenario: None }
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
    /// Modes that were visited or tried.
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
        let output = Output::new(observer, columns, settings.start, settings.interval);
        let recent = RecentEvents::new(settings.stop - settings.start);
        let mut loop_of_events = EventLoop { engine: &mut engine, output, settings, diagnostics, recent };
        loop_of_events.run(beginning)
    })
}

/// A run under way.
struct EventLoop<'r, 'o, 'a> {
    engine: &'r mut Engine<'a>,
    output: Output<'o>,
    settings: &'r RunSettings,
    diagnostics: &'r mut Diagnostics,
    recent: RecentEvents,
}

impl<'a> EventLoop<'_, '_, 'a> {
    fn run(&mut self, beginning: start::Beginning<'a>) -> RunSummary {
        let (end, time) = self.from(beginning);
        let Output { events, rows, .. } = self.output;
        RunSummary { end, time, events, rows, modes: self.engine.modes.count() }
    }

    fn from(&mut self, beginning: start::Beginning<'a>) -> (RunEnd, f64) {
        let start::Beginning { side: left, fired } = beginning;
        let fired = Fired { samples: self.engine.due_samples(left.time), ..fired };
        let mut side = match self.instant(left, fired, Phase { initial: true, terminal: false }) {
            Ok((side, None)) => side,
            Ok((side, Some(end))) => return (end, side.time),
            Err(time) => return (RunEnd::Failed, time),
        };
        let stay = StaySettings {
            stop: self.settings.stop,
            tolerance: self.settings.tolerance,
            method: self.settings.method,
            length: self.settings.stop - self.settings.start,
        };
        while side.time < self.settings.stop {
            let (left, fired) = match self.engine.stay(side, &stay, &mut self.output) {
                Err(stuck) => {
                    self.output.row(&stuck.side);
                    failure::explain_stuck(self.engine, &stuck, self.diagnostics);
                    return (RunEnd::Failed, stuck.side.time);
                }
                Ok((last, Ended::Interrupted)) => return (RunEnd::Interrupted, last.time),
                Ok((last, Ended::Stop)) => {
                    side = last;
                    break;
                }
                Ok((left, Ended::Event(fired))) => (left, fired),
            };
            if let Some(accumulation) = self.recent.add(left.time, fired.is_doubtful) {
                self.output.row(&left);
                failure::explain_accumulation(self.engine, &left, &fired, accumulation, self.diagnostics);
                return (RunEnd::Failed, left.time);
            }
            let fired = Fired { samples: self.engine.due_samples(left.time), ..fired };
            side = match self.instant(left, fired, Phase::default()) {
                Ok((side, None)) => side,
                Ok((side, Some(end))) => return (end, side.time),
                Err(time) => return (RunEnd::Failed, time),
            };
        }
        self.finish(side)
    }

    /// One instant, told to the observer.
    fn instant(
        &mut self,
        left: side::Side<'a>,
        fired: Fired,
        phase: Phase,
    ) -> Result<(side::Side<'a>, Option<RunEnd>), f64> {
        let outcome = match self.engine.instant(&left, &fired, phase) {
            Ok(outcome) => outcome,
            Err(reason) => {
                self.output.row(&left);
                failure::explain_instant(self.engine, &left, &fired, &reason, self.diagnostics);
                return Err(left.time);
            }
        };
        if outcome.is_visible(self.engine, &left) {
            self.output.event(self.engine, &left, &outcome);
            self.recent.was_visible(left.time);
        } else if phase.initial {
            self.output.row(&outcome.right);
            self.output.pass_points_until(left.time);
        }
        let end = outcome.terminated.map(|message| RunEnd::Terminated(self.engine.message(message)));
        Ok((outcome.right, end))
    }

    fn finish(&mut self, side: side::Side<'a>) -> (RunEnd, f64) {
        let time = side.time;
        match self.instant(side, Fired::default(), Phase { initial: false, terminal: true }) {
            Err(_) => (RunEnd::Failed, time),
            Ok((last, end)) => {
                if self.output.last_time() != Some(time) {
                    self.output.row(&last);
                }
                (end.unwrap_or(RunEnd::Stop), time)
            }
        }
    }
}
