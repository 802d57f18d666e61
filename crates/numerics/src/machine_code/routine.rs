//! The body of a function as a function in the compiler's intermediate language.
//!
//! Registers become values of the compiler, but for arrays of which an element is chosen at run time: these lie in memory, or stay where
//! the caller has them if nothing is stored there. The function returns 0, or 1 where the interpreter would stop: it then says why.
//!
//! ```text
//! f(routines, arguments, outputs, memory, allowance) -> 0 | 1
//! ```

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    AbiParam, Block, Function, InstBuilder, MemFlagsData, SigRef, Signature, Value as Operand, types::F64, types::I64,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use modeshift_dae::ArithmeticOperator;
use rustc_hash::FxHashMap;

use super::layout::{Counting, Home, Layout, MOST_FIRST, MOST_WHOLE, Role, counting, workplace};
use super::operations::{self, Numbers};
use super::{Unsupported, offset, thunks};
use crate::functions::{Call, Element, Operation, Program, Register, Registers};

/// The function's parameters: five addresses. Its result: whether it cannot go on.
pub(super) fn signature(config: TargetFrontendConfig) -> Signature {
    let mut signature = Signature::new(config.default_call_conv);
    signature.params.extend([AbiParam::new(config.pointer_type()); 5]);
    signature.returns.push(AbiParam::new(I64));
    signature
}

/// Writes the function of a body; returns how many numbers it has in memory.
pub(super) fn translate(
    program: &Program,
    function: &mut Function,
    context: &mut FunctionBuilderContext,
    config: TargetFrontendConfig,
) -> Result<usize, Unsupported> {
    function.signature = signature(config);
    let mut builder = FunctionBuilder::new(function, context);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let &[routines, arguments, outputs, memory, allowance] = builder.block_params(entry) else {
        unreachable!("five parameters")
    };
    let numbers = Numbers::new(&mut builder, config);
    let call = builder.import_signature(thunks::signature_of_routine(config));
    let layout = Layout::of(program)?;
    let counting = counting(program, &layout.homes, &mut builder);
    let left = builder.declare_var(I64);
    let [leave, fault] = [(); 2].map(|()| builder.create_block());
    let mut translation = Translation {
        program,
        numbers,
        call,
        config,
        addresses: Addresses { routines, arguments, outputs, memory, allowance },
        homes: Vec::new(),
        workplace: layout.memory,
        left,
        blocks: FxHashMap::default(),
        leave,
        fault,
        truths: FxHashMap::default(),
        wholes: FxHashMap::default(),
        counting,
        builder,
    };
    translation.begin(&layout);
    translation.operations()?;
    translation.end()?;
    translation.builder.seal_all_blocks();
    translation.builder.finalize(config);
    Ok(layout.memory + workplace(program))
}

struct Addresses {
    routines: Operand,
    arguments: Operand,
    outputs: Operand,
    memory: Operand,
    allowance: Operand,
}

/// Where a register is, for the builder.
#[derive(Clone, Copy)]
enum Place {
    Variable(Variable),
    Constant(f64),
    /// Behind the address of the memory, or of the arguments.
    Memory(i32),
    Argument(i32),
}

struct Translation<'a> {
    program: &'a Program,
    builder: FunctionBuilder<'a>,
    numbers: Numbers,
    call: SigRef,
    config: TargetFrontendConfig,
    addresses: Addresses,
    homes: Vec<Place>,
    /// Where calls have arguments and outputs, as a place of the memory.
    workplace: usize,
    /// What is left of the allowance.
    left: Variable,
    /// By the number of an operation that a jump goes to, or that follows one.
    blocks: FxHashMap<u32, Block>,
    leave: Block,
    fault: Block,
    /// Truth values of registers that were computed in the block under way.
    truths: FxHashMap<Register, Operand>,
    /// Whole numbers that were computed in it from such, and how large they are at most.
    wholes: FxHashMap<Register, (Operand, f64)>,
    counting: FxHashMap<Register, Role>,
}

