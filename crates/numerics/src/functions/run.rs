//! The interpreter of programs.

use std::sync::Arc;

use modeshift_dae::{ArithmeticOperator, FunctionId};

use super::products;
use super::program::{Element, Operation, Program};
use super::routines::{Routine, Routines};
use crate::tape::truth;

/// Why a function cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    /// An `assert` that does not hold: its message.
    Assertion(Arc<str>),
    /// A subscript out of bounds, and the size it is out of.
    Subscript(f64, u32),
    /// More operations than a call may take.
    Endless,
    /// Calls nested too deep.
    TooDeep,
    /// A function that is called has no implementation.
    Unknown(Arc<str>),
    /// Machine code cannot go on; the interpreter says why.
    Untold,
}

impl Fault {
    /// In words.
    pub fn message(&self) -> String {
        match self {
            Fault::Assertion(message) => message.to_string(),
            Fault::Subscript(value, size) => format!("subscript {value} is out of bounds: the size is {size}"),
            Fault::Endless => format!("its loops do not end within {MOST_OPERATIONS} operations"),
            Fault::TooDeep => format!("calls are nested more than {MOST_CALLS} deep"),
            Fault::Unknown(name) => format!("`{name}` has no implementation here"),
            Fault::Untold => unreachable!("who wants to know why asks the interpreter"),
        }
    }
}

/// A bound on work: a second or so.
const MOST_OPERATIONS: i64 = 50_000_000;
/// How deep calls may be nested; each takes some hundred bytes of the stack.
const MOST_CALLS: u32 = 200;

/// What is left of the allowance of one evaluation. A call takes as many operations as the function has, and one more round of a loop as many as
/// lie between its ends, whether they are carried out or not.
#[repr(C)] // machine code counts the first one
pub(crate) struct Allowance {
    operations: i64,
    calls: u32,
    /// Nothing runs as machine code, which cannot say why it does not go on.
    is_told: bool,
}

impl Allowance {
    pub fn full() -> Self {
        Allowance { operations: MOST_OPERATIONS, calls: MOST_CALLS, is_told: false }
    }

    /// Of an evaluation that says why there are no results.
    pub fn of_explanation() -> Self {
        Allowance { is_told: true, ..Self::full() }
    }

    fn spend(&mut self, operations: usize) -> Result<(), Fault> {
        self.operations -= operations as i64;
        if self.operations < 0 { Err(Fault::Endless) } else { Ok(()) }
    }
}

impl Routines {
    /// The outputs of a function at these arguments, differentiated so often.
    pub fn run(
        &self,
        function: FunctionId,
        level: u32,
        arguments: &[f64],
        outputs: &mut [f64],
        allowance: &mut Allowance,
    ) -> Result<(), Fault> {
        match self.routine(function) {
            Routine::Program(tower) => {
                let Some(level) = tower.level(level) else {
                    outputs.fill(f64::NAN);
                    return Ok(());
                };
                allowance.spend(level.program.operations.len())?;
                if let Some(code) = level.code().filter(|_| !allowance.is_told) {
                    return code.run(self, arguments, outputs, allowance).then_some(()).ok_or(Fault::Untold);
                }
                let before = allowance.operations;
                let outcome = self.interpret(&level.program, arguments, outputs, allowance);
                level.count(level.program.operations.len() as u64 + (before - allowance.operations).max(0) as u64);
                outcome
            }
            Routine::Native(native) => {
                products::along(native, level, arguments, outputs);
                Ok(())
            }
            Routine::Derivative { of, moving } => {
                let (arguments, values) = (with_all_slopes(moving, level, arguments), outputs.len() >> level);
                let mut results = vec![f64::NAN; 2 * outputs.len()];
                self.run(*of, level + 1, &arguments, &mut results, allowance)?;
                // In each part, values come before derivatives.
                for (part, derivatives) in outputs.chunks_mut(values.max(1)).zip(results.chunks(2 * values.max(1))) {
                    part.copy_from_slice(&derivatives[values..]);
                }
                Ok(())
            }
            Routine::Unknown(name) => Err(Fault::Unknown(name.clone())),
        }
    }

    /// The same for a function that another one calls.
    pub fn nested(
        &self,
        function: FunctionId,
        level: u32,
        arguments: &[f64],
        outputs: &mut [f64],
        allowance: &mut Allowance,
    ) -> Result<(), Fault> {
        allowance.calls = allowance.calls.checked_sub(1).ok_or(Fault::TooDeep)?;
        self.run(function, level, arguments, outputs, allowance)?;
        allowance.calls += 1;
        Ok(())
    }

