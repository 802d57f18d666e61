//! The summary of a run: how it ended, how many events there were, and which guard caused how many of them.

use std::time::Duration;

use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_simulate::results::{Tally, VariableStatistics};
use modeshift_simulate::run::{PeriodicState, RunEnd, RunSummary, SensitiveEvent, SensitiveValue, Sensitivities};
use serde_json::Value;

use crate::check::DiagnosticReport;
use crate::json::{ByName, Json, Version};
use crate::wording::counted;

crate::report! {
    /// A variable whose left and right limits differ.
    pub struct JumpReport {
        /// Its name.
        variable: String => always "variable",
        /// The left limit; nothing where it did not exist before.
        left: Option<f64> => always "left",
        /// The right limit; nothing where it does not exist any more.
        right: Option<f64> => always "right",
    }

    /// A variable that is impulsive at an event.
    pub struct ImpulseReport {
        /// Its name.
        variable: String => always "variable",
        /// The order: 1 for a Dirac impulse, 2 for its derivative, and so on; rational where squares of impulses occur.
        order: String => always "order",
        /// The weight of this order: of a Dirac impulse its area; nothing where none is defined.
        weight: Option<f64> => always "weight",
    }

    /// A variable that the mode after an event leaves undetermined.
    pub struct UndeterminedReport {
        /// Its name.
        variable: String => always "variable",
        /// Until when.
        until: f64 => always "until",
    }

    /// One event of a run, a line of the log.
    pub struct EventReport {
        /// When.
        time: f64 => always "time",
        /// The mode before: all mode variables, or those that change where there are more than 256.
        from: ByName<bool> => always "from",
        /// The mode after.
        to: ByName<bool> => always "to",
        /// The conditions that changed, in the words of the model.
        cause: Vec<String> => always "cause",
        /// The modes passed through at this instant; empty for a change in one step.
        cascade: Vec<String> => always "cascade",
        /// Variables that jumped, in declaration order.
        jumps: Vec<JumpReport> => always "jumps",
        /// Variables that are impulsive, in declaration order.
        impulses: Vec<ImpulseReport> => always "impulses",
        /// The conditions that the run slides along from now on.
        sliding: Vec<String> => optional "sliding",
        /// What is not determined from now on.
        undetermined: Vec<UndeterminedReport> => optional "undetermined",
    }
}

