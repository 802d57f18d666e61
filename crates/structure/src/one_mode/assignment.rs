//! The heaviest perfect matching of one mode: the primal problem of the Σ-method, by shortest augmenting paths with
//! integer prices.
//!
//! Prices keep `price(variable) - price(equation) >= order` on all entries, with equality on matched ones. A run goes from
//! mode to mode, and few equations change: there the search starts from what the last mode knew ([`Hints`]), and only
//! what does not fit is searched again.
//!
//! E22 §4.3 before its multimode extension, RR9322 §3.

use std::collections::VecDeque;

use super::signature::Signature;

/// No partner in a matching.
pub(super) const NONE: u32 = u32::MAX;

/// What is known of a mode that is like the one to be analyzed, in the numbers of the latter. The better it fits, the
/// shorter the search; the offsets that are found do not depend on it.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// By equation: how often it was differentiated there, and its variable.
    pub equations: Vec<Option<(u32, u32)>>,
    /// By variable: the order of its leading derivative there.
    pub variables: Vec<Option<u32>>,
}

/// A perfect matching of maximum total order, as the variable of each equation; none if there is no perfect one.
pub(super) fn heaviest_matching(signature: &Signature) -> Option<Vec<u32>> {
    perfect(signature, Assignment::new)
}

/// The same for a mode that is like another one.
pub(super) fn heaviest_matching_near(signature: &Signature, hints: &Hints) -> Option<Vec<u32>> {
    perfect(signature, |signature| Assignment::near(signature, hints))
}

fn perfect<'a>(signature: &'a Signature, first: impl Fn(&'a Signature) -> Assignment<'a>) -> Option<Vec<u32>> {
    if signature.equation_count() != signature.variable_count() {
        return None;
    }
    let mut assignment = first(signature);
    assignment.match_greedily();
    for equation in signature.equations() {
        if assignment.variable_of[equation as usize] == NONE && !assignment.augment_from(equation) {
            return None;
        }
    }
    Some(assignment.variable_of)
}

struct Assignment<'a> {
    signature: &'a Signature,
    variable_of: Vec<u32>,
    equation_of: Vec<u32>,
    equation_price: Vec<i64>,
    variable_price: Vec<i64>,
    /// Of the current search: the shortest slack to each variable, the equation before it, and the search it is of.
    distance: Vec<i64>,
    before: Vec<u32>,
    search: Vec<u32>,
    searches: u32,
}

impl<'a> Assignment<'a> {
    fn new(signature: &'a Signature) -> Self {
        let mut variable_price = vec![0; signature.variable_count()];
        for &(variable, order) in signature.all_entries() {
            let price = &mut variable_price[variable as usize];
            *price = i64::from(order).max(*price);
        }
        Assignment {
            signature,
            variable_of: vec![NONE; signature.equation_count()],
            equation_of: vec![NONE; signature.variable_count()],
            equation_price: vec![0; signature.equation_count()],
            variable_price,
            distance: vec![0; signature.variable_count()],
            before: vec![NONE; signature.variable_count()],
            search: vec![0; signature.variable_count()],
            searches: 0,
        }
    }

    /// Prices and partners as the hints say, where they fit: prices of variables are taken as they are, those of
    /// equations lowered until they fit, variables without a hint priced last.
    fn near(signature: &'a Signature, hints: &Hints) -> Self {
        let mut assignment = Assignment::new(signature);
        let price_of = |variable: u32| hints.variables[variable as usize].map(i64::from);
        for equation in signature.equations() {
            let entries = signature.entries(equation).iter();
            let bounds = entries.filter_map(|&(variable, order)| Some(price_of(variable)? - i64::from(order)));
            let hint = hints.equations[equation as usize].map(|(offset, _)| i64::from(offset));
            assignment.equation_price[equation as usize] = bounds.chain(hint).min().unwrap_or(0);
        }
        let lowest = assignment.equation_price.iter().copied().min().unwrap_or(0);
        for (variable, price) in assignment.variable_price.iter_mut().enumerate() {
            *price = price_of(variable as u32).unwrap_or(lowest);
        }
        for equation in signature.equations() {
            let own = assignment.equation_price[equation as usize];
            for &(variable, order) in signature.entries(equation) {
                let price = &mut assignment.variable_price[variable as usize];
                *price = (own + i64::from(order)).max(*price);
            }
        }
        assignment.keep_partners(hints);
        assignment
    }

