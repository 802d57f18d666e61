//! What happens at the events of a run: instants, told to the observer; limits of events that accumulate; and why the
//! run ends there, if it does.

use modeshift_diagnostics::Diagnostics;

use super::RunEnd;
use crate::results::CostPart;
use crate::run::engine::Engine;
use crate::run::failure;
use crate::run::instant::event_iteration::{Fired, Outcome};
use crate::run::output::Output;
use crate::run::values::{Phase, Side};
use crate::run::zeno::detection::{Accumulation, RecentEvents};

/// What comes of an event.
pub(super) enum Passed<'a> {
    /// Nothing continuous has changed: the integration goes on.
    Same(Side<'a>),
    /// From here the integration begins anew.
    Other(Side<'a>),
    /// The run ends at this time.
    End(RunEnd, f64),
}

/// The events of a run.
pub(super) struct Events<'d, 'a> {
    diagnostics: &'d mut Diagnostics,
    recent: RecentEvents<'a>,
}

impl<'d, 'a> Events<'d, 'a> {
    pub fn new(diagnostics: &'d mut Diagnostics, recent: RecentEvents<'a>) -> Self {
        Events { diagnostics, recent }
    }

    /// Says something about the run.
    pub fn explain(&mut self, explain: impl FnOnce(&mut Diagnostics)) {
        explain(self.diagnostics);
    }

    /// Passes an event that ends a stay, perhaps only for an instant. `stop` is where the run ends at the latest.
    pub fn pass(
        &mut self,
        engine: &mut Engine<'a>,
        output: &mut Output<'_>,
        left: &Side<'a>,
        fired: Fired,
        stop: f64,
    ) -> Passed<'a> {
        if let Some(accumulation) = self.recent.add(left.time, &fired) {
            return self.accumulated(engine, output, left, &fired, &accumulation, stop);
        }
        engine.modes.meter.begin(left.time);
        let fired = Fired { samples: engine.due_samples(left.time), ..fired };
        self.instant(engine, output, left, &fired, Phase::default())
    }

    /// One instant.
    pub fn instant(
        &mut self,
        engine: &mut Engine<'a>,
        output: &mut Output<'_>,
        left: &Side<'a>,
        fired: &Fired,
        phase: Phase,
    ) -> Passed<'a> {
        match engine.instant(left, fired, phase) {
            Ok(outcome) => self.told(engine, output, left, fired, outcome),
            Err(reason) => {
                output.row(left);
                failure::explain_instant(engine, left, fired, &reason, self.diagnostics);
                Passed::End(RunEnd::Failed, left.time)
            }
        }
    }

    /// Tells what came of an instant, if there is something to see.
    fn told(
        &mut self,
        engine: &mut Engine<'a>,
        output: &mut Output<'_>,
        left: &Side<'a>,
        fired: &Fired,
        outcome: Outcome<'a>,
    ) -> Passed<'a> {
        failure::explain_ambiguities(engine, left, &outcome.ambiguities, self.diagnostics);
        engine.learn_slightness(left, fired, &outcome);
        engine.modes.meter.done(CostPart::Selection);
        if outcome.is_visible(engine, left) {
            output.event(engine, left, &outcome);
            self.recent.was_visible(left, &outcome.right, &fired.atoms);
        }
        engine.modes.meter.done(CostPart::Output);
        if let Some(message) = outcome.terminated {
            return Passed::End(RunEnd::Terminated(engine.message(message)), left.time);
        }
        match outcome.restarted || !engine.felt_left_limits.is_empty() {
            true => Passed::Other(outcome.right),
            false => Passed::Same(outcome.right),
        }
    }

    /// Events accumulate: the run goes on from their limit if the model rests there.
    fn accumulated(
        &mut self,
        engine: &mut Engine<'a>,
        output: &mut Output<'_>,
        left: &Side<'a>,
        fired: &Fired,
        accumulation: &Accumulation<'a>,
        stop: f64,
    ) -> Passed<'a> {
        if let Accumulation::Limit(limit) = accumulation
            && let Some((at_limit, outcome)) = engine.rest(limit, left, fired, stop)
        {
            output.rows_before(&at_limit);
            return self.told(engine, output, &at_limit, &Fired::default(), outcome);
        }
        output.row(left);
        failure::explain_accumulation(engine, left, fired, accumulation, self.diagnostics);
        Passed::End(RunEnd::Failed, left.time)
    }
}
