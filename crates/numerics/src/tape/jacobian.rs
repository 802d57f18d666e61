//! Exact sparse Jacobians by automatic differentiation of the tape, forward, once and for all.
//!
//! Each value carries its derivatives by the unknowns it depends on, as further values of the same assembler. So
//! the derivatives are a tape again: entries that are constant are folded, what they share with the residuals is
//! computed once, and the pattern is known exactly. Against colouring of columns with compressed seeds this never
//! computes a structural zero and needs no colouring; sums cost nothing, because derivatives of terms are passed
//! on as they are. It is at its worst, quadratic, on one product of many unknowns, which models do not write.

use modeshift_dae::{Algebra, ArithmeticOperator, Builtin, ExpressionId, Partial, power_by_base, power_by_exponent};

use super::assembler::{Assembler, Definition, Value};
use super::compile::{Compiler, NotNumeric};
use super::instructions::{Call, Input, Operation, Tape, Workspace};
use crate::linear::Pattern;

/// Expressions together with their derivatives by some of the inputs.
#[derive(Clone)]
pub struct Differentiated {
    /// The expressions alone.
    pub residuals: Tape,
    /// The expressions, then the entries of the Jacobian in the order of the pattern.
    with_jacobian: Tape,
    pattern: Pattern,
}

impl Compiler<'_> {
    /// These expressions and their derivatives by `unknowns`, which become the first inputs.
    pub fn differentiated(
        self,
        expressions: &[ExpressionId],
        unknowns: &[Input],
    ) -> Result<Differentiated, NotNumeric> {
        let mut compiler = self.with_inputs(unknowns);
        let mut results = compiler.values(expressions)?;
        let columns: Vec<Value> = unknowns.iter().map(|&unknown| compiler.assembler.input(unknown)).collect();
        let residuals = compiler.assembler.finish(&results);
        let gradients = Gradients::of(&mut compiler.assembler, &results, &columns);
        let rows = results.clone();
        let pattern = Pattern::from_rows(columns.len(), rows.iter().map(|&row| gradients.columns(row)));
        results.extend(rows.iter().flat_map(|&row| gradients.entries(row)));
        Ok(Differentiated { residuals, with_jacobian: compiler.assembler.finish(&results), pattern })
    }
}

impl Compiler<'_> {
    /// The derivatives of these expressions by some inputs, through all assignments: a tape of the entries alone.
    pub fn jacobian_of(&mut self, expressions: &[ExpressionId], by: &[Input]) -> Result<(Tape, Pattern), NotNumeric> {
        let rows = self.values(expressions)?;
        let columns: Vec<Value> = by.iter().map(|&input| self.assembler.input(input)).collect();
        let gradients = Gradients::of(&mut self.assembler, &rows, &columns);
        let pattern = Pattern::from_rows(columns.len(), rows.iter().map(|&row| gradients.columns(row)));
        let entries: Vec<Value> = rows.iter().flat_map(|&row| gradients.entries(row)).collect();
        Ok((self.assembler.finish(&entries), pattern))
    }
}

impl Differentiated {
    /// Whether the expressions are linear in the unknowns: no entry of the Jacobian depends on one.
    pub fn is_linear(&self) -> bool {
        let tape = &self.with_jacobian;
        let mut varies = vec![false; tape.first_result() + tape.instructions.len()];
        varies[..self.pattern.column_count()].fill(true);
        for index in 0..tape.instructions.len() {
            varies[tape.first_result() + index] = tape.operands_of(index).any(|operand| varies[operand as usize]);
        }
        !tape.outputs[self.pattern.row_count()..].iter().any(|&entry| varies[entry as usize])
    }

    /// What the inputs are; the unknowns come first.
    pub fn inputs(&self) -> &[Input] {
        self.residuals.inputs()
    }

    /// Where the Jacobian has entries: rows are expressions, columns are unknowns.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The expressions followed by the entries of the Jacobian: for series of both.
    pub fn tape(&self) -> &Tape {
        &self.with_jacobian
    }

