//! Impulse orders of all mode changes at once: the shortest paths of [`crate::Potentials`], with sets of pairs.
//!
//! What arrives at an equation is kept as the pairs in which it is at least 0, 1, …; the highest values settle first.

use modeshift_dae::{EquationId, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet};
use modeshift_structure::{Analysis, EdgeId, Thermometer};

use crate::pair_memory::InPairs;
use crate::pair_space::{Moment, PairSpace};

/// By equation, the pairs in which the potential that arrives is at least 0, 1, ….
#[derive(Clone, Debug)]
pub struct PairPotentials {
    at_least: IndexVec<EquationId, Vec<ModeSet>>,
    /// Equations at which more may arrive, from further away than is listed.
    open: IndexVec<EquationId, bool>,
}

/// Spreads what new and erased equations cause, and what laws set, over the dependencies of the modes after.
pub fn pair_potentials(
    pairs: &PairSpace,
    analysis: &Analysis,
    is_new: &IndexVec<EquationId, ModeSet>,
    erased: &[InPairs<EquationId>],
    set_by_laws: &[InPairs<VariableId>],
) -> Result<PairPotentials, Limit> {
    let of_equations = analysis.offsets.equations.iter().map(Thermometer::maximum).max().unwrap_or(0);
    let of_law = |it: &InPairs<VariableId>| analysis.offsets.variables[it.of].maximum().saturating_sub(it.order);
    let highest = set_by_laws.iter().map(of_law).max().unwrap_or(0).max(of_equations);
    let mut spread = Spread {
        pairs,
        analysis,
        at_least: is_new.iter().map(|_| vec![ModeSet::EMPTY; highest as usize + 1]).collect(),
        open: is_new.iter().map(|_| false).collect(),
        largest: (MOST_NODES / is_new.len().max(1)).max(LEAST_NODES),
    };
    for (equation, &new) in is_new.iter_enumerated() {
        spread.at_least[equation][0] = new;
    }
    for constraint in erased {
        spread.erased(constraint);
    }
    for limit in set_by_laws {
        spread.set_by_law(limit);
    }
    for value in (0..=highest).rev() {
        spread.settle(value);
        pairs.space.check()?;
    }
    Ok(PairPotentials { at_least: spread.at_least, open: spread.open })
}

impl PairPotentials {
    /// At how many equations only what is caused nearby is listed.
    pub fn open_count(&self) -> usize {
        self.open.iter().filter(|open| **open).count()
    }

