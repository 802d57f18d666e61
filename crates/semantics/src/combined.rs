//! Equations that stand in the place of others, because coefficients cancel.
//!
//! Where the leading derivatives of `r`, `e` and `k'` cancel in `r + e - k'`, that combination stands in the place of `r` in
//! the modes of all three. RR8933 sees structure alone and knows nothing of it, so two things have to be said.
//!
//! - *What is asked for.* `k'` is `(k• - k)/∂`: the combination says what `r` does only where `k•` is solved as well. So `k•` is
//!   relevant with it, and Definition 4 asks for the variables that the model writes, whichever equation was replaced.
//! - *What it is founded on.* Where `k` gives way the past violates it, `k'` is infinite, and the combination says nothing of
//!   `r`. Where the combination itself gives way its violation is finite, `r` or `e` is violated for one instant, and nothing
//!   that is left of it depends on which; but not where something in it is infinite. Such runs are [`Unfounded`].

use modeshift_dae::EquationId;

use crate::domain::{Body, Shifted, Unknown};
use crate::graph::Graph;
use crate::micro_step::MicroStep;
use crate::system::DifferenceSystem;
use crate::values::{AllEffects, RunEffects};

/// A combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CombinedEquation {
    /// The equation that was replaced.
    pub replaced: EquationId,
    /// What stands in its place.
    pub by: EquationId,
    /// The equations that are differentiated in it, with how often.
    pub differentiated: Vec<(EquationId, u32)>,
}

/// A run in which a combination says nothing of what it replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfounded {
    /// The valuation of the guards.
    pub mode: usize,
    /// The equation that was replaced.
    pub replaced: EquationId,
    /// What stands in its place.
    pub by: EquationId,
    /// The equation that gives way.
    pub erased: Shifted<Body>,
}

impl DifferenceSystem {
    /// The same with what is known of combinations among its equations.
    #[must_use]
    pub fn with_combinations(self, combinations: Vec<CombinedEquation>) -> DifferenceSystem {
        DifferenceSystem { combinations, ..self }
    }

    /// What an equation is in a mode: its body, or that of what stands in its place.
    fn body_in(&self, equation: EquationId, mode: usize) -> Option<Body> {
        let mut equation = equation;
        // A combination is younger than what it replaces, so this ends.
        loop {
            let own = self.equations_in(mode).find(|&body| self.bodies[body].equation == Some(equation));
            if own.is_some() {
                return own;
            }
            let places = self.combinations.iter().filter(|it| it.replaced == equation);
            let holds = |by: EquationId| self.equations_in(mode).any(|body| self.bodies[body].equation == Some(by));
            equation = places.map(|it| it.by).find(|&by| holds(by))?;
        }
    }

    /// Whether combinations hold in a mode.
    pub fn combines_in(&self, mode: usize) -> bool {
        self.combinations_in(mode).next().is_some()
    }

    /// The combinations that hold in a mode, each with its body.
    fn combinations_in(&self, mode: usize) -> impl Iterator<Item = (&CombinedEquation, Body)> {
        let combined = self.combinations.iter();
        combined.filter_map(move |it| {
            let body = self.equations_in(mode).find(|&body| self.bodies[body].equation == Some(it.by))?;
            Some((it, body))
        })
    }

    /// The equations that are differentiated in combinations of a mode, with how often.
    pub(crate) fn differentiated_in(&self, mode: usize) -> Vec<(Body, u32)> {
        let all = self.combinations_in(mode).flat_map(|(it, _)| &it.differentiated);
        all.filter_map(|&(equation, order)| Some((self.body_in(equation, mode)?, order))).collect()
    }
}

impl Graph {
    /// A run, or an instant of a change, in which a combination says nothing of what it replaces.
    pub fn unfounded(&self) -> Option<Unfounded> {
        if self.system.combinations.is_empty() {
            return None;
        }
        let AllEffects { of_runs, pasts_left_out } = self.run_effects();
        let of_runs = self.runs.iter().zip(&of_runs).find_map(|(run, effects)| {
            let may_be = |it: &RunEffects, unknown| it.impulsive.contains_key(&unknown) || pasts_left_out > 0;
            let is_infinite = |unknown| effects.as_ref().is_some_and(|it| may_be(it, unknown));
            self.unfounded_in(run.mode, &run.steps, &is_infinite)
        });
        of_runs.or_else(|| self.unfounded_change())
    }

    /// The same among the changes between modes with starts, whose choices are made by causality.
    fn unfounded_change(&self) -> Option<Unfounded> {
        let pairs = self.starts.keys().flat_map(|&before| self.starts.keys().map(move |&after| (before, after)));
        let mut changes = pairs.filter_map(|(before, after)| self.causal_change(before, after));
        changes.find_map(|change| {
            let effects = self.effects(&change).unwrap_or_default();
            let is_infinite = |unknown| effects.impulsive.contains_key(&unknown);
            change.instants.iter().find_map(|trace| self.unfounded_in(trace.mode, &trace.steps, &is_infinite))
        })
    }

    fn unfounded_in(
        &self,
        mode: usize,
        steps: &[MicroStep],
        is_infinite: &dyn Fn(Unknown) -> bool,
    ) -> Option<Unfounded> {
        // Runs of singular modes are explored to say why they are refused, and are refused for that.
        self.offsets[mode].as_ref()?;
        let erased = || {
            steps.iter().filter_map(|step| match step {
                MicroStep::Shift(step) => Some(step.equation),
                MicroStep::Erase(step) => Some(step.equation),
                _ => None,
            })
        };
        self.system.combinations_in(mode).find_map(|(combination, body)| {
            let members = combination.differentiated.iter();
            let members: Vec<(Body, u32)> =
                members.filter_map(|&(it, order)| Some((self.system.body_in(it, mode)?, order))).collect();
            let is_member = |it: &Shifted<Body>| members.iter().any(|&(of, order)| it.of == of && it.shift <= order);
            let reads_infinite = || self.system.bodies[body].incidence.iter().any(|entry| is_infinite(entry.unknown));
            let is_itself = |it: &Shifted<Body>| *it == Shifted::new(body, 0) && reads_infinite();
            let erased = erased().find(|it| is_member(it) || is_itself(it))?;
            Some(Unfounded { mode, replaced: combination.replaced, by: combination.by, erased })
        })
    }
}
