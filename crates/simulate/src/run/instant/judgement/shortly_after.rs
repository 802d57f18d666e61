//! Relations whose values at an event are noise, by where the mode leads them shortly after it.
//!
//! A current that is a difference of voltages over a tiny resistance is known to the rounding of these, and so is the time at which it is
//! zero. In a mode in which it flows through a tiny leak, the voltage over that is noise many times larger; and so is its slope, since what is
//! fast there (an inductor with a leak: 1e-8 s) acts on the noise first. Series say nothing of such a mode. What it says is where it is some
//! such times later: what is fast and began with noise has died away, or if it is not that fast, has moved by more than noise.
//!
//! That is for states that are as exact as rounding; those of other methods have errors of the tolerance, which nothing here measures.
//!
//! What is noise is measured: by how much a relation is another one if the states are where the mode before was a little later, by as much time
//! as the event is not known to, and if they are rounded otherwise. What is larger is a value, however fast it dies away: values of all modes
//! at one point agree with each other, which their noise does not.

use std::cell::RefCell;
use std::sync::Arc;

use modeshift_dae::{Derivative, IndexVec, RelationId, VariableId};
use modeshift_mode_changes::{Sign, Term};

use crate::integrate::{Exponentials, Field, Flow};
use crate::program::AffineMode;
use crate::run::exact_modes::{MOST_STATES, field};
use crate::run::instant::Instant;
use crate::run::instant::candidate::Candidate;
use crate::run::instant::discrete_fixpoint::MicroStep;
use crate::run::phase::noise_floor::{ROUNDING, sign};
use crate::run::values::Side;

/// So many times what the time of the event is not known to later, a mode is looked at: what has a slope is then clear of noise.
const LATER: f64 = 8.0;
/// So many ways of rounding states are tried: what cancels in all of them is rare.
const ROUNDINGS: u32 = 4;
/// A value is noise up to so many times what that time makes of it, and what rounding does.
const DISPLACEMENTS: f64 = 4.0;

/// A mode as an affine system, to look ahead in it.
pub(crate) struct Ahead {
    affine: AffineMode,
    field: Arc<Field>,
    exponentials: RefCell<Option<Exponentials>>,
    /// What it is an affine system of.
    states: Vec<Derivative<VariableId>>,
}

/// The relations of a candidate, as they would be otherwise.
pub(in crate::run::instant) struct Nearby {
    /// If the event were a little later.
    displaced: IndexVec<RelationId, (f64, f64)>,
    /// Shortly after it.
    later: IndexVec<RelationId, (f64, f64)>,
    /// What rounding makes of them.
    rounding: IndexVec<RelationId, f64>,
}

