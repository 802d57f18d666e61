//! Small models in, what the transformation makes of them out.

use crate::support;
use modeshift_rimis::Form;
use support::{check_mode_independent, transformed};

/// The robust form of a model given as declarations and equations, read back and found independent of modes.
fn robust(body: &str) -> String {
    let text = transformed(&format!("model M {body} end M;"), &[], Form::Robust);
    check_mode_independent(&text);
    text
}

/// Asserts that these lines are in the robust form, in this order.
fn check_lines(body: &str, lines: &[&str]) {
    let text = robust(body);
    let mut rest = text.lines().map(str::trim);
    for line in lines {
        assert!(rest.any(|found| found == *line), "`{line}` is missing or out of order in\n{text}");
    }
}

#[test]
fn a_model_with_one_mode_keeps_its_variables() {
    check_lines(
        "Real x(start = 1, fixed = true); Real y; equation der(x) = -y; y = 2*x;",
        &["der(x) = x_p;", "y = 2*x;", "x_p = -y;"],
    );
}

#[test]
fn conditions_are_simplified_by_the_guard_of_their_block() {
    // In mode a, `x` is given by e1, where `a or b` holds anyway.
    check_lines(
        "Real x; Real y(start = 0, fixed = true); Boolean a; Boolean b;
         equation a = time > 1; b = time > 2;
         der(y) = x;
         /* e1: */ if a then x = if a or b then 5 else 7; else der(x) = 1; end if;
         annotation(experiment(StopTime = 3));",
        &["x_0 = 5;"],
    );
}

#[test]
fn what_a_condition_still_has_to_ask_is_asked_in_short() {
    check_lines(
        "Real x; Boolean a; Boolean b;
         equation a = time > 1; b = time > 2;
         /* e1: */ if a then x = if a and b then 5 else 7; else x = 1; end if;",
        &["x_0 = if b then 5 else 7;"],
    );
}

#[test]
fn a_state_of_some_modes_is_kept_in_the_others_and_set_on_entry() {
    check_lines(
        "Real x(start = 0, fixed = true); Boolean p(start = false, fixed = true);
         equation p = time > 1 and time < 2; 1 = if p then x else der(x);",
        &[
            "der(x_0) = if not p then x_p_0 else 0;",
            "x = if p then x_1 else x_0;",
            "when not p then",
            "reinit(x_0, pre(x));",
        ],
    );
}

#[test]
fn a_guard_on_time_alone_needs_no_second_variable() {
    let text = robust("Real x; Boolean p; equation p = time > 1; x = if p then 1 else time;");
    assert!(!text.contains("_next") && !text.contains("hysteresis"), "{text}");
}

#[test]
fn a_guard_that_depends_on_its_mode_is_looked_at_in_the_mode_that_is_left() {
    check_lines(
        "Real x(start = 0, fixed = true); Boolean p(start = false, fixed = true);
         equation p = x >= 1; 1 = if p then x else der(x);",
        &["p_next = if p then x >= 1 - hysteresis else x > 1 + hysteresis;", "p = pre(p_next);"],
    );
}

#[test]
fn left_limits_in_guards_are_values_in_the_mode_that_is_left() {
    check_lines(
        "Real x(start = 0, fixed = true); Boolean p(start = false, fixed = true);
         equation p = pre(x) >= 1 or pre(p); 1 = if p then x else der(x);",
        &["p_next = x >= 1 or p;", "p = pre(p_next);"],
    );
}

#[test]
fn a_relation_inside_a_definition_has_its_hysteresis_too() {
    check_lines(
        "Real x(start = 0, fixed = true); Boolean p(start = false, fixed = true);
         equation p = x >= 1 and time > 0.5; 1 = if p then x else der(x);",
        &["p_next = (if p then x >= 1 - hysteresis else x > 1 + hysteresis) and time > 0.5;"],
    );
}

#[test]
fn a_relation_that_speaks_against_its_mode_has_its_hysteresis_the_other_way_round() {
    check_lines(
        "Real x(start = 0, fixed = true); Boolean p(start = false, fixed = true);
         equation p = not x < 1; 1 = if p then x else der(x);",
        &["p_next = not (if p then x < 1 - hysteresis else x <= 1 + hysteresis);"],
    );
}

#[test]
fn a_definition_with_a_memory_of_its_own_needs_no_other() {
    check_lines(
        "Real i(start = 0, fixed = true); Real v; Real u; Boolean on(start = true);
         equation sin(time) = u + v + i; v = der(i); 0 = if on then u else i;
         on = if pre(on) then i >= 0 else u > 0;",
        &["on_next = if on then i >= -hysteresis else u > hysteresis;", "on = pre(on_next);"],
    );
}

