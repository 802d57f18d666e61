//! Marks mode variables that are decided by next-mode selection.
//!
//! A guard is *implicit* where its definition reads, at the current instant, an unknown that depends on the guard:
//! `bh = (sh >= 0)` with `sh = if bh then yh else x - xmax` (E22 §8.3 calls it a logico-numerical fixpoint). The
//! test is conservative: the unknown must be connected, by equations and without passing through what is known, to
//! something that the mode variable guards. Known when the modes are decided are the states, variables whose
//! derivatives occur in all modes, and what follows from known values by equations that hold in all modes, solved
//! one by one.

use modeshift_dae::{
    Derivative, Descent, EquationKind, ExpressionId, Expressions, FlatModel, Id, IndexVec, ModeVariable,
    ModeVariableId, Node, UnionFind, VariableId, Walk,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coverage::cover_everything;
use crate::definitions::Definitions;

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
    let mut walk = Walk::new();
    let mut pending = vec![definition];
    while let Some(root) = pending.pop() {
        walk.visit(&model.expressions, root, |_, node, _| {
            if let Some(read) = node.derivative() {
                if model.variables[read.of].is_continuous_unknown() {
                    reads.extend(Some(read.of).filter(|_| !known.covers(read)));
                } else if !own.contains(&read.of) {
                    pending.extend(definitions.value(read.of));
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
    let is_derivative = |node| matches!(node, Node::Variable(_, order) if order > 0);
    let derivatives = Derivatives { inside: expressions.all_with(is_derivative, |node| matches!(node, Node::Pre(_))) };
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

    fn covers(&self, Derivative { of, order }: Derivative<VariableId>) -> bool {
        if order == 0 { self.value[of] } else { self.derivative[of] }
    }

    /// Whether it is to be solved for: continuous and not known.
    fn is_unknown(&self, model: &FlatModel, it: Derivative<VariableId>) -> bool {
        model.variables[it.of].is_continuous_unknown() && !self.covers(it)
    }

    /// Solves equations with a single unknown, as long as there are any.
    fn solve_one_by_one(&mut self, model: &FlatModel) {
        let unknowns = self.unknowns(model);
        let mut remaining: Vec<usize> = unknowns.iter().map(<[_]>::len).collect();
        let occurrences = unknowns.occurrences(self.value.len());
        let mut spread: IndexVec<VariableId, bool> = self.value.iter().map(|_| false).collect();
        let mut pending: Vec<usize> = (0..remaining.len()).filter(|&equation| remaining[equation] == 1).collect();
        while let Some(equation) = pending.pop() {
            let unsolved = unknowns.of(equation).iter().find(|&&unknown| !self.covers(unknown));
            let Some(&Derivative { of: variable, order }) = unsolved else { continue };
            let solved = if order == 0 { &mut self.value } else { &mut self.derivative };
            solved[variable] = true;
            if std::mem::replace(&mut spread[variable], true) {
                continue; // its equations have been told already
            }
            for &other in occurrences.of(variable.index()) {
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
    fn unknowns(&self, model: &FlatModel) -> Lists<Derivative<VariableId>> {
        let mut walk = Walk::new();
        let mut list: Vec<Derivative<VariableId>> = Vec::new();
        let mut lists = Lists { items: Vec::new(), ends: Vec::with_capacity(model.equations.len()) };
        for equation in model.equations.iter() {
            let mut is_common = equation.kind == EquationKind::Continuous
                && model.expressions.literal_boolean(equation.guard) == Some(true);
            list.clear();
            walk.clear();
            for side in [equation.left, equation.right] {
                walk.visit(&model.expressions, side, |_, node, _| {
                    is_common &= !matches!(node, Node::Mode(_));
                    list.extend(node.derivative().filter(|&it| self.is_unknown(model, it)).map(first_or_value));
                    is_common && !matches!(node, Node::Pre(_))
                });
            }
            list.sort_unstable();
            list.dedup_by_key(|unknown| unknown.of);
            if is_common {
                lists.items.extend_from_slice(&list);
            }
            lists.ends.push(lists.items.len() as u32);
        }
        lists
    }
}

/// Lists one behind the other.
struct Lists<T> {
    items: Vec<T>,
    /// Behind the last item of each.
    ends: Vec<u32>,
}

impl<T> Lists<T> {
    fn of(&self, list: usize) -> &[T] {
        let start = list.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start as usize..self.ends[list] as usize]
    }

    fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.ends.len()).map(|list| self.of(list))
    }
}

impl Lists<Derivative<VariableId>> {
    /// By variable, the lists in which it is, ascending.
    fn occurrences(&self, variables: usize) -> Lists<u32> {
        let mut ends = vec![0; variables];
        self.items.iter().for_each(|item| ends[item.of.index()] += 1);
        let mut next = 0;
        for end in &mut ends {
            (*end, next) = (next, next + *end);
        }
        let mut items = vec![0; self.items.len()];
        for (number, list) in self.iter().enumerate() {
            for item in list {
                let end = &mut ends[item.of.index()];
                items[*end as usize] = number as u32;
                *end += 1;
            }
        }
        Lists { items, ends }
    }
}

/// All derivatives of a variable count as the first.
fn first_or_value(it: Derivative<VariableId>) -> Derivative<VariableId> {
    Derivative::new(it.of, it.order.min(1))
}

/// Finds derivatives and the conditions under which they occur.
struct Derivatives {
    /// Whether a derivative occurs in an expression.
    inside: IndexVec<ExpressionId, bool>,
}

impl Derivatives {
    fn collect(
        &self,
        expressions: &mut Expressions,
        root: ExpressionId,
        guard: ExpressionId,
        occurrences: &mut FxHashMap<VariableId, Vec<ExpressionId>>,
    ) {
        if !self.inside[root] {
            return;
        }
        let mut descent = Descent::new();
        descent.hand(root, guard, |_, later| later);
        while let Some((id, guard)) = descent.next() {
            if !self.inside[id] {
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
        let mut walk = Walk::new();
        for (id, variable) in model.variables.iter_enumerated() {
            walk.clear();
            note(model, &mut walk, variable.guard, id.index(), &mut guarded);
        }
        for (id, equation) in model.equations.iter_enumerated() {
            if equation.kind != EquationKind::Continuous {
                continue;
            }
            let node = self.variables + id.index();
            walk.clear();
            note(model, &mut walk, equation.guard, node, &mut guarded);
            for side in [equation.left, equation.right] {
                walk.visit(&model.expressions, side, |_, found, _| {
                    if let Node::Mode(mode) = found {
                        guarded[mode].push(node);
                    }
                    if let Some(unknown) = found.derivative().filter(|&it| known.is_unknown(model, it)) {
                        self.sets.join(node, unknown.of.index());
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
    walk: &mut Walk,
    guard: ExpressionId,
    node: usize,
    guarded: &mut IndexVec<ModeVariableId, Vec<usize>>,
) {
    if model.expressions.literal_boolean(guard).is_some() {
        return;
    }
    walk.visit(&model.expressions, guard, |_, found, _| {
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
