//! Guards that rounding does not decide: the definition of a mode variable, looked at in the mode that is left.
//!
//! At its bound a guard must neither hold nor fail by chance. A relation whose truth speaks for the mode has to be
//! clearly true before the mode is entered, `s > hysteresis`, and clearly false before it is left, `s >= -hysteresis`;
//! one that speaks against it the other way round. Which of the two is asked for depends on the mode in force alone.
//! Where it is not clear what a relation speaks for, it gets a Boolean of its own and keeps its truth.
//!
//! Left limits in guards, `pre(x)`, are simply `x` in the mode that is left, and `pre(b)` is `b`. Other modes in a guard,
//! and formulas over them, are what their own guards ask for: of two modes that exclude each other, not both are asked for.

use std::convert::Infallible;

use modeshift_dae::{
    Derivative, ExpressionId, Expressions, Fold, IndexVec, Memo, ModeVariableId, MultimodeDae, Node, Operands,
    RelationOperator, Variability, VariableId,
};
use rustc_hash::FxHashMap;

use super::mode_equations::{Declared, ModeBooleans};
use crate::blocks::Replicates;
use crate::draft::Draft;
use crate::target::Item;

/// Half the width of the hysteresis.
const HYSTERESIS: f64 = 1e-9;

/// What the truth of a part of a definition speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Bearing {
    /// The mode.
    For,
    /// That the mode does not hold.
    Against,
    /// Sometimes this, sometimes that.
    Unclear,
}

impl Bearing {
    fn opposite(self) -> Self {
        match self {
            Bearing::For => Bearing::Against,
            Bearing::Against => Bearing::For,
            Bearing::Unclear => Bearing::Unclear,
        }
    }
}

/// Where a part of a definition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    /// Within `pre(…)`.
    before: bool,
    /// Whether the mode is in force, where the definition itself has asked.
    in_force: Option<bool>,
    bearing: Bearing,
}

/// A variable of a guard that is impulsive in some changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenImpulse {
    pub(crate) mode: ModeVariableId,
    pub(crate) variable: VariableId,
    /// True in the instant of these changes.
    pub(crate) change: ExpressionId,
    /// The area of the impulse then.
    pub(crate) weight: ExpressionId,
}

/// Reads definitions of mode variables in the mode that is left.
pub(crate) struct Guards<'a> {
    pub(crate) dae: &'a MultimodeDae,
    pub(crate) booleans: IndexVec<ModeVariableId, ModeBooleans>,
    /// The mode variable that a Boolean is.
    pub(crate) mode_of: FxHashMap<VariableId, ModeVariableId>,
    /// The definitions of other variables that modes decide.
    pub(crate) definition_of: FxHashMap<VariableId, ExpressionId>,
    /// Relations that are on impulses in some changes, in terms of the target.
    pub(crate) impulses: Vec<WrittenImpulse>,
    /// What was declared on the way.
    pub(crate) declared: Declared,
    /// Equations of Booleans that were declared on the way.
    pub(crate) items: Vec<Item>,
}

