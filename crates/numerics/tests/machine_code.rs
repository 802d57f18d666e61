//! Machine code against the tape it was made from: the same bits.

use crate::common;
use common::{Random, model_with, random_expression};
use modeshift_dae::{Builtin, ExpressionId, FlatModel, Function, RelationOperator, VariableId};
use modeshift_diagnostics::Span;
use modeshift_numerics::{Compiler, Evaluator, Input, MachineCode, NativeFunction, NativeFunctions, Tape};

const X: VariableId = VariableId(0);
const Y: VariableId = VariableId(1);
const SPECIAL: [f64; 12] =
    [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e308, -1e-310, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

fn tape_of(model: &FlatModel, expressions: &[ExpressionId]) -> Tape {
    let order = [Input::Variable(X, 0), Input::Variable(Y, 0)];
    Compiler::new(model, &NativeFunctions::new()).with_inputs(&order).tape(expressions).expect("numeric")
}

/// "Not a number" is one value here, whatever its bits.
fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }).collect()
}

fn check(tape: &Tape, points: &[Vec<f64>], what: &str) {
    let code = MachineCode::of(tape).expect("machine code for this processor");
    let mut workspace = tape.workspace();
    let mut buffer = Vec::new();
    let (mut expected, mut found) = (vec![0.0; tape.output_count()], vec![0.0; tape.output_count()]);
    for inputs in points {
        tape.evaluate(inputs, &mut workspace, &mut expected);
        code.evaluate(inputs, &mut buffer, &mut found);
        assert_eq!(bits(&found), bits(&expected), "{what} at {inputs:?}: {found:?} instead of {expected:?}");
    }
}

fn points(random: &mut Random, count: usize) -> Vec<Vec<f64>> {
    let mut points: Vec<Vec<f64>> = (0..20).map(|_| (0..count).map(|_| random.between(-3.0, 3.0)).collect()).collect();
    points.extend((0..20).map(|_| (0..count).map(|_| SPECIAL[random.below(SPECIAL.len())]).collect()));
    points
}

#[test]
fn random_expressions_have_the_same_values() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut model = model_with(3);
        let expressions: Vec<ExpressionId> = (0..3).map(|_| random_expression(&mut random, &mut model, 5)).collect();
        let tape = tape_of(&model, &expressions);
        check(&tape, &points(&mut random, tape.inputs().len()), &format!("seed {seed}"));
    }
}

#[test]
fn jacobians_have_the_same_values() {
    for seed in 0..100 {
        let mut random = Random(seed);
        let mut model = model_with(3);
        let rows: Vec<ExpressionId> = (0..4).map(|_| random_expression(&mut random, &mut model, 4)).collect();
        let unknowns = [Input::Variable(X, 0), Input::Variable(Y, 0)];
        let natives = NativeFunctions::new();
        let system = Compiler::new(&model, &natives).differentiated(&rows, &unknowns).expect("numeric");
        check(system.tape(), &points(&mut random, system.inputs().len()), &format!("seed {seed}"));
    }
}

#[test]
fn every_operation_has_the_same_values_where_it_is_special() {
    let mut model = model_with(2);
    let e = &mut model.expressions;
    let (x, y) = (e.variable(X, 0), e.variable(Y, 0));
    let mut expressions = vec![x, y, e.sum(x, y), e.difference(x, y), e.product(x, y), e.quotient(x, y), e.power(x, y)];
    expressions.push(e.negate(x));
    for exponent in [-16, -7, -3, -2, -1, 2, 3, 4, 5, 11, 16] {
        let exponent = e.integer(exponent);
        expressions.push(e.power(x, exponent));
    }
    use Builtin::*;
    for builtin in [
        Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Exp, Log, Log10, Sqrt, Abs, Sign, Floor, Ceil, Integer,
        Ordinal, NoEvent,
    ] {
        expressions.push(e.call(builtin, &[x]));
    }
    for builtin in [Atan2, Min, Max, Div, Mod, Rem] {
        expressions.push(e.call(builtin, &[x, y]));
    }
    use RelationOperator::*;
    for operator in [Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual] {
        let relation = e.relation(operator, x, y);
        let choice = e.if_then_else(relation, y, x);
        expressions.extend([relation, choice]);
    }
    let (positive, large) = {
        let (zero, one) = (e.integer(0), e.integer(1));
        (e.relation(Greater, x, zero), e.relation(Greater, y, one))
    };
    expressions.extend([
        e.and(positive, large),
        e.or(positive, large),
        e.not(positive),
        e.and(x, y),
        e.or(x, y),
        e.not(x),
    ]);
    let tape = tape_of(&model, &expressions);
    let points: Vec<Vec<f64>> = SPECIAL.iter().flat_map(|&x| SPECIAL.iter().map(move |&y| vec![x, y])).collect();
    check(&tape, &points, "operations");
}

