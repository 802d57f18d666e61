//! Equations with their labels, and statements.

use modeshift_diagnostics::Span;

use super::{Lowering, description_below, missing, tight};
use crate::ast::{
    AlgorithmSection, Equation, EquationKind, EquationSection, Expression, ExpressionKind, Ident, Statement,
    StatementKind,
};
use crate::kind::SyntaxKind::{self, *};
use crate::tree::{Child, Node, Token};

/// The items of an `if` or `when`: conditions with what they guard, and the rest.
type Branches<T> = (Vec<(Expression, Vec<T>)>, Vec<T>);

impl Lowering<'_> {
    pub(super) fn equation_section(&mut self, node: Node) -> EquationSection {
        EquationSection { initial: node.has_token(InitialKeyword), equations: self.equations(node) }
    }

    pub(super) fn algorithm_section(&mut self, node: Node) -> AlgorithmSection {
        let initial = node.has_token(InitialKeyword);
        AlgorithmSection { initial, statements: self.statements(node), span: node.span() }
    }

    /// The equations directly below a node that has no branches.
    fn equations(&mut self, node: Node) -> Vec<Equation> {
        self.branches(node, Self::equation).1
    }

    fn statements(&mut self, node: Node) -> Vec<Statement> {
        self.branches(node, Self::statement).1
    }

    /// Sorts the children of an `if`, `when`, loop or section; what stands before any condition or behind `else`
    /// is the rest.
    fn branches<T>(
        &mut self,
        node: Node,
        mut lower: impl FnMut(&mut Self, Node, Option<Ident>) -> Option<T>,
    ) -> Branches<T> {
        let (mut branches, mut rest): Branches<T> = (Vec::new(), Vec::new());
        let mut in_else = false;
        let mut label = None;
        for child in node.children() {
            match child {
                Child::Token(token) => {
                    label = label_after(label, token);
                    match token.kind {
                        IfKeyword | ElseifKeyword | WhenKeyword | ElsewhenKeyword => {
                            branches.push((missing(token.span), Vec::new()));
                        }
                        ElseKeyword => in_else = true,
                        EndKeyword => break,
                        _ => {}
                    }
                }
                Child::Node(inner) if inner.kind().is_expression() => {
                    let condition = self.expression(inner);
                    if let Some(branch) = branches.last_mut() {
                        branch.0 = condition;
                    }
                }
                Child::Node(inner) => {
                    let item = lower(self, inner, label.take());
                    match branches.last_mut() {
                        Some(branch) if !in_else => branch.1.extend(item),
                        _ => rest.extend(item),
                    }
                }
            }
        }
        for (_, items) in &mut branches {
            items.shrink_to_fit();
        }
        (tight(branches), tight(rest))
    }

    fn equation(&mut self, node: Node, label: Option<Ident>) -> Option<Equation> {
        let kind = match node.kind() {
            SyntaxKind::Equation => self.simple_equation(node),
            IfEquation => {
                let (branches, otherwise) = self.branches(node, Self::equation);
                EquationKind::If { branches, otherwise }
            }
            ForEquation => EquationKind::For { indices: self.for_indices(node), body: self.equations(node) },
            WhenEquation => EquationKind::When(self.branches(node, Self::equation).0),
            ConnectEquation => {
                let mut ends = node.expressions();
                let mut end = || ends.next().map_or_else(|| missing(node.span()), |inner| self.expression(inner));
                EquationKind::Connect(end(), end())
            }
            InvariantEquation => EquationKind::Invariant(self.first_expression(node)),
            _ => return None,
        };
        let annotation = self.annotation_below(node);
        Some(Equation { kind, label, description: description_below(node), annotation, span: node.span() })
    }

    fn simple_equation(&mut self, node: Node) -> EquationKind {
        let mut sides = node.expressions();
        let left = sides.next().map_or_else(|| missing(node.span()), |side| self.expression(side));
        match sides.next() {
            Some(right) => EquationKind::Equal(left, self.expression(right)),
            None => EquationKind::Call(left),
        }
    }

    fn statement(&mut self, node: Node, _label: Option<Ident>) -> Option<Statement> {
        let kind = match node.kind() {
            SyntaxKind::Statement => self.simple_statement(node),
            IfStatement => {
                let (branches, otherwise) = self.branches(node, Self::statement);
                StatementKind::If { branches, otherwise }
            }
            ForStatement => StatementKind::For { indices: self.for_indices(node), body: self.statements(node) },
            WhenStatement => StatementKind::When(self.branches(node, Self::statement).0),
            WhileStatement => StatementKind::While(self.first_expression(node), self.statements(node)),
            _ => return None,
        };
        Some(Statement { kind, span: node.span() })
    }

    fn simple_statement(&mut self, node: Node) -> StatementKind {
        if node.has_token(BreakKeyword) {
            return StatementKind::Break;
        }
        if node.has_token(ReturnKeyword) {
            return StatementKind::Return;
        }
        let sides: Vec<_> = node.expressions().take(2).collect();
        match sides[..] {
            [targets, value] if targets.kind() == Tuple => {
                StatementKind::MultiAssign(self.tuple_elements(targets), self.expression(value))
            }
            [target, value] => StatementKind::Assign(self.expression(target), self.expression(value)),
            [call] => StatementKind::Call(self.expression(call)),
            _ => StatementKind::Call(Expression { kind: ExpressionKind::Error, span: node.span() }),
        }
    }
}

/// The label for the next equation, once `token` has been read.
fn label_after(label: Option<Ident>, token: Token) -> Option<Ident> {
    match token.kind {
        Whitespace | LineComment => label,
        BlockComment => label_in(token),
        _ => None,
    }
}

/// `/* name: */`: one word, which may have blanks inside of subscripts.
fn label_in(token: Token) -> Option<Ident> {
    let inner = token.text.strip_prefix("/*")?.strip_suffix("*/")?;
    let name = inner.trim().strip_suffix(':')?.trim_end();
    let mut brackets = 0;
    for character in name.chars() {
        match character {
            '[' => brackets += 1,
            ']' => brackets -= 1,
            _ if character.is_whitespace() && brackets == 0 => return None,
            _ => {}
        }
    }
    let start = token.text.find(name)? as u32 + token.span.start;
    let span = Span { start, end: start + name.len() as u32, ..token.span };
    (!name.is_empty()).then(|| Ident { name: name.into(), span })
}
