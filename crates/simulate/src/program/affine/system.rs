//! A compiled mode as an affine system.

use modeshift_dae::{EquationId, ExpressionId, Node};
use modeshift_numerics::Input;

use super::forms::{Form, Symbol};
use super::reading::{Read, Reader};
use super::time_terms::TimeTerm;
use crate::program::blocks::plan::{Assignment, Iteration};
use crate::program::states::quantities::QuantityIndex;
use crate::program::surroundings::Surroundings;

/// Larger blocks of equations are not solved here: the elimination is not a sparse one.
const LARGEST_BLOCK: usize = 100;
/// A pivot of less than this share of what its row was is rounding.
const SMALLEST_PIVOT: f64 = 1e-12;

/// What a mode is not affine because of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotAffine {
    /// The equation that is not; none where something else is.
    pub equation: Option<EquationId>,
}

/// `x' = A x + B u + f(t)`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AffineMode {
    /// By state, the coefficients of states.
    pub states: Vec<Vec<(usize, f64)>>,
    /// By state, the coefficients of inputs.
    pub by_inputs: Vec<Vec<(usize, f64)>>,
    /// By state, functions of time.
    pub terms: Vec<Vec<TimeTerm>>,
    pub inputs: Vec<Input>,
    /// What else stands still, with the values that the system is one for.
    fixed: Vec<(Input, f64)>,
}

/// `a x + b u + f(t)`
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AffineRow {
    pub states: Vec<(usize, f64)>,
    pub by_inputs: Vec<(usize, f64)>,
    pub terms: Vec<TimeTerm>,
}

impl AffineMode {
    /// Whether it is the system in these surroundings.
    pub fn is_for(&self, surroundings: &Surroundings) -> bool {
        self.is_for_values(|input| surroundings.value(input))
    }

    /// Whether it is the system where what stands still has these values.
    pub fn is_for_values(&self, value_of: impl Fn(Input) -> f64) -> bool {
        self.fixed.iter().all(|&(input, value)| value_of(input) == value)
    }
}

/// A part of the compiled mode, in the order of computation.
pub(crate) enum Part<'c> {
    Assignment(&'c Assignment),
    Iteration(&'c Iteration),
}

/// Reads the parts of a mode one after the other.
pub(crate) struct Builder<'r> {
    reader: Reader<'r>,
    /// By quantity, the equation that makes it no form.
    culprits: Vec<Option<EquationId>>,
}

impl<'r> Builder<'r> {
    pub fn new(mut reader: Reader<'r>, states: &[QuantityIndex]) -> Self {
        for (number, state) in (0..).zip(states) {
            reader.of_quantity[state.index()] = reader.add(Form::of_symbol(Symbol::State(number)));
        }
        let culprits = vec![None; reader.of_quantity.len()];
        Builder { reader, culprits }
    }

    pub fn add(&mut self, part: &Part<'_>) {
        match part {
            Part::Assignment(assignment) => self.assign(assignment),
            Part::Iteration(iteration) => self.iterate(iteration),
        }
    }

    fn assign(&mut self, assignment: &Assignment) {
        let read = self.reader.read(assignment.expression);
        let place = assignment.target.index();
        self.reader.of_quantity[place] = read;
        self.culprits[place] = read.is_none().then(|| self.cause(assignment.expression, assignment.equation.of));
    }

    /// The equation that is the cause of an expression that is no form: of a quantity in it, or its own.
    fn cause(&self, expression: ExpressionId, own: EquationId) -> EquationId {
        let (reader, mut cause) = (&self.reader, None);
        reader.expressions.for_each(expression, |_, node| {
            if let Node::Variable(variable, order) = node
                && let Some(quantity) = reader.quantities.index(variable, order)
            {
                cause = cause.or(self.culprits[quantity.index()]);
            }
            !matches!(node, Node::Pre(_))
        });
        cause.unwrap_or(own)
    }

    /// Solves a block: its unknowns are symbols first, in which its residuals are forms.
    fn iterate(&mut self, iteration: &Iteration) {
        let solved = self.solved(iteration);
        for (number, unknown) in iteration.unknowns.iter().enumerate() {
            let form = solved.as_ref().ok().map(|forms| forms[number].clone());
            self.reader.of_quantity[unknown.index()] = form.and_then(|form| self.reader.add(form));
            self.culprits[unknown.index()] = solved.as_ref().err().copied();
        }
    }

