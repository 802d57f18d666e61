//! Matching and offsets in one pass: the Hungarian method with sets of modes in place of single modes.
//!
//! Offsets start as low as they can be. One equation after the other is matched, in the modes in which it is there,
//! along alternating paths of *tight* edges, those with `d - c = σ`. Modes are kept apart only where they differ: the
//! search has one set of reached modes per equation and variable, and reaches a vertex again only in new modes. A mode
//! that comes to an unmatched variable is found and leaves the search. In the modes that remain, the reached equations
//! have fewer tight variables than they are. Where they have no other active variable either, the system is singular.
//! Elsewhere the offsets of everything reached rise by one, which is the least that can make another edge tight, and the
//! search goes on. Only forced rises happen, so that the offsets come out as the smallest, which are unique.
//!
//! The primal and dual problem of E22 §4.3 and RR9322 §4.4–4.5, solved together.

use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet, ModeSpace};

use crate::matching::first_matches::match_what_is_forced;
use crate::matching::offsets::Offsets;
use crate::matching::pairing::Pairing;
use crate::matching::sweep::Sweep;
use crate::{EdgeId, Incidence};

/// One maximum matching per mode; a perfect one of maximum weight in the modes that are not singular.
#[derive(Clone, Debug)]
pub struct Matching {
    /// The modes in which each edge is in the matching.
    pub edges: IndexVec<EdgeId, ModeSet>,
    /// The modes in which each equation is there but not matched.
    pub unmatched_equations: IndexVec<EquationId, ModeSet>,
    /// The modes in which each variable is there but not matched.
    pub unmatched_variables: IndexVec<VariableId, ModeSet>,
    /// The modes in which each edge is tight: `d - c = σ`.
    pub tight: IndexVec<EdgeId, ModeSet>,
}

impl Matching {
    /// Whether the matching is perfect in every mode.
    pub fn is_perfect(&self) -> bool {
        self.unmatched_equations.iter().all(|modes| modes.is_empty())
            && self.unmatched_variables.iter().all(|modes| modes.is_empty())
    }

    /// The modes in which some equation or variable stays unmatched: those in which the system is singular.
    pub fn singular_modes(&self, space: &ModeSpace) -> ModeSet {
        let unmatched = self.unmatched_equations.iter().chain(self.unmatched_variables.iter()).copied();
        space.union(unmatched.filter(|modes| !modes.is_empty()))
    }

    /// All sets of modes in here, to be kept by a collection.
    pub fn mode_sets(&self) -> impl Iterator<Item = ModeSet> {
        let unmatched = self.unmatched_equations.iter().chain(self.unmatched_variables.iter());
        self.edges.iter().chain(self.tight.iter()).chain(unmatched).copied()
    }
}

/// Matches equations with variables in every mode, working through the equations in the given order or backwards.
///
/// Which end of a long model is the better one to start from shows only on the way: along a corridor that is closed at
/// its far end, each equation moves all that were matched before it, or none. So both directions take turns, each with
/// twice the allowance of work of the turn before. The offsets do not depend on who wins.
pub fn match_equations(
    space: &ModeSpace,
    incidence: &Incidence,
    order: &[EquationId],
) -> Result<(Matching, Offsets), Limit> {
    space.set_task("matching equations with variables");
    assert_complete(incidence, order);
    let backwards: Vec<EquationId> = order.iter().rev().copied().collect();
    let mut allowance = WORK_PER_EDGE * (incidence.edge_count() + SMALL);
    loop {
        for order in [order, &backwards] {
            if let Some(matched) = match_within(space, incidence, order, allowance)? {
                return Ok(matched);
            }
        }
        allowance = allowance.saturating_mul(2);
    }
}

/// Searches and new diagram nodes per edge that each direction may cost in its first turn.
const WORK_PER_EDGE: usize = 4;
/// Models with fewer edges than this get the allowance of this many.
const SMALL: usize = 1_000;

/// Matches all equations in this order; nothing where that is more work than allowed.
fn match_within(
    space: &ModeSpace,
    incidence: &Incidence,
    order: &[EquationId],
    allowance: usize,
) -> Result<Option<(Matching, Offsets)>, Limit> {
    let nodes_before = space.node_count();
    let mut pairing = Pairing::new(space, incidence, order);
    match_what_is_forced(&mut pairing, order)?;
    let mut search = Search::new(pairing, order);
    for (count, &equation) in order.iter().enumerate() {
        search.match_equation(equation);
        if count % 64 == 0 {
            space.check()?;
            let nodes = space.node_count().saturating_sub(nodes_before);
            if search.looked_at + nodes > allowance {
                return Ok(None);
            }
        }
    }
    space.check()?;
    Ok(Some(search.pairing.finish()))
}

