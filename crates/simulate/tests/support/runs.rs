//! From a text to a run, for tests.

#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::Path;

use modeshift_dae::{MultimodeDae, VariableId};
use modeshift_diagnostics::{Diagnostic, Diagnostics};
use modeshift_mode_changes::Strategy;
use modeshift_numerics::{NativeFunctions, Parameters};
use modeshift_simulate::results::{EventCost, EventRecord, Observer, Trajectory};
use modeshift_simulate::run::{
    PeriodicState, RunEnd, RunModel, RunSettings, RunSummary, Simulation, run, run_periodic,
};
use modeshift_structure::{Analysis, Options, Regularized, regularize};
use modeshift_testkit::{multimode_dae, multimode_dae_of_mel};

/// A run and all that came of it.
pub struct Ran {
    pub result: Trajectory,
    pub summary: Option<RunSummary>,
    pub diagnostics: Vec<Diagnostic>,
    /// What events cost, where integration went on after them.
    pub costs: Vec<EventCost>,
}

/// Collects costs.
#[derive(Default)]
struct Costs(Vec<EventCost>);

impl Observer for Costs {
    fn wants_costs(&self) -> bool {
        true
    }

    fn cost(&mut self, cost: &EventCost) {
        self.0.push(*cost);
    }
}

/// How to run a model of a test.
#[derive(Clone, Default)]
pub struct How {
    pub overrides: Vec<(String, String)>,
    pub start: Option<f64>,
    pub stop: Option<f64>,
    pub interval: Option<f64>,
    pub tolerance: Option<f64>,
    pub method: Option<modeshift_simulate::integrate::Method>,
    pub search: Option<&'static [Strategy]>,
    /// Whether fixed start values are left limits.
    pub impulsive_start: bool,
}

impl How {
    pub fn until(stop: f64) -> Self {
        How { stop: Some(stop), ..How::default() }
    }

    pub fn tolerance(self, tolerance: f64) -> Self {
        How { tolerance: Some(tolerance), ..self }
    }

    pub fn search(self, strategies: &'static [Strategy]) -> Self {
        How { search: Some(strategies), ..self }
    }

    pub fn impulsive_start(self) -> Self {
        How { impulsive_start: true, ..self }
    }

    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.overrides.push((name.to_string(), value.to_string()));
        self
    }
}

/// A file of the repository.
pub fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file of the repository")
}

/// A model of the papers.
pub fn paper_model(name: &str) -> String {
    file(&format!("../../models/{name}"))
}

/// Runs the last model of a Modelica text.
pub fn run_text(text: &str, how: &How) -> Ran {
    run_dae(modelica(text, &how.overrides), how)
}

/// Runs a MEL program.
pub fn run_mel(text: &str, how: &How) -> Ran {
    let dae = multimode_dae_of_mel("Test", text, &how.overrides);
    run_dae(dae.unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}")), how)
}

