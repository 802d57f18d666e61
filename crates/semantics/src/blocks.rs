//! Line 5 of Algorithm 5: the blocks that can be solved now.
//!
//! Of the enabled equations that are not evaluated yet, those of the square part of Dulmage and Mendelsohn, and of the
//! overdetermined part a largest square part: the first by preference, or every one.
//!
//! A `reinit` is solved for its state and nothing else: in other equations that state stands for what the `reinit` reads.

use std::collections::{BTreeMap, BTreeSet};

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
    /// What is open, with or without the equations of assigned states.
    fn open(&self, status: &Status, with_own: bool) -> Open {
        let system = self.system;
        let waiting = self.waiting_assignments(status);
        let is_assignment = |it: &Shifted<Body>| waiting.values().any(|assignment| assignment == it);
        let open_in = |it: Shifted<Body>| self.open_in(status, it, &waiting);
        let mut equations: Vec<Shifted<Body>> = status.enabled_undefined(system).collect();
        let own = if with_own { BTreeSet::new() } else { self.own_of_assigned(status) };
        equations.retain(|&it| !is_assignment(&it) && !open_in(it).is_empty() && !own.contains(&it));
        // In the overdetermined part those come first that are not shifted; a law comes before everything else, and
        // what says the derivative of a state that a law sets, last: what gives other variables of a law is part of it. (Where constraints are asked for right limits in the
        // instant of a law, they come before what says derivatives.)
        let is_law = |it: &Shifted<Body>| system.bodies[it.of].clause.is_some();
        let set = self.said_by_laws(status);
        let is_overruled = |it: &Shifted<Body>| system.variables_of(*it).any(|variable| set.contains(&variable));
        let behind = self.behind_laws(status);
        let rank = |it: &Shifted<Body>| match is_overruled(it) && !behind.contains(it) {
            true if self.shifts_in_instants && it.shift > 0 => 1,
            true => 2 + u32::from(self.gives_way == Some(it.of)),
            false => 0,
        };
        equations.sort_by_key(|it| (!is_law(it), rank(it), it.shift, self.is_new(it.of), it.of));
        let variables: BTreeSet<Shifted<Unknown>> = equations.iter().flat_map(|&it| open_in(it)).collect();
        let variables: Vec<Shifted<Unknown>> = variables.into_iter().collect();
        let row = |&it: &Shifted<Body>| {
            let place = |variable| variables.binary_search(&variable).expect("an undefined variable");
            open_in(it).into_iter().map(place).collect()
        };
        let graph = Bipartite { rows: equations.iter().map(row).collect(), columns: variables.len() };
        Open { equations, variables, graph }
    }

    /// By the state that it assigns, every `reinit` that is not solved yet.
    fn waiting_assignments(&self, status: &Status) -> BTreeMap<Shifted<Unknown>, Shifted<Body>> {
        let target = |it: Shifted<Body>| Some((self.system.bodies[it.of].target()?, it));
        let waiting = status.enabled_undefined(self.system).filter_map(target);
        waiting.filter(|(target, _)| !status.known.contains(target)).collect()
    }

    /// Whether a `reinit` evaluates the derivative of a state that is assigned in the same instant: the difference quotient of
    /// such a state is its jump, and not what the equations of the mode say. Nothing is solved with it.
    fn is_circular(&self, equation: Shifted<Body>, waiting: &BTreeMap<Shifted<Unknown>, Shifted<Body>>) -> bool {
        let is_assignment = self.system.bodies[equation.of].assigns.is_some();
        is_assignment && self.system.read_by(equation.of).any(|variable| waiting.contains_key(&variable))
    }

    /// The variables that are open in an equation, with what assignments read in the place of what they assign.
    fn open_in(
        &self,
        status: &Status,
        equation: Shifted<Body>,
        waiting: &BTreeMap<Shifted<Unknown>, Shifted<Body>>,
    ) -> BTreeSet<Shifted<Unknown>> {
        let mut met: BTreeSet<Shifted<Unknown>> = BTreeSet::new();
        let mut pending: Vec<Shifted<Unknown>> = status.undefined_in(self.system, equation).collect();
        while let Some(variable) = pending.pop() {
            if met.insert(variable) {
                let assignment = waiting.get(&variable).into_iter();
                pending.extend(assignment.flat_map(|&it| status.undefined_in(self.system, it)));
            }
        }
        met.retain(|variable| !waiting.contains_key(variable));
        met
    }

    /// The equations of states that a `reinit` assigns, where one equation alone has the derivative of such a state: the assignment
    /// stands in its place, and it says nothing of other variables as long as something else may.
    fn own_of_assigned(&self, status: &Status) -> BTreeSet<Shifted<Body>> {
        let Some(mode) = status.mode().filter(|_| self.is_fired(status)) else { return BTreeSet::new() };
        let assigned = status.equations.keys().filter_map(|it| self.system.bodies[it.of].assigns);
        let own = |state: Unknown| {
            let has = |body: &Body| {
                let mut entries = self.system.bodies[*body].incidence.iter();
                entries.any(|entry| entry.unknown == state && entry.highest > 0)
            };
            let with: Vec<Body> = self.system.equations_in(mode).filter(has).collect();
            if let [only] = with[..] { Some(Shifted::new(only, 0)) } else { None }
        };
        assigned.filter_map(own).collect()
    }

    /// Lines 4–6: blocks that can be solved now.
    pub(crate) fn blocks(&self, status: &Status) -> Vec<Vec<MicroStep>> {
        self.blocks_with(status, false)
    }

    /// The same, when nothing else can be done, with the equations of assigned states.
    pub(crate) fn last_blocks(&self, status: &Status) -> Vec<Vec<MicroStep>> {
        self.blocks_with(status, true)
    }

    fn blocks_with(&self, status: &Status, with_own: bool) -> Vec<Vec<MicroStep>> {
        let waiting = self.waiting_assignments(status);
        let is_ready = |(_, it): &(&Shifted<Unknown>, &Shifted<Body>)| {
            self.open_in(status, **it, &waiting).is_empty() && !self.is_circular(**it, &waiting)
        };
        if let Some((&target, &assignment)) = waiting.iter().find(is_ready) {
            let block = EvaluateBlock { equations: vec![assignment], variables: vec![target] };
            return vec![vec![MicroStep::Block(block)]];
        }
        let Open { equations, variables, graph } = self.open(status, with_own);
        let block = |(rows, columns): (Vec<usize>, Vec<usize>)| {
            let mut block = EvaluateBlock {
                equations: rows.into_iter().map(|row| equations[row]).collect(),
                variables: columns.into_iter().map(|column| variables[column]).collect(),
            };
            self.join_assignments(&mut block, &waiting);
            block.equations.sort_unstable();
            block.variables.sort_unstable();
            vec![MicroStep::Block(block)]
        };
        let mut blocks: Vec<Vec<MicroStep>> = self.square_blocks(&graph).into_iter().map(block).collect();
        let is_circular = |step: &MicroStep| match step {
            MicroStep::Block(block) => block.equations.iter().any(|it| self.is_circular(*it, &waiting)),
            _ => false,
        };
        blocks.retain(|steps| !steps.iter().any(is_circular));
        blocks.sort();
        blocks.dedup();
        blocks
    }

    /// Assignments of what is in a block, where they wait for the block, are solved together with it.
    fn join_assignments(&self, block: &mut EvaluateBlock, waiting: &BTreeMap<Shifted<Unknown>, Shifted<Body>>) {
        let mut place = 0;
        while let Some(&equation) = block.equations.get(place) {
            for variable in self.system.variables_of(equation) {
                if let Some(&assignment) = waiting.get(&variable).filter(|it| !block.equations.contains(it)) {
                    block.equations.push(assignment);
                    block.variables.push(variable);
                }
            }
            place += 1;
        }
    }

    /// Whether the overdetermined part has so many largest square parts that not all are looked at.
    pub(crate) fn has_many_choices(&self, status: &Status) -> bool {
        let graph = self.open(status, true).graph;
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
