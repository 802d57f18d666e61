//! A curve with so many points only as can be seen.
//!
//! Of all points in a short piece of time the first, the lowest, the highest and the last are kept, and whether the
//! curve is interrupted: drawn at that resolution, nothing else shows.

/// Points beyond which a series is thinned out while it is recorded.
const MOST_POINTS: usize = 1 << 15;

/// Pieces of time that are told apart when it is; more than any picture has pixels.
const PIECES: usize = 1 << 12;

/// A point of a curve; a value that is not finite interrupts it.
pub(super) type Point = (f64, f64);

/// A curve, in the order of time.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    points: Vec<Point>,
}

impl Series {
    /// Appends a point.
    pub(super) fn push(&mut self, time: f64, value: f64) {
        if self.points.len() >= MOST_POINTS {
            self.points = thinned(&self.points, PIECES);
        }
        self.points.push((time, value));
    }

    /// Appends a value that holds from this time on; only changes cost memory.
    pub(super) fn push_step(&mut self, time: f64, value: f64) {
        match self.points.last() {
            Some(&(_, last)) if last == value || (last.is_nan() && value.is_nan()) => {}
            Some(&(_, last)) => {
                self.push(time, last);
                self.push(time, value);
            }
            None => self.push(time, value),
        }
    }

    /// All points that were kept.
    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    /// Points enough for a picture of this width.
    pub(super) fn points_for(&self, pixels: usize) -> Vec<Point> {
        if self.points.len() <= 4 * pixels { self.points.clone() } else { thinned(&self.points, pixels) }
    }

    /// The lowest and the highest finite value.
    pub(super) fn extent(&self) -> Option<(f64, f64)> {
        let finite = self.points.iter().map(|&(_, value)| value).filter(|value| value.is_finite());
        finite.fold(None, |extent, value| match extent {
            None => Some((value, value)),
            Some((low, high)) => Some((value.min(low), value.max(high))),
        })
    }

    /// Whether the values differ by more than rounding.
    pub(super) fn varies(&self) -> bool {
        self.extent().is_some_and(|(low, high)| high - low > 1e-9 * high.abs().max(low.abs()))
    }
}

fn thinned(points: &[Point], pieces: usize) -> Vec<Point> {
    let [(start, _), .., (stop, _)] = points else { return points.to_vec() };
    let width = (stop - start) / pieces as f64;
    let piece = |&(time, _): &Point| if width > 0.0 { ((time - start) / width) as usize } else { 0 };
    points.chunk_by(|one, other| piece(one) == piece(other)).flat_map(seen_of).collect()
}

/// What shows of the points of one piece, in their order.
fn seen_of(points: &[Point]) -> Vec<Point> {
    let value = |at: &usize| points[*at].1;
    let finite = || (0..points.len()).filter(|at| value(at).is_finite());
    let lowest = finite().min_by(|one, other| value(one).total_cmp(&value(other)));
    let highest = finite().max_by(|one, other| value(one).total_cmp(&value(other)));
    let interrupted = (0..points.len()).find(|at| !value(at).is_finite());
    let mut kept: Vec<usize> =
        [Some(0), lowest, highest, interrupted, Some(points.len() - 1)].into_iter().flatten().collect();
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|at| points[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_points_are_thinned_out_and_keep_their_extremes() {
        let mut series = Series::default();
        for at in 0..1_000_000 {
            let spike = if at == 123_456 { 7.0 } else { 0.0 };
            series.push(f64::from(at), (f64::from(at) * 0.01).sin() + spike);
        }
        assert!(series.points().len() <= MOST_POINTS);
        let (low, high) = series.extent().expect("there are values");
        assert!(low < -0.9999 && high > 6.0);
        assert!(series.points_for(800).len() <= 4 * 801);
        assert!(series.points().windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }

    #[test]
    fn interruptions_are_kept() {
        let mut series = Series::default();
        for at in 0..100_000 {
            series.push(f64::from(at), if (40_000..60_000).contains(&at) { f64::NAN } else { 1.0 });
        }
        let gap =
            |points: &[Point]| points.iter().filter(|(_, value)| value.is_nan()).map(|&(time, _)| time as i64).max();
        assert!(gap(&series.points_for(500)).is_some_and(|last| (59_000..60_000).contains(&last)));
    }

    #[test]
    fn steps_cost_memory_only_where_they_change() {
        let mut series = Series::default();
        for at in 0..1000 {
            series.push_step(f64::from(at), if at < 500 { 0.0 } else { 1.0 });
        }
        assert_eq!(series.points(), [(0.0, 0.0), (500.0, 0.0), (500.0, 1.0)]);
    }
}
