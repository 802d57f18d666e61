//! Every model of `models/` flattens to what its golden file says: `UPDATE_EXPECT=1` rewrites them, to be read
//! before they are committed.

use std::path::{Path, PathBuf};

use expect_test::expect_file;
use modeshift_dae::{DaeText, EquationKind, ExpressionId, Id, Invariant, ModeVariableId, MultimodeDae, assume_modes};
use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_elaborate::elaborate;
use modeshift_flatten::{Library, Memory, Request, flatten, flatten_mel};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn flattened(name: &str, overrides: &[(&str, &str)]) -> MultimodeDae {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let path = |extension: &str| root().join("models").join(name).with_extension(extension);
    let mut diagnostics = Diagnostics::new();
    let model = match std::fs::read_to_string(path("mel")) {
        Ok(text) => {
            let file = SourceMap::default().add(format!("{name}.mel"), text.as_str());
            let program = modeshift_syntax::parse_mel(file, &text, &mut diagnostics);
            flatten_mel(name, &program, &overrides, &mut diagnostics)
        }
        Err(_) => {
            let text = std::fs::read_to_string(path("mo")).expect("a model of the repository");
            let mut library = Library::new(Memory::new(), Vec::new());
            library.add_text(&format!("{name}.mo"), &text, &mut diagnostics);
            flatten(&mut library, &Request { model: None, overrides }, &mut diagnostics)
        }
    };
    let dae = model.and_then(|model| elaborate(model, &mut diagnostics));
    assert!(diagnostics.is_empty(), "{name}: {diagnostics:?}");
    dae.expect("a model without errors")
}

/// Every file of `models/` is in this list: see the last test.
const MODELS: [&str; 26] = [
    "BreakerGrid",
    "BreakerLadder",
    "BreakingCapacitor",
    "BreakingInductor",
    "BreakingShaft",
    "BuildingCompressible",
    "BuildingIncompressible",
    "ClutchBasic",
    "ClutchChain",
    "CupAndBall",
    "CupAndBallElastic",
    "CupAndBallElasticWithoutLaw",
    "DiodeCapacitor",
    "DiodeInductor",
    "FaultyCoaxial",
    "FaultyCoaxialVariableDimension",
    "RLDC2",
    "RLDC2Printed",
    "TransmissionTree",
    "TwoEquations",
    "TwoEquationsRIMIS",
    "ValveGrid",
    "ValvePipe",
    "WaterTank",
    "WaterTankRIMIS",
    "Westinghouse",
];

#[test]
fn every_model_flattens_as_its_golden_file_says() {
    for name in MODELS {
        let golden = root().join("golden").join(name);
        std::fs::create_dir_all(&golden).expect("golden files can be written");
        expect_file![golden.join("flatten.txt")].assert_eq(&flattened(name, &[]).to_string());
    }
}

#[test]
fn every_model_is_compared() {
    let files = std::fs::read_dir(root().join("models")).expect("the models of the repository");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a model").path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, MODELS);
}

#[test]
fn every_model_names_its_source_in_the_first_line() {
    for name in MODELS {
        let read =
            |extension: &str| std::fs::read_to_string(root().join("models").join(name).with_extension(extension));
        let text = read("mo").or_else(|_| read("mel")).expect("a model of the repository");
        let first = text.lines().next().unwrap_or_default().to_string();
        let named = ["E22", "RR9322", "MOE15", "of our own", "scalable"].iter().any(|source| text.contains(source));
        assert!(first.starts_with("// ") && named, "{name}: {first}");
    }
}

#[test]
fn the_transmission_line_of_variable_dimension_has_24_guarded_equations() {
    // E22, Figures 14 and 15
    let dae = flattened("FaultyCoaxialVariableDimension", &[("N", "3")]);
    let continuous = dae.model.equations.iter().filter(|equation| equation.kind == EquationKind::Continuous);
    assert_eq!(continuous.count(), 24);
    let text = DaeText::new(&dae);
    let guards = |wanted: &str| {
        let variables = dae.model.variables.iter().filter(|variable| variable.name.ends_with(wanted));
        variables.map(|variable| text.expression(variable.guard).to_string()).collect::<Vec<_>>()
    };
    assert_eq!(guards(".v"), ["not element[1].open", "not element[2].open", "not element[3].open"]);
    assert_eq!(guards(".j"), ["not element[1].short", "not element[2].short", "not element[3].short"]);
    for mode in modes(&dae) {
        assert_eq!(equations_in(&dae, mode), unknowns_in(&dae, mode));
    }
    assert_eq!(modes(&dae).len(), 27);
}

