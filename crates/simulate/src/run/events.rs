//! What happens at the events of a run: instants, told to the observer; limits of events that accumulate; and why the
//! run ends there, if it does.

use modeshift_dae::{ExpressionId, RelationId, VariableId, WhenActionKind};

use crate::results::CostPart;
use crate::run::failure::NoBeginning;
use crate::run::instant::event_iteration::{Fired, Outcome};
use crate::run::instant::instant;
use crate::run::phase::schedule::{due_samples, soonest_after};
use crate::run::values::{Occasion, Side};
use crate::run::zeno::detection::{Accumulation, Limit};
use crate::run::zeno::limit::{AtLimit, at_limit};
use crate::run::zeno::passage::{Passage, passage};
use crate::run::{Machinery, Run, RunEnd, failure, start};

/// What comes of an event.
pub(super) enum Passed<'a> {
    /// Nothing continuous has changed: the integration goes on.
    Same(Side<'a>),
    /// From here the integration begins anew.
    Other(Side<'a>),
    /// The run ends at this time.
    End(RunEnd, f64),
}

impl<'a> Run<'_, 'a> {
    /// The samplings that are due.
    pub(super) fn due_samples(&mut self, time: f64) -> Vec<ExpressionId> {
        due_samples(&mut self.machinery.memory.samplings, time)
    }

    /// The atoms among some that decide something: whether an assertion changes its side as well says nothing about how
    /// events follow each other.
    fn deciding(&self, atoms: &[RelationId]) -> Vec<RelationId> {
        let part = &self.machinery.prepared.discrete;
        atoms.iter().copied().filter(|&atom| part.decides(atom)).collect()
    }

    /// Passes an event that a phase came to.
    pub(super) fn pass(&mut self, left: &Side<'a>, fired: Fired) -> Passed<'a> {
        let deciding = Fired { atoms: self.deciding(&fired.atoms), is_doubtful: fired.is_doubtful, ..Fired::default() };
        if let Some(accumulation) = self.recent.add(left.time, &deciding)
            && let Some(passed) = self.accumulated(left, &fired, &accumulation)
        {
            return passed;
        }
        self.machinery.visited.meter.begin(left.time);
        let fired = Fired { samples: self.due_samples(left.time), ..fired };
        self.instant(left, &fired, Occasion::default())
    }

    /// Passes the instant at which inputs get other values.
    pub(super) fn given(&mut self, left: &Side<'a>, inputs: Vec<(VariableId, f64)>) -> Passed<'a> {
        self.machinery.visited.meter.begin(left.time);
        self.instant(left, &Fired { inputs, ..Fired::default() }, Occasion::default())
    }

    /// One instant.
    pub(super) fn instant(&mut self, left: &Side<'a>, fired: &Fired, occasion: Occasion) -> Passed<'a> {
        let is_learned = self.repeated.wants_trace(&mut self.machinery, left, fired, occasion);
        let Machinery { prepared, visited, memory } = &mut self.machinery;
        match instant(prepared, visited, memory, left, fired, occasion) {
            Ok(mut outcome) => {
                let jumps = self.jumps_of_start(left, occasion, &outcome);
                if !jumps.is_empty() && !self.start_stands {
                    let reason = NoBeginning::Jump(jumps);
                    failure::explain_no_mode(&self.machinery, &reason, left.time, self.diagnostics);
                    return Passed::End(RunEnd::Failed, left.time);
                }
                let later = match jumps.is_empty() {
                    true => None,
                    false => Some(self.right_after(left, &mut outcome)),
                };
                let left = later.as_ref().unwrap_or(left);
                if let Some(passed) = self.falls_through(left, fired, &outcome) {
                    return passed;
                }
                if is_learned {
                    self.repeated.learn(&mut self.machinery, left, fired, &outcome, &self.output);
                }
                if self.conductor.wants_instants() {
                    self.conductor.passed(&self.machinery.memory, left, (fired, occasion), &outcome);
                }
                self.told(left, fired, outcome)
            }
            Err(reason) => {
                self.output.row(left);
                failure::explain_instant(&self.machinery, left, fired, &reason, self.diagnostics);
                Passed::End(RunEnd::Failed, left.time)
            }
        }
    }

    /// Fixed start values of states that the first instant would change, unless they are left limits, or a clause says that they change.
    fn jumps_of_start(
        &self,
        left: &Side<'a>,
        occasion: Occasion,
        outcome: &Outcome<'a>,
    ) -> Vec<(VariableId, f64, f64)> {
        let prepared = self.machinery.prepared;
        let is_law = |kind: &WhenActionKind| matches!(kind, WhenActionKind::Reinit(..) | WhenActionKind::Law(..));
        let mut fired = prepared.discrete.branches.iter().filter(|it| outcome.whens.contains(&it.span));
        let mut is_said =
            || fired.any(|it| it.declares_transient || it.deeds.iter().any(|deed| is_law(&deed.action.kind)));
        match occasion.initial && !self.may_jump_at_start && !is_said() {
            true => start::jumps_of_fixed(prepared, left, &outcome.right),
            false => Vec::new(),
        }
    }

    /// A start that stands is the first row, and what makes its states jump, an event right after it: a guard that is zero there and grows,
    /// as `time > 0` does.
    fn right_after(&mut self, start: &Side<'a>, outcome: &mut Outcome<'a>) -> Side<'a> {
        self.output.row(start);
        self.output.pass_points_until(start.time);
        outcome.right.time = soonest_after(start.time);
        Side { time: outcome.right.time, ..start.clone() }
    }

    /// Tells what came of an instant, if there is something to see.
    fn told(&mut self, left: &Side<'a>, fired: &Fired, outcome: Outcome<'a>) -> Passed<'a> {
        failure::explain_ambiguities(&self.machinery, left, &outcome.ambiguities, self.diagnostics);
        failure::explain_undefined(&mut self.machinery, left.time, &outcome.impulses, self.diagnostics);
        let Machinery { prepared, memory, .. } = &mut self.machinery;
        for &(message, span) in outcome.warnings.iter().filter(|(_, span)| memory.warned.insert(*span)) {
            failure::tell_warning(prepared, left.time, (Some(message), span), self.diagnostics);
        }
        failure::explain_sliding(&mut self.machinery, left, &outcome.right, self.diagnostics);
        failure::explain_undetermined(&mut self.machinery, &outcome.right, self.diagnostics);
        failure::explain_begun_at_zero(&mut self.machinery, left.time, &outcome.begun_at_zero, self.diagnostics);
        let deciding = self.deciding(&fired.atoms);
        let Machinery { prepared, visited, memory } = &mut self.machinery;
        memory.slight.learn(prepared, left, fired, &outcome);
        visited.meter.done(CostPart::Selection);
        if outcome.is_visible(&prepared.discrete, left) {
            self.output.event(prepared, left, &outcome);
            let is_thrown_back = prepared.discrete.comes_back(&deciding, left, &outcome.right);
            self.recent.was_visible((left, &outcome.right), &deciding, is_thrown_back);
        }
        visited.meter.done(CostPart::Output);
        if let Some(message) = outcome.terminated {
            return Passed::End(RunEnd::Terminated(prepared.message(message)), left.time);
        }
        match outcome.restarted || !prepared.felt.left_limits.is_empty() {
            true => Passed::Other(outcome.right),
            false => Passed::Same(outcome.right),
        }
    }

    /// Where a clause threw back what comes through all the same: by noise, that is where impacts accumulate.
    fn falls_through(&mut self, left: &Side<'a>, fired: &Fired, outcome: &Outcome<'a>) -> Option<Passed<'a>> {
        let deciding = Fired { atoms: self.deciding(&fired.atoms), is_doubtful: fired.is_doubtful, ..Fired::default() };
        let again = self.recent.comes_again(&deciding);
        let Machinery { prepared, visited, memory } = &mut self.machinery;
        match passage(prepared, visited, memory, (left, outcome), (&deciding, again)) {
            Passage::Meant => None,
            Passage::Stopped => {
                failure::tell_passage(&mut self.machinery, left, &deciding, self.diagnostics);
                None
            }
            Passage::Noise => {
                let limit = self.recent.limit_at(left, &outcome.right, &deciding.atoms);
                self.accumulated(left, fired, &Accumulation::Limit(limit))
            }
        }
    }

    /// Events accumulate: the run goes on from their limit if the model rests there. Where more happens until then than may be passed over,
    /// or it does not rest and only a few events lead there, they are passed like any others.
    fn accumulated(&mut self, left: &Side<'a>, fired: &Fired, accumulation: &Accumulation<'a>) -> Option<Passed<'a>> {
        let span = (self.output.last_time().unwrap_or(left.time), self.settings.stop);
        if let Accumulation::Limit(limit) = accumulation {
            match at_limit(&mut self.machinery, limit, (left, fired), span, self.settings.tolerance) {
                AtLimit::Rest(found) => {
                    let (at_limit, outcome) = *found;
                    self.recent.has_come_to_rest(&self.deciding(&fired.atoms));
                    self.conductor.accumulated(at_limit.time);
                    self.output.rows_before(&at_limit);
                    return Some(self.told(&at_limit, &Fired::default(), outcome));
                }
                AtLimit::Later => return None,
                AtLimit::NoRest => {}
            }
        }
        if matches!(accumulation, Accumulation::Limit(Limit { is_certain: false, .. })) {
            return None;
        }
        self.output.row(left);
        failure::explain_accumulation(&self.machinery, left, fired, accumulation, self.diagnostics);
        Some(Passed::End(RunEnd::Failed, left.time))
    }
}
