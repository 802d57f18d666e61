//! State machines: what they are lowered onto, how states are connected, and what is said about wrong ones.

use crate::support;
use support::{check_equations, check_errors, flat, flat_with, try_flat};

const PARTS: &str = "
  connector Pin Real v; flow Real i; end Pin;
  model A Pin p; Real x(start = 1); equation der(x) = p.i; p.v = x; end A;
  model B Pin p; equation p.i = 0; end B;
";

#[test]
fn a_machine_is_a_boolean_with_a_memory_for_each_state() {
    check_equations(
        "model S Real x; equation der(x) = 1; end S;
         model M S a, b; equation initialState(a); transition(a, b, a.x > 1);
         transition(b, a, b.x > 2, immediate = false); end M;",
        "[activeState(a)] der(a.x) = 1
         [activeState(b)] der(b.x) = 1
         activeState(a) = pre(activeState(a)) and not a.x > 1 or pre(activeState(b)) and pre(b.x) > 2
         activeState(b) = pre(activeState(b)) and not pre(b.x) > 2 or pre(activeState(a)) and a.x > 1
         invariant (activeState(a) or activeState(b)) and not (activeState(a) and activeState(b))",
    );
}

#[test]
fn the_smallest_priority_comes_first() {
    check_equations(
        "model S Real x; equation der(x) = 1; end S;
         model M S a, b, c; equation initialState(a); transition(a, b, a.x > 1, priority = 2);
         transition(a, c, time > 3); end M;",
        "[activeState(a)] der(a.x) = 1
         [activeState(b)] der(b.x) = 1
         [activeState(c)] der(c.x) = 1
         activeState(a) = pre(activeState(a)) and not (time > 3 or a.x > 1)
         activeState(b) = pre(activeState(b)) or pre(activeState(a)) and not time > 3 and a.x > 1
         activeState(c) = pre(activeState(c)) or pre(activeState(a)) and time > 3
         invariant (activeState(a) or activeState(b) or activeState(c)) and not (activeState(a) and activeState(b)) and not (activeState(a) and activeState(c)) and not (activeState(b) and activeState(c))",
    );
}

#[test]
fn connections_to_states_have_no_dummy_equations() {
    let source = format!(
        "{PARTS} model E Pin p; end E;
         model M A a; B b; E e, f; equation initialState(a); transition(a, b, a.x > 1);
         connect(e.p, a.p); connect(e.p, b.p); connect(e.p, f.p); end M;"
    );
    let model = flat(&source);
    let lines = support::equations(&model);
    for expected in [
        "e.p.v = f.p.v",
        "[activeState(a)] e.p.v = a.p.v",
        "[activeState(b)] e.p.v = b.p.v",
        "e.p.i + f.p.i + (if activeState(a) then a.p.i else 0) + (if activeState(b) then b.p.i else 0) = 0",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected} is missing in\n{}", lines.join("\n"));
    }
}

#[test]
fn states_of_one_machine_are_never_connected_with_each_other() {
    let source = format!(
        "{PARTS} model M A a; B b; equation initialState(a); transition(a, b, a.x > 1); connect(a.p, b.p); end M;"
    );
    let lines = support::equations(&flat(&source));
    let about_pins: Vec<&String> = lines.iter().filter(|line| line.contains("a.p") && line.contains("b.p")).collect();
    let sum = "[activeState(a) or activeState(b)] (if activeState(a) then a.p.i else 0) + (if activeState(b) then b.p.i else 0) = 0";
    assert_eq!(about_pins, [sum]);
}

#[test]
fn states_of_two_machines_are_connected_where_both_exist() {
    let source = format!(
        "{PARTS} model M A a, c; B b, d; equation initialState(a); transition(a, b, a.x > 1);
         initialState(c); transition(c, d, c.x > 1); connect(a.p, c.p); connect(a.p, b.p); connect(a.p, d.p); end M;"
    );
    let lines = support::equations(&flat(&source));
    for expected in [
        "[activeState(c) and activeState(a)] a.p.v = c.p.v",
        "[activeState(b) and activeState(c)] c.p.v = b.p.v",
        "[activeState(d) and activeState(a)] a.p.v = d.p.v",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected} is missing in\n{}", lines.join("\n"));
    }
    assert!(!lines.iter().any(|line| line.ends_with("a.p.v = b.p.v")), "{}", lines.join("\n"));
}

