//! Where `changes` says something else of a mode change than the constructive semantics, and why.
//!
//! The two share no code. Compared are the verdict, the erased equations, impulses with their orders and what restarts;
//! where something differs, the change is followed again in the readings of the documentation of `modeshift_semantics`,
//! and the one in which the two agree is the reason.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_mode_changes::{ChangeReport, Verdict};
use modeshift_semantics::{Body, Change, ChangeEnd, Failure, Graph, MicroStep, Reading, Shifted};

/// What is compared of a change. Equations are written with primes, `e'` for `e•`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opinion {
    verdict: Verdict,
    erased: BTreeSet<String>,
    /// Variables with impulses, with their orders.
    pub(super) impulsive: BTreeMap<String, String>,
    restarted: BTreeSet<String>,
    /// Variables that are not linear in something infinite.
    nonlinear: BTreeSet<String>,
}

/// Why two opinions differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// They agree when the algorithm is read so; where the second holds, in all but which of equivalent equations give way.
    Reading(Reading, bool),
    /// They agree for a past that satisfies these of the erased equations, as guards may say.
    Past(BTreeSet<Shifted<Body>>),
    /// Equations are not linear in what is infinite.
    Nonlinear,
    /// Of equations that are equivalent another one gives way.
    Words,
    /// None that is known.
    Unknown,
}

impl Opinion {
    /// That of the constructive semantics.
    pub(super) fn own(graph: &Graph, change: &Change) -> Opinion {
        let system = &graph.system;
        let effects = graph.effects(change).unwrap_or_default();
        let name = |unknown| system.unknowns[unknown].name.to_string();
        let primed = |it: Shifted<Body>| format!("{}{}", system.bodies[it.of].name, "'".repeat(it.shift as usize));
        let verdict = match &change.end {
            ChangeEnd::Continuous | ChangeEnd::Transient => Verdict::Determined,
            ChangeEnd::Failed(Failure::Underdetermined(_)) => Verdict::Underdetermined,
            ChangeEnd::Failed(_) | ChangeEnd::Endless => Verdict::Rejected,
        };
        // An equation for the derivative of a state that a law sets gives way to the law, and is no constraint.
        let hidden: BTreeSet<Shifted<Body>> =
            graph.offsets[change.after].iter().flat_map(|offsets| offsets.hidden()).collect();
        let counts = |it: &Shifted<Body>| !fires(change) || hidden.contains(it);
        Opinion {
            verdict,
            erased: change.erased().into_iter().filter(counts).map(primed).collect(),
            impulsive: effects.impulsive.iter().map(|(&it, order)| (name(it), order.to_string())).collect(),
            restarted: effects.restarted.iter().map(|&it| name(it)).collect(),
            nonlinear: effects.nonlinear.iter().map(|&it| name(it)).collect(),
        }
    }

    /// That of `changes`; where it says nothing, nothing happens.
    pub(super) fn of_changes(graph: &Graph, report: Option<&ChangeReport>) -> Opinion {
        // Names may end with a quote that is no prime.
        let is_variable = |name: &str| graph.system.unknowns.iter().any(|it| &*it.name == name);
        let plain = |name: &String| {
            let mut name = name.as_str();
            while let Some(shorter) = name.strip_suffix('\'').filter(|_| !is_variable(name)) {
                name = shorter;
            }
            name.to_string()
        };
        let levels = || report.iter().flat_map(|report| &report.restart);
        Opinion {
            verdict: report.map_or(Verdict::Determined, |report| report.verdict),
            erased: report.iter().flat_map(|report| report.erased.iter().cloned()).collect(),
            impulsive: report.iter().flat_map(|report| report.impulse_orders.iter().cloned()).collect(),
            restarted: levels().flat_map(|level| level.solves.iter().map(plain)).collect(),
            nonlinear: BTreeSet::new(),
        }
    }

    /// What is left without some variables.
    fn without(&self, names: &BTreeSet<String>) -> Opinion {
        let mut rest = self.clone();
        rest.impulsive.retain(|name, _| !names.contains(name));
        rest.restarted.retain(|name| !names.contains(name));
        rest
    }

    /// Whether nothing differs that a change has in both.
    pub(super) fn agrees_with(&self, other: &Opinion, fires: bool) -> bool {
        let is_determined = self.verdict == Verdict::Determined;
        self.verdict == other.verdict
            && (!is_determined || self.erased == other.erased)
            && (!is_determined || fires || (&self.impulsive, &self.restarted) == (&other.impulsive, &other.restarted))
    }
}

/// Whether a `when` fires in a change.
pub(super) fn fires(change: &Change) -> bool {
    let mut steps = change.instants.iter().flat_map(|trace| &trace.steps);
    steps.any(|step| matches!(step, MicroStep::Fire(fire) if !fire.clauses.is_empty()))
}

