//! Many runs of a plan: some of them at a time, whoever asks, and the tables of all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use modeshift_driver::{Dialect, Opened, Question, Recording, Source};
use modeshift_sweep::journal::{Journal, changed, fingerprint};
use modeshift_sweep::{Format, Layout, Plan as Runs, Tables, Worker};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::model::Failed;
use crate::working::{Watch, work};

/// A plan with its model.
#[pyclass(frozen, module = "modeshift._engine")]
pub struct Plan {
    // Workers that no call is using. They borrow the plan, which lives as long as the process: there are few.
    plan: &'static Runs,
    question: Question,
    idle: Mutex<Vec<Worker<'static>>>,
    layout: Mutex<Option<Layout>>,
    journal: Mutex<Option<(PathBuf, Journal<File>)>>,
    id: u64,
}

impl Plan {
    fn with_worker<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Worker<'static>, &AtomicBool) -> T + Send,
    ) -> PyResult<T> {
        let watch = Arc::new(Watch::default());
        let outcome = work(py, &watch, None, || {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let worker = match idle {
                Some(worker) => worker,
                None => Worker::new(self.plan, &self.question).map_err(Failed::of)?,
            };
            let layout = worker.layout().clone();
            *self.layout.lock().unwrap_or_else(PoisonError::into_inner) = Some(layout);
            let result = job(&worker, watch.flag());
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
            Ok(result)
        })?;
        outcome.map_err(|failed: Failed| failed.error(py))
    }

    fn layout(&self, py: Python<'_>) -> PyResult<Layout> {
        let known = self.layout.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match known {
            Some(layout) => Ok(layout),
            None => self.with_worker(py, |worker, _| worker.layout().clone()),
        }
    }
}

/// What of a plan others need to know to put its model together: file, class and libraries.
type Parts = (Option<String>, Option<String>, Vec<String>);

