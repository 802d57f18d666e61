//! What is said about wrong models: code, places, what to try. Never a panic, never a hang.

use crate::support;
use support::{check_errors, try_flat};

#[test]
fn unknown_names_come_with_the_nearest_candidates() {
    check_errors(
        "model M Real voltage; parameter Reel r = 1; equation volage = sinn(time); end M;",
        "E0201 1:33 unknown class `Reel`; did you mean `Real`?
         E0201 1:54 unknown name `volage`; did you mean `voltage`?",
    );
    check_errors(
        "model M Real x = sinn(time); end M;",
        "E0201 1:18 unknown function `sinn`; did you mean `sign` or `sin`?",
    );
    check_errors(
        "model A Real speed; end A; model M A a; equation a.sped = 1; end M;",
        "E0201 1:52 `A` has no element `sped`; did you mean `speed`?",
    );
}

/// A name that the language gives a meaning is not unknown where that is not covered, and nothing near it is offered.
#[test]
fn parts_of_the_language_that_are_not_covered_are_told_as_that() {
    check_errors(
        "model M Clock c = Clock(0.1); end M;",
        "E0290 1:9 unsupported construct: clocks and clocked equations (`Clock`)",
    );
    check_errors(
        "model M Real y = hold(sample(time)); end M;",
        "E0290 1:18 unsupported construct: clocks and clocked equations (`hold`)",
    );
    check_errors(
        "model M Real y = sample(time); end M;",
        "E0290 1:18 unsupported construct: clocks and clocked equations (`sample` of one argument)",
    );
    check_errors(
        "connector C Real x; flow Real f; end C; model M C c; equation Connections.root(c); end M;",
        "E0290 1:63 unsupported construct: overconstrained connections (`Connections`)",
    );
    check_errors(
        "record Pair Real a; Real b; end Pair; model M Pair p(a = 1, b = 2), q; equation q = -p; end M;",
        "E0290 1:85 unsupported construct: a sign before a record `Pair`",
    );
}

/// What cannot be found because the package of an import is not there is told once, where the import is.
#[test]
fn an_import_of_a_package_that_is_not_there_is_the_one_thing_that_is_wrong() {
    let help = "if it is a library, say where it is: `-L DIR`, or DIR in MODELICAPATH, with its directory in DIR";
    check_errors(
        "model M import Parts.Electrical.*; Resistor a; Resistor b; Ground g; Sources.Sine s; end M;",
        &format!("E0201 1:16 unknown package `Parts.Electrical`; {help}"),
    );
    check_errors(
        "package P model A Real x = 1; end A; end P; model M import P.*; import Q.*; A a; B b; end M;",
        &format!("E0201 1:72 unknown package `Q`; {help}"),
    );
    check_errors("model M import Q.x; Real y = x; end M;", &format!("E0201 1:16 unknown import `Q.x`; {help}"));
    check_errors(
        "model M Modelica.Electrical.Analog.Basic.Resistor r; end M;",
        "E0201 1:18 `Modelica` has no element `Electrical`; the rest of `Modelica` is a library: say where it is, \
         `-L DIR`, or DIR in MODELICAPATH, with its directory in DIR",
    );
    assert!(try_flat("model M import Q.*; Real x = 1; end M;", &[]).is_ok(), "nothing is missed");
}

#[test]
fn wrong_types_and_sizes_name_both_places() {
    check_errors(
        "model M Boolean b; Real x[2]; Real y[3]; String s = 1;
         equation b = x[1]; x = y; if x[1] then y[1] = 1; end if; y[4] = 1; end M;",
        "E0303 1:53 1:49 `s` is String, but this is Integer
         E0303 2:19 2:23 the sides of this equation differ in type: Boolean and Real; compare a number to make a Boolean of it (`x > 0`), or declare both alike
         E0304 2:29 2:33 the sides of this equation differ in size: [2] and [3]; declare both with the same size, or take a part: `x[1:2]`
         E0303 2:39 a condition must be Boolean, but this is Real
         E0305 2:69 1:36 subscript 4 of `y` is out of bounds: its size is 3; write a subscript from 1 to 3, or declare `y` larger",
    );
}

