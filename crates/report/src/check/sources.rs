//! Ideal sources, and switches, that say too much together: two voltages between the same nodes, two currents through one branch.
//!
//! What they leave open looks like a missing reference, and a reference would only hide that they contradict each other.

use modeshift_dae::{EquationId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::patterns::Finding;
use crate::singular::Subset;
use crate::wording::{Names, listed};

/// Potentials of the usual connectors: the last part of their name, what lies between two of them, what goes between two sources.
const POTENTIALS: [(&str, &str, &str); 4] = [
    ("v", "voltage", "a resistance"),
    ("phi", "angle", "a spring"),
    ("s", "distance", "a spring"),
    ("T", "difference of temperatures", "a thermal resistance"),
];

/// Their flows: the last part of their name, what flows, what goes beside a source.
const FLOWS: [(&str, &str, &str); 4] = [
    ("i", "current", "a resistance"),
    ("tau", "torque", "an inertia"),
    ("f", "force", "a mass"),
    ("Q_flow", "heat flow", "a heat capacity"),
];

/// What to do about them, where they are what is wrong. Flows that some modes alone fix are those of open switches, which are zero: what
/// lies between them floats.
pub(super) fn sources_together(finding: &Finding<'_>, in_all_modes: bool) -> Option<String> {
    let subset = finding.dependent.or(finding.over).filter(|it| it.equations.len() > 2)?;
    let names = finding.names;
    let called = |(name, ..): &&(&str, &str, &str)| super::patterns::all_called(names, &subset.variables, name);
    if let Some(&(_, what, remedy)) = POTENTIALS.iter().find(called) {
        return potentials_given(names, subset, what, remedy);
    }
    let &(_, what, remedy) = FLOWS.iter().find(called).filter(|_| in_all_modes)?;
    flows_given(names, subset, what, remedy)
}

/// Elements that lie between two nodes, and those that fix one: a ground gives a potential, and is no part of a loop.
fn potentials_given(names: &Names<'_>, subset: &Subset, what: &str, remedy: &str) -> Option<String> {
    let ends = connectors_of_elements(names, subset);
    let between: Vec<&str> = ends.iter().filter(|(_, ends)| ends.len() > 1).map(|(element, _)| *element).collect();
    let grounds: Vec<&str> = ends.iter().filter(|(_, ends)| ends.len() == 1).map(|(element, _)| *element).collect();
    match (between.as_slice(), grounds.as_slice()) {
        ([one, other], [] | [_]) => Some(format!(
            "`{one}` and `{other}` both fix the {what} between the same nodes: put {remedy} between them, or remove one of them"
        )),
        ([_, _, ..], _) => Some(format!(
            "the {what}s of {} are given in one loop: remove one, or put {remedy} into it",
            listed(between.iter().copied())
        )),
        ([only], [one, other]) => Some(format!(
            "`{only}` fixes the {what} between `{one}` and `{other}`, which both fix a potential: remove one of the two, or put \
             {remedy} between"
        )),
        ([only], [] | [_]) => Some(format!(
            "connections join both ends of `{only}`, which fixes the {what} between them: put {remedy} into the loop, or remove a \
             connection"
        )),
        _ => None,
    }
}

/// Elements that say themselves how much flows, where it has one way only.
fn flows_given(names: &Names<'_>, subset: &Subset, what: &str, remedy: &str) -> Option<String> {
    let is_given = |id: &EquationId| names.unknowns(*id).len() == 1 && names.equation(*id).contains('.');
    if is_closed(names, subset, &is_given) {
        return None;
    }
    let mut givers: Vec<&str> = Vec::new();
    for id in subset.equations.iter().filter(|id| is_given(id)) {
        let (element, _) = names.equation(*id).rsplit_once('.')?;
        if !givers.contains(&element) {
            givers.push(element);
        }
    }
    match givers.as_slice() {
        [one, other] => Some(format!(
            "`{one}` and `{other}` both fix the {what} in one branch: put {remedy} beside one of them, or remove one of them"
        )),
        [_, _, ..] => Some(format!(
            "the {what}s of {} are given at one node: remove one, or put {remedy} beside it",
            listed(givers.iter().copied())
        )),
        _ => None,
    }
}

/// Whether balances that say nothing together are part of it: in each of them every flow stands in two. That is a network without
/// a reference, whatever sources it has.
fn is_closed(names: &Names<'_>, subset: &Subset, is_given: &dyn Fn(&EquationId) -> bool) -> bool {
    let balances = subset.equations.iter().filter(|id| !is_given(id)).map(|id| names.unknowns(*id));
    let mut balances: Vec<Vec<VariableId>> = balances.collect();
    loop {
        let mut counts: FxHashMap<VariableId, usize> = FxHashMap::default();
        balances.iter().flatten().for_each(|id| *counts.entry(*id).or_default() += 1);
        let before = balances.len();
        balances.retain(|unknowns| unknowns.iter().all(|id| counts[id] > 1));
        if balances.len() == before {
            return before > 0;
        }
    }
}

/// The elements of a subset with their connectors of which it speaks, in the order of its equations.
fn connectors_of_elements<'a>(names: &Names<'a>, subset: &Subset) -> Vec<(&'a str, FxHashSet<&'a str>)> {
    let mut found: Vec<(&str, FxHashSet<&str>)> = Vec::new();
    for id in &subset.equations {
        let Some((element, _)) = names.equation(*id).rsplit_once('.') else { continue };
        let at = found.iter().position(|it| it.0 == element).unwrap_or_else(|| {
            found.push((element, FxHashSet::default()));
            found.len() - 1
        });
        let unknowns = names.unknowns(*id);
        let connectors = unknowns.iter().filter_map(|it| Some(names.variable(*it).rsplit_once('.')?.0));
        found[at].1.extend(connectors.filter(|connector| *connector != element));
    }
    found
}
