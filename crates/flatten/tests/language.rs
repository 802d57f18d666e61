//! The rules of lookup, modification, evaluation, arrays and events, each by its smallest model.

use crate::support;
use support::{check_equations, check_variables, codes_of, equations, flat, flat_with};

#[test]
fn an_inherited_element_keeps_the_scope_in_which_it_was_written() {
    check_equations(
        "package Q constant Real k = 2; model A Real x = k; end A; end Q;
         model B extends Q.A; constant Real k = 9; end B;",
        "x = 2",
    );
}

#[test]
fn a_redeclared_component_keeps_the_modifiers_of_the_original_declaration() {
    check_variables(
        "partial block Signal parameter Real offset = 0; parameter Real startTime = 0; output Real y; end Signal;
         block Sine extends Signal; parameter Real amplitude = 1; parameter Real f = 1;
           equation y = offset + amplitude*sin(f*time); end Sine;
         partial model Source parameter Real offset = 5; parameter Real startTime = 6; Real v;
           replaceable Signal signal(final offset = offset, final startTime = startTime);
           equation v = signal.y; end Source;
         model SineSource parameter Real V = 1; parameter Real f = 2;
           extends Source(redeclare Sine signal(final amplitude = V, final f = f)); end SineSource;
         model M SineSource s(V = 3); end M;",
        "s.V = 3
         s.f = 2
         s.offset = 5
         s.startTime = 6
         s.v
         s.signal.offset = s.offset
         s.signal.startTime = s.startTime
         s.signal.y
         s.signal.amplitude = s.V
         s.signal.f = s.f",
    );
}

#[test]
fn modifiers_of_arrays_are_split_unless_each_is_written() {
    check_variables(
        "model C parameter Real a; parameter Real b; end C;
         model M C c[3](a = {1, 2, 3}, each b = 7); end M;",
        "c[1].a = 1
         c[1].b = 7
         c[2].a = 2
         c[2].b = 7
         c[3].a = 3
         c[3].b = 7",
    );
}

#[test]
fn each_level_of_nested_arrays_splits_its_own_dimension() {
    check_variables(
        "model B parameter Real x; end B; model A B b[2]; end A;
         model M A a[2](b(x = [1, 2; 3, 4])); A c[2](each b(x = {5, 6})); end M;",
        "a[1].b[1].x = 1
         a[1].b[2].x = 2
         a[2].b[1].x = 3
         a[2].b[2].x = 4
         c[1].b[1].x = 5
         c[1].b[2].x = 6
         c[2].b[1].x = 5
         c[2].b[2].x = 6",
    );
}

#[test]
fn a_value_modifier_of_a_variable_replaces_its_declaration_equation() {
    check_equations("model A Real x = 1; end A; model M A a(x = time); end M;", "a.x = time");
}

#[test]
fn a_conditional_component_takes_its_modifiers_along_when_it_vanishes() {
    let model = |heat: &str| {
        format!(
            "connector HeatPort Real T; flow Real Q_flow; end HeatPort;
             model R parameter Boolean useHeatPort = false; parameter Real T = 293; Real LossPower; Real T_heatPort;
               HeatPort heatPort(T = T_heatPort, Q_flow = -LossPower) if useHeatPort;
             equation LossPower = time; if not useHeatPort then T_heatPort = T; end if; end R;
             model Bath HeatPort p; equation p.T = 300; end Bath;
             model M R r(useHeatPort = {heat}); Bath b; equation connect(r.heatPort, b.p); end M;"
        )
    };
    check_equations(
        &model("false"),
        "r.LossPower = time
         r.T_heatPort = r.T
         b.p.T = 300
         b.p.Q_flow = 0",
    );
    check_equations(
        &model("true"),
        "r.heatPort.T = r.T_heatPort
         r.heatPort.Q_flow = -r.LossPower
         r.LossPower = time
         b.p.T = 300
         r.heatPort.T = b.p.T
         r.heatPort.Q_flow + b.p.Q_flow = 0",
    );
}

#[test]
fn outer_elements_stand_for_the_nearest_inner_one() {
    check_equations(
        "model Sub outer Real T; Real y = 2*T; end Sub; model Root inner Real T = time; Sub s; end Root;",
        "s.y = 2*T
         T = time",
    );
}

#[test]
fn open_sizes_come_from_bindings_and_size_zero_is_legal() {
    check_variables(
        "model M parameter Real table[:, 2] = [1, 2; 3, 4]; Real x[size(table, 1)]; Real none[0];
           equation for i in 1:size(x, 1) loop x[i] = table[i, end]; end for; end M;",
        "table[1,1] = 1
         table[1,2] = 2
         table[2,1] = 3
         table[2,2] = 4
         x[1]
         x[2]",
    );
}

