//! Impulse orders as rules: local, and exact however far an impulse reaches.
//!
//! An equation that is solved for `y` gives the term of `y` the greatest order among its other terms and its defect
//! (E22 §9.2, with all known terms merged into one defect). So, for each equation, `[[y']] >= [[z]]` in the changes to
//! modes in which it is solved for `y` and reads `z`, and `[[y']] >= 1` in those that leave it a defect. The orders of
//! a change are the least numbers that satisfy all rules: a variable that no rule reaches is untouched. Every rule
//! depends on the mode variables of one equation, so that all of them together are as long as the model, where the
//! sets of changes that they describe may be as long for each variable.

use std::collections::BTreeMap;

use modeshift_dae::{Derivative, VariableId};
use modeshift_modes::ModeSet;
use modeshift_structure::{Analysis, EdgeId};

use super::orders::PairPotentials;
use super::space::PairSpace;

/// What the order of a variable is not below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OrderBound {
    /// What is caused in the equation itself.
    Number(i64),
    /// The order of a derivative of another variable.
    Of(Derivative<VariableId>),
}

/// In some changes, a derivative of a variable has at least the order of something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderRule {
    /// Which derivative of the variable.
    pub derivative: u32,
    /// The order it is not below.
    pub bound: OrderBound,
    /// The changes.
    pub pairs: ModeSet,
}

/// All rules about a variable, those about its own equations first.
pub(crate) fn order_rules(
    pairs: &PairSpace,
    analysis: &Analysis,
    potentials: &PairPotentials,
    variable: VariableId,
) -> Vec<OrderRule> {
    let mut rules = Rules { pairs, analysis, potentials, found: BTreeMap::new() };
    for &edge in analysis.incidence.edges_of_variable(variable) {
        if !analysis.matching.edges[edge].is_empty() {
            rules.own_causes(edge);
            rules.neighbours(edge);
        }
    }
    let rule = |((bound, derivative), sets)| OrderRule { derivative, bound, pairs: pairs.space.union(sets) };
    let found: Vec<OrderRule> = rules.found.into_iter().map(rule).collect();
    found.into_iter().filter(|rule| !rule.pairs.is_empty()).collect()
}

struct Rules<'a> {
    pairs: &'a PairSpace<'a>,
    analysis: &'a Analysis,
    potentials: &'a PairPotentials,
    found: BTreeMap<(OrderBound, u32), Vec<ModeSet>>,
}

impl Rules<'_> {
    fn add(&mut self, derivative: u32, bound: OrderBound, pairs: ModeSet) {
        if !pairs.is_empty() {
            self.found.entry((bound, derivative)).or_default().push(pairs);
        }
    }

    /// Where the equation is solved for the variable: what is caused in it.
    fn own_causes(&mut self, solved: EdgeId) {
        let (pairs, analysis) = (self.pairs, self.analysis);
        let matched = pairs.after(analysis.matching.edges[solved]);
        let caused = &self.potentials.caused[analysis.incidence.equation(solved)];
        let offset = &analysis.offsets.variables[analysis.incidence.variable(solved)];
        for value in 0..caused.len() {
            let above = caused.get(value + 1).copied().unwrap_or(ModeSet::EMPTY);
            let exactly = pairs.space.and(matched, pairs.space.difference(caused[value], above));
            for leading in 0..=offset.maximum() {
                let here = pairs.after(offset.equal_to(&analysis.space, leading));
                let order = value as i64 - i64::from(leading);
                self.add(0, OrderBound::Number(order), pairs.space.and(exactly, here));
            }
        }
    }

    /// Where the equation is solved for the variable: the other variables in it that something reaches.
    fn neighbours(&mut self, solved: EdgeId) {
        let (analysis, incidence, space) = (self.analysis, &self.analysis.incidence, &self.analysis.space);
        for reading in incidence.edges_of_equation(incidence.equation(solved)).filter(|&edge| edge != solved) {
            let other = incidence.variable(reading);
            if !self.is_reached(other) {
                continue;
            }
            for &(derivative, modes) in incidence.orders(solved) {
                let modes = space.and(modes, analysis.matching.edges[solved]);
                for &(order, reads) in incidence.orders(reading) {
                    let pairs = self.pairs.space.and(self.pairs.after(space.and(modes, reads)), self.pairs.regular);
                    self.add(derivative, OrderBound::Of(Derivative::new(other, order)), pairs);
                }
            }
        }
    }

    fn is_reached(&self, variable: VariableId) -> bool {
        let (incidence, matching) = (&self.analysis.incidence, &self.analysis.matching);
        let edges = incidence.edges_of_variable(variable).iter();
        let solved = edges.filter(|&&edge| !matching.edges[edge].is_empty());
        solved.map(|&edge| incidence.equation(edge)).any(|equation| self.potentials.reaches(equation))
    }
}
