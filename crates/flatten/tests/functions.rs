//! Functions in the flat model: what is known at translation, what stays a call, and what is checked.

use crate::support;
use modeshift_dae::Implementation;
use support::{check_equations, check_variables, codes_of, equations, flat};

#[test]
fn a_function_stays_a_call_once_for_each_shape_of_its_arguments() {
    let model = flat(
        "function f input Real u[:]; output Real y; algorithm y := 0;
           for i in 1:size(u, 1) loop if u[i] > y then y := u[i]; return; end if; end for; end f;
         model M Real x = f({time, 2}); Real y = f({time, 2, 3}); Real z = f({2*time, time}); end M;",
    );
    assert_eq!(equations(&model), ["x = f(time, 2)", "y = f(time, 2, 3)", "z = f(2*time, time)"]);
    let bodies = model.functions.iter().filter(|it| matches!(it.implementation, Implementation::Body(_)));
    assert_eq!(bodies.map(|it| it.arguments).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn a_function_without_outputs_checks_what_it_is_given() {
    let model = |second: &str| {
        format!(
            "function grows input Real t[:]; algorithm
               for i in 2:size(t, 1) loop assert(t[i] > t[i - 1], \"must grow\"); end for; end grows;
             model M parameter Real t[2] = {{1, {second}}}; Real y = t[2]*time; algorithm grows(t); end M;"
        )
    };
    assert_eq!(codes_of(&model("2")), Vec::<String>::new());
    assert_eq!(codes_of(&model("1")), ["E0315"]);
}

#[test]
fn the_first_value_of_a_variable_of_a_function_has_its_type() {
    let model = |declaration: &str| {
        format!(
            "function f input Real x; output Real y; protected {declaration}; algorithm y := x; end f;
             model M Real y = f(time); end M;"
        )
    };
    for right in
        ["Real a = 1", "Real a[2] = {1, 2}", "Integer a = 1", "Boolean a = true", "String a = \"s\"", "Real a[0]"]
    {
        assert_eq!(codes_of(&model(right)), Vec::<String>::new(), "{right}");
    }
    for wrong in ["Integer a = 1.5", "Boolean a = 1", "Real a = true", "Real a[2] = {true, false}", "String a = 1"] {
        assert_eq!(codes_of(&model(wrong)), ["E0303"], "{wrong}");
    }
}

#[test]
fn a_smooth_expression_needs_no_events() {
    check_equations(
        "model M Real x = smooth(1, if time >= 0.5 then time^2 else -time^2); Real y = smooth(0, abs(time)); end M;",
        "x = smooth(1, noEvent(if time >= 0.5 then time^2 else -time^2))
         y = smooth(0, abs(time))",
    );
}

/// Whatever shape its results have: a relation inside a function makes no event, so that it is no mode of the model.
#[test]
fn records_arrays_and_several_outputs_of_functions_make_no_events() {
    check_equations(
        "record R Real a; Real b[2]; end R;
         function f input Real x; output R r; algorithm r.a := if x > 0 then x else 2*x; r.b := {x, 0};
           if x > 1 then r.b[2] := 2; end if; end f;
         function g input Real x; output Real y; output Real z; algorithm y := x; z := if x > 3 then 3 else x; end g;
         model M R r = f(time); Real y, z, v, w; equation (y, z) = g(time); (v, w) = g(if time > 5 then 1 else 0); end M;",
        "r.a = noEvent(if time > 0 then time else 2*time)
         r.b[1] = time
         r.b[2] = noEvent(if time > 1 then 2 else 0)
         y = time
         z = noEvent(if time > 3 then 3 else time)
         v = if time > 5 then 1 else 0
         w = noEvent(if (if time > 5 then 1 else 0) > 3 then 3 else if time > 5 then 1 else 0)",
    );
}

#[test]
fn strings_that_are_known_decide_parameters() {
    check_variables(
        "function substring input String s; input Integer first; input Integer last; output String r;
           external \"C\" r = ModelicaStrings_substring(s, first, last); end substring;
         model M parameter String group = \"Dy01\"; parameter String c = substring(group, 2, 2);
           parameter Real k = if c == \"y\" then 1 else 2; end M;",
        "group = \"Dy01\"
         c = \"y\"
         k = 1",
    );
}

#[test]
fn a_function_that_calls_itself_with_a_size_is_written_out() {
    check_equations(
        "function f input Integer n; output Real y[n]; algorithm
           if n == 1 then y := {1}; else y := cat(1, f(integer(n/2)), f(integer(n/2))); end if; end f;
         model M parameter Integer n = 4; Real y = sum(f(n))*time; end M;",
        "y = 4*time",
    );
}

#[test]
fn a_component_knows_its_name() {
    check_variables(
        "model A parameter String name = getInstanceName(); end A; model M A a; end M;",
        "a.name = \"M.a\"",
    );
}

#[test]
fn an_algorithm_that_is_decided_at_run_time_is_a_function_of_what_it_reads() {
    let model = flat(
        "model M Integer n = integer(3*time); Integer k; algorithm k := 0;
           while k*k < n loop k := k + 1; end while; end M;",
    );
    assert_eq!(equations(&model), ["n = integer(3*time)", "k = algorithm 1(n)"]);
}

#[test]
fn what_decides_an_algorithm_between_events_is_refused() {
    assert_eq!(
        codes_of("model M Real x = time; Integer k; algorithm k := 0; while k < x loop k := k + 1; end while; end M;"),
        ["E0290"],
    );
}

#[test]
fn an_inherited_function_uses_what_its_package_redeclares() {
    check_equations(
        "package P
           constant Real outside = 10;
           partial package Base constant Real k = 1;
             replaceable partial function g input Real x; output Real y; end g;
             function f input Real x; output Real y; algorithm y := g(x) + outside; end f; end Base;
         end P;
         package Water extends P.Base(k = 3);
           redeclare function extends g algorithm y := k*x; end g; end Water;
         model A replaceable package Medium = P.Base; Real y = Medium.f(time); end A;
         model M A a(redeclare package Medium = Water); Real y = Water.f(2*time); end M;",
        "a.y = 3*time + 10
         y = 3*(2*time) + 10",
    );
}

#[test]
fn the_elements_that_an_expandable_connector_declares_are_connected() {
    check_equations(
        "connector Out = output Real; expandable connector Bus Real v; end Bus;
         model S Out y = time; end S; model M S s; Bus bus; equation connect(s.y, bus.v); end M;",
        "s.y = time
         s.y = bus.v",
    );
}

#[test]
fn an_element_of_an_expandable_connector_that_nothing_uses_is_in_no_mode() {
    let text = "connector Out = output Real; expandable connector Bus Real v; Real unused[2]; Real read; end Bus;
         model S Out y = time; end S;
         model M S s; Bus bus; Real r; equation connect(s.y, bus.v); bus.read = 1; r = 2*bus.read; end M;";
    let model = flat(text);
    let exists = |name: &str| {
        let guard = model.variables.iter().find(|it| &*it.name == name).expect("a variable of this name").guard;
        model.expressions.literal_boolean(guard) != Some(false)
    };
    let found = ["bus.v", "bus.unused[1]", "bus.unused[2]", "bus.read"].map(exists);
    assert_eq!(found, [true, false, false, true]);
}
