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
