//! Sliding modes: when a run slides, what it says, and what is refused.

use modeshift_simulate::integrate::Method;

use crate::support::random::Random;
use crate::support::runs::{How, Ran, check, file, run_text};

/// Checks that no mode follows, and that a run cannot slide for this reason.
fn check_refused(ran: &Ran, reason: &str) {
    let refused = ran.said("E0823");
    let is_told = |note: &String| note.contains("the run cannot slide along") && note.contains(reason);
    assert!(refused.notes.iter().any(is_told), "{refused:#?}");
}

#[test]
fn a_relay_without_hysteresis_rests_and_the_run_says_so() {
    let text = "model Rest Real x(start = 1, fixed = true); equation der(x) = if x > 0 then -1 else 1; end Rest;";
    let ran = run_text(text, &How::until(2.0)).finished();
    check("x", ran.last("x"), 0.0, 1e-15);
    assert_eq!(ran.events().len(), 1);
    assert_eq!(ran.events()[0].sliding, ["x > 0"]);
    ran.said("W0833");
}

#[test]
fn independent_relays_slide_at_once() {
    let text = "model Many
        parameter Integer n = 12;
        Real x[n](start = {1 + 0.01*k for k in 1:n}, each fixed = true);
      equation
        for k in 1:n loop der(x[k]) = 0.5*sin(k) + (if x[k] > 0 then -1 else 1); end for;
      end Many;";
    let ran = run_text(text, &How::until(5.0)).finished();
    (1..=12).for_each(|k| check("x", ran.last(&format!("x[{k}]")), 0.0, 1e-14));
    assert_eq!(ran.events().len(), 12);
    assert_eq!(ran.events()[11].sliding.len(), 12);
}

#[test]
fn the_papers_relays_slide() {
    let ran = run_text(&file("../cli/tests/repro/papers/Sliding.mo"), &How::until(2.0)).finished();
    check("x", ran.last("x"), 0.0, 1e-15);
    assert_eq!(ran.events().len(), 1);
    let ran = run_text(&file("../cli/tests/repro/papers/Sliding2.mo"), &How::until(2.0)).finished();
    check("x", ran.last("x"), 0.0, 1e-15);
    check("y", ran.last("y"), 1.5, 1e-7);
    assert_eq!(ran.events().len(), 1);
}

/// Where the branch of a trigger ends, the one in between leads back to it at once; the run goes on with the branch on the other side.
/// The integrator makes a triangle of it: up and down by 15 between thresholds of 10, so that a period is 4*10/15.
#[test]
fn a_trigger_falls_over_and_does_not_slide() {
    let text = "model Trigger
        Real v, w(start = 15), x(start = 0, fixed = true);
      equation
        der(x) = w;
        v = 0.4*w - 0.6*x;
        w = homotopy(smooth(0, if 1e5*v > 15 then 15 else if 1e5*v < -15 then -15 else 1e5*v), 15);
      end Trigger;";
    for method in [Method::Auto, Method::Bdf, Method::Esdirk] {
        let ran = run_text(text, &How { method: Some(method), ..How::until(9.0) }).finished();
        let times = ran.event_times();
        let period = 4.0 * 10.0 / 15.0;
        for (number, &time) in times.iter().enumerate() {
            check("event", time, period / 4.0 + number as f64 * period / 2.0, 1e-3);
        }
        assert_eq!(times.len(), 7, "{times:?}");
        assert!(ran.events().iter().all(|event| event.sliding.is_empty()));
    }
}

#[test]
fn a_clause_that_would_fire_without_end_is_refused() {
    let text = "model Counts
        Real x(start = 0.5, fixed = true); Integer n(start = 0, fixed = true);
      equation
        der(x) = if x > 0 then -1 else 1;
        when x > 0 then n = pre(n) + 1; end when;
      end Counts;";
    check_refused(&run_text(text, &How::until(1.0)), "a `when` would fire without end");
}

#[test]
fn sides_that_act_on_each_other_are_refused() {
    let text = "model Mixed
        Real x(start = 0.5, fixed = true), y(start = 0.5, fixed = true); Real a, b;
      equation
        a = if x > 0 then 1 else -1; b = if y > 0 then 1 else -1;
        der(x) = -a*(1 + 0.5*b); der(y) = -b*(1.5 + 0.2*a);
      end Mixed;";
    check_refused(&run_text(text, &How::until(1.0)), "act on each other");
}

