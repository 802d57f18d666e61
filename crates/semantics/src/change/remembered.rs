//! What a new mode remembers of the past, by the rule of `changes`, which RR8933 does not have.
//!
//! RR8933 lets an instant know whatever the instant before computed for it. `changes` asks what the new mode needs: of
//! each variable the derivatives below the highest one that it writes. Those that were states before are taken from
//! there, and all others of them are forgotten; what is missing is *born* from hidden constraints of the new mode at left
//! limits, or else is the value that the mode before computed. What is left has no value.
//!
//! Here this is a beginning like any other: what it knows, and as context the equations that hold for it, exactly. Where
//! the runs from it agree with `changes` and those of [`Graph::causal_change`] do not, memory is the reason.

use std::collections::{BTreeMap, BTreeSet};

use crate::bipartite::Bipartite;
use crate::domain::{Body, Shifted, Unknown};
use crate::graph::Graph;
use crate::run::{Beginning, held_in};
use crate::sigma::Offsets;
use crate::status::Context;
use crate::values::linear::{Jet, JetRow, derivative, left_limits, solve_jet};
use crate::values::number::Number;

/// A past as the new mode remembers it.
pub(crate) struct Remembered {
    pub(crate) beginning: Beginning,
    pub(crate) memory: Jet,
}

impl Graph {
    /// The past of a change as `changes` remembers it; nothing where a mode is singular.
    pub(crate) fn remembered(&self, before: usize, after: usize) -> Option<Remembered> {
        let (old, new) = (self.offsets[before].as_ref()?, self.offsets[after].as_ref()?);
        let left = left_limits(&self.system, old)?;
        let past = Past { graph: self, before, old, new, written: self.written_orders(after), left };
        let Memory { memory, behind, used } = past.memory();
        let known: BTreeSet<Shifted<Unknown>> = memory.keys().copied().filter(|&it| is_whole(&memory, it)).collect();
        let holds = |it: Shifted<Body>| (0..=it.shift).all(|order| self.holds_at(&behind, Shifted::new(it.of, order)));
        // What is not remembered will be solved for; constraints that are not needed for that are known to hold, and of
        // several those that have given what is remembered.
        let mut holding: Vec<Shifted<Body>> = new.hidden().filter(|&it| holds(it)).collect();
        holding.sort_by_key(|it| (used.contains(it), it.shift, it.of));
        let open = |it: &Shifted<Body>| self.system.variables_of(*it).filter(|it| !known.contains(it)).collect();
        let (graph, _) = incidence(&holding, open);
        let matching = graph.matched();
        let is_needed = |row: &usize| matching.column_of[*row].is_some();
        let context: Context = (0..holding.len()).filter(|row| !is_needed(row)).map(|row| holding[row]).collect();
        Some(Remembered { beginning: Beginning { known, context, held: held_in(&self.system, before) }, memory })
    }

    /// By variable, the highest derivative that is written in a mode.
    fn written_orders(&self, mode: usize) -> BTreeMap<Unknown, u32> {
        let mut written = BTreeMap::new();
        for entry in self.system.equations_in(mode).flat_map(|body| &self.system.bodies[body].incidence) {
            let order = written.entry(entry.unknown).or_insert(0);
            *order = entry.highest.max(*order);
        }
        written
    }

    /// Whether a derivative of an equation holds, and all that is in it has a value.
    fn holds_at(&self, jet: &Jet, equation: Shifted<Body>) -> bool {
        let (entries, rest) = derivative(&self.system, equation);
        let mut terms = entries.iter().map(|(variable, &factor)| Some(factor * *jet.get(variable)?));
        terms.try_fold(rest, |sum, term| Some(sum + term?)).is_some_and(Number::is_zero)
    }
}

struct Past<'a> {
    graph: &'a Graph,
    before: usize,
    old: &'a Offsets,
    new: &'a Offsets,
    written: BTreeMap<Unknown, u32>,
    left: Jet,
}

/// Hidden constraints against the left limits that they may determine.
struct Births {
    /// The constraints that are used, each with the left limit that is its partner.
    partners: BTreeMap<Shifted<Body>, Shifted<Unknown>>,
    /// The left limits that they determine.
    determined: BTreeSet<Shifted<Unknown>>,
}

/// Left limits as the new mode has them.
struct Memory {
    /// Those that are remembered.
    memory: Jet,
    /// The same with what constraints had to determine for them.
    behind: Jet,
    /// The constraints that gave what is remembered.
    used: BTreeSet<Shifted<Body>>,
}

/// The graph of some equations and what is open in them.
fn incidence(
    equations: &[Shifted<Body>],
    open: impl Fn(&Shifted<Body>) -> Vec<Shifted<Unknown>>,
) -> (Bipartite, Vec<Shifted<Unknown>>) {
    let unknowns: BTreeSet<Shifted<Unknown>> = equations.iter().flat_map(&open).collect();
    let unknowns: Vec<Shifted<Unknown>> = unknowns.into_iter().collect();
    let row = |it: &Shifted<Body>| -> Vec<usize> {
        open(it).iter().filter_map(|variable| unknowns.binary_search(variable).ok()).collect()
    };
    (Bipartite { rows: equations.iter().map(row).collect(), columns: unknowns.len() }, unknowns)
}

