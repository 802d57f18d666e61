//! Statements and algorithm sections (appendix A.2.6).

use modeshift_diagnostics::Diagnostic;

use super::Parser;
use super::components::{comment, starts_declaration};
use super::equations::{else_of_when, misplaced_declaration};
use super::expressions::{expression, for_indices};
use crate::kind::SyntaxKind::*;

/// `algorithm …`, `initial algorithm …`
pub(super) fn algorithm_section(parser: &mut Parser) {
    parser.start(AlgorithmSection);
    parser.eat(InitialKeyword);
    parser.bump();
    statements(parser);
    parser.finish();
}

fn statements(parser: &mut Parser) {
    while !parser.at_end_of_items() {
        let before = parser.position;
        if parser.at_stray_end() {
            parser.stray_end();
            continue;
        }
        if starts_declaration(parser) {
            misplaced_declaration(parser);
        } else {
            statement(parser);
        }
        if parser.position == before {
            parser.skip_unexpected("a statement");
        }
    }
}

fn statement(parser: &mut Parser) {
    parser.nested(|parser| match parser.current() {
        IfKeyword => if_statement(parser),
        ForKeyword => for_statement(parser),
        WhileKeyword => while_statement(parser),
        WhenKeyword => when_statement(parser),
        _ => simple_statement(parser),
    });
}

/// An assignment, a call, `break` or `return`.
fn simple_statement(parser: &mut Parser) {
    parser.start(Statement);
    let before = parser.position;
    if parser.at_any(&[BreakKeyword, ReturnKeyword]) {
        parser.bump();
    } else {
        assignment_or_call(parser);
    }
    if parser.position == before {
        parser.finish();
        return;
    }
    comment(parser);
    parser.finish();
    parser.semicolon();
}

fn assignment_or_call(parser: &mut Parser) {
    expression(parser);
    if parser.eat(ColonEquals) {
        expression(parser);
    } else if parser.at(Equals) {
        let diagnostic = Diagnostic::error("E0111", "an equation among statements")
            .label(parser.current_span(), "expected `:=`")
            .help("write an assignment with `:=`, or put the equation into an `equation` section");
        parser.report(diagnostic);
        parser.bump();
        expression(parser);
    } else if parser.previous() != RightParen {
        parser.error_expected("`:=`");
    }
}

fn if_statement(parser: &mut Parser) {
    parser.open_block();
    parser.start(IfStatement);
    parser.bump();
    expression(parser);
    parser.expect(ThenKeyword);
    statements(parser);
    while parser.eat(ElseifKeyword) {
        expression(parser);
        parser.expect(ThenKeyword);
        statements(parser);
    }
    if parser.eat(ElseKeyword) {
        statements(parser);
    }
    parser.finish_block();
}

fn for_statement(parser: &mut Parser) {
    parser.open_block();
    parser.start(ForStatement);
    parser.bump();
    for_indices(parser);
    parser.expect(LoopKeyword);
    statements(parser);
    parser.finish_block();
}

fn while_statement(parser: &mut Parser) {
    parser.open_block();
    parser.start(WhileStatement);
    parser.bump();
    expression(parser);
    parser.expect(LoopKeyword);
    statements(parser);
    parser.finish_block();
}

fn when_statement(parser: &mut Parser) {
    parser.open_block();
    parser.start(WhenStatement);
    parser.bump();
    expression(parser);
    parser.expect(ThenKeyword);
    statements(parser);
    while parser.eat(ElsewhenKeyword) {
        expression(parser);
        parser.expect(ThenKeyword);
        statements(parser);
    }
    if else_of_when(parser) {
        statements(parser);
    }
    parser.finish_block();
}
