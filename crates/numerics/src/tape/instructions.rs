//! The register tape: expressions as a straight line of instructions, evaluated into caller's buffers.
//!
//! Every instruction writes its own register, in the order inputs, constants, results; shared subexpressions are
//! computed once. An if-expression computes both branches and selects one: the branch that is not taken may be
//! "not a number" without harm, to its value or to its derivatives, and the line stays straight for machine code.
//! Whoever wants to spend nothing on the other branch evaluates partially first. Evaluation never fails and never
//! allocates; a result that is not finite is explained afterwards (`explain`).

use std::sync::Arc;

use modeshift_dae::{ArithmeticOperator, Builtin, ExpressionId, ModeVariableId, RelationOperator, VariableId};

use crate::native::NativeFunction;

/// What the values of expressions depend on. Booleans are 1 and 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Input {
    /// `time`
    Time,
    /// A variable, a derivative of it, a parameter.
    Variable(VariableId, u32),
    /// The left limit of a variable or a derivative.
    LeftVariable(VariableId, u32),
    /// A mode variable.
    Mode(ModeVariableId),
    /// The left limit of a mode variable.
    LeftMode(ModeVariableId),
    /// What only a run can tell: a call of `sample`, `delay`, `initial` or `terminal`.
    Run(ExpressionId),
    /// How much of `actual` there is in `homotopy(actual, simplified)`: from 0 to 1.
    Homotopy,
}

/// What an instruction does with its operands `a`, `b`, `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    /// A power with a constant whole exponent.
    Whole(i8),
    One(Builtin),
    Two(Builtin),
    Relation(RelationOperator),
    Not,
    And,
    Or,
    /// `if a then b else c`
    Select,
    /// The first output of call number `a`; the next registers are its other outputs.
    Call,
    /// A further output of the call before it.
    Output,
}

impl Operation {
    pub(crate) fn arithmetic(operator: ArithmeticOperator) -> Self {
        match operator {
            ArithmeticOperator::Add => Operation::Add,
            ArithmeticOperator::Subtract => Operation::Subtract,
            ArithmeticOperator::Multiply => Operation::Multiply,
            ArithmeticOperator::Divide => Operation::Divide,
            ArithmeticOperator::Power => Operation::Power,
        }
    }

    pub(crate) fn operand_count(self) -> usize {
        match self {
            Operation::Negate | Operation::Whole(_) | Operation::One(_) | Operation::Not => 1,
            Operation::Select => 3,
            Operation::Call | Operation::Output => 0,
            _ => 2,
        }
    }

    /// The value at these operands; not of calls.
    #[inline(always)]
    pub(crate) fn value(self, a: f64, b: f64, c: f64) -> f64 {
        match self {
            Operation::Negate => -a,
            Operation::Add => a + b,
            Operation::Subtract => a - b,
            Operation::Multiply => a * b,
            Operation::Divide => a / b,
            Operation::Power => modeshift_dae::ArithmeticOperator::Power.value(a, b),
            Operation::Whole(2) => a * a,
            Operation::Whole(exponent) => a.powi(exponent as i32),
            Operation::One(builtin) => builtin.value(&[a]).unwrap_or(f64::NAN),
            Operation::Two(builtin) => builtin.value(&[a, b]).unwrap_or(f64::NAN),
            Operation::Relation(operator) => truth(operator.holds(a, b)),
            Operation::Not => truth(a == 0.0),
            Operation::And => truth(a != 0.0 && b != 0.0),
            Operation::Or => truth(a != 0.0 || b != 0.0),
            Operation::Select => {
                if a != 0.0 {
                    b
                } else {
                    c
                }
            }
            Operation::Call | Operation::Output => unreachable!("calls are evaluated by the tape"),
        }
    }
}

pub(crate) fn truth(value: bool) -> f64 {
    if value { 1.0 } else { 0.0 }
}

/// One instruction; operands are registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Instruction {
    pub operation: Operation,
    pub a: u32,
    pub b: u32,
    pub c: u32,
}

/// A call of a native function, or of one of its partial derivatives.
#[derive(Clone)]
pub(crate) struct Call {
    pub name: Arc<str>,
    /// `None` where no function of that name is known.
    pub native: Option<NativeFunction>,
    /// Registers, or values while a tape is being assembled.
    pub arguments: Vec<u32>,
    /// How many.
    pub outputs: u32,
    /// Derivatives by this input instead of values.
    pub partial: Option<u32>,
}

/// Expressions ready for evaluation.
#[derive(Clone)]
pub struct Tape {
    pub(crate) inputs: Vec<Input>,
    pub(crate) constants: Vec<f64>,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) calls: Vec<Call>,
    /// Registers of the results, in the order in which they were asked for.
    pub(crate) outputs: Vec<u32>,
    /// The expression that each instruction is the value of, where it is of one.
    pub(crate) origins: Vec<Option<ExpressionId>>,
}

