//! What a program computes with: numbers, or numbers with their derivatives along one direction.
//!
//! Derivatives of built-in functions come from the one table of rules ([`Algebra`]). Which branch is taken and which
//! element is meant is decided by values alone.

use std::marker::PhantomData;

use modeshift_dae::{Algebra, ArithmeticOperator, Builtin, Partial, power_by_base, power_by_exponent};

use crate::native::NativeFunction;

/// A number, or a number with derivatives.
pub(crate) trait Number: Copy {
    /// A number with one more derivative. Beyond the third there is none: see [`Number::DEPTH`].
    type Deeper: Number;
    /// How many derivatives it carries.
    const DEPTH: u32;

    /// A constant.
    fn constant(value: f64) -> Self;
    /// Its value.
    fn value(self) -> f64;
    /// Whether it is zero with all its derivatives.
    fn is_zero(self) -> bool;
    /// `-a`
    fn negative(self) -> Self;
    /// `a op b`
    fn arithmetic(operator: ArithmeticOperator, a: Self, b: Self) -> Self;
    /// A built-in function.
    fn builtin(builtin: Builtin, arguments: &[Self]) -> Self;
    /// A function that is not written in Modelica.
    fn native(native: &NativeFunction, arguments: &[Self], outputs: &mut [Self]);
    /// This value with this derivative.
    fn deeper(self, derivative: Self) -> Self::Deeper;
    /// The derivative.
    fn derivative_of(deeper: Self::Deeper) -> Self;
}

impl Number for f64 {
    type Deeper = Dual<f64>;
    const DEPTH: u32 = 0;

    fn constant(value: f64) -> Self {
        value
    }
    fn value(self) -> f64 {
        self
    }
    fn is_zero(self) -> bool {
        self == 0.0
    }
    fn negative(self) -> Self {
        -self
    }
    fn arithmetic(operator: ArithmeticOperator, a: Self, b: Self) -> Self {
        operator.value(a, b)
    }
    fn builtin(builtin: Builtin, arguments: &[Self]) -> Self {
        builtin.value(arguments).unwrap_or(f64::NAN)
    }
    fn native(native: &NativeFunction, arguments: &[Self], outputs: &mut [Self]) {
        native.evaluate(arguments, outputs);
    }
    fn deeper(self, derivative: Self) -> Dual<f64> {
        Dual { value: self, derivative }
    }
    fn derivative_of(deeper: Dual<f64>) -> Self {
        deeper.derivative
    }
}

/// A value and its derivative along one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dual<N> {
    pub value: N,
    pub derivative: N,
}

/// Three levels serve second derivatives in index reduction and their Jacobians.
macro_rules! levels {
    ($($inner:ty => $deeper:ty, $depth:literal, |$value:ident, $derivative:ident| $make:expr, |$of:ident| $take:expr;)*) => {$(
        impl Number for Dual<$inner> {
            type Deeper = $deeper;
            const DEPTH: u32 = $depth;

            fn constant(value: f64) -> Self {
                Dual { value: <$inner>::constant(value), derivative: <$inner>::constant(0.0) }
            }
            fn value(self) -> f64 {
                self.value.value()
            }
            fn is_zero(self) -> bool {
                self.value.is_zero() && self.derivative.is_zero()
            }
            fn negative(self) -> Self {
                Dual { value: self.value.negative(), derivative: self.derivative.negative() }
            }
            fn arithmetic(operator: ArithmeticOperator, a: Self, b: Self) -> Self {
                arithmetic(operator, a, b)
            }
            fn builtin(builtin: Builtin, arguments: &[Self]) -> Self {
                of_builtin(builtin, arguments)
            }
            fn native(native: &NativeFunction, arguments: &[Self], outputs: &mut [Self]) {
                of_native(native, arguments, outputs);
            }
            fn deeper(self, derivative: Self) -> $deeper {
                let ($value, $derivative) = (self, derivative);
                $make
            }
            fn derivative_of($of: $deeper) -> Self {
                $take
            }
        }
    )*};
}

type Second = Dual<Dual<f64>>;
type Third = Dual<Second>;

levels! {
    f64 => Second, 1, |value, derivative| Dual { value, derivative }, |of| of.derivative;
    Dual<f64> => Third, 2, |value, derivative| Dual { value, derivative }, |of| of.derivative;
    // No deeper: what is asked for is not known.
    Second => Third, 3, |value, _derivative| value, |_of| Dual::constant(f64::NAN);
}

