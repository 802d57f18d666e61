//! Plans, runs and tables.

use std::sync::atomic::AtomicBool;

use modeshift_driver::{Dialect, Question, Source};
use modeshift_sweep::{Format, Plan, Record, Tables, Worker};

fn question(text: &str) -> Question {
    let source = Source { name: "M.mo".into(), path: None, text: text.into(), dialect: Dialect::Modelica };
    let (overrides, libraries) = (Vec::new(), Vec::new());
    Question { source, overrides, libraries, ..Question::default() }
}

fn runs(plan: &Plan, model: &str) -> Vec<Record> {
    let worker = Worker::new(plan, &question(model)).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    let is_cancelled = AtomicBool::new(false);
    (0..plan.count()).map(|run| worker.run(run, &is_cancelled).expect("nobody cancels")).collect()
}

fn plan(text: &str) -> Plan {
    Plan::from_toml(text).unwrap_or_else(|message| panic!("{message}"))
}

fn check_refused(text: &str, expected: &str) {
    assert_eq!(Plan::from_toml(text).err().as_deref(), Some(expected));
}

const DECAY: &str = "model Decay
  parameter Real k = 1;
  parameter Integer n = 1;
  Real x[n](each start = 1, each fixed = true);
equation
  for i in 1:n loop der(x[i]) = -k*x[i]; end for;
  assert(k < 5, \"too fast\");
  annotation(experiment(StopTime = 1));
end Decay;";

#[test]
fn a_grid_has_every_value_with_every_other() {
    let plan = plan("[vary]\na = [1, 2]\n\"b[1]\" = { from = 0, to = 1, count = 3 }");
    let all: Vec<String> = (0..plan.count()).map(|run| plan.values(run).join(" ")).collect();
    assert_eq!(all, ["1 0.0", "1 0.5", "1 1.0", "2 0.0", "2 0.5", "2 1.0"]);
}

#[test]
fn a_list_has_as_many_runs_as_values() {
    let plan = plan("design = \"list\"\n[vary]\na = [1, 2]\nb = [true, false]\n");
    assert_eq!((plan.count(), plan.values(1)), (2, vec!["2".to_string(), "false".to_string()]));
    check_refused(
        "design = \"list\"\n[vary]\na = [1, 2]\nb = [1]\n",
        "`a` has 2 values and `b` has 1; a list has as many of each",
    );
    let from_csv = Plan::from_csv("a,\"b[1,2]\"\n1,true\n2,false\n").expect("a plan");
    assert_eq!(from_csv.parameters(1), [("a".into(), "2".into()), ("b[1,2]".into(), "false".into())]);
    assert_eq!(Plan::from_csv("a,b\n1\n").err().as_deref(), Some("line 2: 1 values for 2 parameters"));
}

#[test]
fn samples_depend_on_the_seed_and_the_run_alone() {
    let text = |seed: u32, samples: u32| {
        format!("design = \"random\"\nsamples = {samples}\nseed = {seed}\n[vary]\na = {{ from = 1, to = 2 }}\n")
    };
    let (few, many, other) = (plan(&text(1, 5)), plan(&text(1, 50)), plan(&text(2, 5)));
    assert_eq!(few.values(3), many.values(3));
    assert_ne!(few.values(3), other.values(3));
}

#[test]
fn a_latin_hypercube_has_one_value_in_every_part() {
    let plan = plan(
        "design = \"latin\"\nsamples = 100\n[vary]\na = { from = 0, to = 100 }\nb = { from = 1, to = 1e4, log = true }\n",
    );
    let mut parts: Vec<[usize; 2]> = (0..100)
        .map(|run| {
            let values: Vec<f64> = plan.values(run).iter().map(|it| it.parse().expect("a number")).collect();
            [values[0] as usize, (values[1].log10() * 25.0) as usize]
        })
        .collect();
    for own in 0..2 {
        parts.sort_by_key(|it| it[own]);
        assert!(parts.iter().enumerate().all(|(at, it)| it[own] == at), "{parts:?}");
    }
}

#[test]
fn decades_are_met_exactly() {
    let plan = plan("[vary]\na = { from = 1e-3, to = 1e3, count = 7, log = true }\n");
    let values: Vec<String> = (0..7).map(|run| plan.values(run)[0].to_string()).collect();
    assert_eq!(values, ["0.001", "0.01", "0.1", "1.0", "10.0", "100.0", "1000.0"]);
}

#[test]
fn what_is_wrong_with_a_plan_is_said_with_its_line() {
    check_refused(
        "stop = 1\nsteps = 3\n",
        "line 2: `steps` is not known; a plan has model, class, libraries, design, samples, seed, start, stop, interval, tolerance, solver, scenario, end, signals, events, time_limit, [set], [vary]",
    );
    check_refused("stop = \"1\"\n", "line 1: `stop` is a number");
    check_refused("time_limit = 0\n", "line 1: `time_limit` is a number above 0");
    check_refused("time_limit = -2\n", "line 1: `time_limit` is a number above 0");
    check_refused("[vary]\nR = { from = 1, to = 2 }\n", "`R`: a grid needs `count`, the number of values");
    check_refused("design = \"random\"\n[vary]\nR = [1]\n", "random needs `samples`, the number of runs");
    check_refused("[vary]\nR = [1, 2\n\nS = 3\n", "line 4: expected `]`, found `S = 3`");
    check_refused("[set]\nR = 1\n[vary]\nR = [1]\n", "`R` is both fixed and varied");
    check_refused("stop = ten\n", "line 1: `ten` is no value; texts stand in quotes");
}

#[test]
fn one_failed_run_ends_nothing() {
    let records = runs(&plan("[vary]\nk = [1, 7, 2]\n"), DECAY);
    let status: Vec<&str> = records.iter().map(|record| record.status.as_str()).collect();
    assert_eq!(status, ["stop", "failed", "stop"]);
    assert!(records[1].diagnosis.contains("too fast"), "{}", records[1].diagnosis);
    assert!((records[2].ends[0] - (-2.0_f64).exp()).abs() < 1e-5);
}

#[test]
fn structural_parameters_are_varied_too_and_what_a_run_does_not_have_is_empty() {
    let plan = plan("end = [\"x*\"]\n[set]\nk = 2\n[vary]\nn = [2, 1]\n");
    let records = runs(&plan, DECAY);
    assert!(records.iter().all(Record::is_complete));
    // The model as it stands has one of them.
    assert_eq!(records.iter().map(|record| record.ends.len()).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn a_plan_that_names_what_is_not_there_is_refused_before_any_run() {
    for (text, expected) in [("[vary]\nq = [1]\n", "q"), ("end = [\"y\"]\n[vary]\nk = [1]\n", "`y`")] {
        let plan = plan(text);
        let refusal = Worker::new(&plan, &question(DECAY)).err().expect("a refusal").text();
        assert!(refusal.contains(expected), "{refusal}");
    }
}

#[test]
fn tables_have_parameters_end_values_events_and_signals() {
    let plan = plan("signals = [\"x*\"]\ninterval = 0.5\n[vary]\nk = [1, 7]\n");
    let question = question(DECAY);
    let worker = Worker::new(&plan, &question).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    let (mut runs, mut events, mut signals) = (Vec::new(), Vec::new(), Vec::new());
    let files = (&mut runs, Some(&mut events), Some(&mut signals));
    let mut tables = Tables::new(&plan, worker.layout(), Format::Csv, files).expect("memory");
    for run in 0..plan.count() {
        let record = worker.run(run, &AtomicBool::new(false)).expect("nobody cancels");
        let record = Record::from_bytes(&record.to_bytes()).expect("its own bytes");
        tables.add(&record).expect("memory");
    }
    tables.finish().expect("memory");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let (runs, signals) = (text(runs), text(signals));
    let lines: Vec<&str> = runs.lines().collect();
    assert_eq!(lines[0], "run,k,status,end_time,events,x[1],diagnosis");
    assert!(lines[1].starts_with("0,1,stop,1,0,0.3678"), "{}", lines[1]);
    assert!(lines[2].starts_with("1,7,failed,0,0,1,\"error["), "{}", lines[2]);
    assert_eq!(signals.lines().next(), Some("run,time,x[1]"));
    assert_eq!(signals.lines().filter(|line| line.starts_with("0,")).count(), 3);
}

#[test]
fn what_is_set_beside_a_plan_is_not_overridden_by_it() {
    let set = |value: &str| Question { overrides: vec![("k".into(), value.into())], ..question(DECAY) };
    let varied = plan("[vary]\nk = [1, 2]\n");
    let text = Worker::new(&varied, &set("3")).err().expect("a refusal").text();
    assert!(text.contains("`k` is both fixed and varied"), "{text}");
    let fixed = plan("[set]\nk = 2\nn = 2\n");
    let worker = Worker::new(&fixed, &set("3")).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    let record = worker.run(0, &AtomicBool::new(false)).expect("nobody cancels");
    assert_eq!(record.ends.len(), 2);
    assert!((record.ends[0] - (-3.0_f64).exp()).abs() < 1e-5, "{:?}", record.ends);
}

#[test]
fn warnings_of_a_run_that_succeeds_are_in_its_record() {
    let model = "model M parameter Real k = 1; Real x(start = 0, fixed = true);
      equation der(x) = k; assert(x < 2, \"x is large\", AssertionLevel.warning); end M;";
    let records = runs(&plan("stop = 1\n[vary]\nk = [1, 3]\n"), model);
    assert!(records.iter().all(|record| record.status == "stop" && record.is_complete()));
    assert_eq!(records[0].diagnosis, "");
    assert!(records[1].diagnosis.contains("x is large"), "{}", records[1].diagnosis);
}
