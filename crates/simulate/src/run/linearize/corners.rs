//! Corners at the point that is linearized: there the derivatives are others on both sides, and a matrix would be that of one of them.
//!
//! What decides in an equation without an event (`abs`, `min`, relations inside `noEvent`) is looked at: where it is at zero and a state
//! or an input moves it, or where it cannot be looked into, the derivatives a little to both sides are compared. Those of smooth
//! equations come together as the sides do; those of a corner do not.

use modeshift_dae::{EquationId, VariableId};

use crate::program::{CornerKind, Corners, Program, Surroundings, TangentPoint, Tangents};

/// Rounding in what decides, as a share of its parts.
const ROUNDING: f64 = 1e-13;
/// Changes of what decides that are less than this share of their parts are none.
const SLIGHT: f64 = 1e-9;
/// How far the sides are, as a share of a value; and the nearer ones as a share of that.
const ASIDE: f64 = 1e-5;
const NEARER: f64 = 0.1;
/// Derivatives that come together are this much nearer where the sides are: half of what they are is far from that, and from all.
const TOGETHER: f64 = 0.5;
/// Differences of derivatives that are less than this share of them are rounding.
const SAME: f64 = 1e-8;

/// A place in a mode.
pub(super) struct Place<'p> {
    pub time: f64,
    pub states: &'p [f64],
    pub jet: &'p [f64],
    pub surroundings: &'p Surroundings,
    pub inputs: &'p [VariableId],
    /// Of each quantity the derivatives, as they were found.
    pub rows: &'p [Vec<f64>],
}

/// The equation that has other derivatives on both sides of a place, if one has.
pub(super) fn corner(program: &mut Program, tangents: &Tangents, place: &Place<'_>) -> Option<EquationId> {
    let corners = match tangents.corners() {
        Ok(Some(corners)) => corners,
        Ok(None) => return None,
        Err(equation) => return Some(equation),
    };
    (0..place.states.len() + place.inputs.len()).find_map(|direction| {
        let equation = deciding(corners, place, direction)?;
        bends(program, tangents, place, direction).then_some(equation)
    })
}

/// An equation in which something may be decided another way a little along a direction.
fn deciding(corners: &Corners, place: &Place<'_>, direction: usize) -> Option<EquationId> {
    let decided = corners.at(place.time, place.jet, place.surroundings);
    let change: Vec<f64> = place.rows.iter().map(|row| row[direction]).collect();
    let given: Vec<f64> =
        (0..place.inputs.len()).map(|at| f64::from(u8::from(place.states.len() + at == direction))).collect();
    let inputs: Vec<f64> = place.inputs.iter().map(|&id| value(place.surroundings, id)).collect();
    let may_turn = |number: usize, kind: CornerKind| {
        let (sum, parts) = corners.change(&decided, number, &change, &given);
        let (_, size) = corners.change(&decided, number, place.jet, &inputs);
        let is_open = kind == CornerKind::Argument || decided.values[number].abs() <= ROUNDING * size;
        is_open && sum.abs() > SLIGHT * parts
    };
    let mut kinds = corners.kinds().iter().enumerate();
    kinds.find(|&(number, &(kind, _))| may_turn(number, kind)).map(|(_, &(_, equation))| equation)
}

fn value(surroundings: &Surroundings, input: VariableId) -> f64 {
    surroundings.value(modeshift_numerics::Input::Variable(input, 0))
}

/// Whether derivatives on both sides of a place stay apart as the sides come together.
fn bends(program: &mut Program, tangents: &Tangents, place: &Place<'_>, direction: usize) -> bool {
    let apart = |program: &mut Program, share: f64| -> Option<(f64, f64)> {
        let (one, other) =
            (beside(program, tangents, place, direction, share)?, beside(program, tangents, place, direction, -share)?);
        let pairs = || one.iter().flatten().zip(other.iter().flatten());
        let size = pairs().fold(0.0_f64, |size, (a, b)| size.max(a.abs()).max(b.abs()));
        Some((pairs().fold(0.0_f64, |most, (a, b)| most.max((a - b).abs())), size))
    };
    let (Some((far, size)), Some((near, _))) = (apart(program, ASIDE), apart(program, ASIDE * NEARER)) else {
        // On one side there is nothing.
        return true;
    };
    far > SAME * size && near > TOGETHER * far
}

/// The derivatives a little beside a place, in a direction.
fn beside(
    program: &mut Program,
    tangents: &Tangents,
    place: &Place<'_>,
    direction: usize,
    share: f64,
) -> Option<Vec<Vec<f64>>> {
    let (mut states, mut surroundings, mut jet) =
        (place.states.to_vec(), place.surroundings.clone(), place.jet.to_vec());
    let moved = |value: f64| value + share * if value == 0.0 { 1.0 } else { value.abs() };
    match states.get_mut(direction) {
        Some(state) => *state = moved(*state),
        None => {
            let input = place.inputs[direction - place.states.len()];
            surroundings.set_variable(input, moved(value(place.surroundings, input)));
        }
    }
    program.evaluate(place.time, &states, &surroundings, &mut jet).ok()?;
    let point = TangentPoint { time: place.time, jet: &jet, surroundings: &surroundings };
    tangents.at(program.quantities(), point).ok()
}
