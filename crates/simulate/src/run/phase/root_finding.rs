//! Where a function changes its sign, to rounding.
//!
//! The method of Chandrupatla, which bisects unless inverse quadratic interpolation is sure to do better. What is
//! returned is the far end of the last bracket: the sign has changed there.

/// The first time at which `function` is known to be below zero, with its value, in a bracket that begins above zero
/// and ends below it.
pub(crate) fn crossing<Failure>(
    mut function: impl FnMut(f64) -> Result<f64, Failure>,
    (above, above_value): (f64, f64),
    (below, below_value): (f64, f64),
) -> Result<(f64, f64), Failure> {
    assert!(above_value >= 0.0 && below_value < 0.0, "the sign changes within the bracket");
    // `a` is the newest point, `b` the other end of the bracket, `c` the point before.
    let (mut a, mut a_value) = (below, below_value);
    let (mut b, mut b_value) = (above, above_value);
    let mut share = 0.5;
    loop {
        let trial = a + share * (b - a);
        let value = function(trial)?;
        let (c, c_value);
        if (value < 0.0) == (a_value < 0.0) {
            (c, c_value) = (a, a_value);
        } else {
            (c, c_value) = (b, b_value);
            (b, b_value) = (a, a_value);
        }
        (a, a_value) = (trial, value);
        let resolution = 2.0 * f64::EPSILON * a.abs().max(b.abs()) + f64::MIN_POSITIVE;
        let width = (b - a).abs();
        if width <= resolution || a_value == 0.0 && b_value < 0.0 && width <= 4.0 * resolution {
            return Ok(if a_value < 0.0 { (a, a_value) } else { (b, b_value) });
        }
        share = next_share((a, a_value), (b, b_value), (c, c_value));
        let least = (0.5 * resolution / width).min(0.5);
        share = share.clamp(least, 1.0 - least);
    }
}

/// How far to go from `a` towards `b`.
fn next_share((a, fa): (f64, f64), (b, fb): (f64, f64), (c, fc): (f64, f64)) -> f64 {
    let xi = (a - b) / (c - b);
    let phi = (fa - fb) / (fc - fb);
    if phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi {
        let share = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
        if share.is_finite() {
            return share;
        }
    }
    0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(function: impl Fn(f64) -> f64, from: f64, to: f64, expected: f64, most: usize) {
        let mut count = 0;
        let counted = |time: f64| -> Result<f64, ()> {
            count += 1;
            Ok(function(time))
        };
        let (found, value) = crossing(counted, (from, function(from)), (to, function(to))).expect("no failure");
        assert!(value < 0.0, "{value}");
        assert!((found - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(), "{found}, not {expected}");
        assert!(count <= most, "{count} evaluations");
    }

    #[test]
    fn smooth_functions_need_few_evaluations() {
        check(|t| 2.0 - t * t, 0.0, 2.0, std::f64::consts::SQRT_2, 14);
        check(|t| t.cos(), 0.0, 3.0, std::f64::consts::FRAC_PI_2, 14);
    }

    #[test]
    fn jumps_and_flat_places_are_found_by_halving() {
        check(|t| if t < 0.7 { 1.0 } else { -1.0 }, 0.0, 1.0, 0.7, 70);
        check(|t| (0.3 - t).powi(9), 0.0, 1.0, 0.3, 140);
    }
}
