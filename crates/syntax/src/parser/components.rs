//! Elements of a class: components, `extends`, `import`, nested classes (appendix A.2.3, A.2.4), with the extension
//! of declarations inside `if … end if` (E22 §3).

use super::Parser;
use super::classes::{class_definition, starts_class};
use super::expressions::{close, expression, optional_subscripts};
use super::modifications::{class_modification, modification};
use crate::kind::SyntaxKind::{self, *};

const TYPE_PREFIXES: &[SyntaxKind] =
    &[FlowKeyword, StreamKeyword, DiscreteKeyword, ParameterKeyword, ConstantKeyword, InputKeyword, OutputKeyword];

const ELEMENT_PREFIXES: &[SyntaxKind] =
    &[RedeclareKeyword, FinalKeyword, InnerKeyword, OuterKeyword, ReplaceableKeyword];

/// Whether a declaration starts here; asked where none may stand.
pub(super) fn starts_declaration(parser: &Parser) -> bool {
    if starts_class(parser) || parser.at_any(TYPE_PREFIXES) || parser.at_any(ELEMENT_PREFIXES) {
        return true;
    }
    match parser.current() {
        ImportKeyword | ExtendsKeyword => true,
        Identifier => parser.nth_text(0) != "invariant" && parser.nth(path_length(parser)) == Identifier,
        _ => false,
    }
}

/// The number of tokens of the path at the current token.
pub(super) fn path_length(parser: &Parser) -> usize {
    let mut length = 1;
    while parser.nth(length) == Dot && parser.nth(length + 1) == Identifier {
        length += 2;
    }
    length
}

/// One element with its `;`.
pub(super) fn element(parser: &mut Parser) {
    parser.nested(|parser| match parser.current() {
        ImportKeyword => import_clause(parser),
        ExtendsKeyword => extends_clause(parser),
        IfKeyword => conditional_elements(parser),
        _ => declaration(parser),
    });
}

/// A class or component with its prefixes.
fn declaration(parser: &mut Parser) {
    parser.start(Element);
    while parser.at_any(ELEMENT_PREFIXES) {
        parser.bump();
    }
    if starts_class(parser) {
        class_definition(parser);
    } else {
        component_clause(parser);
    }
    constraining_clause(parser);
    parser.finish();
    parser.semicolon();
}

/// `constrainedby T(…)` with its comment.
pub(super) fn constraining_clause(parser: &mut Parser) {
    if parser.at(ConstrainedbyKeyword) {
        parser.start(ConstrainingClause);
        parser.bump();
        path(parser);
        if parser.at(LeftParen) {
            class_modification(parser);
        }
        comment(parser);
        parser.finish();
    }
}

/// `parameter Real[2] x(start = 1) = 2 if c "…", y`
fn component_clause(parser: &mut Parser) {
    parser.start(ComponentClause);
    type_prefix(parser);
    if !parser.at_any(&[Identifier, Dot]) {
        parser.error_expected("a declaration");
        parser.finish();
        return;
    }
    path(parser);
    optional_subscripts(parser);
    component_declaration(parser);
    while parser.eat(Comma) {
        component_declaration(parser);
    }
    parser.finish();
}

pub(super) fn type_prefix(parser: &mut Parser) {
    if parser.at_any(TYPE_PREFIXES) {
        parser.start(TypePrefix);
        while parser.at_any(TYPE_PREFIXES) {
            parser.bump();
        }
        parser.finish();
    }
}

/// `x[2](start = 1) = 2 if c "…" annotation(…)`
pub(super) fn component_declaration(parser: &mut Parser) {
    parser.start(ComponentDeclaration);
    if !parser.eat(Identifier) {
        parser.error_expected("the name of a component");
        parser.skip_keyword_as_name();
    }
    optional_subscripts(parser);
    modification(parser);
    if parser.eat(IfKeyword) {
        expression(parser);
    }
    comment(parser);
    parser.finish();
}

/// `import A.B.C;`, `import D = A.B;`, `import A.{B, C};`, `import A.*;`
fn import_clause(parser: &mut Parser) {
    parser.start(ImportClause);
    parser.bump();
    if parser.nth(1) == Equals {
        parser.expect(Identifier);
        parser.bump();
    }
    path(parser);
    if parser.at(Dot) && parser.nth(1) == LeftBrace {
        parser.bump();
        let opening = parser.position;
        parser.bump();
        parser.expect(Identifier);
        while parser.eat(Comma) {
            parser.expect(Identifier);
        }
        close(parser, opening, RightBrace);
    } else if parser.at(Dot) && parser.nth(1) == Star {
        parser.bump();
        parser.bump();
    } else {
        parser.eat(DotStar);
    }
    comment(parser);
    parser.finish();
    parser.semicolon();
}

fn extends_clause(parser: &mut Parser) {
    parser.start(ExtendsClause);
    parser.bump();
    path(parser);
    if parser.at(LeftParen) {
        class_modification(parser);
    }
    comment(parser);
    parser.finish();
    parser.semicolon();
}

/// Extension: `if c then declarations elseif … else … end if;`
fn conditional_elements(parser: &mut Parser) {
    parser.open_block();
    parser.start(ConditionalElements);
    parser.bump();
    expression(parser);
    parser.expect(ThenKeyword);
    branch_elements(parser);
    while parser.eat(ElseifKeyword) {
        expression(parser);
        parser.expect(ThenKeyword);
        branch_elements(parser);
    }
    if parser.eat(ElseKeyword) {
        branch_elements(parser);
    }
    parser.finish_block();
}

fn branch_elements(parser: &mut Parser) {
    let ends = [EndOfFile, EndKeyword, ElseKeyword, ElseifKeyword, EquationKeyword, AlgorithmKeyword];
    while !parser.at_any(&ends) {
        let before = parser.position;
        if !parser.eat(PublicKeyword) && !parser.eat(ProtectedKeyword) {
            element(parser);
        }
        if parser.position == before {
            parser.skip_unexpected("a declaration");
        }
    }
}

/// `A.B.C`, `.A.B`; a dot that no name follows is left alone.
pub(super) fn path(parser: &mut Parser) {
    parser.start(Path);
    parser.eat(Dot);
    parser.expect(Identifier);
    while parser.at(Dot) && !matches!(parser.nth(1), LeftBrace | Star) {
        parser.bump();
        parser.expect_name();
    }
    parser.finish();
}

/// A description and an annotation, both optional.
pub(super) fn comment(parser: &mut Parser) {
    description(parser);
    if parser.at(AnnotationKeyword) {
        annotation(parser);
    }
}

pub(super) fn description(parser: &mut Parser) {
    if parser.at(String) {
        parser.start(Description);
        parser.bump();
        while parser.eat(Plus) {
            parser.expect(String);
        }
        parser.finish();
    }
}

pub(super) fn annotation(parser: &mut Parser) {
    parser.start(Annotation);
    parser.bump();
    if parser.at(LeftParen) {
        class_modification(parser);
    } else {
        parser.error_expected("`(`");
    }
    parser.finish();
}