crate::report! {
    /// A guard, and how many events it caused.
    pub struct GuardReport {
        /// The guard, in the words of the model.
        guard: String => always "guard",
        /// How many.
        events: usize => always "events",
    }

    /// A harmonic of a period: `amplitude*cos(order*2*pi*(t - from)/period + phase)`.
    pub struct HarmonicReport {
        /// Its order; 1 is the fundamental.
        order: usize => always "order",
        /// Its amplitude.
        amplitude: f64 => always "amplitude",
        /// Its phase, in radians.
        phase: f64 => always "phase",
    }

    /// A variable over a period.
    pub struct VariableOverPeriod {
        /// Its name.
        variable: String => always "variable",
        /// Its mean.
        mean: f64 => always "mean",
        /// Its effective value.
        rms: f64 => always "rms",
        /// Its least value.
        min: f64 => always "min",
        /// Its largest value.
        max: f64 => always "max",
        /// The difference of these.
        ripple: f64 => always "ripple",
        /// The first harmonics.
        harmonics: Vec<HarmonicReport> => always "harmonics",
    }

    /// A state where a period begins.
    pub struct StartValueReport {
        /// The state: `x`, `der(x)`.
        state: String => always "state",
        /// Its value.
        value: f64 => always "value",
    }

    /// A Floquet multiplier: what is left of a disturbance after a period.
    pub struct MultiplierReport {
        /// Its real part.
        re: f64 => always "re",
        /// Its imaginary part.
        im: f64 => always "im",
    }

    /// The periodic steady state (`--periodic`), of which one period is the result.
    pub struct PeriodicReport {
        /// The period.
        period: f64 => always "period",
        /// When the period begins that is the result.
        from: f64 => always "from",
        /// The states there, right after the events of that instant.
        start_values: Vec<StartValueReport> => always "startValues",
        /// The Floquet multipliers, the largest first; the steady state is stable where all are smaller than 1.
        multipliers: Vec<MultiplierReport> => always "multipliers",
        /// How many periods were simulated to find it.
        periods: usize => always "periods",
        /// How far a period leads from where it begins, as a share of the sizes of the states.
        residual: f64 => always "residual",
        /// Variables over the period: those of `--vars`, or all that are continuous.
        variables: Vec<VariableOverPeriod> => always "variables",
    }

    /// A variable at the end of a run, and how it changes.
    pub struct SensitiveValueReport {
        /// Its name.
        variable: String => always "variable",
        /// Its value; nothing where it does not exist there.
        value: f64 => always "value",
        /// Its derivatives, in the order of `by`; nothing where it does not exist there.
        derivatives: Vec<f64> => always "derivatives",
    }

    /// An event of a run, and how its time changes.
    pub struct SensitiveEventReport {
        /// When.
        time: f64 => always "time",
        /// The conditions that changed, in the words of the model.
        cause: Vec<String> => always "cause",
        /// The derivatives of its time, in the order of `by`.
        derivatives: Vec<f64> => always "derivatives",
    }

    /// How end values and times of events change with parameters and start values (`--sensitivity`).
    pub struct SensitivitiesReport {
        /// The parameters and start values.
        by: Vec<String> => always "by",
        /// The Real variables at the end.
        end: Vec<SensitiveValueReport> => always "end",
        /// The events.
        events: Vec<SensitiveEventReport> => always "events",
    }

    /// How a run went.
    pub struct SimulateReport {
        /// The version of the format.
        version: Version => always "version",
        /// The class that was run.
        model: String => always "model",
        /// Whether it came to its end.
        ok: bool => always "ok",
        /// How it ended: `stop` at the stop time, `terminated` by the model, `interrupted` from outside or by a limit, `failed`.
        end: &'static str => always "end",
        /// What the model said where it terminated the run.
        message: Option<String> => always "message",
        /// Where it started.
        start: f64 => always "start",
        /// How far it came.
        time: f64 => always "time",
        /// How many rows there are in the result.
        rows: usize => always "rows",
        /// How many events there were.
        events: usize => always "events",
        /// How many of them changed the mode.
        mode_changes: usize => always "mode_changes",
        /// How many of them had impulses.
        impulsive: usize => always "impulsive",
        /// How many modes were visited.
        modes: usize => always "modes",
        /// How many of them were sliding modes.
        sliding: usize => always "sliding",
        /// How many of them were solved exactly.
        exactly: usize => always "exactly",
        /// The equations because of which others were not, where all were to be (`--solver exact`).
        not_affine: Vec<String> => optional "notAffine",
        /// How many instants were like one before, and were passed without a search.
        repeated: usize => always "repeated",
        /// The periodic steady state, where that was asked for.
        periodic: Option<PeriodicReport> => optional "periodic",
        /// How end values and times of events change, where that was asked for.
        sensitivities: Option<SensitivitiesReport> => optional "sensitivities",
        /// Which guard caused how many events, most first.
        guards: Vec<GuardReport> => always "guards",
        /// Where the result is; `-` for standard output.
        result: String => always "result",
        /// Errors, warnings and notes, in the order in which they were found.
        diagnostics: Vec<DiagnosticReport> => always "diagnostics",
    }
}

