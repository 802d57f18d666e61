//! From a question to its answer: one function per question, each line a stage.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{EquationKind, FlatModel, Id, ModeVariableId, MultimodeDae, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Stop};
use modeshift_elaborate::elaborate;
use modeshift_flatten::{Files, Library, Recording, Request, flatten_mel};
use modeshift_modes::clock::Instant;
use modeshift_modes::{Limit, LimitKind, TimeLimit};
use modeshift_numerics::{NativeFunctions, Parameters};
use modeshift_report::Analyzed;
use modeshift_report::analyze::{self as report, AnalyzeReport, LARGEST_LISTING, Scope, valuation_text};
use modeshift_report::check::{check_invariant, check_structure, limit_diagnostic, needs_few_words};
use modeshift_report::flat::{FlatReport, flat_report};
use modeshift_report::singular::passing_modes;
use modeshift_report::wording::{invariant_text, mode_names};
use modeshift_structure::long_range::{LongRange, NotSwept, SweepSize, long_range};
use modeshift_structure::{
    Analysis, Options, Regularized, Singularities, Structure, invariant_of, regularize, regularize_or_sweep,
    singularities, undo,
};

use crate::question::valuation::parse_valuation;
use crate::question::{Answer, Dialect, Question};
use crate::simulate::InputTable;
use crate::simulate::input::drive;
use crate::timings::Timings;

/// `flatten`: the guarded equation system of a model.
pub fn flatten(question: &Question) -> Answer<MultimodeDae> {
    let mut run = Run::new(question);
    let result = run.multimode_dae();
    run.answer(result)
}

/// `analyze`: the structure of all modes, or of those that `at` names.
pub fn analyze(question: &Question, at: Option<&str>) -> Answer<Analyzed> {
    let mut run = Run::new(question);
    let result = match question.limits.nodes {
        Some(_) => run.analyzed(at),
        None => run.analyzed_or_one_mode(at),
    };
    let result = result.map(|analyzed| run.analyzed_as_component(at).unwrap_or(analyzed));
    run.answer(result)
}

/// A question on its way to its answer.
pub(crate) struct Run<'a> {
    pub(crate) question: &'a Question,
    pub(crate) start: Instant,
    pub(crate) library: Library,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) timings: Timings,
    /// The parameters whose values the analysis asked for.
    pub(crate) looked_at: LookedAt,
    /// What the inputs of the model follow.
    pub(crate) input: Option<InputTable>,
}

/// More nodes than this, a second of work, are not made to tell kinds of singular modes apart: a tree of feeders has more places that can
/// be cut off than could be listed.
const MOST_NODES_TO_JUDGE: usize = 1 << 21;
/// More nodes than this are not made for the modes in which a model may start whose modes are too many as a whole.
const MOST_NODES_OF_START: usize = 1 << 20;

/// A model with its structure, by whichever method that allows.
pub(crate) enum Found {
    /// As sets of modes, with the kinds of singular ones.
    Sets(Box<Analyzed>),
    /// Its verdicts only, by a sweep.
    Swept(Box<MultimodeDae>, Box<LongRange>),
}

/// Parameters, noted as they are looked at.
pub(crate) type LookedAt = RefCell<BTreeSet<VariableId>>;

impl<'a> Run<'a> {
    pub(crate) fn new(question: &'a Question) -> Self {
        Run::reading(question, question.opened.clone())
    }

    /// The same, with other files than those of this machine.
    pub(crate) fn reading(question: &'a Question, files: impl Files + 'static) -> Self {
        let library = Library::new(files, question.libraries.clone());
        Run {
            question,
            start: Instant::now(),
            library: match &question.parsed {
                Some(parsed) => library.keeping(parsed.clone()),
                None => library,
            },
            diagnostics: Diagnostics::new(),
            timings: Timings::telling(question.progress.clone()),
            looked_at: LookedAt::default(),
            input: None,
        }
    }

    /// That all files that were read are of one version; said where they are not.
    pub(crate) fn unmixed(&mut self) -> Result<(), Stop> {
        let Some(path) = self.question.opened.kept().and_then(Recording::mixed) else { return Ok(()) };
        let message = format!("`{}` has changed since it was read, and others were read after it", path.display());
        self.diagnostics.push(Diagnostic::error(Code::E0001, message).help("load the model again"));
        Err(Stop)
    }