    /// How many instructions residuals and Jacobian take together.
    pub fn instruction_count(&self) -> usize {
        self.with_jacobian.instruction_count()
    }

    /// Buffers for [`Self::evaluate`].
    pub fn workspace(&self) -> Workspace {
        self.with_jacobian.workspace()
    }

    /// Residuals and the entries of the Jacobian.
    pub fn evaluate(&self, inputs: &[f64], workspace: &mut Workspace, residuals: &mut [f64], entries: &mut [f64]) {
        self.with_jacobian.run(inputs, workspace);
        let (rows, places) = self.with_jacobian.outputs.split_at(residuals.len());
        for (place, &register) in residuals.iter_mut().zip(rows).chain(entries.iter_mut().zip(places)) {
            *place = workspace.registers[register as usize];
        }
    }
}

/// Derivatives of values by columns: of each value a list of columns, ascending, with the derivative.
struct Gradients {
    lists: Vec<(u32, u32)>,
    pool: Vec<(u32, Value)>,
}

impl Gradients {
    /// Of all that the results need.
    fn of(assembler: &mut Assembler, results: &[Value], columns: &[Value]) -> Self {
        let needed = assembler.needed(results);
        let mut gradients = Gradients { lists: vec![(0, 0); needed.len()], pool: Vec::new() };
        for (column, value) in columns.iter().enumerate() {
            let one = assembler.constant(1.0);
            gradients.set(*value, &[(column as u32, one)]);
        }
        let mut list = Vec::new();
        for index in (0..needed.len()).filter(|&index| needed[index]) {
            let value = Value(index as u32);
            if !matches!(assembler.definition(value), Definition::Input(_) | Definition::Constant(_)) {
                gradients.differentiate(assembler, value, &mut list);
            }
        }
        gradients
    }

    fn list(&self, value: Value) -> &[(u32, Value)] {
        let (start, length) = self.lists[value.0 as usize];
        &self.pool[start as usize..(start + length) as usize]
    }

    fn columns(&self, value: Value) -> impl Iterator<Item = u32> {
        self.list(value).iter().map(|&(column, _)| column)
    }

    fn entries(&self, value: Value) -> impl Iterator<Item = Value> {
        self.list(value).iter().map(|&(_, entry)| entry)
    }

    fn set(&mut self, value: Value, list: &[(u32, Value)]) {
        self.lists[value.0 as usize] = (self.pool.len() as u32, list.len() as u32);
        self.pool.extend_from_slice(list);
    }

    fn is_constant(&self, value: Value) -> bool {
        self.lists[value.0 as usize].1 == 0
    }

    fn differentiate(&mut self, assembler: &mut Assembler, value: Value, list: &mut Vec<(u32, Value)>) {
        let mut depends = false;
        assembler.for_each_operand(value, |operand| depends |= !self.is_constant(operand));
        if !depends {
            return;
        }
        list.clear();
        match assembler.definition(value) {
            Definition::Operation(operation, operands) => match operation {
                Operation::Add | Operation::Subtract if self.passes_on(operation, value, operands) => return,
                _ => self.operation(assembler, value, operation, operands, list),
            },
            Definition::Output(call, which) => self.call(assembler, call, which, list),
            Definition::Input(_) | Definition::Constant(_) => unreachable!("leaves have no operands"),
        }
        self.set(value, list);
    }

    /// A sum of which only one term varies has that term's list.
    fn passes_on(&mut self, operation: Operation, value: Value, [a, b, _]: [Value; 3]) -> bool {
        let term = match (operation, self.is_constant(a), self.is_constant(b)) {
            (_, false, true) => a,
            (Operation::Add, true, false) => b,
            _ => return false,
        };
        self.lists[value.0 as usize] = self.lists[term.0 as usize];
        true
    }