impl SimulateReport {
    /// For programs.
    pub fn json(&self) -> Value {
        Json::json(self)
    }
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Simulated {
    /// The class that was run.
    pub model: String,
    /// How it ended.
    pub summary: RunSummary,
    /// Where it started.
    pub start: f64,
    /// What was counted on the way.
    pub tally: Tally,
    /// How long it took, without the analysis.
    pub time: Duration,
    /// The periodic steady state, where that was asked for.
    pub periodic: Option<Periodic>,
    /// How end values and times of events change, where that was asked for.
    pub sensitivities: Option<Sensitivities>,
}

/// A periodic steady state.
#[derive(Debug)]
pub struct Periodic {
    /// Its start values and multipliers.
    pub state: PeriodicState,
    /// Variables over the period.
    pub variables: Vec<VariableStatistics>,
}

/// So many variables and states are listed.
const MOST_VARIABLES: usize = 12;

impl Periodic {
    fn report(&self) -> PeriodicReport {
        let PeriodicState { period, from, states, multipliers, periods, residual } = &self.state;
        let variable = |it: &VariableStatistics| VariableOverPeriod {
            variable: it.variable.to_string(),
            mean: it.mean,
            rms: it.rms,
            min: it.least,
            max: it.largest,
            ripple: it.largest - it.least,
            harmonics: it
                .harmonics
                .iter()
                .map(|it| HarmonicReport { order: it.order, amplitude: it.amplitude, phase: it.phase })
                .collect(),
        };
        PeriodicReport {
            period: *period,
            from: *from,
            start_values: states
                .iter()
                .map(|(state, value)| StartValueReport { state: state.clone(), value: *value })
                .collect(),
            multipliers: multipliers.iter().map(|&(re, im)| MultiplierReport { re, im }).collect(),
            periods: *periods,
            residual: *residual,
            variables: self.variables.iter().map(variable).collect(),
        }
    }

    fn text(&self) -> String {
        let PeriodicState { period, states, multipliers, periods, .. } = &self.state;
        let mut text = format!("periodic with {}, found in {periods} periods; from\n", number(*period));
        for (state, value) in states.iter().take(MOST_VARIABLES) {
            text += &format!("  {state} = {value:?}\n");
        }
        let listed = multipliers.iter().take(MOST_VARIABLES).map(|&(re, im)| match im {
            0.0 => format!("{re:.6}"),
            im => format!("{re:.6} {} {:.6}i", if im < 0.0 { '-' } else { '+' }, im.abs()),
        });
        text += &format!("Floquet multipliers: {}\n", listed.collect::<Vec<_>>().join(", "));
        let width = self.variables.iter().map(|it| it.variable.chars().count()).max().unwrap_or(0).max(8);
        text +=
            &format!("  {:width$} {:>13} {:>13} {:>13} {:>13}\n", "variable", "mean", "rms", "ripple", "harmonic 1");
        for it in self.variables.iter().take(MOST_VARIABLES) {
            let first = it.harmonics.first().map_or(0.0, |it| it.amplitude);
            let ripple = it.largest - it.least;
            text += &format!(
                "  {:width$} {:>13.6e} {:>13.6e} {ripple:>13.6e} {first:>13.6e}\n",
                it.variable, it.mean, it.rms
            );
        }
        text
    }
}

/// So many end values and events are listed with their sensitivities.
const MOST_ROWS: usize = 20;
/// So many equations are listed.
const MOST_EQUATIONS: usize = 5;
/// So many guards are listed.
const MOST_GUARDS: usize = 10;

/// `0.5`, `2`, `5e-8`
fn number(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map(str::to_string).unwrap_or(text)
}

impl Simulated {
    /// For programs; `results` says where the results are.
    pub fn report(&self, results: &str, diagnostics: &Diagnostics, sources: &SourceMap) -> SimulateReport {
        let Simulated { model, summary, start, tally, .. } = self;
        let (end, message) = match &summary.end {
            RunEnd::Stop => ("stop", None),
            RunEnd::Terminated(message) => ("terminated", Some(message.to_string())),
            RunEnd::Interrupted => ("interrupted", None),
            RunEnd::Failed => ("failed", None),
        };
        let guards = tally.ranking().into_iter();
        SimulateReport {
            version: Version,
            model: model.clone(),
            ok: matches!(summary.end, RunEnd::Stop | RunEnd::Terminated(_)) && !diagnostics.has_errors(),
            end,
            message,
            start: *start,
            time: summary.time,
            rows: tally.rows(),
            events: tally.events(),
            mode_changes: tally.mode_changes(),
            impulsive: tally.impulsive(),
            modes: summary.modes,
            sliding: summary.sliding,
            exactly: summary.exactly,
            not_affine: summary.not_affine.clone(),
            repeated: summary.repeated,
            periodic: self.periodic.as_ref().map(Periodic::report),
            sensitivities: self.sensitivities.as_ref().map(sensitivities_report),
            guards: guards.map(|(guard, events)| GuardReport { guard: guard.to_string(), events }).collect(),
            result: results.to_string(),
            diagnostics: diagnostics.iter().map(|it| DiagnosticReport::new(it, sources)).collect(),
        }
    }

