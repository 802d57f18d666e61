//! What `rimis` writes, run by `simulate`, gives what `simulate` gives of the source.
//!
//! All variables of the source are compared at all rows, and their left and right limits at all events; the times of
//! events may differ a little, since guards have a hysteresis.

use crate::support;
use crate::support::runs;
use std::collections::BTreeSet;

use runs::Run;
use support::{modeshift, root, temporary};

/// Where the papers' models are.
const PAPERS: &str = "models";
/// Where models with published closed forms, exact trajectories and end values are.
const PUBLISHED: &str = "crates/simulate/tests/data";

/// Where models of the papers' finer points are.
const FINER: &str = "crates/cli/tests/repro/papers";

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
    Case { directory: FINER, file: "NL.mo", stop: None, least: ZERO },
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
        file: "BreakerGrid.mel",
        code: "E0605",
        when: Some("not (right[1,1] and down[2,1] or down[1,1] and right[1,2])"),
        place: "rights[i, j] : equation",
    },
    Refused {
        directory: PAPERS,
        file: "BreakerLadder.mel",
        code: "E0605",
        when: Some("not (rung[1] and right[1] or left[1] and rung[2])"),
        place: "rungs[k] : equation",
    },
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
        code: "E0916",
        when: Some("not (open[1] and (open[2] or open[3]) or open[2] and open[3])"),
        place: "cls[k] : equation q[k] = 0",
    },
    // Its structure is singular where all diodes block, and where all conduct.
    Refused {
        directory: PUBLISHED,
        file: "multimode/DiodeBridgeR.mo",
        code: "E0916",
        when: Some("on1 and on2 and on3 and on4 or not (on1 or on2 or on3 or on4)"),
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

impl Case {
    fn source(&self) -> String {
        format!("{}/{}", self.directory, self.file)
    }
}

/// Transforms a file, with the check of its structure; the file that was written.
fn transformed(source: &str, options: &[&str]) -> String {
    let name = source.rsplit('/').next().expect("a name");
    let written = temporary(&format!("runs_{name}.mo"));
    let written = written.to_str().expect("a path of the tests").to_string();
    let outcome = modeshift(&[&["rimis", source, "--check", "-o", &written], options].concat());
    assert_eq!(outcome.status, 0, "{source}: {}", outcome.stderr);
    written
}

/// Runs a file to this time, or to the one it says.
fn run(file: &str, stop: Option<&str>, tolerance: &str, options: &[&str]) -> Run {
    let name = file.rsplit('/').next().expect("a name");
    let stop = stop.map_or(Vec::new(), |stop| vec!["--stop", stop]);
    Run::of(
        file,
        &format!("runs_{name}_{tolerance}"),
        &[&["--tolerance", tolerance], stop.as_slice(), options].concat(),
    )
}

/// Transforms a model and runs both.
fn check_equal(case: &Case) {
    let source = run(&case.source(), case.stop, TOLERANCE, &[]);
    let written = run(&transformed(&case.source(), &[]), case.stop, TOLERANCE, &[]);
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
        let file = case.source();
        let written = transformed(&file, &[]);
        let exact = run(&file, case.stop, "1e-12", &[]);
        for tolerance in ["1e-6", "1e-9"] {
            let [source, written] = [&file, &written].map(|file| run(file, case.stop, tolerance, &[]));
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

/// Transforms a model of these declarations and equations and runs both to time 1.
fn check_body(name: &str, body: &str) -> Run {
    let file = temporary(&format!("{name}.mo"));
    std::fs::write(&file, format!("model {name} {body} end {name};\n")).expect("a temporary file");
    let file = file.to_str().expect("a path of the tests");
    let source = run(file, None, TOLERANCE, &[]);
    let written = run(&transformed(file, &[]), None, TOLERANCE, &[]);
    Comparison::new(name, &source, &written, ZERO).check();
    source
}

#[test]
fn a_nonlinear_mode_is_entered_from_where_the_model_is() {
    // A supply that limits its power: with v = i = 0, v*i = 40 would have no slope.
    let ran = check_body(
        "LimitedPower",
        "Real v; Real i; Real g; Boolean limited; equation g = 0.1*exp(4*time); i = g*v; limited = i > 4;
         0 = if limited then v*i - 40 else v - 10;",
    );
    let v = ran.rows.last().expect("rows")[ran.column("v")];
    assert!((v - (40.0 / (0.1 * 4f64.exp())).sqrt()).abs() < 1e-9, "{v}");
}

#[test]
fn a_start_that_an_acceleration_determines_is_determined_for_other_parameters_too() {
    // At rest, the force of the drive holds the load.
    check_body(
        "AtRest",
        "parameter Real load = 2; Real x(start = 0, fixed = true); Real v(start = 0, fixed = true);
         Real a(start = 0, fixed = true); Real f(start = 1); Boolean late;
         equation der(x) = v; der(v) = a; a = f - load - x - v; der(f) = -v; late = time > 0.5 + x;",
    );
    let written = temporary("runs_AtRest.mo.mo");
    let ran = run(written.to_str().expect("a path of the tests"), None, TOLERANCE, &["--set", "load=3"]);
    assert_eq!(ran.rows[0][ran.column("f")], 3.0);
}

/// The alternatives of a decision: `first` and `second` hold in the same instants, but the first excludes the second.
fn check_alternatives(name: &str, condition: &str) {
    let ran = check_body(
        name,
        &format!(
            "Real x(start = 0, fixed = true); discrete Real entered(start = 0, fixed = true);
             Boolean waits; Boolean first; Boolean free; Boolean second;
             Boolean is_first(start = false, fixed = true); Boolean is_second(start = false, fixed = true);
             equation waits = not (pre(is_first) or pre(is_second)); when waits then entered = time; end when;
             first = waits and {condition}; free = waits and not first; second = free and {condition};
             is_first = first or pre(is_first); is_second = second or pre(is_second);
             der(x) = if first then 3 else if second then 5 else if pre(is_second) then 7 else 1;"
        ),
    );
    let last = ran.rows.last().expect("rows");
    assert_eq!((last[ran.column("is_first")], last[ran.column("is_second")]), (1.0, 0.0));
}

#[test]
fn of_alternatives_that_time_decides_only_the_first_is_taken() {
    check_alternatives("AlternativesOfTime", "time >= entered + 0.5");
}

#[test]
fn of_alternatives_that_a_state_decides_only_the_first_is_taken() {
    check_alternatives("AlternativesOfState", "x >= 0.5");
}

#[test]
fn what_cases_inside_a_when_assign_is_assigned_once() {
    check_body(
        "Extrema",
        "Real u; discrete Real high(start = 0, fixed = true); discrete Real at_high(start = 0, fixed = true);
         discrete Real at_low(start = 0, fixed = true); Boolean late;
         equation u = sin(5*time); late = time > 0.5;
         when sample(0.1, 0.1) then
           high = max(u, pre(high));
           if high > pre(high) then at_high = time; at_low = pre(at_low);
           else at_high = pre(at_high); at_low = time; end if;
         end when;",
    );
}

/// Where the Modelica Standard Library is; nothing, with a message, where it is not.
fn library() -> Option<String> {
    let path = std::env::var_os("MODELICAPATH");
    let mut directories = path.iter().flat_map(std::env::split_paths);
    let found = directories.find(|directory| directory.join("Modelica").exists());
    if found.is_none() {
        println!("skipped: no Modelica library in MODELICAPATH");
    }
    found.and_then(|directory| directory.to_str().map(str::to_string))
}

/// Examples of the library, with the time where their runs end and what is nothing but rounding.
const EXAMPLES: &[(&str, &str, f64)] = &[
    ("Modelica.Blocks.Examples.PID_Controller", "4", ZERO),
    ("Modelica.Electrical.Analog.Examples.DemoPowerSupply", "1", ZERO),
    // What flows to ground is the sum of currents of several hundred ampere that cancel.
    ("Modelica.Electrical.Analog.Examples.Rectifier", "0.1", 1e-9),
    ("Modelica.Mechanics.Rotational.Examples.Backlash", "1", ZERO),
    ("Modelica.StateGraph.Examples.ExecutionPaths", "15", ZERO),
];

#[test]
fn examples_of_the_library_run_as_their_sources_do() {
    let Some(library) = library() else { return };
    for &(class, stop, least) in EXAMPLES {
        let name = class.rsplit('.').next().expect("a name");
        let file = temporary(&format!("Library{name}.mo"));
        std::fs::write(&file, format!("model Library{name} extends {class}; end Library{name};\n")).expect("a file");
        let (file, options) = (file.to_str().expect("a path of the tests"), ["--library", &library]);
        let source = run(file, Some(stop), TOLERANCE, &options);
        let written = run(&transformed(file, &options), Some(stop), TOLERANCE, &[]);
        Comparison::new(class, &source, &written, least).check();
    }
}

/// Examples of the library of elements that are refused: what they need has no counterpart in ordinary tools.
const REFUSED_EXAMPLES: &[(&str, &str)] = &[
    ("BouncingBody", "E0905"),
    ("Rectifier", "E0916"),
    ("ChargedSwitch", "E0905"),
    ("EngagedClutch", "E0917"),
    ("BrakedShaft", "E0917"),
    ("FreeWheel", "E0917"),
    ("SlidingShaft", "E0917"),
    ("BlockOnTable", "E0917"),
    ("JoinedBodies", "E0917"),
    ("Oscillator", "E0917"),
];

/// Other starts for examples that begin at a threshold, where a diode without voltage and current may be open or closed.
const CLEAR_STARTS: [(&str, &str); 1] = [("BoostConverter", "(C(v(start = 6)))")];

#[test]
fn every_example_of_the_elements_runs_as_its_source_does_or_is_refused() {
    let text = std::fs::read_to_string(root().join("library/Modeshift/Examples.mo")).expect("the examples");
    let names = text.lines().filter_map(|line| line.strip_prefix("  model ")?.split(' ').next());
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 25, "{names:?}");
    for name in names {
        let file = temporary(&format!("Element{name}.mo"));
        let clear = CLEAR_STARTS.iter().find(|(of, _)| *of == name).map_or("", |(_, start)| start);
        let source = text.split_once(&format!("  model {name} ")).expect("the example").1;
        let stop =
            source.split_once("StopTime = ").and_then(|(_, rest)| rest.split_once(')')).expect("an experiment").0;
        let wrapper = format!(
            "model Element{name} extends Modeshift.Examples.{name}{clear};\n\
             annotation (experiment(StopTime = {stop})); end Element{name};\n"
        );
        std::fs::write(&file, wrapper).expect("a temporary file");
        let file = file.to_str().expect("a path of the tests");
        if let Some((_, code)) = REFUSED_EXAMPLES.iter().find(|(refused, _)| *refused == name) {
            let outcome = modeshift(&["rimis", file]);
            assert!(outcome.status == 1 && outcome.stderr.contains(code), "{name}: {}", outcome.stderr);
            continue;
        }
        let source = run(file, None, TOLERANCE, &[]);
        let written = run(&transformed(file, &[]), None, TOLERANCE, &[]);
        Comparison::new(name, &source, &written, ZERO).check();
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
