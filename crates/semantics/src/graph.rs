//! The graph CS of the constructive semantics (end of RR8933 §3.3.2): what instants begin with, and the runs between.
//!
//! It begins with the consistent starts of all modes: of a mode with offsets `c` and `d`, the variables `x•m` with
//! `m < d(x)` are known, and the equations `e•m` with `m < c(e)` hold (Execution Scheme 3). From there every mode is tried
//! again and again, until nothing new is met.
//!
//! Under constant guards a run is followed by one run: these paths end in cycles. The runs of a cycle without shifts are
//! the continuous dynamics of their mode, all others are resets. A cycle with shifts in it is an execution that loops for
//! ever in an attempt to change the mode, and is rejected with the cycle.
//!
//! The paper asks for at least two reset runs in such a cycle, and there always are: none of its runs is part of continuous
//! dynamics, and one run alone that shifts something does not come back to where it began. (If it shifts `e`, then `e` does
//! not hold when it begins. If it is to begin so again, `e•` is not solved in it, hence does not hold when it begins, hence
//! `e•2` is not solved in it, and so on: it would shift for ever.)

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::domain::{Body, Shifted};
use crate::micro_step::{Choices, EraseEquation, Failure, FireClauses, ForwardShift, Instant, MicroStep};
use crate::run::{Beginning, Outcome, held_in, outcomes, traces};
use crate::sigma::Offsets;
use crate::status::{Context, Status};
use crate::system::DifferenceSystem;

/// Beyond so many runs no further beginning is explored.
pub const MOST_RUNS: usize = 2_048;

/// What a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Part of the continuous dynamics of its mode: blue.
    Continuous,
    /// A reset: black.
    Discrete,
    /// A reset with impulses: red.
    Impulsive,
    /// It does not end.
    Failed,
}

/// A run between two beginnings.
#[derive(Clone, Debug)]
pub struct Run {
    /// The number of the beginning it starts from.
    pub from: usize,
    /// The valuation of the guards.
    pub mode: usize,
    /// The micro-steps but for `Tick`.
    pub steps: Vec<MicroStep>,
    /// The number of the beginning behind `Tick`, or why there is none.
    pub to: Result<usize, Failure>,
}

/// The graph.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The system.
    pub system: DifferenceSystem,
    /// The offsets of its modes; nothing for those that are structurally singular.
    pub offsets: Vec<Option<Offsets>>,
    /// The furthest shift of an equation.
    pub bound: u32,
    /// What instants begin with.
    pub beginnings: Vec<Beginning>,
    /// By mode, the number of its consistent start.
    pub starts: BTreeMap<usize, usize>,
    /// The runs, by where they start and by mode.
    pub runs: Vec<Run>,
    /// The runs that are part of the continuous dynamics of their modes.
    continuous: BTreeSet<usize>,
    /// Cycles of runs that loop for ever in a mode change.
    pub endless: Vec<Vec<usize>>,
    /// The beginnings from which no run was explored, because there are [`MOST_RUNS`] already.
    pub unexplored: Vec<usize>,
}

impl Run {
    /// The equations that were shifted, or erased in the instant of a `when`.
    pub fn erased(&self) -> Vec<Shifted<Body>> {
        let erased = self.steps.iter().filter_map(|step| match step {
            MicroStep::Shift(ForwardShift { equation }) | MicroStep::Erase(EraseEquation { equation }) => {
                Some(*equation)
            }
            _ => None,
        });
        erased.collect()
    }

    /// The `when` branches that fire in it.
    pub fn fires(&self) -> &[usize] {
        let fires = self.steps.iter().find_map(|step| match step {
            MicroStep::Fire(FireClauses { clauses }) => Some(clauses.as_slice()),
            _ => None,
        });
        fires.unwrap_or_default()
    }
}

impl Graph {
    /// Explores the runs of a system.
    pub fn new(system: DifferenceSystem) -> Graph {
        Graph::explored_while(system, &|| true).expect("nothing asks to stop")
    }

