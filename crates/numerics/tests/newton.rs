//! Newton on standard problems (Moré, Garbow, Hillstrom, *Testing Unconstrained Optimization Software*, 1981), and
//! what is reported where there is no solution.

use crate::common;
use common::{Random, model_with};
use modeshift_dae::{Builtin, ExpressionId, Expressions, FlatModel, VariableId};
use modeshift_numerics::{
    Attempt, Block, Compiler, Converged, Differentiated, Input, NativeFunctions, NewtonFailure, NewtonFailureReason,
    NewtonSettings, solve_newton,
};

/// A model with unknowns `x0, x1, …` and its residuals.
fn system(size: usize, build: impl FnOnce(&mut Expressions, &[ExpressionId]) -> Vec<ExpressionId>) -> Differentiated {
    let mut model: FlatModel = model_with(size);
    let unknowns: Vec<ExpressionId> =
        (0..size as u32).map(|index| model.expressions.variable(VariableId(index), 0)).collect();
    let rows = build(&mut model.expressions, &unknowns);
    let inputs: Vec<Input> = (0..size as u32).map(|index| Input::Variable(VariableId(index), 0)).collect();
    Compiler::new(&model, &NativeFunctions::new()).differentiated(&rows, &inputs).expect("numeric")
}

fn solve(
    system: &Differentiated,
    start: &[f64],
    settings: &NewtonSettings,
) -> Result<(Converged, Vec<f64>), Box<NewtonFailure>> {
    let mut unknowns = start.to_vec();
    let converged = solve_newton(&mut Block::new(system, &[]), &mut unknowns, settings)?;
    Ok((converged, unknowns))
}

fn check_solution(system: &Differentiated, start: &[f64], expected: &[f64]) -> usize {
    let (converged, found) = solve(system, start, &NewtonSettings::default()).expect("converges");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found} instead of {expected}");
    }
    converged.iterations
}

fn square(e: &mut Expressions, a: ExpressionId) -> ExpressionId {
    let two = e.integer(2);
    e.power(a, two)
}

fn scaled(e: &mut Expressions, factor: f64, a: ExpressionId) -> ExpressionId {
    let factor = e.real(factor);
    e.product(factor, a)
}

fn minus(e: &mut Expressions, a: ExpressionId, number: f64) -> ExpressionId {
    let number = e.real(number);
    e.difference(a, number)
}

#[test]
fn a_linear_system_takes_one_iteration() {
    let linear = system(2, |e, x| {
        let sum = e.sum(x[0], x[1]);
        let difference = e.difference(x[0], x[1]);
        vec![minus(e, sum, 5.0), minus(e, difference, 1.0)]
    });
    assert_eq!(check_solution(&linear, &[0.0, 0.0], &[3.0, 2.0]), 1);
}

/// The gradient of 100 (y - x²)² + (1 - x)².
fn rosenbrock_gradient() -> Differentiated {
    system(2, |e, x| {
        let square = square(e, x[0]);
        let valley = e.difference(x[1], square);
        let steep = e.product(x[0], valley);
        let steep = scaled(e, -400.0, steep);
        let slope = scaled(e, 2.0, x[0]);
        let first = e.sum(steep, slope);
        vec![minus(e, first, 2.0), scaled(e, 200.0, valley)]
    })
}

#[test]
fn the_gradient_of_rosenbrocks_valley_vanishes_at_one() {
    for start in [[-1.2, 1.0], [0.0, 0.0], [10.0, -7.0], [-50.0, 30.0]] {
        check_solution(&rosenbrock_gradient(), &start, &[1.0, 1.0]);
    }
}

#[test]
fn powells_badly_scaled_function_is_solved() {
    // 1e4 x y = 1, exp(-x) + exp(-y) = 1.0001
    let powell = system(2, |e, x| {
        let product = e.product(x[0], x[1]);
        let product = scaled(e, 1e4, product);
        let powers = [x[0], x[1]].map(|x| {
            let negative = e.negate(x);
            e.call(Builtin::Exp, &[negative])
        });
        let sum = e.sum(powers[0], powers[1]);
        vec![minus(e, product, 1.0), minus(e, sum, 1.0001)]
    });
    let settings = NewtonSettings { nominal: vec![1e-5, 1.0], ..NewtonSettings::default() };
    let (_, found) = solve(&powell, &[0.0, 1.0], &settings).expect("converges");
    assert!((found[0] / 1.098_159_3e-5 - 1.0).abs() < 1e-6 && (found[1] / 9.106_146_7 - 1.0).abs() < 1e-6, "{found:?}");
}

