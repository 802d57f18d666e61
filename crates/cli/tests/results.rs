//! Results of one run in several files, two results compared, a mode linearized.

use crate::support;
use support::{modeshift_reading, temporary};

/// A ball on the floor from time 1 on, and a switch.
const MODEL: &str = "model M
  parameter Real k = 1;
  parameter Real at = 0.5;
  Real x(start = 1, fixed = true);
  Boolean late = time >= at;
  Real y = if late then 2 else 1;
equation
  der(x) = -k*x;
end M;";

/// The results of the model with these parameters, in one run, by ending.
fn results(name: &str, options: &[&str], endings: &[&str]) -> Vec<String> {
    let files: Vec<String> =
        endings.iter().map(|ending| temporary(&format!("{name}.{ending}")).display().to_string()).collect();
    let outputs: Vec<&str> = files.iter().flat_map(|file| ["-o", file.as_str()]).collect();
    let outcome = modeshift_reading(MODEL.as_bytes(), &[&["simulate", "-"], options, &outputs].concat());
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    files
}

#[test]
fn one_run_writes_several_files_that_say_the_same() {
    let files = results("several", &[], &["csv", "mat", "parquet", "arrow"]);
    for other in &files[1..] {
        let same = ["compare", files[0].as_str(), other, "--rel", "0", "--slack", "0"];
        let outcome = support::modeshift(&same);
        assert_eq!(outcome.status, 0, "{}{}", outcome.stdout, outcome.stderr);
        assert!(outcome.stdout.contains("3 signals within their tolerances"), "{}", outcome.stdout);
    }
    let twice = modeshift_reading(MODEL.as_bytes(), &["simulate", "-", "-o", "a.csv", "-o", "a.csv"]);
    assert_eq!(twice.status, 2, "{}", twice.stderr);
    let other_command = modeshift_reading(MODEL.as_bytes(), &["check", "-", "-o", "a.txt", "-o", "b.txt"]);
    assert_eq!(other_command.status, 2, "{}", other_command.stderr);
}

#[test]
fn what_differs_is_told_with_its_place_and_drawn() {
    let one = results("one", &[], &["csv"]).remove(0);
    let faster = results("faster", &["--set", "k=1.01"], &["csv"]).remove(0);
    let outcome = support::modeshift(&["compare", &one, &faster]);
    assert_eq!(outcome.status, 1, "{}{}", outcome.stdout, outcome.stderr);
    // exp(-1) - exp(-1.01) is largest at the end, 1 / 1.005 of the largest value there is at time 1.
    assert!(
        outcome.stdout.contains("1 of 3 signals differ") && outcome.stdout.contains("x at time = "),
        "{}",
        outcome.stdout
    );
    for tolerance in [["--rel", "x=0.01"], ["--abs", "0.01"], ["--vars", "y"]] {
        let outcome = support::modeshift(&["compare", &one, &faster, tolerance[0], tolerance[1]]);
        assert_eq!(outcome.status, 0, "{tolerance:?} {}", outcome.stdout);
    }
    let picture = temporary("differs.svg").display().to_string();
    let report = support::modeshift(&["compare", &one, &faster, "--plot", &picture, "--format", "json"]).json();
    assert_eq!((report["ok"].as_bool(), report["signals"][0]["name"].as_str()), (Some(false), Some("x")));
    let difference = report["signals"][0]["difference"].as_f64().expect("a number");
    let (time, k) = (report["signals"][0]["time"].as_f64().expect("a number"), 1.01_f64);
    assert!((difference - ((-time).exp() - (-k * time).exp())).abs() < 1e-5, "{difference} at {time}");
    let drawn = std::fs::read_to_string(&picture).expect("it was drawn");
    assert!(drawn.contains(">x<") && drawn.contains(">x (B)<"), "{drawn}");
}

