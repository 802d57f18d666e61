//! Where stairs go whose arguments stand at an edge of a step: by the series of the argument, as relations at zero do.
//!
//! `floor(x)` of an `x` that is 2 and at rest is 2 at this instant; right after it, it is 1 if `x` is about to fall, by whichever
//! derivative. No crossing tells that later: over the time in which one can be seen the wrong step has acted. So when nothing happens any
//! more in an instant, arguments at edges are asked where they go, and those that leave their steps are put on the next ones, once
//! each: where the next step sends its argument back, neither agrees with itself, and it stays as it stood.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{IndexVec, VariableId};
use modeshift_mode_changes::{Noise, Residuals};
use modeshift_structure::one_mode::Row;

use crate::run::instant::Instant;
use crate::run::instant::restart::{MOST_DERIVATIVES, columns_of, jet_of};
use crate::run::phase::zero_crossings::Guard;
use crate::run::running_sizes::ROUNDING;
use crate::run::values::{Occasion, Side};

/// The stairs of an instant that were asked where they go, by number.
#[derive(Default)]
pub(super) struct StairEdges {
    /// The steps as they stood, and as their arguments say.
    found: BTreeMap<usize, [f64; 2]>,
    /// Those that are not asked again: no step agrees with itself, or a crossing has just been located.
    settled: BTreeSet<usize>,
}

impl StairEdges {
    /// Of an instant at which these stairs cross edges: their arguments are as near to them as crossings are located.
    pub fn after_crossings(crossed: &[(usize, bool)]) -> Self {
        StairEdges { found: BTreeMap::new(), settled: crossed.iter().map(|&(stair, _)| stair).collect() }
    }

    /// Notes a stair that leaves its step for another one; the step that it is on then, if that is news.
    fn note(&mut self, stair: usize, [step, next]: [f64; 2]) -> bool {
        if self.settled.contains(&stair) {
            return false;
        }
        match self.found.get_mut(&stair) {
            None => {
                self.found.insert(stair, [step, next]);
            }
            Some([stood, found]) => {
                *found = *stood;
                self.settled.insert(stair);
            }
        }
        true
    }
}

impl<'a> Instant<'_, 'a> {
    /// Asks arguments at edges of their steps where they go; whether any leaves the step that it was thought to be on.
    pub(super) fn leaves_edges(&mut self, side: &Side<'a>, edges: &mut StairEdges) -> bool {
        if self.prepared.discrete.stairs.is_empty() || side.sliding.is_some() {
            return false;
        }
        let arguments = self.memory.buffers.stair_arguments(self.prepared, side);
        let mut is_news = false;
        for (number, argument) in arguments.into_iter().enumerate() {
            let stair = self.prepared.discrete.stairs[number];
            let step = side.discrete[stair.variable];
            let (low, high) = stair.rounding.edges(step);
            let above = match (is_at(argument, low), is_at(argument, high)) {
                (false, false) => continue,
                (_, above) => above,
            };
            if self.prepared.is_scheduled(Guard::Edge(number, above), &side.discrete) {
                continue;
            }
            if self.direction(side, number, argument).is_some_and(|slope| (slope > 0.0) == above) {
                is_news |= edges.note(number, [step, stair.rounding.neighbour(step, above)]);
            }
        }
        is_news
    }

    /// Puts stairs that still stand at edges on the steps that were found.
    pub(super) fn keep_edges(&mut self, side: &Side<'a>, edges: &StairEdges, discrete: &mut IndexVec<VariableId, f64>) {
        if edges.found.is_empty() {
            return;
        }
        let arguments = self.memory.buffers.stair_arguments(self.prepared, side);
        for (&number, &[_, step]) in &edges.found {
            let stair = self.prepared.discrete.stairs[number];
            let (low, high) = stair.rounding.edges(step);
            if is_at(arguments[number], low) || is_at(arguments[number], high) {
                discrete[stair.variable] = step;
            }
        }
    }

    /// The first derivative of the argument of a stair that is more than noise.
    fn direction(&mut self, side: &Side<'a>, stair: usize, argument: f64) -> Option<f64> {
        let series = self.memory.stair_series(self.prepared, stair)?;
        let known = self.prepared.known(side, &side.discrete, Occasion::default(), &[]);
        let (structure, equations) = (&side.mode.structure, side.mode.equations.at(&known));
        let wanted = columns_of(structure, &series);
        let noise: Noise = self.memory.present_noise(self.prepared);
        let mut jet = jet_of(side);
        [1, MOST_DERIVATIVES].into_iter().find_map(|count| {
            jet.extend_towards(&wanted, count, structure, &equations).ok()?;
            let mut derivatives = series.at(structure, &known).residual(Row(0), &jet, count);
            derivatives[0] = 0.0;
            let first = noise.first_significant(&derivatives, argument.abs().max(1.0).max(noise.floor))?;
            Some(derivatives[first])
        })
    }
}

/// Whether an argument is at an edge, to rounding; steps are of length 1.
fn is_at(argument: f64, edge: f64) -> bool {
    (argument - edge).abs() <= ROUNDING * edge.abs().max(1.0)
}