#[test]
fn powells_singular_function_is_approached_although_the_jacobian_degenerates() {
    let powell = system(4, |e, x| {
        let ten = scaled(e, 10.0, x[1]);
        let first = e.sum(x[0], ten);
        let difference = e.difference(x[2], x[3]);
        let second = scaled(e, 5f64.sqrt(), difference);
        let twice = scaled(e, 2.0, x[2]);
        let inner = e.difference(x[1], twice);
        let third = square(e, inner);
        let outer = e.difference(x[0], x[3]);
        let fourth = square(e, outer);
        let fourth = scaled(e, 10f64.sqrt(), fourth);
        vec![first, second, third, fourth]
    });
    let (_, found) = solve(&powell, &[3.0, -1.0, 0.0, 1.0], &NewtonSettings::default()).expect("converges");
    assert!(found.iter().all(|value| value.abs() < 1e-6), "{found:?}");
}

#[test]
fn helical_valley_is_solved() {
    let helix = system(3, |e, x| {
        let angle = e.call(Builtin::Atan2, &[x[1], x[0]]);
        let turns = scaled(e, 100.0 / (2.0 * std::f64::consts::PI), angle);
        let height = scaled(e, 10.0, x[2]);
        let first = e.difference(height, turns);
        let (x2, y2) = (square(e, x[0]), square(e, x[1]));
        let sum = e.sum(x2, y2);
        let radius = e.call(Builtin::Sqrt, &[sum]);
        let second = minus(e, radius, 1.0);
        vec![first, scaled(e, 10.0, second), x[2]]
    });
    // Not across the cut of atan2, where the function itself jumps.
    check_solution(&helix, &[0.3, 0.8, 0.5], &[1.0, 0.0, 0.0]);
}

#[test]
fn a_start_with_a_singular_jacobian_is_left_behind() {
    // x*y = 6, x + y = 5 from (0, 0), where both derivatives of the product vanish.
    let pair = system(2, |e, x| {
        let (product, sum) = (e.product(x[0], x[1]), e.sum(x[0], x[1]));
        vec![minus(e, product, 6.0), minus(e, sum, 5.0)]
    });
    let (_, mut found) = solve(&pair, &[0.0, 0.5], &NewtonSettings::default()).expect("converges");
    found.sort_by(f64::total_cmp);
    assert!((found[0] - 2.0).abs() < 1e-9 && (found[1] - 3.0).abs() < 1e-9, "{found:?}");
    // x² = 4 from exactly 0 has no way downhill on either side; from beside it there is.
    let parabola = system(1, |e, x| {
        let square = square(e, x[0]);
        vec![minus(e, square, 4.0)]
    });
    check_solution(&parabola, &[1e-3], &[2.0]);
}

#[test]
fn a_diode_with_a_steep_exponential_is_damped_to_its_solution() {
    // 1e-12 (exp(v/0.025) - 1) = (5 - v)/1000 from v = 5: exp(200).
    let diode = system(1, |e, x| {
        let argument = scaled(e, 40.0, x[0]);
        let exponential = e.call(Builtin::Exp, &[argument]);
        let excess = minus(e, exponential, 1.0);
        let current = scaled(e, 1e-12, excess);
        let drop = minus(e, x[0], 5.0);
        let load = scaled(e, 1e-3, drop);
        vec![e.sum(current, load)]
    });
    let (_, found) = solve(&diode, &[5.0], &NewtonSettings::default()).expect("converges");
    let residual = 1e-12 * ((40.0 * found[0]).exp() - 1.0) - (5.0 - found[0]) / 1000.0;
    assert!(residual.abs() < 1e-12, "{found:?}");
}

#[test]
fn bounds_choose_between_solutions_and_keep_out_of_what_is_not_defined() {
    // x² = 4 with x <= 0, from 1.
    let parabola = system(1, |e, x| {
        let square = square(e, x[0]);
        vec![minus(e, square, 4.0)]
    });
    let below = NewtonSettings { bounds: vec![(-10.0, -0.1)], ..NewtonSettings::default() };
    let (_, found) = solve(&parabola, &[1.0], &below).expect("converges");
    assert!((found[0] + 2.0).abs() < 1e-9);
    // log(x) = -5: the full step from 1 leads to -4.
    let logarithm = system(1, |e, x| {
        let logarithm = e.call(Builtin::Log, &[x[0]]);
        vec![minus(e, logarithm, -5.0)]
    });
    let found = solve(&logarithm, &[1.0], &NewtonSettings::default()).expect("converges").1;
    assert!((found[0] / (-5f64).exp() - 1.0).abs() < 1e-6);
}