#[test]
fn guards_that_depend_on_what_they_guard_are_implicit() {
    let implicit = |name: &str| {
        let dae = flattened(name, &[]);
        let found = dae.mode_variables.iter().filter(|mode| mode.implicit);
        found.map(|mode| mode.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(implicit("WaterTank"), ["bh", "bl"]);
    assert_eq!(implicit("CupAndBall"), ["gamma"]);
    assert_eq!(implicit("TwoEquations"), ["p"]);
    assert_eq!(implicit("RLDC2"), ["g1", "g2"]);
    for explicit in ["ClutchBasic", "CupAndBallElastic", "FaultyCoaxial", "BreakingShaft"] {
        assert_eq!(implicit(explicit), [""; 0], "{explicit}");
    }
}

/// Whether a guard holds in the mode whose `k`-th mode variable is the `k`-th bit.
fn holds(dae: &MultimodeDae, guard: ExpressionId, mode: u32) -> bool {
    let value = |id: ModeVariableId| Some(mode >> id.index() & 1 == 1);
    let mut expressions = dae.model.expressions.clone();
    let result = assume_modes(&mut expressions, guard, value);
    expressions.literal_boolean(result).expect("a guard is a formula over mode variables")
}

/// The modes that satisfy the invariant, one by one.
fn modes(dae: &MultimodeDae) -> Vec<u32> {
    let satisfies =
        |invariant: &Invariant, mode| !holds(dae, invariant.guard, mode) || holds(dae, invariant.condition, mode);
    let allowed = |&mode: &u32| dae.model.invariants.iter().all(|invariant| satisfies(invariant, mode));
    (0..1 << dae.mode_variables.len()).filter(allowed).collect()
}

fn equations_in(dae: &MultimodeDae, mode: u32) -> usize {
    let continuous = dae.model.equations.iter().filter(|equation| equation.kind == EquationKind::Continuous);
    continuous.filter(|equation| holds(dae, equation.guard, mode)).count()
}

fn unknowns_in(dae: &MultimodeDae, mode: u32) -> usize {
    let unknowns = dae.model.variables.iter().filter(|variable| variable.is_continuous_unknown());
    unknowns.filter(|variable| holds(dae, variable.guard, mode)).count()
}

#[test]
fn the_building_has_as_many_modes_and_equations_as_the_report_says() {
    // RR9322 §5.1
    for name in ["BuildingCompressible", "BuildingIncompressible"] {
        for (rooms, expected_modes) in [(1, 3), (2, 18), (3, 108)] {
            let dae = flattened(name, &[("N", &rooms.to_string())]);
            let modes = modes(&dae);
            assert_eq!(modes.len(), expected_modes, "{name} with {rooms} rooms");
            for mode in [modes[0], modes[modes.len() / 2], modes[modes.len() - 1]] {
                assert_eq!(equations_in(&dae, mode), 16 * rooms + 5, "{name} with {rooms} rooms");
                assert_eq!(unknowns_in(&dae, mode), 16 * rooms + 5, "{name} with {rooms} rooms");
            }
        }
    }
}

#[test]
fn the_brake_has_as_many_modes_and_equations_as_the_report_says() {
    // RR9322 §5.2
    for cars in [1, 2, 5] {
        let dae = flattened("Westinghouse", &[("N", &cars.to_string())]);
        let modes = modes(&dae);
        assert_eq!(modes.len(), 1 << cars);
        for &mode in &modes {
            assert_eq!(equations_in(&dae, mode), 11 * cars + 2);
            assert_eq!(unknowns_in(&dae, mode), 11 * cars + 2);
        }
    }
}
