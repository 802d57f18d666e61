//! One place says what a discrete variable becomes.

use modeshift_dae::{ExpressionId, Expressions, Variable, VariableId, WhenActionKind};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::flattener::Flattener;

impl Flattener<'_> {
    /// One `when`, or one algorithm section, says what a discrete variable is (Modelica 3.6, 8.3.5.2); the branches of
    /// one `when` exclude each other, and so do clauses and actions under the branches of one `if`.
    pub(crate) fn check_assigned_once(&mut self) {
        let mut first: FxHashMap<VariableId, Vec<Assignment>> = FxHashMap::default();
        let mut found: Vec<(VariableId, Span, Span)> = Vec::new();
        for (clause, &section) in self.model.when_clauses.iter().zip(&self.connections.checked.sections) {
            for (branch, of) in clause.branches.iter().enumerate() {
                for action in &of.actions {
                    let WhenActionKind::Assign(variable, _) = action.kind else { continue };
                    let span = action.span;
                    let here =
                        Assignment { section, clause: clause.span, branch, guards: [clause.guard, action.guard], span };
                    let known = first.entry(variable).or_default();
                    if let Some(other) = known.iter().find(|other| other.meets(&here, &self.model.expressions)) {
                        found.push((variable, other.span, span));
                    }
                    known.push(here);
                }
            }
        }
        found.dedup_by_key(|&mut (variable, ..)| variable);
        for (variable, first, second) in found {
            let Variable { name, span, .. } = &self.model.variables[variable];
            let message = format!("`{name}` is assigned in two places of `when` that may both be active");
            let diagnostic = Diagnostic::error(Code::E0411, message).label(second, "assigned here again");
            let diagnostic = diagnostic.label(first, "first assigned here").label(*span, "declared here");
            self.say(diagnostic.help(
                "put both into one `when` with `elsewhen`, or into one algorithm section, where the order decides",
            ));
        }
    }
}

/// An assignment to a discrete variable in a `when`.
struct Assignment {
    section: Span,
    clause: Span,
    branch: usize,
    /// Of the clause and of the action.
    guards: [ExpressionId; 2],
    span: Span,
}

impl Assignment {
    /// Whether both may be active in one instant, so that neither says what the variable is.
    fn meets(&self, other: &Assignment, expressions: &Expressions) -> bool {
        let is_one_algorithm = self.section == other.section && self.section != self.clause;
        let is_elsewhen = self.clause == other.clause && self.branch != other.branch;
        let exclude = |a: ExpressionId, b: ExpressionId| {
            a != b && expressions.literal_boolean(a) != Some(true) && expressions.literal_boolean(b) != Some(true)
        };
        let is_excluded = self.guards.iter().zip(&other.guards).any(|(&a, &b)| exclude(a, b));
        !is_one_algorithm && !is_elsewhen && !is_excluded
    }
}
