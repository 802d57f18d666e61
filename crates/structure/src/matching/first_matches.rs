//! Matches that suggest themselves, before any search: what has only one partner left is matched with it.
//!
//! A matching chosen by chance makes one place of a model depend on the modes of another: this equation takes that
//! variable unless its neighbour needed it, which depends on the neighbour's neighbour, and so on. An equation or
//! variable with one partner left has no choice, in whatever mode; matching those first keeps the sets of modes local.
//! Only when nothing is forced does the next equation take the variable that it prefers. Searches then have little left
//! to do, and whatever is matched here they may change.
//!
//! R. Karp and M. Sipser, Maximum matchings in sparse random graphs, 1981, with modes.

use modeshift_dae::{EquationId, IndexVec, VariableId};
use modeshift_modes::{Limit, ModeSet};
use rustc_hash::FxHashMap;

use crate::EdgeId;
use crate::matching::pairing::Pairing;
use crate::matching::sweep::Sweep;

/// An equation is not looked at more often than this.
const MOST_VISITS: u8 = 16;
/// Variables of more equations than this are not looked at.
const MOST_EQUATIONS: usize = 64;

/// One in so many equations counts as one of the first, for which nodes are held back.
const FIRST: usize = 8;

/// Matches what is forced, and what is preferred where nothing is.
pub(crate) fn match_what_is_forced(pairing: &mut Pairing<'_>, order: &[EquationId]) -> Result<(), Limit> {
    let equations = pairing.incidence.equations().len();
    let visits = (0..equations).map(|_| 0).collect();
    let mut forced =
        Forced { pairing, sweep: Sweep::new(equations, order), visits, visited: 0, around: FxHashMap::default() };
    order.iter().for_each(|&equation| forced.sweep.add(equation));
    forced.work_off()?;
    forced.pairing.space.release();
    for &equation in order {
        forced.take_preferred(equation);
        forced.work_off()?;
    }
    Ok(())
}

struct Forced<'p, 'a> {
    pairing: &'p mut Pairing<'a>,
    /// Equations near which something has changed.
    sweep: Sweep,
    visits: IndexVec<EquationId, u8>,
    /// How many were looked at.
    visited: usize,
    /// Of an equation of many variables, the equations of these that could still be matched when it was last looked around: a
    /// sum over all elements is matched with another term in every mode, and most of the others have long been matched then.
    around: FxHashMap<EquationId, Vec<EquationId>>,
}

impl Forced<'_, '_> {
    fn work_off(&mut self) -> Result<(), Limit> {
        let mut count = 0;
        while let Some(equation) = self.sweep.next() {
            if self.visits[equation] == 0 {
                self.visited += 1;
                if self.visited == self.visits.len() / FIRST {
                    self.pairing.space.release();
                }
            }
            if self.visits[equation] < MOST_VISITS {
                self.visits[equation] += 1;
                self.visit(equation);
            }
            count += 1;
            if count % 256 == 0 {
                self.pairing.space.check()?;
            }
        }
        Ok(())
    }

    fn visit(&mut self, equation: EquationId) {
        let incidence = self.pairing.incidence;
        if !self.pairing.unmatched_equations[equation].is_empty() {
            self.match_only_choices(|| incidence.edges_of_equation(equation));
        }
        for edge in incidence.edges_of_equation(equation) {
            let variable = incidence.variable(edge);
            let edges = incidence.edges_of_variable(variable);
            if edges.len() <= MOST_EQUATIONS && !self.pairing.unmatched_variables[variable].is_empty() {
                self.match_only_choices(|| edges.iter().copied());
            }
        }
    }

    /// Matches, of the edges of one vertex, each in the modes in which it is the only one that can be.
    fn match_only_choices<I: Iterator<Item = EdgeId>>(&mut self, edges: impl Fn() -> I) {
        let (mut once, mut twice) = (ModeSet::EMPTY, ModeSet::EMPTY);
        let space = self.pairing.space;
        for edge in edges() {
            let open = self.pairing.open(edge);
            if !open.is_empty() {
                twice = space.or(twice, space.and(once, open));
                once = space.or(once, open);
                if twice.is_all() {
                    return;
                }
            }
        }
        let forced = space.difference(once, twice);
        if forced.is_empty() {
            return;
        }
        for edge in edges() {
            let open = self.pairing.open(edge);
            let modes = space.and(open, forced);
            if !modes.is_empty() {
                self.pair(edge, modes);
            }
        }
    }

    /// Matches an equation with the variables it prefers, where it is still unmatched.
    fn take_preferred(&mut self, equation: EquationId) {
        for at in 0.. {
            if self.pairing.unmatched_equations[equation].is_empty() {
                break;
            }
            let Some(edge) = self.pairing.preferred(equation, at) else { break };
            let open = self.pairing.open(edge);
            if !open.is_empty() {
                self.pair(edge, open);
            }
        }
    }

    fn pair(&mut self, edge: EdgeId, modes: ModeSet) {
        self.pairing.pair(edge, modes);
        let incidence = self.pairing.incidence;
        self.look_around(incidence.variable(edge));
        let equation = incidence.equation(edge);
        if incidence.edge_of_equation(equation, MOST_EQUATIONS).is_some() {
            self.look_far_around(equation);
            return;
        }
        for other in incidence.edges_of_equation(equation) {
            self.look_around(incidence.variable(other));
        }
    }

    /// The same as to look around all its variables, but only where something was left the last time.
    fn look_far_around(&mut self, equation: EquationId) {
        let incidence = self.pairing.incidence;
        let mut around = self.around.remove(&equation).unwrap_or_else(|| {
            let variables = incidence.edges_of_equation(equation).map(|edge| incidence.variable(edge));
            let lists = variables.map(|variable| incidence.edges_of_variable(variable));
            let lists = lists.filter(|edges| edges.len() <= MOST_EQUATIONS);
            let mut around: Vec<EquationId> = lists.flatten().map(|&edge| incidence.equation(edge)).collect();
            around.sort_unstable();
            around.dedup();
            around
        });
        around.retain(|&it| self.can_be_matched(it));
        around.iter().for_each(|&it| self.sweep.add(it));
        self.around.insert(equation, around);
    }

    /// Whether it is worth another look; once it is not, it never is again.
    fn can_be_matched(&self, equation: EquationId) -> bool {
        !self.pairing.unmatched_equations[equation].is_empty() && self.visits[equation] < MOST_VISITS
    }

    /// Lets the equations of a variable be looked at that could still be matched.
    fn look_around(&mut self, variable: VariableId) {
        let incidence = self.pairing.incidence;
        let edges = incidence.edges_of_variable(variable);
        if edges.len() <= MOST_EQUATIONS {
            for &edge in edges {
                let equation = incidence.equation(edge);
                if self.can_be_matched(equation) {
                    self.sweep.add(equation);
                }
            }
        }
    }
}