/// The buffers that an evaluation writes; one per thread.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) registers: Vec<f64>,
    pub(crate) scratch: Vec<f64>,
}

impl Tape {
    /// What the inputs are, in the order in which their values are to be given.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// How many results there are.
    pub fn output_count(&self) -> usize {
        self.outputs.len()
    }

    /// How many instructions an evaluation carries out.
    pub fn instruction_count(&self) -> usize {
        self.instructions.len()
    }

    /// Whether another tape computes the same of the same inputs, instruction by instruction. Calls of functions are not looked into:
    /// tapes with calls count as different.
    pub fn computes_as(&self, other: &Tape) -> bool {
        let bits = |tape: &Tape| -> Vec<u64> { tape.constants.iter().map(|it| it.to_bits()).collect() };
        self.calls.is_empty()
            && other.calls.is_empty()
            && self.inputs == other.inputs
            && self.outputs == other.outputs
            && self.instructions == other.instructions
            && bits(self) == bits(other)
    }

    /// Buffers of the right size.
    pub fn workspace(&self) -> Workspace {
        let mut registers = vec![0.0; self.inputs.len() + self.constants.len() + self.instructions.len()];
        registers[self.inputs.len()..][..self.constants.len()].copy_from_slice(&self.constants);
        Workspace { registers, scratch: vec![0.0; self.largest_call()] }
    }

    /// How many numbers a call needs at most: its arguments and twice its outputs.
    pub(crate) fn largest_call(&self) -> usize {
        let sizes = self.calls.iter().map(|call| call.arguments.len() + 2 * call.outputs as usize);
        sizes.max().unwrap_or(0)
    }

    /// The results at these inputs.
    pub fn evaluate(&self, inputs: &[f64], workspace: &mut Workspace, outputs: &mut [f64]) {
        assert_eq!(outputs.len(), self.outputs.len(), "one place for each result");
        self.run(inputs, workspace);
        for (place, &register) in outputs.iter_mut().zip(&self.outputs) {
            *place = workspace.registers[register as usize];
        }
    }

    /// Fills all registers.
    pub(crate) fn run(&self, inputs: &[f64], workspace: &mut Workspace) {
        assert_eq!(inputs.len(), self.inputs.len(), "one value for each input");
        let registers = workspace.registers.as_mut_slice();
        registers[..inputs.len()].copy_from_slice(inputs);
        let first = self.first_result();
        for (index, instruction) in self.instructions.iter().enumerate() {
            let Instruction { operation, a, b, c } = *instruction;
            let at = |register: u32| registers[register as usize];
            // The common ones first, with no more operands read than they have.
            registers[first + index] = match operation {
                Operation::Add => at(a) + at(b),
                Operation::Subtract => at(a) - at(b),
                Operation::Multiply => at(a) * at(b),
                Operation::Divide => at(a) / at(b),
                Operation::Negate => -at(a),
                Operation::Whole(2) => at(a) * at(a),
                Operation::Output => continue,
                Operation::Call => {
                    self.call(a, first + index, registers, &mut workspace.scratch);
                    continue;
                }
                _ => operation.value(at(a), at(b), at(c)),
            };
        }
    }

    /// The registers that an instruction reads.
    pub(crate) fn operands_of(&self, index: usize) -> impl Iterator<Item = u32> {
        let Instruction { operation, a, b, c } = self.instructions[index];
        let arguments: &[u32] = match operation {
            Operation::Call | Operation::Output => &self.calls[a as usize].arguments,
            _ => &[],
        };
        [a, b, c].into_iter().take(operation.operand_count()).chain(arguments.iter().copied())
    }

    /// The register of the first instruction.
    pub(crate) fn first_result(&self) -> usize {
        self.inputs.len() + self.constants.len()
    }

    fn call(&self, call: u32, result: usize, registers: &mut [f64], scratch: &mut [f64]) {
        let call = &self.calls[call as usize];
        let outputs = call.outputs as usize;
        let (values, rest) = scratch.split_at_mut(call.arguments.len());
        for (value, &register) in values.iter_mut().zip(&call.arguments) {
            *value = registers[register as usize];
        }
        call.evaluate(values, &mut registers[result..result + outputs], &mut rest[..outputs]);
    }
}

impl Call {
    /// The outputs at these arguments, which are as before when it returns; `scratch` holds as many numbers as `outputs`.
    pub(crate) fn evaluate(&self, arguments: &mut [f64], outputs: &mut [f64], scratch: &mut [f64]) {
        match (&self.native, self.partial) {
            (None, _) => outputs.fill(f64::NAN),
            (Some(native), None) => native.evaluate(arguments, outputs),
            (Some(native), Some(by)) => native.evaluate_partial(arguments, by as usize, outputs, scratch),
        }
    }
}
