//! Relations over the same expression: which of them are one mode variable, and how they imply each other.
//!
//! A relation `a < b` is brought to the form `e < c`, with a sum `e` of terms and a number `c`, where the
//! arithmetic is exact; otherwise `a - b` stays as it is. All relations over one `e` are thresholds on a line:
//! `e >= 1` implies `e > 0`, and `e == 1` lies between `e >= 1` and `e > 1`. This is the small exact decision that
//! stands in for the abstract domain of the papers. The invariant of a family is linear in its size.

use std::collections::BTreeMap;

use modeshift_dae::{
    ArithmeticOperator as Op, ExpressionId, Expressions, FlatModel, ModeVariableId, Node, RelationOperator, Type,
    Variability, VariableId,
};
use rustc_hash::FxHashMap;

/// A relation in normal form.
pub(crate) enum Normal {
    /// It holds always, or never.
    Constant(bool),
    /// It holds on one side of a threshold.
    Threshold { family: Form, point: Point, negated: bool },
}

/// A sum of terms with their coefficients, by ascending expression; the first coefficient is positive.
pub(crate) type Form = Vec<(ExpressionId, u64)>;

/// A place on the line, ordered as `e >= c`, `e == c`, `e > c`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    value: f64,
    kind: PointKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PointKind {
    AtLeast,
    Equal,
    Above,
}

impl Eq for Point {}

impl PartialOrd for Point {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Point {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value.total_cmp(&other.value).then(self.kind.cmp(&other.kind))
    }
}

/// A mode variable or its negation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literal {
    pub(crate) mode: ModeVariableId,
    pub(crate) negated: bool,
}

impl Literal {
    pub(crate) fn formula(self, expressions: &mut Expressions) -> ExpressionId {
        let mode = expressions.add(Node::Mode(self.mode));
        if self.negated { expressions.not(mode) } else { mode }
    }
}

/// All relations that are modes.
#[derive(Default)]
pub(crate) struct RelationTable {
    index: FxHashMap<Form, usize>,
    families: Vec<Family>,
}

struct Family {
    discrete: bool,
    bounds: Option<(f64, f64)>,
    points: BTreeMap<Point, Literal>,
}

impl RelationTable {
    pub(crate) fn find(&self, family: &Form, point: Point) -> Option<Literal> {
        self.families[*self.index.get(family)?].points.get(&point).copied()
    }

    pub(crate) fn insert(&mut self, model: &FlatModel, family: Form, point: Point, literal: Literal) {
        let families = &mut self.families;
        let number = *self.index.entry(family).or_insert_with_key(|form| {
            families.push(Family {
                discrete: is_discrete(model, form),
                bounds: bounds(model, form),
                points: BTreeMap::new(),
            });
            families.len() - 1
        });
        families[number].points.insert(point, literal);
    }

    /// What the relations of each family imply about each other, with the mode variable it concerns last.
    pub(crate) fn implications(&self, expressions: &mut Expressions) -> Vec<(ExpressionId, ModeVariableId)> {
        let mut found = Vec::new();
        for family in &self.families {
            family.implications(expressions, &mut found);
        }
        found
    }
}

/// The equalities between two neighbouring thresholds.
struct Segment {
    /// Where it starts, and the formula that says so; nothing before the first threshold.
    start: Option<(Point, ExpressionId)>,
    equalities: Vec<(Point, Literal)>,
}

impl Family {
    /// Walks along the line from threshold to threshold.
    fn implications(&self, expressions: &mut Expressions, found: &mut Vec<(ExpressionId, ModeVariableId)>) {
        if self.points.len() < 2 && self.bounds.is_none() {
            return;
        }
        let yes = expressions.boolean(true);
        let start = self.bounds.map(|(least, _)| (Point { value: least, kind: PointKind::AtLeast }, yes));
        let mut segment = Segment { start, equalities: Vec::new() };
        for (&point, &literal) in &self.points {
            if point.kind == PointKind::Equal {
                segment.equalities.push((point, literal));
                continue;
            }
            let here = literal.formula(expressions);
            if let Some((_, before)) = segment.start {
                found.extend(implication(expressions, here, before).map(|formula| (formula, literal.mode)));
            }
            self.close(expressions, &segment, Some((point, here)), found);
            segment = Segment { start: Some((point, here)), equalities: Vec::new() };
        }
        let end = self.bounds.map(|(_, greatest)| {
            (Point { value: greatest + 1.0, kind: PointKind::AtLeast }, expressions.boolean(false))
        });
        self.close(expressions, &segment, end, found);
    }

