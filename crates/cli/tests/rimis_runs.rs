//! What `rimis` writes, run by `simulate`, gives what `simulate` gives of the source.
//!
//! All variables of the source are compared at all rows, and their left and right limits at all events; the times of
//! events may differ a little, since guards have a hysteresis.

#[path = "support/runs.rs"]
mod runs;
mod support;

use std::collections::BTreeSet;

use runs::Run;
use support::{modeshift, root, temporary};

/// Where the papers' models are.
const PAPERS: &str = "models";
/// Where models with published closed forms, exact trajectories and end values are.
const PUBLISHED: &str = "crates/simulate/tests/data";

/// A model that is transformed and compared.
struct Case {
    directory: &'static str,
    file: &'static str,
    /// When to stop, where the model does not say it.
    stop: Option<&'static str>,
    /// Smaller differences say nothing, however small the values are.
    least: f64,
}

const fn paper(file: &'static str) -> Case {
    Case { directory: PAPERS, file, stop: None, least: ZERO }
}

const fn published(file: &'static str, stop: &'static str) -> Case {
    Case { directory: PUBLISHED, file, stop: Some(stop), least: ZERO }
}

/// The models that can be transformed and run.
const EQUAL: &[Case] = &[
    paper("BreakingCapacitor.mo"),
    paper("BreakingInductor.mo"),
    paper("BreakingShaft.mo"),
    paper("BuildingIncompressible.mel"),
    paper("ClutchBasic.mo"),
    paper("ClutchChain.mo"),
    paper("CupAndBall.mo"),
    paper("DiodeCapacitor.mo"),
    paper("DiodeInductor.mo"),
    paper("FaultyCoaxial.mo"),
    paper("FaultyCoaxialVariableDimension.mo"),
    paper("RLDC2.mo"),
    paper("TransmissionTree.mo"),
    paper("TwoEquations.mo"),
    paper("TwoEquationsRIMIS.mo"),
    paper("ValveGrid.mel"),
    paper("WaterTank.mo"),
    paper("WaterTankRIMIS.mo"),
    paper("Westinghouse.mel"),
    published("multimode/BoostConverter.mo", "0.002"),
    published("multimode/CircuitRLCD.mo", "0.005"),
    published("multimode/Clutch.mo", "3"),
    published("multimode/CupAndBall.mo", "1"),
    published("multimode/HalfWaveRL.mo", "10"),
    published("multimode/TwoCapacitors.mo", "1"),
    published("CarAxis.mo", "3"),
    published("ChemAkzo.mo", "180"),
    // One of its states stays below 4e-5, but has no nominal value: the tolerance allows it an error of 1e-9.
    Case { least: 1e-9, ..published("RobertsonDAE.mo", "1") },
    published("TransistorAmplifier.mo", "0.2"),
];

/// Models of the highest index, whose constraints are nonlinear in all modes.
const CONSTRAINED: &[Case] = &[published("CarAxis.mo", "3"), published("TransistorAmplifier.mo", "0.2")];

/// A model that is refused: with which code, in which modes or mode changes, and the place.
struct Refused {
    directory: &'static str,
    file: &'static str,
    code: &'static str,
    when: Option<&'static str>,
    place: &'static str,
}

const REFUSED: &[Refused] = &[
    Refused {
        directory: PAPERS,
        file: "BuildingCompressible.mel",
        code: "E0905",
        when: Some("not (pre(open[1]) or not open[1] or outgoing[1] or open[2] or direction[2])"),
        place: "`dop[1]` may be violated then",
    },
    Refused {
        directory: PAPERS,
        file: "CupAndBallElastic.mo",
        code: "E0909",
        when: Some("not pre(gamma) and gamma"),
        place: "v = -alpha*pre(v)",
    },
    Refused {
        directory: PAPERS,
        file: "CupAndBallElasticWithoutLaw.mo",
        code: "E0909",
        when: Some("not pre(gamma) and gamma"),
        place: "when gamma then",
    },
    Refused {
        directory: PAPERS,
        file: "ValvePipe.mel",
        code: "E0601",
        when: Some("not (open[1] or open[2] or open[3])"),
        place: "cls[k] : equation q[k] = 0",
    },
    // Its structure is singular where all diodes block, and where all conduct.
    Refused {
        directory: PUBLISHED,
        file: "multimode/DiodeBridgeR.mo",
        code: "E0601",
        when: Some("not (on1 or on2 or on3 or on4)"),
        place: "0 = if on1 then u1 else d1",
    },
];