#[test]
fn a_state_is_connected_with_its_own_inside_and_arrays_are_one_by_one() {
    let source = format!(
        "{PARTS} model P Pin p; A a; equation connect(p, a.p); end P;
         model M P s[2]; B b[2]; Pin q[2]; equation for k in 1:2 loop initialState(s[k]); transition(s[k], b[k], s[k].a.x > 1);
         connect(s[k].p, q[k]); connect(b[k].p, q[k]); end for; end M;"
    );
    let lines = support::equations(&flat(&source));
    for expected in [
        "[activeState(s[2])] s[2].p.v = s[2].a.p.v",
        "[activeState(s[2])] -s[2].p.i + s[2].a.p.i = 0",
        "[activeState(s[2])] q[2].v = s[2].p.v",
        "-q[2].i + (if activeState(s[2]) then s[2].p.i else 0) + (if activeState(b[2]) then b[2].p.i else 0) = 0",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected} is missing in\n{}", lines.join("\n"));
    }
}

#[test]
fn parameters_of_states_exist_always() {
    let model = flat(
        "model S parameter Real k = 2; Real x; equation x = k; end S; model M S a; equation initialState(a); end M;",
    );
    let guard = |name: &str| {
        let variable = model.variables.iter().find(|it| &*it.name == name).expect("a variable");
        support::text(&model, variable.guard)
    };
    assert_eq!((guard("a.k"), guard("a.x")), ("true".to_string(), "activeState(a)".to_string()));
}

#[test]
fn wrong_machines_are_refused_where_they_are_written() {
    let two = "model S Real x; equation der(x) = 1; end S; model M S a, b;";
    check_errors(
        &format!("{two}\n equation transition(a, b, a.x > 1); end M;"),
        "E0405 2:11 the machine of the states `a`, `b` has no initial state; add `initialState(…)` for one of `a`, `b`",
    );
    check_errors(
        &format!("{two}\n equation initialState(a); initialState(b);\n transition(a, b, a.x > 1); end M;"),
        "E0405 2:28 2:11 the machine of the states `a`, `b` has several initial states; keep the one in which the machine begins",
    );
    check_errors(
        &format!("{two} Real y;\n equation initialState(a);\n transition(a, y, a.x > 1); y = 1; end M;"),
        "E0406 3:16 a state is a component, but this is a variable; name a component; one of an empty class will do: `block Idle end Idle; Idle idle;`",
    );
    check_errors(
        &format!("{two} Boolean c;\n equation initialState(a);\n c = activeState(b); end M;"),
        "E0406 3:18 `b` is no state of a machine; a state is named by `initialState` or `transition`",
    );
    check_errors(
        &format!("{two}\n equation initialState(a);\n transition(a, b, a.x > 1); transition(a, a, a.x > 2); end M;"),
        "E0407 3:29 3:2 two transitions leave `a` with priority 1, and both conditions may hold; give one of them another `priority`: the smallest number comes first",
    );
    check_errors(
        &format!("{two}\n equation initialState(a);\n transition(a, b, ticksInState() > 1); end M;"),
        "E0408 3:19 `ticksInState()` counts ticks of a clock, and there is none here; use `timeInState()`, the time since the state was entered",
    );
    check_errors(
        &format!("{two} Real t;\n equation initialState(a);\n t = timeInState(); end M;"),
        "E0408 3:6 `timeInState()` is in no state; it stands in the condition of a `transition`, or in the equations of a state",
    );
    check_errors(
        &format!("{two}\n equation initialState(a);\n transition(a, b, a.x > 1, sync = true); end M;"),
        "E0307 3:28 `transition` has no argument `sync`; it has `from`, `to`, `condition`, `immediate`, `reset`, `synchronize`, `priority`",
    );
    check_errors(
        &format!("{two}\n equation initialState(a);\n transition(a, b, a.x > 1, priority = 0); end M;"),
        "E0307 3:2 a priority is 1 or more, not 0; the smallest number comes first: count from 1",
    );
    check_errors(
        &format!("{two}\n equation initialState(a);\n if time > 1 then transition(a, b, a.x > 1); end if; end M;"),
        "E0402 3:5 the condition of an `if` around `transition` must be known at translation; write it into the condition of the transition: `transition(a, b, time > 1 and …)`",
    );
}

