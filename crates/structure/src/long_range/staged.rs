//! A verdict as its minimal automaton: what is asked of a set of modes is answered cut by cut.
//!
//! The diagram of a verdict has a node per class and cut. Where a network is wide these are hundreds per switch, and all that
//! is kept with them is more than a machine has. The automaton is the same with its periods shared, and the questions that words ask
//! take a sweep or two: the fewest deviations from usual values that lead into the verdict and how many there are, the usual values
//! themselves, whether some values alone decide, and the nearest mode without it.

use std::rc::Rc;

use modeshift_modes::{Deviations, ModeVariable};
use rustc_hash::FxHashMap;

use super::automaton::{Automaton, OUT};
use super::plan::Plan;
use crate::locality::lists::Lists;

/// Values that as many modes have as the opposite ones are compared up to rounding.
const SAME_COUNT: f64 = 1e-6;
/// So many numbers of deviations are counted, from the fewest on.
const SIZES: usize = 3;
/// Where more deviations than this are needed, nothing is counted: polynomials would be long, and the numbers mean nothing.
const LARGEST_COUNTED: usize = 40;
/// Farther than any mode.
const NEVER: u32 = u32::MAX;

/// The modes of a verdict: those that do not pass the automaton.
#[derive(Debug)]
pub struct Staged {
    passing: Automaton,
    entering: Lists<ModeVariable>,
    /// By table: the places of entering mode variables that matter, as a set of bits.
    matters: Vec<u32>,
}

/// What is known of the classes of a cut, each list once: where a network repeats itself, so do they.
#[derive(Default)]
struct Vectors {
    all: Vec<Rc<[u32]>>,
    numbers: FxHashMap<Rc<[u32]>, u32>,
}

impl Vectors {
    fn number(&mut self, vector: Vec<u32>) -> u32 {
        let vector: Rc<[u32]> = vector.into();
        *self.numbers.entry(vector).or_insert_with_key(|vector| {
            self.all.push(vector.clone());
            self.all.len() as u32 - 1
        })
    }
}

impl std::ops::Index<u32> for Vectors {
    type Output = [u32];

    fn index(&self, number: u32) -> &[u32] {
        &self.all[number as usize]
    }
}

impl Staged {
    /// Of the minimal automaton of a plan.
    pub(super) fn new(passing: Automaton, plan: &Plan) -> Staged {
        let mut entering = Lists::new();
        for step in 0..plan.steps.len() {
            plan.entering_modes.of(step).iter().for_each(|&variable| entering.push_item(variable));
            entering.end_list();
        }
        let matters = (0..passing.table_count()).map(|table| places_that_matter(&passing, table)).collect();
        Staged { passing, entering, matters }
    }

    fn steps(&self) -> usize {
        self.entering.len()
    }

    /// Whether every mode has the verdict, so that there is nothing to follow.
    fn is_all(&self) -> bool {
        self.steps() > 0 && self.passing.rows(0).next().is_none()
    }

    /// The mode variables that the verdict depends on, where they enter.
    fn variables(&self, step: usize) -> impl Iterator<Item = (usize, ModeVariable)> {
        let matters = self.matters[self.passing.table(step)];
        let entering = self.entering.of(step).iter().copied().enumerate();
        entering.filter(move |(place, _)| matters >> place & 1 == 1)
    }

    /// Whether a mode has the verdict.
    pub fn contains(&self, value: impl Fn(ModeVariable) -> bool) -> bool {
        if self.is_all() {
            return true;
        }
        let mut class = 0;
        for step in 0..self.steps() {
            let entering = self.entering.of(step).iter().enumerate();
            let values = entering.fold(0, |values, (place, &variable)| values | usize::from(value(variable)) << place);
            class = self.passing.row(step, class)[values];
            if class == OUT {
                return true;
            }
        }
        false
    }

    /// Whether no mode has the verdict: whatever is out shows in a table.
    pub fn is_empty(&self) -> bool {
        !self.is_all() && (0..self.passing.table_count()).all(|table| !self.passing.entries(table).contains(&OUT))
    }

