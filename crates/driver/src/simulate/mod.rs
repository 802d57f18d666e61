//! `simulate`: runs a model and tells observers what happens.
//!
//! The analysis comes first, then what the user wants is checked as a whole, then the outputs are opened: nothing is
//! computed whose result could not be kept. Where the results go is the caller's business.
//!
//! | module | purpose |
//! |---|---|
//! | `input` | signals for inputs, from a table |
//! | `sensitivities` | how end values and times of events change with parameters |
//! | `settings` | the settings of a run from options and annotation |
//! | `table_result` | results as Parquet and Arrow files |

pub(crate) mod input;
mod sensitivities;
mod settings;
mod table_result;

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{FlatModel, MultimodeDae, Type};
use modeshift_diagnostics::{Code, Diagnostic, SourceMap, Stop, did_you_mean};
use modeshift_modes::clock::Instant;
use modeshift_numerics::NativeFunctions;
use modeshift_report::Analyzed;
use modeshift_report::check::{
    check_branches, check_clauses, check_missing_variables, check_structure, note_combinations, note_run,
};
use modeshift_report::wording::{SetTexts, mode_names};
use modeshift_simulate::results::plot::matching;
use modeshift_simulate::results::{Columns, Observer, PeriodStatistics, Tally};
use modeshift_simulate::run::{RunModel, RunSettings, run, run_periodic};
use modeshift_structure::{Analysis, Options};

use crate::pipeline::Run;
use crate::question::valuation::split_outside_quotes;
use crate::question::{Answer, Question};

pub use input::InputTable;
pub use modeshift_report::simulate::{Periodic, Simulated};
pub use modeshift_simulate::integrate::Method;
pub use modeshift_simulate::results;
pub use modeshift_simulate::run::{InputError, Present, RunEnd, RunSummary, Simulation, Snapshot, StepError, Stepped};
pub use modeshift_tables::Format;
pub use settings::RunOptions;
pub use table_result::TableResult;

/// An observer that needs the name of the model before anything is run.
pub trait Outputs: Observer {
    /// Is told what was read, which must not be written over.
    fn have_read(&mut self, _sources: &SourceMap) {}

    /// Makes ready for the results of this model, which is to run from a start time to a stop time; or says in one
    /// line why it cannot.
    fn open(&mut self, model: &str, span: (f64, f64)) -> Result<(), String>;

    /// Is told which variables are true or false, mode variables apart, before anything is run.
    fn booleans(&mut self, _names: BTreeSet<String>) {}
}

/// The whole result in memory.
impl Outputs for results::Trajectory {
    fn open(&mut self, _model: &str, _span: (f64, f64)) -> Result<(), String> {
        Ok(())
    }
}

/// `simulate`: runs a model. Without a result where it could not be started.
pub fn simulate(question: &Question, options: &RunOptions, outputs: &mut dyn Outputs) -> Answer<Simulated> {
    let mut run = Run::new(question);
    let result = run.simulated(options, outputs);
    run.answer(result)
}

