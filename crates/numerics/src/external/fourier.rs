//! The discrete Fourier transform of a real signal, by the factors of its length.

use std::f64::consts::TAU;

use crate::native::NativeFunction;

/// `(signal…)` to `(information, amplitudes…, phases…)`: information is 0 where there is a result, 1 where the length is odd. Amplitudes are
/// divided by their number, as the library expects.
pub(super) fn native(method: &str) -> Option<NativeFunction> {
    (method == "kiss_fftr").then(|| NativeFunction::new(real_transform))
}

fn real_transform(signal: &[f64], outputs: &mut [f64]) {
    let count = signal.len() / 2 + 1;
    outputs.fill(0.0);
    if signal.len() % 2 == 1 || signal.is_empty() || outputs.len() != 1 + 2 * count {
        outputs[0] = 1.0;
        return;
    }
    let values: Vec<Complex> = signal.iter().map(|&value| Complex(value, 0.0)).collect();
    let (amplitudes, phases) = outputs[1..].split_at_mut(count);
    for ((amplitude, phase), Complex(real, imaginary)) in amplitudes.iter_mut().zip(phases).zip(transform(&values)) {
        *amplitude = real.hypot(imaginary) / count as f64;
        *phase = imaginary.atan2(real);
    }
}

#[derive(Clone, Copy)]
struct Complex(f64, f64);

/// The transforms of every p-th value, from each of the first p on, put together: p is the smallest factor of the length.
fn transform(values: &[Complex]) -> Vec<Complex> {
    let length = values.len();
    let Some(factor) = (2..=length).find(|&factor| length.is_multiple_of(factor)) else { return values.to_vec() };
    let part = length / factor;
    let every = |first: usize| values.iter().skip(first).step_by(factor).copied().collect::<Vec<Complex>>();
    let parts: Vec<Vec<Complex>> = (0..factor).map(|first| transform(&every(first))).collect();
    let turns: Vec<Complex> = (0..length)
        .map(|at| {
            let (sine, cosine) = (-TAU * at as f64 / length as f64).sin_cos();
            Complex(cosine, sine)
        })
        .collect();
    let at = |frequency: usize| {
        parts.iter().enumerate().fold(Complex(0.0, 0.0), |sum, (first, part_of)| {
            let (Complex(a, b), Complex(c, d)) = (turns[first * frequency % length], part_of[frequency % part]);
            Complex(sum.0 + a * c - b * d, sum.1 + a * d + b * c)
        })
    };
    (0..length).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transform_is_the_sum_that_defines_it() {
        for length in [2, 6, 14, 30, 64] {
            let signal: Vec<f64> = (0..length).map(|at| (at as f64 * 0.7).sin() + 0.1 * (at * at % 5) as f64).collect();
            let count = length / 2 + 1;
            let mut outputs = vec![f64::NAN; 1 + 2 * count];
            native("kiss_fftr").expect("known").evaluate(&signal, &mut outputs);
            assert_eq!(outputs[0], 0.0);
            for frequency in 0..count {
                let angle = |at: usize| TAU * (at * frequency) as f64 / length as f64;
                let sum = |part: fn(f64) -> f64| {
                    signal.iter().enumerate().map(|(at, value)| value * part(angle(at))).sum::<f64>() / count as f64
                };
                let (real, imaginary) = (sum(f64::cos), -sum(f64::sin));
                let (amplitude, phase) = (outputs[1 + frequency], outputs[1 + count + frequency]);
                let found = (amplitude * phase.cos(), amplitude * phase.sin());
                assert!((found.0 - real).abs() + (found.1 - imaginary).abs() < 1e-12, "{length}: {frequency}");
            }
        }
        let mut outputs = [0.0; 5];
        native("kiss_fftr").expect("known").evaluate(&[1.0, 2.0, 3.0], &mut outputs);
        assert_eq!(outputs[0], 1.0, "an odd length");
    }
}
