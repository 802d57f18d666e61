//! Programs differentiated: from one that computes `y` from `x` one that computes `y` and `∂y/∂x·v` from `x` and `v` (forward mode).
//!
//! Each operation that depends on an argument is followed by its derivative, from the one table of rules ([`Algebra`]); what is decided
//! stays decided by values alone. The result is a program like any other: it is interpreted, compiled, and differentiated once more where
//! derivatives of derivatives are asked for.
//!
//! ```text
//! x₁ … xₙ  v₁ … vₙ | slots, their derivatives | values on the way, their derivatives | what derivatives need
//! ```
//!
//! What does not move has no share in a derivative, whatever the partial derivative by it is: `sqrt(x)` at zero, if `x` stays there.

use std::sync::Arc;

use modeshift_dae::{Algebra, ArithmeticOperator, Builtin, Partial, power_by_base, power_by_exponent};
use rustc_hash::FxHashMap;

use super::program::{Call, Counter, Element, Operation, Program, Register, Registers};

impl Program {
    /// The program with the derivatives of its outputs along its arguments behind them.
    pub fn along(&self) -> Program {
        let mut tangents = Tangents {
            program: self,
            moves: moving(self),
            operations: Vec::new(),
            registers: 2 * self.registers,
            constants: FxHashMap::default(),
            known: FxHashMap::default(),
        };
        tangents.known = self.constants().into_iter().map(|(it, value)| (tangents.value(it), value)).collect();
        tangents.all();
        let outputs = self.outputs.iter().map(|&it| tangents.value(it));
        let outputs = outputs.chain(self.outputs.iter().map(|&it| tangents.slope_of(it))).collect();
        let operations = std::mem::take(&mut tangents.operations);
        Program {
            operations,
            registers: tangents.registers,
            slots: 2 * self.slots,
            inputs: 2 * self.inputs,
            outputs,
            counters: self.counters.iter().map(|it| tangents.counter(it)).collect(),
        }
    }
}

/// Which registers depend on arguments. All elements of an array do if one does.
fn moving(program: &Program) -> Vec<bool> {
    let mut moves = vec![false; program.registers as usize];
    moves[..program.inputs as usize].fill(true);
    let any = |moves: &[bool], list: &[Register]| list.iter().any(|&it| moves[it as usize]);
    loop {
        let before = moves.iter().filter(|&&it| it).count();
        for operation in &program.operations {
            match operation {
                Operation::Copy(to, a) | Operation::Negate(to, a) => moves[*to as usize] |= moves[*a as usize],
                Operation::Arithmetic(_, to, a, b) => moves[*to as usize] |= any(&moves, &[*a, *b]),
                Operation::One(builtin, to, a) if has_derivative(*builtin) => {
                    moves[*to as usize] |= moves[*a as usize];
                }
                Operation::Two(builtin, to, a, b) if has_derivative(*builtin) => {
                    moves[*to as usize] |= any(&moves, &[*a, *b]);
                }
                Operation::Load(it, element) | Operation::Store(it, element) => {
                    let is_store = matches!(operation, Operation::Store(..));
                    let moving = element.registers().any(|it| moves[it as usize]) || is_store && moves[*it as usize];
                    if moving {
                        element.registers().for_each(|it| moves[it as usize] = true);
                        if !is_store {
                            moves[*it as usize] = true;
                        }
                    }
                }
                Operation::Call(call) if any(&moves, &call.arguments) => {
                    operation.results().for_each(|it| moves[it as usize] = true);
                }
                _ => {}
            }
        }
        if moves.iter().filter(|&&it| it).count() == before {
            return moves;
        }
    }
}

fn has_derivative(builtin: Builtin) -> bool {
    builtin.differentiated_arguments().is_some_and(|arguments| !arguments.is_empty())
}

struct Tangents<'p> {
    program: &'p Program,
    moves: Vec<bool>,
    operations: Vec<Operation>,
    registers: u32,
    /// Registers of constants, by their bits.
    constants: FxHashMap<u64, Register>,
    /// The constants that registers are.
    known: FxHashMap<Register, f64>,
}

