//! Discrete variables in runs: whichever way their equations are written, the run is the same.

use crate::support::runs as support;
use support::{How, Ran, check, run_text};

fn run_body(body: &str, stop: f64) -> Ran {
    run_text(&format!("model M {body} end M;"), &How::until(stop)).finished()
}

fn check_all(ran: &Ran, name: &str, expected: f64) {
    for value in ran.values(name) {
        check(name, value, expected, 1e-6);
    }
}

#[test]
fn an_alias_of_a_constant_has_its_value_from_the_start() {
    for alias in ["m = n", "n = m"] {
        let body = format!(
            "Integer m, n(start = 7); Real x(start = 1, fixed = true), y;
             equation der(x) = 1; m = 5; {alias}; y = n*x;"
        );
        let ran = run_body(&body, 1.0);
        check_all(&ran, "n", 5.0);
        check_all(&ran, "m", 5.0);
        check("y", ran.last("y"), 10.0, 1e-6);
        assert!(ran.events().is_empty(), "{:?}", ran.event_times());
    }
}

#[test]
fn a_variable_on_the_right_side_is_defined() {
    for definition in
        ["3 + (if x > 2 then 1 else 0) = n", "n = 3 + (if x > 2 then 1 else 0)", "-n = -3 - (if x > 2 then 1 else 0)"]
    {
        let body = format!(
            "Integer n(start = 7), m(start = 9), k(start = 1); Real x(start = 0, fixed = true), y;
             equation der(x) = 1; {definition}; m = k; k = 5 + n; y = n + m;"
        );
        let ran = run_body(&body, 3.0);
        for (time, n, m) in [(0.0, 3.0, 8.0), (1.5, 3.0, 8.0), (2.4, 4.0, 9.0), (3.0, 4.0, 9.0)] {
            check("n", ran.at(time, "n"), n, 1e-9);
            check("m", ran.at(time, "m"), m, 1e-9);
            check("k", ran.at(time, "k"), m, 1e-9);
        }
        assert_eq!(ran.events().len(), 1);
    }
}

#[test]
fn a_staircase_on_the_left_side_defines_the_right() {
    let body = "Integer k(start = 4); Real x(start = 0, fixed = true), y;
        equation der(x) = 1; integer(x) + 1 = k; y = k*x;";
    let ran = run_body(body, 1.9);
    check("k at 0", ran.at(0.0, "k"), 1.0, 1e-9);
    check("k at 0.95", ran.at(0.95, "k"), 1.0, 1e-9);
    check("k at 1.9", ran.at(1.9, "k"), 2.0, 1e-9);
}

#[test]
fn a_real_equal_to_an_integer_is_computed_from_it() {
    for (definition, real) in [("n = if x > 1 then 2 else 1", "y = n"), ("(if x > 1 then 2 else 1) = n", "n = y")] {
        let body = format!("Integer n; Real y, x(start = 0, fixed = true); equation der(x) = y; {definition}; {real};");
        check("x", run_body(&body, 3.0).last("x"), 5.0, 1e-6);
    }
}

#[test]
fn an_initial_equation_between_a_real_and_an_integer_is_a_condition_for_the_real() {
    for condition in ["x = n", "n = x"] {
        let body = format!(
            "Integer n(start = 7); Real x(start = 2), y(start = 1);
             initial equation {condition}; equation der(x) = 1; 3 = n; y = x;"
        );
        let ran = run_body(&body, 3.0);
        check("x", ran.at(0.0, "x"), 3.0, 1e-6);
        check("x", ran.last("x"), 6.0, 1e-6);
        assert!(ran.diagnostics.is_empty(), "{:#?}", ran.diagnostics);
    }
}

#[test]
fn a_definition_of_some_modes_holds_from_the_start() {
    let body = "Boolean b; Integer n(start = 7); Real x(start = 2, fixed = true);
        equation der(x) = -1; b = x > 1; if b then 3 = n; else pre(n) = n; end if;";
    let ran = run_body(body, 2.0);
    check_all(&ran, "n", 3.0);
}

/// The same model with its equations mirrored, shuffled and renamed, as the number says.
fn written(number: usize) -> String {
    let name = |plain: &str| if number & 1 == 1 { format!("a_{plain}") } else { plain.to_string() };
    let sides = |left: String, right: String| match number >> 1 & 1 {
        0 => format!("{left} = {right};"),
        _ => format!("({right}) = {left};"),
    };
    let [x, n, m, b, c] = ["x", "n", "m", "b", "c"].map(name);
    let mut equations = [
        sides(format!("der({x})"), format!("if {b} then 1 + {m} else 1")),
        sides(n.clone(), format!("integer(2*{x})")),
        sides(format!("{m} - 1"), n.clone()),
        sides(b.clone(), format!("not {c}")),
        sides(c.clone(), format!("({x} > 0.7)")),
    ];
    let count = equations.len();
    equations.rotate_left((number >> 2) % count);
    if number >> 2 >= count {
        equations.reverse();
    }
    format!(
        "model M Real {x}(start = 0.1, fixed = true); Integer {n}(start = 3), {m}(start = -4); Boolean {b}, {c};
         equation {} end M;",
        equations.join(" ")
    )
}

