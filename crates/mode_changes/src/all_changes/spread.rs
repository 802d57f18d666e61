//! How far what mode changes cause reaches, in all changes at once.
//!
//! What arrives at an equation is kept as the pairs in which it is at least 0, 1, …; the highest values settle first,
//! and a value travels from the variable that an equation is solved for to the equations that read it, less the slack
//! `d - c - σ` of the entry. This is the Dijkstra of [`crate::Potentials`] with sets of pairs.
//!
//! Sets stay small where causes are near. In a chain of clutches they are not: what happens to a shaft depends on all
//! clutches as far as they are engaged, a diagram as long as the chain for each of its shafts. A set that would grow
//! beyond a size stays as it is; its equation is then *open*, and so is everything that reads from it.

use modeshift_dae::{EquationId, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet};
use modeshift_structure::{Analysis, EdgeId, Thermometer};

use super::left_limits::InPairs;
use super::space::{Moment, PairSpace};

/// What mode changes cause, and where.
#[derive(Clone, Copy, Debug)]
pub struct Causes<'a> {
    /// The pairs in which each equation is new.
    pub is_new: &'a IndexVec<EquationId, ModeSet>,
    /// Derivatives of equations that the past need not satisfy.
    pub defects: &'a [InPairs<EquationId>],
    /// Derivatives of variables that laws of a `when` set.
    pub set_by_laws: &'a [InPairs<VariableId>],
}

/// How much is written out.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Only these pairs matter; sets are right inside.
    pub within: ModeSet,
    /// No set gets larger than this number of nodes on the way.
    pub largest: usize,
}

/// Nodes that all sets together may take, roughly: some tens of megabytes.
const MOST_NODES: usize = 1_000_000;
/// A set of so few nodes is never too large.
const LEAST_NODES: usize = 100;

impl Extent {
    /// Of all pairs, as much as a model with this number of equations can afford.
    pub fn affordable(equations: usize) -> Extent {
        Extent { within: ModeSet::ALL, largest: (MOST_NODES / equations.max(1)).max(LEAST_NODES) }
    }
}

/// By equation and value, the pairs in which at least this value is there.
pub(crate) type Levels = IndexVec<EquationId, Vec<ModeSet>>;

/// What was found.
pub(crate) struct Spread<'a> {
    pairs: &'a PairSpace<'a>,
    analysis: &'a Analysis,
    extent: Extent,
    /// What is caused in the equations themselves.
    pub(crate) caused: Levels,
    /// What arrives, no less than what is caused; all that arrives where it is not open.
    pub(crate) arrived: Levels,
    /// Where more may arrive than is written out.
    pub(crate) open: IndexVec<EquationId, Vec<bool>>,
    /// Where values go from each equation; found when something arrives there.
    steps: IndexVec<EquationId, Option<Vec<Step>>>,
}

/// From an equation, by the variable that it is solved for, to an equation that reads it.
#[derive(Clone, Copy)]
struct Step {
    reader: EquationId,
    slack: u32,
    pairs: ModeSet,
}

impl<'a> Spread<'a> {
    /// Spreads causes until nothing moves.
    pub(crate) fn new(
        pairs: &'a PairSpace<'a>,
        analysis: &'a Analysis,
        causes: &Causes,
        extent: Extent,
    ) -> Result<Self, Limit> {
        let highest = highest_value(analysis, causes);
        let levels = || vec![ModeSet::EMPTY; highest as usize + 1];
        let equations = causes.is_new;
        let mut spread = Spread {
            pairs,
            analysis,
            extent,
            caused: equations.iter().map(|_| levels()).collect(),
            arrived: IndexVec::new(),
            open: equations.iter().map(|_| vec![false; highest as usize + 1]).collect(),
            steps: equations.iter().map(|_| None).collect(),
        };
        for (equation, &new) in causes.is_new.iter_enumerated() {
            spread.cause(equation, 0, new);
        }
        causes.defects.iter().for_each(|constraint| spread.violated(constraint));
        causes.set_by_laws.iter().for_each(|limit| spread.set_by_law(limit));
        spread.arrived = spread.caused.clone();
        for value in (0..=highest).rev() {
            spread.settle(value);
            spread.open_readers(value);
            pairs.space.check()?;
        }
        Ok(spread)
    }

    /// A set as it is seen from inside the pairs that matter: all operations may be done with what this returns.
    fn seen(&self, set: ModeSet) -> ModeSet {
        let within = self.extent.within;
        if within.is_all() { set } else { self.pairs.space.constrain(set, within) }
    }

    fn cause(&mut self, equation: EquationId, value: u32, pairs: ModeSet) {
        let seen = self.seen(pairs);
        let known = &mut self.caused[equation][value as usize];
        *known = self.pairs.space.or(*known, seen);
    }

    /// A derivative `k` that need not vanish enters with potential `c - k`.
    fn violated(&mut self, constraint: &InPairs<EquationId>) {
        let offset = &self.analysis.offsets.equations[constraint.of];
        for value in 0..=offset.maximum().saturating_sub(constraint.order) {
            let enough = self.pairs.at_least(offset, constraint.order + value, Moment::After);
            self.cause(constraint.of, value, self.pairs.space.and(constraint.pairs, enough));
        }
    }

