//! Models as a run has them: stays in modes, and what follows an event.

use std::rc::Rc;

use modeshift_dae::{ExpressionId, ModeVariableId, MultimodeDae, VariableId};
use modeshift_flatten::multimode_dae;
use modeshift_mode_changes::{
    Change, ChangeSolver, Event, Jet, ModeSource, ModeValues, Noise, Past, Refusal, Strategy, VisitedMode,
    VisitedModes, restart,
};
use modeshift_numerics::{Input, NativeFunctions};
use modeshift_structure::{Options, analyze};

pub fn model(text: &str, overrides: &[(&str, String)]) -> MultimodeDae {
    multimode_dae(text, overrides).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

/// A model with what a run keeps of it.
pub struct Bench<'a> {
    pub dae: &'a MultimodeDae,
    pub solver: ChangeSolver<'a>,
    modes: VisitedModes<'a>,
    natives: &'a NativeFunctions,
    pub noise: Noise,
}

pub fn with_bench<T>(text: &str, overrides: &[(&str, String)], body: impl FnOnce(&mut Bench) -> T) -> T {
    let dae = model(text, overrides);
    let analysis = analyze(&dae, &Options::default()).expect("no limit was set");
    let natives = NativeFunctions::default();
    let signature = |values: &ModeValues| analysis.signature(|mode| values.get(mode));
    let modes = VisitedModes::new(&dae.model, &natives, signature, |variable| parameter(&dae, variable));
    let solver = ChangeSolver::new(&dae, &natives);
    body(&mut Bench { dae: &dae, solver, modes, natives: &natives, noise: Noise::default() })
}

/// Parameters and constants by their literal bindings.
pub fn parameter(dae: &MultimodeDae, variable: VariableId) -> Option<f64> {
    dae.model.expressions.literal(dae.model.variables[variable].binding?)
}

/// The mode being left and its left limits.
pub struct Left<'a> {
    pub mode: Rc<VisitedMode<'a>>,
    pub jet: Jet,
}

impl<'a> Bench<'a> {
    /// Lets only these strategies find next modes.
    pub fn search_by(&mut self, strategies: &[Strategy]) {
        let solver = ChangeSolver::new(self.dae, self.natives);
        self.solver = solver.searching_by(strategies);
    }

    pub fn variable(&self, name: &str) -> VariableId {
        let mut variables = self.dae.model.variables.iter_enumerated();
        variables.find(|(_, variable)| &*variable.name == name).unwrap_or_else(|| panic!("no variable {name}")).0
    }

    pub fn mode_variable(&self, name: &str) -> ModeVariableId {
        let mut modes = self.dae.mode_variables.iter_enumerated();
        modes.find(|(_, mode)| &*mode.name == name).unwrap_or_else(|| panic!("no mode variable {name}")).0
    }

    /// The mode in which exactly these mode variables are true.
    pub fn mode(&mut self, on: &[&str]) -> Rc<VisitedMode<'a>> {
        let mut values = ModeValues(vec![false; self.dae.mode_variables.len()]);
        on.iter().for_each(|name| values.set(self.mode_variable(name), true));
        self.modes.mode(&values).unwrap_or_else(|_| panic!("{on:?} is singular"))
    }

    /// A consistent stay in a mode: states as given, all else follows.
    pub fn stay(&mut self, on: &[&str], time: f64, states: &[(&str, f64)]) -> Left<'a> {
        let mode = self.mode(on);
        let structure = &mode.structure;
        let mut past = Past {
            jet: Jet::unknown(time, structure.size()),
            leading_order: structure.columns().map(|column| structure.written_order(column)).collect(),
            offset: structure.rows().map(|_| 0).collect(),
            is_new: structure.rows().map(|_| true).collect(),
            start: structure.columns().map(|_| None).collect(),
        };
        for &(name, value) in states {
            past.jet.set(structure.column(self.variable(name)).expect("exists"), 0, value);
        }
        let started = restart(structure, &mode.equations, &past, &self.noise);
        assert!(started.is_solved(), "{:?}", started.notes.first());
        Left { mode: Rc::clone(&mode), jet: started.right }
    }

    /// The relation in the definition of a mode variable.
    pub fn relation(&self, mode: &str) -> ExpressionId {
        let guards = self.solver.guards();
        let relation = guards.relations_of(self.mode_variable(mode)).next().expect("a relation");
        guards.relation(relation).expression
    }

    pub fn try_change(&mut self, left: &Left<'a>, fired: &[&str]) -> Result<Change<'a>, Refusal> {
        let fired: Vec<ExpressionId> = fired.iter().map(|mode| self.relation(mode)).collect();
        let dae = self.dae;
        let known = |input: Input| match input {
            Input::Variable(variable, 0) => parameter(dae, variable),
            _ => None,
        };
        let solver = &self.solver;
        let event = Event {
            fired: &fired,
            known: &known,
            changed: &[],
            start: &|_| None,
            laws: &|before, after| solver.laws_of_edges(before, after),
            noise: self.noise,
        };
        solver.change(&mut self.modes, &left.mode, &left.jet, &event)
    }

    pub fn change(&mut self, left: &Left<'a>, fired: &[&str]) -> Change<'a> {
        let changed = self.try_change(left, fired);
        changed.unwrap_or_else(|refusal| panic!("{}", refusal.lines(self.dae, &left.mode.values).join("\n")))
    }

    /// The mode variables that are true.
    pub fn on(&self, mode: &VisitedMode) -> Vec<String> {
        let modes = self.dae.mode_variables.iter_enumerated();
        modes.filter(|(id, _)| mode.values.get(*id)).map(|(_, mode)| mode.name.to_string()).collect()
    }

    pub fn value(&self, mode: &VisitedMode, jet: &Jet, name: &str, order: u32) -> f64 {
        jet.get(mode.structure.column(self.variable(name)).expect("exists"), order)
    }

    pub fn right(&self, change: &Change, name: &str) -> f64 {
        self.value(change.mode(), change.right(), name, 0)
    }

    pub fn weight(&self, change: &Change, step: usize, name: &str) -> f64 {
        let step = &change.steps[step];
        let column = step.mode.structure.column(self.variable(name)).expect("exists");
        step.restart.weights[column].first().copied().unwrap_or(0.0)
    }
}

pub fn check_close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{what}: {found}, expected {expected}");
}