    /// Explores the runs of a system as long as that is wanted; nothing where it is no longer.
    pub fn explored_while(system: DifferenceSystem, is_wanted: &dyn Fn() -> bool) -> Option<Graph> {
        let mut graph = Graph::unexplored(system);
        graph.explore(is_wanted)?;
        Some(graph)
    }

    /// Explores the runs of a system in which no equation is shifted more often than this.
    pub fn bounded(system: DifferenceSystem, bound: u32) -> Graph {
        let mut graph = Graph { bound, ..Graph::unexplored(system) };
        graph.explore(&|| true).expect("nothing asks to stop");
        graph
    }

    fn unexplored(system: DifferenceSystem) -> Graph {
        let offsets: Vec<Option<Offsets>> = (0..system.modes.len()).map(|mode| Offsets::of(&system, mode)).collect();
        let greatest = offsets.iter().flatten().map(Offsets::greatest).max().unwrap_or(0);
        let bound = greatest.max(system.highest_order()) + 1;
        Graph {
            system,
            offsets,
            bound,
            beginnings: Vec::new(),
            starts: BTreeMap::new(),
            runs: Vec::new(),
            continuous: BTreeSet::new(),
            endless: Vec::new(),
            unexplored: Vec::new(),
        }
    }

    fn explore(&mut self, is_wanted: &dyn Fn() -> bool) -> Option<()> {
        self.find_runs(is_wanted)?;
        for mode in 0..self.system.modes.len() {
            self.find_cycles(mode);
            is_wanted().then_some(())?;
        }
        Some(())
    }

    fn find_runs(&mut self, is_wanted: &dyn Fn() -> bool) -> Option<()> {
        let mut numbers: BTreeMap<Beginning, usize> = BTreeMap::new();
        let mut pending = VecDeque::new();
        for (mode, beginning) in self.consistent_starts() {
            let number = self.number_of(beginning, &mut numbers, &mut pending);
            self.starts.extend(mode.map(|mode| (mode, number)));
        }
        while let Some(from) = pending.pop_front() {
            if self.runs.len() >= MOST_RUNS {
                self.unexplored = std::iter::once(from).chain(pending).collect();
                return Some(());
            }
            let beginning = self.beginnings[from].clone();
            for trace in traces(&self.instant(&beginning), &beginning, is_wanted)? {
                let to = match trace.end {
                    Ok(next) => Ok(self.number_of(next, &mut numbers, &mut pending)),
                    Err(failure) => Err(failure),
                };
                self.runs.push(Run { from, mode: trace.mode, steps: trace.steps, to });
            }
        }
        Some(())
    }

    fn number_of(
        &mut self,
        beginning: Beginning,
        numbers: &mut BTreeMap<Beginning, usize>,
        pending: &mut VecDeque<usize>,
    ) -> usize {
        let new = numbers.len();
        *numbers.entry(beginning).or_insert_with_key(|beginning| {
            self.beginnings.push(beginning.clone());
            pending.push_back(new);
            new
        })
    }

    /// The consistent starts of the modes that last. Where no mode is regular: the states as they are written, and
    /// nothing that holds.
    fn consistent_starts(&self) -> Vec<(Option<usize>, Beginning)> {
        let mut starts = Vec::new();
        for (mode, offsets) in self.offsets.iter().enumerate() {
            if let Some(offsets) = offsets.as_ref().filter(|_| !self.system.is_transient(mode)) {
                let below = |(&of, &offset): (&_, &u32)| {
                    (0..offset).map(move |shift| Shifted { of, shift }).collect::<Vec<_>>()
                };
                let context: Context = offsets
                    .equations
                    .iter()
                    .flat_map(|(&of, &offset)| (0..offset).map(move |shift| Shifted { of, shift }))
                    .collect();
                let known = offsets.variables.iter().flat_map(below).collect();
                starts.push((Some(mode), Beginning { known, context, held: held_in(&self.system, mode) }));
            }
        }
        if starts.is_empty() {
            starts.push((None, self.written_start()));
        }
        starts
    }

