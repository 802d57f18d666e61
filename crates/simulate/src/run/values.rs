//! One-sided limits: all values on one side of an instant, which are the mode, its jet, and the discrete variables.

use std::rc::Rc;

use modeshift_dae::{Builtin, ExpressionId, FlatModel, IndexVec, ModeVariableId, Node, VariableId};
use modeshift_numerics::Input;

use crate::run::instant::entry::LastValues;
use crate::run::modes::VisitedMode;
use crate::run::prepare::Prepared;
use crate::run::sliding::flow::Slide;

/// All values at an instant, from one side.
#[derive(Clone)]
pub(crate) struct Side<'a> {
    pub time: f64,
    pub mode: Rc<VisitedMode<'a>>,
    /// Variables and derivatives, by the quantities of the mode.
    pub jet: Vec<f64>,
    /// Values of discrete variables; of others without meaning.
    pub discrete: IndexVec<VariableId, f64>,
    /// In a sliding mode: the fields that it combines. The mode and the discrete values are those of the first.
    pub sliding: Option<Slide<'a>>,
    /// What states of machines that are not active had when they were.
    pub last: LastValues,
}

impl<'a> Side<'a> {
    /// Makes this side another one, in the memory that it has.
    pub fn become_like(&mut self, other: &Side<'a>) {
        self.time = other.time;
        if !Rc::ptr_eq(&self.mode, &other.mode) {
            self.mode = other.mode.clone();
        }
        self.jet.clear();
        self.jet.extend_from_slice(&other.jet);
        copy_values(&other.discrete, &mut self.discrete);
        self.sliding.clone_from(&other.sliding);
        if !Rc::ptr_eq(&self.last, &other.last) {
            self.last = other.last.clone();
        }
    }
}

/// Makes discrete values those of others, in the memory that they have.
pub(crate) fn copy_values(from: &IndexVec<VariableId, f64>, to: &mut IndexVec<VariableId, f64>) {
    if from.len() == to.len() {
        to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = *from);
    } else {
        to.clone_from(from);
    }
}

impl Side<'_> {
    /// The jet that satisfies the equations of the mode: in a sliding mode, not the combined one.
    pub fn own_jet(&self) -> &[f64] {
        self.sliding.as_ref().map_or(&self.jet, |slide| &slide.jets[0])
    }

    /// A variable of any kind, or a derivative; "not a number" where it does not exist.
    pub fn value(&self, variable: VariableId, order: u32) -> f64 {
        match self.mode.quantities.index(variable, order) {
            Some(quantity) => self.jet[quantity.index()],
            None if self.mode.is_pinned(variable) => 0.0,
            None => self.discrete[variable],
        }
    }

    /// The value of an input where coefficients of equations are taken, with these discrete values; zero where it has none.
    pub fn point(&self, prepared: &Prepared, discrete: &IndexVec<VariableId, f64>, input: Input) -> f64 {
        let value = match input {
            Input::Time => self.time,
            Input::Variable(id, order) if prepared.dae.model.variables[id].is_continuous_unknown() => {
                self.value(id, order)
            }
            Input::Variable(id, _) => prepared.parameter(id).unwrap_or(discrete[id]),
            Input::LeftVariable(id, order) => self.value(id, order),
            Input::Mode(mode) | Input::LeftMode(mode) => f64::from(u8::from(self.truth(mode))),
            Input::Homotopy => 1.0,
            Input::Run(_) => 0.0,
        };
        if value.is_nan() { 0.0 } else { value }
    }

    /// Whether a mode variable is true.
    pub fn truth(&self, mode: ModeVariableId) -> bool {
        self.mode.values[mode]
    }
}

/// What only the run knows of an instant: whether it is the first or the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Occasion {
    /// The start.
    pub initial: bool,
    /// The end.
    pub terminal: bool,
}

impl Occasion {
    /// The value of a call that only the run can answer; `sampled` says which samplings are due.
    pub fn call(self, model: &FlatModel, call: ExpressionId, sampled: &[ExpressionId]) -> f64 {
        let truth = match model.expressions.node(call) {
            Node::Call(Builtin::Initial, _) => self.initial,
            Node::Call(Builtin::Terminal, _) => self.terminal,
            Node::Call(Builtin::Sample, _) => sampled.contains(&call),
            _ => return f64::NAN,
        };
        f64::from(u8::from(truth))
    }
}

/// The value of what an expression depends on, between two sides of an instant.
pub(crate) fn input_between(
    model: &FlatModel,
    input: Input,
    (left, right): (&Side<'_>, &Side<'_>),
    occasion: Occasion,
    sampled: &[ExpressionId],
) -> f64 {
    let number = |truth: bool| f64::from(u8::from(truth));
    match input {
        Input::Time => right.time,
        Input::Variable(variable, order) => right.value(variable, order),
        Input::LeftVariable(variable, order) => left.value(variable, order),
        Input::Mode(mode) => number(right.truth(mode)),
        Input::LeftMode(mode) => number(left.truth(mode)),
        Input::Run(call) => occasion.call(model, call, sampled),
        Input::Homotopy => 1.0,
    }
}
