//! What a wave sends ahead: states that grow by orders of magnitude towards what their neighbours are already.
//!
//! Along a ladder that begins at rest, the state behind the `k`-th coil grows like the `2k`-th power of the time, long before
//! the wave is there. Measured by its own size such a precursor would have to be followed with all its digits, in steps that
//! are ever shorter beside those of the wave, for digits that nobody sees once the wave has come. So errors of a state that is
//! still growing are measured against a small share of what its neighbours may make of it ([`SHARE`]).
//!
//! What they may make of it comes from the Jacobian. Two states swing at the rate `r_ij = (|J_ij| |J_ji|)^(1/2)`, whatever the units,
//! and a state goes back by itself at the rate `|J_ii| - Σ r_ik`, with the sum over its others. It becomes `|J_ij|` times its neighbour by
//! the largest of its own rate and those of the neighbour: `(|J_ij| / |J_ji|)^(1/2)` times where they swing. And so on from state to
//! state, in the order in which they grow, the slowest first. That order too is free of units: along a chain each grows faster than the
//! one before. A state that has come to its size is measured by that again, however small it is beside its neighbours:
//! the ripple behind a filter has all its digits.

use modeshift_numerics::Pattern;

use super::Sizes;

/// Of what neighbours may make of a growing state, the share that its errors are measured against. The errors that are allowed in
/// the neighbours become a tolerance of all of it: what is added to that is a thousandth.
const SHARE: f64 = 1e-3;
/// A state is growing when its largest value has become so many times larger within the last steps.
const GROWTH: f64 = 1.5;

/// A growing state beside the one that it follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precursor {
    state: usize,
    /// The state that the chain of neighbours begins with.
    source: usize,
    /// How large this one may become, beside the source.
    gain: f64,
}

impl Precursor {
    /// The growing state.
    pub(in crate::integrate) fn state(&self) -> usize {
        self.state
    }

    /// What its neighbours may make of it.
    pub(in crate::integrate) fn prospect(&self, sizes: &[f64]) -> f64 {
        self.gain * sizes[self.source]
    }

    /// What its errors are measured against at least.
    pub(super) fn least_size(&self, sizes: &[f64]) -> f64 {
        SHARE * self.prospect(sizes)
    }
}

/// Whether states grow, some of which may be precursors.
pub(in crate::integrate) fn may_be(sizes: &Sizes) -> bool {
    let is_growing = |state: usize| sizes.lately[state] > 0.0 && growth(sizes, state) > GROWTH;
    sizes.now.len() > 1 && (0..sizes.now.len()).any(is_growing)
}

/// By how much the largest value of a state has grown lately: infinitely, where it was zero.
fn growth(sizes: &Sizes, state: usize) -> f64 {
    if sizes.earlier[state] > 0.0 { sizes.lately[state] / sizes.earlier[state] } else { f64::INFINITY }
}

/// The states that follow others, where the Jacobian has these entries.
pub(in crate::integrate) fn precursors(pattern: &Pattern, entries: &[f64], sizes: &Sizes) -> Vec<Precursor> {
    let growths: Vec<f64> = (0..sizes.now.len()).map(|state| growth(sizes, state)).collect();
    let mut growing: Vec<usize> = (0..growths.len()).filter(|&state| growths[state] > GROWTH).collect();
    growing.sort_by(|&one, &other| growths[one].total_cmp(&growths[other]));
    // Of states that were zero until now it is not known how fast they grow: these come as far from the others as they are.
    let unknown = growing.split_off(growing.partition_point(|&state| growths[state].is_finite()));
    let own = |state: usize| (growths[state] <= GROWTH).then_some((state, sizes.now[state]));
    let rates = Rates::new(pattern, entries);
    let mut chains = Chains { rates, sizes, prospects: (0..growths.len()).map(own).collect() };
    let mut found: Vec<Precursor> = growing.into_iter().filter_map(|state| chains.join(state)).collect();
    // Whom each of them hears from: a chain of a thousand states is as many rounds of one state each.
    let mut heard_by: Vec<Vec<usize>> = vec![Vec::new(); if unknown.is_empty() { 0 } else { growths.len() }];
    for &state in &unknown {
        chains.neighbours(state).for_each(|(other, _)| heard_by[other].push(state));
    }
    let mut next: Vec<usize> = unknown.into_iter().filter(|&state| chains.reach(state)).collect();
    while !next.is_empty() {
        // As far as now: what joins in this round is no neighbour in it.
        let offers: Vec<_> = next.iter().map(|&state| chains.offer(state)).collect();
        found.extend(next.iter().zip(offers).filter_map(|(&state, offer)| chains.accept(state, offer)));
        let mut later: Vec<usize> = next.iter().flat_map(|&state| &heard_by[state]).copied().collect();
        later.retain(|&state| chains.prospects[state].is_none());
        later.sort_unstable();
        later.dedup();
        next = later;
    }
    found
}

/// States that were reached from those that do not grow, each with what it may become and the state that makes it so.
struct Chains<'a> {
    rates: Rates<'a>,
    sizes: &'a Sizes,
    prospects: Vec<Option<(usize, f64)>>,
}

