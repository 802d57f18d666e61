//! The output of `semantics` for the models of the papers.

use expect_test::{expect, expect_file};

use crate::support::{modeshift, modeshift_reading, root};

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
    let models = ["ClutchBasic", "CupAndBall", "CupAndBallElastic", "DiodeCapacitor", "WaterTank", "BreakingShaft"];
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

#[test]
fn changes_that_are_not_listed_are_counted() {
    let outcome = modeshift(&["semantics", "models/ClutchChain.mo", "--set", "N=4"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let listed = outcome.stdout.lines().filter(|line| line.starts_with("change from ")).count();
    let all = outcome.stdout.lines().find(|line| line.contains("changes are listed")).expect("a line that says so");
    assert_eq!((listed, all), (30, "30 of 56 changes are listed: `--at` with values of guards leaves fewer modes"));
}

#[test]
fn guards_can_be_given_values() {
    let outcome = modeshift(&["semantics", "models/WaterTank.mo", "--at", "bl=false"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(outcome.stdout.starts_with("WaterTank at bl=false: 2 contexts, 4 runs\n"), "{}", outcome.stdout);
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