fn modelica(text: &str, overrides: &[(String, String)]) -> MultimodeDae {
    multimode_dae(text, overrides).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

/// Runs an elaborated model.
pub fn run_dae(dae: MultimodeDae, how: &How) -> Ran {
    Analyzed::of(dae).run_with(&[], how)
}

/// A model that is analyzed once and run as often as wanted.
pub struct Analyzed {
    dae: MultimodeDae,
    analysis: Analysis,
}

impl Analyzed {
    /// The last model of a Modelica text.
    pub fn of_text(text: &str) -> Self {
        Self::of(modelica(text, &[]))
    }

    fn of(dae: MultimodeDae) -> Self {
        let (mut diagnostics, natives, overrides) =
            (Diagnostics::new(), NativeFunctions::of(&dae.model), BTreeMap::new());
        let values = dae.clone();
        let parameters = Parameters::evaluate(&values.model, &natives, &overrides, &mut diagnostics);
        let parameters = parameters.unwrap_or_else(|_| panic!("{diagnostics:#?}"));
        let Regularized { dae, analysis, .. } =
            regularize(dae, &Options::default(), &|id| parameters.of(id)).expect("no limit was set");
        Analyzed { dae, analysis }
    }

    /// The model, to be changed where that changes no structure.
    pub fn dae_mut(&mut self) -> &mut MultimodeDae {
        &mut self.dae
    }

    /// Runs it with other values of parameters.
    pub fn run_with(&self, values: &[(&str, f64)], how: &How) -> Ran {
        let (overrides, settings) = (self.overrides(values), self.settings(how));
        let (mut result, mut costs, mut of_run) = (Trajectory::default(), Costs::default(), Diagnostics::new());
        let Analyzed { dae, analysis } = self;
        let model = RunModel { dae, analysis, natives: &NativeFunctions::of(&dae.model), overrides: &overrides };
        let mut observers: Vec<&mut dyn Observer> = vec![&mut result, &mut costs];
        let summary = run(&model, &settings, &mut observers, &mut of_run);
        Ran { result, summary, diagnostics: of_run.iter().cloned().collect(), costs: costs.0 }
    }

    /// Its periodic steady state, or why there is none.
    pub fn periodic(&self, how: &How, period: f64) -> Result<(RunSummary, PeriodicState, Trajectory), Diagnostics> {
        let (overrides, settings) = (BTreeMap::new(), self.settings(how));
        let Analyzed { dae, analysis } = self;
        let model = RunModel { dae, analysis, natives: &NativeFunctions::of(&dae.model), overrides: &overrides };
        let (mut result, mut diagnostics) = (Trajectory::default(), Diagnostics::new());
        let found = run_periodic(&model, &settings, period, &mut result, &mut diagnostics);
        found.map(|(summary, state)| (summary, state, result)).ok_or(diagnostics)
    }

    /// Runs it for somebody who looks.
    pub fn run_for(&self, how: &How, observer: &mut dyn Observer) -> Option<RunSummary> {
        let (overrides, settings) = (BTreeMap::new(), self.settings(how));
        let Analyzed { dae, analysis } = self;
        let model = RunModel { dae, analysis, natives: &NativeFunctions::of(&dae.model), overrides: &overrides };
        run(&model, &settings, observer, &mut Diagnostics::new())
    }

    /// A run to be driven by the test, or why there is none.
    pub fn simulation(
        &self,
        values: &[(&str, f64)],
        settings: &RunSettings,
        observer: Box<dyn Observer + Send>,
    ) -> Result<Simulation, Diagnostics> {
        let (Analyzed { dae, analysis }, overrides) = (self, self.overrides(values));
        let model = RunModel { dae, analysis, natives: &NativeFunctions::of(&dae.model), overrides: &overrides };
        let mut diagnostics = Diagnostics::new();
        Simulation::observed(&model, settings, observer, &mut diagnostics).ok_or(diagnostics)
    }

    fn overrides(&self, values: &[(&str, f64)]) -> BTreeMap<VariableId, f64> {
        let variables = &self.dae.model.variables;
        let id = |name: &str| variables.ids().find(|&id| &*variables[id].name == name);
        values.iter().map(|&(name, value)| (id(name).expect("a parameter"), value)).collect()
    }

    /// The settings of a run.
    pub fn settings(&self, how: &How) -> RunSettings {
        let mut settings = RunSettings::of(&self.dae.model.experiment);
        settings.start = how.start.unwrap_or(settings.start);
        settings.stop = how.stop.unwrap_or(settings.stop);
        settings.interval = how.interval.unwrap_or((settings.stop - settings.start) / 100.0);
        settings.tolerance = how.tolerance.unwrap_or(settings.tolerance);
        settings.method = how.method.unwrap_or(settings.method);
        settings.search = how.search.unwrap_or(settings.search);
        settings.impulsive_start |= how.impulsive_start;
        settings
    }
}

impl Ran {
    /// The same, having come to the stop time.
    pub fn finished(self) -> Self {
        let end = self.summary.as_ref().map(|summary| &summary.end);
        assert_eq!(end, Some(&RunEnd::Stop), "{:?}\n{:#?}", self.summary, self.diagnostics);
        self
    }

    pub fn events(&self) -> &[EventRecord] {
        self.result.events()
    }

    /// The mode variables that are true after the event of this number.
    pub fn mode_after(&self, event: usize) -> Vec<&str> {
        let names = self.result.columns().mode_variables.iter();
        names.zip(self.events()[event].to.values()).filter(|(_, is_true)| *is_true).map(|(name, _)| &**name).collect()
    }

    pub fn event_times(&self) -> Vec<f64> {
        self.events().iter().map(|event| event.time).collect()
    }

    /// All values of a variable.
    pub fn values(&self, name: &str) -> Vec<f64> {
        self.result.named(name).unwrap_or_else(|| panic!("no column {name}"))
    }

    /// The last value of a variable.
    pub fn last(&self, name: &str) -> f64 {
        self.result.last(name).unwrap_or_else(|| panic!("no last value of {name}"))
    }

    /// Left and right limits of a variable at the event of this number.
    pub fn limits(&self, event: usize, name: &str) -> (f64, f64) {
        let time = self.events()[event].time;
        let row = self.result.times().iter().position(|&it| it == time).expect("a row at the event");
        let column = self.result.columns().position(name).unwrap_or_else(|| panic!("no column {name}"));
        (self.result.row(row)[column], self.result.row(row + 1)[column])
    }

    /// The value of a variable at a time that has a row; at an event, the right limit.
    pub fn at(&self, time: f64, name: &str) -> f64 {
        let near = |&it: &f64| (it - time).abs() <= 1e-9 * time.abs().max(1e-9);
        let row = self.result.times().iter().rposition(near).unwrap_or_else(|| panic!("no row at {time}"));
        self.result.row(row)[self.result.columns().position(name).unwrap_or_else(|| panic!("no column {name}"))]
    }

    pub fn said(&self, code: &str) -> &Diagnostic {
        self.diagnostics.iter().find(|it| it.code == code).unwrap_or_else(|| panic!("{:#?}", self.diagnostics))
    }

    /// The weight of an impulse at the event of this number.
    pub fn weight(&self, event: usize, name: &str, order: &str) -> f64 {
        let impulses = &self.events()[event].impulses;
        let found = impulses.iter().find(|it| &*it.variable == name && it.order == order);
        found.unwrap_or_else(|| panic!("no impulse of {name}: {impulses:#?}")).weight
    }
}

/// Checks a value as the references of the corpus want it: ten times the tolerance, relative to the larger of value and
/// nominal value 1.
pub fn check(what: &str, found: f64, expected: f64, tolerance: f64) {
    let allowed = 10.0 * tolerance * expected.abs().max(1.0);
    assert!((found - expected).abs() <= allowed, "{what} = {found}, not {expected}: off by {:e}", found - expected);
}
