//! Equations that are linear in one unknown, solved for it.
//!
//! An expression is `coefficient * unknown + rest` if the unknown is reached through sums, products with what does not
//! contain it, and selections that do not depend on it. The result shares what the expression already contains.

use std::convert::Infallible;

use modeshift_dae::{ArithmeticOperator as Op, Builtin, ExpressionId, Expressions, Fold, Memo, Node, Operands};

/// `coefficient * unknown + rest`; neither contains the unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Affine {
    pub coefficient: ExpressionId,
    pub rest: ExpressionId,
}

#[derive(Clone, Copy)]
enum Part {
    /// Does not contain the unknown.
    Free,
    Affine(Affine),
    Nonlinear,
}

/// The expression as a linear function of an unknown, a variable or a derivative that it contains; nothing if it is
/// nonlinear in it or does not contain it.
pub(crate) fn affine(e: &mut Expressions, root: ExpressionId, unknown: ExpressionId) -> Option<Affine> {
    let Ok(part) = AffineIn { expressions: e, unknown }.fold(&mut Memo::new(), root, ());
    match part {
        Part::Affine(affine) => Some(affine),
        Part::Free | Part::Nonlinear => None,
    }
}

/// From expressions to what they are in an unknown.
struct AffineIn<'e> {
    expressions: &'e mut Expressions,
    unknown: ExpressionId,
}

impl Fold for AffineIn<'_> {
    type Context = ();
    type Value = Part;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        self.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<Part> {
        if matches!(self.expressions.node(id), Node::Pre(_)) {
            return Some(Part::Free);
        }
        operands.extend(self.expressions.children(id), ());
        None
    }

    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Memo<(), Part>, _: &mut Operands<()>) {}

    fn close(&mut self, id: ExpressionId, (): (), known: &Memo<(), Part>) -> Result<Part, Infallible> {
        Ok(part_of(self.expressions, id, self.unknown, known))
    }
}

/// `expression = 0` solved for the unknown.
pub(crate) fn solved(e: &mut Expressions, affine: Affine) -> ExpressionId {
    if e.literal(affine.coefficient) == Some(-1.0) {
        return affine.rest;
    }
    let right = negated(e, affine.rest);
    e.quotient(right, affine.coefficient)
}

/// The negative; of a difference the opposite one.
fn negated(e: &mut Expressions, a: ExpressionId) -> ExpressionId {
    match e.node(a) {
        Node::Arithmetic(Op::Subtract, left, right) => e.difference(right, left),
        _ => e.negate(a),
    }
}

fn part_of(e: &mut Expressions, id: ExpressionId, unknown: ExpressionId, known: &Memo<(), Part>) -> Part {
    if id == unknown {
        return Part::Affine(Affine { coefficient: e.real(1.0), rest: e.real(0.0) });
    }
    let node = e.node(id);
    if e.children(id).all(|child| matches!(known[child], Part::Free)) {
        return Part::Free;
    }
    let part = match node {
        Node::Negate(a) => of_one(e, known[a], |e, a| e.negate(a)),
        Node::Arithmetic(operator @ (Op::Add | Op::Subtract), a, b) => sum(e, operator, (a, known[a]), (b, known[b])),
        Node::Arithmetic(Op::Multiply, a, b) => match (known[a], known[b]) {
            (part, Part::Free) => of_one(e, part, |e, a| e.product(a, b)),
            (Part::Free, part) => of_one(e, part, |e, b| e.product(a, b)),
            _ => None,
        },
        Node::Arithmetic(Op::Divide, a, b) if matches!(known[b], Part::Free) => {
            of_one(e, known[a], |e, a| quotient(e, a, b))
        }
        Node::If(condition, a, b) if matches!(known[condition], Part::Free) => {
            selection(e, condition, (a, known[a]), (b, known[b]))
        }
        Node::Call(builtin, arguments) => {
            let list = e.argument_list(arguments).to_vec();
            transparent_argument(builtin, &list).and_then(|argument| of_one(e, known[argument], |_, a| a))
        }
        _ => None,
    };
    part.map_or(Part::Nonlinear, Part::Affine)
}

fn of_one(
    e: &mut Expressions,
    part: Part,
    mut of: impl FnMut(&mut Expressions, ExpressionId) -> ExpressionId,
) -> Option<Affine> {
    match part {
        Part::Affine(Affine { coefficient, rest }) => {
            Some(Affine { coefficient: of(e, coefficient), rest: of(e, rest) })
        }
        Part::Free | Part::Nonlinear => None,
    }
}

/// A free expression is its own rest.
fn as_affine(e: &mut Expressions, (id, part): (ExpressionId, Part)) -> Option<Affine> {
    match part {
        Part::Free => Some(Affine { coefficient: e.real(0.0), rest: id }),
        Part::Affine(affine) => Some(affine),
        Part::Nonlinear => None,
    }
}

fn sum(e: &mut Expressions, operator: Op, a: (ExpressionId, Part), b: (ExpressionId, Part)) -> Option<Affine> {
    let (a, b) = (as_affine(e, a)?, as_affine(e, b)?);
    let coefficient = e.arithmetic(operator, a.coefficient, b.coefficient);
    Some(Affine { coefficient, rest: e.arithmetic(operator, a.rest, b.rest) })
}

fn selection(
    e: &mut Expressions,
    condition: ExpressionId,
    a: (ExpressionId, Part),
    b: (ExpressionId, Part),
) -> Option<Affine> {
    let (a, b) = (as_affine(e, a)?, as_affine(e, b)?);
    let coefficient = e.if_then_else(condition, a.coefficient, b.coefficient);
    Some(Affine { coefficient, rest: e.if_then_else(condition, a.rest, b.rest) })
}

/// A quotient of which a zero numerator leaves nothing.
fn quotient(e: &mut Expressions, a: ExpressionId, b: ExpressionId) -> ExpressionId {
    if e.literal(a) == Some(0.0) { a } else { e.quotient(a, b) }
}

/// The argument that a call passes on unchanged while a mode lasts.
fn transparent_argument(builtin: Builtin, list: &[ExpressionId]) -> Option<ExpressionId> {
    match builtin {
        Builtin::NoEvent | Builtin::Homotopy => Some(list[0]),
        Builtin::Smooth => Some(list[1]),
        _ => None,
    }
}
