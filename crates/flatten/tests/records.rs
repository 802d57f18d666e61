//! Records, redeclarations and elements that are inherited twice, each by its smallest model.

use crate::support;
use support::{check_equations, check_variables, codes_of};

#[test]
fn a_record_bound_as_a_whole_brings_its_final_fields() {
    check_variables(
        "record R parameter Real a = 1; final parameter Real b = 2*a; end R;
         model A parameter R r; end A;
         model M parameter R p(a = 3); A m(r = p); end M;",
        "p.a = 3
         p.b = 2*p.a
         m.r.a = p.a
         m.r.b = p.b",
    );
}

#[test]
fn a_constructed_record_computes_its_final_fields() {
    check_variables(
        "record R parameter Real a = 1; final parameter Real b = 2*a; constant Real c = 5; end R;
         model M parameter R r = R(a = 3); end M;",
        "r.a = 3
         r.b = 6
         r.c = 5",
    );
}

#[test]
fn a_final_field_is_not_modified_by_name() {
    let said = codes_of(
        "record R parameter Real a = 1; final parameter Real b = 2*a; end R;
         model M parameter R r(b = 3); end M;",
    );
    assert_eq!(said, ["E0220"]);
}

#[test]
fn the_binding_of_a_record_does_not_modify_the_classes_inside_it() {
    check_equations(
        "record R Real a; function f input Real x; output Real y; algorithm y := x; end f; end R;
         model M R r1(a = time); R r2 = r1; end M;",
        "r1.a = time
         r2.a = r1.a",
    );
}

#[test]
fn equal_declarations_of_two_base_classes_are_one() {
    check_variables(
        "partial model A parameter Integer m(final min = 3) = 3; end A;
         partial model B parameter Integer m(final min=3) = 3; end B;
         model M extends A; extends B; end M;",
        "m = 3",
    );
}

#[test]
fn declarations_of_two_base_classes_that_differ_are_an_error() {
    let said = codes_of(
        "partial model A parameter Integer m = 3; end A;
         partial model B parameter Integer m = 4; end B;
         model M extends A; extends B; end M;",
    );
    assert_eq!(said, ["E0202"]);
}

#[test]
fn a_type_that_extends_an_array_type_is_an_array() {
    check_equations(
        "type V = Real[2]; type W extends V; end W; model M W a = {1, 2}*time; end M;",
        "a[1] = time
         a[2] = 2*time",
    );
}

#[test]
fn a_function_is_called_through_a_component() {
    check_equations(
        "model C function f input Real x; output Real y; algorithm y := 2*x; end f; end C;
         model M C c; Real y = c.f(time); end M;",
        "y = 2*time",
    );
}

#[test]
fn an_outer_component_without_an_inner_one_gets_a_default_with_a_warning() {
    let text = "model W parameter Real g = 9.81; end W; model A outer W w; Real y = w.g*time; end A;
        model M A m; A n; end M;";
    check_equations(text, "m.y = w.g*time\nn.y = w.g*time");
    let said = codes_of(text);
    assert_eq!(said, ["W0217"]);
}

#[test]
fn an_empty_parameter_is_no_variable() {
    check_variables("model M parameter Real p[0] = zeros(0); parameter Real q = 1; end M;", "q = 1");
}

#[test]
fn a_loop_of_an_algorithm_is_left_by_break() {
    check_equations(
        "model M Integer n; algorithm n := 0;
           for i in 1:3 loop if i == 2 then break; end if; n := i; end for; end M;",
        "n = 1",
    );
}

#[test]
fn inside_an_expression_a_call_means_its_first_output() {
    check_equations(
        "function f input Real x; output Real a; output Real b; algorithm a := 2*x; b := 3*x; end f;
         model M Real y = -f(time); Real z = f(time); end M;",
        "y = -2*time
         z = 2*time",
    );
}

#[test]
fn of_inner_outer_a_class_sees_what_is_around_it_and_its_parts_see_the_inner() {
    check_equations(
        "model S Real x; end S;
         model A outer S s; Real y = s.x; end A;
         model B inner outer S s(x = 2*time); A a; Real z = s.x; end B;
         model M inner S s(x = time); B b; end M;",
        "s.x = time
         b.s.x = 2*time
         b.a.y = b.s.x
         b.z = s.x",
    );
}

#[test]
fn what_is_outer_is_no_part_of_a_component_as_a_whole() {
    check_equations(
        "model A outer Real g; Real y; end A;
         model M inner Real g = 3; A a; A b; equation a = b; a.y = time*g; end M;",
        "g = 3
         a.y = b.y
         a.y = time*g",
    );
}

#[test]
fn a_component_that_is_outer_inside_itself_has_an_end_as_a_whole() {
    check_equations(
        "model A outer A a; Real y = time; end A; model M inner A a; A b = a; end M;",
        "a.y = time
         b.y = a.y",
    );
    check_equations(
        "model A outer B b; Real u = 1; end A; model B outer A a; Real v = 2; end B;
         model M inner A a; inner B b; A c = a; B d = b; end M;",
        "a.u = 1
         b.v = 2
         c.u = a.u
         d.v = b.v",
    );
    assert_eq!(codes_of("model A outer A a; Real y = 2*a; end A; model M inner A a; end M;"), ["E0290"]);
    assert_eq!(codes_of("model A outer Real a; Real y = 2*a; end A; model M inner A a; end M;"), ["E0236", "E0290"]);
}
