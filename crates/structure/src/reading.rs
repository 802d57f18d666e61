//! What one walk over the equations of a model finds: the unknowns of each with their orders, and its mode variables.
//!
//! The expressions of a large model are spread over much memory, so they are read once, in the order in which they are
//! stored, and what was found is kept in lists. Only equations some of whose unknowns occur in some modes only have to
//! be read again when sets of modes are at hand. The lists also give the order of nearness, and along it that of the
//! mode variables.
//!
//! The sets I, J and E of E22 §4.1, before their guards are known.

use modeshift_dae::{
    EquationId, EquationKind, ExpressionId, Id, IndexVec, ModeVariableId, MultimodeDae, Node, VariableId,
};
use modeshift_modes::ModeVariable;
use rustc_hash::FxHashSet;

use crate::formulas::for_each_mode_variable;
use crate::locality::{Adjacency, locality_order};
use crate::walk::{Unknowns, Visit, for_each_child, splits};

/// In which order to work through equations, and in which to test mode variables.
pub(crate) struct Order {
    pub(crate) equations: Vec<EquationId>,
    pub(crate) mode_variables: Vec<ModeVariable>,
}

/// The continuous equations of a model as lists of unknowns.
pub(crate) struct Reading {
    pub(crate) unknowns: Unknowns,
    /// Where the entries of each equation start, and the end of the last.
    first: Vec<u32>,
    /// Of each equation by unknown, highest order first, all different.
    entries: Vec<(VariableId, u32)>,
    /// Whether some unknowns of the equation occur in some of its modes only.
    conditional: IndexVec<EquationId, bool>,
    modes: ModesOfEquations,
}

impl Reading {
    /// Reads the continuous equations of a model.
    pub(crate) fn of(dae: &MultimodeDae) -> Reading {
        let mut reading = Reading {
            unknowns: Unknowns::of(&dae.model),
            first: vec![0],
            entries: Vec::new(),
            conditional: IndexVec::new(),
            modes: ModesOfEquations::default(),
        };
        let mut walk = FirstWalk::new(dae);
        for (id, equation) in dae.model.equations.iter_enumerated() {
            let mut conditional = false;
            if equation.kind == EquationKind::Continuous {
                conditional = reading.read(&mut walk, id);
            }
            reading.conditional.push(conditional);
            reading.first.push(u32::try_from(reading.entries.len()).expect("fewer than 2^32 occurrences"));
        }
        reading
    }

    /// Reads one equation; returns whether some of its unknowns occur in some of its modes only.
    fn read(&mut self, walk: &mut FirstWalk<'_>, id: EquationId) -> bool {
        let equation = &walk.dae.model.equations[id];
        walk.visit([equation.left, equation.right], &self.unknowns);
        walk.entries.sort_unstable_by_key(|&(variable, order)| (variable, std::cmp::Reverse(order)));
        walk.entries.dedup();
        let guards = walk.entries.iter().filter_map(|&(variable, _)| self.unknowns.guard(variable));
        let formulas = walk.conditions.iter().copied().chain([equation.guard]).chain(guards);
        self.modes.add(walk.dae, id, formulas);
        self.entries.extend_from_slice(&walk.entries);
        !walk.conditions.is_empty()
    }

    /// The unknowns of an equation with their orders: by unknown, highest order first.
    pub(crate) fn entries(&self, equation: EquationId) -> &[(VariableId, u32)] {
        &self.entries[self.first[equation.index()] as usize..self.first[equation.index() + 1] as usize]
    }

    /// How many entries all equations have.
    pub(crate) fn entry_count(&self) -> usize {
        self.entries.len()
    }

    /// Whether some unknowns of an equation occur in some of its modes only.
    pub(crate) fn is_conditional(&self, equation: EquationId) -> bool {
        self.conditional[equation]
    }

    /// The equations some of whose unknowns occur in some modes only.
    pub(crate) fn conditional_equations(&self) -> impl Iterator<Item = EquationId> {
        self.conditional.iter_enumerated().filter(|&(_, &conditional)| conditional).map(|(id, _)| id)
    }

