//! Circuits and shafts of machines, with elements of the library and of the standard library, beside solutions that know
//! every event exactly.

use crate::machines::{example, near};
use crate::support::runs as support;
use modeshift_simulate::integrate::Method;
use std::path::PathBuf;
use support::{How, Ran, run_text};

/// A model that uses the standard library, run; nothing where there is no library.
fn run_with_library(text: &str, stop: f64) -> Option<Ran> {
    use modeshift_diagnostics::Diagnostics;
    use modeshift_flatten::{Disk, Library, Request, flatten};
    let Some(path) = std::env::var_os("MODELICAPATH") else {
        println!("skipped: no Modelica library in MODELICAPATH");
        return None;
    };
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut diagnostics = Diagnostics::new();
    let mut library = Library::new(Disk, directories);
    library.add_text("m.mo", text, &mut diagnostics);
    let flat = flatten(&mut library, &Request::default(), &mut diagnostics);
    let dae = flat.and_then(|flat| modeshift_elaborate::elaborate(flat, &mut diagnostics));
    let dae = dae.unwrap_or_else(|_| panic!("{diagnostics:#?}"));
    Some(support::run_dae(dae, &How::until(stop).tolerance(1e-9)).finished())
}

#[test]
fn a_capacitor_of_the_standard_library_becomes_a_resistor() {
    let text = "model M import Modelica.Electrical.Analog.*;
        Sources.ConstantVoltage s(V = 10); Basic.Resistor r(R = 100); Basic.Ground g;
        Basic.Capacitor c2(C = 1e-3, v(start = 0, fixed = true)); Basic.Capacitor c1(C = 1e-3); Basic.Resistor broken(R = 1);
        equation initialState(c1); transition(c1, broken, c1.v > 8);
        connect(s.p, r.p); connect(r.n, c2.p); connect(r.n, c1.p); connect(r.n, broken.p);
        connect(g.p, s.n); connect(g.p, c1.n); connect(g.p, c2.n); connect(g.p, broken.n); end M;";
    let Some(ran) = run_with_library(text, 1.0) else { return };
    near(ran.event_times()[0], 0.05 * 625.0_f64.ln(), 1e-8);
    near(ran.last("c2.v"), 10.0 / 101.0, 1e-8);
}

#[test]
fn an_inertia_of_the_standard_library_is_lost_with_its_shaft() {
    let shaft = "import Modelica.Mechanics.Rotational.*; Components.Inertia j1(J = 1, phi(start = 0, fixed = true), w(start = 0, fixed = true));
        Sources.Torque t; Modelica.Blocks.Sources.Ramp ramp(height = 4, duration = 2);";
    let behind = format!(
        "model M {shaft} Components.Inertia j2(J = 1);
         model Rigid Interfaces.Flange_a a; Interfaces.Flange_b b; equation a.phi = b.phi; a.tau + b.tau = 0; end Rigid;
         model Free Interfaces.Flange_a a; Interfaces.Flange_b b; equation a.tau = 0; b.tau = 0; end Free;
         Rigid intact; Free broken;
         equation initialState(intact); transition(intact, broken, intact.a.tau > 1);
         connect(ramp.y, t.tau); connect(t.flange, j1.flange_a); connect(j1.flange_b, intact.a); connect(j1.flange_b, broken.a);
         connect(intact.b, j2.flange_a); connect(broken.b, j2.flange_a); end M;"
    );
    let inside = format!(
        "model M {shaft}
         model Attached Interfaces.Flange_a a; Components.Inertia j(J = 1); equation connect(a, j.flange_a); end Attached;
         model Lost Interfaces.Flange_a a; equation a.tau = 0; end Lost;
         Attached attached; Lost lost;
         equation initialState(attached); transition(attached, lost, attached.a.tau > 1);
         connect(ramp.y, t.tau); connect(t.flange, j1.flange_a); connect(j1.flange_b, attached.a); connect(j1.flange_b, lost.a);
         end M;"
    );
    for text in [&behind, &inside] {
        // Half of the torque 2 t goes through the shaft; w = t^2/2 before, t^2 - 1/2 after.
        let Some(ran) = run_with_library(text, 1.9) else { return };
        near(ran.event_times()[0], 1.0, 1e-8);
        near(ran.last("j1.w"), 1.9 * 1.9 - 0.5, 1e-7);
    }
    let Some(ran) = run_with_library(&behind, 1.9) else { return };
    near(ran.last("j2.phi"), 1.0 / 6.0 + 0.5 * 0.9, 1e-7);
}

