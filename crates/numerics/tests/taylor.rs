//! Taylor series against closed forms, and against symbolic derivatives on random expressions.

use crate::common;
use common::{Random, model_with, random_expression};
use modeshift_dae::{
    ArithmeticOperator, Builtin, ExpressionId, Expressions, FlatModel, RelationOperator, VariableId,
    differentiate_times,
};
use modeshift_numerics::{Compiler, Input, NativeFunctions, TaylorWorkspace, derivative_series};

const ORDER: usize = 7;

/// The series of an expression from those of its inputs.
fn series(model: &FlatModel, e: ExpressionId, at: impl Fn(Input) -> Vec<f64>) -> Vec<f64> {
    let natives = NativeFunctions::new();
    let tape = Compiler::new(model, &natives).tape(&[e]).expect("numeric");
    let inputs: Vec<f64> = tape.inputs().iter().flat_map(|&input| at(input)).collect();
    let mut result = vec![0.0; ORDER + 1];
    tape.evaluate_taylor(&inputs, &mut TaylorWorkspace::new(&tape, ORDER), &mut result);
    result
}

/// The series of a function of time at `time = start`.
fn series_of_time(start: f64, build: impl FnOnce(&mut Expressions, ExpressionId) -> ExpressionId) -> Vec<f64> {
    let mut model = FlatModel::new("M");
    let time = model.expressions.time();
    let e = build(&mut model.expressions, time);
    series(&model, e, |_| {
        let mut line = vec![0.0; ORDER + 1];
        (line[0], line[1]) = (start, 1.0);
        line
    })
}

fn check_series(found: &[f64], expected: impl Fn(usize) -> f64) {
    for (k, &coefficient) in found.iter().enumerate() {
        let expected = expected(k);
        let tolerance = 1e-13 * (1.0 + expected.abs());
        assert!((coefficient - expected).abs() <= tolerance, "coefficient {k}: {coefficient} instead of {expected}");
    }
}

fn factorial(k: usize) -> f64 {
    (1..=k).map(|i| i as f64).product()
}

#[test]
fn exponential_and_logarithm() {
    let t: f64 = 0.7;
    check_series(&series_of_time(t, |e, time| e.call(Builtin::Exp, &[time])), |k| t.exp() / factorial(k));
    check_series(&series_of_time(t, |e, time| e.call(Builtin::Log, &[time])), |k| match k {
        0 => t.ln(),
        _ => -(-1.0 / t).powi(k as i32) / k as f64,
    });
}

#[test]
fn sines_and_hyperbolic_sines() {
    let t: f64 = 0.7;
    let quarter = std::f64::consts::FRAC_PI_2;
    check_series(&series_of_time(t, |e, time| e.call(Builtin::Sin, &[time])), |k| {
        (t + k as f64 * quarter).sin() / factorial(k)
    });
    check_series(&series_of_time(t, |e, time| e.call(Builtin::Cos, &[time])), |k| {
        (t + k as f64 * quarter).cos() / factorial(k)
    });
    check_series(&series_of_time(t, |e, time| e.call(Builtin::Sinh, &[time])), |k| {
        if k % 2 == 0 { t.sinh() / factorial(k) } else { t.cosh() / factorial(k) }
    });
}

#[test]
fn tangents_at_zero_have_the_known_rationals() {
    let known = [0.0, 1.0, 0.0, 1.0 / 3.0, 0.0, 2.0 / 15.0, 0.0, 17.0 / 315.0];
    check_series(&series_of_time(0.0, |e, time| e.call(Builtin::Tan, &[time])), |k| known[k]);
    let alternating = |k: usize| if k % 4 == 3 { -known[k] } else { known[k] };
    check_series(&series_of_time(0.0, |e, time| e.call(Builtin::Tanh, &[time])), alternating);
}

#[test]
fn arc_functions_at_zero_have_the_known_rationals() {
    let atan = [0.0, 1.0, 0.0, -1.0 / 3.0, 0.0, 1.0 / 5.0, 0.0, -1.0 / 7.0];
    let asin = [0.0, 1.0, 0.0, 1.0 / 6.0, 0.0, 3.0 / 40.0, 0.0, 15.0 / 336.0];
    check_series(&series_of_time(0.0, |e, time| e.call(Builtin::Atan, &[time])), |k| atan[k]);
    check_series(&series_of_time(0.0, |e, time| e.call(Builtin::Asin, &[time])), |k| asin[k]);
    check_series(&series_of_time(0.0, |e, time| e.call(Builtin::Acos, &[time])), |k| match k {
        0 => std::f64::consts::FRAC_PI_2,
        _ => -asin[k],
    });
    let two_arguments = series_of_time(0.0, |e, time| {
        let one = e.real(1.0);
        e.call(Builtin::Atan2, &[time, one])
    });
    check_series(&two_arguments, |k| atan[k]);
}

