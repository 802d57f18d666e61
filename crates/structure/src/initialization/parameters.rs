//! Parameters that the start has to find: those with `fixed = false`, and those whose values depend on them.
//!
//! Such a parameter is an unknown in all modes and scenarios if an equation of the model contains it. If only
//! conditions of the start do, it is an unknown just where these are to hold: a variable that is declared and used in
//! one scenario alone does not make the others underdetermined.
//!
//! E22 §7.2: the variables in J^ι that are used only in a scenario, with their guards χ_J^ι.

use modeshift_dae::{
    ExpressionId, FlatModel, Id, MultimodeDae, Node, Type, Variability, Variable, VariableId, WhenActionKind,
};
use modeshift_modes::{ModeSet, ModeSpace};
use rustc_hash::{FxHashMap, FxHashSet};

/// A parameter that the start has to find.
pub(super) struct UnknownParameter {
    pub(super) id: VariableId,
    /// What its value depends on; nothing for one with `fixed = false`.
    pub(super) binding: Option<ExpressionId>,
    /// The modes and scenarios in which it is needed.
    pub(super) modes: ModeSet,
}

/// The parameters that the start has to find: first those with `fixed = false`. `conditions` are the expressions that
/// the user stated for the start, each with the modes in which it matters.
pub(super) fn unknown_parameters(
    dae: &MultimodeDae,
    space: &ModeSpace,
    conditions: &[(ExpressionId, ModeSet)],
) -> Vec<UnknownParameter> {
    let mut parameters: Vec<(VariableId, Option<ExpressionId>)> = Vec::new();
    let mut unknown: FxHashSet<VariableId> = FxHashSet::default();
    let is_free = |(_, variable): &(VariableId, &Variable)| is_free_parameter(variable);
    let mut found: Vec<_> = dae.model.variables.iter_enumerated().filter(is_free).map(|(id, _)| (id, None)).collect();
    while !found.is_empty() {
        unknown.extend(found.iter().map(|&(id, _)| id));
        parameters.append(&mut found);
        found = dependent_parameters(&dae.model, &unknown);
    }
    if parameters.is_empty() {
        return Vec::new();
    }
    let mut needs = Needs { dae, space, unknown, modes: FxHashMap::default() };
    needs.mentioned_in_the_model();
    for &(expression, modes) in conditions {
        needs.mentioned_in(expression, modes);
    }
    needs.mentioned_in_bindings(&parameters);
    // What nothing mentions at all is left to the user to fix.
    let modes = |id: VariableId| needs.modes.get(&id).copied().unwrap_or(ModeSet::ALL);
    parameters.into_iter().map(|(id, binding)| UnknownParameter { id, binding, modes: modes(id) }).collect()
}

/// Whether a parameter is an unknown of initialization.
fn is_free_parameter(variable: &Variable) -> bool {
    variable.variability == Variability::Parameter && variable.fixed == Some(false) && variable.ty == Type::Real
}

fn dependent_parameters(model: &FlatModel, unknown: &FxHashSet<VariableId>) -> Vec<(VariableId, Option<ExpressionId>)> {
    let real = |variable: &Variable| variable.variability <= Variability::Parameter && variable.ty == Type::Real;
    let known = model.variables.iter_enumerated().filter(|(id, it)| real(it) && !unknown.contains(id));
    let depends = |binding: ExpressionId| {
        let mut depends = false;
        model.expressions.for_each(binding, |_, node| {
            depends |= matches!(node, Node::Variable(variable, _) if unknown.contains(&variable));
            !depends
        });
        depends
    };
    let bound = known.filter_map(|(id, it)| Some((id, it.binding.or(it.start)?)));
    bound.filter(|&(_, binding)| depends(binding)).map(|(id, binding)| (id, Some(binding))).collect()
}

/// In which modes and scenarios each unknown parameter is needed, as far as is known.
struct Needs<'a> {
    dae: &'a MultimodeDae,
    space: &'a ModeSpace,
    unknown: FxHashSet<VariableId>,
    modes: FxHashMap<VariableId, ModeSet>,
}

impl Needs<'_> {
    /// Everything but conditions of the start and bindings of parameters.
    fn mentioned_in_the_model(&mut self) {
        let mut seen = vec![false; self.dae.model.expressions.len()];
        for root in expressions_of_the_model(self.dae) {
            self.dae.model.expressions.for_each(root, |id, node| {
                if let Node::Variable(variable, _) = node
                    && self.unknown.contains(&variable)
                {
                    self.modes.insert(variable, ModeSet::ALL);
                }
                !std::mem::replace(&mut seen[id.index()], true)
            });
        }
    }

    /// The parameters that an expression mentions are needed in these modes; returns those that were not before.
    fn mentioned_in(&mut self, expression: ExpressionId, modes: ModeSet) -> Vec<VariableId> {
        let (mut seen, mut risen) = (FxHashSet::default(), Vec::new());
        self.dae.model.expressions.for_each(expression, |id, node| {
            if let Node::Variable(variable, _) = node
                && self.unknown.contains(&variable)
            {
                let before = self.modes.get(&variable).copied();
                let after = self.space.or(before.unwrap_or(ModeSet::EMPTY), modes);
                if before != Some(after) {
                    self.modes.insert(variable, after);
                    risen.push(variable);
                }
            }
            seen.insert(id)
        });
        risen
    }

    /// A parameter is needed wherever one is whose value depends on it.
    fn mentioned_in_bindings(&mut self, parameters: &[(VariableId, Option<ExpressionId>)]) {
        let bindings: FxHashMap<VariableId, ExpressionId> =
            parameters.iter().filter_map(|&(id, binding)| Some((id, binding?))).collect();
        let mut pending: Vec<VariableId> =
            parameters.iter().map(|&(id, _)| id).filter(|id| self.modes.contains_key(id)).collect();
        while let Some(parameter) = pending.pop() {
            if let Some(&binding) = bindings.get(&parameter) {
                pending.extend(self.mentioned_in(binding, self.modes[&parameter]));
            }
        }
    }
}

/// Equations with their guards, definitions of mode variables, `when` clauses, invariants and assertions.
fn expressions_of_the_model(dae: &MultimodeDae) -> Vec<ExpressionId> {
    let model = &dae.model;
    let mut all: Vec<ExpressionId> = model.equations.iter().flat_map(|it| [it.left, it.right, it.guard]).collect();
    all.extend(dae.mode_variables.iter().filter_map(|mode| mode.definition));
    all.extend(model.invariants.iter().flat_map(|it| [it.condition, it.guard]));
    all.extend(model.assertions.iter().flat_map(|it| [it.condition, it.guard]));
    for branch in model.when_clauses.iter().flat_map(|clause| &clause.branches) {
        all.extend(&branch.conditions);
        for action in &branch.actions {
            match action.kind {
                WhenActionKind::Assign(_, value) | WhenActionKind::Reinit(_, value) => all.push(value),
                WhenActionKind::Law(left, right) => all.extend([left, right]),
                WhenActionKind::Assert(_) | WhenActionKind::Terminate(_) => {}
            }
        }
    }
    all
}
