//! Verdicts that depend on modes far away, as `check` tells them.

use crate::support::{Outcome, modeshift, modeshift_reading, temporary};

fn check(model: &str, sizes: &[&str]) -> Outcome {
    let file = format!("models/{model}.mel");
    let mut arguments = vec!["check", &file];
    sizes.iter().for_each(|size| arguments.extend(["--set", size]));
    modeshift(&arguments)
}

#[test]
fn two_closed_valves_of_a_pipe_are_told_by_an_example() {
    let outcome = check("ValvePipe", &["N=60"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let expected = "`p[1]` is cut off and not determined, for example when `open[1]` and `open[2]` are false";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("1770 with 2, 34220 with 3, 487635 with 4"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("N0603"), "sets of modes are small enough for everything else");
    assert!(outcome.stdout.lines().all(|line| line.len() <= 120), "{}", outcome.stdout);
}

#[test]
fn a_ladder_that_sets_of_modes_cannot_describe_is_swept() {
    let outcome = check("BreakerLadder", &["N=40"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let expected = "`b[1]` is cut off and not determined, for example when `rung[1]` and `right[1]` are false";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    // The rails between two neighbouring rungs, 39 times, and the two branches of each corner.
    assert!(outcome.stderr.contains("43 with 2"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("N0603"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("some of them singular"), "{}", outcome.stdout);
}

/// A ladder whose breakers open one after the other, twenty of them; fed at the third rung.
const OPENING: &str = "model Ladder
  parameter Integer N = 40;
  Real a[N], b[N], r[N], u[N - 1], v[N - 1];
  Boolean rung[N], left[N - 1], right[N - 1];
  Real q(start = 1, fixed = true);
equation
  a[1] = 0;
  for k in 1:N loop
    rung[k] = time < (if mod(k, 3) == 2 and k < 30 then 0.02*k else 1e9);
    if rung[k] then r[k] = a[k] - b[k]; else r[k] = 0; end if;
  end for;
  for k in 1:N - 1 loop
    left[k] = time < (if k == N - 1 or k == N - 3 or k >= 4 and k <= 6 then 0.5 + 0.001*k/N else 1e9);
    right[k] = time < (if k == N - 1 or k == N - 3 then 0.7 + 0.001*k/N
                       elseif k == 4 or k == 7 or k == 8 then 0.8 + 0.001*k/N else 1e9);
    if left[k] then u[k] = a[k] - a[k + 1]; else u[k] = 0; end if;
    if right[k] then v[k] = b[k] - b[k + 1]; else v[k] = 0; end if;
  end for;
  for k in 2:N loop
    u[k - 1] - r[k] - (if k < N then u[k] else 0) = 0;
  end for;
  for k in 1:N loop
    (if k > 1 then v[k - 1] else 0) + r[k] - (if k < N then v[k] else 0) + (if k == FED then 1 else 0) = 0;
  end for;
  der(q) = b[3] - q;
end Ladder;";

/// One row of a result by names.
struct Row<'a> {
    names: &'a std::collections::HashMap<String, usize>,
    cells: Vec<&'a str>,
}

impl Row<'_> {
    /// The value of an element; nothing where its cell is empty.
    fn value(&self, name: &str, index: usize) -> Option<f64> {
        self.cells[self.names[&format!("{name}[{index}]")]].parse().ok()
    }

    fn flow(&self, name: &str, index: usize) -> f64 {
        self.value(name, index).unwrap_or_else(|| panic!("{name}[{index}] has a value"))
    }

    fn is_closed(&self, name: &str, index: usize) -> bool {
        self.flow(name, index) != 0.0
    }

    /// The branches between nodes that are closed: `a[k]` is node 2k, `b[k]` node 2k + 1.
    fn closed(&self, size: usize) -> Vec<(usize, usize)> {
        let rungs = (1..=size).map(|k| ("rung", k, 2 * k, 2 * k + 1));
        let rails = (1..size).flat_map(|k| [("left", k, 2 * k, 2 * k + 2), ("right", k, 2 * k + 1, 2 * k + 3)]);
        let closed = rungs.chain(rails).filter(|&(name, k, ..)| self.is_closed(name, k));
        closed.map(|(_, _, one, other)| (one, other)).collect()
    }
}

/// The nodes that hang together with node 2, which is grounded.
fn grounded(closed: &[(usize, usize)], size: usize) -> Vec<bool> {
    let mut reached = vec![false; 2 * size + 2];
    reached[2] = true;
    loop {
        let before = reached.iter().filter(|it| **it).count();
        for &(one, other) in closed {
            let both = reached[one] || reached[other];
            (reached[one], reached[other]) = (both, both);
        }
        if before == reached.iter().filter(|it| **it).count() {
            return reached;
        }
    }
}

/// Checks a row against the network itself: laws, balances, and which potentials there are. How many have none.
fn check_row(row: &Row<'_>, size: usize, fed: usize) -> usize {
    let grounded = grounded(&row.closed(size), size);
    let mut without_value = 0;
    for k in 1..=size {
        for (name, node) in [("a", 2 * k), ("b", 2 * k + 1)] {
            assert_eq!(row.value(name, k).is_some(), grounded[node], "{name}[{k}]");
            without_value += usize::from(!grounded[node]);
        }
        let current = |name: &str, at: usize| if at == 0 || at == size { 0.0 } else { row.flow(name, at) };
        let law = |current: f64, switch: &str, ends: [Option<f64>; 2]| match (row.is_closed(switch, k), ends) {
            (true, [Some(one), Some(other)]) => assert!((current - (one - other)).abs() < 1e-12, "{switch}[{k}]"),
            (true, _) => {}
            (false, _) => assert!(current.abs() < 1e-12, "{switch}[{k}]"),
        };
        law(row.flow("r", k), "rung", [row.value("a", k), row.value("b", k)]);
        if k < size {
            law(row.flow("u", k), "left", [row.value("a", k), row.value("a", k + 1)]);
            law(row.flow("v", k), "right", [row.value("b", k), row.value("b", k + 1)]);
        }
        let of_a = current("u", k - 1) - row.flow("r", k) - current("u", k);
        let of_b = current("v", k - 1) + row.flow("r", k) - current("v", k) + f64::from(u8::from(k == fed));
        assert!((k == 1 || of_a.abs() < 1e-12) && of_b.abs() < 1e-12, "{k}: {of_a} {of_b}");
    }
    without_value
}

fn simulate_ladder(size: usize, fed: usize) -> (Outcome, std::path::PathBuf, std::path::PathBuf) {
    let (rows, events) = (temporary(&format!("ladder{fed}.csv")), temporary(&format!("ladder{fed}.json")));
    let text = OPENING.replace("FED", &fed.to_string());
    let set = format!("N={size}");
    let paths = [rows.to_string_lossy().into_owned(), events.to_string_lossy().into_owned()];
    let arguments =
        ["simulate", "-", "--set", &set, "--stop", "1", "--interval", "0.1", "-o", &paths[0], "--events", &paths[1]];
    (modeshift_reading(text.as_bytes(), &arguments), rows, events)
}

/// Runs a ladder and checks all its rows; the outcome, and how many potentials have no value in the last row.
fn check_ladder(size: usize, fed: usize) -> (Outcome, usize) {
    let (outcome, rows, _) = simulate_ladder(size, fed);
    let text = std::fs::read_to_string(rows).expect("results were written");
    let mut lines = text.lines();
    let titles = csv_cells(lines.next().expect("titles"));
    let names = titles.iter().enumerate().map(|(at, name)| (name.trim_matches('"').to_string(), at)).collect();
    let mut last = 0;
    for line in lines {
        last = check_row(&Row { names: &names, cells: csv_cells(line) }, size, fed);
    }
    (outcome, last)
}

fn csv_cells(line: &str) -> Vec<&str> {
    line.split(',').collect()
}

#[test]
fn a_long_ladder_runs_through_twenty_openings_and_names_what_is_cut_off() {
    let (outcome, without_value) = check_ladder(100, 3);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("N0603"), "it is swept over: {}", outcome.stderr);
    assert!(outcome.stderr.contains("20 events"), "{}", outcome.stderr);
    assert!(without_value > 180, "the far end is cut off: {without_value}");
    let (.., events) = simulate_ladder(100, 3);
    let events = std::fs::read_to_string(events).expect("events were written");
    assert!(events.contains(r#""undetermined":[{"variable":"a[5]""#), "{}", &events[..2_000.min(events.len())]);
}

#[test]
fn a_run_stops_where_an_island_with_a_source_has_no_solution() {
    let (outcome, _) = check_ladder(100, 60);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("E0823") && outcome.stderr.contains("contradict"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("time = 0.8000"), "when the last rail is cut: {}", outcome.stderr);
}

/// `cargo test --release -p modeshift-cli --test suite -- --ignored ten_thousand`
#[test]
#[ignore = "10 s without optimisation"]
fn a_ladder_of_ten_thousand_switches_runs_through_twenty_openings() {
    let (outcome, without_value) = check_ladder(3_334, 3);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(without_value > 6_000, "{without_value}");
}

#[test]
fn what_is_asked_of_a_mode_is_answered_where_all_modes_are_too_many() {
    let at = |values: &str| modeshift(&["analyze", "models/BreakerLadder.mel", "--set", "N=100", "--at", values]);
    let regular = at("rung[1]=false");
    assert_eq!(regular.status, 0, "{}", regular.stderr);
    assert!(regular.stderr.contains("N0603"), "{}", regular.stderr);
    assert!(regular.stdout.contains("rung[1]=false, 297 others as usual"), "{}", regular.stdout);
    // Without its rung, the corner hangs on one branch, whose current follows from its balance alone.
    assert!(regular.stdout.contains("r[1] -- nodeb[1] -> v[1]"), "{}", regular.stdout);
    let singular = at("rung[1]=false,right[1]=false");
    assert!(singular.stderr.contains("`b[1]` is not determined"), "{}", singular.stderr);
}
