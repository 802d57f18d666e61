//! Events that are shorter than steps: guards that states carry through a narrow window, against closed forms.

use std::f64::consts::{PI, TAU};

use crate::support::random::Random;
use crate::support::runs::{How, Ran, check, run_text};
use modeshift_simulate::integrate::Method;
use modeshift_simulate::run::RunEnd;

const METHODS: [Method; 3] = [Method::Bdf, Method::Esdirk, Method::Explicit];

/// How a state moves from 0 on.
#[derive(Clone, Copy, Debug)]
enum Motion {
    /// `x = speed*time`, for one unit of time.
    Steady(f64),
    /// `x = 1 - exp(-rate*time)`
    Exponential(f64),
    /// `x = sin(time)`, for a little more than a period.
    Sine,
}

impl Motion {
    fn all(random: &mut Random) -> Self {
        let factor = 10f64.powf(uniform(random, -0.7, 0.7));
        [Motion::Steady(factor), Motion::Exponential(factor), Motion::Sine][random.below(3)]
    }

    fn text(self) -> String {
        match self {
            Motion::Steady(speed) => format!("der(x) = {speed}; w = x;"),
            Motion::Exponential(rate) => format!("der(x) = {rate}*(1 - x); w = x;"),
            Motion::Sine => "der(x) = w; der(w) = -x;".to_string(),
        }
    }

    fn declaration(self) -> &'static str {
        match self {
            Motion::Sine => "Real x(start = 0, fixed = true), w(start = 1, fixed = true);",
            _ => "Real x(start = 0, fixed = true), w;",
        }
    }

    fn range(self) -> f64 {
        if let Motion::Steady(speed) = self { speed } else { 1.0 }
    }

    fn stop(self) -> f64 {
        match self {
            Motion::Steady(_) => 1.0,
            Motion::Exponential(rate) => 3.0 / rate,
            Motion::Sine => 7.0,
        }
    }

    /// When it passes a window that it goes through, in and out.
    fn passages(self, low: f64, high: f64) -> Vec<f64> {
        match self {
            Motion::Steady(speed) => vec![low / speed, high / speed],
            Motion::Exponential(rate) => [low, high].map(|x| -(1.0 - x).ln() / rate).to_vec(),
            Motion::Sine => {
                let (low, high) = (low.asin(), high.asin());
                let times = [low, high, PI - high, PI - low, low + TAU, high + TAU];
                times.into_iter().filter(|&time| time < self.stop()).collect()
            }
        }
    }
}

fn uniform(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.below(1 << 20) as f64 / f64::from(1 << 20)
}

/// Guards that hold where `x` is in a window, with the equation of `y` that some of them read.
fn guard(kind: usize, range: f64, middle: f64, half: f64) -> (String, String) {
    let (low, high, plain) = (middle - half, middle + half, "y = 0;".to_string());
    match kind {
        0 => (format!("abs(x - {middle}) < {half}"), plain),
        1 => (format!("exp(-((x - {middle})/{half})^2) > {}", (-1f64).exp()), plain),
        2 => (format!("1/(1 + ((x - {middle})/{half})^2) > 0.5"), plain),
        3 => {
            // Within a quarter of a period.
            let [low, high] = [low, high].map(|x| (x / range).sin());
            (format!("abs(sin(x/{range}) - {}) < {}", 0.5 * (low + high), 0.5 * (high - low)), plain)
        }
        4 => (format!("(x - {low})*(x - {high}) < 0"), plain),
        5 => (format!("max(x - {middle}, {middle} - x) < {half}"), plain),
        // The product of two states, of which one is twice as far on.
        6 => (format!("(x - {low})*(y - {}) < 0", 2.0 * high), "der(y) = 2*der(x);".to_string()),
        // By a definition, and by an equation that is solved.
        7 => ("y > 0.5".to_string(), format!("y = 1/(1 + ((x - {middle})/{half})^2);")),
        _ => (format!("abs(y - {}) < {}", 2.0 * middle, 2.0 * half), "y^3 + y = 8*x^3 + 2*x;".to_string()),
    }
}

fn body(motion: Motion, kind: usize, middle: f64, half: f64) -> String {
    let (guard, given) = guard(kind, motion.range(), middle, half);
    let y = if kind == 6 { "Real y(start = 0, fixed = true);" } else { "Real y;" };
    format!(
        "{} {y} Real inside(start = 0, fixed = true); Integer n(start = 0, fixed = true); equation {} {given}
         der(inside) = if {guard} then 1 else 0; when {guard} then n = pre(n) + 1; end when;",
        motion.declaration(),
        motion.text()
    )
}

fn run_body(body: &str, how: &How) -> Ran {
    run_text(&format!("model M {body} end M;"), how)
}

