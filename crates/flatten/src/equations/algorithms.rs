//! Algorithm sections of models, as far as they are equations in disguise: assignments, loops over known ranges
//! and branches are executed on terms, and every assigned variable equals what it ends up with. A `when` among them takes
//! its place in the order: it reads what the statements before it assigned, and `pre(v)` is the left limit of the
//! variable whatever was assigned so far.

use std::sync::Arc;

use modeshift_dae::{
    Builtin, ExpressionId, Node, Type, Variability, Variable, WhenAction, WhenActionKind, WhenBranch, WhenClause,
};
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

/// A variable that a section assigns.
struct Target {
    name: Arc<str>,
    span: Span,
    /// The variable itself.
    whole: Term,
    /// The last of the section's statements outside of `when` that assigns it.
    last_plain: Option<usize>,
    /// How many of the section's `when` statements assign it.
    whens: usize,
    /// What it ends up with, once nothing assigns it any more.
    end: Option<Term>,
}

impl Target {
    /// Whether one `when` alone assigns it: the assignment is then an action of that `when`.
    fn is_of_one_when(&self) -> bool {
        self.whens == 1 && self.last_plain.is_none()
    }
}

/// A section while its statements are executed one after the other.
struct Section {
    span: Span,
    context: Context,
    targets: Vec<Target>,
    /// When a branch of a `when` is active that assigns what others assign too, with the names that it assigns.
    flags: Vec<(Vec<ExpressionId>, Vec<Arc<str>>)>,
}

impl Section {
    fn value(&self, name: &str) -> Option<&Term> {
        self.context.local(name)
    }

    fn is_of_one_when(&self, name: &str) -> bool {
        self.targets.iter().any(|target| &*target.name == name && target.is_of_one_when())
    }

    fn set(&mut self, name: &str, value: Term) {
        if let Some(local) = self.context.locals.iter_mut().rev().find(|(local, _)| &**local == name) {
            local.1 = value;
        }
    }

    /// What nothing assigns any more is read as the variable that it is.
    fn end(&mut self, is_last: impl Fn(&Target) -> bool) {
        let ended: Vec<usize> = (0..self.targets.len())
            .filter(|&at| self.targets[at].end.is_none() && is_last(&self.targets[at]))
            .collect();
        for at in ended {
            let (name, whole) = (self.targets[at].name.clone(), self.targets[at].whole.clone());
            self.targets[at].end = self.value(&name).cloned();
            self.set(&name, whole);
        }
    }
}

