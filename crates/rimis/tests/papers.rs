//! The plain form of the papers' two examples is what the papers print, up to names.

use crate::support;
use std::collections::BTreeMap;

use modeshift_dae::{
    ArithmeticOperator as Op, EquationKind, ExpressionId, ExpressionText, MultimodeDae, Node, WhenActionKind,
};
use modeshift_rimis::Form;
use support::{model, paper_model, transformed};

/// A model as sets of lines that do not depend on how equations are written: terms sorted, signs normalized.
fn normal_form(dae: &MultimodeDae, renamed: &BTreeMap<&str, &str>) -> Vec<String> {
    let mut lines = Vec::new();
    for variable in dae.model.variables.iter().filter(|variable| variable.binding.is_none()) {
        let start = variable.start.map(|start| text(dae, start, renamed));
        lines.push(format!("{:?} {} {start:?} {:?}", variable.ty, name(&variable.name, renamed), variable.fixed));
    }
    for equation in dae.model.equations.iter() {
        lines.push(match equation.kind {
            EquationKind::Continuous => residual(dae, equation.left, equation.right, renamed),
            _ => format!("{} := {}", text(dae, equation.left, renamed), text(dae, equation.right, renamed)),
        });
    }
    for branch in dae.model.when_clauses.iter().flat_map(|clause| &clause.branches) {
        let conditions: Vec<String> = branch.conditions.iter().map(|&it| text(dae, it, renamed)).collect();
        for action in &branch.actions {
            let WhenActionKind::Reinit(state, value) = action.kind else { panic!("only reinit is expected") };
            let state = name(&dae.model.variables[state].name, renamed);
            lines.push(format!("when {conditions:?}: {state} = {}", text(dae, value, renamed)));
        }
    }
    lines.sort();
    lines
}

fn name(name: &str, renamed: &BTreeMap<&str, &str>) -> String {
    renamed.get(name).copied().unwrap_or(name).to_string()
}

/// The text of an expression with whole words replaced.
fn text(dae: &MultimodeDae, expression: ExpressionId, renamed: &BTreeMap<&str, &str>) -> String {
    let text = ExpressionText { model: &dae.model, modes: Some(&dae.mode_variables), expression }.to_string();
    let mut result = String::new();
    let mut word = String::new();
    for character in text.chars().chain([' ']) {
        if character.is_ascii_alphanumeric() || character == '_' {
            word.push(character);
        } else {
            result.push_str(&name(&std::mem::take(&mut word), renamed));
            result.push(character);
        }
    }
    result.trim_end().to_string()
}

/// `left - right` as a sorted sum whose first term is positive.
fn residual(dae: &MultimodeDae, left: ExpressionId, right: ExpressionId, renamed: &BTreeMap<&str, &str>) -> String {
    let expressions = &dae.model.expressions;
    let mut terms: Vec<(String, bool)> = Vec::new();
    let mut pending = vec![(left, false), (right, true)];
    while let Some((id, negative)) = pending.pop() {
        match expressions.node(id) {
            Node::Arithmetic(Op::Add, a, b) => pending.extend([(a, negative), (b, negative)]),
            Node::Arithmetic(Op::Subtract, a, b) => pending.extend([(a, negative), (b, !negative)]),
            Node::Negate(a) => pending.push((a, !negative)),
            _ if expressions.literal(id) == Some(0.0) => {}
            _ => terms.push((text(dae, id, renamed), negative)),
        }
    }
    terms.sort();
    let flip = terms.first().is_some_and(|(_, negative)| *negative);
    let signed = terms.iter().map(|(term, negative)| format!("{} {term}", if *negative == flip { '+' } else { '-' }));
    signed.collect::<Vec<_>>().join(" ")
}

fn check_equal_to_figure(source: &str, figure: &str, renamed: &[(&str, &str)]) {
    let ours = model(&transformed(&paper_model(source), &[], Form::Plain), &[]);
    let theirs = model(&paper_model(figure), &[]);
    let (ours, theirs) =
        (normal_form(&ours, &renamed.iter().copied().collect()), normal_form(&theirs, &BTreeMap::new()));
    assert_eq!(ours.join("\n"), theirs.join("\n"));
}

#[test]
fn two_equations_become_figure_27() {
    check_equal_to_figure("TwoEquations", "TwoEquationsRIMIS", &[("x_0", "x_3"), ("x_p_0", "x_p_3"), ("x_1", "x_2")]);
}

#[test]
fn the_water_tank_becomes_figure_29() {
    check_equal_to_figure(
        "WaterTank",
        "WaterTankRIMIS",
        &[
            ("x_p_2", "x_p_6"),
            ("x_p_5", "x_p_4"),
            ("x_p_9", "x_p_7"),
            ("yh_3", "yh_5"),
            ("yh_10", "yh_6"),
            ("yl_6", "yl_4"),
            ("yl_8", "yl_2"),
            ("sh_1", "sh_5"),
            ("sh_11", "sh_6"),
            ("sl_4", "sl_2"),
            ("sl_7", "sl_4"),
        ],
    );
}
