//! Modifications (appendix A.2.5): `(a = 1, redeclare B c(d = 2), break e) = value`.

use super::Parser;
use super::classes::{class_definition, starts_class};
use super::components::{comment, component_declaration, constraining_clause, description, path, type_prefix};
use super::equations::connect_clause;
use super::expressions::{close, expression, optional_subscripts};
use crate::kind::SyntaxKind::*;

/// `(…) = value`, `= value`, `:= value`, or nothing.
pub(super) fn modification(parser: &mut Parser) {
    if !parser.at_any(&[LeftParen, Equals, ColonEquals]) {
        return;
    }
    parser.start(Modification);
    if parser.at(LeftParen) {
        arguments(parser);
    }
    if parser.eat(Equals) || parser.eat(ColonEquals) {
        modification_value(parser);
    }
    parser.finish();
}

fn modification_value(parser: &mut Parser) {
    if !parser.eat(BreakKeyword) {
        expression(parser);
    }
}

/// `(…)` without a value.
pub(super) fn class_modification(parser: &mut Parser) {
    parser.start(Modification);
    arguments(parser);
    parser.finish();
}

fn arguments(parser: &mut Parser) {
    let opening = parser.position;
    parser.bump();
    if !parser.at(RightParen) {
        argument(parser);
        while parser.eat(Comma) {
            argument(parser);
        }
    }
    close(parser, opening, RightParen);
}

fn argument(parser: &mut Parser) {
    parser.nested(|parser| {
        if parser.at(BreakKeyword) {
            break_argument(parser);
            return;
        }
        parser.start(Argument);
        let mut declares = false;
        while parser.at_any(&[RedeclareKeyword, EachKeyword, FinalKeyword, ReplaceableKeyword]) {
            declares |= parser.at_any(&[RedeclareKeyword, ReplaceableKeyword]);
            parser.bump();
        }
        if declares {
            redeclaration(parser)
        } else {
            element_modification(parser)
        }
        parser.finish();
    });
}

/// `break a`, `break connect(a, b)`: selective model extension (7.4 of the specification).
fn break_argument(parser: &mut Parser) {
    parser.start(BreakArgument);
    parser.bump();
    if parser.at(ConnectKeyword) {
        connect_clause(parser);
    } else {
        parser.expect(Identifier);
    }
    parser.finish();
}

fn element_modification(parser: &mut Parser) {
    path(parser);
    modification(parser);
    description(parser);
}

/// `model M = N`, `Resistor r(R = 1)`, with a constraining clause.
fn redeclaration(parser: &mut Parser) {
    if starts_class(parser) {
        class_definition(parser);
    } else {
        parser.start(ComponentClause);
        type_prefix(parser);
        path(parser);
        optional_subscripts(parser);
        component_declaration(parser);
        parser.finish();
    }
    constraining_clause(parser);
    comment(parser);
}
