//! The progress of a run, on a terminal only: simulated time, number of events, current mode.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use modeshift_driver::simulate::results::Progress;

/// The bar has this many steps.
const STEPS: u64 = 1000;

/// It is drawn anew after this time at the earliest.
const PAUSE: Duration = Duration::from_millis(100);

/// A bar that does nothing until it is started, and nothing without a terminal.
#[derive(Default)]
pub struct Bar {
    bar: Option<ProgressBar>,
    span: (f64, f64),
    shown: Option<Instant>,
}

impl Bar {
    /// Starts at 0 where standard error is a terminal.
    pub fn start(&mut self, model: &str, span: (f64, f64)) {
        self.span = span;
        if !std::io::stderr().is_terminal() {
            return;
        }
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{prefix} {bar:32} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─"));
        bar.set_prefix(model.to_string());
        self.bar = Some(bar);
    }

    /// Shows how far the run has come, if the last time was long enough ago.
    pub fn show(&mut self, progress: &Progress<'_>) {
        let Some(bar) = &self.bar else { return };
        if self.shown.is_some_and(|shown| shown.elapsed() < PAUSE) {
            return;
        }
        self.shown = Some(Instant::now());
        let (start, stop) = self.span;
        let part = if stop > start { (progress.time - start) / (stop - start) } else { 1.0 };
        bar.set_position((part.clamp(0.0, 1.0) * STEPS as f64) as u64);
        let mode: String = progress.mode.to_string().chars().take(40).collect();
        bar.set_message(format!("time {:.4} of {stop}, {} events, {mode}", progress.time, progress.events));
    }

    /// Removes it from the terminal.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
