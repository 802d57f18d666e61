//! What `rimis` writes runs in rumoca 0.10.2, an ordinary Modelica tool, with the right results.
//!
//! The tool is installed from PyPI into the tests' own directory, or taken from the Python that `MODESHIFT_RUMOCA` names.
//! Where neither is possible the tests say so and do nothing. References are `simulate` on the source, and closed forms.

use crate::support;
use crate::support::rumoca_python;
use crate::support::runs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use runs::Run;
use serde_json::Value;
use support::{modeshift, temporary};

/// Simulates a file and prints times, values and the wall time as JSON.
const SCRIPT: &str = r#"
import json, sys, rumoca
path, stop, names = sys.argv[1], float(sys.argv[2]), sys.argv[3].split(";")
model = rumoca.Session().loads(open(path).read())
result = model.simulate(stop, dt=stop / 100, config=rumoca.SimConfig(rtol=1e-8, atol=1e-10))
print(json.dumps({"time": list(map(float, result.time)), "values": [list(map(float, result[n])) for n in names]}))
"#;

/// A model that rumoca has run: times and the values of some variables.
struct Rumoca {
    time: Vec<f64>,
    values: Vec<Vec<f64>>,
}

impl Rumoca {
    /// Transforms a model and runs it; nothing where there is no rumoca.
    fn of(model: &str, overrides: &[&str], stop: f64, names: &[&str]) -> Option<Rumoca> {
        let Some(python) = rumoca_python::python() else {
            eprintln!("skipped: rumoca 0.10.2 cannot be installed here");
            return None;
        };
        // Tests run at the same time, some with the same model.
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let file = temporary(&format!("rumoca_{model}_{number}.mo"));
        let source = format!("models/{model}.mo");
        let mut arguments = vec!["rimis", &source, "-o", file.to_str().expect("a path")];
        overrides.iter().for_each(|setting| arguments.extend(["--set", setting]));
        let outcome = modeshift(&arguments);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        let script = temporary(&format!("rumoca_{model}_{number}.py"));
        std::fs::write(&script, SCRIPT).expect("a script");
        let output = Command::new(python)
            .arg(&script)
            .arg(&file)
            .arg(stop.to_string())
            .arg(names.join(";"))
            .output()
            .expect("Python runs");
        assert!(output.status.success(), "{model}: {}", String::from_utf8_lossy(&output.stderr));
        let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let numbers = |value: &Value| value.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect();
        let values = result["values"].as_array().unwrap().iter().map(numbers).collect();
        Some(Rumoca { time: numbers(&result["time"]), values })
    }

    /// The times at which a Boolean changes.
    fn switches(&self, boolean: usize) -> Vec<f64> {
        let values = &self.values[boolean];
        (1..values.len()).filter(|&at| values[at] != values[at - 1]).map(|at| self.time[at]).collect()
    }

    /// The last value at a time, by linear interpolation between rows.
    fn value(&self, variable: usize, time: f64) -> f64 {
        let after = self.time.partition_point(|&row| row <= time).min(self.time.len() - 1);
        let (t0, t1) = (self.time[after - 1], self.time[after]);
        let (y0, y1) = (self.values[variable][after - 1], self.values[variable][after]);
        if t1 > t0 { y0 + (y1 - y0) * (time - t0) / (t1 - t0) } else { y1 }
    }
}

/// A model whose runs by rumoca and by `simulate` are compared.
struct Case {
    model: &'static str,
    overrides: &'static [&'static str],
    stop: f64,
    values: &'static [&'static str],
    /// Mode variables; the times of their changes are compared.
    modes: &'static [&'static str],
}

/// How much values may differ, relative to the largest of their variable; rumoca runs with a tolerance of 1e-8.
const VALUES: f64 = 1e-5;
/// How much switch times may differ, relative to the run.
const TIMES: f64 = 1e-6;

