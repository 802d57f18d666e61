//! Start values of the target.
//!
//! What the source fixes is copied. A state that it does not fix follows from other conditions there; an ordinary tool
//! does not know the constraints any more, so such a state starts at the value that the initialization of the source
//! found, and everything else follows. Where the source has other conditions on its start (initial equations, a value of
//! what is no state, as an acceleration), all of them are copied and still determine it, and what was found is where to
//! look for it; so do constraints that stay (`constraints`). E22 §10.1 (step 3), §10.4 (INIT).

use std::collections::BTreeMap;

use modeshift_dae::{Derivative, Mode, MultimodeDae, VariableId};

use crate::blocks::KeptConstraints;
use crate::blocks::Level;
use crate::draft::Draft;
use crate::modes::ModeBooleans;
use crate::target::Target;

/// The start of a model, as its initialization found it.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The mode; nothing where none was found.
    pub mode: Option<Mode>,
    /// Values of variables and their derivatives.
    pub values: BTreeMap<Derivative<VariableId>, f64>,
}

/// Gives states their start values, and other unknowns those that are conditions; returns whether some states are fixed
/// that the source does not fix.
pub(crate) fn start_states(
    dae: &MultimodeDae,
    draft: &mut Draft,
    kept: &KeptConstraints,
    start: Option<&Start>,
) -> bool {
    let Draft { replicates, target, .. } = draft;
    let mut found_some = false;
    let is_condition = |variable: VariableId| {
        let state = replicates.levels(variable).first().and_then(Level::state);
        state.is_none() && dae.model.variables[variable].fixed == Some(true)
    };
    let has_conditions = dae.model.initial_equations.iter().any(|equation| equation.scenario.is_none())
        || replicates.variables().any(|variable| replicates.is_unknown(variable) && is_condition(variable));
    for variable in replicates.variables().filter(|&variable| replicates.is_unknown(variable)) {
        let source = &dae.model.variables[variable];
        let is_chosen = replicates.levels(variable)[0].sources.len() > 1;
        let own = &mut target.model.variables[variable];
        own.fixed = source.fixed.filter(|_| is_condition(variable) || kept.constrain(variable));
        own.start = source.start.filter(|_| !is_chosen || own.fixed == Some(true));
        for (order, level) in replicates.levels(variable).iter().enumerate() {
            let Some(state) = level.state() else { continue };
            let given = source.start.filter(|_| order == 0);
            let fixed = source.fixed == Some(true) && given.is_some();
            let found = start.and_then(|start| start.values.get(&Derivative::new(variable, order as u32)).copied());
            let found = found.filter(|value| value.is_finite() && !fixed).map(|value| target.expressions().real(value));
            let own = &mut target.model.variables[state.variable];
            own.start = found.or(given);
            own.nominal = source.nominal.filter(|_| order == 0);
            own.fixed = match found {
                Some(_) if has_conditions || kept.constrain(variable) => None,
                Some(_) => {
                    found_some = true;
                    Some(true)
                }
                None => source.fixed.filter(|_| order == 0),
            };
        }
    }
    found_some
}

/// Gives modes their start values: those that were found, or else those of the source.
pub(crate) fn start_modes<'a>(
    dae: &MultimodeDae,
    booleans: impl Iterator<Item = &'a ModeBooleans>,
    target: &mut Target,
    start: Option<&Start>,
) {
    for ((mode, variable), booleans) in dae.mode_variables.iter_enumerated().zip(booleans) {
        let Some(next) = booleans.next else { continue };
        let declared = target.model.variables[booleans.in_force].start;
        let declared = declared.and_then(|start| target.model.expressions.literal_boolean(start));
        let found = start.and_then(|start| start.mode.as_ref()).map(|found| found[mode]);
        let value = found.or(variable.initial).or(declared).unwrap_or(false);
        let value = target.expressions().boolean(value);
        target.model.variables[next].start = Some(value);
        target.model.variables[next].fixed = Some(true);
        let own = &mut target.model.variables[booleans.in_force];
        (own.start, own.fixed) = (None, None);
    }
}