#[test]
fn mirrored_shuffled_and_renamed_equations_give_the_same_run() {
    let plain = run_text(&written(0), &How::until(2.0)).finished();
    for number in 1..40 {
        let ran = run_text(&written(number), &How::until(2.0)).finished();
        let name = |name: &str| if number & 1 == 1 { format!("a_{name}") } else { name.to_string() };
        assert_eq!(ran.events().len(), plain.events().len(), "{}", written(number));
        for variable in ["x", "n", "m", "b", "c"] {
            check(variable, ran.last(&name(variable)), plain.last(variable), 1e-6);
            check(variable, ran.at(0.0, &name(variable)), plain.at(0.0, variable), 1e-6);
        }
    }
}

/// Events without an end are told by what goes round; of a counter that never comes back the last values are.
#[test]
fn events_without_end_are_told_with_their_values() {
    for (definition, circle) in [("1 - pre(k)", vec!["0", "1"]), ("mod(pre(k) + 1, 3)", vec!["0", "1", "2"])] {
        let text = format!(
            "model M Integer k(start = 0, fixed = true); equation k = if time >= 0.5 then {definition} else 0; end M;"
        );
        let ran = run_text(&text, &How::until(1.0));
        let labels = &ran.said("E0825").labels;
        let shown =
            |first: usize| (first..first + 6).map(|it| circle[it % circle.len()]).collect::<Vec<_>>().join(", ");
        let texts: Vec<String> =
            (0..circle.len()).map(|first| format!("`k` goes on: …, {}, …", shown(first))).collect();
        assert!(labels.iter().any(|it| texts.contains(&it.text)), "{labels:#?}");
    }
    let growing =
        "model M Integer k(start = 0, fixed = true); equation k = if time >= 0.5 then pre(k) + 1 else 0; end M;";
    let ran = run_text(growing, &How::until(1.0));
    let labels = &ran.said("E0825").labels;
    assert!(labels.iter().any(|it| it.text.ends_with("99998, 99999, 100000, …")), "{labels:#?}");
}

/// A `when` that reads what it sets has no solution: the advice is `pre`, and works.
#[test]
fn a_forgotten_pre_is_advised() {
    let model = |read: &str| {
        format!(
            "model M Real x(start = 1, fixed = true); discrete Real s(start = 1, fixed = true);
             Integer n(start = 0, fixed = true); equation der(x) = -x;
             when abs(x - {read}) >= 0.1 then s = x; n = pre(n) + 1; end when; end M;"
        )
    };
    let ran = run_text(&model("s"), &How::until(3.0));
    let help = ran.said("E0823").help.clone().unwrap_or_default();
    assert!(help.ends_with("write `pre(s)` there"), "{help}");
    let mended = run_text(&model("pre(s)"), &How::until(3.0)).finished();
    check("n", mended.last("n"), 9.0, 1e-9);
}

/// An immediate transition that is asked for by what happens in the state it leaves takes away its own reason: the advice works.
#[test]
fn immediate_transitions_on_what_their_state_sets_are_advised() {
    let model = |immediate: &str| {
        format!(
            "model A Boolean b(start = false); Real x(start = 0, fixed = true); equation der(x) = 1;
             when x > 0.5 then b = true; end when; end A;
             model M A a; A c; equation initialState(a); transition(a, c, a.b{immediate}); end M;"
        )
    };
    let help = run_text(&model(""), &How::until(2.0)).said("E0824").help.clone().unwrap_or_default();
    assert!(help.contains("write `immediate = false`"), "{help}");
    let mended = run_text(&model(", immediate = false"), &How::until(2.0)).finished();
    check("c.x", mended.last("c.x"), 1.5, 1e-6);
}

/// What jumps at the instant of a sampling is sampled after the jump, steps of stairs like everything else.
#[test]
fn steps_of_what_jumps_are_sampled_as_their_arguments_are() {
    let mut seed: u32 = 7;
    let mut level = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 24) * 20.0 - 10.0
    };
    for _ in 0..12 {
        let levels: Vec<f64> = (0..8).map(|_| level()).collect();
        let branches: String = (0..7)
            .map(|it| format!("if time < {} then {} else ", 0.25 * f64::from(it + 1), levels[it as usize]))
            .collect();
        let body = format!(
            "Real x, y(start = 0, fixed = true); Integer n, k(start = 0), l(start = 0); Real m(start = 0), c(start = 0);
             equation der(y) = 1; x = 0.001*y + ({branches}{}); n = integer(x);
             when sample(0, 0.25) then k = n; m = mod(x, 3); c = ceil(x); end when;
             algorithm when sample(0, 0.25) then l := min(integer(max(x, 0)), 7); end when;",
            levels[7]
        );
        let how = How { interval: Some(0.05), ..How::until(1.9) };
        let ran = run_text(&format!("model M {body} end M;"), &how).finished();
        for (at, level) in levels.iter().enumerate() {
            let sampled = 0.25 * at as f64;
            let x = 0.001 * sampled + level;
            check("k", ran.at(sampled + 0.1, "k"), x.floor(), 1e-9);
            check("m", ran.at(sampled + 0.1, "m"), x - 3.0 * (x / 3.0).floor(), 1e-6);
            check("c", ran.at(sampled + 0.1, "c"), x.ceil(), 1e-9);
            check("l", ran.at(sampled + 0.1, "l"), x.max(0.0).floor().min(7.0), 1e-9);
        }
    }
}
