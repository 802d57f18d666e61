//! Matching conditions with unknowns, in order of their importance.
//!
//! The equations of the model come matched: `f^(k)` with `x^(σ+k)` if the long modes match `f` with `x` and `x` occurs
//! in `f` with order `σ`. Conditions follow one by one, along alternating paths, and what is matched stays matched. So
//! a condition that finds no place is too many given the model and conditions before it, in exactly those modes.
//!
//! A search that fails has gone everywhere it could. Conditions that would all fail along a chain of mode-dependent
//! length, each in modes of its own, are therefore told so beforehand: first every condition looks around itself only,
//! then the decomposition of Dulmage and Mendelsohn says from where unmatched variables can be reached at all.
//!
//! E22 §7.2, step 1: one matching of maximum cardinality for each mode and scenario.

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet, ModeSpace};

use crate::matching::sweep::Sweep;
use crate::{EdgeId, Incidence, Matching, dulmage_mendelsohn};

/// Equations that a condition looks at before it asks whether looking further makes sense.
const NEARBY: usize = 16;

/// A matching in the making.
pub(crate) struct Pairs<'a> {
    space: &'a ModeSpace,
    incidence: &'a Incidence,
    matched: IndexVec<EdgeId, ModeSet>,
    /// Of each variable the edges that are matched in some mode, and perhaps some that no longer are.
    matched_edges: IndexVec<VariableId, Vec<EdgeId>>,
    unmatched_equations: IndexVec<EquationId, ModeSet>,
    unmatched_variables: IndexVec<VariableId, ModeSet>,
    /// The modes of the current search that have not come to an unmatched variable.
    remaining: ModeSet,
    reached: IndexVec<VariableId, ModeSet>,
    touched: Vec<VariableId>,
    /// Modes in which a search through this variable has failed: as matched equations stay matched, all later ones
    /// would fail there too.
    dead: IndexVec<VariableId, ModeSet>,
    /// Modes of each equation whose edges have not been looked at.
    pending: IndexVec<EquationId, ModeSet>,
    sweep: Sweep,
    /// Which edges were followed in which modes, in order of time.
    steps: Vec<(EdgeId, ModeSet)>,
    /// Modes of each variable through which a path goes that is to be turned.
    wanted: IndexVec<VariableId, ModeSet>,
}

impl<'a> Pairs<'a> {
    /// Nothing is matched; searches go up and down `order`.
    pub(crate) fn new(space: &'a ModeSpace, incidence: &'a Incidence, order: &[EquationId]) -> Self {
        let (equations, variables) = (incidence.equations(), incidence.variables());
        Pairs {
            space,
            incidence,
            matched: empty(incidence.edge_count()),
            matched_edges: variables.iter().map(|_| Vec::new()).collect(),
            unmatched_equations: equations.iter().map(|equation| equation.guard).collect(),
            unmatched_variables: variables.iter().map(|variable| variable.guard).collect(),
            remaining: ModeSet::EMPTY,
            reached: empty(variables.len()),
            touched: Vec::new(),
            dead: empty(variables.len()),
            pending: empty(equations.len()),
            sweep: Sweep::new(equations.len(), order),
            steps: Vec::new(),
            wanted: empty(variables.len()),
        }
    }

    /// Matches an equation with a variable in those of these modes in which that is possible right away.
    pub(crate) fn pair(&mut self, equation: EquationId, variable: VariableId, modes: ModeSet) {
        let edge = self.incidence.edges_of_equation(equation).find(|&edge| self.incidence.variable(edge) == variable);
        let Some(edge) = edge else { return };
        let (one, other) = (self.unmatched_equations[equation], self.unmatched_variables[variable]);
        let open = self.space.intersection([one, other, self.incidence.active(edge), modes]);
        if !open.is_empty() {
            self.add_matched(edge, open);
            self.unmatched_equations[equation] = self.space.difference(one, open);
            self.unmatched_variables[variable] = self.space.difference(other, open);
        }
    }

    /// Matches these equations, in this order, in every mode in which that is possible.
    pub(crate) fn match_equations(&mut self, equations: &[EquationId], order: &[EquationId]) -> Result<(), Limit> {
        for reach in [NEARBY, usize::MAX] {
            if equations.iter().all(|&equation| self.unmatched_equations[equation].is_empty()) {
                break;
            }
            if reach > NEARBY {
                self.mark_dead_ends(order)?;
            }
            for (count, &equation) in equations.iter().enumerate() {
                self.match_equation(equation, reach);
                if count % 256 == 0 {
                    self.space.check()?;
                }
            }
        }
        self.space.check()
    }

    /// Notes from which variables no unmatched one can be reached.
    fn mark_dead_ends(&mut self, order: &[EquationId]) -> Result<(), Limit> {
        let parts = dulmage_mendelsohn(self.space, self.incidence, &self.matching(), order)?;
        for (variable, &alive) in parts.underdetermined_variables.iter_enumerated() {
            self.dead[variable] = self.space.difference(self.incidence.variables()[variable].guard, alive);
        }
        Ok(())
    }

