//! What the user wants of a run, and what follows with the annotation of the model.

use modeshift_dae::{Experiment, ScenarioId};
use modeshift_simulate::integrate::Method;
use modeshift_simulate::run::RunSettings;

use super::input::InputTable;

/// Rows of a period, unless something else is wanted.
const PERIODIC_ROWS: f64 = 1000.0;
/// More rows than this are a mistake in `--interval`.
const MOST_ROWS: f64 = 1e9;

/// What the user said; the rest comes from the model's annotation, or from the tool.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The integrator.
    pub method: Method,
    /// When to start.
    pub start: Option<f64>,
    /// When to stop.
    pub stop: Option<f64>,
    /// The distance between rows.
    pub interval: Option<f64>,
    /// The tolerance.
    pub tolerance: Option<f64>,
    /// Whether fixed start values are left limits.
    pub impulsive_start: bool,
    /// The initial scenario by name.
    pub scenario: Option<String>,
    /// The period of the steady state that is wanted, if one is.
    pub periodic: Option<f64>,
    /// The names of variables to draw, separated by commas.
    pub plot_variables: Option<String>,
    /// The names of variables to keep, separated by commas; without any, all.
    pub kept_variables: Option<String>,
    /// The parameters and start values to differentiate end values and times of events by, separated by commas.
    pub sensitivity: Option<String>,
    /// Signals for the inputs of the model.
    pub input: Option<InputTable>,
}

/// The settings of a run, or what is wrong with them.
pub(super) fn settings(
    experiment: &Experiment,
    options: &RunOptions,
    scenario: Option<ScenarioId>,
) -> Result<RunSettings, String> {
    let wanted = Experiment {
        start: options.start.or(experiment.start),
        stop: options.stop.or(experiment.stop),
        interval: options.interval.or(experiment.interval),
        tolerance: options.tolerance.or(experiment.tolerance),
        impulsive_start: options.impulsive_start || experiment.impulsive_start,
    };
    check_numbers(options)?;
    let settings = RunSettings { method: options.method, scenario, ..RunSettings::of(&wanted) };
    let settings = match options.periodic {
        Some(period) => RunSettings {
            stop: settings.start + period,
            interval: options.interval.unwrap_or(period / PERIODIC_ROWS).min(period),
            ..settings
        },
        None => settings,
    };
    let RunSettings { start, stop, interval, .. } = settings;
    if stop < start {
        return Err(format!(
            "the stop time {stop:?} is before the start time {start:?}; --start and --stop give others"
        ));
    }
    let rows = (stop - start) / interval;
    if rows > MOST_ROWS {
        return Err(format!("an interval of {interval:?} from {start:?} to {stop:?} would make {rows:.1e} rows"));
    }
    let apart = distance_of_times(start, stop);
    if stop > start && interval < apart {
        return Err(format!(
            "an interval of {interval:?} cannot be made from {start:?} to {stop:?}: times there are {apart:e} apart; a larger \
             --interval or another --start and --stop can"
        ));
    }
    Ok(settings)
}

/// How far apart neighbouring times are where a run goes from one to the other, at its later part; near zero, where numbers lose their digits, as
/// far as a number with all its digits.
fn distance_of_times(start: f64, stop: f64) -> f64 {
    let largest = start.abs().max(stop.abs());
    (largest - largest.next_down()).max(f64::MIN_POSITIVE)
}

fn check_numbers(options: &RunOptions) -> Result<(), String> {
    for (option, value) in [("--start", options.start), ("--stop", options.stop)] {
        if let Some(value) = value.filter(|value| !value.is_finite()) {
            return Err(format!("{option} {value}: expected a time"));
        }
    }
    if let Some(value) = options.periodic.filter(|value| !(*value > 0.0 && value.is_finite())) {
        return Err(format!("--periodic {value}: expected a time greater than 0"));
    }
    if let Some(value) = options.interval.filter(|value| !(*value > 0.0 && value.is_finite())) {
        return Err(format!("--interval {value}: expected a time greater than 0"));
    }
    if let Some(value) = options.tolerance.filter(|value| !(*value > 0.0 && *value < 1.0)) {
        return Err(format!("--tolerance {value}: expected a number between 0 and 1"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(options: RunOptions, expected: Result<(f64, f64, f64, f64), &str>) {
        let experiment = Experiment { stop: Some(2.0), tolerance: Some(1e-4), ..Experiment::default() };
        let found = settings(&experiment, &options, None);
        let found = found.map(|it| (it.start, it.stop, it.interval, it.tolerance));
        assert_eq!(found.as_ref().map(|it| *it).map_err(String::as_str), expected);
    }

    #[test]
    fn wishes_come_before_the_annotation_and_the_annotation_before_defaults() {
        check(RunOptions::default(), Ok((0.0, 2.0, 0.004, 1e-4)));
        check(
            RunOptions { stop: Some(10.0), tolerance: Some(1e-9), ..RunOptions::default() },
            Ok((0.0, 10.0, 0.02, 1e-9)),
        );
        check(RunOptions { start: Some(1.0), interval: Some(0.5), ..RunOptions::default() }, Ok((1.0, 2.0, 0.5, 1e-4)));
    }

    #[test]
    fn wishes_that_make_no_sense_are_explained() {
        let error = "the stop time 2.0 is before the start time 3.0; --start and --stop give others";
        check(RunOptions { start: Some(3.0), ..RunOptions::default() }, Err(error));
        let error = "--interval 0: expected a time greater than 0";
        check(RunOptions { interval: Some(0.0), ..RunOptions::default() }, Err(error));
        let error = "--tolerance 1: expected a number between 0 and 1";
        check(RunOptions { tolerance: Some(1.0), ..RunOptions::default() }, Err(error));
        check(RunOptions { stop: Some(f64::INFINITY), ..RunOptions::default() }, Err("--stop inf: expected a time"));
        let error = "an interval of 1e-31 from 0.0 to 2.0 would make 2.0e31 rows";
        check(RunOptions { interval: Some(1e-31), ..RunOptions::default() }, Err(error));
    }

    #[test]
    fn rows_closer_than_neighbouring_numbers_are_refused() {
        let refused = |start: f64, stop: f64, interval: Option<f64>| {
            let options = RunOptions { start: Some(start), stop: Some(stop), interval, ..RunOptions::default() };
            settings(&Experiment::default(), &options, None).is_err_and(|error| error.contains("apart"))
        };
        assert!(refused(1e16, 1e16 + 2.0, None) && refused(1e16, 1e16 + 8.0, Some(0.5)));
        assert!(refused(-1e16, -1e16 + 8.0, Some(0.5)) && refused(0.0, 1e-320, None));
        assert!(!refused(1e16, 1e16 + 8.0, Some(2.0)) && !refused(0.0, 1e-300, None) && !refused(1e9, 1e9 + 1.0, None));
        assert!(!refused(1e16, 1e16, None));
    }
}
