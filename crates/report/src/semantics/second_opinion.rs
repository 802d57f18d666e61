//! Where `changes` says something else of a mode change than the constructive semantics, and why.
//!
//! The two share no code. Compared are the verdict, the erased equations, impulses with their orders, what restarts
//! and the states that jump; where something differs, the change is followed again in the readings of the
//! documentation of `modeshift_semantics`, and the one in which the two agree is the reason.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_mode_changes::{ChangeReport, Verdict};
use modeshift_semantics::{Body, Change, ChangeEnd, Failure, Graph, MicroStep, Reading, Shifted, Unknown};

/// What is compared of a change. Equations are written with primes, `e'` for `e•`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opinion {
    verdict: Verdict,
    erased: BTreeSet<String>,
    /// Variables with impulses, with their orders.
    pub(super) impulsive: BTreeMap<String, String>,
    restarted: BTreeSet<String>,
    /// The states that jump.
    jumps: BTreeSet<String>,
    /// Variables that are not linear in something infinite.
    nonlinear: BTreeSet<String>,
}

/// Why two opinions differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// They agree when the algorithm is read so; where the second holds, in all but which of equivalent equations give way.
    Reading(Reading, bool),
    /// A law for several states leaves open which of their equations gives way to it: `changes` names all states that jump
    /// for some choice.
    Choice(Reading),
    /// They agree for a past that satisfies these of the erased equations, as guards say.
    Past(BTreeSet<Shifted<Body>>),
    /// Guards say that these of the erased equations are satisfied, and `changes` does not see it: they agree for other pasts.
    Unseen(BTreeSet<Shifted<Body>>),
    /// Guards say that these of the erased equations are satisfied, and the mode before contradicts them.
    NoPast(BTreeSet<Shifted<Body>>),
    /// `changes` takes these of the erased equations to hold, and these variables may have jumped over the boundaries of
    /// guards: they agree for a past in which guards change at equalities, read so.
    Claimed(BTreeSet<Shifted<Body>>, Vec<String>, Reading),
    /// `changes` names these among what may jump, without values, and here they keep theirs.
    AlsoNamed(BTreeSet<String>),
    /// Constraints of the instant come first, as without its laws: impulses are those of the equations alone.
    ConstraintsFirst,
    /// A law reads this variable, which is no state, and leaves it open.
    ReadsOpen(String),
    /// A law speaks of what is known when the instant begins: variables with second derivatives.
    KnownBefore,
    /// Equations are not linear in what is infinite.
    Nonlinear,
    /// Coefficients cancel: derivatives that the model writes are restarted, and `changes` asks for those that are left.
    Cancelling,
    /// The mode is structurally singular: nothing is said of it there.
    Singular,
    /// `changes` erases these, which hold in the mode before.
    HeldBefore(Reading, BTreeSet<String>),
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
            jumps: effects.jumps.iter().map(|&it| name(it)).filter(|name| is_state(graph, name)).collect(),
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
            jumps: report
                .iter()
                .flat_map(|report| report.discontinuous.iter().cloned())
                .filter(|name| is_state(graph, name))
                .collect(),
            nonlinear: BTreeSet::new(),
        }
    }

    /// What is left without some variables.
    fn without(&self, names: &BTreeSet<String>) -> Opinion {
        let mut rest = self.clone();
        rest.impulsive.retain(|name, _| !names.contains(name));
        rest.restarted.retain(|name| !names.contains(name));
        rest.jumps.retain(|name| !names.contains(name));
        rest
    }

    /// Whether nothing differs that a change has in both.
    pub(super) fn agrees_with(&self, other: &Opinion, fires: bool) -> bool {
        // Of what is not linear in something infinite only the order is told.
        let is_told = |name: &&String| !self.nonlinear.contains(*name) && !other.nonlinear.contains(*name);
        let told = |all: &BTreeSet<String>| -> BTreeSet<String> { all.iter().filter(is_told).cloned().collect() };
        let restarted = |it: &Opinion| if fires { BTreeSet::new() } else { told(&it.restarted) };
        let said = |it: &Opinion| (it.erased.clone(), it.impulsive.clone(), restarted(it), told(&it.jumps));
        self.verdict == other.verdict && (self.verdict != Verdict::Determined || said(self) == said(other))
    }

    /// Whether all choices say this, but for the states that jump, and these are the states that jump for some choice.
    fn is_of_all_choices(&self, graph: &Graph, change: &Change, reading: Reading) -> bool {
        let choices = graph.changes_by_choice(change.before, change.after, reading);
        let choices: Vec<Opinion> = choices.iter().map(|change| Opinion::own(graph, change)).collect();
        let jumps: BTreeSet<String> = choices.iter().flat_map(|it| it.jumps.clone()).collect();
        let all_jump = |it: &Opinion| Opinion { jumps: jumps.clone(), ..it.clone() };
        !choices.is_empty() && choices.iter().all(|it| all_jump(it).agrees_with(self, true))
    }
}

