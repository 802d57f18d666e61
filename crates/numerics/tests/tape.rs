//! The tape against plain recursion, its Jacobian against complex steps.

use crate::common;
use common::{Random, complex, model_with, random_expression, value};
use modeshift_dae::{
    Builtin, ExpressionId, FlatModel, Function, ModeVariableId, Node, RelationOperator, VariableId, differentiate,
};
use modeshift_diagnostics::Span;
use modeshift_numerics::{Compiler, Input, NativeFunction, NativeFunctions, NotFinite};

const X: VariableId = VariableId(0);
const Y: VariableId = VariableId(1);

fn sample_value(input: Input) -> f64 {
    match input {
        Input::Time => 0.3,
        Input::Variable(variable, order) => ((variable.0 * 7 + order * 3 + 1) as f64).sin(),
        other => panic!("{other:?} is not in random expressions"),
    }
}

fn as_input(leaf: Option<(VariableId, u32)>) -> Input {
    leaf.map_or(Input::Time, |(variable, order)| Input::Variable(variable, order))
}

fn evaluate(model: &FlatModel, natives: &NativeFunctions, e: ExpressionId, at: impl Fn(Input) -> f64) -> f64 {
    let tape = Compiler::new(model, natives).tape(&[e]).expect("numeric");
    let inputs: Vec<f64> = tape.inputs().iter().map(|&input| at(input)).collect();
    let mut result = [0.0];
    tape.evaluate(&inputs, &mut tape.workspace(), &mut result);
    result[0]
}

fn check_close(found: f64, expected: f64, what: &dyn Fn() -> String) {
    let tolerance = 1e-10 * (1.0 + expected.abs());
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}: {}", what());
}

#[test]
fn values_agree_with_plain_recursion() {
    let natives = NativeFunctions::new();
    for seed in 0..500 {
        let mut model = model_with(3);
        let e = random_expression(&mut Random(seed), &mut model, 5);
        let expected = value(&model.expressions, e, &|leaf| complex(sample_value(as_input(leaf)), 0.0)).re;
        check_close(evaluate(&model, &natives, e, sample_value), expected, &|| format!("seed {seed}"));
    }
}

#[test]
fn known_inputs_are_folded_to_the_same_values() {
    let natives = NativeFunctions::new();
    for seed in 0..200 {
        let mut model = model_with(3);
        let e = random_expression(&mut Random(seed), &mut model, 5);
        let known = |input| Some(sample_value(input));
        let folded = Compiler::new(&model, &natives).with_known_inputs(known).tape(&[e]).expect("numeric");
        assert_eq!((folded.inputs().len(), folded.instruction_count()), (0, 0));
        let mut result = [0.0];
        folded.evaluate(&[], &mut folded.workspace(), &mut result);
        assert_eq!(result[0].to_bits(), evaluate(&model, &natives, e, sample_value).to_bits(), "seed {seed}");
    }
}

#[test]
fn jacobians_agree_with_complex_steps_and_have_no_entry_too_many_or_too_few() {
    const STEP: f64 = 1e-100;
    let natives = NativeFunctions::new();
    for seed in 0..300 {
        let mut random = Random(seed);
        let mut model = model_with(4);
        let rows: Vec<ExpressionId> = (0..4).map(|_| random_expression(&mut random, &mut model, 4)).collect();
        let unknowns: Vec<Input> =
            (0..4).map(|v| Input::Variable(VariableId(v), 0)).chain([Input::Variable(X, 1)]).collect();
        let system = Compiler::new(&model, &natives).differentiated(&rows, &unknowns).expect("numeric");
        let inputs: Vec<f64> = system.inputs().iter().map(|&input| sample_value(input)).collect();
        let (mut residuals, mut entries) = (vec![0.0; 4], vec![0.0; system.pattern().entry_count()]);
        system.evaluate(&inputs, &mut system.workspace(), &mut residuals, &mut entries);
        let dense = system.pattern().to_dense(&entries);
        for (row, &e) in rows.iter().enumerate() {
            for (column, &unknown) in unknowns.iter().enumerate() {
                let along = |leaf| {
                    let input = as_input(leaf);
                    complex(sample_value(input), if input == unknown { STEP } else { 0.0 })
                };
                let expected = value(&model.expressions, e, &along).im / STEP;
                check_close(dense[row * 5 + column], expected, &|| format!("seed {seed}, entry {row}, {column}"));
                let mut occurs = false;
                model.expressions.for_each(e, |_, node| {
                    occurs |= matches!(node, Node::Variable(v, k) if Input::Variable(v, k) == unknown);
                    true
                });
                assert!(occurs || !system.pattern().row(row).contains(&(column as u32)), "entry without incidence");
            }
        }
    }
}