#[test]
fn states_that_jump_do_not_slide() {
    // Below zero the other shaft is held: entering that side makes its speed jump.
    let text = "model Jumps
        Real x(start = 0.5, fixed = true), v(start = 1, fixed = true), f;
      equation
        der(x) = if x > 0 then -1 else 1;
        der(v) = f;
        0 = if x > 0 then f else v;
      end Jumps;";
    check_refused(&run_text(text, &How::until(1.0)), "jumps");
}

#[test]
fn outputs_are_averages_and_clauses_read_them() {
    let text = "model Average
        Real x(start = 0.5, fixed = true), u; discrete Real seen(start = 9, fixed = true);
      equation
        u = if x > 0 then -1 else 1; der(x) = 0.25 + u;
        when time >= 0.9 then seen = u; end when;
      end Average;";
    let ran = run_text(text, &How::until(1.0)).finished();
    check("seen", ran.last("seen"), -0.25, 1e-12);
    check("u", ran.last("u"), -0.25, 1e-12);
}

#[test]
fn a_reinit_takes_a_state_off_its_surface_and_it_comes_back() {
    let text = "model Thrown
        Real x(start = 0.5, fixed = true);
      equation
        der(x) = if x > 0 then -1 else 1;
        when time >= 1 then reinit(x, 0.25); end when;
      end Thrown;";
    let ran = run_text(text, &How::until(2.0).tolerance(1e-9)).finished();
    check("x", ran.at(1.1, "x"), 0.15, 1e-9);
    check("x", ran.last("x"), 0.0, 1e-15);
    assert_eq!(ran.events().len(), 3);
}

/// Two surfaces, of which one acts on the other, while something moves: closed forms. A state that rests is at zero, whatever
/// rounding makes of its slope.
#[test]
fn coupled_surfaces_are_slid_along_while_something_moves() {
    let declared =
        "Real x(start = 0.3, fixed = true), y(start = -0.4, fixed = true), z(start = 0, fixed = true), a, b;";
    for coupling in ["0.5*a", "sin(z)*a", "cos(3*z)*a + 0.1*z"] {
        let text = format!(
            "model Coupled {declared} equation a = if x > 0 then 1 else -1; b = if y > 0 then 1 else -1;
             der(x) = -a + 0.5*z; der(y) = -2*b + {coupling}; der(z) = 1; end Coupled;"
        );
        for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
            for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
                let ran =
                    run_text(&text, &How { method: Some(method), ..How::until(4.0).tolerance(tolerance) }).finished();
                // x rests until z = 2, and moves with z/2 - 1 afterwards.
                check("x", ran.last("x"), 1.0, 10.0 * tolerance);
                check("y", ran.last("y"), 0.0, 1e-12);
            }
        }
    }
}

/// Bodies on top of each other, each with friction against the one below, driven from below.
struct Stack {
    masses: Vec<f64>,
    friction: Vec<f64>,
    force: f64,
}

impl Stack {
    fn text(&self) -> String {
        let count = self.masses.len();
        let list = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
        format!(
            "model Stack
               parameter Real m[{count}] = {{{}}}, r[{count}] = {{{}}};
               Real v[{count}](each start = 0, each fixed = true), s[{count}], f[{count}];
             equation
               for k in 1:{count} loop
                 s[k] = v[k] - (if k > 1 then v[max(k - 1, 1)] else 0);
                 f[k] = if s[k] > 0 then r[k] else -r[k];
                 m[k]*der(v[k]) = (if k == 1 then {}*sin(3*time) else 0) - f[k] + (if k < {count} then f[min(k + 1, {count})] else 0);
               end for;
             end Stack;",
            list(&self.masses),
            list(&self.friction),
            self.force
        )
    }

    /// Speeds by implicit steps in time, whose forces are found one after the other.
    fn stepped(&self, stop: f64, steps: usize) -> Vec<f64> {
        let (count, h) = (self.masses.len(), stop / steps as f64);
        let (mut v, mut f) = (vec![0.0; count], vec![0.0; count + 1]);
        for step in 1..=steps {
            let force = self.force * (3.0 * h * step as f64).sin();
            let after = |v: &[f64], f: &[f64], k: usize| {
                v[k] + h / self.masses[k] * (if k == 0 { force } else { 0.0 } - f[k] + f[k + 1])
            };
            for _ in 0..400 {
                for k in 0..count {
                    let slip = after(&v, &f, k) - if k > 0 { after(&v, &f, k - 1) } else { 0.0 };
                    let inverse = 1.0 / self.masses[k] + if k > 0 { 1.0 / self.masses[k - 1] } else { 0.0 };
                    f[k] = (f[k] + slip / (h * inverse)).clamp(-self.friction[k], self.friction[k]);
                }
            }
            v = (0..count).map(|k| after(&v, &f, k)).collect();
        }
        v
    }
}