    fn written_start(&self) -> Beginning {
        let entries = self.system.bodies.iter().filter(|body| body.clause.is_none()).flat_map(|body| &body.incidence);
        let known = entries.flat_map(|entry| (0..entry.highest).map(|shift| Shifted::new(entry.unknown, shift)));
        let held = self.system.clauses.iter().map(|clause| vec![false; clause.conditions.len()]).collect();
        Beginning { known: known.collect(), context: Context::new(), held }
    }

    pub(crate) fn instant<'a>(&'a self, beginning: &'a Beginning) -> Instant<'a> {
        Instant {
            system: &self.system,
            offsets: &self.offsets,
            context: &beginning.context,
            held: &beginning.held,
            bound: self.bound,
            choices: Choices::First,
            change: None,
            latent_first: false,
            shifts_in_instants: false,
            gives_way: None,
            is_over_at_once: false,
        }
    }

    /// How many runs start from a beginning, whether explored or not: one into each mode that lasts, or whose `when` fires.
    pub fn count_runs_from(&self, beginning: usize) -> usize {
        let held = &self.beginnings[beginning].held;
        let fires = |mode: usize| {
            let mut conditions =
                self.system.clauses.iter().zip(held).flat_map(|(it, held)| it.conditions.iter().zip(held));
            conditions.any(|(condition, held)| condition.has(mode) && !held)
        };
        (0..self.system.modes.len()).filter(|&mode| !self.system.is_transient(mode) || fires(mode)).count()
    }

    /// The run from a beginning in a mode.
    pub fn run_from(&self, from: usize, mode: usize) -> Option<usize> {
        self.runs.binary_search_by_key(&(from, mode), |run| (run.from, run.mode)).ok()
    }

    /// The numbers of the runs from a beginning.
    pub(crate) fn runs_from(&self, from: usize) -> std::ops::Range<usize> {
        self.runs.partition_point(|run| run.from < from)..self.runs.partition_point(|run| run.from <= from)
    }

    /// Follows runs under constant guards; finds the cycles of a mode.
    fn find_cycles(&mut self, mode: usize) {
        let mut done: BTreeSet<usize> = BTreeSet::new();
        for start in 0..self.beginnings.len() {
            let mut path: Vec<usize> = Vec::new();
            let mut at = start;
            while let Some(run) = self.run_from(at, mode).filter(|run| !done.contains(run)) {
                if let Some(place) = path.iter().position(|&known| known == run) {
                    self.judge_cycle(path[place..].to_vec());
                    break;
                }
                path.push(run);
                match self.runs[run].to {
                    Ok(next) => at = next,
                    Err(_) => break,
                }
            }
            done.extend(path);
        }
    }

    fn judge_cycle(&mut self, cycle: Vec<usize>) {
        let has_reset = cycle.iter().any(|&run| !self.runs[run].erased().is_empty());
        if has_reset {
            self.endless.push(cycle);
        } else {
            self.continuous.extend(cycle);
        }
    }

    /// Whether a run is part of the continuous dynamics of its mode.
    pub fn is_continuous(&self, run: usize) -> bool {
        self.continuous.contains(&run)
    }

    /// The statuses behind the micro-steps of a run.
    pub fn statuses(&self, run: usize) -> Vec<Status> {
        let run = &self.runs[run];
        let beginning = &self.beginnings[run.from];
        let instant = self.instant(beginning);
        let mut status = Status::initial(&self.system, beginning.known.clone());
        let after = run.steps.iter().map(|step| {
            status = instant.apply(&status, step);
            status.clone()
        });
        after.collect()
    }

    /// By mode, all ends that choices lead to from a beginning; nothing where there are too many statuses.
    pub fn all_choices_from(&self, beginning: usize) -> Option<BTreeMap<usize, BTreeSet<Outcome>>> {
        let beginning = &self.beginnings[beginning];
        outcomes(&self.instant(beginning), beginning)
    }
}
