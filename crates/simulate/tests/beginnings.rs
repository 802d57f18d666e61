//! States that begin to move from nothing: neither they nor the slopes of the others say what a short time is.

use modeshift_simulate::integrate::Method;

use crate::support::random::Random;
use crate::support::runs::{How, run_text};

const METHODS: [Method; 3] = [Method::Bdf, Method::Esdirk, Method::Explicit];

/// Errors of an oscillation add up: about three tolerances a period, over ten of them, and twice that of its partner.
const OF_TEN_PERIODS: f64 = 60.0;

fn how(method: Method, tolerance: f64) -> How {
    How { method: Some(method), ..How::default().tolerance(tolerance) }
}

#[test]
fn a_tiny_slope_of_one_state_says_nothing_about_an_oscillation_with_another_at_zero() {
    for method in METHODS {
        for tolerance in [1e-4, 1e-6] {
            for growth in [1e-15, 1e-9, -1e-9, 1e-5] {
                let text = format!(
                    "model M Real v(start = 10, fixed = true); Real i(start = 0, fixed = true);
                     equation der(v) = -i + ({growth:e})*v; der(i) = v;
                     annotation(experiment(StopTime = 62.83185307179586)); end M;"
                );
                let ran = run_text(&text, &how(method, tolerance)).finished();
                let exact = 10.0 * (0.5 * growth * std::f64::consts::TAU * 10.0).exp();
                let error = (ran.last("v") - exact).abs().max(ran.last("i").abs());
                assert!(error < OF_TEN_PERIODS * tolerance * 10.0, "{method:?} {tolerance} {growth}: {error}");
            }
        }
    }
}

#[test]
fn long_steps_of_a_slow_phase_say_nothing_about_a_fast_one() {
    // From 1e7 on, an oscillation with no current yet, and a chain in which one state after the other begins to move.
    let text =
        "model M Real v(start = 10, fixed = true); Real i(start = 0, fixed = true); Real slow(start = 1, fixed = true);
         Real a(start = 0, fixed = true); Real b(start = 0, fixed = true); Real c(start = 0, fixed = true); Boolean on;
         equation on = time >= 1e7; der(slow) = -1e-7*slow;
         der(v) = if on then -i + 1e-9*v else 0; der(i) = if on then v else 0;
         der(a) = if on then 1 - a else 0; der(b) = if on then a - b else 0; der(c) = if on then b - c else 0;
         annotation(experiment(StopTime = 10000006.283185307, Interval = 1e6)); end M;";
    for method in METHODS {
        let ran = run_text(text, &how(method, 1e-6)).finished();
        // Time itself is known to 1e-9 there.
        let (found, passed) = (ran.last("v"), std::f64::consts::TAU);
        assert!((found - 10.0).abs() < 1e-4, "{method:?}: {found}");
        let third = 1.0 - (-passed).exp() * (1.0 + passed + 0.5 * passed * passed);
        assert!((ran.last("c") - third).abs() < 2e-5, "{method:?}: {} instead of {third}", ran.last("c"));
    }
}

/// A linear system with coefficients of many sizes, and where it starts.
struct Linear {
    matrix: Vec<Vec<f64>>,
    start: Vec<f64>,
}

impl Linear {
    fn random(random: &mut Random) -> Self {
        let size = 2 + random.below(4);
        let entry = |random: &mut Random| match random.below(3) {
            0 => 0.0,
            _ => {
                [1.0, -1.0][random.below(2)] * 10f64.powi(-(random.below(13) as i32)) * (1 + random.below(9)) as f64
                    / 10.0
            }
        };
        let mut matrix: Vec<Vec<f64>> = (0..size).map(|_| (0..size).map(|_| entry(random)).collect()).collect();
        // Nothing grows faster than a few times in the run.
        (0..size).for_each(|index| matrix[index][index] = -matrix[index][index].abs());
        let start = (0..size).map(|_| [0.0, 0.0, 1.0, 10.0][random.below(4)]).collect();
        Linear { matrix, start }
    }

    fn text(&self, stop: f64) -> String {
        let size = self.start.len();
        let variables = (0..size).map(|it| format!("Real x{it}(start = {:?}, fixed = true);", self.start[it]));
        let row = |it: usize| {
            (0..size).map(|by| format!("({:e})*x{by}", self.matrix[it][by])).collect::<Vec<_>>().join(" + ")
        };
        let equations = (0..size).map(|it| format!("der(x{it}) = {};", row(it)));
        let (variables, equations): (String, String) = (variables.collect(), equations.collect());
        format!("model M {variables} equation {equations} annotation(experiment(StopTime = {stop})); end M;")
    }

