//! `sign` in what is discrete: it changes at events, as the relations do that the language spells it out with.

use crate::support::runs as support;
use modeshift_simulate::integrate::Method;
use support::{How, run_text};

/// Whatever the method, and also where other units make all values small or large.
#[test]
fn what_is_discrete_follows_a_sign() {
    for method in [Method::Auto, Method::Bdf, Method::Esdirk, Method::Explicit] {
        for unit in [1e-9, 1.0, 1e6] {
            let text = format!(
                "model M Real u = {unit:?}*(2.3 - time); Integer s = sign(u), twice = 2*sign(u), silent = noEvent(sign(u));
                Boolean is_negative = sign(u) == -1; Integer n(start = 0, fixed = true); Real y = if sign(u) == 1 then 10 else 20;
                Real t[3] = {{5, 6, 7}}; Real z = t[sign(u) + 2];
                equation when sign(u) == -1 then n = pre(n) + 1; end when; end M;"
            );
            let ran = run_text(&text, &How { method: Some(method), ..How::until(5.0) }).finished();
            for (name, before, after) in [
                ("s", 1.0, -1.0),
                ("twice", 2.0, -2.0),
                ("silent", 1.0, -1.0),
                ("is_negative", 0.0, 1.0),
                ("n", 0.0, 1.0),
                ("y", 10.0, 20.0),
                ("z", 7.0, 5.0),
            ] {
                assert_eq!((ran.at(2.2, name), ran.at(2.4, name)), (before, after), "{name} by {method:?} in {unit:e}");
            }
        }
    }
}

/// The direction of a drive is read back by its own motion: 1.2 up to zero, then 0.8.
#[test]
fn a_drive_feels_the_sign_of_its_own_speed() {
    let text = "model M Real w(start = -1, fixed = true); Integer dir = sign(w); equation der(w) = 1 - 0.2*dir; end M;";
    let ran = run_text(text, &How::until(2.0)).finished();
    support::check("w", ran.last("w"), 0.8 * (2.0 - 1.0 / 1.2), 1e-9);
}

/// A discrete variable changes at events only, so `noEvent` around its whole value says nothing.
#[test]
fn a_discrete_variable_steps_however_silent_its_value() {
    let text = "model M Integer q = noEvent(integer(2.3 - time)); Real x = time; end M;";
    let ran = run_text(text, &How::until(5.0)).finished();
    for (time, step) in [(0.2, 2.0), (0.4, 1.0), (1.4, 0.0), (2.4, -1.0), (4.4, -3.0)] {
        assert_eq!(ran.at(time, "q"), step, "at {time}");
    }
}