#[test]
fn conditions_that_exclude_each_other_may_have_the_same_priority() {
    let model = |one: &str, other: &str| {
        let text = format!(
            "model S Real x; equation der(x) = 1; end S;
             model M parameter Real k = 2; S a, b, c; equation initialState(a);
             transition(a, b, {one}); transition(a, c, {other}); end M;"
        );
        try_flat(&text, &[]).is_ok()
    };
    for (one, other) in [
        ("a.x > 1", "a.x <= 1"),
        ("a.x > 1", "a.x < -1"),
        ("a.x > k", "a.x < -k"),
        ("a.x > 1", "not a.x > 1"),
        ("a.x > 2 or a.x < -2", "a.x > -1 and a.x < 1"),
        ("time > a.x", "time < a.x"),
    ] {
        assert!(model(one, other), "{one} excludes {other}");
    }
    for (one, other) in
        [("a.x > 1", "a.x > 2"), ("a.x > -1", "a.x < 1"), ("a.x > 1", "time > 1"), ("a.x > -k", "a.x < k")]
    {
        assert!(!model(one, other), "{one} does not exclude {other}");
    }
}

#[test]
fn what_is_suspicious_is_warned_of() {
    use modeshift_diagnostics::Diagnostics;
    use modeshift_flatten::{Library, Memory, Request, flatten};
    let codes = |text: &str| {
        let mut diagnostics = Diagnostics::new();
        let mut library = Library::new(Memory::new(), Vec::new());
        library.add_text("test.mo", text, &mut diagnostics);
        let _ = flatten(&mut library, &Request::default(), &mut diagnostics);
        diagnostics.iter().map(|it| it.code.as_str().to_string()).collect::<Vec<_>>()
    };
    let states = "model S Real x(start = 0); equation der(x) = 1; end S; model M S a, b, c; Real T = sin(time); equation initialState(a);";
    assert_eq!(codes(&format!("{states} transition(a, b, a.x > 1); transition(c, a, c.x > 1); end M;")), ["W0405"]);
    let circle = "transition(a, b, T > 0.5); transition(b, c, time > 2); transition(c, a, T < 0.7);";
    assert_eq!(codes(&format!("{states} {circle} end M;")), ["W0406"]);
    // A delayed transition waits for the next step of the instant, not for time to pass.
    let delayed = circle.replace("T < 0.7", "T < 0.7, immediate = false");
    assert_eq!(codes(&format!("{states} {delayed} end M;")), ["W0406"]);
    for advice in ["T < 0.7 and timeInState() > 0.1", "T < 0.5"] {
        let advised = circle.replace("T < 0.7", advice);
        assert!(codes(&format!("{states} {advised} end M;")).is_empty(), "{advice}");
    }
    let thermostat = "transition(a, b, T > 0.5); transition(b, c, T < 0.2); transition(c, a, c.x > 1);";
    assert!(codes(&format!("{states} {thermostat} end M;")).is_empty());
}

#[test]
fn every_element_of_the_library_is_there_without_a_path() {
    let model = flat("model M Modeshift.Electrical.Resistor r(R = 3); end M;");
    assert!(model.variables.iter().any(|variable| &*variable.name == "r.R"));
    assert_eq!(flat_with("model M Modeshift.Electrical.IdealDiode d; end M;", &[]).machines.len(), 1);
}

