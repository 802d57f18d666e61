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

use crate::EdgeId;
use crate::matching::pairing::Pairing;
use crate::matching::sweep::Sweep;

/// An equation is not looked at more often than this.
const MOST_VISITS: u8 = 16;
/// Variables of more equations than this are not looked at.
const MOST_EQUATIONS: usize = 64;

/// Matches what is forced, and what is preferred where nothing is.
pub(crate) fn match_what_is_forced(pairing: &mut Pairing<'_>, order: &[EquationId]) -> Result<(), Limit> {
    let equations = pairing.incidence.equations().len();
    let visits = (0..equations).map(|_| 0).collect();
    let mut forced = Forced { pairing, sweep: Sweep::new(equations, order), visits };
    order.iter().for_each(|&equation| forced.sweep.add(equation));
    forced.work_off()?;
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
}

impl Forced<'_, '_> {
    fn work_off(&mut self) -> Result<(), Limit> {
        let mut count = 0;
        while let Some(equation) = self.sweep.next() {
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
        for other in incidence.edges_of_equation(incidence.equation(edge)) {
            self.look_around(incidence.variable(other));
        }
    }

    /// Lets the equations of a variable be looked at that could still be matched.
    fn look_around(&mut self, variable: VariableId) {
        let incidence = self.pairing.incidence;
        let edges = incidence.edges_of_variable(variable);
        if edges.len() <= MOST_EQUATIONS {
            for &edge in edges {
                let equation = incidence.equation(edge);
                if !self.pairing.unmatched_equations[equation].is_empty() && self.visits[equation] < MOST_VISITS {
                    self.sweep.add(equation);
                }
            }
        }
    }
}