#[test]
fn equal_equations_are_named_as_dependent() {
    let twice = system(3, |e, x| {
        let sum = e.sum(x[0], x[1]);
        let half = scaled(e, 0.5, sum);
        vec![minus(e, sum, 5.0), minus(e, x[2], 1.0), minus(e, half, 3.0)]
    });
    let failure = solve(&twice, &[0.0; 3], &NewtonSettings::default()).expect_err("contradiction");
    let NewtonFailureReason::SingularJacobian(singular) = &failure.reason else { panic!("{:?}", failure.reason) };
    let rows: Vec<usize> = singular.dependent_rows[0].iter().map(|&(row, _)| row).collect();
    assert_eq!((singular.rank, rows), (2, vec![0, 2]));
    let report = failure.report(|unknown| format!("x{unknown}"), |row| format!("e{}", row + 1));
    assert_eq!(report[0], "dependent here: e1, e3; not determined: x0, x1");
}

#[test]
fn an_equation_without_solution_reports_where_it_got_stuck() {
    // x² + 1 = 0
    let nowhere = system(1, |e, x| {
        let square = square(e, x[0]);
        vec![minus(e, square, -1.0)]
    });
    let failure = solve(&nowhere, &[3.0], &NewtonSettings::default()).expect_err("no solution");
    assert!(!failure.iterates.is_empty() && failure.iterates.len() <= 8);
    assert_eq!(failure.residuals.len(), 1);
    let report = failure.report(|_| "x".to_string(), |_| "e1".to_string());
    assert!(report.iter().any(|line| line.starts_with("residual ") && line.ends_with(" in e1")), "{report:?}");
    assert!(report.iter().any(|line| line.starts_with("x = ") && line.contains("before: 3.0")), "{report:?}");
}

#[test]
fn a_start_outside_the_domain_names_the_equation() {
    let logarithm = system(2, |e, x| {
        let logarithm = e.call(Builtin::Log, &[x[1]]);
        vec![x[0], logarithm]
    });
    let failure = solve(&logarithm, &[0.0, -1.0], &NewtonSettings::default()).expect_err("not defined");
    assert_eq!(failure.reason, NewtonFailureReason::ResidualNotFinite(1));
}

#[test]
fn equations_in_other_units_take_the_same_path() {
    // Affine invariance: rows multiplied by 1e±8 do not change the iterates.
    let plain = rosenbrock_gradient();
    let stretched = system(2, |e, x| {
        let square = square(e, x[0]);
        let valley = e.difference(x[1], square);
        let steep = e.product(x[0], valley);
        let steep = scaled(e, -400.0, steep);
        let slope = scaled(e, 2.0, x[0]);
        let first = e.sum(steep, slope);
        let first = minus(e, first, 2.0);
        vec![scaled(e, 1e8, first), scaled(e, 200.0 * 1e-8, valley)]
    });
    let settings = NewtonSettings::default();
    let (a, b) = (solve(&plain, &[-1.2, 1.0], &settings), solve(&stretched, &[-1.2, 1.0], &settings));
    assert_eq!(a.expect("converges").0.iterations, b.expect("converges").0.iterations);
}

#[test]
fn large_sparse_systems_are_solved() {
    // Broyden's tridiagonal function.
    let size = 2000;
    let broyden = system(size, |e, x| {
        let mut rows = Vec::new();
        for index in 0..size {
            let square = square(e, x[index]);
            let square = scaled(e, -2.0, square);
            let linear = scaled(e, 3.0, x[index]);
            let mut row = e.sum(square, linear);
            if index > 0 {
                row = e.difference(row, x[index - 1]);
            }
            if index + 1 < size {
                let next = scaled(e, 2.0, x[index + 1]);
                row = e.difference(row, next);
            }
            rows.push(minus(e, row, -1.0));
        }
        rows
    });
    let (converged, found) = solve(&broyden, &vec![-1.0; size], &NewtonSettings::default()).expect("converges");
    assert!(converged.iterations < 10);
    assert!((found[size / 2] + std::f64::consts::FRAC_1_SQRT_2).abs() < 1e-9, "{}", found[size / 2]);
}

#[test]
fn random_polynomial_systems_with_a_known_root_are_solved_from_nearby() {
    for seed in 0..100 {
        let mut random = Random(seed);
        let root: Vec<f64> = (0..5).map(|_| random.between(-2.0, 2.0)).collect();
        let weights: Vec<f64> = (0..50).map(|_| random.between(-1.0, 1.0)).collect();
        let polynomial = system(5, |e, x| {
            let mut rows = Vec::new();
            for row in 0..5 {
                let mut sum = scaled(e, 4.0, x[row]);
                let mut value = 4.0 * root[row];
                for (term, weight) in weights[row * 10..][..10].iter().enumerate() {
                    let (i, j) = (term % 5, (term * 3 + row) % 5);
                    let product = e.product(x[i], x[j]);
                    let product = scaled(e, 0.3 * weight, product);
                    sum = e.sum(sum, product);
                    value += 0.3 * weight * root[i] * root[j];
                }
                rows.push(minus(e, sum, value));
            }
            rows
        });
        let start: Vec<f64> = root.iter().map(|value| value + random.between(-0.1, 0.1)).collect();
        check_solution(&polynomial, &start, &root);
    }
}