#[test]
fn long_tapes_are_compiled_in_pieces() {
    // Every row needs rows before it, near and far.
    let mut model = model_with(2);
    let e = &mut model.expressions;
    let (x, y) = (e.variable(X, 0), e.variable(Y, 0));
    let mut rows = vec![x, y];
    for row in 2..5000 {
        let product = e.product(rows[row / 2], rows[row / 3]);
        let sine = e.call(Builtin::Sin, &[product]);
        rows.push(e.sum(rows[row - 1], sine));
    }
    let tape = tape_of(&model, &rows);
    assert!(tape.instruction_count() > 10_000);
    check(&tape, &[vec![0.3, -1.7], vec![1e-3, 2.0]], "rows");
}

#[test]
fn results_that_are_inputs_or_constants_are_there() {
    let mut model = model_with(2);
    let e = &mut model.expressions;
    let (y, constant) = (e.variable(Y, 0), e.real(2.5));
    let tape = tape_of(&model, &[constant, y, constant]);
    let code = MachineCode::of(&tape).expect("machine code for this processor");
    let mut results = [0.0; 3];
    code.evaluate(&[1.0, 7.0], &mut Vec::new(), &mut results);
    assert_eq!(results, [2.5, 7.0, 2.5]);
}

#[test]
fn evaluation_goes_over_to_machine_code_and_nobody_notices() {
    let mut model = model_with(2);
    let expression = random_expression(&mut Random(7), &mut model, 6);
    let tape = tape_of(&model, &[expression]);
    let mut evaluator = Evaluator::new(tape.clone());
    let mut workspace = tape.workspace();
    let (mut expected, mut found) = ([0.0], [0.0]);
    for count in 0..30_000 {
        let inputs: Vec<f64> = (0..tape.inputs().len()).map(|input| ((count + input) as f64).sin()).collect();
        tape.evaluate(&inputs, &mut workspace, &mut expected);
        evaluator.evaluate(&inputs, &mut found);
        assert_eq!(found[0].to_bits(), expected[0].to_bits());
        assert!(count > 10 || !evaluator.is_compiled(), "compiled too early");
    }
    assert!(evaluator.is_compiled());
}

fn outside(name: &str, arguments: u32, results: u32) -> Function {
    Function {
        name: name.into(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        differentiable: u32::MAX,
        derivative: None,
        arguments,
        results,
        implementation: modeshift_dae::Implementation::Unknown,
        span: Span::default(),
    }
}

/// Chains of calls, thousands of them, so that outputs pass between pieces; one of the functions is known to nobody.
#[test]
fn tapes_that_call_functions_have_the_same_values_and_derivatives() {
    let mut natives = NativeFunctions::new();
    let turned = NativeFunction::new(|inputs, outputs| {
        let (sine, cosine) = inputs[2].sin_cos();
        outputs[0] = cosine * inputs[0] - sine * inputs[1];
        outputs[1] = sine * inputs[0] + cosine * inputs[1];
    });
    natives.add("Lib.turned", turned);
    natives.add("Lib.twice", NativeFunction::new(|inputs, outputs| outputs[0] = 2.0 * inputs[0]));
    for length in [1, 3, 400, 1_500] {
        let mut model = model_with(2);
        let [turned, twice, unknown] = [("Lib.turned", 3, 2), ("Lib.twice", 1, 1), ("Lib.unknown", 1, 1)]
            .map(|(name, arguments, results)| model.functions.push(outside(name, arguments, results)));
        let (x, y) = (model.expressions.variable(X, 0), model.expressions.variable(Y, 0));
        let (mut a, mut b) = (x, y);
        for at in 0..length {
            let angle = model.expressions.real(0.1 + f64::from(at % 7));
            let call = model.expressions.function(turned, &[a, b, angle]);
            a = model.expressions.add(modeshift_dae::Node::Output(call, 1));
            b = model.expressions.add(modeshift_dae::Node::Output(call, 2));
            let sum =
                model.expressions.add(modeshift_dae::Node::Arithmetic(modeshift_dae::ArithmeticOperator::Add, a, x));
            a = model.expressions.call(Builtin::Sin, &[sum]);
        }
        let doubled = model.expressions.function(twice, &[a]);
        let nothing = model.expressions.function(unknown, &[b]);
        let order = [Input::Variable(X, 0), Input::Variable(Y, 0)];
        let compiler = Compiler::new(&model, &natives);
        let tape = compiler.with_inputs(&order).tape(&[a, b, doubled, nothing]).expect("numeric");
        check(&tape, &points(&mut Random(5), 2), &format!("{length} calls"));
        let compiler = Compiler::new(&model, &natives);
        let differentiated = compiler.differentiated(&[doubled, b], &order).expect("numeric");
        check(differentiated.tape(), &points(&mut Random(6), 2), &format!("derivatives of {length} calls"));
    }
}