/// Models that cannot be run themselves, so that there is nothing to compare with.
const NOT_RUN: &[(&str, &str)] = &[("RLDC2Printed.mo", "E0709")];

/// Of both runs.
const TOLERANCE: &str = "1e-9";
/// How much values may differ, relative to the largest of their variable.
const VALUES: f64 = 1e-6;
/// Values that are all but zero.
const ZERO: f64 = 1e-12;
/// The nominal value of variables that have no other.
const NOMINAL: f64 = 1.0;
/// How much times of events may differ, relative to the run.
const TIMES: f64 = 1e-7;

/// Transforms a model, with the check of its structure; the file that was written.
fn transformed(case: &Case) -> String {
    let written = temporary(&format!("runs_{}.mo", case.file.replace('/', "_")));
    let written = written.to_str().expect("a path of the tests").to_string();
    let source = format!("{}/{}", case.directory, case.file);
    let outcome = modeshift(&["rimis", &source, "--check", "-o", &written]);
    assert_eq!(outcome.status, 0, "{source}: {}", outcome.stderr);
    written
}

/// Runs a file as a case says.
fn run(case: &Case, file: &str, tolerance: &str) -> Run {
    let name = file.rsplit('/').next().expect("a name");
    let stop = case.stop.map_or(Vec::new(), |stop| vec!["--stop", stop]);
    Run::of(file, &format!("runs_{name}_{tolerance}"), &[&["--tolerance", tolerance], stop.as_slice()].concat())
}

/// Transforms a model and runs both.
fn check_equal(case: &Case) {
    let source = run(case, &format!("{}/{}", case.directory, case.file), TOLERANCE);
    let written = run(case, &transformed(case), TOLERANCE);
    Comparison::new(case.file, &source, &written, case.least).check();
}

struct Comparison<'a> {
    model: &'a str,
    source: &'a Run,
    written: &'a Run,
    /// For each column of the source, that of what was written, and the largest value.
    columns: Vec<(usize, f64)>,
    least: f64,
}

impl<'a> Comparison<'a> {
    fn new(model: &'a str, source: &'a Run, written: &'a Run, least: f64) -> Self {
        let names = source.names.iter().enumerate();
        let columns = names.map(|(at, name)| (written.column(name), source.scale(at))).collect();
        Comparison { model, source, written, columns, least }
    }

    fn check(&self) {
        let (left, right) = (self.source.events(), self.written.events());
        let times = |events: &[(&[f64], &[f64])]| events.iter().map(|event| event.0[0]).collect::<Vec<f64>>();
        assert_eq!(left.len(), right.len(), "{}: events at {:?} and {:?}", self.model, times(&left), times(&right));
        let near = TIMES * self.source.length();
        for (ours, theirs) in left.iter().zip(&right) {
            assert!(
                (ours.0[0] - theirs.0[0]).abs() <= near,
                "{}: events at {} and {}",
                self.model,
                ours.0[0],
                theirs.0[0]
            );
            self.check_values(ours.0, theirs.0);
            self.check_values(ours.1, theirs.1);
        }
        let is_at_event =
            |time: f64| times(&left).iter().chain(&times(&right)).any(|event| (event - time).abs() <= near);
        let rows = |run: &'a Run| run.rows.iter().filter(|row| !is_at_event(row[0])).collect::<Vec<_>>();
        let (ours, theirs) = (rows(self.source), rows(self.written));
        assert_eq!(ours.len(), theirs.len(), "{}: rows away from events", self.model);
        assert!(ours.len() > 400, "{}: most rows are compared", self.model);
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            self.check_values(ours, theirs);
        }
    }

    /// What exists in the source has the same value in what was written.
    fn check_values(&self, ours: &[f64], theirs: &[f64]) {
        for (at, &(column, scale)) in self.columns.iter().enumerate().skip(1) {
            let (expected, found) = (ours[at], theirs[column]);
            let is_same = expected.is_nan() || (found - expected).abs() <= VALUES * scale + self.least;
            let name = &self.source.names[at];
            assert!(is_same, "{}: {name} at {} is {found}, should be {expected}", self.model, ours[0]);
        }
    }
}

