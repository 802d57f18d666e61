//! Intervals, and functions of time over them with their first two derivatives.
//!
//! Truths are numbers here as elsewhere: 0 and 1, and what is not known is all between.
//!
//! Ends are not rounded outwards: what is decided with them, whether a function rises or bends one way on a stretch of time,
//! is wrong at most within rounding of where it changes.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use modeshift_dae::{ArithmeticOperator as Op, Builtin};

/// All numbers from `low` to `high`; all numbers at all where one of them is not a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub const ZERO: Interval = Interval { low: 0.0, high: 0.0 };
    pub const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

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

    /// What is in both; where rounding has left nothing, what is between them.
    pub fn and_in(self, other: Interval) -> Self {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        Interval { low: low.min(high), high: low.max(high) }
    }

    /// What is in one of them, and between them.
    pub fn or_in(self, other: Interval) -> Self {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// The same, with so many times its width more on both sides.
    pub fn widened(self, times: f64) -> Self {
        let more = times * self.width();
        Interval::new(self.low - more, self.high + more)
    }

    /// Whether all of the other one is in it.
    pub fn has(self, other: Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    pub fn hull(values: impl IntoIterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (low, high) = (low.min(value), high.max(value));
        }
        Interval::new(low, high)
    }

    fn negated(self) -> Self {
        Interval { low: -self.high, high: -self.low }
    }

    pub fn plus(self, other: Interval) -> Self {
        Interval::new(self.low + other.low, self.high + other.high)
    }

    /// A bound that is infinite times zero is zero: the factor is as near to zero as one likes, but finite.
    pub fn times(self, other: Interval) -> Self {
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
        match exponent {
            0.0 => return Interval::point(1.0),
            1.0 => return self,
            2.0 => return self.square(),
            _ => {}
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
#[derive(Clone, Copy, Debug, Default)]
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

    pub fn power(self, exponent: f64) -> Self {
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
            Builtin::Sin => {
                let sine = x.sine();
                self.under(sine, x.cosine(), sine.negated())
            }
            Builtin::Cos => {
                let cosine = x.cosine();
                self.under(cosine, x.sine().negated(), cosine.negated())
            }
            Builtin::Exp => {
                let value = x.rising(f64::exp);
                self.under(value, value, value)
            }
            Builtin::Log if x.low >= 0.0 => self.under(x.rising(f64::ln), x.inverse(), x.square().inverse().negated()),
            Builtin::Log10 => self.called(Builtin::Log)?.times(Stretch::constant(std::f64::consts::LN_10).power(-1.0)),
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

impl Stretch {
    /// The larger one. Where the other takes over, the slope jumps upwards.
    pub fn larger(self, other: Stretch) -> Self {
        if self.value.low >= other.value.high {
            return self;
        }
        if other.value.low >= self.value.high {
            return other;
        }
        let low = self.curvature.low.min(other.curvature.low);
        Stretch {
            value: Interval::new(self.value.low.max(other.value.low), self.value.high.max(other.value.high)),
            slope: self.slope.or_in(other.slope),
            curvature: Interval { low, high: f64::INFINITY },
        }
    }

    /// The same with values that are wrong by a share of their size.
    pub fn blurred(self, share: f64) -> Self {
        let Interval { low, high } = self.value;
        Stretch { value: Interval::new(low - share * low.abs(), high + share * high.abs()), ..self }
    }

    /// The same, as what is known of its middle and of its bending says: the stretch is twice `radius` long, in the middle
    /// of which it is `middle`.
    pub fn around(self, middle: Stretch, radius: f64) -> Self {
        let both = Interval { low: -radius, high: radius };
        let bend = self.curvature.times(Interval { low: 0.0, high: 0.5 * radius * radius });
        Stretch {
            value: self.value.and_in(middle.value.plus(middle.slope.times(both)).plus(bend)),
            slope: self.slope.and_in(middle.slope.plus(self.curvature.times(both))),
            curvature: self.curvature,
        }
    }
}

/// What functions can be evaluated with: bounds of values alone, or of derivatives too.
pub(crate) trait Bound: Copy {
    /// What stands still.
    fn constant(value: f64) -> Self;
    /// What is anywhere in between, and may jump.
    fn between(values: Interval) -> Self;
    fn values(self) -> Interval;
    fn negated(self) -> Self;
    fn squared(self) -> Self;
    fn larger(self, other: Self) -> Self;
    /// Nothing where that is not known.
    fn combined(operator: Op, a: Self, b: Self) -> Option<Self>;
    /// Nothing where that is not known.
    fn called(self, function: Builtin) -> Option<Self>;

    fn smaller(self, other: Self) -> Self {
        self.negated().larger(other.negated()).negated()
    }

    /// One or the other, as a truth says. Where it may change, what is chosen may jump.
    fn chosen(condition: Self, one: Self, other: Self) -> Self {
        match condition.values() {
            Interval { low: 1.0, .. } => one,
            Interval { high: 0.0, .. } => other,
            _ => Self::between(one.values().or_in(other.values())),
        }
    }
}

impl Bound for Stretch {
    fn constant(value: f64) -> Self {
        Stretch::constant(value)
    }

    fn between(values: Interval) -> Self {
        Stretch { value: values, slope: Interval::ALL, curvature: Interval::ALL }
    }

    fn values(self) -> Interval {
        self.value
    }

    fn negated(self) -> Self {
        Stretch::negated(self)
    }

    fn squared(self) -> Self {
        self.power(2.0)
    }

    fn larger(self, other: Self) -> Self {
        Stretch::larger(self, other)
    }

    fn combined(operator: Op, a: Self, b: Self) -> Option<Self> {
        Stretch::combined(operator, a, b)
    }

    fn called(self, function: Builtin) -> Option<Self> {
        Stretch::called(self, function)
    }
}

impl Bound for Interval {
    fn constant(value: f64) -> Self {
        Interval::point(value)
    }

    fn between(values: Interval) -> Self {
        values
    }

    fn values(self) -> Interval {
        self
    }

    fn negated(self) -> Self {
        Interval::negated(self)
    }

    fn squared(self) -> Self {
        self.square()
    }

    fn larger(self, other: Self) -> Self {
        Interval::new(self.low.max(other.low), self.high.max(other.high))
    }

    fn combined(operator: Op, a: Self, b: Self) -> Option<Self> {
        Some(match operator {
            Op::Add => a.plus(b),
            Op::Subtract => a.plus(b.negated()),
            Op::Multiply => a.times(b),
            Op::Divide => a.times(b.inverse()),
            Op::Power if b.low == b.high => a.power(b.low),
            Op::Power => return None,
        })
    }

    fn called(self, function: Builtin) -> Option<Self> {
        Some(match function {
            Builtin::Sin => self.sine(),
            Builtin::Cos => self.cosine(),
            Builtin::Exp => self.rising(f64::exp),
            Builtin::Abs => self.square().rising(f64::sqrt),
            _ => Stretch { value: self, slope: Interval::ZERO, curvature: Interval::ZERO }.called(function)?.value,
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
    fn the_larger_and_the_smaller_hold_at_their_points() {
        let sine = |time: Stretch| time.called(Builtin::Sin).expect("known");
        check(|time| time.larger(sine(time)), -2.0, 3.0);
        check(|time| sine(time).smaller(Stretch::constant(0.3)), -2.0, 3.0);
    }

    #[test]
    fn the_middle_and_its_bending_bound_more_tightly() {
        // The sum of squares of sine and cosine is 1 all the way, which values alone do not tell.
        let circle = |time: Stretch| {
            let [sine, cosine] = [Builtin::Sin, Builtin::Cos].map(|it| time.called(it).expect("known").power(2.0));
            sine.plus(cosine)
        };
        let (whole, middle) = (circle(Stretch::time(0.4, 0.6)), circle(Stretch::time(0.5, 0.5)));
        let tight = whole.around(middle, 0.1);
        assert!(whole.value.high - whole.value.low > 0.3, "{whole:?}");
        assert!(tight.value.low > 0.97 && tight.value.high < 1.03 && tight.value.contains(1.0), "{tight:?}");
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
