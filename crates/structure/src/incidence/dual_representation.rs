//! The guarded incidence of equations and variables: a bipartite graph whose edges have mode-dependent orders.
//!
//! This is the "dual" representation of a multimode system: for each equation, variable and edge the set of modes in
//! which it is there, and for each edge the set of modes in which the variable occurs with this highest order of
//! differentiation. All algorithms of this crate read this graph and nothing else, so that systems which are not the
//! long modes of a model, such as those of initialization, are analyzed by building another one.
//!
//! Variables have guards as equations do. So a mode needs no *plug equations*, which give a variable that does not matter
//! a default value only to keep the numbers of equations and variables equal (E22 §3, RR9322 §5.2).
//!
//! E22 §4.1, Table 1: guards are χ_I and χ_J, the orders of an edge are χ_E and σ. RR9322 §4.2 and §4.3 encode the same as
//! Boolean functions, RR9459 §4.1 calls it implicit structural analysis.

use std::sync::Arc;

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};

use crate::locality::lists::Lists;
use crate::locality::renumber::Permutation;

/// An edge of the incidence graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId(pub u32);

impl Id for EdgeId {
    fn from_index(index: usize) -> Self {
        EdgeId(u32::try_from(index).expect("fewer than 2^32 edges"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// An equation or a variable: its name and the modes in which it is there.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// Its name in the model.
    pub name: Arc<str>,
    /// The modes in which it is there; empty for what is no part of this system.
    pub guard: ModeSet,
}

/// That a variable occurs in an equation, differentiated `order` times, in these modes.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    /// The equation.
    pub equation: EquationId,
    /// The variable.
    pub variable: VariableId,
    /// How often the variable is differentiated there.
    pub order: u32,
    /// In which modes, beside the guards of both.
    pub modes: ModeSet,
}

/// That a variable occurs in an active equation in modes in which the variable does not exist.
#[derive(Clone, Copy, Debug)]
pub struct MissingVariable {
    /// The equation.
    pub equation: EquationId,
    /// The variable.
    pub variable: VariableId,
    /// The modes in question, none of them empty.
    pub modes: ModeSet,
}

/// An edge: which equation, which variable, and where its orders are.
#[derive(Clone, Copy, Debug)]
struct Edge {
    equation: EquationId,
    variable: VariableId,
    orders: u32,
}

/// The guarded bipartite graph.
#[derive(Clone, Debug)]
pub struct Incidence {
    equations: IndexVec<EquationId, Vertex>,
    variables: IndexVec<VariableId, Vertex>,
    /// Those of an equation together, by variable; one more at the end as a sentinel of `orders`.
    edges: Vec<Edge>,
    /// Of each edge, ascending, with disjoint sets of modes that are not empty.
    orders: Vec<(u32, ModeSet)>,
    active: IndexVec<EdgeId, ModeSet>,
    /// Where the edges of each equation start and end.
    of_equation: IndexVec<EquationId, (u32, u32)>,
    of_variable: Lists<EdgeId>,
    missing: Vec<MissingVariable>,
}

impl Incidence {
    /// The graph of these equations, variables and occurrences, in any order and with repetitions.
    ///
    /// In each mode the highest order counts. An edge is active where its equation and variable are there and the
    /// variable occurs.
    pub fn new(
        space: &ModeSpace,
        equations: IndexVec<EquationId, Vertex>,
        variables: IndexVec<VariableId, Vertex>,
        mut occurrences: Vec<Occurrence>,
    ) -> Incidence {
        occurrences.sort_by_key(|it| (it.equation, it.variable, std::cmp::Reverse(it.order)));
        let mut incidence = Incidence::without_edges(equations, variables, occurrences.len());
        incidence.add(space, &occurrences);
        incidence.indexed()
    }

    /// The graph before its edges are added, with room for this many.
    pub(crate) fn without_edges(
        equations: IndexVec<EquationId, Vertex>,
        variables: IndexVec<VariableId, Vertex>,
        occurrences: usize,
    ) -> Incidence {
        Incidence {
            equations,
            variables,
            edges: Vec::with_capacity(occurrences + 1),
            orders: Vec::with_capacity(occurrences),
            active: IndexVec::new(),
            of_equation: IndexVec::new(),
            of_variable: Lists::new(),
            missing: Vec::new(),
        }
    }

    /// Adds the edges of these occurrences: those in an equation stand together, in it those of a variable, and of these
    /// the highest order first. Edges are stored in this order, which had better be the one in which they will be looked at.
    pub(crate) fn add(&mut self, space: &ModeSpace, occurrences: &[Occurrence]) {
        let same_edge = |a: &Occurrence, b: &Occurrence| a.equation == b.equation && a.variable == b.variable;
        for group in occurrences.chunk_by(same_edge) {
            self.add_edge(space, group);
        }
    }

    /// The same graph under the numbers that its equations and variables had before; edges keep theirs.
    pub(crate) fn with_old_numbers(
        mut self,
        equations: IndexVec<EquationId, Vertex>,
        variables: IndexVec<VariableId, Vertex>,
        equation: &Permutation<EquationId>,
        variable: &Permutation<VariableId>,
    ) -> Incidence {
        let of_equation = equation.new.iter().map(|&id| self.of_equation[id]).collect();
        let of_variable = self.of_variable.along(variable.new.iter().copied());
        let (_, edges) = self.edges.split_last_mut().expect("the sentinel");
        for edge in edges {
            (edge.equation, edge.variable) = (equation.old[edge.equation], variable.old[edge.variable]);
        }
        for missing in &mut self.missing {
            (missing.equation, missing.variable) = (equation.old[missing.equation], variable.old[missing.variable]);
        }
        Incidence { equations, variables, of_equation, of_variable, ..self }
    }

    /// Adds the edge that these occurrences of one variable in one equation, highest order first, make.
    fn add_edge(&mut self, space: &ModeSpace, occurrences: &[Occurrence]) {
        let Occurrence { equation, variable, .. } = occurrences[0];
        let (equation_guard, variable_guard) = (self.equations[equation].guard, self.variables[variable].guard);
        let start = self.orders.len();
        let mut covered = ModeSet::EMPTY;
        let mut missing = ModeSet::EMPTY;
        for occurrence in occurrences {
            let present = space.and(occurrence.modes, equation_guard);
            missing = space.or(missing, space.difference(present, variable_guard));
            let modes = space.difference(space.and(present, variable_guard), covered);
            if modes.is_empty() {
                continue;
            }
            covered = space.or(covered, modes);
            match self.orders[start..].last_mut() {
                Some((order, same)) if *order == occurrence.order => *same = space.or(*same, modes),
                _ => self.orders.push((occurrence.order, modes)),
            }
        }
        if !missing.is_empty() {
            self.missing.push(MissingVariable { equation, variable, modes: missing });
        }
        if !covered.is_empty() {
            self.orders[start..].reverse();
            self.edges.push(Edge { equation, variable, orders: start as u32 });
            self.active.push(covered);
        }
    }

    /// The same with the lists of edges of each equation and variable, when all have been added.
    pub(crate) fn indexed(mut self) -> Incidence {
        self.of_equation = self.equations.iter().map(|_| (0, 0)).collect();
        for (index, edge) in self.edges.iter().enumerate() {
            let (start, end) = &mut self.of_equation[edge.equation];
            if *end == 0 {
                *start = index as u32;
            }
            *end = index as u32 + 1;
        }
        let with_variable = |(edge, it): (usize, &Edge)| (it.variable.0, EdgeId(edge as u32));
        self.of_variable = Lists::grouped(self.variables.len(), self.edges.iter().enumerate().map(with_variable));
        let sentinel =
            Edge { equation: EquationId(u32::MAX), variable: VariableId(u32::MAX), orders: self.orders.len() as u32 };
        self.edges.push(sentinel);
        self
    }

    /// The equations.
    pub fn equations(&self) -> &IndexVec<EquationId, Vertex> {
        &self.equations
    }

    /// The variables.
    pub fn variables(&self) -> &IndexVec<VariableId, Vertex> {
        &self.variables
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.active.len()
    }

    /// All edges, those of an equation together.
    pub fn edges(&self) -> impl DoubleEndedIterator<Item = EdgeId> + ExactSizeIterator + use<> {
        self.active.ids()
    }

    /// The equation of an edge.
    #[inline]
    pub fn equation(&self, edge: EdgeId) -> EquationId {
        self.edges[edge.index()].equation
    }

    /// The variable of an edge.
    #[inline]
    pub fn variable(&self, edge: EdgeId) -> VariableId {
        self.edges[edge.index()].variable
    }

    /// The modes in which an edge is there.
    #[inline]
    pub fn active(&self, edge: EdgeId) -> ModeSet {
        self.active[edge]
    }

    /// The orders with their modes: ascending, disjoint, together the modes in which the edge is active.
    #[inline]
    pub fn orders(&self, edge: EdgeId) -> &[(u32, ModeSet)] {
        let range = self.edges[edge.index()].orders as usize..self.edges[edge.index() + 1].orders as usize;
        &self.orders[range]
    }

    /// The edges of an equation, by variable.
    #[inline]
    pub fn edges_of_equation(&self, equation: EquationId) -> impl DoubleEndedIterator<Item = EdgeId> + use<> {
        let (start, end) = self.of_equation[equation];
        (start..end).map(EdgeId)
    }

    /// The edge of an equation at this position among [`Incidence::edges_of_equation`].
    #[inline]
    pub(crate) fn edge_of_equation(&self, equation: EquationId, at: usize) -> Option<EdgeId> {
        let (start, end) = self.of_equation[equation];
        let edge = start + at as u32;
        (edge < end).then_some(EdgeId(edge))
    }

    /// The edges of a variable, in the order of all edges.
    #[inline]
    pub fn edges_of_variable(&self, variable: VariableId) -> &[EdgeId] {
        self.of_variable.of(variable.index())
    }

    /// Occurrences of variables where they do not exist: mistakes of the model. They make no edges.
    pub fn missing_variables(&self) -> &[MissingVariable] {
        &self.missing
    }

    /// All sets of modes of this graph, to be kept by a collection.
    pub fn mode_sets(&self) -> impl Iterator<Item = ModeSet> {
        let guards = self.equations.iter().chain(self.variables.iter()).map(|vertex| vertex.guard);
        let orders = self.orders.iter().map(|&(_, modes)| modes);
        guards.chain(orders).chain(self.active.iter().copied()).chain(self.missing.iter().map(|missing| missing.modes))
    }
}