    pub(crate) fn answer<T>(mut self, result: Result<T, Stop>) -> Answer<T> {
        let result = self.unmixed().and(result);
        Answer {
            result: result.ok(),
            sources: std::mem::take(self.library.sources_mut()),
            diagnostics: self.diagnostics,
            timings: self.timings,
        }
    }

    pub(crate) fn analyzed(&mut self, at: Option<&str>) -> Result<Analyzed, Stop> {
        let analyzed = self.structure(at)?;
        self.check_structure(&analyzed);
        Ok(analyzed)
    }

    pub(crate) fn check_structure(&mut self, analyzed: &Analyzed) {
        let diagnostics = &mut self.diagnostics;
        self.timings.measure("checking", || check_structure(analyzed, diagnostics), |()| String::new());
    }

    /// The structure without a verdict.
    pub(crate) fn structure(&mut self, at: Option<&str>) -> Result<Analyzed, Stop> {
        let dae = self.multimode_dae()?;
        self.structure_of(dae, at)
    }

    /// The structure of a model with a verdict, in which conditions of `when` clauses are mode variables.
    pub(crate) fn analyzed_with_instants(&mut self, dae: MultimodeDae, at: Option<&str>) -> Result<Analyzed, Stop> {
        let analyzed = self.structure_of(dae, at)?;
        self.check_structure(&analyzed);
        Ok(analyzed)
    }

    pub(crate) fn structure_of(&mut self, dae: MultimodeDae, at: Option<&str>) -> Result<Analyzed, Stop> {
        let within = self.within(&dae, "--at", at)?;
        let regularized = self.regularized(dae, &within)?;
        self.judged(regularized, within)
    }

    /// A structure with the kinds of its singular modes.
    pub(crate) fn judged(
        &mut self,
        regularized: Regularized,
        within: Vec<(ModeVariableId, bool)>,
    ) -> Result<Analyzed, Stop> {
        let mut analyzed = not_judged(regularized, within);
        self.possible_modes(&analyzed)?;
        self.judge_singular_modes(&mut analyzed).map_err(|limit| self.limit(&limit))?;
        self.find_few_words(&mut analyzed);
        Ok(analyzed)
    }

    /// The structure with the kinds of singular modes; or a sweep, where sets of modes outgrow their budget for either.
    pub(crate) fn analyzed_or_swept(
        &mut self,
        dae: MultimodeDae,
        asked: Vec<(ModeVariableId, bool)>,
    ) -> Result<Found, Stop> {
        let regularized = match self.regularized_or_swept(dae, &asked)? {
            Structure::Sets(regularized) => *regularized,
            Structure::Swept(dae, found) => return Ok(Found::Swept(dae, found)),
        };
        if self.question.limits.nodes.is_some() {
            return self.judged(regularized, asked).map(|analyzed| Found::Sets(Box::new(analyzed)));
        }
        let mut analyzed = not_judged(regularized, asked);
        self.possible_modes(&analyzed)?;
        let space = &analyzed.analysis.space;
        space.set_node_limit(space.node_count() + MOST_NODES_TO_JUDGE);
        match self.judge_singular_modes(&mut analyzed) {
            Ok(()) => {
                analyzed.analysis.space.lift_limits();
                if let Some(time) = self.options(&[]).time_limit {
                    analyzed.analysis.space.set_time_limit(time);
                }
                self.find_few_words(&mut analyzed);
                Ok(Found::Sets(Box::new(analyzed)))
            }
            Err(Limit { kind: LimitKind::Nodes(_), .. }) => {
                let Analyzed { mut dae, combinations, within, .. } = analyzed;
                undo(&mut dae, &combinations);
                match self.swept(&mut dae, &within) {
                    Ok(found) => Ok(Found::Swept(Box::new(dae), Box::new(found))),
                    Err(_) => {
                        let regularized = self.regularized(dae, &within)?;
                        self.judged(regularized, within).map(|analyzed| Found::Sets(Box::new(analyzed)))
                    }
                }
            }
            Err(limit) => Err(self.limit(&limit)),
        }
    }

    fn swept(&mut self, dae: &mut MultimodeDae, within: &[(ModeVariableId, bool)]) -> Result<LongRange, NotSwept> {
        let options = self.options(within);
        let values = parameter_values(&dae.model);
        let sweep = || long_range(dae, &options, &|variable: VariableId| values[variable.index()]);
        self.timings.measure("sweeping", sweep, sweep_size)
    }

