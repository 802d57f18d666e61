//! What can be folded: classes, sections, blocks, annotations, comments.

use modeshift_syntax::SyntaxKind;
use modeshift_syntax::tree::{Child, Node};
use serde_json::{Value, json};

use crate::documents::Document;

/// All ranges that take more than a line.
pub fn ranges(document: &Document) -> Value {
    let mut found = Vec::new();
    visit(document, document.tree().root(), &mut found);
    json!(found)
}

fn visit(document: &Document, node: Node<'_>, found: &mut Vec<Value>) {
    use SyntaxKind::*;
    let is_block = matches!(
        node.kind(),
        Class
            | EquationSection
            | AlgorithmSection
            | ConditionalElements
            | IfEquation
            | ForEquation
            | WhenEquation
            | IfStatement
            | ForStatement
            | WhenStatement
            | WhileStatement
            | Annotation
            | ComponentClause
            | Enumeration
            | MelIf
            | MelForeach
            | MelScenario
    );
    let line = |offset: u32| document.text.line_of(offset as usize);
    let span = node.span();
    if is_block && line(span.start) < line(span.end) {
        let last = line(span.end);
        // The line with `end` stays to be seen.
        let closes = !matches!(node.kind(), EquationSection | AlgorithmSection);
        let last = if closes { last.saturating_sub(1).max(line(span.start)) } else { last };
        if last > line(span.start) {
            found.push(json!({"startLine": line(span.start), "endLine": last}));
        }
    }
    let mut comments: Option<(usize, usize)> = None;
    let flush = |comments: &mut Option<(usize, usize)>, found: &mut Vec<Value>| {
        if let Some((first, last)) = comments.take().filter(|(first, last)| first < last) {
            found.push(json!({"startLine": first, "endLine": last, "kind": "comment"}));
        }
    };
    for child in node.children() {
        match child {
            Child::Token(token) if token.kind == LineComment => {
                let at = line(token.span.start);
                match &mut comments {
                    Some((_, last)) if *last + 1 == at => *last = at,
                    _ => {
                        flush(&mut comments, found);
                        comments = Some((at, at));
                    }
                }
            }
            Child::Token(token) if token.kind == Whitespace => {}
            Child::Token(token) => {
                flush(&mut comments, found);
                if token.kind == BlockComment && line(token.span.start) < line(token.span.end) {
                    let (first, last) = (line(token.span.start), line(token.span.end));
                    found.push(json!({"startLine": first, "endLine": last, "kind": "comment"}));
                }
            }
            Child::Node(node) => {
                flush(&mut comments, found);
                visit(document, node, found);
            }
        }
    }
    flush(&mut comments, found);
}