/// Why `changes` says something else; nothing where it does not.
pub(super) fn difference(graph: &Graph, change: &Change, own: &Opinion, theirs: &Opinion) -> Option<Reason> {
    let fires = fires(change);
    if own.agrees_with(theirs, fires) {
        return None;
    }
    let reading = |remembers, latent_first, shifts_in_instants| Reading { remembers, latent_first, shifts_in_instants };
    let readings = match fires {
        true => [reading(false, false, true), reading(true, false, false), reading(true, false, true)],
        false => [reading(true, false, false), reading(false, true, false), reading(true, true, false)],
    };
    let read = |reading: Reading| {
        let other = graph.change_read_as(change.before, change.after, reading)?;
        Some((reading, Opinion::own(graph, &other)))
    };
    let read: Vec<(Reading, Opinion)> = readings.into_iter().filter_map(read).collect();
    let same_values = |it: &Opinion| (it.verdict, &it.impulsive) == (theirs.verdict, &theirs.impulsive);
    let found = |agrees: &dyn Fn(&Opinion) -> bool| read.iter().find(|(_, it)| agrees(it)).map(|(reading, _)| *reading);
    if let Some(reading) = found(&|it| it.agrees_with(theirs, fires)) {
        return Some(Reason::Reading(reading, false));
    }
    let satisfied = pasts(graph, change).into_iter().find(|satisfied| {
        let change = Change { satisfied: satisfied.clone(), ..change.clone() };
        Opinion::own(graph, &change).agrees_with(theirs, fires)
    });
    if let Some(satisfied) = satisfied {
        return Some(Reason::Past(satisfied));
    }
    let linear = |it: &Opinion| it.without(&own.nonlinear);
    Some(match () {
        () if linear(own).agrees_with(&linear(theirs), fires) => Reason::Nonlinear,
        () if same_values(own) => Reason::Words,
        () => found(&same_values).map_or(Reason::Unknown, |reading| Reason::Reading(reading, true)),
    })
}

/// More erased equations than this are satisfied all together or one by one.
const MOST_SATISFIED: usize = 4;

/// What a past may satisfy of the equations that instants erase, most of it first. Derivatives come with those below them.
/// Guards that look at time say nothing of the past.
fn pasts(graph: &Graph, change: &Change) -> Vec<BTreeSet<Shifted<Body>>> {
    let system = &graph.system;
    let values = |mode: usize| system.modes[mode].iter().map(|(_, value)| value).collect::<Vec<_>>();
    let (before, after) = (values(change.before), values(change.after));
    let mut changed = system.guards.iter().zip(before.iter().zip(&after)).filter(|(_, (old, new))| old != new);
    if !changed.any(|(guard, _)| !guard.reads.is_empty()) {
        return Vec::new();
    }
    let erased: BTreeSet<Shifted<Body>> = change.erased_by_instant().into_iter().flatten().collect();
    let erased: Vec<Shifted<Body>> = erased.into_iter().collect();
    let subset = |number: usize| -> BTreeSet<Shifted<Body>> {
        (0..erased.len()).filter(|place| number >> place & 1 == 1).map(|place| erased[place]).collect()
    };
    let is_whole =
        |past: &BTreeSet<Shifted<Body>>| past.iter().all(|it| it.previous().is_none_or(|it| past.contains(&it)));
    let mut pasts: Vec<BTreeSet<Shifted<Body>>> = match erased.len() {
        0..=MOST_SATISFIED => (1..1 << erased.len()).map(subset).collect(),
        _ => {
            let lowest = erased.iter().copied().filter(|it| it.shift == 0);
            std::iter::once(lowest.clone().collect()).chain(lowest.map(|it| [it].into())).collect()
        }
    };
    pasts.retain(is_whole);
    pasts.sort_by_key(|past| std::cmp::Reverse(past.len()));
    pasts
}

impl Reason {
    fn words(&self, graph: &Graph) -> String {
        let because = |reading: Reading| {
            let mut reasons = Vec::new();
            if reading.remembers {
                reasons.push("it remembers of the past what the new mode needs, RR8933 all that was computed");
            }
            if reading.latent_first {
                reasons.push("it adds latent equations when guards are known, RR8933 when nothing else can be solved");
            }
            if reading.shifts_in_instants {
                reasons.push("it asks constraints for right limits also in the instant of a `when`");
            }
            reasons.join("; ")
        };
        match self {
            Reason::Reading(reading, false) => because(*reading),
            Reason::Reading(reading, true) => {
                format!("{}; of equivalent equations another one gives way", because(*reading))
            }
            Reason::Past(satisfied) => {
                let names: Vec<String> = satisfied.iter().map(|&it| graph.system.equation_name(it)).collect();
                let verb = if names.len() == 1 { "holds" } else { "hold" };
                format!("guards say that {} {verb} before the change", names.join(", "))
            }
            Reason::Nonlinear => "equations are not linear in what is infinite, for which it has other rules".into(),
            Reason::Words => "equations of one block are equivalent, and another one gives way".into(),
            Reason::Unknown => "no reading of the algorithm is known in which the two agree".into(),
        }
    }

    /// What `changes` says instead, and why.
    pub(super) fn lines(&self, graph: &Graph, theirs: &Opinion, formulas: &[(String, String)]) -> Vec<String> {
        if let Reason::Past(_) = self {
            let reason = self.words(graph);
            return vec![format!("{reason}, as `changes` knows; for another past there is what the runs have")];
        }
        let list = |names: &BTreeSet<String>| match names.is_empty() {
            true => "nothing".to_string(),
            false => names.iter().cloned().collect::<Vec<_>>().join(", "),
        };
        let orders: BTreeSet<String> =
            theirs.impulsive.iter().map(|(name, order)| format!("[{name}] = {order}")).collect();
        let mut says = format!("`changes` differs: {}", theirs.verdict.word());
        if theirs.verdict == Verdict::Determined {
            says += &format!(", erased: {}, impulses: {}", list(&theirs.erased), list(&orders));
        }
        let mut lines = vec![says, format!("because {}", self.words(graph))];
        lines.extend(formulas.iter().map(|(name, formula)| format!("there {name} = {formula}")));
        lines
    }
}
