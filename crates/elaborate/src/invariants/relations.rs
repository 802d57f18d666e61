//! Relations over the same expression: which of them are one mode variable, and how they imply each other.
//!
//! A relation `a < b` is brought to the form `e < c`, with a sum `e` of terms and a number `c`, where the
//! arithmetic is exact; otherwise `a - b` stays as it is. All relations over one `e` are thresholds on a line:
//! `e >= 1` implies `e > 0`, and `e == 1` lies between `e >= 1` and `e > 1`. This is the small exact decision that
//! stands in for the abstract domain of the papers. The invariant of a family is linear in its size. A Boolean that is
//! defined as a relation (`a = x >= 1`) has its place on the line too, without being the same mode variable as the
//! relation; what relations over different sums exclude together is found by `half_spaces`.

use std::collections::BTreeMap;

use modeshift_dae::{ExpressionId, Expressions, FlatModel, ModeVariableId, Node, RelationOperator, Type, VariableId};
use rustc_hash::FxHashMap;

use super::sums::Sum;

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

impl Point {
    /// The thresholds between which an equality is; a threshold itself, twice.
    pub(crate) fn ends(self) -> (Point, Point) {
        match self.kind {
            PointKind::Equal => (Point { kind: PointKind::AtLeast, ..self }, Point { kind: PointKind::Above, ..self }),
            _ => (self, self),
        }
    }
}

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
    points: BTreeMap<Point, Place>,
}

/// What says whether a relation holds.
#[derive(Default)]
struct Place {
    /// The mode variable that the relation itself is.
    relation: Option<Literal>,
    /// Booleans that are defined as the relation.
    named: Vec<Literal>,
}

impl Place {
    fn literals(&self) -> impl Iterator<Item = Literal> {
        self.relation.into_iter().chain(self.named.iter().copied())
    }

    fn first(&self) -> Literal {
        self.literals().next().expect("a place has a relation or a name of one")
    }
}

impl RelationTable {
    pub(crate) fn find(&self, family: &Form, point: Point) -> Option<Literal> {
        self.families[*self.index.get(family)?].points.get(&point)?.relation
    }

    /// The relation is a mode variable.
    pub(crate) fn insert(&mut self, model: &FlatModel, family: Form, point: Point, literal: Literal) {
        self.place(model, family, point).relation = Some(literal);
    }

    /// A Boolean is defined as the relation.
    pub(crate) fn insert_named(&mut self, model: &FlatModel, family: Form, point: Point, literal: Literal) {
        self.place(model, family, point).named.push(literal);
    }

    fn place(&mut self, model: &FlatModel, family: Form, point: Point) -> &mut Place {
        let families = &mut self.families;
        let number = *self.index.entry(family).or_insert_with_key(|form| {
            families.push(Family {
                discrete: is_discrete(model, form),
                bounds: bounds(model, form),
                points: BTreeMap::new(),
            });
            families.len() - 1
        });
        families[number].points.entry(point).or_default()
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
        self.names(expressions, found);
        if self.points.len() < 2 && self.bounds.is_none() {
            return;
        }
        let yes = expressions.boolean(true);
        let start = self.bounds.map(|(least, _)| (Point { value: least, kind: PointKind::AtLeast }, yes));
        let mut segment = Segment { start, equalities: Vec::new() };
        for (&point, place) in &self.points {
            let literal = place.first();
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

    /// All that name one relation say the same.
    fn names(&self, expressions: &mut Expressions, found: &mut Vec<(ExpressionId, ModeVariableId)>) {
        for place in self.points.values() {
            let first = place.first();
            for other in place.literals().skip(1) {
                let (here, there) = (first.formula(expressions), other.formula(expressions));
                for (a, b) in [(here, there), (there, here)] {
                    found.extend(implication(expressions, a, b).map(|formula| (formula, other.mode)));
                }
            }
        }
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
