//! Which mode comes next: tanks, diodes, friction, and many guards at once.

use crate::next_mode::{
    Accepted, Cluster, Complementarity, GuardSeries, NextMode, Objection, StateCondition, States, Strategy, lemke,
};
use crate::one_change::Noise;
use crate::suite::support;
use modeshift_numerics::small_dense::{Factors, Matrix};
use support::cluster::{State, TextCluster, guard};
use support::random::Random;

fn accepted(cluster: &mut TextCluster, current: &[u32]) -> States {
    match cluster.next_mode(&current.to_vec(), &Strategy::ALL) {
        NextMode::Accepted { mode, .. } => mode,
        NextMode::None(tried) => panic!("none accepted: {tried:?}"),
    }
}

fn check_unique(cluster: &mut TextCluster, current: &[u32], expected: &[u32]) {
    assert_eq!(accepted(cluster, current), expected);
    let noise = cluster.noise;
    assert_eq!(cluster.accepted_modes(&current.to_vec(), &noise), Accepted::One(vec![expected.to_vec()]));
}

/// E22 Figure 4: states are full and empty.
fn water_tank(current: &[u32], time: f64, level: f64) -> TextCluster {
    let common = "e1: z = 0.8*6.667*(1 + cos(6.283185307179586*time))
                  e2: x' = z + yl - yh - 6.667";
    let full = guard(("h: x = 1", "yh"), ("h: yh = 0", "1 - x"));
    let empty = guard(("l: x = 0", "yl"), ("l: yl = 0", "x"));
    TextCluster::new(common, vec![full, empty], current, time, &[("x", &[level])])
}

#[test]
fn the_water_tank_enters_and_leaves_its_limits() {
    for Switch { from, time, level, fired, to } in switches(0.0) {
        let mut tank = water_tank(&from, time, level);
        tank.fired = vec![fired];
        check_unique(&mut tank, &from, &to);
    }
}

#[test]
fn the_water_tank_enters_and_leaves_its_limits_though_events_are_found_early_or_late() {
    for error in [-1e-6, -1e-9, 0.0, 1e-9, 1e-6] {
        for Switch { from, time, level, fired, to } in switches(error) {
            let mut tank = water_tank(&from, time, level);
            tank.fired = vec![fired];
            tank.noise = Noise { event_time_error: 2e-6, ..Noise::default() };
            let mode = accepted(&mut tank, &from);
            assert_eq!(mode, to, "error {error}, at {time}");
            let (mode, result) = tank.restarted(&mode, false).expect("a regular mode");
            let level_after = result.right.get(mode.column("x"), 0);
            assert!((level_after - level.round()).abs() <= 8.0 * error.abs(), "error {error}: {level_after}");
        }
    }
}

/// An event of the water tank.
struct Switch {
    from: [u32; 2],
    time: f64,
    level: f64,
    /// The guard.
    fired: usize,
    to: [u32; 2],
}

/// The events of the water tank, each found too early or late. The inflow exceeds the outflow by 0.6 y0 at time 0; both
/// are equal where 0.8 (1 + cos) = 1.
fn switches(error: f64) -> [Switch; 4] {
    let balance = 0.25_f64.acos() / std::f64::consts::TAU;
    [
        Switch { from: [0, 0], time: 0.0, level: 1.0 + 4.0 * error, fired: 0, to: [1, 0] },
        Switch { from: [1, 0], time: balance + error, level: 1.0, fired: 0, to: [0, 0] },
        Switch { from: [0, 0], time: 0.5, level: -6.667 * error, fired: 1, to: [0, 1] },
        Switch { from: [0, 1], time: 1.0 - balance + error, level: 0.0, fired: 1, to: [0, 0] },
    ]
}

const RLDC2: &str = "
    k1: 0 = j1 + i1 + i2 + j2
    k2: 10*j1 + w1 = u1 + v1
    k3: u1 + v1 = u2 + v2
    k4: u2 + v2 = 15*j2 + w2
    l1: w1 = j1'
    l2: w2 = 1.5*j2'
    c1: i1 = 0.1*v1'
    c2: i2 = 0.15*v2'";

