//! Restart by levels against exact arithmetic, on random linear mode changes.

use crate::one_change::{
    Defect, DifferenceArray, Memory, Noise, Note, Past, PastStructure, Potentials, Restart, laurent_restart, restart,
};
use crate::one_mode::Jet;
use crate::suite::support;
use crate::suite::support::array_restart::ArrayRestart;
use modeshift_dae::Id;
use modeshift_structure::one_mode::ModeStructure;
use support::random::{LinearMode, Random, Shape, equation, mode};
use support::rational::Rational;
use support::resolvent::{self, Exact};

const SHAPES: [Shape; 3] = [
    Shape { highest_order: 1, density: 35, coefficients: 1 },
    Shape { highest_order: 1, density: 25, coefficients: 5 },
    Shape { highest_order: 2, density: 25, coefficients: 5 },
];

/// A random mode with `seed % 5` levels, where a few hundred attempts find one.
fn mode_with_levels(random: &mut Random, seed: u64) -> LinearMode {
    let size = 2 + random.below(5) as usize;
    let shape = SHAPES[seed as usize % SHAPES.len()];
    let wanted = seed % 5;
    let mut attempts = (0..300).map(|_| mode(random, size.max(wanted as usize + 1), shape));
    let found = attempts.find(|mode| u64::from(mode.structure.highest_offset()) == wanted);
    found.unwrap_or_else(|| mode(random, size, shape))
}

fn random_memory(random: &mut Random, structure: &ModeStructure) -> Vec<Vec<Rational>> {
    let count = |column| structure.written_order(column) as usize;
    let value = |random: &mut Random| Rational::integer(random.integer(9));
    structure.columns().map(|column| (0..count(column)).map(|_| value(random)).collect()).collect()
}

/// A past of which all memory is known and that satisfies no equation.
fn past(structure: &ModeStructure, memory: &[Vec<Rational>]) -> Past {
    let values = memory.iter().map(|values| values.iter().map(|value| value.value()).collect::<Vec<f64>>());
    Past {
        jet: Jet::new(0.0, values),
        leading_order: structure.columns().map(|column| structure.written_order(column)).collect(),
        is_new: structure.rows().map(|_| true).collect(),
        offset: structure.rows().map(|_| 0).collect(),
        start: structure.columns().map(|_| None).collect(),
    }
}

fn is_close(found: f64, exact: f64, size: f64) -> bool {
    (found - exact).abs() <= 1e-9 * size.max(1.0)
}

fn check_equal(restart: &Restart, exact: &[Exact], structure: &ModeStructure, context: &str) {
    let size = exact
        .iter()
        .flat_map(|exact| exact.right.iter().chain(&exact.weights))
        .map(|value| value.value().abs())
        .fold(0.0, f64::max);
    for column in structure.columns() {
        let expected = &exact[column.index()];
        for order in 0..=structure.variable_offset(column) {
            let (found, value) = (restart.right.get(column, order), expected.right[order as usize].value());
            assert!(is_close(found, value, size), "{context}: x{}^({order}) = {found}, exact {value}", column.0);
        }
        let weights = &restart.weights[column];
        for p in 0..weights.len().max(expected.weights.len()) {
            let found = weights.get(p).copied().unwrap_or(0.0);
            let value = expected.weights.get(p).map_or(0.0, |weight| weight.value());
            assert!(is_close(found, value, size), "{context}: delta^({p}) in x{} = {found}, exact {value}", column.0);
        }
    }
}

/// Where the Jacobian is singular, one step as a Laurent series still gives the answer, if there is one.
fn check_fallback(mode: &LinearMode, memory: &[Vec<Rational>], context: &str) {
    let Some(exact) = resolvent::restart(&mode.equations, memory, 8) else { return };
    let found = laurent_restart(&mode.structure, &mode.system, &past(&mode.structure, memory).jet).expect("a step");
    let size = exact.iter().map(|exact| exact.right[0].value().abs()).fold(1.0, f64::max);
    for (column, exact) in mode.structure.columns().zip(&exact) {
        let (found, exact) = (found.right.get(column, 0), exact.right[0].value());
        assert!((found - exact).abs() <= 1e-7 * size, "{context}: x{} = {found}, exact {exact}", column.0);
    }
}

