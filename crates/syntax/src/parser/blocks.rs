//! What equations and statements have in common: lists of them, and `if`, `for` and `when` around such lists.

use modeshift_diagnostics::{Code, Diagnostic};

use super::Parser;
use super::components::{element, starts_declaration};
use super::expressions::{expression, for_indices};
use crate::kind::SyntaxKind::{self, *};

/// Equations, or statements.
#[derive(Clone, Copy)]
pub(super) struct Items {
    /// Reads one.
    pub one: fn(&mut Parser),
    /// What one is called where it is missing.
    pub name: &'static str,
    pub if_block: SyntaxKind,
    pub for_block: SyntaxKind,
    pub when_block: SyntaxKind,
}

impl Items {
    /// All up to where something else begins.
    pub(super) fn list(self, parser: &mut Parser) {
        while !parser.at_end_of_items() {
            let before = parser.position;
            if parser.at_stray_end() {
                parser.stray_end();
                continue;
            }
            if starts_declaration(parser) {
                misplaced_declaration(parser);
            } else {
                (self.one)(parser);
            }
            if parser.position == before {
                parser.skip_unexpected(self.name);
            }
        }
    }

    /// `if … then … elseif … then … else … end if`
    pub(super) fn if_block(self, parser: &mut Parser) {
        self.begin(parser, self.if_block);
        self.branches(parser, ElseifKeyword);
        if parser.eat(ElseKeyword) {
            self.list(parser);
        }
        parser.finish_block();
    }

    /// `for … loop … end for`
    pub(super) fn for_block(self, parser: &mut Parser) {
        self.begin(parser, self.for_block);
        for_indices(parser);
        self.body(parser, LoopKeyword);
        parser.finish_block();
    }

    /// `when … then … elsewhen … then … end when`
    pub(super) fn when_block(self, parser: &mut Parser) {
        self.begin(parser, self.when_block);
        self.branches(parser, ElsewhenKeyword);
        if else_of_when(parser) {
            self.list(parser);
        }
        parser.finish_block();
    }

    /// `while … loop … end while`
    pub(super) fn while_block(self, parser: &mut Parser) {
        self.begin(parser, WhileStatement);
        expression(parser);
        self.body(parser, LoopKeyword);
        parser.finish_block();
    }

    /// The keyword that a block begins with.
    fn begin(self, parser: &mut Parser, block: SyntaxKind) {
        parser.open_block();
        parser.start(block);
        parser.bump();
    }

    /// Conditions with their branches, the others after this keyword.
    fn branches(self, parser: &mut Parser, other: SyntaxKind) {
        loop {
            expression(parser);
            self.body(parser, ThenKeyword);
            if !parser.eat(other) {
                break;
            }
        }
    }

    fn body(self, parser: &mut Parser, keyword: SyntaxKind) {
        parser.expect(keyword);
        self.list(parser);
    }
}

/// A declaration behind `equation`: reported and read, but it declares nothing.
fn misplaced_declaration(parser: &mut Parser) {
    let diagnostic = Diagnostic::error(Code::E0111, "a declaration among equations or statements")
        .label(parser.current_span(), "this starts a declaration")
        .help("move it in front of `equation` or `algorithm`, or start a `public` or `protected` section");
    parser.report(diagnostic);
    element(parser);
}

/// `else` of a `when`, which has none: reported and read.
fn else_of_when(parser: &mut Parser) -> bool {
    if parser.at(ElseKeyword) {
        let diagnostic = Diagnostic::error(Code::E0101, "`when` has no `else`")
            .label(parser.current_span(), "expected `elsewhen` or `end when`")
            .help("write `elsewhen … then`; outside of its instants, a `when` says nothing");
        parser.report(diagnostic);
    }
    parser.eat(ElseKeyword)
}