/// RR9322 Figure 4; a diode blocks with u <= 0. `sign` is what stands before u in its curve.
fn rldc2(current: &[u32], sign: &str, left: [f64; 4]) -> TextCluster {
    let diode = |k: usize| {
        guard((&format!("z{k}: u{k} = 0"), &format!("i{k}")), (&format!("z{k}: i{k} = 0"), &format!("{sign}u{k}")))
    };
    let memory: [(&str, &[f64]); 4] =
        [("j1", &left[..1]), ("j2", &left[1..2]), ("v1", &left[2..3]), ("v2", &left[3..])];
    let cluster = TextCluster::new(RLDC2, vec![diode(1), diode(2)], current, 0.0, &memory);
    cluster.with_left_limits(&memory)
}

#[test]
fn rldc2_finds_its_mode_from_three_starts() {
    // Consistent start, the commutation to both conducting, and the start printed in RR9322, which needs a jump:
    // the negative Dirac impulses of u1 and u2 say that both block.
    check_unique(&mut rldc2(&[1, 0], "-", [-2.0, -1.0, 0.5, 1.0]), &[1, 0], &[1, 0]);
    let mut commutation = rldc2(&[1, 0], "-", [-1.65267443130621, -0.824203003832456, 1.0, 1.0]);
    commutation.fired = vec![1];
    check_unique(&mut commutation, &[1, 0], &[1, 1]);
    let mut printed = rldc2(&[1, 0], "-", [2.0, 1.0, 0.5, 1.0]);
    check_unique(&mut printed, &[1, 0], &[0, 0]);
    let (mode, result) = printed.restarted(&vec![0, 0], false).expect("a regular mode");
    assert!((result.right.get(mode.column("j1"), 0) - 0.2).abs() < 1e-12);
    assert!((result.right.get(mode.column("j2"), 0) + 0.2).abs() < 1e-12);
    assert!((result.weights[mode.column("u1")][0] + 1.8).abs() < 1e-12);
    assert!((result.weights[mode.column("u2")][0] + 1.8).abs() < 1e-12);
}

#[test]
fn lemke_on_one_step_finds_the_modes_of_circuits_impulses_included() {
    let diodes = [("z1", "i1", "u1"), ("z2", "i2", "u2")];
    let printed = rldc2(&[1, 0], "-", [2.0, 1.0, 0.5, 1.0]);
    assert_eq!(printed.diodes_by_lemke(&diodes, 1e-6), Some(vec![0, 0]));
    let consistent = rldc2(&[1, 0], "-", [-2.0, -1.0, 0.5, 1.0]);
    assert_eq!(consistent.diodes_by_lemke(&diodes, 1e-6), Some(vec![1, 0]));
    // Just after the zero crossing of the source, the other pair of a bridge conducts.
    let bridge = bridge(RESISTOR, &[1, 0, 0, 1], &[("v", &[-1e-3]), ("i", &[0.08])], 0.0);
    let diodes = [("z1", "d1", "u1"), ("z2", "d2", "u2"), ("z3", "d3", "u3"), ("z4", "d4", "u4")];
    assert_eq!(bridge.diodes_by_lemke(&diodes, 1e-9), Some(vec![0, 1, 1, 0]));
}

#[test]
fn rldc2_with_the_sign_as_printed_is_diagnosed() {
    // With g = (s >= 0) and s = -u where blocking, blocking needs u > 0, which contradicts a conducting diode's end.
    let mut cluster = rldc2(&[1, 0], "", [2.0, 1.0, 0.5, 1.0]);
    match cluster.next_mode(&vec![1, 0], &Strategy::ALL) {
        NextMode::None(tried) => {
            let modes: std::collections::BTreeSet<&States> = tried.iter().map(|(mode, _)| mode).collect();
            assert_eq!(modes.len(), 4, "every mode is explained: {tried:?}");
            assert!(tried.iter().all(|(_, why)| matches!(why, Objection::Violated { .. })));
        }
        NextMode::Accepted { mode, .. } => panic!("{mode:?} is wrong"),
    }
}

