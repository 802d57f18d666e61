//! `init` as users see it: verdicts, proposals, conflicts, start values, exit status.

use crate::support;
use serde_json::{Value, json};
use support::{Outcome, modeshift, modeshift_reading};

fn init(model: &str, arguments: &[&str]) -> Outcome {
    modeshift_reading(model.as_bytes(), &[&["init", "-", "--format", "json"], arguments].concat())
}

/// The cases of the only scenario.
fn cases(outcome: &Outcome) -> Vec<Value> {
    outcome.json()["scenarios"][0]["cases"].as_array().expect("cases").clone()
}

const CLUTCH: &str = "model Clutch
  Real w1, w2, f1, f2;
  Boolean g;
equation
  g = w1 > 10;
  der(w1) = -w1 + f1;
  der(w2) = -w2 + f2;
  /* e3: */ 0 = if g then w1 - w2 else f1;
  f1 + f2 = 0;
end Clutch;
";

#[test]
fn a_clutch_needs_two_values_released_and_one_engaged() {
    let outcome = init(CLUTCH, &[]);
    assert_eq!(outcome.status, 1, "undetermined");
    let cases = cases(&outcome);
    let of = |when: &str| cases.iter().find(|case| case["when"] == when).unwrap_or_else(|| panic!("{cases:#?}"));
    for (when, proposal) in [("not g", json!(["w1", "w2"])), ("g", json!(["w1"]))] {
        assert_eq!(of(when)["verdict"], "underdetermined");
        assert_eq!(of(when)["free"], json!(["w1", "w2"]));
        assert_eq!(of(when)["proposal"], proposal);
    }
    assert!(outcome.stderr.contains("E0702"), "{}", outcome.stderr);
}

#[test]
fn a_clutch_is_restricted_to_one_mode() {
    let outcome = init(CLUTCH, &["--at", "g=true"]);
    let cases = cases(&outcome);
    assert_eq!(cases.len(), 1);
    assert_eq!((&cases[0]["when"], &cases[0]["proposal"]), (&json!("true"), &json!(["w1"])));
}

