//! The noise of guards: what errors of the states that the tolerance allows make of them.
//!
//! A flow between two rooms is a difference of pressures, and each of these a small part of a mass. Once it has died
//! away, what is left of it has the size of the errors of the masses, seen through all that lies between; its sign says
//! nothing. How large that is follows from a few evaluations with states that are wrong by their tolerance, with one sign
//! or the other. Where some variable shows such errors many times larger, steps are made with smaller ones
//! (`integrate::amplification`), so that no variable is wrong by more than the tolerance; the noise is smaller likewise,
//! by as much as errors are made smaller, and not smaller than what rounding of the states makes.
//!
//! Only guards are looked at whose last event was *slight*: no variable jumped, and no derivative, because the two laws
//! agree where the guard is zero. A ball that bounces, however low, is no noise, nor is a hysteresis, however narrow.

use modeshift_dae::{IndexVec, RelationId};

use crate::integrate::LARGEST_AMPLIFICATION;
use crate::program::Surroundings;
use crate::run::instant::event_iteration::{Fired, Outcome};
use crate::run::memory::{StateSizes, TapeBuffers};
use crate::run::phase::zero_crossings::Guard;
use crate::run::prepare::Prepared;
use crate::run::prepare::discrete_part::DiscretePart;
use crate::run::values::Side;

/// So many combinations of signs are tried: errors that cancel in all of them are rare.
const COMBINATIONS: u32 = 4;

/// States are not more exact than this, relative to their size: a step adds up about so many terms of that size.
pub(crate) const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// The tolerance, over what counts as rounding: the inverse of the share of the tolerance that the run takes for noise.
const SLIGHT: f64 = 1e3;

/// What rounding makes of states in a few steps, in roundings.
const ROUNDINGS: f64 = 4.0;
/// What was never larger than this share of its noise is nothing else.
const NOTHING: f64 = 1e-3;
/// No variable is wrong by more than so many tolerances of the largest value that it ever had.
pub(crate) const TOLERANCES: f64 = 10.0;

/// How large the noise of each guard is.
pub(crate) struct GuardNoise {
    /// Of differences of the sides of atoms.
    atoms: IndexVec<RelationId, f64>,
    /// Of arguments of stairs.
    stairs: Vec<f64>,
    /// How large the sides of atoms ever were before this phase.
    largest: IndexVec<RelationId, f64>,
    /// Where the mode is stiff, the tolerance.
    stiff: Option<f64>,
}

impl GuardNoise {
    /// The noise of a guard whose sides were so large in this phase. A stiff mode damps the errors of its fast states, so that the
    /// current of a diode is right although it is a hundred thousand times a difference of voltages: there it is not more than
    /// all that a variable may be wrong by.
    pub fn of(&self, guard: Guard, size: f64) -> f64 {
        match guard {
            Guard::Atom(atom) => {
                let noise = self.atoms[atom];
                let most = |tolerance: f64| {
                    let size = self.largest[atom].max(size);
                    // Rounding is not made smaller with errors, and adds up over some steps.
                    let rounding = ROUNDINGS * LARGEST_AMPLIFICATION * ROUNDING / tolerance * noise;
                    let bound = (TOLERANCES * tolerance * size).max(rounding);
                    if size > NOTHING * noise { bound } else { f64::INFINITY }
                };
                noise.min(self.stiff.map_or(f64::INFINITY, most))
            }
            Guard::Edge(stair, _) => self.stairs[stair],
            Guard::Share(..) | Guard::Ray(_) => 0.0,
        }
    }

    /// Whether the tolerance never resolved a guard whose sides were so large in this phase, although the mode may: a stiff one damps
    /// the errors by which the noise is measured. To take such a guard for noise is a guess, and is told.
    pub fn is_guess(&self, guard: Guard, size: f64) -> bool {
        let Guard::Atom(atom) = guard else { return false };
        let size = self.largest[atom].max(size);
        size > 0.0 && size <= self.atoms[atom]
    }
}

/// By atom and the truth it had: whether its last event changed nothing but laws that agree there.
pub(crate) struct SlightEvents(IndexVec<RelationId, [bool; 2]>);

impl SlightEvents {
    /// None yet, of so many atoms.
    pub fn new(atom_count: usize) -> Self {
        SlightEvents((0..atom_count).map(|_| [false; 2]).collect())
    }

    /// Remembers whether an event was slight, for what fired.
    pub fn learn(&mut self, prepared: &Prepared, left: &Side<'_>, fired: &Fired, outcome: &Outcome<'_>) {
        let is_slight =
            outcome.whens.is_empty() && outcome.impulses.is_empty() && !jumps(prepared, left, &outcome.right);
        for &atom in &fired.atoms {
            let truth = left.discrete[prepared.discrete.atoms[atom].variable] != 0.0;
            self.0[atom][usize::from(truth)] = is_slight;
        }
    }

