//! One piece of a tape as a function in the compiler's intermediate language.
//!
//! The function gets three addresses: of the inputs, of the values that pass from piece to piece, and of the results.
//! Operands from outside are read where they are used; results leave as soon as they are known. A call of a function
//! of the model finds its arguments behind the values between pieces, and leaves its outputs there.

use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, MemFlagsData, SigRef, Signature, Value as Operand, types::F64,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use rustc_hash::FxHashMap;

use super::operations::{self, Numbers};
use super::pieces::{Piece, Place};
use super::{Unsupported, offset, thunks};
use crate::tape::{Call, Instruction, Operation, Tape};

/// The function's parameters: three addresses.
pub(super) fn signature(config: TargetFrontendConfig) -> Signature {
    let mut signature = Signature::new(config.default_call_conv);
    signature.params.extend([AbiParam::new(config.pointer_type()); 3]);
    signature
}

/// Writes the function of a piece; `calls` are those of the tape where they stay, `workplace` is where among the values between
/// pieces they work.
pub(super) fn translate(
    tape: &Tape,
    piece: &Piece,
    (calls, workplace): (&[Call], usize),
    function: &mut Function,
    context: &mut FunctionBuilderContext,
    config: TargetFrontendConfig,
) -> Result<(), Unsupported> {
    function.signature = signature(config);
    let mut builder = FunctionBuilder::new(function, context);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    let &[inputs, between, outputs] = builder.block_params(block) else { unreachable!("three parameters") };
    let numbers = Numbers::new(&mut builder, config);
    let call = builder.import_signature(thunks::signature_of_call(config));
    let mut translation = Translation {
        tape,
        piece,
        builder,
        numbers,
        call,
        calls,
        workplace,
        config,
        addresses: Addresses { inputs, between, outputs },
        values: FxHashMap::default(),
        truths: FxHashMap::default(),
    };
    for index in piece.instructions.clone() {
        translation.instruction(index)?;
    }
    translation.builder.ins().return_(&[]);
    translation.builder.seal_all_blocks();
    translation.builder.finalize(config);
    Ok(())
}

struct Addresses {
    inputs: Operand,
    between: Operand,
    outputs: Operand,
}

struct Translation<'a> {
    tape: &'a Tape,
    piece: &'a Piece,
    builder: FunctionBuilder<'a>,
    numbers: Numbers,
    /// The signature of what carries out a call.
    call: SigRef,
    calls: &'a [Call],
    workplace: usize,
    config: TargetFrontendConfig,
    addresses: Addresses,
    /// Registers computed in this piece.
    values: FxHashMap<u32, Operand>,
    /// Those of them that are truth values, as such.
    truths: FxHashMap<u32, Operand>,
}