/// Four ideal diodes between a source v and a load.
fn bridge(load: &str, current: &[u32], memory: &[(&str, &[f64])], time: f64) -> TextCluster {
    let common = format!(
        "ac1: iac = d1 - d3
         ac2: -iac = d2 - d4
         dc: ir = d1 + d2
         vr: vr = vp - vn
         u1: u1 = v - vp
         u2: u2 = -vp
         u3: u3 = vn - v
         u4: u4 = vn
         {load}"
    );
    let diode = |k: usize| {
        guard((&format!("z{k}: u{k} = 0"), &format!("d{k}")), (&format!("z{k}: d{k} = 0"), &format!("-u{k}")))
    };
    TextCluster::new(&common, (1..=4).map(diode).collect(), current, time, memory)
}

const RESISTOR: &str = "c: 0.000001*v' = -i - iac
                        l: 0.01*i' = v
                        r: vr = 1000*ir";

#[test]
fn all_four_diodes_of_a_bridge_commute_at_once() {
    // v crosses zero downwards: diodes 1 and 4 conducted, 2 and 3 take over.
    let mut cluster = bridge(RESISTOR, &[1, 0, 0, 1], &[("v", &[0.0]), ("i", &[0.08])], 0.0);
    cluster.fired = vec![0, 3];
    cluster.noise = Noise { time_scale: 1e-5, ..Noise::default() };
    let current = vec![1, 0, 0, 1];
    let expected = vec![0, 1, 1, 0];
    let tried = |found: NextMode| match found {
        NextMode::Accepted { mode, tried } if mode == expected => tried,
        other => panic!("{other:?}"),
    };
    assert_eq!(tried(cluster.next_mode(&current, &Strategy::ALL)), 2, "all four flip at once");
    assert!(tried(cluster.next_mode(&current, &[Strategy::FlipLeast])) <= 5);
    let noise = cluster.noise;
    assert_eq!(cluster.accepted_modes(&current, &noise), Accepted::One(vec![expected.clone()]));
}

#[test]
fn a_half_wave_rectifier_turns_on_and_off_though_the_angle_is_not_exact() {
    // R = ωL = 1: on at angle 0, off at the extinction angle.
    let beta = 3.940733135692915;
    let common = "l: i' = vl\n r: vr = i\n k: sin(time) = u + vl + vr";
    let diode = || guard(("d: u = 0", "i"), ("d: i = 0", "-u"));
    for error in [-1e-9, -2e-13, 0.0, 2e-13, 1e-9] {
        let current = |angle: f64| (angle.sin() - angle.cos() + (-angle).exp()) / 2.0;
        let mut on = TextCluster::new(common, vec![diode()], &[0], error, &[("i", &[0.0])]);
        let mut off = TextCluster::new(common, vec![diode()], &[1], beta + error, &[("i", &[current(beta + error)])]);
        for cluster in [&mut on, &mut off] {
            cluster.fired = vec![0];
            cluster.noise = Noise { event_time_error: 2e-9, ..Noise::default() };
        }
        check_unique(&mut on, &[0], &[1]);
        check_unique(&mut off, &[1], &[0]);
    }
}

#[test]
fn a_bridge_with_a_filter_turns_off_through_a_singular_mode() {
    // The current through the diodes ends where cos(t) = sin(t): no diode conducts. All off is singular (the dc side floats), but a
    // single conducting diode with identically zero current is the same solution in another name.
    let load = "s: v = cos(time)
                q: 0.1*vr' = ir - vr/10";
    let turn_off = std::f64::consts::FRAC_PI_4;
    let mut cluster = bridge(load, &[1, 0, 0, 1], &[("vr", &[turn_off.cos()])], turn_off);
    cluster.fired = vec![0, 3];
    let mode = accepted(&mut cluster, &[1, 0, 0, 1]);
    assert_eq!(mode.iter().sum::<u32>(), 1, "{mode:?}");
    let noise = cluster.noise;
    match cluster.accepted_modes(&vec![1, 0, 0, 1], &noise) {
        Accepted::One(modes) => assert!(modes.len() >= 2 && modes.contains(&mode), "{modes:?}"),
        other => panic!("{other:?}"),
    }
}