#[test]
fn a_relation_that_does_not_say_what_it_speaks_for_keeps_its_truth() {
    check_lines(
        "Real x(start = 0, fixed = true); Boolean p(start = false, fixed = true);
         equation p = if x >= 1 then time > 0.5 else time > 2; 1 = if p then x else der(x);",
        &[
            "p_relation = if pre(p_relation) then x >= 1 - hysteresis else x > 1 + hysteresis;",
            "p_next = if p_relation then time > 0.5 else time > 2;",
        ],
    );
}

#[test]
fn what_hysteresis_is_for_is_said_in_a_comment() {
    let text = robust(
        "Real x(start = 0, fixed = true); Boolean p(start = false, fixed = true);
         equation p = x >= 1; 1 = if p then x else der(x);",
    );
    assert!(text.contains("// A guard that depends on the mode has to go beyond its bound by `hysteresis`"), "{text}");
}

#[test]
fn a_relation_used_directly_becomes_a_boolean_named_by_its_text() {
    check_lines(
        "Real x(start = 0, fixed = true); equation 1 = if x > 1 then x else der(x);",
        &["Boolean 'x > 1';", "'x > 1' = pre('x > 1_next');", "x = if 'x > 1' then x_1 else x_0;"],
    );
}

#[test]
fn values_of_an_enumeration_are_modes() {
    check_lines(
        "type Gear = enumeration(low, high); Gear gear; Real x(start = 0, fixed = true);
         equation gear = if time > 1 then Gear.high else Gear.low;
         1 = if gear == Gear.high then x else der(x);",
        &["Integer gear;", "gear = if time > 1 then 2 else 1;"],
    );
}

#[test]
fn an_integer_of_a_when_is_a_mode() {
    check_lines(
        "Integer n(start = 0, fixed = true); Real x(start = 0, fixed = true);
         equation when time > 1 then n = pre(n) + 1; end when;
         1 = if n == 1 then x else der(x);",
        &["// Events", "when time > 1 then", "n = pre(n) + 1;"],
    );
}

#[test]
fn a_reinit_of_the_model_comes_first_in_the_chain_of_its_state() {
    check_lines(
        "Real x(start = 0, fixed = true); Boolean p(start = false, fixed = true);
         equation p = time > 1 and time < 2; 1 = if p then x else der(x);
         when time > 3 then reinit(x, 0.5*pre(x)); end when;",
        &["when time > 3 then", "reinit(x_0, 0.5*pre(x));", "elsewhen not p then", "reinit(x_0, pre(x));"],
    );
}

#[test]
fn initial_equations_are_kept() {
    check_lines(
        "Real x; Real y; initial equation der(x) = 0; equation der(x) = y - x; y = if time > 1 then 1 else 2;",
        &["initial equation", "x_p = 0;", "equation"],
    );
}

#[test]
fn a_value_of_what_is_no_state_stays_a_condition_of_the_start() {
    check_lines(
        "Real x(start = 1); Real a(start = 0, fixed = true); equation der(x) = a; a = 2 - x;",
        &["Real x(start = 1);", "Real a(start = 0, fixed = true);"],
    );
}

#[test]
fn a_guard_on_other_commands_needs_no_second_variable() {
    check_lines(
        "Real x(start = 0, fixed = true); discrete Real since(start = 0, fixed = true); Boolean a; Boolean b;
         equation a = time > 1; when a then since = time; end when; b = not a or time > since + 1;
         der(x) = if a then 1 else if b then 2 else 3;",
        &["a = time > 1;", "b = not a or time > since + 1;"],
    );
}

