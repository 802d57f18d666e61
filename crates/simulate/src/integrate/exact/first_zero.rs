//! The first zero of a polynomial on the unit interval.
//!
//! By Bernstein coefficients: as many zeros as they change their sign, or fewer by an even number (Descartes). Where they do not
//! change it there is none, where they do once there is one, and otherwise halves are looked at.

/// Polynomials have at most so many coefficients.
pub(super) const MOST: usize = 64;
/// Halvings: what is still not told apart then touches zero, or nearly does.
const MOST_HALVINGS: u32 = 12;
/// Iterations on a zero that is alone: halvings alone would take so many.
const MOST_ITERATIONS: usize = 60;

/// What a polynomial that begins above zero does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Course {
    /// It stays above zero.
    Above,
    /// It comes to zero here, and goes on below.
    Zero(f64),
    /// It comes so near to zero that this does not tell.
    Near,
}

/// What a polynomial does that is not zero at the beginning; ends nearer to zero than `noise` are zero.
pub(super) fn course(polynomial: &[f64], noise: f64) -> Course {
    let (first, rest) = polynomial.split_first().expect("a polynomial has coefficients");
    if *first <= noise {
        return Course::Near;
    }
    if rest.iter().map(|it| it.abs()).sum::<f64>() < *first - noise {
        return Course::Above;
    }
    let end: f64 = polynomial.iter().sum();
    if end.abs() <= noise {
        return Course::Near;
    }
    let mut bernstein = [0.0; MOST];
    to_bernstein(polynomial, &mut bernstein);
    within(polynomial, &bernstein[..polynomial.len()], (0.0, 1.0), MOST_HALVINGS)
}

/// The same of a polynomial that is zero at the beginning, up to noise: it stays there, or leaves it upwards and may come back.
pub(super) fn course_from_zero(polynomial: &[f64], noise: f64) -> Course {
    let (first, rest) = polynomial.split_first().expect("a polynomial has coefficients");
    if rest.iter().map(|it| it.abs()).sum::<f64>() + first.abs() <= noise {
        return Course::Above;
    }
    let end: f64 = polynomial.iter().sum();
    match course(rest, noise) {
        Course::Above if end > noise => Course::Above,
        // In between it was more than noise, so that it has been above zero.
        Course::Zero(share) if value_and_slope(polynomial, 0.5 * share).0 > noise => {
            let beyond = (share + 1e-3 * (1.0 - share)).min(1.0);
            let is_between = value_and_slope(polynomial, beyond).0 < 0.0;
            if is_between { Course::Zero(only_zero(polynomial, (0.5 * share, beyond))) } else { Course::Near }
        }
        _ => Course::Near,
    }
}

fn to_bernstein(polynomial: &[f64], bernstein: &mut [f64; MOST]) {
    let degree = polynomial.len() - 1;
    // Shares of binomials, and then sums: b[j] = Σ C(j, k) a[k] / C(n, k).
    let mut binomial = 1.0;
    for (k, (&coefficient, place)) in polynomial.iter().zip(bernstein.iter_mut()).enumerate() {
        *place = coefficient / binomial;
        binomial *= (degree - k) as f64 / (k + 1) as f64;
    }
    for round in 1..=degree {
        for place in (round..=degree).rev() {
            bernstein[place] += bernstein[place - 1];
        }
    }
}

fn within(polynomial: &[f64], bernstein: &[f64], (low, high): (f64, f64), halvings: u32) -> Course {
    let count = bernstein.len();
    let changes = bernstein.windows(2).filter(|pair| (pair[0] > 0.0) != (pair[1] > 0.0)).count();
    if changes == 0 {
        return if bernstein[0] > 0.0 { Course::Above } else { Course::Near };
    }
    if changes == 1 && bernstein[count - 1] < 0.0 {
        return Course::Zero(only_zero(polynomial, (low, high)));
    }
    if halvings == 0 {
        return Course::Near;
    }
    // De Casteljau.
    let (mut left, mut right) = ([0.0; MOST], [0.0; MOST]);
    right[..count].copy_from_slice(bernstein);
    for (round, first) in left.iter_mut().take(count).enumerate() {
        *first = right[0];
        for place in 0..count - 1 - round {
            right[place] = 0.5 * (right[place] + right[place + 1]);
        }
    }
    let middle = 0.5 * (low + high);
    match within(polynomial, &left[..count], (low, middle), halvings - 1) {
        Course::Above => within(polynomial, &right[..count], (middle, high), halvings - 1),
        other => other,
    }
}

