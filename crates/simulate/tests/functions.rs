//! Functions at run time, each by its smallest model: what is decided inside is decided anew at every evaluation.

use crate::support::runs as support;
use support::{How, Ran, check, run_text};

/// Runs a model with a function `f` and the equation `y = …`.
fn run_function(function: &str, equation: &str) -> Ran {
    let text = format!("model M function f {function} end f; Real y; equation {equation} end M;");
    run_text(&text, &How::until(1.0)).finished()
}

/// The value of `y` at the end, time being 1, of functions that are called at run time.
fn at_end(function: &str, equation: &str) -> f64 {
    run_function(function, equation).last("y")
}

#[test]
fn loops_branches_and_leaving_them_are_decided_at_run_time() {
    let halves = "input Real x; output Real y; algorithm y := x; while y > 1 loop y := y/2; end while;";
    check("while", at_end(halves, "y = f(10*time);"), 0.625, 1e-12);
    let sum = "input Integer n; output Real y; algorithm y := 0; for i in 1:n loop y := y + i; end for;";
    check("for", at_end(sum, "y = f(integer(4*time));"), 10.0, 0.0);
    let found = "input Real x; output Real y; algorithm y := 0;
        for i in 1:10 loop if i*i > x then y := i; break; end if; end for;";
    check("break", at_end(found, "y = f(20*time);"), 5.0, 0.0);
    let first = "input Real x; output Real y; algorithm y := -1; if x > 0.5 then y := 7; return; end if; y := 3;";
    check("return", at_end(first, "y = f(time);"), 7.0, 0.0);
    let nested = "input Real x; output Real y; algorithm y := 0;
        for i in 1:3, j in {2, 4} loop if j*x > 3 then y := y + i*j; end if; end for;";
    check("two iterators", at_end(nested, "y = f(time);"), 24.0, 0.0);
}

#[test]
fn arrays_are_read_and_written_by_subscripts_that_are_computed() {
    let interpolated = "input Real x; input Real xs[:]; input Real ys[size(xs, 1)]; output Real y;
        protected Integer i; algorithm i := 1;
        while i < size(xs, 1) - 1 and x >= xs[i + 1] loop i := i + 1; end while;
        y := ys[i] + (ys[i + 1] - ys[i])*(x - xs[i])/(xs[i + 1] - xs[i]);";
    check("lookup", at_end(interpolated, "y = f(0.75*time, {0, 0.5, 1}, {0, 1, 0});"), 0.5, 1e-12);
    let rotated = "input Real u[3]; input Integer k; output Real y; protected Real v[3]; algorithm
        for i in 1:3 loop v[mod(i + k, 3) + 1] := u[i]; end for; y := v[1] + 10*v[2] + 100*v[3];";
    check("scatter", at_end(rotated, "y = f({1, 2, 3}, integer(time));"), 2.0 + 30.0 + 100.0, 0.0);
    let matrix = "input Real x; output Real y; protected Real A[2, 3]; Integer n; algorithm A := zeros(2, 3); n := 0;
        while n < 2 loop n := n + 1; A[n, :] := x*{n, 2*n, 3*n}; end while; y := A[n, n + 1] + sum(A[:, n]);";
    check("slices", at_end(matrix, "y = f(time);"), 6.0 + 6.0, 1e-12);
    let local = "input Real u[:]; output Real y; protected Real v[size(u, 1)]; algorithm v := u;
        for i in 2:size(v, 1) loop if v[i] < v[i - 1] then v[i] := v[i - 1]; end if; end for; y := v[size(v, 1)];";
    check("local array", at_end(local, "y = f({time, 3*time, 2*time});"), 3.0, 1e-12);
}

#[test]
fn sizes_that_a_declaration_says_are_known() {
    let centred =
        "input Real u[:]; output Real y; protected Integer n = size(u, 1); Integer m = n - 1; Real mean; Real v[n];
        algorithm mean := sum(u)/n; v := u - fill(mean, n); y := 0;
        for i in 1:m loop if v[i] > v[i + 1] then y := y + v[i]*v[i]; end if; end for; y := y + sum(zeros(m)) + n;";
    check("size", at_end(centred, "y = f({3*time, time, 2*time});"), 1.0 + 3.0, 1e-12);
    let counted = "input Real u[:]; output Real y; protected Integer n = size(u, 1); algorithm
        while n > 1 and u[n] > 1 loop n := n - 1; end while; y := n;";
    check("assigned", at_end(counted, "y = f({3*time, time, 2*time});"), 2.0, 1e-12);
}