/// The boost converter at `stop`, half period by half period: current and voltage.
fn boosted(load: f64, stop: f64) -> (f64, f64) {
    const HALF: f64 = 5e-5;
    const STEPS: usize = 4000;
    let (l, c, source) = (1e-3, 1e-4, 5.0);
    let slopes = |i: f64, v: f64| ((source - v) / l, (i - v / load) / c);
    let (mut i, mut v) = (0.0, 5.0);
    for half in 0..(stop / HALF).round() as usize {
        if half % 2 == 0 {
            // The switch is closed, and the diode blocks.
            i += source / l * HALF;
            v *= (-HALF / (load * c)).exp();
            continue;
        }
        let h = HALF / STEPS as f64;
        let step = |i: f64, v: f64, h: f64| {
            let k1 = slopes(i, v);
            let k2 = slopes(i + 0.5 * h * k1.0, v + 0.5 * h * k1.1);
            let k3 = slopes(i + 0.5 * h * k2.0, v + 0.5 * h * k2.1);
            let k4 = slopes(i + h * k3.0, v + h * k3.1);
            (
                i + h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0),
                v + h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1),
            )
        };
        for at in 0..STEPS {
            let (next_i, next_v) = step(i, v, h);
            if next_i > 0.0 {
                (i, v) = (next_i, next_v);
                continue;
            }
            // The current ends within this step: the diode blocks for the rest.
            let (mut low, mut high) = (0.0, h);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if step(i, v, middle).0 > 0.0 { low = middle } else { high = middle }
            }
            let rest = HALF - at as f64 * h - high;
            (i, v) = (0.0, step(i, v, high).1 * (-rest / (load * c)).exp());
            break;
        }
    }
    (i, v)
}

#[test]
fn a_boost_converter_runs_in_both_conduction_modes() {
    for (load, stop) in [(10.0, 0.002), (1000.0, 0.004)] {
        let how = How::until(stop).tolerance(1e-9).set("load", &load.to_string());
        let ran = run_text(&example("BoostConverter"), &how).finished();
        let (i, v) = boosted(load, stop);
        near(ran.last("L.i"), i, 1e-6);
        near(ran.last("C.v"), v, 1e-6);
        let is_idle = ran
            .events()
            .iter()
            .any(|event| event.cause.iter().any(|cause| cause == "diode.closed.i < 0") && event.cause.len() == 2);
        assert_eq!(is_idle, load == 1000.0, "the current ends by itself at {load} Ohm only");
    }
}

#[test]
fn an_h_bridge_turns_the_current_around() {
    let ran = run_text(&example("HBridge"), &How::until(0.045).tolerance(1e-9)).finished();
    let towards = |i: f64, voltage: f64, time: f64| voltage + (i - voltage) * (-time / 5e-3_f64).exp();
    let mut i = 0.0;
    for half in 0..4 {
        i = towards(i, if half % 2 == 0 { 12.0 } else { -12.0 }, 0.01);
    }
    near(ran.last("L.i"), towards(i, 12.0, 0.005), 1e-7);
}

