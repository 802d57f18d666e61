//! Which variables occur in which equations of a multimode DAE, how often differentiated, and in which modes.
//!
//! Each equation is walked once per question as the graph of its different subexpressions, parents before children, so
//! that a subexpression of many uses costs no more than one. The modes in which a subexpression counts are united over
//! its uses: an if-expression passes them on to its branches by its condition. Under `noEvent` both branches count in
//! all modes, and so do the variables of the condition.
//!
//! The functions χ_I, χ_J, χ_E and σ of E22 §4.1, "automatically inferred from the model".

use modeshift_dae::{
    Builtin, EquationId, EquationKind, ExpressionId, Expressions, Id, IndexVec, ModeVariableId, MultimodeDae, Node,
    VariableId,
};
use modeshift_modes::{Invariant, ModeSet, ModeSpace, ModeVariable};
use rustc_hash::FxHashMap;

use crate::formulas::{Formulas, for_each_mode_variable, is_formula};
use crate::incidence::{Incidence, Occurrence, Vertex};
use crate::locality::{Adjacency, locality_order};

/// In which order to work through equations, and in which to test mode variables.
pub(crate) struct Order {
    pub(crate) equations: Vec<EquationId>,
    pub(crate) mode_variables: Vec<ModeVariable>,
}

/// The equations that belong to the continuous-time system.
fn continuous_equations(dae: &MultimodeDae) -> impl Iterator<Item = EquationId> {
    let continuous = |id: &EquationId| dae.model.equations[*id].kind == EquationKind::Continuous;
    dae.model.equations.ids().filter(continuous)
}

/// Orders equations by nearness, and mode variables by their first occurrence along the equations.
pub(crate) fn order_of(dae: &MultimodeDae) -> Order {
    let mut walk = Walk::new(dae);
    let mut pairs = Vec::new();
    let mut modes = ModesOfEquations::default();
    for equation in continuous_equations(dae) {
        let from = pairs.len();
        walk.visit_equation(equation);
        for part in &walk.parts {
            match *part {
                Use::Variable(variable, _) => pairs.push((equation.0, variable.0)),
                Use::Branches(condition, ..) => {
                    for_each_mode_variable(&dae.model.expressions, condition, |mode| modes.pool.push(mode));
                }
                Use::All(..) => {}
            }
        }
        pairs[from..].sort_unstable();
        let unique = dedup_tail(&mut pairs, from);
        pairs.truncate(unique);
        modes.finish_equation(dae, equation, &pairs[from..]);
    }
    let adjacency = Adjacency::new(dae.model.equations.len(), dae.model.variables.len(), &pairs);
    drop(pairs);
    let equations: Vec<EquationId> = locality_order(&adjacency)
        .into_iter()
        .filter(|&equation| dae.model.equations[equation].kind == EquationKind::Continuous)
        .collect();
    let mode_variables = modes.by_first_occurrence(dae.mode_variables.len(), &equations);
    Order { equations, mode_variables }
}

/// Moves the different items of `items[from..]`, which is sorted, to its front; returns the end of these.
fn dedup_tail(items: &mut [(u32, u32)], from: usize) -> usize {
    let mut end = from;
    for at in from..items.len() {
        if at == from || items[at] != items[end - 1] {
            items[end] = items[at];
            end += 1;
        }
    }
    end
}

/// The mode variables of each equation: of its guard, its conditions, and the guards of its variables.
#[derive(Default)]
struct ModesOfEquations {
    pool: Vec<ModeVariableId>,
    /// Equation and the end of its mode variables in the pool.
    ends: Vec<(EquationId, u32)>,
}

impl ModesOfEquations {
    fn finish_equation(&mut self, dae: &MultimodeDae, equation: EquationId, variables: &[(u32, u32)]) {
        let guard = dae.model.equations[equation].guard;
        let guards = variables.iter().map(|&(_, variable)| dae.model.variables[VariableId(variable)].guard);
        for guard in std::iter::once(guard).chain(guards) {
            for_each_mode_variable(&dae.model.expressions, guard, |mode| self.pool.push(mode));
        }
        let start = self.ends.last().map_or(0, |&(_, end)| end as usize);
        self.pool[start..].sort_unstable();
        self.ends.push((equation, self.pool.len() as u32));
    }