#[test]
fn residuals_are_the_same_with_and_without_the_jacobian() {
    let natives = NativeFunctions::new();
    let mut model = model_with(3);
    let rows: Vec<ExpressionId> = (0..20).map(|seed| random_expression(&mut Random(seed), &mut model, 5)).collect();
    let unknowns = [Input::Variable(X, 0), Input::Variable(Y, 0)];
    let system = Compiler::new(&model, &natives).differentiated(&rows, &unknowns).expect("numeric");
    let inputs: Vec<f64> = system.inputs().iter().map(|&input| sample_value(input)).collect();
    let (mut with, mut without) = (vec![0.0; 20], vec![0.0; 20]);
    let mut entries = vec![0.0; system.pattern().entry_count()];
    system.evaluate(&inputs, &mut system.workspace(), &mut with, &mut entries);
    system.residuals.evaluate(&inputs, &mut system.residuals.workspace(), &mut without);
    assert_eq!(with, without);
}

#[test]
fn the_branch_not_taken_does_no_harm_to_value_or_derivative() {
    // if x > 0 then sqrt(x) else x^2, at -2
    let natives = NativeFunctions::new();
    let mut model = model_with(1);
    let e = &mut model.expressions;
    let (x, zero, two) = (e.variable(X, 0), e.integer(0), e.integer(2));
    let positive = e.relation(RelationOperator::Greater, x, zero);
    let (root, square) = (e.call(Builtin::Sqrt, &[x]), e.power(x, two));
    let choice = e.if_then_else(positive, root, square);
    let system = Compiler::new(&model, &natives).differentiated(&[choice], &[Input::Variable(X, 0)]).expect("numeric");
    let (mut residual, mut entry) = ([0.0], [0.0]);
    system.evaluate(&[-2.0], &mut system.workspace(), &mut residual, &mut entry);
    assert_eq!((residual[0], entry[0]), (4.0, -4.0));
}

#[test]
fn shared_subexpressions_are_computed_once() {
    // x1 = sin(x0)*sin(x0) + …, doubled forty times: a tree of 2^40 leaves.
    let natives = NativeFunctions::new();
    let mut model = model_with(1);
    let mut sum = model.expressions.variable(X, 0);
    for _ in 0..40 {
        let sine = model.expressions.call(Builtin::Sin, &[sum]);
        sum = model.expressions.sum(sine, sine);
    }
    let tape = Compiler::new(&model, &natives).tape(&[sum]).expect("numeric");
    assert_eq!(tape.instruction_count(), 80);
}

#[test]
fn left_limits_reach_variables_and_modes() {
    let natives = NativeFunctions::new();
    let mut model = model_with(2);
    let e = &mut model.expressions;
    let mode = e.mode(ModeVariableId(0));
    let (x, y) = (e.variable(X, 0), e.variable(Y, 0));
    let choice = e.if_then_else(mode, x, y);
    let before = e.pre(choice);
    let rises = e.call(Builtin::Edge, &[mode]);
    let result = e.if_then_else(rises, before, x);
    let found = evaluate(&model, &natives, result, |input| match input {
        Input::Mode(_) => 1.0,
        Input::LeftMode(_) => 0.0,
        Input::LeftVariable(Y, 0) => 7.0,
        _ => 5.0,
    });
    assert_eq!(found, 7.0);
}

