//! Integration of models side by side with C written by hand for SUNDIALS CVODE, of the same systems at the same
//! tolerances.
//!
//! `cargo bench --bench integration`. Models are texts that go the way of every model: flattened, analyzed, with start
//! values and a program of their mode, which becomes machine code; what that takes is shown apart. The C program
//! (`integration/cvode.c`), in which the analysis was done by hand, is compiled here, with `cc` and the libraries in
//! `SUNDIALS_ROOT` or where the system has them; where that does not succeed, only our own times are shown. Times are
//! processor times of a whole integration, creation of the solver included, the mean of many (the kernel counts in
//! milliseconds), and of such means the least of several, since other work on a machine only makes them larger. Errors are
//! the largest at the end, relative to `max(|reference|, 1)`, against an integration at a much smaller tolerance. Because
//! errors at the same tolerance differ, there are two comparisons: with CVODE at the same tolerance, and with CVODE at the
//! tolerance, among powers of ten, that makes its error at most as large as ours.
//!
//! `cargo bench --bench integration -- esdirk planet`: only methods and systems of these names, and nothing of CVODE.
//! `-- one planet esdirk 1e-6` integrates once and shows nothing, `-- one planet` does all that comes before.

#[path = "clock.rs"]
mod clock;
#[path = "integration/models.rs"]
mod models;
#[path = "../crates/simulate/tests/support/programs.rs"]
mod programs;

use std::path::{Path, PathBuf};
use std::process::Command;

use clock::measured;
use models::Timed;
use modeshift_simulate::integrate::{Method, Problem, Settings, Statistics};
use modeshift_simulate::program::ProgramOde;
use programs::{Model, Running};

/// How often each is measured, in turn: a machine that is slow for a while is slow for all.
const ROUNDS: usize = 7;

struct Result {
    seconds: f64,
    steps: usize,
    evaluations: usize,
    jacobians: usize,
    end: Vec<f64>,
}

pub(crate) fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if let ["one", system, case @ ..] = wanted.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        return once(system, case);
    }
    let cvode = if wanted.is_empty() { compile_cvode() } else { None };
    if cvode.is_none() && wanted.is_empty() {
        println!("CVODE is not there (SUNDIALS_ROOT names its place): our own times only");
    }
    for timed in systems() {
        if is_wanted(&wanted, &SYSTEMS, timed.name) {
            compare(&timed, cvode.as_deref(), &wanted);
        }
    }
}

fn systems() -> [Timed; 4] {
    [models::van_der_pol(), models::amplifier(), models::brusselator(), models::planet()]
}

/// What comes before the integration of a system, or one integration, is measured and the other is not.
fn once(system: &str, case: &[&str]) {
    let timed = systems().into_iter().find(|timed| timed.name == system).expect("a known system");
    let [method, tolerance] = case else {
        let prepare = || Running::start(&Model::new(&timed.text, &[])).program.make_machine_code();
        measured(prepare);
        return;
    };
    let method = METHODS.iter().position(|name| name == method).expect("a known method");
    let model = Model::new(&timed.text, &[]);
    let mut run = Running::start(&model);
    run.program.make_machine_code();
    let method = [Method::Bdf, Method::Esdirk, Method::Explicit][method];
    ours(&timed, &mut run, method, tolerance.parse().expect("a tolerance"), 1);
}

/// The names of systems and of methods.
const SYSTEMS: [&str; 4] = ["van_der_pol", "amplifier", "brusselator", "planet"];
const METHODS: [&str; 3] = ["bdf", "esdirk", "explicit"];

/// Whether one of these kinds of names is wanted: by its name, or because none of its kind is.
fn is_wanted(wanted: &[String], kind: &[&str], name: &str) -> bool {
    let named = |name: &str| wanted.iter().any(|it| it == name);
    named(name) || !kind.iter().any(|other| named(other))
}