    /// A few lines; `results` says where the results are.
    pub fn text(&self, results: &str) -> String {
        text(self, results)
    }
}

fn text(simulated: &Simulated, results: &str) -> String {
    let Simulated { model, summary, start, tally, time, periodic, sensitivities } = simulated;
    let (start, until) = (number(*start), number(summary.time));
    let end = match &summary.end {
        RunEnd::Stop => String::new(),
        RunEnd::Terminated(message) => format!(", where the model terminated it: {message}"),
        RunEnd::Interrupted => ", where it was interrupted".to_string(),
        RunEnd::Failed => ", where it stopped".to_string(),
    };
    let mut events = counted(tally.events(), "event");
    let (changes, impulsive) = (tally.mode_changes(), tally.impulsive());
    if changes > 0 && changes < tally.events() {
        events += &format!(", {}", counted(changes, "mode change"));
    }
    if impulsive > 0 {
        events += &format!(", {impulsive} with impulses");
    }
    let rows = counted(tally.rows(), "row");
    let seconds = time.as_secs_f64();
    let mut text = format!("{model}: simulated from {start} to {until}{end}, in {seconds:.3} s\n");
    let mut modes = counted(summary.modes, "mode");
    if summary.sliding > 0 {
        modes += &format!(", {} sliding", summary.sliding);
    }
    if summary.exactly > 0 {
        modes += &format!(", {} solved exactly", summary.exactly);
    }
    text += &format!("{events}; {modes}; {rows} in {results}\n");
    if !summary.not_affine.is_empty() {
        let listed = summary.not_affine.iter().take(MOST_EQUATIONS).map(|name| format!("`{name}`"));
        let more = summary.not_affine.len().saturating_sub(MOST_EQUATIONS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let listed: Vec<String> = listed.collect();
        text += &format!("by backward differentiation where these are not affine: {}{more}\n", listed.join(", "));
    }
    if let Some(periodic) = periodic {
        text += &periodic.text();
    }
    if let Some(sensitivities) = sensitivities {
        text += &sensitivities_text(sensitivities);
    }
    text + &tally.table(MOST_GUARDS)
}

fn sensitivities_report(found: &Sensitivities) -> SensitivitiesReport {
    let value = |it: &SensitiveValue| SensitiveValueReport {
        variable: it.name.clone(),
        value: it.value,
        derivatives: it.by.clone(),
    };
    let event = |it: &SensitiveEvent| SensitiveEventReport {
        time: it.time,
        cause: it.cause.clone(),
        derivatives: it.by.clone(),
    };
    SensitivitiesReport {
        by: found.by.clone(),
        end: found.end.iter().map(value).collect(),
        events: found.events.iter().map(event).collect(),
    }
}

/// A table of derivatives: one column for each parameter, first of values at the end, then of times of events.
fn sensitivities_text(found: &Sensitivities) -> String {
    let ends = found.end.iter().filter(|it| !it.value.is_nan()).map(|it| (it.name.clone(), it.value, &it.by));
    let cause = |it: &SensitiveEvent| it.cause.first().cloned().unwrap_or_else(|| "event".to_string());
    let events = found.events.iter().map(|it| (cause(it), it.time, &it.by));
    let table = |heading: &str, rows: Vec<(String, f64, &Vec<f64>)>| {
        let width = rows.iter().map(|it| it.0.chars().count()).max().unwrap_or(0).max(heading.chars().count());
        let names: String = found.by.iter().map(|name| format!(" {:>16}", format!("by {name}"))).collect();
        let mut text = format!("  {heading:width$} {:>14}{names}\n", "");
        for (name, value, by) in rows.iter().take(MOST_ROWS) {
            let by: String = by.iter().map(|it| format!(" {it:>16.8e}")).collect();
            text += &format!("  {name:width$} {value:>14.6e}{by}\n");
        }
        if rows.len() > MOST_ROWS {
            text += &format!("  and {} more, which `--format json` lists\n", rows.len() - MOST_ROWS);
        }
        text
    };
    format!("sensitivities\n{}{}", table("at the end", ends.collect()), table("times of events", events.collect()))
}