impl Run<'_> {
    fn simulated(&mut self, options: &RunOptions, outputs: &mut dyn Outputs) -> Result<Simulated, Stop> {
        self.input = options.input.clone();
        let analyzed = self.structure_or_start(None, options.start)?;
        if let Some(found) = analyzed.long_range.as_ref().filter(|_| analyzed.is_of_some_modes()) {
            self.diagnostics.push(note_run(found));
        }
        self.runnable(&analyzed)?;
        let settings = self.settings(&analyzed, options)?;
        self.check_wanted(&analyzed, options)?;
        let model = analyzed.dae.model.name.to_string();
        outputs.have_read(self.library.sources());
        outputs.booleans(booleans(&analyzed.dae.model));
        if let Err(message) = outputs.open(&model, (settings.start, settings.stop)) {
            self.diagnostics.push(Diagnostic::error(Code::E0006, message));
            return Err(Stop);
        }
        match options.periodic {
            Some(period) => {
                let wanted = options.kept_variables.as_deref().map(variable_names).unwrap_or_default();
                self.run_periodic(&analyzed, &settings, (period, wanted), outputs)
            }
            None => {
                let simulated = self.run((&analyzed.dae, &analyzed.analysis), &settings, outputs)?;
                let looked_at = self.looked_at.borrow().clone();
                Ok(self.with_sensitivities(simulated, &analyzed, &analyzed.dae, &looked_at, (&settings, options)))
            }
        }
    }

    /// Runs a model that was found runnable.
    pub(crate) fn run(
        &mut self,
        (dae, analysis): (&MultimodeDae, &Analysis),
        settings: &RunSettings,
        outputs: &mut dyn Observer,
    ) -> Result<Simulated, Stop> {
        let (natives, overrides) = (NativeFunctions::of(&dae.model), BTreeMap::new());
        let model = RunModel { dae, analysis, natives: &natives, overrides: &overrides };
        let (mut tally, begin) = (Tally::default(), Instant::now());
        let mut observers = Both { tally: &mut tally, outputs };
        let diagnostics = &mut self.diagnostics;
        let simulate = || run(&model, settings, &mut observers, diagnostics);
        let size = |summary: &Option<RunSummary>| summary.as_ref().map(size_of).unwrap_or_default();
        let summary = self.timings.measure("simulating", simulate, size).ok_or(Stop)?;
        let (model, time) = (dae.model.name.to_string(), begin.elapsed());
        Ok(Simulated { model, summary, start: settings.start, tally, time, periodic: None, sensitivities: None })
    }

    /// The periodic steady state, of which one period is run for the outputs.
    fn run_periodic(
        &mut self,
        analyzed: &Analyzed,
        settings: &RunSettings,
        (period, wanted): (f64, Vec<String>),
        outputs: &mut dyn Outputs,
    ) -> Result<Simulated, Stop> {
        let (natives, overrides) = (NativeFunctions::of(&analyzed.dae.model), BTreeMap::new());
        let Analyzed { dae, analysis, .. } = analyzed;
        let model = RunModel { dae, analysis, natives: &natives, overrides: &overrides };
        let (mut tally, begin) = (Tally::default(), Instant::now());
        let mut statistics = PeriodStatistics::of(wanted);
        let mut both = Both { tally: &mut tally, outputs };
        let mut observers: Vec<&mut dyn Observer> = vec![&mut both, &mut statistics];
        let found = run_periodic(&model, settings, period, &mut observers, &mut self.diagnostics);
        let (summary, state) = found.ok_or(Stop)?;
        let (model, start, time) = (dae.model.name.to_string(), state.from, begin.elapsed());
        let periodic = Some(Periodic { state, variables: statistics.finish() });
        Ok(Simulated { model, summary, start, tally, time, periodic, sensitivities: None })
    }

    /// Stops where no mode can be run; says so where some are wrong, because a run may get there.
    pub(crate) fn runnable(&mut self, analyzed: &Analyzed) -> Result<(), Stop> {
        check_clauses(analyzed, &mut self.diagnostics);
        check_branches(analyzed, &mut self.diagnostics);
        if check_missing_variables(analyzed, &mut self.diagnostics) || self.diagnostics.has_errors() {
            return Err(Stop);
        }
        let Analyzed { dae, analysis, singularities, .. } = analyzed;
        let space = &analysis.space;
        let singular = singularities.wrong;
        let valid = analysis.invariant.concerning(space, singular);
        if space.and(singular, valid).is_empty() {
            if !analyzed.dependences.is_empty() {
                check_structure(analyzed, &mut self.diagnostics);
            } else if analysis.is_regular() {
                note_combinations(analyzed, &mut self.diagnostics);
            }
            return Ok(());
        }
        if space.implies(valid, space.or(singular, singularities.impossible)) {
            check_structure(analyzed, &mut self.diagnostics);
        } else {
            let names = mode_names(dae);
            let texts = SetTexts::new(dae, analysis, &names);
            let warning = Diagnostic::warning(Code::W0602, "some modes are singular; a run that gets there stops")
                .when(texts.text(singular))
                .example(texts.example(singular))
                .help("`modeshift check` says what is wrong with them");
            self.diagnostics.push(warning);
        }
        if self.diagnostics.has_errors() { Err(Stop) } else { Ok(()) }
    }

    pub(crate) fn settings(&mut self, analyzed: &Analyzed, options: &RunOptions) -> Result<RunSettings, Stop> {
        let scenario = self.choice(analyzed, options.scenario.as_deref())?.scenario;
        let Options { node_limit, time_limit, .. } = self.options(&analyzed.within);
        match settings::settings(&analyzed.dae.model.experiment, options, scenario) {
            Ok(settings) => Ok(RunSettings { node_limit, time_limit, ..settings }),
            Err(message) => {
                self.diagnostics.push(Diagnostic::error(Code::E0005, message));
                Err(Stop)
            }
        }
    }

    /// Every name that is to be drawn or kept is the name of a variable.
    pub(crate) fn check_wanted(&mut self, analyzed: &Analyzed, options: &RunOptions) -> Result<(), Stop> {
        self.check_names(analyzed, "--plot-vars", options.plot_variables.as_deref())?;
        self.check_names(analyzed, "--vars", options.kept_variables.as_deref())
    }

    fn check_names(&mut self, analyzed: &Analyzed, option: &str, names: Option<&str>) -> Result<(), Stop> {
        let wanted = variable_names(names.unwrap_or_default());
        if wanted.is_empty() {
            return Ok(());
        }
        let columns = Columns::of(&analyzed.dae, |_| None);
        let is_unknown = |name: &&String| matching(name, &columns).next().is_none();
        let Some(unknown) = wanted.iter().find(is_unknown) else { return Ok(()) };
        let names = columns.columns.iter().map(|column| &*column.name);
        let message = match did_you_mean(unknown, names) {
            Some(suggestion) => format!("{option}: the model has no variable `{unknown}`; {suggestion}"),
            None => format!("{option}: the model has no variable `{unknown}`"),
        };
        self.diagnostics.push(Diagnostic::error(Code::E0007, message));
        Err(Stop)
    }
}

