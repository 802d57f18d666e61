//! The memory of all mode changes at once: which constraints are erased, which left limits are missing.
//!
//! The rules are those of [`Memory`](crate::one_change), as a matching over pairs of modes: hidden constraints, split by
//! whether they held before, in causal order, against left limits that the past does not set. The underdetermined part
//! of one matching of all pairs is what is not born; with the values that are kept instead, another one gives what is
//! erased. Where some of it has no value to fall back on, a third asks whether constraints determine it from the rest.

use std::collections::{BTreeMap, VecDeque};

use modeshift_dae::{Derivative, EquationId, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet};
use modeshift_structure::Analysis;

use super::guarded_matching::GuardedMatching;
use super::space::{Moment, PairSpace};

/// A derivative of an equation or a variable, and pairs of modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InPairs<I> {
    /// The equation or variable.
    pub of: I,
    /// Which of its derivatives.
    pub order: u32,
    /// In which changes.
    pub pairs: ModeSet,
}

impl<I: Copy> InPairs<I> {
    /// The derivative.
    pub fn derivative(&self) -> Derivative<I> {
        Derivative { of: self.of, order: self.order }
    }
}

/// What all changes remember.
#[derive(Clone, Debug)]
pub struct PairMemory {
    /// Constraints that the past need not satisfy.
    pub erased: Vec<InPairs<EquationId>>,
    /// Left limits that enter restarts but are no states of the mode before.
    pub missing: Vec<InPairs<VariableId>>,
    /// Those of them that follow from constraints of the mode after.
    pub born: Vec<InPairs<VariableId>>,
    /// Those of them for which there is neither a constraint, nor a value of the mode before, nor a start value.
    pub undetermined: Vec<InPairs<VariableId>>,
}

/// Compares every mode with every mode it may follow. Variables that begin have left limits wherever they did not exist.
pub fn pair_memory(
    pairs: &PairSpace,
    analysis: &Analysis,
    is_new: &IndexVec<EquationId, ModeSet>,
    has_start: &dyn Fn(VariableId) -> bool,
    begins: &dyn Fn(VariableId) -> bool,
) -> Result<PairMemory, Limit> {
    let numbers = Numbers { pairs, analysis, written: written_orders(pairs, analysis), has_start, begins };
    let strict = Graph::new(&numbers, is_new, &LeftLimits::new()).solve(pairs)?;
    let Limits { missing, given, mut open } = Limits::new(&numbers, &strict.underdetermined);
    // A constraint between values that are kept determines nothing.
    let erased = match given.is_empty() {
        true => strict.erased,
        false => Graph::new(&numbers, is_new, &given).solve(pairs)?.erased,
    };
    if !open.is_empty() {
        // With values to fall back on for some, constraints may determine others.
        let lenient = Graph::new(&numbers, is_new, &given).solve_with_fallbacks(&numbers)?;
        for (limit, undetermined) in &mut open {
            *undetermined = pairs.space.and(*undetermined, lenient.get(limit).copied().unwrap_or(ModeSet::ALL));
        }
    }
    let (mut born, mut undetermined) = (Vec::new(), Vec::new());
    for &InPairs { of, order, pairs: missing } in &missing {
        let of_limits = |limits: &LeftLimits| limits.get(&Derivative { of, order }).copied().unwrap_or(ModeSet::EMPTY);
        let not_born = pairs.space.or(of_limits(&open), of_limits(&given));
        born.push(InPairs { of, order, pairs: pairs.space.difference(missing, not_born) });
        undetermined.push(InPairs { of, order, pairs: of_limits(&open) });
    }
    born.retain(|item| !item.pairs.is_empty());
    undetermined.retain(|item| !item.pairs.is_empty());
    pairs.space.check()?;
    Ok(PairMemory { erased, missing, born, undetermined })
}

/// Sets of pairs by left limit.
type LeftLimits = BTreeMap<Derivative<VariableId>, ModeSet>;

/// Left limits that are missing.
struct Limits {
    missing: Vec<InPairs<VariableId>>,
    /// Those that constraints do not determine and that have a value to fall back on.
    given: LeftLimits,
    /// Those that have none.
    open: LeftLimits,
}