/// An equation that is not worked through would look unmatched to nobody.
fn assert_complete(incidence: &Incidence, order: &[EquationId]) {
    let mut listed: IndexVec<EquationId, bool> = incidence.equations().iter().map(|_| false).collect();
    for &equation in order {
        assert!(!std::mem::replace(&mut listed[equation], true), "the order of work lists an equation twice");
    }
    let complete = incidence.equations().iter().zip(listed.iter()).all(|(it, listed)| *listed || it.guard.is_empty());
    assert!(complete, "the order of work lists every equation");
}

/// Equation and variable of an edge were reached through it in these modes.
struct Step {
    edge: EdgeId,
    modes: ModeSet,
}

/// The search for one equation after the other.
struct Search<'a> {
    space: &'a ModeSpace,
    incidence: &'a Incidence,
    pairing: Pairing<'a>,
    /// The modes of the current search that have not come to an unmatched variable.
    remaining: ModeSet,
    reached_equations: Reached<EquationId>,
    reached_variables: Reached<VariableId>,
    /// Reached modes of each equation whose edges have not been looked at.
    pending: IndexVec<EquationId, ModeSet>,
    sweep: Sweep,
    /// What was reached from where, in order of time.
    steps: Vec<Step>,
    /// Modes of each variable through which a path goes that is to be augmented.
    wanted: IndexVec<VariableId, ModeSet>,
    /// How often an equation was looked at, in all searches.
    looked_at: usize,
}

impl<'a> Search<'a> {
    fn new(pairing: Pairing<'a>, order: &[EquationId]) -> Self {
        let (equations, variables) = (pairing.incidence.equations().len(), pairing.incidence.variables().len());
        Search {
            space: pairing.space,
            incidence: pairing.incidence,
            pairing,
            remaining: ModeSet::EMPTY,
            reached_equations: Reached::new(equations),
            reached_variables: Reached::new(variables),
            pending: empty(equations),
            sweep: Sweep::new(equations, order),
            steps: Vec::new(),
            wanted: empty(variables),
            looked_at: 0,
        }
    }

    /// Matches one equation in every mode in which that is possible.
    fn match_equation(&mut self, equation: EquationId) {
        self.remaining = std::mem::replace(&mut self.pairing.unmatched_equations[equation], ModeSet::EMPTY);
        if self.remaining.is_empty() {
            return;
        }
        self.reach_equation(equation, self.remaining);
        loop {
            self.explore();
            if self.remaining.is_empty() {
                break;
            }
            let escaping = self.escaping_modes();
            let singular = self.space.difference(self.remaining, escaping);
            let known = self.pairing.unmatched_equations[equation];
            self.pairing.unmatched_equations[equation] = self.space.or(known, singular);
            self.remaining = escaping;
            if self.remaining.is_empty() {
                break;
            }
            self.raise_offsets();
        }
        self.augment();
        self.reached_equations.forget();
        self.reached_variables.forget();
    }

    /// Follows tight edges until every remaining mode has been followed to its end.
    fn explore(&mut self) {
        while let Some(equation) = self.sweep.next() {
            self.looked_at += 1;
            let pending = std::mem::replace(&mut self.pending[equation], ModeSet::EMPTY);
            let modes = self.space.and(pending, self.remaining);
            if !modes.is_empty() {
                let modes = self.take_unmatched_variables(equation, modes);
                self.follow_tight_edges(equation, modes);
            }
        }
    }

    /// Ends the search in the modes in which a tight edge leads to an unmatched variable; returns the other modes.
    fn take_unmatched_variables(&mut self, equation: EquationId, mut modes: ModeSet) -> ModeSet {
        for at in 0.. {
            let Some(edge) = self.pairing.preferred(equation, at) else { break };
            let variable = self.incidence.variable(edge);
            let unmatched = self.pairing.unmatched_variables[variable];
            if unmatched.is_empty() {
                continue;
            }
            let tight = self.pairing.tight(edge);
            let found = self.space.and(self.space.and(modes, unmatched), tight);
            if found.is_empty() {
                continue;
            }
            self.steps.push(Step { edge, modes: found });
            self.wanted[variable] = self.space.or(self.wanted[variable], found);
            self.pairing.unmatched_variables[variable] = self.space.difference(unmatched, found);
            self.remaining = self.space.difference(self.remaining, found);
            modes = self.space.difference(modes, found);
            if modes.is_empty() {
                break;
            }
        }
        modes
    }

    /// Reaches the variables of an equation over tight edges, and the equations that they are matched with.
    fn follow_tight_edges(&mut self, equation: EquationId, modes: ModeSet) {
        if modes.is_empty() {
            return;
        }
        for edge in self.incidence.edges_of_equation(equation) {
            let variable = self.incidence.variable(edge);
            let tight = self.pairing.tight(edge);
            let new = self.space.difference(self.space.and(modes, tight), self.reached_variables.modes(variable));
            if new.is_empty() {
                continue;
            }
            self.steps.push(Step { edge, modes: new });
            self.reached_variables.add(self.space, variable, new);
            self.reach_matched_equations(variable, new);
        }
    }

