//! Affine modes are solved exactly: closed forms to rounding, and the same events as by integration in small steps.

use std::ops::ControlFlow;

use modeshift_simulate::integrate::Method;
use modeshift_simulate::results::{Observer, Progress, Trajectory};

use crate::support::random::Random;
use crate::support::runs::{Analyzed, How, Ran, file, paper_model, run_text};

/// A rough tolerance, which exact solutions do not see.
const ROUGH: f64 = 1e-4;
/// What is left of a closed form: rounding.
const ROUNDING: f64 = 1e-11;

fn exactly(text: &str, stop: f64, tolerance: f64) -> Ran {
    let how = How { method: Some(Method::Exact), ..How::until(stop).tolerance(tolerance) };
    let ran = run_text(text, &how).finished();
    let summary = ran.summary.as_ref().expect("a run");
    assert!(summary.exactly > 0 && summary.not_affine.is_empty(), "{summary:?}");
    ran
}

fn check(found: f64, expected: f64) {
    assert!((found - expected).abs() <= ROUNDING * expected.abs().max(1.0), "{found}, not {expected}");
}

/// `x' = A x + b` for two states, whose matrix is regular and has complex eigenvalues, after some time.
pub(crate) fn oscillation(a: [[f64; 2]; 2], b: [f64; 2], x: [f64; 2], time: f64) -> [f64; 2] {
    let determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    let rest = [(-b[0] * a[1][1] + b[1] * a[0][1]) / determinant, (b[0] * a[1][0] - b[1] * a[0][0]) / determinant];
    let damping = 0.5 * (a[0][0] + a[1][1]);
    let frequency = (determinant - damping * damping).sqrt();
    let (y, decay) = ([x[0] - rest[0], x[1] - rest[1]], (damping * time).exp());
    let (sine, cosine) = (frequency * time).sin_cos();
    std::array::from_fn(|row| {
        let moved = a[row][0] * y[0] + a[row][1] * y[1] - damping * y[row];
        rest[row] + decay * (cosine * y[row] + sine / frequency * moved)
    })
}

#[test]
fn an_oscillating_circuit_is_exact_whatever_the_tolerance() {
    let text = "model Circuit
        parameter Real R = 3, L = 0.01, C = 2e-4;
        Real i(start = 0, fixed = true), u(start = 1, fixed = true);
      equation
        L*der(i) = 5 - R*i - u;
        C*der(u) = i;
      end Circuit;";
    let expected = oscillation([[-300.0, -100.0], [5000.0, 0.0]], [500.0, 0.0], [0.0, 1.0], 0.1);
    let ran = exactly(text, 0.1, ROUGH);
    check(ran.last("i"), expected[0]);
    check(ran.last("u"), expected[1]);
}

#[test]
fn sources_of_every_kind_are_exact() {
    // Each with the solution that it makes of `x' = -2 x + source`, from rest.
    type Solution = fn(f64) -> f64;
    let sources: [(&str, Solution); 5] = [
        ("3", |t| 1.5 * (1.0 - (-2.0 * t).exp())),
        ("time^2", |t| 0.5 * t * t - 0.5 * t + 0.25 - 0.25 * (-2.0 * t).exp()),
        ("exp(-3*time)", |t| (-2.0 * t).exp() - (-3.0 * t).exp()),
        ("sin(4*time)", |t| (2.0 * (4.0 * t).sin() - 4.0 * (4.0 * t).cos() + 4.0 * (-2.0 * t).exp()) / 20.0),
        ("time*exp(-2*time)", |t| 0.5 * t * t * (-2.0 * t).exp()),
    ];
    for (source, solution) in sources {
        let text = format!(
            "model Driven Real x(start = 0, fixed = true), s; equation s = {source}; der(x) = -2*x + s; end Driven;"
        );
        let ran = exactly(&text, 3.0, ROUGH);
        for time in [0.3, 1.5, 3.0] {
            check(ran.at(time, "x"), solution(time));
        }
    }
}

