//! Expressions (appendix A.2.7 of the specification), for Modelica and MEL alike.
//!
//! Operands of one precedence level stand side by side in one `Chain` node, so that a sum of 10^5 terms is
//! as flat in the tree as on paper.

use modeshift_diagnostics::{Code, Diagnostic, Repair};
use rowan::Checkpoint;

use super::{Dialect, Parser};
use crate::kind::SyntaxKind::{self, *};

const OR: &[SyntaxKind] = &[OrKeyword];
const AND: &[SyntaxKind] = &[AndKeyword];
const RELATIONS: &[SyntaxKind] = &[Less, LessEqual, Greater, GreaterEqual, EqualEqual, NotEqual];
const ADDITIONS: &[SyntaxKind] = &[Plus, Minus, DotPlus, DotMinus];
const MULTIPLICATIONS: &[SyntaxKind] = &[Star, Slash, DotStar, DotSlash];
const POWERS: &[SyntaxKind] = &[Caret, DotCaret];

pub(super) fn expression(parser: &mut Parser) {
    parser.nested(|parser| match parser.current() {
        IfKeyword => if_expression(parser),
        _ => simple_expression(parser),
    });
}

fn if_expression(parser: &mut Parser) {
    parser.start(IfExpression);
    parser.bump();
    condition_and_value(parser);
    while parser.at(ElseifKeyword) {
        parser.bump();
        condition_and_value(parser);
    }
    if parser.eat(ElseKeyword) {
        expression(parser);
    } else {
        let diagnostic = Diagnostic::error(Code::E0101, format!("expected `else`, found {}", parser.found()))
            .label(parser.previous_end(), "expected `else` behind this")
            .help("an `if` expression needs a value in every case");
        parser.report(diagnostic);
    }
    parser.finish();
}

fn condition_and_value(parser: &mut Parser) {
    expression(parser);
    parser.expect(ThenKeyword);
    expression(parser);
}

/// `a`, `a:b` or `a:b:c`.
fn simple_expression(parser: &mut Parser) {
    let checkpoint = parser.checkpoint();
    disjunction(parser);
    if parser.at(Colon) && parser.dialect == Dialect::Modelica {
        parser.start_at(checkpoint, Range);
        for _ in 0..2 {
            if parser.eat(Colon) {
                disjunction(parser);
            }
        }
        parser.finish();
    }
}

/// Also the start of an equation: an expression that is not an `if` without parentheses.
fn disjunction(parser: &mut Parser) {
    chain(parser, OR, |parser| chain(parser, AND, negation));
}

fn chain(parser: &mut Parser, operators: &[SyntaxKind], operand: fn(&mut Parser)) {
    let checkpoint = parser.checkpoint();
    operand(parser);
    if parser.at_any(operators) {
        parser.start_at(checkpoint, Chain);
        while parser.at_any(operators) {
            parser.bump();
            operand(parser);
        }
        parser.finish();
    }
}

fn negation(parser: &mut Parser) {
    if parser.at(NotKeyword) {
        parser.start(Unary);
        parser.bump();
        parser.nested(negation);
        parser.finish();
    } else {
        relation(parser);
    }
}

fn relation(parser: &mut Parser) {
    let checkpoint = parser.checkpoint();
    sum(parser);
    pair(parser, checkpoint, RELATIONS, sum, "a < b and b < c");
}

/// At most one operator: neither relations nor powers associate.
fn pair(parser: &mut Parser, left: Checkpoint, operators: &[SyntaxKind], right: fn(&mut Parser), instead: &str) {
    if !parser.at_any(operators) {
        return;
    }
    parser.start_at(left, Chain);
    parser.bump();
    right(parser);
    while parser.at_any(operators) {
        let diagnostic = Diagnostic::error(Code::E0109, format!("`{}` does not associate", parser.nth_text(0)))
            .label(parser.current_span(), "a second operator of this kind")
            .help(format!("say which one comes first, for example `{instead}`"));
        parser.report(diagnostic);
        parser.bump();
        right(parser);
    }
    parser.finish();
}