    fn by_first_occurrence(&self, mode_count: usize, equations: &[EquationId]) -> Vec<ModeVariable> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut start = 0;
        for &(equation, end) in &self.ends {
            ranges.resize(equation.index() + 1, (0, 0));
            ranges[equation.index()] = (start, end);
            start = end;
        }
        let mut placed = vec![false; mode_count];
        let mut order = Vec::with_capacity(mode_count);
        let mut place = |mode: usize| {
            if !std::mem::replace(&mut placed[mode], true) {
                order.push(ModeVariable(mode as u32));
            }
        };
        for equation in equations {
            let (start, end) = ranges[equation.index()];
            self.pool[start as usize..end as usize].iter().for_each(|mode| place(mode.index()));
        }
        (0..mode_count).for_each(place);
        order
    }
}

/// The incidence of continuous equations and continuous unknowns, projected onto the modes that `invariant` allows.
pub fn incidence(dae: &MultimodeDae, space: &ModeSpace, invariant: &Invariant) -> Incidence {
    let order: Vec<EquationId> = continuous_equations(dae).collect();
    incidence_along(dae, space, invariant, &order)
}

/// The same, with the edges stored along an order of the equations.
pub(crate) fn incidence_along(
    dae: &MultimodeDae,
    space: &ModeSpace,
    invariant: &Invariant,
    order: &[EquationId],
) -> Incidence {
    let mut formulas = Formulas::projected(space, &dae.model.expressions, invariant);
    let valid = invariant.project(space, ModeSet::ALL);
    let mut guard_of = |exists: bool, guard: ExpressionId| {
        let modes = if exists { formulas.modes(guard).unwrap_or(ModeSet::ALL) } else { ModeSet::EMPTY };
        if valid.is_empty() { ModeSet::EMPTY } else { modes }
    };
    let equations: IndexVec<EquationId, Vertex> = dae
        .model
        .equations
        .iter()
        .map(|equation| Vertex {
            name: equation.name.clone(),
            guard: guard_of(equation.kind == EquationKind::Continuous, equation.guard),
        })
        .collect();
    let variables = dae
        .model
        .variables
        .iter()
        .map(|variable| Vertex {
            name: variable.name.clone(),
            guard: guard_of(variable.is_continuous_unknown(), variable.guard),
        })
        .collect();
    let occurrences = occurrences_along(dae, space, invariant, &equations, order);
    Incidence::of_grouped(space, equations, variables, occurrences)
}

/// Where continuous unknowns occur in continuous equations, in the modes in which those hold.
pub(crate) fn occurrences(
    dae: &MultimodeDae,
    space: &ModeSpace,
    invariant: &Invariant,
    equations: &IndexVec<EquationId, Vertex>,
) -> Vec<Occurrence> {
    let order: Vec<EquationId> = continuous_equations(dae).collect();
    occurrences_along(dae, space, invariant, equations, &order)
}

/// The same, along an order of the equations.
fn occurrences_along(
    dae: &MultimodeDae,
    space: &ModeSpace,
    invariant: &Invariant,
    equations: &IndexVec<EquationId, Vertex>,
    order: &[EquationId],
) -> Vec<Occurrence> {
    let formulas = Formulas::projected(space, &dae.model.expressions, invariant);
    let mut contexts = Contexts { walk: Walk::new(dae), formulas, space, last: Vec::new(), contributions: Vec::new() };
    let mut occurrences = Vec::new();
    let mut ranges: IndexVec<EquationId, (u32, u32)> = equations.iter().map(|_| (0, 0)).collect();
    // Read as the model is stored, then brought into the order: expressions are large and far apart otherwise.
    for equation in continuous_equations(dae) {
        let start = occurrences.len() as u32;
        contexts.occurrences(equation, equations[equation].guard, &mut occurrences);
        ranges[equation] = (start, occurrences.len() as u32);
    }
    let of = |&equation: &EquationId| &occurrences[ranges[equation].0 as usize..ranges[equation].1 as usize];
    order.iter().flat_map(of).copied().collect()
}

