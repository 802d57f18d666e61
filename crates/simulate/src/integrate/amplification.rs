//! How much larger than in the states the errors of steps are where they show.
//!
//! Step control sees errors of states, each relative to its own size. What counts are the errors of all variables, and
//! errors of states can show many times larger: in a variable that follows from small differences of states, or from an
//! exponential; or a quarter of a period later, in the partner of a state that swings with it, as the
//! voltage of a capacitor with the current of an inductor. Both are looked at along the error that the method makes, whose
//! direction is that in which the states leave the polynomial through the states before.

use modeshift_numerics::Pattern;

use super::Ode;
use super::evaluations::Evaluations;
use super::methods::lagrange;

/// The relative size of the error whose effects are computed: small, but clear of rounding.
const PROBE: f64 = 1e-7;
/// What has less than this share of the largest error has no part in it.
const PART: f64 = 0.1;
/// So many states are remembered: four that a polynomial goes through, and the one after them.
pub(super) const LOOKED_AT: usize = 5;

/// The last states.
#[derive(Clone)]
pub(super) struct Recent {
    times: [f64; LOOKED_AT],
    states: [Vec<f64>; LOOKED_AT],
    /// How many there are, of which the last came last.
    count: usize,
}

impl Recent {
    /// At the beginning.
    pub(super) fn new(time: f64, state: &[f64]) -> Self {
        let mut recent =
            Recent { times: [0.0; LOOKED_AT], states: std::array::from_fn(|_| vec![0.0; state.len()]), count: 0 };
        recent.add(time, state);
        recent
    }

    /// Remembers the state after a step.
    pub(super) fn add(&mut self, time: f64, state: &[f64]) {
        if self.is_full() {
            self.times.rotate_left(1);
            self.states.rotate_left(1);
        } else {
            self.count += 1;
        }
        self.times[self.count - 1] = time;
        self.states[self.count - 1].copy_from_slice(state);
    }

    /// Whether an error can be had.
    pub(super) fn is_full(&self) -> bool {
        self.count == LOOKED_AT
    }

    /// The last time and state.
    pub(super) fn last(&self) -> (f64, &[f64]) {
        (self.times[self.count - 1], &self.states[self.count - 1])
    }

    /// How large the states are, with these nominal values.
    pub(super) fn sizes(&self, declared: &[f64]) -> Vec<f64> {
        let largest = |index: usize| self.states[..self.count].iter().map(|it| it[index].abs()).fold(0.0, f64::max);
        declared.iter().enumerate().map(|(index, &declared)| declared.max(largest(index))).collect()
    }

    /// How the last state differs from where the cubic polynomial through those before leads: an error like those of
    /// steps, but for its size.
    pub(super) fn error(&self) -> Option<Vec<f64>> {
        if !self.is_full() {
            return None;
        }
        let [t0, t1, t2, t3, at] = self.times;
        let factors = lagrange(&[t0, t1, t2, t3], at);
        let (before, last) = (&self.states[..LOOKED_AT - 1], &self.states[LOOKED_AT - 1]);
        let extrapolated = |index: usize| -> f64 { before.iter().zip(factors).map(|(it, by)| by * it[index]).sum() };
        let error: Vec<f64> = last.iter().enumerate().map(|(index, value)| value - extrapolated(index)).collect();
        error.iter().all(|it| it.is_finite()).then_some(error)
    }
}

/// How many times larger than in the states, which have these sizes, an error like this one is where it shows.
pub(super) fn amplification<System: Ode>(
    evaluations: &Evaluations<System>,
    sizes: &[f64],
    (time, state): (f64, &[f64]),
    error: &[f64],
) -> f64 {
    // What has no size has no error either.
    let size = |index: usize| sizes[index].max(f64::MIN_POSITIVE);
    let largest = error.iter().enumerate().map(|(index, error)| error.abs() / size(index)).fold(0.0, f64::max);
    if !(largest > 0.0 && largest.is_finite()) {
        return 1.0;
    }
    let probe: Vec<f64> = error.iter().map(|it| it * PROBE / largest).collect();
    let now = evaluations.system().shown_error(time, state, &probe) / PROBE;
    let later = evaluations.with_jacobian(time, state, |pattern, entries| match pattern {
        Some(pattern) => swing(pattern, entries, &probe, size),
        None => swing(&Pattern::dense(state.len(), state.len()), entries, &probe, size),
    });
    let found = now.max(later.unwrap_or(0.0));
    if found.is_finite() { found.max(1.0) } else { 1.0 }
}

/// How much larger errors become in states that swing: two swing where each drives the other, in opposite directions, so
/// strongly that damping leaves them complex eigenvalues. Then the error of one is, a quarter of a period later, the
/// other's. Only those count in which this error has a part.
fn swing(pattern: &Pattern, entries: &[f64], error: &[f64], size: impl Fn(usize) -> f64) -> f64 {
    let entry = |row: usize, column: usize| {
        let place = pattern.row(row).binary_search(&(column as u32)).ok()?;
        Some(entries[pattern.row_range(row).start + place])
    };
    let diagonal = |row: usize| entry(row, row).unwrap_or(0.0);
    let mut largest = 0.0f64;
    for row in 0..pattern.row_count() {
        let partners = || {
            let others = pattern.row_entries(entries, row).filter(|&(column, _)| column != row);
            others.filter_map(|(column, value)| {
                let product = value * entry(column, row)?;
                let damping = 0.5 * (diagonal(row) - diagonal(column));
                (-product > damping * damping).then_some((column, value, product))
            })
        };
        let square: f64 = partners().map(|(_, _, product)| -product).sum();
        let rate = square.sqrt().max(diagonal(row).abs());
        let driven: f64 = partners().map(|(column, value, _)| value * error[column]).sum();
        if rate == 0.0 || error[row].hypot(driven / rate) < PART * PROBE * size(row) {
            continue;
        }
        let gains = partners().map(|(column, value, _)| value.abs() * size(column) / (rate * size(row)));
        largest = gains.fold(largest, f64::max);
    }
    largest
}
