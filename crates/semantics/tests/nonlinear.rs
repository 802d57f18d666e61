//! Impulsive variables that enter equations in other ways than linearly: orders by the algebra of leading terms, or words.
//!
//! The second opinion computes one instant of the two clutches with a small step instead of an infinitesimal one.

use modeshift_semantics::{Effects, Graph, Trouble};

use crate::support::graph;

/// Two clutches, so that `f` and `k` have order 1, and one more equation.
fn clutches(declaration: &str, equation: &str) -> Graph {
    graph(&format!(
        "model M
           Boolean g = time > 1; parameter Real a = 3;
           Real w1; Real w2; Real u1; Real u2; Real f; Real k; {declaration}
         equation
           /* e1: */ der(w1) = f;
           /* e2: */ der(w2) = -f;
           /* e3: */ 0 = if g then w1 - w2 else f;
           /* d1: */ der(u1) = k;
           /* d2: */ der(u2) = -k;
           /* d3: */ 0 = if g then u1 - u2 else k;
           /* new: */ {equation};
         end M;"
    ))
}

fn engages(graph: &Graph) -> Effects {
    graph.effects(&graph.causal_change(0, 1).expect("a change")).expect("effects")
}

/// The order that the change gives to a variable, 0 where it is finite.
fn order(graph: &Graph, name: &str) -> i32 {
    let effects = engages(graph);
    let (unknown, _) = graph.system.unknowns.iter_enumerated().find(|(_, it)| &*it.name == name).expect("a variable");
    assert!(!effects.unclear.contains_key(&unknown), "{:?}", effects.unclear);
    effects.impulsive.get(&unknown).copied().unwrap_or(0)
}

/// How fast something grows when the step gets smaller, 0 where it does not; with jumps of `w1` and `u1` by 0.5 and 1.
fn growth(value: impl Fn(f64, f64, f64) -> f64) -> i32 {
    let at = |step: f64| value(0.5 / step, 1.0 / step, step).abs();
    let (coarse, fine) = (at(1e-4), at(1e-6));
    ((fine / coarse).log10() / 2.0).round().max(0.0) as i32
}

type Case = (&'static str, fn(f64, f64, f64) -> f64);

#[test]
fn orders_of_products_add_and_rational_functions_have_that_of_their_leading_term() {
    let cases: [Case; 13] = [
        ("p = f*f", |f, _, _| f * f),
        ("p = f*k", |f, k, _| f * k),
        ("p = a*f^3 - k^2", |f, k, _| 3.0 * f.powi(3) - k.powi(2)),
        ("p = f*abs(f)", |f, _, _| f * f.abs()),
        ("p = 1/(1 + f*f)", |f, _, _| 1.0 / (1.0 + f * f)),
        ("p = f*f*k/(1 + f*f)", |f, k, _| f * f * k / (1.0 + f * f)),
        ("p = (f + 1)^2 - f*f", |f, _, _| (f + 1.0).powi(2) - f * f),
        ("p = f/k", |f, k, _| f / k),
        ("p = f^(-2)*k^3", |f, k, _| f.powi(-2) * k.powi(3)),
        ("0.25*p + sin(w1)*f*f = 1", |f, _, _| f * f),
        ("p = noEvent(f*k)", |f, k, _| f * k),
        ("p = f*w1", |f, _, _| f),
        ("p = sin(w1) + time", |_, _, _| 1.0),
    ];
    for (equation, value) in cases {
        assert_eq!(order(&clutches("Real p;", equation), "p"), growth(value), "{equation}");
    }
}

#[test]
fn states_behind_powers_of_impulses_are_infinite() {
    let cases: [Case; 5] = [
        ("der(z) = f*f", |f, _, step| step * f * f),
        ("der(z) = f*k*k", |f, k, step| step * f * k * k),
        ("der(z) = f*w1", |f, _, step| step * f),
        ("der(z) = f*abs(f)", |f, _, step| step * f * f),
        ("der(z) = f*f/(1 + k)", |f, k, step| step * f * f / (1.0 + k)),
    ];
    for (equation, value) in cases {
        let graph = clutches("Real z;", equation);
        assert_eq!(order(&graph, "z"), growth(value), "{equation}");
    }
}

#[test]
fn what_the_algebra_cannot_tell_has_no_order_and_is_explained() {
    let cases = [
        ("p = sin(f)", "new", "f", Trouble::Inside("sin".into())),
        ("p = exp(-f*f)", "new", "f", Trouble::Inside("exp".into())),
        ("p = sqrt(f*f + 1)", "new", "f", Trouble::Inside("sqrt".into())),
        ("p = max(f, k)", "new", "f", Trouble::Inside("max".into())),
        ("p = f + abs(f)", "new", "f", Trouble::AtMost(1)),
        ("p*p = f*f", "new", "p", Trouble::NotLinear),
        ("p = noEvent(if w1 > 0 then f else 0)", "new", "f", Trouble::Inside("if".into())),
    ];
    for (equation, name, variable, trouble) in cases {
        let graph = clutches("Real p;", equation);
        let effects = engages(&graph);
        let of = graph.system.unknowns.iter_enumerated().find(|(_, it)| &*it.name == "p").expect("a variable").0;
        let unclear = effects.unclear.get(&of).unwrap_or_else(|| panic!("{equation}: {effects:?}"));
        assert!(!effects.impulsive.contains_key(&of), "{equation}: no order beside");
        assert_eq!(unclear.trouble, trouble, "{equation}");
        assert_eq!(&*graph.system.bodies[unclear.equations[0].of].name, name);
        assert_eq!(&*graph.system.unknowns[unclear.variable].name, variable, "{equation}");
    }
}

#[test]
fn equations_that_are_solved_together_and_not_linear_have_no_orders() {
    // f*abs(f) has order 1, so that f has order 1/2.
    let graph = graph(
        "model M Boolean g = time > 1; Real w1; Real w2; Real f; Real p;
         equation
           /* e1: */ der(w1) = f*abs(f);
           /* e2: */ der(w2) = -f*abs(f);
           /* e3: */ 0 = if g then w1 - w2 else f;
           /* e4: */ p = f;
         end M;",
    );
    let effects = engages(&graph);
    assert!(effects.impulsive.is_empty(), "{effects:?}");
    let names: Vec<&str> = effects.unclear.keys().map(|&it| &*graph.system.unknowns[it].name).collect();
    assert_eq!(names, ["w1", "w2", "f", "p"]);
}