/// The full bridge: source `10 sin(100 pi t)` behind 1 Ohm, 1 mF beside 100 Ohm. Charged while the source is above the capacitor,
/// `v' = -a v + b |sin(w t)|` with a solution in closed form, and discharged through the load otherwise. The instants at which
/// it begins and ends to be charged, and the voltage at `stop`.
fn rectified(stop: f64) -> (Vec<f64>, f64) {
    use std::f64::consts::PI;
    let (w, a, b) = (100.0 * PI, 1010.0, 10_000.0);
    let source = |t: f64| (10.0 * (w * t).sin()).abs();
    let (mut begin, mut v, mut is_charged, mut events) = (0.0, 0.0, true, Vec::new());
    loop {
        let sign = (w * (begin + 1e-9)).sin().signum();
        let forced = |t: f64| sign * b * (a * (w * t).sin() - w * (w * t).cos()) / (a * a + w * w);
        let charged = |t: f64| forced(t) + (v - forced(begin)) * (-a * (t - begin)).exp();
        let discharged = |t: f64| v * (-10.0 * (t - begin)).exp();
        let at = |t: f64| if is_charged { charged(t) } else { discharged(t) };
        let goes_on = |t: f64| (source(t) >= at(t)) == is_charged;
        let mut high = begin + 1e-6;
        while high < stop && goes_on(high) {
            high += 1e-6;
        }
        if high >= stop {
            return (events, at(stop));
        }
        let mut low = high - 1e-6;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if goes_on(middle) { low = middle } else { high = middle }
        }
        (begin, v, is_charged) = (low, at(low), !is_charged);
        events.push(low);
    }
}

#[test]
fn a_full_bridge_charges_its_capacitor_at_the_exact_instants() {
    let ran = run_text(&example("Rectifier"), &How::until(0.1).tolerance(1e-10)).finished();
    let (events, v) = rectified(0.1);
    assert_eq!(events.len(), 19);
    near(ran.last("C.v"), v, 1e-8);
    for event in events {
        let nearest = ran.event_times().into_iter().map(|it| (it - event).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-9, "no event at {event}, {nearest}");
    }
}

/// Where several modes follow, one that leaves less undetermined: a diode without a current keeps the potential of the source.
#[test]
fn a_bridge_whose_current_has_come_to_zero_keeps_its_potentials() {
    let ran = run_text(&example("Rectifier"), &How::until(0.1)).finished();
    assert_eq!(ran.events().len(), 30);
    assert!(ran.diagnostics.iter().all(|it| it.code != "W0835"), "{:?}", ran.diagnostics);
}

/// What closes where the voltages are equal makes no impulse, however they are rounded; what closes elsewhere makes one of the charge that
/// is missing.
#[test]
fn what_closes_without_a_voltage_makes_no_impulse() {
    let diode = |charge: f64| {
        format!(
            "model M import Modeshift.Electrical.*; Capacitor a(C = 1, v(start = {charge}, fixed = true)), b(C = 1, v(start = 2, fixed = true));
             IdealDiode d; ConstantCurrent s(I = -0.5); Ground g;
             equation connect(s.p, a.p); connect(s.n, g.p); connect(a.n, g.p); connect(b.n, g.p); connect(d.p, a.p); connect(d.n, b.p);
             end M;"
        )
    };
    let valve = |level: f64| {
        format!(
            "model M import Modeshift.Fluid.*; Tank a(area = 1e-3, level(start = {level}, fixed = true)), b(area = 1e-3, level(start = 2, fixed = true));
             CheckValve v; Pump p(flow_rate = 0.5); Reservoir r;
             equation connect(r.port, p.a); connect(p.b, a.port); connect(a.port, v.a); connect(v.b, b.port); end M;"
        )
    };
    for text in [1.0, 0.3, 1.7].iter().flat_map(|&start| [diode(start), valve(start)]) {
        let ran = run_text(&text, &How::until(4.0)).finished();
        assert_eq!(ran.events().len(), 1, "{text}");
        assert!(ran.events()[0].impulses.is_empty(), "{:#?}", ran.events()[0].impulses);
    }
    let switch = "model M import Modeshift.Electrical.*; Capacitor a(C = 1, v(start = 1, fixed = true)), b(C = 1, v(start = 2, fixed = true));
         Switch d(closes = time > 1); Ground g;
         equation connect(a.n, g.p); connect(b.n, g.p); connect(d.p, a.p); connect(d.n, b.p); end M;";
    let ran = run_text(switch, &How::until(2.0)).finished();
    near(ran.weight(0, "a.i", "1"), 0.5, 1e-12);
    near(ran.last("a.v"), 1.5, 1e-12);
}

