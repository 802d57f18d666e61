//! Sums of products of powers, exponentials and sinusoids of time: `t^k e^(r t) (c cos(w t) + s sin(w t))`.
//!
//! They are closed under sums and products, and their derivatives are of the same kind.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeTerm {
    /// The power of time.
    pub power: u32,
    /// The rate of the exponential.
    pub rate: f64,
    /// The angular frequency, which is not negative.
    pub frequency: f64,
    pub cosine: f64,
    /// Zero where the frequency is.
    pub sine: f64,
}

/// Higher powers are not looked at: what is multiplied so often is no source of a converter.
const HIGHEST_POWER: u32 = 8;

impl TimeTerm {
    pub fn constant(value: f64) -> Self {
        TimeTerm { power: 0, rate: 0.0, frequency: 0.0, cosine: value, sine: 0.0 }
    }

    pub fn time() -> Self {
        TimeTerm { power: 1, ..TimeTerm::constant(1.0) }
    }

    /// `e^(a + r t)`
    pub fn exponential(a: f64, rate: f64) -> Self {
        TimeTerm { rate, ..TimeTerm::constant(a.exp()) }
    }

    /// `cos(a + w t)`
    pub fn cosine(a: f64, frequency: f64) -> Self {
        let sine = if frequency < 0.0 { a.sin() } else { -a.sin() };
        TimeTerm { frequency: frequency.abs(), sine, ..TimeTerm::constant(a.cos()) }.normal()
    }

    /// `sin(a + w t)`
    pub fn sine(a: f64, frequency: f64) -> Self {
        let sine = if frequency < 0.0 { -a.cos() } else { a.cos() };
        TimeTerm { frequency: frequency.abs(), sine, ..TimeTerm::constant(a.sin()) }.normal()
    }

    fn normal(self) -> Self {
        if self.frequency == 0.0 { TimeTerm { frequency: 0.0, sine: 0.0, ..self } } else { self }
    }

    pub fn is_constant(&self) -> bool {
        self.power == 0 && self.rate == 0.0 && self.frequency == 0.0
    }

    pub fn scaled(self, factor: f64) -> Self {
        TimeTerm { cosine: factor * self.cosine, sine: factor * self.sine, ..self }
    }

    /// Terms that differ in their factors only can be added.
    pub fn is_like(&self, other: &TimeTerm) -> bool {
        (self.power, self.rate, self.frequency) == (other.power, other.rate, other.frequency)
    }

    fn is_nothing(&self) -> bool {
        self.cosine == 0.0 && self.sine == 0.0
    }
}

/// Adds a term to a sum.
pub(super) fn add(sum: &mut Vec<TimeTerm>, term: TimeTerm) {
    match sum.iter().position(|it| it.is_like(&term)) {
        Some(place) => {
            sum[place].cosine += term.cosine;
            sum[place].sine += term.sine;
            if sum[place].is_nothing() {
                sum.remove(place);
            }
        }
        None if term.is_nothing() => {}
        None => sum.push(term),
    }
}

/// The product of two sums; nothing where the powers are too high.
pub(super) fn product(a: &[TimeTerm], b: &[TimeTerm]) -> Option<Vec<TimeTerm>> {
    let mut sum = Vec::new();
    for a in a {
        for b in b {
            let power = a.power + b.power;
            if power > HIGHEST_POWER {
                return None;
            }
            for term in waves(a, b) {
                add(&mut sum, TimeTerm { power, rate: a.rate + b.rate, ..term }.normal());
            }
        }
    }
    Some(sum)
}

/// The product of two sinusoids: one of the difference of their frequencies, and one of the sum.
fn waves(a: &TimeTerm, b: &TimeTerm) -> [TimeTerm; 2] {
    let (cc, ss) = (0.5 * a.cosine * b.cosine, 0.5 * a.sine * b.sine);
    let (cs, sc) = (0.5 * a.cosine * b.sine, 0.5 * a.sine * b.cosine);
    let difference = a.frequency - b.frequency;
    let sign = if difference < 0.0 { -1.0 } else { 1.0 };
    let of = |frequency: f64, cosine: f64, sine: f64| TimeTerm { frequency, sine, ..TimeTerm::constant(cosine) };
    [of(difference.abs(), cc + ss, sign * (sc - cs)), of(a.frequency + b.frequency, cc - ss, sc + cs)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(terms: &[TimeTerm], time: f64) -> f64 {
        let of = |it: &TimeTerm| {
            let wave = it.cosine * (it.frequency * time).cos() + it.sine * (it.frequency * time).sin();
            time.powi(it.power as i32) * (it.rate * time).exp() * wave
        };
        terms.iter().map(of).sum()
    }

    #[test]
    fn products_are_the_products_of_values() {
        let a = [TimeTerm::sine(0.3, 2.0), TimeTerm::time().scaled(0.5), TimeTerm::constant(-1.0)];
        let b = [TimeTerm::cosine(-0.2, -5.0), TimeTerm::exponential(0.1, -0.7), TimeTerm::sine(1.0, 2.0)];
        let both = product(&a, &b).expect("powers are low");
        for time in [0.0, 0.4, 1.7, -2.5] {
            let (found, expected) = (value(&both, time), value(&a, time) * value(&b, time));
            assert!((found - expected).abs() <= 1e-14 * (1.0 + expected.abs()), "{found}, not {expected}");
        }
    }

    #[test]
    fn equal_terms_with_opposite_factors_leave_nothing() {
        let mut sum = vec![TimeTerm::sine(0.0, 3.0)];
        add(&mut sum, TimeTerm::sine(0.0, 3.0).scaled(-1.0));
        assert!(sum.is_empty(), "{sum:?}");
    }
}
