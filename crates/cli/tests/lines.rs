//! Lines of many breaking elements: `check` takes time in proportion to their number, whatever breaks and however it is connected.

use crate::support::{Outcome, modeshift_reading};

/// A line from the declarations of its elements and what connects them.
fn check(declared: &str, connected: &str, count: usize) -> Outcome {
    let text = format!(
        "model M import Modeshift.Electrical.*; parameter Integer N = 1; ConstantVoltage s(V = 10); Ground g; {declared}
         equation connect(s.n, g.p); {connected} end M;"
    );
    let outcome = modeshift_reading(text.as_bytes(), &["check", "-", "--timings", "--set", &format!("N={count}")]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    outcome
}

/// Diagram nodes of a phase.
fn nodes(outcome: &Outcome, phase: &str) -> f64 {
    let line = outcome.stderr.lines().find(|line| line.contains(phase)).expect("a phase");
    let number = line.strip_suffix(" nodes").and_then(|it| it.split_whitespace().last()).expect("a number");
    number.parse().expect("a number")
}

const LADDER: &str = "connect(s.p, R[1].p); for k in 1:N loop connect(R[k].n, C[k].p); connect(C[k].n, g.p); end for;
     for k in 2:N loop connect(R[k - 1].n, R[k].p); end for;";

#[test]
fn the_start_of_a_ladder_is_checked_in_its_first_mode_where_all_modes_are_too_many() {
    let outcome = check("Resistor R[N]; BreakingCapacitor C[N];", LADDER, 600);
    assert!(outcome.stderr.contains("N0712"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("N0702") && outcome.stderr.contains("and 594 more"), "{}", outcome.stderr);
    let few = check("Resistor R[N]; BreakingCapacitor C[N];", LADDER, 30);
    assert!(!few.stderr.contains("N0712") && few.stderr.contains("and 24 more"), "{}", few.stderr);
}

#[test]
fn changes_do_not_ask_which_element_of_many_takes_a_common_ground() {
    let declared = "Resistor R[N]; Capacitor D[N]; BreakingCapacitor C[N];";
    let connected = format!("{LADDER} for k in 1:N loop connect(R[k].n, D[k].p); connect(D[k].n, g.p); end for;");
    let of = |count| nodes(&check(declared, &connected, count), "analyzing mode changes");
    let (some, twice) = (of(60), of(120));
    // Whether any element is intact is asked of the ground for each of them: a square. Which one takes it would be a cube.
    assert!(twice < 4.5 * some, "{some} and {twice} nodes");
}

#[test]
fn elements_of_which_the_last_one_decides_are_swept_over() {
    let series = |class: &str| {
        (
            format!("Resistor R; {class} C[N];"),
            "connect(s.p, R.p); connect(R.n, C[1].p);
         for k in 2:N loop connect(C[k - 1].n, C[k].p); end for; connect(C[N].n, g.p);"
                .to_string(),
        )
    };
    let parallel = |class: &str| {
        (
            format!("Resistor R; {class} C[N];"),
            "connect(s.p, R.p);
         for k in 1:N loop connect(R.n, C[k].p); connect(C[k].n, g.p); end for;"
                .to_string(),
        )
    };
    let lines = [series("BreakingInductor"), series("BreakingCapacitor"), parallel("BreakingCapacitor")];
    for (declared, connected) in lines {
        let outcome = check(&declared, &connected, 1_000);
        assert!(outcome.stderr.contains("N0603"), "{declared}: {}", outcome.stderr);
        assert!(outcome.stdout.contains("all of them regular"), "{declared}: {}", outcome.stdout);
    }
}

/// Sets of modes of a start stay local where something stands beside each element that switches: twice the line, twice the nodes.
#[test]
fn the_start_of_clutches_with_dampers_beside_them_takes_diagrams_as_long_as_their_line() {
    let line = "model M import Modeshift.Rotational.*; parameter Integer N = 10; Inertia j[N](each J = 1); OneWayClutch s[N - 1];
        Damper d[N - 1]; equation for k in 1:N - 1 loop connect(j[k].b, s[k].a); connect(s[k].b, j[k + 1].a); connect(d[k].a, j[k].b);
        connect(d[k].b, j[k + 1].a); end for; end M;";
    let of = |count: usize| {
        let outcome = modeshift_reading(line.as_bytes(), &["check", "-", "--timings", "--set", &format!("N={count}")]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        nodes(&outcome, "initializing")
    };
    let (some, twice) = (of(60), of(120));
    assert!(twice < 2.5 * some, "{some} and {twice} nodes");
}

/// The start of such a line in all modes is beyond its budget, and a breaker leaves its first state at once: both `check` and a run
/// begin where all machines do and let the first instant lead on.
#[test]
fn a_line_whose_breaker_opens_at_the_start_is_checked_and_run_where_all_modes_are_too_many() {
    let line = "model M import Modeshift.Electrical.*; parameter Integer N = 1; ConstantVoltage s(V = 10); Ground g; Resistor R[N];
        Capacitor C[N]; Breaker B[N](each iMax = 1); equation connect(s.n, g.p); connect(s.p, B[1].p);
        for k in 1:N loop connect(B[k].n, R[k].p); connect(R[k].n, C[k].p); connect(C[k].n, g.p); end for;
        for k in 2:N loop connect(C[k - 1].p, B[k].p); end for; end M;";
    let count = ["--set", "N=1200"];
    let checked = modeshift_reading(line.as_bytes(), &[&["check", "-", "--timings"], &count[..]].concat());
    assert_eq!(checked.status, 0, "{}", checked.stderr);
    assert!(checked.stderr.contains("more than its budget") && checked.stderr.contains("N0712"), "{}", checked.stderr);
    let run = ["simulate", "-", "--stop", "1e-3", "--interval", "1e-3", "-o", "-", "--vars", "s.i,B[1].p.i,B[2].p.i"];
    let simulated = modeshift_reading(line.as_bytes(), &[&run, &count[..]].concat());
    assert_eq!(simulated.status, 0, "{}", simulated.stderr);
    let rows: Vec<&str> = simulated.stdout.lines().skip(1).collect();
    assert!(!rows.is_empty());
    for row in rows {
        let currents = row.split(',').skip(1).map(|cell| cell.parse::<f64>().expect("a number"));
        assert!(currents.into_iter().all(|current| current == 0.0), "{row}");
    }
}
