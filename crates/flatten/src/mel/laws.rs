//! Functions that a program gives by a formula: `flow(p) : real = p/R`. Calls are replaced by the formula.

use std::sync::Arc;

use modeshift_dae::ExpressionId;
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{Expression, Ident, Reference};
use modeshift_syntax::mel::{Statement, StatementKind, Type};
use rustc_hash::FxHashMap;

use super::Builder;

/// How many laws may be made of each other.
const DEPTH_LIMIT: usize = 50;

/// A formula with the names of its arguments.
#[derive(Clone, Copy)]
struct Law<'a> {
    parameters: &'a [Ident],
    ty: Type,
    value: &'a Expression,
    span: Span,
}

/// The laws of a program, and those that are being applied.
#[derive(Default)]
pub(super) struct Laws<'a> {
    known: FxHashMap<Arc<str>, Law<'a>>,
    /// The laws around the current expression, with the values of their arguments.
    applied: Vec<(Arc<str>, Vec<ExpressionId>)>,
}

impl Laws<'_> {
    pub(super) fn knows(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }
}

impl<'a> Builder<'a> {
    pub(super) fn declare_law(&mut self, statement: &'a Statement) {
        let StatementKind::Law { name, parameters, ty, value } = &statement.kind else { return };
        let law = Law { parameters, ty: *ty, value, span: statement.span };
        if let Some(before) = self.laws.known.insert(name.name.clone(), law) {
            self.error(
                Diagnostic::error(Code::E0281, format!("`{}` has two laws", name.name))
                    .label(statement.span, "given again here")
                    .label(before.span, "first given here"),
            );
        }
    }

    /// What a name stands for inside a law.
    pub(super) fn argument(&self, reference: &Reference) -> Option<ExpressionId> {
        let (law, arguments) = self.laws.applied.last()?;
        let [part] = reference.parts.as_slice() else { return None };
        let parameters = self.laws.known[law].parameters;
        let position = parameters.iter().position(|parameter| parameter.name == part.name.name)?;
        arguments.get(position).copied().filter(|_| part.subscripts.is_empty())
    }

    /// The formula of a law with these arguments.
    pub(super) fn apply_law(&mut self, name: &Arc<str>, arguments: &[ExpressionId], span: Span) -> ExpressionId {
        let law = self.laws.known[name];
        let mistake = self.mistake_of_call(name, law, arguments.len(), span);
        if mistake.is_some() || self.count(span).is_err() {
            mistake.into_iter().for_each(|mistake| self.error(mistake));
            return self.model.expressions.integer(0);
        }
        let outer = std::mem::take(&mut self.indices);
        self.laws.applied.push((name.clone(), arguments.to_vec()));
        let value = self.expression(law.value);
        self.laws.applied.pop();
        self.indices = outer;
        if self.is_boolean(value) != (law.ty == Type::Boolean) {
            let message = format!("the law of `{name}` does not have the type it is declared with");
            self.error(Diagnostic::error(Code::E0383, message).label(law.value.span, "this formula"));
        }
        value
    }

    fn mistake_of_call(&self, name: &str, law: Law<'_>, given: usize, span: Span) -> Option<Diagnostic> {
        let expected = law.parameters.len();
        if expected != given {
            let message = format!("`{name}` is called with {given} arguments, but its law has {expected}");
            return Some(Diagnostic::error(Code::E0384, message).label(span, "called here").label(law.span, "its law"));
        }
        let recursive = self.laws.applied.iter().any(|(applied, _)| &**applied == name);
        let message = match recursive {
            true => format!("the law of `{name}` is made of itself"),
            false if self.laws.applied.len() < DEPTH_LIMIT => return None,
            false => format!("more than {DEPTH_LIMIT} laws are inside of each other"),
        };
        Some(Diagnostic::error(Code::E0384, message).label(span, "used here").label(law.span, "this law"))
    }
}
