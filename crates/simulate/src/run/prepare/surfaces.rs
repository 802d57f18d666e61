//! Surfaces: where relations are at zero. Those that are at zero together, `v > 0`, `0 < v` and `-2*v < 0`, have one.
//!
//! The difference of the sides of a relation is read as a sum of terms with numbers, where a variable that one equation defines in all
//! modes stands for its definition. Relations are on the same surface if their sums are multiples of each other: those that a number
//! below zero makes equal are on its other side.

use std::collections::BTreeMap;

use modeshift_dae::{
    ArithmeticOperator as Op, Descent, ExpressionId, FlatModel, IndexVec, Node, RelationId, VariableId,
};
use rustc_hash::FxHashMap;

use crate::run::prepare::relations::Atom;

/// Longer sums are compared as they are written.
const MOST_TERMS: usize = 64;

/// The surface of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Surface {
    /// The first relation that has it.
    pub first: RelationId,
    /// Whether the relation is above zero where the first one is below.
    pub is_turned: bool,
}

/// What is zero on a surface: terms with their factors, the first of which is 1, and a number.
#[derive(PartialEq, Eq, Hash)]
struct Sum {
    terms: Vec<(ExpressionId, u64)>,
    constant: u64,
}

/// By relation: its surface, with the values of parameters.
pub(crate) fn surfaces(
    model: &FlatModel,
    parameter: &dyn Fn(VariableId) -> Option<f64>,
    atoms: &IndexVec<RelationId, Atom>,
) -> IndexVec<RelationId, Surface> {
    let reader = Reader { model, parameter, definitions: definitions(model) };
    let mut first = FxHashMap::default();
    let surface = |(id, it): (RelationId, &Atom)| {
        let (sum, is_below) = reader.normalized(it.sides);
        let &mut (first, is_first_below) = first.entry((sum, it.moment)).or_insert((id, is_below));
        Surface { first, is_turned: is_below != is_first_below }
    };
    atoms.iter_enumerated().map(surface).collect()
}

/// What variables are in all modes, by the equations that say so.
fn definitions(model: &FlatModel) -> FxHashMap<VariableId, ExpressionId> {
    let mut definitions = FxHashMap::default();
    for equation in model.equations.iter() {
        if model.expressions.literal_boolean(equation.guard) != Some(true) {
            continue;
        }
        let sides = [(equation.left, equation.right), (equation.right, equation.left)];
        let defined = sides.into_iter().find_map(|(of, by)| match model.expressions.node(of) {
            Node::Variable(variable, 0) if model.variables[variable].is_continuous_unknown() => Some((variable, by)),
            _ => None,
        });
        if let Some((variable, by)) = defined {
            definitions.entry(variable).or_insert(by);
        }
    }
    definitions
}

struct Reader<'r> {
    model: &'r FlatModel,
    parameter: &'r dyn Fn(VariableId) -> Option<f64>,
    definitions: FxHashMap<VariableId, ExpressionId>,
}

impl Reader<'_> {
    /// The difference of two sides divided by its first factor, and whether that is below zero.
    fn normalized(&self, sides: [ExpressionId; 2]) -> (Sum, bool) {
        let as_written = || (BTreeMap::from([(sides[0], 1.0), (sides[1], -1.0)]), 0.0);
        let (terms, constant) = self.terms(sides, true).or_else(|| self.terms(sides, false)).unwrap_or_else(as_written);
        let mut terms = terms.into_iter().filter(|&(_, factor)| factor != 0.0).peekable();
        let by = terms.peek().map_or(1.0, |&(_, factor)| factor);
        // Without the sign of a zero.
        let bits = |value: f64| (value / by + 0.0).to_bits();
        let terms = terms.map(|(term, factor)| (term, bits(factor))).collect();
        (Sum { terms, constant: bits(constant) }, by < 0.0)
    }

    /// The terms of a difference, and what is left of them that is a number; nothing where there are many.
    fn terms(
        &self,
        [left, right]: [ExpressionId; 2],
        is_by_definitions: bool,
    ) -> Option<(BTreeMap<ExpressionId, f64>, f64)> {
        let expressions = &self.model.expressions;
        let (mut terms, mut constant) = (BTreeMap::new(), 0.0);
        let mut descent = Descent::new();
        let hand = |descent: &mut Descent<f64>, to, factor: f64| descent.hand(to, factor, |a, b| a + b);
        hand(&mut descent, left, 1.0);
        hand(&mut descent, right, -1.0);
        let mut visited = 0;
        while let Some((of, factor)) = descent.next() {
            visited += 1;
            if visited > MOST_TERMS || !factor.is_finite() {
                return None;
            }
            if let Some(number) = self.number(of) {
                constant += factor * number;
                continue;
            }
            match expressions.node(of) {
                Node::Arithmetic(Op::Add, a, b) => [a, b].into_iter().for_each(|it| hand(&mut descent, it, factor)),
                Node::Arithmetic(Op::Subtract, a, b) => {
                    hand(&mut descent, a, factor);
                    hand(&mut descent, b, -factor);
                }
                Node::Negate(a) => hand(&mut descent, a, -factor),
                Node::Arithmetic(Op::Multiply, a, b) if self.number(a).is_some() => {
                    hand(&mut descent, b, factor * self.number(a)?)
                }
                Node::Arithmetic(Op::Multiply, a, b) if self.number(b).is_some() => {
                    hand(&mut descent, a, factor * self.number(b)?)
                }
                Node::Arithmetic(Op::Divide, a, b) if self.number(b).is_some() => {
                    hand(&mut descent, a, factor / self.number(b)?)
                }
                Node::Variable(variable, 0) if is_by_definitions && self.definitions.contains_key(&variable) => {
                    hand(&mut descent, self.definitions[&variable], factor)
                }
                _ => *terms.entry(of).or_insert(0.0) += factor,
            }
        }
        Some((terms, constant))
    }

    /// The value of a literal or a parameter.
    fn number(&self, id: ExpressionId) -> Option<f64> {
        match self.model.expressions.node(id) {
            Node::Variable(variable, 0) => (self.parameter)(variable),
            Node::Negate(a) => self.model.expressions.literal(a).map(|value| -value),
            _ => self.model.expressions.literal(id),
        }
    }
}