/// The zero of a polynomial between places where it is above and below: by Newton's method as long as that stays between.
fn only_zero(polynomial: &[f64], (mut above, mut below): (f64, f64)) -> f64 {
    let mut at = 0.5 * (above + below);
    for _ in 0..MOST_ITERATIONS {
        let (value, slope) = value_and_slope(polynomial, at);
        if value == 0.0 {
            return at;
        }
        *(if value > 0.0 { &mut above } else { &mut below }) = at;
        let next = at - value / slope;
        let next = if next > above && next < below { next } else { 0.5 * (above + below) };
        if (next - at).abs() <= 0.5 * f64::EPSILON * at.abs() || next == at {
            return next;
        }
        at = next;
    }
    at
}

fn value_and_slope(polynomial: &[f64], at: f64) -> (f64, f64) {
    let horner = |(value, slope): (f64, f64), &coefficient: &f64| (value * at + coefficient, slope * at + value);
    polynomial.iter().rev().fold((0.0, 0.0), horner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Π (x - zero)`, with the sign that makes it positive at 0.
    fn with_zeros(zeros: &[f64]) -> Vec<f64> {
        let mut polynomial = vec![1.0];
        for &zero in zeros {
            let mut next = vec![0.0; polynomial.len() + 1];
            for (power, coefficient) in polynomial.iter().enumerate() {
                next[power + 1] += coefficient;
                next[power] -= zero * coefficient;
            }
            polynomial = next;
        }
        let sign = polynomial[0].signum();
        polynomial.iter().map(|it| sign * it).collect()
    }

    #[test]
    fn the_first_of_several_zeros_is_found_to_rounding() {
        for zeros in [&[0.3][..], &[0.25, 0.7, 0.9], &[0.5, 0.6, 3.0], &[-1.0, 2.0, 0.125]] {
            let first = zeros.iter().copied().filter(|it| (0.0..1.0).contains(it)).fold(1.0, f64::min);
            let Course::Zero(found) = course(&with_zeros(zeros), 1e-15) else { panic!("{zeros:?}") };
            assert!((found - first).abs() < 1e-13, "{found}, not {first}");
        }
    }

    #[test]
    fn what_leaves_zero_and_comes_back_is_found_where_it_does() {
        let Course::Zero(found) = course_from_zero(&[1e-18, 1.0, -2.0], 1e-12) else { panic!("it comes back") };
        assert!((found - 0.5).abs() < 1e-15, "{found}");
        assert_eq!(course_from_zero(&[1e-18, 1.0, -0.5], 1e-12), Course::Above);
        assert_eq!(course_from_zero(&[1e-18, -1.0, 3.0], 1e-12), Course::Near, "it leaves zero for the other side");
        assert_eq!(course_from_zero(&[1e-18, 1e-15, -1e-14], 1e-12), Course::Above, "it rests");
    }

    #[test]
    fn what_has_no_zero_stays_above_and_what_touches_zero_is_near() {
        assert_eq!(course(&with_zeros(&[1.2, -0.1, 5.0]), 1e-15), Course::Above);
        assert_eq!(course(&[1.01, -4.0, 4.0], 1e-15), Course::Above);
        assert_eq!(course(&[1.0, -4.0, 4.0], 1e-15), Course::Near);
        assert_eq!(course(&[1.0, -1.0], 1e-15), Course::Near, "at the very end");
    }
}