#[test]
fn a_determined_start_comes_with_its_values_and_mode() {
    let outcome = modeshift(&["init", "models/ClutchBasic.mo", "--format", "json"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let report = outcome.json();
    assert_eq!(report["model"], "ClutchBasic");
    let scenario = &report["scenarios"][0];
    assert_eq!(scenario["start"]["mode"], json!({"g": false}));
    assert_eq!(scenario["start"]["values"]["w2"], json!(1.5));
    let engaged = &scenario["cases"][1];
    assert_eq!((&engaged["when"], &engaged["verdict"]), (&json!("g"), &json!("overdetermined")));
    assert_eq!(engaged["possible"], json!(false), "the time says so");
    assert_eq!(engaged["conflicting"], json!(["w2 = w02"]));
    assert_eq!(engaged["conflict"], json!(["e3", "w1 = w01", "w2 = w02"]));
    let span = &engaged["conditions"][0]["span"];
    assert_eq!((&span["file"], &span["line"]), (&json!("models/ClutchBasic.mo"), &json!(13)));
}

#[test]
fn conditions_too_many_are_redundant_if_they_agree_and_conflicting_if_not() {
    let model = |second: &str| {
        format!(
            "model M Real x(start = 1, fixed = true), y(start = {second}, fixed = true); equation der(x) = -x; y = x; end M;"
        )
    };
    let outcome = init(&model("1"), &[]);
    let case = &cases(&outcome)[0];
    assert_eq!((&case["redundant"], &case["conflicting"]), (&json!(["y = 1"]), &json!([])));
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let outcome = init(&model("2"), &[]);
    let case = &cases(&outcome)[0];
    assert_eq!((&case["redundant"], &case["conflicting"]), (&json!([]), &json!(["y = 2"])));
    assert_eq!(outcome.status, 1);
    assert!(outcome.stderr.contains("this condition") && outcome.stderr.contains("and this one"), "{}", outcome.stderr);
}

#[test]
fn scenarios_are_chosen_by_name() {
    let model = CLUTCH.replace(
        "end Clutch;",
        "initial equation
           w1 = 20 annotation(modeshift(scenario = \"engaged\", modes = g));
           w1 = 1 annotation(modeshift(scenario = \"released\", modes = not g));
         end Clutch;",
    );
    let both = init(&model, &[]).json();
    let verdicts: Vec<&Value> =
        both["scenarios"].as_array().expect("scenarios").iter().map(|scenario| &scenario["verdict"]).collect();
    assert_eq!(verdicts, [&json!("determined"), &json!("underdetermined")]);
    let one = init(&model, &["--scenario", "engaged"]);
    assert_eq!(one.status, 0, "{}", one.stderr);
    assert_eq!(one.json()["scenarios"][0]["start"]["values"]["w2"], json!(20.0));
    let none = init(&model, &["--scenario", "engagd"]);
    assert_eq!(none.status, 2);
    assert!(none.stderr.contains("engaged"), "{}", none.stderr);
}

#[test]
fn printed_start_values_of_two_diodes_are_rejected_with_the_reason_of_every_mode() {
    let outcome = modeshift(&["init", "models/RLDC2Printed.mo"]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.stderr.contains("none of the 4 modes that are possible is a consistent start"));
    assert!(outcome.stdout.starts_with("RLDC2Printed: the start is inconsistent"), "{}", outcome.stdout);
    let outcome = modeshift(&["init", "models/RLDC2.mo"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(outcome.stdout.contains("start values, in the mode g1, not g2"), "{}", outcome.stdout);
}

#[test]
fn the_output_is_the_same_each_time() {
    let once = modeshift(&["init", "models/RLDC2.mo", "--format", "json"]);
    let again = modeshift(&["init", "models/RLDC2.mo", "--format", "json"]);
    assert_eq!(once.stdout, again.stdout);
}

#[test]
fn check_says_what_contradicts_itself_at_the_start() {
    let model =
        "model M Real x(start = 1, fixed = true), y(start = 2, fixed = true); equation der(x) = -x; y = x; end M;";
    let outcome = modeshift_reading(model.as_bytes(), &["check", "-"]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.stderr.contains("E0701"), "{}", outcome.stderr);
    let model = "model M Real x(start = 1, fixed = true), y; equation der(x) = -x; der(y) = x; end M;";
    let outcome = modeshift_reading(model.as_bytes(), &["check", "-"]);
    assert_eq!(outcome.status, 0);
    assert!(outcome.stderr.contains("W0702"), "{}", outcome.stderr);
}

/// A charged capacitor on an empty one: an error whose help, followed, gives the shared charge.
#[test]
fn fixed_starts_that_contradict_each_other_may_be_left_limits() {
    let model = "model Caps Real v1(start = 10, fixed = true), v2(start = 0, fixed = true), i;
        equation 0.001*der(v1) = -i; 0.002*der(v2) = i; v1 = v2; end Caps;";
    let refused = modeshift_reading(model.as_bytes(), &["init", "-"]);
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("--impulsive-start"), "{}", refused.stderr);
    let annotated = model.replace("end Caps", "annotation(modeshift(impulsiveStart = true)); end Caps");
    for (model, arguments) in [(model, vec!["init", "-", "--impulsive-start"]), (&*annotated, vec!["init", "-"])] {
        let outcome = modeshift_reading(model.as_bytes(), &arguments);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        assert!(outcome.stdout.contains("v1 = 3.333333333333333"), "{}", outcome.stdout);
    }
    assert_eq!(modeshift_reading(annotated.as_bytes(), &["check", "-"]).status, 0);
}

/// What the first instant of a run selects is a start for `init` and `check` too.
#[test]
fn a_start_in_a_mode_that_leaves_something_open_is_a_start() {
    let model = "model M Real x(start = 1, fixed = true), y; equation der(x) = 1; if x > 1.5 then y = 1; else x = x + y - y; end if; end M;";
    for command in ["init", "check"] {
        let outcome = modeshift_reading(model.as_bytes(), &[command, "-"]);
        assert_eq!(outcome.status, 0, "{command}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("W0603"), "{}", outcome.stderr);
    }
}
