//! Modifications and annotations.

use std::sync::Arc;

use super::{Lowering, ident, path_below, tight};
use crate::ast::{Argument, ArgumentKind, Element, Ident, Modification, Path};
use crate::kind::SyntaxKind::{self, *};
use crate::tree::Node;

impl Lowering<'_> {
    /// The modification directly below a node.
    pub(super) fn modification_below(&mut self, node: Node) -> Option<Modification> {
        node.node(SyntaxKind::Modification).map(|inner| self.modification(inner))
    }

    /// The annotation directly below a node.
    pub(super) fn annotation_below(&mut self, node: Node) -> Option<Modification> {
        self.modification_below(node.node(Annotation)?)
    }

    pub(super) fn modification(&mut self, node: Node) -> Modification {
        let mut arguments = Vec::new();
        for inner in node.nodes() {
            match inner.kind() {
                SyntaxKind::Argument => arguments.extend(self.argument(inner)),
                BreakArgument => arguments.extend(break_argument(inner)),
                _ => {}
            }
        }
        let value = node.expressions().next().map(|value| self.expression(value));
        Modification { arguments: tight(arguments), value, span: node.span() }
    }

    fn argument(&mut self, node: Node) -> Option<Argument> {
        let redeclare = node.has_token(RedeclareKeyword);
        let replaceable = node.has_token(ReplaceableKeyword);
        let kind = if redeclare || replaceable {
            let element = self.declarations(node, false).into_iter().next()?;
            ArgumentKind::Redeclare(Box::new(Element { redeclare, ..element }))
        } else {
            self.modify(node)?
        };
        Some(Argument {
            each: node.has_token(EachKeyword),
            is_final: node.has_token(FinalKeyword),
            replaceable,
            kind,
            span: node.span(),
        })
    }

    /// `a.b(…) = e`; `a = break` takes the modification of `a` back, like `break a`.
    fn modify(&mut self, node: Node) -> Option<ArgumentKind> {
        let name = path_below(node)?;
        let inner = node.node(SyntaxKind::Modification);
        if inner.is_some_and(|inner| inner.has_token(BreakKeyword)) {
            return Some(ArgumentKind::Break(name));
        }
        let modification = inner.map(|inner| self.modification(inner));
        Some(ArgumentKind::Modify { name, modification })
    }

    /// `constrainedby T(…)` directly below a node.
    pub(super) fn constrained_by(&mut self, node: Node) -> Option<(Path, Option<Modification>)> {
        let clause = node.node(ConstrainingClause)?;
        let class = path_below(clause)?;
        Some((class, self.modification_below(clause)))
    }
}

/// `break a`; of `break connect(a, b)` the text is the name.
fn break_argument(node: Node) -> Option<Argument> {
    let name = match node.identifier() {
        Some(token) => ident(token),
        None => Ident { name: connect_text(node)?, span: node.span() },
    };
    let path = Path { global: false, span: name.span, parts: vec![name] };
    Some(Argument {
        each: false,
        is_final: false,
        replaceable: false,
        kind: ArgumentKind::Break(path),
        span: node.span(),
    })
}

fn connect_text(node: Node) -> Option<Arc<str>> {
    let mut ends = node.nodes().filter(|inner| inner.kind() == Reference).map(Node::text);
    Some(format!("connect({}, {})", ends.next()?, ends.next()?).into())
}