/// Friction by plain comparisons, at rest and not, sticking here and slipping there: against steps in time.
#[test]
fn stacks_of_bodies_stick_and_slip_on_each_other() {
    let mut random = Random(7);
    let mut between = |low: f64, high: f64| low + (high - low) * random.below(1000) as f64 / 1000.0;
    for number in 0..12 {
        let count = 2 + number % 3;
        let stack = Stack {
            masses: (0..count).map(|_| between(0.5, 2.0)).collect(),
            friction: (0..count).map(|_| between(0.5, 4.0)).collect(),
            force: between(2.0, 20.0),
        };
        let (coarse, fine) = (stack.stepped(2.0, 2000), stack.stepped(2.0, 4000));
        let ran = run_text(&stack.text(), &How::until(2.0)).finished();
        for k in 0..count {
            // Steps of first order, half the error each time: twice the finer ones less the coarser.
            let expected = 2.0 * fine[k] - coarse[k];
            check(&format!("{number}: v[{k}]"), ran.last(&format!("v[{}]", k + 1)), expected, 2e-3);
        }
    }
}

const METHODS: [Method; 3] = [Method::Bdf, Method::Esdirk, Method::Explicit];

/// Friction by comparisons, of two or of three branches.
fn rough(force: f64, speed: &str, branches: usize) -> String {
    match branches {
        2 => format!("if {speed} > 0 then {force:?} else {:?}", -force),
        _ => format!("if {speed} > 0 then {force:?} elseif {speed} < 0 then {:?} else 0", -force),
    }
}

/// A block on another one that the ground holds: it moves as on the ground, and passes through rest, however friction is written.
#[test]
fn a_body_on_one_that_rests_turns_round() {
    let end = |lower: usize, upper: usize, method: Method| {
        let text = format!(
            "model M Real v1(start = 0, fixed = true), v2(start = 0, fixed = true), f0, f2; equation f0 = {}; f2 = {};
             2*der(v1) = f2 + 5*sin(2*time); der(v2) = -f0 - f2; end M;",
            rough(2.0, "v2", lower),
            rough(1.0, "v2 - v1", upper)
        );
        let ran = run_text(&text, &How { method: Some(method), ..How::until(4.0).tolerance(1e-8) }).finished();
        check("v2", ran.last("v2"), 0.0, 1e-12);
        ran.last("v1")
    };
    // It leaves at sin(2 t) = 1/5, and turns round where it has come to rest.
    let leaves = 0.5 * 0.2_f64.asin();
    let speed = |from: f64, to: f64, friction: f64| {
        1.25 * ((2.0 * from).cos() - (2.0 * to).cos()) - 0.5 * friction * (to - from)
    };
    let mut turns = (2.0, 3.0);
    for _ in 0..60 {
        let middle = 0.5 * (turns.0 + turns.1);
        turns = if speed(leaves, middle, 1.0) > 0.0 { (middle, turns.1) } else { (turns.0, middle) };
    }
    // The same the other way, until it rests again.
    let mut rests = (turns.0 + 0.5, 4.0);
    for _ in 0..60 {
        let middle = 0.5 * (rests.0 + rests.1);
        rests = if speed(turns.0, middle, -1.0) < 0.0 { (middle, rests.1) } else { (rests.0, middle) };
    }
    let expected = speed(rests.0, 4.0, 1.0);
    for (method, (lower, upper)) in
        METHODS.iter().flat_map(|method| [(2, 2), (2, 3), (3, 2), (3, 3)].map(|it| (method, it)))
    {
        check("v1", end(lower, upper, *method), expected, 1e-6);
    }
}

