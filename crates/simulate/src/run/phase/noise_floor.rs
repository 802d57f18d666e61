//! The noise of guards: what errors of the states that the tolerance allows make of them.
//!
//! A flow between two rooms is a difference of pressures, and each of these a small part of a mass. Once it has died
//! away, what is left of it has the size of the errors of the masses, seen through all that lies between; its sign says
//! nothing. How large that is follows from a few evaluations with states that are wrong by their tolerance, with one sign
//! or the other. Where some variable shows such errors many times larger, steps are made with smaller ones
//! (`integrate::amplification`), so that no variable is wrong by more than the tolerance; the noise is smaller likewise,
//! but not smaller than what rounding of the states makes.
//!
//! Only guards are looked at whose last event was *slight*: no variable jumped, and no derivative, because the two laws
//! agree where the guard is zero. A ball that bounces, however low, is no noise, nor is a hysteresis, however narrow.

use modeshift_dae::VariableId;

use crate::run::engine::Engine;
use crate::run::instant::event_iteration::{Fired, Outcome};
use crate::run::phase::zero_crossings::Guard;
use crate::run::values::Side;

/// So many combinations of signs are tried: errors that cancel in all of them are rare.
const COMBINATIONS: u32 = 4;

/// States are not more exact than this, relative to their size.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// The tolerance, over what counts as rounding.
const SLIGHT: f64 = 1e3;

/// How large the noise of each guard is.
pub(crate) struct GuardNoise {
    /// Of differences of the sides of atoms.
    atoms: Vec<f64>,
    /// Of arguments of stairs.
    stairs: Vec<f64>,
}

impl GuardNoise {
    /// The noise of a guard.
    pub fn of(&self, guard: Guard) -> f64 {
        match guard {
            Guard::Atom(atom) => self.atoms[atom],
            Guard::Edge(stair, _) => self.stairs[stair],
        }
    }
}

impl<'a> Engine<'a> {
    /// Remembers whether an event was slight, for what fired.
    pub fn learn_slightness(&mut self, left: &Side<'a>, fired: &Fired, outcome: &Outcome<'a>) {
        let is_slight = outcome.whens.is_empty() && outcome.impulses.is_empty() && !self.jumps(left, &outcome.right);
        for &atom in &fired.atoms {
            let truth = left.discrete[self.system.atoms[atom].variable] != 0.0;
            self.is_slight[atom][usize::from(truth)] = is_slight;
        }
    }

    /// Whether a guard may be noise: its last crossing from the truth that it has on this side was slight.
    pub fn is_slight(&self, guard: Guard, side: &Side<'a>) -> bool {
        let truth = |atom: usize| side.discrete[self.system.atoms[atom].variable] != 0.0;
        matches!(guard, Guard::Atom(atom) if self.is_slight[atom][usize::from(truth(atom))])
    }

    /// Whether a variable or a derivative that exists on both sides jumps by more than the tolerance.
    fn jumps(&self, left: &Side<'a>, right: &Side<'a>) -> bool {
        let tolerance = SLIGHT * self.noise.relative;
        let quantities = left.mode.quantities.list().iter().zip(&left.jet);
        quantities.into_iter().any(|(&(id, order), &before)| {
            let Some(place) = right.mode.quantities.index(id, order) else { return false };
            let after = right.jet[place.index()];
            (after - before).abs() > tolerance * before.abs().max(after.abs()).max(self.nominal[id.0 as usize])
        })
    }

    /// The noise of all guards at a point of a stay.
    pub fn guard_noise(&mut self, side: &Side<'a>, states: &[f64], tolerance: f64) -> GuardNoise {
        let mut noise =
            GuardNoise { atoms: vec![0.0; self.system.atoms.len()], stairs: vec![0.0; self.system.stairs.len()] };
        if states.is_empty() {
            return noise;
        }
        let right = self.differences(side);
        for combination in 0..COMBINATIONS {
            let wrong = self.wrong_by(side, states, tolerance, combination);
            let shown = side.mode.program.borrow().largest_error(&side.jet, &wrong.jet) / tolerance;
            if !shown.is_finite() {
                continue;
            }
            let share = 1.0 / shown.min(tolerance / ROUNDING).max(1.0);
            let differences = self.differences(&wrong);
            let places = noise.atoms.iter_mut().chain(&mut noise.stairs);
            for (place, (wrong, right)) in places.zip(differences.iter().zip(&right)) {
                let error = share * (wrong - right).abs();
                *place = if error.is_finite() { place.max(error) } else { *place };
            }
        }
        noise
    }

    /// The side with states that are wrong by their tolerance; not a number where there is none.
    fn wrong_by(&mut self, side: &Side<'a>, states: &[f64], tolerance: f64, combination: u32) -> Side<'a> {
        let mut program = side.mode.program.borrow_mut();
        let nominal = |id: VariableId| self.nominal[id.0 as usize];
        let wrong: Vec<f64> = program
            .state_quantities()
            .zip(states)
            .enumerate()
            .map(|(number, ((id, _), state))| {
                state + sign(number, combination) * tolerance * state.abs().max(nominal(id))
            })
            .collect();
        let mut moved = side.clone();
        if program.evaluate(side.time, &wrong, &self.surroundings.borrow(), &mut moved.jet).is_err() {
            moved.jet.fill(f64::NAN);
        }
        drop(program);
        moved
    }

    /// Differences of the sides of atoms, then arguments of stairs.
    fn differences(&mut self, side: &Side<'a>) -> Vec<f64> {
        let atom_count = self.system.atoms.len();
        let (sides, arguments) = self.watched(side).split_at(2 * atom_count);
        sides.chunks_exact(2).map(|sides| sides[0] - sides[1]).chain(arguments.iter().copied()).collect()
    }
}

/// The sign of the error of a state: neighbours differ in the first combination, all others sooner or later.
fn sign(state: usize, combination: u32) -> f64 {
    let bits = match combination {
        0 => state as u64,
        _ => (state as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - 8 * combination),
    };
    if bits & 1 == 0 { 1.0 } else { -1.0 }
}