impl Chains<'_> {
    fn neighbours(&self, state: usize) -> impl Iterator<Item = (usize, f64)> {
        let Rates { pattern, entries, .. } = self.rates;
        pattern.row_entries(entries, state).filter(move |&(other, value)| other != state && value != 0.0)
    }

    /// Whether a neighbour was reached.
    fn reach(&self, state: usize) -> bool {
        self.neighbours(state).any(|(other, _)| self.prospects[other].is_some())
    }

    /// The most that a state may become: what it is, or what a neighbour makes of it.
    fn offer(&self, state: usize) -> (usize, f64) {
        let offers = self.neighbours(state).filter_map(|(other, value)| {
            let (source, size) = self.prospects[other]?;
            Some((source, size * self.rates.gain(state, other, value)))
        });
        offers.fold((state, self.sizes.now[state]), |best, offer| if offer.1 > best.1 { offer } else { best })
    }

    fn accept(&mut self, state: usize, (source, prospect): (usize, f64)) -> Option<Precursor> {
        self.prospects[state] = Some((source, prospect));
        let follows = source != state && prospect.is_finite();
        follows.then(|| Precursor { state, source, gain: prospect / self.sizes.now[source] })
    }

    fn join(&mut self, state: usize) -> Option<Precursor> {
        let offer = self.offer(state);
        self.accept(state, offer)
    }
}

/// How fast states act, free of units: the square roots of their effects on one another forth and back, and what they go back
/// with by themselves beyond that.
struct Rates<'a> {
    pattern: &'a Pattern,
    entries: &'a [f64],
    /// By state: what it goes back with, all its effects together, and the largest.
    of: Vec<[f64; 3]>,
}

impl<'a> Rates<'a> {
    fn new(pattern: &'a Pattern, entries: &'a [f64]) -> Self {
        let mut rates = Rates { pattern, entries, of: Vec::new() };
        rates.of = (0..pattern.row_count())
            .map(|state| {
                pattern.row_entries(entries, state).fold([0.0, 0.0, 0.0f64], |[own, all, largest], (other, value)| {
                    if other == state {
                        return [value.abs(), all, largest];
                    }
                    let swing = rates.swing(state, other, value);
                    [own, all + swing, largest.max(swing)]
                })
            })
            .collect();
        rates
    }

    /// With what a state and another, which has this effect on it, swing.
    fn swing(&self, state: usize, other: usize, value: f64) -> f64 {
        let place = self.pattern.row(other).binary_search(&(state as u32));
        let back = place.map_or(0.0, |place| self.entries[self.pattern.row_range(other).start + place]);
        (value.abs() * back.abs()).sqrt()
    }

    /// How many times as large as another, which has this effect on it, a state may become while the other is what it is.
    fn gain(&self, state: usize, other: usize, value: f64) -> f64 {
        let swing = self.swing(state, other, value);
        let ([own, all, _], [others_own, others_all, largest]) = (self.of[state], self.of[other]);
        value.abs() / (own - (all - swing)).max(others_own - others_all).max(largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain in which each state swings with its neighbours, in units of their own.
    fn chain(units: &[f64]) -> (Pattern, Vec<f64>) {
        let count = units.len();
        let columns = |row: usize| (row.saturating_sub(1)..(row + 2).min(count)).filter(move |&column| column != row);
        let pattern =
            Pattern::from_rows(count, (0..count).map(|row| columns(row).map(|it| it as u32).collect::<Vec<_>>()));
        let entry = |row: usize, column: usize| (if column < row { 1.0 } else { -1.0 }) * units[row] / units[column];
        let entries = (0..count).flat_map(|row| columns(row).map(move |column| (row, column)));
        (pattern, entries.map(|(row, column)| entry(row, column)).collect())
    }

    fn of(now: &[f64], earlier: &[f64]) -> Sizes {
        Sizes { now: now.to_vec(), lately: now.to_vec(), earlier: earlier.to_vec(), ..Sizes::default() }
    }

    #[test]
    fn what_grows_ahead_of_a_wave_is_measured_by_the_wave_in_any_units() {
        let units = [1.0, 1e6, 1e-9, 3.0];
        let (pattern, entries) = chain(&units);
        let in_units =
            |values: [f64; 4]| -> Vec<f64> { values.iter().zip(units).map(|(it, unit)| it * unit).collect() };
        let sizes = of(&in_units([2.0, 1e-3, 1e-9, 1e-30]), &in_units([2.0, 1e-4, 1e-12, 1e-36]));
        let found = precursors(&pattern, &entries, &sizes);
        assert_eq!(found.iter().map(Precursor::state).collect::<Vec<_>>(), [1, 2, 3]);
        for precursor in found {
            let prospect = precursor.prospect(&sizes.now) / units[precursor.state()];
            assert!((prospect - 2.0).abs() < 1e-12, "{precursor:?}: {prospect}");
        }
    }

    #[test]
    fn what_was_zero_joins_from_neighbour_to_neighbour() {
        let (pattern, entries) = chain(&[1.0; 6]);
        let sizes = of(&[0.0, 1e-7, 1e-3, 2.0, 1e-3, 0.0], &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        let found = precursors(&pattern, &entries, &sizes);
        assert_eq!(found.iter().map(Precursor::state).collect::<Vec<_>>(), [2, 4, 1, 5, 0]);
        assert!(found.iter().all(|it| (it.prospect(&sizes.now) - 2.0).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn what_has_come_to_its_size_is_measured_by_that() {
        let (pattern, entries) = chain(&[1.0; 3]);
        let sizes = of(&[1.0, 1e-4, 1e-8], &[1.0, 1e-4, 0.9e-8]);
        assert!(!may_be(&sizes));
        assert_eq!(precursors(&pattern, &entries, &sizes), []);
    }
}
