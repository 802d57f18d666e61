//! The initialization of one mode: blocks in the order in which they can be solved, and what is in the way.

use std::collections::VecDeque;

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{ModeSet, ModeVariable};
use rustc_hash::FxHashSet;

use super::Initialization;
use crate::one_mode::single_mode::{self, Signature};

/// The equation or variable of one that has none.
const NONE: u32 = u32::MAX;

/// Equations to be solved together for as many variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneModeBlock {
    /// The equations, ascending.
    pub equations: Vec<EquationId>,
    /// What they are solved for, ascending.
    pub variables: Vec<VariableId>,
}

/// The initialization system in one mode.
#[derive(Clone, Debug, Default)]
pub struct OneMode {
    /// Each after those it needs.
    pub blocks: Vec<OneModeBlock>,
    /// States that no equation determines, and that are to be fixed.
    pub fixed: Vec<VariableId>,
    /// Conditions that are too many: they hold or contradict the solution of the blocks.
    pub too_many: Vec<EquationId>,
}

impl Initialization {
    /// The system in the mode with these values of the variables of the space.
    pub fn one_mode(&self, mode: impl Fn(ModeVariable) -> bool) -> OneMode {
        let incidence = &self.system.incidence;
        let is_in = |set: ModeSet| match set {
            ModeSet::ALL => true,
            ModeSet::EMPTY => false,
            _ => self.space.evaluate(set, &mode),
        };
        let mut pairs = PlainPairs {
            variable_of: incidence.equations().iter().map(|_| NONE).collect(),
            equation_of: incidence.variables().iter().map(|_| NONE).collect(),
        };
        for edge in incidence.edges().filter(|&edge| is_in(self.matching.edges[edge])) {
            pairs.pair(incidence.equation(edge), incidence.variable(edge));
        }
        let neighbours = |equation: EquationId| -> Vec<VariableId> {
            let edges = incidence.edges_of_equation(equation).filter(|&edge| is_in(incidence.active(edge)));
            edges.map(|edge| incidence.variable(edge)).collect()
        };
        let proposed = self.proposal.iter_enumerated().filter(|&(_, &modes)| is_in(modes));
        let mut fixed: Vec<VariableId> = proposed.map(|(variable, _)| variable).collect();
        fixed.sort_by_key(|&variable| self.system.quantities[variable]);
        pairs.set_free(&fixed, neighbours);
        let unmatched = self.matching.unmatched_equations.iter_enumerated().filter(|&(_, &modes)| is_in(modes));
        let too_many = unmatched.map(|(equation, _)| equation).collect();
        OneMode { blocks: pairs.blocks(neighbours), fixed, too_many }
    }

    /// The smallest set of equations and conditions that contradict each other in one mode: what the last condition
    /// that is too many leads to. The equations of the model in it come first.
    pub fn conflict(&self, condition: EquationId, mode: impl Fn(ModeVariable) -> bool) -> Vec<EquationId> {
        let incidence = &self.system.incidence;
        let is_in = |set: ModeSet| self.space.evaluate(set, &mode);
        let mut reached: FxHashSet<EquationId> = FxHashSet::default();
        reached.insert(condition);
        let mut pending = vec![condition];
        while let Some(equation) = pending.pop() {
            for edge in incidence.edges_of_equation(equation).filter(|&edge| is_in(incidence.active(edge))) {
                let others = incidence.edges_of_variable(incidence.variable(edge)).iter();
                let matched = others.copied().find(|&other| is_in(self.matching.edges[other]));
                if let Some(next) = matched.map(|other| incidence.equation(other))
                    && reached.insert(next)
                {
                    pending.push(next);
                }
            }
        }
        let mut conflict: Vec<EquationId> = reached.into_iter().collect();
        conflict.sort_unstable();
        conflict
    }
}

/// A matching of one mode.
struct PlainPairs {
    variable_of: IndexVec<EquationId, u32>,
    equation_of: IndexVec<VariableId, u32>,
}

impl PlainPairs {
    fn pair(&mut self, equation: EquationId, variable: VariableId) {
        self.variable_of[equation] = variable.0;
        self.equation_of[variable] = equation.0;
    }

    /// Takes variables out of the matching; the equations that they were matched with find others.
    fn set_free(&mut self, fixed: &[VariableId], neighbours: impl Fn(EquationId) -> Vec<VariableId>) {
        let taken: FxHashSet<VariableId> = fixed.iter().copied().collect();
        for &variable in fixed {
            let equation = std::mem::replace(&mut self.equation_of[variable], NONE);
            if equation != NONE {
                self.variable_of[EquationId(equation)] = NONE;
                self.find_another(EquationId(equation), &taken, &neighbours);
            }
        }
    }

    fn find_another(
        &mut self,
        start: EquationId,
        taken: &FxHashSet<VariableId>,
        neighbours: impl Fn(EquationId) -> Vec<VariableId>,
    ) {
        let mut before: rustc_hash::FxHashMap<VariableId, EquationId> = rustc_hash::FxHashMap::default();
        let mut pending = VecDeque::from([start]);
        while let Some(equation) = pending.pop_front() {
            for variable in neighbours(equation) {
                if taken.contains(&variable) || before.contains_key(&variable) {
                    continue;
                }
                before.insert(variable, equation);
                if self.equation_of[variable] != NONE {
                    pending.push_back(EquationId(self.equation_of[variable]));
                    continue;
                }
                let (mut variable, mut equation) = (variable, equation);
                loop {
                    let previous = self.variable_of[equation];
                    self.pair(equation, variable);
                    if equation == start {
                        return;
                    }
                    variable = VariableId(previous);
                    equation = before[&variable];
                }
            }
        }
    }

    fn blocks(&self, neighbours: impl Fn(EquationId) -> Vec<VariableId>) -> Vec<OneModeBlock> {
        let matched = self.variable_of.iter_enumerated().filter(|&(_, &variable)| variable != NONE);
        let equations: Vec<EquationId> = matched.map(|(equation, _)| equation).collect();
        let variables: Vec<VariableId> = equations.iter().map(|&it| VariableId(self.variable_of[it])).collect();
        let mut column: IndexVec<VariableId, u32> = self.equation_of.iter().map(|_| NONE).collect();
        for (at, &variable) in variables.iter().enumerate() {
            column[variable] = at as u32;
        }
        let mut signature = Signature::new(variables.len());
        for &equation in &equations {
            let columns = neighbours(equation).into_iter().map(|variable| column[variable]);
            signature.push(columns.filter(|&column| column != NONE).map(|column| (column, 0)));
        }
        let variable_of: Vec<u32> = (0..equations.len() as u32).collect();
        let zeros = vec![0; equations.len()];
        let blocks = single_mode::blocks(&signature, &variable_of, &zeros, &zeros);
        let translated = blocks.into_iter().map(|block| OneModeBlock {
            equations: block.equations.iter().map(|&row| equations[row as usize]).collect(),
            variables: sorted(block.variables.iter().map(|&column| variables[column as usize]).collect()),
        });
        translated.collect()
    }
}

fn sorted<I: Id>(mut items: Vec<I>) -> Vec<I> {
    items.sort_unstable();
    items
}