    /// By its Taylor series over short steps; with the largest values on the way.
    fn solved(&self, stop: f64) -> (Vec<f64>, Vec<f64>) {
        let steps = (20.0 * stop) as usize;
        let step = stop / steps as f64;
        let (mut state, mut largest) = (self.start.clone(), self.start.clone());
        for _ in 0..steps {
            let mut term = state.clone();
            for order in 1..16 {
                let product = self.matrix.iter().map(|row| row.iter().zip(&term).map(|(a, x)| a * x).sum::<f64>());
                term = product.map(|it| it * step / f64::from(order)).collect();
                state.iter_mut().zip(&term).for_each(|(state, term)| *state += term);
            }
            largest.iter_mut().zip(&state).for_each(|(largest, state)| *largest = largest.max(state.abs()));
        }
        (state, largest)
    }
}

#[test]
fn linear_systems_with_coefficients_of_all_sizes_that_start_at_zero_in_parts() {
    let (mut random, stop, tolerance) = (Random(7), 30.0, 1e-6);
    for number in 0..60 {
        let system = Linear::random(&mut random);
        let (end, largest) = system.solved(stop);
        let scale = largest.iter().copied().fold(0.0, f64::max);
        for method in METHODS {
            let ran = run_text(&system.text(stop), &how(method, tolerance)).finished();
            for (index, exact) in end.iter().enumerate() {
                let found = ran.last(&format!("x{index}"));
                let error = (found - exact).abs();
                assert!(
                    error <= OF_TEN_PERIODS * tolerance * scale,
                    "{number} {method:?} x{index}: {found}, not {exact}"
                );
            }
        }
    }
}

/// Friction that falls with speed lets a body go with no slope at all, and its speed drives itself from there. Its value at 19.9 is that of
/// an exact location of events and a Taylor series of high order.
#[test]
fn a_speed_that_drives_itself_from_rest_is_right_from_its_first_steps_on() {
    let text = "model Stribeck
        Real x(start = 0, fixed = true), v(start = 0, fixed = true), f; Boolean slip(start = false, fixed = true);
      equation
        der(x) = v;
        der(v) = 2*(0.4*time - x) - f;
        slip = if pre(slip) then v > 0 else f > 1.5;
        0 = if slip then f - (0.7 + 0.8*exp(-2*v)) else v;
      end Stribeck;";
    for method in METHODS {
        for tolerance in [1e-6, 1e-8, 1e-10] {
            let ran = run_text(text, &How { stop: Some(19.9), ..how(method, tolerance) }).finished();
            let error = (ran.last("v") - 0.8578587449925388).abs();
            // Errors of the first motion are amplified a hundredfold by the next one.
            assert!(error <= 100.0 * 10.0 * tolerance, "{method:?} {tolerance:e}: {error:e}");
        }
    }
}

/// A jump that no event tells, `noEvent` or a function that compares, lets a state move that has been zero until then: how long the step is
/// in which it does so must not count.
#[test]
fn what_begins_to_move_by_a_jump_that_no_event_tells_does_so_in_time() {
    let text = "model Hidden
        function f input Real t; output Boolean b; algorithm b := t > 0.5123; end f;
        Real x(start = 0, fixed = true), y(start = 0, fixed = true);
      equation
        der(x) = if f(time) then 1 else 0;
        der(y) = if noEvent(time > 0.5123) then 1e-9 else 0;
      end Hidden;";
    for method in METHODS {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let ran = run_text(text, &How { stop: Some(2.0), ..how(method, tolerance) }).finished();
            for (name, size) in [("x", 1.0), ("y", 1e-9)] {
                let error = (ran.last(name) / size - 1.4877).abs();
                assert!(error <= 10.0 * tolerance, "{method:?} {tolerance:e} {name}: {error:e}");
            }
        }
    }
}

#[test]
fn a_pulse_is_as_exact_late_in_a_run_as_early() {
    // States are as large as they become in the pulse, not as they would if it went on.
    for (begin, width) in [(1.0, 1e-5), (1000.0, 1e-5), (1000.0, 1e-3), (1e5, 1e-3)] {
        let text = format!(
            "model M Real x(start = 0, fixed = true), y(start = 0, fixed = true);
             equation der(x) = if time > {begin} and time < {begin} + {width:e} then 1/{width:e} else 0; der(y) = x - y;
             annotation(experiment(StopTime = {})); end M;",
            begin + 2.0
        );
        // The pulse lasts as long as its times, which are rounded, say.
        let lasts = (begin + width) - begin;
        let (reaches, early) = (lasts / width, lasts / width * 0.5 * lasts);
        let exact = reaches - (reaches - early) * f64::exp(lasts - 2.0);
        for method in METHODS {
            for tolerance in [1e-6, 1e-8] {
                let found = run_text(&text, &how(method, tolerance)).finished().last("y");
                let error = (found - exact).abs();
                assert!(error < 10.0 * tolerance, "{method:?} {tolerance} {begin} {width}: {error}");
            }
        }
    }
}