#[test]
fn what_cases_inside_a_when_assign_is_one_assignment() {
    check_lines(
        "Real x(start = 0, fixed = true); discrete Real n(start = 0, fixed = true);
         equation der(x) = 1;
         when sample(0, 1) then if x > 2 then n = 1; elseif x > 1 then n = 2; end if; if x > 5 then terminate(\"far\"); end if;
         end when;",
        &[
            "n = if x > 2 then 1 else if not x > 2 and x > 1 then 2 else pre(n);",
            "if x > 5 then terminate(\"far\"); end if;",
        ],
    );
}

#[test]
fn a_nonlinear_block_is_trivial_outside_its_modes() {
    // Outside p, `z*x = 1` could not be solved: z is 0 there.
    check_lines(
        "Real x; Real z; Boolean p;
         equation p = time > 1; z = if p then time else 0;
         /* e: */ 0 = if p then z*x - 1 else x;",
        &["// Block p: z -- e -> x", "0 = if p then z*x_1 - 1 else x_1;"],
    );
}

#[test]
fn a_jump_with_a_closed_form_is_a_reinit_of_left_limits() {
    check_lines(
        "Real a(start = 1, fixed = true); Real b(start = 3, fixed = true); Real f; Boolean p;
         equation p = time > 1; der(a) = f; 2*der(b) = -f; 0 = if p then a - b else f;",
        &["when p then", "reinit(b, (pre(a) + 2*pre(b))/3);"],
    );
}

#[test]
fn a_guard_on_an_impulse_asks_for_its_weight_and_the_jump_waits() {
    // A boost converter: when its switch opens, the sign of an impulse decides that the diode conducts.
    check_lines(
        "parameter Real L = 1e-3; parameter Real C = 1e-4;
         Real iL(start = 0, fixed = true); Real vC(start = 0, fixed = true); Real vs; Real is; Real iD; Real uD;
         Boolean sw; Boolean on(start = false, fixed = true);
         equation sw = time < 1; L*der(iL) = 5 - vs; C*der(vC) = iD - vC; iL = is + iD; uD = vs - vC;
         0 = if sw then vs else is; 0 = if on then uD else iD; on = if pre(on) then iD >= 0 else uD > 0;",
        &[
            "// asks for the weight of the impulse, and states jump only if the mode is kept.",
            "on_next = if on then (if not pre(sw) and sw and pre(on) and on then -C*vC >= -hysteresis else \
             iD >= -hysteresis) else if not (not pre(sw) or sw or pre(on) or on) then L*iL > hysteresis else \
             uD > hysteresis;",
            "when not (sw or on) and not on_next then",
            "reinit(iL, 0);",
        ],
    );
}

#[test]
fn a_value_with_a_single_source_has_no_replicate_and_no_multiplexer() {
    // `z` is written by one block and `x` is a state in all modes: whoever reads them reads them themselves.
    check_lines(
        "Real x(start = 0, fixed = true); Real z; Real y; Boolean p;
         equation p = time > 1; z = sin(time); der(x) = if p then z else -x; y = if p then x + z else x;",
        &["z = sin(time);", "y_3 = x + z;", "y_4 = x;"],
    );
}

#[test]
fn a_state_is_shared_by_all_modes_that_have_it() {
    // Three modes, in two of which `x` is a state: one replicate for both, named after none of their blocks.
    check_lines(
        "Real x(start = 0, fixed = true); Boolean a; Boolean b;
         equation a = time > 1; b = time > 2;
         if b then x = 5; elseif a then der(x) = 2; else der(x) = 1; end if;",
        &["der(x_state) = if not b then x_p else 0;", "x = if b then x_0 else x_state;"],
    );
}

#[test]
fn modes_that_share_a_block_share_its_replicate() {
    // Four modes, two blocks: whether `c` holds does not change the structure.
    check_lines(
        "Real x(start = 0, fixed = true); Boolean a; Boolean c;
         equation a = time > 1; c = time > 2;
         if a then x = if c then 5 else 6; else der(x) = if c then 1 else 2; end if;",
        &[
            "Real x_0 \"x if a\";",
            "Real x_p_1 \"x' if not a\";",
            "x_0 = if c then 5 else 6;",
            "x_p_1 = if c then 1 else 2;",
        ],
    );
}

#[test]
fn an_algebraic_loop_of_some_modes_is_switched_as_a_whole() {
    // Where p does not hold, each equation gives zero to the variable that it is matched with.
    check_lines(
        "Real x(start = 1); Real y(start = 1); Boolean p;
         equation p = time > 1;
         0 = if p then x^2 + y^2 - time else x; 0 = if p then x - y else y;",
        &["0 = if p then x_1^2 + y_1^2 - time else x_1;", "0 = if p then x_1 - y_1 else y_1;"],
    );
}

#[test]
fn what_a_when_assigns_and_asserts_is_kept() {
    check_lines(
        "Real x(start = 0, fixed = true); discrete Real level(start = 0); Integer count(start = 0);
         equation der(x) = 1;
         when x > 0.5 then level = x; count = pre(count) + 1; assert(x < 2, \"too much\"); elsewhen x > 0.75 then
           terminate(\"enough\"); end when;",
        &[
            "when x > 0.5 then",
            "level = x;",
            "count = pre(count) + 1;",
            "elsewhen x > 0.75 then",
            "terminate(\"enough\");",
        ],
    );
}

#[test]
fn combinations_of_modes_that_the_model_excludes_are_asserted() {
    check_lines(
        "Real x; Boolean a; Boolean b; Boolean c; equation a = time > 1; b = time < 0.5; c = time > 2;
         assert(not (a and b), \"never both\"); invariant a or not c;
         x = if a then 1 elseif b then 2 elseif c then 4 else 3;",
        &[
            "// Assertions",
            "assert(a or not c, \"the model excludes this combination of modes\");",
            "assert(not (a and b), \"never both\");",
        ],
    );
}

#[test]
fn description_documentation_and_experiment_are_kept() {
    let text = transformed(
        "model M \"a model\" parameter Real k = 2 \"a parameter\"; Real x(start = 1, fixed = true, unit = \"m\");
         equation der(x) = -k*x;
         annotation(Documentation(info = \"<p>says \\\"why\\\"</p>\"), experiment(StopTime = 3, Tolerance = 1e-8)); end M;",
        &[],
        Form::Robust,
    );
    assert!(text.starts_with("model MRIMIS \"a model\"\n"), "{text}");
    assert!(text.contains("parameter Real k = 2 \"a parameter\";"), "{text}");
    assert!(text.contains("Real x(start = 1, fixed = true, unit = \"m\");"), "{text}");
    let annotation =
        "annotation (Documentation(info = \"<p>says \\\"why\\\"</p>\"), experiment(StopTime = 3, Tolerance = 1e-8));";
    assert!(text.contains(annotation), "{text}");
}

#[test]
fn variables_of_some_modes_need_no_multiplexer() {
    check_lines(
        "Real x(start = 0, fixed = true); Boolean p; if p then Real v; end if;
         equation p = time > 1; if p then v = 2*x; der(x) = v; else der(x) = 1; end if;",
        &["v = 2*x;"],
    );
}

#[test]
fn names_of_components_are_quoted() {
    let text =
        transformed("model C Real x; equation x = time; end C; model M C c[2]; equation end M;", &[], Form::Robust);
    assert!(text.contains("Real 'c[2].x';") && text.contains("'c[1].x' = time;"), "{text}");
}

#[test]
fn changes_that_the_definitions_rule_out_need_no_formula() {
    // What is free stays free: the change onto the circle, for which there is no formula, never happens.
    let text = robust(
        "Real x(start = 1, fixed = true); Real y(start = 0); Real u(start = 0);
         Real v(start = 1, fixed = true); Real f; Boolean free(start = false, fixed = true);
         equation free = time > 1 or pre(free); der(x) = u; der(y) = v; der(u) = f*x; der(v) = f*y;
         0 = if free then f else x^2 + y^2 - 1;",
    );
    assert!(!text.contains("reinit"), "{text}");
}

#[test]
fn the_same_model_gives_the_same_text() {
    let text = support::paper_model("RLDC2");
    assert_eq!(transformed(&text, &[], Form::Robust), transformed(&text, &[], Form::Robust));
}

#[test]
fn the_text_grows_linearly_with_the_model() {
    let text = support::paper_model("FaultyCoaxial");
    let size = |elements: &str| transformed(&text, &[("N", elements)], Form::Robust).len() as f64;
    let (small, large) = (size("10"), size("40"));
    assert!(large < 4.2 * small, "{small} bytes for 10 elements, {large} for 40");
}

#[test]
fn constraints_that_all_modes_share_are_not_differentiated() {
    // A pendulum: index 3 in both modes, which differ in the force alone.
    check_lines(
        "Real x(start = 1, fixed = true); Real y(start = 0); Real u; Real v(start = 0, fixed = true); Real f; Boolean p;
         equation p = time > 1; der(x) = u; der(y) = v; der(u) = f*x; der(v) = f*y - (if p then 10 else 9);
         x^2 + y^2 = 1;",
        &[
            "// Constraints that all modes share are written as they are, not differentiated: a tool that",
            "Real x(start = 1, fixed = true);",
            "Real y(start = 0);",
            "der(x) = x_p;",
            "x_p = u;",
            "v_p = f*y - (if p then 10 else 9);",
            "x^2 + y^2 = 1;",
        ],
    );
}

#[test]
fn derivatives_that_only_a_constraint_needs_are_not_named() {
    let text = robust("Real x; Real y; equation x = sin(time); y = der(x);");
    assert!(text.contains("x = sin(time);") && text.contains("der(x) = x_p;"), "{text}");
    let text = robust("Real x; Real y; Real z; equation x = sin(time); der(y) = z; y = x + time;");
    assert!(text.contains("der(y) = y_p;") && !text.contains("x_p"), "{text}");
}

#[test]
fn constraints_on_states_that_jump_are_differentiated() {
    // `c = 2*b` holds in both modes, but where p begins, `b` and `c` jump.
    check_lines(
        "Real a(start = 1, fixed = true); Real b(start = 3, fixed = true); Real c; Real f; Real g; Boolean p;
         equation p = time > 1; der(a) = f; 2*der(b) = -f; c = 2*b; g = der(c); 0 = if p then a - b else f;",
        &["c_p = 2*b_p;", "when p then", "reinit(c, 2*((pre(a) + 2*pre(b))/3));"],
    );
}

#[test]
fn what_an_event_sets_is_followed_by_what_constraints_tie_to_it() {
    check_lines(
        "Real x(start = 1, fixed = true); Real y; Real w; equation der(x) = -x; y = 2*x; w = der(y);
         when time > 1 then reinit(x, 3); end when;",
        &["y = 2*x;", "reinit(x, 3);"],
    );
}

#[test]
fn a_state_that_constraints_put_somewhere_is_put_there_by_a_formula() {
    check_lines(
        "Real x(start = 1, fixed = true); Real w; Boolean p; if p then Real z; end if;
         equation p = time > 1; der(x) = -x; if p then x = 2*z; w = der(z); else w = 0; end if;",
        &["when p then", "reinit(z, pre(x)/2);"],
    );
}

#[test]
fn restarts_of_independent_parts_are_found_one_by_one() {
    // Any of 2^20 sets of clutches may engage at once, but each has its own formula. The sum of torques only watches.
    let text = transformed(
        "model M parameter Integer N = 20;
         Real a[N](each start = 1, each fixed = true); Real b[N](each start = 3, each fixed = true); Real f[N]; Real s;
         Boolean p[N];
         equation s = sum(f);
         for k in 1:N loop
           p[k] = time > k; der(a[k]) = f[k]; 2*der(b[k]) = -f[k]; 0 = if p[k] then a[k] - b[k] else f[k];
         end for; end M;",
        &[],
        Form::Robust,
    );
    assert_eq!(text.matches("reinit('a[").count(), 20, "{text}");
    assert!(text.contains("when 'p[20]' then"), "{text}");
}

/// A model whose `y` is the last of many lines `y := y*y + y`.
fn with_squares(lines: usize) -> String {
    format!(
        "model M Real x(start = 0.001, fixed = true); Real y; Boolean b;
         equation b = x > 0.5; der(x) = if b then 1 else 2;
         algorithm y := if b then 1e-9*x else 2e-9*x; {} end M;",
        "y := y*y + y; ".repeat(lines)
    )
}

#[test]
fn parts_that_a_long_expression_shares_are_written_once() {
    for form in [Form::Plain, Form::Robust] {
        let text = transformed(&with_squares(1_000), &[], form);
        check_mode_independent(&text);
        let parts: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("part_")).collect();
        assert!(parts.contains(&"part_2 = part_1*part_1;"), "{text}");
        assert!(parts.len() >= 1_000 && parts.iter().all(|part| part.len() < 60), "{text}");
        assert!(text.len() < 200_000, "{} bytes", text.len());
    }
}

#[test]
fn a_short_expression_is_written_out() {
    let text = transformed(&with_squares(5), &[], Form::Robust);
    assert!(!text.contains("part_"), "{text}");
}

#[test]
fn what_is_not_defined_everywhere_stays_in_its_branch() {
    // Only where `x` is positive may the root be drawn; the sum that it is in is written over and over all the same.
    let text = format!(
        "model M Real x; Real y; Real z; Boolean b;
         equation x = time - 1; b = x > 0; y = if b then z else 0;
         algorithm z := 1 + x*x; {} z := if noEvent(x > 0) then (sqrt(x) + x + 1)*(sqrt(x) + x + 1) + z else 0; end M;",
        "z := z*z + z; ".repeat(12)
    );
    let text = transformed(&text, &[], Form::Robust);
    let parts: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("part_")).collect();
    assert!(!parts.is_empty() && parts.iter().all(|part| !part.contains("sqrt")), "{text}");
}