    /// Equalities hold only within their segment, at most one at a time, and one of them does where they name
    /// every value of the segment.
    fn close(
        &self,
        expressions: &mut Expressions,
        segment: &Segment,
        end: Option<(Point, ExpressionId)>,
        found: &mut Vec<(ExpressionId, ModeVariableId)>,
    ) {
        let inside = segment_formula(expressions, segment.start, end);
        let mut any = expressions.boolean(false);
        for &(_, literal) in &segment.equalities {
            let equal = literal.formula(expressions);
            let other = expressions.and(equal, any);
            let alone = expressions.not(other);
            for formula in [implication(expressions, equal, inside), not_trivial(expressions, alone)] {
                found.extend(formula.map(|formula| (formula, literal.mode)));
            }
            any = expressions.or(any, equal);
        }
        if let (Some((start, _)), Some((end, _)), Some(&(_, last))) = (segment.start, end, segment.equalities.last())
            && self.values_between(start, end) == Some(segment.equalities.len() as f64)
        {
            found.extend(implication(expressions, inside, any).map(|formula| (formula, last.mode)));
        }
    }

    /// How many values there are between two thresholds.
    fn values_between(&self, start: Point, end: Point) -> Option<f64> {
        if self.discrete {
            return Some(end.value - start.value);
        }
        (start.value == end.value).then_some(1.0)
    }
}

fn segment_formula(
    expressions: &mut Expressions,
    start: Option<(Point, ExpressionId)>,
    end: Option<(Point, ExpressionId)>,
) -> ExpressionId {
    let yes = expressions.boolean(true);
    let after = start.map_or(yes, |(_, formula)| formula);
    let before = end.map_or(yes, |(_, formula)| expressions.not(formula));
    expressions.and(after, before)
}

fn implication(expressions: &mut Expressions, a: ExpressionId, b: ExpressionId) -> Option<ExpressionId> {
    let not_a = expressions.not(a);
    let formula = expressions.or(not_a, b);
    not_trivial(expressions, formula)
}

fn not_trivial(expressions: &Expressions, formula: ExpressionId) -> Option<ExpressionId> {
    (expressions.literal_boolean(formula) != Some(true)).then_some(formula)
}

/// The normal form of `a operator b` between numbers.
pub(crate) fn normal(model: &FlatModel, operator: RelationOperator, a: ExpressionId, b: ExpressionId) -> Normal {
    let sum = Sum::difference(model, a, b).unwrap_or_else(|| Sum::opaque_difference(a, b));
    let Some(&(_, leading)) = sum.terms.first() else {
        return Normal::Constant(operator.holds(sum.constant, 0.0));
    };
    let operator = if leading < 0.0 { operator.mirrored() } else { operator };
    let sum = sum.divided(leading).unwrap_or_else(|| sum.with_sign(leading.signum()));
    let threshold = 0.0 - sum.constant; // never the negative zero
    let form: Form = sum.terms.iter().map(|&(term, coefficient)| (term, coefficient.to_bits())).collect();
    let discrete = is_discrete(model, &form);
    let bounds = bounds(model, &form);
    placed(operator, threshold, discrete, bounds, form)
}

/// Where on the line a relation `e operator c` has its threshold, and on which side it holds.
fn placed(
    operator: RelationOperator,
    threshold: f64,
    discrete: bool,
    bounds: Option<(f64, f64)>,
    family: Form,
) -> Normal {
    use RelationOperator::*;
    let negated = matches!(operator, Less | LessEqual | NotEqual);
    let above = matches!(operator, Greater | LessEqual);
    let (kind, value) = match operator {
        Equal | NotEqual if discrete && threshold.fract() != 0.0 => return Normal::Constant(negated),
        Equal | NotEqual => (PointKind::Equal, threshold),
        _ if discrete && above => (PointKind::AtLeast, threshold.floor() + 1.0),
        _ if discrete => (PointKind::AtLeast, threshold.ceil()),
        _ if above => (PointKind::Above, threshold),
        _ => (PointKind::AtLeast, threshold),
    };
    if let Some((least, greatest)) = bounds {
        let always = kind == PointKind::AtLeast && value <= least;
        let never = value > greatest || kind == PointKind::Equal && value < least;
        if always || never {
            return Normal::Constant(always != negated);
        }
    }
    Normal::Threshold { family, point: Point { value, kind }, negated }
}

/// Whether all terms are whole numbers.
fn is_discrete(model: &FlatModel, form: &Form) -> bool {
    form.iter().all(|&(term, coefficient)| {
        f64::from_bits(coefficient).fract() == 0.0
            && discrete_variable(model, term)
                .is_some_and(|variable| matches!(model.variables[variable].ty, Type::Integer | Type::Enumeration(_)))
    })
}

