//! A mode change as a path of runs: from the consistent start of one mode to the continuous dynamics of another one.
//!
//! Statuses do not say which mode was before, so where a run has a choice it does not know what is new. A change does, and
//! chooses by Principle 1 of E22 §8.2, causality: guards that keep their values come first, and in an overdetermined
//! part those equations are solved that held before. Each of its runs is one that Algorithm 5 allows.
//!
//! | file | purpose |
//! |---|---|
//! | `boundary` | what guards say of the past where they change |
//! | `cascade` | what follows an instant that is over at once |
//! | `choices` | which equation gives way to laws, where that is a choice |
//! | `crossing` | guards whose boundaries are crossed by a jump, of which they then say nothing |
//! | `polynomial` | expressions as polynomials with exact coefficients |
//! | `remembered` | a past as `changes` remembers it |

mod boundary;
mod cascade;
mod choices;
mod crossing;
mod polynomial;
mod remembered;

pub use cascade::MOST_CASCADES;
pub use choices::LawChoice;

use std::collections::BTreeSet;

use crate::domain::{Body, Shifted};
use crate::graph::Graph;
use crate::micro_step::{Failure, Instant, MicroStep};
use crate::run::{Beginning, Trace, traces};
use crate::values::linear::Jet;

/// How a change ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeEnd {
    /// In the continuous dynamics of the new mode.
    Continuous,
    /// In the instant of a `when`: the mode after it is another one again.
    Transient,
    /// Not at all.
    Failed(Failure),
    /// It repeats resets for ever.
    Endless,
}

/// A mode change.
#[derive(Clone, Debug)]
pub struct Change {
    /// The mode before.
    pub before: usize,
    /// The mode after.
    pub after: usize,
    /// What the first instant begins with.
    pub start: Beginning,
    /// The derivatives behind that, where they are not those of the mode before: what `changes` remembers.
    pub memory: Option<Jet>,
    /// Equations of the new mode that the past satisfies, although a run does not know it: guards may say so.
    pub satisfied: BTreeSet<Shifted<Body>>,
    /// The runs of its instants; the last one is the first of the continuous dynamics, where it gets there.
    pub instants: Vec<Trace>,
    /// How it ends.
    pub end: ChangeEnd,
}

impl Change {
    /// The equations that the first instant erases.
    pub fn erased(&self) -> BTreeSet<Shifted<Body>> {
        self.erased_by_instant().into_iter().next().unwrap_or_default()
    }

    /// The equations that each instant erases.
    pub fn erased_by_instant(&self) -> Vec<BTreeSet<Shifted<Body>>> {
        self.instants.iter().map(|trace| shifted_in(&trace.steps)).collect()
    }
}

/// How a change is followed, where RR8933 leaves it open or `changes` has another rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reading {
    /// Whether the first instant begins with what `changes` remembers, and not with all that the instant before knows.
    pub remembers: bool,
    /// Whether latent equations are added when the guards are known, and not when nothing else can be done (line 15).
    pub latent_first: bool,
    /// Whether constraints are asked for right limits also in the instant of a `when`, as if they lasted (E22 §8.4 says that
    /// they do not): those that the past contradicts are shifted, those that a law contradicts are an error.
    pub shifts_in_instants: bool,
    /// Of equations that contain what a law says, one that gives way before all others.
    pub gives_way: Option<Body>,
    /// Whether the instant of a `reinit` is over at once, as that of a law is.
    pub is_over_at_once: bool,
}

fn shifted_in(steps: &[MicroStep]) -> BTreeSet<Shifted<Body>> {
    let erased = steps.iter().filter_map(|step| match step {
        MicroStep::Shift(step) => Some(step.equation),
        MicroStep::Erase(step) => Some(step.equation),
        _ => None,
    });
    erased.collect()
}

impl Graph {
    /// The change between two modes; nothing where the first has no consistent start.
    pub fn causal_change(&self, before: usize, after: usize) -> Option<Change> {
        self.change_read_as(before, after, Reading::default())
    }

