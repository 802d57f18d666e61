//! The equations of one mode of a model, compiled on first use.
//!
//! Each equation becomes a tape of its residual and of its partial derivatives; a jet goes in as Taylor series and
//! the derivatives of both come out. Mode variables, parameters and discrete variables are constants here, so an
//! if-expression compiles to the branch that the mode takes.

use std::cell::OnceCell;

use modeshift_dae::{Equation, FlatModel, IndexVec, Node, VariableId};
use modeshift_numerics::{Compiler, Differentiated, Input, NativeFunctions, NotNumeric, TaylorWorkspace};

use crate::jet::{Jet, Partial, Residuals};
use crate::mode_structure::{Column, ModeStructure, Row};

/// The equations of one mode of a model.
pub struct ModeEquations<'a> {
    model: &'a FlatModel,
    natives: &'a NativeFunctions,
    structure: &'a ModeStructure,
    constants: Box<dyn Fn(Input) -> Option<f64> + 'a>,
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
    /// The equations of `structure`. `constants` knows the mode, parameters, discrete variables and left limits.
    pub fn new(
        model: &'a FlatModel,
        natives: &'a NativeFunctions,
        structure: &'a ModeStructure,
        constants: impl Fn(Input) -> Option<f64> + 'a,
    ) -> Self {
        let mut column_of: IndexVec<VariableId, Option<Column>> = model.variables.iter().map(|_| None).collect();
        for column in structure.columns() {
            column_of[structure.variable(column)] = Some(column);
        }
        let rows = structure.rows().map(|_| OnceCell::new()).collect();
        ModeEquations { model, natives, structure, constants: Box::new(constants), column_of, rows }
    }

    fn row(&self, row: Row) -> &CompiledRow {
        let compile = || self.compile(row).expect("a continuous equation is between numbers");
        self.rows[row].get_or_init(compile)
    }

    fn compile(&self, row: Row) -> Result<CompiledRow, NotNumeric> {
        let equation = &self.model.equations[self.structure.equation(row)];
        let unknowns = self.unknowns(equation);
        let inputs: Vec<Input> =
            unknowns.iter().map(|&(column, order)| Input::Variable(self.structure.variable(column), order)).collect();
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

    /// Input series of a tape along a jet, one after the other.
    fn series(&self, inputs: &[Input], jet: &Jet, highest: u32) -> Vec<f64> {
        let mut series = Vec::with_capacity(inputs.len() * (highest as usize + 1));
        for &input in inputs {
            let mut factorial = 1.0;
            for k in 0..=highest {
                factorial *= f64::from(k.max(1));
                series.push(self.derivative(input, jet, k) / factorial);
            }
        }
        series
    }

    fn derivative(&self, input: Input, jet: &Jet, k: u32) -> f64 {
        match input {
            Input::Time if k == 0 => jet.time,
            Input::Time => f64::from(u8::from(k == 1)),
            Input::Variable(variable, order) => match self.column_of[variable] {
                Some(column) => jet.get(column, order + k),
                None => f64::NAN,
            },
            _ => f64::NAN,
        }
    }
}

impl Residuals for ModeEquations<'_> {
    fn residual(&self, row: Row, jet: &Jet, highest: u32) -> Vec<f64> {
        let tape = &self.row(row).tape.residuals;
        let length = highest as usize + 1;
        let mut outputs = vec![0.0; 2 * length];
        let inputs = self.series(tape.inputs(), jet, highest);
        tape.evaluate_taylor(&inputs, &mut TaylorWorkspace::new(tape, highest as usize), &mut outputs);
        let (left, right) = outputs.split_at(length);
        let difference = left.iter().zip(right).map(|(left, right)| left - right);
        difference.enumerate().map(|(k, coefficient)| coefficient * factorial(k)).collect()
    }

    fn partials(&self, row: Row, jet: &Jet, highest: u32) -> Vec<Partial> {
        let CompiledRow { tape: differentiated, unknowns } = self.row(row);
        let tape = differentiated.tape();
        let length = highest as usize + 1;
        let mut outputs = vec![0.0; tape.output_count() * length];
        let inputs = self.series(tape.inputs(), jet, highest);
        tape.evaluate_taylor(&inputs, &mut TaylorWorkspace::new(tape, highest as usize), &mut outputs);
        let entries: Vec<&[f64]> = outputs.chunks_exact(length).skip(2).collect();
        let pattern = differentiated.pattern();
        let mut partials: Vec<Partial> =
            unknowns.iter().map(|&(column, order)| Partial { column, order, derivatives: vec![0.0; length] }).collect();
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            for (&unknown, entry) in pattern.row(side).iter().zip(&entries[pattern.row_range(side)]) {
                let derivatives = &mut partials[unknown as usize].derivatives;
                derivatives.iter_mut().enumerate().for_each(|(k, place)| *place += sign * entry[k] * factorial(k));
            }
        }
        partials
    }
}

fn factorial(k: usize) -> f64 {
    (2..=k).map(|factor| factor as f64).product()
}
