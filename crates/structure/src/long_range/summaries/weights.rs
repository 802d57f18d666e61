//! What the equations behind the front weigh, matched with what: a valuated matroid on the boundary (Dress and Wenzel, 1992).
//!
//! `f(S)` is the largest sum of orders with which everything that has left and the set `S` of the boundary is covered, each variable
//! once and each equation once; one equation may be *doubled*, that is cover two. Sets without a doubled equation have one size, those
//! with one have one element more. The doubled ones are what makes offsets smallest: `c` of an equation is what would be gained if it
//! might be left out (Pryce's dual; the smallest solution is a derivative of the optimum), and then another one covers two.
//!
//! Values are relative to the largest of sets without a doubled equation. Those far below are dropped: by complementary slackness no
//! optimum uses a set of less than `-D·|B|`, with `D` the highest leading derivative. `D` is not known before, so what is found
//! is checked (`offsets`), and where the check fails more is kept.

use rustc_hash::FxHashMap;

use crate::long_range::plan::{Form, holds, with_gap, without_bit};

/// A summary for weights.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::long_range) struct Weights {
    /// The places of the boundary whose variables are there.
    present: u32,
    /// How many elements a set without a doubled equation has.
    size: u32,
    /// Sets of places with their values, by set.
    values: Vec<(u32, i32)>,
}

/// The heaviest ways to cover the variables around a step.
pub(in crate::long_range) struct Heaviest {
    /// With the step's equation matched, for each place that it can be matched with.
    pub(in crate::long_range) by_edge: Vec<(u8, i32)>,
    /// Without it, so that another one is doubled; nothing where that cannot be.
    pub(in crate::long_range) without: Option<i32>,
}

impl Weights {
    /// Of no equations.
    pub(in crate::long_range) fn start() -> Weights {
        Weights { present: 0, size: 0, values: vec![(0, 0)] }
    }

    /// The places whose variables are there.
    pub(in crate::long_range) fn present(&self) -> u32 {
        self.present
    }

    /// How many sets have a value.
    pub(in crate::long_range) fn sets(&self) -> usize {
        self.values.len()
    }

    /// After a step, and by how much all values were lowered; values below `-kept` are dropped. Nothing where the mode is singular,
    /// or too much was dropped.
    pub(in crate::long_range) fn step(&self, form: &Form, local: usize, kept: i32) -> Option<(Weights, i32)> {
        let mut after = self.clone();
        for (at, &table) in form.entering.iter().enumerate() {
            after.present |= u32::from(holds(table, local)) << (usize::from(form.before) + at);
        }
        after.join(form, local);
        for &(place, _) in &form.leaving {
            after.leave(place);
        }
        let lowered = after.normalize(kept)?;
        Some((after, lowered))
    }

    /// The same from behind: what entered leaves. `self` has the places of the step.
    pub(in crate::long_range) fn step_back(mut self, form: &Form, local: usize, kept: i32) -> Option<Weights> {
        self.join(form, local);
        for at in (0..form.entering.len()).rev() {
            self.leave(form.before + at as u8);
        }
        self.normalize(kept)?;
        Some(self)
    }

    /// A summary of what is after a step, with the places of the step.
    pub(in crate::long_range) fn expanded(&self, form: &Form, local: usize) -> Weights {
        let open = |set: u32| form.leaving.iter().rev().fold(set, |set, &(place, _)| with_gap(set, place));
        let leaving = form.leaving.iter().filter(|(_, table)| holds(*table, local));
        let present = leaving.fold(open(self.present), |present, &(place, _)| present | 1 << place);
        let values = self.values.iter().map(|&(set, value)| (open(set), value)).collect();
        Weights { present, size: self.size, values }
    }

    /// One more equation.
    fn join(&mut self, form: &Form, local: usize) {
        if !holds(form.guard, local) {
            return;
        }
        let edges: Vec<(u32, i32)> = edges(form, local).map(|(place, order)| (1 << place, order as i32)).collect();
        let mut grown: FxHashMap<u32, i32> = FxHashMap::default();
        let mut put = |set: u32, value: i32| {
            let known = grown.entry(set).or_insert(value);
            *known = value.max(*known);
        };
        for &(set, value) in &self.values {
            for (at, &(bit, order)) in edges.iter().enumerate().filter(|(_, edge)| set & edge.0 == 0) {
                put(set | bit, value + order);
                if set.count_ones() == self.size {
                    let others = edges[at + 1..].iter().filter(|edge| (set | bit) & edge.0 == 0);
                    others.for_each(|&(other, more)| put(set | bit | other, value + order + more));
                }
            }
        }
        self.size += 1;
        self.values = grown.into_iter().collect();
        self.values.sort_unstable();
    }

    /// The variable at a place leaves: it is covered, if it is there.
    fn leave(&mut self, place: u8) {
        let bit = 1u32 << place;
        let is_there = self.present & bit != 0;
        self.values.retain(|(set, _)| (set & bit != 0) == is_there);
        // Nothing is left where the mode is singular: sizes mean nothing then.
        self.size = self.size.saturating_sub(u32::from(is_there));
        self.values.iter_mut().for_each(|(set, _)| *set = without_bit(*set, place));
        self.present = without_bit(self.present, place);
        self.values.sort_unstable();
    }

    fn normalize(&mut self, kept: i32) -> Option<i32> {
        let of_size = self.values.iter().filter(|(set, _)| set.count_ones() == self.size);
        let highest = of_size.map(|it| it.1).max()?;
        self.values.iter_mut().for_each(|it| it.1 -= highest);
        self.values.retain(|it| it.1 >= -kept);
        Some(highest)
    }

    /// The heaviest coverings around a step, of what is before and what is after it, both with the places of the step.
    pub(in crate::long_range) fn heaviest(&self, after: &Weights, form: &Form, local: usize) -> Heaviest {
        let present = self.present | after.present;
        let of_rest: FxHashMap<u32, i32> = after.values.iter().copied().collect();
        let covered = |left_out: u32| {
            let all = present & !left_out;
            let ways = self.values.iter().filter(|(set, _)| set & !all == 0);
            ways.filter_map(|&(set, value)| Some(value + of_rest.get(&(all & !set))?)).max()
        };
        let by_edge = match holds(form.guard, local) {
            true => edges(form, local)
                .filter_map(|(place, order)| Some((place, covered(1 << place)? + order as i32)))
                .collect(),
            false => Vec::new(),
        };
        Heaviest { by_edge, without: covered(0) }
    }
}

/// The edges that are there: place and order.
pub(in crate::long_range) fn edges(form: &Form, local: usize) -> impl Iterator<Item = (u8, u32)> {
    let orders = form.orders.iter().map(|&order| u32::from(order)).chain(std::iter::repeat(0));
    let there = form.edges.iter().zip(orders).filter(move |((_, table), _)| holds(*table, local));
    there.map(|(&(place, _), order)| (place, order))
}
