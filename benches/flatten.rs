//! How parsing and flattening scale: the faulty transmission line in both forms, from text to guarded equations.
//!
//! `cargo bench --bench flatten` measures N = 1,000, 10,000 and 100,000 elements and prints the fitted exponent. Each
//! measurement runs in a process of its own, so that its peak memory is its own; of three the quickest counts. Times are
//! processor time.

#[path = "clock.rs"]
mod clock;
#[path = "growth.rs"]
mod growth;

use std::process::Command;

use clock::measured;
use growth::{Growth, peak_memory_in_megabytes};
use modeshift_diagnostics::Diagnostics;
use modeshift_elaborate::elaborate;
use modeshift_flatten::{Library, Memory, Request, flatten};

const MODELS: &[(&str, &str)] = &[
    ("FaultyCoaxial", include_str!("../models/FaultyCoaxial.mo")),
    ("FaultyCoaxialVariableDimension", include_str!("../models/FaultyCoaxialVariableDimension.mo")),
];
const SIZES: &[usize] = &[1_000, 10_000, 100_000];
/// Of so many runs the quickest counts.
const RUNS: usize = 3;

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["one", name, size] => measure(name, size),
        _ => all(),
    }
}

fn all() {
    println!(
        "{:>30} {:>7} {:>9} {:>8} {:>9} {:>8} {:>8} {:>6}",
        "model", "N", "equations", "parse s", "flatten s", "modes s", "total s", "MB"
    );
    for (name, _) in MODELS {
        let mut growth = Growth::default();
        for &size in SIZES {
            let runs = (0..RUNS).map(|_| run(name, size));
            let (total, line) = runs.min_by(|a, b| a.0.total_cmp(&b.0)).expect("at least one run");
            print!("{line}");
            growth.add(size, total);
        }
        println!("{name:>30} exponent {:.2}", growth.exponent().expect("several sizes"));
    }
}

/// The total time of a measurement in a process of its own, and what it prints.
fn run(name: &str, size: usize) -> (f64, String) {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program).args(["one", name, &size.to_string()]).output();
    let line = String::from_utf8_lossy(&output.expect("this program runs").stdout).into_owned();
    let total = line.split_whitespace().nth(6).and_then(|total| total.parse().ok());
    (total.expect("the seventh column is the total time"), line)
}

fn measure(name: &str, size: &str) {
    let (_, text) = MODELS.iter().find(|(known, _)| *known == name).expect("a known model");
    let mut diagnostics = Diagnostics::new();
    let mut library = Library::new(Memory::new(), Vec::new());
    let (_, parsing) = measured(|| library.add_text("model.mo", text, &mut diagnostics));
    let request = Request { model: None, overrides: vec![("N".to_string(), size.to_string())] };
    let (flat, flattening) = measured(|| flatten(&mut library, &request, &mut diagnostics));
    let flat = flat.expect("the model flattens");
    let (dae, elaborating) = measured(|| elaborate(flat, &mut diagnostics));
    let dae = dae.expect("the model has modes");
    println!(
        "{name:>30} {size:>7} {:>9} {parsing:>8.3} {flattening:>9.3} {elaborating:>8.3} {:>8.3} {:>6}",
        dae.model.equations.len(),
        parsing + flattening + elaborating,
        peak_memory_in_megabytes(),
    );
}
