//! Derivatives of expressions: text for what is printed, complex steps for what is computed.

use crate::common;
use common::{Complex, Random, add_variable, complex, model_with, random_expression, value};
use modeshift_dae::{
    Builtin, Derivative, ExpressionId, ExpressionText, FlatModel, Function, NotDifferentiableReason, RelationOperator,
    Type, Variability, VariableId, differentiate, differentiate_times, partial_derivative,
};
use modeshift_diagnostics::Span;

fn text(model: &FlatModel, expression: ExpressionId) -> String {
    ExpressionText { model, modes: None, expression }.to_string()
}

const X: VariableId = VariableId(0);
const Y: VariableId = VariableId(1);

/// Builds an expression of `x`, `y` and the parameter `p`, and compares its time derivative with the text.
fn check_derivative(build: impl FnOnce(&mut FlatModel, [ExpressionId; 3]) -> ExpressionId, expected: &str) {
    let mut model = FlatModel::new("M");
    for (name, variability) in
        [("x", Variability::Continuous), ("y", Variability::Continuous), ("p", Variability::Parameter)]
    {
        add_variable(&mut model, name, Type::Real, variability);
    }
    let leaves = [0, 1, 2].map(|index| model.expressions.variable(VariableId(index), 0));
    let expression = build(&mut model, leaves);
    let derivative = differentiate(&mut model, expression).expect("differentiable");
    assert_eq!(text(&model, derivative), expected);
}

#[test]
fn parameters_are_constant_and_variables_gain_an_order() {
    check_derivative(|m, [x, _, p]| m.expressions.product(p, x), "p*der(x)");
    check_derivative(|m, [_, _, p]| m.expressions.product(p, p), "0");
    check_derivative(|m, _| m.expressions.variable(X, 1), "der(der(x))");
    check_derivative(|m, _| m.expressions.time(), "1");
}

#[test]
fn results_share_what_was_written() {
    check_derivative(|m, [x, ..]| m.expressions.call(Builtin::Exp, &[x]), "exp(x)*der(x)");
    check_derivative(|m, [x, ..]| m.expressions.call(Builtin::Sqrt, &[x]), "der(x)/(2*sqrt(x))");
    check_derivative(|m, [x, y, _]| m.expressions.quotient(x, y), "(der(x) - x/y*der(y))/y");
    check_derivative(|m, [x, _, p]| m.expressions.quotient(x, p), "der(x)/p");
}

#[test]
fn conditions_and_left_limits_are_constant_between_events() {
    check_derivative(
        |m, [x, y, p]| {
            let condition = m.expressions.relation(RelationOperator::Less, x, p);
            m.expressions.if_then_else(condition, x, y)
        },
        "if x < p then der(x) else der(y)",
    );
    check_derivative(
        |m, [x, y, _]| {
            let left = m.expressions.pre(x);
            m.expressions.product(left, y)
        },
        "pre(x)*der(y)",
    );
    check_derivative(|m, [x, ..]| m.expressions.call(Builtin::Floor, &[x]), "0");
}

#[test]
fn the_larger_of_two_makes_no_event_of_its_own() {
    check_derivative(
        |m, [x, y, _]| m.expressions.call(Builtin::Max, &[x, y]),
        "noEvent(if x >= y then der(x) else der(y))",
    );
}

#[test]
fn differentiating_uses_up_smoothness() {
    check_derivative(
        |m, [x, ..]| {
            let two = m.expressions.integer(2);
            m.expressions.call(Builtin::Smooth, &[two, x])
        },
        "smooth(1, der(x))",
    );
}

#[test]
fn the_past_moves_with_the_delay() {
    check_derivative(|m, [x, _, p]| m.expressions.call(Builtin::Delay, &[x, p]), "delay(der(x), p)");
    check_derivative(|m, [x, y, _]| m.expressions.call(Builtin::Delay, &[x, y]), "delay(der(x), y)*(1 - der(y))");
}

fn function(name: &str, derivative: Option<(modeshift_dae::FunctionId, Vec<u32>)>) -> Function {
    Function {
        name: name.into(),
        inputs: vec!["u".into(), "n".into()],
        outputs: vec!["v".into()],
        differentiable: u32::MAX,
        derivative,
        arguments: 2,
        results: 1,
        implementation: modeshift_dae::Implementation::Unknown,
        span: Span::default(),
    }
}

#[test]
fn a_declared_derivative_function_is_called_with_the_inputs_and_their_derivatives() {
    check_derivative(
        |m, [x, _, p]| {
            let derivative = m.functions.push(function("f_der", None));
            let f = m.functions.push(function("f", Some((derivative, vec![1]))));
            m.expressions.function(f, &[x, p])
        },
        "f_der(x, p, der(x))",
    );
}

