//! `analyze --method approximate` and `check --as-other-tools`: what a tool that does not look at modes makes of a model, and
//! when a run of its would fail (E22 §2). `analyze --method pantelides`: what one does that differentiates alike in all modes.
//!
//! The time is that of a run of our own: the first instant whose mode is one of those in which a block of the other tool
//! cannot be solved. There the other tool's run ends, so ours does too.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use modeshift_dae::{Id, Mode, ModeVariableId};
use modeshift_diagnostics::{Diagnostics, Stop};
use modeshift_numerics::NativeFunctions;
use modeshift_report::Analyzed;
use modeshift_report::approximate::{ApproximateReport, Failures, Reached, Scope, diagnose, report};
use modeshift_report::pantelides::PantelidesReport;
use modeshift_report::wording::time_text;
use modeshift_simulate::results::{ColumnSource, Columns, EventRecord, Observer, Progress};
use modeshift_simulate::run::{RunModel, run};
use modeshift_structure::approximate::{Approximate, United, approximate};
use modeshift_structure::one_mode::Parts;
use modeshift_structure::pantelides::multi_mode_pantelides;

use crate::pipeline::Run;
use crate::question::{Answer, Question};
use crate::simulate::RunOptions;

/// A run is followed through so many events; a converter that switches 10,000 times a second would be followed for ever.
const MOST_EVENTS: usize = 1_000;

/// `analyze --method approximate`: which equation an ordinary tool solves for what, and where that fails.
pub fn as_other_tools(question: &Question, at: Option<&str>) -> Answer<ApproximateReport> {
    let mut run = Run::new(question);
    let result = run.structure(at).and_then(|analyzed| Ok(run.seen_by_others(&analyzed)?.1));
    run.answer(result)
}

/// `analyze --method pantelides`: multi-mode Pantelides beside the exact offsets.
pub fn pantelides(question: &Question, at: Option<&str>) -> Answer<PantelidesReport> {
    let mut run = Run::new(question);
    let result = run.structure(at).and_then(|analyzed| run.by_pantelides(&analyzed));
    run.answer(result)
}

/// What an ordinary tool makes of a model: the analysis, or the parts of a singular one.
type Seen = Result<Approximate, (United, Parts)>;

