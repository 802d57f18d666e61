//! Marks mode variables that are decided by next-mode selection.
//!
//! A guard is *implicit* where its definition reads, at the current instant, an unknown that depends on the guard:
//! `bh = (sh >= 0)` with `sh = if bh then yh else x - xmax` (E22 §8.3 calls it a logico-numerical fixpoint). The
//! test is conservative: the unknown must be connected, by equations and without passing through what is known, to
//! something that the mode variable guards. Known when the modes are decided are the states, variables whose
//! derivatives occur in all modes, and what follows from known values by equations that hold in all modes, solved
//! one by one.

use modeshift_dae::{
    Descent, Equation, EquationKind, ExpressionId, Expressions, FlatModel, Id, IndexVec, ModeVariable, ModeVariableId,
    Node, UnionFind, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coverage::cover_everything;
use crate::definitions::Definitions;
use crate::traverse::Distinct;

pub(crate) fn mark(
    model: &mut FlatModel,
    definitions: &Definitions,
    modes: &mut IndexVec<ModeVariableId, ModeVariable>,
) {
    let own: FxHashSet<VariableId> = modes.iter().filter_map(|mode| mode.variable).collect();
    let nothing = Known::nothing(model);
    let reads_unknowns = |definition| !current_reads(model, definitions, &own, &nothing, definition).is_empty();
    let candidates: Vec<ModeVariableId> =
        modes.ids().filter(|&id| modes[id].definition.is_some_and(reads_unknowns)).collect();
    if candidates.is_empty() {
        return; // guards of time and of left limits alone
    }
    let states = states(model);
    let model = &*model;
    let known = Known::new(model, states);
    let mut connections = Connections::new(model);
    let guarded = connections.connect(model, &known, modes.len());
    for id in candidates {
        let definition = modes[id].definition.expect("a candidate has a definition");
        let reads = current_reads(model, definitions, &own, &known, definition);
        let read_groups: FxHashSet<usize> = reads.into_iter().map(|variable| connections.group(variable)).collect();
        modes[id].implicit = guarded[id].iter().any(|&node| read_groups.contains(&connections.sets.root(node)));
    }
}

/// Unknowns whose value at this instant a definition needs: neither known nor left limits. Booleans that are no mode
/// variables themselves are followed to their definitions.
fn current_reads(
    model: &FlatModel,
    definitions: &Definitions,
    own: &FxHashSet<VariableId>,
    known: &Known,
    definition: ExpressionId,
) -> Vec<VariableId> {
    let mut reads = Vec::new();
    let mut distinct = Distinct::new();
    let mut pending = vec![definition];
    while let Some(root) = pending.pop() {
        distinct.visit(&model.expressions, root, |_, node| {
            if let Node::Variable(variable, order) = node {
                if model.variables[variable].is_continuous_unknown() {
                    if !known.covers(variable, order) {
                        reads.push(variable);
                    }
                } else if !own.contains(&variable) {
                    pending.extend(definitions.value(variable));
                }
            }
            !matches!(node, Node::Pre(_))
        });
    }
    reads
}

/// The variables whose derivatives occur in all modes.
fn states(model: &mut FlatModel) -> IndexVec<VariableId, bool> {
    let mut occurrences: FxHashMap<VariableId, Vec<ExpressionId>> = FxHashMap::default();
    let expressions = &mut model.expressions;
    let mut derivatives = Derivatives::default();
    for equation in model.equations.iter().filter(|equation| equation.kind == EquationKind::Continuous) {
        for side in [equation.left, equation.right] {
            derivatives.collect(expressions, side, equation.guard, &mut occurrences);
        }
    }
    let mut states: IndexVec<VariableId, bool> = model.variables.iter().map(|_| false).collect();
    for (variable, mut guards) in occurrences {
        let outside = expressions.not(model.variables[variable].guard);
        guards.push(outside);
        states[variable] = cover_everything(expressions, &guards) == Some(true);
    }
    states
}

/// What is known before the modes are decided, in all modes alike.
struct Known {
    value: IndexVec<VariableId, bool>,
    derivative: IndexVec<VariableId, bool>,
}

impl Known {
    fn new(model: &FlatModel, states: IndexVec<VariableId, bool>) -> Self {
        let derivative = states.iter().map(|_| false).collect();
        let mut known = Known { value: states, derivative };
        known.solve_one_by_one(model);
        known
    }

    fn nothing(model: &FlatModel) -> Self {
        let none = || model.variables.iter().map(|_| false).collect();
        Known { value: none(), derivative: none() }
    }

    fn covers(&self, variable: VariableId, order: u32) -> bool {
        if order == 0 { self.value[variable] } else { self.derivative[variable] }
    }

    /// Solves equations with a single unknown, as long as there are any.
    fn solve_one_by_one(&mut self, model: &FlatModel) {
        let unknowns = self.unknowns(model);
        let mut remaining: Vec<usize> = unknowns.iter().map(Vec::len).collect();
        let mut occurrences: IndexVec<VariableId, Vec<u32>> = self.value.iter().map(|_| Vec::new()).collect();
        for (equation, list) in unknowns.iter().enumerate() {
            for &(variable, _) in list {
                occurrences[variable].push(equation as u32);
            }
        }
        let mut spread: IndexVec<VariableId, bool> = self.value.iter().map(|_| false).collect();
        let mut pending: Vec<usize> = (0..remaining.len()).filter(|&equation| remaining[equation] == 1).collect();
        while let Some(equation) = pending.pop() {
            let unsolved = unknowns[equation].iter().find(|&&(variable, order)| !self.covers(variable, order));
            let Some(&(variable, order)) = unsolved else { continue };
            let solved = if order == 0 { &mut self.value } else { &mut self.derivative };
            solved[variable] = true;
            if std::mem::replace(&mut spread[variable], true) {
                continue; // its equations have been told already
            }
            for &other in &occurrences[variable] {
                let other = other as usize;
                remaining[other] -= 1;
                if remaining[other] == 1 {
                    pending.push(other);
                }
            }
        }
    }

    /// The unknowns of each continuous equation that is the same in all modes; none for the others. Of a variable
    /// that is no state only its value can be solved for.
    fn unknowns(&self, model: &FlatModel) -> Vec<Vec<(VariableId, u32)>> {
        let mut distinct = Distinct::new();
        let unknowns_of = |equation: &Equation| {
            let mut list: Vec<(VariableId, u32)> = Vec::new();
            let mut is_common = equation.kind == EquationKind::Continuous
                && model.expressions.literal_boolean(equation.guard) == Some(true);
            distinct.clear();
            for side in [equation.left, equation.right] {
                distinct.visit(&model.expressions, side, |_, node| {
                    match node {
                        Node::Mode(_) => is_common = false,
                        Node::Variable(variable, order)
                            if model.variables[variable].is_continuous_unknown() && !self.covers(variable, order) =>
                        {
                            list.push((variable, order.min(1)));
                        }
                        _ => {}
                    }
                    is_common && !matches!(node, Node::Pre(_))
                });
            }
            list.sort_unstable();
            list.dedup_by_key(|&mut (variable, _)| variable);
            if is_common { list } else { Vec::new() }
        };
        model.equations.iter().map(unknowns_of).collect()
    }
}

/// Finds derivatives and the conditions under which they occur.
#[derive(Default)]
struct Derivatives {
    /// Whether a derivative occurs in an expression.
    inside: FxHashMap<ExpressionId, bool>,
}

impl Derivatives {
    fn collect(
        &mut self,
        expressions: &mut Expressions,
        root: ExpressionId,
        guard: ExpressionId,
        occurrences: &mut FxHashMap<VariableId, Vec<ExpressionId>>,
    ) {
        let mut descent = Descent::new();
        descent.hand(root, guard, |_, later| later);
        while let Some((id, guard)) = descent.next() {
            if !self.occur(expressions, id) {
                continue;
            }
            match expressions.node(id) {
                Node::Variable(variable, _) => {
                    let guards = occurrences.entry(variable).or_default();
                    if !guards.contains(&guard) {
                        guards.push(guard);
                    }
                }
                Node::If(condition, then, otherwise) => {
                    let negated = expressions.not(condition);
                    for (branch, side) in [(then, condition), (otherwise, negated)] {
                        let guard = expressions.and(guard, side);
                        descent.hand(branch, guard, |a, b| either(expressions, a, b));
                    }
                }
                _ => {
                    for child in expressions.children(id).collect::<Vec<_>>() {
                        descent.hand(child, guard, |a, b| either(expressions, a, b));
                    }
                }
            }
        }
    }

    fn occur(&mut self, expressions: &Expressions, root: ExpressionId) -> bool {
        let mut pending = vec![(root, false)];
        while let Some((id, children_done)) = pending.pop() {
            if self.inside.contains_key(&id) {
                continue;
            }
            match expressions.node(id) {
                Node::Variable(_, order) => {
                    self.inside.insert(id, order > 0);
                }
                Node::Pre(_) => {
                    self.inside.insert(id, false);
                }
                _ if children_done => {
                    let found = expressions.children(id).any(|child| self.inside[&child]);
                    self.inside.insert(id, found);
                }
                _ => {
                    pending.push((id, true));
                    pending.extend(expressions.children(id).map(|child| (child, false)));
                }
            }
        }
        self.inside[&root]
    }
}

/// Variables and equations that are connected at one instant, by union–find: the variables, then the equations.
/// The node of a state stands for its derivative.
struct Connections {
    sets: UnionFind<usize>,
    variables: usize,
}

impl Connections {
    fn new(model: &FlatModel) -> Self {
        let variables = model.variables.len();
        Connections { sets: UnionFind::new(variables + model.equations.len()), variables }
    }

    /// Connects every continuous equation with its unknowns; returns the nodes that each mode variable guards.
    fn connect(&mut self, model: &FlatModel, known: &Known, modes: usize) -> IndexVec<ModeVariableId, Vec<usize>> {
        let mut guarded: IndexVec<ModeVariableId, Vec<usize>> = (0..modes).map(|_| Vec::new()).collect();
        let mut distinct = Distinct::new();
        for (id, variable) in model.variables.iter_enumerated() {
            distinct.clear();
            note(model, &mut distinct, variable.guard, id.index(), &mut guarded);
        }
        for (id, equation) in model.equations.iter_enumerated() {
            if equation.kind != EquationKind::Continuous {
                continue;
            }
            let node = self.variables + id.index();
            distinct.clear();
            note(model, &mut distinct, equation.guard, node, &mut guarded);
            for side in [equation.left, equation.right] {
                distinct.visit(&model.expressions, side, |_, found| {
                    match found {
                        Node::Mode(mode) => guarded[mode].push(node),
                        Node::Variable(variable, order)
                            if model.variables[variable].is_continuous_unknown() && !known.covers(variable, order) =>
                        {
                            self.sets.join(node, variable.index());
                        }
                        _ => {}
                    }
                    !matches!(found, Node::Pre(_))
                });
            }
        }
        guarded
    }

    fn group(&mut self, variable: VariableId) -> usize {
        self.sets.root(variable.index())
    }
}

/// Notes for each mode variable in a guard that it guards the node.
fn note(
    model: &FlatModel,
    distinct: &mut Distinct,
    guard: ExpressionId,
    node: usize,
    guarded: &mut IndexVec<ModeVariableId, Vec<usize>>,
) {
    distinct.visit(&model.expressions, guard, |_, found| {
        if let Node::Mode(mode) = found {
            guarded[mode].push(node);
        }
        true
    });
}

/// Where one of two guards holds.
fn either(expressions: &mut Expressions, a: ExpressionId, b: ExpressionId) -> ExpressionId {
    if a == b { a } else { expressions.or(a, b) }
}
