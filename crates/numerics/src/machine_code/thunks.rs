//! Functions that machine code calls: the very ones that the tape calls, so that results are the same to the last bit.

use modeshift_dae::{ArithmeticOperator, Builtin};

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
    exp Exp, log Log, log10 Log10, sign Sign, floor Floor, integer Integer, ceil Ceil, ordinal Ordinal, no_event NoEvent,
}

of_two! { atan2 Atan2, div Div, modulo Mod, rem Rem, }

extern "C" fn power(a: f64, b: f64) -> f64 {
    ArithmeticOperator::Power.value(a, b)
}

/// The address of the function for powers.
pub(super) fn address_of_power() -> usize {
    power as *const () as usize
}
