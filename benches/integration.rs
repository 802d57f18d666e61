//! Integration side by side with C written by hand for SUNDIALS CVODE, of the same systems at the same tolerances.
//!
//! `cargo bench --bench integration`. The C program (`integration/cvode.c`) is compiled here, with `cc` and the libraries
//! in `SUNDIALS_ROOT` or where the system has them; where that does not succeed, only our own times are shown. Times are
//! processor times of a whole integration, creation of the solver included, the mean of many (the kernel counts in
//! milliseconds). Errors are the largest at the end, relative to `max(|reference|, 1)`, against an integration at a much smaller tolerance.

#[path = "clock.rs"]
mod clock;
#[path = "integration/systems.rs"]
mod systems;

use std::path::{Path, PathBuf};
use std::process::Command;

use clock::Clock;
use modeshift_simulate::integrate::{Method, Ode, Problem, Settings, Statistics};
use systems::{Amplifier, Brusselator, VanDerPol};

struct Result {
    seconds: f64,
    steps: usize,
    evaluations: usize,
    jacobians: usize,
    end: Vec<f64>,
}

fn main() {
    let cvode = compile_cvode();
    if cvode.is_none() {
        println!("CVODE is not there (SUNDIALS_ROOT names its place): our own times only");
    }
    println!(
        "{:>12} {:>7} {:>14} {:>10} {:>8} {:>8} {:>8} {:>9} {:>8}",
        "system", "tol", "solver", "ms", "steps", "f", "Jacobian", "error", "of CVODE"
    );
    compare("van_der_pol", &["dense"], cvode.as_deref(), || VanDerPol, &[2.0, 0.0], 2000.0);
    compare("amplifier", &["dense"], cvode.as_deref(), Amplifier::new, &[-3.0, 3.0, 3.0, 3.0, 6.0], 0.2);
    compare("brusselator", &["band", "klu"], cvode.as_deref(), Brusselator::new, &Brusselator::start(), 10.0);
    starts();
}

fn compare<System: Ode>(
    name: &str,
    solvers: &[&str],
    cvode: Option<&Path>,
    system: impl Fn() -> System,
    start: &[f64],
    stop: f64,
) {
    let repetitions = if start.len() > 100 { 10 } else { 300 };
    let reference = ours(&system, start, stop, Method::Bdf, 1e-12, 1).end;
    for tolerance in [1e-6, 1e-8] {
        let mut least = f64::INFINITY;
        for solver in solvers {
            let Some(result) = cvode.and_then(|program| theirs(program, name, solver, tolerance, repetitions)) else {
                continue;
            };
            least = least.min(result.seconds);
            report(name, tolerance, &format!("CVODE {solver}"), &result, &reference, None);
        }
        for method in [Method::Bdf, Method::Esdirk] {
            let repetitions = if method == Method::Bdf { repetitions } else { repetitions / 10 };
            let result = ours(&system, start, stop, method, tolerance, repetitions);
            let ratio = least.is_finite().then(|| result.seconds / least);
            report(name, tolerance, &format!("{method:?}"), &result, &reference, ratio);
        }
    }
}

fn report(name: &str, tolerance: f64, solver: &str, result: &Result, reference: &[f64], ratio: Option<f64>) {
    let Result { seconds, steps, evaluations, jacobians, end } = result;
    let errors =
        end.iter().zip(reference).map(|(value, reference)| (value - reference).abs() / reference.abs().max(1.0));
    let error = errors.fold(0.0, f64::max);
    let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
    println!(
        "{name:>12} {tolerance:>7.0e} {solver:>14} {:>10.3} {steps:>8} {evaluations:>8} {jacobians:>8} {error:>9.1e} {ratio:>8}",
        seconds * 1e3
    );
}

fn ours<System: Ode>(
    system: &impl Fn() -> System,
    start: &[f64],
    stop: f64,
    method: Method,
    tolerance: f64,
    repetitions: usize,
) -> Result {
    let settings = Settings::new(tolerance, start.len()).with_method(method);
    let clock = Clock::start();
    let mut result = None;
    for _ in 0..repetitions {
        let problem = Problem::new(system(), &settings);
        let mut integrator = problem.start(0.0, start, None).expect("a start");
        while integrator.time() < stop {
            integrator.step(stop).unwrap_or_else(|failure| panic!("{failure}"));
        }
        result = Some((integrator.statistics(), integrator.state().to_vec()));
    }
    let seconds = clock.seconds() / repetitions as f64;
    let (Statistics { steps, derivatives, jacobians, .. }, end) = result.expect("at least one repetition");
    Result { seconds, steps, evaluations: derivatives, jacobians, end }
}

fn theirs(program: &Path, name: &str, solver: &str, tolerance: f64, repetitions: usize) -> Option<Result> {
    let output = Command::new(program)
        .args([name, solver, &format!("{tolerance:e}"), &repetitions.to_string()])
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut lines = text.lines();
    let numbers: Vec<f64> = lines.next()?.split_whitespace().map_while(|number| number.parse().ok()).collect();
    let &[seconds, steps, evaluations, jacobians] = numbers.as_slice() else { return None };
    let end = lines.map_while(|line| line.parse().ok()).collect();
    Some(Result {
        seconds,
        steps: steps as usize,
        evaluations: evaluations as usize,
        jacobians: jacobians as usize,
        end,
    })
}

/// The C program, compiled into a temporary directory.
fn compile_cvode() -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/integration/cvode.c");
    let program = std::env::temp_dir().join(format!("modeshift-cvode-{}", std::process::id()));
    let mut command = Command::new("cc");
    command.arg("-O2").arg("-o").arg(&program).arg(source);
    let root = std::env::var("SUNDIALS_ROOT").unwrap_or_else(|_| "/usr".into());
    for include in ["include", "include/suitesparse"] {
        command.arg(format!("-I{root}/{include}"));
    }
    for library in ["lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"] {
        command.arg(format!("-L{root}/{library}"));
    }
    let libraries = [
        "sundials_cvode",
        "sundials_nvecserial",
        "sundials_sunlinsoldense",
        "sundials_sunlinsolband",
        "sundials_sunlinsolklu",
        "sundials_sunmatrixdense",
        "sundials_sunmatrixband",
        "sundials_sunmatrixsparse",
        "sundials_generic",
        "klu",
        "amd",
        "colamd",
        "btf",
        "suitesparseconfig",
    ];
    command.args(libraries.map(|library| format!("-l:lib{library}.a"))).arg("-lm");
    let compiled = command.output().is_ok_and(|output| output.status.success());
    compiled.then_some(program)
}

/// What it costs to begin an integration, as after every event.
fn starts() {
    let measure = |name: &str, seconds: f64, count: usize| {
        println!("{name:>12}: {:.2} µs for a start and a first step", seconds / count as f64 * 1e6)
    };
    measure("van_der_pol", start_again(VanDerPol, &[2.0, 0.0], 100_000), 100_000);
    measure("amplifier", start_again(Amplifier::new(), &[-3.0, 3.0, 3.0, 3.0, 6.0], 100_000), 100_000);
    measure("brusselator", start_again(Brusselator::new(), &Brusselator::start(), 100), 100);
}

fn start_again<System: Ode>(system: System, start: &[f64], count: usize) -> f64 {
    let problem = Problem::new(system, &Settings::new(1e-6, start.len()));
    let clock = Clock::start();
    for _ in 0..count {
        let mut integrator = problem.start(0.0, start, None).expect("a start");
        integrator.step(1.0).expect("a step");
    }
    clock.seconds()
}
