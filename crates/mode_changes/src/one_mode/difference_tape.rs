//! Differences of two expressions as tapes: equations and relations as residuals, with partial derivatives, along jets.

use std::sync::{Mutex, PoisonError};

use modeshift_dae::{Derivative, ExpressionId, FlatModel, Node, VariableId};
use modeshift_numerics::{Compiler, Differentiated, Input, NativeFunctions, NotNumeric, Tape, TaylorWorkspace};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use super::jet::{Jet, Partial, Residuals};

/// The difference of two expressions and its partial derivatives by the unknowns in them.
pub struct DifferenceTape {
    tape: Differentiated,
    /// The continuous variables with the orders that are written, which are the first inputs.
    unknowns: Vec<Derivative<VariableId>>,
    /// Whether no partial derivative depends on an unknown.
    is_linear: bool,
    /// By unknown, where they are the same at all times: the partial derivatives.
    constant: Option<Vec<f64>>,
    /// By order, for the residual alone and for all.
    workspaces: Mutex<[Vec<Option<TaylorWorkspace>>; 2]>,
}

/// Which results are wanted.
#[derive(Clone, Copy)]
enum Wanted {
    Residual = 0,
    Everything = 1,
}

impl DifferenceTape {
    /// Compiles `left - right`; what `constants` knows is a constant. An error where a side is not numeric.
    pub fn new(
        model: &FlatModel,
        natives: &NativeFunctions,
        sides: [ExpressionId; 2],
        constants: &dyn Fn(Input) -> Option<f64>,
    ) -> Result<Self, NotNumeric> {
        let unknowns = unknowns_in(model, &sides);
        let inputs: Vec<Input> = unknowns.iter().map(|it| Input::Variable(it.of, it.order)).collect();
        let compiler = Compiler::new(model, natives).with_known_inputs(constants);
        let tape = compiler.differentiated(&sides, &inputs)?;
        let is_linear = tape.is_linear();
        let mut compiled = DifferenceTape {
            tape,
            unknowns,
            is_linear,
            constant: None,
            workspaces: Mutex::new([Vec::new(), Vec::new()]),
        };
        if is_linear && inputs.len() == compiled.tape.inputs().len() {
            compiled.constant = Some(compiled.partials_from(&vec![0.0; inputs.len()], 0));
        }
        Ok(compiled)
    }

    /// Whether the partial derivatives are the same along all jets through an instant.
    pub fn is_linear(&self) -> bool {
        self.is_linear
    }

    /// Whether the partial derivatives are the same at all times and values.
    pub fn is_constant(&self) -> bool {
        self.constant.is_some()
    }

    /// The partial derivatives by the unknowns, where everything has these values.
    pub fn coefficients(
        &self,
        value: impl Fn(Input) -> f64,
    ) -> impl Iterator<Item = (Derivative<VariableId>, f64)> + '_ {
        let partials = self.partials(|inputs, _| inputs.iter().map(|&input| value(input)).collect(), 0);
        self.unknowns.iter().copied().zip(partials)
    }

    /// The continuous variables with the orders that are written.
    pub fn unknowns(&self) -> &[Derivative<VariableId>] {
        &self.unknowns
    }

    /// The difference in a mode; what is no unknown of the mode has the value that `known` says.
    pub fn at<'a>(&'a self, structure: &'a ModeStructure, known: &'a dyn Fn(Input) -> Option<f64>) -> DifferenceAt<'a> {
        DifferenceAt { tape: self, structure, known }
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
        let entries: Vec<&[f64]> = outputs.chunks_exact(length).skip(2).collect();
        let pattern = self.tape.pattern();
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            for (&unknown, entry) in pattern.row(side).iter().zip(&entries[pattern.row_range(side)]) {
                let own = &mut partials[unknown as usize * length..][..length];
                own.iter_mut().enumerate().for_each(|(k, share)| *share += sign * entry[k] * factorial(k));
            }
        }
        partials
    }

    /// Series of the results, one after the other.
    fn outputs(&self, wanted: Wanted, inputs: &[f64], highest: u32) -> Vec<f64> {
        let tape: &Tape = match wanted {
            Wanted::Residual => &self.tape.residuals,
            Wanted::Everything => self.tape.tape(),
        };
        let mut outputs = vec![0.0; tape.output_count() * (highest as usize + 1)];
        let mut workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        let workspaces = &mut workspaces[wanted as usize];
        if workspaces.len() <= highest as usize {
            workspaces.resize(highest as usize + 1, None);
        }
        let workspace =
            workspaces[highest as usize].get_or_insert_with(|| TaylorWorkspace::new(tape, highest as usize));
        tape.evaluate_taylor(inputs, workspace, &mut outputs);
        outputs
    }
}