    /// Matches what the hints match, as far as that is tight.
    fn keep_partners(&mut self, hints: &Hints) {
        let signature = self.signature;
        for equation in signature.equations() {
            let Some((_, partner)) = hints.equations[equation as usize] else { continue };
            let entry = signature.entries(equation).iter().find(|entry| entry.0 == partner);
            if let Some(&(variable, order)) = entry
                && self.equation_of[variable as usize] == NONE
                && self.slack(equation, variable, order) == 0
            {
                self.variable_of[equation as usize] = variable;
                self.equation_of[variable as usize] = equation;
            }
        }
    }

    fn slack(&self, equation: u32, variable: u32, order: u32) -> i64 {
        self.variable_price[variable as usize] - self.equation_price[equation as usize] - i64::from(order)
    }

    fn match_greedily(&mut self) {
        for equation in self.signature.equations() {
            if self.variable_of[equation as usize] != NONE {
                continue;
            }
            let free = self.signature.entries(equation).iter().find(|&&(variable, order)| {
                self.equation_of[variable as usize] == NONE && self.slack(equation, variable, order) == 0
            });
            if let Some(&(variable, _)) = free {
                self.variable_of[equation as usize] = variable;
                self.equation_of[variable as usize] = equation;
            }
        }
    }

    /// Matches one more equation along a path of least total slack; false if no path leads to a free variable.
    ///
    /// Slacks are small integers, so the queue is an array of buckets (R. Dial, 1969), each of them first in, first out: a free variable
    /// nearby is found before the other end of a line.
    fn augment_from(&mut self, start: u32) -> bool {
        self.searches += 1;
        let mut buckets: Vec<VecDeque<u32>> = vec![VecDeque::new()];
        let mut settled: Vec<u32> = Vec::new();
        let mut reached: Vec<(u32, i64)> = vec![(start, 0)];
        self.relax(start, 0, &mut buckets);
        let mut length = 0;
        while length < buckets.len() {
            let Some(variable) = buckets[length].pop_front() else {
                length += 1;
                continue;
            };
            if self.distance[variable as usize] != length as i64 {
                continue; // a shorter way was found since
            }
            let equation = self.equation_of[variable as usize];
            if equation == NONE {
                self.change_prices(&reached, &settled, length as i64);
                self.turn_path(variable);
                return true;
            }
            settled.push(variable);
            reached.push((equation, length as i64));
            self.relax(equation, length as i64, &mut buckets);
        }
        false
    }

    fn relax(&mut self, equation: u32, length: i64, buckets: &mut Vec<VecDeque<u32>>) {
        let signature = self.signature;
        for &(variable, order) in signature.entries(equation) {
            let candidate = length + self.slack(equation, variable, order);
            let at = variable as usize;
            let known = self.search[at] == self.searches;
            if !known || candidate < self.distance[at] {
                self.search[at] = self.searches;
                self.distance[at] = candidate;
                self.before[at] = equation;
                let bucket = usize::try_from(candidate).expect("slacks are not negative");
                if buckets.len() <= bucket {
                    buckets.resize(bucket + 1, VecDeque::new());
                }
                buckets[bucket].push_back(variable);
            }
        }
    }

    fn change_prices(&mut self, reached: &[(u32, i64)], settled: &[u32], length: i64) {
        for &(equation, distance) in reached {
            self.equation_price[equation as usize] += length - distance;
        }
        for &variable in settled {
            self.variable_price[variable as usize] += length - self.distance[variable as usize];
        }
    }

    fn turn_path(&mut self, end: u32) {
        let mut variable = end;
        while variable != NONE {
            let equation = self.before[variable as usize];
            self.equation_of[variable as usize] = equation;
            variable = std::mem::replace(&mut self.variable_of[equation as usize], variable);
        }
    }
}
