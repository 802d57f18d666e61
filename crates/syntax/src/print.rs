//! Names and expressions of the abstract syntax as Modelica text, with as few parentheses as the grammar allows.
//!
//! What is printed parses back to the same expression; the places are those of the new text, of course.

use std::fmt::{self, Display, Formatter, Write};

use crate::ast::{
    BinaryOperator, Expression, ExpressionKind, ForIndex, Ident, Path, Reference, Subscript, UnaryOperator,
};

/// How tightly the parts of an expression hold together, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Anything,
    Or,
    And,
    Not,
    Relation,
    Sum,
    Product,
    Power,
    Primary,
}

impl Level {
    /// The level of the right operand of a left-associative operator.
    fn tighter(self) -> Level {
        match self {
            Level::Anything => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::Not,
            Level::Not => Level::Relation,
            Level::Relation => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Power,
            Level::Power | Level::Primary => Level::Primary,
        }
    }
}

impl BinaryOperator {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Power => "^",
            BinaryOperator::ElementwiseAdd => ".+",
            BinaryOperator::ElementwiseSubtract => ".-",
            BinaryOperator::ElementwiseMultiply => ".*",
            BinaryOperator::ElementwiseDivide => "./",
            BinaryOperator::ElementwisePower => ".^",
            BinaryOperator::And => "and",
            BinaryOperator::Or => "or",
            BinaryOperator::Less => "<",
            BinaryOperator::LessEqual => "<=",
            BinaryOperator::Greater => ">",
            BinaryOperator::GreaterEqual => ">=",
            BinaryOperator::Equal => "==",
            BinaryOperator::NotEqual => "<>",
        }
    }

    fn level(self) -> Level {
        match self.symbol().trim_start_matches('.') {
            "+" | "-" => Level::Sum,
            "*" | "/" => Level::Product,
            "^" => Level::Power,
            "and" => Level::And,
            "or" => Level::Or,
            _ => Level::Relation,
        }
    }
}

impl UnaryOperator {
    /// As it is written, with the blank behind `not`.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOperator::Minus => "-",
            UnaryOperator::Plus => "+",
            UnaryOperator::ElementwiseMinus => ".-",
            UnaryOperator::ElementwisePlus => ".+",
            UnaryOperator::Not => "not ",
        }
    }

    fn level(self) -> Level {
        if self == UnaryOperator::Not { Level::Not } else { Level::Sum }
    }
}

impl Display for Ident {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.global { "." } else { "" })?;
        separated(f, ".", &self.parts)
    }
}

impl Display for Reference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.global { "." } else { "" })?;
        for (place, part) in self.parts.iter().enumerate() {
            f.write_str(if place > 0 { "." } else { "" })?;
            f.write_str(&part.name.name)?;
            if !part.subscripts.is_empty() {
                f.write_char('[')?;
                separated(f, ", ", &part.subscripts)?;
                f.write_char(']')?;
            }
        }
        Ok(())
    }
}

impl Display for Subscript {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Subscript::All(_) => f.write_char(':'),
            Subscript::Expression(expression) => expression.fmt(f),
        }
    }
}