/// What nothing couples to a body does not change how it goes, whether it slides, or rests from the start or from later on.
#[test]
fn bodies_that_are_not_coupled_do_not_act_on_each_other() {
    let bodies = [
        "f = if v > 0 then 1 else -1; der(v) = -f - 8*x + (if sin(6*time + 1) > 0 then 1 else -1);".to_string(),
        format!("f = {}; 2*der(v) = -f + (if sin(3*time) > 0 then 1 else -1);", rough(0.5, "v", 3)),
        format!("f = {}; 2*der(v) = -f + (if sin(3*time) > 0 then 1 else -1);", rough(0.5, "v", 2)),
        format!("f = {}; der(v) = -f + 2*sin(3*time);", rough(1.0, "v", 3)),
    ];
    for (method, body) in METHODS.iter().flat_map(|method| bodies.iter().map(move |body| (method, body))) {
        let run = |others: &str| {
            let text = format!(
                "model M Real v(start = 0, fixed = true), x(start = 0, fixed = true), f; {others} der(x) = v; {body} end M;"
            );
            let how = How { method: Some(*method), ..How::until(3.5).tolerance(1e-8) };
            let ran = run_text(&text, &how).finished();
            (ran.last("v"), ran.last("x"))
        };
        let alone = run("equation");
        for start in [0.0, 1.0, 0.3, -2.0] {
            for other in [
                "if w > 0 then 0.5 else -0.5",
                "if w >= 0 then 0.5 else -0.5",
                "if w > 0 then 0.5 elseif w < 0 then -0.5 else 0",
            ] {
                let beside =
                    run(&format!("Real w(start = {start:?}, fixed = true), g; equation g = {other}; 2*der(w) = -g;"));
                check("v", beside.0, alone.0, 1e-6);
                check("x", beside.1, alone.1, 1e-6);
            }
        }
    }
}

/// Three bodies, of which two pass through rest together: as by the state machines of the library.
#[test]
fn bodies_that_stick_together_pass_through_rest() {
    let library = "model M import Modeshift.Translational.*; Fixed ground; CoulombFriction f0(fMax = 0.5), f1(fMax = 0.5), f2(fMax = 1);
        Mass m2(m = 1, s(start = 0, fixed = true), v(start = 0, fixed = true)), m3(m = 1, s(start = 0, fixed = true), v(start = 0, fixed = true));
        Mass m4(m = 0.5, s(start = 0, fixed = true), v(start = 1, fixed = true)); SignalForce u(u = 2*sin(6*time));
        equation connect(f0.a, m4.a); connect(f0.b, ground.a); connect(f1.a, m3.a); connect(f1.b, m2.a); connect(f2.a, m4.a);
        connect(f2.b, m2.a); connect(u.a, m2.a); end M;";
    let reference = run_text(library, &How::until(4.0).tolerance(1e-10)).finished();
    for (method, branches) in METHODS.iter().flat_map(|method| [(method, 2), (method, 3)]) {
        let text = format!(
            "model M Real v4(start = 1, fixed = true), v2(start = 0, fixed = true), v3(start = 0, fixed = true), f0, f1, f2;
             equation f0 = {}; f1 = {}; f2 = {}; der(v2) = f1 + f2 + 2*sin(6*time); der(v3) = -f1; 0.5*der(v4) = -f0 - f2; end M;",
            rough(0.5, "v4", branches),
            rough(0.5, "v3 - v2", branches),
            rough(1.0, "v4 - v2", branches)
        );
        let ran = run_text(&text, &How { method: Some(*method), ..How::until(4.0).tolerance(1e-8) }).finished();
        for (own, other) in [("v2", "m2.v"), ("v3", "m3.v"), ("v4", "m4.v")] {
            for time in [0.92, 1.6, 4.0] {
                check(own, ran.at(time, own), reference.at(time, other), 1e-6);
            }
        }
    }
}

/// A load that is at the limit of the friction in one instant and less from there on: the body stays; and where it is more, it goes.
#[test]
fn a_load_at_its_limit_goes_where_it_leads() {
    for (method, branches) in METHODS.iter().flat_map(|method| [(method, 2), (method, 3)]) {
        let run = |start: f64, load: &str| {
            let text = format!(
                "model M Real v(start = {start:?}, fixed = true), f; equation f = {}; der(v) = ({load}) - f; end M;",
                rough(1.0, "v", branches)
            );
            run_text(&text, &How { method: Some(*method), ..How::until(1.0).tolerance(1e-8) }).finished()
        };
        for sign in ["", "-"] {
            let towards = if sign == "-" { -1.0 } else { 1.0 };
            check("v", run(0.0, &format!("{sign}(1 - sin(3*time))")).last("v"), 0.0, 1e-12);
            let leaves = run(0.0, &format!("{sign}(1 + sin(3*time))")).last("v");
            check("v", leaves, towards * (1.0 - 3.0_f64.cos()) / 3.0, 1e-6);
            let arrives = run(-0.5 * towards, &format!("{sign}(if time < 0.25 then 1 else 1.25 - time)"));
            check("v", arrives.last("v"), 0.0, 1e-12);
        }
    }
}