impl Tangents<'_> {
    fn all(&mut self) {
        let program = self.program;
        let mut begins = Vec::with_capacity(program.operations.len());
        for &output in &program.outputs {
            if !self.moves[output as usize] {
                self.operations.push(Operation::Constant(self.slope_of(output), 0.0));
            }
        }
        for operation in &program.operations {
            begins.push(self.operations.len() as u32);
            // Constants that a branch makes are not there behind it.
            self.constants.clear();
            self.one(operation);
        }
        begins.push(self.operations.len() as u32);
        let own = std::mem::take(&mut self.operations);
        self.operations = own.into_iter().map(|operation| resolved(operation, &begins)).collect();
    }

    fn counter(&self, counter: &Counter) -> Counter {
        let Counter { count, step, end, slot } = *counter;
        let [count, step, end, slot] = [count, step, end, slot].map(|it| self.value(it));
        Counter { count, step, end, slot }
    }

    /// Where the value of a register is.
    fn value(&self, register: Register) -> Register {
        let Program { inputs, slots, .. } = *self.program;
        match register {
            _ if register < inputs => register,
            _ if register < slots => inputs + register,
            _ => slots + register,
        }
    }

    /// Where its derivative is.
    fn slope_of(&self, register: Register) -> Register {
        let Program { inputs, slots, registers, .. } = *self.program;
        match register {
            _ if register < inputs => inputs + register,
            _ if register < slots => slots + register,
            _ => registers + register,
        }
    }

    /// The derivative of a register that moves.
    fn slope(&self, register: Register) -> Option<Register> {
        self.moves[register as usize].then(|| self.slope_of(register))
    }

    fn one(&mut self, operation: &Operation) {
        let own = self.at_values(operation);
        match operation {
            // An operand may be its own result.
            Operation::Arithmetic(operator, to, a, b) => {
                let operands = [*a, *b];
                let result = self.result(*to, &operands);
                let [a, b] = operands.map(|it| self.value(it));
                self.operations.push(Operation::Arithmetic(*operator, result, a, b));
                let slopes = operands.map(|it| self.slope(it));
                self.of_arithmetic(*operator, *to, result, [a, b], slopes);
            }
            Operation::One(builtin, to, a) => {
                let result = self.result(*to, &[*a]);
                let value = self.value(*a);
                self.operations.push(Operation::One(*builtin, result, value));
                self.of_builtin(*builtin, *to, result, &[*a]);
            }
            Operation::Two(builtin, to, a, b) => {
                let result = self.result(*to, &[*a, *b]);
                let [first, second] = [*a, *b].map(|it| self.value(it));
                self.operations.push(Operation::Two(*builtin, result, first, second));
                self.of_builtin(*builtin, *to, result, &[*a, *b]);
            }
            Operation::Copy(to, a) => {
                self.operations.push(own);
                let slope = self.slope(*a);
                self.finish(*to, slope);
            }
            Operation::Negate(to, a) => {
                let slope = self.slope(*a).map(|slope| self.negative(slope));
                self.operations.push(own);
                self.finish(*to, slope);
            }
            Operation::Load(to, element) => {
                if self.moves[*to as usize] {
                    // Before the value, which may be one of the subscripts.
                    let (element, slope) = (self.slopes_of(element), self.register());
                    self.operations.push(Operation::Load(slope, element));
                    self.operations.push(own);
                    self.finish(*to, Some(slope));
                } else {
                    self.operations.push(own);
                }
            }
            Operation::Store(a, element) => {
                // Before the value, which may become one of the subscripts.
                if element.registers().any(|it| self.moves[it as usize]) {
                    let slope = self.slope(*a).unwrap_or_else(|| self.constant(0.0));
                    let element = self.slopes_of(element);
                    self.operations.push(Operation::Store(slope, element));
                }
                self.operations.push(own);
            }
            Operation::Call(call) if operation.results().any(|it| self.moves[it as usize]) => self.call(call),
            _ => {
                self.operations.push(own);
                for result in operation.results() {
                    self.finish(result, None);
                }
            }
        }
    }

    /// Where a result is computed: where it belongs, unless its operands are still needed there.
    fn result(&mut self, to: Register, operands: &[Register]) -> Register {
        let is_needed = operands.contains(&to) && self.moves[to as usize];
        if is_needed { self.register() } else { self.value(to) }
    }

    /// A value and its derivative go where they belong.
    fn place(&mut self, to: Register, result: Register, slope: Option<Register>) {
        let value = self.value(to);
        if value != result {
            self.operations.push(Operation::Copy(value, result));
        }
        self.finish(to, slope);
    }

    /// The derivative of a register is this one, or zero.
    fn finish(&mut self, to: Register, slope: Option<Register>) {
        let Some(place) = self.slope(to) else { return };
        self.operations.push(match slope {
            Some(slope) => Operation::Copy(place, slope),
            None => Operation::Constant(place, 0.0),
        });
    }

    /// The operation on values alone; jumps go to operations of the program as it was.
    fn at_values(&self, operation: &Operation) -> Operation {
        let at = |register: &Register| self.value(*register);
        match operation {
            Operation::Constant(to, value) => Operation::Constant(at(to), *value),
            Operation::Copy(to, a) => Operation::Copy(at(to), at(a)),
            Operation::Negate(to, a) => Operation::Negate(at(to), at(a)),
            Operation::Not(to, a) => Operation::Not(at(to), at(a)),
            Operation::Arithmetic(operator, to, a, b) => Operation::Arithmetic(*operator, at(to), at(a), at(b)),
            Operation::Relation(operator, to, a, b) => Operation::Relation(*operator, at(to), at(a), at(b)),
            Operation::One(builtin, to, a) => Operation::One(*builtin, at(to), at(a)),
            Operation::Two(builtin, to, a, b) => Operation::Two(*builtin, at(to), at(a), at(b)),
            Operation::Jump(to) => Operation::Jump(to | OF_ORIGINAL),
            Operation::Unless(a, to) => Operation::Unless(at(a), to | OF_ORIGINAL),
            Operation::When(a, to) => Operation::When(at(a), to | OF_ORIGINAL),
            Operation::Load(to, element) => Operation::Load(at(to), self.mapped(element, at)),
            Operation::Store(a, element) => Operation::Store(at(a), self.mapped(element, at)),
            Operation::Call(call) => {
                let arguments = call.arguments.iter().map(at).collect();
                Operation::Call(Call { first: at(&call.first), arguments, ..call.clone() })
            }
            Operation::Assert(a, message) => Operation::Assert(at(a), message.clone()),
            Operation::Within(to, list) => Operation::Within(at(to), list.each_ref().map(at)),
            Operation::Return => Operation::Return,
        }
    }

    fn mapped(&self, element: &Element, at: impl Fn(&Register) -> Register) -> Element {
        Element {
            registers: Registers::of(element.registers().map(|it| at(&it)).collect()),
            sizes: element.sizes.clone(),
            subscripts: element.subscripts.iter().map(|it| self.value(*it)).collect(),
        }
    }

    fn slopes_of(&self, element: &Element) -> Element {
        self.mapped(element, |it| self.slope_of(*it))
    }

    fn of_arithmetic(
        &mut self,
        operator: ArithmeticOperator,
        to: Register,
        result: Register,
        [a, b]: [Register; 2],
        slopes: [Option<Register>; 2],
    ) {
        use ArithmeticOperator::*;
        let slope = match (operator, slopes) {
            (_, [None, None]) => None,
            (Add | Subtract, [Some(da), Some(db)]) => Some(self.operation(operator, da, db)),
            (Add | Subtract, [Some(da), None]) => Some(da),
            (Add, [None, Some(db)]) => Some(db),
            (Subtract, [None, Some(db)]) => Some(self.negative(db)),
            (Multiply, [da, db]) => {
                let left = da.map(|da| self.operation(Multiply, da, b));
                let right = db.map(|db| self.operation(Multiply, a, db));
                self.sum(left, right)
            }
            (Divide, [da, db]) => {
                let of_divisor = db.map(|db| self.operation(Multiply, result, db));
                let numerator = match (da, of_divisor) {
                    (Some(da), Some(term)) => self.operation(Subtract, da, term),
                    (Some(da), None) => da,
                    (None, Some(term)) => self.negative(term),
                    (None, None) => unreachable!("one of the operands moves"),
                };
                Some(self.operation(Divide, numerator, b))
            }
            (Power, [da, db]) => {
                let left = da.map(|da| {
                    self.share_of(da, |this| {
                        let partial = power_by_base(this, a, b);
                        this.operation(Multiply, partial, da)
                    })
                });
                let right = db.map(|db| {
                    self.share_of(db, |this| {
                        let partial = power_by_exponent(this, result, a);
                        this.operation(Multiply, partial, db)
                    })
                });
                self.sum(left, right)
            }
        };
        self.place(to, result, slope);
    }

    /// The chain rule.
    fn of_builtin(&mut self, builtin: Builtin, to: Register, result: Register, operands: &[Register]) {
        let values: Vec<Register> = operands.iter().map(|&it| self.value(it)).collect();
        let mut slope = None;
        for at in builtin.differentiated_arguments().unwrap_or(0..0) {
            let Some(inner) = self.slope(operands[at]) else { continue };
            let share = self.share_of(inner, |this| {
                let partial = builtin.partial(this, result, &values, at);
                this.scaled(partial, inner, &values, at)
            });
            slope = self.sum(slope, Some(share));
        }
        self.place(to, result, slope);
    }

    /// What a derivative adds to a sum: zero where it is zero, whatever multiplies it.
    fn share_of(&mut self, inner: Register, make: impl FnOnce(&mut Self) -> Register) -> Register {
        let share = self.register();
        self.operations.push(Operation::Constant(share, 0.0));
        let skip = self.operations.len();
        self.operations.push(Operation::Unless(inner, u32::MAX));
        let outside = self.constants.clone();
        let made = make(self);
        self.constants = outside;
        self.operations.push(Operation::Copy(share, made));
        self.operations[skip] = Operation::Unless(inner, self.operations.len() as u32);
        share
    }

    fn scaled(&mut self, partial: Partial<Register>, inner: Register, values: &[Register], at: usize) -> Register {
        use ArithmeticOperator::{Divide, Multiply};
        match partial {
            Partial::NotReal | Partial::Zero => self.constant(0.0),
            Partial::One | Partial::Carried(_) => inner,
            Partial::Factor(factor) => self.operation(Multiply, factor, inner),
            Partial::Negative(factor) => {
                let product = self.operation(Multiply, factor, inner);
                self.negative(product)
            }
            Partial::Divisor(divisor) => self.operation(Divide, inner, divisor),
            Partial::Ratio(a, b) | Partial::NegativeRatio(a, b) => {
                let product = self.operation(Multiply, a, inner);
                let ratio = self.operation(Divide, product, b);
                if matches!(partial, Partial::NegativeRatio(..)) { self.negative(ratio) } else { ratio }
            }
            Partial::Chosen(operator) => {
                let (is_first, chosen) = (self.register(), self.register());
                self.operations.push(Operation::Relation(operator, is_first, values[0], values[1]));
                self.operations.push(Operation::Copy(chosen, inner));
                let end = self.operations.len() as u32 + 2;
                self.operations.push(match at {
                    0 => Operation::When(is_first, end),
                    _ => Operation::Unless(is_first, end),
                });
                self.operations.push(Operation::Constant(chosen, 0.0));
                chosen
            }
        }
    }

    /// The same call, once more differentiated.
    fn call(&mut self, call: &Call) {
        let zero = self.constant(0.0);
        let values = call.arguments.iter().map(|&it| self.value(it));
        let slopes = call.arguments.iter().map(|&it| self.slope(it).unwrap_or(zero));
        let arguments: Arc<[Register]> = values.chain(slopes).collect();
        let (first, outputs) = (self.registers, 2 * call.outputs);
        self.registers += outputs;
        self.operations.push(Operation::Call(Call { level: call.level + 1, first, outputs, arguments, ..*call }));
        for output in 0..call.outputs {
            self.place(call.first + output, first + output, Some(first + call.outputs + output));
        }
    }

    fn register(&mut self) -> Register {
        self.registers += 1;
        self.registers - 1
    }

    fn constant(&mut self, value: f64) -> Register {
        if let Some(&known) = self.constants.get(&value.to_bits()) {
            return known;
        }
        let register = self.register();
        self.operations.push(Operation::Constant(register, value));
        self.constants.insert(value.to_bits(), register);
        self.known.insert(register, value);
        register
    }

    fn sum(&mut self, a: Option<Register>, b: Option<Register>) -> Option<Register> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.operation(ArithmeticOperator::Add, a, b)),
            (term, None) | (None, term) => term,
        }
    }
}

