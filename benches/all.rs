//! All benchmarks of the libraries in one program, which is linked once: for `tools/compare_speed.py`.
//!
//! `MODESHIFT_BENCHMARK=scale` says which one; arguments are those of the benchmark.

#![allow(clippy::duplicate_mod)] // each of them is a program of its own too

#[path = "changes.rs"]
mod changes;
#[path = "flatten.rs"]
mod flatten;
#[path = "functions.rs"]
mod functions;
#[path = "initialization.rs"]
mod initialization;
#[path = "integration.rs"]
mod integration;
#[path = "long_range.rs"]
mod long_range;
#[path = "mode_changes.rs"]
mod mode_changes;
#[path = "rimis.rs"]
mod rimis;
#[path = "scale.rs"]
mod scale;
#[path = "switching.rs"]
mod switching;

fn main() {
    match std::env::var("MODESHIFT_BENCHMARK").as_deref() {
        Ok("changes") => changes::main(),
        Ok("flatten") => flatten::main(),
        Ok("functions") => functions::main(),
        Ok("initialization") => initialization::main(),
        Ok("integration") => integration::main(),
        Ok("long_range") => long_range::main(),
        Ok("mode_changes") => mode_changes::main(),
        Ok("rimis") => rimis::main(),
        Ok("scale") => scale::main(),
        Ok("switching") => switching::main(),
        _ => println!("MODESHIFT_BENCHMARK names one of them"),
    }
}