/// Whether a derivative and all below it have values, so that the variable so many instants later has one.
fn is_whole(memory: &Jet, variable: Shifted<Unknown>) -> bool {
    (0..=variable.shift).all(|order| memory.contains_key(&Shifted::new(variable.of, order)))
}

impl Past<'_> {
    fn written(&self, unknown: Unknown) -> u32 {
        self.written.get(&unknown).copied().unwrap_or(0)
    }

    /// Whether a derivative is remembered because it was a state.
    fn is_kept(&self, variable: Shifted<Unknown>) -> bool {
        let was_state = self.old.variables.get(&variable.of).is_some_and(|&order| variable.shift < order);
        was_state && variable.shift < self.written(variable.of)
    }

    /// Left limits that the new mode needs, and that were no states.
    fn missing(&self) -> Vec<Shifted<Unknown>> {
        let needed = self.written.iter().flat_map(|(&of, &order)| (0..order).map(move |it| Shifted::new(of, it)));
        needed.filter(|&it| !self.is_kept(it)).collect()
    }

    /// Left limits as far as they are remembered.
    fn memory(&self) -> Memory {
        let missing = self.missing();
        let strict = self.births(&BTreeSet::new(), |_| false);
        let is_born = |it: &Shifted<Unknown>| strict.determined.contains(it);
        let continued: BTreeSet<Shifted<Unknown>> =
            missing.iter().copied().filter(|it| !is_born(it) && self.left.contains_key(it)).collect();
        let lenient = self.births(&continued, |it| self.left.contains_key(&it));
        let born = self.born(&lenient, &continued).unwrap_or_default();
        let value = |variable: Shifted<Unknown>| match () {
            () if self.is_kept(variable) || continued.contains(&variable) => self.left.get(&variable).copied(),
            () => born.get(&variable).copied(),
        };
        let needed = self.written.iter().flat_map(|(&of, &order)| (0..order).map(move |it| Shifted::new(of, it)));
        let memory: Jet = needed.filter_map(|variable| Some((variable, value(variable)?))).collect();
        let gave = |(&constraint, partner): (&Shifted<Body>, &Shifted<Unknown>)| {
            memory.contains_key(partner).then_some(constraint)
        };
        let used = lenient.partners.iter().filter_map(gave).collect();
        let mut behind = born;
        behind.extend(memory.clone());
        Memory { memory, behind, used }
    }

    /// Matches hidden constraints in causal order, those of the mode before first, then by derivative and those whose
    /// equations held first, with left limits that are neither kept nor given: with those first that have no value.
    fn births(&self, given: &BTreeSet<Shifted<Unknown>>, has_value: impl Fn(Shifted<Unknown>) -> bool) -> Births {
        let mut constraints: Vec<Shifted<Body>> = self.new.hidden().collect();
        let is_new = |body: Body| !self.graph.system.bodies[body].modes.has(self.before);
        let held = |it: &Shifted<Body>| self.old.equations.get(&it.of).is_some_and(|&offset| it.shift < offset);
        constraints.sort_by_key(|it| (!held(it), it.shift, is_new(it.of), it.of));
        let is_open = |it: &Shifted<Unknown>| !self.is_kept(*it) && !given.contains(it);
        let open = |it: &Shifted<Body>| self.graph.system.variables_of(*it).filter(is_open).collect();
        let (graph, unknowns) = incidence(&constraints, open);
        let is_hard = |column: usize| !has_value(unknowns[column]);
        let matching = graph.matched_first_with(is_hard);
        let is_free = |column: usize| matching.row_of[column].is_none() && is_hard(column);
        let free = graph.reached_columns(&matching, is_free);
        let partner = |(row, &constraint): (usize, &Shifted<Body>)| {
            matching.column_of[row].map(|column| (constraint, unknowns[column]))
        };
        let partners: BTreeMap<Shifted<Body>, Shifted<Unknown>> =
            constraints.iter().enumerate().filter_map(partner).collect();
        let is_determined = |column: &usize| matching.row_of[*column].is_some() && !free[*column];
        let determined = (0..unknowns.len()).filter(is_determined).map(|column| unknowns[column]).collect();
        Births { partners, determined }
    }

    /// The values of left limits that constraints determine, from those that are kept, given or computed before.
    fn born(&self, births: &Births, given: &BTreeSet<Shifted<Unknown>>) -> Option<Jet> {
        let is_known = |it: &Shifted<Unknown>| self.is_kept(*it) || given.contains(it);
        let row = |&constraint: &Shifted<Body>| -> JetRow {
            let (entries, mut rest) = derivative(&self.graph.system, constraint);
            let (known, open): (Jet, Jet) = entries.into_iter().partition(|(variable, _)| is_known(variable));
            known.iter().for_each(|(variable, &factor)| rest = rest + factor * self.left[variable]);
            (open, rest)
        };
        let rows: Vec<JetRow> = births.partners.keys().map(row).collect();
        let all: BTreeSet<Shifted<Unknown>> = rows.iter().flat_map(|(entries, _)| entries.keys().copied()).collect();
        let partners: BTreeSet<Shifted<Unknown>> = births.partners.values().copied().collect();
        let variables: Vec<Shifted<Unknown>> = partners.iter().chain(all.difference(&partners)).copied().collect();
        let mut solution = solve_jet(&rows, &variables, |it| self.left.get(it).copied())?;
        solution.retain(|variable, _| births.determined.contains(variable));
        Some(solution)
    }
}
