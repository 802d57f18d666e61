//! Random machines of circuit elements run as the same circuits with if-equations do, whose modes follow from a history that the test
//! computes itself: the same values between all events, whatever jumps and impulses lie before.

use crate::random_machines::{Drawn, Model};
use crate::support::modeshift_reading;

/// Conditions of transitions are windows of time, two for each, and no two of them overlap: all machines together make at most one
/// step in a window.
struct Windows {
    count: usize,
}

impl Windows {
    /// The transition that may fire in a window.
    fn transition(&self, window: usize) -> usize {
        if window <= self.count { window } else { 2 * self.count + 1 - window }
    }

    fn condition(&self, transition: usize) -> String {
        let windows = [transition, 2 * self.count + 1 - transition];
        windows.map(|from| format!("time > {from} and time < {from}.5")).join(" or ")
    }

    fn stop(&self) -> usize {
        2 * self.count + 1
    }
}

/// By window, the first one being the start: the active state of each machine, of the inner one whether or not it is active.
fn history(model: &Model, windows: &Windows) -> Vec<Vec<usize>> {
    let machines: Vec<&Drawn> = model.drawn().collect();
    let mut active = vec![0; machines.len()];
    let mut history = vec![active.clone()];
    for window in 1..windows.stop() {
        let fires = windows.transition(window);
        let is_inside = active[0] == 0;
        for (machine, active) in machines.iter().zip(&mut active) {
            let own = machine.transitions.iter().find(|it| it.2 == fires && it.0 == *active);
            if let Some(&(_, to, _)) = own.filter(|_| machine.prefix != 'b' || is_inside) {
                *active = to;
            }
        }
        history.push(active.clone());
    }
    history
}

/// When a state is active, in terms of time.
fn activity(is_active: &[bool]) -> String {
    let was_active = |window: usize| window > 0 && is_active[window - 1];
    let mut spans: Vec<Vec<String>> = Vec::new();
    for (window, &is_active) in is_active.iter().enumerate() {
        match (was_active(window), is_active) {
            (false, true) if window == 0 => spans.push(vec!["true".to_string()]),
            (false, true) => spans.push(vec![format!("time > {window}")]),
            (true, false) => spans.last_mut().expect("a span has begun").push(format!("not time > {window}")),
            _ => {}
        }
    }
    let spans: Vec<String> = spans.iter().map(|span| span.join(" and ")).collect();
    if spans.is_empty() { "false".to_string() } else { spans.join(" or ") }
}

/// Both circuits with conditions, modes and fixed starts written into them.
fn timed(model: &Model) -> ([String; 2], Windows) {
    let windows = Windows { count: model.drawn().map(|it| it.transitions.len()).sum() };
    let history = history(model, &windows);
    let [mut machines, mut branches] =
        [model.with_machines(), model.with_branches().replace("start = 0)", "start = 0, fixed = true)")];
    for (number, drawn) in model.drawn().enumerate() {
        for &(_, _, transition) in &drawn.transitions {
            let condition = windows.condition(transition);
            machines = machines
                .replace(&format!("time > {transition}, priority"), &format!("{condition}, reset = false, priority"));
        }
        for state in 0..drawn.states.len() {
            let is_active = |active: &Vec<usize>| active[number] == state && (drawn.prefix != 'b' || active[0] == 0);
            let active: Vec<bool> = history.iter().map(is_active).collect();
            let name = drawn.name(state);
            branches = branches
                .replace(&format!("input Boolean s_{name};"), &format!("Boolean s_{name} = {};", activity(&active)));
        }
    }
    for (machine, feed, beside) in &model.machines {
        let elements =
            [Some((format!("F{}", machine.prefix), *feed)), beside.map(|it| (format!("B{}", machine.prefix), it))];
        for (name, kind) in elements.into_iter().flatten() {
            let Some(memory) = kind.memory() else { continue };
            let fixed = "start = 0, fixed = true";
            let class = kind.class();
            machines = machines.replace(&format!("{class} {name};"), &format!("{class} {name}({memory}({fixed}));"));
            branches = branches.replace(&format!("Real {name}_{memory};"), &format!("Real {name}_{memory}({fixed});"));
        }
    }
    ([machines, branches], windows)
}

/// The values of some variables in the middle of each window and between windows.
fn values(text: &str, names: &[&str], windows: &Windows) -> Vec<(String, Vec<f64>)> {
    let (stop, vars) = (windows.stop().to_string(), names.join(","));
    let options = [
        "simulate",
        "-",
        "-m",
        "M",
        "-o",
        "-",
        "--stop",
        &stop,
        "--interval",
        "0.25",
        "--tolerance",
        "1e-9",
        "--vars",
        &vars,
    ];
    let outcome = modeshift_reading(text.as_bytes(), &options);
    assert_eq!(outcome.status, 0, "{text}\n{}", outcome.stderr);
    let mut lines = outcome.stdout.lines();
    let heads: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let position = |name: &&str| heads.iter().position(|head| head == name).expect("a column");
    let columns: Vec<usize> = names.iter().map(position).collect();
    let mut rows = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse().unwrap_or(f64::NAN);
        if number(0).fract() == 0.25 || number(0).fract() == 0.75 {
            rows.push((cells[0].to_string(), columns.iter().map(|&at| number(at)).collect()));
        }
    }
    rows
}

fn check(seeds: std::ops::Range<u64>) {
    let mut changes = 0;
    for seed in seeds {
        let model = Model::random(seed);
        let (texts, windows) = timed(&model);
        let [names, _] = model.names(&[]);
        let (machine, branches): (Vec<&str>, Vec<&str>) = names.iter().map(|(one, other)| (&**one, &**other)).unzip();
        let (found, expected) = (values(&texts[0], &machine, &windows), values(&texts[1], &branches, &windows));
        let times = |rows: &[(String, Vec<f64>)]| rows.iter().map(|row| row.0.clone()).collect::<Vec<_>>();
        assert_eq!(times(&found), times(&expected), "{seed}");
        assert!(found.len() >= 2 * windows.stop() - 1, "{seed}: {} rows", found.len());
        for ((time, found), (_, expected)) in found.iter().zip(&expected) {
            for ((name, one), other) in machine.iter().zip(found).zip(expected) {
                let is_same = one.is_nan() && other.is_nan() || (one - other).abs() <= 1e-6 * other.abs().max(1.0);
                assert!(is_same, "{seed}: {name} at {time}: {one}, not {other}\n{}\n{}", texts[0], texts[1]);
            }
        }
        let history = history(&model, &windows);
        changes += history.windows(2).filter(|pair| pair[0] != pair[1]).count();
    }
    assert!(changes > 20, "machines that stand still say nothing: {changes} changes");
}

#[test]
fn random_machines_run_as_their_branches_do() {
    check(0..20);
}

/// `cargo test --release -p modeshift-cli --test suite -- --ignored random_machines_run::`
#[test]
#[ignore = "half a minute: 500 random machines"]
fn many_random_machines_run_as_their_branches_do() {
    check(0..500);
}
