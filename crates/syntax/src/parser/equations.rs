//! Equations and equation sections (appendix A.2.6), with the extension `invariant <Boolean expression>`.

use modeshift_diagnostics::{Code, Diagnostic, Repair};

use super::Parser;
use super::blocks::Items;
use super::components::{comment, path_length};
use super::expressions::{close, expression, reference};
use crate::kind::SyntaxKind::*;

const EQUATIONS: Items = Items {
    one: equation,
    name: "an equation",
    if_block: IfEquation,
    for_block: ForEquation,
    when_block: WhenEquation,
};

/// `equation …`, `initial equation …`; ends where another section or the `end` of the class comes.
pub(super) fn equation_section(parser: &mut Parser) {
    parser.start(EquationSection);
    parser.eat(InitialKeyword);
    parser.bump();
    EQUATIONS.list(parser);
    parser.finish();
}

/// Whether an equation starts here; asked where none may stand.
pub(super) fn starts_equation(parser: &Parser) -> bool {
    match parser.current() {
        ConnectKeyword | ForKeyword | WhenKeyword | DerKeyword | LeftParen | Minus | InitialKeyword => true,
        Identifier if PREDEFINED_TYPES.contains(&parser.nth_text(0)) => false,
        Identifier => matches!(parser.nth(path_length(parser)), Equals | LeftParen),
        _ => false,
    }
}

const PREDEFINED_TYPES: &[&str] = &["Real", "Integer", "Boolean", "String"];

/// Equations in front of `equation`: reported once and read up to the next declaration.
pub(super) fn misplaced_equations(parser: &mut Parser) {
    let diagnostic = Diagnostic::error(Code::E0111, "an equation among declarations")
        .label(parser.current_span(), "this starts an equation")
        .help("put `equation` in front of the first equation");
    let first = parser.current_span();
    parser.report(diagnostic.candidate(Repair::insert(first, first.start, "equation\n  ", "insert `equation`")));
    parser.start(EquationSection);
    while starts_equation(parser) {
        let before = parser.position;
        equation(parser);
        if parser.position == before {
            break;
        }
    }
    parser.finish();
}

fn equation(parser: &mut Parser) {
    parser.nested(|parser| match parser.current() {
        IfKeyword => EQUATIONS.if_block(parser),
        ForKeyword => EQUATIONS.for_block(parser),
        WhenKeyword => EQUATIONS.when_block(parser),
        ConnectKeyword => connect_equation(parser),
        Identifier if at_invariant(parser) => invariant_equation(parser),
        _ => simple_equation(parser),
    });
}

/// `left = right` or a call.
fn simple_equation(parser: &mut Parser) {
    parser.start(Equation);
    let before = parser.position;
    expression(parser);
    if parser.position == before {
        parser.finish();
        return;
    }
    if parser.eat(Equals) {
        expression(parser);
    } else if parser.at(ColonEquals) {
        let diagnostic = Diagnostic::error(Code::E0111, "an assignment among equations")
            .label(parser.current_span(), "expected `=`")
            .help("write an equation with `=`, or put the assignment into an `algorithm` section");
        let repair = Repair::replace(parser.current_span(), "=", "write `=`");
        parser.report(diagnostic.candidate(repair));
        parser.bump();
        expression(parser);
    } else if parser.previous() != RightParen {
        let help = "an equation is `left = right` or a call; `==` only compares";
        parser.error_expected_with_help("`=`", help);
    }
    comment(parser);
    parser.finish();
    parser.semicolon();
}

fn connect_equation(parser: &mut Parser) {
    parser.start(ConnectEquation);
    connect_clause(parser);
    comment(parser);
    parser.finish();
    parser.semicolon();
}

/// `connect(a, b)`
pub(super) fn connect_clause(parser: &mut Parser) {
    parser.bump();
    let opening = parser.position;
    if parser.expect(LeftParen) {
        reference(parser);
        parser.expect(Comma);
        reference(parser);
        close(parser, opening, RightParen);
    }
}

/// `invariant` is a name unless an expression follows that cannot continue a name.
fn at_invariant(parser: &Parser) -> bool {
    parser.nth_text(0) == "invariant"
        && match parser.nth(1) {
            Identifier | Integer | Real | String | NotKeyword | TrueKeyword | FalseKeyword | IfKeyword | DerKeyword
            | InitialKeyword => true,
            LeftParen => !has_equals_sign(parser),
            _ => false,
        }
}

/// How far ahead an `=` is looked for.
const LOOKAHEAD: usize = 200;

/// Whether the equation at the current token has an `=` outside of parentheses.
fn has_equals_sign(parser: &Parser) -> bool {
    let mut depth = 0;
    for ahead in 1..LOOKAHEAD {
        match parser.nth(ahead) {
            LeftParen | LeftBracket | LeftBrace => depth += 1,
            RightParen | RightBracket | RightBrace => depth -= 1,
            Equals if depth == 0 => return true,
            Semicolon | EndOfFile => return false,
            _ => {}
        }
    }
    false
}

fn invariant_equation(parser: &mut Parser) {
    parser.start(InvariantEquation);
    parser.bump();
    expression(parser);
    comment(parser);
    parser.finish();
    parser.semicolon();
}
