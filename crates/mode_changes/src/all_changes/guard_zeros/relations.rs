//! Constraints that a guard itself makes true at the instant of its change.
//!
//! The rope becomes straight when its slack `s = L^2 - (x^2 + y^2)` reaches zero, and then `0 = L^2 - (x^2 + y^2)`
//! holds: at that instant the new constraint is satisfied, only its derivative is not. So a defect of such a
//! constraint begins with its first derivative and positions do not jump.
//!
//! Recognized where the constraint, as it stands after the change, is a sum of the same terms as the guard's expression
//! as it stood before, or its negation; through the equation of which `s` is a term if the guard is on a variable `s`.

use modeshift_dae::{
    Definition, EquationId, EquationKind, ExpressionId, Expressions, Id, ModeVariableId, MultimodeDae, Node,
    RelationOperator, VariableId, assume_modes,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::terms::{Term, normalized_terms, terms};
use super::users;

/// An equation that is satisfied whenever a mode variable changes to a value, at that instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GuardZero {
    /// The equation.
    pub equation: EquationId,
    /// The mode variable whose change makes it true.
    pub mode: ModeVariableId,
    /// The value after the change.
    pub becomes: bool,
}

/// All of a model, by equation.
pub fn guard_zeros(dae: &MultimodeDae) -> Vec<GuardZero> {
    let with_sides = |mode| relation(dae, mode).map(|sides| (mode, sides));
    let relations: Vec<_> = dae.mode_variables.ids().filter_map(with_sides).collect();
    if relations.is_empty() {
        return Vec::new();
    }
    let expressions = dae.model.expressions.clone();
    let mut search = Search { dae, expressions, definitions: FxHashMap::default(), users: mode_users(dae) };
    search.find_definitions(relations.iter().flat_map(|&(_, (left, right))| [left, right]));
    let mut found = Vec::new();
    for (mode, (left, right)) in relations {
        for becomes in [false, true] {
            search.find(mode, becomes, left, right, &mut found);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The sides of an inequality that defines a mode variable; `last(s)` counts as `s`.
fn relation(dae: &MultimodeDae, mode: ModeVariableId) -> Option<(ExpressionId, ExpressionId)> {
    use RelationOperator::{Greater, GreaterEqual, Less, LessEqual};
    let expressions = &dae.model.expressions;
    let now = |side: ExpressionId| match expressions.node(side) {
        Node::Pre(inner) => inner,
        _ => side,
    };
    match expressions.node(dae.mode_variables[mode].definition?) {
        Node::Relation(Less | LessEqual | Greater | GreaterEqual, left, right) => Some((now(left), now(right))),
        _ => None,
    }
}

/// Equations that depend on a mode variable, in their guard or in a condition.
fn mode_users(dae: &MultimodeDae) -> FxHashMap<ModeVariableId, Vec<EquationId>> {
    let key = |node: Node| if let Node::Mode(mode) = node { Some(mode) } else { None };
    users(dae, |equation| [equation.guard, equation.left, equation.right], key)
}

struct Search<'a> {
    dae: &'a MultimodeDae,
    expressions: Expressions,
    /// What a variable is equal to, and the guard of the equation that says so.
    definitions: FxHashMap<VariableId, Vec<(Option<ExpressionId>, ExpressionId)>>,
    users: FxHashMap<ModeVariableId, Vec<EquationId>>,
}

impl Search<'_> {
    /// For the variables that are sides of relations: of a continuous one the equations `0 = … + s` of which it is one term, of a
    /// discrete one its definition.
    fn find_definitions(&mut self, sides: impl Iterator<Item = ExpressionId>) {
        let dae = self.dae;
        let variable = |side| match dae.model.expressions.node(side) {
            Node::Variable(variable, 0) => Some(variable),
            _ => None,
        };
        let wanted: FxHashSet<VariableId> = sides.filter_map(variable).collect();
        if wanted.is_empty() {
            return;
        }
        let is_wanted = |node| matches!(node, Node::Variable(variable, 0) if wanted.contains(&variable));
        let has_wanted = dae.model.expressions.all_with(is_wanted, |_| false);
        for definition in dae.discrete.definitions.iter_enumerated() {
            if let (variable, Some(Definition::Equation { value, .. })) = definition {
                self.definitions.entry(variable).or_default().push((None, *value));
            }
        }
        for equation in dae.model.equations.iter().filter(|equation| equation.kind == EquationKind::Continuous) {
            let sides = [(equation.left, equation.right), (equation.right, equation.left)];
            for (side, other) in sides.into_iter().filter(|&(side, _)| has_wanted[side]) {
                for Term { of, added, .. } in terms(&self.expressions, side).into_iter().filter(Term::is_single) {
                    if let Node::Variable(variable, 0) = self.expressions.node(of)
                        && wanted.contains(&variable)
                    {
                        // What is left of the equation without the variable, with its sign.
                        let rest = self.expressions.difference(side, other);
                        let value = match added {
                            1 => self.expressions.difference(of, rest),
                            _ => self.expressions.sum(of, rest),
                        };
                        self.definitions.entry(variable).or_default().push((Some(equation.guard), value));
                    }
                }
            }
        }
    }

    fn find(
        &mut self,
        mode: ModeVariableId,
        becomes: bool,
        left: ExpressionId,
        right: ExpressionId,
        found: &mut Vec<GuardZero>,
    ) {
        let mut zeros = vec![self.expressions.difference(left, right)];
        for (side, other) in [(left, right), (right, left)] {
            if let Node::Variable(variable, 0) = self.expressions.node(side) {
                for (guard, definition) in self.definitions.get(&variable).cloned().unwrap_or_default() {
                    let guard = guard.map(|guard| self.assuming(guard, mode, !becomes));
                    if guard.is_some_and(|guard| self.expressions.literal_boolean(guard) == Some(false)) {
                        continue;
                    }
                    let before = self.assuming(definition, mode, !becomes);
                    zeros.push(self.expressions.difference(before, other));
                }
            }
        }
        let zeros: Vec<Vec<Term>> = zeros.into_iter().map(|zero| normalized_terms(&self.expressions, zero)).collect();
        for equation in self.users.get(&mode).cloned().unwrap_or_default() {
            let sides = &self.dae.model.equations[equation];
            let (left, right) = (sides.left, sides.right);
            let (left, right) = (self.assuming(left, mode, becomes), self.assuming(right, mode, becomes));
            let residual = self.expressions.difference(left, right);
            if zeros.contains(&normalized_terms(&self.expressions, residual)) {
                found.push(GuardZero { equation, mode, becomes });
            }
        }
    }

    fn assuming(&mut self, expression: ExpressionId, mode: ModeVariableId, value: bool) -> ExpressionId {
        assume_modes(&mut self.expressions, expression, |other| (other.index() == mode.index()).then_some(value))
    }
}
