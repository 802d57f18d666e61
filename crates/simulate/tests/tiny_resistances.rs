//! Diodes with a small resistance and a small leak: stiff, with currents that are small differences of voltages many times larger.

use crate::support::runs::{How, run_text};
use modeshift_simulate::integrate::Method;

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
