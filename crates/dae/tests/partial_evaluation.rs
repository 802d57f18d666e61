//! What is left of expressions under assumptions about modes and parameters.

use crate::common;
use common::add_variable;
use modeshift_dae::{
    Builtin, ExpressionId, ExpressionText, Expressions, FlatModel, ModeVariableId, Node, PartialEvaluation,
    RelationOperator, Type, Variability, VariableId, assume_modes,
};

const P: ModeVariableId = ModeVariableId(0);
const X: VariableId = VariableId(0);
const N: VariableId = VariableId(1);

/// A model with a continuous `x` and a parameter `n`.
fn model() -> FlatModel {
    let mut model = FlatModel::new("M");
    add_variable(&mut model, "x", Type::Real, Variability::Continuous);
    add_variable(&mut model, "n", Type::Integer, Variability::Parameter);
    model
}

/// Under `mode0` true and `n = 3`.
fn check_under_assumptions(build: impl FnOnce(&mut Expressions) -> ExpressionId, expected: &str) {
    let mut model = model();
    let expression = build(&mut model.expressions);
    let three = model.expressions.integer(3);
    let modes = |mode| (mode == P).then_some(true);
    let values = |variable| (variable == N).then_some(three);
    let left = PartialEvaluation::new(modes, values).of(&mut model.expressions, expression);
    assert_eq!(ExpressionText { model: &model, modes: None, expression: left }.to_string(), expected);
}

#[test]
fn of_a_decided_condition_one_branch_is_left() {
    check_under_assumptions(
        |e| {
            let (p, q) = (e.mode(P), e.mode(ModeVariableId(1)));
            let (x, one) = (e.variable(X, 1), e.integer(1));
            let inner = e.if_then_else(q, x, one);
            let not = e.not(p);
            e.if_then_else(not, one, inner)
        },
        "if mode1 then der(x) else 1",
    );
}

#[test]
fn the_branch_not_taken_is_not_looked_at() {
    let mut model = model();
    let p = model.expressions.mode(P);
    let x = model.expressions.variable(X, 0);
    let mut deep = x;
    for _ in 0..1000 {
        deep = model.expressions.call(Builtin::Sin, &[deep]);
        let q = model.expressions.mode(ModeVariableId(1));
        deep = model.expressions.if_then_else(q, deep, x);
    }
    let choice = model.expressions.if_then_else(p, x, deep);
    let before = model.expressions.len();
    let left = assume_modes(&mut model.expressions, choice, |mode| Some(mode == P));
    assert_eq!(left, x);
    assert!(model.expressions.len() <= before + 2);
}

#[test]
fn an_assumption_says_nothing_about_the_left_limit() {
    check_under_assumptions(
        |e| {
            let p = e.mode(P);
            let before = e.pre(p);
            e.and(p, before)
        },
        "pre(mode0)",
    );
    check_under_assumptions(
        |e| {
            let p = e.mode(P);
            e.call(Builtin::Edge, &[p])
        },
        "not pre(mode0)",
    );
}

#[test]
fn parameters_are_the_same_on_both_sides() {
    check_under_assumptions(
        |e| {
            let n = e.variable(N, 0);
            e.pre(n)
        },
        "3",
    );
}

#[test]
fn calls_of_literals_are_folded_and_keep_their_type() {
    check_under_assumptions(
        |e| {
            let (n, two, x) = (e.variable(N, 0), e.integer(2), e.variable(X, 0));
            let odd = e.call(Builtin::Mod, &[n, two]);
            let one = e.integer(1);
            let condition = e.relation(RelationOperator::Equal, odd, one);
            let negative = e.negate(n);
            let size = e.call(Builtin::Abs, &[negative]);
            e.if_then_else(condition, size, x)
        },
        "3",
    );
}

#[test]
fn what_is_not_a_number_stays_for_the_user_to_see() {
    check_under_assumptions(
        |e| {
            let n = e.variable(N, 0);
            let negative = e.negate(n);
            e.call(Builtin::Log, &[negative])
        },
        "log(-3)",
    );
}

#[test]
fn every_total_assignment_leaves_a_formula_decided() {
    let mut model = model();
    let e = &mut model.expressions;
    let [a, b, c] = [0, 1, 2].map(|index| e.mode(ModeVariableId(index)));
    let not_b = e.not(b);
    let left = e.and(a, not_b);
    let formula = e.or(left, c);
    for bits in 0..8u32 {
        let bit = |index: u32| bits >> index & 1 == 1;
        let result = assume_modes(&mut model.expressions, formula, |mode| Some(bit(mode.0)));
        let expected = (bit(0) && !bit(1)) || bit(2);
        assert_eq!(model.expressions.node(result), Node::Boolean(expected));
    }
}
