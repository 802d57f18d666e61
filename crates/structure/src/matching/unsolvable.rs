//! The smallest part that shows why a mode is singular: "these 3 equations only involve these 2 unknowns".
//!
//! What alternating paths reach from one unmatched equation has one variable less than equations, and leaving out any of
//! these equations makes it solvable: it is a minimal set that violates Hall's condition. Different unmatched equations
//! give different sets, of which the one with fewest equations is shown. The same from unmatched variables, with the
//! sides exchanged, shows too few equations.

use modeshift_dae::{EquationId, ModeVariableId, VariableId};
use modeshift_modes::ModeSet;

use crate::Analysis;
use crate::graph::bipartite::alternating_reach;

/// More unmatched equations or variables than this are not tried: each costs a search through its part, and what a
/// reader is shown hardly gets smaller.
const MOST_TRIED: usize = 64;

/// Equations and variables whose numbers do not fit, minimal in that the larger side can spare none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsolvable {
    /// Ascending.
    pub equations: Vec<EquationId>,
    /// Ascending.
    pub variables: Vec<VariableId>,
}

impl Analysis {
    /// The fewest of `equations` that involve fewer unknowns than they are in a mode. Leaving out any one of them leaves
    /// a system that can be solved.
    pub fn smallest_overdetermined(
        &self,
        equations: &[EquationId],
        mode: impl Fn(ModeVariableId) -> bool,
    ) -> Option<Unsolvable> {
        let incidence = &self.incidence;
        let is_in = |set: ModeSet| self.space.evaluate(set, |variable| mode(ModeVariableId(variable.0)));
        let variables_of = |equation: EquationId| {
            let active = incidence.edges_of_equation(equation).filter(|&edge| is_in(incidence.active(edge)));
            active.map(|edge| incidence.variable(edge))
        };
        let partner = |variable: VariableId| {
            let mut edges = incidence.edges_of_variable(variable).iter();
            edges.find(|&&edge| is_in(self.matching.edges[edge])).map(|&edge| incidence.equation(edge))
        };
        let unmatched = equations.iter().filter(|&&it| is_in(self.matching.unmatched_equations[it]));
        let reached = unmatched.take(MOST_TRIED).map(|&start| alternating_reach([start], variables_of, partner));
        let (equations, variables) = reached.min_by_key(|(equations, _)| equations.len())?;
        Some(Unsolvable { equations, variables })
    }

    /// The fewest of `variables` that occur in fewer equations than they are in a mode.
    pub fn smallest_underdetermined(
        &self,
        variables: &[VariableId],
        mode: impl Fn(ModeVariableId) -> bool,
    ) -> Option<Unsolvable> {
        let incidence = &self.incidence;
        let is_in = |set: ModeSet| self.space.evaluate(set, |variable| mode(ModeVariableId(variable.0)));
        let equations_of = |variable: VariableId| {
            let edges = incidence.edges_of_variable(variable).iter();
            edges.filter(|&&edge| is_in(incidence.active(edge))).map(|&edge| incidence.equation(edge))
        };
        let partner = |equation: EquationId| {
            let mut edges = incidence.edges_of_equation(equation);
            edges.find(|&edge| is_in(self.matching.edges[edge])).map(|edge| incidence.variable(edge))
        };
        let unmatched = variables.iter().filter(|&&it| is_in(self.matching.unmatched_variables[it]));
        let reached = unmatched.take(MOST_TRIED).map(|&start| alternating_reach([start], equations_of, partner));
        let (variables, equations) = reached.min_by_key(|(variables, _)| variables.len())?;
        Some(Unsolvable { equations, variables })
    }
}