#[test]
fn homotopy_moves_from_simplified_to_actual_and_arrives_exactly() {
    let natives = NativeFunctions::new();
    let mut model = model_with(2);
    let (x, y) = (model.expressions.variable(X, 0), model.expressions.variable(Y, 0));
    let homotopy = model.expressions.call(Builtin::Homotopy, &[x, y]);
    let order = [Input::Homotopy, Input::Variable(X, 0), Input::Variable(Y, 0)];
    let tape = Compiler::new(&model, &natives).with_homotopy().with_inputs(&order).tape(&[homotopy]).expect("numeric");
    let at = |share: f64, x: f64, y: f64| {
        let mut result = [0.0];
        tape.evaluate(&[share, x, y], &mut tape.workspace(), &mut result);
        result[0]
    };
    assert_eq!([at(0.0, 1.0, 3.0), at(0.5, 1.0, 3.0)], [3.0, 2.0]);
    assert_eq!(at(1.0, 1.0, f64::INFINITY), 1.0);
}

fn function(name: &str, inputs: usize, outputs: usize) -> Function {
    Function {
        name: name.into(),
        inputs: vec!["u".into(); inputs],
        outputs: vec!["v".into(); outputs],
        differentiable: u32::MAX,
        derivative: None,
        arguments: inputs as u32,
        results: outputs as u32,
        implementation: modeshift_dae::Implementation::Unknown,
        span: Span::default(),
    }
}

/// `x*y` and `x + y`, the second output of which is multiplied by the first.
fn native_call(model: &mut FlatModel) -> ExpressionId {
    let f = model.functions.push(function("Lib.productAndSum", 2, 2));
    let e = &mut model.expressions;
    let (x, y) = (e.variable(X, 0), e.variable(Y, 0));
    let call = e.function(f, &[x, y]);
    let second = e.add(Node::Output(call, 2));
    e.product(call, second)
}

#[test]
fn native_functions_have_several_outputs_and_derivatives() {
    let evaluation = |inputs: &[f64], outputs: &mut [f64]| {
        outputs.copy_from_slice(&[inputs[0] * inputs[1], inputs[0] + inputs[1]]);
    };
    let partial = |inputs: &[f64], by: usize, outputs: &mut [f64]| outputs.copy_from_slice(&[inputs[1 - by], 1.0]);
    let plain = NativeFunction::new(evaluation);
    for (function, tolerance) in [(plain.clone(), 1e-8), (plain.with_partial(partial), 1e-15)] {
        let mut natives = NativeFunctions::new();
        natives.add("Lib.productAndSum", function);
        let mut model = model_with(2);
        let e = native_call(&mut model);
        let unknowns = [Input::Variable(X, 0), Input::Variable(Y, 0)];
        let system = Compiler::new(&model, &natives).differentiated(&[e], &unknowns).expect("numeric");
        let (mut residual, mut entries) = ([0.0], [0.0; 2]);
        system.evaluate(&[2.0, 3.0], &mut system.workspace(), &mut residual, &mut entries);
        assert_eq!(residual[0], 30.0);
        // (x*y*(x + y))' = (2xy + y², 2xy + x²)
        assert!((entries[0] - 21.0).abs() < 21.0 * tolerance && (entries[1] - 16.0).abs() < 16.0 * tolerance);
    }
}

#[test]
fn an_array_that_a_function_returns_has_a_result_for_each_element() {
    let mut natives = NativeFunctions::new();
    natives.add(
        "Lib.powers",
        NativeFunction::new(|inputs: &[f64], outputs: &mut [f64]| {
            (1..).zip(outputs).for_each(|(exponent, output)| *output = inputs[0].powi(exponent));
        }),
    );
    let mut model = model_with(1);
    let f = model.functions.push(function("Lib.powers", 1, 1));
    let x = model.expressions.variable(X, 0);
    let call = model.expressions.function(f, &[x]);
    let elements = [1, 3, 2].map(|which| model.expressions.add(Node::Output(call, which)));
    let tape = Compiler::new(&model, &natives).with_inputs(&[Input::Variable(X, 0)]).tape(&elements).expect("numeric");
    let mut results = [0.0; 3];
    tape.evaluate(&[2.0], &mut tape.workspace(), &mut results);
    assert_eq!(results, [2.0, 8.0, 4.0]);
}

