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
    let expected = "`p[1]` is cut off, e.g. when `open[1]` and `open[2]` are false";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("1770 with 2, 34220 with 3, 487635 with 4"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("N0603"), "sets of modes are small enough for everything else");
    assert!(outcome.stdout.lines().all(|line| line.len() <= 120), "{}", outcome.stdout);
}

#[test]
fn a_ladder_that_sets_of_modes_cannot_describe_is_swept() {
    let outcome = check("BreakerLadder", &["N=40"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let expected = "`b[1]` is cut off, e.g. when `rung[1]` and `right[1]` are false";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    // The rails between two neighbouring rungs, 39 times, and the two branches of each corner.
    assert!(outcome.stderr.contains("43 with 2"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("N0603"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("some of them singular"), "{}", outcome.stdout);
}

/// However many rooms there are, and however many blocks: of all doors closed there is one warning, and what is not looked at is said.
#[test]
fn closed_doors_of_a_corridor_are_one_warning_for_any_number_of_rooms() {
    for rooms in [1, 3, 6, 7, 8, 20] {
        let outcome = check("BuildingIncompressible", &[&format!("N={rooms}")]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        let title = "warning[W0601]: `plug_Pc`, `cmf[1]` depend on each other: nothing says what `Pc[0]`, `Pc[1]` are";
        assert_eq!(outcome.stderr.lines().next(), Some(title), "{rooms}: {}", outcome.stderr);
        assert_eq!(outcome.stderr.matches("W0601").count(), 1, "{rooms}: {}", outcome.stderr);
        assert_eq!(outcome.stderr.contains("N0602"), rooms > 3, "{rooms}: {}", outcome.stderr);
    }
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
    assert!(singular.stderr.contains("W0605]: singular\n"), "{}", singular.stderr);
    assert!(singular.stderr.contains("no mode that is possible here is regular"), "{}", singular.stderr);
    let several = at("left[50]=false,right[50]=false,left[80]=false,right[80]=false").stderr;
    assert!(several.contains("W0605]: `a[51]` and 99 more are cut off\n"), "{several}");
    assert_eq!(several.matches("add up to an equation without unknowns").count(), 2, "{several}");
}

/// Titles fit into a line of a terminal, whatever the network.
#[test]
fn the_first_line_fits_a_terminal() {
    let networks: [(&str, &[&str]); 3] =
        [("ValvePipe", &["N=1000"]), ("BreakerLadder", &["N=300"]), ("BreakerGrid", &["W=4", "H=200"])];
    for (model, sizes) in networks {
        let outcome = check(model, sizes);
        let first = outcome.stderr.lines().next().expect("a warning");
        assert!(first.len() <= 100 && first.contains("W0605"), "{first}");
    }
}

#[test]
fn a_change_of_a_long_network_is_told_where_it_is_named() {
    let changes = |arguments: &[&str]| {
        modeshift(&[&["changes", "models/BreakerLadder.mel", "--set", "N=100"], arguments].concat())
    };
    let all = changes(&[]);
    assert_eq!(all.status, 1, "{}", all.stderr);
    assert!(all.stderr.contains("E0603") && all.stderr.contains("`--to 'rung[1]=false'`"), "{}", all.stderr);
    let one = changes(&["--to", "rung[1]=false"]);
    assert_eq!(one.status, 0, "{}", one.stderr);
    assert!(one.stderr.contains("only what `--from` and `--to` name changes"), "{}", one.stderr);
}

#[test]
fn what_would_be_written_for_all_modes_of_a_long_network_is_refused_with_the_reason() {
    let rimis = modeshift(&["rimis", "models/BreakerLadder.mel", "--set", "N=100"]);
    assert_eq!(rimis.status, 1);
    assert!(rimis.stderr.contains("E0916") && rimis.stderr.contains("`b[1]` is cut off"), "{}", rimis.stderr);
    let semantics = modeshift(&["semantics", "models/BreakerLadder.mel", "--set", "N=100"]);
    assert!(semantics.stderr.contains("E0840"), "{}", semantics.stderr);
}

/// A section between two breakers.
const SECTION: &str = "model Section
  Real a, b, c, d, i, j, k;
  Boolean left, right;
equation
  left = time < 1;
  right = time < 2;
  a = 1;
  d = 0.5*k;
  i = if left then 2*(a - b) else 0;
  j = 3*(b - c);
  k = if right then 2*(c - d) else 0;
  i - j = 0;
  j - k = 0;
end Section;
";

#[test]
fn a_section_that_breakers_cut_off_is_given_a_reference_that_holds_then() {
    let file = temporary("Section.mo");
    std::fs::write(&file, SECTION).expect("a file");
    let path = file.to_string_lossy();
    let before = modeshift(&["check", &path]);
    assert!(before.stderr.contains("W0603"), "{}", before.stderr);
    assert_eq!(modeshift(&["check", &path, "--fix", "--write"]).status, 0);
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.contains("if not (left or right) then b = 0; else"), "{text}");
    let after = modeshift(&["check", &path]);
    assert!(after.status == 0 && after.stderr.is_empty(), "{}", after.stderr);
}

/// A line of library elements with two switches at each node.
const LIBRARY: &str = "model Line
  parameter Integer N = 60;
  parameter Real opens[N] = {k for k in 1:N};
  Modeshift.Electrical.Switch s[N], q[N];
  Modeshift.Electrical.Resistor r[N](each R = 1), t[N](each R = 1);
  Modeshift.Electrical.ConstantVoltage v(V = 1);
  Modeshift.Electrical.Ground g;
equation
  connect(v.n, g.p);
  connect(v.p, s[1].p);
  for k in 1:N loop
    s[k].closes = time < opens[k];
    q[k].closes = time < 2*opens[k];
    connect(s[k].n, r[k].p);
    connect(r[k].n, q[k].p);
    connect(q[k].n, t[k].p);
    connect(t[k].n, g.p);
    if k < N then
      connect(r[k].n, s[k + 1].p);
    end if;
  end for;
end Line;";

#[test]
fn switches_of_the_library_are_named_once_with_what_has_no_value() {
    let outcome = modeshift_reading(LIBRARY.as_bytes(), &["check", "-"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let title = "singular, for example, when `activeState(s[60].open)` and `activeState(q[60].open)` are true";
    assert!(outcome.stderr.contains(title), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("too few equations for `s[60].n.v`"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("usual is `activeState(s[..].open)` = false"), "{}", outcome.stderr);
}
