//! Linear mode changes with a closed form: right limits and weights by levels and by one step.

use crate::one_change::{Noise, Past, Restart, laurent_restart, restart};
use crate::one_mode::Jet;
use crate::suite::support;
use serde_json::Value;
use support::random::LinearMode;
use support::rational::Rational;
use support::resolvent::Equation;

/// A linear mode with the left limits before it.
struct Case {
    mode: LinearMode,
    before: Vec<f64>,
}

impl Case {
    /// `Σ coefficient x^(order) = 0` by row, as `(variable, order, coefficient)`.
    fn new(equations: &[&[(usize, u32, f64)]], before: &[f64]) -> Self {
        let structural = |terms: &&[(usize, u32, f64)]| terms.iter().map(|&(j, k, _)| (j, k, 1)).collect::<Equation>();
        let mut mode = LinearMode::new(equations.iter().map(structural).collect()).expect("a regular mode");
        for (equation, terms) in mode.system.equations.iter_mut().zip(equations) {
            equation.terms.iter_mut().zip(terms.iter()).for_each(|(term, given)| term.coefficient = given.2);
        }
        Case { mode, before: before.to_vec() }
    }

    fn past(&self) -> Past {
        let structure = &self.mode.structure;
        Past {
            jet: Jet::new(0.0, self.before.iter().map(|&value| [value])),
            leading_order: structure.columns().map(|column| structure.written_order(column)).collect(),
            is_new: structure.rows().map(|_| true).collect(),
            offset: structure.rows().map(|_| 0).collect(),
            start: structure.columns().map(|_| None).collect(),
        }
    }

    fn by_levels(&self) -> Restart {
        restart(&self.mode.structure, &self.mode.system, &self.past(), &Noise::default())
    }

    /// Right limits and Dirac weights to 1e-9 by levels, and the same from one step.
    fn check(&self, name: &str, right: &[f64], weights: &[f64]) {
        let levels = self.by_levels();
        assert!(levels.is_determined(), "{name}: {:?}", levels.notes);
        let step = laurent_restart(&self.mode.structure, &self.mode.system, &self.past().jet).expect("a step");
        for (column, (&right, &weight)) in self.mode.structure.columns().zip(right.iter().zip(weights)) {
            let first = |weights: &[f64]| weights.first().copied().unwrap_or(0.0);
            let found = (levels.right.get(column, 0), first(&levels.weights[column]));
            check_close(found, (right, weight), 1e-9, &format!("{name}, levels, variable {}", column.0));
            let found = (step.right.get(column, 0), first(&step.weights[column]));
            check_close(found, (right, weight), 1e-9, &format!("{name}, step, variable {}", column.0));
            assert!(levels.weights[column].len() < 2, "{name}: no derivatives of Dirac impulses");
        }
    }
}

fn check_close(found: (f64, f64), expected: (f64, f64), tolerance: f64, context: &str) {
    let close = |a: f64, b: f64| (a - b).abs() <= tolerance * b.abs().max(1e-3);
    assert!(close(found.0, expected.0) && close(found.1, expected.1), "{context}: {found:?}, expected {expected:?}");
}

