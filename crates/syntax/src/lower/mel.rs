//! Statements of MEL.

use super::{Lowering, ident, missing};
use crate::kind::SyntaxKind::{self, *};
use crate::mel::{Statement, StatementKind, Type};
use crate::tree::{Child, Node};

impl Lowering<'_> {
    /// The statements directly below a node.
    pub(super) fn mel_statements(&mut self, node: Node) -> Vec<Statement> {
        node.nodes().filter_map(|inner| self.mel_statement(inner)).collect()
    }

    fn mel_statement(&mut self, node: Node) -> Option<Statement> {
        let kind = match node.kind() {
            MelDeclaration => self.mel_declaration(node)?,
            MelEquation => self.mel_equation(node)?,
            MelLaw => self.mel_law(node)?,
            MelInvariant => StatementKind::Invariant(self.first_expression(node)),
            MelIf => self.mel_if(node),
            MelForeach => self.mel_foreach(node)?,
            MelScenario => StatementKind::Scenario {
                name: ident(node.identifier()?),
                when: node.expressions().next().map(|when| self.expression(when)),
                body: self.mel_statements(node),
            },
            _ => return None,
        };
        Some(Statement { kind, span: node.span() })
    }

    fn mel_declaration(&mut self, node: Node) -> Option<StatementKind> {
        let name = self.reference(node.node(SyntaxKind::Reference)?)?;
        let ty = type_named(node.identifier()?.text)?;
        let value = node.expressions().nth(1).map(|value| self.expression(value));
        Some(StatementKind::Declaration { name, ty, value })
    }

    fn mel_law(&mut self, node: Node) -> Option<StatementKind> {
        let reference = self.reference(node.node(SyntaxKind::Reference)?)?;
        let name = reference.parts.into_iter().next()?.name;
        let mut words: Vec<_> = node.tokens().filter(|token| token.kind == Identifier).collect();
        let ty = type_named(words.pop()?.text)?;
        let parameters = words.into_iter().map(ident).collect();
        let value = node.expressions().nth(1).map_or_else(|| missing(node.span()), |value| self.expression(value));
        Some(StatementKind::Law { name, parameters, ty, value })
    }

    fn mel_equation(&mut self, node: Node) -> Option<StatementKind> {
        let label = self.reference(node.node(SyntaxKind::Reference)?)?;
        let mut sides = node.expressions().skip(1);
        let mut side = || sides.next().map_or_else(|| missing(node.span()), |side| self.expression(side));
        Some(StatementKind::Equation { label, left: side(), right: side() })
    }

    fn mel_if(&mut self, node: Node) -> StatementKind {
        let condition = self.first_expression(node);
        let (mut then, mut otherwise) = (Vec::new(), Vec::new());
        let mut in_else = false;
        for child in node.children() {
            match child {
                Child::Token(token) => in_else |= token.kind == ElseKeyword,
                Child::Node(inner) => {
                    let list = if in_else { &mut otherwise } else { &mut then };
                    list.extend(self.mel_statement(inner));
                }
            }
        }
        StatementKind::If { condition, then, otherwise }
    }

    fn mel_foreach(&mut self, node: Node) -> Option<StatementKind> {
        let index = ident(node.identifier()?);
        let mut bounds = node.expressions();
        let mut bound = || bounds.next().map_or_else(|| missing(node.span()), |bound| self.expression(bound));
        let (from, to) = (bound(), bound());
        Some(StatementKind::Foreach { index, from, to, body: self.mel_statements(node) })
    }
}

fn type_named(text: &str) -> Option<Type> {
    match text {
        "real" => Some(Type::Real),
        "boolean" => Some(Type::Boolean),
        "integer" => Some(Type::Integer),
        _ => None,
    }
}
