//! One place says what a discrete variable becomes.

use modeshift_dae::{ExpressionId, Expressions, Variable, VariableId, WhenActionKind};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::flattener::Flattener;

impl Flattener<'_> {
    /// One `when`, or one algorithm section, says what a discrete variable is (Modelica 3.6, 8.3.5.2); the branches of
    /// one `when` exclude each other, and so do clauses and actions under the branches of one `if`.
    pub(crate) fn check_assigned_once(&mut self) {
        let mut first: FxHashMap<VariableId, Vec<OfClause>> = FxHashMap::default();
        let mut found: Vec<(VariableId, Span, Span)> = Vec::new();
        let clauses = self.model.when_clauses.iter().zip(&self.connections.checked.sections);
        for (number, (clause, &section)) in clauses.enumerate() {
            for (branch, of) in clause.branches.iter().enumerate() {
                for action in &of.actions {
                    let WhenActionKind::Assign(variable, _) = action.kind else { continue };
                    let span = action.span;
                    let here = Assignment { branch, guard: action.guard, span };
                    let known = first.entry(variable).or_default();
                    if known.last().is_none_or(|it| it.number != number) {
                        let (span, guard) = (clause.span, clause.guard);
                        known.push(OfClause { number, section, span, guard, assignments: Vec::new() });
                    }
                    let Some((own, others)) = known.split_last_mut() else { continue };
                    let expressions = &self.model.expressions;
                    let elsewhere = others.iter().find_map(|other| other.meets(own, &here, expressions));
                    if let Some(other) = elsewhere.or_else(|| own.meets_itself(&here, expressions)) {
                        found.push((variable, other.span, span));
                    }
                    own.assignments.push(here);
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

/// The assignments to a discrete variable in one `when`.
struct OfClause {
    /// Its place among the clauses of the model: loops make several of one that is written.
    number: usize,
    section: Span,
    span: Span,
    guard: ExpressionId,
    /// In the order of its branches.
    assignments: Vec<Assignment>,
}

/// An assignment to a discrete variable in a `when`.
struct Assignment {
    branch: usize,
    guard: ExpressionId,
    span: Span,
}

impl OfClause {
    /// What may be active with an assignment of a later clause in one instant, so that neither says what the variable is.
    fn meets(&self, later: &OfClause, here: &Assignment, expressions: &Expressions) -> Option<&Assignment> {
        let is_one_algorithm = self.section == later.section && self.section != later.span;
        if is_one_algorithm || exclude(expressions, self.guard, later.guard) {
            return None;
        }
        self.assignments.iter().find(|other| !exclude(expressions, other.guard, here.guard))
    }

    /// The same within the clause, whose branches exclude each other.
    fn meets_itself(&self, here: &Assignment, expressions: &Expressions) -> Option<&Assignment> {
        if self.section != self.span {
            return None;
        }
        let same_branch = self.assignments.iter().rev().take_while(|other| other.branch == here.branch);
        same_branch.filter(|other| !exclude(expressions, other.guard, here.guard)).last()
    }
}

/// Whether two guards that are not always true are those of different branches.
fn exclude(expressions: &Expressions, a: ExpressionId, b: ExpressionId) -> bool {
    a != b && expressions.literal_boolean(a) != Some(true) && expressions.literal_boolean(b) != Some(true)
}
