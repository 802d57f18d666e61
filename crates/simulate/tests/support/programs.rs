//! From a Modelica text to the program of a mode at the start, for tests.

#![allow(dead_code)]

use std::collections::BTreeMap;
use std::sync::Arc;

use modeshift_dae::{ModeVariableId, MultimodeDae, VariableId};
use modeshift_diagnostics::Diagnostics;
use modeshift_numerics::{Input, NativeFunctions, Parameters};
use modeshift_simulate::initialization::{InitialProblem, InitialState, StartSettings};
use modeshift_simulate::program::{Program, Programs, Surroundings};
use modeshift_structure::initialization::{InitialChoice, initialization};
use modeshift_structure::one_mode::ModeStructure;
use modeshift_structure::{Analysis, Options, Regularized, regularize};
use modeshift_testkit::{NO_OVERRIDES, multimode_dae, multimode_dae_of_mel};

/// A model with its structure and the values of its parameters.
pub struct Model {
    pub dae: MultimodeDae,
    pub analysis: Analysis,
    pub natives: NativeFunctions,
    pub parameters: Vec<Option<f64>>,
    pub nominal: Vec<Option<f64>>,
}

impl Model {
    pub fn new(text: &str, overrides: &[(&str, &str)]) -> Self {
        Self::of_dae(multimode_dae(text, overrides).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}")))
    }

    pub fn of_mel(text: &str) -> Self {
        let dae = multimode_dae_of_mel("Test", text, &NO_OVERRIDES);
        Self::of_dae(dae.unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}")))
    }

    pub fn of_dae(dae: MultimodeDae) -> Self {
        let (natives, none) = (NativeFunctions::new(), BTreeMap::new());
        let before = dae.model.clone();
        let mut parameters =
            Parameters::evaluate(&before, &natives, &none, &mut Diagnostics::new()).expect("parameters have values");
        let values: Vec<Option<f64>> = before.variables.ids().map(|id| parameters.of(id)).collect();
        let nominal = before.variables.iter().map(|it| it.nominal.and_then(|nominal| parameters.value(nominal)));
        let nominal = nominal.collect();
        let Regularized { dae, analysis, .. } =
            regularize(dae, &Options::default(), &|id| values[id.0 as usize]).expect("no limit was set");
        Model { dae, analysis, natives, parameters: values, nominal }
    }

    pub fn programs(&self) -> Programs<'_> {
        Programs::new(&self.dae, &self.natives, |id| self.parameters[id.0 as usize], |id| self.nominal[id.0 as usize])
    }

    pub fn structure(&self, mode: impl Fn(ModeVariableId) -> bool) -> Option<Arc<ModeStructure>> {
        ModeStructure::of_signature(&self.analysis.signature(mode)).ok().map(Arc::new)
    }

    pub fn variable(&self, name: &str) -> VariableId {
        let variables = &self.dae.model.variables;
        variables.ids().find(|&id| &*variables[id].name == name).unwrap_or_else(|| panic!("no variable {name}"))
    }

    /// The initial state.
    pub fn start(&self) -> InitialState {
        let (choice, options, none) = (InitialChoice::default(), Options::default(), BTreeMap::new());
        let mut diagnostics = Diagnostics::new();
        let start = initialization(&self.dae, &self.analysis, &choice, &options, &mut diagnostics).expect("no limit");
        let model = &start.system.dae.model;
        let mut parameters =
            Parameters::evaluate(model, &self.natives, &none, &mut diagnostics).expect("parameters have values");
        let problem = InitialProblem::new(&self.dae, &start, &self.natives, &mut parameters, StartSettings::default());
        problem.find_start(&start.scenarios[0]).unwrap_or_else(|_| panic!("no start"))
    }
}

/// A program that runs in its initial mode.
pub struct Running<'a> {
    pub model: &'a Model,
    pub programs: Programs<'a>,
    pub program: Program,
    pub surroundings: Surroundings,
    pub time: f64,
    pub jet: Vec<f64>,
    pub states: Vec<f64>,
    /// How often other states were chosen.
    pub changes: usize,
}