#[test]
fn an_event_that_comes_late_is_a_difference_unless_there_is_slack() {
    let one = results("on_time", &[], &["csv"]).remove(0);
    let late = results("late", &["--set", "at=0.503"], &["csv"]).remove(0);
    assert_eq!(support::modeshift(&["compare", &one, &late]).status, 1);
    assert_eq!(support::modeshift(&["compare", &one, &late, "--slack", "0.002"]).status, 1);
    let outcome = support::modeshift(&["compare", &one, &late, "--slack", "0.004"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stdout);
}

#[test]
fn a_result_that_is_shorter_or_lacks_a_signal_is_not_like_the_other() {
    let one = results("whole", &[], &["csv"]).remove(0);
    let short = results("short", &["--stop", "0.8"], &["csv"]).remove(0);
    let outcome = support::modeshift(&["compare", &one, &short]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.stdout.contains("it goes from 0 to 0.8, not from 0 to 1"), "{}", outcome.stdout);
    let part = results("part", &["--vars", "x"], &["csv"]).remove(0);
    let outcome = support::modeshift(&["compare", &one, &part]);
    assert!(outcome.status == 1 && outcome.stdout.contains("it has no "), "{}", outcome.stdout);
    assert_eq!(support::modeshift(&["compare", &part, &one]).status, 0);
    for (arguments, words) in [
        (["compare", &one, "no_such.csv"], "cannot read `no_such.csv`"),
        (["compare", &one, "Cargo.toml"], "cannot read `Cargo.toml`"),
    ] {
        let outcome = support::modeshift(&arguments);
        assert!(outcome.status == 2 && outcome.stderr.contains(words), "{}", outcome.stderr);
    }
    assert_eq!(support::modeshift(&["compare", &one, &one, "--vars", "z"]).status, 2);
}

/// The matrix of a report, by rows.
fn matrix(report: &serde_json::Value, name: &str) -> Vec<Vec<f64>> {
    let rows = report[name].as_array().expect("a list");
    rows.iter()
        .map(|row| row.as_array().expect("a list").iter().map(|it| it.as_f64().expect("a number")).collect())
        .collect()
}

fn linearized(model: &str, options: &[&str]) -> serde_json::Value {
    let arguments = [&["linearize", "-", "--format", "json"], options].concat();
    let outcome = modeshift_reading(model.as_bytes(), &arguments);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    outcome.json()
}

#[test]
fn a_linear_model_is_its_own_linearization() {
    let model = "model M
      input Real u(start = 2); output Real y; Real x(start = 1, fixed = true), v(start = 0, fixed = true), f;
    equation
      der(x) = v; 2*der(v) = f; f = u - 3*x - 4*v; y = x + 5*u;
    end M;";
    let report = linearized(model, &[]);
    assert_eq!(matrix(&report, "A"), [[0.0, 1.0], [-1.5, -2.0]]);
    assert_eq!(matrix(&report, "B"), [[0.0], [0.5]]);
    assert_eq!(matrix(&report, "C"), [[1.0, 0.0]]);
    assert_eq!(matrix(&report, "D"), [[5.0]]);
    assert_eq!(report["states"][0]["name"], "x");
    let forces = linearized(model, &["--outputs", "f,u"]);
    assert_eq!(
        (matrix(&forces, "C"), matrix(&forces, "D")),
        (vec![vec![-3.0, -4.0], vec![0.0, 0.0]], vec![vec![1.0], vec![1.0]])
    );
}

#[test]
fn a_nonlinear_model_is_linearized_where_the_run_is_or_at_other_states() {
    // x(t) = 1/(1 + t), and the derivative of -x^2 is -2 x.
    let model = "model M output Real x(start = 1, fixed = true); equation der(x) = -x^2; end M;";
    let at_one = linearized(model, &["--time", "1", "--tolerance", "1e-10"]);
    assert!((matrix(&at_one, "A")[0][0] + 1.0).abs() < 1e-8, "{at_one}");
    assert_eq!(matrix(&linearized(model, &["--state", "x=3"]), "A"), [[-6.0]]);
}

#[test]
fn each_mode_has_its_own_states_and_matrices() {
    // Two flywheels, joined at time 1: the constraint w1 = w2 leaves one state.
    let model = "model M
      input Real u(start = 0); Real w1(start = 3, fixed = true), w2(start = 0, fixed = true), f;
      Boolean joined = time >= 1;
    equation
      der(w1) = u - f - w1; 2*der(w2) = f; 0 = if joined then w1 - w2 else f;
    end M;";
    let apart = linearized(model, &["--time", "0.5"]);
    assert_eq!(
        (matrix(&apart, "A"), matrix(&apart, "B")),
        (vec![vec![-1.0, 0.0], vec![0.0, 0.0]], vec![vec![1.0], vec![0.0]])
    );
    let joined = linearized(model, &["--time", "1", "--outputs", "f,w1"]);
    assert_eq!(joined["mode"]["joined"], true);
    let near = |found: Vec<Vec<f64>>, expected: f64| assert!((found[0][0] - expected).abs() < 1e-12, "{found:?}");
    near(matrix(&joined, "A"), -1.0 / 3.0);
    near(matrix(&joined, "B"), 1.0 / 3.0);
    near(matrix(&joined, "C"), -2.0 / 3.0);
    near(matrix(&joined, "D"), 2.0 / 3.0);
}

#[test]
fn what_cannot_be_linearized_is_refused_with_the_reason() {
    let refused = |model: &str, options: &[&str], words: &str| {
        let outcome = modeshift_reading(model.as_bytes(), &[&["linearize", "-"], options].concat());
        assert!(outcome.status != 0 && outcome.stderr.contains(words), "{}{}", outcome.stdout, outcome.stderr);
    };
    let model = "model M output Real x(start = 1, fixed = true); equation der(x) = -x^2; end M;";
    refused(model, &["--inputs", "u"], "the model has no input `u`");
    refused(model, &["--outputs", "z"], "the model has no continuous variable `z`");
    refused(model, &["--state", "z=1"], "`z` is no state of it");
    let slides = "model M Real x(start = 1, fixed = true); equation der(x) = if x > 0 then -1 else 1; end M;";
    refused(slides, &["--time", "2"], "slides along a surface");
}

#[test]
fn states_of_another_mode_are_not_linearized_in_this_one() {
    let spring = "model M
        output Real x(start = -1, fixed = true); Real v(start = 0, fixed = true);
        Boolean touches = x > 0;
      equation
        der(x) = v; der(v) = if touches then -100*x else 0;
      end M;";
    assert_eq!(matrix(&linearized(spring, &["--state", "x=-2"]), "A")[1], [0.0, 0.0]);
    let outcome = modeshift_reading(spring.as_bytes(), &["linearize", "-", "--state", "x=2"]);
    assert!(outcome.status == 1 && outcome.stderr.contains("`touches` holds at these states"), "{}", outcome.stderr);
    // A relay stays as it is between its bounds, and not beyond them.
    let relay = "model M
        output Real x(start = 0, fixed = true);
        Boolean on(start = true, fixed = true) = if pre(on) then x < 1 else x < 0.5;
      equation
        der(x) = if on then 2 - x else -3*x;
      end M;";
    assert_eq!(matrix(&linearized(relay, &["--state", "x=0.75"]), "A"), [[-1.0]]);
    let outcome = modeshift_reading(relay.as_bytes(), &["linearize", "-", "--state", "x=1.5"]);
    assert!(outcome.status == 1 && outcome.stderr.contains("`on` does not hold at these"), "{}", outcome.stderr);
    // Right after an event its guard stands at zero: that is no other mode.
    let falls = "model M
        output Real x(start = 1, fixed = true); Real y(start = 0, fixed = true);
        Boolean low = x <= 0.5;
      equation
        der(x) = if low then -2 else -1; der(y) = if low then -3*y else -y;
      end M;";
    let after = linearized(falls, &["--time", "0.5", "--state", "y=4"]);
    assert!(matrix(&after, "A")[1][1] <= -1.0, "{after}");
}

/// The values that are told are those that differ: a hole, and a spike between rows that are equal.
#[test]
fn what_is_told_of_a_difference_differs() {
    let written = |name: &str, rows: &str| {
        let path = temporary(name).display().to_string();
        std::fs::write(&path, format!("time,x\n{rows}")).expect("a temporary file");
        path
    };
    let whole = written("whole_rows.csv", "0,0\n1,1\n1,5\n2,5\n");
    let flat = written("flat.csv", "0,0\n2,0\n");
    let spike = written("spike.csv", "0,0\n1,0\n1,9\n1,0\n2,0\n");
    let step = written("step.csv", "0,0\n1,0\n1,3\n2,3\n");
    for (hole, expected) in [("nan", "nothing, not 1"), ("", "nothing, not 1")] {
        let hole = written("hole.csv", &format!("0,0\n1,{hole}\n1,5\n2,5\n"));
        let outcome = support::modeshift(&["compare", &whole, &hole]);
        assert!(outcome.status == 1 && outcome.stdout.contains(expected), "{}", outcome.stdout);
    }
    for (one, other, expected) in [
        (&flat, &spike, "9, not 0"),
        (&spike, &flat, "0, not 9"),
        (&flat, &step, "3, not 0"),
        (&step, &flat, "0, not 3"),
    ] {
        let outcome = support::modeshift(&["compare", one, other, "--rel", "0"]);
        assert!(outcome.status == 1 && outcome.stdout.contains(expected), "{expected}: {}", outcome.stdout);
    }
    let outcome = support::modeshift(&["compare", &flat, &flat]);
    assert!(outcome.stdout.contains("1 signal within its tolerance"), "{}", outcome.stdout);
}
