//! How long each phase took, how large its result is, and which phase is running.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use modeshift_modes::clock::Instant;

/// What is being computed right now, to be asked from another thread.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Mutex<&'static str>>);

impl Progress {
    /// The phase that is running, `starting` before the first.
    pub fn phase(&self) -> &'static str {
        match self.0.lock() {
            Ok(phase) if !phase.is_empty() => *phase,
            _ => "starting",
        }
    }

    fn set(&self, phase: &'static str) {
        if let Ok(mut current) = self.0.lock() {
            *current = phase;
        }
    }
}

/// One phase.
#[derive(Clone, Debug)]
pub struct Phase {
    /// `parsing`, `flattening`, …
    pub name: &'static str,
    /// How long it took.
    pub time: Duration,
    /// How large its result is: `24 equations, 20 variables`.
    pub size: String,
}

/// The phases in order.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    phases: Vec<Phase>,
    progress: Progress,
}

impl Timings {
    /// Tells `progress` which phase is running.
    pub fn telling(progress: Progress) -> Timings {
        Timings { phases: Vec::new(), progress }
    }

    /// Runs a phase and notes its time and the size of its result.
    pub fn measure<T>(&mut self, name: &'static str, run: impl FnOnce() -> T, size: impl FnOnce(&T) -> String) -> T {
        self.progress.set(name);
        let start = Instant::now();
        let result = run();
        self.phases.push(Phase { name, time: start.elapsed(), size: size(&result) });
        result
    }

    /// All phases.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }
}

impl fmt::Display for Timings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for phase in &self.phases {
            writeln!(f, "{:>10.3} ms  {:<18} {}", phase.time.as_secs_f64() * 1e3, phase.name, phase.size)?;
        }
        let total: Duration = self.phases.iter().map(|phase| phase.time).sum();
        writeln!(f, "{:>10.3} ms  total", total.as_secs_f64() * 1e3)
    }
}
