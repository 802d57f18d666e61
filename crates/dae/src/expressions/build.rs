//! Building expressions with the simplifications that cost nothing and lose nothing: constant folding, neutral
//! elements, double negation. Incidence counts what is written, so `0 * x` keeps `x` unless the zero is literal,
//! and a division by a literal zero is left for the user to see.

use super::arena::{ArithmeticOperator as Op, Builtin, Expressions, Node, Number, RelationOperator};
use crate::{ExpressionId, FunctionId, ModeVariableId, VariableId};

impl Number {
    /// The literal of this value.
    pub fn new(value: f64) -> Self {
        Number::from_bits(value.to_bits())
    }
}

#[allow(clippy::should_implement_trait)] // `add`, `not` and so on build nodes of an arena
impl Expressions {
    /// A real literal.
    pub fn real(&mut self, value: f64) -> ExpressionId {
        self.add(Node::Real(Number::new(value)))
    }

    /// An integer literal.
    pub fn integer(&mut self, value: i64) -> ExpressionId {
        self.add(Node::Integer(value))
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, value: bool) -> ExpressionId {
        self.add(Node::Boolean(value))
    }

    /// A string literal.
    pub fn string(&mut self, text: &str) -> ExpressionId {
        let id = self.intern(text);
        self.add(Node::String(id))
    }

    /// `time`
    pub fn time(&mut self) -> ExpressionId {
        self.add(Node::Time)
    }

    /// A variable or one of its derivatives.
    pub fn variable(&mut self, variable: VariableId, order: u32) -> ExpressionId {
        self.add(Node::Variable(variable, order))
    }

    /// A mode variable.
    pub fn mode(&mut self, mode: ModeVariableId) -> ExpressionId {
        self.add(Node::Mode(mode))
    }

    /// The left limit; of a literal it is the literal, and of a left limit that left limit.
    pub fn pre(&mut self, operand: ExpressionId) -> ExpressionId {
        match self.node(operand) {
            Node::Real(_) | Node::Integer(_) | Node::Boolean(_) | Node::Pre(_) => operand,
            _ => self.add(Node::Pre(operand)),
        }
    }

    /// The number that a literal stands for.
    pub fn literal(&self, id: ExpressionId) -> Option<f64> {
        match self.node(id) {
            Node::Real(number) => Some(number.value()),
            Node::Integer(value) => Some(value as f64),
            _ => None,
        }
    }

    /// The truth value that a literal stands for.
    pub fn literal_boolean(&self, id: ExpressionId) -> Option<bool> {
        match self.node(id) {
            Node::Boolean(value) => Some(value),
            _ => None,
        }
    }

    /// `-a`
    pub fn negate(&mut self, a: ExpressionId) -> ExpressionId {
        match self.node(a) {
            Node::Real(number) => self.real(-number.value()),
            Node::Integer(value) if value != i64::MIN => self.integer(-value),
            Node::Negate(inner) => inner,
            _ => self.add(Node::Negate(a)),
        }
    }

    /// `a op b`
    pub fn arithmetic(&mut self, operator: Op, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        if let Some(folded) = self.fold(operator, a, b) {
            return folded;
        }
        let (left, right) = (self.literal(a), self.literal(b));
        match operator {
            Op::Add if left == Some(0.0) => b,
            Op::Add | Op::Subtract if right == Some(0.0) => a,
            Op::Subtract if left == Some(0.0) => self.negate(b),
            Op::Multiply if left == Some(1.0) => b,
            Op::Multiply | Op::Divide | Op::Power if right == Some(1.0) => a,
            Op::Multiply if left == Some(0.0) => a,
            Op::Multiply if right == Some(0.0) => b,
            _ => self.add(Node::Arithmetic(operator, a, b)),
        }
    }

    fn fold(&mut self, operator: Op, a: ExpressionId, b: ExpressionId) -> Option<ExpressionId> {
        if let (Node::Integer(x), Node::Integer(y)) = (self.node(a), self.node(b)) {
            let exact = match operator {
                Op::Add => x.checked_add(y),
                Op::Subtract => x.checked_sub(y),
                Op::Multiply => x.checked_mul(y),
                Op::Divide | Op::Power => None,
            };
            if let Some(value) = exact {
                return Some(self.integer(value));
            }
        }
        let (x, y) = (self.literal(a)?, self.literal(b)?);
        let value = match operator {
            Op::Add => x + y,
            Op::Subtract => x - y,
            Op::Multiply => x * y,
            Op::Divide => x / y,
            Op::Power => x.powf(y),
        };
        value.is_finite().then(|| self.real(value))
    }

