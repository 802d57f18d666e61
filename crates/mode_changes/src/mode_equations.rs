//! The equations of one mode of a model, compiled on first use.
//!
//! Each equation becomes a tape of its residual and of its partial derivatives; a jet goes in as Taylor series and
//! the derivatives of both come out. Mode variables, parameters and discrete variables are constants here, so an
//! if-expression compiles to the branch that the mode takes.

use std::cell::OnceCell;

use modeshift_dae::{Equation, EquationId, FlatModel, IndexVec, Node, VariableId};
use modeshift_numerics::{Compiler, Differentiated, Input, NativeFunctions, NotNumeric, Tape, TaylorWorkspace};

use crate::jet::{Jet, Partial, Residuals};
use crate::mode_structure::{Column, ModeStructure, Row};

/// The equations of one mode of a model. What `constants` knows is compiled in; what changes from instant to instant
/// (discrete variables, left limits) is given to [`ModeEquations::at`].
pub struct ModeEquations<'a> {
    model: &'a FlatModel,
    natives: &'a NativeFunctions,
    constants: Box<dyn Fn(Input) -> Option<f64> + 'a>,
    equations: IndexVec<Row, EquationId>,
    variables: IndexVec<Column, VariableId>,
    column_of: IndexVec<VariableId, Option<Column>>,
    rows: IndexVec<Row, OnceCell<CompiledRow>>,
}

/// The difference of both sides and its partial derivatives.
struct CompiledRow {
    tape: Differentiated,
    /// The continuous inputs, which come first.
    unknowns: Vec<(Column, u32)>,
}

impl<'a> ModeEquations<'a> {
    /// The equations of `structure`. `constants` knows the mode and parameters.
    pub fn new(
        model: &'a FlatModel,
        natives: &'a NativeFunctions,
        structure: &ModeStructure,
        constants: impl Fn(Input) -> Option<f64> + 'a,
    ) -> Self {
        ModeEquations {
            model,
            natives,
            constants: Box::new(constants),
            equations: structure.rows().map(|row| structure.equation(row)).collect(),
            variables: structure.columns().map(|column| structure.variable(column)).collect(),
            column_of: model.variables.ids().map(|variable| structure.column(variable)).collect(),
            rows: structure.rows().map(|_| OnceCell::new()).collect(),
        }
    }

    /// The equations at an instant: `known` gives the values of inputs that are no unknowns and no constants, such as
    /// discrete variables and left limits.
    pub fn at<'b>(&'b self, known: &'b dyn Fn(Input) -> Option<f64>) -> EquationsAt<'b> {
        EquationsAt { equations: self, known }
    }

    fn row(&self, row: Row) -> &CompiledRow {
        let compile = || self.compile(row).expect("a continuous equation is between numbers");
        self.rows[row].get_or_init(compile)
    }

    fn compile(&self, row: Row) -> Result<CompiledRow, NotNumeric> {
        let equation = &self.model.equations[self.equations[row]];
        let unknowns = self.unknowns(equation);
        let inputs: Vec<Input> =
            unknowns.iter().map(|&(column, order)| Input::Variable(self.variables[column], order)).collect();
        let compiler = Compiler::new(self.model, self.natives).with_known_inputs(|input| (self.constants)(input));
        let tape = compiler.differentiated(&[equation.left, equation.right], &inputs)?;
        Ok(CompiledRow { tape, unknowns })
    }

    /// Continuous variables of an equation with the orders that are written, in any mode.
    fn unknowns(&self, equation: &Equation) -> Vec<(Column, u32)> {
        let mut found = Vec::new();
        for side in [equation.left, equation.right] {
            self.model.expressions.for_each(side, |_, node| {
                if let Node::Variable(variable, order) = node {
                    found.extend(self.column_of[variable].map(|column| (column, order)));
                }
                !matches!(node, Node::Pre(_))
            });
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The equations of a mode at one instant.
#[derive(Clone, Copy)]
pub struct EquationsAt<'b> {
    equations: &'b ModeEquations<'b>,
    known: &'b dyn Fn(Input) -> Option<f64>,
}

impl EquationsAt<'_> {
    /// Series of all results of a tape along a jet, one after the other.
    fn series(&self, tape: &Tape, jet: &Jet, highest: u32) -> Vec<f64> {
        let length = highest as usize + 1;
        let column_of = |variable: VariableId| self.equations.column_of[variable];
        let inputs = input_series(tape.inputs(), jet, highest, column_of, self.known);
        let mut outputs = vec![0.0; tape.output_count() * length];
        tape.evaluate_taylor(&inputs, &mut TaylorWorkspace::new(tape, highest as usize), &mut outputs);
        outputs
    }
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

impl Residuals for EquationsAt<'_> {
    fn residual(&self, row: Row, jet: &Jet, highest: u32) -> Vec<f64> {
        let outputs = self.series(&self.equations.row(row).tape.residuals, jet, highest);
        difference(&outputs, highest)
    }

    fn partials(&self, row: Row, jet: &Jet, highest: u32) -> Vec<Partial> {
        let CompiledRow { tape, unknowns } = self.equations.row(row);
        let outputs = self.series(tape.tape(), jet, highest);
        let mut partials: Vec<Partial> = unknowns
            .iter()
            .map(|&(column, order)| Partial { column, order, derivatives: vec![0.0; highest as usize + 1] })
            .collect();
        for_each_partial(tape, &outputs, highest, |unknown, k, share| partials[unknown].derivatives[k] += share);
        partials
    }
}

impl Residuals for ModeEquations<'_> {
    fn residual(&self, row: Row, jet: &Jet, highest: u32) -> Vec<f64> {
        self.at(&|_| None).residual(row, jet, highest)
    }

    fn partials(&self, row: Row, jet: &Jet, highest: u32) -> Vec<Partial> {
        self.at(&|_| None).partials(row, jet, highest)
    }
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