/// Modes in which subexpressions count, from the whole equation down to its variables.
struct Contexts<'a> {
    walk: Walk<'a>,
    formulas: Formulas<'a>,
    space: &'a ModeSpace,
    /// Of each part of the current equation, the last contribution to its modes.
    last: Vec<Option<u32>>,
    /// Modes of a use, and the contribution before it to the same part. They are united all at once and balanced: a
    /// variable in the branches of 10^5 conditions would cost a diagram of all conditions for each of them otherwise.
    contributions: Vec<(ModeSet, Option<u32>)>,
}

impl Contexts<'_> {
    fn occurrences(&mut self, equation: EquationId, guard: ModeSet, out: &mut Vec<Occurrence>) {
        self.walk.visit_equation(equation);
        self.contributions.clear();
        self.last.clear();
        self.last.resize(self.walk.parts.len(), None);
        for side in self.walk.sides {
            self.count(side, guard);
        }
        // Parts were appended after their children: from the last to the first, uses come before what they use.
        for at in (0..self.walk.parts.len()).rev() {
            let modes = self.modes(at);
            if modes.is_empty() {
                continue;
            }
            match self.walk.parts[at] {
                Use::Variable(variable, order) => out.push(Occurrence { equation, variable, order, modes }),
                Use::Branches(condition, yes, no) => {
                    let holds = self.formulas.modes(condition).expect("a condition that was a formula is one");
                    self.count(yes, self.space.and(modes, holds));
                    self.count(no, self.space.difference(modes, holds));
                }
                Use::All(start, end) => {
                    for child in start..end {
                        self.count(self.walk.children[child as usize], modes);
                    }
                }
            }
        }
    }

    /// Lets a part count in these modes too; what has no variables in it does not count.
    fn count(&mut self, part: u32, modes: ModeSet) {
        if self.walk.has_variables[part as usize] && !modes.is_empty() {
            let before = self.last[part as usize].replace(self.contributions.len() as u32);
            self.contributions.push((modes, before));
        }
    }

    /// The modes in which a part counts, when all its uses have been seen.
    fn modes(&self, part: usize) -> ModeSet {
        let contribution = |at: u32| self.contributions[at as usize];
        match self.last[part].map(contribution) {
            None => ModeSet::EMPTY,
            Some((modes, None)) => modes,
            Some(last) => {
                let all = std::iter::successors(Some(last), |(_, before)| before.map(contribution));
                self.space.union(all.map(|(modes, _)| modes))
            }
        }
    }
}

/// What a subexpression passes its modes on to. Numbers are positions among the parts of the equation.
#[derive(Clone, Copy)]
enum Use {
    /// It is a variable, differentiated this often.
    Variable(VariableId, u32),
    /// To one or the other by a condition.
    Branches(ExpressionId, u32, u32),
    /// To all of these, a range of [`Walk::children`].
    All(u32, u32),
}

/// The walk over the different subexpressions of one equation after the other.
struct Walk<'a> {
    dae: &'a MultimodeDae,
    /// Subexpressions of the current equation, children before parents.
    parts: Vec<Use>,
    /// Of each of them, whether a continuous unknown occurs in it.
    has_variables: Vec<bool>,
    children: Vec<u32>,
    sides: [u32; 2],
    /// Per expression: the equation in which it was last met, and its part there.
    met: Vec<(u32, u32)>,
    /// The same for the few expressions inside `noEvent`.
    met_inside: FxHashMap<ExpressionId, (u32, u32)>,
    round: u32,
    /// Empty between visits; kept for their memory.
    pending: Vec<Visit>,
    parents: Vec<Visit>,
}

/// A subexpression to be visited, and whether inside `noEvent`.
type Visit = (ExpressionId, bool);

impl<'a> Walk<'a> {
    fn new(dae: &'a MultimodeDae) -> Self {
        let met = vec![(0, 0); dae.model.expressions.len()];
        Walk {
            dae,
            parts: Vec::new(),
            has_variables: Vec::new(),
            children: Vec::new(),
            sides: [0; 2],
            met,
            met_inside: FxHashMap::default(),
            round: 0,
            pending: Vec::new(),
            parents: Vec::new(),
        }
    }

