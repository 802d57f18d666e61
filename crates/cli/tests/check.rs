//! The messages of `check`, as users read them.

use crate::support;
use expect_test::{Expect, expect};
use support::{modeshift_reading, root};

/// The messages about a model, and the verdict below them.
fn check(model: &str, status: i32, expected: Expect) {
    let outcome = modeshift_reading(model.as_bytes(), &["check", "-"]);
    expected.assert_eq(&format!("{}{}", outcome.stderr, outcome.stdout));
    assert_eq!(outcome.status, status);
}

const CIRCUIT: &str = "connector Pin
  Real v;
  flow Real i;
end Pin;
model Resistor
  Pin p, n;
equation
  p.v - n.v = 2*p.i;
  p.i + n.i = 0;
end Resistor;
model Source
  Pin p, n;
equation
  p.v - n.v = 1;
  p.i + n.i = 0;
end Source;
model Ground
  Pin p;
equation
  p.v = 0;
end Ground;
";

/// At temperatures of 1 the reaction has stopped to the last digit: that says nothing of 300 K.
#[test]
fn coefficients_are_tried_at_the_size_of_their_variables() {
    let model = "model M
  Real T(start = 300), c(start = 1, fixed = true);
equation
  der(c) = -c;
  c = 1e13*exp(-9000/T);
end M;
";
    let outcome = modeshift_reading(model.as_bytes(), &["check", "-"]);
    assert!(!outcome.stderr.contains("W0601"), "{}", outcome.stderr);
}

