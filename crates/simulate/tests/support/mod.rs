//! From a Modelica text to start values, for tests.

#![allow(dead_code)]

pub mod programs;
pub mod random;
pub mod runs;

use std::collections::BTreeMap;

use modeshift_dae::{MultimodeDae, VariableId};
use modeshift_diagnostics::{Diagnostic, Diagnostics};
use modeshift_numerics::{NativeFunctions, Parameters};
use modeshift_simulate::initialization::{
    InitialProblem, InitialState, StartSettings, explain_failure, explain_solution,
};
use modeshift_structure::initialization::{InitialChoice, initialization};
use modeshift_structure::{Options, Regularized, regularize};
use modeshift_testkit::multimode_dae;

/// What came of starting a model.
pub struct Start {
    pub dae: MultimodeDae,
    pub state: Option<InitialState>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Start {
    /// The value of `x`, `x'`, ….
    pub fn value(&self, name: &str) -> f64 {
        let plain = name.trim_end_matches('\'');
        let state = self.state.as_ref().unwrap_or_else(|| panic!("no start: {:#?}", self.diagnostics));
        let value = state.value(self.variable(plain), (name.len() - plain.len()) as u32);
        value.unwrap_or_else(|| panic!("{name} does not exist at the start"))
    }

    pub fn variable(&self, name: &str) -> VariableId {
        let variables = &self.dae.model.variables;
        variables.ids().find(|&id| &*variables[id].name == name).unwrap_or_else(|| panic!("no variable {name}"))
    }

    /// Whether the model starts with this mode variable true.
    pub fn mode(&self, name: &str) -> bool {
        let modes = &self.dae.mode_variables;
        let id = modes.ids().find(|&id| &*modes[id].name == name).expect("a mode variable of this name");
        self.state.as_ref().expect("a start").mode.value(id)
    }

    /// The codes of what was said.
    pub fn codes(&self) -> Vec<&str> {
        self.diagnostics.iter().map(|it| it.code.as_str()).collect()
    }

    pub fn said(&self, code: &str) -> &Diagnostic {
        self.diagnostics.iter().find(|it| it.code == code).unwrap_or_else(|| panic!("{:#?}", self.diagnostics))
    }

    pub fn check(&self, name: &str, expected: f64) {
        let value = self.value(name);
        assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{name} = {value}, not {expected}");
    }
}

/// Starts the last model of a text.
pub fn start(text: &str, overrides: &[(&str, &str)]) -> Start {
    start_scenario(text, overrides, None)
}

/// Starts the last model of a text in one of its scenarios.
pub fn start_scenario(text: &str, overrides: &[(&str, &str)], scenario: Option<u32>) -> Start {
    let scenario = scenario.map(modeshift_dae::ScenarioId);
    let mut diagnostics = Diagnostics::new();
    let dae = model(text, overrides);
    let natives = NativeFunctions::new();
    let no_overrides = BTreeMap::new();
    let Regularized { dae, analysis, .. } = {
        let values = dae.clone();
        let parameters = Parameters::evaluate(&values.model, &natives, &no_overrides, &mut diagnostics);
        let parameters = parameters.unwrap_or_else(|_| panic!("{diagnostics:#?}"));
        regularize(dae, &Options::default(), &|id| parameters.of(id)).expect("no limit was set")
    };
    let choice = InitialChoice { scenario, ..InitialChoice::default() };
    let start = initialization(&dae, &analysis, &choice, &Options::default(), &mut diagnostics).expect("no limit");
    let model = &start.system.dae.model;
    let parameters = Parameters::evaluate(model, &natives, &no_overrides, &mut diagnostics);
    let mut parameters = parameters.unwrap_or_else(|_| panic!("{diagnostics:#?}"));
    let problem = InitialProblem::new(&dae, &start, &natives, &mut parameters, StartSettings::default());
    let state = match problem.find_start(&start.scenarios[0]) {
        Ok(state) => {
            explain_solution(&problem, &state, &mut diagnostics);
            Some(state)
        }
        Err(failure) => {
            explain_failure(&problem, &failure, &mut diagnostics);
            None
        }
    };
    let diagnostics = diagnostics.iter().cloned().collect();
    Start { state, diagnostics, dae }
}

fn model(text: &str, overrides: &[(&str, &str)]) -> MultimodeDae {
    multimode_dae(text, overrides).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}