impl Translation<'_> {
    fn instruction(&mut self, index: usize) -> Result<(), Unsupported> {
        let register = (self.tape.first_result() + index) as u32;
        let Instruction { operation, a, b, c } = self.tape.instructions[index];
        match operation {
            Operation::Call => self.call(a, register),
            // Its call has left it where it belongs.
            Operation::Output => Ok(()),
            _ => {
                let value = self.value(register, operation, [a, b, c])?;
                self.leave(register, value)
            }
        }
    }

    /// A register is known: it goes where it is needed.
    fn leave(&mut self, register: u32, value: Operand) -> Result<(), Unsupported> {
        self.values.insert(register, value);
        for &place in self.piece.leaving.get(&register).into_iter().flatten() {
            let (address, position) = match place {
                Place::Between(position) => (self.addresses.between, position),
                Place::Output(position) => (self.addresses.outputs, position),
            };
            self.builder.ins().store(MemFlagsData::trusted(), value, address, offset(position as usize)?);
        }
        Ok(())
    }

    /// Carries out a call: arguments into the workplace, outputs from behind them.
    fn call(&mut self, call: u32, first: u32) -> Result<(), Unsupported> {
        let arguments = self.tape.calls[call as usize].arguments.clone();
        for (at, &argument) in arguments.iter().enumerate() {
            let value = self.operand(argument)?;
            let place = offset(self.workplace + at)?;
            self.builder.ins().store(MemFlagsData::trusted(), value, self.addresses.between, place);
        }
        let address = self.config.pointer_type();
        let which = self.builder.ins().iconst(address, &raw const self.calls[call as usize] as i64);
        let workplace = self.builder.ins().iadd_imm_s(self.addresses.between, i64::from(offset(self.workplace)?));
        let thunk = self.builder.ins().iconst(address, thunks::address_of_call() as i64);
        self.builder.ins().call_indirect(self.call, thunk, &[which, workplace]);
        for output in 0..self.tape.calls[call as usize].outputs {
            let place = offset(self.workplace + arguments.len() + output as usize)?;
            let value = self.builder.ins().load(F64, MemFlagsData::trusted(), self.addresses.between, place);
            self.leave(first + output, value)?;
        }
        Ok(())
    }

    fn value(&mut self, register: u32, operation: Operation, [a, b, c]: [u32; 3]) -> Result<Operand, Unsupported> {
        Ok(match operation {
            Operation::Negate => {
                let a = self.operand(a)?;
                self.builder.ins().fneg(a)
            }
            Operation::Add => self.two(a, b, |builder, a, b| builder.ins().fadd(a, b))?,
            Operation::Subtract => self.two(a, b, |builder, a, b| builder.ins().fsub(a, b))?,
            Operation::Multiply => self.two(a, b, |builder, a, b| builder.ins().fmul(a, b))?,
            Operation::Divide => self.two(a, b, |builder, a, b| builder.ins().fdiv(a, b))?,
            Operation::Power => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                self.numbers.power(&mut self.builder, a, b)
            }
            Operation::Whole(exponent) => {
                let a = self.operand(a)?;
                operations::whole_power(&mut self.builder, a, exponent)
            }
            Operation::One(builtin) => {
                let a = self.operand(a)?;
                self.numbers.one(&mut self.builder, builtin, a)?
            }
            Operation::Two(builtin) => {
                let operands = [self.operand(a)?, self.operand(b)?];
                self.numbers.two(&mut self.builder, builtin, operands)?
            }
            Operation::Relation(operator) => {
                let truth = self.two(a, b, |builder, a, b| operations::relation(builder, operator, [a, b]))?;
                self.number_of(register, truth)
            }
            Operation::Not => {
                let a = self.operand(a)?;
                let truth = operations::is_false(&mut self.builder, a);
                self.number_of(register, truth)
            }
            Operation::And => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                let truth = self.builder.ins().band(a, b);
                self.number_of(register, truth)
            }
            Operation::Or => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                let truth = self.builder.ins().bor(a, b);
                self.number_of(register, truth)
            }
            Operation::Select => {
                let (a, b, c) = (self.truth(a)?, self.operand(b)?, self.operand(c)?);
                self.builder.ins().select(a, b, c)
            }
            Operation::Call | Operation::Output => unreachable!("calls have no operands of their own"),
        })
    }

    /// The value of a register: computed here, or read from where it is.
    fn operand(&mut self, register: u32) -> Result<Operand, Unsupported> {
        if let Some(&value) = self.values.get(&register) {
            return Ok(value);
        }
        let position = register as usize;
        let inputs = self.tape.inputs.len();
        if let Some(constant) = position.checked_sub(inputs).and_then(|index| self.tape.constants.get(index)) {
            return Ok(self.builder.ins().f64const(*constant));
        }
        let (address, position) = match position < inputs {
            true => (self.addresses.inputs, register),
            false => (self.addresses.between, self.piece.arriving[&register]),
        };
        Ok(self.builder.ins().load(F64, MemFlagsData::trusted(), address, offset(position as usize)?))
    }

    fn two(
        &mut self,
        a: u32,
        b: u32,
        make: impl FnOnce(&mut FunctionBuilder, Operand, Operand) -> Operand,
    ) -> Result<Operand, Unsupported> {
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        Ok(make(&mut self.builder, a, b))
    }

    /// Whether a register is not zero.
    fn truth(&mut self, register: u32) -> Result<Operand, Unsupported> {
        if let Some(&truth) = self.truths.get(&register) {
            return Ok(truth);
        }
        let value = self.operand(register)?;
        Ok(operations::is_true(&mut self.builder, value))
    }

    /// 1 or 0, with the truth value remembered.
    fn number_of(&mut self, register: u32, truth: Operand) -> Operand {
        self.truths.insert(register, truth);
        operations::number_of(&mut self.builder, truth)
    }
}
