//! Intervals, and functions of time over them with their first two derivatives.
//!
//! Ends are not rounded outwards: what is decided with them, whether a function rises or bends one way on a stretch of time,
//! is wrong at most within rounding of where it changes.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use modeshift_dae::{ArithmeticOperator as Op, Builtin};

/// All numbers from `low` to `high`; all numbers at all where one of them is not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub const ZERO: Interval = Interval { low: 0.0, high: 0.0 };
    const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    pub fn new(low: f64, high: f64) -> Self {
        if low.is_nan() || high.is_nan() { Interval::ALL } else { Interval { low, high } }
    }

    pub fn point(value: f64) -> Self {
        Interval::new(value, value)
    }

    /// Whether all numbers are on one side of zero, or at it.
    pub fn has_a_sign(self) -> bool {
        self.low >= 0.0 || self.high <= 0.0
    }

    fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    fn hull(values: impl IntoIterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (low, high) = (low.min(value), high.max(value));
        }
        Interval::new(low, high)
    }

    fn negated(self) -> Self {
        Interval { low: -self.high, high: -self.low }
    }

    fn plus(self, other: Interval) -> Self {
        Interval::new(self.low + other.low, self.high + other.high)
    }

    /// A bound that is infinite times zero is zero: the factor is as near to zero as one likes, but finite.
    fn times(self, other: Interval) -> Self {
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let ends = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        Interval::hull(ends.map(|(a, b)| product(a, b)))
    }

    fn inverse(self) -> Self {
        match self {
            Interval { low, high } if low > 0.0 || high < 0.0 => Interval::new(1.0 / high, 1.0 / low),
            Interval { low: 0.0, high } if high > 0.0 => Interval::new(1.0 / high, f64::INFINITY),
            Interval { low, high: 0.0 } if low < 0.0 => Interval::new(f64::NEG_INFINITY, 1.0 / low),
            _ => Interval::ALL,
        }
    }

    fn scaled(self, factor: f64) -> Self {
        self.times(Interval::point(factor))
    }

    fn square(self) -> Self {
        let least = if self.contains(0.0) { 0.0 } else { self.low.abs().min(self.high.abs()) };
        let most = self.low.abs().max(self.high.abs());
        Interval::new(least * least, most * most)
    }

    /// Under a function that rises.
    fn rising(self, function: impl Fn(f64) -> f64) -> Self {
        Interval::new(function(self.low), function(self.high))
    }

    fn cosine(self) -> Self {
        // What is not a number is anywhere.
        if self.high - self.low >= TAU || (self.high - self.low).is_nan() {
            return Interval { low: -1.0, high: 1.0 };
        }
        let reaches = |phase: f64| ((self.low - phase) / TAU).ceil() <= ((self.high - phase) / TAU).floor();
        let ends = Interval::hull([self.low.cos(), self.high.cos()]);
        Interval { low: if reaches(PI) { -1.0 } else { ends.low }, high: if reaches(0.0) { 1.0 } else { ends.high } }
    }

    fn sine(self) -> Self {
        self.plus(Interval::point(-FRAC_PI_2)).cosine()
    }

    fn power(self, exponent: f64) -> Self {
        if exponent == 0.0 {
            return Interval::point(1.0);
        }
        if exponent.fract() != 0.0 && self.low < 0.0 {
            return Interval::ALL;
        }
        if exponent < 0.0 {
            return self.power(-exponent).inverse();
        }
        if exponent % 2.0 == 0.0 {
            let size = self.square();
            return size.rising(|it| it.powf(0.5 * exponent));
        }
        self.rising(|it| it.powf(exponent))
    }
}

/// A function of time on a stretch of it: its values, first and second derivatives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub value: Interval,
    pub slope: Interval,
    pub curvature: Interval,
}

impl Stretch {
    pub fn constant(value: f64) -> Self {
        Stretch { value: Interval::point(value), slope: Interval::ZERO, curvature: Interval::ZERO }
    }

    /// Time itself.
    pub fn time(from: f64, to: f64) -> Self {
        Stretch { value: Interval::new(from, to), slope: Interval::point(1.0), curvature: Interval::ZERO }
    }

    pub fn negated(self) -> Self {
        Stretch { value: self.value.negated(), slope: self.slope.negated(), curvature: self.curvature.negated() }
    }

    /// Two functions put together; nothing where that is not known.
    pub fn combined(operator: Op, a: Stretch, b: Stretch) -> Option<Self> {
        Some(match operator {
            Op::Add => a.plus(b),
            Op::Subtract => a.plus(b.negated()),
            Op::Multiply => a.times(b),
            Op::Divide => a.times(b.power(-1.0)),
            Op::Power if b.slope == Interval::ZERO && b.value.low == b.value.high => a.power(b.value.low),
            Op::Power => return None,
        })
    }

    fn plus(self, other: Stretch) -> Self {
        Stretch {
            value: self.value.plus(other.value),
            slope: self.slope.plus(other.slope),
            curvature: self.curvature.plus(other.curvature),
        }
    }

    fn times(self, other: Stretch) -> Self {
        Stretch {
            value: self.value.times(other.value),
            slope: self.slope.times(other.value).plus(self.value.times(other.slope)),
            curvature: self
                .curvature
                .times(other.value)
                .plus(self.slope.times(other.slope).scaled(2.0))
                .plus(self.value.times(other.curvature)),
        }
    }

