//! Diodes with a small resistance and a small leak: stiff, with currents that are small differences of voltages many times larger.

use crate::support::runs::{How, run_text};
use modeshift_simulate::integrate::Method;
use modeshift_simulate::run::RunEnd;

/// A capacitor charged by a sine through a diode in the form of the standard library, with a resistor beside it.
const PEAK: &str = "model Peak
  parameter Real Ron = 1e-5, Goff = 1e-5;
  Real u, v, i, s, c(start = 0, fixed = true);
  Boolean off;
equation
  u = 10*sin(314.1592653589793*time);
  v = u - c;
  off = s < 0;
  v = s*(if off then 1 else Ron);
  i = s*(if off then Goff else 1);
  1e-4*der(c) = i - c/1000;
end Peak;";

/// The voltage at 0.1 s by the switching instants of the limit of no resistance and no leak: after the last peak the capacitor is left
/// where its own discharge is faster than the source falls, `tan(w t) = -w R C`, and decays from there.
fn limit() -> f64 {
    let rate = 314.159_265_358_979_3_f64;
    let last = 4.0 * std::f64::consts::TAU / rate + (std::f64::consts::PI - (rate * 0.1).atan()) / rate;
    10.0 * (rate * last).sin() * (-(0.1 - last) / 0.1).exp()
}

/// All resistances, leaks, methods and tolerances give the same run, but for what a leak and a resistance do.
#[test]
fn a_rectifier_with_tiny_resistances_is_that_without() {
    for method in [Method::Bdf, Method::Esdirk] {
        for (resistance, leak) in [("1e-3", "1e-7"), ("1e-5", "1e-7"), ("1e-5", "1e-9"), ("1e-7", "1e-9")] {
            for tolerance in [1e-4, 1e-6, 1e-8] {
                let how = How { method: Some(method), ..How::until(0.1).tolerance(tolerance) };
                let text = PEAK.replace("Ron = 1e-5", &format!("Ron = {resistance}"));
                let ran = run_text(&text.replace("Goff = 1e-5", &format!("Goff = {leak}")), &how).finished();
                let context = format!("{method:?} {tolerance:e} Ron = {resistance}, Goff = {leak}");
                // Where the tolerance is too coarse for the current, that is said.
                if ran.diagnostics.iter().any(|it| it.code == "W0839") {
                    assert!(tolerance > 1e-6, "{context}");
                    continue;
                }
                assert_eq!(ran.events().len(), 9, "{context}");
                // The charge that flows through the leak, and what the resistance keeps from the capacitor.
                let own =
                    10.0 * (2.0 * resistance.parse::<f64>().unwrap_or(1.0) + 2e3 * leak.parse::<f64>().unwrap_or(1.0));
                let far = (ran.last("c") - limit()).abs();
                assert!(far <= 10.0 * tolerance * 10.0 + own, "{context}: {} instead of {}", ran.last("c"), limit());
            }
        }
    }
}

/// Two stages that double a voltage of 10, with a load: four capacitors and four diodes in the form of the standard library. Capacitors of
/// the second stage begin with voltages of 1e-10 beside others of 1, and with currents that are differences of these over 1e-5.
const LADDER: &str = "model Ladder
  Real c1(start = 0, fixed = true), c2(start = 0, fixed = true), c3(start = 0, fixed = true), c4(start = 0, fixed = true);
  Real n1, n2, n3, n4, v[4], i[4], s[4];
  Boolean off[4];
equation
  n1 = 10*sin(314.1592653589793*time) - c1;
  n2 = c2;
  n3 = n1 - c3;
  n4 = n2 + c4;
  v = {-n1, n1 - n2, n2 - n3, n3 - n4};
  for k in 1:4 loop
    off[k] = s[k] < 0;
    v[k] = s[k]*(if off[k] then 1 else 1e-5);
    i[k] = s[k]*(if off[k] then 1e-5 else 1);
  end for;
  1e-4*der(c4) = i[4] - n4/5000;
  1e-4*der(c3) = i[4] - i[3];
  1e-4*der(c2) = i[2] + i[4] - n4/5000 - i[3];
  1e-4*der(c1) = i[2] + i[4] - i[3] - i[1];
end Ladder;";

/// The same at 0.2 s by Radau IIA of order 5, with steps of at most 2e-5 and errors of 1e-8, of the voltages with diodes as functions of
/// their voltages.
const LADDER_LATER: [(&str, f64); 4] =
    [("c1", -10.004_954_25), ("c2", 13.585_191_07), ("c3", -13.937_851_06), ("c4", 11.070_695_59)];

#[test]
fn a_ladder_of_rectifiers_with_tiny_resistances_comes_to_its_end() {
    for tolerance in [1e-5, 1e-6, 1e-8] {
        let ran = run_text(LADDER, &How::until(0.2).tolerance(tolerance)).finished();
        for (name, expected) in LADDER_LATER {
            let far = (ran.last(name) - expected).abs() / expected.abs();
            assert!(far <= 10.0 * tolerance, "{tolerance:e}: {name} = {}, {far:e} from {expected}", ran.last(name));
        }
    }
}

