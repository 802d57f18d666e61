//! A mode change in the eyes of `changes`, in the words in which the two are compared.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{Mode, MultimodeDae};
use modeshift_mode_changes::{AllChanges, ChangeReport, Moment, Verdict};
use modeshift_semantics::{Body, Change, ChangeEnd, Failure, Graph, MicroStep, Reading, Shifted, Unknown};
use modeshift_structure::{Analysis, Options, analyze};

use super::numbers::{Numbers, of_course, of_restart};

/// Equations, each with how often it is shifted or differentiated.
pub type Erased = BTreeSet<(String, u32)>;

/// What is compared of a change.
#[derive(Clone, Debug, Default)]
pub struct Opinion {
    /// Whether all values follow.
    pub is_determined: bool,
    /// Erased equations of the new mode, by instant.
    pub erased: Vec<Erased>,
    /// Variables with impulses, with their orders.
    pub impulsive: BTreeMap<String, String>,
    /// The equations of restarts.
    pub restart: BTreeSet<String>,
    /// Their variables.
    pub restarted: BTreeSet<String>,
    /// What they lead to, for generic coefficients.
    pub numbers: Option<Numbers>,
}

impl Opinion {
    /// Whether all values follow alike: the verdict, impulses and their orders, right limits and weights.
    pub fn has_same_values(&self, other: &Opinion) -> bool {
        let same_numbers = match (&self.numbers, &other.numbers) {
            (Some(one), Some(other)) => one.agree_with(other),
            (None, None) => true,
            _ => false,
        };
        self.is_determined == other.is_determined && self.impulsive == other.impulsive && same_numbers
    }

    /// Whether also the words are the same: what is erased in each instant, and the equations of restarts.
    pub fn agrees_with(&self, other: &Opinion) -> bool {
        let words = |it: &Opinion| (it.erased.clone(), it.restart.clone(), it.restarted.clone());
        self.has_same_values(other) && (!self.is_determined || words(self) == words(other))
    }
}

/// All kinds of changes of a model, asked for single changes.
pub struct Changes<'a> {
    pub graph: &'a Graph,
    dae: &'a MultimodeDae,
    analysis: &'a Analysis,
    changes: AllChanges<'a>,
}

/// Opens the second opinion on a model.
pub fn with_changes<R>(dae: &MultimodeDae, graph: &Graph, ask: impl FnOnce(&Changes<'_>) -> R) -> R {
    let analysis = analyze(dae, &Options::default()).expect("no limit");
    let changes = AllChanges::new(dae, &analysis, &Options::default()).expect("no limit");
    ask(&Changes { graph, dae, analysis: &analysis, changes })
}

impl Changes<'_> {
    /// What `changes` reports of a change; nothing where nothing happens.
    pub fn report(&self, before: &Mode, after: &Mode) -> Option<ChangeReport> {
        let values = |mode: &Mode, moment: Moment| -> Vec<_> {
            mode.iter().map(|(id, value)| (moment.of_mode(id), value)).collect()
        };
        let pair = [values(before, Moment::Before), values(after, Moment::After)].concat();
        let pair = self.changes.pairs.space.valuation(&pair);
        let reports = self.changes.reports(self.dae, pair, usize::MAX, false).expect("no limit").expect("one kind");
        reports.into_iter().next()
    }

    /// The opinion of `changes`.
    pub fn opinion(&self, change: &Change) -> Opinion {
        let modes = &self.graph.system.modes;
        let report = self.report(&modes[change.before], &modes[change.after]);
        let mut opinion =
            report.as_ref().map_or_else(|| Opinion { is_determined: true, ..Opinion::default() }, of_report);
        if opinion.is_determined {
            opinion.numbers = of_restart(self.dae, self.analysis, self.graph, change);
        }
        opinion
    }
}

fn of_report(report: &ChangeReport) -> Opinion {
    let plain = |name: &String| name.trim_end_matches('\'').to_string();
    let counted = |name: &String| (plain(name), name.matches('\'').count() as u32);
    Opinion {
        is_determined: report.verdict == Verdict::Determined,
        erased: in_later_instants(report.erased.iter().map(counted).collect()),
        impulsive: report.impulse_orders.iter().cloned().collect(),
        restart: report.restart.iter().flat_map(|level| &level.equations).map(plain).collect(),
        restarted: report.restart.iter().flat_map(|level| &level.solves).map(plain).collect(),
        numbers: None,
    }
}

