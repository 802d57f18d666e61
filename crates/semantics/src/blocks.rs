//! Line 5 of Algorithm 5: the blocks that can be solved now.
//!
//! Of the enabled equations that are not evaluated yet, those of the square part of Dulmage and Mendelsohn, and of the
//! overdetermined part a largest square part: the first by preference, or every one.

use std::collections::BTreeSet;

use crate::bipartite::Bipartite;
use crate::domain::{Body, Shifted, Unknown};
use crate::micro_step::{Choices, EvaluateBlock, Instant, MicroStep};
use crate::status::Status;

/// More largest square parts than this are not looked at for one micro-step.
const MOST_BASES: usize = 2_000;

/// What is open in a status: equations in the order of preference, and variables.
struct Open {
    equations: Vec<Shifted<Body>>,
    variables: Vec<Shifted<Unknown>>,
    graph: Bipartite,
}

impl Instant<'_> {
    fn open(&self, status: &Status) -> Open {
        let system = self.system;
        let mut equations: Vec<Shifted<Body>> = status.enabled_undefined(system).collect();
        equations.retain(|&it| status.undefined_in(system, it).next().is_some());
        // In the overdetermined part those come first that are not shifted; a law comes before everything else, and
        // what says the derivative of a state that a law sets, last.
        let is_law = |it: &Shifted<Body>| system.bodies[it.of].clause.is_some();
        let laws = status.equations.keys().copied().filter(is_law);
        let set: BTreeSet<Shifted<Unknown>> = laws.flat_map(|law| system.variables_of(law)).collect();
        let is_overruled = |it: &Shifted<Body>| system.variables_of(*it).any(|variable| set.contains(&variable));
        equations.sort_by_key(|it| (!is_law(it), is_overruled(it), it.shift, self.is_new(it.of), it.of));
        let variables: BTreeSet<Shifted<Unknown>> =
            equations.iter().flat_map(|&it| status.undefined_in(system, it)).collect();
        let variables: Vec<Shifted<Unknown>> = variables.into_iter().collect();
        let row = |&it: &Shifted<Body>| {
            let place = |variable| variables.binary_search(&variable).expect("an undefined variable");
            status.undefined_in(system, it).map(place).collect()
        };
        let graph = Bipartite { rows: equations.iter().map(row).collect(), columns: variables.len() };
        Open { equations, variables, graph }
    }

    /// Lines 4–6: blocks that can be solved now.
    pub(crate) fn blocks(&self, status: &Status) -> Vec<Vec<MicroStep>> {
        let Open { equations, variables, graph } = self.open(status);
        let block = |(rows, columns): (Vec<usize>, Vec<usize>)| {
            let mut block = EvaluateBlock {
                equations: rows.into_iter().map(|row| equations[row]).collect(),
                variables: columns.into_iter().map(|column| variables[column]).collect(),
            };
            block.equations.sort_unstable();
            block.variables.sort_unstable();
            vec![MicroStep::Block(block)]
        };
        let mut blocks: Vec<Vec<MicroStep>> = self.square_blocks(&graph).into_iter().map(block).collect();
        blocks.sort();
        blocks.dedup();
        blocks
    }

    /// Whether the overdetermined part has so many largest square parts that not all are looked at.
    pub(crate) fn has_many_choices(&self, status: &Status) -> bool {
        let graph = self.open(status).graph;
        let over = graph.parts().over;
        let part =
            Bipartite { rows: over.iter().map(|&row| graph.rows[row].clone()).collect(), columns: graph.columns };
        let chosen = part.matched().column_of.iter().flatten().count();
        // So many ways there are to choose rows, if all of them can be matched.
        let ways = (0..chosen).fold(1_usize, |ways, at| ways.saturating_mul(over.len() - at) / (at + 1));
        ways > MOST_BASES
    }

    /// The blocks of the square part, and of a largest square part of the overdetermined part, or of every such part.
    fn square_blocks(&self, graph: &Bipartite) -> Vec<(Vec<usize>, Vec<usize>)> {
        let parts = graph.parts();
        let mut found = Vec::new();
        for basis in self.bases(graph, &parts.over) {
            let mut rows = basis;
            rows.extend(&parts.square);
            rows.sort_unstable();
            found.extend(graph.ready_blocks(&rows));
        }
        found
    }

    /// Largest sets of overdetermined rows that can be matched: the first in order, or all of them.
    fn bases(&self, graph: &Bipartite, over: &[usize]) -> Vec<Vec<usize>> {
        let part =
            Bipartite { rows: over.iter().map(|&row| graph.rows[row].clone()).collect(), columns: graph.columns };
        let matched = part.matched();
        let first: Vec<usize> = (0..over.len()).filter(|&row| matched.column_of[row].is_some()).collect();
        let outside = |basis: &[usize]| -> Vec<usize> { basis.iter().map(|&row| over[row]).collect() };
        if self.choices == Choices::First {
            return vec![outside(&first)];
        }
        // Any two bases are connected by exchanges of single rows.
        let mut bases = vec![first];
        let mut at = 0;
        while at < bases.len() {
            for (place, new) in (0..bases[at].len()).flat_map(|place| (0..over.len()).map(move |new| (place, new))) {
                let mut other = bases[at].clone();
                if other.contains(&new) {
                    continue;
                }
                other[place] = new;
                other.sort_unstable();
                if !bases.contains(&other) && part.is_independent(&other) {
                    bases.push(other);
                }
            }
            at += 1;
        }
        bases.iter().map(|basis| outside(basis)).collect()
    }
}
