//! The progress of a run, on a terminal only: simulated time, number of events and how fast they come, the time left, current mode.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use modeshift_driver::simulate::results::Progress;

/// The bar has this many steps.
const STEPS: u64 = 1000;

/// Earlier than this nothing is said about the time left.
const SOON: Duration = Duration::from_secs(1);

/// Nor about years.
const LONGEST: f64 = 1e7;

/// It is drawn anew after this time at the earliest.
const PAUSE: Duration = Duration::from_millis(100);

/// A bar that does nothing until it is started, and nothing without a terminal.
#[derive(Default)]
pub struct Bar {
    bar: Option<ProgressBar>,
    span: (f64, f64),
    begun: Option<Instant>,
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
        self.begun = Some(Instant::now());
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
        let passed = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        let mode: String = progress.mode.to_string().chars().take(40).collect();
        bar.set_message(format!(
            "time {:.4} of {stop}, {}{}, {mode}",
            progress.time,
            events(progress.events, passed),
            left(part, passed)
        ));
    }

    /// Removes it from the terminal.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// `20000 events (9800/s)`.
fn events(count: usize, passed: Duration) -> String {
    let seconds = passed.as_secs_f64();
    let rate = if count > 0 && seconds > 0.0 { format!(" ({:.0}/s)", count as f64 / seconds) } else { String::new() };
    format!("{count} events{rate}")
}

/// `, 1:05 left` after some time for a part of the run; nothing before anything can be said.
fn left(part: f64, passed: Duration) -> String {
    let seconds = passed.as_secs_f64() * (1.0 - part) / part;
    if passed < SOON || !(0.0..LONGEST).contains(&seconds) {
        return String::new();
    }
    let seconds = seconds.ceil() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!(", {minutes}:{seconds:02} left"),
        _ => format!(", {hours}:{minutes:02}:{seconds:02} left"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_counted_by_the_second() {
        assert_eq!(events(0, Duration::from_secs(3)), "0 events");
        assert_eq!(events(20_000, Duration::from_millis(2500)), "20000 events (8000/s)");
    }

    #[test]
    fn the_time_left_follows_from_the_part_that_is_done() {
        assert_eq!(left(0.25, Duration::from_secs(20)), ", 1:00 left");
        assert_eq!(left(1e-3, Duration::from_secs(4)), ", 1:06:36 left");
        assert_eq!(left(0.0, Duration::from_secs(4)), "");
        assert_eq!(left(0.5, Duration::from_millis(10)), "");
    }
}
