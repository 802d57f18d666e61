//! Operators on scalars and arrays (Modelica 3.6, 10.6), with their types.

use modeshift_dae::{ArithmeticOperator, ExpressionId, Node, RelationOperator, Type};
use modeshift_diagnostics::Span;
use modeshift_syntax::ast::BinaryOperator;

use crate::expressions::evaluate::describe;
use crate::expressions::term::{Term, shape_text};
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;

impl Flattener<'_> {
    /// `a op b`
    pub(crate) fn binary(&mut self, operator: BinaryOperator, a: &Term, b: &Term, span: Span) -> Outcome<Term> {
        use BinaryOperator::*;
        match operator {
            Add | Subtract => self.same_size(operator, a, b, span),
            ElementwiseAdd | ElementwiseSubtract | ElementwiseMultiply | ElementwiseDivide | ElementwisePower => {
                self.elementwise(scalar_operator(operator), a, b, span)
            }
            Multiply => self.product_term(a, b, span),
            Divide if b.dims().is_empty() => self.elementwise(Divide, a, b, span),
            Divide => wrong("E0304", "division by an array; elementwise division is `./`", span),
            Power if a.dims().is_empty() && b.dims().is_empty() => self.elementwise(Power, a, b, span),
            Power => self.matrix_power(a, b, span),
            And | Or | Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual => {
                self.same_size(operator, a, b, span)
            }
        }
    }

    fn same_size(&mut self, operator: BinaryOperator, a: &Term, b: &Term, span: Span) -> Outcome<Term> {
        if a.dims() != b.dims() {
            return wrong("E0304", format!("sizes differ: {} and {}", describe(a), describe(b)), span);
        }
        self.elementwise(operator, a, b, span)
    }

    /// Element by element; a scalar goes with every element.
    fn elementwise(&mut self, operator: BinaryOperator, a: &Term, b: &Term, span: Span) -> Outcome<Term> {
        match (a.dims().is_empty(), b.dims().is_empty()) {
            (true, true) => self.scalar_binary(operator, a, b, span),
            (false, true) => a.map(|item| self.scalar_binary(operator, item, b, span)),
            (true, false) => b.map(|item| self.scalar_binary(operator, a, item, span)),
            (false, false) if a.dims() == b.dims() => {
                let pairs = a.items().iter().zip(b.items());
                let items =
                    pairs.map(|(x, y)| self.scalar_binary(operator, x, y, span)).collect::<Outcome<Vec<_>>>()?;
                let ty = items.first().and_then(Term::scalar_type).or(a.scalar_type()).unwrap_or(Type::Real);
                Ok(Term::array(ty, a.dims().to_vec(), items))
            }
            _ => wrong("E0304", format!("sizes differ: {} and {}", shape_text(a.dims()), shape_text(b.dims())), span),
        }
    }

    /// `a op b` for scalars.
    pub(crate) fn scalar_binary(&mut self, operator: BinaryOperator, a: &Term, b: &Term, span: Span) -> Outcome<Term> {
        let (&Term::Scalar(left, x), &Term::Scalar(right, y)) = (a, b) else {
            return unsupported(format!("an operator between {} and {}", describe(a), describe(b)), span);
        };
        let mismatch =
            || wrong("E0303", format!("types do not go together: {} and {}", describe(a), describe(b)), span);
        let numeric = is_number(left) && is_number(right);
        let expressions = &mut self.model.expressions;
        match operator {
            BinaryOperator::And | BinaryOperator::Or if left == Type::Boolean && right == Type::Boolean => {
                let id = if operator == BinaryOperator::And { expressions.and(x, y) } else { expressions.or(x, y) };
                Ok(Term::Scalar(Type::Boolean, id))
            }
            BinaryOperator::And | BinaryOperator::Or => mismatch(),
            _ if relation_operator(operator).is_some() => {
                let comparable = numeric || left == right;
                if !comparable {
                    return mismatch();
                }
                let relation = relation_operator(operator).ok_or(Failure::Reported)?;
                Ok(Term::Scalar(Type::Boolean, self.relation(relation, x, y)))
            }
            BinaryOperator::Add if left == Type::String && right == Type::String => {
                Ok(Term::Scalar(Type::String, self.joined(x, y)))
            }
            _ if !numeric => mismatch(),
            _ => {
                let arithmetic = arithmetic_operator(operator).ok_or(Failure::Reported)?;
                let keeps_integer = matches!(
                    arithmetic,
                    ArithmeticOperator::Add | ArithmeticOperator::Subtract | ArithmeticOperator::Multiply
                );
                let ty = if keeps_integer && left == Type::Integer && right == Type::Integer {
                    Type::Integer
                } else {
                    Type::Real
                };
                Ok(Term::Scalar(ty, expressions.arithmetic(arithmetic, x, y)))
            }
        }
    }

    fn relation(&mut self, operator: RelationOperator, x: ExpressionId, y: ExpressionId) -> ExpressionId {
        let expressions = &mut self.model.expressions;
        match (expressions.node(x), expressions.node(y), operator) {
            (Node::String(a), Node::String(b), RelationOperator::Equal) => expressions.boolean(a == b),
            (Node::String(a), Node::String(b), RelationOperator::NotEqual) => expressions.boolean(a != b),
            _ => expressions.relation(operator, x, y),
        }
    }

    fn joined(&mut self, x: ExpressionId, y: ExpressionId) -> ExpressionId {
        let expressions = &mut self.model.expressions;
        match (expressions.node(x), expressions.node(y)) {
            (Node::String(a), Node::String(b)) => {
                let text = format!("{}{}", expressions.text(a), expressions.text(b));
                expressions.string(&text)
            }
            _ => expressions.add(Node::Arithmetic(ArithmeticOperator::Add, x, y)),
        }
    }

    /// `a * b`: scaling, scalar product, matrix product.
    pub(crate) fn product_term(&mut self, a: &Term, b: &Term, span: Span) -> Outcome<Term> {
        let multiply = BinaryOperator::Multiply;
        match (a.dims(), b.dims()) {
            ([], _) | (_, []) => self.elementwise(multiply, a, b, span),
            ([n], [m]) if n == m => self.dot(a.items(), b.items(), span),
            ([rows, n], [m]) if n == m => {
                let items = (0..*rows).map(|row| self.dot(&a.items()[row * n..(row + 1) * n], b.items(), span));
                let items = items.collect::<Outcome<Vec<_>>>()?;
                Ok(Term::vector(Type::Real, items))
            }
            ([n], [m, columns]) if n == m => {
                let items = (0..*columns).map(|column| self.dot(a.items(), &column_of(b, *columns, column), span));
                let items = items.collect::<Outcome<Vec<_>>>()?;
                Ok(Term::vector(Type::Real, items))
            }
            ([rows, n], [m, columns]) if n == m => {
                self.check_items(rows.saturating_mul(*columns), span)?;
                let mut items = Vec::with_capacity(rows * columns);
                for row in 0..*rows {
                    for column in 0..*columns {
                        items.push(self.dot(
                            &a.items()[row * n..(row + 1) * n],
                            &column_of(b, *columns, column),
                            span,
                        )?);
                    }
                }
                Ok(Term::array(Type::Real, vec![*rows, *columns], items))
            }
            (left, right) => {
                let message =
                    format!("sizes do not go together in a product: {} and {}", shape_text(left), shape_text(right));
                wrong("E0304", message, span)
            }
        }
    }

    fn dot(&mut self, a: &[Term], b: &[Term], span: Span) -> Outcome<Term> {
        let mut sum: Option<Term> = None;
        for (x, y) in a.iter().zip(b) {
            let product = self.scalar_binary(BinaryOperator::Multiply, x, y, span)?;
            sum = Some(match sum {
                None => product,
                Some(sum) => self.scalar_binary(BinaryOperator::Add, &sum, &product, span)?,
            });
        }
        Ok(sum.unwrap_or(Term::Scalar(Type::Real, self.model.expressions.real(0.0))))
    }

    fn matrix_power(&mut self, a: &Term, b: &Term, span: Span) -> Outcome<Term> {
        let (&[rows, columns], Some(exponent)) = (a.dims(), self.integer_value(b)) else {
            return wrong(
                "E0304",
                "a power of an array needs a square matrix and an Integer literal; elementwise is `.^`",
                span,
            );
        };
        if rows != columns || !(0..=64).contains(&exponent) {
            return wrong("E0304", "a power of a matrix needs a square matrix and an exponent from 0 to 64", span);
        }
        let mut result = self.identity(rows);
        for _ in 0..exponent {
            result = self.product_term(&result, a, span)?;
        }
        Ok(result)
    }
}

