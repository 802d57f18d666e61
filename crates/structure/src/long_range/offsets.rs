//! Offsets and blocks of a mode, from what both sides of each step weigh.
//!
//! At a step, the equations before it are a valuated matroid on its variables, those after it another. The heaviest matching has some
//! weight with the step's own equation, and without it, when another covers two, perhaps more: the difference is how often the
//! equation is differentiated. An edge is in some heaviest matching if the weight with it is the largest; equations that hang
//! together by such edges are a block, whatever matching is chosen.
//!
//! The check: `d = max (c + σ)` satisfies all inequalities, so where `Σd - Σc` is the weight of the heaviest matching, `c` and `d` are
//! optimal, and what was dropped was below every optimum.

use modeshift_dae::{EquationId, Id, UnionFind, VariableId};
use modeshift_modes::{ModeSpace, ModeVariable};

use super::plan::{Form, Graph, Item, Plan, holds};
use super::weights::{Weights, edges};
use super::{NotSwept, matroid};
use crate::Incidence;

/// Beyond this nothing is dropped that could matter: no sum of orders in a boundary is as large.
pub(super) const ALL_KEPT: i32 = 1 << 24;

/// Offsets and blocks of one regular mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetsOfMode {
    /// How often each equation that holds is differentiated, by equation.
    pub equations: Vec<(EquationId, u32)>,
    /// The leading derivative of each variable that exists, by variable.
    pub variables: Vec<(VariableId, u32)>,
    /// What is solved together: equations ascending, by their first.
    pub blocks: Vec<Vec<EquationId>>,
}

/// Finds offsets and blocks of modes by a sweep to the right and one back.
pub struct OffsetSweep<'a> {
    space: &'a ModeSpace,
    incidence: &'a Incidence,
    plan: Plan,
    equations: Vec<EquationId>,
    highest_order: i32,
}

impl<'a> OffsetSweep<'a> {
    /// For an incidence whose sets of modes are from `space`.
    pub fn new(space: &'a ModeSpace, incidence: &'a Incidence) -> Result<OffsetSweep<'a>, NotSwept> {
        let (graph, equations) = weighted_graph(incidence);
        let highest_order = graph.items.iter().flat_map(|item| &item.orders).copied().max().unwrap_or(0);
        Ok(OffsetSweep {
            space,
            incidence,
            plan: Plan::new(space, &graph)?,
            equations,
            highest_order: i32::from(highest_order),
        })
    }

    /// The offsets and blocks of the mode with these values; nothing where it is singular.
    pub fn in_mode(&self, value: impl Fn(ModeVariable) -> bool) -> Option<OffsetsOfMode> {
        let local = self.plan.local_values(&value);
        if !self.is_regular(&local, &value) {
            return None;
        }
        let mut kept = (self.highest_order + 1) * self.plan.widest.max(1) as i32;
        loop {
            let found = self.within(&local, kept);
            if let Some((offsets, weight)) = found
                && (self.is_exact(&offsets, weight, kept) || kept >= ALL_KEPT)
            {
                return Some(offsets);
            }
            assert!(kept < ALL_KEPT, "a mode with a perfect matching has a heaviest one");
            kept *= 2;
        }
    }

    fn form(&self, step: usize) -> &Form {
        &self.plan.forms[self.plan.steps[step].form as usize]
    }

    fn is_regular(&self, local: &[usize], value: &impl Fn(ModeVariable) -> bool) -> bool {
        let lonely = |(id, vertex): (VariableId, &crate::Vertex)| {
            self.incidence.edges_of_variable(id).is_empty() && self.space.evaluate(vertex.guard, value)
        };
        if self.incidence.variables().iter_enumerated().any(lonely) {
            return false;
        }
        let mut bases = vec![0];
        for (at, &local) in local.iter().enumerate() {
            let (next, lacks) = matroid::step(&bases, self.form(at), local);
            if lacks {
                return false;
            }
            bases = next;
        }
        true
    }

    /// Offsets and blocks with so much kept of each summary, and the weight of the heaviest matching; nothing where that is too little.
    fn within(&self, local: &[usize], kept: i32) -> Option<(OffsetsOfMode, i64)> {
        let mut before = Vec::with_capacity(local.len());
        let (mut left, mut weight) = (Weights::start(), 0);
        for (at, &local) in local.iter().enumerate() {
            let (next, lowered) = left.step(self.form(at), local, kept)?;
            weight += i64::from(lowered);
            before.push(std::mem::replace(&mut left, next));
        }
        let mut found = Found::new(self.incidence);
        let mut boundary = Boundary::at_end(&self.plan);
        let mut right = Weights::start();
        for at in (0..local.len()).rev() {
            let (form, local) = (self.form(at), local[at]);
            boundary.open(&self.plan, at);
            let after = right.expanded(form, local);
            if holds(form.guard, local) {
                let heaviest = before[at].heaviest(&after, form, local);
                let with = heaviest.by_edge.iter().map(|it| it.1).max()?;
                let offset = heaviest.without.map_or(0, |without| (without - with).max(0)) as u32;
                let equation = self.equations[self.plan.steps[at].item as usize];
                found.equations.push((equation, offset));
                for &(place, _) in heaviest.by_edge.iter().filter(|it| it.1 == with) {
                    let variable = boundary.places[usize::from(place)] as usize;
                    found.joined.join(equation.index(), self.incidence.equations().len() + variable);
                }
                for (place, order) in edges(form, local) {
                    let variable = boundary.places[usize::from(place)] as usize;
                    found.leading[variable] = found.leading[variable].max(Some(offset + order));
                }
            }
            right = after.step_back(form, local, kept)?;
            boundary.close(&self.plan, at);
        }
        Some((found.offsets(), weight))
    }

    /// Whether nothing that was dropped can matter.
    fn is_exact(&self, found: &OffsetsOfMode, weight: i64, kept: i32) -> bool {
        let leading: i64 = found.variables.iter().map(|it| i64::from(it.1)).sum();
        let differentiated: i64 = found.equations.iter().map(|it| i64::from(it.1)).sum();
        let highest = found.variables.iter().map(|it| i64::from(it.1)).max().unwrap_or(0);
        leading - differentiated == weight && i64::from(kept) >= highest * self.plan.widest as i64
    }
}

