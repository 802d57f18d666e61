//! `linearize`: a mode of a model as a linear system, near where a run is at a time.

use std::collections::BTreeMap;

use modeshift_diagnostics::{Code, Diagnostic, Stop};
use modeshift_numerics::NativeFunctions;
use modeshift_report::linearize::LinearizeReport;
use modeshift_simulate::run::{RunModel, linearize as linearized};

use crate::pipeline::Run;
use crate::question::{Answer, Question};
use crate::simulate::RunOptions;

pub use modeshift_simulate::run::Linearize;

/// `linearize`: without a result where the run does not get there, or the mode has no derivatives there.
pub fn linearize(question: &Question, options: &RunOptions, wanted: &Linearize) -> Answer<LinearizeReport> {
    let mut run = Run::new(question);
    let result = run.linearized(options, wanted);
    run.answer(result)
}

impl Run<'_> {
    fn linearized(&mut self, options: &RunOptions, wanted: &Linearize) -> Result<LinearizeReport, Stop> {
        self.input = options.input.clone();
        let analyzed = self.structure_or_start(None, options.start)?;
        self.runnable(&analyzed)?;
        let settings = self.settings(&analyzed, options)?;
        if let Some(time) = wanted.time.filter(|time| *time < settings.start) {
            let message = format!("the run begins at time = {}, after time = {time}", settings.start);
            self.diagnostics.push(Diagnostic::error(Code::E0845, message).help("choose a time that the run gets to"));
            return Err(Stop);
        }
        let (natives, overrides) = (NativeFunctions::of(&analyzed.dae.model), BTreeMap::new());
        let (dae, analysis) = (&analyzed.dae, &analyzed.analysis);
        let model = RunModel { dae, analysis, natives: &natives, overrides: &overrides };
        let diagnostics = &mut self.diagnostics;
        let find = || linearized(&model, &settings, wanted, diagnostics);
        let found = self.timings.measure("linearizing", find, |_| String::new()).ok_or(Stop)?;
        Ok(LinearizeReport::new(dae, found))
    }
}