fn compare(timed: &Timed, cvode: Option<&Path>, wanted: &[String]) {
    let (model, analysis) = measured(|| Model::new(&timed.text, &[]));
    let (mut run, program) = measured(|| Running::start(&model));
    let ((), machine_code) = measured(|| run.program.make_machine_code());
    println!(
        "{}: flattening and analysis {:.1} ms, start and program {:.1} ms, machine code {:.1} ms",
        timed.name,
        analysis * 1e3,
        program * 1e3,
        machine_code * 1e3
    );
    println!(
        "{:>14} {:>7} {:>10} {:>8} {:>8} {:>8} {:>9} {:>12} {:>14}",
        "solver", "tol", "ms", "steps", "f", "Jacobian", "error", "same tol", "same error"
    );
    let reference = ours(timed, &mut run, Method::Bdf, 1e-12, 1).end;
    let mut measured: Vec<(Case, Option<Result>)> = cases(timed, wanted).into_iter().map(|case| (case, None)).collect();
    for _ in 0..ROUNDS {
        for (case, least) in &mut measured {
            let result = match *case {
                Case::Theirs(solver, tolerance) => cvode.and_then(|program| theirs(program, timed, solver, tolerance)),
                Case::Ours(method, tolerance) => {
                    let repetitions = timed.repetitions.div_ceil(if method == Method::Bdf { 1 } else { 10 });
                    Some(ours(timed, &mut run, method, tolerance, repetitions))
                }
            };
            let faster = result.filter(|new| least.as_ref().is_none_or(|least| new.seconds < least.seconds));
            *least = faster.or(least.take());
        }
    }
    let mut known: Vec<(f64, f64, f64)> = Vec::new();
    for (case, result) in measured.iter().filter_map(|(case, result)| Some((case, result.as_ref()?))) {
        match *case {
            Case::Theirs(solver, tolerance) => {
                known.push((tolerance, result.seconds, error(result, &reference)));
                report(tolerance, &format!("CVODE {solver}"), result, &reference, [None; 2]);
            }
            Case::Ours(method, tolerance) => {
                let fastest = |like: &dyn Fn(&(f64, f64, f64)) -> bool| {
                    let seconds = known.iter().filter(|it| like(it)).map(|it| it.1);
                    Some(seconds.fold(f64::INFINITY, f64::min)).filter(|it| it.is_finite())
                };
                let same_tolerance = fastest(&|it| it.0 == tolerance);
                let same_error = fastest(&|it| it.2 <= error(result, &reference));
                let ratios = [same_tolerance, same_error].map(|theirs| theirs.map(|theirs| result.seconds / theirs));
                report(tolerance, &format!("{method:?}"), result, &reference, ratios);
            }
        }
    }
}

/// What is measured: a solver of CVODE, or a method of ours, with a tolerance.
enum Case {
    Theirs(&'static str, f64),
    Ours(Method, f64),
}

fn cases(timed: &Timed, wanted: &[String]) -> Vec<Case> {
    let tolerances = [1e-6, 1e-7, 1e-8, 1e-9, 1e-10];
    let theirs = tolerances.iter().flat_map(|&it| timed.solvers.iter().map(move |solver| Case::Theirs(solver, it)));
    let methods = METHODS.into_iter().zip([Method::Bdf, Method::Esdirk, Method::Explicit]);
    let suitable = methods
        .filter(|&(name, method)| is_wanted(wanted, &METHODS, name) && (method != Method::Explicit || timed.is_smooth));
    let ours = suitable.flat_map(|(_, method)| [1e-6, 1e-8].map(|tolerance| Case::Ours(method, tolerance)));
    theirs.chain(ours).collect()
}

fn error(result: &Result, reference: &[f64]) -> f64 {
    let pairs = result.end.iter().zip(reference);
    pairs.map(|(value, reference)| (value - reference).abs() / reference.abs().max(1.0)).fold(0.0, f64::max)
}

fn report(tolerance: f64, solver: &str, result: &Result, reference: &[f64], ratios: [Option<f64>; 2]) {
    let Result { seconds, steps, evaluations, jacobians, .. } = result;
    let [same_tolerance, same_error] = ratios.map(|ratio| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}")));
    println!(
        "{solver:>14} {tolerance:>7.0e} {:>10.3} {steps:>8} {evaluations:>8} {jacobians:>8} {:>9.1e} {same_tolerance:>12} {same_error:>14}",
        seconds * 1e3,
        error(result, reference),
    );
}

fn ours(timed: &Timed, run: &mut Running<'_>, method: Method, tolerance: f64, repetitions: usize) -> Result {
    // As in runs: nothing is declared, and errors are measured by the same sizes where they are made and where they show.
    let settings =
        Settings::new(tolerance, run.states.len()).with_method(method).with_nominal(vec![0.0; run.states.len()]);
    let integrate = |_| {
        let ode = ProgramOde { program: &mut run.program, surroundings: &run.surroundings };
        let problem = Problem::new(ode, &settings);
        let mut integrator = problem.start(0.0, &run.states, None).expect("a start");
        while integrator.time() < timed.stop {
            integrator.step(timed.stop).unwrap_or_else(|failure| panic!("{failure}"));
        }
        (integrator.statistics(), integrator.state().to_vec())
    };
    let (result, seconds) = measured(|| (0..repetitions).map(integrate).last());
    let (Statistics { steps, derivatives, jacobians, .. }, state) = result.expect("at least one repetition");
    let end = values(timed, run, &state);
    Result { seconds: seconds / repetitions as f64, steps, evaluations: derivatives, jacobians, end }
}

/// What the C program calls its states, at the stop time.
fn values(timed: &Timed, run: &mut Running<'_>, state: &[f64]) -> Vec<f64> {
    let start = (run.jet.clone(), run.states.clone());
    run.states.copy_from_slice(state);
    run.time = timed.stop;
    run.evaluate();
    let values = timed.states.iter().map(|name| run.value(name)).collect();
    run.time = 0.0;
    (run.jet, run.states) = start;
    values
}

fn theirs(program: &Path, timed: &Timed, solver: &str, tolerance: f64) -> Option<Result> {
    let output = Command::new(program)
        .args([timed.name, solver, &format!("{tolerance:e}"), &timed.repetitions.to_string()])
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
