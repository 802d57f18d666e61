//! The output of `semantics` for the models of the papers.

use expect_test::{expect, expect_file};
use serde_json::Value;

use crate::support::{modeshift, modeshift_reading, root, temporary};

/// The whole text of `semantics`, and that the picture and the graph can be made.
fn check_golden(model: &str, status: i32) {
    let file = format!("models/{model}.mo");
    let outcome = modeshift(&["semantics", &file]);
    assert_eq!(outcome.status, status, "{}", outcome.stderr);
    expect_file![root().join(format!("golden/{model}/semantics.txt"))].assert_eq(&outcome.stdout);
    let svg = modeshift(&["semantics", &file, "--format", "svg"]).stdout;
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    let dot = modeshift(&["semantics", &file, "--format", "dot"]).stdout;
    assert!(dot.starts_with("digraph ") && dot.ends_with("}\n"));
}

#[test]
fn semantics_of_the_models_of_the_papers() {
    let models =
        ["ClutchBasic", "CupAndBall", "CupAndBallElastic", "DiodeCapacitor", "WaterTank", "BreakingShaft", "RLDC2"];
    models.iter().for_each(|model| check_golden(model, 0));
    check_golden("CupAndBallElasticWithoutLaw", 1);
}

#[test]
fn one_run_step_by_step() {
    let outcome = modeshift(&["semantics", "models/ClutchBasic.mo", "--run", "2"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    expect![[r#"
        ClutchBasic

        run 2, impulsive, from ∅
          guard     g
                    g w1 w2
          shift     FS(e3)
                    g w1 w2 e̅3̅
          block     e1+e2+e3•+e4
                    g w1 w1• w2 w2• f1 f2 e1 e2 e̅3̅ e3• e4
          tick      {e3}
    "#]]
    .assert_eq(&outcome.stdout);
}

/// RR8933 (22)–(24): the series of what a reset computes, and the dominant terms of its equations.
#[test]
fn dominant_terms_of_the_clutch_are_those_of_the_paper() {
    let report = modeshift(&["semantics", "models/ClutchBasic.mo", "--format", "json"]).json();
    let change = report["changes"].as_array().expect("a list").iter().find(|it| it["to"] == "g").expect("it engages");
    let list = |key: &str| -> Vec<String> {
        let list = change[key].as_array().expect("a list").iter();
        list.map(|it| it.as_str().expect("a text").to_string()).collect()
    };
    assert_eq!(
        list("series"),
        [
            "w1• = w1_0 + w1_1 ∂ + …",
            "w2• = w2_0 + w2_1 ∂ + …",
            "f1 = ∂^-1 (f1_0 + f1_1 ∂ + …)",
            "f2 = ∂^-1 (f2_0 + f2_1 ∂ + …)"
        ]
    );
    assert_eq!(
        list("dominant"),
        [
            "e1: j1*(w1_0 - pre(w1)) - f1_0 = 0",
            "e2: j2*(w2_0 - pre(w2)) - f2_0 = 0",
            "e3•: 0 = w1_0 - w2_0",
            "e4: f1_0 + f2_0 = 0"
        ]
    );
}

/// The closed forms beside the reset of the clutch, with the numbers of the model when it engages.
#[test]
fn formulas_of_the_clutch_give_the_numbers_of_the_run() {
    let report = modeshift(&["semantics", "models/ClutchBasic.mo", "--format", "json"]).json();
    let change = report["changes"].as_array().expect("a list").iter().find(|it| it["to"] == "g").expect("it engages");
    assert_eq!(change["formula"]["w1"], "(j1*pre(w1) + j2*pre(w2))/(j2 + j1)");
    assert_eq!(change["weight"]["f1"], "j1/(j2 + j1)*(j1*pre(w1) + j2*pre(w2)) - j1*pre(w1)");
    assert_eq!(change["impulse_orders"][0]["order"], "1");
    let (j1, j2) = (1.0, 2.0);
    let (w1, w2) = ((-0.01_f64 * 5.0).exp(), 1.5 * (-0.00625_f64 * 5.0).exp());
    let after = (j1 * w1 + j2 * w2) / (j2 + j1);
    let weight = j1 / (j2 + j1) * (j1 * w1 + j2 * w2) - j1 * w1;
    let rounded = [w1, w2, after, weight].map(|value| format!("{value:.6}"));
    assert_eq!(rounded, ["0.951229", "1.453850", "1.286310", "0.335080"]);
}

/// RR8933 Fig. 1: engaged from 5 to 10 s. The run resets to (13), with the impulse whose weight (24) has, and the second
/// change is continuous, as the semantics says of both.
#[test]
fn a_run_of_the_clutch_does_what_the_semantics_says() {
    let [results, log] = ["figure_1.csv", "figure_1.json"].map(temporary);
    let [results, log] = [&results, &log].map(|path| path.to_str().expect("a path of the tests"));
    let run = ["simulate", "models/ClutchBasic.mo", "--set", "t2=10", "--stop", "15", "--tolerance", "1e-10"];
    let outcome = modeshift(&[&run[..], &["-o", results, "--events", log]].concat());
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let events: Value = serde_json::from_slice(&std::fs::read(log).expect("was written")).expect("JSON");
    let number = |value: &Value| format!("{:.6}", value.as_f64().expect("a number"));
    let jump = |event: usize, at: usize| {
        let jump = &events[event]["jumps"][at];
        (jump["variable"].as_str().expect("a name").to_string(), number(&jump["left"]), number(&jump["right"]))
    };
    assert_eq!((number(&events[0]["time"]), number(&events[1]["time"])), ("5.000000".into(), "10.000000".into()));
    assert_eq!(jump(0, 0), ("w1".into(), "0.951229".into(), "1.286310".into()));
    assert_eq!(jump(0, 1), ("w2".into(), "1.453850".into(), "1.286310".into()));
    assert_eq!(events[0]["impulses"][0]["variable"], "f1");
    assert_eq!(number(&events[0]["impulses"][0]["weight"]), "0.335080");
    // The second change: torques go to zero, velocities go on.
    let jumps = events[1]["jumps"].as_array().expect("a list").iter();
    assert_eq!(jumps.map(|it| it["variable"].clone()).collect::<Vec<_>>(), ["f1", "f2"]);
    assert_eq!(events[1]["impulses"], Value::Array(Vec::new()));
    let report = modeshift(&["semantics", "models/ClutchBasic.mo", "--format", "json"]).json();
    let classes: Vec<&Value> = report["runs"].as_array().expect("a list").iter().map(|run| &run["class"]).collect();
    assert_eq!(classes, ["continuous", "impulsive", "discrete", "continuous"]);
    let releases = &report["changes"][1];
    assert_eq!(
        (&releases["impulse_orders"], &releases["erased"]),
        (&Value::Array(Vec::new()), &Value::Array(Vec::new()))
    );
}

/// Execution Scheme 3.
#[test]
fn a_start_of_the_engaged_clutch_has_one_degree_of_freedom() {
    let outcome = modeshift(&["semantics", "models/ClutchBasic.mo"]);
    let line = "g: DAE e1+e2+e3'+e4 with e3; a start has 5 equations, 6 unknowns, 1 degree of freedom";
    assert!(outcome.stdout.lines().any(|it| it.trim() == line), "{}", outcome.stdout);
}

#[test]
fn changes_that_are_not_listed_are_counted() {
    let outcome = modeshift(&["semantics", "models/ClutchChain.mo", "--set", "N=4"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let listed = outcome.stdout.lines().filter(|line| line.starts_with("change from ")).count();
    let all = outcome.stdout.lines().find(|line| line.contains("changes are listed")).expect("a line that says so");
    assert_eq!(
        (listed, all),
        (30, "30 of 56 changes are listed: `--from` and `--to` with values of guards pick others")
    );
}

#[test]
fn guards_can_be_given_values() {
    let outcome = modeshift(&["semantics", "models/WaterTank.mo", "--at", "bl=false"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(outcome.stdout.starts_with("WaterTank at bl=false: 2 contexts, 4 runs\n"), "{}", outcome.stdout);
}

#[test]
fn what_is_not_among_the_runs_is_named() {
    let text = "model B Real h; Real v; equation der(h) = v; der(v) = -9.81;
      when sample(0, 1) then reinit(v, -0.8*pre(v)); end when; end B;";
    let outcome = modeshift_reading(text.as_bytes(), &["semantics", "-"]);
    let named = "\nnot among the runs\n  when sample(0, 1): the condition is a single instant, or one guard too many\n";
    assert!(outcome.stdout.contains(named), "{}", outcome.stdout);
}

#[test]
fn choices_of_the_clutch_lead_to_the_same() {
    let outcome = modeshift(&["semantics", "models/ClutchBasic.mo", "--all-choices"]);
    assert!(outcome.stdout.ends_with("\nchoices\n  every choice leads to the same\n"), "{}", outcome.stdout);
}

#[test]
fn a_change_that_loops_for_ever_is_rejected_with_its_cycle() {
    let text = "model M Real x; Real y; Boolean g = time > 1; equation /* p: */ der(x) = -x;
      if g then /* q: */ x = 0; else /* r: */ y = 0; end if; end M;";
    let outcome = modeshift_reading(text.as_bytes(), &["semantics", "-"]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.stderr.contains("E0605") && outcome.stderr.contains("E0842"), "{}", outcome.stderr);
    let cycle = "
rejected: loops for ever
  ∅ -> {q•}: p; g; FS(q); FS(q•); q•2; Tick
  {q•} -> {p, q}: g; PR(q•); FS(p); p•; FS(q); Tick
  {p, q} -> ∅: PR(p); g; PR(q); Tick
";
    assert!(outcome.stdout.contains(cycle), "{}", outcome.stdout);
}

/// The change into a mode, as JSON.
pub(crate) fn change_to(text: &str, to: &str) -> Value {
    let report = modeshift_reading(text.as_bytes(), &["semantics", "-", "--format", "json"]).json();
    let changes = report["changes"].as_array().expect("a list").clone();
    changes.into_iter().find(|it| it["to"] == to).expect("such a change")
}

/// A clutch and one more equation, in which its torque is not linear.
fn clutch_with(declaration: &str, equation: &str) -> String {
    format!(
        "model M Boolean g = time > 1; Real w1; Real w2; Real f; {declaration} equation
           /* e1: */ der(w1) = f; /* e2: */ der(w2) = -f; /* e3: */ 0 = if g then w1 - w2 else f;
           /* new: */ {equation}; end M;"
    )
}

#[test]
fn resets_behind_powers_of_impulses_are_no_numbers() {
    let change = change_to(&clutch_with("Real z;", "der(z) = f*f"), "g");
    assert_eq!(change["impulse_orders"][1], serde_json::json!({"variable": "z", "order": "1"}));
    assert!(change["formula"]["w1"].is_string(), "what is linear has its closed form: {change}");
    assert_eq!(change["formula"]["z"], Value::Null);
    let change = change_to(&clutch_with("Real p;", "p = sin(f)"), "g");
    assert_eq!(change["unclear"]["p"], "in new, f is infinite inside `sin`");
    assert_eq!((&change["formula"]["p"], &change["weight"]["p"]), (&Value::Null, &Value::Null));
}

/// The states of the mode before are known, and RR8933 keeps them: `p` jumps to `w`. `changes` remembers `p`.
#[test]
fn a_reset_is_that_of_the_runs_and_what_changes_says_instead_has_its_reason() {
    let text =
        "model M Real a; Real b; Real c; Real w; Real p; Real v; Real y0; Real y1; Boolean g = time < 1; equation
        /* ea: */ der(a) = b; /* eb: */ der(b) = c; /* ec: */ der(c) = y0; /* ew: */ der(w) = y1;
        /* ep: */ der(p) = v; /* ev: */ der(v) = -p;
        /* c0: */ 0 = if g then a - w else y0; /* c1: */ 0 = if g then y1 - 1 else w - p; end M;";
    let change = change_to(text, "not g");
    assert_eq!((&change["class"], &change["impulse_orders"]), (&"discrete".into(), &Value::Array(Vec::new())));
    assert_eq!(change["restart"][0], "p from c1•2 in instant 1");
    assert_eq!(change["formula"], Value::Null);
    let differs = change["differs"].as_array().expect("a list");
    assert_eq!(differs[0], "`changes` differs: determined, erased: c1, impulses: [y1] = 1, jumps: w");
    assert_eq!(differs[1], "because it remembers of the past what the new mode needs, RR8933 all that was computed");
    assert_eq!(differs[2], "there w = pre(p)");
}

/// Two levels: positions jump, velocities have an impulse and restart an instant later.
#[test]
fn states_with_an_impulse_restart() {
    let text = "model M Boolean g = time > 1; Real x1; Real x2; Real w1; Real w2; Real tau; equation
        /* k1: */ der(x1) = w1; /* k2: */ der(x2) = w2; /* d1: */ der(w1) = tau; /* d2: */ 2*der(w2) = -tau;
        /* c: */ 0 = if g then x1 - x2 else tau; end M;";
    let change = change_to(text, "g");
    assert_eq!(change["finite"], serde_json::json!(["w1", "w2"]));
    let block = "k1•+k2•+d1+d2+c•2";
    let lines = [format!("x1, x2 from {block} in instant 1"), format!("x1', x2', w1, w2 from {block} in instant 2")];
    assert_eq!(change["restart"], serde_json::json!(lines));
}

/// As many dominant equations as first coefficients, also where several blocks and laws give them.
#[test]
fn dominant_terms_are_closed() {
    let blocks = "model M Boolean h = time > 3; Real x; Real v; Real f; equation
        /* kin: */ der(x) = v; /* dyn: */ der(v) = f - 1; /* con: */ 0 = if h then v else f; end M;";
    assert_eq!(change_to(blocks, "h")["dominant"], serde_json::json!(["con•: 0 = v_0", "dyn: v_0 - pre(v) - f_0 = 0"]));
    let law = "model M Boolean g(start = false) = time > 1; Real w; Real f; equation
        /* e1: */ der(w) = f; /* e2: */ 0 = if g then f - w else f - 1; when g then w = 2*pre(w); end when; end M;";
    let change = change_to(law, "g");
    assert_eq!(change["end"], "continuous", "{change}");
}

#[test]
fn runs_that_fail_are_told_with_the_lines_of_the_algorithm() {
    let text = "model M Real x; Real u; Boolean g = time > 1; equation
        /* a: */ u = time; /* b: */ 0 = if g then der(x) + x else x - u; end M;";
    let outcome = modeshift_reading(text.as_bytes(), &["semantics", "-"]);
    for line in outcome.stdout.lines().filter(|line| line.contains(" failed: ")) {
        assert!(outcome.stdout.contains(&format!("{line}\n    ")), "{}", outcome.stdout);
    }
    let outcome = modeshift(&["semantics", "models/CupAndBallElasticWithoutLaw.mo"]);
    assert!(outcome.stdout.contains("no equation is latent (lines 16–17 of Algorithm 5)"), "{}", outcome.stdout);
    let change = modeshift(&["semantics", "models/CupAndBallElasticWithoutLaw.mo", "--format", "json"]).json();
    let failed = &change["changes"][0];
    assert_eq!((&failed["end"], &failed["series"], &failed["formula"]), (&"failed".into(), &Value::Null, &Value::Null));
}

#[test]
fn choices_of_one_run_are_those_of_its_instant() {
    let outcome = modeshift(&["semantics", "models/RLDC2.mo", "--run", "4", "--all-choices"]);
    assert!(outcome.stdout.starts_with("RLDC2\n\nrun 4, "), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("\nchoices\n"), "{}", outcome.stdout);
}

/// Arrows are told apart by number, guards and what gives way; the caption has all steps.
#[test]
fn the_picture_tells_runs_apart() {
    let svg = modeshift(&["semantics", "models/WaterTank.mo", "--format", "svg"]).stdout;
    for text in [
        "2: not bh, bl; FS(el2)<",
        "4: not bh, not bl<",
        "2: e1; not pre(bh); eh1; eh2; pre(bl); FS(el2); el2•; e2; el1; Tick<",
    ] {
        assert!(svg.contains(&format!(">{text}")), "{text}");
    }
}

/// A mass that is stopped, with a guard on the left limit of something.
fn stopped_mass(guard: &str) -> String {
    format!(
        "model M Real x; Real v; Real f; Real s; Boolean g(start = false); equation g = {guard};
           /* ex: */ der(x) = v; /* ev: */ der(v) = f - 1; /* k: */ 0 = if g then x else f; /* ks: */ s = x; end M;"
    )
}

/// Where `s <= 0` becomes true `s` is zero, and so is `x`: the position does not jump, and the force has order 1. A guard that
/// looks at something else says nothing of `x`.
#[test]
fn guards_on_left_limits_say_what_holds_before_a_change_and_no_more() {
    let orders = |guard: &str| {
        let change = change_to(&stopped_mass(guard), "g");
        let differs = change["differs"].as_array().cloned().unwrap_or_default();
        (change["impulse_orders"][0]["order"].clone(), differs)
    };
    let says =
        "guards say that k holds before the change, as `changes` knows; for another past there is what the runs have";
    assert_eq!(orders("pre(s) <= 0"), ("1".into(), vec![says.into()]));
    let unseen = [
        "`changes` differs: determined, erased: k, k', impulses: [f] = 2, [v] = 1, jumps: x",
        "because it does not see that guards say that k holds before the change",
    ];
    let (order, differs) = orders("2 < 2 - 3*pre(x)");
    assert_eq!((order, &differs[..2]), ("1".into(), &unseen.map(Value::from)[..]));
    assert_eq!(orders("pre(v) <= 0").0, "2");
    assert_eq!(orders("pre(s) <= 1").0, "2");
}

/// E22 (48): the guard of the rope is that of the instant before.
#[test]
fn the_cup_and_ball_with_the_guard_of_e22_has_tension_of_order_1() {
    let text = std::fs::read_to_string(root().join("models/CupAndBall.mo")).expect("the model");
    let change = change_to(&text.replace("gamma = (s <= 0)", "gamma = (pre(s) <= 0)"), "gamma");
    assert_eq!(change["erased"], serde_json::json!(["k1", "k1•"]));
    let orders: Vec<(&Value, &Value)> =
        change["impulse_orders"].as_array().expect("a list").iter().map(|it| (&it["variable"], &it["order"])).collect();
    assert_eq!(orders, [(&"lambda".into(), &"1".into()), (&"s".into(), &"1".into())], "{change}");
}

#[test]
fn the_instant_of_a_when_has_its_reset_equations() {
    let change =
        change_to(&std::fs::read_to_string(root().join("models/CupAndBallElastic.mo")).expect("the model"), "gamma");
    assert_eq!(change["end"], "transient");
    let lines = ["u from e1 in instant 1", "v from law(v = -alpha*pre(v)) in instant 1"];
    assert_eq!(change["restart"], serde_json::json!(lines));
}

/// One law for two states: for the runs one of them jumps, and its equation gives way; `changes` names both.
#[test]
fn what_changes_says_of_laws_is_compared() {
    let law = |law: &str| {
        format!(
            "model M Real a; Real b; Real f; Boolean g(start = false) = time > 1; equation
               /* ea: */ der(a) = -b; /* eb: */ der(b) = -a; /* k: */ f = if g then 1 else 2;
               when g then {law}; end when; end M;"
        )
    };
    let change = change_to(&law("a + 6*b = 3*pre(a)"), "g");
    assert_eq!(change["differs"][0], "`changes` differs: determined, erased: nothing, impulses: nothing, jumps: a, b");
    assert_eq!(change_to(&law("a = 3*pre(a)"), "g")["differs"], Value::Null);
    // A `reinit` gives a value to its state alone, here and in `changes`.
    let change = change_to(&law("reinit(a, b)"), "g");
    assert_eq!((&change["differs"], &change["restart"][0]), (&Value::Null, &"a from reinit(a, b) in instant 1".into()));
}

/// What a law says of a variable that cannot jump in differences, because its second derivative is written, has its reason.
#[test]
fn laws_for_variables_with_second_derivatives_are_explained() {
    let text = "model M Real x; Real f; Boolean g(start = false) = time > 1; equation
        /* ex: */ der(der(x)) = f; /* k: */ f = if g then 1 else 2; when g then x = 3; end when; end M;";
    let change = change_to(text, "g");
    assert_eq!(change["end"], "failed");
    let because = change["differs"][1].as_str().expect("a reason");
    assert!(
        because.starts_with("because the law speaks of a variable whose second derivative is written"),
        "{because}"
    );
}

/// Second derivatives are linear: where one is infinite, (24) has the next coefficients of the series, or the jump.
#[test]
fn second_derivatives_have_dominant_terms() {
    let velocity = "model M Real x; Real y; Real f; Boolean g = time > 1; equation
        /* ex: */ der(der(x)) = f; /* ey: */ y = 2*x; /* k: */ 0 = if g then der(y) - 1 else f; end M;";
    let dominant = change_to(velocity, "g")["dominant"].clone();
    assert!(dominant.to_string().contains("ex: x•2_1 - 2*pre(der(x)) - f_0 = 0"), "{dominant}");
    let position = "model M Real x; Real f; Boolean g = time > 1; equation
        /* ex: */ f = if g then der(der(x)) else der(x); /* k: */ 0 = if g then x - 1 else f - 1; end M;";
    let expected = [
        "k•: 0 = x•_0 - 1",
        "k•2: 0 = x•2_0 - 1",
        "ex: f_0 - (x•2_0 + pre(x) - 2*x•_0) = 0",
        "k•: x•_1 = 0",
        "k•2: x•2_1 = 0",
        "ex: f_1 - (x•2_1 - 2*x•_1) = 0",
    ];
    assert_eq!(change_to(position, "g")["dominant"], serde_json::json!(expected));
}

/// Two masses that are joined where a guard becomes true, and a clock.
fn joined(guard: &str, constraint: &str) -> Value {
    let text = format!(
        "model M Real x; Real z; Real y; Real f; Boolean g = {guard}; equation
           /* c: */ der(y) = 1; /* a: */ der(x) = -f; /* b: */ der(z) = f;
           if g then /* k: */ {constraint}; else /* n: */ f = 0; end if; end M;"
    );
    change_to(&text, "g")
}

/// Guards of other things, zeros that are only near, and factors of what is zero say nothing: there is an impulse.
#[test]
fn what_does_not_follow_from_a_guard_is_not_said_to_hold() {
    let cases = [
        ("y >= 1", "x = z"),
        ("time >= 0.5", "x = z"),
        ("time > 0.5", "x = 0.5"),
        ("time > 0.5", "x = y"),
        ("time > 0.5", "1e-7*x = 3e-7"),
        ("y > x", "x = 0.5"),
        ("x^2 >= 4", "x = 2"),
        ("(x - z)*(x - 2*z) > 0", "x = z"),
        ("x > 1", "x = 1.000001"),
        ("1e-9*x > 1e-9", "1e-9*x = 1.001e-9"),
        ("x > 1 or z > 1", "x = 1"),
        ("1/x > 0", "x = 0"),
    ];
    for (guard, constraint) in cases {
        let change = joined(guard, constraint);
        assert_eq!(change["class"], "impulsive", "{guard}, {constraint}: {change}");
        assert_eq!(change["impulse_orders"], serde_json::json!([{"variable": "f", "order": "1"}]));
        assert_eq!(change["differs"], Value::Null, "{guard}, {constraint}");
    }
}

/// Scales, thresholds and shifts of variables do not matter for what follows.
#[test]
fn what_follows_from_a_guard_is_said_to_hold_on_every_scale() {
    let cases = [
        ("x > z", "x = z"),
        ("x - z > 0", "2*z = 2*x"),
        ("1e-7*x > 1e-7*z", "3e8*x = 3e8*z"),
        ("x > 3", "1e-7*x = 3e-7"),
        ("0.1*x > 0.3", "x = 3"),
        ("x + 100 > 103", "x = 3"),
        ("x^2 - z^2 > 0", "7*(x - z)*(x + z) = 0"),
        ("x > 1 and 2*x > 2", "x = 1"),
    ];
    for (guard, constraint) in cases {
        let change = joined(guard, constraint);
        assert_eq!((&change["class"], &change["impulse_orders"]), (&"discrete".into(), &serde_json::json!([])));
        let said = change["differs"].to_string();
        assert!(said.contains("guards say that k holds before the change"), "{guard}, {constraint}: {said}");
    }
}

/// All orders of three equations, with the rest of a model in which `a0 - a1' + 3 a2` has no leading derivative.
fn orders_of(equations: [&str; 3], rest: &str) -> Vec<String> {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let text = |order: [usize; 3]| {
        let equations = order.map(|place| equations[place]).join(" ");
        format!("model M Real x0; Real x1; Real x2; {rest} Boolean g = time > 1; equation {equations} end M;")
    };
    orders.map(text).to_vec()
}

/// `a0 + 3 a2` says how fast `x2 + 3 x0` changes, without `x1`: no impulse moves it, and nothing makes `a1` hold where it did not
/// before. The combination says nothing of that instant, whether a derivative is lost with what it replaces or not.
#[test]
fn combinations_of_what_gives_way_are_refused_in_every_order() {
    let a0 = "/* a0: */ der(x2) + 3*x1 = 0;";
    let a1 = "if g then /* a1: */ x2 + 3*x0 = 0; else /* a3: */ x2 = 1; end if;";
    let a2 = "/* a2: */ der(x0) - x1 + x2 + 1 = 0;";
    let keeps = "/* a2: */ der(x0) - x1 + x2 + 1 = 0; /* zz: */ z = der(x0) + 5*der(x2);";
    for text in orders_of([a0, a1, a2], "").into_iter().chain(orders_of([a0, a1, keeps], "Real z;")) {
        let outcome = modeshift_reading(text.as_bytes(), &["semantics", "-"]);
        assert_eq!(outcome.status, 1, "{text}: {}", outcome.stdout);
        assert!(outcome.stderr.contains("E0843") && outcome.stdout.is_empty(), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(" a1 gives way"), "{}", outcome.stderr);
    }
}

/// What does not depend on the order of equations: what contexts know, and by mode what runs are.
fn shape(text: &str) -> (Vec<Value>, Vec<String>) {
    let report = modeshift_reading(text.as_bytes(), &["semantics", "-", "--format", "json"]).json();
    let list = |key: &str| report[key].as_array().expect("a list").clone();
    let mut known: Vec<Value> = list("contexts").iter().map(|it| it["knows"].clone()).collect();
    known.sort_by_key(Value::to_string);
    let erased = |run: &Value| run["erased"].as_array().expect("a list").len();
    let line = |run: &Value| format!("{} {} {} {}", run["when"], run["class"], erased(run), run["impulse_orders"]);
    let mut runs: Vec<String> = list("runs").iter().map(line).collect();
    runs.sort();
    (known, runs)
}

/// Where `a1` holds before and behind the change the combination is what it stands for, and Definition 4 asks for all derivatives
/// that the model writes: which equation was replaced does not matter.
#[test]
fn combinations_of_what_holds_are_the_same_in_every_order() {
    let equations = [
        "/* a0: */ der(x2) + 3*x1 = 0;",
        "/* a1: */ x2 + 3*x0 = 0;",
        "if g then /* a2: */ der(x0) - x1 + x2 + 1 = 0; else /* b2: */ x1 = time; end if;",
    ];
    let orders = orders_of(equations, "");
    let expected = shape(&orders[0]);
    assert_eq!(expected.0, [serde_json::json!(["x0", "x2"]), serde_json::json!(["x2"])]);
    let impulse = r#""g" "impulsive" 1 [{"variable":"x1","order":"1"}]"#;
    assert!(expected.1.iter().any(|it| it == impulse), "{:?}", expected.1);
    for text in &orders[1..] {
        assert_eq!(shape(text), expected, "{text}");
    }
}

/// The runs of a report with their contexts, each as a whole.
fn whole_runs(arguments: &[&str]) -> Vec<Value> {
    let report = modeshift(&[&["semantics"], arguments, &["--format", "json"]].concat()).json();
    let contexts = report["contexts"].as_array().expect("a list").clone();
    let context = |name: &Value| {
        let found = contexts.iter().find(|it| it["name"] == *name).expect("a context");
        (found["context"].clone(), found["knows"].clone())
    };
    let runs = report["runs"].as_array().expect("a list").iter();
    runs.map(|it| serde_json::json!([context(&it["from"]), context(&it["to"]), it["steps"], it["erased"]])).collect()
}

/// Guards with given values are evaluated as ever: what is left are runs of the whole model, micro-step by micro-step.
#[test]
fn runs_at_values_of_guards_are_runs_of_the_model() {
    let cases: [(&[&str], &str); 5] = [
        (&["models/ClutchBasic.mo"], "g=true"),
        (&["models/WaterTank.mo"], "bl=false"),
        (&["models/WaterTank.mo"], "bh=false"),
        (&["models/RLDC2.mo"], "g1=true"),
        (&["models/ClutchChain.mo", "--set", "N=4"], "engaged[2]=true"),
    ];
    for (model, at) in cases {
        let (all, some) = (whole_runs(model), whole_runs(&[model, &["--at", at]].concat()));
        assert!(!some.is_empty() && some.len() < all.len());
        for run in &some {
            assert!(all.contains(run), "{model:?} at {at}: {run}");
        }
    }
}

/// Where there are too many guards for all their values, equations wait for theirs all the same.
#[test]
fn equations_wait_for_guards_with_given_values() {
    let at: Vec<String> = (1..=11).map(|guard| format!("engaged[{guard}]=true")).collect();
    let outcome = modeshift(&["semantics", "models/ClutchChain.mo", "--set", "N=14", "--at", &at.join(",")]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let runs: Vec<&str> = outcome.stdout.lines().filter(|line| line.contains(" -> ")).collect();
    assert_eq!(runs.len(), 16, "{}", outcome.stdout);
    for (run, guard) in runs.iter().flat_map(|run| (1..=11).map(move |guard| (run, guard))) {
        let steps = run.split_once(": {").map_or(*run, |(_, rest)| rest);
        let steps = steps.split_once("}: ").map_or(steps, |(_, rest)| rest);
        let place = |what: String| steps.find(&what).unwrap_or_else(|| panic!("{what} in {steps}"));
        assert!(place(format!("engaged[{guard}];")) < place(format!("rigid[{guard}]")), "{run}");
    }
}

/// Beyond the bound on runs it is said what was left out; modes have their dynamics all the same.
#[test]
fn what_the_bound_on_runs_leaves_out_is_counted() {
    let outcome = modeshift(&["semantics", "models/ClutchChain.mo", "--set", "N=7"]);
    let mut lines = outcome.stdout.lines();
    assert_eq!(lines.next(), Some("ClutchChain: 64 contexts, 2048 of 4096 runs"));
    let left_out = "left out: 2048 runs from 32 contexts, 32 of these starts of modes, and what only they lead to; ";
    assert!(lines.next().is_some_and(|line| line.starts_with(left_out)), "{}", outcome.stdout);
    assert_eq!(outcome.stdout.lines().filter(|line| line.contains(" degrees of freedom")).count() + 1, 64);
}

/// Two inertias with angles that jump: `w = Δ δ`, so that `J w' = Δ δ' J`, and the torque is what moves the momentum.
#[test]
fn impulses_of_higher_orders_have_their_weights() {
    let outcome = modeshift(&["semantics", "models/BreakingShaft.mo"]);
    assert!(outcome.stdout.contains("\n  weights of tau: -tau•_0 δ' + (tau_1 + tau•_1) δ\n"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("\n  dominant: instant 2: inertia1: J1*(-w1•_0) + tau•_0 = 0\n"));
}

/// States that are set, all instants, and vanishing powers of 1/∂ are among the dominant terms; names are not taken twice.
#[test]
fn reset_equations_are_whole() {
    let model = |declarations: &str, equations: &str, constraint: &str| {
        format!(
            "model M Real x; Real y; Real f; {declarations} Boolean g = time > 3; equation {equations}
               if g then /* k: */ {constraint}; else /* n: */ f = 0; end if; end M;"
        )
    };
    let list = |change: &Value, key: &str| -> Vec<String> {
        let list = change[key].as_array().expect("a list").iter();
        list.map(|it| it.as_str().expect("a text").to_string()).collect()
    };
    let state = change_to(&model("", "/* a: */ der(x) = f; /* b: */ der(y) = f;", "x = 7"), "g");
    assert!(list(&state, "dominant").contains(&"b: y_0 - pre(y) - f_0 = 0".to_string()), "{state}");
    let power =
        model("Real u;", "/* a: */ der(der(x)) = u; /* u0: */ u = 2; /* b: */ der(y) = f + x;", "y + der(x) = 7");
    let dominant = list(&change_to(&power, "g"), "dominant");
    assert!(dominant.contains(&"a: x_1 - 2*pre(der(x)) = 0".to_string()), "{dominant:?}");
    assert!(!dominant.iter().any(|it| it.starts_with("not closed")), "{dominant:?}");
    let second = change_to(&model("", "/* a: */ der(der(x)) = f; /* b: */ der(der(y)) = f;", "x = 7"), "g");
    assert!(list(&second, "dominant").contains(&"instant 2: k•2: x•3_0 = 7".to_string()), "{second}");
    assert!(list(&second, "restart").contains(&"x' from k•2 in instant 2".to_string()), "{second}");
    let taken = change_to(&model("Real x_0;", "/* a: */ der(x) = f; /* b: */ der(y) = f; x_0 = y;", "x = 7"), "g");
    assert!(list(&taken, "dominant").contains(&"k•: x_0_ = 7".to_string()), "{taken}");
}

#[test]
fn values_that_a_when_sets_in_equations_are_named() {
    let text = "model M Real x; discrete Real d; Boolean g = time > 1; equation
        when sample(0, 0.1) then d = pre(d) + 1; end when; x = if g then d else 0; end M;";
    let outcome = modeshift_reading(text.as_bytes(), &["semantics", "-"]);
    let line = "when sample(0, 0.1) sets d: equations that read it hold for another value behind that instant";
    assert!(outcome.stdout.contains(&format!("not among the runs\n  {line}\n")), "{}", outcome.stdout);
}

/// Why `changes` says something else of laws is computed.
#[test]
fn differences_about_laws_have_reasons() {
    let because = |text: &str, to: &str| change_to(text, to)["differs"][1].as_str().unwrap_or_default().to_string();
    let jump = "model M Real y(start = 1); Real w(start = -1); Real h; Boolean d(start = false); equation
        d = pre(y) <= 0; der(y) = w; der(w) = h; if d then y = 5; else h = -1; end if;
        when d then w = -0.8*pre(w); end when; end M;";
    assert!(because(jump, "d").starts_with("because it lets states jump to the constraints"), "{}", because(jump, "d"));
    let lasting = "model M Real x(start = 1); Real v(start = -1); Real f; Boolean c; equation
        c = x <= 0; der(x) = v; der(v) = f; if c then x = 0; else f = 0; end if;
        when c then reinit(v, 0); end when; end M;";
    let reason = because(lasting, "c");
    assert!(reason.contains("it takes the instant of a `reinit` to be over at once"), "{reason}");
}

/// Every row of the table of reasons in the documentation has a model in which that reason is met.
#[test]
fn reasons_of_the_documentation_are_met_in_their_models() {
    let page = std::fs::read_to_string(root().join("docs/semantics.md")).expect("the page");
    let table = page.split_once("| reason | model |").expect("the table").1;
    let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 10, "{rows:?}");
    for row in rows {
        let (reason, model) = row.trim_matches(['|', ' ']).split_once(" | `").expect("two columns");
        let model = model.trim_end_matches('`');
        let text = match model.strip_prefix("models/") {
            Some(_) => std::fs::read_to_string(root().join(model)).expect("a model"),
            None => model.to_string(),
        };
        let outcome = modeshift_reading(text.as_bytes(), &["semantics", "-"]);
        assert!(outcome.stdout.contains(reason), "{reason}: {}{}", outcome.stdout, outcome.stderr);
        assert!(!outcome.stdout.contains("no reading of the algorithm"), "{reason}: {}", outcome.stdout);
    }
}

/// `y` was no state, and is computed in the instant: what it was before the change is in no closed form.
#[test]
fn closed_forms_read_left_limits_of_states_alone() {
    let text = "model M Real x; Real y; Real z; Real w; Boolean g = time > 1; equation
        /* a: */ w = der(x); /* k: */ 0 = if g then x - 1 else w - 3;
        /* q: */ 0 = if g then y - x else y - 7; /* p: */ 0 = if g then z + der(y) else z; end M;";
    let change = change_to(text, "g");
    assert_eq!(change["weight"], serde_json::json!({"w": "1 - pre(x)"}));
    let line = "the closed form of z in `changes` reads pre(y), which no instant knows";
    assert_eq!(change["differs"], serde_json::json!([line]));
    // From `q` the value before is that of `x`, from `p` the weight is what `y` jumps by from there.
    let dominant = change["dominant"].to_string();
    assert!(dominant.contains("q: 0 = y_0 - pre(x)") && dominant.contains("p: y•_0 - y_0 + z_0 = 0"), "{dominant}");
}

/// Where an equation was shifted, either of two shifts gives the variables between: line 15 has a choice.
#[test]
fn sets_of_latent_equations_are_choices() {
    let text = "model M Real x; Real y; Real z; Boolean g = time > 1; equation
        /* a: */ 13*x - 18*z + 1 = 0; /* b: */ 19*y - 4 = 0;
        /* c: */ 0 = if g then der(der(z)) - 16*x - 2 else 59*z + 11*y - 15*x + 14; end M;";
    let outcome = modeshift_reading(text.as_bytes(), &["semantics", "-", "--all-choices"]);
    let choices = "with not g:\n    erases c, then {a, c}\n    erases c, then {b, c}\n";
    assert!(outcome.stdout.contains(choices), "{}", outcome.stdout);
}
