//! Which guarded equations are branches of one equation.
//!
//! ```text
//! if broken then v = R*i; else i = C*der(v); end if;        0 = if broken then v - R*i else i - C*der(v);
//! ```
//!
//! An ordinary tool takes the k-th equations of all branches of an if-equation for one. Here an equation joins the first one
//! before it that it excludes, of the same `connect` before others: branch by branch that pairs k-th equations, and
//! connections of one set to states of a machine become the one equation of MOE15 (2).
//!
//! Equations of a state of a machine are no branches of those of another: the states have variables of their own. Only where
//! several states define one variable of the model around them, `y = …` with an `outer output`, is that one definition.

use modeshift_dae::{EquationId, MultimodeDae, Node, VariableId};
use modeshift_diagnostics::Span;
use modeshift_modes::ModeSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Analysis;

/// Equations that are taken for one.
pub(super) struct Group {
    /// Ascending; at most one holds in each mode.
    pub(super) equations: Vec<EquationId>,
    /// Whether it is the equation of a state, or of variables that exist only where it holds.
    pub(super) is_local: bool,
    /// Whether states define a variable of the model around them by turns.
    pub(super) is_definition: bool,
}

/// All continuous equations, each in one group, by their first equations.
pub(super) fn groups(dae: &MultimodeDae, analysis: &Analysis, is_known: &impl Fn(VariableId) -> bool) -> Vec<Group> {
    let states: FxHashSet<&str> =
        dae.model.machines.iter().flat_map(|machine| &machine.states).map(|state| &*state.name).collect();
    let mut merging = Merging { dae, analysis, groups: Vec::new(), covered: Vec::new(), open: FxHashMap::default() };
    for (id, vertex) in analysis.incidence.equations().iter_enumerated() {
        if vertex.guard.is_empty() {
            continue;
        }
        let is_inside = !vertex.guard.is_all() && is_inside(&vertex.name, &states);
        match merging.defined_outside(id).filter(|_| is_inside) {
            Some(variable) => merging.define(id, vertex.guard, variable),
            None if is_inside || !vertex.guard.is_all() && merging.is_own(id, is_known) => {
                merging.add(id, ModeSet::ALL, true);
            }
            None => merging.place(id, vertex.guard),
        }
    }
    merging.groups
}

/// Whether a name is that of something inside a state: `C1.e2`, `plant.valve[2].shut.e1`.
fn is_inside(name: &str, states: &FxHashSet<&str>) -> bool {
    !states.is_empty() && name.match_indices('.').any(|(dot, _)| states.contains(&name[..dot]))
}

struct Merging<'a> {
    dae: &'a MultimodeDae,
    analysis: &'a Analysis,
    groups: Vec<Group>,
    /// The modes in which a group has an equation.
    covered: Vec<ModeSet>,
    open: FxHashMap<Key, Open>,
}

/// What guarded equations that belong together have in common: a `connect`, a mode variable, without which they would
/// not exclude each other, or what they define.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Span(Span),
    Mode(u32),
    Definition(VariableId),
}

/// Groups with modes left, and perhaps some without.
#[derive(Default)]
struct Open {
    groups: Vec<usize>,
    /// All before this one have none left.
    first: usize,
}

impl Merging<'_> {
    /// Whether all unknowns of an equation exist only where it holds.
    fn is_own(&self, equation: EquationId, is_known: &impl Fn(VariableId) -> bool) -> bool {
        let (space, incidence) = (&self.analysis.space, &self.analysis.incidence);
        let guard = incidence.equations()[equation].guard;
        let variables = incidence.edges_of_equation(equation).map(|edge| incidence.variable(edge));
        let mut unknowns = variables.filter(|&variable| !is_known(variable)).peekable();
        unknowns.peek().is_some()
            && unknowns.all(|variable| space.implies(incidence.variables()[variable].guard, guard))
    }

    /// The variable that an equation defines by its form, where that variable always exists.
    fn defined_outside(&self, equation: EquationId) -> Option<VariableId> {
        let model = &self.dae.model;
        let Node::Variable(variable, 0) = model.expressions.node(model.equations[equation].left) else { return None };
        let guard = self.analysis.incidence.variables()[variable].guard;
        (model.variables[variable].is_continuous_unknown() && guard.is_all()).then_some(variable)
    }

    /// Lets an equation of a state join those of other states that define the same variable.
    fn define(&mut self, equation: EquationId, guard: ModeSet, variable: VariableId) {
        let group = self.first_apart(Key::Definition(variable), guard);
        let group = self.join(group, equation, guard);
        self.groups[group].is_definition = true;
        self.keep(Key::Definition(variable), group);
    }

    fn add(&mut self, equation: EquationId, covered: ModeSet, is_local: bool) {
        self.groups.push(Group { equations: vec![equation], is_local, is_definition: false });
        self.covered.push(covered);
    }

    /// Lets an equation join the first group that it excludes, or opens one.
    fn place(&mut self, equation: EquationId, guard: ModeSet) {
        if guard.is_all() {
            return self.add(equation, guard, false);
        }
        let space = &self.analysis.space;
        let support: Vec<u32> = space.support(guard).iter().map(|variable| variable.0).collect();
        let span = self.dae.model.equations[equation].span;
        let beside = self.first_apart(Key::Span(span), guard);
        let near = || support.iter().filter_map(|&it| self.first_apart(Key::Mode(it), guard)).min();
        let group = beside.or_else(near);
        let group = self.join(group, equation, guard);
        self.keep(Key::Span(span), group);
        support.iter().for_each(|&variable| self.keep(Key::Mode(variable), group));
    }

    /// Lets an equation join a group, or opens one.
    fn join(&mut self, group: Option<usize>, equation: EquationId, guard: ModeSet) -> usize {
        let group = match group {
            Some(group) => {
                self.groups[group].equations.push(equation);
                group
            }
            None => {
                self.add(equation, ModeSet::EMPTY, false);
                self.groups.len() - 1
            }
        };
        self.covered[group] = self.analysis.space.or(self.covered[group], guard);
        group
    }

    /// The first group under a key that has no equation in these modes.
    fn first_apart(&self, key: Key, guard: ModeSet) -> Option<usize> {
        let open = self.open.get(&key)?;
        let mut groups = open.groups[open.first..].iter().copied();
        groups.find(|&group| !self.analysis.space.intersects(self.covered[group], guard))
    }

    /// Keeps a group where it can be found, and forgets the first ones that have no modes left.
    fn keep(&mut self, key: Key, group: usize) {
        let open = self.open.entry(key).or_default();
        if !self.covered[group].is_all() && open.groups.last() != Some(&group) {
            open.groups.push(group);
        }
        while open.groups.get(open.first).is_some_and(|&group| self.covered[group].is_all()) {
            open.first += 1;
        }
    }
}
