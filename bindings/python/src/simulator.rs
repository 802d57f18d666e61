//! A run that is stepped.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use modeshift_diagnostics::{SourceMap, render_all};
use modeshift_driver::simulate::results::{Columns, EventRecord, Observer, Progress, event_to_json};
use modeshift_driver::simulate::{RunEnd, Simulation, Snapshot, StepError, Stepped};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::model::{diagnostics_json, refused};
use crate::result::RawResult;
use crate::working::{Recorder, work};

/// A run that is stepped.
#[pyclass(frozen, module = "modeshift._engine")]
pub struct Simulator {
    simulation: Mutex<Simulation>,
    recorder: Recorder,
    sources: Arc<SourceMap>,
    booleans: BTreeSet<String>,
}

/// Watches, and records nothing.
struct Unrecorded(Recorder);

impl Observer for Unrecorded {
    fn columns(&mut self, columns: &Columns) {
        self.0.columns(columns);
    }

    fn event(&mut self, _: &EventRecord) {}

    fn progress(&mut self, progress: Progress<'_>) -> std::ops::ControlFlow<()> {
        self.0.progress(progress)
    }
}

impl Simulator {
    /// Who is told of the run.
    pub fn observer(recorder: &Recorder, is_recorded: bool) -> Box<dyn Observer + Send> {
        if is_recorded { Box::new(recorder.clone()) } else { Box::new(Unrecorded(recorder.clone())) }
    }

    /// A run that has begun.
    pub fn new(
        simulation: Simulation,
        recorder: Recorder,
        sources: Arc<SourceMap>,
        booleans: BTreeSet<String>,
    ) -> Self {
        Simulator { simulation: Mutex::new(simulation), recorder, sources, booleans }
    }

    /// Waits for whoever steps it in another thread, who needs no lock of Python's for that.
    fn lock(&self) -> MutexGuard<'_, Simulation> {
        self.simulation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stepped(
        &self,
        py: Python<'_>,
        step: impl FnOnce(&mut Simulation) -> Result<Stepped, StepError> + Send,
    ) -> PyResult<&'static str> {
        let watch = self.recorder.watch();
        let stepped = work(py, watch, None, || step(&mut self.lock()))?;
        self.outcome(py, stepped.map_err(|error| PyValueError::new_err(error.to_string()))?)
    }

    /// Passes the present instant with inputs that were set, where some were: what is read then follows from them.
    fn settle(&self, py: Python<'_>) -> PyResult<()> {
        if !self.lock().has_pending_inputs() {
            return Ok(());
        }
        let settled = work(py, self.recorder.watch(), None, || self.lock().settle())?;
        match settled.map_err(|error| PyValueError::new_err(error.to_string()))? {
            Some(stepped) => self.outcome(py, stepped).map(drop),
            None => Ok(()),
        }
    }

    /// What came of a step, in a word; of one that failed, the exception.
    fn outcome(&self, py: Python<'_>, stepped: Stepped) -> PyResult<&'static str> {
        match stepped {
            Stepped::Paused => Ok("paused"),
            Stepped::Event => Ok("event"),
            Stepped::Ended(RunEnd::Stop) => Ok("stop"),
            Stepped::Ended(RunEnd::Terminated(_)) => Ok("terminated"),
            Stepped::Ended(RunEnd::Interrupted) => Ok("interrupted"),
            Stepped::Ended(RunEnd::Failed) => Err(refused(py, self.lock().diagnostics(), &self.sources)),
        }
    }
}

#[pymethods]
impl Simulator {
    /// The present time.
    #[getter]
    fn time(&self) -> f64 {
        self.lock().time()
    }

    /// Goes on up to a time, over events.
    fn step_to(&self, py: Python<'_>, time: f64) -> PyResult<&'static str> {
        self.stepped(py, |it| it.step_until(time))
    }

    /// Goes on up to the next event, or to a time.
    fn next_event(&self, py: Python<'_>, latest: f64) -> PyResult<&'static str> {
        self.stepped(py, |it| it.step_to_event(latest))
    }

    /// Sets an input from the present time on; what follows from it is there when it is asked for.
    fn set(&self, name: &str, value: f64) -> PyResult<()> {
        self.lock().set_input(name, value).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The value of a variable.
    fn get(&self, py: Python<'_>, name: &str) -> PyResult<f64> {
        self.settle(py)?;
        let value = self.lock().value(name);
        value.ok_or_else(|| PyKeyError::new_err(format!("the model has no variable `{name}`")))
    }

    /// Its left limit.
    fn left(&self, py: Python<'_>, name: &str) -> PyResult<f64> {
        self.settle(py)?;
        let value = self.lock().left_value(name);
        value.ok_or_else(|| PyKeyError::new_err(format!("the model has no variable `{name}`")))
    }

    /// The names of all variables.
    fn names(&self) -> Vec<String> {
        self.lock().names().map(str::to_string).collect()
    }

    /// The names of inputs.
    fn inputs(&self) -> Vec<String> {
        self.lock().inputs().map(str::to_string).collect()
    }

    /// The last event: JSON.
    fn event(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.settle(py)?;
        let simulation = self.lock();
        let text = |event| event_to_json(event, simulation.mode_variables(), simulation.time()).to_string();
        Ok(simulation.event().map(text))
    }

    /// Ends the run here.
    fn terminate(&self) {
        self.lock().terminate();
    }

    /// Goes back to the start.
    fn reset(&self) {
        self.lock().reset();
    }

    /// Where the run is.
    fn snapshot<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock().snapshot().to_bytes())
    }

    /// Comes back to where it was.
    fn restore(&self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let snapshot = Snapshot::from_bytes(snapshot).ok_or_else(|| PyValueError::new_err("this is no snapshot"))?;
        let watch = self.recorder.watch();
        let restored = work(py, watch, None, || self.lock().restore(&snapshot))?;
        restored.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// What was recorded so far.
    fn result(&self) -> RawResult {
        let simulation = self.lock();
        let said = simulation.diagnostics();
        let messages = render_all(said, &self.sources, false);
        let (json, has_errors) = (diagnostics_json(said, &self.sources), said.has_errors());
        RawResult::new(
            (self.recorder.trajectory(), self.booleans.clone()),
            "{}".to_string(),
            messages,
            json,
            has_errors,
        )
    }
}
