//! Modeshift beside rumoca 0.10.2 from PyPI, an ordinary Modelica tool written in Rust with a Python interface.
//!
//! `cargo bench --bench rumoca` installs it into the target directory. Both read the same text and make 501 rows with the
//! same tolerance. The first two columns are the time from the text to the results: here that of all phases (`--timings`),
//! the result file included, there that of loading and simulating in a Python that has run the model before. The next two
//! are those of whole programs, from start to end, with what Python needs to start and to import. Times are the least of
//! several runs, which alternate. Errors are those of the variables named, at the end, against a run with a tolerance of
//! 1e-11.

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
        "{:>14} {:>12} {:>10} {:>6} {:>12} {:>10} {:>6} {:>9} {:>9}",
        "model", "modeshift ms", "rumoca ms", "ratio", "program ms", "rumoca ms", "ratio", "error", "rumoca's"
    );
    CASES.iter().for_each(|case| case.measure(python));
}

/// What came of a run.
struct Ran {
    /// From the text to the results.
    seconds: f64,
    /// Of the whole program.
    program: f64,
    /// The values at the end.
    last: Vec<f64>,
}

/// The least times of several runs, and the values of the last.
fn best(runs: Vec<Ran>) -> Ran {
    let least = |time: fn(&Ran) -> f64| runs.iter().map(time).fold(f64::INFINITY, f64::min);
    let (seconds, program) = (least(|ran| ran.seconds), least(|ran| ran.program));
    Ran { seconds, program, last: runs.into_iter().next_back().map_or_else(Vec::new, |ran| ran.last) }
}

impl Case {
    fn measure(&self, python: &Path) {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            here.push(self.modeshift(TOLERANCE));
            // The first run of a process is slower than later ones, which count.
            let Ran { seconds, .. } = self.rumoca(python, 3);
            there.push(Ran { seconds, ..self.rumoca(python, 1) });
        }
        let (here, there, exact) = (best(here), best(there), self.modeshift("1e-11").last);
        println!(
            "{:>14} {:>12.2} {:>10.2} {:>6.1} {:>12.2} {:>10.2} {:>6.1} {:>9.1e} {:>9.1e}",
            self.model,
            1e3 * here.seconds,
            1e3 * there.seconds,
            there.seconds / here.seconds,
            1e3 * here.program,
            1e3 * there.program,
            there.program / here.program,
            error(&here.last, &exact),
            error(&there.last, &exact),
        );
    }

    fn file(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../benches/rumoca/{}.mo", self.model))
    }

    fn modeshift(&self, tolerance: &str) -> Ran {
        let result = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.csv", self.model));
        let (stop, interval) = (self.stop.to_string(), (self.stop / 500.0).to_string());
        let mut command = Command::new(env!("CARGO_BIN_EXE_modeshift"));
        command.arg("simulate").arg(self.file()).arg("-o").arg(&result);
        command.args(["--stop", &stop, "--interval", &interval, "--tolerance", tolerance, "--timings"]);
        let begin = Instant::now();
        let output = command.output().expect("the program was built");
        let program = begin.elapsed().as_secs_f64();
        let said = String::from_utf8(output.stderr).expect("messages are UTF-8");
        assert!(output.status.success(), "{said}");
        let total = said.lines().find_map(|line| line.strip_suffix("ms  total")).expect("the sum of all phases");
        let seconds = 1e-3 * total.trim().parse::<f64>().expect("a number");
        let table = std::fs::read_to_string(result).expect("a result");
        let header: Vec<&str> = table.lines().next().expect("a header").split(',').collect();
        let last: Vec<&str> = table.lines().last().expect("rows").split(',').collect();
        let value = |name: &&str| {
            let column = header.iter().position(|it| it == name).expect("a column");
            last[column].parse().expect("a number")
        };
        Ran { seconds, program, last: self.names.iter().map(value).collect() }
    }

    /// One process with so many runs, of which the fastest counts.
    fn rumoca(&self, python: &Path, count: usize) -> Ran {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/rumoca/run.py");
        let mut command = Command::new(python);
        command.arg(script).arg(self.file()).args([&self.stop.to_string(), TOLERANCE, &count.to_string()]);
        command.arg(self.names.join(";"));
        let begin = Instant::now();
        let output = command.output().expect("Python runs");
        let program = begin.elapsed().as_secs_f64();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let numbers = |value: &Value| -> Vec<f64> {
            value.as_array().expect("a list").iter().map(|it| it.as_f64().expect("a number")).collect()
        };
        let seconds = numbers(&said["seconds"]).into_iter().fold(f64::INFINITY, f64::min);
        Ran { seconds, program, last: numbers(&said["last"]) }
    }
}

fn error(found: &[f64], exact: &[f64]) -> f64 {
    found.iter().zip(exact).map(|(found, exact)| (found - exact).abs()).fold(0.0, f64::max)
}
