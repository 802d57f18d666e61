//! Values of literals: numbers and strings with their escapes (appendix A.1).

use modeshift_diagnostics::{Code, Diagnostic};

use super::Lowering;
use crate::ast::ExpressionKind;
use crate::kind::SyntaxKind;
use crate::tree::Token;

impl Lowering<'_> {
    pub(super) fn literal(&mut self, token: Token) -> ExpressionKind {
        match token.kind {
            SyntaxKind::Integer => self.integer(token),
            SyntaxKind::Real => self.real(token),
            SyntaxKind::String => ExpressionKind::String(string_value(token.text).into()),
            SyntaxKind::TrueKeyword => ExpressionKind::Boolean(true),
            SyntaxKind::FalseKeyword => ExpressionKind::Boolean(false),
            _ => ExpressionKind::Error,
        }
    }

    fn integer(&mut self, token: Token) -> ExpressionKind {
        match token.text.parse() {
            Ok(value) => ExpressionKind::Integer(value),
            Err(_) => self.too_large(token, "an Integer", "write it as a Real, with a point"),
        }
    }

    fn real(&mut self, token: Token) -> ExpressionKind {
        match token.text.parse::<f64>() {
            Ok(value) if value.is_finite() => ExpressionKind::Real(value),
            _ => self.too_large(token, "a Real", "the largest Real is about 1.8e308"),
        }
    }

    fn too_large(&mut self, token: Token, what: &str, help: &str) -> ExpressionKind {
        let diagnostic = Diagnostic::error(Code::E0108, format!("this number does not fit {what}"))
            .label(token.span, "too large")
            .help(help);
        self.diagnostics.push(diagnostic);
        ExpressionKind::Error
    }
}

/// The value of a string literal, with its quotes and escapes resolved; unknown escapes stay as they are.
pub(super) fn string_value(literal: &str) -> String {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut value = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            value.push(character);
            continue;
        }
        match characters.next() {
            Some(escaped) => push_escape(escaped, &mut value),
            None => value.push('\\'),
        }
    }
    value
}

fn push_escape(escaped: char, value: &mut String) {
    match escaped {
        '\'' | '"' | '?' | '\\' => value.push(escaped),
        'a' => value.push('\x07'),
        'b' => value.push('\x08'),
        'f' => value.push('\x0C'),
        'n' => value.push('\n'),
        'r' => value.push('\r'),
        't' => value.push('\t'),
        'v' => value.push('\x0B'),
        other => value.extend(['\\', other]),
    }
}