    fn solved(&mut self, iteration: &Iteration) -> Result<Vec<Form>, EquationId> {
        let first = iteration.equations.first().map_or(EquationId(0), |it| it.of);
        let size = iteration.unknowns.len();
        if size > LARGEST_BLOCK {
            return Err(first);
        }
        for (number, unknown) in (0..).zip(&iteration.unknowns) {
            self.reader.of_quantity[unknown.index()] = self.reader.add(Form::of_symbol(Symbol::Unknown(number)));
        }
        iteration.formulas.iter().for_each(|formula| self.assign(formula));
        let mut rows = Vec::with_capacity(size);
        for (&residual, equation) in iteration.residuals.iter().zip(&iteration.equations) {
            let read: Read = self.reader.read(residual);
            let number = read.ok_or_else(|| self.cause(residual, equation.of))?;
            rows.push(self.reader.form(number).clone());
        }
        solve(rows).ok_or(first)
    }

    /// The differences of expressions of the mode; nothing where one is not affine.
    pub fn differences(&mut self, sides: &[[ExpressionId; 2]]) -> Vec<Option<AffineRow>> {
        sides.iter().map(|&[one, other]| self.difference(one, other)).collect()
    }

    fn difference(&mut self, one: ExpressionId, other: ExpressionId) -> Option<AffineRow> {
        let (one, other) = (self.reader.read(one)?, self.reader.read(other)?);
        let form = self.reader.form(one).plus(-1.0, self.reader.form(other));
        let mut row = AffineRow { terms: form.terms, ..AffineRow::default() };
        for (symbol, value) in form.linear {
            match symbol {
                Symbol::State(number) => row.states.push((number as usize, value)),
                Symbol::Input(number) => row.by_inputs.push((number as usize, value)),
                Symbol::Unknown(_) => return None,
            }
        }
        Some(row)
    }

    /// The system, from the forms of the derivatives of states.
    pub fn finish(self, states: &[QuantityIndex]) -> Result<AffineMode, NotAffine> {
        let Builder { reader, culprits } = self;
        let mut mode = AffineMode {
            states: Vec::with_capacity(states.len()),
            by_inputs: Vec::with_capacity(states.len()),
            terms: Vec::with_capacity(states.len()),
            inputs: reader.inputs.iter().map(|it| it.0).collect(),
            fixed: Vec::new(),
        };
        for state in states {
            let place = state.derivative().index();
            let Some(form) = reader.of_quantity[place].map(|number| reader.form(number)) else {
                return Err(NotAffine { equation: culprits[place] });
            };
            let mut row = (Vec::new(), Vec::new());
            for &(symbol, value) in &form.linear {
                match symbol {
                    Symbol::State(number) => row.0.push((number as usize, value)),
                    Symbol::Input(number) => row.1.push((number as usize, value)),
                    Symbol::Unknown(_) => return Err(NotAffine { equation: None }),
                }
            }
            mode.states.push(row.0);
            mode.by_inputs.push(row.1);
            mode.terms.push(form.terms.clone());
        }
        let fixed = reader.inputs.iter().filter(|it| it.1);
        mode.fixed = fixed.map(|&(input, _)| (input, reader.surroundings.value(input))).collect();
        Ok(mode)
    }
}

/// The unknowns of affine equations `row = 0` as forms, by elimination with pivots; nothing where they are singular.
fn solve(mut rows: Vec<Form>) -> Option<Vec<Form>> {
    let size = rows.len();
    let largest = |row: &Form| {
        let unknowns = row.linear.iter().filter(|it| matches!(it.0, Symbol::Unknown(_)));
        unknowns.fold(0.0, |largest: f64, it| largest.max(it.1.abs()))
    };
    let mut scales: Vec<f64> = rows.iter().map(largest).collect();
    for column in 0..size {
        let symbol = Symbol::Unknown(column as u32);
        let share = |row: usize| rows[row].coefficient(symbol).abs() / scales[row];
        let pivot = (column..size).max_by(|&a, &b| share(a).total_cmp(&share(b)))?;
        let is_regular = share(pivot) > SMALLEST_PIVOT;
        is_regular.then_some(())?;
        rows.swap(column, pivot);
        scales.swap(column, pivot);
        let own = rows[column].clone();
        let diagonal = own.coefficient(symbol);
        for (_, row) in rows.iter_mut().enumerate().filter(|it| it.0 != column) {
            let factor = row.coefficient(symbol) / diagonal;
            if factor != 0.0 {
                *row = row.plus(-factor, &own);
                // What is eliminated is gone, whatever rounding says.
                row.linear.retain(|it| it.0 != symbol);
            }
        }
    }
    let solved = rows.into_iter().enumerate().map(|(column, row)| {
        let diagonal = row.coefficient(Symbol::Unknown(column as u32));
        row.without_unknowns().scaled(-1.0 / diagonal)
    });
    Some(solved.collect())
}