#[pymethods]
impl Plan {
    /// Reads a plan.
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        text: &str,
        is_csv: bool,
        name: String,
        model_text: String,
        path: Option<PathBuf>,
        is_mel: bool,
        class: Option<String>,
        libraries: Vec<PathBuf>,
        parameters: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let plan = read(text, is_csv)?;
        let dialect = if is_mel { Dialect::Mel } else { Dialect::Modelica };
        let source = Source { name, path, text: model_text, dialect };
        let set = parameters.iter().flat_map(|(name, value)| [name.as_str(), value]);
        let id = fingerprint([text, &source.text, class.as_deref().unwrap_or_default()].into_iter().chain(set));
        // All workers run one version of the model and its libraries, whatever becomes of the files meanwhile.
        let opened = Opened::keeping();
        let question =
            Question { source, model: class, overrides: parameters, libraries, opened, ..Question::default() };
        let plan = Box::leak(Box::new(plan));
        Ok(Plan { plan, question, idle: Mutex::default(), layout: Mutex::default(), journal: Mutex::default(), id })
    }

    /// What a plan says about its model.
    #[staticmethod]
    fn parts(text: &str, is_csv: bool) -> PyResult<Parts> {
        let plan = read(text, is_csv)?;
        Ok((plan.file, plan.class, plan.libraries))
    }

    /// How many runs there are.
    #[getter]
    fn count(&self) -> usize {
        self.plan.count()
    }

    /// Names and values of what is varied in a run.
    fn parameters(&self, run: usize) -> PyResult<Vec<(String, String)>> {
        match run < self.plan.count() {
            true => Ok(self.plan.parameters(run)),
            false => Err(PyValueError::new_err(format!("the plan has {} runs", self.plan.count()))),
        }
    }

    /// Makes runs; their records as bytes.
    fn run<'py>(&self, py: Python<'py>, runs: Vec<usize>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        if let Some(run) = runs.iter().find(|&&run| run >= self.plan.count()) {
            return Err(PyValueError::new_err(format!("there is no run {run}; the plan has {}", self.plan.count())));
        }
        let records = self.with_worker(py, |worker, is_cancelled| {
            runs.iter().map_while(|&run| Some(worker.run(run, is_cancelled)?.to_bytes())).collect::<Vec<_>>()
        })?;
        Ok(records.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
    }

    /// The runs that are in a journal; refused where they were made with other versions of files.
    fn done(&self, journal: PathBuf) -> PyResult<Vec<u64>> {
        let (runs, file) = self.with_journal(&journal, |it| {
            Ok((it.entries().iter().map(|entry| entry.run).collect(), changed(&self.question.opened, it)))
        })?;
        let Some(file) = file else { return Ok(runs) };
        let (file, journal) = (file.display(), journal.display());
        Err(PyValueError::new_err(format!(
            "`{file}` has changed since the runs in `{journal}` were made; remove it first"
        )))
    }

    /// The files that the model is read from, each with a fingerprint of what was in it.
    fn contents(&self, py: Python<'_>) -> PyResult<Vec<(PathBuf, u64)>> {
        self.layout(py)?;
        Ok(self.question.opened.kept().map(Recording::contents).unwrap_or_default())
    }

    /// Whether the files are as they were when they were read.
    fn is_current(&self) -> bool {
        self.question.opened.kept().is_none_or(Recording::is_current)
    }

    /// Adds records to a journal.
    fn add(&self, journal: PathBuf, records: Vec<Bound<'_, PyBytes>>) -> PyResult<()> {
        let contents = self.question.opened.kept().map(Recording::contents).unwrap_or_default();
        self.with_journal(&journal, |it| {
            it.note(contents)?;
            records.iter().try_for_each(|record| it.add(record.as_bytes()))
        })
    }

    /// Writes the tables of a journal; how many runs had no success.
    fn write(&self, py: Python<'_>, journal: PathBuf, output: PathBuf) -> PyResult<usize> {
        let format = output.extension().and_then(|it| Format::of_extension(&it.to_string_lossy()));
        let format = format.ok_or_else(|| {
            PyValueError::new_err(format!("{}: tables are written as .parquet, .arrow or .csv", output.display()))
        })?;
        let layout = self.layout(py)?;
        let create = |path: PathBuf| File::create(path).map(BufWriter::new);
        let events = self.plan.events.then(|| create(beside(&output, "events"))).transpose()?;
        let signals = (!layout.signals.is_empty()).then(|| create(beside(&output, "signals"))).transpose()?;
        let mut tables = Tables::new(self.plan, &layout, format, (create(output)?, events, signals))?;
        let failed = self.with_journal(&journal, |journal| {
            let mut failed = 0;
            for entry in journal.entries() {
                let record = journal.record(&entry)?;
                failed += usize::from(!record.is_complete());
                tables.add(&record)?;
            }
            tables.finish()?;
            Ok(failed)
        })?;
        *self.journal.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(failed)
    }
}

impl Plan {
    /// Works with a journal, which stays open until its tables are written.
    fn with_journal<T>(&self, path: &Path, job: impl FnOnce(&mut Journal<File>) -> io::Result<T>) -> PyResult<T> {
        let mut held = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().is_none_or(|(known, _)| known != path) {
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
            let journal = Journal::open(file, self.id)?.ok_or_else(|| {
                PyValueError::new_err(format!("`{}` is what another sweep has left; remove it first", path.display()))
            })?;
            *held = Some((path.to_path_buf(), journal));
        }
        match held.as_mut() {
            Some((_, journal)) => Ok(job(journal)?),
            None => unreachable!("it was just opened"),
        }
    }
}

fn read(text: &str, is_csv: bool) -> PyResult<Runs> {
    let plan = if is_csv { Runs::from_csv(text) } else { Runs::from_toml(text) };
    plan.map_err(PyValueError::new_err)
}

fn beside(output: &Path, what: &str) -> PathBuf {
    let extension = output.extension().unwrap_or_default().to_string_lossy();
    output.with_extension(format!("{what}.{extension}"))
}