    /// The values that mode variables have in more modes without the verdict than the opposite ones; `true` where they are as many. Of
    /// those that it depends on, in order of declaration.
    pub fn usual_values_without(&self) -> Vec<(ModeVariable, bool)> {
        let (mut shares, ahead) = self.shares_ahead();
        let mut behind = shares.number(bits(&[1.0]));
        // By table, what is behind and what is ahead: the values in more modes, as a set of places, and what is behind the next cut.
        let mut known: FxHashMap<(u32, u32, u32), (u32, u32)> = FxHashMap::default();
        let mut usual = Vec::new();
        for step in 0..self.steps() {
            let key = (self.passing.table(step) as u32, behind, ahead[step + 1]);
            let (values, next) = match known.get(&key) {
                Some(&found) => found,
                None => {
                    let (values, next) = self.usual_at(step, (&shares[behind], &shares[ahead[step + 1]]));
                    let found = (values, shares.number(bits(&next)));
                    known.insert(key, found);
                    found
                }
            };
            usual.extend(self.variables(step).map(|(place, variable)| (variable, values >> place & 1 == 1)));
            behind = next;
        }
        usual.sort_unstable();
        usual
    }

    /// The values that entering mode variables have in more modes that pass, as a set of places, and the shares of modes behind the
    /// next cut, from those behind this one and ahead of the next.
    fn usual_at(&self, step: usize, (behind, ahead): (&[u32], &[u32])) -> (u32, Vec<f64>) {
        let share = |bits: u32| f64::from(f32::from_bits(bits));
        let mut with: Vec<[f64; 2]> = vec![[0.0; 2]; self.entering.of(step).len()];
        let mut next = vec![0.0; ahead.len()];
        for (row, &behind) in self.passing.rows(step).zip(behind) {
            for (values, &class) in row.iter().enumerate().filter(|it| *it.1 != OUT) {
                next[class as usize] += share(behind);
                let modes = share(behind) * share(ahead[class as usize]);
                with.iter_mut().enumerate().for_each(|(place, with)| with[values >> place & 1] += modes);
            }
        }
        let is_true = |&[of_false, of_true]: &[f64; 2]| of_true * (1.0 + SAME_COUNT) >= of_false;
        let values =
            with.iter().enumerate().filter(|it| is_true(it.1)).fold(0, |values, (place, _)| values | 1 << place);
        (values, next)
    }

    /// By cut and class: how many modes pass from there, as a share of the class with most.
    fn shares_ahead(&self) -> (Vectors, Vec<u32>) {
        let mut shares = Vectors::default();
        let mut numbers = vec![shares.number(bits(&[1.0]))];
        let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for step in (0..self.steps()).rev() {
            let (table, after) = (self.passing.table(step) as u32, numbers[numbers.len() - 1]);
            let own = known.get(&(table, after)).copied().unwrap_or_else(|| {
                let of_class = |&class: &u32| match class {
                    OUT => 0.0,
                    class => f64::from(f32::from_bits(shares[after][class as usize])),
                };
                let own: Vec<f64> = self.passing.rows(step).map(|row| row.iter().map(of_class).sum()).collect();
                let own = shares.number(bits(&own));
                known.insert((table, after), own);
                own
            });
            numbers.push(own);
        }
        numbers.reverse();
        (shares, numbers)
    }

    /// The fewest variables that have to deviate from `usual` values to get the verdict; nothing where no mode has it.
    pub fn fewest_deviations(&self, usual: impl Fn(ModeVariable) -> bool) -> Option<Deviations> {
        if self.is_all() {
            return Some(Deviations { example: Vec::new(), counts: vec![(0, Some(1))] });
        }
        let cost = |variable: ModeVariable, value: bool| u32::from(value != usual(variable));
        let example = self.nearest(cost, [NEVER, 0])?;
        let mut example: Vec<ModeVariable> =
            example.into_iter().filter(|&(variable, value)| value != usual(variable)).map(|it| it.0).collect();
        example.sort_unstable();
        let counts = if example.len() > LARGEST_COUNTED { Vec::new() } else { self.counts(example.len(), usual) };
        Some(Deviations { example, counts })
    }

