//! `simulate` as a user runs it: files, exit status, what is kept when a run fails.

use crate::support;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Outcome, root, temporary};

const DECAY: &str = "model Decay \"a decay\"
  parameter Real k = 2;
  Real x(start = 1, fixed = true, unit = \"m\");
  Real y;
equation
  der(x) = -k*x;
  y = 2*x;
end Decay;";

/// A fresh directory with this model in it.
fn directory(name: &str, model: &str) -> PathBuf {
    let directory = temporary(&format!("simulate_{name}"));
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("can be made");
    std::fs::write(directory.join("M.mo"), model).expect("can be written");
    directory
}

/// `modeshift simulate` in a directory.
fn simulate(directory: &Path, arguments: &[&str]) -> Outcome {
    let output = Command::new(env!("CARGO_BIN_EXE_modeshift"))
        .arg("simulate")
        .args(arguments)
        .current_dir(directory)
        .env_remove("MODELICAPATH")
        .output()
        .expect("the program was built");
    Outcome {
        status: output.status.code().expect("no signal"),
        stdout: String::from_utf8(output.stdout).expect("results are UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

fn model(name: &str) -> String {
    root().join("models").join(name).to_str().expect("UTF-8").to_string()
}

/// Header and rows of a CSV file without quoted names.
fn table(path: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines();
    let header = lines.next().expect("a header").split(',').map(str::to_string).collect();
    let number = |cell: &str| if cell.is_empty() { f64::NAN } else { cell.parse().expect("a number") };
    (header, lines.map(|line| line.split(',').map(number).collect()).collect())
}

fn check_failure(name: &str, text: &str, arguments: &[&str], status: i32, words: &str) -> PathBuf {
    let directory = directory(name, text);
    let outcome = simulate(&directory, &[&["M.mo"], arguments].concat());
    assert_eq!(outcome.status, status, "{}", outcome.stderr);
    assert!(outcome.stderr.contains(words), "should say `{words}`:\n{}", outcome.stderr);
    assert_eq!(outcome.stdout, "");
    directory
}

#[test]
fn results_go_to_a_file_named_after_the_model_and_the_summary_to_standard_error() {
    let directory = directory("default", DECAY);
    let outcome = simulate(&directory, &["M.mo", "--set", "k=1"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (0, ""), "{}", outcome.stderr);
    assert!(outcome.stderr.starts_with("Decay: simulated from 0 to 1, in "), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("no event; 1 mode, 1 solved exactly; 501 rows in Decay_res.csv\n"),
        "{}",
        outcome.stderr
    );
    let (header, rows) = table(&directory.join("Decay_res.csv"));
    assert_eq!((header.join(","), rows.len()), ("time,x,y".to_string(), 501));
    let last = &rows[500];
    assert!(last[0] == 1.0 && (last[1] - (-1.0_f64).exp()).abs() < 1e-5 && last[2] == 2.0 * last[1], "{last:?}");
}

#[test]
fn times_and_tolerance_are_as_wanted() {
    let directory = directory("times", DECAY);
    let arguments = ["M.mo", "--start", "-1", "--stop", "1", "--interval", "0.5", "--tolerance", "1e-9"];
    for solver in ["bdf", "esdirk", "explicit"] {
        let file = format!("{solver}.csv");
        let outcome = simulate(&directory, &[&arguments[..], &["--solver", solver, "-o", &file]].concat());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        let (_, rows) = table(&directory.join(file));
        assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert!((rows[4][1] - (-4.0_f64).exp()).abs() < 1e-8, "{solver}: {:?}", rows[4]);
    }
}

#[test]
fn the_choice_of_the_program_is_what_runs_without_one() {
    let directory = directory("auto", DECAY);
    for arguments in
        [&["-o", "none.csv"][..], &["--solver", "auto", "-o", "auto.csv"], &["--solver", "exact", "-o", "exact.csv"]]
    {
        let outcome = simulate(&directory, &[&["M.mo"], arguments].concat());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    }
    let result = |name: &str| std::fs::read_to_string(directory.join(name)).expect("a result");
    assert_eq!(result("auto.csv"), result("none.csv"));
    assert_eq!(result("auto.csv"), result("exact.csv"));
}

#[test]
fn equations_that_are_not_affine_are_named_where_all_modes_were_to_be_solved_exactly() {
    let directory =
        directory("exact", "model M Real v(start = 1, fixed = true); equation /* drag: */ der(v) = -v*abs(v); end M;");
    let outcome = simulate(&directory, &["M.mo", "--solver", "exact"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let expected = "by backward differentiation where these are not affine: `drag`\n";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
}

#[test]
fn at_an_event_there_are_two_rows_and_an_entry_in_the_log() {
    let directory = directory("event", "");
    let arguments = [&model("TwoEquations.mo"), "-o", "r.csv", "--events", "e.json", "--interval", "0.3"];
    let outcome = simulate(&directory, &arguments);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("  events  guard\n       1  x >= 1\n"), "{}", outcome.stderr);
    let (header, rows) = table(&directory.join("r.csv"));
    assert_eq!(header.join(","), "time,x,p");
    let events: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(directory.join("e.json")).expect("was written")).expect("JSON");
    assert_eq!(events.len(), 1);
    let time = events[0]["time"].as_f64().expect("a number");
    assert!((time - 1.0).abs() < 1e-6);
    assert_eq!((&events[0]["from"]["p"], &events[0]["to"]["p"]), (&false.into(), &true.into()));
    assert_eq!(events[0]["cause"][0], "x >= 1");
    let there: Vec<&Vec<f64>> = rows.iter().filter(|row| (row[0] - time).abs() < 1e-12).collect();
    assert_eq!(there.iter().map(|row| row[2]).collect::<Vec<_>>(), [0.0, 1.0]);
}

#[test]
fn mat_and_pictures_are_written_where_asked_for() {
    let directory = directory("files", DECAY);
    let outcome = simulate(&directory, &["M.mo", "-o", "r.mat", "--plot", "p.svg", "--timings"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("simulating") && outcome.stderr.contains("501 rows, 0 events"));
    assert!(outcome.stderr.contains("1 modes, solved exactly: -"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("note: the plot shows the states and outputs that vary: x"), "{}", outcome.stderr);
    let mat = std::fs::read(directory.join("r.mat")).expect("was written");
    assert!(mat.starts_with(&[51, 0, 0, 0, 4, 0, 0, 0, 11, 0, 0, 0]));
    let svg = std::fs::read_to_string(directory.join("p.svg")).expect("was written");
    assert!(svg.contains(">Decay<") && svg.contains(">x<") && svg.contains("[m]") && !svg.contains(">y<"));
    let outcome = simulate(&directory, &["M.mo", "--plot", "p.png", "--plot-vars", "y"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(std::fs::read(directory.join("p.png")).expect("was written").starts_with(b"\x89PNG"));
}

#[test]
fn wrong_usage_ends_before_anything_is_run_and_leaves_no_file() {
    let cases: [(&[&str], &str); 9] = [
        (&["-o", "no/such/r.csv"], "cannot write `no/such/r.csv`"),
        (&["--events", "no/such/e.json"], "cannot write `no/such/e.json`"),
        (&["--plot", "no/such/p.svg"], "cannot write `no/such/p.svg`"),
        (&["-o", "r.txt"], "results are written as .csv, .mat, .parquet or .arrow"),
        (&["--plot", "p.pdf"], "pictures are written as .svg or .png"),
        (&["--stop", "-1"], "the stop time -1.0 is before the start time 0.0"),
        (&["--tolerance", "0"], "--tolerance 0: expected a number between 0 and 1"),
        (&["--plot", "p.svg", "--plot-vars", "x,yy"], "the model has no variable `yy`; did you mean `y`?"),
        (&["--scenario", "s"], "the model has no scenarios"),
    ];
    for (number, (arguments, words)) in cases.into_iter().enumerate() {
        let directory = check_failure(&format!("usage{number}"), DECAY, arguments, 2, words);
        assert_eq!(std::fs::read_dir(directory).expect("is there").count(), 1, "{arguments:?}: only the model");
    }
}

#[test]
fn a_wrong_model_leaves_older_results_alone() {
    let directory = directory("wrong", "model M Real x; equation x = y; end M;");
    std::fs::write(directory.join("M_res.csv"), "older").expect("can be written");
    let outcome = simulate(&directory, &["M.mo", "--events", "e.json"]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    assert_eq!(std::fs::read_to_string(directory.join("M_res.csv")).expect("is there"), "older");
    assert!(!directory.join("e.json").exists());
}

#[test]
fn a_run_that_fails_keeps_what_it_found() {
    let text = "model M
  Real x(start = 1, fixed = true);
  Real y;
equation
  der(x) = -1;
  y = log(x - 0.5);
end M;";
    let directory = check_failure("nan", text, &["--plot", "p.svg", "--events", "e.json"], 1, "y");
    let (_, rows) = table(&directory.join("M_res.csv"));
    let (last, first) = (&rows[rows.len() - 1], &rows[0]);
    assert!(first[0] == 0.0 && last[0] > 0.45 && last[0] <= 0.51, "{last:?}");
    assert!(std::fs::read_to_string(directory.join("p.svg")).expect("was written").ends_with("</svg>\n"));
    assert_eq!(std::fs::read_to_string(directory.join("e.json")).expect("was written").trim(), "[\n]");
}

#[test]
fn a_time_limit_ends_the_run_with_what_there_is() {
    let directory = directory("limit", DECAY);
    let arguments = ["M.mo", "--stop", "1e5", "--interval", "1e-3", "--time-limit", "1"];
    let outcome = simulate(&directory, &arguments);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("the time limit of 1 s was reached while simulating"), "{}", outcome.stderr);
    let (_, rows) = table(&directory.join("Decay_res.csv"));
    assert!(rows.len() > 100 && rows.iter().all(|row| row.len() == 3));
}

#[test]
fn a_stop_time_that_cannot_be_reached_keeps_the_way_there() {
    // x = 1/(1 - t) has no value at 1.
    let text = "model M\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = x^2;\nend M;";
    let directory = check_failure("explosion", text, &["--stop", "2", "--events", "e.json"], 1, "`x` = ");
    let (_, rows) = table(&directory.join("M_res.csv"));
    let last = &rows[rows.len() - 1];
    assert!(last[0] > 0.99 && last[0] <= 1.0 && last[1] > 100.0, "{last:?}");
    assert!(rows.iter().filter(|row| row[0] < 0.95).all(|row| (row[1] * (1.0 - row[0]) - 1.0).abs() < 1e-4));
    assert!(directory.join("e.json").exists());
}

#[test]
fn a_limit_of_events_without_a_mode_to_rest_in_keeps_the_way_there() {
    let text = "model M
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -0.5*pre(v));
  end when;
end M;";
    let directory = check_failure("zeno", text, &["--stop", "3", "--events", "e.json"], 1, "error[E0827]");
    let (_, rows) = table(&directory.join("M_res.csv"));
    assert!(rows.iter().all(|row| row[1] > -1e-9 && row[0] < 1.4));
    let events: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(directory.join("e.json")).expect("was written")).expect("JSON");
    assert!(events.len() > 5);
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_is_a_failure_to_write() {
    let directory = directory("full", DECAY);
    std::os::unix::fs::symlink("/dev/full", directory.join("r.csv")).expect("can be made");
    let outcome = simulate(&directory, &["M.mo", "-o", "r.csv"]);
    assert_eq!(outcome.status, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("cannot write `r.csv`"), "{}", outcome.stderr);
}

#[test]
fn a_singular_start_is_explained_with_its_equations() {
    // Both equations say the same of the start, and nothing says how x and y share it.
    let text = "model M
  Real x(start = 1), y(start = 1);
initial equation
  x + y = 2;
  2*x + 2*y = 4;
equation
  der(x) = -x;
  der(y) = -y;
end M;";
    let outcome = simulate(&directory("singular", text), &["M.mo"]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("error[E07") && outcome.stderr.contains("2*x"), "{}", outcome.stderr);
}

#[test]
fn a_start_that_cannot_be_is_explained() {
    let text = "model M Real x(start = 1, fixed = true); Real y; equation der(x) = y; x^2 + y^2 = -1; end M;";
    check_failure("start", text, &[], 1, "error[");
}
