//! Built-in functions at numbers, as the Modelica specification (section 3.7) defines them.

use modeshift_dae::{ArithmeticOperator, Builtin};

fn check_value(builtin: Builtin, arguments: &[f64], expected: f64) {
    assert_eq!(builtin.value(arguments), Some(expected), "{}{arguments:?}", builtin.name());
}

#[test]
fn division_rounds_towards_zero_and_modulo_towards_minus_infinity() {
    check_value(Builtin::Div, &[-7.0, 2.0], -3.0);
    check_value(Builtin::Rem, &[-3.0, 1.4], -3.0 + 2.0 * 1.4);
    check_value(Builtin::Mod, &[-3.0, 1.4], -3.0 + 3.0 * 1.4);
    check_value(Builtin::Mod, &[3.0, -1.4], 3.0 - 3.0 * 1.4);
}

#[test]
fn signs_and_whole_parts() {
    check_value(Builtin::Sign, &[-0.0], 0.0);
    check_value(Builtin::Sign, &[-3.0], -1.0);
    check_value(Builtin::Integer, &[-1.5], -2.0);
    check_value(Builtin::Ceil, &[-1.5], -1.0);
}

#[test]
fn what_depends_on_the_run_has_no_value() {
    let of_run = [Builtin::Sample, Builtin::Delay, Builtin::Edge, Builtin::Initial];
    assert!(of_run.iter().all(|builtin| builtin.value(&vec![1.0; builtin.arity()]).is_none()));
}

#[test]
fn every_other_built_in_function_has_a_value() {
    use Builtin::*;
    let of_run = [Initial, Terminal, Sample, Edge, Change, Delay, DelayMax, StringOf];
    for builtin in Builtin::ALL.iter().filter(|builtin| !of_run.contains(builtin)) {
        let value = builtin.value(&vec![0.5; builtin.arity()]);
        assert!(value.is_some_and(f64::is_finite), "{}", builtin.name());
    }
}

#[test]
fn powers_of_negative_numbers_with_whole_exponents_are_real() {
    let power = |a, b| ArithmeticOperator::Power.value(a, b);
    assert_eq!(
        [power(-2.0, 2.0), power(-2.0, 3.0), power(-2.0, -1.0), power(-2.0, 19.0)],
        [4.0, -8.0, -0.5, -524288.0]
    );
    assert!(power(-2.0, 0.5).is_nan());
}

#[test]
fn shared_expressions_are_measured_without_writing_them_out() {
    let mut expressions = modeshift_dae::Expressions::new();
    let mut sum = expressions.time();
    for _ in 0..100 {
        sum = expressions.sum(sum, sum);
    }
    assert_eq!(expressions.written_size(&mut modeshift_dae::Memo::new(), sum), usize::MAX);
}
