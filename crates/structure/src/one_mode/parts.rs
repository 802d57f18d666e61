//! The decomposition of Dulmage and Mendelsohn of one mode, after A. Pothen and C. Fan (1990): what is overdetermined,
//! underdetermined and square (E22 §4.2 before its multimode extension).

use super::signature::Signature;
use crate::graph::bipartite::{BipartiteMatching, alternating_reach};
use crate::locality::lists::Lists;

/// The parts of a singular mode that are over- and underdetermined; the rest is square. All ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Equations that are too many for their variables.
    pub overdetermined_equations: Vec<u32>,
    /// Their variables.
    pub overdetermined_variables: Vec<u32>,
    /// Equations that are too few for their variables.
    pub underdetermined_equations: Vec<u32>,
    /// Their variables.
    pub underdetermined_variables: Vec<u32>,
}

/// The parts of a mode. Only which entries there are counts, not their orders.
pub(crate) fn parts(signature: &Signature) -> Parts {
    let variables_of = |equation: u32| signature.entries(equation).iter().map(|entry| entry.0);
    let mut matching: BipartiteMatching<u32, u32> =
        BipartiteMatching::new(signature.equation_count(), signature.variable_count());
    for equation in signature.equations() {
        matching.match_row(equation, variables_of);
    }
    let unmatched = matching.rows().filter(|&equation| matching.column_of(equation).is_none());
    let (overdetermined_equations, overdetermined_variables) =
        alternating_reach(unmatched, variables_of, |variable| matching.row_of(variable));
    let entries = signature.equations().flat_map(|equation| variables_of(equation).map(move |it| (it, equation)));
    let equations_of = Lists::grouped(signature.variable_count(), entries);
    let unmatched = matching.columns().filter(|&variable| matching.row_of(variable).is_none());
    let (underdetermined_variables, underdetermined_equations) = alternating_reach(
        unmatched,
        |variable| equations_of.of(variable as usize).iter().copied(),
        |equation| matching.column_of(equation),
    );
    Parts { overdetermined_equations, overdetermined_variables, underdetermined_equations, underdetermined_variables }
}