    fn operation(
        &self,
        assembler: &mut Assembler,
        value: Value,
        operation: Operation,
        [a, b, c]: [Value; 3],
        list: &mut Vec<(u32, Value)>,
    ) {
        match operation {
            Operation::Relation(_) | Operation::Not | Operation::And | Operation::Or => {}
            Operation::Select => self.combine(assembler, b, c, list, |assembler, db, dc| {
                let [db, dc] = [db, dc].map(|term| term.unwrap_or_else(|| assembler.constant(0.0)));
                Some(assembler.select(a, db, dc))
            }),
            Operation::Add => self.combine(assembler, a, b, list, |assembler, da, db| Some(sum(assembler, da, db))),
            Operation::Subtract => self.combine(assembler, a, b, list, |assembler, da, db| {
                Some(match (da, db) {
                    (Some(da), Some(db)) => assembler.two(Operation::Subtract, da, db),
                    (Some(da), None) => da,
                    (None, Some(db)) => assembler.one(Operation::Negate, db),
                    (None, None) => unreachable!("a column of one of the terms"),
                })
            }),
            Operation::Divide => self.combine(assembler, a, b, list, |assembler, da, db| {
                let of_divisor = db.map(|db| assembler.two(Operation::Multiply, value, db));
                let numerator = match (da, of_divisor) {
                    (Some(da), Some(term)) => assembler.two(Operation::Subtract, da, term),
                    (Some(da), None) => da,
                    (None, Some(term)) => assembler.one(Operation::Negate, term),
                    (None, None) => unreachable!("a column of one of the operands"),
                };
                Some(assembler.two(Operation::Divide, numerator, b))
            }),
            _ => self.chain(assembler, value, operation, a, b, list),
        }
    }

    /// Σ partial derivative times derivative of the operand.
    fn chain(
        &self,
        assembler: &mut Assembler,
        value: Value,
        operation: Operation,
        a: Value,
        b: Value,
        list: &mut Vec<(u32, Value)>,
    ) {
        let operands = &[a, b][..operation.operand_count()];
        let two_operands = operands.len() == 2;
        let mut by = |position: usize| {
            let operand = *operands.get(position)?;
            (!self.is_constant(operand)).then(|| partial(assembler, operation, value, operands, position))?
        };
        let (by_a, by_b) = (by(0), by(1));
        let second = if two_operands { b } else { a };
        self.combine(assembler, a, second, list, |assembler, da, db| {
            let left = scaled(assembler, by_a, da);
            let right = if two_operands { scaled(assembler, by_b, db) } else { None };
            (left.is_some() || right.is_some()).then(|| sum(assembler, left, right))
        });
    }

    /// Merges the lists of two operands column by column.
    fn combine(
        &self,
        assembler: &mut Assembler,
        a: Value,
        b: Value,
        list: &mut Vec<(u32, Value)>,
        mut join: impl FnMut(&mut Assembler, Option<Value>, Option<Value>) -> Option<Value>,
    ) {
        let (mut left, mut right) = (self.list(a).iter().peekable(), self.list(b).iter().peekable());
        loop {
            let columns = left.peek().map(|entry| entry.0).into_iter().chain(right.peek().map(|entry| entry.0));
            let Some(column) = columns.min() else { break };
            let da = left.next_if(|entry| entry.0 == column).map(|entry| entry.1);
            let db = right.next_if(|entry| entry.0 == column).map(|entry| entry.1);
            list.extend(join(assembler, da, db).map(|entry| (column, entry)));
        }
    }

    /// Σ over the inputs of a native function.
    fn call(&self, assembler: &mut Assembler, call: u32, which: u32, list: &mut Vec<(u32, Value)>) {
        let call = assembler.call_of(call).clone();
        let mut total: std::collections::BTreeMap<u32, Value> = Default::default();
        for (input, &argument) in call.arguments.iter().enumerate() {
            if self.is_constant(Value(argument)) {
                continue;
            }
            let partial = assembler.call(Call { partial: Some(input as u32), ..call.clone() })[which as usize];
            for &(column, derivative) in self.list(Value(argument)) {
                let term = assembler.two(Operation::Multiply, partial, derivative);
                let sum = sum(assembler, total.get(&column).copied(), Some(term));
                total.insert(column, sum);
            }
        }
        list.extend(total);
    }
}