#[test]
fn an_unknown_function_is_named_only_where_it_is_evaluated() {
    let natives = NativeFunctions::new();
    let mut model = model_with(2);
    let e = native_call(&mut model);
    let (x, zero) = (model.expressions.variable(X, 0), model.expressions.integer(0));
    let positive = model.expressions.relation(RelationOperator::Greater, x, zero);
    let guarded = model.expressions.if_then_else(positive, e, x);
    let order = [Input::Variable(X, 0), Input::Variable(Y, 0)];
    let tape = Compiler::new(&model, &natives).with_inputs(&order).tape(&[guarded]).expect("numeric");
    let (mut workspace, mut result) = (tape.workspace(), [0.0]);
    tape.evaluate(&[-1.0, 1.0], &mut workspace, &mut result);
    assert_eq!((result[0], tape.explain(&workspace, 0)), (-1.0, None));
    tape.evaluate(&[1.0, 1.0], &mut workspace, &mut result);
    let reason = tape.explain(&workspace, 0).expect("not finite");
    assert_eq!(reason, NotFinite::UnknownFunction("Lib.productAndSum".into()));
    assert_eq!(reason.message(&model), "function `Lib.productAndSum` has no native implementation");
}

#[test]
fn not_a_number_is_traced_to_the_operation_that_made_it() {
    let natives = NativeFunctions::new();
    let mut model = model_with(2);
    let e = &mut model.expressions;
    let (x, y, one) = (e.variable(X, 0), e.variable(Y, 0), e.integer(1));
    let difference = e.difference(x, one);
    let logarithm = e.call(Builtin::Log, &[difference]);
    let product = e.product(y, logarithm);
    let result = e.sum(product, y);
    let order = [Input::Variable(X, 0), Input::Variable(Y, 0)];
    let tape = Compiler::new(&model, &natives).with_inputs(&order).tape(&[result]).expect("numeric");
    let (mut workspace, mut value) = (tape.workspace(), [0.0]);
    tape.evaluate(&[0.5, 2.0], &mut workspace, &mut value);
    let reason = tape.explain(&workspace, 0).expect("not finite");
    assert_eq!(reason.message(&model), "`log(x0 - 1)` is not a finite number: its operands are -0.5");
    tape.evaluate(&[0.5, f64::NAN], &mut workspace, &mut value);
    assert_eq!(tape.explain(&workspace, 0), Some(NotFinite::Input(Input::Variable(Y, 0))));
}

#[test]
fn a_string_is_not_numeric() {
    let natives = NativeFunctions::new();
    let mut model = model_with(1);
    let text = model.expressions.string("x");
    let error = Compiler::new(&model, &natives).tape(&[text]).err().expect("a String");
    assert_eq!(error.expression, text);
}

#[test]
fn the_symbolic_derivative_and_the_tape_agree_on_long_sums() {
    let natives = NativeFunctions::new();
    let mut model = model_with(2);
    let mut sum = model.expressions.time();
    for _ in 0..100_000 {
        let x = model.expressions.variable(X, 0);
        sum = model.expressions.sum(sum, x);
        let y = model.expressions.variable(Y, 0);
        sum = model.expressions.difference(sum, y);
    }
    let derivative = differentiate(&mut model, sum).expect("differentiable");
    let found = evaluate(&model, &natives, derivative, |input| if input == Input::Variable(X, 1) { 2.0 } else { 0.0 });
    assert_eq!(found, 200_001.0);
}

#[test]
fn roundings_are_those_of_what_a_result_is_made_of() {
    let mut model = model_with(1);
    let e = &mut model.expressions;
    let (x, one, large) = (e.variable(VariableId(0), 0), e.real(1.0), e.real(1e6));
    let power = e.call(Builtin::Exp, &[x]);
    let near_zero = e.difference(power, one);
    let shifted = e.sum(x, large);
    let there_and_back = e.difference(shifted, large);
    let steps = e.call(Builtin::Floor, &[there_and_back]);
    let tape =
        Compiler::new(&model, &NativeFunctions::new()).tape(&[x, near_zero, there_and_back, steps]).expect("numeric");
    let mut roundings = [f64::NAN; 4];
    tape.roundings(&[1e-18], &mut tape.workspace(), &mut roundings);
    let [of_x, of_near_zero, of_there_and_back, of_steps] = roundings;
    assert_eq!((of_x, of_steps), (f64::EPSILON * 1e-18, 0.0));
    assert!((1e-16..1e-15).contains(&of_near_zero), "{of_near_zero}");
    assert!((1e-10..1e-9).contains(&of_there_and_back), "{of_there_and_back}");
}
