//! Blocks on each other with one coefficient of friction: while one interface slides, others stand exactly at their limits. Blocks that
//! never part move as one block does.

use crate::machines::near;
use crate::support::runs as support;

use modeshift_simulate::integrate::Method;
use support::{How, Ran, run_text};

/// What is put on each other, and moved.
struct Stack {
    masses: Vec<f64>,
    limits: Vec<f64>,
    /// The block that is driven, by number, and with which amplitude.
    driven: usize,
    amplitude: f64,
    /// Of forces.
    unit: f64,
}

impl Stack {
    /// The most that friction holds is a share of the mass above.
    fn on_table(masses: &[f64], share: f64, driven: usize, amplitude: f64) -> Self {
        let limits = (0..masses.len()).map(|at| share * masses[at..].iter().sum::<f64>()).collect();
        Stack { masses: masses.to_vec(), limits, driven, amplitude, unit: 1.0 }
    }

    /// The same of the mass below, driven at the top.
    fn driven_at_the_top(masses: &[f64], share: f64, amplitude: f64) -> Self {
        let limits = (0..masses.len()).map(|at| share * masses[..=at].iter().sum::<f64>()).collect();
        Stack { masses: masses.to_vec(), limits, driven: masses.len(), amplitude, unit: 1.0 }
    }

    /// On a belt of this speed, seen from beside it.
    fn text(&self, belt: f64) -> String {
        let list = |values: &[f64], unit: f64| {
            values.iter().map(|value| format!("{:?}", value * unit)).collect::<Vec<_>>().join(", ")
        };
        let (count, driven) = (self.masses.len(), self.driven);
        format!(
            "model M import Modeshift.Translational.*;
             model Belt Flange a; equation der(a.s) = {belt:?}; end Belt;
             Mass m[{count}](m = {{{}}}, each s(start = 0, fixed = true), each v(start = {belt:?}, fixed = true));
             CoulombFriction f[{count}](fMax = {{{}}}); Belt table(a(s(start = 0, fixed = true)));
             SignalForce drive(u = {:?}*sin(2*Modelica.Constants.pi*time));
             equation connect(table.a, f[1].b); connect(f[1].a, m[1].a);
             for k in 2:{count} loop connect(m[k - 1].b, f[k].b); connect(f[k].a, m[k].a); end for;
             connect(drive.a, m[{driven}].b); end M;",
            list(&self.masses, 1.0),
            list(&self.limits, self.unit),
            self.amplitude * self.unit,
        )
    }
}

/// After each event, its time and what the interfaces do, as letters.
fn sequence(ran: &Ran, interfaces: usize) -> Vec<(f64, String)> {
    let letter = |modes: &[&str], at: usize| {
        let letters = [("stuck", 'S'), ("forward", 'F'), ("backward", 'B')];
        let active = |state: &str| modes.contains(&format!("activeState(f[{at}].{state})").as_str());
        letters.into_iter().find(|(state, _)| active(state)).map_or('?', |it| it.1)
    };
    let words = (0..ran.events().len()).map(|event| {
        let modes = ran.mode_after(event);
        (1..=interfaces).map(|at| letter(&modes, at)).collect()
    });
    ran.event_times().into_iter().zip(words).collect()
}

fn run(text: &str, tolerance: f64, method: Method) -> Ran {
    let ran = run_text(text, &How { method: Some(method), ..How::until(2.0).tolerance(tolerance) }).finished();
    let codes: Vec<&str> = ran.diagnostics.iter().map(|it| it.code.as_str()).collect();
    assert!(codes.is_empty(), "{codes:?}");
    ran
}

/// All ways to compute `stack` are the sequence of `reference`, in which the blocks that stay together are one; `letters` says which
/// of its interfaces each one is, or that it is always stuck.
#[track_caller]
fn moves_as(stack: Stack, reference: &Stack, letters: &[Option<usize>]) {
    let expected = sequence(&run(&reference.text(0.0), 1e-10, Method::Bdf), reference.masses.len());
    assert!(expected.len() >= 8, "{expected:?}");
    let ways = [
        (1e-4, Method::Bdf, 1.0, 0.0),
        (1e-6, Method::Esdirk, 1e-9, 0.0),
        (1e-8, Method::Explicit, 1e6, 0.0),
        (1e-8, Method::Bdf, 1.0, -3.0),
        (1e-10, Method::Bdf, 1.0, 0.1),
    ];
    for (tolerance, method, unit, belt) in ways {
        let text = Stack { masses: stack.masses.clone(), limits: stack.limits.clone(), unit, ..stack }.text(belt);
        let found = sequence(&run(&text, tolerance, method), stack.masses.len());
        let words = |sequence: &[(f64, String)]| sequence.iter().map(|it| it.1.clone()).collect::<Vec<String>>();
        let letter = |word: &str, at: Option<usize>| at.map_or('S', |at| char::from(word.as_bytes()[at]));
        let of_stack = |word: &String| letters.iter().map(|&at| letter(word, at)).collect();
        let wanted: Vec<String> = words(&expected).iter().map(of_stack).collect();
        assert_eq!(words(&found), wanted, "at {tolerance:e} by {method:?} in units of {unit:e} on a belt of {belt}");
        for (found, expected) in found.iter().zip(&expected) {
            near(found.0, expected.0, 30.0 * tolerance.max(1e-9));
        }
    }
}

