//! What must be true of every result, checked in debug builds and tests.
//!
//! The matching covers each equation and variable exactly once in every mode that is not reported singular; `d - c >= σ`
//! on active edges, with equality on matched ones; what is written is written by one block; and in every mode the
//! blocks can be solved one after the other. Together with the offsets being the smallest, which the oracle checks, this
//! is all there is to the Σ-method (E22 §4.3), so a result that passes does not rest on how it was found.

use modeshift_dae::{EquationId, IndexVec, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};

use crate::{Analysis, EdgeId};

/// Graphs of more blocks than this are not checked for circles: that takes every mode of every dependency into account.
const MOST_BLOCKS_FOR_ORDER: usize = 2_000;

impl Analysis {
    /// Panics if the analysis contradicts itself.
    pub fn assert_certificates(&self) {
        assert!(self.space.check().is_ok(), "a result was made without exceeding a limit");
        self.space.without_limits(|| {
            self.assert_matching();
            self.assert_offsets();
            self.assert_writers();
            if self.graph.block_count() <= MOST_BLOCKS_FOR_ORDER {
                self.assert_solvable_order();
            }
        });
    }

    /// Each vertex is matched exactly once, or reported unmatched, in each of its modes, and over tight edges.
    fn assert_matching(&self) {
        let (space, incidence, matching) = (&self.space, &self.incidence, &self.matching);
        let mut equations = matching.unmatched_equations.clone();
        let mut variables = matching.unmatched_variables.clone();
        for edge in incidence.edges() {
            let modes = matching.edges[edge];
            assert!(space.implies(modes, matching.tight[edge]), "a matched edge is tight");
            assert!(space.implies(matching.tight[edge], incidence.active(edge)), "a tight edge is active");
            add_disjoint(space, &mut equations[incidence.equation(edge)], modes);
            add_disjoint(space, &mut variables[incidence.variable(edge)], modes);
        }
        for (equation, vertex) in incidence.equations().iter_enumerated() {
            assert_eq!(equations[equation], vertex.guard, "an equation is matched or reported where it is there");
        }
        for (variable, vertex) in incidence.variables().iter_enumerated() {
            assert_eq!(variables[variable], vertex.guard, "a variable is matched or reported where it is there");
        }
    }

    /// `d - c >= σ` where an edge is active, with equality exactly where it is tight.
    fn assert_offsets(&self) {
        for edge in self.incidence.edges() {
            for &(order, modes) in self.incidence.orders(edge) {
                let slack = self.slack_modes(edge, order);
                let tight = self.space.difference(modes, slack);
                assert_eq!(tight, self.space.and(self.matching.tight[edge], modes), "d - c = σ on tight edges only");
                let c = &self.offsets.equations[self.incidence.equation(edge)];
                let d = &self.offsets.variables[self.incidence.variable(edge)];
                for times in 0..=c.maximum() {
                    let too_low = self.space.difference(c.at_least(times), d.at_least(times + order));
                    assert!(!self.space.intersects(too_low, modes), "d - c >= σ on active edges");
                }
            }
        }
    }

    /// The modes in which `d > c + order`.
    fn slack_modes(&self, edge: EdgeId, order: u32) -> ModeSet {
        let c = &self.offsets.equations[self.incidence.equation(edge)];
        let d = &self.offsets.variables[self.incidence.variable(edge)];
        let cases = (0..=c.maximum())
            .map(|times| self.space.and(c.equal_to(&self.space, times), d.at_least(times + order + 1)));
        self.space.union(cases)
    }

    /// No equation is solved twice and no variable written twice; in regular modes all are, unless not listed.
    fn assert_writers(&self) {
        let mut equations: IndexVec<EquationId, ModeSet> =
            self.incidence.equations().iter().map(|_| ModeSet::EMPTY).collect();
        let mut variables: IndexVec<VariableId, ModeSet> =
            self.incidence.variables().iter().map(|_| ModeSet::EMPTY).collect();
        for (_, block) in self.graph.blocks() {
            assert_eq!(block.equations.len(), block.writes.len(), "a block is square");
            assert!(!block.guard.is_empty(), "a block is there in some mode");
            block.equations.iter().for_each(|it| add_disjoint(&self.space, &mut equations[it.of], block.guard));
            block.writes.iter().for_each(|it| add_disjoint(&self.space, &mut variables[it.of], block.guard));
        }
        for (equation, vertex) in self.incidence.equations().iter_enumerated() {
            let square = self.parts.square(&self.space, equation, vertex.guard);
            let listed = self.graph.not_listed().binary_search(&equation).is_err();
            assert!(!listed || equations[equation] == square, "an equation is solved wherever it is square");
        }
    }

    /// No block waits for itself, in any mode: whoever waits for nobody in some mode leaves that mode, until all have.
    fn assert_solvable_order(&self) {
        let space = &self.space;
        let mut waiting: Vec<ModeSet> = self.graph.blocks().map(|(_, block)| block.guard).collect();
        loop {
            let mut blocked = vec![ModeSet::EMPTY; waiting.len()];
            for dependency in self.graph.dependencies() {
                let held_up = space.and(waiting[dependency.from.0 as usize], dependency.modes);
                let blocked = &mut blocked[dependency.to.0 as usize];
                *blocked = space.or(*blocked, held_up);
            }
            let still: Vec<ModeSet> =
                waiting.iter().zip(&blocked).map(|(&one, &other)| space.and(one, other)).collect();
            if still.iter().all(|modes| modes.is_empty()) {
                return;
            }
            assert!(still != waiting, "blocks can be solved one after the other in every mode");
            waiting = still;
        }
    }
}

fn add_disjoint(space: &ModeSpace, sum: &mut ModeSet, modes: ModeSet) {
    assert!(!space.intersects(*sum, modes), "in no mode is anything matched or written twice");
    *sum = space.or(*sum, modes);
}
