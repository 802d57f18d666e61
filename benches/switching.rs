//! Events of switched models beside C written by hand for SUNDIALS CVODE with its root finder.
//!
//! `cargo bench --bench switching`; `-- boost ball` only these, `-- --auto` only our own first choice. Times are processor times of whole runs by the number of events, rows
//! at events included, the analysis of the model not; of several runs the least. `auto` solves affine modes exactly, `bdf` integrates
//! all. The C program (`switching/cvode.c`) is compiled here, with `cc` and the libraries in `SUNDIALS_ROOT` or where the system has
//! them; where that does not succeed, only our own times are shown. Errors are the largest at the end, relative to
//! `max(|reference|, 1)`, against a run of our own at a tolerance of 1e-11.

#[path = "clock.rs"]
mod clock;
#[path = "switching/models.rs"]
mod models;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use models::Switched;
use modeshift_diagnostics::Diagnostics;
use modeshift_numerics::{NativeFunctions, Parameters};
use modeshift_simulate::integrate::Method;
use modeshift_simulate::results::{Columns, EventRecord, Observer};
use modeshift_simulate::run::{RunModel, RunSettings, run};
use modeshift_structure::{Options, Regularized, regularize};
use modeshift_testkit::multimode_dae;

/// How often each is measured, in turn.
const ROUNDS: usize = 3;
const TOLERANCE: f64 = 1e-6;

/// What came of a run.
#[derive(Clone)]
struct Outcome {
    seconds: f64,
    events: usize,
    end: Vec<f64>,
}

pub(crate) fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_alone = std::env::args().any(|argument| argument == "--auto");
    let cvode = if is_alone { None } else { compile_cvode() };
    if cvode.is_none() && !is_alone {
        println!("CVODE is not there (SUNDIALS_ROOT names its place): our own times only");
    }
    println!("{:>20} {:>7} {:>30} {:>30} {:>9}", "", "", "µs of an event", "error at the end", "ratio to");
    let names = ["auto", "bdf", "CVODE"];
    print!("{:>20} {:>7}", "model", "events");
    (0..2).for_each(|_| names.iter().for_each(|name| print!(" {name:>9}")));
    println!(" {:>9}", "CVODE");
    for model in models::models() {
        if wanted.is_empty() || wanted.iter().any(|name| name == model.name) {
            compare(&model, cvode.as_deref(), is_alone);
        }
    }
}

fn compare(model: &Switched, cvode: Option<&Path>, is_alone: bool) {
    let ours = Ours::new(model);
    let reference = ours.run(Method::Auto, 1e-11).end;
    let mut best: [Option<Outcome>; 3] = [None, None, None];
    for _ in 0..ROUNDS {
        let bdf = (!is_alone).then(|| ours.run(Method::Bdf, TOLERANCE));
        let outcomes = [Some(ours.run(Method::Auto, TOLERANCE)), bdf, by_cvode(cvode, model)];
        for (best, outcome) in best.iter_mut().zip(outcomes) {
            let is_better = |it: &Outcome| best.as_ref().is_none_or(|best| it.seconds < best.seconds);
            if outcome.as_ref().is_some_and(is_better) {
                *best = outcome;
            }
        }
    }
    let each = |it: &Outcome| 1e6 * it.seconds / it.events.max(1) as f64;
    print!("{:>20} {:>7}", model.name, best[0].as_ref().map_or(0, |it| it.events));
    best.iter().for_each(|it| print!(" {:>9}", it.as_ref().map_or("-".into(), |it| format!("{:.1}", each(it)))));
    best.iter().for_each(|it| {
        let error = it.as_ref().map(|it| error(&it.end, &reference));
        print!(" {:>9}", error.map_or("-".into(), |error| format!("{error:.1e}")));
    });
    let ratio = best[0].as_ref().zip(best[2].as_ref()).map(|(ours, other)| each(ours) / each(other));
    println!(" {:>9}", ratio.map_or("-".into(), |ratio| format!("{ratio:.2}")));
}