#[test]
fn five_equal_blocks_on_a_driven_one_stay_together() {
    let one = Stack::on_table(&[1.0, 4.0], 0.6, 1, 8.0);
    moves_as(Stack::on_table(&[1.0; 5], 0.6, 1, 8.0), &one, &[Some(0), Some(1), None, None, None]);
}

#[test]
fn stacks_in_whole_numbers_stay_together() {
    let one = Stack::on_table(&[1.0, 2.0], 1.0, 1, 9.0);
    moves_as(Stack::on_table(&[1.0; 3], 1.0, 1, 9.0), &one, &[Some(0), Some(1), None]);
}

#[test]
fn blocks_of_any_masses_have_one_coefficient_of_friction() {
    let one = Stack::on_table(&[1.5, 6.5], 0.37, 1, 12.0);
    let stack = Stack::on_table(&[1.5, 0.3, 2.0, 0.7, 1.5, 2.0], 0.37, 1, 12.0);
    moves_as(stack, &one, &[Some(0), Some(1), None, None, None, None]);
}

#[test]
fn blocks_between_the_driven_one_and_the_table_stay_together() {
    let stack = Stack::driven_at_the_top(&[1.0; 5], 0.6, 8.0);
    let one = Stack { masses: vec![4.0, 1.0], limits: vec![0.6, 3.0], driven: 2, ..stack };
    moves_as(stack, &one, &[Some(0), None, None, None, Some(1)]);
}

/// Where blocks turn round together, their speeds are zero, and how they move against each other is the rounding of accelerations.
#[test]
fn blocks_that_turn_round_together_stay_together() {
    let stack = Stack::driven_at_the_top(&[1.0; 6], 0.1, 0.9645710682387291);
    let one = Stack { masses: vec![5.0, 1.0], limits: vec![0.1, 0.6], driven: 2, ..stack };
    moves_as(stack, &one, &[Some(0), None, None, None, None, Some(1)]);
}

/// A body that several frictions hold moves as one with the sum of them does, whatever part of the force each of them takes while it rests.
#[test]
fn frictions_on_one_body_act_as_their_sum() {
    let model = |frictions: &[f64], speed: f64, drive: f64| {
        let declared =
            frictions.iter().enumerate().map(|(at, limit)| format!("CoulombFriction f{at}(fMax = {limit:?});"));
        let connected = (0..frictions.len()).map(|at| format!("connect(m.b, f{at}.a); connect(f{at}.b, g.a);"));
        format!(
            "model M import Modeshift.Translational.*; Mass m(m = 1, s(start = 0, fixed = true), v(start = {speed:?}, fixed = true));
             SignalForce d; Fixed g; {} equation d.u = {drive:?}*sin(time); connect(d.a, m.a); {} end M;",
            declared.collect::<String>(),
            connected.collect::<String>()
        )
    };
    for (speed, drive) in [(0.0, 5.0), (3.0, 5.0), (-1.0, 2.0), (0.0, 2.5), (1.0, 3.5)] {
        let alone = run_text(&model(&[3.0], speed, drive), &How::until(15.0)).finished();
        for frictions in [&[1.0, 2.0][..], &[2.0, 1.0], &[1.5, 1.5], &[1.0, 1.0, 1.0], &[2.5, 0.25, 0.25]] {
            let ran = run_text(&model(frictions, speed, drive), &How::until(15.0)).finished();
            assert!(ran.diagnostics.iter().all(|it| it.code != "W0828"), "{frictions:?}: {:?}", ran.diagnostics);
            for row in 0..50 {
                let time = 0.3 * f64::from(row);
                near(ran.at(time, "m.v"), alone.at(time, "m.v"), 1e-5);
                near(ran.at(time, "m.s"), alone.at(time, "m.s"), 1e-5);
            }
        }
    }
}