    /// Orders equations by nearness, and mode variables by their first occurrence along the equations.
    pub(crate) fn order(&self, dae: &MultimodeDae) -> Order {
        let unknowns = |equation: EquationId| {
            let entries = self.entries(equation);
            let is_new = move |at: &usize| *at == 0 || entries[*at].0 != entries[*at - 1].0;
            (0..entries.len()).filter(is_new).map(move |at| (equation.0, entries[at].0.0))
        };
        let pairs = (0..self.conditional.len()).map(EquationId::from_index).flat_map(unknowns);
        let adjacency = Adjacency::new(self.conditional.len(), dae.model.variables.len(), pairs);
        let continuous = self.continuous(dae);
        let equations: Vec<EquationId> =
            locality_order(&adjacency).into_iter().filter(|equation| continuous[equation.index()]).collect();
        let mode_variables = self.modes.by_first_occurrence(dae.mode_variables.len(), &equations);
        Order { equations, mode_variables }
    }

    fn continuous(&self, dae: &MultimodeDae) -> Vec<bool> {
        dae.model.equations.iter().map(|equation| equation.kind == EquationKind::Continuous).collect()
    }
}

/// The walk over the different subexpressions of one equation after the other. Variables are listed as often as they
/// occur, so that nothing has to be remembered of them: unlike sums and products, they are far apart in the arena.
struct FirstWalk<'a> {
    dae: &'a MultimodeDae,
    /// Unknowns of the current equation with their orders, and the conditions of its branches.
    entries: Vec<(VariableId, u32)>,
    conditions: Vec<ExpressionId>,
    /// Per expression: the equation in which it was last met.
    met: Vec<u32>,
    /// The expressions inside `noEvent` that were met in the current equation.
    met_inside: FxHashSet<ExpressionId>,
    round: u32,
    pending: Vec<Visit>,
}

impl<'a> FirstWalk<'a> {
    fn new(dae: &'a MultimodeDae) -> Self {
        FirstWalk {
            dae,
            entries: Vec::new(),
            conditions: Vec::new(),
            met: vec![0; dae.model.expressions.len()],
            met_inside: FxHashSet::default(),
            round: 0,
            pending: Vec::new(),
        }
    }

    fn visit(&mut self, sides: [ExpressionId; 2], unknowns: &Unknowns) {
        self.round += 1;
        self.entries.clear();
        self.conditions.clear();
        self.met_inside.clear();
        let expressions = &self.dae.model.expressions;
        self.pending.extend(sides.map(|side| (side, false)));
        while let Some((expression, inside)) = self.pending.pop() {
            let node = expressions.node(expression);
            if let Node::Variable(variable, order) = node {
                self.entries.extend(unknowns.guard(variable).map(|_| (variable, order)));
                continue;
            }
            if !self.is_first_visit((expression, inside)) {
                continue;
            }
            if let Node::If(condition, ..) = node
                && splits(expressions, condition, inside)
            {
                self.conditions.push(condition);
            }
            for_each_child(expressions, (expression, inside), |child| self.pending.push(child));
        }
    }

    fn is_first_visit(&mut self, (expression, inside): Visit) -> bool {
        match inside {
            true => self.met_inside.insert(expression),
            false => std::mem::replace(&mut self.met[expression.index()], self.round) != self.round,
        }
    }
}

/// The mode variables of each equation: of its guard, its conditions, and the guards of its unknowns.
#[derive(Default)]
struct ModesOfEquations {
    pool: Vec<ModeVariableId>,
    /// Equation and the end of its mode variables in the pool.
    ends: Vec<(EquationId, u32)>,
}

impl ModesOfEquations {
    fn add(&mut self, dae: &MultimodeDae, equation: EquationId, formulas: impl Iterator<Item = ExpressionId>) {
        let start = self.pool.len();
        for formula in formulas {
            for_each_mode_variable(&dae.model.expressions, formula, |mode| self.pool.push(mode));
        }
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