#[test]
fn every_model_runs_as_its_source_does() {
    EQUAL.iter().for_each(check_equal);
}

/// The largest error of a column, in tolerances, relative to the larger of reference and nominal value.
fn largest_error(exact: &Run, found: &Run, name: &str, tolerance: f64) -> f64 {
    let (expected, column) = (exact.column(name), found.column(name));
    let rows = exact.rows.iter().zip(&found.rows);
    let errors = rows.map(|(exact, found)| {
        (exact[expected] - found[column]).abs() / (tolerance * exact[expected].abs().max(NOMINAL))
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn constraints_of_all_modes_do_not_drift() {
    // Ten tolerances are what `simulate` promises of end values; in between, the source itself may have more.
    for case in CONSTRAINED {
        let file = format!("{}/{}", case.directory, case.file);
        let written = transformed(case);
        let exact = run(case, &file, "1e-12");
        for tolerance in ["1e-6", "1e-9"] {
            let (source, written) = (run(case, &file, tolerance), run(case, &written, tolerance));
            for name in exact.names.iter().skip(1) {
                let [of_source, of_written] = [&source, &written]
                    .map(|found| largest_error(&exact, found, name, tolerance.parse().expect("a number")));
                assert!(
                    of_written <= of_source.max(10.0),
                    "{name} of {}: {of_written} tolerances of {tolerance}, the source has {of_source}",
                    case.file
                );
            }
        }
    }
}

#[test]
fn a_model_that_cannot_be_transformed_is_refused_with_reason_place_and_mode_change() {
    for refused in REFUSED {
        let outcome = modeshift(&["rimis", &format!("{}/{}", refused.directory, refused.file)]);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (1, ""), "{}: {}", refused.file, outcome.stderr);
        let (code, when) = (format!("error[{}]", refused.code), refused.when.map(|when| format!("= when: {when}")));
        for words in [Some(code), Some(refused.place.to_string()), when].into_iter().flatten() {
            assert!(outcome.stderr.contains(&words), "{}: `{words}` in\n{}", refused.file, outcome.stderr);
        }
    }
}

#[test]
fn a_model_without_a_run_is_still_transformed() {
    for (file, code) in NOT_RUN {
        let source = format!("models/{file}");
        let run = modeshift(&["simulate", &source, "-o", temporary("not_run.csv").to_str().expect("a path")]);
        assert!(run.status == 1 && run.stderr.contains(code), "{file}: {}", run.stderr);
        let written = modeshift(&["rimis", &source, "--check"]);
        assert!(written.status == 0 && written.stderr.contains("W0901"), "{file}: {}", written.stderr);
    }
}

/// The models below a directory, with their paths from there.
fn models(directory: &str) -> BTreeSet<String> {
    let root = root().join(directory);
    let (mut found, mut pending) = (BTreeSet::new(), vec![root.clone()]);
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(directory).expect("a directory of models") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "mo" || extension == "mel") {
                let path = path.strip_prefix(&root).expect("below the directory");
                found.insert(path.to_str().expect("UTF-8").replace('\\', "/"));
            }
        }
    }
    found
}

#[test]
fn no_model_is_left_out() {
    for directory in [PAPERS, PUBLISHED] {
        let equal = EQUAL.iter().filter(|case| case.directory == directory).map(|case| case.file);
        let refused = REFUSED.iter().filter(|refused| refused.directory == directory).map(|refused| refused.file);
        let not_run = NOT_RUN.iter().filter(|_| directory == PAPERS).map(|(file, _)| *file);
        let listed: BTreeSet<String> = equal.chain(refused).chain(not_run).map(str::to_string).collect();
        assert_eq!(models(directory), listed, "{directory}");
    }
}
