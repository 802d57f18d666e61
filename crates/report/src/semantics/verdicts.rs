//! What the constructive semantics rejects, as diagnostics.

use std::collections::BTreeMap;

use modeshift_dae::{Mode, VariableId, assume_modes};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_semantics::{ChangeEnd, DifferenceSystem, Failure, Graph};
use modeshift_structure::Combination;

use crate::Analyzed;

/// At most so many of a kind are said one by one; of the others how many there are.
const MOST_SAID: usize = 5;

/// Says which changes between regular modes fail, and which modes are tried for ever.
pub fn say_verdicts(graph: &Graph, diagnostics: &mut Diagnostics) {
    // Only structurally singular modes loop. Where `analyze` lets such a mode be, because its numbers are consistent or
    // nothing is known to lead into it, a cycle is no more than a warning either.
    let is_refused = diagnostics.has_errors();
    let endless = |message: String| match is_refused {
        true => Diagnostic::error(Code::E0842, message),
        false => Diagnostic::warning(Code::W0842, message),
    };
    let names = if graph.endless.is_empty() { Vec::new() } else { graph.beginning_names() };
    for cycle in graph.endless.iter().take(MOST_SAID) {
        let mode = graph.system.mode_name(graph.runs[cycle[0]].mode);
        let runs: Vec<String> = cycle.iter().map(|&run| graph.run_text(run, &names)).collect();
        let message = format!("the change to the mode {mode} loops for ever: its instants reset again and again");
        diagnostics.push(endless(message).with_note(runs.join("\n")));
    }
    if let Some(more) = more(graph.endless.len()) {
        let message = format!("{more} such cycles; --format json lists them all");
        diagnostics.push(endless(message));
    }
    let failures = failures(graph);
    let is_error = failures.iter().skip(MOST_SAID).any(|(.., fires)| *fires);
    for (before, after, text, fires) in failures.iter().take(MOST_SAID) {
        let message = format!("the instant of the change from {before} to {after} fails: {text}");
        let diagnostic =
            if *fires { Diagnostic::error(Code::E0841, message) } else { Diagnostic::warning(Code::W0841, message) };
        let help = match fires {
            true if text.starts_with("too much") => "let one of the laws of this `when` go",
            true => "add an equation to this `when`, such as an impact law",
            false => "`changes` says which values a run of the model keeps here",
        };
        diagnostics.push(diagnostic.help(help));
    }
    if let Some(more) = more(failures.len()) {
        let message = format!("{more} changes fail; --format json lists all runs");
        let said =
            if is_error { Diagnostic::error(Code::E0841, message) } else { Diagnostic::warning(Code::W0841, message) };
        diagnostics.push(said);
    }
}

/// `3 more` of so many.
fn more(count: usize) -> Option<String> {
    (count > MOST_SAID).then(|| format!("{} more", count - MOST_SAID))
}

/// Changes from modes with a start that fail: names of both modes, why, and whether that is for what a `when` says or leaves
/// open.
/// Runs that fail are looked at again with the choices that causality makes.
fn failures(graph: &Graph) -> Vec<(String, String, String, bool)> {
    let mut found = Vec::new();
    for run in graph.runs.iter().filter(|run| run.to.is_err() && graph.offsets[run.mode].is_some()) {
        let start = graph.starts.iter().find(|(mode, start)| **start == run.from && **mode != run.mode);
        let Some(change) = start.and_then(|(&before, _)| graph.causal_change(before, run.mode)) else { continue };
        if let ChangeEnd::Failed(failure) = &change.end {
            let name = |mode| graph.system.mode_name(mode);
            let text = graph.system.failure_text(failure);
            let is_contradiction = matches!(failure, Failure::Contradiction(_)) && !graph.says_what_is_known(&change);
            let is_error = is_contradiction || graph.system.is_transient(change.after);
            found.push((name(change.before), name(change.after), text, is_error));
        }
    }
    found
}

/// Where equations were combined because their leading derivatives cancel, a mode may write lower derivatives of a variable
/// than the model does. What an instant knows is then a matter of which equation was replaced, and not of the model: such
/// models with several modes are outside what a structural semantics covers.
pub fn refuse_cancelling(analyzed: &Analyzed, system: &DifferenceSystem) -> Option<Diagnostic> {
    let modes = system.modes.iter().enumerate().filter(|_| system.modes.len() > 1);
    let lost = modes.flat_map(|(number, mode)| {
        let combined = analyzed.combinations.iter();
        combined.filter_map(move |it| Some((number, it, lost_derivative(analyzed, system, (number, mode), it)?)))
    });
    let (number, combination, variable) = lost.into_iter().next()?;
    let (replaced, name) = (&analyzed.dae.model.equations[combination.replaced].name, system.mode_name(number));
    let variable = &analyzed.dae.model.variables[variable].name;
    let message = format!(
        "in the mode {name} coefficients cancel: without {replaced}, which follows from other equations there, no equation \
         has the derivative of {variable} any longer, and the constructive semantics does not say whether an instant \
         remembers it"
    );
    let help = format!("write what follows in the place of {replaced}; `changes` takes the model as it is");
    Some(Diagnostic::error(Code::E0843, message).help(help))
}

/// A variable with a higher derivative in the equation that was replaced than in all that a mode is left with.
fn lost_derivative(
    analyzed: &Analyzed,
    system: &DifferenceSystem,
    (number, mode): (usize, &Mode),
    combination: &Combination,
) -> Option<VariableId> {
    let mut expressions = analyzed.dae.model.expressions.clone();
    let mut in_mode = |root| assume_modes(&mut expressions, root, |id| Some(mode.get(id)));
    let equation = &analyzed.dae.model.equations[combination.replaced];
    let [holds, left, right] = [combination.modes, equation.left, equation.right].map(&mut in_mode);
    if expressions.literal_boolean(holds) != Some(true) {
        return None;
    }
    let mut left_with: BTreeMap<VariableId, u32> = BTreeMap::new();
    for entry in system.equations_in(number).flat_map(|body| &system.bodies[body].incidence) {
        let order = left_with.entry(system.unknowns[entry.unknown].variable).or_insert(0);
        *order = entry.highest.max(*order);
    }
    let mut found = None;
    for side in [left, right] {
        expressions.for_each(side, |_, node| {
            let written = node.derivative().filter(|it| it.order > left_with.get(&it.of).copied().unwrap_or(0));
            found = found.or(written.map(|it| it.of));
            true
        });
    }
    found
}