    /// Sweeps over a model whose singular modes have no formula that could be read.
    fn find_few_words(&mut self, analyzed: &mut Analyzed) {
        let places = &analyzed.singularities.places;
        if places.iter().any(|place| needs_few_words(&analyzed.analysis, place)) {
            let mut dae = analyzed.dae.clone();
            undo(&mut dae, &analyzed.combinations);
            analyzed.long_range = self.swept(&mut dae, &analyzed.within).ok();
        }
    }

    pub(crate) fn multimode_dae(&mut self) -> Result<MultimodeDae, Stop> {
        let flat = self.flat()?;
        self.elaborated(flat)
    }

    pub(crate) fn flat(&mut self) -> Result<FlatModel, Stop> {
        let mut flat = match self.question.source.dialect {
            Dialect::Modelica => self.flat_modelica(),
            Dialect::Mel => self.flat_mel(),
        }?;
        if let Some(table) = &self.input
            && let Err(message) = drive(&mut flat, table)
        {
            self.diagnostics.push(Diagnostic::error(Code::E0009, message));
            return Err(Stop);
        }
        Ok(flat)
    }

    pub(crate) fn elaborated(&mut self, flat: FlatModel) -> Result<MultimodeDae, Stop> {
        let diagnostics = &mut self.diagnostics;
        let dae = self.timings.measure("finding modes", || elaborate(flat, diagnostics), modes_size)?;
        if self.diagnostics.has_errors() { Err(Stop) } else { Ok(dae) }
    }

    /// What of the sources is asked for.
    pub(crate) fn request(&self) -> Request {
        Request { model: self.question.model.clone(), overrides: self.question.overrides.clone() }
    }

    fn flat_modelica(&mut self) -> Result<FlatModel, Stop> {
        let request = self.request();
        let Run { question, library, diagnostics, timings, .. } = self;
        let source = &question.source;
        let bytes = |_: &()| format!("{} bytes", source.text.len());
        let parse = || match &source.path {
            Some(path) => library.add_file(path, &source.text, diagnostics),
            None => library.add_text(&source.name, &source.text, diagnostics),
        };
        timings.measure("parsing", parse, bytes);
        if diagnostics.has_errors() {
            return Err(Stop);
        }
        timings.measure("flattening", || modeshift_flatten::flatten(library, &request, diagnostics), flat_size)
    }

    fn flat_mel(&mut self) -> Result<FlatModel, Stop> {
        let Run { question, library, diagnostics, timings, .. } = self;
        let source = &question.source;
        let file = library.sources_mut().add(source.name.clone(), source.text.clone());
        let bytes = |_: &modeshift_syntax::mel::Program| format!("{} bytes", source.text.len());
        let parse = || modeshift_syntax::parse_mel(file, &source.text, diagnostics);
        let program = timings.measure("parsing", parse, bytes);
        if diagnostics.has_errors() {
            return Err(Stop);
        }
        let name = question.model.clone().unwrap_or_else(|| model_name(&source.name));
        let flatten = || flatten_mel(&name, &program, &question.overrides, diagnostics);
        timings.measure("flattening", flatten, flat_size)
    }

    /// The mode variables that an option such as `--at` names.
    pub(crate) fn within(
        &mut self,
        dae: &MultimodeDae,
        option: &str,
        modes: Option<&str>,
    ) -> Result<Vec<(ModeVariableId, bool)>, Stop> {
        let Some(text) = modes else { return Ok(Vec::new()) };
        match parse_valuation(text, dae.mode_variables.iter().map(|mode| &*mode.name)) {
            Ok(values) => {
                Ok(values.into_iter().map(|(mode, value)| (ModeVariableId::from_index(mode), value)).collect())
            }
            Err(message) => {
                self.diagnostics.push(Diagnostic::error(Code::E0002, format!("{option} {text}: {message}")));
                Err(Stop)
            }
        }
    }

    /// What of the model to analyze, and what is left of the limits.
    pub(crate) fn options(&self, within: &[(ModeVariableId, bool)]) -> Options {
        let limits = self.question.limits;
        Options {
            within: within.to_vec(),
            node_limit: limits.nodes,
            time_limit: limits.time.map(|time| TimeLimit::since(self.start, time)),
            ..Options::default()
        }
    }