#[test]
fn conditions_read_what_exists_while_their_state_is_active() {
    let model = |condition: &str| {
        format!(
            "model S Real x; equation der(x) = 1; end S; model T S i, j; Real y; equation y = 1; initialState(i); transition(i, j, true); end T;
             model M S a, b; T c; S d, e; equation initialState(a); transition(b, c, true); transition(c, a, true);
             initialState(d); transition(d, e, time > 1);
             transition(a, b, {condition}); end M;"
        )
    };
    let missing = |condition: &str| match try_flat(&model(condition), &[]) {
        Ok(_) => None,
        Err(messages) => Some(messages.join("; ")),
    };
    for condition in
        ["b.x > 1", "a.x > 1 and d.x > 1", "c.i.x > 1", "pre(b.x) > 1", "activeState(d) or d.x > 1", "c.y > 1"]
    {
        let said = missing(condition).unwrap_or_default();
        assert!(said.contains("E0602") && said.contains("is used where it does not exist"), "{condition}: {said}");
    }
    let known = [
        "a.x > 1",
        "activeState(d) and d.x > 1",
        "not activeState(d) or d.x > 1",
        "(if activeState(d) then d.x else e.x) > 1",
    ];
    for condition in known {
        assert_eq!(missing(condition), None, "{condition}");
    }
}

#[test]
fn an_inner_outer_output_of_a_state_has_no_value_of_its_own() {
    let model = |declared: &str| {
        format!(
            "model L outer output Real y; equation y = 1; end L;
             model N inner outer output Real y{declared}; L p, q; equation initialState(p); transition(p, q, time > 1); end N;
             model M inner Real y; N m; L r; equation initialState(m); transition(m, r, time > 2); end M;"
        )
    };
    for declared in ["", "(start = 2)"] {
        let model = flat(&model(declared));
        let variables: Vec<String> = model.variables.iter().map(|it| it.name.to_string()).collect();
        assert!(!variables.iter().any(|name| name == "m.y"), "{variables:?}");
    }
    let said = try_flat(&model(" = 3"), &[]).map(|_| ()).unwrap_err().join("; ");
    assert!(said.contains("`inner outer output y` of a state cannot be declared with a value"), "{said}");
}

#[test]
fn numbers_on_both_sides_of_a_bound_are_taken_together() {
    let model = |one: &str, other: &str| {
        format!(
            "model S end S; model M Real x; S a, b, c; equation der(x) = 1; initialState(a);
             transition(a, b, {one}); transition(a, c, {other}); end M;"
        )
    };
    let fits = |one: &str, other: &str| try_flat(&model(one, other), &[]).is_ok();
    for (one, other) in [("x - 1 > 0", "x < 1"), ("1 - x > 0", "x > 1"), ("x + 2 >= 3", "x < 1"), ("-x > 1", "x > -1")]
    {
        assert!(fits(one, other), "{one}, {other}");
    }
    for (one, other) in [("x - 1 > 0", "x < 1.5"), ("1 - x >= 0", "x >= 1"), ("-x > -1", "x > -1")] {
        assert!(!fits(one, other), "{one}, {other}");
    }
    let whole = "time > 1 and time < 2 or time > 3 and time < 4";
    assert!(fits(whole, &format!("not ({whole})")));
}

#[test]
fn conditions_make_events() {
    let model = |condition: &str| {
        format!(
            "function f input Real x; output Boolean y; algorithm y := x > 0.5; end f;
             function g input Real x; output Real y; algorithm y := 2*x; end g;
             model S end S; model M parameter Real p = 1; Integer n; S a, b; equation n = if time > 1 then 1 else 0;
             initialState(a); transition(a, b, {condition}); end M;"
        )
    };
    for condition in ["f(time)", "noEvent(time > 0.5)", "time > 2 and not f(time)"] {
        let said = try_flat(&model(condition), &[]).map(|_| ()).expect_err(condition).join("; ");
        assert!(said.contains("E0403") && said.contains("this condition makes no events"), "{condition}: {said}");
    }
    for condition in ["f(p) and time > 1", "g(time) > 1", "f(n)", "time > noEvent(2*time - 1)"] {
        assert!(try_flat(&model(condition), &[]).is_ok(), "{condition}");
    }
}