/// A block with friction on a moving base: states back, stuck, forward.
fn coulomb(force: &str, current: u32, velocity: f64, time: f64) -> TextCluster {
    let state = |equation: &str, conditions: &[(&str, u32)]| State {
        equations: equation.to_string(),
        conditions: conditions.iter().map(|(text, otherwise)| (text.to_string(), *otherwise)).collect(),
    };
    let element = vec![
        state("f: f = -1", &[("-w", 1)]),
        state("f: w = 0", &[("1 - f", 2), ("1 + f", 0)]),
        state("f: f = 1", &[("w", 1)]),
    ];
    let common = format!("m: 2*w' = {force} - f");
    TextCluster::new(&common, vec![element], &[current], time, &[("w", &[velocity])])
}

#[test]
fn a_coulomb_block_breaks_away_reverses_and_sticks() {
    const BACK: u32 = 0;
    const STUCK: u32 = 1;
    const FORWARD: u32 = 2;
    // Breakaway: the force grows through the limit.
    let mut breakaway = coulomb("time", STUCK, 0.0, 1.0);
    breakaway.fired = vec![0];
    check_unique(&mut breakaway, &[STUCK], &[FORWARD]);
    // Sliding forward comes to rest under a small force: stuck.
    let mut stopping = coulomb("0.5", FORWARD, 0.0, 0.0);
    stopping.fired = vec![0];
    check_unique(&mut stopping, &[FORWARD], &[STUCK]);
    // Reversal: a force beyond the limit on the other side.
    let mut reversal = coulomb("-3", FORWARD, 0.0, 0.0);
    reversal.fired = vec![0];
    check_unique(&mut reversal, &[FORWARD], &[BACK]);
    // Noise in the speed at rest changes nothing.
    let mut noisy = coulomb("-3", FORWARD, 3e-13, 0.0);
    noisy.fired = vec![0];
    check_unique(&mut noisy, &[FORWARD], &[BACK]);
    // A force exactly at the limit for ever: stuck and forward coincide, and the current mode is kept.
    let mut limit = coulomb("1", STUCK, 0.0, 0.0);
    assert_eq!(accepted(&mut limit, &[STUCK]), [STUCK]);
    let noise = limit.noise;
    let both = limit.accepted_modes(&vec![STUCK], &noise);
    assert_eq!(both, Accepted::One(vec![vec![STUCK], vec![FORWARD]]));
}

/// Masses in a row on springs of unit stiffness, each with Coulomb friction, all at rest and at the limit or inside.
fn coupled_coulomb(random: &mut Random, count: usize) -> TextCluster {
    let mut common = String::new();
    let mut elements = Vec::new();
    for k in 0..count {
        let coupling = if k > 0 { format!("(w{} - w{k})", k - 1) } else { "0".to_string() };
        let next = if k + 1 < count { format!("(w{} - w{k})", k + 1) } else { "0".to_string() };
        // Loads that grow through the limit 1, shrink away from it, or stay inside.
        let load = ["1 + time", "-1 - time", "1 - time", "-1 + time", "0.3", "1 + time^2"][random.below(6) as usize];
        common += &format!("m{k}: {}*w{k}' = {load} + 0.5*{coupling} + 0.5*{next} - f{k}\n", 1 + random.below(3));
        let state = |equation: String, conditions: Vec<(String, u32)>| State { equations: equation, conditions };
        elements.push(vec![
            state(format!("f{k}: f{k} = -1"), vec![(format!("-w{k}"), 1)]),
            state(format!("f{k}: w{k} = 0"), vec![(format!("1 - f{k}"), 2), (format!("1 + f{k}"), 0)]),
            state(format!("f{k}: f{k} = 1"), vec![(format!("w{k}"), 1)]),
        ]);
    }
    let names: Vec<String> = (0..count).map(|k| format!("w{k}")).collect();
    let memory: Vec<(&str, &[f64])> = names.iter().map(|name| (name.as_str(), &[0.0][..])).collect();
    TextCluster::new(&common, elements, &vec![1; count], 0.0, &memory)
}