/// E22 (50) and (51): what is erased in an instant and has a shift is erased without it in the next one.
fn in_later_instants(first: Erased) -> Vec<Erased> {
    let earlier = |erased: &Erased| -> Erased {
        erased.iter().filter_map(|(name, shift)| Some((name.clone(), shift.checked_sub(1)?))).collect()
    };
    let mut instants = Vec::new();
    let mut erased = first;
    while !erased.is_empty() {
        let next = earlier(&erased);
        instants.push(std::mem::replace(&mut erased, next));
    }
    instants
}

/// What the constructive semantics says.
pub fn of_semantics(graph: &Graph, change: &Change) -> Opinion {
    let system = &graph.system;
    let effects = graph.effects(change).unwrap_or_default();
    let name = |unknown: &Unknown| system.unknowns[*unknown].name.to_string();
    let named = |it: &Shifted<Body>| (system.bodies[it.of].name.to_string(), it.shift);
    let mut erased: Vec<Erased> =
        change.erased_by_instant().iter().map(|erased| erased.iter().map(named).collect()).collect();
    while erased.pop_if(|last| last.is_empty()).is_some() {}
    let is_determined = matches!(change.end, ChangeEnd::Continuous);
    Opinion {
        is_determined,
        erased,
        impulsive: effects.impulsive.iter().map(|(unknown, order)| (name(unknown), order.to_string())).collect(),
        restart: effects.restart.iter().map(|&body| system.bodies[body].name.to_string()).collect(),
        restarted: effects.restarted.iter().map(name).collect(),
        numbers: if is_determined { of_course(graph, change) } else { None },
    }
}

/// Why two opinions differ: the rows of the table in the documentation of the crate. Each is a reading under which the two
/// agree in all that is compared, or in all values, so none of them can hide a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// The reading.
    pub reading: Reading,
    /// Whether other equations are erased, or named for restarts, with the same values after the change.
    pub other_words: bool,
}

/// The reason for a difference, if it is a known one: of those that hold the first.
pub fn reason(graph: &Graph, change: &Change, theirs: &Opinion) -> Option<Reason> {
    let readings = [(false, false), (true, false), (false, true), (true, true)];
    let read = readings.map(|(remembers, latent_first)| {
        let reading = Reading { remembers, latent_first, ..Reading::default() };
        let other = graph.change_read_as(change.before, change.after, reading);
        (reading, other.map(|other| of_semantics(graph, &other)))
    });
    let same = |other_words: bool| {
        let agrees = |it: &Opinion| if other_words { it.has_same_values(theirs) } else { it.agrees_with(theirs) };
        let mut found = read.iter().filter(|(_, other)| other.as_ref().is_some_and(agrees));
        found.next().map(|&(reading, _)| Reason { reading, other_words })
    };
    same(false).or_else(|| same(true))
}

/// The variables whose derivatives are written.
fn states(graph: &Graph) -> BTreeSet<String> {
    let entries = graph.system.bodies.iter().filter(|body| body.clause.is_none()).flat_map(|body| &body.incidence);
    let states = entries.filter(|entry| entry.highest > 0);
    states.map(|entry| graph.system.unknowns[entry.unknown].name.to_string()).collect()
}

/// What is compared of a change in which a `when` fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiringOpinion {
    /// `determined`, `underdetermined` or `rejected`.
    pub verdict: &'static str,
    /// Where it is determined: the constraints of the new mode that are erased. An equation for the derivative of a state
    /// that a law sets gives way to the law, and is none.
    pub erased: Erased,
    /// Where it is determined: variables with impulses, with their orders.
    pub impulsive: BTreeMap<String, String>,
    /// Where it is determined: the states that jump.
    pub jumps: BTreeSet<String>,
}

impl FiringOpinion {
    fn rejected(verdict: &'static str) -> Self {
        FiringOpinion { verdict, erased: Erased::new(), impulsive: BTreeMap::new(), jumps: BTreeSet::new() }
    }

