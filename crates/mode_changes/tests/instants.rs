//! Events of whole models: from left limits to the mode that follows and its right limits.

mod support;

use modeshift_dae::ModeVariableId;
use modeshift_mode_changes::{Jet, Noise};
use support::bench::{check_close, with_bench};

#[test]
fn the_clutch_engages_and_releases_at_its_times() {
    with_bench(include_str!("../../../models/ClutchBasic.mo"), &[], |bench| {
        let (w1, w2) = (0.9512, 1.4536);
        let free = bench.stay(&[], 5.0, &[("w1", w1), ("w2", w2)]);
        let engaged = bench.change(&free, &[]);
        assert_eq!(bench.on(engaged.mode()), ["g"]);
        let speed = (w1 + 2.0 * w2) / 3.0;
        check_close(bench.right(&engaged, "w1"), speed, "w1");
        check_close(bench.weight(&engaged, 0, "f1"), speed - w1, "impulse of f1");
        assert_eq!(engaged.steps.len(), 1);
        // Halfway nothing happens: every value is kept to the bit.
        let engaged = bench.stay(&["g"], 6.0, &[("w1", speed), ("w2", speed)]);
        let kept = bench.change(&engaged, &[]);
        assert_eq!(bench.on(kept.mode()), ["g"]);
        for column in engaged.mode.structure.columns() {
            let bits = |jet: &Jet| jet.derivatives(column).iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            let leading = engaged.mode.structure.variable_offset(column) as usize;
            assert_eq!(bits(kept.right())[..=leading], bits(&engaged.jet)[..=leading]);
        }
        let engaged = bench.stay(&["g"], 7.0, &[("w1", speed), ("w2", speed)]);
        let released = bench.change(&engaged, &[]);
        assert!(bench.on(released.mode()).is_empty(), "`time <= t2` ends at t2");
        assert_eq!(bench.right(&released, "w1").to_bits(), speed.to_bits());
        assert_eq!(bench.right(&released, "f1"), 0.0);
    });
}

