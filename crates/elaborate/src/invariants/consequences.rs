//! What the definitions of mode variables say of each other, where they are not formulas over mode variables.
//!
//! `s2 = not s1 and cos(time) > 0.1` is no formula over `s1` and `s2`, but it excludes that both hold. Of a definition,
//! what holds while the Boolean is true (or false) is kept as far as it can be told: relations that are no modes, left
//! limits and calls may hold or not, so that the condition is weakened to a formula over mode variables; and relations
//! that must hold whatever the rest is put the model into a half space, from which `half_spaces` finds what cannot hold
//! together.
//!
//! Relations of time and parameters alone say nothing here: `closed = time > 5` is a schedule, which stands for what comes
//! from outside, and what is known of a model must not hang on the order in which its switches happen to be thrown.

use modeshift_dae::{ExpressionId, FlatModel, Invariant, InvariantOrigin, ModeVariable, ModeVariableId, Node};

use super::half_spaces::{HalfSpace, exclusions};
use super::relations::{Form, Literal, Normal, normal};
use crate::formulas::{Formulas, Shape};

/// So many parts of one definition are looked at; beyond, it says nothing. Definitions may be chained without end.
const PARTS: usize = 256;

/// A condition, or its negation, as a part of a definition.
#[derive(Clone, Copy)]
struct Part {
    condition: ExpressionId,
    negated: bool,
}

impl Formulas<'_> {
    /// What the definitions of mode variables imply that are no formulas over mode variables.
    pub(crate) fn consequences(&mut self, model: &mut FlatModel) -> Vec<Invariant> {
        if model.declares_invariants {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut spaces = self.spaces_of_relations(model);
        for id in self.atoms.modes.ids() {
            let Some(definition) = self.open_definition(model, id) else { continue };
            let line = self.named_relation(model, id, definition);
            for negated in [false, true] {
                let literal = Literal { mode: id, negated };
                let part = Part { condition: definition, negated };
                let mut reading =
                    Reading { formulas: self, model, literal, line: line.clone(), spaces: &mut spaces, left: PARTS };
                let weakened = reading.weakened(part, true);
                let here = literal.formula(&mut model.expressions);
                let outside = model.expressions.not(here);
                found.push((model.expressions.or(outside, weakened), id));
            }
        }
        found.extend(excluded(model, &spaces));
        found.retain(|&(condition, _)| model.expressions.literal_boolean(condition).is_none());
        self.as_invariants(model, found)
    }

    fn as_invariants(&self, model: &mut FlatModel, found: Vec<(ExpressionId, ModeVariableId)>) -> Vec<Invariant> {
        let (guard, origin) = (model.expressions.boolean(true), InvariantOrigin::Relations);
        let span = |mode: ModeVariableId| self.atoms.modes[mode].span;
        let invariant = |(condition, mode)| Invariant { condition, origin, guard, span: span(mode) };
        found.into_iter().map(invariant).collect()
    }

    /// The definition of a Boolean that exists always and is no formula over mode variables.
    fn open_definition(&mut self, model: &mut FlatModel, id: ModeVariableId) -> Option<ExpressionId> {
        let ModeVariable { variable, definition, .. } = self.atoms.modes[id];
        let (variable, definition) = (variable?, definition?);
        let declaration = &model.variables[variable];
        let is_everywhere = model.expressions.literal_boolean(declaration.guard) == Some(true);
        if !is_everywhere || !declaration.is_unknown() || self.known_formula(model, definition).is_some() {
            return None;
        }
        Some(definition)
    }

    /// Puts a Boolean that is defined as a relation on the line of its sum, which is returned.
    fn named_relation(&mut self, model: &mut FlatModel, id: ModeVariableId, definition: ExpressionId) -> Option<Form> {
        let Node::Relation(operator, a, b) = self.behind_names(model, definition) else { return None };
        if is_schedule(model, a, b) {
            return None;
        }
        let Normal::Threshold { family, point, negated } = normal(model, operator, a, b) else { return None };
        self.atoms.relations.insert_named(model, family.clone(), point, Literal { mode: id, negated });
        Some(family)
    }

    /// The half spaces of relations that are modes themselves.
    fn spaces_of_relations(&self, model: &FlatModel) -> Vec<HalfSpace> {
        let mut spaces = Vec::new();
        for (mode, it) in self.atoms.modes.iter_enumerated() {
            let Some(Node::Relation(operator, a, b)) = it.definition.map(|it| model.expressions.node(it)) else {
                continue;
            };
            if it.variable.is_some() {
                continue;
            }
            let Normal::Threshold { family, .. } = normal(model, operator, a, b) else { continue };
            for (negated, operator) in [(false, operator), (true, operator.negated())] {
                let (literal, line) = (Literal { mode, negated }, Some(family.clone()));
                spaces.extend(HalfSpace::of_relation(model, literal, operator, a, b, line));
            }
        }
        spaces
    }

    /// The condition that a name stands for.
    fn behind_names(&self, model: &mut FlatModel, mut condition: ExpressionId) -> Node {
        for _ in 0..PARTS {
            match self.known_shape(model, condition) {
                Shape::Same(inner) => condition = inner,
                _ => break,
            }
        }
        model.expressions.node(condition)
    }
}

