//! All tests of this crate in one binary: `cargo test -p modeshift-flatten --test suite NAME`.

mod connections;
mod errors;
mod flat_models;
mod functions;
mod language;
mod library;
mod library_page;
mod machines;
mod mel;
mod models;
mod packages;
mod records;
mod restrictions;
mod robustness;
mod support;
mod tables;

// Carries its tests with it and needs nothing else of the crate, which is not compiled twice for it.
#[allow(dead_code)]
#[path = "../src/equations/names.rs"]
mod equation_names;
