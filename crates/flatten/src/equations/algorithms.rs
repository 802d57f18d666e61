//! Algorithm sections of models, as far as they are equations in disguise: assignments, loops over known ranges
//! and branches are executed on terms, and every assigned variable equals what it ends up with.

use modeshift_dae::{Assertion, Builtin, Type, WhenAction, WhenActionKind, WhenBranch, WhenClause};
use modeshift_diagnostics::{Code, Span};
use modeshift_syntax::ast::{
    AlgorithmSection, Expression, ExpressionKind, Reference, ReferencePart, Statement, StatementKind,
};

use crate::equations::guarded::{Place, Sides};
use crate::equations::names;
use crate::expressions::context::{Context, Purpose};
use crate::expressions::statements::Flow;
use crate::expressions::term::Term;
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;
use crate::instances::modification::Scope;

/// What an assigned variable is before its first assignment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Not to be used.
    Unknown,
    /// Its left limit, in a `when`.
    LeftLimit,
}

/// What a sequence of statements amounts to.
struct Effect {
    /// Index text and sides of `variable = value`.
    assignments: Vec<(String, Sides, Span)>,
    assertions: Vec<Assertion>,
}

impl Flattener<'_> {
    /// Adds what an algorithm section means.
    pub(crate) fn add_algorithm(&mut self, section: &AlgorithmSection, place: &Place, scope: Scope) -> Outcome<()> {
        let (whens, plain): (Vec<Statement>, Vec<Statement>) =
            section.statements.iter().cloned().partition(|it| matches!(it.kind, StatementKind::When(_)));
        if !plain.is_empty() {
            self.add_plain_statements(&plain, section.span, place, scope)?;
        }
        for statement in whens {
            if place.initial {
                return wrong(Code::E0403, "`when` cannot stand in an initial section", statement.span);
            }
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
        let effect = self.effect(statements, span, scope, Before::Unknown)?;
        for (at, (index, sides, span)) in effect.assignments.into_iter().enumerate() {
            let name = names::unlabelled(&place.prefix, (!index.is_empty()).then_some(at));
            self.push_equation(name, sides, span, place);
        }
        for mut assertion in effect.assertions {
            assertion.guard = self.model.expressions.and(place.guard, assertion.guard);
            if place.initial {
                let initial = self.model.expressions.call(Builtin::Initial, &[]);
                assertion.guard = self.model.expressions.and(assertion.guard, initial);
            }
            self.model.assertions.push(assertion);
        }
        Ok(())
    }

    /// Executes statements on terms.
    fn effect(&mut self, statements: &[Statement], span: Span, scope: Scope, before: Before) -> Outcome<Effect> {
        let mut targets = Vec::new();
        statements.iter().try_for_each(|statement| assigned(statement, &mut targets))?;
        let mut context = Context::new(scope, Purpose::Symbolic);
        let mut lefts = Vec::new();
        for target in &targets {
            let whole = self.reference(&whole_reference(target), &mut Context::new(scope, Purpose::Symbolic))?;
            let start = self.before_assignment(&whole, before, span)?;
            context.locals.push((target.parts[0].name.name.clone(), start));
            lefts.push(whole);
        }
        match self.execute(statements, &mut context) {
            Ok(Flow::Next) => {}
            Ok(_) => return wrong(Code::E0403, "`break` stands outside of any loop", span),
            Err(Failure::Dynamic(_)) => return self.run_time_effect(statements, &targets, &lefts, scope, before, span),
            Err(failure) => return Err(failure),
        }
        let mut assignments = Vec::new();
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
            assignments.extend(sides.into_iter().map(|(index, sides)| (index, sides, target.span)));
        }
        Ok(Effect { assignments, assertions: std::mem::take(&mut self.execution.assertions) })
    }

    /// The same where branches or loops are decided at run time: the statements are a function of what they read.
    fn run_time_effect(
        &mut self,
        statements: &[Statement],
        targets: &[Reference],
        lefts: &[Term],
        scope: Scope,
        before: Before,
        span: Span,
    ) -> Outcome<Effect> {
        self.execution.assertions.clear();
        let mut first = Vec::new();
        for (target, left) in targets.iter().zip(lefts) {
            // What changes at events only keeps its value until it is assigned (Modelica 3.6, 11.1.2).
            let is_kept = left.scalar_type().is_some_and(|ty| ty != Type::Real);
            let before = if is_kept { Before::LeftLimit } else { before };
            first.push((target.parts[0].name.name.clone(), self.before_assignment(left, before, span)?));
        }
        let rights = self.lowered_algorithm(statements, &first, scope, span)?;
        if before == Before::Unknown && self.reads_reals(&rights) {
            return unsupported("an algorithm whose branches or loops are decided by Reals at run time", span);
        }
        let mut assignments = Vec::new();
        for ((target, left), right) in targets.iter().zip(lefts).zip(&rights) {
            let mut sides = Vec::new();
            self.pair(left, right, String::new(), (target.span, target.span), &mut sides)?;
            assignments.extend(sides.into_iter().map(|(index, sides)| (index, sides, target.span)));
        }
        Ok(Effect { assignments, assertions: Vec::new() })
    }

    /// Whether a call has arguments that change between events: its relations would make no events.
    fn reads_reals(&self, calls: &[Term]) -> bool {
        let mut scalars = Vec::new();
        calls.iter().for_each(|call| call.scalars(&mut scalars));
        let expressions = &self.model.expressions;
        scalars.iter().any(|&(_, id)| {
            let mut found = false;
            expressions.for_each(id, |id, _| {
                found |= self.is_real(id);
                true
            });
            found
        })
    }

    fn before_assignment(&mut self, whole: &Term, before: Before, span: Span) -> Outcome<Term> {
        let unknown = self.unknown_scalar();
        whole.map(|item| match (*item).clone() {
            Term::Scalar(ty, _) if before == Before::Unknown => Ok(Term::Scalar(ty, unknown)),
            Term::Scalar(ty, id) => Ok(Term::Scalar(ty, self.model.expressions.pre(id))),
            _ => unsupported("an algorithm that assigns records", span),
        })
    }

    /// `when` in an algorithm: every variable is assigned once, with what it ends up with.
    fn add_when_statement(
        &mut self,
        branches: &[(Expression, Vec<Statement>)],
        span: Span,
        place: &Place,
        scope: Scope,
    ) -> Outcome<()> {
        let mut clause = WhenClause { guard: place.guard, branches: Vec::new(), span };
        let mut context = Context::new(scope, Purpose::Symbolic);
        let truth = self.model.expressions.boolean(true);
        for (condition, body) in branches {
            let conditions = self.when_conditions(condition, &mut context)?;
            let mut actions = Vec::new();
            let (calls, body): (Vec<Statement>, Vec<Statement>) = body.iter().cloned().partition(is_event_call);
            let effect = self.effect(&body, condition.span, scope, Before::LeftLimit)?;
            for (_, sides, span) in effect.assignments {
                let kind = WhenActionKind::Law(sides.left, sides.right);
                actions.push(WhenAction { guard: truth, kind, span });
            }
            for assertion in effect.assertions {
                let (guard, span) = (assertion.guard, assertion.span);
                actions.push(WhenAction { guard, kind: WhenActionKind::Assert(assertion), span });
            }
            for statement in calls {
                if let StatementKind::Call(call) = &statement.kind {
                    let kind = self.call_action(call, &mut context)?;
                    actions.extend(kind.map(|kind| WhenAction { guard: truth, kind, span: statement.span }));
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
        StatementKind::Call(_) => Ok(()),
        StatementKind::Break => Ok(()),
        StatementKind::Return => wrong(Code::E0403, "only a function can be left by `return`", statement.span),
    }
}

/// `reinit(…)` and `terminate(…)`
fn is_event_call(statement: &Statement) -> bool {
    let StatementKind::Call(Expression { kind: ExpressionKind::Call { function, .. }, .. }) = &statement.kind else {
        return false;
    };
    matches!(&*function.parts[0].name.name, "reinit" | "terminate")
}

/// The variable without subscripts.
fn whole_reference(target: &Reference) -> Reference {
    let name = target.parts[0].name.clone();
    Reference { global: false, parts: vec![ReferencePart { name, subscripts: Vec::new() }], span: target.span }
}
