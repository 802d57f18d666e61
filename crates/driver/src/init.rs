//! `init`: is the start of a model determined, in which modes, and what is missing or too many.
//!
//! The structure of all modes and scenarios comes first; numbers then tell conditions that are redundant from those
//! that contradict each other, and find the start values and the initial mode.

use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Severity, Stop, did_you_mean};
use modeshift_modes::Limit;
use modeshift_report::Analyzed;
use modeshift_report::check::{limit_diagnostic, note_first_modes, note_start_not_checked};
use modeshift_simulate::initialization::{AssessedScenario, Looked, Search, assess};
use modeshift_structure::initialization::{
    InitialChoice, InitialVerdict, Initialization, initialization, initialization_of_first_states,
    initialization_within_budget,
};
use modeshift_structure::long_range::LongRange;

use crate::pipeline::Run;
use crate::question::{Answer, Dialect, Question};

pub use modeshift_report::init::*;

/// What `init` is asked about.
#[derive(Clone, Copy, Default)]
pub struct InitOptions<'a> {
    /// Only the modes with these values.
    pub at: Option<&'a str>,
    /// Only this scenario.
    pub scenario: Option<&'a str>,
    /// Fixed start values are left limits, so that the first instant may jump.
    pub impulsive_start: bool,
}

/// `init`: the start of a model in all modes, or in those that `at` names, and in all scenarios or in one.
pub fn init(question: &Question, options: InitOptions<'_>) -> Answer<InitReport> {
    let mut run = Run::new(question);
    let result = run.initialized(options);
    run.answer(result)
}

