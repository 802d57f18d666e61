//! Next modes of whole models by Lemke's method alone: diodes, impulses, and friction with three states.

mod support;

use modeshift_mode_changes::Strategy;
use support::bench::{Bench, Left, with_bench};
use support::random::Random;

/// What follows an event by Lemke's method alone, and by all other strategies: the mode variables that are true.
fn by_both<'a>(bench: &mut Bench<'a>, left: &Left<'a>, fired: &[&str], context: &str) -> (Vec<String>, Vec<String>) {
    let mut by = |strategies: &[Strategy]| {
        bench.search_by(strategies);
        match bench.try_change(left, fired) {
            Ok(change) => bench.on(change.mode()),
            Err(refusal) => {
                panic!("{context}, {strategies:?}:\n{}", refusal.lines(bench.dae, &left.mode.values).join("\n"))
            }
        }
    };
    let others = [Strategy::FlipAll, Strategy::FlipLeast, Strategy::Enumerate];
    (by(&[Strategy::Complementary]), by(&others))
}

#[test]
fn lemke_finds_the_modes_of_rldc2_impulses_included() {
    with_bench(include_str!("../../../models/RLDC2.mo"), &[], |bench| {
        let states = [("j1", -1.65267443130621), ("j2", -0.824203003832456), ("v1", 1.0), ("v2", 1.0)];
        let commutation = bench.stay(&["g1"], 0.0, &states);
        let (by_lemke, otherwise) = by_both(bench, &commutation, &["g2"], "commutation");
        assert_eq!((by_lemke, otherwise.len()), (otherwise.clone(), 2));
        // The start printed in RR9322: negative Dirac impulses of the voltages say that both diodes block.
        let states = [("j1", 2.0), ("j2", 1.0), ("v1", 0.5), ("v2", 1.0)];
        let mut printed = bench.stay(&["g1"], 0.0, &states);
        for (name, value) in states {
            let column = printed.mode.structure.column(bench.variable(name)).expect("exists");
            printed.jet.set(column, 0, value);
        }
        let (by_lemke, otherwise) = by_both(bench, &printed, &[], "the printed start");
        assert!(by_lemke.is_empty() && otherwise.is_empty(), "{by_lemke:?}, {otherwise:?}");
    });
}

/// Ideal diodes from every phase of a source to both ends of a load with a capacitor.
const RECTIFIER: &str = "
    model Rectifier
      parameter Integer n = 7;
      parameter Real R = 10;
      parameter Real C = 10;
      Real e[n], star, vc;
      Real a[n], ua[n], sa[n], b[n], ub[n], sb[n];
      Boolean up[n], down[n];
    equation
      for k in 1:n loop
        e[k] = star + cos(time - 2*3.141592653589793*(k - 1)/n);
        ua[k] = e[k] - vc;
        ub[k] = -e[k];
        up[k] = (sa[k] > 0);
        a[k] = if up[k] then sa[k] else 0;
        ua[k] = if up[k] then 0 else sa[k];
        down[k] = (sb[k] > 0);
        b[k] = if down[k] then sb[k] else 0;
        ub[k] = if down[k] then 0 else sb[k];
      end for;
      sum(a) = sum(b);
      C*der(vc) = sum(a) - vc/R;
    end Rectifier;";

#[test]
fn lemke_turns_a_rectifier_of_fourteen_diodes_off() {
    // Phases 1 and 4 conduct until their voltage falls faster than that of the capacitor: then there is no current. All
    // off is singular, because the star point floats; one diode without current is the same solution. There are too many
    // guards to try all modes.
    with_bench(RECTIFIER, &[], |bench| {
        let angle = 6.0 * std::f64::consts::PI / 7.0;
        let voltage = |time: f64| time.cos() - (time - angle).cos();
        let slope = |time: f64| (time - angle).sin() - time.sin();
        let (mut conducting, mut ended) = (-std::f64::consts::PI / 14.0, 0.0);
        for _ in 0..100 {
            let middle = (conducting + ended) / 2.0;
            let has_current = slope(middle) > -voltage(middle) / 100.0;
            *(if has_current { &mut conducting } else { &mut ended }) = middle;
        }
        let left = bench.stay(&["up[1]", "down[4]"], conducting, &[("vc", voltage(conducting))]);
        let (by_lemke, _) = by_both(bench, &left, &["up[1]", "down[4]"], "turning off");
        assert_eq!(by_lemke.len(), 1, "{by_lemke:?}");
    });
}

/// Bodies in a row with dampers between neighbours, each with friction of at most 1, under growing or shrinking loads.
fn friction(count: usize, random: &mut Random) -> String {
    let mut equations = String::new();
    for k in 1..=count {
        let load = ["1 + time", "-1 - time", "1 - time", "-1 + time", "0.3", "1 + time^2"][random.below(6) as usize];
        let mut damper = String::new();
        if k > 1 {
            damper += &format!(" + 0.5*(w[{}] - w[{k}])", k - 1);
        }
        if k < count {
            damper += &format!(" + 0.5*(w[{}] - w[{k}])", k + 1);
        }
        equations += &format!(
            "{mass}*der(w[{k}]) = {load}{damper} - f[{k}];
             w[{k}] = if forward[{k}] then s[{k}] - 1 elseif backward[{k}] then s[{k}] + 1 else 0;
             f[{k}] = if forward[{k}] then 1 elseif backward[{k}] then -1 else s[{k}];
             forward[{k}] = (s[{k}] > 1);
             backward[{k}] = (s[{k}] < -1);
             invariant not (forward[{k}] and backward[{k}]);\n",
            mass = 1 + random.below(3)
        );
    }
    format!(
        "model Friction
           Real w[{count}], f[{count}], s[{count}];
           Boolean forward[{count}], backward[{count}];
         equation
           {equations}
         end Friction;"
    )
}

#[test]
fn lemke_finds_the_states_of_coupled_friction_at_its_limits() {
    let mut moving = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let count = 1 + seed as usize % 5;
        let text = friction(count, &mut random);
        with_bench(&text, &[], |bench| {
            let names: Vec<String> = (1..=count).map(|k| format!("w[{k}]")).collect();
            let rest: Vec<(&str, f64)> = names.iter().map(|name| (name.as_str(), 0.0)).collect();
            let stuck = bench.stay(&[], 0.0, &rest);
            let fired: Vec<String> =
                (1..=count).flat_map(|k| [format!("forward[{k}]"), format!("backward[{k}]")]).collect();
            let at_limit = |name: &&str| {
                let limit = if name.starts_with("forward") { 1.0 } else { -1.0 };
                let index = &name[name.find('[').expect("an index")..];
                (bench.value(&stuck.mode, &stuck.jet, &format!("s{index}"), 0) - limit).abs() < 1e-9
            };
            let fired: Vec<&str> = fired.iter().map(String::as_str).filter(at_limit).collect();
            let (by_lemke, otherwise) = by_both(bench, &stuck, &fired, &format!("seed {seed}: {text}"));
            assert_eq!(by_lemke, otherwise, "seed {seed}: {text}");
            moving += by_lemke.len();
        });
    }
    assert!(moving > 30, "{moving} bodies move");
}
