//! Multiplexing equations, which say whose value a variable has, and differential equations.
//!
//! A state that only some modes have is kept where it is in the others: `der(x_3) = if not p then x_p_3 else 0`. The papers
//! let it go on (E22 Figure 27), which means nothing either, but may run off; `--plain` does as they do.
//!
//! E22 §10.1 (steps 5 and 6), §10.4 (MULTI, DIFF).

use modeshift_dae::{Derivative, ExpressionId, VariableId};
use modeshift_modes::ModeSet;
use modeshift_structure::name;

use super::replicates::{Multiplexer, Source};
use crate::draft::Draft;
use crate::modes::Conditions;
use crate::target::Item;

/// What a signal is in each mode, simplest conditions first; the last source needs no condition.
fn multiplexed(draft: &mut Draft, sources: &[Source], context: ModeSet) -> ExpressionId {
    let space = draft.conditions.space();
    let mut ordered: Vec<(usize, Source)> = Vec::with_capacity(sources.len());
    for &source in sources {
        let text = draft.conditions.printer.print_within(source.modes, context).text;
        ordered.push((text.len(), source));
    }
    ordered.sort_by_key(|&(length, source)| (length, source.variable));
    let mut open = context;
    let mut cases = Vec::with_capacity(ordered.len());
    for (_, source) in ordered {
        cases.push((draft.condition_within(source.modes, open), source.variable));
        open = space.difference(open, source.modes);
    }
    let (_, last) = cases.pop().expect("a signal has sources");
    let last = draft.value(last);
    cases.into_iter().rev().fold(last, |otherwise, (condition, variable)| {
        let value = draft.value(variable);
        draft.expressions().if_then_else(condition, value, otherwise)
    })
}

/// The multiplexers of all replicates with several sources, by variable, then those seen from some blocks.
pub(crate) fn multiplexing_equations(draft: &mut Draft) -> Vec<Item> {
    let mut items = Vec::new();
    for variable in draft.replicates.variables() {
        for order in 0..draft.replicates.levels(variable).len() {
            let level = &draft.replicates.levels(variable)[order];
            let Some(signal) = level.signal.filter(|_| level.sources.len() > 1) else { continue };
            let (sources, defined) = (level.sources.clone(), level.defined);
            items.push(multiplexer(draft, signal, &sources, defined));
        }
    }
    for multiplexed in draft.replicates.multiplexers.clone() {
        let Multiplexer { variable, of, context, .. } = multiplexed;
        let level = &draft.replicates.levels(of.of)[of.order as usize];
        let sources: Vec<Source> = multiplexed.sources.iter().map(|&at| level.sources[at]).collect();
        let description = description(&draft.conditions, of, context);
        draft.target.model.variables[variable].description = Some(description.into());
        items.push(multiplexer(draft, variable, &sources, context));
    }
    items
}

fn multiplexer(draft: &mut Draft, variable: VariableId, sources: &[Source], context: ModeSet) -> Item {
    let value = multiplexed(draft, sources, context);
    Item::Equation(draft.value(variable), value)
}

/// What a multiplexer is, and where: `u2 if g1 or g2`.
fn description(conditions: &Conditions, of: Derivative<VariableId>, context: ModeSet) -> String {
    let name = name(conditions.analysis.incidence.variables(), of);
    format!("{name} if {}", conditions.text(context))
}

/// `der(x) = x_p` for all states. With `hold`, a state that some modes do not have stays put there.
pub(crate) fn differential_equations(draft: &mut Draft, hold: bool) -> Vec<Item> {
    let mut items = Vec::new();
    for variable in draft.replicates.variables() {
        for order in 0..draft.replicates.levels(variable).len() as u32 {
            let Some(state) = draft.replicates.levels(variable)[order as usize].state() else { continue };
            let above = draft.holder(Derivative::new(variable, order + 1), state.modes);
            let above = above.expect("the derivative of a state has a value where it is a state");
            let mut slope = draft.value(above);
            if hold && !state.modes.is_all() {
                let zero = draft.expressions().real(0.0);
                slope = draft.in_modes(state.modes, slope, zero);
            }
            let left = draft.expressions().variable(state.variable, 1);
            items.push(Item::Equation(left, slope));
        }
    }
    items
}