impl Run<'_> {
    fn initialized(&mut self, options: InitOptions<'_>) -> Result<InitReport, Stop> {
        let analyzed = self.structure_or_start(options.at, None)?;
        if analyzed.is_of_some_modes() {
            self.diagnostics.push(note_first_modes(&analyzed));
        }
        self.check_structure(&analyzed);
        let choice = self.choice(&analyzed, options.scenario)?;
        let start = self.initialization(&analyzed, &choice)?;
        let (assessed, said) = self.assessed(&analyzed, &start, Search::Determined, options.impulsive_start)?;
        self.diagnostics.extend(said);
        say_verdicts(&analyzed.dae, &start, &assessed, &mut self.diagnostics);
        let sources = self.library.sources();
        let word = || report(&analyzed, &start, &assessed, sources);
        let report = self.timings.measure("wording", word, |_| String::new());
        self.within_limits(&start)?;
        Ok(report)
    }

    /// All scenarios with their verdicts, and what there is to say about them.
    fn assessed(
        &mut self,
        analyzed: &Analyzed,
        start: &Initialization,
        search: Search,
        impulsive_start: bool,
    ) -> Result<(Vec<AssessedScenario>, Diagnostics), Stop> {
        let mut said = Diagnostics::new();
        let impulsive_start = impulsive_start || analyzed.dae.model.experiment.impulsive_start;
        let looked = Looked { analysis: &analyzed.analysis, search, impulsive_start };
        let find = || assess(&analyzed.dae, start, looked, &mut said);
        let assessed = self.timings.measure("finding start values", find, |_| String::new());
        self.within_limits(start)?;
        Ok((assessed, said))
    }

    /// Stops where a limit was reached: sets of modes are not what they should be then, and no verdict holds.
    fn within_limits(&mut self, start: &Initialization) -> Result<(), Stop> {
        start.space.check().map_err(|limit| {
            self.diagnostics.push(limit_diagnostic(&limit));
            Stop
        })
    }

    /// The part of `check` about the start: errors where a run would not start, silence where all is determined.
    pub(crate) fn check_start(&mut self, analyzed: &Analyzed) {
        let structural_only = self.question.source.dialect == Dialect::Mel && analyzed.dae.model.scenarios.is_empty();
        if structural_only {
            return; // MEL has no start values
        }
        let start = match self.initialization_within_budget(analyzed) {
            Ok(Some(start)) => Ok(start),
            Ok(None) if self.check_first_mode(analyzed) => return,
            Ok(None) => self.initialization(analyzed, &InitialChoice::default()),
            Err(stop) => Err(stop),
        };
        let Ok(start) = start else { return };
        let Ok((assessed, said)) = self.assessed(analyzed, &start, Search::AsInARun, false) else { return };
        let is_told = |it: &&Diagnostic| it.severity == Severity::Error || it.code == Code::W0378;
        said.iter().filter(is_told).for_each(|it| self.diagnostics.push(it.clone()));
        check_verdicts(&analyzed.dae, &start, &assessed, &mut self.diagnostics);
    }

    /// The part of `check` about the start of a model that was swept over.
    pub(crate) fn check_start_of_swept(&mut self, dae: MultimodeDae, found: LongRange) {
        let structural_only = self.question.source.dialect == Dialect::Mel && dae.model.scenarios.is_empty();
        if structural_only || self.diagnostics.has_errors() {
            return;
        }
        match self.structure_at_start_in_budget(dae, found) {
            Ok(Some(analyzed)) => {
                self.check_start(&analyzed);
                self.diagnostics.push(note_first_modes(&analyzed));
            }
            Ok(None) => self.diagnostics.push(note_start_not_checked()),
            Err(Stop) => {}
        }
    }

    /// Checks the start in the mode in which all machines begin, and says so. False, and nothing said, where there are no machines
    /// or the model does not start in that mode: some machine may leave its first state at once.
    fn check_first_mode(&mut self, analyzed: &Analyzed) -> bool {
        let said_before = std::mem::take(&mut self.diagnostics);
        let found = self.start_in_first_mode(analyzed);
        self.diagnostics = said_before;
        let Some((start, assessed)) = found else { return false };
        check_verdicts(&analyzed.dae, &start, &assessed, &mut self.diagnostics);
        let message =
            "the start depends on modes far away: it is checked where all machines are in their initial states";
        let note = Diagnostic::note(Code::N0712, message);
        self.diagnostics.push(note.help("`init --at` looks at the modes that it is told of"));
        true
    }

    fn start_in_first_mode(&mut self, analyzed: &Analyzed) -> Option<(Initialization, Vec<AssessedScenario>)> {
        let start = self.initialization_of_first_states(analyzed)?;
        let (assessed, said) = self.assessed(analyzed, &start, Search::AsInARun, false).ok()?;
        let is_refused = |it: &AssessedScenario| it.failed || it.verdict() == InitialVerdict::Overdetermined;
        let is_found = !self.diagnostics.has_errors() && !said.has_errors() && !assessed.iter().any(is_refused);
        is_found.then_some((start, assessed))
    }

    pub(crate) fn initialization(
        &mut self,
        analyzed: &Analyzed,
        choice: &InitialChoice,
    ) -> Result<Initialization, Stop> {
        let options = self.options(&analyzed.within);
        let within = [&analyzed.within[..], &choice.within].concat();
        let choice = InitialChoice { within, ..choice.clone() };
        let diagnostics = &mut self.diagnostics;
        let analyze = || initialization(&analyzed.dae, &analyzed.analysis, &choice, &options, diagnostics);
        let size = |result: &Result<Initialization, Limit>| result.as_ref().map_or_else(|_| String::new(), start_size);
        self.timings.measure("initializing", analyze, size).map_err(|limit| self.limit(&limit))
    }

    /// The start in all modes, or nothing where its sets of modes outgrow their budget.
    fn initialization_within_budget(&mut self, analyzed: &Analyzed) -> Result<Option<Initialization>, Stop> {
        let options = self.options(&analyzed.within);
        let choice = InitialChoice { within: analyzed.within.clone(), ..InitialChoice::default() };
        let diagnostics = &mut self.diagnostics;
        let analyze =
            || initialization_within_budget(&analyzed.dae, &analyzed.analysis, &choice, &options, diagnostics);
        let size = |result: &Result<Option<Initialization>, Limit>| match result {
            Ok(Some(start)) => start_size(start),
            Ok(None) => "more than its budget".to_string(),
            Err(_) => String::new(),
        };
        self.timings.measure("initializing", analyze, size).map_err(|limit| self.limit(&limit))
    }

    /// The start where all machines begin; nothing where there are none or a limit is reached.
    fn initialization_of_first_states(&mut self, analyzed: &Analyzed) -> Option<Initialization> {
        let options = self.options(&analyzed.within);
        let choice = InitialChoice { within: analyzed.within.clone(), ..InitialChoice::default() };
        let diagnostics = &mut self.diagnostics;
        let analyze =
            || initialization_of_first_states(&analyzed.dae, &analyzed.analysis, &choice, &options, diagnostics);
        let size = |found: &Result<Option<Initialization>, Limit>| {
            found.as_ref().ok().and_then(Option::as_ref).map_or_else(String::new, start_size)
        };
        self.timings.measure("initializing", analyze, size).ok().flatten()
    }

    /// The scenario that `--scenario` names.
    pub(crate) fn choice(&mut self, analyzed: &Analyzed, scenario: Option<&str>) -> Result<InitialChoice, Stop> {
        let Some(name) = scenario else { return Ok(InitialChoice::default()) };
        let scenarios = &analyzed.dae.model.scenarios;
        if let Some((id, _)) = scenarios.iter_enumerated().find(|(_, scenario)| &*scenario.name == name) {
            return Ok(InitialChoice { scenario: Some(id), ..InitialChoice::default() });
        }
        let names = scenarios.iter().map(|scenario| &*scenario.name);
        let message = match did_you_mean(name, names.clone()) {
            Some(suggestion) => format!("--scenario: the model has no scenario `{name}`; {suggestion}"),
            None if scenarios.is_empty() => format!("--scenario {name}: the model has no scenarios"),
            None => format!("--scenario {name}: the model has {}", names.collect::<Vec<_>>().join(", ")),
        };
        self.diagnostics.push(Diagnostic::error(Code::E0004, message));
        Err(Stop)
    }
}

fn start_size(start: &Initialization) -> String {
    let (equations, edges) = (start.system.origins.len(), start.system.incidence.edge_count());
    format!("{equations} equations, {edges} edges, {} nodes", start.space.node_count())
}
