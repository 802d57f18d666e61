//! Operators on scalars and arrays (Modelica 3.6, 10.6), with their types.

use modeshift_dae::{ArithmeticOperator, ExpressionId, Expressions, Node, RelationOperator, Type};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{BinaryOperator, UnaryOperator};

use crate::expressions::evaluate::{describe, integer_value};
use crate::expressions::term::{Term, shape_text};
use crate::failure::{Failure, Outcome, unsupported, wrong};
use crate::flattener::Flattener;

/// How many items an array value may have: as many as a model may have scalars.
const MAX_ITEMS: usize = 5_000_000;

/// Operators on terms. They need nothing of a model but the expressions it is made of.
pub(crate) struct Operators<'a> {
    expressions: &'a mut Expressions,
}

impl Flattener<'_> {
    /// Operators on the terms of the flat model.
    pub(crate) fn operators(&mut self) -> Operators<'_> {
        Operators { expressions: &mut self.model.expressions }
    }
}

impl Operators<'_> {
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
            Divide => wrong(Code::E0304, "division by an array; elementwise division is `./`", span),
            Power if a.dims().is_empty() && b.dims().is_empty() => self.elementwise(Power, a, b, span),
            Power => self.matrix_power(a, b, span),
            And | Or | Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual => {
                self.same_size(operator, a, b, span)
            }
        }
    }

    fn same_size(&mut self, operator: BinaryOperator, a: &Term, b: &Term, span: Span) -> Outcome<Term> {
        if a.dims() != b.dims() {
            return wrong(Code::E0304, format!("sizes differ: {} and {}", describe(a), describe(b)), span);
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
            _ => {
                wrong(Code::E0304, format!("sizes differ: {} and {}", shape_text(a.dims()), shape_text(b.dims())), span)
            }
        }
    }

    /// `a op b` for scalars.
    pub(crate) fn scalar_binary(&mut self, operator: BinaryOperator, a: &Term, b: &Term, span: Span) -> Outcome<Term> {
        let (&Term::Scalar(left, x), &Term::Scalar(right, y)) = (a, b) else {
            return unsupported(format!("an operator between {} and {}", describe(a), describe(b)), span);
        };
        let mismatch = || -> Outcome<Term> {
            let message = format!("types do not go together: {} and {}", describe(a), describe(b));
            let diagnostic = Diagnostic::error(Code::E0303, message).label(span, "");
            match conversion(operator, left, right) {
                Some(help) => Err(diagnostic.help(help).into()),
                None => Err(diagnostic.into()),
            }
        };
        let numeric = is_number(left) && is_number(right);
        let expressions = &mut *self.expressions;
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
                let id = expressions.arithmetic(arithmetic, x, y);
                // Where the exact value does not fit, it was computed with Reals.
                if ty == Type::Integer && matches!(expressions.node(id), Node::Real(it) if it.value().abs() > 9.2e18) {
                    return overflow(span);
                }
                Ok(Term::Scalar(ty, id))
            }
        }
    }

    fn relation(&mut self, operator: RelationOperator, x: ExpressionId, y: ExpressionId) -> ExpressionId {
        let expressions = &mut *self.expressions;
        match (expressions.node(x), expressions.node(y), operator) {
            (Node::String(a), Node::String(b), _) => {
                // By their bytes, as the language has it: `strcmp` (Modelica 3.6, 3.5).
                let order = expressions.text(a).as_bytes().cmp(expressions.text(b).as_bytes());
                expressions.boolean(match operator {
                    RelationOperator::Less => order.is_lt(),
                    RelationOperator::LessEqual => order.is_le(),
                    RelationOperator::Greater => order.is_gt(),
                    RelationOperator::GreaterEqual => order.is_ge(),
                    RelationOperator::Equal => order.is_eq(),
                    RelationOperator::NotEqual => order.is_ne(),
                })
            }
            _ => expressions.relation(operator, x, y),
        }
    }

    fn joined(&mut self, x: ExpressionId, y: ExpressionId) -> ExpressionId {
        let expressions = &mut *self.expressions;
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
                check_items(rows.saturating_mul(*columns), span)?;
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
                wrong(Code::E0304, message, span)
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
        Ok(sum.unwrap_or(Term::Scalar(Type::Real, self.expressions.real(0.0))))
    }

    /// `-a`, `not a`
    pub(crate) fn unary(&mut self, operator: UnaryOperator, operand: &Term, span: Span) -> Outcome<Term> {
        operand.map(|item| match (operator, item) {
            (UnaryOperator::Not, Term::Scalar(Type::Boolean, id)) => {
                Ok(Term::Scalar(Type::Boolean, self.expressions.not(*id)))
            }
            (
                UnaryOperator::Minus | UnaryOperator::ElementwiseMinus,
                Term::Scalar(ty @ (Type::Real | Type::Integer), id),
            ) => Ok(Term::Scalar(*ty, self.expressions.negate(*id))),
            (UnaryOperator::Plus | UnaryOperator::ElementwisePlus, Term::Scalar(Type::Real | Type::Integer, _)) => {
                Ok(item.clone())
            }
            (UnaryOperator::Not, other) => {
                wrong(Code::E0303, format!("`not` needs a Boolean, but this is {}", describe(other)), span)
            }
            (_, other @ Term::Record(..)) => unsupported(format!("a sign before {}", describe(other)), span),
            (_, other) => wrong(Code::E0303, format!("a sign needs a number, but this is {}", describe(other)), span),
        })
    }

    /// A count as a term.
    pub(crate) fn integer_term(&mut self, value: usize) -> Term {
        Term::Scalar(Type::Integer, self.expressions.integer(value as i64))
    }

    /// The identity matrix.
    pub(crate) fn identity(&mut self, size: usize) -> Term {
        let one = self.integer_term(1);
        let zero = self.integer_term(0);
        let items = (0..size * size).map(|at| if at / size == at % size { one.clone() } else { zero.clone() });
        Term::array(Type::Integer, vec![size, size], items.collect())
    }

    pub(crate) fn diagonal(&mut self, vector: &Term, span: Span) -> Outcome<Term> {
        let size = vector.dims()[0];
        check_items(size.saturating_mul(size), span)?;
        let ty = vector.scalar_type().unwrap_or(Type::Real);
        let zero = match ty {
            Type::Real => Term::Scalar(ty, self.expressions.real(0.0)),
            _ => Term::Scalar(ty, self.expressions.integer(0)),
        };
        let items = (0..size * size)
            .map(|at| if at / size == at % size { vector.items()[at / size].clone() } else { zero.clone() });
        Ok(Term::array(ty, vec![size, size], items.collect()))
    }

    pub(crate) fn cross(&mut self, a: &Term, b: &Term, span: Span) -> Outcome<Term> {
        let (a, b) = (a.items().to_vec(), b.items().to_vec());
        let mut item = |i: usize, j: usize| {
            let left = self.scalar_binary(BinaryOperator::Multiply, &a[i], &b[j], span)?;
            let right = self.scalar_binary(BinaryOperator::Multiply, &a[j], &b[i], span)?;
            self.scalar_binary(BinaryOperator::Subtract, &left, &right, span)
        };
        let items = vec![item(1, 2)?, item(2, 0)?, item(0, 1)?];
        Ok(Term::vector(Type::Real, items))
    }

    pub(crate) fn skew(&mut self, a: &Term) -> Outcome<Term> {
        let zero = Term::Scalar(Type::Real, self.expressions.real(0.0));
        let [x, y, z] = a.items() else { return Err(Failure::Reported) };
        let mut minus = |item: &Term| match *item {
            Term::Scalar(ty, id) => Term::Scalar(ty, self.expressions.negate(id)),
            _ => item.clone(),
        };
        let (minus_x, minus_y, minus_z) = (minus(x), minus(y), minus(z));
        let (x, y, z) = (x.clone(), y.clone(), z.clone());
        let items = vec![zero.clone(), minus_z, y, z, zero.clone(), minus_x, minus_y, x, zero];
        Ok(Term::array(Type::Real, vec![3, 3], items))
    }

    fn matrix_power(&mut self, a: &Term, b: &Term, span: Span) -> Outcome<Term> {
        let (&[rows, columns], Some(exponent)) = (a.dims(), integer_value(self.expressions, b)) else {
            return wrong(
                Code::E0304,
                "a power of an array needs a square matrix and an Integer literal; elementwise is `.^`",
                span,
            );
        };
        if rows != columns || !(0..=64).contains(&exponent) {
            return wrong(Code::E0304, "a power of a matrix needs a square matrix and an exponent from 0 to 64", span);
        }
        let mut result = self.identity(rows);
        for _ in 0..exponent {
            result = self.product_term(&result, a, span)?;
        }
        Ok(result)
    }
}