/// All passages are events at their times, and what holds in between has its effect.
fn check_window(random: &mut Random, kind: usize, method: Method) {
    let motion = Motion::all(random);
    let range = motion.range();
    let half = 0.5 * range * 10f64.powf(uniform(random, -6.0, -1.0));
    // Wide enough from the ends of the motion, where it would be a tangent.
    let middle = range * uniform(random, 0.1, 0.85);
    let tolerance = 10f64.powf(uniform(random, -8.0, -4.0));
    let text = body(motion, kind, middle, half);
    let what = format!("{motion:?} {method:?} {tolerance:e}: {text}");
    let how = How { method: Some(method), ..How::until(motion.stop()).tolerance(tolerance) };
    let ran = run_body(&text, &how).finished();
    let passages = motion.passages(middle - half, middle + half);
    let times = ran.event_times();
    assert_eq!(times.len(), passages.len(), "{times:?}, not {passages:?}: {what}");
    // Errors of the state, over its slowest passage.
    let allowed = 20.0 * tolerance * motion.stop().max(1.0);
    for (found, expected) in times.iter().zip(&passages) {
        assert!((found - expected).abs() <= allowed, "{found}, not {expected}: {what}");
    }
    // The last window may still be open.
    let stop = motion.stop();
    let inside: f64 = passages.chunks(2).map(|it| it.get(1).unwrap_or(&stop) - it[0]).sum();
    let found = ran.last("inside");
    // Both ends of a window move together with the error of the state.
    assert!((found - inside).abs() <= (2.0 * allowed).min(0.05 * inside), "{found}, not {inside}: {what}");
    check("n", ran.last("n"), passages.len().div_ceil(2) as f64, 0.0);
}

#[test]
fn no_window_is_too_narrow_for_a_step() {
    let mut random = Random(14);
    for kind in 0..9 {
        for method in METHODS {
            for _ in 0..6 {
                check_window(&mut random, kind, method);
            }
        }
    }
}

#[test]
#[ignore = "long: a thousand windows"]
fn no_window_of_a_thousand_is_too_narrow_for_a_step() {
    let mut random = Random(2026);
    for number in 0..1000 {
        check_window(&mut random, number % 9, METHODS[number % 3]);
    }
}

#[test]
fn an_assertion_that_is_violated_for_a_moment_stops_the_run() {
    let text = "Real x(start = 0, fixed = true); equation der(x) = 1;
        assert(1/(1 + 1e8*(x - 0.4)^2) < 0.5, \"too near\");";
    for method in METHODS {
        let ran = run_body(text, &How { method: Some(method), ..How::until(1.0) });
        assert_eq!(ran.summary.as_ref().map(|it| &it.end), Some(&RunEnd::Failed), "{method:?}");
        let last = *ran.result.times().last().expect("rows");
        check("time", last, 0.3999, 1e-9);
    }
}

#[test]
fn stairs_of_states_that_turn_are_left_and_come_back_to() {
    // The argument rises above 1 for 2e-3 of the range, around 0.5.
    let text = "Real x(start = 0, fixed = true); Integer n(start = 0, fixed = true); equation der(x) = 1;
        when floor(1 + 1e-6 - (x - 0.5)^2) >= 1 then n = pre(n) + 1; end when;";
    for method in METHODS {
        let ran = run_body(text, &How { method: Some(method), ..How::until(1.0) }).finished();
        check("n", ran.last("n"), 1.0, 0.0);
        check("in", ran.event_times()[0], 0.499, 1e-9);
    }
}

#[test]
fn what_only_comes_near_is_no_event() {
    // A circle just outside of the unit circle, a touch from one side, and a pulse that stays below its level.
    let text = "Real x(start = 1.0001, fixed = true), v(start = 0, fixed = true), p(start = 0, fixed = true);
        Integer n(start = 0, fixed = true); equation der(x) = v; der(v) = -x; der(p) = 0.1;
        when x^2 + v^2 < 1 or (p - 0.5)^2 < 0 or p*p - p + 0.25 < 0 or exp(-1e6*(p - 0.7)^2) > 1.0001 then
        n = pre(n) + 1; end when;";
    for method in METHODS {
        let ran = run_body(text, &How { method: Some(method), ..How::until(10.0) }).finished();
        check("n", ran.last("n"), 0.0, 0.0);
        assert_eq!(ran.events().len(), 0, "{method:?}");
    }
}

#[test]
fn windows_in_other_units_are_the_same() {
    for scale in [1e-9, 1.0, 1e6] {
        let text = format!(
            "Real x(start = 0, fixed = true); Integer n(start = 0, fixed = true); equation der(x) = {scale};
             when abs(x - {}) < {} then n = pre(n) + 1; end when;",
            0.5 * scale,
            1e-4 * scale
        );
        for (method, stop) in METHODS.into_iter().flat_map(|method| [(method, 1.0), (method, 1000.0)]) {
            let ran = run_body(&text, &How { method: Some(method), ..How::until(stop) }).finished();
            assert_eq!(ran.last("n"), 1.0, "{method:?}, {scale}, {stop}");
            check("in", ran.event_times()[0], 0.4999, 1e-9);
        }
    }
}