impl<'a> Running<'a> {
    pub fn start(model: &'a Model) -> Self {
        let state = model.start();
        let mode = |id| state.mode.value(id);
        Self::in_mode(model, mode, |variable, order| state.value(variable, order))
    }

    pub fn in_mode(
        model: &'a Model,
        mode: impl Fn(ModeVariableId) -> bool,
        value: impl Fn(VariableId, u32) -> Option<f64>,
    ) -> Self {
        let mut programs = model.programs();
        let structure = model.structure(&mode).expect("a regular mode");
        let mut program = programs.program(structure, &mode).expect("a program");
        let mut surroundings = Surroundings::new(&model.dae.model);
        for id in model.dae.mode_variables.ids() {
            surroundings.set_mode(id, mode(id));
            surroundings.set_left_mode(id, mode(id));
        }
        for (id, variable) in model.dae.model.variables.iter_enumerated() {
            if let Some(value) = value(id, 0) {
                surroundings.set(Input::LeftVariable(id, 0), value);
                if !variable.is_continuous_unknown() {
                    surroundings.set_variable(id, value);
                }
            }
        }
        let jet: Vec<f64> =
            program.quantities().list().iter().map(|it| value(it.of, it.order).unwrap_or(f64::NAN)).collect();
        program.choose_states(&mut programs, 0.0, &jet, &surroundings).expect("code for the states");
        let mut states = Vec::new();
        program.states_of(&jet, &mut states);
        let mut running = Running { model, programs, program, surroundings, time: 0.0, jet, states, changes: 0 };
        running.evaluate();
        running
    }

    pub fn evaluate(&mut self) {
        let Running { program, programs, time, states, surroundings, jet, .. } = self;
        program.evaluate(*time, states, surroundings, jet).unwrap_or_else(|failure| {
            panic!("{:#?}", failure.explain(programs));
        });
    }

    pub fn value(&self, name: &str) -> f64 {
        let plain = name.trim_end_matches('\'');
        let order = (name.len() - plain.len()) as u32;
        let quantity = self.program.quantities().index(self.model.variable(plain), order);
        self.jet[quantity.unwrap_or_else(|| panic!("{name} is no quantity")).index()]
    }

    pub fn derivative(&mut self, time: f64, states: &[f64]) -> Vec<f64> {
        let mut derivatives = vec![0.0; states.len()];
        let result = self.program.derivative(time, states, &self.surroundings, &mut derivatives);
        result.unwrap_or_else(|failure| panic!("{:#?}", failure.explain(&self.programs)));
        derivatives
    }

    /// One classical Runge–Kutta step, then all quantities, then other states if these are bad.
    pub fn step(&mut self, h: f64) {
        let moved = |x: &[f64], k: &[f64], by: f64| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + by * k).collect() };
        let (t, x) = (self.time, self.states.clone());
        let k1 = self.derivative(t, &x);
        let k2 = self.derivative(t + h / 2.0, &moved(&x, &k1, h / 2.0));
        let k3 = self.derivative(t + h / 2.0, &moved(&x, &k2, h / 2.0));
        let k4 = self.derivative(t + h, &moved(&x, &k3, h));
        for (index, place) in self.states.iter_mut().enumerate() {
            *place = x[index] + h / 6.0 * (k1[index] + 2.0 * k2[index] + 2.0 * k3[index] + k4[index]);
        }
        self.time = t + h;
        self.evaluate();
        if self.program.needs_new_states(self.time, &self.jet, &self.surroundings) {
            self.choose();
        }
    }

    /// Takes other states, as the jet says.
    pub fn choose(&mut self) {
        self.changes += 1;
        let chosen = self.program.choose_states(&mut self.programs, self.time, &self.jet, &self.surroundings);
        chosen.expect("code for the states");
        self.program.states_of(&self.jet, &mut self.states);
        self.evaluate();
    }
}
