//! Rectifiers of many ideal diodes, which decide together, through modes that are singular.
//!
//! Fourteen diodes lead from seven phases of a source to both ends of a capacitor; nothing has a resistance. Two diodes
//! of one side cannot conduct at once, and all off is singular, because the star point of the source floats: of 16384
//! modes 63 are regular. What happens is known in closed form: the voltage of the capacitor falls exponentially, unless
//! the highest difference of two phases is above it.

use crate::support::runs as support;
use std::f64::consts::PI;

use modeshift_mode_changes::Strategy;
use modeshift_simulate::integrate::Method;
use support::{How, Ran, check, run_text};

const PHASES: usize = 7;
/// Resistance times capacity.
const DECAY: f64 = 100.0;
const START: f64 = 0.05;

/// The rectifier, whose source jumps ahead by an angle at 0.1, with next modes searched in these ways.
fn rectifier(stop: f64, ahead: f64, search: &'static [Strategy]) -> Ran {
    let text = format!(
        "model Rectifier
           parameter Integer n = {PHASES};
           parameter Real R = 10;
           parameter Real C = 10;
           Real angle, e[n], star, vc(start = 1.9);
           Real a[n], ua[n], sa[n](start = {{1, -1, -1, -1, -1, -1, -1}});
           Real b[n], ub[n], sb[n](start = {{-1, -1, -1, -1, 1, -1, -1}});
           Boolean up[n], down[n];
         equation
           angle = time + (if time >= 0.1 then {ahead} else 0);
           for k in 1:n loop
             e[k] = star + cos(angle - 2*3.141592653589793*(k - 1)/n);
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
         end Rectifier;"
    );
    run_text(&text, &How { start: Some(START), ..How::until(stop).tolerance(1e-8).search(search) }).finished()
}

/// The largest difference of two phases at an angle.
fn highest(angle: f64) -> f64 {
    let phase = |k: usize| (angle - 2.0 * PI * k as f64 / PHASES as f64).cos();
    let largest = (0..PHASES).map(phase).fold(f64::NEG_INFINITY, f64::max);
    let smallest = (0..PHASES).map(phase).fold(f64::INFINITY, f64::min);
    largest - smallest
}

/// Compares the voltage of the capacitor with what it must be, in small steps of time.
fn check_voltage(ran: &Ran, ahead: f64) {
    const STEP: f64 = 1e-5;
    let (times, voltages) = (ran.result.times(), ran.values("vc"));
    let (mut time, mut voltage) = (START, highest(START));
    for (&row, &found) in times.iter().zip(&voltages) {
        while time < row {
            let step = STEP.min(row - time);
            time += step;
            let angle = time + if time >= 0.1 { ahead } else { 0.0 };
            voltage = f64::max(voltage * (-step / DECAY).exp(), highest(angle));
        }
        // Right before and after a jump of the source both values are written.
        let is_jump = (row - 0.1).abs() < 2.0 * STEP;
        assert!((found - voltage).abs() < 1e-6 || is_jump, "{found} is not {voltage} at {row} for a jump by {ahead}");
    }
}

#[test]
fn a_diode_takes_the_place_of_one_without_current() {
    // Between two pulses one diode conducts no current; with the first one of the other side to come, both must change.
    let ran = rectifier(2.0 * PI, 0.0, &Strategy::ALL);
    check_voltage(&ran, 0.0);
    let pulses = ran.event_times().len();
    // In between all are off. The first pulse has begun before the start.
    assert_eq!(pulses, 2 * 2 * PHASES - 1, "{PHASES} phases have {} pulses, each begins and ends", 2 * PHASES);
}

fn check_jumps(every: usize, search: &'static [Strategy]) {
    for jump in (1..=24).step_by(every) {
        let ahead = 0.25 * f64::from(jump) + 0.1;
        check_voltage(&rectifier(0.4, ahead, search), ahead);
    }
}

#[test]
fn all_diodes_decide_together_where_the_source_jumps() {
    check_jumps(5, &Strategy::ALL);
}

#[test]
#[ignore = "the same jumps, all 24 of them by both searches: half a minute"]
fn all_diodes_decide_together_at_every_jump() {
    check_jumps(1, &Strategy::ALL);
    check_jumps(1, LEMKE);
}

const LEMKE: &[Strategy] = &[Strategy::Complementary];
const OTHERS: &[Strategy] = &[Strategy::FlipAll, Strategy::FlipLeast, Strategy::Enumerate];

#[test]
fn diodes_turn_off_alike_by_any_search() {
    // Phases 1 and 5 conduct until their voltage falls faster than that of the capacitor: then there is no current. All
    // off is singular, but harmless; one diode without current is the same solution, which Lemke's method finds.
    let highest_voltage = PI / 14.0;
    for search in [&Strategy::ALL, LEMKE, OTHERS] {
        let ran = rectifier(0.4, 0.0, search);
        assert_eq!(ran.events().len(), 1, "{search:?}: {:?}", ran.event_times());
        check("turning off", ran.event_times()[0], highest_voltage + (1.0 / DECAY).atan(), 1e-8);
        assert!(ran.mode_after(0).len() <= 1, "{search:?}: {:?}", ran.mode_after(0));
        check_voltage(&ran, 0.0);
    }
}

#[test]
fn all_pulses_and_jumps_are_found_by_lemke_alone() {
    check_voltage(&rectifier(2.0 * PI, 0.0, LEMKE), 0.0);
    check_jumps(7, LEMKE);
}

/// Two diodes that take over a constant current from each other: beside it the current that begins is a small difference, and what it charges
/// begins with the rounding of that. While both conduct it grows as `(1 - cos(w t))/(w L)`.
#[test]
fn a_current_that_is_a_small_difference_begins() {
    let text = "model M Real i1(start = 0, fixed = true), i2, s1, s2, u1, u2, v, vd, q(start = 0, fixed = true); Boolean d1, d2; equation
        v = sin(6.283185307179586*time); d1 = s1 > 0; d2 = s2 > 0;
        i1 = if d1 then s1 else 0; u1 = if d1 then 0 else s1; i2 = if d2 then s2 else 0; u2 = if d2 then 0 else s2;
        v - 0.05*der(i1) - u1 = vd; -v - 0.05*der(i2) - u2 = vd; i1 + i2 = 1; der(q) = i1; end M;";
    let rate = std::f64::consts::TAU;
    let overlap = (1.0 - 0.05 * rate).acos() / rate;
    let taken_over = (overlap - (rate * overlap).sin() / rate) / (0.05 * rate);
    let charge = taken_over + (0.5 - overlap) + (overlap - taken_over) + taken_over + (0.3 - overlap);
    for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
        let ran = run_text(text, &How { method: Some(method), ..How::until(1.3) }).finished();
        check(&format!("{method:?}"), ran.last("q"), charge, 1e-5);
    }
}