#[test]
fn records_outputs_names_and_defaults_are_passed() {
    let text = "model M
        record R Real a; Real b[2]; end R;
        function f input R r; input Real k = 2; output Real s; output Real t; algorithm s := r.a; t := 0;
          while s > 1 loop s := s - k; t := t + r.b[2]; end while; end f;
        R r(a = 10*time, b = {1, 2}); Real s, t, u; equation (s, t) = f(r); u = f(r, k = 4); end M;";
    let ran = run_text(text, &How::until(1.0)).finished();
    check("s", ran.last("s"), 0.0, 1e-12);
    check("t", ran.last("t"), 10.0, 1e-12);
    check("u", ran.last("u"), -2.0, 1e-12);
}

#[test]
fn a_variable_with_a_whole_number_as_its_first_value_has_its_declared_type() {
    let sum = "input Real x; output Real y = 0; algorithm for i in 1:3 loop y := y + x; end for;";
    check("written out", at_end(sum, "y = f(0.5*time);"), 1.5, 1e-12);
    let grown = "input Real x; output Real y = 1; algorithm while y < 10 loop y := y*x; end while;";
    check("at run time", at_end(grown, "y = f(2 + time);"), 27.0, 0.0);
    let local = "input Real x; output Real y; protected Real a[2] = {0, 1}; Real s = 1; algorithm
        s := s*x; a[1] := a[1] + s; y := a[1] + a[2]/2;";
    check("local variables", at_end(local, "y = f(0.25*time);"), 0.75, 1e-12);
}

#[test]
fn functions_are_arguments_of_functions() {
    let text = "model M
        partial function One input Real u; output Real y; end One;
        function power extends One; input Real n = 1; algorithm y := u^n; end power;
        function mean input One g; input Real a; output Real y; protected Real x; algorithm y := 0; x := a;
          while x > 0.5 loop y := y + g(x); x := x - 1; end while; end mean;
        Real y, z; equation y = mean(function power(n = 2), 3*time); z = mean(power, 3*time); end M;";
    let ran = run_text(text, &How::until(1.0)).finished();
    check("squares", ran.last("y"), 14.0, 1e-12);
    check("as it is", ran.last("z"), 6.0, 1e-12);
}

#[test]
fn a_function_may_call_itself() {
    let factorial = "input Integer n; output Real y; algorithm if n <= 1 then y := 1; else y := n*f(n - 1); end if;";
    check("5!", at_end(factorial, "y = f(integer(5*time));"), 120.0, 0.0);
}

#[test]
fn discrete_values_are_computed_by_functions() {
    let text = "model M function first input Boolean b[:]; output Integer i; algorithm i := 0;
          for k in 1:size(b, 1) loop if b[k] then i := k; return; end if; end for; end first;
        Boolean u[2] = {time > 0.8, time > 0.5}; Integer i = first(u); end M;";
    let ran = run_text(text, &How::until(1.0)).finished();
    assert_eq!([0.2, 0.6, 0.9].map(|time| ran.at(time, "i")), [0.0, 2.0, 1.0]);
}

#[test]
fn parameters_are_computed_by_functions() {
    let text = "model M function f input Real x; output Real y; algorithm y := x; while y > 1 loop y := y/2; end while;
        end f; parameter Real p = 5; parameter Real k = f(p); Real y = k*time; end M;";
    check("y", run_text(text, &How::until(1.0)).finished().last("y"), 0.625, 1e-12);
    check("set", run_text(text, &How::until(1.0).set("p", "3")).finished().last("y"), 0.75, 1e-12);
}

#[test]
fn a_body_is_differentiated_where_equations_are() {
    // The position is prescribed by a loop, so that its velocity and acceleration are derivatives of the body.
    let text = "model M function f input Real t; output Real s; protected Integer n; algorithm s := 0; n := 0;
          while n < 3 loop n := n + 1; s := s + t^n; end while; end f;
        Real s, v, a, force; equation s = f(time); v = der(s); a = der(v); force = 2*a; end M;";
    let ran = run_text(text, &How::until(2.0)).finished();
    check("v", ran.last("v"), 1.0 + 4.0 + 12.0, 1e-9);
    check("force", ran.last("force"), 2.0 * (2.0 + 12.0), 1e-9);
}

#[test]
fn the_derivative_that_an_annotation_names_is_used() {
    let text = "model M
        function f input Real x; input Real k; output Real y; algorithm y := x; while y > k loop y := y - k; end while;
          annotation(derivative(noDerivative = k) = f_der); end f;
        function f_der input Real x; input Real k; input Real x_der; output Real y_der; algorithm y_der := 5*x_der;
          end f_der;
        Real s, v; equation s = f(3*time, 10); v = der(s); end M;";
    check("v", run_text(text, &How::until(1.0)).finished().last("v"), 15.0, 1e-12);
}