impl Limits {
    /// `underdetermined` are those that constraints do not determine; what is in no constraint is not in it.
    fn new(numbers: &Numbers, underdetermined: &LeftLimits) -> Self {
        let space = &numbers.pairs.space;
        let mut limits = Limits { missing: Vec::new(), given: LeftLimits::new(), open: LeftLimits::new() };
        for of in numbers.analysis.incidence.variables().ids() {
            for order in 0..numbers.written[of].len() as u32 {
                let missing = numbers.missing(of, order);
                if missing.is_empty() {
                    continue;
                }
                limits.missing.push(InPairs { of, order, pairs: missing });
                let not_born =
                    underdetermined.get(&Derivative { of, order }).map_or(missing, |&open| space.and(missing, open));
                let fallback = numbers.fallback(of, order);
                limits.given.insert(Derivative { of, order }, space.and(not_born, fallback));
                limits.open.insert(Derivative { of, order }, space.difference(not_born, fallback));
            }
        }
        limits.given.retain(|_, pairs| !pairs.is_empty());
        limits.open.retain(|_, pairs| !pairs.is_empty());
        limits
    }
}

/// By variable, the pairs in which a derivative of order at least 1, 2, … is written after the change.
fn written_orders(pairs: &PairSpace, analysis: &Analysis) -> IndexVec<VariableId, Vec<ModeSet>> {
    let incidence = &analysis.incidence;
    let mut written: IndexVec<VariableId, Vec<Vec<ModeSet>>> =
        incidence.variables().iter().map(|_| Vec::new()).collect();
    for edge in incidence.edges() {
        let levels = &mut written[incidence.variable(edge)];
        for &(order, modes) in incidence.orders(edge) {
            if levels.len() < order as usize {
                levels.resize(order as usize, Vec::new());
            }
            levels[..order as usize].iter_mut().for_each(|level| level.push(modes));
        }
    }
    let union = |level: Vec<ModeSet>| pairs.after(analysis.space.union(level));
    let mut result = IndexVec::new();
    for variable in incidence.variables().ids() {
        let levels = std::mem::take(&mut written[variable]);
        result.push(levels.into_iter().map(union).collect());
    }
    result
}

/// Numbers that depend on the pair.
struct Numbers<'a> {
    pairs: &'a PairSpace<'a>,
    analysis: &'a Analysis,
    written: IndexVec<VariableId, Vec<ModeSet>>,
    has_start: &'a dyn Fn(VariableId) -> bool,
    /// Whether a variable of a machine's state begins with a value of its own when the state is entered.
    begins: &'a dyn Fn(VariableId) -> bool,
}

impl Numbers<'_> {
    /// Pairs in which the derivative of this order is below the written order after.
    fn is_remembered(&self, variable: VariableId, order: u32) -> ModeSet {
        self.written[variable].get(order as usize).copied().unwrap_or(ModeSet::EMPTY)
    }

    /// Pairs in which the derivative of this order was a state before.
    fn was_state(&self, variable: VariableId, order: u32) -> ModeSet {
        let was = self.pairs.at_least(&self.analysis.offsets.variables[variable], order + 1, Moment::Before);
        if order > 0 || !(self.begins)(variable) {
            return was;
        }
        // What begins with a value of its own is as if it had been a state.
        let guard = self.analysis.incidence.variables()[variable].guard;
        let entered = self.pairs.space.difference(self.pairs.after(guard), self.pairs.before(guard));
        self.pairs.space.or(was, entered)
    }

    /// Pairs in which the mode before computed the derivative of this order.
    fn computed(&self, variable: VariableId, order: u32) -> ModeSet {
        let existed = self.pairs.before(self.analysis.incidence.variables()[variable].guard);
        let computed = self.pairs.at_least(&self.analysis.offsets.variables[variable], order, Moment::Before);
        self.pairs.space.and(existed, computed)
    }

    /// Pairs in which there is a value to fall back on: one of the mode before, or a start value.
    fn fallback(&self, variable: VariableId, order: u32) -> ModeSet {
        if order == 0 && (self.has_start)(variable) { ModeSet::ALL } else { self.computed(variable, order) }
    }

    fn missing(&self, variable: VariableId, order: u32) -> ModeSet {
        let remembered = self.is_remembered(variable, order);
        let space = &self.pairs.space;
        space.and(self.pairs.regular, space.difference(remembered, self.was_state(variable, order)))
    }
}

/// A hidden constraint, where it held before or where it is new.
#[derive(Clone, Copy)]
struct PairConstraint {
    equation: EquationId,
    order: u32,
    guard: ModeSet,
    /// Pairs in which it counts as erased if it is not matched.
    counted: ModeSet,
}

/// Hidden constraints against left limits, in all pairs.
struct Graph {
    /// In causal order.
    constraints: Vec<PairConstraint>,
    entries: Vec<Vec<(usize, ModeSet)>>,
    unknowns: Vec<Derivative<VariableId>>,
    guards: Vec<ModeSet>,
}

