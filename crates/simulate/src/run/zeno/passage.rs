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
use crate::run::instant::signs_near_zero;
use crate::run::memory::Memory;
use crate::run::modes::VisitedModes;
use crate::run::prepare::Prepared;
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

/// What became of the atoms that fired at an instant. `again` says that they had been thrown back before and were noise since.
pub(crate) fn passage<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    (left, outcome): (&Side<'a>, &Outcome<'a>),
    (fired, again): (&Fired, bool),
) -> Passage {
    let right = &outcome.right;
    let has_changed = |&atom: &RelationId| !prepared.discrete.comes_back(&[atom], left, right);
    let crossed: Vec<RelationId> = fired.atoms.iter().copied().filter(has_changed).collect();
    let is_same_mode = left.mode.values == right.mode.values;
    if outcome.whens.is_empty() || !outcome.restarted || crossed.is_empty() || !is_same_mode {
        return Passage::Meant;
    }
    let Some(is_stopped) = turned(left, right) else { return Passage::Meant };
    let Some(signs) = signs_near_zero(prepared, visited, memory, right, &crossed) else { return Passage::Meant };
    let goes_on = |&(_, sign): &(RelationId, Sign)| match sign {
        Sign::Decided(Term::Derivative(2..), _) => true,
        Sign::Decided(Term::Derivative(_), _) => again,
        _ => false,
    };
    match signs.iter().any(goes_on) {
        false => Passage::Meant,
        true if is_stopped => Passage::Stopped,
        true => Passage::Noise,
    }
}

/// Whether all states that an instant turned round are zero behind it; nothing where it turned none.
fn turned(left: &Side<'_>, right: &Side<'_>) -> Option<bool> {
    let program = left.mode.program.borrow();
    let ends = program.state_quantities().map(|it| (left.value(it.of, it.order), right.value(it.of, it.order)));
    let turned = ends.filter(|(before, after)| *before != 0.0 && before * after <= 0.0);
    turned.fold(None, |stopped, (_, after)| Some(stopped.unwrap_or(true) && after == 0.0))
}
