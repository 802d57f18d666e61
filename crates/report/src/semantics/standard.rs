//! Standardisation (RR8933 §2.4, Fig. 4): what the modes and their changes mean in real numbers.
//!
//! In a mode shifts are derivatives again: an ODE, or a DAE with its constraints. At a change the blocks of its runs are the
//! reset equations; variables with impulses are not a number, and their weights are what the paper throws away. Formulas
//! are those of `changes`.

use modeshift_dae::Derivative;
use modeshift_mode_changes::{ChangeReport, Moment};
use modeshift_semantics::{Body, Change, ChangeEnd, DominantTerms, MicroStep, Offsets, Shifted};

use super::build::Wording;
use super::report::{ModeDynamics, ResetReport};
use crate::changes::ImpulseOrder;
use crate::json::ByName;

/// More changes than this are not listed, but counted.
const MOST_CHANGES: usize = 30;

impl Wording<'_> {
    /// The continuous dynamics of the modes that have one.
    pub(super) fn dynamics(&self) -> Vec<ModeDynamics> {
        let graph = self.graph;
        let starts = graph.starts.iter();
        let steady = starts.filter_map(|(&mode, &start)| Some((mode, graph.run_from(start, mode)?)));
        let dynamics = steady.filter_map(|(mode, run)| {
            let offsets = graph.offsets[mode].as_ref()?;
            Some(self.mode_dynamics(mode, offsets, &graph.runs[run].steps))
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
        let pairs = || {
            let all = starts.iter().flat_map(|&before| entered.iter().map(move |&after| (before, after)));
            all.filter(|(before, after)| before != after)
        };
        let listed = pairs().take(MOST_CHANGES);
        let listed = listed.filter_map(|(before, after)| Some(self.reset(&graph.causal_change(before, after)?)));
        (listed.collect(), pairs().count().checked_sub(MOST_CHANGES).filter(|&more| more > 0))
    }

    fn reset(&self, change: &Change) -> ResetReport {
        let system = &self.graph.system;
        let effects = self.graph.effects(change).unwrap_or_default();
        let name = |unknown| system.unknowns[unknown].name.to_string();
        let own: Vec<ImpulseOrder> = effects
            .impulsive
            .iter()
            .map(|(&unknown, order)| ImpulseOrder { variable: name(unknown), order: order.to_string() })
            .collect();
        let known = self.of_changes(change);
        let theirs = known.as_ref().map(|report| {
            let order = |(variable, order): &(String, String)| ImpulseOrder {
                variable: variable.clone(),
                order: order.clone(),
            };
            report.impulse_orders.iter().map(order).collect::<Vec<_>>()
        });
        let note =
            theirs.as_ref().filter(|theirs| **theirs != own && change.end == ChangeEnd::Continuous).map(|_| note(&own));
        let (formula, weight) = known.as_ref().map(formulas).unwrap_or_default();
        let DominantTerms { series, equations: dominant } =
            self.graph.dominant_terms(&self.analyzed.dae, change).unwrap_or_default();
        let steps_text =
            |steps: &[MicroStep]| steps.iter().filter_map(|step| system.step_text(step)).collect::<Vec<_>>().join("; ");
        ResetReport {
            from: system.mode_name(change.before),
            to: system.mode_name(change.after),
            instants: change.instants.iter().map(|trace| steps_text(&trace.steps)).collect(),
            end: match change.end {
                ChangeEnd::Continuous => "continuous",
                ChangeEnd::Transient => "transient",
                ChangeEnd::Failed(_) => "failed",
                ChangeEnd::Endless => "endless",
            },
            erased: change.erased().into_iter().map(|it| system.equation_name(it)).collect(),
            series,
            dominant,
            impulse_orders: theirs.unwrap_or(own),
            formula: ByName(formula),
            weight: ByName(weight),
            note,
        }
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

fn note(own: &[ImpulseOrder]) -> String {
    let orders: Vec<String> = own.iter().map(|it| format!("[{}] = {}", it.variable, it.order)).collect();
    match orders.is_empty() {
        true => "for a past that violates what is erased there is no impulse: `changes` says which values it keeps"
            .to_string(),
        false => format!(
            "for a past that violates all that is erased: {}; `changes` knows what of it the past satisfies",
            orders.join(", ")
        ),
    }
}
