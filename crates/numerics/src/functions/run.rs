//! The interpreter of programs, for numbers of any kind.

use std::sync::Arc;

use modeshift_dae::{ArithmeticOperator, FunctionId};

use super::number::Number;
use super::program::{Element, Operation, Program};
use super::routines::{Routine, Routines};

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
        }
    }
}

/// A bound on work: a second or so.
const MOST_OPERATIONS: u64 = 50_000_000;
/// How deep calls may be nested; each takes some hundred bytes of the stack.
const MOST_CALLS: u32 = 200;

/// What is left of the allowance of one evaluation.
pub(crate) struct Allowance {
    operations: u64,
    calls: u32,
}

impl Allowance {
    pub fn full() -> Self {
        Allowance { operations: MOST_OPERATIONS, calls: MOST_CALLS }
    }
}

impl Routines {
    /// The outputs of a function at these arguments.
    pub fn run<N: Number>(
        &self,
        function: FunctionId,
        arguments: &[N],
        outputs: &mut [N],
        allowance: &mut Allowance,
    ) -> Result<(), Fault> {
        match self.routine(function) {
            Routine::Program(program) => self.interpret(program, arguments, outputs, allowance),
            Routine::Native(native) => {
                N::native(native, arguments, outputs);
                Ok(())
            }
            Routine::Derivative { of, moving } => self.along(*of, moving, arguments, outputs, allowance),
            Routine::Unknown(name) => Err(Fault::Unknown(name.clone())),
        }
    }

    /// The derivatives of a function's outputs: arguments, then the derivatives of those that move.
    fn along<N: Number>(
        &self,
        of: FunctionId,
        moving: &[u32],
        arguments: &[N],
        outputs: &mut [N],
        allowance: &mut Allowance,
    ) -> Result<(), Fault> {
        let count = arguments.len() - moving.len();
        let zero = N::constant(0.0);
        let mut deeper: Vec<N::Deeper> = arguments[..count].iter().map(|argument| argument.deeper(zero)).collect();
        for (&at, &derivative) in moving.iter().zip(&arguments[count..]) {
            deeper[at as usize] = arguments[at as usize].deeper(derivative);
        }
        let mut results = vec![N::constant(f64::NAN).deeper(zero); outputs.len()];
        if N::DEPTH < 3 {
            self.run(of, &deeper, &mut results, allowance)?;
        }
        for (output, result) in outputs.iter_mut().zip(results) {
            *output = N::derivative_of(result);
        }
        Ok(())
    }

    fn interpret<N: Number>(
        &self,
        program: &Program,
        arguments: &[N],
        outputs: &mut [N],
        allowance: &mut Allowance,
    ) -> Result<(), Fault> {
        let mut registers = vec![N::constant(f64::NAN); program.registers as usize];
        registers[..arguments.len()].copy_from_slice(arguments);
        let (mut at, operations) = (0, &program.operations);
        loop {
            allowance.operations = allowance.operations.checked_sub(1).ok_or(Fault::Endless)?;
            let of = |register: u32| registers[register as usize];
            let holds = |register: u32| registers[register as usize].value() != 0.0;
            let (to, value) = match &operations[at] {
                Operation::Arithmetic(operator, to, a, b) => (*to, N::arithmetic(*operator, of(*a), of(*b))),
                Operation::Copy(to, a) => (*to, of(*a)),
                Operation::Constant(to, value) => (*to, N::constant(*value)),
                Operation::Load(to, element) => {
                    let index = index_of(element, |register| of(register).value())?;
                    (*to, registers[element.registers.at(index)])
                }
                Operation::Store(a, element) => {
                    let index = index_of(element, |register| of(register).value())?;
                    (element.registers.at(index) as u32, of(*a))
                }
                Operation::Relation(operator, to, a, b) => (*to, truth(operator.holds(of(*a).value(), of(*b).value()))),
                Operation::Negate(to, a) => (*to, of(*a).negative()),
                Operation::Not(to, a) => (*to, truth(!holds(*a))),
                Operation::One(builtin, to, a) => (*to, N::builtin(*builtin, &[of(*a)])),
                Operation::Two(builtin, to, a, b) => (*to, N::builtin(*builtin, &[of(*a), of(*b)])),
                Operation::Within(to, [count, step, end]) => {
                    (*to, truth(is_within(of(*count).value(), of(*step).value(), of(*end).value())))
                }
                Operation::Jump(to) => {
                    at = *to as usize;
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
                Operation::Call(function, first, count, list) => {
                    let list: Vec<N> = list.iter().map(|&argument| of(argument)).collect();
                    allowance.calls = allowance.calls.checked_sub(1).ok_or(Fault::TooDeep)?;
                    let place = &mut registers[*first as usize..(*first + *count) as usize];
                    self.run(*function, &list, place, allowance)?;
                    allowance.calls += 1;
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

fn truth<N: Number>(value: bool) -> N {
    N::constant(f64::from(u8::from(value)))
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
