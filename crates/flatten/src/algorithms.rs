//! Algorithm sections of models, as far as they are equations in disguise: assignments, loops over known ranges
//! and branches are executed on terms, and every assigned variable equals what it ends up with.

use modeshift_dae::{WhenAction, WhenActionKind, WhenBranch, WhenClause};
use modeshift_diagnostics::Span;
use modeshift_syntax::ast::{
    AlgorithmSection, Expression, ExpressionKind, Reference, ReferencePart, Statement, StatementKind,
};

use crate::context::{Context, Mode};
use crate::equations::Place;
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;
use crate::modification::Scope;
use crate::names;
use crate::statements::Flow;

impl Flattener<'_> {
    /// Adds what an algorithm section means.
    pub(crate) fn add_algorithm(&mut self, section: &AlgorithmSection, place: &Place, scope: Scope) -> Outcome<()> {
        let is_when = |statement: &&Statement| matches!(statement.kind, StatementKind::When(_));
        let plain: Vec<Statement> =
            section.statements.iter().filter(|statement| !is_when(statement)).cloned().collect();
        self.add_plain_statements(&plain, section.span, place, scope)?;
        for statement in section.statements.iter().filter(is_when) {
            if let StatementKind::When(branches) = &statement.kind {
                self.add_when_statement(branches, statement.span, place, scope)?;
            }
        }
        Ok(())
    }

    fn add_plain_statements(
        &mut self,
        statements: &[Statement],
        span: Span,
        place: &Place,
        scope: Scope,
    ) -> Outcome<()> {
        if statements.is_empty() {
            return Ok(());
        }
        let (assertions, statements): (Vec<_>, Vec<_>) = statements.iter().cloned().partition(is_call);
        let mut targets = Vec::new();
        statements.iter().try_for_each(|statement| assigned(statement, &mut targets))?;
        let mut context = Context::new(scope, Mode::Symbolic);
        let mut lefts = Vec::new();
        for target in &targets {
            let whole = self.reference(&whole_reference(target), &mut Context::new(scope, Mode::Symbolic))?;
            let unknown = self.unknown_scalar();
            let start = whole.map(|item| match item {
                crate::term::Term::Scalar(ty, _) => Ok(crate::term::Term::Scalar(*ty, unknown)),
                _ => unsupported("an algorithm that assigns records", span),
            })?;
            context.locals.push((target.parts[0].name.name.clone(), start));
            lefts.push(whole);
        }
        match self.execute(&statements, &mut context) {
            Ok(Flow::Next) => {}
            Ok(_) => return unsupported("`break` or `return` in an algorithm of a model", span),
            Err(Failure::Dynamic(diagnostic)) => {
                let what = format!("an algorithm that is no sequence of assignments ({})", diagnostic.message);
                return unsupported(what, span);
            }
            Err(failure) => return Err(failure),
        }
        for (target, left) in targets.iter().zip(lefts) {
            let name = &target.parts[0].name.name;
            let right = context.local(name).cloned().ok_or(Failure::Reported)?;
            if self.has_unknown(&right) {
                let what =
                    format!("an algorithm that uses `{name}` before it is assigned, or does not always assign it");
                return unsupported(what, span);
            }
            let mut sides = Vec::new();
            self.pair(&left, &right, String::new(), (target.span, target.span), &mut sides)?;
            for (at, (index, sides)) in sides.into_iter().enumerate() {
                let name = names::unlabelled(&place.prefix, (!index.is_empty()).then_some(at));
                self.push_equation(name, sides, target.span, place);
            }
        }
        for statement in assertions {
            if let StatementKind::Call(call) = &statement.kind {
                self.add_call(call, place, &mut Context::new(scope, Mode::Symbolic))?;
            }
        }
        Ok(())
    }

    /// `when` in an algorithm: each assignment is an action.
    fn add_when_statement(
        &mut self,
        branches: &[(Expression, Vec<Statement>)],
        span: Span,
        place: &Place,
        scope: Scope,
    ) -> Outcome<()> {
        let mut clause = WhenClause { guard: place.guard, branches: Vec::new(), span };
        let mut context = Context::new(scope, Mode::Symbolic);
        for (condition, body) in branches {
            let conditions = self.when_conditions(condition, &mut context)?;
            let truth = self.model.expressions.boolean(true);
            let mut actions = Vec::new();
            let mut assigned: Vec<String> = Vec::new();
            for statement in body {
                match &statement.kind {
                    StatementKind::Assign(left, right) => {
                        if let ExpressionKind::Reference(reference) = &left.kind {
                            let name = crate::lookup::reference_text(reference);
                            if assigned.contains(&name) {
                                return unsupported(format!("`{name}` assigned twice in one `when`"), statement.span);
                            }
                            assigned.push(name);
                        }
                        for (_, sides) in self.sides(left, right, &mut context)? {
                            let kind = WhenActionKind::Law(sides.left, sides.right);
                            actions.push(WhenAction { guard: truth, kind, span: statement.span });
                        }
                    }
                    StatementKind::Call(call) => {
                        let kind = self.call_action(call, &mut context)?;
                        actions.push(WhenAction { guard: truth, kind, span: statement.span });
                    }
                    _ => return unsupported("anything but assignments in a `when` of an algorithm", statement.span),
                }
            }
            clause.branches.push(WhenBranch { conditions, actions, span: condition.span });
        }
        self.model.when_clauses.push(clause);
        Ok(())
    }
}

/// The variables that a statement assigns, each once, in order.
fn assigned(statement: &Statement, out: &mut Vec<Reference>) -> Outcome<()> {
    let mut add = |target: &Expression| match &target.kind {
        ExpressionKind::Reference(reference) if reference.parts.len() == 1 => {
            if !out.iter().any(|known| known.parts[0].name.name == reference.parts[0].name.name) {
                out.push(reference.clone());
            }
            Ok(())
        }
        _ => unsupported("an assignment to an element of a component", target.span),
    };
    match &statement.kind {
        StatementKind::Assign(target, _) => add(target),
        StatementKind::MultiAssign(targets, _) => targets.iter().flatten().try_for_each(add),
        StatementKind::If { branches, otherwise } => {
            let bodies = branches.iter().map(|(_, body)| body).chain([otherwise]);
            bodies.flatten().try_for_each(|statement| assigned(statement, out))
        }
        StatementKind::For { body, .. } | StatementKind::While(_, body) => {
            body.iter().try_for_each(|statement| assigned(statement, out))
        }
        StatementKind::When(_) => unsupported("`when` inside another statement", statement.span),
        StatementKind::Call(_) => unsupported("a call as a statement", statement.span),
        StatementKind::Break | StatementKind::Return => wrong("E0403", "nothing to leave here", statement.span),
    }
}

fn is_call(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Call(_))
}

/// The variable without subscripts.
fn whole_reference(target: &Reference) -> Reference {
    let name = target.parts[0].name.clone();
    Reference { global: false, parts: vec![ReferencePart { name, subscripts: Vec::new() }], span: target.span }
}