/// Whether two sides depend on nothing that the model computes.
fn is_schedule(model: &FlatModel, a: ExpressionId, b: ExpressionId) -> bool {
    let is_computed = |node| matches!(node, Node::Variable(id, _) if model.variables[id].is_unknown());
    [a, b].into_iter().all(|side| !model.expressions.contains(side, is_computed))
}

/// Clauses that exclude what half spaces exclude, with a mode variable they concern.
fn excluded(model: &mut FlatModel, spaces: &[HalfSpace]) -> Vec<(ExpressionId, ModeVariableId)> {
    let mut clauses = Vec::new();
    for literals in exclusions(spaces) {
        let mut clause = model.expressions.boolean(false);
        for literal in &literals {
            let opposite = Literal { negated: !literal.negated, ..*literal }.formula(&mut model.expressions);
            clause = model.expressions.or(clause, opposite);
        }
        let last = literals.iter().map(|literal| literal.mode).max();
        clauses.extend(last.map(|mode| (clause, mode)));
    }
    clauses
}

/// One definition being read, while its mode variable has one value.
struct Reading<'r, 'a> {
    formulas: &'r mut Formulas<'a>,
    model: &'r mut FlatModel,
    literal: Literal,
    /// Its sum, where the definition is a relation.
    line: Option<Form>,
    spaces: &'r mut Vec<HalfSpace>,
    /// How many parts may still be looked at.
    left: usize,
}

impl Reading<'_, '_> {
    /// A formula over mode variables that holds wherever the part does. A relation that `must` hold gives a half space.
    fn weakened(&mut self, part: Part, must: bool) -> ExpressionId {
        let nothing = self.model.expressions.boolean(true);
        let Some(left) = self.left.checked_sub(1) else { return nothing };
        self.left = left;
        if let Some(formula) = self.formulas.known_formula(self.model, part.condition) {
            return if part.negated { self.model.expressions.not(formula) } else { formula };
        }
        let with = |condition| Part { condition, ..part };
        match (self.formulas.known_shape(self.model, part.condition), part.negated) {
            (Shape::Not(inner), negated) => self.weakened(Part { condition: inner, negated: !negated }, must),
            (Shape::Same(inner), _) => self.weakened(with(inner), must),
            (Shape::And(a, b), false) | (Shape::Or(a, b), true) => {
                let (a, b) = (self.weakened(with(a), must), self.weakened(with(b), must));
                self.model.expressions.and(a, b)
            }
            (Shape::And(a, b), true) | (Shape::Or(a, b), false) => {
                let (a, b) = (self.weakened(with(a), false), self.weakened(with(b), false));
                self.model.expressions.or(a, b)
            }
            (Shape::Literal | Shape::Atom, negated) => {
                if let Node::Relation(operator, a, b) = self.model.expressions.node(part.condition)
                    && must
                    && !is_schedule(self.model, a, b)
                {
                    let operator = if negated { operator.negated() } else { operator };
                    let line = self.line.clone();
                    self.spaces.extend(HalfSpace::of_relation(self.model, self.literal, operator, a, b, line));
                }
                nothing
            }
        }
    }
}