#[test]
fn what_is_stiff_is_exact_to_the_rounding_of_its_rates() {
    let text = "model Stiff Real x(start = 1, fixed = true), y(start = 0, fixed = true);
      equation der(x) = -1e4*(x - y); der(y) = 1 - y; end Stiff;";
    let ran = exactly(text, 2.0, ROUGH);
    let expected = 1.0 - 1e4 / (1e4 - 1.0) * (-2.0f64).exp();
    check(ran.last("x"), expected);
    check(ran.last("y"), 1.0 - (-2.0f64).exp());
}

#[test]
fn a_boost_converter_in_continuous_conduction_is_exact() {
    let (input, l, c, r, duty, period): (f64, f64, f64, f64, f64, f64) = (5.0, 1e-3, 1e-4, 50.0, 0.5, 1e-4);
    let text = file("tests/data/multimode/BoostConverter.mo")
        .replace("iL(start=0", "iL(start=0.275")
        .replace("vC(start=0", "vC(start=10");
    let periods = 200;
    let (mut current, mut voltage) = (0.275, 10.0);
    for _ in 0..periods {
        current += input / l * duty * period;
        voltage *= (-duty * period / (r * c)).exp();
        let off = [[0.0, -1.0 / l], [1.0 / c, -1.0 / (r * c)]];
        [current, voltage] = oscillation(off, [input / l, 0.0], [current, voltage], (1.0 - duty) * period);
    }
    let ran = exactly(&text, f64::from(periods) * period, ROUGH);
    check(ran.last("iL"), current);
    check(ran.last("vC"), voltage);
}

#[test]
fn a_buck_converter_in_discontinuous_conduction_has_exact_events() {
    // The current falls to zero in every period: where it does is a root of the closed form.
    let text = "model Buck
        parameter Real L = 1e-4, C = 1e-4, R = 100, T = 1e-4;
        Real i(start = 0, fixed = true), u(start = 2, fixed = true), v, s;
        Boolean on, off;
      equation
        on = time - T*floor(time/T) < 0.2*T;
        off = s < 0;
        L*der(i) = v - u;
        C*der(u) = i - u/R;
        v = if on then 5 else if off then u else 0;
        s = if on then 1 else if off then -1 + 0*i else i;
      end Buck;";
    let ran = exactly(text, 9e-5, ROUGH);
    let rates = [[0.0, -1e4], [1e4, -1e2]];
    let [current, voltage] = oscillation(rates, [5e4, 0.0], [0.0, 2.0], 2e-5);
    check(ran.at(2e-5, "i"), current);
    let (mut low, mut high) = (0.0, 1e-4);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let left = oscillation(rates, [0.0, 0.0], [current, voltage], middle)[0];
        if left > 0.0 { low = middle } else { high = middle }
    }
    let (found, expected) = (ran.event_times(), [2e-5, 2e-5 + low]);
    let near = |(found, expected): (&f64, &f64)| (found - expected).abs() <= 1e-15;
    assert!(found.len() == 2 && found.iter().zip(&expected).all(near), "{found:?}, not {expected:?}");
}

#[test]
fn a_sampled_controller_is_exact() {
    let text = "model Sampled
        Real x(start = 1, fixed = true);
        discrete Real u(start = 0, fixed = true);
      equation
        der(x) = -x + u;
        when sample(0.1, 0.1) then u = -2*x + 0.5*pre(u); end when;
      end Sampled;";
    let (mut x, mut u) = (1.0, 0.0);
    let decay = (-0.1f64).exp();
    for _ in 0..40 {
        x = u + (x - u) * decay;
        u = -2.0 * x + 0.5 * u;
    }
    let ran = exactly(text, 4.05, ROUGH);
    check(ran.last("x"), u + (x - u) * (-0.05f64).exp());
    assert_eq!(ran.events().len(), 40);
}

#[test]
fn a_mode_that_is_not_affine_is_integrated_and_its_equation_named() {
    let text = "model Drag Real v(start = 3, fixed = true), x(start = 0, fixed = true); Boolean slow;
      equation slow = v < 1; der(x) = v; /* drag: */ der(v) = if slow then -v else -v*v; end Drag;";
    let ran = run_text(text, &How { method: Some(Method::Exact), ..How::until(3.0) }).finished();
    let summary = ran.summary.as_ref().expect("a run");
    assert_eq!((summary.exactly, &summary.not_affine[..]), (1, &["drag".to_string()][..]));
    let slow = 2.0 / 3.0;
    assert!((ran.last("v") - (-(3.0f64 - slow)).exp()).abs() < 1e-5, "{}", ran.last("v"));
}

