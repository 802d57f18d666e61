//! What each equation says in which modes, split into what is linear with constant coefficients and the rest.
//!
//! An equation with conditions inside, or with a guard, says one thing in some modes and another in others: these are
//! its forms. A form is a linear functional of the unknowns and their derivatives, a remainder without unknowns (sources,
//! left limits) and, where it is not affine, the unknowns of the other terms. Forms whose functional is the same, because
//! only the remainder changes with the mode, are one form.

use modeshift_dae::{
    ArithmeticOperator, Derivative, Equation, EquationId, EquationKind, ExpressionId, Expressions, FlatModel, Id,
    ModeVariableId, MultimodeDae, Node, PartialEvaluation, VariableId, assume_modes,
};
use modeshift_modes::{Invariant, ModeSet, ModeSpace, ModeVariable};
use rustc_hash::FxHashMap;

use crate::Combination;
use crate::incidence::formulas::Formulas;

/// An equation that says more different things than this counts as not affine.
const MOST_CASES: usize = 32;
/// A sum of more terms than this, shared ones counted as often as they occur, counts as not affine.
const MOST_TERMS: usize = 20_000;

/// What an equation says in some modes.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) equation: EquationId,
    /// Never empty.
    pub(crate) modes: ModeSet,
    /// The linear functional, by unknown and order; no coefficient is zero.
    pub(crate) coefficients: Vec<(Derivative<VariableId>, f64)>,
    /// The unknowns of terms that are not affine, ascending.
    pub(crate) opaque: Vec<VariableId>,
    /// The residual in each part of the modes, with modes and parameters filled in.
    pub(crate) cases: Vec<(ModeSet, ExpressionId)>,
}

impl Form {
    pub(crate) fn is_affine(&self) -> bool {
        self.opaque.is_empty()
    }

    /// The unknowns of the form, repeated where they occur several times.
    pub(super) fn unknowns(&self) -> impl Iterator<Item = VariableId> {
        self.coefficients.iter().map(|(of, _)| of.of).chain(self.opaque.iter().copied())
    }
}

/// The forms of all continuous equations, by equation, as they were before equations were combined.
pub(crate) fn forms(
    dae: &mut MultimodeDae,
    space: &ModeSpace,
    invariant: &Invariant,
    combinations: &[Combination],
    value_of: &dyn Fn(VariableId) -> Option<f64>,
) -> Vec<Vec<Form>> {
    let guards = original_guards(dae, space, invariant, combinations);
    let literals: FxHashMap<VariableId, ExpressionId> = {
        let known = dae.model.variables.ids().filter_map(|id| value_of(id).map(|value| (id, value)));
        let known: Vec<(VariableId, f64)> = known.collect();
        known.into_iter().map(|(id, value)| (id, dae.model.expressions.real(value))).collect()
    };
    let mut evaluation = PartialEvaluation::new(|_| None, |id: VariableId| literals.get(&id).copied());
    let mut forms = Vec::with_capacity(guards.len());
    for (at, guard) in guards.into_iter().enumerate() {
        let id = EquationId::from_index(at);
        let Equation { left, right, kind, .. } = dae.model.equations[id];
        if kind != EquationKind::Continuous || guard.is_empty() {
            forms.push(Vec::new());
            continue;
        }
        let residual = dae.model.expressions.difference(left, right);
        let residual = evaluation.of(&mut dae.model.expressions, residual);
        forms.push(forms_of(&mut dae.model, space, invariant, (id, guard), residual));
    }
    forms
}

/// The modes of each equation of the model that was given: a replaced equation has those of its replacements too.
fn original_guards(
    dae: &MultimodeDae,
    space: &ModeSpace,
    invariant: &Invariant,
    combinations: &[Combination],
) -> Vec<ModeSet> {
    let mut formulas = Formulas::projected(space, &dae.model.expressions, invariant);
    let guard = |equation: &Equation| formulas.modes(equation.guard).unwrap_or(ModeSet::EMPTY);
    let mut guards: Vec<ModeSet> = dae.model.equations.iter().map(guard).collect();
    for combination in combinations.iter().rev() {
        let (replaced, by) = (combination.replaced.index(), combination.by.index());
        guards[replaced] = space.or(guards[replaced], guards[by]);
    }
    guards.truncate(dae.model.equations.len() - combinations.len());
    guards
}

fn forms_of(
    model: &mut FlatModel,
    space: &ModeSpace,
    invariant: &Invariant,
    (equation, guard): (EquationId, ModeSet),
    residual: ExpressionId,
) -> Vec<Form> {
    let Some(cases) = cases(&mut model.expressions, space, invariant, guard, residual) else {
        let opaque = unknowns_of(model, residual);
        return vec![Form { equation, modes: guard, coefficients: Vec::new(), opaque, cases: vec![(guard, residual)] }];
    };
    let mut forms: Vec<Form> = Vec::new();
    for (modes, residual) in cases {
        let Terms { coefficients, opaque, .. } = Terms::of(model, residual);
        match forms.iter_mut().find(|form| form.coefficients == coefficients && form.opaque == opaque) {
            Some(form) => {
                form.modes = space.or(form.modes, modes);
                form.cases.push((modes, residual));
            }
            None => forms.push(Form { equation, modes, coefficients, opaque, cases: vec![(modes, residual)] }),
        }
    }
    forms
}

