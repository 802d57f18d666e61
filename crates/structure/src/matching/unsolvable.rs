//! The smallest part that shows why a mode is singular: "these 3 equations only involve these 2 unknowns".
//!
//! What alternating paths reach from one unmatched equation has one variable less than equations, and leaving out any of
//! these equations makes it solvable: it is a minimal set that violates Hall's condition. Different unmatched equations
//! give different sets, of which the one with fewest equations is shown. The same from unmatched variables, with the
//! sides exchanged, shows too few equations.

use std::collections::BTreeSet;

use modeshift_dae::{EquationId, Id, ModeVariableId, VariableId};
use modeshift_modes::{ModeSet, ModeVariable};

use crate::{Analysis, EdgeId};

/// More unmatched equations or variables than this are not tried.
const MOST_TRIED: usize = 100;

/// Equations and variables whose numbers do not fit, minimal in that the larger side can spare none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsolvable {
    /// Ascending.
    pub equations: Vec<EquationId>,
    /// Ascending.
    pub variables: Vec<VariableId>,
}

/// A singular mode and the smallest parts that show it.
#[derive(Clone, Debug)]
pub struct SingularExample {
    /// The values of all mode variables, in order.
    pub mode: Vec<(ModeVariableId, bool)>,
    /// As few values as were found that make the system singular whatever the others are, invariant permitting.
    pub because: Vec<(ModeVariableId, bool)>,
    /// Too many equations for their variables.
    pub overdetermined: Option<Unsolvable>,
    /// Too few equations for the variables that occur in no others.
    pub underdetermined: Option<Unsolvable>,
}

impl Analysis {
    /// One mode in which the system is singular, if there is one, with the smallest parts that show it.
    pub fn singular_example(&self) -> Option<SingularExample> {
        let singular = self.singular_modes();
        let valid = self.space.and(singular, self.invariant.concerning(&self.space, singular));
        let because = self.space.pick(valid).or_else(|| self.space.pick(singular))?;
        let rest = self.invariant.components().filter(|&component| !self.space.implies(valid, component));
        let all = self.space.intersection(rest.chain([self.space.valuation(&because), valid]));
        let values = self.space.pick(all)?;
        let mut mode = vec![false; self.space.variable_count()];
        values.iter().for_each(|&(variable, value)| mode[variable.index()] = value);
        let at = |set: ModeSet| self.space.evaluate(set, |variable: ModeVariable| mode[variable.index()]);
        let unsolvable = Walk { analysis: self, is_in: &at };
        Some(SingularExample {
            overdetermined: unsolvable.overdetermined(),
            underdetermined: unsolvable.underdetermined(),
            because: because.into_iter().map(|(variable, value)| (ModeVariableId(variable.0), value)).collect(),
            mode: mode.iter().enumerate().map(|(at, &value)| (ModeVariableId(at as u32), value)).collect(),
        })
    }
}

/// Alternating paths in one mode.
struct Walk<'a> {
    analysis: &'a Analysis,
    is_in: &'a dyn Fn(ModeSet) -> bool,
}

impl Walk<'_> {
    fn matched(&self, edge: &EdgeId) -> bool {
        (self.is_in)(self.analysis.matching.edges[*edge])
    }

    fn active(&self, edge: &EdgeId) -> bool {
        (self.is_in)(self.analysis.incidence.active(*edge))
    }

    fn overdetermined(&self) -> Option<Unsolvable> {
        let incidence = &self.analysis.incidence;
        let unmatched = unmatched(&self.analysis.matching.unmatched_equations, self.is_in);
        let variables_of = |equation: EquationId| -> Vec<VariableId> {
            incidence.edges_of_equation(equation).filter(|e| self.active(e)).map(|e| incidence.variable(e)).collect()
        };
        let partner = |variable: VariableId| {
            let edge = incidence.edges_of_variable(variable).iter().find(|edge| self.matched(edge));
            edge.map(|&edge| incidence.equation(edge))
        };
        let found = unmatched.map(|start| reachable(start, variables_of, partner));
        found
            .min_by_key(|(equations, _)| equations.len())
            .map(|(equations, variables)| Unsolvable { equations, variables })
    }

    fn underdetermined(&self) -> Option<Unsolvable> {
        let incidence = &self.analysis.incidence;
        let unmatched = unmatched(&self.analysis.matching.unmatched_variables, self.is_in);
        let equations_of = |variable: VariableId| -> Vec<EquationId> {
            let edges = incidence.edges_of_variable(variable).iter().filter(|edge| self.active(edge));
            edges.map(|&edge| incidence.equation(edge)).collect()
        };
        let partner = |equation: EquationId| {
            let edge = incidence.edges_of_equation(equation).find(|edge| self.matched(edge));
            edge.map(|edge| incidence.variable(edge))
        };
        let found = unmatched.map(|start| reachable(start, equations_of, partner));
        found
            .min_by_key(|(variables, _)| variables.len())
            .map(|(variables, equations)| Unsolvable { equations, variables })
    }
}

fn unmatched<'a, I: Id>(
    modes: &'a modeshift_dae::IndexVec<I, ModeSet>,
    is_in: &'a dyn Fn(ModeSet) -> bool,
) -> impl Iterator<Item = I> + 'a {
    modes.iter_enumerated().filter(|&(_, &modes)| is_in(modes)).map(|(vertex, _)| vertex).take(MOST_TRIED)
}

/// What alternating paths from `start` reach on its side and on the other.
fn reachable<I: Id, J: Id>(
    start: I,
    neighbours: impl Fn(I) -> Vec<J>,
    partner: impl Fn(J) -> Option<I>,
) -> (Vec<I>, Vec<J>) {
    let mut own = BTreeSet::from([start]);
    let mut others = BTreeSet::new();
    let mut pending = vec![start];
    while let Some(vertex) = pending.pop() {
        for other in neighbours(vertex) {
            if others.insert(other) {
                pending.extend(partner(other).filter(|&next| own.insert(next)));
            }
        }
    }
    (own.into_iter().collect(), others.into_iter().collect())
}