/// Runs a model both ways and compares the logs of events, and the last values; the exact run.
pub(crate) fn compare(name: &str, text: &str, stop: f64) -> Ran {
    let run =
        |method: Method| run_text(text, &How { method: Some(method), ..How::until(stop).tolerance(1e-10) }).finished();
    let (general, exact) = (run(Method::Bdf), run(Method::Exact));
    assert!(exact.summary.as_ref().is_some_and(|it| it.exactly > 0), "{name} is affine:\n{text}");
    assert_eq!(general.events().len(), exact.events().len(), "{name}: events\n{text}");
    for (expected, found) in general.events().iter().zip(exact.events()) {
        let distance = (expected.time - found.time).abs();
        assert!(
            distance <= 1e-9 * expected.time.abs().max(stop),
            "{name}: {} not {}\n{text}",
            found.time,
            expected.time
        );
        assert_eq!((&expected.to, &expected.cause), (&found.to, &found.cause), "{name} at {}\n{text}", found.time);
    }
    for column in 0..exact.result.columns().len() {
        let last = |ran: &Ran| ran.result.column(column).last().unwrap_or(0.0);
        let size = general.result.column(column).fold(1.0, |size: f64, it| size.max(it.abs()));
        let (expected, found) = (last(&general), last(&exact));
        let is_near = expected == found || (expected - found).abs() <= 1e-6 * size;
        assert!(is_near, "{name}: column {column} ends with {found}, not {expected}\n{text}");
    }
    exact
}

#[test]
fn events_at_special_times_are_the_same() {
    let falling = |guards: &str| {
        format!(
            "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true), z; Integer n(start = 0, fixed = true);
             equation der(x) = v; der(v) = -x; z = x - x; {guards} end M;"
        )
    };
    // At output times, which are hundredths of the stop time, and twice at once.
    compare(
        "rows",
        "model M Real x(start = 0, fixed = true); Integer n(start = 0, fixed = true); equation der(x) = 1;
        when x > 0.5 then n = pre(n) + 1; end when; when x + x > 1.0 then reinit(x, 0.25); end when; end M;",
        1.0,
    );
    // Identically zero.
    compare("zero", &falling("when z > 0 or x < 0 then n = pre(n) + 1; end when;"), 10.0);
    // Above the crest of a wave there is nothing.
    compare("not grazing", &falling("when x > 1 + 1e-7 then n = pre(n) + 1; end when;"), 20.0);
    // Soon after the start, and back at once.
    compare("dip", &falling("when 0.01 - 0.3*v + 4*v*v + x - 1 < 0 then n = pre(n) + 1; end when;"), 6.0);
    compare(
        "soon",
        "model M Real x(start = 0.01, fixed = true), v(start = -0.3, fixed = true); Integer n(start = 0, fixed = true);
        equation der(x) = v; der(v) = 2; when x < 0 then n = pre(n) + 1; end when; end M;",
        3.0,
    );
}

#[test]
fn an_event_just_before_the_stop_time_leaves_nothing_to_be_solved() {
    let text = "model M Real x(start = 1, fixed = true); Boolean b;
      equation b = time - 1e-4*floor(time/1e-4) < 0.5e-4; der(x) = (if b then 1 else 2) - x; end M;";
    for periods in [400, 777, 1200] {
        let stop = f64::from(periods) * 1e-4;
        assert!(exactly(text, stop, ROUGH).events().len() >= 2 * periods as usize - 1);
        assert!(exactly(text, stop.next_up(), ROUGH).events().len() >= 2 * periods as usize - 1);
    }
}

