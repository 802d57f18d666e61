//! Polynomials through last values.

/// The most times that a polynomial leads through here.
pub(crate) const MOST_TIMES: usize = 4;

/// The factors of the values at these times in the polynomial through them, at another time; zero beyond.
pub(crate) fn lagrange(times: &[f64], at: f64) -> [f64; MOST_TIMES] {
    assert!(times.len() <= MOST_TIMES, "a cubic polynomial at most");
    let mut factors = [0.0; MOST_TIMES];
    for (index, factor) in factors.iter_mut().enumerate().take(times.len()) {
        let others = times.iter().enumerate().filter(|&(other, _)| other != index);
        // Quotients one by one: the products of very short times would vanish.
        *factor = others.map(|(_, other)| (at - other) / (times[index] - other)).product();
    }
    factors
}
