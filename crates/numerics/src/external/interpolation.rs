//! A function of one variable through points: straight lines, steps, or cubics whose slopes are chosen by one of four
//! rules; and what it is outside the points.
//!
//! The slopes: Akima (J. ACM 17(4), 1970), its modification for flat stretches, Fritsch and Butland (SIAM J. Sci. Stat.
//! Comput. 5, 1984) and Steffen (Astron. Astrophys. 239, 1990), the last two monotone where the points are.

/// How points are connected: `Modelica.Blocks.Types.Smoothness`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Smoothness {
    Linear,
    Akima,
    Constant,
    FritschButland,
    Steffen,
    ModifiedAkima,
}

impl Smoothness {
    pub fn of(ordinal: f64) -> Result<Self, String> {
        use Smoothness::*;
        let all = [Linear, Akima, Constant, FritschButland, Steffen, ModifiedAkima];
        let at = (ordinal as usize).checked_sub(1);
        at.and_then(|at| all.get(at)).copied().ok_or_else(|| format!("smoothness {ordinal} is not known"))
    }

    /// Whether cubics.
    fn is_cubic(self) -> bool {
        !matches!(self, Smoothness::Linear | Smoothness::Constant)
    }
}

/// What is outside the points: `Modelica.Blocks.Types.Extrapolation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extrapolation {
    HoldLastPoint,
    LastTwoPoints,
    Periodic,
    Refused,
}

impl Extrapolation {
    pub fn of(ordinal: f64) -> Result<Self, String> {
        use Extrapolation::*;
        let all = [HoldLastPoint, LastTwoPoints, Periodic, Refused];
        let at = (ordinal as usize).checked_sub(1);
        at.and_then(|at| all.get(at)).copied().ok_or_else(|| format!("extrapolation {ordinal} is not known"))
    }
}

/// A function through points.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    x: Vec<f64>,
    y: Vec<f64>,
    /// At each point, where cubics connect them.
    slopes: Vec<f64>,
    smoothness: Smoothness,
    extrapolation: Extrapolation,
}

impl Curve {
    /// Through these points, whose abscissas must not fall; equal ones are a jump, which cubics do not have.
    pub fn new(x: Vec<f64>, y: Vec<f64>, smoothness: Smoothness, extrapolation: Extrapolation) -> Result<Self, String> {
        if let Some(pair) = x.windows(2).find(|pair| pair[1] < pair[0] || pair[1] == pair[0] && smoothness.is_cubic()) {
            return Err(format!("the first column of a table must grow, but {} follows {}", pair[1], pair[0]));
        }
        // Two points leave cubics nothing to choose.
        let smoothness = if x.len() <= 2 && smoothness.is_cubic() { Smoothness::Linear } else { smoothness };
        let periodic = extrapolation == Extrapolation::Periodic && y.first() == y.last();
        let slopes = if smoothness.is_cubic() { slopes(&x, &y, smoothness, periodic) } else { Vec::new() };
        Ok(Curve { x, y, slopes, smoothness, extrapolation })
    }

    pub fn first(&self) -> f64 {
        self.x[0]
    }

    pub fn last(&self) -> f64 {
        self.x[self.x.len() - 1]
    }

    /// Value and first two derivatives; at a jump or a kink those to its right, unless those to its left are wanted.
    pub fn at(&self, u: f64, from_left: bool) -> [f64; 3] {
        if self.x.len() == 1 {
            return [self.y[0], 0.0, 0.0];
        }
        let (first, last, end) = (self.first(), self.last(), self.x.len() - 1);
        // To the right of a jump at the last point, or of the end of a period, is what comes after it.
        let jumps_at_end = self.extrapolation == Extrapolation::Periodic || self.x[end - 1] == last;
        let is_inside = u >= first && (u < last || u == last && (from_left || !jumps_at_end));
        match self.extrapolation {
            _ if is_inside => self.inside(u, from_left),
            Extrapolation::Periodic => self.inside(self.wrapped(u), from_left),
            Extrapolation::HoldLastPoint => [if u < first { self.y[0] } else { self.y[end] }, 0.0, 0.0],
            Extrapolation::LastTwoPoints => {
                let at = if u < first { 0 } else { end };
                let slope = self.slope_at_end(u < first);
                [self.y[at] + slope * (u - self.x[at]), slope, 0.0]
            }
            Extrapolation::Refused => [f64::NAN; 3],
        }
    }

    /// Into the period of the points.
    pub fn wrapped(&self, u: f64) -> f64 {
        let (first, period) = (self.first(), self.last() - self.first());
        if period <= 0.0 {
            return first;
        }
        let wrapped = u - ((u - first) / period).floor() * period;
        wrapped.clamp(first, self.last())
    }

    fn slope_at_end(&self, is_left: bool) -> f64 {
        let at = if is_left { 0 } else { self.x.len() - 2 };
        match self.smoothness.is_cubic() {
            true => self.slopes[if is_left { 0 } else { at + 1 }],
            false => chord(&self.x, &self.y, at),
        }
    }

