//! A candidate for the right side of a micro-step: the restart that follows from a settled discrete part, with the discrete
//! part settled at its values.
//!
//! What `when` equations read of continuous variables they read on the right side, which depends on what they assign. So
//! both are computed in turn, until they agree: in the order of what reads what, that takes one round per variable at
//! most. Where continuous equations and `when` equations form a loop (`x + y = 5` with `y = 7 - 2*x` in a `when`) that never
//! ends, and they are solved together, by Newton's method for what the loop assigns.
//!
//! The steps of stairs (`floor(x)`) are discrete values like others: where an argument jumps in the instant, what reads its step reads the
//! step that it has jumped to.

use std::rc::Rc;

use modeshift_dae::{IndexVec, Mode as ModeValues, RelationId, Type, VariableId, WhenAction};
use modeshift_mode_changes::Term;
use modeshift_numerics::Input;
use modeshift_numerics::small_dense::{Factors, Matrix};

use crate::results::CostPart;
use crate::run::instant::Instant;
use crate::run::instant::discrete_fixpoint::{MicroStep, Reset, Settled};
use crate::run::instant::event_iteration::NoOutcome;
use crate::run::instant::restart::{Circumstances, NoRestart, Restarted};
use crate::run::modes::{NoMode, VisitedMode};
use crate::run::prepare::event_functions::Stair;
use crate::run::values::Side;

/// Newton's method converges quadratically: what is not found by then has no root near by.
const MOST_ITERATIONS: usize = 40;
/// Differences below this many roundings of the values are none.
const ROUNDINGS: f64 = 16.0 * f64::EPSILON;

/// Where terms cancel, rounding is larger than that of the values; iterations that do not get nearer end below this.
const SMALL: f64 = 1e-12;

/// Stairs may contain stairs, and move what others are on: so many rounds they are followed within a micro-step.
const ROUNDS_OF_STAIRS: usize = 8;

/// What speaks against a mode.
#[derive(Clone, Debug)]
pub(crate) enum Objection {
    Mode(NoMode),
    Restart(NoRestart),
    /// An atom has another truth there.
    Atom(RelationId, (Term, f64)),
    /// An expression has no value there; in words.
    NoValue(String),
    /// An equation has no root there; in lines.
    NoRoot(Vec<String>),
    /// In words.
    Words(String),
}

/// Why there is no right side for some truths.
pub(crate) enum Refusal {
    /// The discrete part does not settle.
    Discrete(NoOutcome),
    /// The mode that it leads to has no right side.
    Mode(ModeValues, Objection),
}

/// A candidate for the right side of a micro-step.
pub(crate) struct Candidate<'a> {
    pub restarted: Restarted<'a>,
    pub is_transient: bool,
    /// Whether anything at all differs from the left side in the continuous part.
    pub is_new: bool,
    /// Whether the mode exists only for this instant, with the laws of a `when` among its equations.
    is_completed: bool,
}

