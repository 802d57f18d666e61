//! Work without Python's lock, in a thread with a stack as large as the command line's, that Ctrl-C ends.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use modeshift_driver::simulate::results::{Columns, EventRecord, Observer, Progress, Trajectory};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Enough for the parser at its nesting limit; only what is used of it is ever taken from the machine.
const STACK_SIZE: usize = 256 << 20;

/// Signals and progress are looked at this often.
const PAUSE: Duration = Duration::from_millis(50);
/// And work that is shorter than this is waited for in one piece.
const INSTANT: Duration = Duration::from_millis(20);

/// How far work has come, and whether it is to end.
#[derive(Default)]
pub struct Watch {
    is_cancelled: AtomicBool,
    time: AtomicU64,
    events: AtomicU64,
}

impl Watch {
    /// Whether it is to end.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// The same, for those who look at it themselves.
    pub fn flag(&self) -> &AtomicBool {
        &self.is_cancelled
    }

    /// The observer's part.
    pub fn progress(&self, progress: &Progress<'_>) -> std::ops::ControlFlow<()> {
        self.time.store(progress.time.to_bits(), Ordering::Relaxed);
        self.events.store(progress.events as u64, Ordering::Relaxed);
        if self.is_cancelled() { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
    }
}

/// Works while Python goes on; Ctrl-C cancels, and whatever `progress` raises.
pub fn work<T: Send>(
    py: Python<'_>,
    watch: &Watch,
    progress: Option<&Bound<'_, PyAny>>,
    job: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let progress: Option<Py<PyAny>> = progress.map(|it| it.clone().unbind());
    watch.is_cancelled.store(false, Ordering::Relaxed);
    let outcome = py.detach(|| {
        std::thread::scope(|scope| {
            let (done, finished) = channel();
            let thread = std::thread::Builder::new().name("modeshift".into()).stack_size(STACK_SIZE);
            let handle = thread.spawn_scoped(scope, move || {
                // Half of it is left for whatever asks.
                modeshift_driver::use_stack(STACK_SIZE / 2);
                let result = job();
                let _ = done.send(());
                result
            });
            let handle = handle.map_err(|error| PyRuntimeError::new_err(format!("cannot start: {error}")))?;
            let mut failure = None;
            let begin = Instant::now();
            while !watch.is_cancelled() {
                let pause = if begin.elapsed() < INSTANT { INSTANT } else { PAUSE };
                // Done, or gone in a panic, which joining tells.
                if finished.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
                let looked = Python::attach(|py| {
                    py.check_signals()?;
                    let Some(progress) = &progress else { return Ok(()) };
                    let time = f64::from_bits(watch.time.load(Ordering::Relaxed));
                    progress.call1(py, (time, watch.events.load(Ordering::Relaxed))).map(drop)
                });
                if let Err(error) = looked {
                    watch.is_cancelled.store(true, Ordering::Relaxed);
                    failure = Some(error);
                }
            }
            match (handle.join(), failure) {
                (_, Some(error)) => Err(error),
                (Ok(result), None) => Ok(result),
                (Err(panic), None) => Err(PyRuntimeError::new_err(format!(
                    "this is a bug in modeshift, not in your model; please report it with the model: {}",
                    panic_text(&*panic)
                ))),
            }
        })
    });
    outcome
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
}

/// Rows and events in memory, of a run that is watched; several hold it.
#[derive(Clone, Default)]
pub struct Recorder {
    trajectory: Arc<Mutex<Trajectory>>,
    watch: Arc<Watch>,
}

impl Recorder {
    /// Where to cancel.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// What was recorded so far.
    pub fn trajectory(&self) -> Trajectory {
        self.trajectory.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn with(&self, tell: impl FnOnce(&mut Trajectory)) {
        tell(&mut self.trajectory.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Observer for Recorder {
    fn columns(&mut self, columns: &Columns) {
        self.with(|it| it.columns(columns));
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        self.with(|it| it.row(time, values));
    }

    fn event(&mut self, event: &EventRecord) {
        self.with(|it| it.event(event));
    }

    fn progress(&mut self, progress: Progress<'_>) -> std::ops::ControlFlow<()> {
        self.watch.progress(&progress)
    }
}