/// Integers have 64 bits, and a value that needs more is not rounded in silence.
pub(crate) fn overflow<T>(span: Span) -> Outcome<T> {
    let message = "this Integer needs more than 64 bits";
    let diagnostic = Diagnostic::error(Code::E0317, message).label(span, "its value does not fit");
    Err(diagnostic.help("compute with Reals: write one of the numbers as `1.0*…`, or `2.0` for `2`").into())
}

/// Refuses arrays that would not fit into memory.
pub(crate) fn check_items(count: usize, span: Span) -> Outcome<()> {
    if count > MAX_ITEMS {
        return wrong(Code::E0310, format!("an array of {count} elements is more than this program takes"), span);
    }
    Ok(())
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

/// How values of two types are brought together, where there is a way.
fn conversion(operator: BinaryOperator, left: Type, right: Type) -> Option<&'static str> {
    let has = |ty: Type| left == ty || right == ty;
    let has_number = is_number(left) || is_number(right);
    match operator {
        BinaryOperator::And | BinaryOperator::Or if has_number => {
            Some("`and` and `or` take conditions: compare the number with another one, as in `x > 0`")
        }
        _ if has(Type::Boolean) && has_number && relation_operator(operator).is_some() => {
            Some("a Boolean is no number: it is a condition by itself, `b` or `not b`")
        }
        _ if has(Type::Boolean) && has_number => {
            Some("a Boolean is no number: write `if b then 1 else 0` with the Boolean for `b`")
        }
        BinaryOperator::Add if has(Type::String) => Some("`String(…)` makes a text of a value"),
        _ => None,
    }
}
