//! Coefficients of Runge–Kutta methods, from their publications; tests verify what they are to fulfil.
//!
//! Both methods end with the state at which their last slope is taken, so that slope is the first one of the next step.

/// A method with so many stages: their states are `x + h Σ a[i][j] k[j]` at the times `t + c[i] h`, with slopes `k`.
pub(super) struct Tableau<const STAGES: usize> {
    /// By stage: the shares of the slopes in its state. The last state is that of the end.
    pub a: [[f64; STAGES]; STAGES],
    /// By stage: its time, in shares of the step.
    pub c: [f64; STAGES],
    /// The shares of the slopes in the difference from the embedded method, which is taken for the error.
    pub error: [f64; STAGES],
    /// By slope: the coefficients of `θ, θ², θ³, θ⁴` in its share in the state inside the step.
    pub inside: [[f64; 4]; STAGES],
    /// The order of the method.
    pub order: usize,
    /// The error that the embedded method tells is of this power of the step.
    pub power: i32,
}

impl<const STAGES: usize> Tableau<STAGES> {
    /// The shares of the slopes in the state at this share of the step, or beyond it.
    pub(super) fn shares_at(&self, theta: f64) -> [f64; STAGES] {
        self.inside
            .map(|[first, second, third, fourth]| theta * (first + theta * (second + theta * (third + theta * fourth))))
    }

    /// The shares of the slopes in the slope there.
    pub(super) fn slope_shares_at(&self, theta: f64) -> [f64; STAGES] {
        self.inside.map(|[first, second, third, fourth]| {
            first + theta * (2.0 * second + theta * (3.0 * third + theta * 4.0 * fourth))
        })
    }
}

