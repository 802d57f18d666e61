//! Marks mode variables that are decided by next-mode selection.
//!
//! A guard is *implicit* where its definition reads, at the current instant, an unknown that depends on the guard:
//! `bh = (sh >= 0)` with `sh = if bh then yh else x - xmax` (E22 §8.3 calls it a logico-numerical fixpoint). The
//! test is conservative: the unknown must be connected, by equations and without passing through a state, to
//! something that the mode variable guards. A variable is a state where its derivative occurs in all modes; its
//! value is then known when the modes are decided.

use modeshift_dae::{
    EquationKind, ExpressionId, Expressions, FlatModel, Id, IndexVec, ModeVariable, ModeVariableId, Node, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::coverage::cover_everything;
use super::definitions::Definitions;
use super::traverse::Distinct;

pub(super) fn mark(
    model: &mut FlatModel,
    definitions: &Definitions,
    modes: &mut IndexVec<ModeVariableId, ModeVariable>,
) {
    if modes.is_empty() {
        return;
    }
    let states = states(model);
    let model = &*model;
    let mut connections = Connections::new(model);
    let guarded = connections.connect(model, &states, modes.len());
    let own: FxHashSet<VariableId> = modes.iter().filter_map(|mode| mode.variable).collect();
    for id in modes.ids() {
        let Some(definition) = modes[id].definition else { continue };
        let reads = current_reads(model, definitions, &own, &states, definition);
        let read_groups: FxHashSet<usize> = reads.into_iter().map(|variable| connections.group(variable)).collect();
        modes[id].implicit = guarded[id].iter().any(|&node| read_groups.contains(&connections.root(node)));
    }
}

/// Unknowns whose value at this instant a definition needs: not states, not left limits. Booleans that are no mode
/// variables themselves are followed to their definitions.
fn current_reads(
    model: &FlatModel,
    definitions: &Definitions,
    own: &FxHashSet<VariableId>,
    states: &IndexVec<VariableId, bool>,
    definition: ExpressionId,
) -> Vec<VariableId> {
    let mut reads = Vec::new();
    let mut distinct = Distinct::new();
    let mut pending = vec![definition];
    while let Some(root) = pending.pop() {
        distinct.visit(&model.expressions, root, |_, node| {
            if let Node::Variable(variable, order) = node {
                if model.variables[variable].is_continuous_unknown() {
                    if order > 0 || !states[variable] {
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
        let mut pending = vec![(root, guard)];
        while let Some((id, guard)) = pending.pop() {
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
                    pending.push((then, expressions.and(guard, condition)));
                    pending.push((otherwise, expressions.and(guard, negated)));
                }
                _ => pending.extend(expressions.children(id).map(|child| (child, guard))),
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
    parent: Vec<u32>,
    variables: usize,
}

impl Connections {
    fn new(model: &FlatModel) -> Self {
        let variables = model.variables.len();
        Connections { parent: (0..(variables + model.equations.len()) as u32).collect(), variables }
    }

    /// Connects every continuous equation with its unknowns; returns the nodes that each mode variable guards.
    fn connect(
        &mut self,
        model: &FlatModel,
        states: &IndexVec<VariableId, bool>,
        modes: usize,
    ) -> IndexVec<ModeVariableId, Vec<usize>> {
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
                            if model.variables[variable].is_continuous_unknown()
                                && (order > 0 || !states[variable]) =>
                        {
                            self.join(node, variable.index());
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
        self.root(variable.index())
    }

    fn root(&mut self, mut node: usize) -> usize {
        while self.parent[node] as usize != node {
            let grandparent = self.parent[self.parent[node] as usize];
            self.parent[node] = grandparent;
            node = grandparent as usize;
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b) as u32;
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
