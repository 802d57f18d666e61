//! Over- and underdetermined parts of a mode, from what both sides of each step say.
//!
//! A vertex is overdetermined (an equation) or underdetermined (a variable) if some maximum matching leaves it out (Dulmage
//! and Mendelsohn). At a step, the equations before it are a matroid on its variables, those after it another, and the size
//! of a maximum matching is, up to a constant, the largest union of a basis of each with a variable of the step's own
//! equation. So the equation is too many if the union is as large without it, and a variable is free if it is as large
//! without that. Their neighbours follow.

use modeshift_dae::{EquationId, Id, VariableId};
use modeshift_modes::{ModeSpace, ModeVariable};

use super::matroid::{back, expand, step};
use super::plan::{Form, Plan, holds};
use super::{LongRange, NotSwept, graph_of};
use crate::Incidence;
use crate::one_mode::{Signature, parts};

/// The parts of one mode, each ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartsOfMode {
    /// Equations that are too many for their variables.
    pub overdetermined_equations: Vec<EquationId>,
    /// The variables of these.
    pub overdetermined_variables: Vec<VariableId>,
    /// Equations that are too few for their variables.
    pub underdetermined_equations: Vec<EquationId>,
    /// The variables of these.
    pub underdetermined_variables: Vec<VariableId>,
}

impl LongRange {
    /// The parts of the mode with these values, from its own matching: of one mode, that needs no narrow boundary.
    pub fn parts_in(&self, value: impl Fn(ModeVariable) -> bool) -> PartsOfMode {
        let LongRange { incidence, given, .. } = self;
        let is_there = |guard| given.evaluate(guard, &value);
        let mut columns: Vec<Option<u32>> = vec![None; incidence.variables().len()];
        let (mut equations, mut variables) = (Vec::new(), Vec::new());
        for (id, _) in incidence.variables().iter_enumerated().filter(|(_, vertex)| is_there(vertex.guard)) {
            columns[id.index()] = Some(variables.len() as u32);
            variables.push(id);
        }
        let mut signature = Signature::new(variables.len());
        for (id, _) in incidence.equations().iter_enumerated().filter(|(_, vertex)| is_there(vertex.guard)) {
            let edges = incidence.edges_of_equation(id).filter(|&edge| is_there(incidence.active(edge)));
            signature.push(edges.filter_map(|edge| Some((columns[incidence.variable(edge).index()]?, 0))));
            equations.push(id);
        }
        let found = parts(&signature);
        let of_rows = |rows: Vec<u32>| rows.into_iter().map(|row| equations[row as usize]).collect();
        let of_columns = |columns: Vec<u32>| columns.into_iter().map(|column| variables[column as usize]).collect();
        PartsOfMode {
            overdetermined_equations: of_rows(found.overdetermined_equations),
            overdetermined_variables: of_columns(found.overdetermined_variables),
            underdetermined_equations: of_rows(found.underdetermined_equations),
            underdetermined_variables: of_columns(found.underdetermined_variables),
        }
    }
}

/// Finds the parts of modes by a sweep to the right and one back.
pub struct PartSweep<'a> {
    space: &'a ModeSpace,
    incidence: &'a Incidence,
    plan: Plan,
    equations: Vec<EquationId>,
}

impl<'a> PartSweep<'a> {
    /// For an incidence whose sets of modes are from `space`.
    pub fn new(space: &'a ModeSpace, incidence: &'a Incidence) -> Result<PartSweep<'a>, NotSwept> {
        let (graph, equations) = graph_of(incidence);
        Ok(PartSweep { space, incidence, plan: Plan::new(space, &graph)?, equations })
    }

    /// The parts of the mode with these values.
    pub fn in_mode(&self, value: impl Fn(ModeVariable) -> bool) -> PartsOfMode {
        let local = self.plan.local_values(&value);
        let from_left = self.bases_before(&local);
        let mut free = vec![false; self.incidence.variables().len()];
        for (variable, vertex) in self.incidence.variables().iter_enumerated() {
            let lonely = self.incidence.edges_of_variable(variable).is_empty();
            free[variable.index()] = lonely && self.space.evaluate(vertex.guard, &value);
        }
        let mut surplus: Vec<EquationId> = Vec::new();
        let mut right: Vec<u32> = vec![0];
        for at in (0..self.plan.steps.len()).rev() {
            let form = self.form(at);
            expand(&mut right, form);
            let around = Around { left: &from_left[at], right: &right, form, local: local[at] };
            let largest = around.largest(None, true);
            if holds(form.guard, local[at]) && around.largest(None, false) == largest {
                surplus.push(self.equations[self.plan.steps[at].item as usize]);
            }
            for (place, &variable) in self.plan.entering_vertices.of(at).iter().enumerate() {
                let place = form.before + place as u8;
                let present = holds(form.entering[(place - form.before) as usize], local[at]);
                free[variable as usize] = present && around.largest(Some(place), true) == largest;
            }
            back(&mut right, form, local[at]);
        }
        self.with_neighbours(surplus, &free, &value)
    }

    fn form(&self, step: usize) -> &Form {
        &self.plan.forms[self.plan.steps[step].form as usize]
    }

    /// By step: the bases of the equations before it.
    fn bases_before(&self, local: &[usize]) -> Vec<Vec<u32>> {
        let mut all = Vec::with_capacity(local.len());
        let mut bases = vec![0];
        for (at, &local) in local.iter().enumerate() {
            let (next, _) = step(&bases, self.form(at), local);
            all.push(std::mem::replace(&mut bases, next));
        }
        all
    }

    fn with_neighbours(
        &self,
        surplus: Vec<EquationId>,
        free: &[bool],
        value: &impl Fn(ModeVariable) -> bool,
    ) -> PartsOfMode {
        let incidence = self.incidence;
        let is_there = |edge| self.space.evaluate(incidence.active(edge), value);
        let mut parts = PartsOfMode { overdetermined_equations: surplus, ..PartsOfMode::default() };
        for &equation in &parts.overdetermined_equations {
            let edges = incidence.edges_of_equation(equation).filter(|&edge| is_there(edge));
            parts.overdetermined_variables.extend(edges.map(|edge| incidence.variable(edge)));
        }
        for at in free.iter().enumerate().filter(|(_, free)| **free).map(|(at, _)| at) {
            let variable = VariableId::from_index(at);
            parts.underdetermined_variables.push(variable);
            let edges = incidence.edges_of_variable(variable).iter().filter(|&&edge| is_there(edge));
            parts.underdetermined_equations.extend(edges.map(|&edge| incidence.equation(edge)));
        }
        parts.overdetermined_equations.sort_unstable();
        parts.overdetermined_variables.sort_unstable();
        parts.overdetermined_variables.dedup();
        parts.underdetermined_equations.sort_unstable();
        parts.underdetermined_equations.dedup();
        parts
    }
}

/// A step between what both sides say about its variables.
struct Around<'a> {
    left: &'a [u32],
    right: &'a [u32],
    form: &'a Form,
    local: usize,
}

impl Around<'_> {
    /// The largest union of a basis of each side, with the step's own equation or without, that does not count the
    /// variable at a place.
    fn largest(&self, without: Option<u8>, with_equation: bool) -> u32 {
        let counted = !without.map_or(0, |place| 1u32 << place);
        let own =
            if with_equation && holds(self.form.guard, self.local) { self.form.neighbours(self.local) } else { 0 };
        let unions = self.left.iter().flat_map(|left| self.right.iter().map(move |right| left | right));
        let size = |union: u32| (union & counted).count_ones() + u32::from(own & !union & counted != 0);
        unions.map(size).max().unwrap_or(0)
    }
}
