//! The decomposition of Dulmage and Mendelsohn in all modes: what is overdetermined, underdetermined and square.
//!
//! Overdetermined is what alternating paths reach from unmatched equations, underdetermined what they reach from
//! unmatched variables; the rest is square. Modes of one vertex are explored together, and only new ones.
//!
//! E22 §4.2, equations 4 to 7.

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet, ModeSpace};

use crate::matching::sweep::Sweep;
use crate::{Incidence, Matching};

/// The modes in which each equation and variable belongs to the overdetermined and the underdetermined part.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Equations that are too many for their variables.
    pub overdetermined_equations: IndexVec<EquationId, ModeSet>,
    /// The variables of these.
    pub overdetermined_variables: IndexVec<VariableId, ModeSet>,
    /// Equations that are too few for their variables.
    pub underdetermined_equations: IndexVec<EquationId, ModeSet>,
    /// The variables of these.
    pub underdetermined_variables: IndexVec<VariableId, ModeSet>,
}

impl Parts {
    fn all_square(incidence: &Incidence) -> Parts {
        let (equations, variables) = (incidence.equations().len(), incidence.variables().len());
        Parts {
            overdetermined_equations: empty(equations),
            overdetermined_variables: empty(variables),
            underdetermined_equations: empty(equations),
            underdetermined_variables: empty(variables),
        }
    }

    /// The modes, of those in `modes`, in which an equation belongs to the square part.
    pub fn square(&self, space: &ModeSpace, equation: EquationId, modes: ModeSet) -> ModeSet {
        let (over, under) = (self.overdetermined_equations[equation], self.underdetermined_equations[equation]);
        if over.is_empty() && under.is_empty() {
            return modes;
        }
        space.difference(space.difference(modes, over), under)
    }

    /// All sets of modes in here, to be kept by a collection.
    pub fn mode_sets(&self) -> impl Iterator<Item = ModeSet> {
        let equations = self.overdetermined_equations.iter().chain(self.underdetermined_equations.iter());
        let variables = self.overdetermined_variables.iter().chain(self.underdetermined_variables.iter());
        equations.chain(variables).copied()
    }
}

fn empty<I: Id>(count: usize) -> IndexVec<I, ModeSet> {
    (0..count).map(|_| ModeSet::EMPTY).collect()
}

/// Decomposes the active incidence by a maximum matching. Costs next to nothing where the matching is perfect.
pub fn dulmage_mendelsohn(
    space: &ModeSpace,
    incidence: &Incidence,
    matching: &Matching,
    order: &[EquationId],
) -> Result<Parts, Limit> {
    let mut parts = Parts::all_square(incidence);
    if !matching.is_perfect() {
        space.set_task("finding over- and underdetermined parts");
        let mut walk = Walk {
            space,
            incidence,
            matching,
            pending: empty(incidence.equations().len()),
            sweep: Sweep::new(incidence.equations().len(), order).turning_back(),
        };
        walk.overdetermined(&mut parts);
        walk.underdetermined(&mut parts);
        space.check()?;
    }
    Ok(parts)
}

/// Alternating paths from unmatched vertices.
struct Walk<'a> {
    space: &'a ModeSpace,
    incidence: &'a Incidence,
    matching: &'a Matching,
    /// Modes in which an equation was reached and not yet walked on from.
    pending: IndexVec<EquationId, ModeSet>,
    sweep: Sweep,
}

impl Walk<'_> {
    fn pend(&mut self, equation: EquationId, modes: ModeSet) {
        self.pending[equation] = self.space.or(self.pending[equation], modes);
        self.sweep.add(equation);
    }

    fn next(&mut self) -> Option<(EquationId, ModeSet)> {
        let equation = self.sweep.next()?;
        Some((equation, std::mem::replace(&mut self.pending[equation], ModeSet::EMPTY)))
    }

    /// E22 eq. 5: from an equation along any edge to a variable, from there along a matched edge to an equation.
    fn overdetermined(&mut self, parts: &mut Parts) {
        for (equation, &modes) in self.matching.unmatched_equations.iter_enumerated() {
            if !modes.is_empty() {
                parts.overdetermined_equations[equation] = modes;
                self.pend(equation, modes);
            }
        }
        while let Some((equation, modes)) = self.next() {
            for edge in self.incidence.edges_of_equation(equation) {
                let variable = self.incidence.variable(edge);
                let known = parts.overdetermined_variables[variable];
                let new = self.space.difference(self.space.and(modes, self.incidence.active(edge)), known);
                if new.is_empty() {
                    continue;
                }
                parts.overdetermined_variables[variable] = self.space.or(known, new);
                for &matched in self.incidence.edges_of_variable(variable) {
                    let through = self.space.and(new, self.matching.edges[matched]);
                    let equation = self.incidence.equation(matched);
                    let new = self.space.difference(through, parts.overdetermined_equations[equation]);
                    if !new.is_empty() {
                        let reached = &mut parts.overdetermined_equations[equation];
                        *reached = self.space.or(*reached, new);
                        self.pend(equation, new);
                    }
                }
            }
        }
    }

    /// E22 eq. 6: from a variable along any edge to an equation, from there along a matched edge to a variable.
    fn underdetermined(&mut self, parts: &mut Parts) {
        for (variable, &modes) in self.matching.unmatched_variables.iter_enumerated() {
            if !modes.is_empty() {
                self.reach_underdetermined(variable, modes, parts);
            }
        }
        while let Some((equation, modes)) = self.next() {
            for edge in self.incidence.edges_of_equation(equation) {
                let through = self.space.and(modes, self.matching.edges[edge]);
                if !through.is_empty() {
                    self.reach_underdetermined(self.incidence.variable(edge), through, parts);
                }
            }
        }
    }

    fn reach_underdetermined(&mut self, variable: VariableId, modes: ModeSet, parts: &mut Parts) {
        let known = parts.underdetermined_variables[variable];
        let modes = self.space.difference(modes, known);
        parts.underdetermined_variables[variable] = self.space.or(known, modes);
        for &edge in self.incidence.edges_of_variable(variable) {
            let equation = self.incidence.equation(edge);
            let reached = self.space.and(modes, self.incidence.active(edge));
            let new = self.space.difference(reached, parts.underdetermined_equations[equation]);
            if !new.is_empty() {
                let known = &mut parts.underdetermined_equations[equation];
                *known = self.space.or(*known, new);
                self.pend(equation, new);
            }
        }
    }
}
