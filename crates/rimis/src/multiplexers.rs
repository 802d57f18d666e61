//! Multiplexing equations, which say whose value a variable has, and differential equations.
//!
//! A state that only some modes have is kept where it is in the others: `der(x_3) = if not p then x_p_3 else 0`. The papers
//! let it go on (E22 Figure 27), which means nothing either, but may run off; `--plain` does as they do.
//!
//! E22 §10.1 (steps 5 and 6), §10.4 (MULTI, DIFF).

use modeshift_dae::ExpressionId;
use modeshift_modes::ModeSet;
use modeshift_structure::{Derivative, name};

use crate::conditions::Conditions;
use crate::document::Item;
use crate::signals::{Multiplexer, Signals, Source};
use crate::target::Target;

/// What a signal is in each mode, simplest conditions first; the last source needs no condition.
pub(crate) fn multiplexed(
    conditions: &Conditions,
    target: &mut Target,
    sources: &[Source],
    context: ModeSet,
) -> ExpressionId {
    let space = conditions.space();
    let mut ordered: Vec<(usize, Source)> = Vec::with_capacity(sources.len());
    for &source in sources {
        let text = conditions.printer.print_within(source.modes, context).text;
        ordered.push((text.len(), source));
    }
    ordered.sort_by_key(|&(length, source)| (length, source.variable));
    let mut open = context;
    let mut cases = Vec::with_capacity(ordered.len());
    for (_, source) in ordered {
        cases.push((conditions.expression(target.expressions(), source.modes, open), source.variable));
        open = space.difference(open, source.modes);
    }
    let (_, last) = cases.pop().expect("a signal has sources");
    let last = target.value(last);
    cases.into_iter().rev().fold(last, |otherwise, (condition, variable)| {
        let value = target.value(variable);
        target.expressions().if_then_else(condition, value, otherwise)
    })
}

/// The multiplexers of all signals with several sources, by variable, then those seen from some blocks.
pub(crate) fn multiplexing_equations(conditions: &Conditions, signals: &Signals, target: &mut Target) -> Vec<Item> {
    let mut items = Vec::new();
    for variable in signals.variables() {
        for level in signals.levels(variable) {
            let Some(signal) = level.signal.filter(|_| level.sources.len() > 1) else { continue };
            let value = multiplexed(conditions, target, &level.sources, level.defined);
            let signal = target.value(signal);
            items.push(Item::Equation(signal, value));
        }
    }
    for multiplexer in &signals.multiplexers {
        let level = &signals.levels(multiplexer.of)[multiplexer.order as usize];
        let sources: Vec<Source> = multiplexer.sources.iter().map(|&at| level.sources[at]).collect();
        let value = multiplexed(conditions, target, &sources, multiplexer.context);
        target.model.variables[multiplexer.variable].description = Some(description(conditions, multiplexer).into());
        let variable = target.value(multiplexer.variable);
        items.push(Item::Equation(variable, value));
    }
    items
}

/// What a multiplexer is, and where: `u2 if g1 or g2`.
fn description(conditions: &Conditions, multiplexer: &Multiplexer) -> String {
    let of = Derivative { of: multiplexer.of, order: multiplexer.order };
    let name = name(conditions.analysis.incidence.variables(), of);
    format!("{name} if {}", conditions.text(multiplexer.context))
}

/// `der(x) = x_p` for all states. With `hold`, a state that some modes do not have stays put there.
pub(crate) fn differential_equations(
    conditions: &Conditions,
    signals: &mut Signals,
    target: &mut Target,
    hold: bool,
) -> Vec<Item> {
    let mut items = Vec::new();
    for variable in signals.variables() {
        for order in 0..signals.levels(variable).len() as u32 {
            let Some(state) = signals.levels(variable)[order as usize].state() else { continue };
            let above = signals.value(conditions, target, variable, order + 1, state.modes);
            let above = above.expect("the derivative of a state has a value where it is a state");
            let mut slope = target.value(above);
            if hold && !state.modes.is_all() {
                let condition = conditions.expression(target.expressions(), state.modes, ModeSet::ALL);
                let zero = target.expressions().real(0.0);
                slope = target.expressions().if_then_else(condition, slope, zero);
            }
            let left = target.expressions().variable(state.variable, 1);
            items.push(Item::Equation(left, slope));
        }
    }
    items
}