/// Rest that begins where the run ends, or as near as times can be told apart: nothing is left of the surface, and nothing is wrong.
#[test]
fn sliding_may_begin_where_the_run_ends() {
    let text = "model M Real v(start = 1, fixed = true), w(start = 0.3, fixed = true), f, g;
        equation f = if v > 0 then 0.25 else -0.25; der(v) = -f; g = if w > 0 then 1 else -1; der(w) = -g + 0.5*sin(time); end M;";
    for method in METHODS {
        let mut stop = 4.0_f64 - 4e-15;
        while stop < 4.0 + 8e-15 {
            let ran = run_text(text, &How { method: Some(method), ..How::until(stop).tolerance(1e-6) }).finished();
            check("v", ran.last("v"), 0.0, 1e-14);
            check("w", ran.last("w"), 0.0, 1e-14);
            stop = stop.next_up();
        }
    }
}

/// Bodies that stick together from the start, with all that is known of them zero: what their slopes are is known to the rounding of
/// the combination, and steps are not made as short as would see that.
#[test]
fn sliding_may_begin_from_nothing() {
    // Both together: 4 der(v) = -8 x + 5 sin(6 t).
    let (own, driven) = (2.0_f64.sqrt(), 6.0);
    let amplitude = 1.25 / (own * own - driven * driven);
    let position = |time: f64| amplitude * ((driven * time).sin() - driven / own * (own * time).sin());
    for (method, branches) in METHODS.iter().flat_map(|method| [(method, 2), (method, 3)]) {
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            for (spring, is_exact) in [("8*x1", true), ("0*x1", false)] {
                let text = format!(
                    "model M Real x1(start = 0, fixed = true), v1(start = 0, fixed = true), v2(start = 0, fixed = true), f0;
                     equation der(x1) = v1; f0 = {}; 2*der(v1) = f0 - {spring} + 5*sin(6*time); 2*der(v2) = -f0; end M;",
                    rough(3.3, "v2 - v1", branches)
                );
                let ran =
                    run_text(&text, &How { method: Some(*method), ..How::until(1.0).tolerance(tolerance) }).finished();
                let expected = if is_exact { position(1.0) } else { 1.25 / 6.0 * (1.0 - 6.0_f64.sin() / 6.0) };
                check("x1", ran.last("x1"), expected, 20.0 * tolerance);
                check("v2", ran.last("v2"), ran.last("v1"), 1e-12);
            }
        }
    }
}

#[test]
fn a_trigger_without_a_simplified_model_falls_over_too() {
    // At the fold both sides lead to the other, and no combination of them has a value a little later; the branch at -15 has.
    let text = "model M Real c(start = 20, fixed = true), x, y; equation x = 0.5*y + 0.5*c; der(c) = -10*y;
        y = if 15000*x > 15 then 15 else if 15000*x < -15 then -15 else 15000*x; end M;";
    let ran = run_text(text, &How::until(1.0)).finished();
    let times = ran.event_times();
    let (first, every) = ((20.0 + 15.0 - 0.002) / 150.0, (30.0 - 0.004) / 150.0);
    times.iter().enumerate().for_each(|(at, &time)| check("event", time, first + every * at as f64, 1e-6));
    assert_eq!(times.len(), 4, "{times:?}");
}

/// What flows is a root of the difference, whose slope there is infinite: on the surface nothing moves from either side, so that a run
/// rests there and does not go to and fro.
#[test]
fn levels_that_have_become_equal_stay_so() {
    let text = "model SqrtFlow Real h1(start = 2, fixed = true), h2(start = 0.1, fixed = true), q, p1, p2;
      equation
        p1 = max(h1 - 0.5, 0); p2 = max(h2 - 0.5, 0);
        q = if p1 >= p2 then sqrt(abs(p1 - p2)) else -sqrt(abs(p2 - p1));
        der(h1) = -0.3*q; der(h2) = 0.3*q;
      end SqrtFlow;";
    for method in [Method::Esdirk, Method::Explicit] {
        for tolerance in [1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6] {
            let how = How { method: Some(method), ..How::until(6.0).tolerance(tolerance) };
            let ran = run_text(text, &how).finished();
            check("h1", ran.last("h1"), 1.05, 1e-9);
            assert!(ran.events().len() <= 3, "{method:?}, {tolerance}: {} events", ran.events().len());
        }
    }
}