impl Guards<'_> {
    /// What the definition of a mode variable asks for next.
    pub(crate) fn guard(&mut self, draft: &mut Draft, mode: ModeVariableId, definition: ExpressionId) -> ExpressionId {
        let outside = Place { before: false, in_force: None, bearing: Bearing::For };
        let Ok(guard) = Reading { guards: self, draft, mode }.fold(&mut Memo::new(), definition, outside);
        guard
    }

    /// The operands of a part, and where they stand.
    fn parts(&self, mode: ModeVariableId, id: ExpressionId, place: Place) -> Vec<(ExpressionId, Place)> {
        let expressions = &self.dae.model.expressions;
        let unclear = Place { bearing: Bearing::Unclear, ..place };
        match expressions.node(id) {
            Node::Not(a) => vec![(a, Place { bearing: place.bearing.opposite(), ..place })],
            Node::And(a, b) | Node::Or(a, b) => vec![(a, place), (b, place)],
            Node::If(condition, a, b) if self.is_own(mode, condition) => match place.in_force {
                Some(true) => vec![(a, place)],
                Some(false) => vec![(b, place)],
                None => {
                    let branch = |in_force| Place { in_force: Some(in_force), ..place };
                    vec![(condition, unclear), (a, branch(true)), (b, branch(false))]
                }
            },
            Node::If(condition, a, b) => vec![(condition, unclear), (a, place), (b, place)],
            Node::Pre(a) => vec![(a, Place { before: true, ..place })],
            Node::Variable(variable, 0) => {
                self.definition_of.get(&variable).map(|&definition| (definition, place)).into_iter().collect()
            }
            _ => expressions.children(id).map(|child| (child, unclear)).collect(),
        }
    }

    /// Whether a condition is the left limit of the mode variable itself.
    fn is_own(&self, mode: ModeVariableId, condition: ExpressionId) -> bool {
        let expressions = &self.dae.model.expressions;
        let Node::Pre(inner) = expressions.node(condition) else { return false };
        match expressions.node(inner) {
            Node::Variable(variable, 0) => self.mode_of.get(&variable) == Some(&mode),
            Node::Mode(other) => other == mode,
            _ => false,
        }
    }

    fn result(
        &mut self,
        draft: &mut Draft,
        mode: ModeVariableId,
        (id, place): (ExpressionId, Place),
        parts: &[ExpressionId],
    ) -> ExpressionId {
        let implicit = self.dae.mode_variables[mode].implicit;
        match self.dae.model.expressions.node(id) {
            Node::Variable(..) if !parts.is_empty() => parts[0],
            Node::Variable(of, order) => self.left_value(draft, Derivative { of, order }, place.before),
            Node::Mode(other) => self.left_mode(draft, other, place.before),
            Node::Pre(_) => parts[0],
            Node::If(..) => match *parts {
                [condition, a, b] => draft.expressions().if_then_else(condition, a, b),
                _ => parts[0],
            },
            Node::Relation(operator, a, b)
                if implicit && !place.before && depends_on_unknowns(self.dae, &draft.replicates, id) =>
            {
                let value = self.with_hysteresis(draft, mode, operator, (parts[0], parts[1]), place);
                self.with_impulses(draft, mode, operator, (a, b), place, value)
            }
            _ => {
                let children: Vec<ExpressionId> = self.dae.model.expressions.children(id).collect();
                let operand = |child: ExpressionId| {
                    let at = children.iter().position(|&it| it == child).expect("an operand is a child");
                    parts[at]
                };
                draft.expressions().rebuilt(id, operand)
            }
        }
    }

    /// A variable in a guard. Left limits of unknowns are their values in the mode that is left.
    fn left_value(&self, draft: &mut Draft, derivative: Derivative<VariableId>, before: bool) -> ExpressionId {
        let variable = derivative.of;
        if draft.replicates.is_unknown(variable) {
            return draft.signal(derivative);
        }
        if let Some(&mode) = self.mode_of.get(&variable) {
            return self.left_mode(draft, mode, before);
        }
        let value = draft.value(variable);
        let changes = self.dae.model.variables[variable].variability > Variability::Parameter;
        if before && changes { draft.expressions().pre(value) } else { value }
    }

    /// Another mode variable in a guard: what its own guard asks for now, or what is in force.
    fn left_mode(&self, draft: &mut Draft, mode: ModeVariableId, before: bool) -> ExpressionId {
        let ModeBooleans { in_force, next } = self.booleans[mode];
        match (before, next) {
            (false, next) => draft.value(next.unwrap_or(in_force)),
            (true, Some(_)) => draft.value(in_force),
            (true, None) => {
                let value = draft.value(in_force);
                draft.expressions().pre(value)
            }
        }
    }

    /// `s >= 0` as `if b then s >= -hysteresis else s > hysteresis`, with `b` the mode in force.
    fn with_hysteresis(
        &mut self,
        draft: &mut Draft,
        mode: ModeVariableId,
        operator: RelationOperator,
        (left, right): (ExpressionId, ExpressionId),
        place: Place,
    ) -> ExpressionId {
        use RelationOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let width = match operator {
            Equal | NotEqual => return draft.expressions().relation(operator, left, right),
            _ => self.hysteresis(draft),
        };
        let in_force = self.booleans[mode].in_force;
        let own = (place.bearing == Bearing::Unclear).then(|| draft.target.derived(in_force, "_relation", None));
        let expressions = draft.expressions();
        let (lower, upper) = (expressions.difference(right, width), expressions.sum(right, width));
        let (lenient, strict) = match operator {
            Greater | GreaterEqual => {
                (expressions.relation(GreaterEqual, left, lower), expressions.relation(Greater, left, upper))
            }
            _ => (expressions.relation(LessEqual, left, upper), expressions.relation(Less, left, lower)),
        };
        if let Some(own) = own {
            return self.remembered(draft, own, lenient, strict);
        }
        let (stays, enters) = if place.bearing == Bearing::For { (lenient, strict) } else { (strict, lenient) };
        match place.in_force {
            Some(true) => stays,
            Some(false) => enters,
            None => {
                let in_force = draft.value(in_force);
                draft.expressions().if_then_else(in_force, stays, enters)
            }
        }
    }

    /// A relation that asks for the weights of impulses in the instants in which there are some.
    fn with_impulses(
        &mut self,
        draft: &mut Draft,
        mode: ModeVariableId,
        operator: RelationOperator,
        (left, right): (ExpressionId, ExpressionId),
        place: Place,
        value: ExpressionId,
    ) -> ExpressionId {
        let variable = |side: ExpressionId| match self.dae.model.expressions.node(side) {
            Node::Variable(variable, 0) => Some(variable),
            _ => None,
        };
        let (on_left, on_right) = (variable(left), variable(right));
        let own: Vec<WrittenImpulse> = self.impulses.iter().filter(|impulse| impulse.mode == mode).copied().collect();
        own.into_iter().rev().fold(value, |otherwise, impulse| {
            let zero = draft.expressions().real(0.0);
            let sides = if on_left == Some(impulse.variable) {
                (impulse.weight, zero)
            } else if on_right == Some(impulse.variable) {
                (zero, impulse.weight)
            } else {
                return otherwise;
            };
            let weighed = self.with_hysteresis(draft, mode, operator, sides, place);
            draft.expressions().if_then_else(impulse.change, weighed, otherwise)
        })
    }

    /// A relation that keeps its truth until it is clearly another, in a Boolean of its own.
    fn remembered(
        &mut self,
        draft: &mut Draft,
        own: VariableId,
        lenient: ExpressionId,
        strict: ExpressionId,
    ) -> ExpressionId {
        self.declared.booleans.push(own);
        let own = draft.value(own);
        let so_far = draft.expressions().pre(own);
        let relation = draft.expressions().if_then_else(so_far, lenient, strict);
        self.items.push(Item::Equation(own, relation));
        own
    }

    fn hysteresis(&mut self, draft: &mut Draft) -> ExpressionId {
        let declared = &mut self.declared.hysteresis;
        let variable = *declared.get_or_insert_with(|| {
            draft.target.parameter(
                "hysteresis",
                HYSTERESIS,
                "how far a guard goes beyond its bound before the mode changes",
            )
        });
        draft.value(variable)
    }
}

