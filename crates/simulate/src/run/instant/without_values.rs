//! Why modes that were tried have no right limits: an expression without a value, or an equation without a root.
//!
//! A restart only finds that its iteration does not converge. Where no mode follows, those that failed so are evaluated once more from the
//! left limits of their states, by the program of the mode, which tells operands, iterates and residuals.

use modeshift_dae::Mode;
use modeshift_numerics::Input;

use crate::program::FailureReason;
use crate::run::instant::Instant;
use crate::run::instant::candidate::Objection;
use crate::run::instant::restart::NoRestart;
use crate::run::values::Side;

/// More modes are not evaluated once more: a message lists no more.
const MOST_TOLD: usize = 8;

impl<'a> Instant<'_, 'a> {
    /// What speaks against modes that were tried, with what has no value or no root where restarts did not converge.
    pub fn with_reasons(&mut self, left: &Side<'a>, tried: Vec<(Mode, Objection)>) -> Vec<(Mode, Objection)> {
        let mut told = 0;
        let reason = |(mode, objection): (Mode, Objection)| {
            let is_unsolved = matches!(objection, Objection::Restart(NoRestart::Unsolved(_)) | Objection::Words(_));
            if !is_unsolved || told == MOST_TOLD || left.sliding.is_some() {
                return (mode, objection);
            }
            told += 1;
            let reason = self.reason_in(left, &mode);
            (mode, reason.unwrap_or(objection))
        };
        tried.into_iter().map(reason).collect()
    }

    /// Why a mode has no values where states are as they were.
    fn reason_in(&mut self, left: &Side<'a>, values: &Mode) -> Option<Objection> {
        let prepared = self.prepared;
        let point = move |input: Input| left.point(prepared, &left.discrete, input);
        let mode = self.visited.get(values, None, &point).ok()?;
        self.visited.surround(left);
        let mut jet = Vec::with_capacity(mode.quantities.len());
        for column in mode.structure.columns() {
            let orders = 0..=mode.structure.variable_offset(column);
            jet.extend(orders.map(|order| left.value(mode.structure.variable(column), order)));
        }
        jet.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = 0.0);
        let surroundings = self.visited.surroundings.clone();
        let surroundings = surroundings.borrow();
        mode.choose_states(&mut self.visited.programs, left.time, &jet, &surroundings).ok()?;
        let mut program = mode.program.borrow_mut();
        let mut states = Vec::new();
        program.states_of(&jet, &mut states);
        let failure = program.evaluate(left.time, &states, &surroundings, &mut jet).err()?;
        let told = failure.explain(&self.visited.programs);
        Some(match failure.reason {
            FailureReason::NotFinite(_) => Objection::NoValue(told.message),
            FailureReason::Newton(_) => Objection::NoRoot([vec![told.message], told.notes].concat()),
        })
    }
}
