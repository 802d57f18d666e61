//! Random numbers and permutations that a seed determines, whichever run asks first.

/// A mix of all bits (the finalizer of SplitMix64).
fn mixed(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The number of a place in a stream of a seed.
fn number(seed: u64, stream: u64, place: u64) -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let own = mixed(seed.wrapping_add(STEP)).wrapping_add(mixed(stream.wrapping_add(STEP.wrapping_mul(3))));
    mixed(own.wrapping_add(place.wrapping_mul(STEP)))
}

/// At least 0 and less than 1.
pub(crate) fn uniform(seed: u64, stream: u64, place: u64) -> f64 {
    (number(seed, stream, place) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The numbers below `count` in an order of their own.
pub(crate) fn permutation(seed: u64, stream: u64, count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    for at in (1..count).rev() {
        let other = (u128::from(number(seed, stream, at as u64)) * (at as u128 + 1)) >> 64;
        order.swap(at, other as usize);
    }
    order
}

/// The value below which a standard normal number lies with this probability.
pub(crate) fn normal_quantile(probability: f64) -> f64 {
    let p = probability.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
    // Bisection on the distribution itself: no table of coefficients, and exact to rounding.
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle == low || middle == high {
            break;
        }
        if normal_distribution(middle) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The probability of a standard normal number below this one.
fn normal_distribution(x: f64) -> f64 {
    let tail = |x: f64| {
        // The series near the middle, the continued fraction in the tail.
        if x < 3.0 {
            let (mut term, mut sum, mut at) = (x, x, 1.0);
            while term.abs() > 1e-18 * sum.abs().max(1e-300) {
                at += 2.0;
                term *= x * x / at;
                sum += term;
            }
            0.5 - sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
        } else {
            let fraction = (1..=200).rev().fold(0.0, |rest, at| f64::from(at) / (x + rest));
            (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt() / (x + fraction)
        }
    };
    if x < 0.0 { tail(-x) } else { 1.0 - tail(x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_evenly_and_differ_between_streams() {
        let count = 10_000;
        let mean = (0..count).map(|at| uniform(1, 0, at)).sum::<f64>() / count as f64;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        assert_ne!(uniform(1, 0, 0), uniform(1, 1, 0));
        assert_ne!(uniform(1, 0, 0), uniform(2, 0, 0));
    }

    #[test]
    fn a_permutation_has_every_number_once() {
        let mut order = permutation(7, 3, 1000);
        assert_ne!(order, (0..1000).collect::<Vec<u32>>());
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<u32>>());
    }

    #[test]
    fn quantiles_of_the_normal_distribution_are_the_known_ones() {
        let known = [(0.5, 0.0), (0.975, 1.959_963_984_540_054), (0.001, -3.090_232_306_167_813_5)];
        for (probability, expected) in known {
            let found = normal_quantile(probability);
            assert!((found - expected).abs() < 1e-12, "{probability}: {found}");
        }
    }
}
