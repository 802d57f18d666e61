//! The memory of all mode changes at once: which constraints are erased, which left limits are missing.
//!
//! The rules are those of [`crate::Memory`], as a matching over pairs of modes: hidden constraints, split into those
//! that held before and those that are new, in causal order, against left limits that the past does not set. One
//! matching of all pairs gives what is erased, its underdetermined part what is not born.

use std::collections::BTreeMap;

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet};
use modeshift_structure::{Analysis, Incidence, Occurrence, Vertex, dulmage_mendelsohn, match_equations};

use crate::pair_space::{Moment, PairSpace};

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

/// Compares every mode with every mode it may follow.
pub fn pair_memory(
    pairs: &PairSpace,
    analysis: &Analysis,
    is_new: &IndexVec<EquationId, ModeSet>,
    has_start: &dyn Fn(VariableId) -> bool,
) -> Result<PairMemory, Limit> {
    let numbers = Numbers { pairs, analysis, written: written_orders(pairs, analysis) };
    let graph = Graph::new(&numbers, is_new);
    let parts = graph.solve(pairs)?;
    let mut memory =
        PairMemory { erased: parts.erased, missing: Vec::new(), born: Vec::new(), undetermined: Vec::new() };
    for variable in analysis.incidence.variables().ids() {
        for order in 0..numbers.written[variable].len() as u32 {
            let missing = numbers.missing(variable, order);
            if missing.is_empty() {
                continue;
            }
            let open = match parts.underdetermined.get(&(variable, order)) {
                Some(&open) => pairs.space.and(missing, open),
                None => missing,
            };
            let computed = numbers.computed(variable, order);
            let undetermined =
                if order == 0 && has_start(variable) { ModeSet::EMPTY } else { pairs.space.difference(open, computed) };
            let born = pairs.space.difference(missing, open);
            memory.missing.push(InPairs { of: variable, order, pairs: missing });
            memory.born.extend((!born.is_empty()).then_some(InPairs { of: variable, order, pairs: born }));
            let report = InPairs { of: variable, order, pairs: undetermined };
            memory.undetermined.extend((!undetermined.is_empty()).then_some(report));
        }
    }
    pairs.space.check()?;
    Ok(memory)
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
}

impl Numbers<'_> {
    /// Pairs in which the derivative of this order is below the written order after.
    fn is_remembered(&self, variable: VariableId, order: u32) -> ModeSet {
        self.written[variable].get(order as usize).copied().unwrap_or(ModeSet::EMPTY)
    }

    /// Pairs in which the derivative of this order was a state before.
    fn was_state(&self, variable: VariableId, order: u32) -> ModeSet {
        self.pairs.at_least(&self.analysis.offsets.variables[variable], order + 1, Moment::Before)
    }

    /// Pairs in which the mode before computed the derivative of this order.
    fn computed(&self, variable: VariableId, order: u32) -> ModeSet {
        let existed = self.pairs.before(self.analysis.incidence.variables()[variable].guard);
        let computed = self.pairs.at_least(&self.analysis.offsets.variables[variable], order, Moment::Before);
        self.pairs.space.and(existed, computed)
    }

    fn missing(&self, variable: VariableId, order: u32) -> ModeSet {
        let remembered = self.is_remembered(variable, order);
        let space = &self.pairs.space;
        space.and(self.pairs.regular, space.difference(remembered, self.was_state(variable, order)))
    }
}

/// Hidden constraints against left limits, in all pairs.
struct Graph {
    /// The constraint of each vertex.
    constraints: Vec<(EquationId, u32)>,
    /// Pairs in which an unmatched constraint counts as erased.
    counted: Vec<ModeSet>,
    unknowns: Vec<(VariableId, u32)>,
    incidence: Option<Incidence>,
    /// Constraints in causal order.
    order: Vec<EquationId>,
}

/// What the matching says.
struct GraphParts {
    erased: Vec<InPairs<EquationId>>,
    underdetermined: BTreeMap<(VariableId, u32), ModeSet>,
}

impl Graph {
    fn new(numbers: &Numbers, is_new: &IndexVec<EquationId, ModeSet>) -> Self {
        let mut graph = Graph {
            constraints: Vec::new(),
            counted: Vec::new(),
            unknowns: Vec::new(),
            incidence: None,
            order: Vec::new(),
        };
        let mut equations: IndexVec<EquationId, Vertex> = IndexVec::new();
        let mut keys = Vec::new();
        for equation in numbers.analysis.incidence.equations().ids() {
            let offset = &numbers.analysis.offsets.equations[equation];
            for order in 0..offset.maximum() {
                graph.add_constraint(numbers, is_new[equation], (equation, order), &mut equations, &mut keys);
            }
        }
        let (variables, occurrences) = graph.occurrences(numbers, &equations);
        graph.order = equations.ids().collect();
        graph.order.sort_by_key(|vertex| keys[vertex.index()]);
        if !equations.is_empty() {
            graph.incidence = Some(Incidence::new(&numbers.pairs.space, equations, variables, occurrences));
        }
        graph
    }