/// Finds the mode of random coupled elements; where `is_enumerated` says so of a number and a seed, also that it is the
/// only solution.
fn check_coupled_coulomb(is_enumerated: impl Fn(usize, u64) -> bool) {
    let mut least = 0;
    for seed in 0..1920 {
        let mut random = Random::new(seed);
        let count = 1 + seed as usize % 5;
        let mut cluster = coupled_coulomb(&mut random, count);
        cluster.fired = (0..count).collect();
        let current = vec![1; count];
        let mode = accepted(&mut cluster, &current);
        let by_least = cluster.next_mode(&current, &[Strategy::FlipLeast]);
        least += usize::from(matches!(by_least, NextMode::Accepted { .. }));
        if is_enumerated(count, seed) {
            let noise = cluster.noise;
            match cluster.accepted_modes(&current, &noise) {
                Accepted::One(modes) => assert!(modes.contains(&mode), "seed {seed}: {mode:?} not in {modes:?}"),
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }
    assert_eq!(least, 1920, "least index finds all");
}

#[test]
fn coupled_coulomb_elements_at_their_limits_have_one_solution() {
    check_coupled_coulomb(|count, seed| seed / 5 % [1, 4, 32, 128, 384][count - 1] == 0);
}

/// `cargo test --release -p modeshift-mode-changes --test next_mode -- --ignored`
#[test]
#[ignore = "enumerates 140,000 modes"]
fn coupled_coulomb_elements_have_one_solution_in_all_1920_cases() {
    check_coupled_coulomb(|_, _| true);
}

/// Guards over `b = q + M a`: state 0 has a = 0 and needs b >= 0, state 1 has b = 0 and needs a >= 0.
struct MatrixCluster {
    counts: Vec<u32>,
    constant: Vec<f64>,
    matrix: Matrix<f64>,
    with_lemke: bool,
}

impl MatrixCluster {
    fn new(constant: Vec<f64>, matrix: Matrix<f64>, with_lemke: bool) -> Self {
        MatrixCluster { counts: vec![2; constant.len()], constant, matrix, with_lemke }
    }

    /// Imposed and free quantities in a mode.
    fn solve(&self, mode: &States) -> Option<(Vec<f64>, Vec<f64>)> {
        let active: Vec<usize> = (0..mode.len()).filter(|&k| mode[k] == 1).collect();
        let mut sub = Matrix::zero(active.len());
        for (i, &row) in active.iter().enumerate() {
            active.iter().enumerate().for_each(|(j, &column)| sub.add(i, j, self.matrix.get(row, column)));
        }
        let factors = Factors::new(&sub)?;
        if factors.reciprocal_condition() < 1e-12 {
            return None;
        }
        let values = factors.solve(&active.iter().map(|&row| -self.constant[row]).collect::<Vec<_>>());
        let mut a = vec![0.0; mode.len()];
        active.iter().zip(values).for_each(|(&k, value)| a[k] = value);
        let free = |row: usize| self.constant[row] + (0..a.len()).map(|k| self.matrix.get(row, k) * a[k]).sum::<f64>();
        let b = (0..mode.len()).map(|row| if mode[row] == 1 { 0.0 } else { free(row) }).collect();
        Some((a, b))
    }
}

impl Cluster for MatrixCluster {
    fn states(&self) -> &[u32] {
        &self.counts
    }

    fn conditions(&mut self, mode: &States) -> Result<Vec<StateCondition>, String> {
        let (a, b) = self.solve(mode).ok_or_else(|| "singular".to_string())?;
        let condition = |element: usize| {
            let value = if mode[element] == 1 { a[element] } else { b[element] };
            let series = GuardSeries { derivatives: vec![value], size: 10.0, ..Default::default() };
            let sign = series.sign(&Noise::default());
            StateCondition { element, sign, otherwise: 1 - mode[element] }
        };
        Ok((0..mode.len()).map(condition).collect())
    }

    fn complementarities(&mut self) -> Vec<Complementarity> {
        let problem = || Complementarity {
            constant: self.constant.clone(),
            matrix: self.matrix.clone(),
            states: vec![(0, 1); self.constant.len()],
        };
        self.with_lemke.then(problem).into_iter().collect()
    }

    fn signature(&mut self, mode: &States) -> Vec<f64> {
        self.solve(mode).expect("regular").1
    }
}

/// `B Bᵀ`, plus the identity where `definite`, from a random B of the given number of columns.
fn random_matrix(random: &mut Random, size: usize, rank: usize, definite: bool) -> Matrix<f64> {
    let factor: Vec<Vec<f64>> = (0..size).map(|_| (0..rank).map(|_| random.integer(3) as f64).collect()).collect();
    let mut matrix = Matrix::zero(size);
    for i in 0..size {
        for j in 0..size {
            let product: f64 = factor[i].iter().zip(&factor[j]).map(|(x, y)| x * y).sum();
            matrix.add(i, j, product + f64::from(u8::from(definite && i == j)));
        }
    }
    matrix
}

#[test]
fn two_hundred_guards_with_a_definite_matrix_are_found_by_each_strategy() {
    let mut random = Random::new(7);
    let matrix = random_matrix(&mut random, 200, 40, true);
    let constant = (0..200).map(|_| random.integer(20) as f64 + 0.5).collect();
    let mut cluster = MatrixCluster::new(constant, matrix, true);
    let mut found = |strategy| match cluster.next_mode(&vec![0; 200], &[strategy]) {
        NextMode::Accepted { mode, tried } => (mode, tried),
        NextMode::None(tried) => panic!("{strategy:?}: {} modes tried", tried.len()),
    };
    let (by_flipping, few) = found(Strategy::FlipAll);
    let (by_least, many) = found(Strategy::FlipLeast);
    let (by_lemke, _) = found(Strategy::Complementary);
    assert!(by_flipping.contains(&1) && by_flipping == by_least && by_flipping == by_lemke);
    println!("flipping all tries {few} modes, least index {many}");
    assert!(few <= 10 && many <= 1000, "{few} {many}");
}

#[test]
fn lemke_finds_modes_between_singular_ones() {
    // Positive semidefinite with a feasible point: b = q + M a with q = b0 - M a0 for some a0, b0 >= 0.
    for seed in 0..190 {
        let mut random = Random::new(seed);
        let size = [4, 8, 20, 60, 120, 200][seed as usize % 6];
        let matrix = random_matrix(&mut random, size, size / 2, false);
        let a0: Vec<f64> = (0..size).map(|_| (random.integer(3).max(0)) as f64).collect();
        let b0: Vec<f64> = a0.iter().map(|&a| if a > 0.0 { 0.0 } else { 1.0 + random.below(5) as f64 }).collect();
        let row = |i: usize| b0[i] - (0..size).map(|j| matrix.get(i, j) * a0[j]).sum::<f64>();
        let constant: Vec<f64> = (0..size).map(row).collect();
        let solved = lemke(&constant, &matrix).unwrap_or_else(|| panic!("seed {seed}: a ray"));
        let z = solved.z;
        for i in 0..size {
            let w = constant[i] + (0..size).map(|j| matrix.get(i, j) * z[j]).sum::<f64>();
            assert!(w > -1e-7 && z[i] >= 0.0 && (w * z[i]).abs() < 1e-6, "seed {seed}: w {w}, z {}", z[i]);
        }
        let mut cluster = MatrixCluster::new(constant, matrix, true);
        let found = match size {
            ..=20 => cluster.next_mode(&vec![0; size], &Strategy::ALL),
            _ => cluster.next_mode(&vec![0; size], &[Strategy::Complementary]),
        };
        assert!(matches!(found, NextMode::Accepted { .. }), "seed {seed}: {size} guards");
    }
}

#[test]
fn several_different_solutions_are_reported_as_ambiguous() {
    // b = -1 + 2 a1..: both (a, b) = (0, 1) and another basis solve a copositive problem with two solutions.
    let mut matrix = Matrix::zero(2);
    [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 1.0)].into_iter().for_each(|(i, j, value)| matrix.add(i, j, value));
    let mut cluster = MatrixCluster::new(vec![-1.0, -1.0], matrix, false);
    match cluster.accepted_modes(&vec![0, 0], &Noise::default()) {
        Accepted::Several(modes) => assert_eq!(modes.len(), 3, "{modes:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn contradicting_guards_are_none_and_every_mode_is_explained() {
    // b = -1 - a: neither a = 0 (b = -1) nor b = 0 (a = -1) is allowed.
    let mut matrix = Matrix::zero(1);
    matrix.add(0, 0, -1.0);
    let mut cluster = MatrixCluster::new(vec![-1.0], matrix, true);
    match cluster.next_mode(&vec![0], &Strategy::ALL) {
        NextMode::None(tried) => assert!(tried.iter().any(|(mode, _)| mode == &vec![1])),
        other => panic!("{other:?}"),
    }
}
