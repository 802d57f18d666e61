//! What is to be run and how, and what came of it.

use modeshift_modes::TimeLimit;
use std::collections::BTreeMap;

use modeshift_dae::{Experiment, MultimodeDae, ScenarioId, VariableId};
use modeshift_diagnostics::{Diagnostic, Diagnostics};
use modeshift_mode_changes::{Noise, Strategy};
use modeshift_numerics::NativeFunctions;
use modeshift_structure::{Analysis, Options};

use crate::integrate::Method;

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
    /// Whether fixed start values are left limits, from which the first instant may jump.
    pub impulsive_start: bool,
    /// Whether inputs may change between events, as where others integrate.
    pub inputs_move: bool,
    /// Inputs that change at the stop time: the last event before the last instant.
    pub at_stop: Vec<(VariableId, f64)>,
    /// How to search for the mode that follows an event: in these ways, one after the other.
    pub search: &'static [Strategy],
    /// At most this many decision-diagram nodes for the analysis of the start.
    pub node_limit: Option<usize>,
    /// At most this long for the analysis of the start.
    pub time_limit: Option<TimeLimit>,
}

/// Rows of a result unless something else is wanted.
const ROWS: f64 = 500.0;
/// Without an experiment annotation.
const TOLERANCE: f64 = 1e-6;

/// Noise relative to values, as a share of the tolerance: what the integration resolves is no noise.
const NOISE_SHARE: f64 = 1e-3;
/// Noise is not less than this: rounding in systems of equations that are not too badly conditioned.
const LEAST_NOISE: f64 = 1e-10;

impl RunSettings {
    /// What the experiment annotation of a model says; otherwise from 0 to 1 in 500 intervals, with tolerance 1e-6.
    pub fn of(experiment: &Experiment) -> Self {
        let start = experiment.start.unwrap_or(0.0);
        let stop = experiment.stop.unwrap_or(start + 1.0);
        // A run of an instant has one row, whatever the interval.
        let usual = if stop > start { (stop - start) / ROWS } else { 1.0 };
        let interval = experiment.interval.filter(|&interval| interval > 0.0).unwrap_or(usual);
        let tolerance = experiment.tolerance.filter(|&tolerance| tolerance > 0.0).unwrap_or(TOLERANCE);
        RunSettings {
            start,
            stop,
            interval,
            tolerance,
            method: Method::default(),
            scenario: None,
            impulsive_start: experiment.impulsive_start,
            inputs_move: false,
            at_stop: Vec::new(),
            search: &Strategy::ALL,
            node_limit: None,
            time_limit: None,
        }
    }

    /// Whether these numbers make a run; says why not.
    pub(super) fn check(&self, diagnostics: &mut Diagnostics) -> bool {
        let RunSettings { start, stop, interval, tolerance, .. } = *self;
        let problem = if !(start.is_finite() && stop.is_finite() && stop >= start) {
            format!("the run cannot go from time {start} to {stop}")
        } else if interval.is_nan() || interval <= 0.0 {
            format!("the interval {interval} between rows is not positive")
        } else if !(tolerance > 0.0 && tolerance < 1.0) {
            format!("the tolerance {tolerance} is not between 0 and 1")
        } else {
            return true;
        };
        diagnostics.push(Diagnostic::error("E0810", problem));
        false
    }

    /// What is too small to count: no size by itself, whatever the units are. What a short time is, the run knows.
    pub(super) fn noise(&self) -> Noise {
        Noise { relative: (NOISE_SHARE * self.tolerance).max(LEAST_NOISE), floor: 0.0, ..Noise::default() }
    }

    /// The limits of the analysis of the start.
    pub(super) fn limits(&self) -> Options {
        Options { node_limit: self.node_limit, time_limit: self.time_limit, ..Options::default() }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// At the stop time, or where it was told to end.
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
    /// How many of them are sliding modes.
    pub sliding: usize,
    /// How many were solved exactly.
    pub exactly: usize,
    /// The first of them: the mode variables that are true in each.
    pub exact_modes: Vec<String>,
    /// How many instants were like one before, and were passed without a search.
    pub repeated: usize,
    /// The equations because of which others were not solved exactly, where all were to be.
    pub not_affine: Vec<String>,
}
