//! Round numbers on axes, and how they are written.

/// The marks of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ticks {
    /// Where they are.
    pub(super) values: Vec<f64>,
    /// Labels are to be multiplied by this power of ten.
    pub(super) exponent: i32,
    decimals: usize,
}

impl Ticks {
    /// About so many marks at steps of 1, 2 or 5 times a power of ten.
    pub(super) fn of((low, high): (f64, f64), about: usize) -> Ticks {
        let step = round_step((high - low) / about.max(1) as f64);
        let (first, last) = ((low / step).ceil(), (high / step).floor());
        let count = if (last - first).is_finite() { (last - first) as usize + 1 } else { 0 };
        let values: Vec<f64> = (0..count.min(100)).map(|at| (first + at as f64) * step).collect();
        let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let size = if largest > 0.0 { largest.log10().floor() as i32 } else { 0 };
        let exponent = if (-3..5).contains(&size) { 0 } else { size.div_euclid(3) * 3 };
        let decimals = (exponent - (step.log10() + 1e-9).floor() as i32).clamp(0, 12) as usize;
        Ticks { values, exponent, decimals }
    }

    /// What is written at a mark.
    pub(super) fn label(&self, value: f64) -> String {
        let scaled = value / 10_f64.powi(self.exponent);
        let scaled = if scaled == 0.0 { 0.0 } else { scaled }; // no `-0`
        format!("{scaled:.*}", self.decimals).replace('-', "\u{2212}")
    }

    /// `×10⁶`, or nothing.
    pub(super) fn factor(&self) -> String {
        if self.exponent == 0 { String::new() } else { format!("×10{}", raised(self.exponent)) }
    }
}

/// The least of 1, 2, 5, 10, … that is not much less than this.
fn round_step(step: f64) -> f64 {
    if !(step > 0.0 && step.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powi(step.log10().floor() as i32);
    let rounds = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    rounds.into_iter().find(|round| *round >= step * 0.75).unwrap_or(rounds[3])
}

/// A number as an exponent.
pub(super) fn raised(number: i32) -> String {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |character: char| character.to_digit(10).map_or('⁻', |digit| digits[digit as usize]);
    number.to_string().chars().map(raise).collect()
}

/// A number with four digits that matter.
pub(super) fn short(value: f64) -> String {
    let size = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    if !(-4..6).contains(&size) {
        let mantissa = format!("{:.2}", value / 10_f64.powi(size));
        return format!("{mantissa}·10{}", raised(size)).replace('-', "\u{2212}");
    }
    let text = format!("{value:.*}", (3 - size).clamp(0, 8) as usize);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(range: (f64, f64), about: usize, expected: &str) {
        let ticks = Ticks::of(range, about);
        let labels: Vec<String> = ticks.values.iter().map(|&value| ticks.label(value)).collect();
        assert_eq!(format!("{} {}", labels.join(" "), ticks.factor()).trim(), expected);
    }

    #[test]
    fn marks_are_round_numbers_and_labels_are_short() {
        check((0.0, 2.0), 4, "0.0 0.5 1.0 1.5 2.0");
        check((-0.3, 0.31), 3, "−0.2 0.0 0.2");
        check((0.0, 10.0), 5, "0 2 4 6 8 10");
        check((0.0, 2.5e6), 5, "0.0 0.5 1.0 1.5 2.0 2.5 ×10⁶");
        check((0.0, 3e-5), 3, "0 10 20 30 ×10⁻⁶");
        check((1.0, 1.0), 3, "1");
    }

    #[test]
    fn numbers_have_four_digits_that_matter() {
        assert_eq!([0.0, 0.335, -12.345678, 1e-7, 31415.9].map(short), ["0", "0.335", "−12.35", "1.00·10⁻⁷", "31416"]);
    }
}