fn sum(parser: &mut Parser) {
    let checkpoint = parser.checkpoint();
    if parser.at_any(ADDITIONS) {
        parser.start(Unary);
        parser.bump();
        product(parser);
        parser.finish();
    } else {
        product(parser);
    }
    if parser.at_any(ADDITIONS) {
        parser.start_at(checkpoint, Chain);
        while parser.at_any(ADDITIONS) {
            parser.bump();
            product(parser);
        }
        parser.finish();
    }
}

fn product(parser: &mut Parser) {
    chain(parser, MULTIPLICATIONS, power);
}

fn power(parser: &mut Parser) {
    let checkpoint = parser.checkpoint();
    primary(parser);
    pair(parser, checkpoint, POWERS, primary, "(a^b)^c");
}

fn primary(parser: &mut Parser) {
    match parser.current() {
        Integer | Real | String | TrueKeyword | FalseKeyword => {
            parser.start(Literal);
            parser.bump();
            parser.finish();
        }
        Identifier | Dot | DerKeyword | InitialKeyword | PureKeyword => reference_or_call(parser),
        LeftParen => parenthesized(parser),
        LeftBracket => matrix(parser),
        LeftBrace => braces(parser),
        EndKeyword if parser.subscripts > 0 => {
            parser.start(EndExpression);
            parser.bump();
            parser.finish();
        }
        Plus | Minus | DotPlus | DotMinus => second_sign(parser),
        NotKeyword => {
            let help = "put the negation in parentheses";
            let diagnostic = Diagnostic::error(Code::E0109, "`not` behind another operator")
                .label(parser.current_span(), "binds weaker than the operator in front of it")
                .help(help);
            parser.report(diagnostic);
            parser.nested(negation);
        }
        IfKeyword => {
            let diagnostic = Diagnostic::error(Code::E0109, "`if` behind an operator")
                .label(parser.current_span(), "this expression needs parentheses")
                .help("write `( if … then … else … )`");
            parser.report(diagnostic);
            expression(parser);
        }
        _ => {
            parser.error_expected("an expression");
            parser.empty(Missing);
        }
    }
}

/// `a * -b`: Modelica wants parentheses, MEL does not.
fn second_sign(parser: &mut Parser) {
    let reported = parser.position > 0 && parser.last_error == Some(parser.position - 1);
    if reported {
        // A row of signs is one mistake.
        parser.last_error = Some(parser.position);
    } else if parser.dialect == Dialect::Modelica {
        let diagnostic = Diagnostic::error(Code::E0109, "a sign behind another operator")
            .label(parser.current_span(), "this sign needs parentheses")
            .help("write for example `a * (-b)`");
        parser.report(diagnostic);
    }
    parser.nested(|parser| {
        parser.start(Unary);
        parser.bump();
        power(parser);
        parser.finish();
    });
}

fn reference_or_call(parser: &mut Parser) {
    let checkpoint = parser.checkpoint();
    reference(parser);
    if parser.at(LeftParen) {
        parser.start_at(checkpoint, Call);
        call_arguments(parser);
        parser.finish();
    }
}

/// `a.b[i].c`, `.A.b`, and the keywords that are called like functions.
pub(super) fn reference(parser: &mut Parser) {
    parser.start(Reference);
    parser.eat(Dot);
    if parser.at_any(&[DerKeyword, InitialKeyword, PureKeyword]) {
        parser.bump();
    } else {
        parser.expect(Identifier);
    }
    optional_subscripts(parser);
    while parser.at(Dot) {
        parser.bump();
        parser.expect_name();
        optional_subscripts(parser);
    }
    parser.finish();
}

pub(super) fn optional_subscripts(parser: &mut Parser) {
    if !parser.at(LeftBracket) {
        return;
    }
    parser.start(Subscripts);
    let opening = parser.position;
    parser.bump();
    parser.subscripts += 1;
    list(parser, RightBracket, |parser| {
        if parser.at(Colon) {
            parser.bump();
        } else {
            expression(parser);
        }
    });
    parser.subscripts -= 1;
    close(parser, opening, RightBracket);
    parser.finish();
}