    /// The structure of the model; equations are combined where that repairs what the structure alone does not see.
    pub(crate) fn regularized(
        &mut self,
        dae: MultimodeDae,
        within: &[(ModeVariableId, bool)],
    ) -> Result<Regularized, Stop> {
        let options = self.options(within);
        self.regularized_with(dae, &options).map_err(|limit| self.limit(&limit))
    }

    /// The same; nothing where sets of modes outgrow a budget.
    pub(crate) fn regularized_in_budget(
        &mut self,
        dae: MultimodeDae,
        within: &[(ModeVariableId, bool)],
    ) -> Result<Option<Regularized>, Stop> {
        let options = Options { node_limit: Some(MOST_NODES_OF_START), ..self.options(within) };
        match self.regularized_with(dae, &options) {
            Ok(found) => {
                found.analysis.space.lift_limits();
                if let Some(time) = options.time_limit {
                    found.analysis.space.set_time_limit(time);
                }
                Ok(Some(found))
            }
            Err(Limit { kind: LimitKind::Nodes(_), .. }) => Ok(None),
            Err(limit) => Err(self.limit(&limit)),
        }
    }

    fn regularized_with(&mut self, dae: MultimodeDae, options: &Options) -> Result<Regularized, Limit> {
        let values = parameter_values(&dae.model);
        let value_of = noting(&values, &self.looked_at);
        let analyze = || regularize(dae, options, &value_of);
        let size = |result: &Result<Regularized, Limit>| match result {
            Ok(Regularized { analysis, .. }) => structure_size(analysis),
            Err(_) => String::new(),
        };
        self.timings.measure("analyzing", analyze, size)
    }

    /// The same, or a sweep where sets of modes outgrow their budget.
    fn regularized_or_swept(
        &mut self,
        dae: MultimodeDae,
        within: &[(ModeVariableId, bool)],
    ) -> Result<Structure, Stop> {
        let options = self.options(within);
        let values = parameter_values(&dae.model);
        let value_of = noting(&values, &self.looked_at);
        let analyze = || regularize_or_sweep(dae, &options, &value_of);
        let size = |result: &Result<Structure, Limit>| match result {
            Ok(Structure::Sets(regularized)) => structure_size(&regularized.analysis),
            Ok(Structure::Swept(_, found)) => found_size(found),
            Err(_) => String::new(),
        };
        self.timings.measure("analyzing", analyze, size).map_err(|limit| {
            self.diagnostics.push(limit_diagnostic(&limit));
            Stop
        })
    }

    /// Tells the kinds of singular modes apart, where there are any.
    fn judge_singular_modes(&mut self, analyzed: &mut Analyzed) -> Result<(), Limit> {
        if analyzed.analysis.is_regular() && analyzed.dependences.is_empty() {
            return Ok(());
        }
        let Analyzed { dae, analysis, combinations, .. } = analyzed;
        let values = parameter_values(&dae.model);
        let transient = passing_modes(dae, analysis);
        let value_of = noting(&values, &self.looked_at);
        let judge = || singularities(dae, analysis, combinations, transient, &value_of);
        let size = |result: &Result<Singularities, Limit>| match result {
            Ok(found) => format!("{} places", found.places.len()),
            Err(_) => String::new(),
        };
        analyzed.singularities = self.timings.measure("judging singular modes", judge, size)?;
        Ok(())
    }

    /// Stops where no mode is possible, because of the model or because of `--at`.
    fn possible_modes(&mut self, analyzed: &Analyzed) -> Result<(), Stop> {
        let Analyzed { dae, analysis, within, .. } = analyzed;
        if analysis.invariant.contradiction().is_none() {
            return Ok(());
        }
        if invariant_of(&analysis.space, dae, &[]).contradiction().is_some() {
            check_invariant(dae, &analysis.invariant, &mut self.diagnostics);
        } else {
            let message = format!("--at: the model has no mode with {}", valuation_text(dae, within));
            let invariant = invariant_of(&analysis.space, dae, &[]);
            let names = mode_names(dae);
            let invariant = invariant_text(&analysis.space, &invariant, &names);
            self.diagnostics
                .push(Diagnostic::error(Code::E0003, message).with_note(format!("all modes satisfy {invariant}")));
        }
        Err(Stop)
    }
}

