//! MEL programs become flat models, and what is wrong with them is said with its places.

use expect_test::{Expect, expect};
use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_elaborate::elaborate;
use modeshift_flatten::flatten_mel;

fn flattened(text: &str, overrides: &[(&str, &str)]) -> Result<MultimodeDae, (SourceMap, Diagnostics)> {
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::new();
    let file = sources.add("model.mel", text);
    let program = modeshift_syntax::parse_mel(file, text, &mut diagnostics);
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let dae =
        flatten_mel("M", &program, &overrides, &mut diagnostics).and_then(|model| elaborate(model, &mut diagnostics));
    dae.map_err(|_| (sources, diagnostics))
}

fn check(text: &str, expected: Expect) {
    check_with(text, &[], expected);
}

fn check_with(text: &str, overrides: &[(&str, &str)], expected: Expect) {
    let dae = flattened(text, overrides).unwrap_or_else(|(_, diagnostics)| panic!("{diagnostics:?}"));
    expected.assert_eq(&dae.to_string());
}

/// Compares code and message, and for each label its text in the source.
fn check_errors(text: &str, expected: Expect) {
    check_errors_with(text, &[], expected);
}

fn check_errors_with(text: &str, overrides: &[(&str, &str)], expected: Expect) {
    let (sources, diagnostics) = flattened(text, overrides).expect_err("an error");
    let mut shown = String::new();
    for diagnostic in diagnostics.iter() {
        shown += &format!("{} {}\n", diagnostic.code, diagnostic.message);
        for label in &diagnostic.labels {
            shown += &format!("  `{}` {}\n", sources.text(label.span), label.text);
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn loops_are_unrolled_and_arrays_have_any_indices() {
    check(
        "N : integer = 2; x[0] : real; foreach i in 1 .. N do x[i] : real; step[i] : equation der(x[i]) = x[i - 1] done;
         first : equation x[0] = 1;",
        expect![[r#"
            model M
              parameter Integer N = 2;  // evaluated
              Real x[0];
              Real x[1];
              Real x[2];
            equation
              step[1]: der(x[1]) = x[0];
              step[2]: der(x[2]) = x[1];
              first: x[0] = 1;
            end M;
        "#]],
    );
}

#[test]
fn constants_can_be_set() {
    check_with(
        "N : integer = 2; a : real = 1.5; foreach i in 1 .. N do x[i] : real; e[i] : equation x[i] = a*i done;",
        &[("N", "3"), ("a", "2")],
        expect![[r#"
            model M
              parameter Integer N = 3;  // evaluated
              parameter Real a = 2;
              Real x[1];
              Real x[2];
              Real x[3];
            equation
              e[1]: x[1] = a;
              e[2]: x[2] = a*2;
              e[3]: x[3] = a*3;
            end M;
        "#]],
    );
}

#[test]
fn a_boolean_of_a_real_expression_means_not_negative() {
    check(
        "x : real; b : boolean = 2*x; e : equation der(x) = if b then 1 else 2;",
        expect![[r#"
            model M
              mode b = 2*x > 0;
              Real x;
            equation
              e: der(x) = if b then 1 else 2;
            end M;
        "#]],
    );
}

#[test]
fn second_derivatives_and_external_functions_of_any_arity() {
    check(
        "x : real; t : real; e : equation der(der(x)) = force(x, der(x), t) + sin(t); time : equation der(t) = 1;",
        expect![[r#"
            model M
              Real x;
              Real t;
            equation
              e: der(der(x)) = force(x, der(x), t) + sin(t);
              time: der(t) = 1;
            end M;
        "#]],
    );
}

#[test]
fn variables_declared_in_a_branch_exist_only_there() {
    check(
        "p : boolean; x : real; if p then y : real; a : equation y = der(x); b : equation y = 1 else c : equation x = 0 end;",
        expect![[r#"
            model M
              mode p;  // given
              Real x;
              if p then
                Real y;
              end if;
            equation
              if p then
                a: y = der(x);
                b: y = 1;
              else
                c: x = 0;
              end if;
            end M;
        "#]],
    );
}

#[test]
fn what_a_loop_index_decides_is_decided_at_once() {
    check(
        "foreach i in 1 .. 3 do x[i] : real; if i == 1 then first : equation x[i] = 1
         else e[i] : equation x[i] = x[i - 1] end done; y : real; s : equation y = if 1 > 2 then x[4] else x[3];",
        expect![[r#"
            model M
              Real x[1];
              Real x[2];
              Real x[3];
              Real y;
            equation
              first: x[1] = 1;
              e[2]: x[2] = x[1];
              e[3]: x[3] = x[2];
              s: y = x[3];
            end M;
        "#]],
    );
}

#[test]
fn scenarios_hold_initial_equations_for_some_modes() {
    check(
        "p : boolean; x : real; e : equation der(x) = if p then 1 else 2;
         scenario start when p is s1 : equation x = 1; end; scenario other is s2 : equation der(x) = 0; end;",
        expect![[r#"
            model M
              mode p;  // given
              Real x;
            equation
              e: der(x) = if p then 1 else 2;
            scenario start when p
              x = 1;
            scenario other when true
              der(x) = 0;
            end M;
        "#]],
    );
}

#[test]
fn an_undeclared_element_is_shown_with_a_declared_one() {
    check_errors(
        "N : integer = 2; foreach i in 1 .. N do x[i] : real; e[i] : equation x[i] = x[i + 1] done;",
        expect![[r#"
            E0280 `x[3]` is not declared
              `x[i + 1]` used here
              `x[i] : real` `x[1]` is declared here
        "#]],
    );
}

/// Each is compared with all variables: a hundred thousand of them would take hours.
#[test]
fn of_many_undeclared_elements_some_are_shown() {
    let text = "foreach i in 1 .. 100000 do x[i] : real; e[i] : equation x[i] + y[i] = 1.0; done;";
    let (_, diagnostics) = flattened(text, &[]).expect_err("nothing declares y");
    assert_eq!(diagnostics.iter().filter(|it| it.code.as_str() == "E0280").count(), 8);
}

#[test]
fn a_second_declaration_is_shown_with_the_first() {
    check_errors(
        "x[1] : real; x[2] : real; foreach i in 2 .. 3 do x[i] : real done;",
        expect![[r#"
        E0281 `x[2]` is declared twice
          `x[i] : real` declared again here
          `x[2] : real` first declared here
    "#]],
    );
}

#[test]
fn a_label_names_one_equation() {
    check_errors(
        "x : real; y : real; e : equation x = 1; e : equation y = 2;",
        expect![[r#"
        E0282 two equations are called `e`
          `e : equation y = 2` again here
          `e : equation x = 1` first used here
    "#]],
    );
}

#[test]
fn what_mel_cannot_do_is_named() {
    check_errors(
        "x : real; b : boolean; a : equation b = true; c : equation der(x*x) = f(x) + f(x, x);
         foreach i in 1 .. x do y[i] : real done; d : equation x = z;",
        expect![[r#"
            E0382 an index or a loop bound must be known at translation
              `x` needed here
            E0383 an equation of MEL is between real expressions
              `b` this is a boolean
            E0383 an equation of MEL is between real expressions
              `true` this is a boolean
            E0384 only a real variable or its derivative can be differentiated
              `der(x*x)` differentiated here
            E0384 `f` is called with 2 and with 1 arguments
              `f(x, x)` 2 arguments
              `f(x)` 1 arguments
            E0280 `z` is not declared
              `z` used here
        "#]],
    );
}

#[test]
fn a_huge_loop_is_an_error_and_no_hang() {
    check_errors(
        "foreach i in 1 .. 1000000000000 do x[i + 0*i] : boolean done;",
        expect![[r#"
        E0386 a loop over 1000000000000 values is too long
          `1 .. 1000000000000` this range
    "#]],
    );
}

#[test]
fn only_constants_can_be_set() {
    check_errors_with(
        "x : real; e : equation x = 1;",
        &[("N", "3"), ("x", "2")],
        expect![[r#"
        E0283 there is no constant `N` to set
        E0283 there is no constant `x` to set
    "#]],
    );
}

#[test]
fn a_law_takes_the_place_of_its_calls() {
    check(
        "R : real = 2.0; p : real; q : real; flow(d) : real = d/R; both(a, b) : real = flow(a - b) + b;
         e1 : equation q = both(p, time); e2 : equation p = flow(1);",
        expect![[r#"
            model M
              parameter Real R = 2;
              Real p;
              Real q;
            equation
              e1: q = (p - time)/R + time;
              e2: p = 1/R;
            end M;
        "#]],
    );
}

#[test]
fn laws_that_go_round_or_do_not_fit_are_refused() {
    check_errors(
        "x : real; f(a) : real = g(a); g(a) : real = f(a) + 1; e : equation x = f(2);",
        expect![[r#"
            E0384 the law of `f` is made of itself
              `f(a)` used here
              `f(a) : real = g(a)` this law
        "#]],
    );
    check_errors(
        "x : real; f(a) : real = a >= 0; e : equation x = f(1, 2) + f(3);",
        expect![[r#"
        E0384 `f` is called with 2 arguments, but its law has 1
          `f(1, 2)` called here
          `f(a) : real = a >= 0` its law
        E0383 the law of `f` does not have the type it is declared with
          `a >= 0` this formula
        E0383 an equation of MEL is between real expressions
          `f(1, 2) + f(3)` this is a boolean
    "#]],
    );
    check_errors(
        "x : real; f(a) : real = i; foreach i in 1 .. 1 do e[i] : equation x = f(i) done;",
        expect![[r#"
        E0280 `i` is not declared
          `i` used here
    "#]],
    );
}
