//! Every model of `models/` flattens to what its golden file says: `UPDATE_EXPECT=1` rewrites them, to be read
//! before they are committed.

use std::path::{Path, PathBuf};

use expect_test::expect_file;
use modeshift_dae::{EquationKind, ExpressionId, Id, Invariant, ModeVariableId, MultimodeDae, assume_modes};
use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_flatten::{elaborate, flatten_mel};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn flattened(name: &str, overrides: &[(&str, &str)]) -> MultimodeDae {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let path = root().join("models").join(format!("{name}.mel"));
    let text = std::fs::read_to_string(&path).expect("a model of the repository");
    let mut diagnostics = Diagnostics::new();
    let file = SourceMap::default().add(format!("{name}.mel"), text.as_str());
    let program = modeshift_syntax::parse_mel(file, &text, &mut diagnostics);
    let dae = flatten_mel(name, &program, &overrides, &mut diagnostics)
        .and_then(|model| elaborate(model, &mut diagnostics))
        .unwrap_or_else(|_| panic!("{name}: {diagnostics:?}"));
    assert!(diagnostics.is_empty(), "{name}: {diagnostics:?}");
    dae
}

fn check_golden(name: &str) {
    expect_file![root().join("golden").join(name).join("flatten.txt")].assert_eq(&flattened(name, &[]).to_string());
}

#[test]
fn building() {
    check_golden("BuildingCompressible");
    check_golden("BuildingIncompressible");
}

#[test]
fn westinghouse_brake() {
    check_golden("Westinghouse");
}

#[test]
fn valves() {
    check_golden("ValvePipe");
    check_golden("ValveGrid");
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
