//! Transient modes: elastic impacts, resets, and laws that are missing.

use crate::one_change::{Laws, TransientRestart, TransientRow, TransientStructure};
use crate::one_mode::Jet;
use crate::suite::support;
use modeshift_dae::{Derivative, IndexVec};
use modeshift_structure::one_mode::{Column, Row};
use support::model::Mode;

/// `Σ a x⁺ = Σ b x⁻`, each as `(variable, order, coefficient)`.
struct LinearLaw(Vec<(Derivative<Column>, f64)>, Vec<(Derivative<Column>, f64)>);

struct LinearLaws(Vec<LinearLaw>);

impl Laws for LinearLaws {
    fn contents(&self) -> Vec<Vec<Derivative<Column>>> {
        self.0.iter().map(|law| law.0.iter().map(|term| term.0).collect()).collect()
    }

    fn residual(&self, law: usize, left: &Jet, right: &Jet) -> f64 {
        let sum = |terms: &[(Derivative<Column>, f64)], jet: &Jet| {
            terms.iter().map(|(it, factor)| factor * jet.get(it.of, it.order)).sum::<f64>()
        };
        sum(&self.0[law].0, right) - sum(&self.0[law].1, left)
    }

    fn partials(&self, law: usize, _: &Jet, _: &Jet) -> Vec<(Derivative<Column>, f64)> {
        self.0[law].0.clone()
    }
}

/// `variable⁺ = factor * variable⁻` for values.
fn law(mode: &Mode, variable: &str, factor: f64) -> LinearLaw {
    let at = Derivative::new(mode.column(variable), 0);
    LinearLaw(vec![(at, 1.0)], vec![(at, factor)])
}

fn instantaneous(mode: &Mode, names: &[&str]) -> IndexVec<Row, bool> {
    let rows: Vec<Row> = names.iter().map(|name| mode.row(name)).collect();
    mode.structure.rows().map(|row| rows.contains(&row)).collect()
}

fn left(mode: &Mode, values: &[(&str, &[f64])]) -> Jet {
    let mut jet = Jet::unknown(0.0, mode.structure.size());
    for (name, limits) in values {
        limits.iter().enumerate().for_each(|(order, &value)| jet.set(mode.column(name), order as u32, value));
    }
    jet
}

fn restarted(mode: &Mode, transient: &TransientStructure, laws: &LinearLaws, left: &Jet) -> TransientRestart {
    transient.restart(&mode.structure, &mode.equations(), laws, left).expect("a restart")
}

const ROPE: &str = "
    ex: x' = u
    ey: y' = v
    e1: u' + lambda*x = 0
    e2: v' + lambda*y + 9.81 = 0
    k1: 0 = 1 - (x^2 + y^2)";

#[test]
fn an_elastic_rope_without_an_impact_law_is_underdetermined() {
    let mode = Mode::new(ROPE);
    let transient = TransientStructure::new(&mode.structure, &instantaneous(&mode, &["k1"]), &[]);
    let undetermined = transient.undetermined(&mode.structure);
    let expected = ["x", "u", "y", "v"].map(|name| mode.column(name));
    let found: Vec<_> = undetermined.iter().map(|derivative| derivative.of).collect();
    assert_eq!(found, expected, "{undetermined:?}");
    let is_open = |name, order| undetermined.contains(&Derivative::new(mode.column(name), order));
    assert!(is_open("u", 0) && is_open("x", 1));
}

#[test]
fn an_impact_law_for_one_velocity_determines_the_elastic_rope() {
    // E22 (62): v⁺ = -α v⁻; the impulse acts along the rope, so the tangential momentum is kept.
    let mode = Mode::new(ROPE);
    let laws = LinearLaws(vec![law(&mode, "v", -0.8)]);
    let transient = TransientStructure::new(&mode.structure, &instantaneous(&mode, &["k1"]), &laws.contents());
    assert!(transient.undetermined(&mode.structure).is_empty());
    assert!(transient.levels.iter().all(|level| level.conflicting.is_empty()));
    assert_eq!(transient.levels[1].rows[0], TransientRow::Law(0));
    let (x, y, u, v) = (0.6, -0.8, 0.8, -4.0);
    let left = left(&mode, &[("x", &[x, u]), ("y", &[y, v]), ("u", &[u]), ("v", &[v]), ("lambda", &[0.0])]);
    let result = restarted(&mode, &transient, &laws, &left);
    let weight = 1.8 * v / y;
    let found = |name: &str| result.right.get(mode.column(name), 0);
    assert!((found("v") + 0.8 * v).abs() < 1e-12);
    assert!((found("u") - (u - weight * x)).abs() < 1e-12, "{}", found("u"));
    assert!((result.weights[mode.column("lambda")][0] - weight).abs() < 1e-12);
    assert_eq!((found("x"), found("y")), (x, y), "positions are continuous");
    assert_eq!(result.right.get(mode.column("x"), 1), found("u"));
}

#[test]
fn a_bouncing_ball_is_reset_at_each_impact() {
    // h0 = 1, e = 0.9, g = 9.81: speed before the k-th impact is sqrt(2 g) 0.9^(k-1).
    let mode = Mode::new("eh: h' = v\n ev: v' = -9.81");
    let laws = LinearLaws(vec![law(&mode, "v", -0.9)]);
    let transient = TransientStructure::new(&mode.structure, &instantaneous(&mode, &[]), &laws.contents());
    assert!(transient.undetermined(&mode.structure).is_empty());
    let mut speed = -(2.0 * 9.81_f64).sqrt();
    assert!((speed + 4.42944691807002).abs() < 1e-14);
    for expected in [3.986502226263018, 3.587852003636716, 3.229066803273045, 2.90616012294574, 2.615544110651166] {
        let result = restarted(&mode, &transient, &laws, &left(&mode, &[("h", &[0.0, speed]), ("v", &[speed])]));
        let after = result.right.get(mode.column("v"), 0);
        assert!((after - expected).abs() < 1e-12, "{after}, expected {expected}");
        assert_eq!(result.right.get(mode.column("h"), 0), 0.0, "the height is continuous");
        speed = -after;
    }
}

#[test]
fn a_reset_of_one_speed_moves_what_is_rigidly_tied_to_it() {
    // Two speeds tied for good; a law for one moves both, and the torque between them takes the impulse.
    let mode = Mode::new("e1: w1' = t - 1\n e2: 2*w2' = -t\n e3: w1 = w2");
    let laws = LinearLaws(vec![law(&mode, "w1", -1.0)]);
    let transient = TransientStructure::new(&mode.structure, &instantaneous(&mode, &[]), &laws.contents());
    assert!(transient.levels.iter().all(|level| level.conflicting.is_empty()), "{transient:?}");
    let result = restarted(&mode, &transient, &laws, &left(&mode, &[("w1", &[3.0]), ("w2", &[3.0]), ("t", &[0.0])]));
    assert_eq!(result.right.get(mode.column("w1"), 0), -3.0);
    assert_eq!(result.right.get(mode.column("w2"), 0), -3.0);
}

#[test]
fn two_laws_for_one_limit_contradict_each_other() {
    let mode = Mode::new("eh: h' = v\n ev: v' = -9.81");
    let laws = LinearLaws(vec![law(&mode, "v", -0.9), law(&mode, "v", -0.5)]);
    let transient = TransientStructure::new(&mode.structure, &instantaneous(&mode, &[]), &laws.contents());
    assert_eq!(transient.levels[0].conflicting, [TransientRow::Law(1)]);
}
