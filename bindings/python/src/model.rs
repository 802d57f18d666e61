//! A model that was named: analyses and runs of it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use modeshift_diagnostics::{Diagnostics, SourceMap, render_all};
use modeshift_driver::changes::Selection;
use modeshift_driver::init::InitOptions;
use modeshift_driver::linearize::{Linearize, linearize};
use modeshift_driver::loaded::{Loaded, Refusal, Work, load};
use modeshift_driver::report::analyze::LARGEST_PICTURE;
use modeshift_driver::report::check::CheckReport;
use modeshift_driver::simulate::results::Chosen;
use modeshift_driver::simulate::{Method, RunOptions, variable_names};
use modeshift_driver::{Answer, CheckOptions, Dialect, Limits, Opened, Question, RimisOptions, Source, semantics};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::ModelError;
use crate::result::RawResult;
use crate::simulator::Simulator;
use crate::working::{Recorder, Watch, work};

/// A model that was named.
#[pyclass(frozen, module = "modeshift._engine")]
pub struct Model {
    question: Question,
    /// Loaded models that no run is using: as many as ever ran at the same time.
    idle: Mutex<Vec<Loaded>>,
    loadings: AtomicUsize,
}

/// The answer to a question about a model.
#[pyclass(frozen, get_all, module = "modeshift._engine")]
pub struct Report {
    /// For people.
    text: String,
    /// For programs.
    json: String,
    /// A picture, where there is one.
    svg: Option<String>,
    /// What was said, as the command line shows it.
    messages: String,
    /// The same as data: JSON.
    diagnostics: String,
}

/// How a run is to go.
pub type Options =
    (Option<f64>, Option<f64>, Option<f64>, Option<f64>, Option<String>, Option<String>, bool, Option<String>);

fn run_options(options: Options) -> PyResult<RunOptions> {
    let (start, stop, interval, tolerance, solver, scenario, impulsive_start, kept) = options;
    let method = match solver {
        None => Method::default(),
        Some(name) => Method::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
            PyValueError::new_err(format!("there is no solver `{name}`; there are {}", names.join(", ")))
        })?,
    };
    Ok(RunOptions {
        method,
        start,
        stop,
        interval,
        tolerance,
        impulsive_start,
        scenario,
        kept_variables: kept,
        ..RunOptions::default()
    })
}

/// The exception for what was said.
pub fn refused(py: Python<'_>, diagnostics: &Diagnostics, sources: &SourceMap) -> PyErr {
    let text = render_all(diagnostics, sources, false);
    with_data(py, text.trim_end(), &diagnostics_json(diagnostics, sources))
}

