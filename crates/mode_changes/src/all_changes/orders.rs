//! Impulse orders of all mode changes at once.
//!
//! The order of a variable is what arrives at the equation that it is solved from, less its offset. Where sets of
//! changes are small they are written out; where they are not ([`PairPotentials::is_open`]), the orders are said by
//! rules, which are as short as the model: see [`OrderRule`].

use modeshift_dae::{EquationId, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet};
use modeshift_structure::{Analysis, EdgeId};

use super::rules::{OrderRule, order_rules};
use super::space::PairSpace;
use super::spread::{Causes, Extent, Levels, Spread};

/// What arrives at the equations of a model, in all mode changes.
#[derive(Clone, Debug)]
pub struct PairPotentials {
    /// By equation, the pairs in which at least 0, 1, … is caused there.
    pub(crate) caused: Levels,
    /// By equation, the pairs in which at least 0, 1, … arrives.
    arrived: Levels,
    /// Where more may arrive than is written out.
    open: IndexVec<EquationId, Vec<bool>>,
}

/// Spreads what mode changes cause over the dependencies of the modes after.
pub fn pair_potentials(
    pairs: &PairSpace,
    analysis: &Analysis,
    causes: &Causes,
    extent: Extent,
) -> Result<PairPotentials, Limit> {
    let Spread { caused, arrived, open, .. } = Spread::new(pairs, analysis, causes, extent)?;
    Ok(PairPotentials { caused, arrived, open })
}

impl PairPotentials {
    /// Whether more changes may reach some variable than are written out.
    pub fn is_any_open(&self) -> bool {
        self.open.iter().flatten().any(|&open| open)
    }

    /// Whether more changes may reach a variable than are written out: then [`Self::orders`] are examples, and
    /// [`Self::rules`] the whole truth.
    pub fn is_open(&self, analysis: &Analysis, variable: VariableId) -> bool {
        let edges = analysis.incidence.edges_of_variable(variable).iter();
        let solved = edges.filter(|&&edge| !analysis.matching.edges[edge].is_empty());
        solved.map(|&edge| analysis.incidence.equation(edge)).any(|equation| self.open[equation].contains(&true))
    }

    /// What determines the orders of a variable: its own causes and its neighbours.
    pub fn rules(&self, pairs: &PairSpace, analysis: &Analysis, variable: VariableId) -> Vec<OrderRule> {
        order_rules(pairs, analysis, self, variable)
    }

    /// Whether anything arrives at an equation in some change.
    pub(crate) fn reaches(&self, equation: EquationId) -> bool {
        self.arrived[equation].first().is_some_and(|pairs| !pairs.is_empty()) || self.open[equation].contains(&true)
    }

    /// The impulse orders of a variable with their pairs, highest first: what is above zero is impulsive, zero is a
    /// jump, and `-k` says that the `k`-th derivative jumps. Only what the leading derivative or less shows is listed.
    pub fn orders(&self, pairs: &PairSpace, analysis: &Analysis, variable: VariableId) -> Vec<(i64, ModeSet)> {
        let offset = &analysis.offsets.variables[variable];
        let mut found: Vec<(i64, ModeSet)> = Vec::new();
        let reached = self.of_variable(pairs, analysis, variable);
        for value in (0..reached.len()).rev() {
            let above = reached.get(value + 1).copied().unwrap_or(ModeSet::EMPTY);
            let exactly = pairs.space.difference(reached[value], above);
            for leading in 0..=offset.maximum() {
                let here = pairs.after(offset.equal_to(&analysis.space, leading));
                let here = pairs.space.and(exactly, here);
                if !here.is_empty() {
                    found.push((value as i64 - i64::from(leading), here));
                }
            }
        }
        merge(pairs, found)
    }

    /// The pairs in which the potential at the equation that a variable is matched with is at least 0, 1, ….
    fn of_variable(&self, pairs: &PairSpace, analysis: &Analysis, variable: VariableId) -> Vec<ModeSet> {
        let levels = self.arrived.iter().next().map_or(0, Vec::len); // the same for all
        let matched = |edge: &EdgeId| pairs.after(analysis.matching.edges[*edge]);
        let edges = analysis.incidence.edges_of_variable(variable);
        (0..levels)
            .map(|value| {
                let through = edges.iter().map(|edge| {
                    let equation = analysis.incidence.equation(*edge);
                    pairs.space.and(matched(edge), self.arrived[equation][value])
                });
                pairs.space.union(through)
            })
            .collect()
    }
}

/// Unites the pairs of equal orders; highest orders first.
fn merge(pairs: &PairSpace, mut found: Vec<(i64, ModeSet)>) -> Vec<(i64, ModeSet)> {
    found.sort_by_key(|&(order, _)| -order);
    let mut merged: Vec<(i64, ModeSet)> = Vec::new();
    for (order, set) in found {
        match merged.last_mut().filter(|last| last.0 == order) {
            Some(last) => last.1 = pairs.space.or(last.1, set),
            None => merged.push((order, set)),
        }
    }
    merged
}
