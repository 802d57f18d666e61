//! A body before a wall: whatever it keeps of its speed and wherever it begins, it is never behind it without a word.

use crate::support::runs as support;
use modeshift_simulate::integrate::Method;
use support::{How, Ran, check, run_text};

/// Falls from a height with a speed, keeps this part of its speed at the wall.
fn fallen(restitution: f64, height: f64, speed: f64, method: Method) -> Ran {
    let text = format!(
        "model M import Modeshift.Translational.*; HardStop b(e = {restitution:?}, s(start = {height:?}, fixed = true),
        v(start = {speed:?}, fixed = true)); ConstantForce g(f = -10); equation connect(g.a, b.a); end M;"
    );
    run_text(&text, &How { method: Some(method), ..How::until(2.0) })
}

/// Whether the run says that the body is behind its wall, or that impacts accumulate.
fn is_told(ran: &Ran) -> bool {
    ran.diagnostics.iter().any(|it| it.code == "E0821" || it.code == "E0827")
}

const METHODS: [Method; 4] = [Method::Auto, Method::Bdf, Method::Esdirk, Method::Exact];

#[test]
fn a_body_that_comes_to_rest_stops_the_run_before_it_is_behind_the_wall() {
    for restitution in [0.5, 0.1, 0.01, 1e-3, 1e-6, 0.0] {
        for method in METHODS {
            let ran = fallen(restitution, 1.0, 0.0, method);
            let lowest = ran.values("b.s").into_iter().fold(0.0, f64::min);
            assert!(lowest >= -2e-6, "{restitution}, {method:?}: {lowest}");
            assert!(is_told(&ran), "{restitution}, {method:?}: {:#?}", ran.diagnostics);
        }
    }
}

#[test]
fn a_body_that_begins_at_the_wall_and_cannot_leave_it_stops_the_run() {
    for speed in [0.0, -2.0] {
        assert!(is_told(&fallen(0.5, 0.0, speed, Method::Auto)), "{speed}");
    }
}

/// With all of its speed it rises to where it was, again and again.
#[test]
fn a_body_that_keeps_its_speed_bounces_on() {
    for method in METHODS {
        let ran = fallen(1.0, 1.0, 0.0, method).finished();
        // Impacts every 2*sqrt(0.2) s from sqrt(0.2) s on; at 2 s it falls since 4*sqrt(0.2) s.
        let since = 2.0 - 4.0 * 0.2_f64.sqrt();
        check("height", ran.last("b.s"), 1.0 - 5.0 * since * since, 1e-6);
    }
}