/// A state that rests, and is read by another one, does not hold up the run: implicit methods make nothing of it, not even rounding.
#[test]
fn a_state_that_rests_beside_one_that_moves_stays_at_zero() {
    let laws = ["der(x) = 0;", "der(x) = -3*x;", "der(x) = 3*x;", "der(x) = -x + 2*z;", "der(x) = -x^2;"];
    let movers = [("der(y) = 1 - x;", 1.0), ("der(y) = 2 + 5*x;", 2.0), ("der(y) = cos(time) - x - z;", f64::sin(1.0))];
    for (law, (mover, expected)) in laws.iter().flat_map(|law| movers.map(|mover| (law, mover))) {
        for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
            let text = format!(
                "model M Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true); \
                 equation {law} {mover} der(z) = -1e4*z; end M;"
            );
            let ran = run_text(&text, &How { method: Some(method), ..How::until(1.0) }).finished();
            assert_eq!((ran.last("x"), ran.last("z")), (0.0, 0.0), "{law} {mover} {method:?}");
            assert!((ran.last("y") - expected).abs() < 1e-5, "{law} {mover} {method:?}: {}", ran.last("y"));
        }
    }
}

/// Before the first step nothing says what a short time is: a ball that begins to fall is above the ground in any units of time.
#[test]
fn what_is_clear_at_the_start_is_clear_in_any_units_of_time() {
    for tau in [1e-9, 1e-3, 1.0, 1e6] {
        let ball = format!(
            "model Ball
  parameter Real tau = {tau:e};
  Real h(start = 1, fixed = true), v(start = 0, fixed = true), f;
  Boolean contact(start = false);
equation
  der(h) = v;
  der(v) = -10/tau^2 + f;
  contact = h <= 0;
  0 = if contact then h else f;
  when contact then
    v = -0.6*pre(v);
  end when;
end Ball;"
        );
        let ran = run_text(&ball, &How::until(2.0 * tau)).finished();
        // It rests from (1 + 0.6)/(1 - 0.6) times the first fall on.
        assert!(ran.last("h").abs() < 1e-9 && ran.last("contact") == 1.0, "{tau}: {}", ran.last("h"));
    }
}

/// What a `when initial()` assigns is what its right side is, whatever else the equation could be solved for; what else is said about
/// the start reads it.
#[test]
fn assignments_at_the_start_read_each_other() {
    let ends = |text: &str, names: [&str; 2]| {
        let ran = run_text(text, &How::until(1.0)).finished();
        names.map(|name| ran.last(name))
    };
    let in_two = "model M Integer a(start = 1), b(start = 2); equation
                  when initial() then a = pre(b) + 1; end when; when initial() then b = a + pre(b); end when; end M;";
    assert_eq!(ends(in_two, ["a", "b"]), [3.0, 5.0]);
    let in_one = "model M discrete Real a(start = 1), b(start = 2); equation
                  when initial() then b = 2*a + pre(b) + pre(a); a = pre(b) - pre(a); end when; end M;";
    assert_eq!(ends(in_one, ["a", "b"]), [1.0, 5.0]);
    let of_state = "model M discrete Real a(start = 0), b(start = 0); Real x; initial equation x = b; equation
                    der(x) = 0; when initial() then a = 3; b = a + 1; end when; end M;";
    assert_eq!(ends(of_state, ["x", "b"]), [4.0, 4.0]);
}

/// The current of a rotor that turns with its field is rounding, and so is its slope, a difference of large voltages: from the first
/// step on nothing of it is asked for but that it stays rounding, and what is beside it is as exact as ever.
#[test]
fn a_state_that_is_rounding_from_the_start_holds_up_nothing() {
    for start in [1e-13, -3e-12] {
        let text = format!(
            "model M Real r(start = {start:e}, fixed = true); Real u; Real v; Real s(start = 1, fixed = true);
             equation u = 100*cos(314*time + 0.3); v = 100*sin(314*time + 0.3 + 1.5707963267948966);
             der(s) = -s^3; der(r) = (u - v)/1e-4 - 10*r;
             annotation(experiment(StopTime = 1.5)); end M;"
        );
        for method in [Method::Bdf, Method::Esdirk] {
            let ran = run_text(&text, &how(method, 1e-6)).finished();
            let error = (ran.last("s") - 0.5).abs();
            assert!(error < 1e-5, "{method:?} {start}: {error}");
            assert!(ran.values("r").iter().all(|it| it.abs() < 1e-8), "{method:?} {start}");
        }
    }
}

