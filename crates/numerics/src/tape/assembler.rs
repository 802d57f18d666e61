//! Tapes in the making: values numbered so that equal ones are one, constants folded, neutral operands dropped.
//!
//! Operands are always made before what uses them, so ascending order is an order of evaluation. `finish` keeps
//! what the results need and lays it out as inputs, constants, instructions.

use std::sync::Arc;

use modeshift_dae::ExpressionId;
use rustc_hash::FxHashMap;

use super::instructions::{Call, Input, Instruction, Operation, Tape};

/// A value of an [`Assembler`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Value(pub u32);

/// What makes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Definition {
    /// By its position.
    Input(u32),
    /// A number, by its bits.
    Constant(u64),
    /// Places that the operation does not use repeat its first operand.
    Operation(Operation, [Value; 3]),
    /// An output, from 0, of a call.
    Output(u32, u32),
}

/// The name, the arguments and the input by which is differentiated: equal calls are one.
type CallKey = (Arc<str>, Vec<u32>, Option<u32>);

/// A set of values over inputs.
#[derive(Clone, Default)]
pub(crate) struct Assembler {
    inputs: Vec<Input>,
    input_values: FxHashMap<Input, Value>,
    definitions: Vec<Definition>,
    known: FxHashMap<Definition, Value>,
    calls: Vec<Call>,
    known_calls: FxHashMap<CallKey, u32>,
    origins: Vec<Option<ExpressionId>>,
}

impl Assembler {
    fn add(&mut self, definition: Definition) -> Value {
        if let Some(&known) = self.known.get(&definition) {
            return known;
        }
        let value = Value(u32::try_from(self.definitions.len()).expect("fewer than 2^32 values"));
        self.definitions.push(definition);
        self.origins.push(None);
        self.known.insert(definition, value);
        value
    }

