//! Modes of Modelica models: what `when`, enumerations, parameters and connections bring in beyond MEL.

use expect_test::{Expect, expect};
use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::Diagnostics;
use modeshift_elaborate::elaborate;
use modeshift_flatten::{Library, Memory, Request, flatten};

fn elaborated(text: &str) -> Result<MultimodeDae, Box<(Library, Diagnostics)>> {
    let mut library = Library::new(Memory::new(), Vec::new());
    let mut diagnostics = Diagnostics::new();
    library.add_text("model.mo", text, &mut diagnostics);
    let model = flatten(&mut library, &Request::default(), &mut diagnostics);
    let dae = model.and_then(|model| elaborate(model, &mut diagnostics));
    dae.map_err(|_| Box::new((library, diagnostics)))
}

fn check(body: &str, expected: Expect) {
    let text = format!("model M\n{body}\nend M;");
    let dae = elaborated(&text).unwrap_or_else(|failure| panic!("{:?}", failure.1));
    expected.assert_eq(&dae.to_string());
}

fn check_errors(body: &str, expected: Expect) {
    let text = format!("model M\n{body}\nend M;");
    let failure = elaborated(&text).err();
    let (library, diagnostics) = *failure.expect("an error");
    let mut shown = String::new();
    for diagnostic in diagnostics.iter() {
        shown += &format!("{} {}\n", diagnostic.code, diagnostic.message);
        for label in &diagnostic.labels {
            shown += &format!("  `{}` {}\n", library.sources().text(label.span), label.text);
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_boolean_assigned_in_a_when_is_given() {
    check(
        "Real x(start = 0, fixed = true); Boolean broken(start = false, fixed = true);
         equation der(x) = if broken then 0 else 1; when x > 8 then broken = true; end when;",
        expect![[r#"
            model M
              mode broken;  // given, initially false
              Real x(start = 0, fixed = true);
            equation
              e1: der(x) = if broken then 0 else 1;
              when x > 8 then
                broken = true;
              end when;
            end M;
        "#]],
    );
}

#[test]
fn a_boolean_parameter_found_at_initialization_is_a_mode_variable() {
    check(
        "parameter Boolean fast(fixed = false); Real x; initial equation fast = x > 1;
         equation der(x) = if fast then 2*x else 1;",
        expect![[r#"
            model M
              mode fast;  // given, parameter
              Real x;
            equation
              e1: der(x) = if fast then 2*x else 1;
            initial equation
              fast = x > 1;
            end M;
        "#]],
    );
}

#[test]
fn a_boolean_input_is_given() {
    check(
        "input Boolean fast; Real x; equation if fast then x = 1; else der(x) = 2; end if;",
        expect![[r#"
        model M
          mode fast;  // given
          Real x;
        equation
          if fast then
            e1: x = 1;
          else
            e2: der(x) = 2;
          end if;
        end M;
    "#]],
    );
}

#[test]
fn comparisons_with_an_enumeration_are_one_hot() {
    check(
        "type Mode = enumeration(Stuck, Forward, Backward); Mode mode(start = Mode.Stuck); Real w; Real f;
         equation
           mode = if w > 1 then Mode.Forward elseif w < -1 then Mode.Backward else Mode.Stuck;
           der(w) = f;
           if mode == Mode.Stuck then f = 0; elseif mode == Mode.Forward then f = 1; else f = -1; end if;
           assert(mode <> Mode.Backward or w < 1, \"impossible\");",
        expect![[r#"
            model M
              mode mode == M.Mode.Stuck;
              mode mode == M.Mode.Forward;
              invariant not (mode == M.Mode.Forward and mode == M.Mode.Stuck);  // between relations
              M.Mode mode(start = 1);
              Real w;
              Real f;
            equation
              e1: mode = if w > 1 then 2 else if w < -1 then 3 else 1;
              e2: der(w) = f;
              if mode == M.Mode.Stuck then
                e3: f = 0;
              end if;
              if not (mode == M.Mode.Stuck) and mode == M.Mode.Forward then
                e4: f = 1;
              end if;
              if not (mode == M.Mode.Stuck) and not (mode == M.Mode.Forward) then
                e5: f = -1;
              end if;
              assert(mode <> M.Mode.Backward or w < 1, "impossible");
            end M;
        "#]],
    );
}

#[test]
fn an_enumeration_compared_with_all_its_literals_has_one_of_them() {
    check(
        "type Mode = enumeration(Off, On); Mode mode; Real x;
         equation
           mode = if time > 1 then Mode.On else Mode.Off;
           if mode == Mode.Off then x = 0; end if;
           if mode == Mode.On then x = 1; end if;",
        expect![[r#"
            model M
              mode mode == M.Mode.Off;
              mode mode == M.Mode.On;
              invariant not (mode == M.Mode.On and mode == M.Mode.Off);  // between relations
              invariant mode == M.Mode.Off or mode == M.Mode.On;  // between relations
              M.Mode mode;
              Real x;
            equation
              e1: mode = if time > 1 then 2 else 1;
              if mode == M.Mode.Off then
                e2: x = 0;
              end if;
              if mode == M.Mode.On then
                e3: x = 1;
              end if;
            end M;
        "#]],
    );
}

#[test]
fn an_integer_with_bounds_has_a_value_within_them() {
    check(
        "Integer n(min = 0, max = 2); Real x;
         equation
           n = if time > 2 then 2 elseif time > 1 then 1 else 0;
           x = (if n >= 1 then 1 else 2) + (if n == 0 then 3 else 4) + (if n > 2 then 5 else 6);",
        expect![[r#"
            model M
              mode n >= 1;
              mode n == 0;
              invariant not (n == 0) or not (n >= 1);  // between relations
              invariant n >= 1 or n == 0;  // between relations
              Integer n(min = 0, max = 2);
              Real x;
            equation
              e1: n = if time > 2 then 2 else if time > 1 then 1 else 0;
              e2: x = (if n >= 1 then 1 else 2) + (if n == 0 then 3 else 4) + 6;
            end M;
        "#]],
    );
}

#[test]
fn connected_booleans_are_defined_from_their_source() {
    check(
        "connector In = input Boolean; connector Out = output Boolean;
         block Source Out y; equation y = time > 1; end Source;
         block Gain In u; Real x; equation x = if u then 1 else 2; end Gain;
         Gain gain; Source source; equation connect(gain.u, source.y);",
        expect![[r#"
            model M
              mode source.y = time > 1;
              formula gain.u = source.y;
              Real gain.x;
            equation
              gain.e1: gain.x = if source.y then 1 else 2;
            end M;
        "#]],
    );
}

#[test]
fn definitions_in_branches_become_one() {
    check(
        "Real x; Boolean b; Boolean c;
         equation
           der(x) = if b then 1 else 2;
           c = time > 1;
           if c then b = x > 1; else b = x > 2; end if;",
        expect![[r#"
            model M
              mode b = if c then x > 1 else x > 2;
              Real x;
              Boolean c;
            equation
              e1: der(x) = if b then 1 else 2;
              e2: c = time > 1;
            end M;
        "#]],
    );
}

#[test]
fn events_of_booleans_are_made_of_their_left_limits() {
    check(
        "Real x; Boolean b; equation b = time > 1; x = if edge(b) then 1 elseif change(b) then 2 else 3;",
        expect![[r#"
            model M
              mode b = time > 1;
              mode pre(b);
              Real x;
            equation
              e1: x = if b and not pre(b) then 1 else if b and not pre(b) or not b and pre(b) then 2 else 3;
            end M;
        "#]],
    );
}

#[test]
fn a_relation_in_a_when_or_in_an_assertion_is_no_mode() {
    check(
        "Real x; Real n; equation der(x) = 1; assert(x < 5, \"too far\"); when x > 1 then n = x; end when;",
        expect![[r#"
            model M
              Real x;
              discrete Real n;
            equation
              e1: der(x) = 1;
              when x > 1 then
                n = x;
              end when;
              assert(x < 5, "too far");
            end M;
        "#]],
    );
}

#[test]
fn array_equations_share_one_number() {
    check(
        "Real x[2]; Real y; Boolean b; equation y = 1; b = time > 1; x = {y, if b then 2 else 3}; der(y) = 0;",
        expect![[r#"
            model M
              mode b = time > 1;
              Real x[1];
              Real x[2];
              Real y;
            equation
              e1: y = 1;
              e2[1]: x[1] = y;
              e2[2]: x[2] = if b then 2 else 3;
              e3: der(y) = 0;
            end M;
        "#]],
    );
}

#[test]
fn numbers_skip_labels_and_begin_anew_in_each_component() {
    check(
        "model C Real x; Real y; equation x = 1; y = 2; end C;
         C c[2]; Real z; Real w; equation /* e1: */ z = 1; w = 2;",
        expect![[r#"
            model M
              Real c[1].x;
              Real c[1].y;
              Real c[2].x;
              Real c[2].y;
              Real z;
              Real w;
            equation
              c[1].e1: c[1].x = 1;
              c[1].e2: c[1].y = 2;
              c[2].e1: c[2].x = 1;
              c[2].e2: c[2].y = 2;
              e1: z = 1;
              e2: w = 2;
            end M;
        "#]],
    );
}

#[test]
fn a_boolean_defined_twice_is_shown_with_both_places() {
    check_errors(
        "Boolean b; Real x; equation b = time > 1; b = time > 2; x = if b then 1 else 2;",
        expect![[r#"
        E0501 `b` is defined more than once
          `b = time > 2` defined again here
          `b = time > 1` first defined here
          `b` declared here
    "#]],
    );
}

#[test]
fn a_boolean_that_nothing_defines_is_an_error_where_it_guards() {
    check_errors(
        "Boolean b; Real x; equation x = if b then 1 else 2;",
        expect![[r#"
        E0502 nothing defines the Boolean `b`
          `b` declared here, without an equation
          `x = if b then 1 else 2` this depends on it
    "#]],
    );
}

#[test]
fn a_comparison_of_strings_cannot_guard() {
    check_errors(
        "String s; Real x;
         equation s = if time > 1 then \"a\" else \"b\"; if s == \"b\" then x = 1; else x = 2; end if;",
        expect![[r#"
            E0505 Strings that vary cannot be compared during a run: `s == "b"`
              `x = 1` this depends on it
        "#]],
    );
}

#[test]
fn a_boolean_equation_can_be_solved_for_a_variable() {
    check_errors(
        "Boolean b; Real x; equation (b or x > 2) = (time > 1); x = if b then 1 else 2;",
        expect![[r#"
        E0506 an equation between Booleans, Integers or Strings must define a variable
          `(b or x > 2) = (time > 1)` neither side is a variable that can be defined
    "#]],
    );
}