/// Whether a derivative of a variable is written.
fn is_state(graph: &Graph, name: &str) -> bool {
    let mut equations = graph.system.bodies.iter().filter(|body| body.clause.is_none());
    equations.any(|body| {
        body.incidence.iter().any(|entry| entry.highest > 0 && *graph.system.unknowns[entry.unknown].name == *name)
    })
}

/// Whether a `when` fires in a change.
pub(super) fn fires(change: &Change) -> bool {
    let mut steps = change.instants.iter().flat_map(|trace| &trace.steps);
    steps.any(|step| matches!(step, MicroStep::Fire(fire) if !fire.clauses.is_empty()))
}

/// Why `changes` says something else; nothing where it does not.
pub(super) fn difference(graph: &Graph, change: &Change, own: &Opinion, theirs: &Opinion) -> Option<Reason> {
    let fires = fires(change);
    if graph.offsets[change.after].is_none() {
        return Some(Reason::Singular);
    }
    let satisfied = graph.satisfied_at_boundaries(change);
    let with_past = Change { satisfied: satisfied.clone(), ..change.clone() };
    if !satisfied.is_empty() && graph.course(&with_past).is_none() {
        return (!own.agrees_with(theirs, fires)).then_some(Reason::NoPast(satisfied));
    }
    let with_past = Opinion::own(graph, &with_past);
    if own.agrees_with(theirs, fires) {
        return (!with_past.agrees_with(own, fires)).then_some(Reason::Unseen(satisfied));
    }
    if with_past.agrees_with(theirs, fires) {
        return Some(Reason::Past(satisfied));
    }
    let reading = |remembers, latent_first, shifts_in_instants| Reading {
        remembers,
        latent_first,
        shifts_in_instants,
        ..Reading::default()
    };
    let at_once = |it: Reading| Reading { is_over_at_once: true, ..it };
    let readings = match fires {
        true => vec![
            reading(false, false, true),
            reading(true, false, false),
            reading(true, false, true),
            at_once(Reading::default()),
            at_once(reading(true, false, false)),
        ],
        false => vec![reading(true, false, false), reading(false, true, false), reading(true, true, false)],
    };
    if let Some(claimed) = claimed(graph, change, &readings, theirs) {
        return Some(claimed);
    }
    let read = |reading: Reading| {
        let other = graph.change_read_as(change.before, change.after, reading)?;
        Some((reading, Opinion::own(graph, &other)))
    };
    let read: Vec<(Reading, Opinion)> = readings.iter().copied().filter_map(read).collect();
    let values = |it: &Opinion| (it.verdict, it.impulsive.clone(), it.jumps.clone());
    let same_values = |it: &Opinion| values(it) == values(theirs);
    let found = |agrees: &dyn Fn(&Opinion) -> bool| read.iter().find(|(_, it)| agrees(it)).map(|(reading, _)| *reading);
    if let Some(reading) = found(&|it| it.agrees_with(theirs, fires)) {
        return Some(Reason::Reading(reading, false));
    }
    let choice = std::iter::once(Reading::default()).chain(readings.iter().copied());
    if let Some(reading) = choice.filter(|_| fires).find(|it| theirs.is_of_all_choices(graph, change, *it)) {
        return Some(Reason::Choice(reading));
    }
    let linear = |it: &Opinion| it.without(&own.nonlinear);
    Some(match () {
        () if graph.says_what_is_known(change) => Reason::KnownBefore,
        () if linear(own).agrees_with(&linear(theirs), fires) => Reason::Nonlinear,
        () if same_values(own) && graph.system.combines_in(change.after) => Reason::Cancelling,
        () if same_values(own) => Reason::Words,
        () => match found(&same_values) {
            Some(reading) => Reason::Reading(reading, true),
            None if fires => of_laws(graph, change, own, theirs).unwrap_or(Reason::Unknown),
            None => held_before(graph, change, &read, theirs)
                .or_else(|| taken_to_hold(graph, change, own, theirs))
                .or_else(|| also_named(own, theirs))
                .unwrap_or(Reason::Unknown),
        },
    })
}