/// The exception with this text and these diagnostics, as JSON.
pub fn with_data(py: Python<'_>, text: &str, diagnostics: &str) -> PyErr {
    let error = ModelError::new_err(text.to_string());
    let data = py.import("json").and_then(|json| json.call_method1("loads", (diagnostics,)));
    match data.and_then(|data| error.value(py).setattr("diagnostics", data)) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// Diagnostics as JSON.
pub fn diagnostics_json(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    CheckReport::new(None, (None, ""), diagnostics, sources).json()["diagnostics"].to_string()
}

/// A finished answer: the result in words, or the exception.
struct Worded {
    answered: Result<Report, (String, String)>,
}

impl Worded {
    fn of<T>(answer: Answer<T>, words: impl FnOnce(&T) -> (String, Value, Option<String>)) -> Self {
        let words = answer.result.as_ref().map(words);
        Self::new(words, &answer.diagnostics, &answer.sources)
    }

    fn new(words: Option<(String, Value, Option<String>)>, said: &Diagnostics, sources: &SourceMap) -> Self {
        let (messages, diagnostics) = (render_all(said, sources, false), diagnostics_json(said, sources));
        let answered = match words {
            Some((text, json, svg)) => Ok(Report { text, json: json.to_string(), svg, messages, diagnostics }),
            None => Err((messages, diagnostics)),
        };
        Worded { answered }
    }

    fn report(self, py: Python<'_>) -> PyResult<Report> {
        self.answered.map_err(|(text, diagnostics)| with_data(py, text.trim_end(), &diagnostics))
    }
}

#[pymethods]
impl Model {
    #[new]
    #[pyo3(signature = (name, text, path, is_mel, model, libraries, parameters, node_limit, time_limit))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        name: String,
        text: String,
        path: Option<PathBuf>,
        is_mel: bool,
        model: Option<String>,
        libraries: Vec<PathBuf>,
        parameters: Vec<(String, String)>,
        node_limit: Option<usize>,
        time_limit: Option<f64>,
    ) -> PyResult<Self> {
        let time = match time_limit {
            Some(seconds) => Some(
                Duration::try_from_secs_f64(seconds)
                    .map_err(|_| PyValueError::new_err("time_limit: expected a number of seconds"))?,
            ),
            None => None,
        };
        let dialect = if is_mel { Dialect::Mel } else { Dialect::Modelica };
        // All answers are about one version of the model and its libraries.
        let opened = Opened::keeping();
        if let (Some(path), Some(kept)) = (&path, opened.kept()) {
            kept.has_read(path, &text);
        }
        let question = Question {
            source: Source { name, path, text, dialect },
            model,
            overrides: parameters,
            libraries,
            limits: Limits { nodes: node_limit, time },
            opened,
            ..Question::default()
        };
        Ok(Model { question, idle: Mutex::default(), loadings: AtomicUsize::new(0) })
    }

    fn check(&self, py: Python<'_>) -> PyResult<Report> {
        let ask = || {
            let answer = modeshift_driver::check(&self.question, CheckOptions::default());
            Worded::of(answer, |report| (report.text(), report.json(), None))
        };
        work(py, &Watch::default(), None, ask)?.report(py)
    }

    fn flatten(&self, py: Python<'_>) -> PyResult<Report> {
        let ask = || {
            let answer = modeshift_driver::flatten(&self.question);
            let words = answer.report().zip(answer.result.as_ref()).map(|(it, dae)| (dae.to_string(), it.json(), None));
            Worded::new(words, &answer.diagnostics, &answer.sources)
        };
        work(py, &Watch::default(), None, ask)?.report(py)
    }

    #[pyo3(signature = (at=None))]
    fn analyze(&self, py: Python<'_>, at: Option<&str>) -> PyResult<Report> {
        let ask = || {
            let mut answer = modeshift_driver::analyze(&self.question, at);
            let svg = answer.report(LARGEST_PICTURE).map(|report| report.svg());
            let text = if answer.is_large() { answer.summary() } else { None };
            let report = answer.report(usize::MAX);
            let words = report.map(|it| (text.unwrap_or_else(|| it.text()), it.json(), svg));
            Worded::new(words, &answer.diagnostics, &answer.sources)
        };
        work(py, &Watch::default(), None, ask)?.report(py)
    }

    #[pyo3(signature = (at=None, scenario=None, impulsive_start=false))]
    fn init(
        &self,
        py: Python<'_>,
        at: Option<&str>,
        scenario: Option<&str>,
        impulsive_start: bool,
    ) -> PyResult<Report> {
        let ask = || {
            let options = InitOptions { at, scenario, impulsive_start };
            let answer = modeshift_driver::init::init(&self.question, options);
            Worded::of(answer, |report| (report.text(), report.json(), None))
        };
        work(py, &Watch::default(), None, ask)?.report(py)
    }

    #[pyo3(signature = (source=None, target=None))]
    fn changes(&self, py: Python<'_>, source: Option<&str>, target: Option<&str>) -> PyResult<Report> {
        let ask = || {
            let selection = Selection { from: source, to: target, with_array: false, most_items: usize::MAX };
            let answer = modeshift_driver::changes::changes(&self.question, &selection);
            Worded::of(answer, |report| (report.text(), report.json(), Some(report.svg())))
        };
        work(py, &Watch::default(), None, ask)?.report(py)
    }

    #[pyo3(signature = (at=None))]
    fn semantics(&self, py: Python<'_>, at: Option<&str>) -> PyResult<Report> {
        let ask = || {
            let selection = semantics::Selection { at, from: None, to: None, run: None, all_choices: false };
            let answer = semantics::semantics(&self.question, &selection);
            Worded::of(answer, |report| (report.text(), report.json(), Some(report.svg())))
        };
        work(py, &Watch::default(), None, ask)?.report(py)
    }

    #[pyo3(signature = (time=None, states=Vec::new(), inputs=None, outputs=None, tolerance=None))]
    fn linearize(
        &self,
        py: Python<'_>,
        time: Option<f64>,
        states: Vec<(String, f64)>,
        inputs: Option<Vec<String>>,
        outputs: Option<Vec<String>>,
        tolerance: Option<f64>,
    ) -> PyResult<Report> {
        let ask = || {
            let wanted = Linearize { time, states, inputs, outputs };
            let options = RunOptions { tolerance, ..RunOptions::default() };
            let answer = linearize(&self.question, &options, &wanted);
            Worded::of(answer, |report| (report.text(), report.json(), None))
        };
        work(py, &Watch::default(), None, ask)?.report(py)
    }

    #[pyo3(signature = (plain=false))]
    fn rimis(&self, py: Python<'_>, plain: bool) -> PyResult<Report> {
        let ask = || {
            let answer = modeshift_driver::rimis(&self.question, RimisOptions { plain, check: false });
            Worded::of(answer, |report| (report.text().to_string(), Value::Null, None))
        };
        work(py, &Watch::default(), None, ask)?.report(py)
    }

    /// What there is to know about parameters, variables and the usual run, as JSON.
    fn info(&self, py: Python<'_>) -> PyResult<String> {
        self.with_loaded(py, &Watch::default(), None, |loaded| Ok(info(loaded).to_string()))?
    }

    /// How often the model was read and flattened for runs.
    #[getter]
    fn loadings(&self) -> usize {
        self.loadings.load(Ordering::Relaxed)
    }

    /// Runs it to its end.
    #[pyo3(signature = (parameters, options, progress=None, sensitivities=None))]
    fn simulate(
        &self,
        py: Python<'_>,
        parameters: Vec<(String, String)>,
        options: Options,
        progress: Option<&Bound<'_, PyAny>>,
        sensitivities: Option<String>,
    ) -> PyResult<RawResult> {
        let options = RunOptions { sensitivity: sensitivities, ..run_options(options)? };
        let recorder = Recorder::default();
        let kept = variable_names(options.kept_variables.as_deref().unwrap_or_default());
        let ran = self.with_loaded(py, recorder.watch(), progress, |loaded| {
            let variant = loaded.with(&parameters).map_err(Failed::of)?;
            self.count(variant.work());
            let mut observer = Chosen::new(recorder.clone(), kept);
            let ran = variant.run(&options, &mut observer);
            let of = variant.loaded();
            let Some(simulated) = &ran.result else { return Err(Failed::said(of, &ran.diagnostics)) };
            let failed = Failed::said(of, &ran.diagnostics);
            let summary = of.summary(simulated, &ran.diagnostics).json().to_string();
            Ok((summary, failed, ran.diagnostics.has_errors(), of.booleans()))
        })?;
        let (summary, said, has_errors, booleans) = ran.map_err(|failed| failed.error(py))?;
        let diagnostics = said.diagnostics.unwrap_or_default();
        Ok(RawResult::new((recorder.trajectory(), booleans), summary, said.text, diagnostics, has_errors))
    }

    /// Begins a run that is stepped.
    #[pyo3(signature = (parameters, options, is_recorded, inputs=Vec::new(), last_inputs=Vec::new()))]
    #[allow(clippy::too_many_arguments)]
    fn simulator(
        &self,
        py: Python<'_>,
        parameters: Vec<(String, String)>,
        options: Options,
        is_recorded: bool,
        inputs: Vec<(String, f64)>,
        last_inputs: Vec<(String, f64)>,
    ) -> PyResult<Simulator> {
        let options = run_options(options)?;
        let recorder = Recorder::default();
        let begun = self.with_loaded(py, recorder.watch(), None, |loaded| {
            let variant = loaded.with(&parameters).map_err(Failed::of)?;
            self.count(variant.work());
            let variant = variant.begun_with(&inputs).and_then(|it| it.ending_with(&last_inputs));
            let variant = variant.map_err(Failed::value)?;
            let observer = Simulator::observer(&recorder, is_recorded);
            let begun = variant.simulation(&options, observer);
            let begun = begun.map_err(|said| Failed::said(variant.loaded(), &said))?;
            Ok((begun, variant.loaded().sources().clone(), variant.loaded().booleans()))
        })?;
        let (simulation, sources, booleans) = begun.map_err(|failed: Failed| failed.error(py))?;
        Ok(Simulator::new(simulation, recorder, sources, booleans))
    }
}

