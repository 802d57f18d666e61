//! Events of the source: what a `when` does beside `reinit`.
//!
//! Assignments, assertions and `terminate` are kept as they are. What says how a mode is passed in an instant, a restart
//! law or an empty `when`, has no counterpart in ordinary tools.

use modeshift_dae::{VariableId, WhenAction, WhenActionKind};
use modeshift_diagnostics::{Code, Diagnostic};
use rustc_hash::FxHashMap;

use super::reinitialisations::Restarts;
use crate::target::{Action, Branch, Item};

impl Restarts<'_, '_> {
    /// Every `when` of the source without its `reinit`s, those aside that have nothing else.
    pub(crate) fn events(&mut self) -> Result<Vec<Item>, Box<Diagnostic>> {
        let mut items = Vec::new();
        for clause in 0..self.dae.model.when_clauses.len() {
            let branches = self.branches(clause)?;
            if branches.iter().any(|branch| !branch.actions.is_empty()) {
                items.push(Item::When(branches));
            }
        }
        Ok(items)
    }

    fn branches(&mut self, number: usize) -> Result<Vec<Branch>, Box<Diagnostic>> {
        let clause = &self.dae.model.when_clauses[number];
        let mut branches = Vec::new();
        for (at, branch) in clause.branches.iter().enumerate() {
            let message = "an empty `when` makes its mode last no time, which cannot be written for an ordinary tool";
            if branch.actions.is_empty() {
                return Err(self.refused(message, number, at).label(branch.span, "").into());
            }
            let message = "a restart law in a `when` cannot be written for an ordinary tool";
            let is_law = |action: &&WhenAction| matches!(action.kind, WhenActionKind::Law(..));
            if let Some(law) = branch.actions.iter().find(is_law) {
                let help = "write `reinit(v, …)` with the value after the change, if the other equations leave it free";
                return Err(self.refused(message, number, at).label(law.span, "").help(help).into());
            }
            let conditions = self.guarded(&branch.conditions, &[clause.guard]);
            branches.push(Branch { conditions, actions: self.actions(&branch.actions) });
        }
        Ok(branches)
    }

    /// The actions of a branch in terms of the target, without those that are written elsewhere. A variable that some
    /// cases of an `if` assign is assigned once, by an if-expression.
    fn actions(&mut self, actions: &[WhenAction]) -> Vec<Action> {
        let mut written: Vec<Action> = Vec::with_capacity(actions.len());
        let mut places: FxHashMap<VariableId, usize> = FxHashMap::default();
        for action in actions.iter().rev() {
            let WhenActionKind::Assign(variable, value) = action.kind else {
                written.extend(self.action(action));
                continue;
            };
            let place = *places.entry(variable).or_insert(written.len());
            let otherwise = match written.get(place) {
                Some(Action::Assign(_, otherwise)) => *otherwise,
                _ => {
                    let kept = self.draft.value(variable);
                    self.draft.expressions().pre(kept)
                }
            };
            let (guard, value) = (self.draft.written(action.guard), self.draft.written(value));
            let value = self.draft.expressions().if_then_else(guard, value, otherwise);
            match written.get_mut(place) {
                Some(known) => *known = Action::Assign(variable, value),
                None => written.push(Action::Assign(variable, value)),
            }
        }
        written.reverse();
        written
    }

    /// An action that assigns nothing, in terms of the target; nothing of those that are written elsewhere.
    fn action(&mut self, action: &WhenAction) -> Option<Action> {
        let guard = self.draft.written(action.guard);
        match &action.kind {
            WhenActionKind::Reinit(..) | WhenActionKind::Law(..) | WhenActionKind::Assign(..) => None,
            WhenActionKind::Assert(assertion) => {
                let outside = self.draft.expressions().not(guard);
                let asserted = self.draft.written(assertion.condition);
                let condition = self.draft.expressions().or(outside, asserted);
                Some(Action::Assert { condition, message: assertion.message, is_error: assertion.is_error })
            }
            WhenActionKind::Terminate(message) => Some(Action::Terminate { condition: guard, message: *message }),
        }
    }

    /// A branch of a `when` that cannot be written, with the mode changes in which it fires.
    fn refused(&self, message: &str, clause: usize, branch: usize) -> Diagnostic {
        let diagnostic = Diagnostic::error(Code::E0909, message);
        let firing = self.changes.firings.iter().find(|firing| (firing.clause, firing.branch) == (clause, branch));
        match firing {
            Some(firing) if !firing.pairs.is_empty() => diagnostic.when(self.printer.print(firing.pairs).text),
            _ => diagnostic,
        }
    }
}
