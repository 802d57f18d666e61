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
