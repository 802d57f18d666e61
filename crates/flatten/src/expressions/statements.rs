//! Statements of functions and of initial algorithms, executed on terms.

use modeshift_dae::{Assertion, ExpressionId, FunctionId, Type};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{Expression, ExpressionKind, Reference, Statement, StatementKind};
use rustc_hash::FxHashMap;

use crate::classes::library::ClassId;
use crate::expressions::context::{Context, Purpose};
use crate::expressions::evaluate::describe;
use crate::expressions::term::{RecordTerm, Term, stack};
use crate::expressions::translate::Decision;
use crate::failure::{Failure, Outcome, dynamic, unsupported, wrong};
use crate::flattener::Flattener;

/// How a sequence of statements ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// At its end.
    Next,
    /// By `break`.
    Break,
    /// By `return`.
    Return,
}

/// How many statements one translation may execute.
const MAX_STEPS: u64 = 2_000_000;

/// How often the loops and iterators of one translation may go round.
const MAX_ITERATIONS: usize = 10_000_000;

/// What executing functions and algorithms leaves behind.
#[derive(Default)]
pub(crate) struct Execution {
    /// How many statements were executed.
    steps: u64,
    /// How often loops and iterators went round.
    iterations: usize,
    /// The assertions of the equation that is being translated or of the algorithm that is being executed: those that are
    /// written there, and that subscripts which are known only at run time are within their bounds.
    pub(crate) assertions: Vec<Assertion>,
    /// The conditions of the `if` expressions around what is being translated.
    pub(crate) conditions: Vec<ExpressionId>,
    /// The functions of the flat model, by class and by the shapes and known values of their arguments.
    pub(crate) functions: FxHashMap<(ClassId, String), FunctionId>,
    /// The shapes of the outputs of functions that have a body.
    pub(crate) shapes: FxHashMap<FunctionId, Vec<Term>>,
    /// How many slots the body has that is being made, where one is.
    pub(crate) slots: Option<u32>,
    /// The functions whose results are being written out, innermost last.
    pub(crate) inlined: Vec<ClassId>,
}

