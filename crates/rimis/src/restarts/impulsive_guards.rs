//! Guards about impulses: what decides in the instant of a command.
//!
//! The switch of a converter opens while its diode blocks. With both of them open the current would have to jump to
//! zero, so the diode's voltage is impulsive, and the sign of the impulse says that the diode conducts. An ordinary tool
//! knows no impulses and looks at the value of the voltage, in a mode that the model never is in. So where a change of
//! modes is commanded (by time, parameters, discrete variables: `commands`), and the guard of another mode variable
//! is on a variable that this change makes impulsive, the guard asks for the weight of the impulse, in closed form, and
//! the jump of the states waits for what the guard says.

use modeshift_dae::{ExpressionId, IndexVec, ModeVariableId, MultimodeDae, Node, VariableId};
use modeshift_diagnostics::{Code, Diagnostic};
use modeshift_mode_changes::{AllChanges, Moment};
use modeshift_modes::{Invariant, ModeSet, ModeVariable};

use super::jumps::Impulse;
use crate::modes::ModeBooleans;

/// A guard that is on an impulse in some changes, in which its own mode variable keeps its value.
#[derive(Clone, Debug)]
pub(crate) struct ImpulsiveGuard {
    pub(crate) mode: ModeVariableId,
    /// The variable that is impulsive.
    pub(crate) variable: VariableId,
    pub(crate) pairs: ModeSet,
    /// The weight of the impulse, in terms of left limits of the source, where there is a formula for it.
    pub(crate) weight: Option<ExpressionId>,
}

/// All guards that are on impulses in commanded changes.
pub(crate) fn impulsive_guards(
    dae: &MultimodeDae,
    changes: &AllChanges,
    feasible: &Invariant,
    booleans: &IndexVec<ModeVariableId, ModeBooleans>,
    impulses: &[Impulse],
) -> Vec<ImpulsiveGuard> {
    let space = &changes.pairs.space;
    let changed = |mode: ModeVariableId| {
        let [before, after] =
            [Moment::Before, Moment::After].map(|it| space.literal(it.variable(ModeVariable(mode.0))));
        space.xor(before, after)
    };
    let is_command = |mode: &ModeVariableId| booleans[*mode].next.is_none();
    let commanded = space.union(dae.mode_variables.ids().filter(is_command).map(changed));
    let mut found = Vec::new();
    if commanded.is_empty() || impulses.is_empty() {
        return found;
    }
    for mode in dae.mode_variables.ids().filter(|mode| !is_command(mode)) {
        let kept = space.difference(commanded, changed(mode));
        for impulse in impulses.iter().filter(|impulse| is_read(dae, mode, impulse.variable)) {
            let pairs = space.and(impulse.pairs, kept);
            if feasible.allows(space, pairs) {
                found.push(ImpulsiveGuard { mode, variable: impulse.variable, pairs, weight: impulse.weight });
            }
        }
    }
    found
}

/// Whether the definition of a mode variable reads a variable at the current instant.
fn is_read(dae: &MultimodeDae, mode: ModeVariableId, variable: VariableId) -> bool {
    let Some(definition) = dae.mode_variables[mode].definition else { return false };
    let mut read = false;
    dae.model.expressions.for_each(definition, |_, node| {
        read |= matches!(node, Node::Variable(it, _) if it == variable);
        !read && !matches!(node, Node::Pre(_))
    });
    read
}

/// Whether the guard compares the variable itself with something, so that the sign of its impulse decides.
pub(crate) fn is_compared_itself(dae: &MultimodeDae, guard: &ImpulsiveGuard) -> bool {
    let expressions = &dae.model.expressions;
    let Some(definition) = dae.mode_variables[guard.mode].definition else { return false };
    let contains = |root: ExpressionId| {
        let mut found = false;
        expressions.for_each(root, |_, node| {
            found |= matches!(node, Node::Variable(variable, _) if variable == guard.variable);
            !found && !matches!(node, Node::Pre(_))
        });
        found
    };
    let is_itself = |side: ExpressionId| expressions.node(side) == Node::Variable(guard.variable, 0);
    let mut compared = true;
    expressions.for_each(definition, |_, node| {
        if let Node::Relation(_, left, right) = node {
            compared &= match (contains(left), contains(right)) {
                (false, false) => true,
                (true, false) => is_itself(left),
                (false, true) => is_itself(right),
                (true, true) => false,
            };
        }
        compared && !matches!(node, Node::Pre(_))
    });
    compared
}

/// Why a guard on an impulse cannot be written down.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unwritable {
    /// The impulse has no formula: it comes from equations that are too many, or not linear.
    NoFormula,
    /// The impulse depends on the left limit of a variable that is not a state in all modes.
    NotAState(VariableId),
    /// The guard compares more than the variable itself.
    NotCompared,
}

/// A guard on an impulse that cannot be written down.
pub(crate) fn unwritable(
    dae: &MultimodeDae,
    guard: &ImpulsiveGuard,
    reason: Unwritable,
    when: String,
) -> Box<Diagnostic> {
    let (mode, variable) = (&dae.mode_variables[guard.mode], &dae.model.variables[guard.variable]);
    let message = format!(
        "after a mode change, the guard of `{}` is on `{}`, which is impulsive then, and there is no formula for it",
        mode.name, variable.name
    );
    let note = match reason {
        Unwritable::NoFormula => {
            format!("the impulse of `{}` comes from a block of equations that is large, or not linear", variable.name)
        }
        Unwritable::NotAState(missing) => {
            let missing = &dae.model.variables[missing].name;
            format!("the impulse depends on the left limit of `{missing}`, which is not a state in all modes")
        }
        Unwritable::NotCompared => {
            format!("only where a guard compares `{}` itself, its impulse decides", variable.name)
        }
    };
    let diagnostic = Diagnostic::error(Code::E0913, message)
        .when(when)
        .label(variable.span, "impulsive")
        .label(mode.span, "its guard")
        .with_note(note);
    Box::new(diagnostic)
}
