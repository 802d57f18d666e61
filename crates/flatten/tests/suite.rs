//! All tests of this crate in one binary: `cargo test -p modeshift-flatten --test suite NAME`.

mod connections;
mod elaborate;
mod errors;
mod flat_models;
mod language;
mod library;
mod mel;
mod mode_oracles;
mod modelica_modes;
mod models;
mod robustness;
mod support;