    fn power(self, exponent: f64) -> Self {
        let slope = self.value.power(exponent - 1.0).scaled(exponent);
        let curvature = self.value.power(exponent - 2.0).scaled(exponent * (exponent - 1.0));
        self.under(self.value.power(exponent), slope, curvature)
    }

    /// Under a function with these values and derivatives, by the chain rule.
    fn under(self, value: Interval, slope: Interval, curvature: Interval) -> Self {
        Stretch {
            value,
            slope: slope.times(self.slope),
            curvature: curvature.times(self.slope.square()).plus(slope.times(self.curvature)),
        }
    }

    /// Under a function that is built in; nothing where it is not known.
    pub fn called(self, function: Builtin) -> Option<Self> {
        let x = self.value;
        let one = Interval::point(1.0);
        Some(match function {
            Builtin::Sin => self.under(x.sine(), x.cosine(), x.sine().negated()),
            Builtin::Cos => self.under(x.cosine(), x.sine().negated(), x.cosine().negated()),
            Builtin::Exp => {
                let value = x.rising(f64::exp);
                self.under(value, value, value)
            }
            Builtin::Log if x.low >= 0.0 => self.under(x.rising(f64::ln), x.inverse(), x.square().inverse().negated()),
            Builtin::Sqrt if x.low >= 0.0 => self.power(0.5),
            Builtin::Tanh => {
                let value = x.rising(f64::tanh);
                let slope = one.plus(value.square().negated());
                self.under(value, slope, value.times(slope).scaled(-2.0))
            }
            Builtin::Sinh => {
                let (value, slope) = (x.rising(f64::sinh), hyperbolic_cosine(x));
                self.under(value, slope, value)
            }
            Builtin::Cosh => {
                let (value, slope) = (hyperbolic_cosine(x), x.rising(f64::sinh));
                self.under(value, slope, value)
            }
            Builtin::Atan => {
                let slope = one.plus(x.square()).inverse();
                self.under(x.rising(f64::atan), slope, x.times(slope.square()).scaled(-2.0))
            }
            Builtin::Asin => {
                let x = Interval::new(x.low.clamp(-1.0, 1.0), x.high.clamp(-1.0, 1.0));
                let slope = one.plus(x.square().negated()).power(0.5).inverse();
                self.under(x.rising(f64::asin), slope, x.times(slope.power(3.0)))
            }
            Builtin::Acos => {
                return self.called(Builtin::Asin).map(|it| it.negated().plus(Stretch::constant(FRAC_PI_2)));
            }
            Builtin::Tan => {
                let (sine, cosine) = (self.called(Builtin::Sin)?, self.called(Builtin::Cos)?);
                sine.times(cosine.power(-1.0))
            }
            Builtin::Abs => {
                let slope = match x {
                    Interval { low, .. } if low >= 0.0 => one,
                    Interval { high, .. } if high <= 0.0 => one.negated(),
                    _ => Interval::new(-1.0, 1.0),
                };
                // Where the sign changes, the slope jumps upwards.
                let curvature = if x.has_a_sign() { Interval::ZERO } else { Interval::new(0.0, f64::INFINITY) };
                self.under(x.square().rising(f64::sqrt), slope, curvature)
            }
            _ => return None,
        })
    }
}

fn hyperbolic_cosine(x: Interval) -> Interval {
    let size = x.square().rising(f64::sqrt);
    size.rising(f64::cosh)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slope and curvature of a function at points of a stretch lie in what was found for the stretch.
    fn check(function: impl Fn(Stretch) -> Stretch, from: f64, to: f64) {
        let whole = function(Stretch::time(from, to));
        for share in 0..=20 {
            let at = from + (to - from) * f64::from(share) / 20.0;
            let here = function(Stretch::time(at, at));
            let parts = [(here.value, whole.value), (here.slope, whole.slope), (here.curvature, whole.curvature)];
            for (here, whole) in parts {
                let slack = 1e-12 * (1.0 + here.low.abs());
                assert!(whole.low - slack <= here.low && here.high <= whole.high + slack, "{here:?} not in {whole:?}");
            }
        }
    }

    #[test]
    fn what_holds_on_a_stretch_holds_at_its_points() {
        for function in [Builtin::Sin, Builtin::Cos, Builtin::Exp, Builtin::Tanh, Builtin::Atan, Builtin::Cosh] {
            check(|time| time.called(function).expect("known"), -1.3, 4.0);
        }
        check(|time| time.called(Builtin::Sqrt).expect("known").called(Builtin::Log).expect("known"), 0.5, 3.0);
        check(|time| time.power(2.0).negated().called(Builtin::Exp).expect("known"), -2.0, 1.0);
    }

    #[test]
    fn a_narrow_pulse_rises_up_to_its_middle() {
        let pulse = |from: f64, to: f64| {
            let shifted = Stretch::combined(Op::Subtract, Stretch::time(from, to), Stretch::constant(5.0));
            let narrow = Stretch::combined(Op::Divide, shifted.expect("known"), Stretch::constant(0.01));
            narrow.expect("known").power(2.0).negated().called(Builtin::Exp).expect("known")
        };
        assert!(pulse(0.0, 5.0).slope.has_a_sign());
        assert!(!pulse(0.0, 5.1).slope.has_a_sign());
    }
}
