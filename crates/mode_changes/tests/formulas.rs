//! Restart values as formulas, and their values.

use crate::formulas::ClosedForm;
use crate::one_change::{Noise, Potentials, Unknown, restart};
use crate::suite::support;
use modeshift_dae::{Derivative, ExpressionText};
use modeshift_numerics::{Compiler, Input, NativeFunctions};
use support::model::{Before, Mode};

/// The name of a closed form's unknown: `w1`, `x'`, or `f1` for a weight.
fn closed_form_name(mode: &Mode, form: &ClosedForm) -> String {
    let name = &mode.model.variables[mode.structure.variable(form.column)].name;
    match form.unknown {
        Unknown::RightLimit(order) => Derivative { of: (), order }.named(name).to_string(),
        Unknown::Weight(_) => name.to_string(),
    }
}

/// Formulas as text, after their values have been compared with the restart by levels.
fn formulas(text: &str, before: &[Before], new: &[&str]) -> Vec<String> {
    let mut mode = Mode::new(text);
    let past = mode.past(before, new);
    let expected = restart(&mode.structure, &mode.equations(), &past, &Noise::default());
    let potentials = Potentials::spread(&mode.structure, expected.defects.to_vec());
    let forms = potentials
        .closed_forms(&mut mode.model, &mode.structure, &modeshift_dae::Mode::all_false(0), None)
        .expect("derivatives");
    let natives = NativeFunctions::default();
    let describe = |form: &ClosedForm| {
        let tape = Compiler::new(&mode.model, &natives).tape(&[form.formula]).expect("a number");
        let input = |input: &Input| match *input {
            Input::LeftVariable(variable, order) => {
                let column = mode.structure.columns().find(|&column| mode.structure.variable(column) == variable);
                past.jet.get(column.expect("a variable of the mode"), order)
            }
            other => panic!("{other:?} is no left limit"),
        };
        let inputs: Vec<f64> = tape.inputs().iter().map(input).collect();
        let mut value = [0.0];
        tape.evaluate(&inputs, &mut tape.workspace(), &mut value);
        let exact = match form.unknown {
            Unknown::RightLimit(order) => expected.right.get(form.column, order),
            Unknown::Weight(delta) => expected.weights[form.column][delta as usize],
        };
        let name = closed_form_name(&mode, form);
        assert!((value[0] - exact).abs() < 1e-12 * exact.abs().max(1.0), "{name}: {} and {exact}", value[0]);
        format!("{name} = {}", ExpressionText { model: &mode.model, modes: None, expression: form.formula })
    };
    forms.iter().map(describe).collect()
}

#[test]
fn the_clutch_has_the_weighted_mean_of_the_paper() {
    // E22 (42) with b1 = 0.5 and b2 = 1.5: (b2 w1 + b1 w2)/(b1 + b2).
    let text = "e1: w1' = -0.2*w1 + 0.5*t1\n e2: w2' = -0.1*w2 + 1.5*t2\n e3: w1 - w2 = 0\n e4: t1 + t2 = 0";
    let before: [Before; 4] = [("w1", 1, &[10.0]), ("w2", 1, &[-2.0]), ("t1", 0, &[0.0]), ("t2", 0, &[0.0])];
    let found = formulas(text, &before, &["e3", "e4"]);
    assert_eq!(
        found,
        [
            "w1 = pre(w1) + 0.25*(pre(w2) - pre(w1))",
            "t1 = 0.5*(pre(w2) - pre(w1))",
            "w2 = pre(w2) - 0.75*(pre(w2) - pre(w1))",
            "t2 = -(pre(w2) - pre(w1))/2",
        ]
    );
}

#[test]
fn coefficients_that_depend_on_the_state_are_taken_at_left_limits() {
    let text = "e1: w1' = (1 + w1^2)*t1\n e2: w2' = (2 + w2)*t2\n e3: w1 - w2 = 0\n e4: t1 + t2 = 0";
    let before: [Before; 4] = [("w1", 1, &[3.0]), ("w2", 1, &[1.0]), ("t1", 0, &[0.0]), ("t2", 0, &[0.0])];
    assert_eq!(formulas(text, &before, &["e3", "e4"]).len(), 4);
}

#[test]
fn the_rope_has_formulas_for_its_velocities_and_its_tension() {
    // E22 (61): positions are continuous and appear as left limits.
    let text = "e1: x'' + lambda*x = 0\n e2: y'' + lambda*y + 9.81 = 0\n k1: 0 = 1 - (x^2 + y^2)\n k2: s = -lambda";
    let (x, y): ([f64; 3], [f64; 3]) = ([0.6, 0.8, 0.0], [-0.8, -4.0, -9.81]);
    let before: [Before; 4] = [("x", 2, &x), ("y", 2, &y), ("lambda", 0, &[0.0]), ("s", 0, &[0.0])];
    let found = formulas(text, &before, &["k1", "k2"]);
    let tension = "(2*pre(x)*pre(der(x)) + 2*pre(y)*pre(der(y)))/(2*pre(x)*pre(x) + 2*pre(y)*pre(y))";
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(found[1], format!("lambda = {tension}"));
    assert_eq!(found[3], format!("s = -{tension}"));
}

#[test]
fn there_is_no_formula_where_an_unknown_enters_nonlinearly() {
    let text = "e1: w1' = t\n e2: w2' = -t\n e3: w1^3 = w2";
    let before: [Before; 3] = [("w1", 1, &[1.0]), ("w2", 1, &[5.0]), ("t", 0, &[0.0])];
    assert!(formulas(text, &before, &["e3"]).is_empty());
}

#[test]
fn a_coefficient_that_cancels_is_no_pivot() {
    // With `b` for `a`, nothing is left of `s*(a - b)`: dividing by `s - s` would be dividing by zero.
    let text = "e0: s' = 0\n e1: a' = t + u\n e2: b' = -t\n e3: a - b = 0\n e4: f - s*(a - b) = 0\n e5: u - f' = 0";
    let before: [Before; 6] =
        [("s", 1, &[2.0]), ("a", 1, &[1.0]), ("b", 1, &[3.0]), ("f", 1, &[-4.0]), ("t", 0, &[0.0]), ("u", 0, &[0.0])];
    let found = formulas(text, &before, &["e3"]);
    assert!(found.contains(&"f = 0".to_string()), "{found:?}");
}