/// Two bridges in series with inductive lines, of which the second is behind, and an inductive load: diodes that leak and have resistances lie in
/// loops, through which what a slope may be made of is 1e10 times larger at each turn.
const TWELVE_PULSES: &str = "package Pulses
  connector Pin Real v; flow Real i; end Pin;
  partial model TwoPins Pin p; Pin n; Real v; Real i; equation v = p.v - n.v; i = p.i; 0 = p.i + n.i; end TwoPins;
  model Resistor extends TwoPins; parameter Real R; equation v = R*i; end Resistor;
  model Inductor extends TwoPins; parameter Real L; equation L*der(i) = v; end Inductor;
  model Source extends TwoPins; parameter Real phase; equation v = 100*sin(314.159265358979*time + phase); end Source;
  model Ground Pin p; equation p.v = 0; end Ground;
  model Diode extends TwoPins; Real s; Boolean off; equation off = s < 0;
    v = s*(if off then 1 else 1e-5); i = s*(if off then 1e-5 else 1); end Diode;
  model Bridge
    Pin high, low;
    parameter Real shift;
    parameter Real line;
    Source a(phase = shift), b(phase = shift - 2.0943951023931953), c(phase = shift + 2.0943951023931953);
    Inductor la(L = line, i(start = 0, fixed = true)), lb(L = line, i(start = 0, fixed = true)), lc(L = line);
    Diode d1, d2, d3, d4, d5, d6;
  equation
    connect(a.n, b.n); connect(a.n, c.n);
    connect(a.p, la.p); connect(b.p, lb.p); connect(c.p, lc.p);
    connect(la.n, d1.p); connect(la.n, d4.n); connect(lb.n, d2.p); connect(lb.n, d5.n);
    connect(lc.n, d3.p); connect(lc.n, d6.n);
    connect(d1.n, d2.n); connect(d1.n, d3.n); connect(d4.p, d5.p); connect(d4.p, d6.p);
    connect(d1.n, high); connect(d4.p, low);
  end Bridge;
  model Twelve
    Bridge one(shift = 0, line = 1e-3), two(shift = -0.4, line = 1e-3);
    Resistor r(R = 10); Inductor l(L = 1e-4, i(start = 0, fixed = true)); Ground ground;
  equation
    connect(one.low, two.high); connect(one.low, ground.p);
    connect(one.high, r.p); connect(r.n, l.p); connect(l.n, two.low);
  end Twelve;
end Pulses;";

/// Solved exactly, the bridges pass through the same events as by backward differentiation, to the same currents.
#[test]
fn two_bridges_in_series_with_tiny_resistances_run_exactly() {
    let run = |method| run_text(TWELVE_PULSES, &How { method, ..How::until(0.004) }).finished();
    let (exact, stepwise) = (run(Some(Method::Auto)), run(Some(Method::Bdf)));
    assert_eq!(exact.events().len(), stepwise.events().len());
    for name in ["l.i", "one.la.i", "one.lb.i", "two.la.i", "two.lb.i"] {
        let (found, expected) = (exact.last(name), stepwise.last(name));
        assert!((found - expected).abs() <= 1e-5 * expected.abs(), "{name} = {found}, not {expected}");
    }
}

/// Diodes in the form of the standard library, with capacitors behind them that nothing but the diodes separates from the source.
const DIODE: &str = "  model D
    parameter Real Ron = 1e-6;
    Real s, i, v;
    Boolean off;
  equation
    off = s < 0;
    v = s*(if off then 1 else Ron);
    i = s*(if off then Ron else 1);
  end D;
  Real u;";
const DOUBLER: &str = "  D d1, d2;
  Real v1(start = 0, fixed = true), v2(start = 0, fixed = true), n;
equation
  u = 10*sin(314.1592653589793*time);
  n = u - v1;
  1e-4*der(v1) = d2.i - d1.i;
  d1.v = -n;
  d2.v = n - v2;
  1e-4*der(v2) = d2.i - v2/10e3;";
const CLAMP: &str = "  D d1;
  Real v1(start = 0, fixed = true), n;
equation
  u = 10*sin(314.1592653589793*time);
  n = u - v1;
  d1.v = n;
  1e-4*der(v1) = d1.i + n/1000;";
const BRIDGE: &str = "  D d1, d2, d3, d4;
  Real v1(start = 0, fixed = true), a, b, i;
equation
  u = 10*sin(314.1592653589793*time);
  u = a - b;
  d1.v = a - v1;
  d2.v = b - v1;
  d3.v = -a;
  d4.v = -b;
  i = d1.i - d3.i;
  0 = i + d2.i - d4.i;
  1e-3*der(v1) = d1.i + d2.i - v1/100;";