/// The same of frictions by three-branch ifs.
#[test]
fn frictions_by_branches_on_one_body_act_as_their_sum() {
    let model = |frictions: &[f64], speed: f64| {
        let equations = frictions.iter().enumerate().map(|(at, limit)| {
            format!(
                "forward[{k}] = s[{k}] > 1; backward[{k}] = s[{k}] < -1;
                 v = if forward[{k}] then s[{k}] - 1 elseif backward[{k}] then s[{k}] + 1 else 0;
                 f[{k}] = {limit:?}*(if forward[{k}] then 1 elseif backward[{k}] then -1 else s[{k}]);",
                k = at + 1
            )
        });
        format!(
            "model M Real v(start = {speed:?}, fixed = true); Real f[{n}], s[{n}]; Boolean forward[{n}], backward[{n}];
             equation der(v) = 5*sin(time) - sum(f); {} end M;",
            equations.collect::<String>(),
            n = frictions.len()
        )
    };
    for speed in [0.0, 3.0, -1.0] {
        let alone = run_text(&model(&[3.0], speed), &How::until(15.0)).finished();
        for frictions in [&[1.0, 2.0][..], &[1.5, 1.5], &[1.0, 1.0, 1.0]] {
            let ran = run_text(&model(frictions, speed), &How::until(15.0)).finished();
            for row in 0..50 {
                let time = 0.3 * f64::from(row);
                near(ran.at(time, "v"), alone.at(time, "v"), 1e-5);
            }
        }
    }
}

/// A friction that holds a body to the ground passes on no impulse: the body that is set in motion slides, and comes to rest.
#[test]
fn a_reinit_sets_in_motion_what_frictions_hold() {
    let model = |frictions: &[f64], speed: f64| {
        let declared =
            frictions.iter().enumerate().map(|(at, limit)| format!("CoulombFriction f{at}(fMax = {limit:?});"));
        let connected = (0..frictions.len()).map(|at| format!("connect(m.b, f{at}.a); connect(f{at}.b, g.a);"));
        format!(
            "model M import Modeshift.Translational.*; Mass m(m = 1, s(start = 0, fixed = true), v(start = 0, fixed = true));
             Fixed g; {} equation {} when time > 0.5 then reinit(m.v, {speed:?}); end when; end M;",
            declared.collect::<String>(),
            connected.collect::<String>()
        )
    };
    for speed in [1.0_f64, -1.0] {
        for frictions in [&[2.0][..], &[1.5, 0.5]] {
            let ran = run_text(&model(frictions, speed), &How::until(2.0)).finished();
            let times = ran.event_times();
            assert_eq!(times.len(), 2, "{times:?}");
            near(times[1], 1.0, 1e-6);
            near(ran.limits(0, "m.v").1, speed, 1e-12);
            near(ran.last("m.s"), speed * 0.25, 1e-6);
        }
    }
}

/// A body that comes to rest at the very time at which a drive sets in: it sticks, slides on or turns round, as the drive says.
#[test]
fn a_body_that_comes_to_rest_where_a_drive_sets_in_does_as_that_says() {
    let drives = [
        "d.u = if time < T then 0 else F;",
        "when time >= T then u = F; end when; d.u = u;",
        "when sample(T, 10) then u = F; end when; d.u = u;",
    ];
    for (speed, limit) in [(1.0_f64, 1.0_f64), (-1.0, 3.0), (0.7, 1.0), (0.3, 0.25)] {
        let time = speed.abs() / limit;
        for drive in drives {
            for share in [0.0, 0.5, 1.0, 2.0, -0.5, -1.0, -2.0] {
                let force = share * limit;
                let text = format!(
                    "model M import Modeshift.Translational.*; parameter Real T = {time:?}, F = {force:?}; discrete Real u(start = 0, fixed = true);
                     Mass m(m = 1, s(start = 0, fixed = true), v(start = {speed:?}, fixed = true)); SignalForce d; Fixed g;
                     CoulombFriction f(fMax = {limit:?}); equation {drive} connect(d.a, m.a); connect(m.b, f.a); connect(f.b, g.a); end M;"
                );
                let text = if drive.contains("when") {
                    text
                } else {
                    text.replace("discrete Real u(start = 0, fixed = true);", "")
                };
                let beyond = f64::max(0.0, force.abs() - limit) * force.signum();
                for method in [Method::Bdf, Method::Esdirk, Method::Explicit] {
                    let ran = run_text(&text, &How { method: Some(method), ..How::until(3.0) }).finished();
                    near(ran.last("m.v"), beyond * (3.0 - time), 1e-5);
                }
            }
        }
    }
}
