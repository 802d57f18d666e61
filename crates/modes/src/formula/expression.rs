//! Formulas as trees: how short they are, and how they read in Modelica.

use crate::formula::FormulaBuilder;
use crate::formula::cover::Literal;
use crate::set::ModeVariable;

/// A Boolean formula over literals and named sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    Constant(bool),
    Literal(Literal),
    /// The named set with this number.
    Named(usize),
    Not(Box<Expression>),
    /// At least two parts, none of them an `And`.
    And(Vec<Expression>),
    /// At least two parts, none of them an `Or`.
    Or(Vec<Expression>),
}

/// What mode variables and named sets are called, by their numbers.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) variables: &'a [String],
    pub(crate) named: &'a [String],
}

/// How long a formula is: literals first, then negations, then parentheses.
pub(crate) type Length = (usize, usize, usize);

impl Expression {
    pub(crate) fn and(parts: Vec<Expression>) -> Expression {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Expression::And(inner) => flat.extend(inner),
                Expression::Constant(true) => {}
                Expression::Constant(false) => return part,
                _ => flat.push(part),
            }
        }
        combined(flat, Expression::And, true)
    }

    pub(crate) fn or(parts: Vec<Expression>) -> Expression {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Expression::Or(inner) => flat.extend(inner),
                Expression::Constant(false) => {}
                Expression::Constant(true) => return part,
                _ => flat.push(part),
            }
        }
        combined(flat, Expression::Or, false)
    }

    /// The negation, written in front.
    pub(crate) fn not(self) -> Expression {
        match self {
            Expression::Constant(value) => Expression::Constant(!value),
            Expression::Literal(literal) => Expression::Literal(literal.negated()),
            Expression::Not(inner) => *inner,
            other => Expression::Not(Box::new(other)),
        }
    }

    /// The negation, pushed down to the literals by De Morgan's laws.
    pub(crate) fn dual(&self) -> Expression {
        match self {
            Expression::And(parts) => Expression::or(parts.iter().map(Expression::dual).collect()),
            Expression::Or(parts) => Expression::and(parts.iter().map(Expression::dual).collect()),
            Expression::Not(inner) => (**inner).clone(),
            other => other.clone().not(),
        }
    }

    /// Writes groups of negations as one: `not a or not b` as `not (a and b)`.
    pub(crate) fn with_joined_negations(&self) -> Expression {
        let join = |parts: &[Expression]| parts.iter().map(Expression::with_joined_negations).collect();
        match self {
            Expression::And(parts) | Expression::Or(parts) if parts.iter().all(Expression::is_negation) => {
                self.dual().not()
            }
            Expression::And(parts) => Expression::and(join(parts)),
            Expression::Or(parts) => Expression::or(join(parts)),
            other => other.clone(),
        }
    }

    /// Writes a negated alternative as a conjunction: `not (a or b)` as `not a and not b`.
    pub(crate) fn with_open_conjunction(self) -> Expression {
        match &self {
            Expression::Not(inner) => match &**inner {
                Expression::Or(parts) => {
                    Expression::and(parts.iter().map(|part| part.dual().with_joined_negations()).collect())
                }
                _ => self,
            },
            _ => self,
        }
    }

    fn is_negation(&self) -> bool {
        match self {
            Expression::Literal(literal) => !literal.is_positive(),
            Expression::Not(_) => true,
            _ => false,
        }
    }

    pub(crate) fn length(&self) -> Length {
        match self {
            Expression::Constant(_) => (0, 0, 0),
            Expression::Named(_) => (1, 0, 0),
            Expression::Literal(literal) => (1, usize::from(!literal.is_positive()), 0),
            Expression::Not(inner) => sum([inner.length(), (0, 1, usize::from(inner.is_compound()))].into_iter()),
            Expression::And(parts) => {
                let parentheses = parts.iter().filter(|part| matches!(part, Expression::Or(_))).count();
                sum(parts.iter().map(Expression::length).chain([(0, 0, parentheses)]))
            }
            Expression::Or(parts) => sum(parts.iter().map(Expression::length)),
        }
    }

    fn is_compound(&self) -> bool {
        matches!(self, Expression::And(_) | Expression::Or(_))
    }

    /// The same formula over other variables; `rename` keeps the order.
    pub(crate) fn renamed(&self, rename: &impl Fn(u32) -> u32) -> Expression {
        let renamed = |parts: &[Expression]| parts.iter().map(|part| part.renamed(rename)).collect();
        match self {
            Expression::Literal(literal) => {
                Expression::Literal(Literal::new(rename(literal.variable()), literal.is_positive()))
            }
            Expression::Not(inner) => Expression::Not(Box::new(inner.renamed(rename))),
            Expression::And(parts) => Expression::And(renamed(parts)),
            Expression::Or(parts) => Expression::Or(renamed(parts)),
            other => other.clone(),
        }
    }

    /// What the order of the parts of a formula goes by: named sets, then literals as they occur.
    fn key(&self) -> Vec<(usize, Option<Literal>)> {
        match self {
            Expression::Constant(_) => Vec::new(),
            Expression::Named(number) => vec![(*number, None)],
            Expression::Literal(literal) => vec![(usize::MAX, Some(*literal))],
            Expression::Not(inner) => inner.key(),
            Expression::And(parts) | Expression::Or(parts) => parts.iter().flat_map(Expression::key).collect(),
        }
    }

    /// Appends the formula in Modelica.
    pub(crate) fn write(&self, names: Names<'_>, text: &mut String) {
        match self {
            Expression::Constant(value) => text.push_str(if *value { "true" } else { "false" }),
            Expression::Named(number) => text.push_str(&names.named[*number]),
            Expression::Literal(literal) => {
                text.push_str(if literal.is_positive() { "" } else { "not " });
                text.push_str(&names.variables[literal.variable() as usize]);
            }
            Expression::Not(inner) => {
                text.push_str("not ");
                inner.write_part(inner.is_compound(), names, text);
            }
            Expression::And(parts) => write_parts(parts, " and ", names, text),
            Expression::Or(parts) => write_parts(parts, " or ", names, text),
        }
    }

    /// The formula as `builder` makes it. Named sets are not built: they only ever shorten a text.
    pub(crate) fn build<Builder: FormulaBuilder>(&self, builder: &mut Builder) -> Builder::Output {
        match self {
            Expression::Constant(value) => builder.constant(*value),
            Expression::Literal(literal) => {
                let variable = builder.variable(ModeVariable(literal.variable()));
                if literal.is_positive() { variable } else { builder.not(variable) }
            }
            Expression::Named(_) => unreachable!("formulas are searched for without names first"),
            Expression::Not(inner) => {
                let inner = inner.build(builder);
                builder.not(inner)
            }
            Expression::And(parts) => {
                let parts = parts.iter().map(|part| part.build(builder)).collect();
                builder.and(parts)
            }
            Expression::Or(parts) => {
                let parts = parts.iter().map(|part| part.build(builder)).collect();
                builder.or(parts)
            }
        }
    }

    fn write_part(&self, parenthesized: bool, names: Names<'_>, text: &mut String) {
        text.push_str(if parenthesized { "(" } else { "" });
        self.write(names, text);
        text.push_str(if parenthesized { ")" } else { "" });
    }
}

fn write_parts(parts: &[Expression], operator: &str, names: Names<'_>, text: &mut String) {
    for (index, part) in parts.iter().enumerate() {
        text.push_str(if index > 0 { operator } else { "" });
        let parenthesized = operator == " and " && matches!(part, Expression::Or(_));
        part.write_part(parenthesized, names, text);
    }
}

fn combined(mut parts: Vec<Expression>, combine: fn(Vec<Expression>) -> Expression, neutral: bool) -> Expression {
    parts.sort_by_cached_key(Expression::key);
    match parts.len() {
        0 => Expression::Constant(neutral),
        1 => parts.remove(0),
        _ => combine(parts),
    }
}

fn sum(lengths: impl Iterator<Item = Length>) -> Length {
    lengths.fold((0, 0, 0), |total, length| (total.0 + length.0, total.1 + length.1, total.2 + length.2))
}
