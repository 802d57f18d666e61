//! Single operations on numbers in the compiler's intermediate language, as the tape and the interpreter of bodies carry them out.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{AbiParam, InstBuilder, SigRef, Signature, Type, Value as Operand, types::F64};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;
use modeshift_dae::{Builtin, RelationOperator};

use super::Unsupported;
use super::thunks;

/// What operations need that are calls of functions outside.
pub(super) struct Numbers {
    /// Signatures of functions of one and of two numbers.
    calls: [SigRef; 2],
    address: Type,
}

impl Numbers {
    pub fn new(builder: &mut FunctionBuilder, config: TargetFrontendConfig) -> Self {
        let calls = [1, 2].map(|operands| builder.import_signature(of_numbers(operands, config)));
        Numbers { calls, address: config.pointer_type() }
    }

    /// `a ^ b`
    pub fn power(&self, builder: &mut FunctionBuilder, a: Operand, b: Operand) -> Operand {
        self.call(builder, thunks::address_of_power(), &[a, b])
    }

    /// A built-in function of one number.
    pub fn one(&self, builder: &mut FunctionBuilder, builtin: Builtin, a: Operand) -> Result<Operand, Unsupported> {
        Ok(match builtin {
            Builtin::Sqrt => builder.ins().sqrt(a),
            Builtin::Abs => builder.ins().fabs(a),
            Builtin::Floor | Builtin::Integer => builder.ins().floor(a),
            Builtin::Ceil => builder.ins().ceil(a),
            Builtin::Ordinal | Builtin::NoEvent => a,
            _ => self.call(builder, thunks::address_of_one(builtin).ok_or(Unsupported)?, &[a]),
        })
    }

    /// A built-in function of two numbers.
    pub fn two(
        &self,
        builder: &mut FunctionBuilder,
        builtin: Builtin,
        [a, b]: [Operand; 2],
    ) -> Result<Operand, Unsupported> {
        Ok(match builtin {
            Builtin::Min => first_if(builder, FloatCC::LessThanOrEqual, a, b),
            Builtin::Max => first_if(builder, FloatCC::GreaterThanOrEqual, a, b),
            Builtin::Div | Builtin::Mod | Builtin::Rem => {
                let ratio = builder.ins().fdiv(a, b);
                let whole = match builtin {
                    Builtin::Mod => builder.ins().floor(ratio),
                    _ => builder.ins().trunc(ratio),
                };
                if builtin == Builtin::Div {
                    return Ok(whole);
                }
                let multiple = builder.ins().fmul(whole, b);
                builder.ins().fsub(a, multiple)
            }
            _ => self.call(builder, thunks::address_of_two(builtin).ok_or(Unsupported)?, &[a, b]),
        })
    }

    fn call(&self, builder: &mut FunctionBuilder, address: usize, operands: &[Operand]) -> Operand {
        let address = builder.ins().iconst(self.address, address as i64);
        let call = builder.ins().call_indirect(self.calls[operands.len() - 1], address, operands);
        builder.inst_results(call)[0]
    }
}

fn of_numbers(operands: usize, config: TargetFrontendConfig) -> Signature {
    let mut signature = Signature::new(config.default_call_conv);
    signature.params.extend(vec![AbiParam::new(F64); operands]);
    signature.returns.push(AbiParam::new(F64));
    signature
}

fn first_if(builder: &mut FunctionBuilder, condition: FloatCC, a: Operand, b: Operand) -> Operand {
    let first = builder.ins().fcmp(condition, a, b);
    builder.ins().select(first, a, b)
}

/// Whether `a op b`.
pub(super) fn relation(builder: &mut FunctionBuilder, operator: RelationOperator, [a, b]: [Operand; 2]) -> Operand {
    let condition = match operator {
        RelationOperator::Less => FloatCC::LessThan,
        RelationOperator::LessEqual => FloatCC::LessThanOrEqual,
        RelationOperator::Greater => FloatCC::GreaterThan,
        RelationOperator::GreaterEqual => FloatCC::GreaterThanOrEqual,
        RelationOperator::Equal => FloatCC::Equal,
        RelationOperator::NotEqual => FloatCC::NotEqual,
    };
    builder.ins().fcmp(condition, a, b)
}

/// Whether a number is not zero.
pub(super) fn is_true(builder: &mut FunctionBuilder, a: Operand) -> Operand {
    let zero = builder.ins().f64const(0.0);
    builder.ins().fcmp(FloatCC::NotEqual, a, zero)
}

/// Whether a number is zero.
pub(super) fn is_false(builder: &mut FunctionBuilder, a: Operand) -> Operand {
    let zero = builder.ins().f64const(0.0);
    builder.ins().fcmp(FloatCC::Equal, a, zero)
}

/// 1 or 0.
pub(super) fn number_of(builder: &mut FunctionBuilder, truth: Operand) -> Operand {
    let (one, zero) = (builder.ins().f64const(1.0), builder.ins().f64const(0.0));
    builder.ins().select(truth, one, zero)
}

/// Products in the order in which `powi` multiplies: by squares, from the lowest binary digit of the exponent on.
pub(super) fn whole_power(builder: &mut FunctionBuilder, a: Operand, exponent: i8) -> Operand {
    let (mut square, mut product, mut rest) = (a, None, exponent.unsigned_abs());
    while rest > 0 {
        if rest & 1 == 1 {
            product = Some(match product {
                None => square,
                Some(product) => builder.ins().fmul(product, square),
            });
        }
        rest >>= 1;
        if rest > 0 {
            square = builder.ins().fmul(square, square);
        }
    }
    match product {
        Some(product) if exponent > 0 => product,
        Some(product) => {
            let one = builder.ins().f64const(1.0);
            builder.ins().fdiv(one, product)
        }
        None => builder.ins().f64const(1.0),
    }
}