/// Where the two agree for a past in which all guards change at equalities, which is not so for every past.
fn claimed(graph: &Graph, change: &Change, readings: &[Reading], theirs: &Opinion) -> Option<Reason> {
    let fires = fires(change);
    let readings = std::iter::once(Reading::default()).chain(readings.iter().copied());
    readings.into_iter().find_map(|reading| {
        let change = graph.change_read_as(change.before, change.after, reading)?;
        let satisfied = graph.satisfied_at_all_boundaries(&change);
        let change = Change { satisfied: satisfied.clone(), ..change };
        let agrees = !satisfied.is_empty() && Opinion::own(graph, &change).agrees_with(theirs, fires);
        let jumped: Vec<String> =
            graph.read_by_changed_guards(&change).into_iter().map(|it| name_of(graph, it)).collect();
        (agrees && !jumped.is_empty()).then_some(Reason::Claimed(satisfied, jumped, reading))
    })
}

/// Where `changes` has fewer impulses because of what it takes to hold, and something else in the change jumps, so that it
/// agrees for no past.
fn taken_to_hold(graph: &Graph, change: &Change, own: &Opinion, theirs: &Opinion) -> Option<Reason> {
    let satisfied = graph.satisfied_at_all_boundaries(change);
    let is_less = |(name, order): (&String, &String)| own.impulsive.get(name) == Some(order);
    let fewer = theirs.impulsive.len() < own.impulsive.len() && theirs.impulsive.iter().all(is_less);
    let same = (own.verdict, &own.erased) == (theirs.verdict, &theirs.erased);
    let jumped: Vec<String> = graph.read_by_changed_guards(change).into_iter().map(|it| name_of(graph, it)).collect();
    (same && fewer && !satisfied.is_empty() && !jumped.is_empty()).then_some(Reason::Claimed(
        satisfied,
        jumped,
        Reading::default(),
    ))
}

/// Where `changes` names more variables that jump, and says the same of all else: it has no value for these.
fn also_named(own: &Opinion, theirs: &Opinion) -> Option<Reason> {
    let more: BTreeSet<String> = theirs.jumps.difference(&own.jumps).cloned().collect();
    let same = Opinion { jumps: own.jumps.clone(), ..theirs.clone() }.agrees_with(own, false);
    let is_more = own.jumps.is_subset(&theirs.jumps) && more.is_disjoint(&theirs.restarted);
    (same && is_more && !more.is_empty()).then_some(Reason::AlsoNamed(more))
}

fn name_of(graph: &Graph, unknown: Unknown) -> String {
    graph.system.unknowns[unknown].name.to_string()
}

/// Where `changes` erases more than a reading of the algorithm, and all of that holds in the mode before: what jumps there alone
/// keeps its value, and impulses have weight zero.
fn held_before(graph: &Graph, change: &Change, read: &[(Reading, Opinion)], theirs: &Opinion) -> Option<Reason> {
    let holds = |name: &String| {
        let mut bodies = graph.system.bodies.iter();
        bodies.any(|body| body.modes.has(change.before) && body.modes.has(change.after) && is_primed(name, &body.name))
    };
    read.iter().find_map(|(reading, own)| {
        let more: BTreeSet<String> = theirs.erased.difference(&own.erased).cloned().collect();
        let agrees = own.verdict == theirs.verdict
            && own.impulsive.iter().all(|(name, order)| theirs.impulsive.get(name) == Some(order))
            && own.erased.difference(&theirs.erased).all(holds)
            && own.jumps.iter().all(|it| theirs.jumps.contains(it) || theirs.impulsive.contains_key(it));
        (agrees && !more.is_empty() && more.iter().all(holds)).then_some(Reason::HeldBefore(*reading, more))
    })
}

/// Whether a name is that of an equation, or of a derivative of it.
fn is_primed(name: &str, equation: &str) -> bool {
    name.strip_prefix(equation).is_some_and(|primes| primes.chars().all(|it| it == '\''))
}

/// Graphs with more runs than this are not explored again without their laws.
const MOST_RUNS_WITHOUT_LAWS: usize = 512;