/// Where the source passes zero so does everything, and what is left of currents and voltages is rounding: which diodes conduct follows
/// from derivatives, so that neither the method nor the tolerance nor a unit decides.
#[test]
fn diodes_at_a_common_zero_are_decided_by_derivatives() {
    for (series, beside, unit) in
        [(1.0, None, 1.0), (0.0, None, 1.0), (1.0, Some(3.0), 1.0), (1.0, Some(3.0), 1e-6), (0.0, None, 1e5)]
    {
        let beside = beside.map_or(String::new(), |it| {
            format!("Resistor rb(R = {it:?}); equation connect(rb.p, rs.n); connect(rb.n, g.p);")
        });
        let text = format!(
            "model C import Modeshift.Electrical.*; Ground g; SineVoltage s(V = {:?}, f = 1, phase = 0.3); Resistor rs(R = {series:?});
             Resistor r(R = 9); IdealDiode d5, d7; Inductor l(L = 0.3, i(start = 0, fixed = true));
             equation connect(s.n, g.p); connect(s.p, rs.p); connect(rs.n, d5.p); connect(d5.n, r.p); connect(r.n, g.p);
             connect(g.p, d7.p); connect(d7.n, r.p); connect(l.p, r.p); connect(l.n, rs.n); end C;
             model M extends C; import Modeshift.Electrical.*; {beside} end M;",
            6.0 * unit
        );
        let mut sequences = Vec::new();
        for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
            for tolerance in [1e-5, 1e-8] {
                let how = How { method: Some(method), ..How::until(1.7) }.tolerance(tolerance);
                let ran = run_text(&text, &how).finished();
                let pi = std::f64::consts::PI;
                near(ran.event_times()[0], (pi - 0.3) / (2.0 * pi), 1e-6);
                assert_eq!(
                    ran.mode_after(0),
                    ["activeState(d5.open)", "activeState(d7.closed)"],
                    "{method:?} {tolerance:e}"
                );
                sequences.push((0..ran.events().len()).map(|at| ran.mode_after(at).join(" ")).collect::<Vec<_>>());
            }
        }
        assert!(sequences.iter().all(|it| *it == sequences[0]), "{sequences:#?}");
    }
}

/// A source with a resistance, and behind it branches of a diode beside a coil (or beside nothing) and a load, with a diode that
/// freewheels. Where the source changes its sign everything is zero but for rounding, and the coil begins to draw its current.
fn commutating(phase: f64, second: &str, joined: &str) -> String {
    format!(
        "model M import Modeshift.Electrical.*; Ground g; SineVoltage s(V = 2, f = 2, phase = {phase:?});
         Resistor rs(R = 1.7), r1(R = 20), r2(R = 7); IdealDiode d4, d5, d6, d7; Inductor l8(L = 0.05, i(start = 0, fixed = true)); {second}
         equation connect(s.n, g.p); connect(s.p, rs.n); connect(r1.n, g.p); connect(g.p, d4.p); connect(rs.p, d7.p); connect(rs.p, l8.p);
         connect(r1.p, d4.n); connect(r1.p, d7.n); connect(r1.p, l8.n); connect(r2.n, g.p); connect(g.p, d6.p); connect(rs.p, d5.p);
         connect(r2.p, d6.n); connect(r2.p, d5.n); {joined} end M;"
    )
}

/// The closed form until the current is largest; a second coil beside the first takes as much.
#[test]
fn coils_begin_where_all_is_zero_but_for_rounding() {
    let coil = ("Inductor l9(L = 0.05, i(start = 0, fixed = true));", "connect(rs.p, l9.p); connect(r2.p, l9.n);");
    let frequency = 2.0 * std::f64::consts::TAU;
    for ((second, joined), coils) in [(("", ""), 1.0), (coil, 2.0)] {
        for phase in [0.1, 0.2, 0.3, 0.4, 0.41422028015342827, 0.5, 0.7, 1.0, 1.3] {
            let text = commutating(phase, second, joined);
            let turn = (std::f64::consts::PI - phase) / frequency;
            let stop = turn + 0.1;
            let (reactance, resistance) = (frequency * 0.05 / coils, 1.7);
            let lag = f64::atan2(reactance, resistance);
            let decay = (-0.1 * resistance * coils / 0.05).exp();
            let whole = -2.0 / reactance.hypot(resistance) * ((0.1 * frequency - lag).sin() + lag.sin() * decay);
            for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
                for tolerance in [1e-4, 1e-6, 1e-9] {
                    let how = How { method: Some(method), ..How::until(stop).tolerance(tolerance) };
                    let ran = run_text(&text, &how).finished();
                    near(ran.last("l8.i"), whole / coils, 10.0 * tolerance);
                    near(ran.last("r1.v"), 0.0, 1e-9);
                }
            }
        }
    }
}

