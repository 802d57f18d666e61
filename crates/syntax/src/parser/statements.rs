//! Statements and algorithm sections (appendix A.2.6).

use modeshift_diagnostics::{Code, Diagnostic};

use super::Parser;
use super::blocks::Items;
use super::components::comment;
use super::expressions::expression;
use crate::kind::SyntaxKind::*;

const STATEMENTS: Items = Items {
    one: statement,
    name: "a statement",
    if_block: IfStatement,
    for_block: ForStatement,
    when_block: WhenStatement,
};

/// `algorithm …`, `initial algorithm …`
pub(super) fn algorithm_section(parser: &mut Parser) {
    parser.start(AlgorithmSection);
    parser.eat(InitialKeyword);
    parser.bump();
    STATEMENTS.list(parser);
    parser.finish();
}

fn statement(parser: &mut Parser) {
    parser.nested(|parser| match parser.current() {
        IfKeyword => STATEMENTS.if_block(parser),
        ForKeyword => STATEMENTS.for_block(parser),
        WhileKeyword => STATEMENTS.while_block(parser),
        WhenKeyword => STATEMENTS.when_block(parser),
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
        let diagnostic = Diagnostic::error(Code::E0111, "an equation among statements")
            .label(parser.current_span(), "expected `:=`")
            .help("write an assignment with `:=`, or put the equation into an `equation` section");
        parser.report(diagnostic);
        parser.bump();
        expression(parser);
    } else if parser.previous() != RightParen {
        parser.error_expected("`:=`");
    }
}