/// The mode before, time, level, the guard that fires, and the mode after.
type Switch = (&'static [&'static str], f64, f64, &'static str, &'static [&'static str]);

#[test]
fn the_water_tank_enters_and_leaves_its_limits_though_events_are_not_exact() {
    let balance = 0.25_f64.acos() / std::f64::consts::TAU;
    with_bench(include_str!("../../../models/WaterTank.mo"), &[], |bench| {
        for error in [-1e-6, -1e-9, 0.0, 1e-9, 1e-6] {
            bench.noise = Noise { event_time_error: 2e-6, ..Noise::default() };
            let switches: [Switch; 4] = [
                (&[], 0.0, 1.0 + 4.0 * error, "bh", &["bh"]),
                (&["bh"], balance + error, 1.0, "bh", &[]),
                (&[], 0.5, -6.667 * error, "bl", &["bl"]),
                (&["bl"], 1.0 - balance + error, 0.0, "bl", &[]),
            ];
            for (before, time, level, fired, after) in switches {
                let left = bench.stay(before, time, &[("x", level)]);
                let change = bench.change(&left, &[fired]);
                assert_eq!(bench.on(change.mode()), after, "error {error}, from {before:?} at {time}");
                assert!((bench.right(&change, "x") - level.round()).abs() <= 8.0 * error.abs(), "error {error}");
            }
        }
    });
}

#[test]
fn rldc2_commutes_and_finds_its_mode_from_an_inconsistent_start() {
    with_bench(include_str!("../../../models/RLDC2.mo"), &[], |bench| {
        let states = |j1, j2, v1, v2| [("j1", j1), ("j2", j2), ("v1", v1), ("v2", v2)];
        let first = bench.stay(&["g1"], 0.0, &states(-2.0, -1.0, 0.5, 1.0));
        let kept = bench.change(&first, &[]);
        assert_eq!(bench.on(kept.mode()), ["g1"]);
        let second = bench.stay(&["g1"], 0.1, &states(-1.65267443130621, -0.824203003832456, 1.0, 1.0));
        let commuted = bench.change(&second, &["g2"]);
        assert_eq!(bench.on(commuted.mode()), ["g1", "g2"]);
        assert_eq!(bench.right(&commuted, "v1"), 1.0);
        // The start printed in RR9322: left limits that no mode could have had.
        let mut printed = bench.stay(&["g1"], 0.0, &states(2.0, 1.0, 0.5, 1.0));
        for (name, value) in states(2.0, 1.0, 0.5, 1.0) {
            let column = printed.mode.structure.column(bench.variable(name)).unwrap();
            printed.jet.set(column, 0, value);
        }
        let blocked = bench.change(&printed, &[]);
        assert!(bench.on(blocked.mode()).is_empty());
        check_close(bench.right(&blocked, "j1"), 0.2, "j1");
        check_close(bench.right(&blocked, "j2"), -0.2, "j2");
        check_close(bench.weight(&blocked, 0, "u1"), -1.8, "impulse of u1");
    });
}

#[test]
fn rldc2_as_printed_is_refused_with_what_speaks_against_each_mode() {
    with_bench(include_str!("../../../models/RLDC2Printed.mo"), &[], |bench| {
        let mut left = bench.stay(&["g1"], 0.0, &[("j1", 2.0), ("j2", 1.0), ("v1", 0.5), ("v2", 1.0)]);
        for (name, value) in [("j1", 2.0), ("j2", 1.0), ("v1", 0.5), ("v2", 1.0)] {
            let column = left.mode.structure.column(bench.variable(name)).unwrap();
            left.jet.set(column, 0, value);
        }
        let refusal = bench.try_change(&left, &[]).err().expect("no mode is right");
        let lines = refusal.lines(bench.dae, &left.mode.values);
        let about = |mode: &str| lines.iter().any(|line| line.starts_with(mode));
        assert!(about("the mode as it was: ") && about("g1 = false: ") && about("g2 = true: "), "{lines:#?}");
        assert!(lines.iter().any(|line| line.contains("s1 >= 0") && line.contains("is not")), "{lines:#?}");
    });
}

#[test]
fn the_elastic_rope_bounces_in_a_cascade_of_two_changes() {
    // E22 §8.4 with α = 0.8: straight for one instant, then loose again with the velocity of the impact law.
    with_bench(include_str!("../../../models/CupAndBallElastic.mo"), &[], |bench| {
        let (x, y, u, v) = (0.6, -0.8, 0.8, -4.0);
        let loose = bench.stay(&[], 0.5, &[("x", x), ("y", y), ("u", u), ("v", v)]);
        let bounced = bench.change(&loose, &["gamma"]);
        let modes: Vec<bool> = bounced.steps.iter().map(|step| !bench.on(&step.mode).is_empty()).collect();
        assert_eq!(modes, [true, false], "F → T → F");
        assert!(bounced.steps[0].is_transient && !bounced.steps[1].is_transient);
        check_close(bench.right(&bounced, "v"), -0.8 * v, "v");
        check_close(bench.right(&bounced, "u"), u - 1.8 * v / y * x, "u");
        assert_eq!((bench.right(&bounced, "x"), bench.right(&bounced, "y")), (x, y));
        check_close(bench.weight(&bounced, 0, "lambda"), 1.8 * v / y, "impulse of lambda");
        check_close(bench.value(bounced.mode(), bounced.right(), "v", 1), -9.81, "v'");
        check_close(bench.value(bounced.mode(), bounced.right(), "y", 1), -0.8 * v, "y'");
    });
}

/// Rectifiers that know nothing of each other, each with its own phase.
const RECTIFIERS: &str = "
model Rectifiers
  parameter Integer N = 50;
  Real i[N];
  Real u[N];
  Real s[N];
  Boolean on[N];
equation
  for k in 1:N loop
    sin(time + k) = u[k] + der(i[k]) + i[k];
    on[k] = (s[k] >= 0);
    s[k] = if on[k] then i[k] else u[k];
    0 = if on[k] then u[k] else i[k];
  end for;
end Rectifiers;";

#[test]
fn only_the_elements_that_an_event_can_reach_are_searched() {
    with_bench(RECTIFIERS, &[], |bench| {
        // Number 7 fires at a zero of its source; the others block or conduct as they may.
        let time = 3.0 * std::f64::consts::PI - 7.0 - std::f64::consts::PI;
        let positive: Vec<usize> = (1..=50).filter(|&k| k != 7 && (time + k as f64).sin() > 0.0).collect();
        let on: Vec<String> = positive.iter().map(|k| format!("on[{k}]")).collect();
        let states: Vec<(String, f64)> = positive.iter().map(|k| (format!("i[{k}]"), 0.1)).collect();
        let states: Vec<(&str, f64)> = states.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let left = bench.stay(&on.iter().map(String::as_str).collect::<Vec<_>>(), time, &states);
        let change = bench.change(&left, &["on[7]"]);
        assert_eq!(change.steps.len(), 1);
        assert_eq!(change.steps[0].tried, 2, "the mode as it was, and number 7 changed");
        let different: Vec<ModeVariableId> = left.mode.values.differing(&change.mode().values).collect();
        assert_eq!(different, [bench.mode_variable("on[7]")]);
        let old = &left.mode.structure;
        for column in old.columns().filter(|&column| {
            let name = &bench.dae.model.variables[old.variable(column)].name;
            !name.contains("[7]")
        }) {
            let name = &bench.dae.model.variables[old.variable(column)].name;
            let kept = left.jet.get(column, 0).to_bits();
            assert_eq!(bench.right(&change, name).to_bits(), kept, "{name} is not touched");
        }
    });
}

#[test]
fn a_slack_rope_becomes_straight_and_slack_again() {
    // E22 Figure 23 with guards of left limits: straight at s = 0, loose where the tension has become zero.
    with_bench(include_str!("../../../models/CupAndBall.mo"), &[], |bench| {
        let loose = bench.stay(&[], 0.5, &[("x", 0.6), ("y", -0.8), ("u", 0.8), ("v", -4.0)]);
        let straight = bench.change(&loose, &["gamma"]);
        assert_eq!(bench.on(straight.mode()), ["gamma"]);
        let radial = 0.6 * 0.8 + 0.8 * 4.0;
        check_close(bench.right(&straight, "u"), 0.8 - radial * 0.6, "u");
        check_close(bench.right(&straight, "v"), -4.0 + radial * 0.8, "v");
        check_close(bench.weight(&straight, 0, "lambda"), radial, "impulse of lambda");
        // Above the centre the tension u² + v² - g y ends: at y = 0.6, u² + v² = 0.6 g.
        let speed = (0.6_f64 * 9.81).sqrt();
        let (x, y) = (-0.8, 0.6);
        let mut tense = bench.stay(&["gamma"], 0.9, &[("x", x), ("y", y), ("u", speed * y), ("v", -speed * x)]);
        tense.jet.time = 0.9;
        assert!(bench.value(&tense.mode, &tense.jet, "lambda", 0).abs() < 1e-12);
        let slack = bench.change(&tense, &["gamma"]);
        assert!(bench.on(slack.mode()).is_empty(), "thrown upwards, the ball needs less and less tension");
        check_close(bench.right(&slack, "u"), speed * y, "u");
    });
}

#[test]
fn a_fault_of_the_transmission_line_is_remembered() {
    // `open = (last(i2) >= Imax or last(open)) and not last(short)`: open stays open when the current has gone.
    with_bench(include_str!("../../../models/FaultyCoaxial.mo"), &[], |bench| {
        let names: Vec<String> = (1..=3).flat_map(|k| ["i1", "u2"].map(|it| format!("element[{k}].{it}"))).collect();
        let states: Vec<(&str, f64)> = names.iter().map(|name| (name.as_str(), 0.0)).collect();
        let mut left = bench.stay(&[], 0.0, &states);
        let current = left.mode.structure.column(bench.variable("element[1].i2")).expect("exists");
        left.jet.set(current, 0, 0.31);
        let change = bench.change(&left, &[]);
        let on = bench.on(change.mode());
        assert!(on.iter().any(|name| name == "element[1].open"), "{on:?}");
        assert_eq!(bench.right(&change, "element[1].i1"), 0.0);
    });
}

/// `cargo test --release -p modeshift-mode-changes --test instants -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn a_change_in_a_large_model_costs_little() {
    let clock = std::time::Instant::now;
    for count in [1000, 10_000] {
        with_bench(include_str!("../../../models/ClutchChain.mo"), &[("N", count.to_string())], |bench| {
            let speeds: Vec<(String, f64)> = (1..=count).map(|k| (format!("w[{k}]"), k as f64)).collect();
            let speeds: Vec<(&str, f64)> = speeds.iter().map(|(name, value)| (name.as_str(), *value)).collect();
            let left = bench.stay(&[], 1.0, &speeds);
            for visit in ["new", "visited", "visited again"] {
                let start = clock();
                let change = bench.change(&left, &[]);
                println!("{count} clutches, the first engages, mode {visit}: {:.3?}", start.elapsed());
                assert_eq!(bench.on(change.mode()).len(), 1);
            }
        });
        with_bench(include_str!("../../../models/FaultyCoaxial.mo"), &[("N", count.to_string())], |bench| {
            let names: Vec<String> =
                (1..=count).flat_map(|k| ["i1", "u2"].map(|state| format!("element[{k}].{state}"))).collect();
            let states: Vec<(&str, f64)> = names.iter().map(|name| (name.as_str(), 0.0)).collect();
            let mut left = bench.stay(&[], 0.0, &states);
            let name = format!("element[{}].i2", count / 2);
            let column = left.mode.structure.column(bench.variable(&name)).expect("exists");
            left.jet.set(column, 0, 0.31);
            for visit in ["new", "visited", "visited again"] {
                let start = clock();
                let change = bench.change(&left, &[]);
                println!("{count} elements, one opens, mode {visit}: {:.3?}", start.elapsed());
                assert!(!bench.on(change.mode()).is_empty());
            }
        });
    }
}