/// A look ahead of the first step, since nothing moves at first, reaches a time at which the temperature would be negative: there all of
/// the voltage falls off at the diode, and an iteration that begins at thousands of volts finds no way back.
#[test]
fn iterations_come_back_from_looks_ahead_at_states_that_never_occur() {
    for offset in ["0", "0.1"] {
        let text = format!(
            "model M Real v, u, j, T(start = 300, fixed = true);
             equation
               u = v + 1000*j; j = 1e-3*(exp(v/T*300/0.5) - 1); u = {offset} + 6*time; der(T) = j*v - (T - 300);
             end M;"
        );
        let ran = run_text(&text, &How::until(5.0)).finished();
        let [v, j, heat] = ["v", "j", "T"].map(|name| ran.last(name));
        assert!((j - 1e-3 * ((v / heat * 600.0).exp() - 1.0)).abs() < 1e-6 * j, "{v} {j}");
        assert!((v + 1000.0 * j - 30.0).abs() < 0.2 && (heat - 300.036).abs() < 1e-3, "{v} {heat}");
    }
}

/// Neither a state that is zero nor its slope tells a time; what the slope will be in a long one is no size of the state before, and where
/// numbers end is none either. Whatever the power, the units, the stop, and how late it begins.
#[test]
fn what_grows_by_a_power_of_the_time_is_exact_from_its_first_steps_on() {
    for method in METHODS {
        for (power, unit, wait) in [
            (3, 1.0, 0.0),
            (5, 1.0, 0.0),
            (5, 1e3, 0.0),
            (10, 1e-6, 0.0),
            (20, 1.0, 0.0),
            (8, 1.0, 5.0),
            (20, 1.0, 5.0),
        ] {
            for stop in [0.5, 1.0, 6.0] {
                let end = unit * (wait + stop);
                let text = format!(
                    "model M Real x(start = 0, fixed = true); equation der(x) = max(0, time/({unit:e}) - {wait:?})^{power}/({unit:e}); end M;"
                );
                let ran = run_text(&text, &How { method: Some(method), ..How::until(end) }).finished();
                let exact = stop.powi(power + 1) / f64::from(power + 1);
                let error = (ran.last("x") / exact - 1.0).abs();
                assert!(error < 1e-5, "{method:?}: time^{power} in {unit:e} from {wait} for {stop}: {error:e}");
            }
        }
    }
}

/// A pulse whose beginning is below all numbers that are told from zero.
#[test]
fn a_smooth_pulse_grows_out_of_zero() {
    for method in METHODS {
        let text = "model M Real x(start = 0, fixed = true); equation der(x) = exp(-((time - 5)/0.15)^2); end M;";
        let found = run_text(text, &How { method: Some(method), ..How::until(10.0) }).finished().last("x");
        let exact = 0.15 * std::f64::consts::PI.sqrt();
        assert!((found / exact - 1.0).abs() < 1e-5, "{method:?}: {found}");
    }
}

/// Bounds of how such a function bends stay wide for ever; what it can bend by is nothing beside its values, so steps are as long as elsewhere.
#[test]
fn a_function_of_time_that_comes_to_rest_holds_up_no_step() {
    for method in METHODS {
        let text = "model M Real x(start = 0, fixed = true); equation der(x) = time^4/(1 + time^4); end M;";
        let ran = run_text(text, &How { method: Some(method), ..How::until(6.0) }).finished();
        // By the antiderivative, with r = sqrt(2): t - (ln((t^2 + r t + 1)/(t^2 - r t + 1)) + 2 atan(r t + 1) + 2 atan(r t - 1))/(4 r).
        let (time, root) = (6.0_f64, std::f64::consts::SQRT_2);
        let [plus, minus] = [root, -root].map(|root| time * time + root * time + 1.0);
        let angles = (root * time + 1.0).atan() + (root * time - 1.0).atan();
        let exact = time - ((plus / minus).ln() + 2.0 * angles) / (4.0 * root);
        assert!((ran.last("x") / exact - 1.0).abs() < 1e-6, "{method:?}: {} instead of {exact}", ran.last("x"));
    }
}
