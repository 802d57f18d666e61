//! Equations as tapes: the residual and its partial derivatives, along jets.
//!
//! What an equation looks like depends on the mode variables it contains and on nothing else of a mode, so modes share
//! the tapes of equations that have the same form in them ([`EquationTapes`]).

use std::cell::RefCell;
use std::rc::Rc;

use modeshift_dae::{Equation, EquationId, FlatModel, ModeVariableId, Node, VariableId};
use modeshift_numerics::{Compiler, Differentiated, Input, NativeFunctions, NotNumeric, Tape, TaylorWorkspace};
use rustc_hash::FxHashMap;

use crate::jet::Jet;
use crate::mode_structure::Column;

/// An equation, and the values of the mode variables in it, where they have one.
type Form = (EquationId, Box<[Option<bool>]>);

/// Tapes of equations by their forms, for modes that agree on all constants beside the mode variables.
#[derive(Default)]
pub struct EquationTapes {
    modes: RefCell<FxHashMap<EquationId, Rc<[ModeVariableId]>>>,
    known: RefCell<FxHashMap<Form, Rc<EquationTape>>>,
}

impl EquationTapes {
    /// The tape of an equation in the form that the constants give it.
    pub(crate) fn of(
        &self,
        model: &FlatModel,
        natives: &NativeFunctions,
        equation: EquationId,
        constants: &dyn Fn(Input) -> Option<f64>,
    ) -> Rc<EquationTape> {
        let modes = self.modes.borrow_mut().entry(equation).or_insert_with(|| modes_in(model, equation)).clone();
        let value = |&mode: &ModeVariableId| constants(Input::Mode(mode)).map(|value| value != 0.0);
        let form = (equation, modes.iter().map(value).collect());
        let compile = || {
            let compiled = EquationTape::new(model, natives, &model.equations[equation], constants);
            Rc::new(compiled.expect("a continuous equation is between numbers"))
        };
        self.known.borrow_mut().entry(form).or_insert_with(compile).clone()
    }
}

/// The mode variables that an equation contains, ascending.
fn modes_in(model: &FlatModel, equation: EquationId) -> Rc<[ModeVariableId]> {
    let mut modes = Vec::new();
    for side in [model.equations[equation].left, model.equations[equation].right] {
        model.expressions.for_each(side, |_, node| {
            if let Node::Mode(mode) = node {
                modes.push(mode);
            }
            true
        });
    }
    modes.sort_unstable();
    modes.dedup();
    modes.into()
}

/// The difference of both sides of an equation and its partial derivatives.
pub(crate) struct EquationTape {
    tape: Differentiated,
    /// The continuous variables with the orders that are written, which are the first inputs.
    unknowns: Vec<(VariableId, u32)>,
    /// Whether no partial derivative depends on an unknown.
    is_linear: bool,
    /// By unknown, where they are the same at all times: the partial derivatives.
    constant: Option<Vec<f64>>,
    /// By order, for the residual alone and for all.
    workspaces: RefCell<[Vec<Option<TaylorWorkspace>>; 2]>,
}

/// Which results of an equation are wanted.
#[derive(Clone, Copy)]
enum Wanted {
    Residual = 0,
    Everything = 1,
}

impl EquationTape {
    fn new(
        model: &FlatModel,
        natives: &NativeFunctions,
        equation: &Equation,
        constants: &dyn Fn(Input) -> Option<f64>,
    ) -> Result<Self, NotNumeric> {
        let unknowns = unknowns(model, equation);
        let inputs: Vec<Input> = unknowns.iter().map(|&(variable, order)| Input::Variable(variable, order)).collect();
        let compiler = Compiler::new(model, natives).with_known_inputs(constants);
        let tape = compiler.differentiated(&[equation.left, equation.right], &inputs)?;
        let is_linear = tape.is_linear();
        let mut compiled = EquationTape {
            tape,
            unknowns,
            is_linear,
            constant: None,
            workspaces: RefCell::new([Vec::new(), Vec::new()]),
        };
        if is_linear && inputs.len() == compiled.tape.inputs().len() {
            compiled.constant = Some(compiled.partials_from(&vec![0.0; inputs.len()], 0));
        }
        Ok(compiled)
    }

    /// Whether the partial derivatives are the same along all jets through an instant.
    pub(crate) fn is_linear(&self) -> bool {
        self.is_linear
    }

    /// The continuous variables with the orders that are written.
    pub(crate) fn unknowns(&self) -> &[(VariableId, u32)] {
        &self.unknowns
    }

    /// The residual and its first time derivatives from the series of the inputs.
    pub(crate) fn residual(&self, series: impl Fn(&[Input], u32) -> Vec<f64>, highest: u32) -> Vec<f64> {
        let inputs = series(self.tape.residuals.inputs(), highest);
        difference(&self.outputs(Wanted::Residual, &inputs, highest), highest)
    }