    fn reach_matched_equations(&mut self, variable: VariableId, mut modes: ModeSet) {
        let mut listed = self.pairing.matched_edges.first(variable);
        while let Some(edge) = listed.filter(|_| !modes.is_empty()) {
            listed = self.pairing.matched_edges.after(edge);
            let through = self.space.and(modes, self.pairing.matched[edge]);
            if !through.is_empty() {
                self.reach_equation(self.incidence.equation(edge), through);
                modes = self.space.difference(modes, through);
            }
        }
    }

    fn reach_equation(&mut self, equation: EquationId, modes: ModeSet) {
        self.reached_equations.add(self.space, equation, modes);
        self.pend(equation, modes);
    }

    fn pend(&mut self, equation: EquationId, modes: ModeSet) {
        self.pending[equation] = self.space.or(self.pending[equation], modes);
        self.sweep.add(equation);
    }

    /// The remaining modes in which some reached equation has an active edge to a variable that is not reached.
    fn escaping_modes(&self) -> ModeSet {
        let mut escaping = ModeSet::EMPTY;
        for &equation in &self.reached_equations.touched {
            let modes = self.space.and(self.reached_equations.modes(equation), self.remaining);
            let mut modes = self.space.difference(modes, escaping);
            for edge in self.incidence.edges_of_equation(equation) {
                if modes.is_empty() {
                    break;
                }
                let inside = self.reached_variables.modes(self.incidence.variable(edge));
                let outside = self.space.difference(self.incidence.active(edge), inside);
                let leaving = self.space.and(modes, outside);
                escaping = self.space.or(escaping, leaving);
                modes = self.space.difference(modes, leaving);
            }
            if escaping == self.remaining {
                break;
            }
        }
        escaping
    }

    /// Raises the offsets of all that is reached by one in the remaining modes, and looks at these equations again.
    fn raise_offsets(&mut self) {
        for at in 0..self.reached_equations.touched.len() {
            let equation = self.reached_equations.touched[at];
            let modes = self.space.and(self.reached_equations.modes(equation), self.remaining);
            if !modes.is_empty() {
                self.pairing.offsets.equations[equation].raise(self.space, modes);
                self.pairing.tight_edges.equation_changed(equation);
                self.pend(equation, modes);
            }
        }
        for &variable in &self.reached_variables.touched {
            let modes = self.space.and(self.reached_variables.modes(variable), self.remaining);
            if !modes.is_empty() {
                self.pairing.offsets.variables[variable].raise(self.space, modes);
                self.pairing.tight_edges.variable_changed(variable);
            }
        }
    }

    /// Exchanges matched and unmatched edges along the found paths, from their ends back to the equation searched for.
    fn augment(&mut self) {
        while let Some(Step { edge, modes }) = self.steps.pop() {
            let variable = self.incidence.variable(edge);
            let path = self.space.and(self.wanted[variable], modes);
            if !path.is_empty() {
                self.wanted[variable] = self.space.difference(self.wanted[variable], path);
                self.unmatch(self.incidence.equation(edge), path);
                self.pairing.matched_edges.add(variable, edge);
                self.pairing.matched[edge] = self.space.or(self.pairing.matched[edge], path);
            }
        }
    }

    /// Frees an equation in these modes; the variables it was matched with are wanted from others then.
    fn unmatch(&mut self, equation: EquationId, mut modes: ModeSet) {
        for edge in self.incidence.edges_of_equation(equation) {
            if modes.is_empty() {
                return;
            }
            if self.pairing.matched[edge].is_empty() {
                continue;
            }
            let freed = self.space.and(self.pairing.matched[edge], modes);
            if !freed.is_empty() {
                let variable = self.incidence.variable(edge);
                self.pairing.matched[edge] = self.space.difference(self.pairing.matched[edge], freed);
                self.wanted[variable] = self.space.or(self.wanted[variable], freed);
                modes = self.space.difference(modes, freed);
            }
        }
    }
}

/// The modes in which vertices have been reached, and which vertices those are.
struct Reached<I> {
    modes: IndexVec<I, ModeSet>,
    touched: Vec<I>,
}

impl<I: Id> Reached<I> {
    fn new(count: usize) -> Self {
        Reached { modes: empty(count), touched: Vec::new() }
    }

    fn modes(&self, vertex: I) -> ModeSet {
        self.modes[vertex]
    }

    fn add(&mut self, space: &ModeSpace, vertex: I, modes: ModeSet) {
        let known = self.modes[vertex];
        if known.is_empty() {
            self.touched.push(vertex);
        }
        self.modes[vertex] = space.or(known, modes);
    }

    fn forget(&mut self) {
        for vertex in self.touched.drain(..) {
            self.modes[vertex] = ModeSet::EMPTY;
        }
    }
}

pub(crate) fn empty<I: Id>(count: usize) -> IndexVec<I, ModeSet> {
    (0..count).map(|_| ModeSet::EMPTY).collect()
}
