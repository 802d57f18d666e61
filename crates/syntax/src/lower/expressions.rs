//! Expressions, and the one place where the depth of an expression is bounded.
//!
//! A chain `a + b + c` becomes a left-deep tree as the specification says. Later stages walk expressions
//! recursively, so a chain of very many operands is folded pairwise instead (equal up to rounding), and an
//! expression that is still too deep is reported.

use modeshift_diagnostics::{Code, Diagnostic, Span};

use super::{Lowering, ident, missing, path_below, tight};
use crate::EXPRESSION_DEPTH_LIMIT;
use crate::ast::{
    BinaryOperator, Expression, ExpressionKind, ForIndex, Ident, Reference, ReferencePart, Subscript, SubscriptUse,
    UnaryOperator,
};
use crate::kind::SyntaxKind::{self, *};
use crate::tree::{Child, Node};

/// Chains that reach deeper than this are folded pairwise.
const LEFT_DEEP_LIMIT: usize = EXPRESSION_DEPTH_LIMIT / 2;

impl Lowering<'_> {
    pub(super) fn expression(&mut self, node: Node) -> Expression {
        if self.depth >= EXPRESSION_DEPTH_LIMIT {
            return self.too_deep(node.span());
        }
        self.depth += 1;
        let expression = match node.kind() {
            Tuple => self.tuple(node),
            Chain => self.chain(node),
            _ => Expression { kind: self.expression_kind(node), span: node.span() },
        };
        self.depth -= 1;
        expression
    }

    fn too_deep(&mut self, span: Span) -> Expression {
        let diagnostic =
            Diagnostic::error(Code::E0107, format!("expression more than {EXPRESSION_DEPTH_LIMIT} levels deep"))
                .label(span, "this part is too deep")
                .help("name inner parts and refer to them");
        self.diagnostics.push(diagnostic);
        missing(span)
    }

    fn expression_kind(&mut self, node: Node) -> ExpressionKind {
        match node.kind() {
            Literal => node.tokens().next().map_or(ExpressionKind::Error, |token| self.literal(token)),
            SyntaxKind::Reference => self.reference(node).map_or(ExpressionKind::Error, ExpressionKind::Reference),
            Call => self.call(node),
            PartialApplication => self.partial_application(node),
            ArrayLiteral => self.array(node),
            Matrix => self.matrix(node),
            Range => self.range(node),
            Unary => self.unary(node),
            IfExpression => self.if_expression(node),
            EndExpression => ExpressionKind::End,
            Access => self.access(node),
            _ => ExpressionKind::Error,
        }
    }

    pub(super) fn reference(&mut self, node: Node) -> Option<Reference> {
        let mut global = false;
        let mut parts: Vec<ReferencePart> = Vec::new();
        for child in node.children() {
            match child {
                Child::Token(token) if token.kind == Dot => global |= parts.is_empty(),
                Child::Token(token) if token.kind == Identifier || token.kind.is_keyword() => {
                    parts.push(ReferencePart { name: ident(token), subscripts: Vec::new() });
                }
                Child::Node(inner) if inner.kind() == Subscripts => {
                    let subscripts = self.subscripts(inner);
                    if let Some(part) = parts.last_mut() {
                        part.subscripts = subscripts;
                    }
                }
                _ => {}
            }
        }
        (!parts.is_empty()).then(|| Reference { global, parts: tight(parts), span: node.span() })
    }

    /// What stands in `[ … ]`.
    pub(super) fn subscripts(&mut self, node: Node) -> Vec<Subscript> {
        let mut subscripts = Vec::new();
        for child in node.children() {
            match child {
                Child::Token(token) if token.kind == Colon => subscripts.push(Subscript::All(token.span)),
                Child::Node(inner) if inner.kind().is_expression() => {
                    subscripts.push(Subscript::Expression(self.expression(inner)));
                }
                _ => {}
            }
        }
        tight(subscripts)
    }

    fn call(&mut self, node: Node) -> ExpressionKind {
        let function = node.node(SyntaxKind::Reference).and_then(|reference| self.reference(reference));
        let (Some(function), Some(inner)) = (function, node.node(Arguments)) else { return ExpressionKind::Error };
        let indices = self.for_indices(inner);
        if indices.is_empty() {
            let (arguments, named) = self.call_arguments(inner);
            ExpressionKind::Call { function, arguments, named }
        } else {
            let body = Box::new(self.first_expression(inner));
            ExpressionKind::Comprehension { function: Some(function), body, indices }
        }
    }

    /// Positional and named arguments.
    pub(super) fn call_arguments(&mut self, node: Node) -> (Vec<Expression>, Vec<(Ident, Expression)>) {
        let mut positional = Vec::new();
        let mut named = Vec::new();
        for inner in node.nodes() {
            if inner.kind() == NamedArgument {
                let value = self.first_expression(inner);
                named.extend(inner.identifier().map(|name| (ident(name), value)));
            } else if inner.kind().is_expression() {
                positional.push(self.expression(inner));
            }
        }
        (tight(positional), tight(named))
    }

    fn partial_application(&mut self, node: Node) -> ExpressionKind {
        let Some(function) = path_below(node) else { return ExpressionKind::Error };
        let named = node.node(Arguments).map_or_else(Vec::new, |inner| self.call_arguments(inner).1);
        ExpressionKind::PartialApplication { function, named }
    }

    pub(super) fn for_indices(&mut self, node: Node) -> Vec<ForIndex> {
        let indices = node.nodes().filter(|inner| inner.kind() == SyntaxKind::ForIndex);
        tight(indices.filter_map(|index| self.for_index(index, node)).collect())
    }

    fn for_index(&mut self, node: Node, around: Node) -> Option<ForIndex> {
        let name = ident(node.identifier()?);
        let range = node.expressions().next().map(|range| self.expression(range));
        let mut subscript_of = Vec::new();
        if range.is_none() {
            self.subscript_uses(around, &name.name, &mut subscript_of);
        }
        Some(ForIndex { name, range, subscript_of })
    }

    /// Where below a node an iterator stands alone as a subscript.
    fn subscript_uses(&mut self, node: Node, name: &str, out: &mut Vec<SubscriptUse>) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            open.extend(node.nodes().collect::<Vec<_>>().into_iter().rev());
            if node.kind() != SyntaxKind::Reference {
                continue;
            }
            let Some(whole) = self.reference(node) else { continue };
            for (at, part) in whole.parts.iter().enumerate() {
                for (position, subscript) in part.subscripts.iter().enumerate() {
                    let Subscript::Expression(subscript) = subscript else { continue };
                    let ExpressionKind::Reference(only) = &subscript.kind else { continue };
                    if matches!(only.parts.as_slice(), [part] if &*part.name.name == name && part.subscripts.is_empty())
                    {
                        let mut array = Reference { parts: whole.parts[..=at].to_vec(), ..whole.clone() };
                        array.parts[at].subscripts.clear();
                        out.push(SubscriptUse { array, position, count: part.subscripts.len() });
                    }
                }
            }
        }
    }

    fn expressions(&mut self, node: Node) -> Vec<Expression> {
        tight(node.expressions().map(|inner| self.expression(inner)).collect())
    }

    fn array(&mut self, node: Node) -> ExpressionKind {
        let indices = self.for_indices(node);
        if indices.is_empty() {
            ExpressionKind::Array(self.expressions(node))
        } else {
            let body = Box::new(self.first_expression(node));
            ExpressionKind::Comprehension { function: None, body, indices }
        }
    }

    fn matrix(&mut self, node: Node) -> ExpressionKind {
        let rows = node.nodes().filter(|inner| inner.kind() == MatrixRow);
        ExpressionKind::Matrix(rows.map(|row| self.expressions(row)).collect())
    }

    fn range(&mut self, node: Node) -> ExpressionKind {
        let mut parts = self.expressions(node).into_iter().map(Box::new);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(start), Some(stop), None) => ExpressionKind::Range { start, step: None, stop },
            (Some(start), step, Some(stop)) => ExpressionKind::Range { start, step, stop },
            _ => ExpressionKind::Error,
        }
    }

    /// `(a)` is `a`; anything else is a tuple.
    fn tuple(&mut self, node: Node) -> Expression {
        if node.has_token(Comma) || node.expressions().next().is_none() {
            Expression { kind: ExpressionKind::Tuple(self.tuple_elements(node)), span: node.span() }
        } else {
            self.first_expression(node)
        }
    }

    /// `(a, , b)` with its gaps.
    pub(super) fn tuple_elements(&mut self, node: Node) -> Vec<Option<Expression>> {
        let mut elements = vec![None];
        for child in node.children() {
            match child {
                Child::Token(token) if token.kind == Comma => elements.push(None),
                Child::Node(inner) if inner.kind().is_expression() => {
                    let value = self.expression(inner);
                    elements.pop();
                    elements.push(Some(value));
                }
                _ => {}
            }
        }
        if elements.len() == 1 { elements.into_iter().flatten().map(Some).collect() } else { elements }
    }

    fn access(&mut self, node: Node) -> ExpressionKind {
        let diagnostic = Diagnostic::error(Code::E0112, "subscripts or members of a parenthesized expression")
            .label(node.span(), "not supported")
            .help("give the expression a name and refer to that");
        self.diagnostics.push(diagnostic);
        ExpressionKind::Error
    }

    fn unary(&mut self, node: Node) -> ExpressionKind {
        let operand = Box::new(self.first_expression(node));
        let operator = match node.tokens().next().map(|token| token.kind) {
            Some(Plus) => UnaryOperator::Plus,
            Some(DotMinus) => UnaryOperator::ElementwiseMinus,
            Some(DotPlus) => UnaryOperator::ElementwisePlus,
            Some(NotKeyword) => UnaryOperator::Not,
            _ => UnaryOperator::Minus,
        };
        ExpressionKind::Unary(operator, operand)
    }

    fn if_expression(&mut self, node: Node) -> ExpressionKind {
        let mut parts = node.expressions();
        let has_else = node.has_token(ElseKeyword);
        let cases = node.expressions().count() / 2;
        let mut branches = Vec::with_capacity(cases);
        for _ in 0..cases {
            let (Some(condition), Some(value)) = (parts.next(), parts.next()) else { break };
            branches.push((self.expression(condition), self.expression(value)));
        }
        let otherwise = parts.next().filter(|_| has_else).map(|value| self.expression(value));
        ExpressionKind::If { branches, otherwise: Box::new(otherwise.unwrap_or_else(|| missing(node.span()))) }
    }

    /// `a + b - c`, `a and b and c`, …
    fn chain(&mut self, node: Node) -> Expression {
        let operators: Vec<_> = node.tokens().filter_map(|token| binary_operator(token.kind)).collect();
        let count = node.expressions().count();
        let left_deep = self.depth + count <= LEFT_DEEP_LIMIT;
        if !left_deep && !can_fold_pairwise(&operators) {
            return self.too_many_operands(node.span(), count);
        }
        let depth = self.depth;
        let mut operands = Vec::with_capacity(count);
        for (place, operand) in node.expressions().enumerate() {
            self.depth = depth + if left_deep { count - 1 - place.max(1) } else { count.ilog2() as usize + 1 };
            operands.push(Some(self.expression(operand)));
        }
        self.depth = depth;
        if left_deep {
            fold_left(operands, &operators, node.span())
        } else {
            fold_pairwise(operands, &operators, false)
        }
    }

    fn too_many_operands(&mut self, span: Span, count: usize) -> Expression {
        let diagnostic = Diagnostic::error(Code::E0107, format!("{count} operands in a row"))
            .label(span, "only sums, conjunctions and the like may be this long")
            .help("name parts of it and refer to them");
        self.diagnostics.push(diagnostic);
        missing(span)
    }
}

fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    let span = left.span.to(right.span);
    Expression { kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)), span }
}

fn fold_left(operands: Vec<Option<Expression>>, operators: &[BinaryOperator], span: Span) -> Expression {
    let mut operands = operands.into_iter().flatten();
    let first = operands.next().unwrap_or_else(|| missing(span));
    operators.iter().zip(operands).fold(first, |left, (&operator, right)| binary(operator, left, right))
}

/// Whether the operators may be grouped otherwise than from the left.
fn can_fold_pairwise(operators: &[BinaryOperator]) -> bool {
    use BinaryOperator::*;
    let sum = operators.iter().all(|operator| matches!(operator, Add | Subtract));
    let associative = [Multiply, ElementwiseAdd, ElementwiseMultiply, And, Or];
    sum || associative.iter().any(|one| operators.iter().all(|operator| operator == one))
}

/// Folds in halves. Behind a minus, all signs of the right half are flipped: `a - b + c` is `a - (b - c)`.
fn fold_pairwise(mut operands: Vec<Option<Expression>>, operators: &[BinaryOperator], flipped: bool) -> Expression {
    if operators.is_empty() || operands.len() < 2 {
        return operands.pop().flatten().unwrap_or_else(|| missing(Span::default()));
    }
    let middle = operands.len() / 2;
    let right = operands.split_off(middle);
    let operator = if flipped { opposite(operators[middle - 1]) } else { operators[middle - 1] };
    let flips_right = operator == BinaryOperator::Subtract;
    binary(
        operator,
        fold_pairwise(operands, &operators[..middle - 1], flipped),
        fold_pairwise(right, &operators[middle..], flipped != flips_right),
    )
}

fn opposite(operator: BinaryOperator) -> BinaryOperator {
    match operator {
        BinaryOperator::Add => BinaryOperator::Subtract,
        BinaryOperator::Subtract => BinaryOperator::Add,
        other => other,
    }
}

fn binary_operator(kind: SyntaxKind) -> Option<BinaryOperator> {
    use BinaryOperator as Operator;
    Some(match kind {
        Plus => Operator::Add,
        Minus => Operator::Subtract,
        Star => Operator::Multiply,
        Slash => Operator::Divide,
        Caret => Operator::Power,
        DotPlus => Operator::ElementwiseAdd,
        DotMinus => Operator::ElementwiseSubtract,
        DotStar => Operator::ElementwiseMultiply,
        DotSlash => Operator::ElementwiseDivide,
        DotCaret => Operator::ElementwisePower,
        AndKeyword => Operator::And,
        OrKeyword => Operator::Or,
        Less => Operator::Less,
        LessEqual => Operator::LessEqual,
        Greater => Operator::Greater,
        GreaterEqual => Operator::GreaterEqual,
        EqualEqual => Operator::Equal,
        NotEqual => Operator::NotEqual,
        _ => return None,
    })
}
