//! All histories of a run: begun with the start values, and what is due because of them.

use modeshift_dae::{IndexVec, MultimodeDae, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_numerics::{Input, NativeFunctions, NotNumeric};

use super::calls::Delay;
use crate::run::prepare::Prepared;
use crate::run::prepare::discrete_tapes::{Buffers, Formulas};
use crate::run::values::{Occasion, Side, input_between};

/// More delayed expressions than this are not listed.
const MOST_LISTED: usize = 4;

/// Stretches that are shorter than this share of the delay are read together: what several delays have written, one after the other
/// in a circle, would otherwise become ever shorter.
const SHORT: f64 = 1e-3;

/// The calls of `delay` of a model.
pub(crate) struct Delays {
    pub all: Vec<Delay>,
    /// What is remembered, then the times that are read.
    pub formulas: Formulas,
}

impl Delays {
    pub fn new(
        dae: &MultimodeDae,
        natives: &NativeFunctions,
        parameter: &dyn Fn(VariableId) -> Option<f64>,
        all: Vec<Delay>,
    ) -> Result<Self, NotNumeric> {
        let arguments = all.iter().map(|delay| delay.argument);
        let expressions: Vec<_> = arguments.chain(all.iter().map(|delay| delay.past)).collect();
        Ok(Delays { formulas: Formulas::new(&dae.model, natives, parameter, &expressions)?, all })
    }

    /// Begins all histories with values of the start. What is delayed twice is known in the second round.
    pub fn begin(&self, buffers: &mut Buffers, time: f64, value: impl Fn(Input) -> f64) {
        for _ in 0..=self.all.len() {
            let values = buffers.evaluate(&self.formulas, &value).to_vec();
            for (delay, value) in self.all.iter().zip(values) {
                delay.history.begin(time, value);
            }
        }
    }

    /// The same with the values of a side; whether they have been these before, to a share of them.
    pub fn begin_as(&self, prepared: &Prepared, buffers: &mut Buffers, side: &Side<'_>) -> bool {
        let before: Vec<f64> = self.all.iter().map(|delay| delay.history.last()).collect();
        self.begin(buffers, side.time, |input| at(prepared, side, input));
        let is_same = |(delay, before): (&Delay, f64)| {
            let now = delay.history.last();
            now.to_bits() == before.to_bits()
                || (now - before).abs() <= prepared.noise.relative * now.abs().max(before.abs())
        };
        self.all.iter().zip(before).all(is_same)
    }

    /// What is remembered at the values of a side, then the times that are read.
    pub fn values<'b>(&self, prepared: &Prepared, buffers: &'b mut Buffers, side: &Side<'_>) -> &'b [f64] {
        buffers.evaluate(&self.formulas, |input| at(prepared, side, input))
    }

    /// After something has happened: values may have jumped, and will perhaps bend.
    pub fn go_on(&self, prepared: &Prepared, buffers: &mut Buffers, side: &Side<'_>) {
        if self.all.is_empty() {
            return;
        }
        let values = self.values(prepared, buffers, side);
        for (delay, &value) in self.all.iter().zip(values) {
            delay.history.go_on_with(side.time, value, prepared.noise.relative);
        }
    }
}

fn at(prepared: &Prepared, side: &Side<'_>, input: Input) -> f64 {
    input_between(&prepared.dae.model, input, (side, side), Occasion::default(), &[])
}

impl Prepared {
    /// That what is delayed is not what the start with it leads to.
    pub fn explain_no_past(&self, diagnostics: &mut Diagnostics) {
        let arguments = self.delays.all.iter().map(|delay| format!("`{}`", self.text(delay.argument)));
        let arguments: Vec<String> = arguments.take(MOST_LISTED).collect();
        let problem = Diagnostic::error(Code::E0812, "what is delayed has no value before the start");
        diagnostics.push(problem.with_note(format!("delayed: {}", arguments.join(", "))).with_note(
            "before the start it is what it is at the start, and the first instant leads to ever other values",
        ));
    }

    /// The piece of its history that a delay reads right after a time; -1 where the time that it reads is not affine in time.
    pub fn piece_right_after(
        &self,
        delay: &Delay,
        time: f64,
        (left, discrete): (&IndexVec<VariableId, f64>, &IndexVec<VariableId, f64>),
        rounding: f64,
    ) -> f64 {
        let Some(past) = self.affine(delay.past, left, discrete) else { return -1.0 };
        let size = (past.slope * time).abs() + past.constant.abs();
        delay.history.piece_at(past.at(time), rounding * size) as f64
    }

    /// When the piece that a delay reads ends, where that is known.
    pub fn end_of_piece(&self, delay: &Delay, discrete: &IndexVec<VariableId, f64>) -> Option<f64> {
        let piece = discrete[delay.piece];
        let end = delay.history.end_of((piece >= 0.0).then_some(piece as usize)?)?;
        self.affine(delay.past, discrete, discrete)?.time_of(end)
    }

    /// Up to when a step that begins now may lead: only what was accepted is read, and of that one stretch, so that what is read is one
    /// polynomial, and written again exactly.
    pub fn remembered_until(&self, buffers: &mut Buffers, side: &Side<'_>) -> f64 {
        let Delays { all, .. } = &self.delays;
        if all.is_empty() {
            return f64::INFINITY;
        }
        let now = side.time;
        let read = self.delays.values(self, buffers, side)[all.len()..].to_vec();
        let limit = |(delay, read): (&Delay, f64)| {
            let length = now - read;
            if length.is_nan() || length <= 0.0 {
                return f64::INFINITY;
            }
            match self.affine(delay.past, &side.discrete, &side.discrete) {
                Some(past) if past.slope > 0.0 => {
                    let seen = delay.history.stretch_end(read, SHORT * length).and_then(|end| past.time_of(end));
                    past.time_of(now).unwrap_or(f64::INFINITY).min(seen.unwrap_or(f64::INFINITY))
                }
                Some(_) => f64::INFINITY,
                // A delay that changes does not halve within a step, or what is read is not past and has no value.
                None => now + 0.5 * length,
            }
        };
        all.iter().zip(read).map(limit).filter(|&limit| limit > now).fold(f64::INFINITY, f64::min)
    }
}
