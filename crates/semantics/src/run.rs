//! Runs: the micro-steps of one instant, from what is known when it begins to `Tick` or to a failure.
//!
//! Algorithm 5 is iterated until it ticks (RR8933 §3.3.2). At a guard both values are explored. Elsewhere the first of
//! the choices is taken, where blocks come in the order in which they can be solved: of two, the one that has waited
//! longer. [`outcomes`] explores every choice instead, and asks whether they lead to the same.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::domain::{Body, Shifted, Unknown, Value};
use crate::latent::MOST_SETS;
use crate::micro_step::{Choices, Failure, Instant, MicroStep, Next, tick};
use crate::status::{Context, Status};
use crate::system::DifferenceSystem;

/// What an instant begins with: a vertex of the graph of the constructive semantics.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Beginning {
    /// The variables that are known.
    pub known: BTreeSet<Shifted<Unknown>>,
    /// The context.
    pub context: Context,
    /// By `when` branch and condition, whether that held in the instant before.
    pub held: Vec<Vec<bool>>,
}

/// The end of a run: what the next instant begins with, or why there is none.
pub type End = Result<Beginning, Failure>;

/// A run from some beginning.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The valuation of the guards.
    pub mode: usize,
    /// The micro-steps but for `Tick`.
    pub steps: Vec<MicroStep>,
    /// The end.
    pub end: End,
}

/// All runs from a beginning, one for each mode, with the first of all choices; nothing where they are no longer wanted.
pub fn traces(instant: &Instant<'_>, beginning: &Beginning, is_wanted: &dyn Fn() -> bool) -> Option<Vec<Trace>> {
    let mut traces = Vec::new();
    let mut pending = vec![(Status::initial(instant.system, beginning.known.clone()), Vec::new())];
    while let Some((status, steps)) = pending.pop() {
        is_wanted().then_some(())?;
        let end = match instant.next(&status) {
            Next::Tick => Ok(next_beginning(instant.system, &status)),
            Next::Fail(failure) => Err(failure),
            Next::Choices(choices) => {
                let forks = longest_waiting(instant.system, &steps, choices);
                // The last one pushed is explored first.
                for step in forks.into_iter().rev() {
                    let mut steps = steps.clone();
                    let after = instant.apply(&status, &step);
                    steps.push(step);
                    pending.push((after, steps));
                }
                continue;
            }
        };
        let mode = status.mode().expect("a run ends when all guards are known");
        if lasts(instant.system, mode, &status) {
            traces.push(Trace { mode, steps, end });
        }
    }
    traces.sort_by_key(|trace| trace.mode);
    Some(traces)
}

/// The end of the instant after `Tick`.
fn next_beginning(system: &DifferenceSystem, status: &Status) -> Beginning {
    let mode = status.mode().expect("a successful status knows all guards");
    let (known, context) = tick(system, status);
    Beginning { known, context, held: held_in(system, mode) }
}

/// By `when` branch and condition, whether that holds in a mode.
pub fn held_in(system: &DifferenceSystem, mode: usize) -> Vec<Vec<bool>> {
    system.clauses.iter().map(|clause| clause.held_in(mode)).collect()
}

/// Whether there is such an instant: a transient mode lasts for the instant in which its `when` fires, and no longer.
fn lasts(system: &DifferenceSystem, mode: usize, status: &Status) -> bool {
    !system.is_transient(mode) || status.fires.as_ref().is_some_and(|fires| !fires.is_empty())
}

/// The choice that is taken: of blocks the one that could be solved first, else the first.
fn longest_waiting(system: &DifferenceSystem, steps: &[MicroStep], choices: Vec<Vec<MicroStep>>) -> Vec<MicroStep> {
    let solved_at = |variable: Shifted<Unknown>| {
        let solves = |step: &MicroStep| matches!(step, MicroStep::Block(block) if block.variables.contains(&variable));
        steps.iter().position(solves).map_or(0, |place| place + 1)
    };
    let ready_since = |choice: &Vec<MicroStep>| match choice.first() {
        Some(MicroStep::Block(block)) => {
            let read = block.equations.iter().flat_map(|&equation| system.variables_of(equation));
            read.map(solved_at).max().unwrap_or(0)
        }
        _ => 0,
    };
    choices.into_iter().min_by_key(ready_since).unwrap_or_default()
}

/// How one mode can end from some beginning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// The end.
    pub end: End,
    /// The equations that were shifted or erased.
    pub erased: BTreeSet<Shifted<Body>>,
}

/// More statuses than this are not explored for one instant.
pub const MOST_STATUSES: usize = 20_000;

/// By mode, every end that some choice of lines 5, 8, 12 and 15 leads to; nothing where there are too many statuses.
pub fn outcomes(instant: &Instant<'_>, beginning: &Beginning) -> Option<BTreeMap<usize, BTreeSet<Outcome>>> {
    let instant = Instant { choices: Choices::All, ..*instant };
    let first = Status::initial(instant.system, beginning.known.clone());
    let mut met = HashSet::from([first.clone()]);
    let mut pending = vec![first];
    let mut outcomes: BTreeMap<usize, BTreeSet<Outcome>> = BTreeMap::new();
    while let Some(status) = pending.pop() {
        if instant.has_many_choices(&status) {
            return None;
        }
        let end = match instant.next(&status) {
            Next::Tick => Ok(next_beginning(instant.system, &status)),
            Next::Fail(failure) => Err(failure),
            Next::Choices(choices) => {
                let is_latent = |steps: &Vec<MicroStep>| matches!(steps.first(), Some(MicroStep::Latent(_)));
                if choices.iter().filter(|it| is_latent(it)).count() >= MOST_SETS {
                    return None;
                }
                let after = choices.iter().flatten().map(|step| instant.apply(&status, step));
                pending.extend(after.filter(|after| met.insert(after.clone())));
                if met.len() > MOST_STATUSES {
                    return None;
                }
                continue;
            }
        };
        let mode = status.mode().expect("a run ends when all guards are known");
        if lasts(instant.system, mode, &status) {
            let outcome = Outcome { end, erased: erased_in(instant.system, &status) };
            outcomes.entry(mode).or_default().insert(outcome);
        }
    }
    Some(outcomes)
}

/// The equations that gave way: enabled, but counted as disabled.
fn erased_in(system: &DifferenceSystem, status: &Status) -> BTreeSet<Shifted<Body>> {
    let disabled = status.equations.iter().filter(|(_, value)| **value == Value::False);
    disabled.map(|(&equation, _)| equation).filter(|equation| status.is_enabled(system, equation.of)).collect()
}
