//! Values of parameters, and what is said of those that have none.

use crate::common;
use std::collections::BTreeMap;

use common::add_variable;
use modeshift_dae::{Builtin, FlatModel, Function, RelationOperator, Type, Variability, VariableId};
use modeshift_diagnostics::{Diagnostics, Severity, Span};
use modeshift_numerics::{NativeFunction, NativeFunctions, Parameters};

/// A model with Real parameters of these names.
fn model(names: &[&str]) -> (FlatModel, Vec<VariableId>) {
    let mut model = FlatModel::new("M");
    let ids = names.iter().map(|name| add_variable(&mut model, name, Type::Real, Variability::Parameter)).collect();
    (model, ids)
}

/// Values or error messages.
fn evaluate(
    model: &FlatModel,
    natives: &NativeFunctions,
    set: &[(VariableId, f64)],
) -> Result<Vec<Option<f64>>, String> {
    let mut diagnostics = Diagnostics::new();
    let overrides: BTreeMap<VariableId, f64> = set.iter().copied().collect();
    let result = Parameters::evaluate(model, natives, &overrides, &mut diagnostics);
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let messages: Vec<&str> = errors.map(|diagnostic| diagnostic.message.as_str()).collect();
    let values = result.map(|parameters| model.variables.ids().map(|variable| parameters.of(variable)).collect());
    values.map_err(|_| messages.join("\n"))
}

/// `a = 2*b`, `b = c + 1`, `c = 3`
fn chain() -> (FlatModel, Vec<VariableId>) {
    let (mut model, ids) = model(&["a", "b", "c"]);
    let e = &mut model.expressions;
    let (b, c) = (e.variable(ids[1], 0), e.variable(ids[2], 0));
    let (one, two, three) = (e.integer(1), e.integer(2), e.integer(3));
    let (double, next) = (e.product(two, b), e.sum(c, one));
    for (&id, binding) in ids.iter().zip([double, next, three]) {
        model.variables[id].binding = Some(binding);
    }
    (model, ids)
}

#[test]
fn each_parameter_is_evaluated_after_those_it_depends_on() {
    let (model, ids) = chain();
    let natives = NativeFunctions::new();
    assert_eq!(evaluate(&model, &natives, &[]), Ok(vec![Some(8.0), Some(4.0), Some(3.0)]));
    assert_eq!(evaluate(&model, &natives, &[(ids[1], 10.0)]), Ok(vec![Some(20.0), Some(10.0), Some(3.0)]));
}

#[test]
fn a_cycle_is_named_once_with_its_members() {
    let (mut model, ids) = chain();
    let a = model.expressions.variable(ids[0], 0);
    model.variables[ids[2]].binding = Some(a);
    let message = evaluate(&model, &NativeFunctions::new(), &[]).expect_err("a cycle");
    assert_eq!(message, "the value of parameter `a` depends on itself: `a` -> `b` -> `c` -> `a`");
}

#[test]
fn a_parameter_that_only_the_other_branch_mentions_is_no_cycle() {
    let (mut model, ids) = model(&["a", "b"]);
    let e = &mut model.expressions;
    let (a, b, one) = (e.variable(ids[0], 0), e.variable(ids[1], 0), e.integer(1));
    let condition = e.relation(RelationOperator::Greater, b, one);
    model.variables[ids[0]].binding = Some(e.if_then_else(condition, a, one));
    model.variables[ids[1]].binding = Some(one);
    assert_eq!(evaluate(&model, &NativeFunctions::new(), &[]), Ok(vec![Some(1.0), Some(1.0)]));
}

#[test]
fn without_a_binding_the_start_value_counts_and_a_warning_says_so() {
    let (mut model, ids) = model(&["a"]);
    model.variables[ids[0]].start = Some(model.expressions.real(0.5));
    let mut diagnostics = Diagnostics::new();
    let (natives, none) = (NativeFunctions::new(), BTreeMap::new());
    let parameters = Parameters::evaluate(&model, &natives, &none, &mut diagnostics).expect("evaluates");
    assert_eq!(parameters.of(ids[0]), Some(0.5));
    let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(messages, ["parameter `a` has no value; its start value is used"]);
}

#[test]
fn unknowns_of_initialization_have_no_value_yet_nor_what_depends_on_them() {
    let (mut model, ids) = chain();
    model.variables[ids[1]].fixed = Some(false);
    assert_eq!(evaluate(&model, &NativeFunctions::new(), &[]), Ok(vec![None, None, Some(3.0)]));
}

#[test]
fn a_value_that_is_not_a_number_is_shown_with_its_expression() {
    let (mut model, ids) = model(&["a"]);
    let minus_one = model.expressions.real(-1.0);
    model.variables[ids[0]].binding = Some(model.expressions.call(Builtin::Log, &[minus_one]));
    let message = evaluate(&model, &NativeFunctions::new(), &[]).expect_err("not a number");
    assert_eq!(message, "parameter `a` = log(-1) is not a number");
}

#[test]
fn native_functions_are_called_and_unknown_ones_named() {
    let (mut model, ids) = model(&["a"]);
    let function = Function {
        name: "Lib.twice".into(),
        inputs: vec!["u".into()],
        outputs: vec!["v".into()],
        differentiable: u32::MAX,
        derivative: None,
        arguments: 1,
        results: 1,
        implementation: modeshift_dae::Implementation::Unknown,
        span: Span::default(),
    };
    let twice = model.functions.push(function);
    let three = model.expressions.integer(3);
    model.variables[ids[0]].binding = Some(model.expressions.function(twice, &[three]));
    let mut natives = NativeFunctions::new();
    let message = evaluate(&model, &natives, &[]).expect_err("unknown");
    assert_eq!(message, "function `Lib.twice` has no native implementation");
    natives.add("Lib.twice", NativeFunction::new(|inputs, outputs| outputs[0] = 2.0 * inputs[0]));
    assert_eq!(evaluate(&model, &natives, &[]), Ok(vec![Some(6.0)]));
}

#[test]
fn attributes_are_evaluated_with_the_parameters() {
    let (mut model, ids) = chain();
    let e = &mut model.expressions;
    let (a, time) = (e.variable(ids[0], 0), e.time());
    let (root, moving) = (e.call(Builtin::Sqrt, &[a]), e.sum(a, time));
    let (natives, none) = (NativeFunctions::new(), BTreeMap::new());
    let mut parameters = Parameters::evaluate(&model, &natives, &none, &mut Diagnostics::new()).expect("evaluates");
    assert_eq!(parameters.value(root), Some(8f64.sqrt()));
    assert_eq!(parameters.value(moving), None);
}

#[test]
fn a_chain_of_a_hundred_thousand_parameters_is_no_recursion() {
    let count = 100_000;
    let mut model = FlatModel::new("M");
    for index in 0..count {
        add_variable(&mut model, &format!("p{index}"), Type::Real, Variability::Parameter);
    }
    for index in 0..count {
        let one = model.expressions.integer(1);
        let binding = if index + 1 < count {
            let next = model.expressions.variable(VariableId(index + 1), 0);
            model.expressions.sum(next, one)
        } else {
            one
        };
        model.variables[VariableId(index)].binding = Some(binding);
    }
    let values = evaluate(&model, &NativeFunctions::new(), &[]).expect("evaluates");
    assert_eq!(values[0], Some(count as f64));
}
