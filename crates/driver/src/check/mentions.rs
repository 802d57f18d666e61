//! Whether the class around a declaration names what it declares: also in branches that the values of parameters leave out, of which
//! nothing is left in a flat model.

use modeshift_diagnostics::{Diagnostics, FileId, Span};
use modeshift_syntax::SyntaxKind;
use modeshift_syntax::tree::{Child, Node};

/// Whether an identifier is named outside of its declaration, in the innermost class around that. One behind a dot is an element of
/// something else.
pub(crate) fn is_named_elsewhere(file: FileId, text: &str, declaration: Span, name: &str) -> bool {
    let parse = modeshift_syntax::parse(file, text, &mut Diagnostics::new());
    let tree = parse.tree();
    let contains = |node: &Node<'_>| node.span().start <= declaration.start && declaration.end <= node.span().end;
    let mut around = tree.root();
    let mut class = around;
    while let Some(inner) = around.nodes().find(contains) {
        around = inner;
        if inner.kind() == SyntaxKind::Class {
            class = inner;
        }
    }
    let mut pending = vec![class];
    while let Some(node) = pending.pop() {
        let is_argument = node.kind() == SyntaxKind::NamedArgument;
        let mut behind_dot = false;
        for child in node.children() {
            match child {
                // `d` in `part(d = 1)` is an element of the part.
                Child::Node(inner) if node.kind() == SyntaxKind::Argument && inner.kind() == SyntaxKind::Path => {}
                Child::Node(inner) => pending.push(inner),
                Child::Token(token) => {
                    let is_meant =
                        token.kind == SyntaxKind::Identifier && token.text == name && !behind_dot && !is_argument;
                    let is_outside = token.span.end <= declaration.start || token.span.start >= declaration.end;
                    if is_meant && is_outside {
                        return true;
                    }
                    behind_dot = token.kind == SyntaxKind::Dot;
                }
            }
        }
    }
    false
}