    /// `a + b`
    pub fn sum(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        self.arithmetic(Op::Add, a, b)
    }

    /// `a - b`
    pub fn difference(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        self.arithmetic(Op::Subtract, a, b)
    }

    /// `a * b`
    pub fn product(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        self.arithmetic(Op::Multiply, a, b)
    }

    /// `a / b`
    pub fn quotient(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        self.arithmetic(Op::Divide, a, b)
    }

    /// `a ^ b`
    pub fn power(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        self.arithmetic(Op::Power, a, b)
    }

    /// `a op b`, folded for literals.
    pub fn relation(&mut self, operator: RelationOperator, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        use RelationOperator::*;
        let same_boolean = match (self.node(a), self.node(b)) {
            (Node::Boolean(x), Node::Boolean(y)) => Some((x as i64 as f64, y as i64 as f64)),
            _ => None,
        };
        match self.literal(a).zip(self.literal(b)).or(same_boolean) {
            Some((x, y)) => {
                let value = match operator {
                    Less => x < y,
                    LessEqual => x <= y,
                    Greater => x > y,
                    GreaterEqual => x >= y,
                    Equal => x == y,
                    NotEqual => x != y,
                };
                self.boolean(value)
            }
            None => self.add(Node::Relation(operator, a, b)),
        }
    }

    /// `not a`
    pub fn not(&mut self, a: ExpressionId) -> ExpressionId {
        match self.node(a) {
            Node::Boolean(value) => self.boolean(!value),
            Node::Not(inner) => inner,
            _ => self.add(Node::Not(a)),
        }
    }

    /// `a and b`
    pub fn and(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        match (self.literal_boolean(a), self.literal_boolean(b)) {
            (Some(true), _) | (_, Some(false)) => b,
            (_, Some(true)) | (Some(false), _) => a,
            _ if a == b => a,
            _ => self.add(Node::And(a, b)),
        }
    }

    /// `a or b`
    pub fn or(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        match (self.literal_boolean(a), self.literal_boolean(b)) {
            (Some(false), _) | (_, Some(true)) => b,
            (_, Some(false)) | (Some(true), _) => a,
            _ if a == b => a,
            _ => self.add(Node::Or(a, b)),
        }
    }

    /// `if condition then a else b`
    pub fn if_then_else(&mut self, condition: ExpressionId, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        match self.literal_boolean(condition) {
            Some(true) => a,
            Some(false) => b,
            None if a == b => a,
            None => self.add(Node::If(condition, a, b)),
        }
    }

    /// The expression with other operands, folded where these have become literals. Calls stay calls.
    pub fn rebuilt(&mut self, id: ExpressionId, mut operand: impl FnMut(ExpressionId) -> ExpressionId) -> ExpressionId {
        match self.node(id) {
            Node::Pre(a) => self.pre(operand(a)),
            Node::Negate(a) => self.negate(operand(a)),
            Node::Not(a) => self.not(operand(a)),
            Node::Arithmetic(operator, a, b) => self.arithmetic(operator, operand(a), operand(b)),
            Node::Relation(operator, a, b) => self.relation(operator, operand(a), operand(b)),
            Node::And(a, b) => self.and(operand(a), operand(b)),
            Node::Or(a, b) => self.or(operand(a), operand(b)),
            Node::If(condition, a, b) => self.if_then_else(operand(condition), operand(a), operand(b)),
            Node::Call(..) | Node::Function(..) | Node::Output(..) => self.map_children(id, |_, child| operand(child)),
            Node::Real(_)
            | Node::Integer(_)
            | Node::Boolean(_)
            | Node::String(_)
            | Node::Time
            | Node::Variable(..)
            | Node::Mode(_) => id,
        }
    }

    /// A call of a built-in function, not folded; the number of arguments must be right.
    pub fn call(&mut self, builtin: Builtin, arguments: &[ExpressionId]) -> ExpressionId {
        assert_eq!(arguments.len(), builtin.arity(), "number of arguments of {}", builtin.name());
        let arguments = self.arguments(arguments);
        self.add(Node::Call(builtin, arguments))
    }

    /// A call of another function.
    pub fn function(&mut self, function: FunctionId, arguments: &[ExpressionId]) -> ExpressionId {
        let arguments = self.arguments(arguments);
        self.add(Node::Function(function, arguments))
    }
}
