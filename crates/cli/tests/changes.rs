//! The output of `changes` for the models of the papers, and what `check` says of mode changes.

use crate::support;
use expect_test::expect_file;
use support::{modeshift, modeshift_reading, root};

/// The whole text of `changes`, and that the picture and the graph can be made.
fn check_golden(model: &str) {
    let file = format!("models/{model}.mo");
    let outcome = modeshift(&["changes", &file]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    expect_file![root().join(format!("golden/{model}/changes.txt"))].assert_eq(&outcome.stdout);
    let svg = modeshift(&["changes", &file, "--format", "svg"]).stdout;
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    let dot = modeshift(&["changes", &file, "--format", "dot"]).stdout;
    assert!(dot.starts_with("digraph ") && dot.ends_with("}\n"));
}

#[test]
fn changes_of_the_models_of_the_papers() {
    // Clutch: E22 (42). Rope: E22 (55) and (61), elastic E22 §8.4.
    let models = ["ClutchBasic", "CupAndBall", "CupAndBallElastic", "DiodeCapacitor", "DiodeInductor", "RLDC2"];
    models.iter().chain(&["WaterTank", "BreakingShaft"]).for_each(|model| check_golden(model));
}

#[test]
fn json_has_the_documented_keys() {
    let report = modeshift(&["changes", "models/ClutchBasic.mo", "--to", "g=true", "--format", "json"]).json();
    let change = &report["changes"][0];
    assert_eq!(change["when"], "not pre(g) and g");
    assert_eq!(change["verdict"], "determined");
    assert_eq!(change["erased"], serde_json::json!(["e3"]));
    assert_eq!(change["impulse_orders"][0], serde_json::json!({"variable": "f1", "order": "1"}));
    assert_eq!(change["discontinuous"], serde_json::json!(["w1", "w2"]));
    assert_eq!(change["restart"][0]["level"], 1);
    assert!(change["restart"][0]["formula"]["w1"].is_string());
}

#[test]
fn the_difference_array_erases_the_same() {
    for model in ["ClutchBasic", "CupAndBall", "RLDC2", "WaterTank", "BreakingShaft"] {
        let file = format!("models/{model}.mo");
        let report = modeshift(&["changes", &file, "--method", "array", "--format", "json"]).json();
        let changes = report["changes"].as_array().expect("a list");
        assert!(!changes.is_empty() && changes.iter().all(|it| it["array"]["agrees"] == true), "{model}: {report}");
    }
}

#[test]
fn an_elastic_impact_without_a_law_is_underdetermined_at_its_transient_mode() {
    let file = "models/CupAndBallElasticWithoutLaw.mo";
    let outcome = modeshift(&["changes", file, "--format", "json"]);
    assert_eq!(outcome.status, 1);
    let report = outcome.json();
    let change = report["changes"].as_array().expect("a list").iter().find(|it| it["verdict"] == "underdetermined");
    let change = change.expect("an underdetermined change");
    assert_eq!(change["cascade"], serde_json::json!(["not gamma", "gamma", "not gamma"]));
    assert_eq!(change["undetermined"], serde_json::json!(["x'", "y'", "u", "v"]));
    let checked = modeshift(&["check", file]);
    assert_eq!(checked.status, 1);
    assert!(checked.stderr.contains("error[E0802]") && checked.stderr.contains("elastic"), "{}", checked.stderr);
    assert_eq!(modeshift(&["check", "models/CupAndBallElastic.mo"]).status, 0);
}

#[test]
fn wrong_modes_and_methods_are_wrong_usage() {
    assert_eq!(modeshift(&["changes", "models/ClutchBasic.mo", "--from", "h=true"]).status, 2);
    assert_eq!(modeshift(&["changes", "models/ClutchBasic.mo", "--from", "g"]).status, 2);
    assert_eq!(modeshift(&["changes", "models/ClutchBasic.mo", "--method", "magic"]).status, 2);
}

/// What a new equation gives a value of its own is no left limit for what reads it.
#[test]
fn right_limits_of_new_equations_enter_closed_forms() {
    let model = "model K Real x(start = 0, fixed = true), y, f; Boolean g;
        equation g = time >= 1; der(x) = f; y = if g then 5 else 2; 0 = if g then x - y else f; end K;";
    let outcome = modeshift_reading(model.as_bytes(), &["changes", "-"]);
    for line in ["  jump: x, y\n", "    x = y\n", "    weight of f = y - pre(x)\n"] {
        assert!(outcome.stdout.contains(line), "{line}: {}", outcome.stdout);
    }
    let model =
        "model K Real x(start = 0, fixed = true), y, z(start = 0, fixed = true), u(start = 0, fixed = true); Boolean g;
        equation g = time < 1; der(z) = u; der(u) = -der(der(x)); x + y = 0;
        if g then der(x) = 3; else der(y) = -1; end if; end K;";
    let outcome = modeshift_reading(model.as_bytes(), &["changes", "-"]);
    assert!(outcome.stdout.contains("u = der(y) + pre(der(x)) + pre(u)"), "{}", outcome.stdout);
}

/// Two impulses have no product, and what is made of it no formula.
#[test]
fn products_of_impulses_have_no_closed_form() {
    let model = "model P Real v(start = 1, fixed = true), w(start = 2, fixed = true), f, h, p, z(start = 0, fixed = true); Boolean g;
        equation g = time > 1; der(v) = -v + f; der(w) = -w + h; 0 = if g then v - w else f; f + h = 0; p = f*h; der(z) = f*h; end P;";
    let outcome = modeshift_reading(model.as_bytes(), &["changes", "-"]);
    assert!(outcome.stderr.contains("two impulses, has no value"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("[[p]] = 2"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("    z = ") && !outcome.stdout.contains("weight of p"), "{}", outcome.stdout);
}

/// A `reinit` is an assignment: what its value reads does not jump for it.
#[test]
fn a_reinit_sets_no_other_state_than_its_own() {
    let model = "model M Real z; Real w; Real f; Boolean g(start = false) = time > 1; equation
        der(z) = -z; der(w) = -w + f; f = if g then 1 else 0; when g then reinit(z, w); end when; end M;";
    let outcome = modeshift_reading(model.as_bytes(), &["changes", "-"]);
    let change = "not pre(g) and g: determined\n  jump: z, f\n  continuous: w\n";
    assert!(outcome.stdout.contains(change), "{}", outcome.stdout);
}

/// The slack `s` may be given by any equation of which it is a term, as in E22 (48), if it holds before the change.
#[test]
fn a_guard_makes_its_constraint_true_however_its_slack_is_written() {
    let orders = |before: &str, after: &str| {
        let model = format!(
            "model M Real x; Real v; Real f; Real s; Boolean g(start = false); equation g = (pre(s) <= 0);
               der(x) = v; der(v) = f - 1;
               if g then /* k: */ 0 = x; {after} else /* h: */ 0 = f; {before} end if; end M;"
        );
        let text = modeshift_reading(model.as_bytes(), &["changes", "-"]).stdout;
        text.lines().find(|line| line.contains("impulse orders")).map(|line| line.trim().to_string())
    };
    assert_eq!(orders("s = x;", "s = 1;").as_deref(), Some("impulse orders: [[f]] = 1"));
    assert_eq!(orders("0 = x - s;", "s = 1;").as_deref(), Some("impulse orders: [[f]] = 1"));
    let violated = "impulse orders: [[v]] = 1, [[f]] = 2";
    assert_eq!(orders("s = 1 - time;", "s = x;").as_deref(), Some(violated));
}

/// A row of elements of the library between a source and ground.
fn row(element: &str, count: usize) -> String {
    format!(
        "model M import Modeshift.Electrical.*; ConstantVoltage s(V = 10); Ground g; Resistor r; {element} c[{count}];
         equation connect(s.n, g.p); connect(s.p, r.p); connect(r.n, c[1].p); connect(c[{count}].n, g.p);
         for k in 1:{last} loop connect(c[k].n, c[k + 1].p); end for; end M;",
        last = count - 1
    )
}

#[test]
fn changes_of_a_row_are_no_products_of_states() {
    for element in ["BreakingInductor", "BreakingCapacitor"] {
        // Of 2^20 states; one way for each would take ten times as many nodes.
        let check = ["check", "-", "--node-limit", "2000000"];
        let outcome = modeshift_reading(row(element, 20).as_bytes(), &check);
        assert!(outcome.status == 0 && outcome.stdout.contains("all well"), "{} {}", outcome.stdout, outcome.stderr);
    }
}

#[test]
fn a_change_is_one_that_a_transition_makes() {
    let model = row("BreakingCapacitor", 2);
    let back = ["changes", "-", "--from", "activeState(c[1].broken)=true", "--to", "activeState(c[1].intact)=true"];
    let outcome = modeshift_reading(model.as_bytes(), &back);
    assert!(outcome.status != 0 && outcome.stderr.contains("no regular modes with these values"), "{}", outcome.stderr);
}

/// The edges of the mode graph of a model, by the names of modes.
fn edges(model: &str) -> Vec<String> {
    let outcome = modeshift_reading(model.as_bytes(), &["changes", "-", "--format", "dot"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let label = |line: &str| line.split("label=\"").nth(1).and_then(|it| it.split('"').next()).map(str::to_string);
    let nodes: std::collections::BTreeMap<&str, String> = outcome
        .stdout
        .lines()
        .filter(|line| line.trim_start().starts_with('m') && !line.contains("->"))
        .filter_map(|line| Some((line.split_whitespace().next()?, label(line)?)))
        .collect();
    let arrows = outcome.stdout.lines().filter_map(|line| line.trim().split_once(" -> "));
    let ends = arrows.filter_map(|(from, rest)| Some((from, rest.split_whitespace().next()?.trim_end_matches(';'))));
    let mut edges: Vec<String> = ends.map(|(from, to)| format!("{} -> {}", nodes[from], nodes[to])).collect();
    edges.sort();
    edges
}

#[test]
fn the_mode_graph_of_a_machine_has_its_transitions_for_edges() {
    let row = "model S end S;
        model M S a, b, c; Real x(start = 0, fixed = true); equation initialState(a); transition(a, b, time > 1);
        transition(b, c, time > 2); der(x) = if activeState(b) then 1 else 0; end M;";
    assert_eq!(edges(row), ["a -> b", "b -> c"]);
    let text = modeshift_reading(row.as_bytes(), &["changes", "-"]).stdout;
    assert!(text.contains("a -> b or b -> c\n"), "{text}");
    // Inside a state that is left when they are done, and entered with and without reset.
    let nested = |reset: bool| {
        format!(
            "model Leaf parameter Real r = 1; outer output Real h; equation der(h) = r; end Leaf;
             model Sub outer output Real h; Leaf up(r = 1), down(r = -1), fin(r = 0);
             equation initialState(up); transition(up, down, h > 1); transition(down, fin, h < 0.5); end Sub;
             model Top inner Real h(start = 0, fixed = true); Sub s; Leaf idle(r = 0.25);
             equation initialState(s); transition(s, idle, true, synchronize = true);
             transition(idle, s, timeInState() > 1, reset = {reset}); end Top;"
        )
    };
    let inside = ["s, s.down -> s, s.fin", "s, s.fin -> idle", "s, s.up -> s, s.down"];
    let mut expected: Vec<&str> = inside.into_iter().chain(["idle -> s, s.up"]).collect();
    expected.sort_unstable();
    assert_eq!(edges(&nested(true)), expected);
    expected.extend(["idle -> s, s.down", "idle -> s, s.fin"]);
    expected.sort_unstable();
    assert_eq!(edges(&nested(false)), expected);
}

#[test]
fn switches_that_follow_one_signal_are_never_closed_together() {
    let model = "model M extends Modeshift.Examples.HBridge; end M;";
    let outcome = modeshift_reading(model.as_bytes(), &["check", "-"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(outcome.stdout.contains("2 modes"), "{}", outcome.stdout);
    // Of two signals, they may be.
    let model = "model M extends Modeshift.Examples.HBridge(c(closes = time > 0.02)); end M;";
    let outcome = modeshift_reading(model.as_bytes(), &["check", "-"]);
    assert!(outcome.stderr.contains("E0605"), "{} {}", outcome.stdout, outcome.stderr);
}

#[test]
fn runs_and_checks_refuse_what_does_not_exist_with_the_same_words() {
    let model = "model M import Modeshift.Electrical.*; ConstantVoltage V(V = 10); Resistor R(R = 1); Capacitor C1(C = 1, v(start = 0, fixed = true));
        Resistor r(R = 2); Ground g; Real y; equation initialState(C1); transition(C1, r, C1.v > 5); y = C1.v + 1;
        connect(V.p, R.p); connect(R.n, C1.p); connect(R.n, r.p); connect(C1.n, g.p); connect(r.n, g.p); connect(V.n, g.p); end M;";
    for command in [["check", "-"], ["simulate", "-"]] {
        let outcome = modeshift_reading(model.as_bytes(), &command);
        assert_eq!(outcome.status, 1, "{command:?}");
        assert!(outcome.stderr.contains("error[E0602]: `C1.v` is used where it does not exist"), "{}", outcome.stderr);
    }
}

/// What begins where it is connected makes nothing jump; what begins with a charge of its own does.
#[test]
fn a_state_without_a_start_value_begins_where_it_is_connected() {
    let model = |start: &str| {
        format!(
            "model M import Modeshift.Electrical.*;
               ConstantVoltage s; Ground g; Inductor f; Inductor c0; Capacitor c1{start}; Capacitor b;
             equation connect(s.n, g.p); connect(s.p, f.p); initialState(c0); transition(c0, c1, time > 4);
               connect(f.n, c0.p); connect(c0.n, g.p); connect(f.n, c1.p); connect(c1.n, g.p); connect(f.n, b.p); connect(b.n, g.p);
             end M;"
        )
    };
    let jumps = |start: &str| -> Vec<String> {
        let report = modeshift_reading(model(start).as_bytes(), &["changes", "-", "--format", "json"]).json();
        let jumping = report["changes"][0]["discontinuous"].as_array().expect("a list");
        jumping.iter().filter_map(|it| it.as_str()).map(String::from).collect()
    };
    let begun = jumps("");
    assert!(begun.contains(&"b.i".to_string()) && !begun.iter().any(|it| it.ends_with(".v")), "{begun:?}");
    assert!(jumps("(v(start = 0, fixed = true))").contains(&"b.v".to_string()));
}

#[test]
fn changes_between_eight_modes_are_a_matrix() {
    let text =
        b"model M input Boolean b[3]; Real x[3](each start = 1, each fixed = true), f[3]; equation for k in 1:3 loop
        der(x[k]) = -f[k]; if b[k] then x[k] = 0; else f[k] = x[k]; end if; end for; end M;";
    let svg = support::modeshift_reading(text, &["changes", "-", "--format", "svg"]).stdout;
    let cells = svg.matches(r#"width="30" height="30""#).count();
    assert!(cells > 64 && svg.contains("erases") && svg.contains("jump"), "{svg}");
}
