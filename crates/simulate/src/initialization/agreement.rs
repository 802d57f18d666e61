//! How well a mode agrees with its own solution at the start.
//!
//! At best its definitions have, at the solution, the values that it assumes, with `pre(b)` at the start value of `b`. Where no
//! mode does, a Boolean whose start is not fixed may have been before what it is: `pre(b) = b`. Where still none does, relations
//! that are exactly at zero contradict nothing: at `v = 0` every diode is at zero, and only what comes right after tells
//! which of them conduct. The point is then a left limit, and the first instant of a run selects the mode.

use std::cell::OnceCell;

use modeshift_dae::{ExpressionId, Memo, ModeVariableId, Node, RelationOperator};
use modeshift_structure::initialization::OneMode;
use rustc_hash::FxHashMap;

use super::point::{Point, StartMode};
use super::problem::InitialProblem;

/// Sides of a relation that differ by less, relative to their size, may be equal; the first instant decides.
const TIE: f64 = 1e-9;
/// Sides that differ by more than this share of the largest value of all do not vanish by rounding, whatever they are made of. What
/// differs by less may be something in other units: then it is asked what its sides are made of.
const SUSPICIOUS: f64 = 1e-8;
/// A solution is known to so many roundings of what it is made of: where equations are not linear, iterations end that near.
const ROUNDINGS: f64 = 64.0;

/// How well a mode agrees with its solution; better ones come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Agreement {
    /// As it stands.
    Literal,
    /// If what is not fixed was before what it is.
    OwnLeftLimits,
    /// If relations at zero may have either truth.
    Ties,
}

impl InitialProblem<'_> {
    /// How well a mode agrees with a point, if it does.
    pub(crate) fn agreement(&self, mode: &StartMode, point: &Point) -> Option<Agreement> {
        if self.mode_at(point) == *mode {
            return Some(Agreement::Literal);
        }
        let own = Point { own_left_limits: true, ..point.clone() };
        if self.mode_at(&own) == *mode {
            return Some(Agreement::OwnLeftLimits);
        }
        [point, &own].iter().any(|point| self.agrees_but_for_ties(mode, point)).then_some(Agreement::Ties)
    }

    /// Whether no definition contradicts a mode, if relations at zero are undecided.
    fn agrees_but_for_ties(&self, mode: &StartMode, point: &Point) -> bool {
        let there = self.mode_at(point);
        let differing = self.dae.mode_variables.ids().filter(|&id| there.value(id) != mode.value(id));
        let one_mode = OnceCell::new();
        let one_mode = || one_mode.get_or_init(|| self.start.one_mode(|variable| mode.is_on(variable)));
        differing.into_iter().all(|id| self.is_undecided(id, point, &one_mode))
    }

    /// Whether ties leave the definition of a mode variable open, at the solution of a mode.
    fn is_undecided<'m>(&self, id: ModeVariableId, point: &Point, one_mode: &dyn Fn() -> &'m OneMode) -> bool {
        let Some(definition) = self.dae.mode_variables[id].definition else { return false };
        let expressions = &self.model().expressions;
        let (mut relations, mut leaves) = (Vec::new(), Vec::new());
        expressions.for_each(definition, |id, node| match node {
            Node::Relation(_, a, b) => {
                relations.push((id, a, b));
                false
            }
            Node::Variable(..) | Node::Mode(_) | Node::Pre(_) | Node::Call(..) => {
                leaves.push(id);
                false
            }
            _ => true,
        });
        let sides: Vec<ExpressionId> = relations.iter().flat_map(|&(_, a, b)| [a, b]).collect();
        let values = self.evaluate(&sides, point);
        let largest = point.largest();
        let mut truths: FxHashMap<ExpressionId, Option<bool>> = FxHashMap::default();
        for (&(id, ..), sides) in relations.iter().zip(values.chunks_exact(2)) {
            let difference = (sides[0] - sides[1]).abs();
            let is_alike = difference <= TIE * (sides[0].abs() + sides[1].abs());
            let is_rounding = || {
                difference <= SUSPICIOUS * largest && difference <= ROUNDINGS * self.rounding_of(one_mode(), point, id)
            };
            truths.insert(id, relation_truth(expressions.node(id), sides, is_alike || is_rounding()));
        }
        for (&id, value) in leaves.iter().zip(self.evaluate(&leaves, point)) {
            truths.insert(id, Some(value != 0.0));
        }
        let value = expressions.fold_up(&mut Memo::new(), definition, |id, node, known| {
            truths.get(&id).copied().unwrap_or_else(|| combined(node, known))
        });
        value.is_none()
    }
}

/// The truth of a relation; nothing where its sides may be equal.
fn relation_truth(node: Node, sides: &[f64], may_be_equal: bool) -> Option<bool> {
    let Node::Relation(operator, ..) = node else { return None };
    let is_ordered = !matches!(operator, RelationOperator::Equal | RelationOperator::NotEqual);
    (!(may_be_equal && is_ordered)).then(|| operator.holds(sides[0], sides[1]))
}

/// Kleene's logic.
fn combined(node: Node, known: &Memo<(), Option<bool>>) -> Option<bool> {
    match node {
        Node::Boolean(value) => Some(value),
        Node::Not(a) => known[a].map(|value| !value),
        Node::And(a, b) => match (known[a], known[b]) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Node::Or(a, b) => match (known[a], known[b]) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Node::If(condition, a, b) => match known[condition] {
            Some(true) => known[a],
            Some(false) => known[b],
            None => known[a].filter(|_| known[a] == known[b]),
        },
        _ => Some(false),
    }
}