    /// One time derivative of the residual.
    pub(crate) fn derivative(&self, series: impl Fn(&[Input], u32) -> Vec<f64>, order: u32) -> f64 {
        let inputs = series(self.tape.residuals.inputs(), order);
        let outputs = self.outputs(Wanted::Residual, &inputs, order);
        let at = order as usize;
        (outputs[at] - outputs[at + at + 1]) * factorial(at)
    }

    /// The partial derivatives by the unknowns, each with its first time derivatives, one after the other.
    pub(crate) fn partials(&self, series: impl Fn(&[Input], u32) -> Vec<f64>, highest: u32) -> Vec<f64> {
        match &self.constant {
            Some(constant) if highest == 0 => constant.clone(),
            _ => self.partials_from(&series(self.tape.inputs(), highest), highest),
        }
    }

    fn partials_from(&self, inputs: &[f64], highest: u32) -> Vec<f64> {
        let length = highest as usize + 1;
        let outputs = self.outputs(Wanted::Everything, inputs, highest);
        let mut partials = vec![0.0; self.unknowns.len() * length];
        for_each_partial(&self.tape, &outputs, highest, |unknown, k, share| partials[unknown * length + k] += share);
        partials
    }

    /// Series of the results, one after the other.
    fn outputs(&self, wanted: Wanted, inputs: &[f64], highest: u32) -> Vec<f64> {
        let tape: &Tape = match wanted {
            Wanted::Residual => &self.tape.residuals,
            Wanted::Everything => self.tape.tape(),
        };
        let mut outputs = vec![0.0; tape.output_count() * (highest as usize + 1)];
        let workspaces = &mut self.workspaces.borrow_mut()[wanted as usize];
        if workspaces.len() <= highest as usize {
            workspaces.resize(highest as usize + 1, None);
        }
        let workspace =
            workspaces[highest as usize].get_or_insert_with(|| TaylorWorkspace::new(tape, highest as usize));
        tape.evaluate_taylor(inputs, workspace, &mut outputs);
        outputs
    }
}

/// Continuous variables of an equation with the orders that are written, in any mode.
fn unknowns(model: &FlatModel, equation: &Equation) -> Vec<(VariableId, u32)> {
    let mut found = Vec::new();
    for side in [equation.left, equation.right] {
        model.expressions.for_each(side, |_, node| {
            if let Node::Variable(variable, order) = node
                && model.variables[variable].is_continuous_unknown()
            {
                found.push((variable, order));
            }
            !matches!(node, Node::Pre(_))
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Series of the inputs of a tape along a jet, one after the other. What is neither time nor a variable of the jet is
/// constant: what `known` says, else not a number.
pub(crate) fn input_series(
    inputs: &[Input],
    jet: &Jet,
    highest: u32,
    column_of: impl Fn(VariableId) -> Option<Column>,
    known: &dyn Fn(Input) -> Option<f64>,
) -> Vec<f64> {
    let constant = |input: Input, k: u32| if k == 0 { known(input).unwrap_or(f64::NAN) } else { 0.0 };
    let mut series = Vec::with_capacity(inputs.len() * (highest as usize + 1));
    for &input in inputs {
        let mut factorial = 1.0;
        for k in 0..=highest {
            factorial *= f64::from(k.max(1));
            let derivative = match input {
                Input::Time if k == 0 => jet.time,
                Input::Time => f64::from(u8::from(k == 1)),
                Input::Variable(variable, order) => match column_of(variable) {
                    Some(column) => jet.get(column, order + k),
                    None => constant(input, k),
                },
                _ => constant(input, k),
            };
            series.push(derivative / factorial);
        }
    }
    series
}

/// Derivatives of the difference of the first two results of a tape from their series.
pub(crate) fn difference(outputs: &[f64], highest: u32) -> Vec<f64> {
    let length = highest as usize + 1;
    let (left, right) = outputs[..2 * length].split_at(length);
    let difference = left.iter().zip(right).map(|(left, right)| left - right);
    difference.enumerate().map(|(k, coefficient)| coefficient * factorial(k)).collect()
}

/// Calls `add(unknown, k, share)` with what each entry of the Jacobian of a difference adds to the `k`-th derivative of
/// a partial derivative.
pub(crate) fn for_each_partial(
    tape: &Differentiated,
    outputs: &[f64],
    highest: u32,
    mut add: impl FnMut(usize, usize, f64),
) {
    let length = highest as usize + 1;
    let entries: Vec<&[f64]> = outputs.chunks_exact(length).skip(2).collect();
    let pattern = tape.pattern();
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        for (&unknown, entry) in pattern.row(side).iter().zip(&entries[pattern.row_range(side)]) {
            entry.iter().enumerate().for_each(|(k, value)| add(unknown as usize, k, sign * value * factorial(k)));
        }
    }
}

fn factorial(k: usize) -> f64 {
    (2..=k).map(|factor| factor as f64).product()
}
