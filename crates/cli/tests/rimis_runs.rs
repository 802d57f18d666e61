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

/// A model that is transformed and compared.
struct Case {
    file: &'static str,
    /// Beside those of the table.
    options: &'static [&'static str],
    /// Smaller differences say nothing, however small the values are.
    least: f64,
}

const fn case(file: &'static str) -> Case {
    until(file, &[])
}

const fn until(file: &'static str, options: &'static [&'static str]) -> Case {
    Case { file, options, least: ZERO }
}

/// The papers' models that can be transformed and run.
const PAPERS: &[Case] = &[
    case("BreakingCapacitor.mo"),
    case("BreakingInductor.mo"),
    case("BreakingShaft.mo"),
    case("BuildingIncompressible.mel"),
    case("ClutchBasic.mo"),
    case("ClutchChain.mo"),
    case("CupAndBall.mo"),
    case("DiodeCapacitor.mo"),
    case("DiodeInductor.mo"),
    case("FaultyCoaxial.mo"),
    case("FaultyCoaxialVariableDimension.mo"),
    case("RLDC2.mo"),
    case("TransmissionTree.mo"),
    case("TwoEquations.mo"),
    case("TwoEquationsRIMIS.mo"),
    case("ValveGrid.mel"),
    case("WaterTank.mo"),
    case("WaterTankRIMIS.mo"),
    case("Westinghouse.mel"),
];

/// A model that is refused: with which code, in which modes or mode changes, and what else is said.
struct Refused {
    file: &'static str,
    code: &'static str,
    when: Option<&'static str>,
    place: &'static str,
}

const REFUSED: &[Refused] = &[
    Refused {
        file: "BuildingCompressible.mel",
        code: "E0905",
        when: Some("not (pre(open[1]) or not open[1] or outgoing[1] or open[2] or direction[2])"),
        place: "`dop[1]` may be violated then",
    },
    Refused {
        file: "CupAndBallElastic.mo",
        code: "E0909",
        when: Some("not pre(gamma) and gamma"),
        place: "v = -alpha*pre(v)",
    },
    Refused {
        file: "CupAndBallElasticWithoutLaw.mo",
        code: "E0909",
        when: Some("not pre(gamma) and gamma"),
        place: "when gamma then",
    },
    Refused { file: "ValvePipe.mel", code: "E0601", when: None, place: "not (open[1] or open[2] or open[3])" },
];

/// Models that cannot be run themselves, so that there is nothing to compare with.
const NOT_RUN: &[(&str, &str)] = &[("RLDC2Printed.mo", "E0709")];

/// Models of published closed forms and exact trajectories.
const PUBLISHED: &[Case] = &[
    until("multimode/BoostConverter.mo", &["--stop", "0.002"]),
    until("multimode/CircuitRLCD.mo", &["--stop", "0.005"]),
    until("multimode/Clutch.mo", &["--stop", "3"]),
    until("multimode/CupAndBall.mo", &["--stop", "1"]),
    until("multimode/HalfWaveRL.mo", &["--stop", "10"]),
    until("multimode/TwoCapacitors.mo", &["--stop", "1"]),
    case("ChemAkzo.mo"),
    // One of its states stays below 4e-5, but has no nominal value: the tolerance allows it an error of 1e-9.
    Case { file: "RobertsonDAE.mo", options: &[], least: 1e-9 },
];

/// Of both runs.
const TOLERANCE: &str = "1e-9";
/// How much values may differ, relative to the largest of their variable.
const VALUES: f64 = 1e-6;
/// Values that are all but zero.
const ZERO: f64 = 1e-12;
/// How much times of events may differ, relative to the run.
const TIMES: f64 = 1e-7;

/// Transforms a model, with the check of its structure, and runs both.
fn check_equal(directory: &str, case: &Case) {
    let name = case.file.rsplit('/').next().expect("a name");
    let source = format!("{directory}/{}", case.file);
    let written = temporary(&format!("runs_{name}.mo"));
    let written = written.to_str().expect("a path of the tests");
    let outcome = modeshift(&["rimis", &source, "--check", "-o", written]);
    assert_eq!(outcome.status, 0, "{name}: {}", outcome.stderr);
    let options = [&["--tolerance", TOLERANCE], case.options].concat();
    let source = Run::of(&source, &format!("runs_{name}_source"), &options);
    let written = Run::of(written, &format!("runs_{name}_written"), &options);
    Comparison::new(name, &source, &written, case.least).check();
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
fn every_model_of_the_papers_runs_as_its_source_does() {
    PAPERS.iter().for_each(|case| check_equal("models", case));
}

#[test]
fn models_with_published_solutions_run_as_their_sources_do() {
    PUBLISHED.iter().for_each(|case| check_equal("crates/simulate/tests/data", case));
}

#[test]
fn a_model_that_cannot_be_transformed_is_refused_with_reason_place_and_mode_change() {
    for refused in REFUSED {
        let outcome = modeshift(&["rimis", &format!("models/{}", refused.file)]);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (1, ""), "{}: {}", refused.file, outcome.stderr);
        let when = refused.when.map(|when| format!("= when: {when}"));
        let expected = [Some(format!("error[{}]", refused.code)), Some(refused.place.to_string()), when];
        for words in expected.into_iter().flatten() {
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

#[test]
fn no_model_of_the_papers_is_left_out() {
    let files = std::fs::read_dir(root().join("models")).expect("the models");
    let files: BTreeSet<String> =
        files.map(|file| file.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    let listed = PAPERS.iter().map(|case| case.file).chain(REFUSED.iter().map(|it| it.file));
    let listed: BTreeSet<String> = listed.chain(NOT_RUN.iter().map(|it| it.0)).map(str::to_string).collect();
    assert_eq!(files, listed);
}
