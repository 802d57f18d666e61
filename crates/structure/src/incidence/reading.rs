//! What one walk over the equations of a model finds: the unknowns of each with their orders, and its mode variables.
//!
//! The expressions of a large model are spread over much memory, so they are read once, in the order in which they are
//! stored, and what was found is kept in lists. The lists also give the order of nearness, and along it that of the
//! mode variables.
//!
//! The sets I, J and E of E22 §4.1, before their guards are known.

use modeshift_dae::{
    Derivative, EquationId, EquationKind, ExpressionId, Id, ModeVariableId, MultimodeDae, Node, VariableId,
};
use modeshift_modes::ModeVariable;

use crate::incidence::conditional_incidence::{ConditionalIncidence, ConditionalReader};
use crate::incidence::formulas::for_each_mode_variable;
use crate::incidence::unknowns::Unknowns;
use crate::incidence::walk::Walk;
use crate::locality::lists::Lists;
use crate::locality::order::{Adjacency, locality_order};
use crate::locality::thresholds::with_halved_thresholds;

/// Equations whose unknowns are looked up at the same time.
const EQUATIONS_AT_ONCE: usize = 256;

/// From how many mode variables on an equation is taken for a chain of alternatives, `if … elseif … elseif …`. Below, either
/// direction has at most some thousand nodes, and formulas read better in the order of the text.
const LONG_CHAIN: usize = 64;

/// In which order to work through equations, and in which to test mode variables.
pub(crate) struct Order {
    pub(crate) equations: Vec<EquationId>,
    pub(crate) mode_variables: Vec<ModeVariable>,
}

/// The continuous equations of a model as lists of unknowns; other equations have none.
pub(crate) struct Reading {
    /// Of each equation by unknown, highest order first, all different.
    pub(crate) entries: Lists<Derivative<VariableId>>,
    /// Which of these occur in some modes of the equation only.
    pub(crate) conditional: ConditionalIncidence,
    /// The mode variables of each equation: of its guard, its conditions, and the guards of its unknowns.
    modes: Lists<ModeVariableId>,
}

impl Reading {
    /// Reads the continuous equations of a model.
    pub(crate) fn of(dae: &MultimodeDae) -> Reading {
        let unknowns = Unknowns::of(&dae.model);
        let mut reader = Reader::new(dae, &unknowns);
        let mut equations = dae.model.equations.ids();
        while equations.len() > 0 {
            reader.read(equations.by_ref().take(EQUATIONS_AT_ONCE));
        }
        Reading { entries: reader.entries, conditional: reader.conditional.finish(), modes: reader.modes }
    }

    /// Orders equations by nearness, and mode variables by their first occurrence along the equations.
    pub(crate) fn order(&self, dae: &MultimodeDae) -> Order {
        let adjacency = Adjacency::new(self.variables_of_equations(), dae.model.variables.len());
        let continuous = |id: EquationId| dae.model.equations[id].kind == EquationKind::Continuous;
        let continuous: Vec<bool> = dae.model.equations.ids().map(continuous).collect();
        let equations: Vec<EquationId> =
            locality_order(&adjacency).into_iter().filter(|equation| continuous[equation.index()]).collect();
        let mode_variables = self.modes_by_first_occurrence(dae.mode_variables.len(), &equations);
        Order { equations, mode_variables: with_halved_thresholds(dae, mode_variables) }
    }

    fn variables_of_equations(&self) -> Lists<u32> {
        let mut variables = Lists::with_capacity(self.entries.len(), self.entries.item_count());
        for equation in 0..self.entries.len() {
            let mut last = None;
            for &Derivative { of: variable, .. } in self.entries.of(equation) {
                if last != Some(variable) {
                    variables.push_item(variable.0);
                    last = Some(variable);
                }
            }
            variables.end_list();
        }
        variables
    }

    /// Along the equations; within a long chain of alternatives the last condition comes first: a branch holds where no condition
    /// before it does, and diagrams of these prefixes share their lower ends that way. The other way each has nodes of its own.
    fn modes_by_first_occurrence(&self, mode_count: usize, equations: &[EquationId]) -> Vec<ModeVariable> {
        let mut placed = vec![false; mode_count];
        let mut order = Vec::with_capacity(mode_count);
        let mut place = |mode: usize| {
            if !std::mem::replace(&mut placed[mode], true) {
                order.push(ModeVariable(mode as u32));
            }
        };
        self.modes.for_each_along(equations.iter().copied(), |_, modes| {
            if modes.len() < LONG_CHAIN {
                modes.iter().for_each(|mode| place(mode.index()));
            } else {
                modes.iter().rev().for_each(|mode| place(mode.index()));
            }
        });
        (0..mode_count).for_each(place);
        order
    }
}