fn describe(mode: &LinearMode, seed: u64) -> String {
    format!("seed {seed}, {:?}", mode.equations)
}

#[test]
fn right_limits_and_weights_are_exact_where_the_jacobian_is_regular_and_detected_elsewhere() {
    let (mut checked, mut singular, mut by_level) = (0, 0, [0; 6]);
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let mode = mode_with_levels(&mut random, seed);
        let memory = random_memory(&mut random, &mode.structure);
        let result = restart(&mode.structure, &mode.system, &past(&mode.structure, &memory), &Noise::default());
        let is_singular = resolvent::is_singular(&mode.jacobian());
        let noticed = result.notes.iter().any(|note| matches!(note, Note::Unsolved { .. }));
        assert_eq!(is_singular, noticed, "{}", describe(&mode, seed));
        let highest = mode.structure.highest_offset();
        if is_singular {
            singular += 1;
            check_fallback(&mode, &memory, &describe(&mode, seed));
        } else if let Some(exact) = resolvent::restart(&mode.equations, &memory, 8) {
            check_equal(&result, &exact, &mode.structure, &describe(&mode, seed));
            checked += 1;
            by_level[highest.min(5) as usize] += 1;
        }
    }
    println!("{checked} exact, {singular} singular, by number of levels {by_level:?}");
    assert!(checked > 1500 && by_level[1..=4].iter().all(|&count| count >= 20), "{checked} {by_level:?}");
}

/// A mode that shares all but one or two equations with another.
fn changed(random: &mut Random, before: &LinearMode, shape: Shape) -> Option<(LinearMode, Vec<bool>)> {
    let size = before.equations.len();
    let mut equations = before.equations.clone();
    let mut is_new = vec![false; size];
    for _ in 0..1 + random.below(2) {
        let row = random.below(size as u64) as usize;
        equations[row] = equation(random, size, shape);
        is_new[row] = true;
    }
    Some((LinearMode::new(equations)?, is_new))
}

/// Left limits after a stay in the mode before, as far as that mode computes them.
fn past_of_mode(before: &LinearMode, limits: &[Exact], is_new: Vec<bool>) -> Past {
    let structure = &before.structure;
    let computed = |column| {
        let limits = &limits[Id::index(column)].right;
        limits[..=structure.variable_offset(column) as usize].iter().map(|value| value.value()).collect::<Vec<f64>>()
    };
    Past {
        jet: Jet::new(0.0, structure.columns().map(computed)),
        leading_order: structure.columns().map(|column| structure.variable_offset(column)).collect(),
        is_new: is_new.into_iter().collect(),
        offset: structure.rows().map(|row| structure.equation_offset(row)).collect(),
        start: structure.columns().map(|_| None).collect(),
    }
}

#[test]
fn a_change_of_some_equations_moves_what_depends_on_them_and_nothing_else() {
    let (mut checked, mut kept, mut jumped) = (0, 0, 0);
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let before = mode_with_levels(&mut random, seed);
        let memory = random_memory(&mut random, &before.structure);
        let Some(limits) = resolvent::restart(&before.equations, &memory, 8) else { continue };
        let Some((after, is_new)) = changed(&mut random, &before, SHAPES[1]) else { continue };
        let past = past_of_mode(&before, &limits, is_new);
        let result = restart(&after.structure, &after.system, &past, &Noise::default());
        if resolvent::is_singular(&after.jacobian()) || !result.memory.missing.is_empty() {
            continue;
        }
        let memory: Vec<Vec<Rational>> = limits.iter().map(|limits| limits.right.clone()).collect();
        let Some(exact) = resolvent::restart(&after.equations, &memory, 8) else { continue };
        check_equal(&result, &exact, &after.structure, &describe(&after, seed));
        checked += 1;
        let fresh = after.structure.rows().filter(|&row| past.is_new[row]).map(|row| Defect { row, first: 0 });
        let reached = Potentials::spread(&after.structure, fresh);
        for column in after.structure.columns() {
            let same = result.right.get(column, 0).to_bits() == past.jet.get(column, 0).to_bits();
            assert!(same || reached.of(&after.structure, column).is_some(), "{}", describe(&after, seed));
            if same { kept += 1 } else { jumped += 1 }
        }
    }
    println!("{checked} changes, {kept} values kept to the bit, {jumped} changed");
    assert!(checked > 1000 && kept > 500 && jumped > 500);
}

