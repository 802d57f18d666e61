//! One piece of a tape as a function in the compiler's intermediate language.
//!
//! The function gets three addresses: of the inputs, of the values that pass from piece to piece, and of the results.
//! Operands from outside are read where they are used; results leave as soon as they are known.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, MemFlagsData, SigRef, Signature, Value as Operand, types::F64,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use modeshift_dae::{Builtin, RelationOperator};
use rustc_hash::FxHashMap;

use super::pieces::{Piece, Place};
use super::thunks;
use crate::tape::{Instruction, Operation, Tape};

/// Something that machine code is not made for; the tape serves.
pub(super) struct Unsupported;

/// The function's parameters: three addresses.
pub(super) fn signature(config: TargetFrontendConfig) -> Signature {
    let mut signature = Signature::new(config.default_call_conv);
    signature.params.extend([AbiParam::new(config.pointer_type()); 3]);
    signature
}

/// Writes the function of a piece.
pub(super) fn translate(
    tape: &Tape,
    piece: &Piece,
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
    let calls = [1, 2].map(|operands| builder.import_signature(of_numbers(operands, config)));
    let mut translation = Translation {
        tape,
        piece,
        builder,
        config,
        addresses: Addresses { inputs, between, outputs },
        calls,
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

fn of_numbers(operands: usize, config: TargetFrontendConfig) -> Signature {
    let mut signature = Signature::new(config.default_call_conv);
    signature.params.extend(vec![AbiParam::new(F64); operands]);
    signature.returns.push(AbiParam::new(F64));
    signature
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
    config: TargetFrontendConfig,
    addresses: Addresses,
    /// Signatures of functions of one and of two numbers.
    calls: [SigRef; 2],
    /// Registers computed in this piece.
    values: FxHashMap<u32, Operand>,
    /// Those of them that are truth values, as such.
    truths: FxHashMap<u32, Operand>,
}

impl Translation<'_> {
    fn instruction(&mut self, index: usize) -> Result<(), Unsupported> {
        let register = (self.tape.first_result() + index) as u32;
        let Instruction { operation, a, b, c } = self.tape.instructions[index];
        let value = self.value(register, operation, [a, b, c])?;
        self.values.insert(register, value);
        for &place in self.piece.leaving.get(&register).into_iter().flatten() {
            let (address, position) = match place {
                Place::Between(position) => (self.addresses.between, position),
                Place::Output(position) => (self.addresses.outputs, position),
            };
            self.builder.ins().store(MemFlagsData::trusted(), value, address, offset(position)?);
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
            Operation::Power => self.call(thunks::address_of_power(), &[a, b])?,
            Operation::Whole(exponent) => self.whole_power(a, exponent)?,
            Operation::One(Builtin::Sqrt) => {
                let a = self.operand(a)?;
                self.builder.ins().sqrt(a)
            }
            Operation::One(Builtin::Abs) => {
                let a = self.operand(a)?;
                self.builder.ins().fabs(a)
            }
            Operation::One(builtin) => self.call(thunks::address_of_one(builtin).ok_or(Unsupported)?, &[a])?,
            Operation::Two(Builtin::Min) => self.smaller_or_larger(FloatCC::LessThanOrEqual, a, b)?,
            Operation::Two(Builtin::Max) => self.smaller_or_larger(FloatCC::GreaterThanOrEqual, a, b)?,
            Operation::Two(builtin) => self.call(thunks::address_of_two(builtin).ok_or(Unsupported)?, &[a, b])?,
            Operation::Relation(operator) => {
                let truth = self.two(a, b, |builder, a, b| builder.ins().fcmp(condition(operator), a, b))?;
                self.number_of(register, truth)
            }
            Operation::Not => {
                let (a, zero) = (self.operand(a)?, self.builder.ins().f64const(0.0));
                let truth = self.builder.ins().fcmp(FloatCC::Equal, a, zero);
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
            Operation::Call | Operation::Output => return Err(Unsupported),
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
        Ok(self.builder.ins().load(F64, MemFlagsData::trusted(), address, offset(position)?))
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
        let (value, zero) = (self.operand(register)?, self.builder.ins().f64const(0.0));
        Ok(self.builder.ins().fcmp(FloatCC::NotEqual, value, zero))
    }

    /// 1 or 0, with the truth value remembered.
    fn number_of(&mut self, register: u32, truth: Operand) -> Operand {
        self.truths.insert(register, truth);
        let (one, zero) = (self.builder.ins().f64const(1.0), self.builder.ins().f64const(0.0));
        self.builder.ins().select(truth, one, zero)
    }

    fn smaller_or_larger(&mut self, condition: FloatCC, a: u32, b: u32) -> Result<Operand, Unsupported> {
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let first = self.builder.ins().fcmp(condition, a, b);
        Ok(self.builder.ins().select(first, a, b))
    }

    /// Products in the order in which `powi` multiplies: by squares, from the lowest binary digit of the exponent on.
    fn whole_power(&mut self, a: u32, exponent: i8) -> Result<Operand, Unsupported> {
        let mut square = self.operand(a)?;
        let mut product = None;
        let mut rest = exponent.unsigned_abs();
        loop {
            if rest & 1 == 1 {
                product = Some(match product {
                    None => square,
                    Some(product) => self.builder.ins().fmul(product, square),
                });
            }
            rest >>= 1;
            if rest == 0 {
                break;
            }
            square = self.builder.ins().fmul(square, square);
        }
        let product = product.ok_or(Unsupported)?;
        if exponent > 0 {
            return Ok(product);
        }
        let one = self.builder.ins().f64const(1.0);
        Ok(self.builder.ins().fdiv(one, product))
    }

    fn call(&mut self, address: usize, operands: &[u32]) -> Result<Operand, Unsupported> {
        let operands = operands.iter().map(|&operand| self.operand(operand)).collect::<Result<Vec<_>, _>>()?;
        let address = self.builder.ins().iconst(self.config.pointer_type(), address as i64);
        let call = self.builder.ins().call_indirect(self.calls[operands.len() - 1], address, &operands);
        Ok(self.builder.inst_results(call)[0])
    }
}

/// Bytes from the beginning of a list of numbers.
fn offset(position: u32) -> Result<i32, Unsupported> {
    i32::try_from(8 * u64::from(position)).map_err(|_| Unsupported)
}

fn condition(operator: RelationOperator) -> FloatCC {
    match operator {
        RelationOperator::Less => FloatCC::LessThan,
        RelationOperator::LessEqual => FloatCC::LessThanOrEqual,
        RelationOperator::Greater => FloatCC::GreaterThan,
        RelationOperator::GreaterEqual => FloatCC::GreaterThanOrEqual,
        RelationOperator::Equal => FloatCC::Equal,
        RelationOperator::NotEqual => FloatCC::NotEqual,
    }
}
