//! Impulse orders of nonlinear equations, and products that are not defined.

use crate::formulas::{Order, solved_order};
use crate::one_change::{Defect, Potentials, undefined_products};
use crate::suite::support;
use crate::suite::support::implicit_step::growth_orders;
use modeshift_dae::{Derivative, VariableId};
use modeshift_numerics::residual_newton::Failure;
use support::model::Mode;

/// The order of the variable that an equation is solved for, where `y` has order 1 and all else is finite.
fn check_order(text: &str, solved: &str, expected: &str) {
    let mode = Mode::new(text);
    let id = |name: &str| VariableId(mode.column(name).0);
    let y = id("y");
    let order_of = |it: Derivative<VariableId>| {
        let base = if it.of == y { 1.0 } else { 0.0 };
        Order::new(base + f64::from(it.order))
    };
    let equation = &mode.model.equations[mode.structure.equation(mode.row("e"))];
    let order = solved_order(&mode.model.expressions, equation.left, equation.right, id(solved), &order_of);
    assert_eq!(order.map(|order| order.to_string()).as_deref(), Some(expected), "{text}");
}

#[test]
fn powers_give_rational_orders_and_exp_an_infinite_one() {
    // E22 §9, after Definition 5.
    check_order("e: x^2 - y = 0\n f: y = 1", "x", "1/2");
    check_order("e: z - y^1.4142135623730951 = 0\n f: y = 1", "z", "1.4142135623730951");
    check_order("e: x = exp(y)\n f: y = 1", "x", "inf");
    check_order("e: x^3*y = y^2 + 1\n f: y = 1", "x", "1/3");
    check_order("e: x = sqrt(y) + 3\n f: y = 1", "x", "1/2");
    check_order("e: x = 1/y\n f: y = 1", "x", "-1");
    check_order("e: 2*x = y + y'\n f: y = 1", "x", "2");
}

#[test]
fn known_terms_count_as_one_and_a_variable_in_two_terms_is_not_solved() {
    let mode = Mode::new("e: x + x^2 = y\n f: y = 1");
    let equation = &mode.model.equations[mode.structure.equation(mode.row("e"))];
    let order_of = |_: Derivative<VariableId>| Order::FINITE;
    let x = VariableId(mode.column("x").0);
    assert_eq!(solved_order(&mode.model.expressions, equation.left, equation.right, x, &order_of), None);
    let (equation, y) = (&mode.model.equations[mode.structure.equation(mode.row("f"))], VariableId(mode.column("y").0));
    let order = solved_order(&mode.model.expressions, equation.left, equation.right, y, &order_of);
    assert_eq!(order, Some(Order::FINITE));
}

fn warnings(text: &str, new: &[&str]) -> Vec<String> {
    let mut mode = Mode::new(text);
    let defects =
        new.iter().map(|name| Defect { row: mode.row(name), first: usize::from(name.starts_with('k')) as u32 });
    let potentials = Potentials::spread(&mode.structure, defects.collect::<Vec<_>>());
    let found = undefined_products(&mut mode.model, &mode.structure, &potentials, &modeshift_dae::Mode::all_false(0))
        .expect("derivatives");
    found
        .iter()
        .map(|product| product.message(&mode.model, &mode.structure, Order::new(product.impulsive.1 as f64)))
        .collect()
}

#[test]
fn an_impulse_times_a_jump_is_warned_about() {
    // E22 (42) with inertia that depends on the jumping speed.
    let text = "e1: w1' = -0.1*w1 + (1 + w1^2)*t1
                e2: w2' = -0.2*w2 + 2*t2
                e3: w1 - w2 = 0
                e4: t1 + t2 = 0";
    assert_eq!(
        warnings(text, &["e3"]),
        ["in e1, the product of t1 (order 1) and w1 (order 0) is not defined at this change; \
          w1 is taken at its left limit"]
    );
}

#[test]
fn an_impulse_times_something_continuous_is_fine() {
    let text = "ex: x' = u\n ey: y' = v\n e1: u' + lambda*x = 0\n e2: v' + lambda*y = -9.81\n k1: x^2 + y^2 = 1";
    assert!(warnings(text, &["k1"]).is_empty());
}

#[test]
fn an_impulse_inside_a_nonlinear_function_is_warned_about() {
    let text = "e1: w1' = t1\n e2: w2' = -t1\n e3: w1 = w2\n e4: z = exp(t1)";
    assert_eq!(warnings(text, &["e3"]), ["in e4, t1 is impulsive (order 1) inside a nonlinear function"]);
}

/// Growth rates over ever smaller steps, of a clutch that engages with something fed by its torque.
fn growth(text: &str, variable: &str) -> Result<f64, Failure> {
    let clutch = "e1: w1' = t\n e2: w2' = -t\n e3: w1 = w2\n";
    let mode = Mode::new(&format!("{clutch}{text}"));
    let past = mode.past(&[("w1", 1, &[1.0]), ("w2", 1, &[5.0]), ("t", 0, &[0.0])], &["e3"]);
    let orders = growth_orders(&mode.structure, &mode.equations(), &past.jet, 1.0, 18)?;
    Ok(orders[mode.column(variable)])
}

#[test]
fn steps_confirm_fractional_orders_and_find_none_for_exp() {
    assert!((growth("e4: x^2 = t", "x").expect("steps") - 0.5).abs() < 1e-6);
    assert!((growth("e4: x^3*t = t^2 + 1", "x").expect("steps") - 1.0 / 3.0).abs() < 1e-6);
    assert!((growth("e4: x = t", "t").expect("steps") - 1.0).abs() < 1e-6);
    assert!(growth("e4: x = t", "w1").expect("steps") < 1e-6, "speeds stay bounded");
    assert!(growth("e4: x = exp(t)", "x").is_err(), "exp of an impulse outgrows every power");
}
