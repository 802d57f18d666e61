//! Values that come back: a state that jumps in one instant of a change and has its old value again in a later one does so
//! because something is conserved. Numbers show that where coefficients are constant; where they depend on what has jumped,
//! or on time, generic numbers show what is not so.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{ArithmeticOperator, ExpressionId, Node};

use crate::change::Change;
use crate::domain::{Shifted, Unknown};
use crate::graph::Graph;
use crate::system::DifferenceSystem;
use crate::values::linear::{Jet, Values};
use crate::values::series::Series;

/// What an expression is in the unknowns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Degree {
    Constant,
    /// It has no unknowns, and changes with time or at events.
    Varying,
    /// Linear with constant coefficients, but for what it has beside unknowns.
    Linear,
    Other,
}

impl Graph {
    /// Whether a variable, so many instants from the beginning of a change, has its value before only as far as generic numbers
    /// show: it has had another one in between, and what brings it back is not linear with constant coefficients. Shifts
    /// of the values are counted from the first instant.
    pub(crate) fn comes_back_by_chance(
        &self,
        change: &Change,
        values: &Values,
        left: &Jet,
        variable: Shifted<Unknown>,
    ) -> bool {
        let Some(&before) = left.get(&Shifted::new(variable.of, 0)) else { return false };
        let before = Series::monomial(before, 0);
        let is_other = |value: &Series| (value - &before).order().is_some_and(|order| order >= 0);
        let mut between = (0..variable.shift).filter_map(|shift| values.get(&Shifted::new(variable.of, shift)));
        between.any(is_other) && !self.has_constant_coefficients(change)
    }

    /// Whether all equations of the mode behind a change are linear with constant coefficients.
    fn has_constant_coefficients(&self, change: &Change) -> bool {
        let system = &self.system;
        let sides = system.equations_in(change.after).map(|body| system.bodies[body].sides);
        sides.into_iter().all(|sides| sides.is_some_and(|sides| sides.iter().all(|&it| system.is_linear(it))))
    }
}

impl DifferenceSystem {
    /// Whether an expression is linear in the unknowns, with constant coefficients.
    fn is_linear(&self, root: ExpressionId) -> bool {
        let mut parts = BTreeSet::new();
        self.expressions.for_each(root, |id, _| parts.insert(id));
        // Operands are older than what is made of them.
        let mut degrees: BTreeMap<ExpressionId, Degree> = BTreeMap::new();
        for part in parts {
            let degree = self.degree(part, &degrees);
            degrees.insert(part, degree);
        }
        degrees.get(&root).is_some_and(|&degree| degree <= Degree::Linear)
    }

    fn degree(&self, part: ExpressionId, degrees: &BTreeMap<ExpressionId, Degree>) -> Degree {
        use ArithmeticOperator::{Add, Divide, Multiply, Subtract};
        use Degree::{Constant, Linear, Other, Varying};
        let of = |operand: ExpressionId| degrees.get(&operand).copied().unwrap_or(Other);
        match self.expressions.node(part) {
            Node::Variable(variable, _) if self.unknown_of.contains_key(&variable) => Linear,
            Node::Variable(variable, _) if self.jumping.contains(&variable) => Varying,
            Node::Variable(..) => Constant,
            Node::Time | Node::Pre(_) | Node::Mode(_) => Varying,
            Node::Negate(a) => of(a),
            Node::Arithmetic(Add | Subtract, a, b) => of(a).max(of(b)),
            Node::Arithmetic(Multiply, a, b) => match (of(a).min(of(b)), of(a).max(of(b))) {
                (Constant, other) => other,
                (Varying, Varying) => Varying,
                _ => Other,
            },
            Node::Arithmetic(Divide, a, b) if of(b) == Constant => of(a),
            _ => {
                let operands = self.expressions.children(part).map(of).max().unwrap_or(Constant);
                if operands <= Varying { operands } else { Other }
            }
        }
    }
}