    /// Adds a hidden constraint twice: where it held before and where it is new.
    fn add_constraint(
        &mut self,
        numbers: &Numbers,
        is_new: ModeSet,
        (equation, order): (EquationId, u32),
        equations: &mut IndexVec<EquationId, Vertex>,
        keys: &mut Vec<(u32, bool, EquationId)>,
    ) {
        let (pairs, space) = (numbers.pairs, &numbers.pairs.space);
        let offset = &numbers.analysis.offsets.equations[equation];
        let hidden = space.and(pairs.regular, pairs.at_least(offset, order + 1, Moment::After));
        let was_hidden = pairs.at_least(offset, order + 1, Moment::Before);
        for (fresh, guard) in [(false, space.difference(hidden, is_new)), (true, space.and(hidden, is_new))] {
            if guard.is_empty() {
                continue;
            }
            let name = numbers.analysis.incidence.equations()[equation].name.clone();
            equations.push(Vertex { name, guard });
            keys.push((order, fresh, equation));
            self.constraints.push((equation, order));
            self.counted.push(if fresh { guard } else { space.difference(guard, was_hidden) });
        }
    }

    fn occurrences(
        &mut self,
        numbers: &Numbers,
        equations: &IndexVec<EquationId, Vertex>,
    ) -> (IndexVec<VariableId, Vertex>, Vec<Occurrence>) {
        let (pairs, space) = (numbers.pairs, &numbers.pairs.space);
        let incidence = &numbers.analysis.incidence;
        let mut number: BTreeMap<(VariableId, u32), VariableId> = BTreeMap::new();
        let mut variables: IndexVec<VariableId, Vertex> = IndexVec::new();
        let mut occurrences = Vec::new();
        for vertex in equations.ids() {
            let (equation, derivative) = self.constraints[vertex.index()];
            for edge in incidence.edges_of_equation(equation) {
                let variable = incidence.variable(edge);
                let highest = incidence.orders(edge).iter().map(|&(order, _)| order).max().unwrap_or(0);
                for above in 0..=highest {
                    let order = derivative + above;
                    let written = incidence.orders(edge).iter().filter(|(order, _)| *order >= above);
                    let modes = numbers.analysis.space.union(written.map(|&(_, modes)| modes));
                    let modes = space.and(equations[vertex].guard, pairs.after(modes));
                    let set = space.and(numbers.was_state(variable, order), numbers.is_remembered(variable, order));
                    let modes = space.difference(modes, set);
                    if modes.is_empty() {
                        continue;
                    }
                    let unknown = *number.entry((variable, order)).or_insert_with(|| {
                        self.unknowns.push((variable, order));
                        let exists = pairs.after(incidence.variables()[variable].guard);
                        let guard = space.and(pairs.regular, space.difference(exists, set));
                        variables.push(Vertex { name: incidence.variables()[variable].name.clone(), guard })
                    });
                    occurrences.push(Occurrence { equation: vertex, variable: unknown, order: 0, modes });
                }
            }
        }
        (variables, occurrences)
    }

    fn solve(&self, pairs: &PairSpace) -> Result<GraphParts, Limit> {
        let mut parts = GraphParts { erased: Vec::new(), underdetermined: BTreeMap::new() };
        let Some(incidence) = &self.incidence else { return Ok(parts) };
        let (matching, _) = match_equations(&pairs.space, incidence, &self.order)?;
        let decomposition = dulmage_mendelsohn(&pairs.space, incidence, &matching, &self.order)?;
        let mut erased: BTreeMap<(EquationId, u32), Vec<ModeSet>> = BTreeMap::new();
        for (vertex, &unmatched) in matching.unmatched_equations.iter_enumerated() {
            let counted = pairs.space.and(unmatched, self.counted[vertex.index()]);
            if !counted.is_empty() {
                erased.entry(self.constraints[vertex.index()]).or_default().push(counted);
            }
        }
        for ((of, order), sets) in erased {
            parts.erased.push(InPairs { of, order, pairs: pairs.space.union(sets) });
        }
        for (vertex, &modes) in decomposition.underdetermined_variables.iter_enumerated() {
            parts.underdetermined.insert(self.unknowns[vertex.index()], modes);
        }
        Ok(parts)
    }
}