/// A structure before the kinds of its singular modes are known.
fn not_judged(regularized: Regularized, within: Vec<(ModeVariableId, bool)>) -> Analyzed {
    let Regularized { dae, analysis, combinations, dependences, not_checked, .. } = regularized;
    let (singularities, long_range) = (Singularities::none(), None);
    Analyzed { dae, analysis, within, combinations, dependences, not_checked, singularities, long_range }
}

/// The values of parameters, which are noted as they are asked for.
pub(crate) fn noting<'v>(
    values: &'v [Option<f64>],
    looked_at: &'v LookedAt,
) -> impl Fn(VariableId) -> Option<f64> + use<'v> {
    |variable| {
        let value = values[variable.index()]?;
        looked_at.borrow_mut().insert(variable);
        Some(value)
    }
}

/// The values of parameters, as far as they are known: what is wrong with the others is no matter of structure.
pub(crate) fn parameter_values(model: &FlatModel) -> Vec<Option<f64>> {
    let (natives, overrides) = (NativeFunctions::of(model), BTreeMap::new());
    let parameters = Parameters::evaluate(model, &natives, &overrides, &mut Diagnostics::new());
    model.variables.ids().map(|variable| parameters.as_ref().ok()?.of(variable)).collect()
}

/// The class name of a MEL file: the name of the file.
fn model_name(file: &str) -> String {
    let name = std::path::Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "Model".to_string())
}

fn flat_size(flat: &Result<FlatModel, Stop>) -> String {
    match flat {
        Ok(flat) => format!("{} equations, {} variables", flat.equations.len(), flat.variables.len()),
        Err(Stop) => String::new(),
    }
}

fn structure_size(analysis: &Analysis) -> String {
    let (edges, blocks) = (analysis.incidence.edge_count(), analysis.graph.block_count());
    format!("{edges} edges, {blocks} blocks, {} nodes", analysis.space.node_count())
}

fn sweep_size(found: &Result<LongRange, NotSwept>) -> String {
    found.as_ref().map_or_else(|reason| format!("long-range method: {reason}"), found_size)
}

fn found_size(found: &LongRange) -> String {
    let SweepSize { boundary, states, minimal_states, .. } = found.singular.size;
    format!("long-range method: boundary {boundary}, {states} states per cut, {minimal_states} minimal")
}

fn modes_size(dae: &Result<MultimodeDae, Stop>) -> String {
    let Ok(dae) = dae else { return String::new() };
    let continuous = dae.model.equations.iter().filter(|equation| equation.kind == EquationKind::Continuous).count();
    format!("{continuous} continuous equations, {} mode variables", dae.mode_variables.len())
}

impl Answer<MultimodeDae> {
    /// The guarded equation system in words; nothing where flattening stopped.
    pub fn report(&self) -> Option<FlatReport> {
        self.result.as_ref().map(|dae| flat_report(dae, &self.sources))
    }
}

impl Answer<Analyzed> {
    /// The analysis in words, with at most so many blocks; nothing where it stopped or a limit is reached.
    pub fn report(&mut self, most_blocks: usize) -> Option<AnalyzeReport> {
        self.word(most_blocks, report::report)
    }

    /// A summary as text.
    pub fn summary(&mut self) -> Option<String> {
        self.word(0, report::summary_text)
    }

    /// Whether there are more equations than anyone wants to see listed.
    pub fn is_large(&self) -> bool {
        let equations = |analyzed: &Analyzed| analyzed.analysis.incidence.equations().len();
        self.result.as_ref().is_some_and(|analyzed| equations(analyzed) > LARGEST_LISTING)
    }

    fn word<T>(&mut self, most_blocks: usize, words: impl FnOnce(Scope<'_>) -> Result<T, Limit>) -> Option<T> {
        let Analyzed { dae, analysis, singularities, within, .. } = self.result.as_ref()?;
        let scope = Scope { dae, analysis, singularities, sources: &self.sources, within, most_blocks };
        match self.timings.measure("wording", || words(scope), |_| String::new()) {
            Ok(words) => Some(words),
            Err(limit) => {
                self.diagnostics.push(limit_diagnostic(&limit));
                None
            }
        }
    }
}