    /// What the constructive semantics says; nothing for a change in which nothing fires.
    pub fn of_semantics(graph: &Graph, change: &Change) -> Option<Self> {
        let mut steps = change.instants.iter().flat_map(|trace| &trace.steps);
        steps.find(|step| matches!(step, MicroStep::Fire(fire) if !fire.clauses.is_empty()))?;
        let verdict = match &change.end {
            ChangeEnd::Continuous | ChangeEnd::Transient => "determined",
            ChangeEnd::Failed(Failure::Underdetermined(_)) => "underdetermined",
            ChangeEnd::Failed(_) | ChangeEnd::Endless => "rejected",
        };
        let offsets = graph.offsets[change.after].as_ref()?;
        let is_constraint = |it: &Shifted<Body>| offsets.hidden().any(|hidden| hidden == *it);
        let named = |it: Shifted<Body>| (graph.system.bodies[it.of].name.to_string(), it.shift);
        if verdict != "determined" {
            return Some(FiringOpinion::rejected(verdict));
        }
        let effects = graph.effects(change)?;
        let name = |unknown: &Unknown| graph.system.unknowns[*unknown].name.to_string();
        let states = states(graph);
        Some(FiringOpinion {
            verdict,
            erased: change.erased().into_iter().filter(is_constraint).map(named).collect(),
            impulsive: effects.impulsive.iter().map(|(unknown, order)| (name(unknown), order.to_string())).collect(),
            jumps: effects.jumps.iter().map(name).filter(|name| states.contains(name)).collect(),
        })
    }

    /// What `changes` says.
    pub fn of_changes(changes: &Changes<'_>, change: &Change) -> Self {
        let modes = &changes.graph.system.modes;
        let report = changes.report(&modes[change.before], &modes[change.after]);
        let Some(report) = report else { return FiringOpinion::rejected("determined") };
        if report.verdict != Verdict::Determined {
            return FiringOpinion::rejected(report.verdict.word());
        }
        let states = states(changes.graph);
        FiringOpinion {
            verdict: report.verdict.word(),
            erased: of_report(&report).erased.into_iter().next().unwrap_or_default(),
            impulsive: report.impulse_orders.iter().cloned().collect(),
            jumps: report.discontinuous.iter().filter(|name| states.contains(*name)).cloned().collect(),
        }
    }

    /// The reading in which the constructive semantics says this, and whether only the choices of line 5 together do: a law
    /// for several states leaves open which of their equations gives way to it, and `changes` names all that may jump.
    pub fn reading(&self, graph: &Graph, change: &Change) -> Option<(Reading, bool)> {
        let readings = [(false, false), (false, true), (true, false), (true, true)]
            .map(|(remembers, shifts_in_instants)| Reading { remembers, shifts_in_instants, ..Reading::default() });
        let says_this = |reading: &Reading| {
            let other = graph.change_read_as(change.before, change.after, *reading);
            other.and_then(|other| FiringOpinion::of_semantics(graph, &other)).as_ref() == Some(self)
        };
        let one = readings.iter().find(|reading| says_this(reading)).map(|&reading| (reading, false));
        one.or_else(|| readings.iter().find(|it| self.is_of_all_choices(graph, change, **it)).map(|&it| (it, true)))
    }

    /// Whether this is what the change does without its laws: states jump to the constraints of the instant first, and laws
    /// say what follows.
    pub fn comes_before_laws(&self, graph: &Graph, change: &Change) -> bool {
        let bare = Graph::new(graph.system.without_clauses());
        let Some(change) = bare.causal_change(change.before, change.after) else { return false };
        let Some(effects) = bare.effects(&change).filter(|_| self.verdict == "determined") else { return false };
        let name = |unknown: &Unknown| bare.system.unknowns[*unknown].name.to_string();
        let impulsive: BTreeMap<String, String> =
            effects.impulsive.iter().map(|(unknown, order)| (name(unknown), order.to_string())).collect();
        change.end == ChangeEnd::Continuous && impulsive == self.impulsive
    }

    /// Whether all choices have the same verdict, erased equations and impulses as this, and these jumps together.
    fn is_of_all_choices(&self, graph: &Graph, change: &Change, reading: Reading) -> bool {
        let changes = graph.changes_by_choice(change.before, change.after, reading);
        let opinions: Option<Vec<FiringOpinion>> =
            changes.iter().map(|change| FiringOpinion::of_semantics(graph, change)).collect();
        let Some(opinions) = opinions.filter(|it| !it.is_empty()) else { return false };
        let jumps: BTreeSet<String> = opinions.iter().flat_map(|it| it.jumps.clone()).collect();
        let rest = |it: &FiringOpinion| (it.verdict, it.erased.clone(), it.impulsive.clone());
        jumps == self.jumps && opinions.iter().all(|it| rest(it) == rest(self))
    }
}
