//! Which models have one structure for an environment, and why others have not, in the words of the model.

use modeshift_dae::{Derivative, EquationKind, Node, Variability, VariableId};
use modeshift_diagnostics::{Code, Diagnostic};

use super::super::RunModel;
use super::super::phase::zero_crossings::Guard;
use super::super::prepare::Prepared;

fn refused(message: String) -> Diagnostic {
    Diagnostic::error(Code::E0847, message).help("co-simulation has no such limit: `modeshift fmu --kind cs`")
}

/// `x`, `der(x)`
fn state_name(name: &str, order: u32) -> String {
    (0..order).fold(name.to_string(), |name, _| format!("der({name})"))
}

/// Why the modes of a model have no states in common, if they have none.
pub(super) fn without_one_structure(model: &RunModel<'_>, states: &[Derivative<VariableId>]) -> Option<Diagnostic> {
    // Where only some modes were analyzed, each is looked at when it is entered.
    if !model.analysis.within.is_empty() {
        return None;
    }
    states.iter().find_map(|&state| not_differentiated(model, state)).or_else(|| rate_of_input(model))
}

/// A state that some modes do not differentiate.
fn not_differentiated(model: &RunModel<'_>, state: Derivative<VariableId>) -> Option<Diagnostic> {
    let RunModel { dae, analysis, .. } = model;
    let space = &analysis.space;
    let differentiated = analysis.offsets.variables[state.of].at_least(state.order + 1);
    let others = space.difference(space.not(differentiated), analysis.singular_modes());
    if !analysis.invariant.allows(space, others) {
        return None;
    }
    let variable = &dae.model.variables[state.of];
    let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
    let modes = analysis.formulas(&names).print(others).text;
    let name = state_name(&variable.name, state.order);
    let message = format!("the states of the model depend on its mode: `{name}` is not one in all modes");
    Some(refused(message).when(modes).label(variable.span, "not differentiated in these modes"))
}

/// An equation that some mode differentiates although it contains an input: its derivative would be needed.
fn rate_of_input(model: &RunModel<'_>) -> Option<Diagnostic> {
    let RunModel { dae, analysis, .. } = model;
    let is_input = |id: VariableId| {
        let it = &dae.model.variables[id];
        it.input && it.variability == Variability::Continuous
    };
    dae.model.equations.iter_enumerated().find_map(|(id, equation)| {
        if equation.kind != EquationKind::Continuous {
            return None;
        }
        let differentiated = analysis.offsets.equations[id].at_least(1);
        if !analysis.invariant.allows(&analysis.space, differentiated) {
            return None;
        }
        let mut input = None;
        for side in [equation.left, equation.right] {
            dae.model.expressions.for_each(side, |_, node| {
                if let Node::Variable(id, _) = node
                    && is_input(id)
                {
                    input = Some(id);
                }
                true
            });
        }
        let name = &dae.model.variables[input?].name;
        let message = format!("some modes need the derivative of the input `{name}`, which nobody gives them");
        Some(refused(message).label(equation.span, "differentiated there"))
    })
}

/// What a model has that others cannot integrate.
pub(super) fn not_prepared(prepared: &Prepared) -> Option<Diagnostic> {
    let delayed = !prepared.delays.all.is_empty();
    delayed.then(|| refused("`delay` needs the past between the steps of whoever integrates".to_string()))
}

/// A state that the present mode does not have, or that others do not.
pub(super) fn not_in_mode(prepared: &Prepared, state: Derivative<VariableId>, mode: &str) -> Diagnostic {
    let variable = &prepared.dae.model.variables[state.of];
    let name = state_name(&variable.name, state.order);
    let message = format!("the states of this mode are not those of all others: `{name}` is one in some only");
    refused(message).when(mode.to_string()).label(variable.span, "a state in some modes only")
}

/// The run would slide along a surface.
pub(super) fn sliding(time: f64) -> Diagnostic {
    refused(format!("at time = {time} the model goes on along the surface of a guard, which others cannot follow"))
}

/// All that may be watched.
pub(super) fn guards_of(prepared: &Prepared) -> impl Iterator<Item = Guard> + '_ {
    let atoms = prepared.discrete.atoms.ids().map(Guard::Atom);
    let edges = |stair: usize| [Guard::Edge(stair, false), Guard::Edge(stair, true)];
    atoms.chain((0..prepared.discrete.stairs.len()).flat_map(edges))
}

/// The variables that a guard reads.
pub(super) fn read_by(prepared: &Prepared, guard: Guard) -> Vec<VariableId> {
    let argument = match guard {
        Guard::Atom(atom) => return prepared.discrete.reads[atom].clone(),
        Guard::Edge(stair, _) => prepared.discrete.stairs[stair].argument,
        Guard::Ray(_) | Guard::Share(..) => return Vec::new(),
    };
    let mut read = Vec::new();
    prepared.dae.model.expressions.for_each(argument, |_, node| {
        if let Node::Variable(id, _) = node {
            read.push(id);
        }
        true
    });
    read
}