    /// A mode without the verdict that has these values, and as few deviations from `usual` in others as can be: what it has for the
    /// variables that matter, as far as they were met; nothing where there is none.
    pub fn nearest_without(
        &self,
        given: &FxHashMap<ModeVariable, bool>,
        usual: impl Fn(ModeVariable) -> bool,
    ) -> Option<Vec<(ModeVariable, bool)>> {
        if self.is_all() {
            return None;
        }
        let cost = |variable: ModeVariable, value: bool| match given.get(&variable) {
            Some(&given) if given != value => NEVER,
            Some(_) => 0,
            None => u32::from(value != usual(variable)),
        };
        self.nearest(cost, [0, NEVER])
    }

    /// A cheapest mode that passes, or that does not, by what is still to be paid in each case. Of several the one that deviates first.
    fn nearest(
        &self,
        cost: impl Fn(ModeVariable, bool) -> u32,
        [passed, out]: [u32; 2],
    ) -> Option<Vec<(ModeVariable, bool)>> {
        let (mut vectors, mut all_costs) = (Vectors::default(), Vectors::default());
        let mut distances = vec![vectors.number(vec![passed])];
        let mut known: FxHashMap<(u32, u32, u32), u32> = FxHashMap::default();
        for step in (0..self.steps()).rev() {
            let after = distances[distances.len() - 1];
            let costs = all_costs.number(self.costs(step, &cost));
            let key = (self.passing.table(step) as u32, after, costs);
            let own = known.get(&key).copied().unwrap_or_else(|| {
                let (after, costs) = (&vectors[after], &all_costs[costs]);
                let distance = |row: &[u32]| {
                    let ways =
                        row.iter().zip(costs).map(|(&class, cost)| cost.saturating_add(beyond(after, class, out)));
                    ways.min().unwrap_or(NEVER)
                };
                let own = vectors.number(self.passing.rows(step).map(distance).collect());
                known.insert(key, own);
                own
            });
            distances.push(own);
        }
        distances.reverse();
        if vectors[distances[0]].first().is_none_or(|&distance| distance == NEVER) {
            return None;
        }
        let mut mode = Vec::new();
        let mut class = 0;
        for step in 0..self.steps() {
            let costs = self.costs(step, &cost);
            let (row, after) = (self.passing.row(step, class), &vectors[distances[step + 1]]);
            let total = |values: usize| costs[values].saturating_add(beyond(after, row[values], out));
            let values = (0..row.len()).min_by_key(|&values| (total(values), std::cmp::Reverse(costs[values])))?;
            let entering = self.entering.of(step).iter().enumerate();
            mode.extend(entering.map(|(place, &variable)| (variable, values >> place & 1 == 1)));
            class = row[values];
            if class == OUT {
                break;
            }
        }
        Some(mode)
    }

    /// What the values of entering mode variables cost. Those that do not matter are as they like to be.
    fn costs(&self, step: usize, cost: impl Fn(ModeVariable, bool) -> u32) -> Vec<u32> {
        let entering = self.entering.of(step);
        let of = |values: usize| {
            let parts = entering.iter().enumerate().map(|(place, &variable)| cost(variable, values >> place & 1 == 1));
            parts.fold(0, u32::saturating_add)
        };
        (0..1 << entering.len()).map(of).collect()
    }