#[test]
fn what_fades_away_is_not_asked_for_digits() {
    // Two rails with rungs between them, all of resistance 1: potentials differ ever less, and currents fade away.
    let rungs = 200;
    let ladder = system(5 * rungs, |expressions, unknowns| {
        let [a, b, u, v, r] = [0, 1, 2, 3, 4].map(|part| &unknowns[part * rungs..(part + 1) * rungs]);
        let (zero, one) = (expressions.real(0.0), expressions.real(1.0));
        let mut rows = Vec::new();
        for k in 0..rungs {
            // The last currents along the rails go nowhere.
            let is_last = k + 1 == rungs;
            let along = |rail: &[ExpressionId]| if is_last { [zero, zero] } else { [rail[k], rail[k + 1]] };
            let laws = [[u[k], along(a)[0], along(a)[1]], [v[k], along(b)[0], along(b)[1]], [r[k], a[k], b[k]]];
            for [current, from, to] in laws {
                let fall = expressions.difference(from, to);
                rows.push(expressions.difference(current, fall));
            }
            let out_of_a = expressions.sum(u[k], r[k]);
            let into_b = expressions.sum(if k > 0 { v[k - 1] } else { one }, r[k]);
            rows.push(if k > 0 { expressions.difference(u[k - 1], out_of_a) } else { a[0] });
            rows.push(expressions.difference(into_b, v[k]));
        }
        rows
    });
    let (converged, found) = solve(&ladder, &vec![0.0; 5 * rungs], &NewtonSettings::default()).expect("linear");
    assert!(converged.attempt == Attempt::Damped && converged.iterations <= 4, "{converged:?}");
    // The input resistance R of an endless ladder: 1/R = 1 + 1/(2 + R).
    assert!((found[rungs] - (3f64.sqrt() - 1.0)).abs() < 1e-14, "{}", found[rungs]);
}

#[test]
fn what_rounding_leaves_of_a_residual_is_a_solution() {
    // Two diodes against each other: exp(x) - 1 is rounded by 1e-16, so that x = 0 is found as well as x = 1e-17.
    let diodes = system(1, |e, x| {
        let (one, steep) = (e.real(1.0), scaled(e, 40.0, x[0]));
        let back = scaled(e, -1.0, steep);
        let (forward, backward) = (e.call(Builtin::Exp, &[steep]), e.call(Builtin::Exp, &[back]));
        let (forward, backward) = (e.difference(forward, one), e.difference(backward, one));
        vec![e.difference(forward, backward)]
    });
    for start in [3.611_859e-18, 1e-17, -2e-17, 5e-16] {
        let (_, found) = solve(&diodes, &[start], &NewtonSettings::default()).expect("it is a solution");
        assert!(found[0].abs() < 1e-16, "{found:?}");
    }
}

#[test]
fn the_other_solution_is_found_where_one_has_ended_at_a_fold() {
    // x = c + y/15 with y = 15000 x, but not beyond 15 and -15: at c = 1 the solution at y = -15, which there was up to c = 0.999, has ended.
    let trigger = system(1, |e, x| {
        let (low, high, steep) = (e.real(-15.0), e.real(15.0), scaled(e, 15000.0, x[0]));
        let above = e.call(Builtin::Max, &[steep, low]);
        let limited = e.call(Builtin::Min, &[above, high]);
        let (share, moved) = (scaled(e, 1.0 / 15.0, limited), minus(e, x[0], 1.0));
        vec![e.difference(moved, share)]
    });
    let (_, found) = solve(&trigger, &[-0.06], &NewtonSettings::default()).expect("there is another solution");
    assert!((found[0] - 2.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn a_root_has_all_its_digits_wherever_the_way_to_it_went() {
    // x² + a x = 2 from zero: the first correction is 2/a, and from there steps halve the unknown.
    for small in [1e-3, 1e-6, 1e-9, 1e-12, 1e-15] {
        let parabola = system(1, |e, x| {
            let (squared, linear) = (square(e, x[0]), scaled(e, small, x[0]));
            let sum = e.sum(squared, linear);
            vec![minus(e, sum, 2.0)]
        });
        let (_, found) = solve(&parabola, &[0.0], &NewtonSettings::default()).expect("converges");
        let root = -0.5 * small + (0.25 * small * small + 2.0).sqrt();
        assert!((found[0] - root).abs() <= 4.0 * f64::EPSILON * root, "{small}: {} instead of {root}", found[0]);
    }
}