fn number(value: &Value) -> f64 {
    Rational::parse(value.as_str().expect("numbers are strings")).value()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

/// `E x' = A x` of a file.
fn check_file(text: &str) {
    let file: Value = serde_json::from_str(text).expect("a JSON file");
    let matrix = |name: &str| file[name].as_array().unwrap().iter().map(numbers).collect::<Vec<Vec<f64>>>();
    let (e, a) = (matrix("E"), matrix("A"));
    let row = |i: usize| {
        let of = |order: u32, sign: f64, row: &[f64]| {
            let terms = row.iter().enumerate().filter(|(_, value)| **value != 0.0);
            terms.map(|(j, value)| (j, order, sign * value)).collect::<Vec<_>>()
        };
        [of(1, 1.0, &e[i]), of(0, -1.0, &a[i])].concat()
    };
    let rows: Vec<Vec<(usize, u32, f64)>> = (0..e.len()).map(row).collect();
    let equations: Vec<&[(usize, u32, f64)]> = rows.iter().map(Vec::as_slice).collect();
    let case = Case::new(&equations, &numbers(&file["x_minus"]));
    let name = file["name"].as_str().unwrap();
    case.check(name, &numbers(&file["x_plus_exact"]), &numbers(&file["impulses"]["delta^(0)"]));
}

#[test]
fn circuits_and_clutches_restart_at_their_closed_forms() {
    for file in [
        include_str!("data/closed_form/breaking_inductor.json"),
        include_str!("data/closed_form/ideal_clutch_inertia.json"),
        include_str!("data/closed_form/ideal_clutch_paper_form.json"),
        include_str!("data/closed_form/two_capacitors_parallel.json"),
        include_str!("data/closed_form/two_inductors_series_cut.json"),
    ] {
        check_file(file);
    }
}

/// Four inertias, torques between neighbours; `engaged[k]` ties speeds `k` and `k + 1`, else the torque is zero.
fn clutch_chain(inertia: [f64; 4], engaged: [bool; 3], speeds: [f64; 4]) -> Case {
    let mut rows: Vec<Vec<(usize, u32, f64)>> = Vec::new();
    for (k, inertia) in inertia.into_iter().enumerate() {
        let mut row = vec![(k, 1, inertia)];
        row.extend((k > 0).then(|| (4 + k - 1, 0, -1.0)));
        row.extend((k < 3).then(|| (4 + k, 0, 1.0)));
        rows.push(row);
    }
    for (k, &engaged) in engaged.iter().enumerate() {
        rows.push(if engaged { vec![(k, 0, 1.0), (k + 1, 0, -1.0)] } else { vec![(4 + k, 0, 1.0)] });
    }
    let equations: Vec<&[(usize, u32, f64)]> = rows.iter().map(Vec::as_slice).collect();
    Case::new(&equations, &[&speeds[..], &[0.0; 3]].concat())
}

#[test]
fn three_clutches_engage_one_after_the_other_and_keep_momentum() {
    // FFF → TFF → TFT → TTT → FFF; speeds of a closed group are total momentum by total inertia.
    let inertia = [0.1, 0.25, 0.5, 2.0];
    let momentum = |speeds: [f64; 4]| inertia.iter().zip(speeds).map(|(j, w)| j * w).sum::<f64>();
    let mut speeds = [150.0, 40.0, -10.0, 5.0];
    let total = momentum(speeds);
    let steps = [
        ([true, false, false], [71.42857142857143, 71.42857142857143, -10.0, 5.0]),
        ([true, false, true], [71.42857142857143, 71.42857142857143, 2.0, 2.0]),
        ([true, true, true], [10.52631578947368; 4]),
        ([false, false, false], [10.52631578947368; 4]),
    ];
    for (engaged, expected) in steps {
        let result = clutch_chain(inertia, engaged, speeds).by_levels();
        for (k, column) in (0..4).map(modeshift_structure::one_mode::Column).enumerate() {
            speeds[k] = result.right.get(column, 0);
            assert!((speeds[k] - expected[k]).abs() <= 1e-9 * expected[k].abs(), "{engaged:?}: {speeds:?}");
        }
        assert!((momentum(speeds) - total).abs() < 1e-12 * total.abs());
    }
}

#[test]
fn rldc2_jumps_from_its_printed_start_with_a_dirac_on_both_diodes() {
    // RR9322 Figure 4, both diodes blocking, start values as printed there: j1 = 2, j2 = 1, v1 = 0.5, v2 = 1.
    // Variables i1 i2 j1 j2 u1 u2 v1 v2 x1 x2 w1 w2 as in the article; here reduced to the node voltage u:
    // L1 j1' + R1 j1 = u, L2 j2' + R2 j2 = u, C1 v1' = 0, C2 v2' = 0, j1 + j2 = 0.
    let case = Case::new(
        &[
            &[(0, 1, 1.0), (0, 0, 10.0), (4, 0, -1.0)],
            &[(1, 1, 1.5), (1, 0, 15.0), (4, 0, -1.0)],
            &[(2, 1, 0.1)],
            &[(3, 1, 0.15)],
            &[(0, 0, 1.0), (1, 0, 1.0)],
        ],
        &[2.0, 1.0, 0.5, 1.0, 0.0],
    );
    // L1 (j1⁺ - 2) = P = L2 (j2⁺ - 1): P = -1.8; then u⁺ = L1 j1' + R1 j1 with j1' = -j1 (R1 + R2)/(L1 + L2).
    case.check("rldc2", &[0.2, -0.2, 0.5, 1.0, 0.0], &[0.0, 0.0, 0.0, 0.0, -1.8]);
}

#[test]
fn a_position_jump_carries_damping_into_the_velocity() {
    // M x'' + D x' = λ with x tied to 0 at a wrong position: D times the jump is carried into the balance of δ.
    let case = Case::new(
        &[
            &[(0, 2, 1.0), (0, 1, 0.5), (2, 0, -1.0)],
            &[(1, 2, 2.0), (1, 1, 0.25), (2, 0, 1.0)],
            &[(0, 0, 1.0), (1, 0, -1.0)],
        ],
        &[1.0, 0.0, 0.0],
    );
    let mut past = case.past();
    for (column, jet) in [[1.0, 3.0], [0.0, 1.0]].into_iter().enumerate() {
        past.jet.set(modeshift_structure::one_mode::Column(column as u32), 1, jet[1]);
    }
    let result = restart(&case.mode.structure, &case.mode.system, &past, &Noise::default());
    let step = laurent_restart(&case.mode.structure, &case.mode.system, &past.jet).expect("a step");
    // Position (1·1 + 2·0)/3; momentum 3 + 2 - 0.5 (1/3 - 1) - 0.25 (1/3) = 5.25 over 3.
    for column in (0..2).map(modeshift_structure::one_mode::Column) {
        for found in [&result.right, &step.right] {
            assert!((found.get(column, 0) - 1.0 / 3.0).abs() < 1e-9, "{found:?}");
            assert!((found.get(column, 1) - 1.75).abs() < 1e-9, "{found:?}");
        }
    }
    assert_eq!(
        result.weights[modeshift_structure::one_mode::Column(2)].len(),
        2,
        "λ has a derivative of a Dirac impulse"
    );
}
