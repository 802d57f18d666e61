//! Values of all unknowns of initialization, and the mode in which they are.

use std::collections::BTreeMap;

use modeshift_dae::{Builtin, Id, Mode, ModeVariableId, Node, Variability, VariableId};
use modeshift_modes::ModeVariable;
use modeshift_numerics::Input;
use modeshift_structure::Derivative;

use super::problem::InitialProblem;

/// A mode and a scenario: the values of the variables of the space of initialization, which are the mode variables of the
/// model, then those that tell scenarios apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StartMode(pub(crate) Mode);

impl StartMode {
    /// The value of a variable of the space.
    pub fn is_on(&self, variable: ModeVariable) -> bool {
        self.0[ModeVariableId(variable.0)]
    }

    /// The value of a mode variable of the model.
    pub fn value(&self, mode: ModeVariableId) -> bool {
        self.0[mode]
    }

    /// Gives a variable of the space a value.
    pub(crate) fn set(&mut self, variable: ModeVariable, value: bool) {
        self.0.set(ModeVariableId(variable.0), value);
    }

    /// The variables of the space with their values.
    pub(crate) fn literals(&self) -> Vec<(ModeVariable, bool)> {
        self.0.iter().map(|(id, value)| (ModeVariable(id.0), value)).collect()
    }
}

/// Values by the variables of the initialization system.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) values: Vec<f64>,
    pub(crate) mode: StartMode,
    /// Whether what is not fixed was before what it is; otherwise it had its start value.
    pub(crate) own_left_limits: bool,
    /// Left limits that initial equations give by what the start finds.
    pub(crate) before: BTreeMap<VariableId, f64>,
}

impl Point {
    /// The largest value of all.
    pub(crate) fn largest(&self) -> f64 {
        self.values.iter().filter(|value| value.is_finite()).fold(0.0, |largest: f64, value| largest.max(value.abs()))
    }

    /// What a discrete variable was before the start.
    pub(crate) fn left_limit(&self, problem: &InitialProblem<'_>, of: VariableId) -> f64 {
        self.before.get(&of).copied().unwrap_or(problem.guesses[of.index()])
    }

    /// The value of what an expression depends on. Left limits of continuous variables are their values, those of
    /// discrete ones their start values, unless these are not fixed and were the same before.
    pub(crate) fn input(&self, problem: &InitialProblem<'_>, input: Input) -> f64 {
        let truth = |value: bool| f64::from(u8::from(value));
        match input {
            Input::Time => problem.time,
            Input::LeftVariable(of, 0) if problem.model().variables[of].variability == Variability::Discrete => {
                match self.own_left_limits && !problem.model().variables[of].fixed.unwrap_or(false) {
                    true => self.values[of.index()],
                    false => self.left_limit(problem, of),
                }
            }
            Input::Variable(of, order) | Input::LeftVariable(of, order) => {
                let variable = problem.start.system.variable(Derivative { of, order });
                variable.map_or(f64::NAN, |variable| self.values[variable.index()])
            }
            Input::Mode(mode) => truth(self.mode.value(mode)),
            Input::LeftMode(mode) => {
                let variable = problem.dae.mode_variables[mode].variable;
                let is_fixed = variable.is_some_and(|it| problem.model().variables[it].fixed.unwrap_or(false));
                truth(if self.own_left_limits && !is_fixed { self.mode.value(mode) } else { problem.mode_starts[mode] })
            }
            Input::Run(call) => match problem.model().expressions.node(call) {
                Node::Call(Builtin::Initial, _) => 1.0,
                _ => 0.0,
            },
            Input::Homotopy => 1.0,
        }
    }
}