impl<'a> Instant<'_, 'a> {
    /// The sign of a relation whose value is noise, since the time of the event is not known better; nothing where it is no noise,
    /// or where it is not clear later either.
    pub(in crate::run::instant) fn sign_shortly_after(
        &mut self,
        step: &MicroStep<'_, 'a>,
        candidate: &mut Candidate<'a>,
        atom: RelationId,
        value: f64,
    ) -> Option<Sign> {
        let time_error = self.memory.time_error()?;
        let restarted = &candidate.restarted;
        let is_plain =
            restarted.weights.is_empty() && step.left.sliding.is_none() && restarted.side.mode.pins.is_none();
        if !is_plain || candidate.is_transient || step.occasion.initial {
            return None;
        }
        if restarted.nearby.get().is_none() {
            let nearby = self.nearby(step, &restarted.side, time_error);
            let _ = restarted.nearby.set(nearby.map(Box::new));
        }
        let nearby = restarted.nearby.get()?.as_ref()?;
        let (displaced, later) = (nearby.displaced[atom].0, nearby.later[atom].0);
        let rounding = nearby.rounding[atom];
        if value.abs() > DISPLACEMENTS * (displaced - value).abs().max(rounding) {
            return Some(Sign::Decided(Term::Derivative(0), value));
        }
        (later.abs() > DISPLACEMENTS * rounding).then_some(Sign::Decided(Term::Derivative(1), later))
    }

    /// What relations of a side would be otherwise.
    fn nearby(&mut self, step: &MicroStep<'_, 'a>, side: &Side<'a>, time_error: f64) -> Option<Nearby> {
        self.visited.surround(side);
        let surroundings = self.visited.surroundings.clone();
        side.mode.choose_states(&mut self.visited.programs, side.time, &side.jet, &surroundings.borrow()).ok()?;
        let (mut states, quantities) = (Vec::new(), states_of(side));
        side.mode.program.borrow().states_of(&side.jet, &mut states);
        if states.is_empty() || states.len() > MOST_STATES || states.iter().any(|it| it.is_nan()) {
            return None;
        }
        let slope = |it: &Derivative<VariableId>| step.left.value(it.of, it.order + 1);
        let slopes = quantities.iter().map(slope).map(|it| if it.is_finite() { it } else { 0.0 });
        let moved: Vec<f64> = states.iter().zip(slopes).map(|(state, slope)| state + time_error * slope).collect();
        let length = LATER * time_error;
        let after = self.ahead(side, &quantities, &states, length)?;
        let displaced = self.at_states(side, side.time, &moved)?;
        let later = self.at_states(side, side.time + length, &after)?;
        let mut rounded = Vec::new();
        for combination in 0..ROUNDINGS {
            let share = |state: usize| 1.0 + sign(state, combination) * ROUNDING;
            let states: Vec<f64> = states.iter().enumerate().map(|(number, state)| state * share(number)).collect();
            rounded.push(self.at_states(side, side.time, &states)?);
        }
        let (prepared, buffers) = (self.prepared, &mut self.memory.buffers);
        let mut values =
            |side: &Side<'a>| buffers.atom_values(prepared, (step.left, side), step.occasion, step.sampled);
        let here = values(side);
        let mut rounding: IndexVec<RelationId, f64> = here.iter().map(|it| f64::EPSILON * it.0.abs()).collect();
        for side in &rounded {
            let others = values(side);
            for (most, (other, here)) in rounding.iter_mut().zip(others.iter().zip(here.iter())) {
                *most = most.max((other.0 - here.0).abs());
            }
        }
        Some(Nearby { displaced: values(&displaced), later: values(&later), rounding })
    }

    /// The side with other states.
    fn at_states(&self, side: &Side<'a>, time: f64, states: &[f64]) -> Option<Side<'a>> {
        let mut other = Side { time, ..side.clone() };
        let surroundings = self.visited.surroundings.borrow();
        side.mode.program.borrow_mut().evaluate(time, states, &surroundings, &mut other.jet).ok()?;
        Some(other)
    }

    /// The states of a mode that is affine after some time.
    fn ahead(
        &self,
        side: &Side<'a>,
        quantities: &[Derivative<VariableId>],
        states: &[f64],
        length: f64,
    ) -> Option<Vec<f64>> {
        let surroundings = self.visited.surroundings.borrow();
        let mut known = side.mode.ahead.borrow_mut();
        if !known.as_ref().is_some_and(|it| it.states == quantities && it.affine.is_for(&surroundings)) {
            let affine = side.mode.program.borrow().affine(&self.visited.programs, &surroundings).ok()?;
            let field = Arc::new(field(&affine));
            *known = Some(Ahead { affine, field, exponentials: RefCell::new(None), states: quantities.to_vec() });
        }
        let Ahead { affine, field, exponentials, .. } = known.as_ref()?;
        let inputs = affine.inputs.iter().map(|&input| surroundings.value(input)).collect();
        Flow { field: field.clone(), inputs }.after(side.time, states, length, exponentials)
    }
}

/// The states of the mode of a side.
fn states_of(side: &Side<'_>) -> Vec<Derivative<VariableId>> {
    side.mode.program.borrow().state_quantities().collect()
}