    fn interpret(
        &self,
        program: &Program,
        arguments: &[f64],
        outputs: &mut [f64],
        allowance: &mut Allowance,
    ) -> Result<(), Fault> {
        let mut registers = vec![f64::NAN; program.registers as usize];
        registers[..arguments.len()].copy_from_slice(arguments);
        let (mut at, operations) = (0, &program.operations);
        loop {
            let of = |register: u32| registers[register as usize];
            let holds = |register: u32| registers[register as usize] != 0.0;
            let (to, value) = match &operations[at] {
                Operation::Arithmetic(operator, to, a, b) => (*to, operator.value(of(*a), of(*b))),
                Operation::Copy(to, a) => (*to, of(*a)),
                Operation::Constant(to, value) => (*to, *value),
                Operation::Load(to, element) => (*to, registers[element.registers.at(index_of(element, of)?)]),
                Operation::Store(a, element) => (element.registers.at(index_of(element, of)?) as u32, of(*a)),
                Operation::Relation(operator, to, a, b) => (*to, truth(operator.holds(of(*a), of(*b)))),
                Operation::Negate(to, a) => (*to, -of(*a)),
                Operation::Not(to, a) => (*to, truth(!holds(*a))),
                Operation::One(builtin, to, a) => (*to, builtin.value(&[of(*a)]).unwrap_or(f64::NAN)),
                Operation::Two(builtin, to, a, b) => (*to, builtin.value(&[of(*a), of(*b)]).unwrap_or(f64::NAN)),
                Operation::Within(to, [count, step, end]) => (*to, truth(is_within(of(*count), of(*step), of(*end)))),
                Operation::Jump(to) => {
                    let to = *to as usize;
                    if to <= at {
                        allowance.spend(at - to + 1)?;
                    }
                    at = to;
                    continue;
                }
                Operation::Unless(a, to) => {
                    at = if holds(*a) { at + 1 } else { *to as usize };
                    continue;
                }
                Operation::When(a, to) => {
                    at = if holds(*a) { *to as usize } else { at + 1 };
                    continue;
                }
                Operation::Call(call) => {
                    let list: Vec<f64> = call.arguments.iter().map(|&argument| of(argument)).collect();
                    let place = &mut registers[call.first as usize..(call.first + call.outputs) as usize];
                    self.nested(call.function, call.level, &list, place, allowance)?;
                    at += 1;
                    continue;
                }
                Operation::Assert(a, message) => {
                    if !holds(*a) {
                        return Err(Fault::Assertion(message.clone()));
                    }
                    at += 1;
                    continue;
                }
                Operation::Return => break,
            };
            registers[to as usize] = value;
            at += 1;
        }
        for (output, &register) in outputs.iter_mut().zip(&program.outputs) {
            *output = registers[register as usize];
        }
        Ok(())
    }
}

/// Arguments of a derivative, which gives derivatives of those only that move, as arguments of the function differentiated once more: in each
/// part all values, then all derivatives.
fn with_all_slopes(moving: &[u32], level: u32, arguments: &[f64]) -> Vec<f64> {
    let size = arguments.len() >> level;
    let count = size - moving.len();
    let mut all = Vec::with_capacity((2 * count) << level);
    for part in arguments.chunks(size.max(1)) {
        let (values, slopes) = part.split_at(count);
        let begin = all.len() + count;
        all.extend_from_slice(values);
        all.resize(begin + count, 0.0);
        for (&at, &slope) in moving.iter().zip(slopes) {
            all[begin + at as usize] = slope;
        }
    }
    all
}

/// Whether `from:step:to` still contains a number; as in a range of Reals, up to a rounding error.
fn is_within(count: f64, step: f64, end: f64) -> bool {
    let left = ArithmeticOperator::Divide.value(end - count, step);
    step != 0.0 && left + 1e-10 >= 0.0
}

/// Where an element is in row-major order.
fn index_of(element: &Element, value: impl Fn(u32) -> f64) -> Result<usize, Fault> {
    let mut index = 0;
    for (&subscript, &size) in element.subscripts.iter().zip(element.sizes.iter()) {
        let subscript = value(subscript);
        if !(subscript >= 1.0 && subscript <= f64::from(size)) || subscript.fract() != 0.0 {
            return Err(Fault::Subscript(subscript, size));
        }
        index = index * size as usize + subscript as usize - 1;
    }
    Ok(index)
}