/// What has been found of a mode.
struct Found {
    equations: Vec<(EquationId, u32)>,
    leading: Vec<Option<u32>>,
    /// Equations, then variables.
    joined: UnionFind<usize>,
}

impl Found {
    fn new(incidence: &Incidence) -> Found {
        let (equations, variables) = (incidence.equations().len(), incidence.variables().len());
        Found { equations: Vec::new(), leading: vec![None; variables], joined: UnionFind::new(equations + variables) }
    }

    fn offsets(mut self) -> OffsetsOfMode {
        self.equations.sort_unstable();
        let mut blocks: Vec<Vec<EquationId>> = Vec::new();
        let mut number = std::collections::BTreeMap::new();
        for &(equation, _) in &self.equations {
            let at = *number.entry(self.joined.root(equation.index())).or_insert_with(|| {
                blocks.push(Vec::new());
                blocks.len() - 1
            });
            blocks[at].push(equation);
        }
        let leading = self.leading.iter().enumerate();
        let variables = leading.filter_map(|(at, leading)| Some((VariableId::from_index(at), (*leading)?))).collect();
        OffsetsOfMode { equations: self.equations, variables, blocks }
    }
}

/// Which variables are in the boundary, followed from the last cut to the first.
struct Boundary {
    /// Of the step or of the cut before it.
    places: Vec<u32>,
    /// By step: what left in it, in the order of places.
    left: Vec<Vec<u32>>,
}

impl Boundary {
    fn at_end(plan: &Plan) -> Boundary {
        let mut places: Vec<u32> = Vec::new();
        let mut left = Vec::with_capacity(plan.steps.len());
        for (at, step) in plan.steps.iter().enumerate() {
            places.extend(plan.entering_vertices.of(at));
            // Places of leaving ones descend.
            let leaving = plan.forms[step.form as usize].leaving.iter();
            left.push(leaving.map(|&(place, _)| places.remove(usize::from(place))).collect());
        }
        Boundary { places, left }
    }

    /// From the cut after a step to the places of the step.
    fn open(&mut self, plan: &Plan, at: usize) {
        let form = &plan.forms[plan.steps[at].form as usize];
        for (&(place, _), &variable) in form.leaving.iter().zip(&self.left[at]).rev() {
            self.places.insert(usize::from(place), variable);
        }
    }

    /// From the places of a step to the cut before it.
    fn close(&mut self, plan: &Plan, at: usize) {
        self.places.truncate(usize::from(plan.forms[plan.steps[at].form as usize].before));
    }
}

/// The graph of an incidence with orders: an edge that has several is there once for each.
pub(super) fn weighted_graph(incidence: &Incidence) -> (Graph, Vec<EquationId>) {
    let equations = incidence.equations().iter_enumerated().filter(|(_, vertex)| !vertex.guard.is_empty());
    let equations: Vec<EquationId> = equations.map(|(id, _)| id).collect();
    let item = |&id: &EquationId| {
        let (mut edges, mut orders) = (Vec::new(), Vec::new());
        for edge in incidence.edges_of_equation(id) {
            for &(order, modes) in incidence.orders(edge) {
                edges.push((incidence.variable(edge).index() as u32, modes));
                orders.push(order.min(u32::from(u8::MAX)) as u8);
            }
        }
        Item { guard: incidence.equations()[id].guard, edges, sources: 0, orders }
    };
    let items = equations.iter().map(item).collect();
    let vertices = incidence.variables().iter().map(|vertex| vertex.guard).collect();
    (Graph { items, vertices }, equations)
}
