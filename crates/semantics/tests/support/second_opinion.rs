//! A mode change in the eyes of `changes`, in the words in which the two are compared.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{Mode, MultimodeDae};
use modeshift_mode_changes::{AllChanges, ChangeReport, Moment, Verdict};
use modeshift_semantics::{
    Body, Change, ChangeEnd, DifferenceSystem, Failure, Graph, MicroStep, Outcome, Shifted, Unknown,
};
use modeshift_structure::{Options, analyze};

/// What is compared of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opinion {
    /// Whether all values follow.
    pub is_determined: bool,
    /// Erased constraints of the new mode, each with how often it is shifted or differentiated.
    pub erased: BTreeSet<(String, u32)>,
    /// Variables with impulses, with their orders.
    pub impulsive: BTreeMap<String, String>,
    /// The equations of restarts.
    pub restart: BTreeSet<String>,
    /// Their variables.
    pub restarted: BTreeSet<String>,
}

/// All kinds of changes of a model, asked for single changes.
pub fn with_changes<R>(dae: &MultimodeDae, ask: impl FnOnce(&dyn Fn(&Mode, &Mode) -> Opinion) -> R) -> R {
    let analysis = analyze(dae, &Options::default()).expect("no limit");
    let changes = AllChanges::new(dae, &analysis, &Options::default()).expect("no limit");
    ask(&|before, after| {
        let values = |mode: &Mode, moment: Moment| -> Vec<_> {
            mode.iter().map(|(id, value)| (moment.of_mode(id), value)).collect()
        };
        let pair = [values(before, Moment::Before), values(after, Moment::After)].concat();
        let pair = changes.pairs.space.valuation(&pair);
        let reports = changes.reports(dae, pair, usize::MAX, false).expect("no limit").expect("one kind");
        reports.first().map_or_else(|| Opinion { is_determined: true, ..Opinion::default() }, of_report)
    })
}

fn of_report(report: &ChangeReport) -> Opinion {
    let plain = |name: &String| name.trim_end_matches('\'').to_string();
    let counted = |name: &String| (plain(name), name.matches('\'').count() as u32);
    Opinion {
        is_determined: report.verdict == Verdict::Determined,
        erased: report.erased.iter().map(counted).collect(),
        impulsive: report.impulse_orders.iter().cloned().collect(),
        restart: report.restart.iter().flat_map(|level| &level.equations).map(plain).collect(),
        restarted: report.restart.iter().flat_map(|level| &level.solves).map(plain).collect(),
    }
}

/// What the constructive semantics says.
pub fn of_semantics(graph: &Graph, change: &Change) -> Opinion {
    let system = &graph.system;
    let offsets = graph.offsets[change.after].as_ref().expect("a regular mode");
    let is_constraint = |it: &Shifted<_>| offsets.equations.get(&it.of).is_some_and(|&offset| it.shift < offset);
    let effects = graph.effects(change).unwrap_or_default();
    let name = |unknown: &Unknown| system.unknowns[*unknown].name.to_string();
    Opinion {
        is_determined: matches!(change.end, ChangeEnd::Continuous),
        erased: change
            .erased()
            .into_iter()
            .filter(is_constraint)
            .map(|it| (system.bodies[it.of].name.to_string(), it.shift))
            .collect(),
        impulsive: effects.impulsive.iter().map(|(unknown, order)| (name(unknown), order.to_string())).collect(),
        restart: effects.restart.iter().map(|&body| system.bodies[body].name.to_string()).collect(),
        restarted: effects.restarted.iter().map(name).collect(),
    }
}

/// Why two opinions may differ: the rows of the table in the documentation of the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The past knows more of a variable than the new mode remembers.
    ForgottenStates,
    /// The past knows less: `changes` takes what the mode before computed, RR8933 has no such rule.
    KeptValues,
    /// The past knows less, and constraints say the rest: `changes` takes them at left limits, where shifted ones carry the
    /// jump into what is born.
    BornStates,
    /// A latent equation gives way to a shifted one: line 5 solves what line 13 has shifted before line 15 adds latent
    /// equations, and these find their variables taken.
    LateLatent,
    /// Another choice of Algorithm 5 leads to what `changes` says.
    Choice,
}

/// The reason for a difference, if it is a known one.
pub fn reason(graph: &Graph, change: &Change, theirs: &Opinion) -> Option<Reason> {
    let written = written_orders(&graph.system, change.after);
    let before = &graph.offsets[change.before].as_ref()?.variables;
    let known = |unknown: &Unknown| before.get(unknown).copied().unwrap_or(0);
    let remembers = |unknown: &Unknown| written.get(unknown).copied().unwrap_or(0);
    let mut unknowns = graph.system.unknowns.ids();
    if unknowns.any(|unknown| known(&unknown) > remembers(&unknown)) {
        return Some(Reason::ForgottenStates);
    }
    let is_underdetermined = matches!(change.end, ChangeEnd::Failed(Failure::Underdetermined(_)));
    let mut unknowns = graph.system.unknowns.ids();
    if unknowns.any(|unknown| known(&unknown) < remembers(&unknown)) {
        return Some(if is_underdetermined { Reason::KeptValues } else { Reason::BornStates });
    }
    let latent = change.instants.first().into_iter().flat_map(|trace| &trace.steps).filter_map(|step| match step {
        MicroStep::Latent(step) => Some(&step.equations),
        _ => None,
    });
    let name = |it: &Shifted<Body>| (graph.system.bodies[it.of].name.to_string(), it.shift);
    let latent: BTreeSet<(String, u32)> = latent.flatten().map(name).collect();
    let ours = of_semantics(graph, change);
    let more: BTreeSet<(String, u32)> = ours.erased.difference(&theirs.erased).cloned().collect();
    if !more.is_empty() && more.is_subset(&latent) {
        return Some(Reason::LateLatent);
    }
    let outcomes = graph.all_choices_from(graph.starts[&change.before]);
    let offsets = graph.offsets[change.after].as_ref()?;
    let is_constraint = |it: &&Shifted<_>| offsets.equations.get(&it.of).is_some_and(|&offset| it.shift < offset);
    let is_theirs = |outcome: &Outcome| {
        outcome.erased.iter().filter(is_constraint).map(name).collect::<BTreeSet<_>>() == theirs.erased
    };
    if ours.erased == theirs.erased {
        return None;
    }
    let agrees = outcomes.as_ref()?.get(&change.after)?.iter().any(is_theirs);
    agrees.then_some(Reason::Choice)
}

fn written_orders(system: &DifferenceSystem, mode: usize) -> BTreeMap<Unknown, u32> {
    let mut written = BTreeMap::new();
    for entry in system.equations_in(mode).flat_map(|body| &system.bodies[body].incidence) {
        let order = written.entry(entry.unknown).or_insert(0);
        *order = entry.highest.max(*order);
    }
    written
}