/// The definition of a mode variable as it is read.
struct Reading<'r, 'a, 'd> {
    guards: &'r mut Guards<'a>,
    draft: &'r mut Draft<'d>,
    mode: ModeVariableId,
}

impl Fold for Reading<'_, '_, '_> {
    type Context = Place;
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        &self.guards.dae.model.expressions
    }

    fn open(&mut self, id: ExpressionId, place: Place, operands: &mut Operands<Place>) -> Option<ExpressionId> {
        let parts = self.guards.parts(self.mode, id, place);
        parts.into_iter().for_each(|(part, place)| operands.push(part, place));
        None
    }

    /// Those that matter are among the parts.
    fn branches(&mut self, _: [ExpressionId; 3], _: Place, _: &Memo<Place, ExpressionId>, _: &mut Operands<Place>) {}

    fn close(
        &mut self,
        id: ExpressionId,
        place: Place,
        known: &Memo<Place, ExpressionId>,
    ) -> Result<ExpressionId, Infallible> {
        let parts = self.guards.parts(self.mode, id, place);
        let parts: Vec<ExpressionId> = parts.into_iter().map(|(part, place)| known.at(part, place)).collect();
        Ok(self.guards.result(self.draft, self.mode, (id, place), &parts))
    }
}

fn depends_on_unknowns(dae: &MultimodeDae, replicates: &Replicates, relation: ExpressionId) -> bool {
    let is_unknown = |node| matches!(node, Node::Variable(variable, _) if replicates.is_unknown(variable));
    dae.model.expressions.contains(relation, is_unknown)
}
