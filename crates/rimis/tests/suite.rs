//! All tests of this crate in one binary: `cargo test -p modeshift-rimis --test suite NAME`.

mod obstacles;
mod papers;
mod support;
mod transformation;
