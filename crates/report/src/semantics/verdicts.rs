//! What the constructive semantics rejects, as diagnostics.

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_semantics::{ChangeEnd, CombinedEquation, Failure, Graph, Unfounded};

use crate::Analyzed;

/// At most so many of a kind are said one by one; of the others how many there are.
const MOST_SAID: usize = 5;

/// Says which changes between regular modes fail, and which modes are tried for ever; whether these are refused.
pub fn say_verdicts(graph: &Graph, diagnostics: &mut Diagnostics) -> bool {
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
    is_refused
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

/// The combinations among the equations of a model, as the constructive semantics has to know of them.
pub fn combined_equations(analyzed: &Analyzed) -> Vec<CombinedEquation> {
    let combined = analyzed.combinations.iter().map(|it| {
        let members = it.of.iter().copied().zip(it.orders.iter().copied());
        CombinedEquation { replaced: it.replaced, by: it.by, differentiated: members.filter(|it| it.1 > 0).collect() }
    });
    combined.collect()
}

/// Where equations were combined because their leading derivatives cancel, and one that is differentiated in the combination
/// gives way in a change: the combination says nothing of that instant then, and a structural semantics has nothing else.
pub fn refuse_unfounded(analyzed: &Analyzed, graph: &Graph) -> Option<Diagnostic> {
    let Unfounded { mode, replaced, by, erased } = graph.unfounded()?;
    let name = |id| &analyzed.dae.model.equations[id].name;
    let (erased, mode) = (graph.system.equation_name(erased), graph.system.mode_name(mode));
    let (replaced, by) = (name(replaced), name(by));
    let message = format!(
        "coefficients cancel in the mode {mode}, where {by} stands in the place of {replaced}; but in an instant that changes \
         to this mode {erased} gives way, and {by} says nothing of {replaced} there"
    );
    let help = format!("write what follows in the mode in the place of {replaced}");
    Some(Diagnostic::error(Code::E0843, message).help(help))
}
