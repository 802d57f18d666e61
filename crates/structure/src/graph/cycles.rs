//! Strongly connected components in all modes at once, as predicates: the modes in which an edge lies on a cycle.
//!
//! The directed graph has an arc from an equation to the variable matched with it, and one from a variable to each other
//! equation with a tight edge to it. In a mode, blocks of several equations are the components of the arcs that lie on a
//! cycle in that mode; which these are does not depend on the choice of the matching. There can be exponentially many
//! such blocks, but there is one predicate per edge.
//!
//! Most arcs lie on no cycle: the graph is trimmed, then cut into coarse components by forgetting the modes. Within
//! these, many arcs lie on a short cycle in all their modes; the rest is decided exactly by elimination.
//!
//! Takes the place of the transitive closure of RR9322 §4.6.2.

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet, ModeSpace};

use crate::graph::closure::Digraph;
use crate::graph::components::strongly_connected_components;
use crate::locality::lists::Lists;
use crate::matching::dulmage_mendelsohn::Parts;
use crate::{EdgeId, Incidence, Matching};

/// How often the graph is trimmed up and down the locality order.
const TRIMMING_SWEEPS: usize = 6;
/// So many arcs of a vertex are united one after the other; most have no more.
const FEW: usize = 8;
/// How often the graph is trimmed again after arcs between coarse components were cut.
const CUTTING_ROUNDS: usize = 3;
/// Cycles through more equations than this are not short.
const SHORT_CYCLE: usize = 6;
/// Arcs followed in search of short cycles through one arc.
const SHORT_CYCLE_WORK: usize = 1000;

/// Which edges and equations belong to blocks of several equations, in which modes.
#[derive(Clone, Debug)]
pub struct Cycles {
    /// The modes in which the equation and the variable of an edge belong to the same block of several equations.
    pub edges: IndexVec<EdgeId, ModeSet>,
    /// The modes in which an equation belongs to a block of several equations.
    pub equations: IndexVec<EquationId, ModeSet>,
}

impl Cycles {
    /// All sets of modes in here, to be kept by a collection.
    pub fn mode_sets(&self) -> impl Iterator<Item = ModeSet> {
        self.edges.iter().chain(self.equations.iter()).copied()
    }
}

/// Finds the edges that lie on cycles. In singular modes, those of the square part.
pub fn cycles(
    space: &ModeSpace,
    incidence: &Incidence,
    matching: &Matching,
    parts: &Parts,
    order: &[EquationId],
) -> Result<Cycles, Limit> {
    space.set_task("finding blocks of equations");
    let mut graph = Dependencies::new(space, incidence, matching, parts, order);
    graph.trim()?;
    let mut components = graph.coarse_components();
    for _ in 0..CUTTING_ROUNDS {
        if !graph.cut_between(&components) {
            break;
        }
        graph.trim()?;
        components = graph.coarse_components();
    }
    graph.cut_between(&components);
    graph.keep_cyclic_arcs(&components)?;
    space.check()?;
    Ok(graph.finish())
}

/// The directed graph. Vertices are numbered: first the equations, then the variables.
struct Dependencies<'a> {
    space: &'a ModeSpace,
    incidence: &'a Incidence,
    /// Modes of the arc from the equation to the variable.
    writes: IndexVec<EdgeId, ModeSet>,
    /// Modes of the arc from the variable to the equation.
    reads: IndexVec<EdgeId, ModeSet>,
    /// All vertices, along the locality order, and where each is.
    vertices: Vec<u32>,
    rank: Vec<u32>,
}

impl<'a> Dependencies<'a> {
    fn new(
        space: &'a ModeSpace,
        incidence: &'a Incidence,
        matching: &Matching,
        parts: &Parts,
        order: &[EquationId],
    ) -> Self {
        let arcs = incidence.edges().map(|edge| {
            let equation = incidence.equation(edge);
            let matched = matching.edges[edge];
            let read = space.difference(matching.tight[edge], matched);
            (parts.square(space, equation, matched), parts.square(space, equation, read))
        });
        let (mut writes, mut reads) = (IndexVec::new(), IndexVec::new());
        for (write, read) in arcs {
            writes.push(write);
            reads.push(read);
        }
        let (vertices, rank) = vertices_along(incidence, order);
        Dependencies { space, incidence, writes, reads, vertices, rank }
    }

    fn equation_count(&self) -> usize {
        self.incidence.equations().len()
    }

    fn variable_vertex(&self, variable: VariableId) -> u32 {
        (self.equation_count() + variable.index()) as u32
    }

    /// Takes away arcs in the modes in which nothing leads to their tail or away from their head.
    fn trim(&mut self) -> Result<(), Limit> {
        let mut waiting = vec![true; self.vertices.len()];
        for sweep in 0..TRIMMING_SWEEPS {
            let mut changed = false;
            for step in 0..self.vertices.len() {
                let at = if sweep % 2 == 0 { step } else { self.vertices.len() - 1 - step };
                if std::mem::replace(&mut waiting[at], false) {
                    changed |= self.trim_vertex(self.vertices[at], &mut waiting);
                }
            }
            self.space.check()?;
            if !changed {
                break;
            }
        }
        Ok(())
    }

