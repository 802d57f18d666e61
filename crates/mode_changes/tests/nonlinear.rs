//! Restarts of nonlinear models: ropes, contacts, rods, clutches.

use crate::one_change::{DifferenceArray, Memory, Noise, Note, Restart, restart};
use crate::suite::support;
use crate::suite::support::array_restart::ArrayRestart;
use modeshift_dae::Derivative;
use support::model::{Before, Mode};

fn check_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{what}: {found}, expected {expected}");
}

fn restarted(mode: &Mode, before: &[Before], new: &[&str]) -> Restart {
    let result = restart(&mode.structure, &mode.equations(), &mode.past(before, new), &Noise::default());
    assert!(result.is_determined(), "{:?} {:?}", result.notes, result.memory);
    result
}

const TAUT: &str = "
    e1: x'' + lambda*x = 0
    e2: y'' + lambda*y + 9.81 = 0
    k1: 0 = 1 - (x^2 + y^2)
    k2: s = -lambda";

/// Free flight until the rope is straight; values of the closed form to 16 digits.
mod cup_and_ball {
    pub const POSITION: [f64; 2] = [0.6902941021103984, -0.723528888567415];
    pub const BEFORE: [f64; 2] = [0.8, -4.28598142712876];
    pub const AFTER: [f64; 2] = [-1.721828428889345, -1.642737460921138];
    pub const WEIGHT: f64 = 3.653266660079374;
    pub const TENSION: f64 = 12.76109790089152;
}

#[test]
fn the_rope_takes_the_radial_velocity_with_a_dirac_tension() {
    // E22 (55) and (61): positions are continuous, the velocity is projected on the tangent.
    use cup_and_ball::*;
    let mode = Mode::new(TAUT);
    let before: [Before; 4] = [
        ("x", 2, &[POSITION[0], BEFORE[0], 0.0]),
        ("y", 2, &[POSITION[1], BEFORE[1], -9.81]),
        ("lambda", 0, &[0.0]),
        ("s", 0, &[0.0]),
    ];
    let result = restarted(&mode, &before, &["k1", "k2"]);
    assert_eq!(mode.constraint_names(&result.memory.erased), ["k1", "k1'"]);
    for (name, position, velocity) in [("x", POSITION[0], AFTER[0]), ("y", POSITION[1], AFTER[1])] {
        check_close(result.right.get(mode.column(name), 0), position, 1e-14, name);
        check_close(result.right.get(mode.column(name), 1), velocity, 1e-9, name);
        assert!(result.weights[mode.column(name)].is_empty());
    }
    let lambda = mode.column("lambda");
    check_close(result.right.get(lambda, 0), TENSION, 1e-9, "lambda");
    assert_eq!(result.weights[lambda].len(), 1);
    check_close(result.weights[lambda][0], WEIGHT, 1e-9, "weight of lambda");
    check_close(result.weights[mode.column("s")][0], -WEIGHT, 1e-9, "weight of s");
}

#[test]
fn the_difference_array_of_the_rope_agrees_to_1e_6() {
    use cup_and_ball::*;
    let mode = Mode::new(TAUT);
    let before: [Before; 4] = [
        ("x", 2, &[POSITION[0], BEFORE[0]]),
        ("y", 2, &[POSITION[1], BEFORE[1]]),
        ("lambda", 0, &[0.0]),
        ("s", 0, &[0.0]),
    ];
    let past = mode.past(&before, &["k1", "k2"]);
    let array = DifferenceArray::new(&mode.structure, &past.structure());
    assert_eq!(mode.constraint_names(&array.erased), ["k1", "k1'"]);
    let found =
        ArrayRestart::new(&mode.structure, &past.structure(), &mode.equations(), &past, 1e-3, 0).expect("a solution");
    check_close(found.right.get(mode.column("x"), 1), AFTER[0], 1e-6, "x'");
    check_close(found.right.get(mode.column("y"), 1), AFTER[1], 1e-6, "y'");
    check_close(found.weights[mode.column("lambda")][0], WEIGHT, 1e-6, "weight of lambda");
}

#[test]
fn the_rope_in_equations_of_first_order_restarts_alike() {
    // As written in Modelica, E22 Figure 23: der(x) = u, der(y) = v.
    use cup_and_ball::*;
    let mode = Mode::new(
        "ex: x' = u
         ey: y' = v
         e1: u' + lambda*x = 0
         e2: v' + lambda*y + 9.81 = 0
         k1: 0 = 1 - (x^2 + y^2)
         k2: s = -lambda",
    );
    let before: [Before; 6] = [
        ("x", 1, &[POSITION[0], BEFORE[0]]),
        ("y", 1, &[POSITION[1], BEFORE[1]]),
        ("u", 1, &[BEFORE[0], 0.0]),
        ("v", 1, &[BEFORE[1], -9.81]),
        ("lambda", 0, &[0.0]),
        ("s", 0, &[0.0]),
    ];
    let result = restarted(&mode, &before, &["k1", "k2"]);
    assert_eq!(mode.constraint_names(&result.memory.erased), ["k1", "k1'"]);
    check_close(result.right.get(mode.column("u"), 0), AFTER[0], 1e-9, "u");
    check_close(result.right.get(mode.column("v"), 0), AFTER[1], 1e-9, "v");
    check_close(result.weights[mode.column("lambda")][0], WEIGHT, 1e-9, "weight of lambda");
}