/// Continuous unknowns of the current instant in expressions, with the orders that are written, ascending.
pub(crate) fn unknowns_in(model: &FlatModel, expressions: &[ExpressionId]) -> Vec<Derivative<VariableId>> {
    let mut found = Vec::new();
    for &expression in expressions {
        model.expressions.for_each(expression, |_, node| {
            found.extend(node.derivative().filter(|it| model.variables[it.of].is_continuous_unknown()));
            !matches!(node, Node::Pre(_))
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A difference in a mode, as the residual of an equation.
pub struct DifferenceAt<'a> {
    tape: &'a DifferenceTape,
    structure: &'a ModeStructure,
    known: &'a dyn Fn(Input) -> Option<f64>,
}

impl DifferenceAt<'_> {
    fn series(&self, inputs: &[Input], jet: &Jet, highest: u32) -> Vec<f64> {
        let column_of = |variable| self.structure.column(variable);
        input_series(inputs.iter().copied(), jet, highest, column_of, self.known)
    }
}

impl Residuals for DifferenceAt<'_> {
    fn residual(&self, _: Row, jet: &Jet, highest: u32) -> Vec<f64> {
        self.tape.residual(|inputs, highest| self.series(inputs, jet, highest), highest)
    }

    fn partials(&self, _: Row, jet: &Jet, highest: u32) -> Vec<Partial> {
        let length = highest as usize + 1;
        let partials = self.tape.partials(|inputs, highest| self.series(inputs, jet, highest), highest);
        let unknowns = self.tape.unknowns.iter().zip(partials.chunks_exact(length));
        let partial = |(&Derivative { of: variable, order }, derivatives): (&Derivative<VariableId>, &[f64])| {
            Some(Partial { column: self.structure.column(variable)?, order, derivatives: derivatives.to_vec() })
        };
        unknowns.filter_map(partial).collect()
    }

    fn is_linear(&self, _: Row) -> bool {
        self.tape.is_linear
    }
}

/// Series of the inputs of a tape along a jet, one after the other. What is neither time nor a variable of the jet is
/// constant: what `known` says, else not a number.
pub(crate) fn input_series(
    inputs: impl ExactSizeIterator<Item = Input>,
    jet: &Jet,
    highest: u32,
    column_of: impl Fn(VariableId) -> Option<Column>,
    known: &dyn Fn(Input) -> Option<f64>,
) -> Vec<f64> {
    let constant = |input: Input, k: u32| if k == 0 { known(input).unwrap_or(f64::NAN) } else { 0.0 };
    let mut series = Vec::with_capacity(inputs.len() * (highest as usize + 1));
    for input in inputs {
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
fn difference(outputs: &[f64], highest: u32) -> Vec<f64> {
    let length = highest as usize + 1;
    let (left, right) = outputs[..2 * length].split_at(length);
    let difference = left.iter().zip(right).map(|(left, right)| left - right);
    difference.enumerate().map(|(k, coefficient)| coefficient * factorial(k)).collect()
}

fn factorial(k: usize) -> f64 {
    (2..=k).map(|factor| factor as f64).product()
}
