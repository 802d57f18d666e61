//! Where ever shorter intervals between events end: a bouncing ball comes to rest.

/// The instant that events accumulate at, estimated from three of them in order: intervals that shrink by the same ratio
/// form a geometric series. `None` where the intervals do not shrink.
///
/// Exact for an impact law with a constant ratio of speeds under constant acceleration. A run that is nearer to this
/// instant than its tolerance sets the velocity to zero, so that flight is not chosen again, and selects the next mode.
pub fn accumulation_time([first, second, third]: [f64; 3]) -> Option<f64> {
    let (before, last) = (second - first, third - second);
    let ratio = last / before;
    let shrinks = before > 0.0 && last > 0.0 && ratio < 1.0;
    shrinks.then(|| third + last * ratio / (1.0 - ratio))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bouncing_ball_comes_to_rest_after_finite_time() {
        // h0 = 1, g = 9.81, e = 0.9: rest at sqrt(2/g) (1 + e)/(1 - e).
        let fall = (2.0_f64 / 9.81).sqrt();
        let rest = fall * 1.9 / 0.1;
        assert!((rest - 8.578949178728887).abs() < 1e-14 * rest);
        let mut times = vec![fall];
        for impact in 1..153 {
            times.push(times[impact - 1] + 2.0 * fall * 0.9_f64.powi(impact as i32));
        }
        let estimate = |k: usize| accumulation_time([times[k], times[k + 1], times[k + 2]]).expect("intervals shrink");
        assert!((estimate(0) - rest).abs() < 1e-13 * rest, "{}", estimate(0));
        assert!((estimate(times.len() - 3) - rest).abs() < 2e-14 * rest, "{}", estimate(times.len() - 3));
    }

    #[test]
    fn intervals_that_do_not_shrink_do_not_accumulate() {
        assert_eq!(accumulation_time([0.0, 1.0, 2.0]), None);
        assert_eq!(accumulation_time([0.0, 1.0, 3.0]), None);
        assert_eq!(accumulation_time([1.0, 1.0, 1.0]), None);
        assert_eq!(accumulation_time([2.0, 1.0, 0.5]), None);
    }
}