#[test]
fn an_event_found_late_moves_results_by_no_more_than_its_error() {
    // The rope is too long by 1e-11: positions are projected, no impulse of higher order appears.
    use cup_and_ball::*;
    let mode = Mode::new(TAUT);
    let late = 1.0 + 1e-11;
    let before: [Before; 4] = [
        ("x", 2, &[POSITION[0] * late, BEFORE[0], 0.0]),
        ("y", 2, &[POSITION[1] * late, BEFORE[1], -9.81]),
        ("lambda", 0, &[0.0]),
        ("s", 0, &[0.0]),
    ];
    let result = restarted(&mode, &before, &["k1", "k2"]);
    assert_eq!(result.weights[mode.column("lambda")].len(), 1, "no derivative of a Dirac impulse");
    check_close(result.right.get(mode.column("x"), 0), POSITION[0], 1e-10, "x");
    check_close(result.right.get(mode.column("x"), 1), AFTER[0], 1e-9, "x'");
}

#[test]
fn a_cut_wire_moves_nothing_but_the_tension() {
    let mode = Mode::new(
        "e1: x'' + lambda*x = 0
         e2: y'' + lambda*y + 9.81 = 0
         k3: lambda = 0",
    );
    let (x, y) = ([0.6008889770234303, -1.80198910627353], [-0.799332494830365, -1.354624511925864]);
    let tension = 12.92362408172474;
    let before: [Before; 3] = [("x", 2, &[x[0], x[1]]), ("y", 2, &[y[0], y[1]]), ("lambda", 0, &[tension])];
    let result = restarted(&mode, &before, &["k3"]);
    for (name, left) in [("x", x), ("y", y)] {
        for (order, value) in left.into_iter().enumerate() {
            assert_eq!(result.right.get(mode.column(name), order as u32).to_bits(), value.to_bits(), "{name}");
        }
    }
    assert_eq!(result.right.get(mode.column("lambda"), 0), 0.0);
    assert_eq!(result.right.get(mode.column("y"), 2), -9.81);
}

#[test]
fn a_contact_with_a_state_dependent_normal_keeps_the_tangential_velocity() {
    // A particle meets the curve y = x^3/3 at x = 0.5: normal (-x^2, 1), inelastic, frictionless.
    let mode = Mode::new(
        "ex: x'' = -lambda*x^2
         ey: y'' = lambda - 9.81
         c: y = x^3/3",
    );
    let (x, y) = (0.5, 0.125 / 3.0);
    let before: [Before; 3] = [("x", 2, &[x, 2.0, 0.0]), ("y", 2, &[y, -1.0, -9.81]), ("lambda", 0, &[0.0])];
    let result = restarted(&mode, &before, &["c"]);
    let normal = [-x * x, 1.0];
    let square = normal[0] * normal[0] + normal[1] * normal[1];
    let weight = -(2.0 * normal[0] - normal[1]) / square;
    check_close(result.weights[mode.column("lambda")][0], weight, 1e-12, "weight");
    check_close(result.right.get(mode.column("x"), 1), 2.0 + weight * normal[0], 1e-12, "x'");
    check_close(result.right.get(mode.column("y"), 1), -1.0 + weight * normal[1], 1e-12, "y'");
}