    /// Matches an equation in every mode in which that is possible by looking at no more than so many equations.
    fn match_equation(&mut self, equation: EquationId, reach: usize) {
        self.remaining = self.unmatched_equations[equation];
        if self.remaining.is_empty() {
            return;
        }
        self.pend(equation, self.remaining);
        let mut looked_at = 0;
        while let Some(equation) = self.sweep.next() {
            let pending = std::mem::replace(&mut self.pending[equation], ModeSet::EMPTY);
            let modes = self.space.and(pending, self.remaining);
            if !modes.is_empty() && looked_at < reach {
                looked_at += 1;
                let modes = self.take_unmatched_variables(equation, modes);
                self.follow_edges(equation, modes);
            }
        }
        self.unmatched_equations[equation] = self.remaining;
        self.turn_paths();
        for variable in self.touched.drain(..) {
            let reached = std::mem::replace(&mut self.reached[variable], ModeSet::EMPTY);
            if looked_at < reach {
                let failed = self.space.and(reached, self.remaining);
                self.dead[variable] = self.space.or(self.dead[variable], failed);
            }
        }
    }

    /// Ends the search in the modes in which an edge leads to an unmatched variable; returns the other modes.
    fn take_unmatched_variables(&mut self, equation: EquationId, mut modes: ModeSet) -> ModeSet {
        for edge in self.incidence.edges_of_equation(equation) {
            if modes.is_empty() {
                break;
            }
            let variable = self.incidence.variable(edge);
            let unmatched = self.unmatched_variables[variable];
            if unmatched.is_empty() {
                continue;
            }
            let found = self.space.and(self.space.and(modes, unmatched), self.incidence.active(edge));
            if !found.is_empty() {
                self.steps.push((edge, found));
                self.wanted[variable] = self.space.or(self.wanted[variable], found);
                self.unmatched_variables[variable] = self.space.difference(unmatched, found);
                self.remaining = self.space.difference(self.remaining, found);
                modes = self.space.difference(modes, found);
            }
        }
        modes
    }

    /// Reaches the variables of an equation, and the equations that they are matched with.
    fn follow_edges(&mut self, equation: EquationId, modes: ModeSet) {
        if modes.is_empty() {
            return;
        }
        for edge in self.incidence.edges_of_equation(equation) {
            let variable = self.incidence.variable(edge);
            let known = self.reached[variable];
            let new = self.space.difference(self.space.and(modes, self.incidence.active(edge)), known);
            let new = self.space.difference(new, self.dead[variable]);
            if new.is_empty() {
                continue;
            }
            if known.is_empty() {
                self.touched.push(variable);
            }
            self.steps.push((edge, new));
            self.reached[variable] = self.space.or(known, new);
            self.reach_matched_equations(variable, new);
        }
    }

    fn reach_matched_equations(&mut self, variable: VariableId, modes: ModeSet) {
        let mut at = 0;
        while let Some(&edge) = self.matched_edges[variable].get(at) {
            if self.matched[edge].is_empty() {
                self.matched_edges[variable].swap_remove(at);
                continue;
            }
            at += 1;
            let through = self.space.and(modes, self.matched[edge]);
            if !through.is_empty() {
                self.pend(self.incidence.equation(edge), through);
            }
        }
    }

    fn pend(&mut self, equation: EquationId, modes: ModeSet) {
        self.pending[equation] = self.space.or(self.pending[equation], modes);
        self.sweep.add(equation);
    }

    /// Exchanges matched and unmatched edges along the found paths, from their ends back to the equation searched for.
    fn turn_paths(&mut self) {
        while let Some((edge, modes)) = self.steps.pop() {
            let variable = self.incidence.variable(edge);
            let path = self.space.and(self.wanted[variable], modes);
            if !path.is_empty() {
                self.wanted[variable] = self.space.difference(self.wanted[variable], path);
                self.free(self.incidence.equation(edge), path);
                self.add_matched(edge, path);
            }
        }
    }

    fn add_matched(&mut self, edge: EdgeId, modes: ModeSet) {
        if self.matched[edge].is_empty() {
            self.matched_edges[self.incidence.variable(edge)].push(edge);
        }
        self.matched[edge] = self.space.or(self.matched[edge], modes);
    }

    /// Frees an equation in these modes; the variables it was matched with are wanted from others then.
    fn free(&mut self, equation: EquationId, modes: ModeSet) {
        for edge in self.incidence.edges_of_equation(equation) {
            let freed = self.space.and(self.matched[edge], modes);
            if !freed.is_empty() {
                let variable = self.incidence.variable(edge);
                self.matched[edge] = self.space.difference(self.matched[edge], freed);
                self.wanted[variable] = self.space.or(self.wanted[variable], freed);
            }
        }
    }

    /// The modes in which an equation has found no place so far.
    pub(crate) fn unmatched(&self, equation: EquationId) -> ModeSet {
        self.unmatched_equations[equation]
    }

    /// The matching that this is so far. All edges are tight: nothing is differentiated here.
    pub(crate) fn matching(&self) -> Matching {
        Matching {
            edges: self.matched.clone(),
            unmatched_equations: self.unmatched_equations.clone(),
            unmatched_variables: self.unmatched_variables.clone(),
            tight: self.incidence.edges().map(|edge| self.incidence.active(edge)).collect(),
        }
    }
}

fn empty<I: Id>(count: usize) -> IndexVec<I, ModeSet> {
    (0..count).map(|_| ModeSet::EMPTY).collect()
}