/// What the matching says.
struct GraphParts {
    erased: Vec<InPairs<EquationId>>,
    underdetermined: LeftLimits,
}

impl Graph {
    /// Left limits that are given are no unknowns.
    fn new(numbers: &Numbers, is_new: &IndexVec<EquationId, ModeSet>, given: &LeftLimits) -> Self {
        let mut keyed = Vec::new();
        for equation in numbers.analysis.incidence.equations().ids() {
            for order in 0..numbers.analysis.offsets.equations[equation].maximum() {
                hidden_constraints(numbers, is_new[equation], equation, order, &mut keyed);
            }
        }
        keyed
            .sort_by_key(|(past, constraint)| (*past != Held::Satisfied, constraint.order, *past, constraint.equation));
        let satisfied = keyed.partition_point(|(past, _)| *past == Held::Satisfied);
        let constraints: Vec<PairConstraint> = keyed.into_iter().map(|(_, constraint)| constraint).collect();
        let mut graph = Graph { constraints, entries: Vec::new(), unknowns: Vec::new(), guards: Vec::new() };
        let mut number = BTreeMap::new();
        for at in 0..graph.constraints.len() {
            let entries = graph.entries_of(numbers, given, at, &mut number);
            graph.entries.push(entries);
        }
        graph.order_satisfied(satisfied);
        graph
    }

    /// Orders the first constraints, those that the past satisfies, and the unknowns that they try: what leaves one unknown open comes
    /// first and takes it. None of them is ever counted as erased, so that any order is right; but where each of many elements could
    /// take what all share, the potential of a ground for instance, which of them does depends on the modes of all.
    fn order_satisfied(&mut self, count: usize) {
        let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); self.unknowns.len()];
        for (row, entries) in self.entries[..count].iter().enumerate() {
            entries.iter().for_each(|&(unknown, _)| rows_of[unknown].push(row));
        }
        let mut open: Vec<usize> = self.entries[..count].iter().map(Vec::len).collect();
        let (mut is_taken, mut is_done) = (vec![false; self.unknowns.len()], vec![false; count]);
        let (mut order, mut without) = (Vec::with_capacity(count), Vec::new());
        let mut forced: VecDeque<usize> = (0..count).filter(|&row| open[row] == 1).collect();
        let mut others = 0..count;
        while let Some(row) = forced.pop_front().or_else(|| others.next()) {
            if std::mem::replace(&mut is_done[row], true) {
                continue;
            }
            let entries = &mut self.entries[row];
            let is_open = |&at: &usize| !is_taken[entries[at].0];
            let Some(rarest) = (0..entries.len()).filter(is_open).min_by_key(|&at| rows_of[entries[at].0].len()) else {
                without.push(row);
                continue;
            };
            entries.swap(0, rarest);
            let unknown = entries[0].0;
            is_taken[unknown] = true;
            order.push(row);
            for &other in &rows_of[unknown] {
                open[other] -= 1;
                if open[other] == 1 {
                    forced.push_back(other);
                }
            }
        }
        order.append(&mut without);
        let constraints: Vec<PairConstraint> = order.iter().map(|&row| self.constraints[row]).collect();
        let entries: Vec<_> = order.iter().map(|&row| std::mem::take(&mut self.entries[row])).collect();
        self.constraints.splice(..count, constraints);
        self.entries.splice(..count, entries);
    }

    fn entries_of(
        &mut self,
        numbers: &Numbers,
        given: &LeftLimits,
        constraint: usize,
        number: &mut BTreeMap<Derivative<VariableId>, usize>,
    ) -> Vec<(usize, ModeSet)> {
        let (pairs, space) = (numbers.pairs, &numbers.pairs.space);
        let incidence = &numbers.analysis.incidence;
        let PairConstraint { equation, order: derivative, guard, .. } = self.constraints[constraint];
        let mut entries = Vec::new();
        for edge in incidence.edges_of_equation(equation) {
            let variable = incidence.variable(edge);
            let highest = incidence.orders(edge).iter().map(|&(order, _)| order).max().unwrap_or(0);
            for above in 0..=highest {
                let order = derivative + above;
                let written = incidence.orders(edge).iter().filter(|(order, _)| *order >= above);
                let modes = numbers.analysis.space.union(written.map(|&(_, modes)| modes));
                let modes = space.and(guard, pairs.after(modes));
                let set = space.and(numbers.was_state(variable, order), numbers.is_remembered(variable, order));
                let limit = Derivative::new(variable, order);
                let set = given.get(&limit).map_or(set, |&given| space.or(set, given));
                let modes = space.difference(modes, set);
                if modes.is_empty() {
                    continue;
                }
                let unknown = *number.entry(limit).or_insert_with(|| {
                    self.unknowns.push(limit);
                    let exists = pairs.after(incidence.variables()[variable].guard);
                    self.guards.push(space.and(pairs.regular, space.difference(exists, set)));
                    self.unknowns.len() - 1
                });
                entries.push((unknown, modes));
            }
        }
        entries
    }

    fn solve(&self, pairs: &PairSpace) -> Result<GraphParts, Limit> {
        let mut matching = GuardedMatching::new(&pairs.space, &self.guards);
        let mut erased: BTreeMap<Derivative<EquationId>, Vec<ModeSet>> = BTreeMap::new();
        for (constraint, entries) in self.constraints.iter().zip(&self.entries) {
            let unmatched = matching.add(constraint.guard, entries)?;
            let counted = pairs.space.and(unmatched, constraint.counted);
            if !counted.is_empty() {
                erased.entry(Derivative::new(constraint.equation, constraint.order)).or_default().push(counted);
            }
        }
        let erased = erased.into_iter().map(|(Derivative { of, order }, sets)| {
            let pairs = pairs.space.union(sets);
            InPairs { of, order, pairs }
        });
        let erased = erased.collect();
        let underdetermined = self.unknowns.iter().copied().zip(matching.underdetermined()?).collect();
        Ok(GraphParts { erased, underdetermined })
    }
}

