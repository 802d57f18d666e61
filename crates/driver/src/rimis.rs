//! `rimis`: an equivalent model whose structure does not depend on modes, for ordinary tools.

use modeshift_dae::{Mode, MultimodeDae, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Stop};
use modeshift_modes::ModeSet;
use modeshift_report::Analyzed;
use modeshift_report::check::{check_long_range, limit_diagnostic, refuse_to_write};
use modeshift_report::rimis::RimisReport;
use modeshift_report::singular::singular_modes;
use modeshift_report::wording::{SetTexts, mode_names};
use modeshift_rimis::{Failure, Form, Start, mode_dependence, transform_within};
use modeshift_structure::initialization::InitialChoice;

use crate::pipeline::{Found, Run};
use crate::question::{Answer, Dialect, Question, Source};

/// What to write.
#[derive(Clone, Copy, Debug, Default)]
pub struct RimisOptions {
    /// The form of the papers, without robust guards.
    pub plain: bool,
    /// Analyze what was written, and say where its structure depends on the mode after all.
    pub check: bool,
}

/// `rimis`: the transformed model as Modelica text.
pub fn rimis(question: &Question, options: RimisOptions) -> Answer<RimisReport> {
    let mut run = Run::new(question);
    let result = run.transformed(options).map(|source| RimisReport { source });
    run.answer(result)
}

