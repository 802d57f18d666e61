//! Next modes by Lemke's method alone and by all other ways: diodes, impulses, and friction with three states.

use crate::support::random;
use crate::support::runs as support;
use std::collections::BTreeSet;

use modeshift_mode_changes::Strategy;
use modeshift_simulate::run::RunEnd;
use random::Random;
use support::{How, Ran, check, paper_model, run_text};

const LEMKE: &[Strategy] = &[Strategy::Complementary];
const OTHERS: &[Strategy] = &[Strategy::FlipAll, Strategy::FlipLeast, Strategy::Enumerate];
const WAYS: [&[Strategy]; 3] = [&Strategy::ALL, LEMKE, OTHERS];

#[test]
fn two_diodes_commute_alike_by_any_search() {
    for search in WAYS {
        let ran = run_text(&paper_model("RLDC2.mo"), &How::default().tolerance(1e-9).search(search)).finished();
        assert_eq!(ran.events().len(), 2, "{search:?}: {:?}", ran.event_times());
        assert_eq!(ran.mode_after(0), ["g1", "g2"], "{search:?}");
        check("commutation", ran.event_times()[0], 0.0183033989175597, 1e-9);
        check("v1", ran.limits(0, "v1").1, 1.0, 1e-9);
        assert!(ran.mode_after(1).is_empty(), "{search:?}");
        check("end of conduction", ran.event_times()[1], 0.248105813629225, 1e-9);
    }
}

/// Two circuits with diodes that are switched on at time 1: until then the states rest at their start values, whether
/// the circuits could have come to these or not.
fn switched_on(name: &str, starts: &str) -> String {
    let resting = "der(j1) = 0; der(j2) = 0; der(v1) = 0; der(v2) = 0; s1 = 1; s2 = -1;
        i1 = 0; i2 = 0; u1 = 0; u2 = 0; w1 = 0; w2 = 0; x1 = 0; x2 = 0;";
    let text = paper_model(name).replace("j1(start = -2.0", "j1(start = 2.0").replace("j2(start = -1.0", starts);
    let text = text.replacen("\nequation\n", &format!("\nequation\n  if time < 1 then {resting} else\n"), 1);
    text.replacen("  /* G1: */", "  end if;\n  /* G1: */", 1)
}

#[test]
fn impulses_that_block_two_diodes_are_found_by_any_search() {
    // The start printed in RR9322, left limits that no mode of the circuits could have had: negative Dirac impulses of the
    // voltages say that both diodes block, and the currents jump to their mean.
    let text = switched_on("RLDC2.mo", "j2(start = 1.0");
    for search in WAYS {
        let ran = run_text(&text, &How::until(1.1).tolerance(1e-9).search(search)).finished();
        assert_eq!((ran.event_times()[0], ran.last("g1"), ran.last("g2")), (1.0, 0.0, 0.0), "{search:?}");
        assert_eq!((ran.limits(0, "g1"), ran.limits(0, "g2")), ((1.0, 0.0), (0.0, 0.0)), "{search:?}");
        check("j1", ran.limits(0, "j1").1, 0.2, 1e-12);
        check("j2", ran.limits(0, "j2").1, -0.2, 1e-12);
        check("impulse of u1", ran.weight(0, "u1", "1"), -1.8, 1e-12);
        check("impulse of u2", ran.weight(0, "u2", "1"), -1.8, 1e-12);
    }
}

#[test]
fn diodes_with_a_wrong_sign_are_refused_with_what_speaks_against_each_mode() {
    let ran = run_text(&switched_on("RLDC2Printed.mo", ""), &How::until(1.1));
    assert_eq!(ran.summary.as_ref().map(|it| (&it.end, it.time)), Some((&RunEnd::Failed, 1.0)));
    let said = ran.said("E0823");
    let against: Vec<(&str, &str)> = said.notes.iter().filter_map(|note| note.split_once(": contradicts ")).collect();
    let modes: BTreeSet<&str> = against.iter().map(|(mode, _)| *mode).collect();
    let switched = "not time < 1";
    let all = ["", " and not g1", " and g2", " and not g1 and g2"].map(|change| format!("{switched}{change}"));
    assert_eq!(modes, all.iter().map(String::as_str).collect(), "{said:#?}");
    assert_eq!(said.notes.len(), modes.len(), "one reason per mode: {said:#?}");
    assert!(
        against.iter().all(|(_, why)| why.starts_with("`s1 >= 0`: ") || why.starts_with("`s2 >= 0`: ")),
        "{said:#?}"
    );
}

