//! Discrete Reals that conditions of the start may determine: what only `when` clauses assign keeps its value at the start, and that is
//! whatever initial equations make of it, `d + x = 4` with `x - d = 1`. Its start value is a guess then, and its value otherwise.
//!
//! They are looked at where conditions are too many without them: elsewhere each has its start value, and nothing is to be found.

use modeshift_dae::{Definition, MultimodeDae, Type, VariableId};
use rustc_hash::FxHashSet;

/// The discrete Reals whose values nothing says at the start, ascending: neither an equation nor a fixed start nor an initial equation
/// that is about them alone.
pub(super) fn sought(dae: &MultimodeDae) -> Vec<VariableId> {
    let said: FxHashSet<VariableId> = dae.discrete.initial.iter().flatten().map(|it| it.variable).collect();
    let variables = dae.model.variables.iter_enumerated();
    let open = variables.filter(|(id, variable)| {
        let is_kept = matches!(dae.discrete.definition(*id), Some(Definition::When | Definition::Start));
        variable.ty == Type::Real && is_kept && variable.fixed != Some(true) && !variable.input && !said.contains(id)
    });
    open.map(|(id, _)| id).collect()
}
