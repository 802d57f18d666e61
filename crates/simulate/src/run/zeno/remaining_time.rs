//! The time that is left to a limit, passed in the mode of rest.
//!
//! Events that accumulate end before their limit, where they can no longer be told apart. What is left is passed at once only
//! where it is short for everything else in the model: one step of a Runge–Kutta method leads to the same states as two halves of it, and
//! no guard leaves its side in it. Otherwise nothing may be passed over, and the run goes on event by event.

use modeshift_dae::{Derivative, Id, VariableId};

use crate::program::Surroundings;
use crate::run::memory::Memory;
use crate::run::modes::VisitedModes;
use crate::run::prepare::Prepared;
use crate::run::values::Side;

/// States are not more exact than some roundings.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A side a little later, or earlier, in the same mode; nothing where that is not short.
pub(super) fn after_remaining_time<'a>(
    prepared: &'a Prepared,
    visited: &mut VisitedModes<'a>,
    memory: &mut Memory,
    side: &Side<'a>,
    time: f64,
) -> Option<Side<'a>> {
    if time == side.time {
        return Some(side.clone());
    }
    if side.sliding.is_some() {
        return None;
    }
    visited.surround(side);
    let surroundings = visited.surroundings.clone();
    let surroundings = &surroundings.borrow();
    side.mode.choose_states(&mut visited.programs, side.time, &side.jet, surroundings).ok()?;
    let mut states = Vec::new();
    side.mode.program.borrow().states_of(&side.jet, &mut states);
    side.mode.program.borrow_mut().begin_path();
    let half = 0.5 * (time - side.time);
    let whole = runge_kutta(side, surroundings, &states, (side.time, 2.0 * half))?;
    let middle = runge_kutta(side, surroundings, &states, (side.time, half))?;
    let halves = runge_kutta(side, surroundings, &middle, (side.time + half, half))?;
    let quantities: Vec<Derivative<VariableId>> = side.mode.program.borrow().state_quantities().collect();
    let rounding = side.least_change(half.abs());
    let is_same = quantities.iter().zip(whole.iter().zip(&halves)).all(|(&state, (whole, halves))| {
        let size = halves.abs().max(prepared.declared_nominal(state.of)).max(memory.sizes.size(state));
        (whole - halves).abs() <= prepared.noise.relative.max(ROUNDING) * size + rounding
    });
    if !is_same {
        return None;
    }
    let middle = with_states(side, surroundings, &middle, side.time + half)?;
    let later = with_states(side, surroundings, &halves, time)?;
    stay_on_their_sides(prepared, memory, [side, &middle, &later]).then_some(later)
}

/// One step of the classical method.
fn runge_kutta(
    side: &Side<'_>,
    surroundings: &Surroundings,
    states: &[f64],
    (time, step): (f64, f64),
) -> Option<Vec<f64>> {
    let mut program = side.mode.program.borrow_mut();
    let (mut slope, mut sum) = (vec![0.0; states.len()], vec![0.0; states.len()]);
    for (share, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
        let point: Vec<f64> = states.iter().zip(&slope).map(|(state, slope)| state + share * step * slope).collect();
        program.derivative(time + share * step, &point, surroundings, &mut slope).ok()?;
        sum.iter_mut().zip(&slope).for_each(|(sum, slope)| *sum += weight * slope);
    }
    Some(states.iter().zip(sum).map(|(state, sum)| state + step / 6.0 * sum).collect())
}

/// The side at another time, with these states.
fn with_states<'a>(side: &Side<'a>, surroundings: &Surroundings, states: &[f64], time: f64) -> Option<Side<'a>> {
    let mut other = Side { time, ..side.clone() };
    side.mode.program.borrow_mut().evaluate(time, states, surroundings, &mut other.jet).ok()?;
    Some(other)
}

/// Whether no guard leaves its side between the first and the last of three sides.
fn stay_on_their_sides(prepared: &Prepared, memory: &mut Memory, sides: [&Side<'_>; 3]) -> bool {
    let (part, discrete) = (&prepared.discrete, &sides[0].discrete);
    let values = sides.map(|side| memory.buffers.watched(prepared, side).to_vec());
    let (differences, arguments) = values[0].split_at(2 * part.atoms.len());
    // What does not exist in the mode has no value, and leaves nothing.
    let atom_leaves = part.atoms.iter_enumerated().zip(differences.chunks_exact(2)).any(|((id, atom), ends)| {
        let side = atom.side(discrete[atom.variable] != 0.0);
        let at = 2 * id.index();
        let course = values.each_ref().map(|values| side * (values[at] - values[at + 1]));
        lowest(course) < -memory.clear_level(prepared, id, ends[0].abs() + ends[1].abs())
    });
    let stair_leaves = part.stairs.iter().zip(arguments).enumerate().any(|(number, (stair, argument))| {
        let (low, high) = stair.rounding.edges(discrete[stair.variable]);
        let course = values.each_ref().map(|values| values[2 * part.atoms.len() + number]);
        let [above, below] = [course.map(|it| it - low), course.map(|it| high - it)];
        lowest(above).min(lowest(below)) < -ROUNDING * argument.abs()
    });
    !atom_leaves && !stair_leaves
}

/// The lowest value, within, of the parabola through three values at equal distances.
fn lowest([first, middle, last]: [f64; 3]) -> f64 {
    let (slope, bend) = (0.5 * (last - first), 0.5 * (first + last) - middle);
    let has_vertex = bend > 0.0 && slope.abs() < 2.0 * bend;
    let vertex = if has_vertex { middle - 0.25 * slope * slope / bend } else { middle };
    first.min(middle).min(last).min(vertex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_value_of_a_parabola_may_be_between_values() {
        // (x - 0.5)^2 - 0.1 at -1, 0, 1; then a line.
        assert!((lowest([2.15, 0.15, 0.15]) + 0.1).abs() < 1e-15);
        assert_eq!(lowest([3.0, 2.0, 1.0]), 1.0);
    }
}