/// What is left of an expression in each part of some modes; nothing where the parts are too many.
fn cases(
    expressions: &mut Expressions,
    space: &ModeSpace,
    invariant: &Invariant,
    modes: ModeSet,
    residual: ExpressionId,
) -> Option<Vec<(ModeSet, ExpressionId)>> {
    let mut pending = vec![(modes, residual)];
    let mut cases = Vec::new();
    while let Some((modes, residual)) = pending.pop() {
        let Some(mode) = first_mode(expressions, residual) else {
            cases.push((modes, residual));
            continue;
        };
        if cases.len() + pending.len() >= MOST_CASES {
            return None;
        }
        let literal = invariant.projected_literal(space, ModeVariable(mode.0));
        for value in [false, true] {
            let inside = if value { space.and(modes, literal) } else { space.difference(modes, literal) };
            if !inside.is_empty() {
                pending.push((inside, assume_modes(expressions, residual, |it| (it == mode).then_some(value))));
            }
        }
    }
    Some(cases)
}

/// A mode variable of which an expression depends at the current instant.
fn first_mode(expressions: &Expressions, root: ExpressionId) -> Option<ModeVariableId> {
    let mut found = None;
    expressions.for_each(root, |_, node| {
        if let (Node::Mode(mode), None) = (node, found) {
            found = Some(mode);
        }
        found.is_none() && !matches!(node, Node::Pre(_))
    });
    found
}

/// The continuous unknowns of an expression at the current instant, ascending.
pub(super) fn unknowns_of(model: &FlatModel, root: ExpressionId) -> Vec<VariableId> {
    let mut unknowns = Vec::new();
    model.expressions.for_each(root, |_, node| {
        if let Node::Variable(variable, _) = node
            && model.variables[variable].is_continuous_unknown()
        {
            unknowns.push(variable);
        }
        !matches!(node, Node::Pre(_))
    });
    unknowns.sort_unstable();
    unknowns.dedup();
    unknowns
}

/// A residual as a sum.
#[derive(Debug, Default)]
pub(super) struct Terms {
    /// Unknowns with constant coefficients.
    pub(super) coefficients: Vec<(Derivative<VariableId>, f64)>,
    /// The unknowns of all other terms with unknowns.
    pub(super) opaque: Vec<VariableId>,
    /// Terms without unknowns, with their factors.
    pub(super) known: Vec<(f64, ExpressionId)>,
}

impl Terms {
    /// Splits a sum. Without recursion: sums may be deep.
    pub(super) fn of(model: &FlatModel, residual: ExpressionId) -> Terms {
        let expressions = &model.expressions;
        let mut terms = Terms::default();
        let mut pending = vec![(residual, 1.0)];
        let mut visited = 0;
        while let Some((term, factor)) = pending.pop() {
            visited += 1;
            if visited > MOST_TERMS {
                return Terms { opaque: unknowns_of(model, residual), ..Terms::default() };
            }
            match expressions.node(term) {
                Node::Negate(a) => pending.push((a, -factor)),
                Node::Arithmetic(ArithmeticOperator::Add, a, b) => pending.extend([(a, factor), (b, factor)]),
                Node::Arithmetic(ArithmeticOperator::Subtract, a, b) => pending.extend([(a, factor), (b, -factor)]),
                Node::Arithmetic(operator, a, b) => match (operator, expressions.literal(a), expressions.literal(b)) {
                    (ArithmeticOperator::Multiply, Some(value), None) => pending.push((b, factor * value)),
                    (ArithmeticOperator::Multiply, None, Some(value)) => pending.push((a, factor * value)),
                    (ArithmeticOperator::Divide, None, Some(value)) => pending.push((a, factor / value)),
                    _ => terms.add_other(model, term, factor),
                },
                Node::Variable(variable, order) if model.variables[variable].is_continuous_unknown() => {
                    terms.coefficients.push((Derivative::new(variable, order), factor));
                }
                _ => terms.add_other(model, term, factor),
            }
        }
        terms.summed()
    }

    fn add_other(&mut self, model: &FlatModel, term: ExpressionId, factor: f64) {
        let unknowns = unknowns_of(model, term);
        match unknowns.is_empty() {
            true => self.known.push((factor, term)),
            false => self.opaque.extend(unknowns),
        }
    }

    /// Adds up what is of one unknown; what cancels up to rounding is gone.
    fn summed(mut self) -> Terms {
        self.coefficients.sort_by_key(|(of, _)| (of.of, of.order));
        let mut sums: Vec<(Derivative<VariableId>, f64, f64)> = Vec::new();
        for (of, factor) in self.coefficients {
            match sums.last_mut() {
                Some((last, sum, size)) if *last == of => {
                    *sum += factor;
                    *size += factor.abs();
                }
                _ => sums.push((of, factor, factor.abs())),
            }
        }
        let remaining = sums.into_iter().filter(|(_, sum, size)| sum.abs() > 8.0 * f64::EPSILON * size);
        self.coefficients = remaining.map(|(of, sum, _)| (of, sum)).collect();
        self.opaque.sort_unstable();
        self.opaque.dedup();
        if self.coefficients.iter().any(|(_, factor)| !factor.is_finite()) {
            self.opaque.extend(self.coefficients.drain(..).map(|(of, _)| of.of));
            self.opaque.sort_unstable();
            self.opaque.dedup();
        }
        self
    }
}