/// By circuit, the voltages at 0.1 s with resistances and leaks of 1e-6, 1e-8 and so on down to 1e-10: each mode by exponentials with 110 digits,
/// and its end by halving to a 1e-36th of the run.
const SIZES: [&str; 4] = ["1e-6", "1e-8", "1e-9", "1e-10"];
const EXACTLY: [(&str, &str, [f64; 4]); 4] = [
    (DOUBLER, "v1", [-10.000562959, -10.000005631, -10.000000563, -10.000000056]),
    (DOUBLER, "v2", [18.480560426, 18.483905550, 18.483935963, 18.483939004]),
    (CLAMP, "v1", [8.278755685, 8.280363854, 8.280378474, 8.280379936]),
    (BRIDGE, "v1", [9.517067015, 9.517113170, 9.517113590, 9.517113632]),
];

/// In all methods and tolerances: right, or it is told that a condition is not resolved or that several modes follow, or the run stops.
#[test]
fn capacitors_behind_diodes_of_tiny_resistances_are_never_silently_wrong() {
    let mut right_by_default = 0;
    for (circuit, name, expected) in EXACTLY {
        for (size, expected) in SIZES.into_iter().zip(expected) {
            for (method, tolerance) in [(Method::Auto, 1e-6), (Method::Auto, 1e-4), (Method::Bdf, 1e-6)] {
                let text = format!("model M\n{}\n{circuit}\nend M;", DIODE.replace("1e-6", size));
                let how = How { method: Some(method), ..How::until(0.1).tolerance(tolerance) };
                let ran = run_text(&text, &how);
                if ran.summary.as_ref().is_none_or(|summary| summary.end != RunEnd::Stop) {
                    continue;
                }
                let is_told = ran.diagnostics.iter().any(|it| it.code == "W0828" || it.code == "W0839");
                let (found, is_default) = (ran.last(name), method == Method::Auto && tolerance == 1e-6);
                let far = (found - expected).abs() / expected.abs();
                right_by_default += usize::from(is_default && far <= 10.0 * tolerance);
                let context = format!("{method:?} {tolerance:e} {size}: {name} = {found}, not {expected}");
                assert!(is_told || far <= 100.0 * tolerance, "{context}");
            }
        }
    }
    assert!(right_by_default >= 10, "{right_by_default}");
}

/// A forward converter, which comes to rest in every period: its freewheeling diode and the one before it stop together.
const FORWARD: &str = "  D d1, d2, dr;
  Real im(start = 0, fixed = true), il(start = 0, fixed = true), vo(start = 0, fixed = true), vp, x, i;
  Boolean c;
equation
  c = mod(time, 1e-5) < 4e-6;
  i = if c then im + 0.5*d1.i - dr.i else 0;
  if c then vp = 48; else im + 0.5*d1.i - dr.i = 0; end if;
  dr.v = -vp - 48;
  d1.v = 0.5*vp - x;
  d2.v = -x;
  il = d1.i + d2.i;
  1e-3*der(im) = vp;
  5e-5*der(il) = x - vo;
  1e-4*der(vo) = il - vo/2;
  u = x;";
/// Three phases with inductors before a bridge of six diodes, with a capacitor and a resistor behind it.
const PHASES: &str = "  D a[3], b[3];
  Real v(start = 0, fixed = true), il[3](start = {0, 0, 0}), w[3], p, n, i;
equation
  for k in 1:3 loop
    1e-3*der(il[k]) = 10*sin(314.1592653589793*time - 2.0943951023931953*(k - 1)) - 0.05*il[k] - w[k];
    il[k] = a[k].i - b[k].i;
    a[k].v = w[k] - p;
    b[k].v = n - w[k];
  end for;
  i = a[1].i + a[2].i + a[3].i;
  i = b[1].i + b[2].i + b[3].i;
  p - n = v;
  1e-3*der(v) = i - v/50;
  u = p;";

/// Resistances and leaks, each with what comes out.
type BySize = [(&'static str, f64)];

/// By circuit and resistance, what an implicit Euler method that solves complementarity problems tends to as its steps become short.
const CONVERTERS: [(&str, f64, &str, &BySize); 2] = [
    (FORWARD, 5.03e-4, "vo", &[("1e-5", 7.70966), ("1e-6", 7.70969), ("1e-7", 7.70969), ("1e-8", 7.70969)]),
    (PHASES, 0.1, "v", &[("1e-5", 16.2828), ("1e-6", 16.2830)]),
];

/// Where two diodes stop together, or one of a bridge before inductors, one mode follows: currents are noise there, and voltages over leaks
/// are many times as much.
#[test]
fn converters_of_tiny_resistances_go_on_by_default() {
    for (circuit, stop, name, cases) in CONVERTERS {
        for (size, expected) in cases {
            let text = format!("model M\n{}\n{circuit}\nend M;", DIODE.replace("1e-6", size));
            let ran = run_text(&text, &How::until(stop));
            assert!(
                ran.summary.as_ref().is_some_and(|it| it.end == RunEnd::Stop),
                "{name} {size}: {:?}",
                ran.diagnostics
            );
            let found = ran.last(name);
            assert!((found - expected).abs() <= 3e-5 * expected, "{name} {size} = {found}, not {expected}");
        }
    }
}
