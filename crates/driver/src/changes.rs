//! `changes`: what every mode change of a model does. Which constraints of the new mode the past cannot satisfy, what
//! jumps, what is impulsive, what nothing determines, and the restart equations.
//!
//! All pairs of modes are analyzed at once (E22 §8–9 without enumerating pairs); kinds of changes with one verdict are
//! listed where they are few, and models with many are summarized.

use modeshift_diagnostics::{Code, Diagnostic, Stop};
use modeshift_mode_changes::AllChanges;
use modeshift_modes::{Limit, ModeSet};
use modeshift_report::Analyzed;
use modeshift_report::check::limit_diagnostic;

use crate::pipeline::Run;
use crate::question::{Answer, Question};

pub use modeshift_report::changes::*;

/// `changes`: all mode changes, or those that the selection names.
pub fn changes(question: &Question, selection: &Selection<'_>) -> Answer<ChangesReport> {
    let mut run = Run::new(question);
    let result = run.changed(selection);
    run.answer(result)
}

impl Run<'_> {
    fn changed(&mut self, selection: &Selection<'_>) -> Result<ChangesReport, Stop> {
        let dae = self.multimode_dae()?;
        let from = self.within(&dae, "--from", selection.from)?;
        let to = self.within(&dae, "--to", selection.to)?;
        let analyzed = self.analyzed_for_change(dae, &from, &to)?;
        let changes = self.all_changes(&analyzed)?;
        let pairs = selected_pairs(&changes, &from, &to);
        if pairs.is_empty() {
            return Err(self.no_such_change(selection));
        }
        self.judge(&analyzed, &changes, pairs);
        note_instants_of_laws(&analyzed, &mut self.diagnostics);
        let words = Wording { analyzed: &analyzed, changes: &changes, pairs, selection };
        let report = self.timings.measure("wording", || words.report(&from, &to), |_| String::new());
        report.map_err(|limit| self.limit(&limit))
    }

    /// What `check` says about mode changes: nothing where all are determined.
    pub(crate) fn check_changes(&mut self, analyzed: &Analyzed) {
        let Ok(changes) = self.all_changes(analyzed) else { return };
        self.judge(analyzed, &changes, changes.pairs.regular);
    }

    /// Says what some changes leave open. How far jumps reach is found here, where anything asks for it.
    fn judge(&mut self, analyzed: &Analyzed, changes: &AllChanges<'_>, pairs: ModeSet) {
        let diagnostics = &mut self.diagnostics;
        let judge = || say_verdicts(analyzed, changes, pairs, diagnostics);
        let nodes = |&(): &()| format!("{} nodes", changes.pairs.space.node_count());
        self.timings.measure("judging mode changes", judge, nodes);
    }

    pub(crate) fn all_changes<'b>(&mut self, analyzed: &'b Analyzed) -> Result<AllChanges<'b>, Stop> {
        let options = self.options(&analyzed.within);
        let analyze = || AllChanges::new(&analyzed.dae, &analyzed.analysis, &options);
        let size = |result: &Result<AllChanges<'_>, Limit>| match result {
            Ok(changes) => {
                format!("{} erased, {} nodes", changes.memory.erased.len(), changes.pairs.space.node_count())
            }
            Err(_) => String::new(),
        };
        self.timings.measure("analyzing mode changes", analyze, size).map_err(|limit| self.limit(&limit))
    }

    pub(crate) fn limit(&mut self, limit: &Limit) -> Stop {
        self.diagnostics.push(limit_diagnostic(limit));
        Stop
    }

    fn no_such_change(&mut self, selection: &Selection<'_>) -> Stop {
        let options = [("--from", selection.from), ("--to", selection.to)];
        let given: Vec<String> =
            options.iter().filter_map(|(name, value)| value.map(|value| format!("{name} {value}"))).collect();
        let message = match given.is_empty() {
            true => "the model has no two regular modes to change between".to_string(),
            false if given.len() == 2 => {
                let given = given.join(" ");
                format!("{given}: the model has no regular modes with these values, or no transition between them")
            }
            false => format!("{}: the model has no regular modes with these values", given.join(" ")),
        };
        self.diagnostics.push(Diagnostic::error(if given.is_empty() { Code::E0804 } else { Code::E0003 }, message));
        Stop
    }
}
