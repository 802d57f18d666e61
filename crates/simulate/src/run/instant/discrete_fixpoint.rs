//! The discrete part of a micro-step: definitions and `when` clauses, evaluated until nothing changes any more.

use modeshift_dae::{ExpressionId, IndexVec, Mode, RelationId, VariableId, WhenAction, WhenActionKind};
use modeshift_diagnostics::Span;

use crate::run::instant::Instant;
use crate::run::instant::event_iteration::NoOutcome;
use crate::run::prepare::discrete_part::DiscretePart;
use crate::run::prepare::relations::Moment;
use crate::run::values::{Occasion, Side, input_between};

/// Rounds of evaluating discrete equations before they count as undecided.
const MOST_DISCRETE_ROUNDS: usize = 100;

/// A micro-step under way.
pub(crate) struct MicroStep<'s, 'a> {
    pub left: &'s Side<'a>,
    pub occasion: Occasion,
    pub sampled: &'s [ExpressionId],
    /// Atoms that crossed zero: in the mode being left they cannot keep their truth.
    pub crossed: &'s [RelationId],
    /// Atoms of left limits are decided by their series too: after a transient instant.
    pub all_by_series: bool,
    /// The jet of the left side is incomplete: a restart is needed in any case.
    pub must_restart: bool,
}

impl MicroStep<'_, '_> {
    /// Whether the right side decides atoms of this kind; the others have their truths before.
    pub fn decides(&self, moment: Moment) -> bool {
        moment == Moment::Now || moment == Moment::Before && self.all_by_series
    }
}

/// The discrete part after settling.
#[derive(Default)]
pub(crate) struct Settled {
    pub discrete: IndexVec<VariableId, f64>,
    pub mode: Mode,
    pub laws: Vec<WhenAction>,
    /// Whether laws of a `when` act, or one says that there should be some.
    pub is_transient: bool,
    pub whens: Vec<Span>,
    pub terminated: Option<ExpressionId>,
}

impl<'a> Instant<'_, 'a> {
    /// Evaluates the discrete part until it does not change any more.
    pub fn settle(
        &mut self,
        step: &MicroStep<'_, 'a>,
        discrete: IndexVec<VariableId, f64>,
    ) -> Result<Settled, NoOutcome> {
        let mut right = Side { discrete, ..step.left.clone() };
        let mut changed = Vec::new();
        for _ in 0..MOST_DISCRETE_ROUNDS {
            changed.clear();
            if self.prepared.update_time(right.time, &mut right.discrete) {
                changed.push(VariableId(0));
            }
            let DiscretePart { tapes, defined, .. } = &self.prepared.discrete;
            let values = self.memory.buffers.decisions.evaluate(&tapes.decisions, |input| {
                input_between(&self.prepared.dae.model, input, (step.left, &right), step.occasion, step.sampled)
            });
            for &(id, place) in defined {
                let place = &values[place];
                if right.discrete[id].to_bits() != place.to_bits() {
                    right.discrete[id] = *place;
                    changed.push(id);
                }
            }
            let acted = self.act(&mut right.discrete, &mut changed)?;
            if changed.is_empty() {
                let mode = self.prepared.discrete.modes(self.memory.buffers.decisions.values()).collect();
                return Ok(Settled { discrete: right.discrete, mode, ..acted });
            }
        }
        changed.retain(|id| id.0 != 0);
        Err(NoOutcome::Unsettled(changed))
    }

    /// What the `when` clauses that fire do: assignments now, laws for the restart. The mode is not settled yet.
    fn act(
        &self,
        discrete: &mut IndexVec<VariableId, f64>,
        changed: &mut Vec<VariableId>,
    ) -> Result<Settled, NoOutcome> {
        let values = self.memory.buffers.decisions.values();
        let mut settled = Settled::default();
        for clause in self.prepared.discrete.clauses.iter().filter(|clause| values[clause.guard] != 0.0) {
            let fires = |place: usize| values[place] != 0.0 && !self.memory.conditions[place];
            let Some(branch) = clause.branches.iter().find(|branch| branch.conditions.clone().any(fires)) else {
                continue;
            };
            settled.whens.push(branch.span);
            settled.is_transient |= branch.declares_transient;
            for (action, _, value) in branch.actions.iter().filter(|action| values[action.1] != 0.0) {
                match (&action.kind, value) {
                    (WhenActionKind::Assign(id, _), Some(place))
                        if discrete[*id].to_bits() != values[*place].to_bits() =>
                    {
                        discrete[*id] = values[*place];
                        changed.push(*id);
                    }
                    (WhenActionKind::Assert(assertion), Some(place)) if values[*place] == 0.0 && assertion.is_error => {
                        return Err(NoOutcome::Assertion(assertion.message, assertion.span));
                    }
                    (WhenActionKind::Law(..) | WhenActionKind::Reinit(..), _) => {
                        settled.laws.push(action.clone());
                        settled.is_transient = true;
                    }
                    (WhenActionKind::Terminate(message), _) => settled.terminated = Some(*message),
                    _ => {}
                }
            }
        }
        Ok(settled)
    }

    /// Whether the modes that were settled last may be.
    pub fn check_invariants(&self, settled: &Settled) -> Result<(), NoOutcome> {
        let values = self.memory.buffers.decisions.values();
        let mut invariants = self.prepared.discrete.invariants.iter();
        match invariants.position(|it| values[it.guard] != 0.0 && values[it.condition] == 0.0) {
            Some(number) => Err(NoOutcome::Invariant(number, settled.mode.clone())),
            None => Ok(()),
        }
    }
}