impl Flattener<'_> {
    /// Executes statements; variables are the locals of the context.
    pub(crate) fn execute(&mut self, statements: &[Statement], context: &mut Context) -> Outcome<Flow> {
        for statement in statements {
            self.count_step(statement.span)?;
            match self.execute_one(statement, context)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    /// Refuses loops that would never come to an end, before they begin.
    pub(crate) fn count_iterations(&mut self, count: usize, span: Span) -> Outcome<()> {
        self.execution.iterations = self.execution.iterations.saturating_add(count);
        if self.execution.iterations <= MAX_ITERATIONS {
            return Ok(());
        }
        self.is_exhausted = true;
        Err(too_many_iterations(span))
    }

    fn count_step(&mut self, span: Span) -> Outcome<()> {
        self.execution.steps += 1;
        match self.execution.steps > MAX_STEPS {
            true => {
                let message = format!("more than {MAX_STEPS} statements executed at translation");
                Err(Diagnostic::error(Code::E0314, message)
                    .label(span, "here it was enough")
                    .help("let the loop end, or let it go round less often: what it computes is needed before a run begins")
                    .into())
            }
            false => Ok(()),
        }
    }

    fn execute_one(&mut self, statement: &Statement, context: &mut Context) -> Outcome<Flow> {
        match &statement.kind {
            StatementKind::Assign(target, value) => {
                let value = self.term(value, context)?;
                let value = match value {
                    Term::Tuple(outputs) => outputs.first().cloned().ok_or(Failure::Reported)?,
                    other => other,
                };
                self.assign(target, value, context)?;
                Ok(Flow::Next)
            }
            StatementKind::MultiAssign(targets, value) => {
                let outputs = match self.term(value, context)? {
                    Term::Tuple(outputs) => outputs.to_vec(),
                    single => vec![single],
                };
                for (target, output) in targets.iter().zip(outputs) {
                    if let Some(target) = target {
                        self.assign(target, output, context)?;
                    }
                }
                Ok(Flow::Next)
            }
            StatementKind::Call(call) => self.call_statement(call, context),
            StatementKind::Break => Ok(Flow::Break),
            StatementKind::Return => Ok(Flow::Return),
            StatementKind::If { branches, otherwise } => self.execute_if(branches, otherwise, context),
            StatementKind::For { indices, body } => self.execute_for(indices, body, context),
            StatementKind::While(condition, body) => self.execute_while(condition, body, context),
            StatementKind::When(_) => unsupported("`when` in a function", statement.span),
        }
    }

    /// `assert(…)`: of a model's algorithm it is kept with the conditions that lead to it; of a function it is
    /// checked where its condition is known.
    fn call_statement(&mut self, call: &Expression, context: &mut Context) -> Outcome<Flow> {
        let ExpressionKind::Call { function, arguments, named } = &call.kind else {
            return unsupported("this statement", call.span);
        };
        if &*function.parts[0].name.name != "assert" || function.parts.len() > 1 {
            if let Some((effect, bound)) = self.effect_call(function, arguments, named, call.span, context)? {
                self.run_effect(&effect, bound, context)?;
            }
            return Ok(Flow::Next);
        }
        let mut assertion = self.assertion(arguments, named, call.span, context)?;
        match self.model.expressions.literal_boolean(assertion.condition) {
            Some(true) => {}
            Some(false) if context.path.is_none() && assertion.is_error => {
                return wrong(Code::E0315, "this assertion fails at translation", call.span);
            }
            _ if context.calls == 0 => {
                let truth = self.model.expressions.boolean(true);
                assertion.guard = context.path.unwrap_or(truth);
                self.execution.assertions.push(assertion);
            }
            _ if context.purpose == Purpose::Shape => {}
            // A function that stays a call checks it.
            _ => return dynamic("an assertion that is checked at run time", call.span),
        }
        Ok(Flow::Next)
    }

    fn execute_if(
        &mut self,
        branches: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
        context: &mut Context,
    ) -> Outcome<Flow> {
        let Some(((condition, body), rest)) = branches.split_first() else { return self.execute(otherwise, context) };
        match self.decided(condition, context)? {
            Decision::Known(true) => self.execute(body, context),
            Decision::Known(false) => self.execute_if(rest, otherwise, context),
            Decision::Open(id) => {
                let mut other = context.clone();
                context.path = Some(self.further(other.path, id));
                let first = self.execute(body, context)?;
                let outer = other.path;
                let not = self.model.expressions.not(id);
                other.path = Some(self.further(outer, not));
                let second = self.execute_if(rest, otherwise, &mut other)?;
                context.path = outer;
                if (first, second) != (Flow::Next, Flow::Next) {
                    return dynamic("leaving a branch that is decided at run time", condition.span);
                }
                self.merge_locals(id, context, &other, condition.span)?;
                Ok(Flow::Next)
            }
        }
    }

    fn further(&mut self, path: Option<ExpressionId>, condition: ExpressionId) -> ExpressionId {
        path.map_or(condition, |path| self.model.expressions.and(path, condition))
    }

    /// Variables that two branches leave different become if-expressions.
    pub(crate) fn merge_locals(
        &mut self,
        condition: ExpressionId,
        context: &mut Context,
        other: &Context,
        span: Span,
    ) -> Outcome<()> {
        for at in 0..context.locals.len().min(other.locals.len()) {
            let (a, b) = (context.locals[at].1.clone(), other.locals[at].1.clone());
            context.locals[at].1 = match self.if_term(condition, &a, &b) {
                Ok(merged) => merged,
                Err(_) => return dynamic("the branches leave a variable in different shapes", span),
            };
        }
        Ok(())
    }

    fn execute_for(
        &mut self,
        indices: &[modeshift_syntax::ast::ForIndex],
        body: &[Statement],
        context: &mut Context,
    ) -> Outcome<Flow> {
        let Some((index, rest)) = indices.split_first() else { return self.execute(body, context) };
        for value in self.iterations(index, context)? {
            self.execution.steps += 1;
            context.locals.push((index.name.name.clone(), value));
            let flow = self.execute_for(rest, body, context);
            context.locals.pop();
            match flow? {
                Flow::Next => {}
                Flow::Break if rest.is_empty() => break,
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn execute_while(&mut self, condition: &Expression, body: &[Statement], context: &mut Context) -> Outcome<Flow> {
        loop {
            self.count_step(condition.span)?;
            match self.decided(condition, context)? {
                Decision::Known(true) => {}
                Decision::Known(false) => return Ok(Flow::Next),
                Decision::Open(_) => return dynamic("a loop that is decided at run time", condition.span),
            }
            match self.execute(body, context)? {
                Flow::Next => {}
                Flow::Break => return Ok(Flow::Next),
                Flow::Return => return Ok(Flow::Return),
            }
        }
    }

    /// `target := value`
    fn assign(&mut self, target: &Expression, value: Term, context: &mut Context) -> Outcome<()> {
        let ExpressionKind::Reference(reference) = &target.kind else {
            return wrong(Code::E0316, "only a variable can be assigned", target.span);
        };
        let name = &reference.parts[0].name.name;
        let Some(at) = context.locals.iter().rposition(|(local, _)| local == name) else {
            return wrong(Code::E0316, format!("`{name}` is not a variable of this function"), target.span);
        };
        let old = context.locals[at].1.clone();
        let new = self.replaced(&old, reference, 0, value, context)?;
        context.locals[at].1 = new;
        Ok(())
    }

    /// `old` with the part that `reference` names replaced.
    fn replaced(
        &mut self,
        old: &Term,
        reference: &Reference,
        at: usize,
        value: Term,
        context: &mut Context,
    ) -> Outcome<Term> {
        let part = &reference.parts[at];
        if !part.subscripts.is_empty() {
            let picks = self.picks(&part.subscripts, old.dims(), part, None, context)?;
            let element = self.pick(old, &picks)?;
            let inner = match reference.parts.get(at + 1) {
                Some(_) => self.replaced_field(&element, reference, at + 1, value, context)?,
                None => value,
            };
            return self.with_elements(old, &picks, inner, reference.span);
        }
        match reference.parts.get(at + 1) {
            Some(_) => self.replaced_field(old, reference, at + 1, value, context),
            None => match (old, &value) {
                (Term::Scalar(Type::Real, _), Term::Scalar(Type::Integer, id)) => Ok(Term::Scalar(Type::Real, *id)),
                (Term::Scalar(a, _), Term::Scalar(b, _)) if a != b => {
                    wrong(Code::E0303, format!("{} is assigned to {}", describe(&value), describe(old)), reference.span)
                }
                _ => Ok(value),
            },
        }
    }

    fn replaced_field(
        &mut self,
        old: &Term,
        reference: &Reference,
        at: usize,
        value: Term,
        context: &mut Context,
    ) -> Outcome<Term> {
        let name = &reference.parts[at].name;
        let Term::Record(record) = old else { return wrong(Code::E0303, "only records have fields", name.span) };
        let mut fields = record.fields.clone();
        let Some(field) = fields.iter_mut().find(|(field, _)| *field == name.name) else {
            return wrong(Code::E0201, format!("no field `{}`", name.name), name.span);
        };
        field.1 = self.replaced(&field.1.clone(), reference, at, value, context)?;
        Ok(Term::Record(std::rc::Rc::new(RecordTerm { class: record.class.clone(), fields })))
    }

    fn with_elements(
        &mut self,
        old: &Term,
        picks: &[crate::expressions::references::Pick],
        value: Term,
        span: Span,
    ) -> Outcome<Term> {
        let Term::Array(array) = old else { return wrong(Code::E0305, "not an array", span) };
        let (dims, offsets) = crate::expressions::references::offsets(picks, &array.dims, span)?;
        let values = match (value.dims().is_empty(), dims.is_empty()) {
            (true, true) => vec![value.clone()],
            _ if value.dims() == dims => value.items().to_vec(),
            _ => return wrong(Code::E0304, "sizes differ in this assignment", span),
        };
        let mut items = array.items.clone();
        for (at, value) in offsets.into_iter().zip(values) {
            items[at] = value;
        }
        stack(array.ty, &array.dims, items).ok_or(Failure::Reported)
    }
}

/// The failure of loops that go round more often than this program takes.
pub(crate) fn too_many_iterations(span: Span) -> Failure {
    let message = format!("loops go round more than {MAX_ITERATIONS} times at translation");
    let diagnostic = Diagnostic::error(Code::E0603, message).label(span, "in this one, or in one inside it");
    diagnostic.help("use smaller ranges, or write the sum or the product as a formula").into()
}

/// Whether so many rounds of one iterator inside others can be made at all.
pub(crate) fn check_rounds(rounds: usize, span: Span) -> Outcome<()> {
    if rounds <= MAX_ITERATIONS { Ok(()) } else { Err(too_many_iterations(span)) }
}