    fn trim_vertex(&mut self, vertex: u32, waiting: &mut [bool]) -> bool {
        let incidence = self.incidence;
        if (vertex as usize) < self.equation_count() {
            let equation = EquationId(vertex);
            self.trim_edges(|| incidence.edges_of_equation(equation), false, waiting)
        } else {
            let variable = VariableId(vertex - self.equation_count() as u32);
            self.trim_edges(|| incidence.edges_of_variable(variable).iter().copied(), true, waiting)
        }
    }

    /// Trims the edges of one vertex; the vertices at their other ends wait where something changed.
    fn trim_edges<I: Iterator<Item = EdgeId>>(
        &mut self,
        edges: impl Fn() -> I,
        at_variable: bool,
        waiting: &mut [bool],
    ) -> bool {
        let (written, read) = (self.any(&self.writes, edges()), self.any(&self.reads, edges()));
        let mut changed = false;
        for edge in edges() {
            let (write, arc) = (self.writes[edge], self.reads[edge]);
            if write.is_empty() && arc.is_empty() {
                continue;
            }
            self.writes[edge] = self.space.and(write, read);
            self.reads[edge] = self.space.and(arc, written);
            if self.writes[edge] != write || self.reads[edge] != arc {
                changed = true;
                let other = if at_variable {
                    self.incidence.equation(edge).0
                } else {
                    self.variable_vertex(self.incidence.variable(edge))
                };
                waiting[self.rank[other as usize] as usize] = true;
            }
        }
        changed
    }

    fn any(&self, arcs: &IndexVec<EdgeId, ModeSet>, edges: impl Iterator<Item = EdgeId>) -> ModeSet {
        let mut there = edges.map(|edge| arcs[edge]).filter(|modes| !modes.is_empty());
        let mut modes = ModeSet::EMPTY;
        for arc in there.by_ref().take(FEW) {
            modes = self.space.or(modes, arc);
            if modes.is_all() {
                return modes;
            }
        }
        let Some(next) = there.next() else { return modes };
        // One after the other would be as many sets as there are arcs, each larger than the one before.
        self.space.union(there.chain([next, modes]))
    }

    /// The number of each vertex's strongly connected component when the modes are forgotten.
    fn coarse_components(&self) -> Vec<u32> {
        let mut component = vec![0; self.vertices.len()];
        let mut complete = 0;
        strongly_connected_components(
            self.vertices.len(),
            self.vertices.iter().copied(),
            |vertex, at| self.successor(vertex, at),
            |members| {
                members.iter().for_each(|&member| component[member as usize] = complete);
                complete += 1;
            },
        );
        component
    }

    /// The edge at position `at` of a vertex, and the vertex that its arc leads to if there is one. None past the last.
    fn successor(&self, vertex: u32, at: usize) -> Option<Option<u32>> {
        if (vertex as usize) < self.equation_count() {
            let edge = self.incidence.edge_of_equation(EquationId(vertex), at)?;
            let target = self.variable_vertex(self.incidence.variable(edge));
            Some((!self.writes[edge].is_empty()).then_some(target))
        } else {
            let variable = VariableId(vertex - self.equation_count() as u32);
            let edge = *self.incidence.edges_of_variable(variable).get(at)?;
            Some((!self.reads[edge].is_empty()).then_some(self.incidence.equation(edge).0))
        }
    }

    /// Takes away the arcs between different components; whether there were any.
    fn cut_between(&mut self, component: &[u32]) -> bool {
        let mut cut = false;
        for edge in self.incidence.edges() {
            let variable = self.variable_vertex(self.incidence.variable(edge));
            if component[self.incidence.equation(edge).index()] != component[variable as usize] {
                cut |= !self.writes[edge].is_empty() || !self.reads[edge].is_empty();
                self.writes[edge] = ModeSet::EMPTY;
                self.reads[edge] = ModeSet::EMPTY;
            }
        }
        cut
    }

    /// Keeps of each arc the modes in which it lies on a cycle, component by component.
    fn keep_cyclic_arcs(&mut self, component: &[u32]) -> Result<(), Limit> {
        let components = component.iter().max().map_or(0, |&last| last as usize + 1);
        let members = Lists::grouped(components, self.vertices.iter().map(|&it| (component[it as usize], it)));
        let mut local = vec![0; self.vertices.len()];
        for vertices in (0..components).map(|component| members.of(component)) {
            if vertices.len() > 2 && !self.all_on_short_cycles(vertices) {
                self.keep_by_elimination(vertices, &mut local)?;
            }
        }
        Ok(())
    }

    fn edges_of_component(&self, vertices: &[u32]) -> impl Iterator<Item = EdgeId> {
        let equations = vertices.iter().filter(|&&vertex| (vertex as usize) < self.equation_count());
        equations.flat_map(|&vertex| self.incidence.edges_of_equation(EquationId(vertex)))
    }

