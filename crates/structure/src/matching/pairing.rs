//! Equations and variables that are matched so far, under offsets that hold so far: what the matching works on.

use std::cmp::Reverse;

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};

use crate::matching::hungarian::{Matching, empty};
use crate::matching::offsets::{Offsets, Thermometer};
use crate::{EdgeId, Incidence};

/// A matching in the making. Matched edges are tight.
pub(crate) struct Pairing<'a> {
    pub(crate) space: &'a ModeSpace,
    pub(crate) incidence: &'a Incidence,
    pub(crate) offsets: Offsets,
    pub(crate) tight_edges: TightEdges,
    pub(crate) matched: IndexVec<EdgeId, ModeSet>,
    pub(crate) matched_edges: MatchedEdges,
    pub(crate) unmatched_equations: IndexVec<EquationId, ModeSet>,
    pub(crate) unmatched_variables: IndexVec<VariableId, ModeSet>,
    /// The edges of each equation, the preferred ones first.
    preference: Vec<EdgeId>,
}

impl<'a> Pairing<'a> {
    /// Nothing is matched, and the offsets are the least.
    pub(crate) fn new(space: &'a ModeSpace, incidence: &'a Incidence, order: &[EquationId]) -> Self {
        let (equations, variables) = (incidence.equations(), incidence.variables());
        Pairing {
            space,
            incidence,
            offsets: Offsets::initial(space, incidence),
            tight_edges: TightEdges::new(incidence),
            matched: empty(incidence.edge_count()),
            matched_edges: MatchedEdges::new(incidence),
            unmatched_equations: equations.iter().map(|equation| equation.guard).collect(),
            unmatched_variables: variables.iter().map(|variable| variable.guard).collect(),
            preference: preference(incidence, order),
        }
    }

    /// The edge of an equation that comes at this place of its preferences.
    pub(crate) fn preferred(&self, equation: EquationId, at: usize) -> Option<EdgeId> {
        let edge = self.incidence.edge_of_equation(equation, at)?;
        Some(self.preference[edge.index()])
    }

    /// The modes in which an edge is tight.
    #[inline]
    pub(crate) fn tight(&mut self, edge: EdgeId) -> ModeSet {
        self.tight_edges.modes(self.space, self.incidence, &self.offsets, edge)
    }

    /// The modes in which an edge could be matched right away.
    pub(crate) fn open(&mut self, edge: EdgeId) -> ModeSet {
        let (equation, variable) = (self.incidence.equation(edge), self.incidence.variable(edge));
        let (one, other) = (self.unmatched_equations[equation], self.unmatched_variables[variable]);
        if one.is_empty() || other.is_empty() {
            return ModeSet::EMPTY;
        }
        let tight = self.tight(edge);
        self.space.and(self.space.and(one, other), tight)
    }

    /// Matches an edge in modes in which it is tight and both its ends are unmatched.
    pub(crate) fn pair(&mut self, edge: EdgeId, modes: ModeSet) {
        let (equation, variable) = (self.incidence.equation(edge), self.incidence.variable(edge));
        self.matched_edges.add(variable, edge);
        self.matched[edge] = self.space.or(self.matched[edge], modes);
        self.unmatched_equations[equation] = self.space.difference(self.unmatched_equations[equation], modes);
        self.unmatched_variables[variable] = self.space.difference(self.unmatched_variables[variable], modes);
    }

    /// The matching that this has become.
    pub(crate) fn finish(mut self) -> (Matching, Offsets) {
        let tight = self.incidence.edges().map(|edge| self.tight(edge)).collect();
        let matching = Matching {
            edges: self.matched,
            unmatched_equations: self.unmatched_equations,
            unmatched_variables: self.unmatched_variables,
            tight,
        };
        (matching, self.offsets)
    }
}

/// The edges of each equation in the order in which they are tried.
///
/// Any order is right. In a good one the choices in one place of a model do not depend on modes of another: highest
/// derivatives first, then what is there in all modes of the equation, then variables of few other equations, then those
/// that earlier equations do not have.
fn preference(incidence: &Incidence, order: &[EquationId]) -> Vec<EdgeId> {
    let mut first_met: IndexVec<VariableId, u32> = incidence.variables().iter().map(|_| u32::MAX).collect();
    for (place, &equation) in order.iter().enumerate() {
        for edge in incidence.edges_of_equation(equation) {
            let met = &mut first_met[incidence.variable(edge)];
            *met = (place as u32).min(*met);
        }
    }
    let mut preference: Vec<EdgeId> = incidence.edges().collect();
    let key = |edge: &EdgeId| {
        let highest = incidence.orders(*edge).last().map_or(0, |&(order, _)| order);
        let variable = incidence.variable(*edge);
        let sometimes = incidence.active(*edge) != incidence.equations()[incidence.equation(*edge)].guard;
        (Reverse(highest), sometimes, incidence.edges_of_variable(variable).len(), Reverse(first_met[variable]))
    };
    for edges in preference.chunk_by_mut(|&a, &b| incidence.equation(a) == incidence.equation(b)) {
        edges.sort_by_key(key);
    }
    preference
}