/// The past of a mode that stays, without values to fall back on: what the array knows.
fn bare(past: &Past) -> PastStructure {
    let mut structure = past.structure();
    structure.computed.iter_mut().for_each(|computed| *computed = 0);
    structure
}

#[test]
fn the_difference_array_erases_the_same_equations_and_restarts_at_the_same_values() {
    let (mut compared, mut erased, mut undetermined, mut solved) = (0, 0, 0, 0);
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let before = mode_with_levels(&mut random, seed);
        let memory = random_memory(&mut random, &before.structure);
        let Some(limits) = resolvent::restart(&before.equations, &memory, 8) else { continue };
        let Some((after, is_new)) = changed(&mut random, &before, SHAPES[1]) else { continue };
        let past = past_of_mode(&before, &limits, is_new);
        let array = DifferenceArray::new(&after.structure, &bare(&past));
        let levels = Memory::new(&after.structure, &bare(&past));
        assert_eq!(array.erased, levels.erased, "{}", describe(&after, seed));
        assert_eq!(array.undetermined.is_empty(), levels.undetermined().next().is_none(), "{}", describe(&after, seed));
        compared += 1;
        erased += levels.erased.len();
        undetermined += usize::from(!array.undetermined.is_empty());
        let result = restart(&after.structure, &after.system, &past, &Noise::default());
        // Divided differences lose digits with every order, and a birth in reach of an impulse is a convention.
        let comparable = after.structure.highest_offset() <= 2 && result.memory.missing.is_empty();
        if !comparable || !array.undetermined.is_empty() || !result.notes.is_empty() {
            continue;
        }
        let Ok(found) = ArrayRestart::new(&after.structure, &bare(&past), &after.system, &past, 1e-3, 1) else {
            continue;
        };
        for column in after.structure.columns().filter(|&column| after.structure.variable_offset(column) > 0) {
            let (levels, array) = (result.right.get(column, 0), found.right.get(column, 0));
            let size = result.right.get(column, 0).abs().max(10.0);
            assert!(
                (levels - array).abs() <= 1e-5 * size,
                "{}: x{} {levels} {array}",
                describe(&after, seed),
                column.0
            );
        }
        solved += 1;
    }
    println!("{compared} compared, {erased} equations erased, {undetermined} undetermined, {solved} solved");
    assert!(compared > 1000 && erased > 300 && undetermined > 100 && solved > 300);
}

#[test]
fn impulse_orders_are_never_too_low_and_mostly_exact() {
    let (mut exact_orders, mut too_high) = (0, 0);
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let mode = mode_with_levels(&mut random, seed);
        let memory = random_memory(&mut random, &mode.structure);
        if resolvent::is_singular(&mode.jacobian()) {
            continue;
        }
        let Some(exact) = resolvent::restart(&mode.equations, &memory, 8) else { continue };
        let everything = mode.structure.rows().map(|row| Defect { row, first: 0 });
        let potentials = Potentials::spread(&mode.structure, everything);
        for column in mode.structure.columns() {
            let predicted = potentials.order(&mode.structure, column).map_or(0, |order| order.max(0));
            let actual = exact[column.index()].weights.len() as i64;
            assert!(predicted >= actual, "{}: x{}", describe(&mode, seed), column.0);
            if predicted == actual { exact_orders += 1 } else { too_high += 1 }
        }
    }
    println!("{exact_orders} exact, {too_high} too high");
    assert!(too_high * 10 < exact_orders, "{too_high} of {exact_orders}");
}

#[test]
fn an_event_that_changes_nothing_keeps_every_bit() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mode = mode_with_levels(&mut random, seed);
        let memory = random_memory(&mut random, &mode.structure);
        let Some(limits) = resolvent::restart(&mode.equations, &memory, 8) else { continue };
        let past = past_of_mode(&mode, &limits, vec![false; mode.equations.len()]);
        let result = restart(&mode.structure, &mode.system, &past, &Noise::default());
        for column in mode.structure.columns() {
            let bits = |jet: &Jet| jet.derivatives(column).iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
            assert_eq!(bits(&result.right), bits(&past.jet), "{}", describe(&mode, seed));
            assert!(result.weights[column].is_empty());
        }
    }
}
