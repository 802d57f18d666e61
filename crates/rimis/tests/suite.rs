//! All tests of this crate in one binary: `cargo test -p modeshift-rimis --test suite NAME`.

mod obstacles;
mod papers;
mod support;
mod transformation;

// Carries its tests with it and needs nothing else of the crate, which is not compiled twice for it.
#[allow(dead_code)]
#[path = "../src/target/names.rs"]
mod target_names;