    /// Whether each arc of a component lies on a short cycle in all its modes.
    fn all_on_short_cycles(&self, vertices: &[u32]) -> bool {
        let mut read = self.edges_of_component(vertices).filter(|&edge| !self.reads[edge].is_empty());
        read.all(|edge| self.is_on_short_cycles(edge))
    }

    /// Whether the arc from a variable to an equation is closed to a cycle by few others in all its modes.
    ///
    /// Arcs from equations to variables need no test: each cycle goes on from the variable along an arc that had one.
    fn is_on_short_cycles(&self, edge: EdgeId) -> bool {
        let goal = self.incidence.variable(edge);
        let mut missing = self.reads[edge];
        let mut work = 0;
        let mut layer = vec![(self.incidence.equation(edge), missing)];
        for _ in 0..SHORT_CYCLE {
            let mut next: Vec<(EquationId, ModeSet)> = Vec::new();
            for (equation, modes) in layer {
                for write in self.incidence.edges_of_equation(equation) {
                    let written = self.space.and(self.space.and(modes, missing), self.writes[write]);
                    if written.is_empty() {
                        continue;
                    }
                    let variable = self.incidence.variable(write);
                    if variable == goal {
                        missing = self.space.difference(missing, written);
                        continue;
                    }
                    for &read in self.incidence.edges_of_variable(variable) {
                        work += 1;
                        let modes = self.space.and(written, self.reads[read]);
                        if !modes.is_empty() {
                            merge(self.space, &mut next, self.incidence.equation(read), modes);
                        }
                    }
                    if work > SHORT_CYCLE_WORK {
                        return missing.is_empty();
                    }
                }
            }
            if missing.is_empty() {
                return true;
            }
            layer = next;
        }
        false
    }

    fn keep_by_elimination(&mut self, vertices: &[u32], local: &mut [u32]) -> Result<(), Limit> {
        for (at, &vertex) in vertices.iter().enumerate() {
            local[vertex as usize] = at as u32;
        }
        let ends = |graph: &Self, edge: EdgeId| {
            let variable = graph.variable_vertex(graph.incidence.variable(edge));
            (local[graph.incidence.equation(edge).index()], local[variable as usize])
        };
        let edges: Vec<EdgeId> = self
            .edges_of_component(vertices)
            .filter(|&edge| !self.writes[edge].is_empty() || !self.reads[edge].is_empty())
            .collect();
        let mut digraph = Digraph::new(vertices.len());
        for &edge in &edges {
            let (equation, variable) = ends(self, edge);
            digraph.add(self.space, equation, variable, self.writes[edge]);
            digraph.add(self.space, variable, equation, self.reads[edge]);
        }
        let rank: Vec<u32> = (0..vertices.len() as u32).collect();
        let closure = digraph.closure(self.space, &rank)?;
        for edge in edges {
            let (equation, variable) = ends(self, edge);
            self.writes[edge] = self.space.and(self.writes[edge], closure.modes(variable, equation));
            self.reads[edge] = self.space.and(self.reads[edge], closure.modes(equation, variable));
        }
        Ok(())
    }

    fn finish(mut self) -> Cycles {
        // On a cycle the variable is read by some equation; trimming ends before it has made sure of that.
        for variable in self.incidence.variables().ids() {
            let edges = self.incidence.edges_of_variable(variable);
            let read = self.any(&self.reads, edges.iter().copied());
            for &edge in edges {
                self.writes[edge] = self.space.and(self.writes[edge], read);
            }
        }
        let mut equations: IndexVec<EquationId, ModeSet> =
            self.incidence.equations().iter().map(|_| ModeSet::EMPTY).collect();
        let edges = self
            .incidence
            .edges()
            .map(|edge| {
                let equation = &mut equations[self.incidence.equation(edge)];
                *equation = self.space.or(*equation, self.writes[edge]);
                self.space.or(self.writes[edge], self.reads[edge])
            })
            .collect();
        Cycles { edges, equations }
    }
}

fn merge(space: &ModeSpace, list: &mut Vec<(EquationId, ModeSet)>, equation: EquationId, modes: ModeSet) {
    match list.iter_mut().find(|(known, _)| *known == equation) {
        Some((_, known)) => *known = space.or(*known, modes),
        None => list.push((equation, modes)),
    }
}

/// All vertices, each variable after the first equation that it occurs in, and the place of each.
fn vertices_along(incidence: &Incidence, order: &[EquationId]) -> (Vec<u32>, Vec<u32>) {
    let (equations, variables) = (incidence.equations().len(), incidence.variables().len());
    let mut rank = vec![u32::MAX; equations + variables];
    let mut vertices = Vec::with_capacity(rank.len());
    let mut place = |vertex: usize| {
        if rank[vertex] == u32::MAX {
            rank[vertex] = vertices.len() as u32;
            vertices.push(vertex as u32);
        }
    };
    for &equation in order {
        place(equation.index());
        for edge in incidence.edges_of_equation(equation) {
            place(equations + incidence.variable(edge).index());
        }
    }
    (0..equations + variables).for_each(place);
    (vertices, rank)
}