#[test]
fn a_function_without_derivative_is_named() {
    let mut model = model_with(1);
    let f = model.functions.push(function("Tables.lookup", None));
    let x = model.expressions.variable(X, 0);
    let one = model.expressions.integer(1);
    let constant = model.expressions.function(f, &[one, one]);
    let varying = model.expressions.function(f, &[x, one]);
    let zero = differentiate(&mut model, constant).expect("constant");
    assert_eq!(text(&model, zero), "0");
    let error = differentiate(&mut model, varying).expect_err("no derivative");
    assert_eq!(error.reason, NotDifferentiableReason::Function(f));
    assert_eq!(error.message(&model), "no derivative of function `Tables.lookup` is known");
}

#[test]
fn a_relation_has_no_derivative() {
    let mut model = model_with(2);
    let (x, y) = (model.expressions.variable(X, 0), model.expressions.variable(Y, 0));
    let relation = model.expressions.relation(RelationOperator::Less, x, y);
    let error = differentiate(&mut model, relation).expect_err("Boolean");
    assert_eq!((error.expression, error.reason), (relation, NotDifferentiableReason::NotReal));
}

/// Values of `x_i^(k)` that are the same however often they are asked for.
fn sample_value(variable: VariableId, order: u32) -> f64 {
    ((variable.0 * 7 + order * 3 + 1) as f64).sin()
}

const STEP: f64 = 1e-100;

fn check_close(found: f64, expected: f64, what: &dyn Fn() -> String) {
    let tolerance = 1e-9 * (1.0 + expected.abs());
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}: {}", what());
}

/// Along time, `x^(k)` moves by `x^(k+1)`.
fn along_time(leaf: Option<(VariableId, u32)>) -> Complex {
    match leaf {
        None => complex(0.3, STEP),
        Some((variable, order)) => complex(sample_value(variable, order), STEP * sample_value(variable, order + 1)),
    }
}

#[test]
fn time_derivatives_agree_with_complex_steps_three_times_over() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut model = model_with(3);
        let mut expression = random_expression(&mut random, &mut model, 4);
        for _ in 0..3 {
            let derivative = differentiate(&mut model, expression).expect("differentiable");
            let found = value(&model.expressions, derivative, &along_time).re;
            let expected = value(&model.expressions, expression, &along_time).im / STEP;
            check_close(found, expected, &|| format!("seed {seed}: {}", text(&model, expression)));
            expression = derivative;
        }
    }
}

#[test]
fn partial_derivatives_agree_with_complex_steps() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut model = model_with(2);
        let expression = random_expression(&mut random, &mut model, 5);
        for (variable, order) in [(X, 0), (X, 1), (Y, 0)] {
            let derivative =
                partial_derivative(&mut model, expression, Derivative::new(variable, order)).expect("differentiable");
            let along = |leaf: Option<(VariableId, u32)>| match leaf {
                None => complex(0.3, 0.0),
                Some((v, k)) => complex(sample_value(v, k), if (v, k) == (variable, order) { STEP } else { 0.0 }),
            };
            let found = value(&model.expressions, derivative, &along).re;
            let expected = value(&model.expressions, expression, &along).im / STEP;
            check_close(found, expected, &|| format!("seed {seed}: {}", text(&model, expression)));
        }
    }
}

#[test]
fn higher_derivatives_of_a_product_follow_leibniz() {
    let mut model = model_with(2);
    let (x, y) = (model.expressions.variable(X, 0), model.expressions.variable(Y, 0));
    let product = model.expressions.product(x, y);
    let fifth = differentiate_times(&mut model, product, 5).expect("differentiable");
    let found = value(&model.expressions, fifth, &along_time).re;
    let binomial = [1.0, 5.0, 10.0, 10.0, 5.0, 1.0];
    let leibniz = (0..6).map(|k| binomial[k as usize] * sample_value(X, k) * sample_value(Y, 5 - k));
    check_close(found, leibniz.sum(), &|| "fifth derivative of x*y".to_string());
}

#[test]
fn a_sum_of_many_terms_is_differentiated_without_recursion() {
    let mut model = model_with(1000);
    let mut sum = model.expressions.time();
    for index in 0..200_000u32 {
        let x = model.expressions.variable(VariableId(index % 1000), index / 1000);
        sum = model.expressions.sum(sum, x);
    }
    let before = model.expressions.len();
    differentiate(&mut model, sum).expect("differentiable");
    assert!(model.expressions.len() <= 2 * before + 10, "as many terms again");
}
