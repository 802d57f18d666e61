//! Matching in all modes at once that never gives up a row it has matched.
//!
//! Rows are added one after the other; each is matched, along augmenting paths, in every mode in which that is
//! possible together with *all* rows before it. So the unmatched rows are those that depend on earlier ones: with rows
//! in causal order, the equations that a mode change erases. No weights are involved, and no other order of work will
//! do, which is why this is not the matching of the structural analysis.

use std::collections::VecDeque;

use modeshift_modes::{Limit, ModeSet, ModeSpace};
use rustc_hash::FxHashMap;

/// An entry of a guarded bipartite graph.
#[derive(Clone, Copy, Debug)]
struct Edge {
    row: usize,
    column: usize,
    modes: ModeSet,
    /// Modes in which the entry is in the matching.
    matched: ModeSet,
}

/// What a walk has yet to go on from, each place once with all modes in which it waits. Ways that part and meet again, as
/// those through one state of a machine or the other, go on as one: apart they would be twice as many behind each machine.
#[derive(Default)]
struct Waiting {
    queue: VecDeque<usize>,
    modes: FxHashMap<usize, ModeSet>,
}

impl Waiting {
    fn add(&mut self, space: &ModeSpace, place: usize, modes: ModeSet) {
        if modes.is_empty() {
            return;
        }
        let waiting = self.modes.entry(place).or_insert_with(|| {
            self.queue.push_back(place);
            ModeSet::EMPTY
        });
        *waiting = space.or(*waiting, modes);
    }

    fn next(&mut self) -> Option<(usize, ModeSet)> {
        let place = self.queue.pop_front()?;
        self.modes.remove_entry(&place)
    }
}

/// A matching that grows row by row.
#[derive(Debug)]
pub(crate) struct GuardedMatching<'a> {
    space: &'a ModeSpace,
    edges: Vec<Edge>,
    of_row: Vec<Vec<usize>>,
    of_column: Vec<Vec<usize>>,
    /// Modes in which each column is there and not matched.
    free: Vec<ModeSet>,
    /// Scratch: modes in which the current search has reached each column.
    reached: Vec<ModeSet>,
    /// Scratch: modes in which a path to be turned goes through each column.
    wanted: Vec<ModeSet>,
}

impl<'a> GuardedMatching<'a> {
    /// No rows yet; columns with the modes in which they are there.
    pub(crate) fn new(space: &'a ModeSpace, columns: &[ModeSet]) -> Self {
        GuardedMatching {
            space,
            edges: Vec::new(),
            of_row: Vec::new(),
            of_column: vec![Vec::new(); columns.len()],
            free: columns.to_vec(),
            reached: vec![ModeSet::EMPTY; columns.len()],
            wanted: vec![ModeSet::EMPTY; columns.len()],
        }
    }

    /// Adds a row; returns the modes of `guard` in which it cannot be matched together with all rows before it.
    pub(crate) fn add(&mut self, guard: ModeSet, entries: &[(usize, ModeSet)]) -> Result<ModeSet, Limit> {
        let row = self.of_row.len();
        self.of_row.push(Vec::new());
        self.add_entries(row, entries);
        self.match_row(row, guard)
    }

    /// Gives a row more entries, which are of use when a row is matched the next time.
    pub(crate) fn add_entries(&mut self, row: usize, entries: &[(usize, ModeSet)]) {
        for &(column, modes) in entries {
            self.of_row[row].push(self.edges.len());
            self.of_column[column].push(self.edges.len());
            self.edges.push(Edge { row, column, modes, matched: ModeSet::EMPTY });
        }
    }

    /// Matches a row where it is not matched yet; returns the modes of `guard` in which that is not possible.
    pub(crate) fn match_row(&mut self, row: usize, guard: ModeSet) -> Result<ModeSet, Limit> {
        let unmatched = self.search(row, guard);
        self.space.check()?;
        Ok(unmatched)
    }