/// The kinds of loads: `Jumping` to a limit of friction at time 0, from where they grow or shrink; `Growing` smoothly up to
/// it, and from there on or back.
#[derive(Clone, Copy, Debug)]
enum Loads {
    Jumping,
    Growing,
}

type Load = (&'static str, fn(f64) -> f64);

impl Loads {
    fn all(self) -> [Load; 6] {
        match self {
            Loads::Jumping => [
                ("1 + time", |t| 1.0 + t),
                ("-1 - time", |t| -1.0 - t),
                ("1 - time", |t| 1.0 - t),
                ("-1 + time", |t| -1.0 + t),
                ("0.3", |_| 0.3),
                ("1 + time^2", |t| 1.0 + t * t),
            ],
            Loads::Growing => [
                ("1 + time", |t| 1.0 + t),
                ("-1 - time", |t| -1.0 - t),
                ("1 - time^2", |t| 1.0 - t * t),
                ("-1 + time^2", |t| -1.0 + t * t),
                ("0.3", |_| 0.3),
                ("1 + time^3", |t| 1.0 + t * t * t),
            ],
        }
    }

    fn text(self, load: &str) -> String {
        match self {
            Loads::Jumping => format!("(if time < 0 then 0 else {load})"),
            Loads::Growing => load.to_string(),
        }
    }
}

/// Bodies in a row with dampers between neighbours, each with friction of at most 1, at rest until time 0.
struct Row {
    loads: Loads,
    /// By body: its mass and its load.
    bodies: Vec<(f64, Load)>,
}

const DAMPING: f64 = 0.5;
const START: f64 = -0.5;
const STOP: f64 = 0.5;

impl Row {
    fn new(loads: Loads, count: usize, random: &mut Random) -> Self {
        let mut body = || ((1 + random.below(3)) as f64, loads.all()[random.below(6)]);
        Row { loads, bodies: (0..count).map(|_| body()).collect() }
    }

    fn neighbours(&self, body: usize) -> impl Iterator<Item = usize> + use<> {
        let count = self.bodies.len();
        [body.checked_sub(1), Some(body + 1)].into_iter().flatten().filter(move |&other| other < count)
    }

    fn text(&self) -> String {
        let mut equations = String::new();
        for (body, (mass, (load, _))) in self.bodies.iter().enumerate() {
            let k = body + 1;
            let dampers = self.neighbours(body).map(|other| format!(" + {DAMPING}*(w[{}] - w[{k}])", other + 1));
            equations += &format!(
                "{mass}*der(w[{k}]) = {load}{dampers} - f[{k}];
                 w[{k}] = if forward[{k}] then s[{k}] - 1 elseif backward[{k}] then s[{k}] + 1 else 0;
                 f[{k}] = if forward[{k}] then 1 elseif backward[{k}] then -1 else s[{k}];
                 forward[{k}] = (s[{k}] > 1);
                 backward[{k}] = (s[{k}] < -1);
                 invariant not (forward[{k}] and backward[{k}]);\n",
                load = self.loads.text(load),
                dampers = dampers.collect::<String>(),
            );
        }
        format!(
            "model Friction
               parameter Integer n = {};
               Real w[n](each start = 0, each fixed = true), f[n], s[n];
               Boolean forward[n], backward[n];
             equation
               {equations}
             end Friction;",
            self.bodies.len()
        )
    }

    /// The speeds at the end, by many small implicit steps, each solved body by body: friction takes what it needs.
    fn speeds(&self) -> Vec<f64> {
        const STEPS: usize = 10_000;
        let step = STOP / STEPS as f64;
        let mut speeds = vec![0.0; self.bodies.len()];
        for number in 1..=STEPS {
            let before = speeds.clone();
            for _ in 0..4 {
                for (body, (mass, (_, load))) in self.bodies.iter().enumerate() {
                    let dragged: f64 = self.neighbours(body).map(|other| DAMPING * speeds[other]).sum();
                    let force = mass / step * before[body] + load(step * number as f64) + dragged;
                    let resistance = mass / step + DAMPING * self.neighbours(body).count() as f64;
                    speeds[body] = (force - force.clamp(-1.0, 1.0)) / resistance;
                }
            }
        }
        speeds
    }

    fn run(&self, search: &'static [Strategy]) -> Ran {
        let how = How { start: Some(START), ..How::until(STOP).tolerance(1e-8).search(search) };
        let ran = run_text(&self.text(), &how);
        assert_eq!(
            ran.summary.as_ref().map(|it| &it.end),
            Some(&RunEnd::Stop),
            "{search:?}: {}\n{:#?}",
            self.text(),
            ran.diagnostics
        );
        ran
    }
}

/// The mode variables that are true right after time 0.
fn moving(ran: &Ran) -> Vec<&str> {
    let last = ran.event_times().iter().rposition(|&time| time < 1e-6);
    last.map_or(Vec::new(), |event| ran.mode_after(event))
}

#[test]
fn coupled_friction_at_its_limits_moves_alike_by_any_search() {
    for loads in [Loads::Jumping, Loads::Growing] {
        let mut count = 0;
        for seed in 0..60 {
            let row = Row::new(loads, 1 + seed % 5, &mut Random(seed as u64));
            let (by_lemke, otherwise) = (row.run(LEMKE), row.run(OTHERS));
            assert_eq!(moving(&by_lemke), moving(&otherwise), "{loads:?}, seed {seed}: {}", row.text());
            count += moving(&by_lemke).len();
            for (body, expected) in row.speeds().into_iter().enumerate() {
                for ran in [&by_lemke, &otherwise] {
                    let found = ran.last(&format!("w[{}]", body + 1));
                    assert!(
                        (found - expected).abs() < 1e-4,
                        "{found}, not {expected}: {loads:?}, seed {seed}, {}",
                        row.text()
                    );
                }
            }
        }
        assert!(count > 30, "{loads:?}: {count} bodies move");
    }
}

/// What a run says that stops where no mode follows: its message, then its notes.
fn told(code: &str, model: &str) -> Vec<String> {
    let ran = run_text(&format!("model M {model} end M;"), &How::until(1.0));
    let said = ran.said(code);
    [&[said.message.clone()][..], &said.notes].concat()
}

#[test]
fn an_expression_without_a_value_is_told_with_its_operand() {
    for expression in ["sqrt(0.25 - x)", "log(0.25 - x)"] {
        let model = format!(
            "Real x(start = 0, fixed = true), y; equation der(x) = 1; y = if x > 0.5 then {expression} else 1;"
        );
        let told = told("E0823", &model);
        assert!(told[0].ends_with(": an expression has no value"), "{told:#?}");
        assert!(told.iter().any(|it| it.contains(expression) && it.contains("-0.25")), "{told:#?}");
        assert!(!told.iter().any(|it| it.contains("lead to the other")), "{told:#?}");
    }
}

#[test]
fn an_equation_without_a_root_is_told_with_iterate_and_residual() {
    let model =
        "Real x(start = 0, fixed = true), y(start = 1); equation der(x) = 1; 0 = if x > 0.5 then y^2 + x else y - 1;";
    let told = told("E0823", model);
    assert!(told[0].ends_with(": an equation has no root"), "{told:#?}");
    assert!(told.iter().any(|it| it.contains("`e2`") && it.contains("y =")), "{told:#?}");
}

#[test]
fn conditions_that_contradict_on_both_sides_are_told_with_both_derivatives() {
    let model = "Real x(start = 0, fixed = true), y(start = 0, fixed = true); Boolean b(start = false, fixed = true);
        equation der(x) = if b then -3 else 2; b = x > 0.5; der(y) = 0; when b then reinit(y, pre(y) + 1); end when;";
    let told = told("E0823", model);
    assert!(told[0].ends_with(": both sides of a condition lead to the other"), "{told:#?}");
    for derivative in ["is -3.000000e0", "is 2.000000e0"] {
        assert!(told.iter().any(|it| it.contains("derivative 1") && it.ends_with(derivative)), "{told:#?}");
    }
    assert!(told.iter().any(|it| it.contains("cannot slide along: a `when` would fire without end")), "{told:#?}");
}

#[test]
fn discrete_equations_without_a_fixpoint_are_told_with_their_cycle() {
    let model = "Boolean b(start = false, fixed = true), c(start = false, fixed = true);
        equation b = if time > 0.5 then not pre(c) else false; c = pre(b);";
    let ran = run_text(&format!("model M {model} end M;"), &How::until(1.0));
    let said = ran.said("E0825");
    assert!(said.labels.iter().any(|it| it.text.contains("`b` goes on: …, true, true, false, false")), "{said:#?}");
}
