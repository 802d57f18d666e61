//! Values known at translation: constants, loop bounds, subscripts, and the names they make.

use std::fmt::Write as _;
use std::sync::Arc;

use modeshift_dae::{ExpressionId, Type};
use modeshift_diagnostics::{Code, Diagnostic};
use modeshift_syntax::ast::{BinaryOperator, Expression, ExpressionKind, Reference, Subscript, UnaryOperator};
use modeshift_syntax::mel;

use super::Builder;

impl Builder<'_> {
    /// A name with its subscripts evaluated: `mu_c[i + 1]` with `i = 2` is `mu_c[3]`.
    pub(super) fn name_text(&mut self, name: &Reference) -> Option<Arc<str>> {
        if let [part] = name.parts.as_slice()
            && part.subscripts.is_empty()
        {
            return Some(part.name.name.clone());
        }
        let mut text = String::new();
        for (position, part) in name.parts.iter().enumerate() {
            if position > 0 {
                text.push('.');
            }
            text.push_str(&part.name.name);
            if part.subscripts.is_empty() {
                continue;
            }
            for (position, subscript) in part.subscripts.iter().enumerate() {
                let value = self.subscript(subscript)?;
                let separator = if position == 0 { '[' } else { ',' };
                let _ = write!(text, "{separator}{value}"); // writing to a String cannot fail
            }
            text.push(']');
        }
        Some(text.into())
    }

    fn subscript(&mut self, subscript: &Subscript) -> Option<i64> {
        match subscript {
            Subscript::Expression(expression) => self.integer(expression),
            Subscript::All(span) => {
                self.error(
                    Diagnostic::error(Code::E0381, "MEL has no array slices").label(*span, "an index is needed here"),
                );
                None
            }
        }
    }

    /// The value of an integer expression, with a diagnostic where it has none.
    pub(super) fn integer(&mut self, expression: &Expression) -> Option<i64> {
        match self.number(expression) {
            Some(value) if value.fract() == 0.0 && value.abs() < 9e15 => Some(value as i64),
            found => {
                let message = match found {
                    Some(value) => format!("{value} is not an integer that can be an index or a loop bound"),
                    None => "an index or a loop bound must be known at translation".to_string(),
                };
                self.error(
                    Diagnostic::error(Code::E0382, message)
                        .label(expression.span, "needed here")
                        .help("it may be made of integers, loop indices and integer constants declared before"),
                );
                None
            }
        }
    }

    /// The truth value of a condition over constants and loop indices, such as `i == 1`.
    pub(super) fn constant_condition(&self, condition: &Expression) -> Option<bool> {
        use BinaryOperator::*;
        match &condition.kind {
            ExpressionKind::Boolean(value) => Some(*value),
            ExpressionKind::Unary(UnaryOperator::Not, inner) => self.constant_condition(inner).map(|value| !value),
            ExpressionKind::Binary(And, a, b) => Some(self.constant_condition(a)? && self.constant_condition(b)?),
            ExpressionKind::Binary(Or, a, b) => Some(self.constant_condition(a)? || self.constant_condition(b)?),
            ExpressionKind::Binary(operator, a, b) => {
                let (a, b) = (self.structural_number(a)?, self.structural_number(b)?);
                match operator {
                    Less => Some(a < b),
                    LessEqual => Some(a <= b),
                    Greater => Some(a > b),
                    GreaterEqual => Some(a >= b),
                    Equal => Some(a == b),
                    NotEqual => Some(a != b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A number that contains no real constant: those stay free to be changed, and a relation over them is a mode.
    fn structural_number(&self, expression: &Expression) -> Option<f64> {
        self.number_with(expression, false)
    }

    fn number(&self, expression: &Expression) -> Option<f64> {
        self.number_with(expression, true)
    }

    fn number_with(&self, expression: &Expression, reals: bool) -> Option<f64> {
        match &expression.kind {
            ExpressionKind::Integer(value) => Some(*value as f64),
            ExpressionKind::Real(value) => Some(*value),
            ExpressionKind::Reference(reference) => self.constant(reference, reals),
            ExpressionKind::Unary(UnaryOperator::Minus, inner) => Some(-self.number_with(inner, reals)?),
            ExpressionKind::Unary(UnaryOperator::Plus, inner) => self.number_with(inner, reals),
            ExpressionKind::Binary(operator, a, b) => {
                let (a, b) = (self.number_with(a, reals)?, self.number_with(b, reals)?);
                match operator {
                    BinaryOperator::Add => Some(a + b),
                    BinaryOperator::Subtract => Some(a - b),
                    BinaryOperator::Multiply => Some(a * b),
                    BinaryOperator::Divide => Some(a / b),
                    BinaryOperator::Power => Some(a.powf(b)),
                    _ => None,
                }
            }
            ExpressionKind::Call { function, arguments, .. } => self.constant_call(function, arguments, reals),
            _ => None,
        }
    }

    fn constant_call(&self, function: &Reference, arguments: &[Expression], reals: bool) -> Option<f64> {
        let [part] = function.parts.as_slice() else { return None };
        let [a, b] = arguments else { return None };
        let (a, b) = (self.number_with(a, reals)?, self.number_with(b, reals)?);
        match &*part.name.name {
            "div" => Some((a / b).trunc()),
            "mod" => Some(a - (a / b).floor() * b),
            "min" => Some(a.min(b)),
            "max" => Some(a.max(b)),
            _ => None,
        }
    }

    /// The value of a loop index or a constant.
    fn constant(&self, reference: &Reference, reals: bool) -> Option<f64> {
        let [part] = reference.parts.as_slice() else { return None };
        if !part.subscripts.is_empty() {
            return None;
        }
        if let Some(value) = self.loop_index(&part.name.name) {
            return Some(value as f64);
        }
        let variable = &self.model.variables[self.variable(&part.name.name)?];
        if variable.ty == Type::Real && !reals {
            return None;
        }
        self.model.expressions.literal(variable.binding?)
    }

    pub(super) fn loop_index(&self, name: &str) -> Option<i64> {
        self.indices.iter().rev().find(|(index, _)| **index == *name).map(|&(_, value)| value)
    }

    /// The value of a constant: what `--set` says, else a number where it is one, else the expression as written.
    pub(super) fn constant_binding(&mut self, name: &str, ty: mel::Type, value: &Expression) -> ExpressionId {
        if let Some(position) = self.overrides.iter().rposition(|(overridden, _)| overridden == name) {
            self.used_overrides[position] = true;
            let text = &self.overrides[position].1;
            if let Ok(number) = text.trim().parse::<f64>()
                && number.is_finite()
            {
                return self.number_literal(ty, number);
            }
            self.error(
                Diagnostic::error(Code::E0385, format!("`{text}` is not a number, as `{name}` needs it"))
                    .label(value.span, "the value that was to be replaced"),
            );
        }
        match self.number(value) {
            Some(number) if number.is_finite() => self.number_literal(ty, number),
            _ => self.expression(value),
        }
    }

    fn number_literal(&mut self, ty: mel::Type, value: f64) -> ExpressionId {
        match ty {
            mel::Type::Integer if value.fract() == 0.0 && value.abs() < 9e15 => {
                self.model.expressions.integer(value as i64)
            }
            _ => self.model.expressions.real(value),
        }
    }

    /// Says which overrides named nothing.
    pub(super) fn check_overrides(&mut self) {
        for position in 0..self.overrides.len() {
            let name = &self.overrides[position].0;
            let shadowed = self.overrides[position + 1..].iter().any(|(later, _)| later == name);
            if !self.used_overrides[position] && !shadowed {
                let help = "only integers and reals that are declared with a value can be set";
                self.error(Diagnostic::error(Code::E0283, format!("there is no constant `{name}` to set")).help(help));
            }
        }
    }
}
