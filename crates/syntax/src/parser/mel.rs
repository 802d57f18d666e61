//! Statements of MEL (RR9322 §4.2), with initial scenarios (E22 §7.2).

use modeshift_diagnostics::{Code, Diagnostic};

use super::Parser;
use super::expressions::{expression, reference};
use crate::kind::SyntaxKind::*;

/// Statements separated by `;`.
pub(super) fn program(parser: &mut Parser) {
    statements(parser);
    while !parser.at(EndOfFile) {
        stray_closing(parser);
        statements(parser);
    }
}

fn at_closing(parser: &Parser) -> bool {
    parser.at_any(&[EndOfFile, EndKeyword, DoneKeyword, ElseKeyword])
}

/// `end`, `done` or `else` that closes nothing.
fn stray_closing(parser: &mut Parser) {
    let word = parser.nth_text(0);
    let diagnostic = Diagnostic::error(Code::E0110, format!("`{word}` closes nothing"))
        .label(parser.current_span(), "no statement is open here")
        .help(format!("remove this `{word}`"));
    parser.report(diagnostic);
    parser.start(Skipped);
    parser.bump();
    parser.eat(Semicolon);
    parser.finish();
}

fn statements(parser: &mut Parser) {
    while !at_closing(parser) {
        let before = parser.position;
        if parser.eat(Semicolon) {
            continue;
        }
        parser.nested(statement);
        if parser.position == before {
            parser.skip_unexpected("a declaration, an equation, `invariant`, `if` or `foreach`");
        } else if !at_closing(parser) {
            parser.semicolon();
        }
    }
}

fn statement(parser: &mut Parser) {
    match parser.current() {
        InvariantKeyword => {
            parser.start(MelInvariant);
            parser.bump();
            expression(parser);
            parser.finish();
        }
        IfKeyword => conditional(parser),
        ForeachKeyword => foreach(parser),
        ScenarioKeyword => scenario(parser),
        Identifier => declaration_or_equation(parser),
        _ => {}
    }
}

/// `x[i] : real = 1.0`, `e[i] : equation a = b`, `f(a, b) : real = a + b`
fn declaration_or_equation(parser: &mut Parser) {
    let checkpoint = parser.checkpoint();
    reference(parser);
    if parser.at(LeftParen) {
        parser.start_at(checkpoint, MelLaw);
        law(parser);
        parser.finish();
        return;
    }
    parser.expect(Colon);
    if parser.eat(EquationKeyword) {
        parser.start_at(checkpoint, MelEquation);
        expression(parser);
        parser.expect(Equals);
        expression(parser);
    } else {
        parser.start_at(checkpoint, MelDeclaration);
        type_name(parser);
        if parser.eat(Equals) {
            expression(parser);
        }
    }
    parser.finish();
}

/// `(a, b) : real = a + b`
fn law(parser: &mut Parser) {
    parser.bump();
    while parser.eat(Identifier) && parser.eat(Comma) {}
    parser.expect(RightParen);
    parser.expect(Colon);
    type_name(parser);
    parser.expect(Equals);
    expression(parser);
}

fn type_name(parser: &mut Parser) {
    if matches!(parser.nth_text(0), "real" | "boolean" | "integer") {
        parser.bump();
    } else {
        parser.error_expected("`equation`, `real`, `boolean` or `integer`");
        if parser.at(Identifier) && !parser.at_line_start() {
            parser.bump();
        }
    }
}

fn conditional(parser: &mut Parser) {
    parser.start(MelIf);
    let start = parser.position;
    parser.open_block();
    parser.bump();
    expression(parser);
    parser.expect(ThenKeyword);
    statements(parser);
    if parser.eat(ElseKeyword) {
        statements(parser);
    }
    parser.open.pop();
    close(parser, start, EndKeyword, "end");
    parser.finish();
}

/// `foreach i in 1 .. N do … done`
fn foreach(parser: &mut Parser) {
    parser.start(MelForeach);
    let start = parser.position;
    parser.bump();
    parser.expect(Identifier);
    parser.expect(InKeyword);
    expression(parser);
    parser.expect(DotDot);
    expression(parser);
    parser.expect(DoKeyword);
    statements(parser);
    while parser.at(EndKeyword) && parser.open.is_empty() {
        // As the brake model of the report prints it: an `end` too many inside of the loop.
        stray_closing(parser);
        statements(parser);
    }
    close(parser, start, DoneKeyword, "done");
    parser.finish();
}

/// `scenario s when formula is … end`
fn scenario(parser: &mut Parser) {
    parser.start(MelScenario);
    let start = parser.position;
    parser.open_block();
    parser.bump();
    parser.expect(Identifier);
    if parser.eat(WhenKeyword) {
        expression(parser);
    }
    parser.expect(IsKeyword);
    statements(parser);
    parser.open.pop();
    close(parser, start, EndKeyword, "end");
    parser.finish();
}

fn close(parser: &mut Parser, start: usize, closing: crate::kind::SyntaxKind, word: &str) {
    if parser.eat(closing) {
        return;
    }
    let opened = &parser.text[parser.tokens.range(parser.token(start))];
    let diagnostic = Diagnostic::error(Code::E0103, format!("this `{opened}` is not closed"))
        .label(parser.previous_end(), format!("expected `{word}` behind this"))
        .label(parser.span_of(start), format!("this `{opened}` starts here"));
    parser.report(diagnostic);
}
