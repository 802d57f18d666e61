//! An instant: from left limits and what fired to right limits.
//!
//! | file | purpose |
//! |---|---|
//! | [`event_iteration`] | micro-steps until nothing happens any more |
//! | [`event_by_event`] | the same where clauses count edges of relations on what goes on |
//! | [`discrete_fixpoint`] | definitions and `when` clauses within one micro-step |
//! | [`next_mode`] | the search for a mode that accepts itself |
//! | [`parts`] | atoms that can influence each other at this instant |
//! | [`candidate`] | the right side that follows from a discrete part |
//! | [`judgement`] | which relations contradict it |
//! | [`consequences`] | impulses that are forbidden, what jumps cause, what need not change |
//! | [`derived_guards`] | what relations on free quantities say together |
//! | [`entry`] | left limits of states of machines that are entered |
//! | [`restart`] | right limits in the next mode |
//! | [`without_values`] | why modes that were tried have none |
//! | [`at_zero`] | left limits with what crossed exactly at zero |
//! | [`stair_edges`] | where stairs go whose arguments stand at an edge |
//! | [`complementarity`] | the search among relations that exclude each other |
//!
//! One micro-step:
//!
//! ```text
//!  left limits,        ┌────────────── next_mode: other truths of relations ──────────────┐
//!  what fired          ▼                                                                  │ contradicted
//!      └──────► discrete_fixpoint ──► mode, laws ──► candidate: restart ──► right limits ─┤ judgement
//!               definitions, when  ◄── what `when` reads of right limits ──┘              │ accepted
//!                                                                                         ▼
//!               left limits of the next micro-step  ◄─────────  `reinit`, from the same left limits
//! ```
//!
//! Discrete variables are defined by equations, `when` among them, and read at the right limits that they lead to: states as
//! the step found them, with the jumps of a mode change, before any `reinit`. Both sides of an instant are whole: what is
//! `pre`, conditions of `when` included, is part of the left side, so that a micro-step has no memory but its left side. An instant
//! ends with a micro-step in which nothing happens; values that come back say that it never will.
//!
//! Where clauses fire, edges count: a relation that crosses and turns back in one instant is two. So such an instant is first gone through
//! event by event, with what has crossed held until no clause fires any more; the search decides what that does not.
//!
//! The start is such an instant. Its first micro-step takes relations as they stand and lets `initial()` act and samples that are
//! due; the next ones ask all relations at zero where they go and copy `pre` until nothing changes, and no clause fires in them.
//! Then conditions of clauses have been what they are at the start values as these stand, so that `when time > 0` fires.
//!
//! The room reads the model made ready, asks for modes, and changes what the run remembers ([`Memory`]). It knows no
//! integrator, no observer and no diagnostics.

pub(crate) mod at_zero;
pub(crate) mod candidate;
pub(crate) mod complementarity;
pub(crate) mod consequences;
pub(crate) mod derived_guards;
pub(crate) mod discrete_fixpoint;
pub(crate) mod entry;
mod event_by_event;
pub(crate) mod event_iteration;
pub(crate) mod judgement;
pub(crate) mod next_mode;
pub(crate) mod parts;
pub(crate) mod restart;
mod stair_edges;
mod without_values;

use modeshift_dae::RelationId;
use modeshift_mode_changes::Sign;

use crate::run::memory::Memory;
use crate::run::modes::VisitedModes;
use crate::run::prepare::Prepared;
use crate::run::values::{Occasion, Side};
use derived_guards::DerivedGuards;
use discrete_fixpoint::MicroStep;
use event_iteration::{Fired, NoOutcome, Outcome};
use restart::jet_of;

/// From the left to the right side of an instant.
pub(crate) fn instant<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    left: &Side<'a>,
    fired: &Fired,
    occasion: Occasion,
) -> Result<Outcome<'a>, NoOutcome> {
    Instant { prepared, visited, memory }.pass(left, fired, occasion)
}

/// Where atoms that are near zero go from there in the mode of a side; nothing where the mode does not go on.
pub(crate) fn signs_near_zero<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    side: &Side<'a>,
    atoms: &[RelationId],
) -> Option<Vec<(RelationId, Sign)>> {
    if atoms.is_empty() {
        return Some(Vec::new());
    }
    let mut instant = Instant { prepared, visited, memory };
    let step = MicroStep {
        left: side,
        origin: side,
        occasion: Occasion::default(),
        sampled: &[],
        crossed: &[],
        released: &[],
        is_literal: false,
        all_by_series: true,
        must_restart: true,
        unmet: &[],
        start: None,
        island: None,
    };
    let settled = instant.settle(&step, side.discrete.clone(), side).ok()?;
    if settled.mode != side.mode.values || settled.is_transient {
        return None;
    }
    let mut candidate = instant.candidate(&step, &settled).ok()?;
    let values = instant.memory.buffers.atom_values(prepared, (side, side), Occasion::default(), &[]);
    let signs = atoms.iter().map(|&atom| (atom, instant.sign(&step, &settled, &mut candidate, atom, values[atom])));
    Some(signs.collect())
}

/// How fast an atom changes on a side, in the mode of the side; nothing where that is not known.
pub(crate) fn rate<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    side: &Side<'a>,
    atom: RelationId,
) -> Option<f64> {
    let mut instant = Instant { prepared, visited, memory };
    let mut jet = jet_of(side);
    instant.extend_towards(side, &mut jet, atom);
    instant.slope((side, &jet), atom)
}

/// The mode that follows from left limits at the start: all relations are decided by series, and nothing fires.
pub(crate) fn first_mode<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    left: &Side<'a>,
) -> Result<Outcome<'a>, NoOutcome> {
    Instant { prepared, visited, memory }.first_mode(left)
}

/// What relations on quantities that the mode of a side leaves free say together.
pub(crate) fn derived_guards_on<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    side: &Side<'a>,
) -> DerivedGuards {
    if side.mode.pins.is_none() {
        return DerivedGuards::default();
    }
    let mut instant = Instant { prepared, visited, memory };
    let step = MicroStep {
        left: side,
        origin: side,
        occasion: Occasion::default(),
        sampled: &[],
        crossed: &[],
        released: &[],
        is_literal: false,
        all_by_series: false,
        must_restart: false,
        unmet: &[],
        start: None,
        island: None,
    };
    match instant.settle(&step, side.discrete.clone(), side) {
        Ok(settled) => instant.derived_guards(&step, &settled, side),
        Err(_) => DerivedGuards::default(),
    }
}

/// All that an instant may touch.
pub(crate) struct Instant<'e, 'a> {
    pub(in crate::run) prepared: &'a Prepared,
    pub(in crate::run) visited: &'e mut VisitedModes<'a>,
    pub(in crate::run) memory: &'e mut Memory,
}
