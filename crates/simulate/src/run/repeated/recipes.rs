//! What an event led to, and the judgements that led there.

use std::rc::Rc;

use modeshift_dae::{Id, IndexVec, Mode, RelationId, VariableId};
use modeshift_diagnostics::Span;

use crate::results::EventRecord;
use crate::run::instant::event_iteration::Fired;
use crate::run::modes::VisitedMode;
use crate::run::prepare::Prepared;
use crate::run::values::Side;

/// A value that decides is as decisive as it was between these shares of what it was. It was clear when it was learned, so half of it still has its
/// sign. Widths from 1 to 1,000 have the same events on six converters from rest (boost and buck in both conductions, a bridge, a leg whose
/// current turns), with values that differ by 1e-13; those repeated grow up to here and hardly beyond (boost 36, 705, 957, 990, 1,017, 1,021
/// of 1,035 events at 1, 1.1, 1.5, 2, 4 and 1,000).
pub(super) const AS_BEFORE: std::ops::RangeInclusive<f64> = 0.5..=2.0;
/// What vanishes in a short time to this share of what counts as clear vanishes.
const VANISHES: f64 = 1.0;

/// An event that was searched.
pub(super) struct Recipe<'a> {
    pub kind: Box<[u64]>,
    /// The relations that decide something among those that fired.
    pub deciding: Fired,
    /// Its micro-steps, but for the last one, in which nothing happens; one at least.
    pub stages: Vec<Stage<'a>>,
    /// All truths in the end.
    pub truths_after: Box<[u64]>,
    pub record: EventRecord,
    /// Whether the cause of the event is steps of stairs, which are told with their values.
    pub tells_stairs: bool,
    /// By relation: how large its sides were on both sides of the event.
    pub seen: IndexVec<RelationId, f64>,
    /// Where all that is decided follows from truths: what was decided in each of its micro-steps, and that it comes to rest with that.
    pub decided: Vec<Vec<(VariableId, f64)>>,
    pub is_decided: bool,
}

/// A micro-step.
pub(super) struct Stage<'a> {
    /// The mode after.
    pub mode: Rc<VisitedMode<'a>>,
    /// Truths that were accepted, and those in the end: relations that do not matter any more have those of their values.
    pub accepted: Vec<(VariableId, f64)>,
    pub corrected: Vec<(VariableId, f64)>,
    /// By relation, how it stands before and after.
    pub before: Vec<Standing>,
    pub after: Vec<Standing>,
    pub refused: Vec<Refused>,
    /// Whether anything continuous is new.
    pub is_new: bool,
    /// Places of states in the jet after and before.
    pub carried: Vec<(usize, usize)>,
    /// Places, before and after, of what was a state and is none, and how large it was.
    pub lost: Vec<(usize, usize, f64)>,
    /// Discrete values, other than truths, that the judgements are for.
    pub fixed: Vec<(VariableId, u64)>,
    /// Branches of `when` that fire.
    pub whens: Vec<Span>,
}

/// How a relation stands on one side of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Standing {
    /// It is of time alone.
    Scheduled,
    Above,
    Below,
    /// It is zero, and goes on to be.
    Resting,
    /// It is zero, and leaves it with this slope.
    Leaving(f64),
}

impl Standing {
    /// From a value, whether it is clear, and the slope, with what counts as clear and a short time.
    pub fn of(
        value: f64,
        is_clear: bool,
        slope: impl FnOnce() -> Option<f64>,
        (noise, short): (f64, f64),
    ) -> Option<Self> {
        match (is_clear, value > 0.0) {
            (true, true) => Some(Standing::Above),
            (true, false) => Some(Standing::Below),
            (false, _) => {
                let slope = slope()?;
                Some(if (slope * short).abs() <= VANISHES * noise {
                    Standing::Resting
                } else {
                    Standing::Leaving(slope)
                })
            }
        }
    }

    /// Whether a relation stands as it did.
    pub fn is_as(self, before: Standing) -> bool {
        match (self, before) {
            (Standing::Leaving(now), Standing::Leaving(then)) => AS_BEFORE.contains(&(now / then)),
            (now, then) => now == then,
        }
    }
}

/// Truths that were refused.
pub(super) struct Refused {
    pub truths: Vec<(VariableId, f64)>,
    /// The mode that they lead to.
    pub mode: Mode,
    /// What speaks against it.
    pub values: Vec<Affine>,
}

/// A value that decides, as a function of the states before.
pub(super) struct Affine {
    pub constant: f64,
    pub by_state: Vec<f64>,
    /// What it was.
    pub then: f64,
}

impl Affine {
    pub fn at(&self, states: &[f64]) -> f64 {
        self.constant + self.by_state.iter().zip(states).map(|(factor, state)| factor * state).sum::<f64>()
    }

    /// Whether it decides as it did.
    pub fn is_as_before(&self, states: &[f64]) -> bool {
        AS_BEFORE.contains(&(self.at(states) / self.then))
    }
}

impl<'a> Recipe<'a> {
    /// The mode after.
    pub fn mode(&self) -> &Rc<VisitedMode<'a>> {
        &self.stages[self.stages.len() - 1].mode
    }

    /// Whether anything continuous is new.
    pub fn is_new(&self) -> bool {
        self.stages.iter().any(|stage| stage.is_new)
    }

    /// Whether there is something to see of the event.
    pub fn is_visible(&self, prepared: &Prepared, left: &Side<'_>, right: &Side<'_>) -> bool {
        let part = &prepared.discrete;
        let mut declared = part.variables().filter(|id| id.index() < part.declared_count as usize);
        let changed = |id: VariableId| left.discrete[id].to_bits() != right.discrete[id].to_bits();
        let fires = self.stages.iter().any(|stage| !stage.whens.is_empty());
        self.is_new() || fires || declared.any(changed)
    }

    /// How large the sides of relations were.
    pub fn sizes(&self) -> &IndexVec<RelationId, f64> {
        &self.seen
    }
}
