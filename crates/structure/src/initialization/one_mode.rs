//! The initialization of one mode: blocks in the order in which they can be solved, and what is in the way.

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{ModeSet, ModeVariable};
use rustc_hash::FxHashSet;

use super::Initialization;
use crate::graph::{BipartiteMatching, alternating_reach};
use crate::one_mode::{Matched, Signature, blocks};

/// The column of a variable that no equation is solved for.
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
        let mut pairs: BipartiteMatching<EquationId, VariableId> =
            BipartiteMatching::new(incidence.equations().len(), incidence.variables().len());
        for edge in incidence.edges().filter(|&edge| is_in(self.matching.edges[edge])) {
            pairs.pair(incidence.equation(edge), incidence.variable(edge));
        }
        let neighbours = |equation: EquationId| {
            let edges = incidence.edges_of_equation(equation).filter(|&edge| is_in(incidence.active(edge)));
            edges.map(|edge| incidence.variable(edge))
        };
        let proposed = self.proposal.iter_enumerated().filter(|&(_, &modes)| is_in(modes));
        let mut fixed: Vec<VariableId> = proposed.map(|(variable, _)| variable).collect();
        fixed.sort_by_key(|&variable| self.system.quantities[variable]);
        let taken: FxHashSet<VariableId> = fixed.iter().copied().collect();
        for &variable in &fixed {
            // The equation that the variable was matched with finds another.
            if let Some(equation) = pairs.release(variable) {
                pairs.match_row(equation, |equation| neighbours(equation).filter(|it| !taken.contains(it)));
            }
        }
        let unmatched = self.matching.unmatched_equations.iter_enumerated().filter(|&(_, &modes)| is_in(modes));
        let too_many = unmatched.map(|(equation, _)| equation).collect();
        OneMode { blocks: solving_order(&pairs, neighbours), fixed, too_many }
    }

    /// The smallest set of equations and conditions that contradict each other in one mode: what the last condition
    /// that is too many leads to. The equations of the model in it come first.
    pub fn conflict(&self, condition: EquationId, mode: impl Fn(ModeVariable) -> bool) -> Vec<EquationId> {
        let incidence = &self.system.incidence;
        let is_in = |set: ModeSet| self.space.evaluate(set, &mode);
        let variables_of = |equation: EquationId| {
            let edges = incidence.edges_of_equation(equation).filter(|&edge| is_in(incidence.active(edge)));
            edges.map(|edge| incidence.variable(edge))
        };
        let partner = |variable: VariableId| {
            let mut edges = incidence.edges_of_variable(variable).iter();
            edges.find(|&&edge| is_in(self.matching.edges[edge])).map(|&edge| incidence.equation(edge))
        };
        alternating_reach([condition], variables_of, partner).0
    }
}

/// The blocks of what is matched, each after those it needs.
fn solving_order<N: IntoIterator<Item = VariableId>>(
    pairs: &BipartiteMatching<EquationId, VariableId>,
    neighbours: impl Fn(EquationId) -> N,
) -> Vec<OneModeBlock> {
    let matched = pairs.rows().filter_map(|equation| Some((equation, pairs.column_of(equation)?)));
    let (equations, variables): (Vec<EquationId>, Vec<VariableId>) = matched.unzip();
    let mut column: IndexVec<VariableId, u32> = pairs.columns().map(|_| NONE).collect();
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
    let blocks = blocks(&signature, &Matched { variable_of, c: zeros.clone(), d: zeros });
    let translated = blocks.into_iter().map(|block| OneModeBlock {
        equations: block.rows.iter().map(|row| equations[row.index()]).collect(),
        variables: sorted(block.columns.iter().map(|column| variables[column.index()]).collect()),
    });
    translated.collect()
}

fn sorted<I: Id>(mut items: Vec<I>) -> Vec<I> {
    items.sort_unstable();
    items
}
