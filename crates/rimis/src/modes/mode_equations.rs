//! Mode equations: how the target finds its mode.
//!
//! The papers copy the definitions (E22 §10.1, step 4): `p = x >= 1`, where `x` depends on `p`. A tool that keeps the mode
//! fixed while it looks for a solution, as all do, then has to find a fixed point between Booleans and Reals at every
//! event, and at the exit from a mode there often is none: with `x` at its bound, rounding decides whether the guard
//! still holds. The robust form avoids both.
//!
//! - Guards are looked at in the mode that is left: `p_next` is what the guard asks for, `p = pre(p_next)` is the mode in
//!   force, and the event iteration of the tool goes on until both agree. Left limits in guards, `pre(x)`, are then
//!   simply `x`.
//! - A relation that depends on the mode has a hysteresis (`guards`). On entry, states are put on the
//!   constraints of the new mode (`restarts`), which is well inside.
//!
//! A definition that needs no continuous unknown stays as it is (`commands`).

use modeshift_dae::{IndexVec, ModeVariableId, MultimodeDae, VariableId};

use super::commands::Discrete;
use super::guards::{Guards, WrittenImpulse};
use crate::draft::Draft;
use crate::target::Item;
use crate::target::Target;

/// The Booleans of a mode variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModeBooleans {
    /// The mode in force.
    pub(crate) in_force: VariableId,
    /// What the guard asks for, where that is another variable.
    pub(crate) next: Option<VariableId>,
}

/// What was declared for the mode equations.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    /// Half the width of the hysteresis, if there is one.
    pub(crate) hysteresis: Option<VariableId>,
    /// Booleans that are new.
    pub(crate) booleans: Vec<VariableId>,
}

/// The Boolean of each mode variable; relations that are used directly get one named by their text.
pub(crate) fn declare_modes(dae: &MultimodeDae, target: &mut Target) -> IndexVec<ModeVariableId, VariableId> {
    let declared = dae.mode_variables.iter().map(|mode| match mode.variable {
        Some(variable) => variable,
        None => target.boolean(&mode.name, None),
    });
    declared.collect()
}

/// The papers' mode equations: the definitions as they are.
pub(crate) fn plain_mode_equations(dae: &MultimodeDae, draft: &mut Draft) -> Vec<Item> {
    let mut items = Vec::new();
    for (mode, variable) in dae.mode_variables.iter_enumerated() {
        if let Some(definition) = variable.definition {
            let boolean = draft.conditions.booleans[mode];
            let definition = draft.written(definition);
            items.push(Item::Equation(draft.value(boolean), definition));
        }
    }
    items
}

/// The robust mode equations.
pub(crate) struct RobustModes<'a> {
    guards: Guards<'a>,
}

impl<'a> RobustModes<'a> {
    /// Declares what the guards ask for.
    pub(crate) fn new(dae: &'a MultimodeDae, draft: &mut Draft) -> Self {
        let mut booleans = IndexVec::new();
        let mut declared = Declared::default();
        let discrete = Discrete::new(dae, &draft.replicates);
        let commands = discrete.commands();
        let definition_of = discrete.decided_by_modes(&commands);
        for (mode, variable) in dae.mode_variables.iter_enumerated() {
            let in_force = draft.conditions.booleans[mode];
            let delayed = variable.definition.filter(|_| !commands[mode]);
            let next = delayed.map(|_| {
                let text = format!("what the guard of {} asks for", variable.name);
                draft.target.derived(in_force, "_next", Some(text))
            });
            declared.booleans.extend(next);
            booleans.push(ModeBooleans { in_force, next });
        }
        let mode_of = draft.conditions.booleans.iter_enumerated().map(|(mode, &boolean)| (boolean, mode)).collect();
        let (impulses, items) = (Vec::new(), Vec::new());
        RobustModes { guards: Guards { dae, booleans, mode_of, definition_of, impulses, declared, items } }
    }

    /// The Booleans of all mode variables.
    pub(crate) fn booleans(&self) -> &IndexVec<ModeVariableId, ModeBooleans> {
        &self.guards.booleans
    }

    /// All of them, and what they needed. Guards ask for these impulses in the instants in which there are some.
    pub(crate) fn equations(self, draft: &mut Draft, impulses: Vec<WrittenImpulse>) -> (Vec<Item>, Declared) {
        let mut guards = Guards { impulses, ..self.guards };
        for (mode, variable) in guards.dae.mode_variables.iter_enumerated() {
            let Some(definition) = variable.definition else { continue };
            let ModeBooleans { in_force, next } = guards.booleans[mode];
            let in_force = draft.value(in_force);
            let Some(next) = next else {
                let definition = draft.written(definition);
                guards.items.push(Item::Equation(in_force, definition));
                continue;
            };
            let guard = guards.guard(draft, mode, definition);
            let next = draft.value(next);
            guards.items.push(Item::Equation(next, guard));
            let delayed = draft.expressions().pre(next);
            guards.items.push(Item::Equation(in_force, delayed));
        }
        (guards.items, guards.declared)
    }
}

/// Booleans that are formulas over mode variables.
pub(crate) fn named_formulas(dae: &MultimodeDae, draft: &mut Draft) -> Vec<Item> {
    let mut items = Vec::new();
    for named in &dae.named_formulas {
        if let Some(modes) = draft.conditions.modes(named.formula) {
            items.push(Item::Equation(draft.value(named.variable), draft.condition(modes)));
        }
    }
    items
}
