//! Expressions of the source to terms of the flat model.
//!
//! One translation for three purposes, see [`Mode`]: flat equations, values at translation, and mere shapes. A
//! condition that depends on parameters alone is decided here, so that only what can change during a run remains.

use std::sync::Arc;

use modeshift_dae::{ExpressionId, Node, Type, Variability};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{BinaryOperator, Expression, ExpressionKind, ForIndex};

use crate::expressions::context::{Context, Purpose};
use crate::expressions::evaluate::describe;
use crate::expressions::operators::check_items;
use crate::expressions::statements::check_rounds;
use crate::expressions::term::{Term, shape_text, stack};
use crate::failure::{Failure, Outcome, dynamic, unsupported, wrong};
use crate::flattener::Flattener;

/// How deep an expression may be nested.
const MAX_NESTING: u32 = 256;

impl Flattener<'_> {
    /// The term of an expression.
    pub(crate) fn term(&mut self, expression: &Expression, context: &mut Context) -> Outcome<Term> {
        if context.depth > MAX_NESTING {
            return wrong(
                Code::E0320,
                format!("this expression is nested more than {MAX_NESTING} deep"),
                expression.span,
            );
        }
        context.depth += 1;
        let term = self.term_of_kind(expression, context);
        context.depth -= 1;
        // Inside an expression a call means its first output (Modelica 3.6, 12.4.3).
        match term? {
            Term::Tuple(outputs) if context.depth > 0 => outputs.first().cloned().ok_or(Failure::Reported),
            term => Ok(term),
        }
    }

    fn term_of_kind(&mut self, expression: &Expression, context: &mut Context) -> Outcome<Term> {
        let expressions = &mut self.model.expressions;
        match &expression.kind {
            ExpressionKind::Real(value) => Ok(Term::Scalar(Type::Real, expressions.real(*value))),
            ExpressionKind::Integer(value) => Ok(Term::Scalar(Type::Integer, expressions.integer(*value))),
            ExpressionKind::Boolean(value) => Ok(Term::Scalar(Type::Boolean, expressions.boolean(*value))),
            ExpressionKind::String(text) => Ok(Term::Scalar(Type::String, expressions.string(text))),
            ExpressionKind::Reference(reference) => self.reference(reference, context),
            ExpressionKind::Call { function, arguments, named } => {
                self.call(function, arguments, named, expression.span, context)
            }
            ExpressionKind::PartialApplication { function, named } => self.function_argument(function, named, context),
            ExpressionKind::Array(items) => self.array_constructor(items, expression.span, context),
            ExpressionKind::Comprehension { function, body, indices } => {
                let name = function.as_ref().map(crate::classes::lookup::reference_text);
                self.comprehension(name.as_deref(), body, indices, expression.span, context)
            }
            ExpressionKind::Matrix(rows) => self.matrix(rows, expression.span, context),
            ExpressionKind::Range { start, step, stop } => {
                self.range(start, step.as_deref(), stop, expression.span, context)
            }
            ExpressionKind::Tuple(items) => match items.as_slice() {
                [Some(only)] => self.term(only, context),
                _ => wrong(Code::E0303, "a list of results can stand on the left of `=` only", expression.span),
            },
            ExpressionKind::Unary(operator, operand) => {
                let operand = self.term(operand, context)?;
                self.operators().unary(*operator, &operand, expression.span)
            }
            ExpressionKind::Binary(..) => self.binary_chain(expression, context),
            ExpressionKind::If { branches, otherwise } => {
                self.if_expression(branches, otherwise, expression.span, context)
            }
            ExpressionKind::End => match context.ends.last() {
                Some(&size) => Ok(Term::Scalar(Type::Integer, expressions.integer(size as i64))),
                None => wrong(Code::E0305, "`end` has a meaning in subscripts only", expression.span),
            },
            ExpressionKind::Error => Err(Failure::Reported),
        }
    }

    /// `a + b + c …`: long chains lean to the left and are walked without recursion.
    fn binary_chain(&mut self, expression: &Expression, context: &mut Context) -> Outcome<Term> {
        let mut chain = Vec::new();
        let mut first = expression;
        while let ExpressionKind::Binary(operator, left, right) = &first.kind {
            chain.push((*operator, right, left.span.to(right.span)));
            first = left;
        }
        let mut term = self.term(first, context)?;
        while let Some((operator, right, span)) = chain.pop() {
            if let Some(decided) = self.short_circuit(operator, &term) {
                term = decided;
                continue;
            }
            let right = self.term(right, context)?;
            term = self.operators().binary(operator, &term, &right, span)?;
        }
        Ok(term)
    }

    /// `false and …`, `true or …`
    fn short_circuit(&self, operator: BinaryOperator, left: &Term) -> Option<Term> {
        let Term::Scalar(Type::Boolean, id) = left else { return None };
        let value = self.model.expressions.literal_boolean(*id)?;
        match operator {
            BinaryOperator::And if !value => Some(left.clone()),
            BinaryOperator::Or if value => Some(left.clone()),
            _ => None,
        }
    }

    fn array_constructor(&mut self, items: &[Expression], span: Span, context: &mut Context) -> Outcome<Term> {
        let mut terms = Vec::with_capacity(items.len());
        for item in items {
            terms.push(self.term(item, context)?);
        }
        self.stacked(vec![items.len()], terms, span)
    }

    /// One array out of parts; Integers among Reals become Reals.
    pub(crate) fn stacked(&mut self, outer: Vec<usize>, parts: Vec<Term>, span: Span) -> Outcome<Term> {
        let shapes = parts.iter().map(|part| part.dims().to_vec());
        let mut distinct: Vec<Vec<usize>> = shapes.collect();
        distinct.dedup();
        if let [first, second, ..] = distinct.as_slice() {
            let message =
                format!("the elements of an array differ in size: {} and {}", shape_text(first), shape_text(second));
            return wrong(Code::E0304, message, span);
        }
        let mut types = parts.iter().filter_map(Term::scalar_type);
        let mut ty = types.next().unwrap_or(Type::Real);
        for other in types {
            ty = match (ty, other) {
                (a, b) if a == b => a,
                (Type::Real | Type::Integer, Type::Real | Type::Integer) => Type::Real,
                _ => return wrong(Code::E0303, "the elements of an array differ in type", span),
            };
        }
        stack(ty, &outer, parts).ok_or(Failure::Reported).and_then(|term| {
            term.map(|item| match item {
                Term::Scalar(Type::Integer, id) if ty == Type::Real => Ok(Term::Scalar(ty, *id)),
                other => Ok(other.clone()),
            })
        })
    }

    fn matrix(&mut self, rows: &[Vec<Expression>], span: Span, context: &mut Context) -> Outcome<Term> {
        let mut parts = Vec::new();
        for row in rows {
            let mut terms = Vec::new();
            for item in row {
                let term = self.term(item, context)?;
                terms.push(self.promote(&term, 2));
            }
            parts.push(self.concatenate(1, terms, span)?);
        }
        self.concatenate(0, parts, span)
    }

    /// The values of `start:step:stop`.
    fn range(
        &mut self,
        start: &Expression,
        step: Option<&Expression>,
        stop: &Expression,
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        if let (None, ExpressionKind::Reference(_) | ExpressionKind::Boolean(_)) = (step, &stop.kind)
            && let Some(term) = self.enumeration_range(start, stop, context)?
        {
            return Ok(term);
        }
        let first = self.evaluate(start, context)?;
        let last = self.evaluate(stop, context)?;
        let step = step.map(|step| self.evaluate(step, context)).transpose()?;
        let integers = [Some(&first), Some(&last), step.as_ref()]
            .into_iter()
            .flatten()
            .all(|term| term.scalar_type() == Some(Type::Integer));
        let (Some(from), Some(to)) = (self.real_value(&first), self.real_value(&last)) else {
            return wrong(Code::E0303, "the bounds of a range must be numbers", span);
        };
        let by = step.as_ref().map_or(Some(1.0), |step| self.real_value(step)).unwrap_or(0.0);
        if by == 0.0 {
            return wrong(Code::E0306, "the step of a range must be a number other than 0", span);
        }
        // `0:0.1:1` has eleven elements although 1/0.1 may come out a rounding error below 10.
        let count = ((to - from) / by + 1e-10).floor() + 1.0;
        let count = if count.is_finite() && count > 0.0 { count as usize } else { 0 };
        check_items(count, span)?;
        let ty = if integers { Type::Integer } else { Type::Real };
        let expressions = &mut self.model.expressions;
        let items = (0..count).map(|at| match integers {
            true => Term::Scalar(ty, expressions.integer(from as i64 + at as i64 * by as i64)),
            false => Term::Scalar(ty, expressions.real(from + at as f64 * by)),
        });
        Ok(Term::vector(ty, items.collect()))
    }

    /// `E.first:E.last`
    fn enumeration_range(
        &mut self,
        start: &Expression,
        stop: &Expression,
        context: &mut Context,
    ) -> Outcome<Option<Term>> {
        let (first, last) = (self.evaluate(start, context)?, self.evaluate(stop, context)?);
        let Some(ty @ (Type::Enumeration(_) | Type::Boolean)) = first.scalar_type() else { return Ok(None) };
        let (Some(from), Some(to)) = (self.integer_value(&first), self.integer_value(&last)) else { return Ok(None) };
        let items = (from..=to).map(|ordinal| self.ordinal_term(ty, ordinal)).collect();
        Ok(Some(Term::vector(ty, items)))
    }

    /// The literal of an enumeration or Boolean with this ordinal.
    pub(super) fn ordinal_term(&mut self, ty: Type, ordinal: i64) -> Term {
        match ty {
            Type::Boolean => Term::Scalar(ty, self.model.expressions.boolean(ordinal == 2)),
            _ => Term::Scalar(ty, self.model.expressions.integer(ordinal)),
        }
    }

    /// `{body for i in range, …}`, also inside `sum(…)` and the like.
    fn comprehension(
        &mut self,
        function: Option<&str>,
        body: &Expression,
        indices: &[ForIndex],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        let depth = context.locals.len();
        let built = self.comprehension_items(body, indices, (span, 1), context);
        context.locals.truncate(depth);
        let term = built?;
        match function {
            None | Some("array") => Ok(term),
            Some("sum" | "product" | "min" | "max") => {
                self.reduce(function.unwrap_or_default(), &term, span, context.purpose)
            }
            Some(other) => unsupported(format!("`{other}` over an iterator"), span),
        }
    }

    fn comprehension_items(
        &mut self,
        body: &Expression,
        indices: &[ForIndex],
        (span, around): (Span, usize),
        context: &mut Context,
    ) -> Outcome<Term> {
        // The last iterator varies outermost: {e for i in r, j in s} is {{e for i in r} for j in s}.
        let Some((index, rest)) = indices.split_last() else { return self.term(body, context) };
        let values = self.iterations(index, context)?;
        let rounds = around.saturating_mul(values.len());
        check_rounds(rounds, span)?;
        let mut parts = Vec::with_capacity(values.len());
        for value in values {
            context.locals.push((index.name.name.clone(), value));
            let part = self.comprehension_items(body, rest, (span, rounds), context);
            context.locals.pop();
            parts.push(part?);
        }
        self.stacked(vec![parts.len()], parts, span)
    }

    /// The values that an iterator runs through.
    pub(crate) fn iterations(&mut self, index: &ForIndex, context: &mut Context) -> Outcome<Vec<Term>> {
        let Some(range) = &index.range else { return self.deduced_iterations(index, context) };
        if let ExpressionKind::Reference(reference) = &range.kind
            && context.local(&reference.parts[0].name.name).is_none()
            && let Some((ty, size)) = self.enumeration_named(reference, context.scope)?
        {
            return Ok((1..=size as i64).map(|ordinal| self.ordinal_term(ty, ordinal)).collect());
        }
        let term = self.evaluate(range, context)?;
        match term {
            Term::Array(array) if array.dims.len() == 1 => {
                self.count_iterations(array.items.len(), range.span)?;
                Ok(array.items.clone())
            }
            other => wrong(
                Code::E0303,
                format!("a loop needs a vector to run through, but this is {}", describe(&other)),
                range.span,
            ),
        }
    }

    fn if_expression(
        &mut self,
        branches: &[(Expression, Expression)],
        otherwise: &Expression,
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        let Some(((condition, value), rest)) = branches.split_first() else { return self.term(otherwise, context) };
        match self.decided(condition, context)? {
            Decision::Known(true) => self.term(value, context),
            Decision::Known(false) => self.if_expression(rest, otherwise, span, context),
            Decision::Open(condition_id) => {
                let value = self.where_holds(condition_id, |this| this.term(value, context))?;
                let not = self.model.expressions.not(condition_id);
                let other = self.where_holds(not, |this| this.if_expression(rest, otherwise, span, context))?;
                if value.dims() != other.dims() {
                    if context.purpose == Purpose::Shape {
                        return Ok(value);
                    }
                    let message = format!(
                        "the branches of this `if` differ in size: {} and {}",
                        shape_text(value.dims()),
                        shape_text(other.dims())
                    );
                    return wrong(Code::E0304, message, span);
                }
                self.if_term(condition_id, &value, &other).map_err(|_| {
                    let message = format!(
                        "the branches of this `if` differ in type: {} and {}",
                        describe(&value),
                        describe(&other)
                    );
                    Diagnostic::error(Code::E0303, message).label(span, "").into()
                })
            }
        }
    }

    /// Translates what is evaluated only where a condition holds.
    fn where_holds<T>(&mut self, condition: ExpressionId, translate: impl FnOnce(&mut Self) -> T) -> T {
        self.execution.conditions.push(condition);
        let translated = translate(self);
        self.execution.conditions.pop();
        translated
    }

    /// Whether a condition holds, where that is known at translation.
    pub(crate) fn decided(&mut self, condition: &Expression, context: &mut Context) -> Outcome<Decision> {
        if context.purpose == Purpose::Shape
            && let Ok(value) = self.evaluate_boolean(condition, context)
        {
            return Ok(Decision::Known(value));
        }
        let id = match self.term(condition, context)? {
            Term::Scalar(Type::Boolean, id) => id,
            other => {
                let message = format!("a condition must be Boolean, but this is {}", describe(&other));
                return wrong(Code::E0303, message, condition.span);
            }
        };
        if let Some(value) = self.model.expressions.literal_boolean(id) {
            return Ok(Decision::Known(value));
        }
        match context.purpose {
            Purpose::Evaluate => dynamic("this condition is not known at translation", condition.span),
            Purpose::Shape => Ok(Decision::Open(id)),
            Purpose::Symbolic if self.depends_on_parameters_only(id) => match self.evaluate_boolean(condition, context)
            {
                Ok(value) => Ok(Decision::Known(value)),
                Err(Failure::Dynamic(_)) => Ok(Decision::Open(id)),
                Err(failure) => Err(failure),
            },
            Purpose::Symbolic => Ok(Decision::Open(id)),
        }
    }

    pub(crate) fn depends_on_parameters_only(&self, id: ExpressionId) -> bool {
        !self.model.expressions.contains(id, |node| match node {
            Node::Variable(variable, _) => self.model.variables[variable].variability > Variability::Parameter,
            Node::Time | Node::Mode(_) | Node::Function(..) => true,
            Node::Call(builtin, _) => is_dynamic_builtin(builtin),
            _ => false,
        })
    }

    /// `if condition then a else b`, element by element.
    pub(crate) fn if_term(&mut self, condition: ExpressionId, a: &Term, b: &Term) -> Outcome<Term> {
        match (a, b) {
            (Term::Scalar(x, left), Term::Scalar(y, right)) => {
                let ty = match (x, y) {
                    _ if x == y => *x,
                    (Type::Real | Type::Integer, Type::Real | Type::Integer) => Type::Real,
                    _ => return Err(Failure::Reported),
                };
                Ok(Term::Scalar(ty, self.model.expressions.if_then_else(condition, *left, *right)))
            }
            (Term::Array(x), Term::Array(y)) if x.dims == y.dims => {
                let pairs = x.items.iter().zip(&y.items);
                let items = pairs.map(|(x, y)| self.if_term(condition, x, y)).collect::<Outcome<Vec<_>>>()?;
                let ty = items.first().and_then(Term::scalar_type).unwrap_or(x.ty);
                Ok(Term::array(ty, x.dims.clone(), items))
            }
            (Term::Record(x), Term::Record(y)) => {
                let mut fields: Vec<(Arc<str>, Term)> = Vec::new();
                for (name, value) in &x.fields {
                    let other = b.field(name).ok_or(Failure::Reported)?;
                    fields.push((name.clone(), self.if_term(condition, value, &other)?));
                }
                let _ = y;
                Ok(Term::Record(std::rc::Rc::new(crate::expressions::term::RecordTerm {
                    class: x.class.clone(),
                    fields,
                })))
            }
            _ => Err(Failure::Reported),
        }
    }
}

/// What is known of a condition.
pub(crate) enum Decision {
    /// It holds or not, whatever happens.
    Known(bool),
    /// It is decided at run time.
    Open(ExpressionId),
}

/// Whether a call of constants changes with time.
fn is_dynamic_builtin(builtin: modeshift_dae::Builtin) -> bool {
    use modeshift_dae::Builtin::*;
    match builtin {
        Initial | Terminal | Sample | Edge | Change | Delay | DelayMax => true,
        Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh | Exp | Log | Log10 | Sqrt => false,
        Abs | Sign | Min | Max | Floor | Ceil | Integer | Ordinal | Div | Mod | Rem => false,
        NoEvent | Smooth | Homotopy | StringOf => false,
    }
}