impl Flattener<'_> {
    /// Adds what an algorithm section means: its statements are executed on terms in their order, a `when` as the
    /// `if` that it is in the instant where its condition becomes true.
    pub(crate) fn add_algorithm(&mut self, section: &AlgorithmSection, place: &Place, scope: Scope) -> Outcome<()> {
        let statements = &section.statements;
        let targets = self.targets(section, scope)?;
        let mut context = Context::new(scope, Purpose::Symbolic);
        for target in &targets {
            let start = self.before_assignment(target, place, section.span)?;
            context.locals.push((target.name.clone(), start));
            context.assigned.push((target.name.clone(), target.whole.clone()));
        }
        let mut run = Section { span: section.span, context, targets, flags: Vec::new() };
        let mut at = 0;
        while at < statements.len() {
            if let StatementKind::When(branches) = &statements[at].kind {
                if place.initial {
                    return wrong(Code::E0403, "`when` cannot stand in an initial section", statements[at].span);
                }
                self.add_when_statement(branches, statements[at].span, place, &mut run)?;
                at += 1;
                continue;
            }
            let is_when = |it: &Statement| matches!(it.kind, StatementKind::When(_));
            let next = statements[at..].iter().position(is_when).map_or(statements.len(), |count| at + count);
            self.execute_on(&statements[at..next], &mut run, false, section.span)?;
            self.add_assertions(place);
            at = next;
            run.end(|target| target.whens == 0 && target.last_plain.is_some_and(|last| last < next));
        }
        run.end(|_| true);
        self.add_ends(run, place)
    }

    fn targets(&mut self, section: &AlgorithmSection, scope: Scope) -> Outcome<Vec<Target>> {
        let mut targets: Vec<Target> = Vec::new();
        for (at, statement) in section.statements.iter().enumerate() {
            let mut found = Vec::new();
            let is_when = match &statement.kind {
                StatementKind::When(branches) => {
                    branches.iter().flat_map(|(_, body)| body).try_for_each(|it| assigned(it, &mut found))?;
                    true
                }
                _ => {
                    assigned(statement, &mut found)?;
                    false
                }
            };
            for reference in found {
                let name = &reference.parts[0].name.name;
                let known = targets.iter().position(|target| target.name == *name);
                let at_target = match known {
                    Some(known) => known,
                    None => {
                        let mut context = Context::new(scope, Purpose::Symbolic);
                        let whole = self.reference(&whole_reference(&reference), &mut context)?;
                        let (name, span) = (name.clone(), reference.span);
                        targets.push(Target { name, span, whole, last_plain: None, whens: 0, end: None });
                        targets.len() - 1
                    }
                };
                match is_when {
                    true => targets[at_target].whens += 1,
                    false => targets[at_target].last_plain = Some(at),
                }
            }
        }
        Ok(targets)
    }

    /// What a variable is before its first assignment: what changes at events only keeps its value until then
    /// (Modelica 3.6, 11.1.2), anything else is not to be used.
    fn before_assignment(&mut self, target: &Target, place: &Place, span: Span) -> Outcome<Term> {
        let unknown = self.unknown_scalar();
        let is_kept = !place.initial && target.whens > 0;
        target.whole.map(|item| match (*item).clone() {
            Term::Scalar(ty, id) if is_kept || !place.initial && ty != Type::Real => {
                Ok(Term::Scalar(ty, self.model.expressions.pre(id)))
            }
            Term::Scalar(ty, _) => Ok(Term::Scalar(ty, unknown)),
            _ => unsupported("an algorithm that assigns records", span),
        })
    }

    /// Adds the assertions of what was translated, which holds at a place.
    pub(crate) fn add_assertions(&mut self, place: &Place) {
        for mut assertion in std::mem::take(&mut self.execution.assertions) {
            assertion.guard = self.model.expressions.and(place.guard, assertion.guard);
            if place.initial {
                let initial = self.model.expressions.call(Builtin::Initial, &[]);
                assertion.guard = self.model.expressions.and(assertion.guard, initial);
            }
            self.model.assertions.push(assertion);
        }
    }

    /// Executes statements on terms; where branches or loops are decided at run time they are a function of what they
    /// read.
    fn execute_on(&mut self, statements: &[Statement], run: &mut Section, in_when: bool, span: Span) -> Outcome<()> {
        let before = run.context.clone();
        match self.execute(statements, &mut run.context) {
            Ok(Flow::Next) => return Ok(()),
            Ok(_) => return wrong(Code::E0403, "`break` stands outside of any loop", span),
            Err(Failure::Dynamic(_)) => {}
            Err(failure) => return Err(failure),
        }
        run.context = before;
        self.execution.assertions.clear();
        let mut here = Vec::new();
        statements.iter().try_for_each(|statement| assigned(statement, &mut here))?;
        let is_here = |name: &str| here.iter().any(|it| &*it.parts[0].name.name == name);
        let is_itself = |target: &Target| target.end.is_some() && !is_here(&target.name);
        let first: Vec<(Arc<str>, Term)> = run
            .targets
            .iter()
            .filter(|target| !is_itself(target))
            .filter_map(|target| Some((target.name.clone(), run.value(&target.name)?.clone())))
            .collect();
        let ends = self.lowered_algorithm(statements, &first, &run.context, span)?;
        let assigned_here: Vec<(Arc<str>, Term)> = first
            .iter()
            .zip(ends)
            .filter(|((name, _), _)| is_here(name))
            .map(|((name, _), end)| (name.clone(), end))
            .collect();
        let calls: Vec<Term> = assigned_here.iter().map(|(_, end)| end.clone()).collect();
        if !in_when && self.reads_reals(&calls) {
            return unsupported("an algorithm whose branches or loops are decided by Reals at run time", span);
        }
        for (name, end) in assigned_here {
            run.set(&name, end);
        }
        Ok(())
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

    /// `when` in an algorithm. What it alone assigns is an action of a `when` of its own; what other statements assign
    /// too goes on as `if` of a Boolean that changes where the branch is active.
    fn add_when_statement(
        &mut self,
        branches: &[(Expression, Vec<Statement>)],
        span: Span,
        place: &Place,
        run: &mut Section,
    ) -> Outcome<()> {
        let mut clause = WhenClause { guard: place.guard, branches: Vec::new(), span };
        let truth = self.model.expressions.boolean(true);
        let before = run.context.clone();
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut ends = Vec::new();
        for (condition, body) in branches {
            run.context = before.clone();
            let conditions = self.when_conditions(condition, &mut run.context)?;
            let mut actions = Vec::new();
            let mut rest = &body[..];
            while let Some(statement) = rest.first() {
                if let (true, StatementKind::Call(call)) = (is_event_call(statement), &statement.kind) {
                    let kind = self.call_action(call, &mut run.context)?;
                    actions.extend(kind.map(|kind| WhenAction { guard: truth, kind, span: statement.span }));
                    rest = &rest[1..];
                    continue;
                }
                let (now, later) = rest.split_at(rest.iter().position(is_event_call).unwrap_or(rest.len()));
                self.execute_on(now, run, true, condition.span)?;
                self.add_asserting_actions(truth, &mut actions);
                rest = later;
            }
            let mut here = Vec::new();
            body.iter().try_for_each(|statement| assigned(statement, &mut here))?;
            for reference in &here {
                let name = &reference.parts[0].name.name;
                if !names.contains(name) {
                    names.push(name.clone());
                }
                let Some(target) = run.targets.iter().find(|target| target.name == *name) else { continue };
                if !target.is_of_one_when() {
                    continue;
                }
                let end = run.value(name).cloned().ok_or(Failure::Reported)?;
                let mut sides = Vec::new();
                self.pair(&target.whole, &end, String::new(), (reference.span, reference.span), &mut sides)?;
                for (_, sides) in sides {
                    let kind = WhenActionKind::Law(sides.left, sides.right);
                    actions.push(WhenAction { guard: truth, kind, span: reference.span });
                }
            }
            if here.iter().any(|it| !run.is_of_one_when(&it.parts[0].name.name)) {
                let flag = self.flag(condition, place);
                let turned = self.model.expressions.pre(flag);
                let turned = self.model.expressions.not(turned);
                let kind = WhenActionKind::Law(flag, turned);
                actions.push(WhenAction { guard: truth, kind, span: condition.span });
                let changes = self.model.expressions.call(Builtin::Change, &[flag]);
                // What is solved for the start has no left limits of flags: there the condition itself says it.
                let initially = conditions.iter().copied().find(|&id| self.is_call_of(Builtin::Initial, id));
                let is_active = match initially {
                    Some(initially) => self.model.expressions.or(initially, changes),
                    None => changes,
                };
                ends.push((is_active, run.context.clone(), condition.span));
                let mut fires = vec![changes];
                let is_at_start = |&id: &ExpressionId| {
                    [Builtin::Initial, Builtin::Sample].into_iter().any(|builtin| self.is_call_of(builtin, id))
                };
                fires.extend(conditions.iter().copied().filter(is_at_start));
                run.flags.push((fires, here.iter().map(|it| it.parts[0].name.name.clone()).collect()));
            }
            clause.branches.push(WhenBranch { conditions, actions, span: condition.span });
        }
        self.push_when(clause, run.span);
        run.context = before;
        for (is_active, mut end, span) in ends.into_iter().rev() {
            self.merge_locals(is_active, &mut end, &run.context, span)?;
            run.context = end;
        }
        run.end(|target| target.is_of_one_when() && names.contains(&target.name));
        Ok(())
    }

    fn is_call_of(&self, builtin: Builtin, id: ExpressionId) -> bool {
        matches!(self.model.expressions.node(id), Node::Call(called, _) if called == builtin)
    }

    /// A Boolean that a branch of a `when` turns over: where it changes, the branch is active.
    fn flag(&mut self, condition: &Expression, place: &Place) -> ExpressionId {
        self.connections.checked.flags += 1;
        let name = format!("{}when[{}]", place.prefix, self.connections.checked.flags);
        let mut variable = Variable::new(name, Type::Boolean, Variability::Discrete, place.guard);
        variable.start = Some(self.model.expressions.boolean(false));
        variable.fixed = Some(true);
        variable.protected = true;
        variable.span = condition.span;
        let id = self.model.variables.push(variable);
        self.model.expressions.variable(id, 0)
    }

    /// The equations of what is assigned outside of `when`, or by several of them.
    fn add_ends(&mut self, run: Section, place: &Place) -> Outcome<()> {
        let truth = self.model.expressions.boolean(true);
        let mut count = 0;
        for target in run.targets.iter().filter(|target| !target.is_of_one_when()) {
            let Target { name, span, whole, .. } = target;
            let end = target.end.clone().ok_or(Failure::Reported)?;
            if self.has_unknown(&end) {
                let what =
                    format!("an algorithm that uses `{name}` before it is assigned, or does not always assign it");
                return unsupported(what, *span);
            }
            if target.whens > 0 && target.last_plain.is_some() && whole.scalar_type() == Some(Type::Real) {
                let what = format!("the Real `{name}` assigned both inside and outside of `when`");
                return unsupported(what, *span);
            }
            let mut sides = Vec::new();
            self.pair(whole, &end, String::new(), (*span, *span), &mut sides)?;
            // An equation would follow what it reads; a `when` does so in its instants only.
            if target.last_plain.is_none() {
                let law = |sides: Sides| {
                    let kind = WhenActionKind::Law(sides.left, sides.right);
                    WhenAction { guard: truth, kind, span: *span }
                };
                let of_target = run.flags.iter().filter(|(_, names)| names.contains(name));
                let conditions = of_target.flat_map(|(conditions, _)| conditions.clone()).collect();
                let actions = sides.into_iter().map(|(_, sides)| law(sides)).collect();
                let branches = vec![WhenBranch { conditions, actions, span: *span }];
                self.push_when(WhenClause { guard: place.guard, branches, span: *span }, run.span);
                continue;
            }
            for (index, sides) in sides {
                let name = names::unlabelled(&place.prefix, (!index.is_empty()).then_some(count));
                self.push_equation(name, sides, *span, place);
                count += 1;
            }
        }
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