    fn inside(&self, u: f64, from_left: bool) -> [f64; 3] {
        let at = self.interval(u, from_left);
        let (width, t) = (self.x[at + 1] - self.x[at], u - self.x[at]);
        match self.smoothness {
            Smoothness::Constant => {
                let is_end = u >= self.last() && !from_left;
                [self.y[if is_end { at + 1 } else { at }], 0.0, 0.0]
            }
            Smoothness::Linear => {
                let slope = chord(&self.x, &self.y, at);
                // From the nearer point, so that points are met exactly.
                let value =
                    if t <= 0.5 * width { self.y[at] + slope * t } else { self.y[at + 1] - slope * (width - t) };
                [value, slope, 0.0]
            }
            _ => {
                let (mean, left, right) = (chord(&self.x, &self.y, at), self.slopes[at], self.slopes[at + 1]);
                let cubic = (left + right - 2.0 * mean) / (width * width);
                let square = (3.0 * mean - 2.0 * left - right) / width;
                let value = self.y[at] + t * (left + t * (square + t * cubic));
                [value, left + t * (2.0 * square + 3.0 * t * cubic), 2.0 * square + 6.0 * t * cubic]
            }
        }
    }

    /// The stretch that a place lies in, by its first point; one of width zero never.
    fn interval(&self, u: f64, from_left: bool) -> usize {
        let after = match from_left {
            true => self.x.partition_point(|&x| x < u),
            false => self.x.partition_point(|&x| x <= u),
        };
        let mut at = after.clamp(1, self.x.len() - 1) - 1;
        while at > 0 && self.x[at] == self.x[at + 1] {
            at -= 1;
        }
        at
    }
}

/// The slope of the straight line from a point to the next; none along a jump.
fn chord(x: &[f64], y: &[f64], at: usize) -> f64 {
    let width = x[at + 1] - x[at];
    if width > 0.0 { (y[at + 1] - y[at]) / width } else { 0.0 }
}

/// The slopes of the cubics at all points, of which there are three at least.
fn slopes(x: &[f64], y: &[f64], smoothness: Smoothness, periodic: bool) -> Vec<f64> {
    let chords: Vec<f64> = (0..x.len() - 1).map(|at| chord(x, y, at)).collect();
    match smoothness {
        Smoothness::Akima | Smoothness::ModifiedAkima => {
            akima(&chords, smoothness == Smoothness::ModifiedAkima, periodic)
        }
        _ => (0..x.len()).map(|at| monotone(x, &chords, at, smoothness, periodic)).collect(),
    }
}

/// Two chords beyond each end: those of the other end where the points repeat, else continued linearly.
fn akima(chords: &[f64], modified: bool, periodic: bool) -> Vec<f64> {
    let (count, n) = (chords.len() + 1, chords.len());
    let mut d = Vec::with_capacity(count + 3);
    if periodic {
        d.extend([chords[n - 2], chords[n - 1]]);
        d.extend(chords);
        d.extend([chords[0], chords[1]]);
    } else {
        let before = 2.0 * chords[0] - chords[1];
        let after = 2.0 * chords[n - 1] - chords[n - 2];
        d.extend([2.0 * before - chords[0], before]);
        d.extend(chords);
        d.extend([after, 2.0 * after - chords[n - 1]]);
    }
    let weight = |a: f64, b: f64| (b - a).abs() + if modified { 0.5 * (b + a).abs() } else { 0.0 };
    (0..count)
        .map(|at| {
            let (left, right) = (weight(d[at + 2], d[at + 3]), weight(d[at], d[at + 1]));
            match left + right > 0.0 {
                true => (left * d[at + 1] + right * d[at + 2]) / (left + right),
                false => 0.5 * (d[at + 1] + d[at + 2]),
            }
        })
        .collect()
}