/// Marks targets of jumps that are numbers of operations of the original program.
const OF_ORIGINAL: u32 = 1 << 31;

/// An operation whose jump goes to where its target begins now.
fn resolved(operation: Operation, begins: &[u32]) -> Operation {
    let target = |to: u32| if to & OF_ORIGINAL == 0 { to } else { begins[(to & !OF_ORIGINAL) as usize] };
    match operation {
        Operation::Jump(to) => Operation::Jump(target(to)),
        Operation::Unless(a, to) => Operation::Unless(a, target(to)),
        Operation::When(a, to) => Operation::When(a, target(to)),
        other => other,
    }
}

/// Registers as values of the rules.
impl Algebra for Tangents<'_> {
    type Value = Register;

    fn whole(&mut self, number: i32) -> Register {
        self.constant(number.into())
    }

    fn number(&mut self, number: f64) -> Register {
        self.constant(number)
    }

    fn negative(&mut self, a: Register) -> Register {
        let result = self.register();
        self.operations.push(Operation::Negate(result, a));
        result
    }

    fn operation(&mut self, operator: ArithmeticOperator, a: Register, b: Register) -> Register {
        if let (Some(a), Some(b)) = (self.known.get(&a), self.known.get(&b)) {
            return self.constant(operator.value(*a, *b));
        }
        let result = self.register();
        self.operations.push(Operation::Arithmetic(operator, result, a, b));
        result
    }

    fn apply(&mut self, builtin: Builtin, a: Register) -> Register {
        let result = self.register();
        self.operations.push(Operation::One(builtin, result, a));
        result
    }
}