fn error(end: &[f64], reference: &[f64]) -> f64 {
    let errors = end.iter().zip(reference).map(|(end, reference)| (end - reference).abs() / reference.abs().max(1.0));
    errors.fold(0.0, f64::max)
}

/// A model made ready.
struct Ours<'m> {
    model: &'m Switched,
    regularized: Regularized,
    natives: NativeFunctions,
}

impl<'m> Ours<'m> {
    fn new(model: &'m Switched) -> Self {
        let no_overrides: [(String, String); 0] = [];
        let dae = multimode_dae(&model.text, &no_overrides).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"));
        let (natives, mut diagnostics) = (NativeFunctions::default(), Diagnostics::new());
        let values = dae.clone();
        let nothing = BTreeMap::new();
        let parameters = Parameters::evaluate(&values.model, &natives, &nothing, &mut diagnostics);
        let parameters = parameters.unwrap_or_else(|_| panic!("{diagnostics:#?}"));
        let regularized = regularize(dae, &Options::default(), &|id| parameters.of(id)).expect("no limit was set");
        Ours { model, regularized, natives }
    }

    fn run(&self, method: Method, tolerance: f64) -> Outcome {
        let (Regularized { dae, analysis, .. }, overrides) = (&self.regularized, BTreeMap::new());
        let model = RunModel { dae, analysis, natives: &self.natives, overrides: &overrides };
        let Switched { stop, states, name, .. } = self.model;
        let settings = RunSettings::of(&dae.model.experiment);
        let settings = RunSettings { stop: *stop, interval: *stop, tolerance, method, ..settings };
        let mut last = Last { states, places: Vec::new(), end: Vec::new(), events: 0 };
        let mut diagnostics = Diagnostics::new();
        let (summary, seconds) = clock::measured(|| run(&model, &settings, &mut last, &mut diagnostics));
        if summary.is_none_or(|it| it.time < *stop) {
            diagnostics.iter().for_each(|it| println!("{name}: {}: {}", it.code, it.message));
        }
        Outcome { seconds, events: last.events, end: last.end }
    }
}

/// Keeps the last states.
struct Last<'s> {
    states: &'s [String],
    places: Vec<usize>,
    end: Vec<f64>,
    events: usize,
}

impl Observer for Last<'_> {
    fn columns(&mut self, columns: &Columns) {
        self.places = self.states.iter().filter_map(|name| columns.position(name)).collect();
    }

    fn row(&mut self, _time: f64, values: &[f64]) {
        self.end.clear();
        self.end.extend(self.places.iter().map(|&place| values[place]));
    }

    fn event(&mut self, _event: &EventRecord) {
        self.events += 1;
    }
}

fn by_cvode(program: Option<&Path>, model: &Switched) -> Option<Outcome> {
    let output = Command::new(program?).args([model.name, &TOLERANCE.to_string(), &model.stop.to_string()]).output();
    let text = String::from_utf8(output.ok()?.stdout).ok()?;
    let mut words = text.split_whitespace();
    let (seconds, events) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some(Outcome { seconds, events, end: words.map(str::parse).collect::<Result<_, _>>().ok()? })
}

/// The C program, compiled into a temporary directory.
fn compile_cvode() -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/switching/cvode.c");
    let program = std::env::temp_dir().join(format!("modeshift-switching-{}", std::process::id()));
    let root = std::env::var("SUNDIALS_ROOT").unwrap_or_else(|_| "/usr".into());
    let mut command = Command::new("cc");
    command.arg("-O2").arg("-o").arg(&program).arg(source).arg(format!("-I{root}/include"));
    for library in ["lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"] {
        command.arg(format!("-L{root}/{library}"));
    }
    let libraries =
        ["cvode", "nvecserial", "sunlinsoldense", "sunlinsolband", "sunmatrixdense", "sunmatrixband", "generic"];
    command.args(libraries.map(|library| format!("-l:libsundials_{library}.a"))).arg("-lm");
    let compiled = command.output().is_ok_and(|output| output.status.success());
    compiled.then_some(program)
}