fn column_of(matrix: &Term, columns: usize, column: usize) -> Vec<Term> {
    matrix.items().iter().skip(column).step_by(columns.max(1)).cloned().collect()
}

/// Whether a number.
pub(crate) fn is_number(ty: Type) -> bool {
    matches!(ty, Type::Real | Type::Integer)
}

fn scalar_operator(operator: BinaryOperator) -> BinaryOperator {
    use BinaryOperator::*;
    match operator {
        ElementwiseAdd => Add,
        ElementwiseSubtract => Subtract,
        ElementwiseMultiply => Multiply,
        ElementwiseDivide => Divide,
        ElementwisePower => Power,
        other => other,
    }
}

fn arithmetic_operator(operator: BinaryOperator) -> Option<ArithmeticOperator> {
    Some(match operator {
        BinaryOperator::Add => ArithmeticOperator::Add,
        BinaryOperator::Subtract => ArithmeticOperator::Subtract,
        BinaryOperator::Multiply => ArithmeticOperator::Multiply,
        BinaryOperator::Divide => ArithmeticOperator::Divide,
        BinaryOperator::Power => ArithmeticOperator::Power,
        _ => return None,
    })
}

fn relation_operator(operator: BinaryOperator) -> Option<RelationOperator> {
    Some(match operator {
        BinaryOperator::Less => RelationOperator::Less,
        BinaryOperator::LessEqual => RelationOperator::LessEqual,
        BinaryOperator::Greater => RelationOperator::Greater,
        BinaryOperator::GreaterEqual => RelationOperator::GreaterEqual,
        BinaryOperator::Equal => RelationOperator::Equal,
        BinaryOperator::NotEqual => RelationOperator::NotEqual,
        _ => return None,
    })
}