/// What was said, as text and as JSON.
pub struct Failed {
    /// As the command line shows it.
    pub text: String,
    /// JSON; nothing of a value that is none, which is not the model's fault.
    pub diagnostics: Option<String>,
}

impl Failed {
    /// Why there is no result.
    pub fn of(refusal: Refusal) -> Self {
        let diagnostics = Some(diagnostics_json(&refusal.diagnostics, &refusal.sources));
        Failed { text: refusal.text(), diagnostics }
    }

    fn value(text: String) -> Self {
        Failed { text, diagnostics: None }
    }

    fn said(loaded: &Loaded, said: &Diagnostics) -> Self {
        Failed { text: loaded.text(said), diagnostics: Some(diagnostics_json(said, loaded.sources())) }
    }

    /// As an exception.
    pub fn error(&self, py: Python<'_>) -> PyErr {
        match &self.diagnostics {
            Some(diagnostics) => with_data(py, self.text.trim_end(), diagnostics),
            None => PyValueError::new_err(self.text.clone()),
        }
    }
}

impl Model {
    fn count(&self, work: Work) {
        self.loadings.fetch_add(usize::from(work == Work::Loading), Ordering::Relaxed);
    }

    /// Works with a loaded model that nobody else uses.
    fn with_loaded<T: Send>(
        &self,
        py: Python<'_>,
        watch: &Watch,
        progress: Option<&Bound<'_, PyAny>>,
        job: impl FnOnce(&Loaded) -> T + Send,
    ) -> PyResult<T> {
        let outcome = work(py, watch, progress, || {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let loaded = match idle {
                Some(loaded) => loaded,
                None => {
                    self.loadings.fetch_add(1, Ordering::Relaxed);
                    load(&self.question).map_err(Failed::of)?
                }
            };
            let result = job(&loaded);
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(loaded);
            Ok(result)
        })?;
        outcome.map_err(|failed: Failed| failed.error(py))
    }
}

fn info(loaded: &Loaded) -> Value {
    let model = loaded.model();
    let experiment = &model.experiment;
    let text = |text: &Option<Arc<str>>| text.as_ref().map(|text| text.to_string());
    let parameters = loaded.parameters().into_iter().map(|it| {
        json!({"name": it.name, "value": it.value, "unit": it.unit, "description": it.description,
               "structural": it.is_structural, "constant": it.is_constant})
    });
    let all = loaded.variables();
    let inputs: Vec<&str> = all.iter().filter(|it| it.is_input).map(|it| it.name.as_str()).collect();
    let outputs: Vec<&str> = all.iter().filter(|it| it.is_output).map(|it| it.name.as_str()).collect();
    let variables = all.iter().map(
        |it| json!({"name": it.name, "unit": it.unit, "description": it.description, "prominent": it.is_prominent}),
    );
    json!({
        "model": *model.name,
        "description": text(&model.description),
        "parameters": parameters.collect::<Vec<_>>(),
        "variables": variables.collect::<Vec<_>>(),
        "inputs": inputs,
        "outputs": outputs,
        "experiment": {"start": experiment.start, "stop": experiment.stop, "interval": experiment.interval,
                       "tolerance": experiment.tolerance},
    })
}
