//! Instants that do not come to an end, and variables that decide about themselves: what goes round, with its values.

use std::collections::VecDeque;

use modeshift_dae::{IndexVec, Mode, Node, RelationId, Type, VariableId, WhenActionKind};
use modeshift_diagnostics::Diagnostic;

use super::{MOST_LISTED, Number};
use crate::run::Machinery;
use crate::run::output::mode_text;
use crate::run::values::Side;

/// So many of the last micro-steps are shown.
const SHOWN: usize = 6;

/// The last micro-steps of an instant that does not end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Circle {
    /// The modes passed through.
    pub modes: Vec<Mode>,
    /// The values of discrete variables behind the last micro-steps.
    values: VecDeque<IndexVec<VariableId, f64>>,
}

impl Circle {
    /// Notes a micro-step.
    pub fn note(&mut self, side: &Side<'_>) {
        if self.values.len() == SHOWN {
            self.values.pop_front();
        }
        self.values.push_back(side.discrete.clone());
    }

    /// Whether as many micro-steps are noted as are shown.
    pub fn is_told(&self) -> bool {
        self.values.len() == SHOWN
    }

    /// Whether all of a variable's values are the same.
    fn is_constant(&self, id: VariableId) -> bool {
        let mut bits = self.values.iter().map(|values| values[id].to_bits());
        let first = bits.next();
        bits.all(|it| Some(it) == first)
    }

    /// `1, 0, 1, 0`
    fn values_of(&self, id: VariableId, ty: &Type) -> String {
        let text = |values: &IndexVec<VariableId, f64>| match ty {
            Type::Boolean => (values[id] != 0.0).to_string(),
            _ => Number(values[id]).to_string(),
        };
        self.values.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}

/// That the events of an instant do not end: the variables that go round with their values, and the modes.
pub(super) fn endless(machinery: &Machinery<'_>, left: &Side<'_>, circle: &Circle) -> Diagnostic {
    let prepared = machinery.prepared;
    let message = format!("the events at time = {} do not come to an end", Number(left.time));
    let mut diagnostic = Diagnostic::error("E0825", message);
    let declared = prepared.discrete.variables().filter(|id| id.0 < prepared.discrete.declared_count);
    let changing: Vec<VariableId> = declared.filter(|&id| !circle.is_constant(id)).collect();
    for &id in changing.iter().take(MOST_LISTED) {
        let variable = &prepared.dae.model.variables[id];
        let values = circle.values_of(id, &variable.ty);
        diagnostic = diagnostic.label(variable.span, format!("`{}` goes on: …, {values}, …", variable.name));
    }
    let last = circle.modes.iter().skip(circle.modes.len().saturating_sub(4));
    let passed: Vec<String> = last.map(|mode| mode_text(&prepared.dae, mode, &left.mode.values)).collect();
    if passed.iter().any(|text| !text.is_empty()) {
        diagnostic = diagnostic.with_note(format!("modes passed through: …, {}", passed.join(" -> ")));
    }
    let of_machine = changing.iter().any(|&id| prepared.is_of_machine(&[id]));
    diagnostic.help(match changing.is_empty() {
        true => "a condition of a `when` or a mode definition is undone by its own effect",
        false if of_machine => {
            "transitions go round in one instant: the conditions to leave these states hold whenever they are entered; let one of \
             them wait, as `timeInState() > 0.1` does, or ask for what is true in the other state only"
        }
        false => {
            "each event changes what the next one asks for: `pre(…)` is the value before *this* micro-step; put what is to \
             happen once into a `when`"
        }
    })
}

/// A discrete variable that one of these relations reads, and that a `when` sets in the same instant.
pub(super) fn forgotten_pre(machinery: &Machinery<'_>, atoms: impl Iterator<Item = RelationId>) -> Option<VariableId> {
    let prepared = machinery.prepared;
    let model = &prepared.dae.model;
    let branches = model.when_clauses.iter().flat_map(|clause| &clause.branches);
    let actions = branches.flat_map(|branch| &branch.actions);
    let set: Vec<VariableId> = actions
        .filter_map(|action| match action.kind {
            WhenActionKind::Assign(variable, _) => Some(variable),
            _ => None,
        })
        .collect();
    for atom in atoms {
        let mut found = None;
        model.expressions.for_each(prepared.discrete.atoms[atom].relation, |_, node| {
            found = found.or(node.derivative().map(|it| it.of).filter(|it| set.contains(it)));
            !matches!(node, Node::Pre(_))
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// What to do about discrete equations that go round: an immediate transition that is asked for by what happens in the state
/// that it leaves takes away its own reason.
pub(super) fn advice_for_unsettled(machinery: &Machinery<'_>, variables: &[VariableId]) -> String {
    let machines = &machinery.prepared.dae.model.machines;
    let mut states = machines.iter().flat_map(|machine| &machine.states);
    let left = states
        .find(|state| variables.contains(&state.active) && state.variables.iter().any(|it| variables.contains(it)));
    match left {
        Some(state) => {
            let own = state.variables.iter().find(|it| variables.contains(it));
            let own = own.map_or("something", |&id| &machinery.prepared.dae.model.variables[id].name);
            let state = &state.name;
            format!(
                "`{own}` is set while `{state}` is active, and an immediate transition that asks for it leaves `{state}` at once: \
                 write `immediate = false`, and it is left when `{own}` has its value"
            )
        }
        None => "break the circle with `pre(…)`".to_string(),
    }
}
