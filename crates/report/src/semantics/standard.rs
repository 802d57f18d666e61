//! Standardisation (RR8933 §2.4, Fig. 4): what the modes and their changes mean in real numbers.
//!
//! In a mode shifts are derivatives again: an ODE, or a DAE with its constraints. At a change the blocks of its runs are the
//! reset equations; variables with impulses are not a number, and their weights are what the paper throws away. Formulas
//! are those of `changes`, where it says the same of the change.

use std::collections::BTreeSet;

use modeshift_dae::{Derivative, ModeVariableId};
use modeshift_mode_changes::{ChangeReport, Moment};
use modeshift_semantics::{
    Body, Change, ChangeEnd, DominantTerms, MicroStep, Offsets, RightLimits, Shifted, Trace, Unknown,
};

use super::build::Wording;
use super::report::{ModeDynamics, ResetReport};
use super::second_opinion::{Opinion, Reason, difference, fires};
use crate::changes::ImpulseOrder;
use crate::json::ByName;

/// More changes than this are not listed, but counted.
const MOST_CHANGES: usize = 30;

impl Wording<'_> {
    /// The continuous dynamics of the modes that have one.
    pub(super) fn dynamics(&self) -> Vec<ModeDynamics> {
        let graph = self.graph;
        let starts = graph.starts.iter();
        let dynamics = starts.filter_map(|(&mode, &start)| {
            let offsets = graph.offsets[mode].as_ref()?;
            let steps = match graph.run_from(start, mode) {
                Some(run) => graph.runs[run].steps.clone(),
                None => graph.causal_change(mode, mode)?.instants.first()?.steps.clone(),
            };
            Some(self.mode_dynamics(mode, offsets, &steps))
        });
        dynamics.collect()
    }

    fn mode_dynamics(&self, mode: usize, offsets: &Offsets, steps: &[MicroStep]) -> ModeDynamics {
        let system = &self.graph.system;
        let derivative =
            |it: &Shifted<Body>| Derivative::new((), it.shift).named(&system.bodies[it.of].name).to_string();
        let block = |step: &MicroStep| match step {
            MicroStep::Block(block) => Some(block.equations.iter().map(derivative).collect::<Vec<_>>().join("+")),
            _ => None,
        };
        let constraints: Vec<String> = offsets.hidden().map(|it| derivative(&it)).collect();
        let (equations, unknowns) = offsets.start_size();
        ModeDynamics {
            when: system.mode_name(mode),
            kind: if constraints.is_empty() { "ODE" } else { "DAE" },
            blocks: steps.iter().filter_map(block).collect(),
            constraints,
            equations,
            unknowns,
        }
    }

    /// The first changes between modes, and how many more there are.
    pub(super) fn resets(&self) -> (Vec<ResetReport>, Option<usize>) {
        let graph = self.graph;
        let starts: Vec<usize> = graph.starts.keys().copied().collect();
        let is_entered = |&mode: &usize| graph.starts.contains_key(&mode) || graph.system.is_transient(mode);
        let entered: Vec<usize> = (0..graph.system.modes.len()).filter(is_entered).collect();
        let is_wanted = |mode: usize, values: &[(ModeVariableId, bool)]| {
            values.iter().all(|&(guard, value)| graph.system.modes[mode].get(guard) == value)
        };
        let pairs = || {
            let all = starts.iter().flat_map(|&before| entered.iter().map(move |&after| (before, after)));
            all.filter(|(before, after)| before != after && is_wanted(*before, self.from) && is_wanted(*after, self.to))
        };
        let listed = pairs().take(MOST_CHANGES);
        let listed = listed.filter_map(|(before, after)| Some(self.reset(&graph.causal_change(before, after)?)));
        (listed.collect(), pairs().count().checked_sub(MOST_CHANGES).filter(|&more| more > 0))
    }

    fn reset(&self, change: &Change) -> ResetReport {
        let (graph, system) = (self.graph, &self.graph.system);
        let report = self.of_changes(change);
        let theirs = Opinion::of_changes(graph, report.as_ref());
        let reason = self.changes.and_then(|_| difference(graph, change, &Opinion::own(graph, change), &theirs));
        let change = &match &reason {
            Some(Reason::Past(satisfied) | Reason::Unseen(satisfied)) => {
                Change { satisfied: satisfied.clone(), ..change.clone() }
            }
            _ => change.clone(),
        };
        let own = Opinion::own(graph, change);
        let effects = graph.effects(change).unwrap_or_default();
        let name = |unknown| system.unknowns[unknown].name.to_string();
        let is_determined = matches!(change.end, ChangeEnd::Continuous | ChangeEnd::Transient);
        let (mut formula, mut weight) = report.as_ref().map(formulas).unwrap_or_default();
        // Closed forms are linear in what is infinite: where the model is not, they say nothing.
        let is_linear = |(variable, _): &(String, String)| !effects.nonlinear.iter().any(|&it| name(it) == *variable);
        formula.retain(is_linear);
        weight.retain(is_linear);
        let mut left_out = self.without_a_past(change, &mut formula);
        left_out.extend(self.without_a_past(change, &mut weight));
        let mut differs = match reason {
            // These differ in other variables than those that have closed forms here.
            Some(reason @ (Reason::Past(_) | Reason::Nonlinear | Reason::Cancelling)) => {
                reason.lines(graph, &own, &theirs, &[])
            }
            Some(reason) => {
                let weights = weight.drain(..).map(|(name, text)| (format!("the weight of {name}"), text));
                reason.lines(graph, &own, &theirs, &formula.drain(..).chain(weights).collect::<Vec<_>>())
            }
            None => Vec::new(),
        };
        differs.extend(left_out.into_iter().filter(|_| is_determined));
        differs.extend(self.choice_of_laws(change));
        if !is_determined {
            formula.clear();
            weight.clear();
        }
        let impulsive = own.impulsive;
        let class = match (&change.end, change.instants.len()) {
            (ChangeEnd::Failed(_), _) => "failed",
            (ChangeEnd::Endless, _) => "endless",
            (ChangeEnd::Continuous, 1) if effects.jumps.is_empty() => "continuous",
            _ if impulsive.is_empty() && effects.unclear.is_empty() => "discrete",
            _ => "impulsive",
        };
        let order = |(variable, order): (String, String)| ImpulseOrder { variable, order };
        let terms = graph.dominant_terms(&self.analyzed.dae, change).filter(|_| class == "impulsive");
        let DominantTerms { series, equations: dominant, weights } = terms.unwrap_or_default();
        let moments: Vec<(String, String)> = weights.into_iter().map(|(it, text)| (name(it), text)).collect();
        let steps_text =
            |steps: &[MicroStep]| steps.iter().filter_map(|step| system.step_text(step)).collect::<Vec<_>>().join("; ");
        let numbers = graph.run_numbers(change);
        let (cascades, more_cascades) = graph.cascades(change);
        let instant_text =
            |run: Option<usize>, trace: &Trace| steps_text(run.map_or(&trace.steps, |run| &graph.runs[run].steps));
        let limits = graph.right_limits(change).unwrap_or_default();
        let finite = limits.iter().flat_map(|it| &it.states).filter(|it| it.shift == 0);
        let finite = finite.filter(|it| effects.impulsive.contains_key(&it.of));
        ResetReport {
            from: system.mode_name(change.before),
            to: system.mode_name(change.after),
            class,
            instants: numbers.iter().zip(&change.instants).map(|(run, trace)| instant_text(*run, trace)).collect(),
            runs: numbers.iter().map(|run| run.map(|run| run + 1)).collect(),
            end: match change.end {
                ChangeEnd::Continuous => "continuous",
                ChangeEnd::Transient => "transient",
                ChangeEnd::Failed(_) => "failed",
                ChangeEnd::Endless => "endless",
            },
            erased: change.erased().into_iter().map(|it| system.equation_name(it)).collect(),
            erased_later: self.erased_later(change),
            series,
            dominant,
            cascade_texts: cascades.iter().map(|path| self.cascade_text(path)).collect(),
            cascades: cascades.into_iter().map(|path| path.into_iter().map(|run| run + 1).collect()).collect(),
            more_cascades,
            failure: if let ChangeEnd::Failed(failure) = &change.end { Some(self.failure(failure)) } else { None },
            impulse_orders: impulsive.into_iter().map(order).collect(),
            unclear: ByName(effects.unclear.iter().map(|(&it, why)| (name(it), system.unclear_text(why))).collect()),
            finite: finite.map(|it| name(it.of)).collect(),
            infinite: graph.stay_infinite(change).into_iter().map(name).collect(),
            restart: limits.iter().map(|it| self.right_limits(it)).collect(),
            formula: ByName(formula),
            weight: ByName(weight),
            moments: ByName(moments.into_iter().filter(is_linear).collect()),
            warnings: report.filter(|_| is_determined).map(|report| report.warnings).unwrap_or_default(),
            differs,
        }
    }

    /// `not c12, c23 -> not c12, not c23: runs 9, 5, 1`
    fn cascade_text(&self, path: &[usize]) -> String {
        let mut modes: Vec<usize> = path.iter().map(|&run| self.graph.runs[run].mode).collect();
        modes.dedup();
        let modes: Vec<String> = modes.into_iter().map(|mode| self.graph.system.mode_name(mode)).collect();
        let runs: Vec<String> = path.iter().map(|run| (run + 1).to_string()).collect();
        let word = if runs.len() == 1 { "run" } else { "runs" };
        format!("{}: {word} {}", modes.join(" -> "), runs.join(", "))
    }

    /// What instants behind the first one erase.
    fn erased_later(&self, change: &Change) -> Vec<String> {
        let later = change.erased_by_instant().into_iter().enumerate().skip(1);
        let line = |(instant, erased): (usize, BTreeSet<Shifted<Body>>)| {
            let names: Vec<String> = erased.iter().map(|&it| self.graph.system.equation_name(it)).collect();
            (!names.is_empty()).then(|| format!("instant {}: {}", instant + 1, names.join(", ")))
        };
        later.filter_map(line).collect()
    }

    /// A line where it is a choice which equation gives way to laws, and values depend on it.
    fn choice_of_laws(&self, change: &Change) -> Option<String> {
        let system = &self.graph.system;
        let choice = self.graph.choice_of_laws(change).filter(|_| fires(change))?;
        let equations: Vec<String> = choice.equations.iter().map(|&it| system.equation_name(it)).collect();
        let variables: Vec<&str> = choice.variables.iter().map(|&it| &*system.unknowns[it].name).collect();
        let (equations, variables) = (equations.join(", "), variables.join(", "));
        Some(format!(
            "too much is said about this instant: which of {equations} gives way to the laws is a choice, and it decides about \
             {variables}"
        ))
    }

    /// Takes away closed forms with left limits that no instant of a change knows: what was no state before is computed in
    /// the instant, and is not what it was. Lines that say so.
    fn without_a_past(&self, change: &Change, forms: &mut Formulas) -> Vec<String> {
        let mut lines = Vec::new();
        forms.retain(|(name, text)| match self.unknown_past(change, text) {
            Some(past) => {
                lines.push(format!("the closed form of {name} in `changes` reads {past}, which no instant knows"));
                false
            }
            None => true,
        });
        lines
    }

    /// `pre(x)`, `pre(der(x))` in a closed form, where that is not known when the change begins.
    fn unknown_past(&self, change: &Change, text: &str) -> Option<String> {
        let unknowns = self.graph.system.unknowns.iter_enumerated();
        let mut pasts = unknowns.flat_map(|(id, unknown)| {
            (0..=self.graph.bound).map(move |order| {
                let derivative = (0..order).fold(unknown.name.to_string(), |inner, _| format!("der({inner})"));
                (Shifted::new(id, order), format!("pre({derivative})"))
            })
        });
        let found = pasts.find(|(variable, past)| text.contains(past) && !change.start.known.contains(variable));
        found.map(|(_, past)| past)
    }

    /// `x1, x2 from k1•+k2•+c•2 in instant 1`
    fn right_limits(&self, limits: &RightLimits) -> String {
        let system = &self.graph.system;
        let name =
            |it: &Shifted<Unknown>| Derivative::new((), it.shift).named(&system.unknowns[it.of].name).to_string();
        let states: Vec<String> = limits.states.iter().map(name).collect();
        let equations: Vec<String> = limits.equations.iter().map(|&it| system.equation_name(it)).collect();
        format!("{} from {} in instant {}", states.join(", "), equations.join("+"), limits.instant)
    }

    /// What `changes` says of a change.
    fn of_changes(&self, change: &Change) -> Option<ChangeReport> {
        let changes = self.changes?;
        let system = &self.graph.system;
        let values = |mode: usize, moment: Moment| {
            system.modes[mode].iter().map(move |(id, value)| (moment.of_mode(id), value)).collect::<Vec<_>>()
        };
        let pair = [values(change.before, Moment::Before), values(change.after, Moment::After)].concat();
        let pair = changes.pairs.space.valuation(&pair);
        let reports = changes.reports(&self.analyzed.dae, pair, 1, false).ok()??;
        reports.into_iter().next()
    }
}

type Formulas = Vec<(String, String)>;

/// Values after the change, and weights of impulses.
fn formulas(report: &ChangeReport) -> (Formulas, Formulas) {
    let is_impulsive = |name: &String| report.impulse_orders.iter().any(|(impulsive, _)| impulsive == name);
    let all = report.restart.iter().flat_map(|level| level.formula.iter().cloned());
    all.partition(|(name, _)| !is_impulsive(name))
}
