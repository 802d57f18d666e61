//! The rows and events of a run.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Cursor};
use std::path::{Path, PathBuf};

use modeshift_driver::simulate::results::plot::{Picture, PlotRecorder};
use modeshift_driver::simulate::results::{CsvFile, MatFile, Trajectory, event_to_json};
use modeshift_driver::simulate::{Format, TableResult};
use pyo3::exceptions::{PyKeyError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use serde_json::{Value, json};

/// The rows and events of a run, as they are.
#[pyclass(frozen, module = "modeshift._engine")]
pub struct RawResult {
    trajectory: Trajectory,
    /// The variables that are true or false, mode variables apart.
    booleans: BTreeSet<String>,
    /// How the run went: JSON.
    #[pyo3(get)]
    summary: String,
    /// What was said, as the command line shows it.
    #[pyo3(get)]
    messages: String,
    /// The same as data: JSON.
    #[pyo3(get)]
    diagnostics: String,
    /// Whether something went wrong on the way.
    #[pyo3(get)]
    has_errors: bool,
}

impl RawResult {
    /// Puts it together.
    pub fn new(
        (trajectory, booleans): (Trajectory, BTreeSet<String>),
        summary: String,
        messages: String,
        diagnostics: String,
        has_errors: bool,
    ) -> Self {
        RawResult { trajectory, booleans, summary, messages, diagnostics, has_errors }
    }

    fn picture(&self, variables: Vec<String>) -> Picture {
        let mut plot = PlotRecorder::new(variables);
        self.trajectory.tell(&mut plot);
        plot.picture()
    }
}

fn bytes<'py>(py: Python<'py>, values: impl ExactSizeIterator<Item = f64>) -> PyResult<Bound<'py, PyByteArray>> {
    let length = values.len() * 8;
    PyByteArray::new_with(py, length, |bytes| {
        for (place, value) in bytes.chunks_exact_mut(8).zip(values) {
            place.copy_from_slice(&value.to_ne_bytes());
        }
        Ok(())
    })
}

#[pymethods]
impl RawResult {
    /// Name, unit, description, whether it is prominent, and kind of each column: JSON.
    fn columns(&self) -> String {
        let columns = self.trajectory.columns().columns.iter().map(|it| {
            let (unit, description) = (it.unit.as_deref(), it.description.as_deref());
            let kind = format!("{:?}", it.kind).to_lowercase();
            json!({"name": *it.name, "unit": unit, "description": description, "prominent": it.prominent, "kind": kind})
        });
        Value::from(columns.collect::<Vec<_>>()).to_string()
    }

    /// Names and values of what keeps its value: JSON.
    fn constants(&self) -> String {
        let constants = self.trajectory.columns().constants.iter();
        Value::Object(constants.map(|it| (it.name.to_string(), it.value.into())).collect()).to_string()
    }

    /// The times of rows, as the bytes of 64-bit floats.
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        bytes(py, self.trajectory.times().iter().copied())
    }

    /// The values of a column, as the bytes of 64-bit floats.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyByteArray>> {
        let Some(at) = self.trajectory.columns().position(name) else {
            return Err(PyKeyError::new_err(format!("the result has no variable `{name}`")));
        };
        bytes(py, self.trajectory.column(at))
    }

    /// The event log: JSON.
    fn events(&self) -> String {
        let (events, names) = (self.trajectory.events(), &self.trajectory.columns().mode_variables);
        let end = self.trajectory.times().last().copied().unwrap_or_default();
        let until = |at: usize| events.get(at + 1).map_or(end, |event| event.time);
        let list = events.iter().enumerate().map(|(at, event)| event_to_json(event, names, until(at)));
        Value::from(list.collect::<Vec<_>>()).to_string()
    }

    /// A plot of some variables, or of states and outputs that vary: SVG.
    #[pyo3(signature = (variables))]
    fn svg(&self, py: Python<'_>, variables: Vec<String>) -> String {
        py.detach(|| self.picture(variables).to_svg())
    }

    /// The same as PNG.
    #[pyo3(signature = (variables))]
    fn png<'py>(&self, py: Python<'py>, variables: Vec<String>) -> PyResult<Bound<'py, PyBytes>> {
        let png = py.detach(|| self.picture(variables).to_png());
        Ok(PyBytes::new(py, &png.map_err(PyValueError::new_err)?))
    }

    /// Writes a result file, as the command line would.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let extension = path.extension().map(|it| it.to_ascii_lowercase()).unwrap_or_default();
        py.detach(|| match extension.to_str() {
            Some("csv") => {
                let mut file = CsvFile::new(Box::new(created(&path)?));
                self.trajectory.tell(&mut file);
                file.finish().map_err(PyOSError::new_err)
            }
            Some("mat") => {
                let mut file = MatFile::new(Box::new(created(&path)?));
                self.trajectory.tell(&mut file);
                file.finish().map_err(PyOSError::new_err)
            }
            Some(other) if Format::of_extension(other).is_some() => {
                let format = Format::of_extension(other).unwrap_or(Format::Parquet);
                let mut file = TableResult::new(format, self.booleans.clone(), BufWriter::new(created(&path)?));
                self.trajectory.tell(&mut file);
                file.finish().map_err(PyOSError::new_err)
            }
            _ => {
                let name = path.display();
                Err(PyValueError::new_err(format!("{name}: results are written as .csv, .mat, .parquet or .arrow")))
            }
        })
    }

    /// The result as CSV.
    fn csv(&self) -> PyResult<String> {
        let mut bytes = Cursor::new(Vec::new());
        let mut file = CsvFile::new(Box::new(&mut bytes));
        self.trajectory.tell(&mut file);
        file.finish().map_err(PyOSError::new_err)?;
        String::from_utf8(bytes.into_inner()).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

fn created(path: &Path) -> PyResult<File> {
    Ok(File::create(path)?)
}