#[test]
fn a_pendulum_that_gains_a_second_rod_conserves_what_it_must() {
    // A first mass on its rod (shared equations), a second in free flight is caught by a rod of length 1.
    let mode = Mode::new(
        "a1: 2*x1'' = -p*x1 + q*(x2 - x1)
         b1: 2*y1'' = -p*y1 + q*(y2 - y1) - 19.62
         a2: x2'' = -q*(x2 - x1)
         b2: y2'' = -q*(y2 - y1) - 9.81
         r1: x1^2 + y1^2 = 1
         r2: (x2 - x1)^2 + (y2 - y1)^2 = 1",
    );
    let (c, s) = (0.6, 0.8);
    // First mass at (c, -s) with velocity along (s, c); second at distance 1 from it.
    let (x1, y1, x2, y2) = (c, -s, c + 0.28, -s - 0.96);
    let (u1, v1, u2, v2) = (s * 1.5, c * 1.5, -0.7, 0.4);
    let before: [Before; 6] = [
        ("x1", 2, &[x1, u1]),
        ("y1", 2, &[y1, v1]),
        ("x2", 2, &[x2, u2]),
        ("y2", 2, &[y2, v2]),
        ("p", 0, &[1.0]),
        ("q", 0, &[0.0]),
    ];
    let mut past = mode.past(&before, &["r2"]);
    past.offset[mode.row("r1")] = 2;
    let result = restart(&mode.structure, &mode.equations(), &past, &Noise::default());
    assert!(result.is_determined(), "{:?}", result.notes);
    // Impulses P along the first rod and Q along the second, from both rods keeping their lengths.
    let n1 = [x1, y1];
    let n2 = [x2 - x1, y2 - y1];
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    // v1⁺ = v1 + (-P n1 + Q n2)/2, v2⁺ = v2 - Q n2; n1·v1⁺ = 0, n2·(v2⁺ - v1⁺) = 0.
    let (a11, a12) = (-dot(n1, n1) / 2.0, dot(n1, n2) / 2.0);
    let (a21, a22) = (dot(n2, n1) / 2.0, -dot(n2, n2) * 1.5);
    let (b1, b2) = (-dot(n1, [u1, v1]), -dot(n2, [u2 - u1, v2 - v1]));
    let determinant = a11 * a22 - a12 * a21;
    let p = (b1 * a22 - a12 * b2) / determinant;
    let q = (a11 * b2 - a21 * b1) / determinant;
    check_close(result.weights[mode.column("p")][0], p, 1e-9, "P");
    check_close(result.weights[mode.column("q")][0], q, 1e-9, "Q");
    check_close(result.right.get(mode.column("x1"), 1), u1 + (-p * n1[0] + q * n2[0]) / 2.0, 1e-9, "x1'");
    check_close(result.right.get(mode.column("y2"), 1), v2 - q * n2[1], 1e-9, "y2'");
    check_close(result.right.get(mode.column("x1"), 0), x1, 1e-14, "x1");
}

#[test]
fn a_clutch_with_inertia_that_depends_on_speed_takes_left_limits() {
    // E22 (42): f_i = a_i(w) + b_i(w) tau.
    let mode = Mode::new(
        "e1: w1' = -0.1*w1 + (1 + w1^2)*t1
         e2: w2' = -0.2*w2 + (2 + w2)*t2
         e3: w1 - w2 = 0
         e4: t1 + t2 = 0",
    );
    let before: [Before; 4] = [("w1", 1, &[3.0, -0.3]), ("w2", 1, &[1.0, -0.2]), ("t1", 0, &[0.0]), ("t2", 0, &[0.0])];
    let result = restarted(&mode, &before, &["e3", "e4"]);
    assert_eq!(mode.constraint_names(&result.memory.erased), ["e3"]);
    let (b1, b2) = (10.0, 3.0);
    let speed = (b2 * 3.0 + b1 * 1.0) / (b1 + b2);
    check_close(result.right.get(mode.column("w1"), 0), speed, 1e-12, "w1");
    check_close(result.right.get(mode.column("w2"), 0), speed, 1e-12, "w2");
    check_close(result.weights[mode.column("t1")][0], (speed - 3.0) / b1, 1e-12, "t1");
}

#[test]
fn a_released_clutch_keeps_its_speeds_to_the_bit() {
    let mode = Mode::new(
        "e1: w1' = -0.1*w1 + t1
         e2: w2' = -0.2*w2 + t2
         e5: t1 = 0
         e6: t2 = 0",
    );
    let before: [Before; 4] = [("w1", 1, &[0.3, 0.1]), ("w2", 1, &[0.3, 0.1]), ("t1", 0, &[0.13]), ("t2", 0, &[-0.13])];
    let result = restarted(&mode, &before, &["e5", "e6"]);
    assert!(result.memory.erased.is_empty() && result.defects.is_empty());
    assert_eq!(result.right.get(mode.column("w1"), 0).to_bits(), 0.3_f64.to_bits());
    assert_eq!(result.right.get(mode.column("t1"), 0), 0.0);
    check_close(result.right.get(mode.column("w1"), 1), -0.03, 1e-15, "w1'");
}

#[test]
fn a_new_variable_that_is_tied_is_born_where_nothing_jumps() {
    // z did not exist; z = x ties it to a state, and its derivative needs memory.
    let mode = Mode::new(
        "e1: x' = f
         e2: z = x
         e3: z' = -z",
    );
    let before: [Before; 2] = [("x", 1, &[2.5, 0.0]), ("f", 0, &[0.0])];
    let result = restarted(&mode, &before, &["e2", "e3"]);
    assert_eq!(result.right.get(mode.column("x"), 0), 2.5);
    assert_eq!(result.right.get(mode.column("z"), 0), 2.5);
    assert!(result.weights.iter().all(|weights| weights.is_empty()));
    check_close(result.right.get(mode.column("f"), 0), -2.5, 1e-15, "f");
}