impl Display for ForIndex {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.range {
            Some(range) => write!(f, "{} in {range}", self.name),
            None => self.name.fmt(f),
        }
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl ExpressionKind {
    fn level(&self) -> Level {
        match self {
            ExpressionKind::If { .. } | ExpressionKind::Range { .. } => Level::Anything,
            ExpressionKind::Unary(operator, _) => operator.level(),
            ExpressionKind::Binary(operator, ..) => operator.level(),
            ExpressionKind::Real(value) if value.is_sign_negative() => Level::Sum,
            ExpressionKind::Integer(value) if *value < 0 => Level::Sum,
            _ => Level::Primary,
        }
    }
}

/// Prints an operand, in parentheses if it holds together less tightly than its place asks for.
fn operand(f: &mut Formatter<'_>, expression: &Expression, level: Level) -> fmt::Result {
    if expression.kind.level() < level { write!(f, "({expression})") } else { expression.fmt(f) }
}

impl Display for ExpressionKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            ExpressionKind::Real(value) => write!(f, "{value:?}"),
            ExpressionKind::Integer(value) => value.fmt(f),
            ExpressionKind::String(value) => string(f, value),
            ExpressionKind::Boolean(value) => value.fmt(f),
            ExpressionKind::Reference(reference) => reference.fmt(f),
            ExpressionKind::Call { function, arguments, named } => {
                write!(f, "{function}(")?;
                separated(f, ", ", arguments)?;
                f.write_str(if arguments.is_empty() || named.is_empty() { "" } else { ", " })?;
                named_arguments(f, named)
            }
            ExpressionKind::PartialApplication { function, named } => {
                write!(f, "function {function}(")?;
                named_arguments(f, named)
            }
            ExpressionKind::Array(elements) => {
                f.write_char('{')?;
                separated(f, ", ", elements)?;
                f.write_char('}')
            }
            ExpressionKind::Comprehension { function, body, indices } => {
                let (open, close) = if function.is_some() { ("(", ")") } else { ("{", "}") };
                if let Some(function) = function {
                    function.fmt(f)?;
                }
                write!(f, "{open}{body} for ")?;
                separated(f, ", ", indices)?;
                f.write_str(close)
            }
            ExpressionKind::Matrix(rows) => matrix(f, rows),
            ExpressionKind::Range { start, step, stop } => {
                for part in [Some(start), step.as_ref()].into_iter().flatten() {
                    operand(f, part, Level::Or)?;
                    f.write_char(':')?;
                }
                operand(f, stop, Level::Or)
            }
            ExpressionKind::Tuple(elements) => tuple(f, elements),
            ExpressionKind::Unary(operator, inner) => {
                f.write_str(operator.symbol())?;
                operand(f, inner, operator.level().tighter())
            }
            ExpressionKind::Binary(operator, left, right) => binary(f, *operator, left, right),
            ExpressionKind::If { branches, otherwise } => {
                for (place, (condition, value)) in branches.iter().enumerate() {
                    let keyword = if place == 0 { "if" } else { "elseif" };
                    write!(f, "{keyword} {condition} then {value} ")?;
                }
                write!(f, "else {otherwise}")
            }
            ExpressionKind::End => f.write_str("end"),
            ExpressionKind::Error => f.write_str("<error>"),
        }
    }
}

fn binary(f: &mut Formatter<'_>, operator: BinaryOperator, left: &Expression, right: &Expression) -> fmt::Result {
    let level = operator.level();
    let associative = !matches!(level, Level::Relation | Level::Power);
    operand(f, left, if associative { level } else { level.tighter() })?;
    if level == Level::Power {
        f.write_str(operator.symbol())?
    } else {
        write!(f, " {} ", operator.symbol())?
    }
    operand(f, right, level.tighter())
}

fn separated<T: Display>(f: &mut Formatter<'_>, separator: &str, items: &[T]) -> fmt::Result {
    for (place, item) in items.iter().enumerate() {
        f.write_str(if place > 0 { separator } else { "" })?;
        item.fmt(f)?;
    }
    Ok(())
}

/// With the closing parenthesis.
fn named_arguments(f: &mut Formatter<'_>, named: &[(Ident, Expression)]) -> fmt::Result {
    for (place, (name, value)) in named.iter().enumerate() {
        f.write_str(if place > 0 { ", " } else { "" })?;
        write!(f, "{name} = {value}")?;
    }
    f.write_char(')')
}

fn matrix(f: &mut Formatter<'_>, rows: &[Vec<Expression>]) -> fmt::Result {
    f.write_char('[')?;
    for (place, row) in rows.iter().enumerate() {
        f.write_str(if place > 0 { "; " } else { "" })?;
        separated(f, ", ", row)?;
    }
    f.write_char(']')
}

fn tuple(f: &mut Formatter<'_>, elements: &[Option<Expression>]) -> fmt::Result {
    f.write_char('(')?;
    for (place, element) in elements.iter().enumerate() {
        f.write_str(if place > 0 { ", " } else { "" })?;
        if let Some(element) = element {
            element.fmt(f)?;
        }
    }
    f.write_char(')')
}

fn string(f: &mut Formatter<'_>, value: &str) -> fmt::Result {
    write!(f, "\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}