/// With a capacitor beside the second diode, or a coil beside the source: integrators agree over several periods, at all tolerances.
#[test]
fn integrators_agree_where_coils_begin_in_rounding() {
    let others = [
        ("Capacitor c(C = 0.05, v(start = 0, fixed = true));", "connect(rs.p, c.p); connect(r2.p, c.n);"),
        ("Inductor l9(L = 0.3, i(start = 0, fixed = true));", "connect(g.p, l9.p); connect(l9.n, rs.p);"),
    ];
    for (second, joined) in others {
        let text = commutating(0.41422028015342827, second, joined);
        let run = |method: Method, tolerance: f64| {
            let how = How { method: Some(method), ..How::until(1.0).tolerance(tolerance) };
            run_text(&text, &how).finished().last("l8.i")
        };
        let exact = run(Method::Explicit, 1e-11);
        for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
            for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
                near(run(method, tolerance), exact, 100.0 * tolerance);
            }
        }
    }
}

/// A part between two pins that is a state, entered at 1 s and left at 2 s, in series with 1 Ohm and a sine of 0.3 Hz.
fn entered(part: &str) -> String {
    format!(
        "model M import Modeshift.Electrical.*; model Part Pin p, n; {part} end Part;
         model Plain Pin p, n; Resistor r(R = 2); equation connect(p, r.p); connect(r.n, n); end Plain;
         SineVoltage s(V = 10, f = 0.3); Ground g; Resistor r0(R = 1); Plain a; Part b;
         equation initialState(a); transition(a, b, time > 1 and time < 2); transition(b, a, time > 2);
         connect(s.n, g.p); connect(s.p, r0.p); connect(r0.n, a.p); connect(r0.n, b.p); connect(a.n, g.p); connect(b.n, g.p); end M;"
    )
}

/// Diodes that all block leave the node between them free, also where node and diodes exist in the entered state only.
#[test]
fn states_are_entered_in_which_diodes_leave_a_potential_free() {
    let voltage = |time: f64| 10.0 * (0.6 * std::f64::consts::PI * time).sin();
    let opposite = "IdealDiode d1, d2; Resistor r(R = 2);
        equation connect(p, d1.n); connect(d1.p, d2.p); connect(d2.n, r.p); connect(r.n, n);";
    let in_series = "IdealDiode d1, d2; Resistor r(R = 2);
        equation connect(p, d1.p); connect(d1.n, d2.p); connect(d2.n, r.p); connect(r.n, n);";
    let bridge = "IdealDiode d[4]; Resistor r(R = 2);
        equation connect(p, d[1].p); connect(d[1].n, r.p); connect(r.n, d[2].p); connect(d[2].n, n);
        connect(n, d[3].p); connect(d[3].n, r.p); connect(r.n, d[4].p); connect(d[4].n, p);";
    let nothing = |_: f64| 0.0;
    let forward = |voltage: f64| voltage.max(0.0);
    let all = |voltage: f64| voltage;
    type Passed = fn(f64) -> f64;
    for (part, passed) in [(opposite, nothing as Passed), (in_series, forward), (bridge, all)] {
        for time in [1.4, 1.8] {
            near(
                run_text(&entered(part), &How::until(time)).finished().last("r0.i"),
                passed(voltage(time)) / 3.0,
                1e-9,
            );
        }
        near(run_text(&entered(part), &How::until(2.5)).finished().last("r0.i"), voltage(2.5) / 3.0, 1e-9);
    }
}