    pub fn definition(&self, value: Value) -> Definition {
        self.definitions[value.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    /// Remembers which expression a value is of; the first one is the best explanation.
    pub fn set_origin(&mut self, value: Value, expression: ExpressionId) {
        self.origins[value.0 as usize].get_or_insert(expression);
    }

    pub fn input(&mut self, input: Input) -> Value {
        if let Some(&value) = self.input_values.get(&input) {
            return value;
        }
        let value = self.add(Definition::Input(self.inputs.len() as u32));
        self.inputs.push(input);
        self.input_values.insert(input, value);
        value
    }

    pub fn constant(&mut self, number: f64) -> Value {
        self.add(Definition::Constant(number.to_bits()))
    }

    pub fn constant_of(&self, value: Value) -> Option<f64> {
        match self.definition(value) {
            Definition::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// The outputs of a call; one that was known before has as many as were ever asked for.
    pub fn call(&mut self, call: Call) -> Vec<Value> {
        let key = (call.name.clone(), call.arguments.clone(), call.partial);
        let outputs = call.outputs;
        let index = *self.known_calls.entry(key).or_insert(self.calls.len() as u32);
        match self.calls.get_mut(index as usize) {
            Some(known) => known.outputs = known.outputs.max(outputs),
            None => self.calls.push(call),
        }
        (0..outputs).map(|which| self.add(Definition::Output(index, which))).collect()
    }

    pub fn call_of(&self, index: u32) -> &Call {
        &self.calls[index as usize]
    }

    pub fn one(&mut self, operation: Operation, a: Value) -> Value {
        self.operation(operation, [a, a, a])
    }

    pub fn two(&mut self, operation: Operation, a: Value, b: Value) -> Value {
        self.operation(operation, [a, b, a])
    }

    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        self.operation(Operation::Select, [condition, a, b])
    }

    fn operation(&mut self, operation: Operation, operands: [Value; 3]) -> Value {
        let constants = operands.map(|operand| self.constant_of(operand));
        if let [Some(a), Some(b), Some(c)] = constants {
            return self.constant(operation.value(a, b, c));
        }
        match self.simplified(operation, operands, constants) {
            Some(simpler) => simpler,
            None => self.add(Definition::Operation(operation, operands)),
        }
    }

    /// An equal value that needs no instruction, or a cheaper one. A product with zero is not among them: it may
    /// be "not a number".
    fn simplified(
        &mut self,
        operation: Operation,
        [a, b, c]: [Value; 3],
        constants: [Option<f64>; 3],
    ) -> Option<Value> {
        let [left, right, _] = constants;
        match operation {
            Operation::Add if left == Some(0.0) => Some(b),
            Operation::Add | Operation::Subtract if right == Some(0.0) => Some(a),
            Operation::Subtract if left == Some(0.0) => Some(self.one(Operation::Negate, b)),
            Operation::Multiply if left == Some(1.0) => Some(b),
            Operation::Multiply | Operation::Divide if right == Some(1.0) => Some(a),
            Operation::Multiply if left == Some(-1.0) => Some(self.one(Operation::Negate, b)),
            Operation::Multiply | Operation::Divide if right == Some(-1.0) => Some(self.one(Operation::Negate, a)),
            Operation::Power => right.and_then(|exponent| self.whole_power(a, exponent)),
            Operation::Select => match left {
                Some(condition) => Some(if condition != 0.0 { b } else { c }),
                None => (b == c).then_some(b),
            },
            Operation::Negate => match self.definition(a) {
                Definition::Operation(Operation::Negate, [inner, ..]) => Some(inner),
                _ => None,
            },
            _ => None,
        }
    }

    fn whole_power(&mut self, a: Value, exponent: f64) -> Option<Value> {
        match exponent {
            0.0 => Some(self.constant(1.0)),
            1.0 => Some(a),
            _ if exponent.trunc() == exponent && exponent.abs() <= 16.0 => {
                Some(self.one(Operation::Whole(exponent as i8), a))
            }
            _ => None,
        }
    }

    /// Calls `visit` with each value that this one is made of.
    pub fn for_each_operand(&self, value: Value, mut visit: impl FnMut(Value)) {
        match self.definition(value) {
            Definition::Operation(operation, operands) => {
                operands[..operation.operand_count()].iter().for_each(|&operand| visit(operand))
            }
            Definition::Output(call, _) => {
                self.calls[call as usize].arguments.iter().for_each(|&argument| visit(Value(argument)))
            }
            Definition::Input(_) | Definition::Constant(_) => {}
        }
    }

    /// Which values the results need.
    pub fn needed(&self, results: &[Value]) -> Vec<bool> {
        let mut needed = vec![false; self.definitions.len()];
        for result in results {
            needed[result.0 as usize] = true;
        }
        for index in (0..self.definitions.len()).rev() {
            if needed[index] {
                self.for_each_operand(Value(index as u32), |operand| needed[operand.0 as usize] = true);
            }
        }
        needed
    }

    /// The tape that computes these results. All inputs are kept, also those that no result needs.
    pub fn finish(&self, results: &[Value]) -> Tape {
        Layout::new(self, results).tape(results)
    }
}

/// Where the needed values of an assembler go.
struct Layout<'a> {
    assembler: &'a Assembler,
    /// Register of each value that has been placed.
    registers: Vec<u32>,
    tape: Tape,
}

impl<'a> Layout<'a> {
    fn new(assembler: &'a Assembler, results: &[Value]) -> Self {
        let tape = Tape {
            inputs: assembler.inputs.clone(),
            constants: Vec::new(),
            instructions: Vec::new(),
            calls: Vec::new(),
            outputs: Vec::new(),
            origins: Vec::new(),
        };
        let mut layout = Layout { assembler, registers: vec![u32::MAX; assembler.len()], tape };
        let needed = assembler.needed(results);
        layout.place_constants(&needed);
        layout.place_instructions(&needed);
        layout
    }

    fn place_constants(&mut self, needed: &[bool]) {
        for (index, definition) in self.assembler.definitions.iter().enumerate() {
            match *definition {
                Definition::Input(position) => self.registers[index] = position,
                Definition::Constant(bits) if needed[index] => {
                    self.registers[index] = (self.tape.inputs.len() + self.tape.constants.len()) as u32;
                    self.tape.constants.push(f64::from_bits(bits));
                }
                _ => {}
            }
        }
    }

    fn place_instructions(&mut self, needed: &[bool]) {
        let mut call_registers: FxHashMap<u32, u32> = FxHashMap::default();
        for (index, definition) in self.assembler.definitions.iter().enumerate() {
            if !needed[index] {
                continue;
            }
            self.registers[index] = match *definition {
                Definition::Input(_) | Definition::Constant(_) => continue,
                Definition::Operation(operation, operands) => {
                    let [a, b, c] = operands.map(|operand| self.registers[operand.0 as usize]);
                    self.push(Instruction { operation, a, b, c }, self.assembler.origins[index])
                }
                Definition::Output(call, which) => {
                    let first = match call_registers.get(&call) {
                        Some(&first) => first,
                        None => self.place_call(call, self.assembler.origins[index]),
                    };
                    call_registers.insert(call, first);
                    first + which
                }
            };
        }
    }

    fn place_call(&mut self, call: u32, origin: Option<ExpressionId>) -> u32 {
        let mut placed = self.assembler.calls[call as usize].clone();
        for argument in &mut placed.arguments {
            *argument = self.registers[*argument as usize];
        }
        let (number, outputs) = (self.tape.calls.len() as u32, placed.outputs);
        self.tape.calls.push(placed);
        let first = self.push(Instruction { operation: Operation::Call, a: number, b: 0, c: 0 }, origin);
        for _ in 1..outputs {
            self.push(Instruction { operation: Operation::Output, a: number, b: 0, c: 0 }, origin);
        }
        first
    }

    fn push(&mut self, instruction: Instruction, origin: Option<ExpressionId>) -> u32 {
        self.tape.instructions.push(instruction);
        self.tape.origins.push(origin);
        (self.tape.first_result() + self.tape.instructions.len() - 1) as u32
    }

    fn tape(mut self, results: &[Value]) -> Tape {
        self.tape.outputs = results.iter().map(|result| self.registers[result.0 as usize]).collect();
        self.tape
    }
}