impl Run<'_> {
    fn by_pantelides(&mut self, analyzed: &Analyzed) -> Result<PantelidesReport, Stop> {
        let analyze = || multi_mode_pantelides(&analyzed.dae, &analyzed.analysis);
        let found = self.timings.measure("multi-mode Pantelides", analyze, |_| String::new());
        let found = found.map_err(|limit| self.limit(&limit))?;
        let report = || modeshift_report::pantelides::report(analyzed, &found);
        self.timings.measure("wording", report, |_| String::new()).map_err(|limit| self.limit(&limit))
    }

    /// What `check --as-other-tools` says.
    pub(crate) fn check_as_other_tools(&mut self, analyzed: &Analyzed) {
        if let Ok((seen, report)) = self.seen_by_others(analyzed) {
            diagnose(&analyzed.dae, seen.as_ref().ok(), &report, &mut self.diagnostics);
        }
    }

    fn seen_by_others(&mut self, analyzed: &Analyzed) -> Result<(Seen, ApproximateReport), Stop> {
        let analyze = || approximate(&analyzed.dae, &analyzed.analysis);
        let seen = self.timings.measure("uniting all modes", analyze, |_| String::new());
        let seen = seen.map_err(|limit| self.limit(&limit))?;
        let reached = match &seen {
            Ok(approximate) => self.reached(analyzed, approximate),
            Err(_) => Reached::default(),
        };
        let scope = Scope {
            analyzed,
            approximate: seen.as_ref().map_err(|(united, parts)| (united, parts)),
            reached: &reached,
            sources: self.library.sources(),
        };
        let words = self.timings.measure("wording", || report(scope), |_| String::new());
        let words = words.map_err(|limit| self.limit(&limit))?;
        Ok((seen, words))
    }

    /// Runs the model until it gets where a block fails.
    fn reached(&mut self, analyzed: &Analyzed, approximate: &Approximate) -> Reached {
        let Analyzed { dae, analysis, .. } = analyzed;
        let failures = Failures::of(analysis, approximate);
        let mut reached = Reached { times: vec![None; approximate.blocks.len()], otherwise: None };
        if failures.is_empty() {
            return reached;
        }
        if !analysis.within.is_empty() {
            reached.otherwise = Some("no run was made, since --at leaves out modes".to_string());
            return reached;
        }
        let mut quiet = Diagnostics::new();
        let told = std::mem::replace(&mut self.diagnostics, Diagnostics::new());
        let settings = self.runnable(analyzed).and_then(|()| self.settings(analyzed, &RunOptions::default()));
        let said = std::mem::replace(&mut self.diagnostics, told);
        let Ok(settings) = settings else {
            reached.otherwise = Some(cannot_run(&said));
            return reached;
        };
        let (natives, overrides) = (NativeFunctions::of(&dae.model), BTreeMap::new());
        let model = RunModel { dae, analysis, natives: &natives, overrides: &overrides };
        let mut lookout =
            Lookout { failures: &failures, reached: &mut reached, modes: Vec::new(), found: false, events: Vec::new() };
        let simulate = || run(&model, &settings, &mut lookout, &mut quiet);
        let summary = self.timings.measure("simulating", simulate, |_| String::new());
        if !lookout.found {
            let last = lookout.events.get(MOST_EVENTS - 1).copied();
            reached.otherwise = Some(match (summary, last) {
                (Some(_), Some(last)) => {
                    let until = time_text(last);
                    format!("a run stays in none of these modes until {until}, the time of its {MOST_EVENTS}th event")
                }
                (Some(_), None) if !quiet.has_errors() => {
                    format!("a run stays in none of these modes until {}", time_text(settings.stop))
                }
                _ => cannot_run(&quiet),
            });
        }
        reached
    }
}

/// Why there is no time.
fn cannot_run(diagnostics: &Diagnostics) -> String {
    let first = diagnostics.iter().find(|it| it.severity.word() == "error").or(diagnostics.iter().next());
    match first {
        Some(first) => format!("no time is known, since the model does not run: {}", first.message),
        None => "no time is known, since the model does not run".to_string(),
    }
}

/// Looks out for modes in which a block fails.
struct Lookout<'a, 'f> {
    failures: &'a Failures<'f>,
    reached: &'a mut Reached,
    /// The columns of the mode variables, until the first row.
    modes: Vec<(ModeVariableId, usize)>,
    found: bool,
    /// The times of events.
    events: Vec<f64>,
}

impl Lookout<'_, '_> {
    fn look(&mut self, time: f64, mode: &Mode) {
        if !self.found {
            self.found = self.failures.note(self.reached, time, mode);
        }
    }
}

impl Observer for Lookout<'_, '_> {
    fn columns(&mut self, columns: &Columns) {
        let modes = columns.columns.iter().enumerate().filter_map(|(at, column)| match column.source {
            ColumnSource::Mode(mode) => Some((mode, at)),
            ColumnSource::Variable(_) => None,
        });
        self.modes = modes.collect();
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        if self.modes.is_empty() {
            return;
        }
        let modes = std::mem::take(&mut self.modes);
        let count = modes.iter().map(|(mode, _)| mode.index() + 1).max().unwrap_or(0);
        let mut mode = Mode::all_false(count);
        modes.iter().for_each(|&(variable, at)| mode.set(variable, values[at] > 0.5));
        self.look(time, &mode);
    }

    fn event(&mut self, event: &EventRecord) {
        self.events.push(event.time);
        self.look(event.time, &event.to);
    }

    fn progress(&mut self, _: Progress<'_>) -> ControlFlow<()> {
        match self.found || self.events.len() >= MOST_EVENTS {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}