/// Compares all values at a hundred times that are no events, and all switch times.
fn check_same_as_simulate(case: &Case) {
    let names: Vec<String> = case.values.iter().chain(case.modes).map(|name| quoted(name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let Some(rumoca) = Rumoca::of(case.model, case.overrides, case.stop, &names) else { return };
    let (stop, interval) = (case.stop.to_string(), (case.stop / 100.0).to_string());
    let mut options = vec!["--stop", &stop, "--interval", &interval, "--tolerance", "1e-9"];
    case.overrides.iter().for_each(|setting| options.extend(["--set", setting]));
    let source = format!("models/{}.mo", case.model);
    let ours = Run::of(&source, &format!("rumoca_{}", case.model), &options);
    let mut events = Vec::new();
    for (number, mode) in case.modes.iter().enumerate() {
        let column = ours.column(mode);
        let changes = ours.rows.windows(2).filter(|pair| pair[0][column] != pair[1][column]);
        let expected: Vec<f64> = changes.map(|pair| pair[1][0]).collect();
        check_times(&rumoca.switches(case.values.len() + number), &expected, TIMES * case.stop);
        events.extend(expected);
    }
    for (number, name) in case.values.iter().enumerate() {
        let column = ours.column(name);
        let tolerance = VALUES * ours.scale(column);
        let is_event = |time: f64| events.iter().any(|event| (event - time).abs() <= 2.0 * TIMES * case.stop);
        let times = (1..100).map(|step| case.stop * f64::from(step) / 100.0).filter(|&time| !is_event(time));
        for time in times {
            let what = format!("{} of {} at {time}", name, case.model);
            check_close(rumoca.value(number, time), ours.value(column, time), tolerance, &what);
        }
    }
}

/// A name as it is written where it is no identifier.
fn quoted(name: &str) -> String {
    if name.contains('.') { format!("'{name}'") } else { name.to_string() }
}

const CASES: &[Case] = &[
    Case { model: "TwoEquations", overrides: &[], stop: 2.0, values: &["x"], modes: &["p"] },
    Case {
        model: "WaterTank",
        overrides: &[],
        stop: 2.0,
        values: &["x", "yh", "yl", "z", "sh", "sl"],
        modes: &["bh", "bl"],
    },
    Case { model: "ClutchBasic", overrides: &[], stop: 10.0, values: &["w1", "w2", "f1", "f2"], modes: &["g"] },
    Case {
        model: "RLDC2",
        overrides: &[],
        stop: 1.0,
        values: &["i1", "i2", "j1", "j2", "u1", "u2", "v1", "v2", "w1", "w2", "x1", "x2", "s1", "s2"],
        modes: &["g1", "g2"],
    },
    Case {
        model: "FaultyCoaxial",
        overrides: &["N=1"],
        stop: 5e-8,
        values: &["element[1].i1", "element[1].u2", "element[1].v", "element[1].j"],
        modes: &["element[1].open", "element[1].short"],
    },
    Case { model: "DiodeInductor", overrides: &[], stop: 20.0, values: &["i", "uL", "uD", "s"], modes: &["closed"] },
    Case { model: "DiodeCapacitor", overrides: &[], stop: 20.0, values: &["v", "i", "iD"], modes: &["closed"] },
    Case { model: "BreakingShaft", overrides: &[], stop: 2.0, values: &["phi1", "w2", "tau"], modes: &["broken"] },
    Case { model: "BreakingCapacitor", overrides: &[], stop: 1.0, values: &["v1", "v2", "i2"], modes: &["broken"] },
    Case { model: "BreakingInductor", overrides: &[], stop: 3.0, values: &["i1", "u1", "u2"], modes: &["broken"] },
];

#[test]
fn rumoca_finds_what_simulate_finds_of_the_source() {
    CASES.iter().for_each(check_same_as_simulate);
}

fn check_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, expected {expected}");
}

fn check_times(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?}, expected {expected:?}");
    found.iter().zip(expected).for_each(|(&found, &expected)| check_close(found, expected, tolerance, "switch time"));
}

#[test]
fn two_equations_stay_at_one() {
    let Some(run) = Rumoca::of("TwoEquations", &[], 2.0, &["x", "p"]) else { return };
    check_times(&run.switches(1), &[1.0], 1e-6);
    for time in [0.25, 0.5, 0.75, 1.25, 2.0] {
        check_close(run.value(0, time), f64::min(time, 1.0), 1e-6, "x");
    }
}

#[test]
fn the_water_tank_switches_when_it_should() {
    // x' = z - y0 in between; z = y0 where the additional flow vanishes: cos(2 pi t) = 1/0.8 - 1.
    let Some(run) = Rumoca::of("WaterTank", &[], 2.0, &["x", "bh", "bl"]) else { return };
    check_times(&run.switches(1), &[0.1578, 0.2098, 1.1355, 1.2098], 1e-3);
    check_times(&run.switches(2), &[0.4685, 0.7902, 1.4685, 1.7902], 1e-3);
    for (time, level) in [(0.18, 1.0), (0.6, 0.0), (1.17, 1.0), (1.6, 0.0)] {
        check_close(run.value(0, time), level, 1e-6, "level");
    }
}