impl Run<'_> {
    fn transformed(&mut self, options: RimisOptions) -> Result<String, Stop> {
        let analyzed = self.analyzed_to_write()?;
        if self.diagnostics.has_errors() {
            return Err(Stop);
        }
        self.refuse_singular_modes(&analyzed)?;
        let is_given = options.plain || is_start_given(&analyzed);
        let mut of_start = Diagnostics::new();
        let start = if is_given { None } else { self.start_of(&analyzed, &mut of_start) };
        let form = if options.plain { Form::Plain } else { Form::Robust };
        let limits = self.options(&[]);
        let transform = || transform_within(&analyzed.dae, &analyzed.analysis, form, start.as_ref(), &limits);
        let bytes = |result: &Result<String, Failure>| match result {
            Ok(text) => format!("{} bytes", text.len()),
            Err(_) => String::new(),
        };
        let text = self.timings.measure("transforming", transform, bytes).map_err(|failure| {
            self.diagnostics.push(match failure {
                Failure::Limit(limit) => limit_diagnostic(&limit),
                Failure::Diagnosed(diagnostic) => *diagnostic,
            });
            Stop
        })?;
        of_start.iter().for_each(|diagnostic| self.diagnostics.push(diagnostic.clone()));
        if options.check {
            self.check_transformed(&text)?;
        }
        Ok(text)
    }

    /// The structure of all modes with a verdict. Stops where they are too many.
    fn analyzed_to_write(&mut self) -> Result<Analyzed, Stop> {
        let dae = self.multimode_dae()?;
        let found = match self.question.limits.nodes {
            Some(_) => Found::Sets(Box::new(self.structure_of(dae, None)?)),
            None => self.analyzed_or_swept(dae, Vec::new())?,
        };
        match found {
            Found::Sets(analyzed) => {
                self.check_structure(&analyzed);
                Ok(*analyzed)
            }
            Found::Swept(dae, found) => {
                check_long_range(&dae, &found, &mut self.diagnostics);
                self.diagnostics.push(refuse_to_write(&found));
                Err(Stop)
            }
        }
    }

    /// Stops where a mode is singular, however harmless: blocks of all modes are written, and must be square.
    fn refuse_singular_modes(&mut self, analyzed: &Analyzed) -> Result<(), Stop> {
        let Analyzed { dae, analysis, singularities, .. } = analyzed;
        let singular = singular_modes(dae, analysis, singularities);
        if singular.is_empty() && analysis.is_regular() {
            return Ok(());
        }
        let names = mode_names(dae);
        let texts = SetTexts::new(dae, analysis, &names);
        if singular.is_empty() {
            // Every singular mode passes in an instant, which the laws of a `when` complete.
            let instants = analysis.lasting_singular_modes(ModeSet::EMPTY);
            let message =
                "at the instant of a `when`, only its laws make the equations complete: ordinary tools cannot run that";
            let mut error = Diagnostic::error(Code::E0916, message);
            for clause in dae.model.when_clauses.iter().take(1) {
                error = error.label(clause.span, "these laws");
            }
            let help = "use `reinit` in the `when`, and give every variable an equation in all modes";
            let error = error.when(texts.text(instants)).example(texts.example(instants));
            self.diagnostics.push(error.help(help));
            return Err(Stop);
        }
        let message = "some modes are singular: their equations cannot be written so that an ordinary solver runs them";
        let mut error = Diagnostic::error(Code::E0916, message);
        for equation in singularities.places.iter().filter_map(|place| place.equations.first()).take(1) {
            let equation = &dae.model.equations[*equation];
            error = error.label(equation.span, format!("`{}`", equation.name));
        }
        let error = error
            .when(texts.text(singular))
            .example(texts.example(singular))
            .help("put small resistances into the ideal elements, or exclude these modes by an assertion");
        self.diagnostics.push(error);
        Err(Stop)
    }

    /// The start of the model, where one can be found. Where not, the transformed model has what the source says.
    fn start_of(&mut self, analyzed: &Analyzed, diagnostics: &mut Diagnostics) -> Option<Start> {
        let initialization = self.initialization(analyzed, &InitialChoice::default()).ok()?;
        let Some(state) = modeshift_simulate::initialization::start_of_run(&analyzed.dae, &initialization, diagnostics)
        else {
            let message = "no start values were found; states that the model does not fix start as declared";
            diagnostics.push(Diagnostic::warning(Code::W0901, message).help("`init` says what is missing"));
            return None;
        };
        Some(Start {
            mode: Some(Mode::from_fn(analyzed.dae.mode_variables.len(), |mode| state.mode.value(mode))),
            values: state.values.iter().map(|(&quantity, &value)| (quantity, value)).collect(),
        })
    }

    /// Reads back what was written, and compares the approximate structural analysis with the exact one.
    fn check_transformed(&mut self, text: &str) -> Result<(), Stop> {
        let source =
            Source { name: "<rimis>".to_string(), path: None, text: text.to_string(), dialect: Dialect::Modelica };
        let question = Question { source, model: None, overrides: Vec::new(), ..self.question.clone() };
        let mut answer = crate::pipeline::analyze(&question, None);
        let Some(analyzed) = answer.result.take() else {
            let first = answer.diagnostics.iter().next().map(|diagnostic| diagnostic.message.clone());
            let message = "what was written cannot be analyzed; this is a bug in modeshift, please report it";
            let diagnostic = Diagnostic::error(Code::E0911, message).with_note(first.unwrap_or_default());
            self.diagnostics.push(diagnostic);
            return Err(Stop);
        };
        for dependence in mode_dependence(&analyzed.analysis) {
            self.diagnostics.push(Diagnostic::error(Code::E0912, format!("in the transformed model, {dependence}")));
        }
        Ok(())
    }
}

/// Whether the source itself says where every state and mode starts.
fn is_start_given(analyzed: &Analyzed) -> bool {
    let Analyzed { dae, analysis, .. } = analyzed;
    let offsets = &analysis.offsets.variables;
    let is_given = |variable: VariableId| match offsets[variable].maximum() {
        0 => true,
        1 => dae.model.variables[variable].fixed == Some(true) && dae.model.variables[variable].start.is_some(),
        _ => false,
    };
    let modes_given = |dae: &MultimodeDae| dae.mode_variables.iter().all(|mode| mode.initial.is_some());
    modes_given(dae) && dae.model.variables.ids().all(is_given)
}