/// Elements separated by commas, at least one unless the closing token is here.
fn list(parser: &mut Parser, closing: SyntaxKind, element: impl Fn(&mut Parser)) {
    if parser.at(closing) {
        return;
    }
    element(parser);
    while parser.eat(Comma) {
        element(parser);
    }
}

/// The closing parenthesis, bracket or brace of what `opening` opened.
pub(super) fn close(parser: &mut Parser, opening: usize, closing: SyntaxKind) {
    if parser.eat(closing) {
        return;
    }
    let what = closing.description();
    let diagnostic = Diagnostic::error(Code::E0103, format!("expected {what}, found {}", parser.found()))
        .label(parser.previous_end(), format!("expected {what} behind this"))
        .label(parser.span_of(opening), "opened here");
    let bracket = match closing {
        RightParen => ")",
        RightBracket => "]",
        _ => "}",
    };
    let end = parser.previous_end();
    parser.report(diagnostic.candidate(Repair::insert(end, end.end, bracket, format!("insert `{bracket}`"))));
}

/// `(a, y = b)`, `(e for i in r)`, `(function f(x = 1))`.
pub(super) fn call_arguments(parser: &mut Parser) {
    parser.start(Arguments);
    let opening = parser.position;
    let subscripts = parser.subscripts;
    parser.bump();
    list(parser, RightParen, argument);
    parser.subscripts = subscripts;
    close(parser, opening, RightParen);
    parser.finish();
}

fn argument(parser: &mut Parser) {
    if parser.at(Identifier) && parser.nth(1) == Equals {
        parser.start(NamedArgument);
        parser.bump();
        parser.bump();
        argument_value(parser);
        parser.finish();
    } else {
        argument_value(parser);
        for_clause(parser);
    }
}

fn argument_value(parser: &mut Parser) {
    if parser.at(FunctionKeyword) {
        parser.nested(|parser| {
            parser.start(PartialApplication);
            parser.bump();
            super::components::path(parser);
            if parser.at(LeftParen) {
                call_arguments(parser);
            } else {
                parser.error_expected("`(`");
            }
            parser.finish();
        });
    } else {
        expression(parser);
    }
}

fn for_clause(parser: &mut Parser) {
    if parser.at(ForKeyword) {
        parser.bump();
        for_indices(parser);
    }
}

/// `i in 1:3, j`
pub(super) fn for_indices(parser: &mut Parser) {
    loop {
        parser.start(ForIndex);
        parser.expect(Identifier);
        if parser.eat(InKeyword) {
            expression(parser);
        }
        parser.finish();
        if !parser.eat(Comma) {
            break;
        }
    }
}

/// `(a)`, `(a, , b)`, and from 3.6 on `(a)[1]` and `(a).b`.
fn parenthesized(parser: &mut Parser) {
    let checkpoint = parser.checkpoint();
    tuple(parser);
    if parser.at(LeftBracket) {
        parser.start_at(checkpoint, Access);
        optional_subscripts(parser);
        parser.finish();
    } else if parser.at(Dot) {
        parser.start_at(checkpoint, Access);
        parser.bump();
        parser.expect(Identifier);
        parser.finish();
    }
}

pub(super) fn tuple(parser: &mut Parser) {
    parser.start(Tuple);
    let opening = parser.position;
    parser.bump();
    list(parser, RightParen, |parser| {
        if !parser.at_any(&[Comma, RightParen]) {
            expression(parser);
        }
    });
    close(parser, opening, RightParen);
    parser.finish();
}

fn matrix(parser: &mut Parser) {
    parser.start(Matrix);
    let opening = parser.position;
    parser.bump();
    loop {
        parser.start(MatrixRow);
        list(parser, RightBracket, expression);
        parser.finish();
        if !parser.eat(Semicolon) {
            break;
        }
    }
    close(parser, opening, RightBracket);
    parser.finish();
}

fn braces(parser: &mut Parser) {
    parser.start(ArrayLiteral);
    let opening = parser.position;
    parser.bump();
    list(parser, RightBrace, |parser| {
        argument_value(parser);
        for_clause(parser);
    });
    close(parser, opening, RightBrace);
    parser.finish();
}