#[test]
fn modifications_of_what_is_not_there_or_final_are_refused() {
    check_errors(
        "model A final parameter Real k = 1; parameter Real m = 2; end A;
         model M A a(k = 2, mm = 3, m(strt = 1), m = 4); end M;",
        "E0222 2:29 `A` has no element `mm` to modify; did you mean `m`?
         E0220 2:22 1:32 this is final and cannot be modified; leave the modification out, or declare what it modifies without `final`
         E0222 2:39 `m` has no attribute or element `strt`; did you mean `start`?",
    );
    check_errors(
        "model A Real x; end A; model M A a(x = 1, x = 2); end M;",
        "E0221 1:43 1:36 `x` is modified twice; leave one of them out",
    );
}

#[test]
fn cycles_are_named_with_their_chain() {
    check_errors(
        "model M parameter Integer a = b; parameter Integer b = a; Real x[a]; end M;",
        "E0302 1:27 1:52 the value of `a` depends on itself",
    );
    check_errors(
        "model A extends B; end A; model B extends A; end B; model M A a; end M;",
        "E0205 1:7 `A` inherits from itself",
    );
    let nested = try_flat("model A A a; end A;", &[]).unwrap_err();
    assert!(nested[0].contains("nested more than"), "{nested:?}");
}

#[test]
fn duplicates_partial_classes_and_misplaced_constructs_are_refused() {
    check_errors(
        "partial model P end P; model M Real x; Real x; P p; Real y; equation reinit(x, 1); y = 1; end M;",
        "E0202 1:45 1:37 `x` is declared twice
         E0208 1:50 1:15 `p` cannot be a component: `P` is partial
         E0403 1:70 `reinit` can stand inside `when` only; it happens at an instant: write `when … then` around it, with the condition that becomes true there",
    );
}

#[test]
fn unsupported_constructs_are_named_with_their_line() {
    check_errors(
        "model M Real x;\n algorithm\n while x > 1 loop x := x - 1; end while; end M;",
        "E0290 2:2 unsupported construct: an algorithm that uses `x` before it is assigned, or does not always assign it",
    );
    check_errors("model M Real x;\n equation x = inStream(x); end M;", "E0290 2:15 unsupported construct: `inStream`");
}

#[test]
fn huge_sizes_are_errors_that_name_the_size() {
    check_errors(
        "model M Real x[100000, 100000]; end M;",
        "E0310 1:14 `x` has size [100000, 100000], which makes the model larger than this program takes",
    );
    check_errors(
        "model A Real x; end A; model M A a[3000000000]; end M;",
        "E0310 1:34 `a` has size [3000000000], which makes the model larger than this program takes",
    );
    check_errors(
        "model M Real x = sum(1:1000000000); end M;",
        "E0310 1:22 an array of 1000000000 elements is more than this program takes",
    );
    check_errors(
        "model M parameter Integer n = -1; Real x[n]; end M;",
        "E0311 1:42 the size of `x` is -1, which is negative; a size is 0 or more: change what it is computed from",
    );
}

#[test]
fn endless_functions_are_stopped() {
    let endless =
        "function f input Integer n; output Integer y; algorithm y := 0; while true loop y := y + 1; end while; end f;
                   model M Real x[f(1)]; end M;";
    assert!(try_flat(endless, &[]).unwrap_err()[0].contains("statements executed"));
    let recursive =
        "function f input Integer n; output Integer y; algorithm y := f(n + 1); end f; model M Real x[f(1)]; end M;";
    assert!(try_flat(recursive, &[]).unwrap_err()[0].contains("nested more than"));
}

#[test]
fn unknown_parameters_from_outside_are_errors() {
    let messages = try_flat("model M parameter Real gain = 1; end M;", &[("gian", "2")]).unwrap_err();
    assert_eq!(messages, ["E0211 1:1 there is no parameter `gian` to set; did you mean `gain`?"]);
}

#[test]
fn a_real_expression_is_no_integer() {
    check_errors(
        "model M Integer n; equation n = 1.5*time; end M;",
        "E0303 1:29 1:33 the sides of this equation differ in type: Integer and Real; declare both alike, or round: `integer(x)`",
    );
}