#[test]
fn the_clutch_keeps_its_momentum() {
    // Free shafts decay with k/j; engaged at 5 they share their momentum (j1 w1 + j2 w2)/(j1 + j2), then decay together.
    let Some(run) = Rumoca::of("ClutchBasic", &[], 10.0, &["w1", "w2", "g"]) else { return };
    check_times(&run.switches(2), &[5.0, 7.0], 1e-6);
    let (before1, before2) = ((-0.05f64).exp(), 1.5 * (-0.03125f64).exp());
    let engaged = (before1 + 2.0 * before2) / 3.0;
    let at_seven = engaged * (-2.0 * 0.0225f64 / 3.0).exp();
    for (time, w1, w2) in [
        (2.0, (-0.02f64).exp(), 1.5 * (-0.0125f64).exp()),
        (6.0, engaged * (-0.0075f64).exp(), engaged * (-0.0075f64).exp()),
        (10.0, at_seven * (-0.03f64).exp(), at_seven * (-0.01875f64).exp()),
    ] {
        check_close(run.value(0, time), w1, 1e-5, "w1");
        check_close(run.value(1, time), w2, 1e-5, "w2");
    }
}

#[test]
fn two_diodes_block_one_after_the_other() {
    // Where both diodes block, j1 = -j2 decays with (R1 + R2)/(L1 + L2), and the capacitors keep their voltages.
    let Some(run) = Rumoca::of("RLDC2", &[], 1.0, &["j1", "j2", "v1", "v2", "g1", "g2"]) else { return };
    let blocked = run.switches(4).into_iter().chain(run.switches(5)).fold(0.0, f64::max);
    let start = blocked + 0.1;
    let decay = (-(10.0 + 15.0) / (1.0 + 1.5) * 0.3f64).exp();
    check_close(run.value(0, start + 0.3), run.value(0, start) * decay, 1e-4, "j1");
    check_close(run.value(0, start) + run.value(1, start), 0.0, 1e-6, "j1 + j2");
    check_close(run.value(2, start), run.value(2, 1.0), 1e-6, "v1");
    check_close(run.value(3, start), run.value(3, 1.0), 1e-6, "v2");
}

#[test]
fn one_element_of_the_line_rings() {
    // L i' = U0 - R i - u, C u' = i + I0 - S u from rest: compared with the solution by small steps of fourth order.
    let names = ["'element[1].i1'", "'element[1].u2'"];
    let Some(run) = Rumoca::of("FaultyCoaxial", &["N=1"], 5e-8, &names) else { return };
    let slope = |[i, u]: [f64; 2]| [(100.0 - 0.01 * i - u) / 1e-6, (i + 0.1 - 1e-11 * u) / 1e-11];
    let along = |[i, u]: [f64; 2], [di, du]: [f64; 2], h: f64| [i + h * di, u + h * du];
    let (mut state, steps) = ([0.0, 0.0], 20_000);
    let h = 5e-8 / f64::from(steps);
    for _ in 0..steps {
        let k1 = slope(state);
        let k2 = slope(along(state, k1, h / 2.0));
        let k3 = slope(along(state, k2, h / 2.0));
        let k4 = slope(along(state, k3, h));
        for at in 0..2 {
            state[at] += h / 6.0 * (k1[at] + 2.0 * k2[at] + 2.0 * k3[at] + k4[at]);
        }
    }
    check_close(run.value(0, 5e-8), state[0], 1e-4, "current");
    check_close(run.value(1, 5e-8), state[1], 1e-2, "voltage");
}

#[test]
fn an_ideal_diode_opens_and_closes() {
    // i' = sin t - i from rest: i = (exp(-t) + sin t - cos t)/2 is zero again at 3.9407; sin t is positive again at 2 pi.
    let Some(run) = Rumoca::of("DiodeInductor", &[], 13.0, &["i", "closed"]) else { return };
    let switches = run.switches(1);
    let tau = std::f64::consts::TAU;
    check_times(&switches[..4.min(switches.len())], &[3.9407, tau, tau + 3.9407, 2.0 * tau], 1e-3);
}
