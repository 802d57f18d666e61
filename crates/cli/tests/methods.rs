//! `analyze --method` and `check --as-other-tools`: what other methods make of the papers' models.

use serde_json::Value;

use crate::support::{modeshift, modeshift_reading};

/// The report as JSON of a model of the papers.
fn report(method: &str, model: &str) -> Value {
    let file = format!("models/{model}.mo");
    let outcome = modeshift(&["analyze", &file, "--method", method, "--format", "json"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    outcome.json()
}

fn names(value: &Value) -> String {
    let names = value.as_array().expect("a list").iter().map(|name| name.as_str().expect("a name"));
    names.collect::<Vec<_>>().join(" ")
}

/// `reads -- equations -> writes` of each block.
fn blocks(report: &Value) -> Vec<String> {
    let text = |block: &Value| {
        let reads = names(&block["reads"]);
        let reads = if reads.is_empty() { reads } else { format!("{reads} -- ") };
        format!("{reads}{} -> {}", names(&block["equations"]), names(&block["writes"]))
    };
    report["blocks"].as_array().expect("a list").iter().map(text).collect()
}

/// The first block that fails: when, how it is solved, and at what time.
fn failure(report: &Value) -> (String, String, f64) {
    let blocks = report["blocks"].as_array().expect("a list").iter();
    let failing = blocks.clone().find(|block| block["time"].is_number()).expect("a block fails");
    let text = |key: &str| failing[key].as_str().expect("text").to_string();
    (text("fails_when"), text("solved"), failing["time"].as_f64().expect("a time"))
}

#[track_caller]
fn check_failure(model: &str, when: &str, solved: &str, time: f64) {
    let report = report("approximate", model);
    let found = failure(&report);
    assert_eq!((found.0.as_str(), found.1.as_str()), (when, solved));
    assert!((found.2 - time).abs() < 5e-4, "{model} fails at {}", found.2);
    assert_eq!(report["time"].as_f64(), Some(found.2));
}

#[test]
fn an_ordinary_tool_fails_where_and_when_the_papers_say() {
    // E22, Figures 3, 5, 10 and 24, and the equations (1) and (3).
    check_failure("TwoEquations", "p", "x' = -((if p then x else 0) - 1)/(if p then 0 else 1)", 1.0);
    check_failure("WaterTank", "bh", "yh = -(if bh then x - xmax else 0)/(if bh then 0 else 1)", 0.158);
    check_failure("ClutchBasic", "g", "f1 = -(if g then w1 - w2 else 0)/(if g then 0 else 1)", 5.0);
    let rope = "lambda = -(if gamma then L^2 - (x^2 + y^2) else 0)/(if gamma then 0 else 1)";
    check_failure("CupAndBall", "gamma", rope, 0.452);
}

#[test]
fn two_equations_have_one_block_in_all_modes() {
    // E22, Figure 2b.
    assert_eq!(blocks(&report("approximate", "TwoEquations")), ["x -- e -> x'"]);
}

/// RR9459, Figure 1, with an outflow and an inflow of our own.
const TANK: &str = "
    model WaterTank
      constant Real xmax = 1, xmin = 0;
      Real x(start = 0.5, fixed = true), y, yh, yl, z, sh, sl;
      Boolean bh(start = false, fixed = true), bl(start = false, fixed = true);
    equation
      assert(not (bh and bl), \"full or empty\");
      /* e0: */ y = 6.667;
      /* e1: */ z = 5*(1 + cos(6*time));
      /* e2: */ der(x) = z + yl - yh - y;
      bh = (sh >= 0);
      /* eh1: */ sh = if bh then yh else x - xmax;
      /* eh2: */ 0 = if bh then x - xmax else yh;
      bl = (sl >= 0);
      /* el1: */ sl = if bl then yl else xmin - x;
      /* el2: */ 0 = if bl then xmin - x else yl;
    end WaterTank;";

#[test]
fn the_water_tank_has_the_seven_blocks_of_the_report() {
    // RR9459, Figure 9.
    let outcome = modeshift_reading(TANK.as_bytes(), &["analyze", "-", "--method", "approximate", "--format", "json"]);
    let report = outcome.json();
    let mut found = blocks(&report);
    found.sort();
    let mut expected = [
        "x -- el2 -> yl",
        "x yl -- el1 -> sl",
        "y yh yl z -- e2 -> x'",
        "x -- eh2 -> yh",
        "x yh -- eh1 -> sh",
        "e1 -> z",
        "e0 -> y",
    ];
    expected.sort_unstable();
    assert_eq!(found, expected);
    // Its arrows: from flows to the balance, from corrections to their parameters.
    assert_eq!(report["dependencies"].as_array().expect("a list").len(), 6);
}

#[test]
fn what_was_rewritten_for_ordinary_tools_is_right_for_them() {
    for model in ["TwoEquations", "WaterTank"] {
        assert_eq!(report("approximate", model)["verdict"], "fails");
        assert_eq!(report("approximate", &format!("{model}RIMIS"))["verdict"], "right");
    }
}

#[test]
fn equations_in_branches_are_one_equation_for_an_ordinary_tool() {
    let report = report("approximate", "DiodeInductor");
    assert_eq!(blocks(&report), ["i -- Zc|Zo -> uD", "i uD -- src -> uL", "uL -- ind -> i'", "i uD -- Sc|So -> s"]);
    assert_eq!(report["blocks"][0]["solved"], "uD = -(if closed then 0 else i)/(if closed then 1 else 0)");
    let instead = &report["blocks"][0]["instead"][0];
    assert_eq!((names(&instead["equations"]), names(&instead["writes"])), ("Zo'".to_string(), "i'".to_string()));
}

#[test]
fn pictures_show_what_fails() {
    let file = "models/WaterTank.mo";
    let of = |format: &str| modeshift(&["analyze", file, "--method", "approximate", "--format", format]).stdout;
    let (dot, svg) = (of("dot"), of("svg"));
    assert!(dot.starts_with("digraph ") && dot.contains("divides by zero when bh"), "{dot}");
    assert!(svg.starts_with("<svg ") && svg.contains("divides by zero when bl"), "{svg}");
}

#[test]
fn check_tells_what_other_tools_would_do() {
    let outcome = modeshift(&["check", "models/ClutchBasic.mo", "--as-other-tools"]);
    let expected = [
        "warning[W0610]: other tools divide by zero at time 5: they solve `e3` for `f1` in every mode",
        "models/ClutchBasic.mo:20:3",
        "= when: g",
        "= note: f1 = -(if g then w1 - w2 else 0)/(if g then 0 else 1)",
        "= note: exact when g: e1 e2 e3' e4 -> w1' w2' f1 f2",
    ];
    for line in expected {
        assert!(outcome.stderr.contains(line), "{line}\n{}", outcome.stderr);
    }
    assert_eq!(outcome.status, 0);
    let plain = modeshift(&["check", "models/ClutchBasic.mo"]);
    assert!(!plain.stderr.contains("W0610"));
}

#[test]
fn a_method_that_does_not_exist_is_refused_with_the_list() {
    let outcome = modeshift(&["analyze", "models/ClutchBasic.mo", "--method", "matchings"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("possible values: exact, approximate, pantelides"), "{}", outcome.stderr);
}

#[test]
fn a_model_without_an_answer_is_told_as_such() {
    let singular = "model M Real x, y; equation x = 1; x = time; y = y; end M;";
    let outcome = modeshift_reading(singular.as_bytes(), &["analyze", "-", "--method", "approximate"]);
    assert!(outcome.stdout.contains("structurally singular as if all modes were one"), "{}", outcome.stdout);
}

/// The report of multi-mode Pantelides on a text.
fn pantelides(text: &str) -> Value {
    let outcome = modeshift_reading(text.as_bytes(), &["analyze", "-", "--method", "pantelides", "--format", "json"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    outcome.json()
}

fn example(name: &str) -> String {
    format!("model M extends Modeshift.Examples.{name}; end M;")
}

/// What is differentiated, and how often.
fn differentiated(report: &Value) -> Vec<String> {
    let row = |it: &Value| format!("{} {}", it["equation"].as_str().expect("a name"), it["times"]);
    report["differentiated"].as_array().expect("a list").iter().map(row).collect()
}

/// The equation that the exact analysis differentiates less often, and when.
fn spared(report: &Value) -> Vec<String> {
    let rows = report["differentiated"].as_array().expect("a list").iter();
    let exact = rows.flat_map(|row| row["exact"].as_array().expect("a list"));
    let less = exact.filter(|it| it["less_when"].is_string());
    less.map(|it| format!("{} {}", it["equation"].as_str().expect("a name"), it["less_when"].as_str().expect("modes")))
        .collect()
}

fn states(report: &Value, always: bool) -> Vec<&str> {
    let states = report["states"].as_array().expect("a list").iter();
    states.filter(|state| state["always"] == always).map(|state| state["name"].as_str().expect("a name")).collect()
}

#[test]
fn a_breaking_capacitor_is_differentiated_once_in_both_modes() {
    // MOE15, Figure 2: equation (18), and the loop of five unknowns.
    let report = pantelides(&example("BreakingCapacitor"));
    assert_eq!((&report["verdict"], report["iterations"].as_array().expect("a list").len()), (&"regular".into(), 2));
    assert_eq!(differentiated(&report), ["e9|e10 1"]);
    assert_eq!(spared(&report), ["e10 not activeState(C1)"]);
    let loops = report["loops"].as_array().expect("a list");
    assert_eq!(loops.len(), 1);
    assert_eq!(names(&loops[0]["unknowns"]), "C2.v' C2.i C1.v' C1.i R1.p.v'");
    assert_eq!(states(&report, true), ["C2.v"]);
}

#[test]
fn an_equation_outside_all_loops_is_differentiated() {
    // MOE15, Figure 7: equation (21), which no loop contains.
    let report = pantelides(&example("DiodeInductor"));
    let first = &report["iterations"][0];
    assert_eq!(first["loops"], 0);
    let singular = &first["singular"][0];
    assert_eq!((&singular["single"], names(&singular["equations"])), (&true.into(), "diode.e3".to_string()));
    assert_eq!(singular["when"], "activeState(diode.open)");
    assert_eq!(names(&singular["introduced"]), "diode.open.p.i' diode.closed.p.i'");
    assert_eq!(differentiated(&report), ["diode.open.e4 1", "diode.e3 1"]);
    assert_eq!(spared(&report), ["diode.e3 not activeState(diode.open)"]);
    assert_eq!(
        (report["iterations"].as_array().expect("a list").len(), &report["iterations"][1]["loops"]),
        (2, &1.into())
    );
}

/// MOE15, Figure 10: a shaft whose broken ends nothing relates.
const SHAFT: &str = "
    model M
      model Cut Modeshift.Rotational.Flange a, b; equation a.tau = 0; b.tau = 0; end Cut;
      model Rigid Modeshift.Rotational.Flange a, b; equation a.phi = b.phi; a.tau + b.tau = 0; end Rigid;
      Modeshift.Rotational.Inertia inertia1(phi(start = 0, fixed = true), w(start = 0, fixed = true));
      Modeshift.Rotational.Inertia inertia2;
      Modeshift.Rotational.SignalTorque drive(u = 2*time);
      Rigid intact; Cut broken;
    equation
      initialState(intact);
      transition(intact, broken, intact.b.tau > 1 or intact.b.tau < -1);
      connect(drive.a, inertia1.a);
      connect(inertia1.b, intact.a); connect(inertia1.b, broken.a);
      connect(intact.b, inertia2.a); connect(broken.b, inertia2.a);
    end M;";

#[test]
fn a_breaking_shaft_takes_three_iterations() {
    // MOE15, Figure 10 and §5.4.
    let report = pantelides(SHAFT);
    assert_eq!(report["iterations"].as_array().expect("a list").len(), 3);
    assert_eq!(differentiated(&report), ["inertia1.e3 1", "inertia2.e3 1", "e3|e4 2", "e6|e7 2"]);
    assert_eq!(states(&report, true), ["inertia1.phi", "inertia1.w"]);
    assert_eq!(states(&report, false), ["inertia2.phi", "inertia2.w"]);
    let expected = ["inertia1.e3", "inertia2.e3", "e4", "e7"].map(|it| format!("{it} not activeState(intact)"));
    assert_eq!(spared(&report), expected);
    let of_library = pantelides(&example("BreakingShaft"));
    assert_eq!(of_library["iterations"].as_array().expect("a list").len(), 3);
    assert_eq!(states(&of_library, true), ["inertia1.phi", "inertia1.w"]);
    assert_eq!(states(&of_library, false), ["inertia2.phi", "inertia2.w"]);
}

#[test]
fn all_examples_of_the_library_end_or_say_why_not() {
    let names = ["BreakingInductor", "DiodeCapacitor", "Rectifier", "HBridge", "Fuse", "EngagedClutch", "BlockOnTable"];
    for name in names {
        let report = pantelides(&example(name));
        let is_regular = report["verdict"] == "regular";
        assert_eq!(report["reason"].is_null(), is_regular, "{name}");
        let last = report["iterations"].as_array().expect("a list").last();
        let singular = last.map_or(0, |last| last["singular"].as_array().expect("a list").len());
        assert!(!is_regular || singular == 0, "{name}");
    }
}

#[test]
fn what_does_not_converge_is_stopped_and_told_apart_by_the_exact_analysis() {
    let regular = report("pantelides", "ClutchBasic");
    assert_eq!(regular["verdict"], "stopped");
    assert!(regular["reason"].as_str().expect("a reason").contains("finds every mode regular"));
    assert!(regular["exact_singular_when"].is_null());
    // A machine too: of a boost converter potentials want to be differentiated where switch and diode conduct, currents where
    // both block, and each raises the other.
    let boost = pantelides(&example("BoostConverter"));
    assert_eq!((&boost["verdict"], &boost["exact_singular_when"]), (&"stopped".into(), &Value::Null));
    let when = |at: usize| boost["iterations"][at]["singular"][0]["when"].clone();
    assert!(when(0) == when(2) && when(1) == when(3) && when(0) != when(1), "{boost}");
    // One variable has two equations in a mode, the other none.
    let text =
        "model M Real x, y; Boolean p = time > 1; equation x = time; if p then y = x; else x = 2*time; end if; end M;";
    let outcome = modeshift_reading(text.as_bytes(), &["analyze", "-", "--method", "pantelides", "--format", "json"]);
    let singular = outcome.json();
    assert_ne!(singular["verdict"], "regular");
    assert_eq!(singular["exact_singular_when"], "not p");
    assert!(singular["reason"].as_str().expect("a reason").contains("finds modes singular"), "{singular}");
}

#[test]
fn the_iterations_have_no_picture() {
    let outcome = modeshift(&["analyze", "models/ClutchBasic.mo", "--method", "pantelides", "--format", "svg"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("--method pantelides has no picture"), "{}", outcome.stderr);
}

#[test]
fn a_variable_without_an_equation_in_some_mode_is_no_success() {
    let text = "model M Real x, y; Boolean p = time > 1; equation if p then x = 1; end if; x + y = 2; end M;";
    let of = |method: &str| {
        modeshift_reading(text.as_bytes(), &["analyze", "-", "--method", method, "--format", "json"]).json()
    };
    let approximate = of("approximate");
    assert_eq!((&approximate["verdict"], &approximate["fails_when"]), (&"fails".into(), &"not p".into()));
    let pantelides = of("pantelides");
    assert_eq!(pantelides["verdict"], "stuck");
    assert!(pantelides["reason"].as_str().expect("a reason").starts_with("when not p"), "{pantelides}");
}

#[test]
fn what_states_define_by_turns_is_one_equation() {
    let text = "model M
        model A outer output Real y; Real q(start = 0, fixed = true); equation der(q) = 1; y = q; end A;
        model B outer output Real y; Real q(start = 0, fixed = true); equation der(q) = 2; y = -q; end B;
        inner Real y; A a; B b; Real w(start = 0, fixed = true);
        equation initialState(a); transition(a, b, time > 0.5); der(w) = y; end M;";
    let report = pantelides(text);
    assert_eq!((&report["verdict"], &report["dummies"]), (&"regular".into(), &0.into()));
    assert_eq!(names(&report["connections"]).matches('|').count(), 1);
}

#[test]
fn branches_inside_a_state_are_looked_at_too() {
    let text = "model M
        model A Real x(start = 0, fixed = true), l; Boolean p = time > 0.2;
          equation der(x) = l; 0 = if p then x else l - 1; end A;
        model B Real x(start = 0, fixed = true); equation der(x) = 1; end B;
        A a; B b; equation initialState(a); transition(a, b, time > 0.5); end M;";
    let outcome = modeshift_reading(text.as_bytes(), &["analyze", "-", "--method", "approximate", "--format", "json"]);
    let report = outcome.json();
    assert_eq!(report["fails_when"], "activeState(a) and a.p", "{report}");
    assert_eq!(pantelides(text)["verdict"], "stopped");
}

#[test]
fn a_run_of_many_events_is_not_followed_for_ever() {
    let text = example("BoostConverter");
    let outcome = modeshift_reading(text.as_bytes(), &["analyze", "-", "--method", "approximate", "--format", "json"]);
    let report = outcome.json();
    assert!(report["time"].is_null());
    assert!(
        report["no_time"].as_str().expect("why").ends_with("the time of its 1000th event"),
        "{}",
        report["no_time"]
    );
}