impl Translation<'_> {
    /// Declares registers and fills them: arguments, or what is no number.
    fn begin(&mut self, layout: &Layout) {
        let (inputs, trusted) = (self.program.inputs as usize, MemFlagsData::trusted());
        let nothing = self.builder.ins().f64const(f64::NAN);
        for (register, &home) in layout.homes.iter().enumerate() {
            let behind = 8 * register as i32;
            let argument = |builder: &mut FunctionBuilder, arguments| {
                builder.ins().load(F64, MemFlagsData::trusted(), arguments, behind)
            };
            let place = match home {
                Home::Constant(value) => Place::Constant(value),
                Home::Argument => Place::Argument(behind),
                Home::Memory(at) => {
                    let place = 8 * at as i32;
                    if register < inputs {
                        let value = argument(&mut self.builder, self.addresses.arguments);
                        self.builder.ins().store(trusted, value, self.addresses.memory, place);
                    }
                    Place::Memory(place)
                }
                Home::Variable => {
                    let variable = self.builder.declare_var(F64);
                    let value = match register < inputs {
                        true => argument(&mut self.builder, self.addresses.arguments),
                        false => nothing,
                    };
                    self.builder.def_var(variable, value);
                    Place::Variable(variable)
                }
            };
            self.homes.push(place);
        }
        let left = self.builder.ins().load(I64, trusted, self.addresses.allowance, 0);
        self.builder.def_var(self.left, left);
        for (at, operation) in (1..).zip(&self.program.operations) {
            let target = match operation {
                Operation::Jump(to) | Operation::Unless(_, to) | Operation::When(_, to) => *to,
                Operation::Return => at,
                _ => continue,
            };
            for leader in [target, at] {
                self.blocks.entry(leader).or_insert_with(|| self.builder.create_block());
            }
        }
    }

    fn operations(&mut self) -> Result<(), Unsupported> {
        let mut is_reached = true;
        for (at, operation) in (0..).zip(&self.program.operations) {
            if let Some(&block) = self.blocks.get(&at) {
                if is_reached {
                    self.builder.ins().jump(block, &[]);
                }
                self.switch_to(block);
                is_reached = true;
            }
            if is_reached {
                is_reached = self.operation(at, operation)?;
            }
        }
        // Nothing follows the last operation, which is a return.
        if let Some(&block) = self.blocks.get(&(self.program.operations.len() as u32)) {
            self.switch_to(block);
            self.builder.ins().jump(self.leave, &[]);
        }
        Ok(())
    }

    /// Results to where the caller wants them.
    fn end(&mut self) -> Result<(), Unsupported> {
        self.switch_to(self.leave);
        let trusted = MemFlagsData::trusted();
        for (at, &register) in self.program.outputs.iter().enumerate() {
            let value = self.read(register);
            self.builder.ins().store(trusted, value, self.addresses.outputs, offset(at)?);
        }
        let left = self.builder.use_var(self.left);
        self.builder.ins().store(trusted, left, self.addresses.allowance, 0);
        for (block, outcome) in [(None, 0), (Some(self.fault), 1)] {
            if let Some(block) = block {
                self.builder.switch_to_block(block);
            }
            let outcome = self.builder.ins().iconst(I64, outcome);
            self.builder.ins().return_(&[outcome]);
        }
        Ok(())
    }

    fn switch_to(&mut self, block: Block) {
        self.builder.switch_to_block(block);
        self.truths.clear();
        self.wholes.clear();
    }

    fn read(&mut self, register: Register) -> Operand {
        let trusted = MemFlagsData::trusted();
        match self.homes[register as usize] {
            Place::Variable(variable) => self.builder.use_var(variable),
            Place::Constant(value) => self.builder.ins().f64const(value),
            Place::Memory(place) => self.builder.ins().load(F64, trusted, self.addresses.memory, place),
            Place::Argument(place) => self.builder.ins().load(F64, trusted, self.addresses.arguments, place),
        }
    }

    fn write(&mut self, register: Register, value: Operand) {
        self.truths.remove(&register);
        self.wholes.remove(&register);
        match self.homes[register as usize] {
            Place::Variable(variable) => self.builder.def_var(variable, value),
            Place::Memory(place) => {
                self.builder.ins().store(MemFlagsData::trusted(), value, self.addresses.memory, place);
            }
            // It is that constant already.
            Place::Constant(_) => {}
            Place::Argument(_) => unreachable!("arguments that are written lie in memory"),
        }
    }

    fn write_truth(&mut self, register: Register, truth: Operand) {
        let value = operations::number_of(&mut self.builder, truth);
        self.write(register, value);
        self.truths.insert(register, truth);
    }

    /// Whether a register is not zero.
    fn truth(&mut self, register: Register) -> Operand {
        if let Some(&truth) = self.truths.get(&register) {
            return truth;
        }
        let value = self.read(register);
        operations::is_true(&mut self.builder, value)
    }

    /// Goes on only where this holds.
    fn require(&mut self, truth: Operand) {
        let next = self.builder.create_block();
        self.builder.ins().brif(truth, next, &[], self.fault, &[]);
        self.builder.switch_to_block(next);
    }

    /// Carries out an operation; returns whether the next one follows.
    fn operation(&mut self, at: u32, operation: &Operation) -> Result<bool, Unsupported> {
        match operation {
            Operation::Constant(to, value) => {
                let value = self.builder.ins().f64const(*value);
                self.write(*to, value);
            }
            Operation::Copy(to, a) if self.counting.contains_key(to) => self.copy_of_counter(*to, *a),
            Operation::Copy(to, a) => {
                let (value, truth) = (self.read(*a), self.truths.get(a).copied());
                self.write(*to, value);
                self.truths.extend(truth.map(|truth| (*to, truth)));
            }
            Operation::Negate(to, a) => {
                let a = self.read(*a);
                let value = self.builder.ins().fneg(a);
                self.write(*to, value);
            }
            Operation::Not(to, a) => {
                let a = self.read(*a);
                let truth = operations::is_false(&mut self.builder, a);
                self.write_truth(*to, truth);
            }
            Operation::Arithmetic(operator, to, a, b) => {
                if let Some(&Role::Count(counting)) = self.counting.get(to) {
                    let index = self.builder.use_var(counting.index);
                    let next = self.builder.ins().iadd_imm_s(index, 1);
                    self.builder.def_var(counting.index, next);
                    return Ok(true);
                }
                let (value, whole) = (self.arithmetic(*operator, *a, *b), self.whole_arithmetic(*operator, *a, *b));
                self.write(*to, value);
                self.wholes.extend(whole.map(|whole| (*to, whole)));
            }
            Operation::Relation(operator, to, a, b) => {
                let operands = [self.read(*a), self.read(*b)];
                let truth = operations::relation(&mut self.builder, *operator, operands);
                self.write_truth(*to, truth);
            }
            Operation::One(builtin, to, a) => {
                let a = self.read(*a);
                let value = self.numbers.one(&mut self.builder, *builtin, a)?;
                self.write(*to, value);
            }
            Operation::Two(builtin, to, a, b) => {
                let operands = [self.read(*a), self.read(*b)];
                let value = self.numbers.two(&mut self.builder, *builtin, operands)?;
                self.write(*to, value);
            }
            Operation::Jump(to) => {
                if *to <= at {
                    self.spend(i64::from(at - to + 1));
                }
                self.builder.ins().jump(self.blocks[to], &[]);
                return Ok(false);
            }
            Operation::Unless(a, to) | Operation::When(a, to) => {
                let truth = self.truth(*a);
                let (mut yes, mut no) = (self.blocks[&(at + 1)], self.blocks[to]);
                if matches!(operation, Operation::When(..)) {
                    std::mem::swap(&mut yes, &mut no);
                }
                self.builder.ins().brif(truth, yes, &[], no, &[]);
                return Ok(false);
            }
            Operation::Load(to, element) => {
                let address = self.element(element)?;
                let value = self.builder.ins().load(F64, MemFlagsData::trusted(), address, 0);
                self.write(*to, value);
            }
            Operation::Store(a, element) => {
                let (value, address) = (self.read(*a), self.element(element)?);
                self.builder.ins().store(MemFlagsData::trusted(), value, address, 0);
            }
            Operation::Call(call) => self.call(call)?,
            Operation::Assert(a, _) => {
                let truth = self.truth(*a);
                self.require(truth);
            }
            Operation::Within(to, [count, step, end]) => {
                let truth = match self.counting.get(count) {
                    Some(&Role::Count(counting)) => {
                        let [index, last] = [counting.index, counting.last].map(|it| self.builder.use_var(it));
                        self.builder.ins().icmp(IntCC::SignedLessThanOrEqual, index, last)
                    }
                    _ => self.within(*count, *step, *end),
                };
                self.write_truth(*to, truth);
            }
            Operation::Return => {
                self.builder.ins().jump(self.leave, &[]);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn constant(&self, register: Register) -> Option<f64> {
        match self.homes[register as usize] {
            Place::Constant(value) => Some(value),
            _ => None,
        }
    }

    fn arithmetic(&mut self, operator: ArithmeticOperator, a: Register, b: Register) -> Operand {
        let exponent = self.constant(b).filter(|it| it.trunc() == *it && it.abs() <= 16.0);
        let (a, b) = (self.read(a), self.read(b));
        match (operator, exponent) {
            (ArithmeticOperator::Add, _) => self.builder.ins().fadd(a, b),
            (ArithmeticOperator::Subtract, _) => self.builder.ins().fsub(a, b),
            (ArithmeticOperator::Multiply, _) => self.builder.ins().fmul(a, b),
            (ArithmeticOperator::Divide, _) => self.builder.ins().fdiv(a, b),
            (ArithmeticOperator::Power, Some(exponent)) => {
                operations::whole_power(&mut self.builder, a, exponent as i8)
            }
            (ArithmeticOperator::Power, None) => self.numbers.power(&mut self.builder, a, b),
        }
    }

    /// Whether a range still contains a number.
    fn within(&mut self, count: Register, step: Register, end: Register) -> Operand {
        let known = self.constant(step);
        let (count, step, end) = (self.read(count), self.read(step), self.read(end));
        let mut left = self.builder.ins().fsub(end, count);
        if known != Some(1.0) {
            left = self.builder.ins().fdiv(left, step);
        }
        let (margin, zero) = (self.builder.ins().f64const(1e-10), self.builder.ins().f64const(0.0));
        let left = self.builder.ins().fadd(left, margin);
        let is_left = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, left, zero);
        if known.is_some_and(|step| step != 0.0) {
            return is_left;
        }
        let moves = operations::is_true(&mut self.builder, step);
        self.builder.ins().band(moves, is_left)
    }

    /// A counter begins, where it ends is known, or the body sees it.
    fn copy_of_counter(&mut self, to: Register, a: Register) {
        match self.counting[&to] {
            Role::Count(counting) => {
                let (first, _) = self.whole(a).expect("it begins at a whole number");
                self.builder.def_var(counting.index, first);
            }
            Role::End(counting) => {
                let value = self.read(a);
                let last = self.last_before(value);
                self.builder.def_var(counting.last, last);
                self.write(to, value);
            }
            Role::Slot(counting) => {
                let Some(&Role::Count(Counting { index, .. })) = self.counting.get(&a) else {
                    unreachable!("a slot is a copy of its counter")
                };
                let index = self.builder.use_var(index);
                self.builder.def_var(counting.seen, index);
                let value = self.builder.ins().fcvt_from_sint(F64, index);
                self.write(to, value);
            }
        }
    }

    /// The largest whole number that is within a range up to this end: as the interpreter asks it, `end - count + 1e-10 >= 0`.
    fn last_before(&mut self, end: Operand) -> Operand {
        let (lowest, margin, zero) = (
            self.builder.ins().f64const(-MOST_WHOLE),
            self.builder.ins().f64const(1e-10),
            self.builder.ins().f64const(0.0),
        );
        let is_above = self.builder.ins().fcmp(FloatCC::GreaterThan, end, lowest);
        let bounded = self.builder.ins().select(is_above, end, lowest);
        let nearest = self.builder.ins().nearest(bounded);
        let left = self.builder.ins().fsub(bounded, nearest);
        let left = self.builder.ins().fadd(left, margin);
        let is_within = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, left, zero);
        let whole = self.builder.ins().fcvt_to_sint_sat(I64, nearest);
        let lower = self.builder.ins().iadd_imm_s(whole, -1);
        self.builder.ins().select(is_within, whole, lower)
    }

    /// A register as a whole number where it is one for certain, and how large at most.
    fn whole(&mut self, register: Register) -> Option<(Operand, f64)> {
        if let Some(value) = self.constant(register) {
            let is_whole = value.trunc() == value && value.abs() <= MOST_FIRST;
            return is_whole.then(|| (self.builder.ins().iconst(I64, value as i64), value.abs()));
        }
        if let Some(Role::Slot(counting)) = self.counting.get(&register) {
            // No loop goes further than its allowance.
            return Some((self.builder.use_var(counting.seen), 4.0 * MOST_FIRST));
        }
        self.wholes.get(&register).copied()
    }

    fn whole_arithmetic(&mut self, operator: ArithmeticOperator, a: Register, b: Register) -> Option<(Operand, f64)> {
        let ((a, size_of_a), (b, size_of_b)) = (self.whole(a)?, self.whole(b)?);
        let size = match operator {
            ArithmeticOperator::Add | ArithmeticOperator::Subtract => size_of_a + size_of_b,
            ArithmeticOperator::Multiply => size_of_a * size_of_b,
            ArithmeticOperator::Divide | ArithmeticOperator::Power => return None,
        };
        let is_exact = size <= MOST_WHOLE;
        is_exact.then(|| {
            let ins = self.builder.ins();
            let value = match operator {
                ArithmeticOperator::Add => ins.iadd(a, b),
                ArithmeticOperator::Subtract => ins.isub(a, b),
                _ => ins.imul(a, b),
            };
            (value, size)
        })
    }

    /// The address of an element, after its subscripts were found in bounds.
    fn element(&mut self, element: &Element) -> Result<Operand, Unsupported> {
        let mut index = self.builder.ins().iconst(I64, 0);
        for (&subscript, &size) in element.subscripts.iter().zip(element.sizes.iter()) {
            let whole = match self.whole(subscript) {
                Some((whole, _)) => whole,
                None => self.checked_whole(subscript),
            };
            let from_zero = self.builder.ins().iadd_imm_s(whole, -1);
            let is_inside = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, from_zero, i64::from(size));
            self.require(is_inside);
            index = self.builder.ins().imul_imm_s(index, i64::from(size));
            index = self.builder.ins().iadd(index, from_zero);
        }
        let (base, behind) = match &element.registers {
            Registers::From(first) => match self.homes.get(*first as usize) {
                Some(Place::Memory(place)) => (self.addresses.memory, *place),
                Some(Place::Argument(place)) => (self.addresses.arguments, *place),
                // An array without elements: no subscript is inside.
                _ => (self.addresses.memory, 0),
            },
            Registers::Listed(list) => {
                for (at, &register) in list.iter().enumerate() {
                    let value = self.read(register);
                    let place = offset(self.workplace + at)?;
                    self.builder.ins().store(MemFlagsData::trusted(), value, self.addresses.memory, place);
                }
                (self.addresses.memory, offset(self.workplace)?)
            }
        };
        let distance = self.builder.ins().ishl_imm_u(index, 3);
        let address = self.builder.ins().iadd(base, distance);
        Ok(self.builder.ins().iadd_imm_s(address, i64::from(behind)))
    }

    /// A register as a whole number; goes on only where it is one.
    fn checked_whole(&mut self, register: Register) -> Operand {
        let value = self.read(register);
        let whole = self.builder.ins().fcvt_to_sint_sat(I64, value);
        let back = self.builder.ins().fcvt_from_sint(F64, whole);
        let is_whole = self.builder.ins().fcmp(FloatCC::Equal, back, value);
        self.require(is_whole);
        whole
    }

    /// Takes this from the allowance.
    fn spend(&mut self, operations: i64) {
        let left = self.builder.use_var(self.left);
        let left = self.builder.ins().iadd_imm_s(left, -operations);
        self.builder.def_var(self.left, left);
        let is_left = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, left, 0);
        self.require(is_left);
    }

    /// Runs another function.
    fn call(&mut self, call: &Call) -> Result<(), Unsupported> {
        let (trusted, list) = (MemFlagsData::trusted(), &call.arguments);
        for (at, &argument) in list.iter().enumerate() {
            let value = self.read(argument);
            self.builder.ins().store(trusted, value, self.addresses.memory, offset(self.workplace + at)?);
        }
        let left = self.builder.use_var(self.left);
        self.builder.ins().store(trusted, left, self.addresses.allowance, 0);
        let behind = |at: usize| offset(at).map(i64::from);
        let (arguments, outputs) = (behind(self.workplace)?, behind(self.workplace + list.len())?);
        let arguments = self.builder.ins().iadd_imm_s(self.addresses.memory, arguments);
        let outputs = self.builder.ins().iadd_imm_s(self.addresses.memory, outputs);
        let numbers = [call.function.0, call.level, list.len() as u32, call.outputs];
        let [function, level, argument_count, output_count] =
            numbers.map(|number| self.builder.ins().iconst(I64, i64::from(number)));
        let thunk = self.builder.ins().iconst(self.config.pointer_type(), thunks::address_of_routine() as i64);
        let (routines, allowance) = (self.addresses.routines, self.addresses.allowance);
        let operands = [routines, function, level, arguments, argument_count, outputs, output_count, allowance];
        let outcome = self.builder.ins().call_indirect(self.call, thunk, &operands);
        let outcome = self.builder.inst_results(outcome)[0];
        let is_fine = self.builder.ins().icmp_imm_u(IntCC::Equal, outcome, 0);
        self.require(is_fine);
        let left = self.builder.ins().load(I64, trusted, self.addresses.allowance, 0);
        self.builder.def_var(self.left, left);
        for output in 0..call.outputs {
            let place = offset(self.workplace + list.len() + output as usize)?;
            let value = self.builder.ins().load(F64, trusted, self.addresses.memory, place);
            self.write(call.first + output, value);
        }
        Ok(())
    }
}