#[test]
fn a_function_is_solved_for_its_argument() {
    let cube = "input Real x; output Real y; protected Integer n; algorithm y := 1; n := 0;
        while n < 3 loop y := y*x; n := n + 1; end while;";
    check("root", at_end(cube, "8*time + 1 = f(y);"), 9.0f64.cbrt(), 1e-9);
}

#[test]
fn an_assertion_in_a_function_stops_the_run() {
    let text = "model M function f input Real x; output Real y; algorithm assert(x < 0.5, \"x is too large\"); y := x;
        end f; Real y = f(time); end M;";
    let ran = run_text(text, &How::until(1.0));
    assert!(ran.diagnostics.iter().any(|it| it.message.contains("x is too large")), "{:#?}", ran.diagnostics);
}

#[test]
fn tables_interpolate_their_columns() {
    let text = "
        package T
          class Table extends ExternalObject;
            function constructor input String tableName; input String fileName; input Real table[:, :];
              input Integer columns[:]; input Integer smoothness; input Integer extrapolation; output Table id;
              external \"C\" id = ModelicaStandardTables_CombiTable1D_init2(fileName, tableName, table, size(table, 1),
                size(table, 2), columns, size(columns, 1), smoothness, extrapolation); end constructor;
            function destructor input Table id; external \"C\" ModelicaStandardTables_CombiTable1D_close(id); end destructor;
          end Table;
          function value input Table id; input Integer column; input Real u; output Real y;
            external \"C\" y = ModelicaStandardTables_CombiTable1D_getValue(id, column, u);
            annotation(derivative = slope); end value;
          function slope input Table id; input Integer column; input Real u; input Real der_u; output Real y;
            external \"C\" y = ModelicaStandardTables_CombiTable1D_getDerValue(id, column, u, der_u); end slope;
        end T;
        model M parameter Real table[3, 2] = [0, 0; 1, 2; 3, 8];
          T.Table id = T.Table(\"NoName\", \"NoName\", table, {2}, 1, 2); Real y, v;
          equation y = T.value(id, 1, 4*time); v = der(y); end M;";
    let ran = run_text(text, &How::until(1.0)).finished();
    assert_eq!([0.25, 0.5, 1.0].map(|time| ran.at(time, "y")), [2.0, 5.0, 11.0]);
    check("v", ran.last("v"), 12.0, 1e-12);
    let set = run_text(text, &How::until(1.0).set("table", "[0, 0; 1, 2; 3, 4]")).finished();
    check("another table", set.last("y"), 5.0, 1e-12);
}

#[test]
fn whole_parameters_that_the_start_finds_are_seeds_of_what_was_before() {
    let text = "model M
        function first input Integer a; input Integer b; output Integer s[2]; algorithm s := {a, b};
          while s[1] < 9 loop s[1] := s[1] + 2; end while; end first;
        function draw input Integer s[2]; output Real r; output Integer t[2]; algorithm r := 0.5*s[1] + s[2]; t := s;
          while t[1] <= s[1] loop t[1] := t[1] + 1; end while; end draw;
        parameter Integer seed(fixed = false); parameter Integer other = seed + 1; parameter Real scale = 2*other;
        discrete Real r; Integer state[2]; Real y = scale;
        initial equation seed = 4; pre(state) = first(seed, other); r = draw(pre(state));
        equation when sample(0.1, 0.1) then (r, state) = draw(pre(state)); end when; end M;";
    let ran = run_text(text, &How::until(0.35)).finished();
    let drawn: Vec<f64> = [0.07, 0.14, 0.28, 0.35].map(|time| ran.at(time, "r")).to_vec();
    assert_eq!(drawn, [10.0, 10.0, 10.5, 11.0]);
    assert_eq!((ran.last("state[1]"), ran.last("state[2]"), ran.last("y")), (13.0, 5.0, 10.0));
}

#[test]
fn locals_that_are_assigned_once_and_known_are_sizes() {
    let pairs = "input Real x; output Real y; protected Integer n; Real v[5]; algorithm v := {x, 0, 0, 0, 0};
        n := 2*div(size(v, 1), 2);
        for i in 2:2:n loop v[i:i + 1] := {v[i - 1] + 1, 2*v[i - 1]}; end for;
        y := 0; while y < v[5] loop y := y + 1; end while;";
    check("y", at_end(pairs, "y = f(3*time);"), 12.0, 0.0);
}

#[test]
fn an_infinite_slope_at_an_event_is_no_obstacle() {
    let text = "model M Real x(start = 0, fixed = true); discrete Real u(start = 0, fixed = true); Real v, y;
        equation der(x) = 1; when sample(0.5, 0.5) then u = pre(x); reinit(x, 0); end when; v = u; y = sqrt(v); end M;";
    check("y", run_text(text, &How::until(0.9)).finished().last("y"), 0.5f64.sqrt(), 1e-9);
}