    /// The pairs in which the potential at an equation is at least `value`.
    pub fn at_least(&self, equation: EquationId, value: u32) -> ModeSet {
        self.at_least[equation].get(value as usize).copied().unwrap_or(ModeSet::EMPTY)
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
        let levels = self.at_least.iter().next().map_or(0, Vec::len); // the same for all
        let matched = |edge: &EdgeId| pairs.after(analysis.matching.edges[*edge]);
        let edges = analysis.incidence.edges_of_variable(variable);
        (0..levels)
            .map(|value| {
                let through = edges.iter().map(|edge| {
                    let equation = analysis.incidence.equation(*edge);
                    pairs.space.and(matched(edge), self.at_least[equation][value])
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

/// Nodes that all sets together may take, roughly.
const MOST_NODES: usize = 1_000_000;
/// A set of so few nodes is never too large.
const LEAST_NODES: usize = 100;

struct Spread<'a> {
    pairs: &'a PairSpace<'a>,
    analysis: &'a Analysis,
    at_least: IndexVec<EquationId, Vec<ModeSet>>,
    open: IndexVec<EquationId, bool>,
    /// Sets of more nodes are not extended. In a chain of clutches, what happens to a shaft depends on all clutches as
    /// far as they are engaged: a diagram as long as the chain for each of its shafts.
    largest: usize,
}

impl Spread<'_> {
    /// An erased derivative `k` enters with potential `c - k`.
    fn erased(&mut self, constraint: &InPairs<EquationId>) {
        let offset = &self.analysis.offsets.equations[constraint.of];
        for value in 0..=offset.maximum().saturating_sub(constraint.order) {
            let enough = self.pairs.at_least(offset, constraint.order + value, Moment::After);
            let enters = self.pairs.space.and(constraint.pairs, enough);
            let known = &mut self.at_least[constraint.of][value as usize];
            *known = self.pairs.space.or(*known, enters);
        }
    }

    /// A law about the derivative `k` of a variable enters with potential `d - k` where the variable is solved for.
    fn set_by_law(&mut self, limit: &InPairs<VariableId>) {
        let offset = &self.analysis.offsets.variables[limit.of];
        for &edge in self.analysis.incidence.edges_of_variable(limit.of) {
            let matched = self.pairs.after(self.analysis.matching.edges[edge]);
            let here = self.pairs.space.and(limit.pairs, matched);
            let levels = &mut self.at_least[self.analysis.incidence.equation(edge)];
            for value in 0..=offset.maximum().saturating_sub(limit.order) {
                let enough = self.pairs.at_least(offset, limit.order + value, Moment::After);
                let known = &mut levels[value as usize];
                *known = self.pairs.space.or(*known, self.pairs.space.and(here, enough));
            }
        }
    }

    /// Spreads what is at least `value`: from higher values across slack, then along tight entries until nothing moves.
    fn settle(&mut self, value: u32) {
        let mut moved: IndexVec<EquationId, bool> = self.at_least.iter().map(|_| false).collect();
        for equation in self.at_least.ids() {
            let levels = &mut self.at_least[equation];
            if let Some(&above) = levels.get(value as usize + 1) {
                levels[value as usize] = self.pairs.space.or(levels[value as usize], above);
            }
        }
        for equation in self.at_least.ids() {
            for higher in value + 1..self.at_least[equation].len() as u32 {
                let source = self.at_least[equation][higher as usize];
                self.push(equation, source, higher - value, value, &mut moved);
            }
            moved[equation] = !self.at_least[equation][value as usize].is_empty();
        }
        self.sweep(value, &mut moved);
    }

    /// Follows tight entries, up and down the order of the equations: what is local is there near each other.
    fn sweep(&mut self, value: u32, moved: &mut IndexVec<EquationId, bool>) {
        let order = &self.analysis.order;
        while moved.iter().any(|&moved| moved) && self.pairs.space.check().is_ok() {
            for &equation in order.iter().chain(order.iter().rev()) {
                if std::mem::replace(&mut moved[equation], false) {
                    let source = self.at_least[equation][value as usize];
                    self.push(equation, source, 0, value, moved);
                }
            }
        }
    }

    /// Sends `source` from an equation, through its matched variables and entries of this slack, to their readers.
    fn push(
        &mut self,
        equation: EquationId,
        source: ModeSet,
        slack: u32,
        value: u32,
        moved: &mut IndexVec<EquationId, bool>,
    ) {
        if source.is_empty() {
            return;
        }
        let incidence = &self.analysis.incidence;
        for edge in incidence.edges_of_equation(equation) {
            let through = self.pairs.space.and(source, self.pairs.after(self.analysis.matching.edges[edge]));
            if through.is_empty() {
                continue;
            }
            for &reading in incidence.edges_of_variable(incidence.variable(edge)) {
                let modes = self.slack_is(reading, slack);
                let arriving = self.pairs.space.and(through, self.pairs.after(modes));
                let reader = incidence.equation(reading);
                let known = self.at_least[reader][value as usize];
                if reader != equation && !self.pairs.space.implies(arriving, known) {
                    let extended = self.pairs.space.or(known, arriving);
                    if self.pairs.space.size(extended) > self.largest {
                        self.open[reader] = true;
                        continue;
                    }
                    self.at_least[reader][value as usize] = extended;
                    moved[reader] = true;
                }
            }
        }
    }

    /// The modes in which an entry has this slack `d - c - σ`.
    fn slack_is(&self, edge: EdgeId, slack: u32) -> ModeSet {
        let (analysis, space) = (self.analysis, &self.analysis.space);
        if slack == 0 {
            return analysis.matching.tight[edge];
        }
        let equation_offset = &analysis.offsets.equations[analysis.incidence.equation(edge)];
        let variable_offset = &analysis.offsets.variables[analysis.incidence.variable(edge)];
        let mut sets = Vec::new();
        for &(order, modes) in analysis.incidence.orders(edge) {
            for c in 0..=equation_offset.maximum() {
                let here = space.and(modes, equation_offset.equal_to(space, c));
                sets.push(space.and(here, variable_offset.equal_to(space, order + c + slack)));
            }
        }
        space.union(sets)
    }
}
