//! How long each phase took, and how large its result is.

use std::fmt;
use std::time::{Duration, Instant};

/// One phase.
#[derive(Clone, Debug)]
pub struct Phase {
    /// `parse`, `flatten`, …
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
}

impl Timings {
    /// Runs a phase and notes its time and the size of its result.
    pub fn measure<T>(&mut self, name: &'static str, run: impl FnOnce() -> T, size: impl FnOnce(&T) -> String) -> T {
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
            writeln!(f, "{:>10.3} ms  {:<10} {}", phase.time.as_secs_f64() * 1e3, phase.name, phase.size)?;
        }
        let total: Duration = self.phases.iter().map(|phase| phase.time).sum();
        writeln!(f, "{:>10.3} ms  total", total.as_secs_f64() * 1e3)
    }
}