impl<'a> Instant<'_, 'a> {
    /// The right side that follows from some truths, with the discrete part settled at its values and stairs on the steps that their
    /// arguments have jumped to. Where these come to no end, they are left to the next micro-steps.
    pub fn consistent(
        &mut self,
        step: &MicroStep<'_, 'a>,
        discrete: IndexVec<VariableId, f64>,
    ) -> Result<(Settled, Candidate<'a>), Refusal> {
        if self.prepared.discrete.stairs.is_empty() || step.is_literal {
            return self.consistent_on_steps(step, discrete);
        }
        let mut found = self.consistent_on_steps(step, discrete.clone())?;
        for _ in 0..ROUNDS_OF_STAIRS {
            let mut moved = found.0.discrete.clone();
            self.update_stairs(step.left, &found.1.restarted.side, &mut moved);
            let is_same = |stair: &Stair| moved[stair.variable] == found.0.discrete[stair.variable];
            if self.prepared.discrete.stairs.iter().all(is_same) {
                return Ok(found);
            }
            match self.consistent_on_steps(step, moved) {
                Ok(next) => found = next,
                Err(_) => break,
            }
        }
        self.consistent_on_steps(step, discrete)
    }

    /// The same with stairs on the steps that are given.
    fn consistent_on_steps(
        &mut self,
        step: &MicroStep<'_, 'a>,
        discrete: IndexVec<VariableId, f64>,
    ) -> Result<(Settled, Candidate<'a>), Refusal> {
        let settled = self.settle(step, discrete, step.left).map_err(Refusal::Discrete)?;
        let candidate = self.candidate_of(step, &settled)?;
        if !self.prepared.discrete.reads_continuous {
            return Ok((settled, candidate));
        }
        let felt_reals = self.felt_reals();
        let (mut settled, mut candidate) = (settled, candidate);
        for _ in 0..felt_reals.len() + 3 {
            let again =
                self.settle(step, settled.discrete.clone(), &candidate.restarted.side).map_err(Refusal::Discrete)?;
            let is_same = again.is_as(&settled);
            let is_felt = again.mode != settled.mode
                || again.laws.len() != settled.laws.len()
                || !self.prepared.felt_changes(&settled.discrete, &again.discrete).is_empty();
            settled = again;
            if is_felt {
                candidate = self.candidate_of(step, &settled)?;
            } else {
                candidate.restarted.side.discrete.clone_from(&settled.discrete);
            }
            if is_same {
                return Ok((settled, candidate));
            }
        }
        self.together(step, settled, &felt_reals)
    }

    fn candidate_of(&mut self, step: &MicroStep<'_, 'a>, settled: &Settled) -> Result<Candidate<'a>, Refusal> {
        self.candidate(step, settled).map_err(|objection| Refusal::Mode(settled.mode.clone(), objection))
    }

    /// Real variables that equations or `when` clauses define and continuous equations contain.
    fn felt_reals(&self) -> Vec<VariableId> {
        let model = &self.prepared.dae.model;
        let ids = self.prepared.discrete.defined.iter().map(|&(id, _)| id);
        ids.filter(|&id| model.variables[id].ty == Type::Real && self.prepared.felt.contains(id)).collect()
    }

    /// Solves discrete and continuous equations together: the values that these variables must have so that they get them
    /// back.
    fn together(
        &mut self,
        step: &MicroStep<'_, 'a>,
        first: Settled,
        unknowns: &[VariableId],
    ) -> Result<(Settled, Candidate<'a>), Refusal> {
        let undecided = || Refusal::Discrete(NoOutcome::Unsettled(unknowns.to_vec()));
        let (mut values, mut settled): (Vec<f64>, Settled) =
            (unknowns.iter().map(|&id| first.discrete[id]).collect(), first);
        let mut last_error = f64::INFINITY;
        for _ in 0..MOST_ITERATIONS {
            let (given_back, candidate, again) = self.given_back(step, &settled, unknowns, &values)?;
            let residual: Vec<f64> = given_back.iter().zip(&values).map(|(after, before)| after - before).collect();
            let share =
                |(residual, value): (&f64, &f64)| if *residual == 0.0 { 0.0 } else { residual.abs() / value.abs() };
            let error = residual.iter().zip(&values).map(share).fold(0.0, f64::max);
            if error <= ROUNDINGS || error <= SMALL && error >= 0.5 * last_error {
                return Ok((again, candidate));
            }
            last_error = error;
            if again.mode != settled.mode || residual.iter().any(|value| !value.is_finite()) {
                return Err(undecided());
            }
            let mut matrix = Matrix::zero(unknowns.len());
            for column in 0..unknowns.len() {
                // The loop is affine as a rule, so that any difference will do; one of the size of the error is as good
                // as Newton's where it is not.
                let difference = match residual[column] {
                    0.0 => f64::EPSILON.sqrt() * values[column].abs().max(f64::MIN_POSITIVE),
                    error => error,
                };
                let mut moved = values.clone();
                moved[column] += difference;
                let (there, ..) = self.given_back(step, &settled, unknowns, &moved)?;
                for row in 0..unknowns.len() {
                    matrix.add(row, column, (there[row] - given_back[row]) / (moved[column] - values[column]));
                }
                matrix.add(column, column, -1.0);
            }
            let correction = Factors::new(&matrix).ok_or_else(undecided)?.solve(&residual);
            values.iter_mut().zip(correction).for_each(|(value, correction)| *value -= correction);
            settled = again;
        }
        Err(undecided())
    }

    /// What some variables are assigned if they have these values.
    fn given_back(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        unknowns: &[VariableId],
        values: &[f64],
    ) -> Result<(Vec<f64>, Candidate<'a>, Settled), Refusal> {
        let mut discrete = settled.discrete.clone();
        unknowns.iter().zip(values).for_each(|(&id, &value)| discrete[id] = value);
        let tried = Settled {
            discrete,
            mode: settled.mode.clone(),
            laws: settled.laws.clone(),
            law_equations: settled.law_equations.clone(),
            entered: settled.entered.clone(),
            is_transient: settled.is_transient,
            ..Settled::default()
        };
        let candidate = self.candidate_of(step, &tried)?;
        let again = self.settle(step, tried.discrete, &candidate.restarted.side).map_err(Refusal::Discrete)?;
        Ok((unknowns.iter().map(|&id| again.discrete[id]).collect(), candidate, again))
    }

    /// The right side that follows from a settled discrete part.
    pub fn candidate(&mut self, step: &MicroStep<'_, 'a>, settled: &Settled) -> Result<Candidate<'a>, Objection> {
        let changed = self.prepared.felt_changes(&step.left.discrete, &settled.discrete);
        let beginnings = self.prepared.beginnings(step.left, &settled.entered);
        if beginnings.is_empty() && self.is_kept(step, settled) {
            let side = Side { discrete: settled.discrete.clone(), ..step.left.clone() };
            return Ok(Candidate {
                restarted: Restarted::unchanged(side),
                is_transient: false,
                is_new: false,
                is_completed: false,
            });
        }
        self.visited.meter.done(CostPart::Selection);
        let point = self.point(step, settled);
        // Laws may be of any island.
        let island = step.island.filter(|_| !settled.is_transient);
        let (mode, is_completed) = match self.visited.get(&settled.mode, island, &point) {
            Err(NoMode::Singular(_)) if !settled.law_equations.is_empty() => {
                (self.visited.completed(&settled.mode, &settled.law_equations).map_err(Objection::Mode)?, true)
            }
            mode => (mode.map_err(Objection::Mode)?, false),
        };
        match self.candidate_in(step, settled, &changed, mode, is_completed) {
            // Regular by its structure, singular by its numbers: perhaps harmless.
            Err(Objection::Restart(NoRestart::Singular(text))) if !is_completed => {
                match self.visited.pinned(&settled.mode, island, &point) {
                    Ok(mode) => self.candidate_in(step, settled, &changed, mode, false),
                    Err(_) => Err(Objection::Restart(NoRestart::Singular(text))),
                }
            }
            candidate => candidate,
        }
    }

    /// Values of everything before a change, for coefficients that depend on them.
    pub fn point<'r>(&self, step: &'r MicroStep<'_, 'a>, settled: &'r Settled) -> impl Fn(Input) -> f64 + use<'r, 'a> {
        let (prepared, left, discrete) = (self.prepared, step.left, &settled.discrete);
        move |input| left.point(prepared, discrete, input)
    }

    /// The right side in a mode.
    fn candidate_in(
        &mut self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        changed: &[VariableId],
        mode: Rc<VisitedMode<'a>>,
        is_completed: bool,
    ) -> Result<Candidate<'a>, Objection> {
        let laws = if is_completed { &[] } else { settled.laws.as_slice() };
        if let Some(reason) = mode.has_no_slopes.get().filter(|_| !settled.is_transient) {
            return Err(Objection::Words(reason.clone()));
        }
        let known = self.prepared.known(step.left, &settled.discrete, step.occasion, step.sampled);
        let circumstances = self.circumstances(step, settled, &mode, changed, &known);
        let is_transient = settled.is_transient;
        let restarted = match is_transient {
            true => circumstances.transient(laws, &[]),
            false => circumstances.restarted(),
        };
        let mut restarted = restarted.map_err(Objection::Restart)?;
        drop(known);
        // With pins, or where a step had to tell the values, a mode may have these and no slopes: another name of it may have both.
        let may_not_go_on = restarted.side.mode.pins.is_some() || restarted.is_by_step();
        let is_complete =
            !step.must_restart && !may_not_go_on && restarted.side.jet.iter().all(|value| !value.is_nan());
        if !is_transient && !is_complete {
            self.complete(&mut restarted).inspect_err(|objection| {
                let is_constant = mode.pins.as_ref().is_some_and(|pins| pins.is_constant());
                if let Objection::Words(reason) = objection
                    && may_not_go_on
                    && is_constant
                {
                    mode.has_no_slopes.get_or_init(|| reason.clone());
                }
            })?;
        }
        self.visited.meter.count_restart();
        self.visited.meter.done(CostPart::Restart);
        Ok(Candidate { restarted, is_transient, is_new: true, is_completed })
    }

    /// What `reinit` makes of the right side that a micro-step came to: in the same mode, with the values that it gives to states.
    ///
    /// Where it throws back what has just come into contact, the contact has not come to hold: right limits follow from the left ones of
    /// the instant. Where these with the `reinit` do not determine the rest, as where a clutch closes elsewhere, the change
    /// of the mode comes first, with its jumps, and the `reinit` after it.
    pub fn reset(
        &self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        accepted: &Candidate<'a>,
    ) -> Result<Restarted<'a>, NoOutcome> {
        if let Some((at, it)) = settled.resets.iter().enumerate().find_map(|(at, it)| {
            let earlier = settled.resets[..at].iter().find(|earlier| earlier.variable == it.variable)?;
            Some((earlier.span, it))
        }) {
            return Err(NoOutcome::TwoResets(it.variable, [at, it.span]));
        }
        if let Some(it) = settled.resets.iter().find(|it| !it.value.is_finite()) {
            return Err(NoOutcome::NotANumber(it.variable, it.value, Some(it.span)));
        }
        let mode = accepted.restarted.side.mode.clone();
        let laws = if accepted.is_completed { &[] } else { settled.laws.as_slice() };
        let reason = match self.reset_in(step, settled, laws, &mode, &settled.resets) {
            Ok(restarted) => return Ok(restarted),
            Err(reason) => no_reset(settled, reason),
        };
        let is_changed = accepted.is_new && !accepted.is_transient && settled.mode != step.left.mode.values;
        if !is_changed {
            return Err(reason);
        }
        let changed = &accepted.restarted;
        let afterwards = &Settled { entered: Vec::new(), ..settled.clone() };
        let from_there = MicroStep { left: &changed.side, unmet: &changed.unmet, ..*step };
        let mut restarted = self.reset_in(&from_there, afterwards, laws, &mode, &settled.resets).map_err(|_| reason)?;
        restarted.weights.extend(changed.weights.iter().cloned());
        Ok(restarted)
    }

    /// The right side in a mode, with the values that `reinit` gives to states.
    pub fn reset_in(
        &self,
        step: &MicroStep<'_, 'a>,
        settled: &Settled,
        laws: &[WhenAction],
        mode: &Rc<VisitedMode<'a>>,
        resets: &[Reset],
    ) -> Result<Restarted<'a>, NoRestart> {
        let changed = self.prepared.felt_changes(&step.left.discrete, &settled.discrete);
        let known = self.prepared.known(step.left, &settled.discrete, step.occasion, step.sampled);
        self.circumstances(step, settled, mode, &changed, &known).transient(laws, resets)
    }

    /// What a restart in a mode needs to know.
    pub fn circumstances<'r>(
        &'r self,
        step: &'r MicroStep<'_, 'a>,
        settled: &'r Settled,
        mode: &'r Rc<VisitedMode<'a>>,
        changed: &'r [VariableId],
        known: &'r dyn Fn(Input) -> Option<f64>,
    ) -> Circumstances<'r, 'a> {
        let beginnings = self.prepared.beginnings(step.left, &settled.entered);
        let (prepared, left, discrete) = (self.prepared, step.left, &settled.discrete);
        let noise = self.memory.present_noise(prepared);
        Circumstances { prepared, noise, left, mode, discrete, changed, unmet: step.unmet, beginnings, known }
    }

    /// What a restart did not touch, from the states.
    fn complete(&mut self, restarted: &mut Restarted<'a>) -> Result<(), Objection> {
        let side = &restarted.side;
        let mode = side.mode.clone();
        self.visited.surround(side);
        let mut jet: Vec<f64> = side.jet.iter().map(|&value| if value.is_nan() { 0.0 } else { value }).collect();
        let surroundings = self.visited.surroundings.clone();
        let surroundings = surroundings.borrow();
        self.visited.meter.done(CostPart::Restart);
        mode.choose_states(&mut self.visited.programs, side.time, &jet, &surroundings)
            .map_err(|failure| Objection::Mode(NoMode::NotBuilt(failure)))?;
        self.visited.meter.done(CostPart::Program);
        let mut program = mode.program.borrow_mut();
        let mut states = Vec::new();
        program.states_of(&side.jet, &mut states);
        if states.iter().any(|value| value.is_nan()) {
            return Err(Objection::Words("some right limits of states are not determined".to_string()));
        }
        let evaluated = program.evaluate(side.time, &states, &surroundings, &mut jet);
        evaluated.map_err(|failure| Objection::Words(failure.explain(&self.visited.programs).message))?;
        restarted.set_jet(jet);
        Ok(())
    }
}

/// That these `reinit` cannot be, and why.
pub(super) fn no_reset(settled: &Settled, reason: NoRestart) -> NoOutcome {
    NoOutcome::NoReset(settled.resets.iter().map(|it| it.span).collect(), reason)
}
