//! Rules of differentiation: the derivative of every built-in function, once, for expressions and for tapes.
//!
//! A rule is written over an [`Algebra`], in which expressions build nodes and tapes build instructions. The matches
//! are exhaustive, so a new built-in function has no rule until one is written here.

use super::arena::{ArithmeticOperator as Op, Builtin, RelationOperator};

/// What rules are written in.
pub trait Algebra {
    /// A value that can be computed with.
    type Value: Copy;
    /// A whole number.
    fn whole(&mut self, number: i32) -> Self::Value;
    /// A real number.
    fn number(&mut self, number: f64) -> Self::Value;
    /// `-a`
    fn negative(&mut self, a: Self::Value) -> Self::Value;
    /// `a op b`
    fn operation(&mut self, operator: Op, a: Self::Value, b: Self::Value) -> Self::Value;
    /// `f(a)`
    fn apply(&mut self, builtin: Builtin, a: Self::Value) -> Self::Value;
}

/// The partial derivative of a built-in function by one of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partial<V> {
    /// There is none: the function is no Real.
    NotReal,
    /// Zero: the function is constant between events, or does not depend on this argument.
    Zero,
    /// One.
    One,
    /// This factor.
    Factor(V),
    /// Minus this factor.
    Negative(V),
    /// One over this divisor.
    Divisor(V),
    /// The first over the second.
    Ratio(V, V),
    /// Minus the first over the second.
    NegativeRatio(V, V),
    /// One or zero: the function is its first argument where this relation holds between the two, else the second.
    Chosen(RelationOperator),
    /// The function says something about its argument, and the same has to be said about the derivative.
    Carried(Carrier),
}

/// Functions that say something about their argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Carrier {
    NoEvent,
    Smooth,
    Homotopy,
    Delay,
}

impl Builtin {
    /// The partial derivative of `value`, which is this function of `arguments`, by the argument at a position.
    pub fn partial<A: Algebra>(
        self,
        algebra: &mut A,
        value: A::Value,
        arguments: &[A::Value],
        position: usize,
    ) -> Partial<A::Value> {
        use Builtin::*;
        let a = arguments[position];
        match self {
            Sin => Partial::Factor(algebra.apply(Cos, a)),
            Cos => {
                let sine = algebra.apply(Sin, a);
                Partial::Factor(algebra.negative(sine))
            }
            Tan => {
                let (one, square) = (algebra.whole(1), square(algebra, value));
                Partial::Factor(algebra.operation(Op::Add, one, square))
            }
            Tanh => {
                let (one, square) = (algebra.whole(1), square(algebra, value));
                Partial::Factor(algebra.operation(Op::Subtract, one, square))
            }
            Asin => Partial::Divisor(root_of_one_minus_square(algebra, a)),
            Acos => {
                let root = root_of_one_minus_square(algebra, a);
                Partial::Divisor(algebra.negative(root))
            }
            Atan => {
                let (one, square) = (algebra.whole(1), square(algebra, a));
                Partial::Divisor(algebra.operation(Op::Add, one, square))
            }
            Atan2 => {
                let (y, x) = (arguments[0], arguments[1]);
                let (x2, y2) = (square(algebra, x), square(algebra, y));
                let size = algebra.operation(Op::Add, x2, y2);
                if position == 0 { Partial::Ratio(x, size) } else { Partial::NegativeRatio(y, size) }
            }
            Sinh => Partial::Factor(algebra.apply(Cosh, a)),
            Cosh => Partial::Factor(algebra.apply(Sinh, a)),
            Exp => Partial::Factor(value),
            Log => Partial::Divisor(a),
            Log10 => {
                let ten = algebra.number(std::f64::consts::LN_10);
                Partial::Divisor(algebra.operation(Op::Multiply, ten, a))
            }
            Sqrt => {
                let two = algebra.whole(2);
                Partial::Divisor(algebra.operation(Op::Multiply, two, value))
            }
            Abs => Partial::Factor(algebra.apply(Sign, a)),
            Min => Partial::Chosen(RelationOperator::LessEqual),
            Max => Partial::Chosen(RelationOperator::GreaterEqual),
            Mod | Rem if position == 0 => Partial::One,
            // `mod(x, y) = x - n*y` with an `n` that is constant between events.
            Mod | Rem => {
                let multiple = algebra.operation(Op::Subtract, arguments[0], value);
                Partial::Negative(algebra.operation(Op::Divide, multiple, a))
            }
            Sign | Floor | Ceil | Integer | Ordinal | Div => Partial::Zero,
            NoEvent => Partial::Carried(Carrier::NoEvent),
            Smooth => Partial::Carried(Carrier::Smooth),
            Homotopy => Partial::Carried(Carrier::Homotopy),
            Delay | DelayMax => Partial::Carried(Carrier::Delay),
            Initial | Terminal | Sample | Edge | Change | StringOf => Partial::NotReal,
        }
    }

    /// The positions of the arguments whose derivatives the derivative depends on; `None` if the function is no Real.
    pub fn differentiated_arguments(self) -> Option<std::ops::Range<usize>> {
        use Builtin::*;
        match self {
            Sign | Floor | Ceil | Integer | Ordinal | Div => Some(0..0),
            Smooth => Some(1..2),
            Delay | DelayMax => Some(0..2),
            Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Exp | Log | Log10 | Sqrt | Abs | NoEvent => {
                Some(0..1)
            }
            Atan2 | Min | Max | Mod | Rem | Homotopy => Some(0..2),
            Initial | Terminal | Sample | Edge | Change | StringOf => None,
        }
    }
}

/// `b*a^(b-1)`: the partial derivative of a power by its base.
pub fn power_by_base<A: Algebra>(algebra: &mut A, base: A::Value, exponent: A::Value) -> A::Value {
    let one = algebra.whole(1);
    let lower = algebra.operation(Op::Subtract, exponent, one);
    let power = algebra.operation(Op::Power, base, lower);
    algebra.operation(Op::Multiply, exponent, power)
}

/// `a^b*log(a)`: the partial derivative of a power by its exponent.
pub fn power_by_exponent<A: Algebra>(algebra: &mut A, power: A::Value, base: A::Value) -> A::Value {
    let logarithm = algebra.apply(Builtin::Log, base);
    algebra.operation(Op::Multiply, power, logarithm)
}

fn square<A: Algebra>(algebra: &mut A, a: A::Value) -> A::Value {
    let two = algebra.whole(2);
    algebra.operation(Op::Power, a, two)
}

fn root_of_one_minus_square<A: Algebra>(algebra: &mut A, a: A::Value) -> A::Value {
    let (one, square) = (algebra.whole(1), square(algebra, a));
    let difference = algebra.operation(Op::Subtract, one, square);
    algebra.apply(Builtin::Sqrt, difference)
}