    /// The same in another reading.
    pub fn change_read_as(&self, before: usize, after: usize, reading: Reading) -> Option<Change> {
        let start = self.beginnings[*self.starts.get(&before)?].clone();
        let (start, memory) = match reading.remembers {
            true => self.remembered(before, after).map(|it| (it.beginning, Some(it.memory)))?,
            false => (start, None),
        };
        let instants = Vec::new();
        let (satisfied, end) = (BTreeSet::new(), ChangeEnd::Endless);
        let mut change = Change { before, after, start: start.clone(), memory, satisfied, instants, end };
        let mut met: Vec<Beginning> = Vec::new();
        let (mut at, mut old) = (start, before);
        while !met.contains(&at) {
            let trace = self.causal_trace(&at, old, after, reading)?;
            let is_reset = !shifted_in(&trace.steps).is_empty();
            let end = trace.end.clone();
            let fires = trace.steps.iter().any(|it| matches!(it, MicroStep::Fire(fire) if !fire.clauses.is_empty()));
            change.instants.push(trace);
            let next = match end {
                Err(failure) => {
                    change.end = ChangeEnd::Failed(failure);
                    return Some(change);
                }
                Ok(_) if fires && (reading.is_over_at_once || self.system.is_transient(after)) => {
                    change.end = ChangeEnd::Transient;
                    return Some(change);
                }
                Ok(next) => next,
            };
            if next == at && !is_reset {
                change.end = ChangeEnd::Continuous;
                return Some(change);
            }
            met.push(at);
            (at, old) = (next, after);
        }
        // A cycle of several runs: continuous if none of them resets.
        let cycle = met.iter().position(|it| *it == at).unwrap_or(0);
        if change.instants[cycle..].iter().all(|trace| shifted_in(&trace.steps).is_empty()) {
            change.end = ChangeEnd::Continuous;
        }
        Some(change)
    }

    /// Where laws say something of several variables: the change once for each equation that may give way to them. Which of
    /// them does is a choice of line 5.
    pub fn changes_by_choice(&self, before: usize, after: usize, reading: Reading) -> Vec<Change> {
        let laws =
            self.system.bodies.iter_enumerated().filter(|(_, body)| body.clause.is_some() && body.modes.has(after));
        let said: BTreeSet<_> = laws.flat_map(|(law, _)| self.system.variables_of(Shifted::new(law, 0))).collect();
        let is_overruled =
            |body: &Body| self.system.variables_of(Shifted::new(*body, 0)).any(|variable| said.contains(&variable));
        let overruled = self.system.equations_in(after).filter(is_overruled);
        let chosen = |body: Body| Reading { gives_way: Some(body), ..reading };
        overruled.filter_map(|body| self.change_read_as(before, after, chosen(body))).collect()
    }

    /// Whether a change fails because a law speaks only of what is known when the instant begins: of a variable with second
    /// derivatives two values are.
    pub fn says_what_is_known(&self, change: &Change) -> bool {
        let ChangeEnd::Failed(Failure::Contradiction(equation)) = &change.end else { return false };
        let is_law = self.system.bodies[equation.of].clause.is_some();
        is_law && self.system.variables_of(*equation).all(|variable| change.start.known.contains(&variable))
    }

    /// The numbers of the runs of a change in the graph, which may take the same steps in another order; nothing for one that
    /// causality lets take other steps.
    pub fn run_numbers(&self, change: &Change) -> Vec<Option<usize>> {
        let mut at = Some(&change.start);
        let mut numbers = Vec::new();
        for trace in &change.instants {
            let from = at.and_then(|at| self.beginnings.iter().position(|it| it == at));
            let run = from.and_then(|from| self.run_from(from, trace.mode));
            let is_same = |run: &usize| are_same_but_for_order(&self.runs[*run].steps, &trace.steps);
            numbers.push(run.filter(is_same));
            at = trace.end.as_ref().ok();
        }
        numbers
    }

    /// The run from a beginning to a mode, with choices by causality.
    fn causal_trace(&self, from: &Beginning, old: usize, mode: usize, reading: Reading) -> Option<Trace> {
        let Reading { latent_first, shifts_in_instants, gives_way, is_over_at_once, .. } = reading;
        let change = Some((old, mode));
        let instant =
            Instant { change, latent_first, shifts_in_instants, gives_way, is_over_at_once, ..self.instant(from) };
        traces(&instant, from, &|| true)?.into_iter().find(|trace| trace.mode == mode)
    }
}

/// Whether two runs of one instant do the same, whatever the order of their micro-steps. Which guard finds equations
/// redundant depends on the order, that they are does not.
fn are_same_but_for_order(one: &[MicroStep], other: &[MicroStep]) -> bool {
    sorted_steps(one) == sorted_steps(other)
}

fn sorted_steps(steps: &[MicroStep]) -> (BTreeSet<Shifted<Body>>, Vec<MicroStep>) {
    let (mut redundant, mut others) = (BTreeSet::new(), Vec::new());
    for step in steps {
        let mut step = step.clone();
        match &mut step {
            MicroStep::Guard(guard) => redundant.extend(guard.redundant.drain(..)),
            MicroStep::Redundant(step) => redundant.extend(step.redundant.drain(..)),
            _ => {}
        }
        others.push(step);
    }
    others.sort();
    (redundant, others)
}