#[test]
fn array_equations_are_elementwise_and_products_are_those_of_linear_algebra() {
    check_equations(
        "model M Boolean s = time > 1; Real v[2]; Real w[2]; Real p; Real q[2]; parameter Real A[2, 2] = [1, 2; 3, 4];
         equation v = if s then {1, 1} else {1, -1}; /* scale: */ w = 2*v; p = v*w; q = A*v; end M;",
        "s = time > 1
         v[1] = if s then 1 else 1
         v[2] = if s then 1 else -1
         scale[1]: w[1] = 2*v[1]
         scale[2]: w[2] = 2*v[2]
         p = v[1]*w[1] + v[2]*w[2]
         q[1] = A[1,1]*v[1] + A[1,2]*v[2]
         q[2] = A[2,1]*v[1] + A[2,2]*v[2]"
            .replace("if s then 1 else 1", "1")
            .as_str(),
    );
}

#[test]
fn comprehensions_slices_and_ranges() {
    check_equations(
        "model P Real x; end P;
         model M P p[4]; Real s; Real t[2]; Real u;
         equation p.x = {i^2*time for i in 1:4}; s = sum(p[2:3].x); t = p[{1, end}].x; u = max(t[j] for j in 1:2); end M;",
        "p[1].x = time
         p[2].x = 4*time
         p[3].x = 9*time
         p[4].x = 16*time
         s = p[2].x + p[3].x
         t[1] = p[1].x
         t[2] = p[4].x
         u = max(t[1], t[2])",
    );
}

#[test]
fn enumerations_index_compare_and_run_through_loops() {
    check_equations(
        "model M type E = enumeration(low, high); Real x[E]; parameter E e = E.high; Boolean b;
         equation for i in E loop x[i] = Integer(i); end for; b = x[E.low] > 1 and e == E.high; end M;",
        "x[1] = 1
         x[2] = 2
         b = x[1] > 1 and e == M.E.high",
    );
}

#[test]
fn functions_of_one_expression_are_inlined_and_make_no_events() {
    check_equations(
        "function square input Real x; output Real y; algorithm y := x*x; end square;
         function limit input Real x; input Real m = 1; output Real y; algorithm y := if x > m then m else x; end limit;
         model M Real a = square(time + 1); Real b = limit(a); Real c = limit(m = 3, x = a); Real d[2] = square({a, b}); end M;",
        "a = (time + 1)*(time + 1)
         b = noEvent(if a > 1 then 1 else a)
         c = noEvent(if a > 3 then 3 else a)
         d[1] = a*a
         d[2] = b*b",
    );
}

#[test]
fn functions_run_at_translation_where_sizes_need_them() {
    check_variables(
        "function fibonacci input Integer n; output Integer f; protected Integer a = 0; Integer b = 1; Integer c;
           algorithm for i in 1:n loop c := a + b; a := b; b := c; end for; f := a; end fibonacci;
         model M parameter Integer n = fibonacci(3); Real x[n]; equation x = fill(time, n); end M;",
        "n = 2
         x[1]
         x[2]",
    );
}

#[test]
fn whens_become_branches_with_actions_and_make_variables_discrete() {
    let model = flat(
        "model M Real x(start = 1); Real d; Integer n; Boolean c = x < 0;
         equation der(x) = -1;
         when {c, sample(0, 1)} then d = x; n = pre(n) + 1; elsewhen x > 2 then n = 0;
           if d > 1 then reinit(x, 1); end if; end when;
         when c then x = -pre(x); end when; end M;",
    );
    assert_eq!(
        equations(&model).join("\n"),
        "c = x < 0\n\
         der(x) = -1\n\
         when {c, sample(0, 1)} d := x\n\
         when {c, sample(0, 1)} n := pre(n) + 1\n\
         elsewhen {x > 2} n := 0\n\
         elsewhen {x > 2} [d > 1] reinit(x, 1)\n\
         when {c} x = -pre(x)"
    );
    let discrete: Vec<_> =
        model.variables.iter().filter(|v| v.variability == modeshift_dae::Variability::Discrete).collect();
    assert_eq!(discrete.iter().map(|v| &*v.name).collect::<Vec<_>>(), ["d", "n", "c"]);
}

