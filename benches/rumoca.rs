//! Modeshift beside rumoca 0.10.2 from PyPI, an ordinary Modelica tool written in Rust with a Python interface.
//!
//! `cargo bench --bench rumoca` installs it into the target directory. Both read the same text and write 501 rows with the
//! same tolerance. `modeshift` is the whole program, from its start to the result file on disk. `rumoca` is loading and
//! simulating, without the start of Python, its imports and a result file; `as a program` with the start of Python and
//! imports. Times are the least of several runs, which alternate. Errors are those of the variables named, at the end,
//! against a run with a tolerance of 1e-11.

#[path = "../crates/cli/tests/support/rumoca_python.rs"]
mod rumoca_python;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

const TOLERANCE: &str = "1e-6";
/// Runs of each program.
const ROUNDS: usize = 7;

struct Case {
    model: &'static str,
    stop: f64,
    /// Variables that are compared.
    names: &'static [&'static str],
}

const CASES: [Case; 3] = [
    Case { model: "BouncingBall", stop: 3.5, names: &["h", "v"] },
    Case { model: "Ladder", stop: 10.0, names: &["i[1]", "v[100]"] },
    Case { model: "Pendulum", stop: 10.0, names: &["x", "y"] },
];

fn main() {
    let Some(python) = rumoca_python::python() else {
        println!("rumoca 0.10.2 cannot be installed here");
        return;
    };
    println!(
        "{:>14} {:>12} {:>12} {:>7} {:>12} {:>7} {:>9} {:>9}",
        "model", "modeshift ms", "rumoca ms", "ratio", "as a program", "ratio", "error", "rumoca's"
    );
    CASES.iter().for_each(|case| case.measure(python));
}

/// The least time so far, and the last values.
struct Best {
    seconds: f64,
    last: Vec<f64>,
}

impl Best {
    fn add(&mut self, seconds: f64, last: Vec<f64>) {
        *self = Best { seconds: self.seconds.min(seconds), last };
    }
}

impl Case {
    fn measure(&self, python: &Path) {
        let none = || Best { seconds: f64::INFINITY, last: Vec::new() };
        let (mut modeshift, mut rumoca, mut program) = (none(), none(), f64::INFINITY);
        for _ in 0..ROUNDS {
            let (seconds, last) = self.modeshift(TOLERANCE);
            modeshift.add(seconds, last);
            // The first run of a process is slower than later ones, which count.
            let (_, seconds, last) = self.rumoca(python, 3);
            rumoca.add(seconds, last);
            program = program.min(self.rumoca(python, 1).0);
        }
        let (_, exact) = self.modeshift("1e-11");
        println!(
            "{:>14} {:>12.2} {:>12.2} {:>7.1} {:>12.2} {:>7.1} {:>9.1e} {:>9.1e}",
            self.model,
            1e3 * modeshift.seconds,
            1e3 * rumoca.seconds,
            rumoca.seconds / modeshift.seconds,
            1e3 * program,
            program / modeshift.seconds,
            error(&modeshift.last, &exact),
            error(&rumoca.last, &exact),
        );
    }

    fn file(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../benches/rumoca/{}.mo", self.model))
    }

    /// Seconds of the whole program, and the last row.
    fn modeshift(&self, tolerance: &str) -> (f64, Vec<f64>) {
        let result = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.csv", self.model));
        let (stop, interval) = (self.stop.to_string(), (self.stop / 500.0).to_string());
        let mut command = Command::new(env!("CARGO_BIN_EXE_modeshift"));
        command.arg("simulate").arg(self.file()).arg("-o").arg(&result);
        command.args(["--stop", &stop, "--interval", &interval, "--tolerance", tolerance]);
        let begin = Instant::now();
        let output = command.output().expect("the program was built");
        let seconds = begin.elapsed().as_secs_f64();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let table = std::fs::read_to_string(result).expect("a result");
        let header: Vec<&str> = table.lines().next().expect("a header").split(',').collect();
        let last: Vec<&str> = table.lines().last().expect("rows").split(',').collect();
        let value = |name: &&str| {
            let column = header.iter().position(|it| it == name).expect("a column");
            last[column].parse().expect("a number")
        };
        (seconds, self.names.iter().map(value).collect())
    }

    /// Seconds of the whole process, of the fastest of so many runs in it, and the last values.
    fn rumoca(&self, python: &Path, count: usize) -> (f64, f64, Vec<f64>) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/rumoca/run.py");
        let mut command = Command::new(python);
        command.arg(script).arg(self.file()).args([&self.stop.to_string(), TOLERANCE, &count.to_string()]);
        command.arg(self.names.join(";"));
        let begin = Instant::now();
        let output = command.output().expect("Python runs");
        let seconds = begin.elapsed().as_secs_f64();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let numbers = |value: &Value| -> Vec<f64> {
            value.as_array().expect("a list").iter().map(|it| it.as_f64().expect("a number")).collect()
        };
        (seconds, numbers(&said["seconds"]).into_iter().fold(f64::INFINITY, f64::min), numbers(&said["last"]))
    }
}

fn error(found: &[f64], exact: &[f64]) -> f64 {
    found.iter().zip(exact).map(|(found, exact)| (found - exact).abs()).fold(0.0, f64::max)
}