/// The variables of a model that are true or false.
pub(crate) fn booleans(model: &FlatModel) -> BTreeSet<String> {
    let booleans = model.variables.iter().filter(|it| it.ty == Type::Boolean);
    booleans.map(|it| it.name.to_string()).collect()
}

/// The names in `--plot-vars` and `--vars`, which commas separate unless they stand in brackets or quotes.
pub fn variable_names(text: &str) -> Vec<String> {
    let unquoted = |name: &str| {
        let name = name.trim();
        name.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(name).to_string()
    };
    split_outside_quotes(text).iter().map(|name| unquoted(name)).collect()
}

/// The tally, then the outputs.
struct Both<'a> {
    tally: &'a mut Tally,
    outputs: &'a mut dyn Observer,
}

/// What `--timings` says of a run: `20 rows, 4 events, 2 modes, solved exactly: g; h, k`.
fn size_of(summary: &RunSummary) -> String {
    let RunSummary { rows, events, modes, exactly, exact_modes, .. } = summary;
    let mut size = format!("{rows} rows, {events} events, {modes} modes");
    if *exactly > 0 {
        let more = exactly - exact_modes.len();
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        size += &format!(", solved exactly: {}{more}", exact_modes.join("; "));
    }
    size
}

impl Observer for Both<'_> {
    fn columns(&mut self, columns: &Columns) {
        self.outputs.columns(columns);
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        self.tally.row(time, values);
        self.outputs.row(time, values);
    }

    fn event(&mut self, event: &results::EventRecord) {
        self.tally.event(event);
        self.outputs.event(event);
    }

    fn progress(&mut self, progress: results::Progress<'_>) -> std::ops::ControlFlow<()> {
        self.outputs.progress(progress)
    }
}