#[test]
fn initial_sections_scenarios_assertions_and_invariants_are_kept() {
    check_equations(
        "model M Real x; parameter Real p(fixed = false); Boolean b = x > 1;
         initial equation x = 2; if b then der(x) = 0; end if;
         x = 3 annotation(modeshift(scenario = \"hot\", modes = b));
         initial algorithm p := x + 1;
         equation der(x) = -p; assert(x < 9, \"too large\"); assert(x < 5, \"large\", AssertionLevel.warning);
         invariant b or x < 2; end M;",
        "b = x > 1
         der(x) = -p
         initial x = 2
         initial [b] der(x) = 0
         initial in hot x = 3
         initial p = x + 1
         assert x < 9
         warn x < 5
         invariant b or x < 2",
    );
}

#[test]
fn an_if_whose_condition_is_known_keeps_the_chosen_branch_only() {
    check_equations(
        "model M parameter Boolean p = true; parameter Integer n = 1; Real x[2]; Real y;
         equation if p then y = 1; else y = 2; y = 3; end if;
         for i in 1:2 loop x[i] = if i == 1 then 0 else x[i - n]; end for; end M;",
        "y = 1
         x[1] = 0
         x[2] = x[1]",
    );
}

#[test]
fn all_forms_of_import_find_their_class() {
    check_equations(
        "package P package A constant Real a = 1; constant Real b = 2; constant Real c = 3; constant Real d = 4; end A; end P;
         model M import P.A.a; import bee = P.A.b; import P.A.{c}; import P.A.*; Real x = a + bee + c + d; end M;",
        "x = 10",
    );
}

#[test]
fn the_predefined_modelica_package_needs_no_library() {
    check_equations(
        "model M import Modelica.Units.SI; SI.Voltage v; SI.SomethingElse w; parameter SI.Angle a = Modelica.Constants.pi;
         equation v = Modelica.Math.sin(time); w = Modelica.Math.atan2(v, 1); end M;",
        "v = sin(time)
         w = atan2(v, 1)",
    );
    let model = flat("model M Modelica.Units.SI.Voltage v = 1; end M;");
    let unit = model.variables.iter().next().and_then(|v| v.unit.clone());
    assert_eq!(unit.as_deref(), Some("V"));
}

#[test]
fn records_are_bound_compared_and_constructed_as_a_whole() {
    check_equations(
        "record Point Real x; Real y; end Point;
         function swap input Point p; output Point q; algorithm q.x := p.y; q.y := p.x; end swap;
         model M parameter Point p = Point(1, y = 2); Point q; Point r = p; Point s;
         equation q = swap(r); s = Point(q.x, time); end M;",
        "r.x = p.x
         r.y = p.y
         q.x = r.y
         q.y = r.x
         s.x = q.x
         s.y = time",
    );
}

#[test]
fn classes_inside_models_can_be_redeclared() {
    check_equations(
        "model Slow parameter Real k = 1; Real x; equation der(x) = -k; end Slow;
         model Fast parameter Real k = 1; Real x; equation der(x) = -10*k; end Fast;
         model Plant replaceable model Part = Slow; Part p; end Plant;
         model M parameter Real g = 3; Plant a; Plant b(redeclare model Part = Fast(k = g)); end M;",
        "der(a.p.x) = -a.p.k
         der(b.p.x) = -10*b.p.k",
    );
    check_variables(
        "model Slow parameter Real k = 1; Real x; equation der(x) = -k; end Slow;
         model Plant replaceable model Part = Slow; Part p; end Plant;
         model M parameter Real g = 3; extends Plant(redeclare model Part = Slow(k = g)); end M;",
        "g = 3
         p.k = g
         p.x",
    );
}

#[test]
fn values_from_outside_override_everything_elements_included() {
    let source = "model A parameter Real r = 1; end A;
                  model M parameter Real v[2] = {1, 2}; A a[2](each final r = 5); parameter Integer n = 1; Real x[n] = fill(1, n); end M;";
    let model = flat_with(source, &[("v[2]", "7"), ("a[1].r", "8"), ("n", "2")]);
    assert_eq!(
        support::variables(&model),
        ["v[1] = 1", "v[2] = 7", "a[1].r = 8", "a[2].r = 5", "n = 2", "x[1]", "x[2]"]
    );
}

#[test]
fn der_of_an_expression_is_differentiated() {
    check_equations(
        "model M Real x; Real y; equation der(x*y) = 1; der(x) = y; end M;",
        "der(x)*y + x*der(y) = 1\nder(x) = y",
    );
}

#[test]
fn algorithms_that_are_equations_in_disguise_become_equations() {
    check_equations(
        "model M Real x = time; Real y; Real z[2]; algorithm y := 2*x; y := y + 1;
         if x > 1 then z[1] := 1; else z[1] := x; end if; z[2] := y; end M;",
        "x = time
         y = 2*x + 1
         z[1] = if x > 1 then 1 else x
         z[2] = 2*x + 1",
    );
}

#[test]
fn the_order_of_equations_does_not_change_the_system() {
    let sorted = |source: &str| {
        let mut lines = equations(&flat(source));
        lines.sort();
        lines
    };
    let one = "model M Real x; Real y; equation if x > 1 then y = 1; else y = 2; end if; der(x) = y; end M;";
    let other = "model M Real x; Real y; equation der(x) = y; if x > 1 then y = 1; else y = 2; end if; end M;";
    assert_eq!(sorted(one), sorted(other));
}

#[test]
fn with_constrainedby_a_redeclaration_drops_the_modifiers_of_the_default_type() {
    check_variables(
        "partial model Base parameter Real k = 1; end Base;
         model Default extends Base; parameter Real extra = 2; end Default;
         model Other extends Base; end Other;
         model Plant replaceable Default part(extra = 5) constrainedby Base(k = 7); end Plant;
         model M Plant a; Plant b(redeclare Other part); end M;",
        "a.part.k = 7
         a.part.extra = 5
         b.part.k = 7",
    );
}

#[test]
fn external_functions_stay_calls_with_their_declared_differentiability() {
    let model = flat(
        "function g input Real x; input Real k; input Real dx; output Real dy; external \"C\"; end g;
         function f input Real x; input Real k; output Real y; external \"C\";
           annotation(smoothOrder = 3, derivative(noDerivative = k) = g); end f;
         model M Real y = f(time, 2); end M;",
    );
    assert_eq!(equations(&model), ["y = f(time, 2)"]);
    let function = model.functions.iter().next().expect("a function");
    assert_eq!((&*function.name, function.differentiable), ("f", 3));
    let (derivative, fixed) = function.derivative.clone().expect("a declared derivative");
    assert_eq!((&*model.functions[derivative].name, fixed), ("g", vec![1]));
}

#[test]
fn a_users_function_hides_the_predefined_one_of_its_name() {
    check_equations(
        "package P function sign input Real x; output Real y; algorithm y := 2*x; end sign;
           model A Real x = sign(time); Real y = .sign(time); end A; end P;
         model M extends P.A; end M;",
        "x = 2*time
         y = sign(time)",
    );
}

#[test]
fn a_subscript_that_changes_at_run_time_selects_by_cases() {
    check_equations(
        "model M Integer i = if time > 1 then 2 else 1; Real v[2] = {1, time}; Real y = v[i]; end M;",
        "i = if time > 1 then 2 else 1
         v[1] = 1
         v[2] = time
         y = if i == 1 then v[1] else v[2]
         assert i >= 1 and i <= 2",
    );
}

/// A literal is imported by its full name or another one, from packages and from classes that declare the enumeration.
#[test]
fn literals_of_enumerations_are_imported() {
    let model = |inside: &str| {
        format!(
            "package P type E = enumeration(a, b);
               model R encapsulated type O = enumeration(x, y); parameter O o = O.x; Real z = if o == O.y then 2*time else time; end R;
               model M {inside} end M;
             end P;
             model Top extends P.M; end Top;"
        )
    };
    check_equations(
        &model(
            "import P.E.b; import first = P.E.a; import P.R.O.y;
             R r(o = y); parameter E e = b; Real v = if e == b then time else 0; Real w = if e == first then time else 1;",
        ),
        "r.z = 2*time
         v = time
         w = 1",
    );
    assert_eq!(codes_of(&model("import P.E.c; parameter E e = c;")), ["E0201"]);
    assert_eq!(codes_of(&model("import P.E.a; Real x = a.b;")), ["E0203"]);
    assert_eq!(codes_of(&model("import P.E.a; a x;")), ["E0203"]);
}

#[test]
fn what_a_declaration_says_of_an_input_is_not_given_from_outside() {
    let text = "model Base input Real u; input Real v = 2*time; Real z; equation z = u + v; end Base;";
    let inputs = |text: &str| {
        let model = flat(text);
        model.variables.iter().filter(|it| it.input).map(|it| it.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(inputs(text), ["u"]);
    check_equations(text, "v = 2*time\nz = u + v");
    let bound = format!("{text} model M extends Base(u = sin(time)); end M;");
    assert!(inputs(&bound).is_empty());
    check_equations(&bound, "u = sin(time)\nv = 2*time\nz = u + v");
    let connectors = "connector In = input Real; model M In a, b = 3; Real z = a + b; end M;";
    assert_eq!(inputs(connectors), ["a"]);
}