/// Reads equations, several at a time: what their unknowns are is far apart in memory, and asked for all together.
struct Reader<'a> {
    dae: &'a MultimodeDae,
    unknowns: &'a Unknowns,
    walk: Walk<'a>,
    entries: Lists<Derivative<VariableId>>,
    conditional: ConditionalReader<'a>,
    modes: Lists<ModeVariableId>,
    /// Unknowns and conditions of the equations that are being read, and where those of each end.
    found: Vec<ExpressionId>,
    conditions: Vec<ExpressionId>,
    ends: Vec<(EquationId, usize, usize)>,
    /// The same unknowns as variables with their orders.
    variables: Vec<Derivative<VariableId>>,
    /// The mode variables of one equation.
    mode_variables: Vec<ModeVariableId>,
}

impl<'a> Reader<'a> {
    fn new(dae: &'a MultimodeDae, unknowns: &'a Unknowns) -> Self {
        let expressions = &dae.model.expressions;
        Reader {
            dae,
            unknowns,
            walk: Walk::new(expressions, unknowns),
            entries: Lists::new(),
            conditional: ConditionalReader::new(expressions, unknowns),
            modes: Lists::new(),
            found: Vec::new(),
            conditions: Vec::new(),
            ends: Vec::new(),
            variables: Vec::new(),
            mode_variables: Vec::new(),
        }
    }

    fn read(&mut self, equations: impl Iterator<Item = EquationId>) {
        self.find(equations);
        let variable = |&unknown: &ExpressionId| match self.dae.model.expressions.node(unknown) {
            Node::Variable(of, order) => Derivative { of, order },
            _ => Derivative { of: VariableId(u32::MAX), order: 0 }, // never: only variables are unknowns
        };
        self.variables.clear();
        self.variables.extend(self.found.iter().map(variable));
        let (mut from, mut conditions_from) = (0, 0);
        for at in 0..self.ends.len() {
            let (equation, end, conditions_end) = self.ends[at];
            self.keep(equation, from..end, conditions_from..conditions_end);
            (from, conditions_from) = (end, conditions_end);
        }
    }

    /// Finds the expressions that are unknowns, and conditions.
    fn find(&mut self, equations: impl Iterator<Item = EquationId>) {
        self.found.clear();
        self.conditions.clear();
        self.ends.clear();
        for id in equations {
            let equation = &self.dae.model.equations[id];
            if equation.kind == EquationKind::Continuous {
                self.walk.visit([equation.left, equation.right], &mut self.found, &mut self.conditions);
            }
            self.ends.push((id, self.found.len(), self.conditions.len()));
        }
    }

    /// Keeps what was found in one equation.
    fn keep(&mut self, id: EquationId, found: std::ops::Range<usize>, conditions: std::ops::Range<usize>) {
        let equation = &self.dae.model.equations[id];
        let variables = &mut self.variables[found];
        variables.sort_unstable_by_key(|entry| (entry.of, std::cmp::Reverse(entry.order)));
        for at in 0..variables.len() {
            if at == 0 || variables[at] != variables[at - 1] {
                self.entries.push_item(variables[at]);
            }
        }
        self.entries.end_list();
        let entries = self.entries.of(id.index());
        if conditions.is_empty() {
            self.conditional.skip();
        } else {
            self.conditional.read([equation.left, equation.right], entries);
        }
        self.mode_variables.clear();
        if equation.kind == EquationKind::Continuous {
            let guards = entries.iter().filter_map(|entry| self.unknowns.guard(entry.of));
            let formulas = self.conditions[conditions].iter().copied().chain([equation.guard]).chain(guards);
            for formula in formulas {
                for_each_mode_variable(&self.dae.model.expressions, formula, |mode| self.mode_variables.push(mode));
            }
            self.mode_variables.sort_unstable();
        }
        self.modes.push(&self.mode_variables);
    }
}
