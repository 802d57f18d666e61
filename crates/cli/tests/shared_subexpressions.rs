//! Models that share subexpressions: work grows with what is written, not with what it would be written out.
//!
//! A thousand lines `y := y*y + y` would be 2^1000 products. These tests end only if every stage looks at each different
//! subexpression once.

use crate::support::runs::Run;
use crate::support::{modeshift, temporary};

const LINES: usize = 1_000;

/// A model with a mode in which `y` becomes `y*y + y` again and again; its file.
fn shared(name: &str, first: &str) -> String {
    let lines = "  y := y*y + y;\n".repeat(LINES);
    let text = format!(
        "model M\n  Real x(start = 0.001, fixed = true);\n  Real y;\n  Boolean b;\nequation\n  b = x > 0.5;\n  \
         der(x) = if b then 1 else 2;\nalgorithm\n  y := {first};\n{lines}  annotation(experiment(StopTime = 1));\nend M;\n"
    );
    let file = temporary(&format!("{name}.mo"));
    std::fs::write(&file, text).expect("can be written");
    file.to_str().expect("UTF-8").to_string()
}

fn repeated(mut y: f64) -> f64 {
    for _ in 0..LINES {
        y = y * y + y;
    }
    y
}

#[test]
fn a_thousand_shared_lines_are_checked_and_analyzed() {
    let file = shared("shared_lines", "if b then 1e-9*x else 2e-9*x");
    for command in ["flatten", "check", "analyze", "init", "changes"] {
        let outcome = modeshift(&[command, &file]);
        assert_eq!(outcome.status, 0, "{command}: {}", outcome.stderr);
    }
}

#[test]
fn a_thousand_shared_lines_are_simulated() {
    let file = shared("shared_lines_run", "if b then 1e-9*x else 2e-9*x");
    let run = Run::of(&file, "shared_lines_run", &[]);
    let (x, y) = (run.column("x"), run.column("y"));
    for row in [&run.rows[0], &run.rows[run.rows.len() - 1]] {
        let first = if row[x] > 0.5 { 1e-9 * row[x] } else { 2e-9 * row[x] };
        assert!((row[y] - repeated(first)).abs() <= 1e-12 * repeated(first), "y = {} at {}", row[y], row[0]);
    }
}

#[test]
fn derivatives_may_be_shared_too() {
    let file = shared("shared_derivatives", "1e-9*der(x)");
    for command in ["check", "init", "changes"] {
        let outcome = modeshift(&[command, &file]);
        assert_eq!(outcome.status, 0, "{command}: {}", outcome.stderr);
    }
    let run = Run::of(&file, "shared_derivatives", &[]);
    let last = &run.rows[run.rows.len() - 1];
    assert!((last[run.column("y")] - repeated(1e-9)).abs() <= 1e-12 * repeated(1e-9));
}

/// Whole numbers, truths and guards that are shared: no stage may write them out, and no message may be the size of that.
#[test]
fn shared_discrete_values_and_guards_are_looked_at_once() {
    for (name, declarations, first, line, last) in [
        ("integers", "Integer n;", "n := if x > 0.5 then 1 else 2;", "n := n + n - n;", "y = n;"),
        ("guards", "", "y := x/1e9;", "y := if y > 1e-3 then y*y + y else 2*y - y;", ""),
        (
            "truths",
            "Boolean c;",
            "c := x > 0.2;",
            "c := (c and x < 0.7) or (c and not x < 0.7);",
            "y = if c then 1 else 2;",
        ),
        ("steps", "Integer n;", "n := integer(3*x);", "n := div(n + n, 2) + mod(n, 1);", "y = n;"),
    ] {
        let lines = format!("  {line}\n").repeat(100);
        let text = format!(
            "model M\n  Real x(start = 0, fixed = true);\n  Real y;\n  {declarations}\nalgorithm\n  {first}\n{lines}equation\n  \
             der(x) = 1;\n  {last}\nend M;\n"
        );
        let file = temporary(&format!("shared_{name}.mo"));
        std::fs::write(&file, text).expect("can be written");
        let file = file.to_str().expect("UTF-8");
        for command in ["flatten", "check", "analyze", "init", "changes"] {
            let outcome = modeshift(&[command, file]);
            assert_eq!(outcome.status, 0, "{name}, {command}: {}", outcome.stderr);
            let most = if command == "flatten" { 20_000_000 } else { 5_000_000 };
            assert!(outcome.stdout.len() + outcome.stderr.len() < most, "{name}, {command}: {}", outcome.stdout.len());
        }
        Run::of(file, &format!("shared_{name}"), &[]);
    }
}