/// Of each variable a list of the edges that are matched in some mode, and perhaps of some that no longer are.
pub(crate) struct MatchedEdges {
    first: IndexVec<VariableId, u32>,
    /// The edge after this one; of edges that are in no list, `UNLISTED`.
    next: IndexVec<EdgeId, u32>,
}

const END: u32 = u32::MAX;
const UNLISTED: u32 = u32::MAX - 1;

impl MatchedEdges {
    fn new(incidence: &Incidence) -> Self {
        MatchedEdges {
            first: incidence.variables().iter().map(|_| END).collect(),
            next: incidence.edges().map(|_| UNLISTED).collect(),
        }
    }

    /// Adds an edge, unless it is in the list.
    pub(crate) fn add(&mut self, variable: VariableId, edge: EdgeId) {
        if self.next[edge] == UNLISTED {
            self.next[edge] = std::mem::replace(&mut self.first[variable], edge.0);
        }
    }

    /// The first edge of a variable.
    pub(crate) fn first(&self, variable: VariableId) -> Option<EdgeId> {
        Some(self.first[variable]).filter(|&edge| edge != END).map(EdgeId)
    }

    /// The edge after this one in its list.
    pub(crate) fn after(&self, edge: EdgeId) -> Option<EdgeId> {
        Some(self.next[edge]).filter(|&next| next != END).map(EdgeId)
    }
}

/// The modes in which edges are tight, recomputed when an offset has changed since they were last asked for.
pub(crate) struct TightEdges {
    modes: IndexVec<EdgeId, ModeSet>,
    /// The sum of the versions of equation and variable for which `modes` was computed, plus one; 0 for never.
    versions: IndexVec<EdgeId, u32>,
    equation_versions: IndexVec<EquationId, u32>,
    variable_versions: IndexVec<VariableId, u32>,
}

impl TightEdges {
    fn new(incidence: &Incidence) -> Self {
        TightEdges {
            modes: empty(incidence.edge_count()),
            versions: (0..incidence.edge_count()).map(|_| 0).collect(),
            equation_versions: incidence.equations().iter().map(|_| 0).collect(),
            variable_versions: incidence.variables().iter().map(|_| 0).collect(),
        }
    }

    /// Notes that the offset of an equation changed.
    pub(crate) fn equation_changed(&mut self, equation: EquationId) {
        self.equation_versions[equation] += 1;
    }

    /// Notes that the offset of a variable changed.
    pub(crate) fn variable_changed(&mut self, variable: VariableId) {
        self.variable_versions[variable] += 1;
    }

    #[inline]
    fn modes(&mut self, space: &ModeSpace, incidence: &Incidence, offsets: &Offsets, edge: EdgeId) -> ModeSet {
        let (equation, variable) = (incidence.equation(edge), incidence.variable(edge));
        let version = self.equation_versions[equation] + self.variable_versions[variable] + 1;
        if self.versions[edge] != version {
            let (c, d) = (&offsets.equations[equation], &offsets.variables[variable]);
            self.modes[edge] = tight_modes(space, incidence.orders(edge), c, d);
            self.versions[edge] = version;
        }
        self.modes[edge]
    }
}

/// The modes in which `d - c = σ`. As `d - c >= σ` always holds, these are the modes in which `d > c + σ` does not.
fn tight_modes(space: &ModeSpace, orders: &[(u32, ModeSet)], c: &Thermometer, d: &Thermometer) -> ModeSet {
    let mut tight = ModeSet::EMPTY;
    for &(order, modes) in orders {
        let mut slack = ModeSet::EMPTY;
        for differentiated in 0..=c.maximum() {
            let above = d.at_least(order + differentiated + 1);
            if above.is_empty() {
                break;
            }
            slack = space.or(slack, space.difference(above, c.at_least(differentiated + 1)));
        }
        tight = space.or(tight, space.difference(modes, slack));
    }
    tight
}
