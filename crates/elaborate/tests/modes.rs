//! What is a mode, and what is known about the modes: small MEL programs in, the guarded equation system out.

use expect_test::{Expect, expect};
use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::Diagnostics;
use modeshift_testkit::{NO_OVERRIDES, multimode_dae_of_mel};

fn elaborated(text: &str) -> Result<MultimodeDae, Diagnostics> {
    multimode_dae_of_mel("M", text, &NO_OVERRIDES)
}

/// Compares modes, formulas and invariants: everything before the first variable.
fn check_modes(text: &str, expected: Expect) {
    let dae = elaborated(text).unwrap_or_else(|diagnostics| panic!("{diagnostics:?}"));
    let shown = dae.to_string();
    let words = ["mode", "formula", "invariant"];
    let lines = shown.lines().filter(|line| words.iter().any(|word| line.trim_start().starts_with(word)));
    expected
        .assert_eq(&lines.map(|line| format!("{}\n", line.trim_start())).collect::<String>().replace("model M\n", ""));
}

fn check_equations(text: &str, expected: Expect) {
    let dae = elaborated(text).unwrap_or_else(|diagnostics| panic!("{diagnostics:?}"));
    let shown = dae.to_string();
    let from = shown.find("equation\n").expect("there is an equation section") + "equation\n".len();
    expected.assert_eq(&shown[from..]);
}

fn check_error(text: &str, code: &str, message: &str) {
    let diagnostics = elaborated(text).expect_err("an error");
    let found: Vec<_> =
        diagnostics.iter().map(|diagnostic| (diagnostic.code.as_str(), diagnostic.message.as_str())).collect();
    assert!(found.contains(&(code, message)), "{found:?}");
}