#[test]
fn what_is_zero_at_the_stop_time_has_its_event_there_by_every_method() {
    // In steps that are no sums of powers of two.
    let text = "model Fall Real x(start = 0.7, fixed = true), v(start = -0.7, fixed = true); Boolean b;
      equation der(x) = v; der(v) = 0; b = x > 0; end Fall;";
    for method in [Method::Auto, Method::Exact, Method::Bdf, Method::Esdirk, Method::Explicit] {
        for (stop, events) in [(1.0, 1), (0.999, 0), (1.001, 1)] {
            let ran = run_text(text, &How { method: Some(method), ..How::until(stop) }).finished();
            assert_eq!(ran.events().len(), events, "{method:?} until {stop}: {:?}", ran.event_times());
        }
    }
}

#[test]
fn what_touches_for_a_short_time_is_seen_in_long_steps() {
    let text = "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true); Boolean b(start = true);
      equation der(x) = v; der(v) = -x; b = x > 1 - 1e-7; end M;";
    let short = (1.0f64 - 1e-7).acos();
    let crest = |number: u32| f64::from(number) * std::f64::consts::TAU;
    let expected: Vec<f64> = (0..8).flat_map(|number| [crest(number) - short, crest(number) + short]).skip(1).collect();
    let found = exactly(text, crest(7) + 1.0, 1e-9).event_times();
    let near = |(found, expected): (&f64, &f64)| (found - expected).abs() <= 1e-9;
    assert!(found.len() == expected.len() && found.iter().zip(&expected).all(near), "{found:?}, not {expected:?}");
}

/// A number between -1 and 1, in thousandths.
fn number(random: &mut Random) -> f64 {
    (random.below(2001) as f64 - 1000.0) / 1000.0
}

fn source(random: &mut Random) -> String {
    let (a, b) = (number(random), number(random));
    match random.below(7) {
        0 => "0".to_string(),
        1 => format!("({a})"),
        2 => format!("({a})*time"),
        3 => format!("({a})*sin({}*time + ({b}))", [2, 5, 20][random.below(3)]),
        4 => format!("({a})*exp(-{}*time)", b.abs()),
        5 => format!("({a})*time^2"),
        _ => format!("({a})*sin(3*time)*cos(5*time)"),
    }
}

/// A plant with a relay, a sampled controller, counters and a reset: all affine.
fn random_model(seed: u64) -> String {
    let random = &mut Random(seed);
    (0..8).for_each(|_| _ = random.below(2));
    let size = 1 + random.below(5);
    let fast = [1.0, 1.0, 3.0, 30.0][random.below(4)];
    let mut declarations = String::new();
    let mut equations = String::new();
    let row = |random: &mut Random, state: usize| {
        let mut terms = vec![format!("(-{})*x{state}", fast * number(random).abs())];
        for other in (0..size).filter(|&other| other != state) {
            if random.below(10) < 6 {
                terms.push(format!("({})*x{other}", number(random)));
            }
        }
        terms.join(" + ")
    };
    for state in 0..size {
        declarations += &format!("Real x{state}(start = {}, fixed = true);\n", number(random));
        let body = match random.below(3) {
            0 => format!("(if on then {} else {})", row(random, state), row(random, state)),
            _ => row(random, state),
        };
        let (drive, gain) = (number(random), number(random));
        let driven = source(random);
        equations += &format!("der(x{state}) = {body} + ({drive})*(if on then 1 else -1) + {driven} + ({gain})*u;\n");
    }
    let output: Vec<String> = (0..size).map(|state| format!("({})*x{state}", number(random))).collect();
    let (width, level, feedback) = (0.1 + 0.2 * number(random).abs(), number(random), number(random));
    let (memory, reset, period) = (0.5 * number(random), number(random), ["0.25", "0.1", "0.37"][random.below(3)]);
    let output_source = source(random);
    format!(
        "model M{seed}
        {declarations}
        Real y, g, z; Boolean on(start = false), b; discrete Real u(start = 0, fixed = true);
        Integer c(start = 0, fixed = true), k(start = 0, fixed = true);
      equation
        {equations}
        y = {} + {output_source};
        on = if pre(on) then y > -{width} else y > {width};
        g = x0 - ({level}); b = g > 0; z = x0 - x0;
        when b then c = pre(c) + 1; end when;
        when z > 0 then k = pre(k) + 1; end when;
        when sample(0.1, {period}) then u = ({feedback})*y + ({memory})*pre(u); end when;
        when time > 0.5 then reinit(x0, {reset}); end when;
      end M{seed};",
        output.join(" + ")
    )
}