    fn search(&mut self, root: usize, guard: ModeSet) -> ModeSet {
        let mut remaining = guard;
        let mut steps: Vec<(usize, ModeSet)> = Vec::new();
        let mut pending = Waiting::default();
        pending.add(self.space, root, guard);
        while let Some((row, modes)) = pending.next() {
            for at in 0..self.of_row[row].len() {
                let edge = self.of_row[row][at];
                let Edge { column, .. } = self.edges[edge];
                let modes = self.newly_reached(edge, self.space.and(modes, remaining));
                if modes.is_empty() {
                    continue;
                }
                steps.push((edge, modes));
                self.reached[column] = self.space.or(self.reached[column], modes);
                let found = self.space.and(modes, self.free[column]);
                if !found.is_empty() {
                    self.turn(&steps, column, found);
                    remaining = self.space.difference(remaining, found);
                }
                self.follow(column, self.space.difference(modes, found), &mut pending);
            }
        }
        for (edge, _) in steps {
            self.reached[self.edges[edge].column] = ModeSet::EMPTY;
        }
        remaining
    }

    fn newly_reached(&self, edge: usize, modes: ModeSet) -> ModeSet {
        let Edge { column, modes: active, matched, .. } = self.edges[edge];
        let active = self.space.difference(self.space.and(modes, active), matched);
        self.space.difference(active, self.reached[column])
    }

    /// Goes on from a column to the rows that it is matched with.
    fn follow(&self, column: usize, modes: ModeSet, pending: &mut Waiting) {
        for &edge in &self.of_column[column] {
            let through = self.space.and(modes, self.edges[edge].matched);
            pending.add(self.space, self.edges[edge].row, through);
        }
    }

    /// Turns the paths that reached a free column in these modes: back over the steps, latest first.
    fn turn(&mut self, steps: &[(usize, ModeSet)], column: usize, modes: ModeSet) {
        self.free[column] = self.space.difference(self.free[column], modes);
        self.wanted[column] = modes;
        for &(edge, reached) in steps.iter().rev() {
            let Edge { row, column, .. } = self.edges[edge];
            let turned = self.space.and(self.wanted[column], reached);
            if turned.is_empty() {
                continue;
            }
            self.wanted[column] = self.space.difference(self.wanted[column], turned);
            for at in 0..self.of_row[row].len() {
                let other = self.of_row[row][at];
                let released = self.space.and(self.edges[other].matched, turned);
                if !released.is_empty() {
                    self.edges[other].matched = self.space.difference(self.edges[other].matched, released);
                    let released_column = self.edges[other].column;
                    self.wanted[released_column] = self.space.or(self.wanted[released_column], released);
                }
            }
            self.edges[edge].matched = self.space.or(self.edges[edge].matched, turned);
        }
    }

    /// By column, the modes in which it is underdetermined: reached from unmatched columns along alternating paths.
    pub(crate) fn underdetermined(&self) -> Result<Vec<ModeSet>, Limit> {
        self.reached_from(self.free.clone())
    }

    /// The same, where unmatched columns are `known` in some modes.
    pub(crate) fn underdetermined_unless(&self, known: &[ModeSet]) -> Result<Vec<ModeSet>, Limit> {
        let open = self.free.iter().zip(known).map(|(&free, &known)| self.space.difference(free, known));
        self.reached_from(open.collect())
    }

    fn reached_from(&self, mut open: Vec<ModeSet>) -> Result<Vec<ModeSet>, Limit> {
        let mut pending = Waiting::default();
        (0..open.len()).for_each(|column| pending.add(self.space, column, open[column]));
        while let Some((column, modes)) = pending.next() {
            for &edge in &self.of_column[column] {
                let into = self.space.and(modes, self.edges[edge].modes);
                if into.is_empty() {
                    continue;
                }
                for &other in &self.of_row[self.edges[edge].row] {
                    let Edge { column: next, matched, .. } = self.edges[other];
                    let new = self.space.difference(self.space.and(into, matched), open[next]);
                    if !new.is_empty() {
                        open[next] = self.space.or(open[next], new);
                        pending.add(self.space, next, new);
                    }
                }
            }
            self.space.check()?;
        }
        Ok(open)
    }
}