/// Least and greatest value of a single variable: of an enumeration its literals, of an Integer `min` and `max`.
fn bounds(model: &FlatModel, form: &Form) -> Option<(f64, f64)> {
    let &[(term, coefficient)] = form.as_slice() else { return None };
    let variable = &model.variables[discrete_variable(model, term)?];
    let literal = |bound: Option<ExpressionId>| model.expressions.literal(bound?);
    match variable.ty {
        _ if f64::from_bits(coefficient) != 1.0 => None,
        Type::Enumeration(id) => Some((1.0, model.enumerations[id].literals.len() as f64)),
        Type::Integer => literal(variable.min).zip(literal(variable.max)),
        _ => None,
    }
}

fn discrete_variable(model: &FlatModel, term: ExpressionId) -> Option<VariableId> {
    match model.expressions.node(term) {
        Node::Variable(variable, 0) => Some(variable),
        Node::Pre(inner) => discrete_variable(model, inner),
        _ => None,
    }
}

/// A linear combination with exact coefficients.
struct Sum {
    terms: Vec<(ExpressionId, f64)>,
    constant: f64,
}

/// Beyond so many steps a side of a relation is left as it is.
const STEPS: usize = 64;

impl Sum {
    /// `a - b`, where that can be had exactly.
    fn difference(model: &FlatModel, a: ExpressionId, b: ExpressionId) -> Option<Sum> {
        let mut terms: BTreeMap<ExpressionId, f64> = BTreeMap::new();
        let mut constant = 0.0;
        let mut pending = vec![(b, -1.0), (a, 1.0)];
        for _ in 0..STEPS {
            let Some((id, factor)) = pending.pop() else {
                let terms = terms.into_iter().filter(|&(_, coefficient)| coefficient != 0.0).collect();
                return Some(Sum { terms, constant });
            };
            if let Some(value) = literal_value(model, id) {
                constant = exact_sum(constant, exact_product(factor, value)?)?;
                continue;
            }
            match model.expressions.node(id) {
                Node::Negate(inner) => pending.push((inner, -factor)),
                Node::Arithmetic(Op::Add, left, right) => pending.extend([(right, factor), (left, factor)]),
                Node::Arithmetic(Op::Subtract, left, right) => pending.extend([(right, -factor), (left, factor)]),
                Node::Arithmetic(Op::Multiply, left, right) if literal_value(model, left).is_some() => {
                    pending.push((right, exact_product(factor, literal_value(model, left)?)?));
                }
                Node::Arithmetic(Op::Multiply, left, right) if literal_value(model, right).is_some() => {
                    pending.push((left, exact_product(factor, literal_value(model, right)?)?));
                }
                Node::Arithmetic(Op::Divide, left, right) if literal_value(model, right).is_some() => {
                    pending.push((left, exact_quotient(factor, literal_value(model, right)?)?));
                }
                _ => {
                    let coefficient = terms.entry(id).or_insert(0.0);
                    *coefficient = exact_sum(*coefficient, factor)?;
                }
            }
        }
        None
    }

    /// `a - b` with both sides as terms.
    fn opaque_difference(a: ExpressionId, b: ExpressionId) -> Sum {
        let mut terms = if a == b { vec![] } else { vec![(a, 1.0), (b, -1.0)] };
        terms.sort_by_key(|&(term, _)| term);
        Sum { terms, constant: 0.0 }
    }

    /// All coefficients divided, where that is exact.
    fn divided(&self, divisor: f64) -> Option<Sum> {
        let terms: Option<Vec<(ExpressionId, f64)>> =
            self.terms.iter().map(|&(term, coefficient)| Some((term, exact_quotient(coefficient, divisor)?))).collect();
        Some(Sum { terms: terms?, constant: exact_quotient(self.constant, divisor)? })
    }

    fn with_sign(&self, sign: f64) -> Sum {
        let terms = self.terms.iter().map(|&(term, coefficient)| (term, coefficient * sign)).collect();
        Sum { terms, constant: self.constant * sign }
    }
}

/// The number that a literal or a constant with a literal value stands for.
fn literal_value(model: &FlatModel, id: ExpressionId) -> Option<f64> {
    match model.expressions.node(id) {
        Node::Variable(variable, 0) if model.variables[variable].variability == Variability::Constant => {
            model.expressions.literal(model.variables[variable].binding?)
        }
        _ => model.expressions.literal(id),
    }
}

fn exact_sum(a: f64, b: f64) -> Option<f64> {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    (error == 0.0).then_some(sum)
}

fn exact_product(a: f64, b: f64) -> Option<f64> {
    let product = a * b;
    (product.is_finite() && a.mul_add(b, -product) == 0.0).then_some(product)
}

fn exact_quotient(a: f64, b: f64) -> Option<f64> {
    let quotient = a / b;
    (quotient.is_finite() && quotient.mul_add(b, -a) == 0.0).then_some(quotient)
}