#[test]
fn memory_comes_from_continuity_then_start_values_and_is_else_reported() {
    // The inductor current was computed, but no state, before its voltage was switched in.
    let mode = Mode::new("e1: 0.5*i' = v\n e2: v = 1");
    let past = mode.past(&[("i", 0, &[0.25]), ("v", 0, &[0.0])], &["e1", "e2"]);
    let result = restart(&mode.structure, &mode.equations(), &past, &Noise::default());
    assert_eq!(result.right.get(mode.column("i"), 0), 0.25);
    let mut unknown = mode.past(&[("v", 0, &[0.0])], &["e1", "e2"]);
    let verdict = Memory::new(&mode.structure, &unknown.structure());
    assert_eq!(verdict.undetermined().collect::<Vec<_>>(), [Derivative::new(mode.column("i"), 0)]);
    unknown.start[mode.column("i")] = Some(0.75);
    let result = restart(&mode.structure, &mode.equations(), &unknown, &Noise::default());
    assert!(result.is_determined());
    assert_eq!(result.right.get(mode.column("i"), 0), 0.75);
}

#[test]
fn a_diode_turns_off_at_zero_current_without_an_impulse() {
    // Half-wave rectifier with R = omega L = 1 at its extinction angle: the inductor voltage jumps to zero, the
    // current, zero but for the error of the event, is projected, and no impulse appears.
    let beta: f64 = 3.940733135692915;
    let mode = Mode::new("l: i' = vl\n r: vr = i\n k: sin(time) = u + vl + vr\n off: i = 0");
    let voltage = -0.7167569941067695;
    let left = 1e-13;
    let before: [Before; 4] = [("i", 1, &[left, voltage]), ("vl", 0, &[voltage]), ("vr", 0, &[left]), ("u", 0, &[0.0])];
    let mut past = mode.past(&before, &["off"]);
    past.jet.time = beta;
    let noise = Noise { event_time_error: 1e-12, ..Noise::default() };
    let result = restart(&mode.structure, &mode.equations(), &past, &noise);
    assert!(result.is_determined(), "{:?}", result.notes);
    assert_eq!(result.right.get(mode.column("i"), 0), 0.0);
    check_close(result.right.get(mode.column("vl"), 0), 0.0, 1e-12, "voltage of the inductor");
    check_close(result.right.get(mode.column("u"), 0), voltage, 1e-12, "voltage of the diode");
    assert!(result.weights.iter().all(|weights| weights.is_empty()), "{:?}", result.weights);
}

#[test]
fn an_impulse_inside_a_nonlinear_function_is_refused() {
    // The torque t is a Dirac impulse: it has no square and no exponential. Where a state depends on that, nothing can be
    // computed; an output has its right limit, but no weight.
    let clutch = "e1: w1' = t\n e2: w2' = -t\n e3: w1 - w2 = 0\n";
    let before: [Before; 4] = [("w1", 1, &[3.0, 0.0]), ("w2", 1, &[1.0, 0.0]), ("t", 0, &[0.0]), ("y", 0, &[0.0])];
    for law in ["e4: x = exp(t)", "e4: x = t^2", "e4: x = t*sin(t)"] {
        let mode = Mode::new(&format!("{clutch} {law}"));
        let past = mode.past(&before[..3], &["e3"]);
        let result = restart(&mode.structure, &mode.equations(), &past, &Noise::default());
        assert!(result.notes.contains(&Note::Undefined(mode.column("x"))), "{law}: {:?}", result.notes);
        assert!(result.is_determined() && result.weights[mode.column("x")][0].is_nan(), "{law}");
        check_close(result.right.get(mode.column("w1"), 0), 2.0, 1e-12, law);
        let mode = Mode::new(&format!("{clutch} {law}\n e5: y' = x"));
        let past = mode.past(&before, &["e3"]);
        let result = restart(&mode.structure, &mode.equations(), &past, &Noise::default());
        let expected = Note::Meaningless { row: mode.row("e4"), impulsive: Derivative::new(mode.column("t"), 0) };
        assert!(result.notes.contains(&expected), "{law}: {:?}", result.notes);
        assert!(!result.is_determined());
    }
    let before = &before[..3];
    let mode = Mode::new(&format!("{clutch} e4: x = 2*t + w1^2"));
    assert!(restarted(&mode, before, &["e3"]).notes.is_empty());
}