    /// Whether a guard may be noise: its last crossing from the truth that it has on this side was slight.
    pub fn contains(&self, prepared: &Prepared, guard: Guard, side: &Side<'_>) -> bool {
        let Guard::Atom(atom) = guard else { return false };
        let truth = side.discrete[prepared.discrete.atoms[atom].variable] != 0.0;
        self.0[atom][usize::from(truth)]
    }
}

/// Whether a variable or a derivative that exists on both sides jumps by more than the tolerance of what it is made of.
fn jumps(prepared: &Prepared, left: &Side<'_>, right: &Side<'_>) -> bool {
    let tolerance = SLIGHT * prepared.noise.relative;
    let quantities = left.mode.quantities.list().iter().zip(&left.jet);
    quantities.into_iter().any(|(&quantity, &before)| {
        let Some(place) = right.mode.quantities.index(quantity.of, quantity.order) else { return false };
        let after = right.jet[place.index()];
        let is_more = |size: f64| (after - before).abs() > tolerance * size;
        // What it is itself is at hand; most that do not jump are told by that.
        is_more(before.abs().max(after.abs()).max(prepared.declared_nominal(quantity.of)))
            && is_more(left.size_of(prepared, quantity))
            && is_more(right.size_of(prepared, quantity))
    })
}

impl GuardNoise {
    /// The noise of all guards at a point of a phase.
    pub fn at(
        prepared: &Prepared,
        surroundings: &Surroundings,
        buffers: &mut TapeBuffers,
        (side, states, sizes): (&Side<'_>, &[f64], &StateSizes),
        (largest, is_stiff): (&IndexVec<RelationId, f64>, bool),
        tolerance: f64,
    ) -> Self {
        let DiscretePart { atoms, stairs, .. } = &prepared.discrete;
        let (of_atoms, of_stairs) = (atoms.iter().map(|_| 0.0).collect(), vec![0.0; stairs.len()]);
        let (largest, stiff) = (largest.clone(), is_stiff.then_some(tolerance));
        let mut noise = GuardNoise { atoms: of_atoms, stairs: of_stairs, largest, stiff };
        if states.is_empty() {
            return noise;
        }
        let right = differences(prepared, buffers, side);
        for combination in 0..COMBINATIONS {
            let wrong = wrong_by(prepared, surroundings, (side, states, sizes), tolerance, combination);
            let shown = side.mode.program.borrow().largest_error(&side.jet, &wrong.jet) / tolerance;
            if !shown.is_finite() {
                continue;
            }
            let share = 1.0 / shown.min(LARGEST_AMPLIFICATION).min(tolerance / ROUNDING).max(1.0);
            let differences = differences(prepared, buffers, &wrong);
            let places = noise.atoms.iter_mut().chain(&mut noise.stairs);
            for (place, (wrong, right)) in places.zip(differences.iter().zip(&right)) {
                let error = share * (wrong - right).abs();
                *place = if error.is_finite() { place.max(error) } else { *place };
            }
        }
        noise
    }
}

/// The side with states that are wrong by their tolerance; not a number where there is none.
fn wrong_by<'a>(
    prepared: &Prepared,
    surroundings: &Surroundings,
    (side, states, sizes): (&Side<'a>, &[f64], &StateSizes),
    tolerance: f64,
    combination: u32,
) -> Side<'a> {
    let mut program = side.mode.program.borrow_mut();
    let wrong: Vec<f64> = program
        .state_quantities()
        .zip(states)
        .enumerate()
        .map(|(number, (quantity, state))| {
            let size = state.abs().max(prepared.declared_nominal(quantity.of)).max(sizes.size(quantity));
            state + sign(number, combination) * tolerance * size
        })
        .collect();
    let mut moved = side.clone();
    if program.evaluate(side.time, &wrong, surroundings, &mut moved.jet).is_err() {
        moved.jet.fill(f64::NAN);
    }
    drop(program);
    moved
}

/// Differences of the sides of atoms, then arguments of stairs.
fn differences(prepared: &Prepared, buffers: &mut TapeBuffers, side: &Side<'_>) -> Vec<f64> {
    let (sides, arguments) = buffers.watched(prepared, side).split_at(2 * prepared.discrete.atoms.len());
    sides.chunks_exact(2).map(|sides| sides[0] - sides[1]).chain(arguments.iter().copied()).collect()
}

/// The sign of the error of a state: neighbours differ in the first combination, all others sooner or later.
pub(crate) fn sign(state: usize, combination: u32) -> f64 {
    let bits = match combination {
        0 => state as u64,
        _ => (state as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - 8 * combination),
    };
    if bits & 1 == 0 { 1.0 } else { -1.0 }
}