#[test]
fn a_circuit_without_ground_is_told_to_add_one() {
    let model = format!(
        "{CIRCUIT}model M\n  Source s;\n  Resistor r;\nequation\n  connect(s.p, r.p);\n  connect(s.n, r.n);\nend M;\n"
    );
    check(
        &model,
        1,
        expect![[r#"
            error[E0601]: the model is singular: too many equations in one place, too few in another
              --> <stdin>:15:3
               |
             2 |   Real v;
               |        - `s.p.v`, `s.n.v`, `r.p.v` and 1 more are not determined
            ...
             9 |   p.i + n.i = 0;
               |   ------------- `r.e2`
            ...
            15 |   p.i + n.i = 0;
               |   ^^^^^^^^^^^^^ `s.e2`
            ...
            26 |   connect(s.p, r.p);
               |   ----------------- `e2`
            27 |   connect(s.n, r.n);
               |   ----------------- `e4`
               |
               = note: one of `s.e2`, `r.e2`, `e2`, `e4` follows from the others or contradicts them: they only involve `s.p.i`, `s.n.i`, `r.p.i`, `r.n.i`
               = note: `s.p.v`, `s.n.v`, `r.p.v`, `r.n.v` occur in 3 equations only: `s.e1`, `r.e1`, `e1`
               = fix: add a `Ground` at `s.n`; then the model is right (`check --fix` shows the edit)

            M: 1 error
        "#]],
    );
}

#[test]
fn a_parameter_of_a_branch_that_is_left_out_is_used() {
    let model = "model M\n  parameter Integer kind = 0;\n  parameter Real level = 3, other = 4;\n  Real x(start = 1, fixed = true);\n\
                 equation\n  if kind == 1 then\n    der(x) = level - x;\n  else\n    der(x) = -x;\n  end if;\nend M;\n";
    let outcome = modeshift_reading(model.as_bytes(), &["check", "-"]);
    assert!(outcome.stderr.contains("`other` is used nowhere"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("`level` is used nowhere"), "{}", outcome.stderr);
}

#[test]
fn sources_in_a_loop_are_told_to_add_a_resistance() {
    let model = format!(
        "{CIRCUIT}model M\n  Source s, t;\n  Ground g;\nequation\n  connect(s.p, t.p);\n  connect(s.n, t.n);\n  connect(s.n, g.p);\nend M;\n"
    );
    check(
        &model,
        1,
        expect![[r#"
            error[E0601]: the model is singular: too many equations in one place, too few in another
              --> <stdin>:14:3
               |
             3 |   flow Real i;
               |             - `s.p.i`, `s.n.i`, `t.p.i` and 2 more are not determined
            ...
            14 |   p.v - n.v = 1;
               |   ^^^^^^^^^^^^^ `s.e1`, `t.e1`
            ...
            20 |   p.v = 0;
               |   ------- `g.e1`
            ...
            26 |   connect(s.p, t.p);
               |   ----------------- `e1`
            27 |   connect(s.n, t.n);
               |   ----------------- `e3`, `e4`
               |
               = note: these 6 equations only involve these 5 unknowns, `s.p.v`, `s.n.v`, `t.p.v`, `t.n.v`, `g.p.v`: `s.e1`, `t.e1`, `g.e1`, `e1`, `e3`, `e4`
               = note: `s.p.i`, `s.n.i`, `t.p.i`, `t.n.i`, `g.p.i` occur in 4 equations only: `s.e2`, `t.e2`, `e2`, `e5`
               = help: `s` and `t` both fix the voltage between the same nodes: put a resistance between them, or remove one of them

            M: 1 error
        "#]],
    );
}

#[test]
fn two_equations_for_one_variable_and_none_for_another() {
    check(
        "model M\n  Real x, z;\nequation\n  x = 1;\n  x = 2 + sin(time);\nend M;\n",
        1,
        expect![[r#"
        error[E0601]: the model is singular: too many equations in one place, too few in another
         --> <stdin>:4:3
          |
        2 |   Real x, z;
          |           - `z` is not determined
        3 | equation
        4 |   x = 1;
          |   ^^^^^ `e1`
        5 |   x = 2 + sin(time);
          |   ----------------- `e2`
          |
          = note: these 2 equations only involve one unknown, `x`: `e1`, `e2`
          = note: `z` occurs in no equation
          = help: both `e1` and `e2` fix `x`: remove one of them; and add an equation for `z`, or remove its declaration

        M: 1 error
    "#]],
    );
}

#[test]
fn a_branch_without_its_plug_equation_is_named_by_its_modes() {
    let model = "model M
  Real x, f;
  Boolean g = x > 1;
equation
  der(x) = -x;
  if g then
    f = x;
  end if;
end M;
";
    check(
        model,
        1,
        expect![[r#"
            error[E0601]: singular when `not g`: no equation for 1 unknown
             --> <stdin>:6:6
              |
            2 |   Real x, f;
              |           - `f` is not determined
            ...
            6 |   if g then
              |      ^ 1 equation in one branch of this `if`, no equation in another
              |
              = when: not g
              = example: g = false
              = note: `f` occurs in no equation of these modes
              = fix: add `else f = 0;`; then the model is right (`check --fix` shows the edit)

            M: 1 error
        "#]],
    );
}

/// With a state that hangs on the potentials the two halves of the mistake may be found in places of their own.
#[test]
fn a_circuit_without_ground_is_told_so_with_a_capacitor_and_a_diode_too() {
    let circuit = |diode: &str, start: &str, more: &str| {
        let text = format!(
            "{CIRCUIT}model Capacitor
  Pin p, n;
  Real v(start = {start}, fixed = true);
equation
  v = p.v - n.v;
  der(v) = p.i;
  p.i + n.i = 0;
end Capacitor;
model Diode
  Pin p, n;
  Real s;
  Boolean off = s < 0;
equation
  {diode}
  p.i + n.i = 0;
end Diode;
model M
  Source s;
  Diode d;
  Resistor r;
  Capacitor c;
  {more}
  connect(s.p, d.p);
  connect(d.n, r.p);
  connect(r.p, c.p);
  connect(r.n, s.n);
  connect(c.n, s.n);
end M;
"
        );
        let outcome = modeshift_reading(text.as_bytes(), &["check", "-"]);
        (outcome.status, outcome.stderr)
    };
    let by_cases = "p.v - n.v = if off then s else 0; p.i = if off then 0 else s;";
    let by_factors = "p.v - n.v = s*(if off then 1 else 0); p.i = s*(if off then 0 else 1);";
    for diode in [by_cases, by_factors] {
        // Where no start is consistent, no edit makes the model right.
        for (start, is_mended) in [("0", false), ("1", true)] {
            let (status, said) = circuit(diode, start, "equation");
            let count = |words: &str| said.matches(words).count();
            let (fixes, helps) = (count("fix: add a `Ground` at"), count("help: the potentials have no reference"));
            assert!(status == 1 && count("error[") == fixes + helps && (fixes == 1) == is_mended, "{start}: {said}");
        }
        let (status, said) = circuit(diode, "1", "Ground g; equation connect(s.n, g.p);");
        assert_eq!(status, 0, "{said}");
        // What is missing elsewhere is told by itself.
        let (status, said) = circuit(diode, "1", "Real x, y; Ground g; equation connect(s.n, g.p); x + y = time;");
        assert!(status == 1 && !said.contains("ground") && !said.contains("add a `Ground`"), "{said}");
    }
}

#[test]
fn too_few_equations_are_counted() {
    check(
        "model M\n  Real a, b, c;\nequation\n  a + b + c = 1;\n  a - b = 2;\nend M;\n",
        1,
        expect![[r#"
        error[E0601]: the model is singular: 2 equations for 3 unknowns
         --> <stdin>:2:8
          |
        2 |   Real a, b, c;
          |        ^  -  - `c` is not determined
          |        |  |
          |        |  `b` is not determined
          |        `a` is not determined
          |
          = note: `a`, `b`, `c` occur in 2 equations only: `e1`, `e2`
          = help: add one more equation for `a`, `b`, `c`

        M: 1 error
    "#]],
    );
}

#[test]
fn contradicting_invariants_are_shown_together() {
    let model = "model M
  Real x;
  Boolean g = x > 1;
equation
  der(x) = if g then -x else 1;
  invariant g;
  invariant not g;
end M;
";
    check(
        model,
        1,
        expect![[r#"
            error[E0510]: no mode is possible: the conditions on the modes contradict each other
             --> <stdin>:6:3
              |
            6 |   invariant g;
              |   ^^^^^^^^^^^ this cannot hold
            7 |   invariant not g;
              |   --------------- together with this
              |
              = fix: remove `invariant g`; then the model is right (`check --fix` shows the edit)

            <stdin>: 1 error
        "#]],
    );
}

#[test]
fn a_variable_used_where_it_does_not_exist_is_an_error() {
    let model = "model M
  Real x, y;
  Boolean g = x > 1;
  if g then
    Real v;
  end if;
equation
  der(x) = -x;
  y = v;
  if g then
    v = x;
  end if;
end M;
";
    check(
        model,
        1,
        expect![[r#"
        error[E0602]: `v` is used where it does not exist
         --> <stdin>:9:3
          |
        5 |     Real v;
          |          - declared only when `g`
        ...
        9 |   y = v;
          |   ^^^^^ `e2` uses it
          |
          = when: not g
          = example: g = false

        M: 1 error
    "#]],
    );
}

#[test]
fn implicit_guards_are_noted() {
    let model = "model M
  Real x;
  Boolean p = x >= 1;
equation
  1 = if p then x else der(x);
end M;
";
    check(
        model,
        0,
        expect![[r#"
            note[N0501]: `p` is implicit: it depends on variables that depend on it
             --> <stdin>:3:11
              |
            3 |   Boolean p = x >= 1;
              |           ^^^^^^^^^^ decided by next-mode selection

            note[N0702]: the start is underdetermined: fix `x`
             --> <stdin>:2:8
              |
            2 |   Real x;
              |        ^ `x` needs a value at the start
              |
              = when: not p
              = help: set fixed = true, or add initial equations; a run keeps these at their start values otherwise

            M: all well; 2 modes, all of them regular; 1 guarded equation, 1 unknown
        "#]],
    );
}

#[test]
fn equations_whose_derivatives_cancel_are_combined() {
    let model = "model M
  Real x, y;
equation
  der(x) - der(y) = sin(time);
  der(y) - der(x) = x + y;
end M;
";
    check(
        model,
        0,
        expect![[r#"
            note[N0601]: `e1`, `e2` are combined: what they are solved for cancels
             --> <stdin>:5:3
              |
            4 |   der(x) - der(y) = sin(time);
              |   --------------------------- `e1`
            5 |   der(y) - der(x) = x + y;
              |   ^^^^^^^^^^^^^^^^^^^^^^^ `e2` is replaced by `(e1 + e2)`

            note[N0702]: the start is underdetermined: fix `x`
             --> <stdin>:2:8
              |
            2 |   Real x, y;
              |        ^ `x` needs a value at the start
              |
              = note: any independent choice among `x`, `y`
              = help: set fixed = true, or add initial equations; a run keeps these at their start values otherwise

            M: all well; 1 mode, regular; 2 guarded equations, 2 unknowns
        "#]],
    );
}

#[test]
fn an_empty_file_and_an_empty_model_have_clear_answers() {
    check(
        "",
        1,
        expect![[r#"
            error[E0200]: there is no model to flatten
             |
             = help: name a class with `-m`, or add a `model` that is not partial

            <stdin>: 1 error
        "#]],
    );
    check(
        "model M end M;",
        0,
        expect![[r#"
        M: all well; 1 mode, regular; no guarded equation, no unknown
    "#]],
    );
}

#[test]
fn the_water_tank_without_its_assertion_cannot_be_full_and_empty() {
    let tank = std::fs::read_to_string(root().join("models/WaterTank.mo")).expect("is there");
    let without: String =
        tank.lines().filter(|line| !line.contains("assert")).map(|line| format!("{line}\n")).collect();
    let outcome = modeshift_reading(without.as_bytes(), &["check", "-", "--format", "json"]);
    assert_eq!(outcome.status, 0);
    let verdict = outcome.json();
    assert_eq!(verdict["ok"], true);
    let warnings: Vec<_> =
        verdict["diagnostics"].as_array().expect("a list").iter().filter(|it| it["severity"] == "warning").collect();
    assert_eq!(warnings.len(), 1);
    assert_eq!((&warnings[0]["code"], &warnings[0]["when"]), (&"W0604".into(), &"bh and bl".into()));
    assert_eq!(warnings[0]["example"], "bh = true, bl = true");
    let analysis = modeshift_reading(without.as_bytes(), &["analyze", "-", "--format", "json"]);
    assert_eq!(analysis.status, 0);
    assert_eq!(analysis.json()["verdict"], "singular");
    assert_eq!(analysis.json()["singular"][0]["kind"], "impossible");
    assert_eq!(analysis.json()["singular"][0]["when"], "bh and bl");
    assert_eq!(analysis.json()["singular"].as_array().expect("a list").len(), 1);
}

#[test]
fn json_has_the_documented_keys_in_their_order() {
    let outcome = modeshift_reading(b"model M\n  Real x;\nend M;", &["check", "-", "--format", "json"]);
    let verdict = outcome.json();
    let keys = |value: &serde_json::Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&verdict), ["version", "model", "ok", "diagnostics"]);
    let diagnostic = &verdict["diagnostics"][0];
    let expected = ["code", "severity", "message", "when", "example", "labels", "notes", "help", "fix", "edits"];
    assert_eq!(keys(diagnostic), expected);
    let place = serde_json::json!({"file": "<stdin>", "line": 2, "column": 8, "end_line": 2, "end_column": 9});
    assert_eq!(diagnostic["labels"][0]["span"], place);
}
