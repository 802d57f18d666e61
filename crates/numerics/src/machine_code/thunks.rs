//! Functions that machine code calls: the very ones that the tape calls, so that results are the same to the last bit.

use cranelift_codegen::ir::{AbiParam, Signature, types::I64};
use cranelift_codegen::isa::TargetFrontendConfig;
use modeshift_dae::{ArithmeticOperator, Builtin};

use super::{carry_out, run_routine};

/// Builtins of one number, each as a function that machine code can call, and the table of their addresses.
macro_rules! of_one {
    ($($name:ident $builtin:ident,)*) => {
        $(extern "C" fn $name(a: f64) -> f64 {
            Builtin::$builtin.value(&[a]).unwrap_or(f64::NAN)
        })*

        /// The address of the function for a builtin of one number.
        pub(super) fn address_of_one(builtin: Builtin) -> Option<usize> {
            match builtin {
                $(Builtin::$builtin => Some($name as *const () as usize),)*
                _ => None,
            }
        }
    };
}

/// The same for builtins of two numbers.
macro_rules! of_two {
    ($($name:ident $builtin:ident,)*) => {
        $(extern "C" fn $name(a: f64, b: f64) -> f64 {
            Builtin::$builtin.value(&[a, b]).unwrap_or(f64::NAN)
        })*

        /// The address of the function for a builtin of two numbers.
        pub(super) fn address_of_two(builtin: Builtin) -> Option<usize> {
            match builtin {
                $(Builtin::$builtin => Some($name as *const () as usize),)*
                _ => None,
            }
        }
    };
}

of_one! {
    sin Sin, cos Cos, tan Tan, asin Asin, acos Acos, atan Atan, sinh Sinh, cosh Cosh, tanh Tanh,
    exp Exp, log Log, log10 Log10, sign Sign,
}

of_two! { atan2 Atan2, }

extern "C" fn power(a: f64, b: f64) -> f64 {
    ArithmeticOperator::Power.value(a, b)
}

/// The address of the function for powers.
pub(super) fn address_of_power() -> usize {
    power as *const () as usize
}

/// The address of what carries out a call of a tape.
pub(super) fn address_of_call() -> usize {
    carry_out as *const () as usize
}

/// The call, and where its arguments are.
pub(super) fn signature_of_call(config: TargetFrontendConfig) -> Signature {
    let mut signature = Signature::new(config.default_call_conv);
    signature.params.extend([AbiParam::new(config.pointer_type()); 2]);
    signature
}

/// The address of what runs a function that a function calls.
pub(super) fn address_of_routine() -> usize {
    run_routine as *const () as usize
}

/// All functions; which one, and how often differentiated; arguments and how many; outputs and how many; the allowance. Whether it
/// cannot go on.
pub(super) fn signature_of_routine(config: TargetFrontendConfig) -> Signature {
    let (address, count) = (AbiParam::new(config.pointer_type()), AbiParam::new(I64));
    let mut signature = Signature::new(config.default_call_conv);
    signature.params.extend([address, count, count, address, count, address, count, address]);
    signature.returns.push(count);
    signature
}
