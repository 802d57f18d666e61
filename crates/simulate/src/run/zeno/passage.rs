//! Impacts that do not keep what they throw back: after the clause the guard goes on to the side where it must not be.
//!
//! ```text
//!  when h <= 0 then reinit(v, -e*pre(v)); end when;
//!
//!   h │╲      e = 0.5             │╲      e = 1e-9            │╲      e = 0
//!     │ ╲   ╱╲                    │ ╲     the speed after     │ ╲     the speed after is 0:
//!   0 ┼──╲─╱──╲─►                 ┼──╲──► is noise            ┼──╲──► so the model says
//!     │                           │   ╲                       │   ╲
//! ```
//!
//! The exact solution of the second bounces without end in a time too short to be seen; that is an accumulation, at which the
//! model rests or the run stops. The third one falls by its own equations, which is hardly meant: the run goes on and says so.

use modeshift_dae::RelationId;
use modeshift_mode_changes::{Sign, Term};

use crate::run::instant::event_iteration::{Fired, Outcome};
use crate::run::instant::{rate, signs_near_zero};
use crate::run::memory::Memory;
use crate::run::modes::VisitedModes;
use crate::run::prepare::Prepared;
use crate::run::running_sizes::ROUNDING;
use crate::run::values::Side;

/// What became of a guard that a clause watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// It is where the model has it.
    Meant,
    /// What carries it was stopped at once, and it goes on through.
    Stopped,
    /// What carries it was thrown back, by no more than noise.
    Noise,
}

/// How a clause turned a guard.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// It stands still behind the instant.
    Stopped,
    /// It was on the way beyond zero, and goes back.
    Back,
    /// It was on the way back already, and goes on beyond: what was found there is noise that an impact before it has left.
    On,
}

/// What became of the atoms that fired at an instant. `again` says that they had been thrown back before and were noise since.
pub(crate) fn passage<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    (left, outcome): (&Side<'a>, &Outcome<'a>),
    (fired, again): (&Fired, bool),
) -> Passage {
    let right = &outcome.right;
    let is_same_mode = left.mode.values == right.mode.values;
    if outcome.whens.is_empty() || !outcome.restarted || !is_same_mode || !has_jumped(left, right) {
        return Passage::Meant;
    }
    let has_changed = |&atom: &RelationId| !prepared.discrete.comes_back(&[atom], left, right);
    let crossed = fired.atoms.iter().copied().filter(has_changed);
    let turned: Vec<(RelationId, Turn)> =
        crossed.filter_map(|atom| Some((atom, turn(prepared, visited, memory, (left, right), atom)?))).collect();
    let atoms: Vec<RelationId> = turned.iter().map(|it| it.0).collect();
    let Some(signs) = signs_near_zero(prepared, visited, memory, right, &atoms) else { return Passage::Meant };
    let goes_on = |turn: Turn, sign: Sign| match sign {
        Sign::Decided(Term::Derivative(2..), _) => true,
        Sign::Decided(Term::Derivative(_), _) => again || turn == Turn::On,
        _ => false,
    };
    let going_on = turned.iter().zip(&signs).filter(|((_, turn), (_, sign))| goes_on(*turn, *sign));
    match going_on.map(|((_, turn), _)| *turn).reduce(|all, one| if one == Turn::Stopped { all } else { one }) {
        None => Passage::Meant,
        Some(Turn::Stopped) => Passage::Stopped,
        Some(Turn::Back | Turn::On) => Passage::Noise,
    }
}

/// How an instant turned a guard, by its own rate: where the ground moves, what it throws back goes on in the same direction, more slowly
/// or faster. A rate that is rounding of what it is the difference of is none.
fn turn<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    (left, right): (&Side<'a>, &Side<'a>),
    atom: RelationId,
) -> Option<Turn> {
    // What is left of the speed of an impact is rounded as the speed before it.
    let rounding = ROUNDING * left.slope_size(prepared, atom).max(right.slope_size(prepared, atom));
    let mut rate_on = |side| rate(prepared, visited, memory, side, atom);
    let (before, after) = (rate_on(left)?, rate_on(right)?);
    let it = &prepared.discrete.atoms[atom];
    let is_beyond_above = (right.discrete[it.variable] != 0.0) == it.holds_above();
    match () {
        () if before.abs() <= rounding => None,
        () if after.abs() <= rounding => Some(Turn::Stopped),
        () if (before > 0.0) == (after > 0.0) => None,
        () if (before > 0.0) == is_beyond_above => Some(Turn::Back),
        () => Some(Turn::On),
    }
}

/// Whether an instant made a state jump.
fn has_jumped(left: &Side<'_>, right: &Side<'_>) -> bool {
    let program = left.mode.program.borrow();
    program.state_quantities().any(|it| left.value(it.of, it.order) != right.value(it.of, it.order))
}