/// The binomial series of (1 + t)^p.
fn binomial(exponent: f64, k: usize) -> f64 {
    (0..k).map(|i| (exponent - i as f64) / (i + 1) as f64).product()
}

#[test]
fn roots_powers_and_quotients_are_binomial() {
    check_series(&series_of_time(1.0, |e, time| e.call(Builtin::Sqrt, &[time])), |k| binomial(0.5, k));
    for exponent in [-1.5, 2.25, -2.0, 3.0, 5.0, 100.0] {
        let found = series_of_time(1.0, |e, time| {
            let exponent = e.real(exponent);
            e.arithmetic(ArithmeticOperator::Power, time, exponent)
        });
        check_series(&found, |k| binomial(exponent, k));
    }
    let found = series_of_time(1.0, |e, time| {
        let one = e.real(1.0);
        e.quotient(one, time)
    });
    check_series(&found, |k| binomial(-1.0, k));
}

#[test]
fn whole_powers_are_right_at_zero() {
    let cube = series_of_time(0.0, |e, time| {
        let three = e.integer(3);
        e.power(time, three)
    });
    check_series(&cube, |k| if k == 3 { 1.0 } else { 0.0 });
}

#[test]
fn time_to_the_time_is_its_own_logarithmic_derivative() {
    // f = t^t, f' = f (log t + 1): coefficients of both sides.
    let power = series_of_time(1.5, |e, time| e.power(time, time));
    let slope = series_of_time(1.5, |e, time| {
        let power = e.power(time, time);
        let logarithm = e.call(Builtin::Log, &[time]);
        let one = e.real(1.0);
        let factor = e.sum(logarithm, one);
        e.product(power, factor)
    });
    check_series(&slope[..ORDER], |k| (k + 1) as f64 * power[k + 1]);
}

#[test]
fn ties_are_decided_by_the_first_coefficients_that_differ() {
    let fall = |e: &mut Expressions, time| e.negate(time);
    check_series(
        &series_of_time(0.0, |e, time| {
            let fall = fall(e, time);
            e.call(Builtin::Abs, &[fall])
        }),
        |k| if k == 1 { 1.0 } else { 0.0 },
    );
    let branch = series_of_time(0.0, |e, time| {
        let zero = e.real(0.0);
        let after = e.relation(RelationOperator::Greater, time, zero);
        e.if_then_else(after, time, zero)
    });
    check_series(&branch, |k| if k == 1 { 1.0 } else { 0.0 });
}

#[test]
fn derivatives_of_a_series_have_their_factorials() {
    let exponential: Vec<f64> = (0..8).map(|k| 1.0 / factorial(k)).collect();
    let mut third = [0.0; 5];
    derivative_series(&exponential, 3, &mut third);
    check_series(&third, |k| exponential[k]);
}

#[test]
fn series_agree_with_repeated_symbolic_differentiation() {
    for seed in 0..60 {
        let mut model = model_with(2);
        let e = random_expression(&mut Random(seed), &mut model, 3);
        // Trajectories x_i(t) with coefficients that are the same whenever they are asked for.
        let coefficient = |v: VariableId, k: usize| ((v.0 as usize * 5 + k * 3 + 1) as f64).sin() / (1 + k) as f64;
        let trajectory = |v: VariableId| (0..2 * ORDER + 2).map(|k| coefficient(v, k)).collect::<Vec<f64>>();
        let at = |input: Input| match input {
            Input::Time => (0..=ORDER).map(|k| [0.3, 1.0].get(k).copied().unwrap_or(0.0)).collect(),
            Input::Variable(v, order) => {
                let mut shifted = vec![0.0; ORDER + 1];
                derivative_series(&trajectory(v), order as usize, &mut shifted);
                shifted
            }
            other => panic!("{other:?} is not in random expressions"),
        };
        let found = series(&model, e, at);
        for (k, &coefficient) in found.iter().enumerate().take(4) {
            let derivative = differentiate_times(&mut model, e, k as u32).expect("differentiable");
            let expected = series(&model, derivative, at)[0] / factorial(k);
            let tolerance = 1e-10 * (1.0 + expected.abs());
            assert!(
                (coefficient - expected).abs() <= tolerance,
                "seed {seed}, {k}: {coefficient} instead of {expected}"
            );
        }
    }
}