/// `a + b` of numbers.
fn sum<N: Number>(a: N, b: N) -> N {
    N::arithmetic(ArithmeticOperator::Add, a, b)
}

fn product<N: Number>(a: N, b: N) -> N {
    N::arithmetic(ArithmeticOperator::Multiply, a, b)
}

fn ratio<N: Number>(a: N, b: N) -> N {
    N::arithmetic(ArithmeticOperator::Divide, a, b)
}

fn arithmetic<N: Number>(operator: ArithmeticOperator, a: Dual<N>, b: Dual<N>) -> Dual<N> {
    use ArithmeticOperator::*;
    let value = N::arithmetic(operator, a.value, b.value);
    let derivative = match operator {
        Add | Subtract => N::arithmetic(operator, a.derivative, b.derivative),
        Multiply => sum(product(a.derivative, b.value), product(a.value, b.derivative)),
        Divide => {
            let numerator = N::arithmetic(Subtract, a.derivative, product(value, b.derivative));
            ratio(numerator, b.value)
        }
        Power => {
            let mut algebra = Numbers(PhantomData);
            let zero = N::constant(0.0);
            let by_base = match a.derivative.is_zero() {
                true => zero,
                false => product(power_by_base(&mut algebra, a.value, b.value), a.derivative),
            };
            match b.derivative.is_zero() {
                true => by_base,
                false => sum(by_base, product(power_by_exponent(&mut algebra, value, a.value), b.derivative)),
            }
        }
    };
    Dual { value, derivative }
}

/// The chain rule; an argument that does not move has no share, whatever the partial derivative by it is.
fn of_builtin<N: Number>(builtin: Builtin, arguments: &[Dual<N>]) -> Dual<N> {
    let values: Vec<N> = arguments.iter().map(|argument| argument.value).collect();
    let value = N::builtin(builtin, &values);
    let mut derivative = N::constant(0.0);
    for at in builtin.differentiated_arguments().unwrap_or(0..0) {
        let inner = arguments[at].derivative;
        if !inner.is_zero() {
            let partial = builtin.partial(&mut Numbers(PhantomData), value, &values, at);
            derivative = sum(derivative, share(partial, inner, &values, at));
        }
    }
    Dual { value, derivative }
}

fn share<N: Number>(partial: Partial<N>, inner: N, values: &[N], at: usize) -> N {
    match partial {
        Partial::NotReal | Partial::Zero => N::constant(0.0),
        Partial::One | Partial::Carried(_) => inner,
        Partial::Factor(factor) => product(factor, inner),
        Partial::Negative(factor) => product(factor, inner).negative(),
        Partial::Divisor(divisor) => ratio(inner, divisor),
        Partial::Ratio(a, b) => ratio(product(a, inner), b),
        Partial::NegativeRatio(a, b) => ratio(product(a, inner), b).negative(),
        Partial::Chosen(operator) => {
            let is_first = operator.holds(values[0].value(), values[1].value());
            if is_first == (at == 0) { inner } else { N::constant(0.0) }
        }
    }
}

fn of_native<N: Number>(native: &NativeFunction, arguments: &[Dual<N>], outputs: &mut [Dual<N>]) {
    let values: Vec<N> = arguments.iter().map(|argument| argument.value).collect();
    let mut column = vec![N::constant(0.0); outputs.len()];
    N::native(native, &values, &mut column);
    for (output, &value) in outputs.iter_mut().zip(&column) {
        *output = Dual { value, derivative: N::constant(0.0) };
    }
    for (by, argument) in arguments.iter().enumerate().filter(|(_, argument)| !argument.derivative.is_zero()) {
        N::native(&native.partial(by), &values, &mut column);
        for (output, &partial) in outputs.iter_mut().zip(&column) {
            output.derivative = sum(output.derivative, product(partial, argument.derivative));
        }
    }
}

/// Numbers as an algebra for the rules.
struct Numbers<N>(PhantomData<N>);

impl<N: Number> Algebra for Numbers<N> {
    type Value = N;

    fn whole(&mut self, number: i32) -> N {
        N::constant(number.into())
    }
    fn number(&mut self, number: f64) -> N {
        N::constant(number)
    }
    fn negative(&mut self, a: N) -> N {
        a.negative()
    }
    fn operation(&mut self, operator: ArithmeticOperator, a: N, b: N) -> N {
        N::arithmetic(operator, a, b)
    }
    fn apply(&mut self, builtin: Builtin, a: N) -> N {
        N::builtin(builtin, &[a])
    }
}