/// No slope at a turning point; at the ends the chord there, unless the points repeat.
fn monotone(x: &[f64], chords: &[f64], at: usize, smoothness: Smoothness, periodic: bool) -> f64 {
    let n = chords.len();
    let (before, after) = match at {
        0 if periodic => (n - 1, 0),
        0 => return chords[0],
        _ if at == n && periodic => (n - 1, 0),
        _ if at == n => return chords[n - 1],
        _ => (at - 1, at),
    };
    let (d0, d1) = (chords[before], chords[after]);
    let (h0, h1) = (x[before + 1] - x[before], x[after + 1] - x[after]);
    if d0 * d1 <= 0.0 {
        return 0.0;
    }
    match smoothness {
        Smoothness::Steffen => {
            let mean = (d0 * h1 + d1 * h0) / (h0 + h1);
            let most = 2.0 * d0.abs().min(d1.abs());
            if mean.abs() > most { most.copysign(d0) } else { mean }
        }
        _ => 3.0 * (h0 + h1) / ((2.0 * h1 + h0) / d0 + (2.0 * h0 + h1) / d1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 6] = [0.0, 1.0, 2.5, 3.0, 4.0, 6.0];
    const Y: [f64; 6] = [0.0, 1.0, 0.5, 2.0, 2.0, -1.0];

    fn curve(smoothness: Smoothness, extrapolation: Extrapolation) -> Curve {
        Curve::new(X.to_vec(), Y.to_vec(), smoothness, extrapolation).expect("a table")
    }

    #[test]
    fn a_jump_at_the_last_point_has_two_sides() {
        for smoothness in [Smoothness::Linear, Smoothness::Constant] {
            for extrapolation in [Extrapolation::HoldLastPoint, Extrapolation::LastTwoPoints] {
                let curve = Curve::new(vec![0.0, 1.0, 1.0], vec![2.0, 2.0, 5.0], smoothness, extrapolation);
                let curve = curve.expect("a table");
                let values =
                    [(0.5, false), (1.0, true), (1.0, false), (1.5, false)].map(|(u, left)| curve.at(u, left)[0]);
                assert_eq!(values, [2.0, 2.0, 5.0, 5.0], "{smoothness:?} {extrapolation:?}");
            }
            let curve =
                Curve::new(vec![0.0, 1.0], vec![2.0, 5.0], smoothness, Extrapolation::Periodic).expect("a table");
            assert_eq!((curve.at(1.0, false)[0], curve.at(2.0, false)[0]), (2.0, 2.0), "a period begins anew");
        }
    }

    #[test]
    fn every_curve_meets_its_points_and_its_derivatives_are_those_of_its_values() {
        use Smoothness::*;
        for smoothness in [Linear, Akima, FritschButland, Steffen, ModifiedAkima] {
            let curve = curve(smoothness, Extrapolation::LastTwoPoints);
            for (x, y) in X.iter().zip(Y) {
                assert!((curve.at(*x, false)[0] - y).abs() < 1e-14, "{smoothness:?} at {x}");
            }
            for step in 0..80 {
                let (u, h) = (-1.03 + 0.1 * f64::from(step), 1e-6);
                let by_difference = (curve.at(u + h, false)[0] - curve.at(u - h, false)[0]) / (2.0 * h);
                let [_, slope, second] = curve.at(u, false);
                assert!((by_difference - slope).abs() < 1e-7, "{smoothness:?} at {u}: {by_difference} {slope}");
                let by_difference = (curve.at(u + h, false)[1] - curve.at(u - h, false)[1]) / (2.0 * h);
                assert!((by_difference - second).abs() < 1e-6, "{smoothness:?} at {u}: {by_difference} {second}");
            }
        }
    }

    #[test]
    fn monotone_points_have_monotone_curves() {
        let (x, y) = (vec![0.0, 1.0, 2.0, 3.0, 4.0], vec![0.0, 0.0, 0.1, 5.0, 5.0]);
        for smoothness in [Smoothness::FritschButland, Smoothness::Steffen] {
            let curve = Curve::new(x.clone(), y.clone(), smoothness, Extrapolation::HoldLastPoint).expect("a table");
            let values: Vec<f64> = (0..=400).map(|at| curve.at(0.01 * f64::from(at), false)[0]).collect();
            assert!(values.windows(2).all(|pair| pair[1] >= pair[0] - 1e-15), "{smoothness:?}");
        }
    }

    #[test]
    fn outside_its_points_a_curve_is_as_it_was_asked_to_be() {
        let value = |extrapolation, u| curve(Smoothness::Linear, extrapolation).at(u, false)[0];
        assert_eq!(value(Extrapolation::HoldLastPoint, 9.0), -1.0);
        assert_eq!(value(Extrapolation::HoldLastPoint, -9.0), 0.0);
        assert_eq!(value(Extrapolation::LastTwoPoints, 8.0), -4.0);
        assert_eq!(value(Extrapolation::LastTwoPoints, -2.0), -2.0);
        assert_eq!(value(Extrapolation::Periodic, 7.0), 1.0);
        assert_eq!(value(Extrapolation::Periodic, -2.0), 2.0);
        assert!(value(Extrapolation::Refused, 7.0).is_nan());
    }

    #[test]
    fn a_jump_has_two_sides() {
        let (x, y) = (vec![0.0, 1.0, 1.0, 2.0], vec![0.0, 1.0, 5.0, 5.0]);
        let curve = Curve::new(x, y, Smoothness::Linear, Extrapolation::HoldLastPoint).expect("a table");
        assert_eq!([curve.at(1.0, true)[0], curve.at(1.0, false)[0]], [1.0, 5.0]);
    }

    #[test]
    fn steps_keep_the_value_of_the_point_before() {
        let curve = curve(Smoothness::Constant, Extrapolation::HoldLastPoint);
        assert_eq!([curve.at(0.99, false)[0], curve.at(1.0, false)[0], curve.at(6.0, false)[0]], [0.0, 1.0, -1.0]);
    }
}