    fn visit_equation(&mut self, equation: EquationId) {
        self.round += 1;
        self.parts.clear();
        self.has_variables.clear();
        self.children.clear();
        let (left, right) = (self.dae.model.equations[equation].left, self.dae.model.equations[equation].right);
        self.sides = [self.visit((left, false)), self.visit((right, false))];
    }

    fn part_of(&self, (expression, inside): Visit) -> Option<u32> {
        let met = if inside { self.met_inside.get(&expression).copied() } else { Some(self.met[expression.index()]) };
        met.filter(|(round, _)| *round == self.round).map(|(_, part)| part)
    }

    /// The part of an expression, after those of its subexpressions. Without recursion: sums may be long.
    fn visit(&mut self, root: Visit) -> u32 {
        let (mut pending, mut parents) = (std::mem::take(&mut self.pending), std::mem::take(&mut self.parents));
        pending.push(root);
        while let Some(visit) = pending.pop() {
            if self.part_of(visit).is_some() {
                continue;
            }
            if parents.last() == Some(&visit) {
                parents.pop();
                self.append(visit);
                continue;
            }
            let at = pending.len();
            pending.push(visit);
            self.for_each_child(visit, |child| pending.push(child));
            if pending.len() == at + 1 {
                pending.pop();
                self.append(visit);
            } else {
                parents.push(visit);
            }
        }
        (self.pending, self.parents) = (pending, parents);
        self.part_of(root).expect("the root of a walk was visited")
    }

    fn append(&mut self, visit: Visit) {
        let uses = self.uses(visit);
        let (expression, inside) = visit;
        let met = (self.round, self.parts.len() as u32);
        if inside {
            self.met_inside.insert(expression, met);
        } else {
            self.met[expression.index()] = met;
        }
        self.parts.push(uses);
        self.has_variables.push(self.has_variables_below(uses));
    }

    fn has_variables_below(&self, uses: Use) -> bool {
        let has = |part: u32| self.has_variables[part as usize];
        match uses {
            Use::Variable(..) => true,
            Use::Branches(_, yes, no) => has(yes) || has(no),
            Use::All(start, end) => self.children[start as usize..end as usize].iter().any(|&child| has(child)),
        }
    }

    fn uses(&mut self, visit: Visit) -> Use {
        let (expression, inside) = visit;
        match self.dae.model.expressions.node(expression) {
            Node::Variable(variable, order) if self.dae.model.variables[variable].is_continuous_unknown() => {
                Use::Variable(variable, order)
            }
            Node::If(condition, yes, no) if self.splits(condition, inside) => {
                let part = |branch| self.part_of((branch, inside)).expect("branches are visited before");
                Use::Branches(condition, part(yes), part(no))
            }
            _ => {
                let start = self.children.len() as u32;
                let mut children = std::mem::take(&mut self.children);
                self.for_each_child(visit, |child| {
                    children.push(self.part_of(child).expect("children are visited before"));
                });
                self.children = children;
                Use::All(start, self.children.len() as u32)
            }
        }
    }

    /// Whether an if-expression with this condition has one branch or the other, depending on the mode.
    fn splits(&self, condition: ExpressionId, inside: bool) -> bool {
        !inside && is_formula(&self.dae.model.expressions, condition)
    }

    /// The subexpressions whose variables matter at the current instant.
    fn for_each_child(&self, (expression, inside): Visit, mut visit: impl FnMut(Visit)) {
        let expressions: &Expressions = &self.dae.model.expressions;
        match expressions.node(expression) {
            Node::Pre(_) => {}
            Node::If(condition, yes, no) if self.splits(condition, inside) => {
                visit((yes, inside));
                visit((no, inside));
            }
            Node::Call(Builtin::NoEvent, arguments) => visit((expressions.argument_list(arguments)[0], true)),
            Node::Call(Builtin::Homotopy, arguments) => visit((expressions.argument_list(arguments)[0], inside)),
            Node::Call(Builtin::Delay | Builtin::DelayMax, arguments) => {
                expressions.argument_list(arguments)[1..].iter().for_each(|&argument| visit((argument, inside)));
            }
            Node::Call(Builtin::Initial | Builtin::Terminal | Builtin::Sample | Builtin::Edge | Builtin::Change, _) => {
            }
            _ => expressions.children(expression).for_each(|child| visit((child, inside))),
        }
    }
}
