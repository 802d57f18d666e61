//! One equation for one unknown that it contains affinely: most blocks of a large model are of this kind, and a tape for each would cost
//! more than its solution.

use modeshift_dae::{ArithmeticOperator as Op, EquationId, ExpressionId, Id, Node, VariableId};
use modeshift_numerics::Input;

use crate::initialization::point::Point;
use crate::initialization::problem::InitialProblem;

/// Expressions with more parts than this, shared ones counted again, are left to tapes.
const MOST_PARTS: usize = 64;
/// The first correction is exact but for rounding, which the next one takes away as far as it can be.
const CORRECTIONS: usize = 3;

/// A value and its derivative by the unknown.
#[derive(Clone, Copy)]
struct Dual {
    value: f64,
    slope: f64,
}

/// The evaluation of a residual.
struct Evaluation<'e, 'p> {
    problem: &'e InitialProblem<'p>,
    point: &'e Point,
    unknown: VariableId,
    at: f64,
    parts: usize,
}

impl InitialProblem<'_> {
    /// The solution of an equation for a variable; nothing where it does not contain it affinely, or has none.
    pub(in crate::initialization) fn affine_solution(
        &self,
        equation: EquationId,
        unknown: VariableId,
        point: &Point,
    ) -> Option<f64> {
        let residual = self.start.system.residuals[equation];
        let mut at = point.values[unknown.index()];
        for _ in 0..CORRECTIONS {
            let mut evaluation = Evaluation { problem: self, point, unknown, at, parts: 0 };
            let Dual { value, slope } = evaluation.dual(residual)?;
            let next = at - value / slope;
            if slope == 0.0 || !next.is_finite() {
                return None;
            }
            if next == at {
                break;
            }
            at = next;
        }
        Some(at)
    }
}

impl Evaluation<'_, '_> {
    fn count(&mut self) -> Option<()> {
        self.parts += 1;
        (self.parts <= MOST_PARTS).then_some(())
    }

    fn dual(&mut self, id: ExpressionId) -> Option<Dual> {
        self.count()?;
        let constant = |value: f64| Some(Dual { value, slope: 0.0 });
        match self.problem.model().expressions.node(id) {
            Node::Real(number) => constant(number.value()),
            Node::Integer(number) => constant(number as f64),
            Node::Time => constant(self.point.input(self.problem, Input::Time)),
            Node::Variable(variable, 0) if variable == self.unknown => Some(Dual { value: self.at, slope: 1.0 }),
            Node::Variable(variable, order) => {
                constant(self.point.input(self.problem, Input::Variable(variable, order)))
            }
            Node::Negate(a) => self.dual(a).map(|a| Dual { value: -a.value, slope: -a.slope }),
            Node::Arithmetic(operator, a, b) => {
                let (a, b) = (self.dual(a)?, self.dual(b)?);
                arithmetic(operator, a, b)
            }
            Node::If(condition, a, b) => match self.truth(condition)? {
                true => self.dual(a),
                false => self.dual(b),
            },
            _ => None,
        }
    }

    /// A condition on modes alone.
    fn truth(&mut self, id: ExpressionId) -> Option<bool> {
        self.count()?;
        match self.problem.model().expressions.node(id) {
            Node::Boolean(value) => Some(value),
            Node::Mode(mode) => Some(self.point.mode.value(mode)),
            Node::Not(a) => self.truth(a).map(|a| !a),
            Node::And(a, b) => Some(self.truth(a)? && self.truth(b)?),
            Node::Or(a, b) => Some(self.truth(a)? || self.truth(b)?),
            _ => None,
        }
    }
}

/// Nothing where the result is not affine.
fn arithmetic(operator: Op, a: Dual, b: Dual) -> Option<Dual> {
    match operator {
        Op::Add => Some(Dual { value: a.value + b.value, slope: a.slope + b.slope }),
        Op::Subtract => Some(Dual { value: a.value - b.value, slope: a.slope - b.slope }),
        Op::Multiply if a.slope == 0.0 || b.slope == 0.0 => {
            Some(Dual { value: a.value * b.value, slope: a.slope * b.value + a.value * b.slope })
        }
        Op::Divide if b.slope == 0.0 => Some(Dual { value: a.value / b.value, slope: a.slope / b.value }),
        _ => None,
    }
}