    /// How many modes of the verdict deviate in `fewest` variables and in the next two numbers of them, of variables that it depends on.
    fn counts(&self, fewest: usize, usual: impl Fn(ModeVariable) -> bool) -> Vec<(usize, Option<u128>)> {
        let degrees = fewest + SIZES;
        let mut remaining = 0;
        // By class one after the other: there are hundreds of them at each cut of a wide network.
        let mut polynomials = vec![0u128; degrees];
        let mut own: Vec<u128> = Vec::new();
        for step in (0..self.steps()).rev() {
            let matters = self.matters[self.passing.table(step)];
            let deviations: Vec<(usize, usize)> = (0..1 << self.entering.of(step).len())
                // Of what does not matter, one value counts.
                .filter(|values| values & !(matters as usize) == 0)
                .map(|values| {
                    let deviates =
                        |&(place, variable): &(usize, ModeVariable)| (values >> place & 1 == 1) != usual(variable);
                    (values, self.variables(step).filter(deviates).count())
                })
                .collect();
            let all_out = binomials(remaining, degrees);
            own.clear();
            for row in self.passing.rows(step) {
                let sum = own.len();
                own.resize(sum + degrees, 0);
                for &(values, shift) in &deviations {
                    let class = row[values];
                    let of_class = class as usize * degrees;
                    let below = if class == OUT { &all_out[..] } else { &polynomials[of_class..][..degrees] };
                    for (degree, coefficient) in below.iter().enumerate().take(degrees.saturating_sub(shift)) {
                        let counted = &mut own[sum + degree + shift];
                        *counted = counted.saturating_add(*coefficient);
                    }
                }
            }
            std::mem::swap(&mut polynomials, &mut own);
            remaining += self.variables(step).count();
        }
        let whole = polynomials.get(..degrees).unwrap_or_default();
        let sizes = (fewest..degrees).filter(|&size| size <= remaining);
        sizes.map(|size| (size, whole.get(size).copied().filter(|&count| count < u128::MAX))).collect()
    }

    /// Whether all modes with these values have the verdict.
    pub fn is_implied_by(&self, values: &[(ModeVariable, bool)]) -> bool {
        if self.is_all() {
            return true;
        }
        let given: FxHashMap<ModeVariable, bool> = values.iter().copied().collect();
        self.nearest_without(&given, |_| true).is_none()
    }

    /// How many nodes its diagram would have, about.
    pub(super) fn diagram_size(&self) -> usize {
        (0..self.steps()).map(|step| self.passing.rows(step).len() * self.entering.of(step).len()).sum()
    }

    /// The automaton, for its diagram.
    pub(super) fn passing(&self) -> &Automaton {
        &self.passing
    }
}

/// What is still to be paid behind a step.
fn beyond(after: &[u32], class: u32, out: u32) -> u32 {
    if class == OUT { out } else { after[class as usize] }
}

/// Shares of the largest, which may be anything, rounded to single precision and as bits, so that equal ones are found.
fn bits(numbers: &[f64]) -> Vec<u32> {
    let largest = numbers.iter().copied().fold(0.0, f64::max);
    let scale = if largest > 0.0 { largest } else { 1.0 };
    numbers.iter().map(|number| ((number / scale) as f32).to_bits()).collect()
}

/// The coefficients of (1 + x)^`variables`, as many as there are degrees.
fn binomials(variables: usize, degrees: usize) -> Vec<u128> {
    let mut binomial = 1u128;
    let next = |chosen: usize| {
        let this = binomial;
        // Once it is too large it stays so: nothing is divided.
        binomial = match binomial.checked_mul(variables.saturating_sub(chosen) as u128) {
            Some(product) if binomial < u128::MAX => product / (chosen as u128 + 1),
            _ => u128::MAX,
        };
        this
    };
    (0..degrees).map(next).collect()
}

/// The places of entering mode variables at which some row of a table has two different values.
fn places_that_matter(automaton: &Automaton, table: usize) -> u32 {
    let width = automaton.width(table);
    let places = width.trailing_zeros();
    let differs = |place: &u32| {
        let mut rows = automaton.entries(table).chunks_exact(width);
        rows.any(|row| (0..width).any(|values| row[values] != row[values ^ 1 << place]))
    };
    (0..places).filter(differs).fold(0, |set, place| set | 1 << place)
}