fn sum(assembler: &mut Assembler, a: Option<Value>, b: Option<Value>) -> Value {
    match (a, b) {
        (Some(a), Some(b)) => assembler.two(Operation::Add, a, b),
        (Some(term), None) | (None, Some(term)) => term,
        (None, None) => unreachable!("a sum has a term"),
    }
}

fn scaled(assembler: &mut Assembler, factor: Option<Value>, derivative: Option<Value>) -> Option<Value> {
    Some(assembler.two(Operation::Multiply, factor?, derivative?))
}

/// The partial derivative of `value`, which is `operation` of `operands`, by the operand at a position; `None` where it
/// is zero.
fn partial(
    assembler: &mut Assembler,
    operation: Operation,
    value: Value,
    operands: &[Value],
    position: usize,
) -> Option<Value> {
    let other = operands[operands.len() - 1 - position];
    Some(match operation {
        Operation::Negate => assembler.constant(-1.0),
        Operation::Multiply => other,
        Operation::Power if position == 0 => power_by_base(assembler, operands[0], other),
        Operation::Power => power_by_exponent(assembler, value, other),
        Operation::Whole(exponent) => {
            let exponent = assembler.constant(exponent.into());
            power_by_base(assembler, operands[0], exponent)
        }
        Operation::One(builtin) | Operation::Two(builtin) => {
            let partial = builtin.partial(assembler, value, operands, position);
            return factor(assembler, partial, operands, position);
        }
        Operation::Add | Operation::Subtract | Operation::Divide | Operation::Select => {
            unreachable!("{operation:?} has its own rule")
        }
        Operation::Relation(_) | Operation::Not | Operation::And | Operation::Or => return None,
        Operation::Call | Operation::Output => unreachable!("calls have their own partial derivatives"),
    })
}

/// A partial derivative as one value.
fn factor(assembler: &mut Assembler, partial: Partial<Value>, operands: &[Value], position: usize) -> Option<Value> {
    Some(match partial {
        Partial::Zero => return None,
        Partial::One => assembler.constant(1.0),
        Partial::Factor(factor) => factor,
        Partial::Negative(factor) => assembler.one(Operation::Negate, factor),
        Partial::Divisor(divisor) => {
            let one = assembler.constant(1.0);
            assembler.two(Operation::Divide, one, divisor)
        }
        Partial::Ratio(numerator, divisor) => assembler.two(Operation::Divide, numerator, divisor),
        Partial::NegativeRatio(numerator, divisor) => {
            let negative = assembler.one(Operation::Negate, numerator);
            assembler.two(Operation::Divide, negative, divisor)
        }
        Partial::Chosen(operator) => {
            let condition = assembler.two(Operation::Relation(operator), operands[0], operands[1]);
            let (one, zero) = (assembler.constant(1.0), assembler.constant(0.0));
            let (yes, no) = if position == 0 { (one, zero) } else { (zero, one) };
            assembler.select(condition, yes, no)
        }
        Partial::Carried(_) | Partial::NotReal => unreachable!("the compiler leaves only functions of numbers"),
    })
}

impl Algebra for Assembler {
    type Value = Value;

    fn whole(&mut self, number: i32) -> Value {
        self.constant(number.into())
    }

    fn number(&mut self, number: f64) -> Value {
        self.constant(number)
    }

    fn negative(&mut self, a: Value) -> Value {
        self.one(Operation::Negate, a)
    }

    fn operation(&mut self, operator: ArithmeticOperator, a: Value, b: Value) -> Value {
        self.two(Operation::arithmetic(operator), a, b)
    }

    fn apply(&mut self, builtin: Builtin, a: Value) -> Value {
        self.one(Operation::One(builtin), a)
    }
}
