//! What stands in the way of a transformation, said in terms of the source (`E09xx`).

use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::Diagnostic;
use modeshift_mode_changes::{AllChanges, PairSpace};
use modeshift_modes::{FormulaPrinter, Invariant, Limit, ModeSet};
use modeshift_structure::{Analysis, Block, GraphText};

use crate::transform::{Failure, called_function};

/// Singular modes, blocks that are not listed, circles over several modes, functions without a body.
pub(crate) fn structural(dae: &MultimodeDae, analysis: &Analysis) -> Result<(), Box<Diagnostic>> {
    let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
    let formulas = analysis.formulas(&names);
    if !analysis.is_regular() {
        let diagnostic = Diagnostic::error("E0901", "a model with singular modes cannot be transformed");
        return Err(Box::new(diagnostic.when(formulas.print(analysis.singular_modes()).text)));
    }
    if analysis.graph.is_truncated() {
        let listed = analysis.graph.not_listed().iter().take(5);
        let listed: Vec<&str> = listed.map(|&id| &*analysis.incidence.equations()[id].name).collect();
        let message = "the blocks of different modes are too many to be written one by one";
        let diagnostic = Diagnostic::error("E0902", message);
        return Err(Box::new(
            diagnostic.with_note(format!("equations that belong to most of them: {}", listed.join(", "))),
        ));
    }
    if let Some(circle) = analysis.graph.dependencies().iter().find(|dependency| dependency.from >= dependency.to) {
        let text = GraphText { incidence: &analysis.incidence, formulas: &formulas, graph: &analysis.graph };
        let (from, to) = (text.block(analysis.graph.block(circle.from)), text.block(analysis.graph.block(circle.to)));
        let message = "blocks wait for each other in a circle that no single mode has";
        let diagnostic = Diagnostic::error("E0904", message).with_note(format!("`{to}` waits for `{from}`"));
        return Err(Box::new(diagnostic.when(formulas.print(circle.modes).text)));
    }
    functions(dae)
}

/// Functions are known by name only.
fn functions(dae: &MultimodeDae) -> Result<(), Box<Diagnostic>> {
    for equation in dae.model.equations.iter() {
        let called = [equation.left, equation.right].into_iter().find_map(|side| called_function(dae, side));
        if let Some(function) = called {
            let name = &dae.model.functions[function].name;
            let message =
                format!("equation `{}` calls function `{name}`, which cannot be written along", equation.name);
            return Err(Box::new(Diagnostic::error("E0903", message).label(equation.span, "")));
        }
    }
    Ok(())
}

/// Changes after which the model does not say where a state starts, or says it by constraints alone.
pub(crate) fn of_changes(
    dae: &MultimodeDae,
    analysis: &Analysis,
    changes: &AllChanges,
    feasible: &Invariant,
) -> Result<(), Failure> {
    changes.pairs.space.check().map_err(|limit: Limit| Failure::Limit(limit))?;
    let (pairs, space) = (&changes.pairs, &changes.pairs.space);
    let happens = |set: ModeSet| feasible.allows(space, set);
    if let Some(item) = changes.memory.undetermined.iter().find(|item| happens(item.pairs)) {
        let name = derivative(analysis, item.of, item.order);
        let message = format!("after a mode change, nothing says where {name} starts");
        let diagnostic = Diagnostic::error("E0906", message).when(words(dae, changes, item.pairs));
        let diagnostic = diagnostic.label(dae.model.variables[item.of].span, "");
        return Err(Box::new(diagnostic.help("give a start value, or a `reinit` in a `when`")).into());
    }
    for item in &changes.memory.born {
        let exists = analysis.incidence.variables()[item.of].guard;
        let known = analysis.space.and(exists, analysis.offsets.variables[item.of].at_least(item.order));
        let unknown = space.difference(item.pairs, pairs.before(known));
        let edges = analysis.incidence.edges_of_variable(item.of).iter();
        let equations = edges.map(|&edge| analysis.incidence.equation(edge));
        let constraints = equations.map(|equation| {
            let hidden = pairs.after(analysis.offsets.equations[equation].at_least(1));
            space.and(hidden, changes.is_new[equation])
        });
        let new_constraint = space.and(space.union(constraints), item.pairs);
        let open = space.or(unknown, new_constraint);
        if happens(open) {
            let name = derivative(analysis, item.of, item.order);
            let message = format!("after a mode change, {name} starts where constraints of the new mode put it");
            let diagnostic = Diagnostic::error("E0908", message).when(words(dae, changes, open));
            let diagnostic = diagnostic.label(dae.model.variables[item.of].span, "");
            return Err(Box::new(diagnostic.help("say it by a `reinit` in a `when`")).into());
        }
    }
    Ok(())
}

fn derivative(analysis: &Analysis, variable: modeshift_dae::VariableId, order: u32) -> String {
    modeshift_structure::name(analysis.incidence.variables(), modeshift_structure::Derivative { of: variable, order })
}

fn words(dae: &MultimodeDae, changes: &AllChanges, pairs: ModeSet) -> String {
    let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
    let names = PairSpace::names(&names);
    FormulaPrinter::new(&changes.pairs.space, &changes.pairs.invariant, &names).print(pairs).text
}

/// An equation that has to be differentiated and cannot be.
pub(crate) fn not_differentiable(dae: &MultimodeDae, block: Block<'_>, reason: &str) -> Box<Diagnostic> {
    let equation = block.equations.iter().max_by_key(|equation| equation.order).expect("blocks have equations");
    let equation = &dae.model.equations[equation.of];
    let message = format!("equation `{}` has to be differentiated: {reason}", equation.name);
    Box::new(Diagnostic::error("E0910", message).label(equation.span, ""))
}
