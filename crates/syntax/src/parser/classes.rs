//! Files and class definitions of every form (appendix A.2.1, A.2.2).

use super::Parser;
use super::components::{annotation, comment, description, element, path, type_prefix};
use super::equations::{equation_section, misplaced_equations, starts_equation};
use super::expressions::{call_arguments, close, optional_subscripts, reference};
use super::modifications::class_modification;
use super::recovery::Open;
use super::statements::algorithm_section;
use crate::kind::SyntaxKind::{self, *};

const CLASS_KEYWORDS: &[SyntaxKind] = &[
    ClassKeyword,
    ModelKeyword,
    BlockKeyword,
    RecordKeyword,
    ConnectorKeyword,
    TypeKeyword,
    PackageKeyword,
    FunctionKeyword,
    OperatorKeyword,
];

const CLASS_PREFIXES: &[SyntaxKind] =
    &[EncapsulatedKeyword, PartialKeyword, ExpandableKeyword, PureKeyword, ImpureKeyword, OperatorKeyword];

pub(super) fn starts_class(parser: &Parser) -> bool {
    let starts = parser.at_any(CLASS_KEYWORDS) || parser.at_any(CLASS_PREFIXES);
    starts && !(parser.at(PureKeyword) && parser.nth(1) == LeftParen)
}

/// `within A.B; model M … end M; …`
pub(super) fn stored_definition(parser: &mut Parser) {
    while !parser.at(EndOfFile) {
        let before = parser.position;
        if parser.at(WithinKeyword) {
            within_clause(parser);
        } else if starts_class(parser) || parser.at(FinalKeyword) {
            parser.eat(FinalKeyword);
            class_definition(parser);
            parser.semicolon();
        }
        if parser.position == before {
            skip_to_class(parser);
        }
    }
}

fn within_clause(parser: &mut Parser) {
    parser.start(WithinClause);
    parser.bump();
    if !parser.at(Semicolon) {
        path(parser);
    }
    parser.finish();
    parser.semicolon();
}

/// Outside of all classes only classes may stand.
fn skip_to_class(parser: &mut Parser) {
    parser.error_expected("a class, such as `model M … end M;`");
    parser.start(Skipped);
    parser.bump();
    while !parser.at_any(&[EndOfFile, WithinKeyword]) && !starts_class(parser) {
        parser.bump();
    }
    parser.finish();
}

/// A class from its first prefix to `end Name`, without the `;`.
pub(super) fn class_definition(parser: &mut Parser) {
    parser.nested(|parser| {
        parser.start(Class);
        class_prefixes(parser);
        let start = parser.position.saturating_sub(1);
        let keyword = parser.text[parser.tokens.range(parser.token(start))].to_owned();
        let extends = parser.eat(ExtendsKeyword);
        let named = parser.at(Identifier) || (parser.current().is_keyword() && !parser.at_line_start());
        let name = if named { parser.nth_text(0) } else { "" }.to_owned();
        parser.expect_name();
        if parser.eat(Equals) {
            short_class(parser);
        } else {
            parser.open.push(Open { keyword, name: Some(name), start });
            if extends && parser.at(LeftParen) {
                class_modification(parser);
            }
            description(parser);
            composition(parser);
            parser.close_block();
        }
        parser.finish();
    });
}

fn class_prefixes(parser: &mut Parser) {
    while parser.at_any(CLASS_PREFIXES) {
        parser.bump();
    }
    let is_operator = parser.previous() == OperatorKeyword && !parser.at_any(&[RecordKeyword, FunctionKeyword]);
    if parser.at_any(CLASS_KEYWORDS) {
        parser.bump();
    } else if !is_operator {
        parser.error_expected("a kind of class, such as `model`");
    }
}

/// What follows `=`.
fn short_class(parser: &mut Parser) {
    match parser.current() {
        EnumerationKeyword => enumeration(parser),
        DerKeyword => partial_derivative(parser),
        _ => {
            type_prefix(parser);
            path(parser);
            optional_subscripts(parser);
            if parser.at(LeftParen) {
                class_modification(parser);
            }
        }
    }
    comment(parser);
}

/// `enumeration(a "first", b)`, `enumeration(:)`
fn enumeration(parser: &mut Parser) {
    parser.start(Enumeration);
    parser.bump();
    let opening = parser.position;
    if parser.expect(LeftParen) {
        if !parser.eat(Colon) && !parser.at(RightParen) {
            enumeration_literal(parser);
            while parser.eat(Comma) {
                enumeration_literal(parser);
            }
        }
        close(parser, opening, RightParen);
    }
    parser.finish();
}

fn enumeration_literal(parser: &mut Parser) {
    parser.start(EnumerationLiteral);
    parser.expect(Identifier);
    comment(parser);
    parser.finish();
}

/// `der(f, x, y)`
fn partial_derivative(parser: &mut Parser) {
    parser.start(PartialDerivative);
    parser.bump();
    let opening = parser.position;
    if parser.expect(LeftParen) {
        path(parser);
        while parser.eat(Comma) {
            parser.expect(Identifier);
        }
        close(parser, opening, RightParen);
    }
    parser.finish();
}

/// Everything up to the `end` of a class.
fn composition(parser: &mut Parser) {
    loop {
        let before = parser.position;
        if parser.at(EndOfFile) || (parser.at(EndKeyword) && !parser.at_stray_end()) {
            return;
        }
        section_or_element(parser);
        if parser.position == before {
            parser.skip_unexpected("a declaration, `equation`, `algorithm` or `end`");
        }
    }
}

fn section_or_element(parser: &mut Parser) {
    match parser.current() {
        EndKeyword => parser.stray_end(),
        PublicKeyword | ProtectedKeyword => parser.bump(),
        EquationKeyword => equation_section(parser),
        AlgorithmKeyword => algorithm_section(parser),
        InitialKeyword if parser.nth(1) == EquationKeyword => equation_section(parser),
        InitialKeyword if parser.nth(1) == AlgorithmKeyword => algorithm_section(parser),
        ExternalKeyword => external_clause(parser),
        AnnotationKeyword => {
            annotation(parser);
            parser.semicolon();
        }
        ElseKeyword | ElseifKeyword | ElsewhenKeyword | ThenKeyword | LoopKeyword => {}
        _ if starts_equation(parser) => misplaced_equations(parser),
        _ => element(parser),
    }
}

/// `external "C" y = f(x) annotation(…);`
fn external_clause(parser: &mut Parser) {
    parser.start(ExternalClause);
    parser.bump();
    parser.eat(String);
    if parser.at_any(&[Identifier, Dot]) {
        if parser.nth(1) != LeftParen {
            reference(parser);
            parser.expect(Equals);
        }
        parser.expect(Identifier);
        if parser.at(LeftParen) {
            call_arguments(parser);
        } else {
            parser.error_expected("`(`");
        }
    }
    if parser.at(AnnotationKeyword) {
        annotation(parser);
    }
    parser.finish();
    parser.semicolon();
}