/// The explicit method of orders 5(4): Ch. Tsitouras, Runge–Kutta pairs of order 5(4) satisfying only the first column
/// simplifying assumption, Computers & Mathematics with Applications 62 (2011), with its values of order 4 inside steps.
pub(super) const TSITOURAS: Tableau<7> = Tableau {
    a: [
        [0.0; 7],
        [0.161, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [-0.008480655492357, 0.335480655492357, 0.0, 0.0, 0.0, 0.0, 0.0],
        [2.897153057105494, -6.359448489975075, 4.362295432869581, 0.0, 0.0, 0.0, 0.0],
        [5.325864828439259, -11.74888356406283, 7.495539342889836, -0.09249506636175525, 0.0, 0.0, 0.0],
        [5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.02826905039406838, 0.0, 0.0],
        [0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774, 0.0],
    ],
    c: [0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0],
    error: [
        -0.001780011052225777,
        -0.0008164344596567469,
        0.007880878010261995,
        -0.1447110071732629,
        0.5823571654525552,
        -0.45808210592918697,
        0.015151515151515152,
    ],
    inside: [
        [1.0, -2.763706197274826, 2.9132554618219126, -1.0530884977290216],
        [0.0, 0.1317, -0.2234, 0.1017],
        [0.0, 3.9302962368947516, -5.941033872131505, 2.490627285651253],
        [0.0, -12.411077166933676, 30.33818863028232, -16.548102889244902],
        [0.0, 37.50931341651104, -88.1789048947664, 47.37952196281928],
        [0.0, -27.896526289197286, 65.09189467479366, -34.87065786149661],
        [0.0, 1.5, -4.0, 2.5],
    ],
    order: 5,
    power: 5,
};

/// The diagonal of the implicit method.
pub(super) const GAMMA: f64 = 0.25;

/// The implicit method of orders 4(3), the second half of ARK4(3)6L[2]SA: C. A. Kennedy, M. H. Carpenter, Additive
/// Runge–Kutta schemes for convection–diffusion–reaction equations, Applied Numerical Mathematics 44 (2003). It is L-stable,
/// and its embedded method nearly so, so its errors are seen without a filter also where the system is stiff. All stages
/// have order 2, and none is beyond the end of the step, where the system need not have a value.
///
/// Values inside a step are of order 4 with continuous derivatives: the six shares of slopes at a place have to fulfil five
/// conditions of order; the ends and their derivatives determine what is left up to one number, which is such that the
/// errors of order 5 are smallest in the mean.
pub(super) const KENNEDY_CARPENTER: Tableau<6> = Tableau {
    a: [
        [0.0; 6],
        [GAMMA, GAMMA, 0.0, 0.0, 0.0, 0.0],
        [8611.0 / 62500.0, -1743.0 / 31250.0, GAMMA, 0.0, 0.0, 0.0],
        [5_012_029.0 / 34_652_500.0, -654_441.0 / 2_922_500.0, 174_375.0 / 388_108.0, GAMMA, 0.0, 0.0],
        [
            15_267_082_809.0 / 155_376_265_600.0,
            -71_443_401.0 / 120_774_400.0,
            730_878_875.0 / 902_184_768.0,
            2_285_395.0 / 8_070_912.0,
            GAMMA,
            0.0,
        ],
        [82889.0 / 524_892.0, 0.0, 15625.0 / 83664.0, 69875.0 / 102_672.0, -2260.0 / 8211.0, GAMMA],
    ],
    c: [0.0, 0.5, 0.332, 0.62, 0.85, 1.0],
    error: [
        82889.0 / 524_892.0 - 4_586_570_599.0 / 29_645_900_160.0,
        0.0,
        15625.0 / 83664.0 - 178_811_875.0 / 945_068_544.0,
        69875.0 / 102_672.0 - 814_220_225.0 / 1_159_782_912.0,
        -2260.0 / 8211.0 + 3_700_637.0 / 11_593_932.0,
        GAMMA - 61727.0 / 225_920.0,
    ],
    inside: [
        [1.0, -2.9151687095570846, 3.4620025997608543, -1.3889175950420984],
        [0.0, -0.0812777778899036, 0.1625555557798072, -0.0812777778899036],
        [0.0, 5.413689425286648, -10.080343088477294, 4.853412603714646],
        [0.0, -3.502854181248652, 9.727969543734643, -5.544550067176655],
        [0.0, 1.1369843419002876, -3.374930807780602, 1.9627059348853075],
        [0.0, -0.051373098491295496, 0.10274619698259099, 0.19862690150870452],
    ],
    order: 4,
    power: 4,
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Products of a row of shares with what trees of an order ask for, and what these products have to be.
    fn conditions<const N: usize>(tableau: &Tableau<N>, order: usize) -> Vec<([f64; N], f64)> {
        let times = |vector: [f64; N]| tableau.a.map(|row| row.iter().zip(vector).map(|(a, it)| a * it).sum::<f64>());
        let both = |left: [f64; N], right: [f64; N]| std::array::from_fn(|stage| left[stage] * right[stage]);
        let c = tableau.a.map(|row| row.iter().sum::<f64>());
        let power = |exponent: i32| c.map(|it| it.powi(exponent));
        let (ac, acc) = (times(c), times(power(2)));
        match order {
            1 => vec![([1.0; N], 1.0)],
            2 => vec![(c, 1.0 / 2.0)],
            3 => vec![(power(2), 1.0 / 3.0), (ac, 1.0 / 6.0)],
            4 => vec![(power(3), 1.0 / 4.0), (both(c, ac), 1.0 / 8.0), (acc, 1.0 / 12.0), (times(ac), 1.0 / 24.0)],
            _ => vec![
                (power(4), 1.0 / 5.0),
                (both(power(2), ac), 1.0 / 10.0),
                (both(ac, ac), 1.0 / 20.0),
                (both(c, acc), 1.0 / 15.0),
                (both(c, times(ac)), 1.0 / 30.0),
                (times(power(3)), 1.0 / 20.0),
                (times(both(c, ac)), 1.0 / 40.0),
                (times(acc), 1.0 / 60.0),
                (times(times(ac)), 1.0 / 120.0),
            ],
        }
    }

    /// The largest error in the conditions of an order.
    fn miss<const N: usize>(tableau: &Tableau<N>, shares: [f64; N], order: usize, theta: f64) -> f64 {
        let conditions = conditions(tableau, order).into_iter();
        let misses = conditions.map(|(vector, value)| {
            let found: f64 = shares.iter().zip(vector).map(|(share, it)| share * it).sum();
            (found - value * theta.powi(order as i32)).abs()
        });
        misses.fold(0.0, f64::max)
    }

    fn check<const N: usize>(tableau: &Tableau<N>) {
        let order = tableau.order;
        let last = tableau.a[N - 1];
        let embedded: [f64; N] = std::array::from_fn(|stage| last[stage] - tableau.error[stage]);
        for at_most in 1..=order {
            assert!(miss(tableau, last, at_most, 1.0) < 1e-13, "order {at_most} of the method");
        }
        for at_most in 1..order {
            assert!(miss(tableau, embedded, at_most, 1.0) < 1e-13, "order {at_most} of the embedded method");
        }
        assert!(miss(tableau, embedded, order, 1.0) > 1e-5, "the embedded method has a lower order");
        for theta in [0.1, 0.3, 0.5, 0.9, 1.0] {
            for at_most in 1..=4 {
                assert!(miss(tableau, tableau.shares_at(theta), at_most, theta) < 1e-13, "order {at_most} at {theta}");
            }
        }
        let sums = tableau.a.map(|row| row.iter().sum::<f64>());
        let differ = |left: [f64; N], right: [f64; N]| left.iter().zip(right).any(|(a, b)| (a - b).abs() > 1e-13);
        assert!(!differ(sums, tableau.c), "stages are at the times of their states");
        assert!(!differ(tableau.shares_at(1.0), last), "values inside lead to the end");
        let is_last: [f64; N] = std::array::from_fn(|stage| if stage == N - 1 { 1.0 } else { 0.0 });
        assert!(!differ(tableau.slope_shares_at(1.0), is_last), "and so do their derivatives");
    }

    #[test]
    fn the_explicit_method_has_order_5_and_4_inside() {
        check(&TSITOURAS);
    }

    #[test]
    fn the_implicit_method_has_order_4_everywhere() {
        check(&KENNEDY_CARPENTER);
    }

    #[test]
    fn stages_of_the_implicit_method_have_order_2() {
        let Tableau { a, c, .. } = KENNEDY_CARPENTER;
        for (row, time) in a.iter().zip(c) {
            let found: f64 = row.iter().zip(c).map(|(a, c)| a * c).sum();
            assert!((found - 0.5 * time * time).abs() < 1e-14);
        }
    }

    #[test]
    fn the_implicit_method_forgets_what_is_infinitely_fast() {
        // R(z) at z = -1e8, by the stages of x' = z x from 1 with h = 1.
        let Tableau { a, error, .. } = KENNEDY_CARPENTER;
        let z = -1e8;
        let mut slopes = [0.0; 6];
        for stage in 0..6 {
            let known: f64 = a[stage].iter().zip(slopes).take(stage).map(|(a, slope)| a * slope).sum();
            slopes[stage] = z * (1.0 + known) / (1.0 - z * a[stage][stage]);
        }
        let end = slopes[5] / z;
        let difference: f64 = error.iter().zip(slopes).map(|(share, slope)| share * slope).sum();
        assert!(end.abs() < 1e-6 && (end - difference).abs() < 0.2, "{end} {difference}");
    }
}
