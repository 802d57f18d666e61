//! Derivatives of functions that are not written in Modelica: the sum, over their arguments, of a partial derivative times the argument's own.
//!
//! A number that is differentiated `n` times has `2ⁿ` parts: the first half is the number, the other half its derivative, both
//! differentiated `n - 1` times. Lists of such numbers are in the same order: all first halves, then all second ones.

use crate::native::NativeFunction;

/// The outputs of a function that is differentiated so often, at arguments differentiated so often.
pub(super) fn along(native: &NativeFunction, level: u32, arguments: &[f64], outputs: &mut [f64]) {
    if level == 0 {
        native.evaluate(arguments, outputs);
        return;
    }
    let (values, slopes) = arguments.split_at(arguments.len() / 2);
    let (results, derivatives) = outputs.split_at_mut(outputs.len() / 2);
    along(native, level - 1, values, results);
    derivatives.fill(0.0);
    let parts = 1 << (level - 1);
    let (arguments, mut partials) = (values.len() / parts, vec![0.0; results.len()]);
    for by in 0..arguments {
        let slope: Vec<f64> = slopes.iter().skip(by).step_by(arguments).copied().collect();
        if slope.iter().all(|&part| part == 0.0) {
            continue;
        }
        along(&native.partial(by), level - 1, values, &mut partials);
        let count = partials.len() / parts;
        for output in 0..count {
            let partial: Vec<f64> = partials.iter().skip(output).step_by(count).copied().collect();
            for (part, share) in product(&partial, &slope).into_iter().enumerate() {
                derivatives[output + part * count] += share;
            }
        }
    }
}

/// The product of two numbers that are differentiated equally often.
fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    if let (&[a], &[b]) = (a, b) {
        return vec![a * b];
    }
    let ((a, da), (b, db)) = (a.split_at(a.len() / 2), b.split_at(b.len() / 2));
    let (left, right) = (product(da, b), product(a, db));
    let slopes = left.iter().zip(right).map(|(left, right)| left + right);
    product(a, b).into_iter().chain(slopes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x*y²`, with all its derivatives.
    fn cubic(by: [u32; 2]) -> NativeFunction {
        let factor = |power: u32, order: u32| (0..order).map(|it| f64::from(power) - f64::from(it)).product::<f64>();
        let monomial = move |x: f64, power: u32, order: u32| match order > power {
            true => 0.0,
            false => factor(power, order) * x.powi((power - order) as i32),
        };
        NativeFunction::new(move |at, outputs| outputs[0] = monomial(at[0], 1, by[0]) * monomial(at[1], 2, by[1]))
            .with_partial_function(move |next| cubic([by[0] + u32::from(next == 0), by[1] + u32::from(next == 1)]))
    }

    #[test]
    fn derivatives_of_derivatives_are_those_of_the_product() {
        // Along x = 2 + 3t + s, y = 5 - t + 4s + 6st: values, by t, by s, by both.
        let mut outputs = [0.0; 4];
        along(&cubic([0, 0]), 2, &[2.0, 5.0, 3.0, -1.0, 1.0, 4.0, 0.0, 6.0], &mut outputs);
        let (x, y, xt, yt, xs, ys, yst) = (2.0, 5.0, 3.0, -1.0, 1.0, 4.0, 6.0);
        let by_t = xt * y * y + 2.0 * x * y * yt;
        let by_s = xs * y * y + 2.0 * x * y * ys;
        let by_both = 2.0 * xt * y * ys + 2.0 * xs * y * yt + 2.0 * x * ys * yt + 2.0 * x * y * yst;
        assert_eq!(outputs, [x * y * y, by_t, by_s, by_both]);
    }
}