#[test]
fn random_affine_models_have_the_same_events() {
    for seed in 0..20 {
        compare(&format!("model {seed}"), &random_model(seed), 2.0);
    }
}

/// `cargo test --release -p modeshift-simulate --test suite -- --ignored exact::`
#[test]
#[ignore = "minutes"]
fn many_random_affine_models_have_the_same_events() {
    for seed in 20..500 {
        compare(&format!("model {seed}"), &random_model(seed), [1.0, 2.0, 5.0][seed as usize % 3]);
    }
}

/// Ends a run after a time.
struct Enough(f64);

impl Observer for Enough {
    fn progress(&mut self, progress: Progress<'_>) -> ControlFlow<()> {
        if progress.time > self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// What a run shows up to a time that would go on for a multiple of it; nothing where it does not come there.
fn seen(model: &Analyzed, stop: f64, multiple: f64) -> Option<Trajectory> {
    let (mut result, mut enough) = (Trajectory::default(), Enough(stop));
    let how = How { interval: Some(stop / 50.0), ..How::until(stop * multiple) };
    let mut observers: Vec<&mut dyn Observer> = vec![&mut result, &mut enough];
    model.run_for(&how, &mut observers).filter(|it| it.time >= stop)?;
    Some(result)
}

#[test]
fn results_up_to_a_time_do_not_depend_on_how_long_the_run_will_last() {
    let papers = [
        "BreakingCapacitor",
        "BreakingInductor",
        "ClutchBasic",
        "CupAndBall",
        "DiodeInductor",
        "FaultyCoaxial",
        "RLDC2",
        "WaterTank",
    ];
    let stiff = "model Stiff Real x(start = 1, fixed = true), y(start = 0, fixed = true); Boolean b;
      equation der(x) = 1 - x; der(y) = 1e7*(x - y) + sin(3*time); b = y > 0.9; annotation (experiment(StopTime = 4)); end Stiff;";
    let switched =
        "model Switched Real i(start = 0, fixed = true), u(start = 0, fixed = true); Boolean on, b(start = true);
      equation on = time - 1e-4*floor(time/1e-4) < 4e-5; b = if pre(b) then u < 9 else u < 8;
      der(i) = 1e3*((if on and b then 12 else 0) - u); der(u) = 1e4*(i - u/5);
      annotation (experiment(StopTime = 0.01)); end Switched;";
    let papers = papers.map(|name| (name, paper_model(&format!("{name}.mo"))));
    let own = [("stiff", stiff.to_string()), ("switched", switched.to_string())];
    for (name, text) in papers.into_iter().chain(own) {
        let model = Analyzed::of_text(&text);
        let stop = model.settings(&How::default()).stop;
        let Some(known) = seen(&model, stop, 1.0) else { panic!("{name} does not run") };
        for multiple in [10.0, 1e3, 1e8] {
            let other = seen(&model, stop, multiple).unwrap_or_else(|| panic!("{name}, {multiple} times as long"));
            let before = |it: &Trajectory| it.events().iter().filter(|it| it.time < stop).count();
            assert_eq!(before(&known), before(&other), "{name}: events, {multiple} times as long");
            for column in 0..known.columns().len() {
                let size =
                    known.column(column).filter(|it| it.is_finite()).fold(0.0, |size: f64, it| size.max(it.abs()));
                let rows = known.times().iter().zip(other.times()).zip(known.column(column).zip(other.column(column)));
                for ((time, other_time), (value, other_value)) in rows.filter(|it| *it.0.0 < stop) {
                    assert!((time - other_time).abs() <= 1e-8 * stop, "{name}: rows at {time} and {other_time}");
                    let is_same = value.is_nan() && other_value.is_nan() || (value - other_value).abs() <= 1e-6 * size;
                    let what = &known.columns().columns[column].name;
                    assert!(is_same, "{name}: {what} at {time} is {value}, and {other_value} with {multiple}");
                }
            }
        }
    }
}