    /// A law about the derivative `k` of a variable enters with potential `d - k` where the variable is solved for.
    fn set_by_law(&mut self, limit: &InPairs<VariableId>) {
        let offset = &self.analysis.offsets.variables[limit.of];
        for &edge in self.analysis.incidence.edges_of_variable(limit.of) {
            let matched = self.pairs.after(self.analysis.matching.edges[edge]);
            let here = self.pairs.space.and(limit.pairs, matched);
            for value in 0..=offset.maximum().saturating_sub(limit.order) {
                let enough = self.pairs.at_least(offset, limit.order + value, Moment::After);
                let equation = self.analysis.incidence.equation(edge);
                self.cause(equation, value, self.pairs.space.and(here, enough));
            }
        }
    }

    /// Spreads what is at least `value`: from higher values across slack, then along tight entries until nothing moves.
    fn settle(&mut self, value: u32) {
        let mut moved: IndexVec<EquationId, bool> = self.arrived.iter().map(|_| false).collect();
        for levels in self.arrived.iter_mut() {
            if let Some(&above) = levels.get(value as usize + 1) {
                levels[value as usize] = self.pairs.space.or(levels[value as usize], above);
            }
        }
        for equation in self.arrived.ids() {
            for higher in value + 1..self.arrived[equation].len() as u32 {
                self.push(equation, higher, value, &mut moved);
            }
            moved[equation] = !self.arrived[equation][value as usize].is_empty();
        }
        self.sweep(value, &mut moved);
    }

    /// Follows tight entries, up and down the order of the equations: what is local is there near each other.
    fn sweep(&mut self, value: u32, moved: &mut IndexVec<EquationId, bool>) {
        let order = &self.analysis.order;
        while moved.iter().any(|&moved| moved) && self.pairs.space.check().is_ok() {
            for &equation in order.iter().chain(order.iter().rev()) {
                if std::mem::replace(&mut moved[equation], false) {
                    self.push(equation, value, value, moved);
                }
            }
        }
    }

    /// Sends what is at least `from` at an equation to those where it is at least `value` then.
    fn push(&mut self, equation: EquationId, from: u32, value: u32, moved: &mut IndexVec<EquationId, bool>) {
        let source = self.arrived[equation][from as usize];
        if source.is_empty() {
            return;
        }
        let space = &self.pairs.space;
        self.find_steps(equation);
        for step in self.steps[equation].iter().flatten().filter(|step| step.slack == from - value) {
            let arriving = space.and(source, step.pairs);
            let known = &mut self.arrived[step.reader][value as usize];
            if space.implies(arriving, *known) {
                continue;
            }
            let extended = space.or(*known, arriving);
            if space.size(extended) <= self.extent.largest {
                *known = extended;
                moved[step.reader] = true;
                continue;
            }
            self.open[step.reader][value as usize] = true;
            if known.is_empty() {
                // One example, so that it shows that something arrives.
                *known = space.valuation(&space.pick(arriving).expect("something arrives"));
                moved[step.reader] = true;
            }
        }
    }

    /// Where more may arrive than is written out, more may go on.
    fn open_readers(&mut self, value: u32) {
        let mut waiting: Vec<EquationId> = Vec::new();
        for equation in self.open.ids() {
            for higher in value as usize + 1..self.open[equation].len() {
                if self.open[equation][higher] {
                    self.open[equation][value as usize] = true;
                    self.open_beyond(equation, higher as u32 - value, value, &mut waiting);
                }
            }
        }
        waiting.extend(self.open.iter_enumerated().filter(|(_, open)| open[value as usize]).map(|(it, _)| it));
        while let Some(equation) = waiting.pop() {
            self.open_beyond(equation, 0, value, &mut waiting);
        }
    }

    fn open_beyond(&mut self, equation: EquationId, slack: u32, value: u32, waiting: &mut Vec<EquationId>) {
        self.find_steps(equation);
        for step in self.steps[equation].iter().flatten().filter(|step| step.slack == slack) {
            if !std::mem::replace(&mut self.open[step.reader][value as usize], true) {
                waiting.push(step.reader);
            }
        }
    }

    fn find_steps(&mut self, equation: EquationId) {
        if self.steps[equation].is_some() {
            return;
        }
        let (incidence, matching) = (&self.analysis.incidence, &self.analysis.matching);
        let highest = self.caused[equation].len() as u32 - 1;
        let mut steps = Vec::new();
        for edge in incidence.edges_of_equation(equation).filter(|&edge| !matching.edges[edge].is_empty()) {
            for &reading in incidence.edges_of_variable(incidence.variable(edge)) {
                let reader = incidence.equation(reading);
                for slack in (0..=highest).filter(|_| reader != equation) {
                    let modes = self.analysis.space.and(matching.edges[edge], slack_is(self.analysis, reading, slack));
                    let pairs = self.seen(self.pairs.after(modes));
                    steps.extend((!pairs.is_empty()).then_some(Step { reader, slack, pairs }));
                }
            }
        }
        self.steps[equation] = Some(steps);
    }
}

/// The highest value that anything enters with.
fn highest_value(analysis: &Analysis, causes: &Causes) -> u32 {
    let of_equations = analysis.offsets.equations.iter().map(Thermometer::maximum).max().unwrap_or(0);
    let of_law = |it: &InPairs<VariableId>| analysis.offsets.variables[it.of].maximum().saturating_sub(it.order);
    causes.set_by_laws.iter().map(of_law).max().unwrap_or(0).max(of_equations)
}

/// The modes in which an entry has this slack `d - c - σ`.
fn slack_is(analysis: &Analysis, edge: EdgeId, slack: u32) -> ModeSet {
    let space = &analysis.space;
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