impl Graph {
    /// The left limits that stay undetermined where others have values to fall back on: constraints are matched first
    /// with those that have none, as in [`Memory`](crate::one_change).
    fn solve_with_fallbacks(&self, numbers: &Numbers) -> Result<LeftLimits, Limit> {
        let space = &numbers.pairs.space;
        let fallbacks: Vec<ModeSet> = self.unknowns.iter().map(|it| numbers.fallback(it.of, it.order)).collect();
        let mut matching = GuardedMatching::new(space, &self.guards);
        let mut unmatched = Vec::new();
        for (constraint, entries) in self.constraints.iter().zip(&self.entries) {
            let hard = entries.iter().map(|&(unknown, pairs)| (unknown, space.difference(pairs, fallbacks[unknown])));
            let hard: Vec<_> = hard.filter(|(_, pairs)| !pairs.is_empty()).collect();
            unmatched.push(matching.add(constraint.guard, &hard)?);
        }
        for (row, entries) in self.entries.iter().enumerate() {
            let soft = entries.iter().map(|&(unknown, pairs)| (unknown, space.and(pairs, fallbacks[unknown])));
            let soft: Vec<_> = soft.filter(|(_, pairs)| !pairs.is_empty()).collect();
            matching.add_entries(row, &soft);
        }
        for (row, &unmatched) in unmatched.iter().enumerate().filter(|(_, unmatched)| !unmatched.is_empty()) {
            matching.match_row(row, unmatched)?;
        }
        Ok(self.unknowns.iter().copied().zip(matching.underdetermined_unless(&fallbacks)?).collect())
    }
}

/// What the past says of a hidden constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    /// It was one of the mode before.
    Satisfied,
    /// Its equation held, but was not differentiated so often.
    Equation,
    /// Its equation is new.
    Not,
}

/// A hidden constraint three times, by what the past says of it.
fn hidden_constraints(
    numbers: &Numbers,
    is_new: ModeSet,
    equation: EquationId,
    order: u32,
    found: &mut Vec<(Held, PairConstraint)>,
) {
    let (pairs, space) = (numbers.pairs, &numbers.pairs.space);
    let offset = &numbers.analysis.offsets.equations[equation];
    let hidden = space.and(pairs.regular, pairs.at_least(offset, order + 1, Moment::After));
    let was_hidden = pairs.at_least(offset, order + 1, Moment::Before);
    let held = space.difference(hidden, is_new);
    let cases = [
        (Held::Satisfied, space.and(held, was_hidden)),
        (Held::Equation, space.difference(held, was_hidden)),
        (Held::Not, space.and(hidden, is_new)),
    ];
    for (past, guard) in cases.into_iter().filter(|(_, guard)| !guard.is_empty()) {
        let counted = if past == Held::Satisfied { ModeSet::EMPTY } else { guard };
        found.push((past, PairConstraint { equation, order, guard, counted }));
    }
}
