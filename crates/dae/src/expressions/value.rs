//! Values of built-in functions and operators at numbers: the one place that says what `mod(-3, 2)` is.

use crate::{ArithmeticOperator, Builtin, RelationOperator};

impl ArithmeticOperator {
    /// `a op b`; a power with a small whole exponent is a product, as `x^2` should be.
    #[inline]
    pub fn value(self, a: f64, b: f64) -> f64 {
        match self {
            ArithmeticOperator::Add => a + b,
            ArithmeticOperator::Subtract => a - b,
            ArithmeticOperator::Multiply => a * b,
            ArithmeticOperator::Divide => a / b,
            ArithmeticOperator::Power => power(a, b),
        }
    }
}

fn power(a: f64, b: f64) -> f64 {
    if b == 2.0 {
        a * a
    } else if b.trunc() == b && b.abs() <= 16.0 {
        a.powi(b as i32)
    } else {
        a.powf(b)
    }
}

impl RelationOperator {
    /// Whether `a op b`.
    #[inline]
    pub fn holds(self, a: f64, b: f64) -> bool {
        match self {
            RelationOperator::Less => a < b,
            RelationOperator::LessEqual => a <= b,
            RelationOperator::Greater => a > b,
            RelationOperator::GreaterEqual => a >= b,
            RelationOperator::Equal => a == b,
            RelationOperator::NotEqual => a != b,
        }
    }
}

impl Builtin {
    /// The value at these numbers; `None` for what depends on more than its arguments: events, the past, the
    /// phase of a run. `homotopy` is its first argument.
    pub fn value(self, arguments: &[f64]) -> Option<f64> {
        assert_eq!(arguments.len(), self.arity(), "number of arguments of {}", self.name());
        Some(match (self, arguments) {
            (Builtin::Atan2, &[y, x]) => y.atan2(x),
            (Builtin::Min, &[a, b]) => {
                if a <= b {
                    a
                } else {
                    b
                }
            }
            (Builtin::Max, &[a, b]) => {
                if a >= b {
                    a
                } else {
                    b
                }
            }
            (Builtin::Div, &[a, b]) => (a / b).trunc(),
            (Builtin::Mod, &[a, b]) => a - (a / b).floor() * b,
            (Builtin::Rem, &[a, b]) => a - (a / b).trunc() * b,
            (Builtin::Smooth, &[_, a]) | (Builtin::Homotopy, &[a, _]) => a,
            (_, &[a]) => self.value_of_one(a)?,
            _ => return None,
        })
    }

    fn value_of_one(self, a: f64) -> Option<f64> {
        Some(match self {
            Builtin::Sin => a.sin(),
            Builtin::Cos => a.cos(),
            Builtin::Tan => a.tan(),
            Builtin::Asin => a.asin(),
            Builtin::Acos => a.acos(),
            Builtin::Atan => a.atan(),
            Builtin::Sinh => a.sinh(),
            Builtin::Cosh => a.cosh(),
            Builtin::Tanh => a.tanh(),
            Builtin::Exp => a.exp(),
            Builtin::Log => a.ln(),
            Builtin::Log10 => a.log10(),
            Builtin::Sqrt => a.sqrt(),
            Builtin::Abs => a.abs(),
            Builtin::Sign if a == 0.0 => 0.0,
            Builtin::Sign => a.signum(),
            Builtin::Floor | Builtin::Integer => a.floor(),
            Builtin::Ceil => a.ceil(),
            Builtin::Ordinal | Builtin::NoEvent => a,
            Builtin::Atan2 | Builtin::Min | Builtin::Max | Builtin::Div | Builtin::Mod | Builtin::Rem => return None,
            Builtin::Smooth | Builtin::Homotopy | Builtin::Delay | Builtin::DelayMax => return None,
            Builtin::Initial | Builtin::Terminal | Builtin::Sample => return None,
            Builtin::Edge | Builtin::Change | Builtin::StringOf => return None,
        })
    }

    /// Whether the result is an Integer where the arguments are: those that keep or make whole numbers.
    pub fn gives_integer(self, integer_arguments: bool) -> bool {
        use Builtin::*;
        match self {
            Integer | Ordinal | Sign => true,
            Abs | Min | Max | Div | Mod | Rem | NoEvent | Homotopy | Smooth => integer_arguments,
            Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh | Exp | Log | Log10 | Sqrt => false,
            Floor | Ceil | Initial | Terminal | Sample | Edge | Change | Delay | DelayMax | StringOf => false,
        }
    }
}