/// Where laws are the reason: constraints come before them there, or they read something that is open there.
fn of_laws(graph: &Graph, change: &Change, own: &Opinion, theirs: &Opinion) -> Option<Reason> {
    if own.verdict == Verdict::Determined && theirs.verdict == Verdict::Underdetermined {
        let laws = graph.system.bodies.iter().filter(|body| body.clause.is_some() && body.modes.has(change.after));
        let mut read = laws.flat_map(|law| &law.incidence).map(|entry| &*graph.system.unknowns[entry.unknown].name);
        return read.find(|name| !is_state(graph, name)).map(|name| Reason::ReadsOpen(name.to_string()));
    }
    if theirs.verdict != Verdict::Determined || graph.runs.len() > MOST_RUNS_WITHOUT_LAWS {
        return None;
    }
    let bare = Graph::new(graph.system.without_clauses());
    let change = bare.causal_change(change.before, change.after)?;
    let alone = Opinion::own(&bare, &change);
    (alone.verdict == theirs.verdict && alone.impulsive == theirs.impulsive).then_some(Reason::ConstraintsFirst)
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
            if reading.is_over_at_once {
                reasons.push("it takes the instant of a `reinit` to be over at once, and here its mode goes on");
            }
            reasons.join("; ")
        };
        match self {
            Reason::Reading(reading, false) => because(*reading),
            Reason::Reading(reading, true) => {
                format!("{}; of equivalent equations another one gives way", because(*reading))
            }
            Reason::Choice(reading) => {
                let choice = "a law for several states leaves open which of their equations gives way to it, and it names \
                              all that may jump";
                [because(*reading), choice.to_string()]
                    .into_iter()
                    .filter(|it| !it.is_empty())
                    .collect::<Vec<_>>()
                    .join("; ")
            }
            Reason::Past(satisfied) | Reason::Unseen(satisfied) | Reason::NoPast(satisfied) => {
                let names: Vec<String> = satisfied.iter().map(|&it| graph.system.equation_name(it)).collect();
                let verb = if names.len() == 1 { "holds" } else { "hold" };
                let says = format!("guards say that {} {verb} before the change", names.join(", "));
                match self {
                    Reason::NoPast(_) => format!("{says}, and the mode before contradicts that: no past has this change"),
                    _ => says,
                }
            }
            Reason::Claimed(satisfied, jumped, reading) => {
                let names: Vec<String> = satisfied.iter().map(|&it| graph.system.equation_name(it)).collect();
                let verb = if names.len() == 1 { "holds" } else { "hold" };
                let says = format!(
                    "it takes it that {} {verb} before the change; here {} may have jumped over the boundary of a guard",
                    names.join(", "),
                    jumped.join(", ")
                );
                [says, because(*reading)].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("; ")
            }
            Reason::AlsoNamed(more) => {
                let names = more.iter().cloned().collect::<Vec<_>>().join(", ");
                format!("it names {names} among what may jump, without a value, and here that is kept")
            }
            Reason::ConstraintsFirst => "it lets states jump to the constraints of the instant first, with impulses as without \
                                         the law, which then says what follows; in differences the law comes in the same \
                                         instant, and constraints give way to it"
                .into(),
            Reason::ReadsOpen(name) => format!("a law reads {name}, which is no state, and there that is open"),
            Reason::KnownBefore => {
                "the law speaks of a variable whose second derivative is written: in differences two values of \
                 it are known when an instant begins, and it cannot jump; with `der(x) = v` it can"
                    .into()
            }
            Reason::Nonlinear => "equations are not linear in what is infinite, for which it has other rules".into(),
            Reason::Cancelling => {
                "coefficients cancel: it restarts the derivatives that are left, RR8933 all that the model writes".into()
            }
            Reason::HeldBefore(reading, erased) => {
                let names = erased.iter().cloned().collect::<Vec<_>>().join(", ");
                let verb = if erased.len() == 1 { "holds" } else { "hold" };
                format!("{}; it does not see that {names} {verb} in the mode before", because(*reading))
            }
            Reason::Singular => "the mode is structurally singular".into(),
            Reason::Words => "equations of one block are equivalent, and another one gives way".into(),
            Reason::Unknown => "no reading of the algorithm is known in which the two agree".into(),
        }
    }

    /// What `changes` says instead, and why.
    pub(super) fn lines(
        &self,
        graph: &Graph,
        own: &Opinion,
        theirs: &Opinion,
        formulas: &[(String, String)],
    ) -> Vec<String> {
        if let Reason::Past(_) = self {
            let reason = self.words(graph);
            return vec![format!("{reason}, as `changes` knows; for another past there is what the runs have")];
        }
        if let Reason::Singular = self {
            return vec![format!("`changes` says nothing of this mode, because {}", self.words(graph))];
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
            if theirs.jumps != own.jumps {
                says += &format!(", jumps: {}", list(&theirs.jumps));
            }
        }
        let because = match self {
            Reason::Unseen(_) => format!("because it does not see that {}", self.words(graph)),
            _ => format!("because {}", self.words(graph)),
        };
        let mut lines = vec![says, because];
        lines.extend(formulas.iter().map(|(name, formula)| format!("there {name} = {formula}")));
        lines
    }
}