#[test]
fn a_boolean_whose_definition_contains_a_relation_is_the_mode_variable() {
    // E22, Figure 1; the guard depends on x, which depends on the guard.
    let text = "x : real; p : boolean = x >= 1; e : equation 1 = if p then x else der(x);";
    check_modes(
        text,
        expect![[r#"
        mode p = x >= 1;  // implicit
    "#]],
    );
    check_equations(
        text,
        expect![[r#"
          e: 1 = if p then x else der(x);
        end M;
    "#]],
    );
}

#[test]
fn a_relation_used_directly_is_named_by_its_text() {
    check_modes(
        "x : real; y : real; a : equation der(x) = 1; if x > 1 then b : equation y = 1 else c : equation y = x end;",
        expect![[r#"
            mode x > 1;
        "#]],
    );
}

#[test]
fn opposite_and_mirrored_relations_are_one_mode_variable() {
    let text = "x : real; y : real; z : real; a : equation der(x) = 1;
        b : equation y = if x <= 1 then 0 else x;
        c : equation z = (if x > 1 then 1 else 2) + (if 1 < x then 3 else 4) + (if x - 1 >= 0 then 5 else 6)
            + (if 2*x < 2 then 7 else 8);";
    check_modes(
        text,
        expect![[r#"
        mode x <= 1;
        mode x - 1 >= 0;
        invariant x <= 1 or x - 1 >= 0;  // between relations
    "#]],
    );
    check_equations(
        text,
        expect![[r#"
          a: der(x) = 1;
          b: y = if x <= 1 then 0 else x;
          c: z = (if not (x <= 1) then 1 else 2) + (if not (x <= 1) then 3 else 4) + (if x - 1 >= 0 then 5 else 6) + (if not (x - 1 >= 0) then 7 else 8);
        end M;
    "#]],
    );
}

#[test]
fn a_boolean_over_mode_variables_is_substituted_but_keeps_its_name() {
    let text = "x : real; y : real; p : boolean; q : boolean; both : boolean = p & q; none : boolean = !both;
        if both then a : equation x = 1 else b : equation x = 2 end;
        c : equation y = if none then x else if p then 2*x else 1;";
    check_modes(
        text,
        expect![[r#"
        mode p;  // given
        mode q;  // given
        formula both = p and q;
        formula none = not both;
    "#]],
    );
    check_equations(
        text,
        expect![[r#"
          if both then
            a: x = 1;
          else
            b: x = 2;
          end if;
          c: y = if not both then x else if p then 2*x else 1;
        end M;
    "#]],
    );
}

#[test]
fn only_what_guards_something_is_a_mode() {
    let text = "x : real; a : equation der(x) = 1; b : boolean = x > 2; c : boolean = x > 3; d : boolean = b & c;
        e : equation der(x) = 2;";
    check_modes(text, expect![""]);
    check_equations(
        text,
        expect![[r#"
          a: der(x) = 1;
          e1: b = x > 2;
          e2: c = x > 3;
          e3: d = b and c;
          e: der(x) = 2;
        end M;
    "#]],
    );
}

#[test]
fn relations_used_elsewhere_make_the_definition_an_invariant() {
    check_modes(
        "x : real; y : real; z : real; a : equation der(x) = 1; b : boolean = x > 1 | x < 0;
         c : equation y = if b then x else 1; d : equation z = if x > 1 then 2 else if x < 0 then 3 else x;",
        expect![[r#"
            mode b = x > 1 or x < 0;
            mode x > 1;
            mode x < 0;
            invariant not (x > 1) or not (x < 0);  // between relations
            invariant b and (x > 1 or x < 0) or not b and not (x > 1 or x < 0);  // by definition
        "#]],
    );
}

#[test]
fn thresholds_on_the_same_expression_imply_their_neighbours() {
    check_modes(
        "x : real; a : equation der(x) = (if x >= 3 then 1 else 2) + (if x > 1 then 1 else 2)
            + (if 2 <= x then 1 else 2) + (if x == 2 then 1 else 2) + (if x > 2 then 1 else 2);",
        expect![[r#"
            mode x >= 3;
            mode x > 1;
            mode 2 <= x;
            mode x == 2;
            mode x > 2;
            invariant not (2 <= x) or x > 1;  // between relations
            invariant not (x > 2) or 2 <= x;  // between relations
            invariant not (x == 2) or 2 <= x and not (x > 2);  // between relations
            invariant not (2 <= x and not (x > 2)) or x == 2;  // between relations
            invariant not (x >= 3) or x > 2;  // between relations
        "#]],
    );
}

#[test]
fn left_limits_make_a_boolean_the_mode_variable_and_are_not_implicit() {
    // E22, Figure 14: a latch.
    check_modes(
        "u : real; i : real; short : boolean = last(u) >= 100 | last(short);
         if short then a : equation u = 0 else b : equation i = 0 end; c : equation u + i = 1;",
        expect![[r#"
            mode short = pre(u) >= 100 or pre(short);
        "#]],
    );
}

#[test]
fn the_left_limit_of_a_boolean_is_a_mode_variable_of_its_own() {
    check_modes(
        "x : real; p : boolean; e : equation x = if last(p) & !p then 1 else 2;",
        expect![[r#"
            mode pre(p);
            mode p;  // given
        "#]],
    );
}

#[test]
fn a_guard_on_an_algebraic_variable_is_implicit_only_where_that_depends_on_the_guard() {
    check_modes(
        "x : real; y : real; z : real; e1 : equation der(x) = 1; e2 : equation y = 2*x;
         p : boolean = y > 1; e3 : equation z = if p then 1 else x;",
        expect![[r#"
            mode p = y > 1;
        "#]],
    );
    check_modes(
        "x : real; y : real; z : real; e1 : equation der(x) = 1; e2 : equation y = 2*x + z;
         p : boolean = y > 1; e3 : equation z = if p then 1 else x;",
        expect![[r#"
            mode p = y > 1;  // implicit
        "#]],
    );
}

#[test]
fn what_follows_from_states_alone_is_known_when_modes_are_decided() {
    // y occurs in the guarded equation, but does not depend on it.
    check_modes(
        "x : real; y : real; z : real; e1 : equation der(x) = 1; e2 : equation y = 2*x;
         p : boolean = y > 1; e3 : equation z = if p then y else x;",
        expect![[r#"
            mode p = y > 1;
        "#]],
    );
}

#[test]
fn a_variable_differentiated_in_all_branches_is_a_state() {
    check_modes(
        "x : real; if x > 1 then a : equation der(x) = 1 else b : equation der(x) = 2 end;",
        expect![[r#"
            mode x > 1;
        "#]],
    );
}

#[test]
fn relations_in_no_event_make_no_mode() {
    let text = "x : real; y : real; e : equation der(x) = noEvent(if x > 1 then 1 else 2);
        f : equation y = if noEvent(x > 2) then 1 else 2;";
    check_modes(text, expect![""]);
}

#[test]
fn nested_guards_are_simplified() {
    check_equations(
        "x : real; p : boolean; q : boolean;
         if p then if q then if p then a : equation x = 1 else b : equation x = 2 end end end;",
        expect![[r#"
              if p and q then
                a: x = 1;
              end if;
              if false then
                b: x = 2;
              end if;
            end M;
        "#]],
    );
}

#[test]
fn guarded_variables_exist_in_some_modes_only() {
    let text = "p : boolean; x : real; if p then y : real; a : equation y = x; b : equation der(y) = 1
        else c : equation x = 1 end;";
    let shown = elaborated(text).unwrap_or_else(|diagnostics| panic!("{diagnostics:?}")).to_string();
    assert!(shown.contains("if p then\n    Real y;\n  end if;"), "{shown}");
}

#[test]
fn cyclic_boolean_definitions_are_an_error() {
    check_error(
        "x : real; a : boolean = !b; b : boolean = a; e : equation x = if a then 1 else 2;",
        "E0503",
        "the definition of `a` leads back to itself",
    );
}

#[test]
fn a_condition_that_is_no_condition_is_an_error() {
    check_error("x : real; e : equation x = if 3*x then 1 else 2;", "E0504", "`3*x` is not a condition");
}
